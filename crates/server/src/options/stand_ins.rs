//! Variables of other tools that stand in for options which are not given.

/// Variables for an option: the first of them that is set has its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandIn {
    pub(crate) option: &'static str,
    pub(crate) variables: &'static [&'static str],
    when: When,
    /// The unit of the variable's value, which the option's names.
    pub(crate) unit: &'static str,
}

/// When a variable is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// With the dialect hasura.
    Hasura,
    /// With a supergraph whose name begins so.
    Registry(&'static str),
    /// With a supergraph of this name.
    Supergraph(&'static str),
}

const STAND_INS: [StandIn; 19] = [
    of(When::Hasura, "admin-secret", &["HASURA_GRAPHQL_ADMIN_SECRET", "HASURA_GRAPHQL_ACCESS_KEY"]),
    of(When::Hasura, "jwt-config", &["HASURA_GRAPHQL_JWT_SECRETS", "HASURA_GRAPHQL_JWT_SECRET"]),
    of(When::Hasura, "unauthorized-role", &["HASURA_GRAPHQL_UNAUTHORIZED_ROLE"]),
    of(When::Hasura, "auth-hook", &["HASURA_GRAPHQL_AUTH_HOOK"]),
    of(When::Hasura, "auth-hook-mode", &["HASURA_GRAPHQL_AUTH_HOOK_MODE"]),
    of(When::Hasura, "auth-hook-request-body", &["HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY"]),
    of(When::Hasura, "infer-function-permissions", &["HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS"]),
    of(When::Registry("uplink:"), "uplink-key", &["APOLLO_KEY"]),
    of(When::Registry("uplink:"), "uplink-endpoints", &["APOLLO_UPLINK_ENDPOINTS"]),
    of(When::Registry("uplink:"), "supergraph-poll", &["APOLLO_UPLINK_POLL_INTERVAL"]),
    of(When::Registry("hive:"), "hive-key", &["HIVE_CDN_KEY"]),
    of(When::Supergraph("hive:"), "hive-endpoints", &["HIVE_CDN_ENDPOINT"]),
    of(When::Registry("s3:"), "s3-endpoint", &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]),
    of(When::Registry("s3:"), "s3-region", &["AWS_REGION", "AWS_DEFAULT_REGION"]),
    of(When::Registry("s3:"), "s3-access-key-id", &["AWS_ACCESS_KEY_ID"]),
    of(When::Registry("s3:"), "s3-secret-access-key", &["AWS_SECRET_ACCESS_KEY"]),
    of(When::Registry("s3:"), "s3-session-token", &["AWS_SESSION_TOKEN"]),
    of(When::Always, "otlp-endpoint", &["OTEL_EXPORTER_OTLP_ENDPOINT"]),
    StandIn {
        option: "otlp-metrics-interval",
        variables: &["OTEL_METRIC_EXPORT_INTERVAL"],
        when: When::Always,
        unit: "ms",
    },
];

const fn of(when: When, option: &'static str, variables: &'static [&'static str]) -> StandIn {
    StandIn { option, variables, when, unit: "" }
}

impl StandIn {
    /// The variables for an option, if any.
    pub(crate) fn find(option: &str) -> Option<Self> {
        STAND_INS.into_iter().find(|one| one.option == option)
    }

    /// Whether the variables are read with this dialect and this supergraph.
    pub(crate) fn is_read(self, dialect: Option<&str>, supergraph: Option<&str>) -> bool {
        match self.when {
            When::Always => true,
            When::Hasura => dialect == Some("hasura"),
            When::Registry(prefix) => supergraph.is_some_and(|name| name.starts_with(prefix)),
            When::Supergraph(name) => supergraph == Some(name),
        }
    }
}

/// The variables for an option of the dialect hasura.
pub(super) fn variables_of(option: &str) -> &'static [&'static str] {
    StandIn::find(option.trim_start_matches('-')).map_or(&[], |one| one.variables)
}
