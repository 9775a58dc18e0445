use super::*;
use crate::yaml;

/// Reads an expression; gives its JSON, or its problems.
fn read(text: &str) -> Result<BooleanExpression, String> {
    let node = yaml::read(&"a.yaml".into(), text).unwrap();
    let mut reader = Reader::new();
    let expression = BooleanExpression::read(&node, &mut reader);
    let problems: Vec<String> = reader.problems.iter().map(ToString::to_string).collect();
    match expression {
        Some(expression) => {
            assert_eq!(problems, Vec::<String>::new());
            Ok(expression)
        }
        None => Err(problems.join("\n")),
    }
}

fn check(text: &str, expected: Result<&str, &str>) {
    let read = read(text).map(|expression| expression.write().compact());
    assert_eq!(read.as_deref().map_err(String::as_str), expected, "{text}");
}

/// The test of the only field of an expression.
fn test_of(text: &str) -> FieldTest {
    match read(text).unwrap().conditions.pop() {
        Some(Condition::Field(field)) => field.test,
        other => panic!("{other:?}"),
    }
}

#[test]
fn expressions_are_written_as_read_with_sorted_keys() {
    check("{}", Ok("{}"));
    check(
        "{b: {_gt: 1, _eq: 2}, a: {_is_null: true}}",
        Ok(r#"{"a":{"_is_null":true},"b":{"_eq":2,"_gt":1}}"#),
    );
    check("{$or: [{}, {a: {$eq: 1}}], $not: {}}", Ok(r#"{"_not":{},"_or":[{},{"a":{"$eq":1}}]}"#));
    check(
        "{_exists: {_table: t, _where: {}}}",
        Ok(r#"{"_exists":{"_table":{"name":"t","schema":"public"},"_where":{}}}"#),
    );
    check("{a: {b: {c: {_in: [1, x]}}}}", Ok(r#"{"a":{"b":{"c":{"_in":[1,"x"]}}}}"#));
    check("{a: {_ceq: [$, b]}}", Ok(r#"{"a":{"_ceq":["$","b"]}}"#));
    check("{a: {_ceq: b}}", Ok(r#"{"a":{"_ceq":"b"}}"#));
    check("{a: {_ceq: [b]}}", Ok(r#"{"a":{"_ceq":["b"]}}"#));
    check("{a: {_cast: {String: {_like: x}}}}", Ok(r#"{"a":{"_cast":{"String":{"_like":"x"}}}}"#));
}

#[test]
fn relationships_are_told_from_columns() {
    assert_eq!(test_of("{a: {}}"), FieldTest::Empty);
    assert!(matches!(test_of("{a: {_eq: 1}}"), FieldTest::Comparisons(_)));
    assert!(matches!(test_of("{a: {b: {_eq: 1}}}"), FieldTest::Related(_)));
    assert!(matches!(test_of("{a: {_and: []}}"), FieldTest::Related(_)));
    assert!(matches!(test_of("{a: {_not: {b: 1}}}"), FieldTest::Related(_)));
    assert!(matches!(test_of("{a: {_id: {_eq: 1}}}"), FieldTest::Related(_)));
}

#[test]
fn session_variables_are_recognised_in_any_case() {
    let variable = |text: &str| Operand::Session(SessionVariable { text: text.to_owned() });
    assert_eq!(test_of("{a: X-HASURA-User-Id}"), FieldTest::Equals(variable("x-hasura-user-id")));
    let operand = |text: &str| match test_of(text) {
        FieldTest::Comparisons(comparisons) => comparisons[0].operand.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(operand("{a: {_eq: x-hasura-Org}}"), variable("X-Hasura-Org"));
    assert_eq!(operand("{a: {_in: x-hasura-Orgs}}"), variable("x-hasura-orgs"));
    assert_eq!(
        operand("{a: {_in: [x-hasura-Org, 1]}}"),
        Operand::List(vec![variable("x-hasura-org"), Operand::Literal(Json::Number(1.into()))])
    );
    assert_eq!(operand("{a: {_eq: x-hasur}}"), Operand::Literal(Json::String("x-hasur".into())));
    let name = SessionVariable { text: "X-Hasura-Ü".into() };
    assert_eq!(name.name(), "x-hasura-Ü");
    assert!(!SessionVariable::is_name("x-hasurä-id"));
}

#[test]
fn problems_have_a_place_and_a_remedy() {
    check("[]", Err("a.yaml:1:1: The value is a list, but an object is wanted."));
    check(
        "{_eq: 1}",
        Err(
            "a.yaml:1:7 (_eq): The operator `_eq` stands where a column is wanted: write `column: \
         {_eq: …}`.",
        ),
    );
    check(
        "{a: {_eqq: 1}}",
        Err("a.yaml:1:6 (a): The key `_eqq` of comparisons is unknown. Did you mean `_eq`?"),
    );
    check(
        "{a: {_eq: 1, b: 2}}",
        Err("a.yaml:1:14 (a): The key `b` of comparisons is unknown. Remove it, or correct it."),
    );
    check(
        "{a: {_is_null: 1}, b: {_in: 1}, c: {_ceq: {}}, d: {_ceq: [$]}}",
        Err("a.yaml:1:16 (a._is_null): The value is a number, but true or false is wanted.\n\
         a.yaml:1:29 (b._in): The value is a number, but a list, or a session variable, is wanted.\n\
         a.yaml:1:43 (c._ceq): The value is an object, but a column, or a list as in [\"$\", \
         \"column\"], is wanted.\n\
         a.yaml:1:58 (d._ceq): The list names no column, as in [\"$\", \"column\"]."),
    );
    check(
        "{_and: {}, _exists: {_where: {}}}",
        Err("a.yaml:1:8 (_and): The value is an object, but a list is wanted.\n\
         a.yaml:1:21 (_exists): The key `_table` of Exists is missing."),
    );
}
