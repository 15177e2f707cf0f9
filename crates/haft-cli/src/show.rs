//! How results look to people.

use anstream::println;
use anstyle::{AnsiColor, Color, Style};
use haft::{CallToolResult, Content, ResourceContents};
use serde_json::Value;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
pub(crate) const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red)));

/// JSON with line breaks.
pub(crate) fn pretty(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)?)
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
        Content::Image(image) => format!("[image, {}, {} characters of Base64]", image.mime_type, image.data.len()),
        Content::Audio(audio) => format!("[audio, {}, {} characters of Base64]", audio.mime_type, audio.data.len()),
        Content::ResourceLink(link) => format!("[link to {}: {}]", printable(&link.name), printable(&link.uri)),
        Content::Resource(embedded) => match &embedded.resource {
            ResourceContents::Text(text) => format!("[resource {}]\n{}", printable(&text.uri), printable(&text.text)),
            ResourceContents::Blob(blob) => {
                format!("[resource {}, {} characters of Base64]", printable(&blob.uri), blob.blob.len())
            }
        },
        other => format!("[a content block of a kind that this version doesn't know: {other:?}]"),
    }
}

/// A server's text, without the power to steer the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let shown = !c.is_control() || matches!(c, '\n' | '\t');
            let plain = shown.then_some(c);
            let escaped = (!shown).then(|| c.escape_default());
            plain.into_iter().chain(escaped.into_iter().flatten())
        })
        .collect()
}
