use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use crate::error::RequestError;

/// Named strings that came with a request: the variables of a resource template, or the arguments of a prompt.
///
/// ```
/// use haft::prelude::*;
///
/// fn line(params: &Params) -> Result<u32, RequestError> {
///     params.parse("line")
/// }
///
/// let params: Params = [("line", "7"), ("file", "notes.txt")].into_iter().collect();
/// assert_eq!(line(&params).unwrap(), 7);
/// assert_eq!(params.text("file"), "notes.txt");
/// assert_eq!(params.get("mode"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Params {
    values: BTreeMap<String, String>,
}

impl Params {
    /// The value of this name, if one was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The value of this name; empty if none was given.
    ///
    /// Required arguments of a prompt and the variables of a template's path are always given.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// The value of this name as a number or whatever else has [`FromStr`].
    ///
    /// # Errors
    /// [`RequestError::argument`], with the words of the parser, where there is no value or none that it takes.
    pub fn parse<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T, RequestError> {
        let value = self.get(name).ok_or_else(|| RequestError::argument(name, "is missing"))?;
        value.parse().map_err(|error| RequestError::argument(name, format!("can't be read: {error}")))
    }

    /// All of them, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Params {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(values: I) -> Self {
        Self { values: values.into_iter().map(|(name, value)| (name.into(), value.into())).collect() }
    }
}
