use serde_json::json;

use crate::program::{DAY, Lined, OBJECTIVE, call, call_id, place, request, text};

fn program() -> Lined {
    Lined::start(&["--clock", DAY, "--speed", "200", "--on-behalf-of", "Acme Dental"])
}

#[test]
fn the_definitions_say_all_that_a_host_asks_for() {
    let answer = program().ask(&request("tools/list", json!({})));
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let hints = |tool: &serde_json::Value| {
        ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
            .map(|hint| tool["annotations"][hint].as_bool().expect("a hint"))
    };
    let found: Vec<_> = tools.iter().map(|tool| (tool["name"].as_str().unwrap_or_default(), hints(tool))).collect();
    assert_eq!(
        found,
        [
            ("place_call", [false, true, false, true]),
            ("get_call", [true, false, true, false]),
            ("end_call", [false, true, true, true]),
            ("list_calls", [true, false, true, false]),
        ]
    );
    for tool in tools {
        assert!(tool["title"].is_string() && tool["outputSchema"]["properties"].is_object(), "{tool}");
        for (name, property) in tool["inputSchema"]["properties"].as_object().expect("properties") {
            assert!(property["description"].is_string(), "{name}");
        }
    }
    let place = &tools[0]["inputSchema"]["properties"];
    assert_eq!(place["to"]["pattern"], r"^\+[1-9][0-9]{6,14}$");
    assert_eq!((&place["objective"]["minLength"], &place["objective"]["maxLength"]), (&json!(10), &json!(2000)));
    let minutes = &place["max_duration_minutes"];
    assert_eq!((&minutes["minimum"], &minutes["maximum"], &minutes["default"]), (&json!(1), &json!(10), &json!(5)));
    let wait = &tools[1]["inputSchema"]["properties"]["wait_seconds"];
    assert_eq!((&wait["minimum"], &wait["maximum"]), (&json!(0), &json!(50)));
    assert!(tools[0]["description"].as_str().is_some_and(|text| text.contains("30 days")), "the lifetime is stated");
}

#[test]
fn a_call_is_placed_followed_and_found_again() {
    let mut program = program();
    let placed = program.ask(&place("+12125550100"));
    let id = call_id(&placed);
    let data = &placed["result"]["structuredContent"];
    assert_eq!((&data["status"], &data["resolution"]["outcome"]), (&json!("dialing"), &json!("pending")));
    assert!(text(&placed).contains(data["listen_url"].as_str().expect("a link")));
    assert_eq!(placed["result"]["content"][1]["type"], "resource_link");

    let ended = program.follow(&id);
    let data = &ended["result"]["structuredContent"];
    assert_eq!((&data["status"], &data["resolution"]["outcome"]), (&json!("ended"), &json!("completed")));
    let transcript = data["transcript"].as_array().expect("lines");
    let first = transcript.iter().find(|line| line["speaker"] == "assistant").expect("the assistant speaks");
    let first = first["text"].as_str().expect("text");
    assert!(first.contains("automated assistant") && first.contains("Acme Dental"), "{first}");
    assert!(text(&ended).contains(OBJECTIVE), "{}", text(&ended));

    let second = call_id(&program.ask(&place("+12125550101")));
    let list = program.ask(&call("list_calls", json!({"limit": 1})));
    let page = &list["result"]["structuredContent"];
    assert_eq!(page["calls"][0]["call_id"], json!(second), "newest first");
    let cursor = page["next_cursor"].as_str().expect("there is more");
    let list = program.ask(&call("list_calls", json!({"limit": 1, "cursor": cursor})));
    assert_eq!(list["result"]["structuredContent"]["calls"][0]["call_id"], json!(id));
}

#[test]
fn every_number_of_fiction_ends_as_it_is_known_to() {
    let mut program = program();
    for (end, outcome) in [
        ("01", "busy"),
        ("02", "no_answer"),
        ("03", "declined"),
        ("04", "unreachable"),
        ("05", "voicemail"),
        ("06", "hung_up"),
        ("07", "failed"),
        ("08", "time_limit"),
        ("09", "opted_out"),
        // Whose assistant doesn't say that it is one.
        ("11", "failed"),
        ("13", "completed"),
    ] {
        let arguments = json!({"to": format!("+121255501{end}"), "objective": OBJECTIVE, "max_duration_minutes": 1});
        let id = call_id(&program.ask(&call("place_call", arguments)));
        let ended = program.follow(&id);
        assert_eq!(ended["result"]["structuredContent"]["resolution"]["outcome"], outcome, "{end}: {ended}");
    }
}

#[test]
fn a_call_is_ended_once_and_stays_so() {
    let mut program = program();
    let id = call_id(&program.ask(&place("+12125550112")));
    for _ in 0..2 {
        let ended = program.ask(&call("end_call", json!({"call_id": id})));
        assert_eq!(ended["result"]["structuredContent"]["resolution"]["outcome"], "canceled");
    }
    let completed = call_id(&program.ask(&place("+12125550100")));
    program.follow(&completed);
    let ended = program.ask(&call("end_call", json!({"call_id": completed})));
    assert_eq!(ended["result"]["structuredContent"]["resolution"]["outcome"], "completed", "it was over");
}

#[test]
fn a_call_placed_twice_under_one_key_is_one_call() {
    let mut program = program();
    let arguments = json!({"to": "+12125550112", "objective": OBJECTIVE, "idempotency_key": "saturday-1"});
    let first = call_id(&program.ask(&call("place_call", arguments.clone())));
    assert_eq!(call_id(&program.ask(&call("place_call", arguments.clone()))), first);
    let mut other = arguments;
    other["to"] = json!("+12125550113");
    let refused = program.ask(&call("place_call", other));
    assert_eq!(crate::program::code(&refused), "idempotency_conflict");
}
