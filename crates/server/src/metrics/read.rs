//! Reads the OpenMetrics text into typed families.
//!
//! The text is the one description of all metrics: what a scrape returns is what a collector gets and
//! what `thalweg top` shows.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A family of metrics.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Family {
    /// Without the suffix of the type, such as `_total`.
    pub(crate) name: String,
    pub(crate) help: String,
    pub(crate) data: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Counter(Vec<Point>),
    Gauge(Vec<Point>),
    /// Labels whose value is always 1.
    Info(Vec<Point>),
    Histogram(Vec<HistogramPoint>),
}

pub(crate) type Labels = Vec<(String, String)>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) labels: Labels,
    pub(crate) value: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HistogramPoint {
    pub(crate) labels: Labels,
    /// Upper bounds with the number of values up to each, in rising order; the last is infinite.
    pub(crate) buckets: Vec<(f64, u64)>,
    pub(crate) sum: f64,
    pub(crate) count: u64,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("this is not a text of OpenMetrics: {0:?}")]
pub(crate) struct ReadError(String);

/// One line with a value.
#[derive(Debug)]
struct Sample<'t> {
    name: &'t str,
    labels: Labels,
    value: f64,
}

/// Reads a whole text. Families of other types, timestamps and exemplars are skipped.
pub(crate) fn read(text: &str) -> Result<Vec<Family>, ReadError> {
    let mut families = Vec::new();
    let mut lines = text.lines().peekable();
    let mut help = ("", "");
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ').unwrap_or((rest, ""));
            continue;
        }
        let Some(declared) = line.strip_prefix("# TYPE ") else { continue };
        let (name, kind) = declared.split_once(' ').ok_or_else(|| ReadError(line.into()))?;
        let mut samples = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            samples.push(sample(line).ok_or_else(|| ReadError(line.into()))?);
        }
        let data = match kind {
            "counter" => Data::Counter(points(samples, &[name, "_total"].concat())),
            "gauge" => Data::Gauge(points(samples, name)),
            "info" => Data::Info(points(samples, &[name, "_info"].concat())),
            "histogram" => Data::Histogram(histograms(name, samples)),
            _ => continue,
        };
        let help = if help.0 == name { help.1.trim_end_matches('.') } else { "" };
        families.push(Family { name: name.into(), help: help.into(), data });
    }
    Ok(families)
}

fn points(samples: Vec<Sample<'_>>, name: &str) -> Vec<Point> {
    let of_name = samples.into_iter().filter(|sample| sample.name == name);
    of_name.map(|Sample { labels, value, .. }| Point { labels, value }).collect()
}

fn histograms(name: &str, samples: Vec<Sample<'_>>) -> Vec<HistogramPoint> {
    let mut points: Vec<HistogramPoint> = Vec::new();
    let mut places: HashMap<Labels, usize> = HashMap::new();
    for Sample { name: of, mut labels, value } in samples {
        let Some(suffix) = of.strip_prefix(name) else { continue };
        let bound = labels.iter().position(|(label, _)| label == "le");
        let bound = bound.map(|place| labels.remove(place).1);
        let place = match places.entry(labels) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let labels = new.key().clone();
                points.push(HistogramPoint { labels, ..HistogramPoint::default() });
                *new.insert(points.len() - 1)
            }
        };
        let Some(point) = points.get_mut(place) else { continue };
        match (suffix, bound.map(|bound| bound.parse())) {
            // Counts are whole numbers.
            ("_bucket", Some(Ok(bound))) => point.buckets.push((bound, value as u64)),
            ("_sum", None) => point.sum = value,
            ("_count", None) => point.count = value as u64,
            _ => {}
        }
    }
    points
}

/// Parses `name{label="value"} 1`.
fn sample(line: &str) -> Option<Sample<'_>> {
    let end = line.find(['{', ' '])?;
    let (name, mut rest) = line.split_at(end);
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            if let Some(after) = rest.strip_prefix('}') {
                rest = after;
                break;
            }
            let (label, after) = rest.split_once("=\"")?;
            let (value, after) = quoted(after)?;
            labels.push((label.to_owned(), value));
            rest = after.strip_prefix(',').unwrap_or(after);
        }
    }
    let value = rest.strip_prefix(' ')?.split(' ').next()?.parse().ok()?;
    Some(Sample { name, labels, value })
}

/// The text before the next quotation mark, without escapes, and the text after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '"' => return Some((value, text.get(place + 1..)?)),
            '\\' => value.push(match characters.next()?.1 {
                'n' => '\n',
                escaped => escaped,
            }),
            character => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels<const N: usize>(labels: [(&str, &str); N]) -> Labels {
        labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn families_are_read_by_their_types() {
        let text = "# HELP a_seconds Time.\n# TYPE a_seconds histogram\n\
            a_seconds_sum{o=\"x\"} 1.5\na_seconds_count{o=\"x\"} 3\n\
            a_seconds_bucket{le=\"0.5\",o=\"x\"} 2\na_seconds_bucket{le=\"+Inf\",o=\"x\"} 3\n\
            # HELP b B.\n# TYPE b counter\nb_total{k=\"say \\\"hi\\\",\\n\"} 7\n\
            # HELP c C.\n# TYPE c gauge\nc -1\n# HELP d D.\n# TYPE d info\nd_info{v=\"1\"} 1\n# EOF\n";
        let family =
            |name: &str, help: &str, data| Family { name: name.into(), help: help.into(), data };
        let point = |labels, value| vec![Point { labels, value }];
        let histogram = HistogramPoint {
            labels: labels([("o", "x")]),
            buckets: vec![(0.5, 2), (f64::INFINITY, 3)],
            sum: 1.5,
            count: 3,
        };
        let expected = [
            family("a_seconds", "Time", Data::Histogram(vec![histogram])),
            family("b", "B", Data::Counter(point(labels([("k", "say \"hi\",\n")]), 7.0))),
            family("c", "C", Data::Gauge(point(labels([]), -1.0))),
            family("d", "D", Data::Info(point(labels([("v", "1")]), 1.0))),
        ];
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn another_text_is_an_error_or_empty() {
        assert_eq!(read("<html>\n"), Ok(Vec::new()));
        for line in ["a{", "a{b=\"c} 1", "a one", "a"] {
            assert!(read(&format!("# TYPE a gauge\n{line}\n")).is_err(), "{line}");
        }
    }
}
