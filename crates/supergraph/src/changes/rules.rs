//! Rules that omit changes or change their criticalities.

use std::sync::Arc;

use graphql::definitions::{TypeBody, TypeDefinition};
use graphql::operation::OperationKind;
use rustc_hash::FxHashSet;

use super::fields::reason;
use super::usage::Usage;
use super::{Change, ChangeKind, Criticality, Lowered, WrittenSchema};
use crate::coordinate::Coordinate;

/// The rules of a comparison; without any, all changes have the criticality of their kinds.
///
/// They are applied in this order: the rules that lower criticalities come last, so that
/// `dangerous_is_breaking` does not undo them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules<'u> {
    /// Omits changes of descriptions.
    pub ignore_descriptions: bool,
    /// Omits changes that are part of the addition of an element.
    pub omit_nested: bool,
    /// Treats dangerous changes as breaking ones.
    pub dangerous_is_breaking: bool,
    /// Treats the removal of deprecated parts as dangerous.
    pub allow_deprecated_removal: bool,
    /// Treats breaking changes of types that no operation reaches as safe.
    pub safe_unreachable: bool,
    /// Treats breaking changes of parts that no document uses as dangerous.
    pub usage: Option<&'u Usage>,
}

impl Rules<'_> {
    pub(super) fn apply(&self, old: &WrittenSchema, mut changes: Vec<Change>) -> Vec<Change> {
        changes.retain(|change| {
            !(self.ignore_descriptions && change.kind.is_of_description()
                || self.omit_nested && change.is_nested)
        });
        let reachable = self.safe_unreachable.then(|| reachable(old));
        for change in &mut changes {
            if self.dangerous_is_breaking && change.criticality == Criticality::Dangerous {
                change.criticality = Criticality::Breaking;
            }
            if change.criticality != Criticality::Breaking {
                continue;
            }
            let is_unreachable = reachable.as_ref().is_some_and(|reachable| {
                change.coordinate.parent_type().is_some_and(|name| !reachable.contains(name))
            });
            if is_unreachable {
                change.criticality = Criticality::NonBreaking;
                change.lowered = Some(Lowered::Unreachable);
            } else if self.allow_deprecated_removal && was_deprecated(old, change) {
                change.criticality = Criticality::Dangerous;
                change.lowered = Some(Lowered::Deprecated);
            } else if self.usage.is_some_and(|usage| !usage.has(&change.affected)) {
                change.criticality = Criticality::Dangerous;
                change.lowered = Some(Lowered::Unused);
            }
        }
        changes
    }
}

/// Whether a change removes a deprecated part, or a type: the fields, arguments and unions with a
/// removed type change as well, and have criticalities of their own. Only the removal of an
/// implementation of an interface is no other change.
fn was_deprecated(old: &WrittenSchema, change: &Change) -> bool {
    let is_deprecated = |directives: &[_]| reason(directives).is_some();
    let body = change.coordinate.parent_type().and_then(|name| old.find_type(name));
    let body = body.map(|definition: &TypeDefinition| &definition.body);
    match (change.kind, &change.coordinate, body) {
        (ChangeKind::TypeRemoved, _, Some(TypeBody::Object(composite))) => {
            composite.interfaces.is_empty()
        }
        (ChangeKind::TypeRemoved, _, Some(_)) => true,
        (
            ChangeKind::FieldRemoved,
            Coordinate::Member { member, .. },
            Some(TypeBody::Object(composite) | TypeBody::Interface(composite)),
        ) => composite
            .fields
            .iter()
            .any(|field| field.name == *member && is_deprecated(&field.directives)),
        (
            ChangeKind::FieldArgumentRemoved,
            Coordinate::Argument { field, argument, .. },
            Some(TypeBody::Object(composite) | TypeBody::Interface(composite)),
        ) => {
            let field = composite.fields.iter().find(|one| one.name == *field);
            let mut arguments = field.into_iter().flat_map(|field| &field.arguments);
            arguments.any(|one| one.name == *argument && is_deprecated(&one.directives))
        }
        (
            ChangeKind::EnumValueRemoved,
            Coordinate::Member { member, .. },
            Some(TypeBody::Enum(values)),
        ) => values.iter().any(|value| value.name == *member && is_deprecated(&value.directives)),
        (
            ChangeKind::InputFieldRemoved,
            Coordinate::Member { member, .. },
            Some(TypeBody::InputObject(inputs)),
        ) => inputs.iter().any(|input| input.name == *member && is_deprecated(&input.directives)),
        _ => false,
    }
}

/// Returns the types that operations reach: by fields, arguments and input fields, members of
/// unions and implementations of interfaces.
fn reachable(schema: &WrittenSchema) -> FxHashSet<Arc<str>> {
    let roots = [OperationKind::Query, OperationKind::Mutation, OperationKind::Subscription];
    let roots = roots.into_iter().filter_map(|kind| schema.root(kind));
    let mut waiting: Vec<&Arc<str>> = roots.map(|root| &root.name).collect();
    let mut reachable = FxHashSet::default();
    while let Some(name) = waiting.pop() {
        if !reachable.insert(Arc::clone(name)) {
            continue;
        }
        let Some(definition) = schema.find_type(name) else { continue };
        match &definition.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                for field in &composite.fields {
                    waiting.push(field.r#type.base());
                    waiting.extend(field.arguments.iter().map(|one| one.r#type.base()));
                }
            }
            TypeBody::Union(members) => waiting.extend(members.iter().map(|member| &member.name)),
            TypeBody::InputObject(inputs) => {
                waiting.extend(inputs.iter().map(|input| input.r#type.base()));
            }
            TypeBody::Scalar | TypeBody::Enum(_) => {}
        }
        if matches!(definition.body, TypeBody::Interface(_)) {
            let implementations = schema.types.iter().filter(|one| match &one.body {
                TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                    composite.interfaces.iter().any(|interface| interface.name == *name)
                }
                TypeBody::Scalar
                | TypeBody::Union(_)
                | TypeBody::Enum(_)
                | TypeBody::InputObject(_) => false,
            });
            waiting.extend(implementations.map(|one| &one.name));
        }
    }
    reachable
}
