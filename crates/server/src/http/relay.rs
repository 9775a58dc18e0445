//! The Relay API of the dialect hasura: a second schema of the same source, which is made when the
//! first request asks for it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dialects::Dialect;
use dialects::hasura::SchemaKind;
use dialects::hasura::metadata::{MetadataError, MetadataSetting, ServedSource};
use engine::{Api, Engine, OpenError, SourceAddress};
use hasura_metadata::PackedMetadata;
use tokio::runtime;
use tokio::sync::OnceCell;
use tokio::task::LocalSet;

/// The path of the Relay API.
pub(super) const PATH: &str = "/v1beta1/relay";

/// The Relay API of a generation, which all threads share.
pub(crate) struct RelayApi {
    source: SourceAddress,
    /// Without the metadata, which would stay in memory until the first request.
    options: engine::Options,
    /// The metadata and the name of its source.
    metadata: Option<(PackedMetadata, String)>,
    opened: OnceCell<Api>,
}

impl RelayApi {
    /// The Relay API beside an API of these options; `None` for other dialects.
    pub(crate) fn new(source: &SourceAddress, options: &engine::Options) -> Option<Arc<Self>> {
        let mut options = options.clone();
        let Dialect::Hasura(dialect) = &mut options.dialect else { return None };
        dialect.schema = SchemaKind::Relay;
        // It has other root fields.
        options.cache.fields = Arc::default();
        let metadata = dialect.metadata.served();
        let metadata =
            metadata.map(|served| (served.packed().clone(), served.source().name.text.clone()));
        if metadata.is_some() {
            dialect.metadata = MetadataSetting::None;
        }
        let (source, opened) = (source.clone(), OnceCell::new());
        Some(Arc::new(Self { source, options, metadata, opened }))
    }

    /// The API, if a request has asked for it.
    pub(crate) fn find(&self) -> Option<&Api> {
        self.opened.get()
    }

    /// The API, which the first call makes on a thread of its own: it may take a while.
    pub(crate) async fn open(self: &Arc<Self>) -> Result<&Api, RelayError> {
        let opened = self.opened.get_or_try_init(async || {
            let own = Arc::clone(self);
            let opened = tokio::task::spawn_blocking(move || own.make()).await;
            let engine = opened.map_err(|_| RelayError::Panic)??;
            tracing::info!("the schema of the Relay API was made");
            Ok::<Api, RelayError>(Api::Source(engine))
        });
        let opened = opened.await;
        if let Err(error) = &opened {
            let error = error.to_string().replace('\n', " ");
            tracing::error!(error, "the Relay API cannot be served");
        }
        opened
    }

    fn make(&self) -> Result<Arc<Engine>, RelayError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(RelayError::Runtime)?;
        let mut options = self.options.clone();
        if let (Some((packed, name)), Dialect::Hasura(dialect)) =
            (&self.metadata, &mut options.dialect)
        {
            let served = ServedSource::choose(packed.read(), Some(name))?;
            dialect.metadata = MetadataSetting::Read(served);
        }
        let opening = Engine::open(&self.source, &options);
        Ok(LocalSet::new().block_on(&runtime, opening)?)
    }

    /// Closes the source after the last request.
    pub(crate) fn close(&self, patience: Duration) {
        if let Some(api) = self.find() {
            api.close(patience);
        }
    }
}

/// The options may name secrets.
impl fmt::Debug for RelayApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayApi").field("is_opened", &self.opened.initialized()).finish()
    }
}

/// The reason why there is no Relay API.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RelayError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    #[error("a thread cannot be started: {0}")]
    Runtime(std::io::Error),
    #[error("a panic, which the log has")]
    Panic,
}
