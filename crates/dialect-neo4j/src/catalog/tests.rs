use super::*;
use crate::definitions::read;
use crate::model::ApiVersion;

fn declared(version: ApiVersion, text: &str) -> (Catalog, Placed) {
    let model = read(text, version).unwrap_or_else(|problems| panic!("{problems:?}"));
    let mut catalog = Catalog::default();
    let placed = declare(&mut catalog, &model);
    (catalog, placed)
}

fn paths(placed: &Placed, node: usize, field: usize) -> &[Path] {
    match &placed.nodes[node].fields[field] {
        PlacedField::Paths(paths) => paths,
        PlacedField::Property(id) => panic!("{id:?}"),
        PlacedField::Statement(statement) => panic!("{statement:?}"),
    }
}

/// A hop as one reads it.
fn hop(catalog: &Catalog, hop: Hop) -> String {
    let relationship = &catalog[hop.relationship];
    let name = |entity: EntityId| &*catalog[entity].name;
    let edge = relationship.edge.map_or("", |edge| name(edge));
    let along = match hop.direction {
        HopDirection::Forward => "along",
        HopDirection::Backward => "back along",
    };
    let undirected = match relationship.kind {
        catalog::RelationshipKind::Graph { undirected } => undirected,
        catalog::RelationshipKind::ForeignKey => panic!("{relationship:?}"),
    };
    let undirected = if undirected { " undirected" } else { "" };
    let (from, to) = (name(relationship.from), name(relationship.to));
    format!("{along}{undirected} ({from})-[{} {edge}]->({to})", relationship.name)
}

const MOVIES: &str = r#"
type Movie @node(labels: ["Film", "Work"]) {
  id: ID! @id
  title: String! @alias(property: "name")
  tags: [Mood!]
  other: String @alias(property: "name")
  number: Int @alias(property: "name")
  actors: [Person!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedIn")
  directors: [Person!]! @relationship(type: "DIRECTED", direction: IN)
}
type Person @node {
  movies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedIn")
  plain: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT) @deprecated
  friends: [Person!]! @relationship(type: "KNOWS", direction: OUT, queryDirection: UNDIRECTED)
}
type ActedIn @relationshipProperties { role: String since: Date @alias(property: "from") }
enum Mood { SAD OK }
"#;

#[test]
fn nodes_are_entities_with_labels_and_properties() {
    let (catalog, placed) = declared(ApiVersion::V7, MOVIES);
    let movie = &catalog[placed.nodes[0].entity];
    let labels: Vec<&str> = movie.labels.iter().map(|label| &**label).collect();
    assert_eq!(
        (&*movie.name, movie.kind, labels),
        ("Movie", EntityKind::Node, vec!["Film", "Work"])
    );
    let fields: Vec<_> =
        catalog.fields_of(movie.id).map(|field| (&*field.name, field.r#type.clone())).collect();
    let text = Type::Scalar(Scalar::Text);
    assert_eq!(
        fields,
        [
            ("id", text.clone()),
            ("name", text),
            ("tags", Type::List(Box::new(Type::Enum(placed.enums[0])))),
            ("name", Type::Scalar(Scalar::Int32)),
        ]
    );
    // Two fields of one property and type are one.
    assert_eq!(placed.nodes[0].fields[1], placed.nodes[0].fields[3]);
    assert_ne!(placed.nodes[0].fields[1], placed.nodes[0].fields[4]);
    assert_eq!(movie.keys.len(), 1);
    assert!(!movie.keys[0].enforced);
    let labels: Vec<&str> =
        catalog[placed.enums[0]].labels.iter().map(|label| &*label.label).collect();
    assert_eq!(labels, ["SAD", "OK"]);
}

#[test]
fn properties_of_relationships_are_edges() {
    let (catalog, placed) = declared(ApiVersion::V7, MOVIES);
    let (edge, fields) = &placed.properties[0];
    assert_eq!((&*catalog[*edge].name, catalog[*edge].kind), ("ActedIn", EntityKind::Edge));
    let names: Vec<&str> = fields.iter().map(|field| &*catalog[*field].name).collect();
    assert_eq!(names, ["role", "from"]);
    assert!(!catalog.entities().any(|entity| entity.id == *edge), "no rows are stored in it");
}

#[test]
fn a_relationship_is_one_whichever_side_it_is_seen_from() {
    let (catalog, placed) = declared(ApiVersion::V7, MOVIES);
    let path = |node, field| paths(&placed, node, field)[0];
    assert_eq!(
        hop(&catalog, path(0, 5).written),
        "back along (Person)-[ACTED_IN ActedIn]->(Movie)"
    );
    assert_eq!(hop(&catalog, path(1, 0).written), "along (Person)-[ACTED_IN ActedIn]->(Movie)");
    assert_eq!(path(0, 5).written.relationship, path(1, 0).written.relationship);
    assert_eq!(path(0, 5).undirected.relationship, path(1, 0).undirected.relationship);
    // Without its properties it is another one.
    assert_eq!(hop(&catalog, path(1, 1).written), "along (Person)-[ACTED_IN ]->(Movie)");
    assert_eq!(path(0, 5).hop, path(0, 5).written);
    let friends = path(1, 2);
    assert_eq!(friends.hop, friends.undirected);
    assert_eq!(hop(&catalog, friends.hop), "along undirected (Person)-[KNOWS ]->(Person)");
}

#[test]
fn interfaces_and_unions_are_a_way_to_each_of_their_types() {
    let (catalog, placed) = declared(
        ApiVersion::V7,
        "interface I { a: Int } union U = C | B \
         type A @node { is: [I!]! @relationship(type: \"T\", direction: OUT) \
           us: [U!]! @relationship(type: \"T\", direction: IN) } \
         type B implements I @node { a: Int } type C implements I @node { a: Int }",
    );
    let to = |field| -> Vec<&str> {
        paths(&placed, 0, field).iter().map(|path| &*catalog[path.entity].name).collect()
    };
    assert_eq!(to(0), ["B", "C"]);
    assert_eq!(to(1), ["C", "B"]);
    assert_eq!(hop(&catalog, paths(&placed, 0, 1)[0].written), "back along (C)-[T ]->(A)");
}

#[test]
fn form_3_may_be_followed_undirected() {
    let (catalog, placed) = declared(
        ApiVersion::V3,
        "type A { a: A @relationship(type: \"T\", direction: IN, queryDirection: UNDIRECTED_ONLY) }",
    );
    let path = paths(&placed, 0, 0)[0];
    assert_eq!(hop(&catalog, path.hop), "back along undirected (A)-[T ]->(A)");
    assert_eq!(hop(&catalog, path.written), "back along (A)-[T ]->(A)");
}
