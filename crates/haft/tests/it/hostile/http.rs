//! Over HTTP.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use haft::{Client, ErrorKind};
use http::HeaderValue;
use http::header::AUTHORIZATION;
use serde_json::json;

use super::{HASTY, PATIENT, events, json_answer, over_http, plain, pour};

#[test]
fn bodies_of_100_mebibytes() {
    let announced = over_http(PATIENT, |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n")?;
        pour(stream, b' ', 100)
    });
    announced.has(&["no tools InvalidResponse", "is longer than 33554432 bytes"]);
    let unannounced = over_http(PATIENT, |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")?;
        pour(stream, b' ', 100)
    });
    unannounced.has(&["no tools InvalidResponse", "is longer than 33554432 bytes"]);
    let packed = over_http(PATIENT, |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n")?;
        write!(stream, "Connection: close\r\n\r\n")?;
        pour(stream, 0, 1)
    });
    packed.has(&["no tools InvalidResponse"]);
}

#[test]
fn events_without_end() {
    let one_line = over_http(PATIENT, |_, stream| {
        events(stream)?;
        write!(stream, "data: ")?;
        pour(stream, b'x', 100)
    });
    one_line.has(&["no tools InvalidResponse", "an event of more than 33554432 bytes"]);
    let comments = over_http(HASTY, |_, stream| {
        events(stream)?;
        loop {
            stream.write_all(b": nothing to see\n\n")?;
            thread::sleep(Duration::from_millis(1));
        }
    });
    comments.has(&["no tools Timeout", "not called Timeout"]);
    let no_answers = over_http(HASTY, |_, stream| {
        events(stream)?;
        loop {
            let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}});
            write!(stream, "id: {}\ndata: {message}\n\n", "i".repeat(50_000))?;
        }
    });
    no_answers.has(&["no tools Timeout", "not called Timeout"]);
}

#[test]
fn answers_that_drip_and_headers_without_end() {
    let drip = over_http(HASTY, |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")?;
        loop {
            stream.write_all(b" ")?;
            thread::sleep(Duration::from_millis(20));
        }
    });
    drip.has(&["no tools Timeout", "not called Timeout"]);
    let headers = over_http(PATIENT, |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\nX-A: ")?;
        pour(stream, b'a', 100)
    });
    headers.has(&["no tools Connect", "not called Connect"]);
    let many = over_http(PATIENT, |_, stream| {
        write!(stream, "HTTP/1.1 200 OK\r\n")?;
        (0..1_000_000).try_for_each(|n| write!(stream, "X-{n}: a\r\n"))
    });
    many.has(&["no tools Connect", "not called Connect"]);
}

#[test]
fn a_stream_that_breaks_off_and_is_to_be_read_on_in_years() {
    let broken = over_http(PATIENT, |asked, stream| {
        if asked["method"] == "tools/list" {
            return json_answer(stream, &plain(asked).to_string());
        }
        events(stream)?;
        write!(stream, "id: 1\nretry: 99999999999999999\n\n")
    });
    broken.has(&["tools 1", "not called Closed"]);
}

/// A server that sends every client to `to`, and says whether anybody who came had a token.
fn redirecting(to: impl Fn(&str) -> String + Send + 'static) -> (String, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (seen, here) = (Arc::new(AtomicBool::new(false)), at.clone());
    let asked = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream: TcpStream = stream.unwrap();
            let mut head = vec![0; 8192];
            let read = stream.read(&mut head).unwrap_or_default();
            let head = String::from_utf8_lossy(&head[..read]).to_ascii_lowercase();
            asked.fetch_or(head.contains("the-token"), Ordering::SeqCst);
            let answer = format!("HTTP/1.1 307 X\r\nLocation: {}\r\nContent-Length: 0\r\nConnection: close", to(&here));
            drop(write!(stream, "{answer}\r\n\r\n"));
        }
    });
    (at, seen)
}

#[tokio::test]
async fn redirects_to_others_and_in_circles() {
    let (other, seen) = redirecting(|here| here.to_owned());
    let (first, asked) = redirecting(move |_| other.clone());
    let client = |at: &str| {
        let token = HeaderValue::from_static("Bearer the-token");
        Client::builder().timeout(Duration::from_secs(20)).header(AUTHORIZATION, token).open(at).unwrap()
    };
    let away = client(&first).list_tools().await.unwrap_err();
    assert!(matches!(away.kind(), ErrorKind::Http(307) | ErrorKind::Connect), "{away}");
    assert!(asked.load(Ordering::SeqCst) && !seen.load(Ordering::SeqCst), "the token went to the other server");

    let (round, _) = redirecting(|here| here.to_owned());
    let error = client(&round).list_tools().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Http(307) | ErrorKind::Connect), "{error}");
}
