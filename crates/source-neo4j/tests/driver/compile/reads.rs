//! Requests that read.

use cypher::Flavor;
use expect_test::expect;
use ir::{
    Aggregate, AggregateFunction, AggregateTerm, Comparison, Filter, Form, From, Hop, OutputId,
    OutputKind, Rows, ValueRef, Variant,
};

use super::model::{
    Case, Movies, ascending, backward, descending, forward, operand, output, page, read, related,
    rows,
};

fn term(
    id: u32,
    function: AggregateFunction,
    place: Option<ValueRef>,
    once: bool,
) -> AggregateTerm {
    AggregateTerm { id: OutputId(id), function, place, form: Form::Stored, once }
}

fn aggregate(id: u32, terms: Vec<AggregateTerm>) -> ir::Output {
    let aggregate = Aggregate { paged: false, group_by: Vec::new(), having: None, terms };
    output(id, OutputKind::Aggregate(aggregate))
}

/// Actors' names with their roles, in the order of these.
fn connection(movies: &Movies) -> Rows {
    let outputs = vec![movies.edge_output(1, "role"), movies.output(2, "Person.name")];
    Rows {
        filter: Filter::Text {
            place: movies.edge("role"),
            r#match: ir::TextMatch::Includes,
            case: ir::Case::AsTyped,
            operand: operand(1),
        },
        order: vec![ascending(movies.edge("role"))],
        page: page(2, Some(3), true),
        ..rows(1, From::Relation(movies.actors()), outputs)
    }
}

fn productions(movies: &Movies, hops: Option<(Hop, Hop)>) -> Vec<Variant> {
    let field = |name| movies.field(name);
    vec![
        Variant {
            entity: movies.movie,
            hop: hops.map(|hops| hops.0),
            through: None,
            filter: movies.equal("Movie.released", 0),
            common: vec![field("Movie.title"), field("Movie.released")],
            outputs: vec![
                movies.output(3, "Movie.released"),
                related(
                    4,
                    Rows {
                        once: true,
                        ..rows(
                            1,
                            From::Relation(movies.actors()),
                            vec![movies.output(5, "Person.name")],
                        )
                    },
                ),
            ],
        },
        Variant {
            entity: movies.series,
            hop: hops.map(|hops| hops.1),
            through: None,
            filter: Filter::all(),
            common: vec![field("Series.name"), field("Series.episodes")],
            outputs: vec![movies.output(6, "Series.episodes")],
        },
    ]
}

fn production_outputs() -> Vec<ir::Output> {
    vec![
        output(0, OutputKind::Variant),
        output(1, OutputKind::Common { place: 0, form: Form::Stored }),
    ]
}

pub(crate) fn cases(movies: &Movies) -> Vec<Case> {
    let title = || movies.output(0, "Movie.title");
    let name = |id| movies.output(id, "Person.name");
    let all = |outputs| rows(0, From::Entity(movies.movie), outputs);
    let count = |id| output(id, OutputKind::Count);
    let lists = {
        let directors = rows(2, From::Relation(backward(movies.directed)), vec![name(3)]);
        let films = Rows {
            once: true,
            order: vec![descending(movies.place("Movie.released"))],
            page: page(4, None, false),
            ..rows(3, From::Relation(movies.movies()), vec![movies.output(5, "Movie.title")])
        };
        let actors = Rows {
            once: true,
            ..rows(1, From::Relation(movies.actors()), vec![name(1), related(4, films)])
        };
        Rows {
            order: vec![ascending(movies.place("Movie.title"))],
            page: page(0, Some(1), false),
            ..all(vec![title(), related(2, actors), related(6, directors), title()])
        }
    };
    let whole_connection = {
        let mut connection = connection(movies);
        let born = || Some(movies.place("Person.born"));
        connection.outputs.extend([
            count(3),
            aggregate(
                4,
                vec![
                    term(5, AggregateFunction::DistinctCount, None, false),
                    term(6, AggregateFunction::Count, None, false),
                    term(7, AggregateFunction::Minimum, born(), true),
                    term(8, AggregateFunction::Maximum, born(), true),
                ],
            ),
        ]);
        all(vec![title(), related(9, connection)])
    };
    let both_kinds = {
        let mut actors = rows(1, From::Relation(movies.actors()), Vec::new());
        let name = || Some(movies.place("Person.name"));
        let time = || Some(movies.edge("screenTime"));
        actors.shown = false;
        actors.outputs.push(aggregate(
            1,
            vec![
                term(2, AggregateFunction::Count, None, false),
                term(3, AggregateFunction::ShortestText, name(), true),
                term(4, AggregateFunction::LongestText, name(), true),
                term(5, AggregateFunction::Average, time(), false),
                term(6, AggregateFunction::Total, time(), false),
                term(7, AggregateFunction::Sum, time(), false),
            ],
        ));
        all(vec![title(), related(8, actors)])
    };
    let each_time = {
        let mut actors = rows(1, From::Relation(movies.actors()), Vec::new());
        actors.shown = false;
        let born = Some(movies.place("Person.born"));
        let terms = vec![
            term(2, AggregateFunction::Count, None, false),
            term(3, AggregateFunction::Maximum, born, false),
        ];
        actors.outputs.push(aggregate(1, terms));
        all(vec![related(4, actors)])
    };
    let root_connection = {
        let released = Some(movies.place("Movie.released"));
        let terms = vec![
            term(3, AggregateFunction::DistinctCount, None, false),
            term(4, AggregateFunction::Average, released, true),
        ];
        Rows {
            filter: movies.equal("Movie.rating", 0),
            page: page(1, None, true),
            ..all(vec![title(), count(1), aggregate(2, terms)])
        }
    };
    let root_count = Rows { shown: false, ..all(vec![count(0)]) };
    let counted_connection = {
        let counts = vec![term(3, AggregateFunction::DistinctCount, None, false)];
        Rows { page: page(1, None, true), ..all(vec![title(), count(1), aggregate(2, counts)]) }
    };
    let friends =
        Rows { once: true, ..rows(1, From::Relation(forward(movies.knows)), vec![name(1)]) };
    let nulls_elsewhere = {
        let mut first = ascending(movies.place("Movie.title"));
        first.nulls = ir::Nulls::First;
        let mut last = descending(movies.place("Movie.rating"));
        last.nulls = ir::Nulls::Last;
        Rows { order: vec![first, last], ..all(vec![title()]) }
    };
    let interface = Rows {
        order: vec![descending(ValueRef::Common(0)), ascending(ValueRef::Common(1))],
        page: page(1, None, false),
        ..rows(0, From::Variants(productions(movies, None)), production_outputs())
    };
    let hops = Some((movies.movies(), forward(movies.appeared_in)));
    let related_interface = |once, count_id: Option<u32>| {
        let mut outputs = production_outputs();
        outputs.extend(count_id.map(count));
        let made = rows(2, From::Variants(productions(movies, hops)), outputs);
        let person = rows(0, From::Entity(movies.person), Vec::new());
        Rows { outputs: vec![name(8), related(9, Rows { once, ..made })], ..person }
    };
    let together = |once| {
        let value = |function, place, slot| Filter::Compare {
            place: ValueRef::Aggregated { function, place: Box::new(place) },
            comparison: Comparison::Less,
            operand: operand(slot),
        };
        let count = |distinct, slot| Filter::Compare {
            place: ValueRef::Counted { distinct },
            comparison: Comparison::Equal,
            operand: operand(slot),
        };
        let having = Filter::And(vec![
            count(true, 1),
            count(false, 2),
            value(AggregateFunction::LongestLength, ValueRef::Common(0), 3),
            value(AggregateFunction::Maximum, movies.edge("screenTime"), 4),
        ]);
        let plain = |variant| Variant { outputs: Vec::new(), ..variant };
        let variants = productions(movies, hops).into_iter().map(plain).collect();
        let filter = Filter::VariantGroup { variants, having: Box::new(having), once };
        Rows { filter, ..rows(0, From::Entity(movies.person), vec![name(0)]) }
    };
    let case = |name, request, expect| Case { name, request, expect };
    vec![
        case(
            "nodes of several kinds together, each once",
            read(vec![together(true)]),
            expect![[r#"
                MATCH (t0:`Person`) WHERE COUNT { MATCH (t0)-[:`ACTED_IN`]->(t1:`Movie`) WHERE t1.`released` = $p0 RETURN t1 UNION MATCH (t0)-[:`ACTED_IN`]->(t1:`Series`:`Pro``duction`) RETURN t1 } = $p1 AND COUNT { MATCH (t0)-[t3:`ACTED_IN`]->(t2:`Movie`) WHERE t2.`released` = $p0 RETURN t3 UNION MATCH (t0)-[t3:`ACTED_IN`]->(t2:`Series`:`Pro``duction`) RETURN t3 } = $p2 AND COLLECT { CALL (t0) { MATCH (t0)-[:`ACTED_IN`]->(t4:`Movie`) WHERE t4.`released` = $p0 RETURN t4, t4.`title` AS c0 UNION MATCH (t0)-[:`ACTED_IN`]->(t4:`Series`:`Pro``duction`) RETURN t4, t4.`name` AS c0 } RETURN max(size(c0)) < $p3 AS c1 }[0] AND COLLECT { CALL (t0) { MATCH (t0)-[t6:`ACTED_IN`]->(t5:`Movie`) WHERE t5.`released` = $p0 RETURN t6, t6.`screenTime` AS c2 UNION MATCH (t0)-[t6:`ACTED_IN`]->(t5:`Series`:`Pro``duction`) RETURN t6, t6.`screenTime` AS c2 } RETURN max(c2) < $p4 AS c3 }[0] RETURN t0.`name` AS c4
                p0: $0 Integer
                p1: $1 Integer
                p2: $2 Integer
                p3: $3 Integer
                p4: $4 Integer
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        case(
            "nodes of several kinds together",
            read(vec![together(false)]),
            expect![[r#"
                MATCH (t0:`Person`) WHERE COUNT { MATCH (t0)-[:`ACTED_IN`]->(t1:`Movie`) WHERE t1.`released` = $p0 RETURN t1 UNION MATCH (t0)-[:`ACTED_IN`]->(t1:`Series`:`Pro``duction`) RETURN t1 } = $p1 AND COUNT { MATCH (t0)-[t3:`ACTED_IN`]->(t2:`Movie`) WHERE t2.`released` = $p0 RETURN t3 UNION MATCH (t0)-[t3:`ACTED_IN`]->(t2:`Series`:`Pro``duction`) RETURN t3 } = $p2 AND COLLECT { CALL (t0) { MATCH (t0)-[t5:`ACTED_IN`]->(t4:`Movie`) WHERE t4.`released` = $p0 RETURN t5, t4.`title` AS c0 UNION MATCH (t0)-[t5:`ACTED_IN`]->(t4:`Series`:`Pro``duction`) RETURN t5, t4.`name` AS c0 } RETURN max(size(c0)) < $p3 AS c1 }[0] AND COLLECT { CALL (t0) { MATCH (t0)-[t7:`ACTED_IN`]->(t6:`Movie`) WHERE t6.`released` = $p0 RETURN t7, t7.`screenTime` AS c2 UNION MATCH (t0)-[t7:`ACTED_IN`]->(t6:`Series`:`Pro``duction`) RETURN t7, t7.`screenTime` AS c2 } RETURN max(c2) < $p4 AS c3 }[0] RETURN t0.`name` AS c4
                p0: $0 Integer
                p1: $1 Integer
                p2: $2 Integer
                p3: $3 Integer
                p4: $4 Integer
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        case(
            "all",
            read(vec![all(vec![title(), output(1, OutputKind::Present { path: Vec::new() })])]),
            expect![[r#"
                MATCH (t0:`Movie`) RETURN t0.`title` AS c0, CASE WHEN t0 IS NOT NULL THEN true END AS c1
                level 0: Records { statement: 0 }, 2 wide
                rows 0: level 0
                #0 column 0, #1 column 1
            "#]],
        ),
        case(
            "by key, and all of another kind",
            read(vec![
                Rows { filter: movies.equal("Movie.id", 0), single: true, ..all(vec![title()]) },
                rows(1, From::Entity(movies.series), vec![movies.output(1, "Series.name")]),
            ]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`id` = $p0 RETURN t0.`title` AS c0
                p0: $0 Text
                MATCH (t0:`Series`:`Pro``duction`) RETURN t0.`name` AS c0
                level 0: Records { statement: 0 }, 1 wide
                level 1: Records { statement: 1 }, 1 wide
                rows 0: level 0
                rows 1: level 1
                #0 column 0, #1 column 0
            "#]],
        ),
        case(
            "nothing asked of rows",
            read(vec![all(Vec::new())]),
            expect![[r#"
            MATCH (t0:`Movie`) RETURN true AS c0
            level 0: Records { statement: 0 }, 0 wide
            rows 0: level 0

        "#]],
        ),
        case(
            "nested lists",
            read(vec![lists]),
            expect![[r#"
            MATCH (t0:`Movie`) WITH t0 ORDER BY t0.`title` SKIP $p0 LIMIT $p1 CALL (t0) { MATCH (t0)<-[:`ACTED_IN`]-(t1:`Person`) WITH DISTINCT t1 CALL (t1) { MATCH (t1)-[:`ACTED_IN`]->(t2:`Movie`) WITH DISTINCT t2 ORDER BY t2.`released` DESC LIMIT $p2 RETURN collect([t2.`title`]) AS c0 } RETURN collect([t1.`name`, c0]) AS c1 } CALL (t0) { MATCH (t0)<-[:`DIRECTED`]-(t3:`Person`) RETURN collect([t3.`name`]) AS c2 } RETURN t0.`title` AS c3, c1, c2
            p0: $1 Integer
            p1: $0 Integer
            p2: $4 Integer
            level 0: Records { statement: 0 }, 3 wide
            level 1: InRow { column: 1 }, 2 wide
            level 2: InRow { column: 1 }, 1 wide
            level 3: InRow { column: 2 }, 1 wide
            rows 0: level 0
            rows 1: level 1
            rows 2: level 3
            rows 3: level 2
            #0 column 0, #1 column 0, #3 column 0, #5 column 0
        "#]],
        ),
        case(
            "connection",
            read(vec![all(vec![related(9, connection(movies))])]),
            expect![[r#"
            MATCH (t0:`Movie`) CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t1.`role` CONTAINS $p0 WITH t2, t1 ORDER BY t1.`role` SKIP $p1 LIMIT $p2 + 1 RETURN collect([t1.`role`, t2.`name`]) AS c0 } RETURN c0
            p0: $1 Text
            p1: $3 Integer
            p2: $2 Integer
            level 0: Records { statement: 0 }, 1 wide
            level 1: InRow { column: 0 }, 2 wide
            rows 0: level 0
            rows 1: level 1
            #1 column 0, #2 column 1
        "#]],
        ),
        case(
            "whole connection",
            read(vec![whole_connection]),
            expect![[r#"
                MATCH (t0:`Movie`) CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t1.`role` CONTAINS $p0 WITH collect([t2, t1]) AS x0 CALL (x0) { UNWIND x0 AS x1 WITH x1[0] AS t2, x1[1] AS t1 WITH t2, count(*) AS c0 RETURN [[sum(c0), count(*), sum(c0), min(t2.`born`), max(t2.`born`)]] AS c1 } CALL (x0) { UNWIND x0 AS x2 WITH x2[0] AS t2, x2[1] AS t1 WITH t2, t1 ORDER BY t1.`role` SKIP $p1 LIMIT $p2 + 1 RETURN collect([t1.`role`, t2.`name`]) AS c2 } RETURN c1 AS c3, c2 } RETURN t0.`title` AS c4, c3, c2
                p0: $1 Text
                p1: $3 Integer
                p2: $2 Integer
                level 0: Records { statement: 0 }, 3 wide
                level 1: InRow { column: 1 }, 5 wide
                level 2: InRow { column: 2 }, 2 wide
                rows 0: level 0
                rows 1: level 2
                #0 column 0, #1 column 0, #2 column 1, #3 level 1, #4 level 1, #5 column 1, #6 column 2, #7 column 3, #8 column 4
            "#]],
        ),
        case(
            "aggregates of nodes and of relationships",
            read(vec![both_kinds]),
            expect![[r#"
            MATCH (t0:`Movie`) CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) RETURN count(*) AS c0, avg(t1.`screenTime`) AS c1, sum(t1.`screenTime`) AS c2, CASE WHEN count(t1.`screenTime`) > 0 THEN sum(t1.`screenTime`) END AS c3 } CALL (t0) { MATCH (t0)<-[t3:`ACTED_IN`]-(t4:`Person`) WITH DISTINCT t4 RETURN reduce(x0 = NULL, x1 IN collect(t4.`name`) | CASE WHEN x0 IS NULL OR size(x1) <= size(x0) THEN x1 ELSE x0 END) AS c4, reduce(x2 = NULL, x3 IN collect(t4.`name`) | CASE WHEN x2 IS NULL OR size(x3) > size(x2) THEN x3 ELSE x2 END) AS c5 } RETURN t0.`title` AS c6, [[c0, c4, c5, c1, c2, c3]] AS c7
            level 0: Records { statement: 0 }, 2 wide
            level 1: InRow { column: 1 }, 6 wide
            rows 0: level 0
            #0 column 0, #1 level 1, #2 column 0, #3 column 1, #4 column 2, #5 column 3, #6 column 4, #7 column 5
        "#]],
        ),
        case(
            "aggregates of nodes as often as they are found",
            read(vec![each_time]),
            expect![[r#"
                MATCH (t0:`Movie`) CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) RETURN [[count(*), max(t2.`born`)]] AS c0 } RETURN c0
                level 0: Records { statement: 0 }, 1 wide
                level 1: InRow { column: 0 }, 2 wide
                rows 0: level 0
                #1 level 1, #2 column 0, #3 column 1
            "#]],
        ),
        case(
            "root connection",
            read(vec![root_connection]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`rating` = $p0 WITH collect(t0) AS x0 CALL (x0) { UNWIND x0 AS t0 RETURN [[count(*), count(*), avg(t0.`released`)]] AS c0 } CALL (x0) { UNWIND x0 AS t0 WITH t0 LIMIT $p1 + 1 RETURN collect([t0.`title`]) AS c1 } RETURN c0, c1
                p0: $0 Float
                p1: $1 Integer
                level 0: InRecord { statement: 0, column: 0 }, 3 wide
                level 1: InRecord { statement: 0, column: 1 }, 1 wide
                rows 0: level 1
                #0 column 0, #1 level 0, #2 level 0, #3 column 1, #4 column 2
            "#]],
        ),
        case(
            "counted root connection",
            read(vec![counted_connection]),
            expect![[r#"
            CALL () { MATCH (t0:`Movie`) RETURN [[count(*), count(*)]] AS c0 } CALL () { MATCH (t1:`Movie`) WITH t1 LIMIT $p0 + 1 RETURN collect([t1.`title`]) AS c1 } RETURN c0, c1
            p0: $1 Integer
            level 0: InRecord { statement: 0, column: 0 }, 2 wide
            level 1: InRecord { statement: 0, column: 1 }, 1 wide
            rows 0: level 1
            #0 column 0, #1 level 0, #2 level 0, #3 column 1
        "#]],
        ),
        case(
            "root count",
            read(vec![root_count]),
            expect![[r#"
            MATCH (t0:`Movie`) RETURN [[count(*)]] AS c0
            level 0: InRecord { statement: 0, column: 0 }, 1 wide
            #0 level 0
        "#]],
        ),
        case(
            "undirected",
            read(vec![rows(0, From::Entity(movies.person), vec![related(0, friends)])]),
            expect![[r#"
                MATCH (t0:`Person`) CALL (t0) { MATCH (t0)-[:`KNOWS`]-(t1:`Person`) WITH DISTINCT t1 RETURN collect([t1.`name`]) AS c0 } RETURN c0
                level 0: Records { statement: 0 }, 1 wide
                level 1: InRow { column: 0 }, 1 wide
                rows 0: level 0
                rows 1: level 1
                #1 column 0
            "#]],
        ),
        case(
            "nulls elsewhere",
            read(vec![nulls_elsewhere]),
            expect![[r#"
            MATCH (t0:`Movie`) WITH t0 ORDER BY t0.`title` IS NOT NULL, t0.`title`, t0.`rating` IS NULL, t0.`rating` DESC RETURN t0.`title` AS c0
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        case(
            "interface",
            read(vec![interface]),
            expect![[r#"
            CALL () { MATCH (t0:`Movie`) WHERE t0.`released` = $p0 RETURN t0, 0 AS c0 UNION ALL MATCH (t0:`Series`:`Pro``duction`) RETURN t0, 1 AS c0 } WITH t0, c0 ORDER BY CASE WHEN c0 = 0 THEN t0.`title` WHEN c0 = 1 THEN t0.`name` END DESC, CASE WHEN c0 = 0 THEN t0.`released` WHEN c0 = 1 THEN t0.`episodes` END LIMIT $p1 CALL (t0, c0) { MATCH (t0)<-[:`ACTED_IN`]-(t1:`Person`) WHERE c0 = 0 WITH DISTINCT t1 RETURN collect([t1.`name`]) AS c1 } RETURN c0, CASE WHEN c0 = 0 THEN t0.`title` WHEN c0 = 1 THEN t0.`name` END AS c2, t0.`released` AS c3, c1, t0.`episodes` AS c4
            p0: $0 Integer
            p1: $1 Integer
            level 0: Records { statement: 0 }, 5 wide
            level 1: InRow { column: 3 }, 1 wide
            rows 0: level 0
            rows 1: level 1
            #0 column 0, #1 column 1, #3 column 2, #5 column 0, #6 column 4
        "#]],
        ),
        case(
            "related interface",
            read(vec![related_interface(true, None)]),
            expect![[r#"
            MATCH (t0:`Person`) CALL (t0) { CALL (t0) { MATCH (t0)-[:`ACTED_IN`]->(t1:`Movie`) WHERE t1.`released` = $p0 RETURN DISTINCT t1, 0 AS c0 UNION ALL MATCH (t0)-[:`ACTED_IN`]->(t1:`Series`:`Pro``duction`) RETURN DISTINCT t1, 1 AS c0 } CALL (t1, c0) { MATCH (t1)<-[:`ACTED_IN`]-(t2:`Person`) WHERE c0 = 0 WITH DISTINCT t2 RETURN collect([t2.`name`]) AS c1 } RETURN collect([c0, CASE WHEN c0 = 0 THEN t1.`title` WHEN c0 = 1 THEN t1.`name` END, t1.`released`, c1, t1.`episodes`]) AS c2 } RETURN t0.`name` AS c3, c2
            p0: $0 Integer
            level 0: Records { statement: 0 }, 2 wide
            level 1: InRow { column: 1 }, 5 wide
            level 2: InRow { column: 3 }, 1 wide
            rows 0: level 0
            rows 1: level 2
            rows 2: level 1
            #0 column 0, #1 column 1, #3 column 2, #5 column 0, #6 column 4, #8 column 0
        "#]],
        ),
        case(
            "connection of an interface",
            read(vec![related_interface(false, Some(7))]),
            expect![[r#"
                MATCH (t0:`Person`) CALL (t0) { CALL (t0) { MATCH (t0)-[t1:`ACTED_IN`]->(t2:`Movie`) WHERE t2.`released` = $p0 RETURN t2, t1, 0 AS c0 UNION ALL MATCH (t0)-[t1:`ACTED_IN`]->(t2:`Series`:`Pro``duction`) RETURN t2, t1, 1 AS c0 } WITH collect([t2, t1, c0]) AS x0 CALL (x0) { UNWIND x0 AS x1 WITH x1[0] AS t2, x1[1] AS t1, x1[2] AS c0 CALL (t2, c0) { MATCH (t2)<-[:`ACTED_IN`]-(t3:`Person`) WHERE c0 = 0 WITH DISTINCT t3 RETURN collect([t3.`name`]) AS c1 } RETURN collect([c0, CASE WHEN c0 = 0 THEN t2.`title` WHEN c0 = 1 THEN t2.`name` END, t2.`released`, c1, t2.`episodes`]) AS c2 } RETURN [[size(x0)]] AS c3, c2 } RETURN t0.`name` AS c4, c3, c2
                p0: $0 Integer
                level 0: Records { statement: 0 }, 3 wide
                level 1: InRow { column: 1 }, 1 wide
                level 2: InRow { column: 2 }, 5 wide
                level 3: InRow { column: 3 }, 1 wide
                rows 0: level 0
                rows 1: level 3
                rows 2: level 2
                #0 column 0, #1 column 1, #3 column 2, #5 column 0, #6 column 4, #7 level 1, #8 column 0
            "#]],
        ),
    ]
}

#[test]
fn reads_are_compiled() {
    let movies = Movies::new();
    for case in cases(&movies) {
        movies.check(&case);
    }
}

#[test]
fn equal_requests_have_equal_statements() {
    let movies = Movies::new();
    for (one, other) in cases(&movies).iter().zip(&cases(&movies)) {
        let text = |case: &Case| {
            let program = movies.compile(&case.request, Flavor::NEWEST);
            let mut statements = program.transactions.into_iter().flat_map(|all| all.statements);
            statements.next().map(|statement| statement.text)
        };
        assert_eq!(text(one), text(other), "{}", one.name);
    }
}
