//! Cases over HTTP, and what they expect in words.

use std::path::Path;
use std::time::Duration;

use conformance::{Case, HttpProcess, HttpReply, HttpRequest, Spec};

/// Plays a case and judges what came.
pub(super) fn run(case: &Case, program: &Path, spec: Option<&Spec>) -> Result<(), String> {
    let (script, expectation) = &case.http;
    let process = HttpProcess::start(program, None)?;
    let replies = process.play(script)?;
    expectation.check(&script.requests, &replies)?;
    for (request, reply) in script.requests.iter().zip(&replies) {
        let asked = request.message()["method"].as_str().map(str::to_owned);
        for message in reply.iter().flat_map(|reply| &reply.messages) {
            spec.map_or(Ok(()), |spec| spec.check_message(message, asked.as_deref()))?;
        }
    }
    beyond(&case.id, &replies)?;
    let Some(second) = &script.second_run else { return Ok(()) };
    let process = HttpProcess::start(program, Some(second))?;
    let first = script.requests.first().ok_or("no request to send once more")?;
    second.hosts.iter().try_for_each(|(host, status)| has_status(&process, &first.to_host(host), host, *status))
}

fn has_status(process: &HttpProcess, request: &HttpRequest, host: &str, status: u16) -> Result<(), String> {
    let came = process.send(request)?.map(|reply| reply.status);
    if came == Some(status) { Ok(()) } else { Err(format!("status {came:?} with the host {host}, not {status}")) }
}

/// What `assert` doesn't say. Every case has an arm: a new one must be read by a person.
fn beyond(id: &str, replies: &[Option<HttpReply>]) -> Result<(), String> {
    let reply = |index: usize| replies.get(index).and_then(Option::as_ref).ok_or("a reply is missing".to_owned());
    match id {
        // `assert` says it all.
        "A39" => Ok(()),
        // That the call's future is dropped is a test of the library, which can look inside.
        "A32" => in_time(reply(1)?),
        "A34" => {
            for (index, text) in [(0, "Waited 1 s."), (1, "mine"), (2, "shipped")] {
                let answer = reply(index)?.answer()?;
                if !answer.readable().contains(text) || answer.value["id"] != 1 {
                    return Err(format!("not the payload of its own request ({text}): {}", answer.text));
                }
            }
            in_time(reply(1)?).and_then(|()| in_time(reply(2)?))
        }
        "A41" => (2..=5).try_for_each(|index| {
            let reply = reply(index)?;
            if reply.body.contains("HttpOptions::allow_") { Ok(()) } else { Err(format!("no option: {}", reply.body)) }
        }),
        _ => Err("nobody has read what this case expects beyond `assert`; add an arm to over_http.rs".to_owned()),
    }
}

fn in_time(reply: &HttpReply) -> Result<(), String> {
    let took = reply.took;
    if took < Duration::from_millis(900) { Ok(()) } else { Err(format!("a quick answer took {took:?}")) }
}
