//! The Chinook database, from its own script for PostgreSQL in snake case.
//!
//! The project's sample has its tables and columns, so SQLite gets the sample's tables and the
//! rows of the script. The published queries call the key of an artist `id`; it is renamed.

use super::Source;

const RENAME: &str = "ALTER TABLE artist RENAME COLUMN artist_id TO id";

/// The tables whose rows the queries read: a script that lacks one is another script.
const WANTED: [&str; 5] = ["artist", "album", "track", "genre", "media_type"];

/// The file is not Chinook's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("inserts no rows into `{0}`: it is not Chinook's script for PostgreSQL in snake case")]
pub(super) struct OtherScript(&'static str);

/// The statements that make tables and rows.
pub(super) fn statements(script: &str, source: Source) -> Result<Vec<String>, OtherScript> {
    let all = split(script);
    let inserts = all.iter().filter(|statement| statement.starts_with("INSERT INTO "));
    for table in WANTED {
        let beginning = format!("INSERT INTO {table} ");
        if !inserts.clone().any(|insert| insert.starts_with(&beginning)) {
            return Err(OtherScript(table));
        }
    }
    Ok(match source {
        Source::Postgres => {
            let mut statements = all;
            statements.push(RENAME.to_owned());
            statements
        }
        Source::Sqlite | Source::Neo4j => {
            let renamed = inserts.map(|insert| {
                let insert = with_usual_dates(insert);
                insert.replacen("INSERT INTO artist (artist_id,", "INSERT INTO artist (id,", 1)
            });
            // The script inserts children before their parents.
            let mut statements =
                vec![sample::SQLITE_SCHEMA.to_owned(), "PRAGMA defer_foreign_keys = ON".to_owned()];
            statements.extend(renamed);
            statements
        }
    })
}

/// Dates as `2021/1/31` become what SQLite takes for a time: PostgreSQL reads both.
fn with_usual_dates(insert: &str) -> String {
    let usual = |(place, text): (usize, &str)| match usual_date(text) {
        // Every second piece between quotes stands inside of them.
        Some(date) if place % 2 == 1 => date,
        Some(_) | None => text.to_owned(),
    };
    let pieces: Vec<String> = insert.split('\'').enumerate().map(usual).collect();
    pieces.join("'")
}

fn usual_date(text: &str) -> Option<String> {
    let mut parts = text.split('/').map(str::parse);
    let (year, month, day): (u16, u8, u8) = (
        parts.next()?.ok()?,
        parts.next()?.ok().and_then(|month| month.try_into().ok())?,
        parts.next()?.ok().and_then(|day| day.try_into().ok())?,
    );
    parts.next().is_none().then(|| format!("{year:04}-{month:02}-{day:02} 00:00:00"))
}

/// The statements of a script without their ends, comments and marks of national text, which only
/// PostgreSQL knows.
fn split(script: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut statement = String::new();
    let mut rest = script;
    while let Some(letter) = rest.chars().next() {
        let mut taken = letter.len_utf8();
        if let Some(comment) = rest.strip_prefix("/*") {
            taken = comment.find("*/").map_or(rest.len(), |end| end + 4);
        } else if rest.starts_with("--") {
            taken = rest.find('\n').unwrap_or(rest.len());
        } else if letter == '\'' {
            // A doubled quote ends one text and begins another: the same bytes.
            taken = rest[1..].find('\'').map_or(rest.len(), |end| end + 2);
            statement.push_str(&rest[..taken]);
        } else if letter == ';' {
            push(&statement, &mut statements);
            statement.clear();
        } else if !rest.starts_with("N'") || ends_in_word(&statement) {
            statement.push(letter);
        }
        rest = &rest[taken..];
    }
    push(&statement, &mut statements);
    statements
}

fn push(statement: &str, statements: &mut Vec<String>) {
    let statement = statement.trim();
    if !statement.is_empty() {
        statements.push(statement.to_owned());
    }
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_split_where_statements_end() {
        let script = "/* 'a; */\nCREATE TABLE a (b INT); -- c; d\nINSERT INTO a (b) VALUES\n  \
                      (1, N'it''s; N''x'), (2, 'N');\n\n";
        assert_eq!(
            split(script),
            ["CREATE TABLE a (b INT)", "INSERT INTO a (b) VALUES\n  (1, 'it''s; N''x'), (2, 'N')"]
        );
    }

    #[test]
    fn dates_are_written_as_sqlite_reads_them() {
        assert_eq!(
            with_usual_dates("VALUES (1, '2021/1/31', 'it''s 2021/1/31', 2021/1/3)"),
            "VALUES (1, '2021-01-31 00:00:00', 'it''s 2021/1/31', 2021/1/3)"
        );
    }

    #[test]
    fn another_script_is_refused() {
        let script = "INSERT INTO artist (artist_id, name) VALUES (1, 'x')";
        assert_eq!(statements(script, Source::Sqlite), Err(OtherScript("album")));
    }
}
