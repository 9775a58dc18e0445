//! Types with parts: each is added to the catalog when the first column reaches it.

use catalog::{Attribute, Builder, CompositeId, EntityId, EnumLabel, Note, NoteKind, Scalar, Type};
use rustc_hash::FxHashMap;

use super::FieldType;
use super::rows::{Column, Form, TypeRow};
use super::scalar::{self, Mapping};

/// Makes the types of columns.
pub(super) struct Types<'a> {
    rows: FxHashMap<u32, &'a TypeRow>,
    /// By the relation of a composite.
    attributes: FxHashMap<u32, &'a [Column]>,
    /// The types that have a place in the catalog, by oid.
    made: FxHashMap<u32, Type>,
    /// The entities of the tables that are served, by relation.
    pub(super) entities: FxHashMap<u32, EntityId>,
    /// The types of the elements of ranges, by the index of the range's id.
    pub(super) elements: Vec<u32>,
    /// The composites that have a place in the catalog, in its order.
    pub(super) composites: Vec<Made<'a>>,
}

/// A composite of the catalog.
pub(super) struct Made<'a> {
    pub(super) id: CompositeId,
    /// The type of an array of its values.
    pub(super) array: u32,
    pub(super) attributes: &'a [Column],
}

impl<'a> Types<'a> {
    pub(super) fn new(rows: &'a [TypeRow], attributes: &'a [Column]) -> Self {
        Self {
            rows: rows.iter().map(|row| (row.oid, row)).collect(),
            attributes: by_relation(attributes),
            made: FxHashMap::default(),
            entities: FxHashMap::default(),
            elements: Vec::new(),
            composites: Vec::new(),
        }
    }

    /// The type of a field. Below a field and its array, in an attribute or a domain, a table's
    /// row is known by the name of its type only.
    pub(super) fn make_field(
        &mut self,
        builder: &mut Builder,
        subject: &str,
        oid: u32,
        modifier: i32,
    ) -> Type {
        if let Some(entity) = self.row(oid) {
            return Type::Row(entity);
        }
        if let Some(Form::Array { element }) = self.form(oid)
            && let Some(entity) = self.row(*element)
        {
            return Type::List(Box::new(Type::Row(entity)));
        }
        self.note_unmapped(builder, oid, subject);
        self.make(builder, oid, modifier)
    }

    /// The served table whose row type it is.
    fn row(&self, oid: u32) -> Option<EntityId> {
        match self.form(oid) {
            Some(Form::RowOfTable { relation }) => self.entities.get(relation).copied(),
            _ => None,
        }
    }

    /// The type of a column, attribute or element; `modifier` is -1 without a type modifier.
    pub(super) fn make(&mut self, builder: &mut Builder, oid: u32, modifier: i32) -> Type {
        if let Some(made) = self.made.get(&oid) {
            return made.clone();
        }
        let Some(&row) = self.rows.get(&oid) else {
            return unknown(oid);
        };
        let made = match &row.form {
            Form::Base => {
                return Type::Scalar(match scalar::map(row, modifier) {
                    Mapping::Scalar(scalar) => scalar,
                    Mapping::Text | Mapping::Unmapped => other(row),
                });
            }
            Form::Multirange | Form::RowOfTable { .. } => return Type::Scalar(other(row)),
            // The modifier of an array is that of its elements.
            Form::Array { element } => {
                return Type::List(Box::new(self.make(builder, *element, modifier)));
            }
            Form::Domain { base, modifier, not_null } => {
                let base = self.make(builder, *base, *modifier);
                let id =
                    builder.domain(namespace(row), name(row), base, *not_null, description(row));
                Type::Domain(id)
            }
            Form::Enum { labels } => {
                let labels = labels
                    .iter()
                    .map(|label| EnumLabel { label: label.as_str().into(), description: None })
                    .collect();
                Type::Enum(builder.r#enum(namespace(row), name(row), labels, description(row)))
            }
            Form::Composite { relation } => return self.composite(builder, row, *relation),
            Form::Range { subtype: element } => {
                self.note_unmapped(builder, *element, &qualified(row));
                let subtype = self.make(builder, *element, -1);
                // In the order in which the catalog gets its ranges.
                self.elements.push(*element);
                Type::Range(builder.range(namespace(row), name(row), subtype))
            }
        };
        self.made.insert(oid, made.clone());
        made
    }

    /// Reports a type of which only the text is served, if `oid` is one or a list of one.
    pub(super) fn note_unmapped(&self, builder: &mut Builder, oid: u32, subject: &str) {
        let (oid, _) = self.without_domains(oid, -1);
        let (remedy, kind) = match self.rows.get(&oid) {
            Some(row) => match row.form {
                Form::Array { element } => return self.note_unmapped(builder, element, subject),
                Form::Base if scalar::map(row, -1) == Mapping::Unmapped => {
                    ("serve a view that casts it to a type with a representation.", "type")
                }
                Form::RowOfTable { .. } => (
                    "give it a composite type (create type … as) with the same attributes.",
                    "row type",
                ),
                Form::Base
                | Form::Domain { .. }
                | Form::Enum { .. }
                | Form::Composite { .. }
                | Form::Range { .. }
                | Form::Multirange => return,
            },
            None => ("look for damage of the system catalogs.", "missing type"),
        };
        let named = self.rows.get(&oid).map_or_else(|| oid.to_string(), |row| qualified(row));
        builder.note(Note {
            kind: NoteKind::UnmappedType,
            subject: subject.into(),
            message: format!("the {kind} {named} is known by its name only and served as text.")
                .into(),
            remedy: remedy.into(),
        });
    }

    /// Whether some domain of the type forbids nulls.
    pub(super) fn forbids_null(&self, oid: u32) -> bool {
        let mut current = oid;
        while let Some(Form::Domain { base, not_null, .. }) = self.form(current) {
            if *not_null {
                return true;
            }
            current = *base;
        }
        false
    }

    /// Whether the type itself has a default, which a column without one takes.
    pub(super) fn has_default(&self, oid: u32) -> bool {
        self.rows.get(&oid).is_some_and(|row| row.has_default)
    }

    /// The OID of arrays of a type; 0 if there is none.
    pub(super) fn array(&self, oid: u32) -> u32 {
        self.rows.get(&oid).map_or(0, |row| row.array)
    }

    /// The physical type of a value; `deterministic` is whether its collation is.
    pub(super) fn physical(&self, oid: u32, modifier: i32, deterministic: bool) -> FieldType {
        let (base, modifier) = self.without_domains(oid, modifier);
        let row = self.rows.get(&base);
        let parameter = row.filter(|row| match &row.form {
            // Two rows are compared whatever their types are, so nothing could be inferred.
            Form::Composite { .. } | Form::RowOfTable { .. } => true,
            Form::Base => scalar::is_object_identifier(row) || scalar::is_spatial(row),
            Form::Array { .. }
            | Form::Domain { .. }
            | Form::Enum { .. }
            | Form::Multirange
            | Form::Range { .. } => false,
        });
        FieldType {
            oid,
            array_oid: self.array(oid),
            base_array_oid: row.map_or(0, |row| row.array),
            parameter_oid: parameter.map_or(0, |row| row.oid),
            parameter_array_oid: parameter.map_or(0, |row| row.array),
            identity_is_text: row
                .is_some_and(|row| scalar::identity_is_text(row, modifier, deterministic)),
            most_characters: row.and_then(|row| scalar::most_characters(row, modifier)),
        }
    }

    fn composite(&mut self, builder: &mut Builder, row: &'a TypeRow, relation: u32) -> Type {
        let id = builder.composite(namespace(row), name(row), description(row));
        // Known before its attributes are made, so that no shape of types leads round in circles.
        self.made.insert(row.oid, Type::Composite(id));
        let attributes = self.attributes.get(&relation).copied().unwrap_or_default();
        self.composites.push(Made { id, array: row.array, attributes });
        let attributes = attributes
            .iter()
            .map(|column| {
                let subject = [&qualified(row), ".", &column.name].concat();
                self.note_unmapped(builder, column.r#type, &subject);
                Attribute {
                    name: column.name.as_str().into(),
                    r#type: self.make(builder, column.r#type, column.modifier),
                    description: column.description.as_deref().map(Box::from),
                }
            })
            .collect();
        builder.set_attributes(id, attributes);
        Type::Composite(id)
    }

    /// The type below all domains, with the modifier that the innermost gives it.
    pub(super) fn without_domains(&self, oid: u32, modifier: i32) -> (u32, i32) {
        let mut current = (oid, modifier);
        while let Some(Form::Domain { base, modifier, .. }) = self.form(current.0) {
            current = (*base, *modifier);
        }
        current
    }

    /// The name of a type for messages.
    pub(super) fn name(&self, oid: u32) -> String {
        self.rows.get(&oid).map_or_else(|| oid.to_string(), |row| row.name.clone())
    }

    fn form(&self, oid: u32) -> Option<&'a Form> {
        self.rows.get(&oid).map(|row| &row.form)
    }
}

/// The columns of each relation; they come ordered by relation.
pub(super) fn by_relation(columns: &[Column]) -> FxHashMap<u32, &[Column]> {
    columns
        .chunk_by(|left, right| left.relation == right.relation)
        .filter_map(|chunk| chunk.first().map(|column| (column.relation, chunk)))
        .collect()
}

/// Only damaged system catalogs lack the type of a column; its values are text all the same.
fn unknown(oid: u32) -> Type {
    Type::Scalar(Scalar::Other(oid.to_string().into()))
}

fn other(row: &TypeRow) -> Scalar {
    Scalar::Other(name(row))
}

fn namespace(row: &TypeRow) -> Option<Box<str>> {
    Some(row.namespace.as_str().into())
}

fn name(row: &TypeRow) -> Box<str> {
    row.name.as_str().into()
}

fn description(row: &TypeRow) -> Option<Box<str>> {
    row.description.as_deref().map(Box::from)
}

fn qualified(row: &TypeRow) -> String {
    [&*row.namespace, ".", &row.name].concat()
}
