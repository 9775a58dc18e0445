//! Changes of types and of the root types.

use std::sync::Arc;

use graphql::definitions::{EnumValueDefinition, Named, TypeBody, TypeDefinition};
use graphql::operation::OperationKind;

use super::applied::Element;
use super::fields::{DEFAULT_REASON, reason};
use super::{
    Affected, Change, ChangeKind, Comparison, Criticality, Difference, Location, differ,
    differences, text_change,
};
use crate::coordinate::Coordinate;

impl Comparison<'_> {
    pub(super) fn roots(&mut self) {
        for (kind, operation, change_kind) in [
            (OperationKind::Query, "queries", ChangeKind::SchemaQueryTypeChanged),
            (OperationKind::Mutation, "mutations", ChangeKind::SchemaMutationTypeChanged),
            (
                OperationKind::Subscription,
                "subscriptions",
                ChangeKind::SchemaSubscriptionTypeChanged,
            ),
        ] {
            let (criticality, location, message) = match (self.old.root(kind), self.new.root(kind))
            {
                (Some(old), Some(new)) if old.name != new.name => (
                    Criticality::Breaking,
                    Location::new_named(new),
                    format!(
                        "the root type of {operation} changed from `{}` to `{}`",
                        old.name, new.name
                    ),
                ),
                (Some(old), None) => (
                    Criticality::Breaking,
                    Location::old_named(old),
                    format!("the root type of {operation}, `{}`, was removed", old.name),
                ),
                (None, Some(new)) => (
                    Criticality::NonBreaking,
                    Location::new_named(new),
                    format!("`{}` was added as the root type of {operation}", new.name),
                ),
                (Some(_), Some(_)) | (None, None) => continue,
            };
            let change =
                Change::new(change_kind, criticality, Coordinate::Schema, location, message);
            self.push(Change { affected: Affected::Operations(kind), ..change });
        }
    }

    pub(super) fn types(&mut self) {
        for difference in differences(&self.old.types, &self.new.types, |one| &one.name) {
            match difference {
                Difference::Removed(old) => self.push(Change::new(
                    ChangeKind::TypeRemoved,
                    Criticality::Breaking,
                    Coordinate::of_type(&old.name),
                    Location::old_type(old),
                    format!("the {} `{}` was removed", word(&old.body), old.name),
                )),
                Difference::Added(new) => {
                    self.push(Change::new(
                        ChangeKind::TypeAdded,
                        Criticality::NonBreaking,
                        Coordinate::of_type(&new.name),
                        Location::new_type(new),
                        format!("the {} `{}` was added", word(&new.body), new.name),
                    ));
                    self.type_body(None, new);
                    self.type_description(None, new);
                }
                Difference::Common(old, new) => {
                    self.type_body(Some(old), new);
                    self.type_description(Some(old), new);
                }
            }
        }
    }

    /// Compares the members and directives of a type; all of a new type are added.
    fn type_body(&mut self, old: Option<&TypeDefinition>, new: &TypeDefinition) {
        use TypeBody as T;
        let element = match (old.map(|old| &old.body), &new.body) {
            (None | Some(T::Scalar), T::Scalar) => Element::Scalar,
            (None, T::Object(body)) => {
                self.interfaces(new, None, &body.interfaces);
                self.fields(&new.name, None, &body.fields);
                Element::Object
            }
            (Some(T::Object(before)), T::Object(body)) => {
                self.interfaces(new, Some(&before.interfaces), &body.interfaces);
                self.fields(&new.name, Some(&before.fields), &body.fields);
                Element::Object
            }
            (None, T::Interface(body)) => {
                self.interfaces(new, None, &body.interfaces);
                self.fields(&new.name, None, &body.fields);
                Element::Interface
            }
            (Some(T::Interface(before)), T::Interface(body)) => {
                self.interfaces(new, Some(&before.interfaces), &body.interfaces);
                self.fields(&new.name, Some(&before.fields), &body.fields);
                Element::Interface
            }
            (None, T::Union(members)) => {
                self.members(new, None, members);
                Element::Union
            }
            (Some(T::Union(before)), T::Union(members)) => {
                self.members(new, Some(before), members);
                Element::Union
            }
            (None, T::Enum(values)) => {
                self.values(&new.name, None, values);
                Element::Enum
            }
            (Some(T::Enum(before)), T::Enum(values)) => {
                self.values(&new.name, Some(before), values);
                Element::Enum
            }
            (None, T::InputObject(inputs)) => {
                self.input_fields(&new.name, None, inputs);
                Element::InputObject
            }
            (Some(T::InputObject(before)), T::InputObject(inputs)) => {
                self.input_fields(&new.name, Some(before), inputs);
                Element::InputObject
            }
            (Some(before), after) => {
                return self.push(Change::new(
                    ChangeKind::TypeKindChanged,
                    Criticality::Breaking,
                    Coordinate::of_type(&new.name),
                    Location::new_type(new),
                    format!(
                        "`{}` changed from {} to {}",
                        new.name,
                        with_article(word(before)),
                        with_article(word(after))
                    ),
                ));
            }
        };
        let coordinate = Coordinate::of_type(&new.name);
        let before = old.map(|old| old.directives.as_slice());
        self.applied(element, &coordinate, before, &new.directives);
    }

    fn type_description(&mut self, old: Option<&TypeDefinition>, new: &TypeDefinition) {
        let before = old.and_then(|old| old.description.as_deref());
        let after = new.description.as_deref();
        if !differ(before, after) {
            return;
        }
        let kind = match (before, after) {
            (None, _) => ChangeKind::TypeDescriptionAdded,
            (Some(_), None) => ChangeKind::TypeDescriptionRemoved,
            (Some(_), Some(_)) => ChangeKind::TypeDescriptionChanged,
        };
        let coordinate = Coordinate::of_type(&new.name);
        let message = text_change("description", &coordinate, before, after);
        let location = Location::new_type(new);
        let change = Change::new(kind, Criticality::NonBreaking, coordinate, location, message);
        self.push(change.nested_if(old.is_none()));
    }

    fn interfaces(&mut self, r#type: &TypeDefinition, old: Option<&[Named]>, new: &[Named]) {
        let is_new = old.is_none();
        let coordinate = Coordinate::of_type(&r#type.name);
        for difference in differences(old.unwrap_or_default(), new, |named| &named.name) {
            match difference {
                Difference::Removed(interface) => {
                    let change = Change::new(
                        ChangeKind::ObjectTypeInterfaceRemoved,
                        Criticality::Breaking,
                        coordinate.clone(),
                        Location::old_named(interface),
                        format!("`{}` no longer implements `{}`", r#type.name, interface.name),
                    );
                    // Without a selection or condition of the interface no document depends on it.
                    self.push(change.affecting(Coordinate::of_type(&interface.name)));
                }
                Difference::Added(interface) => {
                    let change = Change::new(
                        ChangeKind::ObjectTypeInterfaceAdded,
                        if_new(is_new, Criticality::Dangerous),
                        coordinate.clone(),
                        Location::new_named(interface),
                        format!("`{}` implements `{}`", r#type.name, interface.name),
                    );
                    let interface = Coordinate::of_type(&interface.name);
                    self.push(change.affecting(interface).nested_if(is_new));
                }
                Difference::Common(..) => {}
            }
        }
    }

    fn members(&mut self, union: &TypeDefinition, old: Option<&[Named]>, new: &[Named]) {
        let is_new = old.is_none();
        let coordinate = Coordinate::of_type(&union.name);
        for difference in differences(old.unwrap_or_default(), new, |named| &named.name) {
            match difference {
                Difference::Removed(member) => self.push(Change::new(
                    ChangeKind::UnionMemberRemoved,
                    Criticality::Breaking,
                    coordinate.clone(),
                    Location::old_named(member),
                    format!("`{}` was removed from the union `{}`", member.name, union.name),
                )),
                Difference::Added(member) => self.push(
                    Change::new(
                        ChangeKind::UnionMemberAdded,
                        if_new(is_new, Criticality::Dangerous),
                        coordinate.clone(),
                        Location::new_named(member),
                        format!("`{}` was added to the union `{}`", member.name, union.name),
                    )
                    .nested_if(is_new),
                ),
                Difference::Common(..) => {}
            }
        }
    }

    fn values(
        &mut self,
        r#enum: &Arc<str>,
        old: Option<&[EnumValueDefinition]>,
        new: &[EnumValueDefinition],
    ) {
        let is_new = old.is_none();
        for difference in differences(old.unwrap_or_default(), new, |value| &value.name) {
            match difference {
                Difference::Removed(value) => self.push(Change::new(
                    ChangeKind::EnumValueRemoved,
                    Criticality::Breaking,
                    Coordinate::member(r#enum, &value.name),
                    Location::old(value.line, value.column),
                    format!("the enum value `{enum}.{}` was removed", value.name),
                )),
                Difference::Added(value) => {
                    let change = Change::new(
                        ChangeKind::EnumValueAdded,
                        if_new(is_new, Criticality::Dangerous),
                        Coordinate::member(r#enum, &value.name),
                        Location::new(value.line, value.column),
                        format!("the enum value `{enum}.{}` was added", value.name),
                    );
                    self.push(change.affecting(Coordinate::of_type(r#enum)).nested_if(is_new));
                    self.value(r#enum, None, value);
                }
                Difference::Common(old, new) => self.value(r#enum, Some(old), new),
            }
        }
    }

    fn value(
        &mut self,
        r#enum: &Arc<str>,
        old: Option<&EnumValueDefinition>,
        new: &EnumValueDefinition,
    ) {
        let coordinate = Coordinate::member(r#enum, &new.name);
        let location = Location::new(new.line, new.column);
        let before = old.and_then(|old| old.description.as_deref());
        let after = new.description.as_deref();
        if differ(before, after) {
            let message = text_change("description", &coordinate, before, after);
            let kind = ChangeKind::EnumValueDescriptionChanged;
            let safe = Criticality::NonBreaking;
            let change = Change::new(kind, safe, coordinate.clone(), location, message);
            self.push(change.nested_if(old.is_none()));
        }
        let before = old.and_then(|old| reason(&old.directives));
        let after = reason(&new.directives);
        if differ(before, after) {
            let kind = match (before, after) {
                (Some(_), None) => ChangeKind::EnumValueDeprecationReasonRemoved,
                (None | Some(DEFAULT_REASON), _) => ChangeKind::EnumValueDeprecationReasonAdded,
                (Some(_), Some(DEFAULT_REASON)) => ChangeKind::EnumValueDeprecationReasonRemoved,
                (Some(_), Some(_)) => ChangeKind::EnumValueDeprecationReasonChanged,
            };
            let message = text_change("reason of deprecation", &coordinate, before, after);
            let safe = Criticality::NonBreaking;
            let change = Change::new(kind, safe, coordinate.clone(), location, message);
            self.push(change.nested_if(old.is_none()));
        }
        let before = old.map(|old| old.directives.as_slice());
        self.applied(Element::EnumValue, &coordinate, before, &new.directives);
    }
}

/// A part of a new element is safe.
pub(super) fn if_new(is_new: bool, otherwise: Criticality) -> Criticality {
    if is_new { Criticality::NonBreaking } else { otherwise }
}

fn word(body: &TypeBody) -> &'static str {
    match body {
        TypeBody::Scalar => "scalar",
        TypeBody::Object(_) => "object type",
        TypeBody::Interface(_) => "interface",
        TypeBody::Union(_) => "union",
        TypeBody::Enum(_) => "enum",
        TypeBody::InputObject(_) => "input type",
    }
}

fn with_article(word: &str) -> String {
    let article = if word.starts_with(['o', 'i', 'e']) { "an " } else { "a " };
    [article, word].concat()
}
