//! The macro's own copies of the portable rules, kept to what must be known at compile time.
//!
//! `haft_schema::portable` decides; a test in the haft crate compiles code at the edges of each
//! number below and compares the answers.

/// Fewest characters of a portable tool name.
pub(crate) const NAME_MIN: usize = 3;
/// Most characters of a portable tool name.
pub(crate) const NAME_MAX: usize = 40;
/// How error messages spell the rule for tool names.
pub(crate) const NAME_PATTERN: &str = "^[a-z][a-z0-9_]{2,39}$";

/// Most characters of a portable description.
pub(crate) const DESCRIPTION_MAX: usize = 1024;

/// Most characters of a portable argument name.
pub(crate) const ARGUMENT_MAX: usize = 64;
/// How error messages spell the rule for argument names.
pub(crate) const ARGUMENT_PATTERN: &str = "^[a-zA-Z_][a-zA-Z0-9_]{0,63}$";

/// Largest magnitude of an integer that every JSON reader keeps exactly: 2^53 - 1.
pub(crate) const SAFE_INTEGER: i128 = (1 << 53) - 1;

/// Most calls a second that can be counted; `haft::RateLimit` has the same.
pub(crate) const RATE_MAX: u64 = 1_000_000;

/// What `allow(...)` takes.
pub(crate) const RULES: &[&str] =
    &["portable_name", "portable_description", "portable_input", "portable_output", "recursion"];

/// Why `name` isn't a portable tool name, as the end of a sentence; `None` when it is one.
pub(crate) fn tool_name(name: &str) -> Option<String> {
    let length = name.chars().count();
    let odd = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '_'));
    if let Some(odd) = odd {
        Some(format!("it contains `{}`", odd.escape_debug()))
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        Some("it doesn't start with a letter".to_owned())
    } else if name.contains("__") {
        Some("it contains `__`, which hosts use between their prefix and the name".to_owned())
    } else if length < NAME_MIN {
        Some(format!("it has {length} characters, and the shortest portable name has {NAME_MIN}"))
    } else if length > NAME_MAX {
        Some(format!("it has {length} characters, and hosts cut or refuse names of more than {NAME_MAX}"))
    } else {
        None
    }
}

/// Whether every host takes `name` as an argument's name.
pub(crate) fn argument_name(name: &str) -> bool {
    name.len() <= ARGUMENT_MAX
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether `name` can be the end of an HTTP field name (RFC 9110 token; spec: server/tools#x-mcp-header).
pub(crate) fn header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Whether `scope` can be a scope of OAuth (RFC 6749, section 3.3).
pub(crate) fn scope_token(scope: &str) -> bool {
    !scope.is_empty() && scope.bytes().all(|b| matches!(b, 0x21 | 0x23..=0x5b | 0x5d..=0x7e))
}

/// Why `key` can't be a key of `_meta` (spec: basic#_meta); `None` when it can.
pub(crate) fn meta_key(key: &str) -> Option<String> {
    if matches!(key, "progressToken" | "traceparent" | "tracestate" | "baggage") {
        return Some(format!("`{key}` is reserved by the specification"));
    }
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if let Some(prefix) = prefix {
        let labels: Vec<&str> = prefix.split('.').collect();
        if let Some(bad) = labels.iter().find(|label| !meta_label(label)) {
            return Some(format!(
                "`{bad}` isn't a label: labels start with a letter, end with a letter or digit, and hold letters, digits and `-`"
            ));
        }
        if labels.get(1).is_some_and(|second| matches!(*second, "modelcontextprotocol" | "mcp")) {
            return Some(format!("the prefix `{prefix}/` is reserved for MCP itself"));
        }
    } else if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let edge = |c: char| c.is_ascii_alphanumeric();
    let well_formed = name.starts_with(edge) && name.ends_with(edge) && name.chars().all(inner);
    if !(name.is_empty() || well_formed) {
        return Some(format!(
            "`{name}` isn't a name: names start and end with a letter or digit, and hold letters, digits, `-`, `_` and `.`"
        ));
    }
    None
}

fn meta_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names() {
        for good in ["abc", "get_order", "a1_", &"a".repeat(NAME_MAX)] {
            assert_eq!(tool_name(good), None, "{good}");
        }
        for bad in ["ab", "Get", "get-order", "get__order", "1st", "_get", "", &"a".repeat(NAME_MAX + 1), "größe"] {
            assert!(tool_name(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn meta_keys() {
        for good in ["com.example/key", "com.example/", "key", "a", "com.example.mcp/x", "x-1/y_z.1"] {
            assert_eq!(meta_key(good), None, "{good}");
        }
        for bad in
            ["", "-key", "com..x/key", "1com/key", "com.mcp/x", "io.modelcontextprotocol/x", "a b", "baggage", "a/b/c"]
        {
            assert!(meta_key(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn scope_tokens() {
        assert!(scope_token("orders:write") && scope_token("https://example.com/x") && scope_token("!~"));
        assert!(
            !scope_token("") && !scope_token("a b") && !scope_token("a\"") && !scope_token("a\\") && !scope_token("ä")
        );
    }

    #[test]
    fn header_names() {
        assert!(header_name("Region") && header_name("X-Tenant_1"));
        assert!(!header_name("") && !header_name("My Region") && !header_name("a:b") && !header_name("é"));
    }
}
