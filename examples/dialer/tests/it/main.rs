//! The program as its clients see it: bytes in, bytes out.

mod accounts;
mod crash;
mod over_http;
mod over_stdio;
mod program;
mod refusals;
mod tasks;
mod webhook;
