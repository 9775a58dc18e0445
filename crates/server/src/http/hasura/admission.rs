//! Operations that the metadata forbids to roles other than the admin: those that are not in the allow
//! list, introspection, and what is beyond the API limits.

use std::collections::{HashMap, HashSet};

use engine::Caller;
use graphql::{DocumentLimits, ErrorCode, GraphQLError, Request, normalized};
use hasura_metadata::Metadata;
use hasura_metadata::types::query_collection::AllowListScope;

use super::{is_admin, role_of};
use crate::http::client_address::ClientAddress;
use crate::http::service::Service;

/// Operations by their normalized texts.
#[derive(Debug, Default)]
pub(super) struct AllowList {
    global: HashSet<Box<str>>,
    by_role: HashMap<Box<str>, HashSet<Box<str>>>,
}

impl AllowList {
    /// The collections that are allowed. Adds a problem for each operation that cannot be parsed.
    pub(super) fn new(
        metadata: Option<&Metadata>,
        limits: &DocumentLimits,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut list = Self::default();
        for entry in metadata.into_iter().flat_map(|metadata| &metadata.allowlist) {
            let name = &entry.collection.text;
            let collections = metadata.into_iter().flat_map(|own| &own.query_collections);
            let collection = collections.into_iter().find(|own| own.name.text == *name);
            let Some(collection) = collection else {
                problems.push(format!("the allow list names the unknown collection `{name}`"));
                continue;
            };
            for query in &collection.definition.queries {
                let text: Box<str> = match normalized(&query.query, limits) {
                    Ok(text) => text.into(),
                    Err(error) => {
                        let query = &query.name.text;
                        problems.push(format!(
                            "the operation `{query}` of the collection `{name}` is no GraphQL: {}",
                            error.message
                        ));
                        continue;
                    }
                };
                match &entry.scope {
                    AllowListScope::Global => {
                        list.global.insert(text);
                    }
                    AllowListScope::Roles(roles) => {
                        for role in roles {
                            let own = list.by_role.entry(role.text.as_str().into()).or_default();
                            own.insert(text.clone());
                        }
                    }
                }
            }
        }
        list
    }

    fn contains(&self, role: Option<&str>, text: &str, limits: &DocumentLimits) -> bool {
        // A text that is no document gets the error of its syntax.
        let Ok(text) = normalized(text, limits) else { return true };
        let of_role = role.and_then(|role| self.by_role.get(role));
        self.global.contains(&*text) || of_role.is_some_and(|own| own.contains(&*text))
    }
}

/// Checks whether a caller may execute the operation of a request, which comes from a client.
pub(in crate::http) fn check(
    service: &Service,
    request: &Request,
    caller: &Caller,
    client: ClientAddress,
) -> Result<(), GraphQLError> {
    let Some(settings) = &service.settings.hasura else { return Ok(()) };
    if is_unrestricted(service, caller) {
        return Ok(());
    }
    check_text(service, request, caller)?;
    let Some(limits) = &settings.limits else { return Ok(()) };
    limits.count_operation(caller, client)?;
    limits.check_size(service, request, caller)
}

/// Checks a request that is counted already, whose caller has got other claims since.
pub(in crate::http) fn check_again(
    service: &Service,
    request: &Request,
    caller: &Caller,
) -> Result<(), GraphQLError> {
    let Some(settings) = &service.settings.hasura else { return Ok(()) };
    if is_unrestricted(service, caller) {
        return Ok(());
    }
    check_text(service, request, caller)?;
    settings.limits.as_ref().map_or(Ok(()), |limits| limits.check_size(service, request, caller))
}

/// Whether the metadata restricts no operation of a caller.
fn is_unrestricted(service: &Service, caller: &Caller) -> bool {
    let Some(settings) = &service.settings.hasura else { return true };
    let is_restricted = settings.allow_list.is_some()
        || !settings.without_introspection.is_empty()
        || settings.limits.is_some();
    !is_restricted || is_admin(service, caller)
}

/// Checks the text of an operation by the allow list, and whether it may introspect.
fn check_text(service: &Service, request: &Request, caller: &Caller) -> Result<(), GraphQLError> {
    let Some(settings) = &service.settings.hasura else { return Ok(()) };
    let role = role_of(caller);
    let limits = &service.worker.limits().document;
    if let Some(list) = &settings.allow_list
        && !list.contains(role, &request.query, limits)
    {
        return Err(GraphQLError::new(ErrorCode::OperationNotTrusted, "query is not allowed"));
    }
    if let Some(role) = role.filter(|role| settings.without_introspection.contains(*role))
        && introspects(&request.query)
    {
        let message = format!("introspection is disabled for role: {role:?}");
        return Err(GraphQLError::new(ErrorCode::IntrospectionDisabled, message));
    }
    Ok(())
}

/// Whether the allow list lets a caller execute the operation of a request.
pub(in crate::http) fn is_listed(service: &Service, request: &Request, caller: &Caller) -> bool {
    let list = service.settings.hasura.as_ref().and_then(|settings| settings.allow_list.as_ref());
    let Some(list) = list.filter(|_| !is_admin(service, caller)) else { return true };
    list.contains(role_of(caller), &request.query, &service.worker.limits().document)
}

/// Whether a caller may read the schema: metadata may forbid it to roles, and an allow list has the only
/// operations.
pub(in crate::http) fn may_introspect(service: &Service, caller: &Caller) -> bool {
    let Some(settings) = &service.settings.hasura else { return true };
    if is_admin(service, caller) {
        return true;
    }
    let is_hidden =
        role_of(caller).is_some_and(|role| settings.without_introspection.contains(role));
    settings.allow_list.is_none() && !is_hidden
}

/// Whether a document selects the schema, in any of its operations and fragments.
fn introspects(text: &str) -> bool {
    use graphql::executable::Selection;
    fn selects(selections: &[Selection]) -> bool {
        selections.iter().any(|selection| match selection {
            Selection::Field(field) => {
                matches!(&*field.name, "__schema" | "__type") || selects(&field.selections)
            }
            Selection::InlineFragment(fragment) => selects(&fragment.selections),
            Selection::FragmentSpread { .. } => false,
        })
    }
    // Other texts select nothing.
    if !text.contains("__schema") && !text.contains("__type") {
        return false;
    }
    graphql::parse_executable(text).is_ok_and(|document| {
        let operations = document.operations.iter().any(|one| selects(&one.selections));
        operations || document.fragments.iter().any(|one| selects(&one.selections))
    })
}
