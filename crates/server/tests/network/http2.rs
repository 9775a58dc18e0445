//! HTTP/2, with the client of another project and with curl.

use std::io::{BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use h2::client::SendRequest;
use h2::{Ping, PingPong};
use hyper::header::HeaderMap;
use hyper::{Request, StatusCode};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::network::certificates::{Algorithm, Authority};
use crate::network::frames;
use crate::network::site::{
    ENDLESS, LIVES, LONG, SHORT, SHORT_ANSWER, Site, ask, assert_answers, request,
};
use crate::program::{Folder, PATIENCE, read_answer};

const OPEN: &str = "http://localhost/graphql";

/// A connection of the client, with the task that drives it.
#[derive(Debug)]
struct Client {
    sender: SendRequest<Bytes>,
    pings: PingPong,
    driver: JoinHandle<Result<(), h2::Error>>,
}

/// The status, the headers and the body of a response.
type Received = (StatusCode, HeaderMap, Vec<u8>);

impl Client {
    async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let (sender, mut connection) = h2::client::handshake(stream).await.unwrap();
        let pings = connection.ping_pong().unwrap();
        let driver = tokio::spawn(connection);
        Self { sender, pings, driver }
    }

    /// Waits until the server has the frames sent so far. A ping overtakes frames that have not left, so
    /// the first one makes sure that they have, and the second one follows them.
    async fn flush(&mut self) {
        for _ in 0..2 {
            self.pings.ping(Ping::opaque()).await.unwrap();
        }
    }

    async fn of(site: &Site) -> Self {
        Self::connect(site.places[0].parse().unwrap()).await
    }

    /// Begins a POST, whose body is sent later.
    async fn begin(
        &self,
        uri: &str,
        headers: &[(&str, &str)],
    ) -> (h2::client::ResponseFuture, h2::SendStream<Bytes>) {
        let mut request = Request::post(uri).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut sender = self.sender.clone().ready().await.unwrap();
        sender.send_request(request.body(()).unwrap(), false).unwrap()
    }

    async fn send(
        &self,
        uri: &str,
        headers: &[(&str, &str)],
        query: &str,
    ) -> Result<Received, h2::Error> {
        let (response, mut body) = self.begin(uri, headers).await;
        body.send_data(query_body(query), true)?;
        receive(response).await
    }

    async fn query(&self, query: &str) -> Received {
        self.send(OPEN, &[], query).await.unwrap()
    }
}

fn query_body(query: &str) -> Bytes {
    serde_json::json!({ "query": query }).to_string().into()
}

async fn receive(response: h2::client::ResponseFuture) -> Result<Received, h2::Error> {
    let (head, mut body) = response.await?.into_parts();
    let mut bytes = Vec::new();
    while let Some(part) = body.data().await {
        let part = part?;
        body.flow_control().release_capacity(part.len())?;
        bytes.extend(part);
    }
    Ok((head.status, head.headers, bytes))
}

fn run(work: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await.unwrap() });
}

/// Waits without stopping the task of the client.
async fn eventually(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Reads events until one has this text.
async fn read_event(events: &mut h2::RecvStream, text: &str) {
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains(text) {
        received.extend(events.data().await.unwrap().unwrap());
    }
}

fn text(received: &Received) -> &str {
    std::str::from_utf8(&received.2).unwrap()
}

/// What curl prints with these arguments: the body, the version of HTTP and the status.
fn curl(arguments: &[&str]) -> String {
    let mut command = Command::new("curl");
    command.args(["-sS", "-w", " %{http_version} %{http_code}", "-m", "20"]).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn requests_over_one_connection_are_answered_side_by_side() {
    let site = Site::serve(&["--log-requests", "all"]);
    run(async {
        let client = Client::of(&site).await;
        let (first, body) = client.begin(OPEN, &[]).await;
        let received = join_all((0..50).map(|_| client.query(SHORT))).await;
        for received in &received {
            assert_eq!((received.0, text(received)), (StatusCode::OK, SHORT_ANSWER));
            assert_eq!(received.1["content-length"], SHORT_ANSWER.len().to_string());
            assert!(!received.1.contains_key("connection"), "{received:?}");
        }
        // One that began before them ends after them.
        let mut body = body;
        body.send_data(query_body(SHORT), true).unwrap();
        assert_eq!(text(&receive(first).await.unwrap()), SHORT_ANSWER);
        // More than the windows hold.
        let (status, _, bytes) = client.query(LONG).await;
        assert_eq!((status, bytes.len() > 8_000_000), (StatusCode::OK, true));
        assert_eq!(client.sender.current_max_send_streams(), 100);
    });
    assert_eq!(site.lines("method=POST version=\"2\"").len(), 52, "{}", site.log());
    site.assert_answers();
    assert!(site.log().contains("version=\"1.1\""), "{}", site.log());
}

#[test]
fn curl_speaks_it_with_prior_knowledge_and_over_tls() {
    let site = Site::serve(&[]);
    let url = format!("http://{}/health/live", site.places[0]);
    let expected = |version: &str| format!("{LIVES} {version} 200");
    assert_eq!(curl(&["--http2-prior-knowledge", &url]), expected("2"));
    let head = curl(&["--http2-prior-knowledge", "-I", &url]);
    let length = format!("content-length: {}\r\n", LIVES.len());
    assert!(head.contains(&length) && head.ends_with("\r\n\r\n 2 200"), "{head}");
    // No upgrade: such a request is answered as it is.
    assert_eq!(curl(&["--http2", &url]), expected("1.1"));
    assert_eq!(curl(&["--http1.1", &url]), expected("1.1"));

    let authority = Authority::new();
    for (switch, version) in [("on", "2"), ("off", "1.1")] {
        let folder = Folder::new();
        let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"));
        authority.sign(Algorithm::Ecdsa).write(&certificate, &key);
        let options = ["--tls-certificate", certificate.to_str().unwrap(), "--tls-key"];
        let options = [&options[..], &[key.to_str().unwrap(), "--http2", switch]].concat();
        let command = Site::command(&folder, &options);
        let site = Site::spawn(folder, command, 1);
        let url = format!("https://{}/health/live", site.places[0]);
        assert_eq!(curl(&["-k", "--http2", &url]), expected(version));
        assert_eq!(curl(&["-k", "--http1.1", &url]), expected("1.1"));
    }
}

#[test]
fn without_it_the_preface_is_no_request() {
    let site = Site::serve(&["--http2", "off"]);
    let mut stream = site.connect();
    stream.write_all(&frames::preface(1)).unwrap();
    assert_eq!(read_answer(&mut BufReader::new(stream), true).status, 400);
    site.assert_answers();
}

#[test]
fn a_preface_that_comes_byte_by_byte_is_known_and_one_that_breaks_off_is_a_slow_head() {
    let site = Site::serve(&["--header-timeout", "500ms"]);
    let mut stream = site.connect();
    for byte in frames::preface(65_535) {
        stream.write_all(&[byte]).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    stream.write_all(&frames::query(1, SHORT)).unwrap();
    let body = frames::read_until(&mut stream, |frame| frame.kind == frames::DATA).unwrap();
    assert_eq!(body.payload, SHORT_ANSWER.as_bytes());
    let mut half = site.connect();
    half.write_all(b"PRI * HT").unwrap();
    assert_eq!(read_answer(&mut BufReader::new(half), true).status, 408);
    // Requests of HTTP/1.1 that begin like the preface.
    let mut other = site.connect();
    other.write_all(b"PR").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let answer = ask(other, b"INT / HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!(answer.status, 405);
}

#[test]
fn the_host_is_that_of_the_authority() {
    let site = Site::serve(&[]);
    run(async {
        let client = Client::of(&site).await;
        let status = async |uri: &str, headers: &[(&str, &str)]| {
            client.send(uri, headers, SHORT).await.unwrap().0
        };
        assert_eq!(status(OPEN, &[("host", "localhost")]).await, StatusCode::OK);
        assert_eq!(status(OPEN, &[("host", "evil.example")]).await, StatusCode::BAD_REQUEST);
        let foreign = "http://evil.example/graphql";
        assert_eq!(status(foreign, &[]).await, StatusCode::MISDIRECTED_REQUEST);
        // A page of another origin.
        let origin = [("origin", "http://evil.example")];
        assert_eq!(status(OPEN, &origin).await, StatusCode::FORBIDDEN);
        assert_eq!(status(OPEN, &[("origin", "http://localhost")]).await, StatusCode::OK);
    });
}

#[test]
fn limits_of_heads_and_bodies_hold_for_streams() {
    let options = ["--max-header-size", "4KiB", "--max-body-size", "1KiB", "--body-timeout", "1s"];
    let site = Site::serve(&options);
    run(async {
        let client = Client::of(&site).await;
        let long = "a".repeat(5_000);
        let (status, ..) = client.send(OPEN, &[("x-long", &long)], SHORT).await.unwrap();
        assert_eq!(status, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        let (status, ..) = client.query(&" ".repeat(2_000)).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        // The slow one is refused while others are answered.
        let (slow, _body) = client.begin(OPEN, &[]).await;
        assert_eq!(text(&client.query(SHORT).await), SHORT_ANSWER);
        assert_eq!(receive(slow).await.unwrap().0, StatusCode::REQUEST_TIMEOUT);
        assert_eq!(text(&client.query(SHORT).await), SHORT_ANSWER);
    });
}

#[test]
fn more_streams_than_allowed_are_refused() {
    let site = Site::serve(&["--http2-max-streams", "2"]);
    let mut stream = site.connect();
    stream.write_all(&frames::preface(65_535)).unwrap();
    for id in [1, 3, 5] {
        let head = frames::frame(frames::HEADERS, frames::END_HEADERS, id, &frames::head(&[]));
        stream.write_all(&head).unwrap();
    }
    let refused = frames::read_until(&mut stream, |frame| frame.kind == frames::RST_STREAM);
    let refused = refused.unwrap();
    assert_eq!((refused.stream, refused.error()), (5, 7));
}

#[test]
fn an_event_stream_is_one_of_the_streams() {
    let site = Site::serve(&["--live-directive", "--live-interval", "100ms"]);
    run(async {
        let client = Client::of(&site).await;
        let accept = [("accept", "text/event-stream")];
        let (response, mut body) = client.begin(OPEN, &accept).await;
        let live = "query @live { allArtists { nodes { id } } }";
        body.send_data(query_body(live), true).unwrap();
        let mut events = response.await.unwrap().into_body();
        read_event(&mut events, r#""id":1"#).await;
        assert_eq!(text(&client.query(SHORT).await), SHORT_ANSWER);
        let file = site.folder.file("tables.db");
        let database = rusqlite::Connection::open(file).unwrap();
        database.execute_batch("INSERT INTO artist VALUES (2)").unwrap();
        read_event(&mut events, r#""id":2"#).await;
        // The server ends it when it stops, and then the connection.
        site.signal("TERM");
        while let Some(event) = events.data().await {
            event.unwrap();
        }
        client.driver.await.unwrap().unwrap();
    });
}

#[test]
fn streams_that_have_begun_are_answered_when_the_server_stops() {
    let mut site = Site::serve(&[]);
    run(async {
        let idle = Client::of(&site).await;
        idle.query(SHORT).await;
        let client = Client::of(&site).await;
        client.query(SHORT).await;
        let (begun, mut body) = client.begin(OPEN, &[]).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        site.signal("TERM");
        idle.driver.await.unwrap().unwrap();
        // The client hears that no further stream is accepted.
        let refused = loop {
            match client.sender.clone().ready().await {
                Ok(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                Err(error) => break error,
            }
        };
        assert!(refused.is_go_away() && refused.reason() == Some(h2::Reason::NO_ERROR));
        body.send_data(query_body(SHORT), true).unwrap();
        assert_eq!(text(&receive(begun).await.unwrap()), SHORT_ANSWER);
        client.driver.await.unwrap().unwrap();
    });
    assert!(site.wait().success(), "{}", site.log());
    assert!(!site.log().contains("closed before"), "{}", site.log());
}

#[test]
fn a_client_that_leaves_or_resets_a_stream_cancels_its_request() {
    let site = Site::serve(&["--log-requests", "all", "--threads", "1"]);
    run(async {
        let client = Client::of(&site).await;
        let (response, mut body) = client.begin(OPEN, &[]).await;
        body.send_data(query_body(ENDLESS), true).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        body.send_reset(h2::Reason::CANCEL);
        drop(response);
        let abandoned = || site.log().matches("request abandoned").count();
        eventually(|| abandoned() == 1).await;
        assert_eq!(text(&client.query(SHORT).await), SHORT_ANSWER);
        let (response, mut body) = client.begin(OPEN, &[]).await;
        body.send_data(query_body(ENDLESS), true).unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        client.driver.abort();
        drop((client.sender, body, response));
        eventually(|| abandoned() == 2).await;
    });
    site.assert_answers();
}

#[test]
fn idle_connections_and_those_of_silent_clients_end() {
    let site = Site::serve(&["--keep-alive-timeout", "300ms"]);
    run(async {
        let client = Client::of(&site).await;
        assert_eq!(text(&client.query(SHORT).await), SHORT_ANSWER);
        client.driver.await.unwrap().unwrap();
    });
    // The client learns that no request was lost.
    let mut idle = site.connect();
    idle.write_all(&frames::preface(65_535)).unwrap();
    let is_goaway = |frame: &frames::Frame| frame.kind == frames::GOAWAY;
    assert!(frames::read_until(&mut idle, is_goaway).is_some());
    // One that answers no ping, with a request that it does not complete.
    let site = Site::serve(&["--ping-interval", "1s"]);
    let mut silent = site.connect();
    silent.write_all(&frames::preface(65_535)).unwrap();
    let head = frames::frame(frames::HEADERS, frames::END_HEADERS, 1, &frames::head(&[]));
    silent.write_all(&head).unwrap();
    let is_ping = |frame: &frames::Frame| frame.kind == frames::PING && frame.flags == 0;
    assert!(frames::read_until(&mut silent, is_ping).is_some());
    silent.read_to_end(&mut Vec::new()).unwrap();
}

/// A field may be one byte that refers to a long one, so fields are counted.
#[test]
fn a_head_of_too_many_fields_is_refused() {
    let site = Site::serve(&[]);
    run(async {
        let client = Client::of(&site).await;
        let names: Vec<String> = (0..120).map(|number| format!("x-{number}")).collect();
        let fields: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "a")).collect();
        let (status, _, body) = client.send(OPEN, &fields, SHORT).await.unwrap();
        assert_eq!(status, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        assert!(String::from_utf8_lossy(&body).contains("HEADER_TOO_LARGE"), "{body:?}");
        assert_eq!(client.send(OPEN, &fields[..80], SHORT).await.unwrap().0, StatusCode::OK);
    });
}

/// Each stream takes memory before its body has come, so all streams of the process are counted.
#[test]
fn streams_beyond_the_limit_of_the_process_are_refused_until_others_end() {
    let site = Site::serve(&["--max-clients", "2", "--http2-max-streams", "8"]);
    run(async {
        let mut clients = [Client::of(&site).await, Client::of(&site).await];
        let mut open = Vec::new();
        for _ in 0..8 {
            open.push(clients[0].begin(OPEN, &[]).await);
        }
        clients[0].flush().await;
        let (response, mut body) = clients[1].begin(OPEN, &[]).await;
        let (status, _, text) = receive(response).await.unwrap();
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(String::from_utf8_lossy(&text).contains("OVERLOADED"), "{text:?}");
        body.send_reset(h2::Reason::CANCEL);
        for (response, mut body) in open {
            body.send_data(query_body(SHORT), true).unwrap();
            assert_eq!(receive(response).await.unwrap().0, StatusCode::OK);
        }
        assert_eq!(clients[1].query(SHORT).await.0, StatusCode::OK);
    });
    site.assert_answers();
}

#[test]
fn an_idle_connection_makes_room_and_a_busy_one_does_not() {
    let site = Site::serve(&["--max-clients", "1"]);
    run(async {
        let mut client = Client::of(&site).await;
        let (begun, mut body) = client.begin(OPEN, &[]).await;
        client.flush().await;
        let stream = site.connect();
        let other = spawn_blocking(move || ask(stream, &request(SHORT))).await.unwrap();
        assert_eq!(other.status, 503);
        body.send_data(query_body(SHORT), true).unwrap();
        assert_eq!(text(&receive(begun).await.unwrap()), SHORT_ANSWER);
        let stream = site.connect();
        spawn_blocking(move || assert_answers(stream)).await.unwrap();
        client.driver.await.unwrap().unwrap();
    });
}

#[test]
fn cookies_of_several_fields_are_one() {
    let secret = "0123456789abcdef0123456789abcdef";
    let options = ["--jwt-secret", secret, "--jwt-cookie", "session", "--require-token"];
    let site = Site::serve(&options);
    run(async {
        let client = Client::of(&site).await;
        let refuse = async |crumbs: &[(&str, &str)], reason: &str| {
            let (status, ..) = client.send(OPEN, crumbs, SHORT).await.unwrap();
            assert_eq!(status, StatusCode::UNAUTHORIZED);
            assert!(site.log().contains(reason), "{reason}: {}", site.log());
        };
        refuse(&[("cookie", "a=b"), ("cookie", "c=d")], "Credentials(Missing)").await;
        let found = [("cookie", "a=b"), ("cookie", "session=none"), ("cookie", "c=d")];
        refuse(&found, "Credentials(Invalid").await;
    });
}
