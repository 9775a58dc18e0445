//! The part of the tree that is the answer.

use std::fmt::Write;
use std::sync::Arc;

use graphql::does_condition_hold;
use graphql::operation::{FieldRef, FieldSelection, Operation, Selection, SelectionSetId};
use graphql::schema::{FieldId, TypeId};
use graphql::variables::Steering;

use super::classes::classes;
use super::{Arguments, Item, PositionId, Tree, What};
use crate::supergraph::{Supergraph, TypeSet};

/// The operation asks for more than the gateway plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The operation selects too many fields.")]
pub struct TooMuch;

/// The tree of an operation, for variables that steer it as these do. No more than `selections` are
/// looked at.
pub fn outline(
    supergraph: &Supergraph,
    operation: &Operation,
    root: TypeId,
    steering: &Steering<'_>,
    selections: usize,
) -> Result<Tree, TooMuch> {
    let names = operation.variables.iter().map(|variable| &*variable.name);
    let names: Vec<_> = names.collect();
    let mut tree = Tree::default();
    let mut outliner =
        Outliner { supergraph, operation, steering, names, left: selections, tree: &mut tree };
    let position = outliner.tree.add_position(supergraph, root, None);
    outliner.position(position, &[operation.root])?;
    Ok(tree)
}

struct Outliner<'o> {
    supergraph: &'o Supergraph,
    operation: &'o Operation,
    steering: &'o Steering<'o>,
    names: Vec<&'o str>,
    left: usize,
    tree: &'o mut Tree,
}

/// What is asked of a position under one name in one way.
struct Group<'o> {
    key: &'o str,
    what: What,
    arguments: Arguments,
    /// Where it is asked: of which types, and what of its objects.
    occurrences: Vec<(TypeSet, Option<SelectionSetId>)>,
    selection: &'o FieldSelection,
}

impl<'o> Outliner<'o> {
    /// Recursion is bounded: validation limits how deep an operation is.
    fn position(&mut self, id: PositionId, sets: &[SelectionSetId]) -> Result<(), TooMuch> {
        let possible = self.tree.position(id).possible.clone();
        let mut groups = Vec::new();
        for set in sets {
            self.collect(*set, &possible, &mut groups)?;
        }
        let asked = |object: TypeId| {
            let mut text = String::new();
            let mut names = Vec::new();
            for (place, group) in groups.iter().enumerate() {
                for (number, (types, _)) in group.occurrences.iter().enumerate() {
                    if self.supergraph.contains(types, object) {
                        // Writing to a text cannot fail.
                        let _ = write!(text, "{place}.{number} ");
                        if let What::Field { name, .. } = &group.what {
                            names.push((&**name).into());
                        }
                    }
                }
            }
            (text, names)
        };
        let parent = self.tree.position(id).parent;
        if !parent.is_some_and(|parent| self.is_narrowed(parent)) {
            self.tree.positions[id.index()].classes = classes(self.supergraph, &possible, asked);
        }
        for group in groups {
            self.add(id, &group)?;
        }
        Ok(())
    }

    /// Whether the types below an item are to be told apart: some subgraph says that it is of another
    /// type than the supergraph says, or a field set asks for something of its objects.
    fn is_narrowed(&self, item: super::ItemId) -> bool {
        let item = self.tree.item(item);
        let What::Field { name, field } = &item.what else { return false };
        if self.supergraph.is_in_sets(name) {
            return true;
        }
        let declared = self.supergraph.schema[*field].r#type.base;
        let mut fields = self
            .supergraph
            .members(&item.types)
            .filter_map(|object| self.supergraph.schema.find_field(object, name));
        fields.any(|field| {
            let owners = &self.supergraph.field_owners(field).subgraphs;
            owners.iter().any(|own| own.r#type.base != declared)
        })
    }

    fn collect(
        &mut self,
        set: SelectionSetId,
        types: &TypeSet,
        groups: &mut Vec<Group<'o>>,
    ) -> Result<(), TooMuch> {
        let operation = self.operation;
        for selection in &operation.selection_set(set).selections {
            self.left = self.left.checked_sub(1).ok_or(TooMuch)?;
            match selection {
                Selection::Field(field) => {
                    if does_condition_hold(&field.conditions, self.steering) {
                        self.occur(field, types, groups);
                    }
                }
                Selection::Fragment { conditions, on, selection_set } => {
                    if !does_condition_hold(conditions, self.steering) {
                        continue;
                    }
                    let on = self.supergraph.api.r#type(*on);
                    let narrowed = types.intersection(self.supergraph.possible(on));
                    if !narrowed.is_empty() {
                        self.collect(*selection_set, &narrowed, groups)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn occur(&self, selection: &'o FieldSelection, types: &TypeSet, groups: &mut Vec<Group<'o>>) {
        let what = match selection.field {
            FieldRef::Typename => What::Typename,
            FieldRef::Introspection => What::Introspection,
            FieldRef::Field(field) => {
                let field = self.supergraph.api.field(field);
                What::Field { name: self.name(field), field }
            }
        };
        let arguments =
            Arguments::of_operation(&self.supergraph.api.schema, &selection.arguments, &self.names);
        let occurrence = (types.clone(), selection.selection_set);
        let same = groups.iter_mut().find(|group| {
            group.key == &*selection.response_name
                && is_same(&group.what, &what)
                && group.arguments == arguments
        });
        match same {
            Some(group) => group.occurrences.push(occurrence),
            None => groups.push(Group {
                key: &selection.response_name,
                what,
                arguments,
                occurrences: vec![occurrence],
                selection,
            }),
        }
    }

    fn name(&self, field: FieldId) -> Arc<str> {
        self.supergraph.schema[field].name.clone()
    }

    fn child(&self, field: FieldId) -> Option<TypeId> {
        let base = self.supergraph.schema[field].r#type.base;
        self.supergraph.is_composite(base).then_some(base)
    }

    /// Makes the items of a group: one, if all its types are asked the same of its objects.
    fn add(&mut self, position: PositionId, group: &Group<'o>) -> Result<(), TooMuch> {
        let is_composite = group.occurrences.iter().any(|(_, set)| set.is_some());
        if !is_composite {
            let mut types = group.occurrences[0].0.clone();
            group.occurrences.iter().for_each(|(more, _)| types.unite(more));
            self.item(position, group, types);
            return Ok(());
        }
        for (object, types, sets) in self.parts(position, group) {
            // What the objects' own type says is at least what an interface says.
            let What::Field { name, field } = &group.what else { continue };
            let own = self.supergraph.schema.find_field(object, name).unwrap_or(*field);
            let Some(child) = self.child(own) else { continue };
            let item = self.item(position, group, types);
            let below = self.tree.add_position(self.supergraph, child, Some(item));
            self.tree.items[item.index()].child = Some(below);
            self.position(below, &sets)?;
        }
        Ok(())
    }

    /// The types of a group, apart where they are asked different things of its objects, and where
    /// these come by different ways.
    fn parts(
        &self,
        position: PositionId,
        group: &Group<'_>,
    ) -> Vec<(TypeId, TypeSet, Vec<SelectionSetId>)> {
        let classes = self.tree.position(position).classes.iter();
        let parts = classes.filter_map(|class| {
            let asked = group
                .occurrences
                .iter()
                .filter(|(types, _)| self.supergraph.contains(types, class.representative));
            let asked: Vec<_> = asked.collect();
            let sets = asked.iter().filter_map(|(_, set)| *set).collect();
            (!asked.is_empty()).then(|| (class.representative, class.types.clone(), sets))
        });
        parts.collect()
    }

    fn item(&mut self, position: PositionId, group: &Group<'_>, types: TypeSet) -> super::ItemId {
        self.tree.add_item(Item {
            position,
            key: group.key.into(),
            what: group.what.clone(),
            types,
            arguments: group.arguments.clone(),
            child: None,
            is_visible: true,
            location: group.selection.location,
        })
    }
}

/// Whether two selections ask for the same: of different types, fields of one name.
pub(super) fn is_same(one: &What, other: &What) -> bool {
    match (one, other) {
        (What::Field { name, .. }, What::Field { name: other, .. }) => name == other,
        (What::Typename, What::Typename) | (What::Introspection, What::Introspection) => true,
        (What::Field { .. } | What::Typename | What::Introspection, _) => false,
    }
}
