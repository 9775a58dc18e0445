//! What mappings make.

use serde_json::{Value, json};

use crate::mapping::{Exceeded, Limits, Mapping};
use crate::variables::{Variable, Variables};
use crate::version::Version;

mod methods;
mod random;

/// Evaluates a mapping over `input` with `$args` and `$request`; returns the value and the messages of
/// problems.
#[track_caller]
fn evaluate(version: Version, mapping: &str, input: &Value) -> (Value, Vec<String>) {
    let args = json!({ "id": 7, "name": "Ann", "ids": [1, 2, 3], "input": { "a": 1, "b": null } });
    let request = json!({ "headers": { "x-a": ["1", "2"] } });
    let variables = Variables::new().with(Variable::Args, &args).with(Variable::Request, &request);
    let mapping = Mapping::parse(mapping, version).expect("the mapping is valid");
    let outcome = mapping.evaluate(input, &variables, &Limits::default()).expect("within limits");
    let value = outcome.value.unwrap_or_else(|| json!("missing"));
    (value, outcome.problems.iter().map(ToString::to_string).collect())
}

/// Checks the value of a mapping that has no problems.
#[track_caller]
fn check(mapping: &str, input: &Value, expected: &Value) {
    check_in(Version::V0_3, mapping, input, expected);
}

#[track_caller]
fn check_in(version: Version, mapping: &str, input: &Value, expected: &Value) {
    let (value, problems) = evaluate(version, mapping, input);
    assert_eq!(value, *expected);
    assert_eq!(problems, [""; 0]);
}

/// Checks the value of a mapping, and its only problem.
#[track_caller]
fn problem(mapping: &str, input: &Value, expected: &Value, problem: &str) {
    let (value, problems) = evaluate(Version::V0_3, mapping, input);
    assert_eq!(value, *expected);
    assert_eq!(problems, [problem]);
}

#[test]
fn fields_aliases_and_paths() {
    let input = json!({ "id": 1, "full_name": "A", "a": { "b": { "c": [1, 2] } }, "x y": 2 });
    check("id name: full_name", &input, &json!({ "id": 1, "name": "A" }));
    check("c: a.b.c", &input, &json!({ "c": [1, 2] }));
    check("a.b.c", &input, &json!([1, 2]));
    check("$.id", &input, &json!(1));
    check("$.a.b { c }", &input, &json!({ "c": [1, 2] }));
    check("a { b { c } }", &input, &json!({ "a": { "b": { "c": [1, 2] } } }));
    check("\"x y\" n: 'x y' # all of it\n id", &input, &json!({ "x y": 2, "n": 2, "id": 1 }));
    check("n: $.'x y' m: $.\"x y\"", &input, &json!({ "n": 2, "m": 2 }));
    check("group: { id n: { id } }", &input, &json!({ "group": { "id": 1, "n": { "id": 1 } } }));
    check("id $.a { b { c } }", &input, &json!({ "id": 1, "b": { "c": [1, 2] } }));
    check("a.b { c } id", &input, &json!({ "c": [1, 2], "id": 1 }));
    check("$", &json!([1]), &json!([1]));
    check("@", &json!([1]), &json!([1]));
    check("'it''s'".replace("''", "\\'").as_str(), &json!({ "it's": 1 }), &json!({ "it's": 1 }));
}

#[test]
fn lists_are_mapped() {
    let input = json!({ "l": [{ "a": 1, "b": [{ "c": 2 }] }, { "a": 3, "b": [] }] });
    check("l { x: a }", &input, &json!({ "l": [{ "x": 1 }, { "x": 3 }] }));
    check("l.a", &input, &json!([1, 3]));
    check("l.b.c", &input, &json!([[2], []]));
    check("$.l { y: b { c } }", &input, &json!([{ "y": [{ "c": 2 }] }, { "y": [] }]));
    check("a", &json!([{ "a": 1 }, { "a": 2 }, null]), &json!([{ "a": 1 }, { "a": 2 }, null]));
    check(
        "ids { id: $ }",
        &json!({ "ids": [1, 2] }),
        &json!({ "ids": [{ "id": 1 }, { "id": 2 }] }),
    );
    check("o { id: @ }", &json!({ "o": 5 }), &json!({ "o": { "id": 5 } }));
    check("l { x }", &json!({ "l": [[{ "x": 1 }], null] }), &json!({ "l": [[{ "x": 1 }], null] }));
}

#[test]
fn what_is_missing_is_left_out_and_null_stays() {
    problem(
        "a b",
        &json!({ "a": 1 }),
        &json!({ "a": 1 }),
        "there is no `b` in the object (line 1, column 3, for `b`)",
    );
    check("a { b }", &json!({ "a": null }), &json!({ "a": null }));
    problem(
        "a.b",
        &json!({ "a": null }),
        &json!("missing"),
        "there is no `b` in null (line 1, column 2)",
    );
    problem(
        "x: a.b",
        &json!({ "a": "t" }),
        &json!({}),
        "there is no `b` in a string (line 1, column 5, for `x`)",
    );
    problem(
        "l { a { b } }",
        &json!({ "l": [{ "a": {} }, { "a": {} }, { "a": { "b": 1 } }] }),
        &json!({ "l": [{ "a": {} }, { "a": {} }, { "a": { "b": 1 } }] }),
        "there is no `b` in the object (line 1, column 9, for `l.a.b`, 2 times)",
    );
    problem(
        "l.a",
        &json!({ "l": [{ "a": 1 }, {}] }),
        &json!([1, null]),
        "there is no `a` in the object (line 1, column 2)",
    );
    problem("$this.id", &json!(1), &json!("missing"), "`$this` has no value (line 1, column 1)");
}

#[test]
fn a_response_of_nothing_is_null() {
    let (value, _) = evaluate(Version::V0_3, "id name", &Value::Null);
    assert_eq!(value, Value::Null);
    check("success: $(true)", &Value::Null, &json!({ "success": true }));
    check("", &json!({ "a": 1 }), &json!({}));
}

#[test]
fn a_part_of_a_request_may_be_empty() {
    let args = json!({});
    let variables = Variables::new().with(Variable::Args, &args);
    let mapping = Mapping::parse("a: $args.b", Version::V0_1).expect("valid");
    let outcome = mapping.build(&variables, &Limits::default()).expect("within limits");
    assert_eq!(outcome.value, Some(json!({})));
    assert_eq!(outcome.problems.len(), 1);
}

#[test]
fn optional_steps_end_a_path_in_silence() {
    check("a: x?.y", &json!({}), &json!({}));
    check("a: x?.y", &json!({ "x": null }), &json!({}));
    check("a: x?.y", &json!({ "x": { "y": 1 } }), &json!({ "a": 1 }));
    check("author? { id: @ }", &json!({ "author": 3 }), &json!({ "author": { "id": 3 } }));
    check("author? { id: @ }", &json!({ "author": null }), &json!({}));
    check("a: x?->first?.y?", &json!({ "x": [] }), &json!({}));
    check("a: $args.nope?.b", &json!({}), &json!({}));
    check("a: $this?.b", &json!({}), &json!({}));
    problem(
        "a: x?.y.z",
        &json!({ "x": {} }),
        &json!({}),
        "there is no `y` in the object (line 1, column 6, for `a`)",
    );
}

#[test]
fn alternatives_stand_for_what_is_absent() {
    let input = json!({ "n": null, "v": 1 });
    check("a: $(m ?? n ?? v ?? 2)", &input, &json!({ "a": 1 }));
    check("a: $(n ?! 2) b: $(m ?! 2)", &input, &json!({ "a": null, "b": 2 }));
    check("l: $(m ?? [{ k: 'x' }]) { k }", &input, &json!({ "l": [{ "k": "x" }] }));
    check("s: $args.name->slice($args.from ?? 0, 2)", &input, &json!({ "s": "An" }));
    problem(
        "a: $(m ?? k)",
        &input,
        &json!({}),
        "there is no `k` in the object (line 1, column 11, for `a`)",
    );
}

#[test]
fn variables_are_read() {
    check("id: $args.id v", &json!({ "v": 1 }), &json!({ "id": 7, "v": 1 }));
    check("$args { id n: name }", &json!(0), &json!({ "id": 7, "n": "Ann" }));
    check(
        "ids: $args.ids { id: $ }",
        &json!(0),
        &json!({ "ids": [{ "id": 1 }, { "id": 2 }, { "id": 3 }] }),
    );
    check("h: $request.headers.'X-A'->first", &json!(0), &json!({ "h": "1" }));
    check("l { v: $args.id }", &json!({ "l": [{}] }), &json!({ "l": [{ "v": 7 }] }));
}

#[test]
fn literals_stand_in_expressions() {
    let input = json!({ "quoted": "q", "a": 1 });
    check(
        r#"$({ s: "x", 't': 'y', n: -1.50, i: 12, b: true, c: false, d: null, l: [1, [a],], o: { p: a, }, })"#,
        &input,
        &json!({ "s": "x", "t": "y", "n": -1.5, "i": 12, "b": true, "c": false, "d": null, "l": [1, [1]], "o": { "p": 1 } }),
    );
    check(
        "x: $(.5) y: $(5.) z: $(-3) e: $(1e3) u: $(18446744073709551615)",
        &input,
        &json!({ "x": 0.5, "y": 5.0, "z": -3, "e": 1000.0, "u": 18_446_744_073_709_551_615_u64 }),
    );
    check(
        "x: $(\"quoted\") y: $($.\"quoted\") z: \"quoted\"",
        &input,
        &json!({ "x": "quoted", "y": "q", "z": "q" }),
    );
    check("l: $([nope?])", &input, &json!({ "l": [null] }));
    check(r"x: $('a\b\'c\\d\ne')", &input, &json!({ "x": "ab'c\\d\ne" }));
}

#[test]
fn the_grammar_of_0_4_is_a_superset_of_json() {
    let input = json!({ "a": 1, "b": [1], "true": 5, "q r": 6, "kind": "k", "id": 3 });
    let check =
        |mapping: &str, expected: &Value| check_in(Version::V0_4, mapping, &input, expected);
    for json in [
        r#"{"x":[1,true,null,"s\né"],"y":{"z":-1.5e3}}"#,
        "[]",
        "{}",
        r#""text""#,
        "null",
        "true",
        "-2",
    ] {
        check(json, &serde_json::from_str(json).expect("JSON"));
    }
    check(
        "x: true y: \"s\" z: [a, 2] w: $.true",
        &json!({ "x": true, "y": "s", "z": [1, 2], "w": 5 }),
    );
    check("a, b, x: $.'q r'", &json!({ "a": 1, "b": [1], "x": 6 }));
    check("true: a", &json!({ "true": 1 }));
    check("x: { a, y: b, }", &json!({ "x": { "a": 1, "y": [1] } }));
    check("x: nope ?? 4", &json!({ "x": 4 }));
    check(
        "... kind->match(['k', { __typename: 'K', id }])",
        &json!({ "__typename": "K", "id": 3 }),
    );
    check("{ a b }", &json!({ "a": 1, "b": [1] }));
}

#[test]
fn members_are_merged() {
    let input = json!({ "o": { "x": 1, "a": 2 }, "a": 0, "n": null, "l": [1] });
    let check =
        |mapping: &str, expected: &Value| check_in(Version::V0_4, mapping, &input, expected);
    check("a ...o", &json!({ "a": 2, "x": 1 }));
    check("a ...$.nope?", &json!({ "a": 0 }));
    // A spread null makes the object null, and one of a path with a selection adds nothing.
    check("a ...n", &Value::Null);
    check("g: { a ...n }", &json!({ "g": null }));
    check("a $.n { x }", &json!({ "a": 0 }));
    let (value, problems) = evaluate(Version::V0_4, "a ...l", &input);
    assert_eq!(value, json!({ "a": 0 }));
    let expected = "a list has no members that could be those of the object (line 1, column 3)";
    assert_eq!(problems, [expected]);
}

#[test]
fn an_evaluation_is_limited() {
    let evaluate = |mapping: &str, input: &Value, limits| {
        let mapping = Mapping::parse(mapping, Version::V0_3).expect("valid");
        mapping.evaluate(input, &Variables::new(), &limits).map(|outcome| outcome.value)
    };
    let doubled = format!("$.a{}", "->echo([@, @])".repeat(30));
    let limits = Limits { bytes: 1 << 20, ..Limits::default() };
    let error = evaluate(&doubled, &json!({ "a": "x" }), limits);
    assert_eq!(error, Err(Exceeded::Bytes(1 << 20)));
    // Each argument is the value of the call before, one level deeper.
    let deep = (0..20)
        .fold("$.a".to_owned(), |inner, _| format!("$({inner}{})", "->echo([@])".repeat(20)));
    let error = evaluate(&deep, &json!({ "a": "x" }), Limits::default());
    assert_eq!(error, Err(Exceeded::Depth));
    let list: Vec<_> = (0..500).collect();
    let nested =
        "$.l->filter($.l->filter($.l->filter($.l->filter(@->eq(-1))->eq(1))->eq(1))->eq(1))";
    let limits = Limits { steps: 100_000, ..Limits::default() };
    assert_eq!(evaluate(nested, &json!({ "l": list }), limits), Err(Exceeded::Steps(100_000)));
    let limits = Limits { bytes: 1000, ..Limits::default() };
    assert_eq!(
        evaluate("a", &json!({ "a": "x".repeat(1000) }), limits),
        Err(Exceeded::Bytes(1000))
    );
}

/// What a mapping says about itself takes no more time and memory than its text suggests.
#[test]
fn shapes_and_inputs_are_limited() {
    let parse = |text: &str| Mapping::parse(text, Version::V0_4).expect("valid");
    let doubled = parse(&format!("$.a{}", "->echo({ a: @, b: @ })".repeat(30)));
    let _ = doubled.shape();
    let _ = doubled.inputs();
    let cases: Vec<_> = (0..300).map(|case| format!("[{case}, {{ a{case}: @, b: $ }}]")).collect();
    let spread = format!("...$.kind->match({}) ", cases.join(", "));
    let _ = parse(&spread.repeat(4)).shape();
    let deep =
        (0..20).fold("$args".to_owned(), |inner, _| format!("$({inner}{})", ".a".repeat(30)));
    let inputs = parse(&deep).inputs();
    assert_eq!(inputs.of(Variable::Args).map(|members| members.paths()[0].len()), Some(600));
}
