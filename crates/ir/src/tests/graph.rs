//! Neo4j: relationships with properties, interfaces, statements of the author's own.

use ir::{
    Aggregate, AggregateFunction, AggregateTerm, Call, Case, Filter, Form, From, OutputId,
    OutputKind, Page, Rows, TextMatch, ValueRef, Variant,
};

use super::model::{
    Model, ascending, integer, limit, output, related, rows, snapshot, text, variable,
};

#[test]
fn actors_connection() {
    let movies = Model::new(
        "movie: id, title
         person: id, name, born
         acted_in: role
         person -[ACTED_IN]-> movie",
    );
    let property = movies.field("acted_in.role");
    let form = Form::Stored;
    let term = |id, function, place| AggregateTerm {
        id: OutputId(id),
        function,
        place,
        form,
        once: false,
    };
    let born = || Some(movies.place("person.born"));
    let aggregate = Aggregate {
        paged: false,
        group_by: vec![],
        having: None,
        terms: vec![
            term(6, AggregateFunction::DistinctCount, None),
            term(7, AggregateFunction::Count, None),
            term(8, AggregateFunction::Minimum, born()),
            term(9, AggregateFunction::Maximum, born()),
        ],
    };
    let actors = Rows {
        filter: Filter::Text {
            place: ValueRef::Edge(property),
            r#match: TextMatch::Includes,
            case: Case::AsTyped,
            operand: text("Neo"),
        },
        order: vec![ascending(ValueRef::Edge(property))],
        page: Page::Offset { limit: Some(integer(2)), offset: None, look_ahead: true },
        ..rows(
            1,
            From::Relation(movies.backward("person.ACTED_IN")),
            vec![
                output(2, OutputKind::Edge { field: property, form: Form::Stored }),
                movies.output(3, "person.name"),
                output(4, OutputKind::Count),
                output(5, OutputKind::Aggregate(aggregate)),
            ],
        )
    };
    movies.check(&snapshot(Rows {
        order: vec![movies.ascending("movie.title")],
        page: limit(integer(2)),
        ..rows(
            0,
            From::Entity(movies.entity("movie")),
            vec![movies.output(0, "movie.title"), related(1, &[], actors)],
        )
    }));
}

#[test]
fn productions() {
    let movies = Model::new(
        "film: id, title, runtime
         series: id, title, episodes",
    );
    let variant = |entity, title, outputs| Variant {
        entity: movies.entity(entity),
        hop: None,
        through: None,
        filter: Filter::all(),
        common: movies.fields(&[title]),
        outputs,
    };
    let variants = vec![
        variant("film", "film.title", vec![movies.output(2, "film.runtime")]),
        variant("series", "series.title", vec![movies.output(3, "series.episodes")]),
    ];
    movies.check(&snapshot(Rows {
        order: vec![ascending(ValueRef::Common(0))],
        page: limit(variable(0, "")),
        ..rows(
            0,
            From::Variants(variants),
            vec![
                output(0, OutputKind::Variant),
                output(1, OutputKind::Common { place: 0, form: Form::Stored }),
            ],
        )
    }));
}

#[test]
fn similar() {
    let movies = Model::new("movie: id, title\nMovie.similar(limit)");
    let call = Call {
        function: movies.function("Movie.similar"),
        of_row: Some(Vec::new()),
        arguments: vec![(0, variable(0, ""))],
    };
    let similar = rows(1, From::Function(call), vec![movies.output(2, "movie.title")]);
    movies.check(&snapshot(Rows {
        order: vec![movies.ascending("movie.title")],
        page: limit(integer(2)),
        ..rows(
            0,
            From::Entity(movies.entity("movie")),
            vec![movies.output(0, "movie.title"), related(1, &[], similar)],
        )
    }));
}
