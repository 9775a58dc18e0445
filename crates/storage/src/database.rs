//! Abilities of a database on which its tables depend.

use sql::Flavor;

/// A database for which tables are planned.
#[derive(Clone, Debug)]
pub struct Database {
    pub flavor: Flavor,
    /// The schema of the tables, where there are schemas.
    pub schema: Option<Box<str>>,
    pub trigrams: Trigrams,
}

/// Indexes of parts of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigrams {
    Available,
    /// After this extension is created.
    Creatable,
    Missing,
}

/// The extension of PostgreSQL that has indexes of parts of texts.
pub const TRIGRAM_EXTENSION: &str = "pg_trgm";

/// The beginning of the names of Thalweg's own objects, where there are no schemas.
pub const PREFIX: &str = "thalweg_";

impl Database {
    /// A SQLite file.
    #[must_use]
    pub fn sqlite() -> Self {
        Self { flavor: Flavor::SQLITE, schema: None, trigrams: Trigrams::Available }
    }

    /// A PostgreSQL database with tables in a schema.
    #[must_use]
    pub fn postgres(schema: &str, trigrams: Trigrams) -> Self {
        Self { flavor: Flavor::POSTGRES, schema: Some(schema.into()), trigrams }
    }
}
