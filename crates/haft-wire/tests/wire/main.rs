//! Tests of the crate from outside: bytes in, bytes out.

mod blocks;
mod encode;
mod examples;
mod hostile;
mod parse;
mod properties;
mod request_meta;
mod results;
mod schema;
mod strict;
