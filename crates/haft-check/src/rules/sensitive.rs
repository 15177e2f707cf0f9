//! Arguments that ask for what a model should not have.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "OAI-IN-001",
    title: "an argument asks for sensitive data",
    subject: Subject::Input,
    hosts: &[Host::Chatgpt, Host::Portable],
    severity: Severity::Degraded,
    source: "openai/plugins plugins/openai-developers/skills/chatgpt-app-submission/SKILL.md @43313cc",
    date: "2026-06-16",
    consequence: "review finding",
    fix: "take it by OAuth, by elicitation in URL mode, or in the server's configuration",
    check: Check::Tool(check),
    ..Rule::BASE
}];

const PERSONAL: [&[&str]; 12] = [
    &["ssn"],
    &["social", "security"],
    &["card", "number"],
    &["credit", "card"],
    &["cvv"],
    &["cvc"],
    &["passport"],
    &["mfa"],
    &["otp"],
    &["biometric"],
    &["fingerprint"],
    &["iban"],
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.properties() {
        let words = words::of_name(name);
        let has = |wanted: &&&str| words.iter().any(|word| word == **wanted);
        let personal = PERSONAL.iter().any(|wanted| wanted.iter().all(|it| has(&it)));
        // A fingerprint of bytes, or a flag such as `password_protected`, is nobody's secret.
        let harmless = sub.is("boolean")
            || words
                .iter()
                .any(|word| matches!(word.as_str(), "sha256" | "hash" | "key" | "issue") && !words::is_secret(name));
        if (personal || words::is_secret(name)) && !harmless {
            found.at(tool.at(sub.node), format!("{} asks for sensitive data", quoted(name)));
        }
    }
}
