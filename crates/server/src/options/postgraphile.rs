//! The options that only the dialect postgraphile has, under the names that PostGraphile and its
//! plugins have for them.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use dialects::postgraphile::{self, Options, SimplifiedNames, TagsFile};
use engine::Extensions;

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(
    next_help_heading = "PostGraphile",
    group = ArgGroup::new("several_rows").args(["bulk_mutations", "nested_mutations"]).multiple(true)
)]
pub(crate) struct PostGraphileOptions {
    /// For postgraphile: what is made of all rows, as the plugin pg-aggregates gives it
    #[arg(long, env = "THALWEG_AGGREGATES")]
    aggregates: bool,
    /// For postgraphile, beyond it: fields that make, change and take away several rows at once, with
    /// a guard of how many they may reach
    #[arg(long, env = "THALWEG_BULK_MUTATIONS", conflicts_with = "disable_default_mutations")]
    bulk_mutations: bool,
    /// For bulk and nested mutations: the most rows that one field may make, change, connect or take
    /// away
    #[arg(
        long,
        env = "THALWEG_MAX_BULK_ROWS",
        value_name = "ROWS",
        default_value_t = 1000,
        value_parser = clap::value_parser!(u32).range(1..),
        requires = "several_rows"
    )]
    max_bulk_rows: u32,
    /// For postgraphile: the global id is `id`, and a column `id` is `rowId`
    #[arg(long, env = "THALWEG_CLASSIC_IDS")]
    classic_ids: bool,
    /// For postgraphile: no fields that make, change and take away rows; functions only
    #[arg(long, env = "THALWEG_DISABLE_DEFAULT_MUTATIONS")]
    disable_default_mutations: bool,
    /// For postgraphile: JSON as itself in answers and arguments, not as a string that holds it
    #[arg(long, env = "THALWEG_DYNAMIC_JSON")]
    dynamic_json: bool,
    /// For postgraphile: lines, boxes, paths and other figures as objects, not as texts
    #[arg(long, env = "THALWEG_GEOMETRIC_TYPES")]
    geometric_types: bool,
    /// For postgraphile, on PostgreSQL: tables, views and functions of extensions, too
    #[arg(long, env = "THALWEG_INCLUDE_EXTENSION_RESOURCES")]
    include_extension_resources: bool,
    /// For postgraphile: the plural of relations back to at most one row [default: deprecated]
    #[arg(long, env = "THALWEG_LEGACY_RELATIONS", value_name = "WHICH")]
    legacy_relations: Option<LegacyRelations>,
    /// For postgraphile: no relations, conditions and orders without an index, as with
    /// `ignoreIndexes: false`
    #[arg(long, env = "THALWEG_NO_IGNORE_INDEXES")]
    no_ignore_indexes: bool,
    /// For postgraphile: no global ids, `Node` and what finds rows by them, as with
    /// `skipPlugins: [NodePlugin]`
    #[arg(long, env = "THALWEG_NO_NODE_IDS")]
    no_node_ids: bool,
    /// For postgraphile: elements of connections are never null, as with
    /// `setofFunctionsContainNulls: false`
    #[arg(long, env = "THALWEG_NO_SETOF_FUNCTIONS_CONTAIN_NULLS")]
    no_setof_functions_contain_nulls: bool,
    /// For aggregates: only tables tagged `@aggregates on` have them, as with
    /// `disableAggregatesByDefault: true`
    #[arg(long, env = "THALWEG_DISABLE_AGGREGATES_BY_DEFAULT", requires = "aggregates")]
    disable_aggregates_by_default: bool,
    /// For postgraphile: what a table joins, past it, as the plugin pg-many-to-many gives it
    #[arg(long, env = "THALWEG_MANY_TO_MANY")]
    many_to_many: bool,
    /// For postgraphile, beyond it: fields that make or change a row together with those that it is
    /// connected with
    #[arg(long, env = "THALWEG_NESTED_MUTATIONS", conflicts_with = "disable_default_mutations")]
    nested_mutations: bool,
    /// For postgraphile: `cidr`, `macaddr` and `macaddr8` as scalars of their own, not as String
    #[arg(long, env = "THALWEG_NETWORK_SCALARS")]
    network_scalars: bool,
    /// For postgraphile: the names of the plugin pg-simplify-inflector
    #[arg(long, env = "THALWEG_SIMPLIFIED_NAMES")]
    simplified_names: bool,
    /// For simplified names: `personById` stays, as with `pgShortPk: false`
    #[arg(long, env = "THALWEG_NO_SHORT_PK", requires = "simplified_names")]
    no_short_pk: bool,
    /// For simplified names: `allPeople` stays, as with `pgSimplifyAllRows: false`
    #[arg(long, env = "THALWEG_NO_SIMPLIFY_ALL_ROWS", requires = "simplified_names")]
    no_simplify_all_rows: bool,
    /// For simplified names: relations along several columns keep their names, as with
    /// `pgSimplifyMultikeyRelations: false`
    #[arg(long, env = "THALWEG_NO_SIMPLIFY_MULTIKEY_RELATIONS", requires = "simplified_names")]
    no_simplify_multikey_relations: bool,
    /// For simplified names: connections have an ending and lists none, as with
    /// `pgOmitListSuffix: true`
    #[arg(long, env = "THALWEG_OMIT_LIST_SUFFIX", requires = "simplified_names")]
    omit_list_suffix: bool,
    /// For postgraphile, on PostgreSQL: the composite type, as `schema.type`, whose values are given
    /// out as tokens signed with --jwt-secret
    #[arg(long, env = "THALWEG_JWT_TOKEN_IDENTIFIER", value_name = "TYPE", value_parser = token_type)]
    jwt_token_identifier: Option<(Box<str>, Box<str>)>,
    /// For postgraphile: smart tags beside those of comments, as `postgraphile.tags.json5` has
    /// them
    #[arg(long, env = "THALWEG_TAGS_FILE", value_name = "FILE")]
    tags_file: Option<PathBuf>,
    /// For postgraphile, beyond it: fields that make a row or, where there is one of the same unique
    /// key, change it
    #[arg(long, env = "THALWEG_UPSERT_MUTATIONS", conflicts_with = "disable_default_mutations")]
    upsert_mutations: bool,
    /// For postgraphile: the column by which views are ordered and paged that have it and no key,
    /// as `viewUniqueKey`
    #[arg(long, env = "THALWEG_VIEW_UNIQUE_KEY", value_name = "COLUMN")]
    view_unique_key: Option<Box<str>>,
}

/// As PostGraphile calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LegacyRelations {
    /// The singular only
    Omit,
    /// Both
    Deprecated,
    /// The plural only
    Only,
}

impl PostGraphileOptions {
    /// What is read of the source.
    pub(super) fn extensions(&self) -> Extensions {
        if self.include_extension_resources { Extensions::Listed } else { Extensions::LeftOut }
    }

    pub(super) fn of_dialect(&self) -> Result<Options, Failure> {
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
            legacy_relations: self
                .legacy_relations
                .map_or(postgraphile::LegacyRelations::default(), LegacyRelations::of_dialect),
            network_scalars: self.network_scalars,
            node_ids: !self.no_node_ids,
            setof_functions_contain_nulls: !self.no_setof_functions_contain_nulls,
            simplified_names: self.simplified_names.then_some(SimplifiedNames {
                all_rows: !self.no_simplify_all_rows,
                multikey_relations: !self.no_simplify_multikey_relations,
                omit_list_suffix: self.omit_list_suffix,
                short_keys: !self.no_short_pk,
            }),
            tags_file: self.tags()?,
            token: self
                .jwt_token_identifier
                .clone()
                .map(|(namespace, name)| postgraphile::TokenType { namespace, name, seal: None }),
            upsert_mutations: self.upsert_mutations,
            view_unique_key: self.view_unique_key.clone(),
            ..Options::default()
        })
    }

    fn tags(&self) -> Result<TagsFile, Failure> {
        let Some(path) = &self.tags_file else { return Ok(TagsFile::default()) };
        let refused =
            |error: String| Failure::Usage(format!("the tags file {}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        TagsFile::parse(&text).map_err(|error| refused(error.to_string()))
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

impl LegacyRelations {
    fn of_dialect(self) -> postgraphile::LegacyRelations {
        match self {
            Self::Omit => postgraphile::LegacyRelations::Omit,
            Self::Deprecated => postgraphile::LegacyRelations::Deprecated,
            Self::Only => postgraphile::LegacyRelations::Only,
        }
    }
}
