//! TLS.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, ProtocolVersion, RootCertStore, StreamOwned,
    SupportedProtocolVersion, version,
};

use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::network::certificates::{Algorithm, Authority, Pair};
use crate::network::site::{
    LIVE, LONG, SHORT, Site, ask, assert_answers, assert_lives, connect_by_path, happens_within,
    path, refusal, request,
};
use crate::program::{Folder, PATIENCE, outcome, read_answer};

type Encrypted = StreamOwned<ClientConnection, TcpStream>;

const BOTH: &[&SupportedProtocolVersion] = &[&version::TLS13, &version::TLS12];

/// A folder with a certificate of this authority, and the options that name it.
fn folder(pair: &Pair) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"));
    pair.write(&certificate, &key);
    let options = ["--tls-certificate", certificate.to_str().unwrap(), "--tls-key"];
    let mut options = options.map(str::to_owned).to_vec();
    options.push(key.to_str().unwrap().to_owned());
    (folder, options)
}

fn serve(pair: &Pair, options: &[&str]) -> Site {
    let (folder, tls) = folder(pair);
    let options: Vec<&str> =
        tls.iter().map(String::as_str).chain(options.iter().copied()).collect();
    let command = Site::command(&folder, &options);
    Site::spawn(folder, command, 1)
}

fn client(
    authority: &Authority,
    versions: &[&'static SupportedProtocolVersion],
    own: Option<&Pair>,
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some(pair) => {
            let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
            let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
            builder.with_client_auth_cert(vec![certificate], key).unwrap()
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

fn connect(site: &Site, client: &Arc<ClientConfig>) -> Encrypted {
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::clone(client), name).unwrap();
    StreamOwned::new(connection, site.connect())
}

/// The certificate that new clients get.
fn certificate(site: &Site, client: &Arc<ClientConfig>) -> Vec<u8> {
    let mut stream = connect(site, client);
    assert_lives(&mut stream);
    stream.conn.peer_certificates().unwrap()[0].to_vec()
}

fn der(pair: &Pair) -> Vec<u8> {
    CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap().to_vec()
}

#[test]
fn both_versions_of_tls_are_spoken_over_http_1() {
    let authority = Authority::new();
    let site = serve(&authority.sign(Algorithm::Ecdsa), &[]);
    assert!(site.log().contains("serving at https://127.0.0.1:"), "{}", site.log());
    for (version, spoken) in
        [(&version::TLS13, ProtocolVersion::TLSv1_3), (&version::TLS12, ProtocolVersion::TLSv1_2)]
    {
        let mut stream = connect(&site, &client(&authority, &[version], None));
        assert_answers(&mut stream);
        assert_answers(&mut stream);
        assert_eq!(stream.conn.protocol_version(), Some(spoken));
        assert_eq!(stream.conn.alpn_protocol(), Some(b"http/1.1".as_slice()));
    }
    let answer = ask(connect(&site, &client(&authority, BOTH, None)), &request(LONG));
    assert_eq!(answer.status, 200);
    assert!(answer.body.len() > 8_000_000, "{}", answer.body.len());
}

#[test]
fn sockets_are_encrypted_too() {
    let authority = Authority::new();
    let site = serve(&authority.sign(Algorithm::Ecdsa), &[]);
    let stream = connect(&site, &client(&authority, BOTH, None));
    let mut request = "wss://localhost/graphql".into_client_request().unwrap();
    let subprotocol = HeaderValue::from_static("graphql-transport-ws");
    request.headers_mut().insert("sec-websocket-protocol", subprotocol);
    let (mut socket, _) = tungstenite::client(request, stream).unwrap();
    let mut send = |text: &str| {
        socket.send(Message::text(text)).unwrap();
        socket.read().unwrap().into_text().unwrap()
    };
    assert_eq!(send(r#"{"type":"connection_init"}"#), r#"{"type":"connection_ack"}"#);
    let subscribe = format!(r#"{{"type":"subscribe","id":"1","payload":{{"query":"{LONG}"}}}}"#);
    let answer = send(&subscribe);
    assert!(answer.starts_with(r#"{"type":"next","id":"1","payload":{"data":"#));
    assert!(answer.len() > 8_000_000, "{}", answer.len());
    assert_eq!(socket.read().unwrap(), Message::text(r#"{"type":"complete","id":"1"}"#));
    socket.close(None).unwrap();
    assert!(matches!(socket.read(), Ok(Message::Close(None))));
}

#[test]
fn keys_are_read_in_all_their_forms() {
    let authority = Authority::new();
    for algorithm in [Algorithm::Rsa, Algorithm::Ecdsa] {
        let pair = authority.sign(algorithm);
        for key in [&pair.key, &pair.traditional] {
            let (certificate, key) = (pair.certificate.clone(), key.clone());
            let site = serve(&Pair { certificate, key, traditional: String::new() }, &[]);
            assert_lives(connect(&site, &client(&authority, BOTH, None)));
        }
    }
}

#[test]
fn what_cannot_be_used_is_said_at_the_start() {
    let authority = Authority::new();
    let (pair, other) = (authority.sign(Algorithm::Ecdsa), authority.sign(Algorithm::Ecdsa));
    let (folder, options) = folder(&pair);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"));
    let check = |more: &[&str], expected: &str| {
        let folder = Folder::new();
        let options: Vec<&str> = options.iter().chain(more).copied().collect();
        let (code, _, error) = outcome(&Site::command(&folder, &options).output().unwrap());
        let shown = error.replace(certificate.to_str().unwrap(), "CERT");
        let shown = shown.replace(key.to_str().unwrap(), "KEY");
        let shown = shown.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
        assert_eq!((code, shown), (Some(1), expected));
    };
    let client_ca = ["--tls-client-ca", key.to_str().unwrap()];
    check(
        &client_ca,
        "error: there is no certificate in KEY; `-----BEGIN CERTIFICATE-----` begins one",
    );
    fs::write(&key, &other.key).unwrap();
    check(
        &[],
        "error: the private key in KEY is not that of the certificate in CERT; `--tls-key` is the \
         key with which it was requested",
    );
    let encrypted = pair.key.replace("BEGIN PRIVATE", "BEGIN ENCRYPTED PRIVATE");
    fs::write(&key, encrypted).unwrap();
    check(
        &[],
        "error: the private key in KEY is encrypted; it is needed without a password, as `openssl \
         pkey` writes it",
    );
    fs::write(&key, &pair.certificate).unwrap();
    check(&[], "error: there is no private key in KEY; `-----BEGIN PRIVATE KEY-----` begins one");
    fs::remove_file(&key).unwrap();
    check(&[], "error: cannot read KEY: No such file or directory (os error 2)");
    fs::write(&certificate, "nothing of that kind").unwrap();
    check(&[], "error: there is no certificate in CERT; `-----BEGIN CERTIFICATE-----` begins one");
    fs::write(&certificate, &pair.certificate[..100]).unwrap();
    fs::write(&key, &pair.key).unwrap();
    let (code, _, error) = outcome(&Site::command(&Folder::new(), &options).output().unwrap());
    assert_eq!(code, Some(1));
    assert!(error.contains("is not PEM"), "{error}");
}

#[test]
fn a_certificate_needs_its_key() {
    let folder = Folder::new();
    for option in ["--tls-certificate", "--tls-key", "--tls-client-ca"] {
        let output = Site::command(&Folder::new(), &[option, "file.pem"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{option}");
    }
    drop(folder);
}

#[test]
fn a_certificate_that_changes_is_read_again_and_a_broken_one_is_not_taken() {
    let authority = Authority::new();
    let (first, second) = (authority.sign(Algorithm::Ecdsa), authority.sign(Algorithm::Rsa));
    let site = serve(&first, &[]);
    let client = client(&authority, BOTH, None);
    assert_eq!(certificate(&site, &client), der(&first));
    let mut open = connect(&site, &client);
    assert_lives(&mut open);

    // A certificate without its key, as it is for a moment when both are replaced.
    fs::write(site.folder.file("certificate.pem"), &second.certificate).unwrap();
    let kept = happens_within(PATIENCE, || site.log().contains("the certificate stays as it was"));
    assert!(kept, "{}", site.log());
    assert_eq!(certificate(&site, &client), der(&first));

    fs::write(site.folder.file("key.pem"), &second.key).unwrap();
    let changed = happens_within(PATIENCE, || certificate(&site, &client) == der(&second));
    assert!(changed, "{}", site.log());
    // What was agreed upon before goes on.
    assert_lives(&mut open);

    // Files that are replaced as a whole, by a link, and as they were before.
    let (third, key) = (site.folder.file("third.pem"), site.folder.file("third.key"));
    first.write(&third, &key);
    fs::rename(&third, site.folder.file("certificate.pem")).unwrap();
    fs::rename(&key, site.folder.file("key.pem")).unwrap();
    let changed = happens_within(PATIENCE, || certificate(&site, &client) == der(&first));
    assert!(changed, "{}", site.log());
}

#[test]
fn clients_without_a_certificate_of_the_authority_are_refused_if_one_is_named() {
    let authority = Authority::new();
    let pair = authority.sign(Algorithm::Ecdsa);
    let strangers = Authority::new();
    let folder = Folder::new();
    let file = folder.file("clients.pem");
    fs::write(&file, &authority.pem).unwrap();
    let site = serve(&pair, &["--tls-client-ca", file.to_str().unwrap()]);
    let known = authority.sign(Algorithm::Ecdsa);
    assert_lives(connect(&site, &client(&authority, BOTH, Some(&known))));
    let stranger = strangers.sign(Algorithm::Ecdsa);
    for version in BOTH {
        for own in [None, Some(&stranger)] {
            let mut stream = connect(&site, &client(&authority, &[version], own));
            let mut rest = Vec::new();
            // The refusal may come with the handshake, or in place of the answer.
            let asked = stream.write_all(LIVE).and_then(|()| stream.read_to_end(&mut rest));
            assert!(asked.is_err(), "{rest:?}");
            assert_eq!(rest, b"");
        }
    }
}

#[test]
fn a_plain_request_is_told_to_use_https() {
    let authority = Authority::new();
    let site = serve(&authority.sign(Algorithm::Ecdsa), &[]);
    let mut plain = site.connect();
    plain.write_all(&request(SHORT)).unwrap();
    assert_eq!(refusal(plain), (400, "BAD_USER_INPUT".to_owned()));
    assert!(site.log().contains("NoTls"), "{}", site.log());
    // What is neither is closed.
    let mut noise = site.connect();
    noise.write_all(b"\x00\x01\x02\x03 and so on").unwrap();
    drop(noise.read_to_end(&mut Vec::new()));
    assert_lives(connect(&site, &client(&authority, BOTH, None)));
}

#[test]
fn a_unix_socket_beside_is_not_encrypted() {
    let authority = Authority::new();
    let (folder, tls) = folder(&authority.sign(Algorithm::Ecdsa));
    let mut options: Vec<&str> = tls.iter().map(String::as_str).collect();
    let listen = format!("unix:{}", folder.file("a.sock").display());
    options.extend(["--listen", &listen]);
    let command = Site::command(&folder, &options);
    let site = Site::spawn(folder, command, 2);
    assert_lives(connect_by_path(&path(&site.places[1])));
    assert_lives(connect(&site, &client(&authority, BOTH, None)));
}

#[test]
fn time_limits_and_the_limit_of_clients_hold_for_encrypted_connections_too() {
    let authority = Authority::new();
    let client = client(&authority, BOTH, None);
    let options = ["--header-timeout", "500ms", "--max-clients", "3", "--connections", "1"];
    let site = serve(&authority.sign(Algorithm::Ecdsa), &options);
    // The database is open before the count.
    assert_answers(connect(&site, &client));
    let before = site.descriptors();

    // A handshake that never comes, and one that breaks off.
    let mut silent = site.connect();
    let mut half = site.connect();
    half.write_all(b"\x16\x03\x01").unwrap();
    for stream in [&mut silent, &mut half] {
        let mut rest = Vec::new();
        drop(stream.read_to_end(&mut rest));
        assert_eq!(rest, b"");
    }
    let mut slow = connect(&site, &client);
    slow.write_all(b"GET /health").unwrap();
    assert_eq!(read_answer(&mut BufReader::new(slow), true).status, 408);

    let mut busy: Vec<Encrypted> = (0..3).map(|_| connect(&site, &client)).collect();
    let request = request(SHORT);
    for stream in &mut busy {
        stream.write_all(&request[..request.len() - 3]).unwrap();
        stream.flush().unwrap();
    }
    thread::sleep(Duration::from_millis(100));
    let answer = ask(connect(&site, &client), LIVE);
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    for mut stream in busy {
        stream.write_all(&request[request.len() - 3..]).unwrap();
        assert_eq!(read_answer(&mut BufReader::new(stream), true).status, 200);
    }
    let gone = || site.descriptors() <= before;
    assert!(happens_within(PATIENCE, gone), "{:#?}", site.described_descriptors());
}

#[test]
fn encrypted_connections_are_drained_and_ended_as_tls_wants_it() {
    let authority = Authority::new();
    let client = client(&authority, BOTH, None);
    let mut site = serve(&authority.sign(Algorithm::Ecdsa), &[]);
    let mut idle = connect(&site, &client);
    assert_lives(&mut idle);
    let mut begun = connect(&site, &client);
    let request = request(SHORT);
    begun.write_all(&request[..request.len() - 3]).unwrap();
    begun.flush().unwrap();
    thread::sleep(Duration::from_millis(100));
    site.signal("TERM");
    let mut rest = Vec::new();
    // Without the last word of TLS this were an error.
    idle.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    begun.write_all(&request[request.len() - 3..]).unwrap();
    let mut reader = BufReader::new(begun);
    let answer = read_answer(&mut reader, true);
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    reader.read_to_end(&mut rest).unwrap();
    assert!(site.wait().success(), "{}", site.log());
}
