//! Metrics of connections to databases.

use std::fmt;

use prometheus_client::encoding::NoLabelSet;
use prometheus_client::metrics::MetricType;
use source::Statistics;
use source::statistics::Totals;

use super::encode::Writer;

/// The labels of a source: in a gateway, the subgraph.
fn labels<'l>(subgraph: Option<&'l str>, state: Option<&'l str>) -> Vec<(&'static str, &'l str)> {
    let subgraph = subgraph.map(|subgraph| ("subgraph", subgraph));
    let state = state.map(|state| ("state", state));
    subgraph.into_iter().chain(state).collect()
}

/// Writes the metrics of all databases, labelled with their subgraphs in a gateway.
pub(super) fn encode(
    databases: &[(Option<&str>, &Statistics)],
    writer: &mut Writer<'_, '_>,
) -> fmt::Result {
    if databases.is_empty() {
        return Ok(());
    }
    let all = databases.iter().map(|(subgraph, statistics)| (*subgraph, statistics.totals()));
    let all: Vec<(Option<&str>, Totals)> = all.collect();
    encode_states(&all, writer)?;
    encode_counts(&all, writer)?;
    let help = "Time that requests waited for a connection of the pool";
    let name = "thalweg_database_acquire_seconds";
    let mut family = writer.begin(name, help, MetricType::Counter)?;
    for (subgraph, totals) in &all {
        let seconds = totals.acquire_time.as_secs_f64();
        family
            .encode_family(&labels(*subgraph, None))?
            .encode_counter::<NoLabelSet, f64, u64>(&seconds, None)?;
    }
    Ok(())
}

/// Writes the current states.
fn encode_states(all: &[(Option<&str>, Totals)], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let help = "Connections to the database";
    let mut family = writer.begin("thalweg_database_connections", help, MetricType::Gauge)?;
    for (subgraph, totals) in all {
        let idle = totals.open.saturating_sub(totals.used).max(0);
        for (state, count) in [("used", totals.used), ("idle", idle)] {
            family.encode_family(&labels(*subgraph, Some(state)))?.encode_gauge(&count)?;
        }
    }
    let help = "Requests that wait for a connection to the database";
    let mut family = writer.begin("thalweg_database_waiting", help, MetricType::Gauge)?;
    for (subgraph, totals) in all {
        family.encode_family(&labels(*subgraph, None))?.encode_gauge(&totals.waiting)?;
    }
    Ok(())
}

/// Writes the counters.
fn encode_counts(all: &[(Option<&str>, Totals)], writer: &mut Writer<'_, '_>) -> fmt::Result {
    type Count = fn(&Totals) -> u64;
    let counters: [(&str, &str, Count); 5] = [
        ("thalweg_database_opened", "Connections opened", |totals| totals.opened),
        ("thalweg_database_failed", "Connections that could not be opened", |totals| totals.failed),
        ("thalweg_database_acquired", "Connections given to requests", |totals| totals.acquired),
        ("thalweg_database_refused", "Requests that got no connection", |totals| totals.refused),
        (
            "thalweg_database_replaced",
            "Connections closed because of session settings that they keep",
            |totals| totals.replaced,
        ),
    ];
    for (name, help, count) in counters {
        let mut family = writer.begin(name, help, MetricType::Counter)?;
        for (subgraph, totals) in all {
            family
                .encode_family(&labels(*subgraph, None))?
                .encode_counter::<NoLabelSet, u64, u64>(&count(totals), None)?;
        }
    }
    Ok(())
}
