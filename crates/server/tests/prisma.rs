//! Services of Prisma: a server with a datamodel, its paths and its secrets.
//!
//! * `clients`: clients from npm
//! * `made_by_prisma`: databases that Prisma made
//! * `management`: what Prisma's commands ask
//! * `normalized`: import and export
//! * `policies`: what policies refuse
//! * `services`: paths, secrets and tokens
//! * `sockets`: subscriptions with secrets
//! * `statements`: statements of SQL
//! * `webhooks`: webhooks of subscriptions

mod clients;
mod made_by_prisma;
mod management;
mod normalized;
mod policies;
mod services;
mod sockets;
mod statements;
mod webhooks;

use std::fs;

use serde_json::{Value, json};

use crate::program::{Folder, Server};

/// A datamodel with each kind of storage.
const DATAMODEL: &str = "
    type User {
      id: ID! @id
      email: String! @unique
      age: Int
      role: Role
      createdAt: DateTime! @createdAt
      updatedAt: DateTime! @updatedAt
      posts: [Post!]!
      friends: [User!]! @relation(name: \"Friends\", link: TABLE)
    }
    type Post {
      id: ID! @id
      title: String!
      score: Float
      meta: Json
      tags: [String!]! @scalarList(strategy: RELATION)
      author: User @relation(link: INLINE)
    }
    enum Role { ADMIN USER }
";

/// A server of a datamodel in a new file.
struct Service {
    server: Server,
    folder: Folder,
}

impl Service {
    fn start(options: &[&str]) -> Self {
        Self::start_with(DATAMODEL, options)
    }

    fn start_with(datamodel: &str, options: &[&str]) -> Self {
        let folder = Folder::new();
        let (file, data) = (folder.file("datamodel.prisma"), folder.file("shop.db"));
        fs::write(&file, datamodel).unwrap();
        let (file, data) = (file.to_str().unwrap(), data.to_str().unwrap());
        let words = ["serve", file, "--data", data, "--listen", "127.0.0.1:0"];
        Self { server: Server::start(&[&words[..], options].concat()), folder }
    }

    /// The status and the JSON of the answer to a POST.
    fn post(&self, path: &str, headers: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        let answer = self.server.send(request.as_bytes());
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::from(answer.body)))
    }

    /// The data of a GraphQL request, or its errors by codes and messages.
    fn query(&self, path: &str, headers: &str, query: &str) -> Value {
        let (status, answer) = self.post(path, headers, &json!({ "query": query }));
        assert_eq!(status, 200, "{answer}");
        match answer.get("errors") {
            Some(errors) => told(errors),
            None => answer["data"].clone(),
        }
    }
}

/// The codes and messages of errors, which have identifiers.
fn told(errors: &Value) -> Value {
    let told = errors.as_array().unwrap().iter().map(|error| {
        assert!(error["requestId"].as_str().unwrap().starts_with("local:"), "{error}");
        json!([error["code"], error["message"]])
    });
    told.collect()
}
