//! Events of rows of Prisma's API over sockets and event streams, from all threads of a server.

use std::fs;
use std::io::BufRead;

use serde_json::{Value, json};

use super::site::{LEGACY, Site, TRANSPORT, next, subscribe};
use super::stream::Stream;
use crate::databases::Database;
use crate::program::{Folder, Server, post};

const DATAMODEL: &str = "
    type User { id: ID! @id  name: String! @unique  posts: [Post!]! }
    type Post { id: ID! @id  title: String! @unique  author: User @relation(link: INLINE) }
";

const POSTS: &str = "subscription ($where: PostSubscriptionWhereInput) { post(where: $where) { \
                     mutation node { title author { name } } updatedFields previousValues { title } } }";

fn start(datamodel: &str) -> Site {
    let folder = Folder::new();
    let data = folder.file("posts.db");
    serve(folder, datamodel, data.to_str().unwrap(), &[])
}

/// A server on a file or a database.
fn serve(folder: Folder, datamodel: &str, data: &str, options: &[&str]) -> Site {
    let file = folder.file("datamodel.prisma");
    fs::write(&file, datamodel).unwrap();
    let words = ["serve", file.to_str().unwrap(), "--data", data, "--listen", "127.0.0.1:0"];
    let server = Server::start(&[&words, options].concat());
    Site { server, folder }
}

#[track_caller]
fn change(site: &Site, mutation: &str) -> Value {
    let answer = site.server.query("", &format!("mutation {{ {mutation} }}"));
    let response: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(response.get("errors"), None, "{response}");
    response
}

fn reload(site: &mut Site) {
    site.server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(site.server.log.read_line(&mut line).unwrap() > 0);
    }
}

fn post_event(mutation: &str, [node, updated, previous]: [Value; 3]) -> Value {
    let own = json!({
        "mutation": mutation,
        "node": node,
        "updatedFields": updated,
        "previousValues": previous,
    });
    json!({ "data": { "post": own } })
}

/// The data of an event of a stream.
fn event(chunk: &str) -> Value {
    let data = chunk.lines().nth(1).unwrap().strip_prefix("data:").unwrap();
    serde_json::from_str(data).unwrap_or_default()
}

#[test]
fn events_of_rows_stay_in_the_server_of_the_mutation_and_its_log_says_so() {
    let Some(database) = Database::on_one("") else { return };
    let url = database.url();
    let site = serve(Folder::new(), DATAMODEL, &url, &[]);
    let broker = ["--live-relay", "nats://127.0.0.1:1"];
    let mut other = serve(Folder::new(), DATAMODEL, &url, &broker);
    let mut clients = [&site, &other].map(|site| site.connect(TRANSPORT));
    for client in &mut clients {
        client.send(&subscribe("1", POSTS));
        // A subscription has begun when a query after it is answered.
        client.send(&subscribe("2", "{ posts { title } }"));
        assert_eq!(client.receive(), next("2", &json!({ "data": { "posts": [] } })));
        assert_eq!(client.receive(), json!({ "id": "2", "type": "complete" }));
    }
    change(&site, r#"createPost(data: { title: "a" }) { id }"#);
    let node = json!({ "title": "a", "author": null });
    let created = post_event("CREATED", [node, Value::Null, Value::Null]);
    let [own, of_other] = &mut clients;
    assert_eq!(own.receive(), next("1", &created));
    // The other server has the row, and no event.
    of_other.send(&subscribe("2", "{ posts { title } }"));
    let posts = json!({ "data": { "posts": [{ "title": "a" }] } });
    assert_eq!(of_other.receive(), next("2", &posts));
    drop(clients);
    other.server.signal("TERM");
    assert!(other.server.child.wait().unwrap().success());
    let log = other.server.rest_of_log();
    let mut lines = log.lines().filter(|line| line.contains("no events of other servers"));
    assert!(lines.next().is_some_and(|line| line.contains("WARN")), "{log}");
    assert_eq!(lines.next(), None, "{log}");
}

#[test]
fn events_of_rows_reach_the_clients_of_all_protocols() {
    let mut site = start(DATAMODEL);
    // The subprotocol of Prisma's clients.
    let mut legacy = site.connect(LEGACY);
    assert_eq!(legacy.receive(), json!({ "type": "ka" }));
    let begin = |id: &str, conditions: Value| {
        let payload = json!({ "query": POSTS, "variables": { "where": conditions } });
        json!({ "type": "start", "id": id, "payload": payload })
    };
    let data = |id: &str, payload: &Value| json!({ "type": "data", "id": id, "payload": payload });
    legacy.send(&begin("1", json!({ "mutation_in": ["CREATED", "DELETED"] })));
    legacy.send(&begin("2", json!({ "updatedFields_contains": "title" })));
    legacy.send(&begin("3", json!({ "node": { "author": { "name": "ann" } } })));
    let mut modern = site.connect(TRANSPORT);
    modern.send(&subscribe("1", POSTS));
    let body = json!({ "query": POSTS }).to_string();
    let request = post("application/json", "Accept: text/event-stream\r\n", &body);
    let mut streams: Vec<Stream> = (0..4).map(|_| Stream::open(&site.server, &request)).collect();
    for stream in &mut streams {
        assert_eq!(stream.chunk(), ":\n\n");
    }
    // A subscription has begun when a query after it is answered.
    modern.send(&subscribe("2", "{ posts { title } }"));
    assert_eq!(modern.receive(), next("2", &json!({ "data": { "posts": [] } })));
    assert_eq!(modern.receive(), json!({ "id": "2", "type": "complete" }));
    legacy.send(
        &json!({ "type": "start", "id": "4", "payload": { "query": "{ posts { title } }" } }),
    );
    assert_eq!(legacy.receive(), data("4", &json!({ "data": { "posts": [] } })));
    assert_eq!(legacy.receive(), json!({ "type": "complete", "id": "4" }));

    change(
        &site,
        r#"createUser(data: { name: "ann", posts: { create: [{ title: "a" }] } }) { id }"#,
    );
    let ann = json!({ "name": "ann" });
    let created =
        post_event("CREATED", [json!({ "title": "a", "author": ann }), Value::Null, Value::Null]);
    assert_eq!(legacy.receive_sorted(2), [data("1", &created), data("3", &created)]);
    assert_eq!(modern.receive(), next("1", &created));
    for stream in &mut streams {
        assert_eq!(event(&stream.chunk()), created);
    }
    // A mutation over the socket itself.
    let update = r#"mutation { updatePost(where: { title: "a" }, data: { title: "b", author: { disconnect: true } }) { title } }"#;
    legacy.send(&json!({ "type": "start", "id": "5", "payload": { "query": update } }));
    let updated = post_event(
        "UPDATED",
        [json!({ "title": "b", "author": null }), json!(["title"]), json!({ "title": "a" })],
    );
    let answer = data("5", &json!({ "data": { "updatePost": { "title": "b" } } }));
    let complete = json!({ "type": "complete", "id": "5" });
    assert_eq!(legacy.receive_sorted(3), [data("2", &updated), complete, answer]);
    assert_eq!(modern.receive(), next("1", &updated));
    for stream in &mut streams {
        assert_eq!(event(&stream.chunk()), updated);
    }
    // Subscriptions go on after a reload, those that were ended do not.
    legacy.send(&json!({ "type": "stop", "id": "2" }));
    assert_eq!(legacy.receive(), json!({ "type": "complete", "id": "2" }));
    reload(&mut site);
    change(&site, r#"deletePost(where: { title: "b" }) { id }"#);
    let deleted = post_event("DELETED", [Value::Null, Value::Null, json!({ "title": "b" })]);
    // The conditions on the row do not apply to a deleted one.
    assert_eq!(legacy.receive_sorted(2), [data("1", &deleted), data("3", &deleted)]);
    assert_eq!(modern.receive(), next("1", &deleted));
    for stream in &mut streams {
        assert_eq!(event(&stream.chunk()), deleted);
    }
    legacy.close();
}

#[test]
fn a_reload_with_other_tables_ends_the_subscriptions() {
    let mut site = start(DATAMODEL);
    let mut client = site.connect(LEGACY);
    assert_eq!(client.receive(), json!({ "type": "ka" }));
    client.send(&json!({ "type": "start", "id": "1", "payload": { "query": POSTS } }));
    client.send(&json!({ "type": "start", "id": "2", "payload": { "query": "{ __typename }" } }));
    // The subscription has begun when a query after it is answered.
    assert_eq!(client.receive_sorted(2)[1]["payload"]["data"]["__typename"], "Query");
    change(&site, r#"createPost(data: { title: "a" }) { id }"#);
    let created =
        post_event("CREATED", [json!({ "title": "a", "author": null }), Value::Null, Value::Null]);
    assert_eq!(client.receive(), json!({ "type": "data", "id": "1", "payload": created }));
    let other = DATAMODEL.to_owned() + "type Another { id: ID! @id }";
    let file = site.folder.file("datamodel.prisma");
    fs::write(&file, other).unwrap();
    let (file, data) = (file.to_str().unwrap().to_owned(), site.folder.file("posts.db"));
    let migrated = crate::program::run(&["migrate", &file, "--data", data.to_str().unwrap()]);
    assert!(migrated.status.success(), "{migrated:?}");
    reload(&mut site);
    let message = client.receive();
    assert_eq!((&message["type"], &message["id"]), (&json!("error"), &json!("1")), "{message}");
    let error = &message["payload"];
    assert_eq!(error["extensions"]["code"], "UNAVAILABLE", "{message}");
    assert_eq!(error["message"], "The API has been loaded again: events may be missing.");
    client.assert_silent();
}
