//! Rows that are on one server, and steps that ask all servers of a database.

use crate::catalog::Catalog;
use crate::distribution::Distribution;
use crate::entity::{Entity, RelationshipKind};
use crate::ids::{EntityId, FieldId, RelationshipId};
use crate::note::{Note, NoteKind};

impl Entity {
    /// True if values of these fields, the distribution column among them, choose one server.
    #[must_use]
    pub fn is_on_one_server(&self, fields: &[FieldId]) -> bool {
        match self.distribution {
            Distribution::Distributed { by, .. } => fields.contains(&by),
            Distribution::Local | Distribution::Reference | Distribution::Single { .. } => true,
            Distribution::Unknown => false,
        }
    }
}

impl Catalog {
    /// True if the database has distributed tables, whose rows are on several servers (Citus).
    #[must_use]
    pub fn is_distributed(&self) -> bool {
        self.is_distributed
    }

    /// True if the tables of a relationship are colocated, as seen from the table `near`: each row and
    /// its related rows are on one server, so that a statement can join them there.
    #[must_use]
    pub fn is_colocated(&self, relationship: RelationshipId, near: EntityId) -> bool {
        if !self.is_distributed {
            return true;
        }
        let relationship = &self[relationship];
        if relationship.kind != RelationshipKind::ForeignKey {
            return false;
        }
        let (from, to) = (self[relationship.from].distribution, self[relationship.to].distribution);
        let far = if near == relationship.from { to } else { from };
        match (from, to) {
            (Distribution::Local, Distribution::Local) => true,
            (
                Distribution::Distributed { by, colocation },
                Distribution::Distributed { by: to_by, colocation: to_colocation },
            ) => {
                let mut pairs = relationship.from_fields.iter().zip(&relationship.to_fields);
                colocation == to_colocation && pairs.any(|pair| pair == (&by, &to_by))
            }
            (
                Distribution::Single { colocation },
                Distribution::Single { colocation: to_colocation },
            ) => colocation == to_colocation,
            // Wherever the row is, all rows that it leads to are there, too. The other way round, other
            // servers have some of them.
            (Distribution::Unknown, _) | (_, Distribution::Unknown) => false,
            _ => far == Distribution::Reference,
        }
    }
}

impl Catalog {
    /// Notes what asks all servers: steps along relationships to rows whose server is not known, and
    /// look-ups by keys without the distribution column.
    pub fn note_fan_out(&mut self) {
        if !self.is_distributed {
            return;
        }
        let mut notes = Vec::new();
        for relationship in self.relationships() {
            let ends = [
                (relationship.to, &relationship.from_fields, relationship.from),
                (relationship.from, &relationship.to_fields, relationship.to),
            ];
            for (near, fields, far) in ends {
                let Some(by) = self[far].distribution.distribution_field() else { continue };
                if fields.contains(&by) {
                    continue;
                }
                let (near, far) = (self.qualified_name(near), self.qualified_name(far));
                notes.push(Note {
                    kind: NoteKind::Distributed,
                    subject: format!("{far} ({})", self.names(fields)).into(),
                    message: format!(
                        "each step from {near} along {} asks all servers, which its distribution \
                         column {} does not choose.",
                        relationship.name, self[by].name
                    )
                    .into(),
                    remedy:
                        "add the distribution column to the foreign key, or ask for rows with a \
                             condition on it."
                            .into(),
                });
            }
        }
        for entity in self.entities() {
            let Some(by) = entity.distribution.distribution_field() else { continue };
            for key in entity.keys.iter().filter(|key| !key.fields.contains(&by)) {
                notes.push(Note {
                    kind: NoteKind::Distributed,
                    subject: format!(
                        "{} ({})",
                        self.qualified_name(entity.id),
                        self.names(&key.fields)
                    )
                    .into(),
                    message: format!(
                        "each look-up by this key asks all servers, because the distribution column \
                         {} is not part of it.",
                        self[by].name
                    )
                    .into(),
                    remedy: "add the distribution column to the key.".into(),
                });
            }
        }
        self.notes.extend(notes);
    }

    fn names(&self, fields: &[FieldId]) -> String {
        fields.iter().map(|field| &*self[*field].name).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;
    use crate::builder::{Builder, NewField, NewRelationship};
    use crate::catalog::{Capabilities, Catalog};
    use crate::entity::{EntityKind, Key, KeyKind};
    use crate::ids::{EntityId, FieldId};
    use crate::types::{Scalar, Type};

    /// Tables `plan (id)`, `company (id, plan)` and `campaign (company, id)`, which refer to each other.
    fn catalog(distribute: impl Fn(&mut Builder, &[EntityId], &[FieldId])) -> Catalog {
        let mut builder = Builder::new(Capabilities::default());
        let mut entities = Vec::new();
        let mut fields = Vec::new();
        for (name, own) in
            [("plan", &["id"][..]), ("company", &["id", "plan"]), ("campaign", &["company", "id"])]
        {
            let entity = builder.entity(None, name.into(), EntityKind::Table, None);
            entities.push(entity);
            for name in own {
                fields.push(builder.field(
                    entity,
                    NewField {
                        name: (*name).into(),
                        r#type: Type::Scalar(Scalar::Int32),
                        nullable: false,
                        has_default: false,
                        generated: None,
                        description: None,
                    },
                ));
            }
        }
        for (name, from, from_field, to, to_field) in
            [("of_plan", 1, 2, 0, 0), ("of_company", 2, 3, 1, 1)]
        {
            builder.relationship(NewRelationship {
                name: name.into(),
                from: entities[from],
                from_fields: vec![fields[from_field]],
                to: entities[to],
                to_fields: vec![fields[to_field]],
                description: None,
            });
        }
        builder.key(
            entities[2],
            Key {
                name: "campaign_id".into(),
                kind: KeyKind::Unique,
                fields: vec![fields[4]],
                enforced: true,
                deferrable: false,
                description: None,
            },
        );
        distribute(&mut builder, &entities, &fields);
        builder.finish()
    }

    fn by_company(builder: &mut Builder, entities: &[EntityId], fields: &[FieldId]) {
        builder.distribute(entities[0], Distribution::Reference);
        let distributed = |by| Distribution::Distributed { by, colocation: 7 };
        builder.distribute(entities[1], distributed(fields[1]));
        builder.distribute(entities[2], distributed(fields[3]));
    }

    /// Whether rows are on one server, for each relationship and from both ends.
    fn colocated(catalog: &Catalog) -> Vec<[bool; 2]> {
        let ends = catalog.relationships().map(|one| (one.id, one.from, one.to));
        ends.map(|(id, from, to)| [from, to].map(|near| catalog.is_colocated(id, near))).collect()
    }

    #[test]
    fn rows_of_one_group_and_of_reference_tables_are_on_one_server() {
        assert_eq!(colocated(&catalog(|_, _, _| ())), [[true, true], [true, true]]);
        assert_eq!(colocated(&catalog(by_company)), [[true, false], [true, true]]);
        let of_other_groups = catalog(|builder, entities, fields| {
            by_company(builder, entities, fields);
            let other = Distribution::Distributed { by: fields[3], colocation: 8 };
            builder.distribute(entities[2], other);
        });
        assert_eq!(colocated(&of_other_groups), [[true, false], [false, false]]);
        let by_another_column = catalog(|builder, entities, fields| {
            by_company(builder, entities, fields);
            let other = Distribution::Distributed { by: fields[4], colocation: 7 };
            builder.distribute(entities[2], other);
        });
        assert_eq!(colocated(&by_another_column), [[true, false], [false, false]]);
        let of_schemas = catalog(|builder, entities, _| {
            for entity in entities {
                builder.distribute(*entity, Distribution::Single { colocation: 3 });
            }
        });
        assert_eq!(colocated(&of_schemas), [[true, true], [true, true]]);
        let beside_local = catalog(|builder, entities, fields| {
            let distribution = Distribution::Distributed { by: fields[3], colocation: 7 };
            builder.distribute(entities[2], distribution);
        });
        assert_eq!(colocated(&beside_local), [[true, true], [false, false]]);
    }

    #[test]
    fn steps_and_keys_without_the_distribution_column_are_noted() {
        let notes = |mut catalog: Catalog| {
            catalog.note_fan_out();
            catalog.notes().iter().map(|note| note.subject.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(notes(catalog(|_, _, _| ())), Vec::<String>::new());
        assert_eq!(notes(catalog(by_company)), ["company (plan)", "campaign (id)"]);
    }
}
