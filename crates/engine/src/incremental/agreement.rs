//! Agreement of the parts of a response on the elements of their lists.
//!
//! A list that two parts select has the same elements at the same positions if both read it in one
//! snapshot and by an order in which no two rows are equal. This is derived from the lowered parts,
//! whose requests have all orders that a dialect adds.

use std::collections::BTreeMap;

use catalog::Catalog;
use dialects::Lowered;
use graphql::defer::split::marked_fragment;
use ir::{From, Hop, HopDirection, OrderKey, Output, OutputKind, Rows, StepKind, ValueRef};
use response::{Fields, Node, NodeId, RowsId, Shape};
use rustc_hash::FxHashSet;

/// Whether the source has snapshots that span statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Snapshots {
    Yes,
    No,
}

/// The selected fields of a part by response names, those of all types together.
#[derive(Debug, Default)]
pub(super) struct Selected<'l> {
    fields: BTreeMap<Step<'l>, Selected<'l>>,
    /// Whether a list of it may differ from the same list of another part.
    has_unstable_list: bool,
}

/// A step from a selected field to those below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step<'l> {
    Name(&'l str),
    /// The rows of one of several entities.
    Variant(usize),
}

impl<'l> Selected<'l> {
    /// The fields of a lowered part.
    pub(super) fn of(lowered: &'l Lowered, catalog: &Catalog, snapshots: Snapshots) -> Self {
        let mut selected = Self::default();
        let stable = stable_rows(&lowered.request, catalog, snapshots);
        let reader = Reader { shape: &lowered.shape, stable };
        if let Some(root) = lowered.shape.root {
            reader.fields(root, &mut selected);
        }
        selected
    }

    /// Whether a list that both parts select may have other elements, or another order, in one of
    /// them. Recursion is bounded by the depth of the operation.
    pub(super) fn disagrees(&self, other: &Self) -> bool {
        if !self.is_composite() || !other.is_composite() {
            return false;
        }
        if self.has_unstable_list || other.has_unstable_list {
            return true;
        }
        let mut common =
            self.fields.iter().filter_map(|(step, own)| Some((own, other.fields.get(step)?)));
        common.any(|(own, other)| own.disagrees(other))
    }

    /// Whether another part selects all leaves of this one, markers aside.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let mut fields = self.fields.iter().filter(|(step, _)| !step.is_marker());
        fields.all(|(step, own)| other.fields.get(step).is_some_and(|other| own.is_within(other)))
    }

    /// Whether a fragment is on an object below one that has it. Recursion is bounded by the depth of
    /// the operation.
    pub(super) fn is_within_itself(&self, marker: &str) -> bool {
        let is_here = self.fields.contains_key(&Step::Name(marker));
        let mut below = self.fields.values();
        below.any(|below| (is_here && below.has_marker(marker)) || below.is_within_itself(marker))
    }

    fn has_marker(&self, marker: &str) -> bool {
        self.fields.contains_key(&Step::Name(marker))
            || self.fields.values().any(|below| below.has_marker(marker))
    }

    fn is_composite(&self) -> bool {
        !self.fields.is_empty()
    }
}

impl Step<'_> {
    fn is_marker(self) -> bool {
        match self {
            Step::Name(name) => marked_fragment(name).is_some(),
            Step::Variant(_) => false,
        }
    }
}

struct Reader<'l> {
    shape: &'l Shape,
    stable: FxHashSet<RowsId>,
}

impl<'l> Reader<'l> {
    /// Recursion is bounded by the depth of the operation.
    fn fields(&self, fields: Fields, selected: &mut Selected<'l>) {
        for field in self.shape.fields(fields) {
            let below = selected.fields.entry(Step::Name(&field.name)).or_default();
            self.node(field.node, below);
        }
    }

    fn node(&self, node: NodeId, selected: &mut Selected<'l>) {
        match self.shape.node(node) {
            Node::Object(fields) | Node::Joined { fields, .. } | Node::Aggregate { fields, .. } => {
                self.fields(*fields, selected);
            }
            Node::Present { node, .. } | Node::Single { node, .. } | Node::Edge { node, .. } => {
                self.node(*node, selected);
            }
            Node::Only(item) => self.node(item.node, selected),
            Node::Variants { nodes, .. } => {
                for (number, node) in nodes.iter().enumerate() {
                    let below = selected.fields.entry(Step::Variant(number)).or_default();
                    self.node(*node, below);
                }
            }
            Node::List { rows, item } => {
                selected.has_unstable_list |= !self.stable.contains(rows);
                self.node(item.node, selected);
            }
            Node::Groups { item, .. } => {
                selected.has_unstable_list = true;
                self.node(item.node, selected);
            }
            Node::Representations { branches, .. } => {
                selected.has_unstable_list = true;
                branches.iter().for_each(|branch| self.node(branch.node, selected));
            }
            Node::Each(items) => items.iter().for_each(|item| self.node(item.node, selected)),
            Node::Leaf { .. }
            | Node::LeafOr { .. }
            | Node::Literal(_)
            | Node::Echo(_)
            | Node::Leaves(_)
            | Node::TooDeep(_)
            | Node::Refused(_)
            | Node::NotRead(_)
            | Node::Base64(_)
            | Node::Count { .. }
            | Node::IfAny { .. }
            | Node::Length { .. }
            | Node::Affected { .. }
            | Node::HasMore { .. }
            | Node::NoMore { .. }
            | Node::HasOutside { .. } => {}
        }
    }
}

/// Makes the positions on the path to a fragment nullable, so that a null in the fragment nulls no
/// more than the fragment.
pub(super) fn bound_nulls(shape: &mut Shape, marker: &str) {
    if let Some(root) = shape.root {
        bound_fields(shape, root, marker);
    }
}

/// True if the marker is in the fields, or below. Recursion is bounded by the depth of the operation.
fn bound_fields(shape: &mut Shape, fields: Fields, marker: &str) -> bool {
    if shape.fields(fields).iter().any(|field| &*field.name == marker) {
        return true;
    }
    let mut is_on_path = false;
    for place in fields.start as usize..fields.end as usize {
        let Some(node) = shape.fields.get(place).map(|field| field.node) else { continue };
        if bound_node(shape, node, marker) {
            is_on_path = true;
            shape.fields.get_mut(place).into_iter().for_each(|field| field.nullable = true);
        }
    }
    is_on_path
}

fn bound_node(shape: &mut Shape, id: NodeId, marker: &str) -> bool {
    match shape.node(id).clone() {
        Node::Object(fields) | Node::Joined { fields, .. } | Node::Aggregate { fields, .. } => {
            bound_fields(shape, fields, marker)
        }
        Node::Present { node, .. } | Node::Single { node, .. } | Node::Edge { node, .. } => {
            bound_node(shape, node, marker)
        }
        Node::Variants { nodes, .. } => {
            let found = nodes.iter().map(|node| bound_node(shape, *node, marker));
            found.fold(false, |is_on_path, own| is_on_path | own)
        }
        Node::List { item, .. } | Node::Only(item) | Node::Groups { item, .. } => {
            let is_on_path = bound_node(shape, item.node, marker);
            if is_on_path
                && let Some(Node::List { item, .. } | Node::Only(item) | Node::Groups { item, .. }) =
                    shape.nodes.get_mut(id.0 as usize)
            {
                item.nullable = true;
            }
            is_on_path
        }
        Node::Representations { .. }
        | Node::Leaf { .. }
        | Node::LeafOr { .. }
        | Node::Literal(_)
        | Node::Echo(_)
        | Node::Leaves(_)
        | Node::TooDeep(_)
        | Node::Refused(_)
        | Node::NotRead(_)
        | Node::Base64(_)
        | Node::Count { .. }
        | Node::IfAny { .. }
        | Node::Length { .. }
        | Node::Affected { .. }
        // Of mutations only, which are not deferred.
        | Node::Each(_)
        | Node::HasMore { .. }
        | Node::NoMore { .. }
        | Node::HasOutside { .. } => false,
    }
}

/// The rows that every part of a response reads alike.
fn stable_rows(
    request: &ir::Request,
    catalog: &Catalog,
    snapshots: Snapshots,
) -> FxHashSet<RowsId> {
    let mut stable = FxHashSet::default();
    let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
    for step in steps {
        match &step.kind {
            StepKind::Read(rows) => add_stable(rows, catalog, snapshots, &mut stable),
            StepKind::Write(_)
            | StepKind::Call(_)
            | StepKind::Require(_)
            | StepKind::Objects(_) => {}
        }
    }
    stable
}

/// Recursion is bounded by the depth of the operation.
fn add_stable(
    rows: &Rows,
    catalog: &Catalog,
    snapshots: Snapshots,
    stable: &mut FxHashSet<RowsId>,
) {
    if rows.single || (snapshots == Snapshots::Yes && is_ordered(rows, catalog)) {
        stable.insert(RowsId(rows.id.0));
    }
    let mut below = |outputs: &[Output]| {
        for output in outputs {
            match &output.kind {
                OutputKind::Related { rows, .. } => add_stable(rows, catalog, snapshots, stable),
                OutputKind::Field { .. }
                | OutputKind::FieldIf { .. }
                | OutputKind::Present { .. }
                | OutputKind::PresentIf { .. }
                | OutputKind::Edge { .. }
                | OutputKind::Aggregate(_)
                | OutputKind::Groups(_)
                | OutputKind::Computed { .. }
                | OutputKind::OrderValue(_)
                | OutputKind::Count
                | OutputKind::Common { .. }
                | OutputKind::Variant
                | OutputKind::Ordinal
                | OutputKind::Counter { .. } => {}
            }
        }
    };
    below(&rows.outputs);
    if let From::Variants(variants) | From::FunctionOfVariants { variants, .. } = &rows.from {
        variants.iter().for_each(|variant| below(&variant.outputs));
    }
}

/// Whether no two rows are equal in the order.
fn is_ordered(rows: &Rows, catalog: &Catalog) -> bool {
    let target = |hop: &Hop| {
        let relationship = &catalog[hop.relationship];
        match hop.direction {
            HopDirection::Forward => relationship.to,
            HopDirection::Backward => relationship.from,
        }
    };
    let entity = match &rows.from {
        From::Entity(entity) => *entity,
        From::Relation(hop) => target(hop),
        From::Through { far, .. } => target(far),
        // Functions may return rows that no table has, in any order.
        From::Function(_)
        | From::FunctionOfVariants { .. }
        | From::Variants(_)
        | From::Joining { .. }
        | From::Value(_)
        | From::Search { .. }
        | From::List { .. }
        | From::Once
        | From::Keys { .. }
        | From::Event(_)
        | From::Returned { .. } => return false,
    };
    let is_term = |field: &catalog::FieldId| {
        let key = OrderKey::Value(ValueRef::field(*field));
        !catalog[*field].nullable && rows.order.iter().any(|term| term.key == key)
    };
    let mut keys = catalog[entity].keys.iter().filter(|key| key.enforced);
    keys.any(|key| key.fields.iter().all(is_term))
}
