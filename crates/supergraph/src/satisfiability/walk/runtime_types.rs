//! Runtime types of shared fields: all subgraphs of a field return the same objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use graphql::schema::{FieldId, TypeId};

use super::super::conditions::Condition;
use super::super::operations::{self, PathStep};
use super::super::reachable::Reached;
use super::super::visits::{Edge, VisitId};
use super::super::{RuntimeTypes, Unsatisfiable};
use super::{PathFinding, StateId, Walk};
use crate::SubgraphId;

impl Walk<'_, '_> {
    /// Checks that the subgraphs which share a field have some runtime type in common.
    pub(super) fn check_runtime_types(&mut self, id: StateId, reached: &Reached, field: FieldId) {
        let supergraph = self.reachability.visits.supergraph;
        let base = supergraph.schema[field].r#type.base;
        if supergraph.is_object(base) || !supergraph.is_composite(base) {
            return;
        }
        let mut by_subgraph = BTreeMap::new();
        for (visit, condition) in reached.iter() {
            let Some(edge) = self.reachability.visits.edge(visit, field) else { continue };
            if condition.is_always() && edge.when.is_always() {
                by_subgraph.insert(self.reachability.visits.visit(visit).subgraph, edge);
            }
        }
        let mut sets = by_subgraph.values().map(|edge| &edge.children);
        let Some(first) = sets.next() else { return };
        let mut common: Vec<TypeId> = first.iter().map(|(object, _)| *object).collect();
        for set in sets {
            common.retain(|object| set.iter().any(|(other, _)| other == object));
        }
        if by_subgraph.len() < 2 || supergraph.possible(base).is_empty() {
            return;
        }
        if !common.is_empty() {
            self.hint_runtime_types(id, field, by_subgraph);
            return;
        }
        if !self.mismatched.insert(field) {
            return;
        }
        let path = self.path(id, field, true);
        let RuntimeTypes { operation, coordinate, r#type, subgraphs } =
            self.runtime_types((id, &path), field, &by_subgraph);
        let finding = Unsatisfiable::RuntimeTypes { operation, coordinate, r#type, subgraphs };
        self.findings.push(PathFinding { path, when: Condition::TRUE, finding });
    }

    /// Adds a field to the shared ones if the subgraphs that are reached have different runtime types.
    fn hint_runtime_types(
        &mut self,
        id: StateId,
        field: FieldId,
        mut by_subgraph: BTreeMap<SubgraphId, Rc<Edge>>,
    ) {
        let visits = &self.reachability.visits;
        by_subgraph.retain(|subgraph, _| {
            let own = visits.supergraph.field_in(field, *subgraph);
            own.is_some_and(|own| !visits.supergraph.is_object(own.r#type.base))
        });
        let mut sets = by_subgraph.values().map(|edge| &edge.children);
        let Some(first) = sets.next() else { return };
        let differs = sets.any(|set| {
            set.len() != first.len()
                || !set.iter().all(|(own, _)| first.iter().any(|(other, _)| own == other))
        });
        if differs && self.inconsistent.insert(field) {
            let path = self.path(id, field, true);
            let shared = self.runtime_types((id, &path), field, &by_subgraph);
            self.shared.push(shared);
        }
    }

    fn runtime_types(
        &self,
        (id, path): (StateId, &[PathStep]),
        field: FieldId,
        by_subgraph: &BTreeMap<SubgraphId, Rc<Edge>>,
    ) -> RuntimeTypes {
        let supergraph = self.reachability.visits.supergraph;
        let types = by_subgraph.iter().map(|(subgraph, edge)| {
            let names =
                edge.children.iter().map(|(object, _)| supergraph.schema[*object].name.clone());
            (supergraph.subgraph(*subgraph).name.clone(), names.collect())
        });
        RuntimeTypes {
            operation: operations::print(supergraph, self.kind, [path]),
            coordinate: self.coordinate(self.states[id.0].object, field),
            r#type: supergraph.schema[supergraph.schema[field].r#type.base].name.clone(),
            subgraphs: types.collect(),
        }
    }

    /// Removes the conditions under which some subgraph resolves the field and its union does not
    /// have the member: a shared field has the same values in all its subgraphs, so none of them
    /// returns such objects.
    pub(super) fn remove_others(
        &mut self,
        member: TypeId,
        entries: &mut Vec<(VisitId, Condition)>,
        edges: &[(Condition, Rc<Edge>)],
    ) {
        let conditions = &mut self.reachability.visits.conditions;
        for (without, edge) in edges {
            if edge.children.iter().all(|(object, _)| *object != member) {
                for (_, condition) in &mut *entries {
                    *condition = conditions.minus(*condition, *without);
                }
            }
        }
        entries.retain(|(_, condition)| !condition.is_never());
    }
}
