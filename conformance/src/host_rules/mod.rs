//! What the APIs of model vendors refuse in the definitions of tools, as rules on JSON.
//!
//! The rules are those of `haft rules` for `claude-api`, `openai-api` and `gemini-api`, by the same ids, read anew: nothing here
//! is shared with what renders definitions, nor with `haft-check`. What has no id there is a matter of `shape`: the members
//! that an API's reference lists, and no others.

mod anthropic;
mod gemini;
mod openai;
mod walk;

use std::collections::BTreeSet;
use std::fmt;

use haft::Api;
use serde_json::{Map, Value};

/// One thing that an API refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The rule, such as `CLA-IN-001`, or `shape`.
    pub rule: &'static str,
    /// The tool, by its name or its position, and the place in it.
    pub place: String,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}: {}", self.rule, self.place, self.what)
    }
}

/// All that `api` would refuse in the `tools` of one request (for Gemini: its `functionDeclarations`).
pub fn faults(api: Api, tools: &[Value]) -> Vec<Fault> {
    let mut faults = Faults::default();
    let mut names = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        faults.tool = format!("tool {index}");
        let Some(members) = tool.as_object() else {
            faults.add("shape", "", format!("{tool} is no definition"));
            continue;
        };
        let judge = match api {
            Api::Anthropic => anthropic::definition,
            Api::OpenAiResponses => openai::for_responses,
            Api::OpenAiChat => openai::for_chat,
            Api::Gemini => gemini::definition,
            other => {
                faults.add("shape", "", format!("no rules are known for {other:?}"));
                return faults.found;
            }
        };
        let name = judge(members, &mut faults);
        if let Some(name) = name.filter(|name| !names.insert(name.clone())) {
            faults.add("shape", "", format!("{name} is there twice"));
        }
    }
    faults.tool = "the request".to_owned();
    if matches!(api, Api::OpenAiResponses | Api::OpenAiChat) && tools.len() > openai::MOST_TOOLS {
        faults.add("OAI-API-COUNT", "", format!("{} tools", tools.len()));
    }
    faults.found
}

#[derive(Default)]
struct Faults {
    tool: String,
    found: Vec<Fault>,
}

impl Faults {
    fn add(&mut self, rule: &'static str, place: &str, what: impl Into<String>) {
        self.found.push(Fault { rule, place: format!("{}{place}", self.tool), what: what.into() });
    }

    /// The definition has these members, and no others.
    fn members(&mut self, members: &Map<String, Value>, needed: &[&str], possible: &[&str]) {
        for name in needed.iter().filter(|name| !members.contains_key(**name)) {
            self.add("shape", "", format!("there is no {name}"));
        }
        for name in members.keys() {
            if !needed.contains(&name.as_str()) && !possible.contains(&name.as_str()) {
                self.add("shape", "", format!("{name} is no member of a definition"));
            }
        }
    }

    /// The name, which faults are reported under from here on.
    fn name(&mut self, members: &Map<String, Value>, rule: &'static str, is_taken: fn(&str) -> bool) -> Option<String> {
        let name = members.get("name").and_then(Value::as_str);
        match name {
            None => self.add("shape", "/name", "is no string"),
            Some(name) => {
                self.tool = name.to_owned();
                if !is_taken(name) {
                    self.add(rule, "/name", format!("{name:?} is not taken"));
                }
            }
        }
        name.map(str::to_owned)
    }

    /// A text that says something, of so many characters at most.
    fn description(&mut self, members: &Map<String, Value>, most: usize) {
        match members.get("description").and_then(Value::as_str) {
            None => self.add("shape", "/description", "is no string"),
            Some(text) if text.trim().is_empty() => self.add("shape", "/description", "is empty"),
            Some(text) if text.chars().count() > most => {
                self.add("shape", "/description", format!("has more than {most} characters"));
            }
            Some(_) => {}
        }
    }
}

/// `^[a-zA-Z0-9_-]{1,64}$`. Where sources disagree on 64 or 128, the smaller one.
fn plain_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The rules that a definition breaks, in order and each once.
    fn broken(api: Api, definition: Value) -> Vec<&'static str> {
        let mut rules: Vec<&str> = faults(api, &[definition]).into_iter().map(|fault| fault.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    fn anthropic(schema: Value) -> Vec<&'static str> {
        broken(Api::Anthropic, json!({"name": "a", "description": "b", "input_schema": schema}))
    }

    fn openai(schema: Value, strict: bool) -> Vec<&'static str> {
        let function = json!({"name": "a", "description": "b", "parameters": schema, "strict": strict});
        let chat = broken(Api::OpenAiChat, json!({"type": "function", "function": function}));
        let mut flat = function;
        flat["type"] = "function".into();
        assert_eq!(broken(Api::OpenAiResponses, flat), chat);
        chat
    }

    fn gemini(argument: Value) -> Vec<&'static str> {
        let schema = json!({"type": "object", "properties": {"a": argument}});
        broken(Api::Gemini, json!({"name": "a", "description": "b", "parameters": schema}))
    }

    #[test]
    fn each_rule_of_anthropic_fires_and_is_silent() {
        let good = json!({"type": "object", "properties": {"a.b-c": {"type": ["string", "null"], "format": "uri"}}});
        assert_eq!(anthropic(good), [""; 0]);
        assert_eq!(anthropic(json!({"type": "object", "anyOf": [{}]})), ["CLA-IN-001"]);
        assert_eq!(anthropic(json!({"type": "object", "properties": {"a b": {}}})), ["CLA-IN-002"]);
        assert_eq!(anthropic(json!({"type": "object", "properties": {"a": {"items": [{}]}}})), ["CLA-IN-003"]);
        assert_eq!(anthropic(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}})), ["SPEC-IN-003"]);
        assert_eq!(anthropic(json!({"type": "object", "properties": {"a": {"$ref": "http://x"}}})), ["SPEC-IN-003"]);
        assert_eq!(anthropic(json!({"properties": {}})), ["SPEC-IN-001"]);
        assert_eq!(
            broken(Api::Anthropic, json!({"name": "a.b", "description": " ", "parameters": {}})),
            ["CLA-IN-003", "CLA-NAME-002", "SPEC-IN-001", "shape"]
        );
    }

    #[test]
    fn each_rule_of_openai_fires_and_is_silent() {
        let open = json!({"type": "object", "properties": {"a": {"type": "array", "items": {}}, "b": {"oneOf": [{}]}}});
        assert_eq!(openai(open.clone(), false), [""; 0]);
        assert_eq!(openai(open, true), ["OAI-STRICT-001"]);
        assert_eq!(openai(json!({"type": "object"}), false), ["OAI-API-PROP"]);
        let bare = json!({"type": "object", "properties": {"a": {"anyOf": [{"type": ["array", "null"]}]}}});
        assert_eq!(openai(bare, false), ["OAI-API-ARR"]);
        let closed = |property: Value, required: &[&str]| json!({"type": "object", "properties": {"a": property}, "required": required, "additionalProperties": false});
        assert_eq!(openai(closed(json!({"type": "string", "format": "email"}), &["a"]), true), [""; 0]);
        for (property, required) in [
            (json!({"type": "string"}), &[][..]),
            (json!({"type": "string", "minLength": 1}), &["a"]),
            (json!({"type": "string", "format": "uri"}), &["a"]),
            (json!({"description": "anything"}), &["a"]),
            (json!({"type": "object", "properties": {}, "required": []}), &["a"]),
            (json!({"type": "string", "enum": (0..1_001).map(|n| n.to_string()).collect::<Vec<_>>()}), &["a"]),
            (json!({"type": "string", "enum": (0..251).map(|n| format!("{n:60}")).collect::<Vec<_>>()}), &["a"]),
            (json!({"type": "string", "const": "x".repeat(120_000)}), &["a"]),
        ] {
            assert_eq!(openai(closed(property.clone(), required), true), ["OAI-STRICT-001"], "{property}");
        }
        let mut deep = json!({"type": "string"});
        for level in 1..=11 {
            deep = closed(deep, &["a"]);
            assert_eq!(openai(deep.clone(), true), if level > 10 { &["OAI-STRICT-001"][..] } else { &[] }, "{level}");
        }
        let many: Vec<Value> = (0..129)
            .map(|n| json!({"type": "function", "name": format!("t{n}"), "description": "b", "strict": false, "parameters": {"type": "object", "properties": {}}}))
            .collect();
        assert_eq!(faults(Api::OpenAiResponses, &many[..128]), []);
        assert_eq!(faults(Api::OpenAiResponses, &many)[0].rule, "OAI-API-COUNT");
        assert_eq!(faults(Api::OpenAiResponses, &[many[0].clone(), many[0].clone()])[0].rule, "shape");
    }

    #[test]
    fn each_rule_of_gemini_fires_and_is_silent() {
        for good in [
            json!({"type": "string", "nullable": true, "enum": ["x"], "format": "date-time"}),
            json!({"anyOf": [{"type": "integer", "format": "int64"}, {"type": "array", "items": {"type": "object"}}]}),
        ] {
            assert_eq!(gemini(good), [""; 0]);
        }
        for (argument, rule) in [
            (json!({"type": "string", "const": "x"}), "GEM-IN-001"),
            (json!({"$ref": "#/a"}), "GEM-IN-001"),
            (json!({"type": ["string", "null"]}), "GEM-IN-002"),
            (json!({"type": "null"}), "GEM-IN-002"),
            (json!({"description": "any"}), "GEM-IN-002"),
            (json!({"type": "integer", "enum": [1]}), "GEM-IN-003"),
            (json!({"type": "string", "enum": [""]}), "GEM-IN-003"),
            (json!({"type": "string", "format": "uri"}), "GEM-IN-004"),
            (json!({"type": "array", "items": true}), "GEM-IN-007"),
            (json!({"type": "array"}), "shape"),
            (json!({"type": "object", "required": ["z"]}), "shape"),
            (json!({"type": "string", "anyOf": [{"type": "string"}]}), "shape"),
            (json!({"type": "object", "properties": {"a-b": {"type": "string"}}}), "GEM-NAME-004"),
        ] {
            assert_eq!(gemini(argument.clone()), [rule], "{argument}");
        }
        assert_eq!(broken(Api::Gemini, json!({"name": "1", "description": "b"})), ["GEM-NAME-003"]);
        let nothing = json!({"name": "a", "description": "b", "parameters": {"type": "object", "properties": {}}});
        assert_eq!(broken(Api::Gemini, nothing), ["shape"]);
    }
}
