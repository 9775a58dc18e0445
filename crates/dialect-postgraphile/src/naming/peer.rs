//! The names of random identifiers beside those of PostGraphile 4, which `fixtures/names/make.js`
//! recorded.

use std::collections::HashMap;

use catalog::KeyKind;

use super::{Inflection, ListSuffix, RelationNames, SimplifiedNames, Verb, Version, coerce};
use api::case::{camel_case, constant_case};

const WORDS: &str = include_str!("../../../../fixtures/names/words.tsv");
const NAMES: &str = include_str!("../../../../fixtures/names/names.tsv");

const CLASSIC: Inflection<'_> =
    Inflection { simplified: None, classic_ids: false, version: Version::Four, given: None };

/// The lines of a table without its header, split at tabs.
fn lines(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn simplified() -> Inflection<'static> {
    Inflection {
        simplified: Some(SimplifiedNames::default()),
        classic_ids: false,
        version: Version::Four,
        given: None,
    }
}

#[derive(Default)]
struct Differences {
    looked_at: usize,
    found: Vec<String>,
}

impl Differences {
    fn compare(&mut self, what: &str, of: &str, ours: &str, theirs: &str) {
        self.looked_at += 1;
        if ours != theirs {
            self.found.push(format!("{what} of {of:?}: {ours:?}, PostGraphile's {theirs:?}"));
        }
    }

    fn assert_none(self, least: usize) {
        assert!(self.looked_at >= least, "only {} names were compared", self.looked_at);
        let (number, all) = (self.found.len(), self.looked_at);
        assert!(self.found.is_empty(), "{number} of {all}:\n{}", self.found.join("\n"));
    }
}

#[test]
fn random_words_have_the_forms_of_postgraphile() {
    let mut differences = Differences::default();
    for line in lines(WORDS) {
        let [word, singular, plural, last_singular, last_plural, camel, constant] = line[..] else {
            panic!("not seven columns: {line:?}");
        };
        let mut compare = |what: &str, ours: String, theirs: &str| {
            // Some words have an empty result, which is no name.
            if !theirs.is_empty() {
                differences.compare(what, word, &ours, theirs);
            }
        };
        compare("singular", CLASSIC.singularize(word), singular);
        compare("plural", CLASSIC.pluralize(word), plural);
        compare("simplified singular", simplified().singularize(word), last_singular);
        compare("simplified plural", simplified().pluralize(word), last_plural);
        compare("camel case", camel_case(word), camel);
        compare("constant case", constant_case(word), constant);
    }
    differences.assert_none(15_000);
}

/// A table that refers to another one, or is identified, by a column; a function of its name.
#[derive(Clone, Copy)]
struct Named<'a> {
    inflection: Inflection<'static>,
    table: &'a str,
    column: &'a str,
    other: &'a str,
}

impl<'a> Named<'a> {
    fn relation(self) -> RelationNames<'a> {
        RelationNames {
            from: self.table,
            to: self.other,
            to_in_database: self.other,
            columns: vec![self.column],
        }
    }

    /// The name by an inflector of PostGraphile.
    fn name(self, inflector: &str) -> String {
        let Self { inflection: i, table, column, .. } = self;
        let columns = &[column][..];
        let suffix = ListSuffix::Default;
        let r#type = i.table_type(table);
        let relation = self.relation();
        match inflector {
            "tableType" => r#type,
            "connection" => i.connection_type(&r#type),
            "edge" => i.edge_type(&r#type),
            "orderByType" => i.order_type(&r#type),
            "conditionType" => i.condition_type(&r#type),
            "inputType" => i.input_type(&r#type),
            "patchType" => i.patch_type(&r#type),
            "baseInputType" => i.base_input_type(&r#type),
            "allRows" => i.all_rows(table, suffix),
            "allRowsSimple" => i.all_rows_list(table, suffix),
            "tableNode" => i.row(table),
            "tableFieldName" => i.table_field(table),
            "patchField" => i.patch_field(table),
            "edgeField" => i.edge_field(table),
            "deletedNodeId" => i.deleted_node_id(table),
            "createField" => i.create(table),
            "createInputType" => i.create_input(table),
            "createPayloadType" => i.payload(Verb::Create, table),
            "updateNode" => i.change_by_node_id(Verb::Update, table),
            "updateNodeInputType" => i.change_input_by_node_id(Verb::Update, table),
            "deletePayloadType" => i.payload(Verb::Delete, table),
            "column" => i.column(column),
            "orderByColumnEnum" => i.order_value(column, "asc"),
            "rowByUniqueKeys" => i.row_by(table, columns),
            "rowByPrimaryKey" => i.row_by_primary_key(table, columns),
            "updateByKeys" => i.change_by(Verb::Update, table, KeyKind::Unique, columns),
            "updateByKeysInputType" => {
                i.change_input_by(Verb::Update, table, KeyKind::Unique, columns)
            }
            "deleteByPrimaryKeyInputType" => {
                i.change_input_by(Verb::Delete, table, KeyKind::Primary, columns)
            }
            "singleRelationByKeys" => i.forward(&relation),
            "singleRelationByKeysBackwards" => {
                i.backward_single_by_role(&relation).unwrap_or_else(|| i.backward_single(&relation))
            }
            "manyRelationByKeys" => i.backward_many(&relation, suffix),
            "manyRelationByKeysSimple" => i.backward_list(&relation, suffix),
            "enumType" => i.other_type(table),
            "functionQueryName" => i.function(&coerce(table), true, suffix),
            "functionQueryNameList" => i.function_list(&coerce(table), suffix),
            "functionMutationName" => i.change_by_function(table),
            "functionPayloadType" => i.function_payload(table),
            "functionInputType" => i.function_input(table),
            "recordFunctionReturnType" => i.record_type(table),
            "recordFunctionConnection" => i.function_connection_type(table),
            "recordFunctionEdge" => i.function_edge_type(table),
            "argument" => i.argument(Some(column), 0),
            "aggregateContainerType" => i.aggregates_type(table),
            "aggregateType" => i.aggregate_type(table, "sum"),
            "aggregateGroupByType" => i.group_by_type(table),
            "aggregateGroupByColumnEnum" => i.group_by_value(column),
            "aggregateHavingInputType" => i.having_type(table),
            "aggregateHavingAggregateInputType" => i.having_aggregate_type(table, "sum"),
            "orderByCountOfManyRelationByKeys" => {
                i.order_by_count(&i.backward_many(&relation, suffix), "asc")
            }
            "orderByColumnAggregateOfManyRelationByKeys" => {
                let name = i.backward_many(&relation, suffix);
                i.order_by_aggregate(&name, "sum", column, "asc")
            }
            _ => panic!("an inflector that is not compared: {inflector}"),
        }
    }
}

#[test]
fn random_tables_have_the_names_of_postgraphile() {
    let inflections = HashMap::from([("classic", CLASSIC), ("simplified", simplified())]);
    let header = NAMES.lines().next().unwrap_or_default();
    let inflectors: Vec<&str> = header.split('\t').skip(4).collect();
    let mut differences = Differences::default();
    for line in lines(NAMES) {
        let [style, table, column, other, ref theirs @ ..] = line[..] else {
            panic!("not four columns: {line:?}");
        };
        let named = Named { inflection: inflections[style], table, column, other };
        assert_eq!(theirs.len(), inflectors.len(), "{table}");
        for (inflector, theirs) in inflectors.iter().zip(theirs) {
            // PostGraphile does not start with such a name.
            if !theirs.is_empty() {
                let of = format!("{style} {table}({column}) to {other}");
                differences.compare(inflector, &of, &named.name(inflector), theirs);
            }
        }
    }
    differences.assert_none(7_000);
}
