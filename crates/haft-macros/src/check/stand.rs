//! A tool must take a stand: what it does to its world, and how far that world reaches.

use crate::errors::Errors;
use crate::model::Tool;
use crate::parse::{Stand, World};

const STANDS: &str = concat!(
    "  read_only    changes nothing\n",
    "  additive     only adds; what was there before stays as it is\n",
    "  destructive  may change, overwrite or delete what was there before",
);
const WORLDS: &str = concat!(
    "  closed_world  a known set of things, such as your own database or one account at a service\n",
    "  open_world    whatever the outside world holds, such as web search or mail to anybody",
);

pub(crate) fn check(tool: &Tool, errors: &Errors) {
    let name = &tool.name;
    match tool.attr.stands.as_slice() {
        [] => errors.at(
            tool.attr_span,
            format!(
                "tool `{name}` doesn't say what it does: add one of\n{STANDS}\nfor example `#[tool({})]`",
                example("read_only", tool)
            ),
        ),
        [_] => {}
        [(first, _), rest @ ..] => {
            for (other, key) in rest {
                errors.on(
                    key,
                    format!(
                        "`{}` and `{}` exclude each other; keep the one that holds\n{STANDS}",
                        first.key(),
                        other.key()
                    ),
                );
            }
        }
    }
    match tool.attr.worlds.as_slice() {
        [] => errors.at(
            tool.attr_span,
            format!(
                "tool `{name}` doesn't say how far it reaches: add one of\n{WORLDS}\nfor example `#[tool({})]`",
                example("closed_world", tool)
            ),
        ),
        [_] => {}
        [(first, _), rest @ ..] => {
            for (other, key) in rest {
                errors.on(
                    key,
                    format!(
                        "`{}` and `{}` exclude each other; keep the one that holds\n{WORLDS}",
                        first.key(),
                        other.key()
                    ),
                );
            }
        }
    }
}

/// The attribute completed: what is there, and `missing` or its companion.
fn example(missing: &str, tool: &Tool) -> String {
    let stand = tool.stand().map_or("read_only", Stand::key);
    let world = tool.attr.worlds.first().map_or("closed_world", |(world, _)| world.key());
    match missing {
        "read_only" => format!("read_only, {world}"),
        _ => format!("{stand}, closed_world"),
    }
}

impl Stand {
    fn key(self) -> &'static str {
        match self {
            Stand::ReadOnly => "read_only",
            Stand::Additive => "additive",
            Stand::Destructive => "destructive",
        }
    }
}

impl World {
    fn key(self) -> &'static str {
        match self {
            World::Open => "open_world",
            World::Closed => "closed_world",
        }
    }
}
