//! From arguments to parameters: every way to declare one, and what a model reads when it gets one wrong.

use std::collections::BTreeMap;

use haft::prelude::*;
use serde_json::{Value, json};

use crate::wire::{Wire, text};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Small,
    Large,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Point {
    x: i32,
    y: Option<i32>,
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn rich(
    /// How many.
    #[arg(range(1..=50))]
    n: u32,
    kind: Kind,
    #[arg(length(1..=5))] s: String,
    tags: Vec<String>,
    #[arg(range(0.0..=1.0))] rate: Option<f64>,
    point: Option<Point>,
    #[arg(default = 7)] seven: i64,
    #[arg(rename = "type")] kind_of: Option<String>,
    limits: Option<BTreeMap<String, u8>>,
) -> Value {
    json!({"n": n, "kind": kind, "s": s, "tags": tags, "rate": rate, "point": point, "seven": seven, "type": kind_of,
           "limits": limits})
}

fn server() -> Server {
    Server::new("parameters", "1.0.0").tool(rich::tool()).build().unwrap()
}

#[tokio::test]
async fn five_violations_give_five_lines() {
    let arguments = json!({"n": 999, "kind": "smal", "s": "toolongstring", "tags": "notalist", "rate": 2});
    let answer = Wire::new(&server()).call("rich", arguments).await;
    assert_eq!(
        text(&answer),
        "rich was not run: 5 problems with its arguments.\n\
         - /n: must be at most 50, got 999 (How many)\n\
         - /kind: must be one of \"small\", \"large\", got \"smal\"; did you mean \"small\"?\n\
         - /s: must have at most 5 characters, has 13, got \"toolongstring\"\n\
         - /tags: must be an array of strings, got the string \"notalist\"\n\
         - /rate: must be at most 1, got 2\n\
         Correct these arguments and call rich again."
    );
}

#[tokio::test]
async fn defaults_optionals_and_nulls_fill_in_what_is_not_given() {
    let arguments =
        json!({"n": 2.0, "kind": "large", "s": "x", "tags": [], "rate": null, "point": {"x": 1, "y": null}});
    let answer = Wire::new(&server()).call("rich", arguments).await;
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({"n": 2, "kind": "large", "s": "x", "tags": [], "rate": null, "point": {"x": 1, "y": null}, "seven": 7,
               "type": null, "limits": null})
    );
}

#[tokio::test]
async fn violations_inside_of_values_say_where() {
    let arguments =
        json!({"n": 1, "kind": "small", "s": "x", "tags": ["a", 5], "point": {"y": 1}, "limits": {"a/b": 256}});
    let answer = Wire::new(&server()).call("rich", arguments).await;
    for line in ["- /tags/1: ", "- /point/x: missing", "- /limits/a~1b: "] {
        assert!(text(&answer).contains(line), "{line} in {}", text(&answer));
    }
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    limit: u32,
    cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Filter {
    status: Option<Kind>,
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn search(query: String, #[arg(flatten)] page: Page, #[arg(flatten)] filter: Filter) -> Value {
    json!([query, page.limit, page.cursor, filter.status])
}

#[tokio::test]
async fn flattened_structs_take_their_own_members() {
    let mut wire = Wire::new(&Server::new("search", "1.0.0").tool(search::tool()).build().unwrap());
    let answer = wire.call("search", json!({"query": "q", "limit": 5, "cursor": "c", "status": "small"})).await;
    assert_eq!(answer["result"]["structuredContent"], json!(["q", 5, "c", "small"]));
    let answer = wire.call("search", json!({"query": "q", "limit": 5})).await;
    assert_eq!(answer["result"]["structuredContent"], json!(["q", 5, null, null]));
    let answer = wire.call("search", json!({"query": "q", "zz": 1})).await;
    assert!(text(&answer).contains("- /limit: missing") && text(&answer).contains("- /zz: unknown"), "{answer}");
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Edit {
    Put { key: String, value: Option<u32> },
    Del { key: String },
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn edit(#[arg(flatten)] edit: Edit, dry_run: Option<bool>, also: Option<Edit>) -> Value {
    json!([edit, dry_run, also])
}

#[tokio::test]
async fn tagged_enums_are_checked_by_their_tag() {
    let mut wire = Wire::new(&Server::new("edit", "1.0.0").tool(edit::tool()).build().unwrap());
    let answer =
        wire.call("edit", json!({"op": "put", "key": "k", "value": 7, "also": {"op": "del", "key": "x"}})).await;
    let expected = json!([{"op": "put", "key": "k", "value": 7}, null, {"op": "del", "key": "x"}]);
    assert_eq!(answer["result"]["structuredContent"], expected, "{answer}");
    let answer = wire.call("edit", json!({"op": "del", "key": "k", "value": 7, "also": {"op": "put"}})).await;
    for line in ["- /value: ", "- /also/key: missing"] {
        assert!(text(&answer).contains(line), "{line} in {}", text(&answer));
    }
    let answer = wire.call("edit", json!({"op": "pot", "key": "k"})).await;
    assert!(text(&answer).contains("- /op: ") && text(&answer).contains("did you mean \"put\"?"), "{}", text(&answer));
}

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Even(u32);

impl TryFrom<String> for Even {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.parse::<u32>() {
            Ok(n) if n % 2 == 0 => Ok(Self(n)),
            _ => Err(format!("{text} is not an even number")),
        }
    }
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn halve(
    /// An even number, as text.
    number: Even,
    others: Vec<Even>,
) -> String {
    format!("{} {}", number.0 / 2, others.len())
}

#[tokio::test]
async fn what_serde_refuses_after_the_check_reads_like_any_other_violation() {
    let mut wire = Wire::new(&Server::new("halve", "1.0.0").tool(halve::tool()).build().unwrap());
    assert_eq!(text(&wire.call("halve", json!({"number": "8", "others": []})).await), "4 0");
    let answer = wire.call("halve", json!({"number": "7", "others": ["2", "3"]})).await;
    let text = text(&answer);
    assert!(text.starts_with("halve was not run: 2 problems"), "{text}");
    assert!(text.contains("- /number: ") && text.contains("7 is not an even number"), "{text}");
    assert!(text.contains("- /others/1: "), "{text}");
}

/// Use this for a test.
#[tool(additive, closed_world)]
async fn login(
    user: String,
    #[arg(secret, length(12..))]
    /// The password.
    password: String,
) -> String {
    format!("{user} {}", password.len())
}

#[tokio::test]
async fn a_secret_is_never_echoed() {
    let mut wire = Wire::new(&Server::new("login", "1.0.0").tool(login::tool()).build().unwrap());
    for password in [json!("hunter2"), json!({"hunter2": "hunter2"}), json!(["hunter2"])] {
        let answer = wire.call("login", json!({"user": "u", "password": password})).await;
        assert!(text(&answer).contains("/password") && !answer.to_string().contains("hunter2"), "{answer}");
    }
}

struct Caller(String);

impl FromContext for Caller {
    type Rejection = ToolError;

    async fn from_context(context: &Context) -> Result<Self, ToolError> {
        match context.client_info() {
            Some(info) => Ok(Self(info.name.clone())),
            None => Err(ToolError::new("Say who you are.")),
        }
    }
}

/// Use this for a test.
#[tool(read_only, closed_world)]
fn whoami(#[extract] caller: Caller, greeting: String) -> String {
    format!("{greeting} {}", caller.0)
}

#[tokio::test]
async fn extractors_take_from_the_context_and_refuse_in_their_own_words() {
    let server = Server::new("whoami", "1.0.0").tool(whoami::tool()).build().unwrap();
    let mut wire = Wire::new(&server);
    assert_eq!(text(&wire.call("whoami", json!({"greeting": "hi"})).await), "Say who you are.");
    let client = haft::Client::builder().info("ada", "1").in_memory(&server);
    assert_eq!(client.call("whoami", json!({"greeting": "hi"})).await.unwrap().text(), "hi ada");
}

#[tokio::test]
async fn the_function_stays_an_ordinary_function() {
    assert_eq!(login("u".into(), "p".into()).await, "u 1");
    assert_eq!(whoami(Caller("x".into()), "hi".into()), "hi x");
}

#[tokio::test]
async fn numbers_come_through_digit_for_digit() {
    /// Use this for a test.
    #[tool(read_only, closed_world, allow(portable_output))]
    async fn same(n: i64, u: u64) -> Vec<i128> {
        vec![n.into(), u.into()]
    }
    let mut wire = Wire::new(&Server::new("same", "1.0.0").tool(same::tool()).build().unwrap());
    for (n, u) in [(i64::MIN, u64::MAX), (i64::MAX, 0), (9_007_199_254_740_993, 9_007_199_254_740_993)] {
        let answer = wire.call("same", json!({"n": n, "u": u})).await;
        assert_eq!(text(&answer), format!("[{n},{u}]"));
    }
    let answer = wire.call("same", json!({"n": 1e19, "u": -1})).await;
    assert!(text(&answer).contains("- /n: ") && text(&answer).contains("- /u: "), "{answer}");
}
