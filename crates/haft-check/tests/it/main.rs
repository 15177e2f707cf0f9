//! The checker from outside.

mod docs;
mod facts;
mod formats;
mod hostile;
mod registry;
mod rules;
