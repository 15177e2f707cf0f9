use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use haft_wire::{CancelledParams, RequestId, encode, method};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Version;
use super::members::Members;
use super::session::{LetGo, Session};
use crate::server::{Given, Outbound, Peer, Question};

/// The client of a session, while one of its requests runs.
pub(super) struct Asker {
    session: Arc<Session>,
    outbound: Outbound,
    let_go: Option<LetGo>,
}

impl Asker {
    pub(super) fn new(session: Arc<Session>, outbound: Outbound, let_go: Option<LetGo>) -> Self {
        Self { session, outbound, let_go }
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
    let InputRequest { method, params } = serde_json::from_str(question.request.get()).map_err(broken)?;
    let params = worded(&method, params, session.version())?;
    let expected = Expected::new(session);
    let frame = encode::request(&expected.id, &method, Some(&params)).map_err(|error| error.to_string())?;
    outbound.send(frame).await.map_err(|_| "the client is gone".to_owned())?;
    let Expected { id, answer, .. } = &mut { expected };
    let response = match tokio::time::timeout(patience, answer).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => return Err("the client is gone".to_owned()),
        Err(_) => {
            let reason = Some("nobody answered in time".to_owned());
            let params = CancelledParams { request_id: id.clone(), reason, meta: None };
            if let Ok(frame) = encode::notification(method::NOTIFICATION_CANCELLED, Some(&params)) {
                drop(outbound.send(frame).await);
            }
            return Err(format!("nobody answered within {patience:?}"));
        }
    };
    response.outcome.map_err(|error| {
        let said: String = error.message.chars().take(200).collect();
        format!("the client answered with error {}: {said}", error.code)
    })
}

/// A request of the server's own, until it is answered or given up.
struct Expected<'a> {
    session: &'a Session,
    id: RequestId,
    answer: tokio::sync::oneshot::Receiver<haft_wire::Response>,
}

impl<'a> Expected<'a> {
    fn new(session: &'a Session) -> Self {
        let (id, answer) = session.expect_answer();
        Self { session, id, answer }
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.session.forget(&self.id);
    }
}

/// The question's parameters in the words of a revision; the reason why it has none.
fn worded(method: &str, params: &RawValue, version: Version) -> Result<Box<RawValue>, String> {
    if method != method::ELICITATION_CREATE || version >= Version::V2025_11_25 {
        return Ok(params.to_owned());
    }
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
