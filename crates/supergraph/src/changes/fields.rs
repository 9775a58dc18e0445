//! Changes of fields of objects and interfaces, and of their arguments.

use std::sync::Arc;

use graphql::definitions::{Directive, FieldDefinition, InputDefinition, Literal};

use super::applied::Element;
use super::defaults::effective;
use super::type_change::{is_safe_for_input, is_safe_for_output};
use super::types::if_new;
use super::{
    Change, ChangeKind, Comparison, Criticality, Difference, Location, differ, differences,
    text_change,
};
use crate::coordinate::Coordinate;

/// The reason of `@deprecated` without a reason.
/// <https://spec.graphql.org/draft/#sec--deprecated>
pub(super) const DEFAULT_REASON: &str = "No longer supported";

impl Comparison<'_> {
    /// Compares the fields of a type; all of a new type are added.
    pub(super) fn fields(
        &mut self,
        r#type: &Arc<str>,
        old: Option<&[FieldDefinition]>,
        new: &[FieldDefinition],
    ) {
        let is_new = old.is_none();
        for difference in differences(old.unwrap_or_default(), new, |field| &field.name) {
            match difference {
                Difference::Removed(field) => {
                    let deprecated =
                        if reason(&field.directives).is_some() { "deprecated " } else { "" };
                    self.push(Change::new(
                        ChangeKind::FieldRemoved,
                        Criticality::Breaking,
                        Coordinate::member(r#type, &field.name),
                        Location::old(field.line, field.column),
                        format!("the {deprecated}field `{type}.{}` was removed", field.name),
                    ));
                }
                Difference::Added(field) => {
                    self.push(
                        Change::new(
                            ChangeKind::FieldAdded,
                            Criticality::NonBreaking,
                            Coordinate::member(r#type, &field.name),
                            Location::new(field.line, field.column),
                            format!("the field `{type}.{}` was added", field.name),
                        )
                        .nested_if(is_new),
                    );
                    self.field(r#type, None, field);
                }
                Difference::Common(old, new) => self.field(r#type, Some(old), new),
            }
        }
    }

    fn field(&mut self, r#type: &Arc<str>, old: Option<&FieldDefinition>, new: &FieldDefinition) {
        let coordinate = Coordinate::member(r#type, &new.name);
        self.field_description(&coordinate, old, new);
        self.field_deprecation(&coordinate, old, new);
        if let Some(old) = old.filter(|old| old.r#type != new.r#type) {
            let is_safe = is_safe_for_output(&old.r#type, &new.r#type);
            self.push(Change::new(
                ChangeKind::FieldTypeChanged,
                if_new(is_safe, Criticality::Breaking),
                coordinate.clone(),
                Location::new(new.line, new.column),
                format!(
                    "the type of `{coordinate}` changed from `{}` to `{}`",
                    old.r#type, new.r#type
                ),
            ));
        }
        let before = old.map(|old| old.arguments.as_slice());
        self.arguments(r#type, &new.name, before, &new.arguments);
        let before = old.map(|old| old.directives.as_slice());
        self.applied(Element::FieldDefinition, &coordinate, before, &new.directives);
    }

    fn field_description(
        &mut self,
        coordinate: &Coordinate,
        old: Option<&FieldDefinition>,
        new: &FieldDefinition,
    ) {
        let before = old.and_then(|old| old.description.as_deref());
        let after = new.description.as_deref();
        if !differ(before, after) {
            return;
        }
        let kind = match (before, after) {
            (None, _) => ChangeKind::FieldDescriptionAdded,
            (Some(_), None) => ChangeKind::FieldDescriptionRemoved,
            (Some(_), Some(_)) => ChangeKind::FieldDescriptionChanged,
        };
        let message = text_change("description", coordinate, before, after);
        let location = Location::new(new.line, new.column);
        let change =
            Change::new(kind, Criticality::NonBreaking, coordinate.clone(), location, message);
        self.push(change.nested_if(old.is_none()));
    }

    fn field_deprecation(
        &mut self,
        coordinate: &Coordinate,
        old: Option<&FieldDefinition>,
        new: &FieldDefinition,
    ) {
        let before = old.and_then(|old| reason(&old.directives));
        let after = reason(&new.directives);
        let (kind, message) = match (before, after) {
            (None, None) => return,
            (None, Some(after)) => (
                ChangeKind::FieldDeprecationAdded,
                format!("the field `{coordinate}` was deprecated: {after:?}"),
            ),
            (Some(_), None) => (
                ChangeKind::FieldDeprecationRemoved,
                format!("the field `{coordinate}` is no longer deprecated"),
            ),
            (Some(old), Some(new)) if old == new => return,
            (Some(DEFAULT_REASON), Some(new)) => (
                ChangeKind::FieldDeprecationReasonAdded,
                format!("the reason of deprecation of `{coordinate}` was added: {new:?}"),
            ),
            (Some(_), Some(DEFAULT_REASON)) => (
                ChangeKind::FieldDeprecationReasonRemoved,
                format!("the reason of deprecation of `{coordinate}` was removed"),
            ),
            (before, after) => (
                ChangeKind::FieldDeprecationReasonChanged,
                text_change("reason of deprecation", coordinate, before, after),
            ),
        };
        let location = Location::new(new.line, new.column);
        let change =
            Change::new(kind, Criticality::NonBreaking, coordinate.clone(), location, message);
        self.push(change.nested_if(old.is_none()));
    }

    fn arguments(
        &mut self,
        r#type: &Arc<str>,
        field: &Arc<str>,
        old: Option<&[InputDefinition]>,
        new: &[InputDefinition],
    ) {
        let is_new = old.is_none();
        for difference in differences(old.unwrap_or_default(), new, |argument| &argument.name) {
            match difference {
                Difference::Removed(argument) => {
                    let coordinate = Coordinate::argument(r#type, field, &argument.name);
                    let message = format!("the argument `{coordinate}` was removed");
                    self.push(Change::new(
                        ChangeKind::FieldArgumentRemoved,
                        Criticality::Breaking,
                        coordinate,
                        Location::old(argument.line, argument.column),
                        message,
                    ));
                }
                Difference::Added(argument) => {
                    let is_required = argument.r#type.is_required() && argument.default.is_none();
                    let coordinate = Coordinate::argument(r#type, field, &argument.name);
                    let (required, critical) = match is_required {
                        true => ("required ", Criticality::Breaking),
                        false => ("", Criticality::Dangerous),
                    };
                    let message = format!("the {required}argument `{coordinate}` was added");
                    let change = Change::new(
                        ChangeKind::FieldArgumentAdded,
                        if_new(is_new, critical),
                        coordinate,
                        Location::new(argument.line, argument.column),
                        message,
                    );
                    let field = Coordinate::member(r#type, field);
                    self.push(change.affecting(field).nested_if(is_new));
                }
                Difference::Common(old, new) => self.argument(r#type, field, old, new),
            }
        }
    }

    fn argument(
        &mut self,
        r#type: &Arc<str>,
        field: &Arc<str>,
        old: &InputDefinition,
        new: &InputDefinition,
    ) {
        let coordinate = Coordinate::argument(r#type, field, &new.name);
        let location = Location::new(new.line, new.column);
        let (before, after) = (old.description.as_deref(), new.description.as_deref());
        if differ(before, after) {
            let kind = ChangeKind::FieldArgumentDescriptionChanged;
            let message = text_change("description", &coordinate, before, after);
            let safe = Criticality::NonBreaking;
            self.push(Change::new(kind, safe, coordinate.clone(), location, message));
        }
        if effective(self.old, old) != effective(self.new, new) {
            let kind = ChangeKind::FieldArgumentDefaultChanged;
            let message = default_change(&coordinate, old, new);
            let dangerous = Criticality::Dangerous;
            let change = Change::new(kind, dangerous, coordinate.clone(), location, message);
            // Operations without the argument receive the default value.
            self.push(change.affecting(Coordinate::member(r#type, field)));
        }
        if old.r#type != new.r#type {
            let change = Change::new(
                ChangeKind::FieldArgumentTypeChanged,
                if_new(is_safe_for_input(&old.r#type, &new.r#type), Criticality::Breaking),
                coordinate.clone(),
                location,
                format!(
                    "the type of the argument `{coordinate}` changed from `{}` to `{}`",
                    old.r#type, new.r#type
                ),
            );
            self.push(match becomes_required(old, new) {
                true => change.affecting(Coordinate::member(r#type, field)),
                false => change,
            });
        }
        let before = Some(old.directives.as_slice());
        self.applied(Element::ArgumentDefinition, &coordinate, before, &new.directives);
    }
}

/// Whether operations without the input become invalid.
pub(super) fn becomes_required(old: &InputDefinition, new: &InputDefinition) -> bool {
    let is_required =
        |input: &InputDefinition| input.r#type.is_required() && input.default.is_none();
    is_required(new) && !is_required(old)
}

pub(super) fn default_change(
    coordinate: &Coordinate,
    old: &InputDefinition,
    new: &InputDefinition,
) -> String {
    match (&old.default, &new.default) {
        (None, Some(new)) => format!("the default value `{new}` of `{coordinate}` was added"),
        (Some(old), None) => format!("the default value `{old}` of `{coordinate}` was removed"),
        (Some(old), Some(new)) if old != new => {
            format!("the default value of `{coordinate}` changed from `{old}` to `{new}`")
        }
        // The default of an input field within it has changed.
        (_, _) => format!("a value within the default value of `{coordinate}` changed"),
    }
}

/// Returns the reason of a deprecation.
pub(super) fn reason(directives: &[Directive]) -> Option<&str> {
    let directive = directives.iter().find(|directive| &*directive.name == "deprecated")?;
    let argument = directive.arguments.iter().find(|argument| &*argument.name == "reason");
    match argument.map(|argument| &argument.value) {
        Some(Literal::String(reason)) => Some(reason),
        _ => Some(DEFAULT_REASON),
    }
}
