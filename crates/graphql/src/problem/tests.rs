use expect_test::{Expect, expect};
use serde_json_bytes::Value as Json;

use super::{InputRules, Located, Step, locate};
use crate::operation::Location;
use crate::request::Request;
use crate::test_schema::test_schema;
use crate::{DocumentLimits, View};

const RULES: InputRules = InputRules {
    refuses_null: |object, _| object == "AlbumFilter",
    is_count: |name| name == "first",
    unreadable: |scalar, json| (json == "{\"no\":[1]}").then(|| format!("no {scalar}")),
};

fn located(query: &str, variables: &str, location: Option<Location>) -> Located {
    let variables = match serde_json::from_str::<Json>(variables).unwrap() {
        Json::Object(variables) => variables,
        other => panic!("{other}"),
    };
    let (query, operation_name) = match query.split_once('#') {
        Some((name, query)) => (query, Some(name.to_owned())),
        None => (query, None),
    };
    let extensions = serde_json_bytes::Map::new();
    let request = Request {
        query: query.into(),
        operation_name,
        variables,
        extensions,
        ..Request::default()
    };
    let schema = test_schema();
    locate(View::from(&schema), &request, &DocumentLimits::default(), RULES, location)
}

fn text(path: &[Step]) -> String {
    let step = |step: &Step| match step {
        Step::SelectionSet => ".{}".to_owned(),
        Step::Arguments => ".()".to_owned(),
        Step::Key(key) => format!(".{key}"),
        Step::Index(index) => format!("[{index}]"),
    };
    path.iter().map(step).collect()
}

fn check(requests: &[(&str, &str)], expected: &Expect) {
    let line = |(query, variables): &(&str, &str)| {
        let located = located(query, variables, None);
        match located.problem {
            Some((path, problem)) => format!("{} {problem:?}\n", text(&path)),
            None => "none\n".to_owned(),
        }
    };
    expected.assert_eq(&requests.iter().map(line).collect::<String>());
}

#[test]
fn selections_have_the_path_of_their_names() {
    check(
        &[
            ("{ albums { id title } }", "{}"),
            ("{ a: albums { b: nothing } }", "{}"),
            ("{ nothing }", "{}"),
            ("{ albums }", "{}"),
            ("{ albums { id { x } } }", "{}"),
            ("{ albums(last: 1) { id } }", "{}"),
            ("{ search { __typename } }", "{}"),
            ("{ ...F } fragment F on Query { albums { nothing } }", "{}"),
            ("{ ...F }", "{}"),
            ("{ ... on Query { albums { id @wrong } } }", "{}"),
            ("{ ...F } fragment F on Query { ...F }", "{}"),
            ("{ __schema { nothing } }", "{}"),
        ],
        &expect![[r#"
            none
            .{}.albums.{}.nothing UnknownField { name: "nothing", type: "Album" }
            .{}.nothing UnknownField { name: "nothing", type: "Query" }
            .{}.albums.{} MissingSelectionSet { type: "Album" }
            .{}.albums.{}.id UnexpectedSelectionSet
            .{}.albums UnknownArgument { field: "albums", name: "last" }
            .{}.search.().text MissingInput { name: "text" }
            .{}.albums.{}.nothing UnknownField { name: "nothing", type: "Album" }
             UndefinedFragment { name: "F" }
            .{}.albums.{} UnknownDirective { name: "wrong" }
            .{}.F.{} FragmentCycle { names: ["F"] }
            none
        "#]],
    );
}

#[test]
fn values_have_the_path_of_their_place() {
    check(
        &[
            (r#"{ albums(first: "a") { id } }"#, "{}"),
            ("{ albums(first: -1) { id } }", "{}"),
            ("{ albums(first: 2147483648) { id } }", "{}"),
            ("{ albums(first: 1.5) { id } }", "{}"),
            ("{ albums(filter: {wrong: 1}) { id } }", "{}"),
            ("{ albums(filter: {title: 1}) { id } }", "{}"),
            ("{ albums(filter: {title: null}) { id } }", "{}"),
            ("{ albums(filter: {ids: [1, TITLE]}) { id } }", "{}"),
            ("{ albums(filter: {not: {not: []}}) { id } }", "{}"),
            ("{ albums(orderBy: TITLE) { id } }", "{}"),
            ("{ albums(orderBy: null) { id } }", "{}"),
            ("{ node(id: null) { id } }", "{}"),
            ("{ node(id: true) { id } }", "{}"),
        ],
        &expect![[r#"
            .{}.albums.().first WrongValue { expected: Count, type: "Int", found: String }
            .{}.albums.().first WrongValue { expected: Count, type: "Int", found: Integer }
            .{}.albums.().first NoInteger { number: "2147483648" }
            .{}.albums.().first WrongValue { expected: Count, type: "Int", found: Float }
            .{}.albums.().filter.wrong UnknownInputField { name: "wrong", type: "AlbumFilter" }
            .{}.albums.().filter.title WrongValue { expected: String, type: "String", found: Integer }
            .{}.albums.().filter.title UnexpectedNull { type: "String" }
            .{}.albums.().filter.ids[1] WrongValue { expected: Integer, type: "Int", found: Enum }
            .{}.albums.().filter.not.not WrongValue { expected: Object, type: "AlbumFilter", found: List }
            .{}.albums.().orderBy[0] UnknownEnumValue { name: "TITLE", type: "AlbumOrder", known: ["TITLE_ASC", "TITLE_DESC", "NATURAL"] }
            none
            .{}.node.().id WrongValue { expected: Identifier, type: "ID", found: Null }
            .{}.node.().id WrongValue { expected: Identifier, type: "ID", found: Boolean }
        "#]],
    );
}

#[test]
fn values_of_variables_have_the_path_of_their_use() {
    check(
        &[
            ("query ($n: Int!) { albums(first: $n) { id } }", "{}"),
            ("query ($n: Int!) { albums(first: $n) { id } }", r#"{"n": null}"#),
            ("query ($n: Int) { albums(first: $n) { id } }", r#"{"n": "1"}"#),
            ("query ($n: Int) { albums(first: $n) { id } }", r#"{"n": 3000000000}"#),
            ("query ($n: String) { albums(first: $n) { id } }", r#"{"n": "1"}"#),
            ("query { albums(first: $n) { id } }", "{}"),
            (
                "query ($f: AlbumFilter) { albums(filter: $f) { id } }",
                r#"{"f": {"not": {"x y": 1}}}"#,
            ),
            (
                "query ($f: AlbumFilter) { albums(filter: {not: $f}) { id } }",
                r#"{"f": {"ids": [1, "a"]}}"#,
            ),
            ("query ($f: AlbumFilter) { albums(filter: $f) { id } }", r#"{"f": {"order": "UP"}}"#),
            ("query ($f: AlbumFilter) { albums(filter: $f) { id } }", r#"{"f": 1}"#),
            ("query ($i: [Int!]) { albums(filter: {ids: $i}) { id } }", r#"{"i": null}"#),
            ("query ($i: ID) { node(id: $i) { id } }", r#"{"i": "1"}"#),
            ("query ($i: ID = 1) { node(id: $i) { id } }", "{}"),
        ],
        &expect![[r#"
             MissingVariable { name: "n" }
             NullVariable { type: "Int!" }
            .{}.albums.().first WrongValue { expected: Count, type: "Int", found: String }
            .{}.albums.().first NoInteger { number: "3000000000" }
            .{}.albums.().first VariableType { name: "n", declared: "String", expected: "Int" }
             UndefinedVariable { name: "n" }
            .{}.albums.().filter.not.x y UnknownInputField { name: "x y", type: "AlbumFilter" }
            .{}.albums.().filter.not.ids[1] WrongValue { expected: Integer, type: "Int", found: String }
            .{}.albums.().filter.order UnknownEnumValue { name: "UP", type: "AlbumOrder", known: ["TITLE_ASC", "TITLE_DESC", "NATURAL"] }
            .{}.albums.().filter WrongValue { expected: Object, type: "AlbumFilter", found: Number }
            .{}.albums.().filter.ids NullList
            .{}.node.().id VariableType { name: "i", declared: "ID", expected: "ID!" }
            none
        "#]],
    );
}

#[test]
fn a_cycle_of_fragments_is_located_by_their_names() {
    check(
        &[
            (
                "query { albums { artist { ...A } } }
                 fragment A on Artist { albums { ...B } } fragment B on Album { artist { ...A } }",
                "{}",
            ),
            ("query { albums { ...C } } fragment C on Album { id ...C }", "{}"),
        ],
        &expect![[r#"
            .{}.albums.{}.artist.{}.A.{}.albums.{}.B.{}.artist.{} FragmentCycle { names: ["A", "B"] }
            .{}.albums.{}.C.{} FragmentCycle { names: ["C"] }
        "#]],
    );
}

#[test]
fn the_operation_is_the_requested_one() {
    check(
        &[
            ("B#query A { nothing } query B { albums { id } }", "{}"),
            ("C#query A { albums { id } }", "{}"),
            ("query A { albums { id } } query B { albums { id } }", "{}"),
            ("fragment F on Query { albums { id } }", "{}"),
            ("subscription { a b }", "{}"),
            ("{ albums ", "{}"),
        ],
        &expect![[r#"
            none
             UnknownOperation { name: "C" }
             NoSingleOperation
             NoSingleOperation
             NoRootType { kind: Subscription }
            none
        "#]],
    );
}

#[test]
fn a_location_has_the_path_to_the_innermost_value() {
    let query = "{ a: albums(filter: {title: \"é\", not: {ids: [1, 2]}}) {\n id title } }";
    let nearest = |line, column| {
        let location = Some(Location { line, column });
        text(&located(query, "{}", location).nearest) + "\n"
    };
    let all = [nearest(1, 3), nearest(1, 13), nearest(1, 51), nearest(2, 5), nearest(9, 9)];
    expect![[r#"
        .{}.albums
        .{}.albums.().filter
        .{}.albums.().filter.not
        .{}.albums.{}.title

    "#]]
    .assert_eq(&all.concat());
}

#[test]
fn scalars_of_the_dialect_are_read_with_the_values_of_variables() {
    check(
        &[
            ("{ albums(filter: {extra: {no: [1]}}) { id } }", "{}"),
            ("{ albums(filter: {extra: {no: [2]}}) { id } }", "{}"),
            ("query ($n: Int) { albums(filter: {extra: {no: [$n]}}) { id } }", r#"{"n": 1}"#),
            ("query ($e: JSON) { albums(filter: {extra: $e}) { id } }", r#"{"e": {"no": [1]}}"#),
        ],
        &expect![[r#"
            .{}.albums.().filter.extra Unreadable { message: "no JSON" }
            none
            .{}.albums.().filter.extra Unreadable { message: "no JSON" }
            .{}.albums.().filter.extra Unreadable { message: "no JSON" }
        "#]],
    );
}
