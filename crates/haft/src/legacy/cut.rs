//! Answers of this server, without what an older revision has no place for.

use std::borrow::Cow;

use haft_wire::{ContentBlock, ErrorObject, RequestId, code, encode, meta, method};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::Version;
use crate::members::Members;

#[derive(Deserialize)]
struct Answer<'a> {
    id: RequestId,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ErrorObject>,
}

/// The answer to a request of `method`, as `version` would have it.
pub(super) fn answer(frame: Vec<u8>, method: &str, version: Version) -> Vec<u8> {
    // What the server wrote can be read; should it ever not be, it goes out as it is.
    let Ok(Answer { id, result, error }) = serde_json::from_slice::<Answer<'_>>(&frame) else { return frame };
    if let Some(result) = result {
        let cut = result_of(result, method, version);
        let encoded = cut.and_then(|result| encode::result(&id, &result).ok());
        return encoded.unwrap_or(frame);
    }
    match error {
        // spec: 2025-11-25 `server/resources#error-handling`
        Some(mut error) if names_no_resource(&error, method) => {
            error.code = code::LEGACY_RESOURCE_NOT_FOUND;
            encode::error(Some(&id), &error)
        }
        _ => frame,
    }
}

fn names_no_resource(error: &ErrorObject, method: &str) -> bool {
    let uri = error.data.as_ref().is_some_and(|data| data.get("uri").is_some());
    method == method::RESOURCES_READ && error.code == code::INVALID_PARAMS && uri
}

fn result_of(result: &RawValue, method: &str, version: Version) -> Option<Box<RawValue>> {
    let mut members = Members::read(result)?;
    members.remove(&["resultType", "ttlMs", "cacheScope"]);
    own_meta(&mut members);
    match method {
        method::TOOLS_LIST => each(&mut members, "tools", |tool| tool_definition(tool, version)),
        method::RESOURCES_LIST => each(&mut members, "resources", |resource| definition(resource, version)),
        method::RESOURCES_TEMPLATES_LIST => {
            each(&mut members, "resourceTemplates", |template| definition(template, version));
        }
        method::RESOURCES_READ => each(&mut members, "contents", |contents| resource(contents, version)),
        method::PROMPTS_LIST => each(&mut members, "prompts", |prompt| prompt_definition(prompt, version)),
        method::TOOLS_CALL => {
            if version < Version::V2025_06_18 || !is_object(members.get("structuredContent")) {
                members.remove(&["structuredContent"]);
            }
            each(&mut members, "content", |content| block(content, version));
        }
        method::PROMPTS_GET => each(&mut members, "messages", |message| {
            let mut message = Members::read(message)?;
            message.change("content", |content| block(content, version));
            message.written()
        }),
        _ => {}
    }
    members.written()
}

/// The server has introduced itself already.
fn own_meta(members: &mut Members<'_>) {
    let Some(text) = members.get("_meta").map(ToOwned::to_owned) else { return };
    let Some(mut own) = Members::read(&text) else { return };
    own.remove(&[meta::SERVER_INFO]);
    match own.written().filter(|_| !own.is_empty()) {
        Some(rest) => members.set("_meta", rest),
        None => members.remove(&["_meta"]),
    }
}

/// Changes each item of a list; one that `change` gives nothing for stays as it is.
fn each(members: &mut Members<'_>, name: &str, change: impl Fn(&RawValue) -> Option<Box<RawValue>>) {
    members.change(name, |list| {
        let items: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
        let changed: Vec<Cow<'_, RawValue>> =
            items.into_iter().map(|item| change(item).map_or(Cow::Borrowed(item), Cow::Owned)).collect();
        to_raw_value(&changed).ok()
    });
}

/// A resource or a resource template.
fn definition(text: &RawValue, version: Version) -> Option<Box<RawValue>> {
    let mut definition = Members::read(text)?;
    common(&mut definition, version);
    annotations(&mut definition, version);
    definition.written()
}

fn tool_definition(text: &RawValue, version: Version) -> Option<Box<RawValue>> {
    let mut definition = Members::read(text)?;
    if version == Version::V2025_03_26
        && let Some(hints) = titled(&definition)
    {
        definition.set("annotations", hints);
    }
    common(&mut definition, version);
    if version < Version::V2025_03_26 {
        definition.remove(&["annotations"]);
    }
    let rooted = definition.get("outputSchema").and_then(Members::read).and_then(|schema| schema.text("type"));
    if version < Version::V2025_06_18 || rooted.as_deref() != Some("object") {
        definition.remove(&["outputSchema"]);
    }
    definition.written()
}

/// A tool's hints with its title, where that revision has it.
///
/// spec: 2025-03-26 `server/tools#data-types`
fn titled(definition: &Members<'_>) -> Option<Box<RawValue>> {
    let title = definition.get("title")?.to_owned();
    let mut hints = definition.get("annotations").and_then(Members::read).unwrap_or_default();
    hints.set("title", title);
    hints.written()
}

fn prompt_definition(text: &RawValue, version: Version) -> Option<Box<RawValue>> {
    let mut definition = Members::read(text)?;
    common(&mut definition, version);
    each(&mut definition, "arguments", |argument| {
        let mut argument = Members::read(argument)?;
        common(&mut argument, version);
        argument.written()
    });
    definition.written()
}

/// What definitions of all kinds had before they had the rest.
pub(super) fn common(definition: &mut Members<'_>, version: Version) {
    if version < Version::V2025_11_25 {
        definition.remove(&["icons"]);
    }
    if version < Version::V2025_06_18 {
        definition.remove(&["title", "_meta"]);
    }
}

/// A content block; kinds that the revision doesn't know become text that says as much.
fn block(text: &RawValue, version: Version) -> Option<Box<RawValue>> {
    let mut block = Members::read(text)?;
    let kind = block.text("type")?;
    let instead = match kind.as_str() {
        "resource_link" if version < Version::V2025_06_18 => {
            let part = |name| block.text(name);
            let name = part("title").or_else(|| part("name")).unwrap_or_default();
            let about = part("description").map(|about| format!(" ({about})")).unwrap_or_default();
            Some(format!("{name}: {}{about}", part("uri").unwrap_or_default()))
        }
        "audio" if version < Version::V2025_03_26 => {
            let kind = block.text("mimeType").unwrap_or_default();
            Some(format!("A recording ({kind}) was left out: this client's revision of the protocol has none."))
        }
        _ => None,
    };
    if let Some(instead) = instead {
        return to_raw_value(&ContentBlock::text(instead)).ok();
    }
    if version < Version::V2025_11_25 {
        block.remove(&["icons"]);
    }
    if version < Version::V2025_06_18 {
        block.remove(&["_meta"]);
    }
    annotations(&mut block, version);
    block.change("resource", |contents| resource(contents, version));
    block.written()
}

/// What is in a resource.
fn resource(text: &RawValue, version: Version) -> Option<Box<RawValue>> {
    let mut contents = Members::read(text)?;
    if version < Version::V2025_06_18 {
        contents.remove(&["_meta"]);
    }
    contents.written()
}

/// Those of content and of resources.
fn annotations(annotated: &mut Members<'_>, version: Version) {
    if version < Version::V2025_06_18 {
        annotated.change("annotations", |annotations| {
            let mut annotations = Members::read(annotations)?;
            annotations.remove(&["lastModified"]);
            annotations.written()
        });
    }
}

fn is_object(text: Option<&RawValue>) -> bool {
    text.is_some_and(|text| text.get().starts_with('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_is_cut_and_the_rest_stays_as_it_was_written() {
        let contents = r#"{"uri":"x:","_meta":{},"text":"a","n":1.0e2}"#;
        let cut_contents = r#"{"uri":"x:","text":"a","n":1.0e2}"#;
        let frame = |contents: &str, rest: &str| {
            let result = format!(r#"{{"z":[1.50,{{"b":1,"a":2}}],"contents":[{contents}]{rest}}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#)
        };
        let whole = frame(contents, r#","resultType":"complete","ttlMs":0,"cacheScope":"private""#);
        for (version, expected) in
            [(Version::V2025_11_25, frame(contents, "")), (Version::V2025_03_26, frame(cut_contents, ""))]
        {
            let cut = answer(whole.clone().into_bytes(), method::RESOURCES_READ, version);
            assert_eq!(String::from_utf8(cut).unwrap(), expected);
        }
        let embedded = |contents: &str| format!(r#"{{"type":"resource","resource":{contents}}}"#);
        let block = block(&RawValue::from_string(embedded(contents)).unwrap(), Version::V2025_03_26);
        assert_eq!(block.unwrap().get(), embedded(cut_contents));
    }
}
