//! The whole GraphQL API of a datamodel, each position with its binding.
//!
//! Names, types and their order are those of Prisma's server: its clients are generated from the
//! printed schema.
//!
//! * `section`: the order of types in the text; `type_order`: that of fields of the root types, by
//!   `scala_hash`; `builder`: the state of the construction
//! * `base`: types that every schema has
//! * `objects`: the types of the datamodel; `arguments`: the arguments of lists
//! * `filters`: conditions and orders; `inputs`: values of new and changed rows
//! * `sort`: orders by several values; `groups`: aggregates of values, and rows in groups
//! * `roots`: queries and mutations; `nodes`: the row of any type; `subscriptions`: events of rows
//! * `statements`: statements of SQL
//! * `rows`: relations as changes write them; `values`: stored values

mod arguments;
mod base;
mod builder;
mod filters;
mod groups;
mod inputs;
mod nodes;
mod objects;
mod roots;
mod rows;
mod scala_hash;
mod section;
mod sort;
mod statements;
mod subscriptions;
mod type_order;
mod values;

pub(crate) use type_order::relation_order;

use api::{Api, ApiBuilder, Transactions};

use crate::Offered;
use crate::located::Located;
use crate::model::{Model, TypeIndex};
use builder::Builder;

/// Makes the API of a datamodel, whose places in the catalog `located` has.
#[must_use]
pub(crate) fn api(model: &Model, located: &Located, offered: Offered) -> Api {
    let mut build = Builder::new(model, located, offered);
    base::add(&mut build);
    let types: Vec<TypeIndex> = build.types().map(|(index, _)| index).collect();
    for index in types {
        objects::add(&mut build, index);
        base::add_connection(&mut build, index);
        filters::add(&mut build, index);
        filters::add_unique(&mut build, index);
        filters::add_orders(&mut build, index);
        sort::add(&mut build, index);
    }
    roots::add(&mut build);
    subscriptions::add(&mut build);
    let mut builder = ApiBuilder::default();
    rows::add(&build, &mut builder);
    build.finish(&mut builder);
    if offered.raw_access {
        statements::bind(&mut builder);
    }
    let mut api = builder.finish();
    api.transactions = Transactions::Each;
    api
}
