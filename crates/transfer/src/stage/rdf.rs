//! Triples → facts.

use super::StageError;
use super::facts::{Content, FACETS, Facts, INTERNAL, Marks, NAMESPACE};
use crate::mapping::{Holds, is_internal};
use crate::read::Name;
use crate::read::rdf::{self, Object, Quad};
use crate::value::Raw;

/// The predicate of types.
pub(super) const TYPE: &str = "dgraph.type";

const NO_ID: &str = "an id is between 1 and 2^62";

/// Reads a line.
pub(super) fn read(facts: &mut Facts<'_>, line: &[u8]) -> Result<(), StageError> {
    let quad = match rdf::read(line) {
        Ok(Some(quad)) => quad,
        Ok(None) => return Ok(()),
        Err(problem) => return facts.reject(&problem.to_string()),
    };
    let Quad { subject, predicate, language, object, namespace, facets } = quad;
    facts.skip(FACETS, facets);
    if namespace != facts.settings.namespace {
        facts.skip(NAMESPACE, 1);
        return Ok(());
    }
    if predicate == TYPE {
        let Some(subject) = facts.subject(subject)? else { return facts.reject(NO_ID) };
        return match object {
            Object::Literal(name) => Ok(facts.add_type(subject, &name, Marks::default())?),
            Object::Name(_) => facts.reject("the name of a type is expected"),
        };
    }
    if is_internal(predicate) {
        facts.skip(INTERNAL, 1);
        return Ok(());
    }
    let mut with_language = String::new();
    let mut word = predicate;
    if let Some(language) = language {
        with_language = [predicate, "@", language].concat();
    }
    if !with_language.is_empty() {
        word = &with_language;
    }
    let Some((index, member)) = facts.lookup.any_with(word) else { return facts.unknown(word) };
    let holds = facts.mapping.objects[index].members[member].holds;
    let Some(subject) = facts.subject(subject)? else { return facts.reject(NO_ID) };
    match (object, holds) {
        (Object::Literal(text), Holds::Column(_)) => {
            facts.add(subject, word, Content::Value(Raw::Text(&text)), Marks::default())?;
        }
        (Object::Name(name), Holds::Objects { .. }) => {
            let Some(target) = facts.subject(name)? else { return facts.reject(NO_ID) };
            facts.add(subject, word, Content::Object(target), Marks::default())?;
        }
        (Object::Literal(_), Holds::Objects { .. }) => {
            facts.reject(&format!("`{word}` refers to an object, not to a text"))?;
        }
        (Object::Name(Name::Uid(_) | Name::Blank(_)), Holds::Column(_)) => {
            facts.reject(&format!("`{word}` is a value, and no reference"))?;
        }
        (_, Holds::Key) => facts.reject("an id is no value")?,
    }
    Ok(())
}
