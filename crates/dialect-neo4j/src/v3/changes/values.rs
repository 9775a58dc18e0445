//! What requests say of what is stored.

use crate::model::{ModelField, PropertyType};
use crate::shared::draft::DraftInput;
use crate::shared::values::{constant, required, type_name};
use crate::v3::build::{Build, reason};
use crate::v3::classes::{Class, OF_ABSENT, OF_LISTS, Stored, USUAL, stored};
use crate::v3::relations::unique;
use crate::v3::roles::Values;
use api::binding::{AssignVerb, InputBinding, SeveralRole, WriteRole};

/// What becomes of a number: the end of the name, and how it is done.
const OF_INTEGERS: [(&str, AssignVerb); 2] =
    [("INCREMENT", AssignVerb::Add), ("DECREMENT", AssignVerb::Subtract)];
const OF_FLOATS: [(&str, AssignVerb); 4] = [
    ("ADD", AssignVerb::Add),
    ("SUBTRACT", AssignVerb::Subtract),
    ("DIVIDE", AssignVerb::Divide),
    ("MULTIPLY", AssignVerb::Multiply),
];

/// Of the inputs of values that have to be there.
const MUST_NOT_BE_NULL: &str = "The value must not be null.";

impl Build<'_> {
    /// The input types for the properties of relationships.
    pub(in crate::v3) fn add_edge_values(&mut self, place: usize) {
        let properties = &self.model.properties[place];
        let values = Values::Edge(place);
        let update = format!("{}UpdateInput", properties.name);
        self.add_updated(&update, &properties.fields, values);
        self.add_numbers(&update, &properties.fields, values);
        self.add_lists(&update, &properties.fields, &[Class::Primitive, Class::Point], values);
        let create = format!("{}CreateInput", properties.name);
        self.add_created(&create, &properties.fields, &USUAL, values);
    }

    /// The input types for what is stored in nodes.
    pub(in crate::v3) fn add_node_values(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        let (name, fields, values) = (&node.name, &node.fields, Values::Node(place));
        self.add_created(&format!("{name}CreateInput"), fields, &USUAL, values);
        let update = format!("{name}UpdateInput");
        self.add_updated(&update, fields, values);
        self.add_numbers(&update, fields, values);
        self.add_lists(&update, fields, &OF_LISTS, values);
        for one in unique(node) {
            let r#type = type_name(self.model, &one.property.r#type);
            let binding = match values.field(self.placed, one.place) {
                Some(field) => InputBinding::lenient(WriteRole::Stored(field)),
                None => super::nowhere(),
            };
            self.put(&format!("{name}UniqueWhere"), &one.field.name, r#type, binding);
        }
    }

    /// The values of a node that is created if it is not there.
    pub(super) fn add_absent_values(&mut self, place: usize) -> String {
        let node = &self.model.nodes[place];
        let name = format!("{}OnCreateInput", node.name);
        self.add_created(&name, &node.fields, &OF_ABSENT, Values::Node(place));
        self.fill(&name);
        name
    }

    fn add_created(
        &mut self,
        name: &str,
        fields: &[ModelField],
        classes: &[Class],
        values: Values,
    ) {
        self.draft.input(name);
        for one in stored(fields, classes) {
            if !one.field.offers.on_create || one.property.is_made_on_create() {
                continue;
            }
            let binding = match values.field(self.placed, one.place) {
                Some(field) => InputBinding::lenient(WriteRole::Stored(field)),
                None => super::nowhere(),
            };
            let r#type = required(self.given(one.property), one.property);
            let mut input = DraftInput::new(&one.field.name, &r#type, binding);
            input.default = one.property.default.as_ref().map(constant);
            input.deprecated = reason(one.field).map(Into::into);
            self.draft.add_input(name, input);
        }
    }

    pub(super) fn add_updated(&mut self, name: &str, fields: &[ModelField], values: Values) {
        self.draft.input(name);
        for one in updated(fields) {
            let binding = self.assigned(one, AssignVerb::Set, values);
            let r#type = self.given(one.property);
            self.put_for(name, &one.field.name, &r#type, binding, reason(one.field));
        }
    }

    /// What becomes of numbers.
    pub(super) fn add_numbers(&mut self, name: &str, fields: &[ModelField], values: Values) {
        for one in updated(fields) {
            let verbs: &[(&str, AssignVerb)] = match one.property.r#type {
                _ if one.property.is_list => &[],
                PropertyType::Int | PropertyType::BigInt => &OF_INTEGERS,
                PropertyType::Float => &OF_FLOATS,
                _ => &[],
            };
            for (word, verb) in verbs {
                let binding = self.assigned(one, *verb, values);
                let r#type = self.given(one.property);
                let field = format!("{}_{word}", one.field.name);
                self.put_for(name, &field, &r#type, binding, reason(one.field));
            }
        }
    }

    /// What becomes of lists.
    fn add_lists(&mut self, name: &str, fields: &[ModelField], classes: &[Class], values: Values) {
        let mut lists = stored(fields, classes);
        lists.retain(|one| one.property.is_list && one.field.offers.on_create);
        for one in lists {
            let binding = self.assigned(one, AssignVerb::Pop, values);
            self.put(name, &format!("{}_POP", one.field.name), "Int", binding);
            let binding = self.assigned(one, AssignVerb::Push, values);
            let r#type = self.given(one.property);
            self.put(name, &format!("{}_PUSH", one.field.name), &r#type, binding);
        }
    }

    fn assigned(&self, one: Stored<'_>, verb: AssignVerb, values: Values) -> InputBinding {
        let role = match values {
            Values::Node(_) | Values::Edge(_) => {
                values.field(self.placed, one.place).map(|field| WriteRole::Assign { field, verb })
            }
            Values::Interface(interface) => self
                .common_place(interface, one.place)
                .map(|place| WriteRole::Several(SeveralRole::Assign { place, verb })),
        };
        match (values, role) {
            (_, None) => super::nowhere(),
            // What relationships say is not looked at.
            (Values::Node(_) | Values::Interface(_), Some(role)) if one.property.is_required => {
                InputBinding::refuse_null(role, MUST_NOT_BE_NULL)
            }
            (_, Some(role)) => InputBinding::lenient(role),
        }
    }
}

/// The properties that an update can say.
fn updated(fields: &[ModelField]) -> Vec<Stored<'_>> {
    let mut all = stored(fields, &USUAL);
    all.retain(|one| one.field.offers.on_update && !one.property.is_made_on_create());
    all
}
