//! Settings of the whole server: roles, introspection, network, metrics, traces, agents.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::types::name::Name;
use crate::types::webhook::Header;

object! {
    /// A role with the permissions of others.
    InheritedRole {
        required role_name: Name = "role_name",
        required role_set: Vec<Name> = "role_set",
    }
}

keyed!(InheritedRole, "inherited role", |role| role.role_name.text.clone());

object! {
    /// Roles that cannot read the schema.
    #[derive(Default)]
    SchemaIntrospection {
        always disabled_for_roles: Vec<Name> = "disabled_for_roles" (Vec::new()),
    }
}

object! {
    /// Settings of connections to other servers.
    #[derive(Default)]
    Network {
        always tls_allowlist: Vec<TlsAllowance> = "tls_allowlist" (Vec::new()),
    }
}

object! {
    /// A host whose certificate is not verified.
    TlsAllowance {
        required host: String = "host",
        optional permissions: Vec<TlsPermission> = "permissions",
        /// The port, as a text.
        optional suffix: String = "suffix",
    }
}

choice! {
    /// What certificates of a host may be.
    TlsPermission { SelfSigned = "self-signed" }
}

object! {
    /// What is logged of operations.
    #[derive(Default)]
    MetricsConfiguration {
        always analyze_query_variables: bool = "analyze_query_variables" (false),
        omitted analyze_response_body: bool = "analyze_response_body" (false),
    }
}

object! {
    /// Settings of kinds of sources.
    #[derive(Default)]
    BackendConfigurations {
        optional bigquery: Json = "bigquery",
        optional citus: Json = "citus",
        optional cockroach: Json = "cockroach",
        default dataconnector: BTreeMap<String, Agent> = "dataconnector",
        optional mssql: Json = "mssql",
        optional mysql: Json = "mysql",
        optional postgres: Json = "postgres",
    }
}

object! {
    /// The agent of a data connector.
    Agent {
        optional display_name: String = "display_name",
        required uri: String = "uri",
    }
}

object! {
    /// Export of traces, metrics and logs.
    OpenTelemetry {
        optional batch_span_processor: BatchSpanProcessor = "batch_span_processor",
        always data_types: Vec<TelemetryType> = "data_types" (Vec::new()),
        optional exporter_otlp: OtlpExporter = "exporter_otlp",
        always status: TelemetryStatus = "status" (TelemetryStatus::Disabled),
    }
}

object! {
    /// How traces are grouped.
    BatchSpanProcessor {
        always max_export_batch_size: u64 = "max_export_batch_size" (512),
    }
}

choice! {
    /// What is exported.
    TelemetryType { Traces = "traces", Metrics = "metrics", Logs = "logs" }
}

choice! {
    /// Whether there is an export.
    TelemetryStatus { Enabled = "enabled", Disabled = "disabled" }
}

object! {
    /// Where exports are sent.
    OtlpExporter {
        always headers: Vec<Header> = "headers" (Vec::new()),
        optional otlp_logs_endpoint: String = "otlp_logs_endpoint",
        optional otlp_metrics_endpoint: String = "otlp_metrics_endpoint",
        optional otlp_traces_endpoint: String = "otlp_traces_endpoint",
        always protocol: OtlpProtocol = "protocol" (OtlpProtocol::HttpProtobuf),
        always resource_attributes: Vec<ResourceAttribute> = "resource_attributes" (Vec::new()),
        always traces_propagators: Vec<TracePropagator> = "traces_propagators" (Vec::new()),
    }
}

choice! {
    /// The protocol of exports.
    OtlpProtocol { HttpProtobuf = "http/protobuf" }
}

object! {
    /// An attribute of all exports.
    ResourceAttribute {
        required name: String = "name",
        required value: String = "value",
    }
}

choice! {
    /// The headers that carry the context of a trace.
    TracePropagator { B3 = "b3", TraceContext = "tracecontext" }
}
