//! Stored values in the API of either version.

mod statements;

use std::sync::Arc;

use catalog::FieldId;
use graphql::value::Const;
use ir::{Form, NewId, Operand};
use response::{EnumNames, GraphLeaf, Leaf};

use crate::model::{
    ApiVersion, Constant, FieldKind, Made, Model, ModelField, Placed, PlacedField, Property,
    PropertyType,
};
pub(crate) use statements::arguments;

use api::ApiBuilder;
use api::binding::{ColumnBinding, Cursors, EntityBinding, NodeRules, ValueShape};

/// The name of a type of values in the API.
pub(crate) fn type_name<'a>(model: &'a Model, r#type: &PropertyType) -> &'a str {
    match r#type {
        PropertyType::Boolean => "Boolean",
        PropertyType::Id => "ID",
        PropertyType::Int => "Int",
        PropertyType::BigInt => "BigInt",
        PropertyType::Float => "Float",
        PropertyType::String => "String",
        PropertyType::Date => "Date",
        PropertyType::Time => "Time",
        PropertyType::LocalTime => "LocalTime",
        PropertyType::DateTime => "DateTime",
        PropertyType::LocalDateTime => "LocalDateTime",
        PropertyType::Duration => "Duration",
        PropertyType::Point => "Point",
        PropertyType::CartesianPoint => "CartesianPoint",
        PropertyType::Enum(index) => model.enums.get(*index).map_or("String", |known| &known.name),
        PropertyType::Scalar(index) => {
            model.scalars.get(*index).map_or("String", |known| &known.name)
        }
    }
}

/// The name of a type of values in inputs: points are input objects.
pub(crate) fn input_name<'a>(model: &'a Model, r#type: &PropertyType) -> &'a str {
    match r#type {
        PropertyType::Point => "PointInput",
        PropertyType::CartesianPoint => "CartesianPointInput",
        r#type => type_name(model, r#type),
    }
}

/// The type of a whole value, which may be null: `[T!]`, or `T` itself.
pub(crate) fn whole(name: &str, property: &Property) -> String {
    match (property.is_list, property.are_elements_required) {
        (false, _) => name.into(),
        (true, false) => format!("[{name}]"),
        (true, true) => format!("[{name}!]"),
    }
}

/// The type of a whole value, with `!` where the definitions require it.
pub(crate) fn required(whole: String, property: &Property) -> String {
    if property.is_required { format!("{whole}!") } else { whole }
}

/// The response form of one value, by the rules of the library; names of enums stay as they are.
pub(crate) fn leaf(r#type: &PropertyType, version: ApiVersion) -> Leaf {
    Leaf::Graph(match r#type {
        PropertyType::Boolean => GraphLeaf::Boolean,
        PropertyType::Id => GraphLeaf::Id,
        PropertyType::Int => GraphLeaf::Int,
        PropertyType::BigInt => GraphLeaf::BigInt,
        PropertyType::Float => GraphLeaf::Float,
        PropertyType::String => GraphLeaf::String,
        PropertyType::Date => GraphLeaf::Date,
        PropertyType::Time => GraphLeaf::Time,
        PropertyType::LocalTime => GraphLeaf::LocalTime,
        PropertyType::DateTime => GraphLeaf::DateTime,
        PropertyType::LocalDateTime => GraphLeaf::LocalDateTime,
        PropertyType::Duration => match version {
            ApiVersion::V3 => GraphLeaf::PlainDuration,
            ApiVersion::V7 => GraphLeaf::Duration,
        },
        PropertyType::Enum(_) => return Leaf::Text,
        PropertyType::Scalar(_) => GraphLeaf::Any,
        // Its parts say how they are written.
        PropertyType::Point | PropertyType::CartesianPoint => return Leaf::Any,
    })
}

/// The binding of a field of an entity.
pub(crate) fn column(model: &Model, property: &Property, api: ApiVersion) -> ColumnBinding {
    let one = match property.r#type {
        PropertyType::Enum(index) => enum_leaf(model, index),
        ref r#type => leaf(r#type, api),
    };
    let shape = match property.r#type {
        PropertyType::Point | PropertyType::CartesianPoint => ValueShape::Point,
        _ => ValueShape::Leaf(one.clone()),
    };
    let (value, json) = match property.is_list {
        true => (ValueShape::List(Box::new(shape)), Leaf::List(Box::new(one))),
        false => (shape, one),
    };
    ColumnBinding { value, form: Form::Stored, node_id: json.clone(), json }
}

/// Only the names that the definitions have can be written.
fn enum_leaf(model: &Model, index: usize) -> Leaf {
    let values = model.enums.get(index).map(|known| known.values.as_slice()).unwrap_or_default();
    let names = values.iter().map(|value| ((&*value.name).into(), (&*value.name).into()));
    Leaf::Enum(Arc::new(EnumNames::new(names)))
}

/// Binds the response forms of the values of all entities, and the values that are generated.
pub(crate) fn bind(builder: &mut ApiBuilder, model: &Model, placed: &Placed, version: ApiVersion) {
    for (node, placed) in model.nodes.iter().zip(&placed.nodes) {
        let fields = node.fields.iter().zip(&placed.fields);
        let fields = fields.filter_map(|(field, placed)| match placed {
            PlacedField::Property(id) => Some((field, *id)),
            PlacedField::Paths(_) | PlacedField::Statement(_) => None,
        });
        bind_entity(builder, (model, version), (placed.entity, &node.name), fields);
    }
    for (properties, (entity, fields)) in model.properties.iter().zip(&placed.properties) {
        let fields = properties.fields.iter().zip(fields.iter().copied());
        bind_entity(builder, (model, version), (*entity, &properties.name), fields);
    }
    for (field, first) in &placed.twins {
        builder.bind_duplicate(*field, *first);
    }
    if let Some(score) = placed.score {
        let leaf = leaf(&PropertyType::Float, version);
        let (value, form) = (ValueShape::Leaf(leaf.clone()), Form::Stored);
        let binding = ColumnBinding { value, form, node_id: leaf.clone(), json: leaf };
        builder.bind_column(score, binding);
    }
    statements::bind(builder, (model, version), placed);
}

fn bind_entity<'a>(
    builder: &mut ApiBuilder,
    (model, version): (&Model, ApiVersion),
    (entity, name): (catalog::EntityId, &str),
    fields: impl Iterator<Item = (&'a ModelField, FieldId)>,
) {
    let rules = NodeRules { name: name.into(), ..NodeRules::default() };
    let mut binding =
        EntityBinding { cursors: Cursors::Offsets, rules, ..EntityBinding::default() };
    for (field, id) in fields {
        let FieldKind::Property(property) = &field.kind else { continue };
        builder.bind_column(id, column(model, property, version));
        match property.made {
            Some(Made::Id) => binding.made_on_create.push((id, Operand::NewId(NewId::Uuid))),
            Some(Made::Timestamp { on_create, on_update }) => {
                if on_create {
                    binding.made_on_create.push((id, Operand::Now));
                }
                if on_update {
                    binding.made_on_update.push((id, Operand::Now));
                }
            }
            None => {}
        }
    }
    builder.bind_entity(entity, binding);
}

/// A default in the schema.
pub(crate) fn constant(value: &Constant) -> Const {
    match value {
        Constant::Boolean(value) => Const::Boolean(*value),
        Constant::Integer(value) => Const::Int(*value),
        Constant::Float(text) => Const::Float(text.parse().unwrap_or_default()),
        Constant::Text(text) => Const::String((&**text).into()),
        Constant::Enum(name) => Const::Enum((&**name).into()),
        Constant::List(items) => Const::List(items.iter().map(constant).collect()),
    }
}
