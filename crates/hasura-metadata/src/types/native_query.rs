//! Root fields of statements and of stored procedures.

use std::collections::BTreeMap;

use crate::types::logical_model::ReturnedModel;
use crate::types::name::{GraphQlName, Name, QualifiedName};
use crate::types::relationship::ManualConfiguration;

object! {
    /// A root field whose rows are those of a statement.
    NativeQuery {
        always arguments: BTreeMap<String, QueryArgument> = "arguments" (BTreeMap::new()),
        always array_relationships: Vec<QueryRelationship> = "array_relationships" (Vec::new()),
        /// The statement, with arguments in double braces.
        required code: String = "code",
        optional description: String = "description",
        always object_relationships: Vec<QueryRelationship> = "object_relationships" (Vec::new()),
        /// The logical model of the rows.
        required returns: ReturnedModel = "returns",
        required root_field_name: GraphQlName = "root_field_name",
        optional r#type: NativeQueryType = "type",
    }
}

keyed!(NativeQuery, "native query", |query| query.root_field_name.0.text.clone());

choice! {
    /// The root type of a native query.
    NativeQueryType { Query = "query" }
}

object! {
    /// The type of an argument of a statement or procedure.
    QueryArgument {
        optional description: String = "description",
        always nullable: bool = "nullable" (false),
        /// A type of the database.
        required r#type: Name = "type",
    }
}

object! {
    /// A relationship between native queries.
    QueryRelationship {
        required name: Name = "name",
        required using: ManualConfiguration = "using",
        optional comment: String = "comment",
    }
}

object! {
    /// A root field whose rows are those of a stored procedure.
    StoredProcedure {
        always arguments: BTreeMap<String, QueryArgument> = "arguments" (BTreeMap::new()),
        always array_relationships: Vec<QueryRelationship> = "array_relationships" (Vec::new()),
        required configuration: StoredProcedureConfiguration = "configuration",
        optional description: String = "description",
        required returns: Name = "returns",
        required stored_procedure: QualifiedName = "stored_procedure",
    }
}

keyed!(StoredProcedure, "stored procedure", |procedure| procedure.stored_procedure.sort_key());

object! {
    /// The name and the root type of a stored procedure.
    StoredProcedureConfiguration {
        optional custom_name: GraphQlName = "custom_name",
        required exposed_as: NativeQueryType = "exposed_as",
    }
}
