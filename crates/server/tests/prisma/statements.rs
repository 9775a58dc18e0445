//! `executeRaw`: statements of SQL by clients.

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use super::{DATAMODEL, Service};
use crate::databases::Database;
use crate::program::{Folder, Server, outcome, run};

const RAW: [&str; 1] = ["--raw-access"];

impl Service {
    /// The result of a statement, or its errors.
    fn execute(&self, statement: &str) -> Value {
        let query = "mutation ($query: String!) { executeRaw(database: default, query: $query) }";
        let body = json!({ "query": query, "variables": { "query": statement } });
        let (status, answer) = self.post("/", "", &body);
        assert_eq!(status, 200, "{answer}");
        match answer.get("errors") {
            Some(errors) => errors.clone(),
            None => answer["data"]["executeRaw"].clone(),
        }
    }
}

/// A server on PostgreSQL, if there is one.
pub(super) fn on_postgres(options: &[&str]) -> Option<(Service, Database)> {
    let database = Database::on_one("")?;
    let folder = Folder::new();
    let file = folder.file("datamodel.prisma");
    std::fs::write(&file, DATAMODEL).unwrap();
    let (file, url) = (file.to_str().unwrap(), database.url());
    let schema = ["--schema", "default$default"];
    let words = ["serve", file, "--data", &url, "--listen", "127.0.0.1:0"];
    let server = Server::start(&[&words[..], &schema, options].concat());
    Some((Service { server, folder }, database))
}

#[test]
fn statements_have_rows_or_a_count_on_sqlite() {
    let service = Service::start(&RAW);
    assert_eq!(service.execute("Select 1"), json!([{ "1": 1 }]));
    let insert = "insert into Post (id, title, score) values ('p1', 'a', 0.5), ('p2', 'b', null)";
    assert_eq!(service.execute(insert), json!(2));
    let select = r#"select id, title as "aliasedTitle", title, score from Post order by id"#;
    let expected = json!([
        { "id": "p1", "aliasedTitle": "a", "title": "a", "score": 0.5 },
        { "id": "p2", "aliasedTitle": "b", "title": "b", "score": null },
    ]);
    assert_eq!(service.execute(select), expected);
    assert_eq!(
        service.query("/", "", "{ posts { id } }"),
        json!({ "posts": [{ "id": "p1" }, { "id": "p2" }] })
    );
    let refused = |statement: &str| {
        let errors = service.execute(statement);
        let error = &errors[0];
        assert_eq!(error["path"], json!(["executeRaw"]), "{error}");
        assert!(error["requestId"].as_str().unwrap().starts_with("local:"), "{error}");
        let code = error["extensions"]["code"].clone();
        (error["code"].clone(), code, error["message"].as_str().unwrap().to_owned())
    };
    let (code, own, message) = refused(insert);
    assert_eq!((code, own), (json!(19), json!("STATEMENT_REFUSED")));
    assert!(message.contains("UNIQUE constraint failed: Post.id"), "{message}");
    let (code, _, message) = refused("Select * from ");
    assert_eq!(code, json!(1));
    assert!(message.contains("incomplete input"), "{message}");
}

#[test]
fn several_statements_of_a_mutation_are_executed_in_their_order() {
    let service = Service::start(&RAW);
    let query = r#"mutation {
        first: executeRaw(query: "insert into Post (id, title) values ('p1', 'a')")
        createPost(data: { id: "p2", title: "b" }) { id }
        second: executeRaw(query: "select count(*) as n from Post")
        third: executeRaw(query: "delete from Post")
        fourth: executeRaw(query: "select count(*) as n from Post")
        posts: executeRaw(query: "select count(*) as n from Post")
    }"#;
    let expected = json!({
        "first": 1,
        "createPost": { "id": "p2" },
        "second": [{ "n": 2 }],
        "third": 2,
        "fourth": [{ "n": 0 }],
        "posts": [{ "n": 0 }],
    });
    assert_eq!(service.query("/", "", query), expected);
}

#[test]
fn statements_have_rows_or_a_count_on_postgres() {
    let Some((service, _database)) = on_postgres(&RAW) else { return };
    assert_eq!(service.execute("Select 1"), json!([{ "?column?": 1 }]));
    let insert =
        r#"insert into "Post" (id, title, score, meta) values ('p1', 'a', 0.5, '{"x":1}')"#;
    assert_eq!(service.execute(insert), json!(1));
    let select = r#"select id, score, meta, array['a', null, 'b,"c'] as texts, true as yes,
        now() > now() as no, 9007199254740993::bigint as large, meta::jsonb as json,
        '2020-01-02 03:04:05'::timestamp as moment, null::int as nothing from "Post""#;
    let expected = json!([{
        "id": "p1", "score": 0.5, "meta": "{\"x\":1}", "texts": ["a", null, "b,\"c"],
        "yes": true, "no": false, "large": 9007199254740993_i64, "json": { "x": 1 },
        "moment": "2020-01-02 03:04:05", "nothing": null,
    }]);
    // Trailing zeros of decimals are theirs.
    let mut found = service.execute(select);
    assert_eq!(found[0]["score"].as_f64(), Some(0.5));
    found[0]["score"] = json!(0.5);
    assert_eq!(found, expected);
    let update = r#"update "Post" set title = 'b' returning title"#;
    assert_eq!(service.execute(update), json!([{ "title": "b" }]));
    assert_eq!(service.execute("create table other (id int)"), json!(0));
    assert_eq!(service.execute("drop table \"default$default\".other"), json!(0));
    // A transaction and a setting end with their statement.
    assert_eq!(service.execute("begin"), json!(0));
    assert_eq!(service.execute("set application_name to 'raw'"), json!(0));
    let name = "select current_setting('application_name') as name";
    assert_ne!(service.execute(name), json!([{ "name": "raw" }]));
    let refused = |statement: &str| {
        let errors = service.execute(statement);
        (errors[0]["code"].clone(), errors[0]["message"].as_str().unwrap().to_owned())
    };
    let (code, message) = refused(insert);
    assert_eq!(code, json!(0));
    assert!(message.contains("duplicate key value violates unique constraint"), "{message}");
    let (code, message) = refused("Select * from ");
    assert_eq!((code, &*message), (json!(0), "ERROR: syntax error at end of input"));
    let (_, message) = refused("select 1; select 2");
    assert!(message.contains("multiple commands"), "{message}");
    let (_, message) = refused("select $1::int");
    assert!(message.contains("$1"), "{message}");
}

#[test]
fn a_session_with_a_role_cannot_execute_statements() {
    let secret = "a secret of more than thirty-two bytes";
    let options = ["--raw-access", "--jwt-secret", secret, "--jwt-verify-audience", "*"];
    let Some((service, _database)) = on_postgres(&options) else { return };
    assert_eq!(service.execute("select 1 as n"), json!([{ "n": 1 }]));
    let token =
        format!("Authorization: Bearer {}\r\n", Issuer::secret(secret).token(r#"{"sub":"a"}"#));
    let body = json!({ "query": "mutation { executeRaw(query: \"select 1\") }" });
    let (_, answer) = service.post("/", &token, &body);
    assert_eq!(answer["errors"][0]["extensions"]["code"], json!("PERMISSION_DENIED"), "{answer}");
    let import = json!({ "valueType": "nodes", "values": [] });
    assert_eq!(service.post("/import", &token, &import).0, 403);
    assert_eq!(service.post("/import", "", &import), (200, json!([])));
}

#[test]
fn a_statement_that_takes_too_long_is_interrupted() {
    let service = Service::start(&["--raw-access", "--request-timeout", "1s"]);
    let endless =
        "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n";
    let query = json!({
        "query": "mutation ($query: String!) { executeRaw(query: $query) }",
        "variables": { "query": endless },
    });
    let (_, answer) = service.post("/", "", &query);
    assert!(answer["errors"][0]["message"].is_string(), "{answer}");
    // The file is free again.
    assert_eq!(service.execute("delete from Post"), json!(0));
}

#[test]
fn statements_are_off_unless_they_are_asked_for() {
    let service = Service::start(&[]);
    let (_, answer) =
        service.post("/", "", &json!({ "query": "mutation { executeRaw(query: \"select 1\") }" }));
    let code = &answer["errors"][0]["extensions"]["code"];
    assert_eq!(*code, json!("GRAPHQL_VALIDATION_FAILED"), "{answer}");
    let folder = Folder::new();
    let file = folder.file("datamodel.prisma");
    std::fs::write(&file, DATAMODEL).unwrap();
    let data = folder.file("shop.db");
    let words = ["schema", file.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let (_, without, _) = outcome(&run(&words));
    assert!(!without.contains("executeRaw") && !without.contains("PrismaDatabase"), "{without}");
    let (code, with, error) = outcome(&run(&[&words[..], &RAW].concat()));
    assert_eq!(code, Some(0), "{error}");
    assert!(
        with.contains("  executeRaw(database: PrismaDatabase, query: String!): Json!\n}"),
        "{with}"
    );
    assert!(with.contains("enum PrismaDatabase {\n  default\n}"), "{with}");
    let mut service = Service::start(&RAW);
    service.server.signal("TERM");
    let log = [service.server.said.clone(), service.server.rest_of_log()].concat();
    assert!(log.contains("with --raw-access"), "{log}");
}
