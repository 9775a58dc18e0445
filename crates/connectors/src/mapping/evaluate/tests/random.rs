//! Random texts, and random mappings of the grammar over random values: nothing panics, and what is made
//! of a response has the shape that the mapping says.

use proptest::prelude::*;
use serde_json::Value;

use crate::mapping::shape::Scalar;
use crate::mapping::{Limits, Mapping, Method, Shape};
use crate::template::Template;
use crate::url::UrlTemplate;
use crate::variables::{Variable, Variables};
use crate::version::Version;

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-c]{0,3}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The text of an expression of version 0.3 or 0.4.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("$".to_owned()),
        Just("@".to_owned()),
        "\\$args(\\.[a-c]){0,2}",
        "[a-c](\\.[a-c]){0,2}\\??",
        "-?[0-9]{1,3}(\\.[0-9])?",
        "'[a-c ]{0,3}'",
        Just("true".to_owned()),
        Just("null".to_owned()),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        let method = proptest::sample::select(Method::ALL);
        let call = (inner.clone(), method, proptest::collection::vec(inner.clone(), 3)).prop_map(
            |(on, method, arguments)| {
                let count = *method.arguments().start();
                let arguments: Vec<_> = match method {
                    Method::Match => vec![format!("[{}, {}]", arguments[0], arguments[1])],
                    _ => arguments.into_iter().take(count).collect(),
                };
                format!("$({on})->{}({})", method.name(), arguments.join(", "))
            },
        );
        prop_oneof![
            call,
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("$({one} ?? {other})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("[{one}, {other}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ a: {a}, b: {b} }}")),
            (inner.clone(), inner.clone())
                .prop_map(|(on, a)| format!("$({on}) {{ a: $({a}) b c }}")),
            (inner.clone(), inner).prop_map(|(on, a)| format!("$({on}) {{ a: $({a}) ...b }}")),
        ]
    })
}

/// Whether a value is one of a shape. Lists are as deep as the response has them, and what is missing is
/// null or left out.
fn fits(value: &Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::Any, _) | (_, Value::Null) => true,
        (Shape::OneOf(shapes), value) => shapes.iter().any(|shape| fits(value, shape)),
        (Shape::List(items), Value::Array(values)) => values.iter().all(|value| fits(value, items)),
        // A method of lists leaves other values as they are.
        (Shape::List(items), value) => fits(value, items),
        (shape, Value::Array(values)) => values.iter().all(|value| fits(value, shape)),
        (Shape::Literal(literal), value) => literal == value,
        (Shape::Scalar(Scalar::Boolean), value) => value.is_boolean(),
        (Shape::Scalar(Scalar::Number), value) => value.is_number(),
        (Shape::Scalar(Scalar::String), value) => value.is_string(),
        (Shape::Object(members), Value::Object(values)) => values.iter().all(|(name, value)| {
            let member = members.iter().find(|member| *member.name == **name);
            member.is_some_and(|member| fits(value, &member.shape))
        }),
        (Shape::Object(_), _) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn texts_are_mappings_or_errors(text in "[a-c$@.?>{}()\\[\\]:,'\"# \n0-9!\\\\é-]{0,40}") {
        for version in Version::ALL {
            if let Err(errors) = Mapping::parse(&text, version) {
                prop_assert!(!errors.is_empty());
            }
            let _ = Template::parse(&text, version);
            let _ = UrlTemplate::parse(&text, version);
        }
    }

    #[test]
    fn any_text_is_a_mapping_or_an_error(text in "\\PC{0,30}") {
        let _ = Mapping::parse(&text, Version::V0_4);
        let _ = UrlTemplate::parse(&text, Version::V0_4);
    }

    #[test]
    fn values_have_the_shape_of_their_mapping(text in expression(), response in value(), args in value()) {
        let limits = Limits { steps: 100_000, bytes: 1_000_000 };
        let variables = Variables::new().with(Variable::Args, &args);
        for version in [Version::V0_3, Version::V0_4] {
            let mapping = Mapping::parse(&format!("$({text})"), version);
            // `...` is of version 0.4.
            let Ok(mapping) = mapping else { continue };
            let _ = mapping.inputs();
            let Ok(outcome) = mapping.evaluate(&response, &variables, &limits) else { continue };
            let shape = mapping.shape();
            if let Some(value) = outcome.value {
                prop_assert!(fits(&value, &shape), "{text}: {value} is no {shape:?}");
            }
        }
    }

    #[test]
    fn nesting_is_limited(depth in 1_usize..2000, open in "[(\\[{]") {
        let before = match open.as_str() { "(" => "$(", "[" => "$([", _ => "$({a:" };
        let text = before.repeat(depth);
        prop_assert!(Mapping::parse(&text, Version::V0_3).is_err());
        let _ = Mapping::parse(&"a{".repeat(depth), Version::V0_4);
        let _ = Mapping::parse(&"[".repeat(depth), Version::V0_4);
        let _ = Mapping::parse(&"a: {".repeat(depth), Version::V0_1);
        let _ = Mapping::parse(&format!("$.a{}", "->echo(@".repeat(depth)), Version::V0_1);
    }
}
