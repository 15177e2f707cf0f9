//! What the macros say to code that can't work, and that they take all that can.
//!
//! `tests/ui` holds one mistake a file, named for the mistake, with the compiler's answer beside it; after a change of
//! a message, `TRYBUILD=overwrite cargo test -p haft --test compile_fail` writes the answers anew: read each one.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn every_shape_compiles() {
    trybuild::TestCases::new().pass("tests/ui-pass/*.rs");
}
