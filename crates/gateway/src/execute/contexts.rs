//! Context arguments (`@fromContext`): values of enclosing objects that are sent with a fetch.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::arena::{Arena, Cell, ObjectId};
use super::represent::{Owner, Representations, Unrepresentable, write_cell};
use crate::plan::{Context, Document, Entities, Form};
use crate::planner::ContextId;
use supergraph::Supergraph;

/// Representations with the context values they share, as JSON in the order of the list's contexts.
pub(super) type WithContexts = (Values, Representations);

/// Context values as JSON.
pub(super) type Values = Vec<Box<[u8]>>;

/// Splits the representations of a list into groups with equal context values. Objects without a
/// value are added to `unrepresented`.
pub(super) fn group_by_contexts(
    resolver: ContextResolver<'_>,
    list: &Entities,
    all: Representations,
    unrepresented: &mut Vec<Owner>,
) -> Vec<WithContexts> {
    if list.contexts.is_empty() {
        return vec![(Vec::new(), all)];
    }
    let mut groups: Vec<(Values, Vec<(u32, Owner)>)> = Vec::new();
    let mut known: FxHashMap<Values, usize> = FxHashMap::default();
    for text in all.left.iter().copied() {
        for owner in all.owners(text) {
            let values = list.contexts.iter().map(|context| resolver.value(*context, owner.object));
            match values.collect::<Result<Vec<_>, _>>() {
                Ok(context_values) => {
                    let next = groups.len();
                    let group = *known.entry(context_values.clone()).or_insert(next);
                    if group == next {
                        groups.push((context_values, Vec::new()));
                    }
                    groups[group].1.push((text, *owner));
                }
                Err(
                    Unrepresentable::NoKey
                    | Unrepresentable::Null(..)
                    | Unrepresentable::Unknown(..)
                    | Unrepresentable::Failed(..),
                ) => unrepresented.push(*owner),
            }
        }
    }
    groups.into_iter().map(|(context_values, owners)| (context_values, all.part(&owners))).collect()
}

/// Resolves contexts.
#[derive(Clone, Copy)]
pub(super) struct ContextResolver<'t> {
    pub(super) supergraph: &'t Supergraph,
    pub(super) contexts: &'t [Context],
    pub(super) arena: &'t Arena,
}

impl ContextResolver<'_> {
    /// Returns the value of the nearest enclosing object that sets the context.
    pub(super) fn value(
        &self,
        context: ContextId,
        object: ObjectId,
    ) -> Result<Box<[u8]>, Unrepresentable> {
        let context = self.contexts.get(context.index()).ok_or(Unrepresentable::NoKey)?;
        let mut above = Some(object);
        while let Some(id) = above {
            let object = self.arena.object(id);
            let source = context.sources.iter().find(|(position, types, _)| {
                *position == object.position
                    && object.r#type.is_some_and(|own| self.supergraph.contains(types, own))
            });
            if let Some((_, _, form)) = source {
                let mut text = Vec::new();
                self.write(form, id, &mut text)?;
                // Null is not a value for a non-null argument.
                let is_wrong = context.r#type.is_non_null() && text == b"null";
                return if is_wrong { Err(Unrepresentable::NoKey) } else { Ok(text.into()) };
            }
            above = object.parent;
        }
        Err(Unrepresentable::NoKey)
    }

    /// Writes the one value that a form selects of an object. Recursion is bounded by the nesting
    /// of field sets and of lists.
    fn write(
        &self,
        form: &Form,
        object: ObjectId,
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        let member = form.members.first().ok_or(Unrepresentable::NoKey)?;
        let cell = self.arena.cell_of(object, member.item);
        match cell {
            Cell::Null if member.is_non_null => {
                return Err(Unrepresentable::Null(object, member.item));
            }
            Cell::Absent | Cell::Unknown if member.is_non_null => {
                return Err(Unrepresentable::Unknown(object, member.item));
            }
            _ => {}
        }
        let below = |object, text: &mut Vec<u8>| {
            let own = self.arena.object(object).r#type.ok_or(Unrepresentable::NoKey)?;
            let mut forms = member.below.iter();
            match forms.find(|(types, _)| self.supergraph.contains(types, own)) {
                Some((_, form)) if !form.members.is_empty() => self.write(form, object, text),
                // Other types have no value.
                _ => {
                    text.extend_from_slice(b"null");
                    Ok(())
                }
            }
        };
        write_cell(self.arena, (cell, member.item), &below, text)
    }
}

/// Documents that are printed during an execution, for fetches with several groups.
#[derive(Debug, Default)]
pub(super) struct PrintedDocuments(OnceCell<Box<(Document, PrintedDocuments)>>);

impl PrintedDocuments {
    /// Stores a document for the duration of the execution.
    pub(super) fn keep(&self, document: Document) -> &Document {
        let mut last = self;
        while let Some(next) = last.0.get() {
            last = &next.1;
        }
        &last.0.get_or_init(|| Box::new((document, Self::default()))).0
    }
}

impl Drop for PrintedDocuments {
    /// Iterative: there may be many.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut kept) = next {
            next = kept.1.0.take();
        }
    }
}
