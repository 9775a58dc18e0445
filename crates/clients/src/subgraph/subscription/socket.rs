//! Task of a WebSocket: opens it, and passes messages between it and its operations.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, Stream};
use hyper::Request;
use hyper::header::{
    CONNECTION, HOST, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use tokio::sync::mpsc::Sender;
use tokio::time::{Interval, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::super::dial::Offer;
use super::super::head::Head;
use super::super::request::SubgraphError;
use super::super::shared::Shared;
use super::super::socket::Socket;
use super::super::statistics::Counts;
use super::message::{self, ServerMessage};
use super::opener::SourceOpener;
use super::settings::SubscriptionProtocol;
use super::socket_pool::{Command, OperationEvent, SocketTask, Step};
use super::source_event::{OpenError, SourceEvent, is_refusal};

/// Time for the subgraph to read a message, and to answer a close frame.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Buffer for reading of each WebSocket.
const READ_BUFFER: usize = 8 * 1024;

/// An open WebSocket with its running operations.
struct Exchange {
    stream: WebSocketStream<Socket>,
    protocol: SubscriptionProtocol,
    shared: Arc<Shared>,
    operations: HashMap<u64, Sender<OperationEvent>>,
}

/// Reason for the end of a WebSocket.
enum End {
    /// It has no operations.
    Unused,
    /// The subgraph ended it, or is lost.
    Lost(OpenError),
}

/// Opens a WebSocket, and runs it as long as it has operations.
pub(super) async fn run(mut task: SocketTask, opener: SourceOpener) {
    let mut exchange = match opener.admitted(open(&opener)).await {
        Ok(stream) => {
            let protocol = opener.settings.protocol;
            let shared = Arc::clone(&opener.shared);
            Exchange { stream, protocol, shared, operations: HashMap::new() }
        }
        Err(error) => return fail(task.retire(), &error).await,
    };
    let end = exchange.run(&mut task, opener.settings.ping).await;
    let mut others = task.retire();
    match end {
        End::Unused => {}
        End::Lost(error) => {
            others.extend(exchange.operations.drain().map(|(_, events)| events));
            fail(others, &error).await;
        }
    }
    let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    let closed = async {
        // The connection may be lost already.
        let _ = exchange.stream.close(Some(frame)).await;
        while let Some(Ok(_)) = next(&mut exchange.stream).await {}
    };
    // A subgraph that does not answer the close frame is left.
    let _ = timeout(CLOSE_TIMEOUT, closed).await;
}

async fn fail(operations: Vec<Sender<OperationEvent>>, error: &OpenError) {
    for events in operations {
        // The operation may have been dropped.
        let _ = events.send(Err(error.clone())).await;
    }
}

/// Opens and initializes a WebSocket.
async fn open(opener: &SourceOpener) -> Result<WebSocketStream<Socket>, OpenError> {
    let settings = &opener.settings;
    let dialled = opener.dialer.dial(Offer::Http1).await;
    let (socket, _) = dialled.map_err(SubgraphError::Unavailable)?;
    let most = usize::try_from(settings.connection.most_bytes).ok();
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_message_size(most)
        .max_frame_size(most);
    let upgraded = client_async_with_config(handshake(opener), socket, Some(config)).await;
    let (mut stream, _) = upgraded.map_err(handshake_error)?;
    let init = message::init(&opener.headers);
    send(&mut stream, init).await?;
    loop {
        let text = match next(&mut stream).await {
            None => return Err(SubgraphError::Closed("it closed the connection".into()).into()),
            Some(Err(error)) => return Err(lost(&error).into()),
            Some(Ok(Message::Close(frame))) => {
                // Writes the reply to the close frame.
                let _ = timeout(CLOSE_TIMEOUT, next(&mut stream)).await;
                return Err(closed(frame.as_ref()));
            }
            Some(Ok(Message::Text(text))) => Bytes::from(text),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Binary(_) | Message::Frame(_))) => return Err(invalid().into()),
        };
        match ServerMessage::parse(settings.protocol, &text) {
            Ok(ServerMessage::Ack) => return Ok(stream),
            Ok(ServerMessage::ConnectionError(response)) => {
                return Err(OpenError::Refused(response));
            }
            Ok(ServerMessage::Ping(payload)) => {
                send(&mut stream, message::pong(payload.as_ref())).await?;
            }
            Ok(ServerMessage::Ignored) => {}
            Ok(
                ServerMessage::Next { .. }
                | ServerMessage::Errors { .. }
                | ServerMessage::Complete { .. },
            )
            | Err(_) => return Err(invalid().into()),
        }
    }
}

/// The request of the handshake: <https://www.rfc-editor.org/rfc/rfc6455#section-4.1>.
fn handshake(opener: &SourceOpener) -> Request<()> {
    let head = Head::new(&opener.settings.connection);
    let (uri, host) = head.of_handshake(&opener.headers);
    let mut request = Request::new(());
    *request.uri_mut() = uri;
    let headers = request.headers_mut();
    headers.insert(HOST, host);
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    // The key is in base64.
    if let Ok(key) = HeaderValue::try_from(generate_key()) {
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }
    let protocol = HeaderValue::from_static(opener.settings.protocol.name());
    headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
    head.add_others(&opener.headers, headers);
    request
}

impl Exchange {
    async fn run(&mut self, task: &mut SocketTask, ping: Duration) -> End {
        let mut pings = pings(ping);
        // Whether a frame came since the last ping.
        let mut is_alive = true;
        loop {
            let step = tokio::select! {
                command = task.commands.recv() => self.command(task, command).await,
                frame = next(&mut self.stream) => {
                    is_alive = true;
                    self.receive(task, frame).await
                }
                _ = pings.tick() => match std::mem::replace(&mut is_alive, false) {
                    true => self.write(Message::Ping(Bytes::new())).await.map(|()| false),
                    false => Err(SubgraphError::Timeout.into()),
                },
            };
            match step {
                Ok(true) => return End::Unused,
                Ok(false) => {}
                Err(error) => return End::Lost(error),
            }
        }
    }

    /// Executes a command; returns true if the WebSocket has no operations.
    async fn command(
        &mut self,
        task: &SocketTask,
        command: Option<Command>,
    ) -> Result<bool, OpenError> {
        match command {
            Some(Command::Begin { id, body, events }) => {
                let text = message::begin(self.protocol, id, &body);
                self.operations.insert(id, events.clone());
                self.write(Message::text(text)).await?;
                // The operation may have been dropped; its end follows.
                let _ = events.send(Ok(Step::Begun)).await;
                Ok(false)
            }
            Some(Command::End { id }) if self.operations.remove(&id).is_some() => {
                self.write(Message::text(message::end(self.protocol, id))).await?;
                Ok(task.release())
            }
            // The subgraph ended it before.
            Some(Command::End { .. }) => Ok(false),
            None => Ok(true),
        }
    }

    /// Passes a frame on; returns true if the WebSocket has no operations.
    async fn receive(
        &mut self,
        task: &SocketTask,
        frame: Option<Result<Message, Error>>,
    ) -> Result<bool, OpenError> {
        let text = match frame {
            None => return Err(SubgraphError::Closed("it closed the connection".into()).into()),
            Some(Err(error)) => return Err(lost(&error).into()),
            Some(Ok(Message::Close(frame))) => return Err(closed(frame.as_ref())),
            Some(Ok(Message::Text(text))) => Bytes::from(text),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => return Ok(false),
            Some(Ok(Message::Binary(_) | Message::Frame(_))) => return Err(invalid().into()),
        };
        Counts::add(&self.shared.counts.bytes_in, text.len() as u64);
        match ServerMessage::parse(self.protocol, &text) {
            Ok(ServerMessage::Next { id, response }) => {
                if let Some(events) = self.operations.get(&id) {
                    // The operation may have been dropped; its end follows.
                    let _ = events.send(Ok(Step::Event(SourceEvent::Response(response)))).await;
                }
                Ok(false)
            }
            Ok(ServerMessage::Errors { id, response }) => {
                Ok(self.end(task, id, SourceEvent::Errors(response)).await)
            }
            Ok(ServerMessage::Complete { id }) => {
                Ok(self.end(task, id, SourceEvent::Complete).await)
            }
            Ok(ServerMessage::Ping(payload)) => {
                self.write(Message::text(message::pong(payload.as_ref()))).await?;
                Ok(false)
            }
            Ok(ServerMessage::Ack | ServerMessage::Ignored) => Ok(false),
            Ok(ServerMessage::ConnectionError(response)) => Err(OpenError::Refused(response)),
            Err(message::Invalid) => Err(invalid().into()),
        }
    }

    /// Ends an operation with its last event; returns true if the WebSocket has no others.
    async fn end(&mut self, task: &SocketTask, id: u64, event: SourceEvent) -> bool {
        let Some(events) = self.operations.remove(&id) else { return false };
        // The operation may have been dropped.
        let _ = events.send(Ok(Step::Event(event))).await;
        task.release()
    }

    async fn write(&mut self, message: Message) -> Result<(), OpenError> {
        write(&mut self.stream, message).await
    }
}

fn pings(interval: Duration) -> Interval {
    let mut pings = interval_at(tokio::time::Instant::now() + interval, interval);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

/// Waits for the next frame. Cancel safe.
async fn next(stream: &mut WebSocketStream<Socket>) -> Option<Result<Message, Error>> {
    poll_fn(|cx| Pin::new(&mut *stream).poll_next(cx)).await
}

async fn send(stream: &mut WebSocketStream<Socket>, text: String) -> Result<(), OpenError> {
    write(stream, Message::text(text)).await
}

async fn write(stream: &mut WebSocketStream<Socket>, message: Message) -> Result<(), OpenError> {
    match timeout(WRITE_TIMEOUT, stream.send(message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(lost(&error).into()),
        Err(_) => Err(SubgraphError::Timeout.into()),
    }
}

fn invalid() -> SubgraphError {
    SubgraphError::NotGraphQl("a message is none of the subprotocol".into())
}

fn lost(error: &Error) -> SubgraphError {
    match error {
        Error::Capacity(error) => SubgraphError::NotGraphQl(error.to_string().into()),
        error => SubgraphError::Closed(error.to_string().into()),
    }
}

/// Error of a handshake. A status that another attempt does not change is a refusal.
fn handshake_error(error: Error) -> OpenError {
    match error {
        Error::Http(response) if is_refusal(response.status()) => OpenError::refused(&format!(
            "it refused the WebSocket with status {}",
            response.status()
        )),
        Error::Http(response) => SubgraphError::Status(response.status().as_u16()).into(),
        Error::Protocol(error @ ProtocolError::SecWebSocketSubProtocolError(_)) => {
            OpenError::refused(&format!("it does not have the subprotocol: {error}"))
        }
        error => lost(&error).into(),
    }
}

/// Error of a close frame. Codes by which the subgraph refuses the client or its operation, and those
/// of a violated protocol, are refusals.
fn closed(frame: Option<&CloseFrame>) -> OpenError {
    let Some(CloseFrame { code, reason }) = frame else {
        return SubgraphError::Closed("it closed the WebSocket".into()).into();
    };
    let code = u16::from(*code);
    let text = format!("it closed the WebSocket with {code} {reason}");
    match code {
        1002 | 1003 | 1007 | 1008 | 1010 | 4400 | 4401 | 4403 | 4406 | 4409 | 4429 => {
            OpenError::refused(text.trim_end())
        }
        _ => SubgraphError::Closed(text.trim_end().into()).into(),
    }
}
