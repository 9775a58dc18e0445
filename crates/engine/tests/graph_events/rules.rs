//! Authentication and authorization of subscribers, for each event.

use engine::Caller;
use serde_json::{Value, json};
use serde_json_bytes::json as claims;

use super::{caller, next_event, on_graph};
use crate::live::{assert_silent, request, subscribe};

const TYPES: &str = r#"
    extend schema @subscription
    type Claims @jwt { roles: [String!] @jwtClaim(path: "realm.roles") }
    type Note @node
        @subscriptionsAuthorization(filter: [
            { events: [CREATED, UPDATED], where: { node: { owner: { eq: "$jwt.sub" } } } }
            { events: [CREATED], requireAuthentication: false, where: { node: { isPublic: { eq: true } } } }
            { where: { jwt: { roles: { includes: "admin" } } } }
        ]) {
        text: String!
        owner: String
        isPublic: Boolean
        secret: String @authentication(operations: [READ])
        hidden: String @authentication(operations: [SUBSCRIBE])
    }
    type Closed @node @authentication(operations: [SUBSCRIBE]) { text: String }
    type Tenant @node(labels: ["Tenant", "$jwt.tenant"]) { name: String }
"#;

const CREATED: &str = "subscription { noteCreated { createdNote { text } } }";

#[tokio::test]
async fn rules_hide_events() {
    on_graph(TYPES, |served| async move {
        let ann = caller(claims!({ "sub": "ann" }));
        let admin = caller(claims!({ "sub": "x", "realm": { "roles": ["admin"] } }));
        let none = Caller::default();
        let each = |query: &str| [&ann, &admin, &none].map(|who| subscribe(&served.worker, query, who));
        let mut created = each(CREATED);
        let mut updated = each("subscription { noteUpdated { updatedNote { text owner } } }");
        let mut deleted = each("subscription { noteDeleted { deletedNote { text } } }");
        served
            .change(
                "mutation { createNotes(input: [{ text: \"a\", owner: \"ann\" },
                    { text: \"b\", owner: \"bob\" }, { text: \"c\", isPublic: true }]) {
                    info { nodesCreated } } }",
            )
            .await;
        for (responses, texts) in created.iter_mut().zip([&["a", "c"][..], &["a", "b", "c"], &["c"]]) {
            for text in texts {
                assert_eq!(next_event(responses).await, json!({ "createdNote": { "text": text } }));
            }
            assert_silent(responses).await;
        }
        // The rules are about the previous owner, as conditions are.
        served
            .change("mutation { updateNotes(where: { text: { in: [\"a\", \"b\"] } }, update: { owner: { set: \"eve\" } }) { info { nodesCreated } } }")
            .await;
        let event = |text: &str| json!({ "updatedNote": { "text": text, "owner": "eve" } });
        let [of_ann, of_admin, of_none] = &mut updated;
        assert_eq!(next_event(of_ann).await, event("a"));
        let mut texts = [next_event(of_admin).await, next_event(of_admin).await];
        texts.sort_by_key(Value::to_string);
        assert_eq!(texts, [event("a"), event("b")]);
        served.change("mutation { deleteNotes { nodesDeleted } }").await;
        let [_, of_admin, of_nobody] = &mut deleted;
        for _ in 0..3 {
            next_event(of_admin).await;
        }
        for responses in [of_none, of_nobody, of_ann] {
            assert_silent(responses).await;
        }
    })
    .await;
}

#[tokio::test]
async fn authentication_of_types_and_fields_is_required() {
    on_graph(TYPES, |served| async move {
        let known = caller(claims!({ "sub": "ann", "realm": { "roles": ["admin"] } }));
        let none = Caller::default();
        let queries = [
            ("subscription { closedCreated { event } }", true),
            ("subscription { noteCreated { createdNote { secret } } }", true),
            ("subscription { noteCreated { createdNote { hidden } } }", true),
            (CREATED, false),
        ];
        let mut waiting = Vec::new();
        for (query, is_closed) in queries {
            waiting.push((subscribe(&served.worker, query, &none), is_closed));
        }
        for (responses, _) in waiting.iter_mut().filter(|(_, is_closed)| *is_closed) {
            let response = crate::live::next(responses).await;
            let expected = json!({ "data": null, "errors": response["errors"] });
            assert_eq!(response, expected);
            assert_eq!(response["errors"][0]["message"], "Unauthenticated", "{response}");
            assert_eq!(responses.next().await, None);
        }
        served.change("mutation { createCloseds(input: [{ text: \"a\" }]) { info { nodesCreated } } createNotes(input: [{ text: \"a\", isPublic: true, secret: \"s\" }]) { info { nodesCreated } } }").await;
        let (responses, _) = waiting.last_mut().unwrap();
        assert_eq!(next_event(responses).await, json!({ "createdNote": { "text": "a" } }));
        let mut open = subscribe(&served.worker, queries[1].0, &known);
        served.change("mutation { createNotes(input: [{ text: \"a\", secret: \"s\" }]) { info { nodesCreated } } }").await;
        assert_eq!(next_event(&mut open).await, json!({ "createdNote": { "secret": "s" } }));
    })
    .await;
}

#[tokio::test]
async fn a_label_that_is_a_claim_keeps_tenants_apart() {
    on_graph(TYPES, |served| async move {
        let query = "subscription { tenantCreated { createdTenant { name } } }";
        let red = caller(claims!({ "tenant": "Red" }));
        let mut reds = subscribe(&served.worker, query, &red);
        let mut blues = subscribe(&served.worker, query, &caller(claims!({ "tenant": "Blue" })));
        assert!(served.worker.subscribe(&request(query), &Caller::default()).is_err());
        let asked = request(
            "mutation { createTenants(input: [{ name: \"a\" }]) { info { nodesCreated } } }",
        );
        let (allowed, delivery) = (engine::Allowed::All, engine::Delivery::Whole);
        let mut report = engine::Report::default();
        served.worker.deliver_for(&asked, &red, allowed, delivery, &mut report).await;
        assert_eq!(next_event(&mut reds).await, json!({ "createdTenant": { "name": "a" } }));
        assert_silent(&mut blues).await;
    })
    .await;
}
