//! Events of subscriptions, which are responses to the first fetch of the plan.

use expect_test::expect;

use super::*;

/// The request that begins the source stream.
#[track_caller]
fn check_source(text: &str, variables: &str, expected: &Expect) {
    let Planned { supergraph, operation, variables, plan } = &planned(text, variables).unwrap();
    let inputs = Inputs { supergraph, operation, plan, variables };
    let SourceRequest { subgraph, body, .. } = source_request(inputs).unwrap();
    let name = &supergraph.subgraph(subgraph).name;
    expected.assert_eq(&format!("{name} {}", String::from_utf8(body.to_vec()).unwrap()));
}

#[test]
fn the_source_stream_has_what_its_subgraph_resolves_and_the_keys_of_the_rest() {
    check_source(
        "subscription ($n: Int) { new: added(first: $n) { title price postage } }",
        r#"{"n":2}"#,
        &expect![[
            r#"shop {"query":"subscription($n:Int){added(first:$n){title isbn pages size{height}}}","variables":{"n":2}}"#
        ]],
    );
}

#[test]
fn one_subgraph_has_the_source_stream_of_a_field_that_several_have() {
    check_source(
        "subscription { sold { isbn } }",
        "{}",
        &expect![[r#"shop {"query":"subscription{sold{isbn}}","variables":{}}"#]],
    );
    check_source(
        "subscription { sold { price } }",
        "{}",
        &expect![[r#"stock {"query":"subscription{sold{price}}","variables":{}}"#]],
    );
}

#[test]
fn an_event_is_completed_by_queries_to_other_subgraphs() {
    let text = "subscription { new: added { title price } }";
    let event = r#"{"data":{"added":{"__typename":"Book","isbn":"1","title":"A"}}}"#;
    let price = r#"{"data":{"_entities":[{"__typename":"Book","price":7.5}]}}"#;
    check_sent(
        text,
        "{}",
        &[("shop", event), ("stock", price)],
        &expect![[r#"
        shop {"query":"subscription{added{title isbn}}","variables":{}}
        stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
        {"new":{"title":"A","price":7.5}}"#]],
    );
    check(text, &[("shop", r#"{"data":{"added":null}}"#)], &expect![[r#"{"new":null}"#]]);
    let failed = r#"{"data":{"added":null},"errors":[{"message":"no","path":["added"]}]}"#;
    check(
        text,
        &[("shop", failed)],
        &expect![[r#"
        {"new":null}
        .new: shop says no"#]],
    );
    check(
        text,
        &[],
        &expect![[r#"
        {"new":null}
        .new: shop: it cannot be reached"#]],
    );
}
