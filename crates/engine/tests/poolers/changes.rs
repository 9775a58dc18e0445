//! Rows that many clients insert at once into several tables, and where they are in the end.

use std::collections::HashMap;

use engine::Allowed;
use graphql::Request;
use serde_json::{Value, json};
use testkit::random::Random;
use tokio::task::{JoinHandle, spawn_local, yield_now};

use crate::shop::{Answering, Shop, happens};

/// Each row names the table that it was sent to.
const TABLES: [&str; 6] = ["ape", "bee", "cat", "dog", "emu", "fox"];

/// The rows of clients, by their tokens.
#[derive(Default)]
pub(crate) struct Changes {
    /// Where the answer said that the row is there.
    made: HashMap<String, &'static str>,
    /// Where nobody waited for the answer, or it was an error.
    unknown: HashMap<String, &'static str>,
    /// The codes of errors.
    pub(crate) codes: Vec<String>,
    tokens: usize,
}

impl Changes {
    /// Adds the tables to a database.
    pub(crate) fn prepare(shop: &Shop) {
        for table in TABLES {
            shop.execute(&format!(
                "CREATE TABLE {table}
                    (id serial PRIMARY KEY, token text, origin text, changes int);"
            ));
        }
    }

    /// Several clients insert and update rows, and some of them leave.
    pub(crate) async fn run(
        &mut self,
        answering: &[Answering],
        rounds: usize,
        random: &mut Random,
    ) {
        for _ in 0..rounds {
            let mut asked = Vec::new();
            for _ in 0..24 {
                let table = *random.one_of(&TABLES);
                let token = format!("token {}", self.tokens);
                self.tokens += 1;
                let answering = random.one_of(answering);
                asked.push((table, token.clone(), insert(answering, table, token)));
            }
            for _ in 0..random.below(40) {
                yield_now().await;
            }
            for (table, token, answer) in asked {
                if random.below(4) == 0 {
                    answer.abort();
                    self.unknown.insert(token, table);
                    continue;
                }
                self.take(table, token, &answer.await.unwrap());
            }
        }
    }

    fn take(&mut self, table: &'static str, token: String, answer: &Value) {
        if let Some(error) = answer["errors"].get(0) {
            self.codes.push(error["extensions"]["code"].as_str().unwrap().to_owned());
            self.unknown.insert(token, table);
            return;
        }
        let row = &answer["data"]["made"]["row"];
        assert_eq!(row, &json!({ "token": token, "origin": table, "changes": 0 }), "{answer}");
        self.made.insert(token, table);
    }

    /// Each row that was promised is in its table, once; no other row is anywhere but there, nor
    /// twice.
    pub(crate) async fn check(&self, shop: &Shop) {
        happens(|| shop.sessions("state <> 'idle'") == 0).await;
        let all = TABLES
            .map(|table| format!("SELECT token, '{table}' AS place, origin, changes FROM {table}"));
        let rows = shop.value(&format!(
            "SELECT coalesce(jsonb_agg(to_jsonb(rows)), '[]')::text FROM ({}) AS rows",
            all.join(" UNION ALL ")
        ));
        let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
        let mut found = HashMap::new();
        for row in &rows {
            assert_eq!((&row["origin"], &row["changes"]), (&row["place"], &json!(0)), "{row}");
            let token = row["token"].as_str().unwrap();
            assert_eq!(found.insert(token, &row["place"]), None, "{token} is there twice");
        }
        for (token, table) in &self.made {
            assert_eq!(found.remove(&**token), Some(&json!(table)), "{token}");
        }
        for (token, place) in found {
            assert_eq!(place, &json!(self.unknown[token]), "{token}");
        }
        assert!(self.made.len() > 100 && self.unknown.len() > 20);
    }
}

fn insert(answering: &Answering, table: &'static str, token: String) -> JoinHandle<Value> {
    let answering = answering.clone();
    let name = [&table[..1].to_uppercase(), &table[1..]].concat();
    let query = format!(
        "mutation ($token: String!) {{
            made: create{name}(
                input: {{{table}: {{token: $token, origin: \"{table}\", changes: 0}}}}
            ) {{ row: {table} {{ token origin changes }} }}
        }}"
    );
    spawn_local(async move {
        let variables = serde_json::from_value(json!({ "token": token })).unwrap();
        let request = Request { query, variables, ..Request::default() };
        let answered = answering.worker.execute(&request, Allowed::All).await;
        serde_json::from_slice(&answered.body).unwrap()
    })
}
