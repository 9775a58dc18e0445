//! What Prisma's commands ask: the management API and the private one of a service.

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use super::statements::on_postgres;
use super::{DATAMODEL, Service, told};
use crate::program::{Folder, Server};

const SECRET: &str = "a secret of more than thirty-two bytes";
const INVALID: &str = "Authentication token is invalid: ";

fn start(options: &[&str]) -> Service {
    Service::start(&[&["--service", "blog/dev"], options].concat())
}

fn bearer(secret: &str) -> String {
    format!("Authorization: Bearer {}\r\n", Issuer::secret(secret).token("{}"))
}

fn create(service: &Service, headers: &str) {
    let mutation = r#"mutation { createUser(data: { email: "a@x", friends: { create: [{ email: "b@x" }] }, posts: { create: [{ title: "t", tags: { set: ["a"] } }] } }) { email } }"#;
    let created = service.query("/blog/dev", headers, mutation);
    assert_eq!(created, json!({ "createUser": { "email": "a@x" } }));
}

const COUNTS: &str = "{ usersConnection { aggregate { count } } posts { tags } }";

fn counts(users: u32, posts: &Value) -> Value {
    json!({ "usersConnection": { "aggregate": { "count": users } }, "posts": posts })
}

#[test]
fn the_management_api_describes_the_service() {
    let service = start(&[]);
    let ask = |query: &str| service.query("/management", "", query);
    assert_eq!(
        ask("{ listProjects { name stage } serverInfo { version primaryConnector } }"),
        json!({
            "listProjects": [{ "name": "blog", "stage": "dev" }],
            "serverInfo": { "version": "1.34.12", "primaryConnector": "sqlite" },
        })
    );
    let project = |name: &str| {
        let query = "query ($n: String!) { project(name: $n, stage: \"dev\") { datamodel } }";
        let body = json!({ "query": query, "variables": { "n": name } });
        service.post("/management/", "", &body).1
    };
    assert_eq!(project("blog"), json!({ "data": { "project": { "datamodel": DATAMODEL } } }));
    let missing = project("shop");
    assert_eq!(missing["data"], Value::Null);
    let message = "No service with name 'shop' and stage 'dev' found";
    assert_eq!(told(&missing["errors"]), json!([[4000, message]]));
    // What is refused before execution has no data.
    let unknown = service.post("/management", "", &json!({ "query": "{ nothing }" })).1;
    assert_eq!(unknown.get("data"), None, "{unknown}");
    assert_eq!(service.server.get("/management", "Accept: application/json\r\n").status, 404);
}

/// The migration that the start of a service applies.
fn first_migration(service: &Service, id: &str) {
    let ask = |query: &str| service.query("/management", "", query);
    let found = ask("{ migrationStatus(name: \"blog\", stage: \"dev\") {
            projectId revision status rolledBack errors datamodel startedAt
        } }");
    let status = &found["migrationStatus"];
    let started = status["startedAt"].as_str().unwrap_or_default();
    assert!(started.len() == 24 && started.ends_with('Z'), "{found}");
    let expected = json!({
        "projectId": id, "revision": 1, "status": "SUCCESS", "rolledBack": 0, "errors": [],
        "datamodel": DATAMODEL, "startedAt": started,
    });
    assert_eq!(*status, expected);
    let listed =
        ask("{ listMigrations(name: \"blog\", stage: \"dev\") { applied steps { type } } }");
    let [migration] = &listed["listMigrations"].as_array().unwrap()[..] else { panic!("{listed}") };
    let steps = migration["steps"].as_array().unwrap();
    assert_eq!(migration["applied"], steps.len());
    assert!(steps.contains(&json!({ "type": "CreateModel" })), "{listed}");
}

#[test]
fn the_management_api_has_the_history_of_migrations() {
    first_migration(&start(&[]), "blog_dev");
    if let Some((service, _database)) = on_postgres(&["--service", "blog/dev"]) {
        first_migration(&service, "blog$dev");
    }
}

#[test]
fn the_management_api_takes_tokens_of_the_secrets() {
    let service = start(&["--service-secret", SECRET]);
    let ask = |headers: &str, query: &str| service.query("/management", headers, query);
    let list = "{ listProjects { name } }";
    let listed = json!({ "listProjects": [{ "name": "blog" }] });
    assert_eq!(ask(&bearer(SECRET), list), listed);
    // Prisma's commands sign by a secret without its white space.
    assert_eq!(ask(&bearer(&SECRET.replace(' ', "")), list), listed);
    let missing = format!("{INVALID}'Authorization' header not provided");
    assert_eq!(ask("", list), json!([[3015, missing]]));
    let wrong = format!(
        "{INVALID}none of the server's secrets has signed it (PRISMA_MANAGEMENT_API_SECRET)"
    );
    assert_eq!(ask(&bearer("another secret"), list), json!([[3015, wrong]]));
    let version = json!({ "serverInfo": { "version": "1.34.12" } });
    assert_eq!(ask("", "{ serverInfo { version } }"), version);
}

#[test]
fn a_deployment_without_a_change_succeeds_and_others_name_the_remedy() {
    let service = start(&["--service-secret", SECRET]);
    let deploy = |types: &str| {
        let query = "mutation ($types: String!, $secrets: [String!]) {
            deploy(input: { name: \"blog\", stage: \"dev\", types: $types, secrets: $secrets }) {
                errors { description } migration { revision } steps { type }
            }
        }";
        let variables = json!({ "types": types, "secrets": [SECRET.replace(' ', "")] });
        let body = json!({ "query": query, "variables": variables });
        service.post("/management", &bearer(SECRET), &body).1
    };
    assert_eq!(
        deploy(&DATAMODEL.replace("    ", "")),
        json!({ "data": { "deploy": { "errors": [], "migration": null, "steps": [] } } })
    );
    let other = deploy(&DATAMODEL.replace("age: Int", ""));
    let message = other["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("`thalweg migrate DATAMODEL --data DATABASE`"), "{other}");
    assert_eq!(other["errors"][0]["path"], json!(["deploy"]));
}

#[test]
fn all_rows_are_deleted_over_the_private_api() {
    let service = start(&["--service-secret", SECRET]);
    create(&service, &bearer(SECRET));
    let reset =
        |headers: &str| service.query("/blog/dev/private", headers, "mutation { resetData }");
    let refused = reset(&bearer("another secret"));
    assert_eq!(refused[0][0], 3015, "{refused}");
    let counted = |service: &Service| service.query("/blog/dev", &bearer(SECRET), COUNTS);
    assert_eq!(counted(&service), counts(2, &json!([{ "tags": ["a"] }])));
    assert_eq!(reset(&bearer(SECRET)), json!({ "resetData": true }));
    assert_eq!(counted(&service), counts(0, &json!([])));
    create(&service, &bearer(SECRET));
    assert_eq!(counted(&service), counts(2, &json!([{ "tags": ["a"] }])));
}

#[test]
fn all_rows_of_a_schema_of_postgres_are_deleted() {
    let Some((service, _database)) = on_postgres(&["--service", "blog/dev"]) else { return };
    let ask = |query: &str| service.query("/management", "", query);
    let connector = json!({ "serverInfo": { "primaryConnector": "postgres" } });
    assert_eq!(ask("{ serverInfo { primaryConnector } }"), connector);
    create(&service, "");
    let reset = service.query("/blog/dev/private", "", "mutation { resetData }");
    assert_eq!(reset, json!({ "resetData": true }));
    assert_eq!(service.query("/blog/dev", "", COUNTS), counts(0, &json!([])));
}

#[test]
fn rows_of_another_schema_than_the_first_are_stored_and_deleted() {
    let Some((first, database)) = on_postgres(&["--raw-access"]) else { return };
    let statement = "mutation { executeRaw(query: \"create schema extra\") }";
    assert_eq!(first.query("/", "", statement), json!({ "executeRaw": 0 }));
    let file = first.folder.file("datamodel.prisma");
    let (file, url) = (file.to_str().unwrap(), database.url());
    let words = ["serve", &url, "--dialect", "prisma", "--types", file, "--listen", "127.0.0.1:0"];
    let schemas = ["--schema", "extra", "--schema", "default$default"];
    let server = Server::start(&[&words[..], &schemas].concat());
    let service = Service { server, folder: Folder::new() };
    let user = json!({ "_typeName": "User", "id": "u", "email": "a@x" });
    let import = json!({ "valueType": "nodes", "values": [user] });
    assert_eq!(service.post("/import", "", &import), (200, json!([])));
    assert_eq!(service.query("/", "", COUNTS), counts(1, &json!([])));
    let reset = service.query("/private", "", "mutation { resetData }");
    assert_eq!(reset, json!({ "resetData": true }));
    assert_eq!(service.query("/", "", COUNTS), counts(0, &json!([])));
}

#[test]
fn a_server_of_trusted_documents_deletes_nothing() {
    let folder = Folder::new();
    let documents = folder.file("documents.json");
    std::fs::write(&documents, "{}").unwrap();
    let documents = documents.to_str().unwrap();
    let service = start(&["--trusted-documents", documents, "--only-trusted"]);
    let body = json!({ "query": "mutation { resetData }" });
    let (status, answer) = service.post("/blog/dev/private", "", &body);
    assert_eq!(
        (status, &answer["errors"][0]["extensions"]["code"]),
        (403, &json!("OPERATION_NOT_TRUSTED")),
        "{answer}"
    );
}

#[test]
fn subscriptions_are_validated_over_the_private_api() {
    let service = start(&[]);
    let errors = |query: &str| {
        let request = "query ($q: String!) { validateSubscriptionQuery(query: $q) { errors } }";
        let body = json!({ "query": request, "variables": { "q": query } });
        service.post("/blog/dev/private", "", &body).1["data"]["validateSubscriptionQuery"]["errors"].clone()
    };
    assert_eq!(errors("subscription { user { node { email } } }"), json!([]));
    assert_eq!(
        errors("subscription { user { email } }"),
        json!(["Cannot query field \"email\" on type \"UserSubscriptionPayload\"."])
    );
    assert_eq!(errors("{ users { id } }"), json!(["The document has no subscription."]));
}
