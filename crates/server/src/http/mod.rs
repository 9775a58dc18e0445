//! GraphQL over HTTP: <https://graphql.github.io/graphql-over-http/draft/>.
//!
//! Each thread has a runtime, a listener and a worker of its own: requests are answered where they
//! arrive, and no thread waits for another. In the order of control flow:
//!
//! * `settings`: what the options say
//! * `listen`: the places where the server listens
//! * `serve`: the threads, from their start to the signal that ends them
//! * `reload`: the next generation, when a signal asks for it or the schema was changed
//! * `process`: what outlives a reload and is shared by all threads
//! * `service`: what answers requests, and how it is replaced
//! * `transport`: the bytes of a connection, whatever carries them
//! * `door`: who comes in to a thread, who makes room, who is turned away
//! * `clients`: how many clients there are, over all threads
//! * `connections`: the connections of one thread
//! * `tls`: certificates and handshakes
//! * `connection`: one of them, from its first byte to its last
//! * `progress`: how far it is, and when its patience ends
//! * `watched`: its bytes, which tell how far it is
//! * `farewell`: last words, before HTTP begins or after it has failed
//! * `route`: which path gets which answer
//! * `exchange`: what is known of one request, for the log
//! * `timing`: what it took, for its client
//! * `watchers`: who else is told
//! * `health`, `readiness`: whether requests would be answered
//! * `graphql`: a GraphQL request, from its head to its answer
//! * `credentials`, `session`: who asks
//! * `host`: whether the request is for this server
//! * `origin`, `cors`: what pages of other origins may do
//! * `explain`: what becomes of a request, for whom the server trusts
//! * `graphiql`: the page to ask the API on
//! * `media_type`: what the client reads, and what it sent
//! * `admission`: how many requests run at once, and how many wait
//! * `turn`: work for a request, in its turn and in its time
//! * `body`: the bytes of a request, up to a limit
//! * `bodies`: the memory that all of them may take together
//! * `descriptors`: how many files and connections the process may have open
//! * `seldom`: what happens thousands of times and is said once
//! * `persisted`: documents that clients name instead of sending them
//! * `batch`: several requests in one body
//! * `respond`: answers, and the refusals that come before GraphQL
//! * `outgoing`: what all answers have in common
//! * `accept_encoding`, `compress`, `answer_body`: the bytes of an answer

mod accept_encoding;
mod admission;
mod answer_body;
mod batch;
mod bodies;
mod body;
mod clients;
mod compress;
mod connection;
mod connections;
mod cors;
mod credentials;
mod descriptors;
mod door;
mod exchange;
mod explain;
mod farewell;
mod graphiql;
mod graphql;
mod health;
mod host;
mod listen;
mod media_type;
mod origin;
mod outgoing;
mod persisted;
mod process;
mod progress;
mod readiness;
mod reload;
mod respond;
mod route;
mod seldom;
mod serve;
mod service;
mod session;
mod settings;
mod streamed_body;
mod timing;
mod tls;
mod transport;
mod turn;
mod watched;
mod watchers;

pub(crate) use credentials::Customs;
pub(crate) use listen::{Bound, ListenError, Listeners, bind};
pub(crate) use persisted::ManifestError;
pub(crate) use reload::{Changes, Fresh, Reload, Renewal, take_signal};
pub(crate) use serve::{Beside, serve, serve_beside};
pub(crate) use service::Generation;
pub(crate) use settings::Settings;
pub(crate) use tls::TlsError;
pub(crate) use watchers::{Counting, Watchers};
