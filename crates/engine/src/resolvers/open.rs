//! Checks of resolvers when the API is made.

use std::sync::Arc;

use bytes::Bytes;
use clients::connect::ConnectError;
use clients::egress::{Client, Egress, EgressError, EgressRequest};
use dialects::{Api, Resolver};
use http_resolvers::HttpCall;
use http_resolvers::introspect::{Difference, Resolved};

use super::{ResolverOptions, Resolvers};
use crate::headers::ReadHeaders;

/// The reason why the API cannot send requests to other servers.
#[derive(Debug, thiserror::Error)]
pub enum ResolverError {
    #[error(
        "{}; `--custom-hosts {}` allows them",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        .0.iter().map(|refused| &*refused.host).collect::<Vec<_>>().join(",")
    )]
    Hosts(Vec<RefusedHost>),
    #[error("requests of custom fields: {0}")]
    Connect(#[from] ConnectError),
    #[error(
        "`{field}`: the schema of its GraphQL server cannot be read: {error}; \
         `skipIntrospection: true` leaves out the check"
    )]
    NoSchema { field: Box<str>, error: Box<str> },
    #[error("`{field}` does not fit its GraphQL server: {difference}")]
    Difference { field: Box<str>, difference: Difference },
}

/// A host that is not allowed, with the first field that sends requests to it.
#[derive(Debug, thiserror::Error)]
#[error("`{field}` sends requests to the host `{host}`, which is not allowed")]
pub struct RefusedHost {
    field: Box<str>,
    host: Box<str>,
}

/// Answers to introspection by their requests: several fields may be of one server.
type Schemas = Vec<(HttpCall, Bytes)>;

impl Resolvers {
    /// Checks the resolvers of an API; `None` if it has none.
    pub(crate) async fn open(
        api: &Api,
        options: Option<&ResolverOptions>,
    ) -> Result<Option<Self>, ResolverError> {
        let mut checks = api.input_checks.servers();
        checks.extend(api.async_actions.iter().map(|action| &action.delivery));
        if !api.has_resolvers() && checks.is_empty() {
            return Ok(None);
        }
        let ResolverOptions { egress, most_calls, statistics } =
            options.cloned().unwrap_or_default();
        let resolvers = api.resolvers();
        let mut read_headers = ReadHeaders::default();
        let mut refused: Vec<RefusedHost> = Vec::new();
        let definitions = resolvers.iter().map(|one| &one.definition);
        for definition in definitions.chain(checks.iter().copied()) {
            let host = definition.url.host();
            if !definition.is_local()
                && !egress.allows(host)
                && !refused.iter().any(|known| *known.host == *host)
            {
                let field = definition.name().into();
                refused.push(RefusedHost { field, host: host.into() });
            }
            for (_, local) in &definition.headers.forwarded {
                read_headers.add(local.clone());
            }
            let of_action =
                definition.webhook().and_then(|action| action.webhook.client_headers.as_ref());
            if of_action.or(definition.headers.client.as_ref()).is_some() {
                read_headers.add_all();
            }
        }
        if !refused.is_empty() {
            return Err(ResolverError::Hosts(refused));
        }
        let is_encrypted = resolvers.iter().any(|one| one.definition.url.is_encrypted())
            || checks.iter().any(|check| check.url.is_encrypted());
        let most_concurrent = egress.connections;
        let egress = Egress::new(egress, is_encrypted)?;
        let client = Client::new(&egress);
        let mut schemas = Schemas::new();
        let mut counts = Vec::with_capacity(resolvers.len());
        for resolver in resolvers {
            check(api, resolver, &client, &mut schemas).await?;
            counts
                .push((Arc::clone(&resolver.definition), statistics.counts(&resolver.definition)));
        }
        counts.extend(checks.into_iter().map(|one| (Arc::clone(one), statistics.counts(one))));
        Ok(Some(Self { egress, most_calls, most_concurrent, read_headers, counts }))
    }
}

/// Compares a resolver with the schema of its GraphQL server.
async fn check(
    api: &Api,
    resolver: &Resolver,
    client: &Client,
    schemas: &mut Schemas,
) -> Result<(), ResolverError> {
    let definition = &resolver.definition;
    let Some(call) = definition.introspection_call() else { return Ok(()) };
    let field = || definition.name().into();
    let known = schemas.iter().find(|(known, _)| *known == call);
    let answer = match known {
        Some((_, answer)) => answer.clone(),
        None => {
            let answer = introspect(client, call.clone()).await;
            let answer =
                answer.map_err(|error| ResolverError::NoSchema { field: field(), error })?;
            schemas.push((call, answer.clone()));
            answer
        }
    };
    let resolved = Resolved {
        schema: &api.schema,
        parent: resolver.parent,
        field: resolver.field,
        remote_types: api.remote_types(),
        resolver: &Arc::clone(definition),
    };
    resolved
        .check(&answer)
        .map_err(|difference| ResolverError::Difference { field: field(), difference })
}

async fn introspect(client: &Client, call: HttpCall) -> Result<Bytes, Box<str>> {
    let HttpCall { method, url, headers, body } = call;
    let reserve = &|_| true;
    let request =
        EgressRequest { method, url, headers, body, deadline: None, timeout: None, reserve };
    match client.send(request).await {
        Ok(response) if (200..300).contains(&response.status) => Ok(response.body),
        Ok(response) => Err(format!("it responded with status {}", response.status).into()),
        Err(EgressError::AddressRefused) => {
            Err("the host has a private address: allow its network \
                                                 with `--custom-networks`"
                .into())
        }
        Err(error) => Err(error.to_string().into()),
    }
}
