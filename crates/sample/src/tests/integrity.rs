//! Row counts, keys and references.

use std::collections::{HashMap, HashSet};

use crate::{Cell, POSTGRES_SCHEMA};

use super::{TABLES, column, integer, integers, price, table};

#[test]
fn row_counts_are_those_of_chinook() {
    let counts: Vec<(&str, usize)> =
        TABLES.iter().map(|table| (table.name, table.rows.len())).collect();
    assert_eq!(
        counts,
        [
            ("artist", 275),
            ("album", 347),
            ("employee", 8),
            ("customer", 59),
            ("genre", 25),
            ("media_type", 5),
            ("track", 3503),
            ("invoice", 412),
            ("invoice_line", 2240),
            ("playlist", 18),
            ("playlist_track", 8715),
        ]
    );
}

#[test]
fn a_key_of_one_column_counts_from_one() {
    for table in TABLES.iter().filter(|table| table.name != "playlist_track") {
        let keys: Vec<i32> = table.rows.iter().map(|row| integer(&row[0])).collect();
        assert_eq!(keys, (1..).take(table.rows.len()).collect::<Vec<i32>>(), "{}", table.name);
    }
}

#[test]
fn a_track_is_on_a_playlist_once() {
    let entries = &table("playlist_track").rows;
    assert_eq!(entries.iter().collect::<HashSet<_>>().len(), entries.len());
}

#[test]
fn every_reference_finds_a_row_that_is_inserted_before() {
    let mut references = 0;
    for line in POSTGRES_SCHEMA.lines() {
        // For example: CONSTRAINT a_b_fkey FOREIGN KEY (b) REFERENCES c (d)
        let Some((constraint, referenced)) = line.split_once(" REFERENCES ") else { continue };
        let (_, referencing_column) = constraint.split_once(" FOREIGN KEY (").unwrap();
        let referencing_column = referencing_column.trim_end_matches(')');
        let name = constraint.trim_start().trim_start_matches("CONSTRAINT ");
        let (name, _) = name.split_once("_fkey").unwrap();
        let referencing = name.strip_suffix(referencing_column).unwrap().trim_end_matches('_');
        let (referenced, _) = referenced.split_once(' ').unwrap();
        check_reference(referencing, referencing_column, referenced);
        references += 1;
    }
    assert_eq!(references, 11);
}

#[test]
fn employees_report_to_one_another_as_a_tree() {
    let bosses: Vec<Option<i32>> = column(table("employee"), "reports_to")
        .map(|cell| (*cell != Cell::Null).then(|| integer(cell)))
        .collect();
    assert_eq!(bosses, [None, Some(1), Some(2), Some(2), Some(2), Some(1), Some(6), Some(6)]);
}

#[test]
fn a_total_is_the_sum_of_its_lines() {
    let mut sums: HashMap<i32, i64> = HashMap::new();
    for row in &table("invoice_line").rows {
        *sums.entry(integer(&row[1])).or_default() += price(&row[3]) * i64::from(integer(&row[4]));
    }
    for row in &table("invoice").rows {
        assert_eq!(sums.get(&integer(&row[0])), Some(&price(&row[8])), "{row:?}");
    }
}

#[test]
fn a_line_has_the_price_of_its_track() {
    let prices: Vec<i64> = column(table("track"), "unit_price").map(price).collect();
    for row in &table("invoice_line").rows {
        assert_eq!(price(&row[3]), prices[integer(&row[2]) as usize - 1], "{row:?}");
    }
}

#[test]
fn email_addresses_are_ascii_and_unlike() {
    for name in ["employee", "customer"] {
        let addresses: Vec<&Cell> = column(table(name), "email").collect();
        assert_eq!(addresses.iter().collect::<HashSet<_>>().len(), addresses.len());
        for address in addresses {
            let address = address.text().unwrap();
            assert!(address.is_ascii() && !address.contains(' '), "{address}");
        }
    }
}

#[test]
fn every_genre_and_every_media_type_has_tracks() {
    for (column, count) in [("genre_id", 25), ("media_type_id", 5)] {
        let used: HashSet<i32> = integers("track", column).into_iter().collect();
        assert_eq!(used.len(), count, "{column}");
    }
}

/// The keys count from one, so that a row exists if its key is not above the number of rows.
fn check_reference(referencing: &str, referencing_column: &str, referenced: &str) {
    let position = |name| TABLES.iter().position(|table| table.name == name).unwrap();
    let rows_before = table(referenced).rows.len() as i32;
    assert!(position(referenced) <= position(referencing));
    for (idx, cell) in column(table(referencing), referencing_column).enumerate() {
        let known = if referencing == referenced { idx as i32 } else { rows_before };
        let found = *cell == Cell::Null || (1..=known).contains(&integer(cell));
        assert!(found, "{referencing}.{referencing_column} of row {idx}: {cell:?}");
    }
}
