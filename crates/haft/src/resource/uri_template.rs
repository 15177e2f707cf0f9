//! URI templates (RFC 6570), read backwards: from a URI to the values of its variables.

use std::collections::HashSet;

use super::uri::{self, Unit, units};
use crate::params::Params;

/// A template, ready to match.
///
/// | expression | matches |
/// |---|---|
/// | `{a}` | one or more characters, up to the next `/`, `?` or `#` |
/// | `{a,b}` | the same twice, with a comma between |
/// | `{+a}` | one or more characters of any kind |
/// | `{.a}` | a dot, then as `{a}` |
/// | `{/a,b}` | a slash before each, then as `{a}` |
/// | `{/a*}` | any number of segments, joined by slashes in the value |
/// | `{?a,b}` | a query with any of these, in any order; at the end of the template |
///
/// Where a URI can be split in more than one way, the variable on the left takes as much as it can.
#[derive(Debug, Clone)]
pub(crate) struct UriTemplate {
    parts: Vec<Part>,
    /// The variables of the query, where the template has an expression for it.
    query: Option<Vec<String>>,
}

#[derive(Debug, Clone)]
enum Part {
    Literal(Vec<Unit>),
    Variable { name: String, takes: Takes },
}

/// Which units a variable takes.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// All but what ends a segment.
    Segment,
    /// The same, without commas.
    Item,
    /// Segments and what is between them.
    Segments,
    Everything,
}

impl Takes {
    fn allows(self, unit: Unit) -> bool {
        let excluded: &[u8] = match self {
            Self::Segment => b"/?#",
            Self::Item => b"/?#,",
            Self::Segments => b"?#",
            Self::Everything => b"",
        };
        unit.encoded || !excluded.contains(&unit.byte)
    }
}

/// Why a URI that has the template's shape is refused all the same.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) variable: String,
    /// Goes on from the variable's name.
    pub(crate) reason: &'static str,
}

impl UriTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it, and what to write instead.
    pub(crate) fn parse(template: &str) -> Result<Self, String> {
        if !template.split_once(':').is_some_and(|(scheme, _)| uri::is_scheme(scheme)) {
            return Err("it must begin with a scheme, such as `notes://`".to_owned());
        }
        let mut parsed = Self { parts: Vec::new(), query: None };
        let mut rest = template;
        while let Some((literal, after)) = rest.split_once('{') {
            parsed.literal(literal)?;
            let (expression, after) = after.split_once('}').ok_or("a `{` has no `}`")?;
            parsed.expression(expression)?;
            rest = after;
        }
        parsed.literal(rest)?;
        let mut seen = HashSet::new();
        let variables: Vec<_> = parsed.variables().collect();
        if variables.is_empty() {
            return Err("it has no variable; a single URI is a `Resource`".to_owned());
        }
        match variables.into_iter().find(|name| !seen.insert(*name)) {
            Some(twice) => Err(format!("the variable `{twice}` occurs twice")),
            None => Ok(parsed),
        }
    }

    /// The names of the variables, in the order of the template.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        let path = self.parts.iter().filter_map(|part| match part {
            Part::Variable { name, .. } => Some(name),
            Part::Literal(_) => None,
        });
        path.chain(self.query.iter().flatten()).map(String::as_str)
    }

    fn literal(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        if text.contains('}') {
            return Err("a `}` has no `{`".to_owned());
        }
        if self.query.is_some() {
            return Err("nothing can follow the query expression `{?…}`".to_owned());
        }
        let mut more = units(text)?;
        match self.parts.last_mut() {
            Some(Part::Literal(units)) => units.append(&mut more),
            _ => self.parts.push(Part::Literal(more)),
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, takes: Takes) -> Result<(), String> {
        if self.query.is_some() {
            return Err("nothing can follow the query expression `{?…}`".to_owned());
        }
        if let Some(Part::Variable { name: before, .. }) = self.parts.last() {
            return Err(format!("nothing is between `{before}` and `{name}`, so that they can't be told apart"));
        }
        self.parts.push(Part::Variable { name: name.to_owned(), takes });
        Ok(())
    }

    fn expression(&mut self, expression: &str) -> Result<(), String> {
        let operator = expression.chars().next().filter(|c| "+#./;?&=,!@|".contains(*c));
        let list = operator.map_or(expression, |operator| &expression[operator.len_utf8()..]);
        let names: Vec<&str> = list.split(',').collect();
        let single = names.len() == 1;
        for name in &names {
            let plain = name.strip_suffix('*').filter(|_| operator == Some('/') && single).unwrap_or(name);
            check_name(plain, expression)?;
        }
        match operator {
            Some('?') => {
                if self.query.is_some() || self.parts.iter().any(has_question_mark) {
                    return Err("it has more than one query".to_owned());
                }
                self.query = Some(names.into_iter().map(str::to_owned).collect());
                Ok(())
            }
            Some('+') if single => self.variable(list, Takes::Everything),
            Some('/') => names.iter().try_for_each(|name| {
                self.literal("/")?;
                match name.strip_suffix('*') {
                    Some(name) => self.variable(name, Takes::Segments),
                    None => self.variable(name, Takes::Segment),
                }
            }),
            Some('.') => names.iter().try_for_each(|name| {
                self.literal(".")?;
                self.variable(name, Takes::Segment)
            }),
            None if single => self.variable(list, Takes::Segment),
            None => names.iter().enumerate().try_for_each(|(index, name)| {
                self.literal(if index > 0 { "," } else { "" })?;
                self.variable(name, Takes::Item)
            }),
            Some(_) => Err(format!(
                "the expression `{{{expression}}}` can't be matched; there are `{{a}}`, `{{a,b}}`, `{{+a}}`, `{{.a}}`, \
                 `{{/a}}`, `{{/a*}}` and `{{?a,b}}`"
            )),
        }
    }

    /// The values of the variables, or `None` where the URI isn't of this shape. Those in `free` may be anything; the
    /// others must not lead out of a directory.
    pub(crate) fn read(&self, uri: &[Unit], free: &[String]) -> Option<Result<Params, Refused>> {
        let question = self.query.is_some().then(|| uri.iter().position(|unit| unit.is(b'?'))).flatten();
        let (path, query) = match question {
            Some(at) => (uri.get(..at)?, uri.get(at + 1..)),
            None => (uri, None),
        };
        let mut values = self.path(path)?;
        if let Some(query) = query {
            values.extend(self.query_values(query)?);
        }
        let mut params = Vec::with_capacity(values.len());
        for (name, units) in values {
            let refused = |reason| Some(Err(Refused { variable: name.to_owned(), reason }));
            let Ok(value) = String::from_utf8(units.iter().map(|unit| unit.byte).collect()) else {
                return refused("is not UTF-8");
            };
            if !free.iter().any(|free| free == name)
                && let Some(reason) = uri::path_problem(&value)
            {
                return refused(reason);
            }
            params.push((name, value));
        }
        Some(Ok(params.into_iter().collect()))
    }

    /// Linear in the length of the URI times the number of parts, whatever the URI is.
    fn path<'a>(&'a self, uri: &'a [Unit]) -> Option<Vec<(&'a str, &'a [Unit])>> {
        // From which places the parts from `index` on match to the end; the last row is the end itself.
        let mut fits = vec![vec![false; uri.len() + 1]; self.parts.len() + 1];
        *fits.last_mut()?.last_mut()? = true;
        for (index, part) in self.parts.iter().enumerate().rev() {
            let (before, after) = fits.split_at_mut(index + 1);
            let (here, next) = (before.last_mut()?, after.first()?);
            for at in (0..uri.len()).rev() {
                here[at] = match part {
                    Part::Literal(literal) => uri[at..].starts_with(literal) && next[at + literal.len()],
                    Part::Variable { takes, .. } => takes.allows(uri[at]) && (next[at + 1] || here[at + 1]),
                };
            }
        }
        let mut values = Vec::new();
        let mut at = 0;
        for (index, part) in self.parts.iter().enumerate() {
            if !fits[index][at] {
                return None;
            }
            at = match part {
                Part::Literal(literal) => at + literal.len(),
                Part::Variable { name, takes } => {
                    let longest = uri[at..].iter().take_while(|unit| takes.allows(**unit)).count();
                    let end = (at + 1..=at + longest).rev().find(|end| fits[index + 1][*end])?;
                    values.push((name.as_str(), &uri[at..end]));
                    end
                }
            };
        }
        Some(values)
    }

    /// Each variable once at most, and no others.
    fn query_values<'a>(&'a self, query: &'a [Unit]) -> Option<Vec<(&'a str, &'a [Unit])>> {
        let mut values: Vec<(&str, &[Unit])> = Vec::new();
        for pair in query.split(|unit| unit.is(b'&')).filter(|pair| !pair.is_empty()) {
            let at = pair.iter().position(|unit| unit.is(b'=')).unwrap_or(pair.len());
            let (key, value) = pair.split_at(at);
            let bytes: Vec<u8> = key.iter().map(|unit| unit.byte).collect();
            let name = self.query.iter().flatten().find(|name| name.as_bytes() == bytes)?;
            if values.iter().any(|(other, _)| other == name) {
                return None;
            }
            values.push((name, value.get(1..).unwrap_or_default()));
        }
        Some(values)
    }
}

fn has_question_mark(part: &Part) -> bool {
    matches!(part, Part::Literal(units) if units.iter().any(|unit| unit.is(b'?')))
}

fn check_name(name: &str, expression: &str) -> Result<(), String> {
    if name.contains([':', '*']) {
        return Err(format!("`{{{expression}}}` has a modifier; only `{{/name*}}` can be matched"));
    }
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        return Err(format!("`{{{expression}}}` has no valid variable name: letters, digits and `_` (ASCII) make one"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{UriTemplate, units};

    fn read(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
        let template = UriTemplate::parse(template).unwrap();
        let params = template.read(&units(uri).unwrap(), &[])?.ok()?;
        Some(params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    #[test]
    fn values_come_out_as_they_went_in() {
        for (template, uri, expected) in [
            ("test://template/{id}/data", "test://template/123/data", vec![("id", "123")]),
            ("test://{id}", "test://a%20b%2Fc", vec![("id", "a b/c")]),
            ("test://{id}", "test://%C3%BC", vec![("id", "ü")]),
            ("test://{id}", "test://ab:c@d", vec![("id", "ab:c@d")]),
            ("test://{a,b}", "test://1,2", vec![("a", "1"), ("b", "2")]),
            ("file:///{+path}", "file:///a/b/c.txt", vec![("path", "a/b/c.txt")]),
            ("test://x{/a,b}", "test://x/1/2", vec![("a", "1"), ("b", "2")]),
            ("test://x{/rest*}", "test://x/1/2/3", vec![("rest", "1/2/3")]),
            ("test://{name}{.ext}", "test://a.tar.gz", vec![("ext", "gz"), ("name", "a.tar")]),
            ("test://q{?a,b}", "test://q?b=2&a=1", vec![("a", "1"), ("b", "2")]),
            ("test://q{?a,b}", "test://q?b=x%26y", vec![("b", "x&y")]),
            ("test://q{?a,b}", "test://q", vec![]),
            ("test://{+p}{?a}", "test://x/y?a=", vec![("a", ""), ("p", "x/y")]),
            ("test://%41{x}", "test://Ab", vec![("x", "b")]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
            assert_eq!(read(template, uri), Some(expected), "{template} {uri}");
        }
    }

    #[test]
    fn other_shapes_do_not_match() {
        for (template, uri) in [
            ("test://template/{id}/data", "test://template//data"),
            ("test://template/{id}/data", "test://template/1/2/data"),
            ("test://template/{id}/data", "test://template/1/data/"),
            ("test://template/{id}/data", "test://template/1/dat"),
            ("test://{id}", "test://a?b"),
            ("test://q{?a}", "test://q?c=1"),
            ("test://q{?a}", "test://q?a=1&a=2"),
            ("test://{a}", "other://x"),
        ] {
            assert_eq!(read(template, uri), None, "{template} {uri}");
        }
    }

    #[test]
    fn what_could_leave_its_directory_is_refused_unless_the_variable_is_free() {
        for (template, uri) in [
            ("file:///{path}", "file:///.."),
            ("file:///{path}", "file:///%2e%2e%2fetc%2fpasswd"),
            ("file:///{path}", "file:///%2E%2E%5Cwindows"),
            ("file:///{path}", "file:///%252e%252e%252fetc"),
            ("file:///{+path}", "file:///a/../../etc/passwd"),
            ("file:///{+path}", "file:////etc/passwd"),
            ("file:///{path}", "file:///%2Fetc%2Fpasswd"),
            ("file:///{path}", "file:///C%3A%5Cboot.ini"),
            ("file:///{path}", "file:///a%00.txt"),
            ("file:///{path}", "file:///%ff"),
            ("file://{/path*}", "file:///a/%2e%2e/b"),
            ("file:///x{?f}", "file:///x?f=../y"),
        ] {
            let template = UriTemplate::parse(template).unwrap();
            let uri = units(uri).unwrap();
            assert!(template.read(&uri, &[]).unwrap().is_err(), "{uri:?}");
        }
        let free = UriTemplate::parse("test://q{?text}").unwrap();
        let params = free.read(&units("test://q?text=../x").unwrap(), &["text".to_owned()]).unwrap().unwrap();
        assert_eq!(params.text("text"), "../x");
    }

    #[test]
    fn a_long_hostile_uri_takes_no_longer_than_its_length() {
        let template = UriTemplate::parse("a:{a}-{b}-{c}-{d}-{e}-{f}-{g}-{h}-{i}-{j}!").unwrap();
        let uri = format!("a:{}", "-".repeat(8_000));
        assert!(template.read(&units(&uri).unwrap(), &[]).is_none());
    }

    #[test]
    fn templates_that_cannot_be_matched_say_why() {
        for (template, hint) in [
            ("{scheme}://x", "scheme"),
            ("test://x", "no variable"),
            ("test://{a", "no `}`"),
            ("test://a}{b}", "no `{`"),
            ("test://{}", "name"),
            ("test://{a}{b}", "told apart"),
            ("test://{a}/{a}", "twice"),
            ("test://{#a}", "can't be matched"),
            ("test://{;a}", "can't be matched"),
            ("test://{+a,b}", "can't be matched"),
            ("test://{a:3}", "modifier"),
            ("test://{a*}", "modifier"),
            ("test://{?a}/b", "follow"),
            ("test://{?a}{?b}", "more than one"),
            ("test://a b/{c}", "percent-encoded"),
        ] {
            let error = UriTemplate::parse(template).unwrap_err();
            assert!(error.contains(hint), "{template}: {error}");
        }
    }
}
