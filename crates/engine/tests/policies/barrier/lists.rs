//! SQLite reads the values of a list when it first compares one with it: if that showed whether
//! another condition found a hidden row, the time of a long list would tell what hidden rows hold.

use rusqlite::StatementStatus;
use rusqlite::types::Value;
use serde_json_bytes::{Value as Json, json};

use super::who;
use crate::policies::places::Place;

const DATABASE: &str = "
    CREATE TABLE author (id INTEGER PRIMARY KEY, team INTEGER NOT NULL);
    CREATE TABLE post (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES author,
        title TEXT NOT NULL, score INTEGER NOT NULL, grade INTEGER NOT NULL);
    CREATE INDEX post_title ON post (title, grade);
    CREATE INDEX post_author ON post (author_id);
    INSERT INTO author VALUES (1, 1), (2, 2);
    INSERT INTO post VALUES (1, 1, 'seen', 1, 1), (2, 2, 'hidden', 2, 2);";

/// What decides leads to another table, so that SQLite evaluates it after conditions that do not.
const RULES: &str = r#"
[rules.posts]
entity = "post"
read = { rows = { some = { author = { team = { eq = { claim = "team" } } } } }, columns = "*" }
[rules.authors]
entity = "author"
read = { columns = "*" }
[roles.member]
rules = ["posts", "authors"]
"#;

/// Conditions on posts: what a guess finds, and a list beside it.
const FILTERS: [&str; 9] = [
    "title: {equalTo: $t}, score: {in: $l}",
    "title: {equalTo: $t}, id: {in: $l}",
    "title: {equalTo: $t}, grade: {in: $l}",
    "title: {equalTo: $t}, score: {notIn: $l}",
    "title: {equalTo: $t}, not: {score: {in: $l}}",
    "title: {equalTo: $t}, or: [{score: {in: $l}}, {grade: {lessThan: 0}}]",
    "title: {in: [$t]}, score: {in: $l}",
    "title: {in: [$t]}, id: {in: $l}",
    "title: {equalTo: $t}, authorByAuthorId: {id: {in: $l}}",
];

#[tokio::test]
async fn a_list_is_read_whether_or_not_hidden_rows_are_found() {
    let database = Place::Sqlite.empty_database("lists", DATABASE);
    let options =
        "postgraphile simple-collections=both connection-filter connection-filter-relations";
    let worker = database.worker(options, Some(RULES)).await;
    let connection = rusqlite::Connection::open(database.path()).unwrap();
    let mut queries: Vec<String> = FILTERS
        .iter()
        .map(|filter| format!("{{ allPosts(filter: {{{filter}}}) {{ totalCount }} }}"))
        .collect();
    queries.extend(FILTERS.iter().map(|filter| {
        format!(
            "{{ allAuthors(filter: {{postsByAuthorId: {{some: {{{filter}}}}}}}) {{ totalCount }} }}"
        )
    }));
    for query in queries {
        let query = format!("query ($t: String!, $l: [Int!]!) {query}");
        let Json::Object(variables) = json!({ "t": "absent", "l": [99] }) else { panic!() };
        let request = graphql::Request { query, variables, ..graphql::Request::default() };
        let explained = worker.prepare_for(&request, &who(), &mut engine::Report::default());
        let statements = explained.unwrap().statements;
        let [statement] = &*statements else { panic!("several statements of {request:?}") };
        let steps = |title: &str, length: usize| {
            // None of them is the value of any row.
            let list = format!("[{}]", vec!["99"; length].join(","));
            let mut prepared = connection.prepare(&statement.text).unwrap();
            let parameters = statement.parameters.iter().map(|parameter| match parameter {
                claim if claim.starts_with("the claim team") => Value::Integer(1),
                variable if variable.starts_with("$t") => Value::Text(title.to_owned()),
                variable if variable.starts_with("$l") => Value::Text(list.clone()),
                _ if statement.text.contains("json_each") => Value::Text(format!("[\"{title}\"]")),
                _ => Value::Integer(0),
            });
            let parameters = rusqlite::params_from_iter(parameters.collect::<Vec<_>>());
            let mut rows = prepared.query(parameters).unwrap();
            while rows.next().unwrap().is_some() {}
            drop(rows);
            prepared.get_status(StatementStatus::VmStep)
        };
        // A row that is found costs some steps, of which how many does not depend on the list.
        let [absent, hidden] =
            ["absent", "hidden"].map(|title| steps(title, 1000) - steps(title, 10));
        assert_eq!(absent, hidden, "{}\n{}", request.query, statement.text);
    }
}
