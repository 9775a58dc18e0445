//! Requests that search.

use expect_test::expect;
use ir::{Comparison, Filter, Form, From, OutputKind, Rows, ValueRef};

use super::model::{
    Case, Movies, ascending, descending, operand, output, page, read, related, rows,
};

fn score(movies: &Movies) -> ValueRef {
    ValueRef::Edge(movies.field("Found.score"))
}

/// Titles with their scores and actors, not too far down.
fn by_title(movies: &Movies) -> Rows {
    let field = movies.field("Found.score");
    let actors = rows(1, From::Relation(movies.actors()), vec![movies.output(3, "Person.name")]);
    let outputs = vec![
        output(0, OutputKind::Edge { field, form: Form::Stored }),
        movies.output(1, "Movie.title"),
        related(2, actors),
    ];
    Rows {
        filter: Filter::And(vec![
            Filter::Compare {
                place: score(movies),
                comparison: Comparison::GreaterOrEqual,
                operand: operand(1),
            },
            movies.equal("Movie.released", 2),
        ]),
        order: vec![descending(score(movies)), ascending(movies.place("Movie.title"))],
        page: page(3, Some(4), true),
        ..rows(0, From::Search { search: movies.titles, operand: operand(0) }, outputs)
    }
}

pub(crate) fn cases(movies: &Movies) -> Vec<Case> {
    let nearest = || From::Search { search: movies.likeness, operand: operand(0) };
    let mut counted = by_title(movies);
    counted.outputs.push(output(4, OutputKind::Count));
    let number = Rows { shown: false, ..rows(1, nearest(), vec![output(1, OutputKind::Count)]) };
    vec![
        Case {
            name: "what is found is sorted and cut before it is expanded",
            request: read(vec![by_title(movies)]),
            expect: expect![[r#"
                CALL db.index.fulltext.queryNodes($p0, $p1) YIELD node AS t0, score AS t1 WHERE t0:`Movie` AND (t1 >= $p2 AND t0.`released` = $p3) WITH t0, t1 ORDER BY t1 DESC, t0.`title` SKIP $p4 LIMIT $p5 + 1 CALL (t0) { MATCH (t0)<-[t2:`ACTED_IN`]-(t3:`Person`) RETURN collect([t3.`name`]) AS c0 } RETURN t1, t0.`title` AS c1, c0
                p0: Constant(Text("the titles")) Text
                p1: $0 Text
                p2: $1 Float
                p3: $2 Integer
                p4: $4 Integer
                p5: $3 Integer
                level 0: Records { statement: 0 }, 3 wide
                level 1: InRow { column: 2 }, 1 wide
                rows 0: level 0
                rows 1: level 1
                #0 column 0, #1 column 1, #3 column 0
            "#]],
        },
        Case {
            name: "what is found is found once for its number and a page of it",
            request: read(vec![counted]),
            expect: expect![[r#"
                CALL db.index.fulltext.queryNodes($p0, $p1) YIELD node AS t0, score AS t1 WHERE t0:`Movie` AND (t1 >= $p2 AND t0.`released` = $p3) WITH collect([t0, t1]) AS x0 CALL (x0) { UNWIND x0 AS x1 WITH x1[0] AS t0, x1[1] AS t1 WITH t0, t1 ORDER BY t1 DESC, t0.`title` SKIP $p4 LIMIT $p5 + 1 CALL (t0) { MATCH (t0)<-[t2:`ACTED_IN`]-(t3:`Person`) RETURN collect([t3.`name`]) AS c0 } RETURN collect([t1, t0.`title`, c0]) AS c1 } RETURN [[size(x0)]] AS c2, c1
                p0: Constant(Text("the titles")) Text
                p1: $0 Text
                p2: $1 Float
                p3: $2 Integer
                p4: $4 Integer
                p5: $3 Integer
                level 0: InRecord { statement: 0, column: 0 }, 1 wide
                level 1: InRecord { statement: 0, column: 1 }, 3 wide
                level 2: InRow { column: 2 }, 1 wide
                rows 0: level 1
                rows 1: level 2
                #0 column 0, #1 column 1, #3 column 0, #4 level 0
            "#]],
        },
        Case {
            name: "the nearest have all labels of their type",
            request: read(vec![rows(0, nearest(), vec![movies.output(0, "Series.name")]), number]),
            expect: expect![[r#"
                CALL db.index.vector.queryNodes($p0, 4, $p1) YIELD node AS t0, score AS t1 WHERE t0:`Series`:`Pro``duction` RETURN t0.`name` AS c0
                p0: Constant(Text("likeness")) Text
                p1: $0 List(Float)
                CALL db.index.vector.queryNodes($p0, 4, $p1) YIELD node AS t0, score AS t1 WHERE t0:`Series`:`Pro``duction` RETURN [[count(*)]] AS c0
                p0: Constant(Text("likeness")) Text
                p1: $0 List(Float)
                level 0: Records { statement: 0 }, 1 wide
                level 1: InRecord { statement: 1, column: 0 }, 1 wide
                rows 0: level 0
                #0 column 0, #1 level 1
            "#]],
        },
    ]
}

#[test]
fn what_an_index_finds() {
    let movies = Movies::new();
    for case in cases(&movies) {
        movies.check(&case);
    }
}
