//! Walk over the states of client paths, breadth first.
//!
//! A state is an object type with the visits of its objects, and the contexts that enclosing objects
//! set. All fields of the type must be resolved from the visits that are reached from these. The
//! walk continues below each field with the visits of all subgraphs that resolve it.
//!
//! A state is skipped if a visited state of the type reaches no more visits than it: then
//! everything that is satisfiable there is satisfiable here. So the number of states does not
//! depend on the number of paths. It is limited nevertheless ([`Limits::states`]).

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use graphql::operation::OperationKind;
use graphql::schema::{FieldId, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::Condition;
use super::explain::{Failure, explain};
use super::operations::{self, PathStep};
use super::reachable::{Reachability, Reached};
use super::visits::{Edge, VisitId};
use super::{Attempt, Limits, Reason, SharedField, UnresolvableField, Unsatisfiable};

/// Visits with their conditions.
type Entries = Rc<[(VisitId, Condition)]>;

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
    /// Shared fields whose runtime types differ.
    shared: FxHashMap<FieldId, SharedField>,
    /// Condition under which something is not resolved.
    failing: Condition,
    /// Number of fields that are not resolved in some state.
    failures: usize,
    /// Operations of findings.
    operations: FxHashSet<String>,
    findings: Vec<Found>,
}

/// A finding with its path.
#[derive(Debug)]
pub(super) struct Found {
    path: Vec<PathStep>,
    /// Condition under which it applies.
    when: Condition,
    pub(super) finding: Unsatisfiable,
}

/// The findings and the number of visited states.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) findings: Vec<Found>,
    pub(super) shared: Vec<SharedField>,
    pub(super) count: usize,
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
            shared: FxHashMap::default(),
            failing: Condition::FALSE,
            failures: 0,
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
        let mut shared: Vec<_> = self.shared.into_iter().collect();
        shared.sort_unstable_by_key(|(field, _)| *field);
        let shared = shared.into_iter().map(|(_, shared)| shared).collect();
        Walked { findings: self.findings, shared, count: self.count }
    }

    /// Visits the root fields of a mutation or subscription: exactly one subgraph executes each.
    fn visit_single_executors(&mut self, root: StateId) {
        let (object, entries) =
            (self.states[root.0].object, Rc::clone(&self.states[root.0].entries));
        let contexts = Rc::clone(&self.states[root.0].contexts);
        let reached = self.reached(root);
        for field in self.fields.get(&object).map_or(&[][..], Vec::as_slice) {
            let mut executors = Vec::new();
            for (visit, condition) in &*entries {
                let from = (*visit, *condition);
                let resolved = self.reachability.resolved_from(from, *field, Some(&contexts));
                if !resolved.is_never() {
                    executors.push((*visit, resolved));
                }
            }
            match executors.len() {
                0 | 1 => {
                    let below = self.visit_field(root, &reached, *field);
                    self.queue_all(below);
                }
                _ => self.visit_alternatives(root, *field, &executors),
            }
        }
    }

    /// Checks that for all labels some executor of a root field satisfies everything below it.
    fn visit_alternatives(
        &mut self,
        root: StateId,
        field: FieldId,
        executors: &[(VisitId, Condition)],
    ) {
        let supergraph = self.reachability.visits.supergraph;
        let (mut executed, mut failing) = (Condition::FALSE, Condition::TRUE);
        let mut walked = Vec::new();
        for (executor, condition) in executors {
            let mut walk =
                Walk::new(self.reachability, self.fields, self.kind, self.limits, self.count);
            let State { object, contexts, .. } = &self.states[root.0];
            walk.states.push(State {
                object: *object,
                entries: [(*executor, *condition)].into(),
                contexts: Rc::clone(contexts),
                parent: None,
            });
            let reached = walk.reached(StateId(0));
            let below = walk.visit_field(StateId(0), &reached, field);
            walk.queue_all(below);
            walk.visit_queue();
            self.count = walk.count;
            walked.push((*executor, walk.findings));
            let own = walk.failing;
            let conditions = &mut self.reachability.visits.conditions;
            executed = conditions.or(executed, *condition);
            let satisfied = conditions.minus(*condition, own);
            failing = conditions.minus(failing, satisfied);
        }
        let conditions = &mut self.reachability.visits.conditions;
        let missing = conditions.minus(Condition::TRUE, executed);
        failing = conditions.and(failing, executed);
        if !missing.is_never() {
            let reached = self.reached(root);
            self.fail(missing);
            self.find_missing(root, &reached, field, missing);
        }
        if failing.is_never() {
            return;
        }
        self.fail(failing);
        let point = self.reachability.visits.conditions.point(failing);
        let mut paths = Vec::new();
        let mut failed = Vec::new();
        for (executor, findings) in walked {
            let conditions = &mut self.reachability.visits.conditions;
            let found = findings.into_iter().find(|found| conditions.implies(point, found.when));
            let Some(Found { path, finding, .. }) = found else { continue };
            let subgraph = self.reachability.visits.visit(executor).subgraph;
            failed.push((supergraph.subgraph(subgraph).name.clone(), finding));
            paths.push(path);
        }
        let finding = Unsatisfiable::RootField {
            operation: operations::print(supergraph, self.kind, paths.iter().map(Vec::as_slice)),
            coordinate: self.coordinate(self.states[root.0].object, field),
            labels: self.reachability.visits.conditions.assignment(failing),
            executors: failed,
        };
        let path = vec![PathStep { on: None, field }];
        self.findings.push(Found { path, when: failing, finding });
    }

    fn visit_queue(&mut self) {
        while let Some(state) = self.queue.pop_front() {
            if self.count >= self.limits.states || self.reachability.visits.conditions.is_exceeded()
            {
                if self.count < self.limits.states {
                    // They may be wrong.
                    self.findings.clear();
                }
                let finding = Unsatisfiable::TooManyPaths(self.limits);
                self.findings.push(Found { path: Vec::new(), when: Condition::TRUE, finding });
                self.failing = Condition::TRUE;
                return;
            }
            self.count += 1;
            self.visit(state);
        }
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
        let resolved = self.reachability.resolved(reached, field, Some(&contexts));
        let missing = self.reachability.visits.conditions.minus(exists, resolved);
        if !missing.is_never() {
            self.fail(missing);
            self.find_missing(id, reached, field, missing);
        }
        let supergraph = self.reachability.visits.supergraph;
        let base = supergraph.schema[field].r#type.base;
        if resolved.is_never() || !supergraph.is_composite(base) {
            return Vec::new();
        }
        let mut below: BTreeMap<TypeId, Vec<(VisitId, Condition)>> = BTreeMap::new();
        let mut edges = Vec::new();
        for (visit, condition) in reached.iter() {
            let from = (visit, condition);
            let condition = self.reachability.resolved_from(from, field, Some(&contexts));
            let Some(edge) = self.reachability.visits.edge(visit, field) else { continue };
            if condition.is_never() {
                continue;
            }
            for (object, child) in &edge.children {
                below.entry(*object).or_default().push((*child, condition));
            }
            edges.push((condition, edge));
        }
        if !supergraph.is_object(base) {
            self.check_runtime_types(id, reached, field);
        }
        if matches!(supergraph.schema[base].kind, TypeKind::Union { .. }) {
            below = below
                .into_iter()
                .map(|(object, entries)| (object, self.without_others(object, entries, &edges)))
                .filter(|(_, entries)| !entries.is_empty())
                .collect();
        }
        let contexts = self.contexts_below(id, reached);
        let states = below.into_iter().map(|(object, mut entries)| {
            entries.sort_unstable();
            let contexts = Rc::clone(&contexts);
            State { object, entries: entries.into(), contexts, parent: Some((id, field)) }
        });
        states.collect()
    }

    /// Removes the conditions under which some subgraph resolves the field and its union does not
    /// have the member: a shared field has the same values in all its subgraphs, so none of them
    /// returns such objects.
    fn without_others(
        &mut self,
        member: TypeId,
        mut entries: Vec<(VisitId, Condition)>,
        edges: &[(Condition, Rc<Edge>)],
    ) -> Vec<(VisitId, Condition)> {
        let conditions = &mut self.reachability.visits.conditions;
        for (without, edge) in edges {
            if edge.children.iter().all(|(object, _)| *object != member) {
                for (_, condition) in &mut entries {
                    *condition = conditions.minus(*condition, *without);
                }
            }
        }
        entries.retain(|(_, condition)| !condition.is_never());
        entries
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
        let failure = Failure { object, field, missing, entries: &entries, contexts: &contexts };
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
            self.findings.push(Found { path, when, finding });
        }
    }

    /// Checks that the subgraphs which share a field have some runtime type in common.
    fn check_runtime_types(&mut self, id: StateId, reached: &Reached, field: FieldId) {
        let mut by_subgraph = BTreeMap::new();
        for (visit, condition) in reached.iter() {
            let Some(edge) = self.reachability.visits.edge(visit, field) else { continue };
            if condition.is_always() && edge.when.is_always() && !edge.children.is_empty() {
                by_subgraph.insert(self.reachability.visits.visit(visit).subgraph, edge);
            }
        }
        let mut sets = by_subgraph.values().map(|edge| &edge.children);
        let Some(first) = sets.next() else { return };
        let mut common: Vec<TypeId> = first.iter().map(|(object, _)| *object).collect();
        for set in sets {
            common.retain(|object| set.iter().any(|(other, _)| other == object));
        }
        let is_equal = by_subgraph.values().all(|edge| edge.children.len() == common.len());
        let is_known = match common.is_empty() {
            true => !self.mismatched.insert(field),
            false => is_equal || self.shared.contains_key(&field),
        };
        if is_known {
            return;
        }
        let supergraph = self.reachability.visits.supergraph;
        let path = self.path(id, field, true);
        let types = by_subgraph.iter().map(|(subgraph, edge)| {
            let names =
                edge.children.iter().map(|(object, _)| supergraph.schema[*object].name.clone());
            (supergraph.subgraph(*subgraph).name.clone(), names.collect())
        });
        let coordinate = self.coordinate(self.states[id.0].object, field);
        let subgraphs = types.collect();
        if !common.is_empty() {
            self.shared.insert(field, SharedField { coordinate, subgraphs });
            return;
        }
        let finding = Unsatisfiable::RuntimeTypes {
            operation: operations::print(supergraph, self.kind, [path.as_slice()]),
            coordinate,
            r#type: supergraph.schema[supergraph.schema[field].r#type.base].name.clone(),
            subgraphs,
        };
        self.findings.push(Found { path, when: Condition::TRUE, finding });
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
