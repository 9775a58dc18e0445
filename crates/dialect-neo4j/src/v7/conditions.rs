//! `where` of nodes, and of the properties of relationships: conditions on stored values.

use graphql::schema::EnumValueDefinition;

use super::operators::{operator, operators_name};
use super::statements;
use crate::model::Target;
use crate::shared::attribute::{Attribute, of_statement};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftInput, DraftKind};
use crate::shared::node_field;
use crate::shared::operators::{Operator, operators, text_operator, text_type};
use crate::shared::text_filters::operators_of;
use crate::shared::variants::of_member;
use api::binding::{FilterRole, InputBinding, InputRole, ValueBinding};

/// Message of conditions on nodes of several types.
const SEVERAL: &str = "Conditions on nodes of several types are not served yet.";

/// `where` of a node type or of an interface.
pub(super) fn owner(build: &mut Builder<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let name = format!("{}Where", build.name(owner.into()));
    build.draft.input(&name);
    for (index, field) in build.fields(owner).iter().enumerate() {
        if let Some((statement, _)) = of_statement(build, owner, index, field) {
            statements::conditions(build, &name, field, statement);
        }
        if let Some(attribute) = attributes.iter().find(|one| one.name() == &*field.name) {
            attribute_conditions(build, &name, attribute, attribute.reason());
        }
    }
    build.put_logic(&name, ["OR", "AND", "NOT"]);
    match owner {
        Owner::Node(node) => node_field::condition(build, node, &name, attributes),
        Owner::Interface(interface) => typename(build, interface, &name),
    }
}

/// `where` of the properties of relationships.
pub(super) fn properties(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let name = format!("{name}Where");
    build.draft.input(&name);
    for attribute in attributes {
        attribute_conditions(build, &name, attribute, attribute.reason());
    }
    build.put_logic(&name, ["OR", "AND", "NOT"]);
}

/// `where` of a union: that of each member.
pub(super) fn union(build: &mut Builder<'_>, union: usize) {
    let name = format!("{}Where", build.name(Target::Union(union)));
    build.draft.input(&name);
    for (number, member) in build.members(union).iter().enumerate() {
        let member = build.name(Target::Node(*member));
        let input = DraftInput::new(member, &format!("{member}Where"), of_member(number));
        build.draft.add_input(&name, input);
    }
}

/// A condition that is printed and refused.
pub(super) fn several() -> InputBinding {
    InputBinding::lenient(InputRole::Refused(SEVERAL.into()))
}

/// `typename` of an interface: which types the nodes are of.
fn typename(build: &mut Builder<'_>, interface: usize, name: &str) {
    let implementations = build.implementations(interface);
    if implementations.is_empty() {
        return;
    }
    let kind = format!("{}Implementation", build.name(Target::Interface(interface)));
    let value = |(number, node): (usize, &usize)| {
        let definition = EnumValueDefinition::new(build.name(Target::Node(*node)));
        (definition, ValueBinding::Variant(u16::try_from(number).unwrap_or(u16::MAX)))
    };
    let values = implementations.iter().enumerate().map(value).collect();
    build.draft.add(&kind, None, DraftKind::Enum { values });
    build.put_lenient(name, "typename", &format!("[{kind}!]"), FilterRole::OfVariants);
}

/// Conditions on a value, with the reason why the field is deprecated.
pub(super) fn attribute_conditions(
    build: &mut Builder<'_>,
    name: &str,
    attribute: &Attribute<'_>,
    deprecated: Option<&str>,
) {
    if !attribute.is_filtered() {
        return;
    }
    let own = attribute.name();
    let property = attribute.property;
    let object = operators_name(build, &property.r#type, property.is_list);
    let role = match attribute.origin.subject() {
        Some(subject) => InputBinding::lenient(FilterRole::Operators(subject)),
        None => several(),
    };
    build.put_for(name, own, &object, role, deprecated);
    if build.options.exclude_deprecated {
        return;
    }
    let mut all = operators(property);
    if let Some(own) = text_type(property) {
        all.extend(operators_of(&build.options.filters, own).filter_map(text_operator));
    }
    for Operator { suffix, generic, operand, role } in all {
        let r#type = operand.r#type(build, attribute);
        let binding = match attribute.origin.subject() {
            Some(subject) => operator(FilterRole::On { subject, operator: role }),
            None => several(),
        };
        let reason = format!("Please use the relevant generic filter {own}: {{ {generic}: ... }}");
        let reason = deprecated.unwrap_or(&reason);
        build.put_for(name, &format!("{own}_{suffix}"), &r#type, binding, Some(reason));
    }
}
