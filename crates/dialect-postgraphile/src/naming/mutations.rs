//! Names of PostGraphile's mutations.

use catalog::KeyKind;

use super::{Inflection, SimplifiedNames, Version, coerce};

/// Verbs of mutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verb {
    Create,
    Update,
    Delete,
}

impl Verb {
    /// `create`
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    /// The smart tag of the field by a key.
    pub(crate) fn field_tag(self) -> &'static str {
        match self {
            Self::Create => "createFieldName",
            Self::Update => "updateFieldName",
            Self::Delete => "deleteFieldName",
        }
    }
}

/// Rows.
impl Inflection<'_> {
    /// A row of a table, in inputs and payloads.
    pub(crate) fn table_field(self, table: &str) -> String {
        self.camel_case(&self.singular_table(table))
    }

    /// The field that inserts a row.
    pub(crate) fn create(self, table: &str) -> String {
        self.camel_case(&self.create_words(table))
    }

    /// The input type of that field. PostGraphile forms it of the table's name and not of the
    /// field's, whose words differ: `createABTest` is `create`, `AB`, `Test`.
    pub(crate) fn create_input(self, table: &str) -> String {
        self.input_of(&self.create_words(table))
    }

    fn create_words(self, table: &str) -> String {
        format!("create-{}", self.singular_table(table))
    }

    /// The input type of a mutation's field, by the field's words.
    pub(crate) fn input_of(self, field: &str) -> String {
        self.upper_camel_case(&format!("{field}-input"))
    }

    /// The payload of a table's rows.
    pub(crate) fn payload(self, verb: Verb, table: &str) -> String {
        self.upper_camel_case(&format!("{}-{}-payload", verb.name(), self.singular_table(table)))
    }

    /// The field that changes the row of a global id.
    pub(crate) fn change_by_node_id(self, verb: Verb, table: &str) -> String {
        self.camel_case(&self.words_by_node_id(verb, table))
    }

    /// The input type of that field.
    pub(crate) fn change_input_by_node_id(self, verb: Verb, table: &str) -> String {
        self.input_of(&self.words_by_node_id(verb, table))
    }

    fn words_by_node_id(self, verb: Verb, table: &str) -> String {
        let words = format!("{}-{}", verb.name(), self.singular_table(table));
        match self.simplified {
            Some(SimplifiedNames { short_keys: true, .. }) => {
                format!("{words}-by-{}", self.node_id())
            }
            _ => words,
        }
    }

    /// The field that changes the row of a key.
    pub(crate) fn change_by(
        self,
        verb: Verb,
        table: &str,
        kind: KeyKind,
        columns: &[&str],
    ) -> String {
        self.camel_case(&self.words_by(verb, table, kind, columns))
    }

    /// The input type of that field.
    pub(crate) fn change_input_by(
        self,
        verb: Verb,
        table: &str,
        kind: KeyKind,
        columns: &[&str],
    ) -> String {
        self.input_of(&self.words_by(verb, table, kind, columns))
    }

    fn words_by(self, verb: Verb, table: &str, kind: KeyKind, columns: &[&str]) -> String {
        let table = self.singular_table(table);
        match (self.simplified, kind) {
            (Some(SimplifiedNames { short_keys: true, .. }), KeyKind::Primary) => {
                format!("{}-{table}", verb.name())
            }
            _ => format!("{}-{table}-by-{}", verb.name(), self.joined(columns)),
        }
    }

    /// The patch of a row.
    pub(crate) fn patch_field(self, table: &str) -> String {
        match self.simplified {
            Some(_) => "patch".into(),
            None => self.camel_case(&format!("{}-patch", self.table_field(table))),
        }
    }

    pub(crate) fn patch_type(self, r#type: &str) -> String {
        self.upper_camel_case(&format!("{type}-patch", type = r#type))
    }

    pub(crate) fn base_input_type(self, r#type: &str) -> String {
        self.upper_camel_case(&format!("{type}-base-input", type = r#type))
    }

    /// The global id of a deleted row; named after the table's name in the database.
    pub(crate) fn deleted_node_id(self, table: &str) -> String {
        let id = if self.simplified.is_some() { self.node_id() } else { "id" };
        self.camel_case(&format!("deleted-{}-{id}", self.singularize(table)))
    }

    pub(crate) fn edge_field(self, table: &str) -> String {
        self.camel_case(&format!("{}-edge", self.singular_table(table)))
    }

    /// The rows of a table in the error of a missing row.
    pub(crate) fn collection(self, table: &str) -> String {
        self.pluralize(&self.singular_table(table))
    }
}

/// Names beyond PostGraphile.
impl Inflection<'_> {
    /// The field that inserts a row, or updates the one of the same key.
    pub(crate) fn upsert_by(self, table: &str, columns: &[&str]) -> String {
        let (table, columns) = (self.singular_table(table), self.joined(columns));
        self.camel_case(&format!("upsert-{table}-by-{columns}"))
    }

    /// The payload of such a field.
    pub(crate) fn upsert_payload(self, table: &str) -> String {
        self.upper_camel_case(&format!("upsert-{}-payload", self.singular_table(table)))
    }

    /// The field that changes several rows.
    pub(crate) fn change_many(self, verb: Verb, table: &str) -> String {
        let rows = self.collection(table);
        self.camel_case(&format!("{}-{rows}", verb.name()))
    }

    /// Several rows of a table, in inputs and payloads.
    pub(crate) fn many_rows(self, table: &str) -> String {
        self.camel_case(&self.collection(table))
    }

    /// The nested variant of a field.
    pub(crate) fn nested(self, field: &str) -> String {
        self.camel_case(&format!("{field}-nested"))
    }

    /// A new row with nested inputs.
    pub(crate) fn nested_input(self, r#type: &str) -> String {
        self.upper_camel_case(&format!("{type}-nested-input", type = r#type))
    }

    /// A patch with nested inputs.
    pub(crate) fn nested_patch(self, r#type: &str) -> String {
        self.upper_camel_case(&format!("{type}-nested-patch", type = r#type))
    }

    /// The input of a row's key.
    pub(crate) fn nested_key(self, r#type: &str) -> String {
        self.upper_camel_case(&format!("{type}-nested-key", type = r#type))
    }

    /// The payload of a bulk mutation.
    pub(crate) fn many_payload(self, field: &str) -> String {
        self.upper_camel_case(&format!("{field}-payload"))
    }
}

/// Functions.
impl Inflection<'_> {
    /// The field that calls a volatile function.
    pub(crate) fn change_by_function(self, function: &str) -> String {
        self.camel_case(&coerce(function))
    }

    pub(crate) fn function_payload(self, function: &str) -> String {
        self.upper_camel_case(&format!("{}-payload", coerce(function)))
    }

    pub(crate) fn function_input(self, function: &str) -> String {
        self.upper_camel_case(&format!("{}-input", coerce(function)))
    }

    /// The result of a function: by its own name, or by its type.
    pub(crate) fn function_result(
        self,
        output: Option<&str>,
        r#type: &str,
        is_record: bool,
        is_plural: bool,
    ) -> String {
        if self.version == Version::Five {
            return "result".into();
        }
        let name = match (output, r#type) {
            (Some(output), _) => self.camel_case(output),
            (None, "Int") => "integer".into(),
            (None, "Float") => "float".into(),
            (None, "Boolean") => "boolean".into(),
            (None, "String") => "string".into(),
            (None, _) if is_record => "result".into(),
            (None, other) => self.camel_case(other),
        };
        if is_plural { self.pluralize(&name) } else { name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: Inflection<'_> =
        Inflection { simplified: None, classic_ids: false, version: Version::Four, given: None };

    #[test]
    fn changes_have_the_names_of_postgraphile() {
        assert_eq!(CLASSIC.create("post_tags"), "createPostTag");
        assert_eq!(CLASSIC.input_of("createPostTag"), "CreatePostTagInput");
        assert_eq!(CLASSIC.payload(Verb::Delete, "people"), "DeletePersonPayload");
        assert_eq!(CLASSIC.change_by_node_id(Verb::Update, "people"), "updatePerson");
        let columns = &["post_id", "tag_id"];
        let by_key = CLASSIC.change_by(Verb::Delete, "post_tag", KeyKind::Primary, columns);
        assert_eq!(by_key, "deletePostTagByPostIdAndTagId");
        assert_eq!(CLASSIC.patch_field("post_tag"), "postTagPatch");
        assert_eq!(CLASSIC.deleted_node_id("post_tags"), "deletedPostTagId");
        assert_eq!(CLASSIC.collection("person"), "people");
    }

    #[test]
    fn simplified_changes_have_the_names_of_the_plugin() {
        let simplified = Inflection {
            simplified: Some(SimplifiedNames::default()),
            classic_ids: false,
            version: Version::Four,
            given: None,
        };
        assert_eq!(simplified.change_by_node_id(Verb::Update, "people"), "updatePersonByNodeId");
        let by_key = |kind, column| simplified.change_by(Verb::Update, "people", kind, &[column]);
        assert_eq!(by_key(KeyKind::Primary, "id"), "updatePerson");
        assert_eq!(by_key(KeyKind::Unique, "mail"), "updatePersonByMail");
        assert_eq!(simplified.patch_field("people"), "patch");
        assert_eq!(simplified.deleted_node_id("people"), "deletedPersonNodeId");
        let long = SimplifiedNames { short_keys: false, ..SimplifiedNames::default() };
        let long = Inflection {
            simplified: Some(long),
            classic_ids: true,
            version: Version::Four,
            given: None,
        };
        assert_eq!(long.change_by_node_id(Verb::Delete, "people"), "deletePerson");
        let by_key = long.change_by(Verb::Delete, "people", KeyKind::Primary, &["id"]);
        assert_eq!(by_key, "deletePersonByRowId");
    }

    #[test]
    fn what_a_function_gives_is_named_after_its_type_unless_it_has_a_name() {
        let check = |output, r#type, is_plural, expected: &str| {
            let name = CLASSIC.function_result(output, r#type, false, is_plural);
            assert_eq!(name, expected);
        };
        check(None, "Int", false, "integer");
        check(None, "Int", true, "integers");
        check(None, "Person", true, "people");
        check(None, "BigInt", false, "bigInt");
        check(Some("new_total"), "Int", false, "newTotal");
        assert_eq!(CLASSIC.function_result(None, "PairRecord", true, true), "results");
    }
}
