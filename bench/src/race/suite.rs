//! The suites: a folder each in `bench/suites`, in the form that `bench/README.md` tells.

mod choose;
mod load;
mod types;
pub(crate) mod variables;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(crate) use choose::{choose, without_floor};
pub(crate) use load::load;
use variables::Rule;

/// The name of the file of a suite.
pub(super) const FILE: &str = "suite.toml";

/// Data, and the queries that are sent.
#[derive(Clone, Debug)]
pub(crate) struct Suite {
    /// The name of the folder.
    pub(crate) id: String,
    pub(crate) folder: PathBuf,
    /// The folder that has `queries` and `floors`.
    pub(crate) texts: PathBuf,
    pub(crate) file: SuiteFile,
    pub(crate) queries: Vec<Query>,
}

/// `suite.toml` as it stands there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuiteFile {
    pub(crate) title: String,
    /// A sentence for the report.
    #[serde(default)]
    pub(crate) about: String,
    pub(crate) sources: Vec<Source>,
    /// The dialect of a contestant that has several.
    pub(crate) dialect: String,
    /// Features that a contestant switches on for these queries, by names that its file explains.
    #[serde(default)]
    pub(crate) features: Vec<String>,
    /// The suite whose queries and floors are asked, where they are not its own.
    #[serde(default)]
    pub(crate) texts_of: Option<String>,
    /// Whether it is measured only where `--suite` names it.
    #[serde(default)]
    pub(crate) only_named: bool,
    /// The type definitions of a graph.
    #[serde(default)]
    pub(crate) types: Option<Types>,
    /// A file of the folder, for contestants that serve by policies.
    #[serde(default)]
    pub(crate) policies: Option<String>,
    pub(crate) data: Data,
    pub(crate) queries: Vec<QueryFile>,
}

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    Postgres,
    Sqlite,
    Neo4j,
}

/// The type definitions of a graph.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Types {
    /// Files beside the folders of texts, by dialect.
    pub(crate) files: BTreeMap<String, String>,
    /// The number of types without queries that follow those of the file.
    #[serde(default)]
    pub(crate) others: u32,
}

/// The origin of the rows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Data {
    /// One of those that `race/data` has.
    Generator(Generator),
    /// Files of the folder, run in this order.
    Scripts(BTreeMap<Source, Vec<String>>),
    /// A file that is given on the command line; without it the suite takes no part.
    Given(Given),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Generator {
    /// The project's sample.
    Shop,
    /// Venues, meetups, members, and who comes: 100,000 rows each.
    Meetups,
    /// A graph of movies and people, as large as Neo4j's own sample.
    Movies,
    /// A graph of the same form with 4,000 movies and 6,000 people.
    ManyMovies,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Given {
    /// `--chinook FILE`.
    Chinook,
}

/// One of `[[queries]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryFile {
    pub(crate) id: String,
    /// The beginning of the names of its files, where it is not the id: one text may be asked with
    /// different variables.
    #[serde(default)]
    text: Option<String>,
    pub(crate) title: String,
    #[serde(default = "closed_only")]
    pub(crate) loads: Vec<LoadKind>,
    /// The connections of the closed loops; all of the run's where there are none.
    #[serde(default)]
    pub(crate) connections: Vec<u32>,
    /// Whether `--quick` measures it.
    #[serde(default)]
    pub(crate) quick: bool,
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, Rule>,
    /// The rows that a mutation writes.
    #[serde(default)]
    pub(crate) writes: Option<Writes>,
}

/// The rows of a mutation: a row for each request, with the variables in the columns of their
/// names, and a number that the database makes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Writes {
    pub(crate) table: String,
    /// The column of the number, and the member of the answers that tells it.
    pub(crate) key: String,
    /// The numbers of all rows that were written are above it.
    pub(crate) after: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoadKind {
    Closed,
    Constant,
    Burst,
    Users,
}

/// A query with its texts.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) file: QueryFile,
    /// The document by dialect.
    pub(crate) texts: BTreeMap<String, String>,
}

impl QueryFile {
    /// The beginning of the names of its files.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.id)
    }
}

impl Source {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
            Self::Neo4j => "neo4j",
        }
    }

    /// The name as its makers write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
            Self::Neo4j => "Neo4j",
        }
    }
}

impl Suite {
    /// The name of its measurements on a source.
    pub(crate) fn name(&self, source: Source) -> String {
        format!("{}-{}", self.id, source.name())
    }
}

fn closed_only() -> Vec<LoadKind> {
    vec![LoadKind::Closed]
}
