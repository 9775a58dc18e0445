//! The API of PostGraphile 4.

use catalog::Catalog;

use crate::api::{Api, ApiBuilder};

/// Which simple lists stand beside or instead of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimpleCollections {
    #[default]
    Omit,
    Both,
    Only,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub simple_collections: SimpleCollections,
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let _ = (catalog, options);
    ApiBuilder::default().finish()
}
