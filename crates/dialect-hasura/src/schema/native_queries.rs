//! Native queries: objects of logical models with their conditions and orders, root fields, and
//! fields of relationships.

use std::sync::Arc;

use api::ApiBuilder;
use api::binding::{
    ArgumentRole, CallBinding, EntityBinding, FieldBinding, FilterRole, InputBinding, Meaning,
    OrderRole, RowsBinding, RowsForm, RowsFrom, Subject, ValueBinding,
};
use catalog::{EntityId, FunctionId};
use hasura_metadata::suggestions::RelationshipKind;

use super::base::ORDER_BY;
use super::condition_member::member;
use super::{Build, comparisons, conditions, orders, rows};
use crate::draft::{DraftField, DraftInput, DraftValue};
use crate::key_queries;
use crate::plan::Plan;
use crate::planned_queries::{Argument, Model, Query, Relation, Target};

/// Adds the types of the models and queries.
pub(super) fn add(build: &mut Build<'_>) {
    let plan = build.plan;
    for model in plan.native.models.iter().filter(|model| model.is_served) {
        // No table may have a column of the type.
        model.columns.iter().for_each(|column| build.draft.scalar(&column.values.scalar));
        add_condition(build, model);
        add_order(build, model);
        let columns = model.columns.iter().map(|column| {
            let binding = ValueBinding::Column(column.field.id);
            DraftValue::new(column.name(), "column name", binding).verbatim()
        });
        build.draft.values(&model.selected, None, columns.collect());
        let is_used = |query: &Query<'_>| query.object == model.name;
        if plan.native.served().any(is_used) {
            let fields = columns_of(model);
            build.draft.object(model.name, model.description, fields);
        }
    }
    for query in plan.native.served() {
        add_arguments(build, query);
        let model = &plan.native.models[query.model];
        if query.object == model.name {
            continue;
        }
        let mut fields = columns_of(model);
        fields.extend(relations(build, &query.relations));
        if key_queries::is_root_field(query.name) {
            fields.extend(aggregates(build, &query.relations));
        }
        build.draft.object(&query.object, model.description, fields);
    }
}

fn columns_of(model: &Model<'_>) -> Vec<DraftField> {
    let fields = model.columns.iter().map(|column| {
        let binding = FieldBinding::Column(column.field.id);
        let field = DraftField::new(column.name(), column.output(), binding).verbatim();
        field.with(rows::path_argument(column)).described_by(column.description())
    });
    fields.collect()
}

fn add_condition(build: &mut Build<'_>, model: &Model<'_>) {
    let mut members = conditions::combined(&model.condition);
    for column in &model.columns {
        let operators = comparisons::find(build, &column.values);
        let role = FilterRole::Operators(Arc::new(Subject::field(column.field.id)));
        members.push(member(column.name(), operators, role, Meaning::True).verbatim());
    }
    let about = format!(
        "Boolean expression to filter rows from the logical model for \"{}\". All fields are \
         combined with a logical 'AND'.",
        model.name
    );
    build.draft.input(&model.condition, Some(&about), members);
}

fn add_order(build: &mut Build<'_>, model: &Model<'_>) {
    if !model.is_sorted() {
        return;
    }
    let order_by = build.shared_type(ORDER_BY);
    let columns = model.columns.iter().filter(|column| column.values.is_ordered());
    let members = columns.map(|column| {
        orders::member(column.name(), &order_by, OrderRole::Field(column.field.id)).verbatim()
    });
    let about = format!("Ordering options when selecting data from \"{}\".", model.name);
    build.draft.input(&model.order, Some(&about), members.collect());
}

/// Adds the type of a query's arguments, if it has any.
fn add_arguments(build: &mut Build<'_>, query: &Query<'_>) {
    if query.arguments.is_empty() {
        return;
    }
    let members = query.arguments.iter().map(|argument| {
        build.draft.scalar(&argument.values.scalar);
        let binding = InputBinding::lenient(ArgumentRole::Call(argument.binding()));
        let usual = || format!("Native Query argument {}", argument.name);
        let about = argument.description.map_or_else(usual, ToOwned::to_owned);
        DraftInput::new(argument.name, argument.r#type(), binding).verbatim().described(about)
    });
    let members = members.collect();
    build.draft.input(&query.arguments_type, Some(&arguments_about(query)), members);
}

fn arguments_about(query: &Query<'_>) -> String {
    [query.name, "Native Query Arguments"].concat()
}

/// The argument with the arguments of a query.
fn arguments(query: &Query<'_>) -> Vec<DraftInput> {
    if query.arguments.is_empty() {
        return Vec::new();
    }
    let r#type = [&*query.arguments_type, "!"].concat();
    let options = DraftInput::new("args", r#type, InputBinding::lenient(ArgumentRole::Options));
    vec![options.described(arguments_about(query))]
}

/// The arguments of a list of a query's rows.
fn list_arguments(build: &Build<'_>, query: &Query<'_>) -> Vec<DraftInput> {
    let model = &build.plan.native.models[query.model];
    let order = model.is_sorted().then_some(&*model.order);
    let mut list = arguments(query);
    list.extend(rows::list_arguments(&model.selected, &model.condition, order));
    list
}

fn rows_of(from: RowsFrom, entity: EntityId, form: RowsForm) -> FieldBinding {
    FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
}

/// The root fields of the queries.
pub(super) fn root_fields(build: &Build<'_>) -> Vec<DraftField> {
    let native = &build.plan.native;
    let field = |query: &Query<'_>| {
        let from = RowsFrom::Function { function: query.function, of_row: false };
        let binding = rows_of(from, native.models[query.model].entity, RowsForm::List);
        let field = DraftField::new(query.name, ["[", &query.object, "!]!"].concat(), binding);
        let field = field.verbatim().with(list_arguments(build, query));
        field.described_by(query.description)
    };
    native.served().map(field).collect()
}

/// The fields of relationships from queries, and to them.
pub(super) fn relations(build: &Build<'_>, relations: &[Relation]) -> Vec<DraftField> {
    let field = |Relation { name, kind, target }: &Relation| {
        let about = match kind {
            RelationshipKind::Object => "An object relationship",
            RelationshipKind::Array => "An array relationship",
        };
        let field = match target {
            Target::Query { function, query } => {
                let query = &build.plan.native.queries[*query];
                let entity = build.plan.native.models[query.model].entity;
                let from = RowsFrom::Function { function: *function, of_row: true };
                match kind {
                    RelationshipKind::Object => {
                        let binding = rows_of(from, entity, RowsForm::First);
                        DraftField::new(name, query.object.as_str(), binding).with(arguments(query))
                    }
                    RelationshipKind::Array => {
                        let r#type = ["[", &query.object, "!]"].concat();
                        DraftField::new(name, r#type, rows_of(from, entity, RowsForm::List))
                            .with(list_arguments(build, query))
                    }
                }
            }
            Target::Table { hop, table, is_unique } => {
                let table = &build.plan.entities[*table];
                let (from, entity) = (RowsFrom::Relation(*hop), table.entity.id);
                match kind {
                    RelationshipKind::Object => {
                        let form = if *is_unique { RowsForm::Single } else { RowsForm::First };
                        DraftField::new(name, table.name.as_str(), rows_of(from, entity, form))
                    }
                    RelationshipKind::Array => {
                        rows::list(name, table, rows_of(from, entity, RowsForm::List))
                    }
                }
            }
        };
        field.verbatim().described(about)
    };
    let is_served = |relation: &&Relation| match relation.target {
        Target::Query { query, .. } => build.plan.native.queries[query].is_served,
        Target::Table { .. } => true,
    };
    relations.iter().filter(is_served).map(field).collect()
}

/// The aggregates of the rows of tables to which lists lead.
fn aggregates(build: &Build<'_>, relations: &[Relation]) -> Vec<DraftField> {
    let field = |relation: &Relation| match (&relation.target, relation.kind) {
        (Target::Table { hop, table, .. }, RelationshipKind::Array) => {
            let table = &build.plan.entities[*table];
            let from = RowsFrom::Relation(*hop);
            let binding = rows_of(from, table.entity.id, RowsForm::Connection);
            Some(rows::aggregate(&format!("{}_aggregate", relation.name), table, binding))
        }
        (Target::Table { .. } | Target::Query { .. }, _) => None,
    };
    relations.iter().filter_map(field).collect()
}

/// The bindings of all calls.
pub(super) fn calls(plan: &Plan<'_>) -> Vec<(FunctionId, CallBinding)> {
    let native = &plan.native;
    let binding = |query: &Query<'_>, row: Option<u16>| {
        let arguments = query.arguments.iter().map(Argument::binding);
        CallBinding { arguments: arguments.collect(), row, claims: None, omitted: None }
    };
    let roots = native.queries.iter().map(|query| (query.function, binding(query, None)));
    let from_queries = native.queries.iter().flat_map(|query| &query.relations);
    let relations = plan.entities.iter().flat_map(|planned| &planned.query_relations);
    let related = relations.chain(from_queries).filter_map(|relation| match relation.target {
        Target::Query { function, query } => {
            let query = &native.queries[query];
            // The row comes after the arguments of the query.
            let row = u16::try_from(query.arguments.len()).ok();
            Some((function, binding(query, row)))
        }
        Target::Table { .. } => None,
    });
    roots.chain(related).collect()
}

/// Binds the columns of the models. A row whose fields are all null is a row.
pub(super) fn bind(plan: &Plan<'_>, builder: &mut ApiBuilder) {
    for model in &plan.native.models {
        for column in &model.columns {
            builder.bind_column(column.field.id, column.values.binding.clone());
        }
        let binding = EntityBinding { hollow: true, ..EntityBinding::default() };
        builder.bind_entity(model.entity, binding);
    }
}
