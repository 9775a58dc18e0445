//! Reader of supergraphs.

use std::fmt;
use std::sync::Arc;

use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{
    Definitions, Directive, InputDefinition as WrittenInput, Literal, TypeBody,
    TypeDefinition as WrittenType, TypeExpression,
};
use graphql::parse_definitions;
use graphql::schema::{
    Deprecation, EnumValueDefinition, FieldDefinition, FieldId, InputDefinition, Schema,
    TypeDefinition, TypeId, TypeKind, TypeRef,
};

use rustc_hash::FxHashMap;

use super::links::{Links, Meaning, argument, text};
use super::objects::Objects;
use super::{
    Api, Subgraph, SubgraphId, Supergraph, api, directives, field_sets, join, requirements, weights,
};

/// An error in a supergraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From 1; `None` if it is about the whole document.
    pub line: Option<usize>,
    pub message: String,
}

impl Problem {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// State of reading a supergraph.
pub(super) struct Reader<'d> {
    pub(super) links: Links,
    pub(super) subgraphs: Vec<Subgraph>,
    /// Enum values of the subgraphs in the document.
    graph_names: Vec<Arc<str>>,
    pub(super) schema: Schema,
    /// Types of the data, with their ids.
    pub(super) types: Vec<(TypeId, &'d WrittenType)>,
    pub(super) problems: Vec<Problem>,
}

/// Reads a composed schema, or returns all errors in it.
pub fn read(text: &str) -> Result<Supergraph, Vec<Problem>> {
    let definitions = parse_definitions(text).map_err(|errors| {
        let problems = errors.into_iter().map(|error| Problem {
            line: error.locations.first().map(|at| at.line as usize),
            message: error.message,
        });
        problems.collect::<Vec<_>>()
    })?;
    read_definitions(&definitions)
}

/// Reads the definitions of a composed schema, or returns all errors in it.
pub(crate) fn read_definitions(definitions: &Definitions) -> Result<Supergraph, Vec<Problem>> {
    let mut problems = Vec::new();
    let links = Links::read(definitions, &mut problems);
    let mut reader = Reader {
        links,
        subgraphs: Vec::new(),
        graph_names: Vec::new(),
        schema: Schema::default(),
        types: Vec::new(),
        problems,
    };
    reader.read_subgraphs(definitions);
    reader.declare_types(definitions);
    reader.read_members();
    directives::read(&mut reader, definitions);
    reader.read_roots(definitions);
    let owners = join::owners(&mut reader, definitions);
    let hidden = api::hidden(&mut reader);
    let requirements = requirements::requirements(&mut reader);
    let weights = weights::weights(&mut reader);
    if !reader.problems.is_empty() {
        reader.problems.sort_by_key(|problem| problem.line);
        return Err(reader.problems);
    }
    let Reader { subgraphs, schema, .. } = reader;
    let api = Api::new(&schema, &hidden);
    let join::Owners { types, fields, sets, contexts, connectors, cache_tags } = owners;
    let objects = Objects::new(&schema, &types, subgraphs.len());
    let nested = field_sets::nested(&schema, &sets);
    let context_types = contexts.types();
    let many = many_fields(&schema);
    Ok(Supergraph {
        subgraphs,
        connectors,
        schema,
        types,
        fields,
        sets,
        nested,
        context_types,
        objects,
        many,
        api,
        requirements,
        weights,
        cache_tags,
    })
}

impl<'d> Reader<'d> {
    pub(super) fn problem(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(Problem::new(line, message));
    }

    /// Reads the subgraphs, which are the values of an enum.
    fn read_subgraphs(&mut self, definitions: &Definitions) {
        let named = |r#type: &&WrittenType| *r#type.name == *self.links.graphs;
        let Some(graphs) = definitions.types.iter().find(named) else {
            let message = format!(
                "it is no supergraph: there is no `enum {}`; compose the subgraphs first",
                self.links.graphs
            );
            self.problems.push(Problem { line: None, message });
            return;
        };
        let TypeBody::Enum(values) = &graphs.body else {
            return self.problem(graphs.line, format!("`{}` is no enum", graphs.name));
        };
        for value in values {
            let of = |directive: &&Directive| self.links.meaning(directive) == Meaning::Graph;
            let Some(graph) = value.directives.iter().find(of) else {
                self.problem(
                    value.line,
                    format!("the subgraph `{}` has no name and no address", value.name),
                );
                continue;
            };
            let name = text(graph, "name").unwrap_or(&value.name).into();
            let url = text(graph, "url").unwrap_or_default().into();
            self.subgraphs.push(Subgraph { name, url, part: None });
            self.graph_names.push(value.name.clone());
        }
        if self.subgraphs.len() > usize::from(u16::MAX) {
            self.problem(graphs.line, "there are too many subgraphs");
        }
    }

    /// Returns the subgraph that an argument names; adds an error if there is none.
    pub(super) fn graph(&mut self, directive: &Directive, name: &str) -> Option<SubgraphId> {
        let named = match argument(directive, name)? {
            Literal::Enum(named) | Literal::String(named) => named,
            _ => return None,
        };
        let named = named.clone();
        self.graph_named(&named, directive.line)
    }

    /// Returns a subgraph by its enum value; adds an error if there is none.
    pub(super) fn graph_named(&mut self, named: &Arc<str>, line: usize) -> Option<SubgraphId> {
        let place = self.graph_names.iter().position(|graph| graph == named);
        if place.is_none() {
            self.problem(line, format!("there is no subgraph `{named}`"));
        }
        place.and_then(|place| u16::try_from(place).ok()).map(SubgraphId)
    }

    /// Returns a subgraph by the name in `@join__graph(name:)`.
    pub(super) fn graph_called(&self, name: &str) -> Option<SubgraphId> {
        let place = self.subgraphs.iter().position(|subgraph| &*subgraph.name == name)?;
        u16::try_from(place).ok().map(SubgraphId)
    }

    fn declare_types(&mut self, definitions: &'d Definitions) {
        for name in BUILT_IN_SCALARS {
            let kind = TypeKind::Scalar;
            self.schema.add_type(TypeDefinition { name: name.into(), description: None, kind });
        }
        for written in &definitions.types {
            if self.links.is_specification_type(&written.name) {
                continue;
            }
            let known = self.schema.find_type(&written.name);
            match (known, written.is_extension) {
                (Some(id), true) => self.types.push((id, written)),
                (Some(_), false) if BUILT_IN_SCALARS.contains(&&*written.name) => {}
                (Some(_), false) => {
                    self.problem(written.line, format!("`{}` is defined twice", written.name));
                }
                (None, _) => {
                    let definition = TypeDefinition {
                        name: written.name.clone(),
                        description: written.description.clone(),
                        kind: empty(&written.body),
                    };
                    if let Some(id) = self.schema.add_type(definition) {
                        self.types.push((id, written));
                    }
                }
            }
        }
    }

    /// Reads fields, members and values, when every type has its id.
    fn read_members(&mut self) {
        for (id, written) in self.types.clone() {
            match &written.body {
                TypeBody::Scalar => {}
                TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                    for named in &composite.interfaces {
                        let interface = self.find(&named.name, named.line);
                        if let Some(interface) = interface {
                            self.schema.add_interface(id, interface);
                        }
                    }
                    for field in &composite.fields {
                        let Some(r#type) = self.type_ref(&field.r#type, field.line) else {
                            continue;
                        };
                        let mut definition = FieldDefinition::new(&field.name, r#type);
                        definition.description = field.description.clone();
                        definition.deprecated = deprecated(&field.directives);
                        let field_id = self.schema.add_field(id, definition);
                        for written in &field.arguments {
                            if let Some(argument) = self.input(written) {
                                self.schema.add_argument(field_id, argument);
                            }
                        }
                    }
                }
                TypeBody::Union(members) => {
                    for named in members {
                        let member = self.find(&named.name, named.line);
                        if let Some(member) = member {
                            self.schema.add_member(id, member);
                        }
                    }
                }
                TypeBody::Enum(values) => {
                    for value in values {
                        let mut definition = EnumValueDefinition::new(&value.name);
                        definition.description = value.description.clone();
                        definition.deprecated = deprecated(&value.directives);
                        self.schema.add_enum_value(id, definition);
                    }
                }
                TypeBody::InputObject(inputs) => {
                    for written in inputs {
                        if let Some(input) = self.input(written) {
                            self.schema.add_input_field(id, input);
                        }
                    }
                }
            }
        }
    }

    fn read_roots(&mut self, definitions: &Definitions) {
        let mut roots: Vec<(&str, Arc<str>, usize)> = Vec::new();
        for (kind, named) in definitions.schemas.iter().flat_map(|schema| &schema.operations) {
            roots.push((kind, named.name.clone(), named.line));
        }
        if roots.is_empty() {
            for (kind, name) in
                [("query", "Query"), ("mutation", "Mutation"), ("subscription", "Subscription")]
            {
                if self.schema.find_type(name).is_some() {
                    roots.push((kind, name.into(), 1));
                }
            }
        }
        for (kind, name, line) in roots {
            let id = self.find(&name, line);
            match kind {
                "query" => self.schema.query = id,
                "mutation" => self.schema.mutation = id,
                _ => self.schema.subscription = id,
            }
        }
        if self.schema.query.is_none() && self.problems.is_empty() {
            self.problems
                .push(Problem { line: None, message: "there is no type of queries".into() });
        }
    }

    pub(super) fn input(&mut self, written: &WrittenInput) -> Option<InputDefinition> {
        let r#type = self.type_ref(&written.r#type, written.line)?;
        let mut input = InputDefinition::new(&written.name, r#type);
        input.description = written.description.clone();
        input.default = written.default.as_ref().map(|literal| Box::new(literal.constant()));
        input.deprecated = deprecated(&written.directives);
        Some(input)
    }

    pub(super) fn find(&mut self, name: &str, line: usize) -> Option<TypeId> {
        let found = self.schema.find_type(name);
        if found.is_none() {
            self.problem(line, format!("there is no type `{name}`"));
        }
        found
    }

    pub(super) fn type_ref(&mut self, written: &TypeExpression, line: usize) -> Option<TypeRef> {
        match written {
            TypeExpression::Named { name, is_required } => {
                Some(TypeRef::named(self.find(name, line)?).non_null_if(*is_required))
            }
            TypeExpression::List { of, is_required } => {
                Some(self.type_ref(of, line)?.list().non_null_if(*is_required))
            }
        }
    }
}

/// Maximum number of fields that are searched linearly.
const FEW: usize = 8;

/// Returns the fields by name, for types with many fields.
fn many_fields(schema: &Schema) -> FxHashMap<TypeId, FxHashMap<Arc<str>, FieldId>> {
    let types = schema.types().filter_map(|(id, definition)| match &definition.kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }
            if fields.len() > FEW =>
        {
            let by_name = fields.iter().map(|field| (schema[*field].name.clone(), *field));
            Some((id, by_name.collect()))
        }
        TypeKind::Object { .. }
        | TypeKind::Interface { .. }
        | TypeKind::Scalar
        | TypeKind::Union { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => None,
    });
    types.collect()
}

fn empty(body: &TypeBody) -> TypeKind {
    match body {
        TypeBody::Scalar => TypeKind::Scalar,
        TypeBody::Object(_) => {
            TypeKind::Object { fields: Vec::new(), interfaces: Default::default() }
        }
        TypeBody::Interface(_) => {
            TypeKind::Interface { fields: Vec::new(), interfaces: Default::default() }
        }
        TypeBody::Union(_) => TypeKind::Union { members: Vec::new() },
        TypeBody::Enum(_) => TypeKind::Enum { values: Vec::new() },
        TypeBody::InputObject(_) => TypeKind::InputObject { fields: Vec::new() },
    }
}

/// Returns the deprecation reason.
fn deprecated(directives: &[Directive]) -> Option<Deprecation> {
    let directive = directives.iter().find(|directive| &*directive.name == "deprecated")?;
    // Default value of the specification.
    Some(text(directive, "reason").unwrap_or("No longer supported").into())
}
