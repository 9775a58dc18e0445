//! What all parts of the API need, and the order in which they are made.

use rustc_hash::FxHashMap;

use super::attribute::{Attribute, Spot};
use super::declared::Pending;
use super::link::Link;
use super::variants::Variant;
use super::{
    Options, aggregates, changes, coalesced, conditions, connections, declared, global, nested,
    objects, operators, related, root, searches, sort, statements, together, variants, writes,
};
use crate::model::{
    ApiVersion, FieldKind, Given, Model, ModelField, Placed, PlacedField, RelationshipField, Target,
};
use crate::shared::draft::{Draft, DraftInput};
use crate::shared::naming::TypeNames;
use crate::shared::{own_types, values};
use api::binding::{FilterRole, InputBinding, Meaning, VariantsId, WayBinding, WaysId};
use api::{Api, ApiBuilder};

/// What is made, and of what.
pub(super) struct Build<'a> {
    pub(super) model: &'a Model,
    pub(super) placed: &'a Placed,
    pub(super) options: Options,
    pub(super) draft: Draft,
    nodes: Vec<TypeNames>,
    interfaces: Vec<TypeNames>,
    unions: Vec<TypeNames>,
    /// Which fields lead to relationships with properties of a type, as its description lists them.
    pub(super) properties_of: FxHashMap<usize, Vec<String>>,
    /// Lists of node types, by their numbers.
    pub(super) variants: Vec<Vec<Variant<'a>>>,
    /// Lists of such along what interfaces declare.
    pub(super) declared: FxHashMap<Pending, VariantsId>,
    pub(super) pending: Vec<(VariantsId, Pending)>,
    /// Ways along which nodes are changed, by their numbers.
    pub(super) ways: Vec<Vec<Vec<WayBinding>>>,
    /// Which of them are those along a link to a type.
    pub(super) ways_of: FxHashMap<String, WaysId>,
}

/// Whose fields they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Node(usize),
    Interface(usize),
}

impl From<Owner> for Target {
    fn from(owner: Owner) -> Self {
        match owner {
            Owner::Node(index) => Self::Node(index),
            Owner::Interface(index) => Self::Interface(index),
        }
    }
}

pub(super) fn build(model: &Model, placed: &Placed, options: Options) -> Api {
    let mut build = Build::new(model, placed, options);
    build.define();
    root::global_ids(&mut build);
    for union in 0..model.unions.len() {
        objects::union(&mut build, union);
        conditions::union(&mut build, union);
        root::union(&mut build, union);
    }
    for interface in 0..model.interfaces.len() {
        build.owner(Owner::Interface(interface));
    }
    for node in 0..model.nodes.len() {
        build.owner(Owner::Node(node));
    }
    statements::roots(&mut build);
    declared::fill(&mut build);
    let mut builder = ApiBuilder::default();
    build.draft.finish(&mut builder);
    values::bind(&mut builder, model, placed, ApiVersion::V7);
    coalesced::bind(&mut builder, model, placed, ApiVersion::V7);
    global::bind(&mut builder, model, placed);
    declared::bind(&mut builder, model, placed);
    variants::finish(&mut builder, build.variants);
    builder.add_ways(build.ways);
    builder.finish()
}

/// The types that the API has whatever the definitions say.
pub(super) fn fixed_types() -> Draft {
    let (model, placed) = (Model::default(), Placed::default());
    let mut build = Build::new(&model, &placed, Options::default());
    build.define();
    build.draft
}

/// The relationship of a field that is one.
pub(super) fn relationship(field: &ModelField) -> Option<&RelationshipField> {
    match &field.kind {
        FieldKind::Relationship(relationship) => Some(relationship),
        FieldKind::Property(_) | FieldKind::Statement(_) | FieldKind::Part(_) => None,
    }
}

impl<'a> Build<'a> {
    fn new(model: &'a Model, placed: &'a Placed, options: Options) -> Self {
        let nodes = model.nodes.iter();
        let interfaces = model.interfaces.iter();
        let unions = model.unions.iter();
        Self {
            model,
            placed,
            options,
            draft: Draft::default(),
            nodes: names(nodes.map(|known| (&*known.name, known.plural.as_deref()))),
            interfaces: names(interfaces.map(|known| (&*known.name, known.plural.as_deref()))),
            unions: names(unions.map(|known| (&*known.name, known.plural.as_deref()))),
            properties_of: FxHashMap::default(),
            variants: Vec::new(),
            declared: FxHashMap::default(),
            pending: Vec::new(),
            ways: Vec::new(),
            ways_of: FxHashMap::default(),
        }
    }

    /// The types that are there whatever the definitions say.
    fn define(&mut self) {
        own_types::define(&mut self.draft, self.model, ApiVersion::V7);
        operators::define(self);
        aggregates::define(self);
        changes::define(self);
        statements::types(self);
    }

    /// All types of a node type, or of an interface.
    fn owner(&mut self, owner: Owner) {
        let attributes = self.attributes(owner);
        conditions::owner(self, owner, &attributes);
        if let Owner::Node(node) = owner {
            searches::fields(self, node);
        }
        writes::inputs(self, owner, &attributes);
        objects::object(self, owner, &attributes);
        sort::owner(self, owner, &attributes);
        for mut link in self.links(owner) {
            link.variants = variants::of_link(self, &link);
            objects::properties(self, &link);
            aggregates::link(self, &link);
            related::conditions(self, &link);
            together::conditions(self, &link);
            connections::fields(self, &link);
            nested::inputs(self, &link);
        }
        writes::fill_empty(self, owner);
        aggregates::owner(self, owner, &attributes);
        root::owner(self, owner);
    }

    /// The names of a type of nodes.
    pub(super) fn names(&self, target: Target) -> &TypeNames {
        match target {
            Target::Node(index) => &self.nodes[index],
            Target::Interface(index) => &self.interfaces[index],
            Target::Union(index) => &self.unions[index],
        }
    }

    /// The name of a type of nodes, as the definitions have it.
    pub(super) fn name(&self, target: Target) -> &'a str {
        let name = match target {
            Target::Node(index) => self.model.nodes.get(index).map(|known| &known.name),
            Target::Interface(index) => self.model.interfaces.get(index).map(|known| &known.name),
            Target::Union(index) => self.model.unions.get(index).map(|known| &known.name),
        };
        name.map_or("", |name| name)
    }

    /// The node types that implement an interface.
    pub(super) fn implementations(&self, interface: usize) -> &'a [usize] {
        let known = self.model.interfaces.get(interface);
        known.map_or(&[], |known| known.implementations.as_slice())
    }

    /// The members of a union.
    pub(super) fn members(&self, union: usize) -> &'a [usize] {
        self.model.unions.get(union).map_or(&[], |known| known.members.as_slice())
    }

    pub(super) fn fields(&self, owner: Owner) -> &'a [ModelField] {
        match owner {
            Owner::Node(index) => {
                self.model.nodes.get(index).map_or(&[], |known| known.fields.as_slice())
            }
            Owner::Interface(index) => {
                self.model.interfaces.get(index).map_or(&[], |known| known.fields.as_slice())
            }
        }
    }

    pub(super) fn placed_field(&self, owner: Owner, field: usize) -> Option<&'a PlacedField> {
        match owner {
            Owner::Node(index) => self.placed.nodes.get(index)?.fields.get(field),
            Owner::Interface(_) => None,
        }
    }

    /// The fields that hold stored values.
    pub(super) fn attributes(&self, owner: Owner) -> Vec<Attribute<'a>> {
        let mut common: u16 = 0;
        let mut attributes = Vec::new();
        for (index, field) in self.fields(owner).iter().enumerate() {
            if let Some((statement, placed)) = statements::of_node(self, owner, index, field) {
                if let Given::Value(property) = &statement.result {
                    let spot = statements::spot(statement, placed);
                    attributes.push(Attribute { field, property, spot });
                }
                continue;
            }
            let FieldKind::Property(property) = &field.kind else { continue };
            let spot = match self.placed_field(owner, index) {
                Some(PlacedField::Property(id)) => Spot::Node(*id),
                Some(PlacedField::Ways(_) | PlacedField::Statement(_)) | None => {
                    match self.is_common(owner, field) {
                        true => {
                            let place = common;
                            common = common.saturating_add(1);
                            Spot::Common(place)
                        }
                        false => Spot::Apart,
                    }
                }
            };
            attributes.push(Attribute { field, property, spot });
        }
        attributes
    }

    /// Whether all types of an interface store what a field of it shows.
    fn is_common(&self, owner: Owner, field: &ModelField) -> bool {
        let Owner::Interface(interface) = owner else { return true };
        let nodes = self.implementations(interface).iter();
        let mut own = nodes
            .filter_map(|node| self.model.nodes.get(*node))
            .flat_map(|node| node.fields.iter().filter(|own| own.name == field.name));
        own.all(|own| matches!(own.kind, FieldKind::Property(_)))
    }

    /// The attributes of the nodes that a relationship leads to; a union has none of its own.
    pub(super) fn target_attributes(&self, target: Target) -> Vec<Attribute<'a>> {
        match target {
            Target::Node(index) => self.attributes(Owner::Node(index)),
            Target::Interface(index) => self.attributes(Owner::Interface(index)),
            Target::Union(_) => Vec::new(),
        }
    }

    /// The fields that lead to nodes.
    pub(super) fn links(&self, owner: Owner) -> Vec<Link<'a>> {
        let link = |(index, field): (usize, &'a ModelField)| {
            let known = relationship(field)?;
            let ways = match self.placed_field(owner, index) {
                Some(PlacedField::Ways(ways)) => ways.as_slice(),
                Some(PlacedField::Property(_) | PlacedField::Statement(_)) | None => &[],
            };
            Some(self.link(owner, field, known, ways))
        };
        self.fields(owner).iter().enumerate().filter_map(link).collect()
    }

    /// Adds `AND`, `OR` and `NOT` of conditions, in the order of `names`.
    pub(super) fn add_logic(&mut self, parent: &str, names: [&str; 3]) {
        for name in names {
            let (r#type, role) = match name {
                "AND" => (format!("[{parent}!]"), FilterRole::And { item: Meaning::Ignore }),
                "OR" => (format!("[{parent}!]"), FilterRole::Or { item: Meaning::Ignore }),
                _ => (parent.into(), FilterRole::Negated(Box::new(FilterRole::Conditions))),
            };
            let input = DraftInput::new(name, &r#type, InputBinding::lenient(role));
            self.draft.add_input(parent, input);
        }
    }
}

fn names<'n>(types: impl Iterator<Item = (&'n str, Option<&'n str>)>) -> Vec<TypeNames> {
    types.map(|(name, plural)| TypeNames::new(name, plural)).collect()
}
