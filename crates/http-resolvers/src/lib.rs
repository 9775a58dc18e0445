//! HTTP resolvers: fields whose values other servers give over HTTP.
//!
//! The crate does no IO and knows no dialect. In the order of a request:
//!
//! * [`resolver`]: the definition of a resolver; [`url`] and [`body`] are its templates, [`headers`]
//!   its headers
//! * [`webhook`]: requests that send JSON to a handler, with templates that change them
//! * [`inputs`]: values of the templates: arguments of the field, or fields of its object
//! * [`projection`]: the selected fields of a value; `selection_text`: the same as text, for GraphQL
//!   servers
//! * [`call`]: the HTTP request (`http_call`) of one value, or of a batch of them
//! * [`answer`]: the values in an answer
//! * [`action`]: the check of the answer of an action
//! * [`complete`]: the selected fields of a value as the JSON of a response; `coerce`: its scalars
//! * [`related`]: rows of the source that belong to objects of other servers, by their
//!   [`related_field`]s
//! * [`splice`]: the places in a response where values of resolvers are missing
//! * [`remote_schema`]: the schema of a GraphQL server, whose fields become those of an API;
//!   [`remote_path`]: requests for these fields, [`preset`]: values that roles cannot give
//! * [`subscription`]: a subscription whose responses a webhook receives
//! * `exact_number`: numbers of a document that JSON values would round
//! * [`introspect`]: the check of a resolver against the schema of a GraphQL server

pub mod action;
pub mod answer;
pub mod body;
pub mod call;
mod coerce;
pub mod complete;
mod exact_number;
pub mod headers;
mod http_call;
pub mod inputs;
pub mod introspect;
pub mod preset;
pub mod projection;
mod raw_members;
pub mod related;
pub mod related_field;
mod remote_operation;
pub mod remote_path;
pub mod remote_schema;
pub mod resolver;
mod selection_text;
pub mod splice;
pub mod subscription;
pub mod url;
pub mod webhook;

pub use answer::{AnswerError, RemoteError};
pub use call::CallError;
pub use http_call::HttpCall;
pub use inputs::Inputs;
pub use projection::Projection;
pub use resolver::{
    ActionWebhook, AnswerRules, HttpResolver, InputSource, LogAccess, LoggedAction,
    RemoteOperation, RequestBody, STATEMENT, WrittenRequest,
};
pub use subscription::WebhookSubscription;
