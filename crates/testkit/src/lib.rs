//! What tests need and the product does not: private databases.

pub mod postgres;
