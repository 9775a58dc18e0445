//! `@authenticated`, `@requiresScopes` and `@policy`: not on interfaces, which have the requirements
//! of their implementations.

use super::Report;
use crate::composition::Code;
use crate::composition::schema::{Applied, Kind};
use crate::composition::specifications::{Directive, Meaning};

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        let is_interface = matches!(r#type.kind, Kind::Interface(_));
        if !is_interface && !r#type.is_interface_object() {
            continue;
        }
        check_applied(report, &r#type.name, &r#type.applied);
        // Fields of interface objects are fields of all implementations.
        for field in r#type.fields().iter().filter(|_| is_interface) {
            let coordinate = [&*r#type.name, ".", &field.name].concat();
            check_applied(report, &coordinate, &field.applied);
        }
    }
}

fn check_applied(report: &mut Report<'_>, coordinate: &str, all: &[Applied]) {
    use Directive::{Authenticated, Policy, RequiresScopes};
    for applied in all {
        if let Meaning::Merged(Authenticated | RequiresScopes | Policy) = applied.meaning {
            let message = format!(
                "`@{}` is applied to `{coordinate}`, which is of an interface.",
                applied.directive.name
            );
            let remedy = "Apply it to the implementations: the interface then has the requirements \
                          of all of them.";
            let code = Code::AuthRequirementsAppliedOnInterface;
            report.add(code, coordinate, applied.at(), &message, remedy);
        }
    }
}
