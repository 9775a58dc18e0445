//! The contents weigh as much as Chinook's, and are the same in every run.

use std::collections::HashSet;

use crate::Cell;
use expect_test::{Expect, expect};

use super::{TABLES, column, integer, integers, table};

/// The average number of characters in Chinook, where not NULL.
const AVERAGE_LENGTHS: [(&str, &str, f64); 28] = [
    ("album", "title", 22.69),
    ("artist", "name", 20.57),
    ("customer", "first_name", 5.76),
    ("customer", "last_name", 6.93),
    ("customer", "company", 16.6),
    ("customer", "address", 17.88),
    ("customer", "city", 7.8),
    ("customer", "state", 2.17),
    ("customer", "country", 6.36),
    ("customer", "postal_code", 6.04),
    ("customer", "phone", 16.78),
    ("customer", "fax", 17.33),
    ("customer", "email", 21.02),
    ("employee", "first_name", 5.75),
    ("employee", "last_name", 6.25),
    ("employee", "title", 13.88),
    ("employee", "address", 16.25),
    ("employee", "city", 7.88),
    ("employee", "phone", 16.88),
    ("employee", "email", 21.75),
    ("genre", "name", 8.96),
    ("invoice", "billing_address", 17.88),
    ("invoice", "billing_city", 7.79),
    ("invoice", "billing_country", 6.36),
    ("media_type", "name", 20.8),
    ("playlist", "name", 12.06),
    ("track", "name", 15.88),
    ("track", "composer", 24.61),
];

const TOLERANCE: f64 = 0.2;

/// How many of a hundred rows may be NULL, as `(table, column, least, most)`.
const NULLS: [(&str, &str, usize, usize); 8] = [
    ("customer", "company", 78, 88),
    ("customer", "state", 44, 54),
    ("customer", "postal_code", 4, 9),
    ("customer", "fax", 75, 85),
    ("invoice", "billing_state", 44, 54),
    ("invoice", "billing_postal_code", 4, 9),
    ("track", "composer", 26, 30),
    ("track", "bytes", 0, 0),
];

#[test]
fn average_lengths_are_near_chinook() {
    for (table_name, column_name, wanted) in AVERAGE_LENGTHS {
        let lengths: Vec<usize> = column(table(table_name), column_name)
            .filter_map(Cell::text)
            .map(|text| text.chars().count())
            .collect();
        let average = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        let far = (average - wanted).abs() > wanted * TOLERANCE;
        assert!(!far, "{table_name}.{column_name}: {average:.2} instead of {wanted}");
    }
}

#[test]
fn nulls_are_about_as_frequent_as_in_chinook() {
    for (table_name, column_name, least, most) in NULLS {
        let cells = column(table(table_name), column_name);
        let nulls = cells.filter(|cell| **cell == Cell::Null).count();
        let percent = nulls * 100 / table(table_name).rows.len();
        assert!((least..=most).contains(&percent), "{table_name}.{column_name}: {percent} %");
    }
}

#[test]
fn the_albums_are_by_204_artists() {
    let artists: HashSet<i32> = integers("album", "artist_id").into_iter().collect();
    assert_eq!(artists.len(), 204);
    assert!(artists.contains(&3));
}

#[test]
fn artist_127_has_three_albums_with_48_tracks() {
    let rows = table("album").rows.iter();
    let albums: Vec<i32> =
        rows.filter(|row| row[2] == Cell::Integer(127)).map(|row| integer(&row[0])).collect();
    let tracks = integers("track", "album_id").into_iter().filter(|id| albums.contains(id));
    assert_eq!((albums.len(), tracks.count()), (3, 48));
}

#[test]
fn every_album_has_tracks() {
    let albums: HashSet<i32> = integers("track", "album_id").into_iter().collect();
    assert_eq!(albums.len(), 347);
}

#[test]
fn titles_of_albums_are_unlike() {
    let titles: HashSet<&Cell> = column(table("album"), "title").collect();
    assert_eq!(titles.len(), 347);
}

#[test]
fn texts_have_characters_that_must_be_escaped_or_are_long_in_utf_8() {
    let texts: Vec<&str> = column(table("track"), "name")
        .filter_map(|cell| match cell {
            Cell::Text(text) => Some(text.as_str()),
            Cell::Null | Cell::Integer(_) | Cell::Price(_) | Cell::Timestamp(_) => None,
        })
        .collect();
    for character in ['"', '\'', '\\', '/', '&', '<', '%', 'é', '雨', 'я', '♥', '🌙'] {
        assert!(texts.iter().any(|text| text.contains(character)), "{character}");
    }
}

#[test]
fn most_invoices_are_dated_at_midnight_and_all_in_order() {
    let dates: Vec<String> =
        column(table("invoice"), "invoice_date").map(|cell| cell.to_string()).collect();
    assert!(dates.is_sorted());
    assert!(dates[0].starts_with("2021-01-") && dates[411].starts_with("2025-12-"));
    let midnight = dates.iter().filter(|date| date.ends_with(" 00:00:00")).count();
    assert!((330..400).contains(&midnight), "{midnight}");
}

#[test]
fn every_run_makes_the_same_rows() {
    assert_eq!(*TABLES, crate::tables());
    check_ends(
        "artist",
        &expect![[r#"
            1 | The Meandering Rivers
            275 | Galway Baroque Ensemble"#]],
    );
    check_ends(
        "album",
        &expect![[r#"
            1 | The Elevator Tapes, Vol. 7 | 147
            347 | Marigold, Satellite, Pharmacy | 228"#]],
    );
    check_ends(
        "employee",
        &expect![[r#"
        1 | Lindqvist | Marit | General Manager | NULL | 1964-03-12 00:00:00 | 2015-04-01 00:00:00 | 14 Millrace Lane | Riverton | OR | USA | 97201 | +1 (503) 555-0159 | +1 (503) 555-0105 | marit@riverbed.example
        8 | O'Leary | Caitlin | IT Staff | 6 | 1995-08-29 00:00:00 | 2021-01-11 00:00:00 | 41B Lock Keeper's Walk | Oxbow | OR | USA | 97214 | +1 (503) 555-0114 | +1 (503) 555-0162 | caitlin@riverbed.example"#]],
    );
    check_ends(
        "customer",
        &expect![[r#"
        1 | Beatriz | Guimarães | Livraria & Café Guimarães Ltda. | Rua das Acácias, 218 | Curitiba | PR | Brazil | 80010-555 | +55 (41) 5550-6169 | +55 (41) 5550-9259 | b.guimaraes@example.org | 5
        59 | Kenji | Ōtsuka | NULL | 1-7 Dōtonbori | Osaka | NULL | Japan | 542-0071 | +81 6 5550 1162 | NULL | k.otsuka@example.com | 5"#]],
    );
    check_ends(
        "track",
        &expect![[r#"
            1 | One Rooftop for Oskar | 1 | 1 | 5 | Björn Quintero, Aoife Halloran | 261702 | 9421816 | 0.99
            3503 | Navigators | 347 | 1 | 7 | NULL | 217958 | 6320853 | 0.99"#]],
    );
    check_ends(
        "invoice",
        &expect![[r#"
            1 | 56 | 2021-01-04 00:00:00 | 12, Lakshmi Road | Pune | MH | India | 411030 | 1.98
            412 | 34 | 2025-12-27 00:00:00 | 3, place du Capitole | Toulouse | NULL | France | 31000 | 2.98"#]],
    );
    check_ends(
        "invoice_line",
        &expect![[r#"
            1 | 1 | 667 | 0.99 | 1
            2240 | 412 | 1082 | 0.99 | 1"#]],
    );
    check_ends(
        "playlist_track",
        &expect![[r#"
            1 | 396
            16 | 2246"#]],
    );
}

#[test]
fn all_rows_together_have_one_fingerprint() {
    expect!["14060324962240534821"].assert_eq(&fingerprint().to_string());
}

/// The first and the last row.
fn check_ends(name: &str, expected: &Expect) {
    let rows = &table(name).rows;
    let lines = [&rows[0], &rows[rows.len() - 1]].map(|row| {
        let cells: Vec<String> = row.iter().map(Cell::to_string).collect();
        cells.join(" | ")
    });
    expected.assert_eq(&lines.join("\n"));
}

/// FNV-1a over the text of every cell; the standard library's hashes may change with its version.
fn fingerprint() -> u64 {
    let cells = TABLES.iter().flat_map(|table| table.rows.iter().flatten());
    let text: String = cells.flat_map(|cell| [cell.to_string(), "\n".to_owned()]).collect();
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
