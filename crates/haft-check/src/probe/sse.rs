//! Server-sent events.

/// The data of events, as they come.
#[derive(Debug, Default)]
pub(super) struct Events {
    pending: Vec<u8>,
    data: String,
}

impl Events {
    /// Takes bytes; gives the data of the events that are whole.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        self.pending.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                if !self.data.trim().is_empty() {
                    events.push(std::mem::take(&mut self.data));
                }
                self.data.clear();
            } else if let Some(data) = line.trim_start_matches('\u{feff}').strip_prefix("data:") {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_put_together_from_pieces() {
        let mut events = Events::default();
        let text =
            "\u{feff}: hello\r\nevent: message\ndata: {\"a\":\ndata: \"\u{e9}\"}\n\nid: 1\ndata:\n\ndata: x\r\n\r\n";
        let got: Vec<String> = text.as_bytes().chunks(3).flat_map(|piece| events.feed(piece)).collect();
        assert_eq!(got, ["{\"a\":\n\"\u{e9}\"}", "x"]);
    }
}
