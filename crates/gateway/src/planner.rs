//! Query planner: which subgraph resolves which field, in which order.
//!
//! 1. [`reach`]: everything that can be read, from which subgraph, and how: facts, and rules that
//!    derive them from each other. The conclusion of a rule comes later than its premises, so cycles
//!    lead nowhere.
//! 2. [`choose`]: one derivation of all fields of the operation, with the shortest chain of
//!    dependent fetches, then the fewest fetches, then the smallest selections.
//!
//! Most gateways enumerate the paths to each field and combine them instead. The number of
//! combinations grows with every field that several subgraphs have, the compared paths are not the
//! requests that are sent in the end, and nested requirements are planned again for each path.

mod choose;
mod contexts;
mod facts;
mod reach;

#[cfg(test)]
mod tests;

use graphql::operation::Location;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::outline::{ItemId, ItemKind, Tree};
pub use choose::{Choice, ChosenVisit};
pub use contexts::{Context, ContextArguments, ContextId, ContextSetId, Contexts, Source};
pub use facts::{Visit, VisitId, VisitOrigin};
use supergraph::{OverrideCondition, SubgraphId, Supergraph};

/// Limits for planning one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of derivations (facts and rules).
    pub facts: usize,
    /// Maximum number of hidden items.
    pub items: usize,
    /// Maximum number of fetches.
    pub requests: usize,
    /// Maximum number of attempts to improve the plan.
    pub attempts: usize,
    /// Maximum number of steps of all attempts together.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { facts: 200_000, items: 10_000, requests: 500, attempts: 200, steps: 1_000_000 }
    }
}

/// Labels of progressive `@override` that are active for a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(pub FxHashSet<Box<str>>);

impl Labels {
    fn allow(&self, when: &OverrideCondition) -> bool {
        match when {
            OverrideCondition::Always => true,
            OverrideCondition::On(label) => self.0.contains(&**label),
            OverrideCondition::Off(label) => !self.0.contains(&**label),
        }
    }
}

/// Reason why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No subgraph resolves a field here, although the supergraph has it.
    #[error("No subgraph gives `{coordinate}` here.")]
    Unresolvable { coordinate: Box<str>, location: Location },
    #[error("The operation is too complex to be planned.")]
    TooComplex,
}

/// Plans an operation. Adds hidden items to its tree, such as keys and required fields.
pub fn plan(
    supergraph: &Supergraph,
    tree: &mut Tree,
    labels: &Labels,
    limits: Limits,
) -> Result<Choice, PlanError> {
    let root = Some(tree.position(Tree::ROOT).r#type);
    let (mutation, subscription) = (supergraph.schema.mutation, supergraph.schema.subscription);
    let executors = match root == mutation || root == subscription {
        true => assign_executors(supergraph, tree, labels, limits)?,
        false => Executors::default(),
    };
    plan_with(supergraph, tree, labels, limits, &executors)
}

/// The subgraph that executes each root field of a mutation or a subscription which several
/// subgraphs have: exactly one, since a mutation must not be executed twice, and a subscription has
/// one source stream.
type Executors = FxHashMap<ItemId, SubgraphId>;

/// Assigns each such field to a subgraph, one field after the other, by the cost of the whole
/// plan. All trials together stay within the limits of one plan.
fn assign_executors(
    supergraph: &Supergraph,
    tree: &Tree,
    labels: &Labels,
    limits: Limits,
) -> Result<Executors, PlanError> {
    let items = tree.position(Tree::ROOT).items.iter();
    let able: Vec<_> =
        items.map(|item| (*item, executors_of(supergraph, tree, labels, *item))).collect();
    let trials = able.iter().map(|(_, able)| able.len()).sum::<usize>().max(1);
    let share = Limits { facts: limits.facts / trials, steps: limits.steps / trials, ..limits };
    let mut executors = Executors::default();
    for (item, able) in able {
        let mut best: Option<((u16, usize), SubgraphId)> = None;
        let mut failed = None;
        for subgraph in able {
            executors.insert(item, subgraph);
            match plan_with(supergraph, &mut tree.clone(), labels, share, &executors) {
                Ok(choice) => {
                    let cost = (choice.chain, choice.requests);
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, subgraph));
                    }
                }
                Err(PlanError::TooComplex) => return Err(PlanError::TooComplex),
                Err(error @ PlanError::Unresolvable { .. }) => failed = Some(error),
            }
        }
        match (best, failed) {
            (Some((_, subgraph)), _) => {
                executors.insert(item, subgraph);
            }
            (None, Some(error)) => return Err(error),
            (None, None) => {}
        }
    }
    Ok(executors)
}

/// Returns the subgraphs that can execute such a field, if there are several.
fn executors_of(
    supergraph: &Supergraph,
    tree: &Tree,
    labels: &Labels,
    item: ItemId,
) -> Vec<SubgraphId> {
    let ItemKind::Field { field, .. } = &tree.item(item).kind else { return Vec::new() };
    let owners = supergraph.field_owners(*field).subgraphs.iter();
    let owners = owners.filter(|owner| !owner.is_external && labels.allow(&owner.when));
    let executors: Vec<SubgraphId> = owners.map(|owner| owner.subgraph).collect();
    if executors.len() > 1 { executors } else { Vec::new() }
}

fn plan_with(
    supergraph: &Supergraph,
    tree: &mut Tree,
    labels: &Labels,
    limits: Limits,
    executors: &Executors,
) -> Result<Choice, PlanError> {
    let contexts = Contexts::new(supergraph, tree);
    let facts = reach::reach(supergraph, tree, (labels, executors), &contexts, limits)?;
    let mut choice = choose::choose(supergraph, tree, &facts, limits)?;
    if requests(supergraph, tree, &choice) > limits.requests {
        return Err(PlanError::TooComplex);
    }
    choice.contexts = contexts;
    Ok(choice)
}

/// Returns the number of fetches; for a mutation an upper bound, since each of its fields may need
/// separate ones.
fn requests(supergraph: &Supergraph, tree: &Tree, choice: &Choice) -> usize {
    let root = tree.position(Tree::ROOT);
    if Some(root.r#type) != supergraph.schema.mutation {
        return choice.requests;
    }
    let jumps = choice.visits.values().filter_map(|chosen| match chosen.origin {
        VisitOrigin::Jump { .. } => {
            let Visit { position, subgraph, .. } = chosen.visit;
            Some((tree.root_item(position), chosen.level, subgraph))
        }
        VisitOrigin::Enter | VisitOrigin::Descend { .. } => None,
    });
    root.items.len() + jumps.collect::<FxHashSet<_>>().len()
}
