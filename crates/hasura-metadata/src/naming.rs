//! Names of fields and types by Hasura's two naming conventions.
//!
//! `hasura-default` joins words by `_`; `graphql-default` writes fields in camel case and types in
//! pascal case. Names that the user chose keep their case, unless words stand before them.
//! <https://hasura.io/docs/2.0/schema/postgres/naming-convention/>

use crate::types::function::FunctionConfiguration;
use crate::types::name::is_graphql_name;
use crate::types::source::{NamingConvention, SourceCustomization};
use crate::types::table::{CustomRootField, TableConfiguration};

/// The names of a source.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'m> {
    pub convention: NamingConvention,
    pub customization: &'m SourceCustomization,
}

/// A root field of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootField {
    Select,
    SelectAggregate,
    SelectByPk,
    SelectStream,
    /// A connection of Relay's API.
    Connection,
    Insert,
    InsertOne,
    Update,
    UpdateByPk,
    UpdateMany,
    Delete,
    DeleteByPk,
}

impl RootField {
    /// The words before and after the name of the table.
    fn words(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Select => (&[], &[]),
            Self::SelectAggregate => (&[], &["aggregate"]),
            Self::SelectByPk => (&[], &["by", "pk"]),
            Self::SelectStream => (&[], &["stream"]),
            Self::Connection => (&[], &["connection"]),
            Self::Insert => (&["insert"], &[]),
            Self::InsertOne => (&["insert"], &["one"]),
            Self::Update => (&["update"], &[]),
            Self::UpdateByPk => (&["update"], &["by", "pk"]),
            Self::UpdateMany => (&["update"], &["many"]),
            Self::Delete => (&["delete"], &[]),
            Self::DeleteByPk => (&["delete"], &["by", "pk"]),
        }
    }

    /// The name and comment that the user chose.
    #[must_use]
    pub fn find_custom(self, configuration: &TableConfiguration) -> Option<&CustomRootField> {
        let fields = &configuration.custom_root_fields;
        match self {
            Self::Select => fields.select.as_ref(),
            Self::SelectAggregate => fields.select_aggregate.as_ref(),
            Self::SelectByPk => fields.select_by_pk.as_ref(),
            Self::SelectStream => fields.select_stream.as_ref(),
            Self::Connection => None,
            Self::Insert => fields.insert.as_ref(),
            Self::InsertOne => fields.insert_one.as_ref(),
            Self::Update => fields.update.as_ref(),
            Self::UpdateByPk => fields.update_by_pk.as_ref(),
            Self::UpdateMany => fields.update_many.as_ref(),
            Self::Delete => fields.delete.as_ref(),
            Self::DeleteByPk => fields.delete_by_pk.as_ref(),
        }
    }
}

/// A root type of a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespaceType {
    Query,
    Mutation,
    Subscription,
}

/// A name as words, of which the first may be one that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    first: String,
    is_custom: bool,
    rest: Vec<String>,
}

impl Identifier {
    /// The identifier of a table, view or function. The schema counts unless it is the default.
    /// `None` if the name is none of GraphQL: it then needs a custom name.
    #[must_use]
    pub fn of_entity(schema: Option<&str>, name: &str, custom_name: Option<&str>) -> Option<Self> {
        if let Some(custom) = custom_name {
            return Some(Self { first: custom.to_owned(), is_custom: true, rest: Vec::new() });
        }
        let mut words: Vec<String> = schema.into_iter().flat_map(split).collect();
        words.extend(split(name));
        let mut words = words.into_iter();
        let first = words.next()?;
        let identifier = Self { first, is_custom: false, rest: words.collect() };
        is_graphql_name(&identifier.snake()).then_some(identifier)
    }

    fn of_words(words: &[&str]) -> Self {
        let mut words = words.iter().map(|word| (*word).to_owned());
        let first = words.next().unwrap_or_default();
        Self { first, is_custom: false, rest: words.collect() }
    }

    fn followed_by(mut self, other: Self) -> Self {
        self.rest.push(other.first);
        self.rest.extend(other.rest);
        self
    }

    fn snake(&self) -> String {
        let mut name = self.first.clone();
        for word in &self.rest {
            name.push('_');
            name.push_str(word);
        }
        name
    }

    fn camel(&self) -> String {
        self.joined(lower_first)
    }

    fn pascal(&self) -> String {
        self.joined(upper_first)
    }

    /// Only a first word that the user did not choose is changed.
    fn joined(&self, change_first: fn(&str) -> String) -> String {
        let first = if self.is_custom { self.first.clone() } else { change_first(&self.first) };
        std::iter::once(first).chain(self.rest.iter().map(|word| upper_first(word))).collect()
    }
}

impl<'m> Naming<'m> {
    /// The namespace of the root fields.
    #[must_use]
    pub fn namespace(&self) -> Option<&'m str> {
        self.customization.root_fields.as_ref()?.namespace.as_deref()
    }
}

impl Naming<'_> {
    /// The types of a namespace in the types of queries, mutations and subscriptions.
    #[must_use]
    pub fn namespace_types(&self, namespace: &str) -> [String; 3] {
        ["_query", "_mutation_frontend", "_subscription"]
            .map(|suffix| self.customize_type([namespace, suffix].concat()))
    }

    /// The name of a root field of a table.
    #[must_use]
    pub fn root_field(
        &self,
        table: &Identifier,
        configuration: &TableConfiguration,
        field: RootField,
    ) -> String {
        let custom = field.find_custom(configuration).and_then(|custom| custom.name.as_deref());
        let name = match custom {
            Some(custom) => custom.to_owned(),
            None => {
                let (before, after) = field.words();
                let mut identifier = match before {
                    [] => table.clone(),
                    before => Identifier::of_words(before).followed_by(table.clone()),
                };
                identifier.rest.extend(after.iter().map(|word| (*word).to_owned()));
                self.field(&identifier)
            }
        };
        self.customize_root_field(name)
    }

    /// The name of a type of a table: that of its rows by an empty suffix, else with a suffix in
    /// snake case, as in `bool_exp`.
    #[must_use]
    pub fn table_type(&self, table: &Identifier, suffix: &str) -> String {
        let name = match self.convention {
            NamingConvention::HasuraDefault if suffix.is_empty() => table.snake(),
            // The words of the suffix would be split and joined again.
            NamingConvention::HasuraDefault => {
                let mut name = table.snake();
                name.push('_');
                name.push_str(suffix);
                name
            }
            NamingConvention::GraphQlDefault => {
                let mut identifier = table.clone();
                if !suffix.is_empty() {
                    identifier.rest.extend(split(suffix));
                }
                identifier.pascal()
            }
        };
        self.customize_type(name)
    }

    /// The name of a type of a table in the Relay API, whose suffix follows the table directly.
    #[must_use]
    pub fn relay_type(&self, table: &Identifier, suffix: &str) -> String {
        let name = match self.convention {
            NamingConvention::HasuraDefault => table.snake(),
            NamingConvention::GraphQlDefault => table.pascal(),
        };
        self.customize_type(name + suffix)
    }

    /// The name of the root field of a table's connection, in the Relay API.
    #[must_use]
    pub fn connection_root_field(&self, table: &Identifier) -> String {
        let mut identifier = table.clone();
        identifier.rest.push("connection".to_owned());
        self.customize_root_field(self.field(&identifier))
    }

    /// The name of a column's field; `None` if it is no name of GraphQL, as Hasura leaves the
    /// column out then.
    #[must_use]
    pub fn column(&self, configuration: &TableConfiguration, column: &str) -> Option<String> {
        let custom = configuration.column_config.get(column);
        if let Some(custom) = custom.and_then(|column| column.custom_name.as_deref()) {
            return Some(custom.to_owned());
        }
        is_graphql_name(column).then(|| self.changed(column, Identifier::camel))
    }

    /// The name of an argument, or of a field that each table has, as in `order_by`.
    #[must_use]
    pub fn word(&self, snake: &str) -> String {
        self.changed(snake, Identifier::camel)
    }

    /// The name of a type that all tables share, as in `String_comparison_exp`.
    #[must_use]
    pub fn shared_type(&self, snake: &str) -> String {
        self.changed(snake, Identifier::pascal)
    }

    /// The name of a value of an enum table.
    #[must_use]
    pub fn enum_value(&self, value: &str) -> String {
        match self.convention {
            NamingConvention::HasuraDefault => value.to_owned(),
            NamingConvention::GraphQlDefault => value.to_uppercase(),
        }
    }

    /// The name of a function's root field. `name` has its schema, unless it is the default.
    #[must_use]
    pub fn function(&self, name: &str, configuration: &FunctionConfiguration) -> String {
        let custom = configuration.custom_root_fields.function.as_deref();
        let custom = custom.or(configuration.custom_name.as_deref());
        let name = custom.map_or_else(|| self.word(name), str::to_owned);
        self.customize_root_field(name)
    }

    /// The name of a function's root field of aggregates.
    #[must_use]
    pub fn function_aggregate(&self, name: &str, configuration: &FunctionConfiguration) -> String {
        let custom = configuration.custom_root_fields.function_aggregate.as_deref();
        let aggregate = |name: &str| [name, "_aggregate"].concat();
        let name = match (custom, configuration.custom_name.as_deref()) {
            (Some(custom), _) => custom.to_owned(),
            (None, Some(custom)) => aggregate(custom),
            (None, None) => self.word(&aggregate(name)),
        };
        self.customize_root_field(name)
    }

    /// The name of the type of a function's arguments, which both of its root fields share.
    #[must_use]
    pub fn function_arguments(&self, name: &str, configuration: &FunctionConfiguration) -> String {
        let name = configuration.custom_name.as_deref().unwrap_or(name);
        // The one type whose name begins with a small letter in `graphql-default`.
        let name = self.word(&[name, "_args"].concat());
        self.customize_type(name)
    }

    /// The name of the type of a computed field's arguments.
    #[must_use]
    pub fn computed_field_arguments(&self, field: &str, table: &Identifier) -> String {
        let mut identifier = Identifier::of_words(&[field]).followed_by(table.clone());
        identifier.rest.push("args".to_owned());
        let name = match self.convention {
            NamingConvention::HasuraDefault => identifier.snake(),
            NamingConvention::GraphQlDefault => identifier.pascal(),
        };
        self.customize_type(name)
    }

    /// The name of a type that contains the root fields of a source with a namespace.
    #[must_use]
    pub fn namespace_type(&self, namespace: &str, r#type: NamespaceType) -> String {
        let suffix = match r#type {
            NamespaceType::Query => "_query",
            NamespaceType::Mutation => "_mutation_frontend",
            NamespaceType::Subscription => "_subscription",
        };
        self.customize_type([namespace, suffix].concat())
    }

    fn field(&self, identifier: &Identifier) -> String {
        match self.convention {
            NamingConvention::HasuraDefault => identifier.snake(),
            NamingConvention::GraphQlDefault => identifier.camel(),
        }
    }

    fn changed(&self, snake: &str, change: fn(&Identifier) -> String) -> String {
        match self.convention {
            NamingConvention::HasuraDefault => snake.to_owned(),
            NamingConvention::GraphQlDefault => {
                let words: Vec<String> = split(snake).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let changed = change(&Identifier::of_words(&words));
                // As Hasura: `_1` would become a name that GraphQL does not have.
                if is_graphql_name(&changed) { changed } else { snake.to_owned() }
            }
        }
    }

    fn customize_root_field(&self, name: String) -> String {
        let Some(fields) = &self.customization.root_fields else { return name };
        self.surround(fields.prefix.as_deref(), &name, fields.suffix.as_deref())
    }

    fn customize_type(&self, name: String) -> String {
        let Some(types) = &self.customization.type_names else { return name };
        self.surround(types.prefix.as_deref(), &name, types.suffix.as_deref())
    }

    /// Puts a prefix and a suffix around a name: nothing is between them in `hasura-default`, in
    /// `graphql-default` each but the first begins with a capital.
    fn surround(&self, prefix: Option<&str>, name: &str, suffix: Option<&str>) -> String {
        let parts = prefix.into_iter().chain([name]).chain(suffix);
        match self.convention {
            NamingConvention::HasuraDefault => parts.collect(),
            NamingConvention::GraphQlDefault => {
                let parts = parts.enumerate();
                let parts = parts.map(|(index, part)| match index {
                    0 => part.to_owned(),
                    _ => upper_first(part),
                });
                parts.collect()
            }
        }
    }
}

/// Splits snake case into words; a `_` at the begin belongs to the first word.
fn split(snake: &str) -> impl Iterator<Item = String> + use<> {
    let mut words: Vec<String> = snake.split('_').map(str::to_owned).collect();
    if words.len() > 1 && words[0].is_empty() {
        words.remove(0);
        words[0].insert(0, '_');
    }
    words.into_iter()
}

fn upper_first(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn lower_first(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

#[cfg(test)]
mod tests;
