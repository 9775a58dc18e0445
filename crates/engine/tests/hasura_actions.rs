//! Actions of Hasura's dialect: webhooks of a real server, with its failures.

mod failures;
mod relationships;
mod remote;
mod remote_roles;
mod start;
mod validation;

use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clients::egress::EgressSettings;
use dialects::hasura::environment::Environment;
use dialects::hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialects::{Dialect, hasura};
use engine::gateway::Caller;
use engine::{
    Allowed, Claims, Delivery, Engine, OpenError, Options, PoolLimits, Report, ResolverOptions,
    Session, SourceAddress, Worker,
};
use expect_test::{Expect, expect};
use graphql::Request;
use http::HeaderMap;
use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

static DATABASES: AtomicUsize = AtomicUsize::new(0);

/// The tables of all tests.
const TABLES: &str = "
    CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL);
    CREATE TABLE book (id integer PRIMARY KEY, author_id integer REFERENCES author, title text NOT NULL);
    INSERT INTO author VALUES (1, 'Ada'), (2, 'Bob');
    INSERT INTO book VALUES (10, 1, 'One'), (11, 1, 'Two'), (12, 2, 'Three');
";

/// The beginning of metadata: the tables of the database.
const TRACKED: &str = "
version: 3
sources:
  - name: default
    kind: postgres
    configuration: {connection_info: {database_url: postgres://localhost/a}}
    tables:
      - table: {schema: public, name: author}
        array_relationships:
          - name: books
            using: {foreign_key_constraint_on: {column: author_id, table: {schema: public, name: book}}}
      - table: {schema: public, name: book}
";

/// A file that is removed in the end.
struct Database(PathBuf);

impl Database {
    fn new() -> Self {
        let number = DATABASES.fetch_add(1, Ordering::Relaxed);
        let name = format!("thalweg-actions-{}-{number}.db", process::id());
        let path = std::env::temp_dir().join(name);
        rusqlite::Connection::open(&path).unwrap().execute_batch(TABLES).unwrap();
        Self(path)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(ending);
            fs::remove_file(name).ok();
        }
    }
}

/// Options that allow requests to this machine.
fn local() -> ResolverOptions {
    let egress = EgressSettings {
        hosts: vec!["127.0.0.1".parse().unwrap()],
        networks: vec!["127.0.0.0/8".parse().unwrap()],
        timeout: Duration::from_millis(500),
        most_bytes: 1 << 20,
        ..EgressSettings::default()
    };
    ResolverOptions { egress, ..ResolverOptions::default() }
}

/// Runs a future to its end on this thread.
fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test)
}

/// Options with metadata of the tables and of these actions.
fn dialect(actions: &str) -> Result<hasura::Options, String> {
    dialect_of(&[TRACKED, actions].concat())
}

fn dialect_of(metadata: &str) -> Result<hasura::Options, String> {
    let served = ServedSource::choose(read_text("metadata.yaml", metadata), None);
    let served = served.map_err(|error| error.to_string())?;
    let variables = [("KEY", "secret"), ("SHOP", "shop")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(hasura::Options {
        metadata: MetadataSetting::Read(served),
        environment: Environment::new(variables),
        ..hasura::Options::default()
    })
}

async fn open(
    database: &Database,
    dialect: hasura::Options,
    resolvers: ResolverOptions,
) -> Result<Arc<Engine>, OpenError> {
    let options = Options {
        resolvers: Some(resolvers),
        ..Options::new(Dialect::Hasura(dialect), PoolLimits::unshared(1))
    };
    Engine::open(&SourceAddress::Sqlite(database.0.clone()), &options).await
}

/// A client: its session variables, by default those of the administrator, and its headers.
#[derive(Default)]
struct Client<'a> {
    session: Option<Value>,
    headers: &'a [(&'static str, &'static str)],
}

async fn ask(worker: &Worker, text: &str, variables: &Value, client: &Client<'_>) -> String {
    let body = json!({"query": text, "variables": variables}).to_string();
    let request = Request::from_json(body.as_bytes()).unwrap();
    let mut headers = HeaderMap::new();
    for (name, value) in client.headers {
        headers.insert(*name, value.parse().unwrap());
    }
    let session = client.session.clone().unwrap_or_else(|| json!({"x-hasura-role": "admin"}));
    let claims = Some(Arc::new(Claims::new(serde_json_bytes::to_value(session).unwrap())));
    let caller = Caller {
        session: Session { settings: None, claims },
        forwarded: worker.engine().read_headers().map(|read| Box::new(read.collect(&headers))),
        ..Caller::default()
    };
    let mut report = Report::default();
    let (allowed, delivery) = (Allowed::All, Delivery::Streamed);
    let answer = worker.deliver_for(&request, &caller, allowed, delivery, &mut report).await;
    String::from_utf8(answer.body.into()).unwrap()
}

/// Sends requests, and compares the answers and the requests that the other server received.
fn check(
    reply: fn(&Received) -> Reply,
    actions: &str,
    requests: &[(&str, Value)],
    client: &Client<'_>,
    expect: &Expect,
) {
    check_shown(reply, actions, requests, client, shown, expect);
}

/// Sends requests, and compares the answers only.
fn check_answers(
    reply: fn(&Received) -> Reply,
    actions: &str,
    requests: &[(&str, Value)],
    client: &Client<'_>,
    expect: &Expect,
) {
    check_shown(reply, actions, requests, client, |_| String::new(), expect);
}

fn check_shown(
    reply: fn(&Received) -> Reply,
    actions: &str,
    requests: &[(&str, Value)],
    client: &Client<'_>,
    shown: fn(&Received) -> String,
    expect: &Expect,
) {
    check_metadata(reply, &[TRACKED, actions].concat(), requests, client, shown, expect);
}

/// The same with other tracked tables.
fn check_metadata(
    reply: fn(&Received) -> Reply,
    metadata: &str,
    requests: &[(&str, Value)],
    client: &Client<'_>,
    shown: fn(&Received) -> String,
    expect: &Expect,
) {
    let server = HttpServer::start(reply);
    let address = server.address.to_string();
    let metadata = metadata.replace("SERVER", &address);
    let database = Database::new();
    let text = block_on(async {
        let engine = open(&database, dialect_of(&metadata).unwrap(), local()).await.unwrap();
        let worker = Worker::new(engine);
        let mut text = String::new();
        for (request, variables) in requests {
            text.push_str(&ask(&worker, request, variables, client).await);
            text.push('\n');
            for received in server.received() {
                text.push_str(&shown(&received));
            }
        }
        text
    });
    expect.assert_eq(&text.replace(&address, "SERVER"));
}

/// A request with the headers that tests are about.
fn shown(received: &Received) -> String {
    let Received { method, target, headers, body } = received;
    let mut text = format!("  {method} {target}\n");
    for (name, value) in headers {
        if !matches!(name.as_str(), "host" | "content-length" | "accept" | "user-agent") {
            text.push_str(&format!("    {name}: {value}\n"));
        }
    }
    if !body.is_empty() {
        text.push_str(&format!("    {body}\n"));
    }
    text
}

const ACTIONS: &str = r#"
actions:
  - name: greet
    comment: Says hello.
    definition:
      handler: http://SERVER/{{SHOP}}/greet
      type: query
      output_type: Greeting!
      headers:
        - {name: x-key, value_from_env: KEY}
      arguments:
        - {name: person, type: Person!, description: Of whom.}
        - {name: mood, type: Mood}
    permissions:
      - role: editor
  - name: publish
    definition:
      handler: http://SERVER/publish
      type: mutation
      output_type: "[Greeting!]"
      forward_client_headers: true
      arguments:
        - {name: days, type: "[Day!]!"}
        - {name: id, type: uuid}
  - name: count
    definition: {handler: "http://SERVER/count", type: mutation, output_type: Int!}
custom_types:
  input_objects:
    - name: Person
      fields:
        - {name: name, type: String!}
        - {name: friends, type: "[Person!]"}
  objects:
    - name: Greeting
      description: A hello.
      fields:
        - {name: text, type: String!, description: A sentence.}
        - {name: mood, type: Mood}
        - {name: inner, type: Greeting}
        - {name: extra, type: jsonb}
        - {name: number, type: Int}
  scalars:
    - {name: Day, description: A date.}
  enums:
    - name: Mood
      values:
        - {value: HAPPY, description: As in spring.}
        - {value: SAD, is_deprecated: true}
"#;

fn reply(received: &Received) -> Reply {
    let body: Value = serde_json::from_str(&received.body).unwrap_or(Value::Null);
    match received.target.as_str() {
        "/shop/greet" => Reply::Json(json!({
            "text": format!("Hello {}", body["input"]["person"]["name"].as_str().unwrap_or("?")),
            "mood": body["input"]["mood"],
            "inner": {"text": "in", "number": 7, "unknown": 1},
            "extra": {"any": ["JSON", null]},
        })),
        "/publish" => Reply::Json(json!([{"text": "a"}, {"text": "b", "mood": "SAD"}])),
        "/count" => Reply::Json(json!(3)),
        _ => Reply::Status(404, "", String::new()),
    }
}

#[test]
fn the_schema_has_actions_and_their_types() {
    let database = Database::new();
    let actions = ACTIONS.replace("SERVER", "127.0.0.1:1");
    let schema = block_on(async {
        let engine = open(&database, dialect(&actions).unwrap(), local()).await.unwrap();
        engine.sdl()
    });
    let shown = |name: &str| {
        let start = schema.find(&format!("{name} {{")).unwrap();
        let rest = &schema[start..];
        format!("{}\n", &rest[..rest.find("\n}").unwrap() + 2])
    };
    let field = |name: &str| {
        let line = schema.lines().position(|line| line.trim_start().starts_with(name)).unwrap();
        let lines: Vec<_> = schema.lines().skip(line.saturating_sub(1)).take(9).collect();
        format!("{}\n", lines.join("\n"))
    };
    let mut text = String::new();
    for name in ["type Greeting", "input Person", "enum Mood"] {
        text.push_str(&shown(name));
    }
    for name in ["greet(", "publish(", "count: Int!"] {
        text.push_str(&field(name));
    }
    expect![[r#"
        type Greeting {
          extra: jsonb
          inner: Greeting
          mood: Mood
          number: Int

          """A sentence."""
          text: String!
        }
        input Person {
          friends: [Person!]
          name: String!
        }
        enum Mood {
          """As in spring."""
          HAPPY
          SAD @deprecated
        }
          """Says hello."""
          greet(
            mood: Mood

            """Of whom."""
            person: Person!
          ): Greeting!

          """There are no queries available to the current role."""
          ): book
          publish(days: [Day!]!, id: uuid): [Greeting!]

          """
          update data of the table: "author"
          """
          update_author(
            """increments the numeric columns with given value of the filtered values"""
            _inc: author_inc_input
        type mutation_root {
          count: Int!

          """
          delete data from the table: "author"
          """
          delete_author(
            """filter the rows which have to be deleted"""
            where: author_bool_exp!
    "#]]
    .assert_eq(&text);
    let roles = dialects::hasura::actions::roles(
        dialect(&actions).unwrap().metadata.served().unwrap().metadata(),
    );
    assert_eq!(roles[0].parent, "query_root");
    assert_eq!((&*roles[0].field, &*roles[0].roles), ("greet", &["editor".into()][..]));
    assert_eq!((roles[1].parent, roles[1].roles.len()), ("mutation_root", 0));
}

#[test]
fn a_query_sends_its_arguments_and_the_session() {
    let query = "query ($name: String!) { greet(mood: HAPPY, person: {name: $name, friends: [{name: \"x\"}]}) \
                 { hello: text mood __typename inner { number text inner { text } } extra } }";
    let client = Client {
        session: Some(json!({"x-hasura-role": "editor", "x-hasura-user-id": "7", "sub": "x"})),
        headers: &[("authorization", "Bearer x")],
    };
    check(
        reply,
        ACTIONS,
        &[(query, json!({"name": "Ada"}))],
        &client,
        &expect![[r#"
        {"data":{"greet":{"hello":"Hello Ada","mood":"HAPPY","__typename":"Greeting","inner":{"number":7,"text":"in","inner":null},"extra":{"any":["JSON",null]}}}}
          POST /shop/greet
            content-type: application/json
            x-key: secret
            {"action":{"name":"greet"},"input":{"mood":"HAPPY","person":{"name":"Ada","friends":[{"name":"x"}]}},"request_query":"query ($name: String!) { greet(mood: HAPPY, person: {name: $name, friends: [{name: \"x\"}]}) { hello: text mood __typename inner { number text inner { text } } extra } }","session_variables":{"x-hasura-role":"editor","x-hasura-user-id":"7"}}
    "#]],
    );
}

#[test]
fn mutations_run_one_after_the_other_and_forward_headers() {
    let mutation = "mutation { publish(days: [\"1\", 2]) { text mood } \
                    insert_author_one(object: {id: 3, name: \"C\"}) { id } count }";
    let client = Client {
        headers: &[("authorization", "Bearer x"), ("x-hasura-role", "y"), ("cookie", "a=b")],
        ..Client::default()
    };
    check(
        reply,
        ACTIONS,
        &[(mutation, json!({})), ("{ author(where: {id: {_eq: 3}}) { name } }", json!({}))],
        &client,
        &expect![[r#"
            {"data":{"publish":[{"text":"a","mood":null},{"text":"b","mood":"SAD"}],"insert_author_one":{"id":3},"count":3}}
              POST /publish
                authorization: Bearer x
                content-type: application/json
                cookie: a=b
                {"action":{"name":"publish"},"input":{"days":["1",2]},"request_query":"mutation { publish(days: [\"1\", 2]) { text mood } insert_author_one(object: {id: 3, name: \"C\"}) { id } count }","session_variables":{"x-hasura-role":"admin"}}
              POST /count
                content-type: application/json
                {"action":{"name":"count"},"input":{},"request_query":"mutation { publish(days: [\"1\", 2]) { text mood } insert_author_one(object: {id: 3, name: \"C\"}) { id } count }","session_variables":{"x-hasura-role":"admin"}}
            {"data":{"author":[{"name":"C"}]}}
        "#]],
    );
}

#[test]
fn templates_change_requests_and_answers() {
    let actions = r#"
actions:
  - name: user
    definition:
      handler: http://SERVER/api
      type: query
      output_type: User
      arguments:
        - {name: id, type: Int!}
      request_transform:
        version: 2
        method: GET
        url: "{{$base_url}}/users/{{$body.input.id}}"
        query_params: {role: "{{$session_variables['x-hasura-role']}}", none: "{{null}}"}
        request_headers: {add_headers: {x-a: "{{$body.action.name}}"}, remove_headers: [content-type]}
        body: {action: remove}
        template_engine: Kriti
      response_transform:
        version: 2
        body:
          action: transform
          template: |
            {{ if $response.status == 404 }} {"message": "no user", "extensions": {"code": "not-found", "id": {{$request.body.body.input.id}}}}
            {{ else }} {"name": {{$body.user.fullName}}} {{ end }}
        template_engine: Kriti
custom_types:
  objects:
    - {name: User, fields: [{name: name, type: String!}]}
"#;
    fn reply(received: &Received) -> Reply {
        match received.target.starts_with("/api/users/1?") {
            true => Reply::Json(json!({"user": {"fullName": "Ada L."}})),
            false => Reply::Status(404, "", "not here".to_owned()),
        }
    }
    let requests =
        [("{ user(id: 1) { name } }", json!({})), ("{ user(id: 2) { name } }", json!({}))];
    check(
        reply,
        actions,
        &requests,
        &Client::default(),
        &expect![[r#"
            {"data":{"user":{"name":"Ada L."}}}
              GET /api/users/1?role=admin
                x-a: user
            {"errors":[{"message":"no user","extensions":{"code":"not-found","id":2}}]}
              GET /api/users/2?role=admin
                x-a: user
        "#]],
    );
}

#[test]
fn roles_have_the_actions_that_name_them() {
    let editor = Client { session: Some(json!({"x-hasura-role": "editor"})), ..Client::default() };
    let requests = [
        ("{ greet(person: {name: \"Ada\"}) { text } }", json!({})),
        (
            "{ __type(name: \"query_root\") { fields { name } } __schema { mutationType { name } } }",
            json!({}),
        ),
        (
            "{ __type(name: \"Day\") { name } mood: __type(name: \"Mood\") { enumValues { name } } }",
            json!({}),
        ),
        ("mutation { count }", json!({})),
        ("{ author { name } }", json!({})),
    ];
    check_answers(
        reply,
        ACTIONS,
        &requests,
        &editor,
        &expect![[r#"
            {"data":{"greet":{"text":"Hello Ada"}}}
            {"data":{"__type":{"fields":[{"name":"greet"}]},"__schema":{"mutationType":null}}}
            {"data":{"__type":null,"mood":{"enumValues":[{"name":"HAPPY"}]}}}
            {"errors":[{"message":"no mutations exist","extensions":{"code":"validation-failed","path":"$"}}]}
            {"errors":[{"message":"field 'author' not found in type: 'query_root'","extensions":{"code":"validation-failed","path":"$.selectionSet.author"}}]}
        "#]],
    );
    let child = "inherited_roles: [{role_name: child, role_set: [editor]}]\n";
    let client = Client { session: Some(json!({"x-hasura-role": "child"})), ..Client::default() };
    check_answers(
        reply,
        &[ACTIONS, child].concat(),
        &[requests[0].clone(), requests[3].clone()],
        &client,
        &expect![[r#"
            {"data":{"greet":{"text":"Hello Ada"}}}
            {"errors":[{"message":"no mutations exist","extensions":{"code":"validation-failed","path":"$"}}]}
        "#]],
    );
}
