//! The plan: entities of the API, with their names and members.

use catalog::{Catalog, Entity, EntityId, Note};
use graphql::schema::is_name;
use hasura_metadata::naming::{Naming, RootField};
use hasura_metadata::{Problem, ProblemKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::SchemaKind;
use super::collision::{Names, collision, left_out};
use super::columns::{Column, columns};
use super::enum_types::EnumTypes;
use super::functions::{Computed, RootFunction, computed_fields, root_functions};
use super::naming::{self, TableNames};
use super::planned_queries::{self as query, PlannedQueries};
use super::relations::{Relation, RelationKind, Scope, relations};
use super::tracking::{Tracking, is_table};
use super::values::{Values, values};

/// Types that every API has, by names that no convention changes.
const RESERVED_TYPES: [&str; 10] = [
    "query_root",
    "mutation_root",
    "subscription_root",
    "Int",
    "Float",
    "String",
    "Boolean",
    "ID",
    // Of the Relay API, which has the other types, too.
    "Node",
    "PageInfo",
];

/// Types that every API has, by names in snake case.
const SHARED_TYPES: [&str; 2] = ["order_by", "cursor_ordering"];

const RENAME: &str = "rename it, or show its rows under another name by a view.";

/// The plan of a catalog.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) entities: Vec<Planned<'a>>,
    pub(super) functions: Vec<RootFunction>,
    pub(super) native: PlannedQueries<'a>,
    pub(super) enums: EnumTypes,
    pub(super) naming: Naming<'a>,
    pub(super) notes: Vec<Note>,
    pub(super) schema: SchemaKind,
    /// True if some role may read nothing, so that queries need a field that says it.
    pub(super) has_role_without_queries: bool,
    /// The tables into which a role inserts rows without a permission to update a column.
    pub(super) inserted_without_update: FxHashSet<EntityId>,
    /// Parts of the metadata that have no place in the API.
    pub(super) problems: Vec<Problem>,
}

/// The plan of an entity.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    pub(super) entity: &'a Entity,
    /// The name of its object type.
    pub(super) name: String,
    /// Its name in descriptions.
    pub(super) described: String,
    /// What the metadata says about it instead of a description of the source.
    comment: Option<&'a str>,
    names: TableNames<'a>,
    pub(super) columns: Vec<Column<'a>>,
    pub(super) relations: Vec<Relation>,
    pub(super) computed: Vec<Computed>,
    /// Relationships to native queries.
    pub(super) query_relations: Vec<query::Relation>,
    /// True if an array relationship leads to it.
    pub(super) is_array_target: bool,
    /// True if an object relationship leads to it.
    pub(super) is_object_target: bool,
    /// True if a computed field without arguments returns rows of it.
    pub(super) is_computed: bool,
}

impl<'a> Planned<'a> {
    /// The columns that may be read.
    pub(super) fn read(&self) -> impl Iterator<Item = &Column<'a>> {
        self.columns.iter().filter(|column| column.field.access.read)
    }

    /// A type of the entity.
    pub(super) fn r#type(&self, suffix: &str) -> String {
        self.names.r#type(suffix)
    }

    /// A root field.
    pub(super) fn root(&self, field: RootField) -> String {
        self.names.root(field)
    }

    /// The type of connections of its rows, in the Relay API.
    pub(super) fn connection_type(&self) -> String {
        self.names.of_relay("Connection")
    }

    /// The type of edges of its rows, in the Relay API.
    pub(super) fn edge_type(&self) -> String {
        self.names.of_relay("Edge")
    }

    /// The root field of connections of its rows, in the Relay API.
    pub(super) fn connection_root(&self) -> String {
        self.names.connection_root()
    }

    /// The description of a root field.
    pub(super) fn root_description(&self, field: RootField, usual: String) -> Option<String> {
        self.names.description(field, usual)
    }

    /// The description of its rows.
    pub(super) fn description(&self) -> Option<String> {
        match self.comment.or(self.entity.description.as_deref()) {
            None => Some(format!("columns and relationships of \"{}\"", self.described)),
            Some("") => None,
            Some(text) => Some(text.to_owned()),
        }
    }

    /// The columns of the primary key, if all of them can be read and compared.
    pub(super) fn key(&self) -> Option<Vec<&Column<'a>>> {
        let key = self.entity.primary_key()?;
        let column = |field| self.read().find(|column| column.field.id == field);
        let columns: Option<Vec<_>> = key.fields.iter().map(|field| column(*field)).collect();
        columns.filter(|columns| columns.iter().all(|column| column.values.is_comparable()))
    }

    /// True if its rows can be ordered by something.
    pub(super) fn is_sorted(&self) -> bool {
        let is_counted = |relation: &Relation| {
            matches!(&relation.kind, RelationKind::Array { aggregate: Some(_) })
        };
        let is_ordered = |computed: &Computed| {
            computed.rows_without_arguments().is_some()
                || computed.find_operand().is_some_and(Values::is_ordered)
        };
        self.read().any(|column| column.values.is_ordered())
            || self.computed.iter().any(is_ordered)
            || self.relations.iter().any(is_counted)
    }
}

/// Plans the API of a catalog.
pub(super) fn plan<'a>(catalog: &'a Catalog, tracking: &Tracking<'a>) -> Plan<'a> {
    let (mut notes, mut problems) = (Vec::new(), Vec::new());
    let naming = tracking.naming;
    let mut types = Names::reserved(RESERVED_TYPES.iter().copied());
    let shared = SHARED_TYPES.map(|name| naming.shared_type(name));
    shared.iter().for_each(|name| types.claim(name, &format!("the API's own {name}")));
    for r#type in naming.namespace().into_iter().flat_map(|name| naming.namespace_types(name)) {
        types.claim(&r#type, "the namespace of the source");
    }
    let tracked = || catalog.entities().filter(|entity| tracking.is_tracked(entity));
    let enums = EnumTypes::new(catalog, tracking, &mut problems);
    // Scalars have the names of the source's types.
    let models = tracking.native.models.iter().map(|model| model.entity);
    let stored = tracked().map(|entity| entity.id).chain(models);
    let stored = stored.flat_map(|entity| catalog.fields_of(entity));
    let stored = stored.map(|field| &field.r#type);
    for r#type in stored.chain(tracking.types_of_functions(catalog)) {
        let values = values(catalog, r#type);
        // Names of the other types follow the convention.
        types.claim(&values.scalar, "a type of values");
        for name in values.types() {
            types.claim(&naming.shared_type(&name), "a type of values");
        }
    }
    let mut roots = Names::default();
    let mut entities = Vec::new();
    let mut fields = Vec::new();
    for entity in tracked() {
        if !is_table(entity.kind) || is_unread(catalog, entity) {
            continue;
        }
        let subject = catalog.qualified_name(entity.id);
        let configuration = tracking.configuration(entity.id);
        let place = tracking.find(entity.id).map(|tracked| &tracked.table.table.place);
        let namespace = entity.namespace.as_deref();
        let given = catalog.given().entity(entity.id);
        let known = (namespace, &*entity.name);
        let Some(names) = TableNames::new(naming, known, given, configuration) else {
            let name = naming::table(namespace, &entity.name);
            let message = format!("{name:?} is no name of GraphQL.");
            match place {
                None => notes.push(left_out(&subject, &message, RENAME)),
                Some(place) => problems.push(Problem {
                    kind: ProblemKind::WrongValue,
                    place: place.clone(),
                    message: format!("{message} Write a `custom_name`."),
                }),
            }
            continue;
        };
        let (own_types, own_roots) = (names.types().collect::<Vec<_>>(), names.roots());
        if let Some(note) = obstacle((&own_types, &own_roots), &subject, &types, &roots) {
            notes.push(note);
            continue;
        }
        let mut own = Names::default();
        let scope = (catalog, tracking, &enums);
        let columns = columns(scope, entity, &mut own, &mut notes, &mut problems);
        if !columns.iter().any(|column| column.field.access.read) {
            let message = "it has no column that can be shown.";
            notes.push(left_out(&subject, message, "give it a column with a name of GraphQL."));
            continue;
        }
        types.claim_all(own_types, &subject);
        roots.claim_all(own_roots, &subject);
        fields.push(own);
        let (relations, computed, query_relations) = (Vec::new(), Vec::new(), Vec::new());
        let (is_array_target, is_object_target) = (false, false);
        entities.push(Planned {
            entity,
            name: names.r#type(""),
            described: naming::described(namespace, &entity.name),
            comment: configuration.comment.as_deref(),
            names,
            columns,
            relations,
            computed,
            query_relations,
            is_array_target,
            is_object_target,
            is_computed: false,
        });
    }
    let places: FxHashMap<_, _> =
        entities.iter().enumerate().map(|(place, planned)| (planned.entity.id, place)).collect();
    let (mut targets, mut computed) = (Vec::new(), Vec::new());
    for (planned, names) in entities.iter_mut().zip(&mut fields) {
        let (notes, problems) = (&mut notes, &mut problems);
        let mut scope = Scope { catalog, tracking, places: &places, notes, problems };
        planned.relations = relations(&mut scope, planned.entity, names);
        planned.computed =
            computed_fields(&mut scope, (planned.entity.id, &planned.names), names, &mut types);
        if let Some(tracked) = tracking.find(planned.entity.id) {
            planned.query_relations =
                query::relations(&mut scope, &tracked.query_relationships, names);
        }
        let target = |relation: &Relation| {
            (relation.target, matches!(relation.kind, RelationKind::Array { .. }))
        };
        targets.extend(planned.relations.iter().map(target));
        computed.extend(planned.computed.iter().filter_map(Computed::rows_without_arguments));
    }
    for (place, is_array) in targets {
        match is_array {
            true => entities[place].is_array_target = true,
            false => entities[place].is_object_target = true,
        }
    }
    for place in computed {
        entities[place].is_computed = true;
    }
    let (functions, native) = {
        let (notes, problems) = (&mut notes, &mut problems);
        let mut scope = Scope { catalog, tracking, places: &places, notes, problems };
        let functions = root_functions(&mut scope, &mut roots, &mut types);
        (functions, query::planned_queries(&mut scope, catalog, &mut roots, &mut types))
    };
    Plan {
        entities,
        functions,
        native,
        enums,
        naming,
        notes,
        schema: SchemaKind::default(),
        has_role_without_queries: false,
        inserted_without_update: FxHashSet::default(),
        problems,
    }
}

/// True if privileges leave nothing readable of an entity.
pub(super) fn is_unread(catalog: &Catalog, entity: &Entity) -> bool {
    let mut fields = catalog.fields_of(entity.id).peekable();
    fields.peek().is_some() && !fields.any(|field| field.access.read)
}

/// The reason why an entity cannot be in the API.
fn obstacle(
    (own_types, own_roots): (&[String], &[String]),
    subject: &str,
    types: &Names,
    roots: &Names,
) -> Option<Note> {
    for r#type in own_types {
        if !is_name(r#type) {
            let message = format!("{:?} is no name of GraphQL.", r#type);
            return Some(left_out(subject, &message, RENAME));
        }
        if let Some(first) = types.owner(r#type) {
            return Some(collision(subject, &format!("the type {type}"), first, RENAME));
        }
    }
    for root in own_roots {
        if !is_name(root) {
            let message = format!("{root:?} is no name of GraphQL.");
            return Some(left_out(subject, &message, RENAME));
        }
        if let Some(first) = roots.owner(root) {
            return Some(collision(subject, &format!("the field {root}"), first, RENAME));
        }
    }
    None
}
