use std::fmt::Write;
use std::time::{Duration, Instant};

use expect_test::expect;

use super::*;
use crate::operation::{Condition, ConditionValue, FieldRef, Selection, SelectionSetId};
use crate::test_schema::test_schema;
use crate::value::Value;

/// The operation in a notation of the tests, or its errors.
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
            print_set(&schema, &operation, operation.root, 0, &mut output);
            output
        }
        Err(errors) => errors.iter().map(error_line).collect(),
    }
}

fn error_line(error: &GraphQLError) -> String {
    let places = error.locations.iter().map(|at| format!(" {}:{}", at.line, at.column));
    let message = error.message.replace('\0', "NUL");
    format!("{}:{} {message}\n", error.code.as_str(), places.collect::<String>())
}

fn print_set(
    schema: &Schema,
    operation: &Operation,
    id: SelectionSetId,
    depth: usize,
    output: &mut String,
) {
    let indentation = "  ".repeat(depth);
    let set = operation.selection_set(id);
    writeln!(output, "{indentation}set {} on {}", id.0, schema[set.parent].name).unwrap();
    for selection in &set.selections {
        match selection {
            Selection::Field(field) => {
                let name = match field.field {
                    FieldRef::Field(id) => &*schema[id].name,
                    FieldRef::Typename => "__typename",
                    FieldRef::Introspection => "introspection",
                };
                let Location { line, column } = field.location;
                write!(output, "{indentation}- {}: {name} {line}:{column}", field.response_name)
                    .unwrap();
                for (input, value) in &field.arguments {
                    write!(output, " {}=", schema[*input].name).unwrap();
                    print_value(schema, value, output);
                }
                print_conditions(&field.conditions, output);
                output.push('\n');
                if let Some(below) = field.selection_set {
                    print_set(schema, operation, below, depth + 1, output);
                }
            }
            Selection::Fragment { conditions, on, selection_set } => {
                write!(output, "{indentation}- ... {}", schema[*on].name).unwrap();
                print_conditions(conditions, output);
                output.push('\n');
                print_set(schema, operation, *selection_set, depth + 1, output);
            }
        }
    }
}

fn print_conditions(conditions: &[Condition], output: &mut String) {
    for condition in conditions {
        match condition.value {
            ConditionValue::Variable(slot) => write!(output, " if ${}", slot.0).unwrap(),
            ConditionValue::Constant(value) => write!(output, " if {value}").unwrap(),
        }
        write!(output, "=={}", condition.expected).unwrap();
    }
}

fn print_value(schema: &Schema, value: &Value, output: &mut String) {
    match value {
        Value::Enum(id) => output.push_str(&schema[*id].name),
        Value::Object(fields) => {
            output.push('{');
            for (input, value) in fields {
                write!(output, "{}:", schema[*input].name).unwrap();
                print_value(schema, value, output);
                output.push(',');
            }
            output.push('}');
        }
        Value::List(items) => {
            output.push('[');
            for item in items {
                print_value(schema, item, output);
                output.push(',');
            }
            output.push(']');
        }
        other => write!(output, "{other:?}").unwrap(),
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
        GRAPHQL_VALIDATION_FAILED: 1:1 fragment `A` must be used in an operation
        GRAPHQL_PARSE_FAILED: 1:1 syntax error: Unexpected <EOF>.
        GRAPHQL_PARSE_FAILED: 1:11 syntax error: Unexpected <EOF>.
    "#]].assert_eq(&output);
}

/// Each line is a document; the rule it breaks is in the answer.
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
          GRAPHQL_VALIDATION_FAILED: 1:1 an executable document must not contain an object type definition
        { album }
          GRAPHQL_VALIDATION_FAILED: 1:3 type `Query` does not have a field `album`
        { albums }
          GRAPHQL_VALIDATION_FAILED: 1:3 interface, union and object types must have a subselection set
        { albums { id { x } } }
          GRAPHQL_VALIDATION_FAILED: 1:12 field selection of scalar type `ID` must not have subselections
        { albums { artist { nam } } }
          GRAPHQL_VALIDATION_FAILED: 1:21 type `Artist` does not have a field `nam`
        { albums(frist: 1) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:10 the argument `frist` is not supported by `Query.albums`
        { albums(first: "1") { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 expected value of type Int, found a string
        { albums(first: 3000000000) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 int cannot represent non 32-bit signed integer value
        { albums(first: 1, first: 2) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:20 the argument `first` is provided multiple times
        { albums(orderBy: TITLE) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 value `TITLE` does not exist on `AlbumOrder`
        { albums(orderBy: "TITLE_ASC") { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 expected value of type [AlbumOrder!], found a string
        { albums(filter: {titel: 1}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:26 field `titel` does not exist on `AlbumFilter`
        { albums(filter: {year: null}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:25 expected value of type Int!, found null
        { albums(filter: {year: 1, year: 2}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 1:28 There can be only one input field named "year".
        { albums(filter: {extra: {a: 1, a: 2}}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:27 1:33 There can be only one input field named "a".
        { search { __typename } }
          GRAPHQL_VALIDATION_FAILED: 1:3 the required argument `Query.search(text:)` is not provided
        { node(id: 1) { ... on SearchHit { ... on Query { albums { id } } } } }
          GRAPHQL_VALIDATION_FAILED: 1:36 inline fragment with type condition `Query` cannot be applied to `SearchHit`
        { albums { ... on SearchHit { title } } }
          GRAPHQL_VALIDATION_FAILED: 1:31 type `SearchHit` does not have a field `title`
        { rate(id: 1) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:3 type `Query` does not have a field `rate`
        query ($f: AlbumFilter = {not: {order: WRONG}}) { albums(filter: $f) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:40 value `WRONG` does not exist on `AlbumOrder`
        query ($f: RatingInput = {}) { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 unused variable: `$f`
        GRAPHQL_VALIDATION_FAILED: 1:26 the required field `RatingInput.stars` is not provided
        { __schema { typos } __type { name } }
          GRAPHQL_VALIDATION_FAILED: 1:14 type `__Schema` does not have a field `typos`
        { __type(name: 1) { fields(includeDeprecated: 1) { name } } }
          GRAPHQL_VALIDATION_FAILED: 1:16 expected value of type String!, found an integer
        GRAPHQL_VALIDATION_FAILED: 1:47 expected value of type Boolean, found an integer
        { albums { __schema { types { name } } } }
          GRAPHQL_VALIDATION_FAILED: 1:12 type `Album` does not have a field `__schema`
        { search(text: "", matrix: [[[1]]]) { __typename } }
          GRAPHQL_VALIDATION_FAILED: 1:30 expected value of type Int, found a list
        { node(id: 1) { title } }
          GRAPHQL_VALIDATION_FAILED: 1:17 type `Node` does not have a field `title`
        { ...F }
          GRAPHQL_VALIDATION_FAILED: 1:3 cannot find fragment `F` in this document
        { ...F } fragment F on Query { ...F }
          GRAPHQL_VALIDATION_FAILED: 1:32 Cannot spread fragment "F" within itself.
        { ...F } fragment F on Query { ...G } fragment G on Query { albums { id } ...F }
          GRAPHQL_VALIDATION_FAILED: 1:75 Cannot spread fragment "F" within itself.
        { albums { ...F } } fragment F on Nothing { id }
          GRAPHQL_VALIDATION_FAILED: 1:35 type condition `Nothing` of fragment `F` is not a type defined in the schema
        { albums { ...F } } fragment F on Artist { id }
          GRAPHQL_VALIDATION_FAILED: 1:12 fragment `F` with type condition `Artist` cannot be applied to `Album`
        { albums { id } } fragment F on Album { id }
          GRAPHQL_VALIDATION_FAILED: 1:19 fragment `F` must be used in an operation
        { albums { ... on JSON { id } } }
          GRAPHQL_VALIDATION_FAILED: 1:26 type `JSON` does not have a field `id`
        { albums { a: id a: title } }
          GRAPHQL_VALIDATION_FAILED: 1:18 operation must not select different types using the same name `a`
        GRAPHQL_VALIDATION_FAILED: 1:18 cannot select different fields into the same alias `a`
        { a: albums(first: 1) { id } a: albums(first: 2) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:30 operation must not provide conflicting field arguments for the same name `albums`
        { albums { id @unknown } }
          GRAPHQL_VALIDATION_FAILED: 1:15 cannot find directive `@unknown` in this document
        { albums { id @skip } }
          GRAPHQL_VALIDATION_FAILED: 1:15 the required argument `@skip(if:)` is not provided
        { albums { id @skip(if: 1) } }
          GRAPHQL_VALIDATION_FAILED: 1:25 expected value of type Boolean!, found an integer
        { albums { id @skip(if: true) @skip(if: true) } }
          GRAPHQL_VALIDATION_FAILED: 1:31 non-repeatable directive skip can only be used once per location
        query ($a: Int) { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 unused variable: `$a`
        query ($a: Int, $a: Int) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 the variable `$a` is declared multiple times
        query ($a: Album) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 `$a` variable must be of an input type
        GRAPHQL_VALIDATION_FAILED: 1:28 variable `$a` of type `Album` cannot be used for argument `first` of type `Int`
        query ($a: Nothing) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:8 cannot find type `Nothing` in this document
        GRAPHQL_VALIDATION_FAILED: 1:30 variable `$a` of type `Nothing` cannot be used for argument `first` of type `Int`
        query ($a: [[[[[[[[[Int]]]]]]]]]) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:44 variable `$a` of type `[[[[[[[[[Int]]]]]]]]]` cannot be used for argument `first` of type `Int`
        query ($a: String) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:29 variable `$a` of type `String` cannot be used for argument `first` of type `Int`
        query ($a: Int! = null) { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:19 expected value of type Int!, found null
        { albums(first: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:17 variable `$a` is not defined
        query ($a: ID) { node(id: $a) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:23 variable `$a` of type `ID` cannot be used for argument `id` of type `ID!`
        query ($a: Boolean) { albums { id @skip(if: $a) } }
          GRAPHQL_VALIDATION_FAILED: 1:41 variable `$a` of type `Boolean` cannot be used for argument `if` of type `Boolean!`
        query ($a: Int) { albums(filter: {ids: [$a]}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:41 Variable "$a" of type "Int" used in position expecting type "Int!".
        query ($a: [Int]) { albums(filter: {year: $a}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:43 Variable "$a" of type "[Int]" used in position expecting type "Int!".
        { albums(filter: {extra: {a: [$a]}}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:31 variable `$a` is not defined
        query A { albums { id } } query A { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:33 the operation `A` is defined multiple times in the document
        query A { albums { id } } { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:27 anonymous operation cannot be selected when the document contains other operations
        subscription { albums { id } }
          GRAPHQL_VALIDATION_FAILED: 1:1 `subscription` root operation type is not defined
        mutation { rate(id: 1, rating: {public: true}) { id } }
          GRAPHQL_VALIDATION_FAILED: 1:32 the required field `RatingInput.stars` is not provided
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
        GRAPHQL_VALIDATION_FAILED: 1:69 operation must not select different types using the same name `x`
    "##]].assert_eq(&output);
}

/// Each document of the list is answered at once, by the error it is meant to give.
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
        // Without optimisation and beside other tests; each takes milliseconds otherwise.
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
        deep type in limits: 1 errors, GRAPHQL_VALIDATION_FAILED: 1:206 variable `$a` of type `[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[Int]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]` cannot be used for argument `first` of type `Int`
        deep selections: 1 errors, QUERY_TOO_LARGE: The document has more than 10000 tokens (--max-tokens).
        unclosed selections: 1 errors, QUERY_TOO_LARGE: The document has more than 10000 tokens (--max-tokens).
        fields beyond depth: 1 errors, QUERY_TOO_DEEP: The document is nested deeper than 64 levels (--max-depth).
        inline fragments: 1 errors, TOO_MANY_FRAGMENTS: The document has 1500 fragments, definitions and spreads counted; 1000 are allowed (--max-fragments).
        tokens: 1 errors, QUERY_TOO_LARGE: The document has more than 10000 tokens (--max-tokens).
        same field within tokens: 2401 sets
        same deep field within tokens: 2801 sets
        aliases: 1 errors, TOO_MANY_ALIASES: The document has 1000 aliases; 250 are allowed (--max-aliases).
        unknown fields: 1 errors, TOO_MANY_ROOT_FIELDS: The operation has 3000 root fields; 100 are allowed (--max-root-fields).
        unknown types: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:16 type condition `T0` of fragment `F0` is not a type defined in the schema
        same names: 1 errors, TOO_MANY_OPERATIONS: The document has 500 operations; 100 are allowed (--max-operations).
        same fragments: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:57 the fragment `F` is defined multiple times in the document
        same variables: 1 errors, TOO_MANY_VARIABLES: The operation has 1200 variables; 250 are allowed (--max-variables).
        same arguments: 101 errors, GRAPHQL_VALIDATION_FAILED: 1:20 the argument `first` is provided multiple times
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

/// The library's own verdict, with the whole schema at hand.
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
        // Cycles of fragments never come as far as this.
        let Ok(document) = parse(&text, &DocumentLimits::default()) else { continue };
        let part = named_part::named_part(&schema, &index, &document);
        let partial = definitions::partial_schema(&schema, &part);
        assert_eq!(verdict(&document, &partial), verdict(&document, &whole), "{text}");
    }
}

/// Nothing is asserted but that each is answered: a panic fails the test.
#[test]
fn broken_documents_are_answered() {
    /// Every third place is enough to meet every token, and takes a second or two.
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
