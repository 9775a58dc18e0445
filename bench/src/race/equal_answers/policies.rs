//! The suite `policies`: its policies change no answer, and lose no index.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use testkit::postgres;

use super::built::{thalweg, workspace};
use super::{SETS, data_of, start};
use crate::http::Connection;
use crate::race::data;
use crate::race::suite::{Suite, load, variables};

const OPTIONS: [&str; 3] = ["--simple-collections", "both", "--connection-filter"];

#[test]
fn policies_that_let_everything_change_no_answer_and_lose_no_index() {
    let suites = load(&workspace().join("bench")).expect("the suites");
    let suite = suites.iter().find(|suite| suite.id == "policies").expect("the suite");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.db");
    data::fill_sqlite(suite, None, &file).expect("rows in SQLite");
    check(suite, &file.display().to_string(), folder.path());
    let Some(installation) = postgres::installations().into_iter().next() else {
        println!("not run on PostgreSQL: there is none");
        return;
    };
    let server = postgres::Server::start(&installation).expect("a server");
    data::fill_postgres(suite, None, &server, "policies").expect("rows in PostgreSQL");
    check(suite, &server.url("policies"), folder.path());
}

fn check(suite: &Suite, url: &str, folder: &Path) {
    let file = suite.folder.join(suite.file.policies.as_ref().expect("policies"));
    let policies = file.display().to_string();
    let with_policies = [&OPTIONS[..], &["--policies", &policies]].concat();
    let servers = [&OPTIONS[..], &with_policies].map(|options| {
        let server = start(&suite.file.dialect, options, url, folder);
        let connection = Connection::open(server.port).expect("a connection");
        (server, connection)
    });
    let [(_plain, mut open), (_guarded, mut guarded)] = servers;
    // What is written is compared by every run, with the rows.
    for query in suite.queries.iter().filter(|query| query.file.writes.is_none()) {
        let text = &query.texts[&suite.file.dialect];
        for set in variables::sets(&query.file.variables, SETS) {
            let body = json!({ "query": text, "variables": set }).to_string();
            let [plain, own] =
                [&mut open, &mut guarded].map(|one| data_of(&one.post(&body).expect("an answer")));
            assert_eq!(plain, own, "{}", query.file.id);
        }
        let sets = variables::sets(&query.file.variables, 1);
        let set = Value::from(sets.into_iter().next().unwrap_or_default()).to_string();
        let document = folder.join(format!("{}.graphql", query.file.id));
        std::fs::write(&document, text).expect("a document");
        let read = |options: &[&str]| {
            let mut command = Command::new(thalweg());
            command.args(["explain", url]).arg(&document).args(["--variables", &set]).args(options);
            let output = command.current_dir(folder).output().expect("an explanation");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            text
        };
        let (plain, own) = (read(&OPTIONS), read(&with_policies));
        assert!(own.contains("-- policies"), "{own}");
        let [plain_indexes, own_indexes] = [&plain, &own].map(|text| indexes(text));
        assert!(!plain_indexes.is_empty(), "no index is read from this plan:\n{plain}");
        assert!(
            plain_indexes.is_subset(&own_indexes) && scans(&own).is_subset(&scans(&plain)),
            "{} of {url} has lost an index:\n{plain}\nand by policies\n{own}",
            query.file.id
        );
    }
}

/// The lines of the databases' plans.
fn plan(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(|line| line.trim_start_matches("-- ").trim_start());
    lines.map(|line| line.trim_start_matches("->").trim_start())
}

/// The indexes that plans use: `Index Scan using venues_pkey on venues` of PostgreSQL, `SEARCH t0
/// USING INTEGER PRIMARY KEY (rowid>?)` of SQLite.
fn indexes(text: &str) -> BTreeSet<String> {
    let index = |line: &str| {
        let rest = line
            .split_once("Scan using ")
            .or_else(|| line.split_once("Bitmap Index Scan on "))
            .or_else(|| line.strip_prefix("SEARCH ").and_then(|rest| rest.split_once(" USING ")))?;
        let words = rest.1.split_once(" on ").or_else(|| rest.1.split_once(" ("));
        let name = words.map_or(rest.1, |(name, _)| name);
        // An index that has all that is asked for does so no more where a policy asks for more.
        Some(name.trim().replace("COVERING INDEX", "INDEX"))
    };
    plan(text).filter_map(index).collect()
}

/// The tables that plans read whole.
fn scans(text: &str) -> BTreeSet<String> {
    let scan = |line: &str| {
        let rest = line.strip_prefix("Seq Scan on ").or_else(|| line.strip_prefix("SCAN "))?;
        rest.split_whitespace().next().map(str::to_owned)
    };
    plan(text).filter_map(scan).collect()
}

#[test]
fn plans_are_read_by_their_lines() {
    let text = "--   Limit  (cost=0.29..2.55 rows=50 width=13)\n\
                --     ->  Index Only Scan using venues_pkey on venues t0  (cost=0.29)\n\
                --     ->  Bitmap Index Scan on by_member  (cost=0.00)\n\
                --     ->  Seq Scan on members t1  (cost=0)\n\
                --   SEARCH t0 USING COVERING INDEX by_venue (venue_id=?)\n\
                --   SEARCH t1 EXISTS USING INTEGER PRIMARY KEY (rowid=?)\n\
                --   SCAN t2";
    let names = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
    assert_eq!(names(indexes(text)), "INDEX by_venue, INTEGER PRIMARY KEY, by_member, venues_pkey");
    assert_eq!(names(scans(text)), "members, t2");
}
