//! Remote schemas: GraphQL servers whose fields are part of the API.

use std::collections::BTreeMap;

use crate::problem::ProblemKind;
use crate::reader::{Reader, report_duplicates};
use crate::types::name::{GraphQlName, Name};
use crate::types::remote_relationship::RemoteRelationship;
use crate::types::webhook::Header;

object! {
    /// A GraphQL server whose fields are part of the API.
    RemoteSchema {
        required name: Name = "name",
        required definition: RemoteSchemaDefinition = "definition",
        optional comment: String = "comment",
        ordered permissions: RemoteSchemaPermission = "permissions",
        ordered remote_relationships: RemoteTypeRelationships = "remote_relationships",
    }
}

keyed!(RemoteSchema, "remote schema", |schema| schema.name.text.clone());

object! {
    /// The address of a remote schema, and changes of its names.
    RemoteSchemaDefinition, then check_url {
        optional url: String = "url",
        optional url_from_env: String = "url_from_env",
        optional timeout_seconds: u64 = "timeout_seconds",
        optional customization: RemoteSchemaCustomization = "customization",
        default headers: Vec<Header> = "headers",
        omitted forward_client_headers: bool = "forward_client_headers" (false),
    }
}

fn check_url(definition: &mut RemoteSchemaDefinition, reader: &mut Reader) -> Option<()> {
    if definition.url.is_some() != definition.url_from_env.is_some() {
        return Some(());
    }
    let message = "One of the keys url and url_from_env is wanted.";
    reader.report(ProblemKind::WrongValue, &definition.place.mark, message.into());
    None
}

object! {
    /// Changes of the names of a remote schema.
    RemoteSchemaCustomization {
        default field_names: Vec<RemoteFieldNames> = "field_names",
        optional root_fields_namespace: GraphQlName = "root_fields_namespace",
        optional type_names: RemoteTypeNames = "type_names",
    }
}

object! {
    /// Changes of the names of a type's fields.
    RemoteFieldNames {
        always mapping: BTreeMap<String, GraphQlName> = "mapping" (BTreeMap::new()),
        required parent_type: GraphQlName = "parent_type",
        optional prefix: GraphQlName = "prefix",
        optional suffix: GraphQlName = "suffix",
    }
}

object! {
    /// Changes of the names of types.
    RemoteTypeNames {
        always mapping: BTreeMap<String, GraphQlName> = "mapping" (BTreeMap::new()),
        optional prefix: GraphQlName = "prefix",
        optional suffix: GraphQlName = "suffix",
    }
}

object! {
    /// The part of a remote schema that a role sees.
    RemoteSchemaPermission {
        required role: Name = "role",
        required definition: RemoteSchemaPermissionDefinition = "definition",
        optional comment: String = "comment",
    }
}

keyed!(RemoteSchemaPermission, "role of the remote schema", |entry| entry.role.text.clone());

object! {
    /// The schema of a role.
    RemoteSchemaPermissionDefinition {
        /// Type definitions, with `@preset` on arguments.
        required schema: String = "schema",
    }
}

object! {
    /// Relationships from a type of a remote schema.
    RemoteTypeRelationships, then check_relationships {
        always relationships: Vec<RemoteRelationship> = "relationships" (Vec::new()),
        required type_name: GraphQlName = "type_name",
    }
}

fn check_relationships(r#type: &mut RemoteTypeRelationships, reader: &mut Reader) -> Option<()> {
    report_duplicates(&r#type.relationships, reader);
    Some(())
}

keyed!(RemoteTypeRelationships, "type of the remote schema", |relationships| {
    relationships.type_name.0.text.clone()
});
