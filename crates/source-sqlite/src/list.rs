//! Lists of values, which are JSON texts.

use std::collections::HashSet;

use rusqlite::Error;
use serde_json::value::RawValue;

use super::interrupt::Work;
use super::json::read_within;

/// The text of a list without the elements of another, the others as they are written; `None` if one
/// of both is no list.
pub(super) fn without(
    list: &str,
    elements: &str,
    work: &mut Work<'_>,
) -> Result<Option<String>, Error> {
    let read = |text| serde_json::from_str::<Vec<&RawValue>>(text).ok();
    let Some((list, elements)) = read(list).zip(read(elements)) else { return Ok(None) };
    let mut removed = HashSet::with_capacity(elements.len());
    for element in elements {
        removed.extend(read_within(element.get(), work)?.map(|json| json.canonical()));
    }
    let mut out = String::from("[");
    for element in list {
        let json = read_within(element.get(), work)?;
        if json.is_some_and(|json| removed.contains(&json.canonical())) {
            continue;
        }
        out.push_str(if out.len() > 1 { "," } else { "" });
        out.push_str(element.get());
    }
    out.push(']');
    Ok(Some(out))
}

/// The text of a list with those elements of another that it lacks behind its own, each once; `None`
/// if one of both is no list.
pub(super) fn with(
    list: &str,
    elements: &str,
    work: &mut Work<'_>,
) -> Result<Option<String>, Error> {
    let read = |text| serde_json::from_str::<Vec<&RawValue>>(text).ok();
    let Some((list, elements)) = read(list).zip(read(elements)) else { return Ok(None) };
    let mut known = HashSet::with_capacity(list.len() + elements.len());
    for element in &list {
        known.extend(read_within(element.get(), work)?.map(|json| json.canonical()));
    }
    let mut all = list;
    for element in elements {
        let json = read_within(element.get(), work)?;
        if json.is_none_or(|json| known.insert(json.canonical())) {
            all.push(element);
        }
    }
    let texts: Vec<&str> = all.into_iter().map(RawValue::get).collect();
    Ok(Some(format!("[{}]", texts.join(","))))
}
