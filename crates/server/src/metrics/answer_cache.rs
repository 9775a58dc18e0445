//! Metrics of the cache of answers.

use std::fmt;

use engine::CacheCounts;

use super::encode::Writer;

/// Writes the metrics of the cache, if there is one.
pub(super) fn encode(counts: Option<CacheCounts>, writer: &mut Writer<'_, '_>) -> fmt::Result {
    let Some(counts) = counts else { return Ok(()) };
    let CacheCounts { hits, misses, stores, invalidations, evictions, answers, bytes, failures } =
        counts;
    let help = "Queries that the cache has answered";
    writer.counter("thalweg_answer_cache_hits", help, hits)?;
    let help = "Queries that were executed for the cache";
    writer.counter("thalweg_answer_cache_misses", help, misses)?;
    writer.counter(
        "thalweg_answer_cache_stores",
        "Answers that were put into the cache",
        stores,
    )?;
    let help = "Cached answers, and those being made, that changes of rows have invalidated";
    writer.counter("thalweg_answer_cache_invalidations", help, invalidations)?;
    let help = "Cached answers that were removed because others needed their space";
    writer.counter("thalweg_answer_cache_evictions", help, evictions)?;
    let help = "Commands that the Redis of shared answers has not executed";
    writer.counter("thalweg_answer_cache_failures", help, failures)?;
    writer.gauge("thalweg_answer_cache_answers", "Cached answers", answers as f64)?;
    writer.gauge("thalweg_answer_cache_bytes", "Memory of cached answers, in bytes", bytes as f64)
}
