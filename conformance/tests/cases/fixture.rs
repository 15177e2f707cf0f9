//! The server under test.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Another server to judge in its place.
const OTHER: &str = "HAFT_FIXTURE";

/// Builds the example `fixture` as this runner was built and says where it is.
///
/// The whole workspace is named, so that cargo resolves features as for `cargo test --workspace` and finds nearly all
/// of it built.
pub(super) fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(OTHER) {
        return Ok(path.into());
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--workspace", "--example", "fixture", "--message-format=json-render-diagnostics"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    if cfg!(feature = "odd-json") {
        cargo.args(["--features", "conformance/odd-json"]);
    }
    let output = cargo
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{cargo:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("the fixture doesn't build: {}", output.status));
    }
    let artifacts = output.stdout.split(|byte| *byte == b'\n');
    artifacts
        .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .filter(|artifact| artifact["target"]["name"] == "fixture")
        .find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| "cargo doesn't say where the fixture is".to_owned())
}
