//! What a project puts up with: `haft.toml`, or `[package.metadata.haft]` of `Cargo.toml`, in the current directory.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, bail};
use haft_check::Allowance;
use serde::Deserialize;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    allow: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    rule: String,
    tool: Option<String>,
    reason: String,
    until: toml::Value,
}

/// Of a manifest, only what is haft's.
#[derive(Deserialize)]
struct Manifest {
    package: Option<Package>,
}

#[derive(Deserialize)]
struct Package {
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    haft: Option<File>,
}

/// The allowances that hold, and a line for each that has expired.
pub(crate) fn read() -> anyhow::Result<(Vec<Allowance>, Vec<String>)> {
    let now = SystemTime::now();
    let (mut holding, mut expired) = (Vec::new(), Vec::new());
    let Some((name, file)) = find()? else { return Ok((holding, expired)) };
    for entry in file.allow {
        let Some(rule) = haft_check::rule(&entry.rule) else {
            bail!("{name} allows {:?}, and no rule is called so; see `haft rules`", entry.rule);
        };
        let until = match entry.until {
            toml::Value::String(date) => date,
            toml::Value::Datetime(date) => date.date.map(|date| date.to_string()).unwrap_or_default(),
            _ => String::new(),
        };
        let allowance = Allowance { rule: rule.id.to_owned(), tool: entry.tool, reason: entry.reason, until };
        if allowance.reason.trim().is_empty() {
            bail!("{name} allows {} without a reason", rule.id);
        }
        if allowance.is_expired(now) {
            expired.push(format!("{name} allowed {} until {:?}: it holds no longer", rule.id, allowance.until));
        } else {
            holding.push(allowance);
        }
    }
    Ok((holding, expired))
}

fn find() -> anyhow::Result<Option<(&'static str, File)>> {
    if Path::new("haft.toml").exists() {
        let text = std::fs::read_to_string("haft.toml").context("haft.toml can't be read")?;
        return Ok(Some(("haft.toml", toml::from_str(&text).context("haft.toml")?)));
    }
    // Most manifests have nothing of haft's, and what is wrong with them otherwise is cargo's to say.
    let text = std::fs::read_to_string("Cargo.toml").unwrap_or_default();
    if !text.contains("metadata.haft") {
        return Ok(None);
    }
    let manifest: Manifest = toml::from_str(&text).context("[package.metadata.haft] of Cargo.toml")?;
    let file = manifest.package.and_then(|package| package.metadata).and_then(|metadata| metadata.haft);
    Ok(file.map(|file| ("Cargo.toml", file)))
}
