//! Documents of attackers who want to keep a server busy.

use std::fmt::Write;
use std::time::{Duration, Instant};

use expect_test::expect;

use super::super::*;
use super::error_line;
use crate::test_schema::test_schema;

/// Each document of the list is rejected quickly, with its expected error.
#[test]
fn hostile_documents_are_refused_at_once() {
    let repeated = |part: &str, count: usize| part.repeat(count);
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let chain = |count: usize, wrap: &dyn Fn(&str) -> String| {
        let mut text = String::from("{ albums { ...F0 } }");
        for index in 0..count {
            let next = wrap(&format!("...F{}", index + 1));
            write!(text, " fragment F{index} on Album {{ {next} }}").unwrap();
        }
        write!(text, " fragment F{count} on Album {{ id }}").unwrap();
        text
    };
    let documents = [
        (
            "deep list",
            format!("{{ albums(filter: {{extra: {}}}) {{ id }} }}", nested("[", "1", "]", 4_000)),
        ),
        ("unclosed lists", format!("{{ albums(first: {}", repeated("[", 9_000))),
        (
            "deep object",
            format!("{{ albums(filter: {}) {{ id }} }}", nested("{not: ", "null", "}", 1_500)),
        ),
        (
            "deep list in default",
            format!("query ($a: JSON = {}) {{ albums {{ id }} }}", nested("[", "1", "]", 4_000)),
        ),
        (
            "deep type",
            format!(
                "query ($a: {}) {{ albums(first: $a) {{ id }} }}",
                nested("[", "Int", "]", 4_000)
            ),
        ),
        (
            "deep type in limits",
            format!("query ($a: {}) {{ albums(first: $a) {{ id }} }}", nested("[", "Int", "]", 90)),
        ),
        (
            "deep selections",
            format!("{{ albums {{ {} }} }}", nested("artist { albums { ", "id", " } }", 1_200)),
        ),
        ("unclosed selections", repeated("{ a ", 3_000)),
        (
            "fields beyond depth",
            format!("{{ albums {{ {} }} }}", nested("artist { albums { ", "id", " } }", 40)),
        ),
        ("inline fragments", format!("{{ {} }}", nested("... { ", "albums { id }", " }", 1_500))),
        ("tokens", format!("{{ {} }}", repeated("albums { id } ", 100_000))),
        ("same field within tokens", format!("{{ {} }}", repeated("albums{id}", 2_400))),
        (
            "same deep field within tokens",
            format!("{{ {} }}", repeated("albums{artist{albums{artist{id}}}}", 700)),
        ),
        (
            "aliases",
            format!(
                "{{ {} }}",
                (0..1_000).map(|index| format!("a{index}: albums {{ id }} ")).collect::<String>()
            ),
        ),
        (
            "unknown fields",
            format!("{{ {} }}", (0..3_000).map(|index| format!("a{index} ")).collect::<String>()),
        ),
        (
            "unknown types",
            (0..600)
                .map(|index| format!("fragment F{index} on T{index} {{ id }} "))
                .collect::<String>(),
        ),
        ("same names", repeated("query A { albums { id } } ", 500)),
        (
            "same fragments",
            format!("{{ albums {{ ...F }} }} {}", repeated("fragment F on Album { id } ", 500)),
        ),
        (
            "same variables",
            format!("query ({}) {{ albums {{ id }} }}", repeated("$a: Int, ", 1_200)),
        ),
        ("same arguments", format!("{{ albums({}) {{ id }} }}", repeated("first: 1, ", 1_200))),
        (
            "same input fields",
            format!("{{ albums(filter: {{{}}}) {{ id }} }}", repeated("title: \"\", ", 1_200)),
        ),
        (
            "self cycle",
            "{ albums { ...F0 } } fragment F0 on Album { artist { albums { ...F0 } } }".into(),
        ),
        ("long cycle", chain(300, &str::to_owned).replace("{ id }", "{ ...F0 }")),
        ("long chain", chain(300, &str::to_owned)),
        ("deep chain", chain(60, &|next| format!("artist {{ albums {{ {next} }} }}"))),
        ("doubling", chain(25, &|next| format!("{next} {next}"))),
        (
            "doubling with fields",
            chain(25, &|next| {
                format!("artist {{ albums {{ {next} }} }} x: artist {{ albums {{ {next} }} }}")
            }),
        ),
        (
            "doubling in merged fields",
            chain(25, &|next| {
                format!("artist {{ albums {{ {next} {next} }} }} artist {{ albums {{ {next} }} }}")
            }),
        ),
        (
            "doubling inline",
            chain(25, &|next| format!("... {{ {next} }} ... on Album {{ {next} }}")),
        ),
        ("directives", format!("{{ albums {{ id {} }} }}", repeated("@skip(if: false) ", 1_000))),
        (
            "lists at the limit",
            format!("{{ albums(filter: {{extra: {}}}) {{ id }} }}", nested("[", "1", "]", 95)),
        ),
        (
            "objects at the limit",
            format!("{{ albums(filter: {}) {{ id }} }}", nested("{not: ", "null", "}", 95)),
        ),
        (
            "selections at the limit",
            format!(
                "{{ {} }}",
                nested("... { ... @skip(if: false) { ", "albums { id }", " } }", 24)
            ),
        ),
        (
            "fields at the limit",
            format!("{{ albums {{ {} }} }}", nested("artist { albums { ", "id", " } }", 24)),
        ),
        ("fragments at the limit", chain(30, &|next| format!("artist {{ albums {{ {next} }} }}"))),
        ("long comment", format!("# {}\n{{ albums {{ id }} }}", repeated("x", 1_000_000))),
        ("control characters", "\u{0}\u{1}{ albums { id } }".into()),
        (
            "strings",
            format!("{{ albums(filter: {{title: \"{}\"}}) {{ id }} }}", repeated("\\\"", 100_000)),
        ),
    ];
    let mut output = String::new();
    for (name, text) in documents {
        let schema = test_schema();
        let validator = Validator::new(&schema);
        let start = Instant::now();
        let result = validator.operation(&schema, &text, None, &DocumentLimits::default());
        let taken = start.elapsed();
        // Unoptimised and beside other tests; each takes milliseconds otherwise.
        assert!(taken < Duration::from_secs(5), "{name} took {taken:?}");
        if std::env::var_os("TIMES").is_some() {
            println!("{name}: {taken:?}");
        }
        match result {
            Ok(operation) => {
                writeln!(output, "{name}: {} sets", operation.selection_sets.len()).unwrap();
            }
            Err(errors) => {
                let first = error_line(&errors[0]);
                write!(output, "{name}: {} errors, {first}", errors.len()).unwrap();
            }
        }
    }
    expect![[r#"
        deep list: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        unclosed lists: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        deep object: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        deep list in default: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        deep type: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        deep type in limits: 1 errors, GRAPHQL_VALIDATION_FAILED: 1:206 Variable "$a" of type "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[Int]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]" used in position expecting type "Int".
        deep selections: 1 errors, QUERY_TOO_LARGE: The document has more than 10000 tokens (--max-tokens).
        unclosed selections: 1 errors, QUERY_TOO_LARGE: The document has more than 10000 tokens (--max-tokens).
        fields beyond depth: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 64 levels (--max-depth).
        inline fragments: 1 errors, TOO_MANY_FRAGMENTS: The document has 1500 fragments, definitions and spreads counted; 1000 are allowed (--max-fragments).
        tokens: 1 errors, QUERY_TOO_LARGE: The document has more than 10000 tokens (--max-tokens).
        same field within tokens: 2401 sets
        same deep field within tokens: 2801 sets
        aliases: 1 errors, TOO_MANY_ALIASES: The document has 1000 aliases; 250 are allowed (--max-aliases).
        unknown fields: 1 errors, TOO_MANY_ROOT_FIELDS: The operation has 3000 root fields; 100 are allowed (--max-root-fields).
        unknown types: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:16 Unknown type "T0".
        same names: 1 errors, TOO_MANY_OPERATIONS: The document has 500 operations; 100 are allowed (--max-operations).
        same fragments: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:57 There can be only one fragment named "F".
        same variables: 1 errors, TOO_MANY_VARIABLES: The operation has 1200 variables; 250 are allowed (--max-variables).
        same arguments: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:20 There can be only one argument named "first".
        same input fields: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:19 1:30 There can be only one input field named "title".
        self cycle: 1 errors, GRAPHQL_VALIDATION_FAILED: 1:63 Cannot spread fragment "F0" within itself.
        long cycle: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        long chain: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        deep chain: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 100 levels.
        doubling: 28 sets
        doubling with fields: 1 errors, QUERY_TOO_COMPLEX: The operation has more than 20000 fields; 20000 are allowed (--max-fields).
        doubling in merged fields: 128 sets
        doubling inline: 78 sets
        directives: 1 errors, TOO_MANY_DIRECTIVES: The document has 1000 directives; 250 are allowed (--max-directives).
        lists at the limit: 2 sets
        objects at the limit: 2 sets
        selections at the limit: 50 sets
        fields at the limit: 50 sets
        fragments at the limit: 93 sets
        long comment: 2 sets
        control characters: 1 errors, GRAPHQL_PARSE_FAILED: 1:1 syntax error: Unexpected character "NUL"
        strings: 2 sets
    "#]].assert_eq(&output);
}
