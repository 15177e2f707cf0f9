//! The rules of progress notifications.

use serde_json::Value;

use crate::{Id, Session};

/// Progress carries exactly a token that was given, rises strictly per token, and ends before the result of its call.
pub(super) fn check(session: &Session) -> Result<(), String> {
    for run in &session.runs {
        let mut last: Vec<(Id, f64)> = Vec::new();
        for (at, message) in run.messages.iter().enumerate() {
            if message.method() != Some("notifications/progress") {
                continue;
            }
            let params = &message.value["params"];
            let token = Id::read(&params["progressToken"]).ok_or("progress without a token")?;
            let progress = params["progress"].as_f64().ok_or("progress without a number")?;
            let given = |request: &Value| request.pointer("/params/_meta/progressToken").and_then(Id::read);
            let asked = run
                .sent
                .iter()
                .find(|sent| given(&sent.request).as_ref() == Some(&token))
                .ok_or_else(|| format!("progress with the token {token}, which nobody gave"))?;
            let mut before = run.messages[..at].iter();
            if before.any(|earlier| earlier.is_response() && earlier.id() == asked.id) {
                return Err(format!("progress with the token {token} after the result"));
            }
            match last.iter_mut().find(|(seen, _)| *seen == token) {
                Some((_, value)) if progress > *value => *value = progress,
                Some((_, value)) => return Err(format!("progress of {token} went from {value} to {progress}")),
                None => last.push((token, progress)),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::expectation::tests::{judge, session};

    fn progress(token: Value, progress: f64) -> Value {
        json!({"method": "notifications/progress", "params": {"progressToken": token, "progress": progress}})
    }

    fn outcome(answers: &[Value]) -> Result<(), String> {
        let request = |id: i64, token: Value| json!({"id": id, "params": {"_meta": {"progressToken": token}}});
        let requests = [request(1, json!(0)), request(2, json!("0"))];
        judge(json!({"progress_rules": true}), &session(&requests, answers))
    }

    #[test]
    fn the_rules_hold_per_token() {
        let done = json!({"id": 1, "result": {}});
        let answers = [
            progress(json!(0), 1.0),
            progress(json!("0"), 1.0),
            progress(json!(0), 1.5),
            done.clone(),
            progress(json!("0"), 2.0),
        ];
        assert_eq!(outcome(&answers), Ok(()));
        assert!(outcome(&[progress(json!(0), 1.0), progress(json!(0), 1.0)]).is_err());
        assert!(outcome(&[done, progress(json!(0), 1.0)]).is_err());
        assert!(outcome(&[progress(json!("1"), 1.0)]).is_err());
        assert!(outcome(&[progress(json!(null), 1.0)]).is_err());
    }
}
