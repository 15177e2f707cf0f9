use std::collections::BTreeMap;
use std::time::Duration;

use haft_store::Entry;
use haft_wire::{ErrorObject, Task, TaskStatus, strict};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::time::rfc3339;

/// How records are written. One that is written otherwise isn't read.
const FORMAT: u32 = 1;

/// All there is to know of a task, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    format: u32,
    /// Whose task it is: a principal's identity.
    pub(super) owner: String,
    pub(super) tool: String,
    ttl_ms: u64,
    poll_ms: u64,
    /// What there is to say of how far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// Whether somebody wants it stopped.
    #[serde(default)]
    pub(super) cancel: bool,
    /// How many questions it has put: their keys have these numbers, so that none comes again.
    #[serde(default)]
    asked: u64,
    /// Those that wait for an answer, by those keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) questions: BTreeMap<String, Asked>,
    /// Those that have one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) answers: BTreeMap<String, Answered>,
    /// How to run it again, where that may be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) again: Option<Again>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<End>,
}

/// A question, with the author's own key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) key: String,
    pub(super) request: Box<RawValue>,
}

/// An answer, with the author's own key for its question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Answered {
    pub(super) key: String,
    pub(super) answer: Box<RawValue>,
}

/// What it takes to run a task again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Again {
    pub(super) arguments: Box<RawValue>,
    /// What was answered before it became a task, by the author's own keys.
    #[serde(default)]
    pub(super) answers: BTreeMap<String, Box<RawValue>>,
    /// How often it was begun anew.
    #[serde(default)]
    pub(super) runs: u32,
}

/// How a task ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    /// With a result.
    Completed(Box<RawValue>),
    Failed(ErrorObject),
    Cancelled,
}

/// A record that can't be read.
pub(super) struct Unreadable(pub(super) String);

impl Record {
    pub(super) fn new(owner: String, tool: String, ttl: Duration, poll: Duration) -> Self {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).max(1);
        Self {
            format: FORMAT,
            owner,
            tool,
            ttl_ms: millis(ttl),
            poll_ms: millis(poll),
            message: None,
            cancel: false,
            asked: 0,
            questions: BTreeMap::new(),
            answers: BTreeMap::new(),
            again: None,
            end: None,
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let record: Self = serde_json::from_slice(bytes).map_err(|error| Unreadable(error.to_string()))?;
        if record.format != FORMAT {
            return Err(Unreadable(format!(
                "it has format {}, and this version of haft reads {FORMAT}",
                record.format
            )));
        }
        Ok(record)
    }

    pub(super) fn written(&self) -> Result<String, Unreadable> {
        strict::to_string(self).map_err(|error| Unreadable(error.to_string()))
    }

    /// Adds a question, and gives the key under which it waits.
    pub(super) fn ask(&mut self, key: &str, request: Box<RawValue>) -> String {
        self.asked += 1;
        // The number is the last part, whatever the author's key is: no two of them are the same.
        let fresh = format!("{key}-{}", self.asked);
        self.questions.insert(fresh.clone(), Asked { key: key.to_owned(), request });
        fresh
    }

    /// Takes an answer, if its question waits for one.
    pub(super) fn answer(&mut self, key: &str, answer: &RawValue) -> bool {
        let Some(Asked { key: of_author, .. }) = self.questions.remove(key) else { return false };
        self.answers.insert(key.to_owned(), Answered { key: of_author, answer: answer.to_owned() });
        true
    }

    /// Ends it, unless it has ended. What only a task that runs needs goes.
    pub(super) fn finish(&mut self, end: End) -> bool {
        if self.end.is_some() {
            return false;
        }
        self.message = match &end {
            End::Completed(_) => None,
            End::Failed(error) => Some(error.message.clone()),
            End::Cancelled => Some("It was stopped, as it was asked to be.".to_owned()),
        };
        self.end = Some(end);
        self.questions.clear();
        self.answers.clear();
        self.again = None;
        true
    }

    pub(super) fn status(&self) -> TaskStatus {
        match &self.end {
            Some(End::Completed(_)) => TaskStatus::Completed,
            Some(End::Failed(_)) => TaskStatus::Failed,
            Some(End::Cancelled) => TaskStatus::Cancelled,
            None if self.questions.is_empty() => TaskStatus::Working,
            None => TaskStatus::InputRequired,
        }
    }

    /// The task as its owner sees it. When it began and last changed, its entry knows.
    pub(super) fn task(&self, id: &str, entry: &Entry) -> Task {
        let questions = self.questions.iter().map(|(key, asked)| (key.clone(), asked.request.clone()));
        let (result, error) = match &self.end {
            Some(End::Completed(result)) => (Some(result.clone()), None),
            Some(End::Failed(error)) => (None, Some(error.clone())),
            Some(End::Cancelled) | None => (None, None),
        };
        Task {
            task_id: id.to_owned(),
            status: self.status(),
            status_message: self.message.clone(),
            created_at: rfc3339(entry.created),
            last_updated_at: rfc3339(entry.changed),
            ttl_ms: Some(self.ttl_ms),
            poll_interval_ms: Some(self.poll_ms),
            input_requests: (self.status() == TaskStatus::InputRequired).then(|| questions.collect()),
            result,
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn record() -> Record {
        Record::new("ada".to_owned(), "render".to_owned(), Duration::from_secs(60), Duration::from_micros(1))
    }

    #[test]
    fn no_key_comes_twice_and_answers_find_their_questions() {
        let mut record = record();
        let (first, second) = (record.ask("size", raw("1")), record.ask("size", raw("2")));
        assert_eq!((first.as_str(), second.as_str()), ("size-1", "size-2"));
        assert!(
            record.answer(&first, &raw("{}")) && !record.answer(&first, &raw("[]")) && !record.answer("x", &raw("{}"))
        );
        assert_eq!(record.status(), TaskStatus::InputRequired);
        assert!(record.answer(&second, &raw("{}")));
        assert_eq!(record.status(), TaskStatus::Working);
        assert_eq!(record.ask("size", raw("3")), "size-3");
    }

    #[test]
    fn what_is_written_is_read_and_another_format_is_not() {
        let mut record = record();
        record.ask("size", raw(r#"{"n":1.50}"#));
        let text = record.written().ok().unwrap();
        let read = Record::read(text.as_bytes()).ok().unwrap();
        assert_eq!(read.written().ok(), Some(text.clone()));
        assert!(record.finish(End::Completed(raw(r#"{"n":1.50}"#))) && !record.finish(End::Cancelled));
        let read = Record::read(record.written().ok().unwrap().as_bytes()).ok().unwrap();
        assert!(matches!(read.end, Some(End::Completed(result)) if result.get() == r#"{"n":1.50}"#));
        assert!(Record::read(text.replace(r#""format":1"#, r#""format":2"#).as_bytes()).is_err());
        assert!(Record::read(b"").is_err());
    }
}
