//! Tracked tables and views.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::location::Location;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::event_trigger::EventTrigger;
use crate::types::function::ComputedField;
use crate::types::name::{GraphQlName, Name, QualifiedName};
use crate::types::permission::{
    DeletePermissionEntry, InsertPermissionEntry, SelectPermissionEntry, TablePermissions,
    UpdatePermissionEntry,
};
use crate::types::relationship::{ArrayRelationship, ObjectRelationship};
use crate::types::remote_relationship::RemoteRelationship;

object! {
    /// A tracked table or view.
    Table {
        required table: QualifiedName = "table",
        /// The logical model that types the table, in sources of data connectors.
        optional logical_model: Name = "logical_model",
        omitted is_enum: bool = "is_enum" (false),
        default configuration: TableConfiguration = "configuration",
        list object_relationships: ObjectRelationship = "object_relationships",
        list array_relationships: ArrayRelationship = "array_relationships",
        list computed_fields: ComputedField = "computed_fields",
        list remote_relationships: RemoteRelationship = "remote_relationships",
        list insert_permissions: InsertPermissionEntry = "insert_permissions",
        list select_permissions: SelectPermissionEntry = "select_permissions",
        list update_permissions: UpdatePermissionEntry = "update_permissions",
        list delete_permissions: DeletePermissionEntry = "delete_permissions",
        list event_triggers: EventTrigger = "event_triggers",
        optional apollo_federation_config: ApolloFederation = "apollo_federation_config",
    }
}

impl Table {
    /// Takes the permissions of all roles out of the table.
    pub fn take_permissions(&mut self) -> TablePermissions {
        TablePermissions {
            insert: std::mem::take(&mut self.insert_permissions),
            select: std::mem::take(&mut self.select_permissions),
            update: std::mem::take(&mut self.update_permissions),
            delete: std::mem::take(&mut self.delete_permissions),
        }
    }
}

keyed!(Table, "table", |table| table.table.sort_key());

object! {
    /// Names and comments of a table in the API.
    #[derive(Default)]
    TableConfiguration, then merge_column_names {
        always column_config: BTreeMap<String, ColumnConfiguration> = "column_config" (
            BTreeMap::new()
        ),
        optional comment: String = "comment",
        /// The names of `column_config`, for older versions.
        always custom_column_names: BTreeMap<String, GraphQlName> = "custom_column_names" (
            BTreeMap::new()
        ),
        optional custom_name: GraphQlName = "custom_name",
        always custom_root_fields: CustomRootFields = "custom_root_fields" (
            CustomRootFields::default()
        ),
    }
}

object! {
    /// The name and comment of a column in the API.
    #[derive(Default)]
    ColumnConfiguration {
        optional comment: String = "comment",
        optional custom_name: GraphQlName = "custom_name",
    }
}

/// Makes both keys for names of columns say the same, as Hasura does: `column_config` counts first.
fn merge_column_names(table: &mut TableConfiguration, _: &mut Reader) -> Option<()> {
    for (column, name) in &table.custom_column_names {
        let configuration = table.column_config.entry(column.clone()).or_insert_with(|| {
            ColumnConfiguration { place: name.0.place.clone(), ..Default::default() }
        });
        configuration.custom_name.get_or_insert_with(|| name.clone());
    }
    let names = table.column_config.iter();
    let names = names.filter_map(|(column, configuration)| {
        Some((column.clone(), configuration.custom_name.clone()?))
    });
    table.custom_column_names = names.collect();
    Some(())
}

object! {
    /// Names of the root fields of a table.
    #[derive(Default)]
    CustomRootFields {
        optional delete: CustomRootField = "delete",
        optional delete_by_pk: CustomRootField = "delete_by_pk",
        optional insert: CustomRootField = "insert",
        optional insert_one: CustomRootField = "insert_one",
        optional select: CustomRootField = "select",
        optional select_aggregate: CustomRootField = "select_aggregate",
        optional select_by_pk: CustomRootField = "select_by_pk",
        optional select_stream: CustomRootField = "select_stream",
        optional update: CustomRootField = "update",
        optional update_by_pk: CustomRootField = "update_by_pk",
        optional update_many: CustomRootField = "update_many",
    }
}

/// The name and the description of a root field.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomRootField {
    pub place: Location,
    pub name: Option<GraphQlName>,
    /// An empty text removes the description.
    pub comment: Option<String>,
}

impl CustomRootField {
    const KEYS: &'static [&'static str] = &["name", "comment"];
}

impl Read for CustomRootField {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let place = reader.place(&node.mark);
        if let Value::String(_) = &node.value {
            let name = GraphQlName::read(node, reader)?;
            return Some(Self { place, name: Some(name), comment: None });
        }
        let object = reader.object(node, "CustomRootField", Self::KEYS)?;
        let name = reader.optional(object, "name");
        let comment = reader.optional(object, "comment");
        Some(Self { place, name: name?, comment: comment? })
    }

    fn describe(description: &mut Description) {
        description.add("CustomRootField", Self::KEYS);
    }
}

impl Write for CustomRootField {
    fn write(&self) -> Json {
        let name = self.name.as_ref().map_or(Json::Null, Write::write);
        match &self.comment {
            None => name,
            Some(comment) => Json::Object(vec![
                ("comment".to_owned(), comment.write()),
                ("name".to_owned(), name),
            ]),
        }
    }
}

object! {
    /// Makes the type of a table an entity of Apollo Federation.
    ApolloFederation {
        required enable: FederationVersion = "enable",
    }
}

choice! {
    /// The version of Apollo Federation.
    FederationVersion { V1 = "v1" }
}
