//! The defaults of fields beside those of their columns.

use catalog::{FieldDefault, FieldId, NoteKind};

use super::Stage;
use crate::model::{Column, ColumnType, Constant, DefaultValue, Field};

/// Whether a constant is the default of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Same,
    Different,
    /// Values of this type have several texts.
    Unknown,
}

impl Stage<'_> {
    pub(super) fn check_default(
        &mut self,
        (field, column): (&Field, &Column),
        id: FieldId,
        name: &str,
    ) {
        if let DefaultValue::Constant(constant) = &column.default
            && let Some(mistake) = self.mistaken(column.r#type, constant)
        {
            self.mistake(field.at, format!("{name}: {mistake}"));
            return;
        }
        let own = &self.catalog[id];
        let (has_default, is_nullable) = (own.has_default || own.generated.is_some(), own.nullable);
        let known = self.catalog.default_of(id).cloned();
        let is_filled = has_default || is_nullable;
        match &column.default {
            DefaultValue::Client(function) if !is_filled => {
                let message = format!(
                    "Prisma Client fills it in by {function}(), the database does not: inserts have \
                     to give a value."
                );
                let remedy = "give the column a default in the database.";
                self.note(NoteKind::Unserved, (field.at, name), &message, remedy);
            }
            DefaultValue::Database | DefaultValue::Constant(_)
                if !is_filled && !column.is_updated_at =>
            {
                let message = "the column has no default: inserts have to give a value.";
                let remedy = "migrate the database, or remove @default.";
                self.note(NoteKind::Declaration, (field.at, name), message, remedy);
            }
            DefaultValue::Constant(constant) => {
                self.compare((field, column.r#type, name), constant, has_default, known);
            }
            DefaultValue::None => {
                if let Some(value) = known.as_ref().and_then(value_of)
                    && !column.is_updated_at
                {
                    let message = format!(
                        "the column has the default {value}, which holds: inserts may leave it out."
                    );
                    let remedy = "write @default, as `prisma db pull` does.";
                    self.note(NoteKind::Declaration, (field.at, name), &message, remedy);
                }
            }
            DefaultValue::Database | DefaultValue::Client(_) => {}
        }
        if column.is_updated_at {
            self.catalog.declare_moment_of_change(id);
            let message = "Prisma Client sets it with each change, the database does not.";
            let remedy = "set it by a trigger, or give a value with each change; `--dialect prisma` sets \
                          it itself.";
            self.note(NoteKind::Unserved, (field.at, name), message, remedy);
        }
    }

    /// Tells a constant that is not the default of the column.
    fn compare(
        &mut self,
        (field, r#type, name): (&Field, ColumnType, &str),
        constant: &Constant,
        has_default: bool,
        known: Option<FieldDefault>,
    ) {
        let remedy = "correct @default, or migrate the database.";
        let message = match known {
            Some(known) => match self.comparison(r#type, constant, &known) {
                Comparison::Same | Comparison::Unknown => return,
                Comparison::Different => match value_of(&known) {
                    Some(value) => format!("the column has the default {value}, which holds."),
                    None => "the default of the column is a sequence, which holds.".to_owned(),
                },
            },
            None if has_default => "the default of the column is no constant; it holds.".to_owned(),
            None => {
                "the column has no default: it is null where an insert gives no value.".to_owned()
            }
        };
        self.note(NoteKind::Declaration, (field.at, name), &message, remedy);
    }

    /// The reason why a constant is none of a type.
    fn mistaken(&self, r#type: ColumnType, constant: &Constant) -> Option<String> {
        let is_valid = match (r#type, constant) {
            (ColumnType::String | ColumnType::Json | ColumnType::Bytes, Constant::Text(_)) => true,
            (ColumnType::DateTime, Constant::Text(_)) => true,
            (ColumnType::Int | ColumnType::BigInt, Constant::Number(digits)) => {
                digits.parse::<i64>().is_ok()
            }
            (ColumnType::Float, Constant::Number(digits)) => digits.parse::<f64>().is_ok(),
            (ColumnType::Decimal, Constant::Number(digits) | Constant::Text(digits)) => {
                digits.parse::<f64>().is_ok()
            }
            (ColumnType::Boolean, Constant::Word(word)) => {
                matches!(&**word, "true" | "false")
            }
            (ColumnType::Enum(index), Constant::Word(word)) => {
                let values = &self.schema.enums.get(index)?.values;
                values.iter().any(|value| value.name == *word)
            }
            // The database alone knows the type.
            (ColumnType::Unsupported, _) => true,
            (
                ColumnType::String
                | ColumnType::Json
                | ColumnType::Bytes
                | ColumnType::DateTime
                | ColumnType::Int
                | ColumnType::BigInt
                | ColumnType::Float
                | ColumnType::Decimal
                | ColumnType::Boolean
                | ColumnType::Enum(_),
                _,
            ) => false,
        };
        let wanted = match r#type {
            _ if is_valid => return None,
            ColumnType::String | ColumnType::Json | ColumnType::Bytes => "a text in quotes",
            ColumnType::DateTime => "a moment in quotes, or now()",
            ColumnType::Int | ColumnType::BigInt => "an integer",
            ColumnType::Float | ColumnType::Decimal => "a number",
            ColumnType::Boolean => "true or false",
            ColumnType::Enum(_) => "a value of the enum",
            ColumnType::Unsupported => return None,
        };
        Some(format!("the default of the field has another type: write {wanted}."))
    }

    fn comparison(
        &self,
        r#type: ColumnType,
        constant: &Constant,
        known: &FieldDefault,
    ) -> Comparison {
        let is_same = match (r#type, constant, known) {
            (_, _, FieldDefault::Sequence(_)) => false,
            (ColumnType::String, Constant::Text(text), FieldDefault::Text(own)) => text == own,
            (
                ColumnType::Int | ColumnType::BigInt,
                Constant::Number(digits),
                FieldDefault::Number(own) | FieldDefault::Text(own),
            ) => digits.parse::<i64>().ok() == own.parse::<i64>().ok(),
            (
                ColumnType::Float | ColumnType::Decimal,
                Constant::Number(digits) | Constant::Text(digits),
                FieldDefault::Number(own) | FieldDefault::Text(own),
            ) => digits.parse::<f64>().ok() == own.parse::<f64>().ok(),
            (ColumnType::Boolean, Constant::Word(word), FieldDefault::Boolean(own)) => {
                (**word == *"true") == *own
            }
            // Booleans of SQLite are numbers.
            (ColumnType::Boolean, Constant::Word(word), FieldDefault::Number(own)) => {
                (**word == *"true") == (**own != *"0")
            }
            (ColumnType::Enum(index), Constant::Word(word), FieldDefault::Text(own)) => {
                let values = self.schema.enums.get(index).map(|own| &*own.values);
                let values = values.unwrap_or_default();
                values.iter().any(|value| value.name == *word && value.stored == *own)
            }
            (
                ColumnType::DateTime
                | ColumnType::Json
                | ColumnType::Bytes
                | ColumnType::Unsupported,
                ..,
            ) => return Comparison::Unknown,
            (
                ColumnType::String
                | ColumnType::Int
                | ColumnType::BigInt
                | ColumnType::Float
                | ColumnType::Decimal
                | ColumnType::Boolean
                | ColumnType::Enum(_),
                ..,
            ) => false,
        };
        match is_same {
            true => Comparison::Same,
            false => Comparison::Different,
        }
    }
}

/// The text of a literal.
fn value_of(default: &FieldDefault) -> Option<String> {
    match default {
        FieldDefault::Text(text) => Some(format!("\"{text}\"")),
        FieldDefault::Number(digits) => Some(digits.to_string()),
        FieldDefault::Boolean(value) => Some(value.to_string()),
        FieldDefault::Sequence(_) => None,
    }
}
