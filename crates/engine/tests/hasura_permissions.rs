//! Permissions of Hasura's metadata: random roles, whose answers and changes are those that SQL gives
//! with the filters of the permissions written by hand, on SQLite and PostgreSQL.
//!
//! The roles and the operations are the same in each run; `THALWEG_CASES=50` makes so many
//! operations for each role.

mod aggregates;
mod cached;
mod inherited;
mod leaks;
mod made;
mod notes;
mod upserts;
mod world;

use testkit::random::Random;

use crate::policies::places::places;
use made::{RandomRoles, TABLES};
use world::World;

const ROLES: usize = 20;
const OPERATIONS: usize = 12;

fn operations() -> usize {
    std::env::var("THALWEG_CASES").map_or(OPERATIONS, |cases| cases.parse().unwrap())
}

#[tokio::test]
async fn a_role_reads_what_sql_with_its_filters_gives() {
    for place in places() {
        let mut random = Random::new(7);
        let made = RandomRoles::new(&mut random, ROLES);
        let world = World::new(&place, &made).await;
        let (mut compared, mut found) = (0, 0);
        for role in &made.roles {
            for _ in 0..operations() {
                for table in 0..TABLES.len() {
                    let Some(question) = made.question(&mut random, role, table) else { continue };
                    let answer = world.answer(role.name(), &question.request).await;
                    let rows = question.rows(&answer);
                    let expected = world.rows(&question.sql);
                    assert_eq!(rows, expected, "{place} {question:#?} {answer}");
                    compared += 1;
                    found += expected.len();
                }
            }
        }
        assert!(compared > 200 && found > 500, "{place}: {compared} {found}");
    }
}

#[tokio::test]
async fn a_role_changes_what_sql_with_its_filters_changes() {
    for place in places() {
        let mut random = Random::new(11);
        let made = RandomRoles::new(&mut random, ROLES);
        let world = World::new(&place, &made).await;
        let (mut done, mut refused, mut changed) = (0, 0, 0);
        for role in &made.roles {
            for _ in 0..operations() {
                let Some(change) = made.change(&mut random, role) else { continue };
                let before = world.dump();
                let expected = change.expected(&world);
                let answer = world.answer(role.name(), &change.request).await;
                let context = format!("{place} {change:#?} {answer}");
                match expected {
                    Some(after) => {
                        assert_eq!(answer["errors"].as_array(), None, "{context}");
                        assert_eq!(world.dump(), after, "{context}");
                        done += 1;
                        changed += usize::from(before != after);
                    }
                    None => {
                        let error = &answer["errors"][0]["message"];
                        let failed = "check constraint of an insert/update permission has failed";
                        assert_eq!(error.as_str(), Some(failed), "{context}");
                        assert_eq!(world.dump(), before, "{context}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(done > 40 && refused > 10 && changed > 20, "{place}: {done} {refused} {changed}");
    }
}
