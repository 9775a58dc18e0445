//! Changes of rows: the root type of mutations, and its inputs.

use std::sync::Arc;

use api::binding::{
    Change, FieldBinding, FilterRole, InputBinding, InputRole, Meaning, MutationBinding,
    MutationForm, PayloadField, TreeRelation, TreeRole, ValueBinding, WriteRole,
};
use catalog::{EntityId, EntityKind, FieldId, Key};
use graphql::schema::is_name;
use graphql::value::Const;
use hasura_metadata::naming::RootField;

use super::assignments::{OPERATORS, Operator, operated, updated};
use super::condition_member::member;
use super::namespace::{Root, add_field};
use super::rows::{described, key_arguments};
use super::{Build, functions};
use crate::columns::Column;
use crate::draft::{DraftField, DraftInput, DraftValue};
use crate::plan::Planned;
use crate::relations::RelationKind;

/// The changes that an entity's rows take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Changes {
    insert: bool,
    update: bool,
    delete: bool,
}

impl Changes {
    fn of(planned: &Planned<'_>) -> Self {
        let access = planned.entity.access;
        Self {
            insert: access.insert && inserted(planned).next().is_some(),
            update: access.update && updated(planned).next().is_some(),
            delete: access.delete,
        }
    }

    fn is_none(self) -> bool {
        !self.insert && !self.update && !self.delete
    }
}

/// Adds the root type of mutations, if anything can be changed.
pub(super) fn add(build: &mut Build<'_>) {
    for planned in &build.plan.entities {
        let changes = Changes::of(planned);
        if changes.is_none() {
            continue;
        }
        add_response(build, planned);
        let mut fields = Vec::new();
        if changes.insert {
            add_insert_inputs(build, planned, changes);
            fields.extend(insert_fields(build, planned, changes));
        }
        if changes.update {
            add_update_inputs(build, planned);
            fields.extend(update_fields(planned));
        }
        if changes.delete {
            fields.extend(delete_fields(planned));
        }
        fields.into_iter().for_each(|field| add_field(build, Root::Mutation, field));
    }
    for field in functions::mutation_fields(build) {
        add_field(build, Root::Mutation, field);
    }
}

/// The columns that new rows may set.
fn inserted<'p>(planned: &'p Planned<'_>) -> impl Iterator<Item = &'p Column<'p>> {
    planned.columns.iter().filter(|column| column.field.access.insert && column.is_stored())
}

fn add_response(build: &mut Build<'_>, planned: &Planned<'_>) {
    let payload = |field| FieldBinding::Payload(field);
    let fields = vec![
        DraftField::new("affected_rows", "Int!", payload(PayloadField::AffectedRows))
            .described("number of rows affected by the mutation"),
        DraftField::new("returning", format!("[{}!]!", planned.name), payload(PayloadField::Rows))
            .described("data from the rows affected by the mutation"),
    ];
    let about = format!("response of any mutation on the table \"{}\"", planned.described);
    build.draft.object(&planned.r#type("mutation_response"), Some(&about), fields);
}

fn change(change: Change, entity: EntityId, form: MutationForm) -> FieldBinding {
    let (missing, unchanged) = (None, None);
    FieldBinding::Mutation(Box::new(MutationBinding {
        change,
        returned: Some(entity),
        form,
        missing,
        unchanged,
    }))
}

/// The keys by which new rows conflict with others, with the names of their constraints.
fn conflicts<'p>(planned: &'p Planned<'_>, changes: Changes) -> Vec<&'p Key> {
    // Views detect no conflicts.
    if planned.entity.kind != EntityKind::Table || !changes.update {
        return Vec::new();
    }
    let keys = planned.entity.keys.iter();
    keys.filter(|key| key.detects_conflicts() && is_name(&key.name)).collect()
}

fn add_insert_inputs(build: &mut Build<'_>, planned: &Planned<'_>, changes: Changes) {
    let table = &planned.described;
    let mut members: Vec<DraftInput> = inserted(planned).map(stored).collect();
    for relation in &planned.relations {
        let target = &build.plan.entities[relation.target];
        if !Changes::of(target).insert {
            continue;
        }
        let suffix = match &relation.kind {
            RelationKind::Object { .. } => "obj_rel_insert_input",
            RelationKind::Array { .. } => "arr_rel_insert_input",
        };
        let fields = build.catalog[relation.hop.relationship].from_fields.as_slice().into();
        let related = TreeRelation { hop: relation.hop, entity: target.entity.id, fields };
        let role = TreeRole::Related(Arc::new(related));
        let r#type = target.r#type(suffix);
        members.push(DraftInput::new(&relation.name, r#type, tree(role)).verbatim());
    }
    let about = format!("input type for inserting data into table \"{table}\"");
    build.draft.input(&planned.r#type("insert_input"), Some(&about), members);
    let keys = conflicts(planned, changes);
    if !keys.is_empty() {
        add_conflicts(build, planned, &keys);
    }
    let row = planned.r#type("insert_input");
    for (is_target, suffix, data, kind) in [
        (planned.is_object_target, "obj_rel_insert_input", format!("{row}!"), "object"),
        (planned.is_array_target, "arr_rel_insert_input", format!("[{row}!]!"), "array"),
    ] {
        if !is_target {
            continue;
        }
        let mut members = vec![DraftInput::new("data", data, tree(TreeRole::Data))];
        if !keys.is_empty() {
            members.push(on_conflict(planned));
        }
        let about =
            format!("input type for inserting {kind} relation for remote table \"{table}\"");
        build.draft.input(&planned.r#type(suffix), Some(&about), members);
    }
}

/// Adds the inputs of conflicts.
fn add_conflicts(build: &mut Build<'_>, planned: &Planned<'_>, keys: &[&Key]) {
    let table = &planned.described;
    let values = keys.iter().map(|key| {
        let columns = key.fields.iter().map(|field| format!("\"{}\"", build.catalog[*field].name));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let about = format!("unique or primary key constraint on columns {columns}");
        let fields: Arc<[FieldId]> = key.fields.as_slice().into();
        DraftValue::new(&key.name, &about, ValueBinding::Key(fields)).verbatim()
    });
    let about = format!("unique or primary key constraints on table \"{table}\"");
    let values = values.collect();
    build.draft.values(&planned.r#type("constraint"), Some(&about), values);
    add_update_columns(build, planned);
    let lenient = |role| tree(role);
    let members = vec![
        DraftInput::new(
            "constraint",
            planned.r#type("constraint") + "!",
            lenient(TreeRole::ConflictKey),
        ),
        DraftInput::new(
            "update_columns",
            format!("[{}!]!", planned.r#type("update_column")),
            lenient(TreeRole::ConflictColumns),
        )
        .or(Const::List(Vec::new())),
        condition("where", planned.r#type("bool_exp")),
    ];
    let about = format!("on_conflict condition type for table \"{table}\"");
    build.draft.input(&planned.r#type("on_conflict"), Some(&about), members);
}

fn add_update_columns(build: &mut Build<'_>, planned: &Planned<'_>) {
    let value = |column: &Column<'_>| {
        let binding = ValueBinding::Column(column.field.id);
        DraftValue::new(column.name(), "column name", binding).verbatim()
    };
    let about = format!("update columns of table \"{}\"", planned.described);
    let mut values: Vec<_> = updated(planned).map(value).collect();
    if build.plan.inserted_without_update.contains(&planned.entity.id) {
        let binding = ValueBinding::Refused("erroneous column name".into());
        let placeholder = DraftValue::new("_PLACEHOLDER", "placeholder (do not use)", binding);
        values.push(placeholder.verbatim());
    }
    build.draft.values(&planned.r#type("update_column"), Some(&about), values);
}

fn on_conflict(planned: &Planned<'_>) -> DraftInput {
    let r#type = planned.r#type("on_conflict");
    DraftInput::new("on_conflict", r#type, tree(TreeRole::OnConflict)).described("upsert condition")
}

fn insert_fields(build: &Build<'_>, planned: &Planned<'_>, changes: Changes) -> Vec<DraftField> {
    let (table, id) = (&planned.described, planned.entity.id);
    let has_conflicts = build.draft.has(&planned.r#type("on_conflict"));
    debug_assert_eq!(has_conflicts, !conflicts(planned, changes).is_empty());
    let field = |root, r#type: &str, form, argument: (&str, String, &str), about| {
        let (input, input_type, input_about) = argument;
        let mut arguments =
            vec![DraftInput::new(input, input_type, tree(TreeRole::Rows)).described(input_about)];
        if has_conflicts {
            arguments.push(on_conflict(planned));
        }
        let binding = change(Change::InsertTree(id), id, form);
        let field = DraftField::new(&planned.root(root), r#type, binding).verbatim();
        described(field.with(arguments), planned, root, about)
    };
    let input = planned.r#type("insert_input");
    vec![
        field(
            RootField::Insert,
            &planned.r#type("mutation_response"),
            MutationForm::Payload,
            ("objects", format!("[{input}!]!"), "the rows to be inserted"),
            format!("insert data into the table: \"{table}\""),
        ),
        field(
            RootField::InsertOne,
            &planned.name,
            MutationForm::Row,
            ("object", format!("{input}!"), "the row to be inserted"),
            format!("insert a single row into the table: \"{table}\""),
        ),
    ]
}

fn add_update_inputs(build: &mut Build<'_>, planned: &Planned<'_>) {
    for operator in &OPERATORS {
        let verb = operator.verb;
        let assign = |column: &Column<'_>| {
            let binding = InputBinding::lenient(WriteRole::Assign { field: column.field.id, verb });
            DraftInput::new(column.name(), operator.operand(&column.values), binding)
                .verbatim()
                .described_by(column.description())
        };
        let members: Vec<DraftInput> = operated(planned, verb).map(assign).collect();
        if members.is_empty() {
            continue;
        }
        let about = operator.about_type(&planned.described);
        build.draft.input(&planned.r#type(operator.suffix), Some(&about), members);
    }
    let mut members = operator_arguments(planned);
    members.push(where_argument(planned, "filter the rows which have to be updated"));
    build.draft.input(&planned.r#type("updates"), None, members);
    if let Some(key) = key_arguments(planned) {
        let about = format!("primary key columns input for table: {}", planned.described);
        build.draft.input(&planned.r#type("pk_columns_input"), Some(&about), key);
    }
}

/// The arguments of operators for which there are columns.
fn operator_arguments(planned: &Planned<'_>) -> Vec<DraftInput> {
    let operators = OPERATORS.iter();
    let operators = operators.filter(|operator| operated(planned, operator.verb).next().is_some());
    let argument = |operator: &Operator| {
        let binding = InputBinding::lenient(WriteRole::Inputs);
        DraftInput::new(operator.name, planned.r#type(operator.suffix), binding)
            .described(operator.about)
    };
    operators.map(argument).collect()
}

fn update_fields(planned: &Planned<'_>) -> Vec<DraftField> {
    let (table, id) = (&planned.described, planned.entity.id);
    let change = |kind, form| change(kind, id, form);
    let response = planned.r#type("mutation_response");
    let mut arguments = operator_arguments(planned);
    arguments.push(where_argument(planned, "filter the rows which have to be updated"));
    let binding = change(Change::UpdateAll(id), MutationForm::Payload);
    let field = |root, r#type: &str, binding, arguments, about| {
        let field = DraftField::new(&planned.root(root), r#type, binding).verbatim();
        described(field.with(arguments), planned, root, about)
    };
    let about = format!("update data of the table: \"{table}\"");
    let all = field(RootField::Update, &response, binding, arguments, about);
    let binding = change(Change::UpdateEach(id), MutationForm::Payload);
    let updates = InputBinding::lenient(WriteRole::Updates);
    let updates = DraftInput::new("updates", format!("[{}!]!", planned.r#type("updates")), updates);
    let arguments = vec![updates.described("updates to execute, in order")];
    let about = format!("update multiples rows of table: \"{table}\"");
    let many = field(RootField::UpdateMany, &format!("[{response}]"), binding, arguments, about);
    let mut fields = vec![all, many];
    if planned.key().is_some() {
        let mut arguments = operator_arguments(planned);
        let key = InputBinding::lenient(WriteRole::Inputs);
        arguments.push(DraftInput::new(
            "pk_columns",
            planned.r#type("pk_columns_input") + "!",
            key,
        ));
        let binding = change(Change::UpdateAll(id), MutationForm::Row);
        let about = format!("update single row of the table: \"{table}\"");
        fields.push(field(RootField::UpdateByPk, &planned.name, binding, arguments, about));
    }
    fields
}

fn delete_fields(planned: &Planned<'_>) -> Vec<DraftField> {
    let (table, id) = (&planned.described, planned.entity.id);
    let field = |root, r#type: &str, form, arguments, about| {
        let binding = change(Change::DeleteAll(id), id, form);
        let field = DraftField::new(&planned.root(root), r#type, binding).verbatim();
        described(field.with(arguments), planned, root, about)
    };
    let filter = where_argument(planned, "filter the rows which have to be deleted");
    let about = format!("delete data from the table: \"{table}\"");
    let response = planned.r#type("mutation_response");
    let mut fields =
        vec![field(RootField::Delete, &response, MutationForm::Payload, vec![filter], about)];
    if let Some(key) = key_arguments(planned) {
        let about = format!("delete single row from the table: \"{table}\"");
        fields.push(field(RootField::DeleteByPk, &planned.name, MutationForm::Row, key, about));
    }
    fields
}

fn where_argument(planned: &Planned<'_>, about: &str) -> DraftInput {
    let r#type = planned.r#type("bool_exp") + "!";
    member("where", r#type, FilterRole::Conditions, Meaning::True).described(about)
}

/// A condition that may be absent.
fn condition(name: &str, r#type: String) -> DraftInput {
    let role: InputRole = FilterRole::Conditions.into();
    DraftInput::new(
        name,
        r#type,
        InputBinding { role, null: Meaning::Ignore, empty: Meaning::True },
    )
}

fn stored(column: &Column<'_>) -> DraftInput {
    let binding = InputBinding::lenient(WriteRole::Stored(column.field.id));
    let input = DraftInput::new(column.name(), column.values.text(), binding).verbatim();
    input.described_by(column.description())
}

fn tree(role: TreeRole) -> InputBinding {
    InputBinding::lenient(WriteRole::Tree(role))
}
