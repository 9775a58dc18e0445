//! The package within Node.js, on SQLite and PostgreSQL, and its types.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

use std::env::current_exe;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use testkit::postgres::{required_installations, shared};
use testkit::script::{self, Packages};

const TASKS: &str = "
    CREATE TABLE task (id integer PRIMARY KEY, title text NOT NULL, person_id integer NOT NULL);
    INSERT INTO task VALUES (1, 'Write', 1), (2, 'Paint', 2);
";

/// A function that runs for minutes; sources in the process have none.
const SLOW: &str =
    "CREATE FUNCTION slow() RETURNS text STABLE LANGUAGE sql AS $$ SELECT pg_sleep(600)::text $$";

/// The package with the library that Cargo has built for this test.
fn package() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["index.js", "index.d.ts", "package.json"] {
        fs::copy(here.join(name), folder.path().join(name)).unwrap();
    }
    let test = current_exe().unwrap();
    let library = match cfg!(target_os = "macos") {
        true => "libthalweg_node.dylib",
        false => "libthalweg_node.so",
    };
    fs::copy(test.with_file_name(library), folder.path().join("thalweg.node")).unwrap();
    folder
}

fn check(database: &str, has_slow: bool) {
    let package = package();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/binding.mjs");
    let arguments = [database, if has_slow { "true" } else { "false" }].map(OsStr::new);
    let printed = script::run_in(package.path(), &script, &arguments);
    if let Some(printed) = printed.unwrap_or_else(|error| panic!("{error}")) {
        assert_eq!(printed, "answered\n");
    }
}

#[test]
fn a_program_of_node_asks_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch(TASKS).unwrap();
    check(file.to_str().unwrap(), false);
}

#[test]
fn a_program_of_node_asks_postgresql() {
    let Some(installation) = required_installations().unwrap().pop() else { return };
    let server = shared(&installation).unwrap();
    server.create_database("node").unwrap();
    server.execute("node", TASKS).unwrap();
    server.execute("node", SLOW).unwrap();
    check(&server.url("node"), true);
}

#[test]
fn the_types_are_those_of_the_package() {
    let Some(packages) = script::packages(Packages::Pages).unwrap() else { return };
    let package = package();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(here.join("tests/types.ts"), package.path().join("types.ts")).unwrap();
    std::os::unix::fs::symlink(packages.join("node_modules"), package.path().join("node_modules"))
        .unwrap();
    let compile = "--noEmit --strict --target es2023 --module nodenext --types node types.ts";
    let mut tsc = std::process::Command::new(packages.join("node_modules/.bin/tsc"));
    let output = tsc.args(compile.split(' ')).current_dir(package.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
