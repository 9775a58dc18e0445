//! Entities: the served ones, with their columns and types.

use catalog::{
    ArgumentType, Entity, EntityId, Field, FieldId, Function, FunctionResult, Note, NoteKind, Type,
    WriteAccess,
};
use graphql::schema::{FieldDefinition, TypeId, TypeRef};
use ir::Form;
use response::Leaf;
use rustc_hash::FxHashSet;

use super::api_types::ValueType;
use super::build::{Build, field, object};
use super::claims::{Claimant, Claims};
use super::tags::deprecation;
use super::tags::omit::Action;
use super::types::{note_left_out, note_rows_left_out, value_type};
use super::{
    SimpleCollections, aggregates, condition, connection, decomposed, descriptions,
    enum_table_types, filter, mutations, naming, order, relations, scalars, view_key,
};
use api::binding::{
    ColumnBinding, EntityBinding, FieldBinding, IdForm, NodeIdBinding, RowsBinding, RowsForm,
    RowsFrom, ValueShape,
};

/// An entity in the API.
#[derive(Debug)]
pub(super) struct Served<'a> {
    pub(super) entity: &'a Entity,
    /// The name of its type.
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    /// Writable columns that are not readable.
    pub(super) unread: Vec<Column>,
    /// Columns that hold rows.
    pub(super) held: Vec<RowColumn>,
    /// The column that identifies its rows where it has no key.
    pub(super) view_key: Option<FieldId>,
    /// The names of its type's fields so far.
    pub(super) fields: Claims,
    pub(super) types: Option<EntityTypes>,
}

/// The types of an entity. Those without a free name are missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntityTypes {
    pub(super) row: TypeId,
    pub(super) connection: Option<TypeId>,
    pub(super) edge: Option<TypeId>,
    pub(super) order: Option<TypeId>,
    pub(super) condition: Option<TypeId>,
    pub(super) filter: Option<TypeId>,
}

/// A column in the API.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) field: FieldId,
    pub(super) name: String,
    pub(super) value: ValueType,
    pub(super) not_null: bool,
}

/// A column of a row of an entity, or of an array of them: output as such, and not used otherwise.
#[derive(Clone, Debug)]
pub(super) struct RowColumn {
    pub(super) field: FieldId,
    pub(super) name: String,
    pub(super) entity: EntityId,
    pub(super) not_null: bool,
    /// The number of columns before it.
    pub(super) place: usize,
}

impl Served<'_> {
    pub(super) fn column(&self, field: FieldId) -> Option<&Column> {
        self.columns.iter().find(|column| column.field == field)
    }

    /// The columns with a permitted operation.
    pub(super) fn offered(
        &self,
        build: &Build<'_>,
        action: Action,
    ) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| build.offers_field(column.field, action))
    }

    /// The fields of the primary key; empty without one.
    pub(super) fn primary_key(&self) -> &[FieldId] {
        self.entity.primary_key().map_or(&[], |key| &key.fields)
    }
}

/// The entities in the API, in the order of the catalog. The names of their types are taken before
/// those of any other type of the database.
pub(super) fn plan<'a>(build: &mut Build<'a>) -> Vec<Served<'a>> {
    let mut named = Vec::new();
    let used = used_unread(build);
    for entity in build.catalog.entities() {
        let subject = build.entity_name(entity.id);
        if !build.shows_entity(entity.id)
            || !(build.is_readable(entity.id) || used.contains(&entity.id))
        {
            continue;
        }
        let name = build.row_type_name(entity.id);
        if naming::is_hidden(&entity.name) {
            note_hidden(build, &subject);
            continue;
        }
        match build.types.claim(&name, Claimant { subject: &subject, what: "type" }) {
            Ok(()) => named.push((entity, name)),
            Err(note) => build.note_with(note, |build| build.rename_entity(entity.id)),
        }
    }
    let served = named.into_iter().filter_map(|(entity, name)| serve(build, entity, name));
    let mut served: Vec<_> = served.collect();
    leave_out_held(build, &mut served);
    build.places = served.iter().enumerate().map(|(place, one)| (one.entity.id, place)).collect();
    served
}

fn serve<'a>(build: &mut Build<'a>, entity: &'a Entity, name: String) -> Option<Served<'a>> {
    let mut fields = Claims::default();
    if build.has_node_ids(entity.id) {
        fields.reserve(build.inflection.node_id(), "the node id of the row");
    }
    let view_key = view_key::of(build, entity);
    let mut columns = Vec::new();
    let mut unread = Vec::new();
    let mut held = Vec::new();
    for field in build.catalog.fields_of(entity.id) {
        let subject = build.field_name(field.id);
        let is_key = view_key == Some(field.id)
            || entity.keys.iter().any(|key| key.fields.contains(&field.id));
        let shown = build.offers_field(field.id, Action::Read);
        let given = !shown && is_given(build, field.id);
        if !shown && !given && !is_key {
            continue;
        }
        let value = match enum_table_types::column_type(build, field.id) {
            Some(value) => Some(value),
            None => value_type(build, &field.r#type),
        };
        build.api.bind_column(field.id, column_binding(value.as_ref()));
        let row = rows_of(&field.r#type);
        if value.is_none() && row.is_none() {
            note_left_out(build, &subject);
            continue;
        }
        if !shown && !given {
            continue;
        }
        if naming::is_hidden(&field.name) {
            note_hidden(build, &subject);
            continue;
        }
        let name = build.column_field_name(field.id);
        let not_null = is_never_null(build, entity, field);
        if !shown {
            // A function's field may have the name: the column is an input only.
            if let Some(value) = value {
                unread.push(Column { field: field.id, name, value, not_null });
            }
            continue;
        }
        if let Err(note) = fields.claim(&name, Claimant { subject: &subject, what: "field" }) {
            build.note_with(note, |build| build.rename_field(field.id));
            continue;
        }
        match (value, row) {
            (Some(value), _) => columns.push(Column { field: field.id, name, value, not_null }),
            (None, Some((entity, _))) => {
                let place = columns.len();
                held.push(RowColumn { field: field.id, name, entity, not_null, place });
            }
            (None, None) => {}
        }
    }
    if columns.is_empty() && held.is_empty() {
        note_empty(build, entity.id);
        return None;
    }
    // Of two columns with one input name the first has it, and a readable one before others.
    let mut names: FxHashSet<String> = columns.iter().map(|column| column.name.clone()).collect();
    unread.retain(|column| names.insert(column.name.clone()));
    Some(Served { entity, name, columns, unread, held, view_key, fields, types: None })
}

/// True if an unreadable column is in some input.
fn is_given(build: &Build<'_>, field: FieldId) -> bool {
    let offered = build.catalog[field].access;
    let actions = [(offered.insert, Action::Create), (offered.update, Action::Update)];
    !offered.read
        && actions.into_iter().any(|(may, action)| may && build.offers_field(field, action))
}

fn is_never_null(build: &Build<'_>, entity: &Entity, field: &Field) -> bool {
    let declared = entity.primary_key().is_some_and(|key| key.fields.contains(&field.id));
    !field.nullable
        || declared
        || build.field_tags(field.id).has("notNull")
        || matches!(field.r#type, Type::Domain(domain) if build.catalog[domain].not_null)
}

/// The unreadable entities whose rows are inputs or results all the same: of mutations, of
/// functions, and as values of columns.
fn used_unread(build: &Build<'_>) -> FxHashSet<EntityId> {
    let catalog = build.catalog;
    let changed = catalog.entities().filter(|entity| entity.access != WriteAccess::NONE);
    let mut used: FxHashSet<EntityId> = changed.map(|entity| entity.id).collect();
    used.extend(catalog.fields().filter_map(|field| Some(rows_of(&field.r#type)?.0)));
    for function in catalog.functions().filter(|function| build.offers_function(function.id)) {
        used.extend(function.arguments.iter().filter_map(|argument| match argument.r#type {
            ArgumentType::Row(entity) => Some(entity),
            ArgumentType::Value(_) => None,
        }));
        match function.result {
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => {
                used.insert(entity);
            }
            FunctionResult::Nothing | FunctionResult::Value(_) | FunctionResult::Values(_) => {}
        }
    }
    used
}

/// Removes the columns of rows that are not in the API, and then the entities without other
/// columns, whose rows others may hold.
fn leave_out_held(build: &mut Build<'_>, served: &mut Vec<Served<'_>>) {
    loop {
        let shown: FxHashSet<EntityId> = served.iter().map(|one| one.entity.id).collect();
        for one in &mut *served {
            one.held.retain(|held| {
                let is_shown = shown.contains(&held.entity);
                if !is_shown {
                    let subject = build.field_name(held.field);
                    note_rows_left_out(build, &subject);
                }
                is_shown
            });
        }
        served.retain(|one| {
            let is_empty = one.columns.is_empty() && one.held.is_empty();
            if is_empty {
                note_empty(build, one.entity.id);
            }
            !is_empty
        });
        if served.len() == shown.len() {
            return;
        }
    }
}

fn note_empty(build: &mut Build<'_>, entity: EntityId) {
    build.note(Note {
        kind: NoteKind::LeftOut,
        subject: build.entity_name(entity).into(),
        message: "it has no column that can be shown.".into(),
        remedy: "add a column.".into(),
    });
}

/// Columns outside of the API have a binding, too: they may be part of a key.
pub(super) fn column_binding(value: Option<&ValueType>) -> ColumnBinding {
    match value {
        Some(ValueType { value, form, json, .. }) => {
            let node_id = match value {
                // PostGraphile keeps the digits of numbers in node ids, but not in cursors.
                ValueShape::Leaf(Leaf::BigInt) => Leaf::KeyInteger,
                ValueShape::Leaf(leaf @ Leaf::Decimal { .. }) => leaf.clone(),
                _ => json.clone(),
            };
            ColumnBinding { value: value.clone(), form: *form, json: json.clone(), node_id }
        }
        None => {
            let value = ValueShape::Leaf(Leaf::Any);
            let form = Form::Stored;
            ColumnBinding { value, form, json: Leaf::Any, node_id: Leaf::Any }
        }
    }
}

fn note_hidden(build: &mut Build<'_>, subject: &str) {
    build.note(Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: "its name begins with two underscores, which marks it as private.".into(),
        remedy: format!("rename {subject}.").into(),
    });
}

/// Adds the types of all entities, and the columns to the rows' types.
pub(super) fn add_types(build: &mut Build<'_>, served: &mut [Served<'_>]) {
    // Columns of rows refer to the types of these.
    for held in served.iter().flat_map(|one| &one.held) {
        let place = build.places.get(&held.entity);
        if let Some(one) = place.and_then(|place| served.get(*place)) {
            row_type(build, one);
        }
    }
    for one in served {
        let Some(row) = row_type(build, one) else { continue };
        add_columns(build, one, row);
        let connection = connection::add(build, one, row);
        if let Some(connection) = connection {
            aggregates::add(build, one, connection);
        }
        let edge = match connection {
            Some(_) => build.api.schema().find_type(&build.inflection.edge_type(&one.name)),
            None if mutations::has_edge(build, one) => connection::add_edge(build, one, row),
            None => None,
        };
        // Without a field of several rows nothing would refer to these.
        let several =
            connection.is_some() || has_collection(build, one, SimpleCollections::has_lists);
        let several = several && (build.is_readable(one.entity.id) || is_searched(build, one));
        let sorted = several || connection.is_none() && edge.is_some();
        let order = if sorted { order::add(build, one) } else { None };
        let condition = if several { condition::add(build, one) } else { None };
        // Other entities may have filters by its rows.
        let related = build.options.connection_filter.as_ref().is_some_and(|filter| {
            filter.relations && !(one.entity.outgoing.is_empty() && one.entity.incoming.is_empty())
        });
        let filter = if several || related { filter::add(build, one) } else { None };
        one.types = Some(EntityTypes { row, connection, edge, order, condition, filter });
        build.api.bind_entity(one.entity.id, entity_binding(build, one, row));
    }
}

/// True if a function returns rows of the entity that can be sorted or filtered.
fn is_searched(build: &Build<'_>, one: &Served<'_>) -> bool {
    build.catalog.functions().any(|function| {
        let tags = build.function_tags(function.id);
        function.result == FunctionResult::Rows(one.entity.id)
            && build.offers_function(function.id)
            && (tags.has("sortable") || tags.has("filterable"))
    })
}

/// True if several rows of the entity are returned in a form: at the root, as a relation or by a
/// function.
pub(super) fn has_collection(
    build: &Build<'_>,
    one: &Served<'_>,
    form: impl Fn(SimpleCollections) -> bool,
) -> bool {
    let id = one.entity.id;
    let all = build.offers_entity(id, Action::All) && form(build.collections(id));
    let gives_it = |function: &Function| {
        function.only_reads()
            && function.result == FunctionResult::Rows(id)
            && build.offers_function(function.id)
    };
    let given = build.catalog.functions().any(gives_it) && form(build.options.simple_collections);
    all || given
        || one.entity.outgoing.iter().any(|outgoing| {
            let relationship = &build.catalog[*outgoing];
            relations::has_many(build, relationship)
                && form(build.relation_collections(relationship))
        })
}

/// The type of the entity's rows, initially without fields.
fn row_type(build: &mut Build<'_>, one: &Served<'_>) -> Option<TypeId> {
    let id = one.entity.id;
    if let Some(known) = build.row_types.get(&id) {
        return Some(*known);
    }
    let node = build.has_node_ids(id).then(|| build.api.schema().find_type(scalars::NODE));
    let interfaces = node.flatten().into_iter().collect();
    let description = build.annotations.entity(id).description.clone();
    let made = build.add_type(&one.name, description, object(interfaces))?;
    build.row_types.insert(id, made);
    Some(made)
}

/// The field of a column of a row, if rows of the entity are in the API.
pub(super) fn held_row(build: &Build<'_>, field: FieldId) -> Option<(TypeRef, FieldBinding)> {
    let (entity, form) = rows_of(&build.catalog[field].r#type)?;
    let row = TypeRef::named(*build.row_types.get(&entity)?);
    let r#type = if form == RowsForm::List { row.list() } else { row };
    let from = RowsFrom::Value(field);
    Some((r#type, FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })))
}

/// The entity of the rows that values of the type are, and their form.
pub(super) fn rows_of(r#type: &Type) -> Option<(EntityId, RowsForm)> {
    match r#type {
        Type::Row(entity) => Some((*entity, RowsForm::Single)),
        Type::List(element) => match **element {
            Type::Row(entity) => Some((entity, RowsForm::List)),
            _ => None,
        },
        _ => None,
    }
}

fn add_held(build: &mut Build<'_>, held: &RowColumn, row: TypeId) {
    let Some((r#type, binding)) = held_row(build, held.field) else {
        let subject = build.field_name(held.field);
        return note_rows_left_out(build, &subject);
    };
    let r#type = r#type.non_null_if(held.not_null);
    let definition = definition(build, held.field, &held.name, r#type);
    build.api.add_field(row, definition, binding);
}

fn add_columns(build: &mut Build<'_>, one: &Served<'_>, row: TypeId) {
    if build.has_node_ids(one.entity.id)
        && let Some(id) = build.scalar("ID")
    {
        let prefix = build.node_prefix(one.entity.id);
        let binding =
            FieldBinding::NodeId { prefix, key: one.primary_key().to_vec(), form: IdForm::Tagged };
        let definition = field(build.inflection.node_id(), descriptions::NODE_ID, id.non_null());
        build.api.add_field(row, definition, binding);
    }
    let mut held = one.held.iter().peekable();
    for (place, column) in one.columns.iter().enumerate() {
        while let Some(held) = held.next_if(|held| held.place <= place) {
            add_held(build, held, row);
        }
        let definition = column_definition(build, column);
        build.api.add_field(row, definition, decomposed::binding(build.catalog, column.field));
    }
    for held in held {
        add_held(build, held, row);
    }
}

/// A column as a field.
pub(super) fn column_definition(build: &Build<'_>, column: &Column) -> FieldDefinition {
    let r#type = column.value.output.non_null_if(column.not_null);
    definition(build, column.field, &column.name, r#type)
}

fn definition(build: &Build<'_>, field: FieldId, name: &str, r#type: TypeRef) -> FieldDefinition {
    let description = &build.annotations.field(field).description;
    FieldDefinition {
        description: description.as_deref().map(Into::into),
        deprecated: deprecation(build.field_tags(field)),
        ..FieldDefinition::new(name, r#type)
    }
}

fn entity_binding(build: &Build<'_>, one: &Served<'_>, row: TypeId) -> EntityBinding {
    let entity = one.entity;
    let key = one.primary_key().to_vec();
    // A unique nullable column does not identify rows: several rows may hold null.
    let alone = entity
        .fields
        .iter()
        .filter(|field| !build.catalog[**field].nullable && entity.is_unique_alone(**field));
    let mut unique: Vec<Vec<FieldId>> = alone.map(|field| vec![*field]).collect();
    if !key.is_empty() && !unique.contains(&key) {
        unique.push(key.clone());
    }
    let enforced = entity.primary_key().is_some_and(|key| key.enforced);
    let node_id = build.has_node_ids(entity.id).then(|| NodeIdBinding {
        form: IdForm::Tagged,
        codec: ir::Codec::Base64JsonArray,
        enforced,
        // The existence of unreadable rows is not revealed.
        found: build.is_readable(entity.id),
        prefix: build.node_prefix(entity.id),
        key: key.clone(),
        r#type: row,
    });
    let (tie_break, natural_cursor) = match one.view_key {
        Some(field) => (vec![field], "view_unique_key_asc"),
        None if key.is_empty() => (Vec::new(), "natural"),
        None => (key, "primary_key_asc"),
    };
    EntityBinding {
        unique,
        tie_break,
        natural_cursor: natural_cursor.into(),
        node_id,
        ..EntityBinding::default()
    }
}
