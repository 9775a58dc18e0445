//! The fields of queries, mutations and subscriptions.

use super::arguments;
use super::builder::{Builder, scalar_name};
use super::changes::{self, Verb};
use super::definitions::custom;
use super::facts::{has_id, has_xid, id_field, is_identified, is_interface, xid_field};
use super::operators::{MISSING, refused};
use super::{reads, similar, variants};
use crate::model::{Scalar, Secret, Type, TypeIndex, XidScope};
use api::binding::{ArgumentRole, FieldBinding, FilterRole, InputBinding, ObjectRole, RowsForm};
use api::draft::{DraftField, DraftInput};

/// The reason for which the `get` of an interface is deprecated.
const DEPRECATED_GET: &str = "@id argument for get query on interface is being deprecated. Only \
     those @id fields which have interface argument set to true will be available in getQuery \
     argument on interface post v21.11.0, please update your schema accordingly.";

/// Adds the fields of the definitions' own root types.
pub(super) fn add_custom(build: &mut Builder<'_>) {
    let model = build.model;
    for field in &model.queries {
        let query = custom(build, "Query", field);
        if field.has_subscription {
            build.subscriptions.push(query.clone());
        }
        build.queries.push(query);
    }
    for field in &model.mutations {
        let mutation = custom(build, "Mutation", field);
        build.mutations.push(mutation);
    }
}

/// Adds the fields of a type.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let generate = r#type.generate;
    if generate.get {
        if is_identified(r#type) {
            let query = get(build, index);
            add_query(build, r#type, query);
        }
        similar::add(build, index);
    }
    if let (true, true, Some(secret)) = (generate.password, is_identified(r#type), &r#type.secret) {
        let query = check_password(build, index, secret);
        build.queries.push(query);
    }
    if generate.query {
        let binding = reads::root(build, index, RowsForm::List);
        let query = DraftField::new(&format!("query{name}"), &format!("[{name}]"), binding);
        let arguments = arguments::of_list(build, index, &build.provided(index));
        add_query(build, r#type, query.with(arguments));
    }
    if generate.aggregate {
        let binding = reads::root(build, index, RowsForm::Aggregate);
        let result = format!("{name}AggregateResult");
        let query = DraftField::new(&format!("aggregate{name}"), &result, binding);
        add_query(build, r#type, query.with(vec![arguments::filter(name)]));
    }
    add_mutations(build, index);
}

/// The arguments by which a row is found: all keys of the type.
pub(super) fn keys(build: &Builder<'_>, index: TypeIndex) -> Vec<DraftInput> {
    let r#type = build.r#type(index);
    let xids = r#type.fields.iter().filter(|field| field.id.is_some());
    let is_only = !has_id(r#type) && xids.clone().count() <= 1;
    let required = |name: &str, is_required: bool| match is_required {
        true => format!("{name}!"),
        false => name.into(),
    };
    let mut arguments = Vec::new();
    for (place, field) in r#type.fields.iter().enumerate() {
        let is_id = id_field(r#type, &[]).is_some_and(|id| id.name == field.name);
        if is_id {
            let id = required(scalar_name(Scalar::Id), !has_xid(r#type));
            let binding = reads::key(build, index, place);
            arguments.insert(0, DraftInput::new(&field.name, &id, binding));
        } else if field.id.is_some() && has_xid(r#type) {
            let key = required(build.name(field.r#type.base), is_only);
            let binding = reads::key(build, index, place);
            arguments.push(DraftInput::new(&field.name, &key, binding));
        }
    }
    arguments
}

/// The row of a type by its keys.
fn get(build: &mut Builder<'_>, index: TypeIndex) -> DraftField {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let arguments = keys(build, index);
    let form = match is_interface(r#type) || arguments.len() > 1 {
        true => RowsForm::Keyed,
        false => RowsForm::Single,
    };
    let binding = reads::root(build, index, form);
    let query = DraftField::new(&format!("get{name}"), name, binding);
    DraftField { deprecated: deprecation(r#type), ..query.with(arguments) }
}

/// The reason for which rows of an interface should not be found by keys, if some of these are
/// unique within one type only.
pub(super) fn deprecation(r#type: &Type) -> Option<Box<str>> {
    let is_own = r#type.fields.iter().any(|field| field.id == Some(XidScope::Type));
    (is_interface(r#type) && is_own).then(|| DEPRECATED_GET.into())
}

/// The object of a type with a key, if its password is the given one.
fn check_password(build: &mut Builder<'_>, index: TypeIndex, secret: &Secret) -> DraftField {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let key = id_field(r#type, &provided).or_else(|| xid_field(r#type, &provided));
    let key = key.and_then(|key| r#type.fields.iter().position(|field| field.name == key.name));
    let mut arguments = Vec::new();
    if let Some(place) = key {
        let key = &r#type.fields[place];
        let binding = reads::key(build, index, place);
        arguments.push(DraftInput::new(&key.name, &build.text(key.r#type), binding));
    }
    let (form, role) = match is_interface(r#type) {
        true => {
            (RowsForm::Keyed, variants::passwords(build, index).map(ArgumentRole::CommonPassword))
        }
        false => (RowsForm::Single, build.located.password(index).map(ArgumentRole::Password)),
    };
    let (binding, password) = match role {
        Some(role) => (reads::root(build, index, form), InputBinding::lenient(role)),
        None => (FieldBinding::Refused(MISSING.into()), refused(MISSING)),
    };
    arguments.push(DraftInput::new(&secret.field, "String!", password));
    let name = format!("check{}Password", r#type.name);
    DraftField::new(&name, &r#type.name, binding).with(arguments)
}

/// Adds a query, and the subscription of it.
fn add_query(build: &mut Builder<'_>, r#type: &Type, query: DraftField) {
    if r#type.has_subscription {
        build.subscriptions.push(query.clone());
    }
    build.queries.push(query);
}

fn add_mutations(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let mut add = |verb: Verb, words: [&str; 2], arguments: Vec<DraftInput>| {
        let [verb_word, payload] = words;
        let binding = changes::mutation(build, index, verb);
        let payload = format!("{payload}{name}Payload");
        let field = DraftField::new(&format!("{verb_word}{name}"), &payload, binding);
        build.mutations.push(field.with(arguments));
    };
    let is_interface = is_interface(r#type);
    let argument = |name: &str, r#type: &str, binding| DraftInput::new(name, r#type, binding);
    if r#type.generate.add && !is_interface {
        let added = changes::input(ObjectRole::Added);
        let mut arguments = vec![argument("input", &format!("[Add{name}Input!]!"), added)];
        if has_xid(r#type) {
            arguments.push(argument("upsert", "Boolean", changes::input(ObjectRole::Upsert)));
        }
        add(Verb::Add, ["add", "Add"], arguments);
    }
    if r#type.generate.update {
        let input = argument("input", &format!("Update{name}Input!"), changes::inputs());
        add(Verb::Update, ["update", "Update"], vec![input]);
    }
    if r#type.generate.delete {
        let filter = InputBinding::lenient(FilterRole::Conditions);
        let filter = argument("filter", &format!("{name}Filter!"), filter);
        add(Verb::Delete, ["delete", "Delete"], vec![filter]);
    }
}
