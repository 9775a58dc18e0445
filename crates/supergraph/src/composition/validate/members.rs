//! Members of types: there are some, and their names are not reserved.
//! <https://spec.graphql.org/draft/#sec-Type-System>

use super::Report;
use crate::composition::schema::{At, Field, Input, Kind, has};
use crate::composition::specifications::{Directive, Meaning};

const DEPRECATED: Meaning = Meaning::Merged(Directive::Deprecated);

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        let name = &*r#type.name;
        check_name(report, name, name, r#type.at);
        let is_empty = match &r#type.kind {
            Kind::Scalar => None,
            Kind::Object(composite) | Kind::Interface(composite) => {
                for field in &composite.fields {
                    check_field(report, name, field);
                }
                // Only the fields of Federation itself may be on the root type of queries.
                (composite.fields.is_empty() && name != "Query").then_some("fields")
            }
            Kind::Union(members) => members.is_empty().then_some("members"),
            Kind::Enum(values) => {
                for value in values {
                    let coordinate = [name, ".", &value.name].concat();
                    check_name(report, &coordinate, &value.name, value.at);
                }
                values.is_empty().then_some("values")
            }
            Kind::Input(inputs) => {
                for input in inputs {
                    let coordinate = [name, ".", &input.name].concat();
                    check_input(report, &coordinate, input);
                }
                inputs.is_empty().then_some("fields")
            }
        };
        if let Some(members) = is_empty {
            let message = format!("the {} `{name}` has no {members}.", r#type.kind.word());
            let remedy = format!("Add {members}, or remove the type.");
            report.invalid(name, r#type.at, &message, &remedy);
        }
    }
    for directive in &subgraph.directives {
        let at = At { line: directive.line, column: directive.column };
        check_name(report, &format!("@{}", directive.name), &directive.name, at);
    }
}

fn check_field(report: &mut Report<'_>, parent: &str, field: &Field) {
    let coordinate = [parent, ".", &field.name].concat();
    check_name(report, &coordinate, &field.name, field.at);
    for argument in &field.arguments {
        check_input(report, &format!("{coordinate}({}:)", argument.name), argument);
    }
}

fn check_input(report: &mut Report<'_>, coordinate: &str, input: &Input) {
    check_name(report, coordinate, &input.name, input.at);
    if input.is_required() && has(&input.applied, DEPRECATED) {
        let message = format!("`{coordinate}` is required and deprecated.");
        report.invalid(coordinate, input.at, &message, "Make it nullable, or give it a default.");
    }
}

fn check_name(report: &mut Report<'_>, coordinate: &str, name: &str, at: At) {
    if name.starts_with("__") {
        let message = format!("the name of `{coordinate}` begins with `__`, which is reserved.");
        report.invalid(coordinate, at, &message, "Give it another name.");
    }
}
