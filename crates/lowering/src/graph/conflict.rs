//! Conflicting inputs of a change: the order of several changes of one value would be undefined.

use catalog::FieldId;
use graphql::operation::Location;
use graphql::schema::InputId;

use super::super::{Context, LowerError};
use super::WriteInput;
use api::binding::{AssignVerb, InputRole, MultiEntityRole, NodeRules, WriteRole};

impl Context<'_> {
    /// Records that an input changes a field, which no other of the same object may.
    pub(super) fn claim(
        &self,
        field: FieldId,
        id: InputId,
        location: Location,
        said: &mut WriteInput,
    ) -> Result<(), LowerError> {
        match said.changed.iter().find(|(known, _)| self.api.hold_one_value(*known, field)) {
            Some((_, first)) => Err(self.conflict(*first, id, location, said)),
            None => {
                said.changed.push((field, id));
                Ok(())
            }
        }
    }

    /// The error of two inputs of one object that change one field.
    fn conflict(
        &self,
        first: InputId,
        id: InputId,
        location: Location,
        said: &WriteInput,
    ) -> LowerError {
        let rules = self.rules_of(said);
        let set_twice = rules.and_then(|rules| rules.set_twice.as_ref());
        // Of inputs that compute with the value, the library names the one that sets it.
        let text = match (set_twice, self.is_set(first), self.is_set(id)) {
            (Some(text), true, false) => format!("{text}{}", self.api.schema[first].name),
            (Some(text), false, true) => format!("{text}{}", self.api.schema[id].name),
            _ => self.conflicting("", [first, id].into_iter(), said),
        };
        LowerError::refused(&text, location)
    }

    /// The error of an object with several assignments of one field.
    pub(super) fn conflict_within(
        &self,
        id: InputId,
        verbs: impl Iterator<Item = InputId>,
        location: Location,
        said: &WriteInput,
    ) -> LowerError {
        let field = format!("field {}: ", self.api.schema[id].name);
        LowerError::refused(&self.conflicting(&field, verbs, said), location)
    }

    fn conflicting(
        &self,
        what: &str,
        inputs: impl Iterator<Item = InputId>,
        said: &WriteInput,
    ) -> String {
        let name = |id: InputId| format!("[[{}]]", self.api.schema[id].name);
        let names: Vec<String> = inputs.map(name).collect();
        let names = names.join(", ");
        match self.name_of(said) {
            None => format!("Conflicting modification of {what}{names}"),
            Some(of) => format!("Conflicting modification of {what}{names} on type {of}"),
        }
    }

    /// The entity's name in errors.
    pub(super) fn name_of(&self, said: &WriteInput) -> Option<&str> {
        self.rules_of(said).map(|rules| &*rules.name).filter(|name| !name.is_empty())
    }

    fn rules_of(&self, said: &WriteInput) -> Option<&NodeRules> {
        Some(&self.api.find_entity(said.entity?)?.rules)
    }

    /// True if an input sets a value, and does not compute with the stored one.
    fn is_set(&self, id: InputId) -> bool {
        matches!(
            self.api.input(id).role,
            InputRole::Write(WriteRole::Stored(_))
                | InputRole::Write(WriteRole::Assign { verb: AssignVerb::Set, .. })
                | InputRole::Write(WriteRole::Several(MultiEntityRole::Assign {
                    verb: AssignVerb::Set,
                    ..
                }))
        )
    }
}
