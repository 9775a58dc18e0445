//! Sessions of tokens.

use serde_json::json;
use testkit::tokens::{Curve, Issuer, key_set};

use super::stub::{Stub, response};
use super::{ADMIN, ADMIN_SECRET, SECRET, Site, settings, token, user};
use crate::program::PATIENCE;
use crate::served::happens_within;

fn start(settings: &str, options: &[&str]) -> Site {
    Site::start(&[&ADMIN_SECRET[..], &["--jwt-config", settings], options].concat())
}

fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

#[test]
fn a_token_decides_which_rows_are_seen() {
    let site = start(&settings(), &[]);
    let of = |id: &str| bearer(&token(&user(id), &json!({})));
    // One document by turns: what is kept of one is of no use to another.
    for _ in 0..3 {
        site.check(&of("ann"), &[1]);
        site.check(&of("bea"), &[2]);
        site.check(&format!("{}X-Hasura-Role: anonymous\r\n", of("ann")), &[3]);
        site.check(&format!("{}X-Hasura-User-Id: bea\r\n", of("ann")), &[1]);
        site.check(&format!("{}{ADMIN}", of("ann")), &[1, 2, 3]);
    }
    let denied = "Your requested role is not in allowed roles";
    let admin = format!("{}X-Hasura-Role: admin\r\n", of("ann"));
    site.check_refused(&admin, "access-denied", denied);
    let missing = "Missing 'Authorization' or 'Cookie' header in JWT authentication mode";
    site.check_refused("", "invalid-headers", missing);
    let malformed = "Malformed Authorization header";
    site.check_refused("Authorization: a.b.c\r\n", "invalid-headers", malformed);
    let expired = bearer(&token(&user("ann"), &json!({ "exp": 1 })));
    site.check_refused(&expired, "invalid-jwt", "Could not verify JWT: JWTExpired");
    let foreign = bearer(&Issuer::secret("another").token("{}"));
    let signature = "Could not verify JWT: JWSError JWSInvalidSignature";
    site.check_refused(&foreign, "invalid-jwt", signature);
    let without = bearer(&Issuer::secret(SECRET).token("{}"));
    let none = "claims key: 'https://hasura.io/jwt/claims' not found";
    site.check_refused(&without, "jwt-invalid-claims", none);
    let roleless = bearer(&token(&json!({ "x-hasura-user-id": "ann" }), &json!({})));
    let missing = "JWT claim does not contain x-hasura-allowed-roles";
    site.check_refused(&roleless, "jwt-missing-role-claims", missing);
}

#[test]
fn a_cookie_or_another_header_may_have_the_token() {
    let token = token(&user("bea"), &json!({}));
    let of = |header: serde_json::Value| {
        json!({ "type": "HS256", "key": SECRET, "header": header }).to_string()
    };
    let cookie = start(&of(json!({ "type": "Cookie", "name": "session" })), &[]);
    cookie.check(&format!("Cookie: a=b; session={token}\r\n"), &[2]);
    let header = start(&of(json!({ "type": "CustomHeader", "name": "X-Token" })), &[]);
    header.check(&format!("X-Token: {token}\r\n"), &[2]);
}

/// A cache outside the server must not answer a token by what it has for another one, whatever header
/// has the token.
#[test]
fn cached_answers_vary_with_the_header_of_the_token() {
    let vary = |header: serde_json::Value, of: &dyn Fn(&str) -> String| {
        let settings = json!({ "type": "HS256", "key": SECRET, "header": header }).to_string();
        let site = start(&settings, &[]);
        let query = "query @cached { note(order_by: {id: asc}) { id } }";
        let mut varied = None;
        for (id, own) in [("ann", r#"[{"id":1}]"#), ("bea", r#"[{"id":2}]"#)] {
            let headers = of(&token(&user(id), &json!({})));
            let is_cached = || {
                let answer = site.server.query(&headers, query);
                assert!(answer.body.contains(own), "{id}: {}", answer.body);
                let control = answer.header("cache-control").unwrap_or_default().to_owned();
                let vary = answer.headers.iter().filter(|(name, _)| name == "vary");
                let vary: Vec<&str> = vary.map(|(_, value)| value.as_str()).collect();
                varied = Some(vary.join(", ").to_ascii_lowercase());
                control.starts_with("private, max-age=")
            };
            assert!(happens_within(PATIENCE, is_cached), "{id}");
        }
        varied.unwrap()
    };
    let own = json!({ "type": "CustomHeader", "name": "X-Token" });
    let varied = vary(own, &|token| format!("X-Token: {token}\r\n"));
    assert!(varied.split(", ").any(|name| name == "x-token"), "{varied}");
    let cookie = json!({ "type": "Cookie", "name": "session" });
    let varied = vary(cookie, &|token| format!("Cookie: session={token}\r\n"));
    assert!(varied.split(", ").any(|name| name == "cookie"), "{varied}");
}

#[test]
fn keys_of_several_issuers_are_fetched_and_renewed() {
    let (first, second) = (Issuer::rsa(), Issuer::curve(Curve::P256));
    let set = |key: &str| {
        let headers = "Cache-Control: max-age=1\r\n";
        let body = key_set(&[key.to_owned()]);
        move |_: &super::stub::Question| response("200 OK", headers, &body)
    };
    let keys = Stub::serve(set(&first.jwk(r#""kid":"1""#)));
    let settings = json!([
        { "jwk_url": format!("http://{}/keys", keys.address), "issuer": "one", "audience": "app",
          "claims_map": {
            "x-hasura-allowed-roles": ["user"],
            "x-hasura-default-role": "user",
            "x-hasura-user-id": { "path": "$.sub" },
        } },
        { "type": "HS256", "key": SECRET, "issuer": "two" },
    ]);
    let site = start(&settings.to_string(), &[]);
    let claims = r#"{"iss":"one","aud":["app"],"sub":"ann"}"#;
    let of = |issuer: &Issuer, id: &str| {
        let header = format!(r#"{{"alg":"{}","kid":"{id}"}}"#, issuer.algorithm());
        bearer(&issuer.sign(&header, claims))
    };
    site.check(&of(&first, "1"), &[1]);
    site.check(&bearer(&token(&user("bea"), &json!({ "iss": "two" }))), &[2]);
    let signature = "Could not verify JWT: JWSError JWSInvalidSignature";
    // The second key is not known yet; the set is fetched again, at most once in ten seconds.
    site.check_refused(&of(&second, "2"), "invalid-jwt", signature);
    keys.say(set(&second.jwk(r#""kid":"2""#)));
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while super::seen(&site.server.query(&of(&second, "2"), super::NOTES)).is_err() {
        assert!(std::time::Instant::now() < deadline, "the new key is not fetched");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    site.check(&of(&second, "2"), &[1]);
    site.check_refused(&of(&first, "1"), "invalid-jwt", signature);
    let other = bearer(&first.token(r#"{"iss":"three","aud":"app"}"#));
    let issuer = "Could not verify JWT: JWTNotInIssuer";
    site.check_refused(&other, "invalid-jwt", issuer);
}

#[test]
fn without_keys_a_token_has_to_wait() {
    let keys = Stub::serve(|_| response("500 Internal Server Error", "", ""));
    let settings = json!({ "jwk_url": format!("http://{}/keys", keys.address) });
    let site = start(&settings.to_string(), &[]);
    let answer = site.server.query(&bearer(&Issuer::rsa().token("{}")), super::NOTES);
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(answer.header("retry-after"), Some("1"));
    site.check(ADMIN, &[1, 2, 3]);
}
