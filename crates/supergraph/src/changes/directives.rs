//! Changes of the definitions of directives.

use graphql::definitions::{DirectiveDefinition, InputDefinition};

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
    pub(super) fn directives(&mut self) {
        for difference in differences(&self.old.directives, &self.new.directives, |one| &one.name) {
            match difference {
                Difference::Removed(old) => self.push(Change::new(
                    ChangeKind::DirectiveRemoved,
                    Criticality::Breaking,
                    Coordinate::directive(&old.name),
                    Location::old(old.line, old.column),
                    format!("the directive `@{}` was removed", old.name),
                )),
                Difference::Added(new) => {
                    self.push(Change::new(
                        ChangeKind::DirectiveAdded,
                        Criticality::NonBreaking,
                        Coordinate::directive(&new.name),
                        Location::new(new.line, new.column),
                        format!("the directive `@{}` was added", new.name),
                    ));
                    self.directive(None, new);
                }
                Difference::Common(old, new) => self.directive(Some(old), new),
            }
        }
    }

    fn directive(&mut self, old: Option<&DirectiveDefinition>, new: &DirectiveDefinition) {
        let is_new = old.is_none();
        let coordinate = Coordinate::directive(&new.name);
        let location = Location::new(new.line, new.column);
        let name = &new.name;
        let mut push = |kind, criticality, message| {
            let change = Change::new(kind, criticality, coordinate.clone(), location, message);
            self.push(change.nested_if(is_new));
        };
        let before = old.and_then(|old| old.description.as_deref());
        let after = new.description.as_deref();
        if differ(before, after) {
            let message = text_change("description", &coordinate, before, after);
            let kind = ChangeKind::DirectiveDescriptionChanged;
            push(kind, Criticality::NonBreaking, message);
        }
        match (old.is_some_and(|old| old.is_repeatable), new.is_repeatable) {
            (true, false) => push(
                ChangeKind::DirectiveRepeatableRemoved,
                Criticality::Dangerous,
                format!("the directive `@{name}` is no longer repeatable"),
            ),
            (false, true) => push(
                ChangeKind::DirectiveRepeatableAdded,
                Criticality::NonBreaking,
                format!("the directive `@{name}` became repeatable"),
            ),
            (true, true) | (false, false) => {}
        }
        let locations = old.map_or(&[][..], |old| &old.locations);
        for location in new.locations.iter().filter(|one| !locations.contains(one)) {
            push(
                ChangeKind::DirectiveLocationAdded,
                Criticality::NonBreaking,
                format!("the location `{location}` of the directive `@{name}` was added"),
            );
        }
        for location in locations.iter().filter(|one| !new.locations.contains(one)) {
            push(
                ChangeKind::DirectiveLocationRemoved,
                Criticality::Breaking,
                format!("the location `{location}` of the directive `@{name}` was removed"),
            );
        }
        self.directive_arguments(old, new);
    }

    fn directive_arguments(
        &mut self,
        old: Option<&DirectiveDefinition>,
        directive: &DirectiveDefinition,
    ) {
        let is_new = old.is_none();
        let before = old.map_or(&[][..], |old| &old.arguments);
        for difference in differences(before, &directive.arguments, |argument| &argument.name) {
            match difference {
                Difference::Removed(argument) => {
                    let coordinate =
                        Coordinate::directive_argument(&directive.name, &argument.name);
                    let message = format!("the argument `{coordinate}` was removed");
                    self.push(Change::new(
                        ChangeKind::DirectiveArgumentRemoved,
                        Criticality::Breaking,
                        coordinate,
                        Location::old(argument.line, argument.column),
                        message,
                    ));
                }
                Difference::Added(argument) => {
                    let coordinate =
                        Coordinate::directive_argument(&directive.name, &argument.name);
                    let is_required = argument.r#type.is_required() && argument.default.is_none();
                    let (required, criticality) = match is_required {
                        true => ("required ", Criticality::Breaking),
                        false => ("", Criticality::NonBreaking),
                    };
                    let message = format!("the {required}argument `{coordinate}` was added");
                    let change = Change::new(
                        ChangeKind::DirectiveArgumentAdded,
                        if_new(is_new, criticality),
                        coordinate,
                        Location::new(argument.line, argument.column),
                        message,
                    );
                    let directive = Coordinate::directive(&directive.name);
                    self.push(change.affecting(directive).nested_if(is_new));
                }
                Difference::Common(old, new) => self.directive_argument(directive, old, new),
            }
        }
    }

    fn directive_argument(
        &mut self,
        directive: &DirectiveDefinition,
        old: &InputDefinition,
        new: &InputDefinition,
    ) {
        let coordinate = Coordinate::directive_argument(&directive.name, &new.name);
        let location = Location::new(new.line, new.column);
        let (before, after) = (old.description.as_deref(), new.description.as_deref());
        if differ(before, after) {
            let kind = ChangeKind::DirectiveArgumentDescriptionChanged;
            let message = text_change("description", &coordinate, before, after);
            let safe = Criticality::NonBreaking;
            self.push(Change::new(kind, safe, coordinate.clone(), location, message));
        }
        if effective(self.old, old) != effective(self.new, new) {
            let kind = ChangeKind::DirectiveArgumentDefaultValueChanged;
            let message = default_change(&coordinate, old, new);
            let dangerous = Criticality::Dangerous;
            let change = Change::new(kind, dangerous, coordinate.clone(), location, message);
            self.push(change.affecting(Coordinate::directive(&directive.name)));
        }
        if old.r#type != new.r#type {
            let change = Change::new(
                ChangeKind::DirectiveArgumentTypeChanged,
                if_new(is_safe_for_input(&old.r#type, &new.r#type), Criticality::Breaking),
                coordinate.clone(),
                location,
                format!(
                    "the type of the argument `{coordinate}` changed from `{}` to `{}`",
                    old.r#type, new.r#type
                ),
            );
            self.push(match becomes_required(old, new) {
                true => change.affecting(Coordinate::directive(&directive.name)),
                false => change,
            });
        }
    }
}
