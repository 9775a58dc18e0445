//! Aggregates and groups, compared with what the database itself makes of the rows by
//! hand-written SQL.

use std::collections::BTreeMap;

use engine::Worker;
use libtest_mimic::Failed;
use serde_json::Value as Json;

use crate::sources::{Sources, TestSource};

const DIALECT: &str = "postgraphile aggregates";

/// A column of numbers with its connection and field, and a column to group by.
struct Aggregated {
    database: &'static str,
    connection: &'static str,
    field: &'static str,
    table: &'static str,
    column: &'static str,
    group: &'static str,
}

const AGGREGATED: [Aggregated; 8] = [
    aggregated("shop", "allInvoices", "total", "invoice", "total", "billing_country"),
    aggregated("shop", "allInvoices", "customerId", "invoice", "customer_id", "billing_state"),
    aggregated("shop", "allTracks", "milliseconds", "track", "milliseconds", "genre_id"),
    aggregated("shop", "allTracks", "bytes", "track", "bytes", "media_type_id"),
    aggregated("shop", "allTracks", "unitPrice", "track", "unit_price", "album_id"),
    aggregated("kinds", "allTransfers", "amount", "transfer", "amount", "sender_id"),
    aggregated("league", "allScores", "distance", "score", "distance", "won"),
    aggregated("league", "allScores", "fee", "score", "fee", "player_id"),
];

const fn aggregated(
    database: &'static str,
    connection: &'static str,
    field: &'static str,
    table: &'static str,
    column: &'static str,
    group: &'static str,
) -> Aggregated {
    Aggregated { database, connection, field, table, column, group }
}

/// Sums, numbers of values and extremes, of all rows and of each group.
pub(crate) fn compare_aggregates(sources: &Sources) -> Result<(), Failed> {
    let Some(oracle) = sources.all().nth(1) else { return Ok(()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for Aggregated { database, connection, field, table, column, group } in AGGREGATED {
        let values = format!(
            "trim_scale(coalesce(sum({column}), 0)::numeric)::text, \
             count(DISTINCT {column})::text, trim_scale(min({column})::numeric)::text, \
             trim_scale(max({column})::numeric)::text"
        );
        let whole = sources.query(&oracle, database, &format!("SELECT {values} FROM {table}"))?;
        let groups = format!("SELECT {group}::text, {values} FROM {table} GROUP BY {group}");
        let groups = sources.query(&oracle, database, &groups)?;
        let expected: BTreeMap<_, _> =
            groups.into_iter().filter_map(|mut row| Some((row.remove(0)?, row))).collect();
        assert!(!expected.is_empty(), "{table} has no groups");
        let functions = ["sum", "distinctCount", "min", "max"];
        let selected: String =
            functions.map(|function| format!("{function} {{ value: {field} }} ")).concat();
        let query = format!(
            "{{ {connection} {{ aggregates {{ {selected} }} \
             groups: groupedAggregates(groupBy: [{}]) {{ keys {selected} }} }} }}",
            group.to_ascii_uppercase()
        );
        let of = |aggregate: &Json| -> Vec<Option<String>> {
            let text = |value: &Json| match value {
                Json::Null => None,
                Json::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            functions.map(|function| text(&aggregate[function]["value"])).to_vec()
        };
        for source in [&TestSource::Sqlite, &oracle] {
            let worker = Worker::new(sources.engine(source, database, DIALECT)?);
            let answer = runtime.block_on(crate::differential::answer(&worker, &query, "{}"))?;
            let answer: Json = serde_json::from_str(&answer)?;
            let found = &answer["data"][connection];
            let what = format!("{connection} {field} on {source}: {answer}");
            assert_eq!(whole.first(), Some(&of(&found["aggregates"])), "{what}");
            let groups = found["groups"].as_array().ok_or("no groups")?;
            // Groups with a null key have no keys.
            let keyed = groups
                .iter()
                .filter_map(|found| Some((found["keys"][0].as_str()?.to_owned(), of(found))));
            assert_eq!(expected, keyed.collect(), "{what}");
        }
    }
    Ok(())
}
