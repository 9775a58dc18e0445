//! Reader of the join specification: which subgraph has which types and fields.

use std::sync::Arc;

use graphql::definitions::{
    Definitions, Directive, FieldDefinition as WrittenField, Literal, TypeBody, TypeExpression,
};
use graphql::parse_field_set;
use graphql::schema::{FieldId, TypeId, TypeKind, TypeRef};
use rustc_hash::FxHashMap;

use super::CacheTagFormat;
use super::connector::Connector;
use super::connectors::ConnectorDirectives;
use super::contexts::{self, ContextArgument, ContextSource, Contexts, members};
use super::field_sets::{FieldSet, FieldSetId, SetSelection, resolve};
use super::links::{Meaning, argument, is_set, text};
use super::read::Reader;
use super::{FieldIn, FieldOwners, Key, OverrideCondition, SubgraphId, TypeIn, TypeOwners};

/// Contents of the join directives.
#[derive(Debug, Default)]
pub(super) struct Owners {
    pub(super) types: Vec<TypeOwners>,
    pub(super) fields: Vec<FieldOwners>,
    pub(super) sets: Vec<FieldSet>,
    pub(super) contexts: Contexts,
    pub(super) connectors: Vec<Connector>,
    pub(super) cache_tags: Vec<CacheTagFormat>,
}

/// Reads all join directives. Types and fields of the schema must have their ids.
pub(super) fn owners(reader: &mut Reader<'_>, definitions: &Definitions) -> Owners {
    let (fields, ..) = reader.schema.sizes();
    let owners = Owners {
        types: vec![TypeOwners::default(); reader.schema.types().count()],
        fields: vec![FieldOwners::default(); fields],
        sets: Vec::new(),
        contexts: Contexts::default(),
        connectors: Vec::new(),
        cache_tags: Vec::new(),
    };
    let (known_sets, found) = (FxHashMap::default(), ConnectorDirectives::default());
    let mut joined = Joined { reader, owners, known_sets, found };
    joined.read_sources(definitions);
    let types = joined.reader.types.clone();
    let mut first = vec![None; joined.owners.types.len()];
    for (id, written) in &types {
        let owner = joined.read_type(*id, &written.directives, &written.body);
        first[id.index()] = first[id.index()].or(owner);
    }
    for (id, written) in &types {
        let (TypeBody::Object(composite) | TypeBody::Interface(composite)) = &written.body else {
            continue;
        };
        for field in &composite.fields {
            if let Some(field_id) = joined.reader.schema.find_field(*id, &field.name) {
                joined.read_field(*id, field_id, field, first[id.index()]);
            }
        }
    }
    joined.add_external_keys();
    let connectors = joined.read_connectors();
    joined.owners.connectors = joined.expand(connectors);
    joined.owners.cache_tags = std::mem::take(&mut joined.found.cache_tags);
    joined.owners
}

pub(super) struct Joined<'r, 'd> {
    pub(super) reader: &'r mut Reader<'d>,
    pub(super) owners: Owners,
    /// Field sets so far, by type and text.
    known_sets: FxHashMap<(TypeId, Arc<str>), FieldSetId>,
    /// Directives of connectors.
    pub(super) found: ConnectorDirectives,
}

impl Joined<'_, '_> {
    /// Reads the join directives of a type; returns the owner of fields without directives (join
    /// v0.1).
    fn read_type(
        &mut self,
        id: TypeId,
        directives: &[Directive],
        body: &TypeBody,
    ) -> Option<SubgraphId> {
        let mut owner = None;
        for directive in directives {
            match self.reader.links.meaning(directive) {
                Meaning::Type => self.read_type_in(id, directive),
                Meaning::Owner => owner = self.reader.graph(directive, "graph"),
                Meaning::Implements => {
                    let graph = self.reader.graph(directive, "graph");
                    let interface = self.named(directive, "interface");
                    if let (Some(graph), Some(interface)) = (graph, interface) {
                        self.owners.types[id.index()].implements.push((graph, interface));
                    }
                }
                Meaning::UnionMember => {
                    let graph = self.reader.graph(directive, "graph");
                    let member = self.named(directive, "member");
                    if let (Some(graph), Some(member)) = (graph, member) {
                        self.owners.types[id.index()].members.push((graph, member));
                    }
                }
                Meaning::Context => {
                    if let Some(name) = text(directive, "name") {
                        self.owners.contexts.add(name, id);
                    }
                }
                Meaning::Applied => self.read_applied(directive, id, None),
                Meaning::Graph
                | Meaning::Field
                | Meaning::Inaccessible
                | Meaning::Tag
                | Meaning::Guard(_)
                | Meaning::Cost
                | Meaning::ListSize
                | Meaning::Nothing => {}
            }
        }
        self.complete_type(id, body);
        owner
    }

    fn read_type_in(&mut self, id: TypeId, directive: &Directive) {
        let Some(graph) = self.reader.graph(directive, "graph") else { return };
        let key = text(directive, "key").map(str::to_owned);
        let key = key.and_then(|key| {
            let fields = self.field_set(id, &key, directive.line)?;
            let is_resolvable = argument(directive, "resolvable") != Some(&Literal::Boolean(false));
            Some(Key { fields, is_resolvable })
        });
        let is_interface_object = is_set(directive, "isInterfaceObject");
        let known = &mut self.owners.types[id.index()].subgraphs;
        let place = match known.iter().position(|owner| owner.subgraph == graph) {
            Some(place) => place,
            None => {
                known.push(TypeIn { subgraph: graph, keys: Vec::new(), is_interface_object });
                known.len() - 1
            }
        };
        let owner = &mut known[place];
        owner.keys.extend(key);
        owner.is_interface_object |= is_interface_object;
    }

    /// Adds the defaults: fields without directives are in every subgraph with the type.
    fn complete_type(&mut self, id: TypeId, body: &TypeBody) {
        let every = 0..u16::try_from(self.reader.subgraphs.len()).unwrap_or(u16::MAX);
        let owners = &mut self.owners.types[id.index()];
        if owners.subgraphs.is_empty() {
            owners.subgraphs = every
                .map(|place| TypeIn {
                    subgraph: SubgraphId(place),
                    keys: Vec::new(),
                    is_interface_object: false,
                })
                .collect();
        }
        owners.subgraphs.sort_by_key(|owner| owner.subgraph);
        let graphs: Vec<_> = owners.subgraphs.iter().map(|owner| owner.subgraph).collect();
        match body {
            TypeBody::Object(_) | TypeBody::Interface(_) if owners.implements.is_empty() => {
                if let TypeKind::Object { interfaces, .. }
                | TypeKind::Interface { interfaces, .. } = &self.reader.schema[id].kind
                {
                    let all = graphs
                        .iter()
                        .flat_map(|graph| interfaces.iter().map(|interface| (*graph, *interface)));
                    owners.implements = all.collect();
                }
            }
            TypeBody::Union(_) if owners.members.is_empty() => {
                if let TypeKind::Union { members } = &self.reader.schema[id].kind {
                    let all = graphs
                        .iter()
                        .flat_map(|graph| members.iter().map(|member| (*graph, *member)));
                    owners.members = all.collect();
                }
            }
            TypeBody::Object(_)
            | TypeBody::Interface(_)
            | TypeBody::Union(_)
            | TypeBody::Scalar
            | TypeBody::Enum(_)
            | TypeBody::InputObject(_) => {}
        }
    }

    fn read_field(
        &mut self,
        parent: TypeId,
        id: FieldId,
        written: &WrittenField,
        owner: Option<SubgraphId>,
    ) {
        let r#type = self.reader.schema[id].r#type;
        let mut is_declared = false;
        let mut known: Vec<FieldIn> = Vec::new();
        for directive in &written.directives {
            match self.reader.links.meaning(directive) {
                Meaning::Field => {
                    // Without a subgraph: no subgraph has the field itself, as for fields of
                    // interface objects.
                    is_declared = true;
                    known.extend(self.read_field_in(parent, r#type, directive, owner));
                }
                Meaning::Applied => self.read_applied(directive, parent, Some(id)),
                Meaning::Graph
                | Meaning::Type
                | Meaning::Owner
                | Meaning::Implements
                | Meaning::UnionMember
                | Meaning::Context
                | Meaning::Inaccessible
                | Meaning::Tag
                | Meaning::Guard(_)
                | Meaning::Cost
                | Meaning::ListSize
                | Meaning::Nothing => {}
            }
        }
        if !is_declared {
            let graphs = self.owners.types[parent.index()].subgraphs.iter();
            let graphs = graphs.map(|known| known.subgraph);
            let is_there = |graph: &SubgraphId| owner.is_none_or(|owner| owner == *graph);
            known = graphs.filter(is_there).map(|graph| FieldIn::plain(graph, r#type)).collect();
        }
        // Some versions do not list the subgraph that a field was overridden from.
        for directive in &written.directives {
            let from = text(directive, "override");
            let from = from.and_then(|from| self.reader.graph_called(from));
            let left = known.iter_mut().find(|field| Some(field.subgraph) == from);
            match (left, text(directive, "overrideLabel")) {
                (Some(left), Some(label)) => left.when = OverrideCondition::Off(label.into()),
                (Some(left), None) => left.is_external = true,
                (None, _) => {}
            }
        }
        known.sort_by_key(|field| field.subgraph);
        self.owners.fields[id.index()].subgraphs = known;
    }

    fn read_field_in(
        &mut self,
        parent: TypeId,
        r#type: TypeRef,
        directive: &Directive,
        owner: Option<SubgraphId>,
    ) -> Option<FieldIn> {
        let subgraph = self.reader.graph(directive, "graph").or(owner)?;
        let line = directive.line;
        let context = self.context_arguments(directive);
        let own_type = text(directive, "type").map(str::to_owned);
        let own_type = own_type.and_then(|written| self.own_type(&written, line));
        let requires = text(directive, "requires").map(str::to_owned);
        let provides = text(directive, "provides").map(str::to_owned);
        let label = text(directive, "overrideLabel").map(Arc::<str>::from);
        let takes_over = text(directive, "override").is_some();
        // An overridden field without a label is only declared in its old subgraph.
        let is_left = label.is_none() && is_set(directive, "usedOverridden");
        let is_external = is_set(directive, "external") || is_left;
        let when = match (label, takes_over) {
            (None, _) => OverrideCondition::Always,
            (Some(label), true) => OverrideCondition::On(label),
            (Some(label), false) => OverrideCondition::Off(label),
        };
        Some(FieldIn {
            subgraph,
            r#type: own_type.unwrap_or(r#type),
            requires: requires.and_then(|set| self.field_set(parent, &set, line)),
            provides: provides.and_then(|set| self.field_set(r#type.base, &set, line)),
            context,
            is_external,
            when,
        })
    }

    /// Federation 1 subgraphs declare the fields of their keys, which the supergraph does not list.
    fn add_external_keys(&mut self) {
        for index in 0..self.owners.types.len() {
            let owners = self.owners.types[index].subgraphs.clone();
            for owner in owners {
                for key in &owner.keys {
                    let set = &self.owners.sets[key.fields.index()];
                    let fields = set.selections.iter().filter_map(|selection| match selection {
                        SetSelection::Field { field, .. } => Some(*field),
                        SetSelection::Typename | SetSelection::On(_) => None,
                    });
                    for field in fields.collect::<Vec<_>>() {
                        let known = &mut self.owners.fields[field.index()].subgraphs;
                        if known.iter().any(|known| known.subgraph == owner.subgraph) {
                            continue;
                        }
                        let r#type = self.reader.schema[field].r#type;
                        known.push(FieldIn::plain(owner.subgraph, r#type));
                        known.sort_by_key(|field| field.subgraph);
                    }
                }
            }
        }
    }

    /// Returns the id of a field set by its text.
    pub(super) fn field_set(
        &mut self,
        parent: TypeId,
        text: &str,
        line: usize,
    ) -> Option<FieldSetId> {
        if let Some(known) = self.known_sets.get(&(parent, text.into())) {
            return Some(*known);
        }
        let selections = match parse_field_set(text) {
            Ok(selections) => selections,
            Err(error) => {
                self.reader.problem(line, format!("the field set `{text}`: {}", error.message));
                return None;
            }
        };
        match resolve(&self.reader.schema, parent, &selections, &mut self.owners.sets) {
            Ok(id) => {
                self.known_sets.insert((parent, text.into()), id);
                Some(id)
            }
            Err(problem) => {
                self.reader.problem(line, format!("the field set `{text}`: {problem}"));
                None
            }
        }
    }

    /// Reads the context arguments of a field: name, type, and where the value is in the objects of
    /// a context.
    /// <https://specs.apollo.dev/join/v0.5/#@field>
    fn context_arguments(&mut self, directive: &Directive) -> Vec<ContextArgument> {
        let given = match argument(directive, "contextArguments") {
            None | Some(Literal::Null) => return Vec::new(),
            Some(Literal::List(given)) => given.as_slice(),
            Some(other) => std::slice::from_ref(other),
        };
        let given = given.to_vec();
        given.iter().filter_map(|written| self.context_argument(written, directive.line)).collect()
    }

    fn context_argument(&mut self, written: &Literal, line: usize) -> Option<ContextArgument> {
        let [Some(name), Some(r#type), Some(context), Some(selection)] =
            members(written, ["name", "type", "context", "selection"])
        else {
            let message = "an argument of a context says its name, type, context and selection";
            self.reader.problem(line, message);
            return None;
        };
        let r#type = self.own_type(r#type, line)?;
        let types = self.owners.contexts.named(context).to_vec();
        if types.is_empty() {
            self.reader.problem(line, format!("no type gives the context `{context}`"));
            return None;
        }
        // Sources of an object type take precedence over those of its interfaces.
        let (mut sources, mut others) = (Vec::new(), Vec::new());
        for parent in types {
            let selection = contexts::strip_braces(selection);
            let source =
                ContextSource { r#type: parent, set: self.field_set(parent, selection, line)? };
            match self.reader.schema[parent].kind {
                TypeKind::Object { .. } => sources.push(source),
                _ => others.push(source),
            }
        }
        sources.append(&mut others);
        Some(ContextArgument { name: name.into(), r#type, sources })
    }

    /// Parses a type as a subgraph has it, such as `[Item!]`.
    fn own_type(&mut self, written: &str, line: usize) -> Option<TypeRef> {
        let Some(expression) = TypeExpression::parse(written) else {
            self.reader.problem(line, format!("`{written}` is no type"));
            return None;
        };
        self.reader.type_ref(&expression, line)
    }

    fn named(&mut self, directive: &Directive, argument: &str) -> Option<TypeId> {
        let name = text(directive, argument)?.to_owned();
        self.reader.find(&name, directive.line)
    }
}

impl FieldIn {
    /// A field without arguments of its directive.
    pub fn plain(subgraph: SubgraphId, r#type: TypeRef) -> Self {
        let (requires, provides, when) = (None, None, OverrideCondition::Always);
        let context = Vec::new();
        Self { subgraph, r#type, requires, provides, context, is_external: false, when }
    }
}
