//! Venues, meetups, members, and which member comes to which meetup: tables in the shape of Phrag's
//! load test, with rows of our own making; and the reviews of venues, which are written.

use std::collections::HashSet;

use crate::race::random::Random;
use crate::race::suite::Source;

/// Rows of each table.
const ROWS: u64 = 100_000;

/// Rows of an INSERT.
const ROWS_A_STATEMENT: usize = 1_000;

const POSTGRES_TABLES: &str = include_str!("meetups/tables.postgres.sql");
const SQLITE_TABLES: &str = include_str!("meetups/tables.sqlite.sql");
const VENUE_INDEX: &str = include_str!("meetups/venue_index.sql");
const MEMBER_INDEX: &str = include_str!("meetups/member_index.sql");
const REVIEWED_VENUE_INDEX: &str = include_str!("meetups/reviewed_venue_index.sql");
const REVIEWER_INDEX: &str = include_str!("meetups/reviewer_index.sql");

/// Written rows come behind it, so that their numbers have ten digits each.
const FIRST_REVIEW: &str = include_str!("meetups/first_review.sql");

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Tables, rows, and then the indexes of the foreign keys. The rows of both kinds are the same.
pub(super) fn statements(source: Source) -> Vec<String> {
    let tables = match source {
        Source::Postgres => POSTGRES_TABLES,
        Source::Sqlite | Source::Neo4j => SQLITE_TABLES,
    };
    let mut statements = vec![tables.to_owned()];
    let mut random = Random::new(1);
    statements.extend(inserts("members (id, first_name, last_name, email)", |id| {
        let [first_name, last_name, email] = [(); 3].map(|()| word(&mut random));
        format!("({id},'{first_name}','{last_name}','{email}@example.org')")
    }));
    let mut random = Random::new(2);
    statements.extend(inserts("venues (id, name, postal_code)", |id| {
        format!("({id},'{}','{:06}')", word(&mut random), random.below(1_000_000))
    }));
    let mut random = Random::new(3);
    statements.extend(inserts("meetups (id, title, start_at, venue_id)", |id| {
        let title = word(&mut random);
        let [month, day] = [12, 28].map(|bound| 1 + random.below(bound));
        let hour = 8 + random.below(13);
        let venue = 1 + random.below(ROWS);
        format!("({id},'{title}','2022-{month:02}-{day:02} {hour:02}:00:00',{venue})")
    }));
    let mut random = Random::new(4);
    let mut pairs = HashSet::new();
    statements.extend(inserts("meetups_members (meetup_id, member_id)", |_| {
        loop {
            let pair = [1 + random.below(ROWS), 1 + random.below(ROWS)];
            if pairs.insert(pair) {
                return format!("({},{})", pair[0], pair[1]);
            }
        }
    }));
    statements.push(FIRST_REVIEW.to_owned());
    let indexes = [VENUE_INDEX, MEMBER_INDEX, REVIEWED_VENUE_INDEX, REVIEWER_INDEX];
    statements.extend(indexes.map(str::to_owned));
    statements
}

/// `table` is the table with its columns, `row` the values of the row of that number.
fn inserts(table: &str, row: impl FnMut(u64) -> String) -> Vec<String> {
    let rows: Vec<String> = (1..=ROWS).map(row).collect();
    let insert = |rows: &[String]| format!("INSERT INTO {table} VALUES\n{}", rows.join(",\n"));
    rows.chunks(ROWS_A_STATEMENT).map(insert).collect()
}

/// Eight letters and digits.
fn word(random: &mut Random) -> String {
    let mut draw = random.below(62_u64.pow(8));
    let mut word = String::new();
    for _ in 0..8 {
        // Less than 62.
        word.push(char::from(LETTERS[(draw % 62) as usize]));
        draw /= 62;
    }
    word
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn every_table_has_so_many_rows_and_no_dangling_key() {
        let connection = Connection::open_in_memory().expect("memory");
        for statement in statements(Source::Sqlite) {
            connection.execute_batch(&statement).expect("a statement");
        }
        for table in ["members", "venues", "meetups", "meetups_members"] {
            let count = format!("SELECT count(*) FROM {table}");
            let count: i64 = connection.query_row(&count, [], |row| row.get(0)).expect("a count");
            assert_eq!(count, 100_000, "{table}");
        }
        let mut check = connection.prepare("PRAGMA foreign_key_check").expect("a check");
        assert!(!check.exists([]).expect("an answer"));
    }

    #[test]
    fn the_rows_are_the_same_each_time_and_for_both() {
        let both = [Source::Postgres, Source::Sqlite].map(statements);
        assert_eq!(both[0][1..], both[1][1..]);
        assert!(
            both[0][1]
                .starts_with("INSERT INTO members (id, first_name, last_name, email) VALUES\n(1,'"),
            "{}",
            &both[0][1][..200]
        );
        assert_eq!(both[0], statements(Source::Postgres));
    }
}
