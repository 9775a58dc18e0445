//! Permissions to insert and delete notes: columns, checks, presets and filters, as SQL has them.

use serde_json::{Value as Json, json};
use testkit::random::Random;

use super::made::{Condition, RandomRoles, Role, WORDS, condition, requested};
use super::world::World;
use super::{ROLES, operations};
use crate::policies::places::places;

/// The index of the table of notes.
const NOTE: usize = 2;

/// All notes, a text each.
const ALL: &str = "SELECT CAST(id AS TEXT) || '|' || coalesce(CAST(player_id AS TEXT), 'null') || '|' || \
                   coalesce(words, 'null') || '|' || coalesce(CAST(stars AS TEXT), 'null') FROM note";

/// The permissions of a role on notes.
#[derive(Debug)]
pub(super) struct NotePermissions {
    insert: Option<Insert>,
    /// The condition on the rows that it deletes.
    delete: Option<Condition>,
}

#[derive(Debug)]
struct Insert {
    check: Condition,
    /// True if the number of stars is that of a session variable.
    sets_stars: bool,
}

/// A mutation, and the same as SQL.
#[derive(Debug)]
struct Change {
    request: String,
    sql: String,
    /// The rows that have to pass the check, and the check.
    checked: Option<(Vec<String>, String)>,
}

impl NotePermissions {
    pub(super) fn new(random: &mut Random) -> Self {
        let insert = (random.below(4) > 0).then(|| Insert {
            check: condition(random, NOTE, 0, 2),
            sets_stars: random.below(2) == 0,
        });
        let delete = (random.below(4) > 0).then(|| condition(random, NOTE, 0, 2));
        Self { insert, delete }
    }

    pub(super) fn insert(&self, role: &str) -> Option<Json> {
        let Insert { check, sets_stars } = self.insert.as_ref()?;
        let mut permission =
            json!({ "check": check.json, "columns": ["id", "player_id", "words"] });
        match sets_stars {
            true => permission["set"] = json!({ "stars": "X-Hasura-Level" }),
            false => permission["columns"] = json!("*"),
        }
        Some(json!({ "role": role, "permission": permission }))
    }

    pub(super) fn delete(&self, role: &str) -> Option<Json> {
        let filter = &self.delete.as_ref()?.json;
        Some(json!({ "role": role, "permission": { "filter": filter } }))
    }

    fn random_insert(&self, random: &mut Random, next: &mut usize) -> Option<Change> {
        let Insert { check, sets_stars } = self.insert.as_ref()?;
        let (mut objects, mut rows, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..=random.below(2) {
            *next += 1;
            let (id, player, stars) = (*next, 1 + random.below(24), random.below(6));
            let word = *random.one_of(&WORDS);
            let given = if *sets_stars { String::new() } else { format!(", stars: {stars}") };
            let stars = if *sets_stars { 4 } else { stars };
            objects.push(format!("{{id: {id}, player_id: {player}, words: \"{word}\"{given}}}"));
            rows.push(format!("({id}, {player}, '{word}', {stars})"));
            ids.push(id.to_string());
        }
        let request = format!(
            "mutation {{ insert_note(objects: [{}]) {{ affected_rows }} }}",
            objects.join(", ")
        );
        let sql =
            format!("INSERT INTO note (id, player_id, words, stars) VALUES {}", rows.join(", "));
        Some(Change { request, sql, checked: Some((ids, check.sql.clone())) })
    }

    fn random_delete(&self, random: &mut Random, role: &Role) -> Option<Change> {
        let filter = &self.delete.as_ref()?.sql;
        let (wanted, wanted_sql) = requested(random, role, NOTE, "t0", 1);
        let request = format!("mutation {{ delete_note(where: {wanted}) {{ affected_rows }} }}");
        let sql = format!(
            "DELETE FROM note WHERE id IN (SELECT t0.id FROM note t0 WHERE ({filter}) AND ({wanted_sql}))"
        );
        Some(Change { request, sql, checked: None })
    }
}

impl Change {
    /// True if all new rows pass the check.
    fn is_allowed(&self, world: &World) -> bool {
        let Some((ids, check)) = &self.checked else { return true };
        let passing = format!(
            "SELECT CAST(t0.id AS TEXT) FROM note t0 WHERE t0.id IN ({}) AND ({check})",
            ids.join(",")
        );
        world.rows_after(&self.sql, &passing).len() == ids.len()
    }
}

#[tokio::test]
async fn a_role_inserts_and_deletes_what_sql_with_its_permissions_does() {
    for place in places() {
        let mut random = Random::new(23);
        let made = RandomRoles::new(&mut random, ROLES);
        let world = World::new(&place, &made).await;
        let (mut next, mut inserted, mut refused, mut deleted) = (1_000, 0, 0, 0);
        for role in &made.roles {
            for turn in 0..operations() {
                let change = match turn % 4 {
                    0 => role.notes.random_delete(&mut random, role),
                    _ => role.notes.random_insert(&mut random, &mut next),
                };
                let Some(change) = change else { continue };
                let before = world.rows(ALL);
                let (is_allowed, after) =
                    (change.is_allowed(&world), world.rows_after(&change.sql, ALL));
                let answer = world.answer(role.name(), &change.request).await;
                let context = format!("{place} {change:#?} {answer}");
                let found = world.rows(ALL);
                if is_allowed {
                    assert_eq!(answer["errors"].as_array(), None, "{context}");
                    assert_eq!(found, after, "{context}");
                    inserted += usize::from(found.len() > before.len());
                    deleted += usize::from(found.len() < before.len());
                } else {
                    let error = &answer["errors"][0]["message"];
                    let failed = "check constraint of an insert/update permission has failed";
                    assert_eq!(error.as_str(), Some(failed), "{context}");
                    assert_eq!(found, before, "{context}");
                    refused += 1;
                }
            }
        }
        let counts = format!("{place}: {inserted} {refused} {deleted}");
        assert!(inserted > 20 && refused > 20 && deleted > 5, "{counts}");
    }
}
