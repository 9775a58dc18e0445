//! One derivation of everything that is asked for.
//!
//! Requests to one subgraph that nothing keeps apart are sent as one: what is counted is how many
//! pairs there are of a subgraph and the number of requests that lead to it. A first choice takes, one
//! after the other, for each value the way that needs the fewest new pairs; then each pair in turn is
//! forbidden, and the choice made again, as long as it gets better. In the end requests for the same
//! objects are put together ([`delay`]).

mod delay;
mod derive;
mod least;
mod pairs;
mod rules;
mod take;

use std::collections::BTreeMap;

use graphql::schema::{TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{Facts, How, KnownId, Visit, VisitId};
use super::{Contexts, Limits, PlanError};
use crate::outline::{Arguments, Item, ItemId, PositionId, Tree, What};
use crate::supergraph::{SubgraphId, Supergraph, TypeSet};
use derive::Derivations;

/// What is read where, and how one comes there.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// How many requests wait for each other.
    pub chain: u16,
    /// How many requests there are.
    pub requests: usize,
    pub visits: BTreeMap<VisitId, Chosen>,
    /// By item: the visits of its objects that come with it.
    below: FxHashMap<ItemId, Vec<VisitId>>,
    /// What fields take from the objects above them.
    pub contexts: Contexts,
    /// How much there was to choose from.
    pub facts: usize,
    /// How often something better was looked for.
    pub attempts: usize,
}

impl Choice {
    /// The visits of the objects of an item that come with it.
    pub(crate) fn below(&self, item: ItemId) -> &[VisitId] {
        self.below.get(&item).map_or(&[], Vec::as_slice)
    }
}

/// A visit that is made.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub visit: Visit,
    /// How many requests lead to it, its own among them.
    pub level: u16,
    pub how: How,
    /// What is read, in the order of the items.
    pub reads: Vec<ItemId>,
    /// The visits that read what a representation says.
    pub after: Vec<VisitId>,
}

pub(super) fn choose(
    supergraph: &Supergraph,
    tree: &Tree,
    facts: &Facts,
    limits: Limits,
) -> Result<Choice, PlanError> {
    let goals = goals(supergraph, tree, facts)?;
    let mut derivations = Derivations::new(facts, supergraph.subgraphs.len(), limits);
    let made = derivations.best(&goals).ok_or(PlanError::TooComplex)?;
    let mut choice = derivations.choice(&goals, &made);
    delay::delay(&mut choice, limits.attempts);
    Ok(choice)
}

/// The values that the operation asks for, of all types that may come.
fn goals(supergraph: &Supergraph, tree: &Tree, facts: &Facts) -> Result<Vec<KnownId>, PlanError> {
    let dropped = dropped(supergraph, tree, facts);
    let mut goals = Vec::new();
    for (place, item) in tree.items.iter().enumerate() {
        let id = ItemId::new(place);
        // Everybody knows of which type the root is.
        let is_known = item.what == What::Introspection
            || (item.what == What::Typename && item.position == Tree::ROOT);
        if !item.is_visible || is_known {
            continue;
        }
        if item.is_denied {
            goals.extend(told(supergraph, tree, facts, item));
            continue;
        }
        let mut found = Vec::new();
        for object in classes_of(supergraph, tree, item) {
            let is_dropped =
                dropped.get(&item.position).is_some_and(|types| supergraph.contains(types, object));
            if is_dropped {
                continue;
            }
            match facts.find_known(item.position, object, id) {
                Some(known) => found.push((object, known)),
                // Nobody gives such objects there.
                None if facts.at(item.position, object).is_empty() => {}
                None => return Err(no_way(supergraph, tree, id, object)),
            }
        }
        check_origin(supergraph, tree, facts, id, &found)?;
        goals.extend(found.into_iter().map(|(_, known)| known));
    }
    Ok(goals)
}

/// The types of the objects of which something is not for the caller, where it is for other objects:
/// that it is missing is told of these only.
fn told(supergraph: &Supergraph, tree: &Tree, facts: &Facts, item: &Item) -> Vec<KnownId> {
    if tree.position(item.position).possible.is_subset(&item.types) {
        return Vec::new();
    }
    let (what, arguments) = (What::Typename, Arguments::default());
    let classes = classes_of(supergraph, tree, item).into_iter();
    let known = classes.filter_map(|object| {
        let typename = tree.find(supergraph, item.position, object, &what, &arguments)?;
        facts.find_known(item.position, object, typename)
    });
    known.collect()
}

/// The classes of types that an item is asked of.
fn classes_of(supergraph: &Supergraph, tree: &Tree, item: &Item) -> Vec<TypeId> {
    let classes = tree.position(item.position).classes.iter().map(|class| class.representative);
    classes.filter(|object| supergraph.contains(&item.types, *object)).collect()
}

fn no_way(supergraph: &Supergraph, tree: &Tree, item: ItemId, object: TypeId) -> PlanError {
    let item = tree.item(item);
    let name = match &item.what {
        What::Field { name, .. } => name,
        What::Typename | What::Introspection => "__typename",
    };
    let coordinate = [&*supergraph.schema[object].name, ".", name].concat();
    PlanError::NoWay { coordinate: coordinate.into(), location: item.location }
}

/// The members of unions that not all subgraphs know that could be asked for the same field: which of
/// them is asked must not tell what comes.
fn dropped(supergraph: &Supergraph, tree: &Tree, facts: &Facts) -> FxHashMap<PositionId, TypeSet> {
    let mut dropped: FxHashMap<PositionId, TypeSet> = FxHashMap::default();
    for (place, item) in tree.items.iter().enumerate() {
        let Some(child) = item.child.filter(|_| item.is_visible) else { continue };
        let r#type = tree.position(child).r#type;
        if !matches!(supergraph.schema[r#type].kind, TypeKind::Union { .. }) {
            continue;
        }
        for object in classes_of(supergraph, tree, item) {
            let Some(known) = facts.find_known(item.position, object, ItemId::new(place)) else {
                continue;
            };
            let mut by_subgraph: BTreeMap<SubgraphId, TypeSet> = BTreeMap::new();
            for way in &facts.known(known).ways {
                let subgraph = facts.visit(way.visit).subgraph;
                by_subgraph.insert(subgraph, given_by(tree, facts, way.visit, child));
            }
            let mut all = by_subgraph.values();
            let Some(first) = all.next().cloned() else { continue };
            let common = all.fold(first, |common, types| common.intersection(types));
            if by_subgraph.len() > 1 {
                let possible = &tree.position(child).possible;
                let rest = possible.minus(&common);
                match dropped.entry(child) {
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
    dropped
}

/// The types of the objects that a visit gives at a position below it.
fn given_by(tree: &Tree, facts: &Facts, visit: VisitId, child: PositionId) -> TypeSet {
    let mut types = TypeSet::default();
    for class in &tree.position(child).classes {
        let comes = facts.at(child, class.representative).iter().any(|below| {
            let ways = &facts.reached(*below).ways;
            ways.iter().any(|way| matches!(way, How::Descend { from, .. } if *from == visit))
        });
        if comes {
            types.unite_or_begin(&class.types);
        }
    }
    types
}

/// What is asked of an interface must be known of all objects that one subgraph gives: another one
/// that gives others of them is no help.
fn check_origin(
    supergraph: &Supergraph,
    tree: &Tree,
    facts: &Facts,
    item: ItemId,
    found: &[(TypeId, KnownId)],
) -> Result<(), PlanError> {
    let What::Field { field, .. } = &tree.item(item).what else { return Ok(()) };
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
        visits.any(|reached| reached.ways.iter().any(|way| matches!(way, How::Descend { .. })))
    };
    let mut able: Vec<SubgraphId> = supergraph.subgraph_ids().collect();
    able.retain(|subgraph| found.iter().any(|(object, _)| gives(*object, *subgraph)));
    if able.is_empty() {
        return Ok(());
    }
    for (object, known) in found {
        let mut origins = FxHashSet::default();
        for way in &facts.known(*known).ways {
            let reached = facts.reached(way.visit);
            let others = reached.ways.iter().any(|way| match way {
                How::Hop { needs, .. } => !needs.contains(known),
                How::Enter | How::Descend { .. } => false,
            });
            if others || reached.visit.interface.is_some() {
                // From wherever its objects come.
                origins.extend(supergraph.subgraph_ids());
            }
            origins.insert(reached.visit.subgraph);
        }
        able.retain(|subgraph| origins.contains(subgraph) || !gives(*object, *subgraph));
        if able.is_empty() {
            return Err(no_way(supergraph, tree, item, *object));
        }
    }
    debug_assert!(first.0 != last.0, "a type is asked once");
    Ok(())
}
