//! The options that only the dialect postgraphile has, under the names that PostGraphile and its
//! plugins have for them.

use clap::Args;
use dialects::postgraphile::{Options, SimplifiedNames};

#[derive(Debug, Args)]
pub(crate) struct PostGraphileOptions {
    /// For postgraphile: what is made of all rows, as the plugin pg-aggregates gives it
    #[arg(long, env = "THALWEG_AGGREGATES")]
    aggregates: bool,
    /// For postgraphile: the global id is `id`, and a column `id` is `rowId`
    #[arg(long, env = "THALWEG_CLASSIC_IDS")]
    classic_ids: bool,
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
}

impl PostGraphileOptions {
    /// The first option that is given, for a dialect that has none of them.
    pub(super) fn given(&self) -> Option<&'static str> {
        // The others are refused without `--simplified-names`.
        let options = [
            (self.aggregates, "--aggregates"),
            (self.classic_ids, "--classic-ids"),
            (self.simplified_names, "--simplified-names"),
        ];
        options.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    pub(super) fn of_dialect(&self) -> Options {
        Options {
            aggregates: self.aggregates,
            classic_ids: self.classic_ids,
            simplified_names: self.simplified_names.then_some(SimplifiedNames {
                all_rows: !self.no_simplify_all_rows,
                multikey_relations: !self.no_simplify_multikey_relations,
                omit_list_suffix: self.omit_list_suffix,
                short_keys: !self.no_short_pk,
            }),
            ..Options::default()
        }
    }
}
