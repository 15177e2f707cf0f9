//! What the macros say to code that can't work, and that they take all that can.
//!
//! `tests/ui` holds one mistake a file, named for the mistake, with the compiler's answer beside it; after a change of
//! a message, `TRYBUILD=overwrite cargo test -p haft --test compile_fail` writes the answers anew: read each one.
//! `tests/ui-pass` holds what must compile without a warning. Its files are modules of this test, so that they are
//! linked once.

#[path = "ui-pass/descriptions.rs"]
mod descriptions;
#[path = "ui-pass/every_attribute.rs"]
mod every_attribute;
#[path = "ui-pass/extractors.rs"]
mod extractors;
#[path = "ui-pass/forms.rs"]
mod forms;
#[path = "ui-pass/from_macro_rules.rs"]
mod from_macro_rules;
#[path = "ui-pass/function_shapes.rs"]
mod function_shapes;
#[path = "ui-pass/other_attributes.rs"]
mod other_attributes;
#[path = "ui-pass/portable_edges.rs"]
mod portable_edges;
#[path = "ui-pass/prompts_and_resources.rs"]
mod prompts_and_resources;
#[path = "ui-pass/renamed_crate.rs"]
mod renamed_crate;
#[path = "ui-pass/shadowed_names.rs"]
mod shadowed_names;
#[path = "ui-pass/toolset_shapes.rs"]
mod toolset_shapes;

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn every_shape_compiles() {
    descriptions::main();
    every_attribute::main();
    extractors::main();
    forms::main();
    from_macro_rules::main();
    function_shapes::main();
    other_attributes::main();
    portable_edges::main();
    prompts_and_resources::main();
    renamed_crate::main();
    shadowed_names::main();
    toolset_shapes::main();
}
