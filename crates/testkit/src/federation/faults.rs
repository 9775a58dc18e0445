//! Faults between the gateway and a subgraph.

use gateway::execute::FetchError;
use serde_json::{Value as Json, json};

/// A fault of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Unavailable,
    Timeout,
    /// The answer exceeds the limit.
    TooLarge,
    Status(u16),
    /// The first half of it.
    Half,
    /// Bytes that are no JSON.
    Nonsense,
    /// `data` is null, with an error.
    Null,
    /// The lists of entities lack their last one.
    Short,
    /// The first member of `data`, or of the first entity, is null, with an error at its place.
    Told,
    /// Every text is a number.
    Numbers,
    /// One name occurs twice.
    Twice,
}

impl Fault {
    /// Parses the notation of a case file.
    #[must_use]
    pub fn of_words(words: &str) -> Option<Self> {
        Some(match words {
            "unavailable" => Self::Unavailable,
            "timeout" => Self::Timeout,
            "too large" => Self::TooLarge,
            "half" => Self::Half,
            "nonsense" => Self::Nonsense,
            "null" => Self::Null,
            "short" => Self::Short,
            "told" => Self::Told,
            "numbers" => Self::Numbers,
            "twice" => Self::Twice,
            words => Self::Status(words.strip_prefix("status ")?.parse().ok()?),
        })
    }

    /// Applies the fault to an answer.
    pub fn spoil(&self, answer: &str) -> Result<String, FetchError> {
        let mut read: Json = serde_json::from_str(answer).unwrap_or_default();
        match self {
            Self::Unavailable => return Err(FetchError::Unavailable),
            Self::Timeout => return Err(FetchError::Timeout),
            Self::TooLarge => return Err(FetchError::TooLarge { most: 1_000 }),
            Self::Status(status) => return Err(FetchError::Status(*status)),
            Self::Half => {
                let half: String = answer.chars().take(answer.chars().count() / 2).collect();
                return Ok(half);
            }
            Self::Nonsense => return Ok("<html>Bad gateway</html>".to_owned()),
            Self::Null => read = json!({ "data": null, "errors": [{ "message": "out of order" }] }),
            Self::Short => {
                for list in
                    read["data"].as_object_mut().into_iter().flat_map(|data| data.values_mut())
                {
                    if let Some(list) = list.as_array_mut() {
                        list.pop();
                    }
                }
            }
            Self::Told => {
                let mut path: Vec<Json> = Vec::new();
                let mut at = &mut read["data"];
                for _ in 0..3 {
                    let next: Json = match &*at {
                        Json::Object(members) => members.keys().next().map(|key| (&**key).into()),
                        Json::Array(items) if !items.is_empty() => Some(0.into()),
                        _ => None,
                    }
                    .unwrap_or_default();
                    at = match &next {
                        Json::String(key) => &mut at[key],
                        Json::Number(_) => &mut at[0],
                        _ => break,
                    };
                    path.push(next);
                }
                *at = Json::Null;
                let told = json!({ "message": "it is lost", "path": path, "extensions": { "code": "LOST" } });
                read["errors"] = json!([told]);
            }
            Self::Numbers => number(&mut read),
            Self::Twice => return Ok(double(answer)),
        }
        Ok(read.to_string())
    }
}

fn number(value: &mut Json) {
    match value {
        Json::Object(members) => {
            let members = members.iter_mut().filter(|(name, _)| *name != "__typename");
            members.for_each(|(_, value)| number(value));
        }
        Json::Array(items) => items.iter_mut().for_each(number),
        Json::String(_) => *value = 7.5.into(),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// The first leaf member of an answer, there twice.
fn double(answer: &str) -> String {
    let Some(start) = answer.rfind("{\"") else { return answer.to_owned() };
    let (before, rest) = answer.split_at(start + 1);
    let end = rest.find([',', '}']).unwrap_or(rest.len());
    [before, &rest[..end], ",", rest].concat()
}
