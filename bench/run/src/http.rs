//! A client over HTTP/1.1 that keeps a request in flight on each of its connections.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::wire::{Call, Check, FIRST_ID};

pub struct Connections {
    all: Vec<Connection>,
    next_id: u64,
}

pub struct Connection {
    stream: TcpStream,
    host: String,
    unread: Vec<u8>,
}

/// The parts of a response that matter here.
struct Response {
    status: u16,
    events: bool,
    body: Vec<u8>,
}

impl Connections {
    pub fn open(host: &str, count: usize) -> Result<Self, String> {
        let all = (0..count).map(|_| Connection::open(host)).collect::<Result<_, _>>()?;
        Ok(Self { all, next_id: FIRST_ID })
    }

    /// Calls for so long; how many calls were made, and the bytes of the last answer.
    pub fn run(&mut self, call: &Call, check: &mut Check, time: Duration) -> Result<(u64, usize), String> {
        let (started, mut count, mut length) = (Instant::now(), 0, 0);
        let (mut out, connections) = (Vec::new(), self.all.len());
        let mut ids = vec![0; connections];
        for index in 0..connections {
            ids[index] = self.send(index, call, &mut out)?;
        }
        let mut left = connections;
        while left > 0 {
            for index in 0..connections {
                if ids[index] == 0 {
                    continue;
                }
                let response = self.all[index].response()?;
                if response.status != 200 {
                    // Some SDKs refuse by a status as well.
                    return Err(format!("{} {}", response.status, String::from_utf8_lossy(&response.body)));
                }
                length = response.body.len();
                let answered =
                    if response.events { last_event(&response.body, check)? } else { check.answer(&response.body)? };
                match answered {
                    Some(id) if id == 0 || id == ids[index] => count += 1,
                    other => return Err(format!("asked for {}, got {other:?}", ids[index])),
                }
                if started.elapsed() >= time {
                    (ids[index], left) = (0, left - 1);
                } else {
                    ids[index] = self.send(index, call, &mut out)?;
                }
            }
        }
        Ok((count, length))
    }

    fn send(&mut self, index: usize, call: &Call, out: &mut Vec<u8>) -> Result<u64, String> {
        let id = self.next_id;
        self.next_id += 1;
        self.all[index].send(call, id, out)?;
        Ok(id)
    }
}

impl Connection {
    pub fn open(host: &str) -> Result<Self, String> {
        let stream = TcpStream::connect(host).and_then(|stream| stream.set_nodelay(true).map(|()| stream));
        let stream = stream.map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(|error| error.to_string())?;
        Ok(Self { stream, host: host.to_owned(), unread: Vec::new() })
    }

    pub fn send(&mut self, call: &Call, id: u64, out: &mut Vec<u8>) -> Result<(), String> {
        out.clear();
        let mut body = Vec::with_capacity(512);
        call.write(id, &mut body);
        let name = call.name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n{name}Content-Length: {}\r\n\r\n",
            self.host,
            call.method,
            body.len()
        );
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(&body);
        self.stream.write_all(out).map_err(|error| error.to_string())
    }

    /// The head, and the first bytes of a body that has no end.
    pub fn begins(&mut self) -> Result<u16, String> {
        let head = self.head()?;
        Ok(head.0)
    }

    fn response(&mut self) -> Result<Response, String> {
        let (status, head) = self.head()?;
        let field = |name: &str| {
            head.lines().find_map(|line| line.split_once(':').filter(|(key, _)| key.eq_ignore_ascii_case(name)))
        };
        let events = field("content-type").is_some_and(|(_, value)| value.trim().starts_with("text/event-stream"));
        let length: Option<usize> = field("content-length").and_then(|(_, value)| value.trim().parse().ok());
        let chunked = field("transfer-encoding").is_some();
        let mut body = Vec::new();
        if let Some(length) = length {
            body = self.take(length)?;
        } else if chunked {
            loop {
                let line = self.until(b"\r\n")?;
                let text = String::from_utf8_lossy(&line);
                let size = usize::from_str_radix(text.trim(), 16).map_err(|_| format!("a chunk of {text}"))?;
                let chunk = self.take(size + 2)?;
                body.extend_from_slice(&chunk[..size]);
                if size == 0 {
                    break;
                }
            }
        }
        Ok(Response { status, events, body })
    }

    fn head(&mut self) -> Result<(u16, String), String> {
        let head = self.until(b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&head).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("no status")?;
        Ok((status, head))
    }

    fn until(&mut self, end: &[u8]) -> Result<Vec<u8>, String> {
        loop {
            if let Some(at) = self.unread.windows(end.len()).position(|window| window == end) {
                return self.take(at + end.len());
            }
            self.fill()?;
        }
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>, String> {
        while self.unread.len() < count {
            self.fill()?;
        }
        let rest = self.unread.split_off(count);
        Ok(std::mem::replace(&mut self.unread, rest))
    }

    fn fill(&mut self) -> Result<(), String> {
        let mut chunk = [0; 64 << 10];
        match self.stream.read(&mut chunk) {
            Ok(0) => Err("the server closed the connection".to_owned()),
            Ok(read) => {
                self.unread.extend_from_slice(&chunk[..read]);
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// What the one answer among the events answers.
fn last_event(body: &[u8], check: &mut Check) -> Result<Option<u64>, String> {
    let mut answered = None;
    for line in body.split(|&byte| byte == b'\n') {
        let Some(data) = line.strip_prefix(b"data:") else { continue };
        let data = data.trim_ascii();
        if !data.is_empty() {
            answered = check.answer(data)?.or(answered);
        }
    }
    Ok(answered)
}
