//! The root: collections of all entities, and rows by their keys.

use catalog::{Entity, FieldId, Key, Note, NoteKind};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeKind, TypeRef};

use super::arguments::{self, Collection};
use super::build::{Build, field, input, object};
use super::claims::{Claimant, Claims};
use super::entity::{Column, Served};
use super::tags::deprecation;
use super::tags::omit::Action;
use super::{Version, descriptions, functions, scalars};
use api::binding::{
    ArgumentRole, FieldBinding, FilterRole, InputBinding, RowsBinding, RowsForm, RowsFrom,
};

/// The node id of `Query`.
const ROOT_ID: &str = "query";

/// Adds `Query` and, where rows have global ids, `Node`, so that they are first in the schema.
pub(super) fn add_types(build: &mut Build<'_>) -> Option<TypeId> {
    // Introspection and `@include` need them, whatever the columns are.
    for name in ["String", "Boolean"] {
        build.scalar(name)?;
    }
    let node = if build.options.node_ids { Some(add_node(build)?) } else { None };
    let interfaces = node.iter().map(|(node, _)| *node).collect();
    let query = build.add_type("Query", Some(descriptions::QUERY.into()), object(interfaces))?;
    build.api.schema_mut().query = Some(query);
    let itself = TypeRef::named(query).non_null();
    let definition = field("query", descriptions::QUERY_QUERY, itself);
    build.api.add_field(query, definition, FieldBinding::Same);
    if let Some((node, id)) = node {
        let node_id = build.inflection.node_id();
        let binding = FieldBinding::Literal(format!("\"{ROOT_ID}\"").into_bytes().into());
        build.api.add_field(query, field(node_id, descriptions::QUERY_NODE_ID, id), binding);
        let definition = field("node", descriptions::QUERY_NODE, TypeRef::named(node));
        let lookup =
            build.api.add_field(query, definition, FieldBinding::Lookup { root: Some(ROOT_ID) });
        add_node_id(build, lookup, descriptions::NODE_ARGUMENT, id);
    }
    Some(query)
}

/// Adds the interface of rows with a global id, and returns it with the type of such ids.
fn add_node(build: &mut Build<'_>) -> Option<(TypeId, TypeRef)> {
    let kind = TypeKind::Interface { fields: Vec::new(), interfaces: Default::default() };
    let id = build.scalar("ID")?.non_null();
    let node = build.add_type(scalars::NODE, Some(descriptions::NODE.into()), kind)?;
    // Reads use the field of the type that implements `Node`, never that of `Node` itself.
    let binding = FieldBinding::Literal(b"null".as_slice().into());
    let definition = field(build.inflection.node_id(), descriptions::NODE_ID, id);
    build.api.add_field(node, definition, binding);
    Some((node, id))
}

fn add_node_id(
    build: &mut Build<'_>,
    field: graphql::schema::FieldId,
    description: &str,
    id: TypeRef,
) {
    let name = build.inflection.node_id();
    let refused = format!("{name} must not be null.");
    let binding = InputBinding::refuse_null(ArgumentRole::NodeId, &refused);
    build.api.add_argument(field, input(name, description, id), binding);
}

/// Adds the fields of `Query`: all collections, then all rows by key, then those by node id.
pub(super) fn add_fields(build: &mut Build<'_>, served: &[Served<'_>], query: Option<TypeId>) {
    let Some(query) = query else { return };
    let mut names = Claims::default();
    names.reserve("query", "a field of every API");
    if build.options.node_ids {
        for name in [build.inflection.node_id(), "node"] {
            names.reserve(name, "a field of every API with node ids");
        }
    }
    for one in served {
        if !build.offers_entity(one.entity.id, Action::All) {
            continue;
        }
        let collections = build.collections(one.entity.id);
        if collections.has_connections() {
            add_collection(build, query, &mut names, one, Collection::Connection);
        }
        if collections.has_lists() {
            add_collection(build, query, &mut names, one, Collection::List);
        }
    }
    let readable = |build: &Build<'_>, one: &Served<'_>| build.is_readable(one.entity.id);
    for one in served {
        if !readable(build, one) {
            continue;
        }
        for place in keys(one) {
            add_by_key(build, query, &mut names, one, place);
        }
    }
    functions::add_queries(build, served, query, &mut names);
    for one in served {
        if readable(build, one) {
            add_by_node_id(build, query, &mut names, one);
        }
    }
}

/// The keys that have a field for one row, by their indices in the entity: in the order of their
/// columns, and then the declared ones, in order of declaration.
pub(super) fn keys(one: &Served<'_>) -> Vec<usize> {
    let Entity { keys, fields, .. } = one.entity;
    let columns = |place: &usize| {
        let key = keys.get(*place).filter(|key| key.enforced)?;
        let columns = key.fields.iter();
        Some(
            columns.map(|field| fields.iter().position(|other| other == field)).collect::<Vec<_>>(),
        )
    };
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.sort_by_key(columns);
    places.sort_by_key(|place| columns(place).is_none());
    places.dedup_by(|right, left| columns(right).is_some() && columns(right) == columns(left));
    places
}

fn add_collection(
    build: &mut Build<'_>,
    query: TypeId,
    names: &mut Claims,
    one: &Served<'_>,
    collection: Collection,
) {
    let Some(types) = one.types else { return };
    let (name, description, r#type, form) = match collection {
        Collection::Connection => {
            let Some(connection) = types.connection else { return };
            let description = descriptions::reads_connection(&one.name);
            let r#type = TypeRef::named(connection);
            (build.all_rows_name(one.entity.id), description, r#type, RowsForm::Connection)
        }
        Collection::List => {
            let r#type = TypeRef::named(types.row).non_null().list();
            let description = descriptions::reads_list(&one.name);
            (build.all_rows_list_name(one.entity.id), description, r#type, RowsForm::List)
        }
    };
    let subject = build.entity_name(one.entity.id);
    if let Err(note) = names.claim(&name, Claimant { subject: &subject, what: "field" }) {
        build.note_with(note, |build| build.rename_entity(one.entity.id));
        return;
    }
    let deprecated = deprecation(build.entity_tags(one.entity.id));
    let definition = FieldDefinition { deprecated, ..field(&name, &description, r#type) };
    let id = build.api.add_field(query, definition, rows(one, form));
    arguments::add(build, id, collection, one);
}

/// Adds the field of a row by a key, if each of the key's columns can be an argument.
fn add_by_key(
    build: &mut Build<'_>,
    query: TypeId,
    names: &mut Claims,
    one: &Served<'_>,
    place: usize,
) {
    let Some(types) = one.types else { return };
    let Some(key) = one.entity.keys.get(place) else { return };
    let readable = |field: &FieldId| build.offers_field(*field, Action::Read);
    if !build.offers_key(one.entity.id, place, Action::Read) || !key.fields.iter().all(readable) {
        return;
    }
    let columns = build.names(&key.fields);
    let subject = format!("{} ({})", build.entity_name(one.entity.id), columns.join(", "));
    // A column outside of the API has a note of its own.
    let shown = key.fields.iter().map(|field| one.column(*field));
    let Some(shown): Option<Vec<&Column>> = shown.collect() else { return };
    let compared = shown.into_iter().map(|column| Some((column, column.value.input?)));
    let Some(compared): Option<Vec<(&Column, TypeRef)>> = compared.collect() else {
        build.note(Note {
            kind: NoteKind::LeftOut,
            subject: subject.into(),
            message:
                "rows cannot be asked for by this key: values of its types cannot be given as \
                      arguments yet."
                    .into(),
            remedy: "use the condition of the collection on other columns.".into(),
        });
        return;
    };
    let name = build.row_by_key_name(one.entity.id, place);
    if let Err(note) = names.claim(&name, Claimant { subject: &subject, what: "field" }) {
        build.note_with(note, |build| build.rename_key(one.entity.id, place));
        return;
    }
    let definition = FieldDefinition {
        deprecated: deprecation(build.key_tags(one.entity.id, place)),
        description: (build.options.version == Version::Five)
            .then(|| descriptions::reads_by_key(&one.name).into()),
        ..FieldDefinition::new(&name, TypeRef::named(types.row))
    };
    let id = build.api.add_field(query, definition, rows(one, one_by(key)));
    for (column, r#type) in compared {
        let argument = InputDefinition::new(&column.name, r#type.non_null());
        let role = FilterRole::Equal(column.field);
        let refused = format!("{} must not be null.", column.name);
        build.api.add_argument(id, argument, InputBinding::refuse_null(role, &refused));
    }
}

/// Adds the field of a row by its node id, if it has one.
fn add_by_node_id(build: &mut Build<'_>, query: TypeId, names: &mut Claims, one: &Served<'_>) {
    if !build.has_node_ids(one.entity.id) {
        return;
    }
    let (Some(types), Some(id)) = (one.types, build.scalar("ID")) else { return };
    let Some(key) = one.entity.primary_key() else { return };
    let subject = build.entity_name(one.entity.id);
    let name = build.inflection.row(build.table_name(one.entity.id));
    if let Err(note) = names.claim(&name, Claimant { subject: &subject, what: "field" }) {
        build.note_with(note, |build| build.rename_entity(one.entity.id));
        return;
    }
    let description = descriptions::reads_by_node_id(&one.name);
    let deprecated = deprecation(build.entity_tags(one.entity.id));
    let definition =
        FieldDefinition { deprecated, ..field(&name, &description, TypeRef::named(types.row)) };
    let field = build.api.add_field(query, definition, rows(one, one_by(key)));
    add_node_id(build, field, &descriptions::node_id_argument(&one.name), id.non_null());
}

/// The form of a row that is found by a key.
fn one_by(key: &Key) -> RowsForm {
    if key.enforced { RowsForm::Single } else { RowsForm::First }
}

fn rows(one: &Served<'_>, form: RowsForm) -> FieldBinding {
    FieldBinding::Rows(RowsBinding {
        from: RowsFrom::Entity,
        entity: one.entity.id,
        form,
        default_limit: None,
    })
}
