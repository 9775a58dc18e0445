//! The name that was probably meant.

/// How far a misspelt name may be from the right one.
const LEAST_SIMILARITY: f64 = 0.8;

/// The name that is most like another, if it is like it at all.
pub(super) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let similarity = |known: &str| strsim::jaro_winkler(name, known);
    let nearest = known.max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    (similarity(nearest) >= LEAST_SIMILARITY).then_some(nearest)
}
