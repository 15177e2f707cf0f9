//! A server on a socket of its own: HTTP/1.1 and HTTP/2 without TLS, `/mcp` and `/healthz`.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower_service::Service;

use super::{HttpBody, HttpOptions, HttpService, reply};
use crate::auth::ProtectedResource;
use crate::server::Server;
use crate::transport::ServeError;

/// What the head of an HTTP/1.1 request may take up, in bytes.
const MAX_HEAD: usize = 64 << 10;
/// How long a client may take to send the head of its next request.
const HEAD_DEADLINE: Duration = Duration::from_secs(30);
/// How often an HTTP/2 connection is asked whether it is still there, and how long it may take to say so.
const PING: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));
/// How long to wait when the system has no more sockets.
const BREATHER: Duration = Duration::from_millis(100);

/// A server that listens on an address and waits to be started.
///
/// ```no_run
/// use haft::prelude::*;
/// use haft::{HttpOptions, HttpServer};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), haft::ServeError> {
/// let server = Server::new("orders", "1.0.0").build()?;
/// let options = HttpOptions::new().allow_host("mcp.example.com");
/// let http = HttpServer::bind(server, "0.0.0.0:8080", options).await?;
/// eprintln!("listening on {}", http.local_addr());
/// http.serve_until(async { drop(tokio::signal::ctrl_c().await) }).await
/// # }
/// ```
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    service: HttpService,
    max_connections: usize,
    grace: Duration,
}

impl Server {
    /// Serves `/mcp` on an address that only this machine can reach, until the process is told to stop (Ctrl-C, or
    /// SIGTERM); then as [`HttpServer::serve_until`] says. [`HttpServer::bind`] takes options.
    ///
    /// # Errors
    /// When the address can't be bound, or can be reached from other machines: then the server needs to be told the
    /// names that it is called by.
    pub async fn serve_http(self, address: impl ToSocketAddrs) -> Result<(), ServeError> {
        HttpServer::bind(self, address, HttpOptions::default()).await?.serve().await
    }
}

impl HttpServer {
    /// Listens on an address. Port 0 takes one that is free.
    ///
    /// # Errors
    /// When the address can't be bound, or can be reached from other machines and `options` allow no host; when their
    /// [protected resource](HttpOptions::protected_resource) is none.
    pub async fn bind(server: Server, address: impl ToSocketAddrs, options: HttpOptions) -> Result<Self, ServeError> {
        if let Some(problem) = options.resource.as_ref().and_then(ProtectedResource::problem) {
            return Err(ServeError::ProtectedResource(problem));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        if !address.ip().to_canonical().is_loopback() && options.hosts.is_empty() {
            return Err(ServeError::PublicBind(address));
        }
        let (max_connections, grace) = (options.max_connections, options.shutdown_grace);
        Ok(Self { listener, address, service: server.into_http_service(options), max_connections, grace })
    }

    /// The address that it listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process is told to stop (Ctrl-C, or SIGTERM).
    ///
    /// # Errors
    /// When the process can't be told.
    pub async fn serve(self) -> Result<(), ServeError> {
        let stop = Stop::new()?;
        self.serve_until(stop.wait()).await
    }

    /// Serves until `stop` is there. Then no more connections are accepted, and what is in flight may finish for the
    /// [grace time](HttpOptions::shutdown_grace); the rest is cancelled. Subscriptions to the server end.
    ///
    /// The endpoint is `/mcp`. `/healthz` answers 200, whatever `Host` says. Where there is a
    /// [protected resource](HttpOptions::protected_resource), its metadata is at
    /// `/.well-known/oauth-protected-resource`, and at that followed by `/mcp` and by the resource's own path.
    ///
    /// # Errors
    /// None so far: a connection that fails ends alone.
    pub async fn serve_until(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let mut stop = pin!(stop);
        let (closing, closed) = watch::channel(false);
        let slots = Arc::new(Semaphore::new(self.max_connections.min(Semaphore::MAX_PERMITS)));
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let accept = async {
                let slot = Arc::clone(&slots).acquire_owned().await;
                (self.listener.accept().await, slot)
            };
            let (accepted, slot) = tokio::select! {
                biased;
                () = &mut stop => break,
                accepted = accept => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let connection = serve_connection(stream, self.service.clone(), closed.clone());
                    connections.spawn(async move {
                        connection.await;
                        drop(slot);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(BREATHER).await;
                }
            }
        }
        drop(self.listener);
        closing.send_replace(true);
        self.service.end_subscriptions();
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(self.grace, all).await.is_err() {
            tracing::warn!(open = connections.len(), "connections are cut off: the grace time is over");
            connections.shutdown().await;
        }
        Ok(())
    }
}

/// One connection, to its end. Once `closed` it takes no further request.
async fn serve_connection(stream: TcpStream, service: HttpService, mut closed: watch::Receiver<bool>) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_DEADLINE).max_buf_size(MAX_HEAD);
    let (every, within) = PING;
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(every).keep_alive_timeout(within);
    let service = service_fn(move |request| routed(service.clone(), request));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let served = tokio::select! {
        served = connection.as_mut() => Some(served),
        () = closing(&mut closed) => None,
    };
    let served = match served {
        Some(served) => served,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Until the server stops.
async fn closing(closed: &mut watch::Receiver<bool>) {
    // An error says that the server is gone.
    drop(closed.wait_for(|closed| *closed).await);
}

async fn routed(mut service: HttpService, request: Request<Incoming>) -> Result<Response<HttpBody>, Infallible> {
    match request.uri().path() {
        "/mcp" => service.call(request).await,
        "/healthz" => Ok(reply::text(StatusCode::OK, "ok\n")),
        path if service.has_metadata_at(path) => service.metadata_service().call(request).await,
        _ => Ok(reply::text(StatusCode::NOT_FOUND, "Not found. The MCP endpoint is /mcp.\n")),
    }
}

/// The signals that end a process.
struct Stop {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    fn new() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?,
        })
    }

    async fn wait(mut self) {
        #[cfg(unix)]
        let terminated = self.terminate.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            _ = terminated => {}
            interrupted = tokio::signal::ctrl_c() => {
                if let Err(error) = interrupted {
                    tracing::error!(%error, "Ctrl-C can't be waited for");
                }
            }
        }
    }
}
