//! Reuse: which earlier fetches of a plan read the data that a later one would fetch again.
//!
//! Data is reused only from the same subgraph and for the same arguments, since values could differ
//! otherwise. A field with `@requires` is reused only if its inputs were sent, and the compared
//! representations contain them.
//!
//! With many equal selections each could provide for each other one. So the providers of a
//! selection are stored once for all its consumers, and their number is limited.

use graphql::schema::TypeId;
use rustc_hash::FxHashMap;

use super::entries::name_of;
use super::form::form;
use super::select::describe;
use super::{Entry, Fetch, FetchId, Form, SelectedField, Selection};
use crate::outline::{ItemId, PositionId, Tree};
use supergraph::{FieldSetId, SubgraphId, Supergraph};

/// Maximum number of reusable values in a plan. Beyond it data may be fetched twice.
const MAX_VALUES: usize = 20_000;

/// Values that one fetch of a plan reads and a later one would fetch again.
#[derive(Clone, Debug, Default)]
pub struct Reusable {
    /// Representation forms of objects with reusable values.
    pub forms: Vec<Form>,
    pub known: Vec<ReusableSelection>,
}

/// All providers of the same selection on one type.
#[derive(Clone, Debug)]
pub struct ReusableSelection {
    pub object: TypeId,
    /// In the order of the levels of their fetches.
    pub providers: Vec<Provider>,
}

/// A selection of a fetch whose data can be reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    pub fetch: FetchId,
    /// Position of its objects.
    pub position: PositionId,
    /// Index of their representation form in [`Reusable::forms`].
    pub form: u32,
    /// Items of the values, in the order of [`Reuse::values`].
    pub values: Box<[ItemTree]>,
}

/// Values of one type in an entry that earlier fetches may have read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Index in [`Reusable::known`].
    pub known: u32,
    /// Number of its providers whose level is not later than the entry's own.
    pub providers: u32,
    pub values: Box<[ItemTree]>,
}

/// An item with the items below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemTree {
    pub item: ItemId,
    pub below: Box<[ItemTree]>,
}

impl Reusable {
    /// Returns the providers of an entry's values, with the type of their objects. They may include
    /// the entry's own fetch, which is not complete yet.
    pub fn providers(&self, reuse: &Reuse) -> impl Iterator<Item = (TypeId, &Provider)> {
        let known = self.known.get(reuse.known as usize);
        known.into_iter().flat_map(|known| {
            let earlier = known.providers.iter().take(reuse.providers as usize);
            earlier.map(|provider| (known.object, provider))
        })
    }

    /// Returns the representation form of a provider's objects.
    #[must_use]
    pub fn form(&self, provider: &Provider) -> Option<&Form> {
        self.forms.get(provider.form as usize)
    }
}

/// Finds the reusable values of all entries of a plan.
pub(super) fn add_reuse(supergraph: &Supergraph, tree: &Tree, fetches: &mut [Fetch]) -> Reusable {
    let mut finding = ReuseFinder {
        reads: reads(supergraph, tree, fetches),
        supergraph,
        tree,
        fetches,
        reusable: Reusable::default(),
        forms: FxHashMap::default(),
        known: FxHashMap::default(),
        left: MAX_VALUES,
    };
    let mut found = Vec::new();
    for (place, fetch) in finding.fetches.iter().enumerate() {
        for (list, entities) in fetch.entities.iter().enumerate() {
            // Lists with contexts have other inputs.
            if !entities.contexts.is_empty() {
                continue;
            }
            for (entry, own) in entities.entries.iter().enumerate() {
                let reuse = finding.reuse(FetchId::new(place), own);
                if !reuse.is_empty() {
                    found.push((place, list, entry, reuse));
                }
            }
        }
    }
    let reusable = finding.reusable;
    for (place, list, entry, reuse) in found {
        fetches[place].entities[list].entries[entry].reuse = reuse;
    }
    reusable
}

/// A selection of a fetch, with its position.
struct Read<'r> {
    fetch: FetchId,
    position: PositionId,
    selection: &'r Selection,
}

/// Returns all selections of a subgraph, in the order of the levels of the fetches.
fn reads<'r>(
    supergraph: &Supergraph,
    tree: &Tree,
    fetches: &'r [Fetch],
) -> FxHashMap<SubgraphId, Vec<Read<'r>>> {
    let mut all: FxHashMap<SubgraphId, Vec<Read<'r>>> = FxHashMap::default();
    for (place, fetch) in fetches.iter().enumerate() {
        let id = FetchId::new(place);
        let own = all.entry(fetch.subgraph).or_default();
        if let Some(root) = &fetch.root {
            below(tree, id, &root.selection, own);
        }
        for entry in fetch.entities.iter().flat_map(|list| &list.entries) {
            for (base, selection) in &entry.selections {
                if supergraph.is_object(*base) {
                    own.push(Read { fetch: id, position: entry.position, selection });
                }
                below(tree, id, selection, own);
            }
        }
    }
    for own in all.values_mut() {
        own.sort_by_key(|read| fetches[read.fetch.index()].level);
    }
    all
}

/// Recursion is bounded by the depth of the selection.
fn below<'r>(tree: &Tree, fetch: FetchId, selection: &'r Selection, all: &mut Vec<Read<'r>>) {
    let fragments = selection.fragments.iter().flat_map(|(_, selection)| &selection.fields);
    for selected in selection.fields.iter().chain(fragments) {
        // Fields with context arguments are not reused.
        if !selected.context_arguments.is_empty() {
            continue;
        }
        if let (Some(position), Some(selection)) = (tree.item(selected.item).child, &selected.below)
        {
            all.push(Read { fetch, position, selection });
            below(tree, fetch, selection, all);
        }
    }
}

/// Key of a consumed selection: subgraph, type, keys, required field sets, the printed selection,
/// and the number of members of the representation.
type ConsumerKey<'e> = (SubgraphId, TypeId, &'e [FieldSetId], &'e [FieldSetId], String, usize);

/// Key of a representation form: position, type and field sets.
type FormKey<'e> = (PositionId, TypeId, &'e [FieldSetId], &'e [FieldSetId]);

struct ReuseFinder<'f> {
    supergraph: &'f Supergraph,
    tree: &'f Tree,
    fetches: &'f [Fetch],
    reads: FxHashMap<SubgraphId, Vec<Read<'f>>>,
    reusable: Reusable,
    /// Index of each form.
    forms: FxHashMap<FormKey<'f>, u32>,
    /// Index of each entry of `known`.
    known: FxHashMap<ConsumerKey<'f>, u32>,
    /// Number of values that may still be added.
    left: usize,
}

impl<'f> ReuseFinder<'f> {
    fn reuse(&mut self, own: FetchId, entry: &'f Entry) -> Vec<Reuse> {
        let fetch = &self.fetches[own.index()];
        let mut all = Vec::new();
        // Entities fetched as interface objects have no type to look them up by.
        let own_types =
            entry.selections.iter().filter(|(base, _)| self.supergraph.is_object(*base));
        let own_types: Vec<_> = own_types.filter(|_| entry.on.is_none()).collect();
        for (object, selection) in own_types {
            if !self.is_read_before(own, fetch) {
                continue;
            }
            let known = self.known(fetch.subgraph, *object, entry, selection);
            let level_of = |provider: &Provider| self.fetches[provider.fetch.index()].level;
            let providers = &self.reusable.known[known as usize].providers;
            let earlier = providers.partition_point(|other| level_of(other) <= fetch.level);
            if providers[..earlier].iter().any(|provider| provider.fetch != own) {
                let matcher = SelectionMatcher { supergraph: self.supergraph, tree: self.tree };
                let values = matcher.own(*object, selection);
                all.push(Reuse { known, providers: narrow(earlier), values });
            }
        }
        all
    }

    /// Whether another fetch of the subgraph has no later level.
    fn is_read_before(&self, own: FetchId, fetch: &Fetch) -> bool {
        let mut others = self.fetches.iter().enumerate();
        others.any(|(place, other)| {
            place != own.index() && other.subgraph == fetch.subgraph && other.level <= fetch.level
        })
    }

    /// Adds the providers of an entry's values and returns their index.
    fn known(
        &mut self,
        subgraph: SubgraphId,
        object: TypeId,
        entry: &'f Entry,
        selection: &Selection,
    ) -> u32 {
        let mut text = String::new();
        describe(self.supergraph, self.tree, selection, &mut text);
        let members = entry.form.members.len();
        let wish = (subgraph, object, &*entry.keys, &*entry.inputs, text, members);
        if let Some(known) = self.known.get(&wish) {
            return *known;
        }
        let mut providers = Vec::new();
        let reads = self.reads.remove(&subgraph).unwrap_or_default();
        for read in &reads {
            if self.left == 0 {
                break;
            }
            providers.extend(self.provider(object, entry, selection, read));
        }
        self.reads.insert(subgraph, reads);
        providers.shrink_to_fit();
        let place = narrow(self.reusable.known.len());
        self.reusable.known.push(ReusableSelection { object, providers });
        self.known.insert(wish, place);
        place
    }

    fn provider(
        &mut self,
        object: TypeId,
        entry: &'f Entry,
        selection: &Selection,
        read: &Read<'_>,
    ) -> Option<Provider> {
        let position = self.tree.position(read.position);
        if !self.supergraph.contains(&position.possible, object) {
            return None;
        }
        let mut classes = position.classes.iter();
        let class = classes.find(|class| self.supergraph.contains(&class.types, object))?;
        let matcher = SelectionMatcher { supergraph: self.supergraph, tree: self.tree };
        let mut number = 0;
        let values = matcher.values(object, selection, read.selection, &mut number)?;
        let form = self.form(read.position, class.representative, entry);
        // All members of the representation must be known there, too.
        let members = self.reusable.forms[form as usize].members.len();
        if members != entry.form.members.len() {
            return None;
        }
        self.left = self.left.saturating_sub(number.max(1));
        Some(Provider { fetch: read.fetch, position: read.position, form, values })
    }

    /// Returns the index of the form for objects of an entry at a position.
    fn form(&mut self, position: PositionId, object: TypeId, entry: &'f Entry) -> u32 {
        let key = (position, object, &*entry.keys, &*entry.inputs);
        let forms = &mut self.reusable.forms;
        *self.forms.entry(key).or_insert_with(|| {
            let (supergraph, tree) = (self.supergraph, self.tree);
            forms.push(form(supergraph, tree, position, object, &entry.keys, &entry.inputs));
            narrow(forms.len() - 1)
        })
    }
}

/// The number of values and positions is limited far below.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

struct SelectionMatcher<'w> {
    supergraph: &'w Supergraph,
    tree: &'w Tree,
}

impl SelectionMatcher<'_> {
    /// Returns the fields selected on objects of a type.
    fn fields_of<'s>(
        &self,
        object: TypeId,
        selection: &'s Selection,
    ) -> impl Iterator<Item = &'s SelectedField> + use<'s> {
        let own = selection.fragments.iter().filter(move |(on, _)| *on == object);
        selection.fields.iter().chain(own.flat_map(|(_, selection)| &selection.fields))
    }

    /// Returns the items that a selection has for a type, in its order. Recursion is bounded by the
    /// depth of the selection.
    fn own(&self, object: TypeId, selection: &Selection) -> Box<[ItemTree]> {
        let values = self.fields_of(object, selection).map(|selected| {
            let child = self.tree.item(selected.item).child;
            let below = match (&selected.below, child) {
                (Some(below), Some(child)) => self.own(self.tree.position(child).r#type, below),
                (None, _) | (_, None) => Box::default(),
            };
            ItemTree { item: selected.item, below }
        });
        values.collect()
    }

    /// Matches the fields of one selection in another: returns its items in the order of the first,
    /// and adds their number; `None` if a field is missing. Recursion is bounded by the depth of
    /// the selection.
    fn values(
        &self,
        object: TypeId,
        to: &Selection,
        from: &Selection,
        number: &mut usize,
    ) -> Option<Box<[ItemTree]>> {
        let values = self.fields_of(object, to).map(|selected| {
            let item = self.tree.item(selected.item);
            if !selected.context_arguments.is_empty() {
                return None;
            }
            let same = self.fields_of(object, from).find(|other| {
                let other_item = self.tree.item(other.item);
                name_of(&other_item.kind) == name_of(&item.kind)
                    && other_item.arguments == item.arguments
                    && other.context_arguments.is_empty()
            })?;
            let below = match (&selected.below, &same.below) {
                (None, None) => Box::default(),
                (Some(to), Some(from)) => self.values_below(selected, to, from, number)?,
                (None, Some(_)) | (Some(_), None) => return None,
            };
            *number += 1;
            Some(ItemTree { item: same.item, below })
        });
        values.collect()
    }

    /// Matches the selections below a field. Only for object types: abstract types have selections
    /// by type.
    fn values_below(
        &self,
        selected: &SelectedField,
        to: &Selection,
        from: &Selection,
        number: &mut usize,
    ) -> Option<Box<[ItemTree]>> {
        let child = self.tree.item(selected.item).child?;
        let r#type = self.tree.position(child).r#type;
        if !self.supergraph.is_object(r#type) {
            return None;
        }
        self.values(r#type, to, from, number)
    }
}
