//! Values that are set and removed.

use std::sync::Arc;

use catalog::FieldId;
use graphql::operation::Location;
use graphql::schema::InputId;
use ir::{ObjectChange, Operand, Pairing, PasswordPart};

use super::super::input::{Input, Presence};
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use super::collect::Collected;
use super::{ChangedType, Matched, list_of};
use api::binding::{
    HoldingField, InputRole, ObjectBinding, ObjectLink, ObjectRelation, ObjectRole, ObjectTarget,
    WriteRole,
};

impl Context<'_> {
    /// Sets values of the objects that a filter has found.
    pub(super) fn set_values(
        &mut self,
        (id, input): (InputId, &Input<'_>),
        own: &ChangedType<'_>,
        matched: Matched,
        location: Location,
    ) -> Result<(), LowerError> {
        let binding = &own.binding;
        let object = self.api.schema[id].r#type.base;
        let mut fields: Vec<(FieldId, Operand)> = Vec::new();
        let mut extended = Vec::new();
        let mut relations = Vec::new();
        for (id, input) in self.members_given(input, object, location)? {
            // A null is set by `remove`.
            if self.presence(&input) != Presence::Present {
                continue;
            }
            let r#type = self.api.schema[id].r#type;
            match &self.api.input(id).role {
                InputRole::Write(WriteRole::Stored(field))
                | InputRole::Write(WriteRole::Object(ObjectRole::Identifier(field))) => {
                    fields.push((*field, self.operand(&input, r#type)));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Common(place))) => {
                    fields.push((own.field(*place)?, self.operand(&input, r#type)));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Elements(field))) => {
                    fields.push((*field, self.operand(&input, r#type)));
                    extended.push(*field);
                }
                InputRole::Write(WriteRole::Object(ObjectRole::CommonElements(place))) => {
                    let field = own.field(*place)?;
                    fields.push((field, self.operand(&input, r#type)));
                    extended.push(field);
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Password(field))) => {
                    let number = self.new_password(self.operand(&input, r#type), location)?;
                    let part = PasswordPart::Hash;
                    fields.push((*field, Operand::Password { number, part }));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::CommonPassword(each))) => {
                    let field = own.password(each)?;
                    let given = self.operand(&input, r#type);
                    let number = self.new_common_password(given, location)?;
                    let part = PasswordPart::Hash;
                    fields.push((field, Operand::Password { number, part }));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Relation(relation))) => {
                    relations.push((id, input, (**relation).clone()));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::CommonRelation(each))) => {
                    let relation = each.get(own.place);
                    let relation = relation.ok_or_else(|| misplaced("a common relation"))?;
                    relations.push((id, input, relation.clone()));
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, location)),
                _ => return Err(misplaced("a value of updated objects")),
            }
        }
        for (field, operand) in self.generated_on_update(binding.entity) {
            if !fields.iter().any(|(given, _)| given == field) {
                fields.push((*field, operand.clone()));
            }
        }
        let (entity, key, keys) = (binding.entity, binding.key, matched.keys());
        if !fields.is_empty() {
            self.add_change(ObjectChange::SetAll { entity, key, keys, fields, extended });
        }
        for (id, input, relation) in relations {
            self.set_relation((id, &input), &relation, binding, (matched, location))?;
        }
        Ok(())
    }

    fn set_relation(
        &mut self,
        (id, input): (InputId, &Input<'_>),
        relation: &ObjectRelation,
        binding: &ObjectBinding,
        (matched, location): (Matched, Location),
    ) -> Result<(), LowerError> {
        let mut collected = Collected::default();
        let others = self.others((id, input), relation, location, &mut collected)?;
        let table = self.table(&collected, Some(matched.step));
        self.insert_objects(&collected, &table);
        let all = || table.all(others.iter().copied().map(Some).collect());
        let (entity, key) = (binding.entity, binding.key);
        match relation.link {
            ObjectLink::Near { field, is_unique } => {
                let rows = None;
                if is_unique {
                    self.add_change(ObjectChange::Clear { entity, field, values: all(), rows });
                }
                if relation.is_symmetric {
                    let (values, rows) = (matched.keys(), None);
                    self.add_change(ObjectChange::Clear { entity, field, values, rows });
                    let (keys, fields) = (all(), vec![(field, matched.keys())]);
                    self.add_change(ObjectChange::set_all(entity, key, keys, fields));
                }
                let (keys, fields) = (matched.keys(), vec![(field, all())]);
                self.add_change(ObjectChange::set_all(entity, key, keys, fields));
            }
            ObjectLink::Far { .. } if let ObjectTarget::Holding { each, .. } = &relation.target => {
                for own in &**each {
                    let HoldingField { entity, key, field, is_unique } = *own;
                    if is_unique {
                        let values = matched.keys();
                        self.add_change(ObjectChange::Clear { entity, field, values, rows: None });
                    }
                    let fields = vec![(field, matched.keys())];
                    self.add_change(ObjectChange::set_all(entity, key, all(), fields));
                }
            }
            ObjectLink::Far { field, is_unique } => {
                let Some(other) = collected.objects.first().map(|other| &other.binding) else {
                    return Ok(());
                };
                let (entity, key) = (other.entity, other.key);
                if is_unique {
                    let values = matched.keys();
                    self.add_change(ObjectChange::Clear { entity, field, values, rows: None });
                }
                let fields = vec![(field, matched.keys())];
                self.add_change(ObjectChange::set_all(entity, key, all(), fields));
            }
            ObjectLink::Joined { joining, near, far } => {
                let pairing = Pairing::All;
                let ends = ((near, matched.keys()), (far, all()));
                self.add_change(ObjectChange::Connect {
                    joining,
                    near: ends.0,
                    far: ends.1,
                    pairing,
                });
                if relation.is_symmetric {
                    let (near, far) = ((near, all()), (far, matched.keys()));
                    self.add_change(ObjectChange::Connect { joining, near, far, pairing });
                }
            }
        }
        Ok(())
    }

    /// Collects the objects of a relation.
    fn others(
        &self,
        (id, input): (InputId, &Input<'_>),
        relation: &ObjectRelation,
        location: Location,
        collected: &mut Collected,
    ) -> Result<Vec<u32>, LowerError> {
        let r#type = self.api.schema[id].r#type.base;
        let mut others = Vec::new();
        for input in self.stored_items(input)? {
            if self.presence(&input) == Presence::Present {
                others.push(self.target(&input, r#type, relation, location, collected)?);
            }
        }
        Ok(others)
    }

    /// Removes values of the objects that a filter has found.
    pub(super) fn remove_values(
        &mut self,
        (id, input): (InputId, &Input<'_>),
        own: &ChangedType<'_>,
        matched: Matched,
        location: Location,
    ) -> Result<(), LowerError> {
        let binding = &own.binding;
        let object = self.api.schema[id].r#type.base;
        let (entity, key) = (binding.entity, binding.key);
        for (id, input) in self.members_given(input, object, location)? {
            let is_null = self.presence(&input) != Presence::Present;
            let r#type = self.api.schema[id].r#type;
            let role = match self.api.input(id).role.clone() {
                InputRole::Write(WriteRole::Object(ObjectRole::Common(place))) => {
                    WriteRole::Stored(own.field(place)?).into()
                }
                InputRole::Write(WriteRole::Object(ObjectRole::CommonElements(place))) => {
                    WriteRole::Object(ObjectRole::Elements(own.field(place)?)).into()
                }
                InputRole::Write(WriteRole::Object(ObjectRole::CommonRelation(each))) => {
                    let relation = each.get(own.place).cloned();
                    let relation = relation.ok_or_else(|| misplaced("a common relation"))?;
                    WriteRole::Object(ObjectRole::Relation(Box::new(relation))).into()
                }
                InputRole::Write(WriteRole::Object(ObjectRole::CommonPassword(each))) => {
                    WriteRole::Object(ObjectRole::Password(own.password(&each)?)).into()
                }
                role => role,
            };
            match role {
                InputRole::Write(WriteRole::Stored(field))
                | InputRole::Write(WriteRole::Object(
                    ObjectRole::Elements(field) | ObjectRole::Identifier(field),
                )) => {
                    if !is_null && r#type.is_list() {
                        let elements = self.operand(&input, r#type);
                        let keys = matched.keys();
                        self.add_change(ObjectChange::RemoveElements {
                            entity,
                            key,
                            keys,
                            field,
                            elements,
                        });
                        continue;
                    }
                    let null = vec![(field, Operand::Constant(ir::Value::Null))];
                    let keys = matched.keys();
                    let change = match is_null {
                        true => ObjectChange::set_all(entity, key, keys, null),
                        // Only a value that is equal is removed.
                        false => ObjectChange::Clear {
                            entity,
                            field,
                            values: list_of(self.operand(&input, r#type)),
                            rows: Some((key, keys)),
                        },
                    };
                    self.add_change(change);
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Password(field))) => {
                    if !is_null {
                        let message = "A password is removed by null.";
                        return Err(LowerError::refused(message, location));
                    }
                    let fields = vec![(field, Operand::Constant(ir::Value::Null))];
                    let keys = matched.keys();
                    self.add_change(ObjectChange::set_all(entity, key, keys, fields));
                }
                InputRole::Write(WriteRole::Object(ObjectRole::Relation(relation))) => {
                    let place = (matched, location);
                    self.remove_relation((id, &input), &relation, binding, place)?;
                }
                InputRole::Refused(text) => {
                    if !is_null {
                        return Err(LowerError::refused(&text, location));
                    }
                }
                _ => return Err(misplaced("a value to remove")),
            }
        }
        Ok(())
    }

    fn remove_relation(
        &mut self,
        (id, input): (InputId, &Input<'_>),
        relation: &ObjectRelation,
        binding: &ObjectBinding,
        (matched, location): (Matched, Location),
    ) -> Result<(), LowerError> {
        let is_null = self.presence(input) != Presence::Present;
        let mut collected = Collected::default();
        let others = match is_null {
            true => Vec::new(),
            false => self.others((id, input), relation, location, &mut collected)?,
        };
        // Objects to remove exist: none is created.
        for object in &mut collected.objects {
            object.can_be_new = false;
        }
        let table = self.table(&collected, Some(matched.step));
        let found = || table.found(others.iter().copied().map(Some).collect());
        let (entity, key) = (binding.entity, binding.key);
        match relation.link {
            ObjectLink::Near { field, .. } => {
                let keys = matched.keys();
                let change = match is_null {
                    true => {
                        let fields = vec![(field, Operand::Constant(ir::Value::Null))];
                        ObjectChange::set_all(entity, key, keys, fields)
                    }
                    false => ObjectChange::Clear {
                        entity,
                        field,
                        values: found(),
                        rows: Some((key, keys)),
                    },
                };
                self.add_change(change);
                if relation.is_symmetric {
                    let rows = (!is_null).then(|| (key, found()));
                    let values = matched.keys();
                    self.add_change(ObjectChange::Clear { entity, field, values, rows });
                }
            }
            ObjectLink::Far { field, .. } => {
                let other = match &relation.target {
                    ObjectTarget::One(other) => Arc::clone(other),
                    ObjectTarget::Holding { each, .. } => {
                        for own in &**each {
                            let rows = (!is_null).then(|| (own.key, found()));
                            let (entity, field, values) = (own.entity, own.field, matched.keys());
                            self.add_change(ObjectChange::Clear { entity, field, values, rows });
                        }
                        return Ok(());
                    }
                    ObjectTarget::Several { .. } => {
                        return Err(misplaced("a reference of several entities"));
                    }
                };
                let rows = (!is_null).then(|| (other.key, found()));
                let (entity, values) = (other.entity, matched.keys());
                self.add_change(ObjectChange::Clear { entity, field, values, rows });
            }
            ObjectLink::Joined { joining, near, far } => {
                let other = |field| (!is_null).then(|| (field, found()));
                let own = |field| (field, matched.keys());
                let change = ObjectChange::Disconnect { joining, near: own(near), far: other(far) };
                self.add_change(change);
                if relation.is_symmetric {
                    let (near, far) = (own(far), other(near));
                    self.add_change(ObjectChange::Disconnect { joining, near, far });
                }
            }
        }
        Ok(())
    }
}
