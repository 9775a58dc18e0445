//! The API of PostGraphile 4.
//!
//! The reading side of what PostGraphile 4.14 makes of a database with its defaults: the same
//! names, types, arguments, orders and descriptions. Not there yet, and so not in the schema:
//! `filter`, functions, mutations,
//! aggregates, smart tags in comments.
//!
//! * [`build`]: the API while it is made
//! * [`naming`], [`inflection`]: names
//! * [`claims`]: who has which name
//! * [`types`], [`scalars`], [`enums`], [`parts`]: types of columns
//! * [`entity`], [`connection`], [`order`], [`condition`]: the types that each entity has
//! * [`relations`], [`root`]: fields that give rows, with their [`arguments`]
//! * [`descriptions`]: what the API says about itself

mod arguments;
mod build;
mod claims;
mod condition;
mod connection;
mod descriptions;
mod entity;
mod enums;
mod inflection;
mod naming;
mod order;
mod parts;
mod relations;
mod root;
mod scalars;
mod types;

use catalog::Catalog;

use crate::api::Api;
use build::Build;

/// Which simple lists stand beside or instead of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimpleCollections {
    #[default]
    Omit,
    Both,
    Only,
}

/// What may be chosen of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub simple_collections: SimpleCollections,
}

impl SimpleCollections {
    fn has_connections(self) -> bool {
        self != Self::Only
    }

    fn has_lists(self) -> bool {
        self != Self::Omit
    }
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let mut build = Build::new(catalog, options);
    let query = root::add_types(&mut build);
    let mut served = entity::plan(&mut build);
    entity::add_types(&mut build, &mut served);
    for index in 0..served.len() {
        relations::add(&mut build, &mut served, index);
    }
    root::add_fields(&mut build, &served, query);
    build.api.finish()
}
