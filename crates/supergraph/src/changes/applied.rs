//! Changes of the directives that are applied to the parts of a schema.

use std::sync::Arc;

use graphql::definitions::{Directive, DirectiveArgument};
use rustc_hash::FxHashMap;

use super::{Change, ChangeKind, Comparison, Criticality, Difference, Location, differences};
use crate::coordinate::Coordinate;

/// A part of a schema to which directives can be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Schema,
    Scalar,
    Object,
    Interface,
    Union,
    Enum,
    EnumValue,
    InputObject,
    FieldDefinition,
    ArgumentDefinition,
    InputFieldDefinition,
}

impl Element {
    fn added(self) -> ChangeKind {
        match self {
            Self::Schema => ChangeKind::DirectiveUsageSchemaAdded,
            Self::Scalar => ChangeKind::DirectiveUsageScalarAdded,
            Self::Object => ChangeKind::DirectiveUsageObjectAdded,
            Self::Interface => ChangeKind::DirectiveUsageInterfaceAdded,
            Self::Union => ChangeKind::DirectiveUsageUnionMemberAdded,
            Self::Enum => ChangeKind::DirectiveUsageEnumAdded,
            Self::EnumValue => ChangeKind::DirectiveUsageEnumValueAdded,
            Self::InputObject => ChangeKind::DirectiveUsageInputObjectAdded,
            Self::FieldDefinition => ChangeKind::DirectiveUsageFieldDefinitionAdded,
            Self::ArgumentDefinition => ChangeKind::DirectiveUsageArgumentDefinitionAdded,
            Self::InputFieldDefinition => ChangeKind::DirectiveUsageInputFieldDefinitionAdded,
        }
    }

    fn removed(self) -> ChangeKind {
        match self {
            Self::Schema => ChangeKind::DirectiveUsageSchemaRemoved,
            Self::Scalar => ChangeKind::DirectiveUsageScalarRemoved,
            Self::Object => ChangeKind::DirectiveUsageObjectRemoved,
            Self::Interface => ChangeKind::DirectiveUsageInterfaceRemoved,
            Self::Union => ChangeKind::DirectiveUsageUnionMemberRemoved,
            Self::Enum => ChangeKind::DirectiveUsageEnumRemoved,
            Self::EnumValue => ChangeKind::DirectiveUsageEnumValueRemoved,
            Self::InputObject => ChangeKind::DirectiveUsageInputObjectRemoved,
            Self::FieldDefinition => ChangeKind::DirectiveUsageFieldDefinitionRemoved,
            Self::ArgumentDefinition => ChangeKind::DirectiveUsageArgumentDefinitionRemoved,
            Self::InputFieldDefinition => ChangeKind::DirectiveUsageInputFieldDefinitionRemoved,
        }
    }

    /// Whether deprecations of the element are changes of their own kinds.
    fn has_deprecation(self) -> bool {
        matches!(self, Self::FieldDefinition | Self::EnumValue)
    }
}

impl Comparison<'_> {
    pub(super) fn schema_directives(&mut self) {
        let (old, new) = (&self.old.applied, &self.new.applied);
        self.applied(Element::Schema, &Coordinate::Schema, Some(old), new);
    }

    /// Compares the directives of an element; all of a new element are added.
    pub(super) fn applied(
        &mut self,
        element: Element,
        coordinate: &Coordinate,
        old: Option<&[Directive]>,
        new: &[Directive],
    ) {
        let is_new = old.is_none();
        let is_nested = |directive: &Directive| {
            is_new || element.has_deprecation() && &*directive.name == "deprecated"
        };
        for pair in pairs(old.unwrap_or_default(), new) {
            match pair {
                Difference::Removed(old) => {
                    let criticality = match &*old.name {
                        "deprecated" | "oneOf" => Criticality::NonBreaking,
                        _ => Criticality::Dangerous,
                    };
                    let change = Change::new(
                        element.removed(),
                        criticality,
                        coordinate.clone(),
                        Location::old(old.line, old.column),
                        format!("`@{}` was removed from `{coordinate}`", old.name),
                    );
                    self.push(change.nested_if(is_nested(old)));
                }
                Difference::Added(new) => {
                    let criticality = match &*new.name {
                        _ if is_new => Criticality::NonBreaking,
                        "deprecated" => Criticality::NonBreaking,
                        "oneOf" => Criticality::Breaking,
                        _ => Criticality::Dangerous,
                    };
                    let change = Change::new(
                        element.added(),
                        criticality,
                        coordinate.clone(),
                        Location::new(new.line, new.column),
                        format!("`@{}` was added to `{coordinate}`", new.name),
                    );
                    self.push(change.nested_if(is_nested(new)));
                    self.applied_arguments(coordinate, new, &[], true);
                }
                Difference::Common(old, new) => {
                    let is_nested = is_nested(new);
                    self.applied_arguments(coordinate, new, &old.arguments, is_nested);
                }
            }
        }
    }

    /// Compares the arguments of an applied directive. A new value is the removal of the old
    /// argument and the addition of the new one.
    fn applied_arguments(
        &mut self,
        coordinate: &Coordinate,
        directive: &Directive,
        old: &[DirectiveArgument],
        is_nested: bool,
    ) {
        let name = &directive.name;
        let removed = |argument: &DirectiveArgument| {
            Change::new(
                ChangeKind::DirectiveUsageArgumentRemoved,
                Criticality::Dangerous,
                coordinate.clone(),
                Location::old(argument.line, argument.column),
                format!(
                    "the argument `{}: {}` was removed from `@{name}` of `{coordinate}`",
                    argument.name, argument.value
                ),
            )
            .nested_if(is_nested)
        };
        let added = |argument: &DirectiveArgument| {
            Change::new(
                ChangeKind::DirectiveUsageArgumentAdded,
                Criticality::NonBreaking,
                coordinate.clone(),
                Location::new(argument.line, argument.column),
                format!(
                    "the argument `{}: {}` was added to `@{name}` of `{coordinate}`",
                    argument.name, argument.value
                ),
            )
            .nested_if(is_nested)
        };
        for difference in differences(old, &directive.arguments, |argument| &argument.name) {
            match difference {
                Difference::Removed(old) => self.push(removed(old)),
                Difference::Added(new) => self.push(added(new)),
                Difference::Common(old, new) if old.value == new.value => {}
                Difference::Common(old, new) => {
                    self.push(removed(old));
                    self.push(added(new));
                }
            }
        }
    }
}

/// Pairs the applied directives of two lists: the first `@tag` of one with the first `@tag` of the
/// other, and so on.
fn pairs<'d>(old: &'d [Directive], new: &'d [Directive]) -> Vec<Difference<'d, Directive>> {
    let mut rest: FxHashMap<&Arc<str>, Vec<&Directive>> = FxHashMap::default();
    for directive in new.iter().rev() {
        rest.entry(&directive.name).or_default().push(directive);
    }
    let mut pairs = Vec::new();
    let mut common = Vec::new();
    for directive in old {
        match rest.get_mut(&directive.name).and_then(Vec::pop) {
            Some(new) => common.push(Difference::Common(directive, new)),
            None => pairs.push(Difference::Removed(directive)),
        }
    }
    let left = |directive: &&Directive| {
        let rest = rest.get(&directive.name).into_iter().flatten();
        rest.into_iter().any(|one| std::ptr::eq(*one, *directive))
    };
    pairs.extend(new.iter().filter(left).map(Difference::Added));
    pairs.extend(common);
    pairs
}
