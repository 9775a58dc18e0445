//! Visits: the objects of one type as one subgraph returns them, and their fields there.

use std::rc::Rc;

use graphql::schema::{FieldId, TypeId};
use rustc_hash::FxHashMap;

use super::conditions::{Condition, Conditions};
use crate::{ContextSource, FieldIn, FieldSetId, SubgraphId, Supergraph};

/// Index of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct VisitId(u32);

/// Index of a list of provided field sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ProvidedId(u32);

/// Index of a list of contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ContextsId(u32);

/// The objects of one type as one subgraph returns them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Visit {
    pub(super) object: TypeId,
    pub(super) subgraph: SubgraphId,
    /// The interface object type, if the subgraph does not know the object types.
    pub(super) interface: Option<TypeId>,
    /// Field sets that the subgraph provides here only (`@provides`).
    pub(super) provided: ProvidedId,
    /// Required fields that were sent with the representations.
    pub(super) requires: Option<FieldSetId>,
    pub(super) sent: SentContexts,
}

/// Contexts whose values were sent with the representations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum SentContexts {
    None,
    /// All that the subgraph takes: the visit is a jump.
    All,
    /// Those of a jump to enclosing objects, which no object between them sets.
    Above(ContextsId),
}

/// A field of a visit, which its subgraph resolves.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) when: Condition,
    /// Contexts that it takes, by their index in [`Visits::contexts`].
    pub(super) contexts: Vec<usize>,
    /// Visits of the possible types of its values.
    pub(super) children: Vec<(TypeId, VisitId)>,
}

/// A jump to a subgraph by representations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    pub(super) to: VisitId,
    pub(super) subgraph: SubgraphId,
    /// The type with the key: the object type, or an interface.
    pub(super) on: TypeId,
    /// `None` if a root type is entered again.
    pub(super) key: Option<FieldSetId>,
    pub(super) requires: Option<FieldSetId>,
    pub(super) runtime_type: RuntimeType,
}

/// Knowledge about the runtime type that a jump needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuntimeType {
    /// Representations contain it.
    Known,
    /// The subgraph resolves it.
    Unknown,
    /// Representations contain the name of an interface.
    Any,
}

/// All visits of one check.
#[derive(Debug)]
pub(super) struct Visits<'s> {
    pub(super) supergraph: &'s Supergraph,
    pub(super) conditions: Conditions,
    /// Distinct contexts, by their sources.
    pub(super) contexts: Vec<Vec<ContextSource>>,
    /// Contexts that fields of a subgraph take, sorted.
    taken: FxHashMap<SubgraphId, Vec<usize>>,
    lists: Vec<Vec<usize>>,
    visits: Vec<Visit>,
    by_visit: FxHashMap<Visit, VisitId>,
    provided: Vec<Vec<FieldSetId>>,
    by_provided: FxHashMap<Vec<FieldSetId>, ProvidedId>,
    /// By field: the type that has it.
    parents: Vec<TypeId>,
    edges: FxHashMap<(VisitId, FieldId), Option<Rc<Edge>>>,
    jumps: FxHashMap<TypeId, Rc<[Jump]>>,
}

impl<'s> Visits<'s> {
    pub(super) fn new(supergraph: &'s Supergraph, conditions: Conditions) -> Self {
        let mut this = Self {
            supergraph,
            conditions,
            contexts: Vec::new(),
            taken: FxHashMap::default(),
            lists: Vec::new(),
            visits: Vec::new(),
            by_visit: FxHashMap::default(),
            provided: Vec::new(),
            by_provided: FxHashMap::default(),
            parents: parents(supergraph),
            edges: FxHashMap::default(),
            jumps: FxHashMap::default(),
        };
        this.provide(Vec::new());
        if supergraph.has_contexts() {
            this.find_contexts();
        }
        this
    }

    pub(super) fn visit(&self, id: VisitId) -> Visit {
        self.visits[id.0 as usize]
    }

    /// Returns the id of a visit that needs nothing from its parent.
    pub(super) fn plain(
        &mut self,
        object: TypeId,
        subgraph: SubgraphId,
        interface: Option<TypeId>,
    ) -> VisitId {
        let (provided, requires, sent) = (ProvidedId(0), None, SentContexts::None);
        self.add(Visit { object, subgraph, interface, provided, requires, sent })
    }

    /// Returns a field of a visit, if the subgraph resolves it there. The field may be one of an
    /// interface of the object.
    pub(super) fn edge(&mut self, id: VisitId, field: FieldId) -> Option<Rc<Edge>> {
        // Most fields are in few of the subgraphs that have the type.
        let visit = &self.visits[id.0 as usize];
        if visit.provided == ProvidedId(0)
            && self.parents[field.index()] == visit.interface.unwrap_or(visit.object)
            && self.supergraph.field_in(field, visit.subgraph).is_none()
        {
            return None;
        }
        if let Some(known) = self.edges.get(&(id, field)) {
            return known.clone();
        }
        let edge = self.resolve(id, field).map(Rc::new);
        self.edges.insert((id, field), edge.clone());
        edge
    }

    /// Returns the jumps to the objects of a type.
    pub(super) fn jumps(&mut self, object: TypeId) -> Rc<[Jump]> {
        if let Some(known) = self.jumps.get(&object) {
            return Rc::clone(known);
        }
        let schema = &self.supergraph.schema;
        let jumps = match Some(object) {
            root if root == schema.query => self.entries(object),
            root if root == schema.mutation || root == schema.subscription => Vec::new(),
            _ => self.entity_jumps(object),
        };
        let jumps: Rc<[Jump]> = jumps.into();
        self.jumps.insert(object, Rc::clone(&jumps));
        jumps
    }

    /// Returns the field as the subgraph of a visit declares it, with the parent type there.
    pub(super) fn declared(&self, visit: &Visit, name: &str) -> Option<&'s FieldIn> {
        let field = self.supergraph.find_field(visit.interface.unwrap_or(visit.object), name)?;
        self.supergraph.field_in(field, visit.subgraph)
    }

    /// Returns the index of a context.
    pub(super) fn context(&self, sources: &[ContextSource]) -> Option<usize> {
        self.contexts.iter().position(|known| known == sources)
    }

    fn resolve(&mut self, id: VisitId, field: FieldId) -> Option<Edge> {
        let supergraph = self.supergraph;
        let visit = self.visit(id);
        let name = &*supergraph.schema[field].name;
        let provided = &self.provided[visit.provided.0 as usize];
        let provided = match provided.is_empty() {
            true => None,
            false => supergraph.provided(provided, visit.object, name),
        };
        let parent = visit.interface.unwrap_or(visit.object);
        let field = match self.parents[field.index()] == parent {
            true => field,
            false => supergraph.find_field(parent, name)?,
        };
        let Some(own) = supergraph.field_in(field, visit.subgraph) else {
            // In Federation 1 only the field set shows that the subgraph has the field.
            let below = provided?;
            let base = supergraph.schema[field].r#type.base;
            let children = self.children(&visit, base, below);
            return Some(Edge { when: Condition::TRUE, contexts: Vec::new(), children });
        };
        let is_resolved = (!own.is_external || provided.is_some())
            && (own.requires.is_none() || own.requires == visit.requires)
            && own.context.iter().all(|taken| self.is_sent(&visit, &taken.sources));
        if !is_resolved {
            return None;
        }
        let mut below = provided.unwrap_or_default();
        below.extend(own.provides);
        let contexts = own.context.iter().filter_map(|taken| self.context(&taken.sources));
        let contexts = contexts.collect();
        let when = self.conditions.of(&own.when);
        Some(Edge { when, contexts, children: self.children(&visit, own.r#type.base, below) })
    }

    /// Returns the visits below a field of a visit.
    fn children(
        &mut self,
        parent: &Visit,
        base: TypeId,
        provided: Vec<FieldSetId>,
    ) -> Vec<(TypeId, VisitId)> {
        let supergraph = self.supergraph;
        if !supergraph.is_composite(base) {
            return Vec::new();
        }
        let (subgraph, sent) = (parent.subgraph, self.sent_below(parent));
        let is_interface_object =
            supergraph.type_in(base, subgraph).is_some_and(|known| known.is_interface_object);
        let (possible, interface) = match is_interface_object {
            true => (supergraph.possible(base), Some(base)),
            false => (supergraph.possible_in(base, subgraph), None),
        };
        let provided = self.provide(provided);
        let requires = None;
        let mut child = |object| {
            let visit = Visit { object, subgraph, interface, provided, requires, sent };
            (object, self.add(visit))
        };
        match supergraph.is_object(base) {
            // Members are searched among all object types.
            true if supergraph.contains(possible, base) => vec![child(base)],
            true => Vec::new(),
            false => supergraph.members(possible).map(child).collect(),
        }
    }

    /// Returns the jumps to a root type: any subgraph that has it can be entered.
    fn entries(&mut self, root: TypeId) -> Vec<Jump> {
        let owners = &self.supergraph.type_owners(root).subgraphs;
        let jumps = owners.iter().map(|owner| Jump {
            to: self.plain(root, owner.subgraph, None),
            subgraph: owner.subgraph,
            on: root,
            key: None,
            requires: None,
            runtime_type: RuntimeType::Any,
        });
        jumps.collect()
    }

    fn entity_jumps(&mut self, object: TypeId) -> Vec<Jump> {
        let supergraph = self.supergraph;
        let types = std::iter::once(object).chain(supergraph.interfaces(object).iter().copied());
        let mut jumps = Vec::new();
        for on in types {
            for owner in &supergraph.type_owners(on).subgraphs {
                let subgraph = owner.subgraph;
                // A subgraph with the interface itself returns objects of the types it knows.
                let knows = owner.is_interface_object
                    || supergraph.contains(supergraph.possible_in(on, subgraph), object);
                if !knows {
                    continue;
                }
                let interface = (on != object && owner.is_interface_object).then_some(on);
                let runtime_type = match (on == object, owner.is_interface_object) {
                    (true, _) => RuntimeType::Known,
                    (false, true) => RuntimeType::Any,
                    (false, false) => RuntimeType::Unknown,
                };
                let sent = match self.taken.contains_key(&subgraph) {
                    true => SentContexts::All,
                    false => SentContexts::None,
                };
                let mut inputs = vec![None];
                inputs.extend(self.required(interface.unwrap_or(object), subgraph).map(Some));
                for key in owner.keys.iter().filter(|key| key.is_resolvable) {
                    for requires in &inputs {
                        let (requires, provided) = (*requires, ProvidedId(0));
                        let visit = Visit { object, subgraph, interface, provided, requires, sent };
                        let (to, key) = (self.add(visit), Some(key.fields));
                        jumps.push(Jump { to, subgraph, on, key, requires, runtime_type });
                    }
                }
            }
        }
        jumps
    }

    /// Returns the distinct field sets that fields of a type require in a subgraph.
    fn required(
        &self,
        parent: TypeId,
        subgraph: SubgraphId,
    ) -> impl Iterator<Item = FieldSetId> + use<> {
        let fields = self.supergraph.fields(parent).iter();
        let own = fields.filter_map(|field| self.supergraph.field_in(*field, subgraph));
        let mut required: Vec<_> =
            own.filter(|own| !own.is_external).filter_map(|own| own.requires).collect();
        required.sort_unstable();
        required.dedup();
        required.into_iter()
    }

    fn find_contexts(&mut self) {
        let supergraph = self.supergraph;
        for (parent, _) in supergraph.schema.types() {
            let fields = supergraph.fields(parent).iter();
            for own in fields.flat_map(|field| &supergraph.field_owners(*field).subgraphs) {
                for taken in &own.context {
                    let place = self.context(&taken.sources).unwrap_or_else(|| {
                        self.contexts.push(taken.sources.clone());
                        self.contexts.len() - 1
                    });
                    let taken = self.taken.entry(own.subgraph).or_default();
                    if let Err(gap) = taken.binary_search(&place) {
                        taken.insert(gap, place);
                    }
                }
            }
        }
    }

    /// Returns the source of a context in objects of a type, if they set it.
    pub(super) fn source(&self, context: usize, object: TypeId) -> Option<ContextSource> {
        let mut sources = self.contexts[context].iter();
        let possible = |source: &TypeId| self.supergraph.possible(*source);
        let own = sources.find(|source| self.supergraph.contains(possible(&source.r#type), object));
        own.copied()
    }

    fn is_sent(&self, visit: &Visit, sources: &[ContextSource]) -> bool {
        match visit.sent {
            SentContexts::None => false,
            SentContexts::All => true,
            SentContexts::Above(list) => {
                self.context(sources).is_some_and(|context| self.list(list).contains(&context))
            }
        }
    }

    /// Returns the contexts that are sent for the fields below a visit.
    fn sent_below(&mut self, visit: &Visit) -> SentContexts {
        let list = match visit.sent {
            SentContexts::None => return SentContexts::None,
            // The objects of the jump may set contexts themselves.
            SentContexts::All => self.taken.get(&visit.subgraph).cloned().unwrap_or_default(),
            // The values that these objects set were not sent.
            SentContexts::Above(list) => {
                let list = self.list(list).iter().copied();
                list.filter(|context| self.source(*context, visit.object).is_none()).collect()
            }
        };
        if list.is_empty() {
            return SentContexts::None;
        }
        let known = self.lists.iter().position(|known| *known == list);
        let place = known.unwrap_or_else(|| {
            self.lists.push(list);
            self.lists.len() - 1
        });
        SentContexts::Above(ContextsId(u32::try_from(place).unwrap_or(u32::MAX)))
    }

    fn list(&self, id: ContextsId) -> &[usize] {
        &self.lists[id.0 as usize]
    }

    fn add(&mut self, visit: Visit) -> VisitId {
        let next = VisitId(u32::try_from(self.visits.len()).unwrap_or(u32::MAX));
        let id = *self.by_visit.entry(visit).or_insert(next);
        if id == next {
            self.visits.push(visit);
        }
        id
    }

    /// Returns the id of a list of provided field sets.
    fn provide(&mut self, mut sets: Vec<FieldSetId>) -> ProvidedId {
        sets.sort_unstable();
        sets.dedup();
        if let Some(known) = self.by_provided.get(&sets) {
            return *known;
        }
        let id = ProvidedId(u32::try_from(self.provided.len()).unwrap_or(u32::MAX));
        self.provided.push(sets.clone());
        self.by_provided.insert(sets, id);
        id
    }
}

/// Returns the types that have the fields, by field.
fn parents(supergraph: &Supergraph) -> Vec<TypeId> {
    let (fields, ..) = supergraph.schema.sizes();
    let mut parents = vec![TypeId::new(0); fields];
    for (parent, _) in supergraph.schema.types() {
        for field in supergraph.fields(parent) {
            parents[field.index()] = parent;
        }
    }
    parents
}
