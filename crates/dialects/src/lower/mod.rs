//! Operation → request and shape, by the bindings.

use catalog::Catalog;
use graphql::operation::Operation;
use graphql::variables::{Steering, Structure};

use crate::api::Api;

/// A lowered operation.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub request: ir::Request,
    pub shape: response::Shape,
    /// What the variables had to be for this.
    pub structure: Structure,
}

/// Why an operation cannot be lowered.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LowerError {
    #[error("{0}")]
    Refused(Box<str>),
}

/// Lowers an operation.
pub fn lower(
    catalog: &Catalog,
    api: &Api,
    operation: &Operation,
    steering: Steering<'_>,
) -> Result<Lowered, LowerError> {
    let _ = (catalog, api, operation);
    Ok(Lowered {
        request: ir::Request::default(),
        shape: response::Shape::default(),
        structure: steering.into_structure(),
    })
}
