//! Mutations: `create`, `update` and `delete` of the tables in the API.

use catalog::{Catalog, Generated, Note, WriteAccess};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeKind, TypeRef};

use super::collision::{Names, collision, left_out};
use super::columns::{Column, needs_key};
use super::operators::{Scalars, add_type, object};
use super::plan::{Plan, Planned};
use api::ApiBuilder;
use api::binding::{
    Change, FieldBinding, FilterRole, InputBinding, MutationBinding, MutationForm, WriteRole,
};

/// The argument that identifies the row.
const KEY: &str = "pk_columns";

/// The type of the result of `update` and `delete`, and its name where a table has that one.
const RESULTS: [&str; 2] = ["Result", "MutationResult"];

/// The error of an update that sets nothing. Phrag sends the statement without a column to the
/// database, which returns an error.
const NOTHING: &str = "No column to set is given besides `pk_columns`.";

const RENAME: &str = "rename it, or change its rows by other means.";

/// The mutations of an entity.
#[derive(Debug)]
pub(super) struct Mutations {
    access: WriteAccess,
    /// The columns of the key, by their indices among the readable ones.
    key: Vec<usize>,
    /// `VenuePks`
    keys: String,
    /// `VenuePkColumns`
    key_columns: String,
}

/// Shared types of the mutations of all entities.
struct Shared<'s> {
    mutation: TypeId,
    result: TypeId,
    scalars: &'s Scalars,
}

/// Decides which mutations an entity has, and claims the names of their types.
pub(super) fn mutations(
    catalog: &Catalog,
    planned: &Planned<'_>,
    types: &mut Names,
    notes: &mut Vec<Note>,
) -> Option<Mutations> {
    let entity = planned.entity;
    // Rows of views have no key to be found by.
    if !needs_key(entity.kind) || entity.access == WriteAccess::NONE {
        return None;
    }
    let subject = catalog.qualified_name(entity.id);
    let place = |field| planned.columns.iter().position(|column| column.field.id == field);
    let key: Option<Vec<usize>> =
        entity.primary_key()?.fields.iter().map(|field| place(*field)).collect();
    let Some(key) = key else {
        let key = &entity.primary_key()?.fields;
        let (message, remedy) = match key.iter().all(|field| catalog[*field].access.read) {
            true => (
                "a column of its primary key is not shown, so it has no mutations.",
                "give the column a name of GraphQL.",
            ),
            false => (
                "a column of its primary key may not be read, so it has no mutations.",
                "grant SELECT on the column to the role that may change the rows.",
            ),
        };
        notes.push(left_out(&subject, message, remedy));
        return None;
    };
    let mut access = entity.access;
    // As without privileges, an update that could set nothing exists all the same.
    let settable = |column: &&Column<'_>| is_settable(column, &key, planned);
    let mut settable = planned.given().filter(settable).peekable();
    if settable.peek().is_some() && !settable.any(|column| column.field.access.update) {
        access.update = false;
    }
    if access == WriteAccess::NONE {
        return None;
    }
    if !key.iter().all(|place| planned.columns[*place].values.comparable) {
        let message = "its primary key has values of which none can be named, so its rows can \
                       only be created.";
        notes.push(left_out(&subject, message, "give it a key of another type."));
        access = WriteAccess { insert: access.insert, ..WriteAccess::NONE };
    }
    let object = &planned.names.object;
    let (keys, key_columns) = (format!("{object}Pks"), format!("{object}PkColumns"));
    for r#type in [&keys, &key_columns] {
        if let Some(first) = types.owner(r#type) {
            let what = format!("the type {type} of its mutations");
            notes.push(collision(&subject, &what, first, RENAME));
            return None;
        }
    }
    for r#type in [&keys, &key_columns] {
        // Not taken, as was just checked.
        let claimed = types.claim(r#type, &subject);
        debug_assert!(claimed.is_ok(), "a name was taken meanwhile");
    }
    Some(Mutations { access, key, keys, key_columns })
}

/// The type of the result of `update` and `delete`.
pub(super) fn result_name(types: &Names) -> &'static str {
    let [usual, other] = RESULTS;
    if types.owner(usual).is_none() { usual } else { other }
}

/// Adds the mutation type, if anything can be changed.
pub(super) fn add(builder: &mut ApiBuilder, plan: &Plan<'_>, scalars: &Scalars) {
    let changed = || {
        let mutations = plan.entities.iter().map(|planned| (planned, planned.mutations.as_ref()));
        mutations.filter_map(|(planned, mutations)| Some((planned, mutations?)))
    };
    if changed().next().is_none() {
        return;
    }
    let mutation = add_type(builder, "Mutation", None, object());
    builder.schema_mut().mutation = Some(mutation);
    let is_found = |(_, own): (_, &Mutations)| own.access.update || own.access.delete;
    let result = match changed().any(is_found) {
        true => add_result(builder, plan.result, scalars),
        false => mutation,
    };
    let shared = Shared { mutation, result, scalars };
    for (planned, mutations) in changed() {
        add_mutations(builder, planned, mutations, &shared);
    }
}

/// It is `true` whether or not there was a row, as in Phrag.
fn add_result(builder: &mut ApiBuilder, name: &str, scalars: &Scalars) -> TypeId {
    let result = add_type(builder, name, None, object());
    let definition = FieldDefinition::new("result", TypeRef::named(scalars.boolean));
    builder.add_field(result, definition, FieldBinding::Literal(b"true".as_slice().into()));
    result
}

fn add_mutations(
    builder: &mut ApiBuilder,
    planned: &Planned<'_>,
    mutations: &Mutations,
    shared: &Shared<'_>,
) {
    let Mutations { access, key, .. } = mutations;
    let (id, object) = (planned.entity.id, &planned.names.object);
    if access.insert {
        let keys = add_keys(builder, planned, mutations, shared);
        let binding = MutationBinding {
            change: Change::Create(id),
            returned: Some(id),
            form: MutationForm::Row,
            missing: None,
            unchanged: None,
        };
        let definition = FieldDefinition::new(&format!("create{object}"), TypeRef::named(keys));
        let field = builder.add_field(
            shared.mutation,
            definition,
            FieldBinding::Mutation(Box::new(binding)),
        );
        let given = planned.given().filter(|column| is_stored(column));
        for column in given.filter(|column| column.field.access.insert) {
            add_stored(builder, field, column, shared);
        }
    }
    if !access.update && !access.delete {
        return;
    }
    let key_columns = add_key_columns(builder, planned, mutations, shared);
    let mut add = |change: Change, name: &str| {
        let unchanged = Some(NOTHING.into());
        let form = MutationForm::Payload;
        let is_update = matches!(change, Change::Update(_));
        let binding = MutationBinding { change, returned: None, form, missing: None, unchanged };
        let definition = FieldDefinition::new(name, TypeRef::named(shared.result));
        let binding = FieldBinding::Mutation(Box::new(binding));
        let field = builder.add_field(shared.mutation, definition, binding);
        let definition = InputDefinition::new(KEY, TypeRef::named(key_columns).non_null());
        builder.add_argument(field, definition, InputBinding::lenient(WriteRole::Inputs));
        if is_update {
            let given = planned.given().filter(|column| is_settable(column, key, planned));
            for column in given.filter(|column| column.field.access.update) {
                add_stored(builder, field, column, shared);
            }
        }
    };
    if access.update {
        add(Change::Update(id), &format!("update{object}"));
    }
    if access.delete {
        add(Change::Delete(id), &format!("delete{object}"));
    }
}

/// True if a client may set the column.
fn is_stored(column: &Column<'_>) -> bool {
    match column.field.generated {
        None | Some(Generated::IdentityByDefault) => true,
        Some(Generated::Stored | Generated::IdentityAlways) => false,
    }
}

/// True if an update can set a column: those of the key identify the row.
fn is_settable(column: &Column<'_>, key: &[usize], planned: &Planned<'_>) -> bool {
    let is_key = key.iter().any(|place| planned.columns[*place].field.id == column.field.id);
    is_stored(column) && !is_key && column.name != KEY
}

impl<'a> Planned<'a> {
    /// The columns that may be given, in the order of the source, unreadable ones included.
    fn given(&self) -> impl Iterator<Item = &Column<'a>> {
        let mut unread = self.unread.iter().peekable();
        let mut shown = self.columns.iter().peekable();
        std::iter::from_fn(move || {
            let is_before = match (unread.peek(), shown.peek()) {
                (Some(unread), Some(shown)) => unread.field.id.index() < shown.field.id.index(),
                (Some(_), None) => true,
                (None, _) => false,
            };
            if is_before { unread.next() } else { shown.next() }
        })
    }
}

/// The result of a create: the key of the new row.
fn add_keys(
    builder: &mut ApiBuilder,
    planned: &Planned<'_>,
    mutations: &Mutations,
    shared: &Shared<'_>,
) -> TypeId {
    let keys = add_type(builder, &mutations.keys, None, object());
    for place in &mutations.key {
        let column = &planned.columns[*place];
        let r#type = shared.r#type(column).non_null();
        let definition = FieldDefinition::new(column.name, r#type);
        builder.add_field(keys, definition, FieldBinding::Column(column.field.id));
    }
    keys
}

/// The key that identifies the row of an update or a delete.
fn add_key_columns(
    builder: &mut ApiBuilder,
    planned: &Planned<'_>,
    mutations: &Mutations,
    shared: &Shared<'_>,
) -> TypeId {
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let key_columns = add_type(builder, &mutations.key_columns, None, kind);
    for place in &mutations.key {
        let column = &planned.columns[*place];
        let r#type = shared.r#type(column).non_null();
        builder.add_input_field(
            key_columns,
            InputDefinition::new(column.name, r#type),
            InputBinding::lenient(FilterRole::Equal(column.field.id)),
        );
    }
    key_columns
}

/// An argument that is stored in a column; null is null there.
fn add_stored(
    builder: &mut ApiBuilder,
    field: graphql::schema::FieldId,
    column: &Column<'_>,
    shared: &Shared<'_>,
) {
    let definition = InputDefinition::new(column.name, shared.r#type(column));
    builder.add_argument(
        field,
        definition,
        InputBinding::lenient(WriteRole::Stored(column.field.id)),
    );
}

impl Shared<'_> {
    /// The type of a column's values.
    fn r#type(&self, column: &Column<'_>) -> TypeRef {
        self.scalars.of(&column.values)
    }
}
