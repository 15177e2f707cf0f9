//! Reports in each format.

use haft_check::{Host, Options, Report, ServerFacts, Severity, check};

const DEFINITIONS: &str = r#"{
  "tools": [
    {
      "name": "get_order",
      "title": "Look up an order",
      "description": "Use this when the user asks where an order is. Returns its status.",
      "inputSchema": {
        "type": "object",
        "properties": {
          "order_id": { "type": "string", "description": "Order ID, e.g. A-1001", "maxLength": 20 },
          "tags": { "type": "array", "description": "Tags & \"more\" <b>", "maxItems": 5 }
        },
        "required": ["order_id"]
      },
      "annotations": {
        "title": "Look up an order",
        "readOnlyHint": true,
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": false
      }
    },
    { "name": "a.b", "description": "Pings @everyone. [x](y) | `z`", "inputSchema": { "type": "string" } }
  ]
}
"#;

fn report() -> Report {
    let facts = ServerFacts::from_definitions("my tools.json", DEFINITIONS).expect("a list");
    check(&facts, &Options::default().hosts([Host::Vscode, Host::ClaudeApp]))
}

macro_rules! snapshot {
    ($name:literal, $value:expr) => {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!($name, $value);
        });
    };
}

#[test]
fn text() {
    snapshot!("format_text", report().to_text(false));
}

#[test]
fn json() {
    let json = report().to_json();
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["version"], 1);
    assert!(!value["findings"].as_array().expect("findings").is_empty());
    snapshot!("format_json", json);
}

#[test]
fn sarif() {
    let sarif: serde_json::Value = serde_json::from_str(&report().to_sarif()).expect("JSON");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let index = usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20tools.json");
        assert!(place["region"]["startLine"].as_u64().expect("a line") >= 1);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
    }
    let places: Vec<_> = run["results"].as_array().into_iter().flatten().map(|it| &it["partialFingerprints"]).collect();
    assert!(places.iter().enumerate().all(|(at, one)| !places[..at].contains(one)), "fingerprints are unique");
}

#[test]
fn markdown() {
    snapshot!("format_markdown", report().to_markdown());
}

#[test]
fn junit() {
    snapshot!("format_junit", report().to_junit(Severity::Rejects));
}

#[test]
fn the_same_facts_give_the_same_report() {
    assert_eq!(report().to_json(), report().to_json());
}

#[test]
fn a_document_of_one_line_is_shown_with_line_breaks() {
    let line = DEFINITIONS.replace("\n", "").replace("  ", "");
    let facts = ServerFacts::from_definitions("tools.json", &line).expect("a list");
    let report = check(&facts, &Options::default().hosts([Host::Vscode]));
    let text = report.to_text(false);
    assert!(text.contains("tools.json (reformatted)"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).expect("JSON");
    assert!(json["findings"][0]["line"].is_null(), "the lines are not those of the file");
}

#[test]
#[should_panic(expected = "SPEC-IN-001")]
fn an_assertion_fails_with_the_report() {
    haft_check::assert_portable(DEFINITIONS);
}
