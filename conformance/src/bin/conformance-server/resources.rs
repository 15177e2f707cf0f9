//! The resources that the official suite reads.

use haft::ServerBuilder;
use haft::prelude::*;
use serde_json::json;

use crate::tools::PNG;

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    server
        .resource(
            Resource::builder("test://static-text", "static-text")
                .description("Always the same text.")
                .mime_type("text/plain")
                .read(|_| async { "This is the content of the static text resource." }),
        )
        .resource(
            Resource::builder("test://static-binary", "static-binary")
                .description("Always the same image.")
                .mime_type("image/png")
                .read(|_| async { PNG.to_vec() }),
        )
        .resource(
            Resource::builder("test://watched-resource", "watched-resource")
                .description("A text that may be watched.")
                .mime_type("text/plain")
                .read(|_| async { "Nothing has changed." }),
        )
        .resource_template(
            ResourceTemplate::builder("test://template/{id}/data", "data")
                .description("The data of one item.")
                .mime_type("application/json")
                .read(|params, _| async move {
                    let id = params.text("id");
                    json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string()
                }),
        )
}
