//! Any request over HTTP.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| haft_fuzz::http::run(input));
