//! Scheduler of the fetches of a plan: each is sent as soon as its dependencies are complete.

use std::cell::OnceCell;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use response::{BudgetExceeded, MemoryReservation};

use super::arena::Arena;
use super::cause::CauseId;
use super::contexts::{ContextResolver, PrintedDocuments, group_by_contexts};
use super::errors::{ErrorKind, Errors, FetchError};
use super::map_errors::ErrorMapper;
use super::parts_progress::PartsProgress;
use super::reduce::{mark_unknown, reduce};
use super::represent::{Owner, RepresentationWriter, Unrepresented, representations};
use super::request::{Batch, EntityList, FetchInputs, ListSelection, body, document};
use super::reuse::{EarlierFetches, FetchState, Remaining, reuse_earlier};
use super::statistics::{ExecutionStatistics, FetchOutcome};
use super::{FetchRequest, Inputs, Options, Subgraphs};
use crate::outline::{Parts, Tree};
use crate::plan::{Document, Entities, Fetch, FetchId, Plan};

/// Data and errors of an execution.
#[derive(Debug)]
pub struct Executed {
    pub(super) arena: Arena,
    pub(super) errors: Errors,
    /// Reserved memory of the subgraph responses.
    pub(super) held: MemoryReservation,
}

impl Executed {
    /// Returns the errors; complete once the response is written.
    #[must_use]
    pub fn into_errors(mut self) -> Vec<super::ExecutionError> {
        self.errors.take_list()
    }

    /// Total length of the subgraph responses.
    #[must_use]
    pub fn received(&self) -> usize {
        self.arena.buffers.iter().map(Bytes::len).sum()
    }

    /// Estimated length of the data.
    #[must_use]
    pub fn expected(&self) -> usize {
        self.received().max(self.arena.expected_written())
    }
}

/// Failure of a fetch, with details for the log.
pub(super) struct FetchFailure {
    why: FetchError,
    reason: Option<Box<str>>,
}

impl From<FetchError> for FetchFailure {
    fn from(why: FetchError) -> Self {
        Self { why, reason: None }
    }
}

impl FetchFailure {
    pub(super) fn of(self, fetch: &Fetch) -> ErrorKind {
        let Self { why, reason } = self;
        ErrorKind::FetchFailed { subgraph: fetch.subgraph, kind: fetch.kind, why, reason }
    }
}

/// Next step of a fetch whose dependencies are complete.
enum Ready {
    Send(Vec<Batch>),
    /// There is nothing to send.
    Done(FetchOutcome),
    /// It waits for another fetch whose response may contain its data.
    Waiting,
    BudgetExceeded,
}

/// Executes a plan. `memory` is the reservation for the subgraph responses.
pub async fn execute<S: Subgraphs>(
    inputs: Inputs<'_>,
    subgraphs: &S,
    options: Options,
    memory: MemoryReservation,
    statistics: &mut ExecutionStatistics,
) -> Executed {
    let printed = PrintedDocuments::default();
    let mut execution = Execution::new(inputs, options, memory, statistics, &printed);
    // Without parts nothing is delivered before the end.
    execution.run(subgraphs, None, &mut |_, _, _| true).await;
    execution.finish();
    execution.executed.arena.record_sizes();
    execution.executed
}

/// Executes a plan part by part: `deliver` is called with the parts that are complete, first with
/// the initial one, whose fetches are sent before all others. It returns whether the execution
/// continues.
pub async fn execute_in_parts<S: Subgraphs>(
    inputs: Inputs<'_>,
    subgraphs: &S,
    options: Options,
    memory: MemoryReservation,
    statistics: &mut ExecutionStatistics,
    deliver: &mut impl FnMut(&mut Executed, &ExecutionStatistics, Parts) -> bool,
) {
    let printed = PrintedDocuments::default();
    let mut execution = Execution::new(inputs, options, memory, statistics, &printed);
    let parts = Some(PartsProgress::new(inputs.plan));
    execution.run(subgraphs, parts, deliver).await;
    execution.executed.arena.record_sizes();
}

/// Marks as ready the fetches whose last dependency is complete.
fn release(plan: &Plan, done: FetchId, missing: &mut [usize], ready: &mut Vec<FetchId>) {
    for (place, fetch) in plan.fetches.iter().enumerate() {
        if fetch.needs.contains(&done) {
            missing[place] -= 1;
            if missing[place] == 0 {
                ready.push(FetchId::new(place));
            }
        }
    }
}

/// Records that a fetch is complete.
fn complete(
    plan: &Plan,
    id: FetchId,
    (missing, ready): (&mut [usize], &mut Vec<FetchId>),
    parts: &mut Option<PartsProgress<'_>>,
) {
    if let Some(parts) = parts {
        parts.complete(id);
    }
    release(plan, id, missing, ready);
}

/// Upper bound of the memory of an object with a representation, beside its text: its entry among
/// the owners, and the hash tables while they grow.
const REPRESENTATION_OVERHEAD: usize = 96;

/// Maximum number of copies of a representation's text: two while the buffer grows, one in the
/// request.
const TEXT_COPIES: usize = 3;

pub(super) struct Execution<'r> {
    pub(super) inputs: Inputs<'r>,
    pub(super) options: Options,
    pub(super) executed: Executed,
    pub(super) statistics: &'r mut ExecutionStatistics,
    /// By fetch.
    pub(super) states: Vec<FetchState>,
    /// By fetch: its inputs.
    pub(super) fetch_inputs: Vec<FetchInputs>,
    /// By fetch: number of batches in flight.
    pub(super) pending: Vec<usize>,
    /// Failed batches.
    pub(super) failed: Vec<(FetchId, Batch, CauseId)>,
    /// Memory of all representations, and its reservation.
    represented_bytes: usize,
    represented_held: MemoryReservation,
    printed: &'r PrintedDocuments,
}

impl<'r> Execution<'r> {
    /// Sends the fetches and reads their responses.
    async fn run<S: Subgraphs>(
        &mut self,
        subgraphs: &S,
        mut parts: Option<PartsProgress<'r>>,
        deliver: &mut impl FnMut(&mut Executed, &ExecutionStatistics, Parts) -> bool,
    ) {
        let plan = self.inputs.plan;
        let mut waiting: Vec<FetchId> = Vec::new();
        let mut missing: Vec<usize> = plan.fetches.iter().map(|fetch| fetch.needs.len()).collect();
        let mut ready: Vec<FetchId> = Vec::new();
        for (place, missing) in missing.iter().enumerate() {
            if *missing == 0 {
                ready.push(FetchId::new(place));
            }
        }
        let mut in_flight = FuturesUnordered::new();
        loop {
            // In the order of the plan: the last is popped first.
            ready.sort_unstable_by(|one, other| other.cmp(one));
            while let Some(id) = ready.pop() {
                if parts.as_mut().is_some_and(|parts| parts.holds(id)) {
                    continue;
                }
                let fetch = &plan.fetches[id.index()];
                match self.request(id, fetch) {
                    Ready::Send(batches) => {
                        for batch in batches {
                            let (document, body) = self.request_batch(id, fetch, &batch);
                            let Fetch { subgraph, kind, .. } = *fetch;
                            in_flight.push(async move {
                                let reason = &OnceCell::new();
                                let request = FetchRequest {
                                    subgraph,
                                    kind,
                                    fetch: id,
                                    document,
                                    body,
                                    reason,
                                };
                                let response = subgraphs.fetch(request).await;
                                let reason = || reason.get().cloned();
                                (
                                    id,
                                    batch,
                                    response.map_err(|why| FetchFailure { why, reason: reason() }),
                                )
                            });
                        }
                    }
                    Ready::Done(outcome) => {
                        self.done(id, outcome);
                        complete(plan, id, (&mut missing, &mut ready), &mut parts);
                    }
                    Ready::Waiting => {
                        self.statistics.fetches[id.index()].has_waited = true;
                        waiting.push(id);
                    }
                    Ready::BudgetExceeded => {
                        self.fail_for_memory(id, fetch);
                        complete(plan, id, (&mut missing, &mut ready), &mut parts);
                    }
                }
            }
            if let Some(parts) = &mut parts
                && let Some(complete) = parts.next()
            {
                self.finish();
                if !deliver(&mut self.executed, self.statistics, complete) {
                    return;
                }
                ready.append(&mut parts.release());
                continue;
            }
            let Some((id, batch, response)) = in_flight.next().await else { break };
            if self.receive(id, &batch, response) {
                ready.append(&mut waiting);
                complete(plan, id, (&mut missing, &mut ready), &mut parts);
            }
        }
    }

    fn new(
        inputs: Inputs<'r>,
        options: Options,
        memory: MemoryReservation,
        statistics: &'r mut ExecutionStatistics,
        printed: &'r PrintedDocuments,
    ) -> Self {
        let plan = inputs.plan;
        statistics.begin(plan);
        let mut arena = Arena::new(Arc::clone(&plan.layout), memory.another());
        let represented_held = memory.another();
        let root = plan.tree.position(Tree::ROOT).r#type;
        // One object needs no reservation.
        let _ = arena.add_object(Tree::ROOT, Some(root), None);
        Self {
            inputs,
            options,
            executed: Executed { arena, errors: Errors::default(), held: memory },
            statistics,
            states: vec![FetchState::Waiting; plan.fetches.len()],
            fetch_inputs: plan.fetches.iter().map(|_| FetchInputs::default()).collect(),
            pending: vec![0; plan.fetches.len()],
            failed: Vec::new(),
            represented_bytes: 0,
            represented_held,
            printed,
        }
    }

    /// Prepares a fetch whose dependencies are complete.
    fn request(&mut self, id: FetchId, fetch: &Fetch) -> Ready {
        match self.prepare(id, fetch) {
            Ok(ready) => ready,
            Err(BudgetExceeded { .. }) => Ready::BudgetExceeded,
        }
    }

    fn prepare(&mut self, id: FetchId, fetch: &Fetch) -> Result<Ready, BudgetExceeded> {
        let Inputs { supergraph, plan, .. } = self.inputs;
        let contexts = &plan.contexts;
        let mut fetch_inputs = FetchInputs::default();
        if let Some(root) = &fetch.root {
            fetch_inputs.roots = self.executed.arena.objects_at(root.position).to_vec();
        }
        let (mut made, mut unique, mut reused) = (0, 0, 0);
        // Objects that lack some inputs, by planned list.
        let mut reduced: Vec<(&Entities, Vec<Owner>)> = Vec::new();
        for (planned, list) in fetch.entities.iter().enumerate() {
            let arena = &mut self.executed.arena;
            let objects = list.entries.iter().map(|entry| arena.objects_at(entry.position).len());
            self.represented_bytes += objects.sum::<usize>() * REPRESENTATION_OVERHEAD;
            self.represented_held.grow_to(self.represented_bytes as u64)?;
            let mut unrepresented_owners = Unrepresented::default();
            let writer = RepresentationWriter { supergraph, tree: Some(&plan.tree), arena };
            let mut all = representations(writer, list, &mut unrepresented_owners);
            self.represented_bytes += all.texts.size() * TEXT_COPIES;
            self.represented_held.grow_to(self.represented_bytes as u64)?;
            let Unrepresented { keyless, partial: mut unrepresented } = unrepresented_owners;
            made += all.all_owners().len();
            unique += all.texts.len();
            if self.options.reuse {
                let (states, fetch_inputs) = (&self.states, &self.fetch_inputs);
                let earlier = EarlierFetches { plan, states, fetch_inputs };
                match reuse_earlier(supergraph, arena, (fetch, list), &mut all, earlier)? {
                    Remaining::Some { reused: more } => reused += more,
                    Remaining::InFlight => return Ok(Ready::Waiting),
                }
            }
            let resolver = ContextResolver { supergraph, contexts, arena };
            for (context_values, all) in group_by_contexts(resolver, list, all, &mut unrepresented)
            {
                fetch_inputs.lists.push(EntityList {
                    of: ListSelection::Planned(planned),
                    context_values,
                    all,
                });
            }
            if !keyless.is_empty() {
                mark_unknown(arena, list, &keyless);
            }
            if !unrepresented.is_empty() {
                reduced.push((list, unrepresented));
            }
        }
        for (list, owners) in reduced {
            let Executed { arena, errors, .. } = &mut self.executed;
            let list = (fetch.subgraph, list);
            for (list, all) in reduce(self.inputs, (arena, errors), list, &owners) {
                made += all.all_owners().len();
                unique += all.texts.len();
                let resolver = ContextResolver { supergraph, contexts, arena };
                for (context_values, all) in
                    group_by_contexts(resolver, &list, all, &mut Vec::new())
                {
                    let of = ListSelection::Reduced(Box::new(list.clone()));
                    fetch_inputs.lists.push(EntityList { of, context_values, all });
                }
            }
        }
        let fetch_statistics = &mut self.statistics.fetches[id.index()];
        (fetch_statistics.made, fetch_statistics.unique, fetch_statistics.reused) =
            (made, unique, reused);
        let is_empty = fetch_inputs.lists.iter().all(|list| list.all.left.is_empty());
        if is_empty && fetch_inputs.roots.is_empty() {
            return Ok(Ready::Done(if reused > 0 {
                FetchOutcome::Reused
            } else {
                FetchOutcome::Nothing
            }));
        }
        let batches = fetch_inputs.batches(fetch, self.options.max_representations);
        self.pending[id.index()] = batches.len();
        self.states[id.index()] = FetchState::Sent;
        self.fetch_inputs[id.index()] = fetch_inputs;
        Ok(Ready::Send(batches))
    }

    /// Returns the document and the body of a batch.
    fn request_batch(
        &mut self,
        id: FetchId,
        fetch: &'r Fetch,
        batch: &Batch,
    ) -> (&'r Document, Bytes) {
        let fetch_inputs = &self.fetch_inputs[id.index()];
        let document = document(self.inputs, (id, fetch), fetch_inputs, batch, self.printed);
        let body = body(self.inputs, fetch, document, fetch_inputs, batch);
        self.statistics.send(id.index(), body.len());
        (document, body.into())
    }

    fn done(&mut self, id: FetchId, outcome: FetchOutcome) {
        self.states[id.index()] = FetchState::Complete;
        self.statistics.fetches[id.index()].outcome = outcome;
    }

    /// Fails a fetch whose representations need too much memory.
    fn fail_for_memory(&mut self, id: FetchId, fetch: &Fetch) {
        self.states[id.index()] = FetchState::Tainted;
        let kind = FetchFailure::from(FetchError::MemoryExhausted).of(fetch);
        let batch = Batch::default();
        let cause = self.error_mapper(id, &batch).fail(kind);
        self.failed.push((id, batch, cause));
    }

    /// Sets the cause for objects that were added after a fetch had failed.
    fn finish(&mut self) {
        let failed = std::mem::take(&mut self.failed);
        for (id, batch, cause) in &failed {
            self.error_mapper(*id, batch).fail_absent(*cause);
        }
        self.failed = failed;
    }

    pub(super) fn error_mapper<'t>(&'t mut self, id: FetchId, batch: &'t Batch) -> ErrorMapper<'t> {
        ErrorMapper {
            plan: self.inputs.plan,
            arena: &mut self.executed.arena,
            errors: &mut self.executed.errors,
            fetch: &self.inputs.plan.fetches[id.index()],
            fetch_inputs: &self.fetch_inputs[id.index()],
            batch,
        }
    }
}
