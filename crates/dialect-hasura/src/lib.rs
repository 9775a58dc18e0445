//! The API of Hasura GraphQL Engine 2 on PostgreSQL, by its naming convention `hasura-default`, for
//! the role `admin` and without metadata: all tables and views are tracked, and relationships have
//! the names that Hasura's console suggests for foreign keys.
//! <https://hasura.io/docs/2.0/api-reference/graphql-api/overview/>
//!
//! * `naming.rs`: the names, by Hasura's rules
//! * `values.rs`: the scalar of a column's values in the API, and operations on them
//! * `plan.rs`: the entities in the API, with `columns.rs` and `relations.rs` for their fields, and
//!   `collision.rs` for names that two of them would have
//! * `draft.rs`: types by name, which are sorted as Hasura sorts them
//! * `schema`: the plan as types with their bindings
//! * [`errors`]: the form of errors
//!
//! Differences from Hasura, with reasons:
//! * Rows without `order_by` are in the order of the primary key; in Hasura they are in any order.
//!   An order with ties is completed by the primary key, so that pages do not overlap.
//! * Values of several columns within one object of `order_by` are ordered by the names of the
//!   columns, where a list of objects says the order in both.
//! * Where two things would have one name, the first in the order of the catalog keeps it, columns
//!   before relationships, and the other one is omitted with a note. In Hasura this metadata is
//!   inconsistent.
//! * Columns whose values have no order (`json`, `xml`, `point`) are not in `order_by`, and are
//!   compared with null only; in Hasura such a request is an error of the database. The same holds
//!   for `min` and `max` of types that have none.
//! * Averages and deviations have the digits of a double.

mod collision;
mod columns;
mod draft;
pub mod errors;
mod naming;
mod plan;
mod relations;
mod schema;
mod values;

use api::{Api, Transactions};
use catalog::Catalog;

/// Options of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The scope of a mutation's transactions; in Hasura one of all root fields.
    pub mutation_transactions: Transactions,
}

impl Default for Options {
    fn default() -> Self {
        Self { mutation_transactions: Transactions::Request }
    }
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let plan = plan::plan(catalog);
    let mut api = schema::build(catalog, plan);
    api.transactions = options.mutation_transactions;
    api
}
