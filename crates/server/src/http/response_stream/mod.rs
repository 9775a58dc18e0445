//! Responses that follow each other in the body of one HTTP response.
//!
//! * `format`: the forms of such a body, and content negotiation
//! * `body`: the responses of a subscription as the bytes of a body
//! * `incremental`: the payloads of a response with deferred fragments

mod body;
mod format;
mod incremental;

use std::rc::Rc;

use engine::{Allowed, Caller, Delivery, Kind};
use graphql::Parameters;
use graphql::heap::HeapSize;
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::time::Instant;

use self::body::stream;
pub(super) use self::format::Format;
pub(super) use self::incremental::Incremental;
use super::answer_body::AnswerBody;
use super::connection_context::ConnectionContext;
use super::event_body::EventBody;
use super::exchange::Exchange;
use super::execute::{Executed, Execution, execute_found, find_document};
use super::hooks;
use super::media_type::MediaType;
use super::persisted::Found;
use super::refusal::Refusal;
use super::respond::Response;
use super::service::Service;
use super::subscription::Subscription;
use crate::memory;

/// Proxies that buffer responses pass this one on at once.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// An operation whose client accepts a stream.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) parameters: Parameters,
    pub(super) allowed: Allowed,
    pub(super) caller: Caller,
    /// The time at which the token of the caller expires, if it does.
    pub(super) until: Option<Instant>,
    /// The form of several payloads, if the client accepts them.
    pub(super) incremental: Option<Incremental>,
}

/// The form of the response, if it is a stream. If the client accepts JSON, too, only a subscription
/// or a live query is.
pub(super) fn choose(
    service: &Service,
    accepted: Option<Format>,
    media_type: Option<MediaType>,
    parameters: &Parameters,
    caller: &Caller,
) -> Option<Format> {
    let format = accepted?;
    match media_type.is_none() || has_response_stream(service, parameters, caller) {
        true => Some(format),
        false => None,
    }
}

/// Returns true for a subscription, and for a query with the directive `@live`.
fn has_response_stream(service: &Service, parameters: &Parameters, caller: &Caller) -> bool {
    let may_have = |text: &String| text.contains("subscription") || text.contains("live");
    if !parameters.query.as_ref().is_none_or(may_have) {
        return false;
    }
    let Ok(Found { request, .. }) = service.settings.persisted.find(parameters.clone()) else {
        return false;
    };
    let document = service.worker.document(&request, caller);
    document.is_ok_and(|document| service.worker.has_response_stream(&document, &request))
}

/// Answers an operation by a stream. Errors of its document are responses in the stream, since clients
/// cannot read another body.
pub(super) async fn answer(
    service: &Rc<Service>,
    context: &Rc<ConnectionContext>,
    format: Format,
    operation: Operation,
    exchange: &mut Exchange,
) -> Result<Response, Refusal> {
    let Operation { parameters, allowed, caller, until, incremental } = operation;
    let found = find_document(service, parameters, &caller, exchange.client_address);
    let found = match found.await {
        Ok(mut found) => {
            exchange.counted = std::mem::take(&mut found.counted);
            found
        }
        Err(refusal) => {
            let body = refusal.body_in(service.worker.error_form());
            let response = respond(format, AnswerBody::Whole(format.failed(&body)));
            exchange.refusal = Some(refusal);
            return Ok(response);
        }
    };
    let has_hooks = service.settings.hooks.is_some();
    let document = match service.worker.document(&found.request, &caller) {
        Ok(document) => Some(document),
        // A hook may give the caller claims with which it is valid.
        Err(_) if has_hooks => None,
        Err(response) => return Ok(fail(format, &response, exchange)),
    };
    let streamed =
        document.filter(|document| service.worker.has_response_stream(document, &found.request));
    match streamed {
        Some(_) if has_hooks => {
            let refusal = hooks::refuse_stream();
            let body = refusal.body_in(service.worker.error_form());
            exchange.refusal = Some(refusal);
            Ok(respond(format, AnswerBody::Whole(format.failed(&body))))
        }
        Some(document) => {
            exchange.report.operation = Some(document.operation.kind);
            exchange.report.set_document(&document);
            let begun = subscribe(service, context, caller, found)?;
            Ok(match begun {
                Ok(subscription) => {
                    let stream = stream(context, format, subscription, until);
                    respond(format, AnswerBody::Events(Box::new(EventBody::new(stream))))
                }
                Err(response) => fail(format, &response, exchange),
            })
        }
        None => {
            let execution = Execution {
                caller: &caller,
                allowed,
                delivery: Delivery::Whole,
                incremental: incremental.map(Incremental::format),
            };
            let (began, report) = (exchange.started, &mut exchange.report);
            let executed = execute_found(service, found, execution, began, report).await?;
            let Executed { response, operation_name, .. } = executed;
            exchange.operation_name = operation_name;
            if let (Some(form), Some(_)) = (incremental, &response.payloads) {
                return Ok(respond_incrementally(service, form, response));
            }
            Ok(match response.kind {
                Kind::Executed => respond(format, AnswerBody::Whole(format.single(&response.body))),
                Kind::RequestError | Kind::MutationRefused | Kind::Overloaded => {
                    fail(format, &response, exchange)
                }
            })
        }
    }
}

fn subscribe(
    service: &Service,
    context: &ConnectionContext,
    caller: Caller,
    Found { request, learn, .. }: Found,
) -> Result<Result<Subscription, engine::Response>, Refusal> {
    if let Some(hash) = learn {
        service.settings.persisted.learn(hash, &request.query);
    }
    let bytes = request.query.len() + request.variables.heap_size() + request.files.bytes();
    let bytes = bytes + request.numbers.heap_size();
    let held = service.process.bodies.reserve(bytes as u64)?;
    Ok(Subscription::begin(&context.current, request, caller, held))
}

/// The stream of an operation that was not executed.
fn fail(format: Format, response: &engine::Response, exchange: &mut Exchange) -> Response {
    exchange.record_errors(&response.body);
    respond(format, AnswerBody::Whole(format.failed(&response.body)))
}

/// The response with the payloads of an operation: one, unless there are deferred fragments.
pub(super) fn respond_incrementally(
    service: &Service,
    form: Incremental,
    response: engine::Response,
) -> Response {
    let engine::Response { body, held, payloads, .. } = response;
    let initial = memory::answer(body.into(), held);
    let keep_alive = service.settings.subscriptions.ping_interval;
    let body = match payloads {
        Some(payloads) => {
            let stream = form.stream(&initial, payloads, keep_alive);
            AnswerBody::Events(Box::new(EventBody::new(stream)))
        }
        None => AnswerBody::Whole(form.single(&initial)),
    };
    respond_as(form.content_type(), body)
}

/// The response with a stream as its body.
pub(super) fn respond(format: Format, body: AnswerBody) -> Response {
    respond_as(format.content_type(), body)
}

fn respond_as(content_type: &'static str, body: AnswerBody) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
