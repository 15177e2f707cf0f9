//! Over a stream of lines, as a program's stdin and stdout are.

use std::io::Write;

use serde_json::{Value, json};

use super::{HASTY, Outcome, PATIENT, answer, over_lines, plain, pour, send, tools};

#[test]
fn a_line_of_100_mebibytes() {
    let without_end = over_lines(HASTY, |_, stream| pour(stream, b'x', 100));
    without_end.has(&["no tools Timeout", "not called Timeout"]);
    let with_id = over_lines(PATIENT, |asked, stream| {
        write!(stream, r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":""#, asked["id"])?;
        pour(stream, b'x', 100)?;
        writeln!(stream, "\"}}}}")
    });
    with_id.has(&["no tools InvalidResponse", "not called InvalidResponse"]);
}

#[test]
fn pages_without_end() {
    let empty = over_lines(PATIENT, |asked, stream| {
        let next = format!("{}", asked["id"]);
        let page = json!({"resultType": "complete", "tools": [], "nextCursor": next, "ttlMs": 0});
        send(stream, &answer(asked, page))
    });
    empty.has(&["no tools InvalidResponse: tools/list has more than 1000 pages"]);
    let huge = over_lines(PATIENT, |asked, stream| {
        let cursor = format!("{}{}", asked["id"], "c".repeat(20 << 20));
        send(stream, &answer(asked, json!({"resultType": "complete", "tools": [], "nextCursor": cursor})))
    });
    huge.has(&["no tools InvalidResponse: the list of tools/list is too large"]);
}

#[test]
fn more_tools_than_anybody_can_use_and_names_without_end() {
    let many = over_lines(PATIENT, |asked, stream| match asked["method"].as_str() {
        Some("tools/list") => {
            let tool =
                |n| json!({"name": format!("tool_{n}"), "description": "finds", "inputSchema": {"type": "object"}});
            send(stream, &tools(asked, (0..100_000).map(tool).collect()))
        }
        _ => send(stream, &plain(asked)),
    });
    many.has(&["tools 20000 left out Some(\"80000 definitions more", "called 4 bytes", "OpenAiResponses 128"]);
    let long = over_lines(PATIENT, |asked, stream| match asked["method"].as_str() {
        Some("tools/list") => {
            let mut list = vec![json!({"name": "n".repeat(10 << 20), "inputSchema": {"type": "object"}})];
            list.push(json!({"name": "n".repeat(10_000), "inputSchema": {"type": "object"}}));
            list.push(json!({"name": "t", "inputSchema": {"type": "object"}}));
            send(stream, &tools(asked, list))
        }
        _ => send(stream, &plain(asked)),
    });
    long.has(&["tools 1 left out Some(\"its definition has more than 1048576 bytes\")", "Anthropic 1 "]);
}

#[test]
fn messages_that_take_more_memory_than_they_have_bytes() {
    let zeros = over_lines(PATIENT, |asked, stream| {
        write!(stream, r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[0"#, asked["id"])?;
        let piece = ",0".repeat(1 << 19);
        (0..30).try_for_each(|_| stream.write_all(piece.as_bytes()))?;
        writeln!(stream, "]}}}}")
    });
    zeros.has(&["no tools InvalidResponse", "not called InvalidResponse"]);
    let blocks = over_lines(PATIENT, |asked, stream| match asked["method"].as_str() {
        Some("tools/list") => send(stream, &plain(asked)),
        _ => {
            write!(stream, r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"x"}}"#, asked["id"])?;
            let piece = r#",{"type":"x"}"#.repeat(1 << 10);
            (0..600).try_for_each(|_| stream.write_all(piece.as_bytes()))?;
            writeln!(stream, "]}}}}")
        }
    });
    blocks.has(&["tools 1", "called 0 bytes"]);
}

#[test]
fn answers_that_no_two_programs_read_alike() {
    for result in [
        r#"{"tools":[],"x":"\ud800"}"#.to_owned(),
        r#"{"tools":[],"ttlMs":1e999999}"#.to_owned(),
        r#"{"tools":[],"tools":[]}"#.to_owned(),
        format!(r#"{{"tools":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000)),
    ] {
        let spoilt = over_lines(PATIENT, move |asked, stream| {
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked["id"]);
            stream.write_all(format!("{answer}\n").as_bytes())
        });
        // At once, and not when the time for an answer is over.
        spoilt.has(&["no tools InvalidResponse", "not called InvalidResponse"]);
    }
}

#[test]
fn answers_to_nobody_and_the_same_answer_twice() {
    let wrong = over_lines(HASTY, |asked, stream| {
        (0..1_000).try_for_each(|n| send(stream, &answer(&json!({"id": 1_000_000 + n}), json!({"tools": []}))))?;
        send(stream, &answer(&json!({"id": asked["id"].to_string()}), json!({"tools": []})))
    });
    wrong.has(&["no tools Timeout", "not called Timeout"]);
    let twice = over_lines(PATIENT, |asked, stream| {
        send(stream, &plain(asked))?;
        send(stream, &plain(asked))
    });
    twice.has(&["tools 1", "called 4 bytes"]);
}

#[test]
fn floods_before_the_answer() {
    let notifications = over_lines(PATIENT, |asked, stream| {
        for n in 0..10_000 {
            let token = json!({"progressToken": asked["id"], "progress": n, "message": "m".repeat(100)});
            send(stream, &json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": token}))?;
        }
        send(stream, &json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))?;
        send(stream, &plain(asked))
    });
    notifications.has(&["tools 1", "called 4 bytes"]);
    // It never reads the answers to what it asks.
    let requests = over_lines(HASTY, |_, stream| {
        let padding = "p".repeat(2 << 20);
        (0..60).try_for_each(|n| {
            send(stream, &json!({"jsonrpc": "2.0", "id": n, "method": "ping", "params": {"p": padding}}))
        })
    });
    requests.has(&["no tools Timeout"]);
}

#[test]
fn questions_without_end() {
    let rounds = over_lines(PATIENT, |asked, stream| match asked["method"].as_str() {
        Some("tools/list") => send(stream, &plain(asked)),
        _ => {
            let form = json!({"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {
                "type": "object", "properties": {}}}});
            let asks = json!({"resultType": "input_required", "inputRequests": {"q": form}, "requestState": "s"});
            send(stream, &answer(asked, asks))
        }
    });
    rounds.has(&["not called TooManyRounds"]);
    let at_once = over_lines(PATIENT, |asked, stream| match asked["method"].as_str() {
        Some("tools/list") => send(stream, &plain(asked)),
        _ => {
            let asked_for = (0..100_000).map(|n| (n.to_string(), json!({"method": "roots/list"})));
            let asked_for: serde_json::Map<String, Value> = asked_for.collect();
            send(stream, &answer(asked, json!({"resultType": "input_required", "inputRequests": asked_for})))
        }
    });
    at_once.has(&["not called TooManyRounds: tools/call asks 100000 questions at once"]);
}

/// A tool with these schemas, and a result that goes through the second one.
fn schemas(input: Value, output: Value, structured: Value) -> Outcome {
    over_lines(PATIENT, move |asked, stream| match asked["method"].as_str() {
        Some("tools/list") => {
            let tool = json!({"name": "t", "inputSchema": input, "outputSchema": output});
            send(stream, &tools(asked, vec![tool]))
        }
        _ => {
            let result = json!({"resultType": "complete", "content": [], "structuredContent": structured});
            send(stream, &answer(asked, result))
        }
    })
}

#[test]
fn schemas_that_explode_go_round_or_never_match() {
    let mut definitions = serde_json::Map::new();
    for n in 0..30 {
        let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
        definitions.insert(n.to_string(), json!({"allOf": [next, next], "properties": {"a": next, "b": next}}));
    }
    definitions.insert("30".to_owned(), json!({"type": "object"}));
    let laughs = json!({"type": "object", "$ref": "#/$defs/0", "$defs": definitions});
    let outcome = schemas(laughs.clone(), laughs, json!({"a": {"b": {"a": {}}}}));
    outcome.has(&[
        "tools 1",
        "called 0 bytes, Some(",
        "too large to be checked",
        "Anthropic ",
        "Gemini 0 left out Some",
    ]);

    let round = json!({"type": "object", "properties": {"of": {"$ref": "#"}}, "allOf": [{"$ref": "#/$defs/x"}],
        "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}, {"$ref": "#"}]}}});
    schemas(round.clone(), round, json!({})).has(&["tools 1", "called 0 bytes, None", "Gemini 0 left out Some"]);

    let mut nest = json!({"type": "object"});
    for _ in 0..60 {
        nest = json!({"allOf": [nest]});
    }
    schemas(nest.clone(), nest, json!({})).has(&["tools 1", "called 0 bytes"]);

    let bombs = json!({"type": "object", "properties": {"a": {"pattern": "^(?=(a+)+$)(a+)+$"}},
        "patternProperties": {"^(a|aa)+(?<!b)$": {"type": "string", "pattern": "(a*)*\\1!(?<=x)"}}});
    let matched = json!({"a": format!("{}!", "a".repeat(5_000)), "a".repeat(5_000) + "!": "a".repeat(5_000)});
    schemas(bombs.clone(), bombs, matched).has(&["tools 1", "called 0 bytes, Some("]);

    let heavy = json!({"type": "object", "properties": {"a": {"anyOf": vec![json!({"$ref": "#/$defs/e"}); 5_000]}},
        "$defs": {"e": {"enum": vec![0; 50_000]}}});
    schemas(heavy, json!({}), json!({})).has(&["tools 1", "Gemini 0 left out Some(\"its input schema is too large"]);
}
