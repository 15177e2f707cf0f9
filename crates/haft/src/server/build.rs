//! From a builder to a frozen server: every check that can be made before the first request is made here.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use haft_schema::{Checker, InputOptions, Problem, portable};
use haft_wire::{
    CacheScope, CallToolResult, DiscoverResult, Implementation, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, Meta, ResultType, ServerCapabilities, Tool as Definition, ToolAnnotations, VERSION, meta,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::builder::{ServerBuilder, UnknownArguments};
use super::middleware::ToolService;
use super::registry::{Entry, Input, Page, Registry};
use super::{EmptyLists, Inner, Server, outcome};
use crate::error::ToolError;
use crate::tool::{self, OutputSource, Refused, Tool};

/// Everything that keeps a server from being built.
#[derive(Debug, Clone)]
pub struct BuildError {
    problems: Vec<BuildProblem>,
}

/// One problem of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildProblem {
    /// The tool's name; empty where the server itself is meant.
    pub tool: String,
    /// Where the tool is written, as `file:line`.
    pub source: String,
    /// The rule, as `#[tool(allow(…))]` would name it where it may be waived.
    pub rule: String,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl BuildError {
    /// The problems, in the order of the tools.
    pub fn problems(&self) -> &[BuildProblem] {
        &self.problems
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        write!(f, "the server cannot be built: {count} problem{}", if count == 1 { "" } else { "s" })?;
        for problem in &self.problems {
            write!(f, "\n- ")?;
            if !problem.tool.is_empty() {
                write!(f, "{} ({}): ", problem.tool, problem.source)?;
            }
            write!(f, "{} [{}]", problem.message, problem.rule)?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}

pub(super) fn build(builder: ServerBuilder) -> Result<Server, BuildError> {
    let mut problems = Vec::new();
    let mut entries = Vec::with_capacity(builder.tools.len());
    let mut definitions = Vec::with_capacity(builder.tools.len());
    check_names(&builder.tools, &mut problems);
    for icon in &builder.icons {
        if let Some(message) = icon_problem(&icon.src) {
            problems.push(BuildProblem { tool: String::new(), source: String::new(), rule: "icon".into(), message });
        }
    }
    for tool in &builder.tools {
        let mut sink = Sink { tool, problems: &mut problems };
        if let Some((entry, definition)) = prepare(tool, &builder, &mut sink) {
            entries.push(entry);
            definitions.push(definition);
        }
    }
    if !problems.is_empty() {
        return Err(BuildError { problems });
    }

    let size = builder.page_size.map_or(definitions.len().max(1), Into::into);
    freeze(builder, entries, &definitions, size).map_err(|error| BuildError {
        problems: vec![BuildProblem {
            tool: String::new(),
            source: String::new(),
            rule: "encoding".into(),
            message: format!("the server's description cannot be written as JSON: {error}"),
        }],
    })
}

/// Writes every result that never changes.
fn freeze(
    builder: ServerBuilder,
    entries: Vec<Entry>,
    definitions: &[Box<RawValue>],
    page_size: usize,
) -> Result<Server, serde_json::Error> {
    let info = serde_json::to_value(Implementation {
        title: builder.title,
        icons: builder.icons,
        website_url: builder.website,
        ..Implementation::new(builder.name, builder.version)
    })?;
    let cacheable = Cacheable {
        ttl_ms: u64::try_from(builder.list_ttl.as_millis()).unwrap_or(u64::MAX).min(MAX_SAFE),
        cache_scope: builder.cache_scope,
        meta: Some(Map::from_iter([(meta::SERVER_INFO.to_owned(), info.clone())])),
    };
    let embeds_resources = builder.tools.iter().any(|tool| tool.embeds_resources);
    let discover = cacheable.discover(
        ServerCapabilities {
            tools: (!builder.tools.is_empty()).then(Default::default),
            resources: embeds_resources.then(Default::default),
            logging: builder.tools.iter().any(|tool| tool.logs).then(Default::default),
            ..ServerCapabilities::default()
        },
        builder.instructions,
    );
    let resources = match embeds_resources {
        true => Some(EmptyLists {
            resources: to_raw_value(&cacheable.resources())?,
            templates: to_raw_value(&cacheable.templates())?,
        }),
        false => None,
    };
    Ok(Server {
        inner: Arc::new(Inner {
            info,
            discover: to_raw_value(&discover)?,
            resources,
            registry: Registry::new(entries, pages(definitions, page_size, &cacheable)?),
            settings: builder.settings,
        }),
    })
}

/// The largest integer that every JSON reader takes exactly.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// What every cacheable result carries.
///
/// spec: `server/utilities/caching`
struct Cacheable {
    ttl_ms: u64,
    cache_scope: CacheScope,
    meta: Option<Meta>,
}

impl Cacheable {
    fn discover(&self, capabilities: ServerCapabilities, instructions: Option<String>) -> DiscoverResult {
        let &Self { ttl_ms, cache_scope, ref meta } = self;
        let supported_versions = vec![VERSION.to_owned()];
        let (result_type, meta) = (ResultType::Complete, meta.clone());
        DiscoverResult { result_type, supported_versions, capabilities, instructions, ttl_ms, cache_scope, meta }
    }

    fn tools<'a>(&self, tools: &'a [Box<RawValue>], next_cursor: Option<String>) -> ListToolsResult<&'a RawValue> {
        let &Self { ttl_ms, cache_scope, ref meta } = self;
        let tools = tools.iter().map(AsRef::as_ref).collect();
        let (result_type, meta) = (ResultType::Complete, meta.clone());
        ListToolsResult { result_type, tools, next_cursor, ttl_ms, cache_scope, meta }
    }

    fn resources(&self) -> ListResourcesResult {
        let &Self { ttl_ms, cache_scope, ref meta } = self;
        let (result_type, meta) = (ResultType::Complete, meta.clone());
        ListResourcesResult { result_type, resources: Vec::new(), next_cursor: None, ttl_ms, cache_scope, meta }
    }

    fn templates(&self) -> ListResourceTemplatesResult {
        let &Self { ttl_ms, cache_scope, ref meta } = self;
        let (result_type, meta, resource_templates) = (ResultType::Complete, meta.clone(), Vec::new());
        ListResourceTemplatesResult { result_type, resource_templates, next_cursor: None, ttl_ms, cache_scope, meta }
    }
}

/// The list as it goes out, page by page, each with the cursor that leads to it.
fn pages(definitions: &[Box<RawValue>], size: usize, cacheable: &Cacheable) -> Result<Vec<Page>, serde_json::Error> {
    let list = fingerprint(definitions);
    // A cursor names the list as well as the place in it, so that one from another list is found out. It is the same
    // on every instance that has the same tools.
    let cursor = |page: usize| (page > 0).then(|| format!("{list:016x}{page:x}"));
    let count = definitions.len().div_ceil(size).max(1);
    (0..count)
        .map(|page| {
            let start = page * size;
            let end = definitions.len().min(start + size);
            let next = if page + 1 < count { cursor(page + 1) } else { None };
            let tools = definitions.get(start..end).unwrap_or_default();
            Ok(Page { cursor: cursor(page), result: to_raw_value(&cacheable.tools(tools, next))? })
        })
        .collect()
}

/// FNV-1a over all definitions: the same in every process and every build.
fn fingerprint(definitions: &[Box<RawValue>]) -> u64 {
    definitions
        .iter()
        .flat_map(|definition| definition.get().bytes().chain([b'\n']))
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Where problems of one tool go.
struct Sink<'a> {
    tool: &'a Tool,
    problems: &'a mut Vec<BuildProblem>,
}

impl Sink<'_> {
    fn push(&mut self, rule: &str, message: impl Into<String>) {
        self.problems.push(BuildProblem {
            tool: self.tool.name.clone(),
            source: self.tool.place.clone(),
            rule: rule.to_owned(),
            message: message.into(),
        });
    }

    fn extend(&mut self, what: &str, problems: Vec<Problem>) {
        for problem in problems {
            let place = if problem.place.is_empty() { String::new() } else { format!(" at {}", problem.place) };
            self.push(problem.rule, format!("{what}{place}: {}", problem.message));
        }
    }
}

fn check_names(tools: &[Tool], problems: &mut Vec<BuildProblem>) {
    let mut first: HashMap<&str, &Tool> = HashMap::new();
    for tool in tools {
        if let Some(other) = first.get(tool.name.as_str()) {
            let message = format!("there is already a tool of this name ({}); rename one of them", other.place);
            Sink { tool, problems }.push("duplicate_name", message);
        } else {
            first.insert(&tool.name, tool);
        }
    }
}

/// Checks one tool and makes its entry and definition; `None` where that can't be done.
fn prepare(tool: &Tool, builder: &ServerBuilder, sink: &mut Sink<'_>) -> Option<(Entry, Box<RawValue>)> {
    check_texts(tool, sink);
    let allow: Vec<&str> = tool.allow.iter().map(String::as_str).collect();
    let input = prepare_input(tool, builder, &allow, sink);
    let output = prepare_output(tool, &allow, sink);
    let ((input_text, input), (output_text, output)) = (input?, output?);
    let definition = Definition {
        name: tool.name.clone(),
        title: tool.title.clone(),
        description: tool.description.clone(),
        input_schema: input_text,
        output_schema: output_text,
        annotations: annotations(tool),
        icons: tool.icons.clone(),
        meta: (!tool.meta.is_empty()).then(|| tool.meta.clone()),
    };
    let definition = match to_raw_value(&definition) {
        Ok(definition) => definition,
        Err(error) => {
            sink.push("encoding", format!("the definition cannot be written as JSON: {error}"));
            return None;
        }
    };
    let input = Arc::new(input);
    let service = builder.layers.iter().fold(innermost(tool, Arc::clone(&input)), |service, layer| layer(service));
    let entry = Entry {
        name: tool.name.as_str().into(),
        input,
        output,
        service,
        needs: tool.needs.clone(),
        cancel: tool.cancel,
        logs: tool.logs,
        embeds_resources: tool.embeds_resources,
    };
    Some((entry, definition))
}

/// The hints, and the title once more, for the clients that look for it there.
fn annotations(tool: &Tool) -> Option<ToolAnnotations> {
    let annotations = ToolAnnotations { title: tool.title.clone(), ..tool.hints.clone() };
    (annotations != ToolAnnotations::default()).then_some(annotations)
}

fn check_texts(tool: &Tool, sink: &mut Sink<'_>) {
    let derived = matches!(tool.input, tool::Input::Params(_)) && tool.hints.read_only_hint.is_some();
    if derived {
        if let Err(message) = portable::tool_name(&tool.name)
            && !tool.allows(portable::NAME)
        {
            sink.push(portable::NAME, message);
        }
        if let Err(message) = portable::description(tool.description.as_deref().unwrap_or_default())
            && !tool.allows(portable::DESCRIPTION)
        {
            sink.push(portable::DESCRIPTION, message);
        }
    }
    let charset = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if tool.name.is_empty() || tool.name.len() > 128 || !tool.name.chars().all(charset) {
        sink.push("name", "a tool's name has 1 to 128 letters, digits, `_`, `-` or `.` (ASCII); rename it");
    }
    for icon in &tool.icons {
        if let Some(message) = icon_problem(&icon.src) {
            sink.push("icon", message);
        }
    }
    for key in tool.meta.keys() {
        if !meta::is_valid_key(key) {
            sink.push("meta", format!("`{key}` is not a valid `_meta` key; write one such as `com.example/{{name}}`"));
        }
    }
}

/// spec: `basic/index#icons`
fn icon_problem(src: &str) -> Option<String> {
    let scheme = src.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "data") => None,
        _ => Some(format!("hosts must refuse the icon `{src}`; give an `https:` or `data:` URI")),
    }
}

type Text = Box<RawValue>;

fn prepare_input(tool: &Tool, builder: &ServerBuilder, allow: &[&str], sink: &mut Sink<'_>) -> Option<(Text, Input)> {
    match &tool.input {
        tool::Input::Params(params) => {
            let closed = builder.unknown_arguments == UnknownArguments::Refuse;
            let derived = match haft_schema::input(params, &InputOptions { closed, allow }) {
                Ok(derived) => derived,
                Err(problems) => {
                    sink.extend("input schema", problems);
                    return None;
                }
            };
            if let Err(message) = portable::input_size(&derived.published)
                && !tool.allows(portable::INPUT)
            {
                sink.push(portable::INPUT, message);
            }
            let checker = compiled(Checker::compile_with_formats(&derived.exact), "input schema", sink);
            let text = raw(derived.published, "input schema", sink);
            let (secrets, headers, members) = (derived.secrets, derived.headers, derived.members.into());
            Some((text?, Input { checker: checker?, secrets, headers, members }))
        }
        tool::Input::Written(text) => {
            let schema = written(text, "input schema", sink)?;
            if schema.get("type").and_then(Value::as_str) != Some("object") {
                sink.push("input_root", "the root of an input schema must say `\"type\": \"object\"`");
                return None;
            }
            let checker = compiled(Checker::compile(&schema), "input schema", sink);
            let headers = haft_schema::headers(&schema).map_err(|problems| sink.extend("input schema", problems)).ok();
            let text = raw(text.clone(), "input schema", sink);
            let (secrets, members) = (Vec::new(), Arc::from([]));
            Some((text?, Input { checker: checker?, secrets, headers: headers?, members }))
        }
    }
}

fn prepare_output(tool: &Tool, allow: &[&str], sink: &mut Sink<'_>) -> Option<(Option<Text>, Option<Checker>)> {
    match &tool.output {
        OutputSource::Type(derive) => match derive(allow) {
            Ok(None) => Some((None, None)),
            Ok(Some(derived)) => {
                let checker = compiled(Checker::compile(&derived.exact), "output schema", sink);
                let text = raw(derived.published, "output schema", sink);
                Some((Some(text?), Some(checker?)))
            }
            Err(problems) => {
                sink.extend("output schema", problems);
                None
            }
        },
        OutputSource::Written(text) => {
            let schema = written(text, "output schema", sink)?;
            let checker = compiled(Checker::compile(&schema), "output schema", sink);
            let text = raw(text.clone(), "output schema", sink);
            Some((Some(text?), Some(checker?)))
        }
    }
}

fn compiled(checker: Result<Checker, Vec<Problem>>, what: &str, sink: &mut Sink<'_>) -> Option<Checker> {
    match checker {
        Ok(checker) => Some(checker),
        Err(problems) => {
            sink.extend(what, problems);
            None
        }
    }
}

fn written(text: &str, what: &str, sink: &mut Sink<'_>) -> Option<Value> {
    match serde_json::from_str(text) {
        Ok(schema @ Value::Object(_)) => Some(schema),
        Ok(_) => {
            sink.push("schema", format!("the {what} must be a JSON object"));
            None
        }
        Err(error) => {
            sink.push("schema", format!("the {what} is not JSON: {error}"));
            None
        }
    }
}

fn raw(text: String, what: &str, sink: &mut Sink<'_>) -> Option<Box<RawValue>> {
    // A raw line break inside a schema written by hand would break the line-by-line transport: whitespace between
    // tokens is all that it can be, since JSON strings have none.
    let text = if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text };
    match RawValue::from_string(text) {
        Ok(raw) => Some(raw),
        Err(error) => {
            sink.push("schema", format!("the {what} is not JSON: {error}"));
            None
        }
    }
}

/// The service that runs the function itself.
fn innermost(tool: &Tool, input: Arc<Input>) -> ToolService {
    let handler = Arc::clone(&tool.handler);
    let name: Arc<str> = tool.name.as_str().into();
    ToolService::new(move |call| {
        let running = handler(call, &input.members);
        let (name, input) = (Arc::clone(&name), Arc::clone(&input));
        Box::pin(async move {
            match running.await {
                Ok(result) => Ok(result),
                Err(Refused::Error(error)) => Err::<CallToolResult, ToolError>(error),
                Err(Refused::Undecodable { arguments, failures }) => {
                    Ok(outcome::undecodable(&name, &input, arguments, &failures))
                }
            }
        })
    })
}
