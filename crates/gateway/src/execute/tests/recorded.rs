//! Recorded responses of sources in this process are equivalent to JSON responses.

use response::{NodeId, ShapeField, Token, TokenKind};
use serde_json_bytes::serde_json::{self, Map, Value};

use super::*;

/// Form of lists and objects among the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Each of their values is a token.
    Apart,
    /// One text, as in an array or JSON column.
    Within,
}

/// Recorder of tokens, with the fields of the objects.
#[derive(Debug, Default)]
struct Recorder {
    shape: Shape,
    data: Recorded,
}

impl Recorder {
    fn push(&mut self, field: u32, kind: TokenKind) {
        self.data.tokens.push(Token { field, kind });
    }

    /// Recursion is bounded by the depth of the value.
    fn value(&mut self, field: u32, value: &Value, form: Form) {
        match (value, form) {
            (Value::Null, _) => self.push(field, TokenKind::Null),
            (Value::Object(members), Form::Apart) => self.object(field, members, form),
            (Value::Array(elements), Form::Apart) => {
                self.push(field, TokenKind::List);
                for element in elements {
                    self.value(field, element, form);
                }
                self.push(field, TokenKind::End);
            }
            (leaf, _) => {
                let text = leaf.to_string().into_bytes();
                let start = self.data.texts.len();
                self.data.texts.extend_from_slice(&text);
                let end = self.data.texts.len();
                let narrow = |at: usize| u32::try_from(at).unwrap();
                let (start, end) = (narrow(start), narrow(end));
                self.push(field, TokenKind::Leaf { first: text[0], start, end });
            }
        }
    }

    fn object(&mut self, field: u32, members: &Map<String, Value>, form: Form) {
        self.push(field, TokenKind::Object);
        for (name, value) in members {
            let known = self.shape.fields.iter().position(|field| *field.name == **name);
            let known = known.unwrap_or_else(|| {
                self.shape.add_fields([ShapeField::new(name, NodeId(0), true)]);
                self.shape.fields.len() - 1
            });
            let known = u32::try_from(known).unwrap();
            match value {
                // Entities are always separate tokens: no column contains them.
                Value::Array(entities) if name.starts_with("_entities") => {
                    self.push(known, TokenKind::List);
                    for entity in entities {
                        match entity {
                            Value::Object(members) => self.object(known, members, form),
                            other => self.value(known, other, form),
                        }
                    }
                    self.push(known, TokenKind::End);
                }
                value => self.value(known, value, form),
            }
        }
        self.push(field, TokenKind::End);
    }
}

/// Converts a JSON response to recorded tokens; other responses stay as they are.
fn recorded(bytes: &[u8], form: Form) -> FetchResponse {
    let json = || Bytes::copy_from_slice(bytes).into();
    let Ok(answer) = serde_json::from_slice::<Value>(bytes) else { return json() };
    let mut recorder = Recorder::default();
    match answer.get("data") {
        Some(Value::Object(data)) => recorder.object(0, data, form),
        Some(Value::Null) => recorder.push(0, TokenKind::Null),
        Some(_) | None => return json(),
    }
    let errors = answer.get("errors").map(|errors| errors.to_string().into());
    let Recorder { shape, data } = recorder;
    let recording = RecordedResponse { shape: shape.into(), data, errors };
    let body = ResponseBody::Recorded(Box::new(recording));
    FetchResponse::new(body, MemoryReservation::default())
}

pub(super) fn apart(bytes: &[u8]) -> FetchResponse {
    recorded(bytes, Form::Apart)
}

pub(super) fn embedded_json(bytes: &[u8]) -> FetchResponse {
    recorded(bytes, Form::Within)
}

/// A response has the same result and errors in all forms.
#[track_caller]
fn check(text: &str, answers: &[(&str, &str)], expected: &Expect) {
    let planned = planned(text, "{}").unwrap();
    let answers: Vec<_> = answers.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let (json, _) = run_bytes(&planned, &answers, Options::default());
    expected.assert_eq(&json);
    assert_eq!(run_given(&planned, &answers, Options::default(), apart).0, json);
    assert_eq!(run_given(&planned, &answers, Options::default(), embedded_json).0, json);
}

const WORKS: &str = r#"{"data":{"works":[{"__typename":"Book","title":"A","isbn":"1"},
    {"__typename":"Film","title":"B"},{"__typename":"Book","title":"C","isbn":"2"},{"__typename":"Book","title":"D","isbn":"1"}]}}"#;

#[test]
fn values_on_a_tape_come_to_their_places() {
    check(
        "{ works { title ... on Book { price } } }",
        &[("shop", WORKS), ("stock", r#"{"data":{"_entities":[{"price":1.5},{"price":2}]}}"#)],
        &expect![[
            r#"{"works":[{"title":"A","price":1.5},{"title":"B"},{"title":"C","price":2},{"title":"D","price":1.5}]}"#
        ]],
    );
}

#[test]
fn errors_beside_a_tape_are_told_where_they_stand() {
    check(
        "{ works { title ... on Book { price } } }",
        &[
            ("shop", WORKS),
            (
                "stock",
                r#"{"data":{"_entities":[null,{"price":2}]},"errors":[{"message":"gone","path":["_entities",0]}]}"#,
            ),
        ],
        &expect![[r#"
            {"works":[{"title":"A","price":null},{"title":"B"},{"title":"C","price":2},{"title":"D","price":null}]}
            .works[0].price: stock says gone
            .works[3].price: stock says gone"#]],
    );
}

#[test]
fn data_that_is_null_has_its_errors() {
    check(
        "{ works { title } }",
        &[("shop", r#"{"data":null,"errors":[{"message":"closed"}]}"#)],
        &expect![[r#"
            {"works":null}
            .works: shop says closed"#]],
    );
}

#[test]
fn what_is_wrong_within_one_text_is_told_where_the_text_stands() {
    let planned = planned("{ works { ... on Book { comments { text } } } }", "{}").unwrap();
    let talk = r#"{"data":{"_entities":[{"comments":[{"text":"a"},{"text":5},{"text":6}]},{"comments":[{"text":"b"}]}]}}"#;
    let answers = [("shop", WORKS.as_bytes()), ("talk", talk.as_bytes())];
    let (printed, _) = run_given(&planned, &answers, Options::default(), embedded_json);
    expect![[r#"
        {"works":[{"comments":null},{},{"comments":[{"text":"b"}]},{"comments":null}]}
        .works[0].comments[1].text: text is not of its type
        .works[3].comments[1].text: text is not of its type"#]]
    .assert_eq(&printed);
}
