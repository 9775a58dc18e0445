//! Webhooks of subscriptions: `subscriptions` of `prisma.yml`.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use super::{DATAMODEL, Service};
use crate::databases::Database;
use crate::program::{Folder, PATIENCE, Server, outcome};

/// A service with the database and the webhooks that it calls.
struct Subscribed {
    folder: Folder,
    /// The address of the database.
    data: String,
    /// Kept while it is used.
    _database: Option<Database>,
    webhooks: HttpServer,
}

impl Subscribed {
    /// One on each database; the webhook `/flaky` fails at each event's first attempt.
    fn each() -> Vec<Self> {
        let on_file = |folder: &Folder| folder.file("shop.db").to_str().unwrap().to_owned();
        let mut all = vec![Self::new(None, on_file)];
        if let Some(database) = Database::on_one("") {
            let url = database.url();
            all.push(Self::new(Some(database), |_| url));
        }
        all
    }

    fn new(database: Option<Database>, data: impl FnOnce(&Folder) -> String) -> Self {
        let folder = Folder::new();
        fs::write(folder.file("datamodel.prisma"), DATAMODEL).unwrap();
        fs::write(folder.file("users.graphql"), USERS).unwrap();
        let webhooks = HttpServer::start(|received: &Received| {
            let is_first = SEEN.lock().unwrap().insert(event_id(received).to_owned());
            match received.target.as_str() {
                "/flaky" if is_first => Reply::Status(503, "retry-after: 1\r\n", String::new()),
                _ => Reply::Status(200, "", String::new()),
            }
        });
        let data = data(&folder);
        let subscribed = Self { folder, data, _database: database, webhooks };
        subscribed.write("/users", "/flaky");
        subscribed
    }

    fn write(&self, users: &str, posts: &str) {
        let address = self.webhooks.address;
        let text = format!(
            "endpoint: http://localhost:4466
datamodel: datamodel.prisma
subscriptions:
  users:
    query: users.graphql
    webhook:
      url: http://${{self:custom.hooks}}{users}
      headers:
        Authorization: Bearer ${{env:HOOK_TOKEN}}
  posts:
    query: |
      subscription {{
        post(where: {{ mutation_in: [UPDATED, DELETED] }}) {{
          mutation updatedFields node {{ title author {{ email }} }} previousValues {{ title tags }}
        }}
      }}
    webhook: http://{address}{posts}
custom:
  hooks: {address}
"
        );
        fs::write(self.file(), text).unwrap();
    }

    fn file(&self) -> PathBuf {
        self.folder.file("prisma.yml")
    }

    fn words(&self) -> Vec<String> {
        let datamodel = self.folder.file("datamodel.prisma");
        let mut words = vec!["serve", datamodel.to_str().unwrap(), "--data", &self.data];
        words.extend(["--listen", "127.0.0.1:0", "--subscription-webhooks"]);
        let file = self.file();
        words.push(file.to_str().unwrap());
        words.into_iter().map(str::to_owned).collect()
    }

    fn serve(&self, options: &[&str]) -> Server {
        let words = self.words();
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(options.iter().copied()).collect();
        Server::start_in(&[("HOOK_TOKEN", "s3cret")], &words)
    }

    /// Requests that the webhooks have received, as soon as there are so many.
    fn received(&self, count: usize) -> Vec<Received> {
        let (mut all, deadline) = (Vec::new(), Instant::now() + PATIENCE);
        while all.len() < count {
            all.extend(self.webhooks.received());
            assert!(Instant::now() < deadline, "{} of {count} requests", all.len());
            sleep(Duration::from_millis(20));
        }
        all
    }
}

/// The ids of the events that were received.
static SEEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

fn event_id(received: &Received) -> &str {
    &received.headers["x-thalweg-event-id"]
}

const USERS: &str = r#"
    subscription { user(where: { node: { email_ends_with: "@a.example" } }) { mutation node { email } } }
"#;

fn told(received: &Received) -> (String, Value) {
    (received.target.clone(), serde_json::from_str(&received.body).unwrap())
}

fn query(server: &Server, query: &str) -> Value {
    let answer = server.query("", query);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    match answer.get("errors") {
        Some(errors) => errors.clone(),
        None => answer["data"].clone(),
    }
}

#[test]
fn webhooks_receive_the_responses_of_subscriptions() {
    for subscribed in Subscribed::each() {
        let server = subscribed.serve(&["--events", "install"]);
        let created = query(
            &server,
            r#"mutation {
                a: createUser(data: { email: "a@a.example", posts: { create: [{ id: "p1", title: "T", tags: { set: ["x"] } }] } }) { email }
                b: createUser(data: { email: "b@b.example" }) { email }
            }"#,
        );
        assert_eq!(created["b"], json!({ "email": "b@b.example" }), "{created}");
        let received = subscribed.received(1);
        assert_eq!(received[0].headers["authorization"], "Bearer s3cret");
        assert_eq!(received[0].headers["content-type"], "application/json");
        let user = json!({ "mutation": "CREATED", "node": { "email": "a@a.example" } });
        let expected = ("/users".to_owned(), json!({ "data": { "user": user } }));
        assert_eq!(told(&received[0]), expected);
        // The first attempt fails, and the same event is sent again.
        query(
            &server,
            r#"mutation { updatePost(where: { id: "p1" }, data: { title: "U" }) { id } }"#,
        );
        let received = subscribed.received(2);
        let post = json!({
            "mutation": "UPDATED",
            "updatedFields": ["title"],
            "node": { "title": "U", "author": { "email": "a@a.example" } },
            "previousValues": { "title": "T", "tags": ["x"] },
        });
        let expected = ("/flaky".to_owned(), json!({ "data": { "post": post } }));
        assert_eq!([told(&received[0]), told(&received[1])], [expected.clone(), expected]);
        assert_eq!(event_id(&received[0]), event_id(&received[1]));
        query(&server, r#"mutation { deletePost(where: { id: "p1" }) { id } }"#);
        let received = subscribed.received(2);
        assert_eq!(told(&received[1]).1["data"]["post"]["node"], Value::Null);
        assert_eq!(told(&received[1]).1["data"]["post"]["previousValues"]["title"], "U");
    }
}

#[test]
fn events_of_a_killed_server_are_delivered_and_those_of_refused_changes_are_not_there() {
    for subscribed in Subscribed::each() {
        // Another server is to deliver.
        drop(subscribed.serve(&["--events", "install"]));
        let mut server = subscribed.serve(&["--events", "off"]);
        let refused = query(
            &server,
            r#"mutation {
                a: createUser(data: { email: "a@a.example" }) { email }
                b: createUser(data: { email: "c@a.example", posts: { connect: [{ id: "none" }] } }) { email }
                c: createUser(data: { email: "d@a.example" }) { email }
            }"#,
        );
        assert_eq!(refused[0]["code"], 3039, "{refused}");
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        assert_eq!(subscribed.webhooks.received().len(), 0);
        let _server = subscribed.serve(&[]);
        let received = subscribed.received(2);
        let mut emails: Vec<_> = received
            .iter()
            .map(|one| told(one).1["data"]["user"]["node"]["email"].clone())
            .collect();
        emails.sort_by_key(ToString::to_string);
        assert_eq!(emails, ["a@a.example", "d@a.example"]);
        sleep(Duration::from_millis(300));
        assert_eq!(subscribed.webhooks.received().len(), 0);
    }
}

#[test]
fn mistakes_of_subscriptions_are_told_at_the_start() {
    let subscribed =
        Subscribed::new(None, |folder| folder.file("shop.db").to_str().unwrap().to_owned());
    let fails = |expected: &str| {
        let words = subscribed.words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = crate::program::thalweg(&words);
        let output = command.env("HOOK_TOKEN", "x").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(expected), "{said}");
    };
    fails(
        "need the log of events, which the database lacks: start the server once with `--events install`",
    );
    fs::write(subscribed.folder.file("users.graphql"), "subscription { users { id } }").unwrap();
    fails("the subscription users: Cannot query field \"users\" on type \"Subscription\".");
    fs::write(subscribed.folder.file("users.graphql"), "{ users { id } }").unwrap();
    fails("the subscription users: it is no subscription");
    fs::write(subscribed.folder.file("users.graphql"), USERS).unwrap();
    let words = subscribed.words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, _, said) = outcome(&crate::program::run(&words));
    assert_ne!(code, Some(0));
    assert!(said.contains("subscriptions.users: webhook.headers.Authorization: the environment variable HOOK_TOKEN is not set"), "{said}");
}

#[test]
fn a_deployment_has_the_subscriptions_of_the_server() {
    let deploy = |service: &Service, url: &str| {
        let variables = json!({ "input": {
            "name": "default", "stage": "default", "types": DATAMODEL,
            "subscriptions": [{ "name": "users", "query": "subscription { user { node { id } } }",
                "url": url, "headers": [{ "name": "A", "value": "b" }] }],
        } });
        let query =
            "mutation ($input: DeployInput!) { deploy(input: $input) { errors { description } } }";
        let body = json!({ "query": query, "variables": variables });
        service.post("/management", "", &body).1
    };
    let folder = Folder::new();
    let file = folder.file("prisma.yml");
    fs::write(
        &file,
        "subscriptions: { users: { query: 'subscription { user { node { id } } }', \
        webhook: { url: 'http://127.0.0.1:9/a', headers: { A: b } } } }",
    )
    .unwrap();
    let options = ["--events", "install", "--subscription-webhooks", file.to_str().unwrap()];
    let service = Service::start(&options);
    let same = deploy(&service, "http://127.0.0.1:9/a");
    assert_eq!(same, json!({ "data": { "deploy": { "errors": [] } } }));
    let other = deploy(&service, "http://127.0.0.1:9/b");
    let message = other["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("--subscription-webhooks"), "{other}");
}
