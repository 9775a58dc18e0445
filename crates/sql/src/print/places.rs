//! Statements of R-trees of the boxes around places.
//!
//! Triggers run in every program that writes the tables, so that they call functions of SQLite only.
//! A box contains that of `thalweg.geo_box` in PostgreSQL, which has no margin and no rule for the
//! antimeridian and the poles. An R-tree of unit vectors would need no such rule, but sines and
//! cosines, which not every SQLite has.

use std::fmt::{self, Write as _};

use super::Printer;
use crate::flavor::WordIndexes;
use crate::tree::definition::PlaceTable;

/// Rows whose places are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceRows {
    All,
    /// The row that fired a trigger.
    New,
}

impl Printer<'_> {
    pub(super) fn place_table(&mut self, table: &PlaceTable) {
        debug_assert!(
            self.flavor.definitions.words == WordIndexes::VirtualTables,
            "a virtual table of a database without them"
        );
        self.out.push_str("CREATE VIRTUAL TABLE ");
        self.table_name(&table.name);
        self.out.push_str(" USING rtree(id, west, east, south, north)");
    }

    /// The boxes of rows. A great circle between two points leaves the box around them by less than
    /// the square of their distance in longitude by 360. A box has all longitudes where it reaches the
    /// antimeridian or a pole, and all latitudes where one is beyond a pole. A millionth of a degree is
    /// more than rounding changes. A row has no box if its value has no coordinates.
    pub(super) fn insert_places(&mut self, table: &PlaceTable, rows: PlaceRows) -> fmt::Result {
        self.out.push_str("INSERT INTO ");
        self.table_name(&table.name);
        self.out.push_str(
            " (id, west, east, south, north)\n    \
             SELECT id, CASE WHEN is_around THEN -180 ELSE west END, \
             CASE WHEN is_around THEN 180 ELSE east END, south, north FROM (\n      \
             SELECT *, west <= -180 OR east >= 180 OR east - west > 180 OR south <= -90 OR \
             north >= 90 AS is_around FROM (\n        \
             SELECT id, west - 1e-6 AS west, east + 1e-6 AS east, \
             CASE WHEN is_known THEN max(south - bulge, -90) ELSE -90 END AS south, \
             CASE WHEN is_known THEN min(north + bulge, 90) ELSE 90 END AS north FROM (\n          \
             SELECT *, (east - west) * (east - west) / 360 + 1e-6 AS bulge, \
             south >= -90 AND north <= 90 AS is_known FROM (\n            \
             SELECT place.",
        );
        self.identifier(&table.key);
        self.out.push_str(" AS id");
        for (function, key, name) in
            [("min", 0, "west"), ("max", 0, "east"), ("min", 1, "south"), ("max", 1, "north")]
        {
            write!(
                self.out,
                ", {function}(CASE part.key WHEN {key} THEN part.atom END) AS {name}"
            )?;
        }
        self.out.push_str(" FROM ");
        self.table_name(&table.content);
        self.out.push_str(" AS place, json_tree(CASE WHEN json_valid(place.");
        self.identifier(&table.column);
        self.out.push_str(") THEN place.");
        self.identifier(&table.column);
        self.out.push_str(" END, '$.coordinates') AS part WHERE ");
        if rows == PlaceRows::New {
            self.out.push_str("place.");
            self.identifier(&table.key);
            self.out.push_str(" = NEW.");
            self.identifier(&table.key);
            self.out.push_str(" AND ");
        }
        self.out.push_str("part.type IN ('integer', 'real') GROUP BY place.");
        self.identifier(&table.key);
        self.out.push_str("\n    )))) WHERE west <= east AND south <= north");
        Ok(())
    }
}
