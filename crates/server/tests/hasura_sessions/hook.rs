//! Sessions of a webhook.

use std::net::TcpListener;

use serde_json::{Value, json};

use super::stub::{Question, Stub, response};
use super::{ADMIN, ADMIN_SECRET, NOTES, Site, is_denied, seen};

/// A user is who the cookie says; others are unauthorized.
fn by_cookie(question: &Question) -> String {
    let headers = match question.head.starts_with("post") {
        true => question.body.as_str(),
        false => question.head.as_str(),
    };
    let user = ["ann", "bea"].into_iter().find(|user| headers.contains(&format!("who={user}")));
    match user {
        Some(user) => {
            let body = json!({ "X-Hasura-Role": "user", "X-Hasura-User-Id": user });
            response("200 OK", "", &body.to_string())
        }
        None => response("401 Unauthorized", "", ""),
    }
}

fn start(hook: &Stub, options: &[&str]) -> Site {
    let url = format!("http://{}/session?a=b", hook.address);
    Site::start(&[&ADMIN_SECRET[..], &["--auth-hook", &url], options].concat())
}

#[test]
fn a_webhook_receives_headers_and_gives_the_session() {
    let hook = Stub::serve(by_cookie);
    let site = start(&hook, &[]);
    site.check("Cookie: who=ann\r\n", &[1]);
    let [question] = hook.take().try_into().unwrap();
    assert!(question.head.starts_with("get /session?a=b http/1.1\r\n"), "{}", question.head);
    assert!(question.head.contains("\r\ncookie: who=ann\r\n"), "{}", question.head);
    assert!(!question.head.contains("content-type"), "{}", question.head);
    assert!(question.head.contains("\r\nuser-agent: thalweg\r\n"), "{}", question.head);
    // Only the webhook says who asks.
    site.check("Cookie: who=bea\r\nX-Hasura-User-Id: ann\r\nX-Hasura-Role: admin\r\n", &[2]);
    assert_eq!(hook.take().len(), 1);
    site.check(ADMIN, &[1, 2, 3]);
    let wrong = "invalid \"x-hasura-admin-secret\"/\"x-hasura-access-key\"";
    site.check_refused("X-Hasura-Admin-Secret: x\r\n", "access-denied", wrong);
    assert!(hook.take().is_empty());
    let denied = "Authentication hook unauthorized this request";
    site.check_refused("Cookie: who=eve\r\n", "access-denied", denied);
}

#[test]
fn by_post_it_receives_the_request_too() {
    let hook = Stub::serve(by_cookie);
    let site = start(&hook, &["--auth-hook-mode", "POST"]);
    let body = |question: &Question| serde_json::from_str::<Value>(&question.body).unwrap();
    let query = "query A($id: Int) { note(where: {id: {_eq: $id}}) { id } }";
    let request = json!({ "query": query, "variables": { "id": 1 }, "operationName": "A" });
    let cookie = "Cookie: who=ann\r\n";
    assert_eq!(seen(&site.server.post(cookie, &request.to_string())), Ok(vec![1]));
    let [question] = hook.take().try_into().unwrap();
    assert_eq!(body(&question)["request"], request);
    assert_eq!(body(&question)["headers"]["cookie"], "who=ann");
    assert!(question.head.contains("content-type: application/json"), "{}", question.head);
    assert!(!question.head.contains("cookie"), "{}", question.head);
    let short = json!({ "query": NOTES });
    let batch = json!([short, request]).to_string();
    assert_eq!(site.server.post(cookie, &batch).status, 200);
    let [question] = hook.take().try_into().unwrap();
    assert_eq!(body(&question)["request"], json!([short, request]));
    assert_eq!(seen(&site.server.get("/graphql?query=%7Bnote%7Bid%7D%7D", cookie)), Ok(vec![1]));
    let [question] = hook.take().try_into().unwrap();
    assert_eq!(body(&question)["request"], json!({ "query": "{note{id}}" }));

    let brief = start(&hook, &["--auth-hook-mode", "POST", "--auth-hook-request-body", "false"]);
    brief.check(cookie, &[1]);
    let [question] = hook.take().try_into().unwrap();
    assert_eq!(body(&question).get("request"), None);
}

#[test]
fn a_webhook_that_fails_lets_nobody_in() {
    let hook = Stub::serve(by_cookie);
    let site = start(&hook, &["--auth-hook-timeout", "1s"]);
    let check = |says: String, code: &str, message: &str| {
        hook.say(move |_| says.clone());
        site.check_refused("Cookie: who=ann\r\n", code, message);
    };
    let wrong = "Invalid response from authorization hook";
    for status in ["500 Internal Server Error", "403 Forbidden", "204 No Content"] {
        check(response(status, "", ""), "unexpected", wrong);
    }
    check(
        response("200 OK", "", "no JSON"),
        "unexpected",
        "Invalid response from authorization hook: it is no JSON object",
    );
    check(
        response("200 OK", "", "{}"),
        "invalid-params",
        "x-hasura-role not found in session variables",
    );
    let failed = "webhook authentication request failed";
    check(String::new(), "unexpected", failed);
    let elsewhere = response("302 Found", "Location: http://127.0.0.1:1/\r\n", "");
    check(elsewhere, "unexpected", failed);
    let large = response("200 OK", "", &format!("\"{}\"", "x".repeat(300 << 10)));
    check(large, "unexpected", failed);
    hook.say(|_| {
        std::thread::sleep(std::time::Duration::from_secs(3));
        String::new()
    });
    site.check_refused("", "unexpected", failed);
    // Nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{address}/");
    let alone = Site::start(&[&ADMIN_SECRET[..], &["--auth-hook", &url]].concat());
    alone.check_refused("", "unexpected", failed);
    alone.check(ADMIN, &[1, 2, 3]);
}

#[test]
fn answers_are_used_again_only_by_option_and_for_equal_requests() {
    let hook = Stub::serve(by_cookie);
    let site = start(&hook, &["--auth-hook-cache", "60s"]);
    for _ in 0..3 {
        site.check("Cookie: who=ann\r\nX-Request-Id: 1\r\n", &[1]);
        site.check("Cookie: who=bea\r\nX-Request-Id: 2\r\n", &[2]);
    }
    assert_eq!(hook.take().len(), 2);
    // Refusals are not kept.
    assert!(is_denied(&site.server.query("", NOTES)));
    assert!(is_denied(&site.server.query("", NOTES)));
    assert_eq!(hook.take().len(), 2);
    let usual = start(&hook, &[]);
    usual.check("Cookie: who=ann\r\n", &[1]);
    usual.check("Cookie: who=ann\r\n", &[1]);
    assert_eq!(hook.take().len(), 2);
}
