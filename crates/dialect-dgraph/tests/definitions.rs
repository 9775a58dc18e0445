//! Definitions of Dgraph's own tests: those that it accepts are read, those that it refuses are
//! refused.
//!
//! The tests run where the environment variable `THALWEG_DGRAPH_DIR` names the folder `graphql` of a
//! checkout of Dgraph.

use std::path::{Path, PathBuf};

use dialect_dgraph::definitions::read;
use dialect_dgraph::stored::stored;

const VARIABLE: &str = "THALWEG_DGRAPH_DIR";

/// Valid definitions that are refused: functions in JavaScript, which nothing runs here.
const NEED_JAVASCRIPT: &[&str] = &[
    "A valid federation schema",
    "\"@lambdaOnMutate is allowed on types and interfaces\"",
    "embedding-directive-with-similar-queries.graphql",
    "lambda-directive.graphql",
];

/// Refused definitions that are read: their rules are validated when they are compiled, with the
/// schema that the definitions generate.
const REFUSED_LATER: &[&str] = &["GraphQL validation errors should be reported"];

#[test]
fn definitions_are_refused_as_in_dgraph() {
    let Some(folder) = folder() else { return };
    let mut wrong = Vec::new();
    for file in ["gqlschema_test.yml", "auth_schemas_test.yaml"] {
        let cases = cases(&text(&folder.join("schema").join(file)));
        assert!(cases.len() > 10, "{file}");
        for Case { is_valid, name, input } in cases {
            let result = read(&input);
            let is_expected = match is_valid {
                true => result.is_ok() != NEED_JAVASCRIPT.contains(&&*name),
                false => result.is_err() != REFUSED_LATER.contains(&&*name),
            };
            match result {
                Ok(model) => drop(stored(&model)),
                Err(problems) => {
                    let are_of_lambda =
                        problems.iter().all(|problem| problem.message.contains("`@lambda"));
                    assert!(!is_valid || are_of_lambda || !is_expected, "{name}: {problems:?}");
                    if !is_expected {
                        wrong.push(format!("{file}: {name}: {problems:?}"));
                    }
                    continue;
                }
            }
            if !is_expected {
                wrong.push(format!("{file}: {name}: it is read"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn definitions_of_generated_schemas_are_read() {
    let Some(folder) = folder() else { return };
    let folder = folder.join("schema/testdata/schemagen/input");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let result = read(&text(&path));
        match (&result, NEED_JAVASCRIPT.contains(&&*name)) {
            (Ok(model), false) => drop(stored(model)),
            (Err(problems), true) => {
                assert!(
                    problems.iter().all(|problem| problem.message.contains("`@lambda")),
                    "{name}: {problems:?}"
                );
            }
            (Ok(_), true) | (Err(_), false) => panic!("{name}: {result:?}"),
        }
        files += 1;
    }
    assert!(files > 50, "{files}");
}

fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(folder) => Some(folder.into()),
        None => {
            print_not_run();
            None
        }
    }
}

#[expect(clippy::print_stderr, reason = "whoever reads the tests' output is to know")]
fn print_not_run() {
    eprintln!("not run: {VARIABLE} names no folder `graphql` of Dgraph");
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

struct Case {
    is_valid: bool,
    name: String,
    input: String,
}

/// The cases of a YAML file: lists of a name and an input, which is a block of lines.
fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut is_valid = false;
    let mut is_input = false;
    for line in text.lines() {
        if let (true, Some(case)) = (is_input, cases.last_mut()) {
            let rest = line.strip_prefix("      ");
            if let (Some(rest), _) | (None, Some(rest)) = (rest, line.is_empty().then_some("")) {
                case.input.push_str(rest);
                case.input.push('\n');
                continue;
            }
        }
        is_input = line == "    input: |";
        match line {
            "valid_schemas:" => is_valid = true,
            "invalid_schemas:" => is_valid = false,
            _ => {
                if let Some(name) = line.strip_prefix("  - name:") {
                    let (name, input) = (name.trim().to_owned(), String::new());
                    cases.push(Case { is_valid, name, input });
                } else if let (Some(case), false) = (cases.last_mut(), is_input)
                    && case.name.is_empty()
                {
                    case.name = line.trim().to_owned();
                }
            }
        }
    }
    cases
}
