//! Tasks over HTTP: what headers repeat, and whose tasks they are.

use std::sync::Arc;

use haft::{AuthError, Bearer, Caller, HttpOptions, ProtectedResource};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{NOBODYS, knowing, server};
use crate::post::{Post, Served};

fn post(method: &str, id: &str) -> Post {
    Post::new(method, knowing(json!({"taskId": id, "inputResponses": {}}))).with("Mcp-Name", id)
}

fn start(served: &Served, token: Option<&str>) -> String {
    let call = Post::new("tools/call", knowing(json!({"name": "work"})));
    let answer = served.ask(&token.map_or(call.clone(), |token| call.token(token))).json();
    answer["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn the_name_in_the_header_is_the_id() {
    let served = Served::new(server(&Arc::new(Semaphore::new(0))), HttpOptions::new());
    let id = start(&served, None);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let answer = served.ask(&post(method, &id));
        assert_eq!((answer.status, &answer.json()["result"]["resultType"]), (200, &json!("complete")));
        assert_eq!(served.ask(&post(method, &id).without("Mcp-Name")).error(), (400, -32020, true));
        assert_eq!(served.ask(&post(method, &id).with("Mcp-Name", NOBODYS)).error(), (400, -32020, true));
        assert_eq!(served.ask(&post(method, NOBODYS)).error(), (200, -32602, true));
        let plain = Post::new(method, json!({"taskId": id})).with("Mcp-Name", &id);
        assert_eq!(served.ask(&plain).error(), (400, -32021, true));
    }
    let required = Post::call("only_as_task", json!({}));
    assert_eq!(served.ask(&required).error(), (400, -32021, true));
}

async fn check(token: String) -> Result<Caller, AuthError> {
    Ok(Caller::new("https://auth.example.com", token))
}

#[test]
fn a_task_of_somebody_else_reads_as_one_that_is_not_there() {
    let gate = Arc::new(Semaphore::new(0));
    let options = HttpOptions::new().authenticate(Bearer::new(check)).protected_resource(
        ProtectedResource::new("https://mcp.example.com/mcp").authorization_server("https://auth.example.com"),
    );
    let served = Served::new(server(&gate), options);
    let id = start(&served, Some("ada"));
    let asked = |method: &str, id: &str, token: &str| {
        let answer = served.ask(&post(method, id).token(token));
        (answer.status, answer.body)
    };
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        assert_eq!(asked(method, &id, "bob"), asked(method, NOBODYS, "bob"));
    }
    let (status, body) = asked("tasks/get", &id, "ada");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &body["result"]["status"]), (200, &json!("working")));
}
