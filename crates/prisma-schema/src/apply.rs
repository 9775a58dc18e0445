//! The names, relations and types of a schema in a catalog.
//!
//! Two ways were weighed: each dialect reads the schema by itself, as it reads its own metadata and
//! tags; or the catalog has the names, and each dialect asks for them where it makes its own. The
//! second is one stage for all dialects, and a dialect knows nothing of Prisma.
//!
//! * `tables`: the tables of models, and those without one
//! * `columns`: fields and their types; `defaults`: their defaults
//! * `enums`: enums and their values
//! * `keys`: ids and unique fields
//! * `relations`: foreign keys, and tables of pairs

mod columns;
mod defaults;
mod enums;
mod keys;
mod relations;
mod tables;

use catalog::{Catalog, EntityId, FieldId, Note, NoteKind};

use crate::mistake::{At, Collected, Mistakes, place};
use crate::model::{FieldIndex, Provider, RelationMode, Schema};

/// Gives the parts of a catalog the names of a schema, declares the relations that the source lacks,
/// and leaves out what the schema leaves out or does not have. Parts without effect become notes.
///
/// # Errors
///
/// The parts of the schema that contradict the source.
pub fn apply(catalog: &mut Catalog, schema: &Schema) -> Result<(), Mistakes> {
    let mut stage = Stage {
        catalog,
        schema,
        mistakes: Collected::default(),
        entities: Vec::new(),
        fields: Vec::new(),
        joins: Vec::new(),
    };
    if stage.fits_provider() {
        stage.find_tables();
        stage.find_columns();
        stage.name_enums();
        stage.note_keys();
        stage.name_relations();
        stage.leave_out_rest();
        stage.note_datasource();
    }
    match stage.mistakes.is_empty() {
        true => Ok(()),
        false => Err(stage.mistakes.into_mistakes(&schema.files)),
    }
}

struct Stage<'s> {
    catalog: &'s mut Catalog,
    schema: &'s Schema,
    mistakes: Collected,
    /// By model; `None` if the source lacks its table.
    entities: Vec<Option<EntityId>>,
    /// By model and field; `None` for relations, and for what the source lacks.
    fields: Vec<Vec<Option<FieldId>>>,
    /// Tables of pairs.
    joins: Vec<EntityId>,
}

impl Stage<'_> {
    fn mistake(&mut self, at: At, message: String) {
        self.mistakes.add(at, message);
    }

    /// Adds a note about a part of the schema.
    fn note(&mut self, kind: NoteKind, (at, of): (At, &str), message: &str, remedy: &str) {
        let (file, line, _) = place(at, &self.schema.files);
        self.catalog.note(Note {
            kind,
            subject: format!("{of} ({file}, line {line})").into(),
            message: message.into(),
            remedy: remedy.into(),
        });
    }

    fn entity(&self, model: usize) -> Option<EntityId> {
        self.entities.get(model).copied().flatten()
    }

    fn field(&self, model: usize, field: usize) -> Option<FieldId> {
        self.fields.get(model)?.get(field).copied().flatten()
    }

    fn fields_of(&self, model: usize, fields: &[usize]) -> Option<Vec<FieldId>> {
        fields.iter().map(|field| self.field(model, *field)).collect()
    }

    /// True if both the field and its model are in the API.
    fn is_shown(&self, index: FieldIndex) -> bool {
        self.schema.is_shown(index)
    }

    /// True if the source is of the provider; another one is the only mistake.
    fn fits_provider(&mut self) -> bool {
        let Some(datasource) = &self.schema.datasource else { return true };
        // Only SQLite has values of any type in any column.
        let (found, own) = match self.catalog.capabilities().any_values {
            true => (Provider::Sqlite, "a SQLite file: the provider is \"sqlite\""),
            false => (Provider::Postgres, "PostgreSQL: the provider is \"postgresql\""),
        };
        if datasource.provider != found {
            let message = format!("the schema is for another database. The source is {own}.");
            self.mistake(datasource.at, message);
        }
        datasource.provider == found
    }

    fn note_datasource(&mut self) {
        let Some(datasource) = &self.schema.datasource else { return };
        if datasource.relation_mode == RelationMode::Prisma {
            self.note(
                NoteKind::Unserved,
                (datasource.at, "relationMode"),
                "Prisma Client keeps relations whole in this mode. The API does not: `onDelete` and \
                 `onUpdate` have no effect, and rows may refer to ones that are not there.",
                "add foreign keys to the database.",
            );
        }
    }
}
