//! Hidden items: keys and required fields that a plan needs beside the operation.

use graphql::operation::Location;
use graphql::schema::TypeId;

use super::visible::is_same;
use super::{Arguments, Item, ItemId, ItemKind, Parts, PositionId, Tree};
use supergraph::{FieldSetId, SetSelection, Supergraph, TypeSet};

/// Maximum nesting of hidden positions: keys can be circular.
const MAX_HIDDEN: usize = 8;

impl Tree {
    /// Adds hidden items for a field set of the objects of one type, and returns those at this
    /// position; `None` if the nesting is too deep.
    pub(crate) fn add_field_set(
        &mut self,
        supergraph: &Supergraph,
        position: PositionId,
        object: TypeId,
        set: FieldSetId,
    ) -> Option<Vec<ItemId>> {
        let mut items = Vec::new();
        self.add_nested_field_set(supergraph, position, object, set, &mut items)?;
        Some(items)
    }

    /// Recursion is bounded by the nesting of field sets, which is limited when the supergraph is
    /// read.
    fn add_nested_field_set(
        &mut self,
        supergraph: &Supergraph,
        position: PositionId,
        object: TypeId,
        set: FieldSetId,
        items: &mut Vec<ItemId>,
    ) -> Option<()> {
        for selection in &supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {
                    items.push(self.add_hidden(
                        supergraph,
                        position,
                        object,
                        ItemKind::Typename,
                        Arguments::default(),
                    )?);
                }
                SetSelection::On(set) => {
                    let on = supergraph.field_set(*set).parent;
                    if supergraph.contains(supergraph.possible(on), object) {
                        self.add_nested_field_set(supergraph, position, object, *set, items)?;
                    }
                }
                SetSelection::Field { field, arguments, set } => {
                    let name = supergraph.schema[*field].name.clone();
                    let arguments = Arguments::of_set(arguments);
                    let kind = ItemKind::Field { name, field: *field };
                    let item = self.add_hidden(supergraph, position, object, kind, arguments)?;
                    items.push(item);
                    let (Some(child), Some(set)) = (self.item(item).child, *set) else { continue };
                    let classes = self.position(child).classes.clone();
                    for below in classes.iter().map(|class| class.representative) {
                        // Items below are found again where they are needed.
                        self.add_nested_field_set(supergraph, child, below, set, &mut Vec::new())?;
                    }
                }
            }
        }
        Some(())
    }

    /// Returns an item for a field of the objects of a type; adds a hidden one if there is none.
    pub(crate) fn add_hidden(
        &mut self,
        supergraph: &Supergraph,
        position: PositionId,
        object: TypeId,
        kind: ItemKind,
        arguments: Arguments,
    ) -> Option<ItemId> {
        let known = self.find(supergraph, position, object, &kind, &arguments);
        if known.is_some() {
            return known;
        }
        let child = match &kind {
            ItemKind::Field { field, .. } => {
                let base = supergraph.schema[*field].r#type.base;
                supergraph.is_composite(base).then_some(base)
            }
            ItemKind::Typename | ItemKind::Introspection => None,
        };
        let types = self.class(position, object)?.clone();
        // Types with equal leaf selections share an item. Objects do not, since selections are
        // added below them later.
        let alike = self.position(position).items.iter().copied().find(|id| {
            let item = self.item(*id);
            !item.is_visible
                && child.is_none()
                && item.child.is_none()
                && is_same(&item.kind, &kind)
                && item.arguments == arguments
        });
        if let Some(alike) = alike {
            self.items[alike.index()].types.unite(&types);
            self.positions[position.index()].changes += 1;
            return Some(alike);
        }
        if child.is_some() && self.hidden_depth(position) >= MAX_HIDDEN {
            return None;
        }
        Some(self.hidden_item(supergraph, position, kind, arguments, types, child))
    }

    /// Finds the item for a field of the objects of a type, whichever fetch reads it.
    pub(crate) fn find(
        &self,
        supergraph: &Supergraph,
        position: PositionId,
        object: TypeId,
        kind: &ItemKind,
        arguments: &Arguments,
    ) -> Option<ItemId> {
        self.position(position).items.iter().copied().find(|id| {
            let item = self.item(*id);
            !item.is_denied
                && is_same(&item.kind, kind)
                && item.arguments == *arguments
                && supergraph.contains(&item.types, object)
                && !self.needs_runtime_type(supergraph, item, object)
        })
    }

    /// Whether an item cannot be used to reach objects of a type: it is selected on some types
    /// only, so that the runtime type must be known first, and some subgraph does not return it.
    fn needs_runtime_type(&self, supergraph: &Supergraph, item: &Item, object: TypeId) -> bool {
        if !item.is_visible || !matches!(item.kind, ItemKind::Field { .. }) {
            return false;
        }
        let possible = &self.position(item.position).possible;
        !possible.is_subset(&item.types) && supergraph.is_known_as_interface_object(object)
    }

    fn hidden_item(
        &mut self,
        supergraph: &Supergraph,
        position: PositionId,
        kind: ItemKind,
        arguments: Arguments,
        types: TypeSet,
        child: Option<TypeId>,
    ) -> ItemId {
        let key = match &kind {
            ItemKind::Field { name, .. } => (&**name).into(),
            ItemKind::Typename | ItemKind::Introspection => "__typename".into(),
        };
        let item = self.add_item(Item {
            position,
            key,
            kind,
            types,
            arguments,
            child: None,
            is_visible: false,
            is_denied: false,
            parts: Parts::NONE,
            location: Location::default(),
        });
        if let Some(child) = child {
            let below = self.add_position(supergraph, child, Some(item));
            self.items[item.index()].child = Some(below);
        }
        item
    }
}
