//! Fields that are computed of what other subgraphs have, which representations tell.

use dialects::federation::Options as Federation;
use dialects::{Dialect, phrag};
use engine::{Engine, SourceAddress, Worker};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{ask, block_on, database, lists, open, options};

const TABLES: &str = "
    CREATE TABLE person (email text PRIMARY KEY, products int, boss text REFERENCES person);
    CREATE INDEX ON person (boss);
    INSERT INTO person VALUES ('ann@shop', 10, NULL), ('ben@shop', 4, 'ann@shop');
    CREATE FUNCTION person_average(person, total int, years int) RETURNS int LANGUAGE sql STABLE
        AS $$ SELECT total / nullif(years, 0) $$;
    CREATE FUNCTION person_share(p person, total int) RETURNS float8 LANGUAGE sql STABLE STRICT
        AS $$ SELECT p.products::float8 / total $$;
    CREATE FUNCTION person_label(p person, style text, nick text, loud boolean, tall real,
            weight float8, price numeric, badge uuid, salary bigint, rank smallint)
        RETURNS text LANGUAGE sql STABLE AS $$
            SELECT concat_ws(' ', style, p.email, nick, loud, tall, weight, price, badge, salary, rank)
        $$;
    CREATE FUNCTION person_packed(person, parcel jsonb, times int DEFAULT 2) RETURNS text[]
        LANGUAGE sql STABLE
        AS $$ SELECT array_agg(parcel::text) FROM generate_series(1, times) $$;
    CREATE TYPE wage AS (amount int, unit text);
    CREATE FUNCTION person_pay(p person, total int) RETURNS wage LANGUAGE sql STABLE
        AS $$ SELECT total * p.products, p.email $$;
    CREATE FUNCTION person_since(person, day date) RETURNS date LANGUAGE sql STABLE
        AS $$ SELECT day $$;
    CREATE FUNCTION person_friends(person, total int) RETURNS SETOF person LANGUAGE sql STABLE
        AS $$ SELECT * FROM person $$;";

const EXTENSION: &str = "
    extend type Person {
        average: Int @requires(fields: \"total years\")
        share: Float @requires(fields: \"total\")
        label(style: String): String
            @requires(fields: \"nick loud tall weight price badge salary rank\")
        pay: Wage @requires(fields: \"total\")
        packed: [String] @requires(fields: \"parcel { size parts { weight } } times\")
        \"What others know.\"
        total: Int @external
        years: Int! @external
        nick: String @external
        loud: Boolean @external
        tall: Float @external
        weight: Float @external
        price: BigFloat @external
        badge: UUID @external
        salary: BigInt @external
        rank: Int @external
        parcel: Parcel @external
        times: Int @external
    }
    \"What is sent.\"
    type Parcel @external @tag(name: \"outer\") { size: Size parts: [Part!] }
    type Part { weight: Weight @external person: Person @external }
    enum Size { SMALL \"Or larger.\" BIG @tag(name: \"dear\") }
    scalar Weight @tag(name: \"kilograms\")";

const REPRESENTED: &str = "query ($r: [_Any!]!) {
    _entities(representations: $r) { ... on Person { email average share again: average } }
}";

fn federation(extension: &str) -> Federation {
    Federation { extension: Some(extension.into()), prefix: None }
}

/// A worker over a database of its own with the tables, and with what an extension says of them.
async fn worker(name: &str, extension: &str) -> Option<Result<Worker, String>> {
    let server = database(name)?;
    server.execute(name, TABLES).unwrap();
    let options = options(lists(), federation(extension));
    Some(open(server, name, &options).await.map(Worker::new))
}

#[test]
fn a_function_of_the_row_takes_what_its_representation_tells() {
    block_on(async {
        let Some(worker) = worker("federation_requires", EXTENSION).await else { return };
        let worker = worker.unwrap();
        let person = |email: &str, total: Value, years: Value| json!({ "__typename": "Person", "email": email, "total": total, "years": years });
        let representations = json!([
            person("ann@shop", json!(12), json!(4)),
            person("ann@shop", json!(20), json!(5)),
            person("ben@shop", Value::Null, json!(4)),
            person("cat@shop", json!(1), json!(1)),
            person("ben@shop", json!("many"), json!(4)),
            { "__typename": "Person", "email": "ben@shop", "total": 8 },
            person("ben@shop", json!("16"), json!(0)),
        ]);
        let (answer, rounds) = ask(&worker, REPRESENTED, representations).await;
        assert_eq!(rounds, [1], "one statement for all of them");
        let found = |email: &str, average: Value, share: Value| json!({ "email": email, "average": average, "share": share, "again": average });
        let expect = json!([
            found("ann@shop", json!(3), json!(10.0 / 12.0)),
            found("ann@shop", json!(4), json!(0.5)),
            // Called with null, and not called at all, being strict.
            found("ben@shop", Value::Null, Value::Null),
            null,
            null,
            found("ben@shop", Value::Null, json!(0.5)),
            found("ben@shop", Value::Null, json!(0.25)),
        ]);
        assert_eq!(answer["data"]["_entities"], expect, "{answer}");
        let errors = answer["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{answer}");
        assert_eq!(errors[0]["path"], json!(["_entities", 4]));
        assert_eq!(errors[0]["message"], "This is no value of `total` of `Person`.");
        assert_eq!(errors[0]["extensions"]["code"], "BAD_USER_INPUT");
    });
}

#[test]
fn what_no_selected_field_requires_is_not_looked_at() {
    block_on(async {
        let Some(worker) = worker("federation_unrequired", EXTENSION).await else { return };
        let worker = worker.unwrap();
        let query = "query ($r: [_Any!]!) {
            _entities(representations: $r) { ... on Person { email share } }
        }";
        let representations = json!([
            { "__typename": "Person", "email": "ann@shop", "total": 40, "years": "many" },
        ]);
        let (answer, _) = ask(&worker, query, representations).await;
        let found = json!({ "email": "ann@shop", "share": 0.25 });
        assert_eq!(answer, json!({ "data": { "_entities": [found] } }));
    });
}

#[test]
fn arguments_of_all_types_are_told_and_others_are_given() {
    block_on(async {
        let Some(worker) = worker("federation_types", EXTENSION).await else { return };
        let worker = worker.unwrap();
        let query = "query ($r: [_Any!]!) { _entities(representations: $r) {
            ... on Person { label(style: \"long\") short: label packed pay { amount unit } }
        } }";
        let badge = "00000000-0000-0000-0000-00000000000a";
        let told = json!({
            "__typename": "Person", "email": "ann@shop", "nick": "a,\"n\" {x}", "loud": true,
            "tall": 1.5, "weight": 1e300, "price": "12.340", "badge": badge,
            "salary": "9007199254740993", "rank": 3, "total": 2,
            "parcel": { "size": "b\"ig", "parts": [{ "weight": 1.5 }, null] }, "times": 1,
        });
        let untold = json!({ "__typename": "Person", "email": "ben@shop", "parcel": "x" });
        let (answer, rounds) = ask(&worker, query, json!([told, untold])).await;
        assert_eq!(rounds, [1]);
        let label =
            format!("ann@shop a,\"n\" {{x}} t 1.5 1e+300 12.340 {badge} 9007199254740993 3");
        let parcel = "{\"size\": \"b\\\"ig\", \"parts\": [{\"weight\": 1.5}, null]}";
        let expect = json!([
            { "label": format!("long {label}"), "short": label, "packed": [parcel],
                "pay": { "amount": 20, "unit": "ann@shop" } },
            // What is not told is null: a default does not stand for it.
            { "label": "long ben@shop", "short": "ben@shop", "packed": [],
                "pay": { "amount": null, "unit": "ben@shop" } },
        ]);
        assert_eq!(answer, json!({ "data": { "_entities": expect } }));
    });
}

/// Nobody tells anything of rows that representations do not find.
#[test]
fn elsewhere_the_field_is_null_with_an_error() {
    block_on(async {
        let Some(worker) = worker("federation_untold", EXTENSION).await else { return };
        let worker = worker.unwrap();
        let query = "query ($r: [_Any!]!) {
            _entities(representations: $r) {
                ... on Person {
                    average
                    personByBoss { average }
                    peopleByBossList { email average }
                }
            }
            allPeopleList(first: 1) { email average }
        }";
        let told =
            |email: &str| json!({ "__typename": "Person", "email": email, "total": 8, "years": 2 });
        let representations = json!([told("ann@shop"), told("ben@shop")]);
        let (answer, _) = ask(&worker, query, representations).await;
        let untold = |email: &str| json!({ "email": email, "average": null });
        let expect = json!({
            "_entities": [
                { "average": 4, "personByBoss": null, "peopleByBossList": [untold("ben@shop")] },
                { "average": 4, "personByBoss": { "average": null }, "peopleByBossList": [] },
            ],
            "allPeopleList": [untold("ann@shop")],
        });
        assert_eq!(answer["data"], expect, "{answer}");
        let errors = answer["errors"].as_array().unwrap();
        let paths: Vec<&Value> = errors.iter().map(|error| &error["path"]).collect();
        let expect = [
            json!(["_entities", 0, "peopleByBossList", 0, "average"]),
            json!(["_entities", 1, "personByBoss", "average"]),
            json!(["allPeopleList", 0, "average"]),
        ];
        assert_eq!(paths, expect.iter().collect::<Vec<_>>());
        for error in errors {
            assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT");
            assert_eq!(
                error["message"],
                "The field is computed of what representations tell: only `_entities` answers it."
            );
        }
    });
}

#[test]
fn routers_are_told_what_is_required_and_what_is_external() {
    block_on(async {
        let Some(worker) = worker("federation_required_sdl", EXTENSION).await else { return };
        let (answer, _) = ask(&worker.unwrap(), "{ _service { sdl } }", json!([])).await;
        let sdl = answer["data"]["_service"]["sdl"].as_str().unwrap();
        let (_, person) = sdl.split_once("type Person ").unwrap();
        let (person, _) = person.split_once("\n}").unwrap();
        let (_, person) = person.split_once("  average").unwrap();
        let lines = person.lines().filter(|line| line.contains('@') || line.contains("others"));
        expect_test::expect![[r#"
            : Int @requires(fields: "total years")
              label(style: String): String @requires(fields: "nick loud tall weight price badge salary rank")
              packed: [String] @requires(fields: "parcel { size parts { weight } } times")
              pay: Wage @requires(fields: "total")
              share: Float @requires(fields: "total")
              """What others know."""
              total: Int @external
              years: Int! @external
              nick: String @external
              loud: Boolean @external
              tall: Float @external
              weight: Float @external
              price: BigFloat @external
              badge: UUID @external
              salary: BigInt @external
              rank: Int @external
              parcel: Parcel @external
              times: Int @external
        "#]].assert_eq(&(lines.collect::<Vec<_>>().join("\n") + "\n"));
        let others = sdl.find("\n\"\"\"What is sent.").unwrap();
        expect_test::expect![[r#"

            """What is sent."""
            type Parcel @external @tag(name: "outer") {
              size: Size
              parts: [Part!]
            }

            type Part {
              weight: Weight @external
              person: Person @external
            }

            enum Size {
              SMALL

              """Or larger."""
              BIG @tag(name: "dear")
            }

            scalar Weight @tag(name: "kilograms")
        "#]]
        .assert_eq(&sdl[others..]);
        let expect = "import: [\"@external\", \"@key\", \"@requires\", \"@shareable\", \"@tag\"]";
        assert!(sdl.contains(expect), "{sdl}");
    });
}

#[test]
fn what_cannot_be_told_is_refused_when_the_server_starts() {
    let wrong = "extend type Person {
            average: Int @requires(fields: \"totals\") @requires(fields: \"years\")
            share: Float @requires(fields: \"email\") @requires(fields: 5)
            label: String @requires(fields: \"loud\") @requires(fields: \"rank\")
            label: String @requires(fields: \"nick { first }\") @requires(fields: \"rank rank\")
            packed: [String] @requires(fields: \"parcel { size { a } }\") @requires(fields: \"loud\")
            packed: [String] @requires(fields: \"parcel { parts { size } }\")
            packed: [String] @requires(fields: \"... on Person { parcel }\")
            products: Int @requires(fields: \"total\")
            since: Date @requires(fields: \"day\")
            friendsList: [Person] @requires(fields: \"total\")
            total: Int @external
            years: [Int] @external
            nick: String @external
            loud: Boolean @external
            tall: Float
            rank: Int @external
            rank: Int @external
            day: Date @external
            parcel: Parcel @external
            height(unit: String): Int @external
            depth: Depth @external
        }
        type Parcel { size: Int @external parts: [Part] }
        type Part implements Node @external @shareable { weight(unit: String): Depth }
        type Part @external { weight: Int weight: Int @tag @override(from: \"a\") }
        scalar Weight @external
        enum Size { BIG @tag(word: \"a\") }
        input Size { big: Int }
        type Person @external { big: Int }";
    block_on(async {
        let Some(refused) = worker("federation_unrequirable", wrong).await else { return };
        let message = refused.unwrap_err();
        let lines: Vec<&str> = message.split("; ").collect();
        expect_test::expect![[r#"
            the API cannot be a subgraph: the extension of the subgraph is wrong: line 2: `totals` is required: say it as a field of `Person` with `@external`.
            line 2: `years` has parts: the argument of `average` that takes it is to be of the type json or jsonb.
            line 3: `email` is required: say it as a field of `Person` with `@external`.
            line 3: `fields` is a text.
            line 4: `label` says `@requires` twice.
            line 5: `String` has no field `first`.
            line 5: `label` requires `rank` twice.
            line 6: `Int` has no field `a`.
            line 6: `packed` has no argument `loud` that takes it.
            line 7: `Part` has no field `size`.
            line 8: `packed` requires a fragment: name its fields instead.
            line 9: `products` cannot require other fields: it is no computed column, a function of PostgreSQL with an argument for the row and one for each field that is required.
            line 10: Values of the argument `day` of `since` cannot be checked: they are neither numbers, booleans, texts, UUIDs nor JSON.
            line 11: `friendsList` cannot require other fields: it is no computed column, a function of PostgreSQL with an argument for the row and one for each field that is required.
            line 16: The API has no field `tall` of `Person`.
            line 18: `rank` of `Person` is said twice.
            line 21: `height` of another subgraph is served without arguments only.
            line 22: No type is called `Depth`, neither of the API nor one defined here.
            line 24: The API has no type `Parcel`: `parts` is of another subgraph, which `@external` says of it or of the type.
            line 25: `@shareable` cannot stand on what is of another subgraph.
            line 25: `Part` of another subgraph implements nothing here.
            line 25: `weight` of another subgraph is served without arguments only.
            line 26: `Part` is defined twice.
            line 26: `weight` of `Part` is said twice.
            line 26: `@tag` cannot stand on what is of another subgraph.
            line 26: `@override` cannot stand on what is of another subgraph.
            line 27: `@external` cannot stand on what is of another subgraph.
            line 28: `@tag` has no argument `word`.
            line 29: `Size` is defined twice.
            line 29: The API has no type `Size`, and one of another subgraph is an object, a scalar or an enum.
            line 30: `Person` is defined: say `extend` before it.
        "#]].assert_eq(&(lines.join("\n") + "\n"));
    });
}

#[test]
fn sources_without_functions_of_rows_refuse_what_is_required() {
    let name = format!("thalweg-federation-requires-{}.db", std::process::id());
    let file = std::env::temp_dir().join(name);
    let table = "CREATE TABLE person (email TEXT PRIMARY KEY, share REAL);";
    Connection::open(&file).unwrap().execute_batch(table).unwrap();
    let extension = "extend type Person {
            share: Float @requires(fields: \"total\")
            total: Int @external
        }";
    block_on(async {
        let dialect = Dialect::Phrag(phrag::Options::default());
        let options = options(dialect, federation(extension));
        let address = SourceAddress::Sqlite(file.clone());
        let refused = Engine::open(&address, &options).await.unwrap_err().to_string();
        expect_test::expect!["the API cannot be a subgraph: the extension of the subgraph is wrong: line 2: `share` cannot require other fields: it is no computed column, a function of PostgreSQL with an argument for the row and one for each field that is required."].assert_eq(&refused);
    });
    drop(std::fs::remove_file(file));
}
