//! `@shareable`: on fields of objects, once in each part of a type.

use super::Report;
use crate::composition::Code;
use crate::composition::schema::{Applied, Kind, all, find};
use crate::composition::specifications::Meaning;

const CODE: Code = Code::InvalidShareableUsage;

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        check_once(report, &r#type.name, &r#type.applied);
        for field in r#type.fields() {
            let coordinate = [&*r#type.name, ".", &field.name].concat();
            check_once(report, &coordinate, &field.applied);
            if let Kind::Interface(_) = r#type.kind
                && let Some(shareable) = find(&field.applied, Meaning::Shareable)
            {
                let message = format!("the field `{coordinate}` of an interface is shareable.");
                let remedy = "Mark the fields of the implementations instead.";
                report.add(CODE, &coordinate, shareable.at(), &message, remedy);
            }
        }
    }
}

/// Repetition is allowed only for a type and its extensions.
fn check_once(report: &mut Report<'_>, coordinate: &str, applied: &[Applied]) {
    let shareable: Vec<_> = all(applied, Meaning::Shareable).collect();
    for (index, one) in shareable.iter().enumerate() {
        let same = |other: &&&Applied| other.is_in_extension == one.is_in_extension;
        if let Some(first) = shareable[..index].iter().find(same)
            && !one.is_in_extension
        {
            let message = format!("`{coordinate}` is shareable twice.");
            report.add(CODE, coordinate, one.at(), &message, "Remove one of the directives.");
            report.also_at(first.at());
        }
    }
}
