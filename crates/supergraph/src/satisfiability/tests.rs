//! Messages of small unsatisfiable supergraphs, and the work for large ones.

mod large;

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::read;

/// Reads a supergraph of the subgraphs `a`, `b` and `c`. In `rest` `@type`, `@field`, `@implements`
/// and `@member` are the directives of the join specification.
fn read_text(rest: &str) -> Supergraph {
    let mut text = String::from(
        "schema @link(url: \"https://specs.apollo.dev/link/v1.0\")
           @link(url: \"https://specs.apollo.dev/join/v0.5\", for: EXECUTION)
           @link(url: \"https://specs.apollo.dev/inaccessible/v0.2\", for: SECURITY)
           @link(url: \"https://specs.apollo.dev/context/v0.1\", for: SECURITY)
         { query: Query",
    );
    for (keyword, name) in [("mutation", "Mutation"), ("subscription", "Subscription")] {
        if rest.contains(&format!("type {name} ")) {
            write!(text, " {keyword}: {name}").unwrap();
        }
    }
    text += " }\nenum join__Graph {\n";
    for name in ["a", "b", "c"] {
        writeln!(text, "{} @join__graph(name: \"{name}\", url: \"\")", name.to_uppercase())
            .unwrap();
    }
    text += "}\n";
    let directives = [
        ("@type(", "@join__type(graph: "),
        ("@field(", "@join__field(graph: "),
        ("@implements(", "@join__implements(graph: "),
        ("@member(", "@join__unionMember(graph: "),
    ];
    text +=
        &directives.iter().fold(rest.to_owned(), |rest, (short, long)| rest.replace(short, long));
    read(&text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

#[track_caller]
fn check_messages(rest: &str, expected: &Expect) {
    let findings = check(&read_text(rest));
    let messages = findings.iter().map(ToString::to_string).collect::<Vec<_>>();
    expected.assert_eq(&messages.join("\n\n"));
}

#[test]
fn a_type_without_a_key() {
    check_messages(
        "type Query @type(A) @type(B) { t(n: Int!): T @field(A) }
         type T @type(A) @type(B) { id: ID! name: String @field(B) u: U @field(B) }
         type U @type(B) { x: Int }",
        &expect![[r#"
            The following supergraph API query:
            {
              t(n: 0) {
                name
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "T.name".
              - cannot move to subgraph "b", which has field "T.name", because type "T" has no @key defined in subgraph "b".

            The following supergraph API query:
            {
              t(n: 0) {
                u {
                  __typename
                }
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "T.u".
              - cannot move to subgraph "b", which has field "T.u", because type "T" has no @key defined in subgraph "b"."#]],
    );
}

#[test]
fn a_key_that_is_not_known() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id\") @type(B, key: \"upc id\") {
           id: ID! upc: ID! @field(B) name: String @field(B)
         }",
        &expect![[r#"
            The following supergraph API query:
            {
              t {
                upc
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "T.upc".
              - cannot move to subgraph "b" using @key(fields: "upc id") of "T", the key field(s) cannot be resolved from subgraph "a" (missing: "upc").

            The following supergraph API query:
            {
              t {
                name
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "T.name".
              - cannot move to subgraph "b" using @key(fields: "upc id") of "T", the key field(s) cannot be resolved from subgraph "a" (missing: "upc")."#]],
    );
}

#[test]
fn a_key_by_way_of_a_third_subgraph() {
    let keys = |third: &str| {
        format!(
            "type Query @type(A) @type(B) @type(C) {{ t: T @field(A) }}
             type T @type(A, key: \"id\") @type(B, key: \"upc\") @type(C, key: \"{third}\") {{
               id: ID! @field(A) @field(C) upc: ID! @field(B) @field(C) name: String @field(B)
             }}"
        )
    };
    check_messages(&keys("id"), &expect![[""]]);
    check_messages(
        &keys("id upc"),
        &expect![[r#"
        The following supergraph API query:
        {
          t {
            upc
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "T.upc".
          - cannot move to subgraph "b" using @key(fields: "upc") of "T", the key field(s) cannot be resolved from subgraph "a".
          - cannot move to subgraph "c" using @key(fields: "id upc") of "T", the key field(s) cannot be resolved from subgraph "a" (missing: "upc").

        The following supergraph API query:
        {
          t {
            name
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "T.name".
          - cannot move to subgraph "b" using @key(fields: "upc") of "T", the key field(s) cannot be resolved from subgraph "a".
          - cannot move to subgraph "c" using @key(fields: "id upc") of "T", the key field(s) cannot be resolved from subgraph "a" (missing: "upc")."#]],
    );
}

#[test]
fn a_nested_key() {
    let owner = |owner_keys: &str| {
        format!(
            "type Query @type(A) @type(B) @type(C) {{ t: T @field(A) }}
             type T @type(A) @type(B, key: \"owner {{ id name }}\") {{
               owner: O @field(A) @field(B) x: Int @field(B)
             }}
             type O @type(A, key: \"id\") @type(B) @type(C{owner_keys}) {{
               id: ID! name: String @field(B) @field(C)
             }}"
        )
    };
    check_messages(&owner(", key: \"id\""), &expect![[""]]);
    check_messages(
        &owner(""),
        &expect![[r#"
        The following supergraph API query:
        {
          t {
            x
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "T.x".
          - cannot move to subgraph "b" using @key(fields: "owner { id name }") of "T", the key field(s) cannot be resolved from subgraph "a".

        The following supergraph API query:
        {
          t {
            owner {
              name
            }
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "O.name".
          - cannot move to subgraph "b", which has field "O.name", because type "O" has no @key defined in subgraph "b".
          - cannot move to subgraph "c", which has field "O.name", because type "O" has no @key defined in subgraph "c"."#]],
    );
}

#[test]
fn a_key_that_is_not_resolvable() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id\") @type(B, key: \"id\", resolvable: false) {
           id: ID! name: String @field(B)
         }",
        &expect![[r#"
            The following supergraph API query:
            {
              t {
                name
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "T.name".
              - cannot move to subgraph "b", which has field "T.name", because none of the @key defined on type "T" in subgraph "b" are resolvable (they are all declared with their "resolvable" argument set to false)."#]],
    );
}

#[test]
fn fields_that_require_each_other() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id\") @type(B, key: \"id\") {
           id: ID!
           x: Int @field(A, external: true) @field(B, requires: \"y\")
           y: Int @field(A, requires: \"x\") @field(B, external: true)
         }",
        &expect![[r#"
            The following supergraph API query:
            {
              t {
                x
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - field "T.x" is not resolvable because marked @external.
              - cannot satisfy @requires conditions on field "T.x" of subgraph "b": "y" cannot be resolved.

            The following supergraph API query:
            {
              t {
                y
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a": cannot satisfy @requires conditions on field "T.y" of subgraph "a": "x" cannot be resolved."#]],
    );
}

#[test]
fn a_required_field_that_is_not_reached() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id\") @type(B, key: \"upc\") {
           id: ID! @field(A)
           upc: ID! @field(B) @inaccessible
           size: S @field(A, external: true) @field(B) @inaccessible
           weight: Int @field(A, requires: \"size { x }\")
         }
         type S @type(A) @type(B) { x: Int }",
        &expect![[r#"
            The following supergraph API query:
            {
              t {
                weight
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot satisfy @requires conditions on field "T.weight" of subgraph "a": "size { x }" cannot be resolved.
              - cannot move to subgraph "b" using @key(fields: "upc") of "T", the key field(s) cannot be resolved from subgraph "a"."#]],
    );
}

#[test]
fn a_field_is_provided_on_one_path_only() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A, provides: \"name\") u: [T] @field(A) }
         type T @type(A, key: \"id\") @type(B, key: \"id\", resolvable: false) {
           id: ID! name: String @field(A, external: true) @field(B)
         }",
        &expect![[r#"
            The following supergraph API query:
            {
              u {
                name
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - field "T.name" is not resolvable because marked @external.
              - cannot move to subgraph "b", which has field "T.name", because none of the @key defined on type "T" in subgraph "b" are resolvable (they are all declared with their "resolvable" argument set to false)."#]],
    );
}

#[test]
fn an_interface_object_without_runtime_types() {
    check_messages(
        "type Query @type(A) @type(B) { i: [I] @field(A) }
         interface I @type(A, key: \"id\", isInterfaceObject: true)
           @type(B, key: \"id\", resolvable: false) { id: ID! n: Int @field(A) m: Int @field(B) }
         type X implements I @implements(B, interface: \"I\")
           @type(B, key: \"id\", resolvable: false) { id: ID! x: Int n: Int @join__field m: Int }",
        &expect![[r#"
            The following supergraph API query:
            {
              i {
                __typename
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a": no subgraph can be reached to resolve the implementation type of @interfaceObject type "I".

            The following supergraph API query:
            {
              i {
                m
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "X.m".
              - cannot move to subgraph "b", which has field "X.m", because none of the @key defined on type "X" in subgraph "b" are resolvable (they are all declared with their "resolvable" argument set to false)."#]],
    );
}

#[test]
fn fields_of_an_interface_object() {
    let interface = |resolvable: &str| {
        format!(
            "type Query @type(A) @type(B) {{ i: [I] @field(B) x: X @field(B) }}
             interface I @type(A, key: \"id\"{resolvable}, isInterfaceObject: true)
               @type(B, key: \"id\") {{ id: ID! n: Int @field(A) }}
             type X implements I @implements(B, interface: \"I\") @type(B, key: \"id\") {{
               id: ID! n: Int @join__field
             }}"
        )
    };
    check_messages(&interface(""), &expect![[""]]);
    check_messages(
        &interface(", resolvable: false"),
        &expect![[r#"
        The following supergraph API query:
        {
          i {
            ... on X {
              n
            }
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "b":
          - cannot find field "X.n".
          - cannot move to subgraph "a", which has field "X.n", because none of the @key defined on type "X" in subgraph "a" are resolvable (they are all declared with their "resolvable" argument set to false)."#]],
    );
}

#[test]
fn a_union_member_of_one_subgraph() {
    check_messages(
        "type Query @type(A) @type(B) { m: M @field(A) n: M @field(B) s: M @field(A) @field(B) }
         union M @type(A) @type(B) @member(A, member: \"X\") @member(B, member: \"X\")
           @member(A, member: \"Y\") = X | Y
         type X @type(A, key: \"id\") @type(B, key: \"id\") {
           id: ID! a: Int @field(A) b: Int @field(B)
         }
         type Y @type(A) @type(B) { a: Int @field(A) b: Int @field(B) }",
        &expect![[r#"
            The following supergraph API query:
            {
              m {
                ... on Y {
                  b
                }
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "Y.b".
              - cannot move to subgraph "b", which has field "Y.b", because type "Y" has no @key defined in subgraph "b"."#]],
    );
}

#[test]
fn runtime_types_of_a_shared_field() {
    check_messages(
        "type Query @type(A) @type(B) { m: M @field(A) @field(B) }
         union M @type(A) @type(B) @member(A, member: \"X\") @member(B, member: \"Y\") = X | Y
         type X @type(A) { a: Int } type Y @type(B) { a: Int }",
        &expect![[r#"
            For the following supergraph API query:
            {
              m {
                __typename
              }
            }
            the shared field "Query.m" of type "M" has no possible runtime type that all its subgraphs have in common. The runtime types are:
            - in subgraph "a", type "X";
            - in subgraph "b", type "Y";
            All subgraphs must resolve a shared field in the same way, so they must have some runtime types in common."#]],
    );
}

#[test]
fn labels_of_overrides_are_correlated() {
    let labels = |second: &str| {
        format!(
            "type Query @type(A) @type(B) {{ t: T @field(A) }}
             type T @type(A, key: \"id\") @type(B, key: \"code\") {{
               id: ID! @field(A)
               code: ID!
                 @field(A, overrideLabel: \"one\")
                 @field(B, override: \"a\", overrideLabel: \"one\")
               n: Int
                 @field(A, overrideLabel: \"{second}\")
                 @field(B, override: \"a\", overrideLabel: \"{second}\")
             }}"
        )
    };
    check_messages(
        &labels("one"),
        &expect![[r#"
        The following supergraph API query:
        {
          t {
            code
          }
        }
        if the override label "one" is active
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - subgraph "a" does not resolve field "T.code" because the override label "one" is active.
          - cannot move to subgraph "b" using @key(fields: "code") of "T", the key field(s) cannot be resolved from subgraph "a".

        The following supergraph API query:
        {
          t {
            n
          }
        }
        if the override label "one" is active
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - subgraph "a" does not resolve field "T.n" because the override label "one" is active.
          - cannot move to subgraph "b" using @key(fields: "code") of "T", the key field(s) cannot be resolved from subgraph "a"."#]],
    );
    check_messages(
        &labels("two"),
        &expect![[r#"
        The following supergraph API query:
        {
          t {
            code
          }
        }
        if the override label "one" is active
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - subgraph "a" does not resolve field "T.code" because the override label "one" is active.
          - cannot move to subgraph "b" using @key(fields: "code") of "T", the key field(s) cannot be resolved from subgraph "a".

        The following supergraph API query:
        {
          t {
            n
          }
        }
        if the override label "one" is active and "two" is active
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - subgraph "a" does not resolve field "T.n" because the override label "two" is active.
          - cannot move to subgraph "b" using @key(fields: "code") of "T", the key field(s) cannot be resolved from subgraph "a"."#]],
    );
}

#[test]
fn one_subgraph_executes_a_mutation() {
    check_messages(
        "type Query @type(A) @type(B) { q: Int }
         type Mutation @type(A) @type(B) {
           m: R @field(A) @field(B) n: R @field(A) o: E @field(A) @field(B)
         }
         type R @type(A) @type(B) { query: Query @field(A) x: Int @field(A) y: Int @field(B) }
         type E @type(A, key: \"id\") @type(B, key: \"id\") {
           id: ID! x: Int @field(A) y: Int @field(B)
         }",
        &expect![[r#"
            The root field "Mutation.m" of several subgraphs must be executed by one of them, and none of these satisfies all operations below it. Make one of them satisfy them:
            - when subgraph "a" executes "Mutation.m":
              The following supergraph API query:
              mutation {
                m {
                  y
                }
              }
              cannot be satisfied by the subgraphs because:
              - from subgraph "a":
                - cannot find field "R.y".
                - cannot move to subgraph "b", which has field "R.y", because type "R" has no @key defined in subgraph "b".
            - when subgraph "b" executes "Mutation.m":
              The following supergraph API query:
              mutation {
                m {
                  query {
                    __typename
                  }
                }
              }
              cannot be satisfied by the subgraphs because:
              - from subgraph "b":
                - cannot find field "R.query".
                - cannot move to subgraph "a", which has field "R.query", because type "R" has no @key defined in subgraph "a".

            The following supergraph API query:
            mutation {
              n {
                y
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a":
              - cannot find field "R.y".
              - cannot move to subgraph "b", which has field "R.y", because type "R" has no @key defined in subgraph "b"."#]],
    );
}

#[test]
fn shared_root_fields_of_a_query_are_combined() {
    check_messages(
        "type Query @type(A) @type(B) { r: R @field(A) @field(B) }
         type R @type(A) @type(B) { x: Int @field(A) y: Int @field(B) }",
        &expect![[""]],
    );
}

#[test]
fn a_context_that_is_not_set_on_every_path() {
    let value = |key: &str| {
        format!(
            "type Query @type(A) @type(B) {{ t: T @field(A) c: C @field(A) }}
             type T @type(A, key: \"id\") @type(B, key: \"id\"{key})
               @context(name: \"b__c\") {{
               id: ID! c: C @field(A) v: Int @field(B)
             }}
             type C @type(A, key: \"id\") @type(B, key: \"id\") {{
               id: ID!
               f: Int @field(B, contextArguments: [
                 {{ context: \"b__c\", name: \"v\", type: \"Int\", selection: \"{{ v }}\" }}
               ])
             }}"
        )
    };
    check_messages(
        &value(""),
        &expect![[r#"
        The following supergraph API query:
        {
          c {
            f
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "C.f".
          - could not find a match for the context that field "C.f" of subgraph "b" requires (@fromContext)."#]],
    );
    check_messages(
        &value(", resolvable: false"),
        &expect![[r#"
        The following supergraph API query:
        {
          t {
            v
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "T.v".
          - cannot move to subgraph "b", which has field "T.v", because none of the @key defined on type "T" in subgraph "b" are resolvable (they are all declared with their "resolvable" argument set to false).

        The following supergraph API query:
        {
          c {
            f
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "C.f".
          - could not find a match for the context that field "C.f" of subgraph "b" requires (@fromContext)."#]],
    );
}

#[test]
fn required_fields_are_known_before_a_jump() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id code\") @type(B, key: \"id\") {
           id: ID! code: ID! @field(A)
           x: Int @field(A) @field(B, external: true) y: Int @field(B, requires: \"x\")
         }",
        &expect![[""]],
    );
}

#[test]
fn required_fields_are_sent_with_a_resolvable_key() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id\", resolvable: false) @type(B, key: \"id\") {
           id: ID! x: Int @field(A, external: true) @field(B) y: Int @field(A, requires: \"x\")
         }",
        &expect![[r#"
            The following supergraph API query:
            {
              t {
                y
              }
            }
            cannot be satisfied by the subgraphs because:
            - from subgraph "a": cannot satisfy @requires or @fromContext conditions on field "T.y": the values are sent with a @key of type "T", and none in subgraph "a" is resolvable here."#]],
    );
}

#[test]
fn queries_below_a_mutation_enter_any_subgraph() {
    check_messages(
        "type Query @type(A) @type(B) { x: Int @field(A) y: Int @field(B) }
         type Mutation @type(A) { m: R } type R @type(A) { query: Query! }",
        &expect![[""]],
    );
}

#[test]
fn inaccessible_fields_are_keys_and_no_paths() {
    check_messages(
        "type Query @type(A) @type(B) { t: T @field(A) }
         type T @type(A, key: \"id\") @type(B, key: \"id\") {
           id: ID! @inaccessible x: Int @field(B) u: U @field(A) @inaccessible
         }
         type U @type(A) @type(B) { y: Int @field(B) }",
        &expect![[""]],
    );
}

#[test]
fn contexts_are_sent_to_objects_between() {
    let jump = |key: &str| {
        format!(
            "type Query @type(A) @type(B) {{ t: T @field(A) }}
             type T @type(A, key: \"id\") @context(name: \"b__c\") {{
               id: ID! d: D @field(A) v: Int @field(A)
             }}
             type D @type(A, key: \"id\") @type(B{key}) {{ id: ID! c: C @field(B) }}
             type C @type(B) {{
               f: Int @field(B, contextArguments: [
                 {{ context: \"b__c\", name: \"v\", type: \"Int\", selection: \"{{ v }}\" }}
               ])
             }}"
        )
    };
    check_messages(&jump(", key: \"id\""), &expect![[""]]);
    check_messages(
        &jump(""),
        &expect![[r#"
        The following supergraph API query:
        {
          t {
            d {
              c {
                __typename
              }
            }
          }
        }
        cannot be satisfied by the subgraphs because:
        - from subgraph "a":
          - cannot find field "D.c".
          - cannot move to subgraph "b", which has field "D.c", because type "D" has no @key defined in subgraph "b"."#]],
    );
}

#[test]
fn no_objects_of_an_interface_without_implementations_exist() {
    check_messages(
        "type Query @type(A) @type(B) { i: I @field(A) }
         interface I @type(A) @type(B) { x: Int @field(B) }",
        &expect![[""]],
    );
}

#[test]
fn a_key_of_fields_from_two_subgraphs() {
    check_messages(
        "type Query @type(A) @type(B) @type(C) { t: T @field(A) @field(B) }
         type T @type(A) @type(B) @type(C, key: \"x y\") {
           x: Int @field(A) @field(C) y: Int @field(B) @field(C) z: Int @field(C)
         }",
        &expect![[""]],
    );
}
