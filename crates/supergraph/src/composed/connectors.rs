//! Reader of connectors: `@source` and `@connect`, applied by `@join__directive`.
//! <https://specs.apollo.dev/connect/v0.4/>

use std::sync::Arc;

use connectors::{Coordinate, Resolves, Source, Version};
use graphql::definitions::{Definitions, Directive, Literal};
use graphql::schema::{FieldId, TypeId};

use super::SubgraphId;
use super::connector::{Connector, Entry, mapped_fields, used_fields};
use super::expand::Written;
use super::join::Joined;
use super::links::{Meaning, argument, name_of, text};
use crate::connect;

/// The directives of connectors.
#[derive(Debug, Default)]
pub(super) struct ConnectorDirectives {
    links: Vec<ConnectLink>,
    sources: Vec<(SubgraphId, Arc<Source>)>,
    connects: Vec<Connect>,
}

/// The link of a subgraph to the specification.
#[derive(Clone, Debug)]
struct ConnectLink {
    graph: SubgraphId,
    version: Version,
    /// Names of the directives in the subgraph.
    source: Arc<str>,
    connect: Arc<str>,
}

/// A `@connect`.
#[derive(Clone, Debug)]
struct Connect {
    graph: SubgraphId,
    parent: TypeId,
    field: Option<FieldId>,
    arguments: Arguments,
    line: usize,
}

type Arguments = Vec<(Arc<str>, Literal)>;

impl Joined<'_, '_> {
    /// Reads the links and the sources, which are directives of the schema.
    pub(super) fn read_sources(&mut self, definitions: &Definitions) {
        let directives = definitions.schemas.iter().flat_map(|schema| &schema.directives);
        let applied = directives.filter(|one| self.reader.links.meaning(one) == Meaning::Applied);
        let applied: Vec<&Directive> = applied.collect();
        for directive in applied.iter().filter(|one| text(one, "name") == Some("link")) {
            for graph in self.graphs(directive) {
                self.read_link(graph, directive);
            }
        }
        for directive in applied {
            for graph in self.graphs(directive) {
                let Some(link) = self.found.links.iter().find(|link| link.graph == graph) else {
                    continue;
                };
                if text(directive, "name") != Some(&*link.source) {
                    continue;
                }
                match connect::source(&arguments(directive), link.version) {
                    Ok(source) => self.found.sources.push((graph, Arc::new(source))),
                    Err(problems) => self.problems(directive.line, "a source", problems),
                }
            }
        }
    }

    fn read_link(&mut self, graph: SubgraphId, directive: &Directive) {
        let arguments = arguments(directive);
        let find = |name: &str| {
            arguments.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
        };
        let Some(Literal::String(url)) = find("url") else { return };
        if name_of(url) != Some("connect") {
            return;
        }
        let version = url.trim_end_matches('/').rsplit('/').next().and_then(Version::parse);
        let Some(version) = version else {
            let message = format!("connectors of `{url}` are not known here");
            return self.reader.problem(directive.line, message);
        };
        let called: Arc<str> = match find("as") {
            Some(Literal::String(called)) => called.clone(),
            _ => "connect".into(),
        };
        let items = match find("import") {
            Some(Literal::List(items)) => items.as_slice(),
            _ => &[],
        };
        let imported = |name: &str| items.iter().find_map(|item| connect::imported(item, name));
        let source = imported("@source").unwrap_or_else(|| [&*called, "__source"].concat().into());
        let connect = imported("@connect").unwrap_or(called);
        self.found.links.push(ConnectLink { graph, version, source, connect });
    }

    /// Reads a `@join__directive` of a type or a field; others than `@connect` have no effect.
    pub(super) fn read_applied(
        &mut self,
        directive: &Directive,
        parent: TypeId,
        field: Option<FieldId>,
    ) {
        for graph in self.graphs(directive) {
            let mut links = self.found.links.iter();
            let is_connector = links
                .any(|link| link.graph == graph && text(directive, "name") == Some(&*link.connect));
            if is_connector {
                let (arguments, line) = (arguments(directive), directive.line);
                self.found.connects.push(Connect { graph, parent, field, arguments, line });
            }
        }
    }

    /// Reads all connectors, when types and fields have their ids.
    pub(super) fn read_connectors(&mut self) -> Vec<Written> {
        let connects = std::mem::take(&mut self.found.connects);
        let mut written: Vec<Written> = Vec::with_capacity(connects.len());
        for found in connects {
            let before = written.iter().filter(|one| {
                let coordinate = &one.connector.definition.coordinate;
                let (parent, field) = self.names(&found);
                one.connector.subgraph == found.graph
                    && *coordinate.type_name == *parent
                    && coordinate.field.as_deref() == field.as_deref()
            });
            let index = before.count();
            written.extend(self.read_connector(&found, index));
        }
        written
    }

    fn names(&self, found: &Connect) -> (Arc<str>, Option<Arc<str>>) {
        let schema = &self.reader.schema;
        (schema[found.parent].name.clone(), found.field.map(|field| schema[field].name.clone()))
    }

    fn read_connector(&mut self, found: &Connect, index: usize) -> Option<Written> {
        let (parent, field) = self.names(found);
        let coordinate = Coordinate {
            type_name: (&*parent).into(),
            field: field.as_deref().map(Into::into),
            index,
        };
        let version = self.found.links.iter().find(|link| link.graph == found.graph)?.version;
        let mut sources = self.found.sources.iter();
        let find = |name: &str| {
            let source = sources.find(|(graph, source)| *graph == found.graph && *source.name == *name);
            source.map(|(_, source)| Arc::clone(source))
        };
        let definition = match connect::connector(&found.arguments, version, coordinate, find) {
            Ok(definition) => definition,
            Err(problems) => {
                let what = format!("`@connect` of `{parent}`");
                self.problems(found.line, &what, problems);
                return None;
            }
        };
        let schema = &self.reader.schema;
        let roots = [schema.query, schema.mutation];
        let entries = match (found.field, definition.resolves) {
            (None, _) => vec![Entry::Entity(found.parent)],
            (Some(field), resolves) if roots.contains(&Some(found.parent)) => {
                let mut entries = vec![Entry::Root { root: found.parent, field }];
                if resolves == Resolves::FieldAndEntity {
                    entries.push(Entry::Entity(schema[field].r#type.base));
                }
                entries
            }
            (Some(field), _) => vec![Entry::Field { parent: found.parent, field }],
        };
        let subgraph = &self.reader.subgraphs[usize::from(found.graph.0)].name;
        let connector = Connector {
            subgraph: found.graph,
            coordinate: format!("{subgraph}:{}", definition.coordinate).into(),
            used: used_fields(&definition),
            entries,
            definition: Arc::new(definition),
        };
        let mapped = mapped_fields(&connector.definition.selection.shape());
        Some(Written { connector, line: found.line, mapped })
    }

    fn problems(&mut self, line: usize, what: &str, problems: Vec<String>) {
        for problem in problems {
            self.reader.problem(line, format!("{what}: {problem}"));
        }
    }

    /// Returns the subgraphs of a `@join__directive`.
    fn graphs(&mut self, directive: &Directive) -> Vec<SubgraphId> {
        let names = match argument(directive, "graphs") {
            Some(Literal::List(names)) => names.clone(),
            Some(single) => vec![single.clone()],
            None => Vec::new(),
        };
        let names = names.into_iter().filter_map(|name| match name {
            Literal::Enum(name) | Literal::String(name) => Some(name),
            _ => None,
        });
        names.filter_map(|name| self.reader.graph_named(&name, directive.line)).collect()
    }
}

/// Returns the arguments of the applied directive.
fn arguments(directive: &Directive) -> Arguments {
    match argument(directive, "args") {
        Some(Literal::Object(arguments)) => arguments.clone(),
        _ => Vec::new(),
    }
}
