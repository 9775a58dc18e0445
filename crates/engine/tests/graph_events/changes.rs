//! The events of each kind of change.

use engine::Caller;
use serde_json::json;

use super::{next_event, on_graph};
use crate::live::{assert_silent, next, request};

const TYPES: &str = r#"
    extend schema @subscription
    type Movie @node {
        id: ID! @id
        title: String!
        released: Int
        rating: Float
        tags: [String!]
        born: DateTime
        place: Point
        lasting: Duration
        big: BigInt
        word: String @alias(property: "a word")
        actors: [Person!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedIn")
    }
    type Person @node {
        name: String!
        movies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedIn")
        friends: [Person!]! @relationship(type: "KNOWS", direction: OUT)
    }
    type ActedIn @relationshipProperties { role: String }
    type Film @node(labels: ["Movie"]) { title: String }
"#;

const CREATED: &str = "subscription { movieCreated { event timestamp createdMovie { title } } }";
const UPDATED: &str = "subscription { movieUpdated { event timestamp previousState { title } updatedMovie { title } } }";
const DELETED: &str = "subscription { movieDeleted { event timestamp deletedMovie { title } } }";
const PEOPLE: [&str; 3] = [
    "subscription { personCreated { createdPerson { name } } }",
    "subscription { personUpdated { previousState { name } updatedPerson { name } } }",
    "subscription { personDeleted { deletedPerson { name } } }",
];

#[tokio::test]
async fn a_change_has_events_in_its_order() {
    on_graph(TYPES, |served| async move {
        let mut created = served.subscribe(CREATED);
        let mut other = served.subscribe(CREATED);
        let mut updated = served.subscribe(UPDATED);
        let mut deleted = served.subscribe(DELETED);
        let answer = served
            .change(
                "mutation { createMovies(input: [{ title: \"A\" }, { title: \"B\" }]) {
                    info { nodesCreated } movies { title } } }",
            )
            .await;
        let expected = json!({ "createMovies": {
            "info": { "nodesCreated": 2 }, "movies": [{ "title": "A" }, { "title": "B" }],
        } });
        assert_eq!(answer, expected);
        for title in ["A", "B"] {
            let event = json!({ "event": "CREATE", "createdMovie": { "title": title } });
            assert_eq!(next_event(&mut created).await, event);
            assert_eq!(next_event(&mut other).await, event);
        }
        let answer = served
            .change(
                "mutation { updateMovies(where: { title: { eq: \"A\" } },
                    update: { title: { set: \"C\" } }) { movies { title } } }",
            )
            .await;
        assert_eq!(answer, json!({ "updateMovies": { "movies": [{ "title": "C" }] } }));
        let event = json!({
            "event": "UPDATE", "previousState": { "title": "A" }, "updatedMovie": { "title": "C" },
        });
        assert_eq!(next_event(&mut updated).await, event);
        let answer =
            served.change("mutation { deleteMovies { nodesDeleted relationshipsDeleted } }").await;
        let expected = json!({ "nodesDeleted": 2, "relationshipsDeleted": 0 });
        assert_eq!(answer["deleteMovies"], expected);
        let mut titles = Vec::new();
        for _ in 0..2 {
            let event = next_event(&mut deleted).await;
            assert_eq!(event["event"], "DELETE");
            titles.push(event["deletedMovie"]["title"].as_str().unwrap().to_owned());
        }
        titles.sort();
        assert_eq!(titles, ["B", "C"]);
        // Neither a change without an effect nor one that fails has an event.
        served.change("mutation { createMovies(input: [{ title: \"D\", released: 1 }]) { info { nodesCreated } } }").await;
        assert_eq!(next_event(&mut created).await["createdMovie"]["title"], "D");
        served.change("mutation { updateMovies(update: { title: { set: \"D\" } }) { info { nodesCreated } } }").await;
        served.change("mutation { updateMovies(where: { title: { eq: \"none\" } }, update: { title: { set: \"E\" } }) { info { nodesCreated } } }").await;
        let failed = served.execute("mutation { updateMovies(update: { title: { set: \"E\" }, rating: { divide: 0 } }) { info { nodesCreated } } }").await;
        assert!(failed.get("errors").is_some(), "{failed}");
        assert_eq!(next_event(&mut other).await["createdMovie"]["title"], "D");
        for responses in [&mut created, &mut other, &mut updated, &mut deleted] {
            assert_silent(responses).await;
        }
    })
    .await;
}

#[tokio::test]
async fn nested_changes_have_events() {
    on_graph(TYPES, |served| async move {
        let [mut created, mut updated, mut deleted] = PEOPLE.map(|query| served.subscribe(query));
        let mut movies = served.subscribe(CREATED);
        served
            .change(
                "mutation { createMovies(input: [
                    { title: \"A\", actors: { create: [
                        { node: { name: \"Ann\", friends: { create: [{ node: { name: \"Bob\" } }] } },
                          edge: { role: \"x\" } },
                        { node: { name: \"Cid\" } }] } },
                    { title: \"B\", actors: { create: [{ node: { name: \"Dan\" } }] } }]) {
                    movies { title actors { name } } } }",
            )
            .await;
        let mut names = Vec::new();
        for _ in 0..4 {
            let event = next_event(&mut created).await;
            names.push(event["createdPerson"]["name"].as_str().unwrap().to_owned());
        }
        names.sort();
        assert_eq!(names, ["Ann", "Bob", "Cid", "Dan"]);
        for title in ["A", "B"] {
            assert_eq!(next_event(&mut movies).await["createdMovie"]["title"], title);
        }
        // Along relationships, of the node and of the relationship alone.
        served
            .change(
                "mutation { updateMovies(where: { title: { eq: \"A\" } }, update: { actors: [
                    { update: { where: { node: { name: { eq: \"Ann\" } } },
                        node: { name: { set: \"Eve\" } }, edge: { role: { set: \"y\" } } } },
                    { update: { where: { node: { name: { eq: \"Cid\" } } },
                        edge: { role: { set: \"z\" } } } },
                    { create: [{ node: { name: \"Fay\" } }] }] }) { info { nodesCreated } } }",
            )
            .await;
        let event =
            json!({ "previousState": { "name": "Ann" }, "updatedPerson": { "name": "Eve" } });
        assert_eq!(next_event(&mut updated).await, event);
        assert_eq!(next_event(&mut created).await["createdPerson"]["name"], "Fay");
        // Connections change no node.
        served
            .change(
                "mutation { updateMovies(where: { title: { eq: \"B\" } }, update: { actors: [
                    { connect: [{ where: { node: { name: { eq: \"Eve\" } } } }] },
                    { disconnect: [{ where: { node: { name: { eq: \"Dan\" } } } }] }] }) {
                    info { relationshipsCreated relationshipsDeleted } } }",
            )
            .await;
        // One that is reached twice.
        served
            .change(
                "mutation { updateMovies(update: { actors: [{ update: {
                    where: { node: { name: { eq: \"Eve\" } } }, node: { name: { set: \"Gil\" } } } }] }) {
                    movies { title } } }",
            )
            .await;
        let event =
            json!({ "previousState": { "name": "Eve" }, "updatedPerson": { "name": "Gil" } });
        assert_eq!(next_event(&mut updated).await, event);
        for responses in [&mut created, &mut updated, &mut deleted] {
            assert_silent(responses).await;
        }
        // Cascaded: the friend of a deleted person, and the person.
        served
            .change(
                "mutation { deleteMovies(where: { title: { eq: \"A\" } }, delete: { actors: [{
                    where: { node: { name: { eq: \"Gil\" } } },
                    delete: { friends: [{ where: {} }] } }] }) { nodesDeleted } }",
            )
            .await;
        let mut names = Vec::new();
        for _ in 0..2 {
            let event = next_event(&mut deleted).await;
            names.push(event["deletedPerson"]["name"].as_str().unwrap().to_owned());
        }
        names.sort();
        assert_eq!(names, ["Bob", "Gil"]);
        served
            .change(
                "mutation { updateMovies(update: { actors: [{ delete: [{ where: {
                    node: { name: { eq: \"none\" } } } }] }] }) { info { nodesDeleted } } }",
            )
            .await;
        assert_silent(&mut deleted).await;
    })
    .await;
}

#[tokio::test]
async fn a_payload_has_the_values_of_queries() {
    const FIELDS: &str =
        "title released rating tags born lasting big word place { longitude latitude srid }";
    on_graph(TYPES, |served| async move {
        let query = format!(
            "subscription {{ movieUpdated {{ previousState {{ ...f }} updatedMovie {{ ...f }} }} }}
             fragment f on MovieEventPayload {{ __typename {FIELDS} }}"
        );
        let mut updated = served.subscribe(&query);
        let read = format!("{{ movies {{ {FIELDS} }} }}");
        served
            .change(
                "mutation { createMovies(input: [{ title: \"A \\\" é\", released: -7, rating: 1.5,
                    tags: [\"x\", \"y\"], born: \"2020-01-02T03:04:05.678+02:00\", lasting: \"P1DT2H\",
                    big: \"9007199254740993\", word: \"w\", place: { longitude: 1.5, latitude: 2 } }]) {
                    info { nodesCreated } } }",
            )
            .await;
        let mut before = served.change(&read).await["movies"][0].take();
        served
            .change(
                "mutation { updateMovies(update: { title: { set: \"B\" }, tags: { set: [] },
                    place: { set: null }, lasting: { set: null }, born: { set: \"2021-01-01T00:00:00Z\" } }) {
                    info { nodesCreated } } }",
            )
            .await;
        let mut after = served.change(&read).await["movies"][0].take();
        for state in [&mut before, &mut after] {
            state["__typename"] = json!("MovieEventPayload");
        }
        let event = next_event(&mut updated).await;
        assert_eq!(event, json!({ "previousState": before, "updatedMovie": after }));
    })
    .await;
}

#[tokio::test]
async fn a_node_of_two_types_has_events_of_both() {
    on_graph(TYPES, |served| async move {
        let mut films =
            served.subscribe("subscription { filmCreated { createdFilm { title __typename } } }");
        served
            .change(
                "mutation { createMovies(input: [{ title: \"A\" }]) { info { nodesCreated } } }",
            )
            .await;
        let event = json!({ "createdFilm": { "title": "A", "__typename": "FilmEventPayload" } });
        assert_eq!(next_event(&mut films).await, event);
    })
    .await;
}

#[tokio::test]
async fn a_subscription_has_one_root_field() {
    on_graph(TYPES, |served| async move {
        let refused = "subscription { a: movieCreated { event } b: movieDeleted { event } }";
        assert!(served.worker.subscribe(&request(refused), &Caller::default()).is_err());
        let mut renamed = served.subscribe(
            "subscription { a: movieCreated { e: event t: timestamp m: createdMovie { title } } }",
        );
        served
            .change(
                "mutation { createMovies(input: [{ title: \"A\" }]) { info { nodesCreated } } }",
            )
            .await;
        let response = next(&mut renamed).await;
        let time = response["data"]["a"]["t"].clone();
        let event = json!({ "e": "CREATE", "t": time, "m": { "title": "A" } });
        assert_eq!(response, json!({ "data": { "a": event } }));
    })
    .await;
}

#[tokio::test]
async fn concurrent_changes_of_a_node_have_events_in_the_order_of_their_commits() {
    on_graph(TYPES, |served| async move {
        let mut updated = served.subscribe(
            "subscription { movieUpdated { previousState { released } updatedMovie { released } } }",
        );
        served
            .change("mutation { createMovies(input: [{ title: \"A\", released: 0 }]) { info { nodesCreated } } }")
            .await;
        let change = async || {
            for _ in 0..10 {
                served
                    .change("mutation { updateMovies(update: { released: { add: 1 } }) { info { nodesCreated } } }")
                    .await;
            }
        };
        futures_util::join!(change(), change(), change(), change());
        for number in 0..40 {
            let event = json!({
                "previousState": { "released": number }, "updatedMovie": { "released": number + 1 },
            });
            assert_eq!(next_event(&mut updated).await, event);
        }
        assert_silent(&mut updated).await;
    })
    .await;
}

#[tokio::test]
async fn one_mutation_may_have_many_events() {
    on_graph(TYPES, |served| async move {
        let mut subscribers = [served.subscribe(CREATED), served.subscribe(CREATED)];
        let inputs = (0..300).map(|number| format!("{{ title: \"{number}\" }}"));
        let inputs = inputs.collect::<Vec<_>>().join(", ");
        let query =
            format!("mutation {{ createMovies(input: [{inputs}]) {{ info {{ nodesCreated }} }} }}");
        served.change(&query).await;
        for responses in &mut subscribers {
            for number in 0..300 {
                let event = next_event(responses).await;
                assert_eq!(event["createdMovie"]["title"], number.to_string());
            }
            assert_silent(responses).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_slow_subscriber_receives_its_queue_and_an_error() {
    on_graph(TYPES, |served| async move {
        let mut slow = served.subscribe(CREATED);
        let create =
            "mutation { createMovies(input: [{ title: \"A\" }]) { info { nodesCreated } } }";
        for _ in 0..150 {
            served.change(create).await;
        }
        let mut received = 0;
        let last = loop {
            let response = next(&mut slow).await;
            if response.get("errors").is_some() {
                break response;
            }
            received += 1;
        };
        assert!((128..150).contains(&received), "{received}");
        assert_eq!(last["errors"][0]["extensions"]["code"], "OVERLOADED");
        assert_eq!(slow.next().await, None);
    })
    .await;
}

#[tokio::test]
async fn several_root_fields_have_the_events_of_those_that_are_done() {
    on_graph(TYPES, |served| async move {
        let mut created = served.subscribe(CREATED);
        let response = served
            .execute(
                "mutation {
                    a: createMovies(input: [{ title: \"A\" }]) { info { nodesCreated } }
                    b: updateMovies(update: { rating: { divide: 0 } }) { info { nodesCreated } }
                    c: createMovies(input: [{ title: \"C\" }]) { info { nodesCreated } } }",
            )
            .await;
        assert!(response.get("errors").is_some(), "{response}");
        let stored = served.change("{ movies(sort: [{ title: ASC }]) { title } }").await;
        let stored = stored["movies"].as_array().unwrap();
        assert!(!stored.is_empty());
        for movie in stored {
            assert_eq!(next_event(&mut created).await["createdMovie"], *movie);
        }
        assert_silent(&mut created).await;
    })
    .await;
}

#[tokio::test]
async fn a_mutation_that_is_interrupted_ends_the_subscriptions_to_its_nodes() {
    on_graph(TYPES, |served| async move {
        let mut movies = served.subscribe(CREATED);
        let mut people = served.subscribe(PEOPLE[0]);
        let query =
            "mutation { createMovies(input: [{ title: \"A\" }]) { info { nodesCreated } } }";
        {
            let mut change = Box::pin(served.execute(query));
            // It has begun, and its outcome is not known.
            assert!(futures_util::poll!(&mut change).is_pending());
        }
        let last = next(&mut movies).await;
        assert_eq!(last["errors"][0]["extensions"]["code"], "UNAVAILABLE");
        assert_eq!(movies.next().await, None);
        served
            .change(
                "mutation { createPeople(input: [{ name: \"Ann\" }]) { info { nodesCreated } } }",
            )
            .await;
        assert_eq!(next_event(&mut people).await["createdPerson"]["name"], "Ann");
    })
    .await;
}
