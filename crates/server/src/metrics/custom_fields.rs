//! Metrics of requests to servers that give values of custom fields.

use std::fmt;

use clients::egress::{Outcome, Statistics};
use engine::resolvers::statistics::FieldStatistics;
use prometheus_client::encoding::NoLabelSet;
use prometheus_client::metrics::MetricType;

use super::encode::{Writer, histogram_of};

/// The custom fields of a source: in a gateway, with the subgraph.
type Source<'s> = (Option<&'s str>, Vec<FieldStatistics>);

/// The labels of a field.
fn labels<'l>(
    subgraph: Option<&'l str>,
    field: &'l FieldStatistics,
) -> Vec<(&'static str, &'l str)> {
    let subgraph = subgraph.map(|subgraph| ("subgraph", subgraph));
    let own = [("field", &*field.field), ("host", &*field.host)];
    subgraph.into_iter().chain(own).collect()
}

/// Writes the metrics of all custom fields; none without such fields.
pub(super) fn encode(sources: &[Source<'_>], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let mut all: Vec<(Option<&str>, &FieldStatistics)> = Vec::new();
    for (subgraph, fields) in sources {
        all.extend(fields.iter().map(|field| (*subgraph, field)));
    }
    if all.is_empty() {
        return Ok(());
    }
    let help = "Requests of custom fields to other servers";
    let mut family = writer.begin("thalweg_custom_requests", help, MetricType::Counter)?;
    for (subgraph, field) in &all {
        for (outcome, count) in Outcome::ALL.into_iter().zip(field.statistics.outcomes) {
            let mut labels = labels(*subgraph, field);
            labels.push(("outcome", outcome.as_str()));
            family.encode_family(&labels)?.encode_counter::<NoLabelSet, u64, u64>(&count, None)?;
        }
    }
    type Count = fn(&Statistics) -> u64;
    let counters: [(&str, &str, Count); 2] = [
        (
            "thalweg_custom_request_bytes",
            "Bytes of the bodies of requests of custom fields",
            |statistics| statistics.bytes_out,
        ),
        (
            "thalweg_custom_response_bytes",
            "Bytes of the bodies of complete responses to custom fields",
            |statistics| statistics.bytes_in,
        ),
    ];
    for (metric, help, count) in counters {
        let mut family = writer.begin(metric, help, MetricType::Counter)?;
        for (subgraph, field) in &all {
            family
                .encode_family(&labels(*subgraph, field))?
                .encode_counter::<NoLabelSet, u64, u64>(&count(&field.statistics), None)?;
        }
    }
    let help = "Time from sending a request of a custom field to the end of its response";
    let metric = "thalweg_custom_duration_seconds";
    let mut family = writer.begin(metric, help, MetricType::Histogram)?;
    for (subgraph, field) in &all {
        histogram_of(&mut family, &labels(*subgraph, field), &field.statistics.durations)?;
    }
    Ok(())
}
