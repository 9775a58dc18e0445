//! The plan of native queries: objects of logical models, root fields, and relationships.

use api::binding::ArgumentBinding;
use catalog::{ArgumentType, Catalog, EntityId, FunctionId};
use graphql::schema::is_name;
use hasura_metadata::naming::{Identifier, Naming};
use hasura_metadata::suggestions::RelationshipKind;
use hasura_metadata::{Location, Problem};
use ir::Hop;

use super::collision::Names;
use super::columns::Column;
use super::native_queries::wrong;
use super::relations::{Scope, is_unique};
use super::tracking::{QueryRelation, RelationTarget, TrackedModel, TrackedQuery, Tracking};
use super::values::Values;

/// The native queries, and the models of their rows.
#[derive(Debug, Default)]
pub(super) struct PlannedQueries<'a> {
    pub(super) models: Vec<Model<'a>>,
    pub(super) queries: Vec<Query<'a>>,
}

/// A logical model.
#[derive(Debug)]
pub(super) struct Model<'a> {
    pub(super) entity: EntityId,
    pub(super) name: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) columns: Vec<Column<'a>>,
    /// The type of conditions.
    pub(super) condition: String,
    /// The type of orders.
    pub(super) order: String,
    /// The enum of its columns.
    pub(super) selected: String,
    /// False if something else has one of its names.
    pub(super) is_served: bool,
}

/// A native query.
#[derive(Debug)]
pub(super) struct Query<'a> {
    /// Its root field.
    pub(super) name: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) function: FunctionId,
    /// The index of its model.
    pub(super) model: usize,
    /// The type of its rows: of the model, or its own, which has its relationships.
    pub(super) object: String,
    pub(super) arguments: Vec<Argument<'a>>,
    /// The type of its arguments.
    pub(super) arguments_type: String,
    pub(super) relations: Vec<Relation>,
    /// False if something else has one of its names, or of those of its model.
    pub(super) is_served: bool,
}

/// An argument.
#[derive(Debug)]
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) values: Values,
    pub(super) nullable: bool,
    /// Its index among those of the function.
    pub(super) place: u16,
}

/// A relationship from a native query, or to one.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) name: String,
    pub(super) kind: RelationshipKind,
    pub(super) target: Target,
}

/// The rows that a relationship leads to.
#[derive(Debug)]
pub(super) enum Target {
    Table {
        hop: Hop,
        /// The index of the table in the plan.
        table: usize,
        /// True if no row has several related rows.
        is_unique: bool,
    },
    Query {
        function: FunctionId,
        /// The index of the native query.
        query: usize,
    },
}

impl Argument<'_> {
    /// Its type, as in a schema.
    pub(super) fn r#type(&self) -> String {
        let r#type = self.values.text();
        if self.nullable { r#type } else { r#type + "!" }
    }

    pub(super) fn binding(&self) -> ArgumentBinding {
        ArgumentBinding { place: self.place, optional: false, named: true }
    }
}

impl PlannedQueries<'_> {
    /// The native queries that have a place in the API.
    pub(super) fn served(&self) -> impl Iterator<Item = &Query<'_>> {
        self.queries.iter().filter(|query| query.is_served)
    }
}

impl Model<'_> {
    /// True if its rows can be ordered by something.
    pub(super) fn is_sorted(&self) -> bool {
        self.columns.iter().any(|column| column.values.is_ordered())
    }
}

/// Plans the native queries; each claims its names.
pub(super) fn planned_queries<'a>(
    scope: &mut Scope<'_, 'a>,
    catalog: &'a Catalog,
    roots: &mut Names,
    types: &mut Names,
) -> PlannedQueries<'a> {
    let tracking = scope.tracking;
    let mut planned = PlannedQueries::default();
    for tracked in &tracking.native.models {
        let mut model = model(catalog, tracking, tracked);
        let about = format!("the logical model {}", model.name);
        let names = [model.name, &model.condition, &model.order, &model.selected];
        model.is_served = claim_types(&names, &about, tracked.place, types, scope.problems);
        planned.models.push(model);
    }
    for tracked in &tracking.native.queries {
        let model = &planned.models[tracked.model];
        let mut query = query(catalog, tracking, tracked, model);
        let about = format!("the native query {}", query.name);
        let place = &tracked.query.root_field_name.0.place;
        let mut names = Vec::new();
        if query.object != model.name {
            names.push(&*query.object);
        }
        if !query.arguments.is_empty() {
            names.push(&*query.arguments_type);
        }
        query.is_served =
            model.is_served && claim_types(&names, &about, place, types, scope.problems);
        match roots.owner(query.name) {
            Some(first) => {
                let message = format!("The root field `{}` belongs to {first}.", query.name);
                scope.problems.push(wrong(place, message));
                query.is_served = false;
            }
            None => roots.claim(query.name, &about),
        }
        planned.queries.push(query);
    }
    for (place, tracked) in tracking.native.queries.iter().enumerate() {
        let mut names = Names::default();
        for column in &planned.models[tracked.model].columns {
            names.claim(column.name(), &format!("the field {}", column.name()));
        }
        planned.queries[place].relations = relations(scope, &tracked.relationships, &mut names);
    }
    planned
}

/// Claims types, unless one of them has an owner already.
fn claim_types(
    names: &[&str],
    about: &str,
    place: &Location,
    types: &mut Names,
    problems: &mut Vec<Problem>,
) -> bool {
    for name in names {
        if let Some(first) = types.owner(name) {
            let message = format!("The type `{name}` of {about} belongs to {first}.");
            problems.push(wrong(place, message));
            return false;
        }
    }
    names.iter().for_each(|name| types.claim(name, about));
    true
}

fn model<'a>(
    catalog: &'a Catalog,
    tracking: &Tracking<'a>,
    tracked: &TrackedModel<'a>,
) -> Model<'a> {
    let entity = &catalog[tracked.entity];
    let columns = catalog
        .fields_of(entity.id)
        .map(|field| Column::of_model(field, tracking.values(catalog, &field.r#type)));
    Model {
        entity: entity.id,
        name: tracked.name,
        description: entity.description.as_deref(),
        columns: columns.collect(),
        condition: model_type(tracking.naming, tracked.name, "bool_exp"),
        order: model_type(tracking.naming, tracked.name, "order_by"),
        selected: [tracked.name, "_enum_name"].concat(),
        is_served: true,
    }
}

fn model_type(naming: Naming<'_>, name: &str, suffix: &str) -> String {
    match Identifier::of_entity(None, name, Some(name)) {
        Some(identifier) => naming.table_type(&identifier, suffix),
        None => [name, "_", suffix].concat(),
    }
}

fn query<'a>(
    catalog: &'a Catalog,
    tracking: &Tracking<'a>,
    tracked: &TrackedQuery<'a>,
    model: &Model<'_>,
) -> Query<'a> {
    let own = tracked.query;
    let name: &str = &own.root_field_name;
    let types = catalog[tracked.function].arguments.iter();
    let arguments = own.arguments.iter().zip(types).zip(0_u16..);
    let arguments = arguments.filter_map(|(((name, own), argument), place)| {
        let ArgumentType::Value(r#type) = &argument.r#type else { return None };
        Some(Argument {
            name,
            description: own.description.as_deref(),
            values: tracking.values(catalog, r#type),
            nullable: own.nullable,
            place,
        })
    });
    let object = if tracked.relationships.is_empty() { model.name } else { name };
    Query {
        name,
        description: own.description.as_deref(),
        function: tracked.function,
        model: tracked.model,
        object: object.to_owned(),
        arguments: arguments.collect(),
        arguments_type: [name, "_arguments"].concat(),
        relations: Vec::new(),
        is_served: true,
    }
}

/// The relationships of a native query, or those of a table that lead to native queries. Each claims
/// its name.
pub(super) fn relations(
    scope: &mut Scope<'_, '_>,
    tracked: &[QueryRelation<'_>],
    names: &mut Names,
) -> Vec<Relation> {
    let mut relations = Vec::new();
    for QueryRelation { name, kind, target } in tracked {
        if !is_name(name) {
            let message =
                format!("{:?} is no name of GraphQL. Rename the relationship.", name.text);
            scope.problems.push(wrong(&name.place, message));
            continue;
        }
        if let Some(first) = names.owner(name) {
            let message =
                format!("The field `{}` belongs to {first}. Rename the relationship.", name.text);
            scope.problems.push(wrong(&name.place, message));
            continue;
        }
        let target = match target {
            RelationTarget::Query { function, query } => {
                Target::Query { function: *function, query: *query }
            }
            RelationTarget::Table { hop, entity } => match scope.places.get(entity) {
                Some(table) => {
                    let is_unique = is_unique(scope.catalog, *hop);
                    Target::Table { hop: *hop, table: *table, is_unique }
                }
                // The note is that of the table.
                None => continue,
            },
        };
        names.claim(name, &format!("the relationship {}", name.text));
        relations.push(Relation { name: name.text.clone(), kind: *kind, target });
    }
    relations
}
