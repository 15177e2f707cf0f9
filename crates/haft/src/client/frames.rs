use haft_wire::{Limits, Malformed, Message, RequestId, parse, too_large};
use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Parts of JSON in one message, or in one list: members, items, and what holds them. Each takes far more memory once it is
/// read than it has bytes.
pub(super) const MOST_PARTS: usize = 4_000_000;
/// A message of fewer bytes can't have as many.
const SMALL: usize = MOST_PARTS / 2;
/// Bytes of a message among which its id is looked for, if it can't be read.
const BEGINNING: usize = 1 << 10;
const METHOD: &[u8] = b"\"method\"";

/// Reads a server's message.
pub(super) fn read(frame: &[u8], limits: &Limits) -> Result<Message, Malformed> {
    if frame.len() > SMALL && parts(frame) > MOST_PARTS {
        return Err(too_large(frame.get(..BEGINNING).unwrap_or(frame), limits));
    }
    parse(frame, limits).map_err(|malformed| match malformed.id {
        Some(_) => malformed,
        // What was cut off, or is no JSON from some point on, may say which request it was to answer.
        None => Malformed { id: too_large(frame.get(..BEGINNING).unwrap_or(frame), limits).id, ..malformed },
    })
}

/// Of how many parts a text consists, if it is JSON.
pub(super) fn parts(text: &[u8]) -> usize {
    let (mut parts, mut in_string, mut escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b',' | b':' | b'[' | b'{' if !in_string => parts += 1,
            _ => {}
        }
    }
    parts
}

/// Which request a frame was to answer that can't be read, as far as the frame tells.
pub(super) fn spoilt_answer(frame: &[u8], malformed: &Malformed) -> Option<i64> {
    // A request of the server's has an id, too, and it may be the same number.
    let may_ask = frame.windows(METHOD.len()).any(|part| part == METHOD);
    match malformed.id {
        Some(RequestId::Int(id)) if !may_ask => Some(id),
        _ => None,
    }
}

/// The first elements of a list, as they were sent, and how many more it has.
#[derive(Default)]
pub(super) struct First<'a> {
    pub(super) elements: Vec<&'a RawValue>,
    pub(super) more: usize,
}

/// Definitions of one list that are looked at.
pub(super) const MOST_LISTED: usize = 20_000;

impl<'de: 'a, 'a> Deserialize<'de> for First<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = First<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<First<'de>, A::Error> {
                let mut first = First::default();
                while first.elements.len() < MOST_LISTED {
                    let Some(element) = list.next_element()? else { return Ok(first) };
                    first.elements.push(element);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    first.more += 1;
                }
                Ok(first)
            }
        }

        deserializer.deserialize_seq(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_outside_of_strings() {
        assert_eq!(parts(br#"{"a,b\",[": [1, 2, {}]}"#), 6);
        assert_eq!(parts(br#""\\", 1"#), 1);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_known_by_its_id() {
        let limits = Limits::default();
        let spoilt = |frame: &str| {
            let frame = frame.as_bytes();
            read(frame, &limits).err().and_then(|malformed| spoilt_answer(frame, &malformed))
        };
        assert_eq!(spoilt(r#"{"jsonrpc": "2.0", "id": 7, "result": {"a": "\ud800"}}"#), Some(7));
        assert_eq!(spoilt(r#"{"jsonrpc": "2.0", "id": 7, "result": {"a": 1e99999}}"#), Some(7));
        assert_eq!(spoilt(r#"{"jsonrpc": "2.0", "id": 7, "result": {"a": "cut o"#), Some(7));
        assert_eq!(spoilt(r#"{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": 1e99999}}"#), None);
        assert_eq!(spoilt("no JSON at all"), None);
    }

    #[test]
    fn a_message_of_too_many_parts_is_refused_before_it_is_read() {
        let zeros = "0,".repeat(MOST_PARTS + 1);
        let frame = format!(r#"{{"jsonrpc": "2.0", "id": 7, "result": {{"a": [{zeros}0]}}}}"#);
        let malformed = read(frame.as_bytes(), &Limits::default()).unwrap_err();
        assert_eq!(spoilt_answer(frame.as_bytes(), &malformed), Some(7));
    }
}
