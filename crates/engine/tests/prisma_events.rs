//! Subscriptions of the dialect `prisma` to the rows that mutations create, update and delete, on SQLite
//! and PostgreSQL.

mod conditions;
mod ends;
mod mutations;

use std::rc::Rc;
use std::sync::Arc;

use dialects::{DialectName, prisma};
use engine::live::Responses;
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{Caller, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker};
use serde_json::Value;
use tokio::time::timeout;

use crate::live::{execute, next, subscribe};

/// Rows with values of all types, relations with and without tables, and requirements.
pub(crate) const DATAMODEL: &str = "
    enum Status { ACTIVE DONE }
    type Todo {
      id: ID! @id(strategy: NONE)
      text: String! @unique
      important: Boolean
      weight: Float
      status: Status
      due: DateTime
      extra: Json
      tags: [String!]! @scalarList(strategy: RELATION)
      comments: [Comment!]! @relation(onDelete: CASCADE)
      owner: User @relation(link: INLINE)
      updatedAt: DateTime! @updatedAt
    }
    type Comment {
      id: ID! @id(strategy: NONE)
      text: String
      todo: Todo @relation(link: INLINE)
    }
    type User {
      id: Int! @id
      name: String! @unique
      todos: [Todo!]!
      friends: [User!]! @relation(name: \"Friends\", link: TABLE)
    }
";

/// A database with its API, for one test.
pub(crate) struct Served {
    pub(crate) worker: Rc<Worker>,
}

/// A subscription to the rows of a type.
pub(crate) struct Listening {
    responses: Responses,
}

pub(crate) async fn engine(address: &SourceAddress, datamodel: &str) -> Arc<Engine> {
    let mut dialect = DialectName::Prisma.dialect();
    let dialects::Dialect::Prisma(prisma) = &mut dialect else { panic!("another dialect") };
    prisma.extensions.create_many = true;
    prisma.model = Arc::new(prisma::definitions::read(datamodel).unwrap());
    let apply = ApplyMigrations::First;
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        schema_first: Some(SchemaFirst { definitions: datamodel.into(), apply }),
        ..Options::new(dialect, PoolLimits::unshared(2))
    };
    Engine::open(address, &options).await.unwrap()
}

pub(crate) async fn serve(address: &SourceAddress) -> Served {
    serve_datamodel(address, DATAMODEL).await
}

pub(crate) async fn serve_datamodel(address: &SourceAddress, datamodel: &str) -> Served {
    Served { worker: Rc::new(Worker::new(engine(address, datamodel).await)) }
}

impl Served {
    pub(crate) fn listen(&self, subscription: &str) -> Listening {
        let query = format!("subscription {{ {subscription} }}");
        Listening { responses: subscribe(&self.worker, &query, &Caller::default()) }
    }

    pub(crate) fn begin_request(&self, request: &graphql::Request) -> Listening {
        let begun = self.worker.subscribe(request, &Caller::default()).unwrap();
        if let Some(driver) = begun.driver {
            let worker = Rc::clone(&self.worker);
            tokio::task::spawn_local(async move { worker.drive(driver).await });
        }
        Listening { responses: begun.responses }
    }

    /// Executes a mutation, which must succeed.
    pub(crate) async fn change(&self, mutation: &str) -> Value {
        let response = self.try_change(mutation).await;
        assert!(response.get("errors").is_none(), "{mutation}: {response}");
        response["data"].clone()
    }

    pub(crate) async fn try_change(&self, mutation: &str) -> Value {
        execute(&self.worker, &format!("mutation {{ {mutation} }}")).await
    }
}

impl Listening {
    pub(crate) async fn next(&mut self) -> Value {
        next(&mut self.responses).await
    }

    /// True if the subscription has ended.
    pub(crate) async fn has_ended(&mut self) -> bool {
        let waited = timeout(std::time::Duration::from_secs(20), self.responses.next()).await;
        waited.expect("an end in time").is_none()
    }
}
