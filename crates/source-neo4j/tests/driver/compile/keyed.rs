//! Rows by lists of keys.

use expect_test::expect;
use ir::{Filter, From, OutputKind, Rows};

use super::model::{Case, Movies, operand, output, read, related, rows};

fn keyed(movies: &Movies, fields: &[&str], rest: Rows) -> Rows {
    let keys = fields.iter().zip(0..).map(|(name, slot)| (movies.field(name), operand(slot)));
    let from = From::Keys { entity: movies.movie, keys: keys.collect(), external: Vec::new() };
    Rows { from, ..rest }
}

pub(crate) fn cases(movies: &Movies) -> Vec<Case> {
    let ordinal = || output(0, OutputKind::Ordinal);
    let found = |outputs| rows(0, From::Entity(movies.movie), outputs);
    let one = found(vec![ordinal(), movies.output(1, "Movie.title")]);
    let actors = rows(1, From::Relation(movies.actors()), vec![movies.output(2, "Person.name")]);
    let required = movies.equal("Movie.title", 3);
    let several = Rows {
        filter: Filter::And(vec![
            movies.equal("Movie.rating", 2),
            Filter::Required(Box::new(required)),
        ]),
        ..found(vec![ordinal(), related(1, actors)])
    };
    vec![
        Case {
            name: "each place of a list finds one node",
            request: read(vec![keyed(movies, &["Movie.id"], one)]),
            expect: expect![[r#"
                UNWIND range(1, size($p0)) AS x0 MATCH (t0:`Movie`) WHERE t0.`id` = $p0[x0 - 1] WITH x0, t0 ORDER BY x0, id(t0) WITH x0, collect(t0)[0] AS t0 ORDER BY x0 RETURN x0, t0.`title` AS c0
                p0: $0 List(Text)
                level 0: Records { statement: 0 }, 2 wide
                rows 0: level 0
                #0 column 0, #1 column 1
            "#]],
        },
        Case {
            name: "a key may have several fields, and what is found conditions",
            request: read(vec![keyed(movies, &["Movie.title", "Movie.released"], several)]),
            expect: expect![[r#"
                UNWIND range(1, size($p0)) AS x0 MATCH (t0:`Movie`) WHERE t0.`title` = $p0[x0 - 1] AND t0.`released` = $p1[x0 - 1] AND t0.`rating` = $p2 WITH t0, x0, CASE WHEN t0.`title` = $p3 THEN true ELSE datetime($p4) IS NULL END AS c0 WHERE c0 WITH x0, t0 ORDER BY x0, id(t0) WITH x0, collect(t0)[0] AS t0 ORDER BY x0 CALL (t0) { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) RETURN collect([t2.`name`]) AS c1 } RETURN x0, c1
                p0: $0 List(Text)
                p1: $1 List(Integer)
                p2: $2 Float
                p3: $3 Text
                p4: Constant(Text("thalweg:refused:Forbidden")) Text
                level 0: Records { statement: 0 }, 2 wide
                level 1: InRow { column: 1 }, 1 wide
                rows 0: level 0
                rows 1: level 1
                #0 column 0, #2 column 0
            "#]],
        },
    ]
}

#[test]
fn what_keys_find() {
    let movies = Movies::new();
    for case in cases(&movies) {
        movies.check(&case);
    }
}
