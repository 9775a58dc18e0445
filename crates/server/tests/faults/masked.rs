//! What clients learn of an error, and what the log has.

use serde_json::{Value, json};

use crate::databases::Database;
use crate::served::{Served, code};

const TABLES: &str = "
    CREATE TABLE secret (id int PRIMARY KEY, value text, number numeric, born date);
    INSERT INTO secret VALUES (1, 'hush', 0, '2000-01-01');
    CREATE VIEW divided AS SELECT id, value, 1 / number AS quotient FROM secret;
    CREATE VIEW cast_wrongly AS SELECT id, value, value::int AS number FROM secret;
    CREATE VIEW too_large AS SELECT id, value, (id * 1000000)::smallint AS number FROM secret;
    CREATE VIEW folded AS SELECT 1 AS id, 'x'::text AS value, ('hu' || 'sh')::int AS number;
    CREATE FUNCTION fail(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
        $$ BEGIN RAISE EXCEPTION 'hush %', $1 USING ERRCODE = '22023'; END $$;
    CREATE VIEW raised AS SELECT id, value, fail(id) AS number FROM secret;
    CREATE VIEW denied AS SELECT 1 AS id;";

#[test]
fn what_fails_inside_the_database_is_masked_and_in_the_log() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "1"]);
        let failures = [
            ("Divideds", "quotient", "division by zero"),
            ("CastWronglies", "number", "hush"),
            ("TooLarges", "number", "smallint out of range"),
        ];
        for (view, field, logged) in failures {
            // With and without values of the client in the statement.
            for arguments in
                ["", "(first: 5)", "(condition: { id: 1 })", "(condition: { value: \"hush\" })"]
            {
                let query = format!("{{ all{view}{arguments} {{ nodes {{ {field} }} }} }}");
                let answer = served.ask(&query);
                assert_eq!(answer["data"], json!({ format!("all{view}"): null }), "{answer}");
                served.assert_masked(&answer, "SOURCE_ERROR", "The data source failed.", logged);
                assert_eq!(answer["errors"][0]["path"], json!([format!("all{view}")]));
            }
        }
        // This fails before the execution already, as values of the client do.
        for arguments in ["", "(condition: { id: 1 })", "(condition: { value: \"x\" })"] {
            let answer =
                served.ask(&format!("{{ allFoldeds{arguments} {{ nodes {{ number }} }} }}"));
            served.assert_masked(&answer, "SOURCE_ERROR", "The data source failed.", "hush");
        }
    }
}

#[test]
fn what_a_function_raises_is_for_the_client() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "1"]);
        let answer = served.ask("{ allRaiseds { nodes { number } } }");
        assert_eq!(answer["data"], json!({ "allRaiseds": null }), "{answer}");
        let message = &answer["errors"][0]["message"];
        assert_eq!((message, code(&answer)), (&"hush 1".into(), "RAISED"));
    }
}

#[test]
fn values_that_the_client_sent_are_its_own_fault() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "1"]);
        for (condition, message) in [
            ("born: \"x\"", "invalid input syntax for type date: \"x\""),
            ("born: \"2000-13-45\"", "date/time field value out of range: \"2000-13-45\""),
            ("number: \"x\"", "invalid input syntax for type numeric: \"x\""),
        ] {
            let query = format!("{{ allSecrets(condition: {{ {condition} }}) {{ totalCount }} }}");
            let answer = served.ask(&query);
            assert_eq!(answer["data"], json!({ "allSecrets": null }), "{answer}");
            let error = &answer["errors"][0];
            assert_eq!((&error["message"], code(&answer)), (&message.into(), "BAD_USER_INPUT"));
        }
    }
}

#[test]
fn a_pattern_that_cannot_be_one_is_the_fault_of_the_client() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let served = Served::start(&database.url(), &["--threads", "1", "--dialect", "phrag"]);
    let answer = served.ask(r#"{ secrets(where: { value: { like: "hus\\" } }) { id } }"#);
    assert_eq!(answer["errors"][0]["message"], "LIKE pattern must not end with escape character");
    assert_eq!(code(&answer), "BAD_USER_INPUT");
}

#[test]
fn a_fault_of_the_client_does_not_hide_one_of_the_database() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let served = Served::start(&database.url(), &["--threads", "1"]);
    let query = "{
        a: allSecrets(condition: { born: \"x\" }) { totalCount }
        b: allDivideds { nodes { quotient } }
        c: allSecrets { totalCount }
    }";
    let answer = served.ask(query);
    assert_eq!(answer["data"], json!({ "a": null, "b": null, "c": { "totalCount": 1 } }));
    let codes: Vec<&Value> = answer["errors"].as_array().unwrap().iter().collect();
    let codes = codes.iter().map(|error| (&error["path"][0], &error["extensions"]["code"]));
    let codes: Vec<_> = codes.map(|(path, code)| (path.as_str(), code.as_str())).collect();
    assert_eq!(codes, [(Some("a"), Some("BAD_USER_INPUT")), (Some("b"), Some("SOURCE_ERROR"))]);
}

#[test]
fn what_the_role_may_not_read_is_denied() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let user = "CREATE ROLE faults_reader LOGIN; GRANT SELECT ON denied, secret TO faults_reader;";
    database.execute(user);
    let url = database.url().replace("user=postgres", "user=faults_reader");
    let served = Served::start(&url, &["--threads", "1"]);
    assert_eq!(served.ask("{ allSecrets { totalCount } }")["errors"], Value::Null);
    database.execute("REVOKE SELECT ON denied FROM faults_reader");
    let answer = served.ask("{ allDenieds { nodes { id } } allSecrets { totalCount } }");
    assert_eq!(answer["data"], json!({ "allDenieds": null, "allSecrets": { "totalCount": 1 } }));
    let message = "The data source denies permission.";
    served.assert_masked(&answer, "PERMISSION_DENIED", message, "permission denied");
    database.execute("DROP OWNED BY faults_reader; DROP ROLE faults_reader;");
}
