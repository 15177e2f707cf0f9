//! Servers named in an `mcpServers` file, the format that hosts share.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;

/// The file: a server by each name. Whatever else hosts keep in there is left alone.
#[derive(Debug, Deserialize)]
struct File {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: BTreeMap<String, Entry>,
}

/// One server, as hosts have it.
#[derive(Debug, Deserialize)]
struct Entry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// How a named server is reached.
pub(crate) enum Named {
    Program(Command),
    Url(String, Vec<(http::HeaderName, http::HeaderValue)>),
}

/// Finds a server of a file, with `${NAME}` and `${NAME:-otherwise}` replaced from the environment.
pub(crate) fn find(file: &Path, name: &str) -> anyhow::Result<Named> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} can't be read", file.display()))?;
    named(&text, name, |variable| std::env::var(variable).ok()).with_context(|| format!("in {}", file.display()))
}

fn named(text: &str, name: &str, variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Named> {
    let File { mut servers } = serde_json::from_str(text).context("this is no `mcpServers` file")?;
    let Some(entry) = servers.remove(name) else {
        let known: Vec<&str> = servers.keys().map(String::as_str).collect();
        bail!("there is no server {name:?}; there are: {}", known.join(", "));
    };
    let fill = |text: &str| filled(text, &variable);
    match (entry.command, entry.url) {
        (Some(program), None) => {
            let mut command = Command::new(fill(&program)?);
            for argument in &entry.args {
                command.arg(fill(argument)?);
            }
            for (name, value) in &entry.env {
                command.env(name, fill(value)?);
            }
            if let Some(directory) = &entry.cwd {
                command.current_dir(fill(directory)?);
            }
            Ok(Named::Program(command))
        }
        (None, Some(url)) => {
            let headers = entry.headers.iter().map(|(name, value)| {
                let header = name.parse().map_err(|_| anyhow!("`{name}` is no name of a header"))?;
                // The value may be a secret: no word of it.
                let mut value: http::HeaderValue =
                    fill(value)?.parse().map_err(|_| anyhow!("the value of {name} can't stand in a header"))?;
                value.set_sensitive(true);
                Ok((header, value))
            });
            Ok(Named::Url(fill(&url)?, headers.collect::<anyhow::Result<_>>()?))
        }
        (Some(_), Some(_)) => bail!("the server {name:?} has a `command` and a `url`; it can have one of them"),
        (None, None) => bail!("the server {name:?} has neither `command` nor `url`"),
    }
}

/// Replaces `${NAME}` and `${NAME:-otherwise}`. A variable that isn't set, and has nothing otherwise, is an error.
fn filled(text: &str, variable: &impl Fn(&str) -> Option<String>) -> anyhow::Result<String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (inside, after) = after.split_once('}').context("a `${` has no `}`")?;
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inside, None),
        };
        // Some hosts write `${env:NAME}`.
        let name = name.strip_prefix("env:").unwrap_or(name);
        let value = variable(name).or_else(|| otherwise.map(str::to_owned));
        filled.push_str(before);
        filled.push_str(&value.ok_or_else(|| anyhow!("the environment variable {name} is not set"))?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"other": 1, "mcpServers": {
        "local": {"command": "run", "args": ["--key", "${KEY}", "${NONE:-x}"], "env": {"A": "${env:KEY}b"}},
        "far": {"type": "http", "url": "https://example.com/${KEY}", "headers": {"Authorization": "Bearer ${KEY}"}},
        "unset": {"command": "${NOBODY}"}, "both": {"command": "a", "url": "b"}, "neither": {}}}"#;

    fn find(name: &str) -> anyhow::Result<Named> {
        named(FILE, name, |variable| (variable == "KEY").then(|| "k".to_owned()))
    }

    #[test]
    fn variables_are_filled_in_everywhere() {
        let Ok(Named::Program(command)) = find("local") else { panic!("a program") };
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["--key", "k", "x"]);
        assert_eq!(command.get_envs().collect::<Vec<_>>(), [("A".as_ref(), Some("kb".as_ref()))]);
        let Ok(Named::Url(url, headers)) = find("far") else { panic!("a URL") };
        assert_eq!(url, "https://example.com/k");
        assert_eq!(headers[0].1, "Bearer k");
        assert!(!format!("{headers:?}").contains("Bearer"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (name, part) in [
            ("nobody", "local"),
            ("unset", "NOBODY is not set"),
            ("both", "one of them"),
            ("neither", "neither `command` nor `url`"),
        ] {
            let Err(error) = find(name) else { panic!("{name}") };
            assert!(format!("{error:#}").contains(part), "{error:#}");
        }
        assert!(named("[]", "a", |_| None).is_err());
    }
}
