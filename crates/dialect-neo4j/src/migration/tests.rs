use catalog::GraphConstraintKind;

use super::*;
use crate::model::{FieldOffers, Property, PropertyType};

fn field(name: &str, property: &str, is_unique: bool) -> ModelField {
    let kind = FieldKind::Property(Property {
        r#type: PropertyType::String,
        is_list: false,
        is_required: true,
        are_elements_required: false,
        made: None,
        is_unique,
        constraint: None,
        is_relay_id: false,
        default: None,
        coalesce: None,
    });
    ModelField {
        name: name.into(),
        description: None,
        property: property.into(),
        kind,
        offers: FieldOffers::ALL,
        deprecated: None,
        line: 1,
    }
}

fn node(name: &str, labels: &[&str], fields: Vec<ModelField>) -> NodeType {
    let labels = labels.iter().map(|&label| label.into()).collect();
    NodeType { name: name.into(), labels, fields, ..NodeType::default() }
}

fn movie(fulltext: &[(&str, &[&str])]) -> Model {
    let fields = vec![field("id", "movie-id", true), field("title", "title", false)];
    let fulltext = fulltext.iter().map(|(index, fields)| FulltextIndex {
        index: (*index).into(),
        query: None,
        fields: fields.iter().map(|&field| field.into()).collect(),
    });
    let movie =
        NodeType { fulltext: fulltext.collect(), ..node("Movie", &["Film", "Thing"], fields) };
    Model { nodes: vec![movie], ..Model::default() }
}

fn constraint(name: &str, label: &str, properties: &[&str]) -> GraphConstraint {
    GraphConstraint {
        name: name.into(),
        of: GraphPart::Nodes(vec![label.into()]),
        properties: properties.iter().map(|&property| property.into()).collect(),
        kind: GraphConstraintKind::Unique,
    }
}

fn index(name: &str, label: &str, property: &str, kind: GraphIndexKind) -> GraphIndex {
    let of = GraphPart::Nodes(vec![label.into()]);
    GraphIndex { name: name.into(), of, properties: vec![property.into()], kind }
}

fn check(
    model: &Model,
    constraints: &[GraphConstraint],
    indexes: &[GraphIndex],
    expected: &[&str],
) {
    let Migration { changes, present, obstacles } = migration(model, constraints, indexes);
    let changes = changes.into_iter().map(|Wanted { subject, change }| match change {
        GraphChange::CreateUnique { name, label, property } => {
            format!("{subject}: unique {name} {label} {property}")
        }
        GraphChange::CreateFulltext { name, label, properties } => {
            format!("{subject}: fulltext {name} {label} {}", properties.join("+"))
        }
        GraphChange::CreateVector { name, label, property } => {
            format!("{subject}: vector {name} {label} {property}")
        }
    });
    let present = present.into_iter().map(|Found { subject, kind, name }| {
        format!("{subject}: {} {name} is there", kind.label())
    });
    let obstacles = obstacles.into_iter().map(|note| format!("{}: {}", note.subject, note.message));
    let found: Vec<String> = changes.chain(present).chain(obstacles).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_unique_wants_a_constraint_by_the_name_of_its_property() {
    let wanted = "Movie.id: unique Movie_id Film movie-id";
    check(&movie(&[]), &[], &[], &[wanted]);
    // One of another label of the type will do.
    let other_label = constraint("c", "Thing", &["movie-id"]);
    check(&movie(&[]), &[other_label], &[], &["Movie.id: constraint c is there"]);
    check(&movie(&[]), &[constraint("c", "Other", &["movie-id"])], &[], &[wanted]);
    check(&movie(&[]), &[constraint("c", "Film", &["movie-id", "title"])], &[], &[wanted]);
    let taken = constraint("Movie_id", "Other", &["x"]);
    check(&movie(&[]), &[taken], &[], &["Movie.id: unique Movie_id_2 Film movie-id"]);
}

#[test]
fn a_constraint_has_the_name_that_is_said() {
    let mut id = field("id", "id", true);
    if let FieldKind::Property(property) = &mut id.kind {
        property.constraint = Some("own".into());
    }
    let model = Model { nodes: vec![node("A", &["A"], vec![id])], ..Model::default() };
    check(&model, &[], &[], &["A.id: unique own A id"]);
    check(
        &model,
        &[constraint("own", "B", &["id"])],
        &[],
        &["A.id: something else in the graph is called \"own\"."],
    );
    // Whatever the name of the one that is there.
    check(&model, &[constraint("c", "A", &["id"])], &[], &["A.id: constraint c is there"]);
}

#[test]
fn types_of_one_label_want_one_constraint() {
    let id = || vec![field("id", "id", true)];
    let nodes =
        vec![node("A", &["L"], id()), node("B", &["L"], id()), node("C", &["C", "L"], id())];
    let model = Model { nodes, ..Model::default() };
    check(&model, &[], &[], &["A.id: unique A_id L id"]);
}

#[test]
fn an_index_stands_in_the_way_of_a_constraint() {
    let found = index("i", "Film", "movie-id", GraphIndexKind::Range);
    check(
        &movie(&[]),
        &[],
        &[found],
        &[
            "Movie.id: it is to be unique, but the index \"i\" over it does not let a constraint be \
           made.",
        ],
    );
    // Not that of the constraint of another label.
    let other = index("i", "Thing", "movie-id", GraphIndexKind::Range);
    check(&movie(&[]), &[], &[other], &["Movie.id: unique Movie_id Film movie-id"]);
}

#[test]
fn a_search_wants_its_index() {
    let model = movie(&[("titles", &["title", "id"])]);
    let check_index = |found: Option<GraphIndex>, expected: &str| {
        let unique = constraint("c", "Film", &["movie-id"]);
        let indexes: Vec<GraphIndex> = found.into_iter().collect();
        let mut all = vec!["Movie.id: constraint c is there"];
        let is_change = expected.contains(": fulltext ");
        all.insert(if is_change { 0 } else { 1 }, expected);
        check(&model, &[unique], &indexes, &all);
    };
    check_index(None, "Movie.titles: fulltext titles Film title+movie-id");
    let found = GraphIndex {
        properties: vec!["movie-id".into(), "title".into(), "more".into()],
        ..index("titles", "Film", "", GraphIndexKind::Fulltext)
    };
    check_index(Some(found), "Movie.titles: full-text index titles is there");
    let part = index("titles", "Film", "title", GraphIndexKind::Fulltext);
    check_index(Some(part), "Movie.titles: the index is there, and not over all of these fields.");
    let other = index("titles", "Film", "title", GraphIndexKind::Range);
    check_index(
        Some(other),
        "Movie.titles: an index of this name is there, and no full-text index of these nodes.",
    );
    let taken = constraint("titles", "Film", &["movie-id"]);
    check(
        &model,
        &[taken],
        &[],
        &[
            "Movie.id: constraint titles is there",
            "Movie.titles: a constraint has the name of its full-text index.",
        ],
    );
}

#[test]
fn an_index_that_is_the_same_by_another_name_is_in_the_way() {
    let constraint = constraint("c", "Film", &["movie-id"]);
    let model = movie(&[("titles", &["title", "id"]), ("again", &["title", "id"])]);
    let fulltext = |name: &str, label: &str, properties: &[&str]| GraphIndex {
        properties: properties.iter().map(|&property| property.into()).collect(),
        ..index(name, label, "", GraphIndexKind::Fulltext)
    };
    let check_indexes = |indexes: &[GraphIndex], expected: &[&str]| {
        let found = "Movie.id: constraint c is there";
        let place = expected.iter().filter(|line| line.contains(": fulltext ")).count();
        let mut all = expected.to_vec();
        all.insert(place, found);
        check(&model, std::slice::from_ref(&constraint), indexes, &all);
    };
    let planned = "Movie.again: the full-text index \"titles\" is to be made over the same fields, \
                   and a graph has no second one.";
    let made = "Movie.titles: fulltext titles Film title+movie-id";
    check_indexes(&[], &[made, planned]);
    // Those over the same fields in another order, or of other labels, are others to the database.
    let others = [
        fulltext("x", "Film", &["movie-id", "title"]),
        fulltext("y", "Thing", &["title", "movie-id"]),
        index("z", "Film", "title", GraphIndexKind::Range),
    ];
    check_indexes(&others, &[made, planned]);
    let like = "the full-text index \"x\" is over the same fields, and a graph has no second one.";
    check_indexes(
        &[fulltext("x", "Film", &["title", "movie-id"])],
        &[&format!("Movie.titles: {like}"), &format!("Movie.again: {like}")],
    );
    // One of the two may be there.
    check(
        &movie(&[("again", &["title", "id"])]),
        std::slice::from_ref(&constraint),
        &[fulltext("again", "Film", &["title", "movie-id"])],
        &["Movie.id: constraint c is there", "Movie.again: full-text index again is there"],
    );
}

#[test]
fn nothing_is_made_for_labels_that_only_claims_say() {
    let claimed = |labels: &[&str]| {
        let mut model = movie(&[("titles", &["title"])]);
        model.nodes[0].labels = labels.iter().map(|&label| label.into()).collect();
        model.nodes[0].claimed_labels = vec!["tenant".into()];
        model
    };
    let told = "its nodes have no label but those that claims say.";
    let expected = [format!("Movie.id: {told}"), format!("Movie.titles: {told}")];
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(&claimed(&[]), &[], &[], &expected);
    let expected =
        ["Movie.id: unique Movie_id Film movie-id", "Movie.titles: fulltext titles Film title"];
    check(&claimed(&["Film"]), &[], &[], &expected);
}

#[test]
fn a_search_by_vectors_wants_its_index() {
    let near = VectorIndex { index: "near".into(), query: "near".into(), property: "e".into() };
    let film = NodeType { vector: vec![near], ..node("Film", &["Film"], Vec::new()) };
    let model = Model { nodes: vec![film], ..Model::default() };
    check(&model, &[], &[], &["Film.near: vector near Film e"]);
    let vector = || GraphIndexKind::Vector { dimensions: Some(2), similarity: None };
    let there = index("near", "Film", "e", vector());
    check(&model, &[], &[there], &["Film.near: vector index near is there"]);
    let other = index("near", "Film", "f", vector());
    let message = "Film.near: the index is there, and not over all of these fields.";
    check(&model, &[], &[other], &[message]);
    let like = index("nearer", "Film", "e", vector());
    let message = "Film.near: the vector index \"nearer\" is over the same fields, and a graph has no second one.";
    check(&model, &[], &[like], &[message]);
    let fulltext = index("near", "Film", "e", GraphIndexKind::Fulltext);
    let message = "Film.near: an index of this name is there, and no vector index of these nodes.";
    check(&model, &[], &[fulltext], &[message]);
}
