//! The rules, one file each, and the walk that feeds them.

use std::fmt;
use std::path::{Path, PathBuf};

mod edges;
mod length;
mod macros;
mod readme;
mod reexports;
mod stops;

/// One breach of a rule, at a place a person can jump to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offence {
    /// Path from the workspace root, with `/` between folders.
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// What is wrong and what to do about it.
    pub(crate) message: String,
}

impl Offence {
    fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, message: message.into() }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// A Rust source file of the workspace.
pub(crate) struct Source {
    /// Path from the workspace root, with `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// Whether the file belongs to a library: `crates/*/src`, except for the command-line tool.
    fn is_library(&self) -> bool {
        let mut parts = self.path.split('/');
        let (first, name, folder) = (parts.next(), parts.next(), parts.next());
        first == Some("crates") && name != Some("haft-cli") && folder == Some("src")
    }
}

/// Applies every rule to the workspace at `root`.
///
/// # Errors
///
/// A file or folder that can't be read, or a `cargo metadata` that fails: a check that could not look must not pass.
pub(crate) fn run(root: &Path) -> Result<Vec<Offence>, String> {
    let sources = read_sources(root)?;
    let mut offences = edges::check(&edges::read(root)?);
    for source in &sources {
        offences.extend(length::check(source));
        offences.extend(macros::check(source));
        offences.extend(reexports::check(source));
    }
    offences.extend(stops::check(&sources));
    offences.extend(readme::check(std::fs::read_to_string(root.join("README.md")).ok().as_deref()));
    offences.sort();
    Ok(offences)
}

fn read_sources(root: &Path) -> Result<Vec<Source>, String> {
    let mut folders = vec![root.to_path_buf()];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|error| format!("{}: {error}", folder.display()))?;
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                sources.push(Source { path: relative(root, &path), text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// `path` as seen from `root`, with `/` between folders.
fn relative(root: &Path, path: &Path) -> String {
    let parts: PathBuf = path.strip_prefix(root).unwrap_or(path).to_path_buf();
    parts.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
