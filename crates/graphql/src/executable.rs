//! Executable documents as written: nothing is resolved, so they fit any schema.
//! <https://spec.graphql.org/draft/#ExecutableDocument>

use std::sync::Arc;

use apollo_compiler::parser::Parser;
use apollo_compiler::{Name, ast};

use crate::definitions::{
    Literal, MAX_NESTING, Template, TypeExpression, is_blank, literal, template, type_expression,
};
use crate::document::library_error;
use crate::document::positions::Positions;
use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{Location, OperationKind};

/// Operations and fragments of a document, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutableDocument {
    pub operations: Vec<OperationDefinition>,
    pub fragments: Vec<FragmentDefinition>,
    /// Whether the document has type definitions, which are omitted.
    pub has_type_definitions: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OperationDefinition {
    pub kind: OperationKind,
    pub variables: Vec<VariableDefinition>,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct VariableDefinition {
    pub name: Arc<str>,
    pub r#type: TypeExpression,
    pub default: Option<Literal>,
    pub directives: Vec<Directive>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FragmentDefinition {
    pub type_condition: Arc<str>,
    pub location: Location,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    Field(Field),
    InlineFragment(InlineFragment),
    FragmentSpread { directives: Vec<Directive> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: Arc<str>,
    pub location: Location,
    pub arguments: Vec<Argument>,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct InlineFragment {
    pub type_condition: Option<(Arc<str>, Location)>,
    pub directives: Vec<Directive>,
    pub selections: Vec<Selection>,
}

/// An applied directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    pub name: Arc<str>,
    pub location: Location,
    pub arguments: Vec<Argument>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: Arc<str>,
    pub location: Location,
    pub value: Template,
}

/// Parses the operations and fragments of a document.
pub fn parse_executable(text: &str) -> Result<ExecutableDocument, GraphQLError> {
    // The parser rejects an empty document; it counts as one without operations.
    if is_blank(text) {
        return Ok(ExecutableDocument::default());
    }
    let mut parser = Parser::new().recursion_limit(MAX_NESTING);
    let parsed = parser.parse_ast(text, "document.graphql");
    if parser.recursion_reached() > MAX_NESTING {
        let message = format!("The document is nested deeper than {MAX_NESTING} levels.");
        return Err(GraphQLError::new(ErrorCode::ParseFailed, message));
    }
    let document = parsed.map_err(|invalid| match invalid.errors.iter().next() {
        Some(error) => library_error(ErrorCode::ParseFailed, error.to_json()),
        None => GraphQLError::new(ErrorCode::ParseFailed, "The document cannot be parsed."),
    })?;
    let converter = Converter { positions: Positions::new(text) };
    let mut executable = ExecutableDocument::default();
    for definition in &document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => {
                executable.operations.push(converter.operation(operation));
            }
            ast::Definition::FragmentDefinition(fragment) => {
                executable.fragments.push(converter.fragment(fragment));
            }
            _ => executable.has_type_definitions = true,
        }
    }
    Ok(executable)
}

/// Recursion is bounded by the parser's limit.
struct Converter {
    positions: Positions,
}

impl Converter {
    fn operation(&self, operation: &ast::OperationDefinition) -> OperationDefinition {
        let variables = operation.variables.iter().map(|variable| VariableDefinition {
            name: variable.name.as_str().into(),
            r#type: type_expression(&variable.ty),
            default: variable.default_value.as_ref().map(|value| literal(value)),
            directives: self.directives(&variable.directives),
        });
        OperationDefinition {
            kind: match operation.operation_type {
                ast::OperationType::Query => OperationKind::Query,
                ast::OperationType::Mutation => OperationKind::Mutation,
                ast::OperationType::Subscription => OperationKind::Subscription,
            },
            variables: variables.collect(),
            directives: self.directives(&operation.directives),
            selections: self.selections(&operation.selection_set),
        }
    }

    fn fragment(&self, fragment: &ast::FragmentDefinition) -> FragmentDefinition {
        FragmentDefinition {
            type_condition: fragment.type_condition.as_str().into(),
            location: self.location(&fragment.type_condition),
            directives: self.directives(&fragment.directives),
            selections: self.selections(&fragment.selection_set),
        }
    }

    fn selections(&self, selections: &[ast::Selection]) -> Vec<Selection> {
        let selections = selections.iter().map(|selection| match selection {
            ast::Selection::Field(field) => Selection::Field(Field {
                name: field.name.as_str().into(),
                location: self.location(&field.name),
                arguments: self.arguments(&field.arguments),
                directives: self.directives(&field.directives),
                selections: self.selections(&field.selection_set),
            }),
            ast::Selection::InlineFragment(fragment) => {
                let condition = fragment.type_condition.as_ref();
                Selection::InlineFragment(InlineFragment {
                    type_condition: condition
                        .map(|name| (name.as_str().into(), self.location(name))),
                    directives: self.directives(&fragment.directives),
                    selections: self.selections(&fragment.selection_set),
                })
            }
            ast::Selection::FragmentSpread(spread) => {
                Selection::FragmentSpread { directives: self.directives(&spread.directives) }
            }
        });
        selections.collect()
    }

    fn directives(&self, directives: &ast::DirectiveList) -> Vec<Directive> {
        let directives = directives.iter().map(|directive| Directive {
            name: directive.name.as_str().into(),
            location: self.location(&directive.name),
            arguments: self.arguments(&directive.arguments),
        });
        directives.collect()
    }

    fn arguments(&self, arguments: &[apollo_compiler::Node<ast::Argument>]) -> Vec<Argument> {
        let arguments = arguments.iter().map(|argument| Argument {
            name: argument.name.as_str().into(),
            location: self.location(&argument.name),
            value: template(&argument.value),
        });
        arguments.collect()
    }

    fn location(&self, name: &Name) -> Location {
        self.positions.location(name.location())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_operations_and_fragments_with_their_places() {
        let text = "query Q($a: [Int!] = 1) @b {\n  c: d(e: $a) { ... on F { g } ...H }\n}\n\
                    fragment H on I { j @k(l: M) }\ntype N { o: P }";
        let document = parse_executable(text).unwrap();
        assert!(document.has_type_definitions);
        let operation = &document.operations[0];
        assert_eq!(operation.kind, OperationKind::Query);
        let variable = &operation.variables[0];
        assert_eq!(variable.r#type.to_string(), "[Int!]");
        assert_eq!(variable.default, Some(Literal::Int("1".into())));
        let [Selection::Field(field)] = operation.selections.as_slice() else {
            panic!("{operation:?}")
        };
        assert_eq!((&*field.name, field.location.line, field.location.column), ("d", 2, 6));
        assert_eq!(field.arguments[0].value, Template::Variable("a".into()));
        let [Selection::InlineFragment(inline), Selection::FragmentSpread { .. }] =
            field.selections.as_slice()
        else {
            panic!("{field:?}")
        };
        let (condition, location) = inline.type_condition.as_ref().unwrap();
        assert_eq!((&**condition, location.column), ("F", 24));
        assert_eq!(&*document.fragments[0].type_condition, "I");
    }

    #[test]
    fn a_document_without_operations_is_empty_and_a_wrong_or_deep_one_is_refused() {
        assert_eq!(parse_executable(" # nothing").unwrap(), ExecutableDocument::default());
        assert!(parse_executable("{ a(").is_err());
        let deep = ["{ a".repeat(10_000), "}".repeat(10_000)].concat();
        assert!(parse_executable(&deep).is_err());
    }
}
