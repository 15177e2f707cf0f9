//! The depot with the official Rust SDK (`rmcp` 3.11.0): on stdio, or on a free port with `--http`.

use std::collections::BTreeMap;

use rmcp::handler::server::tool::InputResponses;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, ElicitationAction,
    ElicitationSchema, ImageContent, InputRequest, InputRequiredResult, ProgressNotificationParam, ProtocolVersion,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{ElicitationError, RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, ServiceExt, elicit_safe, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

#[derive(Deserialize, JsonSchema)]
struct Address {
    /// Name of the city
    city: String,
    /// What comes above the city
    #[schemars(length(max = 4))]
    #[expect(dead_code, reason = "it is there to be sent")]
    lines: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Customer {
    /// Full name
    #[expect(dead_code, reason = "it is there to be sent")]
    name: String,
    /// Where to send it
    address: Address,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Item {
    /// Number of the article
    sku: String,
    /// How many pieces
    #[schemars(range(min = 1, max = 99))]
    quantity: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    customer: Customer,
    items: Vec<Item>,
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Order {
    order_id: String,
    city: String,
    pieces: u32,
    items: Vec<Item>,
    note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct To {
    to: u8,
}

#[derive(Deserialize, JsonSchema)]
struct What {
    what: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sure {
    /// Whether it may go
    sure: bool,
    /// Who says so
    name: String,
}

elicit_safe!(Sure);

#[derive(Clone)]
struct Depot;

#[tool_router]
impl Depot {
    #[tool(description = "Use this to place an order.")]
    async fn place_order(&self, Parameters(Wanted { customer, items, note }): Parameters<Wanted>) -> Json<Order> {
        let pieces = items.iter().map(|item| u32::from(item.quantity)).sum();
        Json(Order { order_id: "A-1".to_owned(), city: customer.address.city, pieces, items, note })
    }

    #[tool(description = "Use this to read a text back.")]
    async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
        text
    }

    #[tool(description = "Use this to see a call fail.")]
    async fn fail(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("The stock is empty.")])
    }

    #[tool(description = "Use this to count, with progress.")]
    async fn count(
        &self,
        Parameters(To { to }): Parameters<To>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for number in 1..=to {
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(number))
                    .with_total(f64::from(to))
                    .with_message(format!("number {number}"));
                let told = context.peer.notify_progress(progress).await;
                told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok(format!("counted to {to}"))
    }

    #[tool(description = "Use this to get a picture.")]
    async fn picture(&self) -> CallToolResult {
        let picture = ContentBlock::Image(ImageContent::new(PICTURE, "image/png"));
        CallToolResult::success(vec![ContentBlock::text("one pixel"), picture])
    }

    #[tool(description = "Use this to have something confirmed.")]
    async fn confirm(
        &self,
        Parameters(What { what }): Parameters<What>,
        InputResponses(answers): InputResponses,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let broken = |error: &dyn std::fmt::Display| ErrorData::internal_error(error.to_string(), None);
        let message = format!("May {what} go?");
        let answer = if context.protocol_version() < Some(ProtocolVersion::V_2026_07_28) {
            match context.peer.elicit::<Sure>(message).await {
                Ok(sure) => sure,
                Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => None,
                Err(error) => return Err(broken(&error)),
            }
        } else if let Some(answer) = answers.as_ref().and_then(|answers| answers.get("sure")) {
            #[derive(Deserialize)]
            struct Answer {
                action: ElicitationAction,
                content: Option<serde_json::Value>,
            }
            let Answer { action, content } = Answer::deserialize(answer).map_err(|error| broken(&error))?;
            let accepted = content.filter(|_| action == ElicitationAction::Accept);
            accepted.map(serde_json::from_value).transpose().map_err(|error| broken(&error))?
        } else {
            let requested_schema = ElicitationSchema::from_type::<Sure>().map_err(|error| broken(&error))?;
            let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
            let asked = BTreeMap::from([("sure".to_owned(), InputRequest::Elicitation(ElicitRequest::new(form)))]);
            return Ok(InputRequiredResult::new(Some(asked), None).into());
        };
        let said = match answer {
            Some(Sure { sure, name }) => format!("{what}: {}, says {name}", if sure { "yes" } else { "no" }),
            None => format!("{what}: decline"),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }

    #[tool(description = "Use this to see which revision of the protocol is spoken.")]
    async fn revision(&self, context: RequestContext<RoleServer>) -> String {
        context.protocol_version().map_or_else(|| "none".to_owned(), |version| version.to_string())
    }
}

#[tool_handler]
impl ServerHandler for Depot {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if !std::env::args().any(|argument| argument == "--http") {
        Depot.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    }
    let service = StreamableHttpService::new(
        || Ok(Depot),
        std::sync::Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?)
}
