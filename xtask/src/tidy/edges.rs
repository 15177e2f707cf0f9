//! Arrows between crates point down only.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{Offence, relative};

/// What each crate under `crates/` may depend on among the crates of the workspace.
const MAY_USE: &[(&str, &[&str])] = &[
    ("haft-wire", &[]),
    ("haft-schema", &[]),
    ("haft-store", &[]),
    ("haft-macros", &[]),
    ("haft", &["haft-wire", "haft-schema", "haft-store", "haft-macros"]),
    ("haft-check", &["haft-wire", "haft-schema", "haft"]),
    ("haft-cli", &["haft", "haft-check"]),
];

/// Edges that must be optional, and the one feature that may turn them on.
const ONLY_BEHIND: &[(&str, &str, &str)] = &[("haft-check", "haft", "probe")];

/// Libraries that only the named crate may depend on.
const ONLY_IN: &[(&str, &str)] = &[("anyhow", "haft-cli")];

/// One package of the workspace.
#[derive(Debug, Default)]
pub(super) struct Package {
    name: String,
    /// Path of its manifest from the workspace root.
    manifest: String,
    /// The manifest's text, for line numbers.
    text: String,
    edges: Vec<Edge>,
    /// Feature name and what it turns on.
    features: Vec<(String, Vec<String>)>,
}

#[derive(Debug)]
struct Edge {
    to: String,
    dev: bool,
    optional: bool,
}

impl Package {
    fn is_ours(&self) -> bool {
        self.manifest.starts_with("crates/")
    }

    /// The line that names the dependency: the first that begins with it, else the top.
    fn line_of(&self, dependency: &str) -> usize {
        let starts = |line: &str| {
            let line = line.trim_start().trim_start_matches('"');
            line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with(['.', ' ', '=', '"']))
        };
        self.text.lines().position(starts).map_or(1, |index| index + 1)
    }

    fn offence(&self, dependency: &str, message: String) -> Offence {
        Offence::new(&self.manifest, self.line_of(dependency), message)
    }
}

/// Asks cargo for the manifests.
pub(super) fn read(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let mut packages = parse(&metadata)?;
    for package in &mut packages {
        package.text =
            std::fs::read_to_string(&package.manifest).map_err(|error| format!("{}: {error}", package.manifest))?;
        package.manifest = relative(root, Path::new(&package.manifest));
    }
    Ok(packages)
}

fn parse(metadata: &Value) -> Result<Vec<Package>, String> {
    let missing = |what: &str| format!("cargo metadata has no {what}");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let packages = metadata["packages"].as_array().ok_or_else(|| missing("packages"))?;
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().ok_or_else(|| missing("dependencies"))?;
            let features = package["features"].as_object().ok_or_else(|| missing("features"))?;
            Ok(Package {
                name: text(&package["name"]).ok_or_else(|| missing("name"))?,
                manifest: text(&package["manifest_path"]).ok_or_else(|| missing("manifest_path"))?,
                text: String::new(),
                edges: dependencies
                    .iter()
                    .map(|edge| {
                        Ok(Edge {
                            to: text(&edge["name"]).ok_or_else(|| missing("dependency name"))?,
                            dev: edge["kind"].as_str() == Some("dev"),
                            optional: edge["optional"].as_bool().unwrap_or(false),
                        })
                    })
                    .collect::<Result<_, String>>()?,
                features: features
                    .iter()
                    .map(|(name, turned_on)| {
                        let turned_on = turned_on.as_array().into_iter().flatten();
                        (name.clone(), turned_on.filter_map(text).collect())
                    })
                    .collect(),
            })
        })
        .collect()
}

pub(super) fn check(packages: &[Package]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for package in packages.iter().filter(|package| package.is_ours()) {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == package.name) else {
            offences.push(Offence::new(
                &package.manifest,
                1,
                format!(
                    "`{}` is not in the table of crates; say in xtask/src/tidy/edges.rs what it may use",
                    package.name
                ),
            ));
            continue;
        };
        for edge in &package.edges {
            let inside = packages.iter().any(|other| other.name == edge.to);
            if edge.dev {
                if edge.to != package.name && reaches(packages, &edge.to, &package.name) {
                    offences.push(package.offence(
                        &edge.to,
                        format!(
                            "the dev-dependency on `{}` closes a cycle, since that depends on `{}`; move the test there",
                            edge.to, package.name
                        ),
                    ));
                }
                continue;
            }
            if inside && !allowed.contains(&edge.to.as_str()) {
                let may = if allowed.is_empty() { "no crate of the workspace".to_owned() } else { allowed.join(", ") };
                offences.push(package.offence(
                    &edge.to,
                    format!("`{}` must not depend on `{}`; it may use {may}", package.name, edge.to),
                ));
            }
            if let Some((_, owner)) = ONLY_IN.iter().find(|(name, _)| *name == edge.to)
                && *owner != package.name
            {
                offences.push(package.offence(
                    &edge.to,
                    format!("`{}` is for {owner} only; a library has an error type of its own", edge.to),
                ));
            }
        }
        offences.extend(check_only_behind(package));
    }
    offences
}

fn check_only_behind(package: &Package) -> Vec<Offence> {
    let mut offences = Vec::new();
    for (name, to, only) in ONLY_BEHIND.iter().filter(|(name, ..)| *name == package.name) {
        for _ in package.edges.iter().filter(|edge| edge.to == *to && !edge.dev && !edge.optional) {
            offences.push(package.offence(
                to,
                format!("`{name}` may use `{to}` behind its feature `{only}` only; make the dependency optional"),
            ));
        }
        let spellings = [format!("dep:{to}"), (*to).to_owned()];
        let turns_on = |item: &String| spellings.contains(item) || item.starts_with(&format!("{to}/"));
        for (feature, _) in package.features.iter().filter(|(_, items)| items.iter().any(turns_on)) {
            if feature != only {
                offences.push(
                    package.offence(
                        feature,
                        format!("feature `{feature}` of `{name}` turns on `{to}`; only `{only}` may"),
                    ),
                );
            }
        }
    }
    offences
}

/// Whether `from` depends on `to` by way of ordinary dependencies.
fn reaches(packages: &[Package], from: &str, to: &str) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let Some(package) = packages.iter().find(|package| package.name == name) else { continue };
        for edge in package.edges.iter().filter(|edge| !edge.dev) {
            if edge.to == to {
                return true;
            }
            open.push(&edge.to);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, text: &str, edges: &[(&str, &str)]) -> Package {
        Package {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            text: text.to_owned(),
            edges: edges
                .iter()
                .map(|(to, kind)| Edge { to: (*to).to_owned(), dev: *kind == "dev", optional: *kind == "optional" })
                .collect(),
            features: Vec::new(),
        }
    }

    fn feature(mut package: Package, name: &str, turned_on: &[&str]) -> Package {
        package.features.push((name.to_owned(), turned_on.iter().map(|item| (*item).to_owned()).collect()));
        package
    }

    fn messages(packages: &[Package]) -> Vec<String> {
        check(packages).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_allowed_edges_pass() {
        let packages = [
            package("haft-wire", "", &[("serde", "")]),
            package("haft-schema", "", &[]),
            package("haft-macros", "", &[]),
            package(
                "haft",
                "",
                &[("haft-wire", ""), ("haft-schema", ""), ("haft-macros", "optional"), ("haft", "dev")],
            ),
            feature(
                package("haft-check", "", &[("haft-wire", ""), ("haft", "optional"), ("anyhow", "dev")]),
                "probe",
                &["dep:haft"],
            ),
            package("haft-cli", "", &[("haft", ""), ("haft-check", ""), ("anyhow", "")]),
        ];
        assert_eq!(messages(&packages), Vec::<String>::new());
    }

    #[test]
    fn an_upward_edge_is_named_with_its_line() {
        let packages = [
            package("haft-schema", "[dependencies]\nserde = \"1\"\nhaft-wire.workspace = true\n", &[("haft-wire", "")]),
            package("haft-wire", "", &[]),
        ];
        assert_eq!(
            messages(&packages),
            ["crates/haft-schema/Cargo.toml:3: `haft-schema` must not depend on `haft-wire`; \
              it may use no crate of the workspace"]
        );
    }

    #[test]
    fn the_checker_uses_haft_only_behind_probe() {
        let haft = || package("haft", "", &[]);
        let always = feature(package("haft-check", "", &[("haft", "")]), "probe", &[]);
        assert!(messages(&[always, haft()])[0].contains("make the dependency optional"));
        let elsewhere = feature(package("haft-check", "", &[("haft", "optional")]), "default", &["haft/client"]);
        assert!(messages(&[elsewhere, haft()])[0].contains("only `probe` may"));
    }

    #[test]
    fn a_dev_dependency_must_not_close_a_cycle() {
        let packages = [package("haft-wire", "", &[("haft", "dev")]), package("haft", "", &[("haft-wire", "")])];
        assert!(messages(&packages)[0].contains("closes a cycle"));
    }

    #[test]
    fn anyhow_is_for_the_command_line_only() {
        assert!(messages(&[package("haft", "", &[("anyhow", "")])])[0].contains("for haft-cli only"));
    }

    #[test]
    fn a_crate_outside_the_table_is_reported() {
        assert!(messages(&[package("haft-extra", "", &[])])[0].contains("not in the table"));
        let mut outside = package("fuzz", "", &[("haft", "")]);
        outside.manifest = "fuzz/Cargo.toml".to_owned();
        assert!(messages(&[outside]).is_empty());
    }

    #[test]
    fn metadata_is_read_as_cargo_writes_it() {
        let metadata = serde_json::json!({"packages": [{
            "name": "haft-check", "manifest_path": "/r/crates/haft-check/Cargo.toml",
            "features": {"probe": ["dep:haft"]},
            "dependencies": [
                {"name": "haft", "kind": null, "optional": true},
                {"name": "insta", "kind": "dev", "optional": false},
            ],
        }]});
        let packages = parse(&metadata).expect("well formed");
        assert_eq!(packages[0].features, [("probe".to_owned(), vec!["dep:haft".to_owned()])]);
        assert!(packages[0].edges[0].optional && !packages[0].edges[0].dev && packages[0].edges[1].dev);
        assert!(parse(&serde_json::json!({"packages": [{}]})).is_err());
    }
}
