//! Options of the filters, by the names of the connection-filter plugin's.

use clap::Args;
use dialects::postgraphile::FilterOptions;

#[derive(Debug, Args)]
#[command(next_help_heading = "Filters of PostGraphile")]
pub(crate) struct Filters {
    /// For postgraphile: the filters of the connection-filter plugin; the options below need it
    #[arg(long, env = "THALWEG_CONNECTION_FILTER")]
    connection_filter: bool,
    /// Objects without fields mean nothing in filters, instead of being refused
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_ALLOW_EMPTY_OBJECT_INPUT")]
    connection_filter_allow_empty_object_input: bool,
    /// Nulls mean nothing in filters, instead of being refused
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_ALLOW_NULL_INPUT")]
    connection_filter_allow_null_input: bool,
    /// The only types of which values have filters [default: all]
    #[arg(
        long,
        env = "THALWEG_CONNECTION_FILTER_ALLOWED_FIELD_TYPES",
        value_name = "TYPES",
        value_delimiter = ','
    )]
    connection_filter_allowed_field_types: Option<Vec<String>>,
    /// The only operators of filters [default: all]
    #[arg(
        long,
        env = "THALWEG_CONNECTION_FILTER_ALLOWED_OPERATORS",
        value_name = "OPERATORS",
        value_delimiter = ','
    )]
    connection_filter_allowed_operators: Option<Vec<String>>,
    /// Whether columns of lists have filters [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_ARRAYS", value_name = "BOOL")]
    connection_filter_arrays: Option<bool>,
    /// Whether computed columns have filters [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_COMPUTED_COLUMNS", value_name = "BOOL")]
    connection_filter_computed_columns: Option<bool>,
    /// Whether filters have `and`, `or` and `not` [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_LOGICAL_OPERATORS", value_name = "BOOL")]
    connection_filter_logical_operators: Option<bool>,
    /// Other names for operators: `equalTo:eq,notEqualTo:ne`
    #[arg(
        long,
        env = "THALWEG_CONNECTION_FILTER_OPERATOR_NAMES",
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = pair
    )]
    connection_filter_operator_names: Option<Vec<(String, String)>>,
    /// Filters by related rows
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_RELATIONS")]
    connection_filter_relations: bool,
    /// Whether sets that functions give have filters [default: true]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_SETOF_FUNCTIONS", value_name = "BOOL")]
    connection_filter_setof_functions: Option<bool>,
    /// Whether filters by related rows are named as lists [default: if there are no connections]
    #[arg(long, env = "THALWEG_CONNECTION_FILTER_USE_LIST_INFLECTORS", value_name = "BOOL")]
    connection_filter_use_list_inflectors: Option<bool>,
}

impl Filters {
    /// The filters that are asked for. The error is an option that is given without them.
    pub(crate) fn of_dialect(&self) -> Result<Option<FilterOptions>, &'static str> {
        if !self.connection_filter {
            return self.first_given().map_or(Ok(None), Err);
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

    /// The first of the options that is given, that which turns filters on included.
    fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--connection-filter", self.connection_filter),
            (
                "--connection-filter-allow-empty-object-input",
                self.connection_filter_allow_empty_object_input,
            ),
            ("--connection-filter-allow-null-input", self.connection_filter_allow_null_input),
            (
                "--connection-filter-allowed-field-types",
                self.connection_filter_allowed_field_types.is_some(),
            ),
            (
                "--connection-filter-allowed-operators",
                self.connection_filter_allowed_operators.is_some(),
            ),
            ("--connection-filter-arrays", self.connection_filter_arrays.is_some()),
            (
                "--connection-filter-computed-columns",
                self.connection_filter_computed_columns.is_some(),
            ),
            (
                "--connection-filter-setof-functions",
                self.connection_filter_setof_functions.is_some(),
            ),
            (
                "--connection-filter-logical-operators",
                self.connection_filter_logical_operators.is_some(),
            ),
            ("--connection-filter-operator-names", self.connection_filter_operator_names.is_some()),
            ("--connection-filter-relations", self.connection_filter_relations),
            (
                "--connection-filter-use-list-inflectors",
                self.connection_filter_use_list_inflectors.is_some(),
            ),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// `equalTo:eq`
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok((from.into(), to.into())),
        _ => Err(format!("`{text}` is not of the form NAME:NEW")),
    }
}
