//! The events of each mutation, those nested in others included.

use std::cell::RefCell;
use std::fmt::Write;

use expect_test::{Expect, expect};
use serde_json::json;

use super::{Served, serve, serve_datamodel};
use crate::dgraph::on_each;

/// The subscriptions, of one type each; all of them end with the same mark.
const LISTENERS: [&str; 3] = [
    "todo { mutation node { id text tags comments(orderBy: id_ASC) { id } owner { name } } \
     updatedFields previousValues { id text important weight status due extra tags } }",
    "comment { mutation node { id text todo { id } } updatedFields previousValues { id text } }",
    "user { mutation node { name todos { id } friends { name } } updatedFields \
     previousValues { name } }",
];

/// A row of each type after which nothing of a mutation is to come.
async fn mark(served: &Served, number: usize) {
    let mark = format!(
        "createComment(data: {{ id: \"mark {number}\" }}) {{ id }} \
         createUser(data: {{ name: \"mark {number}\" }}) {{ id }} \
         createTodo(data: {{ id: \"mark {number}\", text: \"mark {number}\" }}) {{ id }}"
    );
    served.change(&mark).await;
}

/// The events of each mutation, in the order of types and then of the events; equal on all sources.
fn check(mutations: &[&str], expect: &Expect) {
    let all: RefCell<Vec<String>> = RefCell::default();
    on_each(|address| {
        let all = &all;
        async move {
            let served = serve(&address).await;
            let mut listeners = LISTENERS.map(|query| served.listen(query));
            let mut text = String::new();
            for (number, mutation) in mutations.iter().enumerate() {
                let response = served.try_change(mutation).await;
                let _ = match &response["errors"][0]["message"] {
                    serde_json::Value::String(message) => {
                        writeln!(text, "{mutation}\n  error: {message}")
                    }
                    _ => writeln!(text, "{mutation}"),
                };
                mark(&served, number).await;
                for listener in &mut listeners {
                    loop {
                        let response = listener.next().await;
                        if response.to_string().contains("\"mark ") {
                            break;
                        }
                        let data = &response["data"];
                        let _ = writeln!(text, "  {data}");
                        assert_eq!(response.get("errors"), None, "{response}");
                    }
                }
            }
            all.borrow_mut().push(text);
        }
    });
    let all = all.into_inner();
    expect.assert_eq(&all[0]);
    assert_eq!(all.last(), all.first());
}

#[test]
fn rows_that_are_created_updated_and_deleted_have_events() {
    check(
        &[
            r#"createTodo(data: { id: "t1", text: "a", important: true, weight: 1.5, status: ACTIVE,
 due: "2020-02-29T12:00:00.000Z", extra: "{\"a\":[1]}", tags: { set: ["x", "y"] } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { text: "b", weight: null }) { id }"#,
            r#"updateTodo(where: { text: "b" }, data: { tags: { set: ["z"] } }) { id }"#,
            r#"updateTodo(where: { text: "b" }, data: {}) { id }"#,
            r#"deleteTodo(where: { id: "t1" }) { id }"#,
            r#"createUser(data: { name: "ann" }) { id }"#,
            r#"updateUser(where: { name: "ann" }, data: { name: "bob" }) { id }"#,
            r#"deleteUser(where: { name: "bob" }) { id }"#,
        ],
        &expect![[r#"
            createTodo(data: { id: "t1", text: "a", important: true, weight: 1.5, status: ACTIVE,
             due: "2020-02-29T12:00:00.000Z", extra: "{\"a\":[1]}", tags: { set: ["x", "y"] } }) { id }
              {"todo":{"mutation":"CREATED","node":{"id":"t1","text":"a","tags":["x","y"],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
            updateTodo(where: { id: "t1" }, data: { text: "b", weight: null }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":["x","y"],"comments":[],"owner":null},"updatedFields":["text","weight","updatedAt"],"previousValues":{"id":"t1","text":"a","important":true,"weight":1.5,"status":"ACTIVE","due":"2020-02-29T12:00:00.000Z","extra":{"a":[1]},"tags":["x","y"]}}}
            updateTodo(where: { text: "b" }, data: { tags: { set: ["z"] } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":["z"],"comments":[],"owner":null},"updatedFields":["updatedAt","tags"],"previousValues":{"id":"t1","text":"b","important":true,"weight":null,"status":"ACTIVE","due":"2020-02-29T12:00:00.000Z","extra":{"a":[1]},"tags":["x","y"]}}}
            updateTodo(where: { text: "b" }, data: {}) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":["z"],"comments":[],"owner":null},"updatedFields":[],"previousValues":{"id":"t1","text":"b","important":true,"weight":null,"status":"ACTIVE","due":"2020-02-29T12:00:00.000Z","extra":{"a":[1]},"tags":["z"]}}}
            deleteTodo(where: { id: "t1" }) { id }
              {"todo":{"mutation":"DELETED","node":null,"updatedFields":null,"previousValues":{"id":"t1","text":"b","important":true,"weight":null,"status":"ACTIVE","due":"2020-02-29T12:00:00.000Z","extra":{"a":[1]},"tags":["z"]}}}
            createUser(data: { name: "ann" }) { id }
              {"user":{"mutation":"CREATED","node":{"name":"ann","todos":[],"friends":[]},"updatedFields":null,"previousValues":null}}
            updateUser(where: { name: "ann" }, data: { name: "bob" }) { id }
              {"user":{"mutation":"UPDATED","node":{"name":"bob","todos":[],"friends":[]},"updatedFields":["name"],"previousValues":{"name":"ann"}}}
            deleteUser(where: { name: "bob" }) { id }
              {"user":{"mutation":"DELETED","node":null,"updatedFields":null,"previousValues":{"name":"bob"}}}
        "#]],
    );
}

#[test]
fn nested_changes_have_events_after_those_of_the_rows_around_them() {
    check(
        &[
            r#"createTodo(data: { id: "t1", text: "a", owner: { create: { name: "ann" } },
 comments: { create: [{ id: "c1", text: "one" }, { id: "c2" }] } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { text: "b", comments: {
 create: [{ id: "c3" }], update: [{ where: { id: "c1" }, data: { text: "two" } }] },
 owner: { update: { name: "ann2" } } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { comments: {
 delete: [{ id: "c2" }], disconnect: [{ id: "c3" }] } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { comments: { connect: [{ id: "c3" }] } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { comments: { set: [{ id: "c1" }] } }) { id }"#,
            r#"updateUser(where: { name: "ann2" }, data: { friends: { create: [{ name: "bob",
 friends: { create: [{ name: "eve" }] } }] } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { comments: {
 updateMany: [{ where: { id: "c1" }, data: { text: "many" } }] } }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { comments: { deleteMany: [{ text: "many" }] } }) { id }"#,
        ],
        &expect![[r#"
            createTodo(data: { id: "t1", text: "a", owner: { create: { name: "ann" } },
             comments: { create: [{ id: "c1", text: "one" }, { id: "c2" }] } }) { id }
              {"todo":{"mutation":"CREATED","node":{"id":"t1","text":"a","tags":[],"comments":[{"id":"c1"},{"id":"c2"}],"owner":{"name":"ann"}},"updatedFields":null,"previousValues":null}}
              {"comment":{"mutation":"CREATED","node":{"id":"c1","text":"one","todo":{"id":"t1"}},"updatedFields":null,"previousValues":null}}
              {"comment":{"mutation":"CREATED","node":{"id":"c2","text":null,"todo":{"id":"t1"}},"updatedFields":null,"previousValues":null}}
              {"user":{"mutation":"CREATED","node":{"name":"ann","todos":[{"id":"t1"}],"friends":[]},"updatedFields":null,"previousValues":null}}
            updateTodo(where: { id: "t1" }, data: { text: "b", comments: {
             create: [{ id: "c3" }], update: [{ where: { id: "c1" }, data: { text: "two" } }] },
             owner: { update: { name: "ann2" } } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":[],"comments":[{"id":"c1"},{"id":"c2"},{"id":"c3"}],"owner":{"name":"ann2"}},"updatedFields":["text","updatedAt"],"previousValues":{"id":"t1","text":"a","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
              {"comment":{"mutation":"CREATED","node":{"id":"c3","text":null,"todo":{"id":"t1"}},"updatedFields":null,"previousValues":null}}
              {"comment":{"mutation":"UPDATED","node":{"id":"c1","text":"two","todo":{"id":"t1"}},"updatedFields":["text"],"previousValues":{"id":"c1","text":"one"}}}
              {"user":{"mutation":"UPDATED","node":{"name":"ann2","todos":[{"id":"t1"}],"friends":[]},"updatedFields":["name"],"previousValues":{"name":"ann"}}}
            updateTodo(where: { id: "t1" }, data: { comments: {
             delete: [{ id: "c2" }], disconnect: [{ id: "c3" }] } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":[],"comments":[{"id":"c1"}],"owner":{"name":"ann2"}},"updatedFields":[],"previousValues":{"id":"t1","text":"b","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
            updateTodo(where: { id: "t1" }, data: { comments: { connect: [{ id: "c3" }] } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":[],"comments":[{"id":"c1"},{"id":"c3"}],"owner":{"name":"ann2"}},"updatedFields":[],"previousValues":{"id":"t1","text":"b","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
            updateTodo(where: { id: "t1" }, data: { comments: { set: [{ id: "c1" }] } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":[],"comments":[{"id":"c1"}],"owner":{"name":"ann2"}},"updatedFields":[],"previousValues":{"id":"t1","text":"b","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
            updateUser(where: { name: "ann2" }, data: { friends: { create: [{ name: "bob",
             friends: { create: [{ name: "eve" }] } }] } }) { id }
              {"user":{"mutation":"UPDATED","node":{"name":"ann2","todos":[{"id":"t1"}],"friends":[{"name":"bob"}]},"updatedFields":[],"previousValues":{"name":"ann2"}}}
              {"user":{"mutation":"CREATED","node":{"name":"bob","todos":[],"friends":[{"name":"eve"}]},"updatedFields":null,"previousValues":null}}
              {"user":{"mutation":"CREATED","node":{"name":"eve","todos":[],"friends":[]},"updatedFields":null,"previousValues":null}}
            updateTodo(where: { id: "t1" }, data: { comments: {
             updateMany: [{ where: { id: "c1" }, data: { text: "many" } }] } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":[],"comments":[{"id":"c1"}],"owner":{"name":"ann2"}},"updatedFields":[],"previousValues":{"id":"t1","text":"b","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
            updateTodo(where: { id: "t1" }, data: { comments: { deleteMany: [{ text: "many" }] } }) { id }
              {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"b","tags":[],"comments":[],"owner":{"name":"ann2"}},"updatedFields":[],"previousValues":{"id":"t1","text":"b","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
        "#]],
    );
}

#[test]
fn upserts_have_the_event_of_what_they_did() {
    let nested = |id: &str| {
        format!(
            r#"updateTodo(where: {{ id: "t1" }}, data: {{ comments: {{ upsert: [{{ where: {{ id: "{id}" }},
 create: {{ id: "{id}", text: "new" }}, update: {{ text: "old" }} }}] }} }}) {{ id }}"#
        )
    };
    let [first, second] = ["c1", "c1"].map(nested);
    let upsert = r#"upsertTodo(where: { id: "t1" }, create: { id: "t1", text: "new" },
 update: { text: "old" }) { id }"#;
    check(
        &[upsert, upsert, &first, &second],
        &expect![[r#"
        upsertTodo(where: { id: "t1" }, create: { id: "t1", text: "new" },
         update: { text: "old" }) { id }
          {"todo":{"mutation":"CREATED","node":{"id":"t1","text":"new","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
        upsertTodo(where: { id: "t1" }, create: { id: "t1", text: "new" },
         update: { text: "old" }) { id }
          {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"old","tags":[],"comments":[],"owner":null},"updatedFields":["text","updatedAt"],"previousValues":{"id":"t1","text":"new","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
        updateTodo(where: { id: "t1" }, data: { comments: { upsert: [{ where: { id: "c1" },
         create: { id: "c1", text: "new" }, update: { text: "old" } }] } }) { id }
          {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"old","tags":[],"comments":[{"id":"c1"}],"owner":null},"updatedFields":[],"previousValues":{"id":"t1","text":"old","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
          {"comment":{"mutation":"CREATED","node":{"id":"c1","text":"new","todo":{"id":"t1"}},"updatedFields":null,"previousValues":null}}
        updateTodo(where: { id: "t1" }, data: { comments: { upsert: [{ where: { id: "c1" },
         create: { id: "c1", text: "new" }, update: { text: "old" } }] } }) { id }
          {"todo":{"mutation":"UPDATED","node":{"id":"t1","text":"old","tags":[],"comments":[{"id":"c1"}],"owner":null},"updatedFields":[],"previousValues":{"id":"t1","text":"old","important":null,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
          {"comment":{"mutation":"UPDATED","node":{"id":"c1","text":"old","todo":{"id":"t1"}},"updatedFields":["text"],"previousValues":{"id":"c1","text":"new"}}}
    "#]],
    );
}

#[test]
fn changes_of_many_rows_and_cascades_have_none() {
    check(
        &[
            r#"createTodo(data: { id: "t1", text: "a", comments: { create: [{ id: "c1" }] } }) { id }"#,
            r#"updateManyTodoes(where: { id: "t1" }, data: { important: true }) { count }"#,
            r#"deleteTodo(where: { id: "t1" }) { id comments { id } }"#,
            r#"deleteManyTodoes(where: { text_contains: "m" }) { count }"#,
        ],
        &expect![[r#"
            createTodo(data: { id: "t1", text: "a", comments: { create: [{ id: "c1" }] } }) { id }
              {"todo":{"mutation":"CREATED","node":{"id":"t1","text":"a","tags":[],"comments":[{"id":"c1"}],"owner":null},"updatedFields":null,"previousValues":null}}
              {"comment":{"mutation":"CREATED","node":{"id":"c1","text":null,"todo":{"id":"t1"}},"updatedFields":null,"previousValues":null}}
            updateManyTodoes(where: { id: "t1" }, data: { important: true }) { count }
            deleteTodo(where: { id: "t1" }) { id comments { id } }
              {"todo":{"mutation":"DELETED","node":null,"updatedFields":null,"previousValues":{"id":"t1","text":"a","important":true,"weight":null,"status":null,"due":null,"extra":null,"tags":[]}}}
            deleteManyTodoes(where: { text_contains: "m" }) { count }
        "#]],
    );
}

#[test]
fn each_of_many_new_rows_has_an_event() {
    check(
        &[
            r#"createManyTodoes(data: [{ id: "t1", text: "a" }, { id: "t2", text: "b", tags: { set: [] } }]) { count }"#,
            r#"createManyTodoes(data: [{ id: "t3", text: "c" }, { id: "t4", text: "d", tags: { set: ["x", "y"] } }]) { count }"#,
            r#"createManyUsers(data: [{ name: "ann" }, { name: "bob" }]) { count }"#,
            r#"createManyComments(data: [{ id: "c1", todo: { id: "t4" } }]) { count }"#,
            r#"createManyTodoes(data: [{ id: "t5", text: "e" }, { id: "t6", text: "a" }]) { count }"#,
            r#"createManyTodoes(data: [{ id: "t5", text: "e", tags: { set: ["x"] } }, { id: "t6", text: "a" }]) { count }"#,
        ],
        &expect![[r#"
            createManyTodoes(data: [{ id: "t1", text: "a" }, { id: "t2", text: "b", tags: { set: [] } }]) { count }
              {"todo":{"mutation":"CREATED","node":{"id":"t1","text":"a","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
              {"todo":{"mutation":"CREATED","node":{"id":"t2","text":"b","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
            createManyTodoes(data: [{ id: "t3", text: "c" }, { id: "t4", text: "d", tags: { set: ["x", "y"] } }]) { count }
              {"todo":{"mutation":"CREATED","node":{"id":"t3","text":"c","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
              {"todo":{"mutation":"CREATED","node":{"id":"t4","text":"d","tags":["x","y"],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
            createManyUsers(data: [{ name: "ann" }, { name: "bob" }]) { count }
              {"user":{"mutation":"CREATED","node":{"name":"ann","todos":[],"friends":[]},"updatedFields":null,"previousValues":null}}
              {"user":{"mutation":"CREATED","node":{"name":"bob","todos":[],"friends":[]},"updatedFields":null,"previousValues":null}}
            createManyComments(data: [{ id: "c1", todo: { id: "t4" } }]) { count }
              {"comment":{"mutation":"CREATED","node":{"id":"c1","text":null,"todo":{"id":"t4"}},"updatedFields":null,"previousValues":null}}
            createManyTodoes(data: [{ id: "t5", text: "e" }, { id: "t6", text: "a" }]) { count }
              error: A unique constraint would be violated on Todo. Details: Field name = text
            createManyTodoes(data: [{ id: "t5", text: "e", tags: { set: ["x"] } }, { id: "t6", text: "a" }]) { count }
              error: A unique constraint would be violated on Todo. Details: Field name = text
        "#]],
    );
}

#[test]
fn what_is_rolled_back_has_no_events() {
    check(
        &[
            r#"createTodo(data: { id: "t1", text: "a" }) { id }"#,
            r#"createTodo(data: { id: "t2", text: "a" }) { id }"#,
            r#"createTodo(data: { id: "t3", text: "c", comments: { create: [{ id: "c1" }, { id: "c1" }] } }) { id }"#,
            r#"updateTodo(where: { id: "nothing" }, data: { text: "d" }) { id }"#,
            // Each field is a transaction of its own.
            r#"one: createTodo(data: { id: "t5", text: "e" }) { id }
 two: createTodo(data: { id: "t6", text: "e" }) { id }
 three: createTodo(data: { id: "t7", text: "f" }) { id }"#,
        ],
        &expect![[r#"
            createTodo(data: { id: "t1", text: "a" }) { id }
              {"todo":{"mutation":"CREATED","node":{"id":"t1","text":"a","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
            createTodo(data: { id: "t2", text: "a" }) { id }
              error: A unique constraint would be violated on Todo. Details: Field name = text
            createTodo(data: { id: "t3", text: "c", comments: { create: [{ id: "c1" }, { id: "c1" }] } }) { id }
              error: A unique constraint would be violated on Comment. Details: Field name = id
            updateTodo(where: { id: "nothing" }, data: { text: "d" }) { id }
              error: No Node for the model Todo with value nothing for id found.
            one: createTodo(data: { id: "t5", text: "e" }) { id }
             two: createTodo(data: { id: "t6", text: "e" }) { id }
             three: createTodo(data: { id: "t7", text: "f" }) { id }
              error: A unique constraint would be violated on Todo. Details: Field name = text
              {"todo":{"mutation":"CREATED","node":{"id":"t5","text":"e","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
              {"todo":{"mutation":"CREATED","node":{"id":"t7","text":"f","tags":[],"comments":[],"owner":null},"updatedFields":null,"previousValues":null}}
        "#]],
    );
}

#[test]
fn rows_are_found_by_keys_of_all_types() {
    on_each(|address| async move {
        let datamodel = "
            type Text { id: ID! @id  name: String! }
            type Uuid { id: UUID! @id  name: String! }
            type Number { id: Int! @id  name: String! }
        ";
        let served = serve_datamodel(&address, datamodel).await;
        for name in ["Text", "Uuid", "Number"] {
            let field = name.to_lowercase();
            let mut listener = served.listen(&format!(
                "{field} {{ mutation node {{ id name }} previousValues {{ id name }} }}"
            ));
            let create = format!("create{name}(data: {{ name: \"a\" }}) {{ id }}");
            let id = served.change(&create).await[format!("create{name}")]["id"].clone();
            let node = json!({ "id": id, "name": "a" });
            let event = |mutation: &str, node: &serde_json::Value, previous: &serde_json::Value| {
                let event =
                    json!({ "mutation": mutation, "node": node, "previousValues": previous });
                json!({ "data": { (field.as_str()): event } })
            };
            let null = serde_json::Value::Null;
            assert_eq!(listener.next().await, event("CREATED", &node, &null));
            let delete = format!("delete{name}(where: {{ id: {id} }}) {{ id }}");
            served.change(&delete).await;
            assert_eq!(listener.next().await, event("DELETED", &null, &node));
        }
    });
}

#[test]
fn rows_without_a_field_for_their_key_have_events() {
    on_each(|address| async move {
        // Version 1.0, whose tables have a hidden key.
        let served = serve_datamodel(&address, "type Tag { name: String! @unique }").await;
        let mut listener = served.listen("tag { mutation node { name } previousValues { name } }");
        served.change("createTag(data: { name: \"a\" }) { name }").await;
        served.change("updateTag(where: { name: \"a\" }, data: { name: \"b\" }) { name }").await;
        let event = |mutation: &str, name: &str, previous: serde_json::Value| {
            let node = json!({ "name": name });
            let event = json!({ "mutation": mutation, "node": node, "previousValues": previous });
            json!({ "data": { "tag": event } })
        };
        // Read when the response is made.
        let created = listener.next().await;
        let is_new = created == event("CREATED", "a", serde_json::Value::Null);
        assert!(is_new || created == event("CREATED", "b", serde_json::Value::Null), "{created}");
        assert_eq!(listener.next().await, event("UPDATED", "b", json!({ "name": "a" })));
    });
}

/// Documents as the subscription tests of Prisma 1 have them.
#[test]
fn documents_of_subscriptions_have_aliases_fragments_and_other_operations() {
    on_each(|address| async move {
        let served = serve(&address).await;
        let begin = |query: &str, name: Option<&str>, text: &str| {
            let variables = serde_json::json!({ "text": text }).to_string();
            let request = graphql::Request {
                query: query.to_owned(),
                operation_name: name.map(Into::into),
                variables: serde_json::from_str(&variables).unwrap(),
                ..graphql::Request::default()
            };
            served.begin_request(&request)
        };
        let kinds = "subscription x($text: String) { todo(where: { mutation_in: [CREATED], node: { \
             text_contains: $text } }) { node { id } } } mutation y { createTodo(data: { id: \"y\", \
             text: \"y\" }) { id } }";
        let mut created = begin(kinds, Some("x"), "a");
        let updates = "subscription ($text: String) { todo(where: { mutation_in: UPDATED, AND: [{ \
             updatedFields_contains: \"status\" }, { node: { text_contains: $text } }] }) { mutation \
             previousValues { ...Before } node { ...After } } } fragment Before on \
             TodoPreviousValues { id status extra } fragment After on Todo { id state: status }";
        let mut updated = begin(updates, None, "a");
        let renamed = "subscription { alias: todo(where: { mutation_in: [DELETED], node: { text: \
             \"nothing\" } }) { mutation node { id } before: previousValues { id status } } }";
        let mut deleted = begin(renamed, None, "");
        for change in [
            r#"createTodo(data: { id: "t0", text: "b" }) { id }"#,
            r#"createTodo(data: { id: "t1", text: "a", status: ACTIVE, extra: "[1,2,{\"a\":\"b\"}]" }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { weight: 1 }) { id }"#,
            r#"updateTodo(where: { id: "t1" }, data: { status: DONE }) { id }"#,
            r#"deleteTodo(where: { id: "t1" }) { id }"#,
        ] {
            served.change(change).await;
            if change.contains("DONE") {
                // The row is read when the response is made.
                let before =
                    json!({ "id": "t1", "status": "ACTIVE", "extra": [1, 2, { "a": "b" }] });
                let event = json!({
                    "mutation": "UPDATED",
                    "previousValues": before,
                    "node": { "id": "t1", "state": "DONE" },
                });
                assert_eq!(updated.next().await, json!({ "data": { "todo": event } }));
            }
            if change.contains("t1") && change.starts_with("create") {
                let event = json!({ "node": { "id": "t1" } });
                assert_eq!(created.next().await, json!({ "data": { "todo": event } }));
            }
        }
        // A deleted row has no conditions on it.
        let before = json!({ "id": "t1", "status": "DONE" });
        let event = json!({ "mutation": "DELETED", "node": null, "before": before });
        assert_eq!(deleted.next().await, json!({ "data": { "alias": event } }));
    });
}
