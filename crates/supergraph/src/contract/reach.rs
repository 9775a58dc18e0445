//! Hides the types that no operation reaches.

use std::sync::Arc;

use graphql::definitions::{InputDefinition, TypeBody};
use rustc_hash::FxHashSet;

use super::elements::Elements;
use crate::coordinate::Coordinate;

pub(super) fn hide_unreachable(elements: &mut Elements) {
    let reachable = reachable(elements);
    let rest = elements.types().filter(|definition| !reachable.contains(&definition.name));
    let rest: Vec<_> = rest.map(|definition| Coordinate::of_type(&definition.name)).collect();
    elements.hidden.extend(rest);
}

/// Returns the types that operations reach by visible elements: by fields, arguments and input
/// fields, members of unions, interfaces and their implementations, and arguments of directives.
fn reachable(elements: &Elements) -> FxHashSet<Arc<str>> {
    let roots = ["query", "mutation", "subscription"].into_iter();
    let mut waiting: Vec<&Arc<str>> = roots.filter_map(|root| elements.root(root)).collect();
    let directives = elements.definitions.directives.iter();
    let directives = directives.filter(|one| !elements.links.is_of_specification(&one.name));
    waiting.extend(directives.flat_map(|one| &one.arguments).map(base));
    let mut reachable = FxHashSet::default();
    while let Some(name) = waiting.pop() {
        if elements.is_type_hidden(name) || !reachable.insert(Arc::clone(name)) {
            continue;
        }
        let Some(definition) = elements.find_type(name) else { continue };
        match &definition.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                for field in elements.fields(name, composite) {
                    waiting.push(field.r#type.base());
                    waiting.extend(elements.arguments(name, field).map(base));
                }
                waiting.extend(composite.interfaces.iter().map(|named| &named.name));
            }
            TypeBody::Union(members) => waiting.extend(members.iter().map(|named| &named.name)),
            TypeBody::InputObject(inputs) => {
                waiting.extend(elements.inputs(name, inputs).map(base));
            }
            TypeBody::Scalar | TypeBody::Enum(_) => {}
        }
        if matches!(definition.body, TypeBody::Interface(_)) {
            let implementations = elements.types().filter(|one| match &one.body {
                TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                    composite.interfaces.iter().any(|interface| interface.name == *name)
                }
                TypeBody::Scalar
                | TypeBody::Union(_)
                | TypeBody::Enum(_)
                | TypeBody::InputObject(_) => false,
            });
            waiting.extend(implementations.map(|one| &one.name));
        }
    }
    reachable
}

fn base(input: &InputDefinition) -> &Arc<str> {
    input.r#type.base()
}
