//! Questions to a user, as types: what a form shows, and what it gives back.

mod field;
mod spec;
mod values;

pub use field::{Choice, FormField};
pub(crate) use spec::Unfit;
pub use spec::{FieldSpec, FormAnswers, FormSpec};
pub use values::{one_of, one_of_names};

/// What [`Context::ask`](crate::Context::ask) can ask for: the form that the user fills in, and the value that it makes.
///
/// `#[derive(Form)]` makes a form of a struct with named fields; see [the derive](macro@crate::Form) for its attributes.
/// Text, numbers, booleans, enums with `#[derive(Form)]`, lists of such enums and `Option`s of all these are forms too:
/// with one field, named by the question's key.
///
/// spec: `client/elicitation#requested-schema`
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be asked of a user",
    label = "not a form",
    note = "a form is a struct or an enum with `#[derive(Form)]`, or text, a number or a boolean"
)]
pub trait Form: Sized + Send + 'static {
    /// The form's fields, where the question has this key.
    #[doc(hidden)]
    fn form(key: &str) -> FormSpec;

    /// The value, from answers that fit the form; `None` where they don't make one.
    #[doc(hidden)]
    fn read(key: &str, answers: &FormAnswers) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: FormField> Form for T {
    fn form(key: &str) -> FormSpec {
        FormSpec::new().field(key, FieldSpec::<T>::new())
    }

    fn read(key: &str, answers: &FormAnswers) -> Option<Self> {
        FieldSpec::<T>::new().read(key, answers)
    }
}
