//! Abilities of a database on which its tables depend.

use sql::Flavor;

/// A database for which tables are planned.
#[derive(Clone, Debug)]
pub struct Database {
    pub flavor: Flavor,
    /// The schema of the tables, where there are schemas.
    pub schema: Option<Box<str>>,
    pub trigrams: Trigrams,
    pub vectors: Vectors,
}

/// Indexes of vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vectors {
    /// True if the database has them, or can create the extension that has.
    pub are_possible: bool,
    /// Lengths of stored vectors. An index has those of one length, so one without a known length is
    /// not planned.
    pub lengths: Vec<VectorLength>,
}

/// The most frequent length of the vectors of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorLength {
    pub table: Box<str>,
    pub column: Box<str>,
    pub length: u16,
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

/// The extension of PostgreSQL that has indexes of vectors.
pub const VECTOR_EXTENSION: &str = "vector";

/// The longest vectors that an index has.
pub const MOST_DIMENSIONS: u16 = 2000;

/// The beginning of the names of Thalweg's own objects, where there are no schemas.
pub const PREFIX: &str = sql::own::OWN_PREFIX;

impl Database {
    /// A SQLite file.
    #[must_use]
    pub fn sqlite() -> Self {
        let (schema, trigrams, vectors) = (None, Trigrams::Available, Vectors::default());
        Self { flavor: Flavor::SQLITE, schema, trigrams, vectors }
    }

    /// A PostgreSQL database with tables in a schema.
    #[must_use]
    pub fn postgres(schema: &str, trigrams: Trigrams) -> Self {
        let (schema, vectors) = (Some(schema.into()), Vectors::default());
        Self { flavor: Flavor::POSTGRES, schema, trigrams, vectors }
    }
}
