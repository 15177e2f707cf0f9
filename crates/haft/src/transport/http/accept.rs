//! What a client says that it reads.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};

/// The kinds of answer that a client takes. One without `Accept` takes any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
    /// Whether it names events before JSON.
    pub(super) rather_events: bool,
}

impl Accepts {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let any = Self { json: true, events: true, rather_events: false };
        let mut accepts = Self { json: false, events: false, rather_events: false };
        let mut given = false;
        for value in headers.get_all(ACCEPT) {
            given = true;
            // What isn't text names no type.
            for range in value.to_str().unwrap_or_default().split(',') {
                let (kind, parameters) = range.split_once(';').unwrap_or((range, ""));
                if refuses(parameters) {
                    continue;
                }
                match kind.trim().to_ascii_lowercase().as_str() {
                    "*/*" => (accepts.json, accepts.events) = (true, true),
                    "application/json" | "application/*" => accepts.json = true,
                    "text/event-stream" | "text/*" => {
                        accepts.events = true;
                        accepts.rather_events = !accepts.json;
                    }
                    _ => {}
                }
            }
        }
        if given { accepts } else { any }
    }

    pub(super) fn nothing(self) -> bool {
        !self.json && !self.events
    }
}

/// Whether the parameters of a media range say `q=0`.
fn refuses(parameters: &str) -> bool {
    let weights = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    weights
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .any(|(_, weight)| weight.trim().parse().is_ok_and(|weight: f32| weight == 0.0))
}

/// Whether the body is said to be JSON.
pub(super) fn sends_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let kind = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(values: &[&str]) -> (bool, bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT, value.parse().expect("a value"));
        }
        let Accepts { json, events, .. } = Accepts::read(&headers);
        (json, events)
    }

    #[test]
    fn ranges_lists_and_weights_are_read() {
        assert_eq!(accepts(&[]), (true, true));
        assert_eq!(accepts(&["*/*"]), (true, true));
        assert_eq!(accepts(&["application/json, text/event-stream"]), (true, true));
        assert_eq!(accepts(&["application/json", "Text/Event-Stream;q=0.5"]), (true, true));
        assert_eq!(accepts(&["application/json"]), (true, false));
        assert_eq!(accepts(&["text/*;q=0.1"]), (false, true));
        assert_eq!(accepts(&["application/json;q=0, text/event-stream; q=0.000"]), (false, false));
        assert_eq!(accepts(&["text/html"]), (false, false));
    }
}
