//! What has to hold for every type, as properties:
//!
//! - what the exact schema admits after normalisation, serde takes;
//! - what the published schema refuses, the exact one refuses;
//! - a value that serde sends and takes in one shape passes the exact schema;
//! - a serialised value passes the output schema, the exact and the published one.
#![allow(missing_docs, reason = "the types are there for their shapes")]

mod candidates;
mod types;

use haft_schema::{Checker, Input, InputOptions, Param, input, output};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use candidates::{Tape, from_schema, mutate};
use types::*;

const ALLOW: &[&str] = &["recursion", "portable_output"];

/// Few cases for a debug build; `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let default = ProptestConfig { max_shrink_iters: 4_096, failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases: 64, ..default } }
}

/// One type's compiled schemas, as one argument called `value` and as flattened arguments.
struct Subject {
    input: Input,
    exact: Checker,
    published: Checker,
    flattened: bool,
}

impl Subject {
    fn new(param: Param, closed: bool) -> Subject {
        let flattened = param.is_flattened();
        let input = input(&[param], &InputOptions { closed, allow: ALLOW }).unwrap();
        let exact = Checker::compile(&input.exact).unwrap();
        let published = Checker::compile(&input.published_value).unwrap();
        Subject { input, exact, published, flattened }
    }

    /// The arguments that belong to the flattened parameter.
    fn own(&self, arguments: &Value) -> Value {
        let members = &self.input.members[0];
        let object = arguments.as_object().unwrap().clone();
        object.into_iter().filter(|(name, _)| members.rest || members.names.contains(name)).collect()
    }

    /// Checks the first two properties on arguments.
    fn holds<T: DeserializeOwned>(&self, mut arguments: Value) -> Result<(), TestCaseError> {
        self.exact.normalise(&mut arguments);
        if !self.exact.check(&arguments).is_empty() {
            return Ok(());
        }
        let refused = self.published.check(&arguments);
        prop_assert!(refused.is_empty(), "published refuses {arguments}: {refused:?}\n{}", self.input.published);
        let value = if self.flattened { self.own(&arguments) } else { arguments["value"].clone() };
        let taken = serde_json::from_value::<T>(value);
        let exact = || haft_schema::schema_text(&self.input.exact);
        prop_assert!(taken.is_ok(), "exact admits {arguments}, serde says {}\n{}", taken.err().unwrap(), exact());
        Ok(())
    }
}

fn exact_implies<T: DeserializeOwned + Serialize + JsonSchema + std::fmt::Debug + 'static>(
    strategy: BoxedStrategy<T>,
    flatten: bool,
) {
    let mut subjects = vec![Subject::new(Param::of::<T>("value"), true), Subject::new(Param::of::<T>("value"), false)];
    if flatten {
        subjects.push(Subject::new(Param::flatten::<T>(), true));
        subjects.push(Subject::new(Param::flatten::<T>(), false));
    }
    let config = config();
    let tapes = proptest::collection::vec(any::<u64>(), 0..48);
    proptest!(config, |(value in strategy, tape in tapes)| {
        let sent = serde_json::to_value(&value).unwrap();
        for subject in &subjects {
            let arguments = if subject.flattened { sent.clone() } else { json!({ "value": sent }) };
            let mut checked = arguments.clone();
            subject.exact.normalise(&mut checked);
            let violations = subject.exact.check(&checked);
            prop_assert!(violations.is_empty(), "exact refuses {checked}: {violations:?}\n{}", haft_schema::schema_text(&subject.input.exact));
            subject.holds::<T>(arguments.clone())?;

            let mut tape = Tape::new(&tape);
            subject.holds::<T>(from_schema(&subject.input.exact, &subject.input.exact, &mut tape, 0))?;
            let mut mutated = arguments;
            for _ in 0..=tape.below(3) {
                mutate(&mut mutated, &subject.input.exact, &mut tape);
                subject.holds::<T>(mutated.clone())?;
            }
        }
    });
}

fn sent_passes<T: Serialize + JsonSchema + std::fmt::Debug>(strategy: BoxedStrategy<T>) {
    let output = output::<T>(ALLOW).unwrap().unwrap();
    let exact = Checker::compile(&output.exact).unwrap();
    let published = Checker::compile(&output.published_value).unwrap();
    let config = config();
    proptest!(config, |(value in strategy)| {
        let sent = serde_json::to_value(&value).unwrap();
        for checker in [&exact, &published] {
            let violations = checker.check(&sent);
            prop_assert!(violations.is_empty(), "{sent}: {violations:?}\n{}", output.published);
        }
    });
}

macro_rules! properties {
    ($($name:ident: $type:ty, $flatten:literal;)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn what_exact_admits_serde_and_hosts_take() {
                exact_implies::<$type>(<$type>::values(), $flatten);
            }

            #[test]
            fn what_serde_sends_passes_the_output_schema() {
                sent_passes::<$type>(<$type>::values());
            }
        }
    )* };
}

properties! {
    numbers: Numbers, true;
    optional: Optional, true;
    maps: Maps, true;
    lists: Lists, true;
    strings: Strings, true;
    external: External, false;
    external_objects: Shape, true;
    internal: Edit, true;
    internal_newtype: Wrapped, true;
    adjacent: Adjacent, true;
    untagged: Query, true;
    untagged_scalars: NumberOrName, false;
    documented: Status, false;
    flattened_enum: FlatEnum, true;
    flattened_optional: FlatOptional, true;
    flattened_map: FlatMap, true;
    flattened_twice: FlatTwice, true;
    denied: Denied, true;
    recursive: Tree, true;
    everything: Everything, true;
}
