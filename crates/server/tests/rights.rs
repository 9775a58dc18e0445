//! `--no-ignore-rbac`: what no role may do is not in the schema.

use expect_test::expect_file;
use testkit::postgres::{required_installations, shared};

use crate::program::{Server, outcome, run};

const TABLES: &str = include_str!("../../source-postgres/tests/driver/introspect/rights.sql");

#[test]
fn the_schema_has_what_some_role_may_do() {
    for installation in required_installations().unwrap() {
        let database = shared(&installation).unwrap();
        database.create_database("rights").unwrap();
        database.execute("rights", TABLES).unwrap();
        database.execute("rights", "insert into rights.vault values (1, null, 7)").unwrap();
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
        // The table of the function's rows is not asked by their node ids.
        let node =
            "{ node(nodeId: \"WyJ2YXVsdHMiLDFd\") { nodeId } fromVault { nodes { nodeId gold } } }";
        check(
            node,
            r#"{"data":{"node":null,"fromVault":{"nodes":[{"nodeId":"WyJ2YXVsdHMiLDFd","gold":7}]}}}"#,
        );
        let kept = database.query("rights", "select secret, pin from rights.person").unwrap();
        assert_eq!(kept, [[Some("s".to_owned()), Some("7".to_owned())]]);
        let hidden = server.query("", "{ allPeople { nodes { secret } } }").body;
        assert!(
            hidden.contains(r#"Cannot query field \"secret\" on type \"Person\"."#),
            "{hidden}"
        );
    }
}

#[test]
fn so_has_the_schema_of_phrag() {
    for installation in required_installations().unwrap() {
        let database = shared(&installation).unwrap();
        database.create_database("rights_phrag").unwrap();
        database.execute("rights_phrag", &own_roles(TABLES, "phrag")).unwrap();
        let row = "insert into rights.two_keys values (1, 2, 'x')";
        database.execute("rights_phrag", row).unwrap();
        let source = database.url("rights_phrag").replace("postgres@", "phrag_server@");
        let common = [&*source, "--schema", "rights", "--dialect", "phrag"];
        let rights = ["--no-ignore-rbac"];
        let (code, schema, error) = outcome(&run(&[&["schema"], &common[..], &rights].concat()));
        assert_eq!((code, error.as_str()), (Some(0), ""));
        expect_file!["rights/phrag.graphql"].assert_eq(&schema);

        let listen = ["--listen", "127.0.0.1:0", "--default-role", "phrag_writer"];
        let server = Server::start(&[&["serve"], &common[..], &rights, &listen].concat());
        let check = |query: &str, expected: &str| {
            assert_eq!(server.query("", query).body, expected, "{query}");
        };
        // A column that may be given and not be read is an argument.
        check(
            "mutation { createPerson(id: 1, name: \"a\", secret: \"s\") { id } }",
            r#"{"data":{"createPerson":{"id":1}}}"#,
        );
        check(
            "mutation { updatePerson(pk_columns: {id: 1}, name: \"b\", pin: 7) { result } }",
            r#"{"data":{"updatePerson":{"result":true}}}"#,
        );
        check(
            "mutation { createPost(author_id: 1, title: \"t\") { id } }",
            r#"{"data":{"createPost":{"id":1}}}"#,
        );
        check(
            "{ people { id name posts { title author { mail } } posts_aggregate { count max { title } } } }",
            r#"{"data":{"people":[{"id":1,"name":"b","posts":[{"title":"t","author":{"mail":null}}],"posts_aggregate":{"count":1,"max":{"title":"t"}}}]}}"#,
        );
        // Its key may not be read, so its rows are in no order of that.
        let own = Server::start(&[&["serve"], &common[..], &rights, &listen[..2]].concat());
        let keys = own.query("", "{ two_keys { b c } }").body;
        assert_eq!(keys, r#"{"data":{"two_keys":[{"b":2,"c":"x"}]}}"#);
        let kept = database.query("rights_phrag", "select secret, pin from rights.person");
        assert_eq!(kept.unwrap(), [[Some("s".to_owned()), Some("7".to_owned())]]);
    }
}

#[test]
fn rights_are_named_where_they_leave_nothing() {
    for installation in required_installations().unwrap() {
        let database = shared(&installation).unwrap();
        database.create_database("rights_none").unwrap();
        database.execute("rights_none", &own_roles(TABLES, "none")).unwrap();
        let ungrant = "revoke all on all tables in schema rights from public, none_reader, none_writer, none_server; \
                       revoke all on all functions in schema rights from public, none_reader, none_writer; \
                       alter table rights.owned owner to postgres";
        database.execute("rights_none", ungrant).unwrap();
        let source = database.url("rights_none").replace("postgres@", "none_server@");
        for dialect in ["postgraphile", "phrag"] {
            let arguments =
                ["serve", &source, "--schema", "rights", "--dialect", dialect, "--no-ignore-rbac"];
            let (code, _, error) = outcome(&run(&arguments));
            assert_eq!(code, Some(1), "{error}");
            let said = "neither the user of the connection nor a role that it can become may read or change anything";
            assert!(error.contains(said), "{error}");
        }
        let (_, told, _) = outcome(&run(&[
            "check",
            &source,
            "--schema",
            "rights",
            "--dialect",
            "phrag",
            "--no-ignore-rbac",
        ]));
        assert!(
            told.contains("of which a column may be read by the user of the connection"),
            "{told}"
        );
    }
}

/// The same tables with roles of other names: the server is shared.
fn own_roles(tables: &str, name: &str) -> String {
    ["reader", "writer", "server", "other"].iter().fold(tables.to_owned(), |text, role| {
        text.replace(&format!("rights_{role}"), &format!("{name}_{role}"))
    })
}
