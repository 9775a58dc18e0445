//! Cached answers of further sources.

use serde_json::{Value, json};

use super::{SECRET, Site, people_and_orders};
use crate::databases::Database;
use crate::program::{Answer, PATIENCE};
use crate::served::happens_within;

const COUNT: &str = "query @cached(ttl: 3600) { purchase_aggregate { aggregate { count } } }";
const BOTH: &str =
    "query @cached(ttl: 3600) { person { id } purchase_aggregate { aggregate { count } } }";

fn get(site: &Site, headers: &str, query: &str) -> Answer {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    let query: String = query.bytes().map(encode).collect();
    let target = format!("/v1/graphql?query={query}");
    site.server.get(&target, &format!("x-hasura-admin-secret: {SECRET}\r\n{headers}"))
}

fn count(answer: &Answer) -> Value {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    body["data"]["purchase_aggregate"]["aggregate"]["count"].clone()
}

#[test]
fn answers_of_one_source_are_cached_until_its_rows_change() {
    for (people, orders) in
        Database::on_each(super::PEOPLE).into_iter().zip(Database::on_each(super::ORDERS))
    {
        let site = Site::start(&people.url(), &orders.url(), &people_and_orders(), &[]);
        // The first requests begin to follow the changes.
        let is_cached = || get(&site, "", COUNT).header("x-hasura-query-cache-key").is_some();
        assert!(happens_within(PATIENCE, is_cached), "nothing is cached");
        let tag = get(&site, "", COUNT).header("etag").unwrap().to_owned();
        let known = format!("if-none-match: {tag}\r\n");
        let is_known = || get(&site, &known, COUNT).status == 304;
        // The stream of changes invalidates everything once, when it begins.
        if !is_known() {
            assert_eq!(count(&get(&site, "", COUNT)), json!(6));
        }
        orders.execute("INSERT INTO purchase VALUES (90, 1, 1)");
        let is_new = || count(&get(&site, "", COUNT)) == json!(7);
        assert!(happens_within(PATIENCE, is_new), "the answer is old");
        assert_ne!(get(&site, &known, COUNT).status, 304);
        // A change by this server shows at once, alone or with fields of the other source.
        site.data("", "mutation { delete_purchase_by_pk(id: 90) { id } }");
        assert_eq!(count(&get(&site, "", COUNT)), json!(6));
        site.data(
            "",
            "mutation { insert_purchase_one(object: {id: 91, total: 1}) { id } \
             update_person(where: {id: {_eq: 1}}, _set: {name: \"A\"}) { affected_rows } }",
        );
        assert_eq!(count(&get(&site, "", COUNT)), json!(7));
    }
}

/// Hasura's header is there only for cached answers, and nothing is older than the databases.
#[test]
fn answers_of_several_sources_are_not_cached() {
    let (Some(people), Some(orders)) =
        (Database::on_one(super::PEOPLE), Database::on_one(super::ORDERS))
    else {
        return;
    };
    let site =
        Site::start(&people.url(), &orders.url(), &people_and_orders(), &["--cache", "*=1h"]);
    for id in 10..20 {
        let answer = get(&site, "", BOTH);
        assert_eq!(count(&answer), json!(id - 4), "{}", answer.body);
        assert_eq!(answer.header("x-hasura-query-cache-key"), None);
        assert_eq!(answer.header("etag"), None);
        orders.execute(&format!("INSERT INTO purchase VALUES ({id}, 1, 1)"));
    }
}
