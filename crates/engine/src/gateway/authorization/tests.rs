use std::sync::Arc;

use expect_test::{Expect, expect};
use graphql::Request;

use super::*;
use crate::gateway::{Caller, GatewayOptions};
use crate::report::Report;
use crate::{CostLimits, Limits};

/// No request is sent to its subgraph.
const SUPERGRAPH: &str = r#"
schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION)
  @link(url: "https://specs.apollo.dev/authenticated/v0.1", for: SECURITY)
  @link(url: "https://specs.apollo.dev/requiresScopes/v0.1", for: SECURITY)
  @link(url: "https://specs.apollo.dev/cost/v0.1", import: ["@listSize"]) {
  query: Query
}
enum join__Graph { SHOP @join__graph(name: "shop", url: "http://127.0.0.1:1") }
type Query @join__type(graph: SHOP) {
  me: User @authenticated
  users(first: Int): [User] @listSize(slicingArguments: ["first"])
}
type User @join__type(graph: SHOP) {
  name: String
  email: String @requiresScopes(scopes: [["read:email"]])
}
"#;

fn caller(session: &Session) -> Caller {
    Caller { session: session.clone(), ..Caller::default() }
}

fn gateway(unauthorized: Unauthorized, most: u64) -> Arc<Gateway> {
    let supergraph = supergraph::read(SUPERGRAPH).unwrap();
    let cost = CostLimits { most, ..CostLimits::default() };
    let options = GatewayOptions {
        authorization: AuthorizationOptions { unauthorized, ..AuthorizationOptions::default() },
        limits: Limits { cost, ..Limits::default() },
        ..GatewayOptions::default()
    };
    Gateway::new(supergraph, Vec::new(), options)
}

fn request(query: &str) -> Request {
    Request { query: query.into(), ..Request::default() }
}

fn session(claims: &str) -> Session {
    let claims = serde_json::from_str(claims).unwrap();
    Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() }
}

fn access(authorization: &AuthorizationOptions, claims: &str) -> Access {
    authorization.access(&session(claims))
}

#[track_caller]
fn check(claims: &str, scopes: &[&str], policies: &[&str]) {
    let all = |names: &[&str]| names.iter().map(|name| Box::from(*name)).collect();
    let expected = Access { is_authenticated: true, scopes: all(scopes), policies: all(policies) };
    assert_eq!(access(&AuthorizationOptions::default(), claims), expected, "{claims}");
}

#[test]
fn scopes_are_words_and_policies_are_texts() {
    check("{}", &[], &[]);
    check(r#"{"scope":" a  b:c ","policies":"a b"}"#, &["a", "b:c"], &["a b"]);
    check(r#"{"scope":["a b",1,"c"],"policies":["d e",null]}"#, &["a b", "c"], &["d e"]);
    check(r#"{"scope":{"a":true},"policies":7,"scopes":"a"}"#, &[], &[]);
}

#[test]
fn without_a_token_nothing_is_known_of_who_asks() {
    assert_eq!(AuthorizationOptions::default().access(&Session::default()), Access::default());
}

#[test]
fn claims_of_other_names_are_read_where_these_lead() {
    let authorization = AuthorizationOptions {
        scope_claim: "realm.roles".into(),
        policy_claim: "https://a.example/policies".into(),
        unauthorized: Unauthorized::Null,
    };
    let claims = r#"{"realm":{"roles":["a"]},"https://a.example/policies":["b"],"scope":"c"}"#;
    let access = access(&authorization, claims);
    assert_eq!((access.scopes.contains("a"), access.scopes.len()), (true, 1));
    assert!(access.policies.contains("b"));
}

#[test]
fn callers_share_plans_if_the_operation_does_not_tell_them_apart() {
    let gateway = gateway(Unauthorized::Null, 1_000);
    let planned = |query: &str, session: &Session| {
        gateway.planned(&request(query), &caller(session), &mut Report::default()).unwrap().prepared
    };
    let (nobody, reader) = (Session::default(), session(r#"{"scope":"read:email"}"#));
    let (somebody, other) = (session(r#"{"sub":"1"}"#), session(r#"{"sub":"2","scope":"a"}"#));
    let are_one = |query: &str, one: &Session, other: &Session| {
        Arc::ptr_eq(&planned(query, one), &planned(query, other))
    };
    assert!(are_one("{ me { name } }", &somebody, &other));
    assert!(are_one("{ me { name } }", &somebody, &reader));
    assert!(!are_one("{ me { name } }", &somebody, &nobody));
    assert!(!are_one("{ me { email } }", &somebody, &reader));
    assert!(are_one("{ users(first: 1) { name } }", &nobody, &reader));
}

#[track_caller]
fn check_explained(query: &str, session: &Session, expected: &Expect) {
    let gateway = gateway(Unauthorized::Null, 1_000);
    expected.assert_eq(&gateway.explain(&request(query), &caller(session)).unwrap());
}

#[test]
fn explain_tells_what_is_not_allowed() {
    let query = "{ me { name } users(first: 3) { name email } }";
    check_explained(
        query,
        &Session::default(),
        &expect![[r#"
        -- plan
        1. shop: {users(first:3){name}}

        -- not allowed
        Query.me at 1:3
        User.email at 1:38

        -- cost
        3, of 1000 that are allowed
    "#]],
    );
    check_explained(
        query,
        &session(r#"{"scope":["read:email"]}"#),
        &expect![[r#"
        -- plan
        1. shop: {me{name}users(first:3){name email}}

        -- cost
        4, of 1000 that are allowed
    "#]],
    );
}

#[test]
fn what_is_not_allowed_can_refuse_the_operation() {
    let gateway = gateway(Unauthorized::Refuse, 1_000);
    let refused = |query: &str, session: &Session| {
        let caller = caller(session);
        let planned = gateway.planned(&request(query), &caller, &mut Report::default()).unwrap();
        gateway.refuse_denied(&planned.prepared)
    };
    let query = "{ me { name } users(first: 3) { email } }";
    let errors = refused(query, &Session::default()).unwrap_err();
    let messages: Vec<_> = errors.iter().map(|error| &*error.message).collect();
    assert_eq!(messages, ["Not authorized for `Query.me`.", "Not authorized for `User.email`."]);
    assert!(errors.iter().all(|error| error.path.is_empty()));
    assert_eq!(refused("{ users(first: 3) { name } }", &Session::default()), Ok(()));
    assert_eq!(refused(query, &session(r#"{"scope":"read:email"}"#)), Ok(()));
}

#[test]
fn requests_of_a_batch_cost_what_they_cost_together() {
    let gateway = gateway(Unauthorized::Null, 9);
    let nobody = Caller::default();
    let five = request("{ users(first: 5) { name } }");
    let four = request("{ users(first: 4) { name } }");
    assert_eq!(gateway.check_batch(&[five.clone(), four], &nobody), Ok(()));
    let error = gateway.check_batch(&[five.clone(), five], &nobody).unwrap_err();
    assert_eq!(error.code, ErrorCode::CostTooHigh);
}
