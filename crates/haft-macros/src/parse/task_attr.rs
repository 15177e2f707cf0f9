//! `task` of `#[tool(...)]`, with what stands between its parentheses.

use proc_macro2::Ident;

use super::entry::{self, Entry, Value};
use super::limit_attr::{Time, time};
use crate::errors::Errors;
use crate::suggest;

/// How calls of a tool go on as tasks, as typed.
pub(crate) struct TaskAttr {
    pub(crate) required: bool,
    pub(crate) later: Option<Ident>,
    pub(crate) resumable: Option<Ident>,
    pub(crate) ttl: Option<Time>,
    pub(crate) poll: Option<Time>,
}

const LIKE: &str = r#"task(required, ttl = "2h", poll = "5s")"#;
const KEYS: &[&str] = &["required", "later", "resumable", "ttl", "poll"];

/// `task`, `task = "required"` or `task(...)`
pub(super) fn task(entry: &Entry, errors: &Errors) -> Option<TaskAttr> {
    let mut task = TaskAttr { required: false, later: None, resumable: None, ttl: None, poll: None };
    match &entry.value {
        Value::Absent => {}
        Value::Assigned(_) => {
            let text = entry.string(errors)?;
            if text.value() != "required" {
                errors.on(&text, format!("the one word that `task` takes is \"required\"; for more write `{LIKE}`"));
                return None;
            }
            task.required = true;
        }
        Value::Listed(_) => {
            let entries = entry::entries(entry.list(LIKE, errors)?, "required", errors);
            for one in entry::without_repeats(entries, &[], errors) {
                match one.key.to_string().as_str() {
                    "required" => task.required = one.flag(errors),
                    "later" => task.later = one.flag(errors).then(|| one.key.clone()),
                    "resumable" => task.resumable = one.flag(errors).then(|| one.key.clone()),
                    "ttl" => task.ttl = time(&one, errors),
                    "poll" => task.poll = time(&one, errors),
                    other => errors.on(&one.key, suggest::unknown("`task` key", other, KEYS)),
                }
            }
        }
    }
    Some(task)
}
