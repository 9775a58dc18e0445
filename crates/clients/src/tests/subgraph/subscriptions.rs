//! Subscriptions over WebSockets, against a scripted server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{
    BreakerSettings, Event, EventBudget, Listener, RunningSubscriptions, Settings, Shared,
    SharedResponse, SubgraphError, SubscriptionClient, SubscriptionProtocol, SubscriptionRequest,
    SubscriptionSettings,
};
use futures_util::{Sink, SinkExt, Stream};
use hyper::HeaderMap;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::encrypted::Authority;
use super::server::Server;
use super::{run, settings};

const BODY: &[u8] = br#"{"query":"subscription { a }","variables":{}}"#;

/// A budget of 100 bytes.
#[derive(Debug, Default)]
struct Budget(AtomicUsize);

impl EventBudget for Budget {
    fn take(&self, bytes: usize) -> bool {
        let take = |held: usize| Some(held + bytes).filter(|held| *held <= 100);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

fn subscription_settings(connection: Settings) -> SubscriptionSettings {
    SubscriptionSettings {
        protocol: SubscriptionProtocol::TransportWs,
        connection: Arc::new(connection),
        deduplicate: true,
        live: false,
        ping: Duration::from_secs(20),
        reconnects: 1,
        most_operations: 10,
        callback_url: None,
        heartbeat: Duration::from_secs(5),
    }
}

fn client(settings: SubscriptionSettings) -> (SubscriptionClient, Arc<RunningSubscriptions>) {
    let shared = Arc::new(Shared::new(&settings.connection));
    let running = Arc::default();
    let budget = Arc::new(Budget::default());
    (SubscriptionClient::new(Arc::new(settings), shared, Arc::clone(&running), budget), running)
}

fn subscribe(client: &SubscriptionClient) -> Listener {
    let headers = HeaderMap::new();
    client.subscribe(SubscriptionRequest { body: Bytes::from_static(BODY), headers })
}

/// Accepts the handshake.
async fn accept<S: AsyncRead + AsyncWrite + Unpin>(stream: S) -> WebSocketStream<S> {
    #[allow(clippy::result_large_err, reason = "the type of the library")]
    let choose = |request: &Request, mut response: Response| {
        let protocol = request.headers()["sec-websocket-protocol"].clone();
        response.headers_mut().insert("sec-websocket-protocol", protocol);
        Ok(response)
    };
    accept_hdr_async(stream, choose).await.unwrap()
}

/// The next message of the client.
async fn receive<S>(socket: &mut S) -> Option<String>
where
    S: Stream<Item = Result<Message, Error>> + Unpin,
{
    loop {
        match std::future::poll_fn(|cx| std::pin::Pin::new(&mut *socket).poll_next(cx)).await {
            Some(Ok(Message::Text(text))) => return Some(text.to_string()),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return None,
        }
    }
}

async fn send<S: Sink<Message> + Unpin>(socket: &mut S, text: &'static str) {
    drop(socket.send(Message::text(text)).await);
}

/// Answers the initialization, and returns the first operation.
async fn begin<S: AsyncRead + AsyncWrite + Unpin>(socket: &mut WebSocketStream<S>) -> String {
    assert_eq!(receive(socket).await.unwrap(), r#"{"type":"connection_init"}"#);
    send(socket, r#"{"type":"connection_ack"}"#).await;
    receive(socket).await.unwrap()
}

#[test]
fn sockets_are_encrypted_with_the_certificates_of_the_subgraph() {
    run(async {
        let authority = Authority::new();
        let acceptor = authority.server("127.0.0.1", false, &[b"h2", b"http/1.1"]);
        let server = Server::start(move |_, connection| {
            let acceptor = acceptor.clone();
            async move {
                let mut socket = accept(acceptor.accept(connection.stream).await.unwrap()).await;
                let expected = r#"{"id":"1","type":"subscribe","payload":{"query":"subscription { a }","variables":{}}}"#;
                assert_eq!(begin(&mut socket).await, expected);
                send(&mut socket, r#"{"id":"1","type":"next","payload":{"data":{"a":1}}}"#).await;
                send(&mut socket, r#"{"id":"1","type":"complete"}"#).await;
                receive(&mut socket).await;
            }
        })
        .await;
        let mut connection = settings(&format!("https://127.0.0.1:{}/graphql", server.port));
        connection.tls = Some(authority.trusted(None));
        let (client, running) = client(subscription_settings(connection));
        let listener = subscribe(&client);
        let counts = running.counts();
        assert_eq!((counts.subscriptions, counts.listeners, counts.sockets), (1, 1, 0));
        let response = SharedResponse::new(Bytes::from_static(b"{\"data\":{\"a\":1}}"));
        assert_eq!(listener.next().await, Event::Response(Arc::new(response)));
        assert_eq!(listener.next().await, Event::Complete);
        let counts = running.counts();
        assert_eq!((counts.subscriptions, counts.listeners, counts.sockets), (0, 0, 0));
    });
}

#[test]
fn a_server_that_does_not_acknowledge_in_time_is_given_up() {
    run(async {
        let server = Server::start(|_, connection| async move {
            let mut socket = accept(connection.stream).await;
            while receive(&mut socket).await.is_some() {}
        })
        .await;
        let connection = Settings { timeout: Duration::from_millis(100), ..settings(&server.url) };
        let (client, _) = client(subscription_settings(connection));
        let event = subscribe(&client).next().await;
        assert_eq!(event, Event::Failed(SubgraphError::Timeout));
    });
}

#[test]
fn a_server_that_answers_no_pings_is_lost() {
    run(async {
        let server = Server::start(|_, connection| async move {
            let mut socket = accept(connection.stream).await;
            begin(&mut socket).await;
            std::future::pending::<()>().await;
        })
        .await;
        let mut settings = subscription_settings(settings(&server.url));
        settings.ping = Duration::from_millis(50);
        let (client, _) = client(settings);
        assert_eq!(subscribe(&client).next().await, Event::Interrupted);
    });
}

#[test]
fn no_subscription_is_sent_while_the_circuit_breaker_is_open() {
    run(async {
        let server = Server::start(|_, connection| async move { drop(connection) }).await;
        let breaker = BreakerSettings {
            percent: 50,
            min_requests: 2,
            window: Duration::from_secs(60),
            pause: Duration::from_secs(60),
        };
        let connection = Settings { breaker: Some(breaker), ..settings(&server.url) };
        let (client, _) = client(subscription_settings(connection));
        for _ in 0..2 {
            assert!(matches!(subscribe(&client).next().await, Event::Failed(_)));
        }
        let event = subscribe(&client).next().await;
        assert!(matches!(event, Event::Failed(SubgraphError::BreakerOpen { .. })), "{event:?}");
        assert_eq!(server.accepted.get(), 2);
    });
}
