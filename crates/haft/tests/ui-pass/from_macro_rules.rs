//! Tools whose parts are fragments of another macro.
#![deny(warnings)]

use haft::prelude::*;

struct Database;

impl FromContext for Database {
    type Rejection = ToolError;

    async fn from_context(_: &Context) -> Result<Self, ToolError> {
        Ok(Database)
    }
}

macro_rules! lookup {
    ($(#[$meta:meta])* $name:ident, $ty:ty, $default:expr, $title:literal, $pattern:expr) => {
        $(#[$meta])*
        #[tool(read_only, closed_world, title = $title)]
        async fn $name(
            #[arg(default = $default)] key: $ty,
            #[arg(pattern = $pattern)] text: String,
            ctx: Context,
            #[extract] _: $crate::from_macro_rules::Database,
        ) -> String {
            let _ = ctx;
            format!("{key} {text}")
        }
    };
}

lookup!(
    /// Looks up a number.
    look_up_number,
    u32,
    7 + 1,
    "Look up",
    "^a"
);
lookup!(
    #[doc = concat!("Looks up ", "a text.")]
    look_up_text,
    String,
    "seven",
    "Look up",
    "^b"
);

pub(crate) fn main() {
    let _ = (look_up_number::tool(), look_up_text::tool());
}
