//! Lines in and out of blocking streams, each on a thread of its own.
//!
//! Threads of their own, since those of the runtime would keep the process from ending while they wait for input. Each
//! ends when its stream or its channel does.

use std::io::{self, Read, Write};
use std::thread;

use tokio::sync::{mpsc, oneshot};

use super::lines::{Line, Lines};

/// Frames that may wait on either side before the other one waits.
pub(super) const QUEUE: usize = 64;
/// Bytes that are read at once.
pub(super) const CHUNK: usize = 64 << 10;
/// Bytes that are gathered before they are written.
pub(super) const BATCH: usize = 64 << 10;

/// How the writing ended.
type Ended = oneshot::Receiver<io::Result<()>>;

/// The lines of `input`, each of `max` bytes at most. They end with the stream, or after an error.
pub(super) fn reader(
    name: &str,
    input: impl Read + Send + 'static,
    max: usize,
) -> io::Result<mpsc::Receiver<io::Result<Line>>> {
    let (sender, received) = mpsc::channel(QUEUE);
    thread::Builder::new().name(name.to_owned()).spawn(move || read(input, Lines::new(max), &sender))?;
    Ok(received)
}

fn read(mut input: impl Read, mut lines: Lines, sender: &mpsc::Sender<io::Result<Line>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let ended = match input.read(&mut chunk) {
            Ok(0) => {
                lines.end();
                true
            }
            Ok(count) => {
                lines.feed(chunk.get(..count).unwrap_or_default());
                false
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        while let Some(line) = lines.next() {
            if sender.blocking_send(Ok(line)).is_err() {
                return;
            }
        }
        if ended {
            return;
        }
    }
}

/// Where frames go to be written as lines, and how that ended: once all senders are gone, or at the first error.
pub(super) fn writer(name: &str, output: impl Write + Send + 'static) -> io::Result<(mpsc::Sender<Vec<u8>>, Ended)> {
    let (frames, outgoing) = mpsc::channel(QUEUE);
    let (done, written) = oneshot::channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        let _ = done.send(write(output, outgoing));
    })?;
    Ok((frames, written))
}

/// Writes each frame as a line, and flushes once no more are waiting.
fn write(mut output: impl Write, mut frames: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    let mut batch = Vec::new();
    while let Some(frame) = frames.blocking_recv() {
        let mut next = Some(frame);
        while let Some(frame) = next {
            batch.extend_from_slice(&frame);
            batch.push(b'\n');
            next = if batch.len() < BATCH { frames.try_recv().ok() } else { None };
        }
        output.write_all(&batch)?;
        output.flush()?;
        batch.clear();
        batch.shrink_to(BATCH);
    }
    Ok(())
}
