//! Endpoints of Prisma 1, for its dialect, at the path of the service; GraphQL is at this path itself.
//!
//! * `settings`: the service, and what paths name
//! * `export`, `import`: data in Prisma's normalized data format
//! * `management`, `private`: the APIs of Prisma's commands
//! * `changes`: how rows are changed beside GraphQL

mod changes;
mod export;
mod import;
mod management;
mod private;
mod settings;

use std::rc::Rc;

use engine::ErrorForm;
use graphql::problem::Located;
use graphql::{Body, ErrorCode, GraphQLError, Request};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

pub(crate) use self::settings::{Datamodel, PrismaSettings, ServiceDatabase};
use self::settings::{ServicePath, Suffix};
use super::connection_context::ConnectionContext;
use super::endpoint::{self, read_body};
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
    Private,
    Management,
    /// Another service, with its id.
    OtherService(Box<str>),
}

impl Endpoint {
    /// The endpoint of a request, which no other path has.
    pub(super) fn find(service: &Service, request: &HttpRequest) -> Option<Self> {
        let settings = service.settings.prisma.as_ref()?;
        if !matches!(*request.method(), Method::POST | Method::OPTIONS) {
            return None;
        }
        let path = request.uri().path();
        if matches!(path, "/management" | "/management/") {
            return Some(Self::Management);
        }
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
            Suffix::Private => Self::Private,
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
    let work = async |request| {
        let answered = answer_request(endpoint, service, request, (exchange, context)).await;
        answered.unwrap_or_else(|refusal| {
            let response = refuse_in(service.worker.error_form(), MediaType::Json, &refusal);
            exchange.refusal = Some(refusal);
            response
        })
    };
    endpoint::answer(service, request, work).await
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
    let (head, body) = request.into_parts();
    let caller = authenticate(service, &head.headers, None).await;
    if endpoint == Endpoint::Management {
        let body = read_body(service, context, &head.headers, body).await?;
        let request = graphql_request(service, &body)?;
        let datamodel = datamodel(settings).await?;
        let refusal = caller.as_ref().err();
        let answered = management::answer(service, settings, datamodel, refusal, &request).await?;
        return Ok(graphql_response(service.worker.error_form(), answered));
    }
    let (caller, _) = caller?;
    let datamodel = datamodel(settings).await?;
    if endpoint == Endpoint::Datamodel {
        return Ok(json(&Value::from(&*datamodel.text)));
    }
    let body = read_body(service, context, &head.headers, body).await?;
    let (database, model) = (&settings.database, &*datamodel.model);
    if endpoint == Endpoint::Private {
        let request = graphql_request(service, &body)?;
        let answered = private::answer(service, (database, model), &caller, &request).await?;
        return Ok(graphql_response(service.worker.error_form(), answered));
    }
    // What is read and stored here is that of no document.
    if service.settings.persisted.only_trusted {
        return Err(Refusal::Document(Missing::NotTrusted));
    }
    let asked: Value = serde_json::from_slice(&body)
        .map_err(|error| malformed(format!("The request body is not valid JSON: {error}.")))?;
    let answer = match endpoint {
        Endpoint::Export => {
            export::answer(service, (model, database.max_nodes), &caller, &asked).await?
        }
        Endpoint::Import => {
            Answer::Json(import::answer(service, (database, model), &caller, &asked).await?)
        }
        Endpoint::Datamodel
        | Endpoint::Private
        | Endpoint::Management
        | Endpoint::OtherService(_) => {
            return Err(Refusal::Path);
        }
    };
    Ok(match answer {
        Answer::Json(value) => json(&value),
        Answer::Response(response) => response,
    })
}

async fn datamodel(settings: &PrismaSettings) -> Result<&Datamodel, Refusal> {
    settings.datamodel().await.map_err(|error| {
        tracing::error!(%error, "the datamodel of the tables cannot be made");
        unavailable()
    })
}

/// The data of a request of the management API or the private one, or its errors.
type Answered = Result<Result<Value, Vec<GraphQLError>>, Refusal>;

/// The request of a body, of which there is one.
fn graphql_request(service: &Service, body: &[u8]) -> Result<Request, Refusal> {
    let body = Body::from_json(body, service.settings.body.json).map_err(Refusal::Malformed)?;
    match body {
        Body::One(parameters) => parameters.into_request().map_err(Refusal::Malformed),
        Body::Batch(_) => Err(Refusal::BatchingDisabled),
    }
}

/// The response with the data or the errors; those of a field have a path, and null as the data.
fn graphql_response(form: ErrorForm, answered: Result<Value, Vec<GraphQLError>>) -> Response {
    let errors = match answered {
        Ok(data) => return json(&json!({ "data": data })),
        Err(errors) => errors,
    };
    let mut body = match errors.iter().any(|error| !error.path.is_empty()) {
        true => b"{\"data\":null,\"errors\":[".to_vec(),
        false => b"{\"errors\":[".to_vec(),
    };
    for (index, error) in errors.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        engine::with_request_id(form.form(error, &Located::default())).write_json(&mut body);
    }
    body.extend_from_slice(b"]}");
    respond(StatusCode::OK, MediaType::Json, body)
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
