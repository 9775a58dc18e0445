//! Thalweg beside PostGraphile and beside the physical limit.

#![expect(dead_code, reason = "the run and its report are being built on this")]

pub(crate) mod record;
