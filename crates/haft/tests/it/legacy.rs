//! Clients of the revisions before 2026-07-28 on one stream of frames.

use std::time::Duration;

use futures_util::future::join;
use haft::prelude::*;
use haft::{AskErrorKind, CreateMessage, LogLevel, Role};
use serde_json::{Value, json};

use crate::ask::accept;
use crate::ask::{Extra, Speed};
use crate::old::{NEWEST, Old, VERSIONS, answer, can_all, initialize, initialized, message};
use crate::wire::{Wire, request, text};

/// Use this to see what goes out before an answer.
#[tool(title = "Report", read_only, closed_world, logs)]
async fn report(context: Context) -> String {
    context.progress_message(1.0, Some(2.0), "half of it");
    for level in [LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error] {
        context.log(level, json!({"said": level}));
    }
    format!("{:?}", context.client_info().map(|info| &info.name))
}

#[derive(Form, Debug)]
#[allow(dead_code)]
struct Parcel {
    /// On the parcel
    #[form(title = "Name", length(1..=80), default = "Ada")]
    name: String,
    #[form(default = true)]
    agreed: bool,
    #[form(default = Speed::Slow)]
    speed: Speed,
    extra: Option<Extra>,
    #[form(range(1..=10), default = 1)]
    parcels: u8,
    #[form(default = Size::Small)]
    size: Size,
}

#[derive(Form, Debug)]
#[form(enum_names)]
enum Size {
    #[form(rename = "s", title = "Small")]
    Small,
    Large,
}

/// Use this to send a parcel.
#[tool(additive, closed_world)]
async fn parcel(context: Context) -> Result<String, ToolError> {
    Ok(format!("{:?}", context.ask::<Parcel>("parcel", "How?").await?))
}

/// Use this to ask under two keys at once, and to say which errors there were.
#[tool(read_only, closed_world)]
async fn both(context: Context) -> String {
    let (one, two) = join(context.ask::<u8>("one", "One?"), context.ask::<u8>("two", "Two?")).await;
    let shown = |answer: Result<u8, haft::AskError>| answer.map_err(|error| error.kind());
    format!("{:?} {:?}", shown(one), shown(two))
}

/// Use this to work while a question waits.
#[tool(read_only, closed_world)]
async fn meanwhile(context: Context) -> Result<String, ToolError> {
    let mut worked = 0;
    let mut question = std::pin::pin!(context.ask::<u8>("n", "How many?"));
    loop {
        tokio::select! {
            answer = &mut question => return Ok(format!("{} {}", answer?, worked > 2)),
            () = tokio::time::sleep(Duration::from_millis(1)) => {
                worked += 1;
                context.progress(f64::from(worked), None);
            }
        }
    }
}

/// Use this to have the client's model listen.
#[tool(read_only, open_world)]
async fn listen(context: Context) -> Result<String, ToolError> {
    let message = CreateMessage::new(9).message(Role::User, Content::audio([1], "audio/wav"));
    Ok(context.sample("recording", message).await?.text())
}

/// Use this to wait without end.
#[tool(read_only, closed_world)]
async fn endless() -> &'static str {
    std::future::pending().await
}

pub(crate) fn all() -> haft::ServerBuilder {
    let asking = Prompt::builder("asking").handler(|_, context| async move {
        let name: String = context.ask("name", "Your name?").await?;
        Ok::<_, RequestError>(format!("I am {name}."))
    });
    let asked = Resource::builder("test://asked", "asked").title("Asked").read(|context| async move {
        let name: String = context.ask("name", "Your name?").await?;
        Ok::<_, RequestError>(haft::ResourceContents::text("test://asked", name))
    });
    let embedded = Tool::builder("embedded")
        .description("Embeds a resource.")
        .input_schema(r#"{"type":"object"}"#)
        .read_only(true)
        .handler(|_: Arguments, _: Context| async { Content::text("with meta").meta("com.example/k", 1) });
    crate::ask::all()
        .merge(crate::results::all())
        .merge(crate::completion::all())
        .tool(report::tool())
        .tool(parcel::tool())
        .tool(both::tool())
        .tool(meanwhile::tool())
        .tool(listen::tool())
        .tool(endless::tool())
        .tool(embedded)
        .prompt(asking)
        .resource(asked)
}

fn server() -> Server {
    all()
        .title("A server")
        .website("https://example.com")
        .icon(haft::Icon::new("https://example.com/i.png"))
        .instructions("Be kind.")
        .dynamic_tools()
        .notify_resources()
        .notify_prompts()
        .build()
        .unwrap()
}

async fn old(version: &str) -> Old {
    Old::of(&server(), version, can_all()).await
}

async fn newest() -> Old {
    old(NEWEST).await
}

#[tokio::test]
async fn each_revision_is_spoken_to_who_asks_for_it_and_the_newest_to_everybody_else() {
    for version in VERSIONS {
        let welcome = old(version).await.welcome;
        let mut info = json!({"name": "test", "version": "1.0.0"});
        let mut capabilities = json!({
            "tools": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true},
            "prompts": {"listChanged": true},
            "logging": {},
        });
        if version > "2025-03-26" {
            info["title"] = json!("A server");
        }
        if version > "2024-11-05" {
            capabilities["completions"] = json!({});
        }
        if version == NEWEST {
            info["websiteUrl"] = json!("https://example.com");
            info["icons"] = json!([{"src": "https://example.com/i.png"}]);
        }
        let expected = json!({
            "protocolVersion": version, "capabilities": capabilities, "serverInfo": info, "instructions": "Be kind.",
        });
        assert_eq!(welcome, expected);
    }
    for version in ["2026-07-28", "2027-01-01", "1.0", ""] {
        let mut wire = Wire::new(&server());
        wire.send(initialize(version, json!({}))).await;
        assert_eq!(wire.recv().await["result"]["protocolVersion"], NEWEST, "{version}");
    }
}

#[tokio::test]
async fn an_initialize_that_cannot_be_read_is_refused_and_the_next_one_opens_the_session() {
    let mut wire = Wire::new(&server());
    // Before anything else, a client may see whether the server is there.
    wire.send(message(Some(7), "ping", json!({}))).await;
    assert_eq!(wire.recv().await, json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    for params in [json!({}), json!({"protocolVersion": 5}), json!({"protocolVersion": null})] {
        wire.send(message(Some(1), "initialize", params.clone())).await;
        let refused = wire.recv().await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32602)), "{params}");
    }
    let params = json!({"protocolVersion": NEWEST, "capabilities": {"experimental": {"x": "x".repeat(1 << 16)}}});
    wire.send(message(Some(1), "initialize", params)).await;
    assert_eq!(wire.recv().await["error"]["code"], -32602, "a session keeps what its client can do");
    // Only the version is needed.
    let params = json!({"protocolVersion": NEWEST, "capabilities": 5, "clientInfo": []});
    wire.send(message(Some(2), "initialize", params)).await;
    assert_eq!(wire.recv().await["result"]["protocolVersion"], NEWEST);
    wire.send(message(Some(3), "initialize", json!({"protocolVersion": "2025-06-18"}))).await;
    assert_eq!(wire.recv().await["error"]["code"], -32600);
    wire.send(message(Some(4), "tools/call", json!({"name": "give_string"}))).await;
    assert_eq!(text(&wire.recv().await), "plain");
}

#[tokio::test]
async fn a_server_without_sessions_says_which_revision_to_speak() {
    let mut wire = Wire::new(&all().legacy(false).build().unwrap());
    wire.send(initialize(NEWEST, json!({}))).await;
    let refused = wire.recv().await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"], json!({"supported": ["2026-07-28"], "requested": NEWEST}));
    for frame in [message(Some(1), "ping", json!({})), message(Some(1), "tools/list", json!({}))] {
        wire.send(frame).await;
        assert!(wire.recv().await["error"]["code"].is_i64());
    }
}

#[tokio::test]
async fn requests_that_carry_their_version_need_no_session_on_the_same_connection() {
    let mut client = newest().await;
    for _ in 0..2 {
        client.wire.send(request("modern", "tools/list", json!({}))).await;
        let modern = client.wire.recv().await;
        assert_eq!((&modern["id"], &modern["result"]["resultType"]), (&json!("modern"), &json!("complete")));
        let list = client.ask("tools/list", json!({})).await;
        assert_eq!(list["result"].as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
        // A question ends the one, and waits in the other.
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": can_all()});
        client.wire.send(request("modern", "tools/call", json!({"name": "greet", "_meta": meta}))).await;
        assert_eq!(client.wire.recv().await["result"]["resultType"], "input_required");
        let question = client.call("greet").await;
        assert_eq!(text(&client.answer(&question, accept(json!({"name": "Ada"}))).await), "Hello, Ada!");
    }
    for method in ["server/discover", "subscriptions/listen"] {
        assert_eq!(client.ask(method, json!({})).await["error"]["code"], -32601);
    }
}

/// [`Old`] holds each frame against the revision's schema, in which objects have no members but those it names.
#[tokio::test]
async fn whatever_goes_out_is_of_the_revision() {
    for version in VERSIONS {
        let server = server();
        let mut client = Old::of(&server, version, can_all()).await;
        let list = client.ask("tools/list", json!({})).await;
        for method in ["resources/list", "resources/templates/list", "prompts/list"] {
            client.ask(method, json!({})).await;
        }
        for tool in list["result"]["tools"].as_array().unwrap() {
            if tool["name"] == "endless" {
                continue;
            }
            let meta = json!({"progressToken": "p"});
            client.send("tools/call", json!({"name": tool["name"], "arguments": {}, "_meta": meta})).await;
            let frame = loop {
                let frame = client.recv().await;
                match frame["method"].as_str() {
                    Some("elicitation/create" | "sampling/createMessage" | "roots/list") => {
                        let error =
                            json!({"jsonrpc": "2.0", "id": frame["id"], "error": {"code": -1, "message": "no"}});
                        client.wire.send(error.to_string()).await;
                    }
                    Some(_) => {}
                    None => break frame,
                }
            };
            assert!(frame["result"]["isError"] != true || version != NEWEST || text(&frame).contains("-1"), "{frame}");
        }
        for uri in ["test://static-text", "test://static-binary", "test://template/1/data", "test://nope"] {
            client.ask("resources/read", json!({"uri": uri})).await;
        }
        for (name, arguments) in [
            ("test_simple_prompt", json!({})),
            ("test_prompt_with_image", json!({})),
            ("test_prompt_with_embedded_resource", json!({"resourceUri": "test://x"})),
            ("nope", json!({})),
        ] {
            client.ask("prompts/get", json!({"name": name, "arguments": arguments})).await;
        }
        let reference = json!({"type": "ref/prompt", "name": "many"});
        let argument = json!({"name": "more", "value": ""});
        client.ask("completion/complete", json!({"ref": reference, "argument": argument})).await;
        client.ask("resources/subscribe", json!({"uri": "test://static-text"})).await;
        client.ask("logging/setLevel", json!({"level": "error"})).await;
        server.handle().resource_updated("test://static-text");
        client.recv().await;
    }
}

#[tokio::test]
async fn what_a_revision_has_no_place_for_is_left_out() {
    for version in VERSIONS {
        let (titled, structured, hinted) = (version > "2025-03-26", version > "2025-03-26", version > "2024-11-05");
        let mut client = old(version).await;
        let tools = client.ask("tools/list", json!({})).await["result"]["tools"].clone();
        let tool = |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone();
        let reported = tool("report");
        assert_eq!(reported.get("title").is_some(), titled);
        assert_eq!(reported["annotations"].is_object(), hinted);
        // One revision had the title among the hints.
        assert!(version != "2025-03-26" || reported["annotations"]["title"] == "Report");
        assert_eq!(tool("give_value").get("outputSchema").is_some(), structured);
        assert_eq!(tool("give_list").get("outputSchema"), None, "only objects are structured before 2026-07-28");
        for (name, structure) in [
            ("give_value", Some(json!({"celsius": 18.5}))),
            ("give_list", None),
            ("give_number", None),
            ("give_json", Some(json!({"free": [1, null]}))),
        ] {
            let answer = client.call(name).await;
            assert_eq!(answer["result"].get("structuredContent"), structure.filter(|_| structured).as_ref(), "{name}");
            assert!(answer["result"].get("_meta").is_none() && answer["result"].get("resultType").is_none());
        }
        let blocks = client.call("give_blocks").await["result"]["content"].clone();
        let kinds: Vec<_> = blocks.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
        let kept = |kind: &'static str, since: &str| if version < since { "text" } else { kind };
        let (audio, link) = (kept("audio", "2025-03-26"), kept("resource_link", "2025-06-18"));
        assert_eq!(kinds, ["text", "image", audio, link, "resource"]);
        assert!(link != "text" || blocks[3]["text"] == "a: https://example.com/a", "{blocks}");
        assert_eq!(blocks[0]["annotations"].get("lastModified").is_some(), titled);
        assert_eq!(blocks[0]["annotations"]["priority"].as_f64(), Some(1.0));
        let resource = client.ask("resources/list", json!({})).await["result"]["resources"][0].clone();
        for (member, since) in [("title", "2025-06-18"), ("_meta", "2025-06-18"), ("icons", "2025-11-25")] {
            assert_eq!(resource.get(member).is_some(), version >= since, "{version} {member}");
        }
        assert_eq!(resource["size"], 48);
        let meta = &client.call("embedded").await["result"]["content"][0];
        assert_eq!(meta.get("_meta").is_some(), titled);
        let read = client.ask("resources/read", json!({"uri": "test://static-text"})).await["result"].clone();
        assert_eq!(read.as_object().unwrap().keys().collect::<Vec<_>>(), ["contents"]);
        client.send("tools/call", json!({"name": "report", "_meta": {"progressToken": 1}})).await;
        assert_eq!(client.recv().await["params"].get("message").is_some(), hinted);
    }
}

#[tokio::test]
async fn numbers_and_the_order_of_members_stay_as_they_were_written() {
    let odd = Tool::builder("odd")
        .description("Odd numbers.")
        .input_schema(r#"{"type":"object"}"#)
        .read_only(true)
        .handler(|_: Arguments, _: Context| async { json!({"z": 1.0, "a": [9_007_199_254_740_993_u64, 0.1]}) });
    let server = Server::new("odd", "1.0.0").tool(odd).build().unwrap();
    let mut modern = Wire::new(&server);
    modern.send(request(1, "tools/call", json!({"name": "odd"}))).await;
    let modern = String::from_utf8(modern.bytes().await).unwrap();
    let mut client = Old::of(&server, NEWEST, json!({})).await;
    client.send("tools/call", json!({"name": "odd"})).await;
    let old = String::from_utf8(client.wire.bytes().await).unwrap();
    let structured = |frame: &str| {
        let start = frame.find("\"structuredContent\"").unwrap();
        frame[start..].split_inclusive('}').next().unwrap().to_owned()
    };
    assert_eq!(structured(&old), structured(&modern));
    assert!(old.contains("9007199254740993") && old.contains("1.0"), "{old}");
}

#[tokio::test]
async fn a_question_waits_for_its_answer_while_the_call_goes_on() {
    let mut client = newest().await;
    let question = client.call("greet").await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["mode"], "form");
    assert_eq!(text(&client.answer(&question, accept(json!({"name": "Ada"}))).await), "Hello, Ada!");
    for (action, code) in [("decline", "declined"), ("cancel", "cancelled")] {
        let question = client.call("greet").await;
        let answer = client.answer(&question, json!({"action": action})).await;
        assert_eq!(
            (&answer["result"]["isError"], &answer["result"]["_meta"]["dev.haft/code"]),
            (&json!(true), &json!(code))
        );
    }
    // What doesn't fit is asked again, under another id.
    let first = client.call("greet").await;
    let again = client.answer(&first, accept(json!({"name": 5}))).await;
    assert_eq!(again["params"], first["params"]);
    assert_ne!(again["id"], first["id"]);
    // An answer counts once, and only where it was asked.
    client.wire.send(answer(&first, accept(json!({"name": "Eve"})))).await;
    client.wire.send(answer(&json!({"id": 999}), accept(json!({"name": "Eve"})))).await;
    assert_eq!(text(&client.answer(&again, accept(json!({"name": "Ada"}))).await), "Hello, Ada!");
    // A question whose answers never fit is given up.
    let mut question = client.call("greet").await;
    let mut times = 1;
    let end = loop {
        question = client.answer(&question, accept(json!({}))).await;
        if question.get("method").is_none() {
            break question;
        }
        times += 1;
    };
    assert_eq!((times, &end["result"]["_meta"]["dev.haft/code"]), (8, &json!("unanswered")));
    // What is no answer at all, and an error, end it at once.
    let question = client.call("greet").await;
    let end = client.answer(&question, json!({"action": "perhaps"})).await;
    assert_eq!(end["result"]["_meta"]["dev.haft/code"], "unanswered");
    let question = client.call("greet").await;
    let error = json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32603, "message": "no window"}});
    client.wire.send(error.to_string()).await;
    let end = client.recv().await;
    assert!(text(&end).contains("-32603: no window"), "{end}");
    client.is_quiet().await;
}

#[tokio::test]
async fn joined_questions_go_out_together_and_are_answered_in_any_order() {
    let mut client = newest().await;
    let one = client.call("both").await;
    let two = client.recv().await;
    assert_eq!((&one["params"]["message"], &two["params"]["message"]), (&json!("One?"), &json!("Two?")));
    assert_ne!(one["id"], two["id"]);
    client.wire.send(answer(&two, accept(json!({"two": 2})))).await;
    assert_eq!(text(&client.answer(&one, accept(json!({"one": 1}))).await), "Ok(1) Ok(2)");

    let kinds = [client.call("three").await, client.recv().await, client.recv().await];
    let kinds = kinds.map(|question| question["method"].as_str().unwrap().to_owned());
    assert_eq!(kinds, ["roots/list", "sampling/createMessage", "elicitation/create"]);
}

#[tokio::test]
async fn a_tool_may_do_other_work_while_its_question_waits() {
    let mut client = newest().await;
    client.send("tools/call", json!({"name": "meanwhile", "_meta": {"progressToken": 1}})).await;
    let (mut question, mut worked) = (None, 0);
    while question.is_none() || worked < 3 {
        let frame = client.recv().await;
        match frame["method"].as_str() {
            Some("notifications/progress") => worked += 1,
            _ => question = Some(frame),
        }
    }
    client.wire.send(answer(&question.unwrap(), accept(json!({"n": 7})))).await;
    let end = loop {
        let frame = client.recv().await;
        if frame.get("result").is_some() {
            break frame;
        }
    };
    assert_eq!(text(&end), "7 true");
}

#[tokio::test]
async fn the_clients_model_and_its_roots_can_be_asked() {
    for version in VERSIONS {
        let mut client = old(version).await;
        let question = client.call("capital").await;
        assert_eq!(question["method"], "sampling/createMessage");
        let answer = json!({"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"});
        assert_eq!(text(&client.answer(&question, answer).await), "Paris");
        let question = client.call("roots").await;
        let roots = json!({"roots": [{"uri": "file:///work"}]});
        assert_eq!(text(&client.answer(&question, roots).await), "file:///work");
        // The first revision had no recordings.
        let frame = client.call("listen").await;
        assert_eq!(frame.get("method").is_some(), version > "2024-11-05", "{frame}");
    }
}

#[tokio::test]
async fn a_client_is_asked_only_for_what_it_and_its_revision_can() {
    for version in VERSIONS {
        let mut client = old(version).await;
        let form = client.call("greet").await;
        if version < "2025-06-18" {
            assert_eq!(form["error"]["code"], -32021, "{form}");
            continue;
        }
        assert_eq!(form["params"].get("mode").is_some(), version == NEWEST);
        client.answer(&form, json!({"action": "cancel"})).await;
        let page = client.call("connect_account").await;
        if version == NEWEST {
            assert_eq!(
                (&page["params"]["mode"], &page["params"]["url"]),
                (&json!("url"), &json!("https://example.com/connect?id=7"))
            );
            let id = page["params"]["elicitationId"].as_str().unwrap().to_owned();
            assert_eq!(text(&client.answer(&page, json!({"action": "accept"})).await), "on the way");
            assert_ne!(client.call("connect_account").await["params"]["elicitationId"], id);
        } else {
            assert_eq!(page["error"]["code"], -32021, "{page}");
        }
    }
    let mut client = Old::of(&server(), NEWEST, json!({"elicitation": {}})).await;
    assert_eq!(client.call("greet").await["method"], "elicitation/create", "an empty capability means forms");
    for tool in ["connect_account", "capital", "roots"] {
        assert_eq!(client.call(tool).await["error"]["code"], -32021, "{tool}");
    }
    let mut client = Old::of(&server(), "2025-06-18", json!({"elicitation": {"url": {}}})).await;
    assert_eq!(client.call("greet").await["method"], "elicitation/create", "there were only forms");
    let mut client = Old::of(&server(), NEWEST, json!({})).await;
    assert_eq!(client.call("greet").await["error"]["code"], -32021);
}

#[tokio::test]
async fn forms_are_written_in_the_words_of_the_revision() {
    let mut client = newest().await;
    let form = client.call("parcel").await["params"]["requestedSchema"].clone();
    let speed = json!([{"const": "slow", "title": "Three days"}, {"const": "fast", "title": "Tomorrow"}]);
    assert_eq!(
        (&form["properties"]["speed"]["oneOf"], &form["properties"]["name"]["default"]),
        (&speed, &json!("Ada"))
    );

    let size = json!({"type": "string", "enum": ["s", "Large"], "enumNames": ["Small", "Large"], "default": "s"});
    assert_eq!(form["properties"]["size"], size);

    let mut client = old("2025-06-18").await;
    let question = client.call("parcel").await;
    assert_eq!(
        question["params"]["requestedSchema"],
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "title": "Name", "description": "On the parcel", "minLength": 1, "maxLength": 80},
                "agreed": {"type": "boolean", "default": true},
                "speed": {"type": "string", "enum": ["slow", "fast"], "enumNames": ["Three days", "Tomorrow"]},
                "extra": {"type": "string", "enum": ["Gift", "Insurance"]},
                "parcels": {"type": "integer", "minimum": 1, "maximum": 10},
                "size": {"type": "string", "enum": ["s", "Large"], "enumNames": ["Small", "Large"]},
            },
            "required": form["required"],
        })
    );
    let content = json!({"name": "Ada", "agreed": true, "speed": "fast", "parcels": 2, "size": "Large"});
    let answer = client.answer(&question, accept(content)).await;
    assert!(text(&answer).contains("speed: Fast") && text(&answer).contains("size: Large"), "{answer}");
    // A choice of several has no words there.
    let refused = client.call("everything").await;
    assert!(text(&refused).contains("can't ask for several choices (extras)"), "{refused}");
    client.is_quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_in_time_is_taken_back() {
    let server = all().state_ttl(Duration::from_secs(5)).build().unwrap();
    let mut client = Old::of(&server, NEWEST, can_all()).await;
    let question = client.call("greet").await;
    let cancelled = client.recv().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    let end = client.recv().await;
    assert!(text(&end).contains("nobody answered within 5s"), "{end}");
    client.wire.send(answer(&question, accept(json!({"name": "late"})))).await;
    client.is_quiet().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_takes_its_question_back_and_answers_nothing() {
    let mut client = newest().await;
    let call = client.send("tools/call", json!({"name": "greet"})).await;
    let question = client.recv().await;
    client.notify("notifications/cancelled", json!({"requestId": call})).await;
    let cancelled = client.recv().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    client.wire.send(answer(&question, accept(json!({"name": "late"})))).await;
    client.is_quiet().await;
}

#[tokio::test]
async fn a_question_of_which_the_call_no_longer_knows_is_taken_back_before_the_answer() {
    let first = Tool::builder("first")
        .description("Takes the first of two answers.")
        .input_schema(r#"{"type":"object"}"#)
        .read_only(true)
        .handler(|_: Arguments, context: Context| async move {
            let (one, two) = (context.ask::<u8>("one", "One?"), context.ask::<u8>("two", "Two?"));
            match futures_util::future::select(one, two).await {
                futures_util::future::Either::Left((one, _)) => format!("one {:?}", one.ok()),
                futures_util::future::Either::Right((two, _)) => format!("two {:?}", two.ok()),
            }
        });
    let server = Server::new("first", "1.0.0").tool(first).build().unwrap();
    let mut client = Old::of(&server, NEWEST, can_all()).await;
    let one = client.call("first").await;
    let two = client.recv().await;
    let cancelled = client.answer(&two, accept(json!({"two": 2}))).await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &one["id"])
    );
    assert_eq!(text(&client.recv().await), "two Some(2)");
}

#[tokio::test]
async fn answers_are_read_while_all_room_is_taken_by_calls_that_wait_for_them() {
    let server = all().max_in_flight(1).build().unwrap();
    let mut client = Old::of(&server, NEWEST, can_all()).await;
    let question = client.call("greet").await;
    let refused = client.ask("tools/list", json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    client.is_quiet().await;
    assert_eq!(text(&client.answer(&question, accept(json!({"name": "Ada"}))).await), "Hello, Ada!");
    assert!(client.ask("tools/list", json!({})).await["result"]["tools"].is_array());
}

#[tokio::test]
async fn state_lasts_from_before_a_question_until_after_it() {
    let mut client = newest().await;
    let question = client.call("order").await;
    assert_eq!(question["params"]["message"], "Pay 42?");
    assert_eq!(text(&client.answer(&question, accept(json!({"ok": true}))).await), "state-ok 42 true None");
}

#[tokio::test]
async fn prompts_and_resources_ask_too() {
    let mut client = newest().await;
    for (method, params) in
        [("prompts/get", json!({"name": "asking"})), ("resources/read", json!({"uri": "test://asked"}))]
    {
        let question = client.ask(method, params.clone()).await;
        let answer = client.answer(&question, accept(json!({"name": "Ada"}))).await;
        assert!(answer["result"].to_string().contains("Ada"), "{answer}");
        let question = client.ask(method, params).await;
        let answer = client.answer(&question, json!({"action": "decline"})).await;
        assert!(answer["error"]["code"].is_i64(), "{answer}");
    }
}

#[tokio::test]
async fn misuse_is_told_as_it_is_without_a_session() {
    let mut client = newest().await;
    assert_eq!(client.call("clash").await["error"]["code"], -32603);
    assert_eq!(text(&client.call("elsewhere").await), format!("{:?}", Err::<String, _>(AskErrorKind::Misused)));
    client.is_quiet().await;
}

#[tokio::test]
async fn log_messages_are_of_the_level_that_the_client_set() {
    let mut client = newest().await;
    let mut levels = Vec::new();
    for level in ["", "debug", "warning", "emergency"] {
        if !level.is_empty() {
            assert_eq!(client.ask("logging/setLevel", json!({"level": level})).await["result"], json!({}));
        }
        client.send("tools/call", json!({"name": "report"})).await;
        let mut said = Vec::new();
        loop {
            let frame = client.recv().await;
            match frame["params"]["level"].as_str() {
                Some(level) => said.push(level.to_owned()),
                None => break assert_eq!(text(&frame), "Some(\"old\")"),
            }
        }
        levels.push(said.join(" "));
    }
    assert_eq!(levels, ["info warning error", "debug info warning error", "warning error", ""]);
    for params in [json!({"level": "loud"}), json!({}), json!({"level": 5}), json!({"level": null})] {
        assert_eq!(client.ask("logging/setLevel", params).await["error"]["code"], -32602);
    }
    let mut client = Old::of(&crate::results::all().build().unwrap(), NEWEST, json!({})).await;
    for method in ["logging/setLevel", "resources/subscribe", "prompts/list", "tasks/list", "nope"] {
        assert_eq!(
            client.ask(method, json!({"level": "info", "uri": "x:"})).await["error"]["code"],
            -32601,
            "{method}"
        );
    }
}

#[tokio::test]
async fn resources_that_a_client_watches_are_told_of() {
    let server = server();
    let mut client = Old::of(&server, NEWEST, json!({})).await;
    let uri = "test://static-text";
    assert_eq!(client.ask("resources/subscribe", json!({"uri": uri})).await["result"], json!({}));
    server.handle().resource_updated(uri);
    let told = client.recv().await;
    assert_eq!((&told["method"], &told["params"]), (&json!("notifications/resources/updated"), &json!({"uri": uri})));
    server.handle().resource_updated("test://other");
    assert_eq!(client.ask("resources/unsubscribe", json!({"uri": uri})).await["result"], json!({}));
    server.handle().resource_updated(uri);
    client.is_quiet().await;
    let long = format!("test://{}", "x".repeat(2_048));
    for params in [json!({}), json!({"uri": 5}), json!({"uri": null}), json!({"uri": long})] {
        assert_eq!(client.ask("resources/subscribe", params).await["error"]["code"], -32602);
    }
    let missing = client.ask("resources/read", json!({"uri": "test://nope"})).await["error"].clone();
    assert_eq!((&missing["code"], &missing["data"]["uri"]), (&json!(-32002), &json!("test://nope")));
}

#[tokio::test]
async fn lists_that_change_are_told_once_the_client_is_ready() {
    let server = server();
    let mut wire = Wire::new(&server);
    wire.send(initialize(NEWEST, json!({}))).await;
    wire.recv().await;
    server.handle().prompts_changed();
    server.handle().resources_changed();
    server.handle().add_tool(crate::dynamic::tool("new", "new")).unwrap();
    wire.send(message(Some(1), "ping", json!({}))).await;
    assert_eq!(wire.recv().await["id"], 1, "nothing before the client is ready");
    wire.send(initialized()).await;
    for list in ["tools", "prompts", "resources"] {
        let told = wire.recv().await;
        assert_eq!(told, json!({"jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed")}));
    }
    // Once more changes nothing.
    wire.send(initialized()).await;
    server.handle().prompts_changed();
    assert_eq!(wire.recv().await["method"], "notifications/prompts/list_changed");
    wire.send(message(Some(2), "ping", json!({}))).await;
    assert_eq!(wire.recv().await["id"], 2);
}

#[tokio::test]
async fn requests_are_cancelled_by_name_and_no_two_run_under_one_id() {
    let mut client = newest().await;
    let held = client.send("tools/call", json!({"name": "endless"})).await;
    client.wire.send(message(Some(held), "tools/list", json!({}))).await;
    let refused = client.recv().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(held), &json!(-32600)));
    client.notify("notifications/cancelled", json!({"requestId": held})).await;
    client.notify("notifications/cancelled", json!({"requestId": 999})).await;
    client.notify("notifications/cancelled", json!({})).await;
    client.notify("notifications/roots/list_changed", json!({})).await;
    client.is_quiet().await;
}

#[tokio::test]
async fn one_revision_has_batches() {
    let batch = |messages: Value| messages.to_string().into_bytes();
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let mut client = old("2025-03-26").await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 70}});
    let endless = json!({"jsonrpc": "2.0", "id": 70, "method": "tools/call", "params": {"name": "endless"}});
    let again = json!({"jsonrpc": "2.0", "id": 72, "method": "initialize", "params": {"protocolVersion": NEWEST}});
    client.wire.send(batch(json!([endless, ping(71), cancel, 5, again, [ping(73)]]))).await;
    let mut answers = Vec::new();
    for _ in 0..4 {
        let frame = client.wire.recv().await;
        answers.push((frame["id"].clone(), frame["error"]["code"].as_i64().unwrap_or_default()));
    }
    answers.sort_by_key(|answer| answer.0.as_i64());
    assert_eq!(answers, [(json!(null), -32600), (json!(null), -32600), (json!(71), 0), (json!(72), -32600)]);
    for frame in [batch(json!([])), batch(Value::from(vec![ping(1); 101]))] {
        client.wire.send(frame).await;
        assert_eq!(client.wire.recv().await["error"]["code"], -32600);
    }
    client.is_quiet().await;
    for version in VERSIONS.into_iter().filter(|version| *version != "2025-03-26") {
        let mut client = old(version).await;
        client.wire.send(batch(json!([ping(1)]))).await;
        assert_eq!(client.wire.recv().await["error"]["code"], -32600, "{version}");
    }
}
