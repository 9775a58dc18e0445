//! The cost of deep adds of many objects: it grows with the objects, and not with the lists of keys
//! that their statements have.

use std::rc::Rc;

use engine::{Allowed, Engine, Worker};
use graphql::Request;
use serde_json::{Value, json};
use testkit::allocation;

use crate::dgraph::{migrate, on_each, options};

const TYPES: &str = r#"
    type Author { id: ID! name: String! @id born: Int posts: [Post] @hasInverse(field: author) }
    type Post {
        id: ID!
        title: String!
        score: Int
        author: Author!
        tags: [Tag] @hasInverse(field: posts)
        place: Place
    }
    type Tag { name: String! @id posts: [Post] }
    type Place { id: ID! city: String! street: String }
"#;

const ADD: &str = "mutation ($input: [AddAuthorInput!]!) { addAuthor(input: $input) { numUids } }";

/// Authors with two posts each, which have a place and two of ten tags.
fn authors(count: usize, round: usize) -> Value {
    let post = |number: usize| {
        json!({
            "title": format!("title {number}"),
            "score": number,
            "tags": [{"name": format!("tag {}", number % 10)}, {"name": format!("tag {}", (number + 3) % 10)}],
            "place": {"city": format!("city {number}"), "street": "street"},
        })
    };
    let author = |number: usize| {
        json!({
            "name": format!("author {round} {number}"),
            "born": 1900 + number,
            "posts": [post(2 * number), post(2 * number + 1)],
        })
    };
    (0..count).map(author).collect()
}

#[test]
fn deep_adds_allocate_by_the_object() {
    on_each(|address| async move {
        let options = options(migrate(&address, TYPES).await, false);
        let engine = Engine::open(&address, &options).await.unwrap();
        let worker = Rc::new(Worker::new(engine));
        let mut counts = Vec::new();
        for round in 0..4 {
            let variables = json!({"input": authors(200, round)});
            let Value::Object(variables) = variables else { return };
            let request = Request {
                query: ADD.to_owned(),
                variables: serde_json::from_value(Value::Object(variables)).unwrap(),
                ..Request::default()
            };
            let before = allocation::made();
            let answered = worker.execute(&request, Allowed::All).await;
            counts.push(allocation::made() - before);
            let answer: Value = serde_json::from_slice(&answered.body).unwrap();
            let tags = if round == 0 { 10 } else { 0 };
            assert_eq!(answer["data"]["addAuthor"]["numUids"], json!(1_000 + tags), "{answer}");
        }
        // 200 authors, 400 posts, 400 places and 800 references to tags.
        let most = 90 * 1_800;
        assert!(counts.iter().all(|count| *count < most), "{counts:?}");
    });
}
