//! The fields of a type: those of its columns, and its lists.

use catalog::{Catalog, FieldAccess, FieldDefault, Note};

use super::columns::ColumnTypes;
use super::comments::{Comment, CommentPosition};
use super::names::{self, FieldName};
use super::relations::{Draft, Inline};
use super::tables::{Reference, Row, Tables};
use super::{defaults, left_out, written};
use crate::model::{
    Behaviour, Default, End, Field, FieldKind, IdStrategy, RelationIndex, ScalarField, ScalarType,
    TypeIndex,
};

/// Reader of the table of a type.
pub(super) struct RowReader<'r, 'c> {
    pub(super) catalog: &'c Catalog,
    pub(super) tables: &'r Tables,
    pub(super) row: &'r Row,
    pub(super) index: TypeIndex,
    pub(super) types: &'r mut ColumnTypes<'c>,
    pub(super) notes: &'r mut Vec<Note>,
    pub(super) comments: &'r mut Vec<Comment>,
}

impl RowReader<'_, '_> {
    /// The fields of the type, and its relations by a column. As in Prisma, columns get their names in
    /// the order of these.
    pub(super) fn fields(&mut self) -> (Vec<Field>, Vec<Draft>) {
        let mut fields = Vec::new();
        let mut drafts = Vec::new();
        let mut columns: Vec<&catalog::Field> = self.catalog.fields_of(self.row.entity).collect();
        columns.sort_by_key(|column| &*column.name);
        for (place, column) in columns.iter().enumerate() {
            let behind = columns.iter().skip(place + 1).map(|column| &*column.name);
            let before = fields.iter().map(|field: &Field| &*field.name);
            let others: Vec<&str> = before.chain(behind).collect();
            let reference = self.row.references.iter().find(|own| own.column == column.id);
            match reference {
                Some(reference) => {
                    let reference = *reference;
                    let Some(field) = self.related(column, reference, &others) else { continue };
                    drafts.extend(self.draft(column, reference, fields.len()));
                    fields.push(field);
                }
                None => fields.extend(self.scalar(column, &others)),
            }
        }
        for list in &self.row.lists {
            let others: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            if let Some(r#type) = self.types.scalar(&self.catalog[list.value].r#type, false) {
                fields.push(Field {
                    name: names::field(&list.column, false, &others).name,
                    description: None,
                    old_name: None,
                    is_required: false,
                    kind: FieldKind::ScalarList { r#type, column: list.column.clone() },
                });
            }
        }
        (fields, drafts)
    }

    /// The field for the row whose key a column has; `None` if the row is of no type.
    fn related(
        &mut self,
        column: &catalog::Field,
        reference: Reference,
        others: &[&str],
    ) -> Option<Field> {
        self.tables.type_of(reference.target)?;
        let name = match self.catalog.given().forward(reference.relationship) {
            Some(name) => name.into(),
            None => self.name(&column.name, true, others),
        };
        Some(Field {
            name,
            description: column.description.clone(),
            old_name: None,
            is_required: !column.nullable,
            // Set with the relations.
            kind: FieldKind::Relation { relation: RelationIndex(0), end: End::A, is_list: false },
        })
    }

    fn draft(&self, column: &catalog::Field, reference: Reference, field: usize) -> Option<Draft> {
        let back = self.catalog.given().backward(reference.relationship);
        Some(Draft::Inline(Inline {
            back: back.map(Into::into),
            holder: self.index,
            field,
            target: self.tables.type_of(reference.target)?,
            column: column.name.clone(),
            is_unique: reference.is_unique,
        }))
    }

    /// The field of a column with a value; `None` if a datamodel cannot say it.
    fn scalar(&mut self, column: &catalog::Field, others: &[&str]) -> Option<Field> {
        if column.access == FieldAccess::NONE {
            return None;
        }
        let is_key = column.id == self.row.key;
        let given = self.catalog.given().field(column.id);
        let Some(r#type) = self.types.scalar(&column.r#type, is_key) else {
            let name = self.types.database_name(&column.r#type);
            let reason = format!("Type {name} is not supported");
            self.leave_out(column, (&name, ""), &reason, others);
            self.note(
                column,
                "a datamodel has no type for the column",
                "leave it to other programs, or give it a type of its own",
            );
            return None;
        };
        let known = self.catalog.default_of(column.id);
        let sequence = match known {
            Some(FieldDefault::Sequence(sequence)) => Some(sequence),
            Some(FieldDefault::Text(_) | FieldDefault::Number(_) | FieldDefault::Boolean(_))
            | None => None,
        };
        if let Some(sequence) = sequence.filter(|_| !is_key && given.is_none()) {
            let sequence = written::sequence(&sequence.name, sequence.start, 1);
            let reason = "Only id fields can have sequences";
            self.leave_out(column, ("Int", &sequence), reason, others);
            self.note(
                column,
                "only ids of a datamodel have sequences",
                "leave it to other programs, or name it by a schema of Prisma ORM",
            );
            return None;
        }
        let name = match (given, is_key) {
            (Some(name), _) => name.into(),
            (None, true) => names::key(&column.name, others),
            (None, false) => self.name(&column.name, false, others),
        };
        let is_date = r#type == ScalarType::DateTime;
        let behaviour = match (is_key, &*column.name) {
            (true, _) => Behaviour::Id(match (r#type, sequence) {
                (ScalarType::Int, Some(sequence)) => IdStrategy::Sequence {
                    name: sequence.name.clone(),
                    initial_value: sequence.start,
                    allocation_size: 1,
                },
                // The client gives it.
                (ScalarType::Int, None) if !column.has_default => IdStrategy::None,
                _ => IdStrategy::Auto,
            }),
            (false, "createdAt") if is_date => Behaviour::CreatedAt,
            (false, "updatedAt") if is_date => Behaviour::UpdatedAt,
            (false, _) if is_date && self.catalog.given().is_moment_of_change(column.id) => {
                Behaviour::UpdatedAt
            }
            (false, _) => Behaviour::Plain,
        };
        let default = match behaviour {
            Behaviour::Plain => known
                .and_then(|known| defaults::default(r#type, known))
                .or_else(|| column.has_default.then_some(Default::OfDatabase)),
            Behaviour::Id(_) | Behaviour::CreatedAt | Behaviour::UpdatedAt => None,
        };
        Some(Field {
            name,
            description: column.description.clone(),
            old_name: None,
            is_required: !column.nullable,
            kind: FieldKind::Scalar(ScalarField {
                r#type,
                column: column.name.clone(),
                is_unique: is_key || self.catalog[self.row.entity].is_unique_alone(column.id),
                default,
                behaviour,
            }),
        })
    }

    /// The name of a field, with a comment if it is not the one that Prisma would give it.
    fn name(&mut self, column: &str, is_relation: bool, others: &[&str]) -> Box<str> {
        let FieldName { name, is_of_column } = names::field(column, is_relation, others);
        if is_of_column {
            let place = CommentPosition::Field { of: self.index, name: name.clone() };
            let reason = "Field name normalization failed because of a conflicting field name.";
            self.comments.push(Comment::new(place, reason));
        }
        name
    }

    /// Leaves a column as a comment with its type and directives.
    fn leave_out(
        &mut self,
        column: &catalog::Field,
        (r#type, directives): (&str, &str),
        reason: &str,
        others: &[&str],
    ) {
        let name = names::field(&column.name, false, others).name;
        let database_name = match *name == *column.name {
            true => String::new(),
            false => written::database_name(&column.name),
        };
        let required = if column.nullable { "" } else { "!" };
        let parts = [&*name, ": ", r#type, required, &database_name, directives];
        let definition = parts.concat().into();
        let place = CommentPosition::NoField { of: self.index, name, definition };
        self.comments.push(Comment::new(place, reason));
    }

    fn note(&mut self, column: &catalog::Field, message: &str, remedy: &str) {
        let of = self.catalog.qualified_name(self.row.entity);
        self.notes.push(left_out(format!("{of}.{}", column.name), message, remedy));
    }
}
