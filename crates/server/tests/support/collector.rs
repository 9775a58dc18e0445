//! A collector that keeps what it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// What was told so far.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) spans: Vec<Span>,
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
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let told = Arc::new(Mutex::new(Told::default()));
        let teller = Arc::clone(&told);
        // It ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming() {
                receive(stream.unwrap(), &teller);
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
fn receive(mut stream: TcpStream, told: &Mutex<Told>) {
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
    let request = ExportTraceServiceRequest::decode(&*body).unwrap();
    let mut told = told.lock().unwrap();
    told.heads.push(head);
    for resource in request.resource_spans {
        let attributes = resource.resource.map(|resource| resource.attributes).unwrap_or_default();
        told.resource.extend(attributes.iter().map(written));
        for scope in resource.scope_spans {
            told.spans.extend(scope.spans);
        }
    }
    drop(told);
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\
        Content-Length: 0\r\n\r\n";
    stream.write_all(answer).unwrap();
}

fn written(attribute: &KeyValue) -> String {
    format!("{}={}", attribute.key, text(attribute.value.as_ref()))
}

/// An attribute of a span.
pub(crate) fn attribute(span: &Span, name: &str) -> Option<String> {
    let attribute = span.attributes.iter().find(|attribute| attribute.key == name)?;
    Some(text(attribute.value.as_ref()))
}

fn text(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}
