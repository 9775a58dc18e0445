//! Errors of texts, with their places and remedies.

use crate::mapping::Mapping;
use crate::version::Version;

/// Checks that a text is valid from a version on, and an error before it that names the version.
#[track_caller]
fn since(version: Version, text: &str) {
    for tried in Version::ALL {
        let result = Mapping::parse(text, tried);
        if tried >= version {
            assert!(result.is_ok(), "{tried}: {result:?}");
        } else {
            let errors = result.expect_err("an error");
            let needs = format!("needs connect/{version}");
            assert!(
                errors.iter().any(|error| error.message.contains(&needs)),
                "{tried}: {errors:?}"
            );
        }
    }
}

/// Checks the errors of a text in version 0.3.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_in(Version::V0_3, text, expected);
}

#[track_caller]
fn check_in(version: Version, text: &str, expected: &[&str]) {
    let errors = Mapping::parse(text, version).expect_err("the text is an error");
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), expected.len(), "{errors:?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.starts_with(expected), "{errors:?}");
    }
}

#[test]
fn what_a_version_has() {
    since(
        Version::V0_1,
        "a b: c { d } $.e { f } g: $(1) h: $->first->map(@)->match([1, 2])->echo(3)->size",
    );
    since(Version::V0_1, "a: b?.c d? { e }");
    since(Version::V0_3, "a: $(b ?? c)");
    since(Version::V0_3, "a: $(b ?! c)");
    since(Version::V0_4, "a ...b");
}

#[test]
fn methods_and_variables_are_of_all_versions() {
    for variable in crate::variables::Variable::ALL {
        since(Version::V0_1, &format!("a: ${}", variable.name()));
    }
    for method in crate::mapping::Method::ALL {
        let arguments = match method.name() {
            "match" => "[1, 2]",
            _ if *method.arguments().start() == 0 => "",
            _ => "1",
        };
        since(Version::V0_1, &format!("a: $->{}({arguments})", method.name()));
    }
}

#[test]
fn literals_and_commas_are_of_0_4() {
    for text in ["a: 1", "a: [b]", "a, b", "{ a: 1 }", "a: { b: 2 }"] {
        assert!(Mapping::parse(text, Version::V0_3).is_err(), "{text}");
        assert!(Mapping::parse(text, Version::V0_4).is_ok(), "{text}");
    }
    check("a: 1", &["line 1, column 4: a literal stands in `$(…)`"]);
    check("a, b", &["line 1, column 2: members of a selection are separated by spaces"]);
    check("{ a: 1 }", &["line 1, column 1: an object needs a name here"]);
    check("[1]", &["line 1, column 1: a list stands in"]);
    check_in(Version::V0_4, "a,, b", &["line 1, column 3: expected a name, but found `,`"]);
    check_in(Version::V0_4, "a 'b'", &["line 1, column 3: this is a literal without a name"]);
    check_in(Version::V0_4, "a: '\\x'", &["line 1, column 5: this is no escape of JSON"]);
    assert!(Mapping::parse(r#"a: "\ud83d\ude00""#, Version::V0_4).is_ok());
    check_in(Version::V0_4, r#"a: "\ud83d""#, &["line 1, column 5: this is no escape"]);
}

#[test]
fn errors_have_places_and_remedies() {
    check("a\n  b: !", &["line 2, column 6: expected a value, but found `!`"]);
    check("a: b {", &["line 1, column 7: expected a name or `}`, but found the end"]);
    check("a }", &["line 1, column 3: expected a name, but found `}`"]);
    check("a: 'b", &["line 1, column 4: this text has no end: add ' after it"]);
    check("a.b c", &["line 1, column 1: this value has no name: write `name:` before it"]);
    check("c $.b", &["line 1, column 3: this value has no name"]);
    check("a: b + c", &["line 1, column 6: there are no such operators: use methods"]);
    check("a: b == c", &["line 1, column 6: there are no such operators"]);
    check("a: b ?? c", &["line 1, column 6: `??` and `?!` stand in `$( … )`"]);
    check("a: b[0]", &["line 1, column 5: there are no indexes: use `->first`"]);
    check(
        "a: x-b",
        &["line 1, column 5: a number stands in `$(…)`, and a name with other characters"],
    );
    check("a ->", &["line 1, column 5: expected the name of a method, but found the end"]);
    check("a: b.", &["line 1, column 6: expected a name after `.`, but found the end"]);
    check(
        "a: $ b: $nope",
        &["line 1, column 9: there is no variable `$nope`: the variables are `$`, `@`, $args,"],
    );
    check("a: b c a: d", &["line 1, column 8: `a` stands twice"]);
    check("a: b { c c }", &["line 1, column 10: `c` stands twice"]);
    check(
        "a: $({ b })",
        &["line 1, column 10: expected `:` after the name of a literal object's member"],
    );
    check("a: $([1 2])", &["line 1, column 9: expected `,` or `]`, but found `2`"]);
    check("a: $(1", &["line 1, column 7: expected `)` after the expression, but found the end"]);
    check("a: $(b ?? c ?! d)", &["line 1, column 13: `??` and `?!` have no order"]);
    check("a: $(1e999)", &["line 1, column 6: the number 1e999 is too large"]);
    check("é", &["line 1, column 1: expected a name, but found `é`"]);
}

#[test]
fn texts_are_limited() {
    let steps = |count: usize| format!("a{}", ".b".repeat(count));
    assert!(Mapping::parse(&steps(32), Version::V0_3).is_ok());
    check(&steps(33), &["line 1, column 66: this path has more than 32 steps"]);
    let nested = |count: usize| format!("{}b{}", "a { ".repeat(count), "}".repeat(count));
    assert!(Mapping::parse(&nested(30), Version::V0_3).is_ok());
    check(&nested(40), &["line 1, column 129: this is nested more than 64 levels deep"]);
}

#[test]
fn methods_are_known_and_have_their_arguments() {
    check(
        "a: b->frist",
        &["line 1, column 5: there is no method `->frist`: did you mean `->first`?"],
    );
    check(
        "a: b->xyzzyx",
        &["line 1, column 5: there is no method `->xyzzyx`: the methods are add, and, contains,"],
    );
    check("a: b->typeof", &["line 1, column 5: there is no method `->typeof`"]);
    check("a: b->first(1)", &["line 1, column 5: `->first` takes no arguments, and has 1"]);
    check("a: b->map", &["line 1, column 5: `->map` takes one argument, and has 0"]);
    check(
        "a: b->slice(1, 2, 3)",
        &["line 1, column 5: `->slice` takes 1 to 2 arguments, and has 3"],
    );
    check("a: b->add()", &["line 1, column 5: `->add` takes at least 1, and has 0"]);
    check(
        "a: b->match(1)",
        &["line 1, column 5: every argument of `->match` is a pair in brackets"],
    );
    check(
        "a: b->match([1])",
        &["line 1, column 5: every argument of `->match` is a pair in brackets"],
    );
    // All errors that do not end the parsing are said.
    check(
        "a: b->x1 c: $y d: e->z2",
        &["line 1, column 5", "line 1, column 13", "line 1, column 20"],
    );
}
