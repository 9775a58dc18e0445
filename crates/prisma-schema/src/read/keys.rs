//! Keys: `@id`, `@unique`, `@@id`, `@@unique`.

use graphql::similar_names;

use super::arguments::{Arguments, field_names, place};
use crate::mistake::{At, Collected};
use crate::model::{FieldKind, Key, Model};
use crate::syntax::{Arity, Attribute, Block, Expression};

/// Arguments about the constraint itself.
const OF_CONSTRAINT: [&str; 4] = ["map", "length", "sort", "clustered"];

/// Adds the keys of single fields.
pub(super) fn of_fields(block: &Block, model: &mut Model, mistakes: &mut Collected) {
    for (index, line) in block.lines.iter().enumerate() {
        for attribute in &line.attributes {
            let is_primary = match &*attribute.name.text {
                "id" => true,
                "unique" => false,
                _ => continue,
            };
            let mut arguments = Arguments::of_field(attribute);
            arguments.of_database(&OF_CONSTRAINT);
            arguments.finish(mistakes);
            add(model, is_primary, vec![index], attribute.name.at, mistakes);
        }
    }
}

/// Adds a key of a block.
pub(super) fn of_block(
    attribute: &Attribute,
    arguments: &mut Arguments<'_>,
    model: &mut Model,
    mistakes: &mut Collected,
) {
    let is_primary = attribute.name.text == "id";
    let value = arguments.first("fields");
    arguments.of_database(&["name"]);
    arguments.of_database(&OF_CONSTRAINT);
    if let Some(fields) = fields(value, attribute, model, mistakes) {
        add(model, is_primary, fields, attribute.name.at, mistakes);
    }
}

/// Reports names of an index that are no fields.
pub(super) fn check_index(
    value: Option<&Expression>,
    attribute: &Attribute,
    model: &Model,
    mistakes: &mut Collected,
) {
    fields(value, attribute, model, mistakes);
}

fn fields(
    value: Option<&Expression>,
    attribute: &Attribute,
    model: &Model,
    mistakes: &mut Collected,
) -> Option<Vec<usize>> {
    let Some(value) = value else {
        let message = format!("write the fields as in @@{}([a, b]).", attribute.name.text);
        mistakes.add(attribute.name.at, message);
        return None;
    };
    let names = field_names(value, mistakes);
    if names.is_empty() {
        mistakes.add(value.at, "write the name of a field at least.");
        return None;
    }
    let found =
        names.iter().map(|(index, name)| column(model, name, place(value, *index), mistakes));
    // All mistakes are told.
    let found: Vec<Option<usize>> = found.collect();
    found.into_iter().collect()
}

/// The field of a column by its name.
pub(super) fn column(model: &Model, name: &str, at: At, mistakes: &mut Collected) -> Option<usize> {
    let index = model.fields.iter().position(|field| &*field.name == name);
    match index.map(|index| (index, &model.fields[index].kind)) {
        Some((index, FieldKind::Column(_))) => Some(index),
        Some((_, FieldKind::Relation)) => {
            let message = format!(
                "{}.{name} is a relation: name the fields of its columns instead.",
                model.name
            );
            mistakes.add(at, message);
            None
        }
        None => {
            let known = model.fields.iter().map(|field| &*field.name);
            let remedy = match similar_names(name, known).first() {
                Some(similar) => format!("did you mean {similar}?"),
                None => "define it.".to_owned(),
            };
            mistakes.add(at, format!("{} has no field `{name}`: {remedy}", model.name));
            None
        }
    }
}

fn add(model: &mut Model, is_primary: bool, fields: Vec<usize>, at: At, mistakes: &mut Collected) {
    if is_primary && model.keys.iter().any(|key| key.is_primary) {
        let message = format!("{} has an id already: keep one @id or @@id.", model.name);
        mistakes.add(at, message);
        return;
    }
    for index in &fields {
        let Some(field) = model.fields.get(*index) else { continue };
        let name = &field.name;
        if is_primary && field.arity != Arity::Required {
            mistakes.add(at, format!("the id {name} has to be required, and no list."));
        }
        if field.kind == FieldKind::Relation {
            mistakes.add(at, format!("the relation {name} is no key: name its columns."));
        }
    }
    model.keys.push(Key { at, is_primary, fields });
}
