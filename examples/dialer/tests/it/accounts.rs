use std::io::Write;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::program::{DAY, Http, UNKNOWN, call, call_id, place, request};

/// A server with three accounts: `ada` and `bob`, who may do everything, and `eve`, who may read.
fn server() -> Http {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    for (id, scope) in [("ada", "calls:write"), ("bob", "calls:write"), ("eve", "calls:read")] {
        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(format!("token-of-{id}")));
        writeln!(
            file,
            "[[account]]\nid = {id:?}\non_behalf_of = {id:?}\ntoken_sha256 = {hash:?}\nscopes = [{scope:?}]"
        )
        .expect("written");
    }
    // The file is read before the server says where it listens.
    Http::start(&["--clock", DAY, "--speed", "200", "--accounts", file.path().to_str().expect("a path")])
}

fn ask(server: &Http, who: &str, request: &Value) -> Value {
    server.ask(&format!("token-of-{who}"), request).json()
}

#[test]
fn a_call_of_somebody_else_reads_like_none() {
    let server = server();
    let live = call_id(&ask(&server, "ada", &place("+12125550112")));
    let over = call_id(&ask(&server, "ada", &place("+12125550112")));
    ask(&server, "ada", &call("end_call", json!({"call_id": over})));

    for (tool, more) in [
        ("get_call", json!({})),
        ("get_call", json!({"wait_seconds": 1, "seen_status": "ringing"})),
        ("end_call", json!({})),
    ] {
        let with = |id: &str| {
            let mut arguments = more.clone();
            arguments["call_id"] = json!(id);
            server.ask("token-of-bob", &call(tool, arguments))
        };
        let unknown = with(UNKNOWN);
        assert_eq!(unknown.json()["result"]["_meta"]["dev.haft/code"], "unknown_handle");
        // Byte for byte, status line and headers included.
        assert_eq!(with(&live), unknown, "{tool}: a call that runs");
        assert_eq!(with(&over), unknown, "{tool}: a call that is over");
    }
    let still = ask(&server, "ada", &call("get_call", json!({"call_id": live})));
    assert_eq!(still["result"]["structuredContent"]["status"], "dialing", "nobody else ends it");
}

#[test]
fn lists_and_keys_are_each_account_s_own() {
    let server = server();
    let arguments = json!({"to": "+12125550112", "objective": "Ask when they open.", "idempotency_key": "saturday-1"});
    let ada = call_id(&ask(&server, "ada", &call("place_call", arguments.clone())));
    let _second = call_id(&ask(&server, "ada", &place("+12125550112")));
    let empty = server.ask("token-of-bob", &call("list_calls", json!({})));
    let page = ask(&server, "ada", &call("list_calls", json!({"limit": 1})));
    let cursor = &page["result"]["structuredContent"]["next_cursor"];
    assert!(cursor.is_string());
    let foreign = server.ask("token-of-bob", &call("list_calls", json!({"cursor": cursor})));
    assert_eq!(foreign, empty, "a cursor of somebody else's list tells nothing");
    let bob = call_id(&ask(&server, "bob", &call("place_call", arguments)));
    assert_ne!(ada, bob, "keys are not shared");
    let mine = ask(&server, "bob", &call("list_calls", json!({})));
    assert_eq!(mine["result"]["structuredContent"]["calls"].as_array().map(Vec::len), Some(1));
}

#[test]
fn who_may_only_read_neither_sees_nor_does_more() {
    let server = server();
    let list = ask(&server, "eve", &request("tools/list", json!({})));
    let names: Vec<_> = list["result"]["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["get_call", "list_calls"]);
    let refused = server.ask("token-of-eve", &place("+12125550100"));
    assert_eq!(refused.status, 403);
    assert!(refused.head.contains("insufficient_scope"), "{}", refused.head);
    assert_eq!(server.ask("", &place("+12125550100")).status, 401);
    assert_eq!(server.ask("token-of-mallory", &place("+12125550100")).status, 401);
}
