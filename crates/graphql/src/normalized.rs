//! Texts of documents that mean the same: without white space, comments and the fields `__typename`
//! that clients add.

use apollo_compiler::ast;
use apollo_compiler::parser::Parser;

use crate::document::{DocumentLimits, library_error};
use crate::error::{ErrorCode, GraphQLError};

/// The text of a document in a form in which equal documents are equal texts.
pub fn normalized(text: &str, limits: &DocumentLimits) -> Result<String, GraphQLError> {
    let mut parser = Parser::new().token_limit(limits.tokens).recursion_limit(limits.recursion);
    let parsed = parser.parse_ast(text, "document.graphql");
    let mut document = parsed.map_err(|invalid| match invalid.errors.iter().next() {
        Some(error) => library_error(ErrorCode::ParseFailed, error.to_json()),
        None => GraphQLError::new(ErrorCode::ParseFailed, "The document cannot be parsed."),
    })?;
    for definition in &mut document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => {
                remove_type_names(&mut operation.make_mut().selection_set);
            }
            ast::Definition::FragmentDefinition(fragment) => {
                remove_type_names(&mut fragment.make_mut().selection_set);
            }
            _ => {}
        }
    }
    Ok(document.serialize().no_indent().to_string())
}

/// Recursion is bounded by the parser's limit.
fn remove_type_names(selections: &mut Vec<ast::Selection>) {
    selections.retain(|selection| match selection {
        ast::Selection::Field(field) => field.name != "__typename",
        ast::Selection::InlineFragment(_) | ast::Selection::FragmentSpread(_) => true,
    });
    for selection in selections {
        match selection {
            ast::Selection::Field(field) => {
                remove_type_names(&mut field.make_mut().selection_set);
            }
            ast::Selection::InlineFragment(fragment) => {
                remove_type_names(&mut fragment.make_mut().selection_set);
            }
            ast::Selection::FragmentSpread(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(one: &str, other: &str, is_equal: bool) {
        let text = |text: &str| normalized(text, &DocumentLimits::default()).unwrap();
        assert_eq!(text(one) == text(other), is_equal, "{one} and {other}");
    }

    #[test]
    fn white_space_comments_and_type_names_do_not_count() {
        check("query A { a b(c: 1) { d } }", "query A{a,b(c:1){\n d # x\n}}", true);
        check("{ a { b } }", "{ a { b __typename } __typename }", true);
        check("{ ...F } fragment F on A { b }", "{ ...F } fragment F on A { __typename b }", true);
        check("{ a b }", "{ b a }", false);
        check("{ a }", "{ x: a }", false);
        check("query A { a }", "{ a }", false);
        check("{ a(b: 1) }", "{ a(b: 2) }", false);
    }

    #[test]
    fn a_text_that_is_no_document_is_refused() {
        let refused = normalized("{ a ", &DocumentLimits::default());
        assert_eq!(refused.unwrap_err().code, ErrorCode::ParseFailed);
    }
}
