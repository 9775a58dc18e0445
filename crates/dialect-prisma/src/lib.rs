//! The API of Prisma 1 (<https://github.com/prisma/prisma1>) over the tables that it made, or that
//! are made as it would make them.
//!
//! * [`stored`]: the tables of a new database
//! * [`model`]: the meaning of a datamodel
//! * [`definitions`]: the text of a datamodel to its meaning

pub mod definitions;
pub mod model;
pub mod stored;
