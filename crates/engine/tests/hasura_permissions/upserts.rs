//! `on_conflict` of roles: a row that exists is changed if the filter of the permission to update has it.
//! A row that is written passes the check of the insert, and that of the update if columns are updated.

use serde_json::{Value as Json, json};
use testkit::random::Random;

use super::made::{Condition, RandomRoles, Role, condition};
use super::world::World;
use super::{ROLES, operations};
use crate::policies::places::places;

/// The index of the table of players.
const PLAYER: usize = 1;

/// All players, a text each.
const ALL: &str = "SELECT CAST(id AS TEXT) || '|' || coalesce(CAST(level AS TEXT), 'null') || '|' || \
                   coalesce(CAST(rank AS TEXT), 'null') || '|' || coalesce(owner, 'null') FROM player";

/// A statement that changes nothing.
const KEPT: &str = "DELETE FROM player WHERE id < 0";

/// The permission of a role to insert players.
#[derive(Debug)]
pub(super) struct PlayerInsert {
    check: Condition,
}

/// A mutation, and the same as SQL.
#[derive(Debug)]
struct Upsert {
    request: String,
    sql: String,
    /// The condition that the written row has to pass; `None` if no row is written.
    check: Option<String>,
    id: usize,
}

impl PlayerInsert {
    pub(super) fn new(random: &mut Random) -> Option<Self> {
        (random.below(5) > 0).then(|| Self { check: condition(random, PLAYER, 0, 1) })
    }

    pub(super) fn permission(&self, role: &str) -> Json {
        json!({ "role": role, "permission": {
            "check": self.check.json,
            "columns": ["id", "level", "rank"],
        } })
    }
}

fn upsert(random: &mut Random, role: &Role, next: &mut usize, world: &World) -> Option<Upsert> {
    let insert = role.player_insert.as_ref()?;
    let (level, rank) = (random.below(8), random.below(8));
    let is_new = random.below(4) == 0;
    let id = match is_new {
        true => {
            *next += 1;
            *next
        }
        false => 1 + random.below(24),
    };
    let update = role.update_of_players();
    let columns: &[&str] = match (random.below(4), update) {
        (0, _) | (_, None) => &[],
        (1, Some(_)) => &["level", "rank"],
        (_, Some(_)) => &["level"],
    };
    let request = format!(
        "mutation {{ insert_player(objects: [{{id: {id}, level: {level}, rank: {rank}}}], on_conflict: \
         {{constraint: player_pkey, update_columns: [{}]}}) {{ affected_rows }} }}",
        columns.join(", ")
    );
    let updates = update.filter(|_| !columns.is_empty());
    let checks = match updates {
        Some((_, check, _)) => format!("({}) AND ({check})", insert.check.sql),
        None => insert.check.sql.clone(),
    };
    if is_new {
        let sql = format!("INSERT INTO player (id, level, rank) VALUES ({id}, {level}, {rank})");
        return Some(Upsert { request, sql, check: Some(checks), id });
    }
    let nothing = Upsert { request, sql: KEPT.to_owned(), check: None, id };
    let Some((filter, _, owner)) = updates else {
        return Some(nothing);
    };
    let own =
        format!("SELECT CAST(t0.id AS TEXT) FROM player t0 WHERE t0.id = {id} AND ({filter})");
    if world.rows(&own).is_empty() {
        return Some(nothing);
    }
    let value = |column: &&str| match *column {
        "level" => format!("level = {level}"),
        _ => format!("rank = {rank}"),
    };
    let mut values: Vec<String> = columns.iter().map(value).collect();
    values.extend(owner.map(|owner| format!("owner = '{owner}'")));
    let sql = format!("UPDATE player SET {} WHERE id = {id}", values.join(", "));
    Some(Upsert { sql, check: Some(checks), ..nothing })
}

impl Upsert {
    /// True if the written row passes its check.
    fn is_allowed(&self, world: &World) -> bool {
        let Some(check) = &self.check else { return true };
        let passing = format!(
            "SELECT CAST(t0.id AS TEXT) FROM player t0 WHERE t0.id = {} AND ({check})",
            self.id
        );
        !world.rows_after(&self.sql, &passing).is_empty()
    }
}

#[tokio::test]
async fn a_role_upserts_what_sql_with_its_permissions_does() {
    for place in places() {
        let mut random = Random::new(37);
        let made = RandomRoles::new(&mut random, ROLES);
        let world = World::new(&place, &made).await;
        let (mut next, mut inserted, mut updated, mut kept, mut refused) = (1_000, 0, 0, 0, 0);
        for role in &made.roles {
            for _ in 0..operations() {
                let Some(upsert) = upsert(&mut random, role, &mut next, &world) else { continue };
                let before = world.rows(ALL);
                let (is_allowed, after) =
                    (upsert.is_allowed(&world), world.rows_after(&upsert.sql, ALL));
                let answer = world.answer(role.name(), &upsert.request).await;
                let context = format!("{place} {upsert:#?} {answer}");
                let found = world.rows(ALL);
                if is_allowed {
                    assert_eq!(answer["errors"].as_array(), None, "{context}");
                    assert_eq!(found, after, "{context}");
                    inserted += usize::from(found.len() > before.len());
                    updated += usize::from(found.len() == before.len() && found != before);
                    kept += usize::from(found == before);
                } else {
                    let error = &answer["errors"][0]["message"];
                    let failed = "check constraint of an insert/update permission has failed";
                    assert_eq!(error.as_str(), Some(failed), "{context}");
                    assert_eq!(found, before, "{context}");
                    refused += 1;
                }
            }
        }
        let counts = [inserted, updated, kept, refused];
        assert!(counts.iter().all(|count| *count > 4), "{place}: {counts:?}");
    }
}
