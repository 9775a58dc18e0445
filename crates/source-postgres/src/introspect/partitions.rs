//! Foreign keys of a table's partitions that the partitioned table itself, which is served, does
//! not have.

use catalog::builder::NewRelationship;
use catalog::{EntityId, FieldId, Note, NoteKind};
use rustc_hash::FxHashMap;
use sql::{Flavor, ForeignKey, Identifier, TableName, print_add_foreign_key};

use super::fill::Fill;
use super::rows::{PartitionConstraint, PartitionKey};

/// The relationships of partitioned tables whose partitions all have the same foreign key. The
/// database enforces each of these and not the whole: the next partition may be without. Notes name
/// foreign keys that only some partitions have.
pub(super) fn shared(fill: &mut Fill<'_>, keys: &[PartitionKey]) -> Vec<NewRelationship> {
    let mut numbers: FxHashMap<u32, i64> = FxHashMap::default();
    let mut shared = Vec::new();
    for key in keys {
        let Some(constraint) = &key.constraint else {
            numbers.insert(key.relation, key.number);
            note_partitions(fill, key);
            continue;
        };
        let all = numbers.get(&key.relation).copied().unwrap_or_default();
        let Some((from, from_fields)) = fill.part(key.relation, &constraint.columns) else {
            continue;
        };
        let target = &constraint.target;
        let own = Own { from, fields: &from_fields, key: constraint };
        let Some((to, to_fields)) = fill.part(target.relation, &target.columns) else {
            let why =
                format!("refers to {}.{}, which is not served", target.namespace, target.name);
            let remedy = fill.remedy(target);
            own.note(fill, &own.left_out(&why), remedy);
            continue;
        };
        let statement = own.statement(fill, to, &to_fields);
        if key.number < all {
            let why = format!("stands on {} of its {all} partitions only", key.number);
            own.note(fill, &own.left_out(&why), statement);
            continue;
        }
        let message = format!(
            "the foreign key {} stands on each partition and not on the table; it is served as a \
             relation, though the next partition may be without.",
            constraint.name
        );
        own.note(fill, &message, statement);
        shared.push(NewRelationship {
            name: constraint.name.as_str().into(),
            from,
            from_fields,
            to,
            to_fields,
            description: None,
        });
    }
    shared
}

fn note_partitions(fill: &mut Fill<'_>, key: &PartitionKey) {
    let Some((entity, _)) = fill.part(key.relation, &[]) else { return };
    let subject = fill.subject(entity, &[]);
    fill.builder.note(Note {
        kind: NoteKind::Partitioned,
        subject: subject.into(),
        message: format!(
            "it is served as one table, with the rows of all partitions ({}), which are not served \
             by themselves.",
            key.number
        )
        .into(),
        remedy: "where one partition is wanted, create a view over it.".into(),
    });
}

/// A foreign key of partitions, by the fields of the partitioned table.
#[derive(Clone, Copy)]
struct Own<'k> {
    from: EntityId,
    fields: &'k [FieldId],
    key: &'k PartitionConstraint,
}

impl Own<'_> {
    fn left_out(self, why: &str) -> String {
        format!("the foreign key {} {why}: there is no relation.", self.key.name)
    }

    fn note(self, fill: &mut Fill<'_>, message: &str, remedy: String) {
        let subject = fill.subject(self.from, &[" ", &self.key.name]);
        fill.builder.note(Note {
            kind: NoteKind::Partitioned,
            subject: subject.into(),
            message: message.into(),
            remedy: remedy.into(),
        });
    }

    /// The statement that puts the foreign key on the table.
    fn statement(self, fill: &Fill<'_>, to: EntityId, to_fields: &[FieldId]) -> String {
        let catalog = fill.builder.catalog();
        let table = |entity: EntityId| TableName {
            schema: catalog[entity].namespace.clone().map(Identifier),
            name: Identifier(catalog[entity].name.clone()),
        };
        let names = |fields: &[FieldId]| {
            fields.iter().map(|field| Identifier(catalog[*field].name.clone())).collect()
        };
        let key = ForeignKey {
            on: table(self.from),
            columns: names(self.fields),
            to: table(to),
            target_columns: names(to_fields),
        };
        print_add_foreign_key(&key, &Flavor::POSTGRES)
    }
}
