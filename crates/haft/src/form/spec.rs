use std::fmt::Write;

use haft_schema::{Checker, schema_text};
use serde_json::{Map, Value};

use super::field::{FormField, HasLength, HasRange, IsText};

/// The fields of a form, in the order in which a user sees them. Made by `#[derive(Form)]`.
#[doc(hidden)]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormSpec {
    fields: Vec<(String, Field)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Field {
    schema: Map<String, Value>,
    required: bool,
}

/// One field of a form, as it is being described.
#[doc(hidden)]
#[derive(Debug)]
pub struct FieldSpec<T> {
    schema: Map<String, Value>,
    required: bool,
    read: fn(Option<&Value>) -> Option<T>,
}

/// What a user filled in; fits the form.
#[doc(hidden)]
#[derive(Debug)]
pub struct FormAnswers(Map<String, Value>);

/// Answers that don't fit their form: where, as JSON pointers. Never what, since that is the user's.
#[derive(Debug)]
pub(crate) struct Unfit(pub(crate) Vec<String>);

impl FormSpec {
    /// A form without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    #[must_use]
    pub fn field<T>(mut self, name: &str, spec: FieldSpec<T>) -> Self {
        self.fields.push((name.to_owned(), Field { schema: spec.schema, required: spec.required }));
        self
    }

    /// The `requestedSchema`, with the fields in their own order, whatever features serde_json was built with.
    ///
    /// spec: `client/elicitation#requested-schema`
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(r#"{"type":"object","properties":{"#);
        for (index, (name, field)) in self.fields.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{}:{}", quoted(name), schema_text(&Value::Object(field.schema.clone())));
        }
        text.push('}');
        let required: Vec<String> =
            self.fields.iter().filter(|(_, field)| field.required).map(|(name, _)| quoted(name)).collect();
        if !required.is_empty() {
            let _ = write!(text, r#","required":[{}]"#, required.join(","));
        }
        text.push('}');
        text
    }

    fn schema(&self) -> Value {
        let properties: Map<_, _> =
            self.fields.iter().map(|(name, field)| (name.clone(), Value::Object(field.schema.clone()))).collect();
        let required: Vec<_> = self
            .fields
            .iter()
            .filter(|(_, field)| field.required)
            .map(|(name, _)| Value::from(name.as_str()))
            .collect();
        Value::Object(Map::from_iter([
            ("type".to_owned(), "object".into()),
            ("properties".to_owned(), properties.into()),
            ("required".to_owned(), required.into()),
        ]))
    }

    /// Answers that fit; members that the form doesn't have are left alone.
    pub(crate) fn check(&self, content: Map<String, Value>) -> Result<FormAnswers, Unfit> {
        let checker = Checker::compile_with_formats(&self.schema())
            .map_err(|problems| Unfit(problems.into_iter().map(|problem| problem.message).collect()))?;
        let mut content = Value::Object(content);
        checker.normalise(&mut content);
        let violations = checker.check(&content);
        match content {
            Value::Object(content) if violations.is_empty() => Ok(FormAnswers(content)),
            _ => Err(Unfit(violations.iter().map(|violation| violation.pointer.clone()).collect())),
        }
    }
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

impl<T> FieldSpec<T> {
    /// What the type alone says.
    #[allow(clippy::new_without_default, reason = "made by the derive alone")]
    pub fn new() -> Self
    where
        T: FormField,
    {
        Self { schema: T::schema(), required: T::REQUIRED, read: T::read }
    }

    /// The field's value.
    pub fn read(&self, name: &str, answers: &FormAnswers) -> Option<T> {
        (self.read)(answers.0.get(name))
    }

    fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.schema.insert(keyword.to_owned(), value.into());
        self
    }

    /// The field's name for people.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        self.with("title", title)
    }

    /// What is to be filled in.
    #[must_use]
    pub fn describe(self, text: &str) -> Self {
        self.with("description", text)
    }

    /// What the form holds at first.
    #[must_use]
    pub fn default(self, plain: T::Plain) -> Self
    where
        T: FormField,
    {
        self.with("default", T::write(plain))
    }

    /// `email`, `uri`, `date` or `date-time`.
    #[must_use]
    pub fn format(self, format: &str) -> Self
    where
        T: IsText,
    {
        self.with("format", format)
    }

    /// The fewest and most characters or items.
    #[must_use]
    pub fn length(self, min: Option<u64>, max: Option<u64>) -> Self
    where
        T: HasLength,
    {
        let (least, most) = T::KEYWORDS;
        let spec = if let Some(min) = min { self.with(least, min) } else { self };
        if let Some(max) = max { spec.with(most, max) } else { spec }
    }

    /// The least and the greatest value.
    #[must_use]
    pub fn range(self, min: Option<Value>, max: Option<Value>) -> Self
    where
        T: HasRange,
    {
        let spec = if let Some(min) = min { self.with("minimum", min) } else { self };
        if let Some(max) = max { spec.with("maximum", max) } else { spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_keep_their_order_and_bounds_come_from_types() {
        let spec = FormSpec::new()
            .field("zip", FieldSpec::<String>::new().title("ZIP").length(Some(5), Some(5)))
            .field("age", FieldSpec::<Option<u8>>::new().default(30));
        assert_eq!(
            spec.text(),
            r#"{"type":"object","properties":{"zip":{"type":"string","title":"ZIP","minLength":5,"maxLength":5},"age":{"type":"integer","minimum":0,"maximum":255,"default":30}},"required":["zip"]}"#
        );
    }

    #[test]
    fn answers_are_normalised_and_misfits_are_placed() {
        let spec = FormSpec::new()
            .field("mail", FieldSpec::<String>::new().format("email"))
            .field("age", FieldSpec::<Option<u8>>::new());
        let check = |answers: Value| spec.check(answers.as_object().expect("an object").clone());
        let fits = check(json!({"mail": "a@example.com", "age": 30.0, "more": []})).expect("fits");
        assert_eq!(FieldSpec::<u8>::new().read("age", &fits), Some(30));
        let fits = check(json!({"mail": "a@example.com", "age": null})).expect("fits");
        assert_eq!(FieldSpec::<Option<u8>>::new().read("age", &fits), Some(None));
        for bad in [json!({}), json!({"mail": "nobody"}), json!({"mail": 7})] {
            assert!(check(bad.clone()).is_err(), "{bad}");
        }
        let Err(Unfit(places)) = check(json!({"mail": "a@example.com", "age": 300})) else { panic!("fits") };
        assert_eq!(places, ["/age"]);
    }
}
