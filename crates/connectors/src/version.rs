//! Versions of the specification of connectors.
//! <https://www.apollographql.com/docs/graphos/connectors/reference/changelog>

use std::fmt;

/// A version of `https://specs.apollo.dev/connect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    V0_1,
    V0_2,
    V0_3,
    V0_4,
}

impl Version {
    /// All versions, the oldest first.
    pub const ALL: [Self; 4] = [Self::V0_1, Self::V0_2, Self::V0_3, Self::V0_4];

    /// The version of a link, such as `v0.3`; `None` if it is unknown.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    /// The version as in links.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V0_1 => "v0.1",
            Self::V0_2 => "v0.2",
            Self::V0_3 => "v0.3",
            Self::V0_4 => "v0.4",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
