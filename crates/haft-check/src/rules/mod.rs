//! The rules: one defect, one file. `CONTRIBUTING.md` says how to add one.

mod answer_form;
mod api_named;
mod argument_names;
mod arguments;
mod array_items;
mod bad_calls;
mod boolean_schema;
mod catch_all;
mod content;
mod deep_research;
mod definition;
mod description_empty;
mod description_empty_talk;
mod description_length;
mod dialect;
mod encoded;
mod enums;
mod exfiltration;
mod formats;
mod good_calls;
mod halves;
mod headers;
mod hints;
mod hints_contradict;
mod inlined;
mod input_size;
mod instructions;
mod invisible;
mod keywords;
mod lists;
mod long_running;
mod meta_keys;
mod name_action;
mod name_budget;
mod name_characters;
mod name_collision;
mod name_length;
mod name_portable;
mod nested_arrays;
mod output;
mod output_absent;
mod over_http;
mod patterns;
mod phrases;
mod probed_lists;
mod promotion;
mod properties;
mod references;
mod refusals;
mod result_size;
mod root_composition;
mod root_type;
mod secrets;
mod sensitive;
mod server_key;
mod shadowing;
mod size;
mod spec_name;
mod strict;
mod structured;
mod title;
mod tool_count;
mod tool_set;
mod type_unions;
mod unanswered;
mod unasked;
mod vendor_meta;
mod versions;
mod when_to_use;

use crate::rule::Rule;

static FILES: [&[Rule]; 69] = [
    &definition::RULES,
    &spec_name::RULES,
    &root_type::RULES,
    &dialect::RULES,
    &references::RULES,
    &size::RULES,
    &headers::RULES,
    &meta_keys::RULES,
    &patterns::RULES,
    &lists::RULES,
    &name_length::RULES,
    &name_budget::RULES,
    &name_characters::RULES,
    &name_portable::RULES,
    &name_collision::RULES,
    &server_key::RULES,
    &title::RULES,
    &hints::RULES,
    &hints_contradict::RULES,
    &description_empty::RULES,
    &description_length::RULES,
    &description_empty_talk::RULES,
    &promotion::RULES,
    &api_named::RULES,
    &root_composition::RULES,
    &properties::RULES,
    &argument_names::RULES,
    &boolean_schema::RULES,
    &array_items::RULES,
    &type_unions::RULES,
    &enums::RULES,
    &formats::RULES,
    &inlined::RULES,
    &keywords::RULES,
    &input_size::RULES,
    &strict::RULES,
    &nested_arrays::RULES,
    &output::RULES,
    &vendor_meta::RULES,
    &instructions::RULES,
    &tool_count::RULES,
    &deep_research::RULES,
    &name_action::RULES,
    &when_to_use::RULES,
    &arguments::RULES,
    &catch_all::RULES,
    &long_running::RULES,
    &output_absent::RULES,
    &sensitive::RULES,
    &tool_set::RULES,
    &invisible::RULES,
    &encoded::RULES,
    &phrases::RULES,
    &shadowing::RULES,
    &secrets::RULES,
    &exfiltration::RULES,
    &over_http::RULES,
    &good_calls::RULES,
    &result_size::RULES,
    &halves::RULES,
    &content::RULES,
    &structured::RULES,
    &bad_calls::RULES,
    &refusals::RULES,
    &probed_lists::RULES,
    &versions::RULES,
    &unasked::RULES,
    &answer_form::RULES,
    &unanswered::RULES,
];

/// All rules: the specification's, then those of names, texts, annotations, schemas and servers, then quality and safety.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FILES.iter().copied().flatten()
}

/// The rule of this id, in any case.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id.eq_ignore_ascii_case(id))
}
