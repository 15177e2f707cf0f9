//! Parameters and their schemas: what hosts see, what is checked, what is refused when a tool is built.
#![allow(dead_code, reason = "the types are there for their schemas")]

use std::collections::{BTreeMap, HashMap, HashSet};

use haft_schema::{Checker, Input, InputOptions, Param, Problem, input, portable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn of(params: &[Param]) -> Input {
    input(params, &InputOptions::default()).unwrap()
}

/// The published schema of an argument called `value`.
fn published<T: JsonSchema + 'static>() -> Value {
    let input = of(&[Param::of::<T>("value")]);
    assert_eq!(portable::input_schema(&input.published_value), []);
    input.published_value["properties"]["value"].clone()
}

/// The published text of a flattened type.
fn flattened<T: JsonSchema + 'static>() -> String {
    let input = of(&[Param::flatten::<T>()]);
    assert_eq!(portable::input_schema(&input.published_value), []);
    input.published
}

fn problems(params: &[Param]) -> Vec<Problem> {
    input(params, &InputOptions::default()).unwrap_err()
}

fn problem_of<T: JsonSchema + 'static>() -> String {
    let problems = problems(&[Param::of::<T>("value")]);
    let [only] = problems.as_slice() else { panic!("{problems:#?}") };
    only.to_string()
}

fn check(input: &Input, mut arguments: Value) -> Vec<String> {
    let checker = Checker::compile(&input.exact).unwrap();
    checker.normalise(&mut arguments);
    checker.check(&arguments).into_iter().map(|violation| violation.pointer).collect()
}

#[test]
fn no_parameters_publish_an_empty_closed_object() {
    assert_eq!(of(&[]).published, r#"{"type":"object","properties":{},"additionalProperties":false}"#);
}

#[test]
fn parameters_keep_their_order_and_their_words() {
    let input = of(&[
        Param::of::<String>("order_id")
            .describe("Order ID, e.g. A-1001")
            .pattern(r"^A-\d{4}$")
            .example("A-1001".into()),
        Param::of::<i64>("count").minimum(1).maximum(10).default_value(3.into()).header("Count"),
        Param::of::<Option<f64>>("at_least").exclusive_minimum(0.5),
        Param::of::<Option<String>>("password").secret().min_length(8),
        Param::of::<Vec<u8>>("bytes").max_length(4),
    ]);
    assert_eq!(
        input.published,
        concat!(
            r#"{"type":"object","properties":{"#,
            r#""order_id":{"type":"string","description":"Order ID, e.g. A-1001","pattern":"^A-\\d{4}$","examples":["A-1001"]},"#,
            r#""count":{"type":"integer","minimum":1,"maximum":10,"default":3,"x-mcp-header":"Count"},"#,
            r#""at_least":{"type":"number","description":"Greater than 0.5.","minimum":0.5},"#,
            r#""password":{"type":"string","minLength":8},"#,
            r#""bytes":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255},"maxItems":4}},"#,
            r#""required":["order_id","bytes"],"additionalProperties":false}"#,
        )
    );
    assert_eq!(input.names, ["order_id", "count", "at_least", "password", "bytes"]);
    assert_eq!(input.secrets, ["/password"]);
    assert_eq!(input.headers, [("/count".to_owned(), "Count".to_owned())]);
    assert_eq!(check(&input, json!({ "order_id": "A-1001", "bytes": [], "at_least": 0.5 })), ["/at_least"]);
}

#[derive(JsonSchema, Deserialize)]
struct SetNote {
    id: String,
    note: Option<String>,
    tags: Option<Vec<String>>,
}

#[test]
fn options_are_optional_and_never_null() {
    let input = of(&[Param::flatten::<SetNote>()]);
    assert_eq!(
        input.published,
        concat!(
            r#"{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"},"#,
            r#""tags":{"type":"array","items":{"type":"string"}}},"required":["id"],"additionalProperties":false}"#,
        )
    );
    assert_eq!(check(&input, json!({ "id": "1" })), [""; 0]);
    assert_eq!(check(&input, json!({ "id": "1", "note": null })), [""; 0]);
    assert_eq!(check(&input, json!({ "id": null })), ["/id"]);
}

#[derive(JsonSchema, Deserialize)]
struct Page {
    offset: usize,
    limit: u32,
    since: u64,
    score: f32,
    delta: i8,
}

#[test]
fn integer_formats_become_bounds() {
    let input = of(&[Param::flatten::<Page>()]);
    assert_eq!(
        input.published,
        concat!(
            r#"{"type":"object","properties":{"offset":{"type":"integer","minimum":0},"#,
            r#""limit":{"type":"integer","minimum":0,"maximum":4294967295},"since":{"type":"integer","minimum":0},"#,
            r#""score":{"type":"number"},"delta":{"type":"integer","minimum":-128,"maximum":127}},"#,
            r#""required":["offset","limit","since","score","delta"],"additionalProperties":false}"#,
        )
    );
    let page = |limit: Value| json!({ "offset": 0, "limit": limit, "since": 0, "score": 0.5, "delta": 0 });
    assert_eq!(check(&input, page(json!(4_294_967_295_u64))), [""; 0]);
    assert_eq!(check(&input, page(json!(2.0))), [""; 0]);
    assert_eq!(check(&input, page(json!(-1))), ["/limit"]);
    assert_eq!(check(&input, page(json!(4_294_967_296_u64))), ["/limit"]);
    assert_eq!(input.exact["properties"]["since"]["maximum"], json!(u64::MAX));
}

#[derive(JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    #[serde(flatten)]
    page: SmallPage,
}

#[derive(JsonSchema, Deserialize)]
struct SmallPage {
    limit: u32,
    cursor: Option<String>,
}

#[test]
fn flattened_structs_under_deny_unknown_fields_stay_one_object() {
    let input = of(&[Param::flatten::<Search>()]);
    assert_eq!(check(&input, json!({ "query": "x", "limit": 5 })), [""; 0]);
    assert_eq!(check(&input, json!({ "query": "x", "limit": 5, "zz": 1 })), ["/zz"]);
    assert_eq!(check(&input, json!({ "query": "x" })), ["/limit"]);
    assert_eq!(input.published_value["required"], json!(["query", "limit"]));
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Edit {
    /// Stores a value
    Put { key: String, value: String },
    /// Removes it.
    Del { key: String },
}

const EDIT: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""op":{"type":"string","description":"`put`: Stores a value. `del`: Removes it.","enum":["put","del"]},"#,
    r#""key":{"type":"string"},"#,
    r#""value":{"type":"string","description":"Needed when `op` is `put`. Leave out otherwise."}},"#,
    r#""required":["op","key"],"additionalProperties":false}"#,
);

#[test]
fn tagged_enums_become_one_object() {
    assert_eq!(flattened::<Edit>(), EDIT);
    let nested: Value = serde_json::from_str(EDIT).unwrap();
    assert_eq!(published::<Edit>(), nested);
    assert_eq!(published::<Option<Edit>>(), nested);
    assert_eq!(published::<Vec<Edit>>()["items"], nested);
}

#[test]
fn the_exact_schema_knows_which_variant_needs_what() {
    let input = of(&[Param::flatten::<Edit>()]);
    assert_eq!(check(&input, json!({ "op": "put", "key": "k", "value": "v" })), [""; 0]);
    assert_eq!(check(&input, json!({ "op": "put", "key": "k" })), ["/value"]);
    assert_eq!(check(&input, json!({ "op": "del", "key": "k", "value": "v" })), ["/value"]);
    assert_eq!(check(&input, json!({ "op": "dell", "key": 1 })), ["/op", "/key"]);
}

#[test]
fn parameters_beside_a_tagged_enum_belong_to_every_variant() {
    let input = of(&[Param::of::<String>("who"), Param::flatten::<Edit>()]);
    assert_eq!(input.names, ["who", "op", "key", "value"]);
    assert_eq!(input.members[0].names, ["who"]);
    assert_eq!(input.members[1].names, ["op", "key", "value"]);
    assert_eq!(input.published_value["required"], json!(["who", "op", "key"]));
    assert_eq!(check(&input, json!({ "who": "me", "op": "del", "key": "k" })), [""; 0]);
    assert_eq!(check(&input, json!({ "op": "del", "key": "k" })), ["/who"]);
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "kind")]
enum Nested {
    Edit(Edit),
    Page(SmallPage),
    Nothing,
}

#[test]
fn an_enum_inside_a_variant_is_told_by_its_own_tag() {
    let schema = published::<Nested>();
    assert_eq!(schema["properties"]["kind"]["enum"], json!(["Edit", "Page", "Nothing"]));
    let note = |name: &str| schema["properties"][name]["description"].clone();
    assert_eq!(
        note("op"),
        "`put`: Stores a value. `del`: Removes it. Needed when `kind` is `Edit`. Leave out otherwise."
    );
    assert_eq!(note("value"), "Needed when `op` is `put`. Leave out otherwise.");
    assert_eq!(note("limit"), "Needed when `kind` is `Page`. Leave out otherwise.");
    assert_eq!(note("cursor"), "Only when `kind` is `Page`.");
}

#[derive(JsonSchema, Deserialize)]
enum External {
    Unit,
    Newtype(String),
    Struct { a: u8 },
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(String),
    B { x: bool },
    C,
}

#[derive(JsonSchema, Deserialize)]
#[serde(untagged)]
enum Query {
    Id { id: bool },
    Name { name: String, limit: Option<bool> },
}

#[test]
fn the_other_representations_of_enums() {
    assert_eq!(
        published::<External>(),
        json!({ "anyOf": [
            { "type": "string", "enum": ["Unit"] },
            { "type": "object", "properties": { "Newtype": { "type": "string" } }, "required": ["Newtype"], "additionalProperties": false },
            { "type": "object", "properties": { "Struct": {
                "type": "object", "properties": { "a": { "type": "integer", "minimum": 0, "maximum": 255 } }, "required": ["a"], "additionalProperties": false
            } }, "required": ["Struct"], "additionalProperties": false },
        ] })
    );
    assert_eq!(
        published::<Adjacent>(),
        json!({
            "type": "object",
            "properties": {
                "t": { "type": "string", "enum": ["A", "B", "C"] },
                "c": {
                    "description": "Needed when `t` is `A` or `B`. Leave out otherwise.",
                    "anyOf": [
                        { "type": "string" },
                        { "type": "object", "properties": { "x": { "type": "boolean" } }, "required": ["x"], "additionalProperties": false },
                    ],
                },
            },
            "required": ["t"],
            "additionalProperties": false,
        })
    );
    let id = json!({ "type": "object", "properties": { "id": { "type": "boolean" } }, "required": ["id"], "additionalProperties": false });
    let name = json!({
        "type": "object", "properties": { "name": { "type": "string" }, "limit": { "type": "boolean" } }, "required": ["name"],
        "additionalProperties": false,
    });
    assert_eq!(published::<Query>(), json!({ "anyOf": [id, name] }));
    let sets = "Give exactly one of these: `id`; or `name` (optionally `limit`).";
    let input = of(&[Param::flatten::<Query>()]);
    assert_eq!(input.published_value["properties"]["limit"]["description"], sets);
    assert_eq!(input.published_value.get("required"), None);
    assert_eq!(check(&input, json!({ "name": "a", "limit": true })), [""; 0]);
    assert_ne!(check(&input, json!({ "id": true, "name": "a" })), [""; 0]);
}

/// Where an order stands.
#[derive(JsonSchema, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// Not yet
    /// shipped
    Open,
    /// Left the house!
    Sent,
    Lost,
}

#[test]
fn documented_enums_become_one_enum() {
    let words = "`open`: Not yet shipped. `sent`: Left the house!";
    let enumeration = json!(["lost", "open", "sent"]);
    assert_eq!(
        published::<Option<Status>>(),
        json!({ "type": "string", "description": format!("Where an order stands. {words}"), "enum": enumeration })
    );
    let described = of(&[Param::of::<Status>("value").describe("New state")]);
    assert_eq!(described.published_value["properties"]["value"]["description"], format!("New state. {words}"));
}

#[derive(JsonSchema, Deserialize)]
struct Transparent(#[schemars(length(min = 2))] String);

#[derive(JsonSchema, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    X,
    Y,
}

#[derive(JsonSchema, Deserialize)]
struct Empty {}

#[test]
fn shapes_of_the_standard_library_and_of_crates() {
    let byte = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
    assert_eq!(published::<Transparent>(), json!({ "type": "string", "minLength": 2 }));
    assert_eq!(published::<Empty>(), json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    assert_eq!(published::<Option<Option<Box<u8>>>>(), byte);
    assert_eq!(published::<std::borrow::Cow<'static, str>>(), json!({ "type": "string" }));
    assert_eq!(published::<char>(), json!({ "type": "string", "minLength": 1, "maxLength": 1 }));
    assert_eq!(published::<i64>(), json!({ "type": "integer" }));
    assert_eq!(
        published::<std::num::NonZeroI8>(),
        json!({ "type": "integer", "description": "Not 0.", "minimum": -128, "maximum": 127 })
    );
    assert_eq!(published::<std::num::NonZeroU64>(), json!({ "type": "integer", "minimum": 1 }));
    assert_eq!(published::<[u8; 2]>(), json!({ "type": "array", "items": byte, "minItems": 2, "maxItems": 2 }));
    assert_eq!(published::<HashSet<u8>>(), json!({ "type": "array", "description": "No duplicates.", "items": byte }));
    assert_eq!(published::<HashMap<String, u8>>(), json!({ "type": "object", "additionalProperties": byte }));
    assert_eq!(
        published::<BTreeMap<u32, u8>>(),
        json!({ "type": "object", "description": "Keys are whole numbers.", "additionalProperties": byte })
    );
    assert_eq!(
        published::<BTreeMap<Key, u8>>(),
        json!({ "type": "object", "properties": { "X": byte, "Y": byte }, "additionalProperties": false })
    );
    assert_eq!(published::<HashMap<String, Value>>(), json!({ "type": "object", "additionalProperties": true }));
    assert_eq!(published::<Value>(), json!({ "description": "Any JSON value." }));
    assert_eq!(published::<Vec<Value>>(), json!({ "type": "array", "items": { "description": "Any JSON value." } }));
    assert_eq!(published::<std::time::Duration>()["required"], json!(["secs", "nanos"]));
    assert_eq!(published::<chrono::DateTime<chrono::Utc>>(), json!({ "type": "string", "format": "date-time" }));
    assert_eq!(published::<uuid::Uuid>()["description"], "A UUID.");
    assert_eq!(published::<url::Url>()["description"], "An absolute URL.");
    assert_eq!(published::<chrono::NaiveDate>()["description"], "A date, YYYY-MM-DD.");
    let required = |input: Input| input.published_value["required"].clone();
    assert_eq!(required(of(&[Param::of::<Value>("value")])), json!(["value"]));
    assert_eq!(required(of(&[Param::of::<Option<Value>>("value")])), Value::Null);
    assert_eq!(required(of(&[Param::of::<Box<Option<u8>>>("value")])), Value::Null);
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Settings {
    #[serde(default = "five")]
    count: u8,
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: String,
    #[serde(rename = "dash-ed")]
    dashed: Option<bool>,
    /// The
    /// key.
    #[schemars(extend("writeOnly" = true))]
    key: String,
    #[schemars(range(min = 1, max = 5), extend("multipleOf" = 2))]
    step: u64,
}

fn five() -> u8 {
    5
}

#[test]
fn attributes_of_serde_and_schemars_are_kept() {
    let input = of(&[Param::of::<Settings>("settings")]);
    let schema = &input.published_value["properties"]["settings"];
    assert_eq!(schema["properties"]["count"]["default"], 5);
    assert_eq!(schema["properties"]["step"]["description"], "A multiple of 2.");
    assert_eq!(schema["properties"]["step"]["maximum"], 5);
    assert_eq!(schema["properties"]["key"], json!({ "type": "string", "description": "The key." }));
    assert_eq!(schema["required"], json!(["key", "step"]));
    assert_eq!(input.secrets, ["/settings/key"]);
    // The type's own default breaks the type's own schema: it isn't published.
    assert_eq!(schema["properties"]["name"].get("default"), None);
}

#[derive(JsonSchema, Deserialize)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[derive(JsonSchema, Deserialize)]
enum Never {}

#[derive(JsonSchema, Deserialize)]
enum EmptyName {
    #[serde(rename = "")]
    Nothing,
    Something,
}

#[test]
fn what_hosts_do_not_take_is_refused() {
    assert_eq!(
        problem_of::<(u8, String)>(),
        "/properties/value: the argument `value` is a tuple, which hosts don't take; use a struct with named fields [portable_input]"
    );
    assert_eq!(
        problem_of::<Vec<(f64, f64)>>(),
        "/properties/value/items: the value at `value/*` is a tuple, which hosts don't take; use an array (`[T; 2]`), or a struct with named fields [portable_input]"
    );
    assert_eq!(
        problem_of::<Vec<Option<u8>>>(),
        "/properties/value/items: the value at `value/*` can be null, which hosts don't take; use a list without `Option`s and leave elements out [portable_input]"
    );
    assert_eq!(
        problem_of::<HashMap<String, Option<u8>>>(),
        "/properties/value/additionalProperties: the value at `value/*` can be null, which hosts don't take; use a map without `Option`s and leave entries out [portable_input]"
    );
    assert_eq!(
        problem_of::<i128>(),
        "/properties/value: the argument `value` is a 128-bit integer, which JSON numbers don't carry; use `u64` or `i64`, or a `String` with a pattern [portable_input]"
    );
    assert_eq!(
        problem_of::<Tree>(),
        "the type `Tree` contains itself, and some hosts refuse every tool of the session for it; use a flat list with ids, or allow(recursion) [recursion]"
    );
    assert_eq!(
        problem_of::<Never>(),
        "/properties/value: no value at all would do for the argument `value`; its type has no variants [schema]"
    );
    assert!(problem_of::<()>().contains("can be null"));
    assert!(problem_of::<EmptyName>().contains("an empty value"));
    let flattened = problems(&[Param::flatten::<String>()]);
    assert_eq!(
        flattened[0].to_string(),
        "`alloc::string::String` isn't a struct, a map or an enum of structs, so its fields can't be arguments; name it as one argument instead [schema]"
    );
}

#[test]
fn integer_keys_that_serde_could_not_read_are_refused() {
    #[derive(JsonSchema, Deserialize)]
    struct Keys {
        by_id: BTreeMap<u32, u8>,
    }
    #[derive(JsonSchema, Deserialize)]
    #[serde(tag = "kind")]
    enum Internal {
        Keys(Keys),
        Nothing,
    }
    #[derive(JsonSchema, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Keys(Keys),
        Name(String),
    }
    #[derive(JsonSchema, Deserialize)]
    enum Direct {
        Keys(Keys),
        Nothing,
    }
    assert!(serde_json::from_value::<Internal>(json!({ "kind": "Keys", "by_id": { "1": 1 } })).is_err());
    assert!(problem_of::<Internal>().contains("`value/by_id` is a map with integer keys inside an enum"));
    assert!(problem_of::<Untagged>().contains("integer keys inside an enum"));
    assert!(serde_json::from_value::<Direct>(json!({ "Keys": { "by_id": { "1": 1 } } })).is_ok());
    published::<Direct>();
    published::<Keys>();
}

#[test]
fn conditions_of_a_handwritten_schema_leave_the_published_object_open() {
    fn conditional(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": { "a": { "type": "string" } },
            "if": { "required": ["a"] },
            "then": { "properties": { "b": { "type": "string" } }, "required": ["b"] },
        })
    }
    #[derive(JsonSchema, Deserialize)]
    struct Holder {
        #[schemars(schema_with = "conditional")]
        v: Value,
    }
    let input = of(&[Param::flatten::<Holder>()]);
    assert_eq!(input.published_value["properties"]["v"].get("additionalProperties"), None);
    assert_eq!(check(&input, json!({ "v": { "a": "x", "b": "y" } })), [""; 0]);
    assert_ne!(check(&input, json!({ "v": { "a": "x" } })), [""; 0]);
    assert_ne!(check(&input, json!({ "v": { "c": "x" } })), [""; 0]);
}

#[test]
fn a_member_that_variants_document_differently_is_one_schema() {
    #[derive(JsonSchema, Deserialize)]
    #[serde(tag = "op")]
    enum Change {
        Add {
            /// The new name
            name: String,
            size: u8,
        },
        Remove {
            /// The name to remove
            name: String,
            size: bool,
        },
    }
    let schema = published::<Change>();
    assert_eq!(
        schema["properties"]["name"],
        json!({ "type": "string", "description": "The new name. The name to remove" })
    );
    assert_eq!(schema["properties"]["size"]["anyOf"].as_array().unwrap().len(), 2);
    assert_eq!(schema["required"], json!(["op", "name", "size"]));
}

#[test]
fn a_pattern_of_the_authors_stays_beside_a_format() {
    let utc = of(&[Param::of::<chrono::DateTime<chrono::Utc>>("at").pattern("Z$")]);
    assert_eq!(
        utc.published_value["properties"]["at"],
        json!({ "type": "string", "format": "date-time", "pattern": "Z$" })
    );
}

#[test]
fn exclusive_bounds_of_integers_become_inclusive_ones() {
    let bounds = |param: Param| {
        let schema = of(&[param]).published_value["properties"]["n"].clone();
        (schema["minimum"].as_i64(), schema["maximum"].as_i64())
    };
    let n = || Param::of::<i64>("n");
    assert_eq!(bounds(n().exclusive_minimum(0).exclusive_maximum(10)), (Some(1), Some(9)));
    assert_eq!(bounds(n().exclusive_minimum(0.5).maximum(9.5)), (Some(1), Some(9)));
    assert_eq!(bounds(n().exclusive_minimum(-1e300)), (None, None));
    assert_eq!(bounds(n().minimum(i64::MIN).maximum(1_i64 << 53)), (None, None));
}

#[test]
fn a_map_alone_can_be_flattened() {
    let input = of(&[Param::flatten::<serde_json::Map<String, Value>>()]);
    assert_eq!(input.published, r#"{"type":"object","properties":{},"additionalProperties":true}"#);
}

#[test]
fn descriptions_have_a_limit() {
    let long: &'static str = "x".repeat(portable::MAX_DESCRIPTION + 1).leak();
    let problems = problems(&[Param::of::<u8>("a").describe(long)]);
    assert_eq!((problems[0].rule, problems[0].place.as_str()), ("portable_description", "/properties/a/description"));
}

#[test]
fn all_slips_of_a_signature_are_reported_at_once() {
    let problems = problems(&[
        Param::of::<u8>("a").pattern("x").header("H"),
        Param::of::<String>("b").minimum(1).header("h"),
        Param::of::<bool>("c").max_length(1),
        Param::of::<u8>("d").minimum(300),
        Param::of::<String>("e").secret().header("no token"),
        Param::of::<i64>("f").header("Wide"),
        Param::of::<f64>("g").header("Float"),
        Param::of::<u8>("h").default_value(256.into()),
        Param::of::<String>("i").pattern("^a$").example("b".into()),
        Param::of::<String>("dash-ed"),
        Param::of::<String>("c"),
    ]);
    let list: Vec<String> = problems.iter().map(|problem| format!("{} {}", problem.place, problem.rule)).collect();
    let expected = [
        "/properties/a schema",
        "/properties/b schema",
        "/properties/c schema",
        "/properties/c schema",
        "/properties/d schema",
        "/properties/h schema",
        "/properties/i schema",
        "/properties/dash-ed portable_input",
        "/properties/b header",
        "/properties/e header",
        "/properties/f header",
        "/properties/g header",
        "/properties/e schema",
    ];
    assert_eq!(list, expected, "{problems:#?}");
    assert_eq!(
        problems[5].message,
        "the default of the argument `h` isn't taken by its own schema: /h: must be at most 255, got 256"
    );
}

#[test]
fn a_rule_can_be_opted_out_of_by_name() {
    let input =
        input(&[Param::of::<(u8, u8)>("value")], &InputOptions { closed: true, allow: &["portable_input"] }).unwrap();
    assert_eq!(input.published_value["properties"]["value"]["prefixItems"].as_array().unwrap().len(), 2);
    assert_eq!(check(&input, json!({ "value": [1, 256] })), ["/value/1"]);

    let tree = haft_schema::input(&[Param::of::<Tree>("tree")], &InputOptions { closed: true, allow: &["recursion"] })
        .unwrap();
    assert_eq!(
        tree.published,
        concat!(
            r##"{"type":"object","properties":{"tree":{"type":"object","properties":{"name":{"type":"string"},"##,
            r##""children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["name","children"],"additionalProperties":false}},"##,
            r##""required":["tree"],"additionalProperties":false,"$defs":{"Tree":{"type":"object","properties":{"name":{"type":"string"},"##,
            r##""children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["name","children"],"additionalProperties":false}}}"##,
        )
    );
    let leaf = |name: Value| json!({ "tree": { "name": "a", "children": [{ "name": name, "children": [] }] } });
    assert_eq!(check(&tree, leaf(json!("b"))), [""; 0]);
    assert_eq!(check(&tree, leaf(json!(1))), ["/tree/children/0/name"]);
}

#[test]
fn open_inputs_ignore_unknown_arguments_and_nothing_else() {
    let open = InputOptions { closed: false, allow: &[] };
    let input = input(&[Param::flatten::<Edit>(), Param::of::<SmallPage>("page")], &open).unwrap();
    assert!(!input.published.contains("additionalProperties"), "{}", input.published);
    let call = |edit: Value| {
        let mut call = json!({ "page": { "limit": 1, "zz": 1 }, "sessionId": "s" });
        call.as_object_mut().unwrap().extend(edit.as_object().unwrap().clone());
        check(&input, call)
    };
    assert_eq!(call(json!({ "op": "del", "key": "k" })), [""; 0]);
    assert_eq!(call(json!({ "op": "put", "key": "k" })), ["/value"]);
    // The name is known, if not to this variant.
    assert_eq!(call(json!({ "op": "del", "key": "k", "value": "v" })), ["/value"]);
}

#[test]
fn a_flattened_map_takes_all_other_names() {
    let input = of(&[Param::of::<u8>("id"), Param::flatten::<HashMap<String, bool>>()]);
    assert!(input.members[1].rest);
    assert_eq!(
        input.published,
        concat!(
            r#"{"type":"object","properties":{"id":{"type":"integer","minimum":0,"maximum":255}},"required":["id"],"#,
            r#""additionalProperties":{"type":"boolean"}}"#
        )
    );
    assert_eq!(check(&input, json!({ "id": 1, "a": true })), [""; 0]);
    assert_eq!(check(&input, json!({ "id": 1, "a": 1 })), ["/a"]);
}

#[test]
fn a_header_in_a_struct_is_found_and_one_in_a_list_refused() {
    #[derive(JsonSchema, Deserialize)]
    struct Target {
        #[schemars(extend("x-mcp-header" = "Region"))]
        region: String,
    }
    let input = of(&[Param::of::<Target>("target")]);
    assert_eq!(input.headers, [("/target/region".to_owned(), "Region".to_owned())]);
    let problems = problems(&[Param::of::<Vec<Target>>("targets")]);
    assert_eq!(problems[0].rule, "header");
}
