//! The protocol's own schema, where it is at hand.

use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{Message, Session};

const REVISION: &str = "2026-07-28";

/// Checks messages against the definitions of the specification's JSON Schema.
pub struct Spec {
    error: Validator,
    /// Method of the request and what its result must be.
    results: Vec<(&'static str, Validator)>,
    result: Validator,
    /// Method of the notification and what it must be.
    notifications: Vec<(&'static str, Validator)>,
}

impl Spec {
    /// Reads `schema-2026-07-28.json` in the folder.
    ///
    /// # Errors
    ///
    /// It isn't there, or isn't a schema.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(format!("schema-{REVISION}.json"));
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let schema: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let part = |name: &str| {
            let part = json!({"$ref": format!("#/$defs/{name}"), "$defs": schema["$defs"]});
            jsonschema::validator_for(&part).map_err(|error| format!("{name}: {error}"))
        };
        Ok(Self {
            error: part("JSONRPCErrorResponse")?,
            result: part("JSONRPCResultResponse")?,
            results: vec![
                ("tools/call", part("CallToolResultResponse")?),
                ("tools/list", part("ListToolsResultResponse")?),
                ("server/discover", part("DiscoverResultResponse")?),
            ],
            notifications: vec![
                ("notifications/progress", part("ProgressNotification")?),
                ("notifications/message", part("LoggingMessageNotification")?),
            ],
        })
    }

    /// Checks every message of a conversation. The answer to `initialize` belongs to an older revision and is left out.
    ///
    /// # Errors
    ///
    /// The first message that breaks the schema.
    pub fn check(&self, session: &Session) -> Result<(), String> {
        for run in &session.runs {
            for message in &run.messages {
                let asked = run.sent.iter().find(|sent| sent.id == message.id());
                let method = asked.and_then(|sent| sent.request["method"].as_str());
                if message.is_response() && method == Some("initialize") {
                    continue;
                }
                self.check_message(message, method)?;
            }
        }
        Ok(())
    }

    /// Checks one message; `asked` is the method of the request that it answers.
    ///
    /// # Errors
    ///
    /// The message breaks the schema.
    pub fn check_message(&self, message: &Message, asked: Option<&str>) -> Result<(), String> {
        let named = |table: &'_ [(&str, Validator)], method: Option<&str>| {
            table.iter().position(|(name, _)| Some(*name) == method)
        };
        let validator = if let Some(method) = message.method() {
            let at = named(&self.notifications, Some(method)).ok_or_else(|| format!("a surprising {method}"))?;
            &self.notifications[at].1
        } else if message.result().is_none() {
            &self.error
        } else {
            named(&self.results, asked).map_or(&self.result, |at| &self.results[at].1)
        };
        validator.validate(&message.value).map_err(|error| {
            let text: String = message.text.chars().take(300).collect();
            format!("against the {REVISION} schema: {error} in {text}")
        })
    }
}
