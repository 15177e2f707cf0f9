//! Calls the depots of `conformance/servers` in the ways that the command line has no words for.
//!
//! `conformance-caller ERA URL|COMMAND…` prints as JSON which revision is spoken (`ERA` is `auto`, `modern` or `legacy`),
//! what progress came of `count`, and what `confirm` asked and answered.

#![expect(clippy::print_stdout, reason = "what was seen is what this program is for")]

use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use haft::{CallOptions, Client, Elicited, Era};
use serde_json::{Value, json};

/// How long a server has for each answer, and to exit.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(era), Some(target)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: conformance-caller auto|modern|legacy URL|COMMAND…");
        return ExitCode::from(2);
    };
    match play(&era, target, arguments.collect()).await {
        Ok(seen) => {
            println!("{seen}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("conformance-caller: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn play(era: &str, target: String, arguments: Vec<String>) -> Result<Value, Box<dyn std::error::Error>> {
    let era = match era {
        "modern" => Era::Modern,
        "legacy" => Era::Legacy,
        _ => Era::Auto,
    };
    let asked = Arc::new(Mutex::new(Value::Null));
    let keep = asked.clone();
    let builder = Client::builder().timeout(PATIENCE).era(era).on_elicitation(move |question| {
        let fields: Vec<&String> = question.fields().iter().map(|(name, _)| name).collect();
        *keep.lock().unwrap_or_else(PoisonError::into_inner) = json!({"message": question.message, "fields": fields});
        let content = [("sure".to_owned(), json!(true)), ("name".to_owned(), json!("Åsa"))];
        async move { Elicited::Accept(content.into_iter().collect()) }
    });
    let client = if target.starts_with("http") {
        builder.open(target)?
    } else {
        let mut command = Command::new(target);
        command.args(arguments);
        builder.open(command)?
    };

    let progress = Arc::new(Mutex::new(Vec::new()));
    let keep = progress.clone();
    let options = CallOptions::default().on_progress(move |told| {
        let told = json!([told.progress, told.total, told.message]);
        keep.lock().unwrap_or_else(PoisonError::into_inner).push(told);
    });
    let counted = client.call_with("count", json!({"to": 3}), options).await?.result.text();
    let confirmed = client.call("confirm", json!({"what": "the ship"})).await?.result.text();
    let version = client.server().await?.version.clone();
    client.close(PATIENCE).await?;
    let (progress, asked) = (taken(&progress), taken(&asked));
    Ok(json!({"version": version, "progress": progress, "counted": counted, "asked": asked, "confirmed": confirmed}))
}

fn taken<T: Default>(cell: &Mutex<T>) -> T {
    std::mem::take(&mut *cell.lock().unwrap_or_else(PoisonError::into_inner))
}
