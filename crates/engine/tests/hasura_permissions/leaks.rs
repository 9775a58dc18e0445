//! Hidden columns and rows: no part of an answer, of a condition, of an order or of an error shows
//! them.

use testkit::random::Random;

use super::made::{RandomRoles, TABLES};
use super::world::World;
use crate::policies::places::places;

/// A name that no table has.
const UNKNOWN: &str = "zzzzzz";

#[tokio::test]
async fn hidden_columns_are_refused_as_unknown_ones_are() {
    for place in places() {
        let mut random = Random::new(5);
        let made = RandomRoles::new(&mut random, 20);
        let world = World::new(&place, &made).await;
        let mut tried = 0;
        for role in &made.roles {
            for (number, table) in TABLES.iter().enumerate() {
                let visible = role.select[number].as_ref().map(|own| own.columns.clone());
                let visible = visible.unwrap_or_default();
                let hidden = table.columns.iter().filter(|(name, _)| !visible.contains(name));
                for (column, _) in hidden {
                    let unknown = requests(table.name, UNKNOWN);
                    for (request, unknown) in requests(table.name, column).iter().zip(&unknown) {
                        let answer = world.answer(role.name(), request).await;
                        assert!(answer.get("data").is_none(), "{place} {request} {answer}");
                        let other = world.answer(role.name(), unknown).await;
                        let quoted = |name: &str| format!("'{name}'");
                        let own = message(&answer).replace(&quoted(column), &quoted(UNKNOWN));
                        assert_eq!(own, message(&other), "{place} {request}");
                        tried += 1;
                    }
                }
            }
        }
        assert!(tried > 300, "{place}: {tried}");
    }
}

/// Requests that name a column of a table.
fn requests(table: &str, column: &str) -> [String; 6] {
    [
        format!("{{ {table} {{ {column} }} }}"),
        format!("{{ {table}(where: {{{column}: {{_is_null: true}}}}) {{ __typename }} }}"),
        format!("{{ {table}(where: {{_not: {{{column}: {{}}}}}}) {{ __typename }} }}"),
        format!("{{ {table}(order_by: {{{column}: asc}}) {{ __typename }} }}"),
        format!("{{ {table}(distinct_on: [{column}]) {{ __typename }} }}"),
        format!("{{ {table}_aggregate {{ aggregate {{ max {{ {column} }} }} }} }}"),
    ]
}

/// The first message, without suggestions: these depend on the name.
fn message(answer: &serde_json::Value) -> String {
    let message = answer["errors"][0]["message"].as_str().unwrap();
    message.split(" Did you mean").next().unwrap().to_owned()
}

#[tokio::test]
async fn suggestions_name_nothing_that_is_hidden() {
    for place in places() {
        let mut random = Random::new(5);
        let made = RandomRoles::new(&mut random, 20);
        let world = World::new(&place, &made).await;
        for role in &made.roles {
            for (number, table) in TABLES.iter().enumerate() {
                let visible = role.select[number].as_ref().map(|own| own.columns.clone());
                let Some(visible) = visible else { continue };
                let hidden = table.columns.iter().filter(|(name, _)| !visible.contains(name));
                for (column, _) in hidden {
                    let near = format!("{column}x");
                    for request in requests(table.name, &near) {
                        let answer = world.answer(role.name(), &request).await;
                        let text = answer.to_string().replace(&near, "");
                        let quoted = format!("\\\"{column}\\\"");
                        assert!(!text.contains(&quoted), "{place} {request} {text}");
                    }
                }
            }
        }
    }
}
