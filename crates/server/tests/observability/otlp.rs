//! Metrics and records of the log that a collector receives.

use std::net::TcpListener;

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{AggregationTemporality, Metric, NumberDataPoint};

use crate::collector::{Collector, text, value};
use crate::observability::metrics::{address, scrape};
use crate::observability::openmetrics::Series;
use crate::program::{Folder, PATIENCE, Server, thalweg};
use crate::served::happens_within;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const ARTIST: &str = r#"{"query":"query Named { artistById(id: 127) { id } }"}"#;

fn demo(folder: &Folder, environment: &[(&str, &str)], options: &[&str]) -> Server {
    let file = folder.file("shop.db");
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    Server::start_in(environment, &[&arguments, options].concat())
}

fn stop(server: &mut Server) {
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key(name: &str, attributes: &[KeyValue]) -> String {
    let labels = attributes.iter().map(|attribute| {
        let value = text(attribute.value.as_ref()).replace('\\', "\\\\").replace('"', "\\\"");
        format!("{}=\"{value}\"", attribute.key)
    });
    let labels: Vec<_> = labels.collect();
    match labels.is_empty() {
        true => name.to_owned(),
        false => format!("{name}{{{}}}", labels.join(",")),
    }
}

fn number(point: &NumberDataPoint) -> f64 {
    match point.value.unwrap() {
        Value::AsDouble(value) => value,
        Value::AsInt(value) => value as f64,
    }
}

/// A message of metrics as the series of the text.
fn series(metrics: &[Metric]) -> Series {
    let mut series = Series::new();
    for metric in metrics {
        assert!(!metric.description.is_empty(), "{}", metric.name);
        let name = &*metric.name;
        match metric.data.as_ref().unwrap() {
            Data::Gauge(gauge) => {
                series.extend(gauge.data_points.iter().map(|point| {
                    assert_eq!(point.start_time_unix_nano, 0);
                    (key(name, &point.attributes), number(point))
                }));
            }
            Data::Sum(sum) => {
                assert_eq!(sum.aggregation_temporality(), AggregationTemporality::Cumulative);
                let suffix = if sum.is_monotonic { "_total" } else { "" };
                for point in &sum.data_points {
                    assert!(point.start_time_unix_nano > 0);
                    assert!(point.start_time_unix_nano < point.time_unix_nano);
                    let name = [name, suffix].concat();
                    series.insert(key(&name, &point.attributes), number(point));
                }
            }
            Data::Histogram(histogram) => {
                assert_eq!(histogram.aggregation_temporality(), AggregationTemporality::Cumulative);
                assert_eq!(metric.unit, "s");
                for point in &histogram.data_points {
                    assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
                    assert_eq!(point.bucket_counts.iter().sum::<u64>(), point.count, "{name}");
                    let of = |suffix: &str| key(&[name, suffix].concat(), &point.attributes);
                    series.insert(of("_count"), point.count as f64);
                    series.insert(of("_sum"), point.sum.unwrap());
                    let bounds = point.explicit_bounds.iter().map(|bound| format!("{bound:?}"));
                    let bounds = bounds.chain(["+Inf".to_owned()]);
                    let mut upto = 0;
                    for (bound, count) in bounds.zip(&point.bucket_counts) {
                        upto += count;
                        let bound = format!("le=\"{bound}\"");
                        let bucket = of("_bucket").replacen('{', &format!("{{{bound},"), 1);
                        series.insert(bucket, upto as f64);
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    series
}

/// Series that change without a request.
fn is_of_requests(name: &str) -> bool {
    !name.starts_with("process_") && !name.contains("memory_bytes") && !name.contains("clients")
}

#[test]
fn a_collector_gets_the_metrics_of_a_scrape() {
    let collector = Collector::start();
    let folder = Folder::new();
    let url = collector.url();
    let options = ["--otlp-endpoint", &url, "--otlp-signals", "metrics", "--metrics-listen"];
    let mut server = demo(&folder, &[], &[&options[..], &["127.0.0.1:0"]].concat());
    for _ in 0..3 {
        assert_eq!(server.post("", ARTIST).status, 200);
    }
    assert_eq!(server.query("", "{ noSuchField }").status, 200);
    let scraped = scrape(address(&server.said));
    stop(&mut server);
    collector.look(|told| {
        assert_eq!(told.metrics.len(), 1, "the interval is a minute, and the end sends the rest");
        assert!(told.heads.iter().all(|head| head.starts_with("post /v1/metrics ")));
        assert!(told.spans.is_empty());
        let sent = series(&told.metrics[0]);
        let named = r#"thalweg_request_duration_seconds_count{operation="Named"}"#;
        assert_eq!(sent[named], 3.0);
        for (name, value) in scraped.iter().filter(|(name, _)| is_of_requests(name)) {
            assert_eq!(sent.get(name), Some(value), "{name}");
        }
        let names = |series: &Series| series.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&sent), names(&scraped));
        let unit = |name: &str| {
            let metric = told.metrics[0].iter().find(|metric| metric.name == name);
            metric.map(|metric| metric.unit.clone())
        };
        assert_eq!(unit("thalweg_response_bytes").as_deref(), Some("By"));
        assert_eq!(unit("thalweg_requests").as_deref(), Some(""));
        assert_eq!(unit("thalweg_build_info").as_deref(), Some(""));
    });
}

#[test]
fn metrics_are_sent_in_intervals_without_an_address_of_their_own() {
    // The first message is refused; its counts come with the next one.
    let collector = Collector::refusing(&[503]);
    let folder = Folder::new();
    let url = collector.url();
    let environment = [
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", &*format!("{url}/v1/metrics")),
        ("OTEL_METRIC_EXPORT_INTERVAL", "50"),
        ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-key=a%20b"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
    ];
    let server = demo(&folder, &environment, &[]);
    assert_eq!(server.post("", ARTIST).status, 200);
    let requests = || {
        collector.look(|told| {
            let counted = |metrics: &Vec<Metric>| {
                let series = series(metrics);
                series.get(r#"thalweg_requests_total{kind="query",status="200"}"#).copied()
            };
            told.metrics.iter().filter_map(counted).collect::<Vec<_>>()
        })
    };
    assert!(happens_within(PATIENCE, || requests().len() > 2));
    assert!(requests().iter().all(|count| *count == 1.0));
    collector.look(|told| {
        assert!(told.heads[0].contains("x-key: a b"), "{}", told.heads[0]);
        assert!(told.heads[0].contains("content-encoding: gzip"), "{}", told.heads[0]);
    });
}

fn with_id<'r>(records: &'r [LogRecord], id: &str) -> &'r LogRecord {
    let of_id =
        |record: &&LogRecord| value(&record.attributes, "request_id").as_deref() == Some(id);
    records.iter().find(of_id).unwrap_or_else(|| panic!("{id}: {records:?}"))
}

#[test]
fn records_of_the_log_belong_to_the_spans_of_their_requests() {
    let collector = Collector::start();
    let folder = Folder::new();
    let url = collector.url();
    let options = ["--otlp-endpoint", &url, "--otlp-signals", "traces,logs", "--log-requests=all"];
    let mut server = demo(&folder, &[], &[&options[..], &["--trace-ratio=0"]].concat());
    let headers = |id: &str, flags: &str| {
        format!("X-Request-Id: {id}\r\ntraceparent: 00-{TRACE}-{PARENT}-{flags}\r\n")
    };
    assert_eq!(server.post(&headers("sampled", "01"), ARTIST).status, 200);
    assert_eq!(server.post(&headers("unsampled", "00"), ARTIST).status, 200);
    assert_eq!(server.post("X-Request-Id: alone\r\n", ARTIST).status, 200);
    assert_eq!(server.get("/nothing", &headers("nowhere", "01")).status, 404);
    stop(&mut server);
    let log = server.rest_of_log();
    collector.look(|told| {
        let [root] =
            &told.spans.iter().filter(|span| span.name == "POST /graphql").collect::<Vec<_>>()[..]
        else {
            panic!("{:?}", told.spans)
        };
        let sampled = with_id(&told.records, "sampled");
        assert_eq!((&*hex(&sampled.trace_id), &sampled.span_id), (TRACE, &root.span_id));
        assert_eq!((sampled.flags, &*sampled.severity_text), (1, "INFO"));
        assert_eq!(
            (sampled.severity_number, &*text(sampled.body.as_ref())),
            (9, "request answered")
        );
        let attribute = |name: &str| value(&sampled.attributes, name);
        assert_eq!(attribute("operation").as_deref(), Some("Named"));
        assert_eq!(attribute("status").as_deref(), Some("200"));
        let unsampled = with_id(&told.records, "unsampled");
        assert_eq!((&*hex(&unsampled.trace_id), unsampled.flags), (TRACE, 0));
        assert!(![&*sampled.span_id, &[]].contains(&&*unsampled.span_id));
        // A new trace has an id, too, whether it is sampled or not.
        let alone = with_id(&told.records, "alone");
        assert!(alone.trace_id.len() == 16 && hex(&alone.trace_id) != TRACE, "{alone:?}");
        assert!(with_id(&told.records, "nowhere").trace_id.is_empty());
        // The records are those of the log. The first lines were written before the exporter started.
        let bodies: Vec<_> = told.records.iter().map(|record| text(record.body.as_ref())).collect();
        let lines = log.lines().filter(|line| line.contains("request answered")).count();
        let records = bodies.iter().filter(|body| *body == "request answered").count();
        assert_eq!((lines, records), (4, 4), "{log}");
        assert!(bodies.iter().any(|body| body.starts_with("serving at ")), "{bodies:?}");
    });
}

#[test]
fn records_belong_to_the_callers_span_where_no_traces_are_sent() {
    let collector = Collector::start();
    let folder = Folder::new();
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url()),
        ("OTEL_LOGS_EXPORTER", "otlp"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ];
    let mut server = demo(&folder, &environment, &["--log-requests=all"]);
    let headers = format!("X-Request-Id: called\r\ntraceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert_eq!(server.post(&headers, ARTIST).status, 200);
    assert_eq!(server.post("X-Request-Id: alone\r\n", ARTIST).status, 200);
    stop(&mut server);
    collector.look(|told| {
        let called = with_id(&told.records, "called");
        assert_eq!((&*hex(&called.trace_id), &*hex(&called.span_id)), (TRACE, PARENT));
        assert!(with_id(&told.records, "alone").trace_id.is_empty());
        assert!(told.spans.is_empty() && told.metrics.is_empty());
    });
}

#[test]
fn records_wait_for_a_collector_that_is_not_available() {
    let collector = Collector::refusing(&[503]);
    let folder = Folder::new();
    let url = collector.url();
    let options = ["--otlp-endpoint", &url, "--otlp-signals=logs", "--log-requests=all"];
    let environment = [("OTEL_BLRP_SCHEDULE_DELAY", "20")];
    let options = [&options[..], &["--metrics-listen=127.0.0.1:0", "--log=debug"]].concat();
    let mut server = demo(&folder, &environment, &options);
    for id in ["a", "b", "c"] {
        assert_eq!(server.post(&format!("X-Request-Id: {id}\r\n"), ARTIST).status, 200);
    }
    let has_all = || {
        collector.look(|told| {
            told.records
                .iter()
                .any(|record| value(&record.attributes, "request_id").as_deref() == Some("c"))
        })
    };
    assert!(happens_within(PATIENCE, has_all));
    let metrics = address(&server.said);
    let sent = || scrape(metrics)[r#"thalweg_log_records_total{outcome="sent"}"#];
    assert!(happens_within(PATIENCE, || sent() >= 3.0));
    assert_eq!(scrape(metrics)[r#"thalweg_log_records_total{outcome="failed"}"#], 0.0);
    stop(&mut server);
    let log = server.rest_of_log();
    assert_eq!(log.matches("logs do not reach the collector").count(), 1, "{log}");
    collector.look(|told| {
        for id in ["a", "b", "c"] {
            let of_id = |record: &&LogRecord| {
                value(&record.attributes, "request_id").as_deref() == Some(id)
                    && text(record.body.as_ref()) == "request answered"
            };
            assert_eq!(told.records.iter().filter(of_id).count(), 1, "{id}");
        }
        // What is said about the export stays in the log.
        let about = |record: &&LogRecord| text(record.body.as_ref()).contains("collector");
        assert_eq!(told.records.iter().filter(about).count(), 0, "{:?}", told.records);
    });
}

#[test]
fn a_collector_that_refuses_or_is_away_costs_no_request() {
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let away = format!("http://{away}");
    let refusing = Collector::refusing(&[400; 1_000]);
    for url in [away, refusing.url()] {
        let folder = Folder::new();
        let options = ["--otlp-endpoint", &url, "--otlp-signals=metrics,logs"];
        let more = ["--otlp-metrics-interval=20ms", "--log-requests=all", "--log=debug"];
        let environment = [("OTEL_BLRP_SCHEDULE_DELAY", "20")];
        let mut server = demo(&folder, &environment, &[&options[..], &more].concat());
        for _ in 0..100 {
            assert_eq!(server.post("", ARTIST).status, 200);
        }
        stop(&mut server);
        let log = server.rest_of_log();
        for signal in ["metrics", "logs"] {
            let line = format!("{signal} do not reach the collector");
            assert_eq!(log.matches(&line).count(), 1, "{log}");
        }
    }
}

#[test]
fn wrong_settings_of_the_export_are_refused() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let check = |environment: &[(&str, &str)], options: &[&str], expected: &str| {
        let arguments = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
        let mut command = thalweg(&[&arguments[..], options].concat());
        let output = command.envs(environment.iter().copied()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(expected), "{error}");
        assert!(!error.contains("secret"), "{error}");
    };
    let collector = "--otlp-endpoint=http://127.0.0.1:1";
    check(&[], &["--otlp-signals=metrics"], "name it by `--otlp-endpoint http://HOST:4318`");
    check(&[], &[collector, "--otlp-signals=spans"], "[possible values: traces, metrics, logs]");
    let console = [("OTEL_LOGS_EXPORTER", "console")];
    check(&console, &[collector], "OTEL_LOGS_EXPORTER is `console`; write `otlp` or `none`");
    let metrics = [collector, "--otlp-signals=metrics"];
    let interval = [("OTEL_METRIC_EXPORT_INTERVAL", "1m")];
    check(&interval, &metrics, "a number of milliseconds is wanted");
    let zstd = [("OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "zstd")];
    check(&zstd, &metrics, "write `gzip` or `none`");
    let headers = [("OTEL_EXPORTER_OTLP_HEADERS", "x key=secret")];
    check(&headers, &metrics, "write headers as NAME=VALUE,NAME=VALUE");
    // Traces have the same rules, although a library sends them.
    check(&headers, &[collector], "write headers as NAME=VALUE,NAME=VALUE");
    for (variable, value, expected) in [
        ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd", "write `gzip` or `none`"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "a number of milliseconds is wanted"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "write `http/protobuf`"),
        ("OTEL_BSP_SCHEDULE_DELAY", "1s", "a number of milliseconds is wanted"),
        // The address of one signal comes before that of all.
        ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "logs:4318", "is not the address of a collector"),
    ] {
        check(&[(variable, value)], &[collector], expected);
    }
}
