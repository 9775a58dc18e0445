//! Federation representations: which key finds which of them.
//!
//! The statement depends neither on the number of representations nor on their values, so they are
//! sorted when values are bound: into a list of values for each field of each key, and for each
//! required field. Invalid representations are found here, before the statement is sent: one value
//! that the source refuses would fail the rows of all others.

mod checked;

use std::borrow::Cow;

use ir::{
    FieldPath, OpaqueKey, Operand, Representations, Represented, RepresentedKey, RepresentedPart,
};
use response::{Element, Sorted};

use super::given::Given;
use super::{Resolved, Variables};
use checked::{checked, checked_value};

/// The names of the type in a representation.
const TYPENAME: &str = "__typename";

/// The matching key of a representation, with its values.
#[derive(Debug)]
struct Found<'v> {
    /// The place of the key that finds it among those of the type.
    key: usize,
    /// The values of the key.
    values: Vec<Resolved<'v>>,
    /// Values of required fields.
    inputs: Vec<Resolved<'v>>,
}

/// The values of one field of the representations that a key finds.
pub(super) fn values<'v>(
    representations: &'v Representations,
    variables: Variables<'v>,
) -> Resolved<'v> {
    let Representations { list, of, key, part } = representations;
    let key = usize::from(*key);
    let elements = elements(list, variables).into_iter();
    let own =
        elements.filter(|element| typename(*element).is_some_and(|name| *name == *of.typename));
    let found = own.filter_map(|element| find(of, element).ok());
    let found = found.filter(|found| found.key == key);
    let value = |found: Found<'v>| match part {
        RepresentedPart::Key(field) => found.values.into_iter().nth(usize::from(*field)),
        RepresentedPart::Input(input) => found.inputs.into_iter().nth(usize::from(*input)),
    };
    Resolved::List(found.filter_map(value).collect())
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
        // A single value is coerced to a list of one.
        None => vec![list],
    }
}

fn typename(element: Given<'_>) -> Option<Cow<'_, str>> {
    match element.member(TYPENAME)?.plain().ok()? {
        Resolved::Text(name) => Some(name),
        _ => None,
    }
}

/// The first key of which a representation has all fields, or an error.
fn find<'v>(of: &'v Represented, element: Given<'v>) -> Result<Found<'v>, String> {
    for (place, key) in of.keys.iter().enumerate() {
        if let Some(values) = by_names(of, key, element).or_else(|| by_id(of, key, element)) {
            return Ok(Found { key: place, values: values?, inputs: inputs(of, element)? });
        }
    }
    let mut keys = String::new();
    for key in &of.keys {
        let said = key.paths.iter().map(|said| ir::print_field_set(said));
        for name in said.chain(key.id.as_ref().map(|id| id.name.to_string())) {
            keys.push_str(if keys.is_empty() { "`" } else { " or `" });
            keys.push_str(&name);
            keys.push('`');
        }
    }
    Err(format!("A representation of `{}` has all fields of a key: {keys}.", of.typename))
}

/// The values of a key's fields, by the first complete set of names; `None` if none is complete.
fn by_names<'v>(
    of: &Represented,
    key: &'v RepresentedKey,
    element: Given<'v>,
) -> Option<Result<Vec<Resolved<'v>>, String>> {
    key.paths.iter().find_map(|said| {
        let given: Vec<_> = said.iter().map(|path| follow(element, path)).collect::<Option<_>>()?;
        let values = given.into_iter().zip(said).zip(&key.kinds).map(|((given, path), kind)| {
            checked(*kind, given).ok_or_else(|| no_value(&path.join("."), of))
        });
        Some(values.collect())
    })
}

/// Values of the required fields of a representation; null where one is absent.
fn inputs<'v>(of: &'v Represented, element: Given<'v>) -> Result<Vec<Resolved<'v>>, String> {
    let values = of.inputs.iter().map(|input| {
        match element.member(&input.name).filter(|given| !given.is_null()) {
            None => Ok(Resolved::Null),
            Some(given) => checked(input.kind, given).ok_or_else(|| no_value(&input.name, of)),
        }
    });
    values.collect()
}

/// The value at a path of names, if it exists.
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
    let values = parts.drain(..).zip(&key.kinds).map(|(value, kind)| checked_value(*kind, value));
    values.collect()
}

fn no_value(name: &str, of: &Represented) -> String {
    format!("This is no value of `{name}` of `{}`.", of.typename)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ir::{
        Codec, OpaqueKey, Operand, Representations, Represented, RepresentedInput, RepresentedKey,
        RepresentedPart, RepresentedValue, Slot,
    };
    use response::Element;
    use serde_json_bytes::{Value as Json, json};

    use super::{Variables, sort, values};
    use crate::operand::Resolved;

    fn product() -> Arc<Represented> {
        let keys = vec![
            RepresentedKey {
                kinds: vec![RepresentedValue::Integer { bits: 32 }],
                paths: vec![vec![["id".into()].into()]],
                id: Some(OpaqueKey {
                    name: "nodeId".into(),
                    prefix: "products".into(),
                    codec: Codec::Base64JsonArray,
                }),
            },
            RepresentedKey {
                kinds: vec![RepresentedValue::Text; 2],
                paths: vec![
                    vec![["sku".into()].into(), ["country".into()].into()],
                    vec![["sku".into()].into(), ["sold".into(), "country".into()].into()],
                ],
                id: None,
            },
        ];
        let input = |name: &str, kind| RepresentedInput { name: name.into(), kind };
        let inputs = vec![
            input("weight", RepresentedValue::Float { bits: 64 }),
            input("box", RepresentedValue::Json),
        ];
        Arc::new(Represented { typename: "Product".into(), first: 3, keys, inputs })
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
                { "__typename": "Product", "id": 1, "weight": "heavy" },
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
                Err("This is no value of `weight` of `Product`."),
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
            { "__typename": "Product", "id": 8, "weight": 1e3, "box": { "a": ["b"] } },
            { "__typename": "Product", "sku": 12, "country": "FR" },
        ]))];
        let resolved = |key, part| {
            let (list, of) = (Box::new(list()), product());
            let own = Representations { list, of, key, part };
            format!("{:?}", values(&own, Variables::of(&slots)))
        };
        let (first, second) = (RepresentedPart::Key(0), RepresentedPart::Key(1));
        let integers = vec![Resolved::Integer(7), Resolved::Integer(8)];
        assert_eq!(resolved(0, first), format!("{:?}", Resolved::List(integers)));
        let texts = |texts: [&'static str; 2]| {
            Resolved::List(texts.into_iter().map(|text| Resolved::Text(text.into())).collect())
        };
        assert_eq!(resolved(1, first), format!("{:?}", texts(["a", "12"])));
        assert_eq!(resolved(1, second), format!("{:?}", texts(["DE", "FR"])));
        // Absent values are null, so that all lists of a key have one length.
        let told = |value| format!("{:?}", Resolved::List(vec![Resolved::Null, value]));
        let weight = resolved(0, RepresentedPart::Input(0));
        assert_eq!(weight, told(Resolved::Number("1000".into())));
        let r#box = resolved(0, RepresentedPart::Input(1));
        assert_eq!(r#box, told(Resolved::Json("{\"a\":[\"b\"]}".into())));
    }
}
