//! A collector that keeps what it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use flate2::read::GzDecoder;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// What was told so far.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) spans: Vec<Span>,
    /// The messages of metrics.
    pub(crate) metrics: Vec<Vec<Metric>>,
    pub(crate) records: Vec<LogRecord>,
    /// Of the process, as `name=value`.
    pub(crate) resource: Vec<String>,
    /// The first lines and the headers of all requests.
    pub(crate) heads: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Collector {
    pub(crate) address: SocketAddr,
    told: Arc<Mutex<Told>>,
}

impl Collector {
    pub(crate) fn start() -> Self {
        Self::refusing(&[])
    }

    /// A collector that answers the first requests with these statuses, and keeps nothing of them.
    pub(crate) fn refusing(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let told = Arc::new(Mutex::new(Told::default()));
        let teller = Arc::clone(&told);
        // It ends with the test's process.
        thread::spawn(move || {
            let mut statuses = statuses.iter();
            for stream in listener.incoming() {
                receive(stream.unwrap(), &teller, statuses.next().copied());
            }
        });
        Self { address, told }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn look<T>(&self, look: impl FnOnce(&Told) -> T) -> T {
        look(&self.told.lock().unwrap())
    }
}

/// One batch.
fn receive(mut stream: TcpStream, told: &Mutex<Told>, refusal: Option<u16>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 {
            return;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&lower);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    if head.contains("content-encoding: gzip") {
        let mut plain = Vec::new();
        GzDecoder::new(&*body).read_to_end(&mut plain).unwrap();
        body = plain;
    }
    let mut told = told.lock().unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    told.heads.push(head);
    let status = match refusal {
        Some(status) => format!("{status} Refused"),
        None => {
            told.take(&path, &body);
            "200 OK".to_owned()
        }
    };
    drop(told);
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).unwrap();
}

impl Told {
    fn take(&mut self, path: &str, body: &[u8]) {
        match path {
            "/v1/metrics" => {
                for resource in ExportMetricsServiceRequest::decode(body).unwrap().resource_metrics
                {
                    self.describe(resource.resource);
                    let metrics =
                        resource.scope_metrics.into_iter().flat_map(|scope| scope.metrics);
                    self.metrics.push(metrics.collect());
                }
            }
            "/v1/logs" => {
                for resource in ExportLogsServiceRequest::decode(body).unwrap().resource_logs {
                    self.describe(resource.resource);
                    let logs = resource.scope_logs.into_iter();
                    self.records.extend(logs.flat_map(|scope| scope.log_records));
                }
            }
            _ => {
                for resource in ExportTraceServiceRequest::decode(body).unwrap().resource_spans {
                    self.describe(resource.resource);
                    let spans = resource.scope_spans.into_iter();
                    self.spans.extend(spans.flat_map(|scope| scope.spans));
                }
            }
        }
    }

    fn describe(&mut self, resource: Option<Resource>) {
        let attributes = resource.map(|resource| resource.attributes).unwrap_or_default();
        self.resource.extend(attributes.iter().map(written));
    }
}

fn written(attribute: &KeyValue) -> String {
    format!("{}={}", attribute.key, text(attribute.value.as_ref()))
}

/// An attribute of a span.
pub(crate) fn attribute(span: &Span, name: &str) -> Option<String> {
    value(&span.attributes, name)
}

/// The value of an attribute.
pub(crate) fn value(attributes: &[KeyValue], name: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.key == name)?;
    Some(text(attribute.value.as_ref()))
}

pub(crate) fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}
