//! Reader of connectors: `@source` and `@connect`, applied by `@join__directive`.
//! <https://specs.apollo.dev/connect/v0.4/>

use std::sync::Arc;

use connectors::definitions::{
    Applied, Definitions as Schema, FieldDefinition, InputDefinition, Kind, Type, TypeDefinition,
};
use connectors::{Code, Resolves, Version};
use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{Definitions, Directive, Literal};
use graphql::schema::{FieldId, InputId, TypeId, TypeKind, TypeRef, Wrapper};

use super::connector::{Connector, Entry, mapped_fields, used_fields};
use super::expand::Written;
use super::join::Joined;
use super::links::{Meaning, argument, name_of, text};
use super::{CacheTagFormat, SubgraphId};
use crate::connect::{imported, object, place};

/// The directives of connectors.
#[derive(Debug, Default)]
pub(super) struct ConnectorDirectives {
    links: Vec<ConnectLink>,
    sources: Vec<(SubgraphId, Applied)>,
    connects: Vec<Connect>,
    pub(super) cache_tags: Vec<CacheTagFormat>,
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
    applied: Applied,
}

/// The name that composition gives `@cacheTag`.
const CACHE_TAG: &str = "federation__cacheTag";

/// Findings about the design of a subgraph, which its composition reports: the supergraph can be
/// served all the same.
const OF_COMPOSITION: [Code; 5] = [
    Code::CircularReference,
    Code::ConnectorsUnresolvedField,
    Code::MissingEntityConnector,
    Code::MutationFieldMissingConnect,
    Code::QueryFieldMissingConnect,
];

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
                let name = text(directive, "name");
                let mut links = self.found.links.iter();
                if links.any(|link| link.graph == graph && name == Some(&*link.source)) {
                    self.found.sources.push((graph, applied_of(directive)));
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
        let named = |name: &str| items.iter().find_map(|item| imported(item, name));
        let source = named("@source").unwrap_or_else(|| [&*called, "__source"].concat().into());
        let connect = named("@connect").unwrap_or(called);
        self.found.links.push(ConnectLink { graph, version, source, connect });
    }

    /// Reads a `@join__directive` of a type or a field; others than `@connect` and `@cacheTag` have no
    /// effect.
    pub(super) fn read_applied(
        &mut self,
        directive: &Directive,
        parent: TypeId,
        field: Option<FieldId>,
    ) {
        let name = text(directive, "name");
        for graph in self.graphs(directive) {
            if name == Some(CACHE_TAG)
                && let Some((_, Literal::String(format))) =
                    arguments(directive).iter().find(|(name, _)| **name == *"format")
            {
                let format = (&**format).into();
                let tag = CacheTagFormat { subgraph: graph, parent, field, format };
                self.found.cache_tags.push(tag);
            }
            let mut links = self.found.links.iter();
            if links.any(|link| link.graph == graph && name == Some(&*link.connect)) {
                let applied = applied_of(directive);
                self.found.connects.push(Connect { graph, parent, field, applied });
            }
        }
    }

    /// Reads all connectors, when types and fields have their subgraphs.
    pub(super) fn read_connectors(&mut self) -> Vec<Written> {
        let links = self.found.links.clone();
        let mut written = Vec::new();
        for link in &links {
            let reading = connectors::read(&self.schema(link));
            for finding in reading.findings {
                if finding.is_error && !OF_COMPOSITION.contains(&finding.code) {
                    let line = usize::try_from(finding.place.line).unwrap_or(usize::MAX);
                    let message = format!("{}: {}", finding.code, finding.message);
                    self.reader.problem(line, message);
                }
            }
            for definition in reading.connectors {
                written.extend(self.written(link.graph, definition));
            }
        }
        written
    }

    fn written(&self, graph: SubgraphId, definition: connectors::Connector) -> Option<Written> {
        let schema = &self.reader.schema;
        let parent = schema.find_type(&definition.coordinate.type_name)?;
        let field = match &definition.coordinate.field {
            Some(name) => Some(schema.find_field(parent, name)?),
            None => None,
        };
        let roots = [schema.query, schema.mutation];
        let entries = match (field, definition.resolves) {
            (None, _) => vec![Entry::Entity(parent)],
            (Some(field), resolves) if roots.contains(&Some(parent)) => {
                let mut entries = vec![Entry::Root { root: parent, field }];
                if resolves == Resolves::FieldAndEntity {
                    entries.push(Entry::Entity(schema[field].r#type.base));
                }
                entries
            }
            (Some(field), _) => vec![Entry::Field { parent, field }],
        };
        let mut places = self.found.connects.iter();
        let found = places.find(|one| (one.graph, one.parent, one.field) == (graph, parent, field));
        let line = found.map_or(0, |found| found.applied.place.line);
        let subgraph = &self.reader.subgraphs[usize::from(graph.0)].name;
        let mapped = mapped_fields(&definition.selection.shape());
        let address = self.address(graph, &definition);
        let connector = Connector {
            request: [definition.method.as_str(), " ", &address].concat().into(),
            subgraph: graph,
            coordinate: format!("{subgraph}:{}", definition.coordinate).into(),
            used: used_fields(&definition),
            entries,
            definition: Arc::new(definition),
        };
        Some(Written { connector, line: usize::try_from(line).unwrap_or(usize::MAX), mapped })
    }

    /// Returns the address of requests as written.
    fn address(&self, graph: SubgraphId, definition: &connectors::Connector) -> String {
        let text = |applied: &Applied, name: &str| {
            let http = applied.arguments.get("http");
            let found = http.and_then(|http| http.get(name)).and_then(|url| url.as_str());
            found.unwrap_or_default().trim().to_owned()
        };
        let source = definition.source.as_ref().and_then(|source| {
            let mut sources = self.found.sources.iter().filter(|(own, _)| *own == graph);
            sources.find(|(_, applied)| {
                applied.arguments.get("name").and_then(|name| name.as_str()) == Some(&*source.name)
            })
        });
        let base = source.map(|(_, applied)| text(applied, "baseURL")).unwrap_or_default();
        let schema = &self.reader.schema;
        let coordinate = &definition.coordinate;
        let own = self.found.connects.iter().filter(|one| {
            let field = one.field.map(|field| &*schema[field].name);
            one.graph == graph
                && *schema[one.parent].name == *coordinate.type_name
                && field == coordinate.field.as_deref()
        });
        let own = own.map(|one| text(&one.applied, definition.method.as_str()));
        let path = own.skip(coordinate.index).find(|path| !path.is_empty()).unwrap_or_default();
        match base.is_empty() {
            true => path,
            false => [base.trim_end_matches('/'), "/", path.trim_start_matches('/')].concat(),
        }
    }

    /// Returns the schema of a subgraph, as far as connectors need it.
    fn schema(&self, link: &ConnectLink) -> Schema {
        let schema = &self.reader.schema;
        let named = |id: Option<TypeId>| id.map(|id| (&*schema[id].name).into());
        let sources = self.found.sources.iter().filter(|(graph, _)| *graph == link.graph);
        let types = schema.types().filter_map(|(id, _)| self.type_in(link.graph, id));
        Schema {
            version: link.version,
            connect_name: ["@", &*link.connect].concat().into(),
            source_name: ["@", &*link.source].concat().into(),
            sources: sources.map(|(_, applied)| applied.clone()).collect(),
            types: types.collect(),
            query: named(schema.query),
            mutation: named(schema.mutation),
            subscription: named(schema.subscription),
            unsupported: Vec::new(),
        }
    }

    fn type_in(&self, graph: SubgraphId, id: TypeId) -> Option<TypeDefinition> {
        let owners = &self.owners.types[id.index()];
        if owners.subgraphs.iter().all(|owner| owner.subgraph != graph) {
            return None;
        }
        let definition = &self.reader.schema[id];
        if BUILT_IN_SCALARS.contains(&&*definition.name) {
            return None;
        }
        let name = |id: TypeId| (&*self.reader.schema[id].name).into();
        let of_graph = |pairs: &[(SubgraphId, TypeId)]| {
            let own = pairs.iter().filter(|(subgraph, _)| *subgraph == graph);
            own.map(|(_, id)| name(*id)).collect::<Vec<Box<str>>>()
        };
        let kind = match &definition.kind {
            TypeKind::Scalar => Kind::Scalar,
            TypeKind::Enum { .. } => Kind::Enum,
            TypeKind::Object { fields, .. } => Kind::Object {
                fields: self.fields_in(graph, id, fields),
                interfaces: of_graph(&owners.implements),
            },
            TypeKind::Interface { fields, .. } => {
                Kind::Interface { fields: self.fields_in(graph, id, fields) }
            }
            TypeKind::Union { .. } => Kind::Union(of_graph(&owners.members)),
            TypeKind::InputObject { fields } => {
                Kind::InputObject(fields.iter().map(|input| self.input(*input)).collect())
            }
        };
        Some(TypeDefinition {
            name: (&*definition.name).into(),
            place: place(0, 0),
            kind,
            connects: self.connects(graph, id, None),
            keys: Vec::new(),
        })
    }

    fn fields_in(
        &self,
        graph: SubgraphId,
        parent: TypeId,
        fields: &[FieldId],
    ) -> Vec<FieldDefinition> {
        let fields = fields.iter().map(|id| {
            let owners = &self.owners.fields[id.index()].subgraphs;
            // A supergraph does not list a subgraph whose field another one has taken over, and
            // mappings may still select it.
            let own = owners.iter().find(|own| own.subgraph == graph);
            let definition = &self.reader.schema[*id];
            FieldDefinition {
                name: (&*definition.name).into(),
                place: place(0, 0),
                arguments: definition.arguments.iter().map(|input| self.input(*input)).collect(),
                r#type: self.r#type(own.map_or(definition.r#type, |own| own.r#type)),
                connects: self.connects(graph, parent, Some(*id)),
                is_external: own.is_none_or(|own| own.is_external),
            }
        });
        fields.collect()
    }

    fn connects(&self, graph: SubgraphId, parent: TypeId, field: Option<FieldId>) -> Vec<Applied> {
        let own = self.found.connects.iter();
        let own = own.filter(|one| (one.graph, one.parent, one.field) == (graph, parent, field));
        own.map(|one| one.applied.clone()).collect()
    }

    fn input(&self, id: InputId) -> InputDefinition {
        let definition = &self.reader.schema[id];
        InputDefinition { name: (&*definition.name).into(), r#type: self.r#type(definition.r#type) }
    }

    fn r#type(&self, r#type: TypeRef) -> Type {
        let base = Type::Named((&*self.reader.schema[r#type.base].name).into());
        r#type.wrappers().fold(base, |inner, wrapper| match wrapper {
            Wrapper::List => Type::List(Box::new(inner)),
            Wrapper::NonNull => Type::NonNull(Box::new(inner)),
        })
    }

    /// Returns the subgraphs of a `@join__directive`.
    fn graphs(&mut self, directive: &Directive) -> Vec<SubgraphId> {
        let names = match argument(directive, "graphs") {
            Some(Literal::List(names)) => names.as_slice(),
            Some(single) => std::slice::from_ref(single),
            None => &[],
        };
        let names = names.iter().filter_map(|name| match name {
            Literal::Enum(name) | Literal::String(name) => Some(name),
            _ => None,
        });
        names.filter_map(|name| self.reader.graph_named(name, directive.line)).collect()
    }
}

/// Returns the arguments of the applied directive.
fn arguments(directive: &Directive) -> &[(Arc<str>, Literal)] {
    match argument(directive, "args") {
        Some(Literal::Object(arguments)) => arguments,
        _ => &[],
    }
}

fn applied_of(directive: &Directive) -> Applied {
    let arguments = arguments(directive).iter().map(|(name, value)| (&**name, value));
    Applied { arguments: object(arguments), place: place(directive.line, directive.column) }
}
