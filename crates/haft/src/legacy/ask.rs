use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::BoxFuture;
use haft_wire::{CancelledParams, RequestId, encode, method};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Version;
use super::session::{LetGo, Session, Way};
use crate::members::Members;
use crate::server::{Given, Outbound, Peer, Question};

/// The client of a session, while one of its requests runs.
pub(super) struct Asker {
    session: Arc<Session>,
    outbound: Outbound,
    let_go: Option<LetGo>,
}

impl Asker {
    pub(super) fn new(session: Arc<Session>, way: &Way) -> Self {
        Self { session, outbound: way.outbound.clone(), let_go: way.let_go.clone() }
    }
}

impl Peer for Asker {
    /// spec: 2025-11-25 `client/elicitation#creating-elicitation-requests`, `client/sampling#creating-messages`
    fn ask(&self, question: Question) -> BoxFuture<'static, Given> {
        let (session, outbound) = (Arc::clone(&self.session), self.outbound.clone());
        Box::pin(async move {
            let patience = session.server.patience();
            ask(&session, &outbound, &question, patience).await.map_or_else(Given::Failed, Given::Answer)
        })
    }

    fn let_go(&self) {
        if let Some(let_go) = &self.let_go {
            let_go();
        }
    }
}

async fn ask(
    session: &Session,
    outbound: &Outbound,
    question: &Question,
    patience: Duration,
) -> Result<Box<RawValue>, String> {
    #[derive(Deserialize)]
    struct InputRequest<'a> {
        method: Cow<'a, str>,
        #[serde(borrow)]
        params: &'a RawValue,
    }
    let broken = |error: serde_json::Error| format!("it can't be asked: {error}");
    let gone = || "the client is gone".to_owned();
    let InputRequest { method, params } = serde_json::from_str(question.request.get()).map_err(broken)?;
    let params = worded(&method, params, session.version())?;
    let (id, answer) = session.expect_answer().ok_or_else(gone)?;
    let mut expected = Expected { session, outbound, id, sent: false, late: false };
    let frame = encode::request(&expected.id, &method, Some(&params)).map_err(|error| error.to_string())?;
    outbound.send(frame).await.map_err(|_| gone())?;
    expected.sent = true;
    let response = match tokio::time::timeout(patience, answer).await {
        Ok(response) => response.map_err(|_| gone())?,
        Err(_) => {
            expected.late = true;
            return Err(format!("nobody answered within {patience:?}"));
        }
    };
    response.outcome.map_err(|error| {
        let said: String = error.message.chars().take(200).collect();
        format!("the client answered with error {}: {said}", error.code)
    })
}

/// A request of the server's own, until it is answered or given up: then the client is told, so that nobody goes on with
/// a question whose answer nobody waits for.
///
/// spec: 2025-11-25 `basic/lifecycle#timeouts`, `basic/utilities/cancellation`
struct Expected<'a> {
    session: &'a Session,
    outbound: &'a Outbound,
    id: RequestId,
    sent: bool,
    late: bool,
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        if !self.session.forget(&self.id) || !self.sent {
            return;
        }
        let reason = if self.late { "nobody answered in time" } else { "the request that asked is over" };
        let params = CancelledParams { request_id: self.id.clone(), reason: Some(reason.to_owned()), meta: None };
        self.outbound.notify(method::NOTIFICATION_CANCELLED, &params);
    }
}

/// The question's parameters in the words of a revision; the reason why it has none.
fn worded(method: &str, params: &RawValue, version: Version) -> Result<Box<RawValue>, String> {
    match method {
        method::ELICITATION_CREATE if version < Version::V2025_11_25 => form_only(params),
        method::ELICITATION_CREATE => identified(params),
        method::SAMPLING_CREATE_MESSAGE if version < Version::V2025_03_26 => without_recordings(params),
        _ => Ok(params.to_owned()),
    }
}

/// A page that the user is sent to has an id of its own.
///
/// spec: 2025-11-25 `client/elicitation#url-mode-elicitation-requests`
fn identified(params: &RawValue) -> Result<Box<RawValue>, String> {
    let mut members = Members::read(params).ok_or("it has no parameters")?;
    if members.text("mode").as_deref() != Some("url") {
        return Ok(params.to_owned());
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("there is no randomness for its id: {error}"))?;
    let id = to_raw_value(&URL_SAFE_NO_PAD.encode(bytes)).map_err(|error| error.to_string())?;
    members.set("elicitationId", id);
    members.written().ok_or_else(|| "it can't be written".to_owned())
}

/// spec: 2024-11-05 `client/sampling#data-types`
fn without_recordings(params: &RawValue) -> Result<Box<RawValue>, String> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        messages: Vec<Message<'a>>,
    }
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        content: &'a RawValue,
    }
    let read: Params<'_> = serde_json::from_str(params.get()).map_err(|error| error.to_string())?;
    let recorded = |message: &Message<'_>| {
        Members::read(message.content).and_then(|content| content.text("type")).is_some_and(|kind| kind == "audio")
    };
    if read.messages.iter().any(recorded) {
        return Err("this client's revision of the protocol has no recordings".to_owned());
    }
    Ok(params.to_owned())
}

fn form_only(params: &RawValue) -> Result<Box<RawValue>, String> {
    let mut members = Members::read(params).ok_or("it has no parameters")?;
    members.remove(&["mode"]);
    let form = members.get("requestedSchema").ok_or("this client's revision of the protocol has only forms")?;
    let form = plain_form(form)?;
    members.set("requestedSchema", form);
    members.written().ok_or_else(|| "it can't be written".to_owned())
}

/// A form as 2025-06-18 has them: titles of choices in `enumNames`, no choice of several, defaults of booleans only.
///
/// spec: 2025-06-18 `client/elicitation#requested-schema`
fn plain_form(form: &RawValue) -> Result<Box<RawValue>, String> {
    let unreadable = || "its form can't be read".to_owned();
    let mut members = Members::read(form).ok_or_else(unreadable)?;
    let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
    let properties = members.get("properties").and_then(Members::read).ok_or_else(unreadable)?;
    for (name, field) in properties.iter() {
        let mut field: Map<String, Value> = serde_json::from_str(field.get()).map_err(|_| unreadable())?;
        if field.get("type").and_then(Value::as_str) == Some("array") {
            return Err(format!("this client's revision of the protocol can't ask for several choices ({name})"));
        }
        if let Some(Value::Array(options)) = field.remove("oneOf") {
            let part =
                |part: &str| options.iter().map(|option| option.get(part).cloned().unwrap_or_default()).collect();
            field.insert("enum".to_owned(), Value::Array(part("const")));
            field.insert("enumNames".to_owned(), Value::Array(part("title")));
        }
        if field.get("type").and_then(Value::as_str) != Some("boolean") {
            field.remove("default");
        }
        let field = RawValue::from_string(haft_schema::schema_text(&Value::Object(field))).map_err(|_| unreadable())?;
        fields.push((name.to_owned(), field));
    }
    let properties = Members::of(fields.iter().map(|(name, field)| (name.as_str(), &**field)));
    let properties = to_raw_value(&properties).map_err(|_| unreadable())?;
    members.set("properties", properties);
    members.written().ok_or_else(unreadable)
}
