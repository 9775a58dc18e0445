//! Plans with context arguments.

use super::*;
use crate::test_supergraph::contextual;

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let printed = match planned_over(contextual(), text, "{}", &Labels::default()) {
        Ok(planned) => print(&planned.supergraph, &planned.plan),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&printed);
}

#[test]
fn a_value_of_another_subgraph_is_asked_first() {
    check(
        "{ customer { name first { id price } } }",
        &expect![[r#"
        1. people: {customer{name first{id}id}}
        2. trade after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}
           Customer { id } at customer
        3. prices after 1, 2: query($representations0:[_Any!]!,$context0_0:String!){_entities(representations:$representations0){...on Line{price(tier:$context0_0)}}}
           Line { id } at customer.first with tier of customer
    "#]],
    );
}

#[test]
fn arguments_of_clients_stand_beside_those_of_objects() {
    check(
        r#"query ($c: String) { customer { lines { price(currency: $c) euro: price(currency: "EUR") stock } } }"#,
        &expect![[r#"
            1. people: {customer{lines{id}id}}
            2. trade after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}
               Customer { id } at customer
            3. prices after 1, 2: query($representations0:[_Any!]!,$context0_0:String!,$c:String){_entities(representations:$representations0){...on Line{price(currency:$c,tier:$context0_0)_1_price:price(currency:"EUR",tier:$context0_0)stock}}}
               Line { id } at customer.lines[] with tier of customer
        "#]],
    );
}

#[test]
fn what_is_required_is_sent_beside_what_is_told() {
    check(
        "{ customer { first { total } } }",
        &expect![[r#"
        1. people: {customer{first{weight id}address{zone}codes}}
        2. prices after 1: query($representations0:[_Any!]!,$context0_0:Int,$context0_1:[String]){_entities(representations:$representations0){...on Line{total(zone:$context0_0,codes:$context0_1)}}}
           Line { id weight } at customer.first with address.zone of customer with codes of customer
    "#]],
    );
}

#[test]
fn a_subgraph_is_told_on_the_way_to_objects_without_keys() {
    check(
        "{ customer { extra { name bonus } } }",
        &expect![[r#"
        1. people: {customer{codes id}}
        2. prices after 1: query($representations0:[_Any!]!,$context0_0:[String]){_entities(representations:$representations0){...on Customer{extra{name bonus(codes:$context0_0)}}}}
           Customer { id } at customer with codes of customer
    "#]],
    );
}

#[test]
fn the_nearest_object_says_it() {
    check(
        "{ customer { first { next { next { label } } } } }",
        &expect![[r#"
        1. people: {customer{first{next{next{id}}}}}
        2. trade: {setting{locale}}
        3. prices after 1, 2: query($representations0:[_Any!]!,$context0_0:String){_entities(representations:$representations0){...on Line{label(locale:$context0_0)}}}
           Line { id } at customer.first.next.next with setting.locale
    "#]],
    );
}

#[test]
fn what_is_said_depends_on_the_type() {
    check(
        "{ holders { ... on Customer { lines { rank } } ... on Company { lines { rank } } } }",
        &expect![[r#"
            1. people: {holders{__typename...on Customer{lines{id}name}...on Company{lines{id}level}}}
            2. prices after 1: query($representations0:[_Any!]!,$context0_0:String,$representations1:[_Any!]!,$context1_1:String){_entities0:_entities(representations:$representations0){...on Line{rank(level:$context0_0)}}_entities1:_entities(representations:$representations1){...on Line{rank(level:$context1_1)}}}
               Line { id } at holders[].lines[] with name of holders[]
               Line { id } at holders[].lines[] with level of holders[]
        "#]],
    );
}

#[test]
fn a_field_that_nobody_says_the_value_for_has_no_plan() {
    check(
        "{ holders { ... on Company { lines { price } } } }",
        &expect!["No subgraph gives `Line.price` here."],
    );
}

#[test]
fn one_field_below_two_objects_is_told_two_things() {
    check(
        "{ one: customer { first { price } } two: customer { first { price } } }",
        &expect![[r#"
            1. people: {customer{first{id}id}_1_customer:customer{first{id}id}}
            2. trade after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}
               Customer { id } at one
               Customer { id } at two
            3. prices after 1, 2: query($representations0:[_Any!]!,$context0_0:String!,$representations1:[_Any!]!,$context1_1:String!){_entities0:_entities(representations:$representations0){...on Line{price(tier:$context0_0)}}_entities1:_entities(representations:$representations1){...on Line{price(tier:$context1_1)}}}
               Line { id } at one.first with tier of one
               Line { id } at two.first with tier of two
        "#]],
    );
}

#[test]
fn what_was_told_something_is_not_taken_from_there() {
    let text = "{ customer { first { price stock } lines { price stock } } }";
    let planned = planned_over(contextual(), text, "{}", &Labels::default()).unwrap();
    let lists = planned.plan.fetches.iter().flat_map(|fetch| &fetch.entities);
    let mut with_contexts = lists.filter(|list| !list.contexts.is_empty()).peekable();
    assert!(with_contexts.peek().is_some());
    assert!(with_contexts.flat_map(|list| &list.entries).all(|entry| entry.reuse.is_empty()));
}
