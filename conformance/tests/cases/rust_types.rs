//! The cases about Rust types: what is published for them, and what is taken and refused.

use haft::BuildError;
use haft::prelude::*;
use serde_json::{Value, json};

mod calls;

pub(super) use calls::blocking_calls;
use calls::{Trial, must};

/// Runs the case with this id.
pub(super) fn run(id: &str) -> Result<(), String> {
    match id {
        "A01" => optional_arguments(),
        "A02" => integer_bounds(),
        "A03" => flattened_struct(),
        "A04" => newtypes_and_tagged_enums(),
        "A16" => bare_outputs(),
        _ => Err("nobody has written this case; add a function to rust_types.rs".to_owned()),
    }
}

/// A01: optional means "may be left out", in a form that every host reads.
fn optional_arguments() -> Result<(), String> {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct SetNote {
        id: String,
        note: Option<String>,
        tags: Option<Vec<String>>,
    }

    /// Use this to put a note on a record.
    #[tool(additive, closed_world)]
    async fn set_note(#[arg(flatten)] it: SetNote) -> String {
        format!("{} {:?} {:?}", it.id, it.note, it.tags)
    }

    let trial = Trial::new([set_note::tool()])?;
    let schema = trial.input_schema("set_note")?;
    must(schema["required"] == json!(["id"]), "required is exactly [\"id\"]", &schema)?;
    calls::walk(&schema, &mut |part| {
        must(part.get("nullable").is_none(), "`nullable` appears nowhere", part)?;
        must(!part.get("type").is_some_and(Value::is_array), "no type is an array", part)
    })?;
    let plain = trial.taken("set_note", json!({"id": "n1"}))?;
    let null = trial.taken("set_note", json!({"id": "n1", "note": null}))?;
    must(plain == "n1 None None" && plain == null, "a null is taken as if it were absent", &json!([plain, null]))?;
    trial.taken("set_note", json!({"id": "n1", "note": "x", "tags": ["y"]}))?;
    trial.refused("set_note", json!({"id": null}), &["/id"])
}

/// A02: integers keep their bounds and lose the formats that only schemars knows.
fn integer_bounds() -> Result<(), String> {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Page {
        offset: usize,
        limit: u32,
        since: u64,
        score: f32,
        delta: i8,
    }

    /// Use this to read a page.
    #[tool(read_only, closed_world)]
    async fn read_page(#[arg(flatten)] page: Page) -> String {
        format!("{} {} {} {} {}", page.offset, page.limit, page.since, page.score, page.delta)
    }

    /// What JSON Schema 2020-12 defines.
    const FORMATS: [&str; 19] = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "iri",
        "iri-reference",
        "uuid",
        "uri-template",
        "json-pointer",
        "relative-json-pointer",
        "regex",
    ];
    let trial = Trial::new([read_page::tool()])?;
    let schema = trial.input_schema("read_page")?;
    calls::walk(&schema, &mut |part| match part.get("format").and_then(Value::as_str) {
        Some(format) => must(FORMATS.contains(&format), "no format that JSON Schema doesn't define", part),
        None => Ok(()),
    })?;
    let properties = &schema["properties"];
    for unsigned in ["offset", "limit", "since"] {
        must(
            properties[unsigned]["minimum"].as_i64() == Some(0),
            "unsigned types have minimum 0",
            &properties[unsigned],
        )?;
    }
    must(properties["limit"]["maximum"].as_u64() == Some(u64::from(u32::MAX)), "u32 has its maximum", properties)?;
    let delta = (properties["delta"]["minimum"].as_i64(), properties["delta"]["maximum"].as_i64());
    must(delta == (Some(-128), Some(127)), "i8 has its bounds", properties)?;

    let page = |limit: Value| json!({"offset": 0, "limit": limit, "since": 0, "score": 0.5, "delta": 0});
    trial.refused("read_page", page(json!(-1)), &["/limit"])?;
    trial.refused("read_page", page(json!(4_294_967_296_u64)), &["/limit"])?;
    trial.taken("read_page", page(json!(4_294_967_295_u64))).map(|_| ())
}

/// A03: a struct that denies unknown fields and flattens another.
fn flattened_struct() -> Result<(), String> {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Search {
        query: String,
        #[serde(flatten)]
        page: Page,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Page {
        limit: u32,
        cursor: Option<String>,
    }

    /// Use this to search.
    #[tool(read_only, closed_world)]
    async fn search(#[arg(flatten)] search: Search) -> String {
        format!("{} {} {:?}", search.query, search.page.limit, search.page.cursor)
    }

    let trial = Trial::new([search::tool()])?;
    let schema = trial.input_schema("search")?;
    must(schema["type"] == "object", "the root is an object", &schema)?;
    let (good, extra, short) =
        (json!({"query": "x", "limit": 5}), json!({"query": "x", "limit": 5, "zz": 1}), json!({"query": "x"}));
    must(calls::admits(&schema, &good)?, "the published schema admits the good call", &schema)?;
    must(!calls::admits(&schema, &extra)?, "the published schema refuses `zz`", &schema)?;
    must(!calls::admits(&schema, &short)?, "the published schema refuses a call without `limit`", &schema)?;
    trial.taken("search", good)?;
    trial.refused("search", extra, &["zz"])?;
    trial.refused("search", short, &["/limit", "missing"])
}

/// A04: what is not an object is refused by name; a tagged enum becomes one flat object.
fn newtypes_and_tagged_enums() -> Result<(), String> {
    type Run = String;

    /// Use this to run something.
    #[tool(destructive, open_world)]
    async fn run_command(#[arg(flatten)] run: Run) -> String {
        run
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "op", rename_all = "lowercase")]
    enum Edit {
        Put { key: String, value: String },
        Del { key: String },
    }

    /// Use this to change one entry.
    #[tool(destructive, closed_world)]
    async fn edit_entry(#[arg(flatten)] edit: Edit) -> String {
        match edit {
            Edit::Put { key, value } => format!("{key}={value}"),
            Edit::Del { key } => format!("{key} is gone"),
        }
    }

    /// Use this to see how a missing argument reads.
    #[tool(read_only, closed_world)]
    async fn plain_tool(key: String, value: String) -> String {
        key + &value
    }

    let refused: Result<_, BuildError> = Server::new("types", "1.0.0").tool(run_command::tool()).build();
    let told = refused.err().map(|error| error.to_string()).unwrap_or_default();
    must(
        told.contains("run_command"),
        "a String as all arguments is refused by the builder, which names the tool",
        &json!(told),
    )?;

    const BY_HAND: &str = r#"{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}"#;
    let by_hand = Tool::builder("by_hand")
        .description("Use this to try a schema written by hand.")
        .input_schema(BY_HAND)
        .handler(|_: Arguments, _: Context| async { "ran" });
    let trial = Trial::new([edit_entry::tool(), plain_tool::tool(), by_hand])?;

    let schema = trial.input_schema("edit_entry")?;
    must(schema["type"] == "object", "the root is an object", &schema)?;
    for word in ["oneOf", "anyOf", "allOf", "not", "if"] {
        must(schema.get(word).is_none(), "the root has no composition", &schema)?;
    }
    must(calls::names(&schema["properties"]["op"]["enum"]) == ["del", "put"], "`op` lists its values", &schema)?;
    must(calls::names(&schema["required"]) == ["key", "op"], "`op` and `key` are required", &schema)?;
    let when = schema["properties"]["value"]["description"].as_str().unwrap_or_default();
    must(when.contains("put"), "the description of `value` says when it is needed", &schema)?;

    trial.taken("edit_entry", json!({"op": "put", "key": "k", "value": "v"}))?;
    trial.taken("edit_entry", json!({"op": "del", "key": "k"}))?;
    let line = |tool: &str, arguments: Value| trial.refusal_line(tool, arguments, "/value");
    let missing = line("edit_entry", json!({"op": "put", "key": "k"}))?;
    let plain = line("plain_tool", json!({"key": "k"}))?;
    let words = |line: &str| line.split_once(';').map_or(line, |(words, _)| words).to_owned();
    must(words(&missing) == words(&plain), "a missing argument reads the same everywhere", &json!([missing, plain]))?;
    line("edit_entry", json!({"op": "del", "key": "k", "value": "v"}))?;

    must(
        trial.raw_input_schema("by_hand")? == BY_HAND,
        "a schema by hand is published byte for byte",
        &json!(BY_HAND),
    )?;
    trial.taken("by_hand", json!({"a": 1}))?;
    trial.refused("by_hand", json!({"a": 1, "b": 2}), &["by_hand"])
}

/// A16: structured content may be any JSON value, and `null` is one.
fn bare_outputs() -> Result<(), String> {
    #[derive(Serialize, JsonSchema)]
    struct Order {
        order_id: String,
    }

    /// Use this to list orders.
    #[tool(read_only, closed_world, allow(portable_output))]
    async fn list_orders() -> Vec<Order> {
        Vec::new()
    }

    /// Use this to count orders.
    #[tool(read_only, closed_world, allow(portable_output))]
    async fn count_orders() -> i64 {
        0
    }

    /// Use this to find an order.
    #[tool(read_only, closed_world, allow(portable_output))]
    async fn find_order(order_id: String) -> Option<Order> {
        (!order_id.is_empty()).then_some(Order { order_id })
    }

    /// Use this to see whether there are orders.
    #[tool(read_only, closed_world, allow(portable_output))]
    async fn any_orders() -> bool {
        false
    }

    /// Use this to do nothing.
    #[tool(read_only, closed_world)]
    async fn do_nothing() {}

    let tools = [list_orders::tool(), count_orders::tool(), find_order::tool(), any_orders::tool(), do_nothing::tool()];
    let trial = Trial::new(tools)?;
    let is = |kind: &'static str| move |schema: &Value| schema["type"] == kind;
    let order_or_null = |schema: &Value| {
        let branches = schema["anyOf"].as_array().cloned().unwrap_or_default();
        let kinds: Vec<&str> = branches.iter().filter_map(|branch| branch["type"].as_str()).collect();
        kinds.len() == 2 && kinds.contains(&"object") && kinds.contains(&"null")
    };
    type Fits<'a> = &'a dyn Fn(&Value) -> bool;
    let expected: [(&str, Value, &str, Fits<'_>); 5] = [
        ("list_orders", json!({}), "[]", &is("array")),
        ("count_orders", json!({}), "0", &is("integer")),
        ("find_order", json!({"order_id": ""}), "null", &order_or_null),
        ("any_orders", json!({}), "false", &is("boolean")),
        ("find_order", json!({"order_id": "A-1001"}), r#"{"order_id":"A-1001"}"#, &order_or_null),
    ];
    for (name, arguments, wanted, fits) in expected {
        let schema = trial.output_schema(name)?.ok_or_else(|| format!("{name} publishes no outputSchema"))?;
        must(fits(&schema), "the root of the outputSchema is that of the type", &schema)?;
        let result = trial.call(name, arguments)?;
        let structured = result.structured_content.as_ref().map(|raw| raw.get());
        must(
            structured == Some(wanted),
            &format!("{name}: structuredContent is present as {wanted}"),
            &json!(structured),
        )?;
        let value: Value = serde_json::from_str(wanted).map_err(|error| error.to_string())?;
        must(calls::admits(&schema, &value)?, "structuredContent keeps to the outputSchema", &schema)?;
        let text = calls::text(&result);
        must(serde_json::from_str(&text).ok() == Some(value), "a text block carries the same JSON", &json!(text))?;
    }
    must(trial.output_schema("do_nothing")?.is_none(), "unit publishes no outputSchema", &json!(null))?;
    let nothing = trial.call("do_nothing", json!({}))?.structured_content;
    must(nothing.is_none(), "unit has no structuredContent", &json!(nothing.map(|raw| raw.get().to_owned())))
}
