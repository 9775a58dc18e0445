//! `thalweg types`: prints type definitions generated from a graph, or a datamodel of tables.

use crate::commands::{block_on, print};
use crate::failure::Failure;
use crate::options::{TypesOptions, TypesTarget};

pub(crate) fn run(options: &TypesOptions) -> Result<(), Failure> {
    let address = options.address()?;
    let timeouts = engine::Timeouts::default();
    let target = options.target(&address)?;
    let text = block_on(async {
        Ok(match &target {
            TypesTarget::Graph(version) => {
                engine::graph::written(&address, *version, timeouts).await?.text
            }
            TypesTarget::Tables(tables) => engine::datamodel::of_tables(&address, tables).await?,
        })
    })?;
    print(&text)
}
