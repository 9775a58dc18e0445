//! Errors that come after the first bytes: what can be told at the end of the answer is told
//! there, and everything else ends the connection.

use crate::served::{SOON, happens_within};
use crate::streaming::chunks::{Ending, Reading};
use crate::streaming::flat::serve;
use crate::streaming::shops;

/// Rows whose last one is not what its type promises.
const WITH_AN_ERROR: &str = "
    CREATE TABLE word (id integer PRIMARY KEY, optional integer, needed integer NOT NULL);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO word SELECT i, i, i FROM n;
    UPDATE word SET optional = 'no number', needed = 'no number' WHERE id = 90000;
    CREATE VIEW overflow AS SELECT id, abs(CASE id WHEN 90000 THEN -9223372036854775808
        ELSE id END) AS number FROM word;";

#[test]
fn an_error_at_a_place_that_may_be_null_is_told_at_the_end() {
    let file = shops::file(WITH_AN_ERROR);
    let served = serve(file.source(), &[]);
    let mut reading = Reading::begin(served.send("{ allWordsList { id optional } }"));
    assert!(reading.is_chunked(), "{}", reading.head);
    let (bytes, ending) = reading.rest();
    assert_eq!(ending, Ending::Whole);
    let answer: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(answer["data"]["allWordsList"].as_array().unwrap().len(), 100_000);
    assert_eq!(answer["data"]["allWordsList"][89_999]["optional"], serde_json::Value::Null);
    let path = serde_json::json!(["allWordsList", 89_999, "optional"]);
    assert_eq!(answer["errors"][0]["path"], path);
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1);
    let logged = || served.log().contains("streamed=\"sent\"");
    assert!(happens_within(SOON, logged), "{}", served.log());
}

#[test]
fn an_error_that_would_change_what_was_sent_cuts_the_answer_off() {
    let file = shops::file(WITH_AN_ERROR);
    let served = serve(file.source(), &[]);
    for query in ["{ allWordsList { id needed } }", "{ allOverflows { nodes { id number } } }"] {
        let mut reading = Reading::begin(served.send(query));
        assert!(reading.is_chunked(), "{}", reading.head);
        let (bytes, ending) = reading.rest();
        assert_eq!(ending, Ending::CutOff, "{query}");
        // All that came is right.
        assert!(bytes.starts_with(b"{\"data\":{\"all"), "{query}");
        assert!(!String::from_utf8(bytes).unwrap().contains("90000"));
        let broken = || served.log().contains("an answer breaks off");
        assert!(happens_within(SOON, broken), "{}", served.log());
    }
    let logged = || served.log().matches("streamed=\"broken\"").count() == 2;
    assert!(happens_within(SOON, logged), "{}", served.log());
}

#[test]
fn an_error_of_postgresql_after_the_beginning_cuts_the_answer_off() {
    let dividing = "CREATE VIEW share AS
        SELECT id, name, 1000 / (200000 - id) AS share FROM line ORDER BY id;";
    let Some(database) = shops::database(dividing) else { return };
    let served = serve(&database.url(), &[]);
    let query = "{ allSharesList { id name share } }";
    for _ in 0..2 {
        let mut reading = Reading::begin(served.send(query));
        let (bytes, ending) = reading.rest();
        assert_eq!(ending, Ending::CutOff);
        assert!(bytes.starts_with(br#"{"data":{"allSharesList":[{"id":1,"#));
    }
    assert!(happens_within(SOON, || served.log().contains("division by zero")));
    // Where it comes before anything was sent, the answer tells it.
    let query = "{ allSharesList(offset: 199900) { share } allSmalls { nodes { id } } }";
    let answer = served.ask(query);
    assert_eq!(answer["data"]["allSharesList"], serde_json::Value::Null);
    assert_eq!(answer["data"]["allSmalls"]["nodes"][0]["id"], 1);
    assert_eq!(answer["errors"][0]["path"], serde_json::json!(["allSharesList"]));
}

#[test]
fn an_answer_beyond_its_limit_is_cut_off() {
    let file = shops::file("");
    let served = serve(file.source(), &["--max-response-size", "3MiB"]);
    let mut reading = Reading::begin(served.send(shops::LINES));
    let (bytes, ending) = reading.rest();
    assert_eq!(ending, Ending::CutOff);
    assert!(bytes.len() <= 3 << 20, "{}", bytes.len());
    let logged = || served.log().contains("code=\"RESPONSE_TOO_LARGE\"");
    assert!(happens_within(SOON, logged), "{}", served.log());
}
