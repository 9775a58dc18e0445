//! Entity jumps: requests by representations, wherever their inputs are known.

use graphql::schema::TypeId;
use rustc_hash::FxHashSet;

use super::super::facts::{ValueId, Visit, VisitOrigin};
use super::super::{ContextSetId, PlanError};
use super::Reachability;
use super::resolvers::{Resolver, ResolverKey};
use crate::outline::{PositionId, Tree};
use supergraph::{FieldSetId, SetSelection, SubgraphId};

/// Jumps that cannot get further derivations.
pub(super) type FinalJumps = FxHashSet<(Visit, TypeId, FieldSetId)>;

impl Reachability<'_> {
    /// Adds the jumps whose inputs are known before `level`.
    pub(super) fn add_jumps(&mut self, level: u16) -> Result<(), PlanError> {
        // Visits that are added in the loop are handled with their objects.
        for place in 0..self.facts.places.len() {
            self.check()?;
            let (position, object) = self.facts.places[place];
            if position == Tree::ROOT {
                continue;
            }
            if Some(object) == self.supergraph.schema.query {
                self.reenter(position, object, level);
                continue;
            }
            for resolvers in &*self.resolvers(position, object) {
                for key in &resolvers.keys {
                    self.jump(position, object, resolvers, *key, level);
                }
            }
        }
        Ok(())
    }

    fn jump(
        &mut self,
        position: PositionId,
        object: TypeId,
        resolvers: &Resolver,
        key: ResolverKey,
        level: u16,
    ) {
        let Resolver { subgraph, requires, .. } = resolvers;
        let ResolverKey { on, fields, interface } = key;
        let mut key_needs = None;
        for (inputs, context_set) in self.extras(position, *subgraph, requires) {
            let (subgraph, given) = (*subgraph, self.nothing);
            let visit = Visit { position, object, subgraph, interface, given, inputs, context_set };
            if self.final_jumps.contains(&(visit, on, fields)) {
                continue;
            }
            if key_needs.is_none() {
                let needs = self.key_needs(position, object, subgraph, on, fields);
                let Some(needs) = needs else { return };
                key_needs = Some(needs);
            }
            let mut needs = key_needs.clone().unwrap_or_default();
            if needs.is_empty() {
                // A key such as `__typename`: it must be known that the object exists.
                needs = self.object_needs(position);
                if needs.is_empty() {
                    continue;
                }
            }
            if let Some(set) = inputs
                && self.needs(position, object, set, &mut needs).is_none()
            {
                continue;
            }
            if let Some(context_set) = context_set
                && self.context_needs(context_set, &mut needs).is_none()
            {
                continue;
            }
            let after = needs.iter().map(|need| self.facts.known(*need).level).max();
            if after.unwrap_or(0) + 1 > level {
                continue;
            }
            needs.sort_unstable();
            needs.dedup();
            if context_set.is_none()
                && self.is_settled(fields)
                && inputs.is_none_or(|set| self.is_settled(set))
            {
                self.final_jumps.insert((visit, on, fields));
            }
            let origin = VisitOrigin::Jump { on, key: Some(fields), needs };
            self.fresh.extend(self.facts.add_visit(visit, level, origin));
        }
    }

    /// Whether the inputs of a field set are final: none depends on the types of objects that
    /// subgraphs return.
    fn is_settled(&self, set: FieldSetId) -> bool {
        self.supergraph.field_set(set).selections.iter().all(|selection| match selection {
            SetSelection::Typename | SetSelection::Field { set: None, .. } => true,
            SetSelection::Field { field, set: Some(set), .. } => {
                let base = self.supergraph.schema[*field].r#type.base;
                self.supergraph.is_object(base) && self.is_settled(*set)
            }
            SetSelection::On(set) => self.is_settled(*set),
        })
    }

    /// Returns the possible inputs beside a key: the required fields of one field, and contexts.
    fn extras(
        &self,
        position: PositionId,
        subgraph: SubgraphId,
        requires: &[FieldSetId],
    ) -> Vec<(Option<FieldSetId>, Option<ContextSetId>)> {
        let sets = self.contexts.at(position, subgraph);
        let sets: Vec<_> = std::iter::once(None).chain(sets.iter().copied().map(Some)).collect();
        let inputs = std::iter::once(None).chain(requires.iter().copied().map(Some));
        inputs.flat_map(|inputs| sets.iter().map(move |set| (inputs, *set))).collect()
    }

    /// Returns the values by which it is known whether objects of a position exist; none if they
    /// cannot be known so far.
    fn object_needs(&self, position: PositionId) -> Vec<ValueId> {
        let Some(parent) = self.tree.position(position).parent else { return Vec::new() };
        let at = self.tree.item(parent).position;
        let classes = self.tree.position(at).classes.iter();
        let known =
            classes.filter_map(|class| self.facts.find_value(at, class.representative, parent));
        known.collect()
    }

    /// Enters the root type again where a field returns it: any subgraph that has it can be used,
    /// once it is known that the object exists.
    fn reenter(&mut self, position: PositionId, object: TypeId, level: u16) {
        let needs = self.object_needs(position);
        let after = needs.iter().map(|need| self.facts.known(*need).level).max();
        if after.is_none_or(|after| after >= level) {
            return;
        }
        let (interface, given, inputs, context_set) = (None, self.nothing, None, None);
        for owner in &self.supergraph.type_owners(object).subgraphs {
            let subgraph = owner.subgraph;
            let origin = VisitOrigin::Jump { on: object, key: None, needs: needs.clone() };
            let visit = Visit { position, object, subgraph, interface, given, inputs, context_set };
            self.fresh.extend(self.facts.add_visit(visit, level, origin));
        }
    }
}
