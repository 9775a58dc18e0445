//! Derivation of all facts, level by level: everything that could be read.

mod jumps;
mod needs;
mod resolvers;

use graphql::schema::{FieldId, TypeId};
use rustc_hash::FxHashSet;

use super::facts::{Facts, GivenId, Visit, VisitId, VisitOrigin};
use super::{Contexts, Executors, Labels, Limits, PlanError};
use crate::outline::{Arguments, ItemId, ItemKind, PositionId, Tree};
use jumps::FinalJumps;
use resolvers::ResolverCache;
use supergraph::{FieldSetId, Supergraph};

/// Maximum number of dependent requests.
const MAX_LEVEL: u16 = 64;

pub(super) fn reach(
    supergraph: &Supergraph,
    tree: &mut Tree,
    (labels, executors): (&Labels, &Executors),
    contexts: &Contexts,
    limits: Limits,
) -> Result<Facts, PlanError> {
    let visible = tree.items.iter().filter(|item| item.is_visible).count();
    let mut reachability = Reachability {
        supergraph,
        tree,
        labels,
        contexts,
        limits,
        executors,
        visible,
        facts: Facts::default(),
        nothing: GivenId::new(0),
        prepared: FxHashSet::default(),
        resolver_cache: ResolverCache::default(),
        final_jumps: FinalJumps::default(),
        fresh: Vec::new(),
    };
    reachability.nothing = reachability.facts.give(Vec::new());
    reachability.enter();
    let mut level = 1;
    while !reachability.fresh.is_empty() && level < MAX_LEVEL {
        reachability.expand()?;
        level += 1;
        reachability.add_jumps(level)?;
    }
    Ok(reachability.facts)
}

struct Reachability<'r> {
    supergraph: &'r Supergraph,
    tree: &'r mut Tree,
    labels: &'r Labels,
    contexts: &'r Contexts,
    limits: Limits,
    /// For mutations and subscriptions.
    executors: &'r Executors,
    /// Number of visible items.
    visible: usize,
    facts: Facts,
    /// The empty set of provided fields.
    nothing: GivenId,
    /// Positions whose keys and required fields are in the tree.
    prepared: FxHashSet<PositionId>,
    resolver_cache: ResolverCache,
    final_jumps: FinalJumps,
    /// Visits that are not expanded yet.
    fresh: Vec<VisitId>,
}

/// A field as a subgraph resolves it.
struct ResolvedField {
    /// Type of its values in the subgraph.
    base: TypeId,
    /// Field sets provided below it.
    given: Vec<FieldSetId>,
}

impl Reachability<'_> {
    fn enter(&mut self) {
        let root = self.tree.position(Tree::ROOT).r#type;
        for subgraph in self.supergraph.subgraph_ids() {
            if self.supergraph.type_in(root, subgraph).is_some() {
                let visit = Visit {
                    position: Tree::ROOT,
                    object: root,
                    subgraph,
                    interface: None,
                    given: self.nothing,
                    inputs: None,
                    context_set: None,
                };
                self.fresh.extend(self.facts.add_visit(visit, 1, VisitOrigin::Enter));
            }
        }
    }

    /// Adds the values of new visits, and the visits below them.
    fn expand(&mut self) -> Result<(), PlanError> {
        while let Some(id) = self.fresh.pop() {
            self.check()?;
            let visit = *self.facts.visit(id);
            self.prepare(visit.position);
            for item in self.tree.position(visit.position).items.clone() {
                let selected = self.tree.item(item);
                if !selected.is_denied && self.supergraph.contains(&selected.types, visit.object) {
                    self.read(id, visit, item);
                }
            }
        }
        Ok(())
    }

    /// Checks the limits.
    fn check(&self) -> Result<(), PlanError> {
        let hidden = self.tree.items.len().saturating_sub(self.visible);
        if self.facts.work > self.limits.facts || hidden > self.limits.items {
            return Err(PlanError::TooComplex);
        }
        Ok(())
    }

    fn read(&mut self, id: VisitId, visit: Visit, item: ItemId) {
        let name = match &self.tree.item(item).kind {
            ItemKind::Introspection => return,
            ItemKind::Typename => {
                // A subgraph with an interface object returns the interface's name.
                if visit.interface.is_none() {
                    self.facts.add_value(id, item, None);
                }
                return;
            }
            ItemKind::Field { name, .. } => name.clone(),
        };
        if self.executors.get(&item).is_some_and(|executor| *executor != visit.subgraph) {
            return;
        }
        let Some(ResolvedField { base, given }) = self.resolved_field(&visit, &name) else {
            return;
        };
        self.facts.add_value(id, item, self.typename_for(&visit, item));
        let Some(child) = self.tree.item(item).child else { return };
        let given = match given.is_empty() {
            true => self.nothing,
            false => self.facts.give(given),
        };
        let level = self.facts.reached(id).level;
        let subgraph = visit.subgraph;
        // Contexts stay available below, as far as fields there take them.
        let context_set = visit
            .context_set
            .filter(|context_set| self.contexts.at(child, subgraph).contains(context_set));
        let is_interface_object =
            self.supergraph.type_in(base, subgraph).is_some_and(|owner| owner.is_interface_object);
        let (possible, interface) = match is_interface_object {
            true => (self.supergraph.possible(base), Some(base)),
            false => (self.supergraph.possible_in(base, subgraph), None),
        };
        for class in &self.tree.positions[child.index()].classes {
            let object = class.representative;
            if !self.supergraph.contains(possible, object) {
                continue;
            }
            let below = Visit {
                position: child,
                object,
                subgraph,
                interface,
                given,
                inputs: None,
                context_set,
            };
            let origin = VisitOrigin::Descend { from: id, item };
            self.fresh.extend(self.facts.add_visit(below, level, origin));
        }
    }

    /// Returns the `__typename` item that a value depends on: the visit is of an interface object,
    /// and the item is in the response for some types only.
    fn typename_for(&self, visit: &Visit, item: ItemId) -> Option<ItemId> {
        let item = self.tree.item(item);
        let possible = &self.tree.position(visit.position).possible;
        if visit.interface.is_none() || !item.is_visible || possible.is_subset(&item.types) {
            return None;
        }
        let (kind, arguments) = (ItemKind::Typename, Arguments::default());
        self.tree.find(self.supergraph, visit.position, visit.object, &kind, &arguments)
    }

    /// Returns a field as the subgraph of a visit resolves it, if it does.
    fn resolved_field(&self, visit: &Visit, name: &str) -> Option<ResolvedField> {
        let schema = &self.supergraph.schema;
        let parent = visit.interface.unwrap_or(visit.object);
        let given = &self.facts.given[visit.given.index()];
        let provided = self.supergraph.provided(given, visit.object, name);
        let field = self.supergraph.find_field(parent, name)?;
        let Some(own) = self.supergraph.field_in(field, visit.subgraph) else {
            // In Federation 1 only the field set shows that the subgraph has the field.
            let below = provided?;
            return Some(ResolvedField { base: schema[field].r#type.base, given: below });
        };
        let is_there = self.labels.allow(&own.when)
            && (!own.is_external || provided.is_some())
            && (own.requires.is_none() || own.requires == visit.inputs)
            && (own.context.is_empty() || self.has_contexts(visit, field));
        let mut given = provided.unwrap_or_default();
        given.extend(own.provides);
        is_there.then_some(ResolvedField { base: own.r#type.base, given })
    }

    /// Whether a visit has the contexts of a field.
    fn has_contexts(&self, visit: &Visit, field: FieldId) -> bool {
        let field_contexts = self.contexts.of_field(visit.position, visit.subgraph, field);
        field_contexts.is_some_and(|(set, _)| visit.context_set == Some(set))
    }
}
