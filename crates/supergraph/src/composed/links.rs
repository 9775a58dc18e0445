//! Linked specifications of the document, and the names that they have in it.
//! <https://specs.apollo.dev/link/v1.0/>

use std::sync::Arc;

use graphql::definitions::{Definitions, Directive, Literal};
use rustc_hash::FxHashMap;

use super::read::Problem;

/// Meaning of a directive in a supergraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Graph,
    Type,
    /// Join v0.1: the subgraph of a type's fields without directives.
    Owner,
    Field,
    Implements,
    UnionMember,
    Inaccessible,
    /// A name by which contracts include and exclude elements.
    Tag,
    Guard(Guard),
    Cost,
    ListSize,
    /// Objects of the type set a context.
    Context,
    /// Known, without effect on responses.
    Nothing,
    /// A custom directive of a subgraph.
    Applied,
}

/// An authorization directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    Authenticated,
    RequiresScopes,
    Policy,
}

/// Supported specifications with their elements.
const KNOWN: &[(&str, &[(&str, Meaning)])] = &[
    (
        "join",
        &[
            ("graph", Meaning::Graph),
            ("type", Meaning::Type),
            ("owner", Meaning::Owner),
            ("field", Meaning::Field),
            ("implements", Meaning::Implements),
            ("unionMember", Meaning::UnionMember),
            // No request depends on the subgraph of an enum value: responses are validated against
            // all values.
            ("enumValue", Meaning::Nothing),
            // Custom directives of the subgraphs.
            ("directive", Meaning::Applied),
        ],
    ),
    ("link", &[("", Meaning::Nothing)]),
    ("core", &[("", Meaning::Nothing)]),
    ("tag", &[("", Meaning::Tag)]),
    ("inaccessible", &[("", Meaning::Inaccessible)]),
    ("authenticated", &[("", Meaning::Guard(Guard::Authenticated))]),
    ("requiresScopes", &[("", Meaning::Guard(Guard::RequiresScopes))]),
    ("policy", &[("", Meaning::Guard(Guard::Policy))]),
    ("context", &[("", Meaning::Context)]),
    // Tags by which caches are invalidated; there is no cache.
    ("cacheTag", &[]),
    ("cost", &[("", Meaning::Cost), ("listSize", Meaning::ListSize)]),
    // Connectors are applied by `@join__directive`.
    ("connect", &[]),
];

/// Names of linked specifications in the document.
#[derive(Debug, Default)]
pub(crate) struct Links {
    directives: FxHashMap<Arc<str>, Meaning>,
    /// Name prefixes of their types.
    prefixes: Vec<String>,
    /// Name of the enum of subgraphs.
    pub(crate) graphs: String,
}

impl Links {
    pub(crate) fn read(definitions: &Definitions, problems: &mut Vec<Problem>) -> Self {
        let mut links = Self { graphs: "join__Graph".into(), ..Self::default() };
        // Every supergraph uses these, with or without a link.
        links.add("join", "join", &[]);
        links.add("link", "link", &[]);
        links.add("core", "core", &[]);
        for directive in definitions.schemas.iter().flat_map(|schema| &schema.directives) {
            let url = match &*directive.name {
                "link" => text(directive, "url"),
                "core" => text(directive, "feature"),
                _ => None,
            };
            let Some(url) = url else { continue };
            let Some(name) = name_of(url) else { continue };
            let elements = KNOWN.iter().find(|(known, _)| *known == name);
            // A later version of an authorization specification may restrict more than is
            // implemented here.
            let known = elements.is_some_and(|(_, elements)| {
                let is_guard =
                    |(_, meaning): &(&str, Meaning)| matches!(meaning, Meaning::Guard(_));
                let version = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                match name {
                    "connect" => connectors::Version::parse(version).is_some(),
                    _ => !elements.iter().any(is_guard) || version == "v0.1",
                }
            });
            let purpose = argument(directive, "for");
            if !known && purpose.is_some_and(|purpose| *purpose != Literal::Null) {
                problems.push(Problem::new(
                    directive.line,
                    format!("the supergraph needs `{url}`, which is not known here"),
                ));
            }
            let called = text(directive, "as").unwrap_or(name);
            links.add(name, called, &imports(directive));
        }
        links
    }

    fn add(&mut self, name: &str, called: &str, imports: &[(String, String)]) {
        self.prefixes.push([called, "__"].concat());
        if name == "join" {
            self.graphs = [called, "__Graph"].concat();
        }
        let elements = KNOWN.iter().find(|(known, _)| *known == name);
        for (element, meaning) in elements.into_iter().flat_map(|(_, elements)| *elements) {
            let in_document = match *element {
                "" => called.to_owned(),
                element => [called, "__", element].concat(),
            };
            let own = if element.is_empty() { name } else { element };
            for (_, imported) in imports.iter().filter(|(from, _)| from == own) {
                self.directives.insert(imported.as_str().into(), *meaning);
            }
            self.directives.insert(in_document.into(), *meaning);
        }
    }

    /// Returns the meaning of a directive; unknown directives have none.
    pub(crate) fn meaning(&self, directive: &Directive) -> Meaning {
        self.directives.get(&directive.name).copied().unwrap_or(Meaning::Nothing)
    }

    /// Returns the names of the directives with a meaning, sorted.
    pub(crate) fn names_of(&self, meaning: Meaning) -> Vec<&Arc<str>> {
        let named = self.directives.iter().filter(|(_, known)| **known == meaning);
        let mut names: Vec<_> = named.map(|(name, _)| name).collect();
        names.sort_unstable();
        names
    }

    /// Whether a directive belongs to a linked specification.
    pub(crate) fn is_of_specification(&self, directive: &str) -> bool {
        self.directives.contains_key(directive)
            || self.prefixes.iter().any(|prefix| directive.starts_with(prefix.as_str()))
    }

    /// Whether a type belongs to a linked specification, and is not part of the data.
    pub(crate) fn is_specification_type(&self, r#type: &str) -> bool {
        self.prefixes.iter().any(|prefix| r#type.starts_with(prefix.as_str()))
            || matches!(r#type, "_Any" | "_FieldSet" | "FieldSet")
    }
}

/// Returns NAME of `https://specs.apollo.dev/NAME/v1.0`.
pub(crate) fn name_of(url: &str) -> Option<&str> {
    let mut parts = url.trim_end_matches('/').rsplit('/');
    let last = parts.next()?;
    let is_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_version { parts.next() } else { Some(last) }
}

/// Returns imported elements without `@`, with their names in the document.
fn imports(directive: &Directive) -> Vec<(String, String)> {
    let Some(Literal::List(items)) = argument(directive, "import") else { return Vec::new() };
    let without_at = |name: &str| name.trim_start_matches('@').to_owned();
    let pairs = items.iter().filter_map(|item| match item {
        Literal::String(name) => Some((without_at(name), without_at(name))),
        Literal::Object(members) => {
            let member = |key: &str| {
                members.iter().find_map(|(name, value)| match value {
                    Literal::String(text) if **name == *key => Some(without_at(text)),
                    _ => None,
                })
            };
            let name = member("name")?;
            Some((name.clone(), member("as").unwrap_or(name)))
        }
        _ => None,
    });
    pairs.collect()
}

/// Returns an argument of a directive.
pub(crate) fn argument<'d>(directive: &'d Directive, name: &str) -> Option<&'d Literal> {
    let argument = directive.arguments.iter().find(|argument| &*argument.name == name)?;
    Some(&argument.value)
}

/// Returns a string argument.
pub(crate) fn text<'d>(directive: &'d Directive, name: &str) -> Option<&'d str> {
    match argument(directive, name)? {
        Literal::String(text) => Some(text),
        _ => None,
    }
}

/// Returns a Boolean argument; false if it is missing.
pub(crate) fn is_set(directive: &Directive, name: &str) -> bool {
    argument(directive, name) == Some(&Literal::Boolean(true))
}
