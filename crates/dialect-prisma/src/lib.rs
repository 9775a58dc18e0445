//! The API of Prisma 1 (<https://github.com/prisma/prisma1>) over the tables that it made, or that
//! are made as it would make them.
//!
//! * [`model`]: the meaning of a datamodel
//! * [`definitions`]: the text of a datamodel to its meaning
//! * [`stored`]: the tables of a new database; [`introspected`]: the datamodel of tables
//! * `located`: the places of a datamodel in a catalog
//! * `schema`: the API of a datamodel
//! * [`extensions`]: what Prisma 1 never had
//! * `plural`: names of lists
//! * [`normalized`]: imports and exports
//! * [`management`]: the management API, and the private one of a service
//! * [`errors`]: the form of errors

pub mod definitions;
pub mod errors;
pub mod extensions;
pub mod introspected;
mod located;
pub mod management;
pub mod model;
pub mod normalized;
mod plural;
mod schema;
pub mod stored;

use std::borrow::Cow;
use std::sync::Arc;

use api::Api;
use catalog::Catalog;

use extensions::Extensions;
use located::Located;
pub use located::Missing;
use model::Model;

/// Options of the API.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub model: Arc<Model>,
    /// The text of the datamodel, if it is not made of the tables.
    pub text: Option<Arc<str>>,
    /// The datamodel is made of the tables of the database.
    pub is_introspected: bool,
    pub extensions: Extensions,
    /// Limit of `first` and `last`.
    pub max_nodes: Option<u32>,
    /// Clients may send statements of SQL.
    pub raw_access: bool,
}

// Defaults of fields come from texts, so none of them is not a number.
impl Eq for Options {}

/// Options of the schema of a datamodel.
#[derive(Clone, Copy, Debug)]
struct Offered {
    extensions: Extensions,
    /// Limit of `first` and `last`.
    max_nodes: Option<u32>,
    /// Clients may send statements of SQL.
    raw_access: bool,
    /// The datamodel is made of the tables: their identifiers may be longer than Prisma's, and clients
    /// give numbers of ids that nothing else gives, which Prisma forbids.
    is_introspected: bool,
}

/// A datamodel with its places in a catalog.
#[derive(Debug)]
pub struct Declared<'o> {
    model: Cow<'o, Model>,
    located: Located,
    offered: Offered,
}

/// The reason why a datamodel has no API.
#[derive(Debug, thiserror::Error)]
pub enum MissingParts {
    #[error(
        "there is no table that a datamodel could have: `thalweg types` tells the reasons; give \
         tables an id, or give a datamodel"
    )]
    Tables,
    #[error(
        "the datamodel has no type, without which there is no API: add one, as in `type Post {{ \
         id: ID! @id title: String! }}`"
    )]
    Types,
    /// Parts that the database lacks.
    #[error(
        "the database is not that of the datamodel: {}; correct the datamodel, or migrate the \
         database",
        listed(.0)
    )]
    Parts(Vec<Missing>),
}

/// Finds a datamodel in a catalog, and declares the relationships that it lacks.
#[must_use]
pub fn declare<'o>(catalog: &mut Catalog, options: &'o Options) -> Declared<'o> {
    let model = match options.is_introspected {
        true => {
            let introspected = introspected::introspected(catalog);
            introspected.notes.into_iter().for_each(|note| catalog.note(note));
            Cow::Owned(introspected.model)
        }
        false => Cow::Borrowed(&*options.model),
    };
    let located = Located::find(&model, catalog);
    let Options { extensions, max_nodes, raw_access, is_introspected, .. } = *options;
    let offered = Offered { extensions, max_nodes, raw_access, is_introspected };
    Declared { model, located, offered }
}

impl Declared<'_> {
    /// Makes the API of the datamodel.
    pub fn api(&self) -> Result<Api, MissingParts> {
        match (self.model.types.is_empty(), &self.model) {
            (true, Cow::Owned(_)) => Err(MissingParts::Tables),
            (true, Cow::Borrowed(_)) => Err(MissingParts::Types),
            (false, _) if !self.located.missing.is_empty() => {
                Err(MissingParts::Parts(self.located.missing.clone()))
            }
            (false, _) => Ok(schema::api(&self.model, &self.located, self.offered)),
        }
    }
}

/// The most parts that an error lists.
const LISTED: usize = 10;

fn listed(missing: &[Missing]) -> String {
    let parts = missing.iter().take(LISTED).map(|part| format!("{}: {}", part.of, part.what));
    let mut text = parts.collect::<Vec<_>>().join("; ");
    if let Some(more @ 1..) = missing.len().checked_sub(LISTED) {
        text.push_str(&format!("; and {more} more"));
    }
    text
}
