#![allow(unused_variables)]

use haft::prelude::*;

/// Renders a film.
#[tool(additive, closed_world, task(requird, ttl = "0s", poll = 5))]
async fn render(title: String) {}

/// Renders a film.
#[tool(additive, closed_world, task = "optional")]
async fn render_more(title: String) {}

/// Renders a film.
#[tool(additive, closed_world, task(resumable, later))]
fn render_plainly(title: String) {}

/// Renders a film.
#[tool(additive, closed_world, taskSupport = "required")]
async fn render_elsewhere(title: String) {}

fn main() {}
