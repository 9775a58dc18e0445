//! Foreign keys that no index serves, with the statements that make one.

use catalog::{Catalog, EntityId, FieldId, Note, NoteKind, Relationship, RelationshipKind};
use rustc_hash::FxHashMap;
use sql::{CreateIndex, Flavor, Identifier, TableName, print_create_index};

/// Adds a note for each foreign key of which the way back reads a whole table. `name` gives a name
/// to an index where the database finds none, `locks` says of a table that its indexes cannot be
/// made while it is written.
pub fn note_unindexed(
    catalog: &mut Catalog,
    flavor: &Flavor,
    mut name: impl FnMut(&str, &[&str]) -> Option<Box<str>>,
    locks: impl Fn(EntityId) -> bool,
) {
    let mut notes = Vec::new();
    // One index serves all foreign keys of the same columns.
    let mut statements: FxHashMap<(EntityId, &[FieldId]), String> = FxHashMap::default();
    for relationship in catalog.relationships() {
        let Relationship { kind, from, from_fields, indexed, enforced, .. } = relationship;
        if *kind != RelationshipKind::ForeignKey || *indexed || !enforced {
            continue;
        }
        let entity = &catalog[*from];
        let columns: Vec<&str> = from_fields.iter().map(|field| &*catalog[*field].name).collect();
        let table = catalog.qualified_name(*from);
        let statement = statements.entry((*from, &**from_fields)).or_insert_with(|| {
            let index = CreateIndex {
                name: name(&entity.name, &columns).map(Identifier),
                concurrently: !locks(*from),
                on: TableName {
                    schema: entity.namespace.clone().map(Identifier),
                    name: Identifier(entity.name.clone()),
                },
                columns: columns.iter().map(|column| Identifier((*column).into())).collect(),
            };
            print_create_index(&index, flavor)
        });
        notes.push(Note {
            kind: NoteKind::UnindexedRelationship,
            subject: format!("{table} ({})", columns.join(", ")).into(),
            message: format!(
                "the foreign key {} has no index on its own side, so each step back along it \
                 reads the whole table.",
                relationship.name
            )
            .into(),
            remedy: statement.as_str().into(),
        });
    }
    for note in notes {
        catalog.note(note);
    }
}
