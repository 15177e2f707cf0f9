//! The checker from outside.

mod diff;
mod docs;
mod facts;
mod formats;
mod hostile;
mod registry;
mod rules;
