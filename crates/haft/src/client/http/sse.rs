use std::mem;
use std::time::Duration;

/// Bytes of an event's id: it goes back in a header.
const LONGEST_ID: usize = 4 << 10;

/// Reads events from a stream of bytes, in bounded memory.
///
/// spec: WHATWG HTML, "Server-sent events"
pub(super) struct Events {
    max: usize,
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    returned: bool,
    started: bool,
    data: Vec<u8>,
    has_data: bool,
    id: Option<String>,
    pub(super) last_id: Option<String>,
    pub(super) retry: Option<Duration>,
}

/// An event is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Events of `max` bytes at most.
    pub(super) fn new(max: usize) -> Self {
        let (line, data, id, last_id, retry) = Default::default();
        Self { max, line, returned: false, started: false, data, has_data: false, id, last_id, retry }
    }

    /// The same stream on another connection: what was cut off there is not continued here.
    pub(super) fn anew(self) -> Self {
        Self { last_id: self.last_id, retry: self.retry, ..Self::new(self.max) }
    }

    /// The data of the events that these bytes complete. Events without data are not among them.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = mem::take(&mut self.returned);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.returned = byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => {
                    if self.line.len() + self.data.len() >= self.max {
                        return Err(TooLong);
                    }
                    self.line.push(byte);
                }
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let mut line = mem::take(&mut self.line);
        if !mem::replace(&mut self.started, true) && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => {
                let value = line.get(colon + 1..).unwrap_or_default();
                (line.get(..colon).unwrap_or_default(), value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line.as_slice(), &b""[..]),
        };
        match field {
            b"data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) && value.len() <= LONGEST_ID => {
                self.id = String::from_utf8(value.to_vec()).ok()
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let milliseconds = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = milliseconds.map(Duration::from_millis).or(self.retry);
            }
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Vec<u8>> {
        if let Some(id) = &self.id {
            self.last_id = Some(id.clone()).filter(|id| !id.is_empty());
        }
        let data = mem::take(&mut self.data);
        (mem::take(&mut self.has_data) && !data.is_empty()).then_some(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fed in pieces of each size: where they are cut changes nothing.
    fn read(text: &str) -> (Vec<String>, Option<String>, Option<u64>) {
        let all: Vec<_> = (1..=text.len())
            .map(|size| {
                let mut events = Events::new(1000);
                let data: Vec<_> = text.as_bytes().chunks(size).flat_map(|piece| events.feed(piece).unwrap()).collect();
                let data = data.into_iter().map(|data| String::from_utf8(data).unwrap()).collect();
                (data, events.last_id, events.retry.map(|retry| retry.as_millis() as u64))
            })
            .collect();
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all[0].clone()
    }

    #[test]
    fn every_line_end_comments_and_fields() {
        let (data, id, retry) =
            read("\u{feff}: hello\r\n\r\nevent: message\rdata:{\rdata: }\r\r: ping\n\nid: 5\nretry: 10\n\n");
        assert_eq!(data, ["{\n}"]);
        assert_eq!((id.as_deref(), retry), (Some("5"), Some(10)));
    }

    #[test]
    fn an_event_without_data_and_one_that_does_not_end_are_none() {
        let (data, id, _) = read("data\n\ndata:\n\nid: 7\ndata: \n\ndata: late\n");
        assert_eq!(data, Vec::<String>::new());
        assert_eq!(id.as_deref(), Some("7"));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let mut events = Events::new(10);
        assert_eq!(events.feed(b"data: 0123456789"), Err(TooLong));
    }
}
