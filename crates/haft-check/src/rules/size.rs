//! Schemas of a size that can be validated.

use crate::finding::Found;
use crate::json::{Node, Value};
use crate::limits;
use crate::limits::SCHEMA_SUBSCHEMAS;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "SPEC-IN-004",
        title: "the schema is too deep or too large to be validated",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Advice,
        source: limits::SCHEMA_LEVELS.source,
        date: limits::SCHEMA_LEVELS.date,
        limit: Some(&limits::SCHEMA_LEVELS),
        consequence: "client may refuse a deep schema",
        fix: "flatten the arguments, or split the tool",
        note: Some(
            "Known numbers elsewhere: OpenAI Agents SDK depth 100 / 100,000 nodes; OpenAI strict mode 10 \
                    levels.",
        ),
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "SAF-SIZE-001",
        title: "part of the definition is too deep or too large to be looked at",
        subject: Subject::Tool,
        family: Family::Safety,
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Derived,
        source: "the bounds of this checker: 200 levels, 1,000,000 values, 64 KiB of one text",
        date: "2026-11-30",
        consequence: "nobody can say what it holds, and parsers give up over it",
        fix: "make the definition smaller",
        check: Check::Tool(unread),
        ..Rule::BASE
    },
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    for schema in tool.schemas() {
        let deepest = schema.subs.iter().max_by_key(|sub| sub.depth);
        if let Some(sub) = deepest.filter(|sub| sub.depth > found.limit()) {
            found.at(tool.at(sub.node), format!("this subschema is {} levels below the root", sub.depth));
        }
        // Without an end is another rule's.
        if let Some(count) = schema.expanded().filter(|&count| count > SCHEMA_SUBSCHEMAS.value) {
            let (limit, unit) = (SCHEMA_SUBSCHEMAS.value, SCHEMA_SUBSCHEMAS.unit);
            let count = if count > 1_000_000_000 { "more than a billion".to_owned() } else { count.to_string() };
            found.at(
                tool.at(schema.root),
                format!("with its references followed, the schema has {count} {unit}; {limit} are plenty"),
            );
        }
    }
}

fn unread(tool: &Tool<'_>, found: &mut Found<'_>) {
    visit(tool.node, &mut |node| match &node.value {
        Value::Unread => found.at(tool.at(node), "what stands here is too deep or too much to be looked at"),
        Value::String(text) if text.bytes > text.kept.len() => {
            found.at(
                tool.at(node),
                format!("this text has {} bytes; only the first {} were looked at", text.bytes, text.kept.len()),
            );
        }
        _ => {}
    });
}

fn visit(node: &Node, see: &mut impl FnMut(&Node)) {
    see(node);
    node.items().iter().for_each(|item| visit(item, see));
    node.members().iter().for_each(|member| visit(&member.node, see));
}
