//! Compiler of visits to fetches.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use graphql::operation::OperationKind;
use graphql::schema::TypeId;

use super::document::document;
use super::form::form;
use super::parts::{ItemParts, begun, fetches_by_part};
use super::projection::projections;
use super::reuse::{Reusable, add_reuse};
use super::select::{ResponseShapes, is_same_selection, selection};
use super::shape::add_shapes;
use super::{
    Context, Document, DocumentPart, Entities, Entry, Fetch, FetchId, Layout, Plan, PlanInputs,
    Root, Selection, Shape,
};
use crate::outline::{ItemId, ItemKind, PartId, Parts, PositionId, Tree};
use crate::planner::{ChosenVisit, ContextId, Source, VisitId, VisitOrigin};
use supergraph::{FieldSetId, SetSelection, SubgraphId, Supergraph};

/// Compiles the plan for the chosen visits.
#[must_use]
pub fn compile(sources: PlanInputs<'_>, tree: Tree) -> Plan {
    let PlanInputs { choice, operation, .. } = sources;
    let mut compiler = Compiler {
        sources,
        tree: &tree,
        parts: ItemParts::new(&tree, choice),
        fetches: Vec::new(),
        of_visit: BTreeMap::new(),
        of_item: BTreeMap::new(),
    };
    match operation.kind {
        OperationKind::Mutation => compiler.stages(),
        OperationKind::Query | OperationKind::Subscription => compiler.stage(None, 0),
    }
    let mut fetches = compiler.fetches;
    let contexts = contexts(sources, &tree);
    for (place, fetch) in fetches.iter_mut().enumerate() {
        let lists: Vec<&Entities> = fetch.entities.iter().collect();
        let part = DocumentPart { number: FetchId::new(place), fetch, lists: &lists };
        fetch.document = document(sources.supergraph, operation, &tree, &contexts, part);
    }
    // Between two fetches of a mutation data may change.
    let reusable = match operation.kind {
        OperationKind::Query => add_reuse(sources.supergraph, &tree, &mut fetches),
        OperationKind::Mutation | OperationKind::Subscription => Reusable::default(),
    };
    let has_contexts =
        fetches.iter().flat_map(|fetch| &fetch.entities).any(|list| !list.contexts.is_empty());
    let layout = Arc::new(Layout { is_shared: !has_contexts, ..Layout::new(&tree) });
    add_shapes(sources.supergraph, &tree, &layout.slots, &mut fetches);
    let projections = projections(sources.supergraph, &tree, &layout.slots);
    let (chain, parts) = (choice.chain, fetches_by_part(&tree, &fetches));
    let mut plan = Plan { fetches, tree, layout, projections, contexts, reusable, chain, parts };
    plan.shrink();
    plan
}

/// Returns the contexts, with forms that refer to the tree.
fn contexts(sources: PlanInputs<'_>, tree: &Tree) -> Vec<Context> {
    let values = sources.choice.contexts.values().iter().map(|value| {
        let sources = value.sources.iter().map(|source| {
            let Source { position, object, types, set } = source;
            let form = form(sources.supergraph, tree, *position, *object, &[*set], &[]);
            (*position, types.clone(), form)
        });
        Context { r#type: value.r#type, sources: sources.collect() }
    });
    values.collect()
}

struct Compiler<'c> {
    sources: PlanInputs<'c>,
    tree: &'c Tree,
    parts: ItemParts,
    fetches: Vec<Fetch>,
    /// The fetches of the visits that begin a request, and of the items that these read.
    of_visit: BTreeMap<VisitId, Vec<FetchId>>,
    of_item: BTreeMap<(VisitId, ItemId), FetchId>,
}

/// Visits by representations, grouped by position, type, and type of the key.
type Jumps<'c> = BTreeMap<(PositionId, TypeId, TypeId), Vec<(VisitId, &'c ChosenVisit)>>;

/// Key of a fetch: its level, its subgraph, the parts of the response that need it first, and the
/// position of its root type, if it has one.
type FetchKey = (u16, SubgraphId, Parts, Option<PositionId>);

/// Visits of a fetch, and the parts of the response that need them.
type Begun<'v> = (Parts, Vec<(VisitId, &'v ChosenVisit)>);

impl<'c> Compiler<'c> {
    /// Adds the root fields of a mutation one after the other, each with all fetches below it.
    /// Adjacent fields of one subgraph are one request, which executes them serially, as long as no
    /// other fetch is needed between them.
    /// <https://spec.graphql.org/draft/#sec-Mutation>
    fn stages(&mut self) {
        let mut roots: Vec<(ItemId, VisitId, SubgraphId)> = Vec::new();
        for (id, chosen) in &self.sources.choice.visits {
            if chosen.origin == VisitOrigin::Enter {
                roots.extend(chosen.reads.iter().map(|item| (*item, *id, chosen.visit.subgraph)));
            }
        }
        // Each field is executed once, even if several subgraphs have it.
        roots.sort_by_key(|(item, ..)| *item);
        roots.dedup_by_key(|(item, ..)| *item);
        let mut run: Vec<ItemId> = Vec::new();
        let mut rest = roots.into_iter().peekable();
        while let Some((item, visit, subgraph)) = rest.next() {
            run.push(item);
            let goes_on = rest.peek().is_some_and(|(_, _, next)| *next == subgraph);
            if !goes_on || self.has_jumps(item) {
                let before = self.fetches.len();
                self.root_request(visit, &run);
                self.stage(Some(&run), before);
                run.clear();
            }
        }
    }

    /// Whether another fetch is needed below a root field.
    fn has_jumps(&self, item: ItemId) -> bool {
        let mut visits = self.sources.choice.visits.values();
        visits.any(|chosen| {
            matches!(chosen.origin, VisitOrigin::Jump { .. })
                && self.tree.root_item(chosen.visit.position) == Some(item)
        })
    }

    fn root_request(&mut self, id: VisitId, items: &[ItemId]) {
        let chosen = &self.sources.choice.visits[&id];
        let only = ChosenVisit { reads: items.to_vec(), ..chosen.clone() };
        let visits = vec![(chosen.visit.object, vec![(id, &only)])];
        let selection = self.select(chosen.visit.object, &visits, chosen.visit.subgraph, None);
        self.add_to_fetch(id, items);
        self.fetches.push(Fetch {
            subgraph: chosen.visit.subgraph,
            kind: OperationKind::Mutation,
            needs: self.earlier(),
            level: 1,
            parts: self.parts.of_all(id, items),
            root: Some(Root {
                position: chosen.visit.position,
                selection,
                shape: Shape::default(),
            }),
            entities: Vec::new(),
            document: Document::default(),
        });
    }

    /// Returns the fetches before a root field of a mutation: all but those of deferred fragments only.
    fn earlier(&self) -> Vec<FetchId> {
        let fetches = self.fetches.iter().enumerate();
        let earlier = fetches.filter(|(_, fetch)| fetch.parts.contains(PartId::INITIAL));
        earlier.map(|(place, _)| FetchId::new(place)).collect()
    }

    /// Adds the fetches of a stage: for a mutation, those below some root fields. The stage begins
    /// at fetch `first`.
    fn stage(&mut self, items: Option<&[ItemId]>, first: usize) {
        let mut split: Vec<(FetchKey, Parts, VisitId, Cow<'_, ChosenVisit>)> = Vec::new();
        for (id, chosen) in &self.sources.choice.visits {
            let position = chosen.visit.position;
            let (is_begun, entered) = match &chosen.origin {
                VisitOrigin::Enter => (items.is_none(), Some(position)),
                VisitOrigin::Jump { key: None, .. } => (true, Some(position)),
                VisitOrigin::Jump { key: Some(_), .. } => (true, None),
                VisitOrigin::Descend { .. } => (false, None),
            };
            let is_of_stage = items.is_none_or(|items| {
                self.tree.root_item(position).is_some_and(|root| items.contains(&root))
            });
            if is_begun && is_of_stage {
                let subgraph = chosen.visit.subgraph;
                let key = |parts| (chosen.level, subgraph, self.tree.outermost(parts), entered);
                let is_source_stream = self.sources.operation.kind == OperationKind::Subscription
                    && entered == Some(Tree::ROOT);
                let reads = self.parts.split(self.tree, *id, &chosen.reads);
                if is_source_stream || reads.len() == 1 {
                    let parts = self.parts.of_all(*id, &chosen.reads);
                    split.push((key(parts), parts, *id, Cow::Borrowed(chosen)));
                    continue;
                }
                for reads in reads {
                    let parts = self.parts.of_all(*id, &reads);
                    let chosen = ChosenVisit { reads, ..chosen.clone() };
                    split.push((key(parts), parts, *id, Cow::Owned(chosen)));
                }
            }
        }
        let mut begun: BTreeMap<FetchKey, Begun<'_>> = BTreeMap::new();
        for (key, parts, id, chosen) in &split {
            let (all, visits) = begun.entry(*key).or_default();
            *all = all.with(*parts);
            visits.push((*id, chosen));
        }
        for ((level, subgraph, ..), (parts, visits)) in begun {
            self.request(level, subgraph, parts, &visits);
        }
        self.dependencies(first);
    }

    fn request(
        &mut self,
        level: u16,
        subgraph: SubgraphId,
        parts: Parts,
        visits: &[(VisitId, &ChosenVisit)],
    ) {
        let mut root = None;
        let mut jumps: Jumps<'_> = BTreeMap::new();
        for (id, chosen) in visits {
            self.add_to_fetch(*id, &chosen.reads);
            let visit = &chosen.visit;
            match chosen.origin {
                VisitOrigin::Jump { on, key: Some(_), .. } => {
                    jumps
                        .entry((visit.position, visit.object, on))
                        .or_default()
                        .push((*id, *chosen));
                }
                VisitOrigin::Enter
                | VisitOrigin::Jump { key: None, .. }
                | VisitOrigin::Descend { .. } => {
                    let of = [(visit.object, vec![(*id, *chosen)])];
                    let selection = self.select(visit.object, &of, subgraph, None);
                    let shape = Shape::default();
                    root = Some(Root { position: visit.position, selection, shape });
                }
            }
        }
        let entities = self.entities(subgraph, &jumps);
        // Only the source stream of a subscription is one; its events are completed by queries.
        let begins = root.as_ref().is_some_and(|root| root.position == Tree::ROOT);
        let kind = match self.sources.operation.kind {
            OperationKind::Subscription if begins => OperationKind::Subscription,
            OperationKind::Query | OperationKind::Mutation | OperationKind::Subscription => {
                OperationKind::Query
            }
        };
        self.fetches.push(Fetch {
            subgraph,
            kind,
            needs: Vec::new(),
            level,
            parts,
            root,
            entities,
            document: Document::default(),
        });
    }

    /// Records that the next fetch reads some items of a visit.
    fn add_to_fetch(&mut self, visit: VisitId, items: &[ItemId]) {
        let fetch = FetchId::new(self.fetches.len());
        self.of_visit.entry(visit).or_default().push(fetch);
        self.of_item.extend(items.iter().map(|item| ((visit, *item), fetch)));
    }

    /// Returns the lists of representations: one, unless one type has different selections.
    fn entities(&self, subgraph: SubgraphId, jumps: &Jumps<'_>) -> Vec<Entities> {
        let mut lists: Vec<Entities> = Vec::new();
        for ((position, object, on), visits) in jumps {
            for together in self.compatible(visits) {
                let (keys, inputs) = sets_of(&together);
                let form =
                    form(self.sources.supergraph, self.tree, *position, *object, &keys, &inputs);
                let interface = together.first().and_then(|(_, chosen)| chosen.visit.interface);
                let of = [(*object, together)];
                let Some(types) = self.tree.class(*position, *object).cloned() else { continue };
                let bases = match interface {
                    Some(interface) => {
                        vec![(interface, self.select(interface, &of, subgraph, Some(interface)))]
                    }
                    None => {
                        let known =
                            types.intersection(self.sources.supergraph.possible_in(*on, subgraph));
                        let known = if on == object { types.clone() } else { known };
                        let members = self.sources.supergraph.members(&known);
                        members.map(|base| (base, self.select(base, &of, subgraph, None))).collect()
                    }
                };
                let contexts = contexts_of(bases.iter().map(|(_, selection)| selection));
                let on = (on != object).then_some(*on);
                let position = *position;
                let entry = Entry {
                    position,
                    types,
                    on,
                    keys,
                    inputs,
                    form,
                    selections: bases,
                    shapes: Vec::new(),
                    reuse: Vec::new(),
                };
                self.put(&mut lists, entry, contexts, (interface.is_none(), subgraph));
            }
        }
        lists
    }

    /// Adds an entry to the first list where its types have the same selections, or none.
    fn put(
        &self,
        lists: &mut Vec<Entities>,
        entry: Entry,
        contexts: Vec<ContextId>,
        (is_typed, subgraph): (bool, SubgraphId),
    ) {
        let supergraph = self.sources.supergraph;
        let response_shapes = ResponseShapes { supergraph, tree: self.tree, subgraph };
        let fits = |list: &Entities| {
            list.contexts == contexts
                && entry.selections.iter().all(|(base, selection)| {
                    list.types.iter().all(|(known, other)| match known == base {
                        true => is_same_selection(supergraph, self.tree, other, selection),
                        false => response_shapes.agree((*known, other), (*base, selection)),
                    })
                })
        };
        let place = match lists.iter().position(fits) {
            Some(place) => place,
            None => {
                lists.push(Entities { contexts, ..Entities::default() });
                lists.len() - 1
            }
        };
        let list = &mut lists[place];
        for (base, selection) in &entry.selections {
            if list.types.iter().all(|(known, _)| known != base) {
                list.types.push((*base, selection.clone()));
            }
        }
        // A representation by an interface type does not determine the runtime type.
        list.typename |= is_typed && entry.on.is_some();
        list.entries.push(entry);
    }

    /// Groups visits of the same objects that can share a representation.
    fn compatible<'v>(
        &self,
        visits: &[(VisitId, &'v ChosenVisit)],
    ) -> Vec<Vec<(VisitId, &'v ChosenVisit)>> {
        let mut groups: Vec<Vec<(VisitId, &'v ChosenVisit)>> = Vec::new();
        for visit in visits {
            let fits = |group: &&mut Vec<(VisitId, &'v ChosenVisit)>| {
                let mut all = group.to_vec();
                all.push(*visit);
                let (keys, inputs) = sets_of(&all);
                are_compatible(self.sources.supergraph, &[keys, inputs].concat())
                    && all.iter().all(|(_, one)| one.visit.interface == visit.1.visit.interface)
            };
            match groups.iter_mut().find(fits) {
                Some(group) => group.push(*visit),
                None => groups.push(vec![*visit]),
            }
        }
        groups
    }

    fn select(
        &self,
        base: TypeId,
        visits: &[(TypeId, Vec<(VisitId, &ChosenVisit)>)],
        subgraph: SubgraphId,
        interface: Option<TypeId>,
    ) -> Selection {
        let PlanInputs { supergraph, choice, .. } = self.sources;
        selection(supergraph, self.tree, choice, base, visits, subgraph, interface)
    }

    /// Sets the dependencies of the fetches of a stage: those that read the inputs of its
    /// representations.
    fn dependencies(&mut self, first: usize) {
        let choice = self.sources.choice;
        let mut needs: Vec<Vec<FetchId>> =
            self.fetches.iter().map(|fetch| fetch.needs.clone()).collect();
        for (id, chosen) in &choice.visits {
            let inputs = chosen.inputs.iter().filter_map(|(visit, item)| {
                self.of_item.get(&begun(choice, *visit, *item)).copied()
            });
            let inputs: Vec<FetchId> = inputs.collect();
            for own in self.of_visit.get(id).into_iter().flatten() {
                if own.index() >= first {
                    needs[own.index()].extend(inputs.iter().filter(|input| *input != own));
                }
            }
        }
        for (fetch, mut needs) in self.fetches.iter_mut().zip(needs) {
            needs.sort_unstable();
            needs.dedup();
            fetch.needs = needs;
        }
    }
}

/// Returns the keys and the required field sets of a representation for several visits.
fn sets_of(visits: &[(VisitId, &ChosenVisit)]) -> (Vec<FieldSetId>, Vec<FieldSetId>) {
    let (mut keys, mut inputs) = (Vec::new(), Vec::new());
    for (_, chosen) in visits {
        if let VisitOrigin::Jump { key, .. } = &chosen.origin {
            keys.extend(*key);
            inputs.extend(chosen.visit.inputs);
        }
    }
    for sets in [&mut keys, &mut inputs] {
        sets.sort_unstable();
        sets.dedup();
    }
    (keys, inputs)
}

/// Returns the contexts that some selections use: a visit may have more for other fields below,
/// which are fetched differently.
pub(crate) fn contexts_of<'s>(selected: impl Iterator<Item = &'s Selection>) -> Vec<ContextId> {
    let mut all = Vec::new();
    let mut open: Vec<&Selection> = selected.collect();
    while let Some(selection) = open.pop() {
        open.extend(selection.fragments.iter().map(|(_, below)| below));
        for field in &selection.fields {
            all.extend(field.context_arguments.iter().map(|(_, context)| *context));
            open.extend(&field.below);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether one object can have all of these field sets: no field occurs with different arguments.
fn are_compatible(supergraph: &Supergraph, sets: &[FieldSetId]) -> bool {
    let mut named: BTreeMap<&str, (String, Vec<FieldSetId>)> = BTreeMap::new();
    let mut open = sets.to_vec();
    while let Some(set) = open.pop() {
        for selection in &supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {}
                SetSelection::On(set) => open.push(*set),
                SetSelection::Field { field, arguments, set } => {
                    let arguments = format!("{arguments:?}");
                    let name = &*supergraph.schema[*field].name;
                    let known =
                        named.entry(name).or_insert_with(|| (arguments.clone(), Vec::new()));
                    if known.0 != arguments {
                        return false;
                    }
                    known.1.extend(*set);
                }
            }
        }
    }
    named.values().all(|(_, below)| below.len() < 2 || are_compatible(supergraph, below))
}

/// Returns the name of an item's field.
pub(crate) fn name_of(kind: &ItemKind) -> &str {
    match kind {
        ItemKind::Field { name, .. } => name,
        ItemKind::Typename => "__typename",
        ItemKind::Introspection => "__schema",
    }
}
