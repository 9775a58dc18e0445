//! The message of a text of metrics, by the rules for OpenMetrics:
//! <https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/>.

use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, metric, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use super::starts::Starts;
use crate::metrics::{Data, Family, HistogramPoint, Labels, Point};
use crate::otlp::sender::{scope, text_attribute};

/// Units by the ends of names: <https://ucum.org/ucum>.
const UNITS: [(&str, &str); 2] = [("_seconds", "s"), ("_bytes", "By")];

/// Values up to here are exact in both types of numbers.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn message(
    families: Vec<Family>,
    time: SystemTime,
    starts: &mut Starts,
    resource: Resource,
) -> ExportMetricsServiceRequest {
    let metrics = families.into_iter().map(|family| metric(family, time, starts)).collect();
    starts.end(time);
    let scope = Some(scope());
    let scope_metrics = vec![ScopeMetrics { scope, metrics, ..ScopeMetrics::default() }];
    let resource = Some(resource);
    let metrics = ResourceMetrics { resource, scope_metrics, ..ResourceMetrics::default() };
    ExportMetricsServiceRequest { resource_metrics: vec![metrics] }
}

fn metric(Family { name, help, data }: Family, time: SystemTime, starts: &mut Starts) -> Metric {
    let unit = UNITS.iter().find(|(suffix, _)| name.ends_with(suffix));
    let unit = unit.map_or_else(String::new, |(_, unit)| (*unit).to_owned());
    let number = |point: Point, start| number(point, &unit, time, start);
    let mut start = |labels: &Labels, value| starts.of(&name, labels, value, time);
    let mut full_name = name.clone();
    let data = match data {
        Data::Gauge(points) => {
            let points = points.into_iter().map(|point| number(point, None));
            metric::Data::Gauge(Gauge { data_points: points.collect() })
        }
        Data::Counter(points) => {
            let points = points.into_iter().map(|point| {
                let start = start(&point.labels, point.value);
                number(point, Some(start))
            });
            sum(points.collect(), true)
        }
        Data::Info(points) => {
            full_name.push_str("_info");
            let points = points.into_iter().map(|point| {
                let start = start(&point.labels, point.value);
                number(point, Some(start))
            });
            sum(points.collect(), false)
        }
        Data::Histogram(points) => {
            let points = points.into_iter().map(|point| {
                let start = start(&point.labels, point.count as f64);
                histogram(point, time, start)
            });
            metric::Data::Histogram(Histogram {
                data_points: points.collect(),
                aggregation_temporality: AggregationTemporality::Cumulative.into(),
            })
        }
    };
    Metric { name: full_name, description: help, unit, data: Some(data), ..Metric::default() }
}

fn sum(data_points: Vec<NumberDataPoint>, is_monotonic: bool) -> metric::Data {
    let aggregation_temporality = AggregationTemporality::Cumulative.into();
    metric::Data::Sum(Sum { data_points, aggregation_temporality, is_monotonic })
}

/// Times are decimal numbers, even if one of them is whole; all others are counted.
fn number(
    Point { labels, value }: Point,
    unit: &str,
    time: SystemTime,
    start: Option<SystemTime>,
) -> NumberDataPoint {
    let is_whole = unit != "s" && value.fract() == 0.0 && value.abs() <= MOST_EXACT;
    let value = match is_whole {
        true => number_data_point::Value::AsInt(value as i64),
        false => number_data_point::Value::AsDouble(value),
    };
    NumberDataPoint {
        attributes: attributes(labels),
        start_time_unix_nano: start.map_or(0, nanoseconds),
        time_unix_nano: nanoseconds(time),
        value: Some(value),
        ..NumberDataPoint::default()
    }
}

fn histogram(point: HistogramPoint, time: SystemTime, start: SystemTime) -> HistogramDataPoint {
    let HistogramPoint { labels, buckets, sum, count } = point;
    let bounds = buckets.iter().map(|(bound, _)| *bound).filter(|bound| bound.is_finite());
    let before = [0].into_iter().chain(buckets.iter().map(|(_, count)| *count));
    let counts = buckets.iter().zip(before);
    HistogramDataPoint {
        attributes: attributes(labels),
        start_time_unix_nano: nanoseconds(start),
        time_unix_nano: nanoseconds(time),
        count,
        sum: Some(sum),
        explicit_bounds: bounds.collect(),
        bucket_counts: counts.map(|((_, upto), before)| upto.saturating_sub(before)).collect(),
        ..HistogramDataPoint::default()
    }
}

fn attributes(labels: Labels) -> Vec<KeyValue> {
    labels.into_iter().map(|(name, value)| text_attribute(&name, value)).collect()
}

pub(in crate::otlp) fn nanoseconds(time: SystemTime) -> u64 {
    let elapsed = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
