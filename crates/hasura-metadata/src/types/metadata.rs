//! The root of metadata.

use crate::json::Json;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Read, Reader};
use crate::types::action::{Action, CustomTypes};
use crate::types::event_trigger::CronTrigger;
use crate::types::limits::ApiLimits;
use crate::types::query_collection::{AllowListEntry, QueryCollection, RestEndpoint};
use crate::types::remote_schema::RemoteSchema;
use crate::types::settings::{
    BackendConfigurations, InheritedRole, MetricsConfiguration, Network, OpenTelemetry,
    SchemaIntrospection,
};
use crate::types::source::KnownSource;

object! {
    /// Metadata of version 3.
    Metadata {
        required version: Version = "version",
        required_list sources: KnownSource = "sources",
        list remote_schemas: RemoteSchema = "remote_schemas",
        list query_collections: QueryCollection = "query_collections",
        list allowlist: AllowListEntry = "allowlist",
        list actions: Action = "actions",
        default custom_types: CustomTypes = "custom_types",
        list cron_triggers: CronTrigger = "cron_triggers",
        list rest_endpoints: RestEndpoint = "rest_endpoints",
        default api_limits: ApiLimits = "api_limits",
        default metrics_config: MetricsConfiguration = "metrics_config",
        list inherited_roles: InheritedRole = "inherited_roles",
        default graphql_schema_introspection: SchemaIntrospection = "graphql_schema_introspection",
        default network: Network = "network",
        default backend_configs: BackendConfigurations = "backend_configs",
        optional opentelemetry: OpenTelemetry = "opentelemetry",
    }
}

/// Version 3, to which older ones are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version;

impl Version {
    pub(crate) const NUMBER: u64 = 3;
}

impl Read for Version {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Number(number) if number.as_u64() == Some(Self::NUMBER) => Some(Self),
            Value::Number(number) => {
                let message = format!("Version {number} of metadata is unknown: 1, 2 and 3 are.");
                reader.wrong(node, message)
            }
            _ => reader.expected(node, "the number of a version"),
        }
    }
}

impl Write for Version {
    fn write(&self) -> Json {
        Json::Number(Self::NUMBER.into())
    }
}

impl Metadata {
    /// The JSON that Hasura's `export_metadata` returns, with its order of keys and lists.
    #[must_use]
    pub fn to_json(&self) -> Json {
        self.write()
    }

    pub(crate) fn keys() -> &'static [&'static str] {
        Self::KEYS
    }
}
