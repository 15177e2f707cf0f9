//! A schema document in, a checker or everything that is wrong with the document out.

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::bounds;
use super::checker::Checker;
use super::dialect::Dialect;
use super::excerpt;
use super::graph::{Graph, Node, Settings};
use super::lower;
use super::number;
use super::problem::Problem;

/// Compiles a schema. `formats` says whether `format` refuses values where the dialect leaves that open.
pub(crate) fn compile(schema: &Value, formats: bool) -> Result<Checker, Vec<Problem>> {
    bounds::of_schema(schema).map_err(|problem| vec![problem])?;
    let dialect = Dialect::of(schema).map_err(|problem| vec![problem])?;
    let mut schema = schema.clone();
    if number::keep_their_text() {
        number::canonicalise(&mut schema, bounds::SCHEMA_DEPTH + 1);
    }
    let (nodes, chain) = lower::lower(&schema, dialect)?;
    // The linear engine takes all patterns but those with lookaround or back-references.
    let linear = Settings { dialect, formats, lookaround: false };
    let lookaround = Settings { lookaround: true, ..linear };
    let (validator, settings) = match linear.build(&schema) {
        Ok(validator) => (validator, linear),
        Err(_) => match lookaround.build(&schema) {
            Ok(validator) => (validator, lookaround),
            Err(error) => {
                let mut problems = bad_patterns(&nodes, &lookaround);
                problems.extend(bad_keywords(&schema, dialect));
                if problems.is_empty() {
                    problems.push(problem(&error));
                }
                problems.sort_by(|one, other| (&one.place, &one.message).cmp(&(&other.place, &other.message)));
                problems.dedup_by(|one, other| one.place == other.place);
                return Err(problems);
            }
        },
    };
    Ok(Checker::new(validator, Graph { nodes, settings }, bounds::value_depth(chain)))
}

/// The patterns that neither engine takes.
fn bad_patterns(nodes: &[Node], settings: &Settings) -> Vec<Problem> {
    let mut problems = Vec::new();
    for node in nodes {
        let asserted =
            node.assertions.get("pattern").and_then(Value::as_str).map(|p| (format!("{}/pattern", node.place), p));
        let named = node.pattern_properties.iter().map(|(pattern, id)| (nodes[*id].place.clone(), pattern.as_str()));
        for (place, pattern) in asserted.into_iter().chain(named) {
            if settings.build(&serde_json::json!({ "pattern": pattern })).is_err() {
                problems.push(Problem::new("schema", place, unusable(pattern)));
            }
        }
    }
    problems
}

fn unusable(pattern: &str) -> String {
    format!("{} is not a regular expression that can be used, or is too large", excerpt::plain(pattern, 120))
}

/// What is wrong with the keywords of a schema in the dialect at the URI `dialect`, or else in the one that the schema names
/// or, if it names none, 2020-12. References are not followed, and patterns not compiled.
///
/// Empty where nothing is wrong. An unknown dialect is one problem, at `/$schema`; so is a document deeper or larger than
/// [`Checker`] takes.
///
/// spec: basic#schema-validation
#[must_use]
pub fn keyword_problems(schema: &Value, dialect: Option<&str>) -> Vec<Problem> {
    if let Err(problem) = bounds::of_schema(schema) {
        return vec![problem];
    }
    let dialect = match dialect.map(Dialect::named) {
        Some(Some(dialect)) => Ok(dialect),
        Some(None) => Dialect::of(&serde_json::json!({ "$schema": dialect })),
        None => Dialect::of(schema),
    };
    let mut problems = match dialect {
        Ok(dialect) => bad_keywords(schema, dialect),
        Err(problem) => vec![problem],
    };
    // Metaschemas come to the same place in several ways.
    problems.sort_by(|one, other| (&one.place, &one.message).cmp(&(&other.place, &other.message)));
    problems.dedup_by(|one, other| one.place == other.place);
    problems
}

/// What the dialect's own schema finds wrong.
fn bad_keywords(schema: &Value, dialect: Dialect) -> Vec<Problem> {
    let metaschema = match dialect {
        Dialect::Draft4 => jsonschema::draft4::meta::validator(),
        Dialect::Draft6 => jsonschema::draft6::meta::validator(),
        Dialect::Draft7 => jsonschema::draft7::meta::validator(),
        Dialect::Draft201909 => jsonschema::draft201909::meta::validator(),
        Dialect::Draft202012 => jsonschema::draft202012::meta::validator(),
    };
    metaschema.iter_errors(schema).map(|error| problem(&error)).collect()
}

fn problem(error: &jsonschema::ValidationError<'_>) -> Problem {
    let message = match (error.kind(), error.instance().as_str()) {
        (ValidationErrorKind::Format { format }, Some(pattern)) if format == "regex" => unusable(pattern),
        // The words of the validator are for people here; nothing is decided by them.
        _ => excerpt::plain(&error.to_string(), 300),
    };
    Problem::new("schema", error.instance_path().as_str(), message)
}
