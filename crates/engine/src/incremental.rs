//! Responses of a source in several payloads, for deferred fragments.
//!
//! An operation is split into an initial one and one for each deferred fragment, which selects the
//! path to the fragment again ([`graphql::defer::split`]). Each is lowered, authorized and compiled as
//! any other operation, and all are executed one after the other in the same snapshot, so that the
//! lists on the path have the same elements at the same positions.
//!
//! * `agreement`: whether this holds for a fragment; others are sent with the part around them
//! * `plan`: the plan of an operation in parts
//! * `tree`: values of a part, by the names of the response
//! * `payload`: payloads in both formats
//! * `run`: the task that executes the parts
//!
//! A gateway has parts of its own: its plan requests each field from subgraphs once
//! ([`crate::gateway`]).

mod agreement;
mod payload;
mod plan;
mod run;
mod tree;

pub(crate) use plan::DeferredPlan;
pub(crate) use run::{InitialPayload, PartsInputs, execute_incrementally};
