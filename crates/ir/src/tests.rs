//! The requests of docs/internals/paper-proof.md, which shows each as the printer prints it.

mod every_variant;
mod federation;
mod graph;
mod model;
mod nested;
mod relay;
