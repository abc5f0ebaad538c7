#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| humbly_fuzz::read_as("inspect", bytes));
