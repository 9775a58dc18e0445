//! The plan as types, fields and inputs with their bindings.

use std::sync::Arc;

use catalog::Catalog;
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeKind, TypeRef};
use ir::HopDirection;

use super::aggregate;
use super::collision::left_out;
use super::columns::{Column, tie_break};
use super::mutations;
use super::operators::{Extras, OperatorTypes, Scalars, add_type, object};
use super::plan::{Plan, Planned, is_unread};
use super::values::ApiScalar;
use super::{BigIntegers, Options};
use api::binding::{
    ArgumentRole, EntityBinding, FieldBinding, FilterRole, InputBinding, Meaning, OrderRole,
    RowsBinding, RowsForm, RowsFrom, Subject,
};
use api::{Api, ApiBuilder, Nesting};

/// Phrag's text, which clients may match.
const TOO_DEEP: &str = "Exceeded maximum nest level.";

/// The types of an entity.
#[derive(Clone, Copy, Debug)]
struct EntityTypes {
    object: TypeId,
    clauses: TypeId,
    /// Absent if no column can be sorted by: input types without fields are not allowed.
    sort: Option<TypeId>,
    /// Absent without aggregates.
    aggregate: Option<TypeId>,
}

/// Types that every part of the schema uses.
struct Types {
    scalars: Scalars,
    operators: OperatorTypes,
    /// In the order of the plan.
    entities: Vec<EntityTypes>,
}

/// Makes the API of a plan: first the types, since they refer to each other, then their members.
pub(super) fn build(catalog: &Catalog, plan: Plan<'_>, options: &Options) -> Api {
    let mut builder = ApiBuilder::default();
    let extras = Extras {
        big_int: options.big_integers == BigIntegers::String,
        json: plan.entities.iter().flat_map(|planned| &planned.columns).any(is_json),
    };
    let scalars = Scalars::add(&mut builder, extras);
    let query = add_type(&mut builder, "Query", None, object());
    builder.schema_mut().query = Some(query);
    let add = |planned: &Planned<'_>| {
        let types = add_entity(&mut builder, planned);
        let add = || {
            let big_integers = options.big_integers;
            aggregate::add_types(&mut builder, catalog, planned, &scalars, big_integers)
        };
        EntityTypes { aggregate: (!options.without_aggregation).then(add), ..types }
    };
    let entities = plan.entities.iter().map(add).collect();
    let operators = OperatorTypes::add(&mut builder, &scalars, extras);
    let types = Types { scalars, operators, entities };

    for (planned, own) in plan.entities.iter().zip(&types.entities) {
        let binding = rows(RowsFrom::Entity, planned, RowsForm::List, options);
        add_list(&mut builder, query, &planned.names.list, *own, &types, binding);
        if let (Some(name), Some(aggregate)) = (&planned.aggregate, own.aggregate) {
            let binding = rows(RowsFrom::Entity, planned, RowsForm::Aggregate, options);
            aggregate::add_field(&mut builder, query, name, (aggregate, own.clauses), binding);
        }
        add_columns(&mut builder, planned, *own, &types);
        add_relations(&mut builder, &plan.entities, planned, *own, &types, options);
        let tie_break = tie_break(catalog, planned.entity);
        let binding = EntityBinding { tie_break, ..EntityBinding::default() };
        builder.bind_entity(planned.entity.id, binding);
    }
    mutations::add(&mut builder, &plan, &types.scalars);
    if let Some(most) = options.max_nest_level {
        builder.limit_nesting(Nesting { most, message: TOO_DEEP.into() });
    }
    if plan.entities.is_empty() {
        let mut unread = catalog.entities().filter(|entity| is_unread(catalog, entity));
        let (message, remedy) = match unread.next() {
            None => (
                "it has no table with a primary key and no view.",
                "create one, or choose another namespace.",
            ),
            Some(_) => (
                "it has no table with a primary key and no view of which a column may be read by \
                 the user of the connection, or by a role that this can become.",
                "grant SELECT to one of them, or choose another namespace.",
            ),
        };
        builder.note(left_out("the source", message, remedy));
    }
    for note in plan.notes {
        builder.note(note);
    }
    builder.finish()
}

fn is_json(column: &Column<'_>) -> bool {
    column.values.scalar == ApiScalar::Json
}

fn add_entity(builder: &mut ApiBuilder, planned: &Planned<'_>) -> EntityTypes {
    let names = &planned.names;
    let input_object = || TypeKind::InputObject { fields: Vec::new() };
    let description = planned.entity.description.as_deref();
    EntityTypes {
        object: add_type(builder, &names.object, description, object()),
        clauses: add_type(builder, &names.clauses, None, input_object()),
        sort: planned.is_sorted().then(|| add_type(builder, &names.sort, None, input_object())),
        aggregate: None,
    }
}

fn add_columns(builder: &mut ApiBuilder, planned: &Planned<'_>, own: EntityTypes, types: &Types) {
    let clauses = TypeRef::named(own.clauses).list();
    for (name, role) in [
        ("and", FilterRole::And { item: Meaning::True }),
        ("or", FilterRole::Or { item: Meaning::True }),
    ] {
        builder.add_input_field(
            own.clauses,
            InputDefinition::new(name, clauses),
            InputBinding::lenient(role),
        );
    }
    for Column { field, name, values, filtered, sorted } in &planned.columns {
        let mut definition = FieldDefinition::new(name, types.scalars.of(values));
        definition.description = field.description.as_deref().map(Into::into);
        builder.add_field(own.object, definition, FieldBinding::Column(field.id));
        builder.bind_column(field.id, values.binding.clone());
        if let Some(operators) = types.operators.find(values.scalar).filter(|_| *filtered) {
            let text = format!("`{name}` cannot be null; leave it out or name an operator.");
            builder.add_input_field(
                own.clauses,
                InputDefinition::new(name, TypeRef::named(operators)),
                InputBinding::refuse_null(
                    FilterRole::Operators(Arc::new(Subject::field(field.id))),
                    &text,
                ),
            );
        }
        if let Some(sort) = own.sort.filter(|_| *sorted) {
            builder.add_input_field(
                sort,
                InputDefinition::new(name, TypeRef::named(types.operators.direction)),
                InputBinding::lenient(OrderRole::Field(field.id)),
            );
        }
    }
}

fn add_relations(
    builder: &mut ApiBuilder,
    entities: &[Planned<'_>],
    planned: &Planned<'_>,
    own: EntityTypes,
    types: &Types,
    options: &Options,
) {
    for relation in &planned.relations {
        let target = &entities[relation.target];
        let target_types = types.entities[relation.target];
        let from = match relation.far {
            Some(far) => RowsFrom::Through { near: relation.hop, far },
            None => RowsFrom::Relation(relation.hop),
        };
        match relation.hop.direction {
            HopDirection::Forward => {
                let binding = rows(from, target, RowsForm::Single, options);
                let definition =
                    FieldDefinition::new(&relation.name, TypeRef::named(target_types.object));
                builder.add_field(own.object, definition, FieldBinding::Rows(binding));
            }
            HopDirection::Backward => {
                let binding = rows(from, target, RowsForm::List, options);
                add_list(builder, own.object, &relation.name, target_types, types, binding);
                let aggregate = target_types.aggregate;
                if let (Some(name), Some(aggregate)) = (&relation.aggregate, aggregate) {
                    let binding = rows(from, target, RowsForm::Aggregate, options);
                    let types = (aggregate, target_types.clauses);
                    aggregate::add_field(builder, own.object, name, types, binding);
                }
            }
        }
    }
}

fn add_list(
    builder: &mut ApiBuilder,
    parent: TypeId,
    name: &str,
    entity: EntityTypes,
    types: &Types,
    binding: RowsBinding,
) {
    let definition = FieldDefinition::new(name, TypeRef::named(entity.object).list());
    let list = builder.add_field(parent, definition, FieldBinding::Rows(binding));
    let definition = InputDefinition::new("where", TypeRef::named(entity.clauses));
    builder.add_argument(list, definition, InputBinding::lenient(FilterRole::Conditions));
    let mut argument = |name: &str, r#type: TypeId, role: ArgumentRole| {
        let definition = InputDefinition::new(name, TypeRef::named(r#type));
        builder.add_argument(list, definition, InputBinding::lenient(role));
    };
    if let Some(sort) = entity.sort {
        argument("sort", sort, ArgumentRole::Sort);
    }
    argument("limit", types.scalars.int, ArgumentRole::Limit);
    argument("offset", types.scalars.int, ArgumentRole::Offset);
}

fn rows(from: RowsFrom, planned: &Planned<'_>, form: RowsForm, options: &Options) -> RowsBinding {
    let default_limit = match form {
        RowsForm::List | RowsForm::Connection => options.default_limit,
        RowsForm::Single
        | RowsForm::First
        | RowsForm::Keyed
        | RowsForm::Aggregate
        | RowsForm::Stream => None,
    };
    RowsBinding { from, entity: planned.entity.id, form, default_limit }
}
