//! A third flavour, after the manuals of MySQL and MariaDB. It is a table of facts and nothing
//! else: no source has it yet.

use expect_test::{Expect, expect};

use super::{item, table};
use crate::flavor::{
    CastTypes, Definitions, EmptyRow, Flavor, KeyArrays, KeySequence, NullSafeEqual,
    NullsOrderForm, OffsetAlone, ParameterStyle, ParentPages, Pattern, Quoting, Returning,
    TargetAlias, Truncation, Upsert, WordIndexes,
};
use crate::print::{print, print_positional, print_statement};
use crate::tree::{
    AggregateFunction, Alias, Cell, Comparison, ConflictAction, Delete, Direction, Expression,
    FromItem, Identifier, Insert, InsertSource, Join, JoinKind, NullsOrder, OnConflict, Operation,
    OrderItem, Parameter, Select, Set, SqlType, Statement, TableName, TimeUnit, Update,
};

const MARIADB: Flavor = Flavor {
    quoting: Quoting::Backticks,
    parameters: ParameterStyle::Question,
    key_arrays: KeyArrays::JsonTable { element: "text" },
    null_safe_equal: NullSafeEqual::Spaceship,
    nulls_are_largest: false,
    nulls_order: NullsOrderForm::ByExpression,
    pattern: Pattern::LikeCollated { exact: "utf8mb4_bin" },
    fold: "lower",
    sequence: KeySequence::Call("nextval(`thalweg`.`id`)"),
    offset_alone: OffsetAlone::AfterLimit("18446744073709551615"),
    typed_text: true,
    truncation: Truncation::DateFormat,
    distinct_on: false,
    casts: CastTypes { text: "char", numeric: "decimal(65, 30)", double: "double" },
    exact_sums: true,
    boolean_aggregates: false,
    average_squares: false,
    row_values: false,
    row_types: false,
    returns_made_values: true,
    parent_pages: ParentPages::Lateral,
    target_alias: TargetAlias::Nowhere,
    returning: Returning::Nothing,
    upsert: Upsert::OnDuplicateKey,
    empty_row: EmptyRow::EmptyLists,
    default_cell: true,
    row_locks: true,
    counts_views: true,
    plans_for_values: false,
    sorts_before_joins: true,
    reads_lists_late: false,
    most_parameters: 65_535,
    most_tables: 61,
    most_columns: 4_096,
    freely_nested: usize::MAX,
    definitions: Definitions {
        json: "json",
        arrays: false,
        number_key: "bigint",
        alters_tables: true,
        without_rowid: false,
        trigger_functions: false,
        references_after_triggers: false,
        hash_indexes: false,
        words: WordIndexes::Indexes,
        schemas: false,
    },
};

fn name(name: &str) -> Identifier {
    Identifier(name.into())
}

fn post() -> TableName {
    TableName { schema: None, name: name("po`st") }
}

fn column(name: &str) -> Expression {
    Expression::named(Alias(0), name)
}

fn parameter(place: u16) -> Expression {
    Expression::Parameter(Parameter(place))
}

fn compare(left: Expression, comparison: Comparison, right: Expression) -> Expression {
    Expression::Compare { left: Box::new(left), comparison, right: Box::new(right) }
}

fn check(statement: impl Into<Statement>, expected: &Expect) {
    expected.assert_eq(&print_statement(&statement.into(), &MARIADB));
}

#[test]
fn names_stand_in_backticks_and_parameters_by_their_places() {
    let mut select = Select::from(table("po`st", 0));
    select.items.push(item(column("a\"b")));
    select.and_where(compare(column("id"), Comparison::Greater, parameter(1)));
    select.and_where(compare(column("id"), Comparison::NotDistinctFrom, parameter(0)));
    select.and_where(compare(column("id"), Comparison::DistinctFrom, parameter(1)));
    let printed = print_positional(&select.into(), &MARIADB);
    expect![[r#"SELECT t0.`a"b` FROM `po``st` AS t0 WHERE t0.`id` > ? AND t0.`id` <=> ? AND NOT (t0.`id` <=> ?)"#]]
        .assert_eq(&printed.text);
    assert_eq!(*printed.parameters, [Parameter(1), Parameter(0), Parameter(1)]);
}

#[test]
fn nulls_are_ordered_by_a_term_of_their_own() {
    let mut select = Select::from(table("post", 0));
    select.items.push(item(column("id")));
    let order = |direction, nulls| OrderItem { expression: column("name"), direction, nulls };
    select.order_by = vec![
        order(Direction::Ascending, Some(NullsOrder::Last)),
        order(Direction::Descending, Some(NullsOrder::First)),
        order(Direction::Ascending, Some(NullsOrder::First)),
        order(Direction::Descending, None),
    ];
    select.offset = Some(parameter(0));
    check(
        select,
        &expect![
            "SELECT t0.`id` FROM `post` AS t0 ORDER BY t0.`name` IS NULL, t0.`name`, t0.`name` IS NULL DESC, t0.`name` DESC, t0.`name`, t0.`name` DESC LIMIT 18446744073709551615 OFFSET ?"
        ],
    );
}

#[test]
fn lists_are_json_tables() {
    let keys = FromItem::Keys { parameters: vec![Parameter(0)], columns: 2, alias: Alias(1) };
    let mut select = Select::from(keys);
    let on = column("id").equals(Expression::numbered(Alias(1), 0));
    select.joins.push(Join { kind: JoinKind::Inner(on), item: table("post", 0) });
    select.items = vec![item(column("name")), item(Expression::numbered(Alias(1), 2))];
    select.and_where(Expression::InList { expression: Box::new(column("id")), list: Parameter(1) });
    select.and_where(Expression::InFoldedList {
        expression: Box::new(Expression::Folded(Box::new(column("name")))),
        list: Parameter(2),
    });
    check(
        select,
        &expect![
            "SELECT t0.`name`, t1.c2 FROM JSON_TABLE(?, '$[*]' COLUMNS (c0 text PATH '$[0]', c1 text PATH '$[1]', c2 FOR ORDINALITY)) AS t1 JOIN `post` AS t0 ON t0.`id` = t1.c0 WHERE t0.`id` IN (SELECT c0 FROM JSON_TABLE(?, '$[*]' COLUMNS (c0 text PATH '$')) AS list) AND lower(t0.`name`) IN (SELECT lower(c0) FROM JSON_TABLE(?, '$[*]' COLUMNS (c0 text PATH '$')) AS list)"
        ],
    );
    let arrays = FromItem::Arrays { parameters: vec![Parameter(0)], columns: 1, alias: Alias(1) };
    let mut select = Select::from(arrays);
    select.items = vec![item(Expression::numbered(Alias(1), 0))];
    expect!["SELECT t1.c0 FROM JSON_TABLE(?, '$[*]' COLUMNS (c0 text PATH '$[0]')) AS t1"]
        .assert_eq(&print(&select, &MARIADB));
    expect!["SELECT t1.c0 FROM (SELECT value ->> 0 AS c0 FROM json_each(?1)) AS t1"]
        .assert_eq(&print(&select, &Flavor::SQLITE));
}

#[test]
fn elements_of_lists_are_compared_by_the_lists_of_each_database() {
    let tags = || Box::new(column("tags"));
    let any =
        Expression::AnyElement { value: Parameter(0), comparison: Comparison::Less, array: tags() };
    let any_in = Expression::AnyElementIn { list: Parameter(1), array: tags() };
    let (least, most) = (Parameter(0), Parameter(1));
    let mut between = Select::from(table("post", 0));
    between.and_where(Expression::ElementBetween { least, most, array: tags() });
    expect!["SELECT 1 FROM `post` AS t0 WHERE EXISTS (SELECT 1 FROM JSON_TABLE(t0.`tags`, '$[*]' COLUMNS (c0 text PATH '$')) AS list WHERE c0 >= ? AND c0 <= ?)"].assert_eq(&print(&between, &MARIADB));
    expect![[r#"SELECT 1 FROM "post" AS t0 WHERE EXISTS (SELECT 1 FROM json_each(t0."tags") WHERE value >= ?1 AND value <= ?2)"#]].assert_eq(&print(&between, &Flavor::SQLITE));
    expect![[r#"SELECT 1 FROM "post" AS t0 WHERE EXISTS (SELECT 1 FROM unnest(t0."tags") AS list(c0) WHERE c0 >= $1 AND c0 <= $2)"#]].assert_eq(&print(&between, &Flavor::POSTGRES));
    let mut select = Select::from(table("post", 0));
    select.and_where(any);
    select.and_where(any_in);
    expect!["SELECT 1 FROM `post` AS t0 WHERE EXISTS (SELECT 1 FROM JSON_TABLE(t0.`tags`, '$[*]' COLUMNS (c0 text PATH '$')) AS list WHERE ? < c0) AND EXISTS (SELECT 1 FROM JSON_TABLE(t0.`tags`, '$[*]' COLUMNS (c0 text PATH '$')) AS list WHERE c0 IN (SELECT c0 FROM JSON_TABLE(?, '$[*]' COLUMNS (c0 text PATH '$')) AS list))"].assert_eq(&print(&select, &MARIADB));
    expect![[r#"SELECT 1 FROM "post" AS t0 WHERE EXISTS (SELECT 1 FROM json_each(t0."tags") WHERE ?1 < value) AND EXISTS (SELECT 1 FROM json_each(t0."tags") WHERE value IN (SELECT value FROM json_each(?2)))"#]].assert_eq(&print(&select, &Flavor::SQLITE));
    expect![[r#"SELECT 1 FROM "post" AS t0 WHERE $1 < ANY(t0."tags") AND t0."tags" && $2"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn patterns_casts_and_truncations() {
    let mut select = Select::from(table("post", 0));
    let of = |name| Box::new(column(name));
    select.and_where(Expression::Like { expression: of("name"), pattern: Parameter(0) });
    select
        .and_where(Expression::LikeIgnoringCase { expression: of("name"), pattern: Parameter(0) });
    let cast = |r#type| item(Expression::Cast { expression: of("id"), r#type });
    let truncated = |unit| Expression::Truncated { unit, moment: of("at") };
    let average = AggregateFunction::Average;
    select.items = vec![
        cast(SqlType::Text),
        cast(SqlType::Numeric),
        item(truncated(TimeUnit::Hour)),
        item(truncated(TimeUnit::Day)),
        item(Expression::Aggregate { function: average, argument: of("score") }),
    ];
    select.group_by = vec![column("id"), column("at")];
    check(
        select,
        &expect![
            "SELECT CAST(t0.`id` AS char), CAST(t0.`id` AS decimal(65, 30)), CAST(date_format(t0.`at`, '%Y-%m-%d %H:00:00') AS datetime), CAST(date_format(t0.`at`, '%Y-%m-%d 00:00:00') AS datetime), avg(t0.`score`) FROM `post` AS t0 WHERE t0.`name` LIKE ? COLLATE utf8mb4_bin AND lower(t0.`name`) LIKE lower(?) COLLATE utf8mb4_bin GROUP BY t0.`id`, t0.`at`"
        ],
    );
}

#[test]
fn a_duplicate_key_is_updated() {
    let row = vec![Cell::Expression(parameter(0)), Cell::Expression(parameter(1)), Cell::Default];
    let sum = Expression::Computed {
        left: Box::new(column("score")),
        operation: Operation::Add,
        right: Box::new(Expression::Excluded(name("score"))),
    };
    let sets = vec![
        Set { column: name("name"), value: Expression::Excluded(name("name")) },
        Set { column: name("score"), value: sum },
    ];
    let action = ConflictAction::Update { sets, filter: None };
    let key = vec![name("id")];
    let insert = Insert {
        into: post(),
        alias: Alias(0),
        columns: vec![name("id"), name("name"), name("score")],
        source: InsertSource::Values(vec![row]),
        on_conflict: Some(OnConflict { key: key.clone(), action }),
        returning: Vec::new(),
    };
    check(
        Statement::Insert(insert.clone()),
        &expect![
            "INSERT INTO `po``st` (`id`, `name`, `score`) VALUES (?, ?, DEFAULT) ON DUPLICATE KEY UPDATE `name` = VALUES(`name`), `score` = `po``st`.`score` + VALUES(`score`)"
        ],
    );
    let on_conflict = Some(OnConflict { key, action: ConflictAction::Nothing });
    check(
        Statement::Insert(Insert { on_conflict, ..insert.clone() }),
        &expect![
            "INSERT INTO `po``st` (`id`, `name`, `score`) VALUES (?, ?, DEFAULT) ON DUPLICATE KEY UPDATE `id` = `id`"
        ],
    );
    let source = InsertSource::Defaults;
    let empty = Insert { columns: Vec::new(), source, on_conflict: None, ..insert };
    check(Statement::Insert(empty), &expect!["INSERT INTO `po``st` () VALUES ()"]);
}

#[test]
fn a_changed_table_has_no_alias() {
    let filter = column("id").equals(parameter(1));
    let update = Update {
        table: post(),
        alias: Alias(0),
        sets: vec![Set { column: name("name"), value: parameter(0) }],
        filter: filter.clone(),
        returning: Vec::new(),
    };
    check(
        Statement::Update(update),
        &expect!["UPDATE `po``st` SET `name` = ? WHERE `po``st`.`id` = ?"],
    );
    let delete = Delete { table: post(), alias: Alias(0), filter, returning: Vec::new() };
    check(Statement::Delete(delete), &expect!["DELETE FROM `po``st` WHERE `po``st`.`id` = ?"]);
}
