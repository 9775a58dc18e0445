//! The requests of a plan, each as soon as those that it needs are answered.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use graphql::operation::Operation;
use graphql::variables::Variables;
use serde_json_bytes::Value as Json;

use super::arena::{Arena, ObjectId};
use super::json::{Json as Text, Kind};
use super::read::{Reader, parts};
use super::represent::{Representations, representations};
use super::store::{Left, State, take};
use super::{AskError, ErrorKind, ExecutionError, Step, Subgraphs};
use crate::outline::Tree;
use crate::plan::{Fetch, FetchId, Plan, entities_key, representations_variable};
use crate::supergraph::Supergraph;

/// What subgraphs answered.
#[derive(Debug)]
pub struct Executed {
    pub(super) arena: Arena,
    pub errors: Vec<ExecutionError>,
    /// How many requests were sent.
    pub sent: usize,
}

/// How plans are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether a request is not sent for what this operation has been answered already.
    pub reuse: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { reuse: true }
    }
}

/// What became of a request that is ready.
enum Ready {
    Send(Vec<u8>, Asked),
    /// Nothing is left to be asked.
    Done,
    /// Another request is waited for, which may say it.
    Held,
}

/// What a request was asked with.
#[derive(Debug, Default)]
struct Asked {
    lists: Vec<Representations>,
    /// The root objects that share its answer.
    roots: Vec<ObjectId>,
}

/// Runs a plan.
pub async fn execute<S: Subgraphs>(
    supergraph: &Supergraph,
    operation: &Operation,
    plan: &Plan,
    variables: &Variables,
    subgraphs: &S,
    options: Options,
) -> Executed {
    let mut arena = Arena::new(Arc::clone(&plan.layout));
    let root = plan.tree.position(Tree::ROOT).r#type;
    arena.add_object(Tree::ROOT, Some(root), None, &[]);
    let mut running = Running {
        supergraph,
        operation,
        plan,
        variables,
        executed: Executed { arena, errors: Vec::new(), sent: 0 },
        states: vec![State::Waiting; plan.fetches.len()],
        options,
    };
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
        // In the order of the plan: the last is taken first.
        ready.sort_unstable_by(|one, other| other.cmp(one));
        while let Some(id) = ready.pop() {
            let fetch = &plan.fetches[id.index()];
            match running.request(fetch) {
                Ready::Send(body, asked) => {
                    running.executed.sent += 1;
                    running.states[id.index()] = State::Sent;
                    let answer = subgraphs.ask(fetch.subgraph, body);
                    in_flight.push(async move { (id, asked, answer.await) });
                }
                Ready::Done => {
                    running.states[id.index()] = State::Answered;
                    release(plan, id, &mut missing, &mut ready);
                }
                Ready::Held => held.push(id),
            }
        }
        let Some((id, asked, answer)) = in_flight.next().await else { break };
        let errors = running.executed.errors.len();
        running.receive(&plan.fetches[id.index()], &asked, answer);
        let is_clean = errors == running.executed.errors.len();
        running.states[id.index()] = if is_clean { State::Answered } else { State::Tainted };
        ready.append(&mut held);
        release(plan, id, &mut missing, &mut ready);
    }
    drop(in_flight);
    running.executed
}

/// Marks as ready what waited for nothing but this request.
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

struct Running<'r> {
    supergraph: &'r Supergraph,
    operation: &'r Operation,
    plan: &'r Plan,
    variables: &'r Variables,
    executed: Executed,
    /// By request.
    states: Vec<State>,
    options: Options,
}

impl Running<'_> {
    /// What becomes of a request whose representations can be said.
    fn request(&mut self, fetch: &Fetch) -> Ready {
        let mut asked = Asked::default();
        if let Some(root) = &fetch.root {
            asked.roots = self.executed.arena.at[root.position.index()].clone();
        }
        for list in &fetch.entities {
            let arena = &mut self.executed.arena;
            let all = representations(self.supergraph, arena, list);
            if !self.options.reuse {
                asked.lists.push(all);
                continue;
            }
            match take(self.supergraph, arena, list, all, &self.states) {
                Left::Some(rest) => asked.lists.push(rest),
                Left::Coming => return Ready::Held,
            }
        }
        let is_empty = asked.lists.iter().all(|list| list.texts.is_empty());
        if is_empty && asked.roots.is_empty() {
            return Ready::Done;
        }
        let mut body = fetch.document.head.to_vec();
        for (place, list) in asked.lists.iter().enumerate() {
            separate(&mut body);
            name(&mut body, &representations_variable(place));
            body.push(b'[');
            for (place, text) in list.texts.iter().enumerate() {
                if place > 0 {
                    body.push(b',');
                }
                body.extend_from_slice(text);
            }
            body.push(b']');
        }
        for slot in &fetch.document.variables {
            let value = self.variables.values.get(usize::from(slot.0)).and_then(Option::as_ref);
            // One that is not given is not sent: the subgraph has the same defaults.
            let Some(value) = value else { continue };
            separate(&mut body);
            name(&mut body, &self.operation.variable(*slot).name);
            body.extend_from_slice(&json(value));
        }
        body.extend_from_slice(b"}}");
        Ready::Send(body, asked)
    }

    fn receive(&mut self, fetch: &Fetch, asked: &Asked, answer: Result<Bytes, AskError>) {
        let subgraph = fetch.subgraph;
        let bytes = match answer {
            Ok(bytes) => bytes,
            Err(why) => return self.fail(asked, ErrorKind::NotAnswered { subgraph, why }),
        };
        let invalid = |why: &str| ErrorKind::Invalid { subgraph, why: why.into() };
        if std::str::from_utf8(&bytes).is_err() {
            return self.fail(asked, invalid("it is no UTF-8"));
        }
        let Ok(parts) = parts(&bytes) else {
            return self.fail(asked, invalid("it is no JSON of a GraphQL answer"));
        };
        if let Some((start, end)) = parts.errors {
            self.tell(fetch, asked, bytes.get(start..end).unwrap_or_default());
        } else if parts.data.is_none() {
            return self.fail(asked, invalid("it has neither data nor errors"));
        }
        if let Some(data) = parts.data
            && self.read(fetch, asked, &bytes, data).is_err()
        {
            self.fail(asked, invalid("it does not answer what was asked"));
        }
    }

    fn read(
        &mut self,
        fetch: &Fetch,
        asked: &Asked,
        bytes: &Bytes,
        data: usize,
    ) -> Result<(), super::json::NoJson> {
        let buffer = self.executed.arena.add_buffer(bytes.clone());
        let Executed { arena, errors, .. } = &mut self.executed;
        let mut reader = Reader {
            supergraph: self.supergraph,
            tree: &self.plan.tree,
            arena,
            errors,
            buffer,
            bytes,
        };
        if let Some(root) = &fetch.root {
            for object in &asked.roots {
                reader.object(data, &root.selection, *object)?;
            }
        }
        for (place, (list, entities)) in asked.lists.iter().zip(&fetch.entities).enumerate() {
            let key = entities_key(place, fetch.entities.len());
            let Some(at) = member(bytes, data, &key)? else { continue };
            let mut json = Text::new(bytes);
            json.go_to(at);
            if json.kind()? == Kind::Null {
                continue;
            }
            if json.count()? != list.owners.len() {
                // There is no telling whose they are.
                return Err(super::json::NoJson);
            }
            let mut index = 0;
            if json.begin(b'[', b']')? {
                loop {
                    let owners = list.owners.get(index).ok_or(super::json::NoJson)?;
                    let is_there = json.kind()? == Kind::Object;
                    let (start, _) = json.skip()?;
                    for (entry, object) in owners.iter().filter(|_| is_there) {
                        reader.entity(start, &entities.entries[*entry], *object)?;
                    }
                    index += 1;
                    if !json.next(b']')? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// A request without a usable answer: one error, at the first of the objects that it is about.
    fn fail(&mut self, asked: &Asked, kind: ErrorKind) {
        let first = asked.lists.iter().flat_map(|list| &list.owners).flatten().next();
        let object = first.map(|(_, object)| *object).or_else(|| asked.roots.first().copied());
        let path = object.map(|object| self.executed.arena.path(&self.plan.tree, object));
        self.executed.errors.push(ExecutionError { kind, path: path.unwrap_or_default() });
    }

    /// The errors that a subgraph tells, at the places of the client's answer.
    fn tell(&mut self, fetch: &Fetch, asked: &Asked, errors: &[u8]) {
        let subgraph = fetch.subgraph;
        let told: Vec<Json> = serde_json_bytes::serde_json::from_slice(errors).unwrap_or_default();
        for error in &told {
            let text = |name: &str| error.get(name).and_then(Json::as_str).unwrap_or_default();
            let kind = ErrorKind::Subgraph { subgraph, message: text("message").into() };
            let path = error.get("path").and_then(Json::as_array).map(Vec::as_slice);
            let path = self.place(fetch, asked, path.unwrap_or_default());
            self.executed.errors.push(ExecutionError { kind, path });
        }
        if told.is_empty() {
            let kind = ErrorKind::Subgraph { subgraph, message: Box::default() };
            self.fail(asked, kind);
        }
    }

    /// Where the path of a subgraph's error leads in the client's answer, as far as it goes.
    fn place(&self, fetch: &Fetch, asked: &Asked, path: &[Json]) -> Vec<Step> {
        let mut steps = path.iter();
        let first = steps.next().and_then(Json::as_str).unwrap_or_default();
        let list = (0..fetch.entities.len())
            .find(|place| entities_key(*place, fetch.entities.len()) == first);
        let index =
            steps.next().and_then(Json::as_u64).and_then(|index| usize::try_from(index).ok());
        let owner = list
            .zip(index)
            .and_then(|(list, index)| asked.lists.get(list)?.owners.get(index)?.first().copied());
        match (list, owner) {
            (Some(_), Some((_, object))) => self.executed.arena.path(&self.plan.tree, object),
            (Some(_), None) => Vec::new(),
            (None, _) => {
                let steps = path.iter().map_while(|step| match step {
                    Json::String(key) => Some(Step::Key(key.as_str().into())),
                    Json::Number(index) => Some(Step::Index(
                        index.as_u64().and_then(|index| usize::try_from(index).ok())?,
                    )),
                    _ => None,
                });
                steps.collect()
            }
        }
    }
}

/// Where a member of an object stands.
fn member(bytes: &[u8], at: usize, wanted: &str) -> Result<Option<usize>, super::json::NoJson> {
    let mut json = Text::new(bytes);
    json.go_to(at);
    if json.begin(b'{', b'}')? {
        loop {
            let is_wanted = json.name()? == wanted.as_bytes();
            let (start, _) = json.skip()?;
            if is_wanted {
                return Ok(Some(start));
            }
            if !json.next(b'}')? {
                break;
            }
        }
    }
    Ok(None)
}

fn separate(body: &mut Vec<u8>) {
    if !body.ends_with(b"{") {
        body.push(b',');
    }
}

/// The name of a variable, which has nothing that JSON would escape.
fn name(body: &mut Vec<u8>, name: &str) {
    body.push(b'"');
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(b"\":");
}

fn json(value: &Json) -> Vec<u8> {
    // Writing to memory cannot fail, and a value has no keys but texts.
    serde_json_bytes::serde_json::to_vec(value).unwrap_or_default()
}
