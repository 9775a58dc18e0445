use expect_test::{Expect, expect};

use crate::flavor::Flavor;
use crate::print::{print_add_foreign_key, print_create_index, print_statement};
use crate::tree::{
    Alias, Cell, Comparison, ConflictAction, CreateIndex, Delete, Expression, ForeignKey, FromItem,
    Identifier, Insert, InsertSource, IntegerType, OnConflict, Operation, Parameter, Select,
    SelectItem, Set, SqlType, Statement, TableName, Update,
};

const TABLE: Alias = Alias(0);

fn name(name: &str) -> Identifier {
    Identifier(name.into())
}

fn table() -> TableName {
    TableName { schema: Some(name("s")), name: name("po\"st") }
}

fn parameter(place: u16) -> Expression {
    Expression::Parameter(Parameter(place))
}

fn column(name: &str) -> Expression {
    Expression::named(TABLE, name)
}

fn items(expressions: impl IntoIterator<Item = Expression>) -> Vec<SelectItem> {
    let item = |expression| SelectItem { expression, name: None };
    expressions.into_iter().map(item).collect()
}

fn row_as_text() -> Expression {
    Expression::Cast { expression: Box::new(Expression::Row(TABLE)), r#type: SqlType::Text }
}

fn insert(source: InsertSource) -> Insert {
    Insert {
        into: table(),
        alias: TABLE,
        columns: vec![name("id"), name("headline")],
        source,
        on_conflict: None,
        returning: Vec::new(),
    }
}

fn check(statement: &Statement, postgres: &Expect, sqlite: &Expect) {
    postgres.assert_eq(&print_statement(statement, &Flavor::POSTGRES));
    sqlite.assert_eq(&print_statement(statement, &Flavor::SQLITE));
}

#[test]
fn an_index_has_a_name_where_the_database_wants_one() {
    let columns = vec![name("id"), name("head\"line")];
    let index = CreateIndex { name: None, concurrently: true, on: table(), columns };
    let named = CreateIndex { name: Some(name("i")), concurrently: false, ..index.clone() };
    expect![[r#"CREATE INDEX CONCURRENTLY ON "s"."po""st" ("id", "head""line");"#]]
        .assert_eq(&print_create_index(&index, &Flavor::POSTGRES));
    expect![[r#"CREATE INDEX "i" ON "s"."po""st" ("id", "head""line");"#]]
        .assert_eq(&print_create_index(&named, &Flavor::SQLITE));
}

#[test]
fn a_foreign_key_says_both_sides() {
    let (columns, target_columns) = (vec![name("a"), name("b")], vec![name("c"), name("d")]);
    let key = ForeignKey { on: table(), columns, to: table(), target_columns };
    expect![[
        r#"ALTER TABLE "s"."po""st" ADD FOREIGN KEY ("a", "b") REFERENCES "s"."po""st" ("c", "d");"#
    ]]
    .assert_eq(&print_add_foreign_key(&key, &Flavor::POSTGRES));
}

#[test]
fn rows_say_what_they_give() {
    let values = vec![vec![Cell::Expression(parameter(0)), Cell::Expression(parameter(1))]];
    let mut one = insert(InsertSource::Values(values));
    one.returning = items([column("id"), Expression::TruthText(Box::new(column("he\"adline")))]);
    check(
        &Statement::Insert(one),
        &expect![[
            r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES ($1, $2) RETURNING t0."id", CASE WHEN t0."he""adline" THEN 'true' WHEN NOT t0."he""adline" THEN 'false' END"#
        ]],
        &expect![[
            r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES (?1, ?2) RETURNING "id", CASE WHEN "he""adline" THEN 'true' WHEN NOT "he""adline" THEN 'false' END"#
        ]],
    );
}

#[test]
fn a_cell_may_be_left_to_the_database() {
    let values = vec![
        vec![Cell::Default, Cell::Expression(parameter(0))],
        vec![Cell::Expression(parameter(1)), Cell::Default],
    ];
    let mut two = insert(InsertSource::Values(values));
    two.returning = items([row_as_text()]);
    expect![[r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES (DEFAULT, $1), ($2, DEFAULT) RETURNING CAST(t0.* AS text)"#]]
        .assert_eq(&print_statement(&Statement::Insert(two), &Flavor::POSTGRES));
}

#[test]
fn a_row_of_which_nothing_is_said_has_no_columns() {
    let nothing = Insert { columns: Vec::new(), ..insert(InsertSource::Defaults) };
    check(
        &Statement::Insert(nothing),
        &expect![[r#"INSERT INTO "s"."po""st" AS t0 DEFAULT VALUES"#]],
        &expect![[r#"INSERT INTO "s"."po""st" AS t0 DEFAULT VALUES"#]],
    );
}

#[test]
fn a_conflict_is_decided_by_a_key() {
    let parameters = vec![Parameter(0), Parameter(1)];
    let mut rows = Select::from(FromItem::Arrays { parameters, columns: 2, alias: Alias(1) });
    rows.items = items((0..2).map(|number| Expression::numbered(Alias(1), number)));
    let mut upsert = insert(InsertSource::Select(Box::new(rows)));
    let sum = Expression::Computed {
        left: Box::new(column("id")),
        operation: Operation::Add,
        right: Box::new(Expression::Excluded(name("id"))),
    };
    let sets = vec![Set { column: name("id"), value: sum }];
    let filter = Some(Expression::IsNull(Box::new(column("headline"))));
    let action = ConflictAction::Update { sets, filter };
    upsert.on_conflict = Some(OnConflict { key: vec![name("id")], action });
    let text = print_statement(&Statement::Insert(upsert.clone()), &Flavor::POSTGRES);
    expect![[r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") SELECT t1.c0, t1.c1 FROM unnest($1, $2) AS t1(c0, c1) ON CONFLICT ("id") DO UPDATE SET "id" = t0."id" + excluded."id" WHERE t0."headline" IS NULL"#]]
        .assert_eq(&text);
    let key = vec![name("id"), name("headline")];
    upsert.source = InsertSource::Values(vec![vec![
        Cell::Expression(parameter(0)),
        Cell::Expression(parameter(1)),
    ]]);
    upsert.on_conflict = Some(OnConflict { key, action: ConflictAction::Nothing });
    let any = OnConflict { key: Vec::new(), action: ConflictAction::Nothing };
    let by_any = Insert { on_conflict: Some(any), ..upsert.clone() };
    check(
        &Statement::Insert(by_any),
        &expect![[
            r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES ($1, $2) ON CONFLICT DO NOTHING"#
        ]],
        &expect![[
            r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES (?1, ?2) ON CONFLICT DO NOTHING"#
        ]],
    );
    check(
        &Statement::Insert(upsert),
        &expect![[
            r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES ($1, $2) ON CONFLICT ("id", "headline") DO NOTHING"#
        ]],
        &expect![[
            r#"INSERT INTO "s"."po""st" AS t0 ("id", "headline") VALUES (?1, ?2) ON CONFLICT ("id", "headline") DO NOTHING"#
        ]],
    );
}

#[test]
fn an_update_says_which_rows() {
    let computed = |operation| Expression::Computed {
        left: Box::new(column("tags")),
        operation,
        right: Box::new(parameter(1)),
    };
    let set = |column: &str, value| Set { column: name(column), value };
    let update = Update {
        table: table(),
        alias: TABLE,
        sets: vec![set("headline", parameter(0)), set("tags", computed(Operation::Append))],
        filter: Expression::Compare {
            left: Box::new(column("id")),
            comparison: Comparison::Equal,
            right: Box::new(parameter(2)),
        },
        returning: items([column("id")]),
    };
    expect![[r#"UPDATE "s"."po""st" AS t0 SET "headline" = $1, "tags" = array_append(t0."tags", $2) WHERE t0."id" = $3 RETURNING t0."id""#]]
        .assert_eq(&print_statement(&Statement::Update(update.clone()), &Flavor::POSTGRES));
    let without = vec![set("tags", computed(Operation::Without))];
    check(
        &Statement::Update(Update { sets: without, ..update.clone() }),
        &expect![[
            r#"UPDATE "s"."po""st" AS t0 SET "tags" = ARRAY(SELECT c0 FROM unnest(t0."tags") WITH ORDINALITY AS list(c0, c1) WHERE (c0 = ANY($2)) IS NOT TRUE ORDER BY c1) WHERE t0."id" = $3 RETURNING t0."id""#
        ]],
        &expect![[
            r#"UPDATE "s"."po""st" SET "tags" = thalweg_list_without("po""st"."tags", ?2) WHERE "po""st"."id" = ?3 RETURNING "id""#
        ]],
    );
    let with = vec![set("tags", computed(Operation::With))];
    check(
        &Statement::Update(Update { sets: with, ..update.clone() }),
        &expect![[
            r#"UPDATE "s"."po""st" AS t0 SET "tags" = t0."tags" || ARRAY(SELECT c0 FROM unnest(coalesce($2, t0."tags")) WITH ORDINALITY AS list(c0, c1) WHERE array_position(t0."tags", c0) IS NULL GROUP BY c0 ORDER BY min(c1)) WHERE t0."id" = $3 RETURNING t0."id""#
        ]],
        &expect![[
            r#"UPDATE "s"."po""st" SET "tags" = thalweg_list_with("po""st"."tags", ?2) WHERE "po""st"."id" = ?3 RETURNING "id""#
        ]],
    );
    let json =
        [Operation::Merge, Operation::DeleteKey, Operation::DeleteElement, Operation::DeletePath];
    let json = json.into_iter().map(|operation| set("tags", computed(operation))).collect();
    check(
        &Statement::Update(Update { sets: json, ..update.clone() }),
        &expect![[
            r#"UPDATE "s"."po""st" AS t0 SET "tags" = t0."tags" || $2, "tags" = t0."tags" - $2::text, "tags" = t0."tags" - $2::integer, "tags" = t0."tags" #- $2::text[] WHERE t0."id" = $3 RETURNING t0."id""#
        ]],
        &expect![[
            r#"UPDATE "s"."po""st" SET "tags" = thalweg_json_merge("po""st"."tags", ?2), "tags" = thalweg_json_delete_key("po""st"."tags", ?2), "tags" = thalweg_json_delete_element("po""st"."tags", ?2), "tags" = thalweg_json_delete_path("po""st"."tags", ?2) WHERE "po""st"."id" = ?3 RETURNING "id""#
        ]],
    );
    let within = [IntegerType::Int16, IntegerType::Int32, IntegerType::Int64];
    let within = within.map(|within| set("score", computed(Operation::AddWithin(within))));
    check(
        &Statement::Update(Update { sets: within.into(), ..update.clone() }),
        &expect![[
            r#"UPDATE "s"."po""st" AS t0 SET "score" = t0."tags" + $2, "score" = t0."tags" + $2, "score" = t0."tags" + $2 WHERE t0."id" = $3 RETURNING t0."id""#
        ]],
        &expect![[
            r#"UPDATE "s"."po""st" SET "score" = thalweg_add_int16("po""st"."tags", ?2), "score" = thalweg_add_int32("po""st"."tags", ?2), "score" = thalweg_add_int64("po""st"."tags", ?2) WHERE "po""st"."id" = ?3 RETURNING "id""#
        ]],
    );
    let sets = vec![set("score", computed(Operation::Multiply))];
    let update = Update { sets, ..update };
    check(
        &Statement::Update(update),
        &expect![[
            r#"UPDATE "s"."po""st" AS t0 SET "score" = t0."tags" * $2 WHERE t0."id" = $3 RETURNING t0."id""#
        ]],
        &expect![[
            r#"UPDATE "s"."po""st" SET "score" = "po""st"."tags" * ?2 WHERE "po""st"."id" = ?3 RETURNING "id""#
        ]],
    );
}

#[test]
fn a_delete_of_all_rows_says_so() {
    let delete = Delete {
        table: table(),
        alias: TABLE,
        filter: Expression::Boolean(true),
        returning: Vec::new(),
    };
    check(
        &Statement::Delete(delete),
        &expect![[r#"DELETE FROM "s"."po""st" AS t0 WHERE TRUE"#]],
        &expect![[r#"DELETE FROM "s"."po""st" WHERE TRUE"#]],
    );
}

#[test]
fn a_row_of_values_has_names() {
    let columns = vec![(name("id"), Parameter(0)), (name("a\"b"), Parameter(1))];
    let mut select = Select::from(FromItem::Values { columns, like: table(), alias: TABLE });
    select.items = items([column("a\"b")]);
    expect![[r#"SELECT t0."a""b" FROM (SELECT "id", "a""b" FROM "s"."po""st" WHERE FALSE UNION ALL SELECT (SELECT ?1 UNION ALL SELECT "id" FROM "s"."po""st" WHERE FALSE), (SELECT ?2 UNION ALL SELECT "a""b" FROM "s"."po""st" WHERE FALSE)) AS t0"#]].assert_eq(&print_statement(&select.into(), &Flavor::SQLITE));
}
