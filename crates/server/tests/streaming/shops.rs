//! Databases with so many rows that their answers are long, and some that never end.

use crate::databases::{Database, File};

/// So many parents, with five children each.
pub(crate) const PARENTS: usize = 30_000;

/// So many rows without any relation.
pub(crate) const ROWS: usize = 300_000;

/// What makes texts long, and each answer some tens of megabytes.
const TEXT: &str = "a text that is of no use to anybody and stands in each of very many rows, again \
     and again, so that all of them together are far more than what may be held at a time, which is \
     what tests look at";

/// What either database can make of `rows(n)`, a list of the numbers from 1.
const TABLES: &str = "
    CREATE TABLE genre (id integer PRIMARY KEY, name text NOT NULL);
    INSERT INTO genre VALUES (1, 'Rock'), (2, 'Jazz'), (3, 'Pop');
    CREATE TABLE parent (id integer PRIMARY KEY, name text NOT NULL,
        genre_id integer NOT NULL REFERENCES genre (id));
    CREATE TABLE child (id integer PRIMARY KEY,
        parent_id integer NOT NULL REFERENCES parent (id), title text);
    CREATE INDEX child_parent ON child (parent_id);
    CREATE TABLE line (id integer PRIMARY KEY, name text NOT NULL);
    CREATE TABLE small (id integer PRIMARY KEY);
    INSERT INTO small VALUES (1);";

/// A file with these tables and more.
pub(crate) fn file(more: &str) -> File {
    let fill = |table: &str, count: usize, values: &str| {
        format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO {table} SELECT {values} FROM n;"
        )
    };
    File::new(&format!("BEGIN;{TABLES}{}{more}COMMIT;", filled(fill)))
}

/// The same on a PostgreSQL, if there is one.
pub(crate) fn database(more: &str) -> Option<Database> {
    let fill = |table: &str, count: usize, values: &str| {
        format!("INSERT INTO {table} SELECT {values} FROM generate_series(1, {count}) AS n (i);")
    };
    Database::on_one(&format!("{TABLES}{}{more}ANALYZE;", filled(fill)))
}

fn filled(fill: impl Fn(&str, usize, &str) -> String) -> String {
    [
        fill("parent", PARENTS, "i, 'parent ' || i, 1 + i % 3"),
        fill("child", PARENTS * 5, &format!("i, 1 + (i - 1) / 5, '{TEXT} child ' || i")),
        fill("line", ROWS, &format!("i, '{TEXT} line ' || i")),
    ]
    .concat()
}

/// The answer to `{ allLinesList { id name } }`.
pub(crate) fn lines() -> String {
    let lines = (1..=ROWS).map(|id| format!(r#"{{"id":{id},"name":"{TEXT} line {id}"}}"#));
    let lines: Vec<_> = lines.collect();
    format!(r#"{{"data":{{"allLinesList":[{}]}}}}"#, lines.join(","))
}

/// The answer to `FAMILIES`.
pub(crate) fn families() -> String {
    let genres = ["Rock", "Jazz", "Pop"];
    let parents = (1..=PARENTS).map(|id| {
        let children = (id * 5 - 4..=id * 5)
            .map(|child| format!(r#"{{"id":{child},"title":"{TEXT} child {child}"}}"#));
        let children: Vec<_> = children.collect();
        format!(
            r#"{{"id":{id},"genreByGenreId":{{"name":"{}"}},"childrenByParentId":{{"nodes":[{}]}}}}"#,
            genres[id % 3],
            children.join(",")
        )
    });
    let parents: Vec<_> = parents.collect();
    format!(
        r#"{{"data":{{"allParents":{{"nodes":[{}],"totalCount":{PARENTS}}}}}}}"#,
        parents.join(",")
    )
}

pub(crate) const LINES: &str = "{ allLinesList { id name } }";
pub(crate) const FAMILIES: &str = "{ allParents { nodes { id genreByGenreId { name } \
     childrenByParentId { nodes { id title } } } totalCount } }";
pub(crate) const SMALL: &str = "{ allSmalls { nodes { id } } }";
pub(crate) const SMALL_ANSWER: &str = r#"{"data":{"allSmalls":{"nodes":[{"id":1}]}}}"#;
