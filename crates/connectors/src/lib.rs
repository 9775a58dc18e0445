//! Connectors: REST services as subgraphs, by `@source` and `@connect` of their schemas.
//! <https://www.apollographql.com/docs/graphos/connectors>
//!
//! The crate does no IO, knows no parser of GraphQL and executes no operation: it reads the mapping
//! language, makes requests of variables, and maps responses. In the order of control flow:
//!
//! * [`mapping`]: the mapping language: [`Mapping::parse`], [`Mapping::inputs`], [`Mapping::shape`],
//!   [`Mapping::evaluate`]; [`variables`] are what it reads beside a response
//! * [`template`]: texts with expressions in braces; [`url`] those that are URLs
//! * [`connector`]: connectors and sources as plain data
//! * [`definitions`]: what is read of a subgraph's schema; [`mod@read`] reads and checks its connectors, and
//!   says [`code`]s
//! * [`request`]: the HTTP request of a connector, [`Connector::request`]
//! * [`response`]: what becomes of the response: [`response::read_body`], [`Connector::is_success`],
//!   [`Connector::failure`], and [`Mapping::evaluate`] of [`Connector::selection`]
//!
//! [`location`] are places in texts, [`version`] the versions of the specification. `docs/connectors.md`
//! is the reference of the language, with its differences from that of others.

pub mod code;
pub mod connector;
pub mod definitions;
pub mod location;
pub mod mapping;
pub mod read;
pub mod request;
pub mod response;
pub mod template;
pub mod url;
pub mod variables;
pub mod version;

pub use code::Code;
pub use connector::{Batch, Connector, Coordinate, Errors, Header, Http, Resolves, Source};
pub use mapping::{Inputs, Limits, Mapping, Members, Outcome, Problem, Shape};
pub use read::{FieldCoordinate, Finding, Reading, read};
pub use request::HttpRequest;
pub use template::Template;
pub use url::UrlTemplate;
pub use variables::{Variable, Variables};
pub use version::Version;
