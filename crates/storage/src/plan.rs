//! Model → tables.
//!
//! The same model gives the same tables. Names are those of the model. Names that differ in case
//! only, and names that are too long, get a number; a name that was recorded stays with the part of
//! the model for which it was found.
//!
//! * `names`: names that are unique without regard to case
//! * `entity`: the tables of entities, and their indexes
//! * `group`: the tables of groups that are referred to
//! * `relation`: columns of references, and tables of pairs

mod entity;
mod group;
mod names;
mod relation;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use sql::own::OWN_PREFIX;

pub use self::names::Names;
use crate::database::Database;
use crate::model::Model;
use crate::tables::{IndexMethod, Side, Stored, StoredValue, Table, Tables};

/// Tables of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub tables: Tables,
    /// Places of the parts of the model, by their indexes.
    pub places: Places,
    pub omitted: Vec<Omitted>,
}

/// Places of the parts of a model in its tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub entities: Vec<EntityPlace>,
    /// The table of each group that has one.
    pub groups: Vec<Option<Box<str>>>,
    pub relations: Vec<RelationPlace>,
}

/// The place of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityPlace {
    pub table: Box<str>,
    /// Columns of the primary key.
    pub key: Vec<Box<str>>,
    /// The column of each field.
    pub fields: Vec<Box<str>>,
}

/// The place of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationPlace {
    /// Columns of the rows at one end: of one table, or of the table of each member of a group.
    Columns { side: Side, tables: Vec<(Box<str>, Vec<Box<str>>)>, to: Box<str> },
    /// A table of pairs.
    Pairs { table: Box<str>, near: Vec<Box<str>>, far: Vec<Box<str>> },
}

/// An index of the model that its tables do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    pub table: Box<str>,
    pub column: Box<str>,
    pub reason: OmittedReason,
}

/// Reasons why an index is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OmittedReason {
    #[error("lists of places have no index")]
    PlacesOfList,
    #[error("places have an index only where a number is the key of the table")]
    PlacesWithoutNumberKey,
    #[error("only the extension pgvector of PostgreSQL has an index of vectors")]
    Vector,
    #[error("an index of vectors is created by `thalweg migrate` once there are some")]
    VectorLength,
    #[error("elements of lists have no index in this database")]
    Elements,
    #[error("words of lists have no index")]
    WordsOfList,
    #[error("words have an index only where a number is the key of the table")]
    WordsWithoutNumberKey,
    #[error("only texts have an index of their words")]
    WordsOfOtherType,
    #[error("the extension pg_trgm, which has the index for parts of texts, cannot be created")]
    Trigrams,
}

/// Plans the tables of a model. Recorded tables are those of the newest migration of the database.
#[must_use]
pub fn plan(model: &Model, database: &Database, recorded: &Tables) -> Plan {
    let mut planner = Planner {
        model,
        database,
        recorded,
        names: Names::default(),
        columns: HashMap::new(),
        tables: Vec::new(),
        places: Places::default(),
        omitted: Vec::new(),
    };
    planner.reserve();
    planner.entities();
    planner.groups();
    planner.relations();
    for table in &planner.tables {
        planner.names.reserve(&format!("{}_pkey", table.name));
    }
    planner.name_constraints();
    let Planner { tables, places, omitted, .. } = planner;
    Plan { tables: Tables { tables }, places, omitted }
}

struct Planner<'p> {
    model: &'p Model,
    database: &'p Database,
    recorded: &'p Tables,
    /// Names of tables, and of indexes, which must differ from them.
    names: Names,
    /// Names of columns, by their tables.
    columns: HashMap<Box<str>, Names>,
    /// Those of entities first, by their indexes.
    tables: Vec<Table>,
    places: Places,
    omitted: Vec<Omitted>,
}

impl Planner<'_> {
    /// Reserves the recorded names: a table keeps its name while there is another by the same name
    /// that is dropped.
    fn reserve(&mut self) {
        for table in &self.recorded.tables {
            self.names.reserve(&table.name);
        }
    }

    /// The name of the table that stores a part of the model.
    fn table_name(&mut self, stores: &Stored, wanted: &str) -> Box<str> {
        match self.recorded.find_stored(stores) {
            Some(table) => table.name.clone(),
            None => self.names.table(wanted),
        }
    }

    fn find_table_mut(&mut self, name: &str) -> Option<&mut Table> {
        self.tables.iter_mut().find(|table| &*table.name == name)
    }

    /// A name for a column, which no other column of the table has.
    fn column_name(&mut self, table: &str, stores: &StoredValue, wanted: &str) -> Box<str> {
        let recorded = self.recorded.find(table);
        let names = self.columns.entry(table.into()).or_insert_with(|| {
            let mut names = Names::default();
            for column in recorded.iter().flat_map(|table| &table.columns) {
                names.reserve(&column.name);
            }
            names
        });
        let mut columns = recorded.iter().flat_map(|table| &table.columns);
        match columns.find(|column| column.stores.is_same(stores)) {
            Some(column) => column.name.clone(),
            None => names.column(wanted),
        }
    }

    /// Names constraints and indexes, in the order of the tables.
    fn name_constraints(&mut self) {
        let in_virtual_tables =
            self.database.flavor.definitions.words == sql::WordIndexes::VirtualTables;
        for table in &mut self.tables {
            let name = table.name.clone();
            let called = |columns: &[Box<str>], ending: &str| {
                let mut called = format!("{name}_{}", columns.join("_"));
                called.push_str(ending);
                called
            };
            for unique in &mut table.unique {
                unique.name = self.names.take(&called(&unique.columns, "_key"));
            }
            // Foreign keys have names of their own in each table.
            let mut of_table = Names::default();
            for reference in &mut table.references {
                reference.name = of_table.take(&called(&reference.columns, "_fkey"));
            }
            for index in &mut table.indexes {
                let (ending, is_virtual) = match index.method {
                    IndexMethod::Tree | IndexMethod::Hash => ("_idx", false),
                    IndexMethod::Elements => ("_elements", false),
                    IndexMethod::Places => ("_places", in_virtual_tables),
                    IndexMethod::Vectors { .. } => ("_vectors", false),
                    IndexMethod::Words => ("_words", in_virtual_tables),
                    IndexMethod::Stems => ("_stems", in_virtual_tables),
                    IndexMethod::Trigrams => ("_trigrams", in_virtual_tables),
                };
                let mut wanted = called(&index.columns, ending);
                if is_virtual {
                    wanted.insert_str(0, OWN_PREFIX);
                }
                index.name = self.names.take(&wanted);
            }
        }
    }
}
