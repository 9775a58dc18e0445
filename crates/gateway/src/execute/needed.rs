//! Where something hidden is needed, for an error that happened there.

use crate::outline::{ItemId, PositionId};
use crate::plan::{Form, Plan, Selection};

/// Hidden values are needed for others that are hidden, no further than this.
const MOST_STEPS: usize = 8;

/// The item that clients see, at the position of an item, and that is not there if this one is not:
/// itself, or the first that is found with a representation which says it.
pub(super) fn needed_by(plan: &Plan, item: ItemId) -> Option<ItemId> {
    let mut current = item;
    for _ in 0..MOST_STEPS {
        if plan.tree.item(current).is_visible {
            return Some(current);
        }
        let position = plan.tree.item(current).position;
        let first = wanted_with(plan, position, current)?;
        let shown = first.iter().copied().find(|item| plan.tree.item(*item).is_visible);
        current = shown.or_else(|| first.first().copied())?;
    }
    None
}

/// What is asked with representations that say an item.
fn wanted_with(plan: &Plan, position: PositionId, item: ItemId) -> Option<Vec<ItemId>> {
    let lists = plan.fetches.iter().flat_map(|fetch| &fetch.entities);
    let mut entries = lists.flat_map(|list| &list.entries);
    let entry = entries.find(|entry| entry.position == position && says(&entry.form, item))?;
    let fields = |selection: &Selection| -> Vec<ItemId> {
        let own = selection.fragments.iter().flat_map(|(_, own)| &own.fields);
        selection.fields.iter().chain(own).map(|asked| asked.item).collect()
    };
    Some(entry.selections.iter().flat_map(|(_, selection)| fields(selection)).collect())
}

/// Whether a representation says an item. Recursion is bounded by the nesting of field sets.
fn says(form: &Form, item: ItemId) -> bool {
    form.members
        .iter()
        .any(|member| member.item == item || member.below.iter().any(|(_, form)| says(form, item)))
}
