//! Roles and claims on PostgreSQL, by tokens over HTTP: each request sees its own and nobody else's,
//! whatever ran on its connection before.
//!
//! * `served`, `databases`: the program and the databases, as the tests of faults have them

use std::fs;
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};
use testkit::tokens::Issuer;

use crate::databases::Database;
use crate::program::{Folder, PATIENCE, outcome, post, read_answer, run};
use crate::served::Served;

const SECRET: &str = "a secret of more than thirty-two bytes";

/// What a request says of who asks: all of it is read back.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

const TABLES: &str = r#"
DO $$ BEGIN
    FOR i IN 1..4 LOOP
        BEGIN
            EXECUTE 'CREATE ROLE claims_' || i;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$;
CREATE FUNCTION who() RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('role', current_user) || (
        SELECT jsonb_object_agg(n, current_setting('jwt.claims.' || n, true))
        FROM unnest('{a,b,c,d,e,f}'::text[]) AS n
    ) || jsonb_build_object('tenant', current_setting('app.tenant', true))
$$;
CREATE FUNCTION fail() RETURNS int LANGUAGE plpgsql STABLE AS $$
    BEGIN RAISE EXCEPTION 'not for %', current_setting('jwt.claims.a', true); END $$;
CREATE FUNCTION slow() RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
    BEGIN PERFORM pg_sleep(0.02); RETURN who(); END $$;
CREATE VIEW mirror AS SELECT 1 AS id, who() AS who;
CREATE VIEW long AS SELECT i AS id, who() AS who FROM generate_series(1, 9000) AS i;
CREATE TABLE item (id int PRIMARY KEY, note text);
CREATE TABLE part (id int PRIMARY KEY, item_id int REFERENCES item);
CREATE INDEX ON part (item_id);
CREATE FUNCTION part_who(part part) RETURNS jsonb LANGUAGE sql STABLE AS $$ SELECT who() $$;
INSERT INTO item SELECT i, 'note ' || i FROM generate_series(1, 3) AS i;
INSERT INTO part SELECT i, 1 + i % 3 FROM generate_series(1, 6) AS i;
CREATE TABLE mark (id serial PRIMARY KEY, who jsonb DEFAULT who(), note text NOT NULL);
CREATE FUNCTION make() RETURNS jsonb LANGUAGE sql VOLATILE AS $$ SELECT who() $$;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO PUBLIC;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO PUBLIC;
"#;

/// Requests of every kind of execution: a single statement, a function, several levels and roots, a
/// root that fails beside one that does not; changes with what is read after them, functions that
/// change, two transactions of which one fails; and at the end many rows.
const QUERIES: [&str; 9] = [
    "{ allMirrors { nodes { who } } }",
    "{ who }",
    "{ who allItems { nodes { id note partsByItemId { nodes { id who } } } } }",
    "{ fail who }",
    "{ allItems { nodes { note } } allMirrors { nodes { who } } }",
    "mutation { createMark(input: { mark: { note: \"\" } }) { mark { id who } query { who } } }",
    "mutation { make(input: {}) { who: json } a: createMark(input: { mark: { note: \"\" } }) {
        mark { who } query { allMirrors { nodes { who } } } } }",
    "mutation { a: createMark(input: { mark: { id: -1, note: \"\" } }) { mark { note } }
        make(input: {}) { who: json } }",
    "{ allLongs { nodes { who } } }",
];

/// Somebody who asks.
#[derive(Debug)]
struct Somebody {
    headers: String,
    /// What `who` must say; none of the role where it is the user of the connection.
    expected: Map<String, Value>,
}

impl Somebody {
    /// One of a thousand: five roles and eight sets of claims, each with values of their own.
    fn new(number: usize) -> Self {
        let mut claims = Map::new();
        let mut expected: Map<String, Value> =
            NAMES.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        for (place, name) in NAMES.iter().enumerate() {
            // Each name is in about half of the sets, and no two sets are equal.
            if ((number % 8) >> (place % 3)) & 1 == usize::from(place < 3) {
                let value = format!("{name} of {number} '\"\\,{{}}");
                expected.insert((*name).to_owned(), value.clone().into());
                claims.insert((*name).to_owned(), value.into());
            }
        }
        if !number.is_multiple_of(5) {
            let role = format!("claims_{}", number % 5);
            expected.insert("role".into(), role.clone().into());
            claims.insert("role".into(), role.into());
        }
        let token = Issuer::secret(SECRET).token(&Value::Object(claims).to_string());
        let mut headers = format!("Authorization: Bearer {token}\r\n");
        expected.insert("tenant".into(), Value::Null);
        if number.is_multiple_of(3) {
            headers.push_str(&format!("X-Tenant: t{number}\r\n"));
            expected.insert("tenant".into(), format!("t{number}").into());
        }
        Self { headers, expected }
    }

    /// Nobody: there is no token.
    fn nobody() -> Self {
        let names = NAMES.iter().chain(&["tenant"]);
        let expected = names.map(|name| ((*name).to_owned(), Value::Null)).collect();
        Self { headers: String::new(), expected }
    }

    fn check(&self, user: &str, found: &Value) {
        let mut expected = self.expected.clone();
        expected.entry("role").or_insert_with(|| user.into());
        assert_eq!(found, &Value::Object(expected), "{}", self.headers);
    }
}

fn serve(database: &Database, options: &[&str]) -> Served {
    let usual = [
        "--jwt-secret",
        SECRET,
        "--jwt-verify-audience",
        "*",
        "--dynamic-json",
        "--pg-setting-header",
        "X-Tenant=app.tenant",
    ];
    Served::start(&database.url(), &[&usual, options].concat())
}

/// A connection to the server that stays.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(served: &Served) -> Self {
        let stream = TcpStream::connect(served.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    fn send(&mut self, headers: &str, query: &str) {
        let body = json!({ "query": query }).to_string();
        let request = post("application/json", headers, &body);
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
    }

    fn ask(&mut self, headers: &str, query: &str) -> Value {
        self.send(headers, query);
        let answer = read_answer(&mut self.0, true);
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"))
    }
}

/// What all objects of the name `who` say.
fn all_who<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "who" => found.push(member),
                    _ => all_who(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| all_who(item, found)),
        _ => {}
    }
}

/// Asks as so many of a thousand in turn, on clients that come and go, while the tables change.
fn interleave(database: &Database, served: &Served, requests: usize) {
    let user = Client::new(served).ask("", "{ who }")["data"]["who"]["role"].clone();
    let user = user.as_str().unwrap();
    let everybody: Vec<_> = (0..1_000).map(Somebody::new).chain([Somebody::nobody()]).collect();
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            // Plans become stale, and are sent once more.
            for kind in ["varchar", "text"].into_iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                database.execute(&format!("ALTER TABLE item ALTER COLUMN note TYPE {kind}"));
                thread::sleep(Duration::from_millis(100));
            }
        });
        let clients: Vec<_> = (0..12)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Client::new(served);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= requests {
                            break;
                        }
                        let somebody = &everybody[number * 7_919 % everybody.len()];
                        if number.is_multiple_of(31) {
                            // Goes away while its statement runs.
                            client.send(&somebody.headers, "{ slow }");
                            thread::sleep(Duration::from_millis(number as u64 % 15));
                            client = Client::new(served);
                            continue;
                        }
                        // Long answers are few.
                        let long = QUERIES.len() - 1;
                        let kind = if number % 97 == 0 { long } else { number / 7 % long };
                        let query = QUERIES[kind];
                        let answer = client.ask(&somebody.headers, query);
                        let mut found = Vec::new();
                        all_who(&answer["data"], &mut found);
                        assert!(!found.is_empty(), "{query} {answer}");
                        found.iter().for_each(|found| somebody.check(user, found));
                        if query.contains("fail") {
                            let a = somebody.expected["a"].as_str().unwrap_or("<NULL>");
                            assert_eq!(answer["errors"][0]["message"], format!("not for {a}"));
                        } else if query.contains("-1") {
                            // The first makes it, and it is there for all others.
                            let code = &answer["errors"][0]["extensions"]["code"];
                            assert!(code.is_null() || code == "UNIQUE_VIOLATION", "{answer}");
                        } else {
                            assert!(answer.get("errors").is_none(), "{query} {answer}");
                        }
                    }
                })
            })
            .collect();
        let ended: Vec<_> = clients.into_iter().map(|client| client.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok), "a client has found something");
    });
}

/// How many requests; more where somebody wants to know it for certain.
fn requests() -> usize {
    std::env::var("THALWEG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500)
}

#[test]
fn a_thousand_tokens_on_four_connections_see_their_own_claims() {
    for database in Database::on_each(TABLES) {
        let served = serve(&database, &["--threads=1", "--connections=4"]);
        interleave(&database, &served, requests());
    }
}

#[test]
fn a_thousand_tokens_on_two_threads_see_their_own_claims() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let options = ["--threads=2", "--connections=4", "--shared-connections=0"];
    let served = serve(&database, &options);
    interleave(&database, &served, requests());
}

#[test]
fn one_connection_serves_everybody_in_turn() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let served = serve(&database, &["--threads=1", "--connections=1"]);
    interleave(&database, &served, requests() / 5);
}

/// Two roles, a policy, and a table for one of them.
const POLICIES: &str = r#"
DO $$ BEGIN
    FOR i IN 1..2 LOOP
        BEGIN
            EXECUTE 'CREATE ROLE ' || ('{policy_author,policy_reader}'::text[])[i];
        EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END LOOP;
END $$;
CREATE TABLE post (id int PRIMARY KEY, author_id int, is_public boolean, headline text, draft text);
INSERT INTO post VALUES (1, 7, true, 'one', 'd'), (2, 7, false, 'two', 'd'), (3, 8, true, 'three', 'd'),
    (4, 8, false, 'four', 'd');
CREATE TABLE comment (id int PRIMARY KEY, post_id int REFERENCES post, text text);
CREATE INDEX ON comment (post_id);
INSERT INTO comment VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (4, 4, 'd');
ALTER TABLE post ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON post TO policy_author
    USING (is_public OR author_id = current_setting('jwt.claims.user_id', true)::int);
CREATE POLICY others ON post FOR SELECT TO policy_reader USING (is_public);
GRANT SELECT ON post, comment TO policy_author;
GRANT SELECT (id, author_id, headline) ON post TO policy_reader;
"#;

#[test]
fn policies_and_grants_of_the_role_decide() {
    for database in Database::on_each(POLICIES) {
        let served = serve(&database, &["--default-role", "policy_reader"]);
        let mut client = Client::new(&served);
        let token = |claims: &str| {
            format!("Authorization: Bearer {}\r\n", Issuer::secret(SECRET).token(claims))
        };
        let author = token(r#"{"role":"policy_author","user_id":7}"#);
        let other = token(r#"{"role":"policy_author","user_id":8}"#);
        let posts = "{ allPosts(orderBy: ID_ASC) { nodes { id } } }";
        let mut check = |headers: &str, expected: &[i32]| {
            let nodes: Vec<_> = expected.iter().map(|id| json!({ "id": id })).collect();
            let expected = json!({ "data": { "allPosts": { "nodes": nodes } } });
            assert_eq!(client.ask(headers, posts), expected, "{headers}");
        };
        for _ in 0..3 {
            check(&author, &[1, 2, 3]);
            check(&other, &[1, 3, 4]);
            check("", &[1, 3]);
        }
        // Relationships are under the policies of both ends.
        let comments = "{ allComments { nodes { id postByPostId { headline } } } }";
        let answer = client.ask(&author, comments);
        let headlines: Vec<_> = answer["data"]["allComments"]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["postByPostId"]["headline"].clone())
            .collect();
        assert_eq!(headlines, [json!("one"), json!("two"), json!("three"), Value::Null]);
        // What the role may not read it is refused, and names nothing.
        for query in [comments, "{ allPosts { nodes { id draft } } }"] {
            let answer = client.ask("", query);
            assert_eq!(answer["errors"][0]["extensions"]["code"], "PERMISSION_DENIED", "{answer}");
            let message = answer["errors"][0]["message"].as_str().unwrap();
            assert!(!message.contains("post") && !message.contains("comment"), "{message}");
        }
        let answer = client.ask("", "{ allPosts(orderBy: ID_ASC) { nodes { headline } } }");
        assert_eq!(answer["data"]["allPosts"]["nodes"][1]["headline"], "three");
    }
}

#[test]
fn a_role_that_there_is_not_is_told_by_no_name() {
    let Some(database) = Database::on_one(POLICIES) else { return };
    let served = serve(&database, &["--threads=1", "--connections=1"]);
    let mut client = Client::new(&served);
    for role in ["nobody_of_this_name", "x\\\"; DROP TABLE post; --"] {
        let token = Issuer::secret(SECRET).token(&format!(r#"{{"role":"{role}"}}"#));
        let headers = format!("Authorization: Bearer {token}\r\n");
        for query in [
            "{ allPosts { nodes { id } } }",
            "{ allPosts { nodes { id } } allComments { nodes { id } } }",
            "mutation { a: createComment(input: { comment: { id: 9 } }) { comment { id } }
                b: createComment(input: { comment: { id: 9 } }) { clientMutationId } }",
        ] {
            let answer = client.ask(&headers, query);
            assert_eq!(answer["data"], Value::Null, "{answer}");
            let error = &answer["errors"][0];
            assert_eq!(error["extensions"]["code"], "UNAUTHENTICATED", "{answer}");
            let message =
                "The data source does not accept the role or the credentials of this request.";
            assert_eq!(error["message"], message);
            assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
        }
        assert_eq!(database.count("SELECT count(*) FROM comment WHERE id = 9"), 0);
        // The connection is none the worse.
        assert!(client.ask("", "{ allPosts { nodes { id } } }").get("errors").is_none());
    }
    assert!(served.log().contains("nobody_of_this_name"), "{}", served.log());
}

#[test]
fn what_the_database_says_of_a_request_is_said_to_its_role() {
    let Some(database) = Database::on_one(POLICIES) else { return };
    let served = serve(&database, &[]);
    let claims = r#"{"role":"policy_author","user_id":7}"#;
    let token = Issuer::secret(SECRET).token(claims);
    let body = json!({ "query": "{ allPosts { nodes { id } } }" }).to_string();
    let explain = |headers: &str| -> Value {
        let request = post("application/json", headers, &body);
        let request = request.replacen("POST /graphql", "POST /explain", 1);
        let mut client = Client::new(&served);
        client.0.get_mut().write_all(request.as_bytes()).unwrap();
        serde_json::from_str(&read_answer(&mut client.0, true).body).unwrap()
    };
    let plan = |answer: &Value| answer["statements"][0]["plan"].as_str().unwrap().to_owned();
    let own = explain(&format!("Authorization: Bearer {token}\r\n"));
    assert!(plan(&own).contains("jwt.claims.user_id"), "{own}");
    assert!(!plan(&explain("")).contains("jwt.claims.user_id"));
    let refused = explain("Authorization: Bearer x\r\n");
    assert_eq!(refused["errors"][0]["message"], "invalid token");
}

#[test]
fn an_operation_is_explained_for_the_role_and_the_claims() {
    let Some(database) = Database::on_one(POLICIES) else { return };
    let folder = Folder::new();
    let query = folder.file("query.graphql");
    fs::write(&query, "{ allPosts { nodes { id } } }").unwrap();
    let (url, query) = (database.url(), query.to_str().unwrap().to_owned());
    let explain = |more: &[&str]| outcome(&run(&[&["explain", &url, &query], more].concat()));
    let check = |more: &[&str], by_claim: bool, by_public: bool| {
        for analyze in [&[][..], &["--analyze"]] {
            let (code, told, error) = explain(&[more, analyze].concat());
            assert_eq!((code, error.as_str()), (Some(0), ""), "{more:?}");
            let found = (told.contains("jwt.claims.user_id"), told.contains("is_public"));
            assert_eq!(found, (by_claim, by_public), "{more:?}: {told}");
        }
    };
    let claims = r#"{"user_id":7}"#;
    check(&[], false, false);
    check(&["--claims", claims], false, false);
    check(&["--role", "policy_author", "--claims", claims], true, true);
    check(&["--role", "policy_reader"], false, true);
    check(&["--default-role", "policy_reader"], false, true);
    check(&["--default-role", "policy_reader", "--role", "policy_author"], true, true);
    // Roles that a server refuses are refused in its words.
    let (code, _, error) = explain(&["--role", "nobody_of_this_name"]);
    assert!(code == Some(1) && error.contains("does not accept the role"), "{error}");
    let (code, _, error) = explain(&["--role", "none"]);
    assert!(code == Some(2) && error.contains("its role cannot be one"), "{error}");
}

#[test]
fn settings_come_in_their_order_and_end_with_the_request() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let options = [
        "--threads=1",
        "--connections=1",
        "--pg-setting=app.tenant=everybody",
        "--pg-setting=statement_timeout=4321ms",
        "--default-role=claims_1",
    ];
    let served = serve(&database, &options);
    let mut client = Client::new(&served);
    let tenant = |answer: &Value| answer["data"]["who"]["tenant"].clone();
    assert_eq!(tenant(&client.ask("", "{ who }")), "everybody");
    assert_eq!(tenant(&client.ask("X-Tenant: one\r\n", "{ who }")), "one");
    assert_eq!(tenant(&client.ask("X-Tenant: \r\n", "{ who }")), "");
    assert_eq!(tenant(&client.ask("", "{ who }")), "everybody");
    assert_eq!(client.ask("", "{ who }")["data"]["who"]["role"], "claims_1");
    let twice = client.ask("X-Tenant: one\r\nX-Tenant: two\r\n", "{ who }");
    assert_eq!(twice["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
}

/// Tables and functions as a project of Supabase has them.
const SUPABASE: &str = r#"
DO $$ BEGIN CREATE ROLE supabase_anon;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE supabase_authenticated;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
CREATE SCHEMA auth;
CREATE FUNCTION auth.jwt() RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT nullif(current_setting('request.jwt.claims', true), '')::jsonb $$;
CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT (auth.jwt() ->> 'sub')::uuid $$;
GRANT USAGE ON SCHEMA auth TO supabase_anon, supabase_authenticated;
CREATE TABLE note (id int PRIMARY KEY, owner uuid, is_public bool NOT NULL DEFAULT false);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note FOR SELECT USING (owner = auth.uid() OR is_public);
CREATE POLICY all_of_admins ON note FOR SELECT
    USING (auth.jwt() -> 'app_metadata' ->> 'level' = 'admin');
GRANT SELECT ON note TO supabase_anon, supabase_authenticated;
INSERT INTO note VALUES
    (1, '00000000-0000-0000-0000-00000000000a', false),
    (2, '00000000-0000-0000-0000-00000000000b', false),
    (3, '00000000-0000-0000-0000-00000000000b', true);
"#;

#[test]
fn functions_of_supabase_read_the_claims_from_one_setting() {
    let Some(database) = Database::on_one(SUPABASE) else { return };
    let options = [
        "--jwt-secret",
        SECRET,
        "--jwt-verify-audience",
        "authenticated",
        "--default-role",
        "supabase_anon",
        "--jwt-claims-setting",
        "request.jwt.claims",
        "--connections=1",
    ];
    let served = Served::start(&database.url(), &options);
    let mut client = Client::new(&served);
    let mut check = |claims: Option<Value>, expected: &[i32]| {
        let token = |claims: Value| Issuer::secret(SECRET).token(&claims.to_string());
        let header = claims.map(|claims| format!("Authorization: Bearer {}\r\n", token(claims)));
        let answer = client
            .ask(&header.unwrap_or_default(), "{ allNotes(orderBy: ID_ASC) { nodes { id } } }");
        let nodes: Vec<Value> = expected.iter().map(|id| json!({ "id": id })).collect();
        assert_eq!(answer, json!({ "data": { "allNotes": { "nodes": nodes } } }));
    };
    let user = |last: &str| {
        json!({
            "aud": "authenticated",
            "role": "supabase_authenticated",
            "sub": format!("00000000-0000-0000-0000-00000000000{last}"),
        })
    };
    let mut admin = user("c");
    admin["app_metadata"] = json!({ "level": "admin" });
    check(None, &[3]);
    check(Some(user("a")), &[1, 3]);
    check(Some(user("b")), &[2, 3]);
    check(Some(admin), &[1, 2, 3]);
    check(None, &[3]);
}

/// Who may ask for a token, and what for.
const ISSUER: &str = r#"
CREATE TYPE jwt_token AS (role text, user_id int, exp bigint, tags text[]);
CREATE FUNCTION authenticate(mail text) RETURNS jwt_token LANGUAGE sql STABLE AS $$
    SELECT CASE mail WHEN 'seven' THEN ('policy_author', 7, 4000000000, '{a,b}')::jwt_token END $$;
CREATE FUNCTION log_in(mail text) RETURNS jwt_token LANGUAGE sql VOLATILE AS $$
    SELECT ('policy_author', 8, NULL, NULL)::jwt_token $$;
CREATE FUNCTION tokens() RETURNS SETOF jwt_token LANGUAGE sql STABLE AS $$
    SELECT ('policy_author', 7, NULL, NULL)::jwt_token $$;
"#;

#[test]
fn a_function_gives_out_tokens_that_the_server_takes() {
    let Some(database) = Database::on_one(&[POLICIES, ISSUER].concat()) else { return };
    let options = ["--jwt-secret", SECRET, "--jwt-token-identifier", "public.jwt_token"];
    let served = Served::start(&database.url(), &options);
    let mut client = Client::new(&served);
    let token = |answer: &Value| answer.as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let asked = client.ask("", "{ authenticate(mail: \"seven\") none: authenticate(mail: \"\") }");
    assert_eq!(asked["data"]["none"], Value::Null);
    let made = client.ask("", "mutation { logIn(input: { mail: \"x\" }) { jwtToken } }");
    let own = [
        (token(&asked["data"]["authenticate"]), [1, 2, 3]),
        (token(&made["data"]["logIn"]["jwtToken"]), [1, 3, 4]),
    ];
    for (token, ids) in own {
        let headers = format!("Authorization: Bearer {token}\r\n");
        let answer = client.ask(&headers, "{ allPosts(orderBy: ID_ASC) { nodes { id } } }");
        let ids = ids.map(|id| json!({ "id": id }));
        assert_eq!(answer, json!({ "data": { "allPosts": { "nodes": ids } } }));
    }
    let schema = client.ask("", "{ __type(name: \"JwtToken\") { kind description } }");
    let description = "A JSON Web Token defined by [RFC 7519](https://tools.ietf.org/html/rfc7519) \
                       which securely represents claims between two parties.";
    assert_eq!(schema["data"]["__type"], json!({ "kind": "SCALAR", "description": description }));
    let input = client.ask("", "{ __type(name: \"JwtTokenInput\") { kind } }");
    assert_eq!(input["data"]["__type"], Value::Null);
}
