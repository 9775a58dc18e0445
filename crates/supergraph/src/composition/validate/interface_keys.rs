//! Keys of interfaces, and interface objects.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/entities/interfaces>

use std::collections::BTreeSet;

use graphql::definitions::{FieldSetSelection, Literal};
use graphql::parse_field_set;

use super::Report;
use crate::composition::schema::{Applied, Kind, Type, all, find, has};
use crate::composition::specifications::{FEDERATION_1, Meaning};
use crate::composition::{Code, field_sets};

/// The fields of a key in any order.
type Fields = BTreeSet<String>;

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for r#type in &subgraph.types {
        if let Kind::Interface(_) = r#type.kind
            && subgraph.links.federation != FEDERATION_1
        {
            for key in all(&r#type.applied, Meaning::Key) {
                check_implementations(report, r#type, key);
            }
        }
        if let Some(applied) = find(&r#type.applied, Meaning::InterfaceObject)
            && !has(&r#type.applied, Meaning::Key)
        {
            let message = format!("the interface object `{}` has no key.", r#type.name);
            let remedy = "Add a `@key` that the interface has in the other subgraphs.";
            let code = Code::InterfaceObjectUsageError;
            report.add(code, &r#type.name, applied.at(), &message, remedy);
        }
    }
}

/// Every implementation has the key of its interface, and resolves it if the interface does.
fn check_implementations(report: &mut Report<'_>, interface: &Type, key: &Applied) {
    let Some((text, fields)) = fields(key) else { return };
    let subgraph = report.subgraph;
    for name in subgraph.objects_of(&interface.name) {
        let Some(object) = subgraph.find_type(name) else { continue };
        let keys = all(&object.applied, Meaning::Key);
        let same: Vec<_> =
            keys.filter(|own| self::fields(own).is_some_and(|(_, own)| own == fields)).collect();
        let (problem, remedy) = if same.is_empty() {
            ("does not have", format!("Add `@key(fields: \"{text}\")` to `{name}`."))
        } else if is_resolvable(key) && !same.iter().any(|own| is_resolvable(own)) {
            ("does not resolve", format!("Remove `resolvable: false` from the key of `{name}`."))
        } else {
            continue;
        };
        let message =
            format!("`{name}` {problem} the key `{text}` of the interface `{}`.", interface.name);
        let code = Code::InterfaceKeyNotOnImplementation;
        report.add(code, name, object.at, &message, &remedy);
        report.also_at(key.at());
    }
}

pub(super) fn is_resolvable(key: &Applied) -> bool {
    key.argument("resolvable") != Some(&Literal::Boolean(false))
}

/// Returns the text of a key and its fields; `None` if it cannot be parsed.
fn fields(key: &Applied) -> Option<(String, Fields)> {
    let text = field_sets::text(key)?;
    let selections = parse_field_set(&text).ok()?;
    let mut fields = Fields::new();
    collect("", &selections, &mut fields);
    Some((text, fields))
}

/// Adds the paths of selected fields. Recursion is bounded by the parser's limit.
fn collect(path: &str, selections: &[FieldSetSelection], into: &mut Fields) {
    for selection in selections {
        match selection {
            FieldSetSelection::Field { name, selections, .. } => {
                let path = [path, "/", name].concat();
                collect(&path, selections, into);
                into.insert(path);
            }
            FieldSetSelection::Fragment { selections, .. } => collect(path, selections, into),
        }
    }
}
