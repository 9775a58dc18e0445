//! The task that executes an operation in parts.
//!
//! The initial payload is a response of the worker, as any other one; the task passes the others on
//! as soon as they are written, whether or not the client reads them: there are at most as many as
//! deferred fragments, and the snapshot ends with the last of them. The task ends with the
//! [`Payloads`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::gateway::execute::IncrementalFormat;
use bytes::Bytes;
use graphql::variables::Variables;
use graphql::{ErrorCode, GraphQLError};
use response::{MemoryBudget, MemoryReservation, TooLarge, Written};
use source::offload::{HERE, offload};
use source::{ExecuteError, ExecuteParams, Observed, Session, SourceError};
use sources::Snapshot;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::spawn_local;
use tokio::time::timeout_at;

use super::payload::PayloadWriter;
use super::tree::Part;
use crate::engine::Engine;
use crate::live::reserved;
use crate::operands::operands_of;
use crate::payloads::Payloads;
use crate::prepare::Prepared;
use crate::respond::{Response, execute_error, execution_error, our_bug, write_errors};

/// A planned operation with deferred fragments.
#[derive(Debug)]
pub(crate) struct PartsInputs {
    pub(crate) engine: Arc<Engine>,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) variables: Variables,
    pub(crate) session: Session,
    pub(crate) snapshot: Snapshot,
    pub(crate) memory: Arc<MemoryBudget>,
    /// Estimated cost, in rows.
    pub(crate) cost: u64,
    pub(crate) started: Instant,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) format: IncrementalFormat,
    pub(crate) observed: Observed,
}

/// The initial payload, with the figures until then.
#[derive(Debug)]
pub(crate) struct InitialPayload {
    pub(crate) response: Response,
    pub(crate) codes: Vec<ErrorCode>,
    pub(crate) observed: Observed,
}

/// The execution of an operation in parts.
struct Execution {
    engine: Arc<Engine>,
    prepared: Arc<Prepared>,
    variables: Variables,
    session: Session,
    snapshot: Snapshot,
    memory: Arc<MemoryBudget>,
    cost: u64,
    time_limit: Option<Duration>,
    /// The end of the request's time.
    deadline: Option<Instant>,
    writer: Option<PayloadWriter>,
}

/// A payload, with its memory.
type Payload = (Vec<u8>, MemoryReservation);

/// A part that was executed, with its errors.
type Executed = (Part, Vec<GraphQLError>);

/// Begins the execution, and waits for the initial payload. Dropping the future cancels it.
pub(crate) async fn execute_incrementally(inputs: PartsInputs) -> InitialPayload {
    let (initial, received) = oneshot::channel();
    let (sender, receiver) = unbounded_channel();
    spawn_local(run(inputs, initial, sender));
    match received.await {
        Ok((mut payload, has_next)) => {
            payload.response.payloads = has_next.then_some(Payloads::new(receiver));
            payload
        }
        Err(_) => {
            let error = our_bug("an execution ended without its initial payload");
            let (mut codes, observed) = (Vec::new(), Observed::default());
            let response = Response::without_data(&error, &mut codes);
            InitialPayload { response, codes, observed }
        }
    }
}

/// Executes all parts, until the client takes no further payloads.
async fn run(
    inputs: PartsInputs,
    initial: oneshot::Sender<(InitialPayload, bool)>,
    sender: UnboundedSender<Bytes>,
) {
    tokio::select! {
        biased;
        () = sender.closed() => (),
        () = execute(inputs, initial, &sender) => (),
    }
}

async fn execute(
    inputs: PartsInputs,
    initial: oneshot::Sender<(InitialPayload, bool)>,
    sender: &UnboundedSender<Bytes>,
) {
    let PartsInputs { engine, prepared, variables, session, snapshot, memory, cost, .. } = inputs;
    let PartsInputs { started, time_limit, format, mut observed, .. } = inputs;
    let plan = prepared.deferred.as_deref();
    let fragments = plan.map(|plan| plan.fragments.iter());
    let labels = fragments.into_iter().flatten().map(|fragment| fragment.label.clone()).collect();
    let mut execution = Execution {
        engine,
        prepared,
        variables,
        session,
        snapshot,
        memory,
        cost,
        time_limit,
        deadline: time_limit.map(|limit| started + limit),
        writer: Some(PayloadWriter::new(format, labels)),
    };
    let mut codes = Vec::new();
    let response = match execution.initial(&mut observed, &mut codes).await {
        Ok((body, held)) => Response::complete(body, held),
        Err(error) => Response::failed(&execution.engine, error, &mut codes),
    };
    let has_next = execution.has_next();
    let payload = InitialPayload { response, codes, observed };
    if initial.send((payload, has_next)).is_err() || !has_next {
        execution.snapshot.end().await;
        return;
    }
    if execution.fragments(sender).await {
        execution.snapshot.end().await;
    }
}

impl Execution {
    fn has_next(&self) -> bool {
        self.writer.as_ref().is_some_and(PayloadWriter::has_next)
    }

    async fn initial(
        &mut self,
        observed: &mut Observed,
        codes: &mut Vec<ErrorCode>,
    ) -> Result<Payload, ExecuteError> {
        let prepared = Arc::clone(&self.prepared);
        let (part, errors) = self.part(&prepared, observed).await?;
        codes.extend(errors.iter().map(|error| error.code));
        let mut list = Vec::new();
        if !errors.is_empty() {
            write_errors(&errors, &mut list);
        }
        self.write(part, move |writer, part| writer.initial(part, &list)).await
    }

    /// Executes the fragments, and sends their payloads; false if a statement still runs, which is
    /// cancelled with the snapshot.
    async fn fragments(&mut self, sender: &UnboundedSender<Bytes>) -> bool {
        let prepared = Arc::clone(&self.prepared);
        let fragments = prepared.deferred.iter().flat_map(|deferred| &deferred.fragments);
        for (number, fragment) in fragments.enumerate() {
            if !self.writer.as_ref().is_some_and(|writer| writer.is_pending(number)) {
                continue;
            }
            let observed = &mut Observed::default();
            let ran = match self.deadline {
                None => self.part(&fragment.prepared, observed).await,
                Some(deadline) => {
                    let part = self.part(&fragment.prepared, observed);
                    match timeout_at(deadline.into(), part).await {
                        Ok(ran) => ran,
                        Err(_) => {
                            let error = GraphQLError::new(ErrorCode::Timeout, TOO_LATE);
                            let payload =
                                self.writer.as_mut().map(|writer| writer.all_failed(&error));
                            drop(sender.send(payload.unwrap_or_else(|| LAST.to_vec()).into()));
                            return false;
                        }
                    }
                }
            };
            let written = match ran {
                Ok((part, errors)) => {
                    let write = move |writer: &mut PayloadWriter, part| {
                        writer.fragment(number, part, &errors)
                    };
                    self.write(part, write).await
                }
                Err(error) => Err(error),
            };
            let payload = match written {
                Ok((body, held)) => reserved(body, held),
                Err(error) => {
                    let error = execute_error(&self.engine, error);
                    let payload = self.writer.as_mut().map(|writer| writer.failed(number, &error));
                    payload.unwrap_or_else(|| LAST.to_vec()).into()
                }
            };
            if sender.send(payload).is_err() {
                return true;
            }
        }
        true
    }

    /// Executes a part.
    async fn part(
        &mut self,
        prepared: &Arc<Prepared>,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        let engine = &*self.engine;
        let echoes = prepared.echoes(operands_of(&self.variables))?;
        let claims = self.session.claims.as_deref();
        let params = ExecuteParams {
            variables: source::Variables { claims, ..operands_of(&self.variables) },
            session: &self.session,
            freshness: source::Freshness::Newest,
            echoes: &echoes,
            cost: self.cost,
            time_limit: self.time_limit,
            recorders: None,
        };
        let held = MemoryReservation::of(&self.memory);
        let tape = prepared.begin_tape(engine.limits().response_bytes, held);
        let answered = self.snapshot.answer(&prepared.plan, params, tape, observed).await?;
        let Written { data, held, errors } = answered;
        prepared.end_tape(&data);
        let errors: Vec<_> =
            errors.into_iter().map(|error| execution_error(engine, error)).collect();
        let errors = engine.form_beside_data(&errors).unwrap_or(errors);
        let Some(writer) = &mut self.writer else { return Err(lost()) };
        let part = Part::read(&mut writer.names, prepared.plan.shape(), data, held);
        Ok((part.map_err(TooLarge::from)?, errors))
    }

    /// Writes a payload: a long one on another thread.
    async fn write(
        &mut self,
        part: Part,
        write: impl FnOnce(&mut PayloadWriter, Part) -> Vec<u8> + Send + 'static,
    ) -> Result<Payload, ExecuteError> {
        let mut held = part.held.another();
        let long = part.texts.len();
        // The payload has the texts of the part, and about as much again for names.
        held.grow_to(2 * long as u64).map_err(TooLarge::from)?;
        let Some(mut writer) = self.writer.take() else { return Err(lost()) };
        let (writer, body) = match long > HERE {
            true => {
                offload(move |_| {
                    let body = write(&mut writer, part);
                    (writer, body)
                })
                .await?
            }
            false => {
                let body = write(&mut writer, part);
                (writer, body)
            }
        };
        self.writer = Some(writer);
        if held.grow_to(body.capacity() as u64).is_ok() {
            held.shrink_to(body.capacity() as u64);
        }
        Ok((body, held))
    }
}

/// The message of fragments that were not executed in time.
const TOO_LATE: &str = "The fragment was not executed within the time of the request.";

/// The last payload of a response whose fragments are not known any more.
const LAST: &[u8] = b"{\"hasNext\":false}";

fn lost() -> ExecuteError {
    SourceError::new(source::SourceErrorKind::Internal, "a part without its writer").into()
}
