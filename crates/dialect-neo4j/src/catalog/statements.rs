//! Statements of the author as functions, and the objects that they give and take.

use catalog::builder::{NewField, NewFunction};
use catalog::{
    Argument, ArgumentType, Attribute, CompositeId, EntityId, EntityKind, FieldId, FunctionResult,
    Scalar, Statement, StatementPart, Type, Volatility,
};

use super::Declarer;
use crate::model::{
    self, Given, InputKind, InputValue, ModelField, PlacedStatement, Property, PropertyType,
    StatementField,
};

/// What statements call the node that they are asked of.
const ROW: &str = "this";

/// Whose field a statement gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked<'m> {
    /// Each node of an entity is asked, by the name of its type.
    Node(&'m str, EntityId),
    Query,
    Mutation,
}

/// What requests give, as composites of the catalog.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// By the places of the model's inputs.
    own: Vec<CompositeId>,
    /// Points are maps where statements get them.
    geographic: Option<CompositeId>,
    cartesian: Option<CompositeId>,
}

impl<'m> Declarer<'m> {
    /// Objects that statements give.
    pub(super) fn objects(&mut self, nodes: &[EntityId]) {
        let model = self.model;
        let entities: Vec<EntityId> = model
            .objects
            .iter()
            .map(|object| {
                let description = object.description.as_deref().map(Into::into);
                let name = (&*object.name).into();
                self.builder.entity(None, name, EntityKind::Composite, description)
            })
            .collect();
        for (object, entity) in model.objects.iter().zip(&entities) {
            let fields = object.fields.iter().map(|field| {
                let r#type = match &field.given {
                    Given::Value(property) => self.r#type(property),
                    Given::Node(place, wrapping) => {
                        rows(nodes.get(*place).copied(), wrapping.is_list)
                    }
                    // It was refused.
                    Given::Several(_, wrapping) => rows(None, wrapping.is_list),
                    Given::Object(place, wrapping) => {
                        rows(entities.get(*place).copied(), wrapping.is_list)
                    }
                };
                self.builder.field(*entity, nullable(&field.name, r#type))
            });
            let fields = fields.collect();
            self.placed.objects.push((*entity, fields));
        }
    }

    /// Nodes or maps in the maps of a type of nodes.
    pub(super) fn part(
        &mut self,
        entity: EntityId,
        name: &str,
        given: &Given,
        nodes: &[EntityId],
    ) -> FieldId {
        let place = match given {
            Given::Node(place, _) => Some(*place),
            // Requests for nodes of several types are refused.
            Given::Value(_) | Given::Object(..) | Given::Several(..) => None,
        };
        let of = place.and_then(|place| nodes.get(place).copied());
        let r#type = rows(of, given.wrapping().is_list);
        self.builder.field(entity, nullable(name, r#type))
    }

    /// Objects that requests give: an input has no other before it, so all are named first.
    pub(super) fn inputs(&mut self) {
        let model = self.model;
        for input in &model.inputs {
            let composite = self.builder.composite(None, (&*input.name).into(), None);
            self.inputs.own.push(composite);
        }
        for (place, input) in model.inputs.iter().enumerate() {
            let attributes = input.fields.iter().map(|field| Attribute {
                name: (&*field.name).into(),
                r#type: self.input_type(field),
                description: None,
            });
            let attributes = attributes.collect();
            if let Some(composite) = self.inputs.own.get(place) {
                self.builder.set_attributes(*composite, attributes);
            }
        }
    }

    /// The fields of the roots.
    pub(super) fn roots(&mut self) {
        let model = self.model;
        for (asked, fields) in [(Asked::Query, &model.queries), (Asked::Mutation, &model.mutations)]
        {
            let mut placed = Vec::new();
            for field in fields {
                if let model::FieldKind::Statement(statement) = &field.kind {
                    placed.push(self.statement(asked, field, statement));
                }
            }
            match asked {
                Asked::Mutation => self.placed.mutations = placed,
                Asked::Query | Asked::Node(..) => self.placed.queries = placed,
            }
        }
    }

    /// The function that a statement is.
    pub(super) fn statement(
        &mut self,
        asked: Asked<'m>,
        field: &ModelField,
        statement: &StatementField,
    ) -> PlacedStatement {
        let (owner, of_row, volatility) = match asked {
            Asked::Node(owner, entity) => (owner, Some(entity), Volatility::Stable),
            Asked::Query => ("Query", None, Volatility::Stable),
            Asked::Mutation => ("Mutation", None, Volatility::Volatile),
        };
        let name: Box<str> = [owner, ".", &*field.name].concat().into();
        let row = of_row.map(|entity| Argument {
            name: None,
            r#type: ArgumentType::Row(entity),
            has_default: false,
        });
        let own: Vec<Argument> = statement
            .arguments
            .iter()
            .map(|argument| Argument {
                name: Some((&*argument.name).into()),
                r#type: ArgumentType::Value(self.input_type(argument)),
                has_default: false,
            })
            .collect();
        let (result, entity, value) = self.result(&name, of_row.is_some(), &statement.result);
        let function = self.builder.function(NewFunction {
            namespace: None,
            name,
            volatility,
            strict: false,
            arguments: row.into_iter().chain(own).collect(),
            result,
            output_name: None,
            description: field.description.as_deref().map(Into::into),
        });
        let before = usize::from(of_row.is_some());
        let parts = statement.parts.iter().map(|part| match part {
            model::StatementPart::Text(text) => StatementPart::Text((&**text).into()),
            model::StatementPart::Argument(place) => {
                StatementPart::Argument(u16::try_from(before + place).unwrap_or(u16::MAX))
            }
            model::StatementPart::Claims => StatementPart::Claims,
            model::StatementPart::Name(name) => StatementPart::Name((&**name).into()),
            model::StatementPart::Nothing(name) => StatementPart::Nothing((&**name).into()),
        });
        let statement = Statement {
            row: of_row.map(|_| ROW.into()),
            parts: parts.collect(),
            column: (&*statement.column).into(),
            only_first: statement.only_first,
        };
        self.builder.state(function, statement);
        PlacedStatement { function, value, entity }
    }

    /// What a statement gives: the values of a row are one value, those of a root are rows.
    fn result(
        &mut self,
        name: &str,
        of_row: bool,
        given: &Given,
    ) -> (FunctionResult, EntityId, Option<FieldId>) {
        let (entity, wrapping) = match given {
            Given::Value(property) => {
                let entity = self.builder.entity(None, name.into(), EntityKind::ValueSet, None);
                let is_set = property.is_list && !of_row;
                let r#type = match is_set {
                    true => self.r#type(&Property { is_list: false, ..property.clone() }),
                    false => self.r#type(property),
                };
                let field = self.builder.field(entity, nullable(name, r#type));
                let result = match is_set {
                    true => FunctionResult::Values(field),
                    false => FunctionResult::Value(field),
                };
                return (result, entity, Some(field));
            }
            Given::Node(place, wrapping) => (self.nodes.get(*place).copied(), wrapping),
            Given::Object(place, wrapping) => {
                (self.placed.objects.get(*place).map(|(entity, _)| *entity), wrapping)
            }
            // Rows of no entity that has fields of its own.
            Given::Several(_, wrapping) => {
                let kind = EntityKind::Record;
                (Some(self.builder.entity(None, name.into(), kind, None)), wrapping)
            }
        };
        let entity = entity.unwrap_or(EntityId::new(0));
        match wrapping.is_list {
            true => (FunctionResult::Rows(entity), entity, None),
            false => (FunctionResult::Row(entity), entity, None),
        }
    }

    fn input_type(&mut self, input: &InputValue) -> Type {
        let element = match &input.kind {
            InputKind::Value(PropertyType::Point) => {
                let known = self.inputs.geographic;
                let names = ["longitude", "latitude", "height"];
                let id = known.unwrap_or_else(|| self.point("PointInput", names));
                self.inputs.geographic = Some(id);
                Type::Composite(id)
            }
            InputKind::Value(PropertyType::CartesianPoint) => {
                let known = self.inputs.cartesian;
                let id =
                    known.unwrap_or_else(|| self.point("CartesianPointInput", ["x", "y", "z"]));
                self.inputs.cartesian = Some(id);
                Type::Composite(id)
            }
            InputKind::Value(r#type) => self.value_type(r#type),
            InputKind::Object(place) => match self.inputs.own.get(*place) {
                Some(composite) => Type::Composite(*composite),
                None => Type::Scalar(Scalar::Text),
            },
        };
        if input.wrapping.is_list { Type::List(Box::new(element)) } else { element }
    }

    fn point(&mut self, name: &str, names: [&str; 3]) -> CompositeId {
        let composite = self.builder.composite(None, name.into(), None);
        let attributes = names.map(|name| Attribute {
            name: name.into(),
            r#type: Type::Scalar(Scalar::Float64),
            description: None,
        });
        self.builder.set_attributes(composite, attributes.into());
        composite
    }
}

fn rows(entity: Option<EntityId>, is_list: bool) -> Type {
    let row = Type::Row(entity.unwrap_or(EntityId::new(0)));
    if is_list { Type::List(Box::new(row)) } else { row }
}

fn nullable(name: &str, r#type: Type) -> NewField {
    NewField {
        name: name.into(),
        r#type,
        nullable: true,
        has_default: false,
        generated: None,
        description: None,
    }
}
