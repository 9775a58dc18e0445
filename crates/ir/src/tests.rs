//! The requests of the paper proof: ARCHITECTURE.md shows each as the printer prints it.

mod every_variant;
mod federation;
mod graph;
mod model;
mod nested;
mod relay;
