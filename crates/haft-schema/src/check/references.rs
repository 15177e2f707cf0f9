//! Where a `$ref` leads. It never leaves the document: no network, no files.

use std::collections::HashMap;

use serde_json::Value;

use super::dialect::Dialect;
use super::excerpt;
use super::lower::escape;

/// The names by which parts of a document can be referred to.
pub(crate) struct References {
    /// URI and place of each schema with an id; the root is always the first, by an empty URI if it has none.
    resources: Vec<(String, String)>,
    /// Place by resource's place and anchor.
    anchors: HashMap<(String, String), String>,
}

impl References {
    /// The names in `document`, which is known to be of bounded depth.
    pub(crate) fn of(document: &Value, dialect: Dialect) -> Self {
        let id_keyword = dialect.id_keyword();
        let mut references = Self { resources: Vec::new(), anchors: HashMap::new() };
        let mut pending = vec![(document, String::new(), 0)];
        while let Some((value, place, outer)) = pending.pop() {
            let mut resource = outer;
            if let Value::Object(members) = value {
                let id = members.get(id_keyword).and_then(Value::as_str);
                let mut anchors: Vec<&str> =
                    ["$anchor", "$dynamicAnchor"].iter().filter_map(|k| members.get(*k)?.as_str()).collect();
                match id.map(|id| id.split_once('#').unwrap_or((id, ""))) {
                    Some(("", anchor)) if !place.is_empty() => anchors.push(anchor),
                    Some((uri, _)) => resource = references.resource(uri, &place, outer),
                    None if place.is_empty() => resource = references.resource("", &place, outer),
                    None => {}
                }
                for anchor in anchors {
                    let scope = references.resources[resource].1.clone();
                    references.anchors.insert((scope, anchor.to_owned()), place.clone());
                }
                // What looks like an id in a value isn't one.
                let schemas = members
                    .iter()
                    .filter(|(name, _)| !matches!(name.as_str(), "enum" | "const" | "default" | "examples"));
                pending.extend(schemas.map(|(name, member)| (member, format!("{place}/{}", escape(name)), resource)));
            } else if let Value::Array(items) = value {
                pending
                    .extend(items.iter().enumerate().map(|(index, item)| (item, format!("{place}/{index}"), resource)));
            }
            if references.resources.is_empty() {
                references.resource("", "", 0);
            }
        }
        references
    }

    fn resource(&mut self, uri: &str, place: &str, outer: usize) -> usize {
        let base = self.resources.get(outer).map(|(uri, _)| uri.as_str()).unwrap_or_default();
        self.resources.push((join(base, uri), place.to_owned()));
        self.resources.len() - 1
    }

    /// The place and the schema that `reference`, written at `place`, leads to; or why it leads nowhere.
    pub(crate) fn resolve<'a>(
        &self,
        document: &'a Value,
        reference: &str,
        place: &str,
    ) -> Result<(String, &'a Value), String> {
        let shown = excerpt::plain(reference, 120);
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let (base, scope) = self.resource_of(place);
        let scope = if uri.is_empty() {
            scope
        } else {
            let full = join(base, uri);
            match self.resources.iter().find(|(known, _)| *known == full || *known == uri) {
                Some((_, place)) => place,
                None => {
                    return Err(format!(
                        "\"{shown}\" leads out of the schema; references are never fetched: copy the schema into $defs \
                         and refer to it as #/$defs/Name"
                    ));
                }
            }
        };
        let nowhere = || format!("\"{shown}\" leads nowhere in this schema");
        let fragment = percent_decoded(fragment).ok_or_else(nowhere)?;
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            format!("{scope}{fragment}")
        } else {
            self.anchors.get(&(scope.to_owned(), fragment)).cloned().ok_or_else(nowhere)?
        };
        let schema = document.pointer(&target).ok_or_else(nowhere)?;
        Ok((target, schema))
    }

    /// URI and place of the innermost schema with an id around `place`.
    fn resource_of(&self, place: &str) -> (&str, &str) {
        let around =
            |outer: &str| place.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let innermost = self.resources.iter().filter(|(_, outer)| around(outer)).max_by_key(|(_, outer)| outer.len());
        innermost.map(|(uri, place)| (uri.as_str(), place.as_str())).unwrap_or_default()
    }
}

/// `reference` as seen from `base`, for the forms that occur: absolute, from the root of the host, beside the base.
fn join(base: &str, reference: &str) -> String {
    let has_scheme = reference.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    if has_scheme || base.is_empty() {
        return reference.to_owned();
    }
    let host_end = base.find("://").map(|at| at + 3).and_then(|at| Some(at + base[at..].find('/')?));
    let keep = match (reference.starts_with('/'), host_end) {
        (true, Some(end)) => end,
        (true, None) => base.len(),
        (false, _) => base.rfind('/').map_or(0, |at| at + 1),
    };
    format!("{}{reference}", &base[..keep])
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
