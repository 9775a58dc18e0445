//! GraphQL over HTTP: <https://graphql.github.io/graphql-over-http/draft/>.
//!
//! Each thread has a runtime, a listener and a worker of its own: requests are answered where they
//! arrive, and no thread waits for another. In the order of control flow:
//!
//! * `settings`: the options, in the form in which requests need them
//! * `listen`: listening sockets
//! * `serve`: the threads, from their start to a graceful shutdown
//! * `generation`: an API with its settings, which a reload replaces as a whole
//! * `reload`: makes the next generation after a signal or a schema change
//! * `process`: state that outlives reloads and is shared by all threads
//! * `service`: a thread's view of the newest generation
//! * `relay`: the Relay API of the dialect hasura, a second schema of the same source
//! * `transport`: byte streams of TCP, TLS and Unix sockets
//! * `acceptor`: accept loop of a thread, with the limit on connections and eviction
//! * `clients`: the connection limit of the process
//! * `connections`: the connections of one thread
//! * `tls`: certificates and handshakes
//! * `connection`: one connection, from its first byte to its last
//! * `http2`: connections of HTTP/2
//! * `connection_context`: a connection, as its requests see it
//! * `timeouts`: timeouts for slow and idle clients
//! * `monitored_transport`: a transport that reports its reads and writes to the timeouts
//! * `closing`: closing a connection so that the client can read the response
//! * `route`: the handler of each path
//! * `exchange`: record of one request and its response, for the log, metrics and traces
//! * `timing`: the `Server-Timing` header
//! * `telemetry`: where metrics and traces go
//! * `health`, `readiness`: liveness and readiness probes
//! * `hasura`: endpoints of Hasura, for its dialect
//! * `mcp`: the Model Context Protocol, operations as tools for agents
//! * `described`: parts of operations for descriptions of them
//! * `endpoint`: what the endpoints beside GraphQL have in common
//! * `prisma`: endpoints of Prisma 1, for its dialect
//! * `graphql`: a GraphQL request, from its head to its response
//! * `execute`: execution of one GraphQL request
//! * `hooks`, `hook_refusal`: webhooks before and after an operation
//! * `log_position`: the positions of changes that clients carry, for reads from replicas
//! * `sockets`: WebSockets, with queries, mutations and subscriptions
//! * `response_stream`: event streams, with queries, mutations and subscriptions
//! * `single_stream`: event streams that several operations share
//! * `reservations`: reservations of such streams
//! * `operations`: the operations that run over one connection
//! * `subscription`: a running subscription
//! * `drain`: the end of long connections when the server stops
//! * `callback`: the callback endpoint, for events of subgraphs
//! * `authentication`: authentication of requests, by one of these:
//! * `credentials`, `session`: by tokens
//! * `hasura_sessions`: as Hasura does it
//! * `authenticated`, `payload_token`: the session of a request; the token of a socket
//! * `header_settings`: settings of PostgreSQL sessions from headers
//! * `host`: check of the `Host` header, against DNS rebinding
//! * `origin`, `cors`: CSRF prevention and cross-origin resource sharing
//! * `explain`: dry run of a request for the Explain tab of GraphiQL
//! * `graphiql`: GraphiQL, with `page_file`: files that the page loads
//! * `console`: data of the console, the page around GraphiQL
//! * `media_type`: content negotiation
//! * `admission`: admission control: a limit on concurrent requests, a bounded queue, load shedding
//! * `cache_invalidation`: the endpoint that invalidates cached responses of subgraphs
//! * `rate_limits`: rate limits of clients; `client_address`: their addresses behind proxies
//! * `execution_limits`: runs work under admission control and the request timeout
//! * `body`: the body of a request, with limits on size and time
//! * `uploads`: bodies with files; `upload_limits`: their limits
//! * `request_memory`: the memory budget of all request bodies
//! * `descriptors`: the limit on open files of the process
//! * `persisted`: automatic persisted queries and trusted documents
//! * `batch`: several requests in one body
//! * `refusal`: errors that end a request before the engine, with status and code
//! * `respond`: HTTP responses of results and refusals
//! * `outgoing`: headers and compression of all responses
//! * `accept_encoding`, `compress`, `answer_body`, `streamed_body`, `event_body`: bodies of responses

mod accept_encoding;
mod acceptor;
mod admission;
mod answer_body;
mod authenticated;
mod authentication;
mod batch;
mod body;
mod cache_control;
mod cache_invalidation;
mod cached_answer;
mod callback;
mod client_address;
mod clients;
mod closing;
mod compress;
mod connection;
mod connection_context;
mod connections;
mod console;
mod cors;
mod credentials;
mod declared;
mod described;
mod descriptors;
mod drain;
mod endpoint;
mod event_body;
mod exchange;
mod execute;
mod execution_limits;
mod explain;
mod framed;
mod generation;
mod graphiql;
mod graphql;
mod hasura;
mod hasura_sessions;
mod header_settings;
mod health;
mod hook_refusal;
mod hooks;
mod host;
mod http2;
mod listen;
mod log_position;
mod mcp;
mod media_type;
mod monitored_transport;
mod open_connection;
mod operations;
mod origin;
mod outgoing;
mod page_file;
mod payload_token;
mod persisted;
mod prisma;
mod process;
mod rate_limits;
mod readiness;
mod refusal;
mod relay;
mod reload;
mod request_memory;
mod reservations;
mod respond;
mod response_stream;
mod route;
mod serve;
mod service;
mod session;
mod settings;
mod single_stream;
mod sockets;
mod streamed_body;
mod subscription;
mod telemetry;
mod timeouts;
mod timing;
mod tls;
mod transport;
mod upload_limits;
mod uploads;

pub(crate) use callback::CallbackEndpoint;
pub(crate) use credentials::{AuthProfile, AuthScheme};
pub(crate) use declared::Declared;
pub(crate) use generation::{ChangeWatch, Generation, Reloaded};
pub(crate) use hasura::EventLogs;
pub(crate) use listen::{Bound, Listeners, bind, bind_callbacks};
pub(crate) use persisted::read_manifest;
pub(crate) use prisma::{Datamodel, PrismaSettings, ServiceDatabase};
pub(crate) use relay::RelayApi;
pub(crate) use reload::{Reload, Reloader, take_signal};
pub(crate) use serve::{SecondServer, serve, serve_second};
pub(crate) use settings::Settings;
pub(crate) use telemetry::{Collectors, Telemetry};
