#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod abstract_changes;
mod changes;
mod reads;
mod schema;
mod several;
mod statements;

use catalog::{Builder, Capabilities, Catalog};
use expect_test::Expect;
use graphql::variables::Steering;
use graphql::{DocumentLimits, Request, Validator, coerce_variable_values};

use super::{Options, api};
use crate::model::ApiVersion;
use crate::{catalog as declared, definitions};
use api::Api;
use lowering::{Introspection, Lowered, lower};

/// Films, people who play in them and one who directs them, with properties of the one
/// relationship.
const MOVIES: &str = r#"
    type Movie {
        id: ID @id
        title: String!
        released: Int
        rating: Float
        tags: [String!]
        actors: [Person!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedIn")
        director: Person @relationship(type: "DIRECTED", direction: IN)
    }
    type Person {
        name: String!
        born: DateTime
        active: Boolean
        movies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedIn")
    }
    interface ActedIn @relationshipProperties { role: String! }
"#;

/// Full-text indexes, of a type whose lists are not shown too.
const SEARCHES: &str = r#"
    type Book
      @queryOptions(limit: { default: 2, max: 5 })
      @fulltext(
        indexes: [
          { indexName: "bookWords", queryName: "searchBooks", fields: ["title", "blurb"] }
          { name: "titles", fields: ["title"] }
        ]
      ) {
      title: String!
      blurb: String @alias(property: "back_cover")
      pages: Int
      authors: [old_author!]! @relationship(type: "WROTE", direction: IN)
    }
    type old_author
      @exclude(operations: [READ])
      @subscription(operations: [CREATE])
      @fulltext(indexes: [{ indexName: "names", fields: ["name"] }]) {
      name: ID!
    }
"#;

/// Everything else that definitions can say, as far as it is served.
const LARGE: &str = r#"
    interface Production {
        title: String!
        actors: [Actor!]! @relationship(type: "ACTED_IN", direction: IN, properties: "Props")
    }
    interface Props @relationshipProperties { role: String }
    type Film implements Production {
        title: String!
        runtime: Int!
        actors: [Actor!]!
        loc: Point
        cart: CartesianPoint
        dur: Duration
        big: BigInt
        d: Date
        t: Time
        lt: LocalTime
        ldt: LocalDateTime
        createdAt: DateTime! @timestamp(operations: [CREATE])
        flag: Boolean @default(value: true)
        mood: Mood
        alias: String @alias(property: "dbAlias")
        ro: String @readonly
        wo: String @writeonly
        priv: String @private
    }
    type Series implements Production { title: String! episodes: Int actors: [Actor!]! }
    enum Mood { SAD OK }
    union Thing = Film | Series
    type Actor @plural(value: "thespians") {
        name: String! @unique
        things: [Thing!]! @relationship(type: "LIKES", direction: OUT)
        productions: [Production!]!
            @relationship(type: "ACTED_IN", direction: OUT, properties: "Props")
    }
"#;

/// The API of type definitions, and what they say that the source holds.
fn made(definitions: &str, options: &Options) -> (Api, Catalog) {
    let model = definitions::read(definitions, ApiVersion::V3).unwrap();
    let mut catalog = Builder::new(Capabilities::default()).finish();
    let placed = declared::declare(&mut catalog, &model);
    let api = api(&model, &placed, options);
    assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
    assert_eq!(::api::check::misbound(&api), []);
    (api, catalog)
}

/// What an operation on the films becomes, and what is refused of it.
fn check(document: &str, expect: &Expect) {
    check_of(MOVIES, document, expect);
}

fn check_of(definitions: &str, document: &str, expect: &Expect) {
    let (api, catalog) = made(definitions, &Options::default());
    let Lowered { request, shape, .. } = lowered(&api, document);
    let mut text = ir::print(&request, &catalog);
    for node in &shape.nodes {
        if let response::Node::Refused(message) = node {
            text.push_str(&format!("refused {message}\n"));
        }
    }
    expect.assert_eq(&text);
}

/// An operation on the films that is refused as a whole, and what is said of it.
fn check_refused(document: &str, told: &str) {
    let (api, _) = made(MOVIES, &Options::default());
    let shape = lowered(&api, document).shape;
    let is_told =
        |node: &response::Node| matches!(node, response::Node::Refused(text) if **text == *told);
    assert!(shape.nodes.iter().any(is_told), "{:?}", shape.nodes);
}

fn lowered(api: &Api, document: &str) -> Lowered {
    let request = format!("{{\"query\": {document:?}}}");
    let request = Request::from_json(request.as_bytes()).unwrap();
    let validator = Validator::new(&api.schema);
    let limits = DocumentLimits::default();
    let operation = validator.operation(&api.schema, document, None, &limits).unwrap();
    let values = coerce_variable_values(&api.schema, &operation, &request.variables).unwrap();
    lower(api, &operation, Steering::new(&values), &Introspection::new(), 1_000).unwrap()
}
