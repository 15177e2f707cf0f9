//! Resources and resource templates: from their definitions to `resources/read`.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use haft_wire::{
    CacheScope, ReadResourceParams, ReadResourceResult, Resource as Definition, ResourceTemplate as TemplateDefinition,
    ResultType, method,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::build::milliseconds;
use super::call::{self, Operation};
use super::completion::Completable;
use super::dispatch::{Exchange, Stop};
use super::listing::{Cacheable, Listing};
use super::mrtr::{Asking, Inputs};
use super::outcome;
use super::problems::{BuildProblem, Sink, check_unique};
use super::scopes::Requirement;
use crate::error::ProtocolError;
use crate::params::Params;
use crate::resource::{About, Resource, ResourceTemplate, UriTemplate, uri};

/// All resources and templates, frozen.
pub(super) struct Resources {
    by_uri: HashMap<String, About>,
    templates: Vec<Template>,
    /// Those of the resources, in the order of their list.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "other transports have no metadata"))]
    requirements: Vec<Requirement>,
    pub(super) list: Listing,
    pub(super) template_list: Listing,
}

struct Template {
    pattern: UriTemplate,
    source: ResourceTemplate,
}

/// Checked, and not yet frozen.
#[derive(Default)]
pub(super) struct Prepared {
    resources: Vec<Resource>,
    templates: Vec<Template>,
    definitions: Vec<Box<RawValue>>,
    template_definitions: Vec<Box<RawValue>>,
}

impl Prepared {
    /// Checks resources and templates; `problems` has whatever is wrong with them.
    pub(super) fn new(
        resources: Vec<Resource>,
        templates: Vec<ResourceTemplate>,
        problems: &mut Vec<BuildProblem>,
    ) -> Self {
        let mut prepared = Self::default();
        let places = resources.iter().map(|resource| (resource.uri.as_str(), resource.about.place.as_str()));
        check_unique("resource", "URI", "duplicate_uri", places, problems);
        for resource in &resources {
            let mut sink = Sink { subject: &resource.uri, place: &resource.about.place, problems };
            if let Some(problem) = uri::problem(&resource.uri) {
                sink.push("uri", format!("this is no URI: {problem}"));
            }
            check_about(&resource.about, &mut sink);
            prepared.definitions.extend(written(&definition(resource), &mut sink));
        }
        let places = templates.iter().map(|template| (template.template.as_str(), template.about.place.as_str()));
        check_unique("resource template", "URI template", "duplicate_uri", places, problems);
        for template in &templates {
            let mut sink = Sink { subject: &template.template, place: &template.about.place, problems };
            check_about(&template.about, &mut sink);
            prepared.template_definitions.extend(written(&template_definition(template), &mut sink));
            match UriTemplate::parse(&template.template) {
                Err(problem) => sink.push("uri_template", format!("this URI template can't be used: {problem}")),
                Ok(pattern) => {
                    check_variables(template, &pattern, &mut sink);
                    prepared.templates.push(Template { pattern, source: template.clone() });
                }
            }
        }
        prepared.resources = resources;
        prepared
    }

    pub(super) fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.templates.is_empty()
    }

    pub(super) fn logs(&self) -> bool {
        self.resources.iter().any(|resource| resource.about.logs)
            || self.templates.iter().any(|template| template.source.about.logs)
    }

    pub(super) fn is_scoped(&self) -> bool {
        self.resources.iter().any(|resource| !resource.about.requires.is_none())
            || self.templates.iter().any(|template| !template.source.about.requires.is_none())
    }

    pub(super) fn completes(&self) -> bool {
        self.templates.iter().any(|template| !template.source.completers.is_empty())
    }

    pub(super) fn freeze(
        self,
        cacheable: &Arc<Cacheable>,
        page_size: Option<NonZeroUsize>,
    ) -> Result<Resources, serde_json::Error> {
        Ok(Resources {
            list: cacheable.listing(
                method::RESOURCES_LIST,
                &self.definitions,
                self.resources.iter().map(|resource| &resource.about.requires),
                page_size,
            )?,
            template_list: cacheable.listing(
                method::RESOURCES_TEMPLATES_LIST,
                &self.template_definitions,
                self.templates.iter().map(|template| &template.source.about.requires),
                page_size,
            )?,
            requirements: self.resources.iter().map(|resource| resource.about.requires.clone()).collect(),
            by_uri: self.resources.into_iter().map(|resource| (resource.uri, resource.about)).collect(),
            templates: self.templates,
        })
    }
}

fn definition(resource: &Resource) -> Definition {
    let about = resource.about.clone();
    Definition {
        uri: resource.uri.clone(),
        name: about.name,
        title: about.title,
        description: about.description,
        mime_type: about.mime_type,
        size: resource.size,
        icons: about.icons,
        annotations: about.annotations,
        meta: (!about.meta.is_empty()).then_some(about.meta),
    }
}

fn template_definition(template: &ResourceTemplate) -> TemplateDefinition {
    let about = template.about.clone();
    TemplateDefinition {
        uri_template: template.template.clone(),
        name: about.name,
        title: about.title,
        description: about.description,
        mime_type: about.mime_type,
        icons: about.icons,
        annotations: about.annotations,
        meta: (!about.meta.is_empty()).then_some(about.meta),
    }
}

fn written(definition: &impl Serialize, sink: &mut Sink<'_>) -> Option<Box<RawValue>> {
    to_raw_value(definition)
        .map_err(|error| sink.push("encoding", format!("the definition cannot be written as JSON: {error}")))
        .ok()
}

fn check_about(about: &About, sink: &mut Sink<'_>) {
    if about.name.is_empty() {
        sink.push("name", "it has no name; give one for programs, such as the last part of its URI");
    }
    if let Some(priority) = about.annotations.as_ref().and_then(|annotations| annotations.priority)
        && !(0.0..=1.0).contains(&priority)
    {
        sink.push("annotations", format!("a priority is a number from 0 to 1, got {priority}"));
    }
    about.requires.check(sink);
    sink.check_icons(&about.icons);
    sink.check_meta(&about.meta);
}

/// What the author says of variables must be about those that the template has.
fn check_variables(template: &ResourceTemplate, pattern: &UriTemplate, sink: &mut Sink<'_>) {
    let known: Vec<&str> = pattern.variables().collect();
    let named = template.completers.iter().map(|(variable, _)| variable).chain(&template.free);
    for variable in named.filter(|variable| !known.contains(&variable.as_str())) {
        let known = known.join(", ");
        sink.push("variable", format!("the template has no variable `{variable}`; its variables are: {known}"));
    }
}

impl Resources {
    /// The resource at `uri`, with the values of its template's variables.
    fn find(&self, uri: &str) -> Result<(&About, Params), ProtocolError> {
        if let Some(about) = self.by_uri.get(uri) {
            return Ok((about, Params::default()));
        }
        if self.by_uri.is_empty() && self.templates.is_empty() {
            let detail = "this server has none to read; those that its tools embed come with their results";
            return Err(outcome::no_resource(uri, Some(detail)));
        }
        if uri.len() > uri::LONGEST {
            return Err(outcome::no_resource(uri, Some("its URI is too long")));
        }
        let units = uri::units(uri).map_err(|problem| outcome::no_resource(uri, Some(&problem)))?;
        for Template { pattern, source } in &self.templates {
            match pattern.read(&units, &source.free) {
                None => {}
                Some(Ok(params)) => return Ok((&source.about, params)),
                Some(Err(refused)) => {
                    tracing::debug!(uri, variable = refused.variable, reason = refused.reason, "a URI is refused");
                    let detail = format!("`{}` {}", refused.variable, refused.reason);
                    return Err(outcome::no_resource(uri, Some(&detail)));
                }
            }
        }
        Err(outcome::no_resource(uri, None))
    }

    /// What it takes to read this, if there is such a resource.
    pub(super) fn requirement(&self, uri: &str) -> Option<&Requirement> {
        self.find(uri).ok().map(|(about, _)| &about.requires)
    }

    /// The scopes that they ask for, in the order of the lists.
    #[cfg(feature = "http")]
    pub(super) fn scopes(&self) -> impl Iterator<Item = &str> {
        let resources = self.requirements.iter();
        let templates = self.templates.iter().map(|template| &template.source.about.requires);
        resources.chain(templates).flat_map(|requirement| &requirement.scopes).map(String::as_str)
    }

    /// The variables of a template. A resource has none.
    pub(super) fn completable(&self, reference: &str) -> Result<Completable<'_>, ProtocolError> {
        if let Some(Template { pattern, source }) = self.templates.iter().find(|t| t.source.template == reference) {
            let (known, requires) = (pattern.variables().collect(), &source.about.requires);
            return Ok(Completable { known, completers: &source.completers, requires });
        }
        if let Some(about) = self.by_uri.get(reference) {
            return Ok(Completable { known: Vec::new(), completers: &[], requires: &about.requires });
        }
        Err(outcome::no_resource(reference, Some("give a URI template as resources/templates/list has it")))
    }
}

/// spec: `server/resources#reading-resources`
pub(super) async fn resources_read(exchange: Exchange<'_>) -> Result<Vec<u8>, Stop> {
    let ReadResourceParams { uri, input_responses, request_state } = ReadResourceParams::read(exchange.params)?;
    let inputs = Inputs { responses: input_responses, state: request_state };
    let id = exchange.id;
    Ok(outcome::encode(id, &read(exchange, &uri, inputs).await?)?)
}

/// Finds a resource and reads it.
pub(super) async fn read(exchange: Exchange<'_>, uri: &str, inputs: Inputs) -> Result<ReadResourceResult, Stop> {
    exchange.asked_for(uri);
    #[cfg(feature = "otel")]
    exchange.is_about(|| super::observe::Target::Resource(uri.into()));
    let inner = &exchange.server.inner;
    let resources = inner.resources.as_ref().ok_or_else(|| outcome::no_resource(uri, None))?;
    let (about, params) = resources.find(uri)?;
    exchange.check_scopes("resource", uri, &about.requires)?;
    let state = inputs.state.clone();
    let asking = Asking::open(&exchange, method::RESOURCES_READ, uri.to_owned(), None, inputs)?;
    exchange.server.use_up(state.as_deref()).await?;
    let operation = Operation { method: method::RESOURCES_READ, name: uri.into(), logs: about.logs };
    let read = |context| (about.reader)(params, context);
    let mut contents = call::handle(exchange, operation, &about.needs, asking, read).await?;
    for contents in &mut contents {
        let mime_type = contents.mime_type_mut();
        *mime_type = mime_type.take().or_else(|| about.mime_type.clone());
    }
    if let Some(sanitizer) = &inner.sanitizer {
        sanitizer.contents(uri, &mut contents);
    }
    Ok(ReadResourceResult {
        result_type: ResultType::Complete,
        contents,
        ttl_ms: milliseconds(about.ttl),
        cache_scope: if about.requires.is_none() { about.cache_scope } else { CacheScope::Private },
        meta: Some(outcome::identity(inner)),
    })
}
