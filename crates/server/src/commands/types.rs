//! `thalweg types`: prints type definitions generated from a graph.

use crate::commands::{block_on, print};
use crate::failure::Failure;
use crate::options::TypesOptions;

pub(crate) fn run(options: &TypesOptions) -> Result<(), Failure> {
    let version = options.version();
    let address = options.address()?;
    let written = block_on(async {
        Ok(engine::graph::written(&address, version, engine::Timeouts::default()).await?)
    })?;
    print(&written.text)
}
