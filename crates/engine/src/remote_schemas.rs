//! The schemas of the remote schemas of metadata, which their servers give when an API is made.

use std::sync::Arc;
use std::time::Instant;

use clients::connect::ConnectError;
use clients::egress::{Client, Egress, EgressError, EgressRequest, EgressSettings};
use dialects::hasura;
use dialects::hasura::remote::{RemoteSchemas, WantedSchema, wanted};
use http::Method;
use http_resolvers::Inputs;
use http_resolvers::remote_schema::{RemoteSchema, introspection_body};
use serde_json::Map;

/// The schemas of the remote schemas of the metadata. A server that does not give its schema is a
/// problem of the metadata.
pub(crate) async fn read(
    dialect: &hasura::Options,
    settings: EgressSettings,
) -> Result<RemoteSchemas, ConnectError> {
    let served = dialect.metadata.served();
    let servers = served.map(|served| wanted(served.metadata(), &dialect.environment));
    let servers = servers.unwrap_or_default();
    let mut schemas = Vec::with_capacity(servers.len());
    if servers.is_empty() {
        return Ok(RemoteSchemas(schemas));
    }
    let is_encrypted = servers.iter().any(|server| server.url.is_encrypted());
    let egress = Egress::new(settings, is_encrypted)?;
    let client = Client::new(&egress);
    for server in servers {
        let schema = schema(&client, &server).await;
        schemas.push((server.name, schema.map(Arc::new)));
    }
    Ok(RemoteSchemas(schemas))
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
