//! The clients against servers, and what compressors take.

mod broker;
mod compressor_memory;
mod egress;
mod subgraph;
