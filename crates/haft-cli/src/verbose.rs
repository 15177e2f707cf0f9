//! What goes over the wire, for eyes.

use haft::WireEvent;
use haft_check::printable_line;
use http::HeaderMap;

use crate::show::{DIM, cut};

/// Bytes of a message that are shown.
const SHOWN: usize = 4_000;
/// Characters of a header.
const HEADER: usize = 300;

/// Writes one event to stderr.
pub(crate) fn show(event: WireEvent<'_>) {
    for line in lines(event) {
        anstream::eprintln!("{DIM}{line}{DIM:#}");
    }
}

fn lines(event: WireEvent<'_>) -> Vec<String> {
    match event {
        WireEvent::Sent(message) => vec![format!("→ {}", body(message))],
        WireEvent::Received(message) => vec![format!("← {}", body(message))],
        WireEvent::Request { method, url, headers } => {
            let first = format!("→ {method} {}", printable_line(&cut(url, HEADER)));
            with_headers(first, '→', headers)
        }
        WireEvent::Response { status, headers } => with_headers(format!("← {status}"), '←', headers),
        _ => Vec::new(),
    }
}

fn with_headers(first: String, arrow: char, headers: &HeaderMap) -> Vec<String> {
    let header = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        format!("{arrow}   {name}: {}", printable_line(&cut(&value, HEADER)))
    };
    [first].into_iter().chain(headers.iter().map(header)).collect()
}

/// A message on one line, cut, and how long it is if it was cut.
fn body(message: &[u8]) -> String {
    let shown = String::from_utf8_lossy(message.get(..SHOWN).unwrap_or(message));
    let rest = if message.len() > SHOWN { format!("… ({} bytes)", message.len()) } else { String::new() };
    printable_line(&shown) + &rest
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, StatusCode};

    use super::*;

    #[test]
    fn nothing_foreign_begins_a_line_or_goes_on_for_ever() {
        let mut headers = HeaderMap::new();
        headers.insert("x-a", HeaderValue::from_bytes(b"\xe2\x80\xaeb").expect("it may stand there"));
        let answer = lines(WireEvent::Response { status: StatusCode::OK, headers: &headers });
        assert_eq!(answer, ["← 200 OK", "←   x-a: \\u{202e}b"]);
        assert_eq!(lines(WireEvent::Sent(b"a\r\n\x1b[2J")), ["→ a\\u{d}\\u{a}\\u{1b}[2J"]);
        let long = lines(WireEvent::Received(&[b'x'; 10_000]));
        assert!(long[0].ends_with("xx… (10000 bytes)") && long[0].len() < 4_100, "{}", long[0]);
    }
}
