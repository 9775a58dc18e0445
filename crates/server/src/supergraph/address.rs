//! Requests for a supergraph at an address.

use clients::GetError;
use clients::http::{Answer, Client};
use hyper::StatusCode;
use hyper::Uri;
use hyper::header::{ETAG, HeaderName, HeaderValue};

use super::fetches::{BOUNDS, Document, FetchError, Reply, Tag};

pub(super) async fn ask(
    url: &Uri,
    headers: &[(HeaderName, HeaderValue)],
    known: Option<&Tag>,
) -> Result<Reply, FetchError> {
    match get(url, headers, known).await? {
        Got::Reply(reply) => Ok(reply),
        Got::Error(answer) => Err(GetError::Status(answer.status).into()),
    }
}

/// The answer to a GET request.
pub(super) enum Got {
    Reply(Reply),
    /// Another status than 200, and than 304 for a known version.
    Error(Answer),
}

/// Asks for a document, unless its entity tag is the known one.
pub(super) async fn get(
    url: &Uri,
    headers: &[(HeaderName, HeaderValue)],
    known: Option<&Tag>,
) -> Result<Got, FetchError> {
    let known = known.and_then(Tag::entity);
    let answer = Client::new(url)?.get_answer(url, headers, known, BOUNDS).await?;
    Ok(match answer.status {
        StatusCode::OK => {
            let tag = answer.headers.get(ETAG).cloned().map(Tag::Entity);
            Got::Reply(Reply::new(Document { body: answer.body, tag }))
        }
        StatusCode::NOT_MODIFIED if known.is_some() => Got::Reply(Reply::unchanged()),
        _ => Got::Error(answer),
    })
}
