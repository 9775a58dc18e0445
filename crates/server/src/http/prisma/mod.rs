//! Endpoints of Prisma 1, for its dialect, at the path of the service; GraphQL is at this path itself.
//!
//! * `settings`: the service, and what paths name
//! * `export`, `import`: data in Prisma's normalized data format

mod export;
mod import;
mod settings;

use std::rc::Rc;

use graphql::{ErrorCode, GraphQLError};
use hyper::{Method, StatusCode};
use serde_json::Value;

pub(crate) use self::settings::{Datamodel, PrismaSettings, ServiceDatabase};
use self::settings::{ServicePath, Suffix};
use super::body;
use super::connection_context::ConnectionContext;
use super::cors::{Permission, preflight};
use super::exchange::{Exchange, HttpRequest};
use super::graphql::{authenticate, is_allowed_origin};
use super::media_type::MediaType;
use super::persisted::Missing;
use super::refusal::Refusal;
use super::respond::{Response, refuse_in, respond};
use super::service::Service;
use crate::options::ServiceName;

/// An endpoint beside that of GraphQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// The text of the datamodel.
    Datamodel,
    Import,
    Export,
    /// Another service, with its id.
    OtherService(Box<str>),
    /// A reserved path that is not served.
    Unserved,
}

impl Endpoint {
    /// The endpoint of a request, which no other path has.
    pub(super) fn find(service: &Service, request: &HttpRequest) -> Option<Self> {
        let settings = service.settings.prisma.as_ref()?;
        if !matches!(*request.method(), Method::POST | Method::OPTIONS) {
            return None;
        }
        let path = request.uri().path();
        // What is configured with the server's own path as the endpoint.
        let suffix = path.strip_prefix("/graphql/").and_then(ServicePath::parse);
        if let Some(ServicePath { suffix: Some(suffix), service }) = suffix
            && service == ServiceName::default()
        {
            return Some(Self::of_suffix(suffix));
        }
        let is_own = ["/health/", "/graphiql/", "/explain"];
        if is_own.iter().any(|begin| path.starts_with(begin)) {
            return None;
        }
        let path = ServicePath::parse(path)?;
        if !settings.is_served(&path.service) {
            return Some(Self::OtherService(settings.id(&path.service)));
        }
        path.suffix.map(Self::of_suffix)
    }

    fn of_suffix(suffix: Suffix) -> Self {
        match suffix {
            Suffix::Datamodel => Self::Datamodel,
            Suffix::Import => Self::Import,
            Suffix::Export => Self::Export,
            Suffix::Private => Self::Unserved,
        }
    }
}

/// Answers a request of an endpoint.
pub(super) async fn answer(
    endpoint: Endpoint,
    service: &Rc<Service>,
    request: HttpRequest,
    exchange: &mut Exchange,
    context: &Rc<ConnectionContext>,
) -> Response {
    let cors = service.settings.cors.as_ref();
    let permission = cors.map(|cors| Permission::new(cors, request.headers()));
    let preflight = cors.and_then(|cors| preflight(cors, request.method(), request.headers()));
    let answered = match preflight {
        Some(response) => Ok(response),
        None => answer_request(endpoint, service, request, (exchange, context)).await,
    };
    let mut response = answered.unwrap_or_else(|refusal| {
        let response = refuse_in(service.worker.error_form(), MediaType::Json, &refusal);
        exchange.refusal = Some(refusal);
        response
    });
    if let Some(permission) = permission {
        permission.add_headers(&mut response);
    }
    response
}

async fn answer_request(
    endpoint: Endpoint,
    service: &Rc<Service>,
    request: HttpRequest,
    (exchange, context): (&Exchange, &ConnectionContext),
) -> Result<Response, Refusal> {
    if request.method() != Method::POST {
        return Err(Refusal::Method { allow: "POST" });
    }
    if !is_allowed_origin(service, &request, exchange.peer) {
        return Err(Refusal::OtherOrigin);
    }
    if let Endpoint::OtherService(id) = endpoint {
        return Err(Refusal::OtherService(id));
    }
    let Some(settings) = &service.settings.prisma else { return Err(Refusal::Path) };
    let (caller, _) = authenticate(service, request.headers(), None).await?;
    if endpoint == Endpoint::Unserved {
        return Err(Refusal::Path);
    }
    let datamodel = settings.datamodel().await.map_err(|error| {
        tracing::error!(%error, "the datamodel of the tables cannot be made");
        unavailable()
    })?;
    if endpoint == Endpoint::Datamodel {
        return Ok(json(&Value::from(&*datamodel.text)));
    }
    // What is read and stored here is that of no document.
    if service.settings.persisted.only_trusted {
        return Err(Refusal::Document(Missing::NotTrusted));
    }
    let (head, body) = request.into_parts();
    let (limits, bodies) = (service.settings.body, &service.process.bodies);
    let read = body::read(limits, bodies, &context.state, &head.headers, body).await?;
    let asked: Value = serde_json::from_slice(&read.bytes)
        .map_err(|error| malformed(format!("The request body is not valid JSON: {error}.")))?;
    let (database, model) = (&settings.database, &*datamodel.model);
    let answer = match endpoint {
        Endpoint::Export => {
            export::answer(service, (model, database.max_nodes), &caller, &asked).await?
        }
        Endpoint::Import => {
            Answer::Json(import::answer(service, (database, model), &caller, &asked).await?)
        }
        Endpoint::Datamodel | Endpoint::OtherService(_) | Endpoint::Unserved => {
            return Err(Refusal::Path);
        }
    };
    Ok(match answer {
        Answer::Json(value) => json(&value),
        Answer::Response(response) => response,
    })
}

/// The answer of an import or an export.
enum Answer {
    Json(Value),
    /// Errors of GraphQL.
    Response(Response),
}

/// The refusal of a request whose contents cannot be read.
fn malformed(message: impl Into<String>) -> Refusal {
    Refusal::Malformed(GraphQLError::new(ErrorCode::BadUserInput, message))
}

/// The refusal of a request that the database does not answer; the log has the reason.
fn unavailable() -> Refusal {
    Refusal::NoDatabase
}

/// A response with a JSON value.
fn json(value: &Value) -> Response {
    respond(StatusCode::OK, MediaType::Json, value.to_string().into_bytes())
}
