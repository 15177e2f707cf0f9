//! What came of a call in the shape that each API takes, within a budget.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use haft_wire::{ContentBlock, EmbeddedResource, ResourceContents};
use serde_json::{Value, json};

use super::definitions::Api;
use super::outcome::{CallOutcome, annotations};
use super::shown;
use crate::client::ClientError;

/// Bytes of a picture in Base64 that all APIs take.
const LARGEST_IMAGE: usize = 5 << 20;
/// Pictures of one result.
const MOST_IMAGES: usize = 20;
/// Characters that are kept for the note of what was cut.
const NOTE: usize = 200;
/// The priority of a block that has none.
const PRIORITY: f64 = 0.5;

/// How a result is rendered.
#[derive(Debug, Clone)]
#[must_use]
pub struct ResultOptions {
    budget: usize,
    structured: bool,
}

impl Default for ResultOptions {
    fn default() -> Self {
        Self { budget: 40_000, structured: false }
    }
}

impl ResultOptions {
    /// 40,000 characters of text; the structured half only where there is nothing else for the model.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many characters of text the model gets at most, but at least 1,000. What has the lowest `priority` is cut first,
    /// of the same priority what comes last, and the model is told how much it misses.
    pub fn budget(mut self, characters: usize) -> Self {
        self.budget = characters.max(1_000);
        self
    }

    /// Adds the structured half, as JSON, to what else there is for the model, unless one of its texts is that JSON.
    pub fn structured(mut self, on: bool) -> Self {
        self.structured = on;
        self
    }
}

enum Piece {
    Text { text: String, priority: f64 },
    Image { data: String, mime_type: &'static str },
}

impl Piece {
    fn text(text: impl Into<String>, priority: f64) -> Self {
        Piece::Text { text: text.into(), priority }
    }
}

impl CallOutcome {
    /// The result as `api` takes it, with the id that it gave the call: a content block for Anthropic's API, an input item
    /// for OpenAI's Responses, a message for Chat Completions, a part for Gemini's.
    ///
    /// What is for the user only is not in it. Pictures are where the API takes them, and otherwise are mentioned.
    pub fn render(&self, api: Api, call_id: &str) -> Value {
        self.render_with(api, call_id, &ResultOptions::default())
    }

    /// [`render`](CallOutcome::render), in another way than by default.
    pub fn render_with(&self, api: Api, call_id: &str, options: &ResultOptions) -> Value {
        let pieces = cut(self.pieces(api, options), options.budget);
        match api {
            Api::Anthropic => {
                let content = pieces.into_iter().map(|piece| match piece {
                    Piece::Text { text, .. } => json!({"type": "text", "text": text}),
                    Piece::Image { data, mime_type } => {
                        json!({"type": "image", "source": {"type": "base64", "media_type": mime_type, "data": data}})
                    }
                });
                let content: Vec<Value> = content.collect();
                json!({"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": self.is_error()})
            }
            Api::OpenAiResponses if pieces.iter().all(|piece| matches!(piece, Piece::Text { .. })) => {
                json!({"type": "function_call_output", "call_id": call_id, "output": apart(pieces).0})
            }
            Api::OpenAiResponses => {
                let content = pieces.into_iter().map(|piece| match piece {
                    Piece::Text { text, .. } => json!({"type": "input_text", "text": text}),
                    Piece::Image { data, mime_type } => {
                        json!({"type": "input_image", "image_url": format!("data:{mime_type};base64,{data}")})
                    }
                });
                let content: Vec<Value> = content.collect();
                json!({"type": "function_call_output", "call_id": call_id, "output": content})
            }
            Api::OpenAiChat => {
                let (text, _) = apart(pieces);
                json!({"role": "tool", "tool_call_id": call_id, "content": text})
            }
            Api::Gemini => {
                let (text, images) = apart(pieces);
                let response = if self.is_error() { json!({"error": text}) } else { json!({"output": text}) };
                let mut part = json!({"id": call_id, "name": self.name, "response": response});
                if !images.is_empty() {
                    part["parts"] = Value::Array(images);
                }
                json!({"functionResponse": part})
            }
        }
    }

    fn pieces(&self, api: Api, options: &ResultOptions) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut images = 0;
        for block in self.for_model() {
            let priority = annotations(block).and_then(|annotations| annotations.priority).unwrap_or(PRIORITY);
            if let Some((data, mime_type)) = picture(block, api).filter(|_| images < MOST_IMAGES) {
                images += 1;
                pieces.push(Piece::Image { data: data.to_owned(), mime_type });
            } else {
                pieces.push(Piece::text(said(block), priority));
            }
        }
        if let Some(structured) = &self.structured
            && (pieces.is_empty() || (options.structured && !self.says(structured)))
        {
            pieces.push(Piece::text(structured.to_string(), PRIORITY));
        }
        // An API may refuse a block without words.
        pieces.retain(|piece| !matches!(piece, Piece::Text { text, .. } if text.trim().is_empty()));
        if pieces.is_empty() {
            pieces.push(Piece::text("(no output)", 1.0));
        }
        if self.is_error() && matches!(api, Api::OpenAiResponses | Api::OpenAiChat) {
            // These have no other way to say it.
            pieces.insert(0, Piece::text("The call failed:", 1.0));
        }
        pieces
    }

    /// Whether a text for the model is this value.
    fn says(&self, structured: &Value) -> bool {
        self.for_model().any(|block| match block {
            ContentBlock::Text(text) => serde_json::from_str::<Value>(&text.text).is_ok_and(|said| said == *structured),
            _ => false,
        })
    }

    /// Reads the resources that the result links to, for the model, from the server that it came from: at most `most` of
    /// them, side by side, each within the client's timeout. What was read stands in the place of its link, with the link's
    /// `audience` and `priority`.
    ///
    /// Returns the URIs that could not be read, each with the reason; their links stay.
    pub async fn fetch_links(&mut self, most: usize) -> Vec<(String, ClientError)> {
        let Some(client) = self.client.clone() else { return Vec::new() };
        let links: Vec<String> = self.for_model().filter_map(link).take(most).map(str::to_owned).collect();
        let reading = links.into_iter().map(|uri| {
            let client = &client;
            async move {
                let read = client.read_resource(&uri).await;
                (uri, read)
            }
        });
        let mut failed = Vec::new();
        for (uri, read) in futures_util::future::join_all(reading).await {
            let read = match read {
                Ok(read) => read,
                Err(error) => {
                    failed.push((uri, error));
                    continue;
                }
            };
            let Some(place) = self.content.iter().position(|block| link(block) == Some(uri.as_str())) else { continue };
            let annotations = annotations(&self.content[place]).cloned();
            let embedded = read.contents.into_iter().map(|resource| {
                ContentBlock::Resource(EmbeddedResource { resource, annotations: annotations.clone(), meta: None })
            });
            self.content.splice(place..=place, embedded);
        }
        failed
    }
}

fn link(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::ResourceLink(link) => Some(&link.uri),
        _ => None,
    }
}

/// The picture that a block is, if the API takes it. One that is not what it says would cost the whole request.
fn picture(block: &ContentBlock, api: Api) -> Option<(&str, &'static str)> {
    let data = match block {
        ContentBlock::Image(image) => &image.data,
        ContentBlock::Resource(EmbeddedResource { resource: ResourceContents::Blob(blob), .. }) => &blob.blob,
        _ => return None,
    };
    if api == Api::OpenAiChat || data.len() > LARGEST_IMAGE {
        return None;
    }
    let mime_type = match STANDARD.decode(data).ok()?.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] if api != Api::Gemini => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return None,
    };
    Some((data, mime_type))
}

/// A block in words.
fn said(block: &ContentBlock) -> String {
    let name = |text: &str| shown::line(text, 500);
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[an image ({}) that can't be shown here]", name(&image.mime_type)),
        ContentBlock::Audio(audio) => format!("[a recording ({}) that can't be played here]", name(&audio.mime_type)),
        ContentBlock::ResourceLink(link) => {
            let about = link.description.as_deref().map(|text| format!(": {}", name(text))).unwrap_or_default();
            format!("[link to {} <{}>{about}]", name(link.title.as_deref().unwrap_or(&link.name)), name(&link.uri))
        }
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(text) => format!("[resource <{}>]\n{}", name(&text.uri), text.text),
            ResourceContents::Blob(blob) => {
                let kind = blob.mime_type.as_deref().unwrap_or("no known type");
                format!("[resource <{}> ({}) that can't be shown here]", name(&blob.uri), name(kind))
            }
        },
        ContentBlock::Unknown(block) => {
            format!("[content of a kind that can't be shown here: {}]", name(&block.kind().unwrap_or_default()))
        }
    }
}

/// Cuts texts down to the budget, and says so.
fn cut(mut pieces: Vec<Piece>, budget: usize) -> Vec<Piece> {
    let length = |piece: &Piece| match piece {
        Piece::Text { text, .. } => text.chars().count(),
        Piece::Image { .. } => 0,
    };
    let all: usize = pieces.iter().map(length).sum();
    if all <= budget {
        return pieces;
    }
    let mut excess = all - budget.saturating_sub(NOTE);
    let missing = excess;
    let priority = |piece: &Piece| match piece {
        Piece::Text { priority, .. } => *priority,
        Piece::Image { .. } => f64::INFINITY,
    };
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|a, b| priority(&pieces[*a]).total_cmp(&priority(&pieces[*b])).then(b.cmp(a)));
    for index in order {
        let whole = length(&pieces[index]);
        let Piece::Text { text, .. } = &mut pieces[index] else { continue };
        let gone = whole.min(excess);
        *text = text.chars().take(whole - gone).collect();
        excess -= gone;
    }
    pieces.retain(|piece| !matches!(piece, Piece::Text { text, .. } if text.trim().is_empty()));
    let note = format!(
        "[The host cut {missing} of {all} characters from this result, the least important and the last first. \
         Ask for less at once to see the rest.]"
    );
    pieces.push(Piece::text(note, 1.0));
    pieces
}

/// The texts as one, and the pictures as Gemini's API takes them.
fn apart(pieces: Vec<Piece>) -> (String, Vec<Value>) {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text { text, .. } => texts.push(text),
            Piece::Image { data, mime_type } => {
                images.push(json!({"inlineData": {"mimeType": mime_type, "data": data}}));
            }
        }
    }
    (texts.join("\n"), images)
}
