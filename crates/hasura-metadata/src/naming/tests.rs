use super::*;
use crate::node::Node;
use crate::reader::{Read, Reader};
use crate::yaml;

use NamingConvention::{GraphQlDefault, HasuraDefault};

fn node(text: &str) -> Node {
    yaml::read(&"a.yaml".into(), text).unwrap()
}

fn parse<T: Read>(text: &str) -> T {
    let mut reader = Reader::new();
    let value = T::read(&node(text), &mut reader);
    assert_eq!(reader.problems, []);
    value.unwrap()
}

/// A root field of a table, by its schema, name, configuration and the source's customization.
struct Row {
    convention: NamingConvention,
    customization: &'static str,
    schema: Option<&'static str>,
    table: &'static str,
    configuration: &'static str,
}

const PLAIN: Row = Row {
    convention: HasuraDefault,
    customization: "{}",
    schema: None,
    table: "my_table",
    configuration: "{}",
};

impl Row {
    fn names<T>(&self, names: impl FnOnce(Naming<'_>, &Identifier, &TableConfiguration) -> T) -> T {
        let customization: SourceCustomization = parse(self.customization);
        let configuration: TableConfiguration = parse(self.configuration);
        let custom_name = configuration.custom_name.as_deref();
        let table = Identifier::of_entity(self.schema, self.table, custom_name).unwrap();
        let naming = Naming { convention: self.convention, customization: &customization };
        names(naming, &table, &configuration)
    }

    fn root(&self, field: RootField) -> String {
        self.names(|naming, table, configuration| naming.root_field(table, configuration, field))
    }

    fn r#type(&self, suffix: &str) -> String {
        self.names(|naming, table, _| naming.table_type(table, suffix))
    }

    fn column(&self, column: &str) -> Option<String> {
        self.names(|naming, _, configuration| naming.column(configuration, column))
    }
}

const ALL: [RootField; 12] = [
    RootField::Select,
    RootField::SelectAggregate,
    RootField::SelectByPk,
    RootField::SelectStream,
    RootField::Connection,
    RootField::Insert,
    RootField::InsertOne,
    RootField::Update,
    RootField::UpdateByPk,
    RootField::UpdateMany,
    RootField::Delete,
    RootField::DeleteByPk,
];

fn roots(row: &Row) -> String {
    ALL.map(|field| row.root(field)).join(" ")
}

#[test]
fn root_fields_of_hasura_default_are_in_snake_case() {
    assert_eq!(
        roots(&PLAIN),
        "my_table my_table_aggregate my_table_by_pk my_table_stream my_table_connection \
         insert_my_table insert_my_table_one update_my_table update_my_table_by_pk \
         update_my_table_many delete_my_table delete_my_table_by_pk"
    );
}

#[test]
fn root_fields_of_graphql_default_are_in_camel_case() {
    assert_eq!(
        roots(&Row { convention: GraphQlDefault, ..PLAIN }),
        "myTable myTableAggregate myTableByPk myTableStream myTableConnection insertMyTable \
         insertMyTableOne updateMyTable updateMyTableByPk updateMyTableMany deleteMyTable \
         deleteMyTableByPk"
    );
}

#[test]
fn the_schema_is_part_of_the_name() {
    let row = Row { schema: Some("my_schema"), ..PLAIN };
    assert_eq!(row.root(RootField::SelectByPk), "my_schema_my_table_by_pk");
    let row = Row { convention: GraphQlDefault, ..row };
    assert_eq!(row.root(RootField::SelectAggregate), "mySchemaMyTableAggregate");
    assert_eq!(row.r#type(""), "MySchemaMyTable");
}

#[test]
fn case_and_underscores_of_tables_stay_in_hasura_default() {
    for table in ["Album", "_a", "__a_", "a__b", "AlbumID"] {
        assert_eq!(Row { table, ..PLAIN }.root(RootField::Select), table);
    }
    let names = ["Album", "_a_b", "a__b", "AlbumID"].map(|table| {
        let row = Row { convention: GraphQlDefault, table, ..PLAIN };
        [row.root(RootField::Select), row.r#type("bool_exp")].join(" ")
    });
    assert_eq!(
        names,
        ["album AlbumBoolExp", "_aB _aBBoolExp", "aB ABBoolExp", "albumID AlbumIDBoolExp"]
    );
}

#[test]
fn a_name_that_graphql_does_not_have_needs_a_custom_name() {
    assert_eq!(Identifier::of_entity(None, "my-table", None), None);
    assert_eq!(Identifier::of_entity(None, "1a", None), None);
    assert_eq!(Identifier::of_entity(None, "", None), None);
    assert!(Identifier::of_entity(Some("a"), "1a", None).is_some());
    assert!(Identifier::of_entity(None, "my-table", Some("my_table")).is_some());
}

/// The rows of the table in Hasura's documentation.
#[test]
fn a_custom_name_keeps_its_case_unless_words_stand_before_it() {
    let check = |configuration, expected: &str| {
        let row = Row { convention: GraphQlDefault, configuration, ..PLAIN };
        let fields = [RootField::Select, RootField::SelectByPk, RootField::InsertOne];
        assert_eq!(fields.map(|field| row.root(field)).join(" "), expected);
    };
    check("{custom_name: table_one}", "table_one table_oneByPk insertTable_oneOne");
    check("{custom_name: tableOne}", "tableOne tableOneByPk insertTableOneOne");
    check("{custom_name: TableOne}", "TableOne TableOneByPk insertTableOneOne");
    let row = Row { configuration: "{custom_name: table_one}", ..PLAIN };
    assert_eq!(row.root(RootField::InsertOne), "insert_table_one_one");
    let row = Row { convention: GraphQlDefault, ..row };
    assert_eq!([row.r#type(""), row.r#type("bool_exp")].join(" "), "table_one table_oneBoolExp");
}

#[test]
fn custom_root_fields_are_taken_as_they_are() {
    let configuration = "{custom_name: a, custom_root_fields: {select: b_c, insert_one: {name: d, \
                         comment: e}, delete: {comment: e}}}";
    for convention in [HasuraDefault, GraphQlDefault] {
        let row = Row { convention, configuration, ..PLAIN };
        assert_eq!(row.root(RootField::Select), "b_c");
        assert_eq!(row.root(RootField::InsertOne), "d");
    }
    let row = Row { configuration, ..PLAIN };
    assert_eq!(row.root(RootField::Delete), "delete_a");
    assert_eq!(row.root(RootField::SelectByPk), "a_by_pk");
}

#[test]
fn columns_have_custom_names_or_the_case_of_the_convention() {
    let configuration =
        "{column_config: {a_b: {custom_name: x_y}}, custom_column_names: {c_d: z_z}}";
    for convention in [HasuraDefault, GraphQlDefault] {
        let row = Row { convention, configuration, ..PLAIN };
        assert_eq!(row.column("a_b").as_deref(), Some("x_y"));
        assert_eq!(row.column("c_d").as_deref(), Some("z_z"));
        assert_eq!(row.column("not-a-name"), None);
    }
    assert_eq!(PLAIN.column("AlbumId").as_deref(), Some("AlbumId"));
    let row = Row { convention: GraphQlDefault, ..PLAIN };
    assert_eq!(row.column("AlbumId").as_deref(), Some("albumId"));
    assert_eq!(row.column("last_seen").as_deref(), Some("lastSeen"));
    assert_eq!(row.column("_1").as_deref(), Some("_1"));
}

#[test]
fn types_have_a_suffix() {
    let names = |row: &Row| {
        ["", "bool_exp", "stddev_pop_fields", "pk_columns_input"]
            .map(|suffix| row.r#type(suffix))
            .join(" ")
    };
    assert_eq!(
        names(&PLAIN),
        "my_table my_table_bool_exp my_table_stddev_pop_fields my_table_pk_columns_input"
    );
    assert_eq!(
        names(&Row { convention: GraphQlDefault, ..PLAIN }),
        "MyTable MyTableBoolExp MyTableStddevPopFields MyTablePkColumnsInput"
    );
}

#[test]
fn a_source_has_a_prefix_and_a_suffix() {
    let customization =
        "{root_fields: {prefix: a_, suffix: _z}, type_names: {prefix: b_, suffix: _y}}";
    let row = Row { customization, ..PLAIN };
    assert_eq!(row.root(RootField::InsertOne), "a_insert_my_table_one_z");
    assert_eq!(row.r#type("bool_exp"), "b_my_table_bool_exp_y");
    let customization = "{root_fields: {prefix: a, suffix: z}, type_names: {prefix: b, suffix: y}}";
    let row = Row { convention: GraphQlDefault, customization, ..PLAIN };
    assert_eq!(row.root(RootField::InsertOne), "aInsertMyTableOneZ");
    assert_eq!(row.r#type("bool_exp"), "bMyTableBoolExpY");
    let customization = "{root_fields: {suffix: z}, type_names: {suffix: y}}";
    let row = Row { convention: GraphQlDefault, customization, ..PLAIN };
    assert_eq!([row.root(RootField::Select), row.r#type("")].join(" "), "myTableZ MyTableY");
    let configuration = "{custom_root_fields: {select: mine}}";
    let row = Row { customization: "{root_fields: {prefix: a_}}", configuration, ..PLAIN };
    assert_eq!(row.root(RootField::Select), "a_mine");
}

#[test]
fn a_namespace_has_types_for_its_fields() {
    let row =
        Row { customization: "{root_fields: {namespace: n}, type_names: {prefix: p_}}", ..PLAIN };
    let names = row.names(|naming, _, _| {
        [NamespaceType::Query, NamespaceType::Mutation, NamespaceType::Subscription]
            .map(|r#type| naming.namespace_type("n", r#type))
    });
    assert_eq!(names, ["p_n_query", "p_n_mutation_frontend", "p_n_subscription"]);
    assert_eq!(row.root(RootField::Select), "my_table");
}

#[test]
fn words_and_values_have_the_case_of_the_convention() {
    let names = |row: &Row| {
        row.names(|naming, _, _| {
            [
                naming.word("order_by"),
                naming.shared_type("String_comparison_exp"),
                naming.enum_value("in_progress"),
            ]
            .join(" ")
        })
    };
    assert_eq!(names(&PLAIN), "order_by String_comparison_exp in_progress");
    let row = Row { convention: GraphQlDefault, ..PLAIN };
    assert_eq!(names(&row), "orderBy StringComparisonExp IN_PROGRESS");
}

#[test]
fn functions_have_custom_names_and_root_fields() {
    let check = |row: &Row, configuration: &str, expected: &str| {
        let configuration: FunctionConfiguration = parse(configuration);
        let names = row.names(|naming, _, _| {
            [
                naming.function("find_it", &configuration),
                naming.function_aggregate("find_it", &configuration),
                naming.function_arguments("find_it", &configuration),
            ]
            .join(" ")
        });
        assert_eq!(names, expected);
    };
    let graphql = Row { convention: GraphQlDefault, ..PLAIN };
    check(&PLAIN, "{}", "find_it find_it_aggregate find_it_args");
    check(&graphql, "{}", "findIt findItAggregate findItArgs");
    check(&PLAIN, "{custom_name: look}", "look look_aggregate look_args");
    check(&graphql, "{custom_name: look}", "look look_aggregate lookArgs");
    let configuration =
        "{custom_name: look, custom_root_fields: {function: f, function_aggregate: g}}";
    check(&PLAIN, configuration, "f g look_args");
    let row =
        Row { customization: "{root_fields: {prefix: p_}, type_names: {prefix: q_}}", ..PLAIN };
    check(&row, configuration, "p_f p_g q_look_args");
}
