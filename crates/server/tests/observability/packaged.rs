//! The packaged alert rules of Prometheus and the dashboard of Grafana name metrics that exist.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

fn workspace(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(workspace(path)).unwrap()
}

/// The names of metrics in a text. Those of histograms have no suffix.
fn metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|one: char| one != '_' && !one.is_ascii_alphanumeric());
    let names = words.filter(|word| {
        ["thalweg_", "process_"].iter().any(|begin| word.starts_with(begin)) && !word.ends_with('_')
    });
    let suffixes = ["_bucket", "_sum", "_count"];
    let names = names.map(|name| {
        suffixes.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name).to_owned()
    });
    names.collect()
}

/// The manual lists the metrics of servers and gateways.
fn assert_listed(names: &BTreeSet<String>) {
    let manual = read("docs/observability.md");
    let list = manual.split_once("## List of metrics").unwrap().1;
    let listed = metrics(list.split("\n## ").next().unwrap());
    let unknown: Vec<_> = names.difference(&listed).collect();
    assert_eq!(unknown, Vec::<&String>::new());
    assert!(names.len() > 10, "{names:?}");
}

#[test]
fn alerts_are_about_metrics_of_the_server() {
    let rules = read("packaging/prometheus/thalweg-alerts.yml");
    let expressions: Vec<&str> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).collect();
    assert_listed(&metrics(&expressions.join("\n")));
    let manual = read("docs/observability.md");
    let alerts = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    for alert in alerts {
        assert!(manual.contains(&format!("`{alert}`")), "the manual does not name {alert}");
    }
}

#[test]
fn prometheus_accepts_the_alerts() {
    let mut check = Command::new("promtool");
    check.args(["check", "rules"]).arg(workspace("packaging/prometheus/thalweg-alerts.yml"));
    match check.output() {
        Ok(output) => {
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success() && told.contains("SUCCESS"), "{output:?}");
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("SKIP promtool is not installed (Debian: apt-get install prometheus)");
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_dashboard_shows_metrics_of_the_server() {
    let dashboard: Value =
        serde_json::from_str(&read("packaging/grafana/thalweg-dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let expressions: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    assert_listed(&metrics(&expressions.join("\n")));
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "two panels have one id");
}
