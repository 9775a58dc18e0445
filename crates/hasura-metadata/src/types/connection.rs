//! How sources are connected.

use serde_json::Number;

use crate::json::Json;
use crate::kind::SourceKind;
use crate::node::Node;
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::name::Name;

/// The configuration of a source, by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceConfiguration {
    /// PostgreSQL, and databases with its protocol.
    Postgres(Box<PostgresConfiguration>),
    Mssql(MssqlConfiguration),
    BigQuery(BigQueryConfiguration),
    DataConnector(DataConnectorConfiguration),
    /// MySQL, whose form the last versions of Hasura do not define.
    MySql(Json),
}

impl SourceConfiguration {
    /// The connection of PostgreSQL, and of databases with its protocol.
    #[must_use]
    pub fn connection(&self) -> Option<&PostgresConnection> {
        match self {
            Self::Postgres(configuration) => Some(&configuration.connection_info),
            Self::Mssql(_) | Self::BigQuery(_) | Self::DataConnector(_) | Self::MySql(_) => None,
        }
    }
}

impl Read for SourceConfiguration {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match reader.source_kind {
            SourceKind::Postgres
            | SourceKind::Citus
            | SourceKind::Cockroach
            | SourceKind::Alloy => Box::read(node, reader).map(Self::Postgres),
            SourceKind::Mssql => Read::read(node, reader).map(Self::Mssql),
            SourceKind::BigQuery => Read::read(node, reader).map(Self::BigQuery),
            SourceKind::DataConnector(_) => Read::read(node, reader).map(Self::DataConnector),
            SourceKind::MySql => Some(Self::MySql(node.to_json())),
        }
    }

    fn describe(description: &mut Description) {
        PostgresConfiguration::describe(description);
        MssqlConfiguration::describe(description);
        BigQueryConfiguration::describe(description);
        DataConnectorConfiguration::describe(description);
    }
}

impl Write for SourceConfiguration {
    fn write(&self) -> Json {
        match self {
            Self::Postgres(configuration) => configuration.write(),
            Self::Mssql(configuration) => configuration.write(),
            Self::BigQuery(configuration) => configuration.write(),
            Self::DataConnector(configuration) => configuration.write(),
            Self::MySql(json) => json.clone(),
        }
    }
}

object! {
    /// The connections of a PostgreSQL source.
    PostgresConfiguration {
        required connection_info: PostgresConnection = "connection_info",
        optional connection_set: Vec<ConnectionSetMember> = "connection_set",
        optional connection_template: ConnectionTemplate = "connection_template",
        optional extensions_schema: Name = "extensions_schema",
        optional read_replicas: Vec<PostgresConnection> = "read_replicas",
    }
}

object! {
    /// A connection that a template chooses by its name.
    ConnectionSetMember {
        required connection_info: PostgresConnection = "connection_info",
        required name: Name = "name",
    }
}

object! {
    /// A Kriti template that chooses the connection of a request.
    ConnectionTemplate {
        required template: String = "template",
        omitted version: u64 = "version" (1),
    }
}

object! {
    /// A connection to PostgreSQL.
    PostgresConnection {
        required database_url: ConnectionUrl = "database_url",
        always isolation_level: IsolationLevel = "isolation_level" (IsolationLevel::ReadCommitted),
        optional pool_settings: PostgresPool = "pool_settings",
        optional ssl_configuration: TlsConfiguration = "ssl_configuration",
        always use_prepared_statements: bool = "use_prepared_statements" (false),
    }
}

one_of! {
    /// The address of a database.
    ConnectionUrl, text Text {
        /// The name of an environment variable.
        FromEnv(String) = "from_env",
        Parameters(ConnectionParameters) = "connection_parameters",
        /// The path of a file that contains the address.
        FromFile(String) = "dynamic_from_file",
    }
}

object! {
    /// An address in its parts.
    ConnectionParameters {
        required database: String = "database",
        required host: String = "host",
        optional password: String = "password",
        required port: u64 = "port",
        required username: String = "username",
    }
}

choice! {
    /// The isolation of transactions.
    IsolationLevel {
        ReadCommitted = "read-committed",
        RepeatableRead = "repeatable-read",
        Serializable = "serializable",
    }
}

object! {
    /// The pool of connections to PostgreSQL.
    PostgresPool {
        /// Seconds; 0 for no limit.
        optional connection_lifetime: Number = "connection_lifetime",
        optional idle_timeout: u64 = "idle_timeout",
        optional max_connections: u64 = "max_connections",
        /// Seconds.
        optional pool_timeout: Number = "pool_timeout",
        optional retries: u64 = "retries",
        optional total_max_connections: u64 = "total_max_connections",
    }
}

object! {
    /// Certificates of connections to PostgreSQL.
    TlsConfiguration {
        optional sslcert: FromEnv = "sslcert",
        optional sslkey: FromEnv = "sslkey",
        required sslmode: SslMode = "sslmode",
        optional sslpassword: TextOrEnv = "sslpassword",
        optional sslrootcert: FromEnv = "sslrootcert",
    }
}

choice! {
    /// libpq's modes. <https://www.postgresql.org/docs/current/libpq-ssl.html>
    SslMode {
        Disable = "disable",
        Allow = "allow",
        Prefer = "prefer",
        Require = "require",
        VerifyCa = "verify-ca",
        VerifyFull = "verify-full",
    }
}

object! {
    /// The value of an environment variable.
    FromEnv {
        required from_env: String = "from_env",
    }
}

one_of! {
    /// A text, or the value of an environment variable.
    TextOrEnv, text Text {
        FromEnv(String) = "from_env",
    }
}

object! {
    /// The connections of an SQL Server source.
    MssqlConfiguration {
        required connection_info: MssqlConnection = "connection_info",
        optional connection_set: Json = "connection_set",
        optional connection_template: ConnectionTemplate = "connection_template",
        optional read_replicas: Vec<MssqlConnection> = "read_replicas",
    }
}

object! {
    /// A connection to SQL Server.
    MssqlConnection {
        required connection_string: TextOrEnv = "connection_string",
        optional isolation_level: String = "isolation_level",
        optional pool_settings: MssqlPool = "pool_settings",
    }
}

object! {
    /// The pool of connections to SQL Server.
    MssqlPool {
        optional enable: bool = "enable",
        optional idle_timeout: u64 = "idle_timeout",
        optional max_connections: u64 = "max_connections",
        optional total_max_connections: u64 = "total_max_connections",
    }
}

object! {
    /// The connection of a BigQuery source.
    BigQueryConfiguration {
        required datasets: Json = "datasets",
        optional global_select_limit: Json = "global_select_limit",
        required project_id: TextOrEnv = "project_id",
        optional retry_options: Json = "retry_options",
        required service_account: Json = "service_account",
    }
}

object! {
    /// What the agent of a data connector is given.
    DataConnectorConfiguration {
        optional template: String = "template",
        optional template_variables: Json = "template_variables",
        optional timeout: Json = "timeout",
        required value: Json = "value",
    }
}
