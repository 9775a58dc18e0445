use expect_test::expect;
use serde_json_bytes::Value as Json;

use super::*;
use crate::test_schema::{test_operation, test_schema};

/// The coerced values of one set of variables a line, or the errors.
fn coerced(definitions: &str, given: &[&str]) -> String {
    let schema = test_schema();
    let operation = test_operation(&schema, definitions);
    let mut output = String::new();
    for given in given {
        let Ok(Json::Object(given)) = serde_json::from_str(given) else { panic!("{given}") };
        match coerce_variable_values(&schema, &operation, &given) {
            Ok(variables) => {
                for value in variables.values {
                    output.push_str(&value.map_or("absent".into(), |value| value.to_string()));
                    output.push('\n');
                }
            }
            Err(errors) => {
                for error in errors {
                    output.push_str(&format!("{}: {}\n", error.code.as_str(), error.message));
                }
            }
        }
    }
    output
}

#[test]
fn integers_are_of_32_bits() {
    expect![[r#"
        1
        -2147483648
        1
        null
        absent
        BAD_USER_INPUT: Variable "$v" got invalid value 2147483648; Int cannot represent non 32-bit signed integer value: 2147483648
        BAD_USER_INPUT: Variable "$v" got invalid value 1e+300; Int cannot represent non 32-bit signed integer value: 1e+300
        BAD_USER_INPUT: Variable "$v" got invalid value 1.5; Int cannot represent non-integer value: 1.5
        BAD_USER_INPUT: Variable "$v" got invalid value "x"; Int cannot represent non-integer value: "x"
        BAD_USER_INPUT: Variable "$v" got invalid value true; Int cannot represent non-integer value: true
        BAD_USER_INPUT: Variable "$v" got invalid value [1]; Int cannot represent non-integer value: [1]
        BAD_USER_INPUT: Variable "$v" got invalid value { a: [1, [2, [Array]]], b: {} }; Int cannot represent non-integer value: { a: [1, [2, [Array]]], b: {} }
    "#]].assert_eq(&coerced(
        "query ($v: Int) { albums(first: $v) { id } }",
        &[
            r#"{"v":1}"#,
            r#"{"v":-2147483648}"#,
            r#"{"v":1.0}"#,
            r#"{"v":null}"#,
            "{}",
            r#"{"v":2147483648}"#,
            r#"{"v":1e300}"#,
            r#"{"v":1.5}"#,
            r#"{"v":"x"}"#,
            r#"{"v":true}"#,
            r#"{"v":[1]}"#,
            r#"{"v":{"a":[1,[2,[3,[4]]]],"b":{}}}"#,
        ],
    ));
}

#[test]
fn texts_are_values_at_places_that_take_them() {
    let mut schema = test_schema();
    let filter = schema.find_type("AlbumFilter").unwrap();
    let year = schema.find_input_field(filter, "year").unwrap();
    schema.text_inputs.insert(year);
    let operation = test_operation(
        &schema,
        "query ($n: Int!, $f: AlbumFilter) {
            a: albums(filter: {year: $n}) { id } b: albums(filter: $f) { id } }",
    );
    let check = |given: &str| {
        let Ok(Json::Object(given)) = serde_json::from_str(given) else { panic!("{given}") };
        let coerced = coerce_variable_values(&schema, &operation, &given);
        coerced.map(|variables| variables.values).map_err(|errors| errors.len())
    };
    let text = r#"{"n": "7", "f": {"year": " 8 ", "ids": [1]}}"#;
    assert_eq!(check(text), check(r#"{"n": 7, "f": {"year": 8, "ids": [1]}}"#));
    assert!(check(text).is_ok());
    assert_eq!(check(r#"{"n": "x", "f": {"year": "8", "ids": ["1"]}}"#), Err(2));
}

#[test]
fn required_values_must_be_there() {
    expect![[r#"
        "a"
        "4"
        "4"
        "9007199254740993"
        BAD_USER_INPUT: Variable "$v" got invalid value 4.5; ID cannot represent value: 4.5
        BAD_USER_INPUT: Variable "$v" got invalid value true; ID cannot represent value: true
        BAD_USER_INPUT: Variable "$v" of non-null type "ID!" must not be null.
        BAD_USER_INPUT: Variable "$v" of required type "ID!" was not provided.
    "#]]
    .assert_eq(&coerced(
        "query ($v: ID!) { node(id: $v) { id } }",
        &[
            r#"{"v":"a"}"#,
            r#"{"v":4}"#,
            r#"{"v":4.0}"#,
            r#"{"v":9007199254740993}"#,
            r#"{"v":4.5}"#,
            r#"{"v":true}"#,
            r#"{"v":null}"#,
            "{}",
        ],
    ));
}

#[test]
fn defaults_stand_for_absent_values_only() {
    expect![[r#"
        ["TITLE_ASC"]
        {"ids":[1],"year":2000,"order":"NATURAL"}
        null
        null
        ["TITLE_DESC"]
        {"year":2000,"order":"NATURAL"}
    "#]]
    .assert_eq(&coerced(
        "query ($o: [AlbumOrder!] = TITLE_ASC, $f: AlbumFilter = {ids: 1}) {
           albums(orderBy: $o, filter: $f) { id }
         }",
        &["{}", r#"{"o":null,"f":null}"#, r#"{"o":"TITLE_DESC","f":{}}"#],
    ));
}

#[test]
fn enum_values_are_names() {
    expect![[r#"
        ["TITLE_ASC","NATURAL"]
        ["NATURAL"]
        BAD_USER_INPUT: Variable "$o" got invalid value "title" at "o[0]"; Value "title" does not exist in "AlbumOrder" enum.
        BAD_USER_INPUT: Variable "$o" got invalid value 1 at "o[0]"; Enum "AlbumOrder" cannot represent non-string value: 1.
        BAD_USER_INPUT: Variable "$o" got invalid value null at "o[0]"; Expected non-nullable type "AlbumOrder!" not to be null.
    "#]].assert_eq(&coerced(
        "query ($o: [AlbumOrder!]) { albums(orderBy: $o) { id } }",
        &[
            r#"{"o":["TITLE_ASC","NATURAL"]}"#,
            r#"{"o":"NATURAL"}"#,
            r#"{"o":["title"]}"#,
            r#"{"o":[1]}"#,
            r#"{"o":[null]}"#,
        ],
    ));
}

#[test]
fn input_objects_keep_their_order_and_refuse_what_they_do_not_define() {
    expect![[r#"
        {"title":"t","ids":[1,2],"extra":{"z":1,"a":[null]},"year":2000,"order":"NATURAL"}
        {"extra":null,"not":{"not":{"year":1,"order":"NATURAL"},"year":2000,"order":"NATURAL"},"ids":[3],"title":null,"year":2000,"order":"NATURAL"}
        BAD_USER_INPUT: Variable "$f" got invalid value null at "f.year"; Expected non-nullable type "Int!" not to be null.
        BAD_USER_INPUT: Variable "$f" got invalid value "x" at "f.not.ids[1]"; Int cannot represent non-integer value: "x"
        BAD_USER_INPUT: Variable "$f" got invalid value null at "f.not.ids[2]"; Expected non-nullable type "Int!" not to be null.
        BAD_USER_INPUT: Variable "$f" got invalid value { tilte: "t", year: 1 }; Field "tilte" is not defined by type "AlbumFilter". Did you mean "title"?
        BAD_USER_INPUT: Variable "$f" got invalid value [{}]; Expected type "AlbumFilter" to be an object.
    "#]].assert_eq(&coerced(
        "query ($f: AlbumFilter) { albums(filter: $f) { id } }",
        &[
            r#"{"f":{"title":"t","ids":[1,2],"extra":{"z":1,"a":[null]}}}"#,
            r#"{"f":{"extra":null,"not":{"not":{"year":1}},"ids":3,"title":null}}"#,
            r#"{"f":{"year":null}}"#,
            r#"{"f":{"not":{"ids":[1,"x",null]}}}"#,
            r#"{"f":{"tilte":"t","year":1}}"#,
            r#"{"f":[{}]}"#,
        ],
    ));
}

#[test]
fn missing_fields_are_named() {
    expect![[r#"
        {"stars":1,"public":true}
        {"public":false,"stars":1.5}
        BAD_USER_INPUT: Variable "$r" got invalid value "yes" at "r.public"; Boolean cannot represent a non boolean value: "yes"
        BAD_USER_INPUT: Variable "$r" got invalid value { public: "yes" }; Field "stars" of required type "Float!" was not provided.
        BAD_USER_INPUT: Variable "$r" got invalid value "5" at "r.stars"; Float cannot represent non numeric value: "5"
    "#]].assert_eq(&coerced(
        "mutation ($r: RatingInput!) { rate(id: 1, rating: $r) { id } }",
        &[
            r#"{"r":{"stars":1}}"#,
            r#"{"r":{"public":false,"stars":1.5}}"#,
            r#"{"r":{"public":"yes"}}"#,
            r#"{"r":{"stars":"5","public":null}}"#,
        ],
    ));
}

#[test]
fn lists_of_lists_coerce_their_elements() {
    expect![[r#"
        [[1],[2,null]]
        ""
        [[1],[2]]
        ""
        [[1]]
        ""
        [null,[]]
        ""
        BAD_USER_INPUT: Variable "$m" got invalid value "a" at "m[0][0]"; Int cannot represent non-integer value: "a"
        BAD_USER_INPUT: Variable "$m" got invalid value { b: 1 } at "m[0][1]"; Int cannot represent non-integer value: { b: 1 }
        BAD_USER_INPUT: Variable "$t" got invalid value 1; String cannot represent a non string value: 1
    "#]].assert_eq(&coerced(
        "query ($m: [[Int]], $t: String!) { search(text: $t, matrix: $m) { __typename } }",
        &[
            r#"{"t":"","m":[[1],[2,null]]}"#,
            r#"{"t":"","m":[1,2]}"#,
            r#"{"t":"","m":1}"#,
            r#"{"t":"","m":[null,[]]}"#,
            r#"{"t":1,"m":[["a",{"b":1}]]}"#,
        ],
    ));
}

#[test]
fn null_for_a_condition_is_refused() {
    expect![[r#"
        true
        false
        BAD_USER_INPUT: Argument "if" of non-null type "Boolean!" must not be null.
    "#]]
    .assert_eq(&coerced(
        "query ($b: Boolean = true) { albums { id @include(if: $b) } }",
        &["{}", r#"{"b":false}"#, r#"{"b":null}"#],
    ));
}

#[test]
fn hostile_values_cost_little() {
    let deep = format!(r#"{{"f":{}1{}}}"#, r#"{"not":"#.repeat(120), "}".repeat(120));
    let unknown: Vec<String> = (0..20_000).map(|index| format!(r#""x{index}":1"#)).collect();
    let unknown = format!(r#"{{"f":{{{}}}}}"#, unknown.join(","));
    let output =
        coerced("query ($f: AlbumFilter) { albums(filter: $f) { id } }", &[&deep, &unknown]);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 1 + MAX_ERRORS + 1);
    assert!(output.len() < 100_000, "{}", output.len());
}
