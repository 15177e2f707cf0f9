use std::borrow::Cow;

/// Who is behind a request, as far as its transport knows.
///
/// What a client says of itself (`clientInfo`) is something else: nobody has verified that.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Principal {
    /// Whoever started this process, or runs in it: stdio and in-memory connections.
    Local,
    /// Somebody on the network who hasn't said who they are. All of them share this value, and no identity.
    Anonymous,
}

impl Principal {
    /// What request state is bound to: another text for every other principal. Anonymous callers are one and the same,
    /// since nothing tells them apart.
    pub(crate) fn identity(&self) -> Cow<'_, str> {
        match self {
            Self::Local => "local".into(),
            Self::Anonymous => "anonymous".into(),
        }
    }
}
