//! Templates with their values, over one set of variables.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::{Environment, Scope, Template};

const SCOPE: Scope<'static> =
    Scope { variables: &["$body", "$session_variables", "$"], has_session: true };

fn evaluate(template: &Template, most_bytes: usize) -> Result<Value, String> {
    let body = json!({
        "input": {"name": "Ada", "age": 36, "tags": ["a", "b"], "none": null, "my key": 1.5},
        "articles": [
            {"id": 0, "title": "One", "published": true},
            {"id": 1, "title": "Two", "published": false},
        ],
    });
    let session = json!({"x-hasura-role": "editor", "x-hasura-user-id": "7"});
    let environment = Environment {
        variables: &[("$body", &body), ("$session_variables", &session), ("$", &body)],
        session: session.as_object(),
        most_bytes,
    };
    template.evaluate(&environment).map_err(|error| error.to_string())
}

/// The value of a template, or its error.
fn check(text: &str, expected: &Expect) {
    let value = match Template::parse(text, SCOPE) {
        Ok(template) => evaluate(&template, 1 << 20),
        Err(error) => Err(format!("not read: {error}")),
    };
    expected.assert_eq(&value.map_or_else(|error| error, |value| value.to_string()));
}

#[test]
fn json_is_a_template() {
    check(
        r#" {"a": [1, -2.5e3, true, null], "b": {"c": {}}, "": []} # the end"#,
        &expect![[r#"{"a":[1,-2500.0,true,null],"b":{"c":{}},"":[]}"#]],
    );
    check(r#""\" \\ \/ \n \u00e4 \ud83d\ude00 \{{ {x""#, &expect![[r#""\" \\ / \n ä 😀 {{ {x""#]]);
}

#[test]
fn paths_lead_to_members_and_elements() {
    check("{{$body.input.name}}", &expect![[r#""Ada""#]]);
    check("{{ $.articles[1].title }}", &expect![[r#""Two""#]]);
    check("{{ $body.input['my key'] }}", &expect!["1.5"]);
    check("{{ $session_variables['x-hasura-role'] }}", &expect![[r#""editor""#]]);
    check("{{ $body['in put'] }}", &expect!["line 1, column 9: the object has no member `in put`"]);
    check("{{ $body.articles[9] }}", &expect!["line 1, column 18: the array has no element 9"]);
    check(
        "{{ $body.input.name.x }}",
        &expect![[r#"line 1, column 20: a string has no member "x", only an object has"#]],
    );
}

#[test]
fn optional_paths_are_null_where_something_is_missing() {
    check("{{ $body?.nothing.at.all }}", &expect!["null"]);
    check("{{ $body.nothing?.x }}", &expect!["null"]);
    check("{{ $unknown?.x }}", &expect!["null"]);
    check("{{ $body?['input'].tags[1] }}", &expect![[r#""b""#]]);
    check("{{ $body.input.none ?? 1 }}", &expect!["1"]);
    check("{{ $body?.nothing ?? $body.input.name }}", &expect![[r#""Ada""#]]);
    check("{{ $body.input.age?.x }}", &expect!["line 1, column 19: a number has no members"]);
}

#[test]
fn strings_have_expressions() {
    check(
        r#""http://{{ $body.input.name }}/{{ $body.input.age }}?{{ $body.input.tags }}{{ null }}""#,
        &expect![[r#""http://Ada/36?[\"a\",\"b\"]null""#]],
    );
    check(r#"{"x": "{{ $body.input.none ?? "-" }}"}"#, &expect![[r#"{"x":"-"}"#]]);
}

#[test]
fn conditions_choose_a_value() {
    let template = |age: &str| {
        format!(
            r#"{{{{ if {age} > 40 }}}} "old" {{{{ elif {age} >= 36 && $.input.name == "Ada" }}}}
               {{"a": {age}}} {{{{ else }}}} null {{{{ end }}}}"#
        )
    };
    check(&template("50"), &expect![[r#""old""#]]);
    check(&template("$.input.age"), &expect![[r#"{"a":36}"#]]);
    check(&template("1"), &expect!["null"]);
    check(
        "{{ if 1 }} 2 {{ else }} 3 {{ end }}",
        &expect!["line 1, column 1: a boolean is wanted, not a number"],
    );
}

#[test]
fn loops_make_lists() {
    check(
        r#"{{ range i, x := $body.articles }} {"n": {{i}}, "t": "{{x.title}}!"} {{ end }}"#,
        &expect![[r#"[{"n":0,"t":"One!"},{"n":1,"t":"Two!"}]"#]],
    );
    check(
        "{{ range _, x := $.articles }}{{ range _, y := $.input.tags }}[{{x.id}}, {{y}}]{{ end }}{{ end }}",
        &expect![[r#"[[[0,"a"],[0,"b"]],[[1,"a"],[1,"b"]]]"#]],
    );
    check(
        "{{ range _, x := $.input }} 1 {{ end }}",
        &expect!["line 1, column 1: `range` is over an array, not an object"],
    );
}

#[test]
fn operators_compare_and_combine() {
    for (text, expected) in [
        ("1 < 2", "true"),
        ("1 == 1.0", "true"),
        ("$.input.name != 'x'", "not read"),
        (r#"$.input.name != "x""#, "true"),
        (r#""a" in $.input.tags"#, "true"),
        (r#""name" in $.input"#, "true"),
        ("true && false || true", "true"),
        ("not true || true", "false"),
        ("not(false) && size([1]) == 1", "true"),
        ("(1 == 2) == false", "true"),
        ("null ?? null ?? 3", "3"),
    ] {
        let found = match Template::parse(&format!("{{{{ {text} }}}}"), SCOPE) {
            Ok(template) => evaluate(&template, 1 << 20).unwrap().to_string(),
            Err(_) => "not read".to_owned(),
        };
        assert_eq!(found, expected, "{text}");
    }
    check("{{ true && 1 }}", &expect!["line 1, column 9: a boolean is wanted, not a number"]);
    check(
        "{{ 1 in 2 }}",
        &expect!["line 1, column 6: `in` takes an array or an object, not a number"],
    );
}

#[test]
fn functions_are_those_of_the_original() {
    check(
        r#"[{{empty({"a": 1})}}, {{empty(" ")}}, {{empty(0)}}, {{empty(null)}}]"#,
        &expect!["[false,true,true,true]"],
    );
    check(
        r#"[{{size("äb")}}, {{size([1])}}, {{size({"a": 1})}}, {{size(7)}}, {{size(true)}}]"#,
        &expect!["[2,1,1,7,1]"],
    );
    check(
        r#"[{{inverse("ab")}}, {{inverse([1, 2])}}, {{inverse(4)}}, {{inverse(true)}}]"#,
        &expect![[r#"["ba",[2,1],0.25,false]"#]],
    );
    check(
        r#"[{{head("ab")}}, {{head([1])}}, {{tail("abc")}}, {{tail([1, 2])}}]"#,
        &expect![[r#"["a",1,"bc",[2]]"#]],
    );
    check(
        r#"[{{toCaseFold("Straße")}}, {{toLower("A")}}, {{toUpper("b")}}, {{toTitle("ab CD")}}]"#,
        &expect![[r#"["strasse","a","B","Ab Cd"]"#]],
    );
    check(r#"{{escapeUri("a b/ä~")}}"#, &expect![[r#""a%20b%2F%C3%A4~""#]]);
    check(
        r#"[{{fromPairs([["a", 1], ["b", 2]])}}, {{toPairs({"a": 1})}}, {{removeNulls([1, null])}}]"#,
        &expect![[r#"[{"a":1,"b":2},[["a",1]],[1]]"#]],
    );
    check(
        r#"[{{concat([[1], [2]])}}, {{concat(["a", "b"])}}, {{concat([{"a": 1}, {"a": 2}])}}]"#,
        &expect![[r#"[[1,2],"ab",{"a":2}]"#]],
    );
    check(r#"{{getSessionVariable("X-Hasura-Role")}}"#, &expect![[r#""editor""#]]);
    check(
        r#"{{getSessionVariable("x-hasura-none")}}"#,
        &expect![[
            r#"line 1, column 3: getSessionVariable: Session variable "x-hasura-none" not found"#
        ]],
    );
    check("{{head([])}}", &expect!["line 1, column 3: head: Empty array"]);
    check("{{empty(true)}}", &expect!["line 1, column 3: empty: a boolean has no emptiness"]);
    check(
        r#"{{concat([1, "a"])}}"#,
        &expect!["line 1, column 3: concat: expected a number, found a string"],
    );
    check("{{inverse(0)}}", &expect!["line 1, column 3: inverse: the number 0 has no inverse"]);
}

#[test]
fn mistakes_are_told_with_their_places() {
    check(
        "{{ $bodi.x }}",
        &expect![
            "not read: line 1, column 4: there is no variable `$bodi` here, only $body, $session_variables, $"
        ],
    );
    check(
        "\n {{ upper(1) }}",
        &expect![
            "not read: line 2, column 5: there is no function `upper`, only empty, size, inverse, head, tail, toCaseFold, toLower, toUpper, toTitle, escapeUri, fromPairs, toPairs, removeNulls, concat, not, getSessionVariable"
        ],
    );
    check(
        "",
        &expect!["not read: line 1, column 1: a value is wanted, not the end of the template"],
    );
    check(
        "{{ $body",
        &expect!["not read: line 1, column 9: `}}` is wanted, not the end of the template"],
    );
    check(
        "{\"a\": 1,}",
        &expect!["not read: line 1, column 9: a key in quotes is wanted, not `}`"],
    );
    check(
        "{\"a{{1}}\": 1}",
        &expect![
            "not read: line 1, column 3: a key has no expressions: use `fromPairs` for such objects"
        ],
    );
    check(
        "{{ if true }} 1 {{ end }}",
        &expect![
            "not read: line 1, column 20: `elif` or `else`, which every `if` has, is wanted, not `end }}`"
        ],
    );
    check(
        "{{ else }}",
        &expect!["not read: line 1, column 4: `{{ else }}` stands where a value is wanted"],
    );
    check(
        "1 2",
        &expect!["not read: line 1, column 3: the end of the template is wanted, not `2`"],
    );
    check(
        "\"\\x\"",
        &expect![
            "not read: line 1, column 4: a backslash stands before one of `\" \\ / b f n r t u {`"
        ],
    );
    check("\"\\ud800\"", &expect!["not read: line 1, column 8: an escape is no character"]);
    check("01", &expect!["not read: line 1, column 1: `01` is no number"]);
    check(
        "{{ range _, _ := [] }} 1 {{ end }}",
        &expect![
            "not read: line 1, column 23: the value of an element needs a name other than `_`"
        ],
    );
}

#[test]
fn a_variable_of_a_loop_ends_with_it() {
    check(
        "[{{ range _, x := [1] }} {{x}} {{ end }}, {{ x }}]",
        &expect![
            "not read: line 1, column 46: there is no variable `x` here, only $body, $session_variables, $"
        ],
    );
}

#[test]
fn without_a_session_there_is_no_function_for_it() {
    let scope = Scope { variables: &["$body"], has_session: false };
    let error = Template::parse(r#"{{getSessionVariable("a")}}"#, scope).unwrap_err();
    assert!(error.message.starts_with("there is no function `getSessionVariable`"), "{error}");
}

#[test]
fn a_text_is_the_inside_of_a_string() {
    let text = |text: &str| {
        let template = Template::parse_text(text, SCOPE).unwrap();
        evaluate(&template, 1 << 20).unwrap()
    };
    assert_eq!(
        text("https://example.com/{{$body.input.name}}?a=\"b\""),
        "https://example.com/Ada?a=\"b\""
    );
    assert_eq!(text(""), "");
    assert_eq!(text("{{ $body.input.none }}"), "null");
    assert!(Template::parse_text("{{ $body", SCOPE).is_err());
}

#[test]
fn templates_are_limited() {
    let nested = |depth: usize| [&*"[".repeat(depth), &*"]".repeat(depth)].concat();
    assert!(Template::parse(&nested(63), SCOPE).is_ok());
    let error = Template::parse(&nested(100_000), SCOPE).unwrap_err();
    assert_eq!(&*error.message, "the template is nested deeper than 64");
    let error = Template::parse(&" ".repeat(crate::MOST_BYTES + 1), SCOPE).unwrap_err();
    assert!(error.message.starts_with("the template has more than"), "{error}");
    // A loop in a loop in a loop.
    let list = "[1,1,1,1,1,1,1,1,1,1]";
    let mut bomb = list.to_owned();
    for _ in 0..8 {
        bomb = format!("{{{{ range _, x := {list} }}}} {bomb} {{{{ end }}}}");
    }
    let template = Template::parse(&bomb, SCOPE).unwrap();
    let error = evaluate(&template, 1 << 20).unwrap_err();
    assert_eq!(error, "the values of the template take more than 1048576 bytes");
}

/// Templates that are cut, and templates in which a byte is another one, are read or refused.
#[test]
fn no_text_makes_the_reader_panic() {
    let text = r#"{"a": {{ if not $body?.x['y'] ?? true && [1][0] <= 2 }} "\u00e4{{ $ }}" {{ else }}
        {{ range i, x := concat([[1], $.input.tags]) }} {{x}} {{ end }} {{ end }}, "ä": -1.5e2}"#;
    let alphabet =
        ["{{", "}}", "\"", "'", "\\", "[", "]", "?", "ä", "", "1", "$", ".", "range", "#"];
    for end in 0..text.len() {
        let Some((before, rest)) = text.split_at_checked(end) else { continue };
        let after = rest.chars().next().map_or("", |c| &rest[c.len_utf8()..]);
        for part in alphabet {
            for changed in [before.to_owned(), [before, part, after].concat()] {
                if let Ok(template) = Template::parse(&changed, SCOPE) {
                    drop(evaluate(&template, 10_000));
                }
                drop(Template::parse_text(&changed, SCOPE));
            }
        }
    }
}
