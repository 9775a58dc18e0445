//! GraphQL over HTTP: <https://graphql.github.io/graphql-over-http/draft/>.
//!
//! Each thread has a runtime, a listener and a worker of its own: requests are answered where they
//! arrive, and no thread waits for another. In the order of control flow:
//!
//! * `listen`: one socket a thread, all at the same address
//! * `serve`: the threads, from their start to the signal that ends them
//! * `connection`: the connections of one thread
//! * `route`: which request gets which answer
//! * `media_type`: what the client reads, and what it sent
//! * `body`: the bytes of a request, up to a limit
//! * `respond`: answers, and the refusals that come before GraphQL

mod body;
mod connection;
mod listen;
mod media_type;
mod respond;
mod route;
mod serve;

pub(crate) use listen::{ListenError, Listeners, bind};
pub(crate) use serve::serve;
