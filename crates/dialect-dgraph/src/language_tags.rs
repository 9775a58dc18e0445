//! Language tags of predicates: `name@de`, `name@de:en` for the first of several, `name@.` for any.

use crate::model::Field;

/// The tag of any language.
pub(crate) const ANY: &str = ".";

/// The parts of a predicate with language tags.
pub(crate) fn split(predicate: &str) -> Option<(&str, &str)> {
    predicate.split_once('@')
}

/// True for a field of several languages, in order of preference: `name@de:en`.
pub(crate) fn has_several_languages(field: &Field) -> bool {
    split(&field.stored_name).is_some_and(|(_, tags)| tags.contains(':'))
}

/// True for a field that reads several languages or any: the stored values choose the language, so it
/// cannot be written.
pub(crate) fn is_multilingual(field: &Field) -> bool {
    split(&field.stored_name).is_some_and(|(_, tags)| tags.contains(':') || tags == ANY)
}
