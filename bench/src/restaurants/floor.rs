//! The floors: a bare loop over prepared statements of SQLite that prints the same JSON, and the
//! statements that `COPY … TO STDOUT` of PostgreSQL gets.
//!
//! The loop is a program of its own (`bench restaurants-floor`), so that its CPU and memory are
//! counted as a server's are. It has one thread and one connection, prepares each statement once, and
//! prints the members of the answer in its order and nesting.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use rusqlite::{CachedStatement, Connection, OpenFlags, Row};

use super::failure::RestaurantsError;

/// Bytes of a write.
const PIECE: usize = 32 << 10;

/// Options of `restaurants-floor`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// The file with the rows.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// One of the eight queries.
    #[arg(long, value_name = "QUERY")]
    pub(crate) query: String,
}

/// The hand-written form of a query.
#[derive(Debug)]
pub(super) struct Floor {
    id: &'static str,
    field: &'static str,
    level: Level,
    /// Queries of `COPY`: the columns of each level, without an order and without links.
    pub(super) copies: &'static [&'static str],
}

/// A list of objects: its statement, whose first columns are the members.
#[derive(Debug)]
struct Level {
    sql: &'static str,
    members: &'static [Member],
    list: Option<List>,
}

/// A list below each row of a level.
#[derive(Debug)]
struct List {
    name: &'static str,
    /// The column with the key that the statement below takes.
    key: usize,
    level: &'static Level,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    name: &'static str,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Id,
    Text,
    Real,
    Moment,
    /// An object of the next two columns, `id` and `name`; null if they are.
    Cuisine,
}

const fn member(name: &'static str, form: Form) -> Member {
    Member { name, form }
}

const NAMED: &[Member] = &[member("id", Form::Id), member("name", Form::Text)];
const RATED: &[Member] = &[member("name", Form::Text), member("rating", Form::Real)];
const PRICED: &[Member] = &[member("name", Form::Text), member("price", Form::Real)];
const PRICED_OF_CUISINE: &[Member] =
    &[member("name", Form::Text), member("price", Form::Real), member("cuisine", Form::Cuisine)];
const RESTAURANT: &[Member] = &[
    member("id", Form::Id),
    member("xid", Form::Text),
    member("name", Form::Text),
    member("pic", Form::Text),
    member("rating", Form::Real),
    member("costFor2", Form::Real),
    member("currency", Form::Text),
    member("createdAt", Form::Moment),
];

static RESTAURANTS_OF_CUISINE: Level = Level {
    sql: r#"SELECT r.name, r.rating FROM "Restaurant_cuisines" x
        JOIN "Restaurant" r ON r.id = x.restaurant WHERE x.cuisines = ?1 ORDER BY x.restaurant"#,
    members: RATED,
    list: None,
};
static DISHES_OF_RESTAURANT: Level = Level {
    sql: r#"SELECT name, price FROM "Dish" WHERE "servedBy" = ?1 ORDER BY id"#,
    members: PRICED,
    list: None,
};
static CUISINES_OF_DISHES: Level = Level {
    sql: r#"SELECT d.name, d.price, c.id, c.name FROM "Dish" d
        LEFT JOIN "Cuisine" c ON c.id = d.cuisine WHERE d."servedBy" = ?1 ORDER BY d.id"#,
    members: PRICED_OF_CUISINE,
    list: None,
};

const CUISINES: &str = r#"SELECT id, name FROM "Cuisine""#;
const RESTAURANTS: &str = r#"SELECT name, rating FROM "Restaurant""#;
const DISHES: &str = r#"SELECT name, price FROM "Dish""#;
const DISHES_OF_CUISINES: &str = r#"SELECT d.name, d.price, c.id, c.name FROM "Dish" d
    LEFT JOIN "Cuisine" c ON c.id = d.cuisine"#;

/// The eight queries.
pub(super) static FLOORS: [Floor; 8] = [
    Floor {
        id: "00",
        field: "queryCuisine",
        level: Level {
            sql: r#"SELECT id, name FROM "Cuisine" ORDER BY id"#,
            members: NAMED,
            list: None,
        },
        copies: &[CUISINES],
    },
    Floor {
        id: "01",
        field: "queryCuisine",
        level: Level {
            sql: r#"SELECT id, name FROM "Cuisine" ORDER BY id"#,
            members: NAMED,
            list: Some(List { name: "restaurants", key: 0, level: &RESTAURANTS_OF_CUISINE }),
        },
        copies: &[
            CUISINES,
            r#"SELECT r.name, r.rating FROM "Restaurant_cuisines" x
                JOIN "Restaurant" r ON r.id = x.restaurant"#,
        ],
    },
    Floor {
        id: "10",
        field: "queryRestaurant",
        level: Level {
            sql: r#"SELECT name, rating FROM "Restaurant" ORDER BY id"#,
            members: RATED,
            list: None,
        },
        copies: &[RESTAURANTS],
    },
    Floor {
        id: "11",
        field: "queryRestaurant",
        level: Level {
            sql: r#"SELECT id, xid, name, pic, rating, "costFor2", currency, "createdAt"
                FROM "Restaurant" ORDER BY id"#,
            members: RESTAURANT,
            list: None,
        },
        copies: &[r#"SELECT id, xid, name, pic, rating, "costFor2", currency, "createdAt"
                FROM "Restaurant""#],
    },
    Floor {
        id: "12",
        field: "queryRestaurant",
        level: Level {
            sql: r#"SELECT name, rating, id FROM "Restaurant" ORDER BY id"#,
            members: RATED,
            list: Some(List { name: "dishes", key: 2, level: &DISHES_OF_RESTAURANT }),
        },
        copies: &[RESTAURANTS, DISHES],
    },
    Floor {
        id: "13",
        field: "queryRestaurant",
        level: Level {
            sql: r#"SELECT name, rating, id FROM "Restaurant" ORDER BY id"#,
            members: RATED,
            list: Some(List { name: "dishes", key: 2, level: &CUISINES_OF_DISHES }),
        },
        copies: &[RESTAURANTS, DISHES_OF_CUISINES],
    },
    Floor {
        id: "20",
        field: "queryDish",
        level: Level {
            sql: r#"SELECT name, price FROM "Dish" ORDER BY id"#,
            members: PRICED,
            list: None,
        },
        copies: &[DISHES],
    },
    Floor {
        id: "21",
        field: "queryDish",
        level: Level {
            sql: r#"SELECT d.name, d.price, c.id, c.name FROM "Dish" d
                LEFT JOIN "Cuisine" c ON c.id = d.cuisine ORDER BY d.id"#,
            members: PRICED_OF_CUISINE,
            list: None,
        },
        copies: &[DISHES_OF_CUISINES],
    },
];

/// The floor of a query.
pub(super) fn find(query: &str) -> Option<&'static Floor> {
    FLOORS.iter().find(|floor| floor.id == query)
}

/// Prints the answer to a query.
pub(crate) fn print(options: &Options) -> Result<(), RestaurantsError> {
    let floor =
        find(&options.query).ok_or_else(|| RestaurantsError::NoQuery(options.query.clone()))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&options.file, flags)?;
    // As the server's connections have them.
    connection.execute_batch("PRAGMA cache_size = -4096; PRAGMA mmap_size = 0; BEGIN")?;
    let mut buffer = Vec::with_capacity(2 * PIECE);
    buffer.extend_from_slice(b"{\"data\":{\"");
    buffer.extend_from_slice(floor.field.as_bytes());
    buffer.extend_from_slice(b"\":");
    let Level { sql, members, list } = &floor.level;
    let mut below = match list {
        Some(list) => Some((list, connection.prepare_cached(list.level.sql)?)),
        None => None,
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(())?;
    let mut separator = b'[';
    while let Some(row) = rows.next()? {
        buffer.push(separator);
        separator = b',';
        write_members(&mut buffer, row, members)?;
        if let Some((list, statement)) = &mut below {
            write_list(&mut buffer, row, list, statement)?;
        }
        buffer.push(b'}');
        flush(&mut buffer)?;
    }
    if separator == b'[' {
        buffer.push(b'[');
    }
    buffer.extend_from_slice(b"]}}");
    io::stdout().write_all(&buffer)?;
    Ok(())
}

fn write_list(
    buffer: &mut Vec<u8>,
    above: &Row<'_>,
    list: &List,
    statement: &mut CachedStatement<'_>,
) -> Result<(), RestaurantsError> {
    buffer.extend_from_slice(b",\"");
    buffer.extend_from_slice(list.name.as_bytes());
    buffer.extend_from_slice(b"\":[");
    let mut rows = statement.query([above.get::<_, i64>(list.key)?])?;
    let mut is_first = true;
    while let Some(row) = rows.next()? {
        if !is_first {
            buffer.push(b',');
        }
        is_first = false;
        write_members(buffer, row, list.level.members)?;
        buffer.push(b'}');
        flush(buffer)?;
    }
    buffer.push(b']');
    Ok(())
}

/// Writes members without the bracket behind them.
fn write_members(
    buffer: &mut Vec<u8>,
    row: &Row<'_>,
    members: &[Member],
) -> Result<(), RestaurantsError> {
    let mut separator = b'{';
    for (column, member) in members.iter().enumerate() {
        buffer.push(separator);
        separator = b',';
        buffer.push(b'"');
        buffer.extend_from_slice(member.name.as_bytes());
        buffer.extend_from_slice(b"\":");
        let value = row.get_ref(column)?;
        if matches!(value, rusqlite::types::ValueRef::Null) {
            buffer.extend_from_slice(b"null");
            continue;
        }
        match member.form {
            Form::Text => write_text(buffer, value.as_bytes().unwrap_or_default()),
            Form::Real => write_real(buffer, value.as_f64().unwrap_or_default())?,
            Form::Id => write_id(buffer, value.as_i64().unwrap_or_default())?,
            Form::Moment => write_moment(buffer, value.as_i64().unwrap_or_default())?,
            Form::Cuisine => {
                buffer.extend_from_slice(b"{\"id\":");
                write_id(buffer, value.as_i64().unwrap_or_default())?;
                buffer.extend_from_slice(b",\"name\":");
                let name = row.get_ref(column + 1)?;
                write_text(buffer, name.as_bytes().unwrap_or_default());
                buffer.push(b'}');
            }
        }
    }
    Ok(())
}

/// Writes a text; none of the rows has a character that JSON escapes, but this has to look.
fn write_text(buffer: &mut Vec<u8>, text: &[u8]) {
    buffer.push(b'"');
    match text.iter().any(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\') {
        false => buffer.extend_from_slice(text),
        true => buffer.extend(text.escape_ascii()),
    }
    buffer.push(b'"');
}

/// Writes a number; a whole one has no point.
fn write_real(buffer: &mut Vec<u8>, number: f64) -> Result<(), serde_json::Error> {
    serde_json::to_writer(&mut *buffer, &number)?;
    if buffer.ends_with(b".0") {
        buffer.truncate(buffer.len() - 2);
    }
    Ok(())
}

fn write_id(buffer: &mut Vec<u8>, id: i64) -> io::Result<()> {
    write!(buffer, "\"0x{id:x}\"")
}

/// `"2020-02-28T10:20:30Z"`
fn write_moment(buffer: &mut Vec<u8>, microseconds: i64) -> io::Result<()> {
    let (year, month, day) = date(microseconds.div_euclid(86_400_000_000));
    let seconds = microseconds.rem_euclid(86_400_000_000) / 1_000_000;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    write!(buffer, "\"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z\"")
}

/// The year, the month and the day of a number of days since 1970:
/// <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
pub(super) fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn flush(buffer: &mut Vec<u8>) -> io::Result<()> {
    if buffer.len() >= PIECE {
        io::stdout().write_all(buffer)?;
        buffer.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        let check = |seconds: i64, expected: &str| {
            let mut written = Vec::new();
            write_moment(&mut written, seconds * 1_000_000).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), expected);
        };
        check(0, "\"1970-01-01T00:00:00Z\"");
        check(951_827_696, "\"2000-02-29T12:34:56Z\"");
        check(1_609_459_199, "\"2020-12-31T23:59:59Z\"");
    }

    #[test]
    fn every_query_has_a_floor() {
        let ids: Vec<_> = FLOORS.iter().map(|floor| floor.id).collect();
        assert_eq!(ids, super::super::QUERIES.map(|(id, _)| id));
    }
}
