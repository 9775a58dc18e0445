//! Runtime types of shared fields: all subgraphs of a field return the same objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use graphql::schema::{FieldId, TypeId};

use super::super::Unsatisfiable;
use super::super::conditions::Condition;
use super::super::operations;
use super::super::reachable::Reached;
use super::super::visits::{Edge, VisitId};
use super::{Found, StateId, Walk};

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
        if by_subgraph.len() < 2
            || !common.is_empty()
            || supergraph.possible(base).is_empty()
            || !self.mismatched.insert(field)
        {
            return;
        }
        let path = self.path(id, field, true);
        let types = by_subgraph.iter().map(|(subgraph, edge)| {
            let names =
                edge.children.iter().map(|(object, _)| supergraph.schema[*object].name.clone());
            (supergraph.subgraph(*subgraph).name.clone(), names.collect())
        });
        let finding = Unsatisfiable::RuntimeTypes {
            operation: operations::print(supergraph, self.kind, [path.as_slice()]),
            coordinate: self.coordinate(self.states[id.0].object, field),
            r#type: supergraph.schema[base].name.clone(),
            subgraphs: types.collect(),
        };
        self.findings.push(Found { path, when: Condition::TRUE, finding });
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
