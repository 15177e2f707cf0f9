//! The case file: one JSON object a line.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use crate::{Expectation, HttpExpectation, HttpScript};

/// What a case is played against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Lines to a server on standard input.
    WireStdio,
    /// Requests to a server over HTTP.
    WireHttp,
    /// A Rust type and values to try.
    RustType,
    /// What a client makes of a server.
    Client,
    /// Definitions for the checker.
    Check,
}

impl Kind {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "wire-stdio" => Ok(Self::WireStdio),
            "wire-http" => Ok(Self::WireHttp),
            "rust-type" => Ok(Self::RustType),
            "client" => Ok(Self::Client),
            "check" => Ok(Self::Check),
            other => Err(format!("unknown kind `{other}`")),
        }
    }

    /// As the case file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::WireStdio => "wire-stdio",
            Self::WireHttp => "wire-http",
            Self::RustType => "rust-type",
            Self::Client => "client",
            Self::Check => "check",
        }
    }
}

/// One case.
#[derive(Debug)]
pub struct Case {
    /// Such as `A08`.
    pub id: String,
    /// What it is about, in a word.
    pub tag: String,
    /// What it is played against.
    pub kind: Kind,
    /// The steps, for `wire-stdio` only.
    pub script: Script,
    /// The checkable part of what is expected.
    pub expectation: Expectation,
    /// Both of a `wire-http` case.
    pub http: (HttpScript, HttpExpectation),
    /// The definitions, for `check` only.
    pub tools: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    tag: String,
    kind: String,
    input: Value,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "expect")]
    _expect: String,
    assert: Option<Value>,
}

/// Reads a case file. A case that can't be read is an error under its id (or its line number): it must fail, not vanish.
pub fn read_cases(text: &str) -> Vec<(String, Result<Case, String>)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| match serde_json::from_str::<Line>(line) {
            Ok(line) => (line.id.clone(), line.into_case()),
            Err(error) => (format!("line {}", index + 1), Err(format!("not a case: {error}"))),
        })
        .collect()
}

impl Line {
    fn into_case(self) -> Result<Case, String> {
        let kind = Kind::read(&self.kind)?;
        let (mut script, mut expectation) = (Script::default(), Expectation::default());
        let mut http = <(HttpScript, HttpExpectation)>::default();
        let mut tools = Vec::new();
        if kind == Kind::WireHttp {
            let assert = self.assert.ok_or("a wire-http case without `assert`")?;
            http.0 = serde_json::from_value(self.input).map_err(|error| format!("`input`: {error}"))?;
            http.1 = serde_json::from_value(assert).map_err(|error| format!("`assert`: {error}"))?;
        } else if kind == Kind::WireStdio {
            script = Script::read(&self.input)?;
            let assert = self.assert.ok_or("a wire-stdio case without `assert`")?;
            expectation = Expectation::read(assert)?;
        } else if kind == Kind::Check {
            tools = self.input["tools"].as_array().ok_or("a check case without `tools`")?.clone();
        }
        Ok(Case { id: self.id, tag: self.tag, kind, script, expectation, http, tools })
    }
}

/// What is done to one server process after the other.
#[derive(Debug, Default)]
pub struct Script {
    /// The steps that the expectation speaks of.
    pub steps: Vec<Step>,
    /// Second and third run: a fresh process each.
    pub further: Vec<Vec<Step>>,
}

/// One thing done to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// These bytes are written as they are.
    Write(Vec<u8>),
    /// One line: the prefix, a character many times over, the suffix.
    Fill {
        /// Comes first.
        prefix: String,
        /// The byte that is repeated.
        byte: u8,
        /// How often.
        count: u64,
        /// Comes last, before the newline.
        suffix: String,
    },
    /// Nothing is done for so long.
    Wait(Duration),
    /// Standard input ends.
    CloseStdin,
    /// The process is ended (by closing its input) and a fresh one started; the conversation goes on.
    Restart,
}

impl Script {
    /// Reads the `input` of a `wire-stdio` case.
    ///
    /// # Errors
    ///
    /// A step that is unknown or malformed.
    pub fn read(input: &Value) -> Result<Self, String> {
        let mut script = Self::default();
        for step in input.as_array().ok_or("`input` is not a list of steps")? {
            match further_run(step) {
                Some(run) => {
                    let run = Self::read(run)?;
                    if !run.further.is_empty() {
                        return Err("a run within a run".to_owned());
                    }
                    script.further.push(run.steps);
                }
                None => script.steps.extend(read_step(step)?),
            }
        }
        Ok(script)
    }
}

fn further_run(step: &Value) -> Option<&Value> {
    let members = step.as_object().filter(|members| members.len() == 1)?;
    members.get("second_run").or_else(|| members.get("third_run"))
}

fn line(text: &str) -> Step {
    Step::Write(format!("{text}\n").into_bytes())
}

fn read_step(step: &Value) -> Result<Vec<Step>, String> {
    if let Some(text) = step.as_str() {
        return Ok(vec![line(text)]);
    }
    let members = step.as_object().ok_or_else(|| format!("not a step: {step}"))?;
    let mut names: Vec<&str> = members.keys().map(String::as_str).collect();
    names.sort_unstable();
    let malformed = || format!("malformed step: {step}");
    match names.as_slice() {
        ["b64"] => {
            let bytes = step["b64"].as_str().and_then(|text| STANDARD.decode(text).ok());
            Ok(vec![Step::Write(bytes.ok_or_else(malformed)?)])
        }
        ["fill"] => Ok(vec![read_fill(&step["fill"]).ok_or_else(malformed)?]),
        ["for_id", "line"] => {
            let bounds: Vec<i64> = step["for_id"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
            let (&[first, last], Some(text)) = (bounds.as_slice(), step["line"].as_str()) else {
                return Err(malformed());
            };
            if !text.contains("{ID}") || last < first {
                return Err(malformed());
            }
            Ok((first..=last).map(|id| line(&text.replace("{ID}", &id.to_string()))).collect())
        }
        ["wait_ms"] => {
            let millis = step["wait_ms"].as_u64().ok_or_else(malformed)?;
            Ok(vec![Step::Wait(Duration::from_millis(millis))])
        }
        ["close_stdin"] if step["close_stdin"] == true => Ok(vec![Step::CloseStdin]),
        ["restart"] if step["restart"] == true => Ok(vec![Step::Restart]),
        _ => Err(format!("unknown step: {step}")),
    }
}

fn read_fill(fill: &Value) -> Option<Step> {
    let members = fill.as_object()?;
    let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
    let &[byte] = text("char")?.as_bytes() else { return None };
    let fill =
        Step::Fill { prefix: text("prefix")?, byte, count: members.get("count")?.as_u64()?, suffix: text("suffix")? };
    (members.len() == 4).then_some(fill)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_step_is_read() {
        let script = Script::read(&json!([
            "x", {"b64": "DQo="}, {"for_id": [1, 2], "line": "a{ID}"}, {"wait_ms": 5}, {"restart": true},
            {"fill": {"prefix": "p", "char": "x", "count": 3, "suffix": "s"}}, {"close_stdin": true},
            {"second_run": ["y"]}, {"third_run": [{"close_stdin": true}]},
        ]))
        .expect("all known");
        let write = |text: &str| Step::Write(text.as_bytes().to_vec());
        assert_eq!(script.steps[..4], [write("x\n"), write("\r\n"), write("a1\n"), write("a2\n")]);
        assert_eq!(script.steps[4..6], [Step::Wait(Duration::from_millis(5)), Step::Restart]);
        assert!(matches!(script.steps[6], Step::Fill { count: 3, .. }));
        assert_eq!(script.steps[7], Step::CloseStdin);
        assert_eq!(script.further, [vec![write("y\n")], vec![Step::CloseStdin]]);
    }

    #[test]
    fn an_unknown_step_is_an_error() {
        for step in [
            json!({"env": {}}),
            json!({"cause": "panic"}),
            json!({"wait_ms": "5"}),
            json!({"wait_ms": 5, "then": 1}),
            json!({"close_stdin": false}),
            json!({"b64": "%"}),
            json!({"for_id": [1], "line": "{ID}"}),
            json!({"fill": {"prefix": "", "char": "xx", "count": 1, "suffix": ""}}),
            json!(7),
        ] {
            assert!(Script::read(&json!([step])).is_err(), "{step}");
        }
    }

    #[test]
    fn a_case_that_cannot_be_read_is_kept_as_an_error() {
        let text = "{\"id\":\"Z1\",\"tag\":\"t\",\"source\":\"s\",\"kind\":\"wire-stdio\",\"input\":[],\"expect\":\"e\"}\nnonsense\n\
                    {\"id\":\"Z2\",\"tag\":\"t\",\"source\":\"s\",\"kind\":\"wire-stdio\",\"input\":[],\"expect\":\"e\",\
                    \"assert\":{\"replies\":[]}}\n\
                    {\"id\":\"Z3\",\"tag\":\"t\",\"source\":\"s\",\"kind\":\"smoke\",\"input\":[],\"expect\":\"e\"}\n";
        let cases = read_cases(text);
        let ids: Vec<&str> = cases.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["Z1", "line 2", "Z2", "Z3"]);
        assert!(cases.iter().all(|(_, case)| case.is_err()));
    }
}
