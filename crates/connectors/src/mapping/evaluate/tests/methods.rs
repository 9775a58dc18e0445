//! Each method: what it makes, and what it says about values of other types.
#![expect(clippy::needless_pass_by_value, reason = "calls with `json!` are shorter")]

use serde_json::{Value, json};

use super::{check, check_in, evaluate};
use crate::mapping::Method;
use crate::version::Version;

/// Checks that `$->…` makes a value of `input`.
#[track_caller]
fn method(input: Value, call: &str, expected: Value) {
    check(&format!("$->{call}"), &input, &expected);
}

/// The same of version 0.4.
#[track_caller]
fn newer(input: Value, call: &str, expected: Value) {
    check_in(Version::V0_4, &format!("$->{call}"), &input, &expected);
}

/// Checks that `$->…` makes nothing, and that the only problem contains a text.
#[track_caller]
fn wrong(input: Value, call: &str, message: &str) {
    let (value, problems) = evaluate(Version::V0_4, &format!("$->{call}"), &input);
    assert_eq!(value, json!("missing"));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains(message), "{problems:?}");
}

#[test]
fn echo() {
    method(json!(1), "echo({ x: @, y: [@, $] })", json!({ "x": 1, "y": [1, 1] }));
    check(
        "a->echo({ v: @.b, w: c })",
        &json!({ "a": { "b": 1 }, "c": 2 }),
        &json!({ "v": 1, "w": 2 }),
    );
}

#[test]
fn map() {
    method(json!([1, 2]), "map({ v: @ })", json!([{ "v": 1 }, { "v": 2 }]));
    method(json!(1), "map(@)", json!([1]));
    method(json!([{ "a": 1 }, {}]), "map(@.a?)", json!([1, null]));
    check("l->map({ v: @, k: k })", &json!({ "l": [1], "k": 2 }), &json!([{ "v": 1, "k": 2 }]));
}

#[test]
fn filter_and_find() {
    method(json!([1, 2, 3, 4]), "filter(@->mod(2)->eq(0))", json!([2, 4]));
    method(json!([1, 2, 3, 4]), "find(@->gt(2))", json!(3));
    method(json!([{ "a": true }, { "a": false }]), "filter(@.a)", json!([{ "a": true }]));
    method(json!(1), "filter(true)", json!([1]));
    method(json!([1]), "find(false)", json!("missing"));
    // Of a list that the mapping makes.
    check("$([1, 2, 3])->filter(@->ne(2))", &json!(0), &json!([1, 3]));
    check("$([1, 2, 3])->find(@->ne(1))", &json!(0), &json!(2));
    wrong(json!([true, 1]), "filter(@)", "a condition is true or false");
    wrong(json!([false, 1]), "find(@)", "a condition is true or false");
}

#[test]
fn first_and_last() {
    method(json!([1, 2]), "first", json!(1));
    method(json!([1, 2]), "last", json!(2));
    method(json!([]), "first", json!("missing"));
    method(json!("äbc"), "first", json!("ä"));
    method(json!("abß"), "last", json!("ß"));
    method(json!(3), "first", json!(3));
    check("$([1, 2])->last", &json!(0), &json!(2));
}

#[test]
fn get() {
    method(json!([1, 2, 3]), "get(1)", json!(2));
    method(json!([1, 2, 3]), "get(-1)", json!(3));
    method(json!("äöü"), "get(1)", json!("ö"));
    method(json!({ "a b": 1 }), "get('a b')", json!(1));
    wrong(json!([1]), "get(1)", "there is nothing at this index");
    wrong(json!([1]), "get(-2)", "there is nothing at this index");
    wrong(json!([1]), "get('a')", "the index of a list or a string is a number");
    wrong(json!({ "a": 1 }), "get(0)", "the key of an object is a string");
    wrong(json!(1), "get(0)", "it is called on a list, a string or an object");
    wrong(json!({ "a": 1 }), "get('b')", "there is no `b` in the object");
}

#[test]
fn slice() {
    method(json!([1, 2, 3]), "slice(1)", json!([2, 3]));
    method(json!([1, 2, 3]), "slice(0, 2)", json!([1, 2]));
    method(json!([1, 2, 3]), "slice(2, 1)", json!([]));
    method(json!([1, 2, 3]), "slice(-5, 99)", json!([1, 2, 3]));
    method(json!("FRANCE"), "slice(0, 2)", json!("FR"));
    method(json!("äöü"), "slice(1, 2)", json!("ö"));
    wrong(json!(1), "slice(0)", "it is called on a list or a string");
    wrong(json!("a"), "slice('b')", "the bounds are whole numbers");
}

#[test]
fn size_and_entries() {
    method(json!([1, 2]), "size", json!(2));
    method(json!("äb"), "size", json!(2));
    method(json!({ "a": 1 }), "size", json!(1));
    wrong(json!(1), "size", "it is called on a list, a string or an object");
    method(
        json!({ "b": 1, "a": 2 }),
        "entries",
        json!([{ "key": "b", "value": 1 }, { "key": "a", "value": 2 }]),
    );
    check(
        "$->entries { name: key hex: value }",
        &json!({ "red": "#f00" }),
        &json!([{ "name": "red", "hex": "#f00" }]),
    );
    wrong(json!([1]), "entries", "it is called on an object");
}

#[test]
fn contains_and_in() {
    method(json!(["red"]), "contains('red')", json!(true));
    method(json!([{ "a": 1 }]), "contains({ a: 1.0 })", json!(true));
    method(json!([]), "contains(1)", json!(false));
    wrong(json!("red"), "contains('r')", "it is called on a list");
    method(json!("a"), "in('b', 'a')", json!(true));
    method(json!("a"), "in(['b', 'a'])", json!(true));
    method(json!("a"), "in(['a'], 'b')", json!(false));
}

#[test]
fn r#match() {
    let call = "match([1, 'one'], ['x', @], [{ a: [1] }, 'object'], [@, 'other'])";
    method(json!(1), call, json!("one"));
    method(json!(1.0), call, json!("one"));
    method(json!("x"), call, json!("x"));
    method(json!({ "a": [1] }), call, json!("object"));
    method(json!(null), call, json!("other"));
    wrong(json!(2), "match([1, 'one'])", "no pair matches it");
}

#[test]
fn comparisons() {
    method(json!(1), "eq(1.0)", json!(true));
    method(json!([1, { "a": 2 }]), "eq([1, { a: 2 }])", json!(true));
    method(json!("1"), "eq(1)", json!(false));
    method(json!(1), "ne(2)", json!(true));
    for (call, results) in [
        ("gt(2)", [false, false, true]),
        ("gte(2)", [false, true, true]),
        ("lt(2)", [true, false, false]),
        ("lte(2)", [true, true, false]),
    ] {
        for (value, result) in [1, 2, 3].into_iter().zip(results) {
            method(json!(value), call, json!(result));
        }
    }
    method(json!("b"), "gt('a')", json!(true));
    method(json!(9_007_199_254_740_993_u64), "gt(9007199254740992)", json!(true));
    wrong(json!(1), "gt('a')", "got a string: it compares two numbers or two strings");
    wrong(json!(true), "lt(1)", "got a boolean: it compares");
}

#[test]
fn conditions() {
    method(json!(true), "and(true, true)", json!(true));
    method(json!(true), "and(true, false)", json!(false));
    method(json!(false), "and(nope)", json!(false));
    method(json!(false), "or(false, true)", json!(true));
    method(json!(false), "or(false)", json!(false));
    method(json!(true), "not", json!(false));
    wrong(json!(1), "and(true)", "it is called on true or false");
    wrong(json!(true), "and(1)", "a condition is true or false");
    wrong(json!("a"), "not", "it is called on true or false");
    check("$.a->and($.b)->or($.c)", &json!({ "a": true, "b": false, "c": true }), &json!(true));
}

#[test]
fn arithmetic() {
    method(json!(1), "add(2, 3)", json!(6));
    method(json!(1), "add(0.5)", json!(1.5));
    method(json!(5), "sub(7)", json!(-2));
    method(json!(3), "mul(4)", json!(12));
    method(json!(6), "div(3)", json!(2.0));
    method(json!(7), "div(2)", json!(3.5));
    method(json!(-7), "mod(3)", json!(-1));
    method(json!(5.5), "mod(2)", json!(1.5));
    method(json!(i64::MAX), "add(1)", json!(9_223_372_036_854_775_807_i64 as f64));
    check("$(98.6)->sub(32)->mul(5)->div(9)->gt(36.9)", &json!(0), &json!(true));
    wrong(json!(1), "div(0)", "divided by zero");
    wrong(json!(1), "mod(0)", "divided by zero");
    wrong(json!(1.0), "div(0.0)", "divided by zero");
    wrong(json!("a"), "add(1)", "it is called on a number");
    wrong(json!(1), "add('a')", "its arguments are numbers");
    method(json!(i64::MIN), "div(-1)", json!(9_223_372_036_854_775_808_f64));
}

#[test]
fn conversions() {
    method(json!("42"), "parseInt", json!(42));
    method(json!(" -42 "), "parseInt", json!(-42));
    method(json!("ff"), "parseInt(16)", json!(255));
    method(json!(3.9), "parseInt", json!(3));
    method(json!(-3.9), "parseInt", json!(-3));
    wrong(json!("4x"), "parseInt", "no whole number of 64 bits");
    wrong(json!(1e300), "parseInt", "no whole number of 64 bits");
    wrong(json!("1"), "parseInt(99)", "a base is a whole number from 2 to 36");
    wrong(json!(true), "parseInt", "it is called on a string or a number");
    method(json!(1.5), "toString", json!("1.5"));
    method(json!(true), "toString", json!("true"));
    method(json!("a"), "toString", json!("a"));
    method(json!(null), "toString", json!(""));
    wrong(json!([1]), "toString", "it is called on a scalar");
    method(
        json!({ "b": [1, null], "a": "x" }),
        "jsonStringify",
        json!(r#"{"b":[1,null],"a":"x"}"#),
    );
}

#[test]
fn join_not_null() {
    method(json!(["a", "b", null, "c"]), "joinNotNull(',')", json!("a,b,c"));
    method(json!([1, 2, 3]), "joinNotNull(', ')", json!("1, 2, 3"));
    method(json!([null]), "joinNotNull(',')", json!(""));
    method(json!("a"), "joinNotNull(',')", json!("a"));
    wrong(json!([[1]]), "joinNotNull(',')", "it joins strings, numbers and booleans");
    wrong(json!([1]), "joinNotNull(1)", "the separator is a string");
}

#[test]
fn split_and_trim() {
    newer(json!("a,b,,c"), "split(',')", json!(["a", "b", "", "c"]));
    newer(json!("a,b,c"), "split(',', 2)", json!(["a", "b"]));
    newer(json!("aé"), "split('')", json!(["a", "é"]));
    newer(json!("aé"), "split('', 1)", json!(["a"]));
    newer(json!(""), "split(',')", json!([""]));
    wrong(json!(1), "split(',')", "it is called on a string");
    wrong(json!("a"), "split(1)", "the separator is a string");
    wrong(json!("a"), "split(',', -1)", "the limit is a whole number from 0");
    newer(json!("\u{2003} a b\n"), "trim", json!("a b"));
    newer(json!(" a "), "trimStart", json!("a "));
    newer(json!(" a "), "trimEnd", json!(" a"));
    wrong(json!(["a"]), "trim", "it is called on a string");
}

#[test]
fn json_parse() {
    newer(
        json!(r#"{"users":[{"name":"A"}]}"#),
        "jsonParse { users { name } }",
        json!({ "users": [{ "name": "A" }] }),
    );
    newer(json!("1.50"), "jsonParse", json!(1.5));
    wrong(json!("{"), "jsonParse", "it is no JSON");
    wrong(json!(1), "jsonParse", "it is called on a string");
    wrong(json!("[".repeat(10_000)), "jsonParse", "it is no JSON");
}

#[test]
fn keys_to_camel_case() {
    let input = json!({ "first_name": 1, "LastName": { "SOME_KEY": 2 }, "HTTPStatus": [{ "a-b c": 3 }], "x2_y": 4, "ok": 5, "_id": 6 });
    newer(
        input.clone(),
        "keysToCamelCase",
        json!({ "firstName": 1, "lastName": { "SOME_KEY": 2 }, "httpStatus": [{ "a-b c": 3 }], "x2Y": 4, "ok": 5, "id": 6 }),
    );
    newer(
        input,
        "keysToCamelCaseDeep",
        json!({ "firstName": 1, "lastName": { "someKey": 2 }, "httpStatus": [{ "aBC": 3 }], "x2Y": 4, "ok": 5, "id": 6 }),
    );
    newer(json!([{ "a_b": 1 }]), "keysToCamelCaseDeep", json!([{ "aB": 1 }]));
    newer(json!({ "__": 1 }), "keysToCamelCase", json!({ "__": 1 }));
    wrong(json!([{ "a_b": 1 }]), "keysToCamelCase", "it is called on an object");
    let (value, problems) =
        evaluate(Version::V0_4, "$->keysToCamelCase", &json!({ "a_b": 1, "aB": 2 }));
    assert_eq!(value, json!({ "aB": 2 }));
    assert!(problems[0].contains("the same in camel case"), "{problems:?}");
}

#[test]
fn methods_apply_to_a_whole_list() {
    let input = json!({ "l": [{ "id": 1 }, { "id": 2 }] });
    check("$.l.id->jsonStringify", &input, &json!("[1,2]"));
    check("l.id->size", &input, &json!(2));
    check("l->first { id }", &input, &json!({ "id": 1 }));
}

#[test]
fn what_is_missing_ends_a_call() {
    let calls = [
        "echo(nope?)",
        "contains(nope?)",
        "eq(nope?)",
        "ne(nope?)",
        "in(nope?)",
        "find(nope?)",
        "get(nope?)",
        "and(nope?)",
        "add(nope?)",
        "gt(nope?)",
        "joinNotNull(nope?)",
        "slice(nope?)",
        "parseInt(nope?)",
    ];
    for call in calls {
        let (value, _) = evaluate(Version::V0_3, &format!("$->{call}"), &json!({}));
        assert_eq!(value, json!("missing"), "{call}");
        check(&format!("nope?->{}", call.replace("nope?", "1")), &json!({}), &json!("missing"));
    }
}

/// No method panics on any value, or on too few or odd arguments.
#[test]
fn every_method_takes_every_value() {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(""),
        json!("é"),
        json!([]),
        json!([null, 1, "a", {}]),
        json!({}),
        json!({ "a": [] }),
    ];
    for method in Method::ALL {
        for argument in &values {
            let count =
                (*method.arguments().start()).max(usize::from(*method.arguments().end() > 0));
            let argument = match method {
                Method::Match => format!("[{argument}, {argument}]"),
                _ => argument.to_string(),
            };
            let arguments = vec![argument; count].join(", ");
            for value in &values {
                evaluate(Version::V0_4, &format!("$->{}({arguments})", method.name()), value);
            }
        }
    }
}
