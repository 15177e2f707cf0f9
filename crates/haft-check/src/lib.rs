//! What every AI host will do with a server's tools: rejects them, cuts them, misreads them; why anybody believes so; and
//! what to write instead.
//!
//! | | |
//! |---|---|
//! | [`ServerFacts`] | what was observed: definitions as they were sent, broken ones included |
//! | [`Options`] | the hosts to check for, rules to leave out |
//! | [`Exchange`] | what went over the wire when a server was probed; with the feature `probe`, `Prober` does so |
//! | [`check`] | facts to a [`Report`] of [`Finding`]s |
//! | [`rules`] | every [`Rule`], with its source |
//! | [`Report`] | as text, JSON, SARIF, Markdown and JUnit |
//! | [`diff`](diff()) | definitions then and now: what breaks whom; [`contract_hash`] |
//! | [`assert_portable`] | all of it in one line of a test |
//!
//! ```
//! use haft_check::{Host, Options, ServerFacts, Severity, check};
//!
//! let definitions = r#"{"tools": [{"name": "search.orders", "inputSchema": {"type": "string"}}]}"#;
//! let facts = ServerFacts::from_definitions("tools.json", definitions).expect("a list of tools");
//! let report = check(&facts, &Options::default().hosts([Host::ClaudeApp, Host::Vscode]));
//!
//! assert!(report.fails(Severity::Rejects));
//! assert!(report.findings.iter().any(|finding| finding.rule.id == "SPEC-IN-001" && finding.pointer == "/inputSchema/type"));
//! ```
//!
//! # What it promises
//!
//! - Findings come from the parsed definition and its places, never from the text of an error.
//! - The same facts give the same report, byte for byte.
//! - Time and memory are bounded by the size of the input, however hostile; what is too deep or too long to be looked at is
//!   a finding itself.
//! - Nothing is fetched, but by a `Prober`, and no foreign text in a report can steer a terminal.

mod age;
mod allowance;
mod assert;
mod baseline;
mod check;
mod diff;
mod exchange;
mod facts;
mod finding;
mod host;
mod json;
mod limits;
mod observed;
mod options;
#[cfg(feature = "probe")]
mod probe;
mod render;
mod report;
mod rule;
mod rules;
mod say;
mod schema;
mod server;
mod tool;
mod words;

pub use allowance::Allowance;
pub use assert::assert_portable;
pub use baseline::{Baseline, BaselineError};
pub use check::check;
pub use diff::{Change, Diff, Impact, contract_hash, diff};
pub use exchange::{End, Exchange, HttpRequest, HttpResponse, Probe, Spoken};
pub use facts::{FactsError, ServerFacts};
pub use finding::Finding;
pub use host::Host;
pub use options::Options;
#[cfg(feature = "probe")]
pub use probe::{ProbeError, Prober};
pub use render::pages;
pub use report::{Report, Verdict};
pub use rule::{Blast, Confidence, Family, Rule, Severity, Subject};
pub use rules::{all as rules, by_id as rule};
pub use say::{printable, printable_json, printable_line};
