//! `thalweg schema`: prints the API in GraphQL's schema language.

use dialects::hasura::permissions::ADMIN;
use engine::Engine;

use crate::commands::{FOR_DATABASES, Opened, block_on, gateway, open, print};
use crate::failure::Failure;
use crate::options::{ApiOptions, RegistryOptions, SchemaOptions, refuse_group};

pub(crate) fn run(options: &SchemaOptions) -> Result<(), Failure> {
    let SchemaOptions { api, role } = options;
    if let Some(place) = api.supergraph(&RegistryOptions::default())? {
        refuse_group::<ApiOptions>(&api.given, FOR_DATABASES)?;
        if role.is_some() {
            return Err(Failure::Usage("`--role` is for databases".to_owned()));
        }
        let supergraph = gateway::read(&place)?.supergraph;
        return print(&graphql::print_schema(&supergraph.api.schema));
    }
    let Opened { engine, _preview } = block_on(open(api, engine::Limits::default()))?;
    if let Some(role) = role {
        return print(&of_role(&engine, role)?);
    }
    match engine.subgraph_sdl() {
        Some(sdl) => print(sdl),
        None => print(&of_role(&engine, ADMIN)?),
    }
}

/// The schema that a role sees.
fn of_role(engine: &Engine, role: &str) -> Result<String, Failure> {
    if let Some(sdl) = engine.sdl_of_role(role) {
        return Ok(sdl);
    }
    if role == ADMIN {
        return Ok(engine.sdl());
    }
    let known = engine.role_names();
    Err(Failure::Usage(match known.is_empty() {
        true => format!(
            "there is no role `{role}`: only the metadata of `--dialect hasura` has roles with \
             schemas of their own"
        ),
        false => format!("there is no role `{role}`; the roles are {}", known.join(", ")),
    }))
}
