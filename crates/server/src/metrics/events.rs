//! Metrics of events that are delivered to webhooks.

use std::fmt;

use event_triggers::Statistics;
use prometheus_client::encoding::NoLabelSet;
use prometheus_client::metrics::MetricType;

use super::encode::Writer;

/// Writes the metrics of events; none if none are delivered.
pub(super) fn encode(statistics: Option<&Statistics>, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let Some(statistics) = statistics else { return Ok(()) };
    let totals = statistics.totals();
    let help = "Attempts to deliver events to webhooks";
    let mut family = writer.begin("thalweg_event_attempts", help, MetricType::Counter)?;
    for (log, outcome, count) in &totals.attempts {
        family
            .encode_family(&[("log", *log), ("outcome", *outcome)])?
            .encode_counter::<NoLabelSet, u64, u64>(count, None)?;
    }
    let help = "Time of the attempts to deliver events";
    let mut family = writer.begin("thalweg_event_attempt_seconds", help, MetricType::Counter)?;
    let seconds = totals.time.as_secs_f64();
    family.encode_counter::<NoLabelSet, f64, u64>(&seconds, None)?;
    let help = "Requests to webhooks of events that are running";
    let mut family = writer.begin("thalweg_events_running", help, MetricType::Gauge)?;
    family.encode_gauge(&i64::try_from(totals.running).unwrap_or(i64::MAX))?;
    let help = "Events of the log that are neither delivered nor given up";
    let mut family = writer.begin("thalweg_events_pending", help, MetricType::Gauge)?;
    family.encode_gauge(&i64::try_from(totals.pending).unwrap_or(i64::MAX))?;
    let help = "Time since the oldest event that is due became due";
    let mut family = writer.begin("thalweg_events_lag_seconds", help, MetricType::Gauge)?;
    family.encode_gauge(&totals.lag.as_secs_f64())
}
