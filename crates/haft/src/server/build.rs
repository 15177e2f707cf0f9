//! From a builder to a frozen server: every check that can be made before the first request is made here.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use haft_schema::{Checker, InputOptions, Problem, portable};
use haft_wire::{
    CacheScope, CallToolResult, Implementation, ListChangedCapability, ResourcesCapability, ServerCapabilities,
    Tool as Definition, ToolAnnotations, meta,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::builder::{LayerFn, ServerBuilder, UnknownArguments};
use super::change::{Declared, Recipe, Tools};
use super::limits::Limited;
use super::listing::Cacheable;
use super::middleware::ToolService;
use super::mrtr::{Sealer, StateKey};
use super::problems::{BuildError, BuildProblem, Sink, check_unique, unwritable};
use super::prompts::{self, Prompts};
use super::registry::{Entry, Input};
use super::sanitize::Sanitizer;
use super::scopes::Implications;
use super::subscriptions::{Hub, Offer};
use super::{Inner, Server, outcome, resources};
use crate::error::ToolError;
use crate::tool::{self, Limits, OutputSource, Refused, Tool};

pub(super) fn build(mut builder: ServerBuilder) -> Result<Server, BuildError> {
    let mut problems = Vec::new();
    let mut sink = Sink { subject: "", place: "", problems: &mut problems };
    sink.check_icons(&builder.icons);
    check_limits(&builder.settings.limits, &mut sink);
    let layers = mem::take(&mut builder.layers);
    let tools =
        prepare_tools(&builder.tools, (builder.unknown_arguments, &layers, &builder.settings.limits), &mut problems);
    let (resources, templates) = (mem::take(&mut builder.resources), mem::take(&mut builder.templates));
    let resources = resources::Prepared::new(resources, templates, &mut problems);
    let prompts = prompts::prepare(&builder.prompts, &mut problems);
    let sealer = prepare_sealer(&builder, &mut problems);
    let sanitizer = builder.sanitize.compile().unwrap_or_else(|found| {
        let mut sink = Sink { subject: "", place: "", problems: &mut problems };
        found.into_iter().for_each(|problem| sink.push("sanitize", problem));
        None
    });
    let implications = Implications::new(&builder.implied, &mut problems);
    check_tasks(&builder, &mut problems);
    if !problems.is_empty() {
        return Err(BuildError { problems });
    }
    freeze(builder, Prepared { tools, layers, resources, prompts, sealer, sanitizer, implications }).map_err(unwritable)
}

/// What was checked, with its definitions as they go out.
struct Prepared {
    tools: Vec<Arc<Entry>>,
    layers: Vec<LayerFn>,
    resources: resources::Prepared,
    prompts: Vec<Box<RawValue>>,
    sealer: Sealer,
    sanitizer: Option<Sanitizer>,
    implications: Implications,
}

/// What the server's author said of all tools.
pub(super) type How<'a> = (UnknownArguments, &'a [LayerFn], &'a Limits);

/// Checks tools, each by itself and their names against each other.
pub(super) fn prepare_tools(tools: &[Tool], how: How<'_>, problems: &mut Vec<BuildProblem>) -> Vec<Arc<Entry>> {
    let places = tools.iter().map(|tool| (tool.name.as_str(), tool.place.as_str()));
    check_unique("tool", "name", "duplicate_name", places, problems);
    let prepared = tools.iter().filter_map(|tool| {
        prepare(tool, how, &mut Sink { subject: &tool.name, place: &tool.place, problems }).map(Arc::new)
    });
    prepared.collect()
}

/// With the keys that were given, or one of its own.
fn prepare_sealer(builder: &ServerBuilder, problems: &mut Vec<BuildProblem>) -> Sealer {
    let mut problem = |message: &str| {
        Sink { subject: "", place: "", problems }.push("state_keys", message);
    };
    let keys = match &builder.state_keys {
        Some(keys) => {
            if keys.is_empty() {
                problem("there is no key to seal with; give one, or leave `state_keys` out");
            }
            if keys.iter().any(StateKey::is_placeholder) {
                problem("a state key has 32 equal bytes; draw one at random, such as with `openssl rand -hex 32`");
            }
            keys.clone()
        }
        None if builder.replicated => {
            problem(
                "several processes answer for one another, and none could open what another one sealed; give all of them the same `state_keys`",
            );
            Vec::new()
        }
        None => match StateKey::random() {
            Ok(key) => vec![key],
            Err(error) => {
                problem(&format!("the operating system gives no randomness for a key: {error}"));
                Vec::new()
            }
        },
    };
    Sealer::new(&keys, builder.state_ttl, Arc::clone(&builder.clock))
}

/// What tools say of tasks, held against what the server says of them.
fn check_tasks(builder: &ServerBuilder, problems: &mut Vec<BuildProblem>) {
    #[cfg(feature = "tasks")]
    let options = builder.tasks.clone().unwrap_or_default();
    for tool in &builder.tools {
        let Some(support) = &tool.task else { continue };
        let mut sink = Sink { subject: &tool.name, place: &tool.place, problems };
        #[cfg(feature = "tasks")]
        options.problems(support).into_iter().for_each(|problem| sink.push("task", problem));
        #[cfg(not(feature = "tasks"))]
        {
            let _ = support;
            sink.push("task", "it runs as a task, for which haft needs its feature `tasks`; turn it on in Cargo.toml");
        }
    }
}

/// Writes every result that never changes.
fn freeze(builder: ServerBuilder, prepared: Prepared) -> Result<Server, serde_json::Error> {
    let Prepared { tools, layers, resources, prompts, sealer, sanitizer, implications } = prepared;
    let capabilities = capabilities(&builder, &resources);
    let info = serde_json::to_value(Implementation {
        title: builder.title,
        icons: builder.icons,
        website_url: builder.website,
        ..Implementation::new(builder.name, builder.version)
    })?;
    // What differs between callers mustn't be shared, on any page of any list.
    let scoped = tools.iter().any(|tool| !tool.requires.is_none())
        || builder.prompts.iter().any(|prompt| !prompt.requires.is_none())
        || resources.is_scoped();
    let cacheable = Arc::new(Cacheable {
        ttl_ms: milliseconds(builder.list_ttl),
        cache_scope: if scoped { CacheScope::Private } else { builder.cache_scope },
        meta: Some(Map::from_iter([(meta::SERVER_INFO.to_owned(), info.clone())])),
    });
    let size = builder.page_size;
    let resources = match capabilities.resources {
        Some(_) => Some(resources.freeze(&cacheable, size)?),
        None => None,
    };
    let prompts = match capabilities.prompts {
        Some(_) => Some(Prompts::freeze(builder.prompts, &prompts, builder.unknown_arguments, &cacheable, size)?),
        None => None,
    };
    let offer = builder.offer;
    let discover = to_raw_value(&cacheable.discover(capabilities.clone(), builder.instructions))?;
    let recipe = Recipe {
        unknown_arguments: builder.unknown_arguments,
        layers,
        limits: builder.settings.limits,
        page_size: size,
        cacheable,
        declared: Declared {
            logging: capabilities.logging.is_some(),
            resources: capabilities.resources.is_some(),
            tasks: capabilities.extensions.is_some(),
        },
    };
    let registry = recipe.registry(tools)?;
    Ok(Server {
        inner: Arc::new(Inner {
            info,
            completes: capabilities.completions.is_some(),
            discover,
            registry: Tools::new(registry, offer.tools.then_some(recipe)),
            hub: Arc::new(Hub::new(offer, builder.settings.max_subscriptions)),
            resources,
            prompts,
            sealer,
            shared: builder.shared,
            patience: builder.state_ttl,
            sanitizer,
            implications,
            #[cfg(feature = "tasks")]
            tasks: capabilities.extensions.map(|_| super::tasks::Tasks::new(builder.tasks.unwrap_or_default())),
            settings: builder.settings,
            #[cfg(feature = "otel")]
            measured: Default::default(),
        }),
    })
}

/// What the server has, it declares, and nothing else. It never changes while the server runs.
fn capabilities(builder: &ServerBuilder, resources: &resources::Prepared) -> ServerCapabilities {
    let (tools, prompts) = (&builder.tools, &builder.prompts);
    let Offer { tools: tools_change, resources: resources_change, prompts: prompts_change } = builder.offer;
    let yes = |offered: bool| offered.then_some(true);
    let has_resources = resources_change || !resources.is_empty() || tools.iter().any(|tool| tool.embeds_resources);
    let completes = resources.completes() || prompts.iter().any(|prompt| !prompt.completers.is_empty());
    let logs = resources.logs() || tools.iter().any(|tool| tool.logs) || prompts.iter().any(|prompt| prompt.logs);
    ServerCapabilities {
        tools: (tools_change || !tools.is_empty()).then(|| ListChangedCapability { list_changed: yes(tools_change) }),
        resources: has_resources
            .then(|| ResourcesCapability { subscribe: yes(resources_change), list_changed: yes(resources_change) }),
        prompts: (prompts_change || !prompts.is_empty())
            .then(|| ListChangedCapability { list_changed: yes(prompts_change) }),
        completions: completes.then(Default::default),
        logging: logs.then(Default::default),
        #[cfg(feature = "tasks")]
        extensions: (builder.tasks.is_some() || tools.iter().any(|tool| tool.task.is_some()))
            .then(super::tasks::declared),
        ..ServerCapabilities::default()
    }
}

/// As `ttlMs` has it.
pub(super) fn milliseconds(ttl: Duration) -> u64 {
    u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX).min(MAX_SAFE)
}

/// The largest integer that every JSON reader takes exactly.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Checks one tool and makes its entry; `None` where that can't be done.
fn prepare(tool: &Tool, (unknown_arguments, layers, limits): How<'_>, sink: &mut Sink<'_>) -> Option<Entry> {
    check_texts(tool, sink);
    check_limits(&tool.limits, sink);
    let allow: Vec<&str> = tool.allow.iter().map(String::as_str).collect();
    let input = prepare_input(tool, unknown_arguments, &allow, sink);
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
    let service = layers.iter().fold(innermost(tool, Arc::clone(&input)), |service, layer| layer(service));
    Some(Entry {
        name: tool.name.as_str().into(),
        input,
        output,
        service,
        needs: tool.needs.clone(),
        requires: tool.requires.clone(),
        cancel: tool.cancel,
        logs: tool.logs,
        embeds_resources: tool.embeds_resources,
        limits: Limited::new(tool.limits, limits),
        task: tool.task,
        definition,
        place: tool.place.clone(),
    })
}

/// The hints, and the title once more, for the clients that look for it there.
fn annotations(tool: &Tool) -> Option<ToolAnnotations> {
    let annotations = ToolAnnotations { title: tool.title.clone(), ..tool.hints.clone() };
    (annotations != ToolAnnotations::default()).then_some(annotations)
}

fn check_limits(limits: &Limits, sink: &mut Sink<'_>) {
    for problem in limits.problems() {
        sink.push("limits", problem);
    }
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
    sink.check_name("tool", &tool.name);
    tool.requires.check(sink);
    sink.check_icons(&tool.icons);
    sink.check_meta(&tool.meta);
}

type Text = Box<RawValue>;

fn prepare_input(
    tool: &Tool,
    unknown_arguments: UnknownArguments,
    allow: &[&str],
    sink: &mut Sink<'_>,
) -> Option<(Text, Input)> {
    match &tool.input {
        tool::Input::Params(params) => {
            let closed = unknown_arguments == UnknownArguments::Refuse;
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
