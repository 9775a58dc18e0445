//! Sessions of requests by all credentials but webhooks, which are tried over HTTP.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json_bytes::json;
use testkit::tokens::Issuer;

use super::*;
use crate::options::JwtSetting;

const SECRET: &str = "a secret of more than thirty-two bytes";

#[derive(Debug, clap::Parser)]
struct Line {
    #[command(flatten)]
    auth: AuthOptions,
    #[command(flatten)]
    origins: OriginOptions,
}

fn line(words: &[&str]) -> Line {
    <Line as clap::Parser>::parse_from([&["thalweg"], words].concat())
}

fn sessions(auth: HasuraAuth) -> HasuraSessions {
    let line = line(&["--pg-setting-header", "X-Tenant=app.tenant", "--pg-setting", "app.a=b"]);
    HasuraSessions::new(auth, &line.auth, &line.origins).unwrap()
}

fn with_secret() -> HasuraAuth {
    HasuraAuth { admin_secret: Some("secret".into()), ..HasuraAuth::default() }
}

fn with_tokens(settings: Json) -> HasuraAuth {
    let Json::Object(mut members) = json!({ "type": "HS256", "key": SECRET }) else {
        panic!("no object")
    };
    let Json::Object(further) = settings else { panic!("no object") };
    members.extend(further);
    let text = Json::Object(members).to_string().into();
    HasuraAuth { jwt: Some(JwtSetting { name: "--jwt-config", text }), ..with_secret() }
}

fn headers(values: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in values {
        headers.append(*name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

/// The claims of the session, or the message of the error.
#[track_caller]
fn check(sessions: &HasuraSessions, values: &[(&'static str, &str)], expected: Result<Json, &str>) {
    let headers = headers(values);
    let found = futures_util::FutureExt::now_or_never(sessions.find(None, &headers, None));
    let found = found.expect("nothing is awaited");
    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            assert_eq!(*found.session.claims.unwrap().all(), expected, "{values:?}");
        }
        (Err(error), Err(expected)) => assert_eq!(error.error().message, expected, "{values:?}"),
        (found, expected) => panic!("{values:?}: {found:?} is not {expected:?}"),
    }
}

#[test]
fn without_a_secret_every_request_has_the_role_that_it_names() {
    let open = sessions(HasuraAuth::default());
    check(&open, &[], Ok(json!({ "x-hasura-role": "admin" })));
    check(
        &open,
        &[("x-hasura-role", "user"), ("x-hasura-user-id", "7"), ("x-hasura-admin-secret", "x")],
        Ok(json!({ "x-hasura-role": "user", "x-hasura-user-id": "7" })),
    );
    let backend = "x-hasura-use-backend-only-permissions";
    let granted = json!({ "x-hasura-role": "user", backend: "true" });
    check(&open, &[("x-hasura-role", "user"), (backend, "t")], Ok(granted));
    assert!(open.is_open() && !open.requires_credentials());
}

#[test]
fn the_secret_gives_every_role() {
    let closed = sessions(with_secret());
    let secret = ("x-hasura-admin-secret", "secret");
    check(&closed, &[secret], Ok(json!({ "x-hasura-role": "admin" })));
    let old = ("x-hasura-access-key", "secret");
    check(&closed, &[old], Ok(json!({ "x-hasura-role": "admin" })));
    check(&closed, &[secret, ("x-hasura-role", "")], Ok(json!({ "x-hasura-role": "admin" })));
    check(
        &closed,
        &[secret, ("x-hasura-role", "user"), ("x-hasura-user-id", "7")],
        Ok(json!({ "x-hasura-role": "user", "x-hasura-user-id": "7" })),
    );
    let missing = "x-hasura-admin-secret/x-hasura-access-key required, but not found";
    check(&closed, &[], Err(missing));
    check(&closed, &[("x-hasura-role", "admin")], Err(missing));
    let wrong = "invalid \"x-hasura-admin-secret\"/\"x-hasura-access-key\"";
    check(&closed, &[("x-hasura-admin-secret", "Secret")], Err(wrong));
    assert!(closed.requires_credentials() && !closed.is_open());
}

#[test]
fn requests_without_credentials_may_have_a_role() {
    let role = || Some("anonymous".into());
    let some = sessions(HasuraAuth { unauthorized_role: role(), ..with_secret() });
    check(&some, &[], Ok(json!({ "x-hasura-role": "anonymous" })));
    check(
        &some,
        &[("x-hasura-role", "admin"), ("x-hasura-use-backend-only-permissions", "true")],
        Ok(json!({ "x-hasura-role": "anonymous" })),
    );
    let tokens = with_tokens(json!({}));
    let tokens = sessions(HasuraAuth { unauthorized_role: role(), ..tokens });
    check(&tokens, &[], Ok(json!({ "x-hasura-role": "anonymous" })));
    check(&tokens, &[("authorization", "x")], Err("Malformed Authorization header"));
    assert!(!some.requires_credentials() && !some.is_open());
}

#[test]
fn a_token_gives_one_of_its_roles() {
    let tokens = sessions(with_tokens(json!({ "claims_namespace_path": "$.h" })));
    let bearer =
        |claims: Json| format!("Bearer {}", Issuer::secret(SECRET).token(&claims.to_string()));
    let good = bearer(json!({ "h": {
        "x-hasura-default-role": "user",
        "x-hasura-allowed-roles": ["user", "editor"],
        "X-Hasura-User-Id": "7",
        "x-hasura-teams": [1, 2],
        "x-hasura-use-backend-only-permissions": "true",
        "x-hasura-role": "admin",
    } }));
    let session = |role: &str| {
        Ok(json!({ "x-hasura-role": role, "x-hasura-teams": "{1,2}", "x-hasura-user-id": "7" }))
    };
    let authorization = ("authorization", good.as_str());
    check(&tokens, &[authorization], session("user"));
    // Variables are those of the token.
    let other = ("x-hasura-user-id", "8");
    check(&tokens, &[authorization, ("x-hasura-role", "editor"), other], session("editor"));
    let denied = Err("Your requested role is not in allowed roles");
    check(&tokens, &[authorization, ("x-hasura-role", "admin")], denied);
    let secret = ("x-hasura-admin-secret", "secret");
    check(&tokens, &[authorization, secret], Ok(json!({ "x-hasura-role": "admin" })));
    let only = bearer(json!({ "h": {
        "x-hasura-default-role": "admin", "x-hasura-allowed-roles": ["user"]
    } }));
    check(&tokens, &[("authorization", &only)], Err("Your requested role is not in allowed roles"));
    let none = bearer(json!({ "h": { "x-hasura-allowed-roles": ["user"] } }));
    let missing = "JWT claim does not contain x-hasura-default-role";
    check(&tokens, &[("authorization", &none)], Err(missing));
    let missing = "Missing 'Authorization' or 'Cookie' header in JWT authentication mode";
    check(&tokens, &[], Err(missing));
    assert!(tokens.requires_credentials());
}

#[test]
fn a_session_ends_with_its_token_and_has_the_settings_of_its_headers() {
    let tokens = sessions(with_tokens(json!({ "allowed_skew": 5 })));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let claims = json!({ "exp": now + 60, "https://hasura.io/jwt/claims": {
        "x-hasura-default-role": "user", "x-hasura-allowed-roles": ["user"]
    } });
    let token = format!("Bearer {}", Issuer::secret(SECRET).token(&claims.to_string()));
    let headers = headers(&[("authorization", &token), ("x-tenant", "t")]);
    let found = futures_util::FutureExt::now_or_never(tokens.find(None, &headers, None));
    let Authenticated { session, until } = found.unwrap().unwrap();
    let left = until.unwrap() - Instant::now();
    assert!((Duration::from_secs(63)..=Duration::from_secs(65)).contains(&left), "{left:?}");
    let settings = session.settings.unwrap();
    let pair = |name: &str, value: &str| (name.into(), value.into());
    assert_eq!(settings.pairs(), [pair("app.a", "b"), pair("app.tenant", "t")]);
    assert!(tokens.has_settings(&headers) && tokens.has_credentials(&headers));
}

#[test]
fn a_cookie_needs_listed_origins() {
    let cookie = json!({ "header": { "type": "Cookie", "name": "token" } });
    let new = |words: &[&str]| {
        let line = line(words);
        HasuraSessions::new(with_tokens(cookie.clone()), &line.auth, &line.origins)
            .map(drop)
            .map_err(|failure| failure.to_string())
    };
    assert_eq!(new(&[]), Ok(()));
    assert_eq!(new(&["--allowed-origins", "https://a.example"]), Ok(()));
    let refused = new(&["--allowed-origins", "*"]).unwrap_err();
    assert!(refused.contains("`--allowed-origins` must list each origin"), "{refused}");
}

#[test]
fn the_payload_of_a_socket_has_headers() {
    let of = |payload: Json| {
        let Json::Object(payload) = payload else { panic!("no object") };
        HasuraSessions::headers_of_socket(headers(&[("x-a", "1"), ("x-b", "2")]), &payload)
    };
    assert_eq!(of(json!({})).unwrap(), headers(&[("x-a", "1"), ("x-b", "2")]));
    let payload = json!({ "headers": { "X-A": "3", "X-Hasura-Role": "user" } });
    let expected = headers(&[("x-a", "3"), ("x-b", "2"), ("x-hasura-role", "user")]);
    assert_eq!(of(payload).unwrap(), expected);
    assert!(of(json!({ "headers": { "x-a": 7 } })).is_err());
    assert!(of(json!({ "headers": { "x-a": "a\nb" } })).is_err());
    assert!(of(json!({ "headers": { "a b": "c" } })).is_err());
    assert!(of(json!({ "headers": "x" })).is_ok());
}
