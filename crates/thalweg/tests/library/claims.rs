//! From claims to what a caller may do.

use serde_json::{Value, json};
use thalweg::{ClaimsError, OpenError, Options, Thalweg, Triggers};

use crate::databases::{Database, answer, request};

const FINISH: &str = "mutation { updateTaskById(input: { id: 2, taskPatch: { title: \"Done\" } }) { task { title } } }";

/// Editors see their own tasks.
const METADATA: &str = r#"{ "version": 3, "sources": [{
    "name": "default",
    "kind": "postgres",
    "configuration": { "connection_info": { "database_url": "postgres://localhost/tasks" } },
    "tables": [{
        "table": { "schema": "public", "name": "task" },
        "select_permissions": [{ "role": "editor", "permission": {
            "columns": "*", "filter": { "person_id": { "_eq": "X-Hasura-User-Id" } }
        } }]
    }]
}] }"#;

async fn answer_as(thalweg: &Thalweg, claims: Value, query: &str) -> Value {
    let session = thalweg.session(&claims).unwrap();
    let answer = thalweg.execute(request(query), &session).await;
    serde_json::from_slice(answer.body()).unwrap()
}

#[tokio::test]
async fn a_claim_names_the_role_of_policies() {
    for database in Database::each() {
        let thalweg = Thalweg::open(database.options_with_policies()).await.unwrap();
        let refused = answer(&thalweg, "{ personById(id: 1) { name email } }").await;
        assert!(refused.contains("PERMISSION_DENIED"), "{refused}");
        let of = |person: i32| json!({ "app_role": "member", "person": person });
        let refused = answer_as(&thalweg, of(1), FINISH).await;
        assert_eq!(refused["data"], json!({ "updateTaskById": null }));
        let done = answer_as(&thalweg, of(2), FINISH).await;
        assert_eq!(done, json!({ "data": { "updateTaskById": { "task": { "title": "Done" } } } }));
        assert_eq!(thalweg.schema_of_role("nobody"), None);
    }
}

#[tokio::test]
async fn claims_become_the_role_and_settings_of_postgresql() {
    for database in Database::each() {
        let Database::Postgres { .. } = &database else { continue };
        database.execute(
            "CREATE FUNCTION me() RETURNS text STABLE LANGUAGE sql AS
             $$ SELECT current_user || ' ' || current_setting('jwt.claims.person', true) $$",
        );
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let claims = json!({ "role": "pg_monitor", "person": 7 });
        assert_eq!(
            answer_as(&thalweg, claims, "{ me }").await,
            json!({ "data": { "me": "pg_monitor 7" } })
        );
    }
}

#[tokio::test]
async fn claims_are_session_variables_of_hasura() {
    let database = Database::sqlite();
    let options = Options::with_hasura_metadata(&database.address(), METADATA).unwrap();
    let thalweg = Thalweg::open(options).await.unwrap();
    let query = "{ task(order_by: { id: asc }) { title } }";
    let editor = json!({ "X-Hasura-Role": "editor", "x-hasura-user-id": "2" });
    assert_eq!(
        answer_as(&thalweg, editor, query).await,
        json!({ "data": { "task": [{ "title": "Paint" }] } })
    );
    let admin = json!({ "x-hasura-role": "admin" });
    let all = answer_as(&thalweg, admin, query).await;
    assert_eq!(all["data"]["task"].as_array().unwrap().len(), 3);
    assert!(!answer(&thalweg, query).await.contains("Paint"));
    let check = |claims: Value, expected: ClaimsError| {
        assert_eq!(thalweg.session(&claims).unwrap_err(), expected, "{claims}");
    };
    check(json!({}), ClaimsError::NoRole);
    check(json!({ "x-hasura-user-id": "7" }), ClaimsError::NoRole);
    check(json!({ "x-hasura-role": 7 }), ClaimsError::Variable("x-hasura-role".into()));
    check(json!({ "role": "admin" }), ClaimsError::Variable("role".into()));
    check(
        json!({ "x-hasura-role": "a", "X-Hasura-Role": "b" }),
        ClaimsError::Variable("X-Hasura-Role".into()),
    );
}

#[tokio::test]
async fn metadata_with_triggers_is_refused_unless_a_server_delivers_them() {
    let database = Database::sqlite();
    let cron = r#""cron_triggers": [{
        "name": "nightly", "webhook": "http://127.0.0.1:1", "schedule": "0 0 * * *",
        "include_in_metadata": true
    }], "version": 3"#;
    let metadata = METADATA.replace("\"version\": 3", cron);
    let options = Options::with_hasura_metadata(&database.address(), &metadata).unwrap();
    let error = Thalweg::open(options.clone()).await.unwrap_err();
    assert!(matches!(error, OpenError::Triggers), "{error}");
    let options = Options { triggers: Triggers::DeliveredElsewhere, ..options };
    Thalweg::open(options).await.unwrap();
}

#[tokio::test]
async fn claims_that_cannot_be_those_of_a_session_are_refused() {
    let database = Database::sqlite();
    let thalweg = Thalweg::open(database.options()).await.unwrap();
    assert_eq!(thalweg.session(&json!(["role"])).unwrap_err(), ClaimsError::NoObject);
    let refused = thalweg.session(&json!({ "role": "none" })).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the claims cannot be those of a session: its role cannot be one"
    );
}
