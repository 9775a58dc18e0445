//! Suggestions for misspelt names.

/// The least similarity of a suggestion.
const LEAST_SIMILARITY: f64 = 0.8;

/// The most similar name, if it is similar enough.
pub(super) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let similarity = |known: &str| strsim::jaro_winkler(name, known);
    let nearest = known.max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    (similarity(nearest) >= LEAST_SIMILARITY).then_some(nearest)
}
