//! Why a tool says no: what the model reads, with what to do about it, and a code for programs.

use haft::store::{StoreError, StoreErrorKind};
use haft::{IntoToolError, ToolError};
use jiff::Timestamp;

use crate::number::PhoneNumber;

/// Why a call isn't placed.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Nobody has such a number, or only such as aren't called.
    Unsupported(PhoneNumber),
    /// Outside the hours in which people may be called.
    OutsideWindow { to: PhoneNumber, here: String, next: Option<Timestamp> },
    /// The account has placed too many calls.
    RateLimited { until: Timestamp, seconds: u64 },
    /// Whoever has this number doesn't want to be called.
    OptedOut(PhoneNumber),
    /// The provider didn't take the call.
    Provider { call_id: String },
    /// A call was placed under this key already, another one.
    OtherArguments { call_id: String },
    /// Nobody knows who calls.
    Anonymous,
    /// The store failed.
    Store(StoreError),
}

impl Refusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unsupported(_) => "unsupported_number",
            Self::OutsideWindow { .. } => "outside_calling_window",
            Self::RateLimited { .. } => "rate_limited",
            Self::OptedOut(_) => "opted_out",
            Self::Provider { .. } => "provider_unavailable",
            Self::OtherArguments { .. } => "idempotency_conflict",
            Self::Anonymous => "unauthenticated",
            Self::Store(_) => "store_unavailable",
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Unsupported(to) => format!(
                "{to} can't be called: this server knows no place where such a number rings. Ask the user to check the \
                 country and area code; premium and satellite numbers are never called."
            ),
            Self::OutsideWindow { to, here, next } => {
                let next = next.map_or_else(String::new, |next| format!(" The next chance is at {next}."));
                format!(
                    "{to} was not called: {here}, and people are called between 08:00 and 21:00 of their own time \
                     only.{next} Tell the user, and place the call then if they still want it."
                )
            }
            Self::RateLimited { until, seconds } => format!(
                "This account has placed as many calls as it may for now. The next one can be placed at {until}, in \
                 {seconds} s. Don't try before that."
            ),
            Self::OptedOut(to) => format!(
                "{to} was not called: whoever has this number asked not to be called. Don't try again, and tell the \
                 user to get in touch another way."
            ),
            Self::Provider { call_id } => format!(
                "The telephone network didn't take the call: nobody was called, and {call_id} is over. Try again in a \
                 minute; if that fails too, tell the user."
            ),
            Self::OtherArguments { call_id } => format!(
                "Nobody was called: this idempotency_key was used for {call_id}, with other arguments. Use another key \
                 for another call."
            ),
            Self::Anonymous => "Calls belong to an account: sign in with the server's access token.".to_owned(),
            Self::Store(_) => {
                "The server can't reach its records at the moment. Try again in a few seconds.".to_owned()
            }
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl IntoToolError for Refusal {
    fn into_tool_error(self) -> ToolError {
        let (text, code) = (self.text(), self.code());
        match self {
            // Only what passes is for the model; the rest is for whoever runs this server.
            Self::Store(error) if error.kind() != StoreErrorKind::Unavailable => ToolError::internal(error),
            Self::Store(error) => {
                tracing::warn!(%error, "the store is unavailable");
                ToolError::new(text).code(code)
            }
            _ => ToolError::new(text).code(code),
        }
    }
}
