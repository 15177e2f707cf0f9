use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use haft_wire::{
    ClientCapabilities, ElicitAction, ElicitResult, ElicitationCapability, ErrorObject, JsonObject, ListRootsResult,
    Root, SamplingCapability, method, strict,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::members::Members;

/// A question to the user, as a server asks it.
///
/// spec: `client/elicitation`
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Elicitation {
    /// What the server says to the user. Foreign text: show it as such.
    pub message: String,
    /// The form to fill in, as a JSON Schema of one flat object. Without, the user is to open `url`.
    pub form: Option<JsonObject>,
    /// Where the user is to go. Show it whole, and open it only if they agree.
    pub url: Option<String>,
    fields: Vec<(String, Value)>,
}

impl Elicitation {
    /// A question with a form.
    pub fn form(message: impl Into<String>, form: JsonObject) -> Self {
        let properties = form.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields = properties.map(|(name, field)| (name.clone(), field.clone())).collect();
        Self { message: message.into(), form: Some(form), url: None, fields }
    }

    /// The form's fields with their schemas, in the order in which the server would have them shown.
    pub fn fields(&self) -> &[(String, Value)] {
        &self.fields
    }

    /// The form as it is before anybody fills it in: what each field's `default` says.
    pub fn defaults(&self) -> JsonObject {
        self.fields.iter().filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone()))).collect()
    }
}

/// What a user did with an [`Elicitation`].
#[derive(Debug, Clone, PartialEq)]
pub enum Elicited {
    /// Filled the form in, or agreed to open the URL (then with nothing in it).
    Accept(JsonObject),
    /// Said no.
    Decline,
    /// Closed it.
    Cancel,
}

/// What a server asks of the client's model.
///
/// spec: `client/sampling#creating-messages`
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SamplingRequest {
    /// The parameters as they came: `messages`, `maxTokens`, `systemPrompt` and so on.
    pub params: JsonObject,
}

/// What the client's model said.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// The answer.
    pub text: String,
    /// The model's name.
    pub model: String,
}

type Handler<A, R> = Arc<dyn Fn(A) -> BoxFuture<'static, Result<R, String>> + Send + Sync>;

/// Who answers what a server asks in mid-call.
#[derive(Clone, Default)]
pub(super) struct Handlers {
    elicit: Option<Handler<Elicitation, Elicited>>,
    urls: bool,
    sample: Option<Handler<SamplingRequest, Sampled>>,
    roots: Option<Arc<Vec<Root>>>,
    /// The extensions of the protocol that something of the client takes part in.
    extensions: &'static [&'static str],
    /// How many questions somebody is answering.
    asking: watch::Sender<usize>,
}

impl Handlers {
    pub(super) fn elicit<F, Fut>(&mut self, handler: F, urls: bool)
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Elicited> + Send + 'static,
    {
        self.elicit = Some(Arc::new(move |asked| handler(asked).map(Ok).boxed()));
        self.urls = urls;
    }

    pub(super) fn sample<F, Fut>(&mut self, handler: F)
    where
        F: Fn(SamplingRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Sampled, String>> + Send + 'static,
    {
        self.sample = Some(Arc::new(move |asked| handler(asked).boxed()));
    }

    pub(super) fn roots(&mut self, roots: Vec<Root>) {
        self.roots = Some(Arc::new(roots));
    }

    #[cfg(feature = "http-client")]
    pub(super) fn extensions(&mut self, names: &'static [&'static str]) {
        self.extensions = names;
    }

    /// What there is a handler for, and nothing else.
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        let elicitation = self
            .elicit
            .as_ref()
            .map(|_| ElicitationCapability { form: Some(Map::new()), url: self.urls.then(Map::new) });
        let sampling = self.sample.as_ref().map(|_| SamplingCapability::default());
        let roots = self.roots.as_ref().map(|_| Map::new());
        let extensions: JsonObject = self.extensions.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        let extensions = Some(extensions).filter(|extensions| !extensions.is_empty());
        ClientCapabilities { elicitation, sampling, roots, extensions, ..ClientCapabilities::default() }
    }

    /// The answer to one question. `None` where nobody answers such questions.
    pub(super) async fn answer(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Option<Result<Box<RawValue>, ErrorObject>> {
        self.asking.send_modify(|asking| *asking += 1);
        let _asking = Asking(&self.asking);
        let answer = match method {
            method::ELICITATION_CREATE => self.elicited(params, self.elicit.as_ref()?).await,
            method::SAMPLING_CREATE_MESSAGE => self.sampled(params, self.sample.as_ref()?).await,
            method::ROOTS_LIST => written(&ListRootsResult { roots: self.roots.as_ref()?.to_vec() }),
            _ => return None,
        };
        Some(answer)
    }

    /// Whether somebody is being asked just now.
    pub(super) fn are_asking(&self) -> bool {
        *self.asking.borrow() > 0
    }

    /// Waits until nobody is.
    pub(super) async fn answered(&self) {
        // An error says that there are no handlers any more.
        drop(self.asking.subscribe().wait_for(|asking| *asking == 0).await);
    }

    async fn elicited(
        &self,
        params: Option<&RawValue>,
        handler: &Handler<Elicitation, Elicited>,
    ) -> Result<Box<RawValue>, ErrorObject> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            #[serde(default)]
            message: String,
            #[serde(default)]
            requested_schema: Option<Box<RawValue>>,
            #[serde(default)]
            url: Option<String>,
        }
        let Params { message, requested_schema, url } = read(params)?;
        let form: Option<JsonObject> = requested_schema.as_deref().map(|form| read(Some(form))).transpose()?;
        let fields = requested_schema.as_deref().map(fields_of).unwrap_or_default();
        if form.is_none() && (url.is_none() || !self.urls) {
            return Err(ErrorObject::invalid_params("This client shows forms, and this is none."));
        }
        let url = url.filter(|_| form.is_none());
        let elicited = handler(Elicitation { message, form, url, fields }).await.map_err(ErrorObject::internal)?;
        written(&match elicited {
            Elicited::Accept(content) => ElicitResult {
                action: ElicitAction::Accept,
                content: Some(content).filter(|content| !content.is_empty()),
            },
            Elicited::Decline => ElicitResult { action: ElicitAction::Decline, content: None },
            Elicited::Cancel => ElicitResult { action: ElicitAction::Cancel, content: None },
        })
    }

    async fn sampled(
        &self,
        params: Option<&RawValue>,
        handler: &Handler<SamplingRequest, Sampled>,
    ) -> Result<Box<RawValue>, ErrorObject> {
        let params = read(params)?;
        // spec: client/sampling#error-handling (a user who refuses is -1)
        let Sampled { text, model } =
            handler(SamplingRequest { params }).await.map_err(|refusal| ErrorObject::new(-1, refusal))?;
        let answer = serde_json::json!({
            "role": "assistant",
            "content": {"type": "text", "text": text},
            "model": model,
            "stopReason": "endTurn",
        });
        written(&answer)
    }
}

/// The fields of a form in their own order, which a map may not keep.
fn fields_of(form: &RawValue) -> Vec<(String, Value)> {
    let Some(form) = Members::read(form) else { return Vec::new() };
    let Some(properties) = form.get("properties").and_then(Members::read) else { return Vec::new() };
    let field = |(name, text): (&str, &RawValue)| Some((name.to_owned(), serde_json::from_str(text.get()).ok()?));
    properties.iter().filter_map(field).collect()
}

/// One question, until it is answered or given up.
struct Asking<'a>(&'a watch::Sender<usize>);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|asking| *asking -= 1);
    }
}

fn read<T: for<'de> Deserialize<'de>>(params: Option<&RawValue>) -> Result<T, ErrorObject> {
    serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| ErrorObject::invalid_params(error.to_string()))
}

fn written(answer: &impl serde::Serialize) -> Result<Box<RawValue>, ErrorObject> {
    let text = strict::to_string(answer).map_err(|error| ErrorObject::internal(error.to_string()))?;
    RawValue::from_string(text).map_err(|error| ErrorObject::internal(error.to_string()))
}
