use serde_json::{Map, Value};

/// What one field of a form can hold: text, a number, a boolean, one of an enum's variants or several of them, and an
/// `Option` of these for a field that may be left empty.
///
/// Forms are flat: no structs and no other lists.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a form",
    label = "not something that one field can hold",
    note = "a field holds text, a number, a boolean, an enum with `#[derive(Form)]`, a `Vec` of such an enum, or an `Option` of these: forms are flat"
)]
pub trait FormField: Sized + Send + 'static {
    /// The type without its `Option`: that of a default.
    #[doc(hidden)]
    type Plain;

    /// Whether the field must be filled in.
    #[doc(hidden)]
    const REQUIRED: bool = true;

    /// What the type alone says of the field.
    #[doc(hidden)]
    fn schema() -> Map<String, Value>;

    /// The field's value, if what came makes one.
    #[doc(hidden)]
    fn read(value: Option<&Value>) -> Option<Self>;

    /// A default, as it goes out.
    #[doc(hidden)]
    fn write(plain: Self::Plain) -> Value;
}

/// An enum whose variants a user chooses from. Implemented by `#[derive(Form)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no variants to choose from",
    label = "not an enum with `#[derive(Form)]`",
    note = "the one list that a form can ask for is of an enum's variants: `Vec<E>` where `E` is an enum with `#[derive(Form)]`"
)]
pub trait Choice: FormField {
    /// Every variant: its name on the wire, and what people read instead.
    #[doc(hidden)]
    const OPTIONS: &'static [(&'static str, Option<&'static str>)];

    /// The variant of this name.
    #[doc(hidden)]
    fn named(name: &str) -> Option<Self>;

    /// The variant's name.
    #[doc(hidden)]
    fn name(&self) -> &'static str;
}

/// Fields that `format` can be said of.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`format` is for text, and `{Self}` is none",
    label = "not text",
    note = "leave `format` out, or make the field a `String`"
)]
pub trait IsText {}

/// Fields that `length` can be said of.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`length` is for text and lists, and `{Self}` is neither",
    label = "neither text nor a list",
    note = "write `range(…)` for numbers"
)]
pub trait HasLength {
    /// The keywords for the least and the most.
    const KEYWORDS: (&'static str, &'static str);
}

/// Fields that `range` can be said of.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`range` is for numbers, and `{Self}` is none",
    label = "not a number",
    note = "write `length(…)` for text and lists"
)]
pub trait HasRange {}
