mod arbitrary;
mod contexts;
mod denied;
mod duplicates;
mod faults;
mod partial;
mod recorded;
mod reuse;
mod subscriptions;

use std::cell::RefCell;
use std::fmt::Write;

use bytes::Bytes;
use expect_test::{Expect, expect};
use futures_util::FutureExt;
use response::Sink;

use super::*;
use crate::planner::Labels;
use crate::test_supergraph::{Planned, odd, planned, planned_over};
use supergraph::{Supergraph, read};

/// Subgraphs with canned responses, by their names.
struct Canned<'c> {
    supergraph: &'c Supergraph,
    answers: RefCell<Vec<(&'c str, &'c [u8])>>,
    /// Format of the responses.
    give: fn(&[u8]) -> FetchResponse,
    /// The requests sent.
    sent: RefCell<String>,
}

impl Subgraphs for Canned<'_> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let name = &*self.supergraph.subgraph(request.subgraph).name;
        let body = String::from_utf8(request.body.to_vec()).unwrap();
        writeln!(self.sent.borrow_mut(), "{name} {body}").unwrap();
        let mut answers = self.answers.borrow_mut();
        let place =
            answers.iter().position(|(of, _)| *of == name).ok_or(FetchError::Unavailable)?;
        Ok((self.give)(answers.remove(place).1))
    }
}

fn answered(text: &str, variables: &str, answers: &[(&str, &str)]) -> (String, String) {
    run(&planned(text, variables).unwrap(), answers, Options::default())
}

fn run(planned: &Planned, answers: &[(&str, &str)], options: Options) -> (String, String) {
    let answers: Vec<_> = answers.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    run_bytes(planned, &answers, options)
}

fn run_bytes(planned: &Planned, answers: &[(&str, &[u8])], options: Options) -> (String, String) {
    run_given(planned, answers, options, as_json)
}

fn as_json(bytes: &[u8]) -> FetchResponse {
    Bytes::copy_from_slice(bytes).into()
}

fn run_given(
    planned: &Planned,
    answers: &[(&str, &[u8])],
    options: Options,
    give: fn(&[u8]) -> FetchResponse,
) -> (String, String) {
    let Planned { supergraph, operation, variables, plan } = planned;
    let answers = RefCell::new(answers.to_vec());
    let canned = Canned { supergraph, answers, give, sent: RefCell::default() };
    let inputs = Inputs { supergraph, operation, plan, variables };
    let mut observed = ExecutionStatistics::default();
    let running = execute(inputs, &canned, options, MemoryReservation::default(), &mut observed);
    let mut executed = running.now_or_never().unwrap();
    let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default());
    let sink = write(supergraph, plan, &mut executed, &Literals::new(), sink).unwrap();
    let mut printed = String::from_utf8(sink.into_parts().0).unwrap();
    for error in &executed.into_errors() {
        let path = error.path.iter().map(|step| match step {
            Step::Key(key) => format!(".{key}"),
            Step::Index(index) => format!("[{index}]"),
        });
        let path: String = path.collect();
        let told = match &error.kind {
            ErrorKind::Subgraph { subgraph, message, .. } => {
                format!("{} says {message}", supergraph.subgraph(*subgraph).name)
            }
            ErrorKind::FetchFailed { subgraph, why, .. } => {
                format!("{}: {why}", supergraph.subgraph(*subgraph).name)
            }
            ErrorKind::InvalidResponse { subgraph, why } => {
                format!("{}: {why}", supergraph.subgraph(*subgraph).name)
            }
            ErrorKind::Null { parent, field } => {
                format!("null for {}.{field}", supergraph.schema[*parent].name)
            }
            ErrorKind::Missing { parent, field } => {
                format!("nobody has {}.{field}", supergraph.schema[*parent].name)
            }
            ErrorKind::Denied { parent, field } => {
                let parent = &supergraph.schema[*parent].name;
                let location = error.location.unwrap();
                format!("{parent}.{field} is denied at {}:{}", location.line, location.column)
            }
            ErrorKind::Value { field } => format!("{field} is not of its type"),
            ErrorKind::More { count } => format!("{count} more"),
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
fn fields_of_each_type_stand_in_the_order_of_their_first_occurrence() {
    check(
        "{ works { ... on Book { title isbn } ... on Film { minutes title } } }",
        &[(
            "shop",
            r#"{"data":{"works":[{"__typename":"Book","title":"A","isbn":"1"},
                {"__typename":"Film","title":"B","minutes":90}]}}"#,
        )],
        &expect![[r#"{"works":[{"title":"A","isbn":"1"},{"minutes":90,"title":"B"}]}"#]],
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
fn many_representations_are_sent_as_several_requests() {
    let planned = planned("{ works { ... on Book { price } } }", "{}").unwrap();
    let answers = [
        ("shop", BOOKS),
        ("stock", r#"{"data":{"_entities":[{"price":1}]}}"#),
        ("stock", r#"{"data":{"_entities":[{"price":1},{"price":2}]}}"#),
    ];
    let options = Options { max_representations: 1, ..Options::default() };
    let (answer, sent) = run(&planned, &answers, options);
    expect![[r#"
        shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
        stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
        stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"2"}]}}
        {"works":[{"price":1},{},{"price":null},{"price":1}]}
        .works[2].price: stock: its response does not have the 1 requested entities"#]].assert_eq(&format!("{sent}{answer}"));
}

#[test]
fn what_was_answered_already_is_not_asked_again() {
    // The price of a book is known if the root was asked for it, and from a list that occurs twice.
    check_sent(
        "{ cheapest { title price } book(isbn: 2) { price } works { ... on Book { price } } }",
        "{}",
        &[
            (
                "shop",
                r#"{"data":{"book":{"isbn":"2"},"works":[{"__typename":"Book","isbn":"1"},{"__typename":"Book","isbn":"2"}]}}"#,
            ),
            ("stock", r#"{"data":{"cheapest":{"price":1,"isbn":"1"}}}"#),
            ("stock", r#"{"data":{"_entities":[{"price":2}]}}"#),
            ("shop", r#"{"data":{"_entities":[{"title":"A"}]}}"#),
        ],
        &expect![[r#"
            shop {"query":"{book(isbn:\"2\"){isbn}works{__typename...on Book{isbn}}}","variables":{}}
            stock {"query":"{cheapest{price isbn}}","variables":{}}
            shop {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{title}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"2"}]}}
            {"cheapest":{"title":"A","price":1},"book":{"price":2},"works":[{"price":1},{"price":2}]}"#]],
    );
}

/// The query of the published benchmark of gateways, without its fragments.
const SHOP: &str = "{
  users { id username name reviews { id body product { inStock name price shippingEstimate upc weight
    reviews { id body author { id username name reviews { id body product { inStock name price shippingEstimate upc weight } } } } } } }
  topProducts { inStock name price shippingEstimate upc weight
    reviews { id body author { id username name reviews { id body product { inStock name price shippingEstimate upc weight } } } } }
}";

/// Reviews of a user, with their products.
const WRITTEN: &str = r#"[{"id":"r1","body":"Good.","product":{"upc":"1"}}]"#;

/// Responses of the subgraphs if one review is of the product with this `upc`.
fn shop_answers(upc: &str) -> Vec<(&'static str, String)> {
    let written = WRITTEN.replace("\"upc\":\"1\"", &format!("\"upc\":\"{upc}\""));
    let author = format!(r#"{{"id":"7","username":"ada","reviews":{written}}}"#);
    let of_product = format!(r#"[{{"id":"r1","body":"Good.","author":{author}}}]"#);
    let of_user = format!(
        r#"[{{"id":"r1","body":"Good.","product":{{"upc":"{upc}","reviews":{of_product}}}}}]"#
    );
    vec![
        ("accounts", r#"{"data":{"users":[{"id":"7","username":"ada","name":"Ada"}]}}"#.to_owned()),
        ("products", r#"{"data":{"topProducts":[{"upc":"1","name":"Table","price":3,"weight":4},{"upc":"2","name":"Chair","price":5,"weight":6}]}}"#.to_owned()),
        ("inventory", r#"{"data":{"_entities":[{"inStock":true,"shippingEstimate":1},{"inStock":false,"shippingEstimate":2}]}}"#.to_owned()),
        ("reviews", format!(r#"{{"data":{{"_entities":[{{"reviews":{of_user}}},{{"reviews":{of_product}}},{{"reviews":[]}}]}}}}"#)),
        ("products", r#"{"data":{"_entities":[{"name":"Lamp","price":8,"weight":9}]}}"#.to_owned()),
        ("inventory", r#"{"data":{"_entities":[{"inStock":true,"shippingEstimate":3}]}}"#.to_owned()),
    ]
}

fn shop(answers: &[(&str, String)], options: Options) -> (String, Vec<String>) {
    let supergraph = read(include_str!("tests/shop.graphql")).unwrap();
    let planned = planned_over(supergraph, SHOP, "{}", &Labels::default()).unwrap();
    assert_eq!((planned.plan.fetches.len(), planned.plan.chain), (7, 4), "planned");
    let answers: Vec<_> = answers.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (answer, sent) = run(&planned, &answers, options);
    let names = sent.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned());
    (answer, names.collect())
}

#[test]
fn of_seven_requests_of_the_shop_four_are_sent() {
    let (answer, sent) = shop(&shop_answers("1"), Options::default());
    expect![[r#"
        ["accounts", "products", "inventory", "reviews"]
        {"users":[{"id":"7","username":"ada","name":"Ada","reviews":[{"id":"r1","body":"Good.","product":{"inStock":true,"name":"Table","price":3,"shippingEstimate":1,"upc":"1","weight":4,"reviews":[{"id":"r1","body":"Good.","author":{"id":"7","username":"ada","name":"Ada","reviews":[{"id":"r1","body":"Good.","product":{"inStock":true,"name":"Table","price":3,"shippingEstimate":1,"upc":"1","weight":4}}]}}]}}]}],"topProducts":[{"inStock":true,"name":"Table","price":3,"shippingEstimate":1,"upc":"1","weight":4,"reviews":[{"id":"r1","body":"Good.","author":{"id":"7","username":"ada","name":"Ada","reviews":[{"id":"r1","body":"Good.","product":{"inStock":true,"name":"Table","price":3,"shippingEstimate":1,"upc":"1","weight":4}}]}}]},{"inStock":false,"name":"Chair","price":5,"shippingEstimate":2,"upc":"2","weight":6,"reviews":[]}]}"#]].assert_eq(&format!("{sent:?}\n{answer}"));
    // Each is fetched, and the response is the same.
    let mut answers = shop_answers("1");
    answers.truncate(4);
    answers.push(("accounts", r#"{"data":{"_entities":[{"name":"Ada"}]}}"#.to_owned()));
    answers.push((
        "products",
        r#"{"data":{"_entities":[{"name":"Table","price":3,"weight":4}]}}"#.to_owned(),
    ));
    answers.push((
        "inventory",
        r#"{"data":{"_entities":[{"inStock":true,"shippingEstimate":1}]}}"#.to_owned(),
    ));
    let (again, sent) = shop(&answers, Options { reuse: false, ..Options::default() });
    assert_eq!((again, sent.len()), (answer, 7));
}

#[test]
fn of_another_product_of_the_shop_two_subgraphs_are_asked_again() {
    let (answer, sent) = shop(&shop_answers("3"), Options::default());
    expect![[r#"
        ["accounts", "products", "inventory", "reviews", "products", "inventory"]
        {"users":[{"id":"7","username":"ada","name":"Ada","reviews":[{"id":"r1","body":"Good.","product":{"inStock":true,"name":"Lamp","price":8,"shippingEstimate":3,"upc":"3","weight":9,"reviews":[{"id":"r1","body":"Good.","author":{"id":"7","username":"ada","name":"Ada","reviews":[{"id":"r1","body":"Good.","product":{"inStock":true,"name":"Lamp","price":8,"shippingEstimate":3,"upc":"3","weight":9}}]}}]}}]}],"topProducts":[{"inStock":true,"name":"Table","price":3,"shippingEstimate":1,"upc":"1","weight":4,"reviews":[{"id":"r1","body":"Good.","author":{"id":"7","username":"ada","name":"Ada","reviews":[{"id":"r1","body":"Good.","product":{"inStock":true,"name":"Lamp","price":8,"shippingEstimate":3,"upc":"3","weight":9}}]}}]},{"inStock":false,"name":"Chair","price":5,"shippingEstimate":2,"upc":"2","weight":6,"reviews":[]}]}"#]].assert_eq(&format!("{sent:?}\n{answer}"));
}

#[test]
fn what_was_asked_with_other_arguments_is_asked_for() {
    check_sent(
        "{ cheapest { title price(currency: EUR) } works { ... on Book { price(currency: USD) } } }",
        "{}",
        &[
            ("stock", r#"{"data":{"cheapest":{"price":1,"isbn":"1"}}}"#),
            ("shop", r#"{"data":{"works":[{"__typename":"Book","isbn":"1"}]}}"#),
            ("shop", r#"{"data":{"_entities":[{"title":"A"}]}}"#),
            ("stock", r#"{"data":{"_entities":[{"price":2}]}}"#),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            stock {"query":"{cheapest{price(currency:EUR)isbn}}","variables":{}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price(currency:USD)}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
            shop {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{title}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
            {"cheapest":{"title":"A","price":1},"works":[{"price":2}]}"#]],
    );
}

#[test]
fn nothing_is_taken_of_an_answer_with_an_error() {
    check_sent(
        "{ cheapest { price stars } works { ... on Book { price } } }",
        "{}",
        &[
            (
                "stock",
                r#"{"errors":[{"message":"half","path":["cheapest"]}],"data":{"cheapest":{"price":1,"isbn":"1"}}}"#,
            ),
            ("shop", r#"{"data":{"works":[{"__typename":"Book","isbn":"1"}]}}"#),
            ("stock", r#"{"data":{"_entities":[{"price":2}]}}"#),
            ("talk", r#"{"data":{"_entities":[{"stars":3}]}}"#),
        ],
        &expect![[r#"
            shop {"query":"{works{__typename...on Book{isbn}}}","variables":{}}
            stock {"query":"{cheapest{price isbn}}","variables":{}}
            stock {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{price}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
            talk {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Book{stars}}}","variables":{"representations0":[{"__typename":"Book","isbn":"1"}]}}
            {"cheapest":{"price":1,"stars":3},"works":[{"price":2}]}
            .cheapest: stock says half"#]],
    );
}

#[track_caller]
fn check_odd(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    let planned = planned_over(odd(), text, "{}", &Labels::default()).unwrap();
    let (answer, sent) = run(&planned, answers, Options::default());
    expected.assert_eq(&format!("{sent}{answer}"));
}

#[test]
fn an_object_without_a_key_is_not_asked_for() {
    check_odd(
        "{ thing { cheap } }",
        &[("a", r#"{"data":{"thing":{"id":null,"cost":3}}}"#)],
        &expect![[r#"
            a {"query":"{thing{id cost(unit:\"cent\")}}","variables":{}}
            {"thing":{"cheap":null}}"#]],
    );
}

#[test]
fn objects_of_types_that_clients_do_not_see_are_null() {
    check_odd(
        "{ shown { id } }",
        &[(
            "a",
            r#"{"data":{"shown":[{"__typename":"Unseen","id":"1"},{"__typename":"Seen","id":"2"}]}}"#,
        )],
        &expect![[r#"
            a {"query":"{shown{__typename id}}","variables":{}}
            {"shown":[null,{"id":"2"}]}"#]],
    );
}

#[test]
fn lists_of_which_two_subgraphs_say_different_lengths_are_not_put_together() {
    let text = "{ parts { a b } }";
    let b = r#"{"data":{"parts":[{"b":3},{"b":4}]}}"#;
    let equal = ("a", r#"{"data":{"parts":[{"a":1},{"a":2}]}}"#);
    check_odd(
        text,
        &[equal, ("b", b)],
        &expect![[r#"
        a {"query":"{parts{a}}","variables":{}}
        b {"query":"{parts{b}}","variables":{}}
        {"parts":[{"a":1,"b":3},{"a":2,"b":4}]}"#]],
    );
    check_odd(
        text,
        &[("a", r#"{"data":{"parts":[{"a":1}]}}"#), ("b", b)],
        &expect![[r#"
            a {"query":"{parts{a}}","variables":{}}
            b {"query":"{parts{b}}","variables":{}}
            {"parts":[{"a":1,"b":null}]}
            .parts[0].b: b: its response does not have the form of the request"#]],
    );
}

#[test]
fn the_root_within_an_answer_is_filled_by_whoever_has_its_fields() {
    check_odd(
        "{ again { query { onlyA } } }",
        &[
            ("b", r#"{"data":{"again":{"query":{"__typename":"Query"}}}}"#),
            ("a", r#"{"data":{"onlyA":5}}"#),
        ],
        &expect![[r#"
            b {"query":"{again{query{__typename}}}","variables":{}}
            a {"query":"{onlyA}","variables":{}}
            {"again":{"query":{"onlyA":5}}}"#]],
    );
}
