//! Visits that can be reached from a visit by keys, each with its condition.
//!
//! A jump needs the fields of its key, and they may be resolved from visits that are reached
//! before; below nested fields of a key the same holds of their objects. All of them together are
//! the least fixpoint, so a field that needs itself is never reached. Every result is computed once,
//! and is extended when a result changes that it depends on.

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

/// The visits that are reached from each visit.
#[derive(Debug)]
pub(super) struct Reachability<'s> {
    pub(super) visits: Visits<'s>,
    known: FxHashMap<VisitId, Known>,
    /// Visits whose result is to be computed.
    queue: Vec<VisitId>,
    /// Number of computations so far.
    pub(super) work: usize,
}

#[derive(Debug)]
struct Known {
    reached: Rc<Reached>,
    /// Visits whose results depend on this one.
    dependents: FxHashSet<VisitId>,
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
        Self { visits, known: FxHashMap::default(), queue: Vec::new(), work: 0 }
    }

    /// Returns all visits that are reached from one of several visits.
    pub(super) fn from(&mut self, entries: &[(VisitId, Condition)]) -> Rc<Reached> {
        if let [(visit, Condition::TRUE)] = entries {
            return self.one_from(*visit);
        }
        let mut union = Reached::default();
        for (visit, condition) in entries {
            let known = union.condition(*visit);
            if !self.visits.conditions.implies(*condition, known) {
                let reached = self.one_from(*visit);
                self.unite(&mut union, &reached, *condition);
            }
        }
        Rc::new(union)
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
        dependent: Option<VisitId>,
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
        dependent: Option<VisitId>,
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
        dependent: Option<VisitId>,
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
        dependent: Option<VisitId>,
    ) -> Condition {
        let mut from = Vec::new();
        let mut entries: BTreeMap<TypeId, Vec<(VisitId, Condition)>> = BTreeMap::new();
        for (visit, condition) in reached.iter() {
            let Some(edge) = self.visits.edge(visit, field) else { continue };
            let condition = self.visits.conditions.and(condition, edge.when);
            if condition.is_never() {
                continue;
            }
            for (object, child) in &edge.children {
                entries.entry(*object).or_default().push((*child, condition));
            }
            from.push((condition, edge));
        }
        let mut by_object: FxHashMap<TypeId, Condition> = FxHashMap::default();
        for (object, entries) in entries {
            let mut below = Reached::default();
            for (child, condition) in entries {
                let child = self.so_far(child, dependent);
                self.unite(&mut below, &child, condition);
            }
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

    /// Adds visits that are reached under a condition; returns whether there is anything new.
    fn unite(&mut self, union: &mut Reached, other: &Reached, under: Condition) -> bool {
        let mut is_new = false;
        for (visit, condition) in other.iter() {
            is_new |= self.add(union, visit, condition, under);
        }
        is_new
    }

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

    fn one_from(&mut self, visit: VisitId) -> Rc<Reached> {
        let reached = self.so_far(visit, None);
        if self.queue.is_empty() {
            return reached;
        }
        let mut computed = Vec::new();
        while let Some(next) = self.queue.pop() {
            self.compute(next);
            computed.push(next);
        }
        for visit in computed {
            if let Some(known) = self.known.get_mut(&visit) {
                known.is_final = true;
                known.dependents = FxHashSet::default();
            }
        }
        self.so_far(visit, None)
    }

    /// Returns the visits that are known to be reached from a visit; `dependent` is computed again
    /// when there are more.
    fn so_far(&mut self, visit: VisitId, dependent: Option<VisitId>) -> Rc<Reached> {
        if let Some(known) = self.known.get_mut(&visit) {
            if !known.is_final {
                known.dependents.extend(dependent);
            }
            return Rc::clone(&known.reached);
        }
        let Visit { object, subgraph, interface, .. } = self.visits.visit(visit);
        let mut reached = Reached::default();
        reached.set(visit, Condition::TRUE);
        reached.set(self.visits.plain(object, subgraph, interface), Condition::TRUE);
        let reached = Rc::new(reached);
        let dependents = dependent.into_iter().collect();
        let known = Known { reached: Rc::clone(&reached), dependents, is_final: false };
        self.known.insert(visit, known);
        self.queue.push(visit);
        reached
    }

    fn compute(&mut self, visit: VisitId) {
        self.work += 1;
        let object = self.visits.visit(visit).object;
        let jumps = self.visits.jumps(object);
        let before = self.so_far(visit, None);
        let mut reached = (*before).clone();
        let mut is_new = false;
        loop {
            let mut is_growing = false;
            for jump in &*jumps {
                if reached.condition(jump.to).is_always() {
                    continue;
                }
                let holds = self.jump_holds(&reached, object, jump, Some(visit));
                if !self.add(&mut reached, jump.to, holds, Condition::TRUE) {
                    continue;
                }
                is_growing = true;
                if let Some(known) = self.known.get(&jump.to).filter(|known| known.is_final) {
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
        let Some(known) = self.known.get_mut(&visit) else { return };
        known.reached = Rc::new(reached);
        let dependents: Vec<VisitId> = known.dependents.iter().copied().collect();
        for dependent in dependents {
            if !self.queue.contains(&dependent) {
                self.queue.push(dependent);
            }
        }
    }
}
