//! `@external`: on fields of objects that the subgraph uses.

use super::Report;
use crate::composition::Code;
use crate::composition::schema::{Kind, find, has};
use crate::composition::specifications::Meaning;

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        let is_object = matches!(r#type.kind, Kind::Object(_));
        let is_external = is_object && has(&r#type.applied, Meaning::External);
        for field in r#type.fields() {
            let applied = find(&field.applied, Meaning::External);
            let coordinate = [&*r#type.name, ".", &field.name].concat();
            if let (false, Some(applied)) = (is_object, applied) {
                let message = format!("the field `{coordinate}` of an interface is external.");
                let remedy = "Mark the fields of the implementations instead.";
                report.add(Code::ExternalOnInterface, &coordinate, applied.at(), &message, remedy);
            }
            let is_used = field.roles.is_used && is_object;
            if (is_external || applied.is_some()) && !is_used {
                let message = format!("the field `{coordinate}` is external, but not used.");
                let remedy = "Remove the field; or remove `@external`, if the subgraph resolves it; \
                              or use it in a `@key`, `@requires` or `@provides`.";
                report.add(Code::ExternalUnused, &coordinate, field.at, &message, remedy);
            }
        }
    }
}
