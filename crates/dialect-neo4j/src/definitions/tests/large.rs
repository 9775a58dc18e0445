//! Large and hostile texts.

use std::fmt::Write as _;

use super::*;

/// So many types, each with a relationship to the next one.
fn many(types: usize) -> String {
    let mut text = String::new();
    for place in 0..types {
        let next = (place + 1) % types;
        writeln!(
            text,
            "type T{place} implements I @node {{\n  id: ID! @id\n  name: String! @alias(property: \"n\")\n  \
             at: [DateTime!]\n  next: [T{next}!]! @relationship(type: \"NEXT\", direction: OUT)\n}}"
        )
        .expect("texts take everything");
    }
    text.push_str("interface I { id: ID! }");
    text
}

#[test]
fn three_thousand_types_are_all_read() {
    // Work that grew with the square of the types would keep whoever runs the tests waiting.
    let model = v7(&many(3_000));
    assert_eq!((model.nodes.len(), model.interfaces[0].implementations.len()), (3_000, 3_000));
}

#[test]
fn of_many_problems_a_hundred_are_told() {
    let text = many(300).replace("String!", "Strings!");
    let problems = read(&text, ApiVersion::V7).expect_err("there is no type Strings");
    assert_eq!(problems.len(), 101);
    assert_eq!(&*problems[0].message, "T0.name: there is no type `Strings`");
    assert_eq!(&*problems[100].message, "200 further problems are not told");
}

#[test]
fn hostile_texts_are_refused_or_read_without_a_panic() {
    let deep = format!("type A @node {{ a: {}Int{} }}", "[".repeat(5_000), "]".repeat(5_000));
    let value = format!("type A @node {{ a: Int @default(value: {}1) }}", "[".repeat(5_000));
    let wide = format!("type A @node {{ {} }}", "a: Int ".repeat(2_000));
    let names = format!("type {} @node {{ a: Int }}", "A".repeat(100_000));
    let members = format!("type A @node {{ a: Int }} union U = {}", "A | ".repeat(2_000) + "A");
    for (text, is_taken) in
        [(&deep, false), (&value, false), (&wide, false), (&names, true), (&members, false)]
    {
        assert_eq!(read(text, ApiVersion::V7).is_ok(), is_taken, "{}", &text[..60]);
    }
}

/// Every beginning and every single change of a rich text ends in a model or in problems.
#[test]
fn broken_texts_end_in_problems() {
    let text = "extend schema @query(read: false) \"d\" type A implements I @node(labels: [\"B\"]) { \
                a: [Int!] @default(value: [1]) b: [A!]! @relationship(type: \"T\", direction: IN) } \
                interface I @limit(max: 1) { a: [Int!] } union U = A enum E { X @deprecated }";
    for version in [ApiVersion::V3, ApiVersion::V7] {
        for end in 0..text.len() {
            let _ = read(&text[..end], version);
            for other in ["", "\"", "{", "}", "(", "@", "!", "$", ":", "\u{1F600}"] {
                let changed = format!("{}{other}{}", &text[..end], &text[end + 1..]);
                if let Err(problems) = read(&changed, version) {
                    assert!(!problems.is_empty() && problems[0].line > 0, "{changed}");
                }
            }
        }
    }
}
