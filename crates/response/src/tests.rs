//! The crate as sources use it: rows of a cursor become JSON.

mod leaf;
mod writer;
