#![allow(dead_code, missing_docs)]
use std::collections::*;
use haft_schema::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn show(title: &str, params: &[Param]) {
    match input(params, &InputOptions::default()) {
        Ok(i) => println!("== {title}\n  P {}\n  E {}\n  {:?} {:?} {:?} {:?}", i.published, schema_text(&i.exact), i.names, i.secrets, i.headers, i.members),
        Err(p) => { println!("== {title}"); for p in p { println!("  ! {p}"); } }
    }
}
fn one<T: JsonSchema + 'static>(title: &str) { show(title, &[Param::of::<T>("value")]); }

#[derive(JsonSchema, Deserialize)] struct SetNote { id: String, note: Option<String>, tags: Option<Vec<String>> }
#[derive(JsonSchema, Deserialize)] struct Page { offset: usize, limit: u32, since: u64, score: f32, delta: i8 }
#[derive(JsonSchema, Deserialize)] struct P3 { limit: u32, cursor: Option<String> }
#[derive(JsonSchema, Deserialize)] #[serde(deny_unknown_fields)] struct Search { query: String, #[serde(flatten)] page: P3 }
#[derive(JsonSchema, Deserialize)] #[serde(tag = "op", rename_all = "lowercase")] enum Edit {
    /// Stores a value
    Put { key: String, value: String },
    /// Removes it.
    Del { key: String } }
#[derive(JsonSchema, Deserialize)] enum Ext { Unit, Other, New(String), Str { a: u8, b: Option<String> }, Tup(u8, u8) }
#[derive(JsonSchema, Deserialize)] enum Ext2 { Circle { r: f64 }, Square(u32) }
#[derive(JsonSchema, Deserialize)] #[serde(tag = "t", content = "c")] enum Adj { A(String), B { x: u8 }, C }
#[derive(JsonSchema, Deserialize)] #[serde(untagged)] enum Unt { Id { id: u32 }, Name { name: String, limit: Option<u8> } }
#[derive(JsonSchema, Deserialize)] #[serde(untagged)] enum IntOrStr { I(i64), S(String) }
/// Where an order stands.
#[derive(JsonSchema, Deserialize)] #[serde(rename_all = "snake_case")] enum Doc {
    /// Not yet shipped
    Open, 
    /// On its way.
    Sent, Lost }
#[derive(JsonSchema, Deserialize)] enum Plain { A, B }
#[derive(JsonSchema, Deserialize)] struct Tree { name: String, children: Vec<Tree> }
#[derive(JsonSchema, Deserialize)] struct FlatEnum { id: u8, #[serde(flatten)] edit: Edit }
#[derive(JsonSchema, Deserialize)] struct FlatOpt { id: u8, #[serde(flatten)] edit: Option<Edit> }
#[derive(JsonSchema, Deserialize)] struct FlatMap { id: u8, #[serde(flatten)] rest: HashMap<String, u8> }
#[derive(JsonSchema, Deserialize)] struct Two { #[serde(flatten)] a: Edit, #[serde(flatten)] b: Adj }
#[derive(JsonSchema, Deserialize)] #[serde(tag = "kind")] enum Nest { Inner(Edit), Other }
#[derive(JsonSchema, Deserialize)] #[serde(tag = "kind")] enum NewT { Page(P3), Search(Search), Unit }
#[derive(JsonSchema, Deserialize)] struct Empty {}
#[derive(JsonSchema, Deserialize)] struct Unit;
#[derive(JsonSchema, Deserialize)] struct Newtype(#[schemars(regex(pattern = "^a"))] String);
#[derive(JsonSchema, Deserialize)] enum Never {}
#[derive(JsonSchema, Deserialize)] struct Defs { #[serde(default)] a: u8, #[serde(default = "five")] b: u8, #[serde(rename = "sea")] c: Option<Box<Option<Doc>>>, #[schemars(range(min = 1, max = 5), extend("writeOnly" = true))] d: u64, #[schemars(length(min = 1), inner(length(max = 3)))] e: Vec<String> }
fn five() -> u8 { 5 }

#[test]
fn scratch() {
    show("none", &[]);
    show("A01", &[Param::flatten::<SetNote>()]);
    show("A02", &[Param::flatten::<Page>()]);
    show("A03", &[Param::flatten::<Search>()]);
    show("A04 run", &[Param::flatten::<String>()]);
    show("A04", &[Param::flatten::<Edit>()]);
    show("A04b", &[Param::of::<String>("who").describe("Who."), Param::flatten::<Edit>()]);
    one::<Edit>("nested edit");
    one::<Option<Edit>>("nested opt edit");
    one::<Ext>("ext"); one::<Ext2>("ext2"); show("flat ext2", &[Param::flatten::<Ext2>()]);
    show("flat ext", &[Param::flatten::<Ext>()]);
    one::<Adj>("adj"); one::<Unt>("unt"); show("flat unt", &[Param::flatten::<Unt>()]);
    one::<IntOrStr>("intorstr"); one::<Doc>("doc"); one::<Option<Doc>>("opt doc"); one::<Plain>("plain"); one::<Option<Plain>>("opt plain");
    one::<Tree>("tree"); one::<FlatEnum>("flatenum"); one::<FlatOpt>("flatopt"); one::<FlatMap>("flatmap"); one::<Two>("two");
    one::<Nest>("nest"); one::<NewT>("newt"); one::<Empty>("empty"); one::<Unit>("unit"); one::<Newtype>("newtype"); one::<Never>("never");
    show("defs", &[Param::flatten::<Defs>()]);
    one::<Vec<Option<u8>>>("vec opt"); one::<(u8, String)>("tuple"); one::<[f64; 2]>("array"); one::<u128>("u128"); one::<serde_json::Value>("value"); one::<Option<serde_json::Value>>("opt value");
    one::<HashMap<String, serde_json::Value>>("map value"); one::<HashMap<String, u8>>("map"); one::<HashMap<i32, u8>>("map i32"); one::<BTreeMap<Plain2, u8>>("map enum");
    one::<HashSet<u8>>("set"); one::<std::time::Duration>("duration"); one::<std::num::NonZeroI8>("nz"); one::<std::num::NonZeroU64>("nzu"); one::<char>("char");
    one::<uuid::Uuid>("uuid"); one::<url::Url>("url"); one::<chrono::NaiveDate>("date"); one::<chrono::DateTime<chrono::Utc>>("dt"); one::<chrono::NaiveTime>("time"); one::<chrono::TimeDelta>("td"); one::<std::net::IpAddr>("ip");
    one::<std::borrow::Cow<'static, str>>("cow"); one::<std::sync::Arc<P3>>("arc"); one::<Option<Option<u8>>>("optopt"); one::<Result<u8, String>>("result"); one::<std::ffi::CString>("cstring"); one::<Vec<Vec<Edit>>>("vv"); one::<Vec<serde_json::Value>>("vec value");
    show("params", &[Param::of::<String>("order_id").describe("Order ID, e.g. A-1001").pattern(r"^A-\d{4}$").example("A-1001".into()), Param::of::<i64>("n").minimum(1).maximum(10).default_value(3.into()).header("N"), Param::of::<f64>("x").exclusive_minimum(0), Param::of::<Option<String>>("pw").secret().min_length(3), Param::of::<u8>("bad").pattern("x").header("n").secret(), Param::of::<String>("weird-name")]);
}
#[derive(JsonSchema, Deserialize, PartialEq, Eq, PartialOrd, Ord)] enum Plain2 { X, Y }

fn out<T: JsonSchema>(t: &str) { match output::<T>(&["portable_output"]) { Ok(o) => println!("== {t}: {:?}", o.map(|o| o.published)), Err(e) => { println!("== {t}"); for p in e { println!("  ! {p}"); } } } }
#[derive(JsonSchema, Serialize)] struct Order { id: String, note: Option<String>, #[serde(skip_serializing_if = "Option::is_none")] eta: Option<u32>, state: Doc2, n: u64, v: serde_json::Value, when: Option<Doc2>, tags: HashMap<String, serde_json::Value> }
#[derive(JsonSchema, Serialize)] enum Doc2 { 
    /// Not yet
    Open, Sent }
#[test]
fn scratch_out() {
    out::<Order>("order"); out::<Vec<Doc2>>("vec"); out::<i64>("i64"); out::<Option<Order>>("opt"); out::<bool>("bool"); out::<()>("unit"); out::<serde_json::Value>("v"); out::<Tree>("tree"); out::<Edit>("edit"); out::<Ext>("ext"); out::<Two>("two");
    println!("{:?}", output::<Vec<u8>>(&[]));
}
