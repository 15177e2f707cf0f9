//! What happens in a simulated call: decided by the number, and by a seed for those that nothing is agreed on.

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::Order;
use crate::call::{Event, Line, Outcome, Speaker};

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Talks,
    Busy,
    NoAnswer,
    Declines,
    Unreachable,
    Voicemail,
    HangsUp,
    /// The line breaks in the middle.
    Breaks,
    TalksWithoutEnd,
    OptsOut,
    /// The provider doesn't take the call.
    NotTaken,
    /// The assistant doesn't say that it is one.
    Sly,
    /// Nothing is told: somebody else does that, by webhook.
    Silent,
    /// Everything is told twice.
    Stutters,
}

/// How a call goes: what happens, and how long after what happened before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plot {
    pub(super) kind: Kind,
    pub(super) acts: Vec<(Duration, Event)>,
}

/// By the last two digits of a number that is reserved for fiction, such as +1 212 555 0102.
const BY_NUMBER: &[(&str, Kind)] = &[
    ("01", Kind::Busy),
    ("02", Kind::NoAnswer),
    ("03", Kind::Declines),
    ("04", Kind::Unreachable),
    ("05", Kind::Voicemail),
    ("06", Kind::HangsUp),
    ("07", Kind::Breaks),
    ("08", Kind::TalksWithoutEnd),
    ("09", Kind::OptsOut),
    ("10", Kind::NotTaken),
    ("11", Kind::Sly),
    ("12", Kind::Silent),
    ("13", Kind::Stutters),
];

/// Of a hundred calls to other numbers.
const BY_CHANCE: &[(u8, Kind)] = &[
    (60, Kind::Talks),
    (75, Kind::NoAnswer),
    (85, Kind::Voicemail),
    (93, Kind::Busy),
    (97, Kind::Declines),
    (99, Kind::HangsUp),
    (100, Kind::Breaks),
];

impl Plot {
    /// The same for the same order and seed.
    pub(super) fn of(order: &Order, seed: u64) -> Self {
        let mut dice = Dice::new(order, seed);
        let kind = kind(order, &mut dice);
        let acts = Acts { order, dice, acts: Vec::new() }.of(kind);
        Self { kind, acts }
    }
}

fn kind(order: &Order, dice: &mut Dice) -> Kind {
    let digits = order.to.digits();
    let fiction = digits.len() == 11 && digits.starts_with('1') && &digits[4..9] == "55501";
    if fiction {
        let known = BY_NUMBER.iter().find(|(end, _)| digits.ends_with(end));
        return known.map_or(Kind::Talks, |(_, kind)| *kind);
    }
    let drawn = u8::try_from(dice.below(100)).unwrap_or_default();
    BY_CHANCE.iter().find(|(below, _)| drawn < *below).map_or(Kind::Talks, |(_, kind)| *kind)
}

struct Acts<'a> {
    order: &'a Order,
    dice: Dice,
    acts: Vec<(Duration, Event)>,
}

impl Acts<'_> {
    fn of(mut self, kind: Kind) -> Vec<(Duration, Event)> {
        match kind {
            Kind::Silent | Kind::NotTaken => {}
            Kind::Unreachable => self.end(500, Outcome::Unreachable),
            Kind::Busy => self.end(2_000, Outcome::Busy),
            Kind::NoAnswer => {
                self.after(1_500, Event::Ringing);
                self.end(30_000, Outcome::NoAnswer);
            }
            Kind::Declines => {
                self.after(1_500, Event::Ringing);
                self.end(4_000, Outcome::Declined);
            }
            Kind::Voicemail => {
                self.answered();
                self.says(Speaker::Callee, "You have reached a voicemail box. Please leave a message after the tone.");
                self.opens();
                self.says(Speaker::Assistant, "Please call back when you hear this. Goodbye.");
                self.end(1_000, Outcome::Voicemail);
            }
            Kind::Talks | Kind::Stutters => {
                self.begins();
                self.says(Speaker::Callee, "Yes, we can do that.");
                self.says(Speaker::Assistant, "Thank you very much. Goodbye.");
                self.end(1_000, Outcome::Completed);
            }
            Kind::HangsUp => {
                self.begins();
                self.says(Speaker::Callee, "I have no time for this.");
                self.end(500, Outcome::HungUp);
            }
            Kind::Breaks => {
                self.begins();
                self.end(700, Outcome::Failed);
            }
            Kind::TalksWithoutEnd => {
                self.begins();
                // More than ten minutes of it: it is cut off.
                for _ in 0..200 {
                    self.says(Speaker::Callee, "And another thing.");
                }
                self.end(1_000, Outcome::Completed);
            }
            Kind::OptsOut => {
                self.begins();
                self.says(Speaker::Callee, "Please don't call this number ever again.");
                self.says(Speaker::Assistant, "I am sorry. You won't be called again. Goodbye.");
                self.end(500, Outcome::OptedOut);
            }
            Kind::Sly => {
                self.answered();
                self.says(Speaker::Callee, "Hello?");
                self.says(Speaker::Assistant, "Hi, it's Bob!");
                self.says(Speaker::Callee, "Bob?");
                self.end(500, Outcome::Completed);
            }
        }
        self.acts
    }

    fn begins(&mut self) {
        self.answered();
        self.says(Speaker::Callee, "Hello?");
        self.opens();
        let objective = format!("I am calling for this: {}", self.order.objective);
        self.says(Speaker::Assistant, &objective);
    }

    fn answered(&mut self) {
        self.after(1_500, Event::Ringing);
        let rings = 3_000 + self.dice.below(6_000);
        self.after(rings, Event::Answered);
    }

    fn opens(&mut self) {
        let opening = self.order.opening.clone();
        self.says(Speaker::Assistant, &opening);
    }

    fn says(&mut self, speaker: Speaker, text: &str) {
        let pause = 2_000 + self.dice.below(3_000);
        self.after(pause, Event::Said(Line { speaker, text: text.to_owned() }));
    }

    fn end(&mut self, millis: u64, outcome: Outcome) {
        self.after(millis, Event::Ended { outcome });
    }

    fn after(&mut self, millis: u64, event: Event) {
        self.acts.push((Duration::from_millis(millis), event));
    }
}

/// Numbers that look drawn, and are the same for the same seed and telephone number.
struct Dice {
    hash: Sha256,
    throws: u64,
}

impl Dice {
    fn new(order: &Order, seed: u64) -> Self {
        let hash = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(order.to.as_str());
        Self { hash, throws: 0 }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.throws += 1;
        let drawn = self.hash.clone().chain_update(self.throws.to_be_bytes()).finalize();
        drawn.iter().take(7).fold(0, |number, byte| number << 8 | u64::from(*byte)) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::PhoneNumber;

    fn plot(to: &str, seed: u64) -> Plot {
        let order = Order {
            call_id: "call_1".into(),
            to: PhoneNumber::parse(to).expect("a number"),
            opening: "I am a machine.".into(),
            objective: "Ask when they open.".into(),
            longest: Duration::from_secs(60),
        };
        Plot::of(&order, seed)
    }

    #[test]
    fn numbers_of_fiction_have_their_fates() {
        for (end, kind) in BY_NUMBER {
            let plot = plot(&format!("+121255501{end}"), 7);
            assert_eq!(plot.kind, *kind);
            let ends = plot.acts.iter().filter(|(_, event)| matches!(event, Event::Ended { .. })).count();
            assert_eq!(ends, usize::from(!matches!(kind, Kind::Silent | Kind::NotTaken)), "{end}");
        }
        assert_eq!(plot("+12125550100", 7).kind, Kind::Talks);
    }

    #[test]
    fn other_numbers_are_drawn_once_and_for_all() {
        let kinds: Vec<_> = (0..200).map(|number| plot(&format!("+49301234{number:03}"), 1).kind).collect();
        let again: Vec<_> = (0..200).map(|number| plot(&format!("+49301234{number:03}"), 1).kind).collect();
        let other: Vec<_> = (0..200).map(|number| plot(&format!("+49301234{number:03}"), 2).kind).collect();
        assert_eq!(kinds, again);
        assert_ne!(kinds, other);
        let talks = kinds.iter().filter(|kind| **kind == Kind::Talks).count();
        assert!((90..150).contains(&talks), "{talks} of 200");
    }
}
