//! A client over pipes that keeps a number of requests in flight.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use crate::wire::{Call, Check, FIRST_ID};

pub struct Pipes {
    input: ChildStdin,
    output: ChildStdout,
    next_id: u64,
    unread: Vec<u8>,
}

impl Pipes {
    pub fn new(input: ChildStdin, output: ChildStdout) -> Self {
        Self { input, output, next_id: FIRST_ID, unread: Vec::new() }
    }

    /// Calls for so long; how many calls were made, and the bytes of the last answer.
    pub fn run(
        &mut self,
        call: &Call,
        check: &mut Check,
        in_flight: usize,
        time: Duration,
    ) -> Result<(u64, usize), String> {
        let (started, mut count, mut length) = (Instant::now(), 0, 0);
        let (mut waiting, mut out, mut chunk) = (HashSet::new(), Vec::new(), vec![0; 256 << 10]);
        for _ in 0..in_flight {
            waiting.insert(self.request(call, &mut out));
        }
        let mut left = in_flight;
        while left > 0 {
            self.input.write_all(&out).map_err(|error| error.to_string())?;
            out.clear();
            let read = self.output.read(&mut chunk).map_err(|error| error.to_string())?;
            if read == 0 {
                return Err("the server ended".to_owned());
            }
            let over = started.elapsed() >= time;
            let mut rest = &chunk[..read];
            while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
                self.unread.extend_from_slice(&rest[..end]);
                rest = &rest[end + 1..];
                let line = std::mem::take(&mut self.unread);
                match check.answer(&line)? {
                    None => continue,
                    Some(0) => {}
                    Some(id) if waiting.remove(&id) => {}
                    Some(id) => return Err(format!("nobody asked for {id}")),
                }
                (count, length) = (count + 1, line.len());
                if over {
                    left -= 1;
                } else {
                    waiting.insert(self.request(call, &mut out));
                }
                self.unread = line;
                self.unread.clear();
            }
            self.unread.extend_from_slice(rest);
        }
        Ok((count, length))
    }

    fn request(&mut self, call: &Call, out: &mut Vec<u8>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        call.write(id, out);
        out.push(b'\n');
        id
    }
}
