//! Cypher features of each version of the server.

/// Features of a server's version. Compilers choose nodes by it, and the printer chooses syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flavor {
    /// A statement names its version of the language. Servers with more than one may be configured
    /// to another default.
    pub says_version: bool,
    /// A subquery lists its imported variables in parentheses, not in a WITH of its own.
    pub scope_clause: bool,
    /// Subqueries are expressions: COUNT, and EXISTS of more than a pattern.
    pub count_subqueries: bool,
    /// COLLECT subqueries are expressions.
    pub collect_subqueries: bool,
    /// A node pattern may have alternative labels.
    pub label_alternatives: bool,
}

impl Flavor {
    /// Neo4j 5.26, the last of its line, and later ones.
    pub const NEWEST: Self = Self {
        says_version: true,
        scope_clause: true,
        count_subqueries: true,
        collect_subqueries: true,
        label_alternatives: true,
    };

    /// The features of a version. Versions are numbered by years since 2025.
    #[must_use]
    pub fn of_version(major: u16, minor: u16) -> Self {
        let since = |wanted: (u16, u16)| (major, minor) >= wanted;
        Self {
            says_version: since((5, 26)),
            scope_clause: since((5, 23)),
            count_subqueries: since((5, 0)),
            collect_subqueries: since((5, 6)),
            label_alternatives: since((5, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Flavor;

    #[test]
    fn newer_servers_understand_more() {
        assert_eq!(Flavor::of_version(5, 26), Flavor::NEWEST);
        assert_eq!(Flavor::of_version(2025, 6), Flavor::NEWEST);
        let before_scopes = Flavor::of_version(5, 22);
        assert!(!before_scopes.scope_clause && before_scopes.collect_subqueries);
        let oldest = Flavor::of_version(4, 4);
        assert!(!oldest.count_subqueries && !oldest.label_alternatives);
    }
}
