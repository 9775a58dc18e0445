//! Entity jumps: requests by representations, wherever their inputs are known.

use graphql::schema::TypeId;
use rustc_hash::FxHashSet;

use super::super::facts::{How, KnownId, Visit};
use super::super::{PlanError, ToldId};
use super::Reacher;
use super::places::{Wanted, WantedKey};
use crate::outline::{PositionId, Tree};
use crate::supergraph::{FieldSetId, SetSelection, SubgraphId};

/// Jumps that cannot get further derivations.
pub(super) type Done = FxHashSet<(Visit, TypeId, FieldSetId)>;

impl Reacher<'_> {
    /// Adds the jumps whose inputs are known before `level`.
    pub(super) fn hop_everywhere(&mut self, level: u16) -> Result<(), PlanError> {
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
            for wanted in &*self.wanted(position, object) {
                for key in &wanted.keys {
                    self.hop(position, object, wanted, *key, level);
                }
            }
        }
        Ok(())
    }

    fn hop(
        &mut self,
        position: PositionId,
        object: TypeId,
        wanted: &Wanted,
        key: WantedKey,
        level: u16,
    ) {
        let Wanted { subgraph, requires, .. } = wanted;
        let WantedKey { on, fields, interface } = key;
        let mut key_needs = None;
        for (inputs, told) in self.extras(position, *subgraph, requires) {
            let (subgraph, given) = (*subgraph, self.nothing);
            let visit = Visit { position, object, subgraph, interface, given, inputs, told };
            if self.done.contains(&(visit, on, fields)) {
                continue;
            }
            if key_needs.is_none() {
                let needs = self.key_needs(position, object, subgraph, on, fields);
                let Some(needs) = needs else { return };
                key_needs = Some(needs);
            }
            let mut needs = key_needs.clone().unwrap_or_default();
            if let Some(set) = inputs
                && self.needs(position, object, set, &mut needs).is_none()
            {
                continue;
            }
            if let Some(told) = told
                && self.context_needs(told, &mut needs).is_none()
            {
                continue;
            }
            let after = needs.iter().map(|need| self.facts.known(*need).level).max();
            if after.unwrap_or(0) + 1 > level {
                continue;
            }
            needs.sort_unstable();
            needs.dedup();
            if told.is_none()
                && self.is_settled(fields)
                && inputs.is_none_or(|set| self.is_settled(set))
            {
                self.done.insert((visit, on, fields));
            }
            let how = How::Hop { on, key: Some(fields), needs };
            self.fresh.extend(self.facts.add_visit(visit, level, how));
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
    ) -> Vec<(Option<FieldSetId>, Option<ToldId>)> {
        let told = self.contexts.at(position, subgraph);
        let told: Vec<_> = std::iter::once(None).chain(told.iter().copied().map(Some)).collect();
        let inputs = std::iter::once(None).chain(requires.iter().copied().map(Some));
        inputs.flat_map(|inputs| told.iter().map(move |told| (inputs, *told))).collect()
    }

    /// Enters the root type again where a field returns it: any subgraph that has it can be used,
    /// once it is known that the object exists.
    fn reenter(&mut self, position: PositionId, object: TypeId, level: u16) {
        let Some(parent) = self.tree.position(position).parent else { return };
        let at = self.tree.item(parent).position;
        let classes = self.tree.position(at).classes.iter();
        let known =
            classes.filter_map(|class| self.facts.find_known(at, class.representative, parent));
        let needs: Vec<KnownId> = known.collect();
        let after = needs.iter().map(|need| self.facts.known(*need).level).max();
        if after.is_none_or(|after| after >= level) {
            return;
        }
        let (interface, given, inputs, told) = (None, self.nothing, None, None);
        for owner in &self.supergraph.type_owners(object).subgraphs {
            let subgraph = owner.subgraph;
            let how = How::Hop { on: object, key: None, needs: needs.clone() };
            let visit = Visit { position, object, subgraph, interface, given, inputs, told };
            self.fresh.extend(self.facts.add_visit(visit, level, how));
        }
    }
}
