//! The client against servers that are played line by line: odd ones, old ones, broken ones.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use haft::prelude::*;
use haft::{
    CallOptions, Change, CheckArguments, Client, ClientBuilder, Elicited, Era, ErrorKind, News, Sampled, SubscribeTo,
    Target,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// All that a client has written, and a script that answers it: each message in, any number of lines out.
struct Played {
    client: Client,
    written: Arc<Mutex<Vec<Value>>>,
}

impl Played {
    fn new(builder: ClientBuilder, mut script: impl FnMut(&Value) -> Vec<String> + Send + 'static) -> Self {
        let (here, there) = tokio::io::duplex(1 << 20);
        let written = Arc::<Mutex<Vec<Value>>>::default();
        let seen = Arc::clone(&written);
        tokio::spawn(async move {
            let (read, mut write) = tokio::io::split(there);
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message: Value = serde_json::from_str(&line).expect("the client writes JSON");
                let answers = script(&message);
                seen.lock().unwrap().push(message);
                for answer in answers {
                    if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
        let (read, write) = tokio::io::split(here);
        let client = builder.open(Target::streams(read, write)).unwrap();
        Self { client, written }
    }

    fn methods(&self) -> Vec<String> {
        let written = self.written.lock().unwrap();
        written.iter().map(|message| message["method"].as_str().unwrap_or("(response)").to_owned()).collect()
    }

    fn params(&self, method: &str) -> Vec<Value> {
        let written = self.written.lock().unwrap();
        written.iter().filter(|message| message["method"] == method).map(|message| message["params"].clone()).collect()
    }
}

fn result(asked: &Value, result: Value) -> Vec<String> {
    vec![json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string()]
}

fn error(asked: &Value, code: i64, message: &str, data: Value) -> Vec<String> {
    let error = json!({"code": code, "message": message, "data": data});
    vec![json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}).to_string()]
}

fn discovered(asked: &Value) -> Vec<String> {
    let complete = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}});
    result(asked, complete)
}

fn initialized(asked: &Value, version: &str) -> Vec<String> {
    let info = json!({"name": "old", "version": "1"});
    result(asked, json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}))
}

fn tools(asked: &Value, tools: Value) -> Vec<String> {
    result(asked, json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}))
}

fn text(asked: &Value, text: &str) -> Vec<String> {
    result(asked, json!({"resultType": "complete", "content": [{"type": "text", "text": text}]}))
}

/// A modern server whose list is `listed` and whose calls are answered by `called`.
fn modern(
    builder: ClientBuilder,
    listed: Value,
    mut called: impl FnMut(&Value) -> Vec<String> + Send + 'static,
) -> Played {
    Played::new(builder, move |asked| match asked["method"].as_str() {
        Some("server/discover") => discovered(asked),
        Some("tools/list") => tools(asked, listed.clone()),
        Some("tools/call") => called(asked),
        _ => Vec::new(),
    })
}

fn plain_tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

#[tokio::test(start_paused = true)]
async fn an_old_server_is_found_out_however_it_answers_the_first_question() {
    type Script = fn(&Value) -> Vec<String>;
    let cases: [(&str, Script); 4] = [
        ("silent", |_| Vec::new()),
        ("no such method", |asked| error(asked, -32601, "no", json!(null))),
        ("not ready", |asked| error(asked, -32602, "not ready", json!(null))),
        ("code 0", |asked| error(asked, 0, "what?", json!(null))),
    ];
    for (what, probed) in cases {
        let played = Played::new(Client::builder(), move |asked| match asked["method"].as_str() {
            Some("server/discover") => probed(asked),
            Some("initialize") => initialized(asked, "2025-06-18"),
            Some("tools/list") => result(asked, json!({"tools": [plain_tool("a")]})),
            _ => Vec::new(),
        });
        let listed = played.client.list_tools().await.unwrap();
        assert_eq!(listed[0].name, "a", "{what}");
        played.client.list_tools().await.unwrap();
        let server = played.client.server().await.unwrap();
        assert_eq!((server.version.as_str(), server.info.as_ref().unwrap().name.as_str()), ("2025-06-18", "old"));
        let begun = ["initialize", "notifications/initialized", "tools/list", "tools/list"];
        let methods: Vec<String> =
            played.methods().into_iter().filter(|method| method != "notifications/cancelled").collect();
        assert_eq!(methods[0], "server/discover");
        assert_eq!(methods[1..], begun, "{what}");
        assert_eq!(played.params("tools/list")[0], json!({"_meta": {}}), "{what}: nothing of the newer revision");
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_was_slow_to_start_is_found_out_all_the_same() {
    let mut probes = 0;
    let slow = Played::new(Client::builder(), move |asked| match asked["method"].as_str() {
        Some("server/discover") => {
            probes += 1;
            if probes == 1 { Vec::new() } else { discovered(asked) }
        }
        Some("initialize") => {
            error(asked, -32022, "no", json!({"supported": ["2026-07-28"], "requested": "2025-11-25"}))
        }
        Some("tools/list") => tools(asked, json!([plain_tool("a")])),
        _ => Vec::new(),
    });
    assert_eq!(slow.client.list_tools().await.unwrap().len(), 1);
    assert_eq!(slow.client.server().await.unwrap().version, "2026-07-28");
}

#[tokio::test]
async fn a_modern_server_is_never_initialized() {
    let refused_once = Played::new(Client::builder(), {
        let mut refused = false;
        move |asked| match asked["method"].as_str() {
            Some("server/discover") if !std::mem::replace(&mut refused, true) => {
                error(asked, -32022, "no", json!({"supported": ["2026-07-28"], "requested": "2026-07-28"}))
            }
            Some("server/discover") => discovered(asked),
            _ => tools(asked, json!([plain_tool("a")])),
        }
    });
    assert_eq!(refused_once.client.list_tools().await.unwrap().len(), 1);
    assert_eq!(refused_once.methods(), ["server/discover", "server/discover", "tools/list"]);

    let newer = Played::new(Client::builder(), |asked| {
        error(asked, -32022, "no", json!({"supported": ["2027-01-01"], "requested": "2026-07-28"}))
    });
    let refused = newer.client.list_tools().await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Version), "{refused}");
    assert!(refused.to_string().contains("2027-01-01"), "{refused}");
    assert_eq!(newer.methods(), ["server/discover"]);

    let unknown = Played::new(Client::builder().era(Era::Legacy), |asked| initialized(asked, "1999-01-01"));
    let refused = unknown.client.list_tools().await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Version), "{refused}");
}

#[tokio::test]
async fn lines_that_are_no_messages_are_left_aside_and_not_answered() {
    let junk = ["Server ready!", "[info] listening", "", r#"{"level":"info","msg":"not rpc"}"#];
    let played = Played::new(Client::builder(), move |asked| {
        let answer = match asked["method"].as_str() {
            Some("server/discover") => discovered(asked),
            _ => tools(asked, json!([plain_tool("a")])),
        };
        junk.iter().map(|line| (*line).to_owned()).chain(answer).collect()
    });
    assert_eq!(played.client.list_tools().await.unwrap().len(), 1);
    assert_eq!(played.methods(), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn what_a_newer_server_may_send_is_kept_or_passed_over() {
    let played = modern(Client::builder(), json!([plain_tool("a")]), |asked| {
        let content = json!([
            {"type": "text", "text": "ok", "annotations": {"audience": ["tool"], "priority": 1.0}},
            {"type": "x-chart", "spec": {}},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
        ]);
        result(asked, json!({"content": content, "futureField": 1}))
    });
    let called = played.client.call("a", json!({})).await.unwrap();
    assert_eq!((called.text(), called.content.len(), called.is_error), ("ok".to_owned(), 3, None));

    let played = modern(Client::builder(), json!([plain_tool("a")]), |asked| {
        result(asked, json!({"resultType": "tomorrow", "content": []}))
    });
    let refused = played.client.call("a", json!({})).await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::InvalidResponse), "{refused}");
    assert!(refused.to_string().contains("tomorrow"), "{refused}");
}

#[tokio::test]
async fn a_result_is_held_against_its_schema_unless_it_is_an_error() {
    let rows = json!({"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]});
    let tool = json!([{"name": "a", "inputSchema": {"type": "object"}, "outputSchema": rows}]);
    for fails in [true, false] {
        let played = modern(Client::builder(), tool.clone(), move |asked| {
            let content = json!([{"type": "text", "text": "table is gone"}]);
            result(asked, json!({"isError": fails, "content": content, "structuredContent": {"reason": "gone"}}))
        });
        let called = played.client.call("a", json!({})).await.unwrap();
        assert_eq!(called.text(), "table is gone");
        assert_eq!(called.structured_content.as_ref().unwrap().get(), r#"{"reason":"gone"}"#);
        assert_eq!(called.mismatch.is_some(), !fails);
        assert!(called.mismatch.as_ref().is_none_or(|mismatch| mismatch.contains("/rows")), "{:?}", called.mismatch);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_keeps_a_call_alive_but_not_for_ever() {
    let (here, there) = tokio::io::duplex(1 << 20);
    let written = Arc::<Mutex<Vec<Value>>>::default();
    let seen = Arc::clone(&written);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(there);
        let write = Arc::new(tokio::sync::Mutex::new(write));
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let asked: Value = serde_json::from_str(&line).unwrap();
            seen.lock().unwrap().push(asked.clone());
            let first = match asked["method"].as_str() {
                Some("server/discover") => discovered(&asked),
                Some("tools/list") => tools(&asked, json!([plain_tool("slow"), plain_tool("quick")])),
                Some("tools/call") if asked["params"]["name"] == "quick" => text(&asked, "done"),
                Some("tools/call") => {
                    let write = Arc::clone(&write);
                    tokio::spawn(async move {
                        for progress in 1.. {
                            tokio::time::sleep(Duration::from_millis(100)).await;
                            let token = &asked["params"]["_meta"]["progressToken"];
                            let params = json!({"progressToken": token, "progress": progress});
                            let line = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                            if write.lock().await.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                                return;
                            }
                        }
                    });
                    Vec::new()
                }
                _ => Vec::new(),
            };
            for line in first {
                write.lock().await.write_all(format!("{line}\n").as_bytes()).await.unwrap();
            }
        }
    });
    let (read, write) = tokio::io::split(here);
    let client = Client::builder().open(Target::streams(read, write)).unwrap();
    client.list_tools().await.unwrap();
    let seen = Arc::new(Mutex::new(0_u32));
    let counted = Arc::clone(&seen);
    let options = CallOptions::default()
        .idle_timeout(Duration::from_millis(300))
        .timeout(Duration::from_secs(2))
        .on_progress(move |_| *counted.lock().unwrap() += 1);
    let begun = tokio::time::Instant::now();
    let late = client.call_with("slow", json!({}), options).await.unwrap_err();
    assert!(matches!(late.kind(), ErrorKind::Timeout), "{late}");
    assert_eq!(begun.elapsed().as_secs(), 2);
    assert!((15..=20).contains(&*seen.lock().unwrap()), "{seen:?}");
    assert_eq!(client.call("quick", json!({})).await.unwrap().text(), "done");
    let written = written.lock().unwrap();
    let slow = written.iter().find(|message| message["params"]["name"] == "slow").unwrap();
    let cancelled = written.iter().find(|message| message["method"] == "notifications/cancelled").unwrap();
    assert_eq!(cancelled["params"]["requestId"], slow["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_is_given_up_after_the_idle_time() {
    let played = modern(Client::builder(), json!([plain_tool("a")]), |_| Vec::new());
    let options = CallOptions::default().idle_timeout(Duration::from_millis(300)).timeout(Duration::from_secs(9));
    let begun = tokio::time::Instant::now();
    played.client.call_with("a", json!({}), options).await.unwrap_err();
    assert_eq!(begun.elapsed().as_millis(), 300);
}

#[tokio::test]
async fn pages_are_read_to_their_end_and_no_further() {
    let paged = |pages: Value| {
        Played::new(Client::builder().era(Era::Modern), move |asked| match asked["method"].as_str() {
            Some("server/discover") => discovered(asked),
            _ => {
                let cursor = asked["params"].get("cursor").cloned().unwrap_or(json!("absent"));
                let page = pages.as_array().unwrap().iter().find(|page| page["cursor"] == cursor).unwrap();
                let mut answer = json!({"resultType": "complete", "tools": page["tools"].as_array().unwrap().iter()
                    .map(|name| plain_tool(name.as_str().unwrap())).collect::<Vec<_>>(), "ttlMs": 0, "cacheScope": "private"});
                if let Some(next) = page.get("nextCursor") {
                    answer["nextCursor"] = next.clone();
                }
                result(asked, answer)
            }
        })
    };
    let empty = paged(json!([{"cursor": "absent", "tools": ["a"], "nextCursor": ""}, {"cursor": "", "tools": ["b"]}]));
    assert_eq!(empty.client.list_tools().await.unwrap().len(), 2);
    assert_eq!(empty.params("tools/list")[1]["cursor"], "");

    let endless = paged(json!([
        {"cursor": "absent", "tools": ["a"], "nextCursor": "p"}, {"cursor": "p", "tools": ["a"], "nextCursor": "p"}]));
    let refused = endless.client.list_tools().await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::InvalidResponse), "{refused}");
    assert_eq!(endless.params("tools/list").len(), 2);

    let null = paged(json!([{"cursor": "absent", "tools": ["a"], "nextCursor": null}]));
    assert_eq!(null.client.list_tools().await.unwrap().len(), 1);
    assert_eq!(null.params("tools/list").len(), 1);
}

#[tokio::test]
async fn a_broken_definition_costs_that_tool_only() {
    let listed = json!([plain_tool("good"), {"name": "no schema"}, 5, {"inputSchema": {"type": "object"}}, plain_tool("good"),
        {"name": "schema", "inputSchema": true}, plain_tool("other")]);
    let played = modern(Client::builder(), listed, |_| Vec::new());
    let list = played.client.tools().await.unwrap();
    let names: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good", "other"]);
    let left_out: Vec<Option<&str>> = list.left_out.iter().map(|left| left.name.as_deref()).collect();
    assert_eq!(left_out, [Some("no schema"), None, None, Some("good"), Some("schema")]);
}

#[tokio::test]
async fn a_list_is_kept_for_as_long_as_the_server_says_and_until_it_changes() {
    let played = Played::new(Client::builder(), |asked| match asked["method"].as_str() {
        Some("server/discover") => discovered(asked),
        Some("tools/list") => result(
            asked,
            json!({"resultType": "complete", "tools": [plain_tool("a")], "ttlMs": 60_000, "cacheScope": "public"}),
        ),
        Some("tools/call") => {
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}).to_string();
            [vec![changed], text(asked, "done")].concat()
        }
        _ => Vec::new(),
    });
    for _ in 0..3 {
        played.client.list_tools().await.unwrap();
    }
    assert_eq!(played.params("tools/list").len(), 1);
    played.client.call("a", json!({})).await.unwrap();
    played.client.list_tools().await.unwrap();
    assert_eq!(played.params("tools/list").len(), 2);
}

#[tokio::test]
async fn both_ways_to_say_that_a_tool_is_unknown_are_one_error() {
    type Script = fn(&Value) -> Vec<String>;
    let scripts: [Script; 2] = [
        |asked| error(asked, -32602, "Unknown tool", json!(null)),
        |asked| result(asked, json!({"isError": true, "content": [{"type": "text", "text": "Unknown tool: b"}]})),
    ];
    for script in scripts {
        let played = modern(Client::builder(), json!([plain_tool("a")]), script);
        let unknown = played.client.call("b", json!({})).await.unwrap_err();
        assert!(matches!(unknown.kind(), ErrorKind::UnknownTool), "{unknown}");
        // Of a tool that is there, the same answers say something else.
        let other = played.client.call("a", json!({})).await;
        assert!(!matches!(other.as_ref().map_err(|error| error.kind()), Err(ErrorKind::UnknownTool)), "{other:?}");
    }
}

#[tokio::test]
async fn wrong_arguments_are_sent_all_the_same_or_refused() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let listed = json!([{"name": "a", "inputSchema": schema}]);
    let lenient = modern(Client::builder(), listed.clone(), |asked| text(asked, "taken"));
    assert_eq!(lenient.client.call("a", json!({"n": "x"})).await.unwrap().text(), "taken");

    let strict =
        modern(Client::builder().check_arguments(CheckArguments::Enforce), listed, |asked| text(asked, "taken"));
    let refused = strict.client.call("a", json!({"n": "x"})).await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::InvalidArguments), "{refused}");
    assert!(refused.to_string().contains("/n"), "{refused}");
    assert!(strict.params("tools/call").is_empty());
    assert_eq!(strict.client.call("a", json!({"n": 1})).await.unwrap().text(), "taken");
    assert!(strict.client.call("a", json!([1])).await.is_err());
}

#[tokio::test]
async fn what_a_server_asks_is_answered_and_its_state_comes_back_untouched() {
    let state = "s\u{e4}\n\"x\" ";
    let builder = Client::builder()
        .on_elicitation(|asked| async move {
            assert_eq!(asked.message, "Who?");
            assert_eq!(asked.fields()[0].0, "name");
            Elicited::Accept(asked.defaults())
        })
        .on_sampling(|_| async { Ok(Sampled { text: "Paris".to_owned(), model: "m".to_owned() }) });
    let played = modern(builder, json!([plain_tool("a")]), move |asked| {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}});
        match asked["params"].get("requestState") {
            None => result(
                asked,
                json!({"resultType": "input_required", "requestState": state, "inputRequests": {
                    "who": {"method": "elicitation/create", "params": {"mode": "form", "message": "Who?", "requestedSchema": schema}},
                    "what": {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}},
                }}),
            ),
            Some(_) => text(asked, "done"),
        }
    });
    assert_eq!(played.client.call("a", json!({"x": 1})).await.unwrap().text(), "done");
    let calls = played.params("tools/call");
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1]["requestState"], state);
    assert_eq!(calls[1]["arguments"], json!({"x": 1}));
    assert_eq!(calls[1]["inputResponses"]["who"], json!({"action": "accept", "content": {"name": "Ada"}}));
    assert_eq!(calls[1]["inputResponses"]["what"]["content"]["text"], "Paris");
    let capabilities = &calls[0]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(
        capabilities,
        &json!({"elicitation": {"form": {}}, "sampling": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
    );
}

#[tokio::test]
async fn a_server_that_asks_for_ever_or_for_what_is_not_given_is_given_up() {
    let ask = |asked: &Value| {
        let request = json!({"method": "roots/list", "params": {}});
        result(asked, json!({"resultType": "input_required", "inputRequests": {"r": request}}))
    };
    let endless = modern(Client::builder().roots([]).max_rounds(3), json!([plain_tool("a")]), ask);
    let refused = endless.client.call("a", json!({})).await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::TooManyRounds), "{refused}");
    assert_eq!(endless.params("tools/call").len(), 4);

    let alone = modern(Client::builder(), json!([plain_tool("a")]), ask);
    let refused = alone.client.call("a", json!({})).await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::InputRequired), "{refused}");
    assert!(refused.to_string().contains("roots/list"), "{refused}");
}

/// Use this to order a shirt.
#[tool(additive, closed_world)]
async fn order_shirt(context: Context) -> Result<String, ToolError> {
    let size: String = context.ask("size", "Which size?").await?;
    Ok(format!("Ordered in {size}."))
}

#[tokio::test]
async fn the_same_tool_asks_in_both_eras() {
    let server = Server::new("shop", "1.0.0").tool(order_shirt::tool()).build().unwrap();
    for (era, version) in [(Era::Modern, "2026-07-28"), (Era::Legacy, "2025-11-25"), (Era::Auto, "2026-07-28")] {
        let size = |_| async { Elicited::Accept([("size".to_owned(), json!("M"))].into_iter().collect()) };
        let client = Client::builder().era(era).on_elicitation(size).connect(&server).await.unwrap();
        assert_eq!(client.server().await.unwrap().version, version);
        assert_eq!(client.call("order_shirt", json!({})).await.unwrap().text(), "Ordered in M.");
        let client = Client::builder().era(era).on_elicitation(|_| async { Elicited::Decline }).in_memory(&server);
        let declined = client.call("order_shirt", json!({})).await.unwrap();
        assert!(declined.text().starts_with("The user declined"), "{}", declined.text());
    }
}

#[tokio::test]
async fn changes_reach_a_subscriber_in_both_eras() {
    for era in [Era::Modern, Era::Legacy] {
        let server = Server::new("dynamic", "1.0.0").dynamic_tools().notify_resources().build().unwrap();
        let client = Client::builder().era(era).connect(&server).await.unwrap();
        let mut news = client.subscribe(SubscribeTo::new().tools().resource("file:///a")).await.unwrap();
        // The first answer after `notifications/initialized` says that it has been taken note of.
        assert!(client.list_tools().await.unwrap().is_empty());
        server.handle().add_tool(order_shirt::tool()).unwrap();
        assert_eq!(news.next().await, Some(News::Changed(Change::Tools)));
        assert_eq!(client.list_tools().await.unwrap().len(), 1, "{era:?}: the kept list is dropped");
        server.handle().resource_updated("file:///b");
        server.handle().resource_updated("file:///a");
        assert_eq!(news.next().await, Some(News::Changed(Change::Resource("file:///a".to_owned()))));
    }
}

#[cfg(unix)]
mod children {
    use std::process::Command;

    use super::*;

    /// A server in a few lines of Python: `step` runs for each message.
    fn python(step: &str) -> Command {
        let text = format!(
            "import sys, json, os, signal, time, subprocess\n\
             def out(message):\n    sys.stdout.write(json.dumps(message) + '\\n'); sys.stdout.flush()\n\
             def result(asked, result):\n    out(dict(jsonrpc='2.0', id=asked['id'], result=result))\n\
             def usual(asked):\n\
             \x20   if asked['method'] == 'server/discover':\n\
             \x20       result(asked, dict(supportedVersions=['2026-07-28'], capabilities=dict(tools={{}})))\n\
             \x20   elif asked['method'] == 'tools/list':\n\
             \x20       result(asked, dict(tools=[dict(name='a', inputSchema=dict(type='object'))]))\n\
             \x20   elif asked['method'] == 'tools/call':\n\
             \x20       result(asked, dict(content=[dict(type='text', text='done')]))\n\
             {step}\n"
        );
        let mut command = Command::new("python3");
        command.args(["-c", &text]);
        command
    }

    fn has_python() -> bool {
        let found = Command::new("python3").arg("--version").output().is_ok();
        if !found {
            eprintln!("skipped: these children are written in Python, and there is none here");
        }
        found
    }

    #[tokio::test]
    async fn stderr_is_read_at_all_times_and_its_end_is_kept() {
        if !has_python() {
            return;
        }
        let flood = "for line in sys.stdin:\n    sys.stderr.write('x' * 262144 + 'END'); sys.stderr.flush()\n    usual(json.loads(line))";
        let client = Client::spawn(python(flood)).unwrap();
        for _ in 0..3 {
            assert_eq!(client.call("a", json!({})).await.unwrap().text(), "done");
        }
        assert!(client.stderr_tail().len() <= 64 << 10);
        assert!(client.close(Duration::from_secs(20)).await.unwrap().unwrap().success());
    }

    #[tokio::test]
    async fn one_that_exits_is_started_again_and_what_was_running_fails() {
        if !has_python() {
            return;
        }
        let dies = "for line in sys.stdin:\n    asked = json.loads(line)\n    if asked['method'] == 'tools/call' and asked['params'].get('arguments'):\n        sys.exit(3)\n    usual(asked)";
        let client = Client::spawn(python(dies)).unwrap();
        let dead = client.call("a", json!({"die": 1})).await.unwrap_err();
        assert!(matches!(dead.kind(), ErrorKind::Closed), "{dead}");
        assert_eq!(client.call("a", json!({})).await.unwrap().text(), "done");
        for _ in 0..2 {
            client.call("a", json!({"die": 1})).await.unwrap_err();
            client.call("a", json!({})).await.unwrap();
        }
        client.call("a", json!({"die": 1})).await.unwrap_err();
        let given_up = client.call("a", json!({})).await.unwrap_err();
        assert!(given_up.to_string().contains("exited"), "{given_up}");
    }

    #[tokio::test]
    async fn an_old_one_that_dies_of_the_first_question_is_started_again_and_initialized() {
        if !has_python() {
            return;
        }
        let old = "for line in sys.stdin:\n    asked = json.loads(line)\n    if asked['method'] == 'initialize':\n        result(asked, dict(protocolVersion='2025-06-18', capabilities=dict(tools={}), serverInfo=dict(name='old', version='1')))\n        begun = True\n    elif 'begun' not in globals():\n        sys.exit(1)\n    elif 'id' in asked:\n        usual(asked)";
        let client = Client::spawn(python(old)).unwrap();
        assert_eq!(client.call("a", json!({})).await.unwrap().text(), "done");
        assert_eq!(client.server().await.unwrap().version, "2025-06-18");
    }

    /// Ends, or fails the test: by a signal that a process ignores it never would.
    #[tokio::test]
    async fn one_that_ignores_its_end_is_killed_with_all_that_it_started() {
        if !has_python() {
            return;
        }
        let stubborn = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nchild = subprocess.Popen(['sleep', '1000'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)\nsys.stderr.write(str(child.pid)); sys.stderr.flush()\nfor line in sys.stdin:\n    usual(json.loads(line))\nwhile True:\n    time.sleep(1000)";
        let client = Client::spawn(python(stubborn)).unwrap();
        client.call("a", json!({})).await.unwrap();
        let grandchild: u32 = client.stderr_tail().parse().unwrap();
        assert!(std::path::Path::new(&format!("/proc/{grandchild}")).exists() || !cfg!(target_os = "linux"));
        let status = client.close(Duration::from_millis(50)).await.unwrap().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
        if cfg!(target_os = "linux") {
            let gone = async {
                // A zombie counts as gone: whoever inherited it reaps it in its own time.
                while std::fs::read_to_string(format!("/proc/{grandchild}/stat"))
                    .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
                {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), gone).await.expect("the grandchild is killed");
        }
    }
}
