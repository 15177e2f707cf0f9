use std::time::Duration;

use super::gate::{HostRule, OriginRule};
use crate::auth::{Authenticate, Authenticator, ProtectedResource};

/// How a server is reached over HTTP. What isn't set is safe for a server that only this machine talks to.
///
/// ```
/// use haft::HttpOptions;
/// use std::time::Duration;
///
/// let options = HttpOptions::new()
///     .allow_host("mcp.example.com")
///     .allow_origin("https://app.example.com")
///     .cors(true)
///     .deadline(Duration::from_secs(120));
/// # let _ = options;
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpOptions {
    pub(super) hosts: Vec<HostRule>,
    pub(super) origins: Vec<OriginRule>,
    pub(super) cors: bool,
    pub(super) authenticator: Option<Authenticator>,
    pub(super) anonymous: bool,
    pub(super) resource: Option<ProtectedResource>,
    pub(super) max_body: usize,
    pub(super) max_in_flight: usize,
    pub(super) max_subscriptions: usize,
    pub(super) max_connections: usize,
    pub(super) deadline: Option<Duration>,
    pub(super) patience: Duration,
    pub(super) keep_alive: Duration,
    pub(super) shutdown_grace: Duration,
    pub(super) max_sessions: usize,
    pub(super) session_ttl: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            cors: false,
            authenticator: None,
            anonymous: false,
            resource: None,
            max_body: 4 << 20,
            max_in_flight: 1024,
            max_subscriptions: 16_384,
            max_connections: 16_384,
            deadline: None,
            patience: Duration::from_secs(10),
            keep_alive: Duration::from_secs(15),
            shutdown_grace: Duration::from_secs(10),
            max_sessions: 10_000,
            session_ttl: Duration::from_secs(1800),
        }
    }
}

impl HttpOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a name that the server is called by: what may stand in `Host`, in any case. Without a port any port will
    /// do; with one, only that. Unless a name is added, these are `localhost`, `127.0.0.1` and `[::1]`, and a server
    /// that other machines can reach refuses to start.
    ///
    /// A browser that was led to this server by a name that somebody else owns says so in `Host`, and is refused
    /// with 403 (DNS rebinding).
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(HostRule::new(&name.into()));
        self
    }

    /// Adds a web origin whose pages may call this server, such as `https://app.example.com`. Pages on the allowed
    /// hosts themselves always may, and so may programs, which send no `Origin`. All others are refused with 403.
    ///
    /// spec: `basic/transports/streamable-http#security-&-endpoint`
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(OriginRule::new(&origin.into()));
        self
    }

    /// Whether browsers are told that pages of the allowed origins may call this server. Off unless set: pages of
    /// other origins then get no answer.
    pub fn cors(mut self, on: bool) -> Self {
        self.cors = on;
        self
    }

    /// How callers are known. Unless set, all of them are anonymous.
    ///
    /// Tokens are as good as passwords: put something that speaks TLS before a server that other machines can reach.
    ///
    /// With an authenticator a request without good credentials is refused with 401 and a challenge, which says where to
    /// get them if there is a [`protected_resource`](Self::protected_resource). What a caller may then do is for the
    /// [scopes](crate::ToolBuilder::scopes) of tools to say. Credentials are checked when a request begins: a call or a
    /// stream that goes on for longer than its token is good isn't cut off.
    ///
    /// spec: `basic/authorization#token-handling`
    pub fn authenticate(mut self, authenticator: impl Authenticate) -> Self {
        self.authenticator = Some(Authenticator::new(authenticator));
        self
    }

    /// Whether a request without any credentials is let in, as [`Principal::Anonymous`](crate::Principal::Anonymous).
    /// Not unless set, where there is an [authenticator](Self::authenticate). Wrong credentials are refused in any case,
    /// and so is an anonymous call of what has scopes.
    pub fn allow_anonymous(mut self, on: bool) -> Self {
        self.anonymous = on;
        self
    }

    /// What clients are told that have no token yet: which authorization server gives it.
    ///
    /// spec: `basic/authorization/authorization-server-discovery#authorization-server-location`
    pub fn protected_resource(mut self, resource: ProtectedResource) -> Self {
        self.resource = Some(resource);
        self
    }

    /// The longest body that is read, in bytes. 4 MiB unless set. A longer one is refused with 413.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }

    /// How many requests are answered side by side, over all connections. 1,024 unless set, at least 1. One more is
    /// refused with 503. In a session, a call that waits for its client's answer is one of them; the answer isn't.
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.max_in_flight = requests.max(1);
        self
    }

    /// How many subscriptions are held open, over all connections. 16,384 unless set, at least 1. They don't count as
    /// requests that are answered.
    pub fn max_subscriptions(mut self, subscriptions: usize) -> Self {
        self.max_subscriptions = subscriptions.max(1);
        self
    }

    /// How many connections [`HttpServer`](crate::HttpServer) holds. 16,384 unless set, at least 1. While as many
    /// are open, the next one waits to be accepted.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections.max(1);
        self
    }

    /// How long one request may take from its last byte to its answer. No bound unless set. A request that takes
    /// longer is cancelled and answered with an error; subscriptions last as long as they are read. In a session, the
    /// time that a user takes to answer a question counts.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// For how long an answer may keep quiet before it becomes a stream of events, which keeps the connection from
    /// being closed by what lies between. 10 s unless set.
    pub fn stream_after(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// How often a stream that has nothing to say sends a comment. 15 s unless set.
    ///
    /// spec: `basic/transports/streamable-http#receiving-messages`
    pub fn keep_alive(mut self, every: Duration) -> Self {
        self.keep_alive = every.max(Duration::from_millis(1));
        self
    }

    /// How many clients of older revisions may have a session. 10,000 unless set, at least 1. For one more, the one that
    /// has been silent for longest is ended if that is at least a minute; else the new client is refused with 503.
    ///
    /// Sessions live in this process: behind a load balancer, all requests of one (the header `Mcp-Session-Id`) have to
    /// come to the same one.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.max_sessions = sessions.max(1);
        self
    }

    /// After how much silence a session is over. 30 minutes unless set. A client that reads a stream isn't silent, nor is
    /// one while a call of its runs.
    ///
    /// spec: 2025-11-25 `basic/transports#session-management`
    pub fn session_ttl(mut self, silence: Duration) -> Self {
        self.session_ttl = silence;
        self
    }

    /// For how long [`HttpServer`](crate::HttpServer) lets requests finish once it is told to stop. 10 s unless set;
    /// then they are cancelled.
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.shutdown_grace = grace;
        self
    }
}
