//! The plan: entities of the API, with their names and members.

use catalog::{Catalog, Entity, Note};
use graphql::schema::is_name;
use rustc_hash::FxHashMap;

use super::Options;
use super::collision::{Names, collision, left_out};
use super::columns::{Column, Columns, columns, needs_key};
use super::mutations::{Mutations, mutations, result_name};
use super::naming::{self, EntityNames, entity_names, given_names};
use super::relations::{Relation, name_aggregates, relations};

/// Types that the API has whatever the source has. In GraphQL, types named `Mutation` and
/// `Subscription` count as roots.
const RESERVED_TYPES: [&str; 16] = [
    "Query",
    "Mutation",
    "Subscription",
    "Int",
    "Float",
    "String",
    "Boolean",
    "ID",
    "JSON",
    "BigInt",
    "SortOperator",
    "IntWhere",
    "BigIntWhere",
    "FloatWhere",
    "StrWhere",
    "BoolWhere",
];

/// Tables of migrations are excluded by Phrag, which recognizes them by this part of their names.
const MIGRATION: &str = "migration";

const RENAME: &str = "rename it, or show its rows under another name by a view.";

/// The plan of a catalog.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) entities: Vec<Planned<'a>>,
    /// The type of the result of an update and a delete.
    pub(super) result: &'static str,
    pub(super) notes: Vec<Note>,
}

/// The plan of an entity.
#[derive(Debug)]
pub(super) struct Planned<'a> {
    pub(super) entity: &'a Entity,
    pub(super) names: EntityNames,
    pub(super) columns: Vec<Column<'a>>,
    /// Writable columns that are not readable.
    pub(super) unread: Vec<Column<'a>>,
    pub(super) relations: Vec<Relation>,
    /// The names of the object's fields.
    pub(super) fields: Names,
    /// The root field of aggregates of all rows, if there is one.
    pub(super) aggregate: Option<String>,
    /// The mutations of its rows, if there are any.
    pub(super) mutations: Option<Mutations>,
}

impl Planned<'_> {
    /// True if lists of the entity have `sort`.
    pub(super) fn is_sorted(&self) -> bool {
        self.columns.iter().any(|column| column.sorted)
    }
}

/// Plans the API of a catalog.
pub(super) fn plan<'a>(catalog: &'a Catalog, options: &Options) -> Plan<'a> {
    let aggregation = !options.without_aggregation;
    let mut notes = Vec::new();
    let mut types = Names::reserved(&RESERVED_TYPES);
    let mut lists = Names::default();
    let mut entities = Vec::new();
    for entity in catalog.entities() {
        if is_unread(catalog, entity) {
            continue;
        }
        let subject = catalog.qualified_name(entity.id);
        let given = catalog.given().entity(entity.id);
        let names = given.map_or_else(|| entity_names(&entity.name), given_names);
        if let Some(note) = obstacle(entity, &names, &subject, aggregation, &types, &lists) {
            notes.push(note);
            continue;
        }
        let mut fields = Names::default();
        let Columns { shown: columns, unread } =
            columns(catalog, entity, options.big_integers, &mut fields, &mut notes);
        if columns.is_empty() {
            let message = "it has no column that can be shown.";
            notes.push(left_out(&subject, message, "give it a column with a name of GraphQL."));
            continue;
        }
        for r#type in names.types(aggregation) {
            // Not taken: `obstacle` has checked it.
            let claimed = types.claim(r#type, &subject);
            debug_assert!(claimed.is_ok(), "a name was taken meanwhile");
        }
        let claimed = lists.claim(&names.list, &subject);
        debug_assert!(claimed.is_ok(), "a name was taken meanwhile");
        let (relations, aggregate, mutations) = (Vec::new(), None, None);
        entities.push(Planned {
            entity,
            names,
            columns,
            unread,
            relations,
            fields,
            aggregate,
            mutations,
        });
    }
    if aggregation {
        // After all lists: a list keeps the name that an aggregate would have.
        for planned in &mut entities {
            let subject = catalog.qualified_name(planned.entity.id);
            let name = naming::aggregate(&planned.names.list);
            match lists.claim(&name, &subject) {
                Ok(()) => planned.aggregate = Some(name),
                Err(first) => {
                    let what = format!("the aggregate {name}");
                    notes.push(collision(&subject, &what, &first, RENAME));
                }
            }
        }
    }
    let places: FxHashMap<_, _> =
        entities.iter().enumerate().map(|(place, planned)| (planned.entity.id, place)).collect();
    for planned in &mut entities {
        planned.relations =
            relations(catalog, planned.entity, &places, &mut planned.fields, &mut notes);
        if aggregation {
            name_aggregates(catalog, planned, &mut notes);
        }
    }
    // After everything readable, which keeps its names.
    for planned in &mut entities {
        planned.mutations = mutations(catalog, planned, &mut types, &mut notes);
    }
    Plan { entities, result: result_name(&types), notes }
}

/// True if privileges leave nothing readable of an entity.
pub(super) fn is_unread(catalog: &Catalog, entity: &Entity) -> bool {
    let mut fields = catalog.fields_of(entity.id).peekable();
    fields.peek().is_some() && !fields.any(|field| field.access.read)
}

/// The reason why an entity cannot be in the API.
fn obstacle(
    entity: &Entity,
    names: &EntityNames,
    subject: &str,
    aggregation: bool,
    types: &Names,
    lists: &Names,
) -> Option<Note> {
    let needs_key = needs_key(entity.kind);
    if needs_key && entity.name.contains(MIGRATION) {
        let message = format!("tables with {MIGRATION:?} in their names are not shown.");
        return Some(left_out(subject, &message, RENAME));
    }
    if needs_key && entity.primary_key().is_none() {
        let message = "tables without a primary key are not shown, nor are relations to them.";
        return Some(left_out(subject, message, "add a primary key, or show its rows by a view."));
    }
    for name in [&names.object, &names.list] {
        if !is_name(name) {
            let message = format!("its name becomes {name:?}, which is no name of GraphQL.");
            return Some(left_out(subject, &message, RENAME));
        }
    }
    for name in names.types(aggregation) {
        if let Some(first) = types.owner(name) {
            return Some(collision(subject, &format!("the type {name}"), first, RENAME));
        }
    }
    let first = lists.owner(&names.list)?;
    Some(collision(subject, &format!("the list {}", names.list), first, RENAME))
}
