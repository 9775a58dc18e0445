//! Responses in several payloads, for deferred fragments.
//!
//! A task executes the plan part by part. The initial payload is a response of the worker, as any
//! other one; the task passes the others on as soon as they are written, whether or not the client
//! reads them: there are at most as many as deferred fragments. It ends with the [`Payloads`].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use ::gateway::execute::{
    Executed, ExecutionError, ExecutionStatistics, IncrementalFormat, Inputs, PayloadInputs,
    PayloadWriter, execute_in_parts,
};
use ::gateway::outline::Parts;
use bytes::Bytes;
use graphql::ErrorCode;
use graphql::variables::Variables;
use response::sink::Full;
use response::{MemoryReservation, Sink};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, spawn_local};

use super::worker::GatewayWorker;
use super::{Caller, Prepared, respond};
use crate::documents::Document;
use crate::live::reserved;
use crate::respond::{Kind, Response, our_bug};

/// A planned operation with deferred fragments.
pub(super) struct IncrementalExecution {
    pub(super) worker: Rc<GatewayWorker>,
    pub(super) document: Arc<Document>,
    pub(super) prepared: Arc<Prepared>,
    pub(super) variables: Variables,
    pub(super) caller: Caller,
    pub(super) started: Instant,
}

/// The initial payload, with the figures until then.
pub(super) struct InitialPayload {
    pub(super) response: Response,
    pub(super) codes: Vec<ErrorCode>,
    pub(super) observed: ExecutionStatistics,
}

/// The payloads after the initial one. Dropping them cancels the execution.
#[derive(Debug)]
pub struct Payloads {
    receiver: UnboundedReceiver<Bytes>,
    _task: TaskGuard,
}

/// A task that ends when this is dropped.
#[derive(Debug)]
struct TaskGuard(AbortHandle);

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Payloads {
    /// Waits for the next payload; `None` after the last one. Cancel safe.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.receiver.recv().await
    }
}

impl IncrementalExecution {
    /// Begins the execution, and waits for the initial payload.
    pub(super) async fn begin(
        self,
        format: IncrementalFormat,
        observed: ExecutionStatistics,
    ) -> InitialPayload {
        let (initial, received) = oneshot::channel();
        let (sender, receiver) = unbounded_channel();
        let task = spawn_local(self.run(format, observed, initial, sender));
        // A request that is cancelled meanwhile ends the task, too.
        let task = TaskGuard(task.abort_handle());
        let Ok((mut payload, has_next)) = received.await else {
            let error = our_bug("an execution ended without its initial payload");
            let (mut codes, observed) = (Vec::new(), ExecutionStatistics::default());
            let response = Response::without_data(&error, &mut codes);
            return InitialPayload { response, codes, observed };
        };
        if has_next {
            payload.response.payloads = Some(Payloads { receiver, _task: task });
        }
        payload
    }

    async fn run(
        self,
        format: IncrementalFormat,
        mut observed: ExecutionStatistics,
        initial: oneshot::Sender<(InitialPayload, bool)>,
        sender: UnboundedSender<Bytes>,
    ) {
        let Self { worker, document, prepared, variables, caller, started } = self;
        let gateway = worker.gateway();
        let (supergraph, plan) = (&gateway.supergraph, &prepared.plan);
        let codes = RefCell::new(Vec::new());
        let write_errors = |errors: Vec<ExecutionError>, bytes: &mut Vec<u8>| {
            respond::write_list(gateway, errors, bytes, &mut codes.borrow_mut());
        };
        let literals = &prepared.literals;
        let write_errors = &write_errors;
        let mut writer =
            PayloadWriter::new(PayloadInputs { supergraph, plan, literals, format, write_errors });
        let mut initial = Some(initial);
        let mut deliver =
            |executed: &mut Executed, observed: &ExecutionStatistics, complete: Parts| {
                let held = MemoryReservation::of(worker.memory());
                let sink = Sink::new(Vec::new(), gateway.limits().response_bytes, held);
                let Some(initial) = initial.take() else {
                    let payload = match writer.next(executed, complete, sink) {
                        Ok(None) => return writer.has_next(),
                        Ok(Some(sink)) => {
                            let (body, held) = sink.into_parts();
                            reserved(body, held)
                        }
                        Err(full) => writer.fail(&list_of(&full)).into(),
                    };
                    return sender.send(payload).is_ok() && writer.has_next();
                };
                let extensions =
                    gateway.exposes_plan(&caller).then(|| respond::extensions(gateway, plan));
                let sink = sink.expecting(executed.expected());
                let written = writer.initial(executed, sink, extensions.as_deref());
                let has_next = written.is_ok() && writer.has_next();
                let mut codes = codes.take();
                let response = match written {
                    Ok(sink) => {
                        let (body, held) = sink.into_parts();
                        Response { kind: Kind::Executed, body, held, rest: None, payloads: None }
                    }
                    Err(full) => respond::too_large(&full, document.operation.kind, &mut codes),
                };
                let observed = observed.clone();
                let payload = InitialPayload { response, codes, observed };
                initial.send((payload, has_next)).is_ok() && has_next
            };
        let operation = &document.operation;
        let inputs = Inputs { supergraph, operation, plan, variables: &variables };
        let transport = worker.transport(&caller, started);
        let memory = MemoryReservation::of(worker.memory());
        let options = gateway.options.execution;
        let observed = &mut observed;
        execute_in_parts(inputs, &transport, options, memory, observed, &mut deliver).await;
    }
}

/// Returns the JSON list of the error of a payload that did not fit the sink.
fn list_of(full: &Full) -> Vec<u8> {
    let mut list = Vec::new();
    crate::respond::write_errors(&[respond::full_error(full)], &mut list);
    list
}
