//! Relations: names of foreign keys, declared ones where the database has none, and tables of pairs.

use catalog::builder::NewRelationship;
use catalog::{
    Catalog, EntityId, FieldId, Join, Relationship, RelationshipId, RelationshipNames, Scalar, Type,
};

use super::Stage;
use super::tables::find;
use crate::mistake::At;
use crate::model::{FieldIndex, Relation};

/// The columns of a table of pairs.
const COLUMNS: [&str; 2] = ["A", "B"];

/// The fields of a foreign key, and those that it refers to.
struct Reference {
    from: EntityId,
    from_fields: Vec<FieldId>,
    to: EntityId,
    to_fields: Vec<FieldId>,
}

impl Stage<'_> {
    /// Names the relations of the schema, and leaves out the foreign keys that it does not have.
    pub(super) fn name_relations(&mut self) {
        let schema = self.schema;
        for relation in &schema.relations {
            match relation {
                Relation::ForeignKey { from, to, fields, references } => {
                    self.foreign_key((*from, *to), fields, references);
                }
                Relation::Pairs { a, b, table } => self.pairs([*a, *b], table),
            }
        }
        let is_left_out = |one: &&Relationship| {
            let given = self.catalog.given();
            given.forward(one.id).is_none()
                && !self.joins.contains(&one.from)
                && self.catalog[one.from].kind.is_stored()
        };
        let left_out: Vec<RelationshipId> =
            self.catalog.relationships().filter(is_left_out).map(|one| one.id).collect();
        for relationship in left_out {
            self.catalog.name_relationship(relationship, RelationshipNames::LeftOut);
        }
    }

    fn foreign_key(
        &mut self,
        (from, to): (FieldIndex, FieldIndex),
        fields: &[usize],
        references: &[usize],
    ) {
        // A relation of which one end is ignored has no other end to lead to.
        if !self.is_shown(from) || !self.is_shown(to) {
            return;
        }
        let found = (|| {
            Some(Reference {
                from: self.entity(from.model)?,
                from_fields: self.fields_of(from.model, fields)?,
                to: self.entity(to.model)?,
                to_fields: self.fields_of(to.model, references)?,
            })
        })();
        // What is missing has a mistake.
        let Some(reference) = found else { return };
        let at = self.schema.field(from).at;
        let names = self.schema.field_name(from);
        let hidden = fields
            .iter()
            .map(|field| FieldIndex { model: from.model, field: *field })
            .chain(references.iter().map(|field| FieldIndex { model: to.model, field: *field }))
            .find(|index| !self.is_shown(*index));
        if let Some(hidden) = hidden {
            let message = format!(
                "{names}: the relation needs {}, which is ignored: remove its @ignore, or ignore the \
                 relation at both ends.",
                self.schema.field_name(hidden)
            );
            self.mistake(at, message);
            return;
        }
        let Some(relationship) = self.relationship(at, &names, reference) else { return };
        if self.catalog.given().forward(relationship).is_some() {
            let message = format!("{names}: another relation has the same columns: remove one.");
            self.mistake(at, message);
            return;
        }
        let schema = self.schema;
        let forward = schema.field(from).name.clone();
        let backward = schema.field(to).name.clone();
        let names = RelationshipNames::Given { forward, backward };
        self.catalog.name_relationship(relationship, names);
    }

    /// The foreign key of a reference, which is declared if the database has none.
    fn relationship(&mut self, at: At, name: &str, reference: Reference) -> Option<RelationshipId> {
        let known = self.catalog.relationships().find(|known| reference.is(known));
        if let Some(known) = known {
            return Some(known.id);
        }
        let pairs = reference.from_fields.iter().zip(&reference.to_fields);
        for (one, other) in pairs {
            if !is_comparable(self.catalog, *one, *other) {
                let message = format!(
                    "{name}: the columns \"{}\" and \"{}\" have different types.",
                    self.catalog[*one].name, self.catalog[*other].name
                );
                self.mistake(at, message);
                return None;
            }
        }
        let Reference { from, from_fields, to, to_fields } = reference;
        let description = None;
        let name = name.into();
        let new = NewRelationship { name, from, from_fields, to, to_fields, description };
        Some(self.catalog.declare_relationship(new))
    }

    fn pairs(&mut self, ends: [FieldIndex; 2], table: &str) {
        let [a, b] = ends;
        let schema = self.schema;
        let at = schema.field(a).at;
        let own = schema.field_name(a);
        let models = ends.map(|end| &schema.models[end.model]);
        let mut found = find(self.catalog, models[0].schema.as_deref(), table);
        if let [_, _, ..] = *found {
            // Without @@schema the table is beside that of its first model.
            let namespace =
                self.entity(a.model).map(|entity| self.catalog[entity].namespace.clone());
            found.retain(|one| Some(&self.catalog[*one].namespace) == namespace.as_ref());
        }
        // A relation of which one end is ignored has no other end to lead to.
        let is_ignored = !ends.iter().all(|end| self.is_shown(*end));
        let entity = match found.as_slice() {
            [entity] if !is_ignored => *entity,
            _ if is_ignored => {
                for table in found {
                    self.catalog.leave_out_entity(table);
                    self.joins.push(table);
                }
                return;
            }
            _ => {
                let message = format!(
                    "{own}: the database has no table \"{table}\" for the relation: name the \
                     relation after its table, without the underscore, or write a model for it."
                );
                self.mistake(at, message);
                return;
            }
        };
        let mut relationships = Vec::new();
        for (end, column) in ends.into_iter().zip(COLUMNS) {
            let Some(field) = self.catalog.find_field(entity, column).map(|field| field.id) else {
                let message = format!("{own}: the table \"{table}\" has no column \"{column}\".");
                self.mistake(at, message);
                return;
            };
            let key = schema.models[end.model].keys.iter().find(|key| key.is_primary);
            let key = key.and_then(|key| self.fields_of(end.model, &key.fields));
            let (Some(to), Some(to_fields)) = (self.entity(end.model), key) else { return };
            let reference = Reference { from: entity, from_fields: vec![field], to, to_fields };
            let Some(found) = self.relationship(at, &own, reference) else { return };
            relationships.push(found);
        }
        let [to_a, to_b] = *relationships else { return };
        self.joins.push(entity);
        for (end, near, far) in [(a, to_a, to_b), (b, to_b, to_a)] {
            let name = schema.field(end).name.clone();
            self.catalog.name_join(Join { name, near, far });
        }
    }
}

impl Reference {
    /// True for the same columns, in any order.
    fn is(&self, known: &Relationship) -> bool {
        let own: Vec<_> = self.from_fields.iter().zip(&self.to_fields).collect();
        let others: Vec<_> = known.from_fields.iter().zip(&known.to_fields).collect();
        (known.from, known.to) == (self.from, self.to)
            && own.len() == others.len()
            && own.iter().all(|pair| others.contains(pair))
    }
}

/// True if the database compares the values of two columns.
fn is_comparable(catalog: &Catalog, one: FieldId, other: FieldId) -> bool {
    let kind = |field: FieldId| match catalog.base_type(&catalog[field].r#type) {
        Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64) => Type::Scalar(Scalar::Int64),
        Type::Scalar(Scalar::Text | Scalar::Character { .. }) => Type::Scalar(Scalar::Text),
        other => other.clone(),
    };
    kind(one) == kind(other)
}
