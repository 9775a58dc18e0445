//! Tokens over HTTP: which are taken, what the others are told, and what becomes of requests while
//! the issuer's keys change or cannot be had.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use testkit::tokens::{Curve, Issuer, encode, key_set};

use crate::program::{Answer, Folder, PATIENCE, Server, outcome, post, run};

const SECRET: &str = "a secret of more than thirty-two bytes";
const QUERY: &str = "{ __typename }";
const DATA: &str = r#"{"data":{"__typename":"Query"}}"#;

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn ask(server: &Server, token: &str) -> Answer {
    server.query(&format!("Authorization: Bearer {token}\r\n"), QUERY)
}

fn assert_taken(server: &Server, token: &str) {
    let answer = ask(server, token);
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (200, DATA),
        "{}",
        &token[..token.len().min(300)]
    );
}

fn assert_refused(answer: &Answer, status: u16, message: &str, code: &str) {
    let body =
        format!(r#"{{"errors":[{{"message":"{message}","extensions":{{"code":"{code}"}}}}]}}"#);
    assert_eq!((answer.status, answer.body.as_str()), (status, body.as_str()));
}

/// Whoever reaches the servers here is trusted with the reason.
fn assert_invalid(answer: &Answer) {
    let beginning = r#"{"errors":[{"message":"invalid token","extensions":{"code":"UNAUTHENTICATED","reason":""#;
    assert_eq!(answer.status, 401);
    assert!(answer.body.starts_with(beginning), "{}", answer.body);
    assert_eq!(answer.header("www-authenticate"), Some(r#"Bearer error="invalid_token""#));
}

fn good() -> String {
    Issuer::secret(SECRET).token(r#"{"aud":"postgraphile"}"#)
}

/// The sample with policies that allow everything to everybody: tokens mean something, and requests
/// without one are answered.
fn start_with_policies(options: &[&str]) -> (Folder, Server) {
    let folder = Folder::new();
    let (file, policies) = (folder.file("shop.db"), folder.file("policies.toml"));
    drop(Server::demo(&file));
    fs::write(&policies, "default_role = \"anybody\"\n[roles.anybody]\nall = true\n").unwrap();
    let (file, policies) = (file.to_str().unwrap(), policies.to_str().unwrap());
    let usual = ["serve", file, "--listen", "127.0.0.1:0", "--policies", policies];
    let server = Server::start(&[&usual, options].concat());
    (folder, server)
}

#[test]
fn a_token_of_the_secret_is_taken_and_others_are_told_why_not() {
    let (_folder, server) = start_with_policies(&["--jwt-secret", SECRET]);
    assert_taken(&server, &good());
    // Without a token somebody is nobody, and welcome.
    assert_eq!(server.query("", QUERY).body, DATA);
    let expired =
        Issuer::secret(SECRET).token(&format!(r#"{{"aud":"postgraphile","exp":{}}}"#, now() - 5));
    let answer = ask(&server, &expired);
    assert_refused(&answer, 401, "jwt expired", "UNAUTHENTICATED");
    assert_eq!(answer.header("www-authenticate"), Some(r#"Bearer error="invalid_token""#));
    assert_invalid(&ask(&server, &Issuer::secret(SECRET).token("{}")));
    assert_invalid(&ask(
        &server,
        &Issuer::secret("another secret").token(r#"{"aud":"postgraphile"}"#),
    ));
    let malformed = "The \\\"Authorization\\\" header must be one \\\"Bearer\\\" with a token.";
    for header in [
        "Authorization: Basic YTpi",
        "Authorization: Bearer",
        "Authorization: Bearer a b",
        "Authorization: Bearer a\r\nAuthorization: Bearer b",
        "Authorization: \u{e4}",
        "Authorization:",
    ] {
        let answer = server.query(&format!("{header}\r\n"), QUERY);
        assert_refused(&answer, 400, malformed, "BAD_USER_INPUT");
    }
}

#[test]
fn why_a_token_is_refused_is_told_where_everybody_is_trusted_and_to_the_log() {
    let other = Issuer::secret(SECRET).token(r#"{"aud":"shop"}"#);
    let unsigned = Issuer::secret("another secret").token(r#"{"aud":"postgraphile"}"#);
    let audience = "its audience is another: the claim \"aud\" has none of `postgraphile`; \
                    --jwt-verify-audience names others";
    let key = "no known key has signed it";
    let wanted = "tokens for the audience (\"aud\") `postgraphile` are accepted";

    let server = Server::start_sample(&["--jwt-secret", SECRET, "--require-token"]);
    assert!(server.said.contains(wanted), "{}", server.said);
    for (token, reason) in [(&other, audience), (&unsigned, key)] {
        let body: serde_json::Value = serde_json::from_str(&ask(&server, token).body).unwrap();
        let told = body["errors"][0]["extensions"]["reason"].as_str().unwrap();
        assert!(told.starts_with(reason), "{told}");
    }
    drop(server);

    let folder = Folder::new();
    let file = folder.file("shop.db");
    let file = file.to_str().unwrap();
    let words = ["demo", "--file", file, "--jwt-secret", SECRET, "--require-token"];
    let outside = ["--listen", "0.0.0.0:0"];
    let mut server = Server::start(&[&words[..], &outside].concat());
    for _ in 0..50 {
        assert_refused(&ask(&server, &other), 401, "invalid token", "UNAUTHENTICATED");
    }
    server.signal("TERM");
    let log = server.rest_of_log();
    let lines = log.lines().filter(|line| line.contains(" a token is refused"));
    let lines: Vec<&str> = lines.collect();
    // One in ten seconds.
    assert!(!lines.is_empty() && lines.len() < 10, "{log}");
    assert!(lines.iter().all(|line| line.contains("INFO") && line.contains("`postgraphile`")));

    // With --dev everybody is trusted there, too.
    let dev = Server::start(&[&words[..], &outside, &["--dev"]].concat());
    assert!(ask(&dev, &other).body.contains("its audience is another"));

    let any = ["--jwt-secret", SECRET, "--jwt-verify-audience", "*", "--require-token"];
    let any = Server::start_sample(&any);
    assert!(any.said.contains("tokens of any audience"), "{}", any.said);
    let without = Server::sample();
    assert!(!without.said.contains("are accepted"), "{}", without.said);
}

#[test]
fn hostile_tokens_are_refused_and_the_server_goes_on() {
    let folder = Folder::new();
    let (rsa, curve) = (Issuer::rsa(), Issuer::curve(Curve::P256));
    let file = folder.file("keys.pem");
    fs::write(&file, [rsa.pem(), curve.pem()].concat()).unwrap();
    let file = file.to_str().unwrap();
    let options = ["--jwt-public-key", file, "--jwt-verify-audience", "me", "--require-token"];
    let server = Server::start_sample(&options);
    let claims = format!(r#"{{"aud":"me","exp":{}}}"#, now() + 60);
    assert_taken(&server, &rsa.token(&claims));
    assert_taken(&server, &rsa.sign(r#"{"alg":"PS384"}"#, &claims));
    assert_taken(&server, &curve.token(&claims));
    let token = rsa.token(&claims);
    let parts: Vec<_> = token.split('.').collect();
    let none = |name: &str| encode(format!(r#"{{"alg":"{name}"}}"#).as_bytes());
    let other = Issuer::rsa();
    let zeros = encode(&[0; 64]);
    let es256 = encode(br#"{"alg":"ES256"}"#);
    let deep =
        format!(r#"{{"aud":"me","exp":9e9,"a":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    let hostile = [
        // No signature, or no algorithm.
        format!("{}.{}.", none("none"), parts[1]),
        format!("{}.{}.", none("None"), parts[1]),
        format!("{}.{}.{}", none("none"), parts[1], parts[2]),
        format!("{}.{}.", parts[0], parts[1]),
        // The public key as a secret.
        Issuer::secret(&rsa.pem()).sign(r#"{"alg":"HS256"}"#, &claims),
        Issuer::secret(rsa.pem().trim()).sign(r#"{"alg":"HS256"}"#, &claims),
        // Another key, another kind of key, another algorithm than it was signed by.
        other.token(&claims),
        Issuer::curve(Curve::P384).token(&claims),
        Issuer::edwards().token(&claims),
        rsa.sign(r#"{"alg":"ES256"}"#, &claims),
        curve.sign(r#"{"alg":"RS256"}"#, &claims),
        format!("{es256}.{}.{zeros}", parts[1]),
        // Keys that the token brings itself.
        other.sign(&format!(r#"{{"alg":"RS256","jwk":{}}}"#, other.jwk("")), &claims),
        other.sign(
            r#"{"alg":"RS256","jku":"http://127.0.0.1:1/keys","kid":"../../etc/passwd"}"#,
            &claims,
        ),
        // Claims that do not hold, or are none.
        rsa.token(r#"{"aud":"me"}"#),
        rsa.token(r#"{"aud":"me","exp":"9999999999"}"#),
        rsa.token(r#"{"aud":"me","exp":1e400}"#),
        rsa.token(r#"{"aud":"you","exp":9999999999}"#),
        rsa.token(r#"{"aud":{"me":1},"exp":9999999999}"#),
        rsa.token(r#"{"aud":"me","exp":9999999999,"nbf":9999999998}"#),
        rsa.token(r#"{"aud":"me","exp":9999999999,"role":["a"]}"#),
        rsa.token(r#"{"aud":"me","exp":9999999999,"role":"none"}"#),
        rsa.token(r#"{"aud":"me","exp":9999999999,"x":"\u0000"}"#),
        rsa.token(r#"{"aud":"me","aud":"me","exp":9999999999}"#),
        rsa.token(&deep),
        rsa.token(&format!(r#"{{"aud":"me","exp":9e9,"x":"{}"}}"#, "x".repeat(15_000))),
        rsa.sign(r#"{"alg":"RS256","crit":["exp"],"exp":1}"#, &claims),
        rsa.sign(r#"{"alg":"none","alg":"RS256"}"#, &claims),
    ];
    for token in &hostile {
        assert_invalid(&ask(&server, token));
    }
    // A token that is larger than a head may be is no request.
    let huge = ask(&server, &"x".repeat(100_000));
    assert_eq!(huge.status, 431, "{}", huge.body);
    assert_taken(&server, &token);
}

#[test]
fn who_must_bring_a_token_is_told_so() {
    let options = ["--jwt-secret", SECRET, "--require-token", "--batching"];
    let server = Server::start_sample(&options);
    let answer = server.query("", QUERY);
    assert_refused(&answer, 401, "A token is required.", "UNAUTHENTICATED");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    let header = format!("Authorization: Bearer {}\r\n", good());
    // By every way that a request comes.
    let target = "/graphql?query=%7B__typename%7D";
    assert_eq!(server.get(target, "").status, 401);
    assert_eq!(server.get(target, &header).body, DATA);
    let batch = r#"[{"query":"{ __typename }"},{"query":"{ __typename }"}]"#;
    assert_eq!(server.post("", batch).status, 401);
    assert_eq!(server.post(&header, batch).body, format!("[{DATA},{DATA}]"));
    let explain = |headers: &str| {
        let body = r#"{"query":"{ __typename }"}"#;
        let request = post("application/json", headers, body);
        server.send(request.replacen("POST /graphql", "POST /explain", 1).as_bytes()).status
    };
    assert_eq!((explain(""), explain(&header)), (401, 200));
    // The page itself, and probes, are for everybody.
    assert_eq!(server.get("/", "Accept: text/html\r\n").status, 200);
    assert_eq!(server.get("/health/live", "").status, 200);
}

#[test]
fn a_cookie_holds_the_token_where_no_header_does() {
    let server =
        Server::start_sample(&["--jwt-secret", SECRET, "--require-token", "--jwt-cookie", "token"]);
    let cookie = |value: &str| format!("Cookie: a=b; token={value}\r\n");
    assert_eq!(server.query(&cookie(&good()), QUERY).body, DATA);
    assert_invalid(&server.query(&cookie("x.y.z"), QUERY));
    assert_eq!(server.query(&cookie(""), QUERY).status, 401);
    // The header wins, even if it is wrong.
    let both = format!("{}Authorization: Bearer x.y.z\r\n", cookie(&good()));
    assert_invalid(&server.query(&both, QUERY));
    // A page of somebody else's cannot use the cookie.
    let foreign = format!("{}Origin: https://b.example\r\n", cookie(&good()));
    assert_eq!(server.query(&foreign, QUERY).status, 403);
}

#[test]
fn without_a_key_nothing_is_judged() {
    let mut server = Server::start_sample(&[]);
    assert_eq!(ask(&server, "whatever").body, DATA);
    server.signal("TERM");
    assert!(server.rest_of_log().contains("header, which is ignored"));
}

#[test]
fn options_without_what_they_need_are_refused_at_the_start() {
    let folder = Folder::new();
    let file = folder.file("no.pem");
    fs::write(&file, "no key").unwrap();
    let file = file.to_str().unwrap();
    let source = folder.file("none.db");
    let check = |options: &[&str], expected: &str| {
        let words = [&["serve", source.to_str().unwrap(), "--require-token"], options].concat();
        let (code, _, error) = outcome(&run(&words));
        assert_ne!(code, Some(0));
        assert!(error.contains(expected), "{options:?}: {error}");
    };
    check(&[], "needs `--jwt-secret`");
    check(&["--jwt-public-key", file], "--jwt-verify-audience");
    check(&["--jwt-public-key", file, "--jwt-verify-audience", "a"], "no.pem");
    check(&["--jwt-jwks", "http://keys.example/"], "only for addresses of this machine");
    check(&["--jwt-secret", SECRET, "--jwt-verify-algorithms", "ES256"], "no key is for one of");
}

/// A server of keys that does what the test says.
struct Keys {
    address: SocketAddr,
    says: Arc<Mutex<Says>>,
    asked: Arc<AtomicUsize>,
}

#[derive(Clone)]
enum Says {
    /// A whole answer.
    Answer(String),
    /// A byte now and then.
    Drip,
    /// The connection ends.
    Nothing,
}

impl Keys {
    fn serve(says: Says) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (says, asked) = (Arc::new(Mutex::new(says)), Arc::new(AtomicUsize::new(0)));
        let (now, count) = (Arc::clone(&says), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                count.fetch_add(1, Ordering::SeqCst);
                let says = now.lock().unwrap().clone();
                thread::spawn(move || drop(answer(stream, &says)));
            }
        });
        Self { address, says, asked }
    }

    fn say(&self, says: Says) {
        *self.says.lock().unwrap() = says;
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn options(&self) -> [String; 3] {
        let url = format!("--jwt-jwks=http://{}/keys", self.address);
        [url, "--jwt-verify-audience=me".into(), "--require-token".into()]
    }
}

fn answer(stream: TcpStream, says: &Says) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let stream = reader.get_mut();
    match says {
        Says::Answer(text) => stream.write_all(text.as_bytes()),
        Says::Drip => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
            for _ in 0..1_000 {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(100));
            }
            Ok(())
        }
        Says::Nothing => Ok(()),
    }
}

fn says_keys(keys: &[String]) -> Says {
    says("200 OK", &key_set(keys))
}

fn says(status: &str, body: &str) -> Says {
    let length = body.len();
    Says::Answer(format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\
         Location: http://127.0.0.1:1/\r\n\r\n{body}"
    ))
}

fn start(keys: &Keys) -> Server {
    let options = keys.options();
    let options: Vec<_> = options.iter().map(String::as_str).collect();
    Server::start_sample(&options)
}

fn claims() -> String {
    format!(r#"{{"aud":"me","exp":{}}}"#, now() + 60)
}

/// Asks until the answer has a status, for as long as anything may take here.
fn assert_soon(server: &Server, token: &str, status: u16) {
    let started = Instant::now();
    loop {
        let answer = ask(server, token);
        if answer.status == status {
            return;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "{} instead of {status}: {}",
            answer.status,
            answer.body
        );
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn keys_are_fetched_once_and_again_when_a_token_names_a_new_one() {
    let (one, two) = (Issuer::edwards(), Issuer::rsa());
    let keys = Keys::serve(says_keys(&[one.jwk(r#""kid":"one""#)]));
    let server = start(&keys);
    let of = |issuer: &Issuer, kid: &str| {
        issuer.sign(&format!(r#"{{"alg":"{}","kid":"{kid}"}}"#, issuer.algorithm()), &claims())
    };
    for _ in 0..20 {
        assert_taken(&server, &of(&one, "one"));
    }
    assert_eq!(keys.asked(), 1);
    // The issuer takes another key; the old one is gone when the new one is known.
    keys.say(says_keys(&[two.jwk(r#""kid":"two""#)]));
    let old = of(&one, "one");
    assert_taken(&server, &old);
    assert_soon(&server, &of(&two, "two"), 200);
    assert_eq!(keys.asked(), 2);
    assert_invalid(&ask(&server, &old));
    // However many name keys that there are not, the issuer has its rest.
    for number in 0..50 {
        assert_invalid(&ask(&server, &of(&one, &format!("unknown {number}"))));
    }
    assert_eq!(keys.asked(), 2);
}

#[test]
fn while_there_are_no_keys_nobody_is_let_in_and_then_everybody() {
    let issuer = Issuer::curve(Curve::P521);
    let keys = Keys::serve(Says::Nothing);
    let server = start(&keys);
    let token = issuer.token(&claims());
    let unavailable = |says: Says| {
        keys.say(says);
        let asked = keys.asked();
        let started = Instant::now();
        let answer = ask(&server, &token);
        let message = "The keys by which tokens are judged cannot be fetched; try again later.";
        assert_refused(&answer, 503, message, "UNAVAILABLE");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        asked
    };
    unavailable(Says::Nothing);
    unavailable(says("302 Found", ""));
    unavailable(says("500 Internal Server Error", &key_set(&[issuer.jwk("")])));
    unavailable(says("200 OK", "<html>"));
    unavailable(says("200 OK", &" ".repeat(5 << 20)));
    // Who waits for a slow issuer is told before it is done.
    unavailable(Says::Drip);
    keys.say(says_keys(&[issuer.jwk("")]));
    assert_soon(&server, &token, 200);
    // Nothing is forgotten when the issuer goes away.
    keys.say(Says::Nothing);
    assert_taken(&server, &issuer.token(&claims()));
}

#[test]
fn a_set_without_a_key_lets_nobody_in() {
    let keys = Keys::serve(says_keys(&[]));
    let server = start(&keys);
    assert_soon(&server, &Issuer::edwards().token(&claims()), 401);
}

#[test]
fn a_reload_keeps_the_keys_that_were_fetched() {
    let issuer = Issuer::edwards();
    let keys = Keys::serve(says_keys(&[issuer.jwk("")]));
    let folder = Folder::new();
    let file = folder.file("shop.db");
    drop(Server::demo(&file));
    let options = keys.options();
    let usual = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let options: Vec<_> = usual.into_iter().chain(options.iter().map(String::as_str)).collect();
    let mut server = Server::start(&options);
    assert_soon(&server, &issuer.token(&claims()), 200);
    keys.say(Says::Nothing);
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0);
    }
    assert_taken(&server, &issuer.token(&claims()));
    assert_eq!(keys.asked(), 1);
}
