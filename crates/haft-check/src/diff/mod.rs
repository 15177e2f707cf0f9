//! Definitions then and now: what changed, and whom it breaks.
//!
//! `schema` decides whether a schema takes more or less than before, `hash` writes the contract down in one line.

mod hash;
mod schema;

use std::collections::HashMap;

use serde_json::Value;

use crate::facts::FactsError;
use schema::{Delta, Way};

/// What a change means to those who call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Impact {
    /// Nothing that is called or returned differs: texts, icons, order.
    Cosmetic,
    /// What worked goes on to work.
    Compatible,
    /// A call that was right may be refused or mean something else, or a result may be one that no reader expects; or it
    /// can't be decided.
    Breaking,
}

impl Impact {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosmetic => "cosmetic",
            Self::Compatible => "compatible",
            Self::Breaking => "breaking",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The tool's name; `None` where it is about the list.
    pub tool: Option<String>,
    /// Where in the definition, as a JSON pointer.
    pub pointer: String,
    /// What it means.
    pub impact: Impact,
    /// What differs, in words.
    pub message: String,
}

/// All differences between two lists of definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// In the order of the tools, old ones first.
    pub changes: Vec<Change>,
    /// The contract of the old definitions: `sha256:…`, as [`contract_hash`] has it.
    pub old: String,
    /// The contract of the new definitions.
    pub new: String,
}

impl Diff {
    /// The gravest change, if there is any.
    pub fn worst(&self) -> Option<Impact> {
        self.changes.iter().map(|change| change.impact).max()
    }
}

/// Compares definitions: each text is `{"tools": [...]}`, an array, or a whole result of `tools/list`.
///
/// An input schema that takes less than before breaks callers, an output schema that allows more breaks readers. Both are
/// decided by what the schemas accept, not by how they are written; what can't be decided counts as breaking and says so.
///
/// ```
/// use haft_check::{Impact, diff};
///
/// let tool = |schema: &str| format!(r#"[{{"name": "get_order", "inputSchema": {schema}}}]"#);
/// let old = tool(r#"{"type": "object", "properties": {"id": {"type": "string", "maxLength": 8}}}"#);
/// let new = tool(r#"{"type": "object", "properties": {"id": {"type": "string", "maxLength": 4}}}"#);
/// let diff = diff(&old, &new).expect("two lists of tools");
///
/// assert_eq!(diff.worst(), Some(Impact::Breaking));
/// assert_eq!(diff.changes[0].pointer, "/inputSchema/properties/id/maxLength");
/// ```
///
/// # Errors
/// When a text isn't JSON, or holds no list of tools.
pub fn diff(old: &str, new: &str) -> Result<Diff, FactsError> {
    let (before, after) = (tools("the old definitions", old)?, tools("the new definitions", new)?);
    let mut changes = Vec::new();
    let (was, is) = (by_name(&before), by_name(&after));
    for (name, old) in &before {
        match is.get(name) {
            Some(new) => definition(&name.0, old, new, &mut changes),
            None => changes.push(Change {
                tool: Some(name.0.clone()),
                pointer: String::new(),
                impact: Impact::Breaking,
                message: "the tool is gone".to_owned(),
            }),
        }
    }
    for (name, _) in after.iter().filter(|(name, _)| !was.contains_key(name)) {
        let message = "the tool is new".to_owned();
        let tool = Some(name.0.clone());
        changes.push(Change { tool, pointer: String::new(), impact: Impact::Compatible, message });
    }
    let stayed = before.iter().map(|(name, _)| name).filter(|name| is.contains_key(name));
    if !stayed.eq(after.iter().map(|(name, _)| name).filter(|name| was.contains_key(name))) {
        let message = "the order of the tools differs; caches of prompts begin anew".to_owned();
        changes.push(Change { tool: None, pointer: "/tools".to_owned(), impact: Impact::Cosmetic, message });
    }
    Ok(Diff { changes, old: hash::contract(&before), new: hash::contract(&after) })
}

/// The contract of definitions in one line, `sha256:…`: the same as long as no tool's name, title, description,
/// annotations or schemas change. The order of tools and of members, blanks, icons and `_meta` don't matter to it.
///
/// # Errors
/// When the text isn't JSON, or holds no list of tools.
pub fn contract_hash(definitions: &str) -> Result<String, FactsError> {
    tools("the definitions", definitions).map(|tools| hash::contract(&tools))
}

/// A name, and how many tools before it have the same.
type Key = (String, usize);

fn by_name(tools: &[(Key, Value)]) -> HashMap<&Key, &Value> {
    tools.iter().map(|(name, tool)| (name, tool)).collect()
}

fn tools(what: &str, text: &str) -> Result<Vec<(Key, Value)>, FactsError> {
    let wrong = |problem: String| FactsError::new(what, problem);
    let mut root: Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let place = ["/result/tools", "/tools", ""].into_iter().find(|at| root.pointer(at).is_some_and(Value::is_array));
    let Some(Value::Array(list)) = place.and_then(|at| root.pointer_mut(at)).map(Value::take) else {
        return Err(wrong(
            "there is no list of tools; write {\"tools\": [...]}, an array, or the result of tools/list".to_owned(),
        ));
    };
    let mut named: Vec<(Key, Value)> = Vec::new();
    let mut seen = HashMap::<String, usize>::new();
    for tool in list {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let before = seen.entry(name.clone()).or_default();
        named.push(((name, *before), tool));
        *before += 1;
    }
    Ok(named)
}

fn definition(name: &str, old: &Value, new: &Value, changes: &mut Vec<Change>) {
    let mut push = |pointer: String, impact, message: String| {
        changes.push(Change { tool: Some(name.to_owned()), pointer, impact, message });
    };
    for (member, message) in [
        ("title", "the title differs"),
        ("description", "the description differs; models may choose otherwise"),
        ("icons", "the icons differ"),
        ("_meta", "`_meta` differs"),
    ] {
        if old.get(member) != new.get(member) {
            push(format!("/{member}"), Impact::Cosmetic, message.to_owned());
        }
    }
    hints(old, new, &mut push);
    let nothing = Value::Object(serde_json::Map::new());
    let [was, is] = [old, new].map(|tool| tool.get("inputSchema").unwrap_or(&nothing));
    for Delta { pointer, way, message } in schema::compare(was, is) {
        let impact = match way {
            Way::Text => Impact::Cosmetic,
            Way::Wider | Way::Addition => Impact::Compatible,
            Way::Narrower | Way::Default | Way::Unknown => Impact::Breaking,
        };
        push(format!("/inputSchema{pointer}"), impact, message);
    }
    match (old.get("outputSchema"), new.get("outputSchema")) {
        (None, None) => {}
        (None, Some(_)) => push("/outputSchema".to_owned(), Impact::Compatible, "an output schema is new".to_owned()),
        (Some(_), None) => {
            push("/outputSchema".to_owned(), Impact::Breaking, "the output schema is gone".to_owned());
        }
        (Some(old), Some(new)) => {
            for Delta { pointer, way, message } in schema::compare(old, new) {
                let impact = match way {
                    Way::Text | Way::Default => Impact::Cosmetic,
                    Way::Narrower | Way::Addition => Impact::Compatible,
                    Way::Wider | Way::Unknown => Impact::Breaking,
                };
                push(format!("/outputSchema{pointer}"), impact, message);
            }
        }
    }
}

/// Hints with the defaults of the specification: graver ones break those who relied on the milder.
///
/// spec: `server/tools#tool`
fn hints(old: &Value, new: &Value, push: &mut impl FnMut(String, Impact, String)) {
    for (hint, default, mild) in [
        ("readOnlyHint", false, true),
        ("destructiveHint", true, false),
        ("idempotentHint", false, true),
        ("openWorldHint", true, false),
    ] {
        let pointer = format!("/annotations/{hint}");
        let given = |tool: &Value| tool.pointer(&pointer).and_then(Value::as_bool);
        let (before, after) = (given(old), given(new));
        if before == after {
            continue;
        }
        let (was, is) = (before.unwrap_or(default), after.unwrap_or(default));
        let (impact, message) = match (was == is, is == mild) {
            (true, _) => (Impact::Cosmetic, format!("`{hint}` says what its default says")),
            (false, true) => (Impact::Compatible, format!("`{hint}` is {is} now; hosts may ask less often")),
            (false, false) => {
                (Impact::Breaking, format!("`{hint}` is {is} now; what hosts let pass, they may ask for"))
            }
        };
        push(pointer, impact, message);
    }
    let title = |tool: &Value| tool.pointer("/annotations/title").cloned();
    if title(old) != title(new) {
        push("/annotations/title".to_owned(), Impact::Cosmetic, "the title in the annotations differs".to_owned());
    }
}
