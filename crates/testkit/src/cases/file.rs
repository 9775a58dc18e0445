//! The contents of a case file.

use std::fmt;

/// One case: a sentence, its header, a request and its expectations; perhaps more requests after
/// it, to the same database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub header: Header,
    /// In the order of the file; there is one at least.
    pub steps: Vec<Step>,
}

/// A request and its expectations, or expectations of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// In the order of the file.
    pub sections: Vec<Section>,
}

/// The lines above the first section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The behaviour that the case holds.
    pub sentence: String,
    /// The folder in `fixtures/databases`.
    pub database: String,
    /// The folder in `fixtures/supergraphs`, of a case for the gateway: it has no database and no
    /// dialect.
    pub supergraph: String,
    /// Faults of subgraphs.
    pub faults: Vec<Fault>,
    /// The dialect with its options, as `postgraphile simple-collections=both`.
    pub dialect: String,
    /// Further options of the engine, such as `show-constraints`; mostly empty.
    pub options: String,
    /// The policy file, below `fixtures/databases`; empty: there is none.
    pub policies: String,
    /// The role of all requests whose claims do not name another one; mostly none.
    pub role: String,
    pub skips: Vec<Skip>,
    /// The types that the schema section shows; all, if there are none.
    pub types: Vec<String>,
}

/// A fault of a subgraph, in the notation of the case's runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub subgraph: String,
    pub what: String,
}

/// A kind of source that a case is not for, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    pub family: Family,
    pub reason: String,
}

/// A kind of source, whatever its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Sqlite,
    Postgres,
    Neo4j,
    /// Sources of the gateway.
    Subgraphs,
}

/// A part of a case, below a line of three dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub kind: SectionKind,
    /// The sources to which it applies; all by default.
    pub family: Option<Family>,
    /// Without the empty lines at its end.
    pub text: String,
    /// The line of its heading, from 1.
    pub line: usize,
}

/// The kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// The GraphQL document.
    Request,
    /// The document of a further request to the same database.
    Then,
    /// A query over a connection of its own, for the state after the step.
    State,
    /// A JSON object.
    Variables,
    /// The name of the operation.
    Operation,
    /// The claims of the session, a JSON object: of this request, and of the following ones until
    /// another section.
    Claims,
    /// The API in the schema definition language.
    Schema,
    /// The request tree.
    Ir,
    /// The requests to subgraphs that are planned.
    Plan,
    /// The requests that were sent, a line each: which wait for how many answers, one after the other.
    Sent,
    /// All statements in their order, separated by empty lines.
    Statement,
    /// Properties of the statements, a line each.
    Property,
    /// The answer, one for all sources.
    Response,
    /// Notes of what the API cannot represent, a line each.
    Notes,
}

impl Header {
    /// Whether the dialect has metadata, which has roles.
    #[must_use]
    pub fn has_metadata(&self) -> bool {
        self.dialect.split(' ').any(|word| word.starts_with("metadata="))
    }
}

impl Family {
    pub const ALL: [Self; 4] = [Self::Sqlite, Self::Postgres, Self::Neo4j, Self::Subgraphs];

    /// The keyword in a case file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Neo4j => "neo4j",
            Self::Subgraphs => "subgraphs",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl SectionKind {
    /// In the order in which a file has them.
    pub const ALL: [Self; 14] = [
        Self::Request,
        Self::Then,
        Self::State,
        Self::Variables,
        Self::Operation,
        Self::Claims,
        Self::Schema,
        Self::Ir,
        Self::Plan,
        Self::Sent,
        Self::Statement,
        Self::Property,
        Self::Response,
        Self::Notes,
    ];

    /// Whether it contains a document.
    #[must_use]
    pub fn is_document(self) -> bool {
        matches!(self, Self::Request | Self::Then | Self::State)
    }

    /// The keyword in a heading.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Then => "then",
            Self::State => "state",
            Self::Variables => "variables",
            Self::Operation => "operation",
            Self::Claims => "claims",
            Self::Schema => "schema",
            Self::Ir => "ir",
            Self::Plan => "plan",
            Self::Sent => "sent",
            Self::Statement => "statement",
            Self::Property => "property",
            Self::Response => "response",
            Self::Notes => "notes",
        }
    }
}

impl Section {
    /// Whether it applies to a source.
    #[must_use]
    pub fn is_about(&self, family: Family) -> bool {
        self.family.is_none_or(|own| own == family)
    }

    /// The heading without its dashes, as `statement postgres`.
    #[must_use]
    pub fn heading(&self) -> String {
        match self.family {
            Some(family) => format!("{} {family}", self.kind.as_str()),
            None => self.kind.as_str().to_owned(),
        }
    }
}

impl Step {
    /// The text of the section of a kind, for sections that stand for all sources.
    #[must_use]
    pub fn find_text(&self, kind: SectionKind) -> Option<&str> {
        self.sections.iter().find(|section| section.kind == kind).map(|section| &*section.text)
    }

    /// The request's document; none if the case is about the API itself.
    #[must_use]
    pub fn document(&self) -> Option<&Section> {
        self.sections.iter().find(|section| section.kind.is_document())
    }
}

impl Case {
    /// Whether it is one for the gateway.
    #[must_use]
    pub fn is_of_gateway(&self) -> bool {
        !self.header.supergraph.is_empty()
    }

    /// Whether it changes its database, or checks its state: then it needs a private one. A
    /// mutation cannot be written without its keyword.
    #[must_use]
    pub fn is_private(&self) -> bool {
        let mut documents = self.steps.iter().filter_map(Step::document);
        self.steps.len() > 1 || documents.any(|document| document.text.contains("mutation"))
    }

    /// The claims of a request's session, a JSON object: its own, or those of the one before it.
    #[must_use]
    pub fn find_claims(&self, step: usize) -> Option<&str> {
        let known = self.steps.iter().take(step + 1).rev();
        known.filter_map(|step| step.find_text(SectionKind::Claims)).next()
    }

    /// Whether the session has claims or a role.
    #[must_use]
    pub fn has_session(&self) -> bool {
        !self.header.role.is_empty() || self.find_claims(self.steps.len()).is_some()
    }

    /// The reason for skipping a source, if it is skipped.
    #[must_use]
    pub fn find_skip(&self, family: Family) -> Option<&Skip> {
        self.header.skips.iter().find(|skip| skip.family == family)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse::parse;

    #[test]
    fn claims_hold_until_others_are_said() {
        let text = "# It works.\n# database: shop\n# dialect: phrag\n# policies: a.toml\n\
                    --- request\n{ a }\n--- then\n{ b }\n--- claims\n{\"id\":1}\n--- then\n{ c }\n\
                    --- then\n{ d }\n--- claims\n{}\n";
        let case = parse(Path::new("a.case"), text).expect("a case");
        let claims: Vec<_> = (0..4).map(|step| case.find_claims(step)).collect();
        assert_eq!(claims, [None, Some("{\"id\":1}"), Some("{\"id\":1}"), Some("{}")]);
    }

    #[test]
    fn what_may_change_a_database_has_one_of_its_own() {
        let check = |sections: &str, expected| {
            let text = format!("# It works.\n# database: shop\n# dialect: phrag\n{sections}");
            let case = parse(Path::new("a.case"), &text).expect("a case");
            assert_eq!(case.is_private(), expected, "{sections}");
        };
        check("--- schema\n", false);
        check("--- request\n{ a }\n", false);
        check("--- request\nmutation { a }\n", true);
        check("--- request\n{ a }\n--- then\n{ b }\n", true);
        check("--- request\n{ a }\n--- state\n{ b }\n", true);
    }
}
