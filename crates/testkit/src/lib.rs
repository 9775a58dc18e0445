//! What tests need and the product does not: case files and private databases.

pub mod cases;
pub mod fuzz;
pub mod postgres;
