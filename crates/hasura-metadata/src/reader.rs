//! Reading nodes as types: the problems, the keys that are not served, and the path on the way.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::kind::SourceKind;
use crate::location::{Location, Mark, Path, Segment};
use crate::node::{Entry, Node, Value};
use crate::problem::{Problem, ProblemKind};
use crate::support::{self, Unserved};

/// Limit of keys that a problem lists.
const MAX_LISTED: usize = 20;

/// A type that is read from a node.
pub(crate) trait Read: Send + Sized {
    /// `None` if a problem was reported.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self>;

    /// Adds the objects and choices that the type consists of.
    fn describe(_: &mut Description) {}
}

/// The objects of metadata with their keys, and the closed sets with their values.
#[derive(Debug, Default)]
pub(crate) struct Description {
    pub(crate) objects: BTreeMap<&'static str, &'static [&'static str]>,
    pub(crate) choices: BTreeMap<&'static str, &'static [&'static str]>,
}

impl Description {
    /// Adds an object; false if it is known.
    pub(crate) fn add(&mut self, name: &'static str, keys: &'static [&'static str]) -> bool {
        self.objects.insert(name, keys).is_none()
    }

    /// Adds a closed set.
    pub(crate) fn add_choice(&mut self, name: &'static str, values: &'static [&'static str]) {
        self.choices.insert(name, values);
    }
}

/// The state of reading.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<Problem>,
    pub(crate) unserved: Vec<Unserved>,
    /// Within how many keys that are not served: what is below one is not told again.
    within_unserved: usize,
    /// The steps from the root to what is read, each with its path once a place there was wanted: most
    /// values have no place of their own.
    steps: Vec<(Segment, Option<Path>)>,
    /// Names that occurred: there are few different ones.
    names: HashSet<Arc<str>>,
    /// The kind of the source that is read, on which the form of its configuration depends.
    pub(crate) source_kind: SourceKind,
    /// The keys that were read, for a test that reads all.
    #[cfg(test)]
    pub(crate) seen: std::collections::BTreeSet<(&'static str, &'static str)>,
}

/// An object whose keys are all known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'n> {
    name: &'static str,
    entries: &'n [Entry],
    mark: &'n Mark,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            problems: Vec::new(),
            unserved: Vec::new(),
            within_unserved: 0,
            steps: Vec::new(),
            names: HashSet::new(),
            source_kind: SourceKind::Postgres,
            #[cfg(test)]
            seen: Default::default(),
        }
    }

    /// A reader at the same place that has reported nothing.
    pub(crate) fn fork(&self) -> Self {
        Self {
            problems: Vec::new(),
            unserved: Vec::new(),
            within_unserved: self.within_unserved,
            steps: self.steps.clone(),
            names: HashSet::new(),
            source_kind: self.source_kind.clone(),
            #[cfg(test)]
            seen: Default::default(),
        }
    }

    /// Takes over what a fork has reported.
    pub(crate) fn join(&mut self, fork: Self) {
        self.problems.extend(fork.problems);
        self.unserved.extend(fork.unserved);
        self.names.extend(fork.names);
        #[cfg(test)]
        self.seen.extend(fork.seen);
    }

    pub(crate) fn place(&mut self, mark: &Mark) -> Location {
        Location { mark: mark.clone(), path: self.path() }
    }

    fn path(&mut self) -> Path {
        let known = self.steps.iter().rposition(|(_, path)| path.is_some());
        let (mut path, first) =
            match known.and_then(|last| self.steps.get(last).zip(Some(last + 1))) {
                Some(((_, path), first)) => (path.clone().unwrap_or_default(), first),
                None => (Path::default(), 0),
            };
        for (segment, known) in self.steps.iter_mut().skip(first) {
            path = path.step(segment.clone());
            *known = Some(path.clone());
        }
        path
    }

    /// A name, shared with all equal ones.
    pub(crate) fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let name: Arc<str> = text.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    pub(crate) fn report(&mut self, kind: ProblemKind, mark: &Mark, message: String) {
        let place = self.place(mark);
        self.problems.push(Problem { kind, place, message });
    }

    /// Reports a wrong value.
    pub(crate) fn wrong<T>(&mut self, node: &Node, message: String) -> Option<T> {
        self.report(ProblemKind::WrongValue, &node.mark, message);
        None
    }

    /// Reports a value of a wrong kind.
    pub(crate) fn expected<T>(&mut self, node: &Node, wanted: &str) -> Option<T> {
        let hint = match (&node.value, wanted) {
            (Value::Number(_) | Value::Bool(_), "a text") => " Write it in quotes.",
            _ => "",
        };
        let kind = node.kind();
        self.wrong(node, format!("The value is {kind}, but {wanted} is wanted.{hint}"))
    }

    /// Reads at a step below the present path.
    pub(crate) fn at<T>(&mut self, segment: Segment, read: impl FnOnce(&mut Self) -> T) -> T {
        self.steps.push((segment, None));
        let value = read(self);
        self.steps.pop();
        value
    }

    /// The entries of an object. Unknown keys are problems: errors, if they resemble a known one.
    pub(crate) fn object<'n>(
        &mut self,
        node: &'n Node,
        name: &'static str,
        keys: &'static [&'static str],
    ) -> Option<Object<'n>> {
        let Value::Object(entries) = &node.value else {
            return self.expected(node, "an object");
        };
        for entry in entries.iter().filter(|entry| !keys.contains(&&*entry.key)) {
            match graphql::similar_names(&entry.key, keys.iter().copied()).is_empty() {
                true => self.ignored_key(entry, name),
                false => self.unknown_key(entry, name, keys),
            }
        }
        Some(Object { name, entries, mark: &node.mark })
    }

    /// Reports a key that has no effect. Hasura exports keys that nothing reads, such as those of an
    /// older console.
    fn ignored_key(&mut self, entry: &Entry, name: &str) {
        let message = format!(
            "The key `{}` of {name} is unknown, and has no effect, as in Hasura.",
            entry.key
        );
        self.report(ProblemKind::IgnoredKey, &entry.mark, message);
    }

    pub(crate) fn unknown_key(&mut self, entry: &Entry, name: &str, keys: &[&str]) {
        let key = &entry.key;
        let remedy = match graphql::similar_names(key, keys.iter().copied()).first() {
            Some(similar) => format!("Did you mean `{similar}`?"),
            None if keys.len() > MAX_LISTED => "Remove it, or correct it.".to_owned(),
            None => format!("Remove it; the keys are: {}.", keys.join(", ")),
        };
        let message = format!("The key `{key}` of {name} is unknown. {remedy}");
        self.report(ProblemKind::UnknownKey, &entry.mark, message);
    }

    /// Reads the value of a key that must be present.
    pub(crate) fn required<T: Read>(&mut self, object: Object<'_>, key: &'static str) -> Option<T> {
        match object.find(key) {
            Some(entry) => self.value(object, entry, key, |_| true),
            None => {
                let message = format!("The key `{key}` of {} is missing.", object.name);
                self.report(ProblemKind::MissingKey, object.mark, message);
                None
            }
        }
    }

    /// Reads the value of a key that may be absent or null.
    pub(crate) fn optional<T: Read>(
        &mut self,
        object: Object<'_>,
        key: &'static str,
    ) -> Option<Option<T>> {
        match object.find_value(key) {
            Some(entry) => self.value(object, entry, key, |_| true).map(Some),
            None => Some(None),
        }
    }

    /// Reads the value of a key that has a default. Written defaults are not told as unserved.
    pub(crate) fn with_default<T: Read + PartialEq>(
        &mut self,
        object: Object<'_>,
        key: &'static str,
        default: T,
    ) -> Option<T> {
        match object.find_value(key) {
            Some(entry) => self.value(object, entry, key, |value| *value != default),
            None => Some(default),
        }
    }

    fn value<T: Read>(
        &mut self,
        object: Object<'_>,
        entry: &Entry,
        key: &'static str,
        has_effect: impl FnOnce(&T) -> bool,
    ) -> Option<T> {
        #[cfg(test)]
        self.seen.insert((object.name, key));
        let support = support::of(object.name, key);
        let within = usize::from(!support.is_served());
        self.within_unserved += within;
        let value = self.at(Segment::Key(key), |reader| T::read(&entry.node, reader));
        self.within_unserved -= within;
        if within > 0 && value.as_ref().is_some_and(has_effect) {
            self.at(Segment::Key(key), |reader| {
                reader.note_unserved(&entry.mark, object.name, key);
            });
        }
        value
    }

    /// Notes a key, or a value of a closed set, unless it is served.
    pub(crate) fn note_unserved(&mut self, mark: &Mark, object: &'static str, key: &'static str) {
        #[cfg(test)]
        self.seen.insert((object, key));
        let support = support::of(object, key);
        if self.within_unserved == 0 && !support.is_served() {
            let place = self.place(mark);
            self.unserved.push(Unserved { place, object, key, support });
        }
    }
}

impl Object<'_> {
    pub(crate) fn find(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entry of a key whose value is not null.
    fn find_value(&self, key: &str) -> Option<&Entry> {
        self.find(key).filter(|entry| !matches!(entry.node.value, Value::Null))
    }
}

/// A part of a list that has a name of its own there, by which the list is sorted when written.
pub(crate) trait Keyed {
    /// The words for it, as in `role`.
    const NOUN: &'static str;

    fn key(&self) -> String;

    fn place(&self) -> &Location;
}

/// Reports parts of a list that have the name of an earlier one.
pub(crate) fn report_duplicates<T: Keyed>(items: &[T], reader: &mut Reader) {
    let mut first: HashMap<String, &Location> = HashMap::new();
    for item in items {
        let key = item.key();
        if let Some(earlier) = first.get(&key) {
            let message = format!(
                "The {} `{key}` occurs twice; the first is at {earlier}. Remove one of them.",
                T::NOUN
            );
            let place = item.place().clone();
            reader.problems.push(Problem { kind: ProblemKind::Duplicate, place, message });
        } else {
            first.insert(key, item.place());
        }
    }
}
