//! What is taken out of texts on their way to a model, and what is not.

use haft::prelude::*;
use haft::{PromptMessage, Role, Sanitize};
use serde_json::{Map, Value, json};

use crate::wire::{Wire, text};

/// Each string with something of every kind in it, and what is to stay of it.
const DIRTY: &str = "\u{1b}[31mred\u{1b}[0m\u{0} 👩\u{200d}💻\u{200b}\u{e0041} AKIAIOSFODNN7EXAMPLE\r\n";
const CLEAN: &str = "red 👩\u{200d}💻 [secret removed]\r\n";

#[derive(Serialize, JsonSchema)]
struct Page {
    title: String,
    size: u64,
    members: std::collections::BTreeMap<String, Vec<String>>,
}

fn page() -> Page {
    let members = [(DIRTY.to_owned(), vec![DIRTY.to_owned(), "plain".to_owned()])].into();
    Page { title: DIRTY.to_owned(), size: u64::MAX, members }
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn get_value() -> Page {
    page()
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn get_reply() -> Reply<Page> {
    Reply::new(page()).text(DIRTY)
}

/// Use this for a test.
#[tool(read_only, closed_world, embeds_resources)]
async fn get_blocks() -> Vec<Content> {
    let mut link = Content::resource_link("https://example.com/AKIAIOSFODNN7EXAMPLE", DIRTY);
    if let Content::ResourceLink(link) = &mut link {
        link.title = Some(DIRTY.to_owned());
        link.description = Some(DIRTY.to_owned());
    }
    vec![
        Content::text(DIRTY),
        Content::image(DIRTY, "image/png"),
        Content::resource_text("a://b", "text/plain", DIRTY),
        Content::resource_blob("a://c", "text/plain", DIRTY),
        link,
    ]
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn fail() -> Result<String, ToolError> {
    Err(ToolError::new(DIRTY).code("dirty"))
}

fn builder() -> haft::ServerBuilder {
    Server::new("pages", "1.0.0")
        .tool(get_value::tool())
        .tool(get_reply::tool())
        .tool(get_blocks::tool())
        .tool(fail::tool())
        .resource(Resource::builder("notes://one", "one").read(|_| async { Ok::<_, RequestError>(DIRTY) }))
        .prompt(
            Prompt::builder("tell")
                .handler(|_, _| async { [PromptMessage { role: Role::User, content: Content::text(DIRTY) }].to_vec() }),
        )
}

fn served(rules: Sanitize) -> Wire {
    Wire::new(&builder().sanitize(rules).build().unwrap())
}

fn expected() -> Value {
    json!({"title": CLEAN, "size": u64::MAX, "members": {CLEAN: [CLEAN, "plain"]}})
}

#[tokio::test]
async fn structured_content_is_cleaned_at_any_depth_and_its_text_says_the_same() {
    let answer = served(Sanitize::new().all()).call("get_value", json!({})).await;
    assert_eq!(answer["result"]["structuredContent"], expected());
    assert_eq!(serde_json::from_str::<Value>(text(&answer)).unwrap(), expected());
    assert_eq!(answer["result"]["isError"], false);
    let answer = served(Sanitize::new().all()).call("get_reply", json!({})).await;
    assert_eq!((text(&answer), &answer["result"]["structuredContent"]), (CLEAN, &expected()));
}

#[tokio::test]
async fn numbers_keep_their_digits_and_members_their_order() {
    let raw = r#"{"z":1.10,"a":["\u001b[1m"],"n":18446744073709551616}"#;
    let proxied = Tool::builder("proxied").handler(move |_: Arguments, _: Context| async move {
        let structured_content = Some(serde_json::value::RawValue::from_string(raw.to_owned()).unwrap());
        haft::CallToolResult { structured_content, ..Default::default() }
    });
    let server = Server::new("pages", "1.0.0").tool(proxied).sanitize(Sanitize::new().terminal_escapes());
    let mut wire = Wire::new(&server.build().unwrap());
    let bytes = wire.bytes_of("proxied", json!({})).await;
    assert!(bytes.contains(r#""structuredContent":{"z":1.10,"a":[""],"n":18446744073709551616}"#), "{bytes}");
}

#[tokio::test]
async fn every_block_that_a_model_reads_is_cleaned_and_data_is_not() {
    let answer = served(Sanitize::new().all()).call("get_blocks", json!({})).await;
    let untouched = served(Sanitize::new()).call("get_blocks", json!({})).await;
    let blocks = &answer["result"]["content"];
    assert_eq!(blocks[0]["text"], CLEAN);
    assert_eq!(blocks[1], untouched["result"]["content"][1]);
    assert_eq!(blocks[2]["resource"]["text"], CLEAN);
    assert_eq!(blocks[3], untouched["result"]["content"][3]);
    for key in ["name", "title", "description"] {
        assert_eq!(blocks[4][key], CLEAN, "{key}");
    }
    assert_eq!(blocks[4]["uri"], "https://example.com/AKIAIOSFODNN7EXAMPLE");
}

#[tokio::test]
async fn errors_resources_and_prompts_are_cleaned() {
    let mut wire = served(Sanitize::new().all());
    let failed = wire.call("fail", json!({})).await;
    assert_eq!((text(&failed), &failed["result"]["_meta"]["dev.haft/code"]), (CLEAN, &json!("dirty")));
    let read = wire.ask("resources/read", json!({"uri": "notes://one"})).await;
    assert_eq!(read["result"]["contents"][0]["text"], CLEAN);
    let told = wire.ask("prompts/get", json!({"name": "tell"})).await;
    assert_eq!(told["result"]["messages"][0]["content"]["text"], CLEAN);
}

#[tokio::test]
async fn without_rules_text_goes_out_character_for_character() {
    let mut wire = Wire::new(&builder().build().unwrap());
    assert_eq!(text(&wire.call("get_reply", json!({})).await), DIRTY);
    assert_eq!(text(&wire.call("fail", json!({})).await), DIRTY);
}

#[tokio::test]
async fn what_no_longer_fits_its_schema_is_withheld() {
    #[derive(Serialize, JsonSchema)]
    struct Key {
        #[schemars(regex(pattern = "^AKIA"))]
        id: String,
    }
    /// Use this for a test.
    #[tool(read_only, closed_world)]
    async fn get_key() -> Key {
        Key { id: "AKIAIOSFODNN7EXAMPLE".to_owned() }
    }
    let server = Server::new("keys", "1.0.0").tool(get_key::tool());
    let answer =
        Wire::new(&server.sanitize(Sanitize::new().secrets()).build().unwrap()).call("get_key", json!({})).await;
    assert!(text(&answer).contains("does not fit its own output schema"), "{answer}");
    assert!(!answer.to_string().contains("AKIA"), "{answer}");
}

/// What a model reads of a text, which is the same inside of a value.
async fn echoed(rules: Sanitize, said: &'static str) -> String {
    let text = Tool::builder("text").handler(move |_: Arguments, _: Context| async move { said });
    let value = Tool::builder("value").handler(move |_: Arguments, _: Context| async move { json!({"said": [said]}) });
    let server = Server::new("echo", "1.0.0").tool(text).tool(value).sanitize(rules).build().unwrap();
    let told = server.call_tool("text", json!({})).await.unwrap().text();
    let value = server.call_tool("value", json!({})).await.unwrap().structured_content.unwrap();
    assert_eq!(serde_json::from_str::<Value>(value.get()).unwrap(), json!({"said": [told]}));
    told
}

#[tokio::test]
async fn secrets_are_known_by_their_shapes() {
    // Put together here, so that nobody's scanner takes them for real ones.
    let jwt =
        concat!("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U");
    let pem = concat!("-----BEGIN RSA PRIV", "ATE KEY-----\nMIIEow\n-----END RSA PRIV", "ATE KEY-----");
    let cut = concat!("-----BEGIN PRIV", "ATE KEY-----\nMIIEow\nand no end");
    for secret in [
        jwt,
        pem,
        cut,
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"),
        concat!("github", "_pat_11ABCDEFG0123456789abcdefghij"),
        concat!("glp", "at-abcdefghij0123456789"),
        concat!("AIz", "aSyA1234567890abcdefghijklmnopqrstuv"),
        concat!("npm", "_abcdefghijklmnopqrstuvwxyz0123456789"),
        concat!("xox", "b-123456789012-abcdefghijkl"),
        concat!("https://hooks.slack", ".com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
        concat!("sk", "_live_abcdefghijklmnop1234"),
        concat!("sk", "-ant-api03-abcdefghijklmnopqrstuvwx"),
        concat!("sk", "-proj-Abc1Def2_ghi-JklMnoPqrStuVwx"),
        concat!("sk", "-0123456789abcdef0123456789abcdef"),
        // What nobody sees must not hide one.
        "AKIAIOSF\u{200b}ODNN7EXAMPLE",
    ] {
        let said: &'static str = format!("key: {secret}").leak();
        assert_eq!(echoed(Sanitize::new().all(), said).await, "key: [secret removed]", "{secret:?}");
    }
}

#[tokio::test]
async fn what_only_looks_like_a_secret_stays() {
    for said in [
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n-----BEGIN CERTIFICATE-----",
        "the class sk-fading-circle-animation-with-a-long-name and task-force-one-hundred-and-eleven",
        "eyJhbGciOiJIUzI1NiJ9 alone, eyJ.eyJ.x",
        "AKIA, AKIAxxxx, XAKIAIOSFODNN7EXAMPLE, AKIAIOSFODNN7EXAMPLEX",
        "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567 550e8400-e29b-41d4-a716-446655440000",
        "npm_config_registry=https://registry.example.com ghp_short xoxb-short",
    ] {
        assert_eq!(echoed(Sanitize::new().all(), said).await, said);
    }
}

#[tokio::test]
async fn patterns_of_the_authors_own_hold_in_values_too() {
    let rules = || Sanitize::new().pattern(r"^customer-\d+$").pattern("(?i)top secret");
    assert_eq!(echoed(rules(), "customer-17").await, "[secret removed]");
    assert_eq!(echoed(rules(), "of customer-17: Top Secret!").await, "of customer-17: [secret removed]!");
    let value = || json!({"who": "customer-17", "what": ["x"]});
    let tool = Tool::builder("value").handler(move |_: Arguments, _: Context| async move { value() });
    let server = Server::new("echo", "1.0.0").tool(tool).sanitize(rules()).build().unwrap();
    let answer = Wire::new(&server).call("value", json!({})).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"who": "[secret removed]", "what": ["x"]}));
}

#[test]
fn patterns_that_are_none_are_problems() {
    let rules = Sanitize::new().pattern("(").pattern("x*");
    let error = Server::new("echo", "1.0.0").sanitize(rules).build().unwrap_err().to_string();
    assert!(
        error.contains("\"(\" is no regular expression") && error.contains("\"x*\" matches the empty text"),
        "{error}"
    );
}

#[tokio::test]
async fn arguments_are_not_touched() {
    let echo = Tool::builder("echo").input_schema(r#"{"type": "object"}"#).handler(
        |arguments: Arguments, _: Context| async move { arguments["said"].as_str().unwrap().len().to_string() },
    );
    let server = Server::new("echo", "1.0.0").tool(echo).sanitize(Sanitize::new().all()).build().unwrap();
    let arguments = Map::from_iter([("said".to_owned(), DIRTY.into())]);
    let result = server.call_tool("echo", arguments.into()).await.unwrap();
    assert_eq!(result.text(), DIRTY.len().to_string());
}
