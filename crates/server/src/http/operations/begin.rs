//! Begins an operation over a connection with several operations, and records it as a request.

use std::rc::Rc;

use engine::gateway::headers::REQUEST_ID;
use engine::gateway::{IncrementalFormat, Payloads};
use engine::{Allowed, Caller, Delivery, JsonBody, Kind, MemoryReservation};
use futures_util::future::LocalBoxFuture;
use graphql::{ErrorCode, GraphQLError, Parameters};
use hyper::StatusCode;
use hyper::header::HeaderValue;

use crate::http::client_address::ClientAddress;
use crate::http::connection_context::ConnectionContext;
use crate::http::exchange::Exchange;
use crate::http::execute::{Executed, Execution, begin_counting, execute_found};
use crate::http::hooks;
use crate::http::persisted::Found;
use crate::http::rate_limits::Counting;
use crate::http::refusal::Refusal;
use crate::http::service::Service;
use crate::http::subscription::{Event, Subscription};
use crate::memory;
use crate::request_id::{RequestId, RequestScope};

/// The work of an operation.
pub(in crate::http) enum Work {
    /// A query or a mutation, which has one event, and further payloads of deferred fragments.
    Once(LocalBoxFuture<'static, (Event, Option<Payloads>)>),
    Subscription(Box<Subscription>),
    /// A subscription that begins when the rate limits have counted it; the event is their refusal.
    Counting(LocalBoxFuture<'static, Result<(), Event>>, Box<Subscription>),
}

/// What the client of an operation accepts.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct Accepts {
    /// The format of several payloads of deferred fragments.
    pub(in crate::http) incremental: Option<IncrementalFormat>,
    /// Results of queries and mutations.
    pub(in crate::http) is_once: bool,
}

/// Begins an operation of the caller, whose request needs so many bytes.
pub(in crate::http) fn begin(
    context: &ConnectionContext,
    mut caller: Caller,
    parameters: Parameters,
    bytes: u64,
    accepts: Accepts,
) -> Work {
    let service = context.current.get();
    let id = RequestId::given_or_new(None);
    if let (Some(forwarded), Ok(id)) = (&mut caller.forwarded, HeaderValue::from_str(id.as_str())) {
        forwarded.set(REQUEST_ID, id);
    }
    id.run(|| {
        let mut exchange = Exchange::of_socket(&service, context);
        let client = (&caller, exchange.client_address);
        let (found, counting, held) = match find(&service, parameters, client, bytes) {
            Ok(found) => found,
            Err(refusal) => return Work::failed(refuse(&service, exchange, refusal)),
        };
        let document = match service.worker.document(&found.request, &caller) {
            Ok(document) => Some(document),
            // A hook may give the caller claims with which it is valid.
            Err(_) if service.settings.hooks.is_some() && accepts.is_once => None,
            Err(response) => return Work::failed(end(exchange, response)),
        };
        let streamed = document
            .filter(|document| service.worker.has_response_stream(document, &found.request));
        match streamed {
            Some(_) if service.settings.hooks.is_some() => {
                let refusal = hooks::refuse_stream();
                Work::failed(refuse(&service, exchange, refusal))
            }
            Some(document) => {
                exchange.report.operation = Some(document.operation.kind);
                exchange.report.set_document(&document);
                subscribe(context, &service, (caller, counting), found, held, exchange)
            }
            None if !accepts.is_once => {
                let error = GraphQLError::new(
                    ErrorCode::BadUserInput,
                    "The subprotocol \"graphql-subscriptions\" is for subscriptions alone: send \
                     queries and mutations by POST, or over another subprotocol.",
                );
                Work::failed(refuse(&service, exchange, Refusal::Malformed(error)))
            }
            None => {
                let (limits, incremental) = ((counting, held), accepts.incremental);
                let work = execute(service, caller, found, (limits, incremental), exchange);
                let scope = RequestScope::current().unwrap_or(RequestScope { id, trace: None });
                Work::Once(Box::pin(scope.scope(work)))
            }
        }
    })
}

/// Finds the document of an operation, begins to count it, and reserves memory for its request.
fn find(
    service: &Service,
    parameters: Parameters,
    (caller, client): (&Caller, ClientAddress),
    bytes: u64,
) -> Result<(Found, Counting, MemoryReservation), Refusal> {
    let held = service.process.bodies.reserve(bytes)?;
    let (found, counting) = begin_counting(service, parameters, caller, client)?;
    Ok((found, counting, held))
}

/// Begins a subscription. Its record ends now: it may run for days.
fn subscribe(
    context: &ConnectionContext,
    service: &Rc<Service>,
    (caller, counting): (Caller, Counting),
    Found { request, learn, .. }: Found,
    held: MemoryReservation,
    mut exchange: Exchange,
) -> Work {
    if let Some(hash) = learn {
        service.settings.persisted.learn(hash, &request.query);
    }
    let subscription = match Subscription::begin(&context.current, request, caller, held) {
        Ok(subscription) => Box::new(subscription),
        Err(response) => return Work::failed(end(exchange, response)),
    };
    match counting {
        Counting::Done(_) => {
            exchange.end(StatusCode::OK);
            Work::Subscription(subscription)
        }
        Counting::Asking(counted) => {
            let service = Rc::clone(service);
            let counted = async move {
                match counted.await {
                    Ok(_) => {
                        exchange.end(StatusCode::OK);
                        Ok(())
                    }
                    Err(reason) => Err(refuse(&service, exchange, reason.into())),
                }
            };
            Work::Counting(Box::pin(counted), subscription)
        }
    }
}

async fn execute(
    service: Rc<Service>,
    caller: Caller,
    found: Found,
    ((counting, _held), incremental): ((Counting, MemoryReservation), Option<IncrementalFormat>),
    mut exchange: Exchange,
) -> (Event, Option<Payloads>) {
    if let Err(reason) = counting.finish().await {
        return (refuse(&service, exchange, reason.into()), None);
    }
    let delivery = Delivery::Whole;
    let execution = Execution { caller: &caller, allowed: Allowed::All, delivery, incremental };
    let (began, report) = (exchange.started, &mut exchange.report);
    let executed = execute_found(&service, found, execution, began, report).await;
    match executed {
        Ok(Executed { mut response, operation_name, .. }) => {
            exchange.operation_name = operation_name;
            let payloads = response.payloads.take();
            (end(exchange, response), payloads)
        }
        Err(refusal) => (refuse(&service, exchange, refusal), None),
    }
}

/// Ends the record with a response.
fn end(mut exchange: Exchange, response: engine::Response) -> Event {
    if response.kind != Kind::Executed {
        exchange.record_errors(&response.body);
    }
    exchange.response_bytes = response.body.len() as u64;
    exchange.end(StatusCode::OK);
    let body = match response.body {
        JsonBody::Own(body) => memory::answer(body, response.held),
        JsonBody::Cached(body) => body,
    };
    match response.kind {
        Kind::Executed => Event::Result(body),
        Kind::RequestError | Kind::MutationRefused | Kind::Overloaded => Event::Errors(body),
    }
}

/// Ends the record with a refusal.
fn refuse(service: &Service, mut exchange: Exchange, refusal: Refusal) -> Event {
    let (status, body) = (refusal.status(), refusal.body_in(service.worker.error_form()));
    exchange.refusal = Some(refusal);
    exchange.end(status);
    Event::Errors(body.into())
}

impl Work {
    /// An operation that has ended already.
    fn failed(event: Event) -> Self {
        Self::Once(Box::pin(async { (event, None) }))
    }
}
