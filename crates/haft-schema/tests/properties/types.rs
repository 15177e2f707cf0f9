//! Types of every shape, each with a strategy for its values.

use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroI8, NonZeroU64};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

macro_rules! shape {
    ($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty = $strategy:expr,)* }) => {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        $(#[$meta])*
        pub(crate) struct $name { $($(#[$field_meta])* $field: $type,)* }

        impl $name {
            pub(crate) fn values() -> BoxedStrategy<$name> {
                ($(($strategy).boxed(),)*).prop_map(|($($field,)*)| $name { $($field,)* }).boxed()
            }
        }
    };
}

fn text() -> BoxedStrategy<String> {
    prop_oneof!["[a-z]{0,3}", "\\PC{0,4}"].boxed()
}

fn float() -> BoxedStrategy<f64> {
    prop_oneof![proptest::num::f64::NORMAL, Just(0.0), Just(-0.0), Just(2.0), Just(f64::MAX), Just(1e19)].boxed()
}

fn wide() -> BoxedStrategy<u64> {
    prop_oneof![any::<u64>(), Just(u64::MAX), Just(1 << 53), Just((1 << 53) + 1)].boxed()
}

shape! {
    struct Numbers {
        a: u8 = any::<u8>(),
        b: u16 = any::<u16>(),
        c: u32 = any::<u32>(),
        d: u64 = wide(),
        e: usize = any::<usize>(),
        f: i8 = any::<i8>(),
        g: i32 = any::<i32>(),
        h: i64 = any::<i64>(),
        i: f32 = prop_oneof![proptest::num::f32::NORMAL, Just(f32::MAX), Just(f32::MIN)],
        j: f64 = float(),
        k: NonZeroI8 = any::<NonZeroI8>(),
        l: NonZeroU64 = any::<NonZeroU64>(),
    }
}

shape! {
    struct Inner {
        x: u8 = any::<u8>(),
        y: Option<String> = of(text()),
    }
}

shape! {
    struct Optional {
        a: Option<String> = of(text()),
        b: Option<Option<u8>> = of(of(any::<u8>())).prop_map(|value| value.flatten().map(Some)),
        c: Option<Vec<u8>> = of(vec(any::<u8>(), 0..3)),
        #[serde(skip_serializing_if = "Option::is_none")]
        d: Option<Box<Inner>> = of(Inner::values().prop_map(Box::new)),
        #[serde(default)]
        e: u8 = any::<u8>(),
        #[serde(default, rename = "eff")]
        f: Option<Status> = of(Status::values()),
        g: Option<Edit> = of(Edit::values()),
        #[serde(default)]
        h: bool = any::<bool>(),
        i: Option<NonZeroI8> = of(any::<NonZeroI8>()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Size {
    Small,
    Large,
}

fn sizes() -> BoxedStrategy<Size> {
    prop_oneof![Just(Size::Small), Just(Size::Large)].boxed()
}

shape! {
    struct Maps {
        a: BTreeMap<String, u8> = btree_map(text(), any::<u8>(), 0..3),
        b: BTreeMap<u64, bool> = btree_map(wide(), any::<bool>(), 0..3),
        c: BTreeMap<i64, bool> = btree_map(any::<i64>(), any::<bool>(), 0..3),
        d: BTreeMap<Size, u8> = btree_map(sizes(), any::<u8>(), 0..3),
        e: BTreeMap<String, Value> = btree_map(text(), Just(json!({ "a": [null, 1] })), 0..2),
        f: Value = prop_oneof![Just(json!(null)), Just(json!({ "a": 1 })), Just(json!([2.0]))],
        g: BTreeMap<String, Inner> = btree_map(text(), Inner::values(), 0..3),
    }
}

shape! {
    struct Lists {
        a: Vec<Inner> = vec(Inner::values(), 0..3),
        b: [u8; 3] = any::<[u8; 3]>(),
        c: BTreeSet<u8> = btree_set(any::<u8>(), 0..3),
        d: Vec<Vec<Size>> = vec(vec(sizes(), 0..3), 0..3),
        e: Vec<Edit> = vec(Edit::values(), 0..3),
        f: Vec<Value> = vec(Just(json!(null)), 0..2),
        #[schemars(length(min = 1))]
        g: Vec<bool> = vec(any::<bool>(), 1..3),
    }
}

fn instants() -> BoxedStrategy<DateTime<Utc>> {
    (0_i64..4_000_000_000, 0_u32..1_000_000_000).prop_map(|(s, n)| DateTime::from_timestamp(s, n).unwrap()).boxed()
}

shape! {
    struct Strings {
        a: String = text(),
        b: char = any::<char>(),
        #[schemars(regex(pattern = r"^A-\d{4}$"))]
        c: String = "A-[0-9]{4}",
        d: uuid::Uuid = any::<u128>().prop_map(uuid::Uuid::from_u128),
        e: url::Url = "[a-z]{1,5}".prop_map(|host| url::Url::parse(&format!("https://{host}.example/")).unwrap()),
        f: NaiveDate = instants().prop_map(|instant| instant.date_naive()),
        g: NaiveTime = instants().prop_map(|instant| instant.time()),
        h: NaiveDateTime = instants().prop_map(|instant| instant.naive_utc()),
        i: DateTime<Utc> = instants(),
        j: std::net::Ipv4Addr = any::<std::net::Ipv4Addr>(),
        k: Duration = (any::<u32>(), 0_u32..1_000_000_000).prop_map(|(s, n)| Duration::new(s.into(), n)),
        #[schemars(length(min = 1, max = 2))]
        l: String = "[a-zé]{1,2}",
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) enum External {
    Unit,
    /// A documented one.
    Other,
    Newtype(String),
    Struct {
        a: u8,
        b: Option<Inner>,
    },
    Nested(Edit),
}

impl External {
    pub(crate) fn values() -> BoxedStrategy<External> {
        prop_oneof![
            Just(External::Unit),
            Just(External::Other),
            text().prop_map(External::Newtype),
            (any::<u8>(), of(Inner::values())).prop_map(|(a, b)| External::Struct { a, b }),
            Edit::values().prop_map(External::Nested),
        ]
        .boxed()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Shape {
    Circle { r: f64 },
    Square(u32),
}

impl Shape {
    pub(crate) fn values() -> BoxedStrategy<Shape> {
        prop_oneof![float().prop_map(|r| Shape::Circle { r }), any::<u32>().prop_map(Shape::Square)].boxed()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Edit {
    /// Stores a value.
    Put {
        key: String,
        value: u64,
    },
    Del {
        key: String,
        note: Option<String>,
    },
    Clear,
}

impl Edit {
    pub(crate) fn values() -> BoxedStrategy<Edit> {
        prop_oneof![
            (text(), wide()).prop_map(|(key, value)| Edit::Put { key, value }),
            (text(), of(text())).prop_map(|(key, note)| Edit::Del { key, note }),
            Just(Edit::Clear),
        ]
        .boxed()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub(crate) enum Wrapped {
    Inner(Inner),
    Edit(Edit),
    Denied(Denied),
    None,
}

impl Wrapped {
    pub(crate) fn values() -> BoxedStrategy<Wrapped> {
        prop_oneof![
            Inner::values().prop_map(Wrapped::Inner),
            Edit::values().prop_map(Wrapped::Edit),
            Just(Wrapped::None),
        ]
        .boxed()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    A(String),
    B { x: u8 },
    C,
    D(Edit),
}

impl Adjacent {
    pub(crate) fn values() -> BoxedStrategy<Adjacent> {
        prop_oneof![
            text().prop_map(Adjacent::A),
            any::<u8>().prop_map(|x| Adjacent::B { x }),
            Just(Adjacent::C),
            Edit::values().prop_map(Adjacent::D),
        ]
        .boxed()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Query {
    Id { id: u32 },
    Name { name: String, limit: Option<i8> },
}

impl Query {
    pub(crate) fn values() -> BoxedStrategy<Query> {
        prop_oneof![
            any::<u32>().prop_map(|id| Query::Id { id }),
            (text(), of(any::<i8>())).prop_map(|(name, limit)| Query::Name { name, limit }),
        ]
        .boxed()
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum NumberOrName {
    Number(i32),
    Name(String),
    Many(Vec<u8>),
}

impl NumberOrName {
    pub(crate) fn values() -> BoxedStrategy<NumberOrName> {
        prop_oneof![
            any::<i32>().prop_map(NumberOrName::Number),
            text().prop_map(NumberOrName::Name),
            vec(any::<u8>(), 0..3).prop_map(NumberOrName::Many),
        ]
        .boxed()
    }
}

/// Where an order stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Not yet shipped
    Open,
    OnItsWay,
}

impl Status {
    pub(crate) fn values() -> BoxedStrategy<Status> {
        prop_oneof![Just(Status::Open), Just(Status::OnItsWay)].boxed()
    }
}

shape! {
    struct FlatEnum {
        id: u8 = any::<u8>(),
        #[serde(flatten)]
        edit: Edit = Edit::values(),
    }
}

shape! {
    struct FlatOptional {
        id: u8 = any::<u8>(),
        #[serde(flatten)]
        shape: Option<Shape> = of(Shape::values()),
        #[serde(flatten)]
        edit: Option<Edit> = of(Edit::values()),
    }
}

shape! {
    struct FlatMap {
        id: u8 = any::<u8>(),
        #[serde(flatten)]
        rest: BTreeMap<String, bool> = btree_map("[a-z]{3}", any::<bool>(), 0..3),
    }
}

shape! {
    struct FlatTwice {
        #[serde(flatten)]
        edit: Edit = Edit::values(),
        #[serde(flatten)]
        adjacent: Adjacent = Adjacent::values(),
        #[serde(flatten)]
        inner: Inner = Inner::values(),
    }
}

shape! {
    #[serde(deny_unknown_fields)]
    struct Denied {
        query: String = text(),
        #[serde(flatten)]
        inner: Inner = Inner::values(),
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Tree {
    name: String,
    children: Vec<Tree>,
    parent: Option<Box<Tree>>,
}

impl Tree {
    pub(crate) fn values() -> BoxedStrategy<Tree> {
        let leaf = text().prop_map(|name| Tree { name, children: Vec::new(), parent: None });
        leaf.prop_recursive(3, 12, 3, |inner| {
            (text(), vec(inner.clone(), 0..3), of(inner.prop_map(Box::new))).prop_map(|(name, children, parent)| Tree {
                name,
                children,
                parent,
            })
        })
        .boxed()
    }
}

shape! {
    struct Everything {
        numbers: Option<Numbers> = of(Numbers::values()),
        maps: Maps = Maps::values(),
        external: Vec<External> = vec(External::values(), 0..2),
        adjacent: BTreeMap<String, Adjacent> = btree_map(text(), Adjacent::values(), 0..2),
        query: Option<Query> = of(Query::values()),
        either: Option<NumberOrName> = of(NumberOrName::values()),
        wrapped: Wrapped = Wrapped::values(),
    }
}
