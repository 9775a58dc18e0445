//! `@custom` and `@lambda`: fields that other servers answer.
//!
//! * `http`: `@custom(http:)`, field by field
//! * `url`: variables in URLs
//! * `operation`: `graphql` of `@custom(http:)`
//! * `variables`: fields and arguments that templates use

mod http;
mod operation;
mod url;
mod variables;

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{DirectiveArgument, FieldDefinition, Literal};

use super::declared::{Owner, OwnerKind};
use super::directives::{Applied, Known, find_argument};
use super::types::{Meaning, Types};
use crate::model::Custom;

/// Reads `@custom` of a field.
pub(super) fn read<'d>(
    types: &Types<'d>,
    owner: Owner<'_, 'd>,
    at: At<'d>,
    definition: &'d FieldDefinition,
    applied: &Applied<'d>,
    problems: &mut Problems,
) -> Option<Custom> {
    if let Some(directive) = applied.find(Known::Lambda) {
        let message = "`@lambda` needs a server of JavaScript functions: \
                       use `@custom(http: {url: …, method: POST})`";
        problems.refuse(at.directive(directive), message);
        return None;
    }
    let directive = applied.find(Known::Custom)?;
    let at_directive = at.directive(directive);
    for (known, name) in [(Known::Search, "search"), (Known::Dgraph, "dgraph")] {
        if applied.has(known) {
            let message = format!("`@custom` does not apply with `@{name}`: remove one of both");
            problems.refuse(at_directive, message);
        }
    }
    if owner.kind == OwnerKind::Remote {
        let message = "`@custom` does not apply to fields of types with `@remote`: remove it, the \
                       other server sends the field with its type";
        problems.refuse(at_directive, message);
        return None;
    }
    check_identity(owner, at_directive, definition, applied, problems);
    match (find_argument(directive, "http"), find_argument(directive, "dql")) {
        (Some(http), None) => {
            let context = Context { types, owner, at, definition };
            http::read(context, http, problems).map(Custom::Http)
        }
        (None, Some(dql)) => self::dql(types, owner, at, definition, dql, problems),
        (Some(_), Some(_)) | (None, None) => {
            let message = "`@custom` has one of the arguments `http` and `dql`: write one of them";
            problems.refuse(at_directive, message);
            None
        }
    }
}

/// A field with `@custom(http:)`.
#[derive(Clone, Copy, Debug)]
struct Context<'a, 'd> {
    types: &'a Types<'d>,
    owner: Owner<'a, 'd>,
    at: At<'d>,
    definition: &'d FieldDefinition,
}

/// A custom field belongs to a row by a key, and is none itself.
fn check_identity(
    owner: Owner<'_, '_>,
    at: At<'_>,
    definition: &FieldDefinition,
    applied: &Applied<'_>,
    problems: &mut Problems,
) {
    if owner.kind.is_root() {
        return;
    }
    if !owner.fields.iter().any(|field| variables::is_identity(field.definition)) {
        let message = "`@custom` needs a key of the type: add a field of type `ID!`, or `@id` to \
                       a field";
        problems.refuse(at, message);
    }
    if &**definition.r#type.base() == "ID" || applied.has(Known::Id) {
        let message = "`@custom` does not apply to a field of type ID or with `@id`: remove it";
        problems.refuse(at, message);
    }
}

fn dql(
    types: &Types<'_>,
    owner: Owner<'_, '_>,
    at: At<'_>,
    definition: &FieldDefinition,
    argument: &DirectiveArgument,
    problems: &mut Problems,
) -> Option<Custom> {
    let at = at.argument(argument);
    if owner.kind != OwnerKind::Query {
        let message = "`@custom(dql:)` applies to fields of `Query`: remove it";
        problems.refuse(at, message);
    }
    for argument in &definition.arguments {
        let is_list = argument.r#type.to_string().starts_with('[');
        let is_scalar = matches!(types.meaning(argument.r#type.base()), Some(Meaning::Scalar(_)));
        if is_list || !is_scalar {
            let message = format!(
                "the argument `{}` is no scalar, and `@custom(dql:)` has no others: change its type",
                argument.name
            );
            problems.refuse(at, message);
        }
    }
    match &argument.value {
        Literal::String(text) if !text.trim().is_empty() => Some(Custom::Dql((&**text).into())),
        _ => {
            let message = "`dql` is no query: write it as a text in quotes";
            problems.refuse(at, message);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    #[test]
    fn queries_in_dql_are_texts() {
        let text = "type A { id: ID! b: String }\n\
                    type Query { a(c: String!): [A] @custom(dql: \"{ a(func: uid(1)) }\") @withSubscription }";
        let query = |model: &crate::model::Model| {
            let field = &model.queries[0];
            (field.custom.clone(), field.has_subscription)
        };
        check(
            text,
            query,
            &expect![[r#"
            (
                Some(
                    Dql(
                        "{ a(func: uid(1)) }",
                    ),
                ),
                true,
            )
        "#]],
        );
    }

    #[test]
    fn queries_in_dql_are_fields_of_query() {
        let text = "type A { id: ID! b: String @custom(dql: \"x\") c: Int }\n\
                    type Query {\n a(b: [String]): A @custom(dql: \"x\")\n c: A @custom(dql: \" \")\n\
                    d: A @custom\n e: A @custom(dql: \"x\", http: {url: \"http://a.example\", method: GET})\n\
                    f: A @custom(dql: 5)\n g: A\n\
                    h: A @withSubscription @custom(http: {url: \"http://a.example\", method: GET})\n}";
        refused(
            text,
            &expect![[r#"
            line 1, column 36: A.b: `@custom(dql:)` applies to fields of `Query`: remove it
            line 3, column 28: Query.a: the argument `b` is no scalar, and `@custom(dql:)` has no others: change its type
            line 4, column 15: Query.c: `dql` is no query: write it as a text in quotes
            line 5, column 7: Query.d: `@custom` has one of the arguments `http` and `dql`: write one of them
            line 6, column 8: Query.e: `@custom` has one of the arguments `http` and `dql`: write one of them
            line 7, column 14: Query.f: `dql` is no query: write it as a text in quotes
            line 8, column 2: Query.g: fields of `Query` and `Mutation` are generated: remove it, or add `@custom` to it
            line 9, column 7: Query.h: `@withSubscription` applies to types, and to queries with `@custom(dql:)`: remove it
        "#]],
        );
    }

    #[test]
    fn functions_in_javascript_are_refused() {
        let text = "type A @lambdaOnMutate(add: true) { id: ID! b: String c: String @lambda }\n\
                    type Query { d: A @lambda }";
        refused(
            text,
            &expect![[r#"
            line 1, column 9: A: `@lambdaOnMutate` needs a server of JavaScript functions: remove it
            line 1, column 66: A.c: `@lambda` needs a server of JavaScript functions: use `@custom(http: {url: …, method: POST})`
            line 2, column 20: Query.d: `@lambda` needs a server of JavaScript functions: use `@custom(http: {url: …, method: POST})`
        "#]],
        );
    }

    #[test]
    fn custom_fields_belong_to_rows() {
        let http = "@custom(http: {url: \"http://a.example\", method: GET})";
        let text = format!(
            "type A {{ b: String {http} c: Int }}\ntype B {{ id: ID! {http} b: Int }}\n\
             type C {{ id: ID! b: String! @id {http} c: Int }}\n\
             type D {{ id: ID! b: String @search {http} c: String @dgraph(pred: \"e\") {http} d: Int }}\n\
             type E @remote {{ id: ID! b: String {http} }}"
        );
        refused(
            &text,
            &expect![[r#"
            line 1, column 21: A.b: `@custom` needs a key of the type: add a field of type `ID!`, or `@id` to a field
            line 2, column 19: B.id: `@custom` does not apply to a field of type ID or with `@id`: remove it
            line 3, column 34: C.b: `@custom` does not apply to a field of type ID or with `@id`: remove it
            line 4, column 37: D.b: `@custom` does not apply with `@search`: remove one of both
            line 4, column 120: D.c: `@custom` does not apply with `@dgraph`: remove one of both
            line 5, column 37: E.b: `@custom` does not apply to fields of types with `@remote`: remove it, the other server sends the field with its type
        "#]],
        );
    }
}
