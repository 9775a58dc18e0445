//! Rows as the database takes them, with its keys.

use super::change::{Actor, Outcome, Values, id};
use super::{Row, World};

impl Actor<'_> {
    pub(super) fn insert(&self, rows: Vec<Row>, world: &mut World) -> Result<Vec<i64>, Outcome> {
        let mut ids = Vec::new();
        for row in rows {
            not_null(&row)?;
            ids.push(id(&row));
            let there = world.rows_mut(self.table);
            there.push(row);
            self.unique(there)?;
            there.sort_by_key(id);
        }
        refer(world)?;
        Ok(ids)
    }

    pub(super) fn update(
        &self,
        ids: &[i64],
        values: &Values,
        world: &mut World,
    ) -> Result<Vec<i64>, Outcome> {
        let mut written = Vec::new();
        for own in ids {
            let rows = world.rows_mut(self.table);
            let row = rows.iter_mut().find(|row| id(row) == *own).unwrap();
            row.extend(values.iter().copied());
            not_null(row)?;
            written.push(id(row));
            self.unique(rows)?;
        }
        world.rows_mut(self.table).sort_by_key(id);
        refer(world)?;
        Ok(written)
    }

    pub(super) fn delete(&self, ids: &[i64], world: &mut World) -> Result<(), Outcome> {
        world.rows_mut(self.table).retain(|row| !ids.contains(&id(row)));
        refer(world)
    }

    fn unique(&self, rows: &[Row]) -> Result<(), Outcome> {
        for key in self.table.keys() {
            let mut values: Vec<i64> = rows.iter().filter_map(|row| row[key]).collect();
            values.sort_unstable();
            if values.windows(2).any(|two| two[0] == two[1]) {
                return Err(Outcome::Failed("UNIQUE_VIOLATION"));
            }
        }
        Ok(())
    }
}

pub(super) fn not_null(row: &Row) -> Result<(), Outcome> {
    match row.get("age") {
        Some(None) => Err(Outcome::Failed("NOT_NULL_VIOLATION")),
        Some(Some(_)) | None => Ok(()),
    }
}

/// Every guest has a house that is there, or none.
fn refer(world: &World) -> Result<(), Outcome> {
    let has = |guest: &Row| {
        guest["house_id"].is_none_or(|own| world.houses.iter().any(|house| id(house) == own))
    };
    match world.guests.iter().all(has) {
        true => Ok(()),
        false => Err(Outcome::Failed("FOREIGN_KEY_VIOLATION")),
    }
}
