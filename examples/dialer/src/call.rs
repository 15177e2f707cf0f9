//! What is known of one call, and what may become of it. No clock, no store, no network: events in, the next state out.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::PhoneNumber;

/// How far a call is. Only ever the next, or a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Written down, and on its way to the telephone network
    Dialing,
    /// The telephone rings
    Ringing,
    /// Somebody, or a machine, has answered
    InProgress,
    /// Over: resolution.outcome says how it went
    Ended,
}

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The call isn't over
    Pending,
    /// There was a conversation, and it came to its end
    Completed,
    /// A machine answered, and a message was left
    Voicemail,
    /// Nobody answered
    NoAnswer,
    /// The line was busy
    Busy,
    /// The call was turned down
    Declined,
    /// The number is not in use
    Unreachable,
    /// The other side hung up before the end of the conversation
    HungUp,
    /// They asked never to be called again, and won't be
    OptedOut,
    /// The longest duration was over
    TimeLimit,
    /// It was ended from this side: by end_call, or by cancelling its task
    Canceled,
    /// The telephone network failed
    Failed,
    /// The server that led the call died, and nobody knows what was said since
    Interrupted,
}

impl Outcome {
    /// One sentence for whoever reads the result, with what to do next.
    pub(crate) fn summary(self) -> &'static str {
        match self {
            Self::Pending => "The call isn't over.",
            Self::Completed => "The conversation came to its end. The transcript says what was agreed.",
            Self::Voicemail => "A machine answered, and a message was left.",
            Self::NoAnswer => "Nobody answered. Try again later, if the user wants that.",
            Self::Busy => "The line was busy. Try again in some minutes.",
            Self::Declined => "The call was turned down. Ask the user before trying again.",
            Self::Unreachable => "The number is not in use. Ask the user to check it.",
            Self::HungUp => "The other side hung up before the end. Ask the user before trying again.",
            Self::OptedOut => "They asked never to be called again: this server won't. Tell the user.",
            Self::TimeLimit => "The call was cut off at its longest duration. The transcript says how far it came.",
            Self::Canceled => "The call was ended from this side, before it was over.",
            Self::Failed => "The telephone network failed. Place the call again, if it is still needed.",
            Self::Interrupted => {
                "The server that led the call died in the middle of it. Read the transcript before placing it again: \
                 somebody may have answered."
            }
        }
    }
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Speaker {
    /// The automated assistant
    Assistant,
    /// Whoever was called
    Callee,
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Line {
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
}

/// What a telephony provider tells of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event {
    Ringing,
    Answered,
    Said(Line),
    Ended { outcome: Outcome },
}

/// What somebody wants to have said to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) to: PhoneNumber,
    pub(crate) objective: String,
    pub(crate) max_minutes: u8,
}

/// A call, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) to: PhoneNumber,
    pub(crate) objective: String,
    pub(crate) max_minutes: u8,
    /// What the assistant says first, whoever wants what.
    pub(crate) disclosure: String,
    /// Which process leads it: see `workers.rs`.
    pub(crate) led_by: String,
    pub(crate) status: Status,
    pub(crate) outcome: Outcome,
    pub(crate) placed_at: Timestamp,
    pub(crate) answered_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) transcript: Vec<Line>,
    /// The number of the provider's last event that counted.
    pub(crate) heard: u64,
}

/// What an event meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It was known, or came too late for a call that goes on.
    Nothing,
    /// The call is in another state now.
    News,
    /// The call is over, as far as this side is concerned: the provider has to hang up.
    HangUp,
}

/// How much longer than its longest duration a call may take before it is given up, in seconds.
const SPARE: i64 = 180;
/// The most lines of a transcript that are kept.
const MOST_LINES: usize = 500;
/// The most of one line, in characters.
const LONGEST_LINE: usize = 1_000;

impl Call {
    /// A call that is about to be dialed.
    pub(crate) fn new(wanted: &Wanted, disclosure: String, led_by: &str, now: Timestamp) -> Self {
        Self {
            to: wanted.to.clone(),
            objective: wanted.objective.clone(),
            max_minutes: wanted.max_minutes,
            disclosure,
            led_by: led_by.to_owned(),
            status: Status::Dialing,
            outcome: Outcome::Pending,
            placed_at: now,
            answered_at: None,
            ended_at: None,
            transcript: Vec::new(),
            heard: 0,
        }
    }

    /// Whether it is what somebody wants.
    pub(crate) fn is_for(&self, wanted: &Wanted) -> bool {
        (&self.to, &self.objective, self.max_minutes) == (&wanted.to, &wanted.objective, wanted.max_minutes)
    }

    /// Whether it should have been over for long: the longest duration, and time to ring and to be told, have gone by.
    pub(crate) fn is_overdue(&self, now: Timestamp) -> bool {
        let longest = 60 * i64::from(self.max_minutes) + SPARE;
        !self.is_over() && now.duration_since(self.placed_at).as_secs() > longest
    }

    pub(crate) fn is_over(&self) -> bool {
        self.status == Status::Ended
    }

    /// Takes what the provider tells. Events are numbered from 1; one that was heard before, or is older than one that was
    /// heard, counts for nothing, so that a provider may send each as often as it likes.
    pub(crate) fn hear(&mut self, number: u64, event: Event, now: Timestamp) -> Heard {
        if self.is_over() {
            return Heard::HangUp;
        }
        if number <= self.heard {
            return Heard::Nothing;
        }
        self.heard = number;
        match event {
            Event::Ringing => self.status = self.status.max(Status::Ringing),
            Event::Answered => {
                self.status = Status::InProgress;
                self.answered_at.get_or_insert(now);
            }
            Event::Said(line) => return self.hear_said(line, now),
            Event::Ended { outcome } => {
                // An end is an end, whatever a provider calls it.
                self.end(if outcome == Outcome::Pending { Outcome::Failed } else { outcome }, now);
            }
        }
        Heard::News
    }

    fn hear_said(&mut self, mut line: Line, now: Timestamp) -> Heard {
        self.status = Status::InProgress;
        self.answered_at.get_or_insert(now);
        let opens = self.transcript.iter().all(|line| line.speaker == Speaker::Callee);
        if opens && line.speaker == Speaker::Assistant && line.text != self.disclosure {
            // Nobody talks to a machine that doesn't say so.
            self.end(Outcome::Failed, now);
            return Heard::HangUp;
        }
        if let Some((end, _)) = line.text.char_indices().nth(LONGEST_LINE) {
            line.text.truncate(end);
        }
        if self.transcript.len() < MOST_LINES {
            self.transcript.push(line);
        }
        Heard::News
    }

    /// Ends it, unless it is over.
    pub(crate) fn end(&mut self, outcome: Outcome, now: Timestamp) {
        if !self.is_over() {
            self.status = Status::Ended;
            self.outcome = outcome;
            self.ended_at = Some(now);
        }
    }

    /// How far it is, in words: the call is …
    pub(crate) fn state(&self) -> &'static str {
        match self.status {
            Status::Dialing => "being dialed",
            Status::Ringing => "ringing",
            Status::InProgress => "in progress",
            Status::Ended => "over",
        }
    }

    /// For how long there was somebody on the line, in whole seconds.
    pub(crate) fn talk_seconds(&self) -> Option<u64> {
        let (answered, ended) = (self.answered_at?, self.ended_at?);
        u64::try_from(ended.duration_since(answered).as_secs()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        let to = PhoneNumber::parse("+12125550100").expect("a number");
        let wanted = Wanted { to, objective: "Ask when they open.".into(), max_minutes: 3 };
        Call::new(&wanted, "I am a machine.".into(), "worker", Timestamp::UNIX_EPOCH)
    }

    fn said(speaker: Speaker, text: &str) -> Event {
        Event::Said(Line { speaker, text: text.into() })
    }

    #[test]
    fn a_call_goes_forward_only() {
        let (mut call, now) = (call(), Timestamp::UNIX_EPOCH);
        assert_eq!(call.hear(1, Event::Ringing, now), Heard::News);
        assert_eq!(call.hear(1, Event::Ringing, now), Heard::Nothing, "told twice");
        assert_eq!(call.hear(3, Event::Answered, now), Heard::News);
        assert_eq!(call.hear(2, Event::Ringing, now), Heard::Nothing, "told late");
        assert_eq!(call.hear(4, Event::Ringing, now), Heard::News);
        assert_eq!(call.status, Status::InProgress);
        assert_eq!(call.hear(5, Event::Ended { outcome: Outcome::Completed }, now), Heard::News);
        assert_eq!(call.hear(6, said(Speaker::Callee, "Hello?"), now), Heard::HangUp);
        assert_eq!((call.outcome, call.transcript.len()), (Outcome::Completed, 0));
        call.end(Outcome::Interrupted, now);
        assert_eq!(call.outcome, Outcome::Completed, "the first end counts");
    }

    #[test]
    fn who_does_not_say_that_it_is_a_machine_is_cut_off() {
        let now = Timestamp::UNIX_EPOCH;
        let mut honest = call();
        assert_eq!(honest.hear(1, said(Speaker::Callee, "Hello?"), now), Heard::News);
        assert_eq!(honest.hear(2, said(Speaker::Assistant, "I am a machine."), now), Heard::News);
        assert_eq!(honest.hear(3, said(Speaker::Assistant, "When do you open?"), now), Heard::News);
        let mut sly = call();
        assert_eq!(sly.hear(1, said(Speaker::Callee, "Hello?"), now), Heard::News);
        assert_eq!(sly.hear(2, said(Speaker::Assistant, "It's Bob."), now), Heard::HangUp);
        assert_eq!((sly.status, sly.outcome, sly.transcript.len()), (Status::Ended, Outcome::Failed, 1));
    }

    #[test]
    fn a_provider_that_talks_without_end_fills_nothing() {
        let (mut call, now) = (call(), Timestamp::UNIX_EPOCH);
        for number in 1..2_000 {
            let _ = call.hear(number, said(Speaker::Callee, &"ä".repeat(5_000)), now);
        }
        assert_eq!(call.transcript.len(), MOST_LINES);
        assert!(call.transcript.iter().all(|line| line.text.chars().count() == LONGEST_LINE));
    }
}
