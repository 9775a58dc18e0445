//! Source stream of a subscription, by any protocol.

use tokio::time::Instant;

use super::super::request::SubgraphError;
use super::callback_stream::CallbackStream;
use super::http_stream::HttpStream;
use super::opener::SourceOpener;
use super::operation::Operation;
use super::settings::SubscriptionProtocol;
use super::source_event::{OpenError, SourceEvent};

/// An open source stream.
#[derive(Debug)]
pub(super) enum Source {
    Socket(Operation),
    Http(Box<HttpStream>),
    Callback(Box<CallbackStream>),
}

impl Source {
    pub(super) async fn open(opener: &SourceOpener) -> Result<Self, OpenError> {
        let began = Instant::now();
        opener.shared.begin();
        let opened = match opener.settings.protocol {
            SubscriptionProtocol::TransportWs | SubscriptionProtocol::LegacyWs => {
                Operation::begin(opener).await.map(Self::Socket)
            }
            SubscriptionProtocol::Sse | SubscriptionProtocol::Multipart => {
                let stream = opener.admitted(HttpStream::open(opener)).await;
                stream.map(|stream| Self::Http(Box::new(stream)))
            }
            SubscriptionProtocol::Callback => {
                let stream = opener.admitted(CallbackStream::open(opener)).await;
                stream.map(|stream| Self::Callback(Box::new(stream)))
            }
        };
        let error = match &opened {
            Err(OpenError::Failed(error)) => Some(error.kind()),
            Ok(_) | Err(OpenError::Refused(_)) => None,
        };
        opener.shared.end(began.elapsed(), error);
        opened
    }

    /// Waits for the next event; the error is a lost connection. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<SourceEvent, SubgraphError> {
        match self {
            Self::Socket(operation) => operation.next().await,
            Self::Http(stream) => stream.next().await,
            Self::Callback(stream) => stream.next().await,
        }
    }
}
