//! An API as a subgraph: how many statements answer representations, what they cost, and what
//! routers are told of the API.

mod graph;
mod requires;

use std::sync::Arc;

use dialects::federation::Options as Federation;
use dialects::{Dialect, phrag, postgraphile};
use engine::{
    Allowed, CostLimits, Delivery, Engine, OpenOptions, Options, PoolLimits, Report, Session,
    SourceAddress, Worker,
};
use graphql::Request;
use rusqlite::Connection;
use serde_json::{Value, json};
use testkit::postgres::{Server, required_installations, shared};

const TABLES: &str = "
    CREATE DOMAIN code AS text CHECK (value ~ '^c[0-9]+$');
    CREATE TABLE maker (id int PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE product (id bigint PRIMARY KEY, code code NOT NULL UNIQUE, maker_id int REFERENCES maker);
    CREATE INDEX ON product (maker_id);
    CREATE TABLE day (day date PRIMARY KEY, note text);
    CREATE TABLE option (id int UNIQUE, note text);
    INSERT INTO maker SELECT id, 'maker ' || id FROM generate_series(1, 3000) AS id;
    INSERT INTO product SELECT id, 'c' || id, 1 + id % 3000 FROM generate_series(1, 6000) AS id;
    ANALYZE;";

/// The types of the compatibility suite's subgraph, as far as tables have them.
const SUITE: &str = "
    CREATE TABLE user (email TEXT PRIMARY KEY, name TEXT, products_created INTEGER);
    CREATE TABLE inventory (id TEXT PRIMARY KEY);
    CREATE TABLE product (id TEXT PRIMARY KEY, sku TEXT NOT NULL, package TEXT NOT NULL, unit TEXT,
        created_by TEXT REFERENCES user, variation_id TEXT REFERENCES product_variation,
        UNIQUE (sku, package), UNIQUE (sku, variation_id));
    CREATE TABLE product_variation (id TEXT PRIMARY KEY);
    CREATE TABLE case_study (case_number TEXT PRIMARY KEY, description TEXT);
    CREATE TABLE product_research (id INTEGER PRIMARY KEY, outcome TEXT,
        study_id TEXT NOT NULL UNIQUE REFERENCES case_study);
    CREATE TABLE deprecated_product (sku TEXT, package TEXT, reason TEXT,
        inventory_id TEXT REFERENCES inventory, PRIMARY KEY (sku, package));
    CREATE TABLE dimension (size TEXT PRIMARY KEY, weight REAL);
    INSERT INTO user VALUES ('ann@shop', 'Ann', 1337);
    INSERT INTO inventory VALUES ('all');
    INSERT INTO product_variation VALUES ('road');
    INSERT INTO product VALUES ('bike', 'b-1', '@shop/bikes', 'kg', 'ann@shop', 'road');
    INSERT INTO case_study VALUES ('1234', 'Wheels');
    INSERT INTO product_research VALUES (1, 'Round', '1234');
    INSERT INTO deprecated_product VALUES ('b-0', '@shop/bikes', 'Rust', 'all');";

/// What its types are to the graph.
const SUITE_EXTENSION: &str = "
    extend schema @composeDirective(name: \"@custom\")
        @link(url: \"https://myspecs.dev/myCustomDirective/v1.0\", import: [\"@custom\"])
    directive @custom on OBJECT
    extend type User { name: String @override(from: \"users\") products_created: Int @external }
    extend type Product @custom @key(fields: \"sku variation { id }\") @tag(name: \"internal\") {
        unit: String @inaccessible
        created_by_user: User @provides(fields: \"products_created\")
    }
    extend type ProductResearch @key(fields: \"study { case_number }\")
    extend type Inventory @interfaceObject
    extend type Dimension @shareable";

const MAKERS: &str = "query ($r: [_Any!]!) {
    _entities(representations: $r) {
        ... on Maker { id name productsByMakerIdList { id code } }
        ... on Product { code makerByMakerId { name } }
    }
}";

fn options(dialect: Dialect, federation: Federation) -> Options {
    Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        federation: Some(federation),
        limits: engine::Limits {
            cost: CostLimits { most: 50_000, ..CostLimits::default() },
            ..engine::Limits::default()
        },
        ..Options::new(dialect, PoolLimits::unshared(1))
    }
}

fn lists() -> Dialect {
    Dialect::PostGraphile(postgraphile::Options {
        simple_collections: postgraphile::SimpleCollections::Both,
        ..postgraphile::Options::default()
    })
}

/// A database of its own on the newest PostgreSQL that is there.
fn database(name: &str) -> Option<&'static Server> {
    let installation = required_installations().unwrap().into_iter().next_back()?;
    let server = shared(&installation).unwrap_or_else(|error| panic!("{error}"));
    server.create_database(name).unwrap();
    server.execute(name, TABLES).unwrap();
    Some(server)
}

async fn open(server: &Server, name: &str, options: &Options) -> Result<Arc<Engine>, String> {
    let address = SourceAddress::Postgres(server.socket_url(name));
    Engine::open(&address, options).await.map_err(|error| error.to_string())
}

fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test);
}

/// The answer, and how many statements each round had.
async fn ask(worker: &Worker, query: &str, representations: Value) -> (Value, Vec<usize>) {
    let variables = serde_json::from_value(json!({ "r": representations })).unwrap();
    let request = Request { query: query.to_owned(), variables, ..Request::default() };
    let mut report = Report::default();
    report.observed.wants_rounds = true;
    let (nobody, delivery) = (Session::default(), Delivery::Whole);
    let answered =
        worker.deliver_reported(&request, &nobody, Allowed::Queries, delivery, &mut report).await;
    let rounds = report.observed.rounds.iter().map(|round| round.levels.len()).collect();
    (serde_json::from_slice(&answered.body).unwrap(), rounds)
}

#[test]
fn one_statement_answers_all_representations_of_a_key() {
    let Some(server) = database("federation_statements") else { return };
    block_on(async {
        let options = options(lists(), Federation::default());
        let engine = open(server, "federation_statements", &options).await.unwrap();
        let worker = Worker::new(engine);
        let by_id = |id: u32| json!({ "__typename": "Maker", "id": id });
        let many: Vec<Value> = (0..1_000).map(|id| by_id(3_000 - id)).collect();
        let (answer, rounds) = ask(&worker, MAKERS, many.into()).await;
        assert_eq!(rounds, [2], "the makers, and their products");
        let makers = answer["data"]["_entities"].as_array().unwrap();
        assert_eq!(makers.len(), 1_000);
        for (maker, id) in makers.iter().zip((2_001..=3_000).rev()) {
            assert_eq!(maker["id"], json!(id));
            assert_eq!(maker["productsByMakerIdList"].as_array().unwrap().len(), 2, "{maker}");
        }
        let mixed = json!([
            { "__typename": "Product", "code": "c7" },
            { "__typename": "Maker", "name": "maker 8" },
            { "__typename": "Product", "id": "7" },
            { "__typename": "Product", "code": "no code" },
        ]);
        let (answer, rounds) = ask(&worker, MAKERS, mixed).await;
        assert_eq!(rounds, [4], "makers by name with their products, products by each key");
        let product = json!({ "code": "c7", "makerByMakerId": { "name": "maker 8" } });
        let products = json!([{ "id": "7", "code": "c7" }, { "id": "3007", "code": "c3007" }]);
        let maker = json!({ "id": 8, "name": "maker 8", "productsByMakerIdList": products });
        let expect = json!({ "data": { "_entities": [product, maker, product, null] } });
        assert_eq!(answer, expect);
        let (answer, rounds) = ask(&worker, MAKERS, json!([])).await;
        assert_eq!((answer, rounds), (json!({ "data": { "_entities": [] } }), vec![]));
    });
}

#[test]
fn each_representation_costs_a_row() {
    let Some(server) = database("federation_cost") else { return };
    block_on(async {
        let options = options(lists(), Federation::default());
        let worker = Worker::new(open(server, "federation_cost", &options).await.unwrap());
        let one = json!({ "__typename": "Maker", "id": 1 });
        let (answer, rounds) = ask(&worker, MAKERS, vec![one; 10_000].into()).await;
        assert_eq!(answer["errors"][0]["extensions"]["code"], "COST_TOO_HIGH", "{answer}");
        assert_eq!(rounds, [0; 0]);
    });
}

#[test]
fn routers_are_told_keys_and_what_an_extension_says() {
    let Some(server) = database("federation_sdl") else { return };
    let extension = "extend type Maker @key(fields: \"name\") @tag(name: \"public\") {
            name: ID! @shareable @override(from: \"old\", label: \"percent(5)\")
        }
        extend type Query { makerByName(name: ID!): Maker @tag(name: \"public\") }
        extend type Day @key(fields: \"day\", resolvable: false)
        extend scalar Cursor @inaccessible";
    block_on(async {
        let told = async |dialect, extension: Option<&str>| {
            let federation = Federation { extension: extension.map(Into::into), prefix: None };
            let options = options(dialect, federation);
            let engine = open(server, "federation_sdl", &options).await?;
            let sdl = engine.subgraph_sdl().unwrap();
            let lines = sdl.lines().filter(|line| line.contains('@'));
            Ok::<_, String>(lines.collect::<Vec<_>>().join("\n") + "\n")
        };
        expect_test::expect![[r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
              query: Query! @shareable
              nodeId: ID! @shareable
            type PageInfo @shareable {
            type Maker implements Node @key(fields: "id") @key(fields: "nodeId") @key(fields: "name") {
            type Product implements Node @key(fields: "id") @key(fields: "nodeId") @key(fields: "code") {
        "#]]
        .assert_eq(&told(lists(), None).await.unwrap());
        expect_test::expect![[r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@inaccessible", "@key", "@override", "@shareable", "@tag"])
              query: Query! @shareable
              nodeId: ID! @shareable
              makerByName(name: ID!): Maker @tag(name: "public")
            type Day implements Node @key(fields: "day", resolvable: false) {
            scalar Cursor @inaccessible
            type PageInfo @shareable {
            type Maker implements Node @key(fields: "name") @key(fields: "id") @key(fields: "nodeId") @tag(name: "public") {
              name: ID! @shareable @override(from: "old", label: "percent(5)")
            type Product implements Node @key(fields: "id") @key(fields: "nodeId") @key(fields: "code") {
        "#]].assert_eq(&told(lists(), Some(extension)).await.unwrap());
        let without_ids = Dialect::PostGraphile(postgraphile::Options {
            node_ids: false,
            ..postgraphile::Options::default()
        });
        expect_test::expect![[r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
              query: Query! @shareable
            type PageInfo @shareable {
            type Maker @key(fields: "id") @key(fields: "name") {
            type Product @key(fields: "id") @key(fields: "code") {
        "#]].assert_eq(&told(without_ids, None).await.unwrap());
        let phrag = Dialect::Phrag(phrag::Options::default());
        expect_test::expect![[r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
            type Maker @key(fields: "id") @key(fields: "name") {
            type Product @key(fields: "id") @key(fields: "code") {
            type Result @shareable {
        "#]]
        .assert_eq(&told(phrag, None).await.unwrap());
        let wrong = "extend type Maker @key(fields: \"name id\") @interfaceObject @spicy @tag {
                name: String @shareable
                nothing: Int
                id: ID! @requires(fields: \"name\") @key(fields: \"id\") @override
            }
            extend type Nobody @shareable
            type Product { id: Int }
            extend enum Maker { ONE }
            extend type Day @key(fields: \"day\") @interfaceObject
            extend type Product @key(fields: \"id { id }\", resolvable: 1) @key(fields: \"a(b: 1\")
            extend schema @composeDirective(name: \"@a\")";
        expect_test::expect!["the API cannot be a subgraph: the extension of the subgraph is wrong: line 1: No rows of `Maker` are found by this key: it is no primary or unique key of integers, texts or UUIDs. `resolvable: false` says so to routers.; line 1: `@spicy` is no directive of federation.; line 1: `@tag` needs its argument `name`.; line 2: `name` has the type `String!` in the API, not `String`.; line 3: The API has no field `nothing` of `Maker`.; line 4: `id` has the type `Int!` in the API, not `ID!`.; line 4: `@key` cannot stand here.; line 4: `@override` needs its argument `from`.; line 4: `id` cannot require other fields: it is no computed column, a function of PostgreSQL with an argument for the row and one for each field that is required.; line 6: The API has no type `Nobody`.; line 7: `Product` is defined: say `extend` before it.; line 8: `Maker` is a type of another kind in the API.; line 9: No rows of `Day` are found by this key: it is no primary or unique key of integers, texts or UUIDs. `resolvable: false` says so to routers.; line 9: No rows of `Day` are found by a key, which `@interfaceObject` needs.; line 10: The API has no field `id` of `BigInt`.; line 10: This is no set of fields: syntax error: expected `)`, got }; line 11: `@composeDirective` names `@a`, which is not defined here."].assert_eq(&told(lists(), Some(wrong)).await.unwrap_err());
    });
}

#[test]
fn a_prefix_is_on_all_names_but_those_that_every_database_has() {
    let file = std::env::temp_dir().join(format!("thalweg-prefix-{}.db", std::process::id()));
    let connection = Connection::open(&file).unwrap();
    let tables = "CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT); \
                  INSERT INTO product VALUES (1, 'Tea');";
    connection.execute_batch(tables).unwrap();
    let told = async |prefix: &str, dialect| {
        let federation = Federation { extension: None, prefix: Some(prefix.into()) };
        let options = options(dialect, federation);
        let opened = Engine::open(&SourceAddress::Sqlite(file.clone()), &options).await;
        opened.map(Worker::new).map_err(|error| error.to_string())
    };
    block_on(async {
        let worker = told("shop_", lists()).await.unwrap();
        let query = "query($r: [_Any!]!) { \
            shop_allProductsList(condition: { name: \"Tea\" }) { __typename id } \
            query { __typename } _entities(representations: $r) { ... on shop_Product { name } } \
            a: __type(name: \"Product\") { name } b: __type(name: \"PageInfo\") { name } }";
        let (answer, _) =
            ask(&worker, query, json!([{ "__typename": "shop_Product", "id": 1 }])).await;
        assert_eq!(
            answer,
            json!({ "data": {
                "shop_allProductsList": [{ "__typename": "shop_Product", "id": 1 }],
                "query": { "__typename": "Query" },
                "_entities": [{ "name": "Tea" }],
                "a": null,
                "b": { "name": "PageInfo" },
            } })
        );
        let phrag = told("shop_", Dialect::Phrag(phrag::Options::default())).await.unwrap();
        let (answer, _) = ask(&phrag, "{ shop_products { name } }", json!([])).await;
        assert_eq!(answer, json!({ "data": { "shop_products": [{ "name": "Tea" }] } }));
        let refused = told("1_", lists()).await.err().unwrap();
        assert!(refused.contains("the prefix `1_` does not make names"), "{refused}");
    });
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_column_refers_to_an_entity_of_another_subgraph() {
    let file = std::env::temp_dir().join(format!("thalweg-reference-{}.db", std::process::id()));
    let connection = Connection::open(&file).unwrap();
    let tables = "CREATE TABLE review (id INTEGER PRIMARY KEY, product_id INTEGER, \
                  shop TEXT NOT NULL, country TEXT); \
                  INSERT INTO review VALUES (1, 7, 'a', 'NL'), (2, NULL, 'b', NULL);";
    connection.execute_batch(tables).unwrap();
    let opened = async |extension: &str| {
        let federation = Federation { extension: Some(extension.into()), prefix: None };
        let options = options(Dialect::Phrag(phrag::Options::default()), federation);
        let opened = Engine::open(&SourceAddress::Sqlite(file.clone()), &options).await;
        opened.map(Worker::new).map_err(|error| error.to_string())
    };
    block_on(async {
        let worker = opened(
            "extend type Review {
                product: Product @references(fields: \"product_id\") @tag(name: \"public\")
                shop_of: Shop! @references(fields: \"shop\", key: \"code\", type: \"ID\")
                branch: Branch @references(fields: \"shop country\", key: \"shop country\")
            }",
        );
        let worker = worker.await.unwrap();
        let (answer, _) = ask(&worker, "{ _service { sdl } }", json!([])).await;
        let sdl = answer["data"]["_service"]["sdl"].as_str().unwrap();
        for line in [
            "  product: Product @tag(name: \"public\")\n  shop_of: Shop!\n  branch: Branch\n",
            "type Product @key(fields: \"id\", resolvable: false) {\n  id: Int!\n}\n",
            "type Shop @key(fields: \"code\", resolvable: false) {\n  code: ID!\n}\n",
            "type Branch @key(fields: \"shop country\", resolvable: false) {\n  shop: String!\n  country: String!\n}\n",
        ] {
            assert!(sdl.contains(line), "{line}{sdl}");
        }
        let query = "{ reviews(sort: { id: asc }) { \
            product { __typename number: id } shop_of { code } branch { country shop } } }";
        let (answer, rounds) = ask(&worker, query, json!([])).await;
        assert_eq!(
            answer,
            json!({ "data": { "reviews": [
                {
                    "product": { "__typename": "Product", "number": 7 },
                    "shop_of": { "code": "a" },
                    "branch": { "country": "NL", "shop": "a" },
                },
                { "product": null, "shop_of": { "code": "b" }, "branch": null },
            ] } })
        );
        assert_eq!(rounds, [1]);
        let wrong = "extend type Review {
                a: Product! @references(fields: \"product_id\")
                b: [Product] @references(fields: \"product_id\")
                c: Review @references(fields: \"product_id\")
                d: Product @references(fields: \"none\")
                e: Product @references(fields: \"product_id\", type: \"ID\")
                f: Product @references(fields: \"product_id shop\")
                g: Product @references(fields: \"product_id\", by: \"id\")
                h: Product @references
                i: Product @references(fields: \"product_id\")
                j: Product @references(fields: \"shop\")
            }";
        let expected = expect_test::expect![[r#"
            the API cannot be a subgraph: the extension of the subgraph is wrong: line 2: `a` may be null: its column is nullable.
            line 3: `b` refers to one entity, and has no list type.
            line 4: `Review` is a type of the API: `@references` is for types of other subgraphs.
            line 5: `none` is no column of `Review`.
            line 6: `product_id` is neither a string nor a UUID, which an ID is.
            line 7: `@references` needs a field of the row for each field of the key.
            line 8: `@references` has no argument `by`.
            line 9: `@references` needs its argument `fields`.
            line 11: `j` refers to its entity by another key than a field before."#]];
        expected.assert_eq(&opened(wrong).await.err().unwrap().replace("; ", "\n"));
    });
    std::fs::remove_file(&file).unwrap();
}

/// What the checks of apollo-federation-subgraph-compatibility look for, of those that tables can
/// have: that the definitions say it, and that the fields behind it are answered.
#[test]
fn the_checks_of_the_compatibility_suite_find_what_they_look_for() {
    let name = format!("thalweg-federation-suite-{}.db", std::process::id());
    let file = std::env::temp_dir().join(name);
    Connection::open(&file).unwrap().execute_batch(SUITE).unwrap();
    block_on(async {
        let federation = Federation { extension: Some(SUITE_EXTENSION.into()), prefix: None };
        let options = options(Dialect::Phrag(phrag::Options::default()), federation);
        let address = SourceAddress::Sqlite(file.clone());
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        let (answer, _) = ask(&worker, "{ _service { sdl } }", json!([])).await;
        let sdl = answer["data"]["_service"]["sdl"].as_str().unwrap();
        let lines: Vec<_> = sdl.lines().filter(|line| line.contains('@')).collect();
        expect_test::expect![[r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@composeDirective", "@external", "@inaccessible", "@interfaceObject", "@key", "@override", "@provides", "@shareable", "@tag"]) @composeDirective(name: "@custom") @link(url: "https://myspecs.dev/myCustomDirective/v1.0", import: ["@custom"])
            directive @custom on OBJECT
            type CaseStudy @key(fields: "case_number") {
            type DeprecatedProduct @key(fields: "sku package") {
            type Dimension @key(fields: "size") @shareable {
            type Inventory @key(fields: "id") @interfaceObject {
            type Product @key(fields: "sku variation { id }") @key(fields: "id") @key(fields: "sku package") @custom @tag(name: "internal") {
              unit: String @inaccessible
              created_by_user: User @provides(fields: "products_created")
            type ProductResearch @key(fields: "study { case_number }") @key(fields: "id") @key(fields: "study_id") {
            type ProductVariation @key(fields: "id") {
            type User @key(fields: "email") {
              name: String @override(from: "users")
              products_created: Int @external
            type Result @shareable {
        "#]].assert_eq(&(lines.join("\n") + "\n"));
        // One key, one of several fields, several keys; an interface known as an object.
        let query = "query ($r: [_Any!]!) { _entities(representations: $r) {
            ... on User { name }
            ... on DeprecatedProduct { reason }
            ... on Product { id unit created_by_user { email products_created } }
            ... on Inventory { deprecated_products { sku reason } }
            ... on ProductResearch { study { case_number description } }
        } }";
        let representations = json!([
            { "__typename": "User", "email": "ann@shop" },
            { "__typename": "DeprecatedProduct", "sku": "b-0", "package": "@shop/bikes" },
            { "__typename": "Product", "id": "bike" },
            { "__typename": "Product", "sku": "b-1", "package": "@shop/bikes" },
            { "__typename": "Inventory", "id": "all" },
            { "__typename": "ProductResearch", "study": { "case_number": "1234" } },
            { "__typename": "Product", "sku": "b-1", "variation": { "id": "road" } },
        ]);
        let (answer, _) = ask(&worker, query, representations).await;
        let creator = json!({ "email": "ann@shop", "products_created": 1337 });
        let product = json!({ "id": "bike", "unit": "kg", "created_by_user": creator });
        let deprecated = json!([{ "sku": "b-0", "reason": "Rust" }]);
        let expected = json!({ "data": { "_entities": [
            { "name": "Ann" },
            { "reason": "Rust" },
            product,
            product,
            { "deprecated_products": deprecated },
            { "study": { "case_number": "1234", "description": "Wheels" } },
            product,
        ] } });
        assert_eq!(answer, expected);
    });
    drop(std::fs::remove_file(file));
}
