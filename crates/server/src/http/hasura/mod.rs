//! Endpoints of Hasura, for its dialect: GraphQL at its paths, and the rest of its HTTP API as far as
//! it reads.
//!
//! * `settings`: what the metadata and the options say about requests
//! * `failure`: errors of everything but GraphQL
//! * `admission`: operations that the metadata forbids
//! * `limits`: API limits of the metadata
//! * `metadata`: `/v1/metadata`
//! * `events`: its calls about events, by the logs of the sources, `event_logs`
//! * `explain`: `/v1/graphql/explain`
//! * `server`: version, health and configuration of the server
//! * `rest`: `/api/rest/…`; `openapi`: its description

mod admission;
mod event_logs;
mod events;
mod explain;
mod failure;
mod limits;
mod metadata;
mod openapi;
mod rest;
mod server;
mod settings;

use std::rc::Rc;

use bytes::Bytes;
use engine::{ApiWorker, Caller};
use graphql::{ExactNumbers, JsonLimits};
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};
use serde_json::Value;

pub(super) use self::admission::{check, check_again, is_listed, may_introspect};
pub(crate) use self::event_logs::EventLogs;
use self::failure::Failure;
pub(super) use self::limits::{check_batch, time_limit, too_slow};
pub(super) use self::settings::HasuraSettings;
use super::answer_body::AnswerBody;
use super::connection_context::ConnectionContext;
use super::endpoint::{self, read_body};
use super::exchange::{Exchange, HttpRequest};
use super::graphql::{authenticate, is_allowed_origin};
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::relay;
use super::respond::{Response, respond};
use super::service::Service;

/// The version of Hasura whose API is served: tools choose by it what they ask.
pub(super) const VERSION: &str = "v2.43.0";

/// A path of GraphQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphqlPath {
    /// `/graphql` and `/v1/graphql`: errors of GraphQL have the status 200.
    Current,
    /// `/v1alpha1/graphql`: requests that are refused have the status 400.
    Legacy,
}

/// An endpoint of the HTTP API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    Version,
    Healthz,
    Config,
    Explain,
    Metadata,
    /// `/v2/query` and `/v1/query`, which execute SQL.
    Query,
    Rest,
    OpenApi,
    /// Another path of Hasura's.
    Unknown,
}

impl GraphqlPath {
    /// The path of GraphQL, of this dialect and of all others. A request may be the handshake of a
    /// WebSocket.
    pub(super) fn find(
        service: &Service,
        request: &HttpRequest,
        is_handshake: bool,
    ) -> Option<Self> {
        match request.uri().path() {
            "/graphql" => Some(Self::Current),
            "/v1/graphql" if service.settings.hasura.is_some() => Some(Self::Current),
            relay::PATH if service.is_relay => Some(Self::Current),
            "/v1alpha1/graphql" if service.settings.hasura.is_some() => Some(Self::Legacy),
            _ => {
                let prisma = service.settings.prisma.as_ref()?;
                prisma.is_graphql(request, is_handshake).then_some(Self::Current)
            }
        }
    }
}

impl Endpoint {
    /// The endpoint of a path, for the dialect.
    pub(super) fn find(service: &Service, path: &str) -> Option<Self> {
        service.settings.hasura.as_ref()?;
        match path {
            "/v1/version" => Some(Self::Version),
            "/healthz" | "/hasura/healthz" => Some(Self::Healthz),
            "/v1alpha1/config" => Some(Self::Config),
            "/v1/graphql/explain" | "/v1alpha1/graphql/explain" => Some(Self::Explain),
            "/v1/metadata" => Some(Self::Metadata),
            "/v2/query" | "/v1/query" => Some(Self::Query),
            "/api/swagger/json" => Some(Self::OpenApi),
            _ if path.starts_with("/api/rest/") => Some(Self::Rest),
            _ => ["/v1/", "/v2/", "/v1alpha1/", "/v1beta1/", "/api/"]
                .iter()
                .any(|begin| path.starts_with(begin))
                .then_some(Self::Unknown),
        }
    }
}

/// The answer of an endpoint.
type Answer = Result<Response, Failure>;

/// A request of an endpoint.
struct EndpointRequest<'a> {
    service: &'a Rc<Service>,
    settings: &'a HasuraSettings,
    exchange: &'a mut Exchange,
    context: &'a ConnectionContext,
}

/// Answers a request of an endpoint.
pub(super) async fn answer(
    endpoint: Endpoint,
    service: &Rc<Service>,
    request: HttpRequest,
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    let work = async |request| {
        let answered = answer_request(endpoint, service, request, exchange, context).await;
        answered.unwrap_or_else(|failure| failure.respond())
    };
    endpoint::answer(service, request, work).await
}

async fn answer_request(
    endpoint: Endpoint,
    service: &Rc<Service>,
    request: HttpRequest,
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Answer {
    let Some(settings) = &service.settings.hasura else { return Err(Failure::unknown_path()) };
    if !is_allowed_origin(service, &request, exchange.peer) {
        return Err(Failure::refused(&Refusal::OtherOrigin));
    }
    let asked = EndpointRequest { service, settings, exchange, context };
    match (endpoint, request.method()) {
        (Endpoint::Rest, _) => rest::answer(asked, request).await,
        (Endpoint::Version, &Method::GET | &Method::HEAD) => Ok(server::version()),
        (Endpoint::Healthz, &Method::GET | &Method::HEAD) => {
            Ok(server::health(service, request.uri().query()).await)
        }
        (Endpoint::Config, &Method::GET | &Method::HEAD) => {
            let caller = asked.caller(request.headers()).await?;
            asked.check_admin(&caller)?;
            Ok(server::configuration(service, settings))
        }
        (Endpoint::OpenApi, &Method::GET | &Method::HEAD) => openapi::answer(asked, request).await,
        (Endpoint::Explain, &Method::POST) => explain::answer(asked, request).await,
        (Endpoint::Metadata, &Method::POST) => metadata::answer(asked, request).await,
        (Endpoint::Query, &Method::POST) => metadata::answer_query(asked, request).await,
        (
            Endpoint::Version
            | Endpoint::Healthz
            | Endpoint::Config
            | Endpoint::Explain
            | Endpoint::Metadata
            | Endpoint::Query
            | Endpoint::OpenApi
            | Endpoint::Unknown,
            _,
        ) => Err(Failure::unknown_path()),
    }
}

impl EndpointRequest<'_> {
    /// The caller of the request.
    async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Failure> {
        let found = authenticate(self.service, headers, None).await;
        let (caller, _) = found.map_err(|refusal| Failure::refused(&refusal))?;
        Ok(caller)
    }

    /// Refuses all callers but the admin.
    fn check_admin(&self, caller: &Caller) -> Result<(), Failure> {
        match is_admin(self.service, caller) {
            true => Ok(()),
            false => Err(Failure::access_denied()),
        }
    }

    /// The body of a request of the admin, as JSON.
    async fn admin_body(&self, request: HttpRequest) -> Result<Value, Failure> {
        self.exact_admin_body(request).await.map(|(body, _)| body)
    }

    /// The same with the numbers that doubles round.
    async fn exact_admin_body(
        &self,
        request: HttpRequest,
    ) -> Result<(Value, ExactNumbers), Failure> {
        let caller = self.caller(request.headers()).await?;
        self.check_admin(&caller)?;
        let (head, body) = request.into_parts();
        let bytes = self.bytes(&head.headers, body).await?;
        let body = serde_json::from_slice(&bytes).map_err(|error| Failure::invalid_json(&error))?;
        Ok((body, ExactNumbers::read(&bytes)))
    }

    /// Limits of JSON.
    fn limits(&self) -> JsonLimits {
        self.service.settings.body.json
    }

    async fn bytes(
        &self,
        headers: &HeaderMap,
        body: hyper::body::Incoming,
    ) -> Result<Vec<u8>, Failure> {
        let read = read_body(self.service, self.context, headers, body).await;
        read.map_err(|refusal| Failure::refused(&refusal))
    }
}

/// The role of a caller.
fn role_of(caller: &Caller) -> Option<&str> {
    caller.session.claims.as_deref()?.get("x-hasura-role")?.as_str()
}

/// Whether a caller has every right.
fn is_admin(service: &Service, caller: &Caller) -> bool {
    match &service.worker {
        ApiWorker::Source(worker) => worker.engine().is_superuser(&caller.session),
        ApiWorker::Gateway(_) => false,
    }
}

/// The schema and the name of the table of an event trigger.
fn trigger_table(table: &QualifiedName) -> Option<(Option<&str>, &str)> {
    match &table.parts {
        NameParts::InSchema { schema, name } => Some((Some(schema), name)),
        NameParts::Listed(parts) => match parts.as_slice() {
            [name] => Some((None, name)),
            [schema, name] => Some((Some(schema), name)),
            _ => None,
        },
        NameParts::InDataset { .. } => None,
    }
}

/// A response with a JSON value.
fn json(status: StatusCode, value: &Value) -> Response {
    respond(status, MediaType::Json, value.to_string().into_bytes())
}

/// A response with a text.
fn text(status: StatusCode, text: &'static str) -> Response {
    let mut response = Response::new(AnswerBody::Whole(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    let content_type = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}
