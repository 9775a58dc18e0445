//! Where reads go, for people: the replicas with their states.

use std::fmt::Write as _;

use engine::{ReadStatus, ReplicaStatus, WithoutReplica};

/// The replicas, a line each, and what happens without them.
pub(super) fn report(reads: &ReadStatus) -> String {
    let mut text = String::new();
    for replica in &reads.replicas {
        let ReplicaStatus { name, weight, reason, .. } = replica;
        // Writing to a string never fails.
        let _ = match (reason, replica.lag) {
            (None, Some(lag)) => {
                let bytes = lag.bytes;
                writeln!(text, "  {name}: ready, weight {weight}, {bytes} bytes behind the primary")
            }
            (None, None) => writeln!(text, "  {name}: ready, weight {weight}"),
            (Some(reason), _) => writeln!(text, "  {name}: no reads: {reason}"),
        };
    }
    text.push_str(match reads.without_replica {
        WithoutReplica::Primary => "  Otherwise: the primary.\n",
        WithoutReplica::Fail => "  Otherwise: none (--read-without-replica fail).\n",
    });
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use engine::Lag;
    use expect_test::expect;

    use super::*;

    #[test]
    fn each_replica_has_a_line() {
        let ready = ReplicaStatus {
            name: "a:5432".into(),
            weight: 2,
            is_ready: true,
            state: "ready",
            reason: None,
            lag: Some(Lag { bytes: 48, time: Duration::ZERO }),
            answered: 0,
            sent_again: 0,
        };
        let lagging = ReplicaStatus {
            name: "b:5432".into(),
            is_ready: false,
            state: "lagging",
            reason: Some("it lags".into()),
            ..ready
        };
        let reads = ReadStatus {
            replicas: vec![ready, lagging],
            without_replica: WithoutReplica::Primary,
            on_primary: 0,
        };
        expect![[r"
            Servers:
              a:5432: ready, weight 2, 48 bytes behind the primary
              b:5432: no reads: it lags
              Otherwise: the primary.
        "]]
        .assert_eq(&["Servers:\n", &report(&reads)].concat());
    }
}
