//! Compares printed schemas with the cases of Prisma's generator.

use std::collections::BTreeMap;
use std::fs;

use apollo_compiler::ast::{Definition, Document};

use crate::arguments::Arguments;
use crate::report::{Outcome, Report};
use crate::service::Service;

/// The folder of the cases; each has a datamodel and its schema.
const CASES: &str = "cli/packages/prisma-generate-schema/__tests__/blackbox/cases";
const DATA_MODEL: &str = "model_relational_v1.1.graphql";
const SCHEMA: &str = "relational_v1.1.graphql";

/// Differences of one schema that are shown.
const MAX_SHOWN: usize = 40;

pub(crate) fn run(arguments: &Arguments, service: &mut Service) -> Result<Report, String> {
    let folder = arguments.repository.join(CASES);
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().join(DATA_MODEL).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut report = Report::default();
    for name in names.iter().filter(|name| arguments.asks_for(name)) {
        let read = |file: &str| {
            fs::read_to_string(folder.join(name).join(file)).map_err(|error| error.to_string())
        };
        let expected = read(SCHEMA)?;
        let printed = service.schema(&read(DATA_MODEL)?);
        let (members, order) = match printed {
            Ok(printed) => {
                (compare(&expected, &printed, false), compare(&expected, &printed, true))
            }
            Err(error) => (Outcome::Different(error.clone()), Outcome::Different(error)),
        };
        eprintln!("{} {name}", members.word());
        report.0.push((name.clone(), "members".into(), members));
        report.0.push((name.clone(), "order".into(), order));
    }
    Ok(report)
}

/// Compares two schemas, with the order of their definitions and members or without.
pub(crate) fn compare(expected: &str, printed: &str, is_ordered: bool) -> Outcome {
    let parsed = [("expected", expected), ("printed", printed)].map(|(name, text)| {
        let is_empty = text.lines().all(|line| line.is_empty() || line.starts_with('#'));
        // The grammar has no document without definitions.
        if is_empty {
            return Ok(Document::new());
        }
        Document::parse(text, name).map_err(|error| format!("the {name} schema: {}", error.errors))
    });
    let [expected, printed] = match parsed {
        [Ok(expected), Ok(printed)] => [expected, printed],
        [Err(error), _] | [_, Err(error)] => return Outcome::Different(error),
    };
    let [expected, printed] = [expected, printed].map(|document| members(&document));
    let differences = if is_ordered {
        let names = |all: &[(String, String)]| -> Vec<String> {
            all.iter().map(|(name, _)| name.clone()).collect()
        };
        ordered_differences(&names(&expected), &names(&printed))
    } else {
        unordered_differences(expected.into_iter().collect(), printed.into_iter().collect())
    };
    if differences.is_empty() {
        return Outcome::Equal;
    }
    let count = differences.len();
    let mut shown: Vec<_> = differences.into_iter().take(MAX_SHOWN).collect();
    if count > shown.len() {
        shown.push(format!("  and {} more", count - shown.len()));
    }
    Outcome::Different(shown.join("\n"))
}

fn unordered_differences(
    expected: BTreeMap<String, String>,
    mut printed: BTreeMap<String, String>,
) -> Vec<String> {
    let mut differences = Vec::new();
    for (name, text) in expected {
        match printed.remove(&name) {
            None => differences.push(format!("  missing {name} {text}")),
            Some(own) if own != text => {
                differences.push(format!("  {name}: expected {text}\n  received {own}"));
            }
            Some(_) => {}
        }
    }
    differences
        .extend(printed.into_iter().map(|(name, text)| format!("  not expected {name} {text}")));
    differences
}

fn ordered_differences(expected: &[String], printed: &[String]) -> Vec<String> {
    let first = expected.iter().zip(printed).find(|(expected, printed)| expected != printed);
    match first {
        Some((expected, printed)) => {
            vec![format!("  expected {expected}\n  received {printed} in its place")]
        }
        None if expected.len() == printed.len() => Vec::new(),
        None => vec![format!("  expected {} members, received {}", expected.len(), printed.len())],
    }
}

/// Each definition and each member of it, by its path, with its text.
fn members(document: &Document) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for definition in &document.definitions {
        let Some(name) = definition.name() else { continue };
        let description =
            |text: Option<&str>| text.map(|text| format!(" {:?}", text.trim())).unwrap_or_default();
        let mut add = |path: String, text: String, own: Option<&str>| {
            all.push((path, format!("{text}{}", description(own))));
        };
        let directives = directives(definition.directives());
        match definition {
            Definition::ObjectTypeDefinition(one) => {
                let interfaces: Vec<_> =
                    one.implements_interfaces.iter().map(|name| name.as_str()).collect();
                add(
                    name.to_string(),
                    format!("type {}{directives}", interfaces.join(" & ")),
                    text(&one.description),
                );
                for field in &one.fields {
                    add_field(&mut add, name, field);
                }
            }
            Definition::InterfaceTypeDefinition(one) => {
                add(name.to_string(), "interface".into(), text(&one.description));
                for field in &one.fields {
                    add_field(&mut add, name, field);
                }
            }
            Definition::InputObjectTypeDefinition(one) => {
                add(name.to_string(), "input".into(), text(&one.description));
                for field in &one.fields {
                    let path = format!("{name}.{}", field.name);
                    add(path, value_text(field), text(&field.description));
                }
            }
            Definition::EnumTypeDefinition(one) => {
                add(name.to_string(), "enum".into(), text(&one.description));
                for value in &one.values {
                    add(format!("{name}.{}", value.value), String::new(), text(&value.description));
                }
            }
            Definition::ScalarTypeDefinition(one) => {
                add(name.to_string(), "scalar".into(), text(&one.description));
            }
            other => add(name.to_string(), other.to_string(), None),
        }
    }
    all
}

/// Directives as they are written, each after a space; their order has no meaning.
fn directives(list: &apollo_compiler::ast::DirectiveList) -> String {
    let mut all: Vec<_> = list.iter().map(|one| format!(" {one}")).collect();
    all.sort();
    all.concat()
}

fn text(description: &Option<apollo_compiler::Node<str>>) -> Option<&str> {
    description.as_deref()
}

fn add_field(
    add: &mut impl FnMut(String, String, Option<&str>),
    owner: &str,
    field: &apollo_compiler::ast::FieldDefinition,
) {
    let path = format!("{owner}.{}", field.name);
    let own = format!(": {}{}", field.ty, directives(&field.directives));
    add(path.clone(), own, text(&field.description));
    for argument in &field.arguments {
        add(
            format!("{path}({})", argument.name),
            value_text(argument),
            text(&argument.description),
        );
    }
}

fn value_text(value: &apollo_compiler::ast::InputValueDefinition) -> String {
    match &value.default_value {
        Some(default) => format!(": {} = {default}", value.ty),
        None => format!(": {}", value.ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &str, printed: &str, is_ordered: bool, differences: &str) {
        let shown = match compare(expected, printed, is_ordered) {
            Outcome::Equal => String::new(),
            Outcome::Different(text) => text,
            other => format!("{other:?}"),
        };
        assert_eq!(shown, differences);
    }

    #[test]
    fn schemas_are_compared_by_their_members() {
        let one = "type A implements B { a(x: Int): Int b: [C!]! } \"d\" scalar C";
        check(one, one, true, "");
        check(
            one,
            "scalar C type A implements B { b: [C!]! a(x: Int): Int }",
            false,
            "  C: expected scalar \"d\"\n  received scalar",
        );
        check(
            "type A { a: Int }",
            "type A { b: Int a: Int! }",
            false,
            "  A.a: expected : Int\n  received : Int!\n  not expected A.b : Int",
        );
        check(
            "type A @a { b: Int @c(d: \"e\") }",
            "type A { b: Int @c(d: \"f\") }",
            false,
            "  A: expected type  @a\n  received type \n  A.b: expected : Int @c(d: \"e\")\n  received : Int @c(d: \"f\")",
        );
        check("# nothing\n", "type A", false, "  not expected A type ");
        check("enum A { B C }", "enum A { C B }", false, "");
        check(
            "enum A { B C }",
            "enum A { C B }",
            true,
            "  expected A.B\n  received A.C in its place",
        );
        assert!(matches!(
            compare("enum A { B }", "enum {", false),
            Outcome::Different(text) if text.starts_with("the printed schema")
        ));
    }
}
