//! Everything that could be read, by how many requests lead to it.

use graphql::schema::{FieldId, TypeId};
use rustc_hash::FxHashSet;

use super::facts::{Facts, GivenId, How, KnownId, Visit, VisitId};
use super::provided::provided;
use super::{Contexts, Labels, Limits, PlanError, Source, ToldId};
use crate::outline::{Arguments, ItemId, PositionId, Tree, What};
use crate::supergraph::{FieldIn, FieldSetId, SetSelection, SubgraphId, Supergraph};

/// Nothing is behind more requests than this.
const MAX_LEVEL: u16 = 64;

pub(super) fn reach(
    supergraph: &Supergraph,
    tree: &mut Tree,
    labels: &Labels,
    contexts: &Contexts,
    limits: Limits,
) -> Result<Facts, PlanError> {
    let mut reacher = Reacher {
        supergraph,
        tree,
        labels,
        contexts,
        limits,
        facts: Facts::default(),
        prepared: FxHashSet::default(),
        fresh: Vec::new(),
    };
    let nothing = reacher.facts.give(Vec::new());
    reacher.enter(nothing);
    let mut level = 1;
    while !reacher.fresh.is_empty() && level < MAX_LEVEL {
        reacher.expand()?;
        level += 1;
        reacher.hop_everywhere(level, nothing)?;
    }
    Ok(reacher.facts)
}

struct Reacher<'r> {
    supergraph: &'r Supergraph,
    tree: &'r mut Tree,
    labels: &'r Labels,
    contexts: &'r Contexts,
    limits: Limits,
    facts: Facts,
    /// The positions whose keys and requirements are in the tree.
    prepared: FxHashSet<PositionId>,
    /// Visits whose objects were not looked at yet.
    fresh: Vec<VisitId>,
}

impl Reacher<'_> {
    fn enter(&mut self, nothing: GivenId) {
        let root = self.tree.position(Tree::ROOT).r#type;
        for subgraph in self.supergraph.subgraph_ids() {
            if self.supergraph.type_in(root, subgraph).is_some() {
                let visit = Visit {
                    position: Tree::ROOT,
                    object: root,
                    subgraph,
                    interface: None,
                    given: nothing,
                    inputs: None,
                    told: None,
                };
                self.fresh.extend(self.facts.add_visit(visit, 1, How::Enter));
            }
        }
    }

    /// Reads what the fresh visits give, and goes down from there.
    fn expand(&mut self) -> Result<(), PlanError> {
        while let Some(id) = self.fresh.pop() {
            if self.facts.len() > self.limits.facts {
                return Err(PlanError::TooComplex);
            }
            let visit = *self.facts.visit(id);
            self.prepare(visit.position);
            for item in self.tree.position(visit.position).items.clone() {
                let asked = self.tree.item(item);
                if !asked.is_denied && self.supergraph.contains(&asked.types, visit.object) {
                    self.read(id, visit, item);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, id: VisitId, visit: Visit, item: ItemId) {
        let name = match &self.tree.item(item).what {
            What::Introspection => return,
            What::Typename => {
                // A subgraph that knows only the interface says the interface's name.
                if visit.interface.is_none() {
                    self.facts.add_known(id, item, None);
                }
                return;
            }
            What::Field { name, .. } => name.clone(),
        };
        let Some((field, given)) = self.readable(&visit, &name) else { return };
        let base = field.r#type.base;
        let own = field.provides;
        self.facts.add_known(id, item, self.typename_for(&visit, item));
        let Some(child) = self.tree.item(item).child else { return };
        let given = self.facts.give(given.into_iter().chain(own).collect());
        let level = self.facts.reached(id).level;
        let subgraph = visit.subgraph;
        // It still knows what it was told, where that is for something below.
        let told = visit.told.filter(|told| self.contexts.at(child, subgraph).contains(told));
        let is_interface_object =
            self.supergraph.type_in(base, subgraph).is_some_and(|owner| owner.is_interface_object);
        let (possible, interface) = match is_interface_object {
            true => (self.supergraph.possible(base), Some(base)),
            false => (self.supergraph.possible_in(base, subgraph), None),
        };
        for class in &self.tree.positions[child.index()].classes {
            let object = class.representative;
            if !self.supergraph.contains(possible, object) {
                continue;
            }
            let below =
                Visit { position: child, object, subgraph, interface, given, inputs: None, told };
            let how = How::Descend { from: id, item };
            self.fresh.extend(self.facts.add_visit(below, level, how));
        }
    }

    /// What says the types of the objects of a visit to an interface, if an item is part of the
    /// answer for some of them only.
    fn typename_for(&self, visit: &Visit, item: ItemId) -> Option<ItemId> {
        let item = self.tree.item(item);
        let possible = &self.tree.position(visit.position).possible;
        if visit.interface.is_none() || !item.is_visible || possible.is_subset(&item.types) {
            return None;
        }
        let (what, arguments) = (What::Typename, Arguments::default());
        self.tree.find(self.supergraph, visit.position, visit.object, &what, &arguments)
    }

    /// A field as the subgraph of a visit has it, if it gives it there; with what is provided below.
    fn readable(&self, visit: &Visit, name: &str) -> Option<(FieldIn, Vec<FieldSetId>)> {
        let schema = &self.supergraph.schema;
        let parent = visit.interface.unwrap_or(visit.object);
        let given = &self.facts.given[visit.given.index()];
        let provided = provided(self.supergraph, given, visit.object, name);
        let field = schema.find_field(parent, name)?;
        let Some(own) = self.supergraph.field_in(field, visit.subgraph) else {
            // Of the first version of federation only the set says that the subgraph has it.
            let below = provided?;
            return Some((FieldIn::plain(visit.subgraph, schema[field].r#type), below));
        };
        let is_there = self.labels.allow(&own.when)
            && (!own.is_external || provided.is_some())
            && (own.requires.is_none() || own.requires == visit.inputs)
            && (own.context.is_empty() || self.is_told(visit, field));
        is_there.then(|| (own.clone(), provided.unwrap_or_default()))
    }

    /// Whether a subgraph was told what a field takes from the objects above.
    fn is_told(&self, visit: &Visit, field: FieldId) -> bool {
        let wanted = self.contexts.of_field(visit.position, visit.subgraph, field);
        wanted.is_some_and(|(wanted, _)| visit.told == Some(wanted))
    }

    /// Whether a subgraph gives a field of a type wherever it reads objects of it, if it is told what
    /// it requires.
    fn gives(&self, parent: TypeId, name: &str, subgraph: SubgraphId) -> Option<&FieldIn> {
        let field = self.supergraph.schema.find_field(parent, name)?;
        let own = self.supergraph.field_in(field, subgraph)?;
        (self.labels.allow(&own.when) && !own.is_external).then_some(own)
    }

    /// Puts into the tree what it may take to come to the items of a position from elsewhere: keys of
    /// the subgraphs that have something of them, and what fields require.
    fn prepare(&mut self, position: PositionId) {
        if !self.prepared.insert(position) {
            return;
        }
        let classes = self.tree.position(position).classes.clone();
        for object in classes.into_iter().map(|class| class.representative) {
            if !self.is_certain(position, object) {
                let (what, arguments) = (What::Typename, Arguments::default());
                let _ = self.tree.hide_one(self.supergraph, position, object, what, arguments);
            }
            let mut asked: FxHashSet<SubgraphId> = FxHashSet::default();
            let mut required: FxHashSet<FieldSetId> = FxHashSet::default();
            loop {
                let mut sets = Vec::new();
                for subgraph in self.supergraph.subgraph_ids() {
                    let (is_asked, requires) = self.wanted(position, object, subgraph);
                    if is_asked && asked.insert(subgraph) {
                        sets.extend(self.keys(object, subgraph).into_iter().map(|(_, key)| key));
                    }
                    sets.extend(requires.into_iter().filter(|set| required.insert(*set)));
                }
                if sets.is_empty() {
                    break;
                }
                for set in sets {
                    // One that is nested too deep is no way.
                    let _ = self.tree.hide(self.supergraph, position, object, set);
                }
            }
        }
    }

    /// Whether a subgraph gives some item of a type at a position, and what it requires for them.
    fn wanted(
        &self,
        position: PositionId,
        object: TypeId,
        subgraph: SubgraphId,
    ) -> (bool, Vec<FieldSetId>) {
        let mut is_asked = false;
        let mut requires = Vec::new();
        for item in &self.tree.position(position).items {
            let item = self.tree.item(*item);
            if item.is_denied || !self.supergraph.contains(&item.types, object) {
                continue;
            }
            let name = match &item.what {
                What::Field { name, .. } => name,
                What::Typename => {
                    is_asked |= self.tells_type(position, object, subgraph);
                    continue;
                }
                What::Introspection => continue,
            };
            let parents = std::iter::once(object).chain(self.interface_objects(object, subgraph));
            for parent in parents {
                if let Some(own) = self.gives(parent, name, subgraph) {
                    is_asked = true;
                    requires.extend(own.requires);
                }
            }
        }
        (is_asked, requires)
    }

    /// Whether a subgraph says that objects are of a type, which somebody who gives them does not.
    fn tells_type(&self, position: PositionId, object: TypeId, subgraph: SubgraphId) -> bool {
        let is_opaque = |id: &VisitId| self.facts.visit(*id).interface.is_some();
        self.supergraph.contains(self.supergraph.possible_in(object, subgraph), object)
            && self.facts.at(position, object).iter().any(is_opaque)
    }

    /// The interfaces of a type that a subgraph knows as if they were objects.
    fn interface_objects(&self, object: TypeId, subgraph: SubgraphId) -> Vec<TypeId> {
        let interfaces = self.supergraph.interfaces(object).iter().copied();
        let is_object = |interface: &TypeId| {
            let owner = self.supergraph.type_in(*interface, subgraph);
            owner.is_some_and(|owner| owner.is_interface_object)
        };
        interfaces.filter(is_object).collect()
    }

    /// The keys by which a subgraph answers for objects of a type, with the type that has them.
    fn keys(&self, object: TypeId, subgraph: SubgraphId) -> Vec<(TypeId, FieldSetId)> {
        let types =
            std::iter::once(object).chain(self.supergraph.interfaces(object).iter().copied());
        let mut keys = Vec::new();
        for r#type in types {
            let Some(owner) = self.supergraph.type_in(r#type, subgraph) else { continue };
            // A subgraph that has the interface itself answers with objects that it knows.
            let knows = owner.is_interface_object
                || self.supergraph.contains(self.supergraph.possible_in(r#type, subgraph), object);
            let resolvable = owner.keys.iter().filter(|key| knows && key.is_resolvable);
            keys.extend(resolvable.map(|key| (r#type, key.fields)));
        }
        keys
    }

    /// Goes by representations wherever all that it takes is known before `level`.
    fn hop_everywhere(&mut self, level: u16, nothing: GivenId) -> Result<(), PlanError> {
        let mut places: Vec<(PositionId, TypeId)> = Vec::new();
        let mut seen = FxHashSet::default();
        for reached in &self.facts.visits {
            let place = (reached.visit.position, reached.visit.object);
            if seen.insert(place) {
                places.push(place);
            }
        }
        for (position, object) in places {
            if self.facts.len() > self.limits.facts {
                return Err(PlanError::TooComplex);
            }
            if position != Tree::ROOT {
                self.hop(position, object, level, nothing);
            }
        }
        Ok(())
    }

    fn hop(&mut self, position: PositionId, object: TypeId, level: u16, nothing: GivenId) {
        for subgraph in self.supergraph.subgraph_ids() {
            if Some(object) == self.supergraph.schema.query {
                self.reenter(position, object, subgraph, level, nothing);
                continue;
            }
            let (is_asked, mut requires) = self.wanted(position, object, subgraph);
            if !is_asked {
                continue;
            }
            requires.sort_unstable();
            requires.dedup();
            for (on, key) in self.keys(object, subgraph) {
                let Some(needs) = self.key_needs(position, object, subgraph, on, key) else {
                    continue;
                };
                let is_interface_object = on != object
                    && self
                        .supergraph
                        .type_in(on, subgraph)
                        .is_some_and(|owner| owner.is_interface_object);
                let interface = is_interface_object.then_some(on);
                for (inputs, told) in self.extras(position, subgraph, &requires) {
                    let mut needs = needs.clone();
                    if let Some(set) = inputs
                        && self.needs(position, object, set, &mut needs).is_none()
                    {
                        continue;
                    }
                    if let Some(told) = told
                        && self.context_needs(told, &mut needs).is_none()
                    {
                        continue;
                    }
                    let after = needs.iter().map(|need| self.facts.known(*need).level).max();
                    if after.unwrap_or(0) + 1 > level {
                        continue;
                    }
                    needs.sort_unstable();
                    needs.dedup();
                    let how = How::Hop { on, key: Some(key), needs };
                    let given = nothing;
                    let visit =
                        Visit { position, object, subgraph, interface, given, inputs, told };
                    self.fresh.extend(self.facts.add_visit(visit, level, how));
                }
            }
        }
    }

    /// What a subgraph may be told beside the key of objects: what one of its fields requires, and
    /// what objects above say.
    fn extras(
        &self,
        position: PositionId,
        subgraph: SubgraphId,
        requires: &[FieldSetId],
    ) -> Vec<(Option<FieldSetId>, Option<ToldId>)> {
        let told = self.contexts.at(position, subgraph);
        let told: Vec<_> = std::iter::once(None).chain(told.iter().copied().map(Some)).collect();
        let inputs = std::iter::once(None).chain(requires.iter().copied().map(Some));
        inputs.flat_map(|inputs| told.iter().map(move |told| (inputs, *told))).collect()
    }

    /// What has to be known of the objects above to tell a subgraph what they say.
    fn context_needs(&self, told: ToldId, needs: &mut Vec<KnownId>) -> Option<()> {
        let values = self.contexts.told(told).iter();
        let values = values.map(|value| &self.contexts.values()[value.index()]);
        for Source { position, object, set, .. } in values.flat_map(|value| &value.sources) {
            // Objects of a type that nobody gives there say nothing.
            if self.facts.at(*position, *object).is_empty() {
                continue;
            }
            if !self.is_certain(*position, *object) {
                let what = What::Typename;
                needs.push(self.known_of(*position, *object, &what, &Arguments::default())?);
            }
            self.needs(*position, *object, *set, needs)?;
        }
        Some(())
    }

    /// Enters the root type again where a field leads to it: every subgraph that has it can be asked,
    /// once somebody said that there is such an object.
    fn reenter(
        &mut self,
        position: PositionId,
        object: TypeId,
        subgraph: SubgraphId,
        level: u16,
        nothing: GivenId,
    ) {
        let Some(parent) = self.tree.position(position).parent else { return };
        if self.supergraph.type_in(object, subgraph).is_none() {
            return;
        }
        let at = self.tree.item(parent).position;
        let classes = self.tree.position(at).classes.iter();
        let known =
            classes.filter_map(|class| self.facts.find_known(at, class.representative, parent));
        let needs: Vec<KnownId> = known.collect();
        let after = needs.iter().map(|need| self.facts.known(*need).level).max();
        if after.is_none_or(|after| after >= level) {
            return;
        }
        let how = How::Hop { on: object, key: None, needs };
        let visit = Visit {
            position,
            object,
            subgraph,
            interface: None,
            given: nothing,
            inputs: None,
            told: None,
        };
        self.fresh.extend(self.facts.add_visit(visit, level, how));
    }

    /// What has to be known for a representation by a key.
    fn key_needs(
        &self,
        position: PositionId,
        object: TypeId,
        subgraph: SubgraphId,
        on: TypeId,
        key: FieldSetId,
    ) -> Option<Vec<KnownId>> {
        let mut needs = Vec::new();
        self.needs(position, object, key, &mut needs)?;
        if on == object && !self.is_certain(position, object) {
            needs.push(self.known_of(position, object, &What::Typename, &Arguments::default())?);
        } else if on != object {
            // By the interface's own key only where nobody says the types: it asks less of the other
            // subgraph to be told a type that it knows.
            let owner = self.supergraph.type_in(on, subgraph)?;
            let is_opaque = |id: &VisitId| self.facts.visit(*id).interface.is_some();
            if !owner.is_interface_object && !self.facts.at(position, object).iter().any(is_opaque)
            {
                return None;
            }
        }
        Some(needs)
    }

    /// What has to be known of the objects of a type to say a field set of them; `None` if it cannot
    /// be, as far as is known. Recursion is bounded by the nesting of field sets.
    fn needs(
        &self,
        position: PositionId,
        object: TypeId,
        set: FieldSetId,
        needs: &mut Vec<KnownId>,
    ) -> Option<()> {
        for selection in &self.supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {
                    let typename =
                        self.known_of(position, object, &What::Typename, &Arguments::default());
                    match typename {
                        Some(known) => needs.push(known),
                        None if self.is_certain(position, object) => {}
                        None => return None,
                    }
                }
                SetSelection::On(set) => {
                    let on = self.supergraph.field_set(*set).parent;
                    if self.supergraph.contains(self.supergraph.possible(on), object) {
                        self.needs(position, object, *set, needs)?;
                    }
                }
                SetSelection::Field { field, arguments, set } => {
                    let name = self.supergraph.schema[*field].name.clone();
                    let what = What::Field { name, field: *field };
                    let known =
                        self.known_of(position, object, &what, &Arguments::of_set(arguments))?;
                    needs.push(known);
                    let (Some(child), Some(set)) =
                        (self.tree.item(self.facts.known(known).item).child, *set)
                    else {
                        continue;
                    };
                    for class in &self.tree.position(child).classes {
                        let below = class.representative;
                        // Objects of a type that nobody gives there need nothing.
                        if !self.facts.at(child, below).is_empty() {
                            self.needs(child, below, set, needs)?;
                        }
                    }
                }
            }
        }
        Some(())
    }

    /// Whether all objects of a position are of one type, so that nobody has to say it.
    fn is_certain(&self, position: PositionId, object: TypeId) -> bool {
        self.tree.position(position).r#type == object
    }

    fn known_of(
        &self,
        position: PositionId,
        object: TypeId,
        what: &What,
        arguments: &Arguments,
    ) -> Option<KnownId> {
        let item = self.tree.find(self.supergraph, position, object, what, arguments)?;
        self.facts.find_known(position, object, item)
    }
}
