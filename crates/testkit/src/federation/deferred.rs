//! Responses in several payloads: operations with deferred fragments, and payloads merged as clients
//! merge them.

use std::collections::BTreeMap;

use gateway::execute::IncrementalFormat;
use serde_json::{Map, Value as Json};

use crate::fuzz::Choices;

/// Defers some selections of an operation without fragments of its own. Selections of the root are
/// not deferred in mutations.
#[must_use]
pub fn defer(text: &str, choices: &mut Choices<'_>) -> String {
    let mut reader = Reader { rest: text };
    // The kind, and the name of the operation.
    reader.name();
    reader.rest = reader.rest.trim_start();
    reader.name();
    reader.arguments();
    let begin = text.len() - reader.rest.len();
    let selections = reader.selections();
    let is_mutation = text.starts_with("mutation");
    let mut writer = Writer { choices, text: text[..begin].to_owned(), labels: 0 };
    writer.selections(&selections, !is_mutation);
    writer.text
}

/// A selection, with its text up to its selection set.
struct Selection<'t> {
    head: &'t str,
    below: Vec<Selection<'t>>,
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Reads the selections between braces. The operation is valid.
    fn selections(&mut self) -> Vec<Selection<'t>> {
        let mut selections = Vec::new();
        self.skip(1);
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',', '\n']);
            if self.rest.is_empty() || self.rest.starts_with('}') {
                self.skip(1);
                return selections;
            }
            let all = self.rest;
            self.head();
            if self.rest.len() == all.len() {
                // It is no selection.
                self.skip(1);
            }
            let head = all[..all.len() - self.rest.len()].trim();
            let below = match self.rest.starts_with('{') {
                true => self.selections(),
                false => Vec::new(),
            };
            selections.push(Selection { head, below });
        }
    }

    /// Skips a field with its alias, arguments and directives, or the head of a fragment.
    fn head(&mut self) {
        if self.rest.starts_with("...") {
            self.skip(self.rest.find('{').unwrap_or(self.rest.len()));
            return;
        }
        self.name();
        if self.rest.starts_with(':') {
            self.skip(1);
            self.rest = self.rest.trim_start();
            self.name();
        }
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.bytes().next() {
                Some(b'(') => self.arguments(),
                Some(b'@') => {
                    self.skip(1);
                    self.name();
                }
                _ => return,
            }
        }
    }

    fn name(&mut self) {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        self.rest = self.rest.trim_start_matches(is_of_name);
    }

    fn arguments(&mut self) {
        if !self.rest.starts_with('(') {
            return;
        }
        let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
        for (place, byte) in self.rest.bytes().enumerate() {
            match byte {
                b'"' if !is_escaped => is_text = !is_text,
                b'(' if !is_text => depth += 1,
                b')' if !is_text => depth -= 1,
                _ => {}
            }
            is_escaped = is_text && byte == b'\\' && !is_escaped;
            if depth == 0 {
                self.skip(place + 1);
                return;
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }
}

struct Writer<'w, 't> {
    choices: &'w mut Choices<'t>,
    text: String,
    labels: usize,
}

impl Writer<'_, '_> {
    fn selections(&mut self, selections: &[Selection<'_>], may_defer: bool) {
        self.text.push('{');
        let is_deferring = may_defer && self.choices.chance(35);
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for selection in selections {
            match self.choices.below(4) {
                0 | 1 if is_deferring => later.push(selection),
                2 if is_deferring => {
                    now.push(selection);
                    later.push(selection);
                }
                _ => now.push(selection),
            }
        }
        let is_first = self.choices.chance(50);
        if is_first {
            self.deferred(&later);
        }
        for selection in now {
            self.selection(selection);
        }
        if !is_first {
            self.deferred(&later);
        }
        self.text.push('}');
    }

    fn deferred(&mut self, selections: &[&Selection<'_>]) {
        if selections.is_empty() {
            return;
        }
        self.labels += 1;
        self.text.push_str(&format!(" ... @defer(label: \"{}\") {{", self.labels));
        for selection in selections {
            self.selection(selection);
        }
        self.text.push('}');
    }

    fn selection(&mut self, selection: &Selection<'_>) {
        self.text.push(' ');
        self.text.push_str(selection.head);
        if !selection.below.is_empty() {
            // A fragment may be one of the root of a mutation.
            let may_defer = !selection.head.starts_with("...");
            self.selections(&selection.below, may_defer);
        }
    }
}

/// The data of all payloads together.
#[derive(Debug)]
pub struct Merged {
    pub data: Json,
    pub has_errors: bool,
}

/// Merges payloads; returns what is wrong with them.
pub fn merge(format: IncrementalFormat, payloads: &[(u64, String)]) -> Result<Merged, String> {
    let mut merging = Merging::default();
    for (place, (_, text)) in payloads.iter().enumerate() {
        let payload: Map<String, Json> =
            serde_json::from_str(text).map_err(|error| format!("{error} in {text}"))?;
        let is_last = place + 1 == payloads.len();
        let expected = match (place, payloads.len()) {
            (0, 1) => None,
            _ => Some(!is_last),
        };
        if payload.get("hasNext").and_then(Json::as_bool) != expected {
            return Err(format!("`hasNext` of {text}"));
        }
        let merged = match format {
            IncrementalFormat::Fragments => merging.fragments(payload),
            IncrementalFormat::Fields => merging.fields(payload),
        };
        merged.map_err(|why| format!("{why} in {text}"))?;
    }
    match merging.pending.is_empty() {
        true => Ok(Merged { data: merging.data, has_errors: merging.has_errors }),
        false => Err(format!("not completed: {:?}", merging.pending)),
    }
}

#[derive(Debug, Default)]
struct Merging {
    data: Json,
    has_errors: bool,
    /// Paths of announced fragments, by id.
    pending: BTreeMap<String, Vec<Json>>,
    announced: usize,
}

impl Merging {
    fn fragments(&mut self, mut payload: Map<String, Json>) -> Result<(), String> {
        self.initial(&mut payload);
        for result in list(&payload, "incremental") {
            self.has_errors |= result.get("errors").is_some();
            let path = result["path"].as_array().ok_or("no path")?;
            match &result["data"] {
                Json::Null if result.get("errors").is_none() => return Err("no error".into()),
                Json::Null => drop(find(&mut self.data, path)?),
                data => merge_value(find(&mut self.data, path)?, data),
            }
        }
        Ok(())
    }

    fn fields(&mut self, mut payload: Map<String, Json>) -> Result<(), String> {
        self.initial(&mut payload);
        for result in list(&payload, "incremental") {
            self.has_errors |= result.get("errors").is_some();
            let id = result["id"].as_str().ok_or("no id")?;
            let mut path = self.pending.get(id).ok_or("an unknown id")?.clone();
            path.extend(result["subPath"].as_array().into_iter().flatten().cloned());
            let Json::Object(members) = &result["data"] else { return Err("no data".into()) };
            let object = find(&mut self.data, &path)?.as_object_mut().ok_or("no object")?;
            for (name, value) in members {
                if object.insert(name.clone(), value.clone()).is_some() {
                    return Err(format!("`{name}` is sent twice"));
                }
            }
        }
        for completed in list(&payload, "completed") {
            self.has_errors |= completed.get("errors").is_some();
            let id = completed["id"].as_str().ok_or("no id")?;
            self.pending.remove(id).ok_or("an unknown id is completed")?;
        }
        for pending in list(&payload, "pending") {
            let id = pending["id"].as_str().ok_or("no id")?;
            if id != self.announced.to_string() {
                return Err(format!("`{id}` is announced"));
            }
            self.announced += 1;
            let path = pending["path"].as_array().ok_or("no path")?;
            find(&mut self.data, path)?.as_object().ok_or("no object is announced")?;
            self.pending.insert(id.to_owned(), path.clone());
        }
        Ok(())
    }

    fn initial(&mut self, payload: &mut Map<String, Json>) {
        self.has_errors |= payload.contains_key("errors");
        if let Some(data) = payload.remove("data") {
            self.data = data;
        }
    }
}

fn list<'p>(payload: &'p Map<String, Json>, name: &str) -> impl Iterator<Item = &'p Json> {
    payload.get(name).and_then(Json::as_array).into_iter().flatten()
}

/// Finds a value that the client has.
fn find<'d>(mut data: &'d mut Json, path: &[Json]) -> Result<&'d mut Json, String> {
    for step in path {
        let below = match step {
            Json::String(name) => data.get_mut(name),
            step => {
                step.as_u64().and_then(|place| data.get_mut(usize::try_from(place).unwrap_or(0)))
            }
        };
        data = below.ok_or_else(|| format!("nothing is at {path:?}"))?;
    }
    match data {
        Json::Null => Err(format!("a null is at {path:?}")),
        data => Ok(data),
    }
}

/// Merges a value into another one: objects by their members, lists by their elements.
fn merge_value(into: &mut Json, value: &Json) {
    match (into, value) {
        (Json::Object(into), Json::Object(value)) => {
            for (name, value) in value {
                merge_value(into.entry(name.clone()).or_insert(Json::Null), value);
            }
        }
        (Json::Array(into), Json::Array(value)) if into.len() == value.len() => {
            into.iter_mut().zip(value).for_each(|(into, value)| merge_value(into, value));
        }
        (into, value) => *into = value.clone(),
    }
}

/// Whether two answers agree wherever both have a value.
#[must_use]
pub fn agree(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Null, _) | (_, Json::Null) => true,
        (Json::Object(one), Json::Object(other)) => {
            one.iter().all(|(name, value)| other.get(name).is_none_or(|other| agree(value, other)))
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| agree(one, other))
        }
        (one, other) => one == other,
    }
}
