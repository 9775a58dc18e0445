//! Calls and responses of an event-driven subgraph.

use expect_test::{Expect, expect};
use graphql::operation::OperationKind;
use graphql::variables::Variables;
use graphql::{Request, Validator, coerce_variable_values};
use serde_json_bytes::Value as Json;
use supergraph::{SubgraphId, Supergraph};

use super::*;
use crate::outline::Parts;
use crate::plan::{Document, Fetch};

const SUPERGRAPH: &str = include_str!("tests.graphql");
const EVENTS: &str = include_str!("tests.events.graphqls");
const SUBGRAPH: SubgraphId = SubgraphId(1);

fn supergraph() -> Supergraph {
    supergraph::read(SUPERGRAPH).unwrap()
}

/// A document of the subgraph, with the variables of its client.
struct Called {
    supergraph: Supergraph,
    subgraph: EventSubgraph,
    fetch: EventFetch,
    variables: Variables,
}

impl Called {
    fn new(text: &str, variables: &str) -> Self {
        let supergraph = supergraph();
        let subgraph = read(&supergraph, SUBGRAPH, EVENTS).unwrap();
        let validator = Validator::new(&supergraph.schema);
        let fetch = Fetch {
            subgraph: SUBGRAPH,
            kind: OperationKind::Query,
            needs: Vec::new(),
            level: 1,
            parts: Parts::ALL,
            root: None,
            entities: Vec::new(),
            document: Document { text: text.into(), ..Document::default() },
        };
        let fetch = EventFetch::new(&validator, &supergraph, &fetch).unwrap();
        let body = [r#"{"query":"","variables":"#, variables, "}"].concat();
        let request = Request::from_json(body.as_bytes()).unwrap();
        let limits = graphql::DocumentLimits::default();
        let client = validator.operation(&supergraph.schema, text, None, &limits).unwrap();
        let given = coerce_variable_values(&supergraph.schema, &client, &request.variables);
        let variables = fetch.variables(&client, &given.unwrap());
        Self { supergraph, subgraph, fetch, variables }
    }

    fn calls(&self) -> Vec<Call<'_>> {
        self.fetch.calls(&self.subgraph, &self.supergraph, &self.variables).unwrap()
    }
}

/// Compares topics and payloads of all calls.
#[track_caller]
fn check_calls(text: &str, variables: &str, expected: &Expect) {
    let called = Called::new(text, variables);
    let lines = called.calls().into_iter().map(|call| {
        let topics = call.topics().map_err(|error| error.to_string());
        let payload = String::from_utf8(call.payload().to_vec()).unwrap();
        let Provider { kind, id } = &call.field.provider;
        format!("{} {id} {topics:?} {payload}\n", kind.name())
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[track_caller]
fn check_response(text: &str, event: &str, expected: Result<&str, crate::execute::EventError>) {
    let called = Called::new(text, "{}");
    let calls = called.calls();
    let response =
        called.fetch.response(&called.supergraph, &called.variables, &calls[0], event.as_bytes());
    let response = response.map(|response| String::from_utf8(response.to_vec()).unwrap());
    if let Ok(response) = &response {
        serde_json_bytes::serde_json::from_str::<Json>(response).unwrap();
    }
    assert_eq!(response, expected.map(str::to_owned));
}

#[track_caller]
fn check_problems(changes: &[(&str, &str)], expected: &Expect) {
    let mut text = EVENTS.to_owned();
    for (before, after) in changes {
        assert!(text.contains(before), "{before}");
        text = text.replace(before, after);
    }
    let problems = read(&supergraph(), SUBGRAPH, &text).unwrap_err();
    let lines = problems.iter().map(|problem| format!("{problem}\n"));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn arguments_are_parts_of_topics_and_the_payload() {
    check_calls(
        "query ($id: ID!) { a: found(id: $id) { id } found(id: 7) { id } }",
        r#"{"id":"k"}"#,
        &expect![[r#"
            nats default Ok(["employees.get.k"]) {"id":"k"}
            nats default Ok(["employees.get.7"]) {"id":"7"}
        "#]],
    );
    check_calls(
        "mutation ($n: String) { update(id: 3, update: { name: $n }) { success } }",
        r#"{"n":"A"}"#,
        &expect![[r#"
            nats second Ok(["employees.3.ONE"]) {"id":3,"update":{"name":"A","level":"ONE"}}
        "#]],
    );
    check_calls(
        "subscription { updated(id: 3) { id } }",
        "{}",
        &expect![[r#"
            nats default Ok(["all", "employees.3.*"]) {"id":3}
        "#]],
    );
    check_calls(
        "subscription { any { id } }",
        "{}",
        &expect![[r#"
            redis default Ok(["x:*"]) {"prefix":"x"}
        "#]],
    );
    check_calls(
        "subscription { any(prefix: \"*\", ids: [1]) { id } }",
        "{}",
        &expect![[r#"
            redis default Ok(["\\*:*"]) {"ids":[1],"prefix":"*"}
        "#]],
    );
    check_calls(
        "query { found(id: \"a.>\") { id } }",
        "{}",
        &expect![[r#"
            nats default Err("The argument \"id\" is part of a subject, and is empty, or contains a dot, a wildcard or white space.") {"id":"a.>"}
        "#]],
    );
}

#[test]
fn a_response_has_the_selected_members_of_an_event() {
    use crate::execute::EventError;
    let text = "subscription { e: updated(id: 3) { key: id __typename } }";
    let response = r#"{"data":{"e":{"key":3,"__typename":"Employee"}}}"#;
    check_response(text, r#"{"__typename":"Employee","id":3,"more":[1]}"#, Ok(response));
    check_response(text, r#" { "id" : 3 } "#, Ok(response));
    check_response(text, "{}", Ok(r#"{"data":{"e":{"__typename":"Employee"}}}"#));
    check_response(text, "null", Ok(r#"{"data":{"e":null}}"#));
    check_response(text, "7", Ok(r#"{"data":{"e":7}}"#));
    check_response(text, r#"{"__typename":"Visitor","id":3}"#, Err(EventError::OtherType));
    check_response(text, r#"{"__typename":7,"id":3}"#, Err(EventError::OtherType));
    for wrong in ["", "{", "{\"id\":3}}", "id", "\u{1}"] {
        check_response(text, wrong, Err(EventError::InvalidJson));
    }
    let text =
        "subscription { seen { __typename ... on Visitor { of { id } } ... on Employee { id } } }";
    let event = r#"{"of":{"id":"a","x":1},"__typename":"Visitor"}"#;
    let response = r#"{"data":{"seen":{"__typename":"Visitor","of":{"id":"a"}}}}"#;
    check_response(text, event, Ok(response));
    check_response(text, r#"{"id":3}"#, Err(EventError::NoTypename));
    check_response(text, r#"{"__typename":"Badge"}"#, Err(EventError::OtherType));
}

#[test]
fn a_filter_reads_arguments() {
    let called = Called::new("subscription { any(ids: [1, 2]) { id } }", "{}");
    let calls = called.calls();
    assert!(calls[0].accepts(br#"{"id":2}"#));
    assert!(!calls[0].accepts(br#"{"id":3}"#));
    let consumer = match &Called::new("subscription { updated(id: 1) { id } }", "{}").calls()[0]
        .field
        .action
    {
        Action::Subscribe { consumer, .. } => consumer.clone(),
        other => panic!("{other:?}"),
    };
    let expected = Consumer { stream: "s".into(), name: "c".into(), inactive_threshold: 30 };
    assert_eq!(consumer, Some(expected));
}

#[test]
fn wrong_schemas_are_refused_with_all_problems() {
    check_problems(
        &[
            ("@edfs__natsRequest(subject: \"employees.get.{{ args.id }}\")", ""),
            ("{{ args.update.level }}", "{{ args.update.none }}"),
            ("subjects: [\"seen\"]", "subjects: []"),
            ("values: [\"{{ args.ids }}\"]", "values: [\"{{ args.no }}\"]"),
            ("consumerName: \"c\"", "consumerName: \"c.d\""),
        ],
        &expect![[r#"
            line 4: the field `found` has no event directive
            line 9: the field has no argument `update.none`
            line 14: `streamConfiguration`: `consumerName` cannot be used
            line 19: the field has no argument `no`
            line 21: `@edfs__natsSubscribe` has the argument `subjects`, a list of strings
        "#]],
    );
    check_problems(
        &[
            ("@edfs__natsPublish(subject", "@edfs__redisPublish(subject"),
            ("@edfs__redisSubscribe(channels:", "@edfs__kafkaSubscribe(topics:"),
            ("subjects: [\"old\"]", "subjects: [\"old\"], more: 1"),
            ("seen: Seen! @edfs__natsSubscribe(subjects: [\"seen\"])", ""),
            ("subject: \"employees.get", "subject: \"*.get"),
        ],
        &expect![[r#"
            the schema of events has no field `Subscription.seen`
            line 4: `*.get.{{ args.id }}` is no subject
            line 9: `@edfs__redisPublish` has the argument `channel`
            line 19: `@edfs__kafkaSubscribe`: Kafka is not supported
            line 22: `@edfs__natsSubscribe` has no argument `more` of this type
        "#]],
    );
    check_problems(
        &[
            ("edfs__PublishResult!", "Employee!"),
            (
                "seen: Seen! @edfs__nats",
                "seen: Seen! @edfs__natsPublish(subject: \"a\") @edfs__nats",
            ),
        ],
        &expect![[r#"
            line 8: the field `update` is not of the type `edfs__PublishResult!`
            line 21: the field `seen` has several event directives
        "#]],
    );
    let resolvable = SUPERGRAPH.replace("key: \"id\", resolvable: false", "key: \"id\"");
    let problems = read(&supergraph::read(&resolvable).unwrap(), SUBGRAPH, EVENTS).unwrap_err();
    let expected = "a key of the type `Employee` needs `resolvable: false` in a subgraph of events";
    assert_eq!(problems[0].to_string(), expected);
}
