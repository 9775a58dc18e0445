//! Heap size of a selection tree, for the memory limit of the plan cache.

use graphql::heap_size;

use super::{
    Arguments, Class, FieldDirectives, Item, ItemId, ItemKind, OccurrenceDirectives, Position,
    PositionId, Tree,
};

heap_size!(plain PositionId, ItemId);

heap_size!(struct Tree { positions, items, deferred });
heap_size!(struct Position {
    r#type, possible, classes, parent, items, changes, orders,
});
heap_size!(struct Class { representative, types });
heap_size!(struct Item {
    position, key, kind, types, arguments, child, is_visible, is_denied, parts, location,
});
heap_size!(enum ItemKind { Typename, Field { name, field }, Introspection });
heap_size!(struct Arguments { text, variables, directives });
heap_size!(struct FieldDirectives { occurrences, variables });
heap_size!(struct OccurrenceDirectives { fragments, field });

impl Tree {
    /// Frees the spare capacity of vectors.
    pub(crate) fn shrink(&mut self) {
        self.items.shrink_to_fit();
        self.positions.shrink_to_fit();
        self.deferred.shrink_to_fit();
        for position in &mut self.positions {
            position.classes.shrink_to_fit();
            position.items.shrink_to_fit();
            position.orders.shrink_to_fit();
            position.orders.iter_mut().for_each(|(_, items)| items.shrink_to_fit());
        }
    }
}
