//! A response of kept and of fetched values.

use std::collections::BTreeMap;

use clients::byte_cache::Cached;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::split::SplitRequest;

/// The fetched values by the places of the items; none where a value was kept.
#[derive(Debug, Default)]
pub(super) struct FetchedValues<'a>(Vec<Option<&'a str>>);

impl<'a> FetchedValues<'a> {
    pub(super) fn get(&self, place: usize) -> Option<&'a str> {
        self.0.get(place).copied().flatten()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    errors: Option<&'a RawValue>,
}

/// Reads the values of a response; `None` if it has errors, or not what was asked for.
pub(super) fn read_values<'a>(
    split: &SplitRequest<'_>,
    missing: &[bool],
    response: &'a [u8],
) -> Option<FetchedValues<'a>> {
    let Envelope { data, errors } = serde_json::from_slice(response).ok()?;
    let data = data.filter(|data| data.get() != "null")?;
    if errors.is_some_and(|errors| !matches!(errors.get(), "null" | "[]")) {
        return None;
    }
    if split.is_whole() {
        return Some(FetchedValues(vec![Some(data.get())]));
    }
    let lists: BTreeMap<&str, &RawValue> = serde_json::from_str(data.get()).ok()?;
    let mut missing = missing.iter();
    let mut values = Vec::new();
    for list in &split.lists {
        let fetched: Vec<&RawValue> = serde_json::from_str(lists.get(&*list.key)?.get()).ok()?;
        let mut fetched = fetched.into_iter();
        for is_missing in missing.by_ref().take(list.representations.len()) {
            values.push(match is_missing {
                true => Some(fetched.next()?.get()),
                false => None,
            });
        }
        if fetched.next().is_some() {
            return None;
        }
    }
    Some(FetchedValues(values))
}

/// The response of the whole request.
pub(super) fn response(
    split: &SplitRequest<'_>,
    found: &[Option<Cached>],
    fetched: &FetchedValues<'_>,
) -> Vec<u8> {
    let kept = found.iter().flatten().map(|cached| cached.value.len());
    let mut body = Vec::with_capacity(kept.sum::<usize>() + 64);
    body.extend_from_slice(b"{\"data\":");
    let value = |place: usize| -> &[u8] {
        match found.get(place).and_then(Option::as_ref) {
            Some(cached) => &cached.value,
            None => fetched.get(place).unwrap_or("null").as_bytes(),
        }
    };
    if split.is_whole() {
        body.extend_from_slice(value(0));
    } else {
        body.push(b'{');
        let mut place = 0;
        for (number, list) in split.lists.iter().enumerate() {
            if number > 0 {
                body.push(b',');
            }
            body.push(b'"');
            body.extend_from_slice(list.key.as_bytes());
            body.extend_from_slice(b"\":[");
            for number in 0..list.representations.len() {
                if number > 0 {
                    body.push(b',');
                }
                body.extend_from_slice(value(place));
                place += 1;
            }
            body.push(b']');
        }
        body.push(b'}');
    }
    body.push(b'}');
    body
}
