//! Hooks: webhooks before and after an operation. A hook receives a JSON object, and its answer says
//! what becomes of the operation.
//!
//! * `question`: what a hook receives
//! * `answer`: what it may answer

mod answer;
mod question;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::connect::ConnectError;
use clients::egress::{Client, Egress, EgressRequest, EgressSettings, Network};
use clients::hosts::AllowedHost;
use clients::log_throttle::LogThrottle;
use engine::gateway::headers::REQUEST_ID;
use engine::{Caller, Claims, Delivery, MemoryReservation, Report, RequestHead};
use graphql::{ErrorCode, GraphQLError};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Uri};
use serde_json_bytes::Value as Json;

use self::answer::{AfterAnswer, BeforeAnswer, Changes, HookFault};
use self::question::Question;
use super::execute::{Executed, Execution, check_again, execute_in_time};
use super::persisted::Found;
use super::refusal::Refusal;
use super::service::Service;
use crate::options::{HookFailure, HookOptions, HookPart, HookUrl};
use crate::request_id::RequestId;

/// The size limit of an answer, which may have a response.
const MOST_ANSWER_BYTES: usize = 8 << 20;

/// Connections to hooks of one thread.
const MOST_CONNECTIONS: usize = 64;

/// Concurrent requests to hooks, over all threads.
const MOST_REQUESTS: usize = 1024;

/// A hook that is down fails for every operation.
static FAILED: LogThrottle = LogThrottle::new(Duration::from_secs(10));

/// The hooks of the options.
#[derive(Debug)]
pub(super) struct Hooks {
    before: Option<Uri>,
    after: Option<Uri>,
    failure: HookFailure,
    parts: Box<[HookPart]>,
    egress: Arc<Egress>,
}

impl Hooks {
    /// `None` without a hook.
    pub(super) fn new(options: &HookOptions) -> Result<Option<Self>, ConnectError> {
        let url = |url: &Option<HookUrl>| url.as_ref().map(|url| url.0.clone());
        let (before, after) = (url(&options.hook_request), url(&options.hook_response));
        let urls = || before.iter().chain(&after);
        if urls().next().is_none() {
            return Ok(None);
        }
        // No other hosts: redirects are not followed, either.
        let host = |url: &Uri| {
            let host = url.host().unwrap_or_default().to_ascii_lowercase();
            AllowedHost::Named(host.into())
        };
        let everywhere =
            ["0.0.0.0/0", "::/0"].iter().filter_map(|text| text.parse::<Network>().ok());
        let settings = EgressSettings {
            hosts: urls().map(host).collect(),
            // The operator names the addresses, which are those of neighbours more often than not.
            networks: everywhere.collect(),
            timeout: options.hook_timeout.0,
            most_bytes: MOST_ANSWER_BYTES,
            connections: MOST_CONNECTIONS,
            most_requests: MOST_REQUESTS,
            authorities: None,
        };
        let is_encrypted = urls().any(|url| url.scheme_str() == Some("https"));
        let egress = Egress::new(settings, is_encrypted)?;
        let (failure, parts) = (options.hook_failure, options.hook_send.as_slice().into());
        Ok(Some(Self { before, after, failure, parts, egress }))
    }

    /// A client of one thread.
    pub(super) fn client(&self) -> Client {
        Client::new(&self.egress)
    }

    /// The head of a request, for hooks to receive.
    pub(super) fn head(headers: &HeaderMap) -> Arc<RequestHead> {
        Arc::new(RequestHead { headers: headers.clone(), ..RequestHead::default() })
    }

    fn sends(&self, part: HookPart) -> bool {
        self.parts.contains(&part)
    }

    /// Asks a hook. Its failure is a refusal, or `None` where the operation goes on without it.
    async fn ask<A>(
        &self,
        service: &Service,
        url: &Uri,
        question: String,
        read: impl FnOnce(&[u8]) -> Result<A, HookFault>,
    ) -> Result<Option<A>, Refusal> {
        let fault = match self.send(service, url, question).await {
            Ok(body) if body.is_empty() => return Ok(None),
            Ok(body) => match read(&body) {
                Ok(answer) => return Ok(Some(answer)),
                Err(fault) => fault,
            },
            Err(fault) => fault,
        };
        if let Some(times) = FAILED.record() {
            let url = redact::address(&url.to_string()).into_owned();
            tracing::warn!(url, times, error = %fault, "a hook fails");
        }
        match self.failure {
            HookFailure::Fail => Err(Refusal::HookFailed),
            HookFailure::Continue => Ok(None),
        }
    }

    async fn send(
        &self,
        service: &Service,
        url: &Uri,
        question: String,
    ) -> Result<Bytes, HookFault> {
        let Some(client) = &service.hook_client else { return Ok(Bytes::new()) };
        let json = HeaderValue::from_static("application/json");
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, json)]);
        let id = RequestId::current();
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
            headers.insert(REQUEST_ID, id);
        }
        let held = RefCell::new(MemoryReservation::of(&service.process.memory));
        let request = EgressRequest {
            method: Method::POST,
            url: url.clone(),
            headers,
            body: question.into(),
            deadline: None,
            timeout: None,
            reserve: &|bytes| held.borrow_mut().grow_to(bytes as u64).is_ok(),
        };
        let response = client.send(request).await.map_err(HookFault::of)?;
        match response.status {
            200 | 204 => Ok(response.body),
            status => Err(HookFault::of(format!("it answers with the status {status}"))),
        }
    }
}

/// Executes an operation between its hooks.
pub(super) async fn execute(
    service: &Service,
    hooks: &Hooks,
    found: Found,
    execution: Execution<'_>,
    began: Instant,
    report: &mut Report,
) -> Result<Executed, Refusal> {
    let mut caller = execution.caller.clone();
    let mut question = Question::new(hooks, &found.request);
    let mut given = None;
    if let Some(url) = &hooks.before {
        let text = question.before(hooks, &caller);
        let read = |body: &[u8]| BeforeAnswer::read(body);
        match hooks.ask(service, url, text, read).await? {
            None => {}
            Some(BeforeAnswer::Refuse(refusal)) => return Err(Refusal::Hook(Box::new(refusal))),
            Some(BeforeAnswer::Respond(response)) => given = Some(response),
            Some(BeforeAnswer::Proceed(changes)) => {
                question.context = changes.context.clone();
                let has_claims = changes.claims.is_some();
                if let Err(fault) = change(service, &mut caller, changes) {
                    // The answer asks for claims that are no session: what it wants cannot be had.
                    tracing::warn!(error = %fault, "a hook fails");
                    return Err(Refusal::HookFailed);
                }
                if has_claims {
                    check_again(service, &found.request, &caller)?;
                }
            }
        }
    }
    let mut executed = match given {
        Some(response) => {
            let operation_name = found.request.operation_name;
            Executed { response, operation_name, counted: found.counted }
        }
        None => {
            let execution = Execution { caller: &caller, ..execution };
            // The hook receives the whole response.
            let execution = match hooks.after.is_some() {
                true => Execution { delivery: Delivery::Whole, incremental: None, ..execution },
                false => execution,
            };
            execute_in_time(service, found, execution, began, report).await?
        }
    };
    if let Some(url) = &hooks.after {
        let text = question.after(hooks, &caller, &executed.response.body);
        match hooks.ask(service, url, text, AfterAnswer::read).await? {
            None | Some(AfterAnswer::Proceed) => {}
            Some(AfterAnswer::Refuse(refusal)) => return Err(Refusal::Hook(Box::new(refusal))),
            Some(AfterAnswer::Respond(response)) => executed.response = response,
        }
    }
    Ok(executed)
}

/// The refusal of an operation with several responses: hooks are about one.
pub(super) fn refuse_stream() -> Refusal {
    Refusal::Operation(GraphQLError::new(
        ErrorCode::NotSupported,
        "This server has hooks (--hook-request, --hook-response), through which subscriptions and \
         live queries do not pass; so they are refused.",
    ))
}

/// Changes the headers and the claims of a caller.
fn change(service: &Service, caller: &mut Caller, changes: Changes) -> Result<(), HookFault> {
    let Changes { headers, claims, context: _ } = changes;
    if headers.is_empty() && claims.is_none() {
        return Ok(());
    }
    let mut head = caller.head.as_deref().cloned().unwrap_or_default();
    for (name, value) in headers {
        match value {
            Some(value) => drop(head.headers.insert(name, value)),
            None => drop(head.headers.remove(name)),
        }
    }
    let claims = match claims {
        Some(claims) => Some(Claims::new(Json::Object(claims))),
        None => caller.session.claims.as_deref().cloned(),
    };
    let credentials = &service.settings.credentials;
    caller.session = credentials.session_of(claims, &head.headers).map_err(HookFault::of)?;
    if let Some(wanted) = service.worker.read_headers() {
        let mut forwarded = Box::new(wanted.collect(&head.headers));
        forwarded.trace = caller.forwarded.as_ref().and_then(|before| before.trace);
        let id = RequestId::current();
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
            forwarded.set(REQUEST_ID, id);
        }
        caller.forwarded = Some(forwarded);
    }
    caller.head = Some(Arc::new(head));
    Ok(())
}
