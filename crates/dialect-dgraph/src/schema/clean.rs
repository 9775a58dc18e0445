//! Inputs without members: they are removed, with everything that refers to them.

use rustc_hash::FxHashSet;

use super::section::{Draft, Section};
use crate::model::Model;
use api::draft::{DraftField, DraftKind, base};

/// Removes inputs of values that have no members, and changes that would have no values.
pub(super) fn clean(draft: &mut Draft, mutations: &mut Vec<DraftField>, model: &Model) {
    let updates: FxHashSet<String> = model
        .types
        .iter()
        .filter(|known| !known.is_remote)
        .map(|known| format!("Update{}Input", known.name))
        .collect();
    loop {
        let names = draft.types().iter().map(|known| known.name.clone());
        let names: FxHashSet<Box<str>> = names.collect();
        let mut is_changed = false;
        draft.retain(|known| {
            let (Section::Inputs, DraftKind::Input { members, .. }) =
                (known.section, &mut known.kind)
            else {
                return true;
            };
            let count = members.len();
            members.retain(|member| names.contains(base(&member.r#type)));
            is_changed |= members.len() != count;
            // An update without values only has its filter.
            let is_kept = match updates.contains(&*known.name) {
                true => members.len() > 1,
                false => !members.is_empty(),
            };
            is_changed |= !is_kept;
            is_kept
        });
        if !is_changed {
            break;
        }
    }
    mutations.retain(|mutation| {
        let arguments = mutation.arguments.iter();
        let mut types = arguments.map(|argument| base(&argument.r#type));
        types.all(|r#type| draft.has(r#type))
    });
}
