//! The subgraph that apollo-federation-subgraph-compatibility asks for, made of tables: what its
//! checks look for, of the subgraph itself and of a router over it and two others.

use std::collections::BTreeSet;
use std::fs;

use expect_test::expect;
use graphql::definitions::{Definitions, TypeBody, parse_definitions};
use serde_json::{Value, json};
use testkit::postgres::{Installation, required_installations, shared};

use crate::gateway::stubs::{Asked, Stubs};
use crate::program::{Folder, Server};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/federation/compatibility");

/// How `ftv1` asks.
const TRACED: &str = "apollo-federation-include-trace: ftv1\r\n";

/// What the fields of the suite's schema are, and the arguments of those of the root.
const WANTED: &str = "
    Query.product: Product
    Query.product(id: ID!)
    Query.deprecatedProduct: DeprecatedProduct
    Query.deprecatedProduct(sku: String!)
    Query.deprecatedProduct(package: String!)
    Product.id: ID!
    Product.sku: String
    Product.package: String
    Product.variation: ProductVariation
    Product.dimensions: ProductDimension
    Product.createdBy: User
    Product.notes: String
    Product.research: [ProductResearch!]!
    DeprecatedProduct.sku: String!
    DeprecatedProduct.package: String!
    DeprecatedProduct.reason: String
    DeprecatedProduct.createdBy: User
    ProductVariation.id: ID!
    ProductResearch.study: CaseStudy!
    ProductResearch.outcome: String
    CaseStudy.caseNumber: ID!
    CaseStudy.description: String
    ProductDimension.size: String
    ProductDimension.weight: Float
    ProductDimension.unit: String
    User.email: ID!
    User.name: String
    User.totalProductsCreated: Int
    User.yearsOfEmployment: Int!
    User.averageProductsCreatedPerYear: Int
    Inventory.id: ID!
    Inventory.deprecatedProducts: [DeprecatedProduct!]!";

/// The subgraph `products` by the program, as docs/federation-subgraph.md says.
fn products(installation: &Installation, database: &str) -> Server {
    let postgres = shared(installation).unwrap();
    postgres.create_database(database).unwrap();
    let tables = fs::read_to_string(format!("{FILES}/products.sql")).unwrap();
    postgres.execute(database, &tables).unwrap();
    let extension = format!("{FILES}/products.graphql");
    let (url, api) = (postgres.url(database), ["--simple-collections", "only", "--no-node-ids"]);
    let usual = ["serve", &url, "--listen", "127.0.0.1:0", "--disable-default-mutations"];
    Server::start(
        &[&usual[..], &api, &["--federation", "--federation-extend", &extension]].concat(),
    )
}

/// What is asked, which goes without errors.
fn ask(server: &Server, query: &str, variables: &Value) -> Value {
    let body = json!({ "query": query, "variables": variables }).to_string();
    let answer: Value = serde_json::from_str(&server.post("", &body).body).unwrap();
    assert_eq!(answer.get("errors"), None, "{answer}");
    answer["data"].clone()
}

fn definitions(server: &Server) -> String {
    let answer = ask(server, "{ _service { sdl } }", &json!({}));
    answer["_service"]["sdl"].as_str().unwrap().to_owned()
}

/// Each field of the definitions with its type, and each argument.
fn fields(sdl: &str) -> BTreeSet<String> {
    let Definitions { types, .. } = parse_definitions(sdl).unwrap();
    let mut told = BTreeSet::new();
    for definition in &types {
        let TypeBody::Object(body) = &definition.body else { continue };
        for field in &body.fields {
            let name = format!("{}.{}", definition.name, field.name);
            for argument in &field.arguments {
                told.insert(format!("{name}({}: {})", argument.name, argument.r#type));
            }
            told.insert(format!("{name}: {}", field.r#type));
        }
    }
    told
}

/// `introspection`, and what the directives' checks look for in the definitions.
#[test]
fn the_definitions_are_those_that_the_suite_looks_for() {
    for installation in required_installations().unwrap() {
        let products = products(&installation, "compatibility_definitions");
        let sdl = definitions(&products);
        let told = fields(&sdl);
        let wanted = WANTED.lines().map(str::trim).filter(|line| !line.is_empty());
        let missing: Vec<&str> = wanted.filter(|line| !told.contains(*line)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
        let directives: Vec<&str> = sdl.lines().filter(|line| line.contains('@')).collect();
        expect![[r#"
            extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@composeDirective", "@external", "@inaccessible", "@interfaceObject", "@key", "@override", "@provides", "@requires", "@shareable", "@tag"]) @link(url: "https://myspecs.dev/myCustomDirective/v1.0", import: ["@custom"]) @composeDirective(name: "@custom")
            directive @custom on OBJECT
              query: Query! @shareable @inaccessible
              deprecatedProduct(sku: String!, package: String!): DeprecatedProduct @deprecated(reason: "Ask for the product instead.")
            type ProductDimension @shareable {
              unit: String @inaccessible
            type CaseStudy @key(fields: "caseNumber") {
            type DeprecatedProduct @key(fields: "sku package") {
            type Inventory @key(fields: "id") @interfaceObject {
            type ProductResearch @key(fields: "study { caseNumber }") @key(fields: "id") @key(fields: "studyNumber") {
            type ProductVariation @key(fields: "id") {
            type Product @key(fields: "sku package") @key(fields: "sku variation { id }") @key(fields: "id") @custom {
              notes: String @tag(name: "internal")
              createdBy: User @provides(fields: "totalProductsCreated")
            type User @key(fields: "email") {
              name: String @override(from: "users")
              totalProductsCreated: Int @external
              averageProductsCreatedPerYear: Int @requires(fields: "totalProductsCreated yearsOfEmployment")
              yearsOfEmployment: Int! @external
        "#]].assert_eq(&(directives.join("\n") + "\n"));
    }
}

/// `@key single`, `@key multiple`, `@key composite`, `repeatable @key`, `@inaccessible`, `@provides`
/// and `ftv1`.
#[test]
fn the_subgraph_answers_what_the_suite_asks_it() {
    for installation in required_installations().unwrap() {
        let products = products(&installation, "compatibility_entities");
        let query = "query ($representations: [_Any!]!) {
            _entities(representations: $representations) {
                ... on User { email name }
                ... on DeprecatedProduct { of: sku package reason }
                ... on ProductResearch { study { caseNumber description } }
                ... on Product { id sku }
            }
        }";
        let representations = json!({ "representations": [
            { "__typename": "User", "email": "support@apollographql.com" },
            { "__typename": "DeprecatedProduct", "sku": "apollo-federation-v1", "package": "@apollo/federation-v1" },
            { "__typename": "ProductResearch", "study": { "caseNumber": "1234" } },
            { "__typename": "Product", "id": "apollo-federation" },
            { "__typename": "Product", "sku": "federation", "package": "@apollo/federation" },
            { "__typename": "Product", "sku": "studio", "variation": { "id": "platform" } },
        ] });
        let federation = json!({ "id": "apollo-federation", "sku": "federation" });
        let expected = json!({ "_entities": [
            { "email": "support@apollographql.com", "name": "Jane Smith" },
            { "of": "apollo-federation-v1", "package": "@apollo/federation-v1", "reason": "Migrate to Federation V2" },
            { "study": { "caseNumber": "1234", "description": "Federation Study" } },
            federation,
            federation,
            { "id": "apollo-studio", "sku": "studio" },
        ] });
        assert_eq!(ask(&products, query, &representations), expected);
        let traced = products.query(TRACED, "{ __typename }").body;
        let traced: Value = serde_json::from_str(&traced).unwrap();
        assert!(traced["extensions"]["ftv1"].is_string(), "{traced}");
        assert_eq!(traced["data"], json!({ "__typename": "Query" }));
        let query = "query ($id: ID!) { product(id: $id) {
            dimensions { unit } createdBy { email totalProductsCreated }
        } }";
        let expected = json!({ "product": {
            "dimensions": { "unit": "kg" },
            "createdBy": { "email": "support@apollographql.com", "totalProductsCreated": 1337 },
        } });
        assert_eq!(ask(&products, query, &json!({ "id": "apollo-federation" })), expected);
    }
}

/// The subgraphs `users` and `inventory`: more than any document asks for, and of users what is not
/// to be shown.
fn others(asked: &Asked) -> Value {
    let said = asked.body["variables"]["representations0"].as_array().cloned().unwrap_or_default();
    let entity = |given: &Value| match asked.path.as_str() {
        "/users" => json!({
            "__typename": "User",
            "email": given["email"],
            "name": "nobody's name",
            "totalProductsCreated": 10,
            "yearsOfEmployment": 10,
        }),
        _ => json!({
            "__typename": "Product",
            "delivery": { "estimatedDelivery": given["dimensions"]["size"] },
        }),
    };
    let entities: Vec<Value> = said.iter().map(entity).collect();
    let products = json!([{ "__typename": "Product", "id": "apollo-federation" }]);
    let inventory =
        json!({ "__typename": "OpenSourceInventory", "id": "apollo-oss", "products": products });
    json!({ "data": { "inventory": inventory, "_entities": entities } })
}

/// `@shareable`, `@override`, `@requires`, `@interfaceObject` and `@provides`, with the fields of others around
/// them.
#[test]
fn the_gateway_answers_what_the_suite_asks_a_router() {
    for installation in required_installations().unwrap() {
        let products = products(&installation, "compatibility_router");
        let stubs = Stubs::saying(others);
        let folder = Folder::new();
        let supergraph = fs::read_to_string(format!("{FILES}/supergraph.graphql")).unwrap();
        let supergraph = supergraph
            .replace(
                "http://127.0.0.1:4001/graphql",
                &format!("http://{}/graphql", products.address),
            )
            .replace("http://127.0.0.1:4002/", &format!("http://{}/users", stubs.address))
            .replace("http://127.0.0.1:4003/", &format!("http://{}/inventory", stubs.address));
        let file = folder.file("supergraph.graphql");
        fs::write(&file, supergraph).unwrap();
        let router = Server::start(&["gateway", file.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
        let id = json!({ "id": "apollo-federation" });
        let query = "query ($id: ID!) { product(id: $id) {
            dimensions { size weight } createdBy { name totalProductsCreated }
        } }";
        let expected = json!({ "product": {
            "dimensions": { "size": "small", "weight": 1 },
            "createdBy": { "name": "Jane Smith", "totalProductsCreated": 1337 },
        } });
        assert_eq!(ask(&router, query, &id), expected);
        assert!(stubs.asked().is_empty(), "all of it is of the subgraph itself");
        let query = "query ($id: ID!) { product(id: $id) {
            createdBy { averageProductsCreatedPerYear email }
        } }";
        // What is provided is not asked of others: 1337 in 10 years.
        let expected = json!({ "product": { "createdBy": {
            "averageProductsCreatedPerYear": 134, "email": "support@apollographql.com",
        } } });
        assert_eq!(ask(&router, query, &id), expected);
        assert_eq!(stubs.asked().len(), 1);
        let query = "query ($id: ID!) { inventory(id: $id) {
            deprecatedProducts { sku reason createdBy { yearsOfEmployment } }
            products { sku delivery(zip: \"94111\") { estimatedDelivery } }
        } }";
        let expected = json!({ "inventory": {
            "deprecatedProducts": [{
                "sku": "apollo-federation-v1",
                "reason": "Migrate to Federation V2",
                "createdBy": { "yearsOfEmployment": 10 },
            }],
            "products": [{ "sku": "federation", "delivery": { "estimatedDelivery": "small" } }],
        } });
        assert_eq!(ask(&router, query, &json!({ "id": "apollo-oss" })), expected);
        // A router of the router is told nothing.
        let traced = router.query(TRACED, "{ __typename }").body;
        assert_eq!(traced, r#"{"data":{"__typename":"Query"}}"#);
        let hidden =
            router.query("", "{ product(id: \"apollo-federation\") { dimensions { unit } } }");
        assert!(hidden.body.contains("Cannot query field"), "{}", hidden.body);
    }
}
