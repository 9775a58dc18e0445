//! The API of Phrag.

use catalog::Catalog;

use crate::api::{Api, ApiBuilder};

/// How 64-bit integers are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BigIntegers {
    /// As Int: a value beyond 32 bits is an error at its path.
    #[default]
    Int,
    /// As a scalar of their own, a string.
    String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub big_integers: BigIntegers,
    pub default_limit: Option<u64>,
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let _ = (catalog, options);
    ApiBuilder::default().finish()
}
