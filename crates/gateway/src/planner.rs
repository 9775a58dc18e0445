//! Which subgraph is asked for what, and after what.
//!
//! 1. [`reach`]: everything that could be read, in which subgraph, and by which ways one comes there:
//!    facts, and rules that derive them from each other. A rule's head comes later than its tails, so
//!    that circles lead nowhere.
//! 2. [`choose`]: one derivation for everything that the operation asks for, such that first the
//!    longest chain of requests is short, then the requests are few, then little is asked.
//!
//! The other way, which most gateways go, is to list the paths to each field and to combine them. Its
//! number of combinations grows with every field that several subgraphs have, what it compares is not
//! what is sent in the end, and requirements of requirements are planned again for each path.

mod choose;
mod contexts;
mod facts;
mod provided;
mod reach;

#[cfg(test)]
mod tests;

use graphql::operation::Location;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::outline::{ItemId, Tree, What};
use crate::supergraph::{SubgraphId, Supergraph, When};
pub use choose::{Choice, Chosen};
pub use contexts::{Context, ContextId, Contexts, Source, ToldArguments, ToldId};
pub use facts::{How, Visit, VisitId};

/// What one operation may cost the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most ways of reading something that are looked at.
    pub facts: usize,
    /// The most values that are known only on the way to others.
    pub items: usize,
    /// The most requests.
    pub requests: usize,
    /// The most attempts at a better plan.
    pub attempts: usize,
    /// The most that all attempts together look at.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { facts: 200_000, items: 10_000, requests: 500, attempts: 200, steps: 1_000_000 }
    }
}

/// The labels of `@override` that are on for a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(pub FxHashSet<Box<str>>);

impl Labels {
    fn allow(&self, when: &When) -> bool {
        match when {
            When::Always => true,
            When::On(label) => self.0.contains(&**label),
            When::Off(label) => !self.0.contains(&**label),
        }
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The supergraph promises a field that no subgraph gives there.
    #[error("No subgraph gives `{coordinate}` here.")]
    NoWay { coordinate: Box<str>, location: Location },
    #[error("The operation is too complex to be planned.")]
    TooComplex,
}

/// Plans an operation. What is needed only to find something else is added to its tree.
pub fn plan(
    supergraph: &Supergraph,
    tree: &mut Tree,
    labels: &Labels,
    limits: Limits,
) -> Result<Choice, PlanError> {
    let is_mutation = Some(tree.position(Tree::ROOT).r#type) == supergraph.schema.mutation;
    let doers = match is_mutation {
        true => decide(supergraph, tree, labels, limits)?,
        false => Doers::default(),
    };
    plan_with(supergraph, tree, labels, limits, &doers)
}

/// Who does each field of a mutation that several subgraphs could do: one of them, for what is done
/// twice is not what was asked.
type Doers = FxHashMap<ItemId, SubgraphId>;

/// Decides who does what, one field after the other, by what the whole would cost. All trials together
/// look at no more than one plan may.
fn decide(
    supergraph: &Supergraph,
    tree: &Tree,
    labels: &Labels,
    limits: Limits,
) -> Result<Doers, PlanError> {
    let items = tree.position(Tree::ROOT).items.iter();
    let able: Vec<_> =
        items.map(|item| (*item, doers_of(supergraph, tree, labels, *item))).collect();
    let trials = able.iter().map(|(_, able)| able.len()).sum::<usize>().max(1);
    let share = Limits { facts: limits.facts / trials, steps: limits.steps / trials, ..limits };
    let mut doers = Doers::default();
    for (item, able) in able {
        let mut best: Option<((u16, usize), SubgraphId)> = None;
        let mut failed = None;
        for subgraph in able {
            doers.insert(item, subgraph);
            match plan_with(supergraph, &mut tree.clone(), labels, share, &doers) {
                Ok(choice) => {
                    let cost = (choice.chain, choice.requests);
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, subgraph));
                    }
                }
                Err(PlanError::TooComplex) => return Err(PlanError::TooComplex),
                Err(error @ PlanError::NoWay { .. }) => failed = Some(error),
            }
        }
        match (best, failed) {
            (Some((_, subgraph)), _) => {
                doers.insert(item, subgraph);
            }
            (None, Some(error)) => return Err(error),
            (None, None) => {}
        }
    }
    Ok(doers)
}

/// The subgraphs that could do a field of a mutation, if there is a choice.
fn doers_of(
    supergraph: &Supergraph,
    tree: &Tree,
    labels: &Labels,
    item: ItemId,
) -> Vec<SubgraphId> {
    let What::Field { field, .. } = &tree.item(item).what else { return Vec::new() };
    let owners = supergraph.field_owners(*field).subgraphs.iter();
    let owners = owners.filter(|owner| !owner.is_external && labels.allow(&owner.when));
    let doers: Vec<SubgraphId> = owners.map(|owner| owner.subgraph).collect();
    if doers.len() > 1 { doers } else { Vec::new() }
}

fn plan_with(
    supergraph: &Supergraph,
    tree: &mut Tree,
    labels: &Labels,
    limits: Limits,
    doers: &Doers,
) -> Result<Choice, PlanError> {
    let contexts = Contexts::new(supergraph, tree);
    let facts = reach::reach(supergraph, tree, (labels, doers), &contexts, limits)?;
    let mut choice = choose::choose(supergraph, tree, &facts, limits)?;
    if requests(supergraph, tree, &choice) > limits.requests {
        return Err(PlanError::TooComplex);
    }
    choice.contexts = contexts;
    Ok(choice)
}

/// How many requests there are; of a mutation at most: each of its fields may be some.
fn requests(supergraph: &Supergraph, tree: &Tree, choice: &Choice) -> usize {
    let root = tree.position(Tree::ROOT);
    if Some(root.r#type) != supergraph.schema.mutation {
        return choice.requests;
    }
    let hops = choice.visits.values().filter_map(|chosen| match chosen.how {
        How::Hop { .. } => {
            let Visit { position, subgraph, .. } = chosen.visit;
            Some((tree.root_item(position), chosen.level, subgraph))
        }
        How::Enter | How::Descend { .. } => None,
    });
    root.items.len() + hops.collect::<FxHashSet<_>>().len()
}
