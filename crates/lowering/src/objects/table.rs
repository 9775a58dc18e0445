//! The table of the objects of a change, and the steps that look for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{EntityId, FieldId};
use ir::{
    Filter, FindPurpose, From, KeyPlace, NewKeyPlace, ObjectChange, ObjectKey, ObjectKeys,
    ObjectSet, Operand, Otherwise, OtherwiseKind, PasswordPart, StepId, StepKind, WhichObjects,
};

use super::super::{Context, Outputs};
use super::collect::{Collected, Identifier, Object, Origin};

/// The objects of a change, by which lists of their keys are made.
#[derive(Clone, Debug)]
pub(super) struct Table(Arc<ObjectSet>);

/// A look-up of objects of an entity by a field.
type LookUp = (EntityId, FieldId, FieldId);

impl Table {
    /// The keys of objects that exist or are created.
    pub(super) fn all(&self, each: Vec<Option<u32>>) -> Operand {
        self.keys(WhichObjects::All, each)
    }

    /// The keys of those that are created.
    pub(super) fn created(&self, each: Vec<Option<u32>>) -> Operand {
        self.keys(WhichObjects::New, each)
    }

    /// The keys of those that exist.
    pub(super) fn found(&self, each: Vec<Option<u32>>) -> Operand {
        self.keys(WhichObjects::Found, each)
    }

    /// The keys of those that exist, or that other objects of the same identity create.
    pub(super) fn elsewhere(&self, each: Vec<Option<u32>>) -> Operand {
        self.keys(WhichObjects::Elsewhere, each)
    }

    fn keys(&self, which: WhichObjects, each: Vec<Option<u32>>) -> Operand {
        Operand::Objects(Arc::new(ObjectKeys { set: Arc::clone(&self.0), which, each }))
    }
}

impl Context<'_> {
    /// Adds the steps that look for the objects and take keys for new ones.
    pub(super) fn table(&mut self, collected: &Collected, only_if: Option<StepId>) -> Table {
        let mut looked: BTreeMap<LookUp, Vec<(u32, Operand)>> = BTreeMap::new();
        let mut created: Vec<u32> = Vec::new();
        for (place, object) in collected.objects.iter().enumerate() {
            let place = Object::place(place);
            let (entity, key) = (object.binding.entity, object.binding.key);
            match &object.key {
                Some(value) => {
                    for (entity, key) in [(entity, key)].iter().chain(&*object.others) {
                        let values = looked.entry((*entity, *key, *key)).or_default();
                        values.push((place, value.clone()));
                    }
                }
                None => {
                    for Identifier { field, value, .. } in &object.identifiers {
                        let values = looked.entry((entity, key, *field)).or_default();
                        values.push((place, value.clone()));
                    }
                }
            }
            if object.can_be_new {
                created.push(place);
            }
        }
        let mut found: Vec<Vec<(FieldId, KeyPlace)>> = vec![Vec::new(); collected.objects.len()];
        for ((entity, key, by), values) in looked {
            let (places, values): (Vec<u32>, Vec<Operand>) = values.into_iter().unzip();
            let step = self.look_up(entity, key, (by, Operand::List(values)));
            for (object, place) in places.into_iter().zip(0..) {
                if let Some(found) = found.get_mut(object as usize) {
                    found.push((by, KeyPlace { step, place }));
                }
            }
        }
        let made = self.new_keys(collected, &created);
        let mut held: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for own in &collected.held {
            let field = Object::place(own.field.index());
            held.entry(own.holder).or_default().push((field, own.target));
        }
        let mut objects = Vec::with_capacity(collected.objects.len());
        for (place, object) in collected.objects.iter().enumerate() {
            let number = created.binary_search(&Object::place(place)).ok();
            let new = number.zip(made);
            let new = new.map(|(number, step)| NewKeyPlace {
                step,
                place: Object::place(number),
                count: Object::place(created.len()),
            });
            let unless = object.unless.iter();
            let unless = unless.filter_map(|around| found.get(*around as usize)).flatten();
            let found = found.get(place).map_or(&[][..], Vec::as_slice);
            objects.push(ObjectKey {
                unless: unless.map(|(_, place)| *place).collect(),
                found: found.iter().map(|(_, place)| *place).collect(),
                new,
                identity: identity(object),
                further: further(object),
                description: description(object),
                has_key: object.key.is_some(),
                held: held.remove(&Object::place(place)).unwrap_or_default(),
                is_outermost: object.is_outermost(),
                missing: (!object.can_be_new).then(|| Box::new(missing(object))),
                existing: existing(object, found.iter().map(|(by, _)| *by)),
            });
        }
        Table(Arc::new(ObjectSet { objects, only_if }))
    }

    /// A step that reads the keys of rows by the values of a field.
    fn look_up(
        &mut self,
        entity: EntityId,
        key: FieldId,
        (by, values): (FieldId, Operand),
    ) -> StepId {
        let mut outputs = Outputs::default();
        outputs.field(self, &[], key, ir::Form::Stored);
        outputs.ordinal(self);
        let from = From::Keys { entity, keys: vec![(by, values)], external: Vec::new() };
        let rows = self.key_rows(from, Filter::all(), outputs);
        let purpose = FindPurpose::Refer;
        self.add_step(StepKind::Objects(ObjectChange::Find { rows, purpose }))
    }

    fn new_keys(&mut self, collected: &Collected, new: &[u32]) -> Option<StepId> {
        let first = collected.objects.get(*new.first()? as usize)?;
        let (key, count) = (first.binding.key, Object::place(new.len()));
        Some(self.add_step(StepKind::Objects(ObjectChange::NewKeys { key, count })))
    }
}

/// The key of an object that exists, or else its first identifier.
fn identity(object: &Object) -> Option<(u32, Operand)> {
    if let Some(key) = &object.key {
        return Some((Object::place(object.binding.key.index()), key.clone()));
    }
    let Identifier { field, value, .. } = object.identifiers.first()?;
    Some((Object::place(field.index()), value.clone()))
}

/// The identifiers after the first.
fn further(object: &Object) -> Vec<(u32, Operand)> {
    let identifiers = object.identifiers.iter().skip(1);
    identifiers.map(|known| (Object::place(known.field.index()), known.value.clone())).collect()
}

/// The values besides identifiers, unless the object only names another.
fn description(object: &Object) -> Option<Vec<(u32, Operand)>> {
    if object.key.is_some() || (object.is_bare() && !object.is_outermost()) {
        return None;
    }
    let is_identifier = |field| object.identifiers.iter().any(|own| own.field == field);
    let values = object.values.iter().filter(|(field, _)| !is_identifier(*field));
    let values = values.map(|(field, operand)| (Object::place(field.index()), described(operand)));
    let mut values: Vec<_> = values.collect();
    values.sort_by_key(|(number, _)| *number);
    Some(values)
}

/// A value that equals that of an equal object: hashes of one password differ.
fn described(value: &Operand) -> Operand {
    match value {
        Operand::Password { number, .. } => {
            Operand::Password { number: *number, part: PasswordPart::Given }
        }
        _ => value.clone(),
    }
}

fn missing(object: &Object) -> Otherwise {
    let name = &object.binding.name;
    let message = match object.key {
        Some(_) => format!("no {name} has this ID"),
        None if object.binding.is_creatable => {
            format!("there is no {name} with this identifier, and too little to add one")
        }
        None => format!("there is no {name} with this identifier"),
    };
    Otherwise::new(OtherwiseKind::Missing, message)
}

/// The errors of an object that must not exist, by the fields of its look-ups. Clients know the texts
/// of Dgraph's.
fn existing(object: &Object, by: impl Iterator<Item = FieldId>) -> Vec<Otherwise> {
    if object.origin != Origin::Added || object.key.is_some() {
        return Vec::new();
    }
    let identifier = |by: FieldId| object.identifiers.iter().find(|known| known.field == by);
    let errors = by.filter_map(identifier).map(|Identifier { name, value, .. }| {
        let (gap, r#type) = (Otherwise::GAP, &object.binding.name);
        let message = format!("id {gap} already exists for field {name} inside type {type}");
        Otherwise { gaps: vec![value.clone()], ..Otherwise::new(OtherwiseKind::Invalid, message) }
    });
    errors.collect()
}
