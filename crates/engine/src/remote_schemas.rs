//! The schemas of the remote schemas of metadata, which their servers give when an API is made.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use clients::egress::{Client, Egress, EgressError, EgressRequest};
use dialects::Dialect;
use dialects::hasura::remote::{RemoteSchemas, WantedSchema, wanted};
use http::Method;
use http_resolvers::Inputs;
use http_resolvers::remote_schema::{RemoteSchema, introspection_body};
use serde_json::Map;

use crate::engine::{OpenError, Options};
use crate::resolvers::ResolverError;

/// The options with the schemas of remote schemas. A reload reads them again. A server that does not
/// give its schema is a problem of the metadata.
pub(crate) async fn read<'o>(options: Cow<'o, Options>) -> Result<Cow<'o, Options>, OpenError> {
    let Dialect::Hasura(dialect) = &options.dialect else { return Ok(options) };
    let Some(served) = dialect.metadata.served() else { return Ok(options) };
    let servers = wanted(served.metadata(), &dialect.environment);
    if servers.is_empty() {
        return Ok(options);
    }
    let settings = options.resolvers.clone().unwrap_or_default().egress;
    let is_encrypted = servers.iter().any(|server| server.url.is_encrypted());
    let egress = Egress::new(settings, is_encrypted).map_err(ResolverError::Connect)?;
    let client = Client::new(&egress);
    let mut schemas = Vec::with_capacity(servers.len());
    for server in servers {
        let schema = schema(&client, &server).await;
        schemas.push((server.name, Arc::new(schema)));
    }
    let mut options = options.into_owned();
    if let Dialect::Hasura(dialect) = &mut options.dialect {
        dialect.remote_schemas = RemoteSchemas(schemas);
    }
    Ok(Cow::Owned(options))
}

/// The schema of a server; or why there is none, without its address.
async fn schema(client: &Client, server: &WantedSchema) -> Result<RemoteSchema, Box<str>> {
    let url = server.url.fill(&Inputs::default()).map_err(|error| error.to_string())?;
    let mut headers = server.headers.for_introspection();
    let role = [("x-hasura-role".to_owned(), "admin".into())];
    server.headers.add_client(None, &Map::from_iter(role), &mut headers);
    let request = EgressRequest {
        method: Method::POST,
        url,
        headers,
        body: introspection_body(),
        deadline: Some(Instant::now() + server.timeout),
        timeout: Some(server.timeout),
        reserve: &|_| true,
    };
    match client.send(request).await {
        Ok(response) if (200..300).contains(&response.status) => {
            RemoteSchema::read(&response.body).map_err(|error| error.to_string().into())
        }
        Ok(response) => Err(format!("it responds with the status {}", response.status).into()),
        Err(EgressError::HostRefused) => {
            Err("its host is not allowed; `--custom-hosts` allows it".into())
        }
        Err(EgressError::AddressRefused) => {
            Err("its host has a private address; `--custom-networks` allows its network".into())
        }
        Err(error) => Err(error.to_string().into()),
    }
}
