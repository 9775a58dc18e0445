//! `thalweg schema`: the API in GraphQL's schema language.

use crate::commands::{block_on, open, print};
use crate::failure::Failure;
use crate::options::ApiOptions;

pub(crate) fn run(options: &ApiOptions) -> Result<(), Failure> {
    let engine = block_on(open(options, engine::Limits::default()))?;
    print(&engine.sdl())
}
