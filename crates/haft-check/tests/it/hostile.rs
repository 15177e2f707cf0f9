//! Documents that mean harm end with a finding, soon and in little memory.

use std::time::{Duration, Instant};

use haft_check::{Host, Options, Report, ServerFacts, check};

/// Far more than any of these needs, even unoptimised beside other tests, and far less than what grows without bound takes.
const SOON: Duration = Duration::from_secs(120);

fn judge(text: &str) -> Report {
    let start = Instant::now();
    let facts = ServerFacts::from_definitions("tools.json", text).expect("a list");
    let report = check(&facts, &Options::default().hosts(Host::all()));
    let json = report.to_json();
    assert!(!report.to_text(false).is_empty() && !report.to_sarif().is_empty());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(json.len() < text.len() * 30 + (1 << 20), "a report of {} bytes", json.len());
    report
}

fn has(report: &Report, id: &str) -> bool {
    report.findings.iter().any(|finding| finding.rule.id == id)
}

fn tool(schema: &str) -> String {
    format!(r##"{{"tools": [{{"name": "get_order", "inputSchema": {schema}}}]}}"##)
}

#[test]
fn ten_thousand_levels() {
    let deep = format!("{}{{}}{}", r#"{"type":"object","properties":{"a":"#.repeat(10_000), "}}".repeat(10_000));
    assert!(has(&judge(&tool(&deep)), "SAF-SIZE-001"));
    let lists = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(has(&judge(&tool(&lists)), "SAF-SIZE-001"));
}

#[test]
fn a_string_of_a_hundred_megabytes() {
    let text = format!(r#"{{"tools": [{{"name": "a", "description": "{}"}}]}}"#, "x".repeat(100 << 20));
    let report = judge(&text);
    assert!(has(&report, "SAF-SIZE-001") && has(&report, "CC-DESC-001"));
}

#[test]
fn references_in_circles() {
    for schema in [
        r##"{"type": "object", "properties": {"a": {"$ref": "#"}}}"##,
        r##"{"type": "object", "$ref": "#"}"##,
        r##"{"type": "object", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "properties": {"a": {"$ref": "#/$defs/A"}}}"##,
    ] {
        assert!(has(&judge(&tool(schema)), "GEM-IN-005"), "{schema}");
    }
}

#[test]
fn a_chain_and_a_tree_of_references() {
    let chain: Vec<String> = (0..5_000).map(|n| format!(r##""L{n}": {{"$ref": "#/$defs/L{}"}}"##, n + 1)).collect();
    judge(&tool(&format!(
        r##"{{"type": "object", "$ref": "#/$defs/L0", "$defs": {{{}, "L5000": {{}}}}}}"##,
        chain.join(",")
    )));
    let tree: Vec<String> = (1..64)
        .map(|n| format!(r##""L{n}": {{"anyOf": [{0}, {0}]}}"##, format!(r##"{{"$ref": "#/$defs/L{}"}}"##, n - 1)))
        .collect();
    let schema =
        format!(r##"{{"type": "object", "$ref": "#/$defs/L63", "$defs": {{"L0": {{}}, {}}}}}"##, tree.join(","));
    assert!(has(&judge(&tool(&schema)), "SPEC-IN-004"));
}

#[test]
fn patterns_that_explode() {
    for pattern in ["(a+)+$", "(((x{1,1000}){1,1000}){1,1000})", "(?=a)(a|a)*b", "[", &"a?".repeat(100_000)] {
        judge(&tool(&format!(
            r#"{{"type": "object", "properties": {{"a": {{"type": "string", "pattern": "{pattern}"}}}}}}"#
        )));
    }
}

#[test]
fn many_of_everything() {
    let members: Vec<String> = (0..30_000).map(|n| format!(r#""a{n}": true"#)).collect();
    let required: Vec<String> = (0..30_000).map(|n| format!(r#""b{n}""#)).collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}}}, "required": [{}]}}"#,
        members.join(","),
        required.join(",")
    );
    let report = judge(&tool(&schema));
    let finding = report.findings.iter().find(|finding| finding.rule.id == "CC-IN-001").expect("booleans");
    assert_eq!(report.findings.iter().filter(|finding| finding.rule.id == "CC-IN-001").count(), 10);
    assert_eq!(finding.more, 0, "the last one counts the rest");
}

#[test]
fn a_report_cannot_steer_a_terminal() {
    let text = r#"{"tools": [{"name": "a\u001b[2Jb\u202e", "description": "\u001b]0;x\u0007", "inputSchema": {"type": "\u009b31m"}}]}"#;
    let report = judge(text);
    for out in [report.to_text(false), report.to_markdown(), report.to_junit(haft_check::Severity::Rejects)] {
        assert!(!out.chars().any(|c| c.is_control() && c != '\n'), "{out:?}");
        assert!(!out.contains('\u{202e}'), "{out:?}");
    }
}

/// A thousand tools like those of real servers.
#[test]
fn a_thousand_tools() {
    let tools: Vec<String> = (0..1_000)
        .map(|n| {
            format!(
                r#"{{"name": "get_order_{n}", "title": "Look up order {n}", "description": "Use this when the user asks where an order of the kind {n} is. Returns its status, the date of its last change, and {m} more things about it.",
                "inputSchema": {{"type": "object", "properties": {{"order_id": {{"type": "string", "description": "Order ID, e.g. A-1001", "pattern": "^A-\\d{{4}}$"}},
                "limit": {{"type": "integer", "minimum": 1, "maximum": 100, "description": "How many"}}}}, "required": ["order_id"]}},
                "outputSchema": {{"type": "object", "properties": {{"status": {{"type": "string"}}}}, "required": ["status"]}}}}"#,
                m = n * 7919 % 1000,
            )
        })
        .collect();
    let text = format!("[{}]", tools.join(",\n"));
    let start = Instant::now();
    let facts = ServerFacts::from_definitions("tools.json", &text).expect("a list");
    let report = check(&facts, &Options::default().hosts(Host::all()));
    let took = start.elapsed();
    assert_eq!(report.tools, 1_000);
    // Not held to it without optimisations.
    let most = if cfg!(debug_assertions) { SOON } else { Duration::from_secs(1) };
    assert!(took < most, "{took:?}");
}
