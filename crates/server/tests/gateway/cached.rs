//! The cache of subgraph responses: entities and root fields, in memory and in Redis.

use serde_json::{Value, json};
use testkit::broker::{Broker, Kind};
use testkit::tokens::Issuer;

use crate::gateway::site::{PRODUCTS, QUERY, Site, prepare, refused};
use crate::gateway::stubs::{Fault, Stubs};
use crate::program::{Answer, Server};

const MEMORY: [&str; 2] = ["--subgraph-cache", "memory"];
const SECRET: &str = "a secret of the cache";
const JWT_SECRET: &str = "a secret of tokens that is long enough";

/// The requests of each subgraph since the last call, as the keys of their entities.
fn asked(stubs: &Stubs) -> Vec<(String, Vec<String>)> {
    let asked = stubs.asked().into_iter().map(|asked| {
        let entities = asked.body["variables"]["representations0"].as_array();
        let entities =
            entities.into_iter().flatten().map(|one| one["upc"].as_str().unwrap().into());
        (asked.path.trim_start_matches('/').to_owned(), entities.collect())
    });
    asked.collect()
}

fn request(subgraph: &str, entities: &[&str]) -> (String, Vec<String>) {
    (subgraph.into(), entities.iter().map(|&one| one.into()).collect())
}

fn site(subgraphs: &str, options: &[&str]) -> Site {
    Site::start_with(subgraphs, &[&MEMORY, options].concat())
}

fn invalidate(server: &Server, what: &Value) -> Answer {
    let secret = format!("Authorization: Bearer {SECRET}\r\n");
    send_invalidation(server, &secret, &what.to_string())
}

fn send_invalidation(server: &Server, headers: &str, body: &str) -> Answer {
    let request = format!(
        "POST /cache/invalidate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         {headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    server.send(request.as_bytes())
}

#[test]
fn known_entities_are_left_out_of_a_fetch() {
    let site = site("", &[]);
    site.stubs.set_caching("stock", "max-age=600");
    let one = site.query("query One { product(upc: \"1\") { inStock } }");
    assert_eq!(one, r#"{"data":{"product":{"inStock":true}}}"#);
    assert_eq!(asked(&site.stubs), [request("shop", &[]), request("stock", &["1"])]);
    // In an operation with another name.
    assert_eq!(site.query("query Two { products { upc name inStock } }"), PRODUCTS);
    assert_eq!(asked(&site.stubs), [request("shop", &[]), request("stock", &["2"])]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    assert_eq!(asked(&site.stubs), [request("shop", &[])]);
    site.stubs.set_caching("shop", "max-age=600");
    for _ in 0..2 {
        assert_eq!(site.query(QUERY), PRODUCTS);
    }
    assert_eq!(asked(&site.stubs), [request("shop", &[])]);
}

#[test]
fn only_what_may_be_kept_is_kept() {
    let site = site("", &["--subgraph-cache-ttl", "10m"]);
    let count = |query: &str| {
        site.query(query);
        site.query(query);
        asked(&site.stubs).len()
    };
    for caching in ["no-store", "no-cache, max-age=60", "max-age=0", "private, max-age=60"] {
        site.stubs.set_caching("stock", caching);
        assert_eq!(count("{ stores }"), 2, "{caching}");
    }
    // Errors, even beside data.
    site.stubs.set_caching("stock", "max-age=60");
    let failed = json!({ "data": { "stores": null }, "errors": [{ "message": "no" }] });
    site.stubs.fail("stock", Fault::Says(failed));
    assert_eq!(count("{ stores }"), 2);
    site.stubs.heal();
    assert_eq!(count("{ stores }"), 1);
    assert_eq!(count("mutation { rename(upc: \"1\", name: \"x\") { upc } }"), 2);
    // Without a header by the option.
    assert_eq!(count("{ products { upc } }"), 1);
    // Variables and arguments are parts of the key.
    assert_eq!(count("{ product(upc: \"1\") { upc } }"), 1);
    assert_eq!(count("{ product(upc: \"2\") { upc } }"), 1);
}

#[test]
fn without_a_header_and_an_option_nothing_is_kept() {
    let site = site("", &[]);
    for _ in 0..2 {
        assert_eq!(site.query(QUERY), PRODUCTS);
    }
    assert_eq!(asked(&site.stubs).len(), 4);
}

#[test]
fn errors_of_entities_have_their_places() {
    let site = site("", &[]);
    site.stubs.set_caching("stock", "max-age=600");
    site.query("{ product(upc: \"1\") { inStock } }");
    asked(&site.stubs);
    let failed = json!({
        "data": { "_entities": [{ "__typename": "Product", "inStock": true }, null] },
        "errors": [{ "message": "no", "path": ["_entities", 1] }]
    });
    site.stubs.fail("stock", Fault::Says(failed));
    let answer: Value = serde_json::from_str(&site.query(QUERY)).unwrap();
    assert_eq!(answer["errors"][0]["path"], json!(["products", 1, "inStock"]), "{answer}");
    assert_eq!(answer["data"]["products"][0]["inStock"], true, "{answer}");
    // The smaller request had errors, so the whole one was sent.
    let whole = request("stock", &["1", "2"]);
    assert_eq!(asked(&site.stubs), [request("shop", &[]), request("stock", &["2"]), whole]);
}

#[test]
fn private_responses_are_kept_for_each_user() {
    let user = |name: &str| {
        let token = Issuer::secret(JWT_SECRET).token(&json!({ "sub": name }).to_string());
        format!("Authorization: Bearer {token}\r\n")
    };
    let tokens = ["--jwt-secret", JWT_SECRET, "--jwt-verify-audience", "*"];
    let count = |site: &Site, who: &str| {
        let answer = site.server.query(who, "{ stores }");
        assert_eq!(answer.body, r#"{"data":{"stores":3}}"#);
        asked(&site.stubs).len()
    };
    let kept = site("", &[&tokens[..], &["--subgraph-cache-user", "sub"]].concat());
    kept.stubs.set_caching("stock", "private, max-age=600");
    assert_eq!(count(&kept, &user("ada")), 1);
    assert_eq!(count(&kept, &user("ada")), 0);
    assert_eq!(count(&kept, &user("bob")), 1);
    assert_eq!(count(&kept, &user("bob")), 0);
    // Without a user nothing private is kept, nor found.
    assert_eq!(count(&kept, ""), 1);
    assert_eq!(count(&kept, ""), 1);
    let not_kept = site("", &tokens);
    not_kept.stubs.set_caching("stock", "private, max-age=600");
    assert_eq!(count(&not_kept, &user("ada")), 1);
    assert_eq!(count(&not_kept, &user("ada")), 1);
    // Public ones are for all.
    not_kept.stubs.set_caching("stock", "max-age=600");
    assert_eq!(count(&not_kept, &user("ada")), 1);
    assert_eq!(count(&not_kept, &user("bob")), 0);
}

#[test]
fn headers_of_requests_are_parts_of_the_key() {
    let subgraphs = "[[subgraphs.stock.headers]]\nforward = \"x-tenant\"\n\
                     [[subgraphs.stock.headers]]\ninsert = \"x-user\"\nclaim = \"sub\"\n";
    let tokens = ["--jwt-secret", JWT_SECRET, "--jwt-verify-audience", "*"];
    let site = site(subgraphs, &[&tokens[..], &["--subgraph-cache-ttl", "10m"]].concat());
    let count = |headers: &str| {
        site.server.query(headers, "{ stores }");
        asked(&site.stubs).len()
    };
    assert_eq!(count("X-Tenant: a\r\n"), 1);
    assert_eq!(count("X-Tenant: a\r\nX-Other: 1\r\n"), 0);
    assert_eq!(count("X-Tenant: b\r\n"), 1);
    assert_eq!(count(""), 1);
    let token = Issuer::secret(JWT_SECRET).token(r#"{"sub":"ada"}"#);
    assert_eq!(count(&format!("Authorization: Bearer {token}\r\n")), 1);
    assert_eq!(count(""), 0);
}

#[test]
fn the_file_has_settings_of_each_subgraph() {
    let subgraphs = "[all]\ncache = { ttl = \"10m\" }\n[subgraphs.shop]\ncache = false\n";
    let site = site(subgraphs, &[]);
    for _ in 0..2 {
        assert_eq!(site.query(QUERY), PRODUCTS);
    }
    let wanted = [request("shop", &[]), request("stock", &["1", "2"]), request("shop", &[])];
    assert_eq!(asked(&site.stubs), wanted);
}

#[test]
fn the_gateway_tells_how_long_its_response_may_be_kept() {
    let site = site("", &[]);
    let caching = |query: &str| {
        let answer = site.server.query("", query);
        answer.header("cache-control").unwrap().to_owned()
    };
    site.stubs.set_caching("stock", "max-age=60");
    assert_eq!(caching(QUERY), "no-store");
    site.stubs.set_caching("shop", "public, s-maxage=600");
    let told = caching(QUERY);
    assert!(["public,max-age=60", "public,max-age=59"].contains(&&*told), "{told}");
    assert_eq!(caching("mutation { rename(upc: \"1\", name: \"x\") { upc } }"), "no-store");
    assert_eq!(caching("{ nothing }"), "no-store");
}

#[test]
fn requests_invalidate_what_they_name() {
    let site = site("", &["--subgraph-cache-ttl", "10m", "--subgraph-cache-secret", SECRET]);
    let ask = || {
        assert_eq!(site.query(QUERY), PRODUCTS);
        asked(&site.stubs)
    };
    assert_eq!(ask().len(), 2);
    assert_eq!(ask(), []);
    let key = |upc: &str| json!({ "kind": "entity", "subgraph": "stock", "type": "Product", "key": { "upc": upc } });
    let answer = invalidate(&site.server, &key("2"));
    assert_eq!((answer.status, &*answer.body), (202, "{\"invalidated\":1}"));
    assert_eq!(ask(), [request("stock", &["2"])]);
    assert_eq!(ask(), []);
    assert_eq!(invalidate(&site.server, &key("9")).status, 202);
    assert_eq!(ask(), []);
    let of_type =
        |subgraph: &str| json!({ "kind": "type", "subgraph": subgraph, "type": "Product" });
    invalidate(&site.server, &json!([of_type("stock")]));
    assert_eq!(ask(), [request("stock", &["1", "2"])]);
    // A root field returns products, too.
    invalidate(&site.server, &json!([of_type("shop")]));
    assert_eq!(ask(), [request("shop", &[])]);
    invalidate(&site.server, &json!([of_type("shop"), key("1")]));
    assert_eq!(ask(), [request("shop", &[]), request("stock", &["1"])]);
    invalidate(&site.server, &json!({ "kind": "subgraph", "subgraph": "shop" }));
    assert_eq!(ask(), [request("shop", &[])]);
}

#[test]
fn tags_of_schemas_invalidate() {
    let options = ["--subgraph-cache-ttl", "10m", "--subgraph-cache-secret", SECRET];
    let mut site = site("", &options);
    let tag = |graph: &str, format: &str| {
        format!(
            "@join__directive(graphs: [{graph}], name: \"federation__cacheTag\", \
             args: {{ format: \"{format}\" }})"
        )
    };
    let definition = "directive @join__directive(graphs: [join__Graph!], name: String!, args: \
                      join__DirectiveArguments) repeatable on OBJECT | FIELD_DEFINITION\n\
                      scalar join__DirectiveArguments\n";
    let text = site
        .stubs
        .supergraph()
        .replace("join/v0.3", "join/v0.5")
        .replace("type Query", &[definition, "type Query"].concat())
        .replace("products: [Product!]!", &format!("products: [Product!]! {}", tag("SHOP", "all")))
        .replace(
            "ID!): Product @join__field",
            &format!("ID!): Product {} @join__field", tag("SHOP", "one-{$args.upc}")),
        )
        .replace("type Product", &format!("type Product {}", tag("STOCK", "stock-{$key.upc}")));
    std::fs::write(site.supergraph(), text).unwrap();
    site.server.signal("HUP");
    site.wait_for("reloaded");
    let invalidate = |subgraph: &str, tag: &str| {
        let what = json!({ "kind": "cache_tag", "subgraphs": [subgraph], "cache_tag": tag });
        assert_eq!(invalidate(&site.server, &what).status, 202);
        assert_eq!(site.query(QUERY), PRODUCTS);
        site.query("{ product(upc: \"1\") { name } }");
        asked(&site.stubs)
    };
    assert_eq!(invalidate("shop", "none").len(), 3);
    assert_eq!(invalidate("shop", "none"), []);
    assert_eq!(invalidate("stock", "stock-2"), [request("stock", &["2"])]);
    assert_eq!(invalidate("stock", "stock-3"), []);
    assert_eq!(invalidate("shop", "stock-2"), []);
    assert_eq!(invalidate("shop", "all"), [request("shop", &[])]);
    // Arguments are not told apart.
    assert_eq!(invalidate("shop", "one-7"), [request("shop", &[])]);
}

#[test]
fn wrong_invalidations_are_refused() {
    let site = site("", &["--subgraph-cache-secret", SECRET]);
    let check = |what: &Value, wanted: &str| {
        let answer = invalidate(&site.server, what);
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert!(answer.body.contains(wanted), "{}", answer.body);
    };
    check(&json!({ "kind": "subgraph", "subgraph": "x" }), "there is no subgraph `x`");
    let of_type = json!({ "kind": "type", "subgraph": "stock", "type": "Mutation" });
    check(&of_type, "the subgraph `stock` has no type `Mutation`");
    let key = json!({ "kind": "entity", "subgraph": "stock", "type": "Product", "key": {} });
    check(&key, "the fields of a `key` of the entity are wanted");
    check(&json!({ "kind": "all" }), "Invalidations are wanted, such as");
    check(&json!({ "kind": "subgraph", "subgraph": "stock", "type": "x" }), "unknown field");
    check(&json!([]), "1 to 1000 invalidations are wanted");
    for headers in ["", "Authorization: Bearer a secret of the cachf\r\n", "Authorization: x\r\n"] {
        let answer = send_invalidation(&site.server, headers, "{}");
        assert_eq!(answer.status, 401, "{}", answer.body);
    }
    assert_eq!(site.server.get("/cache/invalidate", "").status, 405);
    let without = self::site("", &[]);
    assert_ne!(invalidate(&without.server, &json!([])).status, 202);
}

#[test]
fn mutations_read_what_they_have_written() {
    let site = site("", &["--subgraph-cache-ttl", "10m", "--batching"]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    site.query("{ product(upc: \"1\") { inStock } }");
    asked(&site.stubs);
    let entity = json!({ "__typename": "Product", "upc": "1", "inStock": false });
    site.stubs.fail("stock", Fault::Says(json!({ "data": { "_entities": [entity] } })));
    let mutation = "mutation { rename(upc: \"1\", name: \"x\") { inStock } }";
    assert_eq!(site.query(mutation), r#"{"data":{"rename":{"inStock":false}}}"#);
    let both = [request("shop", &[]), request("stock", &["1"])];
    assert_eq!(asked(&site.stubs), both);
    // A batch with a mutation.
    let query = "{ product(upc: \"1\") { inStock } }";
    let batch = json!([{ "query": mutation }, { "query": query }]).to_string();
    let answer = site.server.post("", &batch).body;
    assert!(!answer.contains("true"), "{answer}");
    assert_eq!(asked(&site.stubs).len(), 4);
    // Other queries still have what was kept.
    assert_eq!(site.query(query), r#"{"data":{"product":{"inStock":true}}}"#);
    assert_eq!(asked(&site.stubs), []);
}

#[test]
fn interfaces_and_types_beyond_the_limit_are_invalidated() {
    let options = ["--subgraph-cache-ttl", "10m", "--subgraph-cache-secret", SECRET];
    let mut site = site("", &options);
    let implements = "directive @join__implements(graph: join__Graph!, interface: String!) \
                      repeatable on OBJECT | INTERFACE\n\
                      interface Item @join__type(graph: STOCK) { upc: ID! }\n\
                      interface Thing @join__type(graph: STOCK) { id: ID }\n";
    let things = (0..201).map(|number| {
        format!(
            "type T{number} implements Thing @join__implements(graph: STOCK, interface: \
             \"Thing\") @join__type(graph: STOCK) {{ id: ID }}\n"
        )
    });
    let product = "type Product implements Item @join__implements(graph: STOCK, interface: \
                   \"Item\")";
    let text = site
        .stubs
        .supergraph()
        .replace("type Query", &[implements, &things.collect::<String>(), "type Query"].concat())
        .replace("stores: Int", "thing: Thing @join__field(graph: STOCK)\n  stores: Int")
        .replace("type Product", product);
    std::fs::write(site.supergraph(), text).unwrap();
    site.server.signal("HUP");
    site.wait_for("reloaded");
    let thing = json!({ "data": { "thing": { "__typename": "T0", "id": "1" } } });
    let ask = || {
        assert_eq!(site.query(QUERY), PRODUCTS);
        site.stubs.fail("stock", Fault::Says(thing.clone()));
        assert_eq!(site.query("{ thing { id } }"), r#"{"data":{"thing":{"id":"1"}}}"#);
        site.stubs.heal();
        asked(&site.stubs)
    };
    let of_type = |name: &str| json!({ "kind": "type", "subgraph": "stock", "type": name });
    assert_eq!(ask().len(), 3);
    assert_eq!(ask(), []);
    assert_eq!(invalidate(&site.server, &of_type("T7")).status, 202);
    assert_eq!(ask(), [request("stock", &[])]);
    assert_eq!(ask(), []);
    assert_eq!(invalidate(&site.server, &of_type("Item")).status, 202);
    // The response with more types than it has tags of is stale with each type.
    assert_eq!(ask(), [request("stock", &["1", "2"]), request("stock", &[])]);
    let item =
        json!({ "kind": "entity", "subgraph": "stock", "type": "Item", "key": { "upc": "2" } });
    assert_eq!(invalidate(&site.server, &item).status, 202);
    assert_eq!(ask(), [request("stock", &["2"])]);
}

#[test]
fn a_shared_response_from_before_an_invalidation_is_not_kept() {
    let options = ["--subgraph-cache-ttl", "10m", "--subgraph-cache-secret", SECRET];
    let site = site("", &[&options[..], &["--deduplicate-subgraph-requests"]].concat());
    let query = "{ stores }";
    site.stubs.fail("stock", Fault::Hangs);
    let pause = || std::thread::sleep(std::time::Duration::from_millis(300));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| site.query(query));
        pause();
        let all = json!({ "kind": "subgraph", "subgraph": "stock" });
        assert_eq!(invalidate(&site.server, &all).status, 202);
        let second = scope.spawn(|| site.query(query));
        pause();
        site.stubs.heal();
        for answer in [first, second] {
            assert_eq!(answer.join().unwrap(), r#"{"data":{"stores":3}}"#);
        }
    });
    assert_eq!(asked(&site.stubs), [request("stock", &[])]);
    site.query(query);
    site.query(query);
    assert_eq!(asked(&site.stubs), [request("stock", &[])]);
}

#[test]
fn equal_values_of_two_claims_are_two_users() {
    let tokens = ["--jwt-secret", JWT_SECRET, "--jwt-verify-audience", "*"];
    let mut site = site("[all]\ncache = { user = \"sub\" }\n", &tokens);
    site.stubs.set_caching("stock", "private, max-age=600");
    let count = |site: &Site, claim: &str| {
        let token = Issuer::secret(JWT_SECRET).token(&json!({ claim: "7" }).to_string());
        site.server.query(&format!("Authorization: Bearer {token}\r\n"), "{ stores }");
        asked(&site.stubs).len()
    };
    assert_eq!(count(&site, "sub"), 1);
    assert_eq!(count(&site, "sub"), 0);
    let file = site.folder.file("subgraphs.toml");
    std::fs::write(file, "[all]\ncache = { user = \"org\" }\n").unwrap();
    site.server.signal("HUP");
    site.wait_for("reloaded");
    assert_eq!(count(&site, "org"), 1);
    assert_eq!(count(&site, "org"), 0);
}

#[test]
fn servers_share_a_cache_in_redis_and_work_without_it() {
    if !Kind::Redis.is_installed() {
        return;
    }
    let mut broker = Broker::start(Kind::Redis, &[]).unwrap();
    let url = broker.url();
    let options = ["--subgraph-cache", &url, "--subgraph-cache-timeout", "10s"];
    let more = ["--subgraph-cache-ttl", "10m", "--subgraph-cache-secret", SECRET];
    let options = [&options[..], &more].concat();
    let site = Site::start_with("", &options);
    let (supergraph, file) = (site.supergraph(), site.folder.file("subgraphs.toml"));
    let usual = ["gateway", supergraph.to_str().unwrap(), "--subgraphs", file.to_str().unwrap()];
    let other = Server::start(&[&usual[..], &["--listen", "127.0.0.1:0"], &options].concat());
    assert_eq!(site.query(QUERY), PRODUCTS);
    assert_eq!(asked(&site.stubs).len(), 2);
    assert_eq!(other.query("", QUERY).body, PRODUCTS);
    assert_eq!(asked(&site.stubs), []);
    let key =
        json!({ "kind": "entity", "subgraph": "stock", "type": "Product", "key": { "upc": "1" } });
    assert_eq!(invalidate(&other, &key).status, 202);
    assert_eq!(site.query(QUERY), PRODUCTS);
    assert_eq!(asked(&site.stubs), [request("stock", &["1"])]);
    broker.kill();
    for _ in 0..2 {
        assert_eq!(site.query(QUERY), PRODUCTS);
    }
    assert_eq!(asked(&site.stubs).len(), 4);
    assert_eq!(invalidate(&site.server, &key).status, 503);
    broker.restart().unwrap();
    // The connection comes back by itself.
    let found = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(site.query(QUERY), PRODUCTS);
        asked(&site.stubs).is_empty()
    });
    assert!(found);
}

#[test]
fn wrong_settings_are_refused() {
    let check = |subgraphs: &str, options: &[&str], wanted: &str| {
        let (folder, _stubs) = prepare(subgraphs);
        let (supergraph, file) = (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
        let usual = [
            "gateway",
            supergraph.to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
            "--subgraphs",
            file.to_str().unwrap(),
        ];
        let error = refused(&[&usual, options].concat());
        assert!(error.contains(wanted), "{error}");
    };
    let needs = "`--subgraph-cache-ttl` needs `--subgraph-cache`";
    check("", &["--subgraph-cache-ttl", "1m"], needs);
    check("", &["--subgraph-cache", "disk"], "`memory` is wanted, or a Redis");
    let timeout = [&MEMORY[..], &["--subgraph-cache-timeout", "1s"]].concat();
    check("", &timeout, "needs a Redis in `--subgraph-cache`");
    let memory = ["--subgraph-cache", "redis://127.0.0.1:1", "--subgraph-cache-memory", "1MiB"];
    check("", &memory, "needs `--subgraph-cache memory`");
    let secret = [&MEMORY[..], &["--subgraph-cache-secret", "short"]].concat();
    check("", &secret, "at least 16 characters");
    let cache = "[subgraphs.stock]\ncache = true\n";
    check(cache, &[], "`cache` of the subgraph `stock` needs `--subgraph-cache`");
    let unknown = "[subgraphs.stock]\ncache = { time = \"1m\" }\n";
    check(unknown, &MEMORY, "`cache` has no `time`; there are `ttl` and `user`");
}
