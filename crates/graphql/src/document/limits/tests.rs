use super::*;
use crate::Validator;
use crate::test_schema::test_schema;

fn repeated(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// The error of the operation `A` of a document, if it has one.
fn refused(text: &str, limits: &DocumentLimits) -> Option<String> {
    let schema = test_schema();
    let result = Validator::new(&schema).operation(&schema, text, Some("A"), limits);
    let error = result.err()?.into_iter().next()?;
    Some(format!("{}: {}", error.code.as_str(), error.message))
}

/// Checks documents at the limit, and beyond it by one.
fn check(limits: &DocumentLimits, most: usize, text: impl Fn(usize) -> String, error: &str) {
    assert_eq!(refused(&text(most), limits), None, "{}", text(most));
    assert_eq!(refused(&text(most + 1), limits).as_deref(), Some(error), "{}", text(most + 1));
}

#[test]
fn aliases_are_counted_as_they_are_written() {
    let limits = DocumentLimits { aliases: 4, ..DocumentLimits::default() };
    let text = |count| {
        let aliases = repeated(count, |index| format!("a{index}: id "));
        format!("query A {{ albums {{ {aliases} }} }}")
    };
    let error = "TOO_MANY_ALIASES: The document has 5 aliases; 4 are allowed (--max-aliases).";
    check(&limits, 4, text, error);
    // The limit is checked before parsing.
    let error = "TOO_MANY_ALIASES: The document has 5 aliases; 4 are allowed (--max-aliases).";
    assert_eq!(refused("{ a: b c: d e: f g: h i: j", &limits).as_deref(), Some(error));
}

#[test]
fn aliases_are_counted_where_fragments_put_them() {
    let limits = DocumentLimits { aliases: 6, ..DocumentLimits::default() };
    let text = |more: &str| {
        format!(
            "query A {{ albums {{ ...F artist {{ albums {{ ...F ...F }} }} {more} }} }}
             fragment F on Album {{ a: id b: title }}"
        )
    };
    // Two at each of two locations, however often they are spread there.
    assert_eq!(refused(&text("c: id d: id"), &limits), None);
    let error = "TOO_MANY_ALIASES: The document has 7 aliases; 6 are allowed (--max-aliases).";
    let seventh = text("c: artist { albums { ...F } }");
    assert_eq!(refused(&seventh, &limits).as_deref(), Some(error));
}

#[test]
fn aliases_are_those_of_one_operation_where_they_are_spread() {
    let limits = DocumentLimits { aliases: 2, ..DocumentLimits::default() };
    let text = "query A { albums { ...F } } query B { albums { ...F } }
                fragment F on Album { a: id b: title }";
    assert_eq!(refused(text, &limits), None);
}

#[test]
fn root_fields_are_counted_by_their_response_names() {
    let limits = DocumentLimits { root_fields: 3, ..DocumentLimits::default() };
    let text = |count: usize| {
        let fields = repeated(count - 1, |index| format!("a{index}: albums {{ id }} "));
        format!(
            "query A {{ {fields} ...F ...F a0: albums {{ title }} }} fragment F on Query {{ f: __typename }}"
        )
    };
    let error = "TOO_MANY_ROOT_FIELDS: The operation has 4 root fields; 3 are allowed \
                 (--max-root-fields).";
    check(&limits, 3, text, error);
}

#[test]
fn fields_are_counted_with_fragments_in_their_places() {
    let limits = DocumentLimits { fields: 9, ..DocumentLimits::default() };
    let text = |count: usize| {
        let ids = "id ".repeat(count - 7);
        format!(
            "query A {{ a: albums {{ ...F }} b: albums {{ ...F }} albums {{ {ids} }} }} fragment F on Album {{ id }}"
        )
    };
    let error = "QUERY_TOO_COMPLEX: The operation has more than 9 fields; 9 are allowed \
                 (--max-fields).";
    check(&limits, 9, text, error);
}

#[test]
fn directives_are_counted_in_the_document_and_at_one_place() {
    let limits = DocumentLimits { directives: 4, ..DocumentLimits::default() };
    let text = |count: usize| {
        let fields = repeated(count - 2, |_| "id @skip(if: false) ".into());
        format!(
            "query A {{ albums {{ {fields} ...F @skip(if: false) ... @include(if: true) {{ id }} }} }} fragment F on Album {{ id }}"
        )
    };
    let error =
        "TOO_MANY_DIRECTIVES: The document has 5 directives; 4 are allowed (--max-directives).";
    check(&limits, 4, text, error);

    let limits = DocumentLimits { directives_per_place: 1, ..DocumentLimits::default() };
    let places = [
        ["query A { albums { id ", " } }"],
        ["query A { albums { ... ", " { id } } }"],
        ["query A { albums { ...F ", " } } fragment F on Album { id }"],
    ];
    let error = "TOO_MANY_DIRECTIVES: The document has 2 directives at one place; 1 are allowed \
                 (--max-directives-per-place).";
    for place in places {
        let directives = ["@skip(if: false)", "@include(if: true)"];
        check(&limits, 1, |count| place.join(&directives[..count].join(" ")), error);
    }
    // No known directive is allowed at these locations, but they are counted first.
    for place in [
        ["query A ", " { albums { id } }"],
        ["query A($a: Int ", ") { albums(first: $a) { id } }"],
        ["query A { albums { ...F } } fragment F on Album ", " { id }"],
    ] {
        assert_eq!(refused(&place.join("@skip @skip"), &limits).as_deref(), Some(error));
    }
}

#[test]
fn fragments_are_counted_by_definitions_and_spreads() {
    let limits = DocumentLimits { fragments: 5, ..DocumentLimits::default() };
    let spreads = |count: usize| {
        let spreads = "...F ".repeat(count - 2);
        format!("query A {{ albums {{ {spreads} ... {{ id }} }} }} fragment F on Album {{ id }}")
    };
    let error = "TOO_MANY_FRAGMENTS: The document has 6 fragments, definitions and spreads \
                 counted; 5 are allowed (--max-fragments).";
    check(&limits, 5, spreads, error);
    let definitions = repeated(6, |index| format!("fragment F{index} on Album {{ id }} "));
    assert_eq!(
        refused(&format!("query A {{ __typename }} {definitions}"), &limits).as_deref(),
        Some(error)
    );
}

#[test]
fn variables_are_counted_by_operation() {
    let limits = DocumentLimits { variables: 3, ..DocumentLimits::default() };
    let text = |count: usize| {
        let variables = repeated(count, |index| format!("$v{index}: Boolean = true "));
        let uses = repeated(count, |index| format!("id @skip(if: $v{index}) "));
        format!(
            "query A({variables}) {{ albums {{ {uses} }} }} query B($a: Int) {{ albums(first: $a) {{ id }} }}"
        )
    };
    let error =
        "TOO_MANY_VARIABLES: The operation has 4 variables; 3 are allowed (--max-variables).";
    check(&limits, 3, text, error);
}

#[test]
fn operations_are_counted() {
    let limits = DocumentLimits { operations: 3, ..DocumentLimits::default() };
    let text = |count: usize| {
        let others = repeated(count - 1, |index| format!("query B{index} {{ __typename }} "));
        format!("query A {{ __typename }} {others}")
    };
    let error =
        "TOO_MANY_OPERATIONS: The document has 4 operations; 3 are allowed (--max-operations).";
    check(&limits, 3, text, error);
}

/// The comparisons of the specification's algorithm for each position of the response, and for each
/// choice of types: twice as many with each level, for documents that grow quadratically.
fn doubling(levels: usize, chosen: impl Fn(&str, &str) -> [String; 2]) -> String {
    let mut text = String::from("query A { albums { ...L0 } }");
    for level in 0..levels {
        let [left, right] = chosen(
            &format!("...L{} ...X{level}_{}", level + 1, level + 1),
            &format!("...L{} ...Y{level}_{}", level + 1, level + 1),
        );
        text += &format!(" fragment L{level} on Album {{ id {left} {right} }}");
        for name in ["X", "Y"] {
            for below in level + 1..levels {
                let next = format!("...{name}{level}_{}", below + 1);
                let [left, right] = chosen(&next, &next);
                text += &format!(" fragment {name}{level}_{below} on Album {{ {left} {right} }}");
            }
            text += &format!(" fragment {name}{level}_{levels} on Album {{ id }}");
        }
    }
    text + &format!(" fragment L{levels} on Album {{ id }}")
}

#[test]
fn fragments_that_multiply_what_is_compared_are_refused() {
    let limits = DocumentLimits {
        tokens: usize::MAX,
        aliases: usize::MAX,
        fragments: usize::MAX,
        ..DocumentLimits::default()
    };
    let by_response_name = |left: &str, right: &str| {
        [
            format!("a: artist {{ x: albums {{ {left} }} }}"),
            format!("b: artist {{ x: albums {{ {right} }} }}"),
        ]
    };
    let error = "QUERY_TOO_COMPLEX: The operation has more than 20000 fields; 20000 are allowed \
                 (--max-fields).";
    assert_eq!(refused(&doubling(4, by_response_name), &limits), None);
    assert_eq!(refused(&doubling(24, by_response_name), &limits).as_deref(), Some(error));
}
