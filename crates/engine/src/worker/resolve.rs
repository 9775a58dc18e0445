//! Execution of operations that select fields of other servers: the answer of the source is written
//! as a whole, and the values of other servers take the places of its placeholders.

use std::time::Instant;

use clients::egress::{EgressError, EgressRequest, EgressResponse};
use futures_util::StreamExt;
use futures_util::stream;
use graphql::operation::{Location, OperationKind};
use graphql::{ErrorCode, GraphQLError, PathSegment, Request};
use http_resolvers::answer::{Answer, Values};
use http_resolvers::complete::{Completion, Incomplete};
use http_resolvers::splice::{Fill, MARK, Placeholder, Placeholders};
use http_resolvers::{HttpCall, NullLists, Projection};
use response::{MemoryReservation, TooLarge, Written};
use source::Executed;

use super::{NOT_TAKEN, Ready, Worker, failed};
use crate::caller::Caller;
use crate::prepare::Prepared;
use crate::report::{Report, Timed};
use crate::resolvers::batch::{PlannedCall, PlannedCalls, Selected};
use crate::resolvers::map_error::{
    answer_error, call_error, egress_error, remote_error, too_many_calls,
};
use crate::respond::{DATA, Kind, Response, execution_error, our_bug, write_errors};

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
        let mut next = Some(&ready.prepared);
        let mut failure = None;
        while let Some(part) = next {
            let echoes = part.echoes(&ready.variables);
            let echoes = match echoes {
                Ok(echoes) => echoes,
                Err(error) => return Err(vec![engine.map_error(&error).logged_as(NOT_TAKEN)]),
            };
            let variables = ready.variables(&caller.session);
            let passwords = match self.passwords(part, variables, &caller.session).await {
                Ok(passwords) => passwords,
                Err(error) => return Err(vec![error]),
            };
            let params = self.params(ready, &caller.session, (&echoes, &passwords));
            let held = MemoryReservation::of(&self.memory);
            let sink = part.begin(b"", engine.limits.response_bytes, held);
            let (plan, observed) = (&part.plan, &mut report.observed);
            let whole = source::Delivery::Whole;
            match self.connections.deliver(plan, params, sink, whole, observed).await {
                Ok(Executed::Whole(written)) => {
                    part.end(&written.data);
                    let errors = written.errors;
                    let errors =
                        errors.into_iter().map(|one| of_field(execution_error(engine, one)));
                    data.errors.extend(errors);
                    let written =
                        Written { data: written.data, held: written.held, errors: vec![] };
                    let context = PartContext { part, ready, caller, deadline };
                    let replaced = self.replace(context, written, &mut calls_left, &mut data).await;
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
            next = part.next.as_ref();
        }
        drop(timed);
        report.stages.split_off_write(report.observed.write);
        engine.reweigh(&ready.known, request.operation_name.as_deref(), &ready.prepared);
        Ok(match failure {
            Some(error) => too_large(engine, ready.kind, error, report),
            None => data.respond(&mut report.codes),
        })
    }

    /// Adds the answer of a part, with the values of other servers.
    async fn replace(
        &self,
        context: PartContext<'_>,
        written: Written<std::convert::Infallible>,
        calls_left: &mut usize,
        data: &mut Data,
    ) -> Result<(), TooLarge> {
        let PartContext { part, ready, caller, deadline } = context;
        let (engine, source) = (&*self.engine, written.data);
        let resolved = part.resolved.as_deref();
        let (Some(plan), Some(known)) = (resolved, engine.resolvers.as_ref()) else {
            return data.add(source.len(), |output| output.extend_from_slice(&source));
        };
        let Ok(found) = Placeholders::find(&source, &plan.positions) else {
            data.errors.push(our_bug("an answer of the source cannot be read"));
            data.is_null = true;
            return Ok(());
        };
        let selected = Selected {
            api: &engine.api,
            plan,
            operation: &ready.known.document.operation,
            variables: &ready.variables,
            most_fields: engine.limits.document.fields,
            is_mutation: ready.kind == OperationKind::Mutation,
        };
        let mut held = MemoryReservation::of(&self.memory);
        // The requests take about as much.
        held.grow_to(2 * found.memory_size() as u64)?;
        let planned = selected.calls(&source, &found);
        let projections = projections(selected, &found);
        let is_allowed = planned.calls.len() <= *calls_left;
        let responses = match is_allowed {
            true => {
                *calls_left -= planned.calls.len();
                let sending = Sending { selected, projections: &projections, caller, deadline };
                self.send_all(sending, &planned.calls).await
            }
            false => Vec::new(),
        };
        // Indexes of the members and elements of answers.
        let received = responses.iter().filter_map(|one| one.response.as_ref().ok());
        let indexes = received.map(|response| INDEX * response.body.len() as u64).sum::<u64>();
        let before = 2 * found.memory_size() as u64;
        held.grow_to(before.saturating_add(indexes))?;
        let values_held = MemoryReservation::of(&self.memory);
        let mut values =
            FilledValues::new(selected, &found, &projections, (values_held, data.most));
        match is_allowed {
            true => values.fill_all(&planned, &responses)?,
            false => values.refuse_all(&too_many_calls(known.most_calls)),
        }
        drop(responses);
        data.errors.append(&mut values.errors);
        let length = source.len().saturating_add(values.bytes.len());
        data.add(length, |output| found.fill(&source, &values.fills, &values.bytes, output))
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
        for (number, call) in numbered(true) {
            responses[number] = Some(self.send(sending, call).await);
        }
        responses.into_iter().flatten().collect()
    }

    async fn send(&self, sending: Sending<'_>, call: &PlannedCall) -> Received {
        let Sending { selected, projections, caller, deadline } = sending;
        let bug = || Received { response: Err(our_bug("a resolver is missing")), _held: None };
        let (Some(resolver), Some(client)) = (selected.resolver(call.selection), &self.egress)
        else {
            return bug();
        };
        let definition = &resolver.definition;
        let projection = match projections.get(call.selection) {
            Some(Ok(projection)) => projection,
            Some(Err(error)) => return Received { response: Err(error.clone()), _held: None },
            None => return bug(),
        };
        let find = |name: &http::HeaderName| caller.forwarded.as_ref()?.find(name).cloned();
        let request = match (definition.is_batch, call.objects.as_slice()) {
            (true, objects) => definition.call_batch(objects, projection, find),
            (false, [inputs, ..]) => definition.call(inputs, projection, find),
            (false, []) => return bug(),
        };
        let HttpCall { method, url, headers, body } = match request {
            Ok(request) => request,
            Err(error) => {
                return Received { response: Err(call_error(definition, &error)), _held: None };
            }
        };
        let held = std::cell::RefCell::new(MemoryReservation::of(&self.memory));
        let reserve = |bytes: usize| held.borrow_mut().grow_to(bytes as u64).is_ok();
        let request = EgressRequest { method, url, headers, body, deadline, reserve: &reserve };
        let response = client.send(request).await;
        let response = response.map_err(|error: EgressError| egress_error(definition, &error));
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

/// A part of an operation, and the request.
#[derive(Clone, Copy)]
struct PartContext<'a> {
    part: &'a Prepared,
    ready: &'a Ready,
    caller: &'a Caller,
    deadline: Option<Instant>,
}

/// What requests to other servers are made of.
#[derive(Clone, Copy)]
struct Sending<'a> {
    selected: Selected<'a>,
    projections: &'a [Result<Projection, GraphQLError>],
    caller: &'a Caller,
    deadline: Option<Instant>,
}

/// The values for the placeholders of a part.
struct FilledValues<'a> {
    selected: Selected<'a>,
    found: &'a Placeholders<'a>,
    projections: &'a [Result<Projection, GraphQLError>],
    most: usize,
    bytes: Vec<u8>,
    /// The memory of the bytes.
    held: MemoryReservation,
    fills: Vec<Fill>,
    errors: Vec<GraphQLError>,
}

impl<'a> FilledValues<'a> {
    fn new(
        selected: Selected<'a>,
        found: &'a Placeholders<'a>,
        projections: &'a [Result<Projection, GraphQLError>],
        (held, most): (MemoryReservation, u64),
    ) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self {
            selected,
            found,
            projections,
            most,
            bytes: Vec::new(),
            held,
            fills: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// All fields fail for one reason, which is reported at the first of them.
    fn refuse_all(&mut self, error: &GraphQLError) {
        let found = self.found;
        if let Some(first) = found.list.first() {
            self.error_at(first, error.clone());
        }
        for placeholder in &found.list {
            self.fail(placeholder);
        }
    }

    fn fill_all(&mut self, planned: &PlannedCalls, responses: &[Received]) -> Result<(), TooLarge> {
        let answers: Vec<Option<Answer<'_>>> = planned
            .calls
            .iter()
            .zip(responses)
            .map(|(call, received)| {
                let definition = &self.selected.resolver(call.selection)?.definition;
                let response = received.response.as_ref().ok()?;
                let batch = definition.is_batch.then_some(call.objects.len());
                Some(Answer::read(definition, response.status, &response.body, batch))
            })
            .collect();
        let mut is_reported = vec![false; planned.calls.len()];
        let found = self.found;
        for (placeholder, (call, object)) in found.list.iter().zip(&planned.places) {
            let (Some(received), Some(is_known)) =
                (responses.get(*call), is_reported.get_mut(*call))
            else {
                self.fail(placeholder);
                continue;
            };
            // An error of several fields is reported at the first of them.
            let is_first = !std::mem::replace(is_known, true);
            let answer = answers.get(*call).and_then(Option::as_ref);
            match (&received.response, answer) {
                (Ok(_), Some(answer)) => self.fill(placeholder, answer, *object, is_first)?,
                (Err(error), _) => {
                    if is_first {
                        self.error_at(placeholder, error.clone());
                    }
                    self.fail(placeholder);
                }
                (Ok(_), None) => self.fail(placeholder),
            }
        }
        Ok(())
    }

    /// Adds the value of one placeholder.
    fn fill(
        &mut self,
        placeholder: &Placeholder,
        answer: &Answer<'_>,
        object: usize,
        is_first: bool,
    ) -> Result<(), TooLarge> {
        let number = placeholder.selection;
        let (Some(resolver), Some(Ok(projection))) =
            (self.selected.resolver(number), self.projections.get(number))
        else {
            self.fail(placeholder);
            return Ok(());
        };
        let definition = &resolver.definition;
        if is_first {
            for error in &answer.errors {
                self.error_at(placeholder, remote_error(error));
            }
        }
        let value = match &answer.value {
            Ok(Values::One(value)) => *value,
            Ok(Values::Batch(values)) => values.get(object).copied(),
            Err(error) => {
                if let Some(error) = answer_error(definition, error).filter(|_| is_first) {
                    self.error_at(placeholder, error);
                }
                self.fail(placeholder);
                return Ok(());
            }
        };
        let schema = &self.selected.api.schema;
        let r#type = schema[resolver.field].r#type;
        let type_text = graphql::print_type(schema, r#type);
        let completion = Completion {
            projection,
            r#type,
            type_text: &type_text,
            field: &definition.field,
            has_aliases: definition.operation().is_some(),
            null_lists: definition.null_lists,
            most: self.most,
        };
        let start = self.bytes.len();
        let mut errors = Vec::new();
        let written = completion.write(value, &mut self.bytes, &mut errors);
        for error in errors {
            let mut path = self.found.path(placeholder);
            path.extend(error.path);
            let error = GraphQLError::new(ErrorCode::ResolverResponseInvalid, error.message);
            let error = error.logged_as("A value of another server does not fit the schema.");
            self.errors.push(error.at(self.location(number)).with_path(path));
        }
        match written {
            Ok(()) => self.fills.push(Fill::Bytes(start..self.bytes.len())),
            Err(Incomplete::Null) => {
                self.bytes.truncate(start);
                self.fills.push(Fill::Null);
            }
            Err(Incomplete::TooLong) => {
                return Err(TooLarge::Answer { budget: self.most as u64 });
            }
        }
        self.held.grow_to(self.bytes.capacity() as u64)?;
        match self.bytes.len() > self.most {
            true => Err(TooLarge::Answer { budget: self.most as u64 }),
            false => Ok(()),
        }
    }

    /// A field without a value.
    fn fail(&mut self, placeholder: &Placeholder) {
        let resolver = self.selected.resolver(placeholder.selection);
        let is_empty_list = resolver.is_some_and(|resolver| {
            resolver.definition.null_lists == NullLists::Empty
                && self.selected.api.schema[resolver.field].r#type.is_list()
        });
        self.fills.push(match is_empty_list {
            true => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(b"[]");
                Fill::Bytes(start..self.bytes.len())
            }
            false => Fill::Null,
        });
    }

    fn error_at(&mut self, placeholder: &Placeholder, error: GraphQLError) {
        let path = self.found.path(placeholder);
        let location = self.location(placeholder.selection);
        self.errors.push(error.at(location).with_path(path));
    }

    fn location(&self, selection: usize) -> Location {
        let selection = self.selected.plan.selections.get(selection);
        selection.map(|selection| selection.location).unwrap_or_default()
    }
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

    fn respond(self, codes: &mut Vec<ErrorCode>) -> Response {
        let Self { mut body, is_null, errors, held, .. } = self;
        match is_null {
            true => body = [DATA, b"null"].concat(),
            false => body.push(b'}'),
        }
        codes.extend(errors.iter().map(|error| error.code));
        if !errors.is_empty() {
            body.extend_from_slice(b",\"errors\":");
            write_errors(&errors, &mut body);
        }
        body.push(b'}');
        Response { kind: Kind::Executed, body, held, rest: None }
    }
}

fn projections(
    selected: Selected<'_>,
    found: &Placeholders<'_>,
) -> Vec<Result<Projection, GraphQLError>> {
    let count = match found.list.is_empty() {
        true => 0,
        false => selected.plan.selections.len(),
    };
    (0..count).map(|number| selected.projection(number).map_err(GraphQLError::from)).collect()
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
