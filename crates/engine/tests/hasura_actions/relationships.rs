//! Relationships from the results of actions to tables.

use expect_test::expect;
use serde_json::json;
use testkit::http::{Received, Reply};

use super::{Client, check};

const ACTIONS: &str = r#"
actions:
  - name: favourites
    definition:
      handler: http://SERVER/favourites
      type: query
      output_type: "[Favourite!]!"
custom_types:
  objects:
    - name: Favourite
      fields:
        - {name: author_id, type: Int}
        - {name: nested, type: Favourite}
      relationships:
        - name: author
          type: object
          remote_table: {schema: public, name: author}
          field_mapping: {author_id: id}
        - name: books
          type: array
          remote_table: {schema: public, name: book}
          field_mapping: {author_id: author_id}
"#;

fn reply(_: &Received) -> Reply {
    Reply::Json(json!([
        {"author_id": 1, "nested": {"author_id": 2}},
        {"author_id": 9},
        {"author_id": null},
        {"author_id": 1},
    ]))
}

#[test]
fn objects_have_rows_of_tables() {
    let requests = [
        (
            "{ favourites { author { name books(where: {title: {_eq: \"One\"}}) { title } } \
               nested { author { __typename n: name } } } }",
            json!({}),
        ),
        (
            "query ($title: String!, $more: Boolean!) { favourites { author_id \
               books(where: {title: {_neq: $title}}, order_by: {id: desc}, limit: 1) \
               { title id @include(if: $more) } ...F } } \
             fragment F on Favourite { all: books { id } }",
            json!({"title": "Two", "more": false}),
        ),
    ];
    check(
        reply,
        ACTIONS,
        &requests,
        &Client::default(),
        &expect![[r#"
            {"data":{"favourites":[{"author":{"name":"Ada","books":[{"title":"One"}]},"nested":{"author":{"__typename":"author","n":"Bob"}}},{"author":null,"nested":null},{"author":null,"nested":null},{"author":{"name":"Ada","books":[{"title":"One"}]},"nested":null}]}}
              POST /favourites
                content-type: application/json
                {"action":{"name":"favourites"},"input":{},"request_query":"{ favourites { author { name books(where: {title: {_eq: \"One\"}}) { title } } nested { author { __typename n: name } } } }","session_variables":{"x-hasura-role":"admin"}}
            {"data":{"favourites":[{"author_id":1,"books":[{"title":"One"}],"all":[{"id":10},{"id":11}]},{"author_id":9,"books":[],"all":[]},{"author_id":null,"books":[],"all":[]},{"author_id":1,"books":[{"title":"One"}],"all":[{"id":10},{"id":11}]}]}}
              POST /favourites
                content-type: application/json
                {"action":{"name":"favourites"},"input":{},"request_query":"query ($title: String!, $more: Boolean!) { favourites { author_id books(where: {title: {_neq: $title}}, order_by: {id: desc}, limit: 1) { title id @include(if: $more) } ...F } } fragment F on Favourite { all: books { id } }","session_variables":{"x-hasura-role":"admin"}}
        "#]],
    );
}

#[test]
fn errors_of_rows_are_at_their_place() {
    fn reply(_: &Received) -> Reply {
        Reply::Json(json!([{"author_id": 1.5}]))
    }
    let actions = ACTIONS.replace("{name: author_id, type: Int}", "{name: author_id, type: Float}");
    let requests = [("{ favourites { author_id author { name } } }", json!({}))];
    check(
        reply,
        &actions,
        &requests,
        &Client::default(),
        &expect![[r#"
            {"errors":[{"message":"Variable \"$v0\" got invalid value 1.5; Int cannot represent non-integer value: 1.5","extensions":{"code":"validation-failed","path":"$.selectionSet.favourites.args"}}]}
              POST /favourites
                content-type: application/json
                {"action":{"name":"favourites"},"input":{},"request_query":"{ favourites { author_id author { name } } }","session_variables":{"x-hasura-role":"admin"}}
        "#]],
    );
}
