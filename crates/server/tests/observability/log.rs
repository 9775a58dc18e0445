//! The lines that requests have in the log, and the id that ties them to the answers.

use serde_json::Value;

use crate::program::{Folder, Server};

const ARTIST: &str = "{ artistById(id: 127) { id } }";

/// The demo with further options.
fn server(folder: &Folder, options: &[&str]) -> Server {
    let file = folder.file("shop.db");
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    Server::start(&[&arguments, options].concat())
}

/// The lines of a server that has ended.
fn lines(mut server: Server) -> Vec<String> {
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
    server.rest_of_log().lines().map(ToOwned::to_owned).collect()
}

fn objects(server: Server) -> Vec<Value> {
    lines(server).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn with_id<'l>(lines: &'l [Value], id: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line["request_id"] == id).collect()
}

#[test]
fn a_sane_request_id_comes_back_and_others_are_replaced() {
    let server = Server::sample();
    let id = |headers: &str, target: &str| {
        server.get(target, headers).header("x-request-id").unwrap().to_owned()
    };
    let target = "/graphql?query=%7B__typename%7D";
    for target in [target, "/health/live", "/nothing"] {
        assert_eq!(id("X-Request-Id: proxy.17/a=b\r\n", target), "proxy.17/a=b");
    }
    let longest = "x".repeat(64);
    assert_eq!(id(&format!("X-Request-Id: {longest}\r\n"), target), longest);
    let mut made = vec![id("", target)];
    for given in [&[&longest, "y"].concat(), "a b", "a\"b", "\u{e9}", "<script>", ""] {
        made.push(id(&format!("X-Request-Id: {given}\r\n"), target));
    }
    made.sort_unstable();
    made.dedup();
    assert_eq!(made.len(), 7, "{made:?}");
    for made in made {
        let (process, number) = made.split_once('-').unwrap();
        assert!(process.len() == 12 && u64::from_str_radix(number, 16).is_ok(), "{made}");
    }
}

#[test]
fn all_requests_have_a_line_if_it_is_asked_for() {
    let folder = Folder::new();
    let server = server(&folder, &["--log-format", "json", "--log-requests", "all"]);
    let body = r#"{"query":"query Named { artistById(id: 127) { id } }"}"#;
    assert_eq!(server.post("X-Request-Id: named\r\n", body).status, 200);
    assert_eq!(server.query("X-Request-Id: wrong\r\n", "{ noSuchField }").status, 200);
    assert_eq!(server.get("/nothing", "X-Request-Id: nowhere\r\n").status, 404);
    assert_eq!(server.get("/health/live", "X-Request-Id: probe\r\n").status, 200);
    assert_eq!(server.post("X-Request-Id: empty\r\n", "{}").status, 400);
    let lines = objects(server);
    let line = |id: &str| match &with_id(&lines, id)[..] {
        [line] => (*line).clone(),
        others => panic!("{id}: {others:?}"),
    };
    let named = line("named");
    assert_eq!(
        (&named["message"], &named["operation"], &named["kind"], &named["status"]),
        (&"request answered".into(), &"Named".into(), &"query".into(), &200.into())
    );
    assert!(named["milliseconds"].as_f64().unwrap() > 0.0, "{named}");
    assert_eq!(line("wrong")["codes"], "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(line("nowhere")["status"], 404);
    let empty = line("empty");
    assert_eq!((&empty["status"], &empty["codes"]), (&400.into(), &"BAD_USER_INPUT".into()));
    assert_eq!(with_id(&lines, "probe").len(), 0);
}

#[test]
fn which_requests_have_a_line_is_an_option() {
    for (option, expected) in [("none", 0), ("failed", 1), ("all", 2)] {
        let folder = Folder::new();
        let server = server(&folder, &["--log-requests", option]);
        assert_eq!(server.query("", ARTIST).status, 200);
        assert_eq!(server.query("", "{ noSuchField }").status, 200);
        let lines = lines(server);
        let count = lines.iter().filter(|line| line.contains("request_id=")).count();
        assert_eq!(count, expected, "{option}: {lines:?}");
    }
}

#[test]
fn slow_requests_have_a_line_with_statements_and_without_values() {
    let folder = Folder::new();
    let server = server(&folder, &["--log-format", "json", "--slow-query", "1ns"]);
    let query = "query Slow { allArtistsList(condition: { name: \\\"hush\\\" }) { id } }";
    let body = format!("{{\"query\":\"{query}\"}}");
    assert_eq!(server.post("X-Request-Id: slow\r\n", &body).status, 200);
    let lines = objects(server);
    let [slow] = with_id(&lines, "slow")[..] else { panic!("{lines:?}") };
    assert_eq!((&slow["level"], &slow["message"]), (&"WARN".into(), &"slow request".into()));
    assert_eq!((&slow["operation"], &slow["kind"]), (&"Slow".into(), &"query".into()));
    for stage in ["document", "plan", "execute", "milliseconds"] {
        assert!(slow[stage].is_f64(), "{stage} in {slow}");
    }
    let statements = slow["statements"].as_str().unwrap();
    assert!(statements.contains("artist") && statements.contains("?1"), "{statements}");
    assert!(!slow.to_string().contains("hush"), "{slow}");
}

#[test]
fn fast_requests_are_not_slow() {
    for limit in ["1h", "off"] {
        let folder = Folder::new();
        let server = server(&folder, &["--slow-query", limit]);
        assert_eq!(server.query("", ARTIST).status, 200);
        assert!(!lines(server).iter().any(|line| line.contains("slow request")));
    }
}

#[test]
fn a_name_with_line_breaks_makes_no_line() {
    let forged =
        "x\\n2026-01-01T00:00:00Z ERROR forged\\u001b[31m\\u2028forged\\u009b31m\\u202egnorw";
    let body = format!(r#"{{"query":"{{ noSuchField }}","operationName":"{forged}"}}"#);
    for format in ["text", "json"] {
        let folder = Folder::new();
        let server = server(&folder, &["--log-format", format]);
        assert_eq!(server.post("", &body).status, 200);
        let lines = lines(server);
        let naming: Vec<_> = lines.iter().filter(|line| line.contains("forged")).collect();
        let [line] = naming[..] else { panic!("{lines:?}") };
        assert!(line.contains("request refused") && line.contains("request_id"), "{line}");
        assert!(!line.contains(['\u{1b}', '\u{2028}', '\u{9b}', '\u{202e}']), "{line}");
    }
}

#[test]
fn an_outage_does_not_fill_the_log() {
    let folder = Folder::new();
    let server = server(&folder, &["--log-requests", "none"]);
    std::fs::remove_file(folder.file("shop.db")).unwrap();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..300 {
        let answer: Value = serde_json::from_str(&server.query("", ARTIST).body).unwrap();
        let extensions = &answer["errors"][0]["extensions"];
        assert_eq!(extensions["code"], "UNAVAILABLE", "{answer}");
        ids.insert(extensions["errorId"].as_str().unwrap().to_owned());
    }
    let lines = lines(server);
    let failures = lines.iter().filter(|line| line.contains("error_id=")).count();
    // Ten in ten seconds, on a slow machine for longer.
    assert!((1..=100).contains(&failures), "{failures}");
    assert!(lines.len() < failures + 20, "{lines:?}");
    // Whatever the client is told stands in the log.
    assert!(ids.iter().all(|id| lines.iter().any(|line| line.contains(id))), "{ids:?}");
}

#[test]
fn an_error_id_and_a_request_id_stand_in_one_line() {
    let folder = Folder::new();
    let server = server(&folder, &["--log-format", "json"]);
    std::fs::remove_file(folder.file("shop.db")).unwrap();
    let body = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
    let answer = server.post("X-Request-Id: gone\r\n", body);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    let error_id = &answer["errors"][0]["extensions"]["errorId"];
    assert!(error_id.is_string(), "{answer}");
    let lines = objects(server);
    let gone = with_id(&lines, "gone");
    let named: Vec<_> = gone.iter().filter(|line| line["error_id"] == *error_id).collect();
    assert_eq!(named.len(), 1, "{lines:?}");
    let request = gone.iter().find(|line| line["message"] == "request failed").unwrap();
    assert_eq!(request["codes"], "UNAVAILABLE");
}
