//! What mappings make.

use serde_json::{Value, json};

use crate::mapping::{Limits, Mapping};
use crate::variables::{Variable, Variables};
use crate::version::Version;

/// Checks the value of a mapping over `input` with `$args`, in a version, and the number of problems.
#[track_caller]
fn check_in(version: Version, mapping: &str, input: &Value, expected: &Value, problems: usize) {
    let args = json!({ "id": 7, "name": "Ann", "ids": [1, 2, 3], "input": { "a": 1, "b": null } });
    let variables = Variables::new().with(Variable::Args, &args);
    let mapping = Mapping::parse(mapping, version).expect("the mapping is valid");
    let outcome = mapping.evaluate(input, &variables, &Limits::default()).expect("within limits");
    let value = outcome.value.unwrap_or_else(|| json!("missing"));
    assert_eq!(value, *expected);
    assert_eq!(outcome.problems.len(), problems, "{:?}", outcome.problems);
}

#[track_caller]
fn check(mapping: &str, input: &Value, expected: &Value) {
    check_in(Version::V0_3, mapping, input, expected, 0);
}

#[test]
fn fields_aliases_and_paths() {
    let input = json!({ "id": 1, "full_name": "A", "a": { "b": { "c": [1, 2] } }, "x y": 2 });
    check("id name: full_name", &input, &json!({ "id": 1, "name": "A" }));
    check("c: a.b.c", &input, &json!({ "c": [1, 2] }));
    check("a.b.c", &input, &json!([1, 2]));
    check("$.a.b { c }", &input, &json!({ "c": [1, 2] }));
    check("a { b { c } }", &input, &json!({ "a": { "b": { "c": [1, 2] } } }));
    check("\"x y\" n: 'x y' # all of it", &input, &json!({ "x y": 2, "n": 2 }));
    check("$", &json!([1]), &json!([1]));
    check("group: { id, }".replace(',', "").as_str(), &input, &json!({ "group": { "id": 1 } }));
}
