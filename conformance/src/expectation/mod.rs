//! The checkable part of what a case expects.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::{Id, Message, Session};

mod progress;
mod reply;

pub use reply::ReplyRule;

/// The `assert` object of a case. An unknown member is an error when it is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// What must be true of single replies.
    #[serde(default)]
    pub reply: Vec<ReplyRule>,
    /// Ids that no message may bear.
    #[serde(default)]
    silent: Vec<Value>,
    /// Lines on standard output, notifications included.
    total_messages: Option<usize>,
    /// Responses, of whatever kind.
    reply_count: Option<usize>,
    /// Every process ends with it.
    exit_code: Option<i32>,
    /// Bound on the memory of every process.
    max_rss_mb: Option<u64>,
    /// Progress carries the token asked for, rises, and stops at the result.
    progress_rules: Option<bool>,
    /// The `tools` of these replies are equal byte for byte.
    #[serde(default)]
    same_tools: Vec<Value>,
    /// Every reply comes within so many milliseconds.
    within_ms: Option<u64>,
}

impl Expectation {
    /// Reads an `assert` object.
    ///
    /// # Errors
    ///
    /// A member that is unknown or of the wrong type, and an object that expects nothing.
    pub fn read(value: Value) -> Result<Self, String> {
        if value.as_object().is_none_or(serde_json::Map::is_empty) {
            return Err("`assert` expects nothing".to_owned());
        }
        let expectation: Self = serde_json::from_value(value).map_err(|error| format!("`assert`: {error}"))?;
        if expectation.progress_rules == Some(false) {
            return Err("`assert`: progress_rules can only be true".to_owned());
        }
        expectation.silent()?;
        ids(&expectation.same_tools)?;
        for rule in &expectation.reply {
            rule.examine()?;
        }
        Ok(expectation)
    }

    /// The ids that must get no message.
    ///
    /// # Errors
    ///
    /// Something in the list is no id.
    pub fn silent(&self) -> Result<Vec<Id>, String> {
        ids(&self.silent)
    }

    /// Judges a conversation.
    ///
    /// # Errors
    ///
    /// The first expectation that is not met, with what came instead.
    pub fn check(&self, session: &Session) -> Result<(), String> {
        for rule in &self.reply {
            rule.check(session).map_err(|error| format!("{}: {error}", rule.label()))?;
        }
        for id in self.silent()? {
            if let Some(message) = session.messages().find(|message| message.id() == id) {
                return Err(format!("{id} must be silent, but: {}", cut(&message.text)));
            }
        }
        let replies: Vec<&Message> = session.messages().filter(|message| message.is_response()).collect();
        counted("messages", self.total_messages, session.messages().count())?;
        counted("replies", self.reply_count, replies.len())?;
        if let Some(limit) = self.within_ms.map(Duration::from_millis) {
            for message in &replies {
                within(session, message, limit)?;
            }
        }
        for run in &session.runs {
            if self.exit_code.is_some() && run.exit.code != self.exit_code {
                return Err(format!("exit code {:?}, not {:?}", run.exit.code, self.exit_code));
            }
            if let Some(most) = self.max_rss_mb {
                let peak = run.peak_kib.ok_or("this system does not tell how much memory a process held")? / 1_024;
                if peak > most {
                    return Err(format!("{peak} MiB of memory at the peak, more than {most}"));
                }
            }
        }
        if self.progress_rules == Some(true) {
            progress::check(session)?;
        }
        check_same_tools(session, &ids(&self.same_tools)?)
    }
}

fn ids(values: &[Value]) -> Result<Vec<Id>, String> {
    values.iter().map(Id::from_case).collect()
}

fn counted(what: &str, wanted: Option<usize>, came: usize) -> Result<(), String> {
    match wanted {
        Some(wanted) if wanted != came => Err(format!("{came} {what}, not {wanted}")),
        _ => Ok(()),
    }
}

/// Whether a reply came in time after its request was sent.
fn within(session: &Session, message: &Message, limit: Duration) -> Result<(), String> {
    let id = message.id();
    let Some(sent) = session.sent().find(|sent| sent.id == id) else {
        return Err(format!("nobody asked {id}, so its time can't be told"));
    };
    let took = message.at.saturating_duration_since(sent.at);
    if took <= limit { Ok(()) } else { Err(format!("the reply to {id} took {took:.0?}, more than {limit:?}")) }
}

fn check_same_tools(session: &Session, ids: &[Id]) -> Result<(), String> {
    let mut first: Option<(&Id, String)> = None;
    for id in ids {
        let tools =
            session.reply(id)?.raw_result_member("tools").ok_or_else(|| format!("the reply to {id} has no `tools`"))?;
        match &first {
            None => first = Some((id, tools)),
            Some((_, same)) if *same == tools => {}
            Some((other, _)) => return Err(format!("the tools of {other} and {id} differ")),
        }
    }
    Ok(())
}

/// The beginning of a text, for a message.
fn cut(text: &str) -> String {
    let short: String = text.chars().take(240).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;
    use crate::{Exit, Run, Sent};

    /// A conversation of requests and answers, a millisecond apart.
    pub(crate) fn session(requests: &[Value], answers: &[Value]) -> Session {
        let start = Instant::now();
        let sent = requests.iter().map(|request| Sent {
            id: Id::read(&request["id"]).expect("an id"),
            at: start,
            request: request.clone(),
        });
        let messages = answers.iter().enumerate().map(|(index, answer)| {
            let mut answer = answer.clone();
            answer["jsonrpc"] = json!("2.0");
            let at = start + Duration::from_millis(index as u64 + 1);
            Message::read(at, format!("{answer}\n").as_bytes()).expect("well formed")
        });
        let exit = Exit { code: Some(0), after: Duration::ZERO, busy: None };
        Session {
            runs: vec![Run {
                sent: sent.collect(),
                messages: messages.collect(),
                faults: Vec::new(),
                exit,
                peak_kib: Some(10 << 10),
                stderr: String::new(),
            }],
        }
    }

    pub(crate) fn judge(assert: Value, session: &Session) -> Result<(), String> {
        Expectation::read(assert).and_then(|expectation| expectation.check(session))
    }

    fn two() -> Session {
        let answer = |id: i64| json!({"id": id, "result": {"tools": [{"a": 1}]}});
        session(&[json!({"id": 1}), json!({"id": 2})], &[answer(1), answer(2)])
    }

    #[test]
    fn what_is_met_passes() {
        for assert in [
            json!({"total_messages": 2}),
            json!({"reply_count": 2}),
            json!({"exit_code": 0}),
            json!({"max_rss_mb": 10}),
            json!({"within_ms": 2}),
            json!({"silent": [3]}),
            json!({"same_tools": [1, 2]}),
        ] {
            judge(assert.clone(), &two()).unwrap_or_else(|error| panic!("{assert}: {error}"));
        }
    }

    #[test]
    fn what_is_not_met_fails() {
        for assert in [
            json!({"total_messages": 3}),
            json!({"reply_count": 1}),
            json!({"exit_code": 1}),
            json!({"max_rss_mb": 9}),
            json!({"within_ms": 1}),
            json!({"silent": [2]}),
            json!({"same_tools": [1, 3]}),
        ] {
            assert!(judge(assert.clone(), &two()).is_err(), "{assert}");
        }
        let answers = [
            json!({"id": 1, "result": {"tools": [{"a": 1, "b": 2}]}}),
            json!({"id": 2, "result": {"tools": [{"a": 1, "b": 3}]}}),
        ];
        assert!(judge(json!({"same_tools": [1, 2]}), &session(&[], &answers)).is_err());
    }

    #[test]
    fn what_is_unknown_fails() {
        for assert in [
            json!({}),
            json!(null),
            json!({"replies": 1}),
            json!({"reply": [{"id": 1, "txet": "x"}]}),
            json!({"reply": [{"id": 1.5}]}),
            json!({"reply": [{"id": 1}]}),
            json!({"reply": [{"id": 1, "agrees_with": "the weather"}]}),
            json!({"reply": [{"id": 1, "conforms_to": "the law"}]}),
            json!({"reply": [{"id": 1, "any_of": ["luck"]}]}),
            json!({"reply": [{"id": 1, "any_of": []}]}),
            json!({"silent": [null]}),
            json!({"progress_rules": false}),
        ] {
            assert!(Expectation::read(assert.clone()).is_err(), "{assert}");
        }
    }
}
