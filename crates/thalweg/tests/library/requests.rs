//! Requests, their errors and their cancellation; reload and shutdown.

use std::time::Duration;

use graphql::ErrorCode;
use thalweg::{Answer, OpenError, Options, OptionsError, Outcome, Request, Thalweg};
use tokio::time::{sleep, timeout};

use crate::databases::{Database, answer, request};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn queries_and_mutations_are_answered_as_the_server_answers_them() {
    for database in Database::each() {
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        assert_eq!(
            answer(
                &thalweg,
                "{ allTasks(first: 2) { nodes { title personByPersonId { name } } } }"
            )
            .await,
            r#"{"data":{"allTasks":{"nodes":[{"title":"Write","personByPersonId":{"name":"Ada"}},{"title":"Paint","personByPersonId":{"name":"Ben"}}]}}}"#,
        );
        let change = "mutation { updateTaskById(input: { id: 1, taskPatch: { title: \"Read\" } }) { task { title } } }";
        let refused = thalweg.query(request(change), &thalweg.anonymous()).await;
        assert_eq!(
            (refused.outcome(), refused.outcome().http_status()),
            (Outcome::MutationRefused, 405)
        );
        assert_eq!(
            answer(&thalweg, change).await,
            r#"{"data":{"updateTaskById":{"task":{"title":"Read"}}}}"#,
        );
        let invalid = thalweg.execute(request("{ nothing }"), &thalweg.anonymous()).await;
        assert_eq!(invalid.outcome(), Outcome::RequestError);
        assert_eq!(invalid.codes(), [ErrorCode::ValidationFailed]);
        assert!(thalweg.schema().contains("type Task implements Node {"));
        thalweg.close(LONG).await;
    }
}

#[tokio::test]
async fn a_body_that_is_no_request_has_an_answer_too() {
    let error = Request::from_json(b"{}").unwrap_err();
    let answer = Answer::refused(error);
    assert_eq!(answer.outcome().http_status(), 400);
    assert!(answer.body().starts_with(br#"{"errors":[{"message":"Must provide \"query\"."#));
}

#[tokio::test]
async fn requests_of_many_tasks_run_at_once() {
    for database in Database::each() {
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let tasks = (0..50).map(|_| {
            let thalweg = thalweg.clone();
            tokio::spawn(async move { answer(&thalweg, "{ taskById(id: 3) { title } }").await })
        });
        for task in tasks.collect::<Vec<_>>() {
            assert_eq!(task.await.unwrap(), r#"{"data":{"taskById":{"title":"Draw"}}}"#);
        }
    }
}

#[tokio::test]
async fn a_dropped_request_is_cancelled_in_the_database() {
    for database in Database::each() {
        let Database::Postgres { server, name } = &database else { continue };
        database.execute(
            "CREATE FUNCTION slow() RETURNS text STABLE LANGUAGE sql AS $$ SELECT pg_sleep(600)::text $$",
        );
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND application_name = 'thalweg' AND state = 'active'";
        let count = || server.query(name, running).unwrap()[0][0].clone().unwrap();
        let nobody = thalweg.anonymous();
        let slow = thalweg.execute(request("{ slow }"), &nobody);
        {
            let mut slow = std::pin::pin!(slow);
            while count() == "0" {
                assert!(timeout(Duration::from_millis(10), &mut slow).await.is_err());
            }
        }
        let ended = async {
            while count() != "0" {
                sleep(Duration::from_millis(10)).await
            }
        };
        timeout(LONG, ended).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_beyond_its_time_is_given_up() {
    for database in Database::each() {
        let Database::Postgres { .. } = &database else { continue };
        database.execute(
            "CREATE FUNCTION slow() RETURNS text STABLE LANGUAGE sql AS $$ SELECT pg_sleep(600)::text $$",
        );
        let options = Options { timeout: Duration::from_millis(200), ..database.options() };
        let thalweg = Thalweg::open(options).await.unwrap();
        let slow = thalweg.execute(request("{ slow }"), &thalweg.anonymous()).await;
        assert_eq!(slow.codes(), [ErrorCode::Timeout], "{:?}", slow.body());
    }
}

#[tokio::test]
async fn after_a_reload_new_columns_are_served() {
    for database in Database::each() {
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let query = "{ taskById(id: 1) { isDone } }";
        assert!(answer(&thalweg, query).await.starts_with(r#"{"errors":"#));
        database.execute("ALTER TABLE task ADD COLUMN is_done integer");
        thalweg.reload().await.unwrap();
        assert_eq!(answer(&thalweg, query).await, r#"{"data":{"taskById":{"isDone":null}}}"#);
    }
}

#[tokio::test]
async fn a_reload_that_fails_changes_nothing() {
    let database = Database::sqlite();
    let thalweg = Thalweg::open(database.options_with_policies()).await.unwrap();
    database.execute("DROP TABLE task");
    let error = thalweg.reload().await.unwrap_err();
    assert!(error.to_string().starts_with("the policies do not fit the source: "), "{error}");
    assert!(thalweg.schema().contains("type Task implements Node {"));
}

#[tokio::test]
async fn a_closed_api_answers_nothing_and_has_no_connections() {
    for database in Database::each() {
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let other = thalweg.clone();
        answer(&thalweg, "{ taskById(id: 3) { title } }").await;
        let opened = database.sessions();
        assert!(opened > 0 || matches!(database, Database::Sqlite { .. }));
        thalweg.close(LONG).await;
        let gone = async {
            while database.sessions() > 0 {
                sleep(Duration::from_millis(10)).await
            }
        };
        timeout(LONG, gone).await.unwrap();
        let late = other.execute(request("{ __typename }"), &other.anonymous()).await;
        assert_eq!(
            (late.outcome(), late.codes()),
            (Outcome::Unavailable, &[ErrorCode::Unavailable][..])
        );
        assert!(matches!(other.reload().await, Err(OpenError::Closed)));
        other.close(LONG).await;
    }
}

#[tokio::test]
async fn an_api_that_is_closed_while_it_is_reloaded_stays_closed() {
    for database in Database::each() {
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let other = thalweg.clone();
        // The reload begins first, and reads the schema on a thread of its own.
        let (reloaded, ()) = tokio::join!(other.reload(), thalweg.close(LONG));
        assert!(matches!(reloaded, Err(OpenError::Closed)), "{reloaded:?}");
    }
}

#[tokio::test]
async fn requests_in_flight_end_before_an_api_is_closed() {
    for database in Database::each() {
        let Database::Postgres { .. } = &database else { continue };
        database.execute(
            "CREATE FUNCTION nap() RETURNS text STABLE LANGUAGE sql AS $$ SELECT pg_sleep(0.3)::text || 'ok' $$",
        );
        let thalweg = Thalweg::open(database.options()).await.unwrap();
        let other = thalweg.clone();
        let nap = tokio::spawn(async move { answer(&other, "{ nap }").await });
        while database.sessions() == 0 {
            sleep(Duration::from_millis(5)).await;
        }
        thalweg.close(LONG).await;
        assert_eq!(nap.await.unwrap(), r#"{"data":{"nap":"ok"}}"#);
    }
}

#[tokio::test]
async fn mistakes_say_what_to_do() {
    let open = |source: &str, dialect: &str| Options::new(source, dialect).unwrap_err().to_string();
    assert_eq!(
        open("postgresq://shop", "hasura"),
        "`postgresq://` is no known source; did you mean `postgres://…`?"
    );
    assert!(matches!(Options::new("shop.db", "rest"), Err(OptionsError::Dialect(_))));
    assert_eq!(
        open("shop.db", "rest"),
        "`rest` is no dialect; there are `postgraphile`, `phrag`, `neo4j`, `dgraph`, `hasura`, `prisma`"
    );
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.db");
    let options = Options::new(missing.to_str().unwrap(), "postgraphile").unwrap();
    let error = Thalweg::open(options).await.unwrap_err();
    assert!(matches!(error, OpenError::Engine(_)), "{error}");
}
