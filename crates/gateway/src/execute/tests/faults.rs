//! Faults of subgraphs.

use super::*;

#[test]
fn one_subgraph_that_fails_leaves_the_others_values() {
    let text = "{ works { title ... on Book { price } } }";
    let faults = [
        "",
        "no json",
        r#"{"data":{"_entities":[{"price":1},{"price":2}]}"#,
        r#"{"data":{"_entities":[{"price":1}]}}"#,
        r#"{"data":{"_entities":[{"price":1},{"price":2},{"price":3}]}}"#,
        r#"{"data":{"_entities":[{"price":1,"price":2},{"price":2}]}}"#,
        r#"{"data":null}"#,
        "{}",
    ];
    let mut printed = String::new();
    for fault in faults {
        let answer = answered(text, "{}", &[("shop", BOOKS), ("stock", fault)]).0;
        let told = answer.split_once('\n').map_or("nothing", |(_, told)| told);
        writeln!(printed, "{fault}\n    {told}").unwrap();
        assert!(
            answer.contains(r#"{"title":"C","price":"#),
            "the others' values are lost: {answer}"
        );
    }
    expect![[r#"

            .works[0].price: stock: its response is not the JSON of a GraphQL response
        no json
            .works[0].price: stock: its response is not the JSON of a GraphQL response
        {"data":{"_entities":[{"price":1},{"price":2}]}
            .works[0].price: stock: its response is not the JSON of a GraphQL response
        {"data":{"_entities":[{"price":1}]}}
            .works[0].price: stock: its response does not have the 2 requested entities
        {"data":{"_entities":[{"price":1},{"price":2},{"price":3}]}}
            .works[0].price: stock: its response does not have the 2 requested entities
        {"data":{"_entities":[{"price":1,"price":2},{"price":2}]}}
            .works[0].price: stock: its response has a member twice
        {"data":null}
            .works[0].price: stock: its response has neither data nor errors
        {}
            .works[0].price: stock: its response has neither data nor errors
    "#]]
    .assert_eq(&printed);
    check(
        text,
        &[("shop", BOOKS)],
        &expect![[r#"
            {"works":[{"title":"A \u00e4","price":null},{"title":"B"},{"title":"C","price":null},{"title":"D","price":null}]}
            .works[0].price: stock: it cannot be reached"#]],
    );
}

#[test]
fn errors_of_subgraphs_stand_where_they_belong() {
    check(
        "{ works { title ... on Book { price } } }",
        &[
            ("shop", BOOKS),
            (
                "stock",
                r#"{"errors":[{"message":"no price","path":["_entities",1,"price"]}],"data":{"_entities":[{"price":1},null]}}"#,
            ),
        ],
        &expect![[r#"
            {"works":[{"title":"A \u00e4","price":1},{"title":"B"},{"title":"C","price":null},{"title":"D","price":1}]}
            .works[2].price: stock says no price"#]],
    );
}

#[test]
fn errors_of_an_entity_stand_at_all_its_places() {
    // The first book occurs twice; its price is selected under two names, and one of them has the
    // error.
    check(
        "{ works { ... on Book { price dollars: price(currency: USD) } } }",
        &[
            ("shop", BOOKS),
            (
                "stock",
                r#"{"errors":[{"message":"no price","path":["_entities",0,"_1_price"]},{"path":["_entities",7]},{"message":"in general","extensions":{"code":"X"}}],
                    "data":{"_entities":[{"price":1,"_1_price":null},{"price":"dear","_1_price":2}]}}"#,
            ),
        ],
        &expect![[r#"
            {"works":[{"price":1,"dollars":null},{},{"price":null,"dollars":2},{"price":1,"dollars":null}]}
            .works[0].dollars: stock says no price
            .works[2].price: price is not of its type
            .works[3].dollars: stock says no price
            .works[0]: stock says 
            .works[0]: stock says in general"#]],
    );
}

#[test]
fn an_entity_is_read_once_and_stands_at_all_its_places() {
    check(
        "{ works { ... on Book { comments { text book { isbn } } } } }",
        &[
            ("shop", BOOKS),
            (
                "talk",
                r#"{"data":{"_entities":[{"comments":[{"text":"a","book":{"isbn":"1"}},{"text":null}]},{"comments":[{"text":"b","book":{"isbn":5}}]}]}}"#,
            ),
        ],
        &expect![[r#"
            {"works":[{"comments":null},{},{"comments":[{"text":"b","book":{"isbn":"5"}}]},{"comments":null}]}
            .works[0].comments[1].text: null for Comment.text
            .works[3].comments[1].text: null for Comment.text
            .works[0].comments[1].book: talk: its response lacks a selected field and has no error for it"#]],
    );
}

#[test]
fn errors_below_entities_that_are_there_twice_stand_at_all_their_places() {
    check(
        "{ works { ... on Book { comments { book { pages } } } } }",
        &[
            ("shop", BOOKS),
            (
                "talk",
                r#"{"data":{"_entities":[{"comments":[{"book":{"isbn":"3"}},{"book":{"isbn":"4"}}]},{"comments":[]}]}}"#,
            ),
            (
                "shop",
                r#"{"errors":[{"message":"torn","path":["_entities",1,"pages"]}],"data":{"_entities":[{"pages":3},{"pages":null}]}}"#,
            ),
        ],
        &expect![[r#"
            {"works":[{"comments":[{"book":{"pages":3}},{"book":{"pages":null}}]},{},{"comments":[]},{"comments":[{"book":{"pages":3}},{"book":{"pages":null}}]}]}
            .works[0].comments[1].book.pages: shop says torn
            .works[3].comments[1].book.pages: shop says torn"#]],
    );
}

#[test]
fn an_answer_of_another_form_is_one_error() {
    let text = "{ readers { id } }";
    let faults = [
        r#"[{"data":{"readers":[]}}]"#,
        r#"{"data":[]}"#,
        r#"{"data":{"readers":[]},"data":{"readers":[]}}"#,
        r#"{"data":{"readers":[]},"errors":{}}"#,
        r#"{"data":{"readers":[]}} {}"#,
        r#"{"errors":[],"data":null}"#,
        r#"{"data":{"readers":[{"id":"1","id":"2"}]}}"#,
        r#"{"data":{"readers":[{"id":"1","\u0069d":"2"}]}}"#,
        "{\"data\":{\"readers\":[{\"id\":\"\u{0}\"}]}}",
        r#"{"data":{"readers":{"id":"1"}}}"#,
        r#"{"data":{"readers":[{"id":1.5},{"id":true},{"id":"\ud800"},{"id":[]},3]}}"#,
        r#"{"errors":["broken"],"data":{"readers":null}}"#,
        r#"{"errors":[{"message":"\ud800","path":"here"}]}"#,
    ];
    let mut printed = String::new();
    for fault in faults {
        let answer = answered(text, "{}", &[("talk", fault)]).0;
        let fault = fault.replace('\0', "<0>");
        writeln!(printed, "{fault}\n    {}", answer.replace('\n', "\n    ")).unwrap();
    }
    expect![[r#"
        [{"data":{"readers":[]}}]
            {"readers":null}
            .readers: talk: its response is not the JSON of a GraphQL response
        {"data":[]}
            {"readers":null}
            .readers: talk: its response does not have the form of the request
        {"data":{"readers":[]},"data":{"readers":[]}}
            {"readers":null}
            .readers: talk: its response has a member twice
        {"data":{"readers":[]},"errors":{}}
            {"readers":null}
            .readers: talk: its response does not have the form of the request
        {"data":{"readers":[]}} {}
            {"readers":null}
            .readers: talk: its response is not the JSON of a GraphQL response
        {"errors":[],"data":null}
            {"readers":null}
            .readers: talk: its response has neither data nor errors
        {"data":{"readers":[{"id":"1","id":"2"}]}}
            {"readers":null}
            .readers: talk: its response has a member twice
        {"data":{"readers":[{"id":"1","\u0069d":"2"}]}}
            {"readers":null}
            .readers: talk: its response has a member twice
        {"data":{"readers":[{"id":"<0>"}]}}
            {"readers":null}
            .readers: talk: its response is not the JSON of a GraphQL response
        {"data":{"readers":{"id":"1"}}}
            {"readers":null}
            .readers: readers is not of its type
        {"data":{"readers":[{"id":1.5},{"id":true},{"id":"\ud800"},{"id":[]},3]}}
            {"readers":null}
            .readers[0].id: id is not of its type
        {"errors":["broken"],"data":{"readers":null}}
            {"readers":null}
            .readers: talk says 
        {"errors":[{"message":"\ud800","path":"here"}]}
            {"readers":null}
            .readers: talk says 
    "#]]
    .assert_eq(&printed);
}

#[test]
fn errors_without_end_are_counted() {
    let books = (0..150).map(|isbn| format!(r#"{{"__typename":"Book","isbn":"{isbn}"}}"#));
    let books = books.collect::<Vec<_>>().join(",");
    let shop = format!(r#"{{"data":{{"works":[{books}]}}}}"#);
    let wrong = vec![r#"{"price":[]}"#; 150].join(",");
    let told = (0..150)
        .map(|place| format!(r#"{{"message":"no price","path":["_entities",{place},"price"]}}"#));
    let told = told.collect::<Vec<_>>().join(",");
    let nulls = vec![r#"{"price":null}"#; 150].join(",");
    for stock in [
        format!(r#"{{"data":{{"_entities":[{wrong}]}}}}"#),
        format!(r#"{{"errors":[{told}],"data":{{"_entities":[{nulls}]}}}}"#),
    ] {
        let text = "{ works { ... on Book { price } } }";
        let answer = answered(text, "{}", &[("shop", &shop), ("stock", &stock)]).0;
        assert_eq!(answer.lines().count(), 102);
        assert!(answer.contains("\n.works[99].price: "), "{answer}");
        assert!(answer.ends_with(": 50 more"), "{answer}");
    }
}

#[test]
fn of_a_shape_that_a_fault_ends_nothing_is_kept() {
    // The fault is at the end: everything read before is rolled back.
    check(
        "{ works { ... on Book { comments { text } price } } }",
        &[
            ("shop", BOOKS),
            ("stock", r#"{"data":{"_entities":[{"price":1},{"price":2}]}"#),
            (
                "talk",
                r#"{"data":{"_entities":[{"comments":[{"text":"a"}]},{"comments":[{"text":"b"}],"comments":[]}]}}"#,
            ),
        ],
        &expect![[r#"
            {"works":[{"comments":null,"price":null},{},{"comments":null,"price":null},{"comments":null,"price":null}]}
            .works[0].comments: talk: its response has a member twice
            .works[0].price: stock: its response is not the JSON of a GraphQL response"#]],
    );
}

#[test]
fn values_are_of_their_types() {
    check(
        "{ book(isbn: 1) { isbn pages size { height } } }",
        &[("shop", r#"{"data":{"book":{"isbn":7,"pages":"many","size":[]}}}"#)],
        &expect![[r#"
            {"book":{"isbn":"7","pages":null,"size":null}}
            .book.pages: pages is not of its type
            .book.size: size is not of its type"#]],
    );
    check(
        "{ readers { id } book(isbn: 1) { comments { currency } } }",
        &[
            ("talk", r#"{"data":{"readers":[{"id":1}]}}"#),
            ("shop", r#"{"data":{"book":{"isbn":"1"}}}"#),
            (
                "talk",
                r#"{"data":{"_entities":[{"comments":[{"currency":"POINTS"},{"currency":"EUR"}]}]}}"#,
            ),
        ],
        &expect![[r#"
            {"readers":[{"id":"1"}],"book":{"comments":[{"currency":null},{"currency":"EUR"}]}}
            .book.comments[0].currency: currency is not of its type"#]],
    );
}

#[test]
fn an_error_of_what_is_hidden_stands_where_it_is_needed() {
    // The required field failed: the field that requires it is not fetched and has the error.
    check(
        "{ cheapest { dear: postage stars } }",
        &[
            ("stock", r#"{"data":{"cheapest":{"isbn":"1"}}}"#),
            (
                "shop",
                r#"{"errors":[{"message":"torn","path":["_entities",0,"size","height"]}],"data":{"_entities":[{"pages":3,"size":null}]}}"#,
            ),
            ("talk", r#"{"data":{"_entities":[{"stars":4}]}}"#),
        ],
        &expect![[r#"
            {"cheapest":{"dear":null,"stars":4}}
            .cheapest.dear: shop says torn"#]],
    );
    check(
        "{ book(isbn: 1) { comments { text } } }",
        &[(
            "shop",
            r#"{"errors":[{"message":"no isbn","path":["book","isbn"]}],"data":{"book":{"isbn":null}}}"#,
        )],
        &expect![[r#"
            {"book":{"comments":null}}
            .book.comments: shop says no isbn"#]],
    );
}

#[test]
fn an_entity_that_is_none_is_one_error_of_its_subgraph() {
    for wrong in ["[5,3]", r#"["none",[]]"#, r#"[[{"price":1}],true]"#] {
        let answer = format!(r#"{{"data":{{"_entities":{wrong}}}}}"#);
        check(
            "{ works { title ... on Book { price } } }",
            &[("shop", BOOKS), ("stock", &answer)],
            &expect![[r#"
                {"works":[{"title":"A \u00e4","price":null},{"title":"B"},{"title":"C","price":null},{"title":"D","price":null}]}
                .works[0].price: stock: an entity in its response is not an object of the requested type"#]],
        );
    }
    // The other entity is unaffected.
    check(
        "{ works { ... on Book { price } } }",
        &[("shop", BOOKS), ("stock", r#"{"data":{"_entities":[{"price":1},5]}}"#)],
        &expect![[r#"
            {"works":[{"price":1},{},{"price":null},{"price":1}]}
            .works[2].price: stock: an entity in its response is not an object of the requested type"#]],
    );
}

#[test]
fn a_key_that_is_null_and_may_not_be_is_told_where_it_is_needed() {
    let shop = r#"{"data":{"works":[{"__typename":"Book","title":"A","isbn":null},{"__typename":"Book","title":"C","isbn":"2"}]}}"#;
    let stock = r#"{"data":{"_entities":[{"price":2}]}}"#;
    check_sent(
        "{ works { title ... on Book { price } } }",
        "{}",
        &[("shop", shop), ("stock", stock)],
        &expect![[r#"
            shop {"query":"{works{__typename title...on Book{isbn}}}","variables":{}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"title":"A","price":null},{"title":"C","price":2}]}
            .works[0].price: null for Book.isbn"#]],
    );
    // Two subgraphs are not called: each null has the error.
    check(
        "{ works { ... on Book { price comments { text } } } }",
        &[
            ("shop", shop),
            ("stock", stock),
            ("talk", r#"{"data":{"_entities":[{"comments":[]}]}}"#),
        ],
        &expect![[r#"
            {"works":[{"price":null,"comments":null},{"price":2,"comments":[]}]}
            .works[0].price: null for Book.isbn
            .works[0].comments: null for Book.isbn"#]],
    );
    // An aliased selection has the error at its own place, once.
    check(
        "{ works { ... on Book { isbn price } } }",
        &[("shop", shop), ("stock", stock)],
        &expect![[r#"
            {"works":null}
            .works[0].isbn: null for Book.isbn"#]],
    );
    let many = vec![r#"{"__typename":"Book","isbn":null}"#; 150].join(",");
    let many = format!(r#"{{"data":{{"works":[{many}]}}}}"#);
    let text = "{ works { ... on Book { price } } }";
    let (answer, sent) = answered(text, "{}", &[("shop", &many)]);
    // They are one object: the places of an error are counted from the eleventh on.
    assert_eq!((answer.lines().count(), sent.lines().count()), (12, 1), "{sent}");
    assert!(answer.ends_with(": 140 more"), "{answer}");
}

#[test]
fn a_type_that_cannot_stand_there_is_no_type() {
    check(
        "{ works { title ... on Book { price } } }",
        &[
            (
                "shop",
                r#"{"data":{"works":[{"__typename":"Reader","title":"A","isbn":"1"},{"__typename":"Nobody"},{"__typename":5},{"title":"B"},{"__typename":"Book","title":"C","isbn":"2"}]}}"#,
            ),
            ("stock", r#"{"data":{"_entities":[{"price":2}]}}"#),
        ],
        &expect![[r#"
            {"works":null}
            .works[0]: works is not of its type"#]],
    );
}

#[test]
fn each_null_that_was_asked_and_is_not_there_has_an_error() {
    let mut printed = String::new();
    for (text, name, lacking) in [
        ("{ readers { id } }", "talk", r#"{"data":{}}"#),
        ("{ book(isbn: 1) { pages size { height } } }", "shop", r#"{"data":{"book":{"pages":1}}}"#),
        ("{ book(isbn: 1) { pages size { height } } }", "shop", r#"{"data":{"book":{}}}"#),
        (
            "{ book(isbn: 1) { pages size { height } } }",
            "shop",
            r#"{"errors":[{"message":"torn","path":["book"]}],"data":{"book":{"pages":1}}}"#,
        ),
        (
            "{ works { ... on Book { price dollars: price(currency: USD) } } }",
            "stock",
            r#"{"data":{"_entities":[{},{"price":2}]}}"#,
        ),
    ] {
        let answer = answered(text, "{}", &[("shop", BOOKS), (name, lacking)]);
        let answer = if name == "shop" { answered(text, "{}", &[(name, lacking)]) } else { answer };
        writeln!(printed, "{lacking}\n    {}", answer.0.replace('\n', "\n    ")).unwrap();
    }
    expect![[r#"
        {"data":{}}
            {"readers":null}
            .readers: talk: its response lacks a selected field and has no error for it
        {"data":{"book":{"pages":1}}}
            {"book":{"pages":1,"size":null}}
            .book.size: shop: its response lacks a selected field and has no error for it
        {"data":{"book":{}}}
            {"book":{"pages":null,"size":null}}
            .book.pages: shop: its response lacks a selected field and has no error for it
            .book.size: shop: its response lacks a selected field and has no error for it
        {"errors":[{"message":"torn","path":["book"]}],"data":{"book":{"pages":1}}}
            {"book":{"pages":1,"size":null}}
            .book.size: shop: its response lacks a selected field and has no error for it
            .book: shop says torn
        {"data":{"_entities":[{},{"price":2}]}}
            {"works":[{"price":null,"dollars":null},{},{"price":2,"dollars":null},{"price":null,"dollars":null}]}
            .works[0].price: stock: its response lacks a selected field and has no error for it
            .works[0].dollars: stock: its response lacks a selected field and has no error for it
            .works[2].dollars: stock: its response lacks a selected field and has no error for it
            .works[3].price: stock: its response lacks a selected field and has no error for it
            .works[3].dollars: stock: its response lacks a selected field and has no error for it
    "#]].assert_eq(&printed);
}
