//! Brokers with TLS and client certificates.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::broker::{Broker, BrokerSettings, EventTopics};
use clients::subgraph::{Event, EventBudget, OwnCertificate, SubgraphError, Tls, TlsFiles};
use testkit::broker::{self, Kind};
use tokio::runtime::Builder;

use super::subgraph::encrypted::Authority;

const LIMIT: Duration = Duration::from_secs(10);

/// A client that trusts an authority.
fn client(url: &str, authority: &Authority, own: Option<OwnCertificate>) -> BrokerSettings {
    let files = TlsFiles { authorities: Some(authority.file()), own };
    BrokerSettings {
        name: "a broker".into(),
        url: url.parse().unwrap(),
        user: None,
        password: None,
        token: None,
        instance: None,
        connect_timeout: LIMIT,
        tls: Some(Tls::open(&files).unwrap()),
        files,
    }
}

/// A budget that is never exhausted.
#[derive(Debug)]
struct Unlimited;

impl EventBudget for Unlimited {
    fn take(&self, _: usize) -> bool {
        true
    }

    fn give_back(&self, _: usize) {}
}

fn budget() -> Arc<dyn EventBudget> {
    Arc::new(Unlimited)
}

/// Publishes an event, and receives it.
async fn round_trip(settings: BrokerSettings) -> Result<(), SubgraphError> {
    let broker = Broker::new(settings);
    broker.publish("first".to_owned(), Bytes::from_static(b"{}"), LIMIT).await?;
    let topics =
        EventTopics { topics: vec!["second".to_owned()], consumer: None, most_bytes: 1_000 };
    let listener = broker.subscribe(topics.clone(), &budget());
    assert!(broker.is_kept(&listener, &topics));
    assert_eq!(broker.counts().subscriptions, 1);
    // The subscription begins on another thread.
    loop {
        broker.publish("second".to_owned(), Bytes::from_static(b"1"), LIMIT).await?;
        let next = tokio::time::timeout(Duration::from_millis(100), listener.next()).await;
        match next {
            Ok(Event::Response(response)) => {
                assert_eq!(&*response.body, b"1");
                break;
            }
            Ok(other) => panic!("{other:?}"),
            Err(_) => {}
        }
    }
    // An event that is too long is left out.
    let long = Bytes::from(vec![b'2'; 2_000]);
    broker.publish("second".to_owned(), long, LIMIT).await?;
    loop {
        match listener.next().await {
            Event::Response(response) => assert_eq!(&*response.body, b"1"),
            Event::Interrupted => return Ok(()),
            other => panic!("{other:?}"),
        }
    }
}

fn check(kind: Kind, scheme: &str, arguments: &[&str]) {
    if !kind.is_installed() {
        return;
    }
    let (authority, other) = (Authority::new(), Authority::new());
    let OwnCertificate { certificate, key } = authority.issue("127.0.0.1");
    let [certificate, key, trusted] =
        [certificate, key, authority.file()].map(|file| file.display().to_string());
    let arguments = arguments.iter().map(|argument| match *argument {
        "CERTIFICATE" => &*certificate,
        "KEY" => &*key,
        "TRUSTED" => &*trusted,
        other => other,
    });
    let arguments: Vec<&str> = arguments.collect();
    let server = broker::Broker::start(kind, &arguments).unwrap();
    let url = format!("{scheme}://127.0.0.1:{}", server.port());
    let own = || Some(authority.issue("client"));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        round_trip(client(&url, &authority, own())).await.unwrap();
        // A server that is not trusted, and a client without a certificate.
        for settings in [client(&url, &other, own()), client(&url, &authority, None)] {
            let refused = round_trip(settings).await;
            assert!(matches!(refused, Err(SubgraphError::Unavailable(_))), "{refused:?}");
        }
    });
}

#[test]
fn nats_is_reached_over_tls() {
    let arguments =
        ["--tlscert", "CERTIFICATE", "--tlskey", "KEY", "--tlscacert", "TRUSTED", "--tlsverify"];
    check(Kind::Nats, "tls", &arguments);
}

#[test]
fn redis_is_reached_over_tls() {
    let arguments = [
        "--port",
        "0",
        "--tls-port",
        "PORT",
        "--tls-cert-file",
        "CERTIFICATE",
        "--tls-key-file",
        "KEY",
        "--tls-ca-cert-file",
        "TRUSTED",
    ];
    check(Kind::Redis, "rediss", &arguments);
}
