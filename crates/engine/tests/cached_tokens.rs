//! The cache of tokens takes what it says, keeps to its bound, and keeps large tokens too.

use std::time::SystemTime;

use engine::session::{Key, KeySet, Mapping, Rules, Sessions};
use serde_json::{Value, json};
use testkit::allocation;
use testkit::tokens::Issuer;

const SECRET: &str = "a secret of more than thirty-two bytes";

/// How many tokens of one form are known before those whose bytes are counted, and as many as these.
const TOKENS: usize = 40;

/// The same of tokens whose claims have more than 5,000 characters: all of them fit into one shard
/// of the cache, so that none is evicted wherever their hashes put them.
const LARGE_TOKENS: usize = 3;

/// What the cache may take.
const CACHE_BYTES: u64 = 16 << 20;

fn sessions(mapping: Mapping) -> Sessions {
    Sessions::new(KeySet::new(vec![Key::secret(SECRET.as_bytes())]), Rules::default(), mapping)
}

fn check(sessions: &Sessions, claims: &Value, number: usize) {
    let mut claims = claims.clone();
    claims["jti"] = json!(format!("{number:06}"));
    let token = Issuer::secret(SECRET).token(&claims.to_string());
    assert!(sessions.check(&token, &[], 0, SystemTime::now()).is_ok());
}

/// From a few claims to as many as a token may have, short ones, long ones, and nested ones.
fn claims() -> Vec<Value> {
    let many = |count: usize, value: Value| -> Value {
        let members = (0..count).map(|number| (format!("claim_{number}"), value.clone()));
        members.collect::<serde_json::Map<_, _>>().into()
    };
    vec![
        json!({}),
        json!({ "role": "reader", "sub": "ann", "aud": "postgraphile", "exp": 4_000_000_000_u64 }),
        many(20, json!("a value")),
        many(250, json!(7)),
        many(4, json!("a long text ".repeat(200))),
        json!({ "numbers": (0..2_000).collect::<Vec<_>>() }),
        json!({ "flags": vec![false; 1_500], "texts": vec!["a"; 500] }),
        json!({ "nested": many(30, json!({ "a": { "b": [1, { "c": null }] } })) }),
        json!({ "deep": (0..100).fold(json!(1), |below, _| json!([below])) }),
    ]
}

#[test]
fn a_token_takes_what_the_cache_says() {
    let only = Mapping { claims: Some(vec!["sub".into()]), ..Mapping::default() };
    let fixed = vec![("search_path".into(), "post".into()), ("app.of".into(), "all".into())];
    let fixed = Mapping { fixed, default_role: Some("reader".into()), ..Mapping::default() };
    for mapping in [Mapping::default(), only, fixed] {
        for claims in claims() {
            let sessions = sessions(mapping.clone());
            let is_large = claims.to_string().len() > 5_000;
            let count = if is_large { LARGE_TOKENS } else { TOKENS };
            (0..count).for_each(|number| check(&sessions, &claims, number));
            let (held, before) = (allocation::held(), sessions.known());
            (count..2 * count).for_each(|number| check(&sessions, &claims, number));
            let (taken, now) = ((allocation::held() - held) as f64, sessions.known());
            assert_eq!(now.0 - before.0, count, "{claims}");
            let said = (now.1 - before.1) as f64;
            assert!(
                (0.8..=1.2).contains(&(said / taken)),
                "the cache says {said:.0} bytes where {taken:.0} are taken: {claims}"
            );
        }
    }
}

#[test]
fn the_cache_keeps_to_its_bound_whatever_tokens_come() {
    for claims in [claims()[1].clone(), claims()[5].clone()] {
        let sessions = sessions(Mapping::default());
        let held = allocation::held();
        let mut number = 0;
        // Until tokens have gone.
        while sessions.known().0 == number {
            check(&sessions, &claims, number);
            number += 1;
        }
        (number..number + number / 4).for_each(|number| check(&sessions, &claims, number));
        let (taken, (_, bytes)) = (allocation::held() - held, sessions.known());
        assert!(bytes <= CACHE_BYTES, "{bytes}");
        assert!(taken < CACHE_BYTES as isize * 6 / 5, "{taken} bytes are taken, {bytes} said");
    }
}

#[test]
fn the_largest_tokens_are_kept() {
    let sessions = sessions(Mapping::default());
    // A token with much more in it is none.
    let claims = json!({ "flags": vec![0; 5_800] });
    check(&sessions, &claims, 1);
    assert_eq!(sessions.known().0, 1);
}
