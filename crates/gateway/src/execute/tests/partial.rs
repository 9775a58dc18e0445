//! Partial failures: fields that do not need the failed inputs are fetched, and each null has its
//! error.

use super::*;

#[track_caller]
fn check_partial(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    let supergraph = read(include_str!("partial.graphql")).unwrap();
    let planned = planned_over(supergraph, text, "{}", &Labels::default()).unwrap();
    let (answer, sent) = run(&planned, answers, Options::default());
    let last = sent.lines().filter(|line| line.starts_with("c "));
    let last: Vec<_> = last.collect();
    expected.assert_eq(&format!("{}\n{answer}", last.join("\n")));
}

const P: (&str, &str) = ("a", r#"{"data":{"p":{"id":"1"}}}"#);

#[test]
fn fields_that_do_not_require_what_failed_are_asked_for() {
    check_partial(
        "{ p { label stock price tax } }",
        &[
            P,
            (
                "b",
                r#"{"errors":[{"message":"no weight","path":["_entities",0,"weight"]}],"data":{"_entities":[{"weight":null,"name":"N"}]}}"#,
            ),
            ("c", r#"{"data":{"_entities":[{"label":"L","stock":3}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{label stock}}}","variables":{"representations0":[{"__typename":"P","id":"1","name":"N"}]}}
            {"p":{"label":"L","stock":3,"price":null,"tax":null}}
            .p.price: b says no weight
            .p.tax: b says no weight"#]],
    );
}

#[test]
fn an_object_that_a_subgraph_does_not_know_says_null_where_that_may_be() {
    check_partial(
        "{ p { price label stock } }",
        &[
            P,
            ("b", r#"{"data":{"_entities":[null]}}"#),
            ("c", r#"{"data":{"_entities":[{"price":null,"label":"L","stock":3}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{price label stock}}}","variables":{"representations0":[{"__typename":"P","id":"1","weight":null,"name":null}]}}
            {"p":{"price":null,"label":"L","stock":3}}"#]],
    );
    check_partial(
        "{ p { postage stock } }",
        &[
            P,
            ("b", r#"{"data":{"_entities":[null]}}"#),
            ("c", r#"{"data":{"_entities":[{"stock":3}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{stock}}}","variables":{"representations0":[{"__typename":"P","id":"1"}]}}
            {"p":{"postage":null,"stock":3}}
            .p.postage: null for P.size"#]],
    );
}

#[test]
fn what_a_null_of_a_subgraph_took_with_it_has_the_error_as_well() {
    check_partial(
        "{ p { postage name label stock } }",
        &[
            P,
            (
                "b",
                r#"{"errors":[{"message":"no size","path":["_entities",0,"size"]}],"data":{"_entities":[null]}}"#,
            ),
            ("c", r#"{"data":{"_entities":[{"stock":3}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{stock}}}","variables":{"representations0":[{"__typename":"P","id":"1"}]}}
            {"p":{"postage":null,"name":null,"label":null,"stock":3}}
            .p.postage: b says no size
            .p.name: b says no size
            .p.label: b says no size"#]],
    );
}

#[test]
fn elements_of_lists_that_are_not_known_are_null_where_that_may_be() {
    let p = ("a", r#"{"data":{"p":{"id":"1","items":[{"id":"1"},null,{"id":"2"}]}}}"#);
    check_partial(
        "{ p { cost } }",
        &[
            p,
            ("b", r#"{"data":{"_entities":[{"weight":5},null]}}"#),
            ("c", r#"{"data":{"_entities":[{"cost":5}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{cost}}}","variables":{"representations0":[{"__typename":"P","id":"1","items":[{"weight":5},null,{"weight":null}]}]}}
            {"p":{"cost":5}}"#]],
    );
    check_partial(
        "{ p { load } }",
        &[
            p,
            ("b", r#"{"data":{"_entities":[{"size":5},null]}}"#),
            ("c", r#"{"data":{"_entities":[{"load":5}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{load}}}","variables":{"representations0":[{"__typename":"P","id":"1","items":[{"size":5},null,null]}]}}
            {"p":{"load":5}}"#]],
    );
    check_partial(
        "{ p { cost stock } }",
        &[
            p,
            (
                "b",
                r#"{"errors":[{"message":"no weight","path":["_entities",1,"weight"]}],"data":{"_entities":[{"weight":5},{"weight":null}]}}"#,
            ),
            ("c", r#"{"data":{"_entities":[{"stock":5}]}}"#),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on P{stock}}}","variables":{"representations0":[{"__typename":"P","id":"1"}]}}
            {"p":{"cost":null,"stock":5}}
            .p.cost: b says no weight"#]],
    );
}

#[test]
fn objects_of_types_that_nobody_knows_are_null() {
    let top = ("a", r#"{"data":{"top":{"id":"1"}}}"#);
    let text = "{ top { id __typename ... on Book { own } } }";
    check_partial(
        text,
        &[
            top,
            (
                "b",
                r#"{"errors":[{"message":"no own","path":["_entities",0,"own"]}],"data":{"_entities":[null]}}"#,
            ),
        ],
        &expect![[r#"

            {"top":null}
            .top: b says no own"#]],
    );
    check_partial(
        text,
        &[top, ("b", r#"{"data":{"_entities":[null]}}"#)],
        &expect![[r#"

        {"top":null}
        .top: null for Media.__typename"#]],
    );
    check_partial(
        text,
        &[top],
        &expect![[r#"

        {"top":null}
        .top: b: it cannot be reached"#]],
    );
    // The runtime type is not needed.
    check_partial(
        "{ top { id } }",
        &[top],
        &expect![[r#"

        {"top":{"id":"1"}}"#]],
    );
}

#[test]
fn errors_of_objects_of_other_types_are_not_of_the_answer() {
    check_partial(
        "{ tops { id ... on Book { reviews } } }",
        &[
            ("a", r#"{"data":{"tops":[{"id":"1"},{"id":"2"}]}}"#),
            ("b", r#"{"data":{"_entities":[{"__typename":"Book"},{"__typename":"Film"}]}}"#),
            (
                "c",
                r#"{"errors":[{"message":"none","path":["_entities",0,"reviews"]},{"message":"none","path":["_entities",1,"reviews"]}],"data":{"_entities":[{"reviews":null},{"reviews":null}]}}"#,
            ),
        ],
        &expect![[r#"
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Media{reviews}}}","variables":{"representations0":[{"__typename":"Media","id":"1"},{"__typename":"Media","id":"2"}]}}
            {"tops":[{"id":"1","reviews":null},{"id":"2"}]}
            .tops[0].reviews: c says none"#]],
    );
}

#[test]
fn errors_of_objects_whose_type_is_not_known_have_no_name_of_another_type() {
    check_partial(
        "{ posts { ... on Image { name } ... on Text { a1: name } } }",
        &[(
            "b",
            r#"{"errors":[{"message":"none","path":["posts",1,"name"]}],"data":{"posts":[{"__typename":"Image","name":"I"},null]}}"#,
        )],
        &expect![[r#"

            {"posts":[{"name":"I"},null]}
            .posts[1]: b says none"#]],
    );
}

#[test]
fn an_error_that_says_nothing_of_its_place_explains_every_null() {
    check_partial(
        "{ posts { ... on Image { name } } }",
        &[(
            "b",
            r#"{"errors":[{"message":"in general"}],"data":{"posts":[{"__typename":"Image","name":null}]}}"#,
        )],
        &expect![[r#"

            {"posts":[null]}
            .posts[0].name: b says in general"#]],
    );
}

#[test]
fn a_requirement_that_fails_is_reported_only_where_it_causes_a_null() {
    // The client selects the title of books only, the rating requires that of films as well.
    check_partial(
        "{ top { id rating ... on Book { t1: title } } }",
        &[
            ("a", r#"{"data":{"top":{"id":"1"}}}"#),
            (
                "b",
                r#"{"errors":[{"message":"no title","path":["_entities",0,"title"]}],"data":{"_entities":[{"__typename":"Film","title":null}]}}"#,
            ),
        ],
        &expect![[r#"

            {"top":{"id":"1","rating":null}}
            .top.rating: b says no title"#]],
    );
}

#[test]
fn errors_below_interface_objects_are_of_the_fields_of_their_types() {
    let top = r#"{"errors":[{"message":"no note","path":["top","note"]}],"data":{"top":{"id":"1","note":null}}}"#;
    for own in ["Film", "Book"] {
        let entity = format!(r#"{{"data":{{"_entities":[{{"__typename":"{own}"}}]}}}}"#);
        let answers = [("a", top), ("b", &*entity)];
        let expected = match own {
            "Film" => expect![[r#"

                {"top":{"id":"1"}}"#]],
            _ => expect![[r#"

                {"top":{"id":"1","n1":null}}
                .top.n1: a says no note"#]],
        };
        check_partial("{ top { id ... on Book { n1: note } } }", &answers, &expected);
    }
}
