//! URIs as the server compares them: checked against RFC 3986, one unit per character.

/// The longest URI that is held against templates, in bytes.
pub(crate) const LONGEST: usize = 8_192;

/// One character of a URI, or what one `%XX` stands for.
///
/// An encoded letter, digit, `-`, `.`, `_` or `~` is that character itself (RFC 3986, 2.3), so that `%2e%2e` is `..`
/// wherever it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) byte: u8,
    pub(crate) encoded: bool,
}

impl Unit {
    /// Whether this is the character itself, not its encoding.
    pub(crate) fn is(self, byte: u8) -> bool {
        !self.encoded && self.byte == byte
    }
}

/// The units of a text that goes into a URI, or what is wrong with it.
pub(crate) fn units(text: &str) -> Result<Vec<Unit>, String> {
    let mut units = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let unit = match byte {
            b'%' => {
                let digits = (bytes.next().and_then(hex), bytes.next().and_then(hex));
                let (Some(high), Some(low)) = digits else {
                    return Err("a `%` must be followed by two hexadecimal digits".to_owned());
                };
                let byte = high << 4 | low;
                Unit { byte, encoded: !is_unreserved(byte) }
            }
            _ if is_unreserved(byte) || b":/?#[]@!$&'()*+,;=".contains(&byte) => Unit { byte, encoded: false },
            _ => {
                let character = text.chars().find(|c| !c.is_ascii() || *c == char::from(byte)).unwrap_or_default();
                return Err(format!("{character:?} can't stand in a URI unless it is percent-encoded"));
            }
        };
        units.push(unit);
    }
    Ok(units)
}

/// What is wrong with an absolute URI, if anything is.
pub(crate) fn problem(uri: &str) -> Option<String> {
    match uri.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) && !rest.is_empty() => units(uri).err(),
        _ => Some("it must begin with a scheme, such as `notes://`".to_owned()),
    }
}

pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Why a value could lead out of the place that it is meant to stay in, if it could.
///
/// Anything that some file system takes for "up", "here" or "from the root" counts, under Windows' rules too, and so does
/// what becomes such a thing when somebody decodes it once more.
pub(crate) fn path_problem(value: &str) -> Option<&'static str> {
    let mut value = value.to_owned();
    for _ in 0..DECODINGS {
        if value.chars().any(char::is_control) {
            return Some("has a control character");
        }
        if value.starts_with(['/', '\\']) || is_drive(&value) {
            return Some("is an absolute path");
        }
        let dots = |segment: &str| !segment.is_empty() && segment.trim_matches(['.', ' ']).is_empty();
        if value.split(['/', '\\']).any(dots) {
            return Some("has a segment of dots, such as `..`");
        }
        match decoded_once_more(&value) {
            Some(decoded) => value = decoded,
            None => break,
        }
    }
    None
}

/// How often a value is looked at: as it is, and after each further decoding.
const DECODINGS: usize = 4;

fn is_drive(value: &str) -> bool {
    matches!(value.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// `None` where there is nothing left to decode.
fn decoded_once_more(value: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    let mut changed = false;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match (byte, after) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    decoded.push(high << 4 | low);
                    changed = true;
                    after
                }
                _ => {
                    decoded.push(byte);
                    rest.get(1..).unwrap_or_default()
                }
            },
            _ => {
                decoded.push(byte);
                after
            }
        };
    }
    changed.then(|| String::from_utf8_lossy(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{path_problem, problem, units};

    #[test]
    fn uris_are_checked() {
        for good in ["test://a", "file:///a%20b", "urn:isbn:0", "a+b-c.d://x?y=z#w"] {
            assert_eq!(problem(good), None, "{good}");
        }
        for bad in ["", "a", "://a", "1a://b", "file:///a b", "file:///%zz", "file:///%2", "file:///ü", "a:"] {
            assert!(problem(bad).is_some(), "{bad}");
        }
        assert!(problem("file:///ü").unwrap().contains('ü'));
    }

    #[test]
    fn an_encoded_letter_is_the_letter_and_an_encoded_slash_is_no_slash() {
        assert_eq!(units("%41%2e"), units("A."));
        assert_ne!(units("%2F"), units("/"));
        assert_eq!(units("%2f"), units("%2F"));
    }

    #[test]
    fn values_that_could_lead_out_of_a_directory() {
        for bad in [
            "..",
            ".",
            "a/..",
            "../a",
            "a/../b",
            "a\\..\\b",
            "..\\a",
            "/etc/passwd",
            "\\\\host\\share",
            "C:\\a",
            "c:a",
            "a\0b",
            "%2e%2e/a",
            "%2e%2e%2fa",
            "%252e%252e%252fa",
            ".. /a",
            ".../a",
            "%2fetc",
            "a%5c..",
            "a\nb",
        ] {
            assert!(path_problem(bad).is_some(), "{bad:?}");
        }
        for good in ["", "a", "a/b", "a..b", "..a", "a.", ".hidden", "owner/repo", "100%", "%zz", "ab:c", "ü"] {
            assert_eq!(path_problem(good), None, "{good:?}");
        }
    }
}
