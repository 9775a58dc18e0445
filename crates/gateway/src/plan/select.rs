//! Selections of a fetch on the objects of a position.

use std::collections::BTreeMap;
use std::fmt::Write;

use graphql::schema::{FieldId, TypeId, TypeRef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::entries::name_of;
use super::{SelectedField, Selection};
use crate::outline::{Arguments, ItemId, ItemKind, PositionId, Tree};
use crate::planner::{Choice, ChosenVisit, ContextArguments, VisitId, VisitOrigin};
use supergraph::{SubgraphId, Supergraph, TypeSet};

/// Visits of the objects of one type.
type OfType<'c> = (TypeId, Vec<(VisitId, &'c ChosenVisit)>);

struct Selecting<'s> {
    supergraph: &'s Supergraph,
    tree: &'s Tree,
    choice: &'s Choice,
    subgraph: SubgraphId,
}

pub(super) fn selection(
    supergraph: &Supergraph,
    tree: &Tree,
    choice: &Choice,
    base: TypeId,
    visits: &[OfType<'_>],
    subgraph: SubgraphId,
    interface: Option<TypeId>,
) -> Selection {
    let selecting = Selecting { supergraph, tree, choice, subgraph };
    selecting.position(base, visits, interface)
}

/// Response names of the fields at one position of a subgraph document.
#[derive(Default)]
struct ResponseNames {
    /// By field name and shape.
    used: FxHashMap<(Box<str>, String), Vec<UsedName>>,
    /// Number of response names by field name.
    numbers: FxHashMap<Box<str>, usize>,
    /// All response names.
    all: FxHashSet<Box<str>>,
}

/// A response name with its items.
struct UsedName {
    key: Box<str>,
    items: FxHashSet<ItemId>,
    /// Types that the items are selected on.
    types: TypeSet,
}

/// Maximum number of response names of one shape that are tried before a new one is added.
const MAX_TRIED: usize = 8;

impl ResponseNames {
    /// Returns a response name for an item with values of this shape. Fields of different shapes,
    /// arguments or selections never share a name, and neither do two items of one object: so
    /// fields never conflict, and each value belongs to one item.
    fn key(&mut self, name: &str, shape: String, item: ItemId, types: &TypeSet) -> Box<str> {
        let alike = self.used.entry((name.into(), shape)).or_default();
        // In reverse, since the first ones have more types already.
        let mut known = alike.iter_mut().rev().take(MAX_TRIED);
        let known = known.find(|used| used.items.contains(&item) || !used.types.intersects(types));
        if let Some(used) = known {
            used.items.insert(item);
            used.types.unite(types);
            return used.key.clone();
        }
        let number = self.numbers.entry(name.into()).or_default();
        let key: Box<str> = loop {
            let key: Box<str> = match number {
                0 => name.into(),
                _ => format!("_{number}_{name}").into(),
            };
            *number += 1;
            // Another field may have this name.
            if self.all.insert(key.clone()) {
                break key;
            }
        };
        let items = FxHashSet::from_iter([item]);
        alike.push(UsedName { key: key.clone(), items, types: types.clone() });
        key
    }
}

impl Selecting<'_> {
    /// Recursion is bounded by the depth of the tree.
    fn position(
        &self,
        base: TypeId,
        visits: &[OfType<'_>],
        interface: Option<TypeId>,
    ) -> Selection {
        let mut names = ResponseNames::default();
        // Types by item, in the order of the items.
        let mut reads: BTreeMap<ItemId, Vec<TypeId>> = BTreeMap::new();
        for (object, visits) in visits {
            for item in visits.iter().flat_map(|(_, chosen)| &chosen.reads) {
                let types = reads.entry(*item).or_default();
                if !types.contains(object) {
                    types.push(*object);
                }
            }
        }
        let is_one = self.supergraph.is_object(base) || interface.is_some();
        let possible = self.supergraph.possible_in(base, self.subgraph);
        let mut selection = Selection { typename: !is_one, ..Selection::default() };
        for (item, types) in &reads {
            if self.tree.item(*item).kind == ItemKind::Typename {
                selection.typename |= interface.is_none();
                continue;
            }
            let all = possible.is_subset(&self.types_of(*item, types));
            if is_one || (all && self.is_field_of(base, *item)) {
                let parent = interface.unwrap_or(base);
                selection.fields.push(self.field(&mut names, *item, parent, visits));
                continue;
            }
            let types = self.types_of(*item, types).intersection(possible);
            for object in self.supergraph.members(&types) {
                let selected = self.field(&mut names, *item, object, visits);
                let place = selection.fragments.iter().position(|(on, _)| *on == object);
                let place = place.unwrap_or_else(|| {
                    selection.fragments.push((object, Selection::default()));
                    selection.fragments.len() - 1
                });
                selection.fragments[place].1.fields.push(selected);
            }
        }
        if selection.fields.is_empty() && selection.fragments.is_empty() {
            // A selection set must not be empty.
            selection.typename = true;
        }
        selection
    }

    /// Returns all types of these classes.
    fn types_of(&self, item: ItemId, classes: &[TypeId]) -> TypeSet {
        let position = self.tree.item(item).position;
        let mut all = TypeSet::default();
        for types in classes.iter().filter_map(|class| self.tree.class(position, *class)) {
            all.unite_or_begin(types);
        }
        all
    }

    /// Whether a subgraph resolves an item's field on an interface in the same way for all types.
    fn is_field_of(&self, base: TypeId, item: ItemId) -> bool {
        let name = name_of(&self.tree.item(item).kind);
        let shape_of = |parent: TypeId| {
            let field = self.supergraph.find_field(parent, name)?;
            let own = self.supergraph.field_in(field, self.subgraph)?;
            // Interface fields have no context arguments.
            (!own.is_external && own.context.is_empty()).then(|| shape(self.supergraph, own.r#type))
        };
        let Some(own) = shape_of(base) else { return false };
        let possible = self.supergraph.possible_in(base, self.subgraph);
        self.supergraph
            .members(possible)
            .all(|object| shape_of(object).is_some_and(|shape| shape == own))
    }

    fn field(
        &self,
        names: &mut ResponseNames,
        item: ItemId,
        parent: TypeId,
        visits: &[OfType<'_>],
    ) -> SelectedField {
        let selected = self.tree.item(item);
        let name = name_of(&selected.kind);
        let field = self.supergraph.find_field(parent, name);
        let own = field.and_then(|field| self.supergraph.field_in(field, self.subgraph));
        let declared = field.map(|field| self.supergraph.schema[field].r#type);
        let r#type = own.map(|own| own.r#type).or(declared);
        let below = selected.child.map(|child| {
            let from: Vec<VisitId> =
                visits.iter().flat_map(|(_, visits)| visits).map(|(id, _)| *id).collect();
            self.below(child, item, &from, r#type)
        });
        let mut shape = r#type.map_or_else(String::new, |r#type| shape(self.supergraph, r#type));
        describe_arguments(&selected.arguments, &mut shape);
        let context_arguments = self.context_arguments(item, field);
        describe_contexts(&context_arguments, &mut shape);
        if let Some(below) = &below {
            describe(self.supergraph, self.tree, below, &mut shape);
        }
        let key = names.key(name, shape, item, &selected.types);
        SelectedField { key, item, context_arguments, below }
    }

    /// Returns the context arguments of a field.
    fn context_arguments(&self, item: ItemId, field: Option<FieldId>) -> ContextArguments {
        let position = self.tree.item(item).position;
        let arguments =
            field.and_then(|field| self.choice.contexts.of_field(position, self.subgraph, field));
        arguments.map(|(_, arguments)| arguments.clone()).unwrap_or_default()
    }

    fn below(
        &self,
        child: PositionId,
        item: ItemId,
        from: &[VisitId],
        r#type: Option<TypeRef>,
    ) -> Selection {
        let mut visits: Vec<OfType<'_>> = Vec::new();
        for id in self.choice.below(item) {
            let Some(chosen) = self.choice.visits.get(id) else { continue };
            let comes = matches!(&chosen.origin, VisitOrigin::Descend { from: parent, .. } if from.contains(parent));
            if !comes {
                continue;
            }
            let object = chosen.visit.object;
            match visits.iter_mut().find(|(known, _)| *known == object) {
                Some((_, all)) => all.push((*id, chosen)),
                None => visits.push((object, vec![(*id, chosen)])),
            }
        }
        let interface =
            visits.iter().flat_map(|(_, visits)| visits).find_map(|(_, one)| one.visit.interface);
        let declared = self.tree.position(child).r#type;
        let base = r#type.map_or(declared, |r#type| r#type.base);
        let mut selection = self.position(base, &visits, interface);
        // A subgraph that declares a narrower type must return `__typename`.
        selection.typename |= interface.is_none() && base != declared;
        selection
    }
}

/// Whether two selections have the same text.
pub(super) fn is_same_selection(
    supergraph: &Supergraph,
    tree: &Tree,
    one: &Selection,
    other: &Selection,
) -> bool {
    let described = |selection| {
        let mut text = String::new();
        describe(supergraph, tree, selection, &mut text);
        text
    };
    described(one) == described(other)
}

fn describe_arguments(arguments: &Arguments, text: &mut String) {
    text.push('(');
    text.push_str(&arguments.text);
    text.push(')');
    if !arguments.directives.occurrences.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:?}", arguments.directives.occurrences);
    }
}

fn describe_contexts(arguments: &ContextArguments, text: &mut String) {
    for (name, context) in arguments {
        // Writing to a string cannot fail.
        let _ = write!(text, "{name}:{context:?}");
    }
}

/// Context for comparing selections on types of one list of entities.
#[derive(Clone, Copy)]
pub(super) struct ResponseShapes<'b> {
    pub(super) supergraph: &'b Supergraph,
    pub(super) tree: &'b Tree,
    pub(super) subgraph: SubgraphId,
}

impl ResponseShapes<'_> {
    /// Whether two selections can be in one list: different types exclude each other, but fields of
    /// one response name must have the same shape all the same.
    /// <https://spec.graphql.org/draft/#SameResponseShape()>
    pub(super) fn agree(
        self,
        (one_type, one): (TypeId, &Selection),
        (other_type, other): (TypeId, &Selection),
    ) -> bool {
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        self.fields(one_type, one, &mut ones);
        self.fields(other_type, other, &mut others);
        ones.iter().all(|(one, r#type)| {
            let same = others.iter().filter(|(other, _)| one.key == other.key);
            same.into_iter().all(|(other, other_type)| {
                let is_alike = match (r#type, other_type) {
                    (Some(r#type), Some(other)) => {
                        shape(self.supergraph, *r#type) == shape(self.supergraph, *other)
                    }
                    (None, _) | (_, None) => false,
                };
                let below = match (&one.below, &other.below, r#type, other_type) {
                    (Some(one), Some(other), Some(r#type), Some(other_type)) => {
                        self.agree((r#type.base, one), (other_type.base, other))
                    }
                    (one, other, ..) => one.is_none() && other.is_none(),
                };
                is_alike && below
            })
        })
    }

    fn fields<'a>(
        self,
        parent: TypeId,
        selection: &'a Selection,
        fields: &mut Vec<(&'a SelectedField, Option<TypeRef>)>,
    ) {
        let schema = &self.supergraph.schema;
        for selected in &selection.fields {
            let field = schema.find_field(parent, name_of(&self.tree.item(selected.item).kind));
            let own = field.and_then(|field| self.supergraph.field_in(field, self.subgraph));
            let declared = field.map(|field| schema[field].r#type);
            fields.push((selected, own.map(|own| own.r#type).or(declared)));
        }
        for (on, selection) in &selection.fragments {
            self.fields(*on, selection, fields);
        }
    }
}

/// Returns the shape of a type, as far as fields of one response name must agree in it.
fn shape(supergraph: &Supergraph, r#type: TypeRef) -> String {
    let wrappers: Vec<_> = r#type.wrappers().collect();
    let base = match supergraph.is_composite(r#type.base) {
        true => "",
        false => &supergraph.schema[r#type.base].name,
    };
    format!("{wrappers:?}{base}")
}

/// Writes a selection as a text; equal texts mean equal selections with equal response names.
pub(super) fn describe(
    supergraph: &Supergraph,
    tree: &Tree,
    selection: &Selection,
    text: &mut String,
) {
    text.push('{');
    if selection.typename {
        text.push_str("__typename ");
    }
    for selected in &selection.fields {
        let item = tree.item(selected.item);
        for part in [&*selected.key, ":", name_of(&item.kind)] {
            text.push_str(part);
        }
        describe_arguments(&item.arguments, text);
        describe_contexts(&selected.context_arguments, text);
        if let Some(below) = &selected.below {
            describe(supergraph, tree, below, text);
        }
    }
    for (on, selection) in &selection.fragments {
        text.push_str(&supergraph.schema[*on].name);
        describe(supergraph, tree, selection, text);
    }
    text.push('}');
}
