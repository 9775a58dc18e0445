//! What options and the datamodel say about the endpoints of a service.

use std::fmt;
use std::sync::Arc;

use dialects::prisma::introspected;
use dialects::prisma::model::Model;
use engine::datamodel::{self, DatamodelTables};
use engine::{OpenError, SourceAddress, WebhookSubscription};
use hyper::Method;

use crate::http::exchange::HttpRequest;
use crate::options::{ServiceName, SourceKind};
use tokio::sync::OnceCell;

/// Settings of the dialect prisma.
pub(crate) struct PrismaSettings {
    pub(super) service: ServiceName,
    /// The secrets of the service; none if requests need no token.
    pub(super) secrets: Box<[Box<str>]>,
    /// The separator of names and stages in ids of services.
    separator: char,
    pub(super) database: Arc<ServiceDatabase>,
    /// The subscriptions whose webhooks the server calls.
    pub(super) webhooks: Vec<WebhookSubscription>,
    /// The datamodel; the first request that needs it makes it of the tables if none is given.
    datamodel: OnceCell<Datamodel>,
}

/// Hides the secrets.
impl fmt::Debug for PrismaSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrismaSettings").field("service", &self.service).finish_non_exhaustive()
    }
}

/// The database of the service, and the limits of requests to it.
#[derive(Debug)]
pub(crate) struct ServiceDatabase {
    pub(crate) source: SourceAddress,
    pub(crate) tables: DatamodelTables,
    /// What sessions may change is restricted by policies, which imports do not know.
    pub(crate) has_policies: bool,
    /// The limit of `first` in the queries of exports.
    pub(crate) max_nodes: Option<u32>,
}

/// A datamodel with its text.
#[derive(Clone, Debug)]
pub(crate) struct Datamodel {
    pub(crate) model: Arc<Model>,
    pub(crate) text: Arc<str>,
}

/// Reserved ends of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    Private,
    Import,
    Export,
    Datamodel,
}

/// A path of a service: the service, and a reserved end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServicePath {
    pub(super) service: ServiceName,
    pub(super) suffix: Option<Suffix>,
}

impl Suffix {
    fn find(segment: &str) -> Option<Self> {
        Some(match segment {
            "private" => Self::Private,
            "import" => Self::Import,
            "export" => Self::Export,
            "_datamodel" => Self::Datamodel,
            _ => return None,
        })
    }
}

impl ServicePath {
    /// Reads a path; `None` if it has more segments than services have.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let mut segments: Vec<_> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let suffix = segments.last().and_then(|last| Suffix::find(last));
        if suffix.is_some() {
            segments.pop();
        }
        Some(Self { service: ServiceName::of_segments(&segments)?, suffix })
    }
}

impl PrismaSettings {
    /// Without a datamodel, that of the tables is made when it is needed.
    pub(crate) fn new(
        (service, secrets): (ServiceName, Box<[Box<str>]>),
        (database, webhooks): (ServiceDatabase, Vec<WebhookSubscription>),
        datamodel: Option<Datamodel>,
    ) -> Self {
        let separator = match SourceKind::of(&database.source) {
            SourceKind::Postgres => '$',
            SourceKind::Sqlite | SourceKind::Neo4j => '_',
        };
        let datamodel = OnceCell::new_with(datamodel);
        let database = Arc::new(database);
        Self { service, secrets, separator, database, webhooks, datamodel }
    }

    /// The datamodel of the service.
    pub(super) async fn datamodel(&self) -> Result<&Datamodel, OpenError> {
        let introspect = async || {
            let ServiceDatabase { source, tables, .. } = &*self.database;
            let found = datamodel::introspect(source, tables).await?;
            let text = introspected::written(&found).into();
            Ok(Datamodel { model: Arc::new(found.model), text })
        };
        self.datamodel.get_or_try_init(introspect).await
    }

    /// The id of a service, as messages have it.
    pub(super) fn id(&self, service: &ServiceName) -> Box<str> {
        service.id(self.separator).into()
    }

    pub(super) fn is_served(&self, service: &ServiceName) -> bool {
        *service == self.service
    }

    /// Whether a path is that of the service, without a reserved end.
    pub(in crate::http) fn is_of_service(&self, path: &str) -> bool {
        let path = ServicePath::parse(path);
        path.is_some_and(|path| path.suffix.is_none() && self.is_served(&path.service))
    }

    /// Whether a request is one of GraphQL at the path of the service. A GET without a query is that of
    /// a browser, which gets GraphiQL.
    pub(in crate::http) fn is_graphql(&self, request: &HttpRequest, is_handshake: bool) -> bool {
        let is_page = matches!(*request.method(), Method::GET | Method::HEAD)
            && request.uri().query().is_none()
            && !is_handshake;
        !is_page && self.is_of_service(request.uri().path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_service_and_a_reserved_end() {
        let check = |path: &str, id: &str, suffix: Option<Suffix>| {
            let found = ServicePath::parse(path).unwrap();
            assert_eq!((&*found.service.id('$'), found.suffix), (id, suffix), "{path}");
        };
        check("/", "default$default", None);
        check("/blog", "blog$default", None);
        check("/blog/dev", "blog$dev", None);
        check("/blog/dev/", "blog$dev", None);
        check("/team/blog/dev", "team~blog$dev", None);
        check("/import", "default$default", Some(Suffix::Import));
        check("/blog/dev/export", "blog$dev", Some(Suffix::Export));
        check("/blog/_datamodel", "blog$default", Some(Suffix::Datamodel));
        check("/import/private", "import$default", Some(Suffix::Private));
        assert_eq!(ServicePath::parse("/a/b/c/d"), None);
        assert!(ServicePath::parse("/a/b/c/import").is_some());
    }

    #[test]
    fn one_service_is_served() {
        let check = |service: &str, path: &str, is_served: bool| {
            let database = ServiceDatabase {
                source: SourceAddress::parse("postgres://localhost/shop").unwrap(),
                tables: DatamodelTables {
                    schema: "public".into(),
                    names: None,
                    timeouts: engine::Timeouts::default(),
                },
                has_policies: false,
                max_nodes: None,
            };
            let own = (service.parse().unwrap(), Box::default());
            let settings = PrismaSettings::new(own, (database, Vec::new()), None);
            assert_eq!(settings.is_of_service(path), is_served, "{service}: {path}");
        };
        check("default/default", "/", true);
        check("default", "/default/default", true);
        check("default", "/default", true);
        check("default", "/blog", false);
        check("default", "/import", false);
        check("blog/dev", "/blog/dev", true);
        check("blog/dev", "/", false);
        check("blog/dev", "/blog", false);
        check("team/blog/dev", "/team/blog/dev", true);
        check("team/blog/dev", "/blog/dev", false);
    }
}
