//! Statements as version 3 has them.

use super::*;
use crate::model::{Given, StatementField, StatementPart};

#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    refuse_in(ApiVersion::V3, text, expected);
}

fn statement(field: &ModelField) -> &StatementField {
    match &field.kind {
        FieldKind::Statement(statement) => statement,
        FieldKind::Property(property) => panic!("{property:?}"),
        FieldKind::Relationship(way) => panic!("{way:?}"),
        FieldKind::Part(given) => panic!("{given:?}"),
    }
}

#[test]
fn rows_are_values_of_lists_only_where_the_column_is_said() {
    let model = model(
        ApiVersion::V3,
        "type A { a: Int
           one: Int @cypher(statement: \"RETURN 1\")
           list: [Int] @cypher(statement: \"RETURN 1 AS a\")
           rows: [A!]! @cypher(statement: \"MATCH (a) RETURN a\")
           said: [Int] @cypher(statement: \"RETURN 1 AS a\", columnName: \"a\") }
         type Mutation { done: [Int] @cypher(statement: \"CREATE (a) RETURN 1\") }",
    );
    let only_first = |field: &ModelField| statement(field).only_first;
    let found: Vec<bool> = model.nodes[0].fields[1..].iter().map(only_first).collect();
    assert_eq!(found, [true, true, false, false]);
    assert!(!only_first(&model.mutations[0]));
    let one = statement(&model.nodes[0].fields[1]);
    let (text, name) =
        (StatementPart::Text("RETURN 1".into()), StatementPart::Name("the value".into()));
    assert_eq!((&*one.column, &*one.parts), ("the value", &[text, name][..]));
}

/// A type that nothing stores is one of nodes, too.
#[test]
fn statements_give_whatever_has_a_type() {
    let model = model(
        ApiVersion::V3,
        "type Figures { films: Int }
         input Choice { least: Int }
         type Query { figures(of: Choice): Figures @cypher(statement: \"RETURN {films: 1} AS f\") }",
    );
    let figures = statement(&model.queries[0]);
    assert!(matches!(figures.result, Given::Node(0, _)), "{figures:?}");
    assert_eq!((model.nodes.len(), model.objects.len(), model.inputs.len()), (1, 0, 1));
}

#[test]
fn maps_have_nodes_and_maps_as_parts() {
    let model = model(
        ApiVersion::V3,
        "type Figures { first: Film parts: [Part!] }
         type Part { of: Part }
         type Film { title: String }
         type Query { figures: Figures @cypher(statement: \"RETURN {first: null} AS f\") }",
    );
    let places = model.nodes.iter().flat_map(|node| &node.fields).map(|field| match field.kind {
        FieldKind::Part(Given::Node(place, wrapping)) => Some((place, wrapping.is_list)),
        _ => None,
    });
    let expected = [Some((2, false)), Some((1, true)), Some((1, false)), None];
    assert_eq!(places.collect::<Vec<_>>(), expected);
    refused(
        "type A { b: A a: Int }",
        &["line 1: A.b: a field of `A` that is no relationship needs a function in JavaScript, \
           and none runs here; instead, add `@relationship(type:, direction:)`"],
    );
    refused(
        "type A { b: [I] c: Int } interface I { c: Int } type B implements I { c: Int }",
        &[
            "line 1: A.b: a field of `I` that is no relationship needs a function in JavaScript, and \
           none runs here; instead, add `@relationship(type:, direction:)`",
        ],
    );
}

#[test]
fn types_have_the_statements_of_their_interfaces() {
    let model = model(
        ApiVersion::V3,
        "interface I { a: Int @cypher(statement: \"RETURN 1 AS a\") }
         type A implements I { a: Int b: Int }
         type B implements I { a: Int @cypher(statement: \"RETURN 2 AS b\") }",
    );
    let columns = model.nodes.iter().map(|node| &*statement(&node.fields[0]).column);
    assert_eq!(columns.collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn what_a_statement_gives_has_to_be_told() {
    let field = |statement: &str| format!("type A {{ a: Int b: Int @cypher({statement}) }}");
    refused(
        &field("statement: \"MATCH (this)\""),
        &["line 1: A.b: its statement has no RETURN at its end, and gives nothing"],
    );
    refused(
        &field("statement: \"MATCH (n) RETURN *\""),
        &[
            "line 1: A.b: which of the columns of `RETURN *` it gives cannot be told: name it, or say \
           it by `columnName:`",
        ],
    );
    refused(
        &field("statement: \"RETURN $cypherParams.a\""),
        &[
            "line 1: A.b: its statement has the parameter `$cypherParams`, and the field no argument \
           of this name: what stands there is made in JavaScript",
        ],
    );
    refused(
        "interface P @relationshipProperties { a: Int @cypher(statement: \"RETURN 1\") }
         type A { a: [A!]! @relationship(type: \"A\", direction: OUT, properties: \"P\") }",
        &["line 1: P.a: `@cypher` belongs to nodes, not to properties of relationships"],
    );
    refused(
        "type A { a: Int } type Query { b: Int }",
        &[
            "line 1: Query.b: a root field of one's own needs a function in JavaScript, and none runs \
           here; instead, give it a statement by `@cypher`, or leave it out: fields for every type \
           of nodes are made anyway",
        ],
    );
}
