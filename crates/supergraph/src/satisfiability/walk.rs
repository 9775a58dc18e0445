//! Walk over the states of client paths, breadth first.
//!
//! A state is an object type with the visits of its objects, and the contexts that enclosing objects
//! set. All fields of the type must be resolved from the visits that are reached from these. The
//! walk continues below each field with the visits of all subgraphs that resolve it.
//!
//! A state is skipped if a visited state of the type reaches no more visits than it: then
//! everything that is satisfiable there is satisfiable here. So the number of states does not
//! depend on the number of paths. It is limited nevertheless ([`Limits::states`]).

mod executors;
mod runtime_types;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use graphql::operation::OperationKind;
use graphql::schema::{FieldId, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::Condition;
use super::explain::{Failure, explain};
use super::operations::{self, PathStep};
use super::reachable::{Entries, Reachability, Reached};
use super::visits::VisitId;
use super::{Attempt, Limits, Reason, RuntimeTypes, UnresolvableField, Unsatisfiable};

/// Index of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StateId(usize);

/// A state of client paths.
#[derive(Debug)]
struct State {
    object: TypeId,
    entries: Entries,
    /// Conditions under which enclosing objects set the contexts.
    contexts: Rc<[Condition]>,
    /// The state and field above.
    parent: Option<(StateId, FieldId)>,
}

/// A visited state all of whose fields are resolved.
#[derive(Debug)]
struct Visited {
    exists: Condition,
    reached: Rc<Reached>,
    contexts: Rc<[Condition]>,
}

/// One walk from a root type.
#[derive(Debug)]
pub(super) struct Walk<'r, 's> {
    reachability: &'r mut Reachability<'s>,
    /// Visible fields of the types of the API.
    fields: &'r FxHashMap<TypeId, Vec<FieldId>>,
    kind: OperationKind,
    limits: Limits,
    /// Number of states that were visited in all walks.
    count: usize,
    states: Vec<State>,
    queue: VecDeque<StateId>,
    /// States that were queued.
    known: FxHashSet<(TypeId, Entries, Rc<[Condition]>)>,
    visited: FxHashMap<TypeId, Vec<Visited>>,
    /// Shared fields with findings about their runtime types.
    mismatched: FxHashSet<FieldId>,
    /// Shared fields that are in `shared`.
    inconsistent: FxHashSet<FieldId>,
    shared: Vec<RuntimeTypes>,
    /// Condition under which something is not resolved.
    failing: Condition,
    /// Number of fields that are not resolved in some state.
    failures: usize,
    /// Whether the limits were exceeded.
    is_exceeded: bool,
    /// Operations of findings.
    operations: FxHashSet<String>,
    findings: Vec<PathFinding>,
}

/// A finding with its path.
#[derive(Debug)]
pub(super) struct PathFinding {
    path: Vec<PathStep>,
    /// Condition under which it applies.
    when: Condition,
    pub(super) finding: Unsatisfiable,
}

/// The findings and the number of visited states.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) findings: Vec<PathFinding>,
    /// Shared fields whose subgraphs have different runtime types, with some in common.
    pub(super) shared: Vec<RuntimeTypes>,
    pub(super) count: usize,
    pub(super) is_exceeded: bool,
}

impl<'r, 's> Walk<'r, 's> {
    /// `count` is the number of states that were visited before.
    pub(super) fn new(
        reachability: &'r mut Reachability<'s>,
        fields: &'r FxHashMap<TypeId, Vec<FieldId>>,
        kind: OperationKind,
        limits: Limits,
        count: usize,
    ) -> Self {
        Self {
            reachability,
            fields,
            kind,
            limits,
            count,
            states: Vec::new(),
            queue: VecDeque::new(),
            known: FxHashSet::default(),
            visited: FxHashMap::default(),
            mismatched: FxHashSet::default(),
            inconsistent: FxHashSet::default(),
            shared: Vec::new(),
            failing: Condition::FALSE,
            failures: 0,
            is_exceeded: false,
            operations: FxHashSet::default(),
            findings: Vec::new(),
        }
    }

    /// Walks from a root type.
    pub(super) fn run(mut self, root: TypeId) -> Walked {
        let supergraph = self.reachability.visits.supergraph;
        let owners = supergraph.type_owners(root).subgraphs.iter();
        let entries = owners.map(|owner| {
            (self.reachability.visits.plain(root, owner.subgraph, None), Condition::TRUE)
        });
        let entries: Entries = entries.collect();
        let contexts = vec![Condition::FALSE; self.reachability.visits.contexts.len()].into();
        let state = State { object: root, entries, contexts, parent: None };
        if self.kind == OperationKind::Query {
            self.queue(state);
        } else {
            self.states.push(state);
            self.visit_single_executors(StateId(0));
        }
        self.visit_queue();
        if self.reachability.visits.conditions.is_exceeded() {
            self.exceed();
        }
        let Self { findings, shared, count, is_exceeded, .. } = self;
        Walked { findings, shared, count, is_exceeded }
    }

    fn visit_queue(&mut self) {
        while let Some(state) = self.queue.pop_front() {
            let is_exceeded = self.reachability.visits.conditions.is_exceeded();
            if self.count >= self.limits.states || is_exceeded {
                return self.exceed();
            }
            self.count += 1;
            self.visit(state);
        }
    }

    /// Ends the walk.
    fn exceed(&mut self) {
        self.queue.clear();
        if self.is_exceeded {
            return;
        }
        self.is_exceeded = true;
        if self.reachability.visits.conditions.is_exceeded() {
            // They may be wrong.
            self.findings.clear();
        }
        let finding = Unsatisfiable::TooManyPaths(self.limits);
        self.findings.push(PathFinding { path: Vec::new(), when: Condition::TRUE, finding });
    }

    fn reached(&mut self, state: StateId) -> Rc<Reached> {
        let entries = Rc::clone(&self.states[state.0].entries);
        self.reachability.from(&entries)
    }

    fn visit(&mut self, state: StateId) {
        let object = self.states[state.0].object;
        // No objects of an interface without implementations exist.
        let is_interface = matches!(
            self.reachability.visits.supergraph.schema[object].kind,
            TypeKind::Interface { .. }
        );
        let Some(fields) = self.fields.get(&object).filter(|_| !is_interface) else { return };
        let reached = self.reached(state);
        let exists = self.exists(state);
        let contexts = Rc::clone(&self.states[state.0].contexts);
        if self.is_covered(object, exists, &reached, &contexts) {
            return;
        }
        let before = self.failures;
        self.check_runtime_type(state, &reached, exists);
        for field in fields {
            let below = self.visit_field(state, &reached, *field);
            self.queue_all(below);
        }
        if self.failures == before {
            let visited = self.visited.entry(object).or_default();
            visited.push(Visited { exists, reached, contexts });
        }
    }

    /// Returns the condition under which objects of a state are returned.
    fn exists(&mut self, state: StateId) -> Condition {
        let entries = Rc::clone(&self.states[state.0].entries);
        let mut exists = Condition::FALSE;
        for (_, condition) in &*entries {
            exists = self.reachability.visits.conditions.or(exists, *condition);
        }
        exists
    }

    /// Whether some visited state reaches no more than this one.
    fn is_covered(
        &mut self,
        object: TypeId,
        exists: Condition,
        reached: &Reached,
        contexts: &[Condition],
    ) -> bool {
        let conditions = &mut self.reachability.visits.conditions;
        let Some(visited) = self.visited.get(&object) else { return false };
        visited.iter().any(|visited| {
            conditions.implies(exists, visited.exists)
                && visited.reached.iter().all(|(visit, condition)| {
                    let condition = conditions.and(condition, exists);
                    conditions.implies(condition, reached.condition(visit))
                })
                && visited.contexts.iter().zip(contexts).all(|(visited, own)| {
                    let condition = conditions.and(*visited, exists);
                    conditions.implies(condition, *own)
                })
        })
    }

    /// Checks that some subgraph returns the runtime type of interface objects.
    fn check_runtime_type(&mut self, state: StateId, reached: &Reached, exists: Condition) {
        let known = self.reachability.runtime_type(reached);
        let unknown = self.reachability.visits.conditions.minus(exists, known);
        let Some((above, field)) = self.states[state.0].parent.filter(|_| !unknown.is_never())
        else {
            return;
        };
        self.fail(unknown);
        let supergraph = self.reachability.visits.supergraph;
        let interface = supergraph.schema[field].r#type.base;
        let name = supergraph.schema[interface].name.clone();
        let path = self.path(above, field, true);
        let entries = Rc::clone(&self.states[state.0].entries);
        let subgraphs = entries.iter().map(|(visit, _)| {
            let subgraph = self.reachability.visits.visit(*visit).subgraph;
            let reasons = vec![Reason::NoRuntimeType { interface: name.clone() }];
            Attempt { subgraph: supergraph.subgraph(subgraph).name.clone(), reasons }
        });
        let field = UnresolvableField {
            operation: operations::print(supergraph, self.kind, [path.as_slice()]),
            coordinate: name.to_string(),
            labels: self.reachability.visits.conditions.assignment(unknown),
            attempts: subgraphs.collect(),
        };
        self.find(path, unknown, field);
    }

    /// Checks a field of a state; returns the states below it.
    fn visit_field(&mut self, id: StateId, reached: &Reached, field: FieldId) -> Vec<State> {
        let exists = self.exists(id);
        let contexts = Rc::clone(&self.states[id.0].contexts);
        let mut resolved = Condition::FALSE;
        let mut edges = Vec::new();
        for from in reached.iter() {
            let Some(edge) = self.reachability.visits.edge(from.0, field) else { continue };
            let condition = self.reachability.resolved_by(&edge, from.1, Some(&contexts));
            if !condition.is_never() {
                resolved = self.reachability.visits.conditions.or(resolved, condition);
                edges.push((condition, edge));
            }
        }
        let missing = self.reachability.visits.conditions.minus(exists, resolved);
        if !missing.is_never() {
            self.fail(missing);
            self.find_missing(id, reached, field, missing);
        }
        let supergraph = self.reachability.visits.supergraph;
        let base = supergraph.schema[field].r#type.base;
        if !supergraph.is_composite(base) {
            return Vec::new();
        }
        let mut below: BTreeMap<TypeId, BTreeMap<VisitId, Condition>> = BTreeMap::new();
        for (condition, edge) in &edges {
            for (object, child) in &edge.children {
                let children = below.entry(*object).or_default();
                let known = children.entry(*child).or_insert(Condition::FALSE);
                *known = self.reachability.visits.conditions.or(*known, *condition);
            }
        }
        self.check_runtime_types(id, reached, field);
        let is_union = matches!(supergraph.schema[base].kind, TypeKind::Union { .. });
        let contexts = self.contexts_below(id, reached);
        let mut states = Vec::with_capacity(below.len());
        for (object, children) in below {
            let mut entries: Vec<_> = children.into_iter().collect();
            if is_union {
                self.remove_others(object, &mut entries, &edges);
            }
            if !entries.is_empty() {
                let (entries, contexts) = (entries.into(), Rc::clone(&contexts));
                states.push(State { object, entries, contexts, parent: Some((id, field)) });
            }
        }
        states
    }

    fn find_missing(&mut self, id: StateId, reached: &Reached, field: FieldId, missing: Condition) {
        let State { object, entries, contexts, .. } = &self.states[id.0];
        let (object, entries, contexts) = (*object, Rc::clone(entries), Rc::clone(contexts));
        let supergraph = self.reachability.visits.supergraph;
        let known = self.reachability.runtime_type(reached);
        let is_known = self.reachability.visits.conditions.implies(missing, known);
        let position = self.position(id);
        let name = &supergraph.schema[field].name;
        let of_position = supergraph.find_field(position, name);
        let of_position = of_position.filter(|_| supergraph.api.has(position));
        // Without the runtime type only fields of the interface can be selected; the others follow
        // from the finding about the type.
        let path = match (is_known, of_position) {
            (true, _) => self.path(id, field, true),
            (false, Some(field)) => self.path(id, field, false),
            (false, None) => return,
        };
        let (when, missing, labels) = {
            let conditions = &mut self.reachability.visits.conditions;
            (missing, conditions.point(missing), conditions.assignment(missing))
        };
        let (entries, contexts) = (&*entries, &*contexts);
        let failure = Failure { object, field, missing, entries, reached, contexts };
        let attempts = explain(self.reachability, &failure);
        let field = UnresolvableField {
            operation: operations::print(supergraph, self.kind, [path.as_slice()]),
            coordinate: self.coordinate(object, field),
            labels,
            attempts,
        };
        self.find(path, when, field);
    }

    fn fail(&mut self, when: Condition) {
        self.failures += 1;
        self.failing = self.reachability.visits.conditions.or(self.failing, when);
    }

    /// Adds a finding, unless another one has the same operation.
    fn find(&mut self, path: Vec<PathStep>, when: Condition, field: UnresolvableField) {
        if self.operations.insert(field.operation.clone()) {
            let finding = Unsatisfiable::Field(field);
            self.findings.push(PathFinding { path, when, finding });
        }
    }

    /// Returns the conditions under which the contexts are set for the fields below a state.
    fn contexts_below(&mut self, id: StateId, reached: &Reached) -> Rc<[Condition]> {
        let State { object, contexts, .. } = &self.states[id.0];
        let (object, above) = (*object, Rc::clone(contexts));
        let mut contexts = Vec::with_capacity(above.len());
        for (place, above) in above.iter().enumerate() {
            contexts.push(match self.reachability.visits.source(place, object) {
                Some(own) => self.reachability.holds(reached, object, own.set, None),
                None => *above,
            });
        }
        contexts.into()
    }

    fn queue_all(&mut self, states: Vec<State>) {
        for state in states {
            self.queue(state);
        }
    }

    fn queue(&mut self, state: State) {
        let key = (state.object, Rc::clone(&state.entries), Rc::clone(&state.contexts));
        if self.known.insert(key) {
            self.queue.push_back(StateId(self.states.len()));
            self.states.push(state);
        }
    }

    /// Returns the type of the field that leads to a state.
    fn position(&self, id: StateId) -> TypeId {
        let State { object, parent, .. } = &self.states[id.0];
        let schema = &self.reachability.visits.supergraph.schema;
        parent.map_or(*object, |(_, field)| schema[field].r#type.base)
    }

    /// Returns the path to a field of a state.
    fn path(&self, mut id: StateId, field: FieldId, is_conditional: bool) -> Vec<PathStep> {
        let condition = |id: StateId| {
            let object = self.states[id.0].object;
            Some(object).filter(|object| *object != self.position(id))
        };
        let mut path = vec![PathStep { on: condition(id).filter(|_| is_conditional), field }];
        while let Some((above, field)) = self.states[id.0].parent {
            path.push(PathStep { on: condition(above), field });
            id = above;
        }
        path.reverse();
        path
    }

    fn coordinate(&self, object: TypeId, field: FieldId) -> String {
        let schema = &self.reachability.visits.supergraph.schema;
        format!("{}.{}", schema[object].name, schema[field].name)
    }
}
