use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use haft_schema::Checker;
use haft_wire::{ListParams, ListToolsResult, Tool, method};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::error::ClientError;
use super::link::Mirrored;
use super::rounds::How;
use super::{CallOptions, Client, Inner};

/// Pages that a list may have: a server that never ends its list is broken.
const MAX_PAGES: usize = 10_000;
/// Bytes that the definitions of one server may take up.
const MAX_BYTES: usize = 128 << 20;
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
        let before = self.known(freshness);
        if let Some(known) = before {
            return Ok(known);
        }
        let _asking = self.tools.asking.lock().await;
        if let Some(known) = self.known(freshness) {
            return Ok(known);
        }
        // Read before the list: a change that comes meanwhile makes it old.
        let generation = self.inbound.tools_generation();
        let pages = self.pages(method::TOOLS_LIST).await?;
        let known = Arc::new(self.read_tools(&pages, generation)?);
        *self.tools.list.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&known));
        Ok(known)
    }

    fn known(&self, freshness: Freshness) -> Option<Arc<KnownTools>> {
        let known = self.tools.list.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let unchanged = known.generation == self.inbound.tools_generation();
        let good = match freshness {
            Freshness::Fresh => unchanged && Instant::now() < known.fresh_until,
            Freshness::Known => unchanged,
            Freshness::New => false,
        };
        good.then_some(known)
    }

    /// All pages of a list.
    ///
    /// spec: `server/utilities/pagination`
    pub(super) async fn pages(&self, method: &str) -> Result<Vec<Box<RawValue>>, ClientError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            #[serde(default)]
            next_cursor: Option<String>,
        }
        let (mut pages, mut seen, mut bytes) = (Vec::new(), HashSet::new(), 0);
        let mut cursor = None;
        let mirrored = Mirrored { method: method.to_owned(), ..Mirrored::default() };
        let how = How::of(CallOptions::default(), self.settings.timeout);
        while pages.len() < MAX_PAGES {
            let page = self.request(&ListParams { cursor }, &mirrored, &how).await?;
            bytes += page.get().len();
            if bytes > MAX_BYTES {
                return Err(ClientError::invalid(format!("{method} has more than {MAX_BYTES} bytes")));
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

    fn read_tools(&self, pages: &[Box<RawValue>], generation: u64) -> Result<KnownTools, ClientError> {
        let (mut list, mut names) = (ToolList::default(), HashMap::new());
        let mut fresh = MAX_FRESH;
        for page in pages {
            let page: ListToolsResult<Box<RawValue>> = serde_json::from_str(page.get()).map_err(|error| {
                ClientError::invalid(format!("the result of tools/list breaks the protocol: {error}"))
            })?;
            fresh = fresh.min(Duration::from_millis(page.ttl_ms));
            for definition in page.tools {
                match self.read_tool(&definition) {
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
        for LeftOut { name, reason } in &list.left_out {
            tracing::warn!(name, reason, "a tool is left out");
        }
        Ok(KnownTools { list, names, fresh_until: Instant::now() + fresh, generation })
    }

    /// spec: `basic/transports/streamable-http#schema-extension`
    fn read_tool(&self, definition: &RawValue) -> Result<(Tool, Vec<(String, String)>), LeftOut> {
        let tool: Tool = serde_json::from_str(definition.get()).map_err(|error| {
            let named: Result<Value, _> = serde_json::from_str(definition.get());
            let name = named.ok().and_then(|value| value.get("name")?.as_str().map(str::to_owned));
            LeftOut { name, reason: format!("its definition can't be read: {error}") }
        })?;
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
            left_out(format!("its x-mcp-header breaks the rules: {}", problems.join("; ")))
        })?;
        Ok((tool, headers))
    }

    /// Whether arguments are repeated in headers.
    fn has_headers(&self) -> bool {
        #[cfg(feature = "http-client")]
        return matches!(self.link, super::link::Link::Http(_));
        #[cfg(not(feature = "http-client"))]
        false
    }
}
