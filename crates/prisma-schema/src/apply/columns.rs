//! The columns of fields: their types and their nulls.

use catalog::{Catalog, EntityId, FieldId, NoteKind, Scalar, Type};
use graphql::similar_names;

use super::Stage;
use crate::model::{Column, ColumnType, Field, FieldIndex, Model};
use crate::syntax::Arity;

/// Whether a column has the type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Same,
    /// Another type of the same kind: numbers of another width.
    Related,
    Different,
}

impl Stage<'_> {
    /// Finds the column of each field, and leaves out the columns without one.
    pub(super) fn find_columns(&mut self) {
        let schema = self.schema;
        for (index, model) in schema.models.iter().enumerate() {
            let Some(entity) = self.entity(index) else {
                self.fields.push(vec![None; model.fields.len()]);
                continue;
            };
            let fields: Vec<Option<FieldId>> = model
                .fields
                .iter()
                .map(|field| Some((field, field.find_column()?)))
                .map(|found| self.column(model, entity, found?))
                .collect();
            if !model.is_ignored {
                self.leave_out_columns(model, entity, &fields);
            }
            self.fields.push(fields);
        }
        self.check_columns();
    }

    fn column(
        &mut self,
        model: &Model,
        entity: EntityId,
        (field, column): (&Field, &Column),
    ) -> Option<FieldId> {
        let found = self.catalog.find_field(entity, &column.name).map(|found| found.id);
        if found.is_none() && !model.is_ignored && !field.is_ignored {
            let known: Vec<&str> =
                self.catalog.fields_of(entity).map(|known| &*known.name).collect();
            let remedy = match similar_names(&column.name, known).first() {
                Some(similar) => format!("did you mean @map(\"{similar}\")?"),
                None => "correct @map, or migrate the database.".to_owned(),
            };
            let message = format!(
                "{}.{}: {} has no column \"{}\": {remedy}",
                model.name,
                field.name,
                self.catalog.qualified_name(entity),
                column.name
            );
            self.mistake(field.at, message);
        }
        found
    }

    /// Leaves out ignored columns, and those that the model does not have.
    fn leave_out_columns(&mut self, model: &Model, entity: EntityId, known: &[Option<FieldId>]) {
        let key = self.catalog[entity].primary_key().map(|key| key.fields.clone());
        let is_key = |field: FieldId| key.as_ref().is_some_and(|key| key.contains(&field));
        let mut missing = Vec::new();
        for column in self.catalog[entity].fields.clone() {
            let field = known
                .iter()
                .position(|own| *own == Some(column))
                .and_then(|index| model.fields.get(index));
            let name = self.catalog[column].name.clone();
            match field {
                Some(field) if !field.is_ignored => continue,
                Some(field) if is_key(column) => {
                    let message = format!(
                        "{}.{}: the column \"{name}\" is in the primary key, which rows are found \
                         by: remove @ignore, or write @@ignore.",
                        model.name, field.name
                    );
                    self.mistake(field.at, message);
                }
                None if is_key(column) => {
                    let message = format!(
                        "{}: no field has the column \"{name}\" of the primary key: add one.",
                        model.name
                    );
                    self.mistake(model.at, message);
                }
                Some(_) => {}
                None => missing.push(name),
            }
            self.catalog.leave_out_field(column);
        }
        if !missing.is_empty() {
            let message =
                format!("columns without a field are not in the API: {}.", missing.join(", "));
            let remedy = "add fields, as `prisma db pull` does, or leave them out.";
            self.note(NoteKind::LeftOut, (model.at, &model.name), &message, remedy);
        }
    }

    /// Names the columns, and compares them with their fields.
    fn check_columns(&mut self) {
        let schema = self.schema;
        for (index, model) in schema.models.iter().enumerate() {
            for (place, field) in model.fields.iter().enumerate() {
                let own = FieldIndex { model: index, field: place };
                let Some(column) = field.find_column().filter(|_| self.is_shown(own)) else {
                    continue;
                };
                let Some(id) = self.field(index, place) else { continue };
                self.catalog.name_field(id, field.name.clone());
                if let Some(text) = &field.documentation {
                    self.catalog.describe_field(id, text);
                }
                let name = schema.field_name(own);
                self.check_type((field, column), id, &name);
                self.check_null(field, id, &name);
                self.check_default((field, column), id, &name);
            }
        }
    }

    /// Enums have checks of their own.
    fn check_type(&mut self, (field, column): (&Field, &Column), id: FieldId, name: &str) {
        let stored = self.catalog[id].r#type.clone();
        let (is_list, element) = match self.catalog.base_type(&stored) {
            Type::List(element) => (true, self.catalog.base_type(element).clone()),
            other => (false, other.clone()),
        };
        let wants_list = field.arity == Arity::List;
        if is_list != wants_list && column.r#type != ColumnType::Unsupported {
            let message = match is_list {
                true => format!("{name}: the column is a list: write `[]` after the type."),
                false => format!("{name}: the column is no list: remove `[]` after the type."),
            };
            self.mistake(field.at, message);
            return;
        }
        let fit = fit(column.r#type, &element);
        let declared = declared(column.r#type).filter(|_| self.catalog.capabilities().any_values);
        match (fit, declared) {
            (Fit::Same, _) => {}
            // Columns of SQLite have values of any type.
            (Fit::Different, Some(scalar)) => {
                if let Err(reason) = self.catalog.declare_stored(id, scalar) {
                    let message = format!("{name}: the column cannot have this type: {reason}.");
                    self.mistake(field.at, message);
                }
            }
            (Fit::Different, None) => {
                let message = format!(
                    "{name}: the column \"{}\" has another type ({}): correct the field, or migrate \
                     the database.",
                    column.name,
                    type_name(self.catalog, &element)
                );
                self.mistake(field.at, message);
            }
            (Fit::Related, Some(_)) => {}
            (Fit::Related, None) => {
                let message = format!(
                    "the column has the type {}, which holds.",
                    type_name(self.catalog, &element)
                );
                let remedy = "run `prisma db pull`.";
                self.note(NoteKind::Declaration, (field.at, name), &message, remedy);
            }
        }
    }

    fn check_null(&mut self, field: &Field, id: FieldId, name: &str) {
        let message = match (field.arity, self.catalog[id].nullable) {
            // A list of Prisma is empty where the column is null.
            (Arity::Required, true) => {
                "the field is required and the column accepts null: it stays \
                                        nullable in the API."
            }
            (Arity::Optional, false) => {
                "the field is optional and the column does not accept null: \
                                         it is required in the API."
            }
            (Arity::Required | Arity::Optional | Arity::List, _) => return,
        };
        let remedy = "write or remove the `?`, or migrate the database.";
        self.note(NoteKind::Declaration, (field.at, name), message, remedy);
    }
}

/// Whether a column of a type has the values of a field.
fn fit(field: ColumnType, stored: &Type) -> Fit {
    let scalar = match stored {
        Type::Scalar(scalar) => Some(scalar),
        _ => None,
    };
    let (same, related): (bool, bool) = match (field, scalar) {
        // The database alone knows the type, or the enums compare their values.
        (ColumnType::Unsupported | ColumnType::Enum(_), _) => (true, false),
        (_, None) => (false, false),
        (ColumnType::String, Some(scalar)) => (is_text(scalar), false),
        (ColumnType::Boolean, Some(scalar)) => (*scalar == Scalar::Boolean, false),
        (ColumnType::Int, Some(scalar)) => (
            matches!(scalar, Scalar::Int16 | Scalar::Int32 | Scalar::ObjectId),
            *scalar == Scalar::Int64,
        ),
        (ColumnType::BigInt, Some(scalar)) => {
            (*scalar == Scalar::Int64, matches!(scalar, Scalar::Int16 | Scalar::Int32))
        }
        (ColumnType::Float, Some(scalar)) => (
            matches!(scalar, Scalar::Float32 | Scalar::Float64),
            matches!(scalar, Scalar::Decimal { .. }),
        ),
        (ColumnType::Decimal, Some(scalar)) => (
            matches!(scalar, Scalar::Decimal { .. } | Scalar::Money),
            matches!(scalar, Scalar::Float32 | Scalar::Float64),
        ),
        (ColumnType::DateTime, Some(scalar)) => (
            matches!(
                scalar,
                Scalar::Date
                    | Scalar::Time
                    | Scalar::TimeWithZone
                    | Scalar::Timestamp
                    | Scalar::TimestampWithZone
                    | Scalar::Epoch(_)
            ),
            false,
        ),
        (ColumnType::Json, Some(scalar)) => (matches!(scalar, Scalar::Json | Scalar::Jsonb), false),
        (ColumnType::Bytes, Some(scalar)) => (*scalar == Scalar::Bytes, false),
    };
    match (same, related) {
        (true, _) => Fit::Same,
        (false, true) => Fit::Related,
        (false, false) => Fit::Different,
    }
}

/// True for the native types of `String`.
fn is_text(scalar: &Scalar) -> bool {
    matches!(
        scalar,
        Scalar::Text
            | Scalar::Character { .. }
            | Scalar::CaseInsensitiveText
            | Scalar::Uuid
            | Scalar::Xml
            | Scalar::Inet
            | Scalar::Bit
            // Types that are served as text.
            | Scalar::Other(_)
    )
}

/// The type that a field gives a column of a source with values of any type.
fn declared(field: ColumnType) -> Option<Scalar> {
    match field {
        ColumnType::String => Some(Scalar::Text),
        ColumnType::Boolean => Some(Scalar::Boolean),
        ColumnType::Int => Some(Scalar::Int32),
        ColumnType::BigInt => Some(Scalar::Int64),
        ColumnType::Float => Some(Scalar::Float64),
        ColumnType::Decimal => Some(Scalar::Decimal { precision: None, scale: None }),
        ColumnType::DateTime => Some(Scalar::Timestamp),
        ColumnType::Json => Some(Scalar::Json),
        ColumnType::Bytes => Some(Scalar::Bytes),
        ColumnType::Enum(_) | ColumnType::Unsupported => None,
    }
}

/// The name of a type, for messages.
pub(super) fn type_name(catalog: &Catalog, r#type: &Type) -> String {
    match r#type {
        Type::Scalar(Scalar::Other(name)) => name.to_string(),
        Type::Scalar(Scalar::Decimal { .. }) => "decimal".to_owned(),
        Type::Scalar(Scalar::Character { .. }) => "character".to_owned(),
        Type::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
        Type::Enum(id) => format!("the enum {}", catalog[*id].name),
        Type::Domain(id) => format!("the domain {}", catalog[*id].name),
        Type::Composite(id) => format!("the composite type {}", catalog[*id].name),
        Type::Range(id) => format!("the range {}", catalog[*id].name),
        Type::Row(_) => "a row".to_owned(),
        Type::List(_) => "a list".to_owned(),
    }
}
