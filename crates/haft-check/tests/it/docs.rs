//! `docs/rules/` is what the registry says. `HAFT_BLESS=1 cargo test -p haft-check --test it docs` writes it anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules")
}

#[test]
fn the_pages_are_in_step() {
    let pages: BTreeMap<String, String> = haft_check::pages().into_iter().collect();
    let folder = folder();
    if std::env::var_os("HAFT_BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in &pages {
            std::fs::write(folder.join(name), text).expect("written");
        }
        return;
    }
    const BLESS: &str = "HAFT_BLESS=1 cargo test -p haft-check --test it docs";
    for (name, text) in &pages {
        let there = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(there == *text, "docs/rules/{name} is not what the registry says; run {BLESS}");
    }
    for entry in std::fs::read_dir(&folder).expect("docs/rules") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        assert!(pages.contains_key(&name), "docs/rules/{name} belongs to no rule; run {BLESS}");
    }
}
