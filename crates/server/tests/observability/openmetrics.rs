//! A strict reader of metrics: <https://prometheus.io/docs/specs/om/open_metrics_spec/>.

use std::collections::{BTreeMap, BTreeSet};

/// The values by series, as `name{label="value"}`.
pub(crate) type Series = BTreeMap<String, f64>;

/// One line with a value.
#[derive(Debug)]
struct Sample<'t> {
    name: &'t str,
    labels: Vec<(&'t str, String)>,
    value: f64,
}

/// Reads a whole text; whatever the format forbids is a panic that says it.
pub(crate) fn read(text: &str) -> Series {
    let body = text.strip_suffix("# EOF\n").expect("the text ends with its mark");
    let mut families: BTreeSet<&str> = BTreeSet::new();
    let mut family: Option<(&str, &str)> = None;
    let mut helped = "";
    let mut samples = Vec::new();
    let mut series = Series::new();
    for line in body.split_terminator('\n') {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(!help.is_empty() && help == help.trim(), "{line}");
            helped = name;
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert_eq!(name, helped, "the help comes first");
            assert!(is_name(name), "{name}");
            assert!(families.insert(name), "{name} comes twice");
            assert!(["counter", "gauge", "histogram", "info"].contains(&kind), "{line}");
            family = Some((name, kind));
        } else {
            assert!(!line.starts_with('#'), "{line}");
            let (family, kind) = family.unwrap_or_else(|| panic!("{line} is of no family"));
            let sample = sample(line);
            let suffix = sample.name.strip_prefix(family);
            let suffix = suffix.unwrap_or_else(|| panic!("{line} is not of {family}"));
            let allowed: &[&str] = match kind {
                "counter" => &["_total"],
                "gauge" => &[""],
                "histogram" => &["_bucket", "_sum", "_count"],
                _ => &["_info"],
            };
            assert!(allowed.contains(&suffix), "{line} of a {kind}");
            assert!(kind == "gauge" || sample.value >= 0.0, "{line}");
            assert!(sample.value.is_finite(), "{line}");
            let key = key(sample.name, &sample.labels);
            assert!(series.insert(key, sample.value).is_none(), "{line} comes twice");
            samples.push((family, suffix, sample));
        }
    }
    check_histograms(&samples, &series);
    series
}

/// Buckets rise, and the last holds all.
fn check_histograms(samples: &[(&str, &str, Sample<'_>)], series: &Series) {
    let mut last: Option<(String, f64, f64)> = None;
    for (family, suffix, sample) in samples {
        if *suffix != "_bucket" {
            continue;
        }
        let (labels, bound): (Vec<_>, Vec<_>) =
            sample.labels.iter().cloned().partition(|label| label.0 != "le");
        let [(_, bound)] = &bound[..] else { panic!("{sample:?} has no bound") };
        let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().unwrap() };
        let of = key(family, &labels);
        if let Some((before, before_bound, before_value)) = &last {
            if *before == of {
                assert!(bound > *before_bound && sample.value >= *before_value, "{sample:?}");
            } else {
                assert_eq!(*before_bound, f64::INFINITY, "{before} has no last bucket");
            }
        }
        if bound == f64::INFINITY {
            let count = key(&format!("{family}_count"), &labels);
            assert_eq!(series.get(&count), Some(&sample.value), "{count}");
            assert!(series.contains_key(&key(&format!("{family}_sum"), &labels)), "{sample:?}");
        }
        last = Some((of, bound, sample.value));
    }
}

fn key(name: &str, labels: &[(&str, String)]) -> String {
    let labels: Vec<_> = labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    match labels.is_empty() {
        true => name.to_owned(),
        false => format!("{name}{{{}}}", labels.join(",")),
    }
}

fn sample(line: &str) -> Sample<'_> {
    let end = line.find(['{', ' ']).unwrap_or_else(|| panic!("{line} has no value"));
    let (name, mut rest) = line.split_at(end);
    assert!(is_name(name), "{line}");
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        while !rest.starts_with('}') {
            let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
            assert!(is_name(name) && !name.contains(':'), "{line}");
            let (value, after) = quoted(after, line);
            assert!(labels.iter().all(|(known, _)| *known != name), "{line}");
            labels.push((name, value));
            rest = after.strip_prefix(',').unwrap_or(after);
        }
        rest = &rest[1..];
    }
    let value = rest.strip_prefix(' ').unwrap_or_else(|| panic!("{line}"));
    let value = value.parse().unwrap_or_else(|_| panic!("{value} in {line} is no number"));
    Sample { name, labels, value }
}

/// What stands before the next quotation mark, and what after it.
fn quoted<'t>(text: &'t str, line: &str) -> (String, &'t str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return (value, &text[place + 1..]),
            '\\' => value.push(match characters.next() {
                Some((_, 'n')) => '\n',
                Some((_, escaped @ ('"' | '\\'))) => escaped,
                other => panic!("{other:?} in {line}"),
            }),
            character => value.push(character),
        }
    }
    panic!("{line} has no end")
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    text.chars().all(is_part) && text.chars().next().is_some_and(|c| !c.is_ascii_digit())
}

#[test]
fn what_the_format_forbids_is_found() {
    let good = "# HELP a_x b.\n# TYPE a_x counter\na_x_total{l=\"m\\n\"} 1\n# EOF\n";
    assert_eq!(read(good).get("a_x_total{l=\"m\\n\"}"), Some(&1.0));
    for bad in [
        "",
        "# HELP a b\n# TYPE a counter\na_total 1\n",
        "# HELP a b\n# TYPE a counter\na 1\n# EOF\n",
        "# HELP a b\n# TYPE a gauge\na 1\na 1\n# EOF\n",
        "# HELP a b\n# TYPE a gauge\nb 1\n# EOF\n",
        "# HELP a b\n# TYPE a gauge\na{l=\"\n\"} 1\n# EOF\n",
        "# HELP a b\n# TYPE a gauge\na one\n# EOF\n",
        "# TYPE a gauge\na 1\n# EOF\n",
        "# HELP a b\n# TYPE a histogram\na_bucket{le=\"1.0\"} 2\na_bucket{le=\"+Inf\"} 1\n\
         a_count 1\na_sum 1\n# EOF\n",
        "# HELP a b\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_count 1\na_sum 1\n# EOF\n",
    ] {
        assert!(std::panic::catch_unwind(|| read(bad)).is_err(), "{bad}");
    }
}
