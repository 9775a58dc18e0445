//! Responses in several payloads, for deferred fragments.
//!
//! A task executes the plan part by part. The initial payload is a response of the worker, as any
//! other one; the task passes the others on as soon as they are written, whether or not the client
//! reads them: there are at most as many as deferred fragments. It ends with the [`Payloads`].
//!
//! The task runs on a thread for long queries ([`super::long_queries`]): a payload that was sent
//! cannot be restarted elsewhere when a later response of a subgraph proves to be long.

use std::cell::RefCell;
use std::rc::Rc;

use ::gateway::execute::{
    Executed, ExecutionError, ExecutionStatistics, IncrementalFormat, Inputs, PayloadInputs,
    PayloadWriter, execute_in_parts,
};
use ::gateway::outline::Parts;
use bytes::Bytes;
use graphql::ErrorCode;
use response::sink::Full;
use response::{MemoryReservation, Sink};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::spawn_local;

use super::long_queries::{LongQuery, run_on_long_thread};
use super::respond;
use super::worker::{ExecutionInputs, GatewayWorker};
use crate::live::reserved;
use crate::payloads::Payloads;
use crate::respond::{Response, our_bug};

/// A planned operation with deferred fragments.
pub(super) struct IncrementalQuery {
    pub(super) query: LongQuery,
    format: IncrementalFormat,
    initial: oneshot::Sender<(InitialPayload, bool)>,
    sender: UnboundedSender<Bytes>,
}

/// The initial payload, with the figures until then.
pub(super) struct InitialPayload {
    pub(super) response: Response,
    pub(super) codes: Vec<ErrorCode>,
    pub(super) observed: ExecutionStatistics,
}

/// Begins the execution of a planned query, and waits for the initial payload. Dropping the future
/// cancels the query.
pub(super) async fn execute_incrementally(
    worker: &Rc<GatewayWorker>,
    query: LongQuery,
    format: IncrementalFormat,
) -> InitialPayload {
    let (initial, received) = oneshot::channel();
    let (sender, receiver) = unbounded_channel();
    // Separate threads would need as many connections to databases in this process again.
    let is_remote = query.gateway.transports.iter().all(|way| way.remote().is_some());
    let query = Box::new(IncrementalQuery { query, format, initial, sender });
    let rejected = match is_remote {
        true => run_on_long_thread(query).err(),
        false => Some(query),
    };
    if let Some(query) = rejected {
        let worker = Rc::clone(worker);
        spawn_local(async move { query.run(&worker).await });
    }
    match received.await {
        Ok((mut payload, has_next)) => {
            payload.response.payloads = has_next.then_some(Payloads::new(receiver));
            payload
        }
        Err(_) => {
            let error = our_bug("an execution ended without its initial payload");
            let (mut codes, observed) = (Vec::new(), ExecutionStatistics::default());
            let response = Response::without_data(&error, &mut codes);
            InitialPayload { response, codes, observed }
        }
    }
}

impl IncrementalQuery {
    /// Executes it, until the client takes no further payloads.
    pub(super) async fn run(self, worker: &GatewayWorker) {
        let sender = self.sender.clone();
        tokio::select! {
            biased;
            () = sender.closed() => (),
            () = self.execute(worker) => (),
        }
    }

    async fn execute(self, worker: &GatewayWorker) {
        let Self { query, format, initial, sender } = self;
        let LongQuery { document, prepared, variables, caller, started, mut observed, .. } = query;
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
                let sink = || {
                    let held = MemoryReservation::of(worker.memory());
                    Sink::new(Vec::new(), gateway.limits().response_bytes, held)
                };
                let Some(initial) = initial.take() else {
                    while writer.has_next() {
                        let payload = match writer.next(executed, complete, sink()) {
                            Ok(None) => return true,
                            Ok(Some(sink)) => {
                                let (body, held) = sink.into_parts();
                                reserved(body, held)
                            }
                            Err(full) => writer.fail(&list_of(&full)).into(),
                        };
                        if sender.send(payload).is_err() {
                            return false;
                        }
                    }
                    return false;
                };
                let extensions =
                    gateway.exposes_plan(&caller).then(|| respond::extensions(gateway, plan));
                let sink = sink().expecting(executed.expected());
                let written = writer.initial(executed, sink, extensions.as_deref());
                let has_next = written.is_ok() && writer.has_next();
                let mut codes = codes.take();
                let response = match written {
                    Ok(sink) => {
                        let (body, held) = sink.into_parts();
                        Response::complete(body, held)
                    }
                    Err(full) => respond::too_large(&full, document.operation.kind, &mut codes),
                };
                let observed = observed.clone();
                let payload = InitialPayload { response, codes, observed };
                initial.send((payload, has_next)).is_ok() && has_next
            };
        let operation = &document.operation;
        let inputs = Inputs { supergraph, operation, plan, variables: &variables };
        let parts = ExecutionInputs {
            document: &document,
            prepared: &prepared,
            variables: &variables,
            caller: &caller,
        };
        let transport = worker.transport(parts, started);
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
