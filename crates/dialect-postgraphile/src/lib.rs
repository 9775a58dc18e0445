//! The API of PostGraphile 4.
//!
//! What PostGraphile 4.14 makes of a database with its defaults: the same names, types, arguments,
//! orders and descriptions; by option also the filters of the connection-filter plugin.
//!
//! * [`build`]: the API while it is made
//! * [`naming`], [`inflection`]: how names are formed; [`names`]: the names of what there is
//! * [`claims`]: who has which name
//! * [`tags`]: smart tags; [`offers`]: what they and the options leave to be offered
//! * [`made`]: types that were made, for those who look them up
//! * [`enum_tables`]: tables whose rows are the values of enums; [`enum_table_types`]: their types
//! * [`types`], [`scalars`], [`enums`], [`parts`], [`inputs`]: types of columns
//! * [`apart`]: composites whose values are shown as rows
//! * [`node_ids`]: what global ids begin with
//! * [`entity`], [`connection`], [`order`], [`condition`]: the types that each entity has
//! * [`view_key`]: what orders a view that has no key
//! * [`filter`]s, by option
//! * [`aggregates`]: what is made of all rows; [`aggregate_orders`],
//!   [`aggregate_conditions`]
//! * [`many_to_many`]: rows that another table joins
//! * [`relations`], [`root`]: fields that give rows, with their [`arguments`]
//! * [`functions`], [`function_results`]: functions as fields, and what they give
//! * [`mutations`]: fields that change something
//! * [`descriptions`]: what the API says about itself

mod aggregate_computed;
mod aggregate_conditions;
mod aggregate_orders;
mod aggregates;
mod apart;
mod arguments;
mod build;
mod claims;
mod condition;
mod connection;
mod descriptions;
mod entity;
mod enum_table_types;
mod enum_tables;
mod enums;
mod figures;
mod filter;
mod function_results;
mod functions;
mod inputs;
mod made;
mod many_to_many;
mod mutations;
mod names;
mod naming;
mod node_ids;
mod offers;
mod order;
mod parts;
mod relations;
mod remedy;
mod root;
mod scalars;
mod tags;
mod token;
mod types;
mod view_key;

use catalog::{Catalog, Note};
use rustc_hash::FxHashSet;

use api::ConstraintMessage;
use api::{Api, Transactions};
use build::Build;
use enum_tables::EnumTables;
pub use enum_tables::wanted_rows;
pub use filter::FilterOptions;
use tags::annotations::Annotations;
pub use tags::file::{TagsFile, TagsFileError};
pub use token::TokenType;

/// Which simple lists stand beside or instead of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimpleCollections {
    #[default]
    Omit,
    Both,
    Only,
}

/// What may be chosen of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is made of all rows, as the plugin pg-aggregates gives it.
    pub aggregates: bool,
    /// Several rows are made, changed and taken away by one field, so many at most.
    pub bulk_mutations: Option<u32>,
    /// The global id is called `id`, and a column `id` is called `rowId`.
    pub classic_ids: bool,
    /// Rows are changed by functions only.
    pub disable_default_mutations: bool,
    /// The filters of the connection-filter plugin; without it there are none.
    pub connection_filter: Option<FilterOptions>,
    /// JSON stands in answers and arguments as itself, not as a string that holds JSON.
    pub dynamic_json: bool,
    /// Lines, boxes, paths and other figures are objects of their points, not texts.
    pub geometric_types: bool,
    /// Columns and foreign keys that no index serves are offered for conditions, orders and
    /// relations all the same.
    pub ignore_indexes: bool,
    /// What becomes of the plural form of relations back to at most one row.
    pub legacy_relations: LegacyRelations,
    /// Elements of connections may be null by their types.
    pub setof_functions_contain_nulls: bool,
    /// Only entities tagged `@aggregates on` have aggregates.
    pub disable_aggregates_by_default: bool,
    /// What a table joins is shown past it, as the plugin pg-many-to-many gives it.
    pub many_to_many: bool,
    /// What of a request's changes is done together.
    pub mutation_transactions: Transactions,
    /// A row is made or changed together with those that it is connected with; so many of them at
    /// most.
    pub nested_mutations: Option<u32>,
    /// Addresses of networks and of network cards have scalars of their own, not `String`.
    pub network_scalars: bool,
    /// Rows have global ids, by which they are found and changed.
    pub node_ids: bool,
    pub simple_collections: SimpleCollections,
    /// The names of the plugin pg-simplify-inflector instead of the classic ones.
    pub simplified_names: Option<SimplifiedNames>,
    /// Tags beside those of comments.
    pub tags_file: TagsFile,
    /// The composite type whose values are signed tokens.
    pub token: Option<TokenType>,
    /// Rows are made or, where there is one of the same key, changed by one field.
    pub upsert_mutations: bool,
    /// The column that tells the rows of each view apart that has it, and no key.
    pub view_unique_key: Option<Box<str>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            aggregates: false,
            bulk_mutations: None,
            disable_aggregates_by_default: false,
            many_to_many: false,
            mutation_transactions: Transactions::default(),
            nested_mutations: None,
            network_scalars: false,
            node_ids: true,
            classic_ids: false,
            disable_default_mutations: false,
            connection_filter: None,
            dynamic_json: false,
            geometric_types: false,
            ignore_indexes: true,
            legacy_relations: LegacyRelations::default(),
            setof_functions_contain_nulls: true,
            simple_collections: SimpleCollections::default(),
            simplified_names: None,
            tags_file: TagsFile::default(),
            token: None,
            upsert_mutations: false,
            view_unique_key: None,
        }
    }
}

/// What becomes of the plural form of relations back to at most one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegacyRelations {
    /// There is the singular only.
    Omit,
    /// Both are there.
    #[default]
    Deprecated,
    /// There is the plural only.
    Only,
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

impl LegacyRelations {
    fn has_single(self) -> bool {
        self != Self::Only
    }

    fn has_many(self) -> bool {
        self != Self::Omit
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

/// Adds to the catalog what smart tags declare of it.
pub fn declare(catalog: &mut Catalog, options: &Options) {
    tags::declared::declare(catalog, options);
}

/// What `@error` says of constraints, in comments or in the tags file, which comes first.
#[must_use]
pub fn messages(catalog: &Catalog, options: &Options) -> Vec<ConstraintMessage> {
    tags::messages::messages(catalog, &options.tags_file)
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let (annotations, mut notes) = Annotations::new(catalog, &options.tags_file);
    let enum_tables = EnumTables::new(catalog, &annotations, &mut notes);
    // Which of its own types an API needs is known when it is made. A table may have the name of
    // one that is not needed; if it turns out to be, the table goes without.
    let mut of_values = FxHashSet::default();
    loop {
        let build = Build::new(catalog, &annotations, &enum_tables, options, &of_values);
        match make(build, notes.clone()) {
            Ok(api) => return api,
            Err(taken) => of_values.extend(taken),
        }
    }
}

/// Makes the API, unless a table has the name of a type that values need.
fn make(mut build: Build<'_>, notes: Vec<Note>) -> Result<Api, FxHashSet<Box<str>>> {
    let transactions = build.options.mutation_transactions;
    for note in notes {
        build.note(note);
    }
    let query = root::add_types(&mut build);
    view_key::note_unused(&mut build);
    let mut served = entity::plan(&mut build);
    build.node_prefixes = node_ids::prefixes(&mut build, &served);
    build.computed = functions::computed_values(&mut build);
    entity::add_types(&mut build, &mut served);
    for index in 0..served.len() {
        filter::add_fields(&mut build, &served, index);
    }
    for index in 0..served.len() {
        relations::add(&mut build, &mut served, index);
    }
    functions::add_computed(&mut build, &mut served);
    for index in 0..served.len() {
        many_to_many::add(&mut build, &mut served, index);
    }
    aggregate_orders::add(&mut build, &served);
    root::add_fields(&mut build, &served, query);
    mutations::add(&mut build, &served);
    apart::add_relations(&mut build, &served);
    let mut api = build.finish()?;
    api.transactions = transactions;
    Ok(api)
}
