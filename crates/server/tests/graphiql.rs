//! GraphiQL and what it shows of a request, on raw sockets against the built program. The page in a
//! browser is looked at in `browser.rs`.

use std::path::Path;

use expect_test::expect;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::program::{Answer, Folder, Server};

const JSON: &str = "application/json; charset=utf-8";
const ACCEPT_HTML: &str = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
const NOTHING: &str = r#"{"errors":[{"message":"There is nothing at this path; the API is at /graphql.","extensions":{"code":"NOT_FOUND"}}]}"#;

fn demo(options: &[&str]) -> Server {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let demo = ["demo", "--file", file.to_str().unwrap()];
    let mut server = Server::start(&[&demo, options].concat());
    server.folder = Some(folder);
    server
}

/// The addresses of the files that the page loads.
fn files(page: &str) -> Vec<&str> {
    let attributes = page.split([' ', '>']).filter_map(|word| {
        word.strip_prefix("src=\"").or_else(|| word.strip_prefix("href=\""))?.strip_suffix('"')
    });
    attributes.collect()
}

fn explain(server: &Server, query: &str) -> Answer {
    explain_with(server, "", query)
}

fn explain_with(server: &Server, headers: &str, query: &str) -> Answer {
    let body = serde_json::json!({ "query": query }).to_string();
    let length = body.len();
    let head = format!(
        "POST /explain HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    );
    server.send(head.as_bytes())
}

#[test]
fn browsers_get_the_page_and_others_do_not() {
    let server = Server::sample();
    let page = server.get("/", ACCEPT_HTML);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
    assert!(!page.body.contains("{configuration}") && !page.body.contains("//"), "{}", page.body);
    assert!(page.body.contains("allAlbums(first: 10)"), "{}", page.body);

    let head = server.send(b"HEAD / HTTP/1.1\r\nHost: test\r\n\r\n");
    let length = page.body.len().to_string();
    assert_eq!((head.status, head.header("content-length")), (200, Some(length.as_str())));
    let json = server.get("/", "Accept: application/json\r\n");
    assert_eq!(json.parts(), (404, JSON, NOTHING));
    let post = server.send(b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD")));
    assert_eq!(server.get("/graphiql/", ACCEPT_HTML).parts(), (404, JSON, NOTHING));
}

#[test]
fn the_page_loads_what_was_published_and_nothing_from_elsewhere() {
    let server = Server::sample();
    let page = server.get("/", ACCEPT_HTML).body;
    let files = files(&page);
    assert_eq!(files.len(), 9, "{files:?}");
    let sums = concat!(env!("CARGO_MANIFEST_DIR"), "/graphiql/vendor/SHA256SUMS");
    let sums = std::fs::read_to_string(sums).unwrap();
    let mut published = 0;
    for file in files {
        let (folder, name) = file.split_once('/').unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let target = format!("/{file}");
        let plain = server.get(&target, "");
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{file}");
        let kind = match name.rsplit_once('.').unwrap().1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!(plain.header("content-type"), Some(kind), "{file}");
        let Some(sum) = sums.lines().find_map(|line| line.strip_suffix(&format!("  {name}")))
        else {
            let own = std::fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!(plain.body, own, "{file}");
            let tag = plain.header("etag").unwrap();
            let again = server.get(&target, &format!("If-None-Match: {tag}\r\n"));
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{file}");
            let other = server.get(&target, "If-None-Match: \"other\"\r\n");
            assert_eq!(other.status, 200, "{file}");
            continue;
        };
        published += 1;
        let digest = Sha256::digest(plain.body.as_bytes());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, sum, "{file}");
        let cached = Some("public, max-age=31536000, immutable");
        assert_eq!(plain.header("cache-control"), cached, "{file}");
        let head =
            format!("HEAD {target} HTTP/1.1\r\nHost: test\r\nAccept-Encoding: br, gzip\r\n\r\n");
        let compressed = server.send(head.as_bytes());
        let stored = folder.join(format!("vendor/{name}.gz")).metadata().unwrap().len().to_string();
        assert_eq!(compressed.header("content-encoding"), Some("gzip"), "{file}");
        assert_eq!(compressed.header("content-length"), Some(stored.as_str()), "{file}");
        let refused = server.get(&target, "Accept-Encoding: gzip;q=0\r\n");
        assert_eq!(refused.header("content-encoding"), None, "{file}");
    }
    assert_eq!(published, sums.lines().count());
}

#[test]
fn where_others_reach_the_server_there_is_no_page_unless_it_is_asked_for() {
    let outside = ["--listen", "0.0.0.0:0"];
    let server = demo(&outside);
    let files = ["/graphiql/thalweg.js", "/console/main.js", "/console/api/catalog"];
    for target in ["/", "/explain"].into_iter().chain(files) {
        assert_eq!(server.get(target, ACCEPT_HTML).parts(), (404, JSON, NOTHING), "{target}");
    }
    assert_eq!(explain(&server, "{ __typename }").parts(), (404, JSON, NOTHING));

    // The page is for everybody then; how the database is asked is not, nor is the schema.
    let server = demo(&[&outside[..], &["--graphiql", "on"]].concat());
    let page = server.get("/", ACCEPT_HTML);
    assert_eq!(page.status, 200);
    assert!(page.body.contains(r#""explain":false"#), "{}", page.body);
    assert!(page.body.contains(r#""console":null"#), "{}", page.body);
    assert!(!page.body.contains("allAlbums"), "{}", page.body);
    assert_eq!(explain(&server, "{ __typename }").parts(), (404, JSON, NOTHING));

    let server = demo(&[&outside[..], &["--dev", "--graphiql", "off"]].concat());
    assert_eq!(server.get("/", ACCEPT_HTML).parts(), (404, JSON, NOTHING));
    assert_eq!(explain(&server, "{ __typename }").parts(), (404, JSON, NOTHING));
}

#[test]
fn what_becomes_of_requests_is_told_where_the_schema_and_the_page_are_or_as_said() {
    for (options, is_told) in [
        (&[][..], true),
        (&["--introspection", "off"], false),
        (&["--graphiql", "off"], false),
        (&["--introspection", "off", "--graphiql", "off"], false),
        (&["--introspection", "off", "--graphiql", "off", "--explain", "on"], true),
        (&["--explain", "off"], false),
    ] {
        let server = Server::start_sample(options);
        let answer = explain(&server, "{ artistById(id: 1) { name } }");
        match is_told {
            true => assert_eq!(answer.status, 200, "{options:?}"),
            false => assert_eq!(answer.parts(), (404, JSON, NOTHING), "{options:?}"),
        }
        let page = server.get("/", ACCEPT_HTML).body;
        let has_page = page.contains("<html");
        assert_eq!(page.contains(r#""explain":true"#), is_told && has_page, "{options:?}");
    }
}

/// The line of the manual that runs the demo in a container, with the environment of the image.
#[test]
fn the_demo_of_the_image_shows_the_page_as_the_manual_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| std::fs::read_to_string(root.join(file)).unwrap();
    let (manual, image) = (read("docs/install.md"), read("Dockerfile"));
    // Without a command the image runs that of its file.
    let is_first = |line: &&str| line.starts_with("docker run ") && line.ends_with(" thalweg");
    assert!(manual.lines().any(|line| is_first(&line)));
    let command = image.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    let command: Vec<String> = serde_json::from_str(command).unwrap();
    assert_eq!(command[0], "demo");
    let of_several = read("packaging/image/Dockerfile");
    let tail = |text: &str| text[text.find("USER ").unwrap()..].to_owned();
    assert_eq!(tail(&of_several), tail(&image));
    let options = command[1..].iter().map(String::as_str);
    let listen = image.lines().find_map(|line| line.strip_prefix("ENV THALWEG_LISTEN="));
    let listen = listen.unwrap().replace(":4000", ":0");
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let words = ["demo", "--file", file.to_str().unwrap()];
    let words: Vec<&str> = words.into_iter().chain(options).collect();
    let server = Server::start_in(&[("THALWEG_LISTEN", &listen)], &words);
    let page = server.get("/", ACCEPT_HTML);
    assert_eq!(page.status, 200);
    assert!(page.body.contains("allAlbums") && page.body.contains(r#""explain":true"#));
    let port = server.address.port();
    let open = format!("Open http://127.0.0.1:{port}/ in a browser");
    assert!(server.welcome.contains(&open), "{}", server.welcome);
    assert!(server.said.contains("with --dev the schema, GraphiQL"), "{}", server.said);

    // Without the option it is said what is not there, and how it would be.
    let server = Server::start_in(&[("THALWEG_LISTEN", &listen)], &words[..3]);
    assert_eq!(server.get("/", ACCEPT_HTML).status, 404);
    let hint = "GraphiQL is off, since others may reach this address; --dev enables it.";
    assert!(server.welcome.contains(hint), "{}", server.welcome);
}

#[test]
fn a_request_is_explained_and_not_executed() {
    let server = Server::sample();
    let answer = explain(&server, "{ artistById(id: 127) { name } }");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some(JSON)));
    let mut explained: Value = serde_json::from_str(&answer.body).unwrap();
    let stages = explained["stages"].take();
    assert!(stages["document"].is_f64() && stages["plan"].is_f64(), "{stages}");
    expect![[r#"
        {
          "isOfGateway": false,
          "cost": 2,
          "request": "transaction, snapshot\n  step 0 of root 0: read rows 0: entity artist, single, filter id = 127\n    #0 field name\n",
          "statements": [
            {
              "name": "rows of artist",
              "how": "a root field",
              "round": 1,
              "text": "SELECT t0.\"name\" FROM \"artist\" AS t0 WHERE t0.\"id\" = ?1",
              "parameters": [
                "127"
              ],
              "plan": "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"
            }
          ],
          "documentKnown": false,
          "stages": null,
          "planErrors": null
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&explained).unwrap());
    let again = explain(&server, "{ artistById(id: 127) { name } }").body;
    assert!(again.contains(r#""documentKnown":true"#), "{again}");

    let wrong = explain(&server, "{ noSuchField }").body;
    assert!(wrong.starts_with(r#"{"errors":[{"#) && wrong.contains("VALIDATION_FAILED"), "{wrong}");
    let foreign = explain_with(&server, "Sec-Fetch-Site: cross-site\r\n", "{ __typename }");
    assert_eq!(foreign.status, 403, "{}", foreign.body);
    let get = server.get("/explain?query=%7B__typename%7D", "");
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")));
}
