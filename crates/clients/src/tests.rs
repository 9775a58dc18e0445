//! The clients against servers, and what compressors take.

mod broker;
mod byte_cache;
mod compressor_memory;
mod egress;
mod subgraph;
