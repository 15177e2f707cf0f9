//! A server's key and a tool's name to the one name that a model sees.

use sha2::{Digest as _, Sha256};

/// What every API takes: `[A-Za-z0-9_-]`, a letter or `_` first, at most this long.
pub(super) const LONGEST: usize = 64;
/// Hexadecimal digits of the hash.
const HASH: usize = 12;
/// Of the key, in a name that has a hash.
const KEY: usize = 16;

/// `key__tool` where that can be nothing else; otherwise what can be kept of both, and a hash of both.
///
/// It depends on nothing but the pair, so it is the same in each run, in whatever order servers come, and whatever other
/// tools there are.
pub(super) fn exposed(key: &str, tool: &str) -> String {
    let plain = format!("{key}__{tool}");
    if is_plain(key, tool, &plain) {
        return plain;
    }
    let mut name = kept(key, KEY, "server");
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    let left = LONGEST - name.len() - "__".len() - "_".len() - HASH;
    name.push_str("__");
    name.push_str(&kept(tool, left, "tool"));
    name.push('_');
    let mut hasher = Sha256::new();
    // The length says where the key ends: no two pairs are hashed as the same bytes.
    hasher.update((key.len() as u64).to_be_bytes());
    hasher.update(key);
    hasher.update(tool);
    for byte in hasher.finalize().iter().take(HASH / 2) {
        name.push_str(&format!("{byte:02x}"));
    }
    name
}

/// Whether no other pair has this name: its first `__` ends the key, and it has no hash at its end.
fn is_plain(key: &str, tool: &str, name: &str) -> bool {
    let clean = |text: &str| !text.is_empty() && text.bytes().all(is_taken);
    clean(key)
        && clean(tool)
        && name.len() <= LONGEST
        && !key.contains("__")
        && !key.ends_with('_')
        && key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !has_hash(name)
}

fn is_taken(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn has_hash(name: &str) -> bool {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.len() > HASH
        && name.as_bytes()[name.len() - HASH - 1] == b'_'
        && name.as_bytes()[name.len() - HASH..].iter().all(is_hex)
}

/// What can be kept of `text`: runs of other characters become one `_`.
fn kept(text: &str, limit: usize, otherwise: &str) -> String {
    let mut kept = String::new();
    for c in text.chars().take(4 * limit) {
        let c = if c.is_ascii() && is_taken(c as u8) { c } else { '_' };
        if c != '_' || !kept.ends_with('_') {
            kept.push(c);
        }
    }
    kept.truncate(limit);
    let kept = kept.trim_matches('_');
    if kept.is_empty() { otherwise.to_owned() } else { kept.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_pair_that_is_clear_keeps_both_names() {
        assert_eq!(exposed("orders", "get_order"), "orders__get_order");
        assert_eq!(exposed("my-server", "a__b"), "my-server__a__b");
        assert_eq!(exposed("a", "_b"), "a___b");
    }

    #[test]
    fn names_are_stable() {
        assert_eq!(exposed("files", "kanban.move_task"), "files__kanban_move_task_849653a235a7");
        assert_eq!(exposed("", ""), "server__tool_af5570f5a181");
    }

    #[test]
    fn every_pair_has_a_name_of_its_own_that_every_api_takes() {
        let long = "x".repeat(200);
        let hashed = exposed("orders", &long);
        let words = ["a", "a_", "a__b", "b", "_b", "b__c", "__", "1", "-", "", "é", "ü", ".", "/", "a b", "a.b", &long];
        let tail = hashed.strip_prefix("orders__").unwrap_or_default();
        let mut seen = HashSet::new();
        for key in words.into_iter().chain(["orders"]) {
            for tool in words.into_iter().chain([tail, "yyy"]) {
                let name = exposed(key, tool);
                assert!(name.len() <= LONGEST && name.bytes().all(is_taken), "{name}");
                assert!(name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{name}");
                assert!(seen.insert(name.clone()), "{name} is the name of {key:?} {tool:?} and of another");
            }
        }
    }
}
