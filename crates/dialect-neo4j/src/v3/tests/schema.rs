use expect_test::expect_file;
use graphql::print_schema;

use super::{LARGE, MOVIES, SEARCHES, made};
use crate::v3::Options;

#[test]
fn films_and_people() {
    let (api, _) = made(MOVIES, &Options::default());
    expect_file!["movies.graphql"].assert_eq(&print_schema(&api.schema));
}

#[test]
fn interfaces_unions_and_all_types_of_values() {
    // As the library prints it with `enableRegex`, which is the same as these two.
    let filters = vec!["String.MATCHES".parse().unwrap(), "ID.MATCHES".parse().unwrap()];
    let (api, _) = made(LARGE, &Options { filters });
    expect_file!["large.graphql"].assert_eq(&print_schema(&api.schema));
}

/// The library prints the same with these among its features.
#[test]
fn operators_on_texts_that_are_asked_for() {
    let definitions = r#"
        interface Named { name: String! }
        type Movie implements Named {
            name: String! code: ID old: String @deprecated(reason: "gone")
            actors: [Person!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedIn")
        }
        type Person {
            name: String likes: [Named!]! @relationship(type: "LIKES", direction: OUT)
        }
        interface ActedIn @relationshipProperties { role: String! scene: ID }
    "#;
    let filters = ["String.LT", "String.MATCHES", "String.GTE"];
    let filters = filters.iter().map(|filter| filter.parse().unwrap()).collect();
    let (api, _) = made(definitions, &Options { filters });
    expect_file!["filters.graphql"].assert_eq(&print_schema(&api.schema));
}

/// The library prints the same.
#[test]
fn full_text_indexes_are_root_fields_and_arguments_of_lists() {
    let (api, _) = made(SEARCHES, &Options::default());
    expect_file!["searches.graphql"].assert_eq(&print_schema(&api.schema));
}

/// The names of the fields of a type.
fn members(definitions: &str, r#type: &str) -> Vec<String> {
    let (api, _) = made(definitions, &Options::default());
    let text = print_schema(&api.schema);
    let start = text.find(&format!(" {} {{\n", r#type)).unwrap();
    let body = text[start..].lines().skip(1).take_while(|line| *line != "}");
    // Descriptions have quotes or spaces.
    let name = |line: &str| {
        let name = line.trim().split(['(', ':']).next().unwrap_or_default();
        graphql::schema::is_name(name).then(|| name.to_owned())
    };
    body.filter_map(name).collect()
}

#[test]
fn what_is_excluded_is_not_at_the_root() {
    let without = r#"
        type A @exclude(operations: [READ, DELETE]) { name: String }
        type B @exclude { name: String a: [A!]! @relationship(type: "A", direction: OUT) }
        type C { name: String }
    "#;
    assert_eq!(members(without, "Query"), ["cs", "csConnection", "csAggregate"]);
    assert_eq!(
        members(without, "Mutation"),
        ["createAs", "updateAs", "createCs", "deleteCs", "updateCs"]
    );
}

#[test]
fn a_relationship_is_followed_as_the_definitions_let_it() {
    let (api, _) = made(
        r#"
        type A {
            one: [A!]! @relationship(type: "R", direction: OUT)
            two: [A!]! @relationship(type: "R", direction: OUT, queryDirection: DEFAULT_UNDIRECTED)
            three: [A!]! @relationship(type: "R", direction: OUT, queryDirection: DIRECTED_ONLY)
        }
        "#,
        &Options::default(),
    );
    let text = print_schema(&api.schema);
    let has = |field: &str| text.contains(field);
    assert!(has("  one(where: AWhere, options: AOptions, directed: Boolean = true): [A!]!"));
    assert!(has("  two(where: AWhere, options: AOptions, directed: Boolean = false): [A!]!"));
    assert!(has("  three(where: AWhere, options: AOptions): [A!]!"));
}

#[test]
fn nested_operations_are_those_that_the_definitions_name() {
    let definitions = r#"
        type A { name: String }
        type B {
            a: [A!]! @relationship(type: "R", direction: OUT, nestedOperations: [CONNECT])
        }
    "#;
    assert_eq!(members(definitions, "BAFieldInput"), ["connect"]);
    assert_eq!(members(definitions, "BUpdateInput"), ["_emptyInput"]);
}

#[test]
fn nodes_have_a_global_id() {
    let (api, _) = made("type A { key: ID! @id(global: true) }", &Options::default());
    let text = print_schema(&api.schema);
    let has = |part: &str| text.contains(part);
    assert!(has("type A implements Node {\n  key: ID!\n  id: ID!\n}"));
    assert!(has("input AWhere {\n  id: ID\n  OR: [AWhere!]"));
    assert!(has("    id: ID!\n  ): Node\n"));
}
