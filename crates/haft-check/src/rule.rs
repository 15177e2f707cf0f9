//! What a rule is.

use std::fmt;

use serde::Serialize;

use crate::finding::Found;
use crate::host::Host;
use crate::limits::Limit;
use crate::server::Server;
use crate::tool::Tool;

/// One thing that is checked, with who says so.
///
/// Each rule has a file below `rules/`; rules that differ only in the host share one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Such as `CLA-IN-001`. It never changes its meaning.
    pub id: &'static str,
    /// What is wrong where it fires, in a few words.
    pub title: &'static str,
    /// The part of a definition that it looks at.
    pub subject: Subject,
    /// Who asks for it.
    pub family: Family,
    /// The hosts that it speaks of; empty for those of all.
    pub hosts: &'static [Host],
    /// What comes of it.
    pub severity: Severity,
    /// How much is lost.
    pub blast: Blast,
    /// Why anybody believes it.
    pub confidence: Confidence,
    /// Where it is written.
    pub source: &'static str,
    /// When the source was as described: `YYYY-MM-DD`.
    pub date: &'static str,
    /// What the host does.
    pub consequence: &'static str,
    /// What to write instead.
    pub fix: &'static str,
    /// What else to know; where hosts contradict each other, both sides and the safe choice.
    pub note: Option<&'static str>,
    pub(crate) limit: Option<&'static Limit>,
    pub(crate) check: Check,
}

/// How a rule is decided.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Tool by tool.
    Tool(fn(&Tool<'_>, &mut Found<'_>)),
    /// From each text that a model may read, wherever it stands: what is wrong with it.
    Text(fn(&str) -> Option<String>),
    /// From all that is known of the server.
    Server(fn(&Server<'_>, &mut Found<'_>)),
}

impl Rule {
    /// What the others leave out.
    pub(crate) const BASE: Self = Self {
        id: "",
        title: "",
        subject: Subject::Tool,
        family: Family::Host,
        hosts: &[],
        severity: Severity::Advice,
        blast: Blast::Tool,
        confidence: Confidence::Documented,
        source: "",
        date: "",
        consequence: "",
        fix: "",
        note: None,
        limit: None,
        check: Check::Server(|_, _| {}),
    };

    /// Whether it speaks of one of these hosts, or of all.
    pub(crate) fn concerns(&self, hosts: &[Host]) -> bool {
        self.hosts.is_empty() || self.hosts.iter().any(|host| hosts.contains(host))
    }
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// As it is written on the command line and in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The one of this name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                [$(Self::$variant),+].into_iter().find(|it| it.name() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words! {
    /// What comes of a finding, the least first.
    Severity {
        /// It could be better.
        Advice = "advice",
        /// Taken, with something lost or misread; or reported by users only.
        Degraded = "degraded",
        /// Cut, renamed or stripped.
        Truncates = "truncates",
        /// Refused.
        Rejects = "rejects",
    }
}

words! {
    /// How much is lost with one fault.
    Blast {
        /// The tool.
        Tool = "tool",
        /// All tools of the server.
        Server = "server",
        /// The user's whole session, other servers included.
        Session = "session",
    }
}

words! {
    /// Why a rule is believed.
    Confidence {
        /// It follows from other rules.
        Derived = "derived",
        /// Users report it, or somebody measured it.
        Reported = "reported",
        /// The vendor, or the specification, says so, or its source code does.
        Documented = "documented",
    }
}

words! {
    /// Who asks for it.
    Family {
        /// The specification.
        Specification = "specification",
        /// Hosts and directories.
        Host = "host",
        /// Models that have to choose and call the tool.
        Quality = "quality",
        /// Users who must be able to trust the text.
        Safety = "safety",
    }
}

words! {
    /// The part of a definition that a rule looks at.
    Subject {
        /// The server and its lists.
        Server = "server",
        /// The whole definition.
        Tool = "tool",
        /// `name`
        Name = "name",
        /// `title`
        Title = "title",
        /// `description`
        Description = "description",
        /// `annotations`
        Annotations = "annotations",
        /// `inputSchema`
        Input = "inputSchema",
        /// `outputSchema`
        Output = "outputSchema",
        /// What the server answers to what was sent
        Answers = "answers",
        /// The result of a call
        Result = "result",
        /// `_meta`
        Meta = "_meta",
    }
}
