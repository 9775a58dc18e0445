//! Cost estimate of an operation before it is executed (demand control).
//!
//! Implements IBM's cost specification, with Apollo's `@cost` and `@listSize`:
//! <https://ibm.github.io/graphql-specs/cost-spec.html>. An object costs 1 plus its fields, a leaf
//! 0, a list its assumed length times the cost of an element, an input object argument 1, a
//! mutation 10. The estimate includes the client's operation and the additional fields of its plan:
//! keys and required fields.

mod arguments;
mod sizes;

#[cfg(test)]
mod tests;

use graphql::heap_size;
use graphql::operation::{FieldSelection, Location, Operation, OperationKind, Selection};
use graphql::schema::{FieldId, TypeId, TypeKind};
use graphql::variables::Variables;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::outline::{ItemId, ItemKind, PositionId, Tree};
use crate::plan::{Plan, Selection as Selected};
use arguments::ArgumentCost;
use sizes::Size;
use supergraph::{SizedField, Supergraph};

/// Cost of a mutation beside its fields.
const MUTATION: i64 = 10;

/// Cost of an operation, as a function of its variables.
#[derive(Clone, Debug)]
pub struct Cost {
    root: i64,
    /// By item; `None` for hidden items that are not fetched, and for unauthorized ones.
    terms: Vec<Option<Term>>,
    /// By position: the sets of items that objects of one runtime type have.
    alternatives: Vec<Vec<Vec<ItemId>>>,
    sizes: Vec<Size>,
    /// The estimate, if it does not depend on variables.
    fixed: Option<u64>,
}

/// Cost of one item.
#[derive(Clone, Debug)]
struct Term {
    /// Weight of a value, without the fields below it.
    weight: i64,
    length: Option<Length>,
    arguments: ArgumentCost,
    child: Option<PositionId>,
    /// Sizes whose slicing arguments are checked.
    own: Vec<usize>,
    location: Location,
}

/// Assumed length of a list, by indexes of sizes.
#[derive(Clone, Debug)]
struct Length {
    /// Sizes of fields above, which take precedence.
    above: Vec<usize>,
    own: Vec<usize>,
    otherwise: u64,
}

heap_size!(struct Cost { root, terms, alternatives, sizes, fixed });
heap_size!(struct Term { weight, length, arguments, child, own, location });
heap_size!(struct Length { above, own, otherwise });

/// Error: a request must set exactly one slicing argument of a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Exactly one of these arguments must set the length of the list: {names}.")]
pub struct SlicingArgumentError {
    /// Names of the arguments, as `` `first`, `input.last` ``.
    pub names: Box<str>,
    pub location: Location,
}

impl Cost {
    /// Compiles the cost of an operation from its plan. `list_size` is the default for lists
    /// without `@listSize`.
    #[must_use]
    pub fn new(
        supergraph: &Supergraph,
        operation: &Operation,
        plan: &Plan,
        list_size: u64,
    ) -> Self {
        let tree = &plan.tree;
        let mut compiler = Compiler {
            supergraph,
            tree,
            list_size,
            selections: selections(operation),
            selected: selected(plan),
            terms: vec![None; tree.items.len()],
            sizes: Vec::new(),
        };
        compiler.position(Tree::ROOT, &[]);
        let root = match operation.kind {
            OperationKind::Mutation => MUTATION,
            OperationKind::Query | OperationKind::Subscription => 0,
        };
        let Compiler { terms, sizes, .. } = compiler;
        let alternatives = alternatives(supergraph, tree, &terms);
        let mut cost = Self { root, terms, alternatives, sizes, fixed: None };
        let is_fixed = cost.sizes.iter().all(Size::is_fixed)
            && cost.terms.iter().flatten().all(|term| term.arguments.is_fixed());
        if is_fixed {
            cost.fixed = cost.estimate(supergraph, &Variables::default()).ok();
        }
        cost
    }

    /// Returns the estimate for these variables.
    pub fn estimate(
        &self,
        supergraph: &Supergraph,
        variables: &Variables,
    ) -> Result<u64, SlicingArgumentError> {
        if let Some(fixed) = self.fixed {
            return Ok(fixed);
        }
        let estimate = Estimate { cost: self, supergraph, variables };
        let total = self.root.saturating_add(estimate.position(Tree::ROOT)?);
        // Weights may be negative, the total may not.
        Ok(u64::try_from(total).unwrap_or(0))
    }
}

/// Fields of an operation by their location, which items contain.
fn selections(operation: &Operation) -> FxHashMap<(u32, u32), &FieldSelection> {
    let all = operation.selection_sets.iter().flat_map(|set| &set.selections);
    let fields = all.filter_map(|selection| match selection {
        Selection::Field(field) => Some((place(field.location), field)),
        Selection::Fragment { .. } => None,
    });
    fields.collect()
}

fn place(location: Location) -> (u32, u32) {
    (location.line, location.column)
}

/// Items that some fetch of the plan selects.
fn selected(plan: &Plan) -> FxHashSet<ItemId> {
    let mut selected = FxHashSet::default();
    for fetch in &plan.fetches {
        let entries = fetch.entities.iter().flat_map(|list| &list.entries);
        let of_entities = entries.flat_map(|entry| &entry.selections);
        let of_entities = of_entities.map(|(_, selection)| selection);
        for selection in fetch.root.iter().map(|root| &root.selection).chain(of_entities) {
            add_selected(selection, &mut selected);
        }
    }
    selected
}

/// Recursion is bounded by the depth of the operation and of the fields its plan adds.
fn add_selected(selection: &Selected, selected: &mut FxHashSet<ItemId>) {
    for field in &selection.fields {
        selected.insert(field.item);
        if let Some(below) = &field.below {
            add_selected(below, selected);
        }
    }
    for (_, selection) in &selection.fragments {
        add_selected(selection, selected);
    }
}

/// Returns the distinct item sets of the runtime types, by position.
fn alternatives(
    supergraph: &Supergraph,
    tree: &Tree,
    terms: &[Option<Term>],
) -> Vec<Vec<Vec<ItemId>>> {
    let positions = tree.positions.iter().map(|position| {
        let mut all: Vec<Vec<ItemId>> = Vec::new();
        for class in &position.classes {
            let selected = position.items.iter().copied().filter(|id| {
                terms.get(id.index()).is_some_and(Option::is_some)
                    && supergraph.contains(&tree.item(*id).types, class.representative)
            });
            let selected: Vec<ItemId> = selected.collect();
            if !all.contains(&selected) {
                all.push(selected);
            }
        }
        all
    });
    positions.collect()
}

/// `sizedFields` below the current position: the index of the size, and the fields.
type SizedBelow<'s> = (usize, &'s [SizedField]);

struct Compiler<'c> {
    supergraph: &'c Supergraph,
    tree: &'c Tree,
    list_size: u64,
    selections: FxHashMap<(u32, u32), &'c FieldSelection>,
    selected: FxHashSet<ItemId>,
    terms: Vec<Option<Term>>,
    sizes: Vec<Size>,
}

impl<'c> Compiler<'c> {
    /// Recursion is bounded by the depth of the operation.
    fn position(&mut self, id: PositionId, sized: &[SizedBelow<'c>]) {
        let tree = self.tree;
        for item in &tree.position(id).items {
            let selected = tree.item(*item);
            let ItemKind::Field { name, field } = &selected.kind else { continue };
            let is_counted = match selected.is_visible {
                true => !selected.is_denied,
                false => self.selected.contains(item),
            };
            if !is_counted {
                continue;
            }
            // Fields that only the plan adds have their arguments from the supergraph.
            let selection = self.selections.get(&place(selected.location)).copied();
            let selection = selection.filter(|_| selected.is_visible);
            let mut above = Vec::new();
            let mut below: Vec<SizedBelow<'c>> = Vec::new();
            for (size, fields) in sized {
                for field in fields.iter().filter(|field| *field.name == **name) {
                    match field.below.is_empty() {
                        true => above.push(*size),
                        false => below.push((*size, &field.below)),
                    }
                }
            }
            let mut own = Vec::new();
            for directive in self.supergraph.weights.sizes(*field) {
                own.push(self.sizes.len());
                below.push((self.sizes.len(), &directive.sized));
                self.sizes.push(Size::new(self.supergraph, *field, selection, directive));
            }
            let length = self.supergraph.schema[*field].r#type.item().map(|_| Length {
                above,
                own: own.clone(),
                otherwise: self.list_size,
            });
            let term = Term {
                weight: weight(self.supergraph, *field),
                length,
                arguments: selection.map_or_else(ArgumentCost::default, |selection| {
                    ArgumentCost::new(self.supergraph, &selection.arguments)
                }),
                child: selected.child,
                own,
                location: selected.location,
            };
            self.terms[item.index()] = Some(term);
            if let Some(child) = selected.child {
                self.position(child, &below);
            }
        }
    }
}

/// Weight of a field's value, without the fields below it.
fn weight(supergraph: &Supergraph, field: FieldId) -> i64 {
    let weight = supergraph.weights.of_field(field);
    weight.unwrap_or_else(|| weight_of_type(supergraph, supergraph.schema[field].r#type.base))
}

/// An abstract type has the maximum weight of its possible types.
fn weight_of_type(supergraph: &Supergraph, id: TypeId) -> i64 {
    if let Some(weight) = supergraph.weights.of_type(id) {
        return weight;
    }
    match supergraph.schema[id].kind {
        TypeKind::Object { .. } => 1,
        TypeKind::Interface { .. } | TypeKind::Union { .. } => {
            let objects = supergraph.members(supergraph.possible(id));
            let known = objects.filter(|object| supergraph.api.has(*object));
            known.map(|object| supergraph.weights.of_type(object).unwrap_or(1)).max().unwrap_or(1)
        }
        TypeKind::Scalar | TypeKind::Enum { .. } | TypeKind::InputObject { .. } => 0,
    }
}

struct Estimate<'e> {
    cost: &'e Cost,
    supergraph: &'e Supergraph,
    variables: &'e Variables,
}

impl Estimate<'_> {
    /// Returns the maximum cost of an object at a position, over its runtime types. Recursion is
    /// bounded by the depth of the operation.
    fn position(&self, id: PositionId) -> Result<i64, SlicingArgumentError> {
        let mut most: Option<i64> = None;
        for items in self.cost.alternatives.get(id.index()).into_iter().flatten() {
            let mut all = 0_i64;
            for item in items {
                if let Some(Some(term)) = self.cost.terms.get(item.index()) {
                    all = all.saturating_add(self.term(term)?);
                }
            }
            most = most.max(Some(all));
        }
        Ok(most.unwrap_or(0))
    }

    fn term(&self, term: &Term) -> Result<i64, SlicingArgumentError> {
        for size in &term.own {
            if let Some(size) = self.cost.sizes.get(*size)
                && let Some(names) = size.slicing_violation(self.variables)
            {
                return Err(SlicingArgumentError { names: names.into(), location: term.location });
            }
        }
        let below = term.child.map_or(Ok(0), |child| self.position(child))?;
        let each = term.weight.saturating_add(below);
        let values = match &term.length {
            None => each,
            Some(length) => {
                let length = i64::try_from(self.length(length)).unwrap_or(i64::MAX);
                each.saturating_mul(length)
            }
        };
        Ok(values.saturating_add(term.arguments.cost(self.supergraph, self.variables)))
    }

    fn length(&self, length: &Length) -> u64 {
        let longest = |places: &[usize]| {
            let sizes = places.iter().filter_map(|place| self.cost.sizes.get(*place));
            sizes.filter_map(|size| size.length(self.variables)).max()
        };
        longest(&length.above).or_else(|| longest(&length.own)).unwrap_or(length.otherwise)
    }
}
