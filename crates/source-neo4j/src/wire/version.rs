//! The version of the server.

/// The version of Neo4j; its parts that are not numbers are zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerVersion {
    /// 4 or 5, and the year since 2025.
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl ServerVersion {
    /// Parses the server's agent: `Neo4j/5.26.0`, `Neo4j/5.27-aura`, `Neo4j/2025.01.0`.
    pub(super) fn from_agent(agent: &str) -> ServerVersion {
        let version = agent.split_once('/').map_or("", |(_, version)| version);
        let mut parts = version.split('.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or(0)
        });
        let mut next = || parts.next().unwrap_or(0);
        ServerVersion { major: next(), minor: next(), patch: next() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_far_as_they_are_numbers() {
        let check = |agent: &str, expected: (u32, u32, u32)| {
            let ServerVersion { major, minor, patch } = ServerVersion::from_agent(agent);
            assert_eq!((major, minor, patch), expected, "{agent}");
        };
        check("Neo4j/5.26.0", (5, 26, 0));
        check("Neo4j/4.4.37", (4, 4, 37));
        check("Neo4j/5.27-aura", (5, 27, 0));
        check("Neo4j/2025.01.0", (2025, 1, 0));
        check("Neo4j/dev", (0, 0, 0));
        check("", (0, 0, 0));
        assert!(
            ServerVersion::from_agent("Neo4j/2025.01.0")
                > ServerVersion::from_agent("Neo4j/5.26.1")
        );
    }
}
