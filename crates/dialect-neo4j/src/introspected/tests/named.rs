//! Names that meet, and what is made of them.

use catalog::GraphValue::{Float, Integer, Text};
use expect_test::expect;

use super::*;

#[test]
fn labels_that_would_be_one_name_become_several() {
    let name = || vec![always("name", Text)];
    let summary = GraphSummary {
        nodes: vec![
            nodes("movie", 1, name()),
            nodes("Movie", 1, name()),
            nodes("MOVIE", 1, name()),
            nodes("Movies", 1, name()),
            nodes("MovieWhere", 1, name()),
            nodes("MoviesConnection", 1, name()),
            nodes("Query", 1, name()),
            nodes("__Query__", 1, name()),
            nodes("ActedInProperties", 1, name()),
        ],
        relationships: vec![
            relationships("ACTED_IN", vec![always("role", Text)]),
            relationships("acted-in", vec![always("role", Text)]),
        ],
        triples: vec![triple("Movie", "ACTED_IN", "Movie"), triple("Movie", "acted-in", "Movie")],
        ..GraphSummary::default()
    };
    check(
        &summary,
        ApiVersion::V7,
        &expect![[r#"
            type ActedInProperties @node {
              name: String!
            }

            type MOVIE @node @plural(value: "movies3") {
              name: String!
            }

            type Movie @node {
              name: String!
              actedInMovies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedInProperties2")
              actedInMovies2: [Movie!]! @relationship(type: "acted-in", direction: OUT, properties: "ActedInProperties3")
              moviesActedIn: [Movie!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedInProperties2")
              moviesActedIn2: [Movie!]! @relationship(type: "acted-in", direction: IN, properties: "ActedInProperties3")
            }

            type Movie2 @node(labels: ["movie"]) {
              name: String!
            }

            type MovieWhereEntity @node(labels: ["MovieWhere"]) {
              name: String!
            }

            type Movies @node @plural(value: "movies2") {
              name: String!
            }

            type MoviesConnectionEntity @node(labels: ["MoviesConnection"]) {
              name: String!
            }

            type QueryEntity @node(labels: ["Query"]) {
              name: String!
            }

            type QueryEntity2 @node(labels: ["__Query__"]) {
              name: String!
            }

            type ActedInProperties2 @relationshipProperties {
              role: String!
            }

            type ActedInProperties3 @relationshipProperties {
              role: String!
            }
        "#]],
    );
}

#[test]
fn fields_give_way_to_what_is_named_already() {
    let summary = GraphSummary {
        nodes: vec![nodes(
            "Person",
            1,
            vec![
                always("knowsPeople", Text),
                always("peopleLikesConnection", Text),
                always("first-name", Text),
                always("first name", Text),
                always("firstName", Text),
                always("AND", Text),
                always("firstName_NOT", Text),
                always("id", Text),
                always("userId", Text),
                always("number", Integer),
            ],
        )],
        triples: vec![triple("Person", "KNOWS", "Person"), triple("Person", "LIKES", "Person")],
        constraints: vec![
            constraint("a", "Person", &["id"], GraphConstraintKind::Unique),
            constraint("b", "Person", &["number"], GraphConstraintKind::Key),
        ],
        ..GraphSummary::default()
    };
    check(
        &summary,
        ApiVersion::V3,
        &expect![[r#"
        type Person {
          id: ID! @unique
          number: Int! @unique
          and: String! @alias(property: "AND")
          firstName: String!
          firstName2: String! @alias(property: "first name")
          firstName3: String! @alias(property: "first-name")
          firstNameNot: String! @alias(property: "firstName_NOT")
          knowsPeople: String!
          peopleLikesConnection: String!
          userId: String!
          knowsPeople2: [Person!]! @relationship(type: "KNOWS", direction: OUT)
          likesPeople: [Person!]! @relationship(type: "LIKES", direction: OUT)
          peopleKnows: [Person!]! @relationship(type: "KNOWS", direction: IN)
          peopleLikes2: [Person!]! @relationship(type: "LIKES", direction: IN)
        }
    "#]],
    );
}

#[test]
fn constraints_say_what_no_value_says() {
    let types = GraphConstraintKind::Types(vec![GraphType::scalar(Integer)]);
    let summary = GraphSummary {
        nodes: vec![
            nodes("Book:Thing", 2, vec![sometimes("title", Text)]),
            nodes("Author:Thing", 1, vec![always("name", Text)]),
        ],
        triples: vec![triple("Author:Thing", "WROTE", "Book:Thing")],
        constraints: vec![
            constraint("a", "Thing", &["title"], GraphConstraintKind::Exists),
            constraint("b", "Book", &["pages"], types.clone()),
            // What is stored wins.
            constraint("c", "Book", &["title"], types),
        ],
        ..GraphSummary::default()
    };
    check(
        &summary,
        ApiVersion::V7,
        &expect![[r#"
        type Author @node(labels: ["Author", "Thing"]) {
          name: String!
          wroteBooks: [Book!]! @relationship(type: "WROTE", direction: OUT)
        }

        type Book @node(labels: ["Book", "Thing"]) {
          pages: Int
          title: String!
          authorsWrote: [Author!]! @relationship(type: "WROTE", direction: IN)
        }

        type Thing @node {
          name: String
          title: String!
        }
    "#]],
    );
}

#[test]
fn indexes_of_one_type_are_told_apart() {
    let vector =
        || GraphIndexKind::Vector { dimensions: Some(3), similarity: Some("cosine".into()) };
    let summary = GraphSummary {
        nodes: vec![nodes(
            "Movie",
            1,
            vec![
                always("title", Text),
                always("plot", Text),
                list("embedding", Float),
                list("tags", Text),
            ],
        )],
        indexes: vec![
            index("titles", "Movie", &["title", "missing"], GraphIndexKind::Fulltext),
            index("plots", "Movie", &["plot"], GraphIndexKind::Fulltext),
            index("tags", "Movie", &["tags"], GraphIndexKind::Fulltext),
            index("near", "Movie", &["embedding"], vector()),
            index("near2", "Movie", &["title"], vector()),
        ],
        ..GraphSummary::default()
    };
    check(
        &summary,
        ApiVersion::V7,
        &expect![[r##"
        # Left out: the index "tags" of the label "Movie", over nothing that is a field.
        # Left out: the index "near2" of the label "Movie", over nothing that is a field.

        type Movie @node @fulltext(indexes: [{ indexName: "titles", queryName: "searchMoviesByTitles", fields: ["title"] }, { indexName: "plots", queryName: "searchMoviesByPlots", fields: ["plot"] }]) @vector(indexes: [{ indexName: "near", embeddingProperty: "embedding", queryName: "similarMovies" }]) {
          embedding: [Float!]!
          plot: String!
          tags: [String!]!
          title: String!
        }
        -- left out: tags: the index "tags" of the label "Movie", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
        -- left out: near2: the index "near2" of the label "Movie", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
    "##]],
    );
    check(
        &summary,
        ApiVersion::V3,
        &expect![[r##"
        # Left out: the index "tags" of the label "Movie", over nothing that is a field.
        # Left out: the index "near2" of the label "Movie", over nothing that is a field.

        # There is a vector index "near" over "embedding".
        type Movie @fulltext(indexes: [{ indexName: "titles", queryName: "searchMoviesByTitles", fields: ["title"] }, { indexName: "plots", queryName: "searchMoviesByPlots", fields: ["plot"] }]) {
          embedding: [Float!]!
          plot: String!
          tags: [String!]!
          title: String!
        }
        -- left out: tags: the index "tags" of the label "Movie", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
        -- left out: near2: the index "near2" of the label "Movie", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
    "##]],
    );
    check_with(
        &summary,
        ApiVersion::V7,
        Indexes::Comments,
        &expect![[r##"
        # Left out: the index "tags" of the label "Movie", over nothing that is a field.
        # Left out: the index "near2" of the label "Movie", over nothing that is a field.

        # There is a full-text index "titles" over "title", "missing".
        # There is a full-text index "plots" over "plot".
        # There is a vector index "near" over "embedding".
        type Movie @node {
          embedding: [Float!]!
          plot: String!
          tags: [String!]!
          title: String!
        }
        -- left out: tags: the index "tags" of the label "Movie", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
        -- left out: near2: the index "near2" of the label "Movie", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
    "##]],
    );
}
