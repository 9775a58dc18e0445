//! The names of an entity in the API, by the naming convention and the configuration of its table:
//! <https://hasura.io/docs/2.0/schema/postgres/naming-convention/>

use hasura_metadata::naming::{Identifier, Naming, RootField};
use hasura_metadata::types::table::TableConfiguration;

/// The root field of roles without queries.
pub(crate) const NO_QUERIES_FIELD: &str = "no_queries_available";

/// Its names by the conventions.
pub(crate) const NO_QUERIES_FIELDS: [&str; 2] = [NO_QUERIES_FIELD, "noQueriesAvailable"];

/// The schema whose tables have no prefix.
const DEFAULT_SCHEMA: &str = "public";

/// The suffixes of the types of a table, `T_aggregate` and so on.
pub(super) const TYPE_SUFFIXES: [&str; 31] = [
    "",
    "aggregate",
    "aggregate_bool_exp",
    "aggregate_bool_exp_count",
    "aggregate_fields",
    "aggregate_order_by",
    "arr_rel_insert_input",
    "bool_exp",
    "constraint",
    "delete_at_path_input",
    "delete_elem_input",
    "delete_key_input",
    "append_input",
    "prepend_input",
    "inc_input",
    "insert_input",
    "mutation_response",
    "obj_rel_insert_input",
    "on_conflict",
    "order_by",
    "pk_columns_input",
    "select_column",
    "set_input",
    "stream_cursor_input",
    "stream_cursor_value_input",
    "update_column",
    "updates",
    "args",
    "input",
    "enum",
    "enum_comparison_exp",
];

/// The aggregate functions in names: `T_avg_fields`, `T_avg_order_by`.
pub(super) const FUNCTIONS: [&str; 10] = [
    "avg",
    "max",
    "min",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "sum",
    "var_pop",
    "var_samp",
    "variance",
];

/// The aggregate functions of conditions in names: `T_aggregate_bool_exp_avg`.
const CONDITION_FUNCTIONS: [&str; 10] = [
    "avg",
    "bool_and",
    "bool_or",
    "corr",
    "covar_samp",
    "max",
    "min",
    "stddev_samp",
    "sum",
    "var_samp",
];

/// All fields of the root types for a table.
const ROOTS: [RootField; 11] = [
    RootField::Select,
    RootField::SelectAggregate,
    RootField::SelectByPk,
    RootField::SelectStream,
    RootField::Insert,
    RootField::InsertOne,
    RootField::Update,
    RootField::UpdateByPk,
    RootField::UpdateMany,
    RootField::Delete,
    RootField::DeleteByPk,
];

/// The names of a table's types and root fields.
#[derive(Clone, Debug)]
pub(super) struct TableNames<'m> {
    naming: Naming<'m>,
    identifier: Identifier,
    configuration: &'m TableConfiguration,
}

impl<'m> TableNames<'m> {
    /// `None` if the table's name is none of GraphQL, and it has no other one: that of the
    /// configuration, or a given one.
    pub(super) fn new(
        naming: Naming<'m>,
        (namespace, name): (Option<&str>, &str),
        given: Option<&str>,
        configuration: &'m TableConfiguration,
    ) -> Option<Self> {
        let schema = namespace.filter(|namespace| *namespace != DEFAULT_SCHEMA);
        let custom = configuration.custom_name.as_deref().or(given);
        let identifier = Identifier::of_entity(schema, name, custom)?;
        Some(Self { naming, identifier, configuration })
    }

    /// A type: that of the rows by an empty suffix.
    pub(super) fn r#type(&self, suffix: &str) -> String {
        self.naming.table_type(&self.identifier, suffix)
    }

    /// A type of the Relay API, whose suffix follows the table without a separator.
    pub(super) fn of_relay(&self, suffix: &str) -> String {
        self.naming.relay_type(&self.identifier, suffix)
    }

    /// The root field of connections, in the Relay API.
    pub(super) fn connection_root(&self) -> String {
        self.naming.connection_root_field(&self.identifier)
    }

    /// The type of a computed field's arguments.
    pub(super) fn computed_arguments(&self, field: &str) -> String {
        self.naming.computed_field_arguments(field, &self.identifier)
    }

    /// A root field.
    pub(super) fn root(&self, field: RootField) -> String {
        self.naming.root_field(&self.identifier, self.configuration, field)
    }

    /// The description of a root field, which a comment replaces; an empty one removes it.
    pub(super) fn description(&self, field: RootField, usual: String) -> Option<String> {
        let custom = field.find_custom(self.configuration);
        match custom.and_then(|custom| custom.comment.as_deref()) {
            None => Some(usual),
            Some("") => None,
            Some(comment) => Some(comment.to_owned()),
        }
    }

    /// The names of all types.
    pub(super) fn types(&self) -> impl Iterator<Item = String> {
        let own = TYPE_SUFFIXES.iter().map(|suffix| self.r#type(suffix));
        let functions = FUNCTIONS.iter().flat_map(|function| {
            ["fields", "order_by"].map(|suffix| self.r#type(&of(function, suffix)))
        });
        let conditions = CONDITION_FUNCTIONS.iter().flat_map(|function| {
            let own = format!("aggregate_bool_exp_{function}");
            let arguments = format!("{own}_arguments");
            let columns = format!("select_column_{}_columns", self.r#type(&arguments));
            [own, arguments, columns].map(|suffix| self.r#type(&suffix))
        });
        own.chain(functions).chain(conditions)
    }

    /// The names of all fields of the root types.
    pub(super) fn roots(&self) -> [String; 11] {
        ROOTS.map(|field| self.root(field))
    }
}

/// The name of a table by which the console names relationships.
pub(super) fn table(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        None | Some(DEFAULT_SCHEMA) => name.to_owned(),
        Some(namespace) => format!("{namespace}_{name}"),
    }
}

/// The name of a table in descriptions.
pub(super) fn described(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        None | Some(DEFAULT_SCHEMA) => name.to_owned(),
        Some(namespace) => format!("{namespace}.{name}"),
    }
}

/// A name with a suffix in snake case.
pub(super) fn of(name: &str, suffix: &str) -> String {
    format!("{name}_{suffix}")
}

#[cfg(test)]
mod tests {
    use hasura_metadata::types::source::{NamingConvention, SourceCustomization};

    use super::*;

    #[test]
    fn types_and_fields_begin_with_the_table() {
        let (customization, configuration) =
            (SourceCustomization::default(), TableConfiguration::default());
        let check = |convention, namespace, name: &str, expected: [&str; 3]| {
            let naming = Naming { convention, customization: &customization };
            let names = TableNames::new(naming, (namespace, name), None, &configuration);
            let names = names.unwrap_or_else(|| panic!("{name} has no names"));
            let types: Vec<String> = names.types().collect();
            assert_eq!([&*types[0], &*types[2], &*names.roots()[8]], expected);
        };
        let (snake, camel) = (NamingConvention::HasuraDefault, NamingConvention::GraphQlDefault);
        let expected = ["Album", "Album_aggregate_bool_exp", "update_Album_many"];
        check(snake, None, "Album", expected);
        check(snake, Some("public"), "Album", expected);
        let expected =
            ["sales_invoice", "sales_invoice_aggregate_bool_exp", "update_sales_invoice_many"];
        check(snake, Some("sales"), "invoice", expected);
        let expected = ["SalesInvoice", "SalesInvoiceAggregateBoolExp", "updateSalesInvoiceMany"];
        check(camel, Some("sales"), "invoice", expected);
    }
}
