//! What metadata and options say about requests.

use std::collections::HashSet;

use dialects::hasura::Options;
use dialects::hasura::metadata::ServedSource;
use engine::Limits;
use hasura_metadata::PackedMetadata;

use super::admission::AllowList;
use super::event_logs::EventLogs;
use super::limits::OperationLimits;
use super::rest::RestEndpoints;
use crate::failure::Failure;

/// Settings of the dialect hasura.
#[derive(Debug)]
pub(in crate::http) struct HasuraSettings {
    /// For exports: the metadata itself has no use after the start.
    pub(super) metadata: Option<PackedMetadata>,
    pub(super) rest: RestEndpoints,
    pub(super) events: EventLogs,
    /// The operations that all roles but the admin are restricted to, if they are.
    pub(super) allow_list: Option<AllowList>,
    /// Whether functions of queries need no permission of their own.
    pub(super) infers_functions: bool,
    /// API limits for all roles but the admin.
    pub(super) limits: Option<OperationLimits>,
    /// Roles that cannot read the schema.
    pub(super) without_introspection: HashSet<Box<str>>,
}

impl HasuraSettings {
    /// Also checks the stored operations.
    pub(in crate::http) fn new(
        dialect: &Options,
        uses_allow_list: bool,
        (limits, events): (&Limits, EventLogs),
    ) -> Result<Self, Failure> {
        let served = dialect.metadata.served();
        let infers_functions = dialect.infer_function_permissions;
        if uses_allow_list && served.is_none() {
            return Err(Failure::Usage("`--allow-list` needs `--metadata`".into()));
        }
        let mut problems = Vec::new();
        let known = served.map(ServedSource::metadata);
        let rest = RestEndpoints::new(known, &mut problems);
        let allow_list =
            uses_allow_list.then(|| AllowList::new(known, &limits.document, &mut problems));
        let api_limits = known.map(|known| &known.api_limits);
        let operations = api_limits.and_then(|own| OperationLimits::new(own, &mut problems));
        if !problems.is_empty() {
            return Err(Failure::Usage(problems.join("\nerror: ")));
        }
        let introspection = known.map(|known| &known.graphql_schema_introspection);
        let hidden = introspection.into_iter().flat_map(|own| &own.disabled_for_roles);
        let without_introspection = hidden.map(|role| role.text.as_str().into()).collect();
        let metadata = served.map(|served| served.packed().clone());
        Ok(Self {
            rest,
            events,
            limits: operations,
            allow_list,
            infers_functions,
            without_introspection,
            metadata,
        })
    }
}
