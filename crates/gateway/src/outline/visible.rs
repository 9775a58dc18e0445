//! Visible part of the selection tree: the operation itself.

use std::fmt::Write;
use std::sync::Arc;

use graphql::does_condition_hold;
use graphql::operation::{
    AppliedDirective, ConditionValue, FieldRef, FieldSelection, Operation, Selection,
    SelectionSetId,
};
use graphql::schema::{FieldId, TypeId};
use graphql::variables::{Path, Steering};
use rustc_hash::FxHashMap;
use serde_json_bytes::Value as Json;

use super::classes::classes;
use super::denial::{Denial, has_own_fields};
use super::directives::AppliedDirectives;
use super::{
    Arguments, Class, DeferredFragment, Directives, FieldDirectives, Item, ItemKind, PartId, Parts,
    PositionId, Tree,
};
use crate::access::AccessSet;
use supergraph::{Supergraph, TypeSet};

/// Error: the operation has more selections than the gateway plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The operation selects too many fields.")]
pub struct TooManySelections;

/// Builds the selection tree for a client that may read the whole operation. See [`outline_for`].
pub fn outline(
    supergraph: &Supergraph,
    operation: &Operation,
    root: TypeId,
    steering: &Steering<'_>,
    selections: usize,
) -> Result<Tree, TooManySelections> {
    outline_for(supergraph, operation, root, steering, selections, &AccessSet::default())
}

/// Builds the selection tree of an operation, for these values of its `@skip` and `@include`
/// variables and for clients that do not meet the requirements in `denied`. Fails beyond
/// `selections`.
pub fn outline_for(
    supergraph: &Supergraph,
    operation: &Operation,
    root: TypeId,
    steering: &Steering<'_>,
    selections: usize,
    denied: &AccessSet,
) -> Result<Tree, TooManySelections> {
    outline_with(supergraph, operation, root, steering, selections, (denied, false))
}

/// Builds the selection tree of an operation whose deferred fragments are parts of the response. See
/// [`outline_for`].
pub fn outline_in_parts(
    supergraph: &Supergraph,
    operation: &Operation,
    root: TypeId,
    steering: &Steering<'_>,
    selections: usize,
    denied: &AccessSet,
) -> Result<Tree, TooManySelections> {
    outline_with(supergraph, operation, root, steering, selections, (denied, true))
}

fn outline_with(
    supergraph: &Supergraph,
    operation: &Operation,
    root: TypeId,
    steering: &Steering<'_>,
    selections: usize,
    (denied, defers): (&AccessSet, bool),
) -> Result<Tree, TooManySelections> {
    let names = operation.variables.iter().map(|variable| &*variable.name);
    let names: Vec<_> = names.collect();
    let mut tree = Tree::default();
    let denial = Denial { supergraph, denied };
    let mut outliner = Outliner {
        supergraph,
        operation,
        steering,
        denial,
        names,
        selections,
        left: selections,
        classes_left: selections.saturating_mul(CLASSES),
        classes: FxHashMap::default(),
        defers,
        fragments: FxHashMap::default(),
        tree: &mut tree,
    };
    let position = outliner.tree.add_position(supergraph, root, None);
    let (set, is_denied, part) = (operation.root, false, PartId::INITIAL);
    outliner.position(position, &[SelectionSetRef { set, is_denied, part }])?;
    Ok(tree)
}

struct Outliner<'o> {
    supergraph: &'o Supergraph,
    operation: &'o Operation,
    steering: &'o Steering<'o>,
    denial: Denial<'o>,
    names: Vec<&'o str>,
    /// Limit for the number of selections, and what is left of it.
    selections: usize,
    left: usize,
    /// Limit for the number of classes at positions that are still to be visited.
    classes_left: usize,
    /// Cache of classes, by declared type and selections.
    classes: FxHashMap<(TypeId, Signature), Vec<Class>>,
    /// Whether deferred fragments are parts of the response.
    defers: bool,
    /// Parts of the deferred fragments.
    fragments: FxHashMap<FragmentKey<'o>, PartId>,
    tree: &'o mut Tree,
}

/// Position, selection set and label of a deferred fragment, and the part around it.
type FragmentKey<'o> = (PositionId, SelectionSetId, Option<&'o str>, PartId);

/// Everything that distinguishes the selections of two positions.
type Signature = Vec<(usize, Option<Arc<str>>, TypeSet, bool)>;

fn signature(groups: &[Group<'_>]) -> Signature {
    let places = groups.iter().enumerate().flat_map(|(place, group)| {
        let name = match &group.kind {
            ItemKind::Field { name, .. } => Some(name.clone()),
            ItemKind::Typename | ItemKind::Introspection => None,
        };
        let occurrences = group.occurrences.iter();
        occurrences.map(move |one| (place, name.clone(), one.types.clone(), one.is_denied))
    });
    places.collect()
}

/// Maximum number of classes at all positions, as a multiple of the maximum number of selections.
const CLASSES: usize = 5;

/// A selection set, whether it is below an unauthorized field, and its part of the response.
#[derive(Clone, Copy)]
struct SelectionSetRef {
    set: SelectionSetId,
    is_denied: bool,
    part: PartId,
}

/// An occurrence of a field in the operation.
struct Occurrence<'o> {
    /// Number of selections visited before.
    place: usize,
    selection: &'o FieldSelection,
    /// Types of the objects it is selected on.
    types: TypeSet,
    /// Whether the client may not read it.
    is_denied: bool,
    /// Its part of the response.
    part: PartId,
    /// Its custom directives.
    applied: AppliedDirectives,
}

/// Occurrences with one response name that select the same field with the same arguments.
struct Group<'o> {
    key: &'o str,
    kind: ItemKind,
    arguments: Arguments,
    occurrences: Vec<Occurrence<'o>>,
}

impl Group<'_> {
    /// Returns the directives of the occurrences on some types. Directives of `__typename` and
    /// introspection fields are not sent.
    fn directives(&self, is_of: impl Fn(&TypeSet) -> bool) -> FieldDirectives {
        match self.kind {
            ItemKind::Field { .. } => {
                let selected = self.occurrences.iter();
                let selected =
                    selected.filter(|selected| !selected.is_denied && is_of(&selected.types));
                FieldDirectives::of(selected.map(|selected| &selected.applied))
            }
            ItemKind::Typename | ItemKind::Introspection => FieldDirectives::default(),
        }
    }
}

impl Group<'_> {
    /// Returns the parts of the occurrences on some types.
    fn parts(&self, is_of: impl Fn(&TypeSet) -> bool) -> Parts {
        let selected = self.occurrences.iter().filter(|selected| is_of(&selected.types));
        selected.fold(Parts::NONE, |all, selected| all.with(Parts::only(selected.part)))
    }
}

/// Groups of a position, in the order of the operation.
#[derive(Default)]
struct Groups<'o> {
    all: Vec<Group<'o>>,
    /// Indexes of the groups by response name.
    by_key: FxHashMap<&'o str, Vec<usize>>,
}

impl<'o> Outliner<'o> {
    /// Recursion is bounded: validation limits the depth of an operation.
    fn position(
        &mut self,
        id: PositionId,
        sets: &[SelectionSetRef],
    ) -> Result<(), TooManySelections> {
        let possible = self.tree.position(id).possible.clone();
        let mut groups = Groups::default();
        for set_ref in sets {
            let applied = AppliedDirectives::default();
            self.collect(id, *set_ref, &possible, &applied, &mut groups)?;
        }
        let groups = groups.all;
        let selected = |object: TypeId| {
            let mut text = String::new();
            let mut names = Vec::new();
            for (place, group) in groups.iter().enumerate() {
                for (number, occurrence) in group.occurrences.iter().enumerate() {
                    if self.supergraph.contains(&occurrence.types, object) {
                        // Writing to a string cannot fail.
                        let _ = write!(text, "{place}.{number} ");
                        if let ItemKind::Field { name, .. } = &group.kind
                            && !occurrence.is_denied
                        {
                            names.push((&**name).into());
                        }
                    }
                }
            }
            (text, names)
        };
        let parent = self.tree.position(id).parent;
        if possible.len() > 1 && !parent.is_some_and(|parent| self.is_narrowed(parent)) {
            let key = (self.tree.position(id).r#type, signature(&groups));
            let known = self.classes.entry(key);
            let known = known.or_insert_with(|| classes(self.supergraph, &possible, selected));
            self.tree.positions[id.index()].classes.clone_from(known);
        }
        let classes = self.tree.position(id).classes.len();
        self.classes_left = self.classes_left.checked_sub(classes).ok_or(TooManySelections)?;
        let mut made = Vec::new();
        for group in &groups {
            let first = self.tree.position(id).items.len();
            self.add(id, group)?;
            let items = self.tree.position(id).items[first..].iter();
            made.extend(items.map(|item| (*item, group)));
        }
        self.tree.positions[id.index()].orders = self.orders(id, &made);
        Ok(())
    }

    /// Returns the orders of types that differ from the order of the items: a field is at its first
    /// occurrence for the type. <https://spec.graphql.org/draft/#CollectFields()>
    fn orders(
        &self,
        id: PositionId,
        made: &[(super::ItemId, &Group<'o>)],
    ) -> Vec<(TypeSet, Vec<super::ItemId>)> {
        let classes = self.tree.position(id).classes.iter();
        let orders = classes.filter_map(|class| {
            let of_class = |types: &TypeSet| self.supergraph.contains(types, class.representative);
            let own = made.iter().filter(|(item, _)| of_class(&self.tree.item(*item).types));
            let mut own: Vec<_> = own
                .map(|(item, group)| {
                    let selected =
                        group.occurrences.iter().filter(|selected| of_class(&selected.types));
                    (selected.map(|selected| selected.place).min(), *item)
                })
                .collect();
            if own.is_sorted() {
                return None;
            }
            own.sort_unstable();
            Some((class.types.clone(), own.into_iter().map(|(_, item)| item).collect()))
        });
        orders.collect()
    }

    /// Whether the types below an item must be distinguished: a subgraph declares another type for
    /// it than the supergraph, or a field set selects fields of its objects.
    fn is_narrowed(&self, item: super::ItemId) -> bool {
        let item = self.tree.item(item);
        let ItemKind::Field { name, field } = &item.kind else { return false };
        if self.supergraph.has_nested_field_set(name) {
            return true;
        }
        let declared = self.supergraph.schema[*field].r#type.base;
        let mut fields = self
            .supergraph
            .members(&item.types)
            .filter_map(|object| self.supergraph.find_field(object, name));
        fields.any(|field| {
            let owners = &self.supergraph.field_owners(field).subgraphs;
            owners.iter().any(|own| own.r#type.base != declared)
        })
    }

    fn collect(
        &mut self,
        position: PositionId,
        set_ref: SelectionSetRef,
        types: &TypeSet,
        applied: &AppliedDirectives,
        groups: &mut Groups<'o>,
    ) -> Result<(), TooManySelections> {
        let operation = self.operation;
        let selected = operation.selection_set(set_ref.set);
        let parent = self.supergraph.api.r#type(selected.parent);
        for selection in &selected.selections {
            self.left = self.left.checked_sub(1).ok_or(TooManySelections)?;
            match selection {
                Selection::Field(field) => {
                    if does_condition_hold(&field.conditions, self.steering) {
                        let is_denied = set_ref.is_denied || self.is_denied(parent, field, types);
                        let applied = applied.field(self.directives(&field.directives));
                        let place = (set_ref.part, is_denied);
                        self.occur(field, types, place, applied, groups);
                    }
                }
                Selection::Fragment { conditions, directives, defer, on, selection_set } => {
                    if !does_condition_hold(conditions, self.steering) {
                        continue;
                    }
                    let on = self.supergraph.api.r#type(*on);
                    let narrowed = types.intersection(self.supergraph.possible(on));
                    if !narrowed.is_empty() {
                        let set = *selection_set;
                        let applied = applied.within(self.directives(directives));
                        let part = match defer {
                            Some(defer) => {
                                let fragment =
                                    (position, set, defer.label.as_deref(), set_ref.part);
                                self.part(fragment, defer.condition, &narrowed)
                            }
                            None => set_ref.part,
                        };
                        self.collect(
                            position,
                            SelectionSetRef { set, part, ..set_ref },
                            &narrowed,
                            &applied,
                            groups,
                        )?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the part of a fragment with `@defer`: that around it, if it is not deferred.
    fn part(
        &mut self,
        fragment: FragmentKey<'o>,
        condition: ConditionValue,
        types: &TypeSet,
    ) -> PartId {
        let (position, _, label, parent) = fragment;
        if !self.defers || !self.is_deferred(condition) {
            return parent;
        }
        let fragments = &mut self.tree.deferred;
        if let Some(part) = self.fragments.get(&fragment) {
            let known = part.fragment().and_then(|place| fragments.get_mut(place));
            known.into_iter().for_each(|known| known.types.unite(types));
            return *part;
        }
        let Some(part) = PartId::of_fragment(fragments.len()) else { return parent };
        let (label, types) = (label.map(Into::into), types.clone());
        fragments.push(DeferredFragment { label, parent, position, types });
        self.fragments.insert(fragment, part);
        part
    }

    /// Whether the condition of `@defer` holds; without a value it has its default, which is true.
    fn is_deferred(&self, condition: ConditionValue) -> bool {
        match condition {
            ConditionValue::Constant(is_deferred) => is_deferred,
            ConditionValue::Variable(slot) => {
                let value = self.steering.value(slot, &Path::default());
                value.is_none_or(|value| *value == Json::Bool(true))
            }
        }
    }

    fn directives(&self, directives: &[AppliedDirective]) -> Directives {
        Directives::of_operation(&self.supergraph.api.schema, directives.iter(), &self.names)
    }

    fn is_denied(&self, parent: TypeId, selection: &FieldSelection, types: &TypeSet) -> bool {
        // `__typename` and introspection need no authorization.
        let FieldRef::Field(field) = selection.field else { return false };
        if self.denial.is_empty() {
            return false;
        }
        let has_own_fields = |set| has_own_fields(self.operation, set, self.steering);
        let has_own_fields = selection.selection_set.is_some_and(has_own_fields);
        self.denial.denies(parent, self.supergraph.api.field(field), types, has_own_fields)
    }

    fn occur(
        &self,
        selection: &'o FieldSelection,
        types: &TypeSet,
        (part, is_denied): (PartId, bool),
        applied: AppliedDirectives,
        groups: &mut Groups<'o>,
    ) {
        let kind = self.kind(selection);
        let arguments =
            Arguments::of_operation(&self.supergraph.api.schema, &selection.arguments, &self.names);
        let at = self.selections - self.left;
        let occurrence =
            Occurrence { place: at, selection, types: types.clone(), is_denied, part, applied };
        let key = &*selection.response_name;
        let places = groups.by_key.entry(key).or_default();
        let same = places.iter().copied().find(|place| {
            let group = &groups.all[*place];
            // An object has one field per response name. Validation checked that they agree; where
            // it allows different arguments the first ones count.
            let is_of_one = || {
                let mut selected = group.occurrences.iter();
                selected.any(|selected| !selected.types.intersection(types).is_empty())
            };
            is_same(&group.kind, &kind) && (group.arguments == arguments || is_of_one())
        });
        match same {
            Some(place) => groups.all[place].occurrences.push(occurrence),
            None => {
                places.push(groups.all.len());
                groups.all.push(Group { key, kind, arguments, occurrences: vec![occurrence] });
            }
        }
    }

    fn kind(&self, selection: &FieldSelection) -> ItemKind {
        match selection.field {
            FieldRef::Typename => ItemKind::Typename,
            FieldRef::Introspection => ItemKind::Introspection,
            FieldRef::Field(field) => {
                let field = self.supergraph.api.field(field);
                ItemKind::Field { name: self.supergraph.schema[field].name.clone(), field }
            }
        }
    }

    fn child(&self, field: FieldId) -> Option<TypeId> {
        let base = self.supergraph.schema[field].r#type.base;
        self.supergraph.is_composite(base).then_some(base)
    }

    /// Adds the items of a group: one for all types with equal selections below, and one for the
    /// types without authorization.
    fn add(&mut self, position: PositionId, group: &Group<'o>) -> Result<(), TooManySelections> {
        let is_composite =
            group.occurrences.iter().any(|one| one.selection.selection_set.is_some());
        let mut denied = TypeSet::default();
        if !is_composite {
            let mut types = TypeSet::default();
            for occurrence in &group.occurrences {
                let of = if occurrence.is_denied { &mut denied } else { &mut types };
                of.unite_or_begin(&occurrence.types);
            }
            denied = denied.minus(&types);
            for types in self.alike(position, group, types) {
                self.item(position, group, types, false);
            }
        }
        for (object, types, sets) in self.parts(position, group, is_composite) {
            if sets.iter().all(|set_ref| set_ref.is_denied) {
                denied.unite_or_begin(&types);
                continue;
            }
            // The field of the object type may declare more than that of the interface.
            let ItemKind::Field { name, field } = &group.kind else { continue };
            let own = self.supergraph.find_field(object, name).unwrap_or(*field);
            let Some(child) = self.child(own) else { continue };
            let item = self.item(position, group, types, false);
            let below = self.tree.add_position(self.supergraph, child, Some(item));
            self.tree.items[item.index()].child = Some(below);
            self.position(below, &sets)?;
        }
        if !denied.is_empty() {
            self.item(position, group, denied, true);
        }
        Ok(())
    }

    /// Splits the types of a group by the directives they are selected with, and by the parts of the
    /// response.
    fn alike(&self, position: PositionId, group: &Group<'o>, types: TypeSet) -> Vec<TypeSet> {
        if types.is_empty() {
            return Vec::new();
        }
        let mut parts = group.occurrences.iter().map(|one| one.part);
        let first = parts.next();
        if group.occurrences.iter().all(|one| one.applied.is_empty())
            && parts.all(|part| Some(part) == first)
        {
            return vec![types];
        }
        let mut alike: Vec<((FieldDirectives, Parts), TypeSet)> = Vec::new();
        for class in &self.tree.position(position).classes {
            if !self.supergraph.contains(&types, class.representative) {
                continue;
            }
            let is_of = |types: &TypeSet| self.supergraph.contains(types, class.representative);
            let selected = (group.directives(is_of), group.parts(is_of));
            match alike.iter_mut().find(|(known, _)| *known == selected) {
                Some((_, all)) => all.unite(&class.types),
                None => alike.push((selected, class.types.clone())),
            }
        }
        alike.into_iter().map(|(_, types)| types).collect()
    }

    /// Splits the types of a group with objects by their selections below, and by how their objects
    /// are resolved.
    fn parts(
        &self,
        position: PositionId,
        group: &Group<'_>,
        is_composite: bool,
    ) -> Vec<(TypeId, TypeSet, Vec<SelectionSetRef>)> {
        let classes = self.tree.position(position).classes.iter().filter(|_| is_composite);
        let parts = classes.filter_map(|class| {
            let selected = group.occurrences.iter().filter(|occurrence| {
                self.supergraph.contains(&occurrence.types, class.representative)
            });
            let sets = selected.filter_map(|occurrence| {
                let set = occurrence.selection.selection_set?;
                let (is_denied, part) = (occurrence.is_denied, occurrence.part);
                Some(SelectionSetRef { set, is_denied, part })
            });
            let sets: Vec<SelectionSetRef> = sets.collect();
            (!sets.is_empty()).then(|| (class.representative, class.types.clone(), sets))
        });
        parts.collect()
    }

    /// Adds an item with the properties of its first occurrence.
    fn item(
        &mut self,
        position: PositionId,
        group: &Group<'_>,
        types: TypeSet,
        is_denied: bool,
    ) -> super::ItemId {
        let mut occurrences = group.occurrences.iter();
        let first = occurrences.find(|occurrence| {
            occurrence.is_denied == is_denied && occurrence.types.intersects(&types)
        });
        let location = first.map(|first| first.selection.location).unwrap_or_default();
        let parts = group.parts(|of| of.intersects(&types));
        let directives = match is_denied {
            true => FieldDirectives::default(),
            false => group.directives(|of| of.intersects(&types)),
        };
        self.tree.add_item(Item {
            position,
            key: group.key.into(),
            kind: first.map_or_else(|| group.kind.clone(), |first| self.kind(first.selection)),
            types,
            arguments: Arguments { directives, ..group.arguments.clone() },
            child: None,
            is_visible: true,
            is_denied,
            parts,
            location,
        })
    }
}

/// Whether two selections are of fields with the same name, or the same meta field.
pub(super) fn is_same(one: &ItemKind, other: &ItemKind) -> bool {
    match (one, other) {
        (ItemKind::Field { name, .. }, ItemKind::Field { name: other, .. }) => name == other,
        (ItemKind::Typename, ItemKind::Typename)
        | (ItemKind::Introspection, ItemKind::Introspection) => true,
        (ItemKind::Field { .. } | ItemKind::Typename | ItemKind::Introspection, _) => false,
    }
}
