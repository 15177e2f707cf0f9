//! The macro's few copies of the portable rules against the rules themselves.

use haft_schema::portable;

#[path = "../../../haft-macros/src/rules.rs"]
#[expect(dead_code, reason = "the macro has more uses for them")]
mod copies;

#[test]
fn the_macro_and_the_profile_agree_on_names() {
    let long = "a".repeat(portable::MAX_DESCRIPTION + 1);
    let samples = [
        "",
        "a",
        "ab",
        "abc",
        "get_order",
        "Get_order",
        "get-order",
        "get.order",
        "get__order",
        "_get",
        "1get",
        "get1",
        "gét",
        "get order",
        "trailing_",
        "x-mcp",
        "X",
        "limit",
        "a b",
    ];
    let lengths = [2, 3, 39, 40, 41, 63, 64, 65].map(|length| &long[..length]);
    for name in samples.into_iter().chain(lengths) {
        assert_eq!(copies::tool_name(name).is_none(), portable::tool_name(name).is_ok(), "tool name {name:?}");
        assert_eq!(copies::argument_name(name), portable::argument_name(name).is_ok(), "argument name {name:?}");
        assert_eq!(copies::header_name(name), portable::is_token(name), "header {name:?}");
    }
}

#[test]
fn the_macro_and_the_profile_agree_on_numbers_and_rule_names() {
    assert_eq!(copies::RULES, portable::RULES);
    assert_eq!(copies::DESCRIPTION_MAX, portable::MAX_DESCRIPTION);
    for (length, fits) in [(1024, true), (1025, false)] {
        assert_eq!(portable::description(&"é".repeat(length)).is_ok(), fits);
        assert_eq!(length <= copies::DESCRIPTION_MAX, fits);
    }
}

#[test]
fn the_macro_and_the_protocol_agree_on_meta_keys() {
    for key in ["plain", "com.example/x", "com.example/", "/x", "", "a..b/x", "com.example/-x", "1.a/x", "has space"] {
        assert_eq!(copies::meta_key(key).is_none(), haft_wire::meta::is_valid_key(key), "{key:?}");
    }
}
