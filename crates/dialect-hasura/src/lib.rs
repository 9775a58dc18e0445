//! The API of Hasura GraphQL Engine 2 on PostgreSQL for the role `admin`: of what its metadata
//! tracks, by the names there. Without metadata all tables and views are tracked, and relationships
//! have the names that Hasura's console suggests for foreign keys.
//! <https://hasura.io/docs/2.0/api-reference/graphql-api/overview/>
//!
//! * [`metadata`]: metadata as an option
//! * [`input_checks`]: inputs of changes that other servers check first
//! * [`environment`]: variables that metadata names
//! * [`further_sources`]: databases of metadata beside the served one, with `key_queries.rs`: fields by
//!   which relationships to their tables are followed, and `source_table.rs`
//! * `tracking.rs`: metadata in terms of the catalog
//! * `naming.rs`: the names, by Hasura's rules
//! * `values.rs`: the scalar of a column's values in the API, and operations on them
//! * `plan.rs`: the entities in the API, with `columns.rs` and `relations.rs` for their fields, and
//!   `collision.rs` for names that two of them would have
//! * `native_queries.rs`: native queries and logical models, `planned_queries.rs`: those in the API
//! * `functions.rs`: functions in the API; `enum_types.rs`: enums of the rows of tables
//! * `draft.rs`: types by name, which are sorted as Hasura sorts them
//! * [`actions`]: fields that other servers resolve
//! * [`remote`]: fields of other GraphQL servers
//! * [`permissions`]: permissions of roles as access rules, and the part of the schema that each sees
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

pub mod actions;
mod collision;
mod columns;
mod draft;
mod enum_types;
pub mod environment;
pub mod errors;
mod federated;
mod functions;
pub mod further_sources;
pub mod input_checks;
mod key_queries;
pub mod metadata;
mod naming;
mod native_queries;
pub mod permissions;
mod plan;
mod planned_queries;
mod relations;
pub mod remote;
mod remote_permission;
mod schema;
mod source_table;
mod tracking;
mod values;

use std::cell::OnceCell;

use access::Roles;
use api::federation::{self, FederationError};
use api::{Api, ApiBuilder, Transactions};
use catalog::{Catalog, EntityId, FieldId};
use hasura_metadata::Problem;
pub use hasura_metadata::types::source::NamingConvention;

use environment::Environment;
use further_sources::FurtherSources;
use metadata::MetadataSetting;
use permissions::Permissions;
use remote::access::RemoteAccess;
use remote::{Remote, RemoteSchemas};
use tracking::{EnumSource, Tracking};

/// The role that may do everything.
pub const ADMIN: &str = "admin";

/// Options of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The scope of a mutation's transactions; in Hasura one of all root fields.
    pub mutation_transactions: Transactions,
    pub metadata: MetadataSetting,
    pub inconsistencies: Inconsistencies,
    /// True if permission to read a table is permission to call the query functions that return its
    /// rows; false if the permissions of a function have to name the role.
    pub infer_function_permissions: bool,
    /// True if a role sees the part of a remote schema that its permission has; false if every role
    /// sees all of it.
    pub remote_schema_permissions: bool,
    /// The convention of names, unless the source of the metadata has its own.
    pub naming_convention: NamingConvention,
    /// True if numbers that JavaScript may round are strings.
    pub stringify_numeric_types: bool,
    /// Variables that the metadata may name.
    pub environment: Environment,
    /// The schemas of the remote schemas of the metadata.
    pub remote_schemas: RemoteSchemas,
    /// The APIs of further sources of the metadata.
    pub further_sources: FurtherSources,
    pub schema: SchemaKind,
}

/// The schemas of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaKind {
    #[default]
    Lists,
    /// The Relay API: connections and global ids. It has neither remote schemas nor actions that are
    /// queries.
    Relay,
}

/// The handling of inconsistent metadata: parts that do not fit the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inconsistencies {
    /// Nothing is served.
    #[default]
    Refused,
    /// The parts that do not fit are left out, each with a note.
    LeftOut,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mutation_transactions: Transactions::Request,
            metadata: MetadataSetting::None,
            inconsistencies: Inconsistencies::default(),
            infer_function_permissions: true,
            remote_schema_permissions: true,
            naming_convention: NamingConvention::HasuraDefault,
            stringify_numeric_types: false,
            environment: Environment::default(),
            remote_schemas: RemoteSchemas::default(),
            further_sources: FurtherSources::default(),
            schema: SchemaKind::default(),
        }
    }
}

/// Metadata with parts that the database does not have, all of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the metadata does not fit the database; correct one of the two, or leave these parts out with \
     `--inconsistent-metadata leave-out`:{}",
    listed(.0)
)]
pub struct InconsistentMetadata(pub Vec<Problem>);

/// The reasons why there is no API.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error(transparent)]
    Metadata(#[from] InconsistentMetadata),
    #[error(transparent)]
    Federation(#[from] FederationError),
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n  {problem}")).collect()
}

/// Adds the fields of other servers to the types of an API. Returns how they are bound.
fn add_remote<'r>(
    build: &mut schema::Build<'_>,
    options: &'r Options,
    remote: &'r OnceCell<Remote<'r>>,
    problems: &mut Vec<Problem>,
) -> impl FnOnce(&mut ApiBuilder) + use<'r> {
    let mut resolvers = Vec::new();
    let actions = actions::add(build, options, &mut resolvers, problems);
    let remote = remote.get_or_init(|| match options.schema {
        SchemaKind::Lists => remote::add(build, options, actions.types(), &mut resolvers, problems),
        SchemaKind::Relay => Remote::default(),
    });
    move |builder| {
        actions.bind(builder);
        remote.bind(builder);
        builder.bind_resolvers(resolvers);
    }
}

/// A catalog with the declarations of its metadata.
#[derive(Debug)]
pub struct Declared<'d> {
    options: &'d Options,
    tracking: Tracking<'d>,
}

/// Adds what the metadata declares to a catalog: relationships without foreign keys.
pub fn declare<'d>(catalog: &mut Catalog, options: &'d Options) -> Declared<'d> {
    Declared { options, tracking: Tracking::new(catalog, options) }
}

impl Declared<'_> {
    /// The tables of whose rows enums are made, each with the columns that are wanted as texts.
    #[must_use]
    pub fn wanted_rows(&self) -> Vec<(EntityId, Vec<FieldId>)> {
        let tracked = self.tracking.tables.iter().flat_map(|tables| tables.values());
        let sources = tracked.filter_map(|tracked| tracked.enum_source);
        let fields = |source: EnumSource| [Some(source.key), source.description];
        let sources = sources.map(|source| (source, fields(source)));
        sources
            .map(|(source, fields)| (source.entity, fields.into_iter().flatten().collect()))
            .collect()
    }

    /// Makes the API of the catalog, and the access rules of the metadata's roles.
    pub fn api(&self, catalog: &Catalog) -> Result<(Api, Option<Roles>), ApiError> {
        self.subgraph(catalog, None)
    }

    /// The same, with options as a subgraph of a federated graph: the tables that the metadata makes
    /// entities are found by their primary keys, and without metadata all tables by their keys.
    pub fn subgraph(
        &self,
        catalog: &Catalog,
        options: Option<&federation::Options>,
    ) -> Result<(Api, Option<Roles>), ApiError> {
        let mut plan = plan::plan(catalog, &self.tracking);
        let mut problems = self.tracking.problems.clone();
        problems.append(&mut plan.problems);
        let permissions = self.options.metadata.served().map(|served| {
            let (permissions, mut own) =
                Permissions::new(catalog, &self.tracking, served, self.options);
            problems.append(&mut own);
            permissions
        });
        // Without permissions there is the administrator alone, as without metadata.
        let permissions = permissions.filter(|permissions| !permissions.is_empty());
        plan.schema = self.options.schema;
        plan.has_role_without_queries =
            permissions.as_ref().is_some_and(Permissions::has_role_without_queries);
        plan.inserted_without_update =
            permissions.iter().flat_map(Permissions::inserted_without_update).collect();
        let remote = OnceCell::new();
        let mut api = schema::build(catalog, plan, |build| {
            add_remote(build, self.options, &remote, &mut problems)
        });
        let remote = remote.get_or_init(Remote::default);
        match self.options.inconsistencies {
            Inconsistencies::Refused if !problems.is_empty() => {
                return Err(InconsistentMetadata(problems).into());
            }
            Inconsistencies::Refused | Inconsistencies::LeftOut => {}
        }
        let left_out = problems.iter().chain(&remote.ignored);
        api.notes.extend(left_out.map(tracking::left_out_part));
        api.notes.extend(further_sources::without_relay(self.options));
        for (note, uninherited) in permissions.iter().flat_map(Permissions::uninherited) {
            api.notes.push(note);
            api.uninherited.push(uninherited);
        }
        api.transactions = self.options.mutation_transactions;
        let (types, places) = federated::entities(self.options, catalog);
        match options {
            None => api.notes.extend(places.map(federated::without_effect)),
            Some(options) if options.prefix.is_some() && !remote.is_empty() => {
                return Err(FederationError::RemotePrefix.into());
            }
            Some(options) => {
                api = federation::add_subgraph(api, catalog, &[], &types, options)?;
            }
        }
        let roles = permissions.map(|permissions| {
            let has_permissions = self.options.remote_schema_permissions;
            let access = RemoteAccess::new(&api, remote, has_permissions);
            let views = permissions.views(&api, catalog, &access);
            api.role_views = views;
            api.input_checks = permissions.input_checks();
            permissions.into_roles()
        });
        Ok((api, roles))
    }
}
