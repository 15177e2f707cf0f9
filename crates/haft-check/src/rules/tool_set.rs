//! Tools as a set.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::finding::Found;
use crate::limits;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "QUA-SET-001",
        title: "two tools are described in the same words",
        subject: Subject::Description,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "Microsoft Research, tool-space interference; Glama TDQS (coherence)",
        date: "2026-06-14",
        consequence: "a model takes one for the other",
        fix: "say in each description what sets it apart from the other",
        check: Check::Server(alike),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-SET-002",
        title: "there are many tools",
        subject: Subject::Server,
        family: Family::Quality,
        severity: Severity::Advice,
        blast: Blast::Server,
        confidence: Confidence::Derived,
        source: limits::GOOD_COUNT.source,
        date: limits::GOOD_COUNT.date,
        limit: Some(&limits::GOOD_COUNT),
        consequence: "models choose worse the more tools there are",
        fix: "offer those that work on one thing as a server of their own, or fewer that do more",
        check: Check::Server(many),
        ..Rule::BASE
    },
];

/// Descriptions that share this part of their words are alike.
const ALIKE: f64 = 0.85;
/// Shorter ones say too little to be compared.
const FEWEST_WORDS: usize = 6;
/// Each is compared with each: more would take too long.
const MOST_COMPARED: usize = 1_500;

fn alike(server: &Server<'_>, found: &mut Found<'_>) {
    let sets: Vec<(&Tool<'_>, Vec<u64>)> = server
        .tools
        .iter()
        .take(MOST_COMPARED)
        .map(|tool| (tool, word_set(tool.description())))
        .filter(|(_, words)| words.len() >= FEWEST_WORDS)
        .collect();
    for (at, (tool, words)) in sets.iter().enumerate() {
        if let Some((other, _)) = sets[..at].iter().find(|(_, others)| are_alike(words, others)) {
            let message = format!(
                "this has nearly the same words as the description of {}",
                quoted(other.name().unwrap_or_default())
            );
            found.of(tool, tool.place(&["description"]), message);
        }
    }
}

/// The words of a text, hashed and in order: sets that are compared a million times.
fn word_set(text: &str) -> Vec<u64> {
    let hash = |word: String| {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        hasher.finish()
    };
    let set: BTreeSet<u64> = words::of_name(text).into_iter().map(hash).collect();
    set.into_iter().collect()
}

fn are_alike(one: &[u64], other: &[u64]) -> bool {
    let (fewer, more) = if one.len() < other.len() { (one, other) } else { (other, one) };
    // So few could not be alike enough even if the others had them all.
    if (fewer.len() as f64) < ALIKE * more.len() as f64 {
        return false;
    }
    let mut rest = more.iter().peekable();
    let shared = fewer.iter().filter(|word| {
        while rest.next_if(|next| next < word).is_some() {}
        rest.next_if_eq(word).is_some()
    });
    let shared = shared.count();
    shared as f64 >= ALIKE * (fewer.len() + more.len() - shared) as f64
}

fn many(server: &Server<'_>, found: &mut Found<'_>) {
    if server.tools.len() > found.limit() {
        let (count, limit, unit) = (server.tools.len(), found.limit(), found.unit());
        found.at(server.list(), format!("there are {count} {unit}; more than {limit} make choosing harder"));
    }
}
