//! The API of Phrag (<https://github.com/ykskb/phrag>, 0.4.6): lists with `where`, `sort`,
//! `limit` and `offset`, has-one and has-many fields, aggregates. On every source it behaves as
//! Phrag does on PostgreSQL, so columns are nullable in output and optional in `create`.
//!
//! * `naming.rs`: the names, by Phrag's rules
//! * `values.rs`: the types and operations of a column's values
//! * `plan.rs`: the entities in the API, with `columns.rs` and `relations.rs` for their fields, and
//!   `collision.rs` for names that two of them would have
//! * `schema.rs`: the plan as types with their bindings, with `aggregate.rs`, `operators.rs` and
//!   `mutations.rs` for the rest of them
//!
//! Extensions beyond Phrag, of requests that Phrag rejects:
//! * `ne`; `gt lt gte lte` for strings; several operators on one column, which must all hold;
//!   clauses of several columns inside `and` and `or`.
//! * Types that Phrag maps to nothing: `uuid`, enums, network addresses, bit strings and everything
//!   without a GraphQL type of its own as String, `json`, `jsonb` and `hstore` as a scalar JSON
//!   whose values are embedded in the response, `money` as Float, arrays as lists.
//! * By option, subscriptions: each query as a live query.
//! * Materialised views and foreign tables, as views: a list without relations.
//!
//! Behaviour where Phrag's is undefined or fails:
//! * An empty `and` or `or` is ignored, as are `where: {}`, `where: null` and an operator object
//!   without operators. `in: []` matches nothing. A null operand or a null instead of an operator
//!   object is an error.
//! * A foreign key of several columns is one relation, where Phrag makes one of each column, which
//!   joins by that column alone. It is named by the first of its columns that no other foreign key
//!   of the table uses, so that `(tenant_id, order_id)` beside a foreign key on `tenant_id` is
//!   `order`; if there is none, by its first column.
//! * Columns whose values may have no order (`json`, `hstore`, `xml`, points, composites, types
//!   known by name only) and arrays are not in `<Obj>Sort`; those, `jsonb`, ranges and byte strings
//!   are not in `<Obj>Clauses`, for they have no operands yet.
//! * Where two things would have one name, the first in the order of the catalog keeps it, and
//!   columns come before relations; the other one is omitted with a note. In Phrag the last one
//!   stays, which is whichever its hash map gives last.
//! * An update that sets no column is rejected before it is sent; Phrag sends the database an invalid
//!   statement.
//! * Generated columns are no arguments of `create` and `update`.
//! * Entities of all namespaces of the catalog are in the API; Phrag has one namespace.

mod aggregate;
mod collision;
mod columns;
mod mutations;
mod naming;
mod operators;
mod plan;
mod relations;
mod schema;
mod values;

use catalog::Catalog;

use api::{Api, Transactions, add_live_queries};

/// The type of 64-bit integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BigIntegers {
    /// As Int: a value beyond 32 bits is an error at its path.
    #[default]
    Int,
    /// As a scalar of their own, a string.
    String,
}

/// Options of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub big_integers: BigIntegers,
    /// The limit where a list's `limit` is absent, at the root and in relations.
    pub default_limit: Option<u64>,
    /// Each query is also a subscription, whose clients receive its new response after changes.
    pub live: bool,
    /// Depth limit of relations below a root field.
    pub max_nest_level: Option<usize>,
    /// The scope of a mutation's transactions.
    pub mutation_transactions: Transactions,
    /// True if there are no aggregates.
    pub without_aggregation: bool,
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let mut api = schema::build(catalog, plan::plan(catalog, options), options);
    api.transactions = options.mutation_transactions;
    match options.live {
        true => add_live_queries(api),
        false => api,
    }
}
