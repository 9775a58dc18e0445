//! Private servers start, answer, keep apart and leave nothing.

mod neo4j;
mod postgres;
