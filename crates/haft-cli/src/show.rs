//! How results look to people.

use std::borrow::Cow;

use anstream::println;
use anstyle::{AnsiColor, Color, Style};
use haft::{CallToolResult, Content, ResourceContents};
use haft_check::{printable, printable_json, printable_line};
use serde_json::Value;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
pub(crate) const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));

/// JSON with line breaks, safe to show.
pub(crate) fn pretty(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(printable_json(&serde_json::to_string_pretty(value)?))
}

/// What the model reads, then what programs get.
pub(crate) fn result(result: &CallToolResult) -> anyhow::Result<()> {
    if result.is_error == Some(true) {
        println!("{BAD}error result{BAD:#}");
    }
    for block in &result.content {
        println!("{}", content(block));
    }
    if let Some(json) = &result.structured_content {
        let value: Value = serde_json::from_str(json.get())?;
        println!("{DIM}structured content:{DIM:#}\n{}", pretty(&value)?);
    }
    Ok(())
}

fn content(block: &Content) -> String {
    match block {
        Content::Text(text) => printable(&text.text),
        Content::Image(image) => {
            format!("[image, {}, {} characters of Base64]", line(&image.mime_type), image.data.len())
        }
        Content::Audio(audio) => {
            format!("[audio, {}, {} characters of Base64]", line(&audio.mime_type), audio.data.len())
        }
        Content::ResourceLink(link) => format!("[link to {}: {}]", line(&link.name), line(&link.uri)),
        Content::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(text) => format!("[resource {}]\n{}", line(&text.uri), printable(&text.text)),
            ResourceContents::Blob(blob) => {
                format!("[resource {}, {} characters of Base64]", line(&blob.uri), blob.blob.len())
            }
        },
        other => line(&format!("[a content block of a kind that this version doesn't know: {other:?}]")),
    }
}

/// Characters of a text that is one of many.
const SHORT: usize = 2_000;

/// A server's text on one line, and not without end.
pub(crate) fn line(text: &str) -> String {
    printable_line(&cut(text, SHORT))
}

/// A server's text, whose further lines can't be taken for this program's own.
pub(crate) fn indented(text: &str) -> String {
    printable(&cut(text, 20_000)).replace('\n', "\n  ")
}

pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
