//! Abilities of a database on which its tables depend.

use sql::Flavor;

/// A database for which tables are planned.
#[derive(Clone, Debug)]
pub struct Database {
    pub flavor: Flavor,
    /// The schema of the tables, where there are schemas.
    pub schema: Option<Box<str>>,
    /// Support of indexes of parts of texts.
    pub trigrams: ExtensionSupport,
    pub vectors: Vectors,
}

/// Indexes of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vectors {
    pub support: ExtensionSupport,
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

/// Whether a database has indexes that are an extension's in PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionSupport {
    Available,
    /// A migration has to create the extension first.
    Creatable,
    Missing,
}

/// The extension of PostgreSQL that has indexes of parts of texts.
pub const TRIGRAM_EXTENSION: &str = "pg_trgm";

/// The extension of PostgreSQL that has indexes of vectors.
pub const VECTOR_EXTENSION: &str = "vector";

/// The first version of this extension with HNSW indexes.
pub const OLDEST_VECTOR_EXTENSION: [i32; 2] = [0, 5];

/// The longest vectors that an index has.
pub const MOST_DIMENSIONS: u16 = 2000;

impl Database {
    /// A SQLite file.
    #[must_use]
    pub fn sqlite() -> Self {
        let trigrams = ExtensionSupport::Available;
        let vectors = Vectors { support: ExtensionSupport::Missing, lengths: Vec::new() };
        Self { flavor: Flavor::SQLITE, schema: None, trigrams, vectors }
    }

    /// A PostgreSQL database with tables in a schema.
    #[must_use]
    pub fn postgres(schema: &str, trigrams: ExtensionSupport, vectors: ExtensionSupport) -> Self {
        let vectors = Vectors { support: vectors, lengths: Vec::new() };
        Self { flavor: Flavor::POSTGRES, schema: Some(schema.into()), trigrams, vectors }
    }
}
