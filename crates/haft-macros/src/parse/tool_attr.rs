//! `#[tool(...)]` as typed.

use proc_macro2::{Ident, TokenStream};
use syn::{LitStr, Path};

use super::entry::{self, Entry};
use super::limit_attr::LimitsAttr;
use super::scopes::Scopes;
use super::task_attr::{self, TaskAttr};
use crate::errors::Errors;
use crate::rules;
use crate::suggest;

/// Everything that was typed between the parentheses of `#[tool(...)]`.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    /// All that were typed; exactly one is right
    pub(crate) stands: Vec<(Stand, Ident)>,
    /// All that were typed; exactly one is right
    pub(crate) worlds: Vec<(World, Ident)>,
    pub(crate) idempotent: bool,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Vec<(LitStr, TokenStream)>,
    pub(crate) allow: Vec<Ident>,
    pub(crate) needs: Vec<Need>,
    pub(crate) scopes: Scopes,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) logs: bool,
    pub(crate) embeds_resources: bool,
    /// The type of the handles that the tool creates
    pub(crate) handle: Option<syn::Type>,
    pub(crate) limits: LimitsAttr,
    pub(crate) task: Option<TaskAttr>,
    pub(crate) krate: Option<(Ident, Path)>,
}

/// What a tool does to the world it acts on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stand {
    ReadOnly,
    Additive,
    Destructive,
}

/// Whom a tool deals with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    Open,
    Closed,
}

/// What becomes of a running call when its client cancels it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancel {
    Drop,
    Detach,
}

/// One `icon(...)`.
pub(crate) struct Icon {
    pub(crate) src: LitStr,
    pub(crate) mime: Option<LitStr>,
    pub(crate) sizes: Vec<LitStr>,
    pub(crate) theme: Option<Theme>,
}

/// The background an icon is made for.
#[derive(Clone, Copy)]
pub(crate) enum Theme {
    Light,
    Dark,
}

/// A capability that the client must have; the name of its variant in `Capability`.
pub(crate) type Need = Ident;

const KEYS: &[&str] = &[
    "name",
    "title",
    "read_only",
    "additive",
    "destructive",
    "open_world",
    "closed_world",
    "idempotent",
    "icon",
    "meta",
    "allow",
    "needs",
    "scopes",
    "cancel",
    "handle",
    "logs",
    "embeds_resources",
    "rate",
    "concurrency",
    "timeout",
    "max_result",
    "task",
    "crate",
];
const CANCEL: &str = r#"write `cancel = "drop"` (a cancelled call stops at its next await) or `cancel = "detach"` (it runs to its end, and its result is thrown away)"#;
const ICON_LIKE: &str = r#"icon(src = "https://example.com/icon.png", mime = "image/png", sizes("48x48"))"#;

/// Words from the specification and from other SDKs, with what haft writes instead.
fn elsewhere(key: &str) -> Option<&'static str> {
    Some(match key {
        "description" | "desc" | "doc" | "about" => {
            "the description is the function's doc comment: write `/// …` above the function"
        }
        "annotations" | "hints" => {
            "write the hints themselves: `read_only`, `additive` or `destructive`, then `open_world` or `closed_world`"
        }
        "read_only_hint" | "readOnlyHint" => "write `read_only`",
        "destructive_hint" | "destructiveHint" => "write `destructive` (true), or `additive` (false)",
        "idempotent_hint" | "idempotentHint" => "write `idempotent`",
        "open_world_hint" | "openWorldHint" => "write `open_world` (true) or `closed_world` (false)",
        "icons" => "write one `icon(…)` for each icon",
        "_meta" => "write `meta(\"com.example/key\" = …)`",
        "input_schema" | "inputSchema" => {
            "the input schema comes from the function's parameters; `#[arg(…)]` refines each"
        }
        "rate_limit" | "rateLimit" => "write `rate(per_second = 5, burst = 10)`",
        "max_concurrency" | "concurrency_limit" => "write `concurrency = 4`",
        "time_limit" | "deadline" => "write `timeout = \"30s\"`",
        "max_size" | "max_result_size" => "write `max_result = 100_000`, in bytes of JSON",
        "scope" | "auth" | "requires" => "write `scopes(\"orders:write\")`",
        "listed" => "write it behind the scopes: `scopes(\"orders:write\", listed)`",
        "tasks" | "task_support" | "taskSupport" => "write `task`, or `task(required)`",
        "output_schema" | "outputSchema" => "the output schema comes from the function's return type",
        _ => return None,
    })
}

impl ToolAttr {
    /// Reads the attribute's tokens. What can't be read is reported and left out.
    pub(crate) fn parse(tokens: TokenStream, errors: &Errors) -> ToolAttr {
        let mut attr = ToolAttr::default();
        let entries = entry::entries(tokens, "read_only", errors);
        for entry in entry::without_repeats(entries, &["icon", "meta"], errors) {
            attr.take(&entry, errors);
        }
        attr
    }

    fn take(&mut self, entry: &Entry, errors: &Errors) {
        let key = entry.key.to_string();
        match key.as_str() {
            word if self.take_hint(word, &entry.key) => {
                entry.flag(errors);
            }
            key if self.limits.take(key, entry, errors) => {}
            "name" => self.name = entry.string(errors),
            "title" => self.title = entry.string(errors),
            "idempotent" => self.idempotent = entry.flag(errors),
            "logs" => self.logs = entry.flag(errors),
            "embeds_resources" => self.embeds_resources = entry.flag(errors),
            "icon" => self.icons.extend(icon(entry, errors)),
            "meta" => {
                let like = r#"meta("com.example/key" = "value")"#;
                if let Some(tokens) = entry.list(like, errors) {
                    self.meta.extend(entry::pairs(tokens, r#""com.example/key" = value"#, errors));
                }
            }
            "allow" => self.allow = known(entry, "allow(portable_name)", "rule", rules::RULES, errors),
            "needs" => {
                let capabilities = ["sampling", "elicitation", "roots"];
                self.needs = known(entry, "needs(sampling)", "client capability", &capabilities, errors);
            }
            "scopes" => self.scopes = Scopes::parse(entry, "tool", errors),
            "cancel" => self.cancel = cancel(entry, errors),
            "handle" => self.handle = handle(entry, errors),
            "task" => self.task = task_attr::task(entry, errors),
            "crate" => self.krate = krate(entry, errors).map(|path| (entry.key.clone(), path)),
            _ => {
                let message = elsewhere(&key).map_or_else(
                    || suggest::unknown("key", &key, KEYS),
                    |instead| format!("`#[tool]` has no key `{key}`: {instead}"),
                );
                errors.on(&entry.key, message);
                // A misspelt hint is one mistake: it still counts, so that it isn't reported as missing too.
                let meant = key.strip_suffix("_hint").or_else(|| suggest::nearest(&key, KEYS));
                self.take_hint(meant.unwrap_or_default(), &entry.key);
            }
        }
    }

    fn take_hint(&mut self, word: &str, key: &Ident) -> bool {
        let stand = match word {
            "read_only" => Some(Stand::ReadOnly),
            "additive" => Some(Stand::Additive),
            "destructive" => Some(Stand::Destructive),
            _ => None,
        };
        let world = match word {
            "open_world" => Some(World::Open),
            "closed_world" => Some(World::Closed),
            _ => None,
        };
        self.stands.extend(stand.map(|stand| (stand, key.clone())));
        self.worlds.extend(world.map(|world| (world, key.clone())));
        stand.is_some() || world.is_some()
    }
}

pub(super) fn known(entry: &Entry, like: &str, what: &str, known: &[&str], errors: &Errors) -> Vec<Ident> {
    let mut words = entry.words(like, errors);
    words.retain(|word| {
        let text = word.to_string();
        let found = known.contains(&text.as_str());
        if !found {
            errors.on(word, suggest::unknown(what, &text, known));
        }
        found
    });
    words
}

fn cancel(entry: &Entry, errors: &Errors) -> Option<Cancel> {
    if !matches!(entry.value, entry::Value::Assigned(_)) {
        errors.on(entry.tokens(), format!("`cancel` takes a word: {CANCEL}"));
        return None;
    }
    let text = entry.string(errors)?;
    match text.value().as_str() {
        "drop" => Some(Cancel::Drop),
        "detach" => Some(Cancel::Detach),
        other => {
            errors.on(&text, format!("unknown cancellation {other:?}: {CANCEL}"));
            None
        }
    }
}

/// `handle = Call`
fn handle(entry: &Entry, errors: &Errors) -> Option<syn::Type> {
    let assigned = match &entry.value {
        entry::Value::Assigned(value) => Some(entry::without_groups(value.clone())),
        _ => None,
    };
    let ty = assigned.and_then(|value| syn::parse2(value).ok());
    if ty.is_none() {
        errors.on(entry.tokens(), "`handle` takes the type of what the handles stand for: write `handle = Call`");
    }
    ty
}

fn icon(entry: &Entry, errors: &Errors) -> Option<Icon> {
    let tokens = entry.list(ICON_LIKE, errors)?;
    let (mut src, mut mime, mut sizes, mut theme) = (None, None, Vec::new(), None);
    let mut src_typed = false;
    let entries = entry::entries(tokens, r#"src = "https://example.com/icon.png""#, errors);
    for entry in entry::without_repeats(entries, &[], errors) {
        match entry.key.to_string().as_str() {
            "src" => {
                src_typed = true;
                src = entry.string(errors);
            }
            "mime" => mime = entry.string(errors),
            "sizes" => sizes = entry.strings(r#"sizes("48x48")"#, errors),
            "theme" => {
                theme = entry.string(errors).and_then(|text| match text.value().as_str() {
                    "light" => Some(Theme::Light),
                    "dark" => Some(Theme::Dark),
                    other => {
                        errors.on(&text, format!("unknown theme {other:?}: write \"light\" or \"dark\""));
                        None
                    }
                });
            }
            other => errors.on(&entry.key, suggest::unknown("`icon` key", other, &["src", "mime", "sizes", "theme"])),
        }
    }
    if !src_typed {
        errors.on(&entry.key, format!("the icon has no `src`: write `{ICON_LIKE}`"));
    }
    Some(Icon { src: src?, mime, sizes, theme })
}

pub(super) fn krate(entry: &Entry, errors: &Errors) -> Option<Path> {
    let text = entry.string(errors)?;
    match text.parse_with(Path::parse_mod_style) {
        Ok(path) => Some(path),
        Err(_) => {
            errors.on(&text, "expected the path of the haft crate, like `crate = \"::my_crate::haft\"`");
            None
        }
    }
}

/// Reads `#[toolset(crate = "...")]`, which takes nothing else.
pub(crate) fn toolset_crate(tokens: TokenStream, errors: &Errors) -> Option<Path> {
    let mut path = None;
    let entries = entry::entries(tokens, "crate = \"::haft\"", errors);
    for entry in entry::without_repeats(entries, &[], errors) {
        match entry.key.to_string().as_str() {
            "crate" => path = krate(&entry, errors),
            key if KEYS.contains(&key) => {
                errors.on(
                    &entry.key,
                    format!("`{key}` belongs to one tool: write it into the `#[tool(…)]` of each method"),
                );
            }
            key => {
                errors.on(&entry.key, format!("unknown key `{key}`: `#[toolset]` takes nothing but `crate = \"…\"`"))
            }
        }
    }
    path
}
