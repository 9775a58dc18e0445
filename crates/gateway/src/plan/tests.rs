mod contexts;
mod directives;

use expect_test::{Expect, expect};

use super::*;
use crate::planner::Labels;
use crate::test_supergraph::{odd, planned, planned_over, planned_with};

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
fn requests_of_a_named_operation_have_operation_names() {
    let text = "query Book { book(isbn: 1) { title price } }";
    check(
        text,
        &expect![[r#"
            1. shop: query Book__shop__0{book(isbn:"1"){title isbn}}
            2. stock after 1: query Book__stock__1($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}
               Book { isbn } at book
        "#]],
    );
    let planned = planned(text, "{}").unwrap();
    let heads = planned.plan.fetches.iter().map(|fetch| {
        let head = String::from_utf8(fetch.document.head.to_vec()).unwrap();
        head.rsplit_once("}\"").unwrap().1.to_owned()
    });
    assert_eq!(
        heads.collect::<Vec<_>>(),
        [
            r#","operationName":"Book__shop__0","variables":{"#,
            r#","operationName":"Book__stock__1","variables":{"#
        ]
    );
}

#[test]
fn keys_of_objects_whose_types_nobody_says_are_read_before_these_are_known() {
    check(
        "{ readers { ... on Child { id } } }",
        &expect![[r#"
        1. talk: {readers{id}}
        2. shop after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){__typename...on Child{id}}}
           Reader { id } at readers[]
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
            2. talk after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{...f1}}...on Film{comments{...f1}}}}fragment f1 on Comment{of{__typename...on Book{isbn}...on Film{id}}}
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

#[track_caller]
fn check_odd(text: &str, expected: &Expect) {
    let printed = match planned_over(odd(), text, "{}", &Labels::default()) {
        Ok(planned) => print(&planned.supergraph, &planned.plan),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&printed);
}

#[test]
fn of_a_union_only_what_all_know_who_could_be_asked_is_asked() {
    check_odd(
        "{ pets { ... on Cat { name } ... on Dog { name } } }",
        &expect![[r#"
        1. b: {pets{__typename...on Cat{name}}}
    "#]],
    );
}

#[test]
fn a_field_of_an_interface_is_known_of_all_that_one_subgraph_gives_or_there_is_no_plan() {
    check_odd("{ animal { id } }", &expect!["No subgraph gives `Dog.id` here."]);
    check_odd(
        "{ animal { ... on Cat { id } ... on Dog { name } } }",
        &expect![[r#"
        1. a: {animal{__typename...on Cat{id}...on Dog{name}}}
    "#]],
    );
}

#[test]
fn a_subgraph_need_not_know_what_it_does_not_give() {
    check_odd(
        "{ creature { name } }",
        &expect![[r#"
        1. a: {creature{__typename name}}
        2. b: {creature{__typename name}}
    "#]],
    );
}

#[test]
fn a_key_that_finds_nothing_is_no_way() {
    check_odd(
        "{ locked { id } }",
        &expect![[r#"
        1. a: {locked{id}}
    "#]],
    );
    check_odd("{ locked { id secret } }", &expect!["No subgraph gives `Locked.secret` here."]);
}

#[test]
fn what_two_fields_require_is_told_at_once_unless_it_is_one_field_with_other_arguments() {
    check_odd(
        "{ thing { dear both } }",
        &expect![[r#"
        1. a: {thing{id cost(unit:"euro")}}
        2. b after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Thing{dear both}}}
           Thing { id cost } at thing
    "#]],
    );
    check_odd(
        "{ thing { cheap dear } }",
        &expect![[r#"
        1. a: {thing{id cost(unit:"cent")_1_cost:cost(unit:"euro")}}
        2. b after 1: query($representations0:[_Any!]!,$representations1:[_Any!]!){_entities0:_entities(representations:$representations0){...on Thing{cheap}}_entities1:_entities(representations:$representations1){...on Thing{dear}}}
           Thing { id cost } at thing
           Thing { id cost } at thing
    "#]],
    );
}

#[test]
fn the_root_is_entered_again_where_a_field_leads_to_it() {
    check_odd(
        "{ again { query { onlyA } } }",
        &expect![[r#"
            1. b: {again{query{__typename}}}
            2. a after 1: {onlyA}
        "#]],
    );
}
