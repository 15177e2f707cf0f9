//! Multi round-trip requests as frames: what is asked, what answers it, and what is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use futures_util::future::{join, join3};
use haft::prelude::*;
use haft::{AskErrorKind, CreateMessage, StateKey};
use serde_json::{Value, json};

use crate::specification::Specification;
use crate::wire::{Wire, request, text};

#[derive(Form)]
struct Name {
    name: String,
}

/// Use this to greet the user by name.
#[tool(read_only, closed_world)]
async fn greet(context: Context) -> Result<String, ToolError> {
    let Name { name } = context.ask("user_name", "What is your name?").await?;
    Ok(format!("Hello, {name}!"))
}

/// Use this to ask the client's model.
#[tool(read_only, open_world)]
async fn capital(context: Context) -> Result<String, ToolError> {
    let question = CreateMessage::new(100).user("What is the capital of France?");
    Ok(context.sample("capital_question", question).await?.text())
}

/// Use this to list the client's roots.
#[tool(read_only, open_world)]
async fn roots(context: Context) -> Result<String, ToolError> {
    let roots = context.roots("client_roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(" "))
}

#[derive(Form)]
struct Confirm {
    ok: bool,
}

/// Use this to confirm a price.
#[tool(additive, closed_world)]
async fn order(context: Context, item: Option<String>) -> Result<String, ToolError> {
    let price = context.state::<u64>().unwrap_or(42);
    context.set_state(&price)?;
    let Confirm { ok } = context.ask("confirm", format!("Pay {price}?")).await?;
    Ok(format!("state-ok {price} {ok} {item:?}"))
}

/// Use this to ask three things at once.
#[tool(read_only, open_world)]
async fn three(context: Context) -> Result<String, ToolError> {
    let (name, message, roots) = join3(
        context.ask::<Name>("user_name", "What is your name?"),
        context.sample("greeting", CreateMessage::new(50).user("Say hello.")),
        context.roots("client_roots"),
    )
    .await;
    Ok(format!("{} {} {}", name?.name, message?.text(), roots?.len()))
}

/// Use this to ask two things one after the other.
#[tool(read_only, closed_world)]
async fn steps(context: Context) -> Result<String, ToolError> {
    let first: String = context.ask("step1", "First?").await?;
    let second: String = context.ask("step2", format!("After {first}?")).await?;
    Ok(format!("{first} {second}"))
}

/// Use this to ask whom this client can ask.
#[tool(read_only, open_world)]
async fn flexible(context: Context) -> Result<String, ToolError> {
    if context.can_ask() {
        return Ok(context.ask::<Name>("user_name", "Name?").await?.name);
    }
    Ok(context.sample("guess", CreateMessage::new(5).user("Guess a name.")).await?.text())
}

/// Use this to connect an account.
#[tool(additive, open_world)]
async fn connect_account(context: Context) -> Result<String, ToolError> {
    match context.ask_url("connect", "Connect your account.", "https://example.com/connect?id=7").await {
        Ok(()) => Ok("on the way".to_owned()),
        Err(error) if error.kind() == AskErrorKind::Declined => Ok("not connected".to_owned()),
        Err(error) => Err(error.into()),
    }
}

#[derive(Form, Debug)]
#[allow(dead_code)]
struct Everything {
    /// On the parcel
    #[form(title = "Name", length(1..=80), default = "Ada")]
    name: String,
    #[form(format = "email")]
    email: Option<String>,
    #[form(range(1..=10), default = 1)]
    parcels: u8,
    #[form(default = 95.5)]
    score: f64,
    #[form(default = true)]
    agreed: bool,
    #[form(default = Speed::Slow)]
    speed: Speed,
    #[form(length(1..=2))]
    extras: Vec<Extra>,
    once: Option<Extra>,
    many: Vec<Speed>,
}

#[derive(Form, Debug)]
pub(crate) enum Speed {
    #[form(rename = "slow", title = "Three days")]
    Slow,
    #[form(rename = "fast", title = "Tomorrow")]
    Fast,
}

#[derive(Form, Debug)]
pub(crate) enum Extra {
    Gift,
    Insurance,
}

/// Use this to ask for all that a form can hold.
#[tool(read_only, closed_world)]
async fn everything(context: Context) -> Result<String, ToolError> {
    Ok(format!("{:?}", context.ask::<Everything>("all", "All?").await?))
}

/// Use this to ask under one key twice.
#[tool(read_only, closed_world)]
async fn clash(context: Context) -> Result<String, ToolError> {
    let (one, two) = join(context.ask::<String>("key", "One?"), context.ask::<String>("key", "Two?")).await;
    Ok(format!("{}{}", one?, two?))
}

/// Use this to ask from a task of its own.
#[tool(read_only, closed_world)]
async fn elsewhere(context: Context) -> Result<String, ToolError> {
    let task = tokio::spawn(async move { context.ask::<String>("key", "One?").await.map_err(|error| error.kind()) });
    Ok(format!("{:?}", task.await?))
}

/// Use this to see that nothing after a question runs before it has an answer.
#[tool(read_only, closed_world)]
async fn swallow(context: Context) -> String {
    context.ask::<String>("key", "One?").await.unwrap_or_else(|_| "swallowed".to_owned())
}

pub(crate) fn all() -> haft::ServerBuilder {
    Server::new("test", "1.0.0")
        .tool(greet::tool())
        .tool(capital::tool())
        .tool(roots::tool())
        .tool(order::tool())
        .tool(three::tool())
        .tool(steps::tool())
        .tool(flexible::tool())
        .tool(connect_account::tool())
        .tool(everything::tool())
        .tool(clash::tool())
        .tool(elsewhere::tool())
        .tool(swallow::tool())
}

fn can_all() -> Value {
    json!({"sampling": {}, "elicitation": {"form": {}, "url": {}}, "roots": {"listChanged": true}})
}

struct Caller(Wire, Value);

impl Caller {
    fn new() -> Self {
        Self::of(&all().build().unwrap())
    }

    fn of(server: &Server) -> Self {
        Self(Wire::new(server), can_all())
    }

    fn with(capabilities: Value) -> Self {
        Self(Wire::new(&all().build().unwrap()), capabilities)
    }

    async fn send(&mut self, tool: &str, arguments: Value, more: Value) -> Value {
        let mut params = json!({
            "name": tool,
            "arguments": arguments,
            "_meta": {"io.modelcontextprotocol/clientCapabilities": self.1},
        });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.0.send(request(1, "tools/call", params)).await;
        self.0.recv().await
    }

    async fn call(&mut self, tool: &str, arguments: Value, more: Value) -> Value {
        let answer = self.send(tool, arguments, more).await;
        if let Some(specification) = Specification::load() {
            let input_required = answer["result"]["resultType"] == "input_required";
            let definition = if input_required { "InputRequiredResult" } else { "CallToolResult" };
            match answer.get("result") {
                Some(result) => specification.hold(definition, result),
                None => specification.hold("JSONRPCErrorResponse", &answer),
            }
        }
        answer
    }

    async fn asks(&mut self, tool: &str, more: Value) -> Value {
        let answer = self.call(tool, json!({}), more).await;
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
        assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "test");
        answer["result"].clone()
    }

    async fn done(&mut self, tool: &str, more: Value) -> String {
        let answer = self.call(tool, json!({}), more).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        text(&answer).to_owned()
    }

    async fn refused(&mut self, tool: &str, more: Value) -> Value {
        let answer = self.send(tool, json!({}), more).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        answer["error"]["message"].clone()
    }
}

pub(crate) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn keys(result: &Value) -> Vec<&str> {
    result["inputRequests"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_question_ends_the_call_and_the_retry_has_the_answer() {
    let mut caller = Caller::new();
    let asked = caller.asks("greet", json!({})).await;
    assert_eq!(
        asked["inputRequests"],
        json!({"user_name": {"method": "elicitation/create", "params": {
            "mode": "form",
            "message": "What is your name?",
            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        }}})
    );
    assert!(asked.get("requestState").is_none(), "there is nothing to carry");
    let alice = accept(json!({"name": "Alice"}));
    assert_eq!(caller.done("greet", json!({"inputResponses": {"user_name": alice}})).await, "Hello, Alice!");
    let more = json!({"inputResponses": {"user_name": alice, "one": 1, "two": {"action": "what"}}});
    assert_eq!(caller.done("greet", more).await, "Hello, Alice!", "unknown keys are ignored");
}

#[tokio::test]
async fn what_is_no_answer_to_the_question_is_asked_again_or_refused() {
    let mut caller = Caller::new();
    for responses in [
        json!({"wrong_key": accept(json!({"name": "Alice"}))}),
        json!({"user_name": accept(json!({}))}),
        json!({"user_name": {"action": "accept"}}),
        json!({"user_name": accept(json!({"name": 5}))}),
        json!(null),
        json!({}),
    ] {
        assert_eq!(keys(&caller.asks("greet", json!({"inputResponses": responses})).await), ["user_name"]);
    }
    for answer in [json!(12345), json!("Alice"), json!([]), json!({}), json!({"action": "perhaps"}), json!(null)] {
        let message = caller.refused("greet", json!({"inputResponses": {"user_name": answer}})).await;
        assert!(message.as_str().unwrap().contains("user_name"), "{message}");
    }
    for responses in [json!([]), json!("x"), json!(5)] {
        caller.refused("greet", json!({"inputResponses": responses})).await;
    }
}

#[tokio::test]
async fn decline_and_cancel_are_told_to_the_model() {
    let mut caller = Caller::new();
    for (action, code) in [("decline", "declined"), ("cancel", "cancelled")] {
        let answer =
            caller.call("greet", json!({}), json!({"inputResponses": {"user_name": {"action": action}}})).await;
        assert_eq!(answer["result"]["isError"], true);
        assert!(text(&answer).starts_with("The user "), "{answer}");
        assert_eq!(answer["result"]["_meta"]["dev.haft/code"], code);
    }
}

#[tokio::test]
async fn the_model_and_the_roots_of_the_client_can_be_asked() {
    let mut caller = Caller::new();
    let asked = caller.asks("capital", json!({})).await;
    assert_eq!(
        asked["inputRequests"]["capital_question"],
        json!({"method": "sampling/createMessage", "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "What is the capital of France?"}}],
            "maxTokens": 100,
        }})
    );
    for content in [json!({"type": "text", "text": "Paris"}), json!([{"type": "text", "text": "Paris"}])] {
        let answer = json!({"role": "assistant", "content": content, "model": "m", "stopReason": "endTurn"});
        assert_eq!(caller.done("capital", json!({"inputResponses": {"capital_question": answer}})).await, "Paris");
    }
    let asked = caller.asks("roots", json!({})).await;
    assert_eq!(asked["inputRequests"]["client_roots"], json!({"method": "roots/list", "params": {}}));
    let answer = json!({"roots": [{"uri": "file:///work", "name": "Work"}]});
    assert_eq!(caller.done("roots", json!({"inputResponses": {"client_roots": answer}})).await, "file:///work");
}

#[tokio::test]
async fn joined_questions_travel_in_one_round() {
    let mut caller = Caller::new();
    let asked = caller.asks("three", json!({})).await;
    assert_eq!(keys(&asked), ["client_roots", "greeting", "user_name"]);
    let (name, roots) = (accept(json!({"name": "Ada"})), json!({"roots": []}));
    let greeting = json!({"role": "assistant", "content": {"type": "text", "text": "hello"}, "model": "m"});

    // What is missing is asked again, and what was there is carried.
    let asked = caller.asks("three", json!({"inputResponses": {"user_name": name, "client_roots": roots}})).await;
    assert_eq!(keys(&asked), ["greeting"]);
    let more = json!({"inputResponses": {"greeting": greeting}, "requestState": asked["requestState"]});
    assert_eq!(caller.done("three", more).await, "Ada hello 0");

    let all = json!({"inputResponses": {"user_name": name, "client_roots": roots, "greeting": greeting}});
    assert_eq!(caller.done("three", all).await, "Ada hello 0");
}

#[tokio::test]
async fn rounds_carry_what_earlier_ones_answered_and_later_answers_do_not_change_it() {
    let mut caller = Caller::new();
    assert_eq!(keys(&caller.asks("steps", json!({})).await), ["step1"]);
    let first = json!({"inputResponses": {"step1": accept(json!({"step1": "one"}))}});
    let asked = caller.asks("steps", first.clone()).await;
    assert_eq!(asked["inputRequests"]["step2"]["params"]["message"], "After one?");
    let again = caller.asks("steps", first).await;
    assert_ne!(asked["requestState"], again["requestState"], "no two states are the same");
    let more = json!({
        "requestState": asked["requestState"],
        "inputResponses": {"step1": accept(json!({"step1": "changed"})), "step2": accept(json!({"step2": "two"}))},
    });
    assert_eq!(caller.done("steps", more).await, "one two");
}

#[tokio::test]
async fn an_authors_state_comes_back_and_answers_without_it_do_not_count() {
    let mut caller = Caller::new();
    let asked = caller.asks("order", json!({})).await;
    let yes = json!({"confirm": accept(json!({"ok": true}))});
    assert_eq!(keys(&caller.asks("order", json!({"inputResponses": yes})).await), ["confirm"]);
    let retry = json!({"inputResponses": yes, "requestState": asked["requestState"]});
    assert_eq!(caller.done("order", retry).await, "state-ok 42 true None");
}

#[tokio::test]
async fn a_state_that_was_changed_anywhere_is_refused_in_one_way() {
    let mut caller = Caller::new();
    let asked = caller.asks("order", json!({})).await;
    let state = asked["requestState"].as_str().unwrap();
    let responses = json!({"confirm": accept(json!({"ok": true}))});
    let mut bad: Vec<String> = vec![String::new(), "x".into(), format!("{state}-TAMPERED"), format!("{state}=")];
    for (index, byte) in state.bytes().enumerate() {
        let other = if byte == b'A' { 'B' } else { 'A' };
        bad.push(format!("{}{other}{}", &state[..index], &state[index + 1..]));
        bad.push(state[..index].to_owned());
    }
    let expected = caller.refused("order", json!({"requestState": "forged"})).await;
    for state in bad {
        let answer = caller.refused("order", json!({"inputResponses": responses, "requestState": state})).await;
        assert_eq!(answer, expected, "{state}");
    }
    caller.refused("order", json!({"requestState": 5})).await;
    caller.refused("greet", json!({"requestState": state})).await;
    let other = caller.call("order", json!({"item": "b"}), json!({"requestState": state})).await;
    assert_eq!(other["error"]["message"], expected, "other arguments");
    let mut stranger = Caller::new();
    assert_eq!(stranger.refused("order", json!({"requestState": state})).await, expected, "another server's key");
}

#[tokio::test]
async fn arguments_are_bound_by_value_not_by_spelling() {
    let mut caller = Caller::new();
    let asked = caller.call("order", json!({"item": "b"}), json!({})).await["result"].clone();
    let frame = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"requestState":{},"inputResponses":{{"confirm":{{"action":"accept","content":{{"ok":false}}}}}},"arguments": {{ "item" : "\u0062" }},"name":"order","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#,
        asked["requestState"]
    );
    caller.0.send(frame).await;
    assert_eq!(text(&caller.0.recv().await), r#"state-ok 42 false Some("b")"#);
}

#[tokio::test]
async fn among_processes_that_share_a_store_a_state_is_good_once() {
    let store: Arc<dyn haft::store::Store> = Arc::new(haft::store::MemoryStore::new());
    let key: StateKey = "8f1d7b6a5c4e3d2c1b0a99887766554433221100ffeeddccbbaa998877665544".parse().unwrap();
    let process = || Caller::of(&all().state_keys([key.clone()]).shared(Arc::clone(&store)).build().unwrap());
    let (mut one, mut other) = (process(), process());
    let asked = one.asks("order", json!({})).await;
    let retry = json!({
        "inputResponses": {"confirm": accept(json!({"ok": true}))},
        "requestState": asked["requestState"],
    });
    assert_eq!(other.done("order", retry.clone()).await, "state-ok 42 true None");
    for caller in [&mut one, &mut other] {
        let refused = caller.refused("order", retry.clone()).await;
        assert!(refused.as_str().unwrap().contains("used before"), "{refused}");
    }
    let again = one.asks("order", json!({})).await;
    let retry =
        json!({"inputResponses": {"confirm": accept(json!({"ok": false}))}, "requestState": again["requestState"]});
    assert_eq!(one.done("order", retry).await, "state-ok 42 false None");
}

#[tokio::test]
async fn a_state_expires() {
    let now = Arc::new(AtomicU64::new(1_000));
    let clock = Arc::clone(&now);
    let time = move || SystemTime::UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::Relaxed));
    let server = haft::__private::with_clock(all().state_ttl(Duration::from_secs(60)), time).build().unwrap();
    let mut caller = Caller::of(&server);
    let asked = caller.asks("order", json!({})).await;
    let retry =
        json!({"inputResponses": {"confirm": accept(json!({"ok": true}))}, "requestState": asked["requestState"]});
    now.store(1_059, Ordering::Relaxed);
    caller.done("order", retry.clone()).await;
    now.store(1_060, Ordering::Relaxed);
    caller.refused("order", retry).await;
}

#[tokio::test]
async fn instances_share_and_rotate_keys() {
    let (old, new) =
        (StateKey::from_bytes(std::array::from_fn(|i| i as u8)), "0123456789abcdef".repeat(4).parse().unwrap());
    let with = |keys: &[&StateKey]| Caller::of(&all().state_keys(keys.iter().copied().cloned()).build().unwrap());
    let asked = with(&[&old]).asks("order", json!({})).await;
    let retry =
        json!({"inputResponses": {"confirm": accept(json!({"ok": true}))}, "requestState": asked["requestState"]});
    with(&[&old]).done("order", retry.clone()).await;
    with(&[&new, &old]).done("order", retry.clone()).await;
    with(&[&new]).refused("order", retry).await;
    let asked = with(&[&new, &old]).asks("order", json!({})).await;
    with(&[&old]).refused("order", json!({"requestState": asked["requestState"]})).await;
}

#[test]
fn keys_that_are_none_are_refused_at_build() {
    for keys in [vec![], vec![StateKey::from_bytes([0; 32])]] {
        let error = all().state_keys(keys).build().unwrap_err();
        assert_eq!(error.problems()[0].rule, "state_keys");
    }
}

#[tokio::test]
async fn clients_are_asked_only_what_they_can_be_asked() {
    let asked = Caller::with(json!({"sampling": {}})).asks("flexible", json!({})).await;
    assert_eq!(asked["inputRequests"]["guess"]["method"], "sampling/createMessage");
    let asked = Caller::with(json!({"elicitation": {}})).asks("flexible", json!({})).await;
    assert_eq!(keys(&asked), ["user_name"], "elicitation without a mode is form mode");

    for (capabilities, tool, needed) in [
        (json!({}), "greet", json!({"elicitation": {"form": {}}})),
        (json!({"elicitation": {"url": {}}}), "greet", json!({"elicitation": {"form": {}}})),
        (json!({"elicitation": {}}), "connect_account", json!({"elicitation": {"url": {}}})),
        (json!({"elicitation": {}}), "capital", json!({"sampling": {}})),
        (json!({"elicitation": {}}), "roots", json!({"roots": {}})),
    ] {
        let answer = Caller::with(capabilities).call(tool, json!({}), json!({})).await;
        assert_eq!(answer["error"]["code"], -32021, "{answer}");
        assert_eq!(answer["error"]["data"]["requiredCapabilities"], needed);
    }
}

#[tokio::test]
async fn a_user_is_sent_to_a_url() {
    let mut caller = Caller::new();
    let asked = caller.asks("connect_account", json!({})).await;
    let params = json!({"mode": "url", "message": "Connect your account.", "url": "https://example.com/connect?id=7"});
    assert_eq!(asked["inputRequests"]["connect"], json!({"method": "elicitation/create", "params": params}));
    for (action, expected) in [("accept", "on the way"), ("decline", "not connected")] {
        let more = json!({"inputResponses": {"connect": {"action": action}}});
        assert_eq!(caller.done("connect_account", more).await, expected);
    }
}

#[tokio::test]
async fn a_form_says_all_that_elicitation_can_say_and_its_answers_are_held_to_it() {
    let mut caller = Caller::new();
    let asked = caller.0.bytes_of("everything", can_all()).await;
    let schema = r#"{"type":"object","properties":{"name":{"type":"string","title":"Name","description":"On the parcel","minLength":1,"maxLength":80,"default":"Ada"},"email":{"type":"string","format":"email"},"parcels":{"type":"integer","minimum":1,"maximum":10,"default":1},"score":{"type":"number","default":95.5},"agreed":{"type":"boolean","default":true},"speed":{"type":"string","oneOf":[{"title":"Three days","const":"slow"},{"title":"Tomorrow","const":"fast"}],"default":"slow"},"extras":{"type":"array","items":{"type":"string","enum":["Gift","Insurance"]},"minItems":1,"maxItems":2},"once":{"type":"string","enum":["Gift","Insurance"]},"many":{"type":"array","items":{"anyOf":[{"title":"Three days","const":"slow"},{"title":"Tomorrow","const":"fast"}]}}},"required":["name","parcels","score","agreed","speed","extras","many"]}"#;
    assert!(asked.contains(schema), "{asked}");

    let good = json!({
        "name": "Ada", "parcels": 3.0, "score": 1, "agreed": false, "speed": "fast", "extras": ["Gift"], "many": [],
        "once": null,
    });
    let told = caller.done("everything", json!({"inputResponses": {"all": accept(good.clone())}})).await;
    assert_eq!(
        told,
        r#"Everything { name: "Ada", email: None, parcels: 3, score: 1.0, agreed: false, speed: Fast, extras: [Gift], once: None, many: [] }"#
    );
    for (field, value) in [
        ("name", json!("")),
        ("email", json!("nobody")),
        ("parcels", json!(11)),
        ("parcels", json!(1.5)),
        ("score", json!("1")),
        ("agreed", json!("yes")),
        ("speed", json!("Tomorrow")),
        ("extras", json!([])),
        ("extras", json!(["Gift", "Gift", "Gift"])),
        ("many", json!(["Gift"])),
        ("once", json!("")),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        caller.asks("everything", json!({"inputResponses": {"all": accept(bad)}})).await;
    }
}

#[tokio::test]
async fn a_question_that_waits_is_never_an_error() {
    let mut caller = Caller::new();
    assert_eq!(keys(&caller.asks("swallow", json!({})).await), ["key"]);
    let declined = json!({"inputResponses": {"key": {"action": "decline"}}});
    assert_eq!(caller.done("swallow", declined).await, "swallowed");
}

#[tokio::test]
async fn misuse_fails_instead_of_waiting_for_ever() {
    let mut caller = Caller::new();
    let answer = caller.call("clash", json!({}), json!({})).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert_eq!(caller.done("elsewhere", json!({})).await, "Err(Misused)");
}

#[tokio::test]
async fn the_function_runs_from_the_top_in_every_round_and_stops_at_its_question() {
    static BEFORE: AtomicUsize = AtomicUsize::new(0);
    static AFTER: AtomicUsize = AtomicUsize::new(0);

    /// Use this to count.
    #[tool(additive, closed_world)]
    async fn count(context: Context) -> Result<String, ToolError> {
        BEFORE.fetch_add(1, Ordering::Relaxed);
        let go: bool = context.ask("go", "Go?").await?;
        AFTER.fetch_add(1, Ordering::Relaxed);
        Ok(go.to_string())
    }

    let server = Server::new("test", "1.0.0").tool(count::tool()).build().unwrap();
    let mut caller = Caller::of(&server);
    caller.asks("count", json!({})).await;
    assert_eq!((BEFORE.load(Ordering::Relaxed), AFTER.load(Ordering::Relaxed)), (1, 0));
    caller.done("count", json!({"inputResponses": {"go": accept(json!({"go": true}))}})).await;
    assert_eq!((BEFORE.load(Ordering::Relaxed), AFTER.load(Ordering::Relaxed)), (2, 1));
}

#[tokio::test]
async fn a_test_can_answer_in_all_rounds() {
    let server = all().build().unwrap();
    let answers = json!({
        "step1": accept(json!({"step1": "a"})),
        "step2": accept(json!({"step2": "b"})),
        "confirm": accept(json!({"ok": true})),
    });
    assert_eq!(server.call_tool_answering("steps", json!({}), answers.clone()).await.unwrap().text(), "a b");
    let ordered = server.call_tool_answering("order", json!({"item": "x"}), answers.clone()).await.unwrap();
    assert_eq!(ordered.text(), r#"state-ok 42 true Some("x")"#);
    let error = server.call_tool_answering("greet", json!({}), answers).await.unwrap_err();
    assert!(error.message().contains("user_name"), "{error}");
    let error = server.call_tool("greet", json!({})).await.unwrap_err();
    assert_eq!(error.code(), -32021);
}

/// A note, once the user says which.
#[resource("notes://{user}", mime_type = "text/plain")]
async fn note(user: String, context: Context) -> Result<String, RequestError> {
    let number: u8 = context.ask("number", "Which note?").await?;
    Ok(format!("{user}: {number}"))
}

/// Asks for a summary.
#[prompt]
async fn summarize(context: Context, words: Option<u32>) -> Result<String, RequestError> {
    context.set_state(&words)?;
    let topic: String = context.ask("user_context", "About what?").await?;
    Ok(format!("{topic} {words:?}"))
}

#[tokio::test]
async fn prompts_and_resources_ask_as_tools_do() {
    let server = Server::new("test", "1.0.0")
        .prompt(summarize::prompt())
        .resource_template(note::resource_template())
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});

    let read = |more: Value| {
        let mut params = json!({"uri": "notes://ada", "_meta": meta});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let asked = wire.ask("resources/read", read(json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let responses = json!({"number": accept(json!({"number": 7}))});
    let done = wire.ask("resources/read", read(json!({"inputResponses": responses}))).await;
    assert_eq!(done["result"]["contents"][0]["text"], "ada: 7", "{done}");
    let declined = json!({"inputResponses": {"number": {"action": "decline"}}});
    assert_eq!(wire.ask("resources/read", read(declined)).await["error"]["code"], -32602);
    let unable = wire.ask("resources/read", json!({"uri": "notes://ada"})).await;
    assert_eq!(unable["error"]["code"], -32021);

    let get = |words: &str, more: Value| {
        let mut params = json!({"name": "summarize", "arguments": {"words": words}, "_meta": meta});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let asked = wire.ask("prompts/get", get("5", json!({}))).await;
    let state = &asked["result"]["requestState"];
    assert!(state.is_string(), "{asked}");
    let more =
        json!({"requestState": state, "inputResponses": {"user_context": accept(json!({"user_context": "cats"}))}});
    let done = wire.ask("prompts/get", get("5", more.clone())).await;
    assert_eq!(done["result"]["messages"][0]["content"]["text"], "cats Some(5)", "{done}");
    assert_eq!(wire.ask("prompts/get", get("6", more)).await["error"]["code"], -32602, "other arguments");
    assert_eq!(wire.ask("resources/read", read(json!({"requestState": state}))).await["error"]["code"], -32602);
}
