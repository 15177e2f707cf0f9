//! What a toolbox renders for each API, held against what that API refuses.

use std::collections::BTreeSet;

use haft::{Api, Toolbox};
use serde_json::Value;

use crate::host_rules::{Fault, faults};

/// The APIs that tools are rendered for.
pub const APIS: [Api; 4] = [Api::Anthropic, Api::OpenAiResponses, Api::OpenAiChat, Api::Gemini];

/// What came of a toolbox's tools at one API.
#[derive(Debug)]
pub struct Judged {
    /// The API.
    pub api: Api,
    /// The names of the tools that were rendered.
    pub tools: Vec<String>,
    /// How many of them are strict.
    pub strict: usize,
    /// The tools that were left out, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// The tools that have less than they had, each with the reason.
    pub reduced: Vec<(String, String)>,
    /// What the API would refuse.
    pub faults: Vec<Fault>,
    /// Tools that are neither rendered nor left out, or both.
    pub lost: BTreeSet<String>,
}

/// Renders all tools for each API and judges what came.
pub fn judge(toolbox: &Toolbox) -> Vec<Judged> {
    let all: BTreeSet<String> = toolbox.tools().into_iter().map(|tool| tool.name).collect();
    APIS.into_iter()
        .map(|api| {
            let rendered = toolbox.render(api);
            let inner = |tool: &'_ Value| tool.get("function").unwrap_or(tool).clone();
            let functions: Vec<Value> = rendered.tools.iter().map(inner).collect();
            let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
            let tools: Vec<String> = functions.iter().map(name).collect();
            let left_out: Vec<_> = rendered.left_out.into_iter().map(|note| (note.name, note.reason)).collect();
            let offered: BTreeSet<String> = tools.iter().cloned().collect();
            let withheld: BTreeSet<String> = left_out.iter().map(|(name, _)| name.clone()).collect();
            let accounted = &offered ^ &withheld;
            Judged {
                api,
                strict: functions.iter().filter(|tool| tool["strict"] == true).count(),
                tools,
                left_out,
                reduced: rendered.reduced.into_iter().map(|note| (note.name, note.reason)).collect(),
                faults: faults(api, &rendered.tools),
                lost: &all ^ &accounted,
            }
        })
        .collect()
}
