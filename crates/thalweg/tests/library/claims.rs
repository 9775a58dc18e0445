//! From claims to what a caller may do.

use serde_json::{Value, json};
use thalweg::{ClaimsError, Options, Thalweg};

use crate::databases::{Database, answer, request};

const FINISH: &str =
    "mutation { updateTaskById(input: { id: 2, taskPatch: { title: \"Done\" } }) { task { title } } }";

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
        let claims = json!({ "role": "pg_read_all_data", "person": 7 });
        assert_eq!(
            answer_as(&thalweg, claims, "{ me }").await,
            json!({ "data": { "me": "pg_read_all_data 7" } })
        );
    }
}

#[tokio::test]
async fn claims_are_session_variables_of_hasura() {
    let database = Database::sqlite();
    let thalweg = Thalweg::open(Options::new(&database.address(), "hasura").unwrap()).await.unwrap();
    let admin = json!({ "X-Hasura-Role": "admin" });
    assert_eq!(
        answer_as(&thalweg, admin, "{ task_by_pk(id: 3) { title } }").await,
        json!({ "data": { "task_by_pk": { "title": "Draw" } } })
    );
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
    let nobody = thalweg.execute(request("{ task_by_pk(id: 3) { title } }"), &thalweg.anonymous()).await;
    assert!(!String::from_utf8_lossy(nobody.body()).contains("Draw"));
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
