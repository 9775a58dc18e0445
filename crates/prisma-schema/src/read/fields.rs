//! Fields of models.

use super::arguments::Arguments;
use super::names::{Meaning, Types, check_name};
use crate::mistake::Collected;
use crate::model::{Column, ColumnType, Constant, DefaultValue, Field, FieldKind};
use crate::syntax::{Arity, Attribute, Block, Expression, ExpressionKind, Line};

/// Functions of defaults that the database evaluates.
const OF_DATABASE: [&str; 3] = ["autoincrement", "now", "dbgenerated"];

/// Functions of defaults that Prisma Client evaluates.
const OF_CLIENT: [&str; 4] = ["cuid", "uuid", "ulid", "nanoid"];

/// Functions of CockroachDB.
const SEQUENCE: &str = "sequence";

pub(super) fn fields(block: &Block, types: &Types<'_>, mistakes: &mut Collected) -> Vec<Field> {
    let model = &block.name.text;
    let mut fields: Vec<Field> = Vec::new();
    for line in &block.lines {
        let field = field(model, line, types, mistakes);
        if fields.iter().any(|own| own.name == field.name) {
            let message = format!("{model} has a field {} already: rename one.", field.name);
            mistakes.add(field.at, message);
        } else if let Some(column) = field.find_column()
            && let Some(first) = fields
                .iter()
                .find(|own| own.find_column().is_some_and(|own| own.name == column.name))
        {
            let message = format!(
                "{model}.{} has the column \"{}\" as {} does: correct one @map.",
                field.name, column.name, first.name
            );
            mistakes.add(field.at, message);
        }
        fields.push(field);
    }
    fields
}

impl Field {
    /// The column, of a field that is no relation.
    #[must_use]
    pub fn find_column(&self) -> Option<&Column> {
        match &self.kind {
            FieldKind::Column(column) => Some(column),
            FieldKind::Relation => None,
        }
    }
}

fn field(model: &str, line: &Line, types: &Types<'_>, mistakes: &mut Collected) -> Field {
    let name = &line.name;
    check_name(&name.text, name.at, mistakes);
    let of = format!("{model}.{}", name.text);
    let reference = line.r#type.as_ref();
    let meaning = reference.and_then(|reference| types.meaning(&of, reference, mistakes));
    let mut field = Field {
        at: name.at,
        name: name.text.as_str().into(),
        documentation: line.documentation.as_deref().map(Into::into),
        arity: reference.map_or(Arity::Required, |reference| reference.arity),
        is_ignored: false,
        kind: match meaning {
            Some(Meaning::Model(_)) => FieldKind::Relation,
            Some(Meaning::Column(r#type)) => column(&name.text, r#type),
            // A type with a mistake.
            None => column(&name.text, ColumnType::Unsupported),
        },
    };
    for (index, attribute) in line.attributes.iter().enumerate() {
        let earlier = line.attributes.iter().take(index);
        if earlier.into_iter().any(|other| other.name.text == attribute.name.text) {
            let message = format!("@{} is there twice: remove one.", attribute.name.text);
            mistakes.add(attribute.name.at, message);
            continue;
        }
        add_attribute(&mut field, attribute, types, mistakes);
    }
    field
}

fn column(name: &str, r#type: ColumnType) -> FieldKind {
    let default = DefaultValue::None;
    FieldKind::Column(Column { name: name.into(), r#type, default, is_updated_at: false })
}

/// The attributes of a relation are read with it, those of keys by the model.
fn add_attribute(
    field: &mut Field,
    attribute: &Attribute,
    types: &Types<'_>,
    mistakes: &mut Collected,
) {
    let at = attribute.name.at;
    let mut arguments = Arguments::of_field(attribute);
    let arity = field.arity;
    let column = match &mut field.kind {
        FieldKind::Column(column) => Some(column),
        FieldKind::Relation => None,
    };
    match (&*attribute.name.text, column) {
        ("ignore", _) => field.is_ignored = true,
        ("relation", None) => return,
        ("relation", Some(_)) => {
            mistakes.add(at, "@relation is for fields of models: remove it.");
            return;
        }
        ("id" | "unique", Some(_)) => return,
        ("map", Some(column)) => {
            if let Some(name) = arguments.first_text("name", mistakes) {
                column.name = name.into();
            }
        }
        ("default", Some(column)) => {
            let value = arguments.first("value");
            arguments.of_database(&["map"]);
            match value {
                Some(value) => column.default = default(value, mistakes),
                None => mistakes.add(at, "write the value as in @default(0)."),
            }
        }
        ("updatedAt", Some(column)) => {
            if column.r#type != ColumnType::DateTime || arity == Arity::List {
                mistakes.add(at, "@updatedAt is for fields of the type DateTime: remove it.");
            }
            column.is_updated_at = true;
        }
        (name @ ("map" | "default" | "updatedAt" | "id" | "unique"), None) => {
            let message = format!("@{name} is for fields with a column: a relation has none.");
            mistakes.add(at, message);
            return;
        }
        (name, column) => {
            match name.split_once('.') {
                // Native types describe the column that is there.
                Some((prefix, _)) if prefix == types.prefix && column.is_some() => {}
                Some((prefix, _)) if prefix == types.prefix => {
                    mistakes.add(at, "a relation has no native type: remove it.");
                }
                Some((prefix, rest)) => mistakes.add(
                    at,
                    format!(
                        "@{prefix} is not the name of the datasource: write @{}.{rest}.",
                        types.prefix
                    ),
                ),
                None => mistakes.add(
                    at,
                    format!(
                        "a field has no attribute @{name}: it has @id, @unique, @default, \
                         @relation, @map, @updatedAt, @ignore and @{}.….",
                        types.prefix
                    ),
                ),
            }
            return;
        }
    }
    arguments.finish(mistakes);
}

fn default(value: &Expression, mistakes: &mut Collected) -> DefaultValue {
    match &value.kind {
        ExpressionKind::Text(text) => DefaultValue::Constant(Constant::Text(text.as_str().into())),
        ExpressionKind::Number(digits) => {
            DefaultValue::Constant(Constant::Number(digits.as_str().into()))
        }
        ExpressionKind::Path(word) => DefaultValue::Constant(Constant::Word(word.as_str().into())),
        ExpressionKind::List(_) => DefaultValue::Database,
        ExpressionKind::Call(name) => {
            if let Some(own) = OF_CLIENT.iter().find(|own| **own == name.as_str()) {
                return DefaultValue::Client(own);
            }
            if !OF_DATABASE.contains(&&**name) && name != SEQUENCE {
                let known = OF_DATABASE.iter().chain(&OF_CLIENT).copied().collect::<Vec<_>>();
                let message =
                    format!("there is no function `{name}`: it is one of {}.", known.join(", "));
                mistakes.add(value.at, message);
            }
            DefaultValue::Database
        }
    }
}
