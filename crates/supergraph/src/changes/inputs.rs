//! Changes of the fields of input objects.

use std::sync::Arc;

use graphql::definitions::InputDefinition;

use super::applied::Element;
use super::defaults::effective;
use super::fields::{becomes_required, default_change};
use super::type_change::is_safe_for_input;
use super::types::if_new;
use super::{
    Change, ChangeKind, Comparison, Criticality, Difference, Location, differ, differences,
    text_change,
};
use crate::coordinate::Coordinate;

impl Comparison<'_> {
    /// Compares the fields of an input object; all of a new type are added.
    pub(super) fn input_fields(
        &mut self,
        r#type: &Arc<str>,
        old: Option<&[InputDefinition]>,
        new: &[InputDefinition],
    ) {
        let is_new = old.is_none();
        for difference in differences(old.unwrap_or_default(), new, |input| &input.name) {
            match difference {
                Difference::Removed(input) => self.push(Change::new(
                    ChangeKind::InputFieldRemoved,
                    Criticality::Breaking,
                    Coordinate::member(r#type, &input.name),
                    Location::old(input.line, input.column),
                    format!("the input field `{type}.{}` was removed", input.name),
                )),
                Difference::Added(input) => {
                    let (required, criticality) = match (&input.default, &input.r#type) {
                        (Some(_), _) => ("", Criticality::Dangerous),
                        (None, r#type) if r#type.is_required() => {
                            ("required ", Criticality::Breaking)
                        }
                        (None, _) => ("", Criticality::NonBreaking),
                    };
                    let change = Change::new(
                        ChangeKind::InputFieldAdded,
                        if_new(is_new, criticality),
                        Coordinate::member(r#type, &input.name),
                        Location::new(input.line, input.column),
                        format!("the {required}input field `{type}.{}` was added", input.name),
                    );
                    self.push(change.affecting(Coordinate::of_type(r#type)).nested_if(is_new));
                    self.input_field(r#type, None, input);
                }
                Difference::Common(old, new) => self.input_field(r#type, Some(old), new),
            }
        }
    }

    fn input_field(
        &mut self,
        r#type: &Arc<str>,
        old: Option<&InputDefinition>,
        new: &InputDefinition,
    ) {
        let coordinate = Coordinate::member(r#type, &new.name);
        let location = Location::new(new.line, new.column);
        let before = old.and_then(|old| old.description.as_deref());
        let after = new.description.as_deref();
        if differ(before, after) {
            let kind = match (before, after) {
                (None, _) => ChangeKind::InputFieldDescriptionAdded,
                (Some(_), None) => ChangeKind::InputFieldDescriptionRemoved,
                (Some(_), Some(_)) => ChangeKind::InputFieldDescriptionChanged,
            };
            let message = text_change("description", &coordinate, before, after);
            let safe = Criticality::NonBreaking;
            let change = Change::new(kind, safe, coordinate.clone(), location, message);
            self.push(change.nested_if(old.is_none()));
        }
        if let Some(old) = old {
            self.input_value(r#type, &coordinate, old, new);
        }
        let before = old.map(|old| old.directives.as_slice());
        self.applied(Element::InputFieldDefinition, &coordinate, before, &new.directives);
    }

    /// Compares the default values and types.
    fn input_value(
        &mut self,
        r#type: &Arc<str>,
        coordinate: &Coordinate,
        old: &InputDefinition,
        new: &InputDefinition,
    ) {
        let location = Location::new(new.line, new.column);
        if effective(self.old, old) != effective(self.new, new) {
            let kind = ChangeKind::InputFieldDefaultValueChanged;
            let message = default_change(coordinate, old, new);
            let dangerous = Criticality::Dangerous;
            let change = Change::new(kind, dangerous, coordinate.clone(), location, message);
            // Values without the field receive the default value.
            self.push(change.affecting(Coordinate::of_type(r#type)));
        }
        if old.r#type != new.r#type {
            let change = Change::new(
                ChangeKind::InputFieldTypeChanged,
                if_new(is_safe_for_input(&old.r#type, &new.r#type), Criticality::Breaking),
                coordinate.clone(),
                location,
                format!(
                    "the type of the input field `{coordinate}` changed from `{}` to `{}`",
                    old.r#type, new.r#type
                ),
            );
            self.push(match becomes_required(old, new) {
                true => change.affecting(Coordinate::of_type(r#type)),
                false => change,
            });
        }
    }
}
