//! Metrics of fetches of the supergraph from another server.

use std::fmt;

use prometheus_client::metrics::MetricType;

use super::encode::{Writer, count_of};
use crate::supergraph::FetchCounts;

pub(super) fn encode(counts: FetchCounts, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let FetchCounts { kind, fetched, unchanged, failed, age } = counts;
    let help = "Fetches of the supergraph from another server";
    let name = "thalweg_supergraph_fetches";
    let mut family = writer.begin(name, help, MetricType::Counter)?;
    for (outcome, count) in [("fetched", fetched), ("unchanged", unchanged), ("failed", failed)] {
        count_of(&mut family, &[("source", kind.as_str()), ("outcome", outcome)], count)?;
    }
    let help =
        "Time since the last fetch of the supergraph that did not fail, or since the first one";
    let name = "thalweg_supergraph_fetch_age_seconds";
    let mut family = writer.begin(name, help, MetricType::Gauge)?;
    family.encode_family(&[("source", kind.as_str())])?.encode_gauge(&age.as_secs_f64())
}
