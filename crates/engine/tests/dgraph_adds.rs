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
        let mut round = 0;
        let mut allocations = async |count: usize| {
            round += 1;
            let variables = json!({"input": authors(count, round)});
            let variables = serde_json::from_value(variables).unwrap();
            let request = Request { query: ADD.to_owned(), variables, ..Request::default() };
            let before = allocation::made();
            let answered = worker.execute(&request, Allowed::All).await;
            let made = allocation::made() - before;
            let answer: Value = serde_json::from_slice(&answered.body).unwrap();
            // An author with two posts and two places; the first ones come with the tags.
            let tags = if round == 1 { 10 } else { 0 };
            assert_eq!(answer["data"]["addAuthor"]["numUids"], json!(5 * count + tags), "{answer}");
            made
        };
        // The first add prepares the statements of its size.
        let mut by_author = Vec::new();
        for count in [50, 200] {
            allocations(count).await;
            by_author.push(allocations(count).await as f64 / count as f64);
        }
        let [few, many] = by_author[..] else { panic!("{by_author:?}") };
        assert!((many - few).abs() < few / 10.0, "{by_author:?}");
    });
}
