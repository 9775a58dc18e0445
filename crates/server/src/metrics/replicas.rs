//! Metrics of reads from replicas.

use std::fmt;

use engine::{ReadStatus, ReplicaStatus};
use prometheus_client::metrics::MetricType;

use super::encode::{Labels, Writer, count_of};

/// Writes the metrics of all replicas, if there are some.
pub(super) fn encode(reads: Option<&ReadStatus>, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let Some(reads) = reads else { return Ok(()) };
    encode_states(&reads.replicas, writer)?;
    encode_counts(&reads.replicas, writer)?;
    let name = "thalweg_replica_reads_on_primary";
    let help = "Reads that the primary answered because no replica could";
    writer.counter(name, help, reads.on_primary)
}

/// Writes the current states.
fn encode_states(replicas: &[ReplicaStatus], writer: &mut Writer<'_, '_>) -> fmt::Result {
    let help = "Whether a replica gets reads: 1, or 0 with the state that keeps it from them";
    let mut family = writer.begin("thalweg_replica_ready", help, MetricType::Gauge)?;
    for replica in replicas {
        let labels: Labels<'_, 2> = [("replica", &replica.name), ("state", replica.state)];
        family.encode_family(&labels)?.encode_gauge(&i64::from(replica.is_ready))?;
    }
    let help = "The time for which a replica has not had everything of the primary, in seconds";
    let mut family = writer.begin("thalweg_replica_lag_seconds", help, MetricType::Gauge)?;
    for (replica, lag) in replicas.iter().filter_map(|one| Some((one, one.lag?))) {
        let labels: Labels<'_, 1> = [("replica", &replica.name)];
        family.encode_family(&labels)?.encode_gauge(&lag.time.as_secs_f64())?;
    }
    let help = "The bytes of the primary's log that a replica has not replayed";
    let mut family = writer.begin("thalweg_replica_lag_bytes", help, MetricType::Gauge)?;
    for (replica, lag) in replicas.iter().filter_map(|one| Some((one, one.lag?))) {
        let labels: Labels<'_, 1> = [("replica", &replica.name)];
        let bytes = i64::try_from(lag.bytes).unwrap_or(i64::MAX);
        family.encode_family(&labels)?.encode_gauge(&bytes)?;
    }
    Ok(())
}

/// Writes the counters.
fn encode_counts(replicas: &[ReplicaStatus], writer: &mut Writer<'_, '_>) -> fmt::Result {
    type Count = fn(&ReplicaStatus) -> u64;
    let counters: [(&str, &str, Count); 2] = [
        ("thalweg_replica_reads", "Reads that a replica answered", |one| one.answered),
        (
            "thalweg_replica_reads_sent_again",
            "Reads that failed on a replica and were sent again elsewhere",
            |one| one.sent_again,
        ),
    ];
    for (name, help, count) in counters {
        let mut family = writer.begin(name, help, MetricType::Counter)?;
        for replica in replicas {
            let labels: Labels<'_, 1> = [("replica", &replica.name)];
            count_of(&mut family, &labels, count(replica))?;
        }
    }
    Ok(())
}
