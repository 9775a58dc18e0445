//! Parts of the API that versions 3 and 7 have in common.
//!
//! * [`draft`]: a schema while it is made; [`arrange`]: the order of its types
//! * [`builder`]: the API while it is built; [`version`]: facts of a version
//! * [`attribute`], [`link`]: the two kinds of fields; [`variants`]: nodes of several types in one
//!   list; [`declared`]: relationships of such nodes; [`paths`]: paths of changes among them
//! * [`kinds`]: kinds of values; [`operators`], [`aggregates`]: operators and functions of each
//! * [`rows`]: pages, edges and connections; [`mutations`]: root fields
//!   of mutations; [`sort`]: orders; [`searches`]: indexes
//! * [`objects`]: fields of object types; [`changes`]: values of new objects; [`nested`]: nested
//!   writes; [`quantifier`]: conditions on related nodes
//! * [`node_field`]: the root field and the fields of global ids
//! * [`naming`]: names of types and root fields
//! * [`own_types`]: scalars and other types that do not depend on the definitions
//! * [`values`]: properties as columns; [`statements`]: `@cypher` fields
//! * [`coalesced`]: values of `@coalesce`; [`global_ids`]: ids among all nodes
//! * [`text_filters`]: operators on texts that options add

pub(crate) mod aggregates;
pub(crate) mod arrange;
pub(crate) mod attribute;
pub(crate) mod builder;
pub(crate) mod changes;
pub(crate) mod coalesced;
pub(crate) mod declared;
pub(crate) mod draft;
pub(crate) mod global_ids;
pub(crate) mod kinds;
pub(crate) mod link;
pub(crate) mod mutations;
pub(crate) mod naming;
pub(crate) mod nested;
pub(crate) mod node_field;
pub(crate) mod objects;
pub(crate) mod operators;
pub(crate) mod own_types;
pub(crate) mod paths;
pub(crate) mod quantifier;
pub(crate) mod rows;
pub(crate) mod searches;
pub(crate) mod sort;
pub(crate) mod statements;
pub mod text_filters;
pub(crate) mod values;
pub(crate) mod variants;
pub(crate) mod version;
