//! `thalweg check OLD NEW`: the changes between two schemas; and `thalweg contract`.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::program::{Folder, outcome, run, thalweg};

const OLD: &str =
    "type Query {\n  a: Int\n  b: Int @deprecated\n  c(d: Int): Kind\n}\nenum Kind { A }\n";
const NEW: &str = "type Query {\n  c(d: Int!): Kind\n  e: Int\n}\nenum Kind { A B }\n";

/// Writes files into a new folder.
fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        let file = folder.file(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

/// Runs a command in a folder; compares the exit code, the output and the error stream.
fn check(folder: &Folder, arguments: &[&str], expected: &Expect) {
    let output = thalweg(arguments).current_dir(&folder.0).output().unwrap();
    let (code, output, error) = outcome(&output);
    expected.assert_eq(&format!("{}\n{output}{error}", code.unwrap()));
}

fn pair() -> Folder {
    folder(&[("old.graphql", OLD), ("new.graphql", NEW)])
}

#[test]
fn changes_are_listed_by_criticality_with_their_places() {
    check(
        &pair(),
        &["check", "old.graphql", "new.graphql"],
        &expect![[r#"
        1
        Breaking (3)
          old.graphql:2:3: the field `Query.a` was removed [FIELD_REMOVED]
          old.graphql:3:3: the deprecated field `Query.b` was removed [FIELD_REMOVED]
          new.graphql:2:5: the type of the argument `Query.c(d:)` changed from `Int` to `Int!` [FIELD_ARGUMENT_TYPE_CHANGED]

        Dangerous (1)
          new.graphql:5:15: the enum value `Kind.B` was added [ENUM_VALUE_ADDED]

        Safe (1)
          new.graphql:3:3: the field `Query.e` was added [FIELD_ADDED]

        Changes: 3 breaking, 1 dangerous, 1 safe.
    "#]],
    );
    check(
        &pair(),
        &["check", "old.graphql", "old.graphql"],
        &expect![[r#"
        0
        No changes.
    "#]],
    );
}

#[test]
fn the_report_can_be_json_or_annotations() {
    let options = ["--fail-on", "never", "--format", "json"];
    let arguments = [&["check", "old.graphql", "new.graphql"], &options[..]].concat();
    check(
        &pair(),
        &arguments,
        &expect![[r#"
            0
            {
              "changes": [
                {
                  "kind": "FIELD_REMOVED",
                  "criticality": "BREAKING",
                  "coordinate": "Query.a",
                  "message": "the field `Query.a` was removed",
                  "location": {
                    "file": "old.graphql",
                    "line": 2,
                    "column": 3
                  }
                },
                {
                  "kind": "FIELD_REMOVED",
                  "criticality": "BREAKING",
                  "coordinate": "Query.b",
                  "message": "the deprecated field `Query.b` was removed",
                  "location": {
                    "file": "old.graphql",
                    "line": 3,
                    "column": 3
                  }
                },
                {
                  "kind": "FIELD_ADDED",
                  "criticality": "NON_BREAKING",
                  "coordinate": "Query.e",
                  "message": "the field `Query.e` was added",
                  "location": {
                    "file": "new.graphql",
                    "line": 3,
                    "column": 3
                  }
                },
                {
                  "kind": "FIELD_ARGUMENT_TYPE_CHANGED",
                  "criticality": "BREAKING",
                  "coordinate": "Query.c(d:)",
                  "message": "the type of the argument `Query.c(d:)` changed from `Int` to `Int!`",
                  "location": {
                    "file": "new.graphql",
                    "line": 2,
                    "column": 5
                  }
                },
                {
                  "kind": "ENUM_VALUE_ADDED",
                  "criticality": "DANGEROUS",
                  "coordinate": "Kind.B",
                  "message": "the enum value `Kind.B` was added",
                  "location": {
                    "file": "new.graphql",
                    "line": 5,
                    "column": 15
                  }
                }
              ],
              "counts": {
                "breaking": 3,
                "dangerous": 1,
                "nonBreaking": 1
              },
              "failed": false
            }
        "#]],
    );
    let arguments = ["check", "old.graphql", "new.graphql", "--report", "github"];
    check(
        &pair(),
        &arguments,
        &expect![[r#"
        1
        ::error file=old.graphql,line=2,col=3,title=FIELD_REMOVED::the field `Query.a` was removed
        ::error file=old.graphql,line=3,col=3,title=FIELD_REMOVED::the deprecated field `Query.b` was removed
        ::error file=new.graphql,line=2,col=5,title=FIELD_ARGUMENT_TYPE_CHANGED::the type of the argument `Query.c(d:)` changed from `Int` to `Int!`
        ::warning file=new.graphql,line=5,col=15,title=ENUM_VALUE_ADDED::the enum value `Kind.B` was added
        ::notice file=new.graphql,line=3,col=3,title=FIELD_ADDED::the field `Query.e` was added
        Changes: 3 breaking, 1 dangerous, 1 safe.
    "#]],
    );
}

#[test]
fn the_exit_code_follows_the_option() {
    let safe = folder(&[
        ("old.graphql", "type Query { a: E } enum E { A }"),
        ("dangerous.graphql", "type Query { a: E } enum E { A B }"),
    ]);
    for (option, code) in [("breaking", 0), ("dangerous", 1), ("never", 0)] {
        let arguments = ["check", "old.graphql", "dangerous.graphql", "--fail-on", option];
        let output = thalweg(&arguments).current_dir(&safe.0).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{option}");
    }
    let arguments = ["check", "old.graphql", "dangerous.graphql", "--dangerous-is-breaking"];
    let output = thalweg(&arguments).current_dir(&safe.0).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn unused_parts_may_be_removed() {
    let files = folder(&[
        ("old.graphql", OLD),
        ("new.graphql", "type Query { c(d: Int): Kind }\nenum Kind { A }\n"),
        ("documents/one/c.graphql", "{ c ...F }"),
        ("documents/fragment.gql", "fragment F on Query { c(d: 1) }"),
        // Type definitions are no documents.
        ("documents/schema.graphql", OLD),
        ("relay.json", r#"{"1": "query One { c }", "2": "query Two { b }"}"#),
        (
            "apollo.json",
            r#"{"format": "apollo-persisted-query-manifest", "version": 1, "operations":
                [{"id": "1", "name": "One", "type": "query", "body": "query One { a }"}]}"#,
        ),
    ]);
    let with = |usage: &str, expected: &Expect| {
        check(&files, &["check", "old.graphql", "new.graphql", "--usage", usage], expected);
    };
    with(
        "documents",
        &expect![[r#"
        0
        Dangerous (2)
          old.graphql:2:3: the field `Query.a` was removed [FIELD_REMOVED]
            no document uses it
          old.graphql:3:3: the deprecated field `Query.b` was removed [FIELD_REMOVED]
            no document uses it

        Changes: 0 breaking, 2 dangerous, 0 safe.
    "#]],
    );
    with(
        "documents,relay.json",
        &expect![[r#"
        1
        Breaking (1)
          old.graphql:3:3: the deprecated field `Query.b` was removed [FIELD_REMOVED]

        Dangerous (1)
          old.graphql:2:3: the field `Query.a` was removed [FIELD_REMOVED]
            no document uses it

        Changes: 1 breaking, 1 dangerous, 0 safe.
    "#]],
    );
    with(
        "apollo.json",
        &expect![[r#"
        1
        Breaking (1)
          old.graphql:2:3: the field `Query.a` was removed [FIELD_REMOVED]

        Dangerous (1)
          old.graphql:3:3: the deprecated field `Query.b` was removed [FIELD_REMOVED]
            no document uses it

        Changes: 1 breaking, 1 dangerous, 0 safe.
    "#]],
    );
}

#[test]
fn deprecated_and_unreachable_parts_may_be_removed() {
    let files = folder(&[
        ("old.graphql", "type Query { a: Int b: Int @deprecated } type T { a: Int b: Int }"),
        ("new.graphql", "type Query { a: Int } type T { a: Int }"),
    ]);
    let options = ["--allow-deprecated-removal", "--safe-unreachable"];
    let arguments = [&["check", "old.graphql", "new.graphql"], &options[..]].concat();
    check(
        &files,
        &arguments,
        &expect![[r#"
        0
        Dangerous (1)
          old.graphql:1:21: the deprecated field `Query.b` was removed [FIELD_REMOVED]
            it was deprecated

        Safe (1)
          old.graphql:1:58: the field `T.b` was removed [FIELD_REMOVED]
            no operation reaches the type

        Changes: 0 breaking, 1 dangerous, 1 safe.
    "#]],
    );
}

#[test]
fn descriptions_and_parts_of_additions_are_listed_on_demand() {
    let files = folder(&[
        ("old.graphql", "type Query { a: Int }"),
        ("new.graphql", "\"New.\" type Query { a: Int b(c: Int): Int }"),
    ]);
    check(
        &files,
        &["check", "old.graphql", "new.graphql"],
        &expect![[r#"
        0
        Safe (2)
          new.graphql:1:28: the field `Query.b` was added [FIELD_ADDED]
          new.graphql:1:13: the description of `Query` was added: "New." [TYPE_DESCRIPTION_ADDED]

        Changes: 0 breaking, 0 dangerous, 2 safe.
    "#]],
    );
    let options = ["--nested-additions", "--ignore-descriptions"];
    let arguments = [&["check", "old.graphql", "new.graphql"], &options[..]].concat();
    check(
        &files,
        &arguments,
        &expect![[r#"
        0
        Safe (2)
          new.graphql:1:28: the field `Query.b` was added [FIELD_ADDED]
          new.graphql:1:30: the argument `Query.b(c:)` was added [FIELD_ARGUMENT_ADDED]

        Changes: 0 breaking, 0 dangerous, 2 safe.
    "#]],
    );
}

#[test]
fn what_cannot_be_compared_is_named_by_file_and_line() {
    let files = folder(&[
        ("old.graphql", OLD),
        ("new.graphql", NEW),
        ("wrong.graphql", "type Query {\n  a: Int\n  a: Int\n}"),
        ("broken.graphql", "type Query {\n  a: \n}"),
        ("unknown.graphql", "{\n  z\n  c(y: 1)\n}"),
        ("documents.json", "{\"1\": \"{ z }\", \"2\": \"{\"}"),
    ]);
    let comparison = |new: &str, usage: &[&str], expected: &Expect| {
        check(&files, &[&["check", "old.graphql", new], usage].concat(), expected);
    };
    comparison(
        "none.graphql",
        &[],
        &expect![[r#"
        2
        error: cannot read none.graphql: No such file or directory (os error 2)
    "#]],
    );
    comparison(
        "wrong.graphql",
        &[],
        &expect![[r#"
        2
        error: wrong.graphql:3: `Query.a` is defined twice
    "#]],
    );
    comparison(
        "broken.graphql",
        &[],
        &expect![[r#"
        2
        error: broken.graphql:3: syntax error: expected a Type
    "#]],
    );
    let usage = ["--usage", "unknown.graphql", "--usage", "documents.json"];
    comparison(
        "new.graphql",
        &usage,
        &expect![[r#"
        2
        warning: unknown.graphql:2:3: the old schema has no `Query.z`
        warning: unknown.graphql:3:5: the old schema has no `Query.c(y:)`
        warning: documents.json: the document `1`, 1:3: the old schema has no `Query.z`
        error: documents.json: the document `2`, 1:2: syntax error: expected at least one Selection in Selection Set
    "#]],
    );
    comparison(
        "new.graphql",
        &["--usage", "none"],
        &expect![[r#"
        2
        error: cannot read none: No such file or directory (os error 2)
    "#]],
    );
}

#[test]
fn options_of_apis_and_of_comparisons_exclude_each_other() {
    let files = pair();
    let arguments = ["check", "old.graphql", "new.graphql", "--dialect", "phrag"];
    check(
        &files,
        &arguments,
        &expect![[r#"
        2
        error: `--dialect` is for an API, and two schemas are compared: leave it out; `--help-all` lists the options
    "#]],
    );
    check(
        &files,
        &["check", "shop.db", "--fail-on", "never"],
        &expect![[r#"
        2
        error: `--fail-on` is for a comparison of two schemas: write `thalweg check OLD NEW`; `--help-all` lists the options
    "#]],
    );
    // A configuration file of a server does not disturb.
    fs::write(files.file("thalweg.toml"), "source = \"shop.db\"\ndialect = \"phrag\"\n").unwrap();
    let arguments =
        ["check", "old.graphql", "new.graphql", "--fail-on", "never", "--report", "json"];
    let output = thalweg(&arguments).current_dir(&files.0).output().unwrap();
    let (code, output, error) = outcome(&output);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(output.starts_with('{'), "{output}");
}

#[test]
fn a_schema_can_be_the_standard_input() {
    let files = pair();
    let mut command = thalweg(&["check", "-", "old.graphql"]);
    command.current_dir(&files.0).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(NEW.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("  standard input:3:3: the field `Query.e` was removed"), "{text}");
}

const SUPERGRAPH: &str = include_str!("../../supergraph/src/contract/tests/supergraph.graphql");

#[test]
fn a_contract_is_a_supergraph_that_the_gateway_reads() {
    let files = folder(&[("supergraph.graphql", SUPERGRAPH)]);
    let options = ["--include", "public", "--exclude", "internal", "--hide-unreachable"];
    let arguments = [&["contract", "supergraph.graphql"], &options[..]].concat();
    let output = thalweg(&arguments).current_dir(&files.0).output().unwrap();
    let (code, contract, error) = outcome(&output);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    fs::write(files.file("contract.graphql"), contract).unwrap();
    check(
        &files,
        &["check", "contract.graphql"],
        &expect![[r#"
        0
        Nothing wrong in contract.graphql. Its subgraphs: a, b.
    "#]],
    );
    check(
        &files,
        &["schema", "contract.graphql"],
        &expect![[r#"
            0
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
    );
    // What the contract takes from clients.
    let arguments = ["check", "supergraph.graphql", "contract.graphql"];
    check(
        &files,
        &arguments,
        &expect![[r#"
        1
        Breaking (11)
          supergraph.graphql:7:13: the root type of mutations, `Mutation`, was removed [SCHEMA_MUTATION_TYPE_CHANGED]
          supergraph.graphql:28:6: the object type `Mutation` was removed [TYPE_REMOVED]
          supergraph.graphql:42:6: the object type `Audit` was removed [TYPE_REMOVED]
          supergraph.graphql:52:6: the enum `Unused` was removed [TYPE_REMOVED]
          supergraph.graphql:54:8: the scalar `Time` was removed [TYPE_REMOVED]
          supergraph.graphql:25:3: the field `Query.audit` was removed [FIELD_REMOVED]
          supergraph.graphql:22:17: the argument `Query.user(trace:)` was removed [FIELD_ARGUMENT_REMOVED]
          supergraph.graphql:38:3: the field `User.email` was removed [FIELD_REMOVED]
          supergraph.graphql:39:3: the field `User.score` was removed [FIELD_REMOVED]
          supergraph.graphql:48:51: the input field `Filter.internalName` was removed [INPUT_FIELD_REMOVED]
          supergraph.graphql:50:41: the enum value `Order.SCORE` was removed [ENUM_VALUE_REMOVED]

        Changes: 11 breaking, 0 dangerous, 0 safe.
    "#]],
    );
}

#[test]
fn a_contract_that_cannot_be_says_why() {
    let wrong = SUPERGRAPH.replace("trace: Boolean @tag", "trace: Boolean! @tag");
    let files = folder(&[
        ("supergraph.graphql", SUPERGRAPH),
        ("wrong.graphql", &wrong),
        ("schema.graphql", OLD),
    ]);
    check(
        &files,
        &["contract", "wrong.graphql", "--exclude", "internal"],
        &expect![[r#"
        1
        error: wrong.graphql:22:17: [REQUIRED_INACCESSIBLE] `Query.user(trace:)` is hidden and required: include it, or give it a default value or a nullable type
    "#]],
    );
    check(
        &files,
        &["contract", "supergraph.graphql"],
        &expect![[r#"
        2
        error: a contract needs `--include`, `--exclude` or `--hide-unreachable`; `--help-all` lists the options
    "#]],
    );
    check(
        &files,
        &["contract", "schema.graphql", "--exclude", "internal"],
        &expect![[r#"
        1
        error: schema.graphql: it is no supergraph: there is no `enum join__Graph`; compose the subgraphs first
    "#]],
    );
    let arguments = ["contract", "supergraph.graphql", "--exclude", "internel"];
    let output = thalweg(&arguments).current_dir(&files.0).output().unwrap();
    let warning = "warning: supergraph.graphql: no element has the tag `internel`; did you mean \
                   `internal`?\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), warning);
    assert!(run(&["contract", "--help"]).status.success());
}
