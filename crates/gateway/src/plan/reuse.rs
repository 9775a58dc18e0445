//! Which earlier answers of a subgraph say already what a request would ask of it again.
//!
//! Nothing is taken from another subgraph or of other arguments: then the values could differ. A field
//! that requires something is read only where its subgraph was told it, and the representations that
//! are compared say it too.

use graphql::schema::TypeId;

use super::entries::name_of;
use super::form::form;
use super::{Asked, Entry, Fetch, FetchId, Form, Selection};
use crate::outline::{ItemId, PositionId, Tree};
use crate::supergraph::Supergraph;

/// An earlier request that reads what an entry asks, of objects of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    pub provider: FetchId,
    /// Where its objects stand.
    pub position: PositionId,
    pub object: TypeId,
    /// Their representations, as the entry says them.
    pub form: Form,
    pub copies: Vec<Copied>,
}

/// A value that is copied, with all below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    pub from: ItemId,
    pub to: ItemId,
    /// What is copied of its objects.
    pub below: Vec<Copied>,
}

/// A selection of a request, where it stands.
struct Read<'r> {
    fetch: FetchId,
    position: PositionId,
    selection: &'r Selection,
}

/// The earlier requests of each entry of a request.
pub(super) fn reuse(
    supergraph: &Supergraph,
    tree: &Tree,
    fetches: &[Fetch],
    own: FetchId,
    entry: &Entry,
) -> Vec<Reuse> {
    let fetch = &fetches[own.index()];
    let mut all = Vec::new();
    // What is asked of interface objects is of no type that could be found again.
    let own_types = entry.selections.iter().filter(|(base, _)| supergraph.is_object(*base));
    for (object, selection) in own_types.filter(|_| entry.on.is_none()) {
        for (place, other) in fetches.iter().enumerate() {
            let provider = FetchId::new(place);
            if provider == own || other.subgraph != fetch.subgraph || other.level > fetch.level {
                continue;
            }
            for read in reads(supergraph, tree, other, provider) {
                let wanted = Wanted { supergraph, tree, object: *object };
                all.extend(wanted.from(entry, selection, &read));
            }
        }
    }
    all
}

/// Every selection of a request that may read objects of its subgraph.
fn reads<'r>(supergraph: &Supergraph, tree: &Tree, fetch: &'r Fetch, id: FetchId) -> Vec<Read<'r>> {
    let mut all = Vec::new();
    if let Some(root) = &fetch.root {
        below(tree, id, &root.selection, &mut all);
    }
    for entry in fetch.entities.iter().flat_map(|list| &list.entries) {
        for (base, selection) in &entry.selections {
            if supergraph.is_object(*base) {
                all.push(Read { fetch: id, position: entry.position, selection });
            }
            below(tree, id, selection, &mut all);
        }
    }
    all
}

/// Recursion is bounded by the depth of the selection.
fn below<'r>(tree: &Tree, fetch: FetchId, selection: &'r Selection, all: &mut Vec<Read<'r>>) {
    let fragments = selection.fragments.iter().flat_map(|(_, selection)| &selection.fields);
    for asked in selection.fields.iter().chain(fragments) {
        // What a field gives that was told something is not looked for elsewhere.
        if !asked.told.is_empty() {
            continue;
        }
        if let (Some(position), Some(selection)) = (tree.item(asked.item).child, &asked.below) {
            all.push(Read { fetch, position, selection });
            below(tree, fetch, selection, all);
        }
    }
}

struct Wanted<'w> {
    supergraph: &'w Supergraph,
    tree: &'w Tree,
    object: TypeId,
}

impl Wanted<'_> {
    fn from(&self, entry: &Entry, selection: &Selection, read: &Read<'_>) -> Option<Reuse> {
        let is_possible =
            self.supergraph.contains(&self.tree.position(read.position).possible, self.object);
        if !is_possible {
            return None;
        }
        let class = self.tree.position(read.position).classes.iter();
        let mut class = class.filter(|class| self.supergraph.contains(&class.types, self.object));
        let representative = class.next()?.representative;
        let copies = self.copies(self.object, selection, read.selection)?;
        let form = form(
            self.supergraph,
            self.tree,
            read.position,
            representative,
            &entry.keys,
            &entry.inputs,
        );
        // All that a representation says has to be known there, too.
        let is_said = form.members.len() == entry.form.members.len();
        is_said.then_some(Reuse {
            provider: read.fetch,
            position: read.position,
            object: self.object,
            form,
            copies,
        })
    }

    /// What is asked of objects of a type.
    fn fields_of<'s>(
        &self,
        object: TypeId,
        selection: &'s Selection,
    ) -> impl Iterator<Item = &'s Asked> + use<'s> {
        let own = selection.fragments.iter().filter(move |(on, _)| *on == object);
        selection.fields.iter().chain(own.flat_map(|(_, selection)| &selection.fields))
    }

    /// Where each value that one selection asks stands in the other; `None` if one is not there.
    /// Recursion is bounded by the depth of the selection.
    fn copies(&self, object: TypeId, to: &Selection, from: &Selection) -> Option<Vec<Copied>> {
        let copies = self.fields_of(object, to).map(|asked| {
            let item = self.tree.item(asked.item);
            if !asked.told.is_empty() {
                return None;
            }
            let same = self.fields_of(object, from).find(|other| {
                let other_item = self.tree.item(other.item);
                name_of(&other_item.what) == name_of(&item.what)
                    && other_item.arguments == item.arguments
                    && other.told.is_empty()
            })?;
            let below = match (&asked.below, &same.below) {
                (None, None) => Vec::new(),
                (Some(to), Some(from)) => self.copies_below(asked, to, from)?,
                (None, Some(_)) | (Some(_), None) => return None,
            };
            Some(Copied { from: same.item, to: asked.item, below })
        });
        copies.collect()
    }

    /// The same of the objects of a field: only of fields that are of one type, for the others are
    /// asked differently by type.
    fn copies_below(&self, asked: &Asked, to: &Selection, from: &Selection) -> Option<Vec<Copied>> {
        let child = self.tree.item(asked.item).child?;
        let r#type = self.tree.position(child).r#type;
        if !self.supergraph.is_object(r#type) {
            return None;
        }
        self.copies(r#type, to, from)
    }
}
