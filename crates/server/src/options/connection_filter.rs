//! Options of PostGraphile's connection-filter plugin, by its names.

use clap::Args;
use dialects::postgraphile::FilterOptions;

use super::given::GivenOptions;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Filters of PostGraphile")]
pub(crate) struct ConnectionFilterOptions {
    /// For postgraphile: enable the filters of the connection-filter plugin; the options below need it
    #[arg(long, env = "THALWEG_CONNECTION_FILTER")]
    connection_filter: bool,
    /// Ignore empty objects in filters, instead of refusing them
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_ALLOW_EMPTY_OBJECT_INPUT")]
    connection_filter_allow_empty_object_input: bool,
    /// Ignore nulls in filters, instead of refusing them
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_ALLOW_NULL_INPUT")]
    connection_filter_allow_null_input: bool,
    /// The types whose fields have filters [default: all]
    #[arg(
        long,
        env = "THALWEG_CONNECTION_FILTER_ALLOWED_FIELD_TYPES",
        value_name = "TYPES",
        value_delimiter = ','
    )]
    connection_filter_allowed_field_types: Option<Vec<String>>,
    /// The operators of filters [default: all]
    #[arg(
        long,
        env = "THALWEG_CONNECTION_FILTER_ALLOWED_OPERATORS",
        value_name = "OPERATORS",
        value_delimiter = ','
    )]
    connection_filter_allowed_operators: Option<Vec<String>>,
    /// Filters on array columns [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_ARRAYS", value_name = "BOOL")]
    connection_filter_arrays: Option<bool>,
    /// Filters on computed columns [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_COMPUTED_COLUMNS", value_name = "BOOL")]
    connection_filter_computed_columns: Option<bool>,
    /// The logical operators `and`, `or` and `not` in filters [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_LOGICAL_OPERATORS", value_name = "BOOL")]
    connection_filter_logical_operators: Option<bool>,
    /// Renamed operators: `equalTo:eq,notEqualTo:ne`
    #[arg(
        long,
        env = "THALWEG_CONNECTION_FILTER_OPERATOR_NAMES",
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = pair
    )]
    connection_filter_operator_names: Option<Vec<(String, String)>>,
    /// Filters on related rows
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_RELATIONS")]
    connection_filter_relations: bool,
    /// Filters on the rows of functions that return sets [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_SETOF_FUNCTIONS", value_name = "BOOL")]
    connection_filter_setof_functions: Option<bool>,
    /// Name filters on related rows like lists [default: if there are no connections]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_USE_LIST_INFLECTORS", value_name = "BOOL")]
    connection_filter_use_list_inflectors: Option<bool>,
}

impl ConnectionFilterOptions {
    /// The filters, if they are enabled. The other options need the one that enables them.
    pub(super) fn to_dialect(
        &self,
        given: &GivenOptions,
    ) -> Result<Option<FilterOptions>, Failure> {
        if !self.connection_filter {
            return match given.first_of::<Self>() {
                Some(name) => {
                    Err(Failure::Usage(format!("`--{name}` needs `--connection-filter`")))
                }
                None => Ok(None),
            };
        }
        let default = FilterOptions::default();
        Ok(Some(FilterOptions {
            allow_empty_object_input: self.connection_filter_allow_empty_object_input,
            allow_null_input: self.connection_filter_allow_null_input,
            allowed_field_types: self.connection_filter_allowed_field_types.clone(),
            allowed_operators: self.connection_filter_allowed_operators.clone(),
            arrays: self.connection_filter_arrays.unwrap_or(default.arrays),
            computed_columns: self
                .connection_filter_computed_columns
                .unwrap_or(default.computed_columns),
            setof_functions: self
                .connection_filter_setof_functions
                .unwrap_or(default.setof_functions),
            logical_operators: self
                .connection_filter_logical_operators
                .unwrap_or(default.logical_operators),
            operator_names: self.connection_filter_operator_names.clone().unwrap_or_default(),
            relations: self.connection_filter_relations,
            use_list_inflectors: self.connection_filter_use_list_inflectors,
        }))
    }
}

/// Parses `equalTo:eq`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok((from.into(), to.into())),
        _ => Err(format!("`{text}` is not of the form NAME:NEW")),
    }
}
