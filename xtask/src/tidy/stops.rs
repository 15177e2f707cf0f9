//! A request passes nine stops, one file each, and each file begins by saying so.

use super::{Offence, Source};

/// The stops in order; of several paths, exactly the first that exists counts.
const STOPS: &[&[&str]] = &[
    &["crates/haft/src/transport/stdio.rs"],
    &["crates/haft/src/transport/duplex.rs"],
    &["crates/haft/src/transport/memory.rs"],
    &["crates/haft-wire/src/message.rs"],
    &["crates/haft/src/server/dispatch.rs"],
    &["crates/haft/src/server/registry.rs"],
    &[
        "crates/haft-schema/src/check.rs",
        "crates/haft-schema/src/check/check.rs",
        "crates/haft-schema/src/check/mod.rs",
    ],
    &["crates/haft/src/server/call.rs"],
    &["crates/haft/src/server/outcome.rs"],
    &["crates/haft-wire/src/encode.rs"],
];

/// What the first line must say.
const PARTS: &[&str] = &["in:", "out:", "next:"];

pub(super) fn check(sources: &[Source]) -> Vec<Offence> {
    STOPS.iter().filter_map(|paths| check_stop(paths, sources)).collect()
}

fn check_stop(paths: &[&str], sources: &[Source]) -> Option<Offence> {
    let Some(source) = paths.iter().find_map(|path| sources.iter().find(|source| source.path == *path)) else {
        return Some(Offence::new(
            paths[0],
            1,
            "a stop of the request, but there is no such file; mend the table in xtask/src/tidy/stops.rs if it moved",
        ));
    };
    let first = source.text.lines().next().unwrap_or_default();
    let missing: Vec<&str> = PARTS.iter().copied().filter(|part| !first.contains(part)).collect();
    if first.starts_with("//! ") && missing.is_empty() {
        return None;
    }
    Some(Offence::new(
        &source.path,
        1,
        "a stop of the request; its first line must be `//! ` with `in:` (what comes in), `out:` (what goes out) \
         and `next:` (the file that follows)",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! Stop. in: bytes, out: a message, next: server/dispatch.rs\n";

    fn all_good() -> Vec<Source> {
        STOPS.iter().map(|paths| Source { path: paths[0].to_owned(), text: GOOD.to_owned() }).collect()
    }

    #[test]
    fn nine_good_stops_pass() {
        assert_eq!(check(&all_good()), []);
        let mut moved = all_good();
        let (place, paths) =
            STOPS.iter().enumerate().find(|(_, paths)| paths.len() > 1).expect("one may stand elsewhere");
        moved[place].path = paths[1].to_owned();
        assert_eq!(check(&moved), []);
    }

    #[test]
    fn a_stop_without_its_line_is_an_offence() {
        for bad in ["", "// in: out: next:\n", "//! in: bytes, out: a message\n", "\n//! in: out: next:\n"] {
            let mut sources = all_good();
            let stop = sources.iter_mut().find(|source| source.path.ends_with("haft-wire/src/message.rs"));
            stop.expect("a stop").text = bad.to_owned();
            let offences = check(&sources);
            assert_eq!(offences.len(), 1, "{bad:?}");
            assert_eq!(offences[0].file, "crates/haft-wire/src/message.rs");
        }
    }

    #[test]
    fn a_missing_stop_is_an_offence() {
        let mut sources = all_good();
        sources.remove(0);
        assert!(check(&sources)[0].message.contains("no such file"));
    }
}
