//! What an answer shows.

use serde_json::{Value as Json, json};

use super::change::{Actor, Shown, find};
use super::{Row, Table, World};

impl Actor<'_> {
    pub(super) fn payload(
        &self,
        ids: &[i64],
        (is_gone, is_bulk): (bool, bool),
        shown: &Shown,
        before: &World,
        after: &World,
    ) -> Json {
        let (rules, claims, table) = (self.rules, self.claims, self.table);
        let world = if is_gone { before } else { after };
        let rows = ids.iter().map(|id| find(world.rows(table), *id));
        let seen = rows.filter(|row| is_gone || rules.is_seen(table, row, world, claims));
        let shows = |row: &Row| {
            let mut object = self.object(table, row, &shown.columns, world);
            if let Some(columns) = &shown.house {
                let houses = after.related(Table::Guest, row);
                let mut houses = houses
                    .into_iter()
                    .filter(|house| rules.is_seen(Table::House, house, after, claims));
                let house = houses.next();
                object["houseByHouseId"] =
                    house.map_or(Json::Null, |row| self.object(Table::House, row, columns, after));
            }
            object
        };
        let rows: Vec<Json> = seen.map(shows).collect();
        let name = table.name();
        let mut payload = match is_bulk {
            true => json!({ "affectedCount": rows.len(), format!("{name}s"): rows }),
            false => json!({ name: rows.into_iter().next() }),
        };
        if let Some((table, columns)) = &shown.query {
            let rows = after.rows(*table).iter();
            let rows = rows.filter(|row| rules.is_seen(*table, row, after, claims));
            let rows: Vec<Json> =
                rows.map(|row| self.object(*table, row, columns, after)).collect();
            payload["query"] = json!({ list(*table): rows });
        }
        payload
    }

    fn object(&self, table: Table, row: &Row, columns: &[&str], world: &World) -> Json {
        let value = |column| self.rules.value(table, row, column, (world, self.claims));
        columns.iter().map(|column| (name(column).to_owned(), json!(value(column)))).collect()
    }
}

/// The field of all rows.
pub(crate) fn list(table: Table) -> &'static str {
    match table {
        Table::House => "allHousesList",
        Table::Guest => "allGuestsList",
    }
}

/// A column as the API calls it.
pub(crate) fn name(column: &str) -> &str {
    match column {
        "house_id" => "houseId",
        column => column,
    }
}
