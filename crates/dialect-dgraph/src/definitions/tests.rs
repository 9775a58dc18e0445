use std::fmt::Debug;

use expect_test::{Expect, expect};

use super::{DefinitionProblem, read};
use crate::model::Model;

#[track_caller]
pub(super) fn accepted(text: &str) -> Model {
    read(text).unwrap_or_else(|problems| panic!("{}", lines(&problems)))
}

/// Compares a part of what definitions mean.
#[track_caller]
pub(super) fn check<T: Debug>(text: &str, part: impl Fn(&Model) -> T, expected: &Expect) {
    expected.assert_eq(&format!("{:#?}\n", part(&accepted(text))));
}

/// Compares all mistakes of definitions.
#[track_caller]
pub(super) fn refused(text: &str, expected: &Expect) {
    match read(text) {
        Ok(model) => panic!("{model:#?}"),
        Err(problems) => expected.assert_eq(&lines(&problems)),
    }
}

fn lines(problems: &[DefinitionProblem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

#[test]
fn definitions_without_a_stored_type_are_refused() {
    refused(
        "",
        &expect![[r#"
        line 1, column 1: definitions: they have no type that is stored: define one, as in `type Post { id: ID! title: String! }`
    "#]],
    );
    refused(
        "enum E { F }",
        &expect![[r#"
        line 1, column 1: definitions: they have no type that is stored: define one, as in `type Post { id: ID! title: String! }`
    "#]],
    );
    refused(
        "type A @remote { b: Int }",
        &expect![[r#"
        line 1, column 1: definitions: they have no type that is stored: define one, as in `type Post { id: ID! title: String! }`
    "#]],
    );
}

#[test]
fn syntax_errors_have_places() {
    refused(
        "type A {\n  b: \n}",
        &expect![[r#"
        line 3, column 1: definitions: syntax error: expected a Type: correct the syntax
    "#]],
    );
    refused(
        "type A { b: Int }\nquery { a }",
        &expect![[r#"
            line 2, column 1: definitions: An operation does not belong to type definitions: correct the syntax
        "#]],
    );
    refused(
        "interface I { a: Int }\ntype A implements I {\n}",
        &expect![[r#"
        line 3, column 1: definitions: syntax error: expected Field Definition: correct the syntax
    "#]],
    );
}

#[test]
fn types_are_defined_once() {
    refused(
        "type A { b: Int }\ntype A { c: Int }\nextend type A { d: Int }\nenum A { E }",
        &expect![[r#"
            line 2, column 6: A: it is defined on line 1 already: put everything into one definition
            line 3, column 13: A: it is defined on line 1 already: put everything into one definition
            line 4, column 6: A: it is defined on line 1 already: put everything into one definition
        "#]],
    );
}

#[test]
fn the_schema_has_the_usual_root_types() {
    accepted("schema { query: Query }\ntype A { b: Int }");
    refused(
        "schema {\n  query: Root\n}\ntype A { b: Int }",
        &expect![[r#"
        line 2, column 10: definitions: the type of the operation `query` is `Query`, not `Root`: remove `schema`, it is generated
    "#]],
    );
}

#[test]
fn many_mistakes_are_counted() {
    let fields: Vec<String> = (0..150).map(|idx| format!("f{idx}: Nothing")).collect();
    let problems = read(&format!("type A {{\n{}\n}}", fields.join("\n"))).unwrap_err();
    assert_eq!(problems.len(), 101);
    expect!["line 101, column 1: definitions: 50 further mistakes: correct these first"]
        .assert_eq(&problems[100].to_string());
}
