//! The values of an object in one subgraph, or in all of them together.

use std::cell::RefCell;
use std::rc::Rc;

use gateway::planner::Labels;
use graphql::schema::{FieldId, TypeId};
use serde_json::{Map, Value as Json};
use supergraph::{FieldIn, FieldSetId, OverrideCondition, SetSelection, SubgraphId, Supergraph};

use super::arguments::{canonical, of_constant};
use super::world::{Identity, Value, World};

/// An object as it is seen where it stands.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) identity: Identity,
    /// The type that it has here: its own, or an interface that is known as an object.
    pub(super) r#type: TypeId,
    /// Field sets that are provided here (`@provides`).
    provided: Vec<FieldSetId>,
    /// The representation by which it was resolved.
    representation: Option<Rc<Json>>,
    /// The parent object.
    pub(super) above: Option<Rc<Seen>>,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Null,
    Leaf(Json),
    Object(Seen),
    List(Vec<Given>),
    /// Its resolver fails, with an error.
    Failed,
    /// Null, whatever was promised.
    Broken,
}

/// The schema that resolves fields.
#[derive(Debug)]
pub(super) struct Resolver<'k> {
    pub(super) world: &'k World<'k>,
    /// `None`: the merged schema of all.
    pub(super) subgraph: Option<SubgraphId>,
    pub(super) labels: &'k Labels,
    /// Requests that are not permitted.
    pub(super) wrong: RefCell<Vec<String>>,
}

impl Seen {
    pub(super) fn plain(identity: Identity) -> Self {
        let (provided, representation, above) = (Vec::new(), None, None);
        Self { identity, r#type: identity.r#type, provided, representation, above }
    }
}

impl Resolver<'_> {
    pub(super) fn supergraph(&self) -> &Supergraph {
        self.world.supergraph
    }

    fn wrong(&self, what: String) {
        self.wrong.borrow_mut().push(what);
    }

    /// The value of a field.
    pub(super) fn field(&self, seen: &Seen, name: &str, arguments: &Map<String, Json>) -> Given {
        let supergraph = self.supergraph();
        let Some(own) = self.world.field(seen.identity.r#type, name) else { return Given::Null };
        let (mut declared, mut provided) = (supergraph.schema[own].r#type.base, Vec::new());
        if let Some(subgraph) = self.subgraph {
            let named = supergraph.schema.find_field(seen.r#type, name);
            let owner = named.and_then(|named| supergraph.field_in(named, subgraph));
            let Some(owner) = owner else {
                self.wrong(format!("`{}` is asked for and not there", self.coordinate(own)));
                return Given::Null;
            };
            let is_provided = self.provided(seen, name, &mut provided);
            self.watch(seen, own, owner, is_provided);
            provided.extend(owner.provides);
            declared = owner.r#type.base;
        }
        let is_all = self.subgraph.is_none();
        if self.world.fails(seen.identity, name)
            || is_all && self.world.input_fails(seen.identity, name)
        {
            return Given::Failed;
        }
        if self.world.is_broken(seen.identity, name) {
            return Given::Broken;
        }
        let mut text = canonical(&supergraph.schema, own, arguments);
        for taken in self.taken(seen, name) {
            let told = match self.subgraph {
                Some(_) => arguments.get(&*taken.name).cloned(),
                None => self.context_value(seen, taken),
            };
            let told = told.unwrap_or_default();
            if told.is_null() && taken.r#type.is_non_null() {
                return Given::Null;
            }
            text.extend(["{", &*taken.name, ":", &told.to_string(), "}"]);
        }
        let value = self.world.value(seen.identity, name, &text);
        let given = self.given(value, declared, &provided, seen);
        let Given::List(mut items) = given else { return given };
        for (place, item) in items.iter_mut().enumerate() {
            if self.world.element_fails(seen.identity, name, place) {
                *item = Given::Failed;
            }
        }
        Given::List(items)
    }

    /// The object that a representation is of.
    pub(super) fn entity(&self, representation: &Json) -> Option<Seen> {
        match self.find(representation) {
            Ok(seen) => {
                let is_gone = |subgraph| self.world.is_gone(seen.identity, subgraph);
                (!self.subgraph.is_some_and(is_gone)).then_some(seen)
            }
            Err(why) => {
                self.wrong(format!("{representation}: {why}"));
                None
            }
        }
    }

    /// Checks that a subgraph may be asked for a field of an object.
    fn watch(&self, seen: &Seen, own: FieldId, owner: &FieldIn, is_provided: bool) {
        let coordinate = self.coordinate(own);
        let is_on = |label: &str| self.labels.0.contains(label);
        let is_meant = match &owner.when {
            OverrideCondition::Always => true,
            OverrideCondition::On(label) => is_on(label),
            OverrideCondition::Off(label) => !is_on(label),
        };
        if !is_meant {
            self.wrong(format!("`{coordinate}` is asked for where a label says otherwise"));
        }
        if owner.is_external && !is_provided {
            self.wrong(format!("`{coordinate}` is external and asked for"));
        }
        let Some(inputs) = owner.requires else { return };
        match &seen.representation {
            None => self.wrong(format!("`{coordinate}` is asked for without what it requires")),
            Some(representation) => {
                if let Err(why) = self.agrees(inputs, seen.identity, representation) {
                    self.wrong(format!("`{coordinate}` requires: {why} in {representation}"));
                }
            }
        }
    }

    fn coordinate(&self, field: FieldId) -> String {
        let schema = &self.supergraph().schema;
        let name = &schema[field].name;
        let parent = schema.types().find(|(id, _)| schema.find_field(*id, name) == Some(field));
        format!("{}.{name}", parent.map_or("", |(_, parent)| &parent.name))
    }

    /// Whether a field is provided here, and the fields provided below it.
    fn provided(&self, seen: &Seen, name: &str, below: &mut Vec<FieldSetId>) -> bool {
        let supergraph = self.supergraph();
        let mut is_provided = false;
        let mut open = seen.provided.clone();
        while let Some(set) = open.pop() {
            for selection in &supergraph.field_set(set).selections {
                match selection {
                    SetSelection::Typename => {}
                    SetSelection::Field { field, set, .. } => {
                        if &*supergraph.schema[*field].name == name {
                            is_provided = true;
                            below.extend(set);
                        }
                    }
                    SetSelection::On(set) => {
                        let possible = supergraph.possible(supergraph.field_set(*set).parent);
                        if supergraph.contains(possible, seen.identity.r#type) {
                            open.push(*set);
                        }
                    }
                }
            }
        }
        is_provided
    }

    /// The value of a field, as an object of the schema sees it.
    fn given(
        &self,
        value: Value,
        declared: TypeId,
        provided: &[FieldSetId],
        above: &Seen,
    ) -> Given {
        match value {
            Value::Null => Given::Null,
            Value::Leaf(leaf) => Given::Leaf(leaf),
            Value::List(items) => {
                let items =
                    items.into_iter().map(|item| self.given(item, declared, provided, above));
                Given::List(items.collect())
            }
            Value::Object(identity) => {
                let (provided, above) = (provided.to_vec(), Some(Rc::new(above.clone())));
                let mut seen = Seen { provided, above, ..Seen::plain(identity) };
                if self.is_interface_object(declared) {
                    seen.r#type = declared;
                }
                Given::Object(seen)
            }
        }
    }

    fn is_interface_object(&self, r#type: TypeId) -> bool {
        let known = self.subgraph.and_then(|one| self.supergraph().type_in(r#type, one));
        known.is_some_and(|known| known.is_interface_object)
    }

    fn find(&self, representation: &Json) -> Result<Seen, String> {
        let supergraph = self.supergraph();
        let subgraph = self.subgraph.ok_or("there are no representations")?;
        let name = representation.get("__typename").and_then(Json::as_str).unwrap_or_default();
        let named = supergraph.schema.find_type(name).ok_or("its type is not known")?;
        let known = supergraph.type_in(named, subgraph).ok_or("its type is not there")?;
        let possible = match known.is_interface_object || supergraph.is_object(named) {
            true => supergraph.possible(named),
            false => supergraph.possible_in(named, subgraph),
        };
        let mut why = "it has no key".to_owned();
        for identity in self.world.objects(supergraph.members(possible)) {
            for key in known.keys.iter().filter(|key| key.is_resolvable) {
                match self.agrees(key.fields, identity, representation) {
                    Ok(()) => {
                        let r#type =
                            if known.is_interface_object { named } else { identity.r#type };
                        let representation = Some(Rc::new(representation.clone()));
                        return Ok(Seen { r#type, representation, ..Seen::plain(identity) });
                    }
                    Err(difference) => why = difference,
                }
            }
        }
        Err(why)
    }

    /// Checks that the values of a representation are true, as far as a set selects them.
    fn agrees(&self, set: FieldSetId, identity: Identity, said: &Json) -> Result<(), String> {
        let supergraph = self.supergraph();
        for selection in &supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {}
                SetSelection::Field { field, arguments, set } => {
                    let name = &*supergraph.schema[*field].name;
                    let Some(said) = said.get(name) else {
                        return Err(format!("`{name}` is not said"));
                    };
                    let own = self.world.field(identity.r#type, name).unwrap_or(*field);
                    let arguments = arguments.iter();
                    let arguments = arguments.map(|(name, literal)| {
                        (name.to_string(), of_constant(&literal.constant()))
                    });
                    let text = canonical(&supergraph.schema, own, &arguments.collect());
                    let value = self.world.value(identity, name, &text);
                    self.is_value(&value, *set, said).map_err(|why| format!("{name}: {why}"))?;
                }
                SetSelection::On(set) => {
                    let possible = supergraph.possible(supergraph.field_set(*set).parent);
                    if supergraph.contains(possible, identity.r#type) {
                        self.agrees(*set, identity, said)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn is_value(&self, value: &Value, set: Option<FieldSetId>, said: &Json) -> Result<(), String> {
        match (value, said) {
            (Value::Null, Json::Null) => Ok(()),
            // Some subgraph does not know the object that has it.
            (_, Json::Null) if self.world.failing.is_some_and(|failing| failing.gone > 0) => Ok(()),
            (Value::Leaf(leaf), said) if leaf == said => Ok(()),
            (Value::Leaf(leaf), said) => Err(format!("{said} is not {leaf}")),
            (Value::List(items), Json::Array(said)) if items.len() == said.len() => {
                items.iter().zip(said).try_for_each(|(item, said)| self.is_value(item, set, said))
            }
            (Value::Object(identity), Json::Object(_)) => {
                set.map_or(Ok(()), |set| self.agrees(set, *identity, said))
            }
            (Value::Null | Value::List(_) | Value::Object(_), said) => {
                Err(format!("{said} is not {value:?}"))
            }
        }
    }
}
