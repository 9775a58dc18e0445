//! Search for the best derivation of all goals.
//!
//! The cost counts pairs of a subgraph and a level, since all visits of a pair are sent as one
//! request. A greedy start derives one goal after the other with the fewest new pairs. Then each
//! pair in turn is forbidden and the search repeated, as long as the cost decreases. In the end
//! requests for the same objects are merged ([`delay`]).

mod delay;
mod derive;
mod greedy;
mod optima;
mod pairs;
mod rules;

use std::collections::BTreeMap;

use graphql::schema::{TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{Facts, ValueId, Visit, VisitId, VisitOrigin};
use super::{Contexts, Limits, PlanError};
use crate::outline::{Arguments, Item, ItemId, ItemKind, PositionId, Tree};
use derive::DerivationSearch;
use supergraph::{SubgraphId, Supergraph, TypeSet};

/// The chosen derivation: visits of subgraphs, and what each reads.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Length of the longest chain of dependent requests.
    pub chain: u16,
    /// Number of requests.
    pub requests: usize,
    pub visits: BTreeMap<VisitId, ChosenVisit>,
    /// By item: visits of its objects in the same request.
    below: FxHashMap<ItemId, Vec<VisitId>>,
    /// Contexts of the operation.
    pub contexts: Contexts,
    /// Number of facts, for statistics.
    pub facts: usize,
    /// Number of improvement attempts, for statistics.
    pub attempts: usize,
}

impl Choice {
    /// Returns the visits of an item's objects in the same request.
    pub(crate) fn below(&self, item: ItemId) -> &[VisitId] {
        self.below.get(&item).map_or(&[], Vec::as_slice)
    }
}

/// A chosen visit.
#[derive(Clone, Debug)]
pub struct ChosenVisit {
    pub visit: Visit,
    /// Number of requests on the longest chain to it, including its own.
    pub level: u16,
    pub origin: VisitOrigin,
    /// Items read, in their order.
    pub reads: Vec<ItemId>,
    /// Visits that read the inputs of its representations.
    pub after: Vec<VisitId>,
    /// The items that each of these reads for them.
    pub inputs: Vec<(VisitId, ItemId)>,
}

pub(super) fn choose(
    supergraph: &Supergraph,
    tree: &Tree,
    facts: &Facts,
    limits: Limits,
) -> Result<Choice, PlanError> {
    let goals = goals(supergraph, tree, facts)?;
    let mut derivations = DerivationSearch::new(facts, supergraph.subgraphs.len(), limits);
    let solution = derivations.best(&goals).ok_or(PlanError::TooComplex)?;
    let mut choice = derivations.choice(&goals, &solution);
    delay::delay(&mut choice, limits.attempts);
    Ok(choice)
}

/// Returns the values that the operation selects, for all types that can occur.
fn goals(supergraph: &Supergraph, tree: &Tree, facts: &Facts) -> Result<Vec<ValueId>, PlanError> {
    let ambiguous = ambiguous(supergraph, tree, facts);
    let mut goals = Vec::new();
    for (place, item) in tree.items.iter().enumerate() {
        let id = ItemId::new(place);
        // The type of the root is known.
        let is_known = item.kind == ItemKind::Introspection
            || (item.kind == ItemKind::Typename && item.position == Tree::ROOT);
        if !item.is_visible || is_known {
            continue;
        }
        if item.is_denied {
            goals.extend(deciding_typenames(supergraph, tree, facts, item));
            continue;
        }
        let mut found = Vec::new();
        for object in classes_of(supergraph, tree, item) {
            let is_dropped = ambiguous
                .get(&item.position)
                .is_some_and(|types| supergraph.contains(types, object));
            if is_dropped {
                continue;
            }
            match facts.find_value(item.position, object, id) {
                Some(known) => found.push((object, known)),
                // No subgraph returns objects of this type here.
                None if facts.at(item.position, object).is_empty() => {}
                None => return Err(unresolvable(supergraph, tree, id, object)),
            }
        }
        check_origin(supergraph, tree, facts, id, &found)?;
        goals.extend(found.into_iter().map(|(_, known)| known));
    }
    Ok(goals)
}

/// Returns the `__typename` facts that decide whether an unauthorized item applies to an object, if
/// it does not apply to all types.
fn deciding_typenames(
    supergraph: &Supergraph,
    tree: &Tree,
    facts: &Facts,
    item: &Item,
) -> Vec<ValueId> {
    if tree.position(item.position).possible.is_subset(&item.types) {
        return Vec::new();
    }
    let (kind, arguments) = (ItemKind::Typename, Arguments::default());
    let classes = classes_of(supergraph, tree, item).into_iter();
    let known = classes.filter_map(|object| {
        let typename = tree.find(supergraph, item.position, object, &kind, &arguments)?;
        facts.find_value(item.position, object, typename)
    });
    known.collect()
}

/// Returns the classes of types that an item is selected on.
fn classes_of(supergraph: &Supergraph, tree: &Tree, item: &Item) -> Vec<TypeId> {
    let classes = tree.position(item.position).classes.iter().map(|class| class.representative);
    classes.filter(|object| supergraph.contains(&item.types, *object)).collect()
}

fn unresolvable(supergraph: &Supergraph, tree: &Tree, item: ItemId, object: TypeId) -> PlanError {
    let item = tree.item(item);
    let name = match &item.kind {
        ItemKind::Field { name, .. } => name,
        ItemKind::Typename | ItemKind::Introspection => "__typename",
    };
    let coordinate = [&*supergraph.schema[object].name, ".", name].concat();
    PlanError::Unresolvable { coordinate: coordinate.into(), location: item.location }
}

/// Returns the union members that not all resolving subgraphs know: the response must not depend on
/// the choice of the subgraph.
fn ambiguous(
    supergraph: &Supergraph,
    tree: &Tree,
    facts: &Facts,
) -> FxHashMap<PositionId, TypeSet> {
    let mut ambiguous: FxHashMap<PositionId, TypeSet> = FxHashMap::default();
    for (place, item) in tree.items.iter().enumerate() {
        let Some(child) = item.child.filter(|_| item.is_visible) else { continue };
        let r#type = tree.position(child).r#type;
        if !matches!(supergraph.schema[r#type].kind, TypeKind::Union { .. }) {
            continue;
        }
        for object in classes_of(supergraph, tree, item) {
            let Some(known) = facts.find_value(item.position, object, ItemId::new(place)) else {
                continue;
            };
            let mut by_subgraph: BTreeMap<SubgraphId, TypeSet> = BTreeMap::new();
            for derivation in &facts.known(known).derivations {
                let subgraph = facts.visit(derivation.visit).subgraph;
                by_subgraph.insert(subgraph, given_by(tree, facts, derivation.visit, child));
            }
            let mut all = by_subgraph.values();
            let Some(first) = all.next().cloned() else { continue };
            let common = all.fold(first, |common, types| common.intersection(types));
            if by_subgraph.len() > 1 {
                let possible = &tree.position(child).possible;
                let rest = possible.minus(&common);
                match ambiguous.entry(child) {
                    std::collections::hash_map::Entry::Vacant(entry) => {
                        entry.insert(rest);
                    }
                    std::collections::hash_map::Entry::Occupied(mut entry) => {
                        entry.get_mut().unite(&rest);
                    }
                }
            }
        }
    }
    ambiguous
}

/// Returns the types of the objects that a visit returns at a position below it.
fn given_by(tree: &Tree, facts: &Facts, visit: VisitId, child: PositionId) -> TypeSet {
    let mut types = TypeSet::default();
    for class in &tree.position(child).classes {
        let comes = facts.at(child, class.representative).iter().any(|below| {
            let derivations = &facts.reached(*below).derivations;
            derivations.iter().any(|derivation| matches!(derivation, VisitOrigin::Descend { from, .. } if *from == visit))
        });
        if comes {
            types.unite_or_begin(&class.types);
        }
    }
    types
}

/// Checks that an interface field can be resolved for all objects of some subgraph; it does not
/// help if another subgraph resolves it for other objects.
fn check_origin(
    supergraph: &Supergraph,
    tree: &Tree,
    facts: &Facts,
    item: ItemId,
    found: &[(TypeId, ValueId)],
) -> Result<(), PlanError> {
    let ItemKind::Field { field, .. } = &tree.item(item).kind else { return Ok(()) };
    let position = tree.position(tree.item(item).position);
    let is_of_interface = supergraph.find_field(position.r#type, &supergraph.schema[*field].name)
        == Some(*field)
        && matches!(supergraph.schema[position.r#type].kind, TypeKind::Interface { .. });
    let [first, .., last] = found else { return Ok(()) };
    if !is_of_interface {
        return Ok(());
    }
    let own = tree.item(item).position;
    let gives = |object: TypeId, subgraph: SubgraphId| {
        let visits = facts.at(own, object).iter().map(|visit| facts.reached(*visit));
        let mut visits = visits.filter(|reached| reached.visit.subgraph == subgraph);
        visits.any(|reached| {
            reached
                .derivations
                .iter()
                .any(|derivation| matches!(derivation, VisitOrigin::Descend { .. }))
        })
    };
    let mut able: Vec<SubgraphId> = supergraph.subgraph_ids().collect();
    able.retain(|subgraph| found.iter().any(|(object, _)| gives(*object, *subgraph)));
    if able.is_empty() {
        return Ok(());
    }
    for (object, known) in found {
        let mut origins = FxHashSet::default();
        for derivation in &facts.known(*known).derivations {
            let reached = facts.reached(derivation.visit);
            let others = reached.derivations.iter().any(|derivation| match derivation {
                VisitOrigin::Jump { needs, .. } => !needs.contains(known),
                VisitOrigin::Enter | VisitOrigin::Descend { .. } => false,
            });
            if others || reached.visit.interface.is_some() {
                // Objects of any origin.
                origins.extend(supergraph.subgraph_ids());
            }
            origins.insert(reached.visit.subgraph);
        }
        able.retain(|subgraph| origins.contains(subgraph) || !gives(*object, *subgraph));
        if able.is_empty() {
            return Err(unresolvable(supergraph, tree, item, *object));
        }
    }
    debug_assert!(first.0 != last.0, "a type is asked once");
    Ok(())
}
