use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

use bytes::Bytes;
use expect_test::{Expect, expect};
use futures_util::FutureExt;

use super::*;
use crate::supergraph::Supergraph;
use crate::test_supergraph::{Planned, planned};

/// Subgraphs that answer with one text after the other, by their names.
struct Canned<'c> {
    supergraph: &'c Supergraph,
    answers: RefCell<Vec<(&'c str, &'c str)>>,
    /// What was sent.
    sent: RefCell<String>,
}

impl Subgraphs for Canned<'_> {
    async fn ask(&self, subgraph: SubgraphId, body: Vec<u8>) -> Result<Bytes, AskError> {
        let name = &*self.supergraph.subgraph(subgraph).name;
        let body = String::from_utf8(body).unwrap();
        writeln!(self.sent.borrow_mut(), "{name} {body}").unwrap();
        let mut answers = self.answers.borrow_mut();
        let place = answers.iter().position(|(of, _)| *of == name).ok_or(AskError::Unavailable)?;
        Ok(Bytes::copy_from_slice(answers.remove(place).1.as_bytes()))
    }
}

fn answered(text: &str, variables: &str, answers: &[(&str, &str)]) -> (String, String) {
    let Planned { supergraph, operation, variables, plan } = planned(text, variables).unwrap();
    let answers = RefCell::new(answers.to_vec());
    let canned = Canned { supergraph: &supergraph, answers, sent: RefCell::default() };
    let running = execute(&supergraph, &operation, &plan, &variables, &canned);
    let mut executed = running.now_or_never().unwrap();
    let mut out = Vec::new();
    write(&supergraph, &plan, &mut executed, &HashMap::new(), &mut out);
    let mut printed = String::from_utf8(out).unwrap();
    for error in &executed.errors {
        let path = error.path.iter().map(|step| match step {
            Step::Key(key) => format!(".{key}"),
            Step::Index(index) => format!("[{index}]"),
        });
        let path: String = path.collect();
        let told = match &error.kind {
            ErrorKind::Subgraph { subgraph, message } => {
                format!("{} says {message}", supergraph.subgraph(*subgraph).name)
            }
            ErrorKind::NotAnswered { subgraph, why } => {
                format!("{}: {why}", supergraph.subgraph(*subgraph).name)
            }
            ErrorKind::Invalid { subgraph, why } => {
                format!("{}: {why}", supergraph.subgraph(*subgraph).name)
            }
            ErrorKind::Null { parent, field } => {
                format!("null for {}.{field}", supergraph.schema[*parent].name)
            }
            ErrorKind::Value { field } => format!("{field} is not of its type"),
        };
        write!(printed, "\n{path}: {told}").unwrap();
    }
    (printed, canned.sent.into_inner())
}

#[track_caller]
fn check(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    expected.assert_eq(&answered(text, "{}", answers).0);
}

#[track_caller]
fn check_sent(text: &str, variables: &str, answers: &[(&str, &str)], expected: &Expect) {
    let (answer, sent) = answered(text, variables, answers);
    expected.assert_eq(&format!("{sent}{answer}"));
}

const BOOKS: &str = r#"{"data":{"works":[{"__typename":"Book","title":"A \u00e4","isbn":"1"},
    {"__typename":"Film","title":"B"},{"__typename":"Book","title":"C","isbn":"2"},{"__typename":"Book","title":"D","isbn":"1"}]}}"#;

#[test]
fn entities_come_to_their_places() {
    check_sent(
        "query ($c: Currency) { works { title ... on Book { price(currency: $c) } } }",
        r#"{"c":"USD"}"#,
        &[("shop", BOOKS), ("stock", r#"{"data":{"_entities":[{"price":1.50},{"price":2e1}]}}"#)],
        &expect![[r#"
            shop {"query":"{works{__typename title...on Book{isbn}}}","variables":{}}
            stock {"query":"query($representations0:[_Any!]!,$c:Currency){_entities(representations:$representations0){...on Book{price(currency:$c)}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}],"c":"USD"}}
            {"works":[{"title":"A \u00e4","price":1.50},{"title":"B"},{"title":"C","price":2e1},{"title":"D","price":1.50}]}"#]],
    );
}

#[test]
fn an_entity_that_is_not_there_has_no_values() {
    check(
        "{ works { title ... on Book { price } } }",
        &[("shop", BOOKS), ("stock", r#"{"data":{"_entities":[null,{"price":2}]}}"#)],
        &expect![[
            r#"{"works":[{"title":"A \u00e4","price":null},{"title":"B"},{"title":"C","price":2},{"title":"D","price":null}]}"#
        ]],
    );
}

#[test]
fn what_is_required_is_sent() {
    check_sent(
        "{ cheapest { postage } }",
        "{}",
        &[
            ("stock", r#"{"data":{"cheapest":{"isbn":"1"}}}"#),
            ("shop", r#"{"data":{"_entities":[{"pages":null,"size":{"height":3}}]}}"#),
            ("stock", r#"{"data":{"_entities":[{"postage":4}]}}"#),
        ],
        &expect![[r#"
            stock {"query":"{cheapest{isbn}}","variables":{}}
            shop {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{pages size{height}}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{postage}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1","pages":null,"size":{"height":3}}]}}
            {"cheapest":{"postage":4}}"#]],
    );
}

#[test]
fn nothing_is_asked_of_nobody() {
    check_sent(
        "{ cheapest { title } }",
        "{}",
        &[("stock", r#"{"data":{"cheapest":null}}"#)],
        &expect![[r#"
            stock {"query":"{cheapest{isbn}}","variables":{}}
            {"cheapest":null}"#]],
    );
}

#[test]
fn one_object_comes_from_two_subgraphs() {
    check(
        "{ store { open name } }",
        &[
            ("shop", r#"{"data":{"store":{"name":"S"}}}"#),
            ("stock", r#"{"data":{"store":{"open":true}}}"#),
        ],
        &expect![[r#"{"store":{"open":true,"name":"S"}}"#]],
    );
}

#[test]
fn a_null_goes_up_to_where_it_may_be() {
    check(
        "{ works { title } }",
        &[("shop", r#"{"data":{"works":[{"__typename":"Film","title":null}]}}"#)],
        &expect![[r#"
            {"works":null}
            .works[0].title: null for Work.title"#]],
    );
    check(
        "{ book(isbn: 1) { comments { text } title } }",
        &[
            ("shop", r#"{"data":{"book":{"title":"A","isbn":"1"}}}"#),
            ("talk", r#"{"data":{"_entities":[{"comments":[{"text":"a"},{"text":null}]}]}}"#),
        ],
        &expect![[r#"
            {"book":{"comments":null,"title":"A"}}
            .book.comments[1].text: null for Comment.text"#]],
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
            .works[2]: stock says no price"#]],
    );
}

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

            .works[0]: stock: it is no JSON of a GraphQL answer
        no json
            .works[0]: stock: it is no JSON of a GraphQL answer
        {"data":{"_entities":[{"price":1},{"price":2}]}
            .works[0]: stock: it is no JSON of a GraphQL answer
        {"data":{"_entities":[{"price":1}]}}
            .works[0]: stock: it does not answer what was asked
        {"data":{"_entities":[{"price":1},{"price":2},{"price":3}]}}
            .works[0]: stock: it does not answer what was asked
        {"data":{"_entities":[{"price":1,"price":2},{"price":2}]}}
            .works[0]: stock: it does not answer what was asked
        {"data":null}
            .works[0]: stock: it has neither data nor errors
        {}
            .works[0]: stock: it has neither data nor errors
    "#]]
    .assert_eq(&printed);
    check(
        text,
        &[("shop", BOOKS)],
        &expect![[r#"
        {"works":[{"title":"A \u00e4","price":null},{"title":"B"},{"title":"C","price":null},{"title":"D","price":null}]}
        .works[0]: stock: it cannot be reached"#]],
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
