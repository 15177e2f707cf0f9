//! Prompts and resources of every shape, under lints that deny.
#![deny(warnings, missing_docs, unreachable_pub, clippy::pedantic)]

use haft::prelude::*;

/// Nothing to fill in.
#[prompt]
async fn bare() -> &'static str {
    "bare"
}

/// All keys.
#[prompt(name = "every-key", title = "Every key", needs(sampling, roots), logs, crate = "::haft")]
pub(crate) async fn every_key(
    /// A raw name
    r#type: String,
    #[allow(unused_variables)] unused: Option<u8>,
    context: Context,
) -> Result<String, RequestError> {
    Ok(format!("{} {}", r#type, context.name()))
}

/// A fixed one.
#[resource("test://fixed")]
async fn fixed(_context: Context) -> Vec<u8> {
    Vec::new()
}

/// A template.
#[resource("test://{a}{/rest*}{?q}", name = "t", title = "T", mime_type = "text/plain", needs(elicitation), logs)]
async fn template(rest: String, q: Option<String>, a: u64) -> String {
    format!("{a} {rest} {q:?}")
}

mod inner {
    use haft::prelude::*;

    /// Seen from outside.
    #[prompt]
    pub(crate) async fn visible(text: String) -> String {
        text
    }

    #[cfg(any())]
    /// Never there.
    #[prompt]
    pub(crate) async fn never(text: Missing) -> String {
        text
    }
}

pub(crate) fn main() {
    /// In a function's body.
    #[resource("test://local")]
    async fn local() -> String {
        String::new()
    }
    let server = Server::new("shapes", "1.0.0")
        .prompt(bare::prompt())
        .prompt(every_key::prompt())
        .prompt(inner::visible::prompt())
        .resource(fixed::resource())
        .resource(local::resource())
        .resource_template(template::resource_template())
        .build();
    assert!(server.is_ok(), "{server:?}");
}
