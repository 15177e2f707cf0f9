use std::io::Write;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::program::{DAY, Http, Response, call, call_id, place};

struct Provider {
    server: Http,
    _secret: tempfile::NamedTempFile,
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

impl Provider {
    fn new() -> Self {
        let mut secret = tempfile::NamedTempFile::new().expect("a file");
        writeln!(secret, "s3cret").expect("written");
        let path = secret.path().to_str().expect("a path");
        let server = Http::start(&["--clock", DAY, "--speed", "200", "--webhook-secret", path]);
        Self { server, _secret: secret }
    }

    fn place(&self) -> String {
        // Of whose calls nobody but the webhook tells anything.
        call_id(&self.server.ask(&self.server.token, &place("+12125550112")).json())
    }

    fn tell(&self, call_id: &str, number: u64, event: Value) -> Response {
        let body = json!({"call_id": call_id, "number": number, "event": event}).to_string();
        self.send(now(), body.as_bytes())
    }

    fn send(&self, time: u64, body: &[u8]) -> Response {
        let mut mac = Hmac::<Sha256>::new_from_slice(b"s3cret").expect("any key will do");
        mac.update(format!("{time}.").as_bytes());
        mac.update(body);
        let tag = data_encoding::HEXLOWER.encode(&mac.finalize().into_bytes());
        self.server.post("/webhooks/calls", &format!("Dialer-Signature: t={time},v1={tag}\r\n"), body)
    }

    fn get(&self, arguments: Value) -> Value {
        self.server.ask(&self.server.token, &call("get_call", arguments)).json()["result"]["structuredContent"].clone()
    }
}

#[test]
fn a_notice_moves_the_call_and_wakes_who_waits_for_it() {
    let provider = Provider::new();
    let id = provider.place();
    let waited = thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let call = provider.get(json!({"call_id": id, "wait_seconds": 50, "seen_status": "dialing"}));
            (call, Instant::now())
        });
        assert_eq!(provider.tell(&id, 1, json!({"type": "ringing"})).status, 204);
        let told = Instant::now();
        let (call, woken) = waiter.join().expect("no panic");
        assert_eq!(call["status"], "ringing");
        woken.saturating_duration_since(told)
    });
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    assert_eq!(provider.tell(&id, 2, json!({"type": "answered"})).status, 204);
    let said = json!({"type": "said", "speaker": "callee", "text": "Hello?"});
    assert_eq!(provider.tell(&id, 3, said.clone()).status, 204);
    assert_eq!(provider.tell(&id, 3, said).status, 204, "a repeated notice is taken");
    assert_eq!(provider.tell(&id, 2, json!({"type": "ringing"})).status, 204, "and so is one that is late");
    assert_eq!(provider.tell(&id, 4, json!({"type": "ended", "outcome": "hung_up"})).status, 204);
    let call = provider.get(json!({"call_id": id}));
    assert_eq!(call["transcript"], json!([{"speaker": "callee", "text": "Hello?"}]), "neither counted");
    assert_eq!((&call["status"], &call["resolution"]["outcome"]), (&json!("ended"), &json!("hung_up")));
    assert_eq!(provider.tell(&id, 5, json!({"type": "ringing"})).status, 410, "it is over");
}

#[test]
fn who_does_not_know_the_secret_moves_nothing() {
    let provider = Provider::new();
    let id = provider.place();
    let body = json!({"call_id": id, "number": 1, "event": {"type": "ringing"}}).to_string();
    let server = &provider.server;
    assert_eq!(server.post("/webhooks/calls", "", body.as_bytes()).status, 401);
    let forged = format!("Dialer-Signature: t={},v1={}\r\n", now(), "00".repeat(32));
    assert_eq!(server.post("/webhooks/calls", &forged, body.as_bytes()).status, 401);
    assert_eq!(provider.send(now() - 400, body.as_bytes()).status, 401, "an old one");
    assert_eq!(provider.send(now() + 400, body.as_bytes()).status, 401, "one of the future");
    assert_eq!(provider.get(json!({"call_id": id}))["status"], "dialing");
    assert_eq!(provider.send(now(), b"{}").status, 400);
    assert_eq!(provider.send(now(), &vec![b' '; 100_000]).status, 413);
    assert_eq!(provider.tell(crate::program::UNKNOWN, 1, json!({"type": "ringing"})).status, 410);
    let plain = Http::start(&["--clock", DAY]);
    assert_eq!(plain.post("/webhooks/calls", "", body.as_bytes()).status, 401, "without a secret none are taken");
}
