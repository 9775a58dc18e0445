//! Pages of other origins: what they may send, and what they may read.

use crate::program::{Answer, Folder, Server, outcome, post, run};

/// The headers that pages may read.
const EXPOSED: &str = "age, etag, ratelimit, ratelimit-policy, retry-after, server-timing, \
                       thalweg-position, x-hasura-query-cache-key, \
                       x-hasura-query-family-cache-key, x-request-id";

const QUERY: &str = "{ artistById(id: 127) { id } }";
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;
const TARGET: &str = "/graphql?query=%7B%20artistById(id:%20127)%20%7B%20id%20%7D%20%7D";

fn start(folder: &Folder, options: &[&str]) -> Server {
    let file = folder.file("shop.db");
    let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    Server::start(&[demo.as_slice(), options].concat())
}

fn check_refused(answer: &Answer) {
    let message = r#"{"errors":[{"message":"The browser says that a page of another origin sent this request; --allowed-origins and --cors-origins allow origins.","extensions":{"code":"CSRF_REFUSED"}}]}"#;
    assert_eq!((answer.status, answer.body.as_str()), (403, message));
}

fn check_passed(answer: &Answer) {
    assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
}

/// What the answer says to the browser about other origins.
fn cors(answer: &Answer) -> Vec<(&str, &str)> {
    let headers = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    headers
        .filter(|(name, value)| {
            name.starts_with("access-control-") || *name == "vary" && *value == "origin"
        })
        .collect()
}

#[test]
fn what_a_browser_marks_as_of_another_site_is_refused_and_all_else_passes() {
    let server = Server::sample();
    for headers in [
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Sec-Fetch-Site: cross-site\r\nOrigin: http://test\r\n",
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
    ] {
        check_refused(&server.get(TARGET, headers));
        check_refused(&server.query(headers, QUERY));
        // A form, or a script without a question before, can send these types.
        for content_type in ["text/plain", "application/x-www-form-urlencoded"] {
            check_refused(&server.send(post(content_type, headers, "{}").as_bytes()));
        }
    }
    for headers in [
        "",
        "Sec-Fetch-Site: same-origin\r\nOrigin: https://behind-a-proxy.example\r\n",
        "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n",
        "Origin: http://test\r\n",
        "Origin: https://test\r\n",
        "Referer: https://evil.example/\r\n",
    ] {
        check_passed(&server.get(TARGET, headers));
        check_passed(&server.query(headers, QUERY));
    }
    // What tells nothing of the data is for everybody.
    let live = server.get("/health/live", "Sec-Fetch-Site: cross-site\r\n");
    assert_eq!(live.status, 200);
}

#[test]
fn without_an_option_no_page_of_another_origin_is_told_anything() {
    let server = Server::sample();
    let origin = "Origin: https://app.example\r\n";
    assert_eq!(cors(&server.query(origin, QUERY)), []);
    assert_eq!(cors(&server.query("Origin: http://test\r\n", QUERY)), []);
    let preflight = "OPTIONS /graphql HTTP/1.1\r\nHost: test\r\nOrigin: https://app.example\r\n\
        Access-Control-Request-Method: POST\r\n\r\n";
    let answer = server.send(preflight.as_bytes());
    assert_eq!((answer.status, cors(&answer)), (405, vec![]));
}

#[test]
fn an_allowed_origin_may_send_and_is_told_nothing() {
    let folder = Folder::new();
    let server = start(&folder, &["--allowed-origins", "https://app.example,http://a.example:80"]);
    for origin in ["https://app.example", "http://a.example"] {
        for headers in [
            format!("Origin: {origin}\r\n"),
            format!("Origin: {origin}\r\nSec-Fetch-Site: cross-site\r\n"),
        ] {
            let answer = server.query(&headers, QUERY);
            check_passed(&answer);
            assert_eq!(cors(&answer), []);
        }
    }
    check_refused(&server.query("Origin: http://app.example\r\n", QUERY));
    check_refused(&server.get(TARGET, "Sec-Fetch-Site: cross-site\r\n"));
}

const PREFLIGHT: &str = "OPTIONS /graphql HTTP/1.1\r\nHost: test\r\nOrigin: https://app.example\r\n\
    Access-Control-Request-Method: POST\r\n\
    Access-Control-Request-Headers: content-type,x-mine\r\n\r\n";

#[test]
fn pages_of_a_named_origin_may_ask_send_and_read() {
    let folder = Folder::new();
    let server = start(&folder, &["--cors-origins", "https://app.example", "--cors-max-age", "1h"]);
    let answer = server.send(PREFLIGHT.as_bytes());
    assert_eq!(answer.status, 204);
    assert_eq!(
        cors(&answer),
        [
            ("access-control-allow-methods", "GET, HEAD, POST, PUT, DELETE"),
            ("access-control-allow-headers", "content-type,x-mine"),
            ("access-control-max-age", "3600"),
            ("vary", "origin"),
            ("access-control-allow-origin", "https://app.example"),
            ("access-control-expose-headers", EXPOSED),
        ]
    );
    let read = [
        ("vary", "origin"),
        ("access-control-allow-origin", "https://app.example"),
        ("access-control-expose-headers", EXPOSED),
    ];
    let page = "Origin: https://app.example\r\nSec-Fetch-Site: cross-site\r\n";
    let answer = server.query(page, QUERY);
    check_passed(&answer);
    assert_eq!(cors(&answer), read);
    // Refusals can be read too.
    let answer = server.post(page, "{");
    assert_eq!((answer.status, cors(&answer)), (400, read.to_vec()));

    let stranger = server.query("Origin: https://evil.example\r\n", QUERY);
    check_refused(&stranger);
    assert_eq!(cors(&stranger), [("vary", "origin")]);
    let asked = server.send(PREFLIGHT.replace("app.example", "evil.example").as_bytes());
    assert_eq!((asked.status, cors(&asked)), (204, vec![("vary", "origin")]));
    // For whoever is no page the answer depends on the origin all the same.
    assert_eq!(cors(&server.query("", QUERY)), [("vary", "origin")]);
}

#[test]
fn every_page_may_read_where_that_was_said_and_credentials_are_for_named_origins() {
    let folder = Folder::new();
    let server = start(&folder, &["--cors-origins", "*"]);
    let expected =
        [("access-control-allow-origin", "*"), ("access-control-expose-headers", EXPOSED)];
    let answer = server.query("Origin: null\r\nSec-Fetch-Site: cross-site\r\n", QUERY);
    check_passed(&answer);
    assert_eq!(cors(&answer), expected);
    drop(server);

    let options = ["--cors-origins", "https://app.example", "--cors-credentials"];
    let server = start(&folder, &options);
    let answer = server.query("Origin: https://app.example\r\n", QUERY);
    assert!(cors(&answer).contains(&("access-control-allow-credentials", "true")));
    drop(server);

    for (options, message) in [
        (["--cors-origins=*", "--cors-credentials"], "`--cors-origins` must list each origin"),
        (["--cors-max-age=1m", "--cors-credentials"], "needs `--cors-origins`"),
    ] {
        let file = folder.file("shop.db");
        let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
        let (code, _, error) = outcome(&run(&[demo.as_slice(), &options].concat()));
        assert_eq!(code, Some(2));
        assert!(error.contains(message), "{error}");
    }
}
