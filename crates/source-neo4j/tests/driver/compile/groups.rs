//! Requests for rows in groups.

use expect_test::expect;
use ir::{From, Groups, Output, OutputKind, Rows, RowsId, ValueRef};

use super::model::{Case, Movies, ascending, output, page, read, related, rows};

/// Movies in groups, each with its title and its actors.
fn groups(movies: &Movies, (id, own): (u32, u32), by: Vec<ValueRef>) -> Output {
    let name = movies.output(id + 3, "Person.name");
    let actors = rows(own + 1, From::Relation(movies.actors()), vec![name]);
    let outputs = vec![movies.output(id + 1, "Movie.title"), related(id + 2, actors)];
    output(id, OutputKind::Groups(Groups { by, rows: RowsId(own), outputs }))
}

pub(crate) fn cases(movies: &Movies) -> Vec<Case> {
    let all = |outputs| rows(0, From::Entity(movies.movie), outputs);
    let by = |names: &[&str]| names.iter().map(|name| movies.place(name)).collect();
    let alone = Rows {
        shown: false,
        ..all(vec![groups(movies, (1, 1), by(&["Movie.released", "Movie.rating"]))])
    };
    let beside = Rows {
        filter: movies.equal("Movie.rating", 0),
        order: vec![ascending(movies.place("Movie.title"))],
        page: page(1, None, false),
        ..all(vec![
            movies.output(0, "Movie.title"),
            output(10, OutputKind::Count),
            groups(movies, (1, 1), by(&["Movie.released"])),
            groups(movies, (5, 3), Vec::new()),
        ])
    };
    vec![
        Case {
            name: "rows in groups",
            request: read(vec![alone]),
            expect: expect![[r#"
                MATCH (t0:`Movie`) WITH collect(t0) AS x0 CALL (x0) { UNWIND x0 AS t0 CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) RETURN collect([t2.`name`]) AS c2 } WITH t0.`released` AS c0, t0.`rating` AS c1, collect([t0.`title`, c2]) AS c3 RETURN collect([c3]) AS c4 } RETURN c4
                level 0: InRow { column: 1 }, 1 wide
                level 1: InRecord { statement: 0, column: 0 }, 1 wide
                level 2: InRow { column: 0 }, 2 wide
                rows 1: level 2
                rows 2: level 0
                #1 level 1, #2 column 0, #4 column 0
            "#]],
        },
        Case {
            name: "rows in groups beside a page of them",
            request: read(vec![beside]),
            expect: expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`rating` = $p0 WITH collect(t0) AS x0 CALL (x0) { UNWIND x0 AS t0 WITH t0 ORDER BY t0.`title` LIMIT $p1 RETURN collect([t0.`title`]) AS c0 } CALL (x0) { UNWIND x0 AS t0 CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) RETURN collect([t2.`name`]) AS c2 } WITH t0.`released` AS c1, collect([t0.`title`, c2]) AS c3 RETURN collect([c3]) AS c4 } CALL (x0) { UNWIND x0 AS t0 CALL (t0) { MATCH (t0)<-[t3:`ACTED_IN`]-(t4:`Person`) RETURN collect([t4.`name`]) AS c5 } WITH collect([t0.`title`, c5]) AS c6 RETURN collect([c6]) AS c7 } RETURN [[size(x0)]] AS c8, c0, c4, c7
                p0: $0 Float
                p1: $1 Integer
                level 0: InRecord { statement: 0, column: 0 }, 1 wide
                level 1: InRecord { statement: 0, column: 1 }, 1 wide
                level 2: InRow { column: 1 }, 1 wide
                level 3: InRecord { statement: 0, column: 2 }, 1 wide
                level 4: InRow { column: 0 }, 2 wide
                level 5: InRow { column: 1 }, 1 wide
                level 6: InRecord { statement: 0, column: 3 }, 1 wide
                level 7: InRow { column: 0 }, 2 wide
                rows 0: level 1
                rows 1: level 4
                rows 2: level 2
                rows 3: level 7
                rows 4: level 5
                #0 column 0, #1 level 3, #2 column 0, #4 column 0, #5 level 6, #6 column 0, #8 column 0, #10 level 0
            "#]],
        },
    ]
}

#[test]
fn rows_are_grouped_by_their_values() {
    let movies = Movies::new();
    for case in cases(&movies) {
        movies.check(&case);
    }
}
