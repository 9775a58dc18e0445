//! Names of PostGraphile: its classic inflection, and the simplified one of the plugin
//! pg-simplify-inflector.
//!
//! Tables, columns and types are given by the name of the database or of the tag `@name`.

mod mutations;
#[cfg(test)]
mod peer;

use catalog::GivenNames;

use super::{Options, SimplifiedNames, Version};
use api::case::{camel_case, constant_case, spell_foreign, upper_camel_case};
use api::plural::VERSION_7;
pub(super) use mutations::Verb;

/// Naming rules.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inflection<'a> {
    simplified: Option<SimplifiedNames>,
    classic_ids: bool,
    version: Version,
    /// Names of tables that a user has given: they are singular.
    given: Option<&'a GivenNames>,
}

/// The bases of names of the fields along a foreign key.
#[derive(Clone, Debug)]
pub(super) struct RelationNames<'a> {
    /// The table that refers.
    pub(super) from: &'a str,
    /// The table that is referred to.
    pub(super) to: &'a str,
    /// The same by its name in the database, whatever its tags.
    pub(super) to_in_database: &'a str,
    /// The columns of the foreign key.
    pub(super) columns: Vec<&'a str>,
}

/// A name of the database as a prefix of GraphQL names: a leading digit gets an underscore, of
/// several leading underscores one stays, since the others are reserved.
pub(super) fn coerce(name: &str) -> String {
    let spelled = spell_foreign(name);
    let rest = spelled.trim_start_matches('_');
    if rest.len() + 2 <= spelled.len() {
        format!("_{rest}")
    } else if spelled.starts_with(|first: char| first.is_ascii_digit()) {
        format!("_{spelled}")
    } else {
        spelled
    }
}

/// True if PostGraphile treats a table or column as private.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with("__")
}

/// Words.
impl<'a> Inflection<'a> {
    pub(super) fn new(options: &Options, given: &'a GivenNames) -> Self {
        let Options { simplified_names: simplified, classic_ids, version, .. } = *options;
        Self { simplified, classic_ids, version, given: Some(given) }
    }

    /// The name of the global id.
    pub(super) fn node_id(self) -> &'static str {
        if self.classic_ids { "id" } else { "nodeId" }
    }

    pub(super) fn camel_case(self, name: &str) -> String {
        self.with_small_endings(camel_case(name))
    }

    pub(super) fn upper_camel_case(self, name: &str) -> String {
        self.with_small_endings(upper_camel_case(name))
    }

    pub(super) fn pluralize(self, name: &str) -> String {
        match self.simplified {
            Some(_) => change_last_word(name, |word| VERSION_7.pluralize(word)),
            None => VERSION_7.pluralize(name),
        }
    }

    /// The singular of a name; a given one is singular.
    pub(super) fn singularize(self, name: &str) -> String {
        if self.given.is_some_and(|given| given.is_singular(name)) {
            return name.into();
        }
        match self.simplified {
            Some(_) => change_last_word(name, |word| VERSION_7.singularize(word)),
            None => VERSION_7.singularize(name),
        }
    }

    /// A plural that differs from the singular.
    fn distinct_plural(self, name: &str) -> String {
        let singular = self.singularize(name);
        let plural = self.pluralize(&singular);
        if singular != plural {
            plural
        } else if ["ch", "s", "sh", "x", "z"].iter().any(|ending| plural.ends_with(ending)) {
            format!("{plural}es")
        } else if let Some(stem) = plural.strip_suffix('y') {
            format!("{stem}ies")
        } else {
            format!("{plural}s")
        }
    }

    /// The plural of `ent2` is `ent2S` by PostGraphile's rules; the simplified one is `ent2s`.
    fn with_small_endings(self, mut name: String) -> String {
        if self.simplified.is_none() {
            return name;
        }
        let bytes = name.as_bytes();
        let is_ending = |place: &usize| {
            bytes[*place] == b'S'
                && place.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_digit())
                && bytes.get(place + 1).is_none_or(u8::is_ascii_uppercase)
        };
        let places: Vec<usize> = (0..bytes.len()).filter(is_ending).collect();
        for place in places {
            name.replace_range(place..=place, "s");
        }
        name
    }

    /// The same without the plugin's simplifications.
    fn classic(self) -> Self {
        Self { simplified: None, ..self }
    }
}

/// Types.
impl Inflection<'_> {
    /// The singular of a table's name; one that ends like the input types of another table gets the
    /// suffix of a record.
    pub(super) fn singular_table(self, table: &str) -> String {
        let table = coerce(table);
        let singular = self.singularize(&table);
        // Of a table `s` nothing would be left, with which PostGraphile does not start.
        let singular = if singular.is_empty() { table } else { singular };
        let is_taken = ["_input", "-input", "Input", "_patch", "-patch", "Patch"]
            .iter()
            .any(|ending| singular.strip_suffix(ending).is_some_and(|rest| !rest.is_empty()));
        if is_taken { format!("{singular}_record") } else { singular }
    }

    pub(super) fn table_type(self, table: &str) -> String {
        self.upper_camel_case(&self.singular_table(table))
    }

    /// The type of an enum, a domain or a composite.
    pub(super) fn other_type(self, name: &str) -> String {
        self.upper_camel_case(&coerce(name))
    }

    pub(super) fn connection_type(self, r#type: &str) -> String {
        match self.version {
            Version::Four => {
                self.upper_camel_case(&format!("{}-connection", self.pluralize(r#type)))
            }
            Version::Five => format!("{type}Connection", type = r#type),
        }
    }

    pub(super) fn edge_type(self, r#type: &str) -> String {
        match self.version {
            Version::Four => self.upper_camel_case(&format!("{}-edge", self.pluralize(r#type))),
            Version::Five => format!("{type}Edge", type = r#type),
        }
    }

    pub(super) fn order_type(self, r#type: &str) -> String {
        match self.version {
            Version::Four => self.upper_camel_case(&format!("{}-order-by", self.pluralize(r#type))),
            Version::Five => self.upper_camel_case(&format!("{type}-order-by", type = r#type)),
        }
    }

    pub(super) fn condition_type(self, r#type: &str) -> String {
        self.upper_camel_case(&format!("{type}-condition", type = r#type))
    }

    /// The filter by rows of a type, or by values of a type.
    pub(super) fn filter_type(self, r#type: &str) -> String {
        format!("{type}Filter", type = r#type)
    }

    /// The filter by lists of values of a type.
    pub(super) fn list_filter_type(self, r#type: &str) -> String {
        format!("{type}ListFilter", type = r#type)
    }

    /// The filter by the rows of one type that refer to a row of another.
    pub(super) fn filter_many_type(self, to: &str, from: &str) -> String {
        self.upper_camel_case(&format!("{to}-to-many-{from}-filter"))
    }

    /// The filter for the existence of a related row.
    pub(super) fn filter_exists(self, relation: &str) -> String {
        format!("{relation}Exists")
    }

    /// The filter for the existence of related rows.
    pub(super) fn filter_exist(self, relation: &str) -> String {
        format!("{relation}Exist")
    }

    /// The input type of an output type.
    pub(super) fn input_type(self, output: &str) -> String {
        self.upper_camel_case(&format!("{output}-input"))
    }

    pub(super) fn range_type(self, element: &str) -> String {
        self.upper_camel_case(&format!("{element}-range"))
    }

    pub(super) fn range_bound_type(self, element: &str) -> String {
        self.upper_camel_case(&format!("{element}-range-bound"))
    }
}

/// Fields.
impl Inflection<'_> {
    pub(super) fn all_rows(self, table: &str, suffix: ListSuffix) -> String {
        let (all, suffix) = self.all(table, suffix);
        let ending = if self.has_list_suffix(suffix) { "" } else { "-connection" };
        self.camel_case(&format!("{all}{ending}"))
    }

    pub(super) fn all_rows_list(self, table: &str, suffix: ListSuffix) -> String {
        let (all, suffix) = self.all(table, suffix);
        let ending = if self.has_list_suffix(suffix) { "-list" } else { "" };
        self.camel_case(&format!("{all}{ending}"))
    }

    /// The prefix of names of all rows; classic names always have their suffix.
    fn all(self, table: &str, suffix: ListSuffix) -> (String, ListSuffix) {
        let singular = self.singular_table(table);
        match self.simplified {
            Some(SimplifiedNames { all_rows: true, .. }) => {
                (self.distinct_plural(&singular), suffix)
            }
            _ => (format!("all-{}", self.pluralize(&singular)), ListSuffix::Include),
        }
    }

    /// True if lists differ from connections by the suffix of lists. The plugin can omit it, and
    /// then connections have a suffix.
    fn has_list_suffix(self, suffix: ListSuffix) -> bool {
        match (self.simplified, suffix) {
            (None, _) | (_, ListSuffix::Include) => true,
            (_, ListSuffix::Omit) => false,
            (Some(simplified), ListSuffix::Default) => !simplified.omit_list_suffix,
        }
    }

    pub(super) fn column(self, name: &str) -> String {
        self.camel_case(&self.column_name(name))
    }

    fn column_name(self, name: &str) -> String {
        match coerce(name) {
            id if self.classic_ids && id == "id" => "rowId".into(),
            name => name,
        }
    }

    /// One row of a table by its global id.
    pub(super) fn row(self, table: &str) -> String {
        let singular = self.singular_table(table);
        match self.simplified {
            Some(SimplifiedNames { short_keys: true, .. }) => {
                self.camel_case(&format!("{singular}-by-{}", self.node_id()))
            }
            _ => self.camel_case(&singular),
        }
    }

    /// One row of a table by its primary key.
    pub(super) fn row_by_primary_key(self, table: &str, columns: &[&str]) -> String {
        match self.simplified {
            Some(SimplifiedNames { short_keys: true, .. }) => {
                self.camel_case(&self.singular_table(table))
            }
            _ => self.row_by(table, columns),
        }
    }

    /// One row of a table found by columns.
    pub(super) fn row_by(self, table: &str, columns: &[&str]) -> String {
        self.camel_case(&format!("{}-by-{}", self.singular_table(table), self.joined(columns)))
    }

    /// The row that a foreign key refers to.
    pub(super) fn forward(self, relation: &RelationNames<'_>) -> String {
        match self.base_name(&relation.columns) {
            Some(base) => self.camel_case(&base),
            None => self.classic().row_by(relation.to, &relation.columns),
        }
    }

    /// The one row that refers to a row, by the role in the columns' names.
    pub(super) fn backward_single_by_role(self, relation: &RelationNames<'_>) -> Option<String> {
        self.backward_name(relation, &self.singular_table(relation.from))
    }

    /// The one row that refers to a row, where the columns' names have no role.
    pub(super) fn backward_single(self, relation: &RelationNames<'_>) -> String {
        self.classic().row_by(relation.from, &relation.columns)
    }

    /// The rows that refer to a row, as a connection.
    pub(super) fn backward_many(self, relation: &RelationNames<'_>, suffix: ListSuffix) -> String {
        self.as_connection(&self.backward_plural(relation), suffix)
    }

    /// The rows that refer to a row, as a list.
    pub(super) fn backward_list(self, relation: &RelationNames<'_>, suffix: ListSuffix) -> String {
        match self.simplified {
            // The suffix is one of the words, so that `childRelsByFrom_` has `childRelsByFromList`.
            None => {
                let plural = self.pluralize(&self.singular_table(relation.from));
                let columns = self.joined(&relation.columns);
                self.camel_case(&format!("{plural}-by-{columns}-list"))
            }
            Some(_) if self.has_list_suffix(suffix) => {
                format!("{}List", self.backward_plural(relation))
            }
            Some(_) => self.backward_plural(relation),
        }
    }

    /// A tag's name for related rows, for their connection.
    pub(super) fn as_connection(self, name: &str, suffix: ListSuffix) -> String {
        let ending = if self.has_list_suffix(suffix) { "" } else { "Connection" };
        format!("{name}{ending}")
    }

    /// A tag's name for related rows, for their list. The classic names are the same for both.
    pub(super) fn as_list(self, name: &str, suffix: ListSuffix) -> String {
        let simplified = self.simplified.is_some();
        let ending = if simplified && self.has_list_suffix(suffix) { "List" } else { "" };
        format!("{name}{ending}")
    }

    fn backward_plural(self, relation: &RelationNames<'_>) -> String {
        let plural = self.distinct_plural(&self.singular_table(relation.from));
        match self.backward_name(relation, &plural) {
            Some(name) => name,
            None => {
                let classic = self.classic();
                let plural = classic.pluralize(&classic.singular_table(relation.from));
                camel_case(&format!("{plural}-by-{}", classic.joined(&relation.columns)))
            }
        }
    }

    /// The referring rows, by the role in the columns' names: an `author_id` makes
    /// `authored-posts`, a `person_id` that refers to a person makes `posts`.
    fn backward_name(self, relation: &RelationNames<'_>, what: &str) -> Option<String> {
        let base = self.base_name(&relation.columns)?;
        if let Some(opposite) = opposite(&base) {
            return Some(self.camel_case(&format!("{opposite}-{what}")));
        }
        (base == self.singularize(relation.to_in_database)).then(|| self.camel_case(what))
    }

    /// Names of columns without the suffixes that mark them as keys; only where names are
    /// simplified.
    fn base_name(self, columns: &[&str]) -> Option<String> {
        let simplified = self.simplified?;
        if columns.len() > 1 && !simplified.multikey_relations {
            return None;
        }
        let bases: Option<Vec<String>> =
            columns.iter().map(|name| without_key_ending(&self.column_name(name))).collect();
        Some(bases?.join("-"))
    }

    /// A value of an order enum: `name_asc` → `NAME_ASC`. Of several leading underscores one
    /// stays.
    pub(super) fn order_value(self, column: &str, suffix: &str) -> String {
        let column = match self.version {
            Version::Four => coerce(column),
            Version::Five => self.column_name(column),
        };
        enum_value(&format!("{column}_{suffix}"))
    }

    /// The prefix of a table's node ids.
    pub(super) fn node_prefix(self, table: &str) -> String {
        match self.version {
            Version::Four => self.pluralize(table),
            Version::Five => self.table_type(table),
        }
    }

    /// Aggregates of all rows of a table.
    pub(super) fn aggregates_type(self, table: &str) -> String {
        self.upper_camel_case(&format!("{}-aggregates", self.singular_table(table)))
    }

    /// One function's aggregates of all rows of a table.
    pub(super) fn aggregate_type(self, table: &str, function: &str) -> String {
        self.upper_camel_case(&format!("{}-{function}-aggregates", self.singular_table(table)))
    }

    /// Group keys of a table's rows; named after the unchanged table.
    pub(super) fn group_by_type(self, table: &str) -> String {
        self.upper_camel_case(&format!("{}-group-by", coerce(table)))
    }

    pub(super) fn group_by_value(self, column: &str) -> String {
        enum_value(&self.column_name(column))
    }

    /// The rows behind a join table, as a connection.
    pub(super) fn many_to_many(self, table: &str, junction: &str, columns: &[&str]) -> String {
        let plural = self.pluralize(&self.singular_table(table));
        let (junction, columns) = (self.singular_table(junction), self.joined(columns));
        self.camel_case(&format!("{plural}-by-{junction}-{columns}"))
    }

    /// The same as a list.
    pub(super) fn many_to_many_list(self, table: &str, junction: &str, columns: &[&str]) -> String {
        let plural = self.pluralize(&self.singular_table(table));
        let (junction, columns) = (self.singular_table(junction), self.joined(columns));
        self.camel_case(&format!("{plural}-by-{junction}-{columns}-list"))
    }

    /// The connection or the edge of rows behind a join table; `field` is their field.
    pub(super) fn many_to_many_type(self, r#type: &str, field: &str, what: &str) -> String {
        self.upper_camel_case(&format!("{type}-{field}-many-to-many-{what}", type = r#type))
    }

    /// Conditions on groups of rows of a table; named after the unchanged table.
    pub(super) fn having_type(self, table: &str) -> String {
        self.upper_camel_case(&format!("{}-having-input", coerce(table)))
    }

    /// Conditions on a function's aggregates of groups of rows of a table.
    pub(super) fn having_aggregate_type(self, table: &str, function: &str) -> String {
        self.upper_camel_case(&format!("{}-having-{function}-input", coerce(table)))
    }

    /// Conditions on an aggregate of a function's values. `part` is their subject: the whole, or
    /// the function's arguments.
    pub(super) fn having_computed_type(
        self,
        table: &str,
        aggregate: &str,
        function: &str,
        part: &str,
    ) -> String {
        let table = coerce(table);
        self.upper_camel_case(&format!("{table}-having-{aggregate}-{function}-{part}"))
    }

    /// Filters by a function's aggregates of related rows.
    pub(super) fn aggregate_filter_type(self, r#type: &str, function: &str) -> String {
        let function = self.upper_camel_case(function);
        self.filter_type(&format!("{type}{function}Aggregate", type = r#type))
    }

    /// An order by the number of related rows; `relation` is their field.
    pub(super) fn order_by_count(self, relation: &str, suffix: &str) -> String {
        with_direction(&format!("{relation}-count"), suffix)
    }

    /// An order by a function's aggregate of a column of related rows.
    pub(super) fn order_by_aggregate(
        self,
        relation: &str,
        function: &str,
        column: &str,
        suffix: &str,
    ) -> String {
        with_direction(&format!("{relation}-{function}-{}", self.column_name(column)), suffix)
    }

    /// A part of a column's values as a group key.
    pub(super) fn group_by_part(self, column: &str, part: &str) -> String {
        enum_value(&format!("{}-{part}", self.column_name(column)))
    }

    fn joined(self, columns: &[&str]) -> String {
        columns.iter().map(|name| self.column(name)).collect::<Vec<_>>().join("-and-")
    }
}

/// The list suffix of one table, function or foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListSuffix {
    /// As in the options.
    Default,
    Include,
    Omit,
}

/// Functions.
impl Inflection<'_> {
    /// The field of a function's result, a set as a connection.
    pub(super) fn function(self, name: &str, is_set: bool, suffix: ListSuffix) -> String {
        let ending = if is_set && !self.has_list_suffix(suffix) { "-connection" } else { "" };
        self.camel_case(&format!("{name}{ending}"))
    }

    /// The field of a function's result as a list.
    pub(super) fn function_list(self, name: &str, suffix: ListSuffix) -> String {
        let ending = if self.has_list_suffix(suffix) { "-list" } else { "" };
        self.camel_case(&format!("{name}{ending}"))
    }

    /// The list beside a connection that a tag names.
    pub(super) fn as_tagged_list(self, name: &str, suffix: ListSuffix) -> String {
        let ending = if self.has_list_suffix(suffix) { "List" } else { "" };
        format!("{name}{ending}")
    }

    /// An argument of a function by its index among the inputs, or a column of its record by its
    /// number.
    pub(super) fn argument(self, name: Option<&str>, place: usize) -> String {
        match name {
            Some(name) => coerce(&self.camel_case(name)),
            None => format!("arg{place}"),
        }
    }

    /// The type of a function's own records.
    pub(super) fn record_type(self, function: &str) -> String {
        self.upper_camel_case(&format!("{}-record", coerce(function)))
    }

    pub(super) fn function_connection_type(self, function: &str) -> String {
        self.upper_camel_case(&format!("{}-connection", coerce(function)))
    }

    pub(super) fn function_edge_type(self, function: &str) -> String {
        let function = coerce(function);
        match self.version {
            Version::Four => {
                self.upper_camel_case(&format!("{}-edge", self.singularize(&function)))
            }
            Version::Five => self.upper_camel_case(&format!("{function}-edge")),
        }
    }
}

/// A value of an enum. Of several leading underscores one stays, since the others are reserved.
fn enum_value(words: &str) -> String {
    let name = constant_case(words);
    let rest = name.trim_start_matches('_');
    if name.starts_with("__") { format!("_{rest}") } else { name }
}

/// An order by related rows, whose direction is not one of the words: underscores before it stay.
fn with_direction(words: &str, suffix: &str) -> String {
    format!("{}_{}", enum_value(words), suffix.to_ascii_uppercase())
}

/// Changes the last word of a name, which begins with a capital or after an underscore.
fn change_last_word(name: &str, change: impl Fn(&str) -> String) -> String {
    let body = name.trim_end_matches('_');
    let is_small = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let before = body.trim_end_matches(is_small);
    let start = match before.chars().next_back() {
        Some(capital) if capital.is_ascii_uppercase() => before.len() - 1,
        Some('_') if before.len() < body.len() => before.len(),
        _ => 0,
    };
    let (prefix, word) = body.split_at(start);
    let underscores = &name[body.len()..];
    format!("{prefix}{}{underscores}", change(word))
}

/// `author_id` → `author`; `None` where the name has no such suffix, or is nothing else.
fn without_key_ending(column: &str) -> Option<String> {
    const ENDINGS: [&str; 11] =
        ["_row_id", "RowId", "_uuid", "Uuid", "UUID", "_id", "_fk", "_pk", "Id", "Fk", "Pk"];
    let bases = ENDINGS.iter().filter_map(|ending| column.strip_suffix(ending));
    bases.filter(|base| !base.is_empty()).min_by_key(|base| base.len()).map(Into::into)
}

/// The opposite of a role.
fn opposite(base: &str) -> Option<&'static str> {
    Some(match base {
        "parent" => "child",
        "child" => "parent",
        "author" => "authored",
        "editor" => "edited",
        "reviewer" => "reviewed",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_names_of_postgraphile() {
        let cases = [
            ("people", "Person", "PeopleConnection", "allPeople"),
            ("post_tags", "PostTag", "PostTagsConnection", "allPostTags"),
            ("no_pk", "NoPk", "NoPksConnection", "allNoPks"),
            ("ent2", "Ent2", "Ent2SConnection", "allEnt2S"),
            ("status", "Status", "StatusesConnection", "allStatuses"),
            ("media", "Media", "MediaConnection", "allMedia"),
            ("foo_input", "FooInputRecord", "FooInputRecordsConnection", "allFooInputRecords"),
            ("fooPatch", "FooPatchRecord", "FooPatchRecordsConnection", "allFooPatchRecords"),
            ("input", "Input", "InputsConnection", "allInputs"),
            ("With Space", "WithSpace", "WithSpacesConnection", "allWithSpaces"),
            ("2things", "_2Thing", "_2ThingsConnection", "all2Things"),
            ("FooURL", "FooUrl", "FooUrlsConnection", "allFooUrls"),
            ("PLANS", "Plan", "PlansConnection", "allPlans"),
            ("contact_us", "ContactUs", "ContactusesConnection", "allContactUses"),
            ("Ångström", "Angstrom", "AngstromsConnection", "allAngstroms"),
        ];
        let classic = Inflection::default();
        for (table, row, connection, all) in cases {
            let r#type = classic.table_type(table);
            let connection_type = classic.connection_type(&r#type);
            let names =
                (&*r#type, &*connection_type, &*classic.all_rows(table, ListSuffix::Default));
            assert_eq!(names, (row, connection, all), "{table}");
        }
    }

    #[test]
    fn fields_have_the_names_of_postgraphile() {
        let classic = Inflection::default();
        let relation = |columns| RelationNames { columns, ..posts_of_people() };
        assert_eq!(classic.row_by("post_tags", &["post_id", "tag_id"]), "postTagByPostIdAndTagId");
        let by_author = relation(vec!["author_id"]);
        assert_eq!(classic.forward(&by_author), "personByAuthorId");
        assert_eq!(classic.backward_single(&by_author), "postByAuthorId");
        assert_eq!(classic.backward_many(&by_author, ListSuffix::Default), "postsByAuthorId");
        assert_eq!(classic.backward_list(&by_author, ListSuffix::Default), "postsByAuthorIdList");
        assert_eq!(classic.row_by("all_types", &["c_int4range"]), "allTypeByCInt4Range");
        assert_eq!(classic.column("c_int4range"), "cInt4Range");
        assert_eq!(classic.column("1st"), "_1st");
        assert_eq!(classic.order_value("c_int4range", "desc"), "C_INT4RANGE_DESC");
        assert_eq!(classic.order_value("1st", "asc"), "_1ST_ASC");
        assert_eq!(classic.node_prefix("playlist_track"), "playlist_tracks");
        assert_eq!(classic.node_prefix("ent2"), "ent2S");
    }

    fn posts_of_people() -> RelationNames<'static> {
        RelationNames {
            from: "post",
            to: "people",
            to_in_database: "people",
            columns: vec!["author_id"],
        }
    }

    #[test]
    fn simplified_fields_have_the_names_of_the_plugin() {
        let simplified = Inflection {
            simplified: Some(SimplifiedNames::default()),
            classic_ids: false,
            version: Version::Four,
            given: None,
        };
        let cases: [(&[&str], &str, &str, &str); 9] = [
            (&["author_id"], "author", "authoredPost", "authoredPosts"),
            (&["parent_id"], "parent", "childPost", "childPosts"),
            (&["person_id"], "person", "post", "posts"),
            (&["personRowId"], "person", "post", "posts"),
            (&["owner_uuid"], "owner", "postByOwnerUuid", "postsByOwnerUuid"),
            (&["owner"], "personByOwner", "postByOwner", "postsByOwner"),
            (&["_id"], "personById", "postById", "postsById"),
            (&["a_id", "b_fk"], "aB", "postByAIdAndBFk", "postsByAIdAndBFk"),
            (&["a_id", "b"], "personByAIdAndB", "postByAIdAndB", "postsByAIdAndB"),
        ];
        for (columns, forward, single, many) in cases {
            let relation = RelationNames { columns: columns.to_vec(), ..posts_of_people() };
            let names = (
                &*simplified.forward(&relation),
                &*simplified
                    .backward_single_by_role(&relation)
                    .unwrap_or_else(|| simplified.backward_single(&relation)),
                &*simplified.backward_many(&relation, ListSuffix::Default),
            );
            assert_eq!(names, (forward, single, many), "{columns:?}");
        }
        assert_eq!(simplified.row("post_tags"), "postTagByNodeId");
        assert_eq!(simplified.row_by_primary_key("post_tags", &["id"]), "postTag");
        assert_eq!(simplified.row_by("post_tags", &["name"]), "postTagByName");
    }

    #[test]
    fn simplified_collections_have_the_names_of_the_plugin() {
        let omitting = SimplifiedNames { omit_list_suffix: true, ..SimplifiedNames::default() };
        let cases = [
            ("people", "people", "peopleList", "peopleConnection", "people"),
            ("ent2", "ent2s", "ent2sList", "ent2sConnection", "ent2s"),
            ("news", "newses", "newsesList", "newsesConnection", "newses"),
            (
                "social_media",
                "socialMedias",
                "socialMediasList",
                "socialMediasConnection",
                "socialMedias",
            ),
            ("equipment", "equipments", "equipmentsList", "equipmentsConnection", "equipments"),
        ];
        for (table, all, list, omitted_all, omitted_list) in cases {
            let plain = Inflection {
                simplified: Some(SimplifiedNames::default()),
                classic_ids: false,
                version: Version::Four,
                given: None,
            };
            let omitted = Inflection {
                simplified: Some(omitting),
                classic_ids: false,
                version: Version::Four,
                given: None,
            };
            let names = [plain, omitted].map(|inflection| {
                (
                    inflection.all_rows(table, ListSuffix::Default),
                    inflection.all_rows_list(table, ListSuffix::Default),
                )
            });
            let expected = [(all, list), (omitted_all, omitted_list)]
                .map(|(all, list)| (String::from(all), String::from(list)));
            assert_eq!(names, expected, "{table}");
        }
    }

    #[test]
    fn with_classic_ids_a_column_id_is_the_row_id() {
        let classic_ids =
            Inflection { simplified: None, classic_ids: true, version: Version::Four, given: None };
        assert_eq!(classic_ids.column("id"), "rowId");
        assert_eq!(classic_ids.row_by("people", &["id"]), "personByRowId");
        assert_eq!(classic_ids.order_value("id", "asc"), "ID_ASC");
        assert_eq!(classic_ids.node_id(), "id");
    }
}
