//! The prompts that the official suite gets.

use haft::prelude::*;
use haft::{PromptMessage, ServerBuilder};

use crate::asks;
use crate::tools::PNG;

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    server
        .prompt(
            Prompt::builder("test_simple_prompt")
                .description("A prompt without arguments.")
                .handler(|_, _| async { "This is a simple prompt for testing." }),
        )
        .prompt(
            Prompt::builder("test_prompt_with_arguments")
                .description("A prompt with two arguments.")
                .required("arg1", "The first argument")
                .required("arg2", "The second argument")
                .complete("arg1", |partial, _| async move { partial.filter(["test one", "test two", "other"]) })
                .handler(|params, _| async move {
                    format!("Prompt with arguments: arg1='{}', arg2='{}'", params.text("arg1"), params.text("arg2"))
                }),
        )
        .prompt(
            Prompt::builder("test_prompt_with_embedded_resource")
                .description("A prompt with a resource in it.")
                .required("resourceUri", "The URI of the resource")
                .handler(|params, _| async move {
                    let text = "Embedded resource content for testing.";
                    vec![
                        PromptMessage::user(Content::resource_text(params.text("resourceUri"), "text/plain", text)),
                        PromptMessage::user("Please process the embedded resource above."),
                    ]
                }),
        )
        .prompt(Prompt::builder("test_prompt_with_image").description("A prompt with an image in it.").handler(
            |_, _| async {
                vec![
                    PromptMessage::user(Content::image(PNG, "image/png")),
                    PromptMessage::user("Please analyze the image above."),
                ]
            },
        ))
        .prompt(
            Prompt::builder("test_input_required_result_prompt")
                .description("A prompt that asks the user first.")
                .handler(|_, context| asks::prompt(context)),
        )
}
