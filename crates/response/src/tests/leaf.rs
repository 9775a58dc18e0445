//! A leaf writes JSON or returns an error, for any bytes.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use response::{EnumNames, GraphLeaf, JsonForm, Leaf, Member, Part, Value};
use serde::de::IgnoredAny;

/// A value that owns its bytes.
#[derive(Clone, Debug)]
enum Stored {
    Integer(i64),
    Real(f64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
    Packed(Vec<u8>),
}

impl Stored {
    fn value(&self) -> Value<'_> {
        match self {
            Stored::Integer(integer) => Value::Integer(*integer),
            Stored::Real(real) => Value::Real(*real),
            Stored::Text(text) => Value::Text(text),
            Stored::Blob(blob) => Value::Blob(blob),
            Stored::Packed(packed) => Value::Packed(packed),
        }
    }
}

fn member(name: &str, part: Part, leaf: Leaf) -> Member {
    Member { key: format!("\"{name}\":").into_bytes().into(), part, leaf, nullable: true }
}

fn range(element: Leaf) -> Leaf {
    let bound = Leaf::Bound(Box::new([
        member("value", Part::Value, element),
        member("inclusive", Part::Inclusive, Leaf::Boolean),
    ]));
    Leaf::Range(Box::new([
        member("start", Part::Start, bound.clone()),
        member("end", Part::End, bound),
    ]))
}

/// Every leaf, and some within others.
fn leaves() -> Vec<Leaf> {
    let names = [("sad", "SAD"), ("", "_EMPTY_")].map(|(label, name)| (label.into(), name.into()));
    let composite = Leaf::Composite(Box::new([
        member("text", Part::Attribute(1), Leaf::Text),
        member("list", Part::Attribute(0), Leaf::List(Box::new(Leaf::Json(JsonForm::Text)))),
        member("name", Part::Typename, Leaf::Literal(b"\"Name\"".as_slice().into())),
    ]));
    let parts = [Part::Seconds, Part::Minutes, Part::Hours, Part::Days, Part::Months, Part::Years];
    let parts = parts.map(|part| member(&format!("{part:?}"), part, Leaf::Float));
    vec![
        Leaf::Int,
        Leaf::BigInt,
        Leaf::Float,
        Leaf::Decimal { scale: None },
        Leaf::Decimal { scale: Some(0) },
        Leaf::Decimal { scale: Some(2) },
        Leaf::Number { scale: None },
        Leaf::Number { scale: Some(3) },
        Leaf::Boolean,
        Leaf::Text,
        Leaf::Uuid,
        Leaf::Bytes,
        Leaf::Date,
        Leaf::Time,
        Leaf::TimeWithZone,
        Leaf::Timestamp,
        Leaf::TimestampWithZone,
        Leaf::Enum(Arc::new(EnumNames::new(names))),
        Leaf::Json(JsonForm::Text),
        Leaf::Json(JsonForm::Embedded),
        Leaf::KeyValue,
        Leaf::Any,
        Leaf::List(Box::new(Leaf::Text)),
        Leaf::List(Box::new(composite.clone())),
        Leaf::List(Box::new(range(Leaf::TimestampWithZone))),
        composite,
        range(Leaf::Any),
        range(Leaf::Decimal { scale: None }),
        Leaf::Bound(Box::new([])),
        Leaf::Interval(Box::new(parts)),
        Leaf::Point(Box::new([
            member("x", Part::X, Leaf::Float),
            member("y", Part::Y, Leaf::Float),
        ])),
        Leaf::Literal(b"1".as_slice().into()),
        Leaf::Graph(GraphLeaf::String),
        Leaf::Graph(GraphLeaf::Id),
        Leaf::Graph(GraphLeaf::Int),
        Leaf::Graph(GraphLeaf::BigInt),
        Leaf::Graph(GraphLeaf::Float),
        Leaf::Graph(GraphLeaf::Boolean),
        Leaf::Graph(GraphLeaf::Date),
        Leaf::Graph(GraphLeaf::LocalTime),
        Leaf::Graph(GraphLeaf::Time),
        Leaf::Graph(GraphLeaf::LocalDateTime),
        Leaf::Graph(GraphLeaf::DateTime),
        Leaf::Graph(GraphLeaf::Duration),
        Leaf::List(Box::new(Leaf::Graph(GraphLeaf::DateTime))),
    ]
}

/// Texts that pass the first check of some leaf.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "{", "}", "[", "]", "(", ")", "\"", "\\", ",", ":", "=>", "NULL", "null", "true", "\\u",
        "\\ud83d", "d800", "\\n", "-", "+", ".", "e", "0", "1", "9", "99", "2020", "-01", "-12-31",
        " ", "T", "Z", "12:00", ":59", ".5", "+05:30", " BC", "infinity", "empty", "NaN", "year",
        "mons", "day", "\\x", "ab", "sad", "é", "😀", "\u{1}",
    ];
    let word = prop_oneof![
        8 => proptest::sample::select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..3),
    ];
    vec(word, 0..14).prop_map(|words| words.concat())
}

/// Bytes that look like values in PackStream's form.
fn packed() -> impl Strategy<Value = Vec<u8>> {
    let tags = b"DtTdIiFfEXYNRP".to_vec();
    let value = prop_oneof![
        1 => Just(vec![0xc0]),
        1 => Just(vec![0xc3]),
        4 => any::<i64>().prop_map(|number| [&[0xcb], &number.to_be_bytes()[..]].concat()),
        4 => any::<i32>().prop_map(|number| [&[0xca], &number.to_be_bytes()[..]].concat()),
        2 => any::<f64>().prop_map(|number| [&[0xc1], &number.to_be_bytes()[..]].concat()),
        2 => "[a-z]{0,9}".prop_map(|text| [&[0x80 + text.len() as u8], text.as_bytes()].concat()),
        1 => (0x90..0xb0_u8).prop_map(|head| vec![head]),
        6 => (0xb0..0xb5_u8, proptest::sample::select(tags)).prop_map(|(head, tag)| vec![head, tag]),
        1 => vec(any::<u8>(), 0..3),
    ];
    vec(value, 0..8).prop_map(|values| values.concat())
}

fn stored() -> impl Strategy<Value = Stored> {
    prop_oneof![
        1 => any::<i64>().prop_map(Stored::Integer),
        1 => any::<f64>().prop_map(Stored::Real),
        1 => prop_oneof![Just(0.0), Just(-0.0), Just(f64::NAN), Just(f64::INFINITY)]
            .prop_map(Stored::Real),
        4 => vec(any::<u8>(), 0..40).prop_map(Stored::Text),
        12 => text().prop_map(Stored::Text),
        4 => "[0-9:. +TZ-]{0,28}".prop_map(|text| Stored::Text(text.into_bytes())),
        4 => "[0-9]{4}-[01][0-9]-[0-3][0-9][ T][0-2][0-9]:[0-5][0-9](:[0-5][0-9](.[0-9]{0,8})?)?(Z|[+-]1[0-9])?"
            .prop_map(|text| Stored::Text(text.into_bytes())),
        1 => vec(any::<u8>(), 0..20).prop_map(Stored::Blob),
        12 => packed().prop_map(Stored::Packed),
    ]
}

/// Any JSON; numbers are compared as their text elsewhere.
fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        ".{0,8}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::btree_map(".{0,4}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_leaf_writes_json_or_refuses(stored in stored()) {
        for leaf in leaves() {
            let mut out = Vec::new();
            match leaf.write(stored.value(), &mut out) {
                Ok(()) => {
                    assert!(str::from_utf8(&out).is_ok(), "{leaf:?}");
                    let parsed = serde_json::from_slice::<IgnoredAny>(&out);
                    assert!(parsed.is_ok(), "{leaf:?}: {}", String::from_utf8_lossy(&out));
                }
                Err(error) => assert!(error.value.chars().count() < 400, "{error}"),
            }
        }
    }

    #[test]
    fn json_means_the_same_after_it_is_written(json in json()) {
        let text = serde_json::to_string_pretty(&json).unwrap();
        let mut embedded = Vec::new();
        Leaf::Json(JsonForm::Embedded).write(Value::Text(text.as_bytes()), &mut embedded).unwrap();
        assert_eq!(String::from_utf8(embedded).unwrap(), serde_json::to_string(&json).unwrap());
        let mut encoded = Vec::new();
        Leaf::Json(JsonForm::Text).write(Value::Text(text.as_bytes()), &mut encoded).unwrap();
        if !json.is_null() {
            let inside: String = serde_json::from_slice(&encoded).unwrap();
            assert_eq!(inside, serde_json::to_string(&json).unwrap());
        }
    }

    #[test]
    fn a_float_is_read_back_as_the_same_number(number in any::<f64>()) {
        let mut out = Vec::new();
        if number.is_finite() {
            Leaf::Float.write(Value::Real(number), &mut out).unwrap();
            assert_eq!(str::from_utf8(&out).unwrap().parse::<f64>().unwrap(), number);
            let mut again = Vec::new();
            Leaf::Float.write(Value::Text(&out), &mut again).unwrap();
            assert_eq!(out, again);
            let mut decimal = Vec::new();
            Leaf::Number { scale: None }.write(Value::Real(number), &mut decimal).unwrap();
            let decimal = String::from_utf8(decimal).unwrap();
            assert_eq!(decimal.parse::<f64>().unwrap(), number);
            assert!(!decimal.contains('e'));
        }
    }

    #[test]
    fn a_decimal_is_rounded_as_exact_arithmetic_does(hundredths in any::<i32>(), rest in 0_i64..1000) {
        // The digits of a number with five places, cut to two by integers alone.
        let all = i64::from(hundredths) * 1000 + if hundredths < 0 { -rest } else { rest };
        let sign = if all < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:05}", all.abs() / 100_000, all.abs() % 100_000);
        let rounded = (all.abs() + 500) / 1000;
        let sign = if rounded == 0 { "" } else { sign };
        let expect = format!("\"{sign}{}.{:02}\"", rounded / 100, rounded % 100);
        let mut out = Vec::new();
        Leaf::Decimal { scale: Some(2) }.write(Value::Text(text.as_bytes()), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expect);
    }
}
