//! The options of the dialect postgraphile, by the names of PostGraphile and its plugins.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use dialects::postgraphile::{
    self, LegacyRelations, Options, SimpleCollections, SimplifiedNames, SubscriptionsFile,
    TagsFile, Version,
};
use engine::{Extensions, FunctionName};

use super::preset::{PRESETS, Preset};
use super::words::Words;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(
    next_help_heading = "PostGraphile",
    group = ArgGroup::new("several_rows").args(["bulk_mutations", "nested_mutations"]).multiple(true),
    group = ArgGroup::new("notifications")
        .args(["simple_subscriptions", "subscriptions_file"])
        .multiple(true)
)]
pub(crate) struct PostGraphileOptions {
    /// For postgraphile: defaults of several options at once; options that are given win over it
    #[arg(long, env = "THALWEG_PRESET", value_name = "NAME", value_parser = PRESETS)]
    preset: Option<Preset>,
    /// For postgraphile: aggregates, as of the plugin pg-aggregates
    #[arg(long, env = "THALWEG_AGGREGATES")]
    aggregates: bool,
    /// For postgraphile, beyond it: mutations that insert, update and delete several rows at once, with a
    /// limit on the number of rows
    #[arg(long, env = "THALWEG_BULK_MUTATIONS", conflicts_with = "disable_default_mutations")]
    bulk_mutations: bool,
    /// For bulk and nested mutations: the maximum number of rows that one field may insert, update, connect
    /// or delete
    #[arg(
        long,
        env = "THALWEG_MAX_BULK_ROWS",
        value_name = "ROWS",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..),
        requires = "several_rows"
    )]
    max_bulk_rows: u32,
    /// For postgraphile: name the global id `id`, and a column `id` `rowId`
    #[arg(long, env = "THALWEG_CLASSIC_IDS")]
    classic_ids: bool,
    /// For postgraphile: no mutations that insert, update and delete rows; functions only
    #[arg(long, env = "THALWEG_DISABLE_DEFAULT_MUTATIONS")]
    disable_default_mutations: bool,
    /// For postgraphile: JSON values in responses and arguments, instead of strings that contain JSON
    #[arg(long, env = "THALWEG_DYNAMIC_JSON")]
    dynamic_json: bool,
    /// For postgraphile: lines, boxes, paths and other geometric types as objects, instead of strings
    #[arg(long, env = "THALWEG_GEOMETRIC_TYPES")]
    geometric_types: bool,
    /// For postgraphile, on PostgreSQL: include tables, views and functions of extensions
    #[arg(long, env = "THALWEG_INCLUDE_EXTENSION_RESOURCES")]
    include_extension_resources: bool,
    /// For postgraphile: the plural fields of backward relations to at most one row [default: deprecated]
    #[arg(
        long,
        env = "THALWEG_LEGACY_RELATIONS",
        value_name = "WHICH",
        value_parser = LEGACY_RELATIONS
    )]
    legacy_relations: Option<LegacyRelations>,
    /// For postgraphile: no relations, conditions and orders on columns without an index, as with
    /// `ignoreIndexes: false`
    #[arg(long, env = "THALWEG_NO_IGNORE_INDEXES")]
    no_ignore_indexes: bool,
    /// For postgraphile: no global ids, no `Node`, and no fields that find rows by them, as with
    /// `skipPlugins: [NodePlugin]`
    #[arg(long, env = "THALWEG_NO_NODE_IDS")]
    no_node_ids: bool,
    /// For postgraphile: elements of connections are never null, as with
    /// `setofFunctionsContainNulls: false`
    #[arg(long, env = "THALWEG_NO_SETOF_FUNCTIONS_CONTAIN_NULLS")]
    no_setof_functions_contain_nulls: bool,
    /// For aggregates: only for tables with the tag `@aggregates on`, as with
    /// `disableAggregatesByDefault: true`
    #[arg(long, env = "THALWEG_DISABLE_AGGREGATES_BY_DEFAULT", requires = "aggregates")]
    disable_aggregates_by_default: bool,
    /// For postgraphile: many-to-many relations through junction tables, as of the plugin pg-many-to-many
    #[arg(long, env = "THALWEG_MANY_TO_MANY")]
    many_to_many: bool,
    /// For postgraphile, beyond it: nested mutations, which insert or update a row together with related
    /// rows
    #[arg(long, env = "THALWEG_NESTED_MUTATIONS", conflicts_with = "disable_default_mutations")]
    nested_mutations: bool,
    /// For postgraphile: the version whose schema is served [default: 4]
    #[arg(
        long,
        env = "THALWEG_POSTGRAPHILE_VERSION",
        value_name = "VERSION",
        value_parser = VERSIONS
    )]
    postgraphile_version: Option<Version>,
    /// For postgraphile: scalars for `cidr`, `macaddr` and `macaddr8`, instead of String
    #[arg(long, env = "THALWEG_NETWORK_SCALARS")]
    network_scalars: bool,
    /// For postgraphile: the type `Upload` for binary columns in inputs, as clients of file uploads declare it
    #[arg(long, env = "THALWEG_UPLOAD_SCALAR")]
    upload_scalar: bool,
    /// For postgraphile: the names of the plugin pg-simplify-inflector
    #[arg(long, env = "THALWEG_SIMPLIFIED_NAMES")]
    simplified_names: bool,
    /// For simplified names: keep `personById`, as with `pgShortPk: false`
    #[arg(long, env = "THALWEG_NO_SHORT_PK", requires = "simplified_names")]
    no_short_pk: bool,
    /// For simplified names: keep `allPeople`, as with `pgSimplifyAllRows: false`
    #[arg(long, env = "THALWEG_NO_SIMPLIFY_ALL_ROWS", requires = "simplified_names")]
    no_simplify_all_rows: bool,
    /// For simplified names: keep the names of relations over several columns, as with
    /// `pgSimplifyMultikeyRelations: false`
    #[arg(long, env = "THALWEG_NO_SIMPLIFY_MULTIKEY_RELATIONS", requires = "simplified_names")]
    no_simplify_multikey_relations: bool,
    /// For simplified names: a suffix for connections, and none for lists, as with
    /// `pgOmitListSuffix: true`
    #[arg(long, env = "THALWEG_OMIT_LIST_SUFFIX", requires = "simplified_names")]
    omit_list_suffix: bool,
    /// For postgraphile, on PostgreSQL: the composite type, as `schema.type`, whose values are returned as
    /// JSON Web Tokens signed with --jwt-secret
    #[arg(long, env = "THALWEG_JWT_TOKEN_IDENTIFIER", value_name = "TYPE", value_parser = token_type)]
    jwt_token_identifier: Option<(Box<str>, Box<str>)>,
    /// For postgraphile: a file of smart tags besides those in comments, as
    /// `postgraphile.tags.json5`
    #[arg(long, env = "THALWEG_TAGS_FILE", value_name = "FILE")]
    tags_file: Option<PathBuf>,
    /// For postgraphile, beyond it: upsert mutations, which insert a row, or update the one with the same
    /// unique key
    #[arg(long, env = "THALWEG_UPSERT_MUTATIONS", conflicts_with = "disable_default_mutations")]
    upsert_mutations: bool,
    /// For postgraphile: the column for the order and the pagination of views without a key, as
    /// `viewUniqueKey`
    #[arg(long, env = "THALWEG_VIEW_UNIQUE_KEY", value_name = "COLUMN")]
    view_unique_key: Option<Box<str>>,
    /// For postgraphile: lists (simple collections) beside or instead of connections [default: omit]
    #[arg(
        long,
        env = "THALWEG_SIMPLE_COLLECTIONS",
        value_name = "WHICH",
        value_parser = SIMPLE_COLLECTIONS
    )]
    pub(super) simple_collections: Option<SimpleCollections>,
    /// For postgraphile, on PostgreSQL: `listen`, which subscribes to notifications of the database, as of
    /// the plugin pg-pubsub
    #[arg(long, env = "THALWEG_SIMPLE_SUBSCRIPTIONS")]
    simple_subscriptions: bool,
    /// For postgraphile, on PostgreSQL: a file of subscription fields with the directive
    /// `@pgSubscription(topic:)` of the plugin pg-pubsub
    #[arg(long, env = "THALWEG_SUBSCRIPTIONS_FILE", value_name = "FILE")]
    subscriptions_file: Option<PathBuf>,
    /// For postgraphile, on PostgreSQL: the function, as `schema.function`, that authorizes subscriptions to
    /// notifications, as `subscriptionAuthorizationFunction`
    #[arg(
        long,
        env = "THALWEG_SUBSCRIPTION_AUTHORIZATION_FUNCTION",
        value_name = "FUNCTION",
        requires = "notifications",
        value_parser = function_name
    )]
    subscription_authorization_function: Option<FunctionName>,
}

/// The versions of PostGraphile.
const VERSIONS: Words<Version> = Words(&[
    ("4", Version::Four, "PostGraphile 4"),
    ("5", Version::Five, "PostGraphile 5, with its preset Amber"),
]);

/// The values of PostGraphile's `legacyRelations`.
const LEGACY_RELATIONS: Words<LegacyRelations> = Words(&[
    ("omit", LegacyRelations::Omit, "The singular only"),
    ("deprecated", LegacyRelations::Deprecated, "Both, the plural as deprecated"),
    ("only", LegacyRelations::Only, "The plural only"),
]);

/// The values of PostGraphile's `simpleCollections`.
const SIMPLE_COLLECTIONS: Words<SimpleCollections> = Words(&[
    ("omit", SimpleCollections::Omit, "Connections only"),
    ("both", SimpleCollections::Both, "Connections, and lists with names of their own"),
    ("only", SimpleCollections::Only, "Lists only"),
]);

impl PostGraphileOptions {
    /// Whether objects of extensions are read.
    pub(super) fn extensions(&self) -> Extensions {
        if self.include_extension_resources { Extensions::Listed } else { Extensions::LeftOut }
    }

    /// The function that authorizes subscriptions to notifications.
    pub(super) fn topic_authorization(&self) -> Option<FunctionName> {
        self.subscription_authorization_function.clone()
    }

    pub(super) fn to_dialect(&self) -> Result<Options, Failure> {
        Ok(Options {
            aggregates: self.aggregates,
            bulk_mutations: self.bulk_mutations.then_some(self.max_bulk_rows),
            nested_mutations: self.nested_mutations.then_some(self.max_bulk_rows),
            disable_aggregates_by_default: self.disable_aggregates_by_default,
            many_to_many: self.many_to_many,
            classic_ids: self.classic_ids,
            disable_default_mutations: self.disable_default_mutations,
            dynamic_json: self.dynamic_json,
            geometric_types: self.geometric_types,
            ignore_indexes: !self.no_ignore_indexes,
            legacy_relations: self.legacy_relations.unwrap_or_default(),
            simple_collections: self.simple_collections.unwrap_or_default(),
            simple_subscriptions: self.simple_subscriptions,
            network_scalars: self.network_scalars,
            upload_scalar: self.upload_scalar,
            node_ids: !self.no_node_ids,
            setof_functions_contain_nulls: !self.no_setof_functions_contain_nulls,
            simplified_names: self.simplified_names.then_some(SimplifiedNames {
                all_rows: !self.no_simplify_all_rows,
                multikey_relations: !self.no_simplify_multikey_relations,
                omit_list_suffix: self.omit_list_suffix,
                short_keys: !self.no_short_pk,
            }),
            subscriptions_file: self.subscriptions()?,
            tags_file: self.tags()?,
            token: self
                .jwt_token_identifier
                .clone()
                .map(|(namespace, name)| postgraphile::TokenType { namespace, name, seal: None }),
            upsert_mutations: self.upsert_mutations,
            version: self.postgraphile_version.unwrap_or_default(),
            view_unique_key: self.view_unique_key.clone(),
            ..Options::default()
        })
    }

    fn subscriptions(&self) -> Result<SubscriptionsFile, Failure> {
        let Some(path) = &self.subscriptions_file else { return Ok(SubscriptionsFile::default()) };
        let refused = |error: String| {
            Failure::Usage(format!("the file of subscriptions {}: {error}", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        SubscriptionsFile::parse(&text).map_err(refused)
    }

    fn tags(&self) -> Result<TagsFile, Failure> {
        let Some(path) = &self.tags_file else { return Ok(TagsFile::default()) };
        let refused =
            |error: String| Failure::Usage(format!("the tags file {}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        TagsFile::parse(&text).map_err(|error| refused(error.to_string()))
    }
}

fn function_name(text: &str) -> Result<FunctionName, String> {
    match text.split_once('.') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Ok(FunctionName { namespace: namespace.into(), name: name.into() })
        }
        Some(_) | None => {
            Err("a schema and a function are wanted, such as `app.validate_subscription`".into())
        }
    }
}

fn token_type(text: &str) -> Result<(Box<str>, Box<str>), String> {
    match text.split_once('.') {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Ok((namespace.into(), name.into()))
        }
        Some(_) | None => Err("a schema and a type are wanted, such as `app.jwt_token`".into()),
    }
}
