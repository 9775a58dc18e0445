//! Inputs of stored values.

use crate::shared::attribute::{Attribute, Origin, attributes};
use crate::shared::builder::{Builder, Owner};
use crate::shared::changes::add_created;
use crate::shared::operators::{MUST_NOT_BE_NULL, arithmetic};
use crate::shared::values::type_name;
use crate::v3::classes::{Class, OF_ABSENT, OF_LISTS, USUAL, stored, unique};
use api::binding::{AssignVerb, InputBinding, MultiEntityRole, WriteRole};

/// Adds the input types for the properties of relationships.
pub(in crate::v3) fn add_edge_values(
    build: &mut Builder<'_>,
    name: &str,
    attributes: &[Attribute<'_>],
) {
    let update = format!("{name}UpdateInput");
    add_updated(build, &update, attributes);
    add_numbers(build, &update, attributes);
    add_lists(build, &update, &stored(attributes, &[Class::Primitive, Class::Point]));
    add_created(build, &format!("{name}CreateInput"), created(attributes, &USUAL).iter());
}

/// Adds the input types for the stored values of nodes.
pub(in crate::v3) fn add_node_values(
    build: &mut Builder<'_>,
    name: &str,
    attributes: &[Attribute<'_>],
) {
    add_created(build, &format!("{name}CreateInput"), created(attributes, &USUAL).iter());
    let update = format!("{name}UpdateInput");
    add_updated(build, &update, attributes);
    add_numbers(build, &update, attributes);
    add_lists(build, &update, &stored(attributes, &OF_LISTS));
    for one in unique(attributes) {
        let r#type = type_name(build.model, &one.property.r#type);
        if let Origin::Node(field) = one.origin {
            let role = WriteRole::Stored(field);
            build.put_lenient(&format!("{name}UniqueWhere"), one.name(), r#type, role);
        }
    }
}

/// Adds the values of a node that is created if it is not there.
pub(super) fn add_absent_values(build: &mut Builder<'_>, node: usize) -> String {
    let owner = Owner::Node(node);
    let name = format!("{}OnCreateInput", build.name(owner.into()));
    let values = created(&attributes(build, owner), &OF_ABSENT);
    add_created(build, &name, values.iter());
    build.fill(&name, WriteRole::Inputs);
    name
}

/// Adds the values of a changed object.
pub(super) fn add_updated(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    build.draft.input(name);
    for one in updated(attributes) {
        let r#type = build.given(one.property);
        build.put_for(name, one.name(), &r#type, assigned(&one, AssignVerb::Set), one.reason());
    }
}

/// Adds the arithmetic on numbers.
pub(super) fn add_numbers(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    for one in updated(attributes) {
        if one.property.is_list {
            continue;
        }
        let mut verbs = arithmetic(&one.property.r#type).to_vec();
        // Division comes before multiplication.
        if let [_, _, multiply, divide] = verbs.as_mut_slice() {
            std::mem::swap(multiply, divide);
        }
        for (_, word, verb) in verbs {
            let r#type = build.given(one.property);
            let field = format!("{}_{word}", one.name());
            build.put_for(name, &field, &r#type, assigned(&one, verb), one.reason());
        }
    }
}

/// Adds the changes of lists.
fn add_lists(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    for one in attributes {
        if !one.property.is_list || !one.field.offers.on_create {
            continue;
        }
        let own = one.name();
        build.put(name, &format!("{own}_POP"), "Int", assigned(one, AssignVerb::Pop));
        let r#type = build.given(one.property);
        build.put(name, &format!("{own}_PUSH"), &r#type, assigned(one, AssignVerb::Push));
    }
}

fn assigned(one: &Attribute<'_>, verb: AssignVerb) -> InputBinding {
    let role = match one.origin {
        Origin::Node(field) | Origin::Edge(field) => WriteRole::Assign { field, verb },
        Origin::Common(place) => WriteRole::Several(MultiEntityRole::Assign { place, verb }),
        Origin::Apart | Origin::Computed(_) => return super::nowhere(),
    };
    // Values of relationships are not checked.
    match one.property.is_required && !matches!(one.origin, Origin::Edge(_)) {
        true => InputBinding::refuse_null(role, MUST_NOT_BE_NULL),
        false => InputBinding::lenient(role),
    }
}

/// The properties that a new object can have, of some classes.
fn created<'m>(attributes: &[Attribute<'m>], classes: &[Class]) -> Vec<Attribute<'m>> {
    let mut all = stored(attributes, classes);
    all.retain(|one| one.field.offers.on_create && !one.property.is_made_on_create());
    all
}

/// The properties that an update can change.
fn updated<'m>(attributes: &[Attribute<'m>]) -> Vec<Attribute<'m>> {
    let mut all = stored(attributes, &USUAL);
    all.retain(|one| one.field.offers.on_update && !one.property.is_made_on_create());
    all
}
