//! Kinds of sources. The forms of names and configurations depend on the kind, so that the reader
//! knows it.

use std::fmt;

/// The kind of a source's database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceKind {
    Postgres,
    Citus,
    Cockroach,
    /// AlloyDB.
    Alloy,
    Mssql,
    BigQuery,
    MySql,
    /// A database behind an agent, by the name of the agent.
    DataConnector(String),
}

impl SourceKind {
    /// The texts of metadata; `agent` stands for the names of agents.
    pub(crate) const TEXTS: &'static [&'static str] =
        &["postgres", "citus", "cockroach", "alloy", "mssql", "bigquery", "mysql", "agent"];

    pub(crate) fn find(text: &str) -> Self {
        match text {
            "postgres" | "pg" => Self::Postgres,
            "citus" => Self::Citus,
            "cockroach" => Self::Cockroach,
            "alloy" => Self::Alloy,
            "mssql" => Self::Mssql,
            "bigquery" => Self::BigQuery,
            "mysql" => Self::MySql,
            agent => Self::DataConnector(agent.to_owned()),
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Postgres => "postgres",
            Self::Citus => "citus",
            Self::Cockroach => "cockroach",
            Self::Alloy => "alloy",
            Self::Mssql => "mssql",
            Self::BigQuery => "bigquery",
            Self::MySql => "mysql",
            Self::DataConnector(agent) => agent,
        }
    }

    /// True for PostgreSQL and the databases that speak its protocol.
    #[must_use]
    pub fn is_served(&self) -> bool {
        match self {
            Self::Postgres | Self::Citus | Self::Cockroach | Self::Alloy => true,
            Self::Mssql | Self::BigQuery | Self::MySql | Self::DataConnector(_) => false,
        }
    }

    /// The schema of names without one.
    pub(crate) fn default_schema(&self) -> Option<&'static str> {
        match self {
            Self::Postgres | Self::Citus | Self::Cockroach | Self::Alloy => Some("public"),
            Self::Mssql => Some("dbo"),
            Self::BigQuery | Self::MySql | Self::DataConnector(_) => None,
        }
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
