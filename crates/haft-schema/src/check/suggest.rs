//! "Did you mean …?": the known name nearest to an unknown one.

/// Longer names aren't compared.
const MAX_CHARS: usize = 64;
/// No more candidates than these are compared.
const MAX_CANDIDATES: usize = 1_000;

/// The candidate that `name` was probably meant to be, if one is near enough: the same but for case and separators, a few
/// typing mistakes away, or sharing its words.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(name)?;
    let words = words(name);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter_map(|candidate| Some((rank(&folded, &words, candidate)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// How far the candidate is from the name, or `None` if it is too far.
fn rank(folded: &[char], words_of_name: &[String], candidate: &str) -> Option<usize> {
    let other = fold(candidate)?;
    let allowed = folded.len().max(other.len()).div_ceil(4).min(3);
    let distance = distance(folded, &other);
    // One or two characters that are all different are no typing mistake.
    if distance <= allowed && distance < folded.len().min(other.len()) {
        return Some(distance);
    }
    let words_of_candidate = words(candidate);
    let (few, many) = if words_of_name.len() <= words_of_candidate.len() {
        (words_of_name, &words_of_candidate[..])
    } else {
        (&words_of_candidate[..], words_of_name)
    };
    let shared = !few.is_empty() && few.iter().all(|word| many.contains(word));
    shared.then(|| 10 + many.len() - few.len())
}

/// The characters that matter: letters and digits, in lower case.
fn fold(name: &str) -> Option<Vec<char>> {
    let mut folded = Vec::new();
    for c in name.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase) {
        if folded.len() == MAX_CHARS {
            return None;
        }
        folded.push(c);
    }
    (!folded.is_empty()).then_some(folded)
}

/// The words of a name in `snake_case`, `kebab-case` or `camelCase`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars().take(MAX_CHARS) {
        let starts_word = c.is_uppercase() && after_lower;
        after_lower = c.is_lowercase();
        if starts_word || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().map(|word| word.extend(c.to_lowercase())).unwrap_or_default();
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &ca) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, &cb) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(ca != cb);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && ca == b[j - 1] && a[i - 1] == cb {
                best = best.min(before_last[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest_of(name: &str, candidates: &[&'static str]) -> Option<&'static str> {
        nearest(name, candidates.iter().copied())
    }

    #[test]
    fn typing_mistakes() {
        assert_eq!(nearest_of("txet", &["context", "text"]), Some("text"));
        assert_eq!(nearest_of("locaton", &["location", "units"]), Some("location"));
        assert_eq!(nearest_of("celcius", &["celsius", "fahrenheit"]), Some("celsius"));
    }

    #[test]
    fn case_and_separators_do_not_count() {
        assert_eq!(nearest_of("orderId", &["order", "order_id"]), Some("order_id"));
        assert_eq!(nearest_of("ORDER-ID", &["order_ids", "order_id"]), Some("order_id"));
    }

    #[test]
    fn shared_words() {
        assert_eq!(nearest_of("query", &["search_query", "limit"]), Some("search_query"));
        assert_eq!(nearest_of("customerEmail", &["email", "name"]), Some("email"));
    }

    #[test]
    fn nothing_near() {
        assert_eq!(nearest_of("units", &["location"]), None);
        assert_eq!(nearest_of("x", &["y", "z"]), None);
        assert_eq!(nearest_of("", &["a"]), None);
        assert_eq!(nearest_of("___", &["a"]), None);
        assert_eq!(nearest_of(&"a".repeat(100_000), &["a"]), None);
    }

    #[test]
    fn ties_go_to_the_first_by_name_whatever_the_order() {
        assert_eq!(nearest_of("cat", &["car", "bat"]), nearest_of("cat", &["bat", "car"]));
    }
}
