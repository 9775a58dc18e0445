use expect_test::{Expect, expect};

use super::{
    PlanFigures, print, print_batch, print_batch_member, print_bounded, print_explain,
    print_explain_plan,
};
use crate::flavor::Flavor;
use crate::tree::{
    AggregateFunction, Alias, Bound, Call, CallArgument, Comparison, Direction, Expression,
    FromItem, Identifier, InPlaceIndex, Join, JoinKind, NullsOrder, OrderItem, Parameter, Select,
    SelectItem, SqlType, TableName, TimeKind, TimeUnit, VectorDistance, VectorOperator,
    WrittenPart,
};

mod cockroachdb;
mod definition;
mod third;
mod write;

fn table(name: &str, alias: u32) -> FromItem {
    let name = TableName { schema: None, name: Identifier(name.into()) };
    FromItem::Table { name, alias: Alias(alias) }
}

fn item(expression: Expression) -> SelectItem {
    SelectItem { expression, name: None }
}

fn check(select: &Select, postgres: &Expect, sqlite: &Expect) {
    postgres.assert_eq(&print(select, &Flavor::POSTGRES));
    sqlite.assert_eq(&print(select, &Flavor::SQLITE));
}

#[test]
fn quotes_in_identifiers_are_doubled() {
    let mut select = Select::from(table("we\"ird; --", 0));
    select.items.push(item(Expression::named(Alias(0), "a\"b")));
    check(
        &select,
        &expect![[r#"SELECT t0."a""b" FROM "we""ird; --" AS t0"#]],
        &expect![[r#"SELECT t0."a""b" FROM "we""ird; --" AS t0"#]],
    );
}

#[test]
fn a_written_query_is_a_subquery_with_parameters() {
    let parts = vec![
        WrittenPart::Text("select ".into()),
        WrittenPart::Value(Expression::Parameter(Parameter(1))),
        WrittenPart::Text(" as \"a\" -- all".into()),
    ];
    let mut select = Select::from(FromItem::Written { parts, alias: Alias(0) });
    select.items = vec![item(Expression::named(Alias(0), "a"))];
    check(
        &select,
        &expect![[r#"
        SELECT t0."a" FROM (select $2 as "a" -- all
        ) AS t0"#]],
        &expect![[r#"
        SELECT t0."a" FROM (select ?2 as "a" -- all
        ) AS t0"#]],
    );
}

#[test]
fn sent_rows_may_have_places() {
    let alias = Alias(0);
    let mut select =
        Select::from(FromItem::RowArray { parameter: Parameter(1), has_places: true, alias });
    select.items = vec![item(Expression::named(alias, "id"))];
    let expression = Expression::numbered(alias, crate::PLACE);
    select.order_by = vec![OrderItem { expression, direction: Direction::Ascending, nulls: None }];
    expect![[r#"SELECT t0."id" FROM (SELECT (($2)[n]).*, n AS c65535 FROM generate_series(1, cardinality($2)) AS s (n)) AS t0 ORDER BY t0.c65535"#]]
        .assert_eq(&print(&select, &Flavor::CITUS));
}

#[test]
fn functions_are_called_by_place_and_by_name() {
    let named = |name: &str, number| CallArgument {
        name: Some(Identifier(name.into())),
        value: Expression::Parameter(Parameter(number)),
    };
    let name = |name: &str| TableName {
        schema: Some(Identifier("s\"".into())),
        name: Identifier(name.into()),
    };
    let row = CallArgument { name: None, value: Expression::Row(Alias(0)) };
    let arguments = vec![row.clone(), named("by", 0)];
    let mut select = Select::from(FromItem::RowArray {
        parameter: Parameter(1),
        has_places: false,
        alias: Alias(0),
    });
    let item_of = |call, unnest, alias, column: Option<&str>| Join {
        kind: JoinKind::CrossLateral,
        item: FromItem::Function {
            call,
            unnest,
            alias: Alias(alias),
            column: column.map(|name| Identifier(name.into())),
        },
    };
    let rows = Call { function: name("rows"), arguments };
    let array = Call { function: name("array"), arguments: vec![row] };
    select.joins.push(item_of(rows.clone(), false, 1, Some("value")));
    select.joins.push(item_of(array, true, 2, None));
    let text = Expression::named(Alias(0), "rows");
    let item_of_text = FromItem::RowsOfText { text, table: name("table"), alias: Alias(3) };
    select.joins.push(Join { kind: JoinKind::CrossLateral, item: item_of_text });
    let mut once = Select::once();
    once.items.push(item(Expression::OrEmptyArray(Box::new(Expression::Call(rows)))));
    select.items = vec![
        item(Expression::When {
            condition: Box::new(Expression::is_a_row(Alias(2))),
            then: Box::new(Expression::Boolean(true)),
        }),
        item(Expression::Subquery(Box::new(once))),
    ];
    expect![[r#"SELECT CASE WHEN NOT (t2.* IS NULL) THEN TRUE END, (SELECT coalesce("s"""."rows"(t0.*, "by" => $1), '{}')) FROM unnest($2) AS t0 CROSS JOIN LATERAL "s"""."rows"(t0.*, "by" => $1) AS t1("value") CROSS JOIN LATERAL unnest("s"""."array"(t0.*)) AS t2 CROSS JOIN LATERAL unnest(CAST(t0."rows" AS "s"""."table"[])) AS t3"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn the_first_value_is_one_of_several() {
    let value = |name: &str| Expression::named(Alias(0), name);
    let mut select = Select::from(table("t", 0));
    select.items = vec![
        item(Expression::first_of(vec![value("a")])),
        item(Expression::first_of(vec![value("a"), value("b")])),
    ];
    expect![[r#"SELECT t0."a", coalesce(t0."a", t0."b") FROM "t" AS t0"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn an_order_by_distance_reads_the_index_of_vectors() {
    let mut select = Select::from(table("song", 0));
    select.items = vec![item(Expression::named(Alias(0), "id"))];
    let distance = |operator| VectorDistance {
        vector: Expression::named(Alias(0), "mood"),
        other: Expression::Parameter(Parameter(0)),
        dimensions: 3,
        operator,
        schema: Identifier("public".into()),
    };
    let operators = [VectorOperator::Euclidean, VectorOperator::Cosine, VectorOperator::DotProduct];
    select.order_by = operators
        .into_iter()
        .map(|operator| OrderItem {
            expression: Expression::VectorDistance(Box::new(distance(operator))),
            direction: Direction::Ascending,
            nulls: None,
        })
        .collect();
    expect![[r#"SELECT t0."id" FROM "song" AS t0 ORDER BY CAST(t0."mood" AS "public"."vector"(3)) OPERATOR("public".<->) CAST($1 AS "public"."vector"(3)), CAST(t0."mood" AS "public"."vector"(3)) OPERATOR("public".<=>) CAST($1 AS "public"."vector"(3)), CAST(t0."mood" AS "public"."vector"(3)) OPERATOR("public".<#>) CAST($1 AS "public"."vector"(3))"#]].assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn a_search_of_vectors_is_told_how_many_to_visit() {
    let mut select = Select::from(table("song", 0));
    select.items = vec![item(Expression::named(Alias(0), "id"))];
    select.and_where(Expression::VisitsVectors(Parameter(0)));
    expect![[r#"SELECT t0."id" FROM "song" AS t0 WHERE (SELECT set_config('hnsw.ef_search', CAST($1 AS text), TRUE)) IS NOT NULL"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn a_join_in_order_looks_each_row_up() {
    let mut select = Select::from(table("t", 0));
    let on = Expression::named(Alias(1), "id").equals(Expression::named(Alias(0), "t_id"));
    select.joins.push(Join { kind: JoinKind::LeftInOrder(on), item: table("u", 1) });
    select.items = vec![item(Expression::named(Alias(1), "id"))];
    expect![[r#"SELECT t1."id" FROM "t" AS t0 LEFT JOIN LATERAL (SELECT t1.* FROM "u" AS t1 WHERE t1."id" = t0."t_id" OFFSET 0) AS t1 ON TRUE"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn nulls_are_said_only_where_the_database_would_put_them_elsewhere() {
    let mut select = Select::from(table("person", 0));
    select.items.push(item(Expression::named(Alias(0), "id")));
    let order = |direction, nulls| OrderItem {
        expression: Expression::named(Alias(0), "name"),
        direction,
        nulls,
    };
    select.order_by = vec![
        order(Direction::Ascending, Some(NullsOrder::Last)),
        order(Direction::Descending, Some(NullsOrder::First)),
        order(Direction::Ascending, None),
    ];
    check(
        &select,
        &expect![[
            r#"SELECT t0."id" FROM "person" AS t0 ORDER BY t0."name", t0."name" DESC, t0."name""#
        ]],
        &expect![[
            r#"SELECT t0."id" FROM "person" AS t0 ORDER BY t0."name" NULLS LAST, t0."name" DESC NULLS FIRST, t0."name""#
        ]],
    );
}

#[test]
fn lists_patterns_and_offsets_are_said_as_each_database_knows_them() {
    let mut select = Select::from(table("person", 0));
    let name = || Box::new(Expression::named(Alias(0), "name"));
    select.filter = Some(Expression::And(vec![
        Expression::InList { expression: name(), list: Parameter(0) },
        Expression::Or(vec![
            Expression::Like { expression: name(), pattern: Parameter(1) },
            Expression::Not(Box::new(Expression::IsNull(name()))),
        ]),
        Expression::Or(Vec::new()),
    ]));
    select.offset = Some(Expression::Parameter(Parameter(2)));
    check(
        &select,
        &expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" = ANY($1) AND (t0."name" LIKE $2 OR (NOT (t0."name" IS NULL))) AND (FALSE) OFFSET $3"#
        ]],
        &expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" IN (SELECT value FROM json_each(?1)) AND (t0."name" GLOB ?2 OR (NOT (t0."name" IS NULL))) AND (FALSE) LIMIT -1 OFFSET ?3"#
        ]],
    );
}

#[test]
fn operators_of_postgresql_stand_between_their_operands() {
    let mut select = Select::from(table("person", 0));
    let name = || Box::new(Expression::named(Alias(0), "name"));
    let compare = |comparison| Expression::Compare {
        left: name(),
        comparison,
        right: Box::new(Expression::Parameter(Parameter(0))),
    };
    select.filter = Some(Expression::And(vec![
        compare(Comparison::MatchesRegexIgnoringCase),
        Expression::Not(Box::new(compare(Comparison::SimilarTo))),
        compare(Comparison::PathExists),
        compare(Comparison::PathIsTrue),
        compare(Comparison::MatchesLabels),
        Expression::Not(Box::new(Expression::ComparesToAny {
            expression: name(),
            comparison: Comparison::ContainedBy,
            list: Parameter(1),
        })),
    ]));
    expect![[r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" ~* $1 AND (NOT (t0."name" SIMILAR TO $1)) AND t0."name" @? $1 AND t0."name" @@ $1 AND t0."name" @ $1 AND (NOT (t0."name" <@ ANY($2)))"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn of_rows_that_agree_the_first_is_kept() {
    let name = || Expression::named(Alias(0), "name");
    let order = |expression| OrderItem {
        expression,
        direction: Direction::Descending,
        nulls: Some(NullsOrder::Last),
    };
    let mut select = Select::from(table("person", 0));
    select.items.push(item(Expression::Row(Alias(0))));
    let mut numbered = select.clone();
    select.distinct_on = vec![name(), Expression::named(Alias(0), "town")];
    select.order_by = vec![order(name())];
    expect![[r#"SELECT DISTINCT ON (t0."name", t0."town") t0.* FROM "person" AS t0 ORDER BY t0."name" DESC NULLS LAST"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
    let place = Expression::RowNumber { partition_by: vec![name()], order_by: vec![order(name())] };
    numbered.items.push(SelectItem { expression: place, name: Some(0) });
    numbered.items.push(item(Expression::Number(1)));
    check(
        &numbered,
        &expect![[
            r#"SELECT t0.*, row_number() OVER (PARTITION BY t0."name" ORDER BY t0."name" DESC NULLS LAST) AS c0, 1 FROM "person" AS t0"#
        ]],
        &expect![[
            r#"SELECT t0.*, row_number() OVER (PARTITION BY t0."name" ORDER BY t0."name" DESC) AS c0, 1 FROM "person" AS t0"#
        ]],
    );
}

#[test]
fn queries_are_joined_one_after_the_other() {
    let select = |name, number| {
        let mut select = Select::from(table(name, 0));
        let number = Expression::Number(number);
        select.items.push(SelectItem { expression: number, name: Some(0) });
        select
    };
    let selects = vec![select("book", 0), select("film", 1)];
    let mut union = Select::from(FromItem::Union { selects, alias: Alias(1) });
    union.items.push(item(Expression::numbered(Alias(1), 0)));
    let expected = expect![[
        r#"SELECT t1.c0 FROM (SELECT 0 AS c0 FROM "book" AS t0 UNION ALL SELECT 1 AS c0 FROM "film" AS t0) AS t1"#
    ]];
    check(&union, &expected, &expected);
}

#[test]
fn rows_are_locked_where_others_could_change_them() {
    let mut select = Select::from(table("person", 0));
    select.limit = Some(Expression::Number(1));
    select.locked = true;
    check(
        &select,
        &expect![[r#"SELECT 1 FROM "person" AS t0 LIMIT 1 FOR UPDATE"#]],
        &expect![[r#"SELECT 1 FROM "person" AS t0 LIMIT 1"#]],
    );
}

#[test]
fn a_page_for_each_parent_is_a_lateral_join() {
    let mut page = Select::from(table("track", 2));
    page.items.push(SelectItem { expression: Expression::named(Alias(2), "name"), name: Some(0) });
    page.limit = Some(Expression::Parameter(Parameter(1)));
    let arrays = FromItem::Arrays { parameters: vec![Parameter(0)], columns: 1, alias: Alias(0) };
    let mut select = Select::from(arrays);
    select.items.push(item(Expression::numbered(Alias(1), 0)));
    select.joins.push(Join {
        kind: JoinKind::CrossLateral,
        item: FromItem::Subquery { select: Box::new(page), alias: Alias(1) },
    });
    expect![[r#"SELECT t1.c0 FROM unnest($1) AS t0(c0) CROSS JOIN LATERAL (SELECT t2."name" AS c0 FROM "track" AS t2 LIMIT $2) AS t1"#]]
        .assert_eq(&print(&select, &Flavor::POSTGRES));
}

#[test]
fn a_left_join_keeps_rows_and_groups_are_counted_once() {
    let artist_id = |alias| Expression::named(Alias(alias), "artist_id");
    let mut select = Select::from(table("album", 0));
    select.distinct = true;
    select.joins.push(Join {
        kind: JoinKind::Left(artist_id(0).equals(artist_id(1))),
        item: table("artist", 1),
    });
    let text = Expression::Cast { expression: Box::new(artist_id(1)), r#type: SqlType::Text };
    select.items = vec![item(Expression::CountRows), item(text.clone())];
    select.group_by = vec![artist_id(1), text];
    let expected = expect![[
        r#"SELECT DISTINCT count(*), CAST(t1."artist_id" AS text) FROM "album" AS t0 LEFT JOIN "artist" AS t1 ON t0."artist_id" = t1."artist_id" GROUP BY t1."artist_id", CAST(t1."artist_id" AS text)"#
    ]];
    check(&select, &expected, &expected);
}

#[test]
fn comparisons_that_know_null_are_said_as_each_database_knows_them() {
    let mut select = Select::from(table("person", 0));
    let compare = |comparison| Expression::Compare {
        left: Box::new(Expression::named(Alias(0), "name")),
        comparison,
        right: Box::new(Expression::Parameter(Parameter(0))),
    };
    let conditions =
        [Comparison::DistinctFrom, Comparison::NotDistinctFrom, Comparison::GreaterOrEqual];
    for condition in conditions.map(compare) {
        select.and_where(condition);
    }
    select.and_where(Expression::IsNotTrue(Box::new(compare(Comparison::Less))));
    check(
        &select,
        &expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" IS DISTINCT FROM $1 AND t0."name" IS NOT DISTINCT FROM $1 AND t0."name" >= $1 AND (t0."name" < $1) IS NOT TRUE"#
        ]],
        &expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" IS NOT ?1 AND t0."name" IS ?1 AND t0."name" >= ?1 AND (t0."name" < ?1) IS NOT TRUE"#
        ]],
    );
}

#[test]
fn values_that_sqlite_keeps_as_text_are_compared_in_one_form() {
    let mut select = Select::from(table("event", 0));
    let column = |name| Box::new(Expression::named(Alias(0), name));
    let parameter = |number| Expression::Parameter(Parameter(number));
    select.and_where(Expression::CanonicalTimestamp(column("at")).equals(parameter(0)));
    select.and_where(Expression::IgnoreCase(column("id")).equals(parameter(1)));
    expect![[r#"SELECT 1 FROM "event" AS t0 WHERE thalweg_timestamp(t0."at") = ?1 AND t0."id" COLLATE NOCASE = ?2"#]]
        .assert_eq(&print(&select, &Flavor::SQLITE));
}

#[test]
fn aggregates_are_exact_on_every_database() {
    let mut select = Select::from(table("line", 0));
    let aggregate = |function| {
        let argument = Box::new(Expression::named(Alias(0), "price"));
        Expression::Aggregate { function, argument }
    };
    select.items = vec![
        item(aggregate(AggregateFunction::Sum)),
        item(aggregate(AggregateFunction::ExactSum)),
        item(aggregate(AggregateFunction::ExactAverage)),
        item(aggregate(AggregateFunction::CountDistinct)),
        item(aggregate(AggregateFunction::Average)),
        item(aggregate(AggregateFunction::All)),
        item(aggregate(AggregateFunction::Any)),
        item(Expression::Aggregate {
            function: AggregateFunction::Average,
            argument: Box::new(Expression::Distinct(Box::new(Expression::named(
                Alias(0),
                "price",
            )))),
        }),
        item(aggregate(AggregateFunction::Count)),
        item(Expression::Aggregate {
            function: AggregateFunction::CountDistinct,
            argument: Box::new(Expression::Together(vec![
                Expression::named(Alias(0), "price"),
                Expression::named(Alias(0), "at"),
            ])),
        }),
    ];
    let day = Expression::Truncated {
        unit: TimeUnit::Day,
        moment: Box::new(Expression::named(Alias(0), "at")),
    };
    select.group_by = vec![day];
    select.having = Some(Expression::Compare {
        left: Box::new(aggregate(AggregateFunction::Maximum)),
        comparison: Comparison::Less,
        right: Box::new(Expression::Parameter(Parameter(0))),
    });
    check(
        &select,
        &expect![[
            r#"SELECT sum(t0."price"), sum(t0."price"), avg(t0."price"), count(DISTINCT t0."price"), (sum(CAST(t0."price" AS double precision)) / count(t0."price")), bool_and(t0."price"), bool_or(t0."price"), (sum(DISTINCT CAST(t0."price" AS double precision)) / count(DISTINCT t0."price")), count(t0."price"), count(DISTINCT ROW(t0."price", t0."at")) FROM "line" AS t0 GROUP BY date_trunc('day', t0."at") HAVING max(t0."price") < $1"#
        ]],
        &expect![[
            r#"SELECT sum(t0."price"), exact_sum(t0."price"), exact_avg(t0."price"), count(DISTINCT t0."price"), avg(t0."price"), min(t0."price"), max(t0."price"), avg(DISTINCT t0."price"), count(t0."price"), count(DISTINCT (quote(t0."price") || ',' || quote(t0."at"))) FROM "line" AS t0 GROUP BY substr(t0."at", 1, 10) || ' 00:00:00' HAVING max(t0."price") < ?1"#
        ]],
    );
}

#[test]
fn a_plan_is_asked_for_as_each_database_knows_it() {
    assert_eq!(print_explain("SELECT 1"), "EXPLAIN QUERY PLAN SELECT 1");
    for (figures, text) in [
        (PlanFigures::Hidden, "EXPLAIN (COSTS OFF) SELECT 1"),
        (PlanFigures::Estimated, "EXPLAIN SELECT 1"),
        (PlanFigures::Measured, "EXPLAIN (ANALYZE, BUFFERS) SELECT 1"),
    ] {
        assert_eq!(print_explain_plan("SELECT 1", figures), text);
    }
}

#[test]
fn letters_without_case_are_folded_as_the_database_can() {
    let column = || Box::new(Expression::named(Alias(0), "name"));
    let folded = || Box::new(Expression::Folded(column()));
    let pattern = Parameter(0);
    let mut exists = Select::from(table("other", 1));
    exists.and_where(Expression::named(Alias(1), "id").equals(*column()));
    let text = |kind| Expression::TimeNumber { kind, text: column() };
    let mut select = Select::from(table("person", 0));
    select.filter = Some(Expression::And(vec![
        Expression::LikeIgnoringCase { expression: column(), pattern },
        Expression::InFoldedList { expression: folded(), list: Parameter(1) },
        Expression::Not(Box::new(Expression::Exists(Box::new(exists)))),
    ]));
    check(
        &select,
        &expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" ILIKE $1 AND lower(t0."name") = ANY(ARRAY(SELECT lower(c0) FROM unnest(CAST($2 AS text[])) AS list(c0))) AND (NOT EXISTS (SELECT 1 FROM "other" AS t1 WHERE t1."id" = t0."name"))"#
        ]],
        &expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE thalweg_like_ignoring_case(t0."name", ?1) AND thalweg_fold(t0."name") IN (SELECT thalweg_fold(value) FROM json_each(?2)) AND (NOT EXISTS (SELECT 1 FROM "other" AS t1 WHERE t1."id" = t0."name"))"#
        ]],
    );
    select.filter = Some(text(TimeKind::Instant).equals(text(TimeKind::ZonedClock)));
    let sqlite = print(&select, &Flavor::SQLITE);
    expect![[
        r#"SELECT 1 FROM "person" AS t0 WHERE thalweg_instant(t0."name") = thalweg_zoned_clock(t0."name")"#
    ]]
    .assert_eq(&sqlite);
}

#[test]
fn candidates_are_found_by_their_boxes() {
    let mut select = Select::from(table("post", 0));
    select.and_where(Expression::InPlaceIndex(Box::new(InPlaceIndex {
        number: Expression::named(Alias(0), "id"),
        index: TableName { schema: None, name: Identifier("tree".into()) },
        bounds: Parameter(0),
    })));
    expect![[r#"SELECT 1 FROM "post" AS t0 WHERE t0."id" IN (SELECT id FROM "tree" WHERE west <= ?1 ->> 2 AND east >= ?1 ->> 0 AND south <= ?1 ->> 3 AND north >= ?1 ->> 1)"#]].assert_eq(&print(&select, &Flavor::SQLITE));
}

#[test]
fn bounds_are_filled_in_and_left_out() {
    let mut page = Select::from(table("person", 0));
    page.items.push(SelectItem { expression: Expression::named(Alias(0), "id"), name: Some(0) });
    page.limit = Some(Expression::Parameter(Parameter(0)));
    page.offset = Some(Expression::Parameter(Parameter(1)));
    page.bound = Some(Bound(0));
    let mut select = Select::from(FromItem::Subquery { select: Box::new(page), alias: Alias(1) });
    select.limit = Some(Expression::Parameter(Parameter(2)));
    select.bound = Some(Bound(1));
    check(
        &select,
        &expect![[
            r#"SELECT 1 FROM (SELECT t0."id" AS c0 FROM "person" AS t0 LIMIT $1 OFFSET $2) AS t1 LIMIT $3"#
        ]],
        &expect![[
            r#"SELECT 1 FROM (SELECT t0."id" AS c0 FROM "person" AS t0 LIMIT ?1 OFFSET ?2) AS t1 LIMIT ?3"#
        ]],
    );
    let bounded = print_bounded(&select, &Flavor::POSTGRES);
    expect![[
        r#"SELECT * FROM (SELECT 1 FROM (SELECT * FROM (SELECT t0."id" AS c0 FROM "person" AS t0 LIMIT 64) AS page LIMIT $1 OFFSET $2) AS t1 LIMIT 1024) AS page LIMIT $3"#
    ]]
    .assert_eq(&bounded.text(|bound| if bound.0 == 0 { 64 } else { 1_024 }));
}

#[test]
fn a_batch_has_columns_in_the_places_of_parameters() {
    let parameter = |number| Expression::Parameter(Parameter(number));
    let mut select = Select::from(table("person", 0));
    select.items = vec![item(Expression::named(Alias(0), "id"))];
    select.and_where(Expression::named(Alias(0), "name").equals(parameter(0)));
    select.and_where(Expression::InList {
        expression: Box::new(Expression::named(Alias(0), "age")),
        list: Parameter(2),
    });
    select.limit = Some(parameter(1));
    let batched = [Parameter(0), Parameter(2)];
    let member = print_batch_member(&select, &batched, &Flavor::POSTGRES);
    let in_catalog = |name: &str| TableName {
        schema: Some(Identifier("pg_catalog".into())),
        name: Identifier(name.into()),
    };
    let batched = [(Parameter(0), in_catalog("text")), (Parameter(2), in_catalog("_int4"))];
    expect![[
        r#"SELECT page.*, batch.number FROM (SELECT CAST(list.c0 AS "pg_catalog"."text") AS c0, CAST(list.c2 AS "pg_catalog"."_int4") AS c2, list.number FROM unnest($1, $3) WITH ORDINALITY AS list(c0, c2, number) OFFSET 0) AS batch CROSS JOIN LATERAL (SELECT t0."id" FROM "person" AS t0 WHERE t0."name" = batch.c0 AND t0."age" = ANY(batch.c2) LIMIT $2) AS page"#
    ]]
    .assert_eq(&print_batch(&member, &batched, &Flavor::POSTGRES));
}
