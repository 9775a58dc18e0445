//! Settings of valid files, and problems of wrong ones.

use std::path::Path;

use expect_test::{Expect, expect};

use super::*;
use crate::configuration::expand::NotText;
use crate::options::RequestLimit;

fn variable(name: &str) -> Variable {
    match name {
        "TOKEN" => Ok(Some("hunter2".to_owned())),
        "HOST" => Ok(Some("reviews.example".to_owned())),
        "TIMES" => Ok(Some("3".to_owned())),
        "LINES" => Ok(Some("a\r\nb".to_owned())),
        "BYTES" => Err(NotText),
        _ => Ok(None),
    }
}

const SUBGRAPHS: [(&str, &str); 3] = [
    ("accounts", "http://accounts:4001/graphql"),
    ("reviews", "http://127.0.0.1:4002/"),
    ("products", ""),
];

fn defaults() -> Defaults {
    Defaults {
        timeout: std::time::Duration::from_secs(30),
        connect_timeout: std::time::Duration::from_secs(2),
        connections: 64,
        max_requests: (RequestLimit::Share(50), 512),
        most_bytes: 1 << 20,
        deduplicate: false,
    }
}

/// Compares the settings of each subgraph, or all problems.
fn check(text: &str, expected: &Expect) {
    let text = text.trim_start();
    let resolved = SubgraphsFile::parse(Path::new("s.toml"), text, &variable)
        .map_err(|refused| format!("error: {refused}\n"))
        .and_then(|file| {
            file.resolve(&SUBGRAPHS, &[], defaults()).map_err(|error| format!("error: {error}\n"))
        });
    let told = match resolved {
        Ok(resolved) => {
            let names = SUBGRAPHS.iter().map(|(name, _)| name);
            let lines = names.zip(&resolved).map(|(name, resolved)| match resolved {
                Resolved::Remote { settings, rules, .. } => {
                    format!("{name}: {settings:?}\n{name}: {rules:?}\n")
                }
                Resolved::Local(source) => format!("{name}: {source:?}\n"),
                Resolved::Events(source) => format!("{name}: {source:?}\n"),
                Resolved::Connectors(source) => format!("{name}: {source:?}\n"),
            });
            lines.collect()
        }
        Err(error) => error,
    };
    assert!(!told.contains("hunter2"), "{told}");
    expected.assert_eq(&told);
}

#[test]
fn what_a_subgraph_does_not_say_is_said_for_all_or_by_options() {
    check(
        r#"
[all]
timeout = "5s"
retries = 0
breaker = false
compression = { requests = "zstd", min-size = "4KiB" }

[subgraphs.reviews]
url = "http://${HOST}/graphql"
retries = "${TIMES}"
breaker = { errors = "25%", of = 10 }
compression = false

[subgraphs.products]
url = "unix:/run/products.sock:/graphql"
http2 = "prior-knowledge"
idle = "1m"
connect-timeout = "100ms"
connections = 2
max-answer = "8MiB"
deduplicate = true
breaker = { window = "1m", pause = "1s" }
"#,
        &expect![[r#"
            accounts: Settings { name: "accounts", endpoint: Endpoint { target: Tcp { is_encrypted: false, authority: accounts:4001, host: Name("accounts"), port: 4001 }, path: /graphql }, connect_timeout: 2s, timeout: 5s, most_bytes: 1048576, retries: 0, http2: Negotiated, connections: 64, most_requests: Some(256), idle: 30s, compression: Some(Compression { requests: Some(Zstd), min_size: 4096 }), breaker: None, deduplicate: false, tls: None }
            accounts: Rules([])
            reviews: Settings { name: "reviews", endpoint: Endpoint { target: Tcp { is_encrypted: false, authority: reviews.example, host: Name("reviews.example"), port: 80 }, path: /graphql }, connect_timeout: 2s, timeout: 5s, most_bytes: 1048576, retries: 3, http2: Negotiated, connections: 64, most_requests: Some(256), idle: 30s, compression: None, breaker: Some(BreakerSettings { percent: 25, min_requests: 10, window: 10s, pause: 5s }), deduplicate: false, tls: None }
            reviews: Rules([])
            products: Settings { name: "products", endpoint: Endpoint { target: Unix("/run/products.sock"), path: /graphql }, connect_timeout: 100ms, timeout: 5s, most_bytes: 8388608, retries: 0, http2: PriorKnowledge, connections: 2, most_requests: Some(256), idle: 60s, compression: Some(Compression { requests: Some(Zstd), min_size: 4096 }), breaker: Some(BreakerSettings { percent: 50, min_requests: 20, window: 60s, pause: 1s }), deduplicate: true, tls: None }
            products: Rules([])
        "#]],
    );
}

#[test]
fn rules_of_all_come_first() {
    check(
        r#"
[all]
headers = [{ forward = "X-*" }, { insert = "authorization", value = "Bearer ${TOKEN}" }]

[subgraphs.products]
url = "http://products/graphql"

[[subgraphs.products.headers]]
remove = "x-internal"

[[subgraphs.products.headers]]
insert = "x-user"
claim = "user.id"

[[subgraphs.products.headers]]
rename = "x-tenant"
to = "tenant"

[[subgraphs.products.headers]]
insert = "x-key"
env = "TOKEN"
"#,
        &expect![[r#"
            accounts: Settings { name: "accounts", endpoint: Endpoint { target: Tcp { is_encrypted: false, authority: accounts:4001, host: Name("accounts"), port: 4001 }, path: /graphql }, connect_timeout: 2s, timeout: 30s, most_bytes: 1048576, retries: 1, http2: Negotiated, connections: 64, most_requests: Some(256), idle: 30s, compression: None, breaker: Some(BreakerSettings { percent: 50, min_requests: 20, window: 10s, pause: 5s }), deduplicate: false, tls: None }
            accounts: Rules([Forward(Like(Pattern { before: "x-", between: [], after: "" })), Insert { name: "authorization", value: Value(Sensitive) }])
            reviews: Settings { name: "reviews", endpoint: Endpoint { target: Tcp { is_encrypted: false, authority: 127.0.0.1:4002, host: Address(127.0.0.1), port: 4002 }, path: / }, connect_timeout: 2s, timeout: 30s, most_bytes: 1048576, retries: 1, http2: Negotiated, connections: 64, most_requests: Some(256), idle: 30s, compression: None, breaker: Some(BreakerSettings { percent: 50, min_requests: 20, window: 10s, pause: 5s }), deduplicate: false, tls: None }
            reviews: Rules([Forward(Like(Pattern { before: "x-", between: [], after: "" })), Insert { name: "authorization", value: Value(Sensitive) }])
            products: Settings { name: "products", endpoint: Endpoint { target: Tcp { is_encrypted: false, authority: products, host: Name("products"), port: 80 }, path: /graphql }, connect_timeout: 2s, timeout: 30s, most_bytes: 1048576, retries: 1, http2: Negotiated, connections: 64, most_requests: Some(256), idle: 30s, compression: None, breaker: Some(BreakerSettings { percent: 50, min_requests: 20, window: 10s, pause: 5s }), deduplicate: false, tls: None }
            products: Rules([Forward(Like(Pattern { before: "x-", between: [], after: "" })), Insert { name: "authorization", value: Value(Sensitive) }, Remove(One("x-internal")), Insert { name: "x-user", value: Claim("user.id") }, Rename { from: "x-tenant", to: "tenant" }, Insert { name: "x-key", value: Value(Sensitive) }])
        "#]],
    );
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    check(
        r#"
every = 1
[all]
url = "http://all/"
timeout = "soon"
retries = 11
conections = 5
max_answer = 5
http2 = "always"
deduplicate = "true"
[subgraphs]
reviews = "http://reviews"
[subgraphs.accounts]
url = "accounts:4001"
connections = 0
breaker = { errors = "0%", off = 1 }
compression = { requests = "lzma" }
tls = { cert = "a.pem", "key file" = "b" }
"#,
        &expect![[r#"
            error: s.toml:1:1: the file has no `every`; there are `all`, `subgraphs` and `providers`
            error: s.toml:3:1: `all` has no `url`; there are `timeout`, `connect-timeout`, `retries`, `http2`, `connections`, `max-requests`, `idle`, `max-answer`, `compression`, `breaker`, `deduplicate`, `cache`, `tls`, `subscription` and `headers`
            error: s.toml:4:11: `timeout`: `soon` cannot be used: a time is wanted, such as `30s`, `250ms` or `5m`
            error: s.toml:5:11: `retries`: a whole number from 0 to 10 is wanted
            error: s.toml:6:1: `all` has no `conections`; `connections` is one
            error: s.toml:7:1: `all` has no `max_answer`; `max-answer` is one
            error: s.toml:8:9: `http2`: `always` cannot be used: "never", "negotiated" or "prior-knowledge" is wanted
            error: s.toml:9:15: `deduplicate`: `true` or `false` is wanted, without quotes
            error: s.toml:11:11: `reviews`: a table is wanted, not a string
            error: s.toml:13:7: `url`: `accounts:4001` is no address of a subgraph; one is `http://host:4001/graphql`, `https://host/graphql` or `unix:/path/of.sock:/graphql`
            error: s.toml:14:15: `connections`: a whole number from 1 to 10000 is wanted
            error: s.toml:15:22: `errors`: `0%` cannot be used: a percentage is wanted, from `1%` to `100%`
            error: s.toml:15:28: `breaker` has no `off`; `of` is one
            error: s.toml:16:28: `requests`: `lzma` cannot be used: "gzip", "br", "zstd" or "deflate" is wanted
            error: s.toml:17:7: `tls`: `cert` and `key` need each other
            error: s.toml:17:25: `tls` has no `key file`; `key` is one
        "#]],
    );
}

#[test]
fn wrong_rules_are_told_each() {
    check(
        r#"
[all]
headers = [
    { forward = "host" },
    { forward = "a b" },
    { forward = "a", remove = "b" },
    { forward = "a", value = "b" },
    { insert = "a" },
    { insert = "a*", value = "b" },
    { insert = "a", value = "${LINES}" },
    { insert = "a", env = "NOTHING" },
    { insert = "a", env = "BYTES" },
    { insert = "a", claim = "" },
    { insert = "a", value = "b", claim = "c" },
    { rename = "a" },
    { rename = "a", to = "content-type" },
    { foward = "a" },
    {},
    "authorization",
]
[subgraphs.reviews]
headers = { forward = "a" }
"#,
        &expect![[r#"
            error: s.toml:3:17: `forward`: `host` cannot be used: it belongs to the connection or the body, and is made anew for each subgraph
            error: s.toml:4:17: `forward`: `a b` cannot be used: a header's name is wanted, such as `x-tenant`, or `x-*` for all that begin so
            error: s.toml:5:5: a rule has one action: `forward`, `insert`, `remove` or `rename`
            error: s.toml:6:22: `value` has no place beside `forward`
            error: s.toml:7:7: `insert` needs one of `value`, `claim` and `env`
            error: s.toml:8:16: `insert`: the name of one header is wanted, such as `x-tenant`
            error: s.toml:9:29: `value`: a header's value has no line breaks
            error: s.toml:10:27: `env`: the environment variable `NOTHING` is not set
            error: s.toml:11:27: `env`: the environment variable `BYTES` is not UTF-8
            error: s.toml:12:29: `claim`: the name of a claim is wanted, such as `sub`
            error: s.toml:13:7: `insert` needs one of `value`, `claim` and `env`
            error: s.toml:14:5: `rename` needs `to`, the new name
            error: s.toml:15:26: `to`: it belongs to the connection or the body, and is made anew for each subgraph
            error: s.toml:16:7: a rule has no `foward`; `forward` is one
            error: s.toml:17:5: a rule has one action: `forward`, `insert`, `remove` or `rename`
            error: s.toml:18:5: `headers`: a table is wanted, not a string
            error: s.toml:21:11: `headers`: a list of rules, such as `[{ forward = "authorization" }]`, is wanted, not a table
        "#]],
    );
}

#[test]
fn secrets_are_not_shown() {
    check(
        r#"
[all]
timeout = "${TOKEN}"
retries = "${TOKEN}"
http2 = "${TOKEN}"
deduplicate = "${TOKEN}"
max-answer = "${TOKEN}"
headers = [{ forward = "${TOKEN} " }]
[subgraphs.reviews]
url = "${TOKEN}"
"#,
        &expect![[r#"
            error: s.toml:2:11: `timeout`: a time is wanted, such as `30s`, `250ms` or `5m`
            error: s.toml:3:11: `retries`: a whole number from 0 to 10 is wanted
            error: s.toml:4:9: `http2`: "never", "negotiated" or "prior-knowledge" is wanted
            error: s.toml:5:15: `deduplicate`: `true` or `false` is wanted
            error: s.toml:6:14: `max-answer`: a size is wanted, such as `1MiB`, `64KiB` or `4096`
            error: s.toml:7:24: `forward`: a header's name is wanted, such as `x-tenant`, or `x-*` for all that begin so
            error: s.toml:9:7: `url`: the value cannot be used
        "#]],
    );
}

#[test]
fn a_subgraph_that_is_none_is_refused_with_a_hint() {
    check(
        r#"
[subgraphs.review]
url = "http://reviews"
[subgraphs.weather]
[subgraphs.products]
url = "http://products"
"#,
        &expect![[r#"
            error: s.toml:1:12: the supergraph has no subgraph `review`; `reviews` is one
            error: s.toml:3:12: the supergraph has no subgraph `weather`; the enum `join__Graph` has their names
        "#]],
    );
}

#[test]
fn a_subgraph_has_to_be_somewhere() {
    check(
        "",
        &expect![[r#"
            error: the subgraph `products` has no address; set its `url` or its `source` in the file of `--subgraphs`
        "#]],
    );
}

#[test]
fn a_source_is_asked_without_a_server() {
    check(
        r#"
[all]
timeout = "5s"
[subgraphs.products]
source = "sqlite:products.db"
[subgraphs.reviews]
source = "postgres://${HOST}/shop"
dialect = "phrag"
schema = ["app", "public"]
policies = "policies.toml"
federation-extend = "reviews.graphql"
timeout = "1s"
max-answer = "8MiB"
"#,
        &expect![[r#"
            accounts: Settings { name: "accounts", endpoint: Endpoint { target: Tcp { is_encrypted: false, authority: accounts:4001, host: Name("accounts"), port: 4001 }, path: /graphql }, connect_timeout: 2s, timeout: 5s, most_bytes: 1048576, retries: 1, http2: Negotiated, connections: 64, most_requests: Some(256), idle: 30s, compression: None, breaker: Some(BreakerSettings { percent: 50, min_requests: 20, window: 10s, pause: 5s }), deduplicate: false, tls: None }
            accounts: Rules([])
            reviews: LocalSource { entry: SourceEntry { address: Postgres("postgres://reviews.example/shop"), text: postgres://reviews.example/shop, words: ["--dialect=phrag", "--federation-extend=reviews.graphql", "--policies=policies.toml", "--schema=app,public"], by_preset: [] }, timeout: 1s, most_bytes: 8388608, most_requests: 256 }
            products: LocalSource { entry: SourceEntry { address: Sqlite("products.db"), text: sqlite:products.db, words: [], by_preset: [] }, timeout: 5s, most_bytes: 1048576, most_requests: 256 }
        "#]],
    );
    check(
        r#"
[subgraphs.accounts]
dialect = "phrag"
schema = ["public"]
[subgraphs.products]
source = "neo4j://graph"
url = "http://products"
retries = 2
headers = []
dialect = "neo4j"
[subgraphs.reviews]
source = "mysql://localhost"
schema = "app"
policies = 5
"#,
        &expect![[r#"
            error: s.toml:2:1: `dialect` needs `source`
            error: s.toml:3:1: `schema` needs `source`
            error: s.toml:6:1: `url` has no place beside `source`, which is called without HTTP
            error: s.toml:7:1: `retries` has no place beside `source`, which is called without HTTP
            error: s.toml:8:1: `headers` has no place beside `source`, which is called without HTTP
            error: s.toml:11:10: `source`: `mysql://` is no known source; use a path, `sqlite:…`, `postgres://…` or `neo4j://…`
            error: s.toml:13:12: `policies`: a string is wanted, not a number
        "#]],
    );
}

#[test]
fn a_graph_is_a_source_with_type_definitions() {
    check(
        r#"
[subgraphs.accounts]
source = "neo4j+s://graph.example"
types = "accounts.graphql"
federation-extend = "keys.graphql"
[subgraphs.products]
source = "bolt://graph.example"
[subgraphs.reviews]
source = "reviews.db"
"#,
        &expect![[r#"
            accounts: LocalSource { entry: SourceEntry { address: Neo4j("neo4j+s://graph.example"), text: neo4j+s://graph.example, words: ["--federation-extend=keys.graphql", "--types=accounts.graphql"], by_preset: [] }, timeout: 30s, most_bytes: 1048576, most_requests: 256 }
            reviews: LocalSource { entry: SourceEntry { address: Sqlite("reviews.db"), text: reviews.db, words: [], by_preset: [] }, timeout: 30s, most_bytes: 1048576, most_requests: 256 }
            products: LocalSource { entry: SourceEntry { address: Neo4j("bolt://graph.example"), text: bolt://graph.example, words: [], by_preset: [] }, timeout: 30s, most_bytes: 1048576, most_requests: 256 }
        "#]],
    );
    check(
        r#"
[subgraphs.accounts]
types = "accounts.graphql"
[subgraphs.products]
source = "products.db"
types = "products.graphql"
[subgraphs.reviews]
source = "neo4j://graph"
types = 5
schema = ["public"]
policies = "policies.toml"
"#,
        &expect![[r#"
            error: s.toml:2:1: `types` needs `source`
            error: s.toml:5:1: `types` needs `dialect neo4j`
            error: s.toml:8:9: `types`: a string is wanted, not a number
            error: s.toml:9:1: `schema` is for PostgreSQL, and the source is a graph: leave it out
            error: s.toml:10:1: `policies` is not for a graph: authorization of a graph is in its type definitions, by `@authorization`
        "#]],
    );
}

#[test]
fn certificates_have_to_be_there() {
    check(
        r#"
[all]
tls = { ca = "/none/ca.pem" }
[subgraphs.accounts]
url = "https://accounts"
[subgraphs.reviews]
url = "https://reviews"
[subgraphs.products]
url = "https://products"
tls = { cert = "/none/own.pem", key = "/none/own.key" }
"#,
        &expect![[r#"
            error: s.toml:2:7: `tls`: cannot read /none/ca.pem: No such file or directory (os error 2)
            error: s.toml:9:7: `tls`: cannot read /none/own.pem: No such file or directory (os error 2)
        "#]],
    );
}

#[test]
fn the_syntax_comes_first() {
    check(
        "[all]\ntimeout = 'hunter2\nretries = 1\nretries = 2\n",
        &expect![[r#"
        error: s.toml:2:19: invalid literal string, expected `'`
        error: s.toml:4:1: duplicate key
    "#]],
    );
}

#[test]
fn a_source_has_the_options_of_its_dialect_and_no_others() {
    check(
        r#"
[subgraphs.accounts]
source = "accounts.db"
simple-collections = "only"
aggregates = true
[subgraphs.reviews]
source = "postgres://localhost/shop"
dialect = "phrag"
default-limit = 50
use-aggregation = false
[subgraphs.products]
source = "neo4j://graph"
limit-required = true
"#,
        &expect![[r#"
            accounts: LocalSource { entry: SourceEntry { address: Sqlite("accounts.db"), text: accounts.db, words: ["--aggregates", "--simple-collections=only"], by_preset: [] }, timeout: 30s, most_bytes: 1048576, most_requests: 256 }
            reviews: LocalSource { entry: SourceEntry { address: Postgres("postgres://localhost/shop"), text: postgres://localhost/shop, words: ["--default-limit=50", "--dialect=phrag", "--use-aggregation=false"], by_preset: [] }, timeout: 30s, most_bytes: 1048576, most_requests: 256 }
            products: LocalSource { entry: SourceEntry { address: Neo4j("neo4j://graph"), text: neo4j://graph, words: ["--limit-required"], by_preset: [] }, timeout: 30s, most_bytes: 1048576, most_requests: 256 }
        "#]],
    );
    check(
        r#"
[subgraphs.accounts]
source = "accounts.db"
geometric-types = true
default-limit = 50
dialects = "phrag"
[subgraphs.reviews]
source = "postgres://localhost/shop"
dialect = "neo4j"
[subgraphs.products]
source = "products.db"
dialect = "phrag"
default-limit = "50"
omit-list-suffix = true
"#,
        &expect![[r#"
            error: s.toml:3:1: `geometric-types` is for PostgreSQL, and the source is an SQLite file: leave it out
            error: s.toml:4:1: `default-limit` needs `dialect phrag`
            error: s.toml:5:1: a subgraph has no `dialects`; `dialect` is one
            error: s.toml:5:1: `dialects` has no place beside `source`, which is called without HTTP
            error: s.toml:8:1: `dialect neo4j` needs a graph: an address such as `neo4j://localhost:7687`
            error: s.toml:12:17: `default-limit`: a whole number is wanted, without quotes
        "#]],
    );
}
