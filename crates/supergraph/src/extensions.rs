//! Merges extensions of types with the types.

use std::sync::Arc;

use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{TypeBody, TypeDefinition};
use rustc_hash::FxHashMap;

use crate::composed::Problem;

/// Returns the types with their extensions, in the order of the document. Built-in scalars and
/// introspection types are omitted.
///
/// An extension without a type counts as the type: in the schema of a subgraph it may be elsewhere.
pub(crate) fn merge_extensions(
    definitions: Vec<TypeDefinition>,
    problems: &mut Vec<Problem>,
) -> Vec<TypeDefinition> {
    let mut types: Vec<TypeDefinition> = Vec::new();
    let mut by_name: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    let (extensions, bases): (Vec<_>, Vec<_>) =
        definitions.into_iter().partition(|definition| definition.is_extension);
    for definition in bases.into_iter().chain(extensions) {
        let name = &definition.name;
        if BUILT_IN_SCALARS.contains(&&**name) || name.starts_with("__") {
            continue;
        }
        match by_name.get(name) {
            Some(index) if definition.is_extension => {
                extend(&mut types[*index], definition, problems);
            }
            Some(_) => {
                let message = format!("`{name}` is defined twice");
                problems.push(Problem::new(definition.line, message));
            }
            None => {
                by_name.insert(Arc::clone(name), types.len());
                types.push(definition);
            }
        }
    }
    types
}

fn extend(base: &mut TypeDefinition, extension: TypeDefinition, problems: &mut Vec<Problem>) {
    let TypeDefinition { name, line, directives, body, .. } = extension;
    match (&mut base.body, body) {
        (TypeBody::Scalar, TypeBody::Scalar) => {}
        (TypeBody::Object(base), TypeBody::Object(added))
        | (TypeBody::Interface(base), TypeBody::Interface(added)) => {
            base.interfaces.extend(added.interfaces);
            base.fields.extend(added.fields);
        }
        (TypeBody::Union(base), TypeBody::Union(added)) => base.extend(added),
        (TypeBody::Enum(base), TypeBody::Enum(added)) => base.extend(added),
        (TypeBody::InputObject(base), TypeBody::InputObject(added)) => base.extend(added),
        _ => {
            let message = format!("the extension of `{name}` is of another kind than the type");
            return problems.push(Problem::new(line, message));
        }
    }
    base.directives.extend(directives);
}
