//! What the report says of the sample run.

use expect_test::expect;

use super::{report, whole};
use crate::race::record::{Load, Measurement, Run, Start};
use crate::race::report::aggregate::aggregate;
use crate::race::report::folder::Folder;
use crate::race::report::markdown::markdown;
use crate::race::report::summary::{Entry, Highest, Measure, Ratio, Report};
use crate::race::report::{sample, starts};
use crate::statistics::Spread;

/// The figures of a contestant for a query.
fn entry<'a>(report: &'a Report, query: &str, contestant: &str) -> &'a Entry {
    let found = report.queries.iter().find(|found| found.query == query).unwrap();
    found.entries.iter().find(|entry| entry.contestant == contestant).unwrap()
}

#[test]
fn the_rounds_of_a_load_are_one_point() {
    let report = whole();
    let thalweg = entry(&report, "artistById", "thalweg");
    let loads: Vec<&Load> = thalweg.points.iter().map(|point| &point.load).collect();
    assert_eq!(loads.len(), 9, "{loads:?}");
    let point = thalweg.closed(16).unwrap();
    assert_eq!((point.rounds, point.disturbed), (3, 0));
    let rates = point.requests_per_second.unwrap();
    // 2,000,000 / (12 + 20 + 6), two hundredths less and more in the other rounds.
    let figures = [rates.least, rates.median, rates.most].map(f64::round);
    assert_eq!(figures, [51_579.0, 52_632.0, 53_684.0]);
    // 12 microseconds each are 12 milliseconds for 1000.
    let cost = |spread: Option<Spread>| (spread.unwrap().median * 1e6).round();
    assert_eq!(cost(point.cpu.server), 12_000.0);
    assert_eq!(cost(point.cpu.work), 32_000.0);
}

#[test]
fn ratios_are_to_the_best_yardstick_of_each_measure_and_to_the_floor() {
    let report = whole();
    let thalweg = entry(&report, "artistById", "thalweg");
    let ratios: Vec<String> = thalweg
        .comparisons
        .iter()
        .map(|comparison| {
            let ratio = |ratio: &Option<Ratio>| match ratio {
                Some(ratio) => format!("{} {:.2}", ratio.contestant, ratio.times),
                None => "-".to_owned(),
            };
            let (yardstick, floor) = (ratio(&comparison.yardstick), ratio(&comparison.floor));
            format!("{:?}: {yardstick}, {floor}", comparison.measure)
        })
        .collect();
    expect![[r#"
        RequestsPerSecond: postgraphile-4 4.21, pgbench 0.63
        P99: postgraphile-4 4.21, -
        ServerCpu: postgraphile-4 6.67, -
        DatabaseCpu: postgraphile-4 1.00, pgbench 0.90
        WorkCpu: postgraphile-4 3.12, pgbench 0.56
        PeakMemory: postgraphile-4 17.76, -
        HighestRate: postgraphile-4 4.21, -"#]]
    .assert_eq(&ratios.join("\n"));
    // Two workers are shown, but are no yardstick.
    let workers = entry(&report, "artistById", "postgraphile-4-workers");
    assert!(workers.comparison(Measure::RequestsPerSecond).is_some());
    // Nobody is compared by what has no figures.
    assert_eq!(entry(&report, "artistById", "pgbench").comparisons.len(), 0);
    assert_eq!(entry(&report, "artistById", "graphjin").comparisons.len(), 0);
}

#[test]
fn a_failure_or_a_late_answer_ends_the_rates() {
    let highest = |change: fn(&mut Measurement)| {
        let mut measurements = sample::measurements();
        measurements.iter_mut().for_each(change);
        let (name, notes) = ("sample".to_owned(), Vec::new());
        let folder = Folder { name, run: sample::run(), measurements, starts: Vec::new(), notes };
        entry(&aggregate(folder), "artistById", "thalweg").highest_rate.unwrap()
    };
    let rate = |found: Highest| (found.value.median, found.is_reached);
    // The rate above what two processors can do fails.
    assert_eq!(rate(highest(|_| {})), (52_630.0, true));
    let all_within = |one: &mut Measurement| {
        one.outcome.failures = 0;
        one.outcome.latency.p95 = 49_999.0;
    };
    assert_eq!(rate(highest(all_within)), (57_890.0, false));
    // A lower rate that is late ends them, although a higher one is not.
    let late = |one: &mut Measurement| {
        if matches!(one.load, Load::Constant { rate } if rate == 36_840.0) {
            one.outcome.latency.p95 = 50_000.0;
        }
    };
    assert_eq!(rate(highest(late)), (26_320.0, true));
    let all = |one: &mut Measurement| one.outcome.failures = 1;
    assert_eq!(rate(highest(all)), (0.0, true));
    assert_eq!(highest(all).lowest_tried, 26_320.0);
}

#[test]
fn what_is_missing_has_its_reason() {
    let report = whole();
    let reason = |query, contestant| entry(&report, query, contestant).absent.as_deref();
    assert_eq!(reason("artistById", "graphjin"), Some("`graphjin` is not installed"));
    let left_out = "its answer differs at albumsList[3] | \"name\"";
    assert_eq!(reason("albums_tracks_genre_all", "postgraphile-5"), Some(left_out));
    assert_eq!(reason("artistById", "postgraphile-5"), None);
    // A reason that holds for a whole suite is said once.
    let absence = |suite, contestant| {
        report.absence(suite, contestant).map(|absence| absence.reason.as_str())
    };
    assert_eq!(absence("shop-postgres", "graphjin"), Some("`graphjin` is not installed"));
    assert_eq!(absence("shop-postgres", "postgraphile-5"), None);
}

#[test]
fn a_disturbed_measurement_is_counted_where_it_is() {
    let report = whole();
    assert_eq!(report.disturbed(), 5);
    let disturbed = entry(&report, "tracks_media_first_20", "thalweg");
    assert_eq!(disturbed.closed(16).unwrap().disturbed, 1);
    assert_eq!(disturbed.closed(64).unwrap().disturbed, 0);
}

#[test]
fn a_run_that_goes_on_is_reported() {
    let run = Run { ended: None, ..sample::run() };
    let report = report(run, |one| one.subject.query == "artistById" && one.round == 1);
    let measured = entry(&report, "artistById", "thalweg");
    assert_eq!(measured.closed(16).unwrap().rounds, 1);
    let waiting = entry(&report, "prisma_deeplyNested", "thalweg");
    assert_eq!(waiting.absent.as_deref(), Some("not measured"));
    assert!(markdown(&report).contains("- The run has not ended: what is missing may come.\n"));
}

#[test]
fn figures_that_the_run_does_not_name_are_noted() {
    let mut run = sample::run();
    run.suites.pop();
    let report = report(run, |_| true);
    let text =
        "177 measurements of queries or contestants that run.json does not name are left out.";
    assert_eq!(report.notes, [text]);
}

#[test]
fn the_median_of_the_rounds_of_a_start_is_shown_with_its_spread() {
    let start = |contestant: &str, tables, round, seconds: f64, mebibytes: u64| Start {
        contestant: contestant.to_owned(),
        source: "postgres".to_owned(),
        tables,
        round,
        first_answer_seconds: seconds,
        cpu_seconds: seconds / 2.0,
        memory: mebibytes << 20,
        missing: None,
    };
    let mut lost = start("postgraphile-4", 1_010, 1, 300.0, 0);
    lost.missing = Some("no answer after 300s".to_owned());
    let all = [
        start("thalweg", 10, 1, 0.25, 20),
        start("postgraphile-4", 10, 1, 1.5, 100),
        start("thalweg", 1_010, 1, 0.5, 40),
        lost,
        start("thalweg", 10, 2, 0.75, 20),
        start("thalweg", 10, 3, 0.5, 20),
        start("thalweg", 1_010, 2, 1.0, 50),
    ];
    expect![[r#"
        | source | contestant | tables | first answer s | CPU s | memory MiB | KiB a table |
        |---|---|---|---|---|---|---|
        | postgres | thalweg | 10 | 0.50 (0.25 to 0.75) | 0.25 | 20 | – |
        | postgres | thalweg | 1,010 | 0.75 (0.50 to 1) | 0.38 | 45 | 25.6 |
        | postgres | postgraphile-4 | 10 | 1.50 | 0.75 | 100 | – |
        | postgres | postgraphile-4 | 1,010 | no answer after 300s ||||
    "#]]
    .assert_eq(&starts(&all));
}
