//! What a case expects in words and its `assert` object doesn't say.

use std::path::Path;
use std::time::Duration;

use conformance::{Id, Message, Session, Step, play};
use serde_json::Value;

use crate::rust_types::blocking_calls;

const LOG_LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Checks the rest of a case; `further` are its second and third run.
///
/// Every wire case has an arm, if only to say that nothing is left to check: a new one must be read by a person.
pub(super) fn check(id: &str, session: &Session, further: &[Session], program: &Path) -> Result<(), String> {
    let reply = |id: i64| session.reply(&Id::Int(id));
    match id {
        // `assert` says it all.
        "A11" | "A19" | "A21" | "A23" | "A24" | "A25" | "A26" | "A35" => Ok(()),
        "A08" => {
            let (absent, empty) = (reply(1)?, reply(2)?);
            must(absent.result() == empty.result(), "both results are identical")?;
            has(absent, &["missing"])
        }
        "A09" => {
            has(reply(3)?, &["/text", "string", "424242"]).and_then(|()| has(reply(4)?, &["/a", "integer", "\"2\""]))
        }
        "A10" => {
            lacks(reply(1)?, &["5.0"])?;
            lacks(reply(2)?, &["1000.0", "1e3"])?;
            has(reply(3)?, &["/a", "2.5"])
        }
        "A12" => {
            for id in [1, 2] {
                member(reply(id)?, "resultType", "complete")?;
            }
            has(reply(1)?, &["order_id", r"^A-\d{4}$"])?;
            has(reply(2)?, &["order_id", "missing"])
        }
        "A13" => has(reply(2)?, &["Echo"]),
        "A14" => lacks(reply(1)?, &["-9223372036854775808", "panicked", "backtrace", "overflow when", ".rs", "src/"]),
        "A17" => member(reply(2)?, "resultType", "complete"),
        "A20" => {
            let refused = session.messages().filter(|message| message.error_code() == Some(-32600)).count();
            must(refused == 1, "one -32600 for the line of 256 MiB")?;
            has(reply(1)?, &[&"x".repeat(1 << 20)])
        }
        "A27" => {
            let sums = [(1, "9007199254740993"), (2, "9223372036854775807"), (3, "-9223372036854775808")];
            sums.into_iter().try_for_each(|(id, digits)| {
                let structured = reply(id)?.raw_result_member("structuredContent").unwrap_or_default();
                must(structured.contains(digits), &format!("structuredContent holds {digits}"))
            })
        }
        "A28" => lacks(reply(1)?, &["no"]).and_then(|()| has(reply(2)?, &["method"])),
        "A30" => check_progress(session),
        "A31" => must(
            session.runs.iter().all(|run| run.exit.after < Duration::from_secs(1)),
            "the cancelled call's work has stopped (it must not delay the exit)",
        ),
        "A33" => check_side_by_side(session).and_then(|()| blocking_calls()),
        "A37" => check_cacheable(session),
        "A43" => check_end_of_input(session, further, program),
        "A46" => check_eras(session),
        "A47" => check_logging(session),
        _ => Err("nobody has read what this case expects beyond `assert`; add an arm to beyond.rs".to_owned()),
    }
}

fn must(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("expected: {what}")) }
}

fn has(message: &Message, parts: &[&str]) -> Result<(), String> {
    let text = message.readable();
    match parts.iter().find(|part| !text.contains(**part)) {
        Some(part) => Err(format!("the text lacks {part:?}: {text}")),
        None => Ok(()),
    }
}

fn lacks(message: &Message, parts: &[&str]) -> Result<(), String> {
    match parts.iter().find(|part| message.text.contains(**part)) {
        Some(part) => Err(format!("{part:?} must not occur in {}", message.text)),
        None => Ok(()),
    }
}

fn member(message: &Message, name: &str, wanted: &str) -> Result<(), String> {
    let came = message.result().and_then(|result| result.get(name));
    must(came.and_then(Value::as_str) == Some(wanted), &format!("`{name}` is {wanted:?}, not {came:?}"))
}

/// Both calls that gave a token were told of progress; a token of a wrong type is refused or ignored.
fn check_progress(session: &Session) -> Result<(), String> {
    for token in [Id::Int(0), Id::Text("0".to_owned())] {
        let mut told = session.messages().filter(|message| message.method() == Some("notifications/progress"));
        let about = |message: &Message| Id::read(&message.value["params"]["progressToken"]) == Some(token.clone());
        must(told.any(about), &format!("progress with the token {token}"))?;
    }
    let odd = session.reply(&Id::Int(4))?;
    must(odd.error_code() == Some(-32602) || odd.result().is_some(), "the token 1.5 is refused with -32602 or ignored")
}

/// Two quick requests overtake 32 slow calls, which take no longer together than one alone.
fn check_side_by_side(session: &Session) -> Result<(), String> {
    let slow = (1..=32).map(|id| session.reply(&Id::Int(id))).collect::<Result<Vec<_>, _>>()?;
    for quick in [100, 101] {
        let at = session.reply(&Id::Int(quick))?.at;
        must(slow.iter().all(|slow| slow.at >= at), "the quick replies come before any slow one")?;
    }
    must(slow.iter().all(|slow| slow.result().is_some() && !slow.is_error_result()), "all slow calls succeed")?;
    let first = session.sent().map(|sent| sent.at).min().ok_or("nothing was sent")?;
    let last = slow.iter().map(|slow| slow.at).max().ok_or("no slow call")?;
    let took = last.saturating_duration_since(first);
    let about_three = Duration::from_millis(2_900)..Duration::from_millis(4_500);
    must(about_three.contains(&took), &format!("32 calls of 3 s take about 3 s in total, not {took:.1?}"))
}

fn check_cacheable(session: &Session) -> Result<(), String> {
    for id in [1, 2] {
        let reply = session.reply(&Id::Int(id))?;
        member(reply, "resultType", "complete")?;
        let result = reply.result().ok_or("no result")?;
        must(result["ttlMs"].as_u64().is_some(), "ttlMs is an integer, 0 or more")?;
        must(matches!(result["cacheScope"].as_str(), Some("public" | "private")), "cacheScope is public or private")?;
    }
    member(session.reply(&Id::Int(3))?, "resultType", "complete")?;
    let versions = session.reply(&Id::Int(1))?.value["result"]["supportedVersions"].clone();
    must(names_version(&versions, "2026-07-28"), "supportedVersions lists 2026-07-28")?;
    must(session.reply(&Id::Int(2))?.value["result"].get("nextCursor").is_none(), "no nextCursor on the last page")
}

fn names_version(list: &Value, version: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|item| item == version))
}

fn check_end_of_input(first: &Session, further: &[Session], program: &Path) -> Result<(), String> {
    let [second, third] = further else { return Err("expected: a second and a third run".to_owned()) };
    for (name, session, most) in [("first", first, 2), ("second", second, 5), ("third", third, 2)] {
        for run in &session.runs {
            let after = run.exit.after;
            must(after <= Duration::from_secs(most), &format!("the {name} run ends within {most} s, not {after:.1?}"))?;
            let busy = run.exit.busy.unwrap_or_default();
            must(
                busy < Duration::from_millis(500),
                &format!("no busy loop ({busy:.1?} of processor time at the end)"),
            )?;
        }
    }
    must(
        second.messages().all(|message| message.result().is_none()),
        "the call of 3,600 s is cancelled, not completed",
    )?;
    must(third.messages().count() == 0, "nothing in, nothing out")?;

    let Some(sent) = first.sent().next() else { return Err("the first run sent nothing".to_owned()) };
    let unfinished = Step::Write(sent.request.to_string().into_bytes());
    let session = play(program, &[unfinished, Step::CloseStdin], &[])?;
    session.check()?;
    session.reply(&sent.id).map_err(|error| format!("a last line without newline: {error}")).map(|_| ())
}

fn check_eras(session: &Session) -> Result<(), String> {
    let reply = |id: i64| session.reply(&Id::Int(id));
    let bare = reply(1)?;
    must(bare.error_code().is_some(), "a request without _meta is refused")?;
    if !bare.readable().contains("initialize") {
        must(bare.error_code() == Some(-32602), "a request without _meta is refused with -32602")?;
        has(bare, &["io.modelcontextprotocol/protocolVersion"])?;
    }
    has(reply(2)?, &["clientCapabilities"])?;
    let data = &reply(3)?.value["error"]["data"];
    must(names_version(&data["supported"], "2026-07-28"), "data.supported lists 2026-07-28")?;
    must(data["requested"] == "1900-01-01", "data.requested is what was asked")?;
    let legacy = reply(5)?;
    match legacy.result() {
        Some(result) => must(
            result["protocolVersion"].as_str().is_some_and(|version| version != "2026-07-28"),
            "a legacy handshake never answers 2026-07-28",
        ),
        None => must(legacy.text.contains("2026-07-28"), "the error names the supported versions"),
    }
}

/// Log messages are for the call that asked for warnings: so severe, and before its result.
fn check_logging(session: &Session) -> Result<(), String> {
    let done = session.reply(&Id::Int(2))?.at;
    for message in session.messages().filter(|message| message.method() == Some("notifications/message")) {
        let level = message.value["params"]["level"].as_str().unwrap_or_default();
        let severity = LOG_LEVELS.iter().position(|known| *known == level);
        must(severity >= Some(3), &format!("warnings and above only, not {level:?}"))?;
        must(message.at <= done, "no log message after the result")?;
    }
    Ok(())
}
