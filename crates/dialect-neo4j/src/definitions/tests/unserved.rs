//! What is understood and not served, or needs JavaScript.

use super::*;

#[test]
fn what_is_not_served_yet_says_so() {
    let check = |definitions: &str, why: Unserved| {
        let text = format!("{definitions} type Other @node {{ a: Int }}");
        let problems = read(&text, ApiVersion::V7).expect_err(definitions);
        let kinds: Vec<ProblemKind> = problems.iter().map(|problem| problem.kind).collect();
        assert_eq!(kinds, [ProblemKind::NotServed(why)], "{definitions}: {problems:?}");
        assert!(problems[0].message.contains("is not served yet"), "{problems:?}");
    };
    let field = |directive: &str| format!("type A @node {{ a: Int {directive} }}");
    let r#type = |directive: &str| format!("type A @node {directive} {{ a: Int }}");
    check(
        &r#type(
            "@vector(indexes: [{indexName: \"i\", queryName: \"q\", embeddingProperty: \"a\", \
             provider: OPEN_AI, maxPhraseLength: 10}])",
        ),
        Unserved::Phrases,
    );
    check(&r#type("@extends"), Unserved::Federation);
    check(&field("@requires(fields: \"b\")"), Unserved::Federation);
    check("extend schema @link(url: \"x\", import: [\"@key\"])", Unserved::Federation);
    check("type Plain { a: Int }", Unserved::PlainObjects);
    check("input Choice { a: Int }", Unserved::Inputs);
}

#[test]
fn the_arguments_of_what_is_not_served_are_checked() {
    let problems = read("type A @node { a: Int @cypher(statement: 1) }", ApiVersion::V7);
    assert_eq!(
        told(&problems.expect_err("the statement is no text")),
        [
            "line 1: A.a: `@cypher(statement:)` is a text in quotes",
            "line 1: A.a: `@cypher` wants `columnName:`",
        ]
    );
    refuse(
        "type A @node @fulltext(indexes: [{indexName: \"i\", fields: [1], name: \"n\"}]) { a: Int }",
        &[
            "line 1: A: `fields` of `@fulltext(indexes:)` is a list of texts in quotes",
            "line 1: A: `@fulltext(indexes:)` has no `name`",
            "line 1: A: `@fulltext(indexes:)` wants `queryName`",
        ],
    );
}

#[test]
fn what_needs_javascript_says_what_else_can_be_done() {
    let check = |definitions: &str, expected: &str| {
        let text = format!("{definitions} type Other @node {{ a: Int }}");
        let problems = read(&text, ApiVersion::V7).expect_err(definitions);
        let problem = problems.first().expect("one problem");
        assert_eq!(problem.kind, ProblemKind::NeedsJavaScript, "{definitions}");
        assert_eq!((problems.len(), &*problem.message), (1, expected));
    };
    check(
        "type A @node { a: Int @customResolver(requires: \"b\") }",
        "A.a: `@customResolver` needs a function in JavaScript, and none runs here; instead, keep \
         the value as a property, or let a gateway or the client compute it",
    );
    check(
        "type A @node { a: Int @populatedBy(callback: \"c\", operations: [CREATE]) }",
        "A.a: `@populatedBy` needs a function in JavaScript, and none runs here; instead, use \
         `@default`, `@timestamp` or `@id`, or let who writes send the value",
    );
    check(
        "type Query { hello: String }",
        "Query.hello: a root field of one's own needs a function in JavaScript, and none runs \
         here; instead, give it a statement by `@cypher`, or leave it out: fields for every type of \
         nodes are made anyway",
    );
    check(
        "type A @node(labels: [\"$context.tenant\"]) { a: Int }",
        "A: the label \"$context.tenant\" needs a function in JavaScript, and none runs here; \
         instead, let a claim say it: \"$jwt.name\"",
    );
    check(
        "type A @node { a(b: Int): Int }",
        "A.a: the argument `b` of one's own needs a function in JavaScript, and none runs here; \
         instead, leave it out",
    );
    check(
        "directive @mine on OBJECT extend type A @mine type A @node { a: Int @mine } enum E { X @mine }",
        "the schema: the directive `@mine` of one's own needs a function in JavaScript, and none \
         runs here; instead, leave it out: nothing reads it",
    );
}
