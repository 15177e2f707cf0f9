use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use haft_schema::Checker;
use haft_wire::{CacheScope, ListParams, ListToolsResult, Tool, method};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::error::{ClientError, ErrorKind};
use super::frames::{First, MOST_LISTED, MOST_PARTS, parts};
use super::link::Mirrored;
use super::rounds::How;
use super::{CallOptions, Client, Inner};

/// Pages that a list may have: a server that never ends its list is broken.
const MAX_PAGES: usize = 1_000;
/// Bytes of all pages of a list.
const MAX_BYTES: usize = 64 << 20;
/// How often the time of one request a whole list may take.
const MAX_TIMES: u32 = 10;
/// Bytes of one definition, and of a name: a name goes into a header.
const MAX_DEFINITION: usize = 1 << 20;
const MAX_NAME: usize = 1 << 10;
/// Definitions that are left out and logged one by one.
const MAX_LOGGED: usize = 20;
/// For how long a list is fresh at most, whatever the server says.
const MAX_FRESH: Duration = Duration::from_secs(24 * 3600);

/// What becomes of arguments that break a tool's input schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CheckArguments {
    /// The call is made all the same and the problems are logged: some servers take more than they say.
    #[default]
    Advise,
    /// The call isn't made, and the error names every problem.
    Enforce,
    /// They aren't looked at.
    Off,
}

/// The tools of a server.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolList {
    /// Those that can be called, in the server's order.
    pub tools: Vec<Tool>,
    /// Definitions that are broken, each of which costs that tool only.
    pub left_out: Vec<LeftOut>,
}

/// A definition that can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The tool's name, where it has one.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

/// What is known of the server's tools.
#[derive(Default)]
pub(super) struct Known {
    list: Mutex<Option<Arc<KnownTools>>>,
    /// One asks, the others wait for what it learns.
    asking: tokio::sync::Mutex<()>,
}

/// One list of tools, as the server gave it.
pub(super) struct KnownTools {
    list: ToolList,
    names: HashMap<String, KnownTool>,
    fresh_until: Instant,
    generation: u64,
    /// For whom it is: the authorization that it was asked for with. None where it is for everybody.
    identity: Option<u64>,
}

/// One tool, with what it takes to call it.
pub(super) struct KnownTool {
    index: usize,
    /// Pointers to arguments, each with the end of the header that repeats it.
    #[cfg_attr(not(feature = "http-client"), expect(dead_code, reason = "other transports have no headers"))]
    pub(super) headers: Vec<(String, String)>,
    input: OnceLock<Option<Checker>>,
    output: OnceLock<Option<Checker>>,
}

impl KnownTools {
    pub(super) fn get(&self, name: &str) -> Option<(&Tool, &KnownTool)> {
        let known = self.names.get(name)?;
        Some((self.list.tools.get(known.index)?, known))
    }
}

impl KnownTool {
    /// Compiled once; none where the schema is none that can be checked.
    pub(super) fn input(&self, tool: &Tool) -> Option<&Checker> {
        self.input.get_or_init(|| compiled(&tool.name, "input", &tool.input_schema)).as_ref()
    }

    pub(super) fn output(&self, tool: &Tool) -> Option<&Checker> {
        let schema = tool.output_schema.as_ref()?;
        self.output.get_or_init(|| compiled(&tool.name, "output", schema)).as_ref()
    }
}

fn compiled(tool: &str, which: &str, schema: &RawValue) -> Option<Checker> {
    let schema: Value = serde_json::from_str(schema.get()).ok()?;
    Checker::compile(&schema)
        .map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            tracing::warn!(tool, which, ?problems, "a tool's schema can't be checked");
        })
        .ok()
}

/// Text of a server's that is kept only to be shown.
fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_NAME) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl Client {
    /// All tools of the server that can be called, from all pages, in its order; kept for as long as the server says.
    /// Those whose definitions are broken are logged, and in [`tools`](Client::tools).
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind); a server that gives a cursor twice is
    /// [`InvalidResponse`](crate::ErrorKind::InvalidResponse).
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ClientError> {
        Ok(self.tools().await?.tools)
    }

    /// [`list_tools`](Client::list_tools), with the definitions that were left out.
    ///
    /// # Errors
    /// As `list_tools`'s.
    pub async fn tools(&self) -> Result<ToolList, ClientError> {
        Ok(self.inner.known_tools(Freshness::Fresh).await?.list.clone())
    }

    /// [`tools`](Client::tools), asked for now: for those who know that the list has changed.
    ///
    /// # Errors
    /// As `list_tools`'s.
    pub async fn refresh_tools(&self) -> Result<ToolList, ClientError> {
        Ok(self.inner.known_tools(Freshness::New).await?.list.clone())
    }

    /// The pages of `tools/list` as they came, each a whole result.
    ///
    /// # Errors
    /// As `list_tools`'s.
    pub async fn tool_pages(&self) -> Result<Vec<Box<RawValue>>, ClientError> {
        self.inner.pages(method::TOOLS_LIST).await
    }
}

/// How new what is known has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// As new as the server wants it.
    Fresh,
    /// Whatever is known, unless the server has said that it changed.
    Known,
    /// Asked for now.
    New,
}

impl Inner {
    pub(super) async fn known_tools(&self, freshness: Freshness) -> Result<Arc<KnownTools>, ClientError> {
        if let Some(known) = self.known(freshness).await {
            return Ok(known);
        }
        let _asking = self.tools.asking.lock().await;
        if let Some(known) = self.known(freshness).await {
            return Ok(known);
        }
        // Read before the list: a change that comes meanwhile makes it old.
        let generation = self.inbound.tools_generation();
        let pages = self.pages(method::TOOLS_LIST).await?;
        let identity = self.identity().await;
        let known = Arc::new(self.read_tools(&pages, generation, identity)?);
        *self.tools.list.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&known));
        Ok(known)
    }

    async fn known(&self, freshness: Freshness) -> Option<Arc<KnownTools>> {
        let known = self.tools.list.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let unchanged = known.generation == self.inbound.tools_generation();
        let good = match freshness {
            Freshness::Fresh => unchanged && Instant::now() < known.fresh_until,
            Freshness::Known => unchanged,
            Freshness::New => false,
        };
        // Asked for only where it matters: an authorization may have to be signed.
        match known.identity {
            Some(with) if good => (with == self.identity().await).then_some(known),
            _ => good.then_some(known),
        }
    }

    /// All pages of a list.
    ///
    /// spec: `server/utilities/pagination`
    pub(super) async fn pages(&self, method: &str) -> Result<Vec<Box<RawValue>>, ClientError> {
        let patience = self.settings.timeout.saturating_mul(MAX_TIMES);
        tokio::time::timeout(patience, self.each_page(method)).await.unwrap_or_else(|_| {
            Err(ClientError::new(ErrorKind::Timeout, format!("{method} did not come to its end within {patience:?}")))
        })
    }

    async fn each_page(&self, method: &str) -> Result<Vec<Box<RawValue>>, ClientError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            #[serde(default)]
            next_cursor: Option<String>,
        }
        let (mut pages, mut seen) = (Vec::new(), HashSet::new());
        let (mut bytes, mut all_parts) = (0, 0);
        let mut cursor = None;
        let mirrored = Mirrored { method: method.to_owned(), ..Mirrored::default() };
        let how = How::of(CallOptions::default(), self.settings.timeout);
        while pages.len() < MAX_PAGES {
            let page = self.request(&ListParams { cursor }, &mirrored, &how).await?;
            bytes += page.get().len();
            all_parts += parts(page.get().as_bytes());
            if bytes > MAX_BYTES || all_parts > MOST_PARTS {
                return Err(ClientError::invalid(format!(
                    "the list of {method} is too large: it has more than {MAX_BYTES} bytes, or {MOST_PARTS} parts"
                )));
            }
            let Page { next_cursor } = serde_json::from_str(page.get()).map_err(|error| {
                ClientError::invalid(format!("the result of {method} breaks the protocol: {error}"))
            })?;
            pages.push(page);
            // An empty cursor is one.
            let Some(next) = next_cursor else { return Ok(pages) };
            if !seen.insert(next.clone()) {
                let what = format!("{method} gave the cursor {next:?} twice; its list would never end");
                return Err(ClientError::invalid(what));
            }
            cursor = Some(next);
        }
        Err(ClientError::invalid(format!("{method} has more than {MAX_PAGES} pages")))
    }

    fn read_tools(&self, pages: &[Box<RawValue>], generation: u64, identity: u64) -> Result<KnownTools, ClientError> {
        #[derive(Deserialize)]
        struct Page<'a> {
            #[serde(borrow)]
            tools: First<'a>,
        }
        let (mut list, mut names) = (ToolList::default(), HashMap::new());
        let (mut fresh, mut public, mut seen, mut more) = (MAX_FRESH, true, 0, 0);
        let broken = |error| ClientError::invalid(format!("the result of tools/list breaks the protocol: {error}"));
        for page in pages {
            let said: ListToolsResult<IgnoredAny> = serde_json::from_str(page.get()).map_err(broken)?;
            fresh = fresh.min(Duration::from_millis(said.ttl_ms));
            public &= said.cache_scope == CacheScope::Public;
            let Page { tools } = serde_json::from_str(page.get()).map_err(broken)?;
            more += tools.more;
            for definition in tools.elements {
                seen += 1;
                if seen > MOST_LISTED {
                    more += 1;
                    continue;
                }
                match self.read_tool(definition) {
                    Ok((tool, _)) if names.contains_key(&tool.name) => {
                        let reason = "there is a tool of this name before it".to_owned();
                        list.left_out.push(LeftOut { name: Some(tool.name), reason });
                    }
                    Ok((tool, headers)) => {
                        let (input, output) = Default::default();
                        let index = list.tools.len();
                        names.insert(tool.name.clone(), KnownTool { index, headers, input, output });
                        list.tools.push(tool);
                    }
                    Err(left_out) => list.left_out.push(left_out),
                }
            }
        }
        if more > 0 {
            let reason = format!("{more} definitions more: no more than {MOST_LISTED} are taken from one server");
            list.left_out.push(LeftOut { name: None, reason });
        }
        for LeftOut { name, reason } in list.left_out.iter().take(MAX_LOGGED) {
            tracing::warn!(name, reason, "a tool is left out");
        }
        if let more @ 1.. = list.left_out.len().saturating_sub(MAX_LOGGED) {
            tracing::warn!(more, "more tools are left out");
        }
        let (fresh_until, identity) = (Instant::now() + fresh, (!public).then_some(identity));
        Ok(KnownTools { list, names, fresh_until, generation, identity })
    }

    /// spec: `basic/transports/streamable-http#schema-extension`
    fn read_tool(&self, definition: &RawValue) -> Result<(Tool, Vec<(String, String)>), LeftOut> {
        #[derive(Deserialize)]
        struct Named<'a> {
            #[serde(borrow)]
            name: &'a RawValue,
        }
        let named = || {
            let Named { name } = serde_json::from_str(definition.get()).ok()?;
            serde_json::from_str(name.get()).ok().map(shortened)
        };
        if definition.get().len() > MAX_DEFINITION {
            let reason = format!("its definition has more than {MAX_DEFINITION} bytes");
            return Err(LeftOut { name: named(), reason });
        }
        let tool: Tool = serde_json::from_str(definition.get()).map_err(|error| {
            let reason = shortened(format!("its definition can't be read: {error}"));
            LeftOut { name: named(), reason }
        })?;
        if tool.name.len() > MAX_NAME {
            return Err(LeftOut { name: named(), reason: format!("its name has more than {MAX_NAME} bytes") });
        }
        let left_out = |reason: String| LeftOut { name: Some(tool.name.clone()), reason };
        let schema: Value = serde_json::from_str(tool.input_schema.get())
            .map_err(|error| left_out(format!("its input schema can't be read: {error}")))?;
        if !schema.is_object() {
            return Err(left_out("its input schema is no object".to_owned()));
        }
        if !self.has_headers() {
            return Ok((tool, Vec::new()));
        }
        let headers = haft_schema::received_headers(&schema).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            left_out(shortened(format!("its x-mcp-header breaks the rules: {}", problems.join("; "))))
        })?;
        Ok((tool, headers))
    }

    /// Which authorization this client has now.
    async fn identity(&self) -> u64 {
        match &self.link {
            super::link::Link::Streams(_) => 0,
            #[cfg(feature = "http-client")]
            super::link::Link::Http(http) => http.identity().await,
        }
    }

    /// Whether arguments are repeated in headers.
    fn has_headers(&self) -> bool {
        #[cfg(feature = "http-client")]
        return matches!(self.link, super::link::Link::Http(_));
        #[cfg(not(feature = "http-client"))]
        false
    }
}
