//! Any lines of stdio.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| haft_fuzz::lines::run(input));
