//! Conditions.

use cypher::Flavor;
use expect_test::{Expect, expect};
use ir::{
    AggregateFunction, Case as Letters, Comparison, Filter, From, GeoOperator, Quantifier, Rows,
    TextMatch, ValueRef,
};

use source_neo4j::compile::compile;

use super::model::{Case, Movies, backward, operand, read, rows};

fn text(place: ValueRef, r#match: TextMatch, case: Letters) -> Filter {
    Filter::Text { place, r#match, case, operand: operand(0) }
}

fn relation(movies: &Movies, quantifier: Quantifier, filter: Filter) -> Filter {
    Filter::Relation { hop: movies.actors(), quantifier, filter: Box::new(filter) }
}

fn together(movies: &Movies, having: Filter, once: bool) -> Filter {
    let filter = Box::new(Filter::all());
    Filter::RelatedGroup { hop: movies.actors(), filter, having: Box::new(having), once }
}

fn made_of(function: AggregateFunction, place: ValueRef, slot: u16) -> Filter {
    Filter::Compare {
        place: ValueRef::Aggregated { function, place: Box::new(place) },
        comparison: Comparison::Greater,
        operand: operand(slot),
    }
}

fn counted(distinct: bool, slot: u16) -> Filter {
    Filter::Compare {
        place: ValueRef::Counted { distinct },
        comparison: Comparison::GreaterOrEqual,
        operand: operand(slot),
    }
}

pub(crate) fn cases(movies: &Movies) -> Vec<Case> {
    let title = || movies.place("Movie.title");
    let compare = |name, comparison| movies.compare(name, comparison, 0);
    let folded = |comparison| Filter::CompareText {
        place: title(),
        comparison,
        case: Letters::Ignored,
        operand: operand(0),
    };
    let element = |comparison| Filter::AnyElement {
        place: movies.place("Movie.tags"),
        comparison,
        operand: operand(0),
    };
    let born = || movies.place("Person.born");
    let name = || movies.place("Person.name");
    let named = || movies.equal("Person.name", 0);
    let edge_named = || {
        let role = movies.edge("role");
        let comparison = Comparison::Equal;
        Filter::And(vec![Filter::Compare { place: role, comparison, operand: operand(1) }, named()])
    };
    let known = |filter| Filter::Relation {
        hop: backward(movies.knows),
        quantifier: Quantifier::Some,
        filter: Box::new(filter),
    };
    let filters: Vec<(&'static str, Filter, Expect)> = vec![
        (
            "comparisons",
            Filter::And(vec![
                movies.equal("Movie.title", 0),
                compare("Movie.released", Comparison::NotEqual),
                compare("Movie.released", Comparison::Less),
                compare("Movie.rating", Comparison::GreaterOrEqual),
                compare("Movie.made", Comparison::LessOrEqual),
            ]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`title` = $p0 AND t0.`released` <> $p1 AND t0.`released` < $p1 AND t0.`rating` >= $p2 AND t0.`made` <= $p3 RETURN t0.`title` AS c0
                p0: $0 Text
                p1: $0 Integer
                p2: $0 Float
                p3: $0 DateTime
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "lists of values",
            Filter::Or(vec![
                compare("Movie.title", Comparison::In),
                compare("Movie.released", Comparison::NotIn),
                movies.equal("Movie.tags", 1),
            ]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`title` IN $p0 OR NOT t0.`released` IN $p1 OR t0.`tags` = $p2 RETURN t0.`title` AS c0
                p0: $0 List(Text)
                p1: $0 List(Integer)
                p2: $1 List(Text)
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "logic",
            Filter::Not(Box::new(Filter::And(vec![
                Filter::all(),
                Filter::Or(vec![Filter::IsNull(title()), Filter::none()]),
                Filter::Except(Box::new(movies.equal("Movie.title", 0))),
            ]))),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE NOT ((t0.`title` IS NULL OR false) AND NOT coalesce(t0.`title` = $p0, false)) RETURN t0.`title` AS c0
                p0: $0 Text
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "nothing",
            Filter::And(vec![Filter::And(Vec::new())]),
            expect![[r#"
            MATCH (t0:`Movie`) RETURN t0.`title` AS c0
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "texts",
            Filter::And(vec![
                text(title(), TextMatch::Includes, Letters::AsTyped),
                text(title(), TextMatch::StartsWith, Letters::Exact),
                text(title(), TextMatch::EndsWith, Letters::Ignored),
                text(title(), TextMatch::Regex, Letters::AsTyped),
                folded(Comparison::Equal),
                folded(Comparison::In),
            ]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`title` CONTAINS $p0 AND t0.`title` STARTS WITH $p0 AND toLower(t0.`title`) ENDS WITH toLower($p0) AND t0.`title` =~ $p0 AND toLower(t0.`title`) = toLower($p0) AND toLower(t0.`title`) IN [x0 IN $p1 | toLower(x0)] RETURN t0.`title` AS c0
                p0: $0 Text
                p1: $0 List(Text)
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "elements",
            Filter::And(vec![element(Comparison::Equal), element(Comparison::Less)]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE $p0 IN t0.`tags` AND any(x0 IN t0.`tags` WHERE x0 < $p0) RETURN t0.`title` AS c0
                p0: $0 Text
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "durations",
            Filter::And(vec![
                compare("Movie.length", Comparison::Equal),
                compare("Movie.length", Comparison::Greater),
            ]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`length` = $p0 AND datetime() + t0.`length` > datetime() + $p0 RETURN t0.`title` AS c0
                p0: $0 Duration
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "distance",
            Filter::Geo {
                place: movies.place("Movie.location"),
                operator: GeoOperator::Distance(Comparison::LessOrEqual),
                operand: operand(0),
            },
            expect![[r#"
                MATCH (t0:`Movie`) WHERE point.distance(t0.`location`, $p0) <= $p1 RETURN t0.`title` AS c0
                p0: $0 [Key("point")] GeographicPoint
                p1: $0 [Key("distance")] Float
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "some",
            relation(movies, Quantifier::Some, edge_named()),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE EXISTS { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t1.`role` = $p0 AND t2.`name` = $p1 } RETURN t0.`title` AS c0
            p0: $1 Text
            p1: $0 Text
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "some at all",
            relation(movies, Quantifier::Some, Filter::all()),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE EXISTS { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) } RETURN t0.`title` AS c0
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "none",
            relation(movies, Quantifier::None, named()),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE NOT EXISTS { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t2.`name` = $p0 } RETURN t0.`title` AS c0
            p0: $0 Text
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "every",
            relation(movies, Quantifier::Every, edge_named()),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE NOT EXISTS { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE NOT (t1.`role` = $p0 AND t2.`name` = $p1) } RETURN t0.`title` AS c0
            p0: $1 Text
            p1: $0 Text
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "every of any kind",
            relation(movies, Quantifier::Every, Filter::all()),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE true RETURN t0.`title` AS c0
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "single",
            relation(movies, Quantifier::Single, named()),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE COUNT { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t2.`name` = $p0 } = 1 RETURN t0.`title` AS c0
            p0: $0 Text
            level 0: Records { statement: 0 }, 1 wide
            rows 0: level 0
            #0 column 0
        "#]],
        ),
        (
            "nested",
            relation(movies, Quantifier::Some, known(Filter::Or(vec![named(), known(named())]))),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE EXISTS { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE EXISTS { MATCH (t2)-[:`KNOWS`]-(t3:`Person`) WHERE t3.`name` = $p0 OR EXISTS { MATCH (t3)-[:`KNOWS`]-(t4:`Person`) WHERE t4.`name` = $p0 } } } RETURN t0.`title` AS c0
                p0: $0 Text
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "counts",
            together(
                movies,
                Filter::Not(Box::new(Filter::And(vec![counted(false, 0), counted(true, 1)]))),
                true,
            ),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE NOT (COUNT { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) } >= $p0 AND COUNT { MATCH (t0)<-[:`ACTED_IN`]-(t3:`Person`) RETURN DISTINCT t3 } >= $p1) RETURN t0.`title` AS c0
                p0: $0 Integer
                p1: $1 Integer
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "values of nodes once, of relationships each",
            together(
                movies,
                Filter::Or(vec![
                    made_of(AggregateFunction::Average, born(), 0),
                    made_of(AggregateFunction::AverageLength, name(), 1),
                    made_of(AggregateFunction::ShortestLength, name(), 2),
                    made_of(AggregateFunction::Total, movies.edge("screenTime"), 3),
                ]),
                true,
            ),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE COLLECT { MATCH (t0)<-[:`ACTED_IN`]-(t1:`Person`) WITH DISTINCT t1 RETURN avg(t1.`born`) > $p0 AS c0 }[0] OR COLLECT { MATCH (t0)<-[:`ACTED_IN`]-(t2:`Person`) WITH DISTINCT t2 RETURN avg(size(t2.`name`)) > $p1 AS c1 }[0] OR COLLECT { MATCH (t0)<-[:`ACTED_IN`]-(t3:`Person`) WITH DISTINCT t3 RETURN min(size(t3.`name`)) > $p2 AS c2 }[0] OR COLLECT { MATCH (t0)<-[t4:`ACTED_IN`]-(t5:`Person`) RETURN sum(t4.`screenTime`) > $p3 AS c3 }[0] RETURN t0.`title` AS c4
                p0: $0 Float
                p1: $1 Float
                p2: $2 Integer
                p3: $3 Integer
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        (
            "values of nodes as often as they are found",
            together(movies, made_of(AggregateFunction::LongestLength, name(), 0), false),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE COLLECT { MATCH (t0)<-[t1:`ACTED_IN`]-(t2:`Person`) RETURN max(size(t2.`name`)) > $p0 AS c0 }[0] RETURN t0.`title` AS c1
                p0: $0 Integer
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
    ];
    let case = |(name, filter, expect)| {
        let all = rows(0, From::Entity(movies.movie), vec![movies.output(0, "Movie.title")]);
        Case { name, request: read(vec![Rows { filter, ..all }]), expect }
    };
    filters.into_iter().map(case).collect()
}

#[test]
fn filters_are_compiled() {
    let movies = Movies::new();
    for case in cases(&movies) {
        movies.check(&case);
    }
}

#[test]
fn older_servers_are_asked_in_their_own_words_or_not_at_all() {
    let movies = Movies::new();
    let cases = cases(&movies);
    let text = |name: &str, version: (u16, u16)| {
        let case = cases.iter().find(|case| case.name == name).unwrap();
        let flavor = Flavor::of_version(version.0, version.1);
        match compile(&movies.catalog, &case.request, flavor) {
            Ok(program) => program.transactions[0].statements[0].text.clone().into_string(),
            Err(error) => error.to_string(),
        }
    };
    expect!["MATCH (t0:`Movie`) WHERE size([(t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t2.`name` = $p0 | 1]) = 1 RETURN t0.`title` AS c0"].assert_eq(&text("single", (4, 4)));
    expect![
        "This source cannot do this yet: a number of different rows on this version of the server."
    ]
    .assert_eq(&text("counts", (4, 4)));
    expect!["This source cannot do this yet: an aggregate filter on this version of the server."]
        .assert_eq(&text("values of nodes once, of relationships each", (5, 5)));
}
