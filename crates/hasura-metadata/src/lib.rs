//! Hasura's metadata: what a user of Hasura says about an API, read from each of its forms.
//!
//! The crate is pure: whoever has files or the row of a database gives their texts.
//!
//! * [`forms`]: an exported folder, JSON or YAML in one text, versions 1 and 2
//! * `yaml`, `json_text`: a text as a tree of nodes with places
//! * `reader`, `object`, `primitive`: nodes become types, with all problems of all files in one run
//! * [`types`]: the objects of metadata, each with its keys, and writing in Hasura's order
//! * [`shares`]: long lists on all processors
//! * `references`: references between parts, such as from REST endpoints to collections
//! * `packed`: what was read in few bytes, to be read again
//! * [`support`]: what of it is served, as a table, and the places of what is not
//! * [`variables`]: the environment variables that it names
//! * [`naming`]: names of fields and types by both naming conventions
//! * [`suggestions`]: names of relationships as Hasura's console suggests them

#[macro_use]
mod object;

pub mod forms;
pub mod json;
mod kind;
pub mod location;
pub mod naming;
mod node;
mod primitive;
pub mod problem;
mod reader;
mod references;
pub mod shares;
pub mod suggestions;
pub mod support;
pub mod types;
pub mod variables;
mod yaml;

pub use forms::PackedMetadata;
pub use forms::{Folder, Reading, read_folder, read_text};
pub use json::Json;
pub use location::Location;
pub use problem::{Problem, ProblemKind};
pub use support::Support;
pub use types::metadata::Metadata;
