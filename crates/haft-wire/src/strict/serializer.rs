//! A serializer around another one that refuses NaN and infinities. The path to the culprit is put together on the way
//! back from an error, so that it costs nothing when there is none.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// What an error leaves behind on its way out.
#[derive(Default)]
pub(super) struct Trail {
    /// Innermost first.
    steps: RefCell<Vec<Step>>,
    not_finite: Cell<bool>,
}

enum Step {
    Name(&'static str),
    Key(String),
    Index(usize),
}

impl Trail {
    pub(super) fn not_finite(&self) -> bool {
        self.not_finite.get()
    }

    pub(super) fn pointer(&self) -> String {
        self.steps.borrow().iter().rev().fold(String::new(), |mut pointer, step| {
            pointer.push('/');
            match step {
                Step::Name(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Step::Key(key) => pointer.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
            pointer
        })
    }

    /// Notes the step that an error passes.
    fn pass<T, E>(&self, outcome: Result<T, E>, step: impl FnOnce() -> Option<Step>) -> Result<T, E> {
        if outcome.is_err() {
            self.steps.borrow_mut().extend(step());
        }
        outcome
    }
}

pub(super) struct Strict<'a, S> {
    inner: S,
    trail: &'a Trail,
}

impl<'a, S: Serializer> Strict<'a, S> {
    pub(super) fn new(inner: S, trail: &'a Trail) -> Self {
        Strict { inner, trail }
    }

    fn not_finite(self) -> Result<S::Ok, S::Error> {
        self.trail.not_finite.set(true);
        Err(S::Error::custom("NaN or an infinity"))
    }
}

/// A value whose serialization goes on being strict.
struct Checked<'a, T: ?Sized> {
    value: &'a T,
    trail: &'a Trail,
}

impl<T: Serialize + ?Sized> Serialize for Checked<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(Strict { inner: serializer, trail: self.trail })
    }
}

/// The members of a container.
pub(super) struct Members<'a, C> {
    inner: C,
    trail: &'a Trail,
    index: usize,
    key: Option<String>,
    /// The name around the container, for variants of enums.
    variant: Option<&'static str>,
}

impl<'a, C> Members<'a, C> {
    fn new(inner: C, trail: &'a Trail, variant: Option<&'static str>) -> Self {
        Members { inner, trail, index: 0, key: None, variant }
    }

    fn element<T, E>(
        &mut self,
        value: &T,
        write: impl FnOnce(&mut C, &Checked<'_, T>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        T: ?Sized,
    {
        let index = self.index;
        self.index += 1;
        self.member(value, || Some(Step::Index(index)), write)
    }

    fn member<T, E>(
        &mut self,
        value: &T,
        step: impl FnOnce() -> Option<Step>,
        write: impl FnOnce(&mut C, &Checked<'_, T>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        T: ?Sized,
    {
        let outcome = write(&mut self.inner, &Checked { value, trail: self.trail });
        let outcome = self.trail.pass(outcome, step);
        self.trail.pass(outcome, || self.variant.map(Step::Name))
    }
}

/// The text that a map key gets, or `None` if it can't be one.
fn key_text<K: Serialize + ?Sized>(key: &K) -> Option<String> {
    struct Entry<'a, K: ?Sized>(&'a K);

    impl<K: Serialize + ?Sized> Serialize for Entry<'_, K> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry(self.0, &())?;
            map.end()
        }
    }

    match serde_json::to_value(Entry(key)).ok()? {
        serde_json::Value::Object(map) => map.into_iter().next().map(|(key, _)| key),
        _ => None,
    }
}

macro_rules! forward {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        })*
    };
}

impl<'a, S: Serializer> Serializer for Strict<'a, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Members<'a, S::SerializeSeq>;
    type SerializeTuple = Members<'a, S::SerializeTuple>;
    type SerializeTupleStruct = Members<'a, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Members<'a, S::SerializeTupleVariant>;
    type SerializeMap = Members<'a, S::SerializeMap>;
    type SerializeStruct = Members<'a, S::SerializeStruct>;
    type SerializeStructVariant = Members<'a, S::SerializeStructVariant>;

    forward! {
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_u128(u128),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    }

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        if value.is_finite() { self.inner.serialize_f32(value) } else { self.not_finite() }
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        if value.is_finite() { self.inner.serialize_f64(value) } else { self.not_finite() }
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_none()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.serialize_some(&Checked { value, trail: self.trail })
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, variant: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.serialize_newtype_struct(name, &Checked { value, trail: self.trail })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let outcome = self.inner.serialize_newtype_variant(name, index, variant, &Checked { value, trail: self.trail });
        self.trail.pass(outcome, || Some(Step::Name(variant)))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        Ok(Members::new(self.inner.serialize_seq(len)?, self.trail, None))
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        Ok(Members::new(self.inner.serialize_tuple(len)?, self.trail, None))
    }

    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeTupleStruct, S::Error> {
        Ok(Members::new(self.inner.serialize_tuple_struct(name, len)?, self.trail, None))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let inner = self.inner.serialize_tuple_variant(name, index, variant, len)?;
        Ok(Members::new(inner, self.trail, Some(variant)))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        Ok(Members::new(self.inner.serialize_map(len)?, self.trail, None))
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct, S::Error> {
        Ok(Members::new(self.inner.serialize_struct(name, len)?, self.trail, None))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let inner = self.inner.serialize_struct_variant(name, index, variant, len)?;
        Ok(Members::new(inner, self.trail, Some(variant)))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! elements {
    ($($trait:ident::$method:ident),* $(,)?) => {
        $(impl<C: $trait> $trait for Members<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                self.element(value, |inner, value| inner.$method(value))
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        })*
    };
}

elements! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! named {
    ($($trait:ident),* $(,)?) => {
        $(impl<C: $trait> $trait for Members<'_, C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), C::Error> {
                self.member(value, || Some(Step::Name(name)), |inner, value| inner.serialize_field(name, value))
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), C::Error> {
                self.inner.skip_field(name)
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        })*
    };
}

named! { SerializeStruct, SerializeStructVariant }

impl<C: SerializeMap> SerializeMap for Members<'_, C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_key<K: Serialize + ?Sized>(&mut self, key: &K) -> Result<(), C::Error> {
        self.inner.serialize_key(key)?;
        self.key = key_text(key);
        Ok(())
    }

    fn serialize_value<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), C::Error> {
        let key = self.key.take();
        self.member(value, || key.map(Step::Key), |inner, value| inner.serialize_value(value))
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), C::Error> {
        self.member(value, || key_text(key).map(Step::Key), |inner, value| inner.serialize_entry(key, value))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.inner.end()
    }
}
