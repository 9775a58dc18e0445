//! Definitions of Dgraph's own tests: those that it accepts are read, those that it refuses are
//! refused.
//!
//! They are those of a copy of its repository: see `testkit::dgraph`.

use std::fs;
use std::path::{Path, PathBuf};

use dialect_dgraph::definitions::read;
use dialect_dgraph::stored::stored;
use storage::database::Database;
use storage::plan::plan;
use storage::tables::Tables;

/// Refused definitions that are read: their rules are validated when they are compiled, with the
/// schema that the definitions generate.
const REFUSED_LATER: &[&str] = &["GraphQL validation errors should be reported"];

#[test]
fn definitions_are_refused_as_in_dgraph() {
    let Some(folder) = testkit::dgraph::folder() else { return };
    let mut wrong = Vec::new();
    for (file, minimum) in [
        ("gqlschema_test.yml", 200),
        ("auth_schemas_test.yaml", 20),
        ("dgraph_schemagen_test.yml", 30),
    ] {
        let cases = cases(&text(&folder.join("schema").join(file)));
        assert!(cases.len() >= minimum, "{file}: {}", cases.len());
        for Case { is_valid, name, input } in cases {
            let mistake = match (is_valid, read(&input)) {
                (true, _) => mistake(&input),
                (false, Err(_)) => None,
                (false, Ok(_)) if REFUSED_LATER.contains(&&*name) => None,
                (false, Ok(_)) => Some("it is read".to_owned()),
            };
            wrong.extend(mistake.map(|mistake| format!("{file}: {name}: {mistake}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn definitions_of_dgraph_s_databases_are_read() {
    let Some(folder) = testkit::dgraph::folder() else { return };
    let mut files: Vec<PathBuf> = Vec::new();
    for inputs in ["schema/testdata/schemagen/input", "schema/testdata/apolloservice/input"] {
        let entries = fs::read_dir(folder.join(inputs)).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    assert!(files.len() > 50, "{}", files.len());
    for schema in ["resolve", "e2e/auth", "e2e/directives", "e2e/normal", "bench"] {
        files.push(folder.join(schema).join("schema.graphql"));
    }
    let mistakes = files.iter().filter_map(|file| {
        mistake(&text(file)).map(|mistake| format!("{}: {mistake}", file.display()))
    });
    let mistakes: Vec<String> = mistakes.collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// The mistakes of definitions, but for functions in JavaScript, which nothing runs here.
fn mistake(text: &str) -> Option<String> {
    match read(text) {
        Ok(model) => {
            let stored = stored(&model);
            let plan = plan(&stored.model, &Database::sqlite(), &Tables::default());
            assert_eq!(plan.places.relations.len(), stored.model.relations.len());
            None
        }
        Err(problems) => {
            let others = problems.iter().filter(|problem| !problem.message.contains("`@lambda"));
            let others: Vec<String> = others.map(ToString::to_string).collect();
            (!others.is_empty()).then(|| others.join("\n"))
        }
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
        is_input = line.starts_with("    input: |");
        match line {
            "valid_schemas:" | "schemas:" => is_valid = true,
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
    assert!(cases.iter().all(|case| !case.input.trim().is_empty()));
    cases
}
