//! Objects of rows, and the fields that give them.

use api::binding::{
    ArgumentRole, FieldBinding, FilterRole, InputBinding, Meaning, RowsBinding, RowsForm, RowsFrom,
    ValueBinding, ValueShape,
};
use response::Leaf;

use super::{Build, streams};
use crate::columns::Column;
use crate::draft::{DraftField, DraftInput, DraftValue};
use crate::naming;
use crate::plan::Planned;
use crate::relations::RelationKind;

/// The only value of an API without tables.
const NO_QUERIES: &str = "There are no queries available to the current role.";

/// Adds the object of an entity's rows, and the enum of its columns.
pub(super) fn add_object(build: &mut Build<'_>, planned: &Planned<'_>) {
    let mut fields = Vec::new();
    for column in planned.read() {
        let field =
            DraftField::new(column.name(), column.output(), FieldBinding::Column(column.field.id));
        let field = field.with(path_argument(column));
        fields.push(field.described_by(column.description()));
    }
    for relation in &planned.relations {
        let target = &build.plan.entities[relation.target];
        let from = RowsFrom::Relation(relation.hop);
        match &relation.kind {
            RelationKind::Object { is_required } => {
                let r#type = match is_required {
                    true => format!("{}!", target.name),
                    false => target.name.clone(),
                };
                let binding = rows(from, target, RowsForm::Single);
                let field = DraftField::new(&relation.name, r#type, binding);
                fields.push(field.described("An object relationship"));
            }
            RelationKind::Array { aggregate } => {
                let binding = rows(from, target, RowsForm::List);
                let field = list(&relation.name, target, binding);
                fields.push(field.described("An array relationship"));
                if let Some(name) = aggregate {
                    let binding = rows(from, target, RowsForm::Connection);
                    let field = self::aggregate(name, target, binding);
                    fields.push(field.described("An aggregate relationship"));
                }
            }
        }
    }
    let usual = format!("columns and relationships of \"{}\"", planned.name);
    let about = planned.entity.description.as_deref().unwrap_or(&usual);
    build.draft.object(&planned.name, Some(about), fields);
    let columns = planned.read().map(|column| {
        DraftValue::new(column.name(), "column name", ValueBinding::Column(column.field.id))
    });
    let about = format!("select columns of table \"{}\"", planned.name);
    build.draft.values(&planned.r#type("select_column"), Some(&about), columns.collect());
}

/// The argument of a column of JSON.
fn path_argument(column: &Column<'_>) -> Vec<DraftInput> {
    let is_json =
        column.values.binding.value == ValueShape::Leaf(Leaf::Json(response::JsonForm::Embedded));
    if !is_json {
        return Vec::new();
    }
    let binding = InputBinding::lenient(ArgumentRole::JsonPath);
    vec![DraftInput::new("path", "String", binding).described("JSON select path")]
}

/// Adds the root types of queries and subscriptions.
pub(super) fn add_roots(build: &mut Build<'_>) {
    let fields: Vec<DraftField> = build.plan.entities.iter().flat_map(root_fields).collect();
    if !fields.is_empty() {
        let mut subscriptions = fields.clone();
        for planned in &build.plan.entities {
            subscriptions.extend(streams::field(&mut build.draft, planned));
        }
        build.draft.object("subscription_root", None, subscriptions);
    }
    if fields.is_empty() {
        let mut text = Vec::new();
        text.push(b'"');
        text.extend_from_slice(NO_QUERIES.as_bytes());
        text.push(b'"');
        let binding = FieldBinding::Literal(text.into());
        let field = DraftField::new("no_queries_available", "String!", binding);
        return build.draft.object("query_root", None, vec![field.described(NO_QUERIES)]);
    }
    build.draft.object("query_root", None, fields);
}

fn root_fields(planned: &Planned<'_>) -> Vec<DraftField> {
    let name = &planned.name;
    let binding = |form| rows(RowsFrom::Entity, planned, form);
    let all = list(name, planned, binding(RowsForm::List));
    let aggregate =
        aggregate(&naming::of(name, "aggregate"), planned, binding(RowsForm::Connection));
    let mut fields = vec![
        all.described(format!("fetch data from the table: \"{name}\"")),
        aggregate.described(format!("fetch aggregated fields from the table: \"{name}\"")),
    ];
    if let Some(arguments) = key_arguments(planned) {
        let binding = binding(RowsForm::Single);
        let field = DraftField::new(&naming::of(name, "by_pk"), name, binding).with(arguments);
        let about = format!("fetch data from the table: \"{name}\" using primary key columns");
        fields.push(field.described(about));
    }
    fields
}

/// Arguments that find a row by its primary key.
pub(super) fn key_arguments(planned: &Planned<'_>) -> Option<Vec<DraftInput>> {
    let key = planned.key()?;
    let argument = |column: &&crate::columns::Column<'_>| {
        let binding = InputBinding::lenient(FilterRole::Equal(column.field.id));
        let r#type = column.values.text() + "!";
        DraftInput::new(column.name(), r#type, binding).described_by(column.description())
    };
    Some(key.iter().map(argument).collect())
}

/// A field of a list of rows.
fn list(name: &str, target: &Planned<'_>, binding: FieldBinding) -> DraftField {
    DraftField::new(name, format!("[{}!]!", target.name), binding).with(arguments(target))
}

/// A field of aggregates of rows.
fn aggregate(name: &str, target: &Planned<'_>, binding: FieldBinding) -> DraftField {
    let r#type = target.r#type("aggregate") + "!";
    DraftField::new(name, r#type, binding).with(arguments(target))
}

/// The arguments of a list.
fn arguments(target: &Planned<'_>) -> Vec<DraftInput> {
    let argument = |name: &str, r#type: String, role: ArgumentRole, about: &str| {
        DraftInput::new(name, r#type, InputBinding::lenient(role)).described(about)
    };
    let condition = InputBinding {
        role: FilterRole::Conditions.into(),
        null: Meaning::Ignore,
        empty: Meaning::True,
    };
    let mut arguments = vec![
        argument(
            "distinct_on",
            format!("[{}!]", target.r#type("select_column")),
            ArgumentRole::DistinctOn,
            "distinct select on columns",
        ),
        argument("limit", "Int".into(), ArgumentRole::Limit, "limit the number of rows returned"),
        argument(
            "offset",
            "Int".into(),
            ArgumentRole::Offset,
            "skip the first n rows. Use only with order_by",
        ),
        DraftInput::new("where", target.r#type("bool_exp"), condition)
            .described("filter the rows returned"),
    ];
    if target.is_sorted() {
        arguments.push(argument(
            "order_by",
            format!("[{}!]", target.r#type("order_by")),
            ArgumentRole::Sort,
            "sort the rows by one or more columns",
        ));
    }
    arguments
}

pub(super) fn rows(from: RowsFrom, planned: &Planned<'_>, form: RowsForm) -> FieldBinding {
    let entity = planned.entity.id;
    FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
}
