//! `--no-ignore-rbac`: what no role may do is not in the schema.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;

use expect_test::expect_file;
use testkit::postgres::{shared, wanted_installations};

use crate::program::{Server, outcome, run};

const TABLES: &str = include_str!("../../sources/tests/introspect_postgres/rights.sql");

#[test]
fn the_schema_has_what_some_role_may_do() {
    for installation in wanted_installations().unwrap() {
        let database = shared(&installation).unwrap();
        database.create_database("rights").unwrap();
        database.execute("rights", TABLES).unwrap();
        let source = database.url("rights").replace("postgres@", "rights_server@");
        let schema = |options: &[&str]| {
            let arguments = ["schema", &source, "--schema", "rights"];
            let (code, text, error) = outcome(&run(&[&arguments, options].concat()));
            assert_eq!((code, error.as_str()), (Some(0), ""));
            text
        };
        expect_file!["rights/schema.graphql"].assert_eq(&schema(&["--no-ignore-rbac"]));
        assert!(schema(&[]).contains("untold"));

        let listen = ["--listen", "127.0.0.1:0", "--schema", "rights"];
        let rights = ["--no-ignore-rbac", "--default-role", "rights_writer"];
        let server = Server::start(&[&["serve", &source], &listen[..], &rights].concat());
        let check = |query: &str, expected: &str| {
            assert_eq!(server.query("", query).body, expected, "{query}");
        };
        check(
            "mutation { createPerson(input: {person: {id: 1, name: \"a\", secret: \"s\"}}) \
             { person { id name mail } } }",
            r#"{"data":{"createPerson":{"person":{"id":1,"name":"a","mail":null}}}}"#,
        );
        check(
            "mutation { updatePersonById(input: {id: 1, personPatch: {pin: 7}}) { person { name } } }",
            r#"{"data":{"updatePersonById":{"person":{"name":"a"}}}}"#,
        );
        check(
            "mutation { createLetter(input: {letter: {id: 1, senderId: 1, text: \"t\"}, \
             clientMutationId: \"m\"}) { clientMutationId } }",
            r#"{"data":{"createLetter":{"clientMutationId":"m"}}}"#,
        );
        check(
            "{ allPeople { nodes { id mail } } told }",
            r#"{"data":{"allPeople":{"nodes":[{"id":1,"mail":null}]},"told":"x"}}"#,
        );
        let kept = database.query("rights", "select secret, pin from rights.person").unwrap();
        assert_eq!(kept, [[Some("s".to_owned()), Some("7".to_owned())]]);
        let hidden = server.query("", "{ allPeople { nodes { secret } } }").body;
        assert!(hidden.contains("type `Person` does not have a field `secret`"), "{hidden}");
    }
}
