//! Types whose values have parts: intervals, points, ranges, composites.

use catalog::{Catalog, CompositeId, RangeId, Type};
use graphql::schema::{FieldDefinition, TypeId, TypeRef};
use ir::Form;
use response::{Leaf, Part};

use super::api_types::ValueType;
use super::build::{Build, field, object};
use super::claims::{Claimant, Claims};
use super::tags::omit::{Action, omits};
use super::tags::{Annotated, deprecation};
use super::types::{Definition, note_left_out, value_type};
use super::{Version, decomposed, descriptions, inputs, scalars};
use api::binding::{FieldBinding, ValueShape};

pub(super) fn interval(build: &mut Build<'_>, definition: Option<Definition>) -> Option<ValueType> {
    let comparable = Comparable { equal: true, ordered: true, name: "interval" };
    let shown = |r#type, input| object_value(r#type, ValueShape::Interval, input, comparable);
    if definition.is_none() {
        if !take_with_input(build, "Interval") {
            return None;
        }
        if let Some(known) = build.api.schema().find_type("Interval") {
            return Some(shown(known, known_input(build, known)));
        }
    }
    let definition = definition
        .unwrap_or_else(|| definition_of("Interval", Some(descriptions::INTERVAL.into())));
    let (float, int) = (build.scalar("Float")?, build.scalar("Int")?);
    let input = inputs::interval(build, &definition);
    let r#type = build.add_type(&definition.name, definition.description, object(Vec::new()))?;
    add_part(
        build,
        r#type,
        Part::Seconds,
        Leaf::Float,
        field("seconds", descriptions::SECONDS, float),
    );
    let units = [
        (Part::Minutes, "minutes"),
        (Part::Hours, "hours"),
        (Part::Days, "days"),
        (Part::Months, "months"),
        (Part::Years, "years"),
    ];
    for (part, unit) in units {
        let definition = field(unit, &descriptions::quantity(unit), int);
        add_part(build, r#type, part, Leaf::Int, definition);
    }
    Some(shown(r#type, input))
}

pub(super) fn point(build: &mut Build<'_>, definition: Option<Definition>) -> Option<ValueType> {
    let comparable = Comparable { equal: false, ordered: false, name: "point" };
    let shown = |r#type, input| object_value(r#type, ValueShape::Point, input, comparable);
    if definition.is_none() {
        if !take_with_input(build, "Point") {
            return None;
        }
        if let Some(known) = build.api.schema().find_type("Point") {
            return Some(shown(known, known_input(build, known)));
        }
    }
    let description = (build.options.version == Version::Five).then(|| descriptions::POINT.into());
    let definition = definition.unwrap_or_else(|| definition_of("Point", description));
    let float = build.scalar("Float")?.non_null();
    let input = inputs::point(build, &definition);
    let r#type = build.add_type(&definition.name, definition.description, object(Vec::new()))?;
    for (part, name) in [(Part::X, "x"), (Part::Y, "y")] {
        add_part(build, r#type, part, Leaf::Float, FieldDefinition::new(name, float));
    }
    Some(shown(r#type, input))
}

/// A range's type is shared by all ranges whose elements have the same type in the API.
pub(super) fn range(
    build: &mut Build<'_>,
    id: RangeId,
    definition: Option<Definition>,
) -> Option<ValueType> {
    let catalog = build.catalog;
    let range = &catalog[id];
    let element = value_type(build, &range.subtype).filter(ValueType::is_stored)?;
    let element_name: Box<str> = (*build.api.schema()[element.output.base].name).into();
    // Ranges of timestamps with and without a zone share a type and have different texts.
    let shape = ValueShape::Range(Box::new(element.value.clone()));
    let comparable = Comparable { equal: true, ordered: true, name: &range.name };
    let shown = |r#type, input| object_value(r#type, shape.clone(), input, comparable);
    if let (Some(known), None) = (build.ranges.get(&element_name).copied(), &definition) {
        return Some(shown(known, known_input(build, known)));
    }
    let bound = range_bound(build, &range.name, &element_name, &element)?;
    let is_alias = definition.is_some();
    let definition = match definition {
        Some(definition) => definition,
        None => {
            let name = build.inflection.range_type(&element_name);
            claim(build, &name, &range.name)?;
            definition_of(&name, Some(descriptions::range(&element_name)))
        }
    };
    let input = element.input;
    let input = input.and_then(|own| inputs::range(build, &definition, &element_name, own));
    let r#type = build.add_type(&definition.name, definition.description, object(Vec::new()))?;
    let bounds = [
        (Part::Start, "start", descriptions::RANGE_START),
        (Part::End, "end", descriptions::RANGE_END),
    ];
    for (part, name, description) in bounds {
        let definition = field(name, description, TypeRef::named(bound));
        let binding = FieldBinding::Part { part, value: ValueShape::Bound };
        build.api.add_field(r#type, definition, binding);
    }
    if !is_alias {
        build.ranges.insert(element_name, r#type);
    }
    Some(shown(r#type, input))
}

fn range_bound(
    build: &mut Build<'_>,
    range: &str,
    element_name: &str,
    element: &ValueType,
) -> Option<TypeId> {
    if let Some(known) = build.bounds.get(element_name) {
        return Some(*known);
    }
    let name = build.inflection.range_bound_type(element_name);
    claim(build, &name, range)?;
    let boolean = build.scalar("Boolean")?;
    let bound = build.add_type(&name, Some(descriptions::BOUND.into()), object(Vec::new()))?;
    let value = field("value", descriptions::BOUND_VALUE, element.output.non_null());
    let binding = FieldBinding::Part { part: Part::Value, value: element.value.clone() };
    build.api.add_field(bound, value, binding);
    let inclusive = field("inclusive", descriptions::BOUND_INCLUSIVE, boolean.non_null());
    add_part(build, bound, Part::Inclusive, Leaf::Boolean, inclusive);
    build.bounds.insert(element_name.into(), bound);
    Some(bound)
}

/// The type of a composite, or of a domain over it.
pub(super) fn composite(
    build: &mut Build<'_>,
    id: CompositeId,
    definition: Definition,
    is_alias: bool,
) -> Option<ValueType> {
    let catalog = build.catalog;
    let composite = &catalog[id];
    let rows = composite.rows.filter(|_| composite.is_decomposed && !is_alias);
    let mut names = Claims::default();
    let (mut attributes, mut given) = (Vec::new(), Vec::new());
    // True if the database can compare and sort all its parts, also those outside of the API.
    let (mut equal, mut ordered) = (true, true);
    for (place, attribute) in composite.attributes.iter().enumerate() {
        let subject = format!("{}.{}", composite.name, attribute.name);
        let Annotated { tags, description } = build.annotations.attribute(id, place);
        if omits(tags, Action::Read) {
            let comparable = is_comparable(catalog, &attribute.r#type);
            equal &= comparable.0;
            ordered &= comparable.1;
            continue;
        }
        let Some(value) = value_type(build, &attribute.r#type).filter(ValueType::is_stored) else {
            note_left_out(build, &subject);
            (equal, ordered) = (false, false);
            continue;
        };
        equal &= value.equal;
        ordered &= value.ordered;
        if rows.is_none() && catalog.find_rows(&attribute.r#type).is_some() {
            decomposed::note_not_in_value(build, &subject);
            continue;
        }
        let name = build.inflection.column(tags.text("name").unwrap_or(&attribute.name));
        if let Err(note) = names.claim(&name, Claimant { subject: &subject, what: "field" }) {
            build.note(note);
            continue;
        }
        let Ok(place) = u16::try_from(place) else { continue };
        let not_null = tags.has("notNull")
            || matches!(attribute.r#type, Type::Domain(id) if catalog[id].not_null);
        let definition = FieldDefinition {
            description: description.as_deref().map(Into::into),
            deprecated: deprecation(tags),
            ..FieldDefinition::new(&name, value.output.non_null_if(not_null))
        };
        if let Some(input) = value.input.filter(|_| !omits(tags, Action::Create)) {
            let value = input.non_null_if(not_null && !tags.has("hasDefault"));
            let description = description.clone();
            given.push(inputs::Attribute { place: place.into(), name, description, value });
        }
        attributes.push((definition, place, value));
    }
    if attributes.is_empty() {
        return None;
    }
    let name = match &composite.namespace {
        Some(namespace) => format!("{namespace}.{}", composite.name),
        None => composite.name.to_string(),
    };
    let comparable = Comparable { equal, ordered, name: &name };
    let number = composite.attributes.len();
    let input = inputs::composite(build, &definition, is_alias, number, &given);
    let r#type = build.add_type(&definition.name, definition.description, object(Vec::new()))?;
    match rows {
        Some(rows) => {
            let attributes = attributes.into_iter();
            let attributes = attributes
                .map(|(definition, place, value)| (definition, usize::from(place), value));
            decomposed::add_fields(build, rows, r#type, names, attributes.collect());
        }
        None => {
            for (definition, place, value) in attributes {
                let binding =
                    FieldBinding::Part { part: Part::Attribute(place), value: value.value };
                build.api.add_field(r#type, definition, binding);
            }
        }
    }
    Some(object_value(r#type, ValueShape::Composite, input, comparable))
}

/// Takes the names of a type of values and of its input type.
fn take_with_input(build: &mut Build<'_>, name: &str) -> bool {
    let input = build.inflection.input_type(name);
    // Both are tried, so that all clashes are known at once.
    let (takes, takes_input) = (build.take_type_of_values(name), build.take_type_of_values(&input));
    takes && takes_input
}

/// The input type of an output type.
fn known_input(build: &Build<'_>, output: TypeId) -> Option<TypeRef> {
    let name = build.inflection.input_type(&build.api.schema()[output].name);
    build.api.schema().find_type(&name).map(TypeRef::named)
}

/// Comparability of values, and the name of their type in the database.
#[derive(Clone, Copy)]
pub(super) struct Comparable<'n> {
    pub(super) equal: bool,
    pub(super) ordered: bool,
    pub(super) name: &'n str,
}

/// True if the database can compare, and true if it can sort, values of a type outside of the API.
fn is_comparable(catalog: &Catalog, r#type: &Type) -> (bool, bool) {
    match catalog.base_type(r#type) {
        Type::Scalar(scalar) => {
            let json_equality = catalog.capabilities().json_equality;
            (scalars::has_equality(scalar, json_equality), scalars::is_ordered(scalar))
        }
        Type::Enum(_) | Type::Range(_) => (true, true),
        Type::List(element) => is_comparable(catalog, element),
        Type::Composite(id) => {
            let parts = catalog[*id].attributes.iter();
            let parts = parts.map(|attribute| is_comparable(catalog, &attribute.r#type));
            parts.fold((true, true), |all, one| (all.0 && one.0, all.1 && one.1))
        }
        Type::Domain(_) | Type::Row(_) => (false, false),
    }
}

/// A value with parts.
pub(super) fn object_value(
    r#type: TypeId,
    value: ValueShape,
    input: Option<TypeRef>,
    comparable: Comparable<'_>,
) -> ValueType {
    ValueType {
        output: TypeRef::named(r#type),
        value,
        json: Leaf::Any,
        form: Form::Stored,
        input,
        equal: comparable.equal,
        ordered: comparable.ordered,
        database_name: comparable.name.into(),
    }
}

fn add_part(
    build: &mut Build<'_>,
    parent: TypeId,
    part: Part,
    leaf: Leaf,
    definition: FieldDefinition,
) {
    let binding = FieldBinding::Part { part, value: ValueShape::Leaf(leaf) };
    build.api.add_field(parent, definition, binding);
}

fn definition_of(name: &str, description: Option<String>) -> Definition {
    Definition { name: name.into(), description: description.map(Into::into) }
}

fn claim(build: &mut Build<'_>, name: &str, range: &str) -> Option<()> {
    let claimed = build.types.claim(name, Claimant { subject: range, what: "range type" });
    claimed.map_err(|note| build.note(note)).ok()
}
