//! Cases over HTTP: requests as bytes on sockets of their own, to a server process that was started with `--http`.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;

use crate::{Id, Message};

/// How long a server may take to listen, and to answer.
const DEADLINE: Duration = Duration::from_secs(20);

/// What is sent in a `wire-http` case.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpScript {
    /// Each begins while the others run; one after the other unless set.
    #[serde(default)]
    pub parallel: bool,
    /// Each goes out on a connection of its own.
    pub requests: Vec<HttpRequest>,
    /// The first request once more to a server with a setting of its own.
    pub second_run: Option<SecondRun>,
}

/// One request. `{HOST}` and `{PORT}` in its headers stand for those of the server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpRequest {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    /// As it is sent.
    pub body: String,
    /// The connection is closed after so long, without reading an answer.
    close_after_ms: Option<u64>,
}

/// A run against a server with allowed hosts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondRun {
    config: Config,
    /// What stands in `Host`, and the status that it gets.
    pub hosts: BTreeMap<String, u16>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    allowed_hosts: Vec<String>,
}

/// The `assert` object of a `wire-http` case.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpExpectation {
    /// The status of each request; `null` for one whose answer is not read.
    status: Vec<Option<u16>>,
    /// The code of the JSON-RPC error of each; `null` for a result.
    error: Option<Vec<Option<i64>>>,
}

/// An answer.
#[derive(Debug)]
pub struct HttpReply {
    /// Its status.
    pub status: u16,
    /// Its body, without the frames of the transfer.
    pub body: String,
    /// The messages in it.
    pub messages: Vec<Message>,
    /// From the first byte of the request to the last of the answer.
    pub took: Duration,
}

impl HttpReply {
    /// The message that answers the request.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn answer(&self) -> Result<&Message, String> {
        self.messages
            .iter()
            .find(|message| message.is_response())
            .ok_or_else(|| format!("no answer in {:?}", self.body))
    }
}

impl HttpRequest {
    /// The request in its body.
    pub fn message(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The same with another `Host`.
    #[must_use]
    pub fn to_host(&self, host: &str) -> Self {
        let mut request = self.clone();
        request.headers.insert("Host".to_owned(), host.to_owned());
        request
    }

    fn bytes(&self, server: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            let value = value.replace("{HOST}", &server.to_string()).replace("{PORT}", &server.port().to_string());
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\nConnection: close\r\n\r\n{}", self.body.len(), self.body));
        head.into_bytes()
    }
}

/// A server process that listens. It is killed when this is dropped.
pub struct HttpProcess {
    child: Child,
    address: SocketAddr,
}

impl HttpProcess {
    /// Starts `program --http ADDR` with the hosts that a run wants allowed.
    ///
    /// # Errors
    ///
    /// It can't be started, or doesn't listen in time.
    pub fn start(program: &Path, run: Option<&SecondRun>) -> Result<Self, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|error| format!("no free port: {error}"))?;
        let mut command = Command::new(program);
        command.arg("--http").arg(address.to_string());
        for host in run.into_iter().flat_map(|run| &run.config.allowed_hosts) {
            command.arg("--allow-host").arg(host);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut process = Self { child: child.map_err(|error| format!("{}: {error}", program.display()))?, address };
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Ok(Some(status)) = process.child.try_wait() {
                return Err(format!("the server ended instead of listening: {status}"));
            }
            if start.elapsed() > DEADLINE {
                return Err(format!("the server doesn't listen on {address}"));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(process)
    }

    /// Sends the requests of a script; `None` stands for an answer that was not read.
    ///
    /// # Errors
    ///
    /// A connection that fails, or an answer that isn't one of HTTP with messages in it.
    pub fn play(&self, script: &HttpScript) -> Result<Vec<Option<HttpReply>>, String> {
        if !script.parallel {
            return script.requests.iter().map(|request| self.send(request)).collect();
        }
        thread::scope(|scope| {
            let running: Vec<_> =
                script.requests.iter().map(|request| scope.spawn(move || self.send(request))).collect();
            let panicked = || Err("a client panicked".to_owned());
            running.into_iter().map(|client| client.join().unwrap_or_else(|_| panicked())).collect()
        })
    }

    /// Sends one request.
    ///
    /// # Errors
    ///
    /// As [`HttpProcess::play`].
    pub fn send(&self, request: &HttpRequest) -> Result<Option<HttpReply>, String> {
        let failed = |error: std::io::Error| format!("the connection failed: {error}");
        let start = Instant::now();
        let mut stream = TcpStream::connect(self.address).map_err(failed)?;
        stream.set_read_timeout(Some(DEADLINE)).map_err(failed)?;
        stream.write_all(&request.bytes(self.address)).map_err(failed)?;
        if let Some(millis) = request.close_after_ms {
            thread::sleep(Duration::from_millis(millis));
            return Ok(None);
        }
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(failed)?;
        read_reply(&bytes, start).map(Some)
    }
}

impl Drop for HttpProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl HttpExpectation {
    /// Judges the replies.
    ///
    /// # Errors
    ///
    /// The first expectation that is not met, with what came instead.
    pub fn check(&self, requests: &[HttpRequest], replies: &[Option<HttpReply>]) -> Result<(), String> {
        if self.status.len() != requests.len() || self.error.as_ref().is_some_and(|codes| codes.len() != requests.len())
        {
            return Err("`assert` doesn't speak of every request".to_owned());
        }
        for (index, reply) in replies.iter().enumerate() {
            let place = |what: String| format!("request {}: {what}", index + 1);
            let Some(reply) = reply else {
                match self.status[index] {
                    None => continue,
                    Some(_) => return Err(place("its answer was not read".to_owned())),
                }
            };
            if self.status[index] != Some(reply.status) {
                return Err(place(format!("status {}, not {:?}: {}", reply.status, self.status[index], reply.body)));
            }
            if let Some(codes) = &self.error {
                let answer = reply.answer().map_err(place)?;
                let asked = Id::read(&requests[index].message()["id"]);
                if answer.error_code() != codes[index] || Some(answer.id()) != asked {
                    return Err(place(format!("not {:?} with the id of the request: {}", codes[index], answer.text)));
                }
            }
        }
        Ok(())
    }
}

fn read_reply(bytes: &[u8], start: Instant) -> Result<HttpReply, String> {
    let took = start.elapsed();
    let text = std::str::from_utf8(bytes).map_err(|error| format!("an answer that is not UTF-8: {error}"))?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(|| format!("no answer: {text:?}"))?;
    let head = head.to_ascii_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("no status")?;
    let body = if head.contains("transfer-encoding: chunked") { unchunked(body)? } else { body.to_owned() };
    let lines: Vec<&str> = if head.contains("content-type: text/event-stream") {
        body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
    } else if head.contains("content-type: application/json") {
        vec![&body]
    } else {
        Vec::new()
    };
    let messages = lines.into_iter().map(|line| Message::read(Instant::now(), format!("{line}\n").as_bytes()));
    Ok(HttpReply { status, messages: messages.collect::<Result<_, _>>()?, body, took })
}

fn unchunked(mut body: &str) -> Result<String, String> {
    let mut whole = String::new();
    loop {
        let (length, rest) = body.split_once("\r\n").ok_or("a chunk without a length")?;
        let length = usize::from_str_radix(length, 16).map_err(|error| format!("a chunk's length: {error}"))?;
        if length == 0 {
            return Ok(whole);
        }
        whole.push_str(rest.get(..length).ok_or("a chunk that is cut off")?);
        body = rest.get(length + 2..).ok_or("a chunk without an end")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> HttpReply {
        let json = format!("HTTP/1.1 {status} Whatever\r\nContent-Type: application/json\r\n\r\n{body}");
        read_reply(json.as_bytes(), Instant::now()).expect("an answer")
    }

    fn request(id: i64) -> HttpRequest {
        let body = format!("{{\"id\":{id}}}");
        let headers = BTreeMap::from([("Host".to_owned(), "{HOST}".to_owned())]);
        HttpRequest { method: "POST".to_owned(), path: "/mcp".to_owned(), headers, body, close_after_ms: None }
    }

    #[test]
    fn events_and_chunks_are_read() {
        let text = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n\
                    3\r\n:\n\n\r\n30\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}\n\r\n1\r\n\n\r\n0\r\n\r\n";
        let reply = read_reply(text.as_bytes(), Instant::now()).expect("an answer");
        assert_eq!(reply.answer().map(Message::id), Ok(Id::Int(1)));
    }

    #[test]
    fn expectations_are_met_or_not() {
        let requests = [request(1), request(2)];
        let replies = |second: &str| {
            vec![
                None,
                Some(reply(
                    400,
                    &format!("{{\"jsonrpc\":\"2.0\",{second}\"error\":{{\"code\":-1,\"message\":\"m\"}}}}"),
                )),
            ]
        };
        let check = |assert: Value, second: &str| {
            let expectation: HttpExpectation = serde_json::from_value(assert).expect("readable");
            expectation.check(&requests, &replies(second))
        };
        let whole = serde_json::json!({"status": [null, 400], "error": [null, -1]});
        assert_eq!(check(whole.clone(), "\"id\":2,"), Ok(()));
        assert!(check(whole, "\"id\":1,").is_err());
        for assert in [
            serde_json::json!({"status": [null, 200]}),
            serde_json::json!({"status": [200, 400]}),
            serde_json::json!({"status": [null]}),
            serde_json::json!({"status": [null, 400], "error": [null, -2]}),
        ] {
            assert!(check(assert.clone(), "\"id\":2,").is_err(), "{assert}");
        }
    }
}
