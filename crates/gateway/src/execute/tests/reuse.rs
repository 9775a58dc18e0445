//! Reuse of earlier responses within a request, and where data is fetched again.

use super::*;

fn planned_here(text: &str, variables: &str) -> Planned {
    let supergraph = read(include_str!("reuse.graphql")).unwrap();
    planned_over(supergraph, text, variables, &Labels::default()).unwrap()
}

#[track_caller]
fn check(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    let (answer, sent) = run(&planned_here(text, "{}"), answers, Options::default());
    expected.assert_eq(&format!("{sent}{answer}"));
}

const FOUND: (&str, &str) = ("a", r#"{"data":{"found":[{"id":"1"}]}}"#);
const LISTED: (&str, &str) = ("b", r#"{"data":{"listed":[{"id":"1","rating":5}]}}"#);
const RATED: (&str, &str) = ("b", r#"{"data":{"_entities":[{"rating":7}]}}"#);

#[test]
fn what_its_subgraph_said_of_an_entity_is_not_asked_again() {
    check(
        "{ listed { id rating } found { rating } }",
        &[FOUND, LISTED],
        &expect![[r#"
        a {"query":"{found{id}}","variables":{}}
        b {"query":"{listed{id rating}}","variables":{}}
        {"listed":[{"id":"1","rating":5}],"found":[{"rating":5}]}"#]],
    );
}

#[test]
fn a_switch_has_all_asked() {
    let planned = planned_here("{ listed { id rating } found { rating } }", "{}");
    let options = Options { reuse: false, ..Options::default() };
    let (answer, sent) = run(&planned, &[FOUND, LISTED, RATED], options);
    assert_eq!(sent.lines().count(), 3, "{sent}");
    assert_eq!(answer, r#"{"listed":[{"id":"1","rating":5}],"found":[{"rating":7}]}"#);
}

#[test]
fn what_another_subgraph_said_is_asked() {
    check(
        "{ kept { id rate } loose { rate } }",
        &[
            ("a", r#"{"data":{"loose":[{"id":"1"}]}}"#),
            ("b", r#"{"data":{"kept":[{"id":"1","rate":5}]}}"#),
            ("c", r#"{"data":{"_entities":[{"rate":7}]}}"#),
        ],
        &expect![[r#"
            a {"query":"{loose{id}}","variables":{}}
            b {"query":"{kept{id rate}}","variables":{}}
            c {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Loose{rate}}}","variables":{"representations0":[{"__typename":"Loose","id":"1"}]}}
            {"kept":[{"id":"1","rate":5}],"loose":[{"rate":7}]}"#]],
    );
}

#[test]
fn an_entity_of_another_type_is_asked_for() {
    check(
        "{ listed { id rating } anything { ... on Item { rating } ... on Part { rating } } }",
        &[
            (
                "a",
                r#"{"data":{"anything":[{"__typename":"Part","id":"1"},{"__typename":"Item","id":"1"}]}}"#,
            ),
            LISTED,
            RATED,
        ],
        &expect![[r#"
            a {"query":"{anything{__typename id}}","variables":{}}
            b {"query":"{listed{id rating}}","variables":{}}
            b {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Item{rating}...on Part{rating}}}","variables":{"representations0":[{"__typename":"Part","id":"1"}]}}
            {"listed":[{"id":"1","rating":5}],"anything":[{"rating":7},{"rating":5}]}"#]],
    );
}

#[test]
fn an_entity_that_was_known_by_another_key_is_asked_for() {
    let coins = ("a", r#"{"data":{"coins":[{"code":"1"}]}}"#);
    let worth = ("b", r#"{"data":{"_entities":[{"worth":7}]}}"#);
    check(
        "{ minted { id worth } coins { worth } }",
        &[coins, ("b", r#"{"data":{"minted":[{"id":"1","worth":5}]}}"#), worth],
        &expect![[r#"
            a {"query":"{coins{code}}","variables":{}}
            b {"query":"{minted{id worth}}","variables":{}}
            b {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Coin{worth}}}","variables":{"representations0":[{"__typename":"Coin","code":"1"}]}}
            {"minted":[{"id":"1","worth":5}],"coins":[{"worth":7}]}"#]],
    );
    check(
        "{ minted { id code worth } coins { worth } }",
        &[coins, ("b", r#"{"data":{"minted":[{"id":"1","code":"2","worth":5}]}}"#), worth],
        &expect![[r#"
            a {"query":"{coins{code}}","variables":{}}
            b {"query":"{minted{id code worth}}","variables":{}}
            b {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Coin{worth}}}","variables":{"representations0":[{"__typename":"Coin","code":"1"}]}}
            {"minted":[{"id":"1","code":"2","worth":5}],"coins":[{"worth":7}]}"#]],
    );
    check(
        "{ minted { code worth } coins { worth } }",
        &[coins, ("b", r#"{"data":{"minted":[{"code":"1","worth":5}]}}"#)],
        &expect![[r#"
            a {"query":"{coins{code}}","variables":{}}
            b {"query":"{minted{code worth}}","variables":{}}
            {"minted":[{"code":"1","worth":5}],"coins":[{"worth":5}]}"#]],
    );
}

#[test]
fn another_field_is_asked_for() {
    check(
        "{ listed { id rating } found { votes } }",
        &[FOUND, LISTED, ("b", r#"{"data":{"_entities":[{"votes":7}]}}"#)],
        &expect![[r#"
            a {"query":"{found{id}}","variables":{}}
            b {"query":"{listed{id rating}}","variables":{}}
            b {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Item{votes}}}","variables":{"representations0":[{"__typename":"Item","id":"1"}]}}
            {"listed":[{"id":"1","rating":5}],"found":[{"votes":7}]}"#]],
    );
}

#[test]
fn arguments_are_the_same_if_the_client_says_them_in_the_same_way() {
    let text = "query ($one: Int, $other: Int) { listed { id rating(scale: $one) } found { rating(scale: ARGUMENT) } }";
    for (argument, sent) in [("$one", 2), ("$other", 3), ("3", 3)] {
        let text = text.replace("ARGUMENT", argument);
        let text = if argument == "$other" { text } else { text.replace(", $other: Int", "") };
        let planned = planned_here(&text, r#"{"one":3,"other":4}"#);
        let (answer, all) = run(&planned, &[FOUND, LISTED, RATED], Options::default());
        assert_eq!(all.lines().count(), sent, "{all}");
        let rating = if sent == 2 { 5 } else { 7 };
        assert!(answer.ends_with(&format!(r#""found":[{{"rating":{rating}}}]}}"#)), "{answer}");
    }
}

#[test]
fn what_was_told_something_else_beside_the_key_is_asked() {
    // The friend is the item itself with the same weight; then with another.
    for weight in [3, 4] {
        let planned = planned_here("{ found { shipping } hub { friend { shipping } } }", "{}");
        let friend =
            format!(r#"{{"data":{{"_entities":[{{"friend":{{"id":"1","weight":{weight}}}}}]}}}}"#);
        let answers = [
            ("a", r#"{"data":{"found":[{"id":"1","weight":3}],"hub":{"id":"9"}}}"#),
            ("b", r#"{"data":{"_entities":[{"shipping":30}]}}"#),
            ("c", friend.as_str()),
            ("b", r#"{"data":{"_entities":[{"shipping":40}]}}"#),
        ];
        let (answer, sent) = run(&planned, &answers, Options::default());
        let asked = sent.lines().filter(|line| line.starts_with("b ")).count();
        assert_eq!(asked, weight - 2, "{sent}");
        let shipping = weight * 10;
        assert_eq!(
            answer,
            format!(
                r#"{{"found":[{{"shipping":30}}],"hub":{{"friend":{{"shipping":{shipping}}}}}}}"#
            )
        );
    }
}

#[test]
fn a_change_may_have_changed_all() {
    check(
        "mutation { touch(id: 1) { id rating } mark(id: 1) { rating } }",
        &[
            ("b", r#"{"data":{"touch":{"id":"1","rating":5}}}"#),
            ("a", r#"{"data":{"mark":{"id":"1"}}}"#),
            RATED,
        ],
        &expect![[r#"
            b {"query":"mutation{touch(id:\"1\"){id rating}}","variables":{}}
            a {"query":"mutation{mark(id:\"1\"){id}}","variables":{}}
            b {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on Item{rating}}}","variables":{"representations0":[{"__typename":"Item","id":"1"}]}}
            {"touch":{"id":"1","rating":5},"mark":{"rating":7}}"#]],
    );
}

#[test]
fn what_came_with_an_error_is_asked_again() {
    for listed in [
        r#"{"errors":[{"message":"no rating","path":["listed",0,"rating"]}],"data":{"listed":[{"id":"1","rating":null}]}}"#,
        r#"{"data":{"listed":[{"id":"1","rating":"five"}]}}"#,
        r#"{"data":{"listed":[{"id":"1"}]}}"#,
        // The error is of another object.
        r#"{"data":{"listed":[{"id":"1","rating":5},{"id":"2","rating":[]}]}}"#,
    ] {
        let planned = planned_here("{ listed { id rating } found { rating } }", "{}");
        let answers = [FOUND, ("b", listed), RATED];
        let (answer, sent) = run(&planned, &answers, Options::default());
        assert_eq!(sent.lines().count(), 3, "{listed} {sent}");
        let (data, errors) = answer.split_once('\n').unwrap();
        assert!(data.ends_with(r#""found":[{"rating":7}]}"#), "{listed} {answer}");
        assert_eq!(errors.lines().count(), 1, "{listed} {answer}");
    }
}

#[test]
fn a_null_that_nobody_complains_of_is_a_value() {
    check(
        "{ listed { id rating } found { rating } }",
        &[FOUND, ("b", r#"{"data":{"listed":[{"id":"1","rating":null}]}}"#)],
        &expect![[r#"
            a {"query":"{found{id}}","variables":{}}
            b {"query":"{listed{id rating}}","variables":{}}
            {"listed":[{"id":"1","rating":null}],"found":[{"rating":null}]}"#]],
    );
}

/// Subgraphs that yield before they respond.
struct Waiting<'c>(Canned<'c>);

impl Subgraphs for Waiting<'_> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let mut has_waited = false;
        let wait = std::future::poll_fn(|context| {
            if std::mem::replace(&mut has_waited, true) {
                return std::task::Poll::Ready(());
            }
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        });
        wait.await;
        self.0.fetch(request).await
    }
}

#[test]
fn two_requests_of_one_plan_share_nothing() {
    const TEXT: &str = "{ listed { id rating } found { rating } }";
    let planned = planned_here(TEXT, "{}");
    let answers = |id: u32, rating: u32| {
        let found = format!(r#"{{"data":{{"found":[{{"id":"{id}"}}]}}}}"#);
        let listed = format!(r#"{{"data":{{"listed":[{{"id":"1","rating":{rating}}}]}}}}"#);
        let known = format!(r#"{{"data":{{"_entities":[{{"rating":{rating}0}}]}}}}"#);
        [("a", found), ("b", listed), ("b", known)]
    };
    let all = [answers(1, 5), answers(2, 6), answers(3, 7), answers(1, 8)];
    let alone = all.each_ref().map(|answers| {
        let answers = answers.each_ref().map(|(name, text)| (*name, text.as_str()));
        let fresh = run(&planned_here(TEXT, "{}"), &answers, Options::default());
        // One after the other.
        assert_eq!(run(&planned, &answers, Options::default()), fresh);
        fresh
    });
    // Concurrently.
    let Planned { supergraph, operation, variables, plan } = &planned;
    let waiting = all.each_ref().map(|answers| {
        let answers = answers.each_ref().map(|(name, text)| (*name, text.as_bytes())).to_vec();
        let answers = RefCell::new(answers);
        Waiting(Canned { supergraph, answers, give: as_json, sent: RefCell::default() })
    });
    let inputs = Inputs { supergraph, operation, plan, variables };
    let running = waiting.iter().map(|subgraphs| async move {
        let mut observed = ExecutionStatistics::default();
        let options = Options::default();
        let mut executed =
            execute(inputs, subgraphs, options, MemoryReservation::default(), &mut observed).await;
        let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default());
        let sink = write(supergraph, plan, &mut executed, &Literals::new(), sink).unwrap();
        let printed = String::from_utf8(sink.into_parts().0).unwrap();
        assert!(executed.into_errors().is_empty());
        (printed, subgraphs.0.sent.take())
    });
    let mut together = futures_util::future::join_all(running);
    let mut polls = 1;
    let together = loop {
        match (&mut together).now_or_never() {
            Some(together) => break together,
            None => polls += 1,
        }
    };
    assert!(polls > 2, "all wait for each other");
    assert_eq!(together, alone);
}
