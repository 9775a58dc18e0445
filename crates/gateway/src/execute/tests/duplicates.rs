//! Deduplication of equal JSON objects: they are parsed and fetched once, and written at all their
//! places.

use proptest::prelude::*;
use serde_json_bytes::serde_json::{Value, json};

use super::*;

const TEXT: &str =
    "{ works { ... on Book { comments { text book { price } of { __typename title } } } } }";

/// A source in this process, which compares no texts, and an execution without reuse give the same
/// response.
#[track_caller]
fn check(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    check_sent(text, "{}", answers, expected);
    let planned = planned(text, "{}").unwrap();
    let answers: Vec<_> = answers.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let (json, _) = run_bytes(&planned, &answers, Options::default());
    let (apart, _) = run_given(&planned, &answers, Options::default(), recorded::apart);
    assert_eq!(sorted(&json), sorted(&apart));
    let options = Options { reuse: false, ..Options::default() };
    assert_eq!(run_bytes(&planned, &answers, options).0, apart);
}

fn sorted(printed: &str) -> Vec<&str> {
    let mut lines: Vec<_> = printed.lines().collect();
    lines.sort_unstable();
    lines
}

const SHOP: &str =
    r#"{"data":{"works":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}"#;

/// The second comment occurs again below the other book, and all comments have two books.
const TALK: &str = r#"{"data":{"_entities":[
    {"comments":[{"text":"a","book":{"isbn":"7"},"of":null},{"text":"b","book":{"isbn":"8"},"of":null}]},
    {"comments":[{"text":"b","book":{"isbn":"8"},"of":null},{"text":"c","book":{"isbn":"7"},"of":null},{"text":"b","book":{"isbn":"8"},"of":null}]}
]}}"#;

#[test]
fn they_are_asked_for_once_and_stand_at_all_their_places() {
    check(
        TEXT,
        &[
            ("shop", SHOP),
            ("talk", TALK),
            ("stock", r#"{"data":{"_entities":[{"price":7},{"price":8}]}}"#),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text book{isbn}of{__typename...on Book{isbn}...on Film{id}}}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"7"},{"__typename":"Book","isbn":"8"}]}}
            {"works":[{"comments":[{"text":"a","book":{"price":7},"of":null},{"text":"b","book":{"price":8},"of":null}]},{"comments":[{"text":"b","book":{"price":8},"of":null},{"text":"c","book":{"price":7},"of":null},{"text":"b","book":{"price":8},"of":null}]}]}"#]],
    );
}

#[test]
fn an_error_of_one_stands_at_all_its_places() {
    check(
        TEXT,
        &[
            ("shop", SHOP),
            ("talk", TALK),
            (
                "stock",
                r#"{"data":{"_entities":[{"price":7},{"price":null}]},"errors":[{"message":"no price","path":["_entities",1,"price"]}]}"#,
            ),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text book{isbn}of{__typename...on Book{isbn}...on Film{id}}}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"7"},{"__typename":"Book","isbn":"8"}]}}
            {"works":[{"comments":[{"text":"a","book":{"price":7},"of":null},{"text":"b","book":{"price":null},"of":null}]},{"comments":[{"text":"b","book":{"price":null},"of":null},{"text":"c","book":{"price":7},"of":null},{"text":"b","book":{"price":null},"of":null}]}]}
            .works[0].comments[1].book.price: stock says no price
            .works[1].comments[0].book.price: stock says no price
            .works[1].comments[2].book.price: stock says no price"#]],
    );
    // A missing non-null value is reported at each place.
    let talk = TALK.replace(r#""text":"b""#, r#""text":null"#);
    check(
        "{ works { ... on Book { comments { text } } } }",
        &[("shop", SHOP), ("talk", &talk)],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"comments":null},{"comments":null}]}
            .works[0].comments[1].text: null for Comment.text
            .works[1].comments[0].text: null for Comment.text"#]],
    );
    let talk = TALK.replace(r#""isbn":"8""#, r#""isbn":null"#);
    check(
        TEXT,
        &[("shop", SHOP), ("talk", &talk), ("stock", r#"{"data":{"_entities":[{"price":7}]}}"#)],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text book{isbn}of{__typename...on Book{isbn}...on Film{id}}}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"7"}]}}
            {"works":[{"comments":[{"text":"a","book":{"price":7},"of":null},{"text":"b","book":{"price":null},"of":null}]},{"comments":[{"text":"b","book":{"price":null},"of":null},{"text":"c","book":{"price":7},"of":null},{"text":"b","book":{"price":null},"of":null}]}]}
            .works[0].comments[1].book.price: null for Book.isbn
            .works[1].comments[0].book.price: null for Book.isbn
            .works[1].comments[2].book.price: null for Book.isbn"#]],
    );
}

#[test]
fn what_is_wrong_in_one_answer_is_wrong_where_it_stands() {
    // An error of one of two equal objects does not apply to the other.
    let errors =
        r#"]},"errors":[{"message":"no book","path":["_entities",1,"comments",0,"book"]}]}"#;
    let talk = TALK.replace("\n]}}", errors).replace(r#"{"isbn":"8"}"#, "null");
    check(
        TEXT,
        &[("shop", SHOP), ("talk", &talk), ("stock", r#"{"data":{"_entities":[{"price":7}]}}"#)],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text book{isbn}of{__typename...on Book{isbn}...on Film{id}}}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"7"}]}}
            {"works":[{"comments":[{"text":"a","book":{"price":7},"of":null},{"text":"b","book":null,"of":null}]},{"comments":[{"text":"b","book":null,"of":null},{"text":"c","book":{"price":7},"of":null},{"text":"b","book":null,"of":null}]}]}
            .works[1].comments[0].book: talk says no book"#]],
    );
    // The other object lacks its text without an error, which is reported.
    let errors =
        r#"]},"errors":[{"message":"no text","path":["_entities",1,"comments",0,"text"]}]}"#;
    let talk = TALK.replace("\n]}}", errors).replace(r#""text":"b""#, r#""text":null"#);
    check(
        "{ works { ... on Book { comments { text } } } }",
        &[("shop", SHOP), ("talk", &talk)],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"comments":null},{"comments":null}]}
            .works[0].comments[1].text: null for Comment.text
            .works[1].comments[0].text: talk says no text"#]],
    );
    let talk = TALK.replace(r#""text":"b""#, r#""text":5"#);
    check(
        "{ works { ... on Book { comments { text } } } }",
        &[("shop", SHOP), ("talk", &talk)],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"comments":null},{"comments":null}]}
            .works[0].comments[1].text: text is not of its type
            .works[1].comments[0].text: text is not of its type"#]],
    );
    // An invalid response is rolled back as a whole.
    let talk = TALK.replace("\n]}}", ",{}\n]}}");
    check(
        TEXT,
        &[("shop", SHOP), ("talk", &talk)],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text book{isbn}of{__typename...on Book{isbn}...on Film{id}}}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"comments":null},{"comments":null}]}
            .works[0].comments: talk: its response does not have the 2 requested entities"#]],
    );
}

#[test]
fn those_with_members_in_another_order_are_equal_all_the_same() {
    // Other white space or member order means another text.
    let talk = r#"{"data":{"_entities":[
        {"comments":[{"text":"a","of":{"__typename":"Film","id":"1","title":"A"},"book":{"isbn":"7"}},
                     {"book":{"isbn":"7"},"of":{"title":"A","id":"1","__typename":"Film"},"text":"a"},
                     {"text":"a","of":{"__typename":"Film","id":"1","title":"A"},"book":{ "isbn":"7"}}]},
        {"comments":[{"text":"a","of":{"__typename":"Film","id":"1","title":"A"},"book":{"isbn":"7"}}]}]}}"#;
    check(
        "{ works { ... on Book { comments { text book { price } of { __typename ... on Film { minutes } } } } } }",
        &[
            ("shop", SHOP),
            ("talk", talk),
            ("stock", r#"{"data":{"_entities":[{"price":7}]}}"#),
            ("shop", r#"{"data":{"_entities":[{"minutes":5}]}}"#),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text book{isbn}of{__typename...on Film{id}}}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            shop {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Film{minutes}}}","variables":{"representations0":[{"__typename":"Film","id":"1"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"7"}]}}
            {"works":[{"comments":[{"text":"a","book":{"price":7},"of":{"__typename":"Film","minutes":5}},{"text":"a","book":{"price":7},"of":{"__typename":"Film","minutes":5}},{"text":"a","book":{"price":7},"of":{"__typename":"Film","minutes":5}}]},{"comments":[{"text":"a","book":{"price":7},"of":{"__typename":"Film","minutes":5}}]}]}"#]],
    );
}

#[test]
fn lists_that_several_have_are_not_taken_for_others() {
    // Each book occurs twice with different texts, and one has an empty list.
    let shop = SHOP
        .replace("]}}", r#",{"isbn":"2","__typename":"Book"},{"isbn":"1","__typename":"Book"}]}}"#);
    check(
        "{ works { ... on Book { comments { text } } } }",
        &[
            ("shop", &shop),
            (
                "talk",
                r#"{"data":{"_entities":[{"comments":[]},{"comments":[{"text":"a"},{"text":"b"}]}]}}"#,
            ),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"comments":[]},{"comments":[{"text":"a"},{"text":"b"}]},{"comments":[{"text":"a"},{"text":"b"}]},{"comments":[]}]}"#]],
    );
    // An error in a shared list is reported for both parents.
    check(
        "{ works { ... on Book { comments { text } } } }",
        &[
            ("shop", &shop),
            (
                "talk",
                r#"{"data":{"_entities":[{"comments":[{"text":null}]},{"comments":[{"text":"a"},{"text":"b"}]}]}}"#,
            ),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{comments{text}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}
            {"works":[{"comments":null},{"comments":[{"text":"a"},{"text":"b"}]},{"comments":[{"text":"a"},{"text":"b"}]},{"comments":null}]}
            .works[0].comments[0].text: null for Comment.text
            .works[3].comments[0].text: null for Comment.text"#]],
    );
}

thread_local! {
    static COMMENTS: Planned = planned(TEXT, "{}").unwrap();
}

/// One of few values, so that most occur several times.
fn comment() -> impl Strategy<Value = Value> {
    let text = prop_oneof![4 => Just(json!("a")), 4 => Just(json!("b")), 1 => Just(Value::Null), 1 => Just(json!(1))];
    let book = prop_oneof![
        3 => Just(json!({"isbn": "7"})),
        3 => Just(json!({"isbn": 8})),
        1 => Just(json!({"isbn": null})),
        1 => Just(Value::Null),
    ];
    let of = prop_oneof![
        Just(json!({"__typename": "Film", "id": 1, "title": "A"})),
        Just(json!({"__typename": "Book", "isbn": 1, "title": "A"})),
        Just(Value::Null),
    ];
    (text, book, of).prop_map(|(text, book, of)| json!({"text": text, "book": book, "of": of}))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn the_answer_is_as_if_all_were_read(
        comments in prop::collection::vec(prop::collection::vec(comment(), 0..5), 2),
        prices in prop::collection::vec(prop_oneof![Just(json!({"price": 1})), Just(json!({"price": "a"})), Just(Value::Null)], 0..4),
        error in prop::option::of((0..3_usize, 0..5_usize)),
    ) {
        let comments: Vec<_> = comments.iter().map(|comments| json!({"comments": comments})).collect();
        let mut talk = json!({"data": {"_entities": comments}});
        if let Some((entity, comment)) = error {
            talk["errors"] = json!([{"message": "no", "path": ["_entities", entity, "comments", comment, "book"]}]);
        }
        let stock = json!({"data": {"_entities": prices}});
        let (talk, stock) = (talk.to_string(), stock.to_string());
        let answers = [("shop", SHOP.as_bytes()), ("talk", talk.as_bytes()), ("stock", stock.as_bytes())];
        COMMENTS.with(|planned| {
            let (json, sent) = run_bytes(planned, &answers, Options::default());
            let (apart, sent_apart) = run_given(planned, &answers, Options::default(), recorded::apart);
            prop_assert_eq!(sent, sent_apart);
            // The errors of one object are adjacent.
            prop_assert_eq!(sorted(&json), sorted(&apart));
            Ok(())
        })?;
    }
}
