//! Dialects: pure functions from a catalog to an API in the style of a system people use.
//!
//! A dialect is data: it fills an [`Api`], which is a GraphQL schema with a binding for each
//! field, input and enum value. One shared [`lower()`] reads the bindings; a dialect has code of
//! its own only for names and for what it offers.
//!
//! * [`api`]: the schema with its bindings
//! * [`binding`]: what a position means
//! * [`case`] for names
//! * [`postgraphile`], [`phrag`]: the dialects
//! * [`lower()`]: operation → request and shape

pub mod api;
pub mod binding;
pub mod case;
pub mod lower;
pub mod phrag;
pub mod postgraphile;

pub use api::{Api, ApiBuilder};
pub use binding::{
    AggregateField, AggregateValue, ColumnBinding, ConnectionField, EdgeField, EntityBinding,
    FieldBinding, GroupBy, InputBinding, InputRole, Meaning, NodeIdBinding, OrderBy, PageInfoField,
    RowsBinding, RowsForm, RowsFrom, ValueBinding, ValueShape,
};
pub use lower::{Introspection, LowerError, Lowered, lower};

use catalog::Catalog;

/// Which API a source is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    PostGraphile(postgraphile::Options),
    Phrag(phrag::Options),
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, dialect: &Dialect) -> Api {
    match dialect {
        Dialect::PostGraphile(options) => postgraphile::api(catalog, options),
        Dialect::Phrag(options) => phrag::api(catalog, options),
    }
}
