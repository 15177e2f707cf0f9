//! Over HTTP: `/mcp` for clients, `/webhooks/calls` for the provider, `/healthz` for whoever watches.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use haft::{Bearer, HttpOptions, Server};
use tokio::net::TcpListener;
use tokio::signal;
use tokio::sync::watch;

use crate::accounts::Accounts;
use crate::calls::Calls;
use crate::provider::{Notice, Told};
use crate::webhook::{HEADER, Secret, seconds_now};

/// The longest body of a webhook.
const LONGEST: usize = 64 << 10;
/// For how long requests may finish once the process is told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// What the provider's endpoint needs.
#[derive(Clone)]
struct Hook {
    calls: Arc<Calls>,
    secret: Option<Secret>,
}

/// Serves until the process is told to stop.
pub(crate) async fn serve(
    server: Server,
    address: &str,
    hosts: Vec<String>,
    accounts: Accounts,
    calls: Arc<Calls>,
    secret: Option<Secret>,
) -> std::io::Result<()> {
    let listener = TcpListener::bind(address).await?;
    let local = listener.local_addr()?;
    if !local.ip().to_canonical().is_loopback() && hosts.is_empty() {
        let message = format!("{local} can be reached from other machines: say with --allow-host by which name");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
    }
    let bearer = Bearer::new(move |token: String| {
        let caller = accounts.caller(&token);
        async move { caller }
    });
    let options = hosts.into_iter().fold(HttpOptions::new(), HttpOptions::allow_host).authenticate(bearer);
    let routes = Router::new()
        .route("/webhooks/calls", post(told).layer(DefaultBodyLimit::max(LONGEST)).with_state(Hook { calls, secret }))
        .route("/healthz", get(async || "ok\n"))
        .route_service("/mcp", server.into_http_service(options));
    eprintln!("listening on http://{local}/mcp");
    let (stopping, mut stopped) = watch::channel(false);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let serving = axum::serve(listener, routes).with_graceful_shutdown(async move {
        stop().await;
        stopping.send_replace(true);
    });
    let grace = async {
        drop(stopped.wait_for(|stopped| *stopped).await);
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        served = serving => served,
        () = grace => Ok(()),
    }
}

/// Ctrl-C, or SIGTERM.
async fn stop() {
    #[cfg(unix)]
    let terminated = async {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = terminated => {}
        _ = signal::ctrl_c() => {}
    }
}

/// A notice of the provider's. 204: taken. 404 and 410: hang up, there is no such call, or no longer. 503: tell it again.
async fn told(State(hook): State<Hook>, headers: HeaderMap, body: Bytes) -> (StatusCode, &'static str) {
    let signature = headers.get(HEADER).and_then(|value| value.to_str().ok());
    let signed = |secret: &Secret| signature.is_some_and(|header| secret.is_signed(header, seconds_now(), &body));
    if !hook.secret.as_ref().is_some_and(signed) {
        return (StatusCode::UNAUTHORIZED, "The signature is missing, wrong or too old.\n");
    }
    let Ok(notice) = serde_json::from_slice::<Notice>(&body) else {
        return (StatusCode::BAD_REQUEST, "This is no notice of a call.\n");
    };
    match hook.calls.hear(&notice).await {
        Ok(Told::GoOn) => (StatusCode::NO_CONTENT, ""),
        Ok(Told::HangUp) => (StatusCode::GONE, "Hang up.\n"),
        Ok(Told::Again) => (StatusCode::SERVICE_UNAVAILABLE, "Not now.\n"),
        Err(error) => {
            tracing::warn!(%error, "a webhook could not be taken");
            (StatusCode::SERVICE_UNAVAILABLE, "Not now.\n")
        }
    }
}
