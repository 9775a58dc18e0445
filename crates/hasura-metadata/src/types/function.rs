//! Functions: as root fields, and as computed fields of tables.

use std::collections::BTreeMap;

use crate::types::name::{GraphQlName, Name, QualifiedName};

object! {
    /// A function that is a root field.
    Function {
        required function: QualifiedName = "function",
        default configuration: FunctionConfiguration = "configuration",
        ordered permissions: FunctionPermission = "permissions",
        optional comment: String = "comment",
    }
}

keyed!(Function, "function", |function| function.function.sort_key());

object! {
    /// Names and the place of a function in the API.
    #[derive(Default)]
    FunctionConfiguration {
        optional custom_name: GraphQlName = "custom_name",
        always custom_root_fields: FunctionRootFields = "custom_root_fields" (
            FunctionRootFields::default()
        ),
        optional exposed_as: ExposedAs = "exposed_as",
        /// The rows that the function of a data connector returns.
        optional response: FunctionResponse = "response",
        /// The argument that receives the session variables as JSON.
        optional session_argument: Name = "session_argument",
    }
}

object! {
    /// Names of the root fields of a function.
    #[derive(Default)]
    FunctionRootFields {
        optional function: GraphQlName = "function",
        optional function_aggregate: GraphQlName = "function_aggregate",
    }
}

choice! {
    /// The root type of a function.
    ExposedAs { Query = "query", Mutation = "mutation" }
}

object! {
    /// The table whose rows a function of a data connector returns.
    FunctionResponse {
        required table: QualifiedName = "table",
        required r#type: FunctionResponseType = "type",
    }
}

choice! {
    /// What a function of a data connector returns.
    FunctionResponseType { Table = "table" }
}

object! {
    /// A role that may call a function.
    FunctionPermission {
        required role: Name = "role",
    }
}

keyed!(FunctionPermission, "role of the function", |permission| permission.role.text.clone());

object! {
    /// A field of a table whose value is that of a function of the row.
    ComputedField {
        required name: Name = "name",
        required definition: ComputedFieldDefinition = "definition",
        /// An empty text removes the description.
        optional comment: String = "comment",
    }
}

keyed!(ComputedField, "computed field", |field| field.name.text.clone());

object! {
    /// The function of a computed field.
    ComputedFieldDefinition {
        /// Columns of arguments, in BigQuery.
        optional argument_mapping: BTreeMap<String, Name> = "argument_mapping",
        required function: QualifiedName = "function",
        /// The table whose rows the function returns, in BigQuery.
        optional return_table: QualifiedName = "return_table",
        /// The argument that receives the session variables as JSON.
        optional session_argument: Name = "session_argument",
        /// The argument that receives the row; absent for the first one.
        optional table_argument: Name = "table_argument",
    }
}
