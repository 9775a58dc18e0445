//! What this request has been answered already, so that it is not asked again.

use graphql::schema::TypeId;

use super::arena::{Arena, Cell, ObjectId};
use super::represent::{Representations, text_of};
use crate::plan::{Copied, Entities, Reuse};
use crate::supergraph::Supergraph;

/// How far the requests of a plan are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Waiting,
    Sent,
    Answered,
    /// Nothing of it is used again: it was answered with an error.
    Tainted,
}

/// What an earlier request could not say.
#[derive(Debug)]
pub(super) enum Left {
    /// These are to be asked.
    Some(Representations),
    /// An earlier request that is on its way may say them.
    Coming,
}

/// Takes what earlier requests were answered out of a list of representations, and gives it to the
/// objects that want it.
pub(super) fn take(
    supergraph: &Supergraph,
    arena: &mut Arena,
    list: &Entities,
    representations: Representations,
    states: &[State],
) -> Left {
    let mut rest = Representations::default();
    let mut found = Vec::new();
    let mut is_coming = false;
    for (text, owners) in representations.texts.into_iter().zip(representations.owners) {
        let mut sources = Vec::with_capacity(owners.len());
        for (entry, object) in &owners {
            for reuse in &list.entries[*entry].reuse {
                match states[reuse.provider.index()] {
                    State::Answered => {
                        let from = find(supergraph, arena, reuse, &text);
                        let from = from.filter(|from| fits(arena, &reuse.copies, *from, *object));
                        if let Some(from) = from {
                            sources.push((reuse, from, *object));
                            break;
                        }
                    }
                    State::Sent => is_coming = true,
                    State::Waiting | State::Tainted => {}
                }
            }
        }
        // What is asked for one of them is told to all.
        if sources.len() == owners.len() {
            found.extend(sources);
        } else {
            rest.texts.push(text);
            rest.owners.push(owners);
        }
    }
    if is_coming && !rest.texts.is_empty() {
        // Looked for again when that has come: what is asked now would come later.
        return Left::Coming;
    }
    for (reuse, from, to) in found {
        for copied in &reuse.copies {
            let cell = arena.cell(from, copied.from);
            let cell = copied_cell(arena, copied, cell, to, &mut Vec::new());
            arena.set(to, copied.to, cell);
        }
    }
    Left::Some(rest)
}

/// An object of an earlier answer that has the same representation.
fn find(supergraph: &Supergraph, arena: &Arena, reuse: &Reuse, text: &[u8]) -> Option<ObjectId> {
    arena.at[reuse.position.index()].iter().copied().find(|object| {
        let is_of: Option<TypeId> = arena.object(*object).r#type;
        is_of == Some(reuse.object)
            && text_of(supergraph, arena, &reuse.form, reuse.object, *object)
                .is_some_and(|own| own == text)
    })
}

/// Whether all that is to be copied is known of one object, and has its place in the other.
fn fits(arena: &Arena, copies: &[Copied], from: ObjectId, to: ObjectId) -> bool {
    copies.iter().all(|copied| {
        let is_there = !matches!(arena.cell(from, copied.from), Cell::Absent | Cell::Failed);
        // Objects that are there already would lose what others say of them.
        let is_free = copied.below.is_empty() || arena.cell(to, copied.to) == Cell::Absent;
        is_there
            && is_free
            && copied.below.iter().all(|below| is_known_below(arena, copied, from, below))
    })
}

/// Whether all objects of a value know another one. Recursion is bounded by the depth of what is
/// copied.
fn is_known_below(arena: &Arena, copied: &Copied, object: ObjectId, below: &Copied) -> bool {
    arena.objects_in(arena.cell(object, copied.from)).into_iter().all(|object| {
        !matches!(arena.cell(object, below.from), Cell::Absent | Cell::Failed)
            && below.below.iter().all(|deeper| is_known_below(arena, below, object, deeper))
    })
}

/// Recursion is bounded by the depth of what is copied.
fn copied_cell(
    arena: &mut Arena,
    copied: &Copied,
    cell: Cell,
    parent: ObjectId,
    indexes: &mut Vec<u32>,
) -> Cell {
    match cell {
        Cell::Absent | Cell::Null | Cell::Failed | Cell::Leaf { .. } => cell,
        Cell::List { start, end } => {
            let cells = arena.list(start, end).to_vec();
            let mut copies = Vec::with_capacity(cells.len());
            for (place, cell) in cells.into_iter().enumerate() {
                indexes.push(u32::try_from(place).unwrap_or(u32::MAX));
                copies.push(copied_cell(arena, copied, cell, parent, indexes));
                indexes.pop();
            }
            arena.add_list(&copies)
        }
        Cell::Object(object) => {
            let Some(position) = arena.child_of(copied.to) else { return Cell::Absent };
            let r#type = arena.object(object).r#type;
            let own = arena.add_object(position, r#type, Some(parent), indexes);
            for below in &copied.below {
                let cell = arena.cell(object, below.from);
                let cell = copied_cell(arena, below, cell, own, &mut Vec::new());
                arena.set(own, below.to, cell);
            }
            Cell::Object(own)
        }
    }
}
