//! Conversion of the library's tree of definitions.

use std::sync::Arc;

use apollo_compiler::{Name, Node, ast};

use super::{
    Composite, Definitions, Directive, DirectiveArgument, DirectiveDefinition, EnumValueDefinition,
    FieldDefinition, InputDefinition, Literal, Named, SchemaDefinition, TypeBody, TypeDefinition,
    TypeExpression,
};
use crate::document::positions::Positions;
use crate::error::{ErrorCode, GraphQLError};

pub(super) fn definitions(
    document: &ast::Document,
    positions: &Positions,
) -> Result<Definitions, Vec<GraphQLError>> {
    let converter = Converter { positions };
    let mut definitions = Definitions::default();
    let mut errors = Vec::new();
    for definition in &document.definitions {
        converter.definition(definition, &mut definitions, &mut errors);
    }
    if errors.is_empty() { Ok(definitions) } else { Err(errors) }
}

/// Recursion is bounded by the parser's limit.
struct Converter<'d> {
    positions: &'d Positions,
}

/// Common parts of all type definitions.
struct Head<'d> {
    name: &'d Name,
    /// Extensions have none.
    description: Option<&'d Node<str>>,
    is_extension: bool,
    directives: &'d ast::DirectiveList,
}

impl Converter<'_> {
    fn definition(
        &self,
        definition: &ast::Definition,
        definitions: &mut Definitions,
        errors: &mut Vec<GraphQLError>,
    ) {
        use ast::Definition as D;
        let (head, body) = match definition {
            D::OperationDefinition(operation) => {
                errors.push(self.misplaced("An operation", operation));
                return;
            }
            D::FragmentDefinition(fragment) => {
                errors.push(self.misplaced("A fragment", fragment));
                return;
            }
            D::DirectiveDefinition(directive) => {
                definitions.directives.push(self.directive(directive));
                return;
            }
            D::SchemaDefinition(schema) => {
                let line = self.node_line(schema);
                let operations = &schema.root_operations;
                definitions.schemas.push(SchemaDefinition {
                    description: schema.description.as_ref().map(text),
                    ..self.schema(line, &schema.directives, operations)
                });
                return;
            }
            D::SchemaExtension(schema) => {
                let line = self.node_line(schema);
                let operations = &schema.root_operations;
                definitions.schemas.push(SchemaDefinition {
                    is_extension: true,
                    ..self.schema(line, &schema.directives, operations)
                });
                return;
            }
            D::ScalarTypeDefinition(t) => {
                (defined(&t.name, t.description.as_ref(), &t.directives), TypeBody::Scalar)
            }
            D::ScalarTypeExtension(t) => (extended(&t.name, &t.directives), TypeBody::Scalar),
            D::ObjectTypeDefinition(t) => {
                let composite = self.composite(&t.implements_interfaces, &t.fields);
                let head = defined(&t.name, t.description.as_ref(), &t.directives);
                (head, TypeBody::Object(composite))
            }
            D::ObjectTypeExtension(t) => {
                let composite = self.composite(&t.implements_interfaces, &t.fields);
                (extended(&t.name, &t.directives), TypeBody::Object(composite))
            }
            D::InterfaceTypeDefinition(t) => {
                let composite = self.composite(&t.implements_interfaces, &t.fields);
                let head = defined(&t.name, t.description.as_ref(), &t.directives);
                (head, TypeBody::Interface(composite))
            }
            D::InterfaceTypeExtension(t) => {
                let composite = self.composite(&t.implements_interfaces, &t.fields);
                (extended(&t.name, &t.directives), TypeBody::Interface(composite))
            }
            D::UnionTypeDefinition(t) => {
                let head = defined(&t.name, t.description.as_ref(), &t.directives);
                (head, TypeBody::Union(self.names(&t.members)))
            }
            D::UnionTypeExtension(t) => {
                (extended(&t.name, &t.directives), TypeBody::Union(self.names(&t.members)))
            }
            D::EnumTypeDefinition(t) => {
                let head = defined(&t.name, t.description.as_ref(), &t.directives);
                (head, TypeBody::Enum(self.values(&t.values)))
            }
            D::EnumTypeExtension(t) => {
                (extended(&t.name, &t.directives), TypeBody::Enum(self.values(&t.values)))
            }
            D::InputObjectTypeDefinition(t) => {
                let head = defined(&t.name, t.description.as_ref(), &t.directives);
                (head, TypeBody::InputObject(self.inputs(&t.fields)))
            }
            D::InputObjectTypeExtension(t) => {
                (extended(&t.name, &t.directives), TypeBody::InputObject(self.inputs(&t.fields)))
            }
        };
        definitions.types.push(TypeDefinition {
            name: head.name.as_str().into(),
            line: self.line(head.name),
            column: self.column(head.name),
            is_extension: head.is_extension,
            description: head.description.map(text),
            directives: self.directives(head.directives),
            body,
        });
    }

    fn directive(&self, directive: &ast::DirectiveDefinition) -> DirectiveDefinition {
        DirectiveDefinition {
            name: directive.name.as_str().into(),
            line: self.line(&directive.name),
            column: self.column(&directive.name),
            description: directive.description.as_ref().map(text),
            arguments: self.inputs(&directive.arguments),
            locations: directive.locations.iter().map(|location| location.name()).collect(),
            is_repeatable: directive.repeatable,
        }
    }

    fn composite(&self, interfaces: &[Name], fields: &[Node<ast::FieldDefinition>]) -> Composite {
        let fields = fields.iter().map(|field| FieldDefinition {
            name: field.name.as_str().into(),
            line: self.line(&field.name),
            column: self.column(&field.name),
            description: field.description.as_ref().map(text),
            r#type: type_expression(&field.ty),
            arguments: self.inputs(&field.arguments),
            directives: self.directives(&field.directives),
        });
        Composite { interfaces: self.names(interfaces), fields: fields.collect() }
    }

    fn inputs(&self, inputs: &[Node<ast::InputValueDefinition>]) -> Vec<InputDefinition> {
        let inputs = inputs.iter().map(|input| InputDefinition {
            name: input.name.as_str().into(),
            line: self.line(&input.name),
            column: self.column(&input.name),
            description: input.description.as_ref().map(text),
            r#type: type_expression(&input.ty),
            default: input.default_value.as_ref().map(|value| literal(value)),
            directives: self.directives(&input.directives),
        });
        inputs.collect()
    }

    fn values(&self, values: &[Node<ast::EnumValueDefinition>]) -> Vec<EnumValueDefinition> {
        let values = values.iter().map(|value| EnumValueDefinition {
            name: value.value.as_str().into(),
            line: self.line(&value.value),
            column: self.column(&value.value),
            description: value.description.as_ref().map(text),
            directives: self.directives(&value.directives),
        });
        values.collect()
    }

    fn schema(
        &self,
        line: usize,
        directives: &ast::DirectiveList,
        operations: &[Node<(ast::OperationType, Name)>],
    ) -> SchemaDefinition {
        let operations = operations.iter().map(|operation| {
            let (kind, name) = &**operation;
            let kind = match kind {
                ast::OperationType::Query => "query",
                ast::OperationType::Mutation => "mutation",
                ast::OperationType::Subscription => "subscription",
            };
            (kind, self.named(name))
        });
        let operations = operations.collect();
        SchemaDefinition {
            line,
            is_extension: false,
            description: None,
            directives: self.directives(directives),
            operations,
        }
    }

    fn directives(&self, directives: &ast::DirectiveList) -> Vec<Directive> {
        let directives = directives.iter().map(|directive| Directive {
            name: directive.name.as_str().into(),
            line: self.line(&directive.name),
            column: self.column(&directive.name),
            arguments: directive
                .arguments
                .iter()
                .map(|argument| DirectiveArgument {
                    name: argument.name.as_str().into(),
                    line: self.line(&argument.name),
                    column: self.column(&argument.name),
                    value: literal(&argument.value),
                    strings: self.strings(&argument.value),
                })
                .collect(),
        });
        directives.collect()
    }

    fn names(&self, names: &[Name]) -> Vec<Named> {
        names.iter().map(|name| self.named(name)).collect()
    }

    fn named(&self, name: &Name) -> Named {
        Named { name: name.as_str().into(), line: self.line(name), column: self.column(name) }
    }

    fn line(&self, name: &Name) -> usize {
        self.positions.location(name.location()).line as usize
    }

    fn column(&self, name: &Name) -> usize {
        self.positions.location(name.location()).column as usize
    }

    /// Recursion is bounded by the parser's limit.
    fn strings(&self, value: &Node<ast::Value>) -> Vec<(usize, usize)> {
        match &**value {
            ast::Value::String(_) => {
                let location = self.positions.location(value.location());
                vec![(location.line as usize, location.column as usize)]
            }
            ast::Value::List(items) => items.iter().flat_map(|item| self.strings(item)).collect(),
            ast::Value::Object(fields) => {
                fields.iter().flat_map(|(_, value)| self.strings(value)).collect()
            }
            ast::Value::Null
            | ast::Value::Boolean(_)
            | ast::Value::Int(_)
            | ast::Value::Float(_)
            | ast::Value::Enum(_)
            | ast::Value::Variable(_) => Vec::new(),
        }
    }

    fn node_line<T>(&self, node: &Node<T>) -> usize {
        self.positions.location(node.location()).line as usize
    }

    fn misplaced<T>(&self, what: &str, node: &Node<T>) -> GraphQLError {
        let message = format!("{what} does not belong to type definitions.");
        GraphQLError::new(ErrorCode::ParseFailed, message)
            .at(self.positions.location(node.location()))
    }
}

fn defined<'d>(
    name: &'d Name,
    description: Option<&'d Node<str>>,
    directives: &'d ast::DirectiveList,
) -> Head<'d> {
    Head { name, description, is_extension: false, directives }
}

fn extended<'d>(name: &'d Name, directives: &'d ast::DirectiveList) -> Head<'d> {
    Head { name, description: None, is_extension: true, directives }
}

fn text(description: &Node<str>) -> Arc<str> {
    Arc::from(&**description)
}

pub(crate) fn type_expression(r#type: &ast::Type) -> TypeExpression {
    let list = |of: &ast::Type, is_required| TypeExpression::List {
        of: Box::new(type_expression(of)),
        is_required,
    };
    match r#type {
        ast::Type::Named(name) => {
            TypeExpression::Named { name: name.as_str().into(), is_required: false }
        }
        ast::Type::NonNullNamed(name) => {
            TypeExpression::Named { name: name.as_str().into(), is_required: true }
        }
        ast::Type::List(of) => list(of, false),
        ast::Type::NonNullList(of) => list(of, true),
    }
}

pub(crate) fn literal(value: &ast::Value) -> Literal {
    match value {
        ast::Value::Null => Literal::Null,
        ast::Value::Boolean(value) => Literal::Boolean(*value),
        ast::Value::Int(value) => Literal::Int(value.as_str().into()),
        ast::Value::Float(value) => Literal::Float(value.as_str().into()),
        ast::Value::String(value) => Literal::String(value.as_str().into()),
        // The parser accepts no variable here.
        ast::Value::Enum(name) | ast::Value::Variable(name) => Literal::Enum(name.as_str().into()),
        ast::Value::List(items) => Literal::List(items.iter().map(|item| literal(item)).collect()),
        ast::Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.as_str().into(), literal(value)));
            Literal::Object(fields.collect())
        }
    }
}
