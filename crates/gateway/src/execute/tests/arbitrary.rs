//! Arbitrary subgraph responses: the gateway's response is always JSON, and valid parts equal the
//! result of a simple reference implementation.

use proptest::prelude::*;
use serde_json_bytes::serde_json::{self, Value, json};

use super::*;

/// One subgraph resolves all of it.
const TEXT: &str = "{ again: works { __typename title }
    works { __typename title ... on Book { isbn pages size { height width } } ... on Film { minutes id } } }";

thread_local! {
    static WORKS: Planned = planned(TEXT, "{}").unwrap();
    static PRICES: Planned =
        planned("{ works { title ... on Book { price stars } } }", "{}").unwrap();
}

/// A value that may or may not have a type.
fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[\"\\\\\u{0}-\u{20}aä€😀]{0,20}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({"a": [{}]})),
    ]
}

fn size() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..9, leaf(), leaf()).prop_map(|(height, width, other)| json!({"height": height, "other": other, "width": width})),
        1 => leaf(),
    ]
}

fn work() -> impl Strategy<Value = Value> {
    let text = || any::<String>();
    prop_oneof![
        4 => (text(), leaf(), leaf(), size()).prop_map(|(title, isbn, pages, size)|
            json!({"__typename": "Book", "title": title, "isbn": isbn, "pages": pages, "size": size})),
        4 => (text(), leaf(), leaf()).prop_map(|(title, minutes, id)|
            json!({"title": title, "__typename": "Film", "id": id, "minutes": minutes, "isbn": 3})),
        1 => (leaf(), leaf()).prop_map(|(title, kind)| json!({"__typename": kind, "title": title})),
        1 => leaf(),
    ]
}

fn works() -> impl Strategy<Value = Value> {
    prop_oneof![9 => prop::collection::vec(work(), 0..4).prop_map(Value::from), 1 => leaf()]
}

/// A value completed by the specification; `None` is a null in a non-null place.
type Completed = Option<Value>;

fn nullable(value: Completed) -> Completed {
    Some(value.unwrap_or(Value::Null))
}

fn int(value: &Value) -> Completed {
    value.as_i64().filter(|value| i32::try_from(*value).is_ok()).map(Value::from)
}

fn id(value: &Value) -> Completed {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            Some(number.to_string().into())
        }
        _ => None,
    }
}

fn string(value: &Value) -> Completed {
    value.is_string().then(|| value.clone())
}

fn size_of(value: &Value) -> Completed {
    let size = value.as_object()?;
    let height = int(size.get("height")?)?;
    Some(json!({"height": height, "width": nullable(size.get("width").and_then(int))?}))
}

fn work_of(value: &Value, is_short: bool) -> Completed {
    let work = value.as_object()?;
    let kind = work.get("__typename")?.as_str()?;
    let title = string(work.get("title")?)?;
    let field = |name: &str, read: fn(&Value) -> Completed| work.get(name).and_then(read);
    match kind {
        _ if is_short => {
            matches!(kind, "Book" | "Film").then(|| json!({"__typename": kind, "title": title}))
        }
        "Book" => {
            let isbn = field("isbn", id)?;
            let pages = nullable(field("pages", int))?;
            let size = nullable(field("size", size_of))?;
            Some(
                json!({"__typename": "Book", "title": title, "isbn": isbn, "pages": pages, "size": size}),
            )
        }
        "Film" => {
            let minutes = nullable(field("minutes", int))?;
            let id = field("id", id)?;
            Some(json!({"__typename": "Film", "title": title, "minutes": minutes, "id": id}))
        }
        _ => None,
    }
}

fn works_of(value: &Value, is_short: bool) -> Value {
    let all = value.as_array().and_then(|works| {
        works.iter().map(|work| work_of(work, is_short)).collect::<Option<Vec<Value>>>()
    });
    all.map_or(Value::Null, Value::from)
}

/// A text with some bytes changed.
fn changed(text: &str, changes: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (place, how, byte) in changes {
        if bytes.is_empty() {
            break;
        }
        let place = place.index(bytes.len());
        match how % 4 {
            0 => bytes[place] = *byte,
            1 => bytes.insert(place, *byte),
            2 => drop(bytes.remove(place)),
            _ => bytes.truncate(place + 1),
        }
    }
    bytes
}

const ENTITIES: &str = r#"{"data":{"_entities":[{"price":1.5e1,"stars":3},{"price":-0.25,"stars":null}]},
    "errors":[{"message":"\u00e4","path":["_entities",1,"stars"],"extensions":{"code":"A"}}]}"#;

fn interesting() -> impl Strategy<Value = u8> {
    prop_oneof![3 => prop::sample::select(&b"\"\\{}[],:0e-.ntfu \n\x00\xc3\xff"[..]), 1 => any::<u8>()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn what_is_right_is_what_a_simple_reading_says(again in works(), works in works()) {
        let answer = json!({"data": {"works": again, "_1_works": works}}).to_string();
        let (printed, _) = WORKS.with(|planned| {
            run_bytes(planned, &[("shop", answer.as_bytes())], Options::default())
        });
        let data: Value = serde_json::from_str(printed.lines().next().unwrap()).unwrap();
        let expected = json!({"again": works_of(&again, true), "works": works_of(&works, false)});
        prop_assert_eq!(data, expected);
        // A source in this process gives the same data and the same errors.
        let given = |give: fn(&[u8]) -> FetchResponse| WORKS.with(|planned| {
            run_given(planned, &[("shop", answer.as_bytes())], Options::default(), give).0
        });
        prop_assert_eq!(given(recorded::apart), &*printed);
        // Where many values are one text, its error is reported once.
        let embedded_json = given(recorded::embedded_json);
        prop_assert_eq!(embedded_json.lines().next(), printed.lines().next());
    }

    #[test]
    fn whatever_is_sent_the_answer_is_json(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), interesting()), 1..4)
    ) {
        let answer = changed(ENTITIES, &changes);
        let answers = [("shop", BOOKS.as_bytes()), ("stock", &*answer), ("talk", &*answer)];
        let (printed, _) =
            PRICES.with(|planned| run_bytes(planned, &answers, Options::default()));
        let mut lines = printed.lines();
        let data: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
        prop_assert_eq!(&data["works"][1]["title"], "B");
        prop_assert!(lines.clone().count() <= 101);
        if serde_json::from_slice::<Value>(&answer).is_err() {
            prop_assert!(lines.next().is_some(), "{printed}");
        }
    }
}
