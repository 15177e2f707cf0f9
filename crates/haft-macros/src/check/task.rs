//! Tasks: what only a function that waits can do.

use crate::errors::Errors;
use crate::model::{Parameter, Tool};
use crate::parse::TaskAttr;

pub(crate) fn check(tool: &Tool, errors: &Errors) {
    let Some(TaskAttr { later, resumable, ttl, poll, .. }) = &tool.attr.task else { return };
    for time in [ttl, poll].into_iter().flatten().filter(|time| time.milliseconds == 0) {
        errors.on(&time.literal, "no task does with no time: write a longer one, or leave it out");
    }
    let waits = tool.function.sig.asyncness.is_some();
    if let Some(key) = resumable.as_ref().filter(|_| !waits) {
        errors.on(
            key,
            "a plain `fn` can't be stopped, and one that is resumable must be before another process runs it: make it an `async fn`",
        );
    }
    let knows_context = tool.parameters.iter().any(|parameter| matches!(parameter, Parameter::Context(_)));
    if let Some(key) = later.as_ref().filter(|_| !waits || !knows_context) {
        errors.on(
            key,
            "a call becomes a task later by `context.continue_as_task().await`: make this an `async fn` with a parameter of type `Context`",
        );
    }
}
