//! Reduced fetches: entities that lack some inputs are fetched without the fields that require
//! these.
//!
//! A representation contains the inputs of all fields of a fetch: the key, and the `@requires`
//! fields of each. If some of these failed, the fields that do not require them are fetched by a
//! separate list in the same request; the other fields fail with the same error.

use graphql::schema::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Inputs;
use super::arena::{Arena, Cell, ObjectId};
use super::cause::{Cause, CauseId, Scope};
use super::contexts::ContextResolver;
use super::errors::{ErrorKind, Errors};
use super::map_errors::typename_at;
use super::represent::{
    Owner, RepresentationWriter, Representations, TypeName, Unrepresentable, Unrepresented,
    representations_of, type_name,
};
use crate::outline::ItemId;
use crate::plan::{
    Entities, Entry, Form, Read, Selection, Shape, Value, contexts_of, form, name_of as field_name,
};
use crate::planner::ContextId;
use supergraph::{FieldSetId, SubgraphId};

/// A reduced list of entities with its representations.
pub(super) type Reduced = (Entities, Representations);

/// Returns reduced lists for entities that lack some inputs, and records the causes of the fields
/// that cannot be fetched.
#[cold]
pub(super) fn reduce(
    inputs: Inputs<'_>,
    (arena, errors): (&mut Arena, &mut Errors),
    (subgraph, list): (SubgraphId, &Entities),
    owners: &[Owner],
) -> Vec<Reduced> {
    let mut reducer =
        Reducer { inputs, arena, errors, subgraph, list, forms: FxHashMap::default() };
    let mut groups: Vec<(Remaining, Vec<ObjectId>)> = Vec::new();
    let mut known: FxHashMap<Remaining, usize> = FxHashMap::default();
    for owner in owners {
        let Some(left) = reducer.left(*owner) else { continue };
        let place = *known.entry(left.clone()).or_insert_with(|| {
            groups.push((left, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(owner.object);
    }
    groups.iter().filter_map(|(left, objects)| reducer.entities(left, objects)).collect()
}

/// Marks the fields of objects without a key as unknown: no such entity can be fetched.
#[cold]
pub(super) fn mark_unknown(arena: &mut Arena, list: &Entities, owners: &[Owner]) {
    for Owner { entry, object } in owners {
        let own = arena.object(*object).r#type;
        for (_, shape) in list.shapes(*entry, own) {
            for read in shape.reads_of(own) {
                if arena.cell(*object, read.slot) == Cell::Absent {
                    arena.set(*object, read.slot, Cell::Unknown);
                }
            }
        }
    }
}

/// Remaining part of a fetch for one object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Remaining {
    entry: u32,
    /// Available keys and inputs.
    keys: Vec<FieldSetId>,
    inputs: Vec<FieldSetId>,
    /// Contexts without a value.
    missing_contexts: Vec<ContextId>,
}

/// Inputs that are not available, each with the cause to report, if there is one.
#[derive(Debug, Default)]
struct Unavailable {
    inputs: Vec<(FieldSetId, Option<CauseId>)>,
    missing_contexts: Vec<(ContextId, Option<CauseId>)>,
}

/// Inputs of a field beside the key.
#[derive(Debug)]
struct FieldInputs {
    item: ItemId,
    requires: Option<FieldSetId>,
    contexts: Vec<ContextId>,
}

struct Reducer<'r> {
    inputs: Inputs<'r>,
    arena: &'r mut Arena,
    errors: &'r mut Errors,
    subgraph: SubgraphId,
    list: &'r Entities,
    /// Representation form of a single field set for an entry.
    forms: FxHashMap<(u32, FieldSetId, bool), Form>,
}

impl Reducer<'_> {
    /// Returns the remaining part of the fetch for an object, and sets the causes of the other
    /// fields.
    fn left(&mut self, owner: Owner) -> Option<Remaining> {
        let entry = self.list.entries.get(owner.entry as usize)?;
        if type_name(self.inputs.supergraph, self.arena, entry, owner.object) == TypeName::Unknown {
            let cause = self.untyped(owner.object);
            self.fail_reads(owner, |_| Some(cause));
            return None;
        }
        let (mut keys, mut why) = (Vec::new(), None);
        for key in &entry.keys {
            match self.check_inputs((owner, entry), *key, true) {
                Ok(()) => keys.push(*key),
                Err(cause) => why = why.or(cause),
            }
        }
        if keys.is_empty() {
            self.fail_reads(owner, |_| Some(why));
            return None;
        }
        let (mut inputs, mut lacking) = (Vec::new(), Unavailable::default());
        for set in &entry.inputs {
            match self.check_inputs((owner, entry), *set, false) {
                Ok(()) => inputs.push(*set),
                Err(cause) => lacking.inputs.push((*set, cause)),
            }
        }
        for context in &self.list.contexts {
            let resolver = ContextResolver {
                supergraph: self.inputs.supergraph,
                contexts: &self.inputs.plan.contexts,
                arena: self.arena,
            };
            if let Err(why) = resolver.value(*context, owner.object) {
                let cause = self.cause_of(why);
                lacking.missing_contexts.push((*context, cause));
            }
        }
        let needs = self.needs(entry);
        self.fail_reads(owner, |read| {
            let needs = needs.iter().find(|needs| needs.item == read.item)?;
            lacking.reason(needs)
        });
        let missing_contexts =
            lacking.missing_contexts.iter().map(|(context, _)| *context).collect();
        Some(Remaining { entry: owner.entry, keys, inputs, missing_contexts })
    }

    /// Whether the values of a field set are available; otherwise the cause, if it is to be
    /// reported.
    fn check_inputs(
        &mut self,
        (owner, entry): (Owner, &Entry),
        set: FieldSetId,
        is_key: bool,
    ) -> Result<(), Option<CauseId>> {
        let Inputs { supergraph, plan, .. } = self.inputs;
        let known = self.forms.entry((owner.entry, set, is_key));
        let form = known.or_insert_with(|| match is_key {
            true => compile(self.inputs, entry, &[set], &[]),
            false => compile(self.inputs, entry, &[], &[set]),
        });
        let writer = RepresentationWriter { supergraph, tree: Some(&plan.tree), arena: self.arena };
        let written = writer.members(form, owner.object, true, &mut Vec::new());
        written.map_err(|why| self.cause_of(why))
    }

    /// Returns the cause that fields which require the value report.
    fn cause_of(&mut self, why: Unrepresentable) -> Option<CauseId> {
        let Inputs { supergraph, plan, .. } = self.inputs;
        match why {
            Unrepresentable::NoKey => None,
            Unrepresentable::Failed(cause, item) => {
                Some(self.errors.derived(cause, &plan.tree.item(item).key))
            }
            Unrepresentable::Null(object, item) | Unrepresentable::Unknown(object, item) => {
                let missing = plan.tree.item(item);
                let parent = plan.tree.parent_of(supergraph, missing);
                let kind = ErrorKind::Null { parent, field: missing.key.clone() };
                Some(self.fail(object, item, kind))
            }
        }
    }

    /// Records that a non-null value is missing without an error.
    fn fail(&mut self, object: ObjectId, item: ItemId, kind: ErrorKind) -> CauseId {
        let cause = self.errors.add(Cause::new(kind, Scope::Entity, None));
        let place = self.arena.address_of(object, self.arena.slot(item));
        self.errors.fail(self.arena, place, cause);
        cause
    }

    /// Returns the cause of a missing runtime type.
    fn untyped(&mut self, object: ObjectId) -> Option<CauseId> {
        let plan = self.inputs.plan;
        let position = self.arena.object(object).position;
        let item = typename_at(&plan.tree, position)?;
        match self.arena.cell_of(object, item) {
            Cell::Failed(cause) => Some(self.errors.derived(cause, "__typename")),
            _ => {
                let parent = plan.tree.position(position).r#type;
                let kind = ErrorKind::Null { parent, field: "__typename".into() };
                Some(self.fail(object, item, kind))
            }
        }
    }

    /// Sets the causes of absent fields for which `why` returns one. Without a cause to report the
    /// entity counts as unknown.
    fn fail_reads(&mut self, owner: Owner, why: impl Fn(&Read) -> Option<Option<CauseId>>) {
        let own = self.arena.object(owner.object).r#type;
        for (_, shape) in self.list.shapes(owner.entry, own) {
            for read in shape.reads_of(own) {
                let place = self.arena.address_of(owner.object, read.slot);
                match (self.arena.cell_at(place), why(read)) {
                    (Cell::Absent, Some(Some(cause))) => {
                        self.errors.fail(self.arena, place, cause);
                    }
                    (Cell::Absent, Some(None)) => {
                        self.arena.set(owner.object, read.slot, Cell::Unknown);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the inputs of all fields of an entry.
    fn needs(&self, entry: &Entry) -> Vec<FieldInputs> {
        let fields = entry
            .selections
            .iter()
            .flat_map(|(base, selection)| selection.fields.iter().map(move |field| (*base, field)));
        let Inputs { supergraph, plan, .. } = self.inputs;
        let needs = fields.map(|(base, field)| {
            let name = field_name(&plan.tree.item(field.item).kind);
            let declared = supergraph.find_field(base, name);
            let own = declared.and_then(|declared| supergraph.field_in(declared, self.subgraph));
            let contexts = field.context_arguments.iter().map(|(_, context)| *context).collect();
            FieldInputs { item: field.item, requires: own.and_then(|own| own.requires), contexts }
        });
        needs.collect()
    }

    /// Returns the reduced list of entities.
    fn entities(&self, left: &Remaining, objects: &[ObjectId]) -> Option<Reduced> {
        let entry = self.list.entries.get(left.entry as usize)?;
        let lost = self.needs(entry).into_iter().filter(|needs| left.lacks(needs));
        let lost: Vec<ItemId> = lost.map(|needs| needs.item).collect();
        let mut selections = entry.selections.clone();
        for (_, selection) in &mut selections {
            retain_asked(selection, &lost, &left.missing_contexts);
        }
        if selections.iter().all(|(_, selection)| is_empty(selection)) && !self.list.typename {
            return None;
        }
        let mut shapes = entry.shapes.clone();
        for (_, shape) in &mut shapes {
            retain_read(shape, &selections);
        }
        let Entry { position, types, on, .. } = entry.clone();
        let (keys, inputs) = (left.keys.clone(), left.inputs.clone());
        let form = compile(self.inputs, entry, &keys, &inputs);
        let contexts = contexts_of(selections.iter().map(|(_, selection)| selection));
        let types_asked = selections.iter().filter(|(_, selection)| !is_empty(selection));
        let list = Entities {
            typename: self.list.typename,
            contexts,
            types: types_asked.cloned().collect(),
            entries: vec![Entry {
                position,
                types,
                on,
                keys,
                inputs,
                form,
                selections,
                shapes,
                reuse: Vec::new(),
            }],
        };
        let Inputs { supergraph, plan, .. } = self.inputs;
        let writer = RepresentationWriter { supergraph, tree: Some(&plan.tree), arena: self.arena };
        let mut unrepresented = Unrepresented::default();
        let all = representations_of(writer, &list, |_| objects, &mut unrepresented);
        debug_assert!(unrepresented.partial.is_empty(), "the remaining inputs are available");
        Some((list, all))
    }
}

impl Unavailable {
    /// Returns the cause if a field cannot be fetched.
    fn reason(&self, needs: &FieldInputs) -> Option<Option<CauseId>> {
        let inputs = self.inputs.iter().filter(|(set, _)| needs.requires == Some(*set));
        let missing_contexts =
            self.missing_contexts.iter().filter(|(context, _)| needs.contexts.contains(context));
        let inputs = inputs.map(|(_, cause)| *cause);
        let all: Vec<_> = inputs.chain(missing_contexts.map(|(_, cause)| *cause)).collect();
        (!all.is_empty()).then(|| all.into_iter().flatten().next())
    }
}

impl Remaining {
    fn lacks(&self, needs: &FieldInputs) -> bool {
        needs.requires.is_some_and(|set| !self.inputs.contains(&set))
            || needs.contexts.iter().any(|context| self.missing_contexts.contains(context))
    }
}

/// Returns the representation form of some field sets for an entry.
fn compile(
    Inputs { supergraph, plan, .. }: Inputs<'_>,
    entry: &Entry,
    keys: &[FieldSetId],
    inputs: &[FieldSetId],
) -> Form {
    let classes = &plan.tree.position(entry.position).classes;
    let class = classes.iter().find(|class| class.types == entry.types);
    let Some(class) = class else { return entry.form.clone() };
    form(supergraph, &plan.tree, entry.position, class.representative, keys, inputs)
}

/// Removes fields from a selection: the given items, and those with context arguments that have no
/// value. Recursion is bounded by the depth of the tree.
fn retain_asked(selection: &mut Selection, lost: &[ItemId], missing_contexts: &[ContextId]) {
    selection.fields.retain(|field| {
        let mut contexts = field.context_arguments.iter();
        !lost.contains(&field.item)
            && !contexts.any(|(_, context)| missing_contexts.contains(context))
    });
    let below = selection.fields.iter_mut().filter_map(|field| field.below.as_mut());
    for selection in below.chain(selection.fragments.iter_mut().map(|(_, below)| below)) {
        retain_asked(selection, lost, missing_contexts);
        // A selection set must not be empty.
        selection.typename |= is_empty(selection);
    }
}

fn is_empty(selection: &Selection) -> bool {
    selection.fields.is_empty() && selection.fragments.is_empty()
}

/// Removes fields from a shape that are not selected.
fn retain_read(shape: &mut Shape, selections: &[(TypeId, Selection)]) {
    let mut field: FxHashSet<ItemId> = FxHashSet::default();
    let mut open: Vec<&Selection> = selections.iter().map(|(_, selection)| selection).collect();
    while let Some(selection) = open.pop() {
        field.extend(selection.fields.iter().map(|field| field.item));
        open.extend(selection.fields.iter().filter_map(|field| field.below.as_ref()));
        open.extend(selection.fragments.iter().map(|(_, below)| below));
    }
    retain_items(shape, &field);
}

/// Recursion is bounded by the depth of the tree.
fn retain_items(shape: &mut Shape, field: &FxHashSet<ItemId>) {
    let members = std::iter::once(&mut shape.members);
    for members in members.chain(shape.own.iter_mut().map(|(_, members)| members)) {
        *members = retain_members(members, field);
    }
}

fn retain_members(members: &[Read], field: &FxHashSet<ItemId>) -> Box<[Read]> {
    let members = members.iter().filter(|read| field.contains(&read.item)).map(|read| {
        let mut read = read.clone();
        read.also = retain_members(&read.also, field);
        if let Value::Objects { shape, .. } = &mut read.value {
            retain_items(shape, field);
        }
        read
    });
    members.collect()
}
