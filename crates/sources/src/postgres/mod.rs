//! PostgreSQL, over its own protocol.
//!
//! * [`introspect`]: what a database holds
//! * [`wire`], [`pool`]: connections; [`reach`]: whether new ones can be had
//! * [`bind`] for parameters, `text` for values as texts
//! * `settings`: what the database is told of who asks
//! * [`execute`]: a request's whole run, in as few rounds as possible
//! * [`apart`]: programs that read to-one rows apart, as long as that pays
//! * `joined`: programs that read two levels by one statement, as long as that pays
//! * `sharing`: short reads of many requests on few connections; `pace`: which reads are short;
//!   `abandoned`: what becomes of statements that nobody waits for
//! * `answer`: the rows of a request, and the whole answer made of them
//! * `stream`, `portions`: answers that are sent while they are made; `length`: which these are
//! * `pooler`: what is different where a pooler is between here and the server
//! * [`source`]: a database read from every thread
//! * [`cursor`]: the rows of all levels, found by their parents' keys

mod abandoned;
mod answer;
pub mod apart;
pub mod bind;
pub mod cursor;
pub mod error;
pub mod execute;
pub mod introspect;
mod joined;
mod length;
mod pace;
pub mod pool;
mod pooler;
mod portions;
pub mod reach;
mod read;
pub(crate) mod settings;
mod sharing;
pub mod source;
mod stream;
mod text;
mod texts;
pub mod wire;
