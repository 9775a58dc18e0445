//! Bodies of requests take memory of their own, and slow ones give it up, with their places.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::program::{Answer, PATIENCE, Server, post, read_answer};

const MEBIBYTE: usize = 1 << 20;
const QUERY: &str = r#"{"query":"{ artistById(id: 127) { id } }""#;
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;

/// How long a body is not slow, and a bit more.
const SLOW: Duration = Duration::from_millis(1_200);

/// The same where the place of a client is needed.
const SLOW_FOR_A_PLACE: Duration = Duration::from_millis(5_200);

/// A valid body of so many bytes.
fn body(length: usize) -> String {
    format!("{QUERY}{}}}", " ".repeat(length - QUERY.len() - 1))
}

/// What the metrics say that bodies hold.
fn held(server: &Server) -> usize {
    let rest = server.said.split("metrics at http://").nth(1).unwrap();
    let address: SocketAddr = rest.split('/').next().unwrap().parse().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let text = read_answer(&mut BufReader::new(stream), true).body;
    let line = text.lines().find_map(|line| line.strip_prefix("thalweg_request_memory_bytes "));
    line.unwrap().parse::<f64>().unwrap() as usize
}

fn happens(what: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if what() {
            return true;
        }
        sleep(Duration::from_millis(10));
    }
    false
}

fn server(options: &[&str]) -> Server {
    let usual = ["--threads", "2", "--metrics-listen", "127.0.0.1:0"];
    Server::start_sample(&[&usual, options].concat())
}

/// Sends a part of a body that never ends.
fn begin(server: &Server, announced: usize, sent: usize) -> TcpStream {
    let mut stream = server.connect();
    let head = format!(
        "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: {announced}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body(announced).as_bytes()[..sent]).unwrap();
    stream
}

fn refusal(stream: TcpStream) -> (u16, String) {
    let answer = read_answer(&mut BufReader::new(stream), true);
    (answer.status, code(&answer))
}

fn code(answer: &Answer) -> String {
    let rest = answer.body.split("\"code\":\"").nth(1).unwrap_or_default();
    rest.split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn bodies_that_never_end_take_no_more_than_their_budget_and_nobody_elses_place() {
    let server = server(&["--request-memory", "8MiB"]);
    // Each would hold more than a mebibyte.
    let unfinished: Vec<_> = (0..40).map(|_| begin(&server, MEBIBYTE, MEBIBYTE - 10)).collect();
    assert!(happens(|| held(&server) > 4 * MEBIBYTE));
    assert!(held(&server) <= 8 * MEBIBYTE, "{}", held(&server));
    sleep(SLOW);
    // One that comes as a whole is answered, again and again.
    for _ in 0..4 {
        let answer = server.send(post("application/json", "", &body(MEBIBYTE / 2)).as_bytes());
        assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
        assert!(held(&server) <= 8 * MEBIBYTE, "{}", held(&server));
    }
    // Some were refused, and are told so though they do not end, and some have made room.
    sleep(Duration::from_millis(2_500));
    let mut codes = Vec::new();
    for stream in &unfinished {
        stream.set_nonblocking(true).unwrap();
        let mut bytes = [0; 600];
        let mut stream = stream;
        if let Ok(count @ 1..) = stream.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
            for (status, code) in [("503", "REQUEST_MEMORY_EXHAUSTED"), ("408", "BODY_TOO_SLOW")] {
                if text.starts_with(&format!("HTTP/1.1 {status}")) && text.contains(code) {
                    codes.push(code);
                }
            }
        }
    }
    assert!(codes.contains(&"REQUEST_MEMORY_EXHAUSTED"), "{codes:?}");
    drop(unfinished);
    assert!(happens(|| held(&server) == 0));
}

#[test]
fn the_slowest_body_makes_room_for_a_faster_one() {
    let server = server(&["--request-memory", "2560KiB"]);
    let slower = begin(&server, MEBIBYTE, MEBIBYTE / 4);
    sleep(SLOW);
    let slow = begin(&server, MEBIBYTE, MEBIBYTE / 2);
    assert!(happens(|| held(&server) > MEBIBYTE / 2));
    sleep(SLOW);
    // Parsed it takes more than is left beside the two.
    let full = body(MEBIBYTE);
    let answer = server.send(post("application/json", "", &full).as_bytes());
    assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
    assert_eq!(refusal(slower), (408, "BODY_TOO_SLOW".to_owned()));
    drop(slow);
    assert!(happens(|| held(&server) == 0));
}

#[test]
fn bodies_that_never_end_do_not_hold_the_places_of_clients() {
    // A thread evicts the slowest of its own connections.
    let server = Server::start_sample(&["--threads", "1", "--max-clients", "5"]);
    let unfinished: Vec<_> = (0..5).map(|_| begin(&server, 1_000, 100)).collect();
    // The one that has sent the least for its time.
    let begun = [begin_more(&unfinished[1]), begin_more(&unfinished[3])];
    assert_eq!(begun, [(), ()]);
    sleep(SLOW_FOR_A_PLACE);
    for _ in 0..2 {
        let answer = server.send(post("application/json", "", &body(200)).as_bytes());
        assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
    }
    let told = unfinished.into_iter().enumerate().filter_map(|(place, stream)| {
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let mut text = String::new();
        let mut stream = stream;
        let mut bytes = [0; 600];
        let count = stream.read(&mut bytes).unwrap_or(0);
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        (count > 0).then(|| {
            assert!(text.starts_with("HTTP/1.1 408"), "{text}");
            assert!(text.contains("BODY_TOO_SLOW") && text.contains("connection: close"), "{text}");
            place
        })
    });
    let told: Vec<_> = told.collect();
    assert!(!told.is_empty() && told.iter().all(|place| ![1, 3].contains(place)), "{told:?}");
}

fn begin_more(mut stream: &TcpStream) {
    stream.write_all(&[b' '; 500]).unwrap();
}

#[test]
fn a_length_that_is_announced_and_not_sent_holds_nothing() {
    let server = server(&["--request-memory", "1MiB"]);
    let liars: Vec<_> = (0..20).map(|_| begin(&server, MEBIBYTE, 100)).collect();
    let answer = server.send(post("application/json", "", &body(100_000)).as_bytes());
    assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
    assert!(happens(|| held(&server) == 0));
    drop(liars);
}

#[test]
fn a_body_in_chunks_is_counted_as_it_comes() {
    let server = server(&["--request-memory", "512KiB"]);
    let head = "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let text = body(100_000);
    for chunk in text.as_bytes().chunks(10_000) {
        stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).unwrap();
        stream.write_all(chunk).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    assert!(happens(|| (100_000..=512 << 10).contains(&held(&server))));
    stream.write_all(b"0\r\n\r\n").unwrap();
    let answer = read_answer(&mut BufReader::new(stream), true);
    assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
    assert!(happens(|| held(&server) == 0));
    // More than all bodies may take is refused, however large one may be.
    let answer = server.send(post("application/json", "", &body(MEBIBYTE)).as_bytes());
    assert_eq!((answer.status, &*code(&answer)), (503, "REQUEST_MEMORY_EXHAUSTED"));
    assert_eq!(answer.header("retry-after"), Some("1"));
}

/// Where nobody needs its memory or its place, a body has no more than its time.
#[test]
fn a_body_that_trickles_is_not_waited_for_without_end() {
    let server = server(&["--body-timeout", "300ms"]);
    for (length, head) in
        [("Content-Length: 1000000\r\n", ""), ("Transfer-Encoding: chunked\r\n", "1\r\n")]
    {
        let mut stream = server.connect();
        let request = format!(
            "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n{length}\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut sender = stream.try_clone().unwrap();
        let end = if head.is_empty() { "" } else { "\r\n" };
        let trickle = std::thread::spawn(move || {
            // Until the server has ended the connection.
            let mut sent = 0;
            while sender.write_all([head, " ", end].concat().as_bytes()).is_ok() {
                sent += 1;
                assert!(sent < 2_000, "the body is waited for");
                sleep(Duration::from_millis(10));
            }
        });
        assert_eq!(refusal(stream), (408, "BODY_TIMEOUT".to_owned()));
        trickle.join().unwrap();
    }
}

#[test]
fn what_a_compressed_body_becomes_is_counted() {
    let server = server(&["--request-memory", "1MiB"]);
    let bomb = zstd::encode_all(body(900_000).as_bytes(), 3).unwrap();
    assert!(bomb.len() < 1_000);
    let headers = "Content-Type: application/json\r\nContent-Encoding: zstd\r\n";
    let answer = server.send(&crate::program::post_bytes(headers, &bomb));
    assert_eq!((answer.status, &*code(&answer)), (503, "REQUEST_MEMORY_EXHAUSTED"));
    let small = zstd::encode_all(body(100_000).as_bytes(), 3).unwrap();
    let answer = server.send(&crate::program::post_bytes(headers, &small));
    assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
    assert!(happens(|| held(&server) == 0));
}

#[test]
fn a_token_that_is_not_valid_is_refused_before_the_body_is_read() {
    let secret = "a secret of thirty-two characters";
    let server = server(&["--jwt-secret", secret, "--require-token"]);
    let mut stream = server.connect();
    let head = format!(
        "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Authorization: Bearer a.b.c\r\nExpect: 100-continue\r\nContent-Length: {MEBIBYTE}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It is not asked to go on.
    let answer = read_answer(&mut BufReader::new(stream), true);
    assert_eq!((answer.status, &*code(&answer)), (401, "UNAUTHENTICATED"));
    assert_eq!(held(&server), 0);
}

#[test]
fn values_of_variables_are_not_in_the_log() {
    let mut server = Server::start_sample(&["--log-requests", "all"]);
    let secret = "the-password-of-somebody";
    let query = r#"query ($a: [Int!]!) { allArtistsList(first: 1) { id } b: artistById(id: 1) { id } c: allArtists(filter: {id: {in: $a}}) { totalCount } }"#;
    let bodies = [
        format!(
            r#"{{"query":"query ($a: Int!) {{ artistById(id: $a) {{ id }} }}","variables":{{"a":"{secret}"}}}}"#
        ),
        format!(r#"{{"query":"{query}","variables":{{"a":[1,"{secret}"]}}}}"#),
        format!(
            r#"{{"query":"query ($a: ArtistCondition) {{ allArtists(condition: $a) {{ totalCount }} }}","variables":{{"a":{{"{secret}":1,"id":"{secret}"}}}}}}"#
        ),
    ];
    for body in &bodies {
        let answer = server.send(post("application/json", "", body).as_bytes());
        assert!(answer.body.contains("\"errors\""), "{}", answer.body);
    }
    server.signal("TERM");
    let log = server.rest_of_log();
    assert!(!log.contains(secret), "{log}");
    assert!(
        log.contains(r#"Variable \\\"$a\\\" of type \\\"Int!\\\" got an invalid value."#),
        "{log}"
    );
}
