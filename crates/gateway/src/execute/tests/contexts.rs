//! Context arguments: values of enclosing objects.

use super::*;
use crate::test_supergraph::contextual;

#[track_caller]
fn check(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    let planned = planned_over(contextual(), text, "{}", &Labels::default()).unwrap();
    let (answer, sent) = run(&planned, answers, Options::default());
    expected.assert_eq(&format!("{sent}{answer}"));
}

#[test]
fn all_objects_that_are_told_the_same_are_one_list() {
    check(
        "{ customer { lines { price } } }",
        &[
            (
                "people",
                r#"{"data":{"customer":{"id":"c","lines":[{"id":"1"},{"id":"2"},{"id":"1"}]}}}"#,
            ),
            ("trade", r#"{"data":{"_entities":[{"tier":"gold"}]}}"#),
            ("prices", r#"{"data":{"_entities":[{"price":10},{"price":20}]}}"#),
        ],
        &expect![[r#"
            people {"query":"{customer{lines{id}id}}","variables":{}}
            trade {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}","variables":{"representations0":[{"__typename":"Customer","id":"c"}]}}
            prices {"query":"query($representations0:[_Any!]!,$context0_0:String!){_entities(representations:$representations0){...on Line{price(tier:$context0_0)}}}","variables":{"representations0":[{"__typename":"Line","id":"1"},{"__typename":"Line","id":"2"}],"context0_0":"gold"}}
            {"customer":{"lines":[{"price":10},{"price":20},{"price":10}]}}"#]],
    );
}

#[test]
fn objects_that_are_told_different_things_are_lists_of_their_own() {
    check(
        "{ customers { lines { price } } }",
        &[
            (
                "people",
                r#"{"data":{"customers":[{"id":"c","lines":[{"id":"1"},{"id":"2"}]},{"id":"d","lines":[{"id":"1"}]},{"id":"e","lines":[{"id":"3"}]}]}}"#,
            ),
            (
                "trade",
                r#"{"data":{"_entities":[{"tier":"gold"},{"tier":"none"},{"tier":"gold"}]}}"#,
            ),
            (
                "prices",
                r#"{"data":{"_entities0":[{"price":10},{"price":20},{"price":30}],"_entities1":[{"price":11}]},"errors":[{"message":"odd","path":["_entities1",0,"price"]}]}"#,
            ),
        ],
        &expect![[r#"
            people {"query":"{customers{lines{id}id}}","variables":{}}
            trade {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}","variables":{"representations0":[{"__typename":"Customer","id":"c"},{"__typename":"Customer","id":"d"},{"__typename":"Customer","id":"e"}]}}
            prices {"query":"query($representations0:[_Any!]!,$context0_0:String!,$representations1:[_Any!]!,$context1_0:String!){_entities0:_entities(representations:$representations0){...on Line{price(tier:$context0_0)}}_entities1:_entities(representations:$representations1){...on Line{price(tier:$context1_0)}}}","variables":{"representations0":[{"__typename":"Line","id":"1"},{"__typename":"Line","id":"2"},{"__typename":"Line","id":"3"}],"context0_0":"gold","representations1":[{"__typename":"Line","id":"1"}],"context1_0":"none"}}
            {"customers":[{"lines":[{"price":10},{"price":20}]},{"lines":[{"price":11}]},{"lines":[{"price":30}]}]}
            .customers[1].lines[0].price: prices says odd"#]],
    );
}

#[test]
fn objects_that_cannot_be_told_are_not_asked_for() {
    check(
        "{ customers { lines { price } } }",
        &[
            (
                "people",
                r#"{"data":{"customers":[{"id":"c","lines":[{"id":"1"}]},{"id":"d","lines":[{"id":"2"}]},{"id":"e","lines":[{"id":"3"}]}]}}"#,
            ),
            ("trade", r#"{"data":{"_entities":[{"tier":"gold"},{"tier":null},null]}}"#),
            ("prices", r#"{"data":{"_entities":[{"price":10}]}}"#),
        ],
        &expect![[r#"
            people {"query":"{customers{lines{id}id}}","variables":{}}
            trade {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}","variables":{"representations0":[{"__typename":"Customer","id":"c"},{"__typename":"Customer","id":"d"},{"__typename":"Customer","id":"e"}]}}
            prices {"query":"query($representations0:[_Any!]!,$context0_0:String!){_entities(representations:$representations0){...on Line{price(tier:$context0_0)}}}","variables":{"representations0":[{"__typename":"Line","id":"1"}],"context0_0":"gold"}}
            {"customers":[{"lines":[{"price":10}]},{"lines":[{"price":null}]},{"lines":[{"price":null}]}]}"#]],
    );
    check(
        "{ customer { lines { price } } }",
        &[
            ("people", r#"{"data":{"customer":{"id":"c","lines":[{"id":"1"}]}}}"#),
            ("trade", r#"{"errors":[{"message":"no"}]}"#),
        ],
        &expect![[r#"
            people {"query":"{customer{lines{id}id}}","variables":{}}
            trade {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Customer{tier}}}","variables":{"representations0":[{"__typename":"Customer","id":"c"}]}}
            {"customer":{"lines":[{"price":null}]}}
            .customer.lines[0].price: trade says no"#]],
    );
}

#[test]
fn a_value_that_may_be_null_is_told_as_null() {
    check(
        "{ customer { first { total } } }",
        &[
            (
                "people",
                r#"{"data":{"customer":{"address":null,"codes":["a",null],"first":{"id":"1","weight":3}}}}"#,
            ),
            ("prices", r#"{"data":{"_entities":[{"total":7}]}}"#),
        ],
        &expect![[r#"
            people {"query":"{customer{first{weight id}address{zone}codes}}","variables":{}}
            prices {"query":"query($representations0:[_Any!]!,$context0_0:Int,$context0_1:[String]){_entities(representations:$representations0){...on Line{total(zone:$context0_0,codes:$context0_1)}}}","variables":{"representations0":[{"__typename":"Line","id":"1","weight":3}],"context0_0":null,"context0_1":["a",null]}}
            {"customer":{"first":{"total":7}}}"#]],
    );
}

#[test]
fn the_object_that_a_request_is_about_may_say_it() {
    check(
        "{ customers { extra { bonus } } }",
        &[
            (
                "people",
                r#"{"data":{"customers":[{"id":"c","codes":[]},{"id":"d","codes":["x"]},{"id":"e","codes":[]}]}}"#,
            ),
            (
                "prices",
                r#"{"data":{"_entities0":[{"extra":{"bonus":1}},{"extra":{"bonus":3}}],"_entities1":[{"extra":{"bonus":2}}]}}"#,
            ),
        ],
        &expect![[r#"
            people {"query":"{customers{codes id}}","variables":{}}
            prices {"query":"query($representations0:[_Any!]!,$context0_0:[String],$representations1:[_Any!]!,$context1_0:[String]){_entities0:_entities(representations:$representations0){...on Customer{extra{bonus(codes:$context0_0)}}}_entities1:_entities(representations:$representations1){...on Customer{extra{bonus(codes:$context1_0)}}}}","variables":{"representations0":[{"__typename":"Customer","id":"c"},{"__typename":"Customer","id":"e"}],"context0_0":[],"representations1":[{"__typename":"Customer","id":"d"}],"context1_0":["x"]}}
            {"customers":[{"extra":{"bonus":1}},{"extra":{"bonus":2}},{"extra":{"bonus":3}}]}"#]],
    );
}

#[test]
fn each_type_says_what_it_has() {
    check(
        "{ holders { ... on Customer { lines { rank } } ... on Company { lines { rank } } } }",
        &[
            (
                "people",
                r#"{"data":{"holders":[{"__typename":"Customer","name":"N","lines":[{"id":"1"}]},{"__typename":"Company","level":"L","lines":[{"id":"2"},{"id":"1"}]}]}}"#,
            ),
            (
                "prices",
                r#"{"data":{"_entities0":[{"rank":"a"}],"_entities1":[{"rank":"b"},{"rank":"c"}]}}"#,
            ),
        ],
        &expect![[r#"
            people {"query":"{holders{__typename...on Customer{lines{id}name}...on Company{lines{id}level}}}","variables":{}}
            prices {"query":"query($representations0:[_Any!]!,$context0_0:String,$representations1:[_Any!]!,$context1_1:String){_entities0:_entities(representations:$representations0){...on Line{rank(level:$context0_0)}}_entities1:_entities(representations:$representations1){...on Line{rank(level:$context1_1)}}}","variables":{"representations0":[{"__typename":"Line","id":"1"}],"context0_0":"N","representations1":[{"__typename":"Line","id":"2"},{"__typename":"Line","id":"1"}],"context1_1":"L"}}
            {"holders":[{"lines":[{"rank":"a"}]},{"lines":[{"rank":"b"},{"rank":"c"}]}]}"#]],
    );
}

#[test]
fn many_different_values_are_several_requests() {
    let customers: Vec<String> =
        (0..70).map(|place| format!(r#"{{"id":"{place}","codes":["{place}"]}}"#)).collect();
    let people = format!(r#"{{"data":{{"customers":[{}]}}}}"#, customers.join(","));
    let entities = |count: usize, first: usize| {
        let members = (0..count).map(|place| {
            format!(r#""_entities{place}":[{{"extra":{{"bonus":{}}}}}]"#, first + place)
        });
        format!(r#"{{"data":{{{}}}}}"#, members.collect::<Vec<_>>().join(","))
    };
    let (first, rest) = (entities(64, 0), entities(6, 64));
    let text = "{ customers { extra { bonus } } }";
    let planned = planned_over(contextual(), text, "{}", &Labels::default()).unwrap();
    let answers = [("people", &*people), ("prices", &*first), ("prices", &*rest)];
    let (answer, sent) = run(&planned, &answers, Options::default());
    assert_eq!(sent.lines().count(), 3, "{sent}");
    let expected: Vec<String> =
        (0..70).map(|place| format!(r#"{{"extra":{{"bonus":{place}}}}}"#)).collect();
    assert_eq!(answer, format!(r#"{{"customers":[{}]}}"#, expected.join(",")));
}
