//! The dialect line of a case: `postgraphile simple-collections=both`, `phrag default-limit=2`,
//! `neo4j types=music/types.graphql`, `neo4j api=3 types=music/types-3.graphql`.

use std::path::Path;
use std::sync::Arc;

use dialects::hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialects::neo4j::model::ApiVersion;
use dialects::postgraphile::{SimplifiedNames, Version};
use dialects::{Dialect, Transactions, find_dialect, hasura, neo4j, phrag, postgraphile, prisma};

/// Reads the line; an option that the dialect does not have is an error.
pub(crate) fn parse(line: &str) -> Result<Dialect, String> {
    let mut words = line.split_whitespace();
    let name = words.next().and_then(find_dialect);
    let mut dialect = name.ok_or_else(|| format!("`{line}` is no dialect"))?.dialect();
    for word in words {
        let known = match (&mut dialect, word.split_once('=')) {
            (Dialect::PostGraphile(options), value) if word.starts_with("connection-filter") => {
                let (name, value) = value.unwrap_or((word, "true"));
                set_filter(options, name, value)
            }
            (dialect, None) if word == "live" => set_live(dialect),
            (Dialect::PostGraphile(options), None) => set_flag(options, word),
            (Dialect::PostGraphile(options), Some(("legacy-relations", value))) => {
                set_legacy(options, value)
            }
            (Dialect::PostGraphile(options), Some(("tags-file", value))) => {
                set_tags(options, value)?;
                true
            }
            (Dialect::PostGraphile(options), Some(("subscriptions-file", value))) => {
                set_subscriptions(options, value)?;
                true
            }
            (Dialect::PostGraphile(options), Some(("mutation-transactions", "request"))) => {
                options.mutation_transactions = Transactions::Request;
                true
            }
            (Dialect::PostGraphile(options), Some(("simple-collections", value))) => {
                set_collections(options, value)
            }
            (Dialect::PostGraphile(options), Some(("bulk-mutations", value))) => {
                options.bulk_mutations = value.parse().ok();
                options.bulk_mutations.is_some()
            }
            (Dialect::PostGraphile(options), Some(("nested-mutations", value))) => {
                options.nested_mutations = value.parse().ok();
                options.nested_mutations.is_some()
            }
            (Dialect::PostGraphile(options), Some(("view-unique-key", value))) => {
                options.view_unique_key = Some(value.into());
                true
            }
            // Before the types, which are read by it.
            (Dialect::Neo4j(options), Some(("api", "3"))) => {
                options.version = ApiVersion::V3;
                true
            }
            (Dialect::Neo4j(options), Some(("types", path))) => {
                set_types(options, path)?;
                true
            }
            (Dialect::Neo4j(options), None) if word == "exclude-deprecated" => {
                options.exclude_deprecated = true;
                true
            }
            (Dialect::Neo4j(options), None) if word == "limit-required" => {
                options.limit_required = true;
                true
            }
            (Dialect::Neo4j(options), Some(("filters", value))) => {
                options.filters = value.split(',').map(str::parse).collect::<Result<_, _>>()?;
                true
            }
            (Dialect::Dgraph(options), None) if word == "nested-filters" => {
                options.nested_filters = true;
                true
            }
            (Dialect::Hasura(options), Some(("metadata", path))) => {
                set_metadata(options, path)?;
                true
            }
            (Dialect::Hasura(options), None) if word == "graphql-default" => {
                options.naming_convention = hasura::NamingConvention::GraphQlDefault;
                true
            }
            (Dialect::Hasura(options), None) if word == "relay" => {
                options.schema = hasura::SchemaKind::Relay;
                true
            }
            (Dialect::Hasura(options), None) if word == "named-function-permissions" => {
                options.infer_function_permissions = false;
                true
            }
            (Dialect::Hasura(options), None) if word == "leave-out-inconsistent" => {
                options.inconsistencies = hasura::Inconsistencies::LeftOut;
                true
            }
            (Dialect::Prisma(options), Some(("extensions", value))) => {
                let named = value.split(',').filter_map(find_extension);
                let chosen: Vec<_> = named.collect();
                options.extensions = chosen.iter().copied().collect();
                chosen.len() == value.split(',').count()
            }
            (Dialect::Phrag(options), Some(("default-limit", value))) => {
                options.default_limit = value.parse().ok();
                options.default_limit.is_some()
            }
            (Dialect::Prisma(options), Some(("max-nodes", value))) => {
                options.max_nodes = value.parse().ok();
                options.max_nodes.is_some()
            }
            (Dialect::Phrag(options), Some(("max-nest-level", value))) => {
                options.max_nest_level = value.parse().ok();
                options.max_nest_level.is_some()
            }
            (Dialect::Phrag(options), Some(("use-aggregation", "false"))) => {
                options.without_aggregation = true;
                true
            }
            (Dialect::Phrag(options), Some(("bigint", "string"))) => {
                options.big_integers = phrag::BigIntegers::String;
                true
            }
            _ => false,
        };
        if !known {
            return Err(format!("`{word}` is no option of `{line}`"));
        }
    }
    Ok(dialect)
}

fn find_extension(name: &str) -> Option<prisma::extensions::Extension> {
    let known = prisma::extensions::EXTENSIONS.iter().find(|(known, ..)| *known == name);
    known.map(|(_, extension, _)| *extension)
}

fn set_live(dialect: &mut Dialect) -> bool {
    match dialect {
        Dialect::PostGraphile(options) => options.live = true,
        Dialect::Phrag(options) => options.live = true,
        Dialect::Neo4j(options) => options.live = true,
        Dialect::Dgraph(_) | Dialect::Hasura(_) | Dialect::Prisma(_) => return false,
    }
    true
}

fn set_collections(options: &mut postgraphile::Options, value: &str) -> bool {
    options.simple_collections = match value {
        "omit" => postgraphile::SimpleCollections::Omit,
        "both" => postgraphile::SimpleCollections::Both,
        "only" => postgraphile::SimpleCollections::Only,
        _ => return false,
    };
    true
}

fn set_legacy(options: &mut postgraphile::Options, value: &str) -> bool {
    options.legacy_relations = match value {
        "omit" => postgraphile::LegacyRelations::Omit,
        "deprecated" => postgraphile::LegacyRelations::Deprecated,
        "only" => postgraphile::LegacyRelations::Only,
        _ => return false,
    };
    true
}

/// A file within `fixtures/databases`.
fn set_tags(options: &mut postgraphile::Options, path: &str) -> Result<(), String> {
    let databases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/databases");
    let text = std::fs::read_to_string(databases.join(path))
        .map_err(|error| format!("{path}: {error}"))?;
    options.tags_file =
        postgraphile::TagsFile::parse(&text).map_err(|error| format!("{path}: {error}"))?;
    Ok(())
}

/// A file within `fixtures/databases`.
fn set_subscriptions(options: &mut postgraphile::Options, path: &str) -> Result<(), String> {
    let databases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/databases");
    let text = std::fs::read_to_string(databases.join(path))
        .map_err(|error| format!("{path}: {error}"))?;
    options.subscriptions_file = postgraphile::SubscriptionsFile::parse(&text)
        .map_err(|error| format!("{path}: {error}"))?;
    Ok(())
}

/// A file within `fixtures/hasura`.
fn set_metadata(options: &mut hasura::Options, path: &str) -> Result<(), String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hasura");
    let text =
        std::fs::read_to_string(fixtures.join(path)).map_err(|error| format!("{path}: {error}"))?;
    let served = ServedSource::choose(read_text(path, &text), None);
    options.metadata = MetadataSetting::Read(served.map_err(|error| error.to_string())?);
    Ok(())
}

/// A file within `fixtures/databases`.
fn set_types(options: &mut neo4j::Options, path: &str) -> Result<(), String> {
    let databases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/databases");
    let text = std::fs::read_to_string(databases.join(path))
        .map_err(|error| format!("{path}: {error}"))?;
    let model = neo4j::definitions::read(&text, options.version).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        format!("{path}: {}", problems.join("; "))
    })?;
    if let Some(problem) = neo4j::unserved(&model, options.version) {
        return Err(format!("{path}: {problem}"));
    }
    options.model = Arc::new(model);
    Ok(())
}

fn set_flag(options: &mut postgraphile::Options, word: &str) -> bool {
    match word {
        "aggregates" => options.aggregates = true,
        "disable-aggregates-by-default" => options.disable_aggregates_by_default = true,
        "many-to-many" => options.many_to_many = true,
        "classic-ids" => options.classic_ids = true,
        "disable-default-mutations" => options.disable_default_mutations = true,
        "dynamic-json" => options.dynamic_json = true,
        "geometric-types" => options.geometric_types = true,
        "network-scalars" => options.network_scalars = true,
        "simple-subscriptions" => options.simple_subscriptions = true,
        "version-5" => options.version = Version::Five,
        "no-ignore-indexes" => options.ignore_indexes = false,
        "no-node-ids" => options.node_ids = false,
        "no-setof-functions-contain-nulls" => options.setof_functions_contain_nulls = false,
        "upsert-mutations" => options.upsert_mutations = true,
        "simplified-names" => options.simplified_names = Some(SimplifiedNames::default()),
        _ => return set_simplified(options, word),
    }
    true
}

/// The options of the plugin, which need `simplified-names` before them.
fn set_simplified(options: &mut postgraphile::Options, word: &str) -> bool {
    let Some(simplified) = &mut options.simplified_names else { return false };
    match word {
        "no-short-pk" => simplified.short_keys = false,
        "no-simplify-all-rows" => simplified.all_rows = false,
        "no-simplify-multikey-relations" => simplified.multikey_relations = false,
        "omit-list-suffix" => simplified.omit_list_suffix = true,
        _ => return false,
    }
    true
}

/// The options of filters, each of which turns them on.
fn set_filter(options: &mut postgraphile::Options, name: &str, value: &str) -> bool {
    let filter = options.connection_filter.get_or_insert_default();
    let flag = value == "true";
    let list = || Some(value.split(',').map(String::from).collect());
    match name {
        "connection-filter" => {}
        "connection-filter-allow-empty-object-input" => filter.allow_empty_object_input = flag,
        "connection-filter-allow-null-input" => filter.allow_null_input = flag,
        "connection-filter-allowed-field-types" => filter.allowed_field_types = list(),
        "connection-filter-allowed-operators" => filter.allowed_operators = list(),
        "connection-filter-arrays" => filter.arrays = flag,
        "connection-filter-computed-columns" => filter.computed_columns = flag,
        "connection-filter-setof-functions" => filter.setof_functions = flag,
        "connection-filter-logical-operators" => filter.logical_operators = flag,
        "connection-filter-operator-names" => {
            let names = value.split(',').filter_map(|pair| pair.split_once(':'));
            filter.operator_names = names.map(|(from, to)| (from.into(), to.into())).collect();
        }
        "connection-filter-relations" => filter.relations = flag,
        "connection-filter-use-list-inflectors" => filter.use_list_inflectors = Some(flag),
        _ => return false,
    }
    matches!(value, "true" | "false") || !flag
}
