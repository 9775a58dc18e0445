//! Operations and values that stand as texts in type definitions: rules, queries of other servers,
//! and templates of request bodies.

use std::sync::Arc;

use apollo_compiler::ast;
use apollo_compiler::parser::Parser;

use super::{Literal, MAX_NESTING, convert, is_blank};
use crate::document::library_error;
use crate::error::{ErrorCode, GraphQLError};
use crate::operation::OperationKind;

/// An operation as written: nothing is resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenOperation {
    pub kind: OperationKind,
    pub name: Option<Arc<str>>,
    /// Names of its variables.
    pub variables: Vec<Arc<str>>,
    pub has_directives: bool,
    /// Fields of its root; a fragment is `None`.
    pub fields: Vec<Option<RootField>>,
}

/// A field of an operation's root.
#[derive(Clone, Debug, PartialEq)]
pub struct RootField {
    pub name: Arc<str>,
    pub alias: Option<Arc<str>>,
    pub arguments: Vec<(Arc<str>, Template)>,
    pub has_directives: bool,
    pub has_selections: bool,
}

/// A value with variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    Variable(Arc<str>),
    /// No list and no object.
    Leaf(Literal),
    List(Vec<Template>),
    Object(Vec<(Arc<str>, Template)>),
}

impl Template {
    /// Calls `visit` with the name of each variable.
    ///
    /// Recursion is bounded by the parser's limit.
    pub fn visit_variables<'t>(&'t self, visit: &mut impl FnMut(&'t Arc<str>)) {
        match self {
            Self::Variable(name) => visit(name),
            Self::Leaf(_) => {}
            Self::List(items) => items.iter().for_each(|item| item.visit_variables(visit)),
            Self::Object(members) => {
                members.iter().for_each(|(_, value)| value.visit_variables(visit));
            }
        }
    }
}

/// Parses the operations of an executable document; its fragments are parsed, and omitted.
pub fn parse_operations(text: &str) -> Result<Vec<WrittenOperation>, GraphQLError> {
    // The parser rejects an empty document; it counts as one without operations.
    if is_blank(text) {
        return Ok(Vec::new());
    }
    let mut operations = Vec::new();
    for definition in &parse(text)?.definitions {
        match definition {
            ast::Definition::OperationDefinition(found) => operations.push(operation(found)),
            ast::Definition::FragmentDefinition(_) => {}
            _ => return Err(refused("a type definition is no operation")),
        }
    }
    Ok(operations)
}

/// Parses a value in which variables may stand, such as `{ id: $id, tags: ["a"] }`.
pub fn parse_template(text: &str) -> Result<Template, GraphQLError> {
    // The line break ends a trailing comment.
    let mut operations = parse_operations(&["{ template(of: ", text, "\n) }"].concat())?;
    let fields = match (operations.pop(), operations.is_empty()) {
        (Some(only), true) => only.fields,
        _ => Vec::new(),
    };
    let [Some(field)] = fields.as_slice() else { return Err(refused("it is no value")) };
    match field.arguments.as_slice() {
        [(_, only)] if !field.has_directives && !field.has_selections => Ok(only.clone()),
        _ => Err(refused("it is no value")),
    }
}

fn parse(text: &str) -> Result<ast::Document, GraphQLError> {
    let mut parser = Parser::new().recursion_limit(MAX_NESTING);
    let parsed = parser.parse_ast(text, "operation.graphql");
    if parser.recursion_reached() > MAX_NESTING {
        return Err(refused("it is nested too deeply"));
    }
    parsed.map_err(|invalid| match invalid.errors.iter().next() {
        Some(error) => library_error(ErrorCode::ParseFailed, error.to_json()),
        None => refused("it is no operation"),
    })
}

fn operation(operation: &ast::OperationDefinition) -> WrittenOperation {
    let variables = operation.variables.iter().map(|variable| variable.name.as_str().into());
    WrittenOperation {
        kind: match operation.operation_type {
            ast::OperationType::Query => OperationKind::Query,
            ast::OperationType::Mutation => OperationKind::Mutation,
            ast::OperationType::Subscription => OperationKind::Subscription,
        },
        name: operation.name.as_ref().map(|name| name.as_str().into()),
        variables: variables.collect(),
        has_directives: !operation.directives.is_empty(),
        fields: operation.selection_set.iter().map(root_field).collect(),
    }
}

fn root_field(selection: &ast::Selection) -> Option<RootField> {
    let ast::Selection::Field(field) = selection else { return None };
    let arguments = field
        .arguments
        .iter()
        .map(|argument| (argument.name.as_str().into(), template(&argument.value)));
    Some(RootField {
        name: field.name.as_str().into(),
        alias: field.alias.as_ref().map(|alias| alias.as_str().into()),
        arguments: arguments.collect(),
        has_directives: !field.directives.is_empty(),
        has_selections: !field.selection_set.is_empty(),
    })
}

/// Recursion is bounded by the parser's limit.
pub(crate) fn template(value: &ast::Value) -> Template {
    match value {
        ast::Value::Variable(name) => Template::Variable(name.as_str().into()),
        ast::Value::List(items) => {
            Template::List(items.iter().map(|item| template(item)).collect())
        }
        ast::Value::Object(members) => {
            let members =
                members.iter().map(|(name, value)| (name.as_str().into(), template(value)));
            Template::Object(members.collect())
        }
        ast::Value::Null
        | ast::Value::Boolean(_)
        | ast::Value::Int(_)
        | ast::Value::Float(_)
        | ast::Value::String(_)
        | ast::Value::Enum(_) => Template::Leaf(convert::literal(value)),
    }
}

fn refused(message: &str) -> GraphQLError {
    GraphQLError::new(ErrorCode::ParseFailed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_as_they_are_written() {
        let text = "query Q($a: Int) @d { b: c(e: [$a], f: G) { h } ... { i } }";
        let operations = parse_operations(text).unwrap();
        let expected = WrittenOperation {
            kind: OperationKind::Query,
            name: Some("Q".into()),
            variables: vec!["a".into()],
            has_directives: true,
            fields: vec![
                Some(RootField {
                    name: "c".into(),
                    alias: Some("b".into()),
                    arguments: vec![
                        ("e".into(), Template::List(vec![Template::Variable("a".into())])),
                        ("f".into(), Template::Leaf(Literal::Enum("G".into()))),
                    ],
                    has_directives: false,
                    has_selections: true,
                }),
                None,
            ],
        };
        assert_eq!(operations, [expected]);
        assert_eq!(parse_operations(" # nothing").unwrap(), []);
        assert_eq!(parse_operations("{ a } mutation { b }").unwrap().len(), 2);
        assert!(parse_operations("{ a(b: $c }").is_err());
        assert!(parse_operations("type A { b: C }").is_err());
    }

    #[test]
    fn templates_are_values_with_variables() {
        let text = "{ id: $id, of: [{ name: $name }, 1], kind: \"k\" } # last";
        let template = parse_template(text).unwrap();
        let mut names: Vec<&str> = Vec::new();
        template.visit_variables(&mut |name| names.push(name));
        assert_eq!(names, ["id", "name"]);
        assert_eq!(parse_template("$all").unwrap(), Template::Variable("all".into()));
        for text in ["", "1, b: 2", "1) { a }", "1) } { b(c: 1", "{ a: }"] {
            assert!(parse_template(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        for depth in [100, 10_000] {
            assert!(parse_template(&"[".repeat(depth)).is_err());
            let nested = ["[".repeat(depth), "]".repeat(depth)].concat();
            assert!(parse_template(&nested).is_err());
        }
    }
}
