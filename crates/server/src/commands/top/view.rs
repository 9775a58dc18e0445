//! Rates and percentiles between two snapshots.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use super::quantity::{UNKNOWN, bytes, number, percent, rate, seconds};
use super::snapshot::{RunningOperations, Snapshot, label_of};
use crate::metrics::{HistogramPoint, Labels};

const DURATION: &str = "thalweg_request_duration_seconds";

/// The state of a server.
#[derive(Debug)]
pub(super) struct View {
    pub(super) version: String,
    pub(super) uptime: Duration,
    /// Whether rates are those since the start of the server.
    pub(super) is_since_start: bool,
    pub(super) requests_per_second: f64,
    pub(super) sections: Vec<Section>,
    pub(super) operations: Vec<Operation>,
    pub(super) running: RunningOperations,
}

/// Lines with a name and a value.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) lines: Vec<(String, String)>,
}

/// The requests of one operation.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) per_second: f64,
    pub(super) percentiles: [Option<f64>; 3],
    /// Seconds of requests in each second.
    pub(super) load: f64,
}

/// The percentiles that are shown.
pub(super) const PERCENTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

/// A snapshot with the one before, for rates; without one, rates are those since the start.
#[derive(Clone, Copy, Debug)]
struct Interval<'s> {
    before: Option<&'s Snapshot>,
    now: &'s Snapshot,
    seconds: f64,
}

impl View {
    pub(super) fn between(before: Option<&Snapshot>, now: &Snapshot) -> Self {
        let started = now.value("process_start_time_seconds");
        let clock = now.time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let uptime = Duration::try_from_secs_f64(clock - started).unwrap_or_default();
        // A server that has started again has counts of its own.
        let same = |before: &&Snapshot| before.value("process_start_time_seconds") == started;
        let before = before.filter(same);
        let elapsed = before.map(|before| now.taken.saturating_duration_since(before.taken));
        // The clock of the server has seconds.
        let elapsed = elapsed.unwrap_or(uptime.max(Duration::from_secs(1)));
        let seconds = elapsed.as_secs_f64().max(0.001);
        let interval = Interval { before, now, seconds };
        let info = now.points("thalweg_build").first();
        let version = info.and_then(|info| label_of(&info.labels, "version"));
        Self {
            version: version.unwrap_or(UNKNOWN).to_owned(),
            uptime,
            is_since_start: before.is_none(),
            requests_per_second: interval.rate("thalweg_requests", &[]),
            sections: interval.sections(),
            operations: interval.operations(),
            running: now.running.clone(),
        }
    }
}

impl Interval<'_> {
    /// The increase of a counter in a second.
    fn rate(self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let sum = |snapshot: &Snapshot| snapshot.sum(name, labels).unwrap_or(0.0);
        let (now, before) = (sum(self.now), self.before.map_or(0.0, sum));
        // A reload can begin a count again.
        let increase = if now < before { now } else { now - before };
        increase / self.seconds
    }

    /// The share of hits among look-ups of a cache; none without look-ups.
    fn hits(self, name: &str) -> Option<f64> {
        share(self.rate(name, &[("result", "hit")]), self.rate(name, &[("result", "miss")]))
    }

    fn sections(self) -> Vec<Section> {
        let mut sections = vec![self.requests(), self.database(), self.subscriptions()];
        if !self.now.points("thalweg_subgraph_requests").is_empty() {
            sections.push(self.subgraphs());
        }
        sections.extend([self.caches(), self.process()]);
        sections
    }

    fn requests(self) -> Section {
        let value = |name: &str| self.now.value(name);
        let all: Vec<_> = self.now.histograms(DURATION).iter().collect();
        let increase = self.increase(&all);
        let mut lines = vec![
            line("requests", rate(self.rate("thalweg_requests", &[]))),
            line("errors", rate(self.rate("thalweg_errors", &[]))),
            line(
                "running",
                format!(
                    "{} ({} queued)",
                    number(value("thalweg_requests_running")),
                    number(value("thalweg_requests_waiting"))
                ),
            ),
        ];
        let percentiles = PERCENTILES
            .iter()
            .map(|(name, share)| line(name, seconds(percentile(&increase, *share))));
        lines.extend(percentiles);
        Section { title: "Requests", lines }
    }

    /// The pools of connections, one for each subgraph of a gateway.
    fn database(self) -> Section {
        let name = "thalweg_database_connections";
        let points = self.now.points(name).iter();
        let pools: BTreeSet<_> =
            points.map(|point| label_of(&point.labels, "subgraph").unwrap_or_default()).collect();
        let mut lines = Vec::new();
        for pool in &pools {
            let of_pool = [("subgraph", *pool)];
            let labels = if pool.is_empty() { &[][..] } else { &of_pool[..] };
            let state = |state: &str| {
                let labels = [labels, &[("state", state)]].concat();
                number(self.now.sum(name, &labels).unwrap_or(0.0))
            };
            let waiting = self.now.sum("thalweg_database_waiting", labels).unwrap_or(0.0);
            let title = if pool.is_empty() { "busy/idle/waiting" } else { *pool };
            let counts = [state("used"), state("idle"), number(waiting)].join("/");
            lines.push(line(title, counts));
        }
        if !pools.is_empty() {
            let acquired = self.rate("thalweg_database_acquired", &[]);
            let waited = self.rate("thalweg_database_acquire_seconds", &[]);
            lines.push(line("acquired", rate(acquired)));
            lines.push(line("wait", seconds((acquired > 0.0).then(|| waited / acquired))));
            lines.push(line("failed", rate(self.rate("thalweg_database_failed", &[]))));
        }
        for point in self.now.points("thalweg_replica_lag_seconds") {
            let replica = label_of(&point.labels, "replica").unwrap_or_default();
            lines.push(line(&format!("lag of {replica}"), seconds(Some(point.value))));
        }
        Section { title: "Database", lines }
    }

    fn subscriptions(self) -> Section {
        let value = |name: &str| number(self.now.value(name));
        let feeds = self.now.points("thalweg_live_feed").iter().filter(|point| point.value > 0.0);
        let feeds: BTreeSet<_> =
            feeds.filter_map(|point| label_of(&point.labels, "kind")).collect();
        let feed = match feeds.is_empty() {
            true => "none".to_owned(),
            false => feeds.into_iter().collect::<Vec<_>>().join(", "),
        };
        let lines = vec![
            line("subscriptions", value("thalweg_subscriptions")),
            line("WebSockets", value("thalweg_sockets")),
            line("responses", rate(self.rate("thalweg_subscription_events", &[]))),
            line("live clients", value("thalweg_live_subscribers")),
            line("live cohorts", value("thalweg_live_cohorts")),
            line("executions", rate(self.rate("thalweg_live_executions", &[]))),
            line("feed", feed),
        ];
        Section { title: "Subscriptions", lines }
    }

    fn subgraphs(self) -> Section {
        let points = self.now.points("thalweg_subgraph_requests").iter();
        let names: BTreeSet<_> =
            points.filter_map(|point| label_of(&point.labels, "subgraph")).collect();
        let lines = names.into_iter().map(|name| {
            let labels = [("subgraph", name)];
            let histograms = self.now.histograms("thalweg_subgraph_duration_seconds").iter();
            let of_name: Vec<_> = histograms
                .filter(|point| label_of(&point.labels, "subgraph") == Some(name))
                .collect();
            let increase = self.increase_of("thalweg_subgraph_duration_seconds", &of_name);
            let requests = rate(self.rate("thalweg_subgraph_requests", &labels));
            line(name, format!("{requests}, p95 {}", seconds(percentile(&increase, 0.95))))
        });
        Section { title: "Subgraphs", lines: lines.collect() }
    }

    fn caches(self) -> Section {
        let caches = [
            ("documents", "thalweg_documents"),
            ("plans", "thalweg_plans"),
            ("subgraphs", "thalweg_subgraph_cache"),
        ];
        let known = caches.iter().filter(|(_, name)| !self.now.points(name).is_empty());
        let hits = known.map(|(title, name)| line(title, percent(self.hits(name)) + " hits"));
        let mut lines: Vec<_> = hits.collect();
        let answers = share(
            self.rate("thalweg_answer_cache_hits", &[]),
            self.rate("thalweg_answer_cache_misses", &[]),
        );
        if answers.is_some() {
            lines.push(line("answers", percent(answers) + " hits"));
        }
        let value = |name: &str| self.now.value(name);
        lines.push(line("documents kept", number(value("thalweg_cached_documents"))));
        lines.push(line("their memory", bytes(value("thalweg_cache_bytes"))));
        for (title, name) in [
            ("answers' memory", "thalweg_answer_cache_bytes"),
            ("subgraphs' memory", "thalweg_subgraph_cache_bytes"),
        ] {
            if let Some(memory) = self.now.sum(name, &[]).filter(|memory| *memory > 0.0) {
                lines.push(line(title, bytes(memory)));
            }
        }
        Section { title: "Caches", lines }
    }

    fn process(self) -> Section {
        let value = |name: &str| self.now.value(name);
        let files = [value("process_open_fds"), value("process_max_fds")].map(number).join(" / ");
        let lines = vec![
            line("processor", percent(Some(self.rate("process_cpu_seconds", &[])))),
            line("memory", bytes(value("process_resident_memory_bytes"))),
            line("of responses", bytes(value("thalweg_response_memory_bytes"))),
            line("of requests", bytes(value("thalweg_request_memory_bytes"))),
            line("connections", number(value("thalweg_clients"))),
            line("files", files),
        ];
        Section { title: "Process", lines }
    }

    /// The operations with requests in the interval.
    fn operations(self) -> Vec<Operation> {
        let points = self.now.histograms(DURATION).iter();
        let operations = points.filter_map(|point| {
            let increase = self.increase(&[point]);
            (increase.count > 0).then(|| Operation {
                name: label_of(&point.labels, "operation").unwrap_or_default().to_owned(),
                per_second: increase.count as f64 / self.seconds,
                percentiles: PERCENTILES.map(|(_, share)| percentile(&increase, share)),
                load: increase.sum / self.seconds,
            })
        });
        operations.collect()
    }

    fn increase(self, points: &[&HistogramPoint]) -> HistogramPoint {
        self.increase_of(DURATION, points)
    }

    /// The sum of the increases of histograms, which all have the same buckets.
    fn increase_of(self, name: &str, points: &[&HistogramPoint]) -> HistogramPoint {
        let mut sum = HistogramPoint::default();
        for point in points {
            let before = self.before.and_then(|before| before.histogram(name, &point.labels));
            let before = before.filter(|before| before.count <= point.count);
            for (place, (bound, count)) in point.buckets.iter().enumerate() {
                let earlier = before.and_then(|before| before.buckets.get(place));
                let more = count.saturating_sub(earlier.map_or(0, |(_, count)| *count));
                match sum.buckets.get_mut(place) {
                    Some((_, count)) => *count += more,
                    None => sum.buckets.push((*bound, more)),
                }
            }
            sum.count += point.count - before.map_or(0, |before| before.count);
            sum.sum += point.sum - before.map_or(0.0, |before| before.sum);
        }
        sum
    }
}

impl Snapshot {
    fn histogram(&self, name: &str, labels: &Labels) -> Option<&HistogramPoint> {
        self.histograms(name).iter().find(|point| point.labels == *labels)
    }
}

fn line(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

fn share(hits: f64, misses: f64) -> Option<f64> {
    let all = hits + misses;
    (all > 0.0).then(|| hits / all)
}

/// A percentile, by linear interpolation within its bucket, as Prometheus' `histogram_quantile`. Beyond
/// the last finite bound it is that bound.
fn percentile(histogram: &HistogramPoint, share: f64) -> Option<f64> {
    if histogram.count == 0 {
        return None;
    }
    let rank = share * histogram.count as f64;
    let (mut lower, mut below) = (0.0, 0.0);
    for (bound, count) in &histogram.buckets {
        let upto = *count as f64;
        if upto >= rank {
            if bound.is_infinite() {
                return Some(lower);
            }
            let within = if upto > below { (rank - below) / (upto - below) } else { 1.0 };
            return Some(lower + (bound - lower) * within);
        }
        (lower, below) = (*bound, upto);
    }
    Some(lower)
}

#[cfg(test)]
mod tests {
    use std::time::{Instant, SystemTime};

    use super::*;
    use crate::metrics::read;

    fn snapshot(text: &str, seconds: u64) -> Snapshot {
        let start = "# TYPE thalweg_build info\nthalweg_build_info{version=\"1\"} 1\n\
            # TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 100\n";
        let families = read(&[start, text].concat()).unwrap();
        let taken = Instant::now() + Duration::from_secs(seconds);
        Snapshot::new(families, RunningOperations::default(), (taken, SystemTime::now())).unwrap()
    }

    fn counted(requests: u64, upto: [u64; 3], sum: f64) -> String {
        let [fast, slow, all] = upto;
        format!(
            "# TYPE thalweg_requests counter\nthalweg_requests_total{{kind=\"query\"}} {requests}\n\
             # TYPE thalweg_request_duration_seconds histogram\n\
             thalweg_request_duration_seconds_sum{{operation=\"A\"}} {sum}\n\
             thalweg_request_duration_seconds_count{{operation=\"A\"}} {all}\n\
             thalweg_request_duration_seconds_bucket{{le=\"0.1\",operation=\"A\"}} {fast}\n\
             thalweg_request_duration_seconds_bucket{{le=\"0.2\",operation=\"A\"}} {slow}\n\
             thalweg_request_duration_seconds_bucket{{le=\"+Inf\",operation=\"A\"}} {all}\n"
        )
    }

    fn near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < expected / 100.0
    }

    #[test]
    fn rates_and_percentiles_are_those_of_the_interval() {
        let before = snapshot(&counted(1_000, [1_000, 1_000, 1_000], 10.0), 0);
        let now = snapshot(&counted(1_100, [1_050, 1_099, 1_100], 22.0), 10);
        let view = View::between(Some(&before), &now);
        assert!(near(view.requests_per_second, 10.0) && !view.is_since_start);
        let [operation] = &view.operations[..] else { panic!("{view:?}") };
        assert!(near(operation.per_second, 10.0) && near(operation.load, 1.2));
        let [p50, p95, p99] = operation.percentiles.map(Option::unwrap);
        assert!(near(p50, 0.1) && near(p95, 0.1 + 0.1 * 45.0 / 49.0) && near(p99, 0.2), "{p95}");
    }

    #[test]
    fn a_server_that_has_started_again_counts_from_its_start() {
        let before = snapshot(&counted(1_000, [1_000; 3], 10.0), 0);
        let text = counted(10, [10; 3], 1.0);
        let families = read(&format!(
            "# TYPE thalweg_build info\nthalweg_build_info{{version=\"2\"}} 1\n{text}"
        ));
        let taken = Instant::now() + Duration::from_secs(1);
        let now = Snapshot::new(
            families.unwrap(),
            RunningOperations::default(),
            (taken, SystemTime::now()),
        )
        .unwrap();
        assert!(View::between(Some(&before), &now).is_since_start);
    }

    #[test]
    fn without_requests_there_are_no_percentiles() {
        assert_eq!(percentile(&HistogramPoint::default(), 0.5), None);
        let beyond = HistogramPoint {
            buckets: vec![(1.0, 0), (f64::INFINITY, 5)],
            count: 5,
            ..HistogramPoint::default()
        };
        assert_eq!(percentile(&beyond, 0.5), Some(1.0));
    }
}
