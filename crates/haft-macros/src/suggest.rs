//! "Did you mean": the nearest known word to a mistyped one.

/// The known word nearest to `typed`, if one is near enough to be a likely slip of the fingers.
pub(crate) fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = (typed.chars().count() / 3).max(1);
    if let Some(longer) = known.iter().find(|word| typed.len() >= 3 && word.starts_with(typed)) {
        return Some(longer);
    }
    let plain = |s: &str| s.to_ascii_lowercase().replace('_', "");
    known
        .iter()
        .map(|word| (distance(&plain(typed), &plain(word)), *word))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

/// `unknown … `x`; did you mean `y`?` or the list of what is known.
pub(crate) fn unknown(what: &str, typed: &str, known: &[&str]) -> String {
    match nearest(typed, known) {
        Some(near) => format!("unknown {what} `{typed}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{typed}`; known are {}", list(known)),
    }
}

/// `` `a`, `b` and `c` ``
pub(crate) fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips() {
        let known = ["read_only", "additive", "destructive", "open_world", "title"];
        assert_eq!(nearest("readonly", &known), Some("read_only"));
        assert_eq!(nearest("readOnly", &known), Some("read_only"));
        assert_eq!(nearest("distructive", &known), Some("destructive"));
        assert_eq!(nearest("destr", &known), Some("destructive"));
        assert_eq!(nearest("titel", &known), Some("title"));
        assert_eq!(nearest("frobnicate", &known), None);
    }

    #[test]
    fn lists_words() {
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(list(&["a"]), "`a`");
    }
}
