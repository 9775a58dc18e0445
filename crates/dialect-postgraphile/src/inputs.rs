//! Input types of values that have parts: intervals, points, ranges, composites.
//!
//! Each belongs to an output type, with its name and `Input`, and its form is the conversion to the
//! source's value.

use std::sync::Arc;

use graphql::schema::{InputDefinition, TypeId, TypeKind, TypeRef};
use ir::{Member, Unit, ValueForm};

use super::build::{Build, input};
use super::claims::Claimant;
use super::descriptions;
use super::types::Definition;
use api::binding::{InputBinding, InputRole};

const UNITS: [Unit; 6] =
    [Unit::Seconds, Unit::Minutes, Unit::Hours, Unit::Days, Unit::Months, Unit::Years];

/// The input type of an interval, under the name of `Interval` or of a domain over it.
pub(super) fn interval(build: &mut Build<'_>, output: &Definition) -> Option<TypeRef> {
    let (float, int) = (build.scalar("Float")?, build.scalar("Int")?);
    let r#type = add_type(build, output, output.description.clone())?;
    for unit in UNITS {
        let (description, value) = match unit {
            Unit::Seconds => (descriptions::SECONDS.to_owned(), float),
            _ => (descriptions::quantity(unit.name()), int),
        };
        add_member(build, r#type, input(unit.name(), &description, value));
    }
    let units = UNITS.map(|unit| (unit.name().into(), unit));
    build.api.bind_form(r#type, ValueForm::Interval(units.into()));
    Some(TypeRef::named(r#type))
}

pub(super) fn point(build: &mut Build<'_>, output: &Definition) -> Option<TypeRef> {
    let float = build.scalar("Float")?.non_null();
    let r#type = add_type(build, output, output.description.clone())?;
    for name in ["x", "y"] {
        add_member(build, r#type, InputDefinition::new(name, float));
    }
    build.api.bind_form(r#type, ValueForm::Point { x: "x".into(), y: "y".into() });
    Some(TypeRef::named(r#type))
}

/// The input type of ranges over `element`, whose name in the API is `element_name`.
pub(super) fn range(
    build: &mut Build<'_>,
    output: &Definition,
    element_name: &str,
    element: TypeRef,
) -> Option<TypeRef> {
    let bound = bound(build, element_name, element)?;
    let r#type = add_type(build, output, output.description.clone())?;
    let bounds = [("start", descriptions::RANGE_START), ("end", descriptions::RANGE_END)];
    for (name, description) in bounds {
        add_member(build, r#type, input(name, description, bound));
    }
    let [start, end] =
        bounds.map(|(name, _)| Member { name: name.into(), form: build.api.form(bound) });
    build.api.bind_form(r#type, ValueForm::Range { start, end });
    Some(TypeRef::named(r#type))
}

fn bound(build: &mut Build<'_>, element_name: &str, element: TypeRef) -> Option<TypeRef> {
    let name = build.inflection.range_bound_type(element_name);
    if let Some(known) = build.api.schema().find_type(&build.inflection.input_type(&name)) {
        return Some(TypeRef::named(known));
    }
    let boolean = build.scalar("Boolean")?.non_null();
    let output = Definition { name, description: Some(descriptions::BOUND.into()) };
    let r#type = add_type(build, &output, output.description.clone())?;
    let value = input("value", descriptions::BOUND_VALUE, element.non_null());
    add_member(build, r#type, value);
    add_member(build, r#type, input("inclusive", descriptions::BOUND_INCLUSIVE, boolean));
    let value = Member { name: "value".into(), form: build.api.form(element) };
    let form = ValueForm::Bound { value, inclusive: "inclusive".into() };
    build.api.bind_form(r#type, form);
    Some(TypeRef::named(r#type))
}

/// A writable attribute of a composite, and its output.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) description: Option<Box<str>>,
    pub(super) value: TypeRef,
}

/// The input type of a composite with so many attributes.
pub(super) fn composite(
    build: &mut Build<'_>,
    output: &Definition,
    is_alias: bool,
    number: usize,
    attributes: &[Attribute],
) -> Option<TypeRef> {
    let description = match is_alias {
        true => output.description.clone(),
        false => Some(descriptions::input_type(&output.name).into()),
    };
    let r#type = add_type(build, output, description)?;
    let mut members = vec![None; number];
    for attribute in attributes {
        let description = attribute.description.as_deref().map(Into::into);
        let definition = InputDefinition::new(&attribute.name, attribute.value);
        add_member(build, r#type, InputDefinition { description, ..definition });
        if let Some(member) = members.get_mut(attribute.place) {
            let form: Arc<ValueForm> = build.api.form(attribute.value);
            *member = Some(Member { name: attribute.name.as_str().into(), form });
        }
    }
    build.api.bind_form(r#type, ValueForm::Composite(members));
    Some(TypeRef::named(r#type))
}

/// Adds the input type that belongs to an output type.
pub(super) fn add_type(
    build: &mut Build<'_>,
    output: &Definition,
    description: Option<Box<str>>,
) -> Option<TypeId> {
    let name = build.inflection.input_type(&output.name);
    if !build.is_type_of_values(&name) {
        let claimant = Claimant { subject: &output.name, what: "input type" };
        build.types.claim(&name, claimant).map_err(|note| build.note(note)).ok()?;
    }
    build.add_type(&name, description, TypeKind::InputObject { fields: Vec::new() })
}

pub(super) fn add_member(build: &mut Build<'_>, r#type: TypeId, definition: InputDefinition) {
    let binding = InputBinding::lenient(InputRole::Member);
    build.api.add_input_field(r#type, definition, binding);
}
