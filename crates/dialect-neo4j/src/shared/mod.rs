//! Parts of the API that versions 3 and 7 have in common.
//!
//! * [`draft`]: a schema while it is made; [`arrange`]: the order of its types
//! * [`naming`]: names of types and root fields
//! * [`own_types`]: scalars and other types that do not depend on the definitions
//! * [`values`]: properties as columns; [`stated`]: fields of statements of the author
//! * [`coalesced`]: values of `@coalesce`; [`global_ids`]: ids among all nodes
//! * [`text_filters`]: operators on texts that options add

pub(crate) mod arrange;
pub(crate) mod coalesced;
pub(crate) mod draft;
pub(crate) mod global_ids;
pub(crate) mod naming;
pub(crate) mod own_types;
pub(crate) mod stated;
pub mod text_filters;
pub(crate) mod values;
