//! The directive `@cached` of Hasura.

use serde_json::json;

use super::{Site, TABLES};
use crate::databases::File;
use crate::program::{Answer, PATIENCE};
use crate::served::happens_within;

const CACHED: &str = "query Songs @cached { song { title } }";

fn site(file: &File) -> Site {
    Site::start(file.source(), &["--dialect", "hasura"])
}

fn max_age(answer: &Answer) -> Option<u64> {
    let control = answer.header("cache-control")?;
    control.split("max-age=").nth(1)?.parse().ok()
}

/// Asks until an answer is kept.
fn warm(site: &Site, query: &str) -> Answer {
    let mut last = None;
    let is_kept = || {
        let answer = site.query("", query);
        let is_kept = max_age(&answer).is_some();
        last = Some(answer);
        is_kept
    };
    assert!(happens_within(PATIENCE, is_kept), "{last:?}");
    last.unwrap()
}

#[test]
fn an_answer_is_kept_for_a_minute_or_the_time_that_is_given() {
    let file = File::new(TABLES);
    let site = site(&file);
    let kept = warm(&site, CACHED);
    assert!((55..=60).contains(&max_age(&kept).unwrap()), "{kept:?}");
    let other = site.query("", "query Songs @cached(ttl: 300) { song { title } }");
    assert!((295..=300).contains(&max_age(&other).unwrap()), "{other:?}");
    // Without the directive nothing is said, nor with a time of zero.
    assert_eq!(max_age(&site.query("", "{ song { title } }")), None);
    assert_eq!(max_age(&site.query("", "query @cached(ttl: 0) { song { title } }")), None);
    let wrong = site.query("", "query @cached(ttl: -1) { song { title } }");
    assert!(wrong.body.contains("from 0 to 86400 seconds"), "{}", wrong.body);
    // After its time an answer is made again.
    let misses = || site.metric("thalweg_answer_cache_misses_total");
    let before = misses();
    let short = "query @cached(ttl: 1) { song { id } }";
    let is_made_again = || {
        site.query("", short);
        misses() >= before + 2
    };
    assert!(happens_within(PATIENCE, is_made_again));
}

#[test]
fn keys_are_told_and_a_refresh_makes_a_new_answer() {
    let file = File::new(TABLES);
    let site = site(&file);
    let query = "query ($id: Int!, $new: Boolean = false) @cached(refresh: $new) \
                 { song_by_pk(id: $id) { title } }";
    warm(&site, CACHED);
    let ask = |variables| site.post("", &json!({ "query": query, "variables": variables }));
    let (one, two) = (ask(json!({ "id": 1 })), ask(json!({ "id": 2 })));
    let [own, family] = ["x-hasura-query-cache-key", "x-hasura-query-family-cache-key"];
    assert_ne!(one.header(own).unwrap(), two.header(own).unwrap());
    assert_eq!(one.header(family).unwrap(), two.header(family).unwrap());
    assert_eq!(ask(json!({ "id": 1 })).header(own), one.header(own));
    let count = |name: &str| site.metric(name);
    let (hits, misses) =
        (count("thalweg_answer_cache_hits_total"), count("thalweg_answer_cache_misses_total"));
    ask(json!({ "id": 1 }));
    assert_eq!(count("thalweg_answer_cache_hits_total"), hits + 1);
    ask(json!({ "id": 1, "new": true }));
    ask(json!({ "id": 1, "new": true }));
    assert_eq!(count("thalweg_answer_cache_hits_total"), hits + 1);
    assert_eq!(count("thalweg_answer_cache_misses_total"), misses + 2);
}
