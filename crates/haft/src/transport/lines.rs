use std::collections::VecDeque;

use memchr::memchr;

/// Bytes that are kept of a line that is too long: an id is among them, as a rule.
const BEGINNING: usize = 1 << 10;

/// Cuts a byte stream into lines, in bounded memory.
pub(crate) struct Lines {
    max: usize,
    line: Vec<u8>,
    skipping: bool,
    ready: VecDeque<Line>,
}

/// One line of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Its bytes, without the line feed. Never blank.
    Whole(Vec<u8>),
    /// It is longer than allowed and was skipped, in whole. How it begins.
    TooLong(Vec<u8>),
}

impl Lines {
    /// Lines of `max` bytes at most.
    pub(crate) fn new(max: usize) -> Self {
        Self { max, line: Vec::new(), skipping: false, ready: VecDeque::new() }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn feed(&mut self, mut chunk: &[u8]) {
        while let Some(end) = memchr(b'\n', chunk) {
            let (head, tail) = chunk.split_at(end);
            self.extend(head);
            self.finish();
            chunk = tail.get(1..).unwrap_or_default();
        }
        self.extend(chunk);
    }

    /// The stream has ended: a last line without a line feed counts.
    pub(crate) fn end(&mut self) {
        self.finish();
    }

    /// The next line that is whole and not blank.
    pub(crate) fn next(&mut self) -> Option<Line> {
        self.ready.pop_front()
    }

    fn extend(&mut self, bytes: &[u8]) {
        if !self.skipping && self.line.len() + bytes.len() > self.max {
            self.skipping = true;
            let missing = BEGINNING.min(self.max).saturating_sub(self.line.len()).min(bytes.len());
            self.line.extend_from_slice(bytes.get(..missing).unwrap_or_default());
            self.line.truncate(BEGINNING);
            self.line.shrink_to_fit();
        }
        if !self.skipping {
            self.line.extend_from_slice(bytes);
        }
    }

    fn finish(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.skipping) {
            self.ready.push_back(Line::TooLong(line));
        } else if !line.trim_ascii().is_empty() {
            self.ready.push_back(Line::Whole(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fed three bytes at a time, so that lines cross the edges of chunks.
    fn lines(input: &[u8], max: usize) -> Vec<Line> {
        let mut lines = Lines::new(max);
        input.chunks(3).for_each(|chunk| lines.feed(chunk));
        lines.end();
        std::iter::from_fn(|| lines.next()).collect()
    }

    fn too_long(beginning: &str) -> Line {
        Line::TooLong(beginning.as_bytes().to_vec())
    }

    fn whole(line: &str) -> Line {
        Line::Whole(line.as_bytes().to_vec())
    }

    #[test]
    fn a_last_line_without_a_line_feed_counts() {
        assert_eq!(lines(b"one\ntwo", 10), [whole("one"), whole("two")]);
    }

    #[test]
    fn blank_lines_are_no_lines() {
        assert_eq!(lines(b"\n \r\n\tone\n\n", 10), [whole("\tone")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_in_whole_and_the_next_one_read() {
        assert_eq!(lines(b"12345678\nok\n", 4), [too_long("1234"), whole("ok")]);
        assert_eq!(lines(b"12345678", 4), [too_long("1234")]);
        assert_eq!(lines(b"1234\n", 4), [whole("1234")]);
    }

    #[test]
    fn a_line_that_is_too_long_takes_no_memory() {
        let mut lines = Lines::new(10);
        for _ in 0..1000 {
            lines.feed(&[b'x'; 1000]);
        }
        assert!(lines.line.capacity() <= 1000);
    }
}
