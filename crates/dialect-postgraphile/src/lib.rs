//! The API of PostGraphile 4.
//!
//! It follows PostGraphile 4.14 with its defaults: the same names, types, arguments, orders and
//! descriptions; by option also the filters of the connection-filter plugin.
//!
//! * [`build`]: the API under construction
//! * [`naming`]: naming rules; [`names`]: names of the database's objects
//! * [`claims`]: owners of names
//! * [`tags`]: smart tags; [`permitted`]: the permitted operations by tags and options
//! * [`api_types`]: types made so far
//! * [`enum_tables`]: tables whose rows are the values of enums; [`enum_table_types`]: their types
//! * [`types`], [`scalars`], [`enums`], [`parts`], [`inputs`]: types of columns
//! * [`decomposed`]: decomposed composites
//! * [`node_ids`]: prefixes of global ids
//! * [`entity`], [`connection`], [`order`], [`condition`]: the types of each entity
//! * [`view_key`]: the order of a view without a key
//! * [`filter`]s, by option
//! * [`aggregates`]: aggregates of all rows; [`aggregate_orders`], [`aggregate_conditions`]
//! * [`many_to_many`]: relations through a join table
//! * [`relations`], [`root`]: fields of rows, with their [`arguments`]
//! * [`functions`], [`function_results`]: functions as fields, and their results
//! * [`mutations`]: fields of the mutation type
//! * [`subscriptions`]: the subscription type, by option
//! * [`descriptions`]: descriptions of the API

mod aggregate_computed;
mod aggregate_conditions;
mod aggregate_orders;
mod aggregates;
mod api_types;
mod arguments;
mod build;
mod claims;
mod condition;
mod connection;
mod decomposed;
mod descriptions;
mod entity;
mod enum_table_types;
mod enum_tables;
mod enums;
mod event_fields;
mod figures;
mod filter;
mod function_results;
mod functions;
mod inputs;
mod many_to_many;
mod mutations;
mod names;
mod naming;
mod node_ids;
mod order;
mod parts;
mod permitted;
mod relations;
mod remedy;
mod root;
mod scalars;
mod subscriptions;
mod tags;
mod token;
mod types;
mod view_key;

use catalog::{Catalog, Note};
use rustc_hash::FxHashSet;

use api::{Api, ConstraintMessage, Transactions};
use build::Build;
use enum_tables::EnumTables;
pub use enum_tables::wanted_rows;
pub use event_fields::SubscriptionsFile;
pub use filter::FilterOptions;
use tags::annotations::Annotations;
pub use tags::file::{TagsFile, TagsFileError};
pub use token::TokenType;

/// Simple lists beside or instead of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimpleCollections {
    #[default]
    Omit,
    Both,
    Only,
}

/// The version of PostGraphile whose schema the API has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    #[default]
    Four,
    /// With the preset Amber.
    Five,
}

/// Options of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Aggregates of all rows, as in the plugin pg-aggregates.
    pub aggregates: bool,
    /// Bulk mutations: several rows are inserted, updated and deleted by one field, with this
    /// limit.
    pub bulk_mutations: Option<u32>,
    /// The global id is called `id`, and a column `id` is called `rowId`.
    pub classic_ids: bool,
    /// Rows are changed by functions only.
    pub disable_default_mutations: bool,
    /// The filters of the connection-filter plugin; without it there are none.
    pub connection_filter: Option<FilterOptions>,
    /// JSON is embedded in responses and arguments, not a string that holds JSON.
    pub dynamic_json: bool,
    /// Lines, boxes, paths and other figures are objects of their points, not texts.
    pub geometric_types: bool,
    /// Columns and foreign keys without an index have conditions, orders and relations all the
    /// same.
    pub ignore_indexes: bool,
    /// The plural form of relations back to at most one row.
    pub legacy_relations: LegacyRelations,
    /// Each query is also a subscription, whose clients receive its new response after changes.
    pub live: bool,
    /// Elements of connections may be null by their types.
    pub setof_functions_contain_nulls: bool,
    /// Only entities tagged `@aggregates on` have aggregates.
    pub disable_aggregates_by_default: bool,
    /// Many-to-many relations through a join table, as in the plugin pg-many-to-many.
    pub many_to_many: bool,
    /// The scope of a mutation's transactions.
    pub mutation_transactions: Transactions,
    /// Nested mutations: a row is inserted or updated together with its connected rows, with this
    /// limit of rows.
    pub nested_mutations: Option<u32>,
    /// Network and MAC addresses have scalars of their own, not `String`.
    pub network_scalars: bool,
    /// Binary columns have the type `Upload` in inputs.
    pub upload_scalar: bool,
    /// Rows have global ids, which find and change them.
    pub node_ids: bool,
    pub simple_collections: SimpleCollections,
    /// Subscriptions to notifications of the database, as in the plugin pg-pubsub.
    pub simple_subscriptions: bool,
    /// Further subscription fields, with their topics.
    pub subscriptions_file: SubscriptionsFile,
    /// The names of the plugin pg-simplify-inflector instead of the classic ones.
    pub simplified_names: Option<SimplifiedNames>,
    /// Tags beside those of comments.
    pub tags_file: TagsFile,
    /// The composite type whose values are signed tokens.
    pub token: Option<TokenType>,
    /// Upserts: rows are inserted or, if the key exists, updated by one field.
    pub upsert_mutations: bool,
    pub version: Version,
    /// The column that identifies the rows of each view that has it, and no key.
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
            upload_scalar: false,
            node_ids: true,
            classic_ids: false,
            disable_default_mutations: false,
            connection_filter: None,
            dynamic_json: false,
            geometric_types: false,
            ignore_indexes: true,
            legacy_relations: LegacyRelations::default(),
            live: false,
            setof_functions_contain_nulls: true,
            simple_collections: SimpleCollections::default(),
            simple_subscriptions: false,
            subscriptions_file: SubscriptionsFile::default(),
            simplified_names: None,
            tags_file: TagsFile::default(),
            token: None,
            upsert_mutations: false,
            version: Version::Four,
            view_unique_key: None,
        }
    }
}

/// The plural form of relations back to at most one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegacyRelations {
    /// The singular only.
    Omit,
    /// Both are there.
    #[default]
    Deprecated,
    /// The plural only.
    Only,
}

/// Simplifications of the plugin pg-simplify-inflector, and its own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimplifiedNames {
    /// `people` instead of `allPeople`.
    pub all_rows: bool,
    /// Relations along several columns are named after all of them.
    pub multikey_relations: bool,
    /// Connections have a suffix in their names instead of lists.
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

/// Adds the declarations of smart tags to the catalog.
pub fn declare(catalog: &mut Catalog, options: &Options) {
    tags::declared::declare(catalog, options);
}

/// Error texts of constraints by `@error`, in comments or in the tags file, which comes first.
#[must_use]
pub fn messages(catalog: &Catalog, options: &Options) -> Vec<ConstraintMessage> {
    tags::messages::messages(catalog, &options.tags_file)
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, options: &Options) -> Api {
    let (annotations, mut notes) = Annotations::new(catalog, &options.tags_file);
    let enum_tables = EnumTables::new(catalog, &annotations, &mut notes);
    // The needed built-in types are known once the API is made. A table may have the name of an
    // unneeded one; if it turns out to be needed, the table is omitted.
    let mut of_values = FxHashSet::default();
    loop {
        let build = Build::new(catalog, &annotations, &enum_tables, options, &of_values);
        match make(build, notes.clone()) {
            Ok(api) => return api,
            Err(taken) => of_values.extend(taken),
        }
    }
}

/// Makes the API, unless a table has the name of a needed value type.
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
    decomposed::add_relations(&mut build, &served);
    subscriptions::add(&mut build);
    let mut api = build.finish()?;
    api.transactions = transactions;
    Ok(api)
}
