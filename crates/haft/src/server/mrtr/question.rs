use haft_wire::{
    ClientCapabilities, ContentBlock, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitResult,
    ElicitationCapability, ListRootsResult, Role, Root, SamplingMessage, method, strict,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::value::RawValue;

use super::ask::{AskError, AskErrorKind};
use crate::form::{Form, Unfit};

/// One input request: what goes out, and what the client must be able to do for it.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) key: String,
    /// `{"method":…,"params":…}`
    pub(crate) request: Box<RawValue>,
    pub(crate) needs: Needs,
}

/// The capability that a question needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Form,
    Url,
    Sampling,
    Roots,
}

/// What became of one answer.
pub(crate) enum Reading<T> {
    Answered(T),
    Declined,
    Cancelled,
    /// It is an answer, and doesn't fit the question: it is asked again.
    Unfit(String),
    /// It is no answer at all: the request is refused.
    Malformed,
}

/// How an answer is read.
pub(crate) type Read<T> = fn(key: &str, answer: &RawValue) -> Reading<T>;

#[derive(Serialize)]
struct InputRequest<P> {
    method: &'static str,
    params: P,
}

impl Question {
    fn new(key: String, needs: Needs, method: &'static str, params: impl Serialize) -> Result<Self, AskError> {
        let text = strict::to_string(&InputRequest { method, params });
        let request = text.map_err(|error| error.to_string());
        match request.and_then(|text| RawValue::from_string(text).map_err(|error| error.to_string())) {
            Ok(request) => Ok(Self { key, request, needs }),
            Err(error) => Err(AskError::new(key, AskErrorKind::Misused, format!("the question is not JSON: {error}"))),
        }
    }

    /// spec: `client/elicitation#form-mode-elicitation-requests`
    pub(crate) fn form<T: Form>(key: String, message: String) -> Result<Self, AskError> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            mode: &'static str,
            message: String,
            requested_schema: Box<RawValue>,
        }
        match RawValue::from_string(T::form(&key).text()) {
            Ok(requested_schema) => {
                let params = Params { mode: "form", message, requested_schema };
                Self::new(key, Needs::Form, method::ELICITATION_CREATE, params)
            }
            Err(error) => Err(AskError::new(key, AskErrorKind::Misused, format!("the form is not JSON: {error}"))),
        }
    }

    /// spec: `client/elicitation#url-mode-elicitation-requests`
    pub(crate) fn url(key: String, message: String, url: String) -> Result<Self, AskError> {
        #[derive(Serialize)]
        struct Params {
            mode: &'static str,
            message: String,
            url: String,
        }
        let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !matches!(scheme.as_deref(), Some("https" | "http"))
            || url.chars().any(|c| c.is_whitespace() || c.is_control())
        {
            let what = format!("{url:?} is not an `https:` URL");
            return Err(AskError::new(key, AskErrorKind::Misused, what));
        }
        Self::new(key, Needs::Url, method::ELICITATION_CREATE, Params { mode: "url", message, url })
    }

    /// spec: `client/sampling#creating-messages`
    pub(crate) fn sampling(key: String, message: CreateMessage) -> Result<Self, AskError> {
        let fits = |message: &SamplingMessage| {
            matches!(message.content, ContentBlock::Text(_) | ContentBlock::Image(_) | ContentBlock::Audio(_))
        };
        if !message.params.messages.iter().all(fits) {
            let what = "a message to the client's model is text, an image or a recording";
            return Err(AskError::new(key, AskErrorKind::Misused, what));
        }
        Self::new(key, Needs::Sampling, method::SAMPLING_CREATE_MESSAGE, message.params)
    }

    /// spec: `client/roots#listing-roots`
    pub(crate) fn roots(key: String) -> Result<Self, AskError> {
        Self::new(key, Needs::Roots, method::ROOTS_LIST, Map::new())
    }
}

impl Needs {
    /// spec: `client/elicitation#capabilities`
    pub(crate) fn met_by(self, client: &ClientCapabilities) -> bool {
        match self {
            Self::Form => client.elicits_forms(),
            Self::Url => client.elicits_urls(),
            Self::Sampling => client.sampling.is_some(),
            Self::Roots => client.roots.is_some(),
        }
    }

    /// What a client has to declare.
    pub(crate) fn as_capabilities(self) -> ClientCapabilities {
        let mut needed = ClientCapabilities::default();
        match self {
            Self::Form => {
                needed.elicitation = Some(ElicitationCapability { form: Some(Map::new()), url: None });
            }
            Self::Url => {
                needed.elicitation = Some(ElicitationCapability { form: None, url: Some(Map::new()) });
            }
            Self::Sampling => needed.sampling = Some(Default::default()),
            Self::Roots => needed.roots = Some(Map::new()),
        }
        needed
    }

    /// What it is called in a sentence.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Form => "elicitation (form mode)",
            Self::Url => "elicitation (URL mode)",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }
}

/// spec: `client/elicitation#response-actions`
pub(crate) fn read_form<T: Form>(key: &str, answer: &RawValue) -> Reading<T> {
    let Some(ElicitResult { action, content }) = parse(answer) else { return Reading::Malformed };
    match action {
        ElicitAction::Decline => Reading::Declined,
        ElicitAction::Cancel => Reading::Cancelled,
        ElicitAction::Accept => match T::form(key).check(content.unwrap_or_default()) {
            Err(Unfit(places)) => Reading::Unfit(format!("it does not fit at {}", places.join(", "))),
            Ok(answers) => {
                T::read(key, &answers).map_or_else(|| Reading::Unfit("it makes no value".to_owned()), Reading::Answered)
            }
        },
    }
}

pub(crate) fn read_url(_: &str, answer: &RawValue) -> Reading<()> {
    match parse(answer) {
        None => Reading::Malformed,
        Some(ElicitResult { action: ElicitAction::Accept, .. }) => Reading::Answered(()),
        Some(ElicitResult { action: ElicitAction::Decline, .. }) => Reading::Declined,
        Some(ElicitResult { action: ElicitAction::Cancel, .. }) => Reading::Cancelled,
    }
}

pub(crate) fn read_message(_: &str, answer: &RawValue) -> Reading<CreateMessageResult> {
    parse(answer).map_or(Reading::Malformed, Reading::Answered)
}

pub(crate) fn read_roots(_: &str, answer: &RawValue) -> Reading<Vec<Root>> {
    parse(answer).map_or(Reading::Malformed, |ListRootsResult { roots }| Reading::Answered(roots))
}

fn parse<T: DeserializeOwned>(answer: &RawValue) -> Option<T> {
    // serde would take a struct from an array, too.
    answer.get().starts_with('{').then(|| serde_json::from_str(answer.get()).ok()).flatten()
}

/// A request to the client's model, for [`Context::sample`](crate::Context::sample).
///
/// ```
/// let message = haft::CreateMessage::new(100).system("You are brief.").user("What is the capital of France?");
/// # let _ = message;
/// ```
#[derive(Debug, Clone)]
pub struct CreateMessage {
    params: CreateMessageParams,
}

impl CreateMessage {
    /// A request without messages yet; the answer has at most `max_tokens` tokens.
    pub fn new(max_tokens: u32) -> Self {
        let params = CreateMessageParams {
            messages: Vec::new(),
            model_preferences: None,
            system_prompt: None,
            temperature: None,
            max_tokens,
            stop_sequences: Vec::new(),
        };
        Self { params }
    }

    /// Adds what the user says.
    #[must_use]
    pub fn user(self, text: impl Into<String>) -> Self {
        self.message(Role::User, ContentBlock::text(text))
    }

    /// Adds what the assistant says.
    #[must_use]
    pub fn assistant(self, text: impl Into<String>) -> Self {
        self.message(Role::Assistant, ContentBlock::text(text))
    }

    /// Adds text, an image or a recording.
    #[must_use]
    pub fn message(mut self, role: Role, content: ContentBlock) -> Self {
        self.params.messages.push(SamplingMessage { role, content });
        self
    }

    /// The system prompt. The client may leave it out.
    #[must_use]
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.params.system_prompt = Some(prompt.into());
        self
    }

    /// The temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.params.temperature = Some(temperature);
        self
    }

    /// Adds a text at which the answer ends.
    #[must_use]
    pub fn stop_sequence(mut self, text: impl Into<String>) -> Self {
        self.params.stop_sequences.push(text.into());
        self
    }

    /// Which model suits. The client decides.
    #[must_use]
    pub fn prefer(mut self, preferences: haft_wire::ModelPreferences) -> Self {
        self.params.model_preferences = Some(preferences);
        self
    }
}
