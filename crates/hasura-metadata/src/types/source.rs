//! Sources: databases with what is tracked of them.

use serde_json::Number;

use crate::json::Json;
pub use crate::kind::SourceKind;
use crate::node::Node;
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::connection::SourceConfiguration;
use crate::types::function::Function;
use crate::types::logical_model::LogicalModel;
use crate::types::name::{GraphQlName, Name};
use crate::types::native_query::{NativeQuery, StoredProcedure};
use crate::types::table::Table;

impl Read for SourceKind {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let kind = Self::find(&Name::read(node, reader)?);
        let text = Self::TEXTS.iter().find(|text| **text == kind.as_str());
        reader.note_unserved(&node.mark, "SourceKind", text.unwrap_or(&"agent"));
        Some(kind)
    }

    fn describe(description: &mut Description) {
        description.add_choice("SourceKind", Self::TEXTS);
    }
}

impl Write for SourceKind {
    fn write(&self) -> Json {
        Json::String(self.as_str().to_owned())
    }
}

/// A source as a part of metadata. The kind is known before the rest is read, since forms of names
/// and of the configuration depend on it.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownSource(pub Source);

object! {
    /// A source.
    Source {
        required name: Name = "name",
        always kind: SourceKind = "kind" (SourceKind::Postgres),
        required_list tables: Table = "tables",
        list functions: Function = "functions",
        list native_queries: NativeQuery = "native_queries",
        list stored_procedures: StoredProcedure = "stored_procedures",
        list logical_models: LogicalModel = "logical_models",
        required configuration: SourceConfiguration = "configuration",
        optional query_tags: QueryTags = "query_tags",
        default customization: SourceCustomization = "customization",
        optional health_check: HealthCheck = "health_check",
    }
}

object! {
    /// Changes of names in the API of a source.
    #[derive(Default)]
    SourceCustomization {
        optional naming_convention: NamingConvention = "naming_convention",
        optional root_fields: RootFieldsCustomization = "root_fields",
        optional type_names: TypeNamesCustomization = "type_names",
    }
}

object! {
    /// Changes of the names of root fields.
    #[derive(Default)]
    RootFieldsCustomization {
        /// A root field that contains those of the source.
        optional namespace: GraphQlName = "namespace",
        optional prefix: GraphQlName = "prefix",
        optional suffix: GraphQlName = "suffix",
    }
}

object! {
    /// Changes of the names of types.
    #[derive(Default)]
    TypeNamesCustomization {
        optional prefix: GraphQlName = "prefix",
        optional suffix: GraphQlName = "suffix",
    }
}

choice! {
    /// The case of generated names.
    NamingConvention { HasuraDefault = "hasura-default", GraphQlDefault = "graphql-default" }
}

object! {
    /// Comments in statements that name the operation.
    QueryTags {
        omitted disabled: bool = "disabled" (false),
        optional format: QueryTagsFormat = "format",
        omitted omit_request_id: bool = "omit_request_id" (true),
    }
}

choice! {
    /// The form of query tags.
    QueryTagsFormat { Standard = "standard", SqlCommenter = "sqlcommenter" }
}

object! {
    /// A statement that tests the connections of a source from time to time.
    HealthCheck {
        required interval: Number = "interval",
        omitted retries: u64 = "retries" (3),
        optional retry_interval: Number = "retry_interval",
        optional test: HealthCheckTest = "test",
        optional timeout: Number = "timeout",
    }
}

object! {
    /// The statement of a health check.
    HealthCheckTest {
        optional sql: String = "sql",
    }
}

impl Read for KnownSource {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        reader.source_kind = SourceKind::find(node.find_text("kind").unwrap_or("postgres"));
        let source = Source::read(node, reader);
        reader.source_kind = SourceKind::Postgres;
        source.map(Self)
    }

    fn describe(description: &mut Description) {
        Source::describe(description);
    }
}

impl Write for KnownSource {
    fn write(&self) -> Json {
        self.0.write()
    }
}

impl std::ops::Deref for KnownSource {
    type Target = Source;

    fn deref(&self) -> &Source {
        &self.0
    }
}

keyed!(KnownSource, "source", |source| source.name.text.clone());
