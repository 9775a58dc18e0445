//! Rules of GraphQL that need the definitions as written: repeated names, and root types.

use std::sync::Arc;

use graphql::definitions::{Definitions, InputDefinition, Named, TypeBody};
use rustc_hash::FxHashSet;

use super::{Reference, Report};
use crate::composition::schema::{At, Kind};

pub(super) fn check(report: &mut Report<'_>, written: &Definitions) {
    check_roots(report, written);
    let mut names = FxHashSet::default();
    for definition in &written.directives {
        let name = format!("@{}", definition.name);
        if !names.insert(&definition.name) {
            let at = At { line: definition.line, column: definition.column };
            let message = format!("`{name}` is defined twice.");
            report.invalid(&name, at, &message, "Remove one of the definitions.");
        }
        check_arguments(report, &name, &definition.arguments);
    }
    for definition in &written.types {
        let name = &definition.name;
        match &definition.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                check_named(report, name, "implements", &composite.interfaces);
                for field in &composite.fields {
                    check_arguments(report, &[name, ".", &field.name].concat(), &field.arguments);
                }
            }
            TypeBody::Union(members) => check_named(report, name, "has the member", members),
            TypeBody::Scalar | TypeBody::Enum(_) | TypeBody::InputObject(_) => {}
        }
    }
}

/// Each operation has one root, which is an object type.
fn check_roots(report: &mut Report<'_>, written: &Definitions) {
    let mut kinds = FxHashSet::default();
    for (kind, named) in written.schemas.iter().flat_map(|schema| &schema.operations) {
        let at = At { line: named.line, column: named.column };
        if !kinds.insert(*kind) {
            let message = format!("the schema has two root types of operation `{kind}`.");
            report.invalid(&named.name, at, &message, "Remove one of them.");
        }
        // Root types have their default names in the schema of the subgraph.
        let default = match *kind {
            "query" => "Query",
            "mutation" => "Mutation",
            _ => "Subscription",
        };
        let problem = match report.reference(default) {
            Reference::Type(r#type) if matches!(r#type.kind, Kind::Object(_)) => continue,
            // A root type without fields of its own is left out.
            Reference::Unknown if written.types.iter().any(|one| one.name == named.name) => {
                continue;
            }
            Reference::Unknown => "is not defined",
            Reference::Type(_) | Reference::Scalar => "is no object type",
        };
        let message = format!("the root type `{}` of operation `{kind}` {problem}.", named.name);
        report.invalid(&named.name, at, &message, "Define it as an object type.");
    }
}

fn check_arguments(report: &mut Report<'_>, coordinate: &str, arguments: &[InputDefinition]) {
    let mut names: FxHashSet<&Arc<str>> = FxHashSet::default();
    for argument in arguments {
        if !names.insert(&argument.name) {
            let at = At { line: argument.line, column: argument.column };
            let message = format!("`{coordinate}` has two arguments `{}`.", argument.name);
            let coordinate = format!("{coordinate}({}:)", argument.name);
            report.invalid(&coordinate, at, &message, "Remove one of them.");
        }
    }
}

fn check_named(report: &mut Report<'_>, r#type: &str, verb: &str, all: &[Named]) {
    let mut names: FxHashSet<&Arc<str>> = FxHashSet::default();
    for named in all {
        if !names.insert(&named.name) {
            let at = At { line: named.line, column: named.column };
            let message = format!("`{type}` {verb} `{}` twice.", named.name);
            report.invalid(r#type, at, &message, "Remove one of them.");
        }
    }
}
