//! `/management`: what Prisma's commands ask about the server and its service.

use dialects::prisma::errors;
use dialects::prisma::management::{
    MANAGEMENT_API, OF_HISTORY, RecordedMigration, Served, resolve,
};
use engine::{SourceAddress, datamodel};
use graphql::{ErrorCode, GraphQLError, Request};

use super::Answered;
use super::settings::{Datamodel, PrismaSettings, ServiceDatabase};
use crate::http::credentials::AuthError;
use crate::http::refusal::Refusal;
use crate::http::service::Service;

/// Answers a request; the refusal of the caller's token is an error of the fields that need one.
pub(super) async fn answer(
    service: &Service,
    settings: &PrismaSettings,
    datamodel: &Datamodel,
    refusal: Option<&Refusal>,
    request: &Request,
) -> Answered {
    let begun = MANAGEMENT_API.begin(request, &service.worker.limits().document);
    let begun = match begun {
        Ok(begun) => begun,
        Err(errors) => return Ok(Err(errors)),
    };
    let history =
        match refusal.is_none() && begun.wanted().any(|own| OF_HISTORY.contains(&own.name)) {
            true => history(settings).await?,
            false => Vec::new(),
        };
    let served = Served {
        name: settings.service.name(),
        stage: settings.service.stage(),
        id: &settings.id(&settings.service),
        history: &history,
        text: &datamodel.text,
        model: &datamodel.model,
        secrets: &settings.secrets,
        subscriptions: &settings.webhooks,
        connector: match &settings.database.source {
            SourceAddress::Postgres(_) => "postgres",
            SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => "sqlite",
        },
        version: env!("CARGO_PKG_VERSION"),
    };
    let refused = refusal.map(refused);
    let values: Vec<_> =
        begun.wanted().map(|wanted| resolve(&served, wanted, refused.as_ref())).collect();
    Ok(begun.data(values).map_err(|error| vec![error]))
}

/// The migrations of the service's database.
async fn history(settings: &PrismaSettings) -> Result<Vec<RecordedMigration>, Refusal> {
    let ServiceDatabase { source, tables, .. } = &*settings.database;
    let applied = datamodel::history(source, tables).await.map_err(|error| {
        tracing::error!(%error, "the history of migrations cannot be read");
        super::unavailable()
    })?;
    let recorded = applied.into_iter().map(|own| RecordedMigration {
        number: own.number,
        applied_at: own.applied_at,
        datamodel: own.definitions,
    });
    Ok(recorded.collect())
}

/// The error of a token that is refused.
fn refused(refusal: &Refusal) -> GraphQLError {
    let Refusal::ServiceToken(denied) = refusal else { return refusal.error() };
    let reason = match denied {
        AuthError::Missing => "'Authorization' header not provided",
        AuthError::Expired => "it has expired",
        AuthError::Malformed
        | AuthError::Setting(_)
        | AuthError::Invalid { .. }
        | AuthError::NoKeys => {
            "none of the server's secrets has signed it (PRISMA_MANAGEMENT_API_SECRET)"
        }
    };
    GraphQLError::new(ErrorCode::Unauthenticated, errors::management_token_refused(reason))
}
