//! Behaviour at the boundary: bytes in, bytes out, and what a client sees.
#![allow(missing_docs, clippy::unwrap_used)]
#![allow(clippy::duplicate_mod, reason = "the examples share how they are served")]

mod ask;
mod attributes;
mod authentication;
mod build;
mod calls;
mod client;
mod completion;
mod duplex;
mod dynamic;
mod examples;
mod frames;
mod handles;
mod http;
mod legacy;
mod limits;
mod list;
mod logs;
mod oauth;
mod old;
mod parameters;
mod post;
mod prompts;
mod resources;
mod results;
mod rules;
mod sanitize;
mod scopes;
mod sessions;
mod specification;
mod subscriptions;
mod tokens;
mod toolbox;
mod toolbox_render;
mod wire;
