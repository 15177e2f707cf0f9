//! Ids: `call_` and 128 random bits.

use sha2::{Digest, Sha256};

use crate::error::ToolError;

/// Lower-case letters and digits without those that look alike: an id survives being read aloud.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// 128 bits, five to a letter.
const LENGTH: usize = 26;

pub(super) fn new(prefix: &str) -> Result<String, ToolError> {
    let mut random = [0; 16];
    let failed = |error: getrandom::Error| ToolError::internal(format!("the system gives no random numbers: {error}"));
    getrandom::fill(&mut random).map_err(failed)?;
    Ok(format!("{prefix}_{}", letters(&random)))
}

/// Whether [`new`] could have made it.
pub(super) fn is_id(prefix: &str, id: &str) -> bool {
    let random = id.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
    random.is_some_and(|random| random.len() == LENGTH && random.bytes().all(|letter| ALPHABET.contains(&letter)))
}

/// The handle's place in the store.
pub(super) fn key(id: &str) -> String {
    format!("handle:{id}")
}

/// One text for several, of bounded length: no other texts have it.
pub(crate) fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    letters(&hash.finalize())
}

pub(super) const fn is_prefix(prefix: &str) -> bool {
    let bytes = prefix.as_bytes();
    if bytes.is_empty() || bytes.len() > 32 || !bytes[0].is_ascii_lowercase() {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        if !bytes[at].is_ascii_lowercase() && !bytes[at].is_ascii_digit() {
            return false;
        }
        at += 1;
    }
    true
}

fn letters(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bytes {
        bits = (bits << 8 | u32::from(*byte)) & 0xfff;
        count += 8;
        while count >= 5 {
            count -= 5;
            text.push(char::from(ALPHABET[(bits >> count & 31) as usize]));
        }
    }
    if count > 0 {
        text.push(char::from(ALPHABET[(bits << (5 - count) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_recognised() {
        let id = new("call").expect("random numbers");
        assert!(is_id("call", &id) && id.len() == 31, "{id}");
        assert_ne!(new("call").expect("random numbers"), id);
        for bad in ["", "call", "call_", "call_1", &id[1..], &id[..30], &format!("{id}a"), &id.replace('_', "-")] {
            assert!(!is_id("call", bad), "{bad}");
        }
        assert!(!is_id("cal", &id) && !is_id("call", &id.to_uppercase()));
    }

    #[test]
    fn every_bit_shows() {
        assert_eq!(letters(&[0; 16]), "a".repeat(26));
        let mut seen = std::collections::HashSet::from([letters(&[0; 16])]);
        for bit in 0..128 {
            let mut bytes = [0; 16];
            bytes[bit / 8] = 1 << (bit % 8);
            assert!(seen.insert(letters(&bytes)), "bit {bit}");
        }
        assert_ne!(digest(&["a", "b"]), digest(&["ab", ""]));
    }

    #[test]
    fn prefixes_are_words() {
        assert!(is_prefix("call") && is_prefix("a1"));
        for bad in ["", "1a", "Call", "a_b", "a-b", "é", &"a".repeat(33)] {
            assert!(!is_prefix(bad), "{bad}");
        }
    }
}
