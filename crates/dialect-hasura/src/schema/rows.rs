//! Objects of rows, and the fields that give them.

use api::binding::{
    ArgumentRole, FieldBinding, FilterRole, InputBinding, Meaning, RowsBinding, RowsForm, RowsFrom,
    ValueBinding, ValueShape,
};
use ir::Form;
use response::Leaf;

use hasura_metadata::naming::RootField;

use super::namespace::{Root, add_field, add_outside};
use super::{Build, functions, native_queries, relay, streams};
use crate::SchemaKind;
use crate::columns::Column;
use crate::draft::{DraftField, DraftInput, DraftValue};
use crate::naming::NO_QUERIES_FIELD;
use crate::plan::Planned;
use crate::relations::RelationKind;

/// The only value of an API without tables.
const NO_QUERIES: &str = "There are no queries available to the current role.";

/// Adds the object of an entity's rows, and the enum of its columns.
pub(super) fn add_object(build: &mut Build<'_>, planned: &Planned<'_>) {
    let mut fields = Vec::new();
    let is_relay = build.plan.schema == SchemaKind::Relay;
    let id = if is_relay { relay::id_field(planned) } else { None };
    let is_node = id.is_some();
    // The global id is in the place of a column of its name.
    for column in planned.read().filter(|column| !is_node || column.name() != relay::ID) {
        let field =
            DraftField::new(column.name(), column.output(), FieldBinding::Column(column.field.id));
        let field = field.with(path_argument(column)).verbatim();
        fields.push(field.described_by(column.description()));
    }
    for relation in &planned.relations {
        let target = &build.plan.entities[relation.target];
        let from = RowsFrom::Relation(relation.hop);
        match &relation.kind {
            RelationKind::Object { is_required, is_unique } => {
                let r#type = match is_required {
                    true => format!("{}!", target.name),
                    false => target.name.clone(),
                };
                let form = if *is_unique { RowsForm::Single } else { RowsForm::First };
                let binding = rows(from, target, form);
                let field = DraftField::new(&relation.name, r#type, binding).verbatim();
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
                if is_relay {
                    fields.extend(relay::related(&relation.name, target, from));
                }
            }
        }
    }
    fields.append(&mut functions::computed_fields(build, planned));
    if !is_relay {
        fields.append(&mut native_queries::relations(build, &planned.query_relations));
    }
    fields.extend(id);
    build.draft.object(&planned.name, planned.description().as_deref(), fields);
    if is_node {
        build.draft.implement(&planned.name, vec![relay::NODE.to_owned()]);
    }
    let columns = planned.read().map(|column| {
        let binding = ValueBinding::Column(column.field.id);
        DraftValue::new(column.name(), "column name", binding).verbatim()
    });
    let about = format!("select columns of table \"{}\"", planned.described);
    build.draft.values(&planned.r#type("select_column"), Some(&about), columns.collect());
}

/// The argument of a column of JSON.
pub(super) fn path_argument(column: &Column<'_>) -> Vec<DraftInput> {
    let is_json = column.values.binding.value
        == ValueShape::Leaf(Leaf::Json(response::JsonForm::Embedded))
        && column.values.binding.form == Form::Stored;
    if !is_json {
        return Vec::new();
    }
    let binding = InputBinding::lenient(ArgumentRole::JsonPath);
    vec![DraftInput::new("path", "String", binding).described("JSON select path")]
}

/// Adds the root types of queries and subscriptions.
pub(super) fn add_roots(build: &mut Build<'_>) {
    if build.plan.schema == SchemaKind::Relay {
        let fields = relay::root_fields(build);
        for root in [Root::Subscription, Root::Query] {
            fields.iter().for_each(|field| add_field(build, root, field.clone()));
            add_outside(build, root, relay::node_field());
        }
        return;
    }
    // One after the other: all fields of thousands of tables would take as much as the API.
    let mut is_empty = true;
    let mut add = |build: &mut Build<'_>, fields: Vec<DraftField>| {
        is_empty &= fields.is_empty();
        for field in fields {
            add_field(build, Root::Subscription, field.clone());
            add_field(build, Root::Query, field);
        }
    };
    for planned in &build.plan.entities {
        add(build, root_fields(planned));
        if let Some(stream) = streams::field(build, planned) {
            add_field(build, Root::Subscription, stream);
        }
    }
    let functions = functions::root_fields(build);
    add(build, functions);
    let native = native_queries::root_fields(build);
    add(build, native);
    if is_empty || build.plan.has_role_without_queries {
        let mut text = Vec::new();
        text.push(b'"');
        text.extend_from_slice(NO_QUERIES.as_bytes());
        text.push(b'"');
        let binding = FieldBinding::Literal(text.into());
        let field = DraftField::new(NO_QUERIES_FIELD, "String!", binding);
        add_outside(build, Root::Query, field.described(NO_QUERIES));
    }
}

fn root_fields(planned: &Planned<'_>) -> Vec<DraftField> {
    let table = &planned.described;
    let binding = |form| rows(RowsFrom::Entity, planned, form);
    let all = list(&planned.root(RootField::Select), planned, binding(RowsForm::List));
    let aggregate = &planned.root(RootField::SelectAggregate);
    let aggregate = self::aggregate(aggregate, planned, binding(RowsForm::Connection));
    let about = format!("fetch data from the table: \"{table}\"");
    let about_aggregate = format!("fetch aggregated fields from the table: \"{table}\"");
    let mut fields = vec![
        described(all, planned, RootField::Select, about),
        described(aggregate, planned, RootField::SelectAggregate, about_aggregate),
    ];
    if let Some(arguments) = key_arguments(planned) {
        let (name, binding) = (planned.root(RootField::SelectByPk), binding(RowsForm::Single));
        let field = DraftField::new(&name, planned.name.as_str(), binding).with(arguments);
        let about = format!("fetch data from the table: \"{table}\" using primary key columns");
        fields.push(described(field.verbatim(), planned, RootField::SelectByPk, about));
    }
    fields
}

/// A root field with its description, or with the comment of the metadata instead.
pub(super) fn described(
    field: DraftField,
    planned: &Planned<'_>,
    root: RootField,
    usual: String,
) -> DraftField {
    field.described_by(planned.root_description(root, usual).as_deref())
}

/// Arguments that find a row by its primary key.
pub(super) fn key_arguments(planned: &Planned<'_>) -> Option<Vec<DraftInput>> {
    let key = planned.key()?;
    let argument = |column: &&crate::columns::Column<'_>| {
        let binding = InputBinding::lenient(FilterRole::Equal(column.field.id));
        let r#type = column.values.text() + "!";
        DraftInput::new(column.name(), r#type, binding)
            .verbatim()
            .described_by(column.description())
    };
    Some(key.iter().map(argument).collect())
}

/// A field of a list of rows.
pub(crate) fn list(name: &str, target: &Planned<'_>, binding: FieldBinding) -> DraftField {
    let field = DraftField::new(name, format!("[{}!]!", target.name), binding);
    field.verbatim().with(arguments(target))
}

/// A field of aggregates of rows.
pub(crate) fn aggregate(name: &str, target: &Planned<'_>, binding: FieldBinding) -> DraftField {
    let r#type = target.r#type("aggregate") + "!";
    DraftField::new(name, r#type, binding).verbatim().with(arguments(target))
}

/// The arguments of a list.
pub(crate) fn arguments(target: &Planned<'_>) -> Vec<DraftInput> {
    let mut arguments = rows_of(target);
    arguments.extend(page());
    arguments
}

/// The arguments of a list, by the types of columns, conditions and orders.
pub(super) fn list_arguments(
    columns: &str,
    condition: &str,
    order: Option<&str>,
) -> Vec<DraftInput> {
    let mut arguments = rows_by(columns, condition, order);
    arguments.extend(page());
    arguments
}

fn argument(name: &str, r#type: String, role: ArgumentRole, about: &str) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(role)).described(about)
}

/// The arguments of a page.
fn page() -> [DraftInput; 2] {
    [
        argument("limit", "Int".into(), ArgumentRole::Limit, "limit the number of rows returned"),
        argument(
            "offset",
            "Int".into(),
            ArgumentRole::Offset,
            "skip the first n rows. Use only with order_by",
        ),
    ]
}

/// The arguments that decide of which rows a page is, and in which order.
pub(super) fn rows_of(target: &Planned<'_>) -> Vec<DraftInput> {
    let order = target.is_sorted().then(|| target.r#type("order_by"));
    rows_by(&target.r#type("select_column"), &target.r#type("bool_exp"), order.as_deref())
}

fn rows_by(columns: &str, condition: &str, order: Option<&str>) -> Vec<DraftInput> {
    let binding = InputBinding {
        role: FilterRole::Conditions.into(),
        null: Meaning::Ignore,
        empty: Meaning::True,
    };
    let mut arguments = vec![
        argument(
            "distinct_on",
            format!("[{columns}!]"),
            ArgumentRole::DistinctOn,
            "distinct select on columns",
        ),
        DraftInput::new("where", condition, binding).described("filter the rows returned"),
    ];
    if let Some(order) = order {
        arguments.push(argument(
            "order_by",
            format!("[{order}!]"),
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
