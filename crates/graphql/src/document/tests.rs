mod hostile;
mod print;

use std::fmt::Write;

use apollo_compiler::Schema as LibrarySchema;
use expect_test::expect;
use print::{print_directives, print_set};

use super::*;
use crate::leniency::Leniency;
use crate::test_schema::test_schema;
use crate::validate_schema;

/// The operation in the notation of the tests, or its errors.
fn checked(text: &str) -> String {
    checked_as(text, None)
}

fn checked_as(text: &str, operation_name: Option<&str>) -> String {
    let schema = test_schema();
    let validator = Validator::new(&schema);
    match validator.operation(&schema, text, operation_name, &DocumentLimits::default()) {
        Ok(operation) => {
            let mut output = format!("{:?} {:?}\n", operation.kind, operation.name);
            for variable in &operation.variables {
                let r#type = crate::print_type(&schema, variable.r#type);
                writeln!(output, "${}: {type} = {:?}", variable.name, variable.default).unwrap();
            }
            print_directives(&schema, &operation.directives, &mut output);
            if !operation.directives.is_empty() {
                output.push('\n');
            }
            print_set(&schema, &operation, operation.root, 0, &mut output);
            output
        }
        Err(errors) => errors.iter().map(error_line).collect(),
    }
}

/// The errors of a document under a schema that leaves rules out.
fn checked_leniently(text: &str, leniency: Leniency) -> String {
    let mut schema = test_schema();
    schema.leniency = leniency;
    let validator = Validator::new(&schema);
    match validator.operation(&schema, text, None, &DocumentLimits::default()) {
        Ok(_) => "valid".into(),
        Err(errors) => errors.iter().map(error_line).collect(),
    }
}

#[test]
fn an_empty_name_of_an_operation_is_none_where_a_schema_says_so() {
    let mut schema = test_schema();
    let found = |schema: &Schema| {
        let text = "query A { albums { id } }";
        let validator = Validator::new(schema);
        let limits = DocumentLimits::default();
        validator
            .operation(schema, text, Some(""), &limits)
            .map_err(|errors| errors.iter().map(error_line).collect::<String>())
    };
    let message = "OPERATION_RESOLUTION_FAILURE: Unknown operation named \"\".\n";
    assert_eq!(found(&schema).unwrap_err(), message);
    schema.leniency.empty_operation_name = true;
    assert!(found(&schema).is_ok());
}

#[test]
fn rules_are_left_out_where_a_schema_says_so() {
    let unused = "query ($a: Int) { albums { id } } fragment F on Album { id }";
    let items = "query ($ids: [Int]) { albums(filter: {ids: $ids}) { id } }";
    let both = "query ($ids: [Int], $b: Int) { albums(filter: {ids: $ids}) { id } }";
    let wrong = "query ($ids: [String], $b: Int) { albums(filter: {ids: $ids}) { id } }";
    let missing = "query ($id: ID, $b: Int) { node(id: $id) { id } }";
    let rules = |unused, nullable_items| Leniency { unused, nullable_items, ..Leniency::default() };
    assert_eq!(checked_leniently(unused, rules(true, false)), "valid");
    assert_eq!(checked_leniently(items, rules(false, true)), "valid");
    assert_eq!(checked_leniently(both, rules(true, true)), "valid");
    for (text, rules) in [
        (unused, rules(false, true)),
        (items, rules(true, false)),
        (both, rules(false, true)),
        (both, rules(true, false)),
        (wrong, rules(true, true)),
        (missing, rules(true, true)),
    ] {
        assert_ne!(checked_leniently(text, rules), "valid", "{text} {rules:?}");
    }
}

#[test]
fn texts_are_values_at_inputs_that_take_them() {
    let mut schema = test_schema();
    let filter = schema.find_type("AlbumFilter").unwrap();
    let query = schema.query.unwrap();
    let albums = schema.find_field(query, "albums").unwrap();
    for name in ["ids", "year"] {
        let input = schema.find_input_field(filter, name).unwrap();
        schema.text_inputs.insert(input);
    }
    let first = schema.find_argument(albums, "first").unwrap();
    let validator = Validator::new(&schema);
    let check = |text: &str| {
        let limits = DocumentLimits::default();
        let operation = validator.operation(&schema, text, None, &limits).map_err(|errors| {
            errors.iter().map(|error| error.message.clone()).collect::<String>()
        })?;
        let mut output = String::new();
        for variable in &operation.variables {
            writeln!(output, "{} {}", variable.name, variable.reads_texts).unwrap();
        }
        print_set(&schema, &operation, operation.root, 0, &mut output);
        Ok::<_, String>(output)
    };
    let text = check("{ albums(filter: {ids: [\"1\", 2], year: \"3\"}) { id } }");
    let number = check("{ albums(filter: {ids: [1  , 2], year: 3  }) { id } }");
    assert_eq!(text.unwrap(), number.unwrap());
    for refused in [
        "{ albums(filter: {ids: [\"x\"], year: 3}) { id } }",
        "{ albums(first: \"1\", filter: {year: \"3\"}) { id } }",
        "{ albums(filter: {year: \"2147483648\"}) { id } }",
    ] {
        assert!(check(refused).is_err(), "{refused}");
    }
    // Each place of a variable has to take texts.
    let of = "query ($all: Int!, $some: Int!, $within: AlbumFilter) {
        albums(first: $some, filter: {year: $all, not: {year: $some}}) { id }
        other: albums(filter: $within) { id } }";
    let found = check(of).unwrap();
    let lines: Vec<&str> = found.lines().take(3).collect();
    assert_eq!(lines, ["all true", "some false", "within false"]);
    assert!(!schema.text_inputs.contains(first));
}

fn error_line(error: &GraphQLError) -> String {
    let places = error.locations.iter().map(|at| format!(" {}:{}", at.line, at.column));
    let message = error.message.replace('\0', "NUL");
    format!("{}:{} {message}\n", error.code.as_str(), places.collect::<String>())
}

#[test]
fn a_schema_that_is_hidden_is_not_told_by_errors() {
    let mut schema = test_schema();
    schema.suggests_names = false;
    let validator = Validator::new(&schema);
    for text in INVALID {
        let checked = validator.operation(&schema, text, None, &DocumentLimits::default());
        for error in checked.expect_err("they are invalid") {
            let is_of_syntax = error.message.ends_with("{ ... }\"?");
            assert!(is_of_syntax || !error.message.contains("Did you mean"), "{}", error.message);
        }
    }
}

const INVALID: &[&str] = &[
    "{",
    "{ albums { id } } }",
    "{ albums(first: ) { id } }",
    "{ \"a\" }",
    "type Album { id: ID }",
    "{ album }",
    "{ albums }",
    "{ albums { id { x } } }",
    "{ albums { artist { nam } } }",
    "{ albums(frist: 1) { id } }",
    "{ albums(first: \"1\") { id } }",
    "{ albums(first: 3000000000) { id } }",
    "{ albums(first: 1, first: 2) { id } }",
    "{ albums(orderBy: TITLE) { id } }",
    "{ albums(orderBy: \"TITLE_ASC\") { id } }",
    "{ albums(filter: {titel: 1}) { id } }",
    "{ albums(filter: {year: null}) { id } }",
    "{ albums(filter: {year: 1, year: 2}) { id } }",
    "{ albums(filter: {extra: {a: 1, a: 2}}) { id } }",
    "{ search { __typename } }",
    "{ node(id: 1) { ... on SearchHit { ... on Query { albums { id } } } } }",
    "{ albums { ... on SearchHit { title } } }",
    "{ rate(id: 1) { id } }",
    "query ($f: AlbumFilter = {not: {order: WRONG}}) { albums(filter: $f) { id } }",
    "query ($f: RatingInput = {}) { albums { id } }",
    "{ __schema { typos } __type { name } }",
    "{ __type(name: 1) { fields(includeDeprecated: 1) { name } } }",
    "{ albums { __schema { types { name } } } }",
    "{ search(text: \"\", matrix: [[[1]]]) { __typename } }",
    "{ node(id: 1) { title } }",
    "{ ...F }",
    "{ ...F } fragment F on Query { ...F }",
    "{ ...F } fragment F on Query { ...G } fragment G on Query { albums { id } ...F }",
    "{ albums { ...F } } fragment F on Nothing { id }",
    "{ albums { ...F } } fragment F on Artist { id }",
    "{ albums { id } } fragment F on Album { id }",
    "{ albums { ... on JSON { id } } }",
    "{ albums { a: id a: title } }",
    "{ a: albums(first: 1) { id } a: albums(first: 2) { id } }",
    "{ albums { id @unknown } }",
    "{ albums { id @skip } }",
    "{ albums { id @skip(if: 1) } }",
    "{ albums { id @skip(if: true) @skip(if: true) } }",
    "{ albums { id @traced } }",
    "{ albums { id @traced(label: 1) } }",
    "{ albums { id @cached @cached } }",
    "{ albums { id @cached(by: TITLE) } }",
    "{ albums { id @cached(where: {titel: 1}) } }",
    "{ albums { id @cached(where: {year: 1, year: 2}) } }",
    "{ albums { id @cached(seconds: $a) } }",
    "query ($a: String) { albums { id @cached(seconds: $a) } }",
    "query ($a: Int @traced(label: \"a\")) { albums(first: $a) { id } }",
    "{ albums { ...F @traced(label: \"a\") } } fragment F on Album { id }",
    "{ albums { ...F } } fragment F on Album @traced(label: \"a\") { id }",
    "query @cached { albums { id } }",
    "mutation @traced(label: \"a\") { rate(id: 1, rating: {stars: 1}) { id } }",
    "query ($a: Int) { albums { id } }",
    "query ($a: Int, $a: Int) { albums(first: $a) { id } }",
    "query ($a: Album) { albums(first: $a) { id } }",
    "query ($a: Nothing) { albums(first: $a) { id } }",
    "query ($a: [[[[[[[[[Int]]]]]]]]]) { albums(first: $a) { id } }",
    "query ($a: String) { albums(first: $a) { id } }",
    "query ($a: Int! = null) { albums(first: $a) { id } }",
    "{ albums(first: $a) { id } }",
    "query ($a: ID) { node(id: $a) { id } }",
    "query ($a: Boolean) { albums { id @skip(if: $a) } }",
    "query ($a: Int) { albums(filter: {ids: [$a]}) { id } }",
    "query ($a: [Int]) { albums(filter: {year: $a}) { id } }",
    "{ albums(filter: {extra: {a: [$a]}}) { id } }",
    "query A { albums { id } } query A { albums { id } }",
    "query A { albums { id } } { albums { id } }",
    "subscription { albums { id } }",
    "mutation { rate(id: 1, rating: {public: true}) { id } }",
    "query ($x: JSON = 1e999) { search(text: \"a\", extra: $x) { __typename } }",
];

const VALID: &[&str] = &[
    "{ node(id: 1) { ... on SearchHit { ... on Node { id } } } }",
    "query ($l: String!, $s: Int, $f: AlbumFilter) @traced(label: $l) { albums { id @cached(seconds: $s, by: [TITLE_ASC], where: {not: $f}) } }",
    "{ albums { ... @traced(label: \"a\") @traced(label: \"b\") { id } } }",
    "query ($a: Int = 5) { albums(filter: {year: $a}) { id } }",
    "query ($a: Int) { albums(filter: {year: $a}) { id } }",
    "query ($a: Int!) { albums(filter: {ids: [$a, 1]}) { id } }",
    "query ($a: JSON) { albums(filter: {extra: $a}) { id } }",
    "query ($n: String!) { __type(name: $n) { name } }",
    "{ albums { id id artist { id } artist { name } } }",
    "# ü\r\n{ a: albums(filter: {title: \"üü€\"}) { id }\r b: albums { id } }",
    "\u{feff}{ albums { id } }",
    "{ search(text: \"\\u00fc\") { ... on Artist { x: name } ... on Album { x: title } } }",
];

const FIND: &str = r#"query Find($id: ID!, $first: Int = 3, $f: AlbumFilter = {ids: [1], order: NATURAL}, $y: Boolean!) {
  node(id: $id) { __typename ...A @include(if: $y) ... on Artist @skip(if: true) { name } ... { id } }
  some: albums(first: $first, orderBy: [TITLE_ASC, NATURAL], filter: $f) { ...A }
  more: albums(filter: {ids: 1, not: {year: 1999, title: null}, extra: {a: [1, "ü", X, 1.50]}}) {
    id @skip(if: $y) @include(if: true)
  }
  search(text: """
    block
      string
    """, matrix: [1, [2, null]], extra: 12345678901234567890) { ... on Album { ...A } }
  __schema { types { name } }
}
fragment A on Album { title artist { name } }"#;

#[test]
fn an_operation_is_resolved_to_ids() {
    expect![[r#"
        Query Some("Find")
        $id: ID! = None
        $first: Int = Some(Int(3))
        $f: AlbumFilter = Some(Object([("ids", List([Int(1)])), ("order", Enum("NATURAL"))]))
        $y: Boolean! = None
        set 9 on Query
        - node: node 2:3 id=Variable(Slot(0))
          set 4 on Node
          - __typename: __typename 2:19
          - ... Album if $3==true
            set 1 on Album
            - title: title 13:23
            - artist: artist 13:29
              set 0 on Artist
              - name: name 13:38
          - ... Artist if true==false
            set 2 on Artist
            - name: name 2:84
          - ... Node
            set 3 on Node
            - id: id 2:97
        - some: albums 3:3 first=Variable(Slot(1)) orderBy=[TITLE_ASC,NATURAL,] filter=Variable(Slot(2))
          set 5 on Album
          - ... Album
            set 1 on Album
            - title: title 13:23
            - artist: artist 13:29
              set 0 on Artist
              - name: name 13:38
        - more: albums 4:3 filter={ids:[Int(1),],not:{year:Int(1999),title:Null,order:NATURAL,},extra:Json("{\"a\":[1,\"ü\",\"X\",1.50]}"),year:Int(2000),order:NATURAL,}
          set 6 on Album
          - id: id 5:5 if $3==false if true==true
        - search: search 7:3 text=String("block\n  string") matrix=[[Int(1),],[Int(2),Null,],] extra=Number("12345678901234567890")
          set 8 on SearchHit
          - ... Album
            set 7 on Album
            - ... Album
              set 1 on Album
              - title: title 13:23
              - artist: artist 13:29
                set 0 on Artist
                - name: name 13:38
        - __schema: introspection 11:3
    "#]].assert_eq(&checked(
        FIND,
    ));
}

#[test]
fn directives_of_the_schema_are_kept_where_they_stand() {
    let text = r#"query ($l: String!) @traced(label: $l) {
  albums @cached(by: TITLE_ASC) @skip(if: false) { ... on Album @traced(label: "a") { id @cached(where: {ids: 1}) } }
}"#;
    expect![[r#"
        Query None
        $l: String! = None
         @traced label=Variable(Slot(0))
        set 2 on Query
        - albums: albums 2:3 if false==false @cached by=[TITLE_ASC,]
          set 1 on Album
          - ... Album @traced label=String("a")
            set 0 on Album
            - id: id 2:87 @cached where={ids:[Int(1),],year:Int(2000),order:NATURAL,}
    "#]]
    .assert_eq(&checked(text));
}

#[test]
fn mutations_have_their_root() {
    expect![[r#"
        Mutation None
        set 1 on Mutation
        - rate: rate 1:12 id=String("4") rating={stars:Int(1),public:Boolean(false),}
          set 0 on Album
          - id: id 1:61
    "#]]
    .assert_eq(&checked("mutation { rate(id: 4, rating: {stars: 1, public: false}) { id } }"));
}

#[test]
fn operations_are_found_by_name() {
    let two = "query A { albums { id } } query B { albums { id } }";
    let mut output = String::new();
    for (text, name) in [
        (two, Some("B")),
        (two, Some("C")),
        (two, None),
        ("{ albums { id } }", Some("A")),
        ("fragment A on Album { id }", None),
        ("", None),
        (" # nothing", None),
    ] {
        output.push_str(&checked_as(text, name));
    }
    expect![[r#"
        Query Some("B")
        set 1 on Query
        - albums: albums 1:37
          set 0 on Album
          - id: id 1:46
        OPERATION_RESOLUTION_FAILURE: Unknown operation named "C".
        OPERATION_RESOLUTION_FAILURE: Must provide operation name if query contains multiple operations.
        OPERATION_RESOLUTION_FAILURE: Unknown operation named "A".
        GRAPHQL_VALIDATION_FAILED: 1:1 Fragment "A" is never used.
        GRAPHQL_PARSE_FAILED: 1:1 syntax error: Unexpected <EOF>.
        GRAPHQL_PARSE_FAILED: 1:11 syntax error: Unexpected <EOF>.
    "#]].assert_eq(&output);
}

/// Each line is a document; the response names the violated rule.
#[test]
fn invalid_documents_are_refused() {
    let output: String =
        INVALID.iter().map(|text| format!("{text}\n  {}", checked(text))).collect();
    expect![[r#"
        {
          GRAPHQL_PARSE_FAILED: 1:2 syntax error: expected at least one Selection in Selection Set
        { albums { id } } }
          GRAPHQL_PARSE_FAILED: 1:19 syntax error: expected a StringValue, Name or OperationDefinition
        { albums(first: ) { id } }
          GRAPHQL_PARSE_FAILED: 1:17 syntax error: expected a valid Value
        { "a" }
          GRAPHQL_PARSE_FAILED: 1:3 syntax error: expected at least one Selection in Selection Set
        type Album { id: ID }
          GRAPHQL_VALIDATION_FAILED: 1:1 The "Album" definition is not executable.
        { album }
          GRAPHQL_VALIDATION_FAILED: 1:3 Cannot query field "album" on type "Query". Did you mean "albums"?
        { albums }
          GRAPHQL_VALIDATION_FAILED: 1:3 Field "albums" of type "Query" must have a selection of subfields. Did you mean "albums { ... }"?
        { albums { id { x } } }
          GRAPHQL_VALIDATION_FAILED: 1:12 Field "id" must not have a selection since type "ID" has no subfields
        { albums { artist { nam } } }
          GRAPHQL_VALIDATION_FAILED: 1:21 Cannot query field "nam" on type "Artist". Did you mean "name"?
        { albums(frist: 1) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:10 Unknown argument "frist" on field "Query.albums". Did you mean "first"?
        { albums(first: "1") { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 Int cannot represent value: "1"
        { albums(first: 3000000000) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 Int cannot represent non 32-bit signed integer value: 3000000000
        { albums(first: 1, first: 2) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:20 There can be only one argument named "first".
        { albums(orderBy: TITLE) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 Value "TITLE" does not exist in "AlbumOrder" enum.
        { albums(orderBy: "TITLE_ASC") { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 AlbumOrder cannot represent value: "TITLE_ASC"
        { albums(filter: {titel: 1}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:26 Field "titel" is not defined by type "AlbumFilter". Did you mean "title"?
        { albums(filter: {year: null}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:25 Int cannot represent value: null
        { albums(filter: {year: 1, year: 2}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 1:28 There can be only one input field named "year".
        { albums(filter: {extra: {a: 1, a: 2}}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:27 1:33 There can be only one input field named "a".
        { search { __typename } }
          GRAPHQL_VALIDATION_FAILED: 1:3 Field "search" argument "text" of type "String!" is required, but it was not provided.
        { node(id: 1) { ... on SearchHit { ... on Query { albums { id } } } } }
          GRAPHQL_VALIDATION_FAILED: 1:36 Fragment cannot be spread here as objects of type "SearchHit" can never be of type "Query".
        { albums { ... on SearchHit { title } } }
          GRAPHQL_VALIDATION_FAILED: 1:31 Cannot query field "title" on type "SearchHit". Did you mean to use an inline fragment on "Album"?
        { rate(id: 1) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:3 Cannot query field "rate" on type "Query".
        query ($f: AlbumFilter = {not: {order: WRONG}}) { albums(filter: $f) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:40 Value "WRONG" does not exist in "AlbumOrder" enum.
        query ($f: RatingInput = {}) { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 Variable "$f" is never used.
        GRAPHQL_VALIDATION_FAILED: 1:26 Field "RatingInput.stars" of required type "Float!" was not provided.
        { __schema { typos } __type { name } }
          GRAPHQL_VALIDATION_FAILED: 1:14 Cannot query field "typos" on type "__Schema".
        { __type(name: 1) { fields(includeDeprecated: 1) { name } } }
          GRAPHQL_VALIDATION_FAILED: 1:16 String cannot represent value: 1
        GRAPHQL_VALIDATION_FAILED: 1:47 Boolean cannot represent value: 1
        { albums { __schema { types { name } } } }
          GRAPHQL_VALIDATION_FAILED: 1:12 Cannot query field "__schema" on type "Album".
        { search(text: "", matrix: [[[1]]]) { __typename } }
          GRAPHQL_VALIDATION_FAILED: 1:30 expected value of type Int, found a list
        { node(id: 1) { title } }
          GRAPHQL_VALIDATION_FAILED: 1:17 Cannot query field "title" on type "Node". Did you mean to use an inline fragment on "Album"?
        { ...F }
          GRAPHQL_VALIDATION_FAILED: 1:3 Unknown fragment "F".
        { ...F } fragment F on Query { ...F }
          GRAPHQL_VALIDATION_FAILED: 1:32 Cannot spread fragment "F" within itself.
        { ...F } fragment F on Query { ...G } fragment G on Query { albums { id } ...F }
          GRAPHQL_VALIDATION_FAILED: 1:75 Cannot spread fragment "F" within itself.
        { albums { ...F } } fragment F on Nothing { id }
          GRAPHQL_VALIDATION_FAILED: 1:35 Unknown type "Nothing". Did you mean "String"?
        { albums { ...F } } fragment F on Artist { id }
          GRAPHQL_VALIDATION_FAILED: 1:12 Fragment "F" cannot be spread here as objects of type "Album" can never be of type "Artist".
        { albums { id } } fragment F on Album { id }
          GRAPHQL_VALIDATION_FAILED: 1:19 Fragment "F" is never used.
        { albums { ... on JSON { id } } }
          GRAPHQL_VALIDATION_FAILED: 1:26 Cannot query field "id" on type "JSON".
        { albums { a: id a: title } }
          GRAPHQL_VALIDATION_FAILED: 1:18 Fields "a" conflict because they return conflicting types "ID! and "String!". Use different aliases on the fields to fetch both if this was intentional.
        GRAPHQL_VALIDATION_FAILED: 1:18 Fields "a" conflict because "id" and "title" are different fields. Use different aliases on the fields to fetch both if this was intentional.
        { a: albums(first: 1) { id } a: albums(first: 2) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:30 Fields "albums" conflict because they have differing arguments. Use different aliases on the fields to fetch both if this was intentional.
        { albums { id @unknown } }
          GRAPHQL_VALIDATION_FAILED: 1:15 Unknown directive "@unknown".
        { albums { id @skip } }
          GRAPHQL_VALIDATION_FAILED: 1:15 Directive "@skip" argument "if" of type "Boolean!" is required, but it was not provided.
        { albums { id @skip(if: 1) } }
          GRAPHQL_VALIDATION_FAILED: 1:25 Boolean cannot represent value: 1
        { albums { id @skip(if: true) @skip(if: true) } }
          GRAPHQL_VALIDATION_FAILED: 1:31 The directive "@skip" can only be used once at this location.
        { albums { id @traced } }
          GRAPHQL_VALIDATION_FAILED: 1:15 Directive "@traced" argument "label" of type "String!" is required, but it was not provided.
        { albums { id @traced(label: 1) } }
          GRAPHQL_VALIDATION_FAILED: 1:30 String cannot represent value: 1
        { albums { id @cached @cached } }
          GRAPHQL_VALIDATION_FAILED: 1:23 The directive "@cached" can only be used once at this location.
        { albums { id @cached(by: TITLE) } }
          GRAPHQL_VALIDATION_FAILED: 1:27 Value "TITLE" does not exist in "AlbumOrder" enum.
        { albums { id @cached(where: {titel: 1}) } }
          GRAPHQL_VALIDATION_FAILED: 1:38 Field "titel" is not defined by type "AlbumFilter". Did you mean "title"?
        { albums { id @cached(where: {year: 1, year: 2}) } }
          GRAPHQL_VALIDATION_FAILED: 1:31 1:40 There can be only one input field named "year".
        { albums { id @cached(seconds: $a) } }
          GRAPHQL_VALIDATION_FAILED: 1:32 Variable "$a" is not defined.
        query ($a: String) { albums { id @cached(seconds: $a) } }
          GRAPHQL_VALIDATION_FAILED: 1:42 Variable "$a" of type "String" used in position expecting type "Int".
        query ($a: Int @traced(label: "a")) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:16 Directive "@traced" may not be used on VARIABLE_DEFINITION.
        { albums { ...F @traced(label: "a") } } fragment F on Album { id }
          GRAPHQL_VALIDATION_FAILED: 1:17 Directive "@traced" may not be used on FRAGMENT_SPREAD.
        { albums { ...F } } fragment F on Album @traced(label: "a") { id }
          GRAPHQL_VALIDATION_FAILED: 1:41 Directive "@traced" may not be used on FRAGMENT_DEFINITION.
        query @cached { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:7 Directive "@cached" may not be used on QUERY.
        mutation @traced(label: "a") { rate(id: 1, rating: {stars: 1}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:10 Directive "@traced" may not be used on MUTATION.
        query ($a: Int) { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 Variable "$a" is never used.
        query ($a: Int, $a: Int) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 There can be only one variable named "$a".
        query ($a: Album) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 Variable "$a" cannot be non-input type "Album".
        GRAPHQL_VALIDATION_FAILED: 1:28 Variable "$a" of type "Album" used in position expecting type "Int".
        query ($a: Nothing) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 Unknown type "Nothing". Did you mean "String"?
        GRAPHQL_VALIDATION_FAILED: 1:30 Variable "$a" of type "Nothing" used in position expecting type "Int".
        query ($a: [[[[[[[[[Int]]]]]]]]]) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:44 Variable "$a" of type "[[[[[[[[[Int]]]]]]]]]" used in position expecting type "Int".
        query ($a: String) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:29 Variable "$a" of type "String" used in position expecting type "Int".
        query ($a: Int! = null) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 Int cannot represent value: null
        { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 Variable "$a" is not defined.
        query ($a: ID) { node(id: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:23 Variable "$a" of type "ID" used in position expecting type "ID!".
        query ($a: Boolean) { albums { id @skip(if: $a) } }
          GRAPHQL_VALIDATION_FAILED: 1:41 Variable "$a" of type "Boolean" used in position expecting type "Boolean!".
        query ($a: Int) { albums(filter: {ids: [$a]}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:41 Variable "$a" of type "Int" used in position expecting type "Int!".
        query ($a: [Int]) { albums(filter: {year: $a}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:43 Variable "$a" of type "[Int]" used in position expecting type "Int!".
        { albums(filter: {extra: {a: [$a]}}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:31 variable `$a` is not defined
        query A { albums { id } } query A { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:33 There can be only one operation named "A".
        query A { albums { id } } { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:27 This anonymous operation must be the only defined operation.
        subscription { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:1 The schema has no "subscription" root type defined
        mutation { rate(id: 1, rating: {public: true}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:32 Field "RatingInput.stars" of required type "Float!" was not provided.
        query ($x: JSON = 1e999) { search(text: "a", extra: $x) { __typename } }
          GRAPHQL_VALIDATION_FAILED: 1:19 The number 1e999 is out of range for a default.
    "#]].assert_eq(&output);
}

#[test]
fn valid_corner_cases_pass() {
    let output: String = VALID.iter().map(|text| format!("{text:?}\n{}", checked(text))).collect();
    expect![[r##"
        "{ node(id: 1) { ... on SearchHit { ... on Node { id } } } }"
        Query None
        set 3 on Query
        - node: node 1:3 id=String("1")
          set 2 on Node
          - ... SearchHit
            set 1 on SearchHit
            - ... Node
              set 0 on Node
              - id: id 1:50
        "query ($l: String!, $s: Int, $f: AlbumFilter) @traced(label: $l) { albums { id @cached(seconds: $s, by: [TITLE_ASC], where: {not: $f}) } }"
        Query None
        $l: String! = None
        $s: Int = None
        $f: AlbumFilter = None
         @traced label=Variable(Slot(0))
        set 1 on Query
        - albums: albums 1:68
          set 0 on Album
          - id: id 1:77 @cached seconds=Variable(Slot(1)) by=[TITLE_ASC,] where={not:Variable(Slot(2)),year:Int(2000),order:NATURAL,}
        "{ albums { ... @traced(label: \"a\") @traced(label: \"b\") { id } } }"
        Query None
        set 2 on Query
        - albums: albums 1:3
          set 1 on Album
          - ... Album @traced label=String("a") @traced label=String("b")
            set 0 on Album
            - id: id 1:58
        "query ($a: Int = 5) { albums(filter: {year: $a}) { id } }"
        Query None
        $a: Int = Some(Int(5))
        set 1 on Query
        - albums: albums 1:23 filter={year:Variable(Slot(0)),order:NATURAL,}
          set 0 on Album
          - id: id 1:52
        "query ($a: Int) { albums(filter: {year: $a}) { id } }"
        Query None
        $a: Int = None
        set 1 on Query
        - albums: albums 1:19 filter={year:Variable(Slot(0)),order:NATURAL,}
          set 0 on Album
          - id: id 1:48
        "query ($a: Int!) { albums(filter: {ids: [$a, 1]}) { id } }"
        Query None
        $a: Int! = None
        set 1 on Query
        - albums: albums 1:20 filter={ids:[Variable(Slot(0)),Int(1),],year:Int(2000),order:NATURAL,}
          set 0 on Album
          - id: id 1:53
        "query ($a: JSON) { albums(filter: {extra: $a}) { id } }"
        Query None
        $a: JSON = None
        set 1 on Query
        - albums: albums 1:20 filter={extra:Variable(Slot(0)),year:Int(2000),order:NATURAL,}
          set 0 on Album
          - id: id 1:50
        "query ($n: String!) { __type(name: $n) { name } }"
        Query None
        $n: String! = None
        set 0 on Query
        - __type: introspection 1:23
        "{ albums { id id artist { id } artist { name } } }"
        Query None
        set 3 on Query
        - albums: albums 1:3
          set 2 on Album
          - id: id 1:12
          - id: id 1:15
          - artist: artist 1:18
            set 0 on Artist
            - id: id 1:27
          - artist: artist 1:32
            set 1 on Artist
            - name: name 1:41
        "# ü\r\n{ a: albums(filter: {title: \"üü€\"}) { id }\r b: albums { id } }"
        Query None
        set 2 on Query
        - a: albums 2:3 filter={title:String("üü€"),year:Int(2000),order:NATURAL,}
          set 0 on Album
          - id: id 2:39
        - b: albums 3:2
          set 1 on Album
          - id: id 3:14
        "\u{feff}{ albums { id } }"
        Query None
        set 1 on Query
        - albums: albums 1:4
          set 0 on Album
          - id: id 1:13
        "{ search(text: \"\\u00fc\") { ... on Artist { x: name } ... on Album { x: title } } }"
        GRAPHQL_VALIDATION_FAILED: 1:69 Fields "x" conflict because they return conflicting types "String and "String!". Use different aliases on the fields to fetch both if this was intentional.
    "##]].assert_eq(&output);
}

/// The library's own verdict, with the whole schema.
fn verdict(document: &ast::Document, library: &Valid<LibrarySchema>) -> String {
    let invalid = match document.to_executable(library) {
        Ok(document) => match document.validate(library) {
            Ok(_) => return "valid".into(),
            Err(invalid) => invalid.errors,
        },
        Err(unknown) => unknown.errors,
    };
    errors_of(&invalid, ErrorCode::ValidationFailed).map(|error| error_line(&error)).collect()
}

#[test]
fn the_part_that_a_document_names_is_enough_to_validate_it() {
    let schema = test_schema();
    let index = FieldIndex::new(&schema);
    let text = crate::print_schema(&schema);
    let whole = LibrarySchema::parse_and_validate(text, "schema.graphql").unwrap();
    let cut = FIND.char_indices().map(|(place, _)| {
        format!("{}{}", &FIND[..place], {
            let mut rest = FIND[place..].chars();
            rest.next();
            rest.as_str()
        })
    });
    let listed = INVALID.iter().chain(VALID).map(|text| (*text).to_owned());
    for text in listed.chain(cut) {
        // Cycles of fragments are rejected earlier.
        let Ok(document) = parse(&text, &DocumentLimits::default()) else { continue };
        let part = named_part::named_part((&schema).into(), &index, &document);
        let partial = definitions::partial_schema((&schema).into(), &part);
        assert_eq!(verdict(&document, &partial), verdict(&document, &whole), "{text}");
    }
}

/// Asserts only that each yields a result: a panic fails the test.
#[test]
fn broken_documents_are_answered() {
    /// Every third offset is enough to meet every token, and takes a second or two.
    const STEP: usize = 3;
    let schema = test_schema();
    let validator = Validator::new(&schema);
    let places: Vec<usize> = FIND.char_indices().map(|(place, _)| place).collect();
    let mut answered = 0;
    let mut answer = |text: &str| {
        let _ = validator.operation(&schema, text, None, &DocumentLimits::default());
        answered += 1;
    };
    for (index, start) in places.iter().enumerate().step_by(STEP) {
        answer(&FIND[..*start]);
        for length in [1, 3, 9] {
            let end = places.get(index + length).copied().unwrap_or(FIND.len());
            answer(&format!("{}{}", &FIND[..*start], &FIND[end..]));
        }
        for inserted in ["{", "}", "$", "\"", "...", "[", "!", "\u{0}", "null", "@skip"] {
            answer(&format!("{}{inserted}{}", &FIND[..*start], &FIND[*start..]));
        }
    }
    assert_eq!(answered, places.len().div_ceil(STEP) * 14);
}

#[test]
fn the_test_schema_is_valid() {
    assert_eq!(validate_schema(&test_schema()), Ok(()));
}

#[test]
fn a_validator_is_shared_by_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Validator::new(&test_schema()));
}
