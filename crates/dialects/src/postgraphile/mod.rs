//! The API of PostGraphile 4.
//!
//! The reading side of what PostGraphile 4.14 makes of a database with its defaults: the same
//! names, types, arguments, orders and descriptions; by option also the filters of the
//! connection-filter plugin. Not there yet, and so not in the schema: functions, mutations, smart
//! tags in comments.
//!
//! * [`build`]: the API while it is made
//! * [`naming`], [`inflection`]: how names are formed; [`names`]: the names of what there is
//! * [`claims`]: who has which name
//! * [`types`], [`scalars`], [`enums`], [`parts`], [`inputs`]: types of columns
//! * [`entity`], [`connection`], [`order`], [`condition`]: the types that each entity has
//! * [`aggregates`]: what is made of all rows
//! * [`filter`]s, by option
//! * [`relations`], [`root`]: fields that give rows, with their [`arguments`]
//! * [`descriptions`]: what the API says about itself

mod aggregates;
mod arguments;
mod build;
mod claims;
mod condition;
mod connection;
mod descriptions;
mod entity;
mod enums;
mod filter;
mod inflection;
mod inputs;
mod names;
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
pub use filter::FilterOptions;

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
    /// What is made of all rows, as the plugin pg-aggregates gives it.
    pub aggregates: bool,
    /// The global id is called `id`, and a column `id` is called `rowId`.
    pub classic_ids: bool,
    /// The filters of the connection-filter plugin; without it there are none.
    pub connection_filter: Option<FilterOptions>,
    pub simple_collections: SimpleCollections,
    /// The names of the plugin pg-simplify-inflector instead of the classic ones.
    pub simplified_names: Option<SimplifiedNames>,
}

/// What the plugin pg-simplify-inflector simplifies, and what its own options change of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimplifiedNames {
    /// `people` instead of `allPeople`.
    pub all_rows: bool,
    /// Relations along several columns are named after all of them.
    pub multikey_relations: bool,
    /// Connections have an ending in their names instead of lists.
    pub omit_list_suffix: bool,
    /// `person(id)` instead of `personById(id)`, and `personByNodeId` instead of `person`.
    pub short_keys: bool,
}

impl Default for SimplifiedNames {
    fn default() -> Self {
        Self { all_rows: true, multikey_relations: true, omit_list_suffix: false, short_keys: true }
    }
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
        filter::add_fields(&mut build, &served, index);
    }
    for index in 0..served.len() {
        relations::add(&mut build, &mut served, index);
    }
    root::add_fields(&mut build, &served, query);
    build.api.finish()
}
