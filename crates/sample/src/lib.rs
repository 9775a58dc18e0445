//! The project's own sample database: a music shop.
//!
//! Eleven tables in the shape of the well-known Chinook database, with other contents: artists,
//! albums, tracks, people, invoices and playlists, written by hand or put together from word
//! lists. Every run makes the same rows, and both databases get the same.
//!
//! This crate does no input or output: it gives the text of the schemas and the rows.
//!
//! * `words` — the lists, and templates filled from them
//! * `people` — `employee`, `customer`
//! * `genres` — `genre`, `media_type`
//! * `artists` — `artist`, `album`
//! * `tracks`, `track_names` — `track`
//! * `sales` — `invoice`, `invoice_line`
//! * `playlists` — `playlist`, `playlist_track`

mod artists;
mod cell;
mod genres;
mod people;
mod playlists;
mod random;
mod sales;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
mod tests;
mod timestamp;
mod track_names;
mod tracks;
mod words;

pub use cell::Cell;
pub use timestamp::Timestamp;

/// Creates the tables and indexes in an empty schema of PostgreSQL.
pub const POSTGRES_SCHEMA: &str = include_str!("schema.postgres.sql");

/// Creates the same tables and indexes in an empty SQLite database.
pub const SQLITE_SCHEMA: &str = include_str!("schema.sqlite.sql");

/// The rows of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The table's name in both schemas.
    pub name: &'static str,
    /// All columns, in the order of both schemas.
    pub columns: &'static [&'static str],
    /// Each row has a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// All tables, in an order in which the rows can be inserted: a row comes after those it
/// references, in its own table too.
pub fn tables() -> Vec<Table> {
    let words = words::Words::new();
    let artists = artists::artists(&words);
    let albums = artists::albums(&words, &artists);
    let tracks = tracks::tracks(&words, &artists, &albums);
    let customers = people::customers();
    let [invoice_table, invoice_line_table] = sales::invoice_tables(&customers, &tracks);
    let playlist_track_table = playlists::playlist_track_table(&tracks);
    vec![
        artists::artist_table(&artists),
        artists::album_table(&albums),
        people::employee_table(),
        people::customer_table(&customers),
        genres::genre_table(),
        genres::media_type_table(),
        tracks::track_table(tracks),
        invoice_table,
        invoice_line_table,
        playlists::playlist_table(),
        playlist_track_table,
    ]
}
