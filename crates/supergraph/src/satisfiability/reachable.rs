//! Visits that can be reached by keys, each with its condition.
//!
//! They are reached from entries: the visits of the subgraphs that return the same objects. A jump
//! needs the fields of its key, and they may be resolved from all visits that are reached before;
//! below nested fields of a key the same holds of their objects. All of them together are the least
//! fixpoint, so a field that needs itself is never reached. The result for each set of entries is
//! computed once, and is extended when a result changes that it depends on.

use std::collections::BTreeMap;
use std::rc::Rc;

use graphql::schema::{FieldId, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::Condition;
use super::visits::{Edge, Jump, RuntimeType, Visit, VisitId, Visits};
use crate::{FieldSetId, SetSelection};

/// Reached visits of objects of one type.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// In the order of discovery.
    visits: Vec<(VisitId, Condition)>,
    places: FxHashMap<VisitId, usize>,
}

/// Visits with their conditions, sorted.
pub(super) type Entries = Rc<[(VisitId, Condition)]>;

/// Index of a set of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EntriesId(usize);

/// The visits that are reached from each set of entries.
#[derive(Debug)]
pub(super) struct Reachability<'s> {
    pub(super) visits: Visits<'s>,
    /// By [`EntriesId`].
    known: Vec<Known>,
    by_entries: FxHashMap<Entries, EntriesId>,
    /// Entries whose result is to be computed.
    queue: Vec<EntriesId>,
    /// Number of computations so far.
    pub(super) work: usize,
}

/// Entries whose result depends on another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependent(EntriesId);

#[derive(Debug)]
struct Known {
    entries: Entries,
    reached: Rc<Reached>,
    /// Entries whose results depend on this one.
    dependents: FxHashSet<EntriesId>,
    is_final: bool,
}

impl Reached {
    /// Returns the reached visits with their conditions.
    pub(super) fn iter(&self) -> impl Iterator<Item = (VisitId, Condition)> + '_ {
        self.visits.iter().copied()
    }

    pub(super) fn condition(&self, visit: VisitId) -> Condition {
        self.places.get(&visit).map_or(Condition::FALSE, |place| self.visits[*place].1)
    }

    fn set(&mut self, visit: VisitId, condition: Condition) {
        match self.places.get(&visit) {
            Some(place) => self.visits[*place].1 = condition,
            None => {
                self.places.insert(visit, self.visits.len());
                self.visits.push((visit, condition));
            }
        }
    }
}

impl<'s> Reachability<'s> {
    pub(super) fn new(visits: Visits<'s>) -> Self {
        let (known, by_entries, queue) = (Vec::new(), FxHashMap::default(), Vec::new());
        Self { visits, known, by_entries, queue, work: 0 }
    }

    /// Returns all visits that are reached from entries of one type.
    pub(super) fn from(&mut self, entries: &Entries) -> Rc<Reached> {
        let id = self.so_far(entries, None);
        if !self.queue.is_empty() {
            let mut computed = Vec::new();
            while let Some(next) = self.queue.pop() {
                self.compute(next);
                computed.push(next);
            }
            for id in computed {
                self.known[id.0].is_final = true;
                self.known[id.0].dependents = FxHashSet::default();
            }
        }
        Rc::clone(&self.known[id.0].reached)
    }

    /// Returns the condition under which a field is resolved from reached visits.
    fn resolved(&mut self, reached: &Reached, field: FieldId) -> Condition {
        let mut resolved = Condition::FALSE;
        for (visit, condition) in reached.iter() {
            let Some(edge) = self.visits.edge(visit, field) else { continue };
            let condition = self.resolved_by(&edge, condition, None);
            resolved = self.visits.conditions.or(resolved, condition);
            if resolved.is_always() {
                break;
            }
        }
        resolved
    }

    /// Returns the condition under which a visit that is reached under a condition resolves a field.
    /// `contexts`: the conditions under which enclosing objects set the contexts.
    pub(super) fn resolved_by(
        &mut self,
        edge: &Edge,
        condition: Condition,
        contexts: Option<&[Condition]>,
    ) -> Condition {
        let conditions = &mut self.visits.conditions;
        let mut condition = conditions.and(condition, edge.when);
        for context in &edge.contexts {
            if let Some(contexts) = contexts {
                condition = conditions.and(condition, contexts[*context]);
            }
        }
        condition
    }

    /// Returns the condition under which the runtime type is known.
    pub(super) fn runtime_type(&mut self, reached: &Reached) -> Condition {
        self.any(reached, |visit| visit.interface.is_none())
    }

    /// Returns the condition under which all fields of a field set are resolved.
    pub(super) fn holds(
        &mut self,
        reached: &Reached,
        object: TypeId,
        set: FieldSetId,
        dependent: Option<Dependent>,
    ) -> Condition {
        let supergraph = self.visits.supergraph;
        let mut holds = Condition::TRUE;
        for selection in &supergraph.field_set(set).selections {
            let one = self.selection_holds(reached, object, selection, dependent);
            holds = self.visits.conditions.and(holds, one);
            if holds.is_never() {
                break;
            }
        }
        holds
    }

    /// Returns the condition under which a selection of a field set is resolved.
    pub(super) fn selection_holds(
        &mut self,
        reached: &Reached,
        object: TypeId,
        selection: &SetSelection,
        dependent: Option<Dependent>,
    ) -> Condition {
        let supergraph = self.visits.supergraph;
        match selection {
            SetSelection::Typename => self.runtime_type(reached),
            SetSelection::On(set) => {
                let on = supergraph.field_set(*set).parent;
                match supergraph.contains(supergraph.possible(on), object) {
                    true => self.holds(reached, object, *set, dependent),
                    false => Condition::TRUE,
                }
            }
            SetSelection::Field { field, set: None, .. } => self.resolved(reached, *field),
            SetSelection::Field { field, set: Some(set), .. } => {
                self.nested_holds(reached, *field, *set, dependent)
            }
        }
    }

    /// Returns the condition under which a jump can be made.
    pub(super) fn jump_holds(
        &mut self,
        reached: &Reached,
        object: TypeId,
        jump: &Jump,
        dependent: Option<Dependent>,
    ) -> Condition {
        let mut holds = match jump.runtime_type {
            RuntimeType::Any => Condition::TRUE,
            RuntimeType::Known => self.runtime_type(reached),
            RuntimeType::Unknown => self.any(reached, |visit| visit.interface.is_some()),
        };
        for set in [jump.key, jump.requires].into_iter().flatten() {
            if !holds.is_never() {
                let one = self.holds(reached, object, set, dependent);
                holds = self.visits.conditions.and(holds, one);
            }
        }
        holds
    }

    /// Some subgraph that resolves the field resolves the set on all objects that it returns, with
    /// the others' help.
    fn nested_holds(
        &mut self,
        reached: &Reached,
        field: FieldId,
        set: FieldSetId,
        dependent: Option<Dependent>,
    ) -> Condition {
        let mut from = Vec::new();
        let mut entries: BTreeMap<TypeId, BTreeMap<VisitId, Condition>> = BTreeMap::new();
        for (visit, condition) in reached.iter() {
            let Some(edge) = self.visits.edge(visit, field) else { continue };
            let condition = self.visits.conditions.and(condition, edge.when);
            if condition.is_never() {
                continue;
            }
            for (object, child) in &edge.children {
                let children = entries.entry(*object).or_default();
                let known = children.entry(*child).or_insert(Condition::FALSE);
                *known = self.visits.conditions.or(*known, condition);
            }
            from.push((condition, edge));
        }
        let mut by_object: FxHashMap<TypeId, Condition> = FxHashMap::default();
        for (object, entries) in entries {
            let id = self.so_far(&entries.into_iter().collect(), dependent);
            let below = Rc::clone(&self.known[id.0].reached);
            let holds = self.holds(&below, object, set, dependent);
            by_object.insert(object, holds);
        }
        let mut some = Condition::FALSE;
        for (mut condition, edge) in from {
            for (object, _) in &edge.children {
                condition = self.visits.conditions.and(condition, by_object[object]);
            }
            some = self.visits.conditions.or(some, condition);
        }
        some
    }

    fn any(&mut self, reached: &Reached, is_meant: impl Fn(&Visit) -> bool) -> Condition {
        let mut any = Condition::FALSE;
        for (visit, condition) in reached.iter() {
            if is_meant(&self.visits.visit(visit)) {
                any = self.visits.conditions.or(any, condition);
            }
        }
        any
    }

    /// Adds visits that are reached under a condition.
    fn unite(&mut self, union: &mut Reached, other: &Reached, under: Condition) {
        for (visit, condition) in other.iter() {
            self.add(union, visit, condition, under);
        }
    }

    /// Adds a visit that is reached under two conditions; returns whether this is new.
    fn add(
        &mut self,
        union: &mut Reached,
        visit: VisitId,
        condition: Condition,
        under: Condition,
    ) -> bool {
        let known = union.condition(visit);
        let conditions = &mut self.visits.conditions;
        let condition = conditions.and(condition, under);
        let condition = conditions.or(known, condition);
        if condition != known {
            union.set(visit, condition);
        }
        condition != known
    }

    /// Returns the entries, with the visits that are known to be reached from them; `dependent` is
    /// computed again when there are more.
    fn so_far(&mut self, entries: &Entries, dependent: Option<Dependent>) -> EntriesId {
        if let Some(id) = self.by_entries.get(entries).copied() {
            let known = &mut self.known[id.0];
            if !known.is_final {
                known.dependents.extend(dependent.map(|dependent| dependent.0));
            }
            return id;
        }
        let id = EntriesId(self.known.len());
        let mut reached = Reached::default();
        for (visit, condition) in &**entries {
            let Visit { object, subgraph, interface, .. } = self.visits.visit(*visit);
            let plain = self.visits.plain(object, subgraph, interface);
            for visit in [*visit, plain] {
                self.add(&mut reached, visit, *condition, Condition::TRUE);
            }
        }
        self.known.push(Known {
            entries: Rc::clone(entries),
            reached: Rc::new(reached),
            dependents: dependent.into_iter().map(|dependent| dependent.0).collect(),
            is_final: false,
        });
        self.by_entries.insert(Rc::clone(entries), id);
        self.queue.push(id);
        id
    }

    fn compute(&mut self, id: EntriesId) {
        self.work += 1;
        let entries = Rc::clone(&self.known[id.0].entries);
        let Some((first, _)) = entries.first() else { return };
        let object = self.visits.visit(*first).object;
        let jumps = self.visits.jumps(object);
        let mut reached = (*self.known[id.0].reached).clone();
        let mut is_new = false;
        loop {
            let mut is_growing = false;
            for jump in &*jumps {
                if reached.condition(jump.to).is_always() {
                    continue;
                }
                let holds = self.jump_holds(&reached, object, jump, Some(Dependent(id)));
                if !self.add(&mut reached, jump.to, holds, Condition::TRUE) {
                    continue;
                }
                is_growing = true;
                let single: Entries = [(jump.to, Condition::TRUE)].into();
                let known = self.by_entries.get(&single).map(|id| &self.known[id.0]);
                if let Some(known) = known.filter(|known| known.is_final) {
                    let further = Rc::clone(&known.reached);
                    self.unite(&mut reached, &further, holds);
                }
            }
            is_new |= is_growing;
            if !is_growing {
                break;
            }
        }
        if !is_new {
            return;
        }
        let known = &mut self.known[id.0];
        known.reached = Rc::new(reached);
        for dependent in &known.dependents {
            if !self.queue.contains(dependent) {
                self.queue.push(*dependent);
            }
        }
    }
}
