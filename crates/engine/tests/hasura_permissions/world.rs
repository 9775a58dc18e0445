//! A database with the tables of the test, and an engine with the permissions of random roles.

use std::sync::Arc;

use dialects::Dialect;
use dialects::hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialects::hasura::permissions::ROLE;
use engine::{Allowed, Claims, Delivery, Report, Session, Worker};
use serde_json::{Value as Json, json};

use super::made::{RandomRoles, SESSION, WORDS};
use crate::policies::places::{Database, Place};

/// The id of each player with its other cells.
pub(super) type Dump = Vec<(String, [String; 2])>;

pub(super) struct World {
    database: Database,
    is_sqlite: bool,
    worker: Worker,
    /// A worker that caches all answers.
    pub(super) cached: Option<Worker>,
}

impl World {
    pub(super) async fn new(place: &Place, made: &RandomRoles) -> Self {
        Self::open(place, made, false).await
    }

    /// The same with another worker, which caches all answers.
    pub(super) async fn cached(place: &Place, made: &RandomRoles) -> Self {
        Self::open(place, made, true).await
    }

    async fn open(place: &Place, made: &RandomRoles, is_cached: bool) -> Self {
        let database = place.empty_database("hasura", &tables());
        let text = made.metadata().to_string();
        let served = ServedSource::choose(read_text("made.json", &text), None).unwrap();
        let dialect = Dialect::Hasura(dialects::hasura::Options {
            metadata: MetadataSetting::Read(served),
            ..Default::default()
        });
        let worker = database.worker_of(dialect.clone()).await;
        let cached = match is_cached {
            true => Some(database.cached_worker_of(dialect).await),
            false => None,
        };
        Self { cached, database, is_sqlite: matches!(place, Place::Sqlite), worker }
    }

    /// The answer of a role with the session variables of the test.
    pub(super) async fn answer(&self, role: &str, request: &str) -> Json {
        let mut claims = json!({ ROLE: role });
        for (name, text, _) in SESSION {
            claims[name.to_ascii_lowercase()] = json!(text);
        }
        self.answer_with(claims, request).await
    }

    /// The answer to a session with these claims.
    pub(super) async fn answer_with(&self, claims: Json, request: &str) -> Json {
        answer(&self.worker, claims, request).await.0
    }

    /// The same from the cache; true if nothing was executed.
    pub(super) async fn cached_answer(&self, claims: Json, request: &str) -> (Json, bool) {
        answer(self.cached.as_ref().unwrap(), claims, request).await
    }

    /// The first column of the rows of a query, sorted.
    pub(super) fn rows(&self, sql: &str) -> Vec<String> {
        let mut rows: Vec<String> =
            self.query(sql).into_iter().map(|mut row| row.swap_remove(0)).collect();
        rows.sort();
        rows
    }

    /// The same after a change, which is rolled back.
    pub(super) fn rows_after(&self, change: &str, sql: &str) -> Vec<String> {
        let mut rows: Vec<String> = match self.is_sqlite {
            false => {
                let all = format!("BEGIN; {change}; {sql}; ROLLBACK");
                self.query(&all).into_iter().map(|mut row| row.swap_remove(0)).collect()
            }
            true => {
                let connection = rusqlite::Connection::open(self.database.path()).unwrap();
                let begin = format!("PRAGMA case_sensitive_like = ON; BEGIN; {change}");
                connection
                    .execute_batch(&begin)
                    .unwrap_or_else(|error| panic!("{change}: {error}"));
                let mut statement = connection.prepare(sql).unwrap();
                let rows = statement.query_map([], |row| row.get(0)).unwrap();
                rows.map(Result::unwrap).collect()
            }
        };
        rows.sort();
        rows
    }

    pub(super) fn dump(&self) -> Dump {
        let sql = "SELECT CAST(id AS TEXT), coalesce(CAST(level AS TEXT), 'null'), \
                   coalesce(owner, 'null') FROM player ORDER BY id";
        let rows = self.query(sql).into_iter();
        rows.map(|row| (row[0].clone(), [row[1].clone(), row[2].clone()])).collect()
    }

    fn query(&self, sql: &str) -> Vec<Vec<String>> {
        if !self.is_sqlite {
            let rows = testkit::postgres::query(&self.database.url(), sql);
            let rows = rows.unwrap_or_else(|error| panic!("{sql}: {error}"));
            return rows
                .into_iter()
                .map(|row| row.into_iter().map(Option::unwrap_or_default).collect())
                .collect();
        }
        let connection = rusqlite::Connection::open(self.database.path()).unwrap();
        // As in PostgreSQL, and as the API compares texts.
        connection.execute_batch("PRAGMA case_sensitive_like = ON").unwrap();
        let mut statement =
            connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let width = statement.column_count();
        let rows = statement.query_map([], |row| (0..width).map(|place| row.get(place)).collect());
        rows.unwrap().map(Result::unwrap).collect()
    }
}

async fn answer(worker: &Worker, claims: Json, request: &str) -> (Json, bool) {
    let claims = serde_json::from_value(claims).unwrap();
    let session = Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() };
    let request = graphql::Request { query: request.to_owned(), ..Default::default() };
    let (delivery, mut report) = (Delivery::Whole, Report::default());
    let response =
        worker.deliver_reported(&request, &session, Allowed::All, delivery, &mut report).await;
    let is_hit = report.cache.as_ref().is_some_and(|used| used.is_hit);
    // A hit executes nothing.
    assert_eq!(is_hit, report.cache.is_some() && report.stages.execute.is_none());
    (serde_json::from_slice(&response.body).unwrap(), is_hit)
}

fn tables() -> String {
    let mut sql = "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, owner TEXT);
        CREATE TABLE player (id INTEGER PRIMARY KEY, team_id INTEGER REFERENCES team (id), name TEXT,
            level INTEGER, rank INTEGER, owner TEXT);
        CREATE TABLE note (id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES player (id),
            words TEXT, stars INTEGER);"
        .to_owned();
    let word = |number: usize| WORDS[number % WORDS.len()];
    let or_null =
        |number: usize, value: String| if number % 7 == 6 { "NULL".into() } else { value };
    let text = |number: usize| or_null(number, format!("'{}'", word(number * 3 / 2)));
    let whole = |number: usize, most: usize| or_null(number, (number % most).to_string());
    for id in 1..=6 {
        let (name, size, owner) = (text(id), whole(id * 2, 7), text(id + 2));
        sql += &format!("INSERT INTO team VALUES ({id}, {name}, {size}, {owner});");
    }
    for id in 1..=24 {
        let team = or_null(id, (1 + id % 6).to_string());
        let (name, level, rank) = (text(id + 1), whole(id, 7), whole(id * 3 + 1, 7));
        let owner = text(id * 5);
        sql +=
            &format!("INSERT INTO player VALUES ({id}, {team}, {name}, {level}, {rank}, {owner});");
    }
    for id in 1..=40 {
        let (player, words, stars) = (1 + id % 24, text(id * 2 + 1), whole(id + 3, 6));
        sql += &format!("INSERT INTO note VALUES ({id}, {player}, {words}, {stars});");
    }
    sql
}
