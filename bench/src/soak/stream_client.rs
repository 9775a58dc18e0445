//! A client over HTTP/2 with several requests at a time, which opens a connection again and again.

use std::net::Ipv4Addr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use super::clients;
use super::ledger::{Kind, Ledger};
use super::site::ITEMS;
use crate::background::Stop;

/// Requests at a time.
const STREAMS: u32 = 4;
/// Times that a connection sends them.
const TURNS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

type Failure = Box<dyn std::error::Error>;

pub(super) fn run(port: u16, ledger: &Ledger, number: u32, stop: &Stop) {
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
        ledger.problem("no runtime for the client of HTTP/2".to_owned());
        return;
    };
    let mut step = number;
    while !stop.is_set() {
        step = step.wrapping_add(TURNS * STREAMS);
        let was_disturbed = ledger.is_disturbed();
        if let Err(error) = runtime.block_on(connect(port, ledger, step, stop)) {
            ledger.error(Kind::Http2, was_disturbed, &error.to_string());
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

async fn connect(port: u16, ledger: &Ledger, first: u32, stop: &Stop) -> Result<(), Failure> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
    let driver = tokio::spawn(connection);
    for turn in 0..TURNS {
        if stop.is_set() {
            break;
        }
        let start = first.wrapping_add(turn * STREAMS);
        let ask = |place: u32| ask(sender.clone(), ledger, start.wrapping_add(place));
        tokio::try_join!(ask(0), ask(1), ask(2), ask(3))?;
        tokio::time::sleep(PAUSE).await;
    }
    drop(sender);
    driver.await??;
    Ok(())
}

async fn ask(
    mut sender: SendRequest<Full<Bytes>>,
    ledger: &Ledger,
    step: u32,
) -> Result<(), Failure> {
    let (query, expected) = clients::item(step % ITEMS + 1);
    let was_disturbed = ledger.is_disturbed();
    let body = Bytes::from(json!({ "query": query }).to_string());
    let request = Request::post("http://localhost/graphql")
        .header("content-type", "application/json")
        .body(Full::new(body))?;
    sender.ready().await?;
    let body = sender.send_request(request).await?.into_body().collect().await?.to_bytes();
    match clients::code(&body) {
        Some(code) => ledger.error(Kind::Http2, was_disturbed, &code),
        None => {
            ledger.count(Kind::Http2);
            let answer: Value = serde_json::from_slice(&body)?;
            if answer["data"] != expected {
                ledger.problem(format!("HTTP/2: {query} returned {answer}"));
            }
        }
    }
    Ok(())
}
