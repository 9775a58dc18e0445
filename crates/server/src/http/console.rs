//! Data of the console, the page at `/`: what it shows beside GraphiQL. Rows are not among it: the page
//! reads and changes rows by the GraphQL API, as any client does.
//!
//! The endpoints exist only where requests are explained ([`super::explain`]). Their callers authenticate
//! as those of the API do. What reveals more than the schema of the caller is for superusers, and for
//! everybody on a server that only this machine can reach, by no proxy, and that requires no credentials.
//!
//! * `catalog`: tables and relationships, or the subgraphs of a gateway
//! * `checks`: findings about the source
//! * `role`: what the policies permit a role
//! * `files`: the files that the page loads

mod catalog;
mod checks;
pub(super) mod files;
mod role;

use ::graphql::{ErrorCode, GraphQLError};
use engine::{ApiWorker, Caller, Worker};
use hyper::header::{CACHE_CONTROL, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::connection_context::ConnectionContext;
use super::endpoint::read_body;
use super::exchange::{Exchange, HttpRequest};
use super::explain::as_json;
use super::graphql::{self, authenticate, is_allowed_origin};
use super::hasura;
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::respond::{Response, refuse, respond};
use super::service::Service;
use crate::metrics;

/// The beginning of the paths.
pub(super) const PREFIX: &str = "/console/api/";

/// What a path returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Endpoint {
    /// The tables that the caller sees, or the subgraphs of a gateway.
    Catalog,
    /// The findings of `thalweg check`.
    Checks,
    /// The metrics, as a scraper reads them.
    Metrics,
    /// The running operations.
    Operations,
    /// What a role sees and may do.
    Role,
}

/// The reason why there is no data.
#[derive(Debug)]
enum NoData {
    Refused(Box<Refusal>),
    /// Errors of GraphQL's form, with a status.
    Errors(StatusCode, Vec<GraphQLError>),
}

impl From<Refusal> for NoData {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<Vec<GraphQLError>> for NoData {
    fn from(errors: Vec<GraphQLError>) -> Self {
        Self::Errors(StatusCode::OK, errors)
    }
}

impl NoData {
    fn wrong(message: &str) -> Self {
        let error = GraphQLError::new(ErrorCode::BadUserInput, message);
        Self::Errors(StatusCode::BAD_REQUEST, vec![error])
    }

    fn forbidden(message: &str) -> Self {
        let error = GraphQLError::new(ErrorCode::PermissionDenied, message);
        Self::Errors(StatusCode::FORBIDDEN, vec![error])
    }
}

impl Endpoint {
    fn find(path: &str) -> Option<Self> {
        Some(match path.strip_prefix(PREFIX)? {
            "catalog" => Self::Catalog,
            "checks" => Self::Checks,
            "metrics" => Self::Metrics,
            "operations" => Self::Operations,
            "role" => Self::Role,
            _ => return None,
        })
    }

    fn method(self) -> Method {
        match self {
            Self::Catalog | Self::Checks | Self::Metrics | Self::Operations => Method::GET,
            Self::Role => Method::POST,
        }
    }

    fn allow(self) -> &'static str {
        match self {
            Self::Catalog | Self::Checks | Self::Metrics | Self::Operations => "GET",
            Self::Role => "POST",
        }
    }
}

/// The views that the page offers, for its configuration. `None`: there is no console.
pub(super) fn views(service: &Service) -> Option<Value> {
    if !is_served(service) {
        return None;
    }
    let is_gateway = matches!(service.worker, ApiWorker::Gateway(_));
    let has_roles = source(service).is_some_and(|worker| worker.engine().has_policies());
    Some(json!({
        "isGateway": is_gateway,
        "metrics": service.process.telemetry.collectors.is_some(),
        "roles": has_roles,
    }))
}

/// Whether the page has the console beside GraphiQL.
pub(super) fn is_served(service: &Service) -> bool {
    let settings = &service.settings;
    // Only trusted documents: the page's own operations would be refused, and so would introspection.
    settings.development.graphiql
        && settings.development.explain
        && !settings.persisted.only_trusted
}

pub(super) async fn answer(
    service: &Service,
    request: HttpRequest,
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Response {
    let mut response = match data(service, request, exchange, context).await {
        Ok(body) => respond(StatusCode::OK, MediaType::Json, body),
        Err(NoData::Errors(status, errors)) => {
            let body = json!({ "errors": as_json(&errors) });
            respond(status, MediaType::Json, body.to_string().into())
        }
        Err(NoData::Refused(refusal)) => {
            let response = refuse(MediaType::Json, &refusal);
            exchange.refusal = Some(*refusal);
            response
        }
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn data(
    service: &Service,
    request: HttpRequest,
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Result<Vec<u8>, NoData> {
    let endpoint = Endpoint::find(request.uri().path()).ok_or(Refusal::Path)?;
    if *request.method() != endpoint.method() {
        return Err(Refusal::Method { allow: endpoint.allow() }.into());
    }
    if !is_allowed_origin(service, &request, exchange.peer) {
        return Err(Refusal::OtherOrigin.into());
    }
    let (caller, _) = authenticate(service, request.headers(), None).await?;
    let shown = match endpoint {
        Endpoint::Catalog => {
            if !hasura::may_introspect(service, &caller) {
                let message = "introspection is disabled for the role of the request";
                let error = GraphQLError::new(ErrorCode::IntrospectionDisabled, message);
                return Err(vec![error].into());
            }
            catalog::catalog(service, &caller)?
        }
        Endpoint::Checks => {
            require_trust(service, &caller)?;
            checks::checks(require_source(service)?)
        }
        Endpoint::Metrics => {
            require_trust(service, &caller)?;
            json!({ "metrics": metrics(service)? })
        }
        Endpoint::Operations => {
            require_trust(service, &caller)?;
            return Ok(metrics_sources(service)?.running_operations().into_bytes());
        }
        Endpoint::Role => {
            require_trust(service, &caller)?;
            graphql::check_content(request.headers())?;
            let (head, body) = request.into_parts();
            let body = read_body(service, context, &head.headers, body).await?;
            let worker = require_source(service)?;
            role::role(service, worker, &caller, &body, exchange).await?
        }
    };
    Ok(shown.to_string().into_bytes())
}

/// The metrics as text.
fn metrics(service: &Service) -> Result<String, NoData> {
    let text = metrics::encode(metrics_sources(service)?);
    text.map_err(|_| NoData::wrong("the metrics cannot be written"))
}

fn metrics_sources(service: &Service) -> Result<metrics::Sources, NoData> {
    let sources = service.process.metrics_sources(&service.worker.api(), &service.settings);
    let none = || NoData::wrong("there are no metrics: start the server with --metrics-listen");
    sources.ok_or_else(none)
}

/// The worker of an API over one source.
fn source(service: &Service) -> Option<&Worker> {
    match &service.worker {
        ApiWorker::Source(worker) => Some(worker),
        ApiWorker::Gateway(_) => None,
    }
}

fn require_source(service: &Service) -> Result<&Worker, NoData> {
    source(service).ok_or_else(|| NoData::wrong("a gateway has no tables of its own"))
}

/// Refuses callers who may not see more than the schema of their own role.
fn require_trust(service: &Service, caller: &Caller) -> Result<(), NoData> {
    let settings = &service.settings;
    let requires_credentials = match settings.is_of_hasura() {
        true => !settings.is_open(),
        false => settings.requires_token(),
    };
    if is_superuser(service, caller) || (settings.development.is_local && !requires_credentials) {
        return Ok(());
    }
    Err(NoData::forbidden("only a superuser sees this: send the credentials of one, under Headers"))
}

/// Whether policies restrict the caller. A gateway has none: there everybody who is authenticated has
/// every right.
fn is_superuser(service: &Service, caller: &Caller) -> bool {
    source(service).is_none_or(|worker| worker.engine().is_superuser(&caller.session))
}
