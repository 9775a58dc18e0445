use super::*;
use crate::planner::Labels;
use crate::test_supergraph::{Planned, planned_over};
use supergraph::read;

fn estimated(text: &str, variables: &str) -> Result<u64, SlicingArgumentError> {
    let supergraph = read(include_str!("tests.graphql")).unwrap();
    let planned = planned_over(supergraph, text, variables, &Labels::default()).unwrap();
    let Planned { supergraph, operation, plan, variables } = planned;
    Cost::new(&supergraph, &operation, &plan, 10).estimate(&supergraph, &variables)
}

#[track_caller]
fn check(text: &str, cost: u64) {
    check_with(text, "{}", cost);
}

#[track_caller]
fn check_with(text: &str, variables: &str, cost: u64) {
    assert_eq!(estimated(text, variables), Ok(cost));
}

#[track_caller]
fn check_not_one(text: &str, variables: &str, names: &str, column: u32) {
    let location = Location { line: 1, column };
    assert_eq!(
        estimated(text, variables),
        Err(SlicingArgumentError { names: names.into(), location })
    );
}

#[test]
fn objects_cost_one_and_leaves_nothing() {
    check("{ book { title author { name } } }", 2);
    check("{ __typename book { __typename title } }", 1);
    check("{ __schema { types { name } } }", 0);
    // A field that is selected twice counts once.
    check("{ book { title author { name } author { name } again: author { name } } }", 3);
}

#[test]
fn weights_are_of_fields_then_of_types() {
    check("{ book { address { code } excerpt } rating }", 1 + 5 + 4 + 2);
    // Weights may be negative, the cost of an operation may not.
    check("{ book { address { of { name } } } }", 0);
}

#[test]
fn lists_cost_as_much_as_their_elements() {
    check("{ best { title author { name } } }", 5 * 2);
    check("{ works { title } }", 10 * 6);
    check("{ best { similar { title } } }", 5 * (1 + 10));
    check("{ names }", 0);
}

#[test]
fn of_types_that_no_object_has_at_once_the_one_that_costs_most_counts() {
    check("{ works { ... on Book { excerpt } ... on Film { author { name } } } }", 10 * (6 + 4));
    check("{ things { ... on Author { name } ... on Address { code } } }", 10 * 5);
}

#[test]
fn arguments_say_how_long_lists_are() {
    check("{ recent(first: 3) { title } }", 3);
    check_with("query ($n: Int) { recent(last: $n) { title } }", r#"{"n":4}"#, 4);
    check("{ some(ids: [1, 2, 3]) { title } }", 3);
    check_with("query ($ids: [ID!]) { some(ids: $ids) { title } }", r#"{"ids":["a","b"]}"#, 2);
    check("{ some(ids: [1, 2], first: 9) { title } }", 9);
    check("{ some { title } }", 20);
    check("{ recent(first: -3) { title } }", 0);
}

#[test]
fn parts_of_arguments_do_as_well() {
    // The input objects cost one each.
    check("{ search(input: { paging: { count: 4 } }) { title } }", 4 + 2);
    check_with(
        "query ($n: Int) { search(input: { paging: { count: $n } }) { title } }",
        r#"{"n":4}"#,
        4 + 2,
    );
    check_with(
        "query ($p: Paging) { search(input: { paging: $p }) { title } }",
        r#"{"p":{"count":4}}"#,
        4 + 2,
    );
    check_with(
        "query ($s: Search) { search(input: $s) { title } }",
        r#"{"s":{"text":"a","paging":{"count":4}}}"#,
        4 + 2 + 2,
    );
}

#[test]
fn exactly_one_argument_says_it_where_that_is_required() {
    let names = "`first`, `last`";
    check_not_one("{ recent { title } }", "{}", names, 3);
    check_not_one("{ recent(first: 1, last: 1) { title } }", "{}", names, 3);
    check_not_one("query ($n: Int) { recent(first: $n) { title } }", r#"{"n":null}"#, names, 19);
    check_not_one("{ search { title } }", "{}", "`input.paging.count`", 3);
    // A default value suffices, and no second argument is needed.
    check("{ page { title } }", 7);
    check("{ page(last: 9) { title } }", 9);
    check_not_one("{ page(first: 1, last: 9) { title } }", "{}", names, 3);
}

#[test]
fn a_field_may_say_the_size_of_lists_below_it() {
    check("{ books(first: 3) { edges { node { title } } } }", 1 + 3 * 2);
    check("{ books(first: 3) { others { node { title } } } }", 1 + 10 * 2);
    check("{ books(first: 3) { info { warnings { name } notes { name } } } }", 1 + 1 + 3 + 10);
    check_with(
        "query ($n: Int) { books(first: $n) { it: edges { node { similar { title } } } } }",
        r#"{"n":2}"#,
        1 + 2 * (1 + 1 + 10),
    );
}

#[test]
fn arguments_cost_what_they_hold() {
    check("{ book(id: 1) { title } }", 1 + 3);
    check("{ book(id: null) { title } }", 1);
    check_with("query ($i: ID) { book(id: $i) { title } }", r#"{"i":"1"}"#, 1 + 3);
    check_with("query ($i: ID) { book(id: $i) { title } }", "{}", 1);
    // Once for each parent.
    check("{ best { title } a: book(id: 1) { title } b: book(id: 2) { title } }", 5 + 4 + 4);
}

#[test]
fn mutations_cost_ten_and_what_is_given_to_them() {
    check("mutation { add(book: {}) { title } }", 10 + 1 + 1);
    let book =
        r#"{title: "A", tags: ["a", "b"], authors: [{name: "B"}, {}], sequel: {title: "C"}}"#;
    let cost = 10 + 1 + (1 + 3) + (1 + 2) + 2 + (1 + 3);
    check(&format!("mutation {{ add(book: {book}) {{ title }} }}"), cost);
    let json = r#"{"b":{"title":"A","tags":["a","b"],"authors":[{"name":"B"},{}],"sequel":{"title":"C"}}}"#;
    check_with("mutation ($b: NewBook!) { add(book: $b) { title } }", json, cost);
}

#[test]
fn numbers_that_are_too_large_stay_large() {
    check(
        "{ recent(first: 2147483647) { similar { similar { similar { similar { similar {
           similar { similar { similar { similar { similar { title } } } } } } } } } } } }",
        u64::try_from(i64::MAX).unwrap(),
    );
}

#[test]
fn what_is_skipped_costs_nothing() {
    check_with(
        "query ($s: Boolean!) { book @skip(if: $s) { title } best { title } }",
        r#"{"s":true}"#,
        5,
    );
}

#[test]
fn what_fields_require_is_counted_once_it_is_asked_for() {
    check("{ best { title postage } }", 5 * (1 + 1 + 10 * (1 + 7)));
    // Required fields that the client selects as well count once.
    check("{ best { postage labels { color } } }", 5 * (1 + 1 + 10 * (1 + 7)));
}
