//! Compares datamodels that are made of tables with the snapshots of Prisma's introspection.

use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::fixtures;
use crate::report::{Outcome, Report};
use crate::service::Service;

/// The tests on PostgreSQL: statements in TypeScript, and a folder of snapshots.
const TESTS: &str =
    "cli/packages/prisma-db-introspection/src/__tests__/postgres/blackbox/withoutExistingSchema";

/// The schema of the tables, unless a test names another.
const SCHEMA: &str = "DatabaseIntrospector";

/// The reason that Thalweg gives for a type without an id.
const KEYLESS: &str = "# The table has no key of one column with a text, a UUID or an integer.";

/// A test: statements, and the schema whose tables are read.
#[derive(Debug, PartialEq)]
struct Introspection {
    name: String,
    sql: String,
    schema: String,
    /// The statements do not make the schema.
    needs_schema: bool,
}

pub(crate) fn run(arguments: &Arguments, service: &mut Service) -> Result<Report, String> {
    let folder = arguments.repository.join(TESTS);
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".ts") && arguments.asks_for(name))
        .collect();
    files.sort();
    let mut report = Report::default();
    for file in files {
        let text = read(&folder.join(&file))?;
        let Ok(snapshots) = read(&folder.join(format!("__snapshots__/{file}.snap"))) else {
            let reason = Outcome::NotCompared("it has no snapshots".into());
            report.0.push((file, String::new(), reason));
            continue;
        };
        for test in introspections(&text) {
            let outcomes = match snapshot(&snapshots, &test.name) {
                None => [("snapshot", Outcome::NotCompared("it has no snapshot".into()))].into(),
                Some(expected) => compare(&test, &expected, service),
            };
            for (part, outcome) in outcomes {
                eprintln!("{} {file}: {} ({part})", outcome.word(), test.name);
                report.0.push((file.clone(), format!("{} ({part})", test.name), outcome));
            }
        }
    }
    Ok(report)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn compare(
    test: &Introspection,
    expected: &str,
    service: &mut Service,
) -> Vec<(&'static str, Outcome)> {
    let sql = if test.needs_schema {
        let schema = test.schema.replace('"', "\"\"");
        format!(
            "DROP SCHEMA IF EXISTS \"{schema}\" CASCADE; CREATE SCHEMA \"{schema}\"; \
             SET search_path TO \"{schema}\";\n{}",
            test.sql
        )
    } else {
        test.sql.clone()
    };
    match service.introspect(&sql, &test.schema) {
        Ok(printed) => vec![
            ("members", fixtures::compare(expected, &printed, false)),
            ("text", compare_texts(expected, &printed)),
        ],
        Err(error) => vec![("members", Outcome::Different(error))],
    }
}

/// Compares all bytes, but for the line break at the end.
fn compare_texts(expected: &str, printed: &str) -> Outcome {
    let (expected, printed) = (expected.trim_end(), printed.trim_end());
    if expected == printed {
        return Outcome::Equal;
    }
    if without_keyless_types(expected) == printed {
        let reason = "types without an id, which Prisma's server refuses, are comments";
        return Outcome::Partly(reason.into());
    }
    let lines = expected.lines().zip(printed.lines().map(Some).chain(std::iter::repeat(None)));
    let first = lines.enumerate().find(|(_, (expected, printed))| Some(*expected) != *printed);
    Outcome::Different(match first {
        Some((place, (expected, printed))) => {
            let printed = printed.unwrap_or("the end");
            format!("  line {}: expected {expected}\n  received {printed}", place + 1)
        }
        None => "  received more lines".into(),
    })
}

/// The types without an id as comments, as Thalweg has them.
fn without_keyless_types(datamodel: &str) -> String {
    let definitions = datamodel.split("\n\n").map(|definition| {
        let is_keyless = definition.starts_with("type ")
            && !definition.contains(" @id")
            && !definition.contains(" @relationTable");
        match is_keyless {
            true => {
                let lines = definition.lines().map(|line| format!("\n# {line}"));
                [KEYLESS.to_owned()].into_iter().chain(lines).collect()
            }
            false => definition.to_owned(),
        }
    });
    definitions.collect::<Vec<_>>().join("\n\n")
}

/// The tests of a file, `test('name', … testSchema(`sql`, 'schema', false) …)`.
fn introspections(text: &str) -> Vec<Introspection> {
    let group = text.split_once("describe(").and_then(|(_, rest)| quoted(rest));
    let group = group.map(|(name, _)| name).unwrap_or_default();
    let mut tests = Vec::new();
    for part in text.split("test(").skip(1) {
        let Some((name, rest)) = quoted(part) else { continue };
        let Some((_, rest)) = rest.split_once("testSchema(") else { continue };
        let rest = rest.trim_start();
        let found = if rest.starts_with('`') {
            quoted(rest)
        } else {
            // A constant of the file.
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let constant = format!("const {} = ", &rest[..end]);
            let sql = text.split_once(&*constant).and_then(|(_, rest)| quoted(rest));
            sql.map(|(sql, _)| (sql, &rest[end..]))
        };
        let Some((sql, rest)) = found else { continue };
        let others = rest.split(')').next().unwrap_or_default();
        let schema = quoted(others);
        tests.push(Introspection {
            name: format!("{group} {name}"),
            sql,
            schema: schema.map_or_else(|| SCHEMA.to_owned(), |(schema, _)| schema),
            needs_schema: !others.contains("false"),
        });
    }
    tests
}

/// The first literal of a text, in any of JavaScript's quotes, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let start = text.find(['\'', '"', '`'])?;
    let quote = text[start..].chars().next()?;
    let mut content = String::new();
    let mut characters = text[start + 1..].char_indices();
    while let Some((idx, character)) = characters.next() {
        match character {
            '\\' => content.push(match characters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            end if end == quote => return Some((content, &text[start + 1 + idx + 1..])),
            other => content.push(other),
        }
    }
    None
}

/// The snapshot of a test: its second one is of version 1.1 of datamodels.
fn snapshot(snapshots: &str, name: &str) -> Option<String> {
    let (_, rest) = snapshots.split_once(&format!("exports[`{name} 2`] = "))?;
    let (printed, _) = quoted(rest)?;
    // The printed value is a text in quotes itself.
    quoted(printed.trim()).map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_have_statements_and_schemas() {
        let text = "const sql = `CREATE \\`a\\``\n describe('I', () => {
            test('one', async () => { await testSchema(`SELECT ')'`) })
            test(\"two's\", async () => { await testSchema(sql, `other`, false) }) })";
        let expected =
            [("I one", "SELECT ')'", SCHEMA, true), ("I two's", "CREATE `a`", "other", false)];
        let expected = expected.map(|(name, sql, schema, needs_schema)| Introspection {
            name: name.into(),
            sql: sql.into(),
            schema: schema.into(),
            needs_schema,
        });
        assert_eq!(introspections(text), expected);
    }

    #[test]
    fn types_without_ids_are_comments() {
        let expected = "type A {\n  a: Int\n}\n\ntype B {\n  id: ID! @id\n}";
        let printed =
            format!("{KEYLESS}\n# type A {{\n#   a: Int\n# }}\n\ntype B {{\n  id: ID! @id\n}}");
        assert!(matches!(compare_texts(expected, &printed), Outcome::Partly(_)));
        assert_eq!(compare_texts(expected, &format!("{expected}\n")), Outcome::Equal);
        let different =
            Outcome::Different("  line 2: expected   a: Int\n  received   b: Int".into());
        assert_eq!(compare_texts(expected, &expected.replace("a:", "b:")), different);
    }

    #[test]
    fn snapshots_are_texts_in_texts() {
        let text = "exports[`I one 1`] = `\n\"type A\"\n`;\n\nexports[`I one 2`] = `\n\"type A \
                    @db(name: \\\\\"a\\\\\") {\n}\"\n`;\n";
        assert_eq!(snapshot(text, "I one").as_deref(), Some("type A @db(name: \"a\") {\n}"));
        assert_eq!(snapshot(text, "I two"), None);
    }
}
