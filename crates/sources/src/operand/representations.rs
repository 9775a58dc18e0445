//! Federation representations: which key finds which of them.
//!
//! Neither how many representations there are nor what is in them steers, so a list of them is
//! sorted when values are bound: into a list of values for each field of each key. What is no
//! representation is found out here, before the source is asked: one value that the source does not
//! take would fail the rows of all the others.

use std::borrow::Cow;

use ir::{
    FieldPath, OpaqueKey, Operand, Representations, Represented, RepresentedKey, RepresentedValue,
};
use response::{Element, Sorted};

use super::given::Given;
use super::{Resolved, Variables};

/// The names of the type in a representation.
const TYPENAME: &str = "__typename";

/// The values of the key that finds a representation.
#[derive(Debug)]
struct Found<'v> {
    /// The place of the key among those of the type.
    key: usize,
    values: Vec<Resolved<'v>>,
}

/// The values of one field of a key, one for each representation that is found by it.
pub(super) fn values<'v>(
    representations: &'v Representations,
    variables: Variables<'v>,
) -> Resolved<'v> {
    let Representations { list, of, key, field } = representations;
    let (key, field) = (usize::from(*key), usize::from(*field));
    let elements = elements(list, variables).into_iter();
    let own =
        elements.filter(|element| typename(*element).is_some_and(|name| *name == *of.typename));
    let found = own.filter_map(|element| find(of, element).ok());
    let found = found.filter(|found| found.key == key);
    Resolved::List(found.filter_map(|mut found| found.values.drain(..).nth(field)).collect())
}

/// The representations of a list, each with the key that finds it. `types` are in the order of
/// their names.
#[must_use]
pub fn sort(
    list: &Operand,
    types: &[std::sync::Arc<Represented>],
    variables: Variables<'_>,
) -> Sorted {
    let sorted = |element| {
        let Some(name) = typename(element) else {
            return Element::Refused(
                "A representation is an object with its type's name as `__typename`.".into(),
            );
        };
        let Ok(place) = types.binary_search_by(|one| (*one.typename).cmp(&name)) else {
            let message = format!("Nothing is found by representations of `{name}` here.");
            return Element::Refused(message.into());
        };
        let Some(of) = types.get(place) else { return Element::Refused("".into()) };
        match find(of, element) {
            Ok(found) => {
                let key = u16::try_from(found.key).unwrap_or(u16::MAX);
                Element::Of { key: of.first.saturating_add(key) }
            }
            Err(message) => Element::Refused(message.into()),
        }
    };
    Sorted { elements: elements(list, variables).into_iter().map(sorted).collect() }
}

fn elements<'v>(list: &'v Operand, variables: Variables<'v>) -> Vec<Given<'v>> {
    let list = Given::new(list, variables);
    match list.items() {
        Some(items) => items,
        None if list.is_null() => Vec::new(),
        // A single value stands for a list of one.
        None => vec![list],
    }
}

fn typename(element: Given<'_>) -> Option<Cow<'_, str>> {
    match element.member(TYPENAME)?.plain().ok()? {
        Resolved::Text(name) => Some(name),
        _ => None,
    }
}

/// The first key of which a representation has all fields, or what is wrong with it.
fn find<'v>(of: &'v Represented, element: Given<'v>) -> Result<Found<'v>, String> {
    for (place, key) in of.keys.iter().enumerate() {
        if let Some(values) = by_names(of, key, element).or_else(|| by_id(of, key, element)) {
            return Ok(Found { key: place, values: values? });
        }
    }
    let mut keys = String::new();
    for key in &of.keys {
        let said = key.said.iter().map(|said| ir::print_field_set(said));
        for name in said.chain(key.id.as_ref().map(|id| id.name.to_string())) {
            keys.push_str(if keys.is_empty() { "`" } else { " or `" });
            keys.push_str(&name);
            keys.push('`');
        }
    }
    Err(format!("A representation of `{}` has all fields of a key: {keys}.", of.typename))
}

/// The values of the fields of a key as one of its ways says them; `None` if none says all.
fn by_names<'v>(
    of: &Represented,
    key: &'v RepresentedKey,
    element: Given<'v>,
) -> Option<Result<Vec<Resolved<'v>>, String>> {
    key.said.iter().find_map(|said| {
        let given: Vec<_> = said.iter().map(|path| follow(element, path)).collect::<Option<_>>()?;
        let values = given.into_iter().zip(said).zip(&key.kinds).map(|((given, path), kind)| {
            let value = given.plain().ok().and_then(|value| checked(*kind, value));
            value.ok_or_else(|| no_value(&path.join("."), of))
        });
        Some(values.collect())
    })
}

/// What some names lead to, if it is there.
fn follow<'v>(element: Given<'v>, path: &FieldPath) -> Option<Given<'v>> {
    path.iter().try_fold(element, |given, name| given.member(name).filter(|given| !given.is_null()))
}

/// The values that an opaque id holds; `None` if it is not there.
fn by_id<'v>(
    of: &Represented,
    key: &'v RepresentedKey,
    element: Given<'v>,
) -> Option<Result<Vec<Resolved<'v>>, String>> {
    let id = key.id.as_ref()?;
    let given = element.member(&id.name).filter(|given| !given.is_null())?;
    let values = given.plain().ok().and_then(|text| decoded(id, key, &text.text()?));
    Some(values.ok_or_else(|| no_value(&id.name, of)))
}

fn decoded(id: &OpaqueKey, key: &RepresentedKey, text: &str) -> Option<Vec<Resolved<'static>>> {
    let mut parts = crate::opaque::parts(text, id.codec, &id.prefix)?;
    if parts.len() != key.kinds.len() {
        return None;
    }
    let values = parts.drain(..).zip(&key.kinds).map(|(value, kind)| checked(*kind, value));
    values.collect()
}

fn no_value(name: &str, of: &Represented) -> String {
    format!("This is no value of `{name}` of `{}`.", of.typename)
}

/// A value as the source takes it, if it takes it.
fn checked(kind: RepresentedValue, value: Resolved<'_>) -> Option<Resolved<'_>> {
    match (kind, value) {
        (RepresentedValue::Integer { bits }, Resolved::Integer(number)) => {
            fits(number, bits).then_some(Resolved::Integer(number))
        }
        (RepresentedValue::Integer { bits }, Resolved::Text(text)) => {
            let number: i64 = text.parse().ok()?;
            fits(number, bits).then_some(Resolved::Integer(number))
        }
        (RepresentedValue::Text, Resolved::Text(text)) => {
            (!text.contains('\0')).then_some(Resolved::Text(text))
        }
        // A gateway may know the value as an ID, which may stand as a number.
        (RepresentedValue::Text, Resolved::Integer(number)) => {
            Some(Resolved::Text(number.to_string().into()))
        }
        (RepresentedValue::Uuid, Resolved::Text(text)) => {
            is_uuid(&text).then_some(Resolved::Text(text))
        }
        _ => None,
    }
}

fn fits(number: i64, bits: u8) -> bool {
    match bits {
        16 => i16::try_from(number).is_ok(),
        32 => i32::try_from(number).is_ok(),
        _ => true,
    }
}

/// Whether a text is a UUID as it is usually written: `8-4-4-4-12` hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ir::{Codec, OpaqueKey, Operand, Representations, Represented, RepresentedKey};
    use ir::{RepresentedValue, Slot};
    use response::Element;
    use serde_json_bytes::{Value as Json, json};

    use super::{Variables, sort, values};
    use crate::operand::Resolved;

    fn product() -> Arc<Represented> {
        let keys = vec![
            RepresentedKey {
                kinds: vec![RepresentedValue::Integer { bits: 32 }],
                said: vec![vec![["id".into()].into()]],
                id: Some(OpaqueKey {
                    name: "nodeId".into(),
                    prefix: "products".into(),
                    codec: Codec::Base64JsonArray,
                }),
            },
            RepresentedKey {
                kinds: vec![RepresentedValue::Text; 2],
                said: vec![
                    vec![["sku".into()].into(), ["country".into()].into()],
                    vec![["sku".into()].into(), ["sold".into(), "country".into()].into()],
                ],
                id: None,
            },
        ];
        Arc::new(Represented { typename: "Product".into(), first: 3, keys })
    }

    fn list() -> Operand {
        Operand::Variable { slot: Slot(0), path: Vec::new() }
    }

    /// The key by which each is found, or why none does.
    fn check(representations: Json, expect: &[Result<u16, &str>]) {
        let slots = [Some(representations)];
        let sorted = sort(&list(), &[product()], Variables::of(&slots));
        let found = sorted.elements.iter().map(|element| match element {
            Element::Of { key } => Ok(*key),
            Element::Refused(message) => Err(&**message),
        });
        assert_eq!(found.collect::<Vec<_>>(), expect);
    }

    #[test]
    fn a_representation_is_found_by_the_first_key_of_which_it_has_all_fields() {
        check(
            json!([
                { "__typename": "Product", "id": 1, "sku": "a", "country": "DE" },
                { "__typename": "Product", "id": null, "sku": "a", "country": "DE" },
                { "__typename": "Product", "nodeId": "WyJwcm9kdWN0cyIsN10=" },
                { "__typename": "Product", "id": "12" },
                { "__typename": "Product", "sku": "a", "sold": { "country": "DE" } },
            ]),
            &[Ok(3), Ok(4), Ok(3), Ok(3), Ok(4)],
        );
        check(json!({ "__typename": "Product", "id": 1 }), &[Ok(3)]);
    }

    #[test]
    fn what_is_no_representation_says_why() {
        let no_id = Err("This is no value of `id` of `Product`.");
        let no_node_id = Err("This is no value of `nodeId` of `Product`.");
        let no_key = Err("A representation of `Product` has all fields of a key: `id` or \
                          `nodeId` or `sku country` or `sku sold { country }`.");
        let no_object = Err("A representation is an object with its type's name as `__typename`.");
        check(
            json!([
                { "__typename": "Product", "id": 2_147_483_648_i64 },
                { "__typename": "Product", "id": "1 or 1" },
                { "__typename": "Product", "id": { "id": 1 } },
                { "__typename": "Product", "nodeId": "WyJ1c2VycyIsN10=" },
                { "__typename": "Product", "nodeId": "WyJwcm9kdWN0cyIsNyw4XQ==" },
                { "__typename": "Product", "nodeId": 7 },
                { "__typename": "Product", "sku": "a", "sold": { "country": null } },
                { "__typename": "Product" },
                { "__typename": "User", "id": 1 },
                { "__typename": 1, "id": 1 },
                { "id": 1 },
                7,
            ]),
            &[
                no_id,
                no_id,
                no_id,
                no_node_id,
                no_node_id,
                no_node_id,
                no_key,
                no_key,
                Err("Nothing is found by representations of `User` here."),
                no_object,
                no_object,
                no_object,
            ],
        );
    }

    #[test]
    fn the_values_of_a_field_are_those_of_the_representations_that_its_key_finds() {
        let slots = [Some(json!([
            { "__typename": "Product", "sku": "a", "country": "DE" },
            { "__typename": "User", "id": 5 },
            { "__typename": "Product", "nodeId": "WyJwcm9kdWN0cyIsN10=" },
            { "__typename": "Product", "id": "x" },
            { "__typename": "Product", "id": 8 },
            { "__typename": "Product", "sku": 12, "country": "FR" },
        ]))];
        let resolved = |key, field| {
            let (list, of) = (Box::new(list()), product());
            let own = Representations { list, of, key, field };
            format!("{:?}", values(&own, Variables::of(&slots)))
        };
        let integers = vec![Resolved::Integer(7), Resolved::Integer(8)];
        assert_eq!(resolved(0, 0), format!("{:?}", Resolved::List(integers)));
        let texts = |texts: [&'static str; 2]| {
            Resolved::List(texts.into_iter().map(|text| Resolved::Text(text.into())).collect())
        };
        assert_eq!(resolved(1, 0), format!("{:?}", texts(["a", "12"])));
        assert_eq!(resolved(1, 1), format!("{:?}", texts(["DE", "FR"])));
    }
}
