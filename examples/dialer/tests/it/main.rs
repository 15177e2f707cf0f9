//! The program as its clients see it: bytes in, bytes out.

mod accounts;
mod over_http;
mod over_stdio;
mod program;
mod refusals;
mod webhook;
