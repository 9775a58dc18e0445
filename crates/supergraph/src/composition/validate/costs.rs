//! `@cost` and `@listSize`.
//! <https://ibm.github.io/graphql-specs/cost-spec.html>

use graphql::definitions::{Literal, TypeExpression};

use super::{Reference, Report, item};
use crate::composition::Code;
use crate::composition::schema::{Applied, Field, Kind, all};
use crate::composition::specifications::{Directive, Meaning};

const COST: Meaning = Meaning::Merged(Directive::Cost);
const LIST_SIZE: Meaning = Meaning::Merged(Directive::ListSize);

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        for field in r#type.fields() {
            let coordinate = [&*r#type.name, ".", &field.name].concat();
            if let Kind::Interface(_) = r#type.kind {
                for cost in all(&field.applied, COST) {
                    let message = format!("the field `{coordinate}` of an interface has a cost.");
                    let remedy = "Move `@cost` to the fields of the implementations.";
                    let code = Code::CostAppliedToInterfaceField;
                    report.add(code, &coordinate, cost.at(), &message, remedy);
                    report.also_at(field.at);
                }
            }
            for size in all(&field.applied, LIST_SIZE) {
                check_size(report, &coordinate, field, size);
            }
        }
    }
}

fn check_size(report: &mut Report<'_>, coordinate: &str, field: &Field, size: &Applied) {
    let sized = names(size, "sizedFields");
    let add = |report: &mut Report<'_>, code, message: &str, remedy: &str| {
        report.add(code, coordinate, size.at(), message, remedy);
        report.also_at(field.at);
    };
    if sized.is_empty() && item(&field.r#type).is_none() {
        let message = format!("`{coordinate}` has `@listSize`, but is no list.");
        let remedy = "Remove it, or name the lists of the returned object in `sizedFields`.";
        add(report, Code::ListSizeAppliedToNonList, &message, remedy);
    }
    if let Some(Literal::Int(digits)) = size.argument("assumedSize")
        && digits.starts_with('-')
    {
        let message = format!("the assumed size of `{coordinate}` is negative.");
        add(report, Code::ListSizeInvalidAssumedSize, &message, "Use a size from 0.");
    }
    for name in names(size, "slicingArguments") {
        let argument = field.arguments.iter().find(|argument| *argument.name == *name);
        let problem = match argument.map(|argument| &argument.r#type) {
            Some(TypeExpression::Named { name, .. }) if &**name == "Int" => continue,
            Some(other) => format!("has the type `{other}`"),
            None => "does not exist".to_owned(),
        };
        let message = format!("the slicing argument `{name}` of `{coordinate}` {problem}.");
        let remedy = "Name arguments of type `Int`.";
        add(report, Code::ListSizeInvalidSlicingArgument, &message, remedy);
    }
    if sized.is_empty() {
        return;
    }
    let base = field.r#type.base();
    let r#type = match report.reference(base) {
        Reference::Type(r#type) if r#type.composite().is_some() => Some(r#type),
        Reference::Unknown => return,
        Reference::Type(_) | Reference::Scalar => None,
    };
    for name in sized {
        match r#type.and_then(|r#type| r#type.find_field(name)) {
            Some(list) if item(&list.r#type).is_some() => {}
            Some(_) => {
                let message =
                    format!("the sized field `{base}.{name}` of `{coordinate}` is no list.");
                add(
                    report,
                    Code::ListSizeAppliedToNonList,
                    &message,
                    "Name fields that are lists.",
                );
            }
            None => {
                let message = format!(
                    "the sized field `{name}` of `{coordinate}` is no field of its type `{base}`."
                );
                let remedy = "Name fields of the returned object that are lists.";
                add(report, Code::ListSizeInvalidSizedField, &message, remedy);
            }
        }
    }
}

/// Returns the strings of a list.
fn names<'a>(size: &'a Applied, argument: &str) -> Vec<&'a str> {
    let items = match size.argument(argument) {
        Some(Literal::List(items)) => items.as_slice(),
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    let names = items.iter().filter_map(|item| match item {
        Literal::String(name) => Some(&**name),
        _ => None,
    });
    names.collect()
}
