//! `/api/rest/…`: stored operations with addresses of their own.
//!
//! * `template`: addresses with parameters
//! * `variables`: variables from parameters of the path, the query string and the body

mod template;
mod variables;

use std::sync::Arc;

use engine::{Allowed, Caller, Delivery, Kind};
use graphql::operation::OperationKind;
use graphql::{GraphQLError, Request};
use hasura_metadata::Metadata;
use hasura_metadata::types::query_collection::{RestEndpoint, RestMethod};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};

use self::template::Template;
use self::variables::{Declared, GivenValue, RestVariables};
use super::failure::Failure;
use super::{Answer, EndpointRequest, HttpRequest, admission};
use crate::http::execute::{Execution, count_operation, execute_found};
use crate::http::media_type::{MediaType, is_readable};
use crate::http::persisted::Found;
use crate::http::refusal::Refusal;
use crate::http::respond::respond_held;

/// The beginning of all addresses.
const PREFIX: &str = "/api/rest/";

/// The endpoints of metadata.
#[derive(Debug, Default)]
pub(super) struct RestEndpoints(Vec<Endpoint>);

/// An operation with an address.
#[derive(Debug)]
struct Endpoint {
    template: Template,
    methods: Vec<Method>,
    query: Arc<str>,
    variables: Vec<Declared>,
}

/// A match of an address.
#[derive(Debug)]
enum Matched<'e> {
    One(&'e Endpoint, Vec<(&'e str, String)>),
    None,
    /// Other methods have an endpoint.
    Methods(Vec<&'e Method>),
    Several,
}

impl RestEndpoints {
    /// The endpoints of metadata. Adds a problem for each that cannot be served.
    pub(super) fn new(metadata: Option<&Metadata>, problems: &mut Vec<String>) -> Self {
        let Some(metadata) = metadata else { return Self::default() };
        let mut endpoints: Vec<Endpoint> = Vec::new();
        for endpoint in &metadata.rest_endpoints {
            match Endpoint::new(endpoint, metadata) {
                Ok(made) => {
                    let other = endpoints.iter().find(|other| {
                        other.template.overlaps(&made.template)
                            && other.methods.iter().any(|method| made.methods.contains(method))
                    });
                    match other {
                        None => endpoints.push(made),
                        Some(other) => problems.push(format!(
                            "the REST endpoints `{}` and `{}` have the same address for a method",
                            other.template.text(),
                            made.template.text()
                        )),
                    }
                }
                Err(problem) => {
                    let name = &endpoint.name.text;
                    problems
                        .push(format!("the REST endpoint `{name}` cannot be served: {problem}"));
                }
            }
        }
        Self(endpoints)
    }

    fn find(&self, method: &Method, path: &str) -> Matched<'_> {
        let segments: Option<Vec<String>> = path.split('/').map(template::decoded).collect();
        let Some(segments) = segments else { return Matched::None };
        let fitting = self
            .0
            .iter()
            .filter_map(|endpoint| Some((endpoint, endpoint.template.matched(&segments)?)));
        let fitting: Vec<_> = fitting.collect();
        let mut own = fitting.iter().filter(|(endpoint, _)| endpoint.methods.contains(method));
        match (own.next(), own.next()) {
            (Some((endpoint, parameters)), None) => Matched::One(endpoint, parameters.clone()),
            (Some(_), Some(_)) => Matched::Several,
            (None, _) if fitting.is_empty() => Matched::None,
            (None, _) => {
                Matched::Methods(fitting.iter().flat_map(|(one, _)| &one.methods).collect())
            }
        }
    }
}

impl Endpoint {
    fn new(endpoint: &RestEndpoint, metadata: &Metadata) -> Result<Self, String> {
        let reference = &endpoint.definition.query;
        let (collection, name) = (&reference.collection_name.text, &reference.query_name.text);
        let mut collections = metadata.query_collections.iter();
        let query = collections
            .find(|own| own.name.text == *collection)
            .and_then(|own| own.definition.queries.iter().find(|query| query.name.text == *name))
            .ok_or_else(|| format!("there is no operation `{name}` in `{collection}`"))?;
        let document = graphql::parse_executable(&query.query)
            .map_err(|error| format!("`{name}` is no GraphQL: {}", error.message))?;
        let operation = match (document.operations.as_slice(), document.fragments.as_slice()) {
            ([operation], []) => operation,
            _ => return Err(format!("`{name}` must have one operation and nothing else")),
        };
        if operation.kind == OperationKind::Subscription {
            return Err(format!("`{name}` is a subscription"));
        }
        if endpoint.methods.is_empty() {
            return Err("it has no method".into());
        }
        let methods = endpoint.methods.iter().map(|method| match method {
            RestMethod::Get => Method::GET,
            RestMethod::Post => Method::POST,
            RestMethod::Put => Method::PUT,
            RestMethod::Delete => Method::DELETE,
            RestMethod::Patch => Method::PATCH,
        });
        let variables = operation.variables.iter().map(Declared::new);
        Ok(Self {
            template: Template::new(&endpoint.url)?,
            methods: methods.collect(),
            query: query.query.as_str().into(),
            variables: variables.collect(),
        })
    }
}

pub(super) async fn answer(asked: EndpointRequest<'_>, request: HttpRequest) -> Answer {
    let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default().to_owned();
    let (endpoint, parameters) = match asked.settings.rest.find(request.method(), &path) {
        Matched::One(endpoint, parameters) => (endpoint, parameters),
        Matched::None => {
            return Err(Failure::new(StatusCode::NOT_FOUND, "not-found", "Endpoint not found"));
        }
        Matched::Several => {
            let message = "Multiple endpoints match request";
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Err(Failure::new(status, "unexpected", message));
        }
        Matched::Methods(methods) => return Ok(other_methods(&methods)),
    };
    let mut caller = asked.caller(request.headers()).await?;
    if let Some(positions) = asked.service.settings.positions {
        caller.freshness = positions.freshness(request.headers());
    }
    let mut given = RestVariables::default();
    for (name, value) in parameters {
        given.insert(name.to_owned(), GivenValue::Text(value));
    }
    let query_string = request.uri().query().unwrap_or_default();
    for (name, value) in form_urlencoded::parse(query_string.as_bytes()) {
        given.entry(name.into_owned()).or_insert(GivenValue::Text(value.into_owned()));
    }
    let (head, body) = request.into_parts();
    let bytes = asked.bytes(&head.headers, body).await?;
    read_body(&head.headers, &bytes, &mut given)?;
    let variables = variables::resolve(&endpoint.variables, given, asked.limits())
        .map_err(Failure::bad_request)?;
    let request =
        Request { query: endpoint.query.as_ref().to_owned(), variables, ..Request::default() };
    execute(asked, request, &caller).await
}

/// Adds the members of a body, JSON or a form, to the values.
fn read_body(headers: &HeaderMap, bytes: &[u8], given: &mut RestVariables) -> Result<(), Failure> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or("application/json");
    if content_type.starts_with("application/x-www-form-urlencoded") {
        for (name, value) in form_urlencoded::parse(bytes) {
            given.entry(name.into_owned()).or_insert(GivenValue::Text(value.into_owned()));
        }
        return Ok(());
    }
    if !is_readable(content_type) {
        return Err(Failure::refused(&Refusal::ContentType));
    }
    let body: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| Failure::invalid_json(&error))?;
    let serde_json::Value::Object(members) = body else {
        return Err(Failure::bad_request("Body should either be a JSON object or empty"));
    };
    for (name, value) in members {
        // A parameter of the path decides which object is meant.
        given.entry(name).or_insert(GivenValue::Json(value));
    }
    Ok(())
}

async fn execute(asked: EndpointRequest<'_>, request: Request, caller: &Caller) -> Answer {
    let service = asked.service;
    let refused = |error: GraphQLError| {
        let formed = service.worker.form_error(error, &request, &caller.session);
        Failure::of_body(&engine::Response::request_error(&[formed]).body)
    };
    let client = asked.exchange.client_address;
    admission::check(service, &request, caller, client).map_err(refused)?;
    let counting = count_operation(service, &request, caller, client);
    let counting = counting.map_err(|refusal| Failure::refused(&refusal))?;
    let counted = counting.finish().await;
    let counted = counted.map_err(|reason| Failure::refused(&reason.into()))?;
    asked.exchange.counted.clone_from(&counted);
    let execution =
        Execution { caller, allowed: Allowed::All, delivery: Delivery::Whole, incremental: None };
    let (began, report) = (asked.exchange.started, &mut asked.exchange.report);
    let found = Found { request, learn: None, counted };
    let executed = execute_found(service, found, execution, began, report).await;
    let response = executed.map_err(|refusal| Failure::refused(&refusal))?.response;
    let has_failed = !asked.exchange.report.codes.is_empty();
    let data = response.body.strip_prefix(b"{\"data\":").and_then(|data| data.strip_suffix(b"}"));
    match (response.kind, data) {
        (Kind::Executed, Some(data)) if !has_failed => {
            let (data, held) = (data.to_vec(), response.held);
            Ok(respond_held(StatusCode::OK, MediaType::Json, data, held))
        }
        (Kind::Overloaded, _) => Err(Failure::refused(&Refusal::Overloaded)),
        _ => Err(Failure::of_body(&response.body)),
    }
}

/// The refusal of a method that the address does not have.
fn other_methods(methods: &[&Method]) -> crate::http::respond::Response {
    let mut names: Vec<&str> = methods.iter().map(|method| method.as_str()).collect();
    names.dedup();
    let names = names.join(", ");
    let message = format!("Allowed methods: {names}");
    let failure = Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", message);
    let mut response = failure.respond();
    if let Ok(names) = HeaderValue::from_str(&names) {
        response.headers_mut().insert(ALLOW, names);
    }
    response
}

#[cfg(test)]
mod tests;
