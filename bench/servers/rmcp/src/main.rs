//! The server of the benchmark, in rmcp. `bench-rmcp best|plain stdio|http [TOOLS]`
//!
//! `best`: pipes without a pool of threads, JSON answers, TCP_NODELAY, the router built once, one thread. `plain`: as its
//! documentation has it.

use std::error::Error;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResult, ContentBlock, ProgressNotificationParam, RequestMetaObject, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::Peer;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio, stdio_pipes};
use rmcp::{RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};

#[derive(Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Shipped,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Order {
    order_id: String,
    status: Status,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct GetOrder {
    /// Order ID, e.g. A-1001
    #[schemars(regex(pattern = r"^A-\d{4}$"))]
    order_id: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Address {
    name: String,
    street: String,
    city: String,
    country: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Line {
    sku: String,
    quantity: u32,
    price: f64,
    note: Option<String>,
    ship_to: Address,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct PlaceOrder {
    /// What is ordered.
    lines: Vec<Line>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Placed {
    lines: usize,
    pieces: u32,
}

macro_rules! tools {
    ($server:ident) => {
        #[tool_router]
        impl $server {
            /// Use this when the user asks where an order is. Returns its current status.
            #[tool(annotations(read_only_hint = true, open_world_hint = false))]
            async fn get_order(
                &self,
                Parameters(GetOrder { order_id }): Parameters<GetOrder>,
            ) -> Result<Json<Order>, String> {
                let digits = order_id.strip_prefix("A-").unwrap_or_default();
                // By hand: rmcp publishes the pattern and checks nothing by it.
                if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(format!("order_id must match ^A-\\d{{4}}$, got {order_id:?}"));
                }
                Ok(Json(Order { order_id, status: Status::Shipped }))
            }

            /// Place an order of many lines.
            #[tool(annotations(destructive_hint = false, idempotent_hint = false, open_world_hint = false))]
            async fn place_order(
                &self,
                Parameters(PlaceOrder { lines }): Parameters<PlaceOrder>,
            ) -> Result<Json<Placed>, String> {
                let price: f64 = lines.iter().map(|line| line.price).sum();
                let notes =
                    lines.iter().filter(|line| line.note.is_some() && !line.sku.is_empty() && price > 0.0).count();
                let sent = lines.iter().filter(|line| {
                    let Address { name, street, city, country } = &line.ship_to;
                    [name, street, city, country].iter().all(|part| !part.is_empty())
                });
                let lines_sent = sent.count().min(notes);
                Ok(Json(Placed { lines: lines_sent, pieces: lines.iter().map(|line| line.quantity).sum() }))
            }

            /// The report of the year, in one text.
            #[tool(annotations(read_only_hint = true, open_world_hint = false))]
            async fn report(&self) -> String {
                "x".repeat(1 << 20)
            }

            /// Follow a parcel in ten steps.
            #[tool(annotations(read_only_hint = true, open_world_hint = false))]
            async fn track(&self, meta: RequestMetaObject, client: Peer<RoleServer>) -> Result<String, String> {
                if let Some(token) = meta.get_progress_token() {
                    for step in 1..=10 {
                        let progress = ProgressNotificationParam::new(token.clone(), f64::from(step)).with_total(10.0);
                        client.notify_progress(progress).await.map_err(|error| error.to_string())?;
                    }
                }
                Ok("arrived".to_owned())
            }
        }
    };
}

#[derive(Clone)]
struct Best {
    router: Arc<ToolRouter<Self>>,
}

tools!(Best);

#[tool_handler(router = self.router)]
impl ServerHandler for Best {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[derive(Clone)]
struct Plain;

tools!(Plain);

#[tool_handler]
impl ServerHandler for Plain {}

/// As many more as there are to be, for lists.
fn with_fillers(mut router: ToolRouter<Best>, tools: usize) -> ToolRouter<Best> {
    let schema = r#"{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"limit":{"type":"integer","description":"How many at most."}},"required":["query"]}"#;
    let schema: serde_json::Map<String, serde_json::Value> = serde_json::from_str(schema).expect("a schema");
    let schema = Arc::new(schema);
    let description = "Use this to search one of the many places where something may be. Returns what was found.";
    for number in 4..tools {
        let tool = Tool::new(format!("search_{number:05}"), description, Arc::clone(&schema));
        router.add_route(ToolRoute::new_dyn(tool, |_| {
            Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("found")]).into()) })
        }));
    }
    router
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tools: usize = arguments.get(2).map_or(Ok(4), |tools| tools.parse())?;
    match arguments.iter().take(2).map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["best", transport] => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let server = Best { router: Arc::new(with_fillers(Best::tool_router(), tools)) };
            if *transport == "http" {
                return runtime.block_on(best_http(server));
            }
            runtime.block_on(async {
                server.serve(stdio_pipes()).await?.waiting().await?;
                Ok(())
            })
        }
        ["plain", transport] => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            if *transport == "http" {
                return runtime.block_on(plain_http());
            }
            runtime.block_on(async {
                Plain.serve(stdio()).await?.waiting().await?;
                Ok(())
            })
        }
        _ => Err("usage: best|plain stdio|http [TOOLS]".into()),
    }
}

async fn best_http(server: Best) -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(LocalSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            drop(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

async fn plain_http() -> Result<(), Box<dyn Error>> {
    let service = StreamableHttpService::new(
        || Ok(Plain),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
