//! Geometric types as objects of points: lines, boxes, paths and so on, which are texts without the
//! option.

use catalog::Scalar;
use graphql::schema::{FieldDefinition, InputDefinition, TypeRef};
use ir::{Member, ValueForm};
use response::{Figure, Leaf, Part};

use super::api_types::ValueType;
use super::build::{Build, object};
use super::claims::Claimant;
use super::parts::{Comparable, object_value};
use super::types::Definition;
use super::{Version, descriptions, inputs, parts, scalars};
use api::binding::{FieldBinding, ValueShape};

/// A part of a figure, in responses and in arguments.
struct Field {
    name: &'static str,
    description: Option<&'static str>,
    part: Part,
    value: ValueShape,
    output: TypeRef,
    input: TypeRef,
}

/// The types of figures' fields.
#[derive(Clone, Copy)]
struct Types {
    point: TypeRef,
    point_input: TypeRef,
    float: TypeRef,
    boolean: TypeRef,
    boolean_input: TypeRef,
    /// Lists of these.
    points: TypeRef,
    points_input: TypeRef,
}

impl Types {
    fn new(build: &mut Build<'_>) -> Option<Self> {
        let point = parts::point(build, None)?;
        // No part of a figure is null, which version 5 says.
        let is_five = build.options.version == Version::Five;
        let (output, input) =
            (point.output.non_null_if(is_five), point.input?.non_null_if(is_five));
        Some(Self {
            point: output,
            point_input: input,
            float: build.scalar("Float")?.non_null_if(is_five),
            boolean: build.scalar("Boolean")?.non_null_if(is_five),
            boolean_input: build.scalar("Boolean")?,
            points: output.list().non_null_if(is_five),
            points_input: input.list().non_null_if(is_five),
        })
    }
}

/// The name of a figure's own type, which a table may have as well: the first one keeps it.
pub(super) fn definition(
    build: &mut Build<'_>,
    scalar: &Scalar,
    figure: Figure,
) -> Option<Definition> {
    let is_five = build.options.version == Version::Five;
    let (name, description) = match figure {
        Figure::Line => ("Line", Some(descriptions::LINE)),
        Figure::Segment => ("LineSegment", Some(descriptions::SEGMENT)),
        Figure::Box => ("Box", Some(descriptions::BOX)),
        Figure::Path => ("Path", Some(descriptions::PATH)),
        Figure::Polygon => ("Polygon", is_five.then_some(descriptions::POLYGON)),
        Figure::Circle => ("Circle", is_five.then_some(descriptions::CIRCLE)),
    };
    let claimant = Claimant { subject: scalars::database_name(scalar), what: "type" };
    if let Err(mut note) = build.types.claim(name, claimant) {
        note.remedy = "give the other a name of its own, with the tag @name.".into();
        build.note(note);
        return None;
    }
    Some(Definition { name: name.into(), description: description.map(Into::into) })
}

/// The type of a figure, under its own name or that of a domain over it.
pub(super) fn value(
    build: &mut Build<'_>,
    scalar: &Scalar,
    figure: Figure,
    definition: Definition,
) -> Option<ValueType> {
    let types = Types::new(build)?;
    let input = input(build, &definition, figure, types);
    let r#type = build.add_type(&definition.name, definition.description, object(Vec::new()))?;
    for field in fields(figure, types) {
        let definition = FieldDefinition {
            description: field.description.map(Into::into),
            ..FieldDefinition::new(field.name, field.output)
        };
        let binding = FieldBinding::Part { part: field.part, value: field.value };
        build.api.add_field(r#type, definition, binding);
    }
    let json_equality = build.catalog.capabilities().json_equality;
    let comparable = Comparable {
        equal: scalars::has_equality(scalar, json_equality),
        ordered: scalars::is_ordered(scalar),
        name: scalars::database_name(scalar),
    };
    Some(object_value(r#type, ValueShape::Figure(figure), input, comparable))
}

fn fields(figure: Figure, types: Types) -> Vec<Field> {
    let point = |name, part| Field {
        name,
        description: None,
        part,
        value: ValueShape::Point,
        output: types.point,
        input: types.point_input,
    };
    let points = Field {
        value: ValueShape::List(Box::new(ValueShape::Point)),
        output: types.points,
        input: types.points_input,
        ..point("points", Part::Points)
    };
    match figure {
        Figure::Line | Figure::Segment | Figure::Box => {
            vec![point("a", Part::A), point("b", Part::B)]
        }
        Figure::Path => {
            let is_open = Field {
                description: Some(descriptions::IS_OPEN),
                value: ValueShape::Leaf(Leaf::Boolean),
                output: types.boolean,
                input: types.boolean_input,
                ..point("isOpen", Part::IsOpen)
            };
            vec![points, is_open]
        }
        Figure::Polygon => vec![points],
        Figure::Circle => {
            let radius = Field {
                value: ValueShape::Leaf(Leaf::Float),
                output: types.float,
                input: types.float,
                ..point("radius", Part::Radius)
            };
            vec![point("center", Part::Center), radius]
        }
    }
}

/// The input type of a figure with the same fields.
fn input(
    build: &mut Build<'_>,
    output: &Definition,
    figure: Figure,
    types: Types,
) -> Option<TypeRef> {
    let r#type = inputs::add_type(build, output, output.description.clone())?;
    for field in fields(figure, types) {
        let definition = InputDefinition {
            description: field.description.map(Into::into),
            ..InputDefinition::new(field.name, field.input)
        };
        inputs::add_member(build, r#type, definition);
    }
    let member = |name: &str, r#type| Member { name: name.into(), form: build.api.form(r#type) };
    let (a, b) = (member("a", types.point_input), member("b", types.point_input));
    let points = member("points", types.points_input);
    let form = match figure {
        Figure::Line | Figure::Segment => ValueForm::Line { a, b },
        Figure::Box => ValueForm::Box { a, b },
        Figure::Path => ValueForm::Path { points, is_open: Some("isOpen".into()) },
        Figure::Polygon => ValueForm::Path { points, is_open: None },
        Figure::Circle => {
            let center = member("center", types.point_input);
            ValueForm::Circle { center, radius: "radius".into() }
        }
    };
    build.api.bind_form(r#type, form);
    Some(TypeRef::named(r#type))
}
