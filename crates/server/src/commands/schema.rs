//! `thalweg schema`: prints the API in GraphQL's schema language.

use crate::commands::{FOR_DATABASES, block_on, gateway, open, print};
use crate::failure::Failure;
use crate::options::{ApiOptions, RegistryOptions, refuse_group};

pub(crate) fn run(options: &ApiOptions) -> Result<(), Failure> {
    if let Some(place) = options.supergraph(&RegistryOptions::default())? {
        refuse_group::<ApiOptions>(&options.given, FOR_DATABASES)?;
        let supergraph = gateway::read(&place)?.supergraph;
        return print(&graphql::print_schema(&supergraph.api.schema));
    }
    let engine = block_on(open(options, engine::Limits::default()))?;
    match engine.subgraph_sdl() {
        Some(sdl) => print(sdl),
        None => print(&engine.sdl()),
    }
}
