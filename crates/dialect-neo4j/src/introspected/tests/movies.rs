//! A graph of movies and of those who made them.

use catalog::GraphValue::{Integer, Text, WideInteger};
use expect_test::expect;

use super::*;

fn movies() -> GraphSummary {
    let person = || vec![always("name", Text), sometimes("born", Integer)];
    let acted = vec![list("roles", Text), sometimes("earnings", WideInteger)];
    GraphSummary {
        nodes: vec![
            nodes(
                "Movie",
                38,
                vec![
                    always("released", Integer),
                    sometimes("tagline", Text),
                    always("title", Text),
                    always("imdbId", Text),
                    sometimes("plotEmbedding", Text),
                ],
            ),
            nodes("Person", 90, person()),
            nodes("Actor:Person", 30, person()),
            nodes("Actor:Director:Person", 3, vec![always("name", Text), always("born", Integer)]),
            nodes("Genre", 5, vec![always("name", Text)]),
        ],
        relationships: vec![
            relationships("ACTED_IN", acted),
            relationships("DIRECTED", Vec::new()),
            relationships("REVIEWED", vec![always("rating", Integer), always("summary", Text)]),
        ],
        triples: vec![
            triple("Actor:Person", "ACTED_IN", "Movie"),
            triple("Actor:Director:Person", "ACTED_IN", "Movie"),
            triple("Actor:Director:Person", "DIRECTED", "Movie"),
            triple("Person", "REVIEWED", "Movie"),
            triple("Person", "FOLLOWS", "Person"),
            triple("Actor:Person", "FOLLOWS", "Person"),
            triple("Movie", "HAS_GENRE", "Genre"),
        ],
        degrees: vec![
            degree("Movie", "HAS_GENRE", End::From, 38, 1),
            degree("Genre", "HAS_GENRE", End::To, 5, 12),
            // Too few to say anything.
            degree("Actor:Director:Person", "DIRECTED", End::From, 3, 1),
        ],
        constraints: vec![
            constraint("movie_id", "Movie", &["imdbId"], GraphConstraintKind::Unique),
            constraint("genre_name", "Genre", &["name"], GraphConstraintKind::Key),
            constraint("person", "Person", &["name", "born"], GraphConstraintKind::Unique),
        ],
        indexes: vec![
            index("titles", "Movie", &["title", "tagline"], GraphIndexKind::Fulltext),
            index("names", "Person:Genre", &["name", "born"], GraphIndexKind::Fulltext),
            index("released", "Movie", &["released"], GraphIndexKind::Range),
        ],
        ..GraphSummary::default()
    }
}

#[test]
fn movies_in_the_form_of_version_7() {
    check(
        &movies(),
        ApiVersion::V7,
        &expect![[r##"
            # Unique together: "name", "born".
            type Actor @node(labels: ["Actor", "Person"]) {
              born: Int
              name: String!
              actedInMovies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedInProperties")
              followsPeople: [Person!]! @relationship(type: "FOLLOWS", direction: OUT)
            }

            # Unique together: "name", "born".
            type Director @node(labels: ["Director", "Actor", "Person"]) {
              born: Int!
              name: String!
              actedInMovies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedInProperties")
              directedMovies: [Movie!]! @relationship(type: "DIRECTED", direction: OUT)
            }

            type Genre @node @fulltext(indexes: [{ indexName: "names", queryName: "searchGenres", fields: ["name"] }]) {
              # Unique.
              name: String!
              moviesHasGenre: [Movie!]! @relationship(type: "HAS_GENRE", direction: IN)
            }

            type Movie @node @fulltext(indexes: [{ indexName: "titles", queryName: "searchMovies", fields: ["title", "tagline"] }]) {
              # Unique.
              imdbId: ID!
              plotEmbedding: String
              released: Int!
              tagline: String
              title: String!
              actorsActedIn: [Actor!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedInProperties")
              directorsDirected: [Director!]! @relationship(type: "DIRECTED", direction: IN)
              # One at most.
              hasGenres: [Genre!]! @relationship(type: "HAS_GENRE", direction: OUT)
              peopleReviewed: [Person!]! @relationship(type: "REVIEWED", direction: IN, properties: "ReviewedProperties")
            }

            # Unique together: "name", "born".
            type Person @node @fulltext(indexes: [{ indexName: "names", queryName: "searchPeople", fields: ["name"] }]) {
              born: Int
              name: String!
              followsPeople: [Person!]! @relationship(type: "FOLLOWS", direction: OUT)
              peopleFollows: [Person!]! @relationship(type: "FOLLOWS", direction: IN)
              reviewedMovies: [Movie!]! @relationship(type: "REVIEWED", direction: OUT, properties: "ReviewedProperties")
            }

            type ActedInProperties @relationshipProperties {
              earnings: BigInt
              roles: [String!]!
            }

            type ReviewedProperties @relationshipProperties {
              rating: Int!
              summary: String!
            }
        "##]],
    );
}

#[test]
fn movies_in_the_form_of_version_3() {
    check(
        &movies(),
        ApiVersion::V3,
        &expect![[r##"
            # Unique together: "name", "born".
            type Actor @node(labels: ["Actor", "Person"]) {
              born: Int
              name: String!
              actedInMovies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedInProperties")
              followsPeople: [Person!]! @relationship(type: "FOLLOWS", direction: OUT)
            }

            # Unique together: "name", "born".
            type Director @node(labels: ["Director", "Actor", "Person"]) {
              born: Int!
              name: String!
              actedInMovies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedInProperties")
              directedMovies: [Movie!]! @relationship(type: "DIRECTED", direction: OUT)
            }

            type Genre @fulltext(indexes: [{ indexName: "names", queryName: "searchGenres", fields: ["name"] }]) {
              name: String! @unique
              moviesHasGenre: [Movie!]! @relationship(type: "HAS_GENRE", direction: IN)
            }

            type Movie @fulltext(indexes: [{ indexName: "titles", queryName: "searchMovies", fields: ["title", "tagline"] }]) {
              imdbId: ID! @unique
              plotEmbedding: String
              released: Int!
              tagline: String
              title: String!
              actorsActedIn: [Actor!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedInProperties")
              directorsDirected: [Director!]! @relationship(type: "DIRECTED", direction: IN)
              hasGenre: Genre @relationship(type: "HAS_GENRE", direction: OUT)
              peopleReviewed: [Person!]! @relationship(type: "REVIEWED", direction: IN, properties: "ReviewedProperties")
            }

            # Unique together: "name", "born".
            type Person @fulltext(indexes: [{ indexName: "names", queryName: "searchPeople", fields: ["name"] }]) {
              born: Int
              name: String!
              followsPeople: [Person!]! @relationship(type: "FOLLOWS", direction: OUT)
              peopleFollows: [Person!]! @relationship(type: "FOLLOWS", direction: IN)
              reviewedMovies: [Movie!]! @relationship(type: "REVIEWED", direction: OUT, properties: "ReviewedProperties")
            }

            interface ActedInProperties @relationshipProperties {
              earnings: BigInt
              roles: [String!]!
            }

            interface ReviewedProperties @relationshipProperties {
              rating: Int!
              summary: String!
            }
        "##]],
    );
}
