//! Execution of operations that select fields of other servers: the answer of the source is written
//! as a whole, and the values of other servers take the places of its placeholders.
//!
//! Requests of the root fields of a query are sent beside the statements of the source, and those of
//! rows after them. The root fields of a mutation are executed one after the other:
//! <https://spec.graphql.org/draft/#sec-Mutation>.

mod projections;
mod related;
mod values;

use std::time::Instant;

use clients::egress::{EgressError, EgressRequest, EgressResponse};
use futures_util::future::try_join;
use futures_util::{StreamExt, stream};
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, PathSegment, Request};
use http_resolvers::answer::Answer;
use http_resolvers::preset::ClientPresets;
use http_resolvers::splice::{MARK, Placeholders};
use http_resolvers::webhook::WebhookClient;
use http_resolvers::{HttpCall, HttpResolver};
use response::{MemoryReservation, TooLarge, Written};
use source::Executed;

use projections::Projections;
use related::RelatedContext;
use values::FilledValues;

use super::logged_actions::LoggingClient;
use super::{NOT_TAKEN, Ready, Worker, failed};
use crate::caller::Caller;
use crate::headers::Forwarded;
use crate::prepare::Prepared;
use crate::report::{Report, Timed};
use crate::resolvers::action::{SentAction, action_output, is_admin};
use crate::resolvers::batch::{PlannedCall, PlannedCalls, Selected};
use crate::resolvers::map_error::{call_error, egress_error, preset_error, too_many_calls};
use crate::resolvers::session_variables::session_variables;
use crate::resolvers::statistics::{Calls, RunningCall};
use crate::respond::{DATA, Response, execution_error, our_bug, write_errors};

/// The data of an answer, as far as it is known.
#[derive(Debug)]
struct Data {
    /// The beginning of the response, up to the end of the object's last member.
    body: Vec<u8>,
    /// True if the whole object is null.
    is_null: bool,
    /// Number of parts.
    parts: usize,
    errors: Vec<GraphQLError>,
    held: MemoryReservation,
    /// The most bytes.
    most: u64,
}

/// Bytes of indexes for each byte of an answer: an element takes two bytes of the answer at least.
const INDEX: u64 = 8;

/// The response to a request, or its errors.
type Responded = Result<Response, Vec<GraphQLError>>;

impl Worker {
    /// Executes all parts of an operation, one after the other.
    pub(super) async fn run_resolved(
        &self,
        ready: &Ready,
        request: &Request,
        caller: &Caller,
        report: &mut Report,
    ) -> Responded {
        let engine = &*self.engine;
        let started = report.started.unwrap_or_else(Instant::now);
        let deadline = self.time_limit.map(|limit| started + limit);
        let timed = Timed::since(ready.since, &mut report.stages.execute);
        let held = MemoryReservation::of(&self.memory);
        let mut data = Data::new(held, engine.limits.response_bytes);
        let mut calls_left = engine.resolvers.as_ref().map_or(0, |known| known.most_calls);
        let of_role = engine.view(&caller.session)?.id;
        let of_role = of_role.and_then(|id| engine.api.role_views.presets(id));
        let variables = of_role.map(|_| session_variables(&caller.session)).unwrap_or_default();
        let presets = of_role.map(|presets| ClientPresets { presets, session: &variables });
        let recorded = self.recorded(ready.kind, &caller.session);
        let session = recorded.as_ref().unwrap_or(&caller.session);
        let selected = (&ready.known.document.operation, &ready.variables);
        let of_others = self.further_cost(&ready.prepared, selected, &caller.session);
        if of_others > 0 {
            let cost = ready.cost.saturating_add(of_others);
            report.cost = Some(cost);
            engine.limits.cost.check(cost).map_err(|error| vec![error])?;
        }
        let stops = self.stops_at_errors(ready.kind);
        let mut next = Some(&ready.prepared);
        let mut failure = None;
        while let Some(part) = next {
            let inputs = async {
                let variables = ready.variables(&caller.session);
                let echoes = part.echoes(variables);
                let echoes =
                    echoes.map_err(|error| engine.map_error(&error).logged_as(NOT_TAKEN))?;
                let passwords = self.passwords(part, variables, &caller.session).await?;
                Ok((echoes, passwords))
            };
            let (echoes, passwords) = match inputs.await {
                Ok(inputs) => inputs,
                Err(error) if data.parts == 0 => return Err(vec![error]),
                Err(error) => return Ok(Response::without_data(&error, &mut report.codes)),
            };
            let freshness = caller.freshness;
            let params = self.params(ready, session, freshness, (&echoes, &passwords));
            let held = MemoryReservation::of(&self.memory);
            let sink = part.begin(b"", engine.limits.response_bytes, held);
            let (plan, observed) = (&part.plan, &mut report.observed);
            let whole = source::Delivery::Whole;
            let calls = &report.calls;
            let document = &*request.query;
            let context = PartContext { part, ready, caller, document, deadline, calls, presets };
            let mut requests = self.begin_requests(context, &mut calls_left);
            let delivered = self.connections.deliver(plan, params, sink, whole, observed);
            // Polled first, so that connections to other servers are begun before a source such as
            // SQLite occupies the thread. If the source fails, the requests are cancelled.
            let sent = async {
                if let Some(requests) = &mut requests {
                    self.send_planned(requests, context).await;
                }
                Ok(())
            };
            match try_join(sent, delivered).await.map(|((), executed)| executed) {
                Ok(Executed::Whole(written)) => {
                    part.end(&written.data);
                    let errors = written.errors;
                    let errors =
                        errors.into_iter().map(|one| of_field(execution_error(engine, one)));
                    data.errors.extend(errors);
                    let written =
                        Written { data: written.data, held: written.held, errors: vec![] };
                    let left = &mut calls_left;
                    let replaced = self.replace(context, written, requests, left, &mut data).await;
                    if let Err(error) = replaced {
                        failure = Some(error);
                        break;
                    }
                }
                Ok(Executed::Streamed(_)) => {
                    return Err(vec![our_bug("a part of an answer is streamed")]);
                }
                Err(error) if data.parts == 0 => {
                    drop(timed);
                    return Ok(failed(engine, error, report));
                }
                Err(error) => {
                    // Parts before this one are done.
                    let error = crate::respond::execute_error(engine, error);
                    drop(timed);
                    return Ok(Response::without_data(&error, &mut report.codes));
                }
            }
            // The answer has errors only, so nobody would know of changes after them.
            if stops && !data.errors.is_empty() {
                break;
            }
            next = part.next.as_ref();
        }
        drop(timed);
        report.stages.split_off_write(report.observed.write);
        engine.reweigh(&ready.known, request.operation_name.as_deref(), &ready.prepared);
        Ok(match failure {
            Some(error) => too_large(engine, ready.kind, error, report),
            None => data.respond(engine, &mut report.codes),
        })
    }

    /// Plans the requests that need nothing of the source; `None` if the part has no fields of other
    /// servers.
    fn begin_requests<'a>(
        &'a self,
        context: PartContext<'a>,
        calls_left: &mut usize,
    ) -> Option<Requests<'a>> {
        let PartContext { part, ready, .. } = context;
        let engine = &*self.engine;
        let selected = Selected {
            api: &engine.api,
            plan: part.resolved.as_deref()?,
            operation: &ready.known.document.operation,
            variables: &ready.variables,
            most_fields: engine.limits.document.fields,
            is_mutation: ready.kind == OperationKind::Mutation,
            presets: context.presets,
        };
        let mut requests = Requests {
            selected,
            projections: Projections::new(selected),
            planned: selected.root_calls(),
            responses: Vec::new(),
            is_allowed: true,
        };
        requests.allow(calls_left);
        Some(requests)
    }

    /// Sends the planned requests that were not sent yet, if they are allowed.
    async fn send_planned(&self, requests: &mut Requests<'_>, context: PartContext<'_>) {
        let Requests { selected, projections, planned, responses, is_allowed } = requests;
        if !*is_allowed {
            return;
        }
        let PartContext { caller, document, deadline, calls, .. } = context;
        let sending =
            Sending { selected: *selected, projections, caller, document, deadline, calls };
        let unsent = planned.calls.get(responses.len()..).unwrap_or_default();
        responses.append(&mut self.send_all(sending, unsent).await);
    }

    /// Adds the answer of a part, with the values of other servers.
    async fn replace(
        &self,
        context: PartContext<'_>,
        written: Written<std::convert::Infallible>,
        requests: Option<Requests<'_>>,
        calls_left: &mut usize,
        data: &mut Data,
    ) -> Result<(), TooLarge> {
        let (engine, source) = (&*self.engine, written.data);
        let (Some(mut requests), Some(known)) = (requests, engine.resolvers.as_ref()) else {
            return data.add(source.len(), |output| output.extend_from_slice(&source));
        };
        let selected = requests.selected;
        let Ok(found) = Placeholders::find(&source, &selected.plan.positions) else {
            data.errors.push(our_bug("an answer of the source cannot be read"));
            data.is_null = true;
            return Ok(());
        };
        let mut held = MemoryReservation::of(&self.memory);
        // The requests take about as much.
        held.grow_to(2 * found.memory_size() as u64)?;
        selected.add_calls(&source, &found, &mut requests.planned);
        requests.allow(calls_left);
        self.send_planned(&mut requests, context).await;
        let Requests { projections, planned, responses, is_allowed, .. } = requests;
        // Indexes of the members and elements of answers.
        let received = responses.iter().filter_map(|one| one.response.as_ref().ok());
        let indexes = received.map(|response| INDEX * response.body.len() as u64).sum::<u64>();
        let before = 2 * found.memory_size() as u64;
        held.grow_to(before.saturating_add(indexes))?;
        let values_held = MemoryReservation::of(&self.memory);
        let mut values =
            FilledValues::new(selected, &found, &projections, (values_held, data.most));
        let refusal = (!is_allowed).then(|| too_many_calls(known.most_calls));
        values.fill_all(&planned, &responses, refusal)?;
        drop(responses);
        data.errors.append(&mut values.errors);
        let length = source.len().saturating_add(values.bytes.len());
        let related = RelatedContext { part: context, selected, projections: &projections };
        if related.positions(&found, 0).is_empty() {
            return data
                .add(length, |output| found.fill(&source, &values.fills, &values.bytes, output));
        }
        let mut first_held = MemoryReservation::of(&self.memory);
        first_held.grow_to(length as u64)?;
        let mut first = Vec::with_capacity(length);
        found.fill(&source, &values.fills, &values.bytes, &mut first);
        self.add_related(related, &found, first, calls_left, data).await
    }

    /// Sends all requests: root fields of a mutation one after the other, others at the same time.
    async fn send_all(&self, sending: Sending<'_>, calls: &[PlannedCall]) -> Vec<Received> {
        let at_once = self.engine.resolvers.as_ref().map_or(1, |known| known.most_concurrent);
        let mut responses: Vec<Option<Received>> = calls.iter().map(|_| None).collect();
        let numbered = |is_serial: bool| {
            calls.iter().enumerate().filter(move |(_, call)| call.is_serial == is_serial)
        };
        let concurrent = stream::iter(numbered(false))
            .map(|(number, call)| async move { (number, self.send(sending, call).await) })
            .buffer_unordered(at_once.max(1));
        let mut concurrent = std::pin::pin!(concurrent);
        while let Some((number, received)) = concurrent.next().await {
            responses[number] = Some(received);
        }
        let mut has_failed = false;
        for (number, call) in numbered(true) {
            responses[number] = Some(match has_failed {
                true => Received { response: Err(not_executed()), _held: None },
                false => self.send(sending, call).await,
            });
            if self.stops_at_errors(OperationKind::Mutation) {
                has_failed |= responses[number].as_ref().is_some_and(|received| {
                    let resolver = sending.selected.resolver(call.selection);
                    received.has_failed(resolver.map(|resolver| &*resolver.definition))
                });
            }
        }
        responses.into_iter().flatten().collect()
    }

    /// True if the fields of an operation after one with an error are not executed: those of several
    /// sources, as far as sources can be one transaction.
    fn stops_at_errors(&self, kind: OperationKind) -> bool {
        kind == OperationKind::Mutation && !self.further.is_empty() && self.engine.drops_data()
    }

    async fn send(&self, sending: Sending<'_>, call: &PlannedCall) -> Received {
        let Sending { selected, projections, caller, document, deadline, calls } = sending;
        let bug = || Received { response: Err(our_bug("a resolver is missing")), _held: None };
        let (Some(resolver), Some(client)) = (selected.resolver(call.selection), &self.egress)
        else {
            return bug();
        };
        let definition = &resolver.definition;
        let known = self.engine.resolvers.as_ref();
        let Some(counts) = known.and_then(|known| known.counts(definition)) else { return bug() };
        if let Some(error) = &call.refusal {
            return Received { response: Err(preset_error(error)), _held: None };
        }
        let projection = match projections.get(call.selection) {
            Some(Ok(projection)) => projection,
            Some(Err(error)) => return Received { response: Err(error.clone()), _held: None },
            None => return bug(),
        };
        let find = |name: &http::HeaderName| caller.forwarded.as_ref()?.find(name).cloned();
        let is_action = definition.webhook().is_some() || definition.logged().is_some();
        let session = match is_action || definition.headers.has_session {
            true => session_variables(&caller.session),
            false => serde_json::Map::new(),
        };
        let of_client = caller.forwarded.as_deref().map(Forwarded::headers);
        if let (Some(logged), [inputs, ..]) = (definition.logged(), call.objects.as_slice()) {
            let client = LoggingClient { session: &session, headers: of_client };
            let response = self.logged_value(logged, inputs, client).await;
            return Received { response, _held: None };
        }
        if let (true, [inputs, ..]) = (definition.is_statement(), call.objects.as_slice()) {
            return match self.statement_result(inputs, caller, deadline).await {
                Ok((response, held)) => Received { response: Ok(response), _held: Some(held) },
                Err(error) => Received { response: Err(error), _held: None },
            };
        }
        let source = definition.remote().and_then(|path| path.source());
        if let Some(source) = source {
            let made = match (definition.is_batch, call.objects.as_slice()) {
                (true, objects) => definition.call_batch(objects, projection, find),
                (false, [inputs, ..]) => definition.call(inputs, projection, find),
                (false, []) => return bug(),
            };
            let body = match made {
                Ok(HttpCall { body, .. }) => body,
                Err(error) => {
                    return Received { response: Err(call_error(definition, &error)), _held: None };
                }
            };
            return match self.further_answer(source, &body, caller, deadline).await {
                Ok((response, held)) => Received { response: Ok(response), _held: Some(held) },
                Err(error) => Received { response: Err(error), _held: None },
            };
        }
        let mut webhook = None;
        let action = definition.webhook();
        let payload = action
            .zip(call.objects.first())
            .map(|(action, inputs)| action.payload(&inputs.to_json(), Some(document), &session));
        let sent = action.zip(payload.as_ref()).map(|(action, payload)| {
            let has_internal = is_admin(&session);
            SentAction { resolver: definition, action, payload, call: None, has_internal }
        });
        let request = match (definition.is_batch, call.objects.as_slice()) {
            (true, objects) => definition.call_batch(objects, projection, find),
            (false, [inputs, ..]) => {
                let client = WebhookClient { session: &session, headers: of_client };
                let made = payload.as_ref().map(|one| definition.call_webhook(one, client));
                match made.flatten() {
                    Some(made) => made.map(|made| webhook.insert(made).call.clone()),
                    None => definition.call(inputs, projection, find),
                }
            }
            (false, []) => return bug(),
        };
        let HttpCall { method, url, mut headers, body } = match request {
            Ok(request) => request,
            Err(error) => {
                let error = match &sent {
                    Some(sent) => sent.not_made(&error).to_graphql(),
                    None => call_error(definition, &error),
                };
                return Received { response: Err(error), _held: None };
            }
        };
        definition.headers.add_client(of_client, &session, &mut headers);
        let number = calls.next_number();
        if let Some(forwarded) = &caller.forwarded {
            forwarded.set_trace_context(&mut headers, number);
        }
        let sizes = (body.len(), call.objects.len());
        let running = RunningCall::begin(calls, counts, definition, number, sizes);
        let held = std::cell::RefCell::new(MemoryReservation::of(&self.memory));
        let reserve = |bytes: usize| held.borrow_mut().grow_to(bytes as u64).is_ok();
        let timeout = definition.timeout;
        let request =
            EgressRequest { method, url, headers, body, deadline, timeout, reserve: &reserve };
        let response = client.send(request).await;
        running.end(&response);
        let sent = sent.map(|sent| SentAction { call: webhook.as_ref(), ..sent });
        let response = response.map_err(|error: EgressError| match &sent {
            Some(sent) => sent.not_answered(&error).to_graphql(),
            None => egress_error(definition, &error),
        });
        let response = response.and_then(|mut response| {
            if let (Some(sent), Some(call)) = (&sent, &webhook) {
                let EgressResponse { status, body, .. } = &response;
                let changed = sent.action.webhook.answer(call, &session, *status, body.clone());
                let changed = changed.map_err(|error| sent.not_transformed(&error).to_graphql())?;
                let both = (body.len() as u64).saturating_add(changed.len() as u64);
                if held.borrow_mut().grow_to(both).is_err() {
                    return Err(sent.not_answered(&EgressError::MemoryExhausted).to_graphql());
                }
                response.body = changed;
                let output = action_output(selected.api, resolver.field);
                sent.check(&output, &response).map_err(|error| error.to_graphql())?;
            }
            Ok(response)
        });
        Received { response, _held: Some(held.into_inner()) }
    }
}

/// The response to a request of another server.
#[derive(Debug)]
struct Received {
    response: Result<EgressResponse, GraphQLError>,
    /// The memory of its body.
    _held: Option<MemoryReservation>,
}

impl Received {
    /// True if the response is none, or has errors.
    fn has_failed(&self, definition: Option<&HttpResolver>) -> bool {
        let (Ok(response), Some(definition)) = (&self.response, definition) else { return true };
        let answer = Answer::read(definition, response.status, &response.body, None);
        answer.value.is_err() || !answer.errors.is_empty()
    }
}

/// The error of a field that comes after one with an error.
fn not_executed() -> GraphQLError {
    GraphQLError::new(ErrorCode::SourceError, "It is not executed: a field before it failed.")
}

/// The requests to other servers for a part of an operation.
struct Requests<'a> {
    selected: Selected<'a>,
    projections: Projections<'a>,
    planned: PlannedCalls,
    /// Responses to the first of the planned requests.
    responses: Vec<Received>,
    /// False if the operation needs more requests than are allowed: no further one is sent.
    is_allowed: bool,
}

impl Requests<'_> {
    /// Counts the requests that were not sent yet.
    fn allow(&mut self, calls_left: &mut usize) {
        let unsent = self.planned.calls.len() - self.responses.len();
        match calls_left.checked_sub(unsent).filter(|_| self.is_allowed) {
            Some(left) => *calls_left = left,
            None => self.is_allowed = false,
        }
    }
}

/// A part of an operation, and the request.
#[derive(Clone, Copy)]
struct PartContext<'a> {
    part: &'a Prepared,
    ready: &'a Ready,
    caller: &'a Caller,
    /// The text of the document.
    document: &'a str,
    deadline: Option<Instant>,
    calls: &'a Calls,
    /// Values that the role of the caller cannot give.
    presets: Option<ClientPresets<'a>>,
}

/// Inputs of the requests to other servers.
#[derive(Clone, Copy)]
struct Sending<'a> {
    selected: Selected<'a>,
    projections: &'a Projections<'a>,
    caller: &'a Caller,
    /// The text of the document.
    document: &'a str,
    deadline: Option<Instant>,
    calls: &'a Calls,
}

impl Data {
    fn new(held: MemoryReservation, most: u64) -> Self {
        let body = [DATA, b"{"].concat();
        Self { body, is_null: false, parts: 0, errors: Vec::new(), held, most }
    }

    /// Adds the answer of one part, an object or null, which `write` appends.
    fn add(&mut self, length: usize, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), TooLarge> {
        self.parts += 1;
        let all = self.body.len().saturating_add(length);
        if all as u64 > self.most {
            return Err(TooLarge::Answer { budget: self.most });
        }
        self.held.grow_to(all as u64 + 64)?;
        self.body.reserve_exact(length + 64);
        let start = self.body.len();
        write(&mut self.body);
        let is_object = self.body.get(start) == Some(&b'{') && self.body.pop() == Some(b'}');
        let is_first = self.body.get(start.wrapping_sub(1)) == Some(&b'{');
        if !is_object {
            self.is_null = true;
        } else if is_first || self.body.len() == start + 1 {
            self.body.remove(start);
        } else {
            self.body[start] = b',';
        }
        Ok(())
    }

    fn respond(self, engine: &crate::engine::Engine, codes: &mut Vec<ErrorCode>) -> Response {
        let Self { mut body, is_null, errors, held, .. } = self;
        match is_null {
            true => body = [DATA, b"null"].concat(),
            false => body.push(b'}'),
        }
        codes.extend(errors.iter().map(|error| error.code));
        if !errors.is_empty() && engine.drops_data() {
            return Response::of_errors(errors);
        }
        if !errors.is_empty() {
            let errors = engine.form_beside_data(&errors).unwrap_or(errors);
            body.extend_from_slice(b",\"errors\":");
            write_errors(&errors, &mut body);
        }
        body.push(b'}');
        Response::complete(body, held)
    }
}

/// The response of an operation whose answer is beyond a limit.
fn too_large(
    engine: &crate::engine::Engine,
    kind: OperationKind,
    error: TooLarge,
    report: &mut Report,
) -> Response {
    match kind {
        OperationKind::Mutation => Response::changed(&error, &mut report.codes),
        OperationKind::Query | OperationKind::Subscription => {
            failed(engine, source::ExecuteError::TooLarge(error), report)
        }
    }
}

/// An error at an input of a resolver is one of its field.
fn of_field(mut error: GraphQLError) -> GraphQLError {
    let is_input = |segment: &PathSegment| match segment {
        PathSegment::Field(name) => name.starts_with(MARK),
        PathSegment::Index(_) => false,
    };
    if let Some(end) = error.path.iter().position(is_input) {
        error.path.truncate(end);
    }
    error
}
