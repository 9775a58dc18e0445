use expect_test::{Expect, expect};
use graphql::{print_schema, validate_schema};

use super::*;

const SUPERGRAPH: &str = include_str!("tests/supergraph.graphql");

fn rules(include: &[&str], exclude: &[&str], hide_unreachable: bool) -> Filter {
    let tags = |tags: &[&str]| tags.iter().map(|tag| Arc::from(*tag)).collect();
    Filter { include: tags(include), exclude: tags(exclude), hide_unreachable }
}

fn filtered(text: &str, rules: &Filter) -> Contract {
    filter(text, rules).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Checks the API of a contract, which must be a valid schema, and the hidden elements.
fn check(rules: &Filter, api: &Expect, hidden: &Expect) {
    let contract = filtered(SUPERGRAPH, rules);
    let supergraph = composed::read(&contract.supergraph).unwrap();
    validate_schema(&supergraph.api.schema).unwrap();
    api.assert_eq(&print_schema(&supergraph.api.schema));
    let names: Vec<_> = contract.hidden.iter().map(ToString::to_string).collect();
    hidden.assert_eq(&names.join(" "));
    // A contract of a contract with the same filter is the same.
    let again = filtered(&contract.supergraph, rules);
    assert_eq!((again.supergraph, again.hidden), (contract.supergraph, Vec::new()));
}

/// Checks the violations of a contract; `replacements` change the supergraph.
fn check_invalid(replacements: &[(&str, &str)], rules: &Filter, expected: &Expect) {
    let text = replacements.iter().fold(SUPERGRAPH.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let Err(ContractError::Invalid(violations)) = filter(&text, rules) else {
        panic!("it is valid")
    };
    let lines = violations.iter().map(|one| {
        let line = text.lines().nth(one.line - 1).unwrap();
        let at: String = line.chars().skip(one.column - 1).take(6).collect();
        format!("{} {one} ({at})\n", one.coordinate)
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn excluded_tags_hide_elements_and_their_emptied_types() {
    check(
        &rules(&[], &["internal"], false),
        &expect![[r#"
            """Allows a fragment to be sent after the rest of the response."""
            directive @defer(
              """Whether the fragment may be sent later."""
              if: Boolean! = true

              """A name for the fragment in the responses."""
              label: String
            ) on FRAGMENT_SPREAD | INLINE_FRAGMENT

            type Query {
              user(id: ID!): User
              users(filter: Filter, order: Order = NAME): [User!]!
              search(text: String!): [Found!]!
            }

            interface Node {
              id: ID!
            }

            type User implements Node {
              id: ID!
              name: String
              score: Int
            }

            type Page {
              title: String
              links: [Page!]
            }

            union Found = User | Page

            input Filter {
              name: String
              kind: Kind
            }

            enum Order {
              NAME
            }

            enum Kind {
              X
              Y
            }

            enum Unused {
              A
            }

            scalar Time
        "#]],
        &expect![
            "Query.user(trace:) Query.audit Mutation User.email Audit Filter.internalName Order.SCORE"
        ],
    );
}

#[test]
fn included_tags_hide_all_other_fields_and_unions() {
    check(
        &rules(&["public"], &["internal"], true),
        &expect![[r#"
            """Allows a fragment to be sent after the rest of the response."""
            directive @defer(
              """Whether the fragment may be sent later."""
              if: Boolean! = true

              """A name for the fragment in the responses."""
              label: String
            ) on FRAGMENT_SPREAD | INLINE_FRAGMENT

            type Query {
              user(id: ID!): User
              users(filter: Filter, order: Order = NAME): [User!]!
              search(text: String!): [Found!]!
            }

            interface Node {
              id: ID!
            }

            type User implements Node {
              id: ID!
              name: String
            }

            type Page {
              title: String
              links: [Page!]
            }

            union Found = User | Page

            input Filter {
              name: String
              kind: Kind
            }

            enum Order {
              NAME
            }

            enum Kind {
              X
              Y
            }
        "#]],
        &expect![
            "Query.user(trace:) Query.audit Mutation User.email User.score Audit Filter.internalName Order.SCORE Unused Time"
        ],
    );
}

#[test]
fn unreachable_types_are_hidden_on_demand() {
    check(
        &rules(&[], &[], true),
        &expect![[r#"
            """Allows a fragment to be sent after the rest of the response."""
            directive @defer(
              """Whether the fragment may be sent later."""
              if: Boolean! = true

              """A name for the fragment in the responses."""
              label: String
            ) on FRAGMENT_SPREAD | INLINE_FRAGMENT

            type Query {
              user(id: ID!, trace: Boolean): User
              users(filter: Filter, order: Order = NAME): [User!]!
              search(text: String!): [Found!]!
              audit: [Audit!]!
            }

            type Mutation {
              purge: Boolean
            }

            interface Node {
              id: ID!
            }

            type User implements Node {
              id: ID!
              name: String

              """Tagged twice: exclusion wins."""
              email: String
              score: Int
            }

            type Audit {
              at: Time!
              by: User
            }

            type Page {
              title: String
              links: [Page!]
            }

            union Found = User | Page

            input Filter {
              name: String
              internalName: String
              kind: Kind
            }

            enum Order {
              NAME
              SCORE
            }

            enum Kind {
              X
              Y
            }

            scalar Time
        "#]],
        &expect!["Unused"],
    );
}

#[test]
fn the_link_and_the_directive_are_added_once() {
    let contract = filtered(SUPERGRAPH, &rules(&[], &["internal"], false));
    let lines = contract.supergraph.lines().filter(|line| line.contains("inaccessible/"));
    assert_eq!(
        lines.collect::<Vec<_>>(),
        ["  @link(url: \"https://specs.apollo.dev/inaccessible/v0.2\", for: SECURITY)"]
    );
    let lines = contract.supergraph.lines().filter(|line| line.starts_with("directive @inacc"));
    assert_eq!(
        lines.collect::<Vec<_>>(),
        ["directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | \
          ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION"]
    );
}

#[test]
fn a_renamed_directive_of_an_older_version_is_used() {
    let text = SUPERGRAPH
        .replace(
            "tag/v0.3\")",
            "tag/v0.3\", as: \"label\")\n  @link(url: \"https://specs.apollo.dev/inaccessible/v0.1\", \
             as: \"hide\")",
        )
        .replace("@tag(", "@label(")
        .replace("scalar link__Import", "directive @hide on OBJECT scalar link__Import");
    let contract = filtered(&text, &rules(&[], &["internal"], false));
    assert!(contract.supergraph.contains("inaccessible/v0.2\", as: \"hide\")"));
    assert!(contract.supergraph.contains("directive @hide on FIELD_DEFINITION | OBJECT"));
    assert!(contract.supergraph.contains("kind: Kind"));
    assert!(contract.supergraph.contains("internalName: String @label(name: \"internal\") @hide"));
    composed::read(&contract.supergraph).unwrap();
}

#[test]
fn tags_that_no_element_has_are_returned() {
    let contract = filtered(SUPERGRAPH, &rules(&["public", "publik"], &["x"], false));
    assert_eq!(contract.unknown_tags, ["publik".into(), "x".into()]);
    assert_eq!(contract.tags, ["internal".into(), "public".into()]);
}

#[test]
fn a_document_that_is_no_supergraph_is_refused() {
    let error = filter("type Query { a: Int }", &Filter::default());
    assert!(matches!(error, Err(ContractError::Supergraph(problems)) if problems.len() == 1));
}

#[test]
fn an_invalid_api_has_the_published_codes() {
    let exclude = rules(&[], &["internal"], false);
    // A field returns a hidden type, and an argument and an input field are of one.
    check_invalid(
        &[
            (
                "audit: [Audit!]! @join__field(graph: B) @tag(name: \"internal\")",
                "audit: [Audit!]!",
            ),
            (
                "enum Kind @join__type(graph: A)",
                "enum Kind @join__type(graph: A) @tag(name: \"internal\")",
            ),
            ("search(text: String!)", "search(text: String!, kind: Kind)"),
        ],
        &exclude,
        &expect![[r#"
            Query.search(kind:) [REFERENCED_INACCESSIBLE] `Query.search(kind:)` is visible and of the type `Kind`, which is hidden: hide `Query.search(kind:)` as well, or include `Kind` (kind: )
            Query.audit [REFERENCED_INACCESSIBLE] `Query.audit` is visible and returns `Audit`, which is hidden: hide `Query.audit` as well, or include `Audit` (audit:)
            Filter.kind [REFERENCED_INACCESSIBLE] `Filter.kind` is visible and of the type `Kind`, which is hidden: hide `Filter.kind` as well, or include `Kind` (kind: )
        "#]],
    );
    // Required arguments and input fields, and default values.
    check_invalid(
        &[
            ("trace: Boolean @tag", "trace: Boolean! @tag"),
            ("internalName: String @tag", "internalName: String! @tag"),
            (
                "order: Order = NAME",
                "order: [Order] = [NAME, SCORE], f: Filter = {internalName: \"a\"}",
            ),
        ],
        &exclude,
        &expect![[r#"
            Query.user(trace:) [REQUIRED_INACCESSIBLE] `Query.user(trace:)` is hidden and required: include it, or give it a default value or a nullable type (trace:)
            Query.users(order:) [DEFAULT_VALUE_USES_INACCESSIBLE] the default value of `Query.users(order:)` uses `Order.SCORE`, which is hidden: include it, or change the default value (order:)
            Query.users(f:) [DEFAULT_VALUE_USES_INACCESSIBLE] the default value of `Query.users(f:)` uses `Filter.internalName`, which is hidden: include it, or change the default value (f: Fil)
            Filter.internalName [REQUIRED_INACCESSIBLE] `Filter.internalName` is hidden and required: include it, or give it a default value or a nullable type (intern)
        "#]],
    );
    // Implementations of interfaces.
    check_invalid(
        &[
            (
                "interface Node @join__type(graph: A) {",
                "interface Node @join__type(graph: A) { a(b: Int): Int c(d: Int! = 1 @tag(name: \"internal\")): Int",
            ),
            (
                "  id: ID! @tag(name: \"public\")\n  name",
                "  id: ID! @tag(name: \"internal\")\n a(b: Int @tag(name: \"internal\")): Int c(d: Int!): Int  name",
            ),
        ],
        &exclude,
        &expect![[r#"
            User.id [IMPLEMENTED_BY_INACCESSIBLE] `User.id` is hidden, and `Node.id`, which it implements, is visible: hide or include both (id: ID)
            User.a(b:) [IMPLEMENTED_BY_INACCESSIBLE] `User.a(b:)` is hidden, and `Node.a(b:)`, which it implements, is visible: hide or include both (b: Int)
            User.c(d:) [REQUIRED_INACCESSIBLE] `Node.c(d:)` is hidden, and `User.c(d:)`, which implements it, is required: include `Node.c(d:)` (d: Int)
        "#]],
    );
    // All members of a visible union, and all fields of the type of queries.
    check_invalid(
        &[(
            "union Found @join__type(graph: A)",
            "union Found @join__type(graph: A) @tag(name: \"x\")",
        )],
        &rules(&["x"], &[], false),
        &expect![[r#"
            Query [ONLY_INACCESSIBLE_CHILDREN] `Query` is visible, and all its fields are hidden: include one of them (Query )
            Found [ONLY_INACCESSIBLE_CHILDREN] `Found` is visible, and all its members are hidden: hide `Found` as well, or include one of them (Found )
        "#]],
    );
    check_invalid(
        &[(
            "type Query @join__type(graph: A)",
            "type Query @join__type(graph: A) @tag(name: \"internal\")",
        )],
        &exclude,
        &expect![[r#"
            Query [QUERY_ROOT_TYPE_INACCESSIBLE] `Query`, the type of queries, is hidden: it must stay visible (Query )
        "#]],
    );
}
