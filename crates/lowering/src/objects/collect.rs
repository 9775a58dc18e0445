//! Objects of an input, flat: each with its values, and with its relations to others.

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use graphql::schema::{InputId, TypeId};
use ir::{Operand, PasswordPart};

use super::super::input::Input;
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use api::binding::{
    HoldingField, InputRole, ObjectBinding, ObjectLink, ObjectRelation, ObjectRole, ObjectTarget,
    RequiredMember, VariantRole, WriteRole,
};

/// The objects of an input.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) objects: Vec<Object>,
    /// The outermost ones.
    pub(super) top: Vec<u32>,
    pub(super) held: Vec<HeldKey>,
    pub(super) joined: Vec<JoinedKeys>,
    /// Objects with identifiers around the one that is being collected.
    around: Vec<u32>,
}

/// An object of a change.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) binding: Arc<ObjectBinding>,
    pub(super) origin: Origin,
    /// The key of an object that exists.
    pub(super) key: Option<Operand>,
    /// Other entities in which it may be found by its key.
    pub(super) others: Arc<[(EntityId, FieldId)]>,
    /// Values that no two objects have.
    pub(super) identifiers: Vec<Identifier>,
    /// All values to store, identifiers included.
    pub(super) values: Vec<(FieldId, Operand)>,
    /// Those of the values that are lists: an object that exists gets the elements that it lacks.
    pub(super) lists: Vec<FieldId>,
    /// True if its input names related objects.
    pub(super) has_relations: bool,
    /// True if it can be created.
    pub(super) can_be_new: bool,
    /// Objects around it that may exist: then it is not part of the change.
    pub(super) unless: Vec<u32>,
}

/// A value that no two objects have.
#[derive(Debug)]
pub(super) struct Identifier {
    pub(super) field: FieldId,
    /// The name of its member in the input.
    pub(super) name: Box<str>,
    pub(super) value: Operand,
}

/// The position of an object in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Outermost: it must not exist.
    Added,
    /// Outermost: it is updated if it exists.
    Upserted,
    /// Within another one: it is created unless it exists.
    Referred,
}

/// A field of one object that holds the key of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldKey {
    pub(super) holder: u32,
    pub(super) entity: EntityId,
    /// The key of the holder.
    pub(super) key: FieldId,
    pub(super) field: FieldId,
    pub(super) is_unique: bool,
    pub(super) target: u32,
}

/// A join row with the keys of two objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinedKeys {
    pub(super) joining: EntityId,
    pub(super) near: (FieldId, u32),
    pub(super) far: (FieldId, u32),
}

impl Context<'_> {
    /// Adds an object of the input with all that it refers to, and returns its index.
    pub(super) fn add_object(
        &self,
        input: &Input<'_>,
        r#type: TypeId,
        binding: &Arc<ObjectBinding>,
        (origin, location): (Origin, Location),
        collected: &mut Collected,
    ) -> Result<u32, LowerError> {
        self.add_object_by(None, input, (r#type, binding), (origin, location), collected)
    }

    /// The same of an object to which a relation leads.
    fn add_object_by(
        &self,
        link: Option<ObjectLink>,
        input: &Input<'_>,
        (r#type, binding): (TypeId, &Arc<ObjectBinding>),
        (origin, location): (Origin, Location),
        collected: &mut Collected,
    ) -> Result<u32, LowerError> {
        // A null member is as an absent one.
        let members = self.members_present(input, r#type, location)?;
        let mut object = Object {
            binding: Arc::clone(binding),
            origin,
            key: None,
            others: Arc::new([]),
            identifiers: Vec::new(),
            values: Vec::new(),
            lists: Vec::new(),
            has_relations: false,
            can_be_new: binding.is_creatable,
            unless: collected.around.clone(),
        };
        let mut relations = Vec::new();
        let mut given: Vec<&str> = Vec::new();
        for (id, input) in &members {
            given.push(&self.api.schema[*id].name);
            let r#type = self.api.schema[*id].r#type;
            match &self.api.input(*id).role {
                InputRole::Write(WriteRole::Stored(field)) => {
                    object.values.push((*field, self.operand(input, r#type)));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Elements(field))) => {
                    object.values.push((*field, self.operand(input, r#type)));
                    object.lists.push(*field);
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Key)) => {
                    object.key = Some(self.operand(input, r#type));
                }
                InputRole::Write(WriteRole::Object(
                    role @ (ObjectRole::Identifier(field) | ObjectRole::ExternalIdentifier(field)),
                )) => {
                    let operand = match role {
                        ObjectRole::ExternalIdentifier(_) => self.plain_operand(input),
                        _ => self.operand(input, r#type),
                    };
                    let name = Box::from(&*self.api.schema[*id].name);
                    let value = operand.clone();
                    object.identifiers.push(Identifier { field: *field, name, value });
                    object.values.push((*field, operand));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Password(field))) => {
                    let given = self.operand(input, r#type);
                    let number = self.new_password(given, location)?;
                    let part = PasswordPart::Hash;
                    object.values.push((*field, Operand::Password { number, part }));
                }
                // The object is related to the one around it, whatever its input names.
                InputRole::Write(WriteRole::Object(ObjectRole::Relation(relation)))
                    if link.is_some_and(|link| relation.leads_back(link)) => {}
                InputRole::Write(WriteRole::Object(ObjectRole::Relation(relation))) => {
                    relations.push((*id, input.clone(), relation));
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, location)),
                _ => return Err(misplaced("a member of an object")),
            }
        }
        let is_given = |member: &RequiredMember| {
            let by = link.zip(member.link);
            given.contains(&&*member.name) || by.is_some_and(|(link, own)| link.is_stored_as(own))
        };
        let missing = binding.required.iter().find(|member| !is_given(member));
        object.has_relations = !relations.is_empty();
        if object.key.is_some() {
            object.can_be_new = false;
        } else if !binding.is_creatable && object.identifiers.is_empty() {
            let message = format!("a {} is named by an identifier here", binding.name);
            return Err(LowerError::refused(&message, location));
        } else if let Some(RequiredMember { name, .. }) = missing {
            let is_reference = origin == Origin::Referred && !object.identifiers.is_empty();
            if !is_reference {
                let message = format!(
                    "type {} requires a value for field {name}, but no value present",
                    binding.name
                );
                return Err(LowerError::refused(&message, location));
            }
            object.can_be_new = false;
        }
        let is_found_alone = object.key.is_some();
        let may_exist = origin == Origin::Referred && !object.identifiers.is_empty();
        let place = Object::place(collected.objects.len());
        collected.objects.push(object);
        // An object that is given by its key is not changed.
        if is_found_alone {
            return Ok(place);
        }
        if may_exist {
            collected.around.push(place);
        }
        for (id, input, relation) in relations {
            self.related_objects((id, &input), relation, (place, binding), location, collected)?;
        }
        if may_exist {
            collected.around.pop();
        }
        Ok(place)
    }

    fn related_objects(
        &self,
        (id, input): (InputId, &Input<'_>),
        relation: &ObjectRelation,
        (place, binding): (u32, &ObjectBinding),
        location: Location,
        collected: &mut Collected,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type.base;
        for input in self.stored_items(input)? {
            if !self.is_present_object(&input) {
                continue;
            }
            let other = self.target(&input, r#type, relation, location, collected)?;
            collected.relate((place, binding.entity, binding.key), relation, other);
        }
        Ok(())
    }

    /// Adds the object at the other end of a relation.
    pub(super) fn target(
        &self,
        input: &Input<'_>,
        r#type: TypeId,
        relation: &ObjectRelation,
        location: Location,
        collected: &mut Collected,
    ) -> Result<u32, LowerError> {
        let place = (Origin::Referred, location);
        let link = Some(relation.link);
        match &relation.target {
            ObjectTarget::One(binding) => {
                self.add_object_by(link, input, (r#type, binding), place, collected)
            }
            ObjectTarget::Holding { keys, others, .. } => {
                let binding = (r#type, keys);
                let object = self.add_object_by(link, input, binding, place, collected)?;
                if let Some(object) = collected.objects.get_mut(object as usize) {
                    object.others = Arc::clone(others);
                }
                Ok(object)
            }
            ObjectTarget::Several { keys, each } => {
                let members = self.members_present(input, r#type, location)?;
                let of = |(id, _): &(InputId, Input<'_>)| match self.api.input(*id).role {
                    InputRole::Variant(VariantRole::Of(number)) => Some(number),
                    _ => None,
                };
                match members.as_slice() {
                    [only] if of(only).is_some() => {
                        let number = of(only).map_or(0, usize::from);
                        let binding =
                            each.get(number).ok_or_else(|| misplaced("an object of several"))?;
                        let r#type = self.api.schema[only.0].r#type.base;
                        self.add_object_by(link, &only.1, (r#type, binding), place, collected)
                    }
                    members if members.iter().any(|member| of(member).is_some()) => {
                        let message = "value for field must have only one child of the union";
                        Err(LowerError::refused(message, location))
                    }
                    _ => self.add_object_by(link, input, (r#type, keys), place, collected),
                }
            }
        }
    }
}

impl Collected {
    /// Whether an object is not part of the change if another one, around it, exists: no relation of
    /// both changes then.
    pub(super) fn is_within(&self, object: u32, other: u32) -> bool {
        let object = self.objects.get(object as usize);
        object.is_some_and(|object| object.unless.contains(&other))
    }

    /// Adds the relation of an object to another.
    pub(super) fn relate(
        &mut self,
        (place, entity, key): (u32, EntityId, FieldId),
        relation: &ObjectRelation,
        other: u32,
    ) {
        match relation.link {
            ObjectLink::Near { field, is_unique } => {
                let held = HeldKey { holder: place, entity, key, field, is_unique, target: other };
                self.held.push(held);
                if relation.is_symmetric {
                    self.held.push(HeldKey { holder: other, target: place, ..held });
                }
            }
            ObjectLink::Far { .. } if let ObjectTarget::Holding { each, .. } = &relation.target => {
                for own in &**each {
                    let HoldingField { entity, key, field, is_unique } = *own;
                    let held =
                        HeldKey { holder: other, entity, key, field, is_unique, target: place };
                    self.held.push(held);
                }
            }
            ObjectLink::Far { field, is_unique } => {
                let Some(object) = self.objects.get(other as usize) else { return };
                let ObjectBinding { entity, key, .. } = *object.binding;
                let held = HeldKey { holder: other, entity, key, field, is_unique, target: place };
                self.held.push(held);
            }
            ObjectLink::Joined { joining, near, far } => {
                self.joined.push(JoinedKeys { joining, near: (near, place), far: (far, other) });
                if relation.is_symmetric {
                    let (near, far) = ((near, other), (far, place));
                    self.joined.push(JoinedKeys { joining, near, far });
                }
            }
        }
    }
}
