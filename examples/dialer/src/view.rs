//! What a client reads of a call: data for programs, a text for models, and a link to listen.

use haft::prelude::*;
use haft::{Handle, HandlePage};

use crate::call::{Call, Line, Outcome, Speaker, Status};

/// How a call went, or that it isn't over.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Resolution {
    /// What to branch on: pending until the call is over
    outcome: Outcome,
    /// The same in a sentence, with what to do next
    summary: String,
}

/// One call.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallView {
    call_id: String,
    to: String,
    objective: String,
    status: Status,
    resolution: Resolution,
    /// When it was placed, in RFC 3339, as all times here are
    placed_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    /// For how long there was somebody on the line, once the call is over
    #[serde(skip_serializing_if = "Option::is_none")]
    talk_seconds: Option<u64>,
    /// Where the user can listen to the call while it lasts
    listen_url: String,
    /// What was said so far
    transcript: Vec<Line>,
}

/// One call in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallSummary {
    call_id: String,
    to: String,
    objective: String,
    status: Status,
    resolution: Resolution,
    placed_at: String,
}

/// Some of the user's calls.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallList {
    /// Newest first
    calls: Vec<CallSummary>,
    /// For the next page, if there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Resolution {
    fn of(call: &Call) -> Self {
        Self { outcome: call.outcome, summary: call.outcome.summary().to_owned() }
    }
}

impl CallView {
    fn of(handle: Handle<Call>) -> Self {
        let (listen_url, call) = (listen_url(&handle.id), handle.value);
        Self {
            call_id: handle.id,
            to: call.to.to_string(),
            status: call.status,
            resolution: Resolution::of(&call),
            placed_at: call.placed_at.to_string(),
            answered_at: call.answered_at.map(|time| time.to_string()),
            ended_at: call.ended_at.map(|time| time.to_string()),
            talk_seconds: call.talk_seconds(),
            objective: call.objective,
            listen_url,
            transcript: call.transcript,
        }
    }
}

/// The result of a tool that is about one call. `first` is what the model reads first.
pub(crate) fn reply(first: &str, handle: Handle<Call>) -> Reply<CallView> {
    let text = text(first, &handle);
    let over = handle.value.is_over();
    let link = Content::resource_link(listen_url(&handle.id), "listen");
    let reply = Reply::new(CallView::of(handle)).text(text);
    if over { reply } else { reply.content(link) }
}

/// Where a provider would let the user listen; the simulated one has nothing to hear.
fn listen_url(call_id: &str) -> String {
    format!("https://listen.dialer.example/{call_id}")
}

fn text(first: &str, Handle { id, value: call, .. }: &Handle<Call>) -> String {
    let mut text = format!("{first}\n{id} to {} is {}", call.to, call.state());
    if call.is_over() {
        text.push_str(&format!(": {}", call.outcome.summary()));
    } else {
        text.push_str(&format!(".\nThe user can listen at {}.", listen_url(id)));
    }
    if !call.transcript.is_empty() {
        text.push_str("\nWhat was said:");
    }
    for Line { speaker, text: said } in &call.transcript {
        let speaker = match speaker {
            Speaker::Assistant => "Assistant",
            Speaker::Callee => "Callee",
        };
        text.push_str(&format!("\n- {speaker}: {said}"));
    }
    text
}

/// The result of `list_calls`.
pub(crate) fn list(page: HandlePage<Call>) -> Reply<CallList> {
    let mut text = match page.handles.len() {
        0 => "There are no calls here.".to_owned(),
        1 => "1 call:".to_owned(),
        count => format!("{count} calls, newest first:"),
    };
    let mut calls = Vec::with_capacity(page.handles.len());
    for Handle { id, value: call, .. } in page.handles {
        let ended = if call.is_over() { call.outcome.summary() } else { "" };
        text.push_str(&format!("\n- {id}, {}, to {}: {}. {ended}", call.placed_at, call.to, call.state()));
        calls.push(CallSummary {
            call_id: id,
            to: call.to.to_string(),
            status: call.status,
            resolution: Resolution::of(&call),
            placed_at: call.placed_at.to_string(),
            objective: call.objective,
        });
    }
    if let Some(cursor) = &page.next {
        text.push_str(&format!("\nThere are more: call list_calls with cursor {cursor:?}."));
    }
    Reply::new(CallList { calls, next_cursor: page.next }).text(text)
}
