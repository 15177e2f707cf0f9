//! Tools as a set.

use std::collections::HashSet;

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
    let sets: Vec<(&Tool<'_>, HashSet<String>)> = server
        .tools
        .iter()
        .take(MOST_COMPARED)
        .map(|tool| (tool, words::of_name(tool.description()).into_iter().collect::<HashSet<_>>()))
        .filter(|(_, words)| words.len() >= FEWEST_WORDS)
        .collect();
    for (at, (tool, words)) in sets.iter().enumerate() {
        let twin = sets[..at].iter().find(|(_, others)| {
            let (fewer, more) = if words.len() < others.len() { (words, others) } else { (others, words) };
            // So few could not be alike enough even if the others had them all.
            let possible = fewer.len() as f64 >= ALIKE * more.len() as f64;
            possible && {
                let shared = fewer.intersection(more).count();
                shared as f64 >= ALIKE * (fewer.len() + more.len() - shared) as f64
            }
        });
        if let Some((other, _)) = twin {
            let message = format!(
                "this has nearly the same words as the description of {}",
                quoted(other.name().unwrap_or_default())
            );
            found.of(tool, tool.place(&["description"]), message);
        }
    }
}

fn many(server: &Server<'_>, found: &mut Found<'_>) {
    if server.tools.len() > found.limit() {
        let (count, limit, unit) = (server.tools.len(), found.limit(), found.unit());
        found.at(server.list(), format!("there are {count} {unit}; more than {limit} make choosing harder"));
    }
}
