//! Federation gateway: one API over several subgraphs.
//!
//! * [`access`]: authorization: which parts of an operation a client may read
//! * [`outline`]: selection tree of an operation
//! * [`cost`]: cost estimate (demand control)
//! * [`planner`]: query planner: which subgraph resolves which field, in which order
//! * [`plan`]: query plan: the fetches and their documents
//! * [`execute`]: execution of a plan: subgraph responses into the response
//! * [`connectors`]: subgraphs of REST services
//! * [`events`]: subgraphs whose root fields are events of brokers

pub mod access;
mod arguments;
pub mod connectors;
pub mod cost;
pub mod events;
pub mod execute;
pub mod outline;
pub mod plan;
pub mod planner;

#[cfg(test)]
mod test_large;
#[cfg(test)]
mod test_supergraph;
