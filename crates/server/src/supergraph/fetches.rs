//! Fetches of a supergraph from another server: its addresses in turn, the pause that the server asks for,
//! and counters.

use std::fmt;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::GetError;
use clients::http::DownloadLimits;
use hyper::Uri;
use hyper::header::HeaderValue;
use tokio::time::sleep;

use super::{SupergraphText, address, hive, s3, uplink};
use crate::options::{RemoteKind, RemoteSupergraph};

/// Many times the size of the largest known supergraphs.
pub(super) const BOUNDS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(30), most_bytes: 64 << 20 };

/// The longest pause that a server can ask for.
const LONGEST_DELAY: Duration = Duration::from_secs(300);

/// The time in which a reload uses the document of the poll that caused it.
const POLLED: Duration = Duration::from_secs(30);

/// State of fetches, which reloads keep.
#[derive(Debug, Default)]
pub(crate) struct Fetches {
    /// Outcomes by the kind of server.
    counts: [Outcomes; RemoteKind::ALL.len()],
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct Outcomes {
    fetched: AtomicU64,
    unchanged: AtomicU64,
    failed: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// The supergraph that was fetched last: the state is about its servers.
    place: Option<RemoteSupergraph>,
    /// The number of the address that answered last: the next fetch begins there.
    endpoint: usize,
    /// The pause that the server asked for last.
    min_delay: Duration,
    /// The server asks for no request before.
    not_before: Option<Instant>,
    /// The time of the last fetch that did not fail, or of the first one.
    last_success: Option<Instant>,
    polled: Option<Polled>,
}

/// The document of a poll, for the reload that it causes. So a server is asked once for each version, and a
/// second server that is behind cannot give an older one.
#[derive(Debug)]
struct Polled {
    place: RemoteSupergraph,
    text: SupergraphText,
    at: Instant,
}

/// Counters of fetches from one kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FetchCounts {
    pub(crate) kind: RemoteKind,
    pub(crate) fetched: u64,
    pub(crate) unchanged: u64,
    pub(crate) failed: u64,
    /// The time since the last fetch that did not fail, or since the first one.
    pub(crate) age: Duration,
}

/// The name of a version by its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// <https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3>
    Entity(HeaderValue),
    /// The id of a version in Uplink.
    Id(Box<str>),
}

/// A fetched document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) body: Bytes,
    pub(super) tag: Option<Tag>,
}

/// The answer of a server.
#[derive(Debug)]
pub(super) struct Reply {
    /// None if the version is still the known one.
    pub(super) document: Option<Document>,
    /// The pause that the server asks for.
    pub(super) min_delay: Option<Duration>,
}

/// The reason why a supergraph was not fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Get(#[from] GetError),
    /// The server answers with a reason.
    #[error("{0}")]
    Refused(String),
    /// The same, and another address would not answer differently.
    #[error("{0}")]
    Final(String),
    /// The reason of each address.
    #[error("{}", .0.join("; "))]
    Endpoints(Vec<String>),
}

impl Fetches {
    /// Fetches the document. Waits if the server has asked for a pause.
    pub(super) async fn fetch(&self, place: &RemoteSupergraph) -> Result<Document, FetchError> {
        match self.fetch_if_changed(place, None).await? {
            Some(document) => Ok(document),
            None => Err(FetchError::Refused(
                "the server has nothing new, although no version was known".into(),
            )),
        }
    }

    /// The same; none if the version is still the known one.
    pub(super) async fn fetch_if_changed(
        &self,
        place: &RemoteSupergraph,
        known: Option<&Tag>,
    ) -> Result<Option<Document>, FetchError> {
        let not_before = {
            let mut state = self.state();
            state.begin(place);
            state.not_before
        };
        if let Some(rest) = not_before.and_then(|at| at.checked_duration_since(Instant::now())) {
            let milliseconds = rest.as_millis();
            tracing::debug!(supergraph = %place, milliseconds, "the server has asked for a pause");
            sleep(rest).await;
        }
        {
            // Also if this fetch is abandoned.
            let mut state = self.state();
            state.not_before = Some(Instant::now() + state.min_delay);
        }
        let asked = self.ask_in_turn(place, known).await;
        let counts = &self.counts[place.kind() as usize];
        let mut state = self.state();
        let count = match &asked {
            Ok(Reply { document, min_delay }) => {
                let now = Instant::now();
                state.last_success = Some(now);
                state.min_delay = min_delay.unwrap_or_default().min(LONGEST_DELAY);
                state.not_before = Some(now + state.min_delay);
                if document.is_some() { &counts.fetched } else { &counts.unchanged }
            }
            Err(_) => &counts.failed,
        };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(asked?.document)
    }

    /// Asks one address after the other until one answers, from the last one that did.
    async fn ask_in_turn(
        &self,
        place: &RemoteSupergraph,
        known: Option<&Tag>,
    ) -> Result<Reply, FetchError> {
        let endpoints = match place {
            RemoteSupergraph::Url(url) => slice::from_ref(&url.url),
            RemoteSupergraph::Uplink(graph) => &graph.endpoints,
            RemoteSupergraph::Hive(target) => &target.endpoints,
            RemoteSupergraph::S3(object) => slice::from_ref(&object.url),
        };
        let first = self.state().endpoint;
        let mut reasons = Vec::new();
        for number in (0..endpoints.len()).map(|step| (first + step) % endpoints.len()) {
            let endpoint = &endpoints[number];
            let error = match ask(place, endpoint, known).await {
                Ok(reply) => {
                    self.state().endpoint = number;
                    if !reasons.is_empty() {
                        let (supergraph, error) = (place.to_string(), reasons.join("; "));
                        tracing::warn!(supergraph, error, "another address has answered");
                    }
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let is_final = matches!(error, FetchError::Final(_));
            reasons.push(match place {
                // Its name is the address.
                RemoteSupergraph::Url(_) => error.to_string(),
                RemoteSupergraph::Uplink(_)
                | RemoteSupergraph::Hive(_)
                | RemoteSupergraph::S3(_) => {
                    format!("{}: {error}", redact::address(&endpoint.to_string()))
                }
            });
            if is_final {
                break;
            }
        }
        Err(FetchError::Endpoints(reasons))
    }

    /// Keeps the document of a poll for the reload that follows.
    pub(super) fn keep_polled(&self, place: RemoteSupergraph, text: SupergraphText) {
        self.state().polled = Some(Polled { place, text, at: Instant::now() });
    }

    /// The document of a poll that has just found it, once.
    pub(super) fn take_polled(&self, place: &RemoteSupergraph) -> Option<SupergraphText> {
        let polled = self.state().polled.take();
        let polled = polled.filter(|kept| kept.place == *place && kept.at.elapsed() < POLLED);
        polled.map(|kept| kept.text)
    }

    /// Counters of the server that is asked; none if there was no fetch.
    pub(crate) fn counts(&self) -> Option<FetchCounts> {
        let state = self.state();
        let (kind, last_success) = (state.place.as_ref()?.kind(), state.last_success?);
        let counts = &self.counts[kind as usize];
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Some(FetchCounts {
            kind,
            fetched: read(&counts.fetched),
            unchanged: read(&counts.unchanged),
            failed: read(&counts.failed),
            age: last_success.elapsed(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Begins anew for another supergraph, or for other servers or keys of it.
    fn begin(&mut self, place: &RemoteSupergraph) {
        if self.place.as_ref() != Some(place) {
            let (place, last_success) = (Some(place.clone()), Some(Instant::now()));
            *self = Self { place, last_success, ..Self::default() };
        }
    }
}

/// Asks one address of a supergraph.
async fn ask(
    place: &RemoteSupergraph,
    endpoint: &Uri,
    known: Option<&Tag>,
) -> Result<Reply, FetchError> {
    match place {
        RemoteSupergraph::Url(url) => address::ask(endpoint, &url.headers, known).await,
        RemoteSupergraph::Uplink(graph) => uplink::ask(graph, endpoint, known).await,
        RemoteSupergraph::Hive(target) => hive::ask(target, endpoint, known).await,
        RemoteSupergraph::S3(object) => s3::ask(object, known).await,
    }
}

impl Reply {
    pub(super) fn new(document: Document) -> Self {
        Self { document: Some(document), min_delay: None }
    }

    pub(super) fn unchanged() -> Self {
        Self { document: None, min_delay: None }
    }
}

impl Tag {
    pub(super) fn entity(&self) -> Option<&HeaderValue> {
        match self {
            Self::Entity(tag) => Some(tag),
            Self::Id(_) => None,
        }
    }

    pub(super) fn id(&self) -> Option<&str> {
        match self {
            Self::Id(id) => Some(id),
            Self::Entity(_) => None,
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(tag) => f.write_str(&String::from_utf8_lossy(tag.as_bytes())),
            Self::Id(id) => f.write_str(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{RegistryOptions, SupergraphLocation};

    fn place(url: &str) -> RemoteSupergraph {
        match SupergraphLocation::parse(url, &RegistryOptions::default()) {
            Ok(SupergraphLocation::Remote(place)) => place,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn another_supergraph_does_not_wait_for_the_one_before() {
        let mut state = State::default();
        state.begin(&place("https://a.example/s"));
        let later = Some(Instant::now() + LONGEST_DELAY);
        (state.endpoint, state.min_delay, state.not_before) = (1, LONGEST_DELAY, later);
        state.begin(&place("https://a.example/s"));
        assert_eq!((state.endpoint, state.not_before), (1, later));
        state.begin(&place("https://b.example/s"));
        assert_eq!((state.endpoint, state.min_delay, state.not_before), (0, Duration::ZERO, None));
        // Neither do other credentials.
        state.not_before = later;
        state.begin(&place("https://ada:new@b.example/s"));
        assert_eq!(state.not_before, None);
    }

    #[test]
    fn the_document_of_a_poll_is_used_once_and_for_its_place() {
        let fetches = Fetches::default();
        let (one, other) = (place("https://a.example/s"), place("https://b.example/s"));
        let keep = || fetches.keep_polled(one.clone(), SupergraphText::composed("schema".into()));
        assert!(fetches.take_polled(&one).is_none());
        keep();
        assert_eq!(fetches.take_polled(&one).map(|text| text.text), Some("schema".into()));
        assert!(fetches.take_polled(&one).is_none());
        keep();
        assert!(fetches.take_polled(&other).is_none());
    }

    #[test]
    fn fetches_are_counted_from_the_first_one() {
        let fetches = Fetches::default();
        assert_eq!(fetches.counts(), None);
        fetches.state().begin(&place("https://a.example/s"));
        let counts = fetches.counts().unwrap();
        let FetchCounts { kind, fetched, unchanged, failed, age } = counts;
        assert_eq!((kind, fetched, unchanged, failed), (RemoteKind::Url, 0, 0, 0));
        assert!(age < POLLED);
    }
}
