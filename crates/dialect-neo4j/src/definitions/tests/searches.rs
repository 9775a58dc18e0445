//! Indexes by which nodes are searched for.

use super::*;
use crate::model::{FulltextIndex, VectorIndex};

fn indexes(said: &str) -> NodeType {
    let text = format!(
        "type Movie @node {said} {{ id: ID! title: String! tags: [String!] year: Int }}
         type Person @node {{ name: String }}"
    );
    v7(&text).nodes.swap_remove(0)
}

fn wrong(said: &str, expected: &str) {
    let text = format!(
        "type Movie @node {said} {{ id: ID! title: String! tags: [String!] year: Int }}
         type Person @node {{ name: String }}"
    );
    refuse(&text, &[&format!("line 1: Movie: {expected}")]);
}

fn fulltext(index: &str, query: &str, fields: &str) -> String {
    format!("{{ indexName: {index:?}, queryName: {query:?}, fields: {fields} }}")
}

#[test]
fn indexes_are_read_with_their_queries() {
    let titles = fulltext("titles", "byTitle", "[\"title\", \"id\"]");
    let ids = fulltext("i d", "_by1", "\"id\"");
    let vector = "{ indexName: \"v\", queryName: \"like\", embeddingProperty: \"em b\" }";
    let node =
        indexes(&format!("@fulltext(indexes: [{titles}, {ids}]) @vector(indexes: {vector})"));
    let index = |index: &str, query: &str, fields: &[&str]| FulltextIndex {
        index: index.into(),
        query: Some(query.into()),
        fields: fields.iter().map(|field| (*field).into()).collect(),
    };
    let expected = [index("titles", "byTitle", &["title", "id"]), index("i d", "_by1", &["id"])];
    assert_eq!(node.fulltext, expected);
    let vector = VectorIndex { index: "v".into(), query: "like".into(), property: "em b".into() };
    assert_eq!(node.vector, [vector]);
}

#[test]
fn fields_without_words_are_refused() {
    for field in ["tags", "year", "missing"] {
        wrong(
            &format!("@fulltext(indexes: [{}])", fulltext("i", "q", &format!("[{field:?}]"))),
            &format!(
                "the index \"i\" of `@fulltext` is over `{field}`, and that is no field of the \
                 type `String` or `ID`"
            ),
        );
    }
    wrong(
        &format!("@fulltext(indexes: [{}])", fulltext("i", "q", "[]")),
        "the index \"i\" of `@fulltext` is over no fields",
    );
}

#[test]
fn names_are_those_of_one_query() {
    let said =
        |query: &str| format!("@fulltext(indexes: [{}])", fulltext("i", query, "[\"title\"]"));
    for query in ["a b", "1a", "", "__a", "ä"] {
        wrong(&said(query), &format!("{query:?} is no name that a query can have"));
    }
    for (query, of) in
        [("movies", "Movie"), ("moviesConnection", "Movie"), ("peopleConnection", "Person")]
    {
        let expected =
            format!("`{query}` is the query of the list of `{of}` too: say another `queryName`");
        wrong(&said(query), &expected);
    }
    let vector =
        "@vector(indexes: [{indexName: \"v\", queryName: \"q\", embeddingProperty: \"e\"}])";
    wrong(
        &format!("{} {vector}", said("q")),
        "`q` is the query of the index \"i\" of `Movie` too: say another `queryName`",
    );
    let (one, other) = (fulltext("i", "a", "\"id\""), fulltext("i", "b", "\"id\""));
    wrong(
        &format!("@fulltext(indexes: [{one}, {other}])"),
        "`@fulltext` has two indexes of the name \"i\"",
    );
}

#[test]
fn phrases_are_no_vectors() {
    wrong(
        "@vector(indexes: [{indexName: \"v\", queryName: \"q\", embeddingProperty: \"e\", \
         maxPhraseLength: 9}])",
        "`maxPhraseLength` of the index \"v\" is of phrases: without a `provider` it is searched \
         by vectors alone",
    );
}

#[test]
fn subscriptions_to_nothing_do_nothing() {
    let plain = v7("type A @node { a: String }");
    let said = v7(
        "extend schema @subscription(events: [])
         type A @node @subscription(events: []) @subscriptionsAuthorization(filter: [{where: {node: {a: {eq: \"x\"}}}}]) { a: String }",
    );
    let named =
        |model: &Model| model.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>();
    assert_eq!(named(&said), named(&plain));
    assert_eq!(said.nodes[0].offers, plain.nodes[0].offers);
    let v3 = model(ApiVersion::V3, "type A @subscription(operations: [CREATE]) { a: String }");
    assert_eq!(named(&v3), named(&plain));
}

#[test]
fn form_3_makes_queries_that_are_not_named() {
    let v3 = |indexes: &str| {
        let text = format!("type Movie @fulltext(indexes: [{indexes}]) {{ title: String }}");
        read(&text, ApiVersion::V3).map(|mut model| model.nodes.swap_remove(0).fulltext)
    };
    let index = |index: &str, query: &str| FulltextIndex {
        index: index.into(),
        query: Some(query.into()),
        fields: vec!["title".into()],
    };
    assert_eq!(
        v3("{ name: \"titles\", fields: [\"title\"] }, \
             { indexName: \"words\", queryName: \"byWords\", fields: [\"title\"] }"),
        Ok(vec![index("titles", "moviesFulltextTitles"), index("words", "byWords")])
    );
    for (said, expected) in [
        ("{ fields: [\"title\"] }", "an index of `@fulltext` wants `indexName`"),
        (
            "{ indexName: \"a b\", fields: [\"title\"] }",
            "\"a b\" is no name that a part of the API can have",
        ),
        (
            "{ indexName: \"a\", queryName: \"moviesAggregate\", fields: [\"title\"] }",
            "`moviesAggregate` is the query of the list of `Movie` too: say another `queryName`",
        ),
    ] {
        let problems = v3(said).expect_err(said);
        assert_eq!(told(&problems), [format!("line 1: Movie: {expected}")]);
    }
}
