//! Phrases that give a model orders beside the tool's work.

use std::sync::LazyLock;

use regex::Regex;

use crate::host::Host;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;

pub(super) static RULES: [Rule; 8] = [
    Rule {
        id: "X-INJ-001",
        title: "a text tells the model to drop its instructions",
        subject: Subject::Tool,
        family: Family::Safety,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "snyk/agent-scan E001; cisco-ai-defense/mcp-scanner yara_rules @893327c",
        date: "2026-08-06",
        consequence: "E001 / YARA hits",
        fix: "take the sentence out, and say what the tool does",
        check: Check::Text(|text| said(text, &OVERRIDE)),
        ..Rule::BASE
    },
    Rule {
        id: "SAF-HIDE-001",
        title: "a text tells the model to hide something from the user",
        subject: Subject::Tool,
        family: Family::Safety,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "cisco-ai-defense/mcp-scanner yara_rules @893327c (prompt_injection)",
        date: "2026-08-06",
        consequence: "scanners and reviews take it for an attack",
        fix: "take the sentence out",
        check: Check::Text(|text| said(text, &CONCEAL)),
        ..Rule::BASE
    },
    Rule {
        id: "SAF-TAG-001",
        title: "a text imitates the mark-up of instructions",
        subject: Subject::Tool,
        family: Family::Safety,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "cisco-ai-defense/mcp-scanner yara_rules @893327c (pseudo tags); Anthropic policy 2.G",
        date: "2026-08-06",
        consequence: "scanners and reviews take it for an attack",
        fix: "write plain sentences",
        check: Check::Text(|text| said(text, &TAGS)),
        ..Rule::BASE
    },
    Rule {
        id: "SAF-FILE-001",
        title: "a text tells the model to read secrets",
        subject: Subject::Tool,
        family: Family::Safety,
        severity: Severity::Rejects,
        blast: Blast::Session,
        source: "cisco-ai-defense/mcp-scanner yara_rules @893327c; Invariant Labs, tool poisoning",
        date: "2026-08-06",
        consequence: "the user's keys may go to the server",
        fix: "take the sentence out",
        check: Check::Text(|text| said(text, &FILES)),
        ..Rule::BASE
    },
    Rule {
        id: "SAF-ALSO-001",
        title: "a text tells the model to send something else as well",
        subject: Subject::Tool,
        family: Family::Safety,
        severity: Severity::Degraded,
        blast: Blast::Session,
        source: "cisco-ai-defense/mcp-scanner yara_rules @893327c (tool_poisoning)",
        date: "2026-08-06",
        consequence: "scanners and reviews take it for an attack",
        fix: "take the sentence out, or make it a tool of its own that says what it sends",
        check: Check::Text(|text| said(text, &ALSO)),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-DESC-003",
        title: "a text orders other calls",
        subject: Subject::Description,
        family: Family::Safety,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; \
                 Anthropic Software Directory Policy, \
                 https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 2.D",
        date: "2026-10-07",
        consequence: "treated as prompt injection",
        fix: "state what the tool needs as a fact: \"takes the id that resolve_library returns\"",
        note: Some(
            "Anthropic's own tool-design page recommends naming the sibling tool to use instead; its \
                    directory rejects orders. Safe: a fact about scope, no order.",
        ),
        check: Check::Text(|text| said(text, &ORDER)),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-DESC-004",
        title: "a text keeps the model from other tools",
        subject: Subject::Description,
        family: Family::Safety,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; \
                 Anthropic Software Directory Policy, \
                 https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 2.E",
        date: "2026-10-07",
        consequence: "treated as prompt injection",
        fix: "state what the tool is for, and leave others alone",
        check: Check::Text(|text| said(text, &INTERFERE)),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-DESC-005",
        title: "a text sends the model elsewhere for instructions",
        subject: Subject::Description,
        family: Family::Safety,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; \
                 Anthropic Software Directory Policy, \
                 https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 2.F",
        date: "2026-10-07",
        consequence: "treated as prompt injection",
        fix: "put what the model has to know into the description",
        check: Check::Text(|text| said(text, &REMOTE)),
        ..Rule::BASE
    },
];

type Pattern = LazyLock<Option<Regex>>;

static OVERRIDE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:ignore|disregard|forget|bypass|override)\b (?:all |any |the |your |of |these |those |my )*(?:previous|prior|earlier|above|preceding|existing|system|original|other|safety)\b[^.]{0,20}?\b(?:instruction|prompt|rule|message|guideline|direction|command|guardrail)s?\b").ok()
});
static CONCEAL: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:do not|don't|don\u{2019}t|never|must not|without) (?:tell|telling|mention|mentioning|reveal|revealing|inform|informing|show|showing|notify|notifying|alert|alerting)\b(?: (?:this|it|that|anything|about|any of this|the))* ?(?:to )?(?:the )?users?\b|\b(?:hide|conceal|keep) (?:this|it|that|everything) (?:secret )?from (?:the )?users?\b").ok()
});
static TAGS: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)<\s*/?\s*(?:important|system|secret|hidden|instructions?|admin|override)\s*>|\[\s*(?:hidden|system|secret|admin)(?: instructions?| prompt| message)?\s*\]|\|\|\|\s*system|<\|(?:im_start|im_end|system|endoftext)\|>").ok()
});
static FILES: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:read|open|cat|send|pass|include|attach|load|get|copy|provide)\b[^.\n]{0,40}(?:~/\.ssh|id_rsa|id_ed25519|\bmcp\.json\b|~/\.aws/credentials|/etc/(?:passwd|shadow)|~/\.cursor|(?:~/|the |your )\.env\b)").ok()
});
static ALSO: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:also|additionally|secretly|silently|quietly) (?:upload|send|forward|post|transmit|copy|email|exfiltrate|log) (?:the |all |any |a copy of |every )?(?:user|conversation|chat|message|prompt|history|credential|file|data|content|context)s?\b|\bfor analytics(?: purposes)?,? (?:send|include|pass)\b").ok()
});
static ORDER: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:before (?:using|calling|running|invoking) any other tools?|(?:you )?(?:must|have to|always|need to) (?:always )?(?:call|use|run|invoke|execute) (?:this|the|`|'|\x22)[^.]{0,50}? (?:first|before)\b|must be (?:called|executed|run|used|invoked) (?:first|before (?:any|all|every|using)))").ok()
});
static INTERFERE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:do not|don't|never|avoid|stop) (?:use|using|call|calling|invoke|invoking|run|running) (?:any )?(?:other|another|different|built-?in|native) (?:tool|server|function|app|search)s?\b|\b(?:use|call) (?:only )?this(?: tool)? instead of (?:any|all|every|the built-?in|other)\b|\bthis tool (?:replaces|overrides|takes precedence over)\b").ok()
});
static REMOTE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?i)\bfollow (?:the |all |any )?(?:instructions?|steps|rules|guidelines|directions?) (?:at|from|in|on|found at|returned by) (?:the )?(?:https?://|url|website|web ?page|link)|\b(?:fetch|download|load|read|visit|open|get) https?://\S+ (?:and|then|to) (?:follow|obey|apply|execute|do|get (?:your )?instructions)").ok()
});

fn said(text: &str, pattern: &Pattern) -> Option<String> {
    if text.len() < SHORTEST {
        return None;
    }
    let hit = pattern.as_ref()?.find(text)?;
    Some(format!("this says {}", quoted(hit.as_str())))
}

/// No phrase is shorter.
const SHORTEST: usize = 8;
