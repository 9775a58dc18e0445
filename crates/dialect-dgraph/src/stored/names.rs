//! Names of columns: predicates without the name of their type, where that is one predicate only.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Model, Type};

/// The name of the column of each field, by its type and its own index. A field has one name in its
/// interface and all of its types.
pub(super) fn columns(model: &Model) -> Vec<Vec<Box<str>>> {
    let predicates = model.types.iter().map(|r#type| predicates(model, r#type));
    let predicates: Vec<Vec<String>> = predicates.collect();
    let mut ambiguous: FxHashSet<&str> = FxHashSet::default();
    for (r#type, predicates) in model.types.iter().zip(&predicates) {
        let mut seen: FxHashMap<&str, &str> = FxHashMap::default();
        for predicate in predicates {
            let short = without_type(model, r#type, predicate);
            match seen.get(short) {
                Some(other) if *other != predicate => ambiguous.extend([other, predicate.as_str()]),
                Some(_) => {}
                None => {
                    seen.insert(short, predicate);
                }
            }
        }
    }
    let names = model.types.iter().zip(&predicates).map(|(r#type, predicates)| {
        let names = predicates.iter().map(|predicate| match ambiguous.contains(&**predicate) {
            true => predicate.as_str().into(),
            false => without_type(model, r#type, predicate).into(),
        });
        names.collect()
    });
    names.collect()
}

/// A stored name without the name of its type or interface.
pub(super) fn without_type<'n>(model: &Model, r#type: &Type, name: &'n str) -> &'n str {
    let interfaces = r#type.implements.iter().map(|index| &model.types[index.0].stored_name);
    let mut owners = interfaces.chain([&r#type.stored_name]);
    owners
        .find_map(|owner| name.strip_prefix(&**owner)?.strip_prefix('.'))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
}

/// The predicate of each field of a type.
pub(crate) fn predicates(model: &Model, r#type: &Type) -> Vec<String> {
    let predicates = r#type.fields.iter().map(|field| {
        let declaring = field.inherited.map_or(r#type, |index| &model.types[index.0]);
        match field.stored_name == field.name {
            true => format!("{}.{}", declaring.stored_name, field.name),
            false => field.stored_name.to_string(),
        }
    });
    predicates.collect()
}
