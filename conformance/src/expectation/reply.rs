//! What must be true of one reply.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::{cut, within};
use crate::{Id, Message, Session};

const CONFORMS_TO: &str = "outputSchema of ";
const AGREES_WITH: &str = "tools/list inputSchema.additionalProperties";

/// One entry of `assert.reply`. Every member that is given must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyRule {
    id: Value,
    /// How many replies bear this id; one if not given.
    count: Option<usize>,
    /// Which of them is meant, counted from 1; all if not given.
    nth: Option<usize>,
    /// Code of a protocol error, or a list of admissible ones.
    error: Option<Value>,
    /// A result with this `isError` (absent counts as false).
    is_error: Option<bool>,
    /// A result that is not an error.
    ok: Option<bool>,
    /// The whole text of a result that is not an error.
    text: Option<String>,
    /// Parts of the text, or of the error's message.
    #[serde(default)]
    text_has: Vec<String>,
    /// Length of the whole text in characters.
    text_len: Option<usize>,
    /// At least one text block.
    has_text: Option<bool>,
    /// Members of the result.
    #[serde(default)]
    has: Vec<String>,
    /// Members of the error's `data`.
    #[serde(default)]
    data_has: Vec<String>,
    /// `outputSchema of NAME`: if the list shows one, the structured content keeps to it.
    conforms_to: Option<String>,
    /// Closed on paper and closed in fact, or open in both.
    agrees_with: Option<String>,
    /// Milliseconds from request to reply.
    within_ms: Option<u64>,
    /// `is_error`, `ok` or `error:CODE`: one of them holds.
    any_of: Option<Vec<String>>,
}

impl ReplyRule {
    /// The name under which a failure is reported.
    pub fn label(&self) -> String {
        format!("reply {}", self.id)
    }

    /// Refuses what can't be checked.
    pub(super) fn examine(&self) -> Result<(), String> {
        Id::from_case(&self.id)?;
        if let Some(error) = &self.error {
            codes(error)?;
        }
        if let Some(alternatives) = &self.any_of {
            if alternatives.is_empty() {
                return Err("`any_of` without alternatives".to_owned());
            }
            for alternative in alternatives {
                Alternative::read(alternative)?;
            }
        }
        if self.conforms_to.as_ref().is_some_and(|to| !to.starts_with(CONFORMS_TO)) {
            return Err(format!("`conforms_to` other than \"{CONFORMS_TO}…\""));
        }
        if self.agrees_with.as_ref().is_some_and(|with| with != AGREES_WITH) {
            return Err(format!("`agrees_with` other than \"{AGREES_WITH}\""));
        }
        if self.ok == Some(false) || self.has_text == Some(false) {
            return Err("`ok` and `has_text` can only be true".to_owned());
        }
        if self.nth == Some(0) {
            return Err("`nth` counts from 1".to_owned());
        }
        let asks = self.count.is_some()
            || self.error.is_some()
            || self.is_error.is_some()
            || self.ok.is_some()
            || self.text.is_some()
            || !self.text_has.is_empty()
            || self.text_len.is_some()
            || self.has_text.is_some()
            || !self.has.is_empty()
            || !self.data_has.is_empty()
            || self.conforms_to.is_some()
            || self.agrees_with.is_some()
            || self.within_ms.is_some()
            || self.any_of.is_some();
        if asks { Ok(()) } else { Err(format!("reply {} expects nothing", self.id)) }
    }

    pub(super) fn check(&self, session: &Session) -> Result<(), String> {
        let id = Id::from_case(&self.id)?;
        let all = session.replies(&id);
        // With errors that bear no id, the count is of those with the code asked for.
        let counted: Vec<&Message> = match &self.error {
            Some(error) if id == Id::Absent => {
                let codes = codes(error)?;
                all.into_iter().filter(|m| m.error_code().is_some_and(|code| codes.contains(&code))).collect()
            }
            _ => all,
        };
        // Who asks for the second reply expects more than one.
        let wanted = self.count.or(if self.nth.is_none() { Some(1) } else { None });
        if let Some(wanted) = wanted
            && counted.len() != wanted
        {
            return Err(format!("{} such replies, not {wanted}{}", counted.len(), session.stderr()));
        }
        let meant = match self.nth {
            Some(nth) => vec![*counted.get(nth - 1).ok_or_else(|| format!("no reply number {nth}"))?],
            None => counted,
        };
        meant.into_iter().try_for_each(|message| {
            self.check_one(session, message).map_err(|error| format!("{error}; came: {}", cut(&message.text)))
        })
    }

    fn check_one(&self, session: &Session, message: &Message) -> Result<(), String> {
        let is_error = message.is_error_result();
        let succeeded = message.result().is_some() && !is_error;
        if let Some(error) = &self.error {
            let codes = codes(error)?;
            if !message.error_code().is_some_and(|code| codes.contains(&code)) {
                return Err(format!("not an error with code {error}"));
            }
        }
        if let Some(wanted) = self.is_error
            && (message.result().is_none() || is_error != wanted)
        {
            return Err(format!("not a result with isError {wanted}"));
        }
        if self.ok == Some(true) && !succeeded {
            return Err("not a good result".to_owned());
        }
        self.check_text(message, succeeded)?;
        for name in &self.has {
            if message.result().is_none_or(|result| result.get(name).is_none()) {
                return Err(format!("the result has no `{name}`"));
            }
        }
        for name in &self.data_has {
            if message.value.pointer("/error/data").is_none_or(|data| data.get(name).is_none()) {
                return Err(format!("the error's data has no `{name}`"));
            }
        }
        if let Some(to) = &self.conforms_to {
            conforms_to(session, message, to.strip_prefix(CONFORMS_TO).unwrap_or_default())?;
        }
        if self.agrees_with.is_some() {
            agrees(session, message, &Id::from_case(&self.id)?)?;
        }
        if let Some(limit) = self.within_ms {
            within(session, message, Duration::from_millis(limit))?;
        }
        if let Some(alternatives) = &self.any_of {
            let mut holds = false;
            for alternative in alternatives {
                holds |= Alternative::read(alternative)?.holds(message);
            }
            if !holds {
                return Err(format!("none of {alternatives:?}"));
            }
        }
        Ok(())
    }

    fn check_text(&self, message: &Message, succeeded: bool) -> Result<(), String> {
        let text = message.readable();
        if let Some(wanted) = &self.text {
            if !succeeded && self.is_error != Some(true) {
                return Err("not a good result".to_owned());
            }
            if text != *wanted {
                return Err(format!("the text is not {wanted:?}"));
            }
        }
        if let Some(part) = self.text_has.iter().find(|part| !text.contains(part.as_str())) {
            return Err(format!("the text lacks {part:?}"));
        }
        if let Some(wanted) = self.text_len {
            let length = text.chars().count();
            if length != wanted {
                return Err(format!("the text has {length} characters, not {wanted}"));
            }
        }
        let blocks = message.value.pointer("/result/content").and_then(Value::as_array);
        let has_text = blocks.is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "text"));
        if self.has_text == Some(true) && !has_text {
            return Err("no text block".to_owned());
        }
        Ok(())
    }
}

enum Alternative {
    IsError,
    Ok,
    Error(i64),
}

impl Alternative {
    fn read(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("error:").and_then(|code| code.parse().ok())) {
            ("is_error", _) => Ok(Self::IsError),
            ("ok", _) => Ok(Self::Ok),
            (_, Some(code)) => Ok(Self::Error(code)),
            _ => Err(format!("unknown alternative {text:?}")),
        }
    }

    fn holds(&self, message: &Message) -> bool {
        match self {
            Self::IsError => message.is_error_result(),
            Self::Ok => message.result().is_some() && !message.is_error_result(),
            Self::Error(code) => message.error_code() == Some(*code),
        }
    }
}

fn codes(error: &Value) -> Result<Vec<i64>, String> {
    let list = error.as_array().cloned().unwrap_or_else(|| vec![error.clone()]);
    let codes: Option<Vec<i64>> = list.iter().map(Value::as_i64).collect();
    codes.filter(|codes| !codes.is_empty()).ok_or_else(|| format!("no error code: {error}"))
}

/// The definition of a tool, as any `tools/list` of the conversation shows it.
fn definition<'a>(session: &'a Session, name: &str) -> Result<&'a Value, String> {
    let lists = session.messages().filter_map(|message| message.result()?.get("tools")?.as_array());
    lists.flatten().find(|tool| tool["name"] == name).ok_or_else(|| format!("no list shows the tool `{name}`"))
}

fn conforms_to(session: &Session, message: &Message, name: &str) -> Result<(), String> {
    let Some(schema) = definition(session, name)?.get("outputSchema") else { return Ok(()) };
    let content = message.value.pointer("/result/structuredContent").ok_or("no structuredContent")?;
    let validator = jsonschema::validator_for(schema).map_err(|error| format!("outputSchema of {name}: {error}"))?;
    validator.validate(content).map_err(|error| format!("structuredContent against the outputSchema: {error}"))
}

/// The call has an argument that the schema doesn't list: refused by name if the schema is closed, run if it is open.
fn agrees(session: &Session, message: &Message, id: &Id) -> Result<(), String> {
    let call = session.sent().find(|sent| sent.id == *id).ok_or("nobody made this call")?;
    let name = call.request.pointer("/params/name").and_then(Value::as_str).ok_or("a call without a name")?;
    let schema = &definition(session, name)?["inputSchema"];
    let known: Vec<&String> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let given = call.request.pointer("/params/arguments").and_then(Value::as_object).into_iter().flatten();
    let unknown: Vec<&String> = given.map(|(name, _)| name).filter(|name| !known.contains(name)).collect();
    if unknown.is_empty() {
        return Err("the call has no unknown argument".to_owned());
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return if message.is_error_result() { Err("open on paper, closed in fact".to_owned()) } else { Ok(()) };
    }
    if !message.is_error_result() {
        return Err("closed on paper, open in fact".to_owned());
    }
    let text = message.readable();
    match unknown.iter().chain(&known).find(|name| !text.contains(name.as_str())) {
        Some(name) => Err(format!("the text doesn't name `{name}`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Session;
    use crate::expectation::tests::{judge, session};

    fn result(id: i64, text: &str, is_error: bool) -> Value {
        json!({"id": id, "result": {"content": [{"type": "text", "text": text}], "isError": is_error}})
    }

    fn conversation() -> Session {
        let call = |id: i64| json!({"id": id, "params": {"name": "echo", "arguments": {"txet": "x"}}});
        let error = json!({"id": 3, "error": {"code": -32602, "message": "no tool x", "data": {"supported": []}}});
        let nameless = || json!({"error": {"code": -32700, "message": "m"}});
        let answers = [result(1, "hi", false), result(2, "bad text", true), error, nameless(), nameless()];
        session(&[call(1), call(2), call(3)], &answers)
    }

    fn reply(rule: Value) -> Result<(), String> {
        judge(json!({"reply": [rule]}), &conversation())
    }

    #[test]
    fn each_rule_passes_what_meets_it() {
        for rule in [
            json!({"id": 1, "text": "hi", "text_len": 2, "has_text": true, "ok": true, "has": ["content"]}),
            json!({"id": 1, "is_error": false, "within_ms": 1, "count": 1, "nth": 1}),
            json!({"id": 2, "is_error": true, "text_has": ["bad", "text"], "any_of": ["ok", "is_error"]}),
            json!({"id": 3, "error": -32602, "text_has": ["x"], "data_has": ["supported"]}),
            json!({"id": 3, "error": [-32601, -32602], "any_of": ["error:-32602"]}),
            json!({"id": "absent", "error": -32700, "count": 2}),
            json!({"id": "absent", "error": -32700, "nth": 2}),
        ] {
            reply(rule.clone()).unwrap_or_else(|error| panic!("{rule}: {error}"));
        }
    }

    #[test]
    fn each_rule_fails_what_breaks_it() {
        for rule in [
            json!({"id": 9, "ok": true}),
            json!({"id": 1, "text": "ho"}),
            json!({"id": 1, "text_len": 3}),
            json!({"id": 1, "text_has": ["ho"]}),
            json!({"id": 1, "has": ["structuredContent"]}),
            json!({"id": 1, "is_error": true}),
            json!({"id": 1, "error": -32602}),
            json!({"id": 1, "any_of": ["is_error", "error:-32603"]}),
            json!({"id": 1, "count": 2}),
            json!({"id": 1, "nth": 2, "ok": true}),
            json!({"id": 1, "data_has": ["supported"]}),
            json!({"id": 2, "ok": true}),
            json!({"id": 2, "is_error": false}),
            json!({"id": 2, "text": "bad text"}),
            json!({"id": 2, "within_ms": 1}),
            json!({"id": 3, "is_error": true}),
            json!({"id": 3, "has_text": true}),
            json!({"id": 3, "error": -32601}),
            json!({"id": "absent", "error": -32700, "count": 1}),
            json!({"id": "absent", "error": -32600, "count": 2}),
        ] {
            assert!(reply(rule.clone()).is_err(), "{rule}");
        }
    }

    #[test]
    fn paper_and_fact_agree() {
        let list = |closed: bool| {
            let schema = json!({"properties": {"text": {}}, "additionalProperties": !closed});
            json!({"id": 9, "result": {"tools": [{"name": "echo", "inputSchema": schema}]}})
        };
        let call = json!({"id": 1, "params": {"name": "echo", "arguments": {"text": "a", "txet": "b"}}});
        let outcome = |closed: bool, answer: Value| {
            let rule = json!({"id": 1, "agrees_with": "tools/list inputSchema.additionalProperties"});
            judge(json!({"reply": [rule]}), &session(&[call.clone(), json!({"id": 9})], &[list(closed), answer]))
        };
        assert_eq!(outcome(true, result(1, "unknown: txet; known: text", true)), Ok(()));
        assert_eq!(outcome(false, result(1, "a", false)), Ok(()));
        assert!(outcome(true, result(1, "a", false)).is_err());
        assert!(outcome(true, result(1, "unknown: txet", true)).is_err());
        assert!(outcome(false, result(1, "unknown: txet; known: text", true)).is_err());
    }

    #[test]
    fn structured_content_conforms() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let outcome = |schema: Option<&Value>, content: Value| {
            let mut tool = json!({"name": "get"});
            if let Some(schema) = schema {
                tool["outputSchema"] = schema.clone();
            }
            let answers = [
                json!({"id": 9, "result": {"tools": [tool]}}),
                json!({"id": 1, "result": {"structuredContent": content}}),
            ];
            let rule = json!({"id": 1, "conforms_to": "outputSchema of get"});
            judge(json!({"reply": [rule]}), &session(&[], &answers))
        };
        assert_eq!(outcome(Some(&schema), json!({"n": 1})), Ok(()));
        assert_eq!(outcome(None, json!("anything")), Ok(()));
        assert!(outcome(Some(&schema), json!({"n": "1"})).is_err());
    }
}
