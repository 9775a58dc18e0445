//! Selections and types.

use super::{invalid, invalid_in, valid, valid_in};
use crate::code::Code;

/// A query field `a` of a type with a selection, and more types.
fn field(r#type: &str, selection: &str, types: &str) -> String {
    format!(
        r#"type Query {{ a: {type} @connect(source: "api", http: {{ GET: "/" }}, selection: """{selection}""") }} {types}"#
    )
}

const TYPES: &str = "type T { id: ID n: Int o: O l: [O] j: JSON e: E } type O { id: ID t: T } scalar JSON enum E { A }";

#[test]
fn the_fields_of_a_selection_are_resolved() {
    let schema = field(
        "[T]",
        "$.items { id: key n j o { id } l: list { id } e }",
        "type T { id: ID n: Int o: O l: [O] j: JSON e: E } type O { id: ID } scalar JSON enum E { A }",
    );
    let fields = "Query.a@connect[0]: Query.a T.id T.n T.j T.o O.id T.l T.e";
    assert_eq!(valid(&schema), [fields]);
    valid(&field("String", "$.name", ""));
    valid(&field("Boolean", "$(true)", ""));
    valid(&field("JSON", "id name", "scalar JSON"));
    valid(&field("[Int]", "$([1, 2])", ""));
    valid(&field("T", "$.x->first { id } ", "type T { id: ID }"));
    valid(&field("T", "id: $.a... ", "type T { id: ID }").replace("...", ""));
}

#[test]
fn selected_fields_exist() {
    invalid(
        &field("T", "id nope", TYPES),
        Code::SelectedFieldNotFound,
        "`selection`, line 1, column 4: there is no field `nope` in `T`: there are `id`",
    );
    invalid(&field("T", "id o { nope }", TYPES), Code::SelectedFieldNotFound, "`nope` in `O`");
}

#[test]
fn objects_need_selections_and_scalars_have_none() {
    invalid(
        &field("T", "$.x", TYPES),
        Code::GroupSelectionRequiredForObject,
        "`T` is an object type",
    );
    invalid(
        &field("T", "id o", TYPES),
        Code::GroupSelectionRequiredForObject,
        "`O` is an object type",
    );
    invalid(&field("T", "id: $.id { a }", TYPES), Code::GroupSelectionIsNotObject, "`ID` has none");
    invalid(&field("String", "name", ""), Code::GroupSelectionIsNotObject, "write `$.name`");
    invalid(&field("T", "id e: e { a }", TYPES), Code::GroupSelectionIsNotObject, "`E` has none");
    invalid(&field("T", "", TYPES), Code::InvalidSelection, "selects nothing");
    let missing = r#"type Query { a: Int @connect(source: "api", http: { GET: "/" }) }"#;
    invalid(missing, Code::InvalidSelection, "selects nothing");
}

#[test]
fn types_are_not_within_themselves() {
    invalid(
        &field("T", "id o { id t { id } }", TYPES),
        Code::CircularReference,
        "`T` is selected within `T`",
    );
}

#[test]
fn fields_with_arguments_need_their_own_connector() {
    let schema = field("T", "id n", "type T { id: ID n(x: Int): Int }");
    invalid(&schema, Code::ConnectorsFieldWithArguments, "`T.n` has arguments");
}

#[test]
fn all_fields_are_resolved() {
    let schema = field("T", "id", "type T { id: ID n: Int }");
    invalid(&schema, Code::ConnectorsUnresolvedField, "no connector resolves `T.n`");
    valid(&field("T", "id", "type T { id: ID n: Int @external }"));
    let own = r#"type T { id: ID n: Int @connect(source: "api", http: { GET: "/{$this.id}" }, selection: "$.n") }"#;
    valid(&field("T", "id", own));
}

const ABSTRACT: &str = "interface I { id: ID } type A implements I { id: ID x: Int } type B implements I { id: ID y: Int } union U = A | B type Other { z: Int @external }";

#[test]
fn abstract_types_need_names() {
    let selection =
        "... kind->match(['a', { __typename: 'A', id, x }], ['b', { __typename: 'B', id, y }])";
    let fields = "Query.a@connect[0]: Query.a A.id A.x B.id B.y";
    assert_eq!(valid_in("v0.4", &field("I", selection, ABSTRACT)), [fields]);
    assert_eq!(valid_in("v0.4", &field("[U]", selection, ABSTRACT)), [fields]);
    let common = "id ... kind->match(['a', { __typename: 'A', x }], ['b', { __typename: 'B', y }])";
    let fields = "Query.a@connect[0]: Query.a A.id A.x B.id B.y";
    assert_eq!(valid_in("v0.4", &field("I", common, ABSTRACT)), [fields]);
    // Several spreads of one value: each case has its members of all of them, and null is null.
    let several = "id ... kind->match(['a', { __typename: 'A' }], ['b', { __typename: 'B', y }], [@, null]) \
        ... kind->match(['a', { __typename: 'A', x }])";
    let fields = "Query.a@connect[0]: Query.a A.id A.x B.id B.y";
    assert_eq!(valid_in("v0.4", &field("I", several, ABSTRACT)), [fields]);
    let nameless = "id ... kind->match(['a', { x }], ['b', { __typename: 'B', y }])";
    invalid_in(
        "v0.4",
        &field("I", nameless, ABSTRACT),
        Code::InvalidSelection,
        "needs a literal `__typename`",
    );
    let foreign = "... kind->match(['a', { __typename: 'Other', id }])";
    invalid_in(
        "v0.4",
        &field("I", foreign, ABSTRACT),
        Code::InvalidSelection,
        "`Other` is no object type of `I`",
    );
    let old = field("I", "id", ABSTRACT);
    invalid(&old, Code::ConnectorsUnsupportedAbstractType, "needs connect/v0.4");
}
