use expect_test::{Expect, expect};

use super::*;
use crate::planner::Labels;
use crate::test_supergraph::{planned, planned_with};

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let printed = match planned(text, "{}") {
        Ok(planned) => print(&planned.supergraph, &planned.plan),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&printed);
}

#[test]
fn what_one_subgraph_gives_is_one_request() {
    check(
        "{ works { title } book(isbn: 1) { isbn again: isbn pages } }",
        &expect![[r#"
        1. shop: {works{__typename title}book(isbn:"1"){isbn _1_isbn:isbn pages}}
    "#]],
    );
}

#[test]
fn entities_are_found_by_their_keys() {
    check(
        "{ book(isbn: 1) { title price comments { text } } }",
        &expect![[r#"
        1. shop: {book(isbn:"1"){title isbn}}
        2. stock after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}
           Book { isbn } at book
        3. talk after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text}}}}
           Book { isbn } at book
    "#]],
    );
    check(
        "query ($c: Currency = USD) { cheapest { price(currency: $c) dollars: price(currency: USD) title } }",
        &expect![[r#"
            1. stock: query($c:Currency=USD){cheapest{price(currency:$c)_1_price:price(currency:USD)isbn}}
            2. shop after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{title}}}
               Book { isbn } at cheapest
        "#]],
    );
}

#[test]
fn what_a_field_requires_is_asked_before() {
    check(
        "{ book(isbn: 1) { postage } }",
        &expect![[r#"
        1. shop: {book(isbn:"1"){isbn pages size{height}}}
        2. stock after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{postage}}}
           Book { isbn pages size { height } } at book
    "#]],
    );
    check(
        "{ cheapest { price postage } }",
        &expect![[r#"
        1. stock: {cheapest{price isbn}}
        2. shop after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{pages size{height}}}}
           Book { isbn } at cheapest
        3. stock after 1, 2: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{postage}}}
           Book { isbn pages size { height } } at cheapest
    "#]],
    );
}

#[test]
fn what_is_provided_is_not_asked_again() {
    check(
        "{ book(isbn: 1) { comments { book { isbn title pages } } } }",
        &expect![[r#"
        1. shop: {book(isbn:"1"){isbn}}
        2. talk after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{book{isbn title}}}}}
           Book { isbn } at book
        3. shop after 2: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{pages}}}
           Book { isbn } at book.comments[].book
    "#]],
    );
}

#[test]
fn objects_without_keys_come_from_all_who_know_them() {
    check(
        "{ store { name open } }",
        &expect![[r#"
        1. shop: {store{name}}
        2. stock: {store{open}}
    "#]],
    );
}

#[test]
fn types_are_asked_for_apart_where_they_differ() {
    check(
        "{ works { title ... on Book { price } ... on Film { comments { text } } } }",
        &expect![[r#"
            1. shop: {works{__typename title...on Book{isbn}...on Film{id}}}
            2. stock after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}
               Book { isbn } at works[]
            3. talk after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Film{comments{text}}}}
               Film { id } at works[]
        "#]],
    );
    check(
        "{ works { comments { of { title } } } }",
        &expect![[r#"
        1. shop: {works{__typename...on Book{isbn}...on Film{id}}}
        2. talk after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{of{__typename...on Book{isbn}...on Film{id}}}}...on Film{comments{of{__typename...on Book{isbn}...on Film{id}}}}}}
           Book { isbn } at works[]
           Film { id } at works[]
        3. shop after 2: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{title}...on Film{title}}}
           Book { isbn } at works[].comments[].of
           Film { id } at works[].comments[].of
           Book { isbn } at works[].comments[].of
           Film { id } at works[].comments[].of
    "#]],
    );
}

#[test]
fn types_of_interface_objects_are_asked_of_those_who_know_them() {
    check(
        "{ readers { nick } }",
        &expect![[r#"
        1. talk: {readers{nick}}
    "#]],
    );
    check(
        "{ readers { __typename nick ... on Child { age } } }",
        &expect![[r#"
            1. talk: {readers{nick id}}
            2. shop after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){__typename...on Child{age}}}
               Reader { id } at readers[]
               Reader { id } at readers[]
        "#]],
    );
}

#[test]
fn changes_are_made_one_after_the_other() {
    check(
        r#"mutation { a: add(title: "A") { price } b: add(title: "B") { isbn } order(isbn: 1) { title } c: add(title: "C") { isbn } }"#,
        &expect![[r#"
            1. shop: mutation{add(title:"A"){isbn}}
            2. stock after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}
               Book { isbn } at a
            3. shop after 1, 2: mutation{add(title:"B"){isbn}}
            4. stock after 1, 2, 3: mutation{order(isbn:"1"){isbn}}
            5. shop after 4: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{title}}}
               Book { isbn } at order
            6. shop after 1, 2, 3, 4, 5: mutation{add(title:"C"){isbn}}
        "#]],
    );
}

#[test]
fn a_label_says_who_is_asked() {
    for (labels, expected) in [
        (
            Labels::default(),
            &expect![[r#"
            1. shop: {book(isbn:"1"){isbn}}
            2. talk after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{stars}}}
               Book { isbn } at book
        "#]],
        ),
        (
            Labels(["stars".into()].into_iter().collect()),
            &expect![[r#"
            1. shop: {book(isbn:"1"){isbn}}
            2. stock after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{stars}}}
               Book { isbn } at book
        "#]],
        ),
    ] {
        let planned = planned_with("{ book(isbn: 1) { stars } }", "{}", &labels).unwrap();
        expected.assert_eq(&print(&planned.supergraph, &planned.plan));
    }
}

#[test]
fn a_plan_is_the_same_each_time() {
    let text = "{ works { title comments { text of { title } book { title price postage } } ... on Book { price stars } } store { name open } }";
    let print = || {
        let planned = planned(text, "{}").unwrap();
        print(&planned.supergraph, &planned.plan)
    };
    let first = print();
    for _ in 0..5 {
        assert_eq!(print(), first);
    }
}
