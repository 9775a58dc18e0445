//! Files as values of binary columns, by `multipart/form-data`, against the built program.

use std::io::Write;

use serde_json::{Value, json};

use crate::databases::Database;
use crate::program::{Answer, Folder, Server};

const FREE: [&str; 2] = ["--listen", "127.0.0.1:0"];
const BOUNDARY: &str = "----form";
const PREFLIGHT: &str = "GraphQL-Preflight: 1\r\n";

/// Bytes that are no text, with a zero, line ends and the beginning of the boundary.
const CONTENT: &[u8] = b"\0\xff\xfe\r\n--\r\n------for\r\n\x89PNG\r\n";

const TABLES: &str = "
    CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT, content BYTEA, thumbnail BYTEA);
    CREATE TABLE note (id INTEGER PRIMARY KEY, photo_id INTEGER REFERENCES photo (id), scan BYTEA);
    INSERT INTO photo VALUES (1, 'old', '\\x00', NULL);
";
const TABLES_OF_SQLITE: &str = "
    CREATE TABLE photo (id INTEGER PRIMARY KEY, title TEXT, content BLOB, thumbnail BLOB);
    CREATE TABLE note (id INTEGER PRIMARY KEY, photo_id INTEGER REFERENCES photo (id), scan BLOB);
    INSERT INTO photo VALUES (1, 'old', x'00', NULL);
";

const CREATE: &str = "mutation ($photo: PhotoInput!) { createPhoto(input: { photo: $photo }) { \
                      photo { id title content thumbnail } } }";

/// A part of a body: its name, and its content.
type Part<'p> = (&'p str, &'p [u8]);

fn body(parts: &[Part<'_>]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in parts {
        let file = match *name {
            "operations" | "map" => "",
            _ => "; filename=\"a.png\"\r\nContent-Type: image/png",
        };
        write!(
            body,
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n"
        )
        .unwrap();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    write!(body, "--{BOUNDARY}--\r\n").unwrap();
    body
}

fn request(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "POST /graphql HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n{headers}\
         Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

fn send(server: &Server, parts: &[Part<'_>]) -> Answer {
    server.send(&request(PREFLIGHT, &body(parts)))
}

/// The answer to a document with its variables and its files.
fn upload(server: &Server, (query, variables): (&str, &Value), files: &[(&str, &[u8])]) -> Value {
    let operations = json!({ "query": query, "variables": variables }).to_string();
    let names: Vec<String> = (0..files.len()).map(|number| number.to_string()).collect();
    let map = names.iter().zip(files).map(|(name, (path, _))| (name.clone(), json!([path])));
    let map = Value::Object(map.collect()).to_string();
    let mut parts = vec![("operations", operations.as_bytes()), ("map", map.as_bytes())];
    parts.extend(names.iter().zip(files).map(|(name, (_, content))| (name.as_str(), *content)));
    let answer = send(server, &parts);
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

fn hexadecimal(content: &[u8]) -> String {
    let digits: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\\x{digits}")
}

fn refusal(answer: &Answer) -> (u16, String, String) {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let error = &body["errors"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (answer.status, text(&error["extensions"]["code"]), text(&error["message"]))
}

fn check_refused(answer: &Answer, status: u16, code: &str, message: &str) {
    let (found_status, found_code, found) = refusal(answer);
    assert_eq!((found_status, found_code.as_str()), (status, code), "{found}");
    assert!(found.contains(message), "{found}");
}

/// The servers of a PostgreSQL database and of an SQLite file with the tables.
fn on_each(options: &[&str], check: impl Fn(&Server)) {
    let options = [&FREE[..], options].concat();
    let folder = Folder::new();
    let file = folder.file("photos.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch(TABLES_OF_SQLITE).unwrap();
    check(&Server::start(&[&["serve", file.to_str().unwrap()], &options[..]].concat()));
    for database in Database::on_each(TABLES) {
        check(&Server::start(&[&["serve", &database.url()], &options[..]].concat()));
    }
}

fn sqlite(options: &[&str]) -> (Folder, Server) {
    let folder = Folder::new();
    let file = folder.file("photos.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch(TABLES_OF_SQLITE).unwrap();
    let arguments = [&["serve", file.to_str().unwrap()], &FREE[..], options].concat();
    let server = Server::start(&arguments);
    (folder, server)
}

#[test]
fn a_file_is_the_value_of_a_binary_column() {
    on_each(&["--uploads"], |server| {
        let photo = json!({ "id": 2, "title": "new", "content": null, "thumbnail": null });
        let files = [("variables.photo.content", CONTENT), ("variables.photo.thumbnail", b"")];
        let answer = upload(server, (CREATE, &json!({ "photo": photo })), &files);
        let made = &answer["data"]["createPhoto"]["photo"];
        assert_eq!(made["content"], hexadecimal(CONTENT), "{answer}");
        assert_eq!((&made["thumbnail"], &made["title"]), (&json!("\\x"), &json!("new")));
        let update = "mutation ($content: String!) { updatePhotoById(input: { id: 1, photoPatch: { \
                      content: $content } }) { photo { title content } } }";
        let files = [("variables.content", CONTENT)];
        let answer = upload(server, (update, &json!({ "content": null })), &files);
        let updated = &answer["data"]["updatePhotoById"]["photo"];
        assert_eq!(*updated, json!({ "title": "old", "content": hexadecimal(CONTENT) }));
    });
}

#[test]
fn hasura_takes_files_in_lists_of_rows_nested_rows_upserts_and_updates() {
    on_each(&["--uploads", "--dialect", "hasura"], |server| {
        let insert = "mutation ($objects: [photo_insert_input!]!) { insert_photo(objects: $objects, \
                      on_conflict: { constraint: photo_pkey, update_columns: [content] }) { \
                      returning { id title content notes { scan } } } }";
        let objects = json!([
            { "id": 1, "title": "other", "content": null },
            { "id": 5, "title": "five", "content": null,
              "notes": { "data": [{ "id": 7, "scan": null }] } },
        ]);
        let files = [
            ("variables.objects.0.content", CONTENT),
            ("variables.objects.1.content", b"five"),
            ("variables.objects.1.notes.data.0.scan", b"scan"),
        ];
        let answer = upload(server, (insert, &json!({ "objects": objects })), &files);
        let expected = json!({ "data": { "insert_photo": { "returning": [
            { "id": 1, "title": "old", "content": hexadecimal(CONTENT), "notes": [] },
            { "id": 5, "title": "five", "content": hexadecimal(b"five"),
              "notes": [{ "scan": hexadecimal(b"scan") }] },
        ] } } });
        assert_eq!(answer, expected);
        let update = "mutation ($file: bytea) { update_photo(where: { id: { _eq: 5 } }, _set: { \
                      thumbnail: $file }) { affected_rows returning { thumbnail } } }";
        let files = [("variables.file", CONTENT)];
        let answer = upload(server, (update, &json!({ "file": null })), &files);
        let expected = json!({ "data": { "update_photo": { "affected_rows": 1, "returning": [
            { "thumbnail": hexadecimal(CONTENT) },
        ] } } });
        assert_eq!(answer, expected);
        // A row is found by the bytes of a file, and a text beside it is a text.
        let delete = "mutation ($file: bytea!, $title: String) { delete_photo(where: { thumbnail: { \
                      _eq: $file }, title: { _eq: $title } }) { affected_rows } }";
        let variables = json!({ "file": null, "title": "five" });
        let clean = "mutation { delete_note(where: {}) { affected_rows } }";
        server.query("", clean);
        let answer = upload(server, (delete, &variables), &files);
        assert_eq!(answer, json!({ "data": { "delete_photo": { "affected_rows": 1 } } }));
    });
}

#[test]
fn many_rows_of_files_are_inserted_together() {
    on_each(&["--uploads", "--dialect", "hasura"], |server| {
        let insert = "mutation ($objects: [photo_insert_input!]!) { \
                      insert_photo(objects: $objects) { returning { id content thumbnail } } }";
        let objects = json!([
            { "id": 2, "content": null, "thumbnail": null },
            { "id": 3, "content": null, "thumbnail": "\\x01" },
            { "id": 4, "content": null, "thumbnail": null },
        ]);
        let files = [
            ("variables.objects.0.content", CONTENT),
            ("variables.objects.1.content", b""),
            ("variables.objects.0.thumbnail", b"abc"),
        ];
        let answer = upload(server, (insert, &json!({ "objects": objects })), &files);
        let expected = json!([
            { "id": 2, "content": hexadecimal(CONTENT), "thumbnail": hexadecimal(b"abc") },
            { "id": 3, "content": "\\x", "thumbnail": "\\x01" },
            { "id": 4, "content": null, "thumbnail": null },
        ]);
        assert_eq!(answer["data"]["insert_photo"]["returning"], expected, "{answer}");
    });
}

#[test]
fn phrag_takes_files_as_well() {
    on_each(&["--uploads", "--dialect", "phrag"], |server| {
        let create = "mutation ($file: String) { createPhoto(id: 9, content: $file) { id } }";
        let files = [("variables.file", CONTENT)];
        let answer = upload(server, (create, &json!({ "file": null })), &files);
        assert_eq!(answer, json!({ "data": { "createPhoto": { "id": 9 } } }));
        let read = server.query("", "{ photos(where: { id: { eq: 9 } }) { content } }");
        let expected = json!({ "data": { "photos": [{ "content": hexadecimal(CONTENT) }] } });
        assert_eq!(serde_json::from_str::<Value>(&read.body).unwrap(), expected);
    });
}

#[test]
fn a_file_elsewhere_is_refused_with_its_place_and_nothing_is_changed() {
    on_each(&["--uploads"], |server| {
        let check = |query: &str, variables: Value, path: &str, message: &str| {
            let answer = upload(server, (query, &variables), &[(path, CONTENT)]);
            let error = &answer["errors"][0];
            assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT", "{answer}");
            assert!(error["message"].as_str().unwrap().contains(message), "{answer}");
        };
        let title = json!({ "photo": { "id": 2, "title": null } });
        let place = "\"variables.photo.title\" cannot be a value of type text";
        check(CREATE, title, "variables.photo.title", place);
        let id = json!({ "photo": { "id": null } });
        let place = "Variable \"$photo\" got a file at \"variables.photo.id\", where a value of \
                     type \"Int";
        check(CREATE, id, "variables.photo.id", place);
        let whole = json!({ "photo": null });
        let place = "\"variables.photo\", where a value of type \"PhotoInput!\" is expected";
        check(CREATE, whole, "variables.photo", place);
        let unknown = json!({ "photo": { "id": 2 }, "other": null });
        let place = "the operation does not declare \"$other\"";
        check(CREATE, unknown, "variables.other", place);
        let query = "query ($content: String) { allPhotos(condition: { content: $content }) { \
                     totalCount } }";
        let place = "only mutations take files";
        check(query, json!({ "content": null }), "variables.content", place);
        let echoed = "mutation ($id: String) { createPhoto(input: { clientMutationId: $id, photo: { \
                      id: 3 } }) { clientMutationId } }";
        let place = "\"variables.id\" cannot be a value of type json";
        check(echoed, json!({ "id": null }), "variables.id", place);
        let answer = server.query("", "{ allPhotos { totalCount } }");
        assert_eq!(answer.body, r#"{"data":{"allPhotos":{"totalCount":1}}}"#);
    });
}

#[test]
fn files_need_the_option_and_a_header_that_pages_ask_for() {
    let (_folder, without) = sqlite(&[]);
    let parts = [("operations", &b"{}"[..]), ("map", b"{}")];
    let refused = send(&without, &parts);
    check_refused(&refused, 415, "BAD_USER_INPUT", "--uploads");
    let (_folder, server) = sqlite(&["--uploads"]);
    let refused = server.send(&request("", &body(&parts)));
    check_refused(&refused, 403, "CSRF_REFUSED", "\"GraphQL-Preflight: 1\"");
    let operations = json!({ "query": "mutation ($file: String) { updatePhotoById(input: { id: 1, \
                             photoPatch: { content: $file } }) { photo { id } } }",
                             "variables": { "file": null } })
    .to_string();
    let parts = [
        ("operations", operations.as_bytes()),
        ("map", br#"{"0":["variables.file"]}"#),
        ("0", CONTENT),
    ];
    for header in ["Apollo-Require-Preflight: true", "X-Apollo-Operation-Name: a"] {
        let answer = server.send(&request(&format!("{header}\r\n"), &body(&parts)));
        assert_eq!(answer.body, r#"{"data":{"updatePhotoById":{"photo":{"id":1}}}}"#);
    }
    // A page of another origin has no right by such a header alone.
    let headers = format!("{PREFLIGHT}Origin: https://evil.example\r\n");
    let refused = server.send(&request(&headers, &body(&parts)));
    check_refused(&refused, 403, "CSRF_REFUSED", "another origin");
    // JSON as before.
    let answer = server.query("", "{ photoById(id: 1) { title } }");
    assert_eq!(answer.status, 200);
}

#[test]
fn limits_hold_while_files_arrive() {
    let options = [
        "--uploads",
        "--max-upload-size",
        "100B",
        "--max-upload-files",
        "2",
        "--max-upload-body-size",
        "2KiB",
        "--max-body-size",
        "1KiB",
    ];
    let (_folder, server) = sqlite(&options);
    let operations = json!({ "query": CREATE, "variables": { "photo": {
        "id": 2, "title": null, "content": null, "thumbnail": null } } })
    .to_string();
    let map = r#"{"0":["variables.photo.content"],"1":["variables.photo.thumbnail"]}"#;
    let with = |map: &str, one: &[u8], other: &[u8]| {
        let operations = operations.as_bytes();
        let map = map.as_bytes();
        send(&server, &[("operations", operations), ("map", map), ("0", one), ("1", other)])
    };
    let too_large = "BODY_TOO_LARGE";
    check_refused(&with(map, &[7; 101], b""), 413, too_large, "--max-upload-size");
    let three = r#"{"0":["variables.photo.content"],"1":["variables.photo.thumbnail"],
        "2":["variables.photo.title"]}"#;
    check_refused(&with(three, b"", b""), 413, too_large, "--max-upload-files");
    check_refused(&with(map, &[7; 3000], b""), 413, too_large, "--max-upload");
    let long = format!("{map}{}", " ".repeat(1_100));
    check_refused(&with(&long, b"", b""), 413, too_large, "--max-body-size");
    let answer = with(map, &[7; 100], b"");
    assert!(answer.body.contains(&hexadecimal(&[7; 100])), "{}", answer.body);
    // The whole body, of which no part is too large.
    let parts =
        [("operations", operations.as_bytes()), ("map", map.as_bytes()), ("0", b""), ("1", b"")];
    let mut whole = body(&parts);
    whole.extend_from_slice(&[b' '; 2048]);
    check_refused(
        &server.send(&request(PREFLIGHT, &whole)),
        413,
        too_large,
        "--max-upload-body-size",
    );
}

#[test]
fn each_place_of_a_file_counts_while_it_arrives() {
    let options = ["--uploads", "--max-upload-size", "100B", "--max-upload-body-size", "2KiB"];
    let (_folder, server) = sqlite(&options);
    let variables = json!({ "photo": { "id": 2 }, "list": vec![Value::Null; 21] });
    let operations = json!({ "query": CREATE, "variables": variables }).to_string();
    let places: Vec<String> = (0..21).map(|place| format!("variables.list.{place}")).collect();
    let map = json!({ "0": places }).to_string();
    let parts =
        [("operations", operations.as_bytes()), ("map", map.as_bytes()), ("0", &[7; 100][..])];
    let refused = send(&server, &parts);
    check_refused(&refused, 413, "BODY_TOO_LARGE", "each counted as often as it is used");
    check_refused(&refused, 413, "BODY_TOO_LARGE", "--max-upload-body-size");
}

#[test]
fn each_use_of_a_file_in_a_document_counts() {
    let options = ["--uploads", "--max-upload-size", "1KiB", "--max-upload-body-size", "2KiB"];
    let check = |answer: &Value| {
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT", "{answer}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("each counted as often as it is used"), "{answer}");
    };
    let content = &[7; 900][..];
    on_each(&options, |server| {
        let updates = |aliases: &[&str]| {
            let update = |alias| {
                format!(
                    "{alias}: updatePhotoById(input: {{ id: 1, photoPatch: {{ content: $file }} }}) \
                     {{ photo {{ id }} }}"
                )
            };
            let all: Vec<String> = aliases.iter().map(update).collect();
            let mutation = format!("mutation ($file: String!) {{ {} }}", all.join(" "));
            let files = [("variables.file", content)];
            upload(server, (&mutation, &json!({ "file": null })), &files)
        };
        assert_eq!(updates(&["a"]), json!({ "data": { "a": { "photo": { "id": 1 } } } }));
        check(&updates(&["a", "b", "c"]));
    });
    for database in Database::on_each(FURTHER_TYPES) {
        let url = database.url();
        let arguments = [&["serve", &url], &FREE[..], &options[..]].concat();
        let server = &Server::start(&arguments);
        let call = "mutation ($page: String) { weigh(input: { pages: [$page, $page, $page] }) { \
                    integer } }";
        let files = [("variables.page", content)];
        check(&upload(server, (call, &json!({ "page": null })), &files));
    }
}

#[test]
fn a_subscription_takes_no_files() {
    let (_folder, server) = sqlite(&["--uploads", "--dialect", "hasura"]);
    let query = "subscription ($file: bytea) { photo(where: { content: { _eq: $file } }) { id } }";
    let operations = json!({ "query": query, "variables": { "file": null } }).to_string();
    let map = br#"{"0":["variables.file"]}"#;
    let parts = [("operations", operations.as_bytes()), ("map", map), ("0", CONTENT)];
    let headers = format!("{PREFLIGHT}Accept: text/event-stream\r\n");
    let answer = server.send(&request(&headers, &body(&parts)));
    assert!(answer.body.contains("only mutations take files"), "{}", answer.body);
}

#[test]
fn files_count_toward_the_memory_of_requests() {
    let (_folder, server) = sqlite(&["--uploads", "--request-memory", "1MiB"]);
    let operations = json!({ "query": CREATE, "variables": { "photo": {
        "id": 2, "content": null } } })
    .to_string();
    let map = br#"{"0":["variables.photo.content"]}"#;
    let with = |content: &[u8]| {
        send(&server, &[("operations", operations.as_bytes()), ("map", map), ("0", content)])
    };
    for _ in 0..2 {
        let refused = with(&[7; 600_000]);
        check_refused(&refused, 503, "REQUEST_MEMORY_EXHAUSTED", "--request-memory");
    }
    let content = [7; 200_000];
    let answer = with(&content);
    assert!(answer.body.contains(&hexadecimal(&content)));
}

#[test]
fn bodies_that_do_not_follow_the_specification_are_refused() {
    let (_folder, server) = sqlite(&["--uploads", "--batching"]);
    let operations = json!({ "query": CREATE, "variables": { "photo": {
        "id": 2, "title": null, "content": null } } })
    .to_string();
    let operations = ("operations", operations.as_bytes());
    let map = ("map", &br#"{"0":["variables.photo.content"]}"#[..]);
    let file = ("0", CONTENT);
    let check = |parts: &[Part<'_>], message: &str| {
        check_refused(&send(&server, parts), 400, "BAD_USER_INPUT", message);
    };
    check(&[], "no part \"operations\"");
    check(&[map, operations, file], "The first part of the body must be \"operations\"");
    check(&[operations], "no part \"map\"");
    check(&[operations, file, map], "The part after \"operations\" must be \"map\"");
    check(&[operations, map], "The file \"0\" is missing");
    check(&[operations, map, file, file], "several files \"0\"");
    check(&[operations, map, ("1", CONTENT)], "does not name the file \"1\"");
    check(&[("operations", b"{"), map, file], "\"operations\" is not valid JSON");
    check(&[operations, ("map", b"nothing"), file], "\"map\" is not valid JSON");
    check(&[operations, ("map", br#"{"0":["variables.nowhere"]}"#), file], "is not in");
    let whole = body(&[operations, map, file]);
    let raw = |body: &[u8]| server.send(&request(PREFLIGHT, body));
    for length in [whole.len() - BOUNDARY.len() - 6, whole.len() / 2, 60, 10, 0] {
        check_refused(&raw(&whole[..length]), 400, "BAD_USER_INPUT", "cut off");
    }
    let long_head = [format!("--{BOUNDARY}\r\nX: ").as_bytes(), &[b'a'; 200_000]].concat();
    check_refused(&raw(&long_head), 400, "BAD_USER_INPUT", "head of a part");
    let nameless = format!("--{BOUNDARY}\r\nContent-Type: text/plain\r\n\r\na\r\n--{BOUNDARY}--");
    check_refused(&raw(nameless.as_bytes()), 400, "BAD_USER_INPUT", "has no name");
    let compressed = format!("{PREFLIGHT}Content-Encoding: gzip\r\n");
    let refused = server.send(&request(&compressed, &whole));
    check_refused(&refused, 400, "BAD_USER_INPUT", "Content-Encoding");
    // Nothing was inserted, and the server answers the whole body.
    let answer = server.query("", "{ allPhotos { totalCount } }");
    assert_eq!(answer.body, r#"{"data":{"allPhotos":{"totalCount":1}}}"#);
    let answer = raw(&whole);
    assert!(answer.body.contains(&hexadecimal(CONTENT)), "{}", answer.body);
}

#[test]
fn the_operations_of_a_batch_have_their_own_files() {
    on_each(&["--uploads", "--batching"], |server| {
        let operation = |id: i32| {
            json!({ "query": CREATE, "variables": { "photo": {
            "id": id, "content": null } } })
        };
        let operations = json!([operation(10), operation(11)]).to_string();
        let map = br#"{"a":["0.variables.photo.content"],"b":["1.variables.photo.content"]}"#;
        let parts = [
            ("operations", operations.as_bytes()),
            ("map", map),
            ("b", b"second"),
            ("a", b"first"),
        ];
        let answer: Value = serde_json::from_str(&send(server, &parts).body).unwrap();
        let content = |place: usize| &answer[place]["data"]["createPhoto"]["photo"]["content"];
        assert_eq!(*content(0), hexadecimal(b"first"), "{answer}");
        assert_eq!(*content(1), hexadecimal(b"second"));
    });
}

#[test]
fn one_file_may_have_several_places() {
    on_each(&["--uploads"], |server| {
        let operations = json!({ "query": CREATE, "variables": { "photo": {
            "id": 12, "content": null, "thumbnail": null } } })
        .to_string();
        let map = br#"{"a":["variables.photo.content","variables.photo.thumbnail"]}"#;
        let parts = [("operations", operations.as_bytes()), ("map", map), ("a", CONTENT)];
        let answer: Value = serde_json::from_str(&send(server, &parts).body).unwrap();
        let photo = &answer["data"]["createPhoto"]["photo"];
        assert_eq!(photo["content"], hexadecimal(CONTENT), "{answer}");
        assert_eq!(photo["thumbnail"], photo["content"]);
    });
}

#[test]
fn apollo_client_and_urql_upload_files() {
    on_each(&["--uploads", "--upload-scalar"], |server| {
        let url = format!("http://{}/graphql", server.address);
        if let Some(printed) = crate::script::run("uploads.mjs", &[&url]) {
            assert_eq!(printed, "urql\nApollo Client\nFormData\n");
        }
    });
}

/// Arguments of functions, arrays and domains.
const FURTHER_TYPES: &str = "
    CREATE DOMAIN image AS bytea CHECK (octet_length(value) < 100);
    CREATE TABLE album (id INTEGER PRIMARY KEY, cover image, pages BYTEA[]);
    CREATE FUNCTION weigh(content BYTEA, pages BYTEA[], label TEXT) RETURNS INTEGER
      LANGUAGE sql VOLATILE
      AS $$ SELECT octet_length(content) + 100 * octet_length(pages[2]) $$;
";

#[test]
fn postgres_takes_files_as_arguments_arrays_and_domains() {
    for database in Database::on_each(FURTHER_TYPES) {
        let url = database.url();
        let arguments = [&["serve", &url, "--uploads"], &FREE[..]].concat();
        let server = &Server::start(&arguments);
        let call = "mutation ($content: String, $pages: [String], $label: String) { weigh(input: { \
                    content: $content, pages: $pages, label: $label }) { integer } }";
        let files = [
            ("variables.content", CONTENT),
            ("variables.pages.0", b"a"),
            ("variables.pages.1", b"abc"),
        ];
        let variables = json!({ "content": null, "pages": [null, null] });
        let answer = upload(server, (call, &variables), &files);
        let weight = CONTENT.len() + 300;
        assert_eq!(answer, json!({ "data": { "weigh": { "integer": weight } } }));
        let answer = upload(server, (call, &json!({ "label": null })), &[("variables.label", b"")]);
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("\"variables.label\" cannot be a value of type text"), "{answer}");
        let create = "mutation ($album: AlbumInput!) { createAlbum(input: { album: $album }) { \
                      album { cover pages } } }";
        let album = json!({ "album": { "id": 1, "cover": null, "pages": [null, "\\x01", null] } });
        let files = [("variables.album.cover", CONTENT), ("variables.album.pages.0", b"page")];
        let answer = upload(server, (create, &album), &files);
        let expected = json!({
            "cover": hexadecimal(CONTENT),
            "pages": [hexadecimal(b"page"), "\\x01", null],
        });
        assert_eq!(answer["data"]["createAlbum"]["album"], expected, "{answer}");
        // The database refuses what its domain does not allow.
        let album = json!({ "album": { "id": 2, "cover": null } });
        let files = [("variables.album.cover", &[7; 200][..])];
        let answer = upload(server, (create, &album), &files);
        assert_eq!(answer["data"]["createAlbum"], Value::Null, "{answer}");
    }
}
