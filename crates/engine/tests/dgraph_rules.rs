//! Rules of `@auth`: mistakes in them, and objects that they hide, which no request may reveal.

use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;

use dialects::{Dialect, dgraph};
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{
    Allowed, Claims, Delivery, Engine, OpenOptions, Options, PoolLimits, Report, Session,
    SourceAddress, Worker,
};
use expect_test::{Expect, expect};
use graphql::Request;
use proptest::collection::vec;
use proptest::num::u8::ANY;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value, json};
use testkit::fuzz::Choices;
use testkit::postgres::{required_installations, shared};
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

/// A file that is removed with its logs.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("thalweg-rules-{}-{name}.db", process::id())))
    }

    fn address(&self) -> SourceAddress {
        SourceAddress::Sqlite(self.0.clone())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm"] {
            let mut name = self.0.as_os_str().to_owned();
            name.push(ending);
            fs::remove_file(name).ok();
        }
    }
}

/// A runtime whose tasks live until it is dropped.
pub(crate) struct Local(Runtime, LocalSet);

impl Local {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Self(runtime.unwrap(), LocalSet::new())
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.1.block_on(&self.0, future)
    }
}

/// Opens a database by its definitions, with their rules or without.
pub(crate) async fn open(
    address: &SourceAddress,
    definitions: &str,
    has_rules: bool,
) -> Result<Worker, String> {
    let mut model = dgraph::definitions::read(definitions).unwrap();
    if !has_rules {
        model.types.iter_mut().for_each(|known| known.auth = dgraph::model::Auth::default());
    }
    let dialect = dgraph::Options {
        model: Arc::new(model),
        nested_filters: true,
        ..dgraph::Options::default()
    };
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        schema_first: Some(SchemaFirst {
            definitions: definitions.into(),
            apply: ApplyMigrations::First,
        }),
        ..Options::new(Dialect::Dgraph(dialect), PoolLimits::unshared(1))
    };
    let engine = Engine::open(address, &options).await.map_err(|error| error.to_string())?;
    Ok(Worker::new(engine))
}

pub(crate) async fn ask(worker: &Worker, query: &str, claims: Option<&Value>) -> Value {
    let claims =
        claims.map(|claims| Arc::new(Claims::new(serde_json::from_value(claims.clone()).unwrap())));
    let session = Session { claims, ..Session::default() };
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (delivery, mut report) = (Delivery::Whole, Report::default());
    let answered =
        worker.deliver_reported(&request, &session, Allowed::All, delivery, &mut report).await;
    serde_json::from_slice(&answered.body).unwrap()
}

#[test]
fn mistakes_in_rules_are_errors_at_the_start() {
    let file = File::new("mistakes");
    let check = |rule: &str, expected: &Expect| {
        let rule = serde_json::Value::from(rule);
        let types = format!(
            "type A @auth(query: {{ rule: {rule} }}) {{\n id: ID! b: String @search(by: [hash, regexp]) \
             c: Boolean @search on: D }}\n type D @generate(query: {{ query: false }}) {{ e: Int @search }}"
        );
        let opened = Local::new().block_on(open(&file.address(), &types, true));
        let error = opened.err().unwrap_or_default();
        expected.assert_eq(&error);
    };
    check(
        "query { queryA(filter: { x: { eq: 1 } }) { id } }",
        &expect![[
            r#"a rule of the type definitions cannot be applied: line 1, column 29: `@auth` of `A`: Field "x" is not defined by type "AFilter"."#
        ]],
    );
    check(
        "query { queryA(first: 1) { id } }",
        &expect![
            "a rule of the type definitions cannot be applied: line 1, column 29: `@auth` of `A`: the argument `first` is no condition: remove it"
        ],
    );
    check(
        "query { queryA(order: { asc: b }) { id } }",
        &expect![
            "a rule of the type definitions cannot be applied: line 1, column 29: `@auth` of `A`: the argument `order` is no condition: remove it"
        ],
    );
    check(
        "query { queryA { nothing } }",
        &expect![[
            r#"a rule of the type definitions cannot be applied: line 1, column 29: `@auth` of `A`: Cannot query field "nothing" on type "A"."#
        ]],
    );
    check("query { queryA { on(filter: { e: { eq: 1 } }) { e } } }", &expect![]);
    check(
        "query ($B: String!) { queryA(filter: { b: { regexp: $B } }) { id } }",
        &expect![
            "a rule of the type definitions cannot be applied: line 1, column 29: `@auth` of `A`: a pattern has to be written down: it cannot be a variable"
        ],
    );
    check("query ($C: Boolean!) { queryA(filter: { c: $C }) { id } }", &expect![]);
    check(
        "query ($F: AFilter!) { queryA(filter: $F) { id } }",
        &expect![
            "a rule of the type definitions cannot be applied: line 1, column 29: `@auth` of `A`: `$F` is an object: claims are single values or lists"
        ],
    );
}

/// Mistakes in rules of several types, operations and parts of a rule; an interface's is told once.
#[test]
fn all_mistakes_in_rules_are_reported_with_their_places() {
    let types = r#"
interface I @auth(query: { rule: "query { queryI(filter: { x: 1, y: 2 }) { id } }" }) { id: ID! b: Int @search }
type A implements I @auth(
  add: { or: [
    { rule: "query { queryA { nothing } }" }
    { not: { rule: """
      query { queryA(first: 1) { id } }
    """ } }
  ] }
  delete: { rule: "query { queryA { id } }" }
) { c: Int }
type B implements I @auth(update: { rule: "query { queryB(order: { asc: b }) { id } }" }) { c: Int }
"#;
    let file = File::new("several");
    let opened = Local::new().block_on(open(&file.address(), types, true));
    expect![[r#"
        a rule of the type definitions cannot be applied: line 2, column 34: `@auth` of `A`: Field "x" is not defined by type "IFilter".
        line 5, column 13: `@auth` of `A`: Cannot query field "nothing" on type "A".
        line 6, column 20: `@auth` of `A`: the argument `first` is no condition: remove it
        line 12, column 43: `@auth` of `B`: the argument `order` is no condition: remove it"#]].assert_eq(&opened.err().unwrap_or_default());
}

const TYPES: &str = include_str!("../../../fixtures/databases/team/schema.graphql");
const ROWS: &str = include_str!("../../../fixtures/databases/team/data.graphql");

/// Sessions of different kinds.
fn sessions() -> Vec<Option<Value>> {
    vec![
        None,
        Some(json!({})),
        Some(json!({ "USER": "ann" })),
        Some(json!({ "USER": "bea", "ROLE": ["AUDITOR"] })),
        Some(json!({ "USER": "cid", "ROLE": "ADMIN" })),
        Some(json!({ "IDS": ["0x4", "0x9"] })),
        Some(json!({ "USER": "dan", "ROLE": "AUDITOR", "IDS": [] })),
    ]
}

/// Types with rules, each with a field that all of its objects have.
const GUARDED: [&str; 4] = ["Task", "Project", "Note", "Question"];

/// Deletes what a session does not see.
async fn delete_hidden(guarded: &Worker, free: &Worker, claims: Option<&Value>) {
    for name in GUARDED {
        let query = format!("{{ query{name} {{ id }} }}");
        let seen = ask(guarded, &query, claims).await;
        let seen: Vec<&str> = seen["data"][format!("query{name}")]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| object["id"].as_str().unwrap())
            .collect();
        let seen = Value::from(seen);
        let delete = format!(
            "mutation {{ delete{name}(filter: {{ not: {{ id: {seen} }} }}) {{ numUids }} }}"
        );
        let deleted = ask(free, &delete, None).await;
        assert_eq!(deleted["errors"], Value::Null, "{deleted}");
    }
}

/// A random query of an object type.
fn query(choices: &mut Choices<'_>) -> String {
    let mut text = "{ ".to_owned();
    for number in 0..=choices.below(3) {
        let name = ["Task", "Project", "Member", "Post"][choices.below(4)];
        if choices.chance(20) {
            let filter = filter(name, 3, choices);
            text.push_str(&format!("q{number}: aggregate{name}{filter} {{ count }} "));
            continue;
        }
        let filter = filter(name, 3, choices);
        let cascade = if choices.chance(25) { " @cascade" } else { "" };
        let fields = fields(name, 3, choices);
        text.push_str(&format!("q{number}: query{name}{filter}{cascade} {{ {fields} }} "));
    }
    text.push('}');
    text
}

/// Relations with the type to which they lead.
fn relations(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "Task" => &[("project", "Project"), ("owner", "Member")],
        "Project" => &[("members", "Member"), ("tasks", "Task")],
        "Member" => &[("projects", "Project"), ("tasks", "Task")],
        _ => &[("about", "Project")],
    }
}

fn is_list(relation: &str) -> bool {
    relation.ends_with('s')
}

fn fields(name: &str, depth: usize, choices: &mut Choices<'_>) -> String {
    let mut text = match name {
        "Task" => "code level",
        "Project" => "title isOpen",
        "Member" => "name",
        _ => "__typename text author",
    }
    .to_owned();
    if depth == 0 {
        return text;
    }
    for (relation, other) in relations(name) {
        if choices.chance(50) {
            let filter = filter(other, depth - 1, choices);
            let below = fields(other, depth - 1, choices);
            text.push_str(&format!(" {relation}{filter} {{ {below} }}"));
        }
        if is_list(relation) && choices.chance(30) {
            text.push_str(&format!(" {relation}Aggregate {{ count }}"));
        }
    }
    text
}

fn filter(name: &str, depth: usize, choices: &mut Choices<'_>) -> String {
    match choices.chance(60) {
        true => format!("(filter: {{ {} }})", condition(name, depth, choices)),
        false => String::new(),
    }
}

fn condition(name: &str, depth: usize, choices: &mut Choices<'_>) -> String {
    let kind = choices.below(6);
    if depth > 0 && kind == 0 {
        return format!("not: {{ {} }}", condition(name, depth - 1, choices));
    }
    if depth > 0 && kind == 1 {
        let (one, other) =
            (condition(name, depth - 1, choices), condition(name, depth - 1, choices));
        return format!("or: [{{ {one} }}, {{ {other} }}]");
    }
    if let Some((relation, other)) = choices.pick(relations(name))
        && kind < 5
    {
        return match depth > 0 && kind < 4 {
            true => format!("{relation}: {{ {} }}", condition(other, depth - 1, choices)),
            false => format!("has: {relation}"),
        };
    }
    match name {
        "Task" => format!("level: {{ ge: {} }}", choices.below(6)),
        "Project" => format!("isOpen: {}", choices.chance(50)),
        "Member" => format!("name: {{ eq: \"{}\" }}", ["ann", "bea", "cid"][choices.below(3)]),
        _ => format!("author: {{ eq: \"{}\" }}", ["ann", "bea", "all"][choices.below(3)]),
    }
}

/// Requests of a session are answered as by a database that lacks the objects that it does not see.
#[test]
fn hidden_objects_count_as_absent() {
    let server = required_installations().unwrap();
    let server = server.first().map(|installation| shared(installation).unwrap());
    for (number, claims) in sessions().into_iter().enumerate() {
        let (all, rest) = (File::new(&format!("all{number}")), File::new(&format!("rest{number}")));
        let mut pairs = vec![[all.address(), rest.address()]];
        if let Some(server) = server {
            pairs.push(["all", "rest"].map(|kind| {
                let name = format!("rules_{kind}{}_{number}", process::id());
                server.create_database(&name).unwrap();
                SourceAddress::Postgres(server.socket_url(&name))
            }));
        }
        for [all, rest] in pairs {
            compare(&all, &rest, claims.as_ref());
        }
    }
}

fn compare(all: &SourceAddress, rest: &SourceAddress, claims: Option<&Value>) {
    let local = Local::new();
    let (guarded, without) = local.block_on(async {
        for address in [all, rest] {
            let free = open(address, TYPES, false).await.unwrap();
            let added = ask(&free, ROWS, None).await;
            assert_eq!(added["errors"], Value::Null, "{added}");
        }
        let guarded = open(all, TYPES, true).await.unwrap();
        let free = open(rest, TYPES, false).await.unwrap();
        delete_hidden(&guarded, &free, claims).await;
        (guarded, free)
    });
    let config = Config {
        cases: 40,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&vec(ANY, 0..60), |tape| {
        let query = query(&mut Choices::new(&tape));
        let found = local.block_on(ask(&guarded, &query, claims));
        let expected = local.block_on(ask(&without, &query, None));
        proptest::prop_assert_eq!(found, expected, "{:?}: {}", claims, query);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
