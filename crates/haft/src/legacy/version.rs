/// A revision with sessions, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    /// Over HTTP it had a transport of its own, which isn't spoken here.
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
}

impl Version {
    pub(crate) const ALL: [Self; 4] = [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
        }
    }

    /// The revision of this name, if it is one of these.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    /// What a session speaks whose client asks for `name`: just that, or else the newest, which the client may refuse.
    ///
    /// spec: 2025-11-25 `basic/lifecycle#version-negotiation`
    pub(crate) fn negotiated(name: &str) -> Self {
        Self::named(name).unwrap_or(Self::V2025_11_25)
    }
}
