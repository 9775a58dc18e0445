use super::*;

/// The lines of the names in a document, and the directives of its types.
fn parse(text: &str) -> Definitions {
    parse_definitions(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn refused(text: &str) -> Vec<(String, Vec<u32>)> {
    let errors = parse_definitions(text).expect_err(text);
    let lines = |error: &GraphQLError| error.locations.iter().map(|at| at.line).collect();
    errors.into_iter().map(|error| (error.message.clone(), lines(&error))).collect()
}

#[test]
fn names_have_the_lines_where_they_stand() {
    let text = "\"\"\"\nOf a film.\n\"\"\"\ntype Film implements Work & Thing @node(labels: [\"A\"]) {\
                \n  \"Its title.\"\n  title: String! @alias(\n    property: \"name\")\n}\r\nunion U =\n\
                 | Film\rextend enum E { A @deprecated }";
    let definitions = parse(text);
    let film = &definitions.types[0];
    assert_eq!((&*film.name, film.line, film.is_extension), ("Film", 4, false));
    assert_eq!(film.description.as_deref(), Some("Of a film."));
    let TypeBody::Object(composite) = &film.body else { panic!("{film:?}") };
    let interfaces = composite.interfaces.iter().map(|one| (&*one.name, one.line));
    assert_eq!(interfaces.collect::<Vec<_>>(), [("Work", 4), ("Thing", 4)]);
    let title = &composite.fields[0];
    assert_eq!((title.line, title.description.as_deref()), (6, Some("Its title.")));
    assert_eq!((title.directives[0].line, title.directives[0].arguments[0].line), (6, 7));
    assert_eq!((definitions.types[1].line, definitions.types[2].line), (9, 11));
    let TypeBody::Union(members) = &definitions.types[1].body else { panic!("{definitions:?}") };
    assert_eq!(members[0].line, 10);
}

#[test]
fn names_and_strings_have_columns() {
    let text = "type A @b(c: [{d: \"e\"}, f,\n  \"g\"]) { h(i: J): K @l }\nenum L { M }";
    let definitions = parse(text);
    let a = &definitions.types[0];
    assert_eq!((a.column, a.directives[0].column), (6, 9));
    let argument = &a.directives[0].arguments[0];
    assert_eq!((argument.column, argument.strings.as_slice()), (11, &[(1, 19), (2, 3)][..]));
    let TypeBody::Enum(values) = &definitions.types[1].body else { panic!("{definitions:?}") };
    assert_eq!(values[0].column, 10);
}

#[test]
fn values_are_as_they_are_written() {
    let text =
        "type A @b(a: 1, b: -1.50e3, c: \"d\\n\", e: F, g: [true, null], h: {i: J}) { k: L }";
    let definitions = parse(text);
    let arguments = &definitions.types[0].directives[0].arguments;
    let values: Vec<&Literal> = arguments.iter().map(|argument| &argument.value).collect();
    let expected = [
        Literal::Int("1".into()),
        Literal::Float("-1.50e3".into()),
        Literal::String("d\n".into()),
        Literal::Enum("F".into()),
        Literal::List(vec![Literal::Boolean(true), Literal::Null]),
        Literal::Object(vec![("i".into(), Literal::Enum("J".into()))]),
    ];
    assert_eq!(values, expected.iter().collect::<Vec<_>>());
}

#[test]
fn types_of_fields_print_as_they_are_written() {
    let definitions = parse("type A { a: B b: B! c: [B] d: [B!]! e: [[B!]]! }");
    let TypeBody::Object(composite) = &definitions.types[0].body else { panic!("{definitions:?}") };
    let types: Vec<String> =
        composite.fields.iter().map(|field| field.r#type.to_string()).collect();
    assert_eq!(types, ["B", "B!", "[B]", "[B!]!", "[[B!]]!"]);
}

#[test]
fn schemas_and_directives_are_told_apart_from_types() {
    let definitions = parse(
        "extend schema @query(read: false)\ndirective @a(b: Int) on OBJECT\nschema { query: Q }",
    );
    assert_eq!(definitions.types, []);
    let [directive] = &definitions.directives[..] else { panic!("{definitions:?}") };
    assert_eq!((&*directive.name, directive.line), ("a", 2));
    assert_eq!(definitions.schemas.len(), 2);
    assert_eq!(definitions.schemas[0].directives.len(), 1);
    let operation = ("query", Named { name: "Q".into(), line: 3, column: 17 });
    assert_eq!(definitions.schemas[1].operations, [operation]);
}

#[test]
fn what_is_no_definition_is_refused_with_its_line() {
    assert_eq!(
        refused("type A { b: C }\nquery { a }"),
        [("An operation does not belong to type definitions.".to_owned(), vec![2])]
    );
    assert_eq!(
        refused("fragment F on A { a }"),
        [("A fragment does not belong to type definitions.".to_owned(), vec![1])]
    );
    let broken = refused("type A {\n  b: \n}");
    assert!(broken[0].0.contains("expected") && !broken[0].1.is_empty(), "{broken:?}");
}

#[test]
fn deep_nesting_is_refused() {
    for depth in [100, 10_000] {
        let list = format!("type A {{ b: {}C{} }}", "[".repeat(depth), "]".repeat(depth));
        let value = format!("type A @b(c: {}{}) {{ d: E }}", "[".repeat(depth), "]".repeat(depth));
        for text in [list, value] {
            assert!(parse_definitions(&text).is_err(), "{depth}");
        }
    }
}

#[test]
fn an_empty_text_defines_nothing() {
    for text in ["", " ,\t\r\n", "# nothing\n", "\u{FEFF}# a\r # b"] {
        assert_eq!(parse(text), Definitions::default(), "{text:?}");
    }
}

#[test]
fn a_text_is_a_type_as_a_whole() {
    let parse = |text: &str| TypeExpression::parse(text).map(|one| one.to_string());
    for text in ["a", "_A1!", "[a]", "[[a!]!]!"] {
        assert_eq!(parse(text).as_deref(), Some(text));
    }
    assert_eq!(parse(" [ a ! ]\n").as_deref(), Some("[a!]"));
    let wrong = ["", " ", "#", "!", "]", "[", "[]", "[!", "[a", "a]", "1", "\"", "{", "$a", "a!!"];
    for text in wrong.into_iter().chain(["[a]]", "a,b", "a b", "\u{feff}", "é", "...", "a#", "a.b"])
    {
        assert_eq!(parse(text), None, "{text:?}");
    }
    let nested = |depth: usize| ["[".repeat(depth), "a".into(), "]".repeat(depth)].concat();
    assert!(parse(&nested(100)).is_some());
    assert_eq!(parse(&nested(100_000)), None);
}
