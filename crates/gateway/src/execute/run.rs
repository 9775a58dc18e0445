//! Scheduler of the fetches of a plan: each is sent as soon as its dependencies are complete.

use std::cell::OnceCell;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use response::{Held, NoMemory, Recorded};

use super::alike::Alike;
use super::answer;
use super::answer::Parts;
use super::arena::{Arena, ObjectId};
use super::cause::{Cause, CauseId, Origin, Scope};
use super::errors::{AskError, ErrorKind, Errors, Invalid, Step};
use super::feed::Feed;
use super::json::{Json, NoUtf8, Span};
use super::observe::{Fate, Observed};
use super::read::{Causes, Reader, Unread, Wrong};
use super::recorded::Tape;
use super::reduce::{miss, reduce};
use super::represent::{Forming, Owner, Unasked, representations};
use super::request::{Asked, List, Of, Part, body, document};
use super::store::{Earlier, Left, State, take};
use super::tell::Teller;
use super::told::{Printed, Telling, apart};
use super::{Answer, Ask, Body, Inputs, Options, Recording, Subgraphs};
use crate::outline::{ItemId, Tree};
use crate::plan::{Document, Entities, Fetch, FetchId, Plan};

/// Data and errors of an execution.
#[derive(Debug)]
pub struct Executed {
    pub(super) arena: Arena,
    pub(super) errors: Errors,
    /// Reserved memory of the subgraph responses.
    held: Held,
}

impl Executed {
    /// Returns the errors; complete once the response is written.
    #[must_use]
    pub fn into_errors(self) -> Vec<super::ExecutionError> {
        self.errors.into_list()
    }

    /// Total length of the subgraph responses.
    #[must_use]
    pub fn received(&self) -> usize {
        self.arena.buffers.iter().map(Bytes::len).sum()
    }

    /// Estimated length of the data.
    #[must_use]
    pub fn expected(&self) -> usize {
        self.received().max(self.arena.usually_written())
    }
}

/// Failure of a fetch, with details for the log.
struct Unanswered {
    why: AskError,
    reason: Option<Box<str>>,
}

impl From<AskError> for Unanswered {
    fn from(why: AskError) -> Self {
        Self { why, reason: None }
    }
}

impl Unanswered {
    fn of(self, fetch: &Fetch) -> ErrorKind {
        let Self { why, reason } = self;
        ErrorKind::NotAnswered { subgraph: fetch.subgraph, kind: fetch.kind, why, reason }
    }
}

/// Next step of a fetch whose dependencies are complete.
enum Ready {
    Send(Vec<Part>),
    /// There is nothing to send.
    Done(Fate),
    /// It waits for another fetch whose response may contain its data.
    Held,
    NoMemory,
}

/// Executes a plan. `memory` is the reservation for the subgraph responses.
pub async fn execute<S: Subgraphs>(
    inputs: Inputs<'_>,
    subgraphs: &S,
    options: Options,
    memory: Held,
    observed: &mut Observed,
) -> Executed {
    let plan = inputs.plan;
    observed.begin(plan);
    let printed = Printed::default();
    let mut running = Running::new(inputs, options, memory, observed, &printed);
    let mut held: Vec<FetchId> = Vec::new();
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
            let fetch = &plan.fetches[id.index()];
            match running.request(id, fetch) {
                Ready::Send(parts) => {
                    for part in parts {
                        let (document, body) = running.request_of(id, fetch, &part);
                        let Fetch { subgraph, kind, .. } = *fetch;
                        in_flight.push(async move {
                            let reason = &OnceCell::new();
                            let ask = Ask { subgraph, kind, fetch: id, document, body, reason };
                            let answer = subgraphs.ask(ask).await;
                            let reason = || reason.get().cloned();
                            (id, part, answer.map_err(|why| Unanswered { why, reason: reason() }))
                        });
                    }
                }
                Ready::Done(fate) => {
                    running.done(id, fate);
                    release(plan, id, &mut missing, &mut ready);
                }
                Ready::Held => {
                    running.observed.fetches[id.index()].has_waited = true;
                    held.push(id);
                }
                Ready::NoMemory => {
                    running.refuse(id, fetch);
                    release(plan, id, &mut missing, &mut ready);
                }
            }
        }
        let Some((id, part, answer)) = in_flight.next().await else { break };
        if running.receive(id, &part, answer) {
            ready.append(&mut held);
            release(plan, id, &mut missing, &mut ready);
        }
    }
    drop(in_flight);
    running.finish();
    running.executed.arena.tell_usual();
    running.executed
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

/// Upper bound of the memory of an object with a representation, beside its text: its entry among
/// the owners, and the hash tables while they grow.
const EACH_REPRESENTATION: usize = 96;

/// Maximum number of copies of a representation's text: two while the buffer grows, one in the
/// request.
const TEXT_COPIES: usize = 3;

struct Running<'r> {
    inputs: Inputs<'r>,
    options: Options,
    executed: Executed,
    observed: &'r mut Observed,
    /// By fetch.
    states: Vec<State>,
    /// By fetch: its inputs.
    asked: Vec<Asked>,
    /// By fetch: number of batches in flight.
    pending: Vec<usize>,
    /// Failed batches.
    failed: Vec<(FetchId, Part, CauseId)>,
    /// Memory of all representations, and its reservation.
    said: usize,
    said_held: Held,
    printed: &'r Printed,
}

impl<'r> Running<'r> {
    fn new(
        inputs: Inputs<'r>,
        options: Options,
        memory: Held,
        observed: &'r mut Observed,
        printed: &'r Printed,
    ) -> Self {
        let plan = inputs.plan;
        let mut arena = Arena::new(Arc::clone(&plan.layout), memory.another());
        let said_held = memory.another();
        let root = plan.tree.position(Tree::ROOT).r#type;
        // One object needs no reservation.
        let _ = arena.add_object(Tree::ROOT, Some(root), None);
        Self {
            inputs,
            options,
            executed: Executed { arena, errors: Errors::default(), held: memory },
            observed,
            states: vec![State::Waiting; plan.fetches.len()],
            asked: plan.fetches.iter().map(|_| Asked::default()).collect(),
            pending: vec![0; plan.fetches.len()],
            failed: Vec::new(),
            said: 0,
            said_held,
            printed,
        }
    }

    /// Prepares a fetch whose dependencies are complete.
    fn request(&mut self, id: FetchId, fetch: &Fetch) -> Ready {
        match self.prepare(id, fetch) {
            Ok(ready) => ready,
            Err(NoMemory { .. }) => Ready::NoMemory,
        }
    }

    fn prepare(&mut self, id: FetchId, fetch: &Fetch) -> Result<Ready, NoMemory> {
        let Inputs { supergraph, plan, .. } = self.inputs;
        let contexts = &plan.contexts;
        let mut asked = Asked::default();
        if let Some(root) = &fetch.root {
            asked.roots = self.executed.arena.objects_at(root.position).to_vec();
        }
        let (mut made, mut unique, mut reused) = (0, 0, 0);
        // Objects that lack some inputs, by planned list.
        let mut reduced: Vec<(&Entities, Vec<Owner>)> = Vec::new();
        for (planned, list) in fetch.entities.iter().enumerate() {
            let arena = &mut self.executed.arena;
            let objects = list.entries.iter().map(|entry| arena.objects_at(entry.position).len());
            self.said += objects.sum::<usize>() * EACH_REPRESENTATION;
            self.said_held.grow_to(self.said as u64)?;
            let mut unasked = Unasked::default();
            let forming = Forming { supergraph, tree: Some(&plan.tree), arena };
            let mut all = representations(forming, list, &mut unasked);
            self.said += all.texts.size() * TEXT_COPIES;
            self.said_held.grow_to(self.said as u64)?;
            let Unasked { keyless, partial: mut unsaid } = unasked;
            made += all.all_owners().len();
            unique += all.texts.len();
            if self.options.reuse {
                let (states, asked) = (&self.states, &self.asked);
                let earlier = Earlier { plan, states, asked };
                match take(supergraph, arena, (fetch, list), &mut all, earlier)? {
                    Left::Some { reused: more } => reused += more,
                    Left::Coming => return Ok(Ready::Held),
                }
            }
            let telling = Telling { supergraph, contexts, arena };
            for (told, all) in apart(telling, list, all, &mut unsaid) {
                asked.lists.push(List { of: Of::Planned(planned), told, all });
            }
            if !keyless.is_empty() {
                miss(arena, list, &keyless);
            }
            if !unsaid.is_empty() {
                reduced.push((list, unsaid));
            }
        }
        for (list, owners) in reduced {
            let Executed { arena, errors, .. } = &mut self.executed;
            let list = (fetch.subgraph, list);
            for (list, all) in reduce(self.inputs, (arena, errors), list, &owners) {
                made += all.all_owners().len();
                unique += all.texts.len();
                let telling = Telling { supergraph, contexts, arena };
                for (told, all) in apart(telling, &list, all, &mut Vec::new()) {
                    let of = Of::Reduced(Box::new(list.clone()));
                    asked.lists.push(List { of, told, all });
                }
            }
        }
        let seen = &mut self.observed.fetches[id.index()];
        (seen.made, seen.unique, seen.reused) = (made, unique, reused);
        let is_empty = asked.lists.iter().all(|list| list.all.left.is_empty());
        if is_empty && asked.roots.is_empty() {
            return Ok(Ready::Done(if reused > 0 { Fate::Reused } else { Fate::Nothing }));
        }
        let parts = asked.parts(fetch, self.options.max_representations);
        self.pending[id.index()] = parts.len();
        self.states[id.index()] = State::Sent;
        self.asked[id.index()] = asked;
        Ok(Ready::Send(parts))
    }

    /// Returns the document and the body of a batch.
    fn request_of(&mut self, id: FetchId, fetch: &'r Fetch, part: &Part) -> (&'r Document, Bytes) {
        let asked = &self.asked[id.index()];
        let document = document(self.inputs, fetch, asked, part, self.printed);
        let body = body(self.inputs, fetch, document, asked, part);
        self.observed.send(id.index(), body.len());
        (document, body.into())
    }

    fn done(&mut self, id: FetchId, fate: Fate) {
        self.states[id.index()] = State::Answered;
        self.observed.fetches[id.index()].fate = fate;
    }

    /// Fails a fetch whose representations need too much memory.
    fn refuse(&mut self, id: FetchId, fetch: &Fetch) {
        self.states[id.index()] = State::Tainted;
        let kind = Unanswered::from(AskError::MemoryExhausted).of(fetch);
        let part = Part::default();
        let cause = self.teller(id, &part).fail(kind);
        self.failed.push((id, part, cause));
    }

    /// Sets the cause for objects that were added after a fetch had failed.
    fn finish(&mut self) {
        for (id, part, cause) in std::mem::take(&mut self.failed) {
            self.teller(id, &part).lose_absent(cause);
        }
    }

    fn teller<'t>(&'t mut self, id: FetchId, part: &'t Part) -> Teller<'t> {
        Teller {
            plan: self.inputs.plan,
            arena: &mut self.executed.arena,
            errors: &mut self.executed.errors,
            fetch: &self.inputs.plan.fetches[id.index()],
            asked: &self.asked[id.index()],
            part,
        }
    }

    /// Handles the response to a batch; returns whether it was the last of its fetch.
    fn receive(&mut self, id: FetchId, part: &Part, answer: Result<Answer, Unanswered>) -> bool {
        let errors = self.executed.errors.len();
        let bytes = answer.as_ref().map_or(0, |answer| answer.body.length());
        if let Err(kind) = self.read(id, part, answer) {
            let cause = self.teller(id, part).fail(kind);
            self.failed.push((id, part.clone(), cause));
        }
        let errors = self.executed.errors.len() - errors;
        self.observed.receive(id.index(), bytes, errors);
        let state = &mut self.states[id.index()];
        if errors > 0 {
            *state = State::Tainted;
        }
        let pending = &mut self.pending[id.index()];
        *pending -= 1;
        if *pending == 0 && *state == State::Sent {
            *state = State::Answered;
        }
        *pending == 0
    }

    /// Reads a response, or returns the reason why it cannot be used.
    fn read(
        &mut self,
        id: FetchId,
        part: &Part,
        answer: Result<Answer, Unanswered>,
    ) -> Result<(), ErrorKind> {
        let fetch = &self.inputs.plan.fetches[id.index()];
        let Answer { body, held } = answer.map_err(|unanswered| unanswered.of(fetch))?;
        let length = body.length();
        match body {
            Body::Json(bytes) => {
                let invalid = |NoUtf8| self.invalid(id, Invalid::NoUtf8);
                let json = Json::check(&bytes).map_err(invalid)?;
                let (parts, wrong) =
                    self.take(id, part, json, (bytes.clone(), length), answer::read)?;
                self.executed.held.join(held);
                let errors = parts.errors.map(|errors| (&*bytes, errors));
                self.tell(id, part, parts, errors, wrong)
            }
            Body::Recorded(recording) => {
                let Recording { shape, data: Recorded { tokens, texts, .. }, errors } = *recording;
                let texts = Bytes::from(texts);
                let tape = || Tape::new(&tokens, &texts, &shape.fields);
                let has_errors = errors.is_some();
                let buffer = (texts.clone(), length);
                let (parts, wrong) =
                    self.take(id, part, tape(), buffer, |reader, fetch, asked, part| {
                        answer::read_recorded(reader, fetch, asked, part, has_errors)
                    })?;
                self.executed.held.join(held);
                let errors = errors.as_ref().map(|errors| (&**errors, (0, errors.len())));
                self.tell(id, part, parts, errors, wrong)
            }
        }
    }

    fn invalid(&self, id: FetchId, why: Invalid) -> ErrorKind {
        ErrorKind::Invalid { subgraph: self.inputs.plan.fetches[id.index()].subgraph, why }
    }

    /// Reads a response into the arena, with leaves as ranges of `buffer`; rolls back if it is
    /// invalid.
    fn take<'f, F: Feed<'f>>(
        &mut self,
        id: FetchId,
        part: &Part,
        feed: F,
        (buffer, length): (Bytes, usize),
        read: impl Fn(&mut Reader<'_, F>, &Fetch, &Asked, &Part) -> Result<Parts, Unread>,
    ) -> Result<(Parts, Wrong), ErrorKind> {
        let Inputs { plan, supergraph, .. } = self.inputs;
        let fetch = &plan.fetches[id.index()];
        let (arena, asked) = (&mut self.executed.arena, &self.asked[id.index()]);
        let is_shared = self.options.reuse && arena.is_shared();
        let begin = |arena: &mut Arena| {
            arena.begin_answer(length);
            arena.add_buffer(buffer.clone())
        };
        let buffer = begin(arena);
        let causes = Causes::next(&self.executed.errors);
        let mut reader = Reader::new(supergraph, &plan.tree, arena, feed, (buffer, causes));
        let is_compared = is_shared && reader.feed.compared().is_some();
        reader.alike = is_compared.then(|| Alike::new(length));
        let mut parts = read(&mut reader, fetch, asked, part);
        let has_found = reader.alike.take().is_some_and(|alike| alike.has_found());
        if has_found && parts.is_ok_and(|parts| parts.errors.is_some() || !reader.wrong.is_empty())
        {
            // Errors belong to one place, so duplicates are read again as separate objects.
            reader.arena.roll_back();
            begin(reader.arena);
            reader.wrong = Wrong::default();
            reader.feed.go_to(0);
            parts = read(&mut reader, fetch, asked, part);
        }
        let wrong = std::mem::take(&mut reader.wrong);
        match parts {
            Ok(parts) => {
                arena.end_answer();
                Ok((parts, wrong))
            }
            Err(why) => {
                arena.roll_back();
                Err(match why {
                    Unread::NoJson => self.invalid(id, Invalid::NoJson),
                    Unread::Twice => self.invalid(id, Invalid::Twice),
                    Unread::Length { asked } => self.invalid(id, Invalid::Length { asked }),
                    Unread::Unfit => self.invalid(id, Invalid::Unfit),
                    Unread::NoMemory => Unanswered::from(AskError::MemoryExhausted).of(fetch),
                })
            }
        }
    }

    /// Maps the errors of a response, and the defects of its data, to missing values.
    fn tell(
        &mut self,
        id: FetchId,
        part: &Part,
        parts: Parts,
        errors: Option<(&[u8], Span)>,
        wrong: Wrong,
    ) -> Result<(), ErrorKind> {
        if !wrong.is_empty() {
            self.add_wrong(id, wrong);
        }
        let mut teller = self.teller(id, part);
        let told = match errors {
            // The text was validated before, or comes from a source in this process.
            Some((bytes, errors)) => teller.told(bytes, errors).unwrap_or(None),
            None => None,
        };
        match told {
            Some(cause) if parts.data.is_none() || !parts.is_whole => teller.lose_absent(cause),
            None if parts.data.is_none() => return Err(self.invalid(id, Invalid::Empty)),
            Some(_) | None => {}
        }
        Ok(())
    }

    /// Adds the causes whose ids the reader has used.
    #[cold]
    fn add_wrong(&mut self, id: FetchId, wrong: Wrong) {
        let Wrong { values, entity, lacking } = wrong;
        let plan = self.inputs.plan;
        let invalid = |why| ErrorKind::Invalid { subgraph: plan.fetches[id.index()].subgraph, why };
        let at = |object: ObjectId, item: Option<ItemId>| {
            let item = item.filter(|item| plan.tree.item(*item).is_visible);
            let steps = item.map(|item| Step::Key(plan.tree.item(item).key.clone()));
            let (items, steps) = (item.into_iter().collect(), steps.into_iter().collect());
            Origin { object, items, steps, is_null: true, is_hidden: false }
        };
        let lacking = lacking.map(|(object, item)| at(object, Some(item)));
        let errors = &mut self.executed.errors;
        // In the order of their ids; an unused cause has no origin and is not reported.
        errors.add(Cause::new(invalid(Invalid::Lacking), Scope::Omission, lacking));
        let entity = entity.map(|object| at(object, None));
        errors.add(Cause::new(invalid(Invalid::Entity), Scope::Request, entity));
        errors.see(values);
    }
}
