//! Statements of the author, and the types that only these have.

use super::*;
use crate::model::{Given, InputKind, StatementPart, Wrapping};

fn of_field(field: &str) -> String {
    format!("type A @node {{ a: Int {field} }}")
}

const ONE: &str = "@cypher(statement: \"RETURN 1 AS a\", columnName: \"a\")";

#[test]
fn a_statement_is_read_with_its_arguments_and_its_result() {
    let model = v7(
        "type A @node { a: Int
           b(n: Int! = 1, p: Choice): [B!]! @cypher(statement: \"RETURN $n AS b\", columnName: \"b\") }
         type B { again: B a: [A] }
         input Choice { m: [Int!] at: PointInput }
         type Query { c: String @cypher(statement: \"RETURN 1 AS c\", columnName: \"c\") }
         extend type Mutation { d: Int @cypher(statement: \"RETURN 1 AS c\", columnName: \"c\") }
         type Mutation { e: Int @cypher(statement: \"RETURN 1 AS c\", columnName: \"c\") }",
    );
    let FieldKind::Statement(statement) = &model.nodes[0].fields[1].kind else {
        panic!("{:?}", model.nodes[0].fields)
    };
    let text = |text: &str| StatementPart::Text(text.into());
    assert_eq!(statement.parts, [text("RETURN "), StatementPart::Argument(0), text(" AS b")]);
    let wrapping = Wrapping { is_list: true, is_required: true, are_elements_required: true };
    assert_eq!(statement.result, Given::Object(0, wrapping));
    assert_eq!(statement.arguments[1].kind, InputKind::Object(0));
    assert_eq!(model.objects[0].fields[0].given, Given::Object(0, Wrapping::default()));
    assert_eq!((names(&model.queries), names(&model.mutations)), (vec!["c"], vec!["d", "e"]));
}

#[test]
fn what_a_statement_names_is_there() {
    refuse(
        &of_field("b: Int @cypher(statement: \"RETURN $c AS a\", columnName: \"a\")"),
        &["line 1: A.b: its statement has the parameter `$c`, and the field no argument of this \
           name"],
    );
    refuse(&of_field(&format!("b: B {ONE}")), &["line 1: A.b: there is no type `B`"]);
    refuse(&of_field(&format!("b(c: B): Int {ONE}")), &["line 1: A.b: there is no type `B`"]);
    refuse(
        &of_field(&format!("b(c: A, d: Point): Int {ONE}")),
        &[
            "line 1: A.b: `A` is no input: define an `input`",
            "line 1: A.b: `Point` is no input: write `PointInput`",
        ],
    );
    refuse(
        &of_field("b: Int @cypher(statement: \" \", columnName: \"\")"),
        &[
            "line 1: A.b: `@cypher(statement:)` is empty",
            "line 1: A.b: `@cypher(columnName:)` is empty",
        ],
    );
}

#[test]
fn a_statement_stands_where_it_can_be_asked() {
    refuse(
        &format!("interface I {{ a: Int {ONE} }} type A implements I @node {{ a: Int }}"),
        &["line 1: I.a: `@cypher` belongs to the types that implement the interface"],
    );
    refuse(
        &format!(
            "type A @node {{ b: [A!]! @relationship(type: \"T\", direction: IN, properties: \"P\") }}
             type P @relationshipProperties {{ a: Int {ONE} }}"
        ),
        &["line 2: P.a: `@cypher` is not served yet: statements among properties of relationships \
           are not"],
    );
    refuse(
        &of_field(&format!("b: Int {ONE} @default(value: 1)")),
        &["line 1: A.b: what a statement gives has no default and is not stored: leave it out"],
    );
    refuse(
        "type A @node { a: Int } type Query { a: Int }",
        &[
            "line 1: Query.a: a root field of one's own needs a function in JavaScript, and none runs \
           here; instead, give it a statement by `@cypher`, or leave it out: fields for every type \
           of nodes are made anyway",
        ],
    );
}

#[test]
fn types_that_no_statement_leads_to_are_told() {
    let other = format!("type A @node {{ a: Int {ONE} }}");
    refuse(
        &format!("{other} type B {{ c: C }} type C {{ a: Int }} input D {{ a: Int }}"),
        &[
            "line 1: B: a type without `@node` that no statement gives (add `@node` if nodes are \
             meant) is not served yet: types of objects that are neither nodes nor properties are \
             not",
            "line 1: C: a type without `@node` that no statement gives (add `@node` if nodes are \
             meant) is not served yet: types of objects that are neither nodes nor properties are \
             not",
            "line 1: D: an `input` that no statement takes is not served yet: types of inputs are \
             not",
        ],
    );
    refuse(
        &of_field(&format!("b(d: D): Int {ONE} }} input D {{ e: E }} input E {{ d: [D!]")),
        &[
            "line 1: D: an `input` that is a part of itself is not served yet: inputs without an \
             end are not",
            "line 1: E: an `input` that is a part of itself is not served yet: inputs without an \
             end are not",
        ],
    );
    refuse(
        &of_field(&format!("b: C {ONE} }} type C {{ d(e: Int): Int f: Int {ONE}")),
        &[
            "line 1: C.d: the argument `e` of one's own needs a function in JavaScript, and none \
             runs here; instead, leave it out",
            "line 1: C.f: `@cypher` belongs to nodes and roots, not to a type without `@node`",
        ],
    );
    refuse(
        &format!(
            "interface I {{ a: Int }} type A implements I @node {{ a: Int b: C {ONE} }}
             type C {{ i: [I!]! }}"
        ),
        &[
            "line 2: C.i: a field of `I` in a map is not served yet: nodes of several types in maps \
           are not",
        ],
    );
}
