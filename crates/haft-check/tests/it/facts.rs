//! What a definitions file may be.

use haft_check::{Options, ServerFacts, check};

fn names(text: &str) -> Result<usize, String> {
    ServerFacts::from_definitions("tools.json", text)
        .map(|facts| check(&facts, &Options::default()).tools)
        .map_err(|error| error.to_string())
}

#[test]
fn a_list_comes_in_four_forms() {
    for text in [
        r#"[{"name": "a"}]"#,
        r#"{"tools": [{"name": "a"}]}"#,
        r#"{"resultType": "complete", "tools": [{"name": "a"}], "ttlMs": 0, "cacheScope": "public"}"#,
        r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a"}]}}"#,
    ] {
        assert_eq!(names(text), Ok(1), "{text}");
    }
}

#[test]
fn what_is_no_list_is_said() {
    for (text, expected) in [
        ("{", "tools.json: not JSON: line 1, column 2: a member's name in quotes is expected"),
        (r#"{"tools": {}}"#, "tools.json: `tools` is an object, not an array"),
        (
            "{}",
            "tools.json: there are no `tools`; a definitions file is {\"tools\": [...]}, an array, or the result of tools/list",
        ),
    ] {
        assert_eq!(names(text), Err(expected.to_owned()));
    }
}

#[test]
fn notes_are_not_held_to_be_a_result() {
    let hints = |text: &str| {
        let facts = ServerFacts::from_definitions("tools.json", text).expect("a list");
        check(&facts, &Options::default()).findings.iter().any(|finding| finding.rule.id == "SPEC-LIST-001")
    };
    assert!(!hints(r#"{"tools": []}"#));
    assert!(hints(r#"{"resultType": "complete", "tools": []}"#));
}

#[test]
fn pages_are_one_list() {
    let pages = [("page 1", r#"{"tools": [{"name": "a"}]}"#), ("page 2", r#"{"tools": [{"name": "a"}]}"#)];
    let report = check(&ServerFacts::from_pages(pages).expect("lists"), &Options::default());
    let twice = report.findings.iter().find(|finding| finding.rule.id == "SPEC-NAME-002").expect("the same name");
    assert_eq!(twice.index, Some(1));
}
