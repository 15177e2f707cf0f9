//! Who asked not to be called: a list that the server was started with, and those who said so in a call.

use std::collections::HashSet;
use std::sync::Arc;

use haft::store::{NewEntry, Store, StoreError};

use crate::number::PhoneNumber;

pub(crate) struct OptOuts {
    store: Arc<dyn Store>,
    listed: HashSet<PhoneNumber>,
}

impl OptOuts {
    pub(super) fn new(store: Arc<dyn Store>, listed: Vec<PhoneNumber>) -> Self {
        Self { store, listed: listed.into_iter().collect() }
    }

    /// Reads a list: one number a line, with notes after `#`.
    ///
    /// # Errors
    /// Every line that is no number.
    pub(crate) fn parse(text: &str) -> Result<Vec<PhoneNumber>, String> {
        let (mut numbers, mut problems) = (Vec::new(), Vec::new());
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            match PhoneNumber::parse(line) {
                _ if line.is_empty() => {}
                Some(number) => numbers.push(number),
                None => problems.push(format!("line {}: {line:?} is no number like +12025550123", index + 1)),
            }
        }
        if problems.is_empty() { Ok(numbers) } else { Err(problems.join("\n")) }
    }

    pub(super) async fn has(&self, number: &PhoneNumber) -> Result<bool, StoreError> {
        Ok(self.listed.contains(number) || self.store.get(&key(number)).await?.is_some())
    }

    /// For good: it has no end.
    pub(super) async fn add(&self, number: &PhoneNumber) -> Result<(), StoreError> {
        // Whoever asked twice is on the list once.
        let _ = self.store.create(&key(number), NewEntry::new([])).await?;
        Ok(())
    }
}

fn key(number: &PhoneNumber) -> String {
    format!("optout:{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_and_all_its_mistakes_are_told() {
        let numbers = OptOuts::parse("+12125550100\n\n  +4930123456  # by letter\n# nobody\n").expect("a list");
        assert_eq!(numbers.len(), 2);
        let problems = OptOuts::parse("12125550100\n+4930123456\nno").expect_err("two mistakes");
        assert!(problems.contains("line 1") && problems.contains("line 3") && !problems.contains("line 2"));
    }
}
