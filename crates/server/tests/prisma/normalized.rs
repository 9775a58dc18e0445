//! Import and export in Prisma's normalized data format.

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use super::{DATAMODEL, Service};
use crate::databases::Database;
use crate::program::{Folder, Server};

impl Service {
    fn import(&self, part: &str, values: &Value) -> Value {
        let (status, answer) =
            self.post("/import", "", &json!({ "valueType": part, "values": values }));
        assert_eq!(status, 200, "{answer}");
        answer
    }

    fn export(&self, part: &str, cursor: &Value) -> Value {
        let (status, answer) =
            self.post("/export", "", &json!({ "fileType": part, "cursor": cursor }));
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// All elements of a part, and the number of pages.
    fn export_all(&self, part: &str) -> (Vec<Value>, usize) {
        let (mut elements, mut pages) = (Vec::new(), 0);
        let mut cursor = json!({ "table": 0, "row": 0, "field": 0, "array": 0 });
        while cursor["table"] != -1 {
            let page = self.export(part, &cursor);
            elements.extend(page["out"]["jsonElements"].as_array().unwrap().iter().cloned());
            assert_ne!(page["cursor"], cursor, "a page leads on");
            cursor = page["cursor"].clone();
            pages += 1;
        }
        (elements, pages)
    }
}

/// Checks something on SQLite and on each PostgreSQL.
fn on_each(datamodel: &str, options: &[&str], check: impl Fn(&Service)) {
    check(&Service::start_with(datamodel, options));
    for database in Database::on_each("") {
        let folder = Folder::new();
        let file = folder.file("datamodel.prisma");
        std::fs::write(&file, datamodel).unwrap();
        let url = database.url();
        let words = ["serve", file.to_str().unwrap(), "--data", &url, "--listen", "127.0.0.1:0"];
        let server = Server::start(&[&words[..], options].concat());
        check(&Service { server, folder });
    }
}

fn users() -> Value {
    json!([
        { "_typeName": "User", "id": "u1", "email": "ann@x", "age": 7, "role": "ADMIN",
          "createdAt": "2017-11-29 14:35:13", "updatedAt": "2017-12-05T12:34:23.250Z" },
        { "_typeName": "Post", "id": "p1", "title": "One", "score": 1.5, "meta": { "a": [1, null] } },
        { "_typeName": "User", "id": "u2", "email": "bob@x" },
        { "_typeName": "Post", "id": "p2", "title": "\\N \"two\"\t\n" },
    ])
}

#[test]
fn nodes_lists_and_relations_are_stored_and_read_back() {
    on_each(DATAMODEL, &[], |service| {
        assert_eq!(service.import("nodes", &users()), json!([]));
        let lists = json!([
            { "_typeName": "Post", "id": "p1", "tags": ["a", "b"] },
            { "_typeName": "Post", "id": "p2", "tags": ["c"] },
            { "_typeName": "Post", "id": "p1", "tags": ["d"] },
        ]);
        assert_eq!(service.import("lists", &lists), json!([]));
        let more = json!([{ "_typeName": "Post", "id": "p1", "tags": ["e"] }]);
        assert_eq!(service.import("lists", &more), json!([]));
        let author = |post: &str, user: &str| {
            json!([
                { "_typeName": "Post", "id": post, "fieldName": "author" },
                { "_typeName": "User", "id": user, "fieldName": "posts" },
            ])
        };
        let friends = json!([
            { "_typeName": "User", "id": "u1", "fieldName": "friends" },
            { "_typeName": "User", "id": "u2" },
        ]);
        let relations = json!([author("p1", "u1"), author("p2", "u1"), friends]);
        assert_eq!(service.import("relations", &relations), json!([]));
        let read = service.query(
            "/",
            "",
            "{ users { id email age role createdAt updatedAt posts { id title score meta tags } \
             friends { id } } }",
        );
        let [ann, bob] = read["users"].as_array().unwrap().as_slice() else { panic!("{read}") };
        assert_eq!(
            *ann,
            json!({
                "id": "u1", "email": "ann@x", "age": 7, "role": "ADMIN",
                "createdAt": "2017-11-29T14:35:13.000Z", "updatedAt": "2017-12-05T12:34:23.250Z",
                "friends": [{ "id": "u2" }],
                "posts": [
                    { "id": "p1", "title": "One", "score": 1.5, "meta": { "a": [1, null] },
                      "tags": ["a", "b", "d", "e"] },
                    { "id": "p2", "title": "\\N \"two\"\t\n", "score": null, "meta": null,
                      "tags": ["c"] },
                ],
            })
        );
        // The server sets moments that are not given.
        assert!(bob["createdAt"].as_str().unwrap().ends_with('Z'), "{bob}");
        assert_eq!(bob["friends"], json!([]));
        let (nodes, pages) = service.export_all("nodes");
        assert_eq!(pages, 1);
        assert_eq!(
            nodes,
            [
                json!({
                    "_typeName": "User", "id": "u1", "email": "ann@x", "age": 7, "role": "ADMIN",
                    "createdAt": "2017-11-29T14:35:13.000Z",
                    "updatedAt": "2017-12-05T12:34:23.250Z"
                }),
                json!({
                    "_typeName": "User", "id": "u2", "email": "bob@x",
                    "createdAt": bob["createdAt"], "updatedAt": bob["updatedAt"]
                }),
                json!({
                    "_typeName": "Post", "id": "p1", "title": "One", "score": 1.5,
                    "meta": { "a": [1, null] }
                }),
                json!({ "_typeName": "Post", "id": "p2", "title": "\\N \"two\"\t\n" }),
            ]
        );
        let (lists, _) = service.export_all("lists");
        assert_eq!(
            lists,
            [
                json!({ "_typeName": "Post", "id": "p1", "tags": ["a", "b", "d", "e"] }),
                json!({ "_typeName": "Post", "id": "p2", "tags": ["c"] }),
            ]
        );
        let (mut pairs, _) = service.export_all("relations");
        pairs.sort_by_key(|pair| pair[1]["id"].as_str().unwrap().to_owned());
        let exported = |post: &str| {
            json!([
                { "_typeName": "User", "id": "u1", "fieldName": "posts" },
                { "_typeName": "Post", "id": post, "fieldName": "author" },
            ])
        };
        let friends = json!([
            { "_typeName": "User", "id": "u2" },
            { "_typeName": "User", "id": "u1", "fieldName": "friends" },
        ]);
        assert_eq!(pairs, [exported("p1"), exported("p2"), friends]);
    });
}

#[test]
fn nodes_that_are_none_of_their_type_are_told_and_the_others_stored() {
    on_each(DATAMODEL, &[], |service| {
        let nodes = json!([
            { "_typeName": "User", "id": "u1", "email": "ann@x" },
            { "_typeName": "User", "id": "u2", "email": "bob@x", "nick": "b" },
            { "_typeName": "User", "id": "u3", "email": "cid@x", "age": "7" },
            { "_typeName": "User", "id": "u4", "email": "dan@x", "age": 7.5 },
            { "_typeName": "User", "id": "u5", "email": "eve@x", "role": "NOBODY" },
            { "_typeName": "User", "id": "u6", "email": "fay@x", "createdAt": "yesterday" },
            { "_typeName": "User", "id": "u7", "email": "gus@x", "age": null },
            { "_typeName": "User", "id": "u8", "email": "hal@x", "createdAt": "2018-01-01T00:00:00Z" },
        ]);
        let invalid = |id: &str, field: &str| {
            format!("The model User with id {id} has an invalid value for field' {field}'.")
        };
        let expected = json!([
            "The model User with id u2 has an unknown field 'nick' in field list.",
            invalid("u3", "age"),
            invalid("u4", "age"),
            invalid("u5", "role"),
            invalid("u6", "createdAt"),
            invalid("u7", "age"),
        ]);
        assert_eq!(service.import("nodes", &nodes), expected);
        let stored = service.query("/", "", "{ users { id } }");
        assert_eq!(stored, json!({ "users": [{ "id": "u1" }, { "id": "u8" }] }));
    });
}

#[test]
fn a_row_that_the_database_refuses_leaves_nothing_of_its_request() {
    on_each(DATAMODEL, &[], |service| {
        let user = |id: &str, email: &str| json!({ "_typeName": "User", "id": id, "email": email });
        let first = |answer: &Value, begin: &str| {
            let [text] = answer.as_array().unwrap().as_slice() else { panic!("{answer}") };
            assert!(text.as_str().unwrap().starts_with(begin), "{text}");
        };
        assert_eq!(service.import("nodes", &json!([user("u1", "ann@x")])), json!([]));
        let twice = json!([user("u2", "bob@x"), user("u3", "ann@x"), user("u4", "cid@x")]);
        let answer = service.import("nodes", &twice);
        first(&answer, "Failure inserting User with Id: u3. Cause: ");
        let lists = json!([{ "_typeName": "Post", "id": "none", "tags": ["a"] }]);
        let answer = service.import("lists", &lists);
        first(&answer, "Failure inserting into listTable Post_tags");
        let relations = json!([[
            { "_typeName": "User", "id": "u1", "fieldName": "friends" },
            { "_typeName": "User", "id": "none" },
        ]]);
        let answer = service.import("relations", &relations);
        first(&answer, "Failure inserting into relationtable _Friends");
        let missing = json!([{ "_typeName": "User", "id": "u9" }]);
        first(&service.import("nodes", &missing), "Failure inserting User with Id: u9. Cause: ");
        let stored = service.query("/", "", "{ users { id friends { id } } posts { id } }");
        let expected = json!({ "users": [{ "id": "u1", "friends": [] }], "posts": [] });
        assert_eq!(stored, expected);
    });
}

#[test]
fn pages_end_at_their_size_and_lead_through_everything() {
    let service = Service::start(&["--max-response-size", "2000"]);
    let nodes: Vec<_> = (0..60)
        .map(|id| json!({ "_typeName": "User", "id": format!("u{id:02}"), "email": format!("e{id}") }))
        .chain([json!({ "_typeName": "Post", "id": "p", "title": "x".repeat(1500) })])
        .collect();
    assert_eq!(service.import("nodes", &json!(nodes)), json!([]));
    let friends: Vec<_> = (1..60)
        .map(|id| {
            json!([
                { "_typeName": "User", "id": "u00", "fieldName": "friends" },
                { "_typeName": "User", "id": format!("u{id:02}") },
            ])
        })
        .collect();
    assert_eq!(service.import("relations", &json!(friends)), json!([]));
    let tags: Vec<_> = (0..20).map(|tag| format!("tag {tag}")).collect();
    let lists = json!([{ "_typeName": "Post", "id": "p", "tags": tags }]);
    assert_eq!(service.import("lists", &lists), json!([]));
    let (exported, pages) = service.export_all("nodes");
    let ids: Vec<_> = exported.iter().map(|node| node["id"].as_str().unwrap()).collect();
    let expected: Vec<_> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
    assert_eq!(ids, expected);
    assert!(pages > 4, "{pages} pages");
    let (pairs, pages) = service.export_all("relations");
    let mut ids: Vec<_> = pairs.iter().map(|pair| pair[0]["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, expected[1..60]);
    assert!(pages >= 3, "{pages} pages");
    let page = service.export("nodes", &json!({ "table": 0, "row": 0 }));
    assert_eq!(page["isFull"], json!(true));
    let elements = page["out"]["jsonElements"].as_array().unwrap();
    let size: usize = elements.iter().map(|element| element.to_string().len()).sum();
    assert_eq!(page["out"]["size"], json!(size));
    assert_eq!(page["cursor"]["row"], json!(elements.len()));
    let (lists, _) = service.export_all("lists");
    assert_eq!(lists, [json!({ "_typeName": "Post", "id": "p", "tags": tags })]);
}

#[test]
fn a_part_without_anything_is_an_empty_page() {
    let service = Service::start_with("type A { id: ID! @id }", &[]);
    let end = json!({ "table": -1, "row": -1, "field": -1, "array": -1 });
    for part in ["nodes", "lists", "relations", "other"] {
        let page = service.export(part, &json!({ "table": 0, "row": 0, "field": 0, "array": 0 }));
        let expected =
            json!({ "out": { "jsonElements": [], "size": 0 }, "cursor": end, "isFull": false });
        assert_eq!(page, expected, "{part}");
    }
}

#[test]
fn requests_that_cannot_be_read_are_refused() {
    let service = Service::start(&[]);
    let check = |path: &str, body: Value, problem: &str| {
        let (status, answer) = service.post(path, "", &body);
        let message = answer["errors"][0]["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!(status, 400, "{body}: {answer}");
        assert!(message.contains(problem), "{body}: {message}");
    };
    let import = |part: &str, value: Value| json!({ "valueType": part, "values": [value] });
    check("/import", json!({}), "`valueType`");
    check("/import", json!({ "valueType": "nodes" }), "`valueType`");
    check("/import", import("edges", json!({})), "`valueType`");
    check("/import", import("nodes", json!([])), "is no object");
    check("/import", import("nodes", json!({ "id": "a" })), "`_typeName`");
    check("/import", import("nodes", json!({ "_typeName": "B", "id": "a" })), "no type B");
    check("/import", import("nodes", json!({ "_typeName": "User" })), "no `id`");
    let long = "a".repeat(26);
    check("/import", import("nodes", json!({ "_typeName": "User", "id": long })), "no `id`");
    let list = json!({ "_typeName": "Post", "id": "p", "words": [] });
    check("/import", import("lists", list), "no list words");
    let list = json!({ "_typeName": "Post", "id": "p", "tags": [1] });
    check("/import", import("lists", list), "none of its type");
    check("/import", import("relations", json!([])), "a list of two objects");
    let side = |name: &str, field: Option<&str>| json!({ "_typeName": name, "id": "a", "fieldName": field });
    let pair = json!([side("User", None), side("Post", None)]);
    check("/import", import("relations", pair), "on one side");
    let pair = json!([side("User", Some("pets")), side("Post", None)]);
    check("/import", import("relations", pair), "no relation pets");
    let pair = json!([side("User", Some("posts")), side("User", None)]);
    check("/import", import("relations", pair), "is Post, not User");
    check("/export", json!({}), "`fileType`");
    check("/export", json!({ "fileType": "nodes" }), "`cursor.table`");
    let cursor = json!({ "table": 2, "row": 0 });
    check("/export", json!({ "fileType": "nodes", "cursor": cursor }), "less than 2");
    let cursor = json!({ "table": 0, "row": -1 });
    check("/export", json!({ "fileType": "nodes", "cursor": cursor }), "`cursor.row`");
    let service = Service::start_with("type A { id: Int! @id }", &[]);
    let body = import("nodes", json!({ "_typeName": "A", "id": 1 }));
    let (status, answer) = service.post("/import", "", &body);
    assert_eq!(status, 400);
    assert!(answer.to_string().contains("ids of A are numbers"), "{answer}");
}

#[test]
fn imports_and_exports_need_the_token_and_a_server_that_is_not_restricted() {
    let secret = "a secret of more than thirty-two bytes";
    let service = Service::start(&["--service", "blog/dev", "--service-secret", secret]);
    let token = format!("Authorization: Bearer {}\r\n", Issuer::secret(secret).token("{}"));
    let body = json!({ "fileType": "nodes", "cursor": { "table": 0, "row": 0 } });
    for path in ["/blog/dev/export", "/graphql/export"] {
        let (_, refused) = service.post(path, "", &body);
        assert_eq!(refused["errors"][0]["code"], json!(3015), "{path}");
        let (status, page) = service.post(path, &token, &body);
        assert_eq!((status, &page["isFull"]), (200, &json!(false)), "{path}");
    }
    let (_, other) = service.post("/blog/export", &token, &body);
    assert_eq!(other["errors"][0]["code"], json!(3016));
    let folder = Folder::new();
    let manifest = folder.file("documents.json");
    std::fs::write(&manifest, "{}").unwrap();
    let manifest = manifest.to_str().unwrap();
    let service = Service::start(&["--trusted-documents", manifest, "--only-trusted"]);
    for path in ["/import", "/export"] {
        let (status, answer) = service.post(path, "", &body);
        let code = &answer["errors"][0]["extensions"]["code"];
        assert_eq!((status, code), (403, &json!("OPERATION_NOT_TRUSTED")), "{path}");
    }
}
