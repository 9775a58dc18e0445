//! Types that fields, arguments, unions and interfaces refer to: they exist, and have the kind of their
//! position. <https://spec.graphql.org/draft/#IsOutputType()>

use graphql::definitions::TypeExpression;

use super::{Reference, Report};
use crate::composition::schema::{At, Input, Kind};

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        let name = &*r#type.name;
        match &r#type.kind {
            Kind::Object(composite) | Kind::Interface(composite) => {
                for interface in &composite.interfaces {
                    let at = At { line: interface.line, column: interface.column };
                    let problem = match report.reference(&interface.name) {
                        Reference::Type(other) if matches!(other.kind, Kind::Interface(_)) => {
                            continue;
                        }
                        Reference::Unknown => "is not defined",
                        Reference::Type(_) | Reference::Scalar => "is no interface",
                    };
                    let message =
                        format!("`{name}` implements `{}`, which {problem}.", interface.name);
                    report.invalid(name, at, &message, "Remove it, or define the interface.");
                }
                for field in &composite.fields {
                    let coordinate = [name, ".", &field.name].concat();
                    check_output(report, &coordinate, &field.r#type, field.at);
                    check_inputs(report, &coordinate, &field.arguments);
                }
            }
            Kind::Union(members) => {
                for member in members {
                    let at = At { line: member.line, column: member.column };
                    let problem = match report.reference(&member.name) {
                        Reference::Type(other) if matches!(other.kind, Kind::Object(_)) => continue,
                        Reference::Unknown => "is not defined",
                        Reference::Type(_) | Reference::Scalar => "is no object type",
                    };
                    let message =
                        format!("`{name}` has the member `{}`, which {problem}.", member.name);
                    report.invalid(name, at, &message, "Remove it, or define the object type.");
                }
            }
            Kind::Input(inputs) => {
                for input in inputs {
                    let coordinate = [name, ".", &input.name].concat();
                    check_input(report, &coordinate, input);
                }
            }
            Kind::Scalar | Kind::Enum(_) => {}
        }
    }
    for directive in &subgraph.directives {
        for argument in &directive.arguments {
            let coordinate = format!("@{}({}:)", directive.name, argument.name);
            let at = At { line: argument.line, column: argument.column };
            check_input_type(report, &coordinate, &argument.r#type, at);
        }
    }
}

fn check_output(report: &mut Report<'_>, coordinate: &str, r#type: &TypeExpression, at: At) {
    let base = r#type.base();
    match report.reference(base) {
        Reference::Unknown => unknown(report, coordinate, base, at),
        Reference::Type(other) if matches!(other.kind, Kind::Input(_)) => {
            let message =
                format!("`{coordinate}` has the type `{base}`, which is an input object type.");
            let remedy = "Return an object type with the same fields.";
            report.invalid(coordinate, at, &message, remedy);
        }
        Reference::Type(_) | Reference::Scalar => {}
    }
}

fn check_inputs(report: &mut Report<'_>, field: &str, arguments: &[Input]) {
    for argument in arguments {
        check_input(report, &format!("{field}({}:)", argument.name), argument);
    }
}

fn check_input(report: &mut Report<'_>, coordinate: &str, input: &Input) {
    check_input_type(report, coordinate, &input.r#type, input.at);
}

fn check_input_type(report: &mut Report<'_>, coordinate: &str, r#type: &TypeExpression, at: At) {
    let base = r#type.base();
    match report.reference(base) {
        Reference::Unknown => unknown(report, coordinate, base, at),
        Reference::Type(other) if other.composite().is_some() || is_union(&other.kind) => {
            let message = format!(
                "`{coordinate}` has the type `{base}`, which is an {}, and no input.",
                other.kind.word()
            );
            let remedy = "Use a scalar, an enum or an input object type.";
            report.invalid(coordinate, at, &message.replace("an union", "a union"), remedy);
        }
        Reference::Type(_) | Reference::Scalar => {}
    }
}

fn is_union(kind: &Kind) -> bool {
    matches!(kind, Kind::Union(_))
}

fn unknown(report: &mut Report<'_>, coordinate: &str, base: &str, at: At) {
    let message =
        format!("`{coordinate}` has the type `{base}`, which the subgraph does not have.");
    let remedy = format!(
        "Define `{base}`; a type of another subgraph needs at least its key here: \
         `type {base} @key(fields: \"id\", resolvable: false) {{ id: ID! }}`."
    );
    report.invalid(coordinate, at, &message, &remedy);
}
