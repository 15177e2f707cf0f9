//! Each rule fires on its fixture, doesn't on the near misses beside it, and says what a person has read.
//!
//! `tests/fixtures/<id>.json` holds a list that breaks the rule and one that doesn't; `tests/it/snapshots` what is said.

use std::collections::BTreeMap;
use std::path::PathBuf;

use haft_check::{Exchange, Host, Options, Report, Rule, ServerFacts, check};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fixture {
    fires: Box<RawValue>,
    fires_discover: Option<Box<RawValue>>,
    fires_key: Option<String>,
    #[serde(default)]
    fires_probes: Vec<Probed>,
    passes: Box<RawValue>,
    passes_discover: Option<Box<RawValue>>,
    passes_key: Option<String>,
    #[serde(default)]
    passes_probes: Vec<Probed>,
}

/// An exchange; its messages may stand there as they are, without the quotes of a string.
type Probed = BTreeMap<String, Box<RawValue>>;

fn exchange(probed: &Probed) -> Exchange {
    let quoted = |raw: &RawValue| match raw.get().starts_with('"') {
        true => raw.get().to_owned(),
        false => serde_json::to_string(raw.get()).expect("a string"),
    };
    let members = probed.iter().map(|(name, raw)| {
        let value = match name.as_str() {
            "sent" => quoted(raw),
            "received" => {
                let each: Vec<Box<RawValue>> = serde_json::from_str(raw.get()).expect("an array");
                format!("[{}]", each.iter().map(|raw| quoted(raw)).collect::<Vec<_>>().join(","))
            }
            _ => raw.get().to_owned(),
        };
        format!("\"{name}\":{value}")
    });
    let text = lengthened(format!("{{{}}}", members.collect::<Vec<_>>().join(",")));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// `<<1000>>` stands for a thousand letters.
fn lengthened(text: String) -> String {
    let Some((before, (length, after))) = text.split_once("<<").and_then(|(a, b)| Some((a, b.split_once(">>")?)))
    else {
        return text;
    };
    format!("{before}{}{after}", "x".repeat(length.parse().expect("a length")))
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn fixture(rule: &Rule) -> Fixture {
    let path = folder().join(format!("{}.json", rule.id));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} has no fixture: {}: {error}", rule.id, path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn findings(rule: &Rule, list: &RawValue, discover: Option<&RawValue>, key: Option<&str>, probes: &[Probed]) -> Report {
    let mut facts = ServerFacts::from_definitions("tools.json", list.get()).expect("a list");
    if let Some(discover) = discover {
        facts = facts.with_discover("discover.json", discover.get()).expect("a discover result");
    }
    facts = facts.with_exchanges(probes.iter().map(exchange));
    let mut options = Options::default().hosts(Host::all());
    if let Some(key) = key {
        options = options.server_key(key);
    }
    let mut report = check(&facts, &options);
    report.findings.retain(|finding| finding.rule.id == rule.id);
    report
}

#[test]
fn each_rule_fires_on_its_fixture_and_says_what_a_person_has_read() {
    for rule in haft_check::rules() {
        let fixture = fixture(rule);
        let (discover, key) = (fixture.fires_discover.as_deref(), fixture.fires_key.as_deref());
        let report = findings(rule, &fixture.fires, discover, key, &fixture.fires_probes);
        assert!(!report.findings.is_empty(), "{} doesn't fire on its fixture", rule.id);
        let text = report.to_text(false);
        let (said, _table) = text.split_once("\nwho ").expect("a table follows");
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(rule.id, said);
        });
    }
}

#[test]
fn no_rule_fires_on_the_near_misses() {
    for rule in haft_check::rules() {
        let fixture = fixture(rule);
        let (discover, key) = (fixture.passes_discover.as_deref(), fixture.passes_key.as_deref());
        let report = findings(rule, &fixture.passes, discover, key, &fixture.passes_probes);
        assert!(report.findings.is_empty(), "{} fires on what is right:\n{}", rule.id, report.to_text(false));
    }
}

#[test]
fn no_fixture_is_left_over() {
    for entry in std::fs::read_dir(folder()).expect("fixtures") {
        let path = entry.expect("readable").path();
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        assert!(haft_check::rule(&id).is_some(), "{} belongs to no rule", path.display());
    }
}

/// Texts of honest tools that come near to what the rules of safety look for.
const HONEST: &str = include_str!("../honest.txt");

#[test]
fn no_rule_of_safety_fires_on_honest_texts() {
    for text in HONEST.lines().filter(|line| !line.is_empty()) {
        let tool = serde_json::json!([{
            "name": "get_order", "description": text,
            "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "description": text}}},
        }]);
        let facts = ServerFacts::from_definitions("tools.json", &tool.to_string()).expect("a list");
        let mut report = check(&facts, &Options::default().hosts(Host::all()));
        report.findings.retain(|finding| finding.rule.family == haft_check::Family::Safety);
        assert!(report.findings.is_empty(), "{text}\n{}", report.to_text(false));
    }
}
