//! What is different in version 3.

use super::*;
use crate::model::{Constant, FieldOffers, Limit, Made, Offers, QueryDirection, Target};

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

fn v3(text: &str) -> Model {
    model(ApiVersion::V3, text)
}

#[track_caller]
fn refuse(text: &str, expected: &[&str]) {
    refuse_in(ApiVersion::V3, text, expected);
}

fn field(definition: &str) -> ModelField {
    let model = v3(&format!("type A {{ name: String {definition} }} enum E {{ X Y }}"));
    model.nodes[0].fields[1].clone()
}

#[test]
fn every_type_is_of_nodes_and_interfaces_are_of_properties() {
    let model = v3(MOVIES);
    assert_eq!(model.nodes.len(), 2);
    assert_eq!((model.interfaces.len(), names(&model.properties[0].fields)), (0, vec!["role"]));
    let director = way(&model.nodes[0].fields[6]);
    assert!(!director.is_list && !director.is_required);
    assert_eq!(director.target, Target::Node(1));
    assert!(property(&model.nodes[0].fields[0]).is_unique);
}

#[test]
fn an_interface_that_a_relationship_names_is_of_properties() {
    let model =
        v3("type A { as: [A!]! @relationship(type: \"T\", direction: IN, properties: \"P\") } \
         interface P { a: Int }");
    assert_eq!((model.properties.len(), model.interfaces.len()), (1, 0));
}

#[test]
fn labels_and_plurals_are_said_in_older_ways_too() {
    let node = |directive: &str| v3(&format!("type A {directive} {{ a: Int }}")).nodes[0].clone();
    assert_eq!(labels(&node("")), ["A"]);
    assert_eq!(labels(&node("@node(label: \"B\")")), ["B"]);
    assert_eq!(labels(&node("@node(additionalLabels: [\"B\", \"C\"])")), ["A", "B", "C"]);
    assert_eq!(labels(&node("@node(label: \"D\", labels: [\"B\"])")), ["B"]);
    assert_eq!(node("@node(plural: \"aaa\")").plural.as_deref(), Some("aaa"));
    let both = node("@node(plural: \"aaa\") @plural(value: \"bbb\")");
    assert_eq!(both.plural.as_deref(), Some("bbb"));
}

#[test]
fn ids_say_what_they_are() {
    let id = |definition: &str| {
        let field = field(definition);
        let property = property(&field);
        (property.made, property.is_unique, property.is_relay_id)
    };
    assert_eq!(id("a: ID @id"), (Some(Made::Id), true, false));
    assert_eq!(id("a: Int @id(autogenerate: false)"), (None, true, false));
    assert_eq!(id("a: ID @id(unique: false)"), (Some(Made::Id), false, false));
    assert_eq!(id("a: ID! @id(global: true)"), (Some(Made::Id), true, true));
    assert_eq!(id("a: String @unique(constraintName: \"c\")"), (None, true, false));
    assert_eq!(id("a: String"), (None, false, false));
    let named = |definition: &str| property(&field(definition)).constraint.clone();
    assert_eq!(named("a: String @unique(constraintName: \"c\")").as_deref(), Some("c"));
    assert_eq!(named("a: String @unique"), None);
}

#[test]
fn fields_stand_where_they_say() {
    let offers = |directive: &str| field(&format!("a: Int {directive}")).offers;
    let all = FieldOffers::ALL;
    assert_eq!(offers("@readonly"), FieldOffers { on_update: false, ..all });
    assert_eq!(offers("@writeonly"), FieldOffers { on_read: false, ..all });
    let private = offers("@private");
    assert!(!private.on_read && !private.by_value && !private.on_create && !private.sortable);
}

#[test]
fn types_offer_what_they_do_not_exclude() {
    let offers = |text: &str| v3(text).nodes[0].offers;
    let all = Offers::default();
    assert_eq!(
        offers("type A @exclude(operations: [READ, DELETE]) { a: Int }"),
        Offers { read: false, connection: false, aggregate: false, delete: false, ..all }
    );
    let none = offers("type A @exclude { a: Int }");
    assert!(!none.read && !none.create && !none.update && !none.delete);
    assert_eq!(
        offers(
            "type A implements I { a: Int } interface I @exclude(operations: [UPDATE]) { a: Int }"
        ),
        Offers { update: false, ..all }
    );
    assert_eq!(offers("type A @query(read: true, aggregate: true) { a: Int }"), all);
}

#[test]
fn plurals_may_clash() {
    let model = v3("type Movie { a: Int } type Movies { a: Int }");
    assert_eq!(model.nodes.len(), 2);
}

#[test]
fn limits_are_options_of_queries() {
    let model = v3("type A @queryOptions(limit: {default: 10, max: 100}) { a: Int }");
    assert_eq!(model.nodes[0].limit, Limit { default: Some(10), max: Some(100) });
}

#[test]
fn relationships_say_how_they_are_followed() {
    let direction = |said: &str| {
        let text = format!("as: [A!]! @relationship(type: \"T\", direction: OUT{said})");
        way(&field(&text)).query_direction
    };
    assert_eq!(direction(""), QueryDirection::Directed);
    assert_eq!(direction(", queryDirection: DEFAULT_DIRECTED"), QueryDirection::Directed);
    assert_eq!(
        direction(", queryDirection: DEFAULT_UNDIRECTED"),
        QueryDirection::UndirectedByDefault
    );
    assert_eq!(direction(", queryDirection: DIRECTED_ONLY"), QueryDirection::DirectedOnly);
    assert_eq!(direction(", queryDirection: UNDIRECTED_ONLY"), QueryDirection::UndirectedOnly);
}

#[test]
fn a_type_has_the_directives_of_its_interfaces_fields() {
    let model = v3(
        "interface I { a: Int @alias(property: \"x\") @readonly as: [A!]! @relationship(type: \"T\", direction: IN) }\n\
         interface J { a: Int @alias(property: \"y\") }\n\
         type A implements J & I { a: Int @alias(property: \"z\") as: [A!]! }\n\
         type B implements J & I { a: Int as: [A!]! @relationship(type: \"S\", direction: OUT) }",
    );
    let (a, b) = (&model.nodes[0], &model.nodes[1]);
    assert_eq!((&*a.fields[0].property, a.fields[0].offers.on_update), ("z", false));
    assert_eq!(&*way(&a.fields[1]).r#type, "T");
    // The first interface of the definitions counts, whatever the type says first.
    assert_eq!(&*b.fields[0].property, "x");
    assert_eq!(&*way(&b.fields[1]).r#type, "S");
    let declared = way(&model.interfaces[0].fields[1]);
    assert_eq!((&*declared.r#type, declared.is_declared), ("T", false));
}

#[test]
fn constants_are_stricter() {
    let default = |definition: &str| property(&field(definition)).default.clone();
    assert_eq!(default("a: Float @default(value: 1.0)"), Some(Constant::Float("1.0".into())));
    assert_eq!(
        default("a: [E!] @default(value: [X])"),
        Some(Constant::List(vec![Constant::Enum("X".into())]))
    );
    refuse(
        "type A { a: Float @default(value: 1) b: [Int] @default(value: [1]) c: BigInt @default(value: 1) }",
        &[
            "line 1: A.a: `@default(value:)` is a number with a fraction",
            "line 1: A.b: `@default` says lists of enums only",
            "line 1: A.c: `@default` cannot say values of its type",
        ],
    );
}

#[test]
fn lists_may_hold_nulls() {
    let field = field("a: [String]");
    let property = property(&field);
    assert!(property.is_list && !property.are_elements_required);
}

#[test]
fn what_form_3_refuses() {
    refuse(
        "type A { a: Int @unique @id as: [A] @relationship(type: \"T\", direction: IN) b: A }",
        &[
            "line 1: A.a: `@id` and `@unique` exclude each other: leave one out",
            "line 1: A.as: a relationship leads to lists without nulls: write `[A!]!`",
            "line 1: A.b: a field of `A` that is no relationship needs a function in JavaScript, and none \
             runs here; instead, add `@relationship(type:, direction:)`",
        ],
    );
    refuse(
        "type A @exclude @query { a: Int @private }",
        &[
            "line 1: A: `@exclude` and `@query` exclude each other: leave one out",
            "line 1: A: all of its fields are `@private`: it wants one that is not",
        ],
    );
    refuse(
        "type A { a: Int @relayId b: ID @id(global: true, unique: false) }",
        &[
            "line 1: A.a: `@relayId` is of form 7; in form 3 there is `@id(global: true)`",
            "line 1: A.b: a global id is unique: leave `unique: false` out",
        ],
    );
    refuse(
        "type A @relationshipProperties { a: Int }",
        &["line 1: A: `@relationshipProperties` belongs to an interface, not to a type"],
    );
    refuse(
        "interface I @exclude { a: Int } type A implements I @query { a: Int }",
        &["line 1: A: it has `@exclude` from `I`, which excludes `@query` and `@mutation`"],
    );
    refuse(
        "interface I @exclude { a: Int } interface J @exclude { a: Int } \
         type A implements I & J { a: Int }",
        &["line 1: A: `I` and `J` both have `@exclude`: say which holds by one of its own"],
    );
    refuse(
        "type A { a: Int @computed(from: [\"b\"]) } type B { a: Int }",
        &["line 1: A.a: `@computed` needs a function in JavaScript, and none runs here; \
             instead, keep the value as a property, or let a gateway or the client compute it"],
    );
    refuse("", &["line 1: the schema: nothing is a type of nodes: define a `type`"]);
}

#[test]
fn a_whole_schema_of_form_3_is_read() {
    let model = v3(
        "interface Production { title: String! actors: [Actor!]! @relationship(type:\"ACTED_IN\", direction: IN, properties:\"Props\") }\n\
         interface Props @relationshipProperties { role: String }\n\
         type Film implements Production @fulltext(indexes:[{indexName:\"filmTitle\", fields:[\"title\"]}]) { title: String! runtime: Int! actors: [Actor!]! n: Int @cypher(statement:\"RETURN 1 AS n\", columnName:\"n\") loc: Point createdAt: DateTime! @timestamp(operations:[CREATE]) flag: Boolean @default(value: true) mood: Mood alias: String @alias(property:\"dbAlias\") ro: String @readonly wo: String @writeonly priv: String @private }\n\
         type Series implements Production { title: String! episodes: Int actors: [Actor!]! }\n\
         enum Mood { SAD OK }\n\
         union Thing = Film | Series\n\
         type Actor @plural(value:\"thespians\") { gid: ID! @id(global: true) name: String! @unique things: [Thing!]! @relationship(type:\"LIKES\", direction: OUT) productions: [Production!]! @relationship(type:\"ACTED_IN\", direction: OUT, properties:\"Props\") }",
    );
    assert_eq!((model.nodes.len(), model.interfaces.len(), model.unions.len()), (3, 1, 1));
}
