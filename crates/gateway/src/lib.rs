//! Federation: one API over several subgraphs.
//!
//! * [`supergraph`]: what a composed schema says: the API, and which subgraph knows what
//! * [`access`]: what a caller may read of it
//! * [`outline`]: an operation as a tree of positions
//! * [`cost`]: what it is estimated to cost
//! * [`planner`]: which subgraph is asked for what, and after what
//! * [`plan`]: the requests themselves
//! * [`execute`]: answers of subgraphs into the answer

pub mod access;
pub mod cost;
pub mod execute;
pub mod outline;
pub mod plan;
pub mod planner;
pub mod supergraph;

#[cfg(test)]
mod test_large;
#[cfg(test)]
mod test_supergraph;

pub use supergraph::Supergraph;
