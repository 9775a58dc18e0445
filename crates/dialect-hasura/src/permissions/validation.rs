//! Servers that check the inputs of changes: `validate_input` of permissions.
//! <https://hasura.io/docs/2.0/schema/postgres/input-validations/>

use std::time::Duration;

use api::{CheckedChange, InputChecks};
use hasura_metadata::Problem;
use hasura_metadata::types::permission::{
    InputValidation, InputValidationDefinition, InputValidationType,
};
use http::Method;
use http_resolvers::headers::Headers;
use http_resolvers::url::UrlTemplate;
use http_resolvers::webhook::{ClientHeaders, Webhook};
use http_resolvers::{
    ActionWebhook, AnswerRules, HttpResolver, InputSource, RequestBody, WrittenRequest,
};

use super::roles::RolePermissions;
use super::tables::problem;
use crate::actions::webhook::{header, written_header};
use crate::environment::Environment;

/// The request that has a server check the inputs of a change of a table.
pub(super) fn resolver(
    table: &str,
    change: &str,
    validation: &InputValidation,
    environment: &Environment,
) -> Result<HttpResolver, Problem> {
    match validation.r#type {
        InputValidationType::Http => {}
    }
    let definition = &validation.definition;
    let InputValidationDefinition { forward_client_headers, headers, timeout, url: text, .. } =
        definition;
    let base_url = environment.fill(text, &definition.place)?;
    let url = UrlTemplate::fixed(&base_url).map_err(|error| {
        problem(&definition.place, format!("The address of `validate_input`: {error}."))
    })?;
    let written = WrittenRequest {
        handler: text.as_str().into(),
        headers: headers.iter().map(written_header).collect(),
    };
    let headers = headers.iter().map(|one| header(one, environment));
    let webhook = Webhook {
        base_url: base_url.into(),
        headers: headers.collect::<Result<_, _>>()?,
        client_headers: forward_client_headers.then(|| ClientHeaders::except(None)),
        request: None,
        response: None,
    };
    let action = ActionWebhook { action: change.into(), webhook, written };
    Ok(HttpResolver {
        parent: table.into(),
        field: format!("validate_input of {change}").into(),
        url,
        method: Method::POST,
        body: RequestBody::Webhook(Box::new(action)),
        is_batch: false,
        headers: Headers::default(),
        inputs: InputSource::Arguments,
        answers: AnswerRules::Action,
        timeout: Some(Duration::from_secs(*timeout)),
    })
}

/// The checks of all roles.
pub(super) fn checks(permissions: &[RolePermissions]) -> InputChecks {
    let mut checks = InputChecks::default();
    // Those of backends are the same permissions.
    for role in permissions.iter().filter(|role| !role.is_of_backends) {
        for (entity, table) in &role.tables {
            for (kind, change) in [
                (CheckedChange::Insert, &table.insert),
                (CheckedChange::Update, &table.update),
                (CheckedChange::Delete, &table.delete),
            ] {
                let validation = change.as_ref().and_then(|(_, change)| change.validation.as_ref());
                if let Some(validation) = validation {
                    checks.add(&role.name, *entity, kind, validation.clone());
                }
            }
        }
    }
    checks
}
