//! What subgraphs are told of the objects above those that they are asked for.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::arena::{Arena, Cell, ObjectId};
use super::represent::{Owner, Representations, Unsaid, say};
use crate::plan::{Context, Document, Entities, Form};
use crate::planner::ContextId;
use crate::supergraph::Supergraph;

/// Representations that are asked for at once, with what the subgraph is told beside them: values as
/// JSON, in the order of the list's.
pub(super) type Told = (Values, Representations);

/// What is told, as JSON.
pub(super) type Values = Vec<Box<[u8]>>;

/// The representations of a list, apart where the objects above say different things. Objects of which
/// it cannot be told are added to `unsaid`.
pub(super) fn apart(
    telling: Telling<'_>,
    list: &Entities,
    all: Representations,
    unsaid: &mut Vec<Owner>,
) -> Vec<Told> {
    if list.told.is_empty() {
        return vec![(Vec::new(), all)];
    }
    let mut groups: Vec<(Values, Vec<(u32, Owner)>)> = Vec::new();
    let mut known: FxHashMap<Values, usize> = FxHashMap::default();
    for text in all.left.iter().copied() {
        for owner in all.owners(text) {
            let values = list.told.iter().map(|told| telling.value(*told, owner.object));
            match values.collect::<Result<Vec<_>, _>>() {
                Ok(told) => {
                    let next = groups.len();
                    let group = *known.entry(told.clone()).or_insert(next);
                    if group == next {
                        groups.push((told, Vec::new()));
                    }
                    groups[group].1.push((text, *owner));
                }
                Err(
                    Unsaid::NoKey | Unsaid::Null(..) | Unsaid::Unknown(..) | Unsaid::Failed(..),
                ) => unsaid.push(*owner),
            }
        }
    }
    groups.into_iter().map(|(told, owners)| (told, all.part(&owners))).collect()
}

/// Says what objects above others say.
#[derive(Clone, Copy)]
pub(super) struct Telling<'t> {
    pub(super) supergraph: &'t Supergraph,
    pub(super) contexts: &'t [Context],
    pub(super) arena: &'t Arena,
}

impl Telling<'_> {
    /// What the nearest object says that says something.
    pub(super) fn value(&self, context: ContextId, object: ObjectId) -> Result<Box<[u8]>, Unsaid> {
        let context = self.contexts.get(context.index()).ok_or(Unsaid::NoKey)?;
        let mut above = Some(object);
        while let Some(id) = above {
            let object = self.arena.object(id);
            let source = context.sources.iter().find(|(position, types, _)| {
                *position == object.position
                    && object.r#type.is_some_and(|own| self.supergraph.contains(types, own))
            });
            if let Some((_, _, form)) = source {
                let mut text = Vec::new();
                self.said(form, id, &mut text)?;
                // Null is not told where it may not be.
                let is_wrong = context.r#type.is_non_null() && text == b"null";
                return if is_wrong { Err(Unsaid::NoKey) } else { Ok(text.into()) };
            }
            above = object.parent;
        }
        Err(Unsaid::NoKey)
    }

    /// The one value that a form says of an object. Recursion is bounded by the nesting of field sets
    /// and of lists.
    fn said(&self, form: &Form, object: ObjectId, text: &mut Vec<u8>) -> Result<(), Unsaid> {
        let member = form.members.first().ok_or(Unsaid::NoKey)?;
        let cell = self.arena.cell_of(object, member.item);
        match cell {
            Cell::Null if member.is_non_null => return Err(Unsaid::Null(object, member.item)),
            Cell::Absent | Cell::Unknown if member.is_non_null => {
                return Err(Unsaid::Unknown(object, member.item));
            }
            _ => {}
        }
        let below = |object, text: &mut Vec<u8>| {
            let own = self.arena.object(object).r#type.ok_or(Unsaid::NoKey)?;
            let mut forms = member.below.iter();
            match forms.find(|(types, _)| self.supergraph.contains(types, own)) {
                Some((_, form)) if !form.members.is_empty() => self.said(form, object, text),
                // Of objects of other types nothing is said.
                _ => {
                    text.extend_from_slice(b"null");
                    Ok(())
                }
            }
        };
        say(self.arena, (cell, member.item), &below, text)
    }
}

/// Documents that were printed while a plan is run: those that ask for one list several times.
#[derive(Debug, Default)]
pub(super) struct Printed(OnceCell<Box<(Document, Printed)>>);

impl Printed {
    /// Keeps a document as long as the run lasts.
    pub(super) fn keep(&self, document: Document) -> &Document {
        let mut last = self;
        while let Some(next) = last.0.get() {
            last = &next.1;
        }
        &last.0.get_or_init(|| Box::new((document, Self::default()))).0
    }
}

impl Drop for Printed {
    /// One after the other: there may be many.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut kept) = next {
            next = kept.1.0.take();
        }
    }
}
