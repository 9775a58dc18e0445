//! Coerced variable values, and the record of those that changed the plan.
//!
//! A value *steers* where it changes the tree that an operation is lowered to: its presence, null,
//! its keys, its enum value. Lowering reads variables only through [`Steering`], which records each
//! observation. The record, a [`Structure`], is the guard of the prepared request: values that
//! match it would have been lowered to the same tree. A value that is only *bound* is never read,
//! it becomes a parameter.

use std::cell::RefCell;

use exact_numbers::ExactNumbers;
use rustc_hash::FxHashMap;
use serde_json_bytes::{ByteString, Map, Value as Json};

use crate::heap_size;
use crate::opaque::{OpaqueKind, OpaqueShape, read_opaque};
use crate::operation::Operation;
use crate::value::Slot;

/// Values by slot after coercion; `None` for an omitted value without default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variables {
    pub values: Vec<Option<Json>>,
    /// The numbers in them that doubles round.
    pub numbers: SlotNumbers,
}

/// Numbers of variables that doubles round, by slot. Most requests have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotNumbers(Vec<(u16, ExactNumbers)>);

impl SlotNumbers {
    /// Those of an operation's variables.
    #[must_use]
    pub fn new(operation: &Operation, numbers: &ExactNumbers) -> Self {
        if numbers.is_empty() {
            return Self::default();
        }
        let numbers = operation.variables.iter().enumerate().filter_map(|(slot, own)| {
            Some((u16::try_from(slot).ok()?, numbers.member(&own.name).clone()))
        });
        Self(numbers.filter(|(_, own)| !own.is_empty()).collect())
    }

    /// Those of a variable.
    #[must_use]
    pub fn of(&self, slot: Slot) -> &ExactNumbers {
        let own = self.0.iter().find(|(known, _)| *known == slot.0);
        own.map_or(ExactNumbers::none(), |(_, own)| own)
    }

    /// All of them, with the indices of their slots.
    #[must_use]
    pub fn all(&self) -> &[(u16, ExactNumbers)] {
        &self.0
    }
}

/// The path from a variable to a part of its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(pub Vec<PathItem>);

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathItem {
    Key(Box<str>),
    Index(usize),
}

/// Observations of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Aspect {
    Absent,
    Null,
    /// Present and not null.
    Present,
    /// A boolean or an enum value's name.
    Equal(Json),
    /// Present, null or not.
    Given,
    /// An input object with exactly these keys, in this order.
    Keys(Vec<Box<str>>),
    /// An input object with exactly these keys, in any order; here they are sorted.
    KeySet(Vec<Box<str>>),
    /// An input object that has exactly these keys with values that are not null, in any order; here
    /// they are sorted.
    PresentKeys(Vec<Box<str>>),
    /// A list of input objects that all have exactly these keys; here they are sorted. An empty
    /// list matches any keys.
    UniformKeys(Vec<Box<str>>),
    Length(usize),
    /// True if a number is zero.
    Zero(bool),
    /// True if a number is below zero.
    Negative(bool),
    /// True if a number is above a limit.
    Above {
        limit: u32,
        is_above: bool,
    },
    /// True if a text has more characters than a limit.
    Longer {
        limit: u32,
        is_longer: bool,
    },
    /// Not a list where a list is expected: coerced to a list of one.
    Single,
    /// An opaque text of this shape; `None` if it is invalid.
    Opaque(OpaqueKind, Option<OpaqueShape>),
}

/// One observation of a part of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    pub slot: Slot,
    pub path: Path,
    pub aspect: Aspect,
}

/// The observations that led to one lowered request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    pub observations: Vec<Observation>,
}

heap_size!(struct Path(_));
heap_size!(
    enum PathItem {
        Key(key),
        Index(index),
    }
);
heap_size!(
    enum Aspect {
        Absent,
        Null,
        Present,
        Equal(value),
        Given,
        Keys(keys),
        KeySet(keys),
        PresentKeys(keys),
        UniformKeys(keys),
        Length(length),
        Zero(is_zero),
        Negative(is_negative),
        Above { limit, is_above },
        Longer { limit, is_longer },
        Single,
        Opaque(kind, shape),
    }
);
heap_size!(struct Observation { slot, path, aspect });
heap_size!(struct Structure { observations });

/// Access to the variables for lowering, which records each observation.
#[derive(Debug)]
pub struct Steering<'v> {
    variables: &'v Variables,
    record: RefCell<Record>,
}

/// The observations in their order, and an index of them by part of a variable: a client may send a
/// hundred thousand parts.
#[derive(Debug, Default)]
struct Record {
    observations: Vec<Observation>,
    hasher: ahash::RandomState,
    /// The newest observation by the hash of its part.
    newest: FxHashMap<u64, usize>,
    /// Previous observation of each one, with the same hash.
    before: Vec<Option<usize>>,
}

impl Variables {
    /// The part of a variable's value at `path`; `None` if it is absent.
    #[must_use]
    pub fn get(&self, slot: Slot, path: &Path) -> Option<&Json> {
        let mut value = self.values.get(usize::from(slot.0))?.as_ref()?;
        for item in &path.0 {
            value = match (item, value) {
                (PathItem::Key(key), Json::Object(object)) => object.get(&**key)?,
                (PathItem::Index(index), Json::Array(items)) => items.get(*index)?,
                // List coercion: a single value counts as a list of one.
                (PathItem::Index(0), value) => value,
                (PathItem::Key(_) | PathItem::Index(_), _) => return None,
            };
        }
        Some(value)
    }
}

impl Path {
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(PathItem::Key(key.into()))
    }

    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(PathItem::Index(index))
    }

    fn with(&self, item: PathItem) -> Self {
        let mut items = Vec::with_capacity(self.0.len() + 1);
        items.extend_from_slice(&self.0);
        items.push(item);
        Self(items)
    }
}

impl Structure {
    /// True if lowering with these variables would observe the same.
    #[must_use]
    pub fn matches(&self, variables: &Variables) -> bool {
        self.observations.iter().all(|observation| observation.holds(variables))
    }
}

impl Observation {
    fn holds(&self, variables: &Variables) -> bool {
        let value = variables.get(self.slot, &self.path);
        match (&self.aspect, value) {
            (Aspect::Absent, value) => value.is_none(),
            (Aspect::Null, value) => value == Some(&Json::Null),
            (Aspect::Present, value) => value.is_some_and(|value| *value != Json::Null),
            (Aspect::Equal(expected), value) => value == Some(expected),
            (Aspect::Given, value) => value.is_some(),
            (Aspect::KeySet(keys), Some(Json::Object(object))) => has_keys(object, keys),
            (Aspect::PresentKeys(keys), Some(Json::Object(object))) => {
                let present = object.values().filter(|value| **value != Json::Null).count();
                let is_present = |key: &str| object.get(key).is_some_and(|one| *one != Json::Null);
                present == keys.len() && keys.iter().all(|key| is_present(key))
            }
            (Aspect::UniformKeys(keys), Some(Json::Array(items))) => items
                .iter()
                .all(|item| matches!(item, Json::Object(object) if has_keys(object, keys))),
            (Aspect::Keys(keys), Some(Json::Object(object))) => {
                object.len() == keys.len()
                    && object.keys().zip(keys).all(|(key, expected)| key.as_str() == &**expected)
            }
            (Aspect::Length(length), Some(Json::Array(items))) => items.len() == *length,
            (Aspect::Zero(expected), Some(Json::Number(number))) => is_zero(number) == *expected,
            (Aspect::Negative(expected), Some(Json::Number(number))) => {
                is_negative(number) == *expected
            }
            (Aspect::Above { limit, is_above: expected }, Some(Json::Number(number))) => {
                is_above(number, *limit) == *expected
            }
            (Aspect::Longer { limit, is_longer: expected }, Some(value)) => {
                is_longer(value, *limit) == *expected
            }
            (Aspect::Single, Some(value)) => !matches!(value, Json::Array(_) | Json::Null),
            (Aspect::Opaque(kind, expected), Some(value)) => {
                opaque_shape(value, *kind) == *expected
            }
            (
                Aspect::Keys(_)
                | Aspect::KeySet(_)
                | Aspect::PresentKeys(_)
                | Aspect::UniformKeys(_)
                | Aspect::Length(_)
                | Aspect::Zero(_)
                | Aspect::Negative(_)
                | Aspect::Above { .. }
                | Aspect::Longer { .. }
                | Aspect::Single
                | Aspect::Opaque(..),
                _,
            ) => false,
        }
    }
}

impl<'v> Steering<'v> {
    #[must_use]
    pub fn new(variables: &'v Variables) -> Self {
        Self { variables, record: RefCell::default() }
    }

    /// Observes whether the value is absent, null or present.
    pub fn presence(&self, slot: Slot, path: &Path) -> Aspect {
        let aspect = match self.variables.get(slot, path) {
            None => Aspect::Absent,
            Some(Json::Null) => Aspect::Null,
            Some(_) => Aspect::Present,
        };
        self.observe(slot, path, aspect.clone());
        aspect
    }

    /// Observes whether the value is present; null counts as present.
    pub fn given(&self, slot: Slot, path: &Path) -> bool {
        let is_given = self.variables.get(slot, path).is_some();
        self.observe(slot, path, if is_given { Aspect::Given } else { Aspect::Absent });
        is_given
    }

    /// Observes whether the value is the number zero.
    pub fn is_zero(&self, slot: Slot, path: &Path) -> bool {
        match self.variables.get(slot, path) {
            Some(Json::Number(number)) => {
                let is_zero = is_zero(number);
                self.observe(slot, path, Aspect::Zero(is_zero));
                is_zero
            }
            Some(_) | None => {
                self.presence(slot, path);
                false
            }
        }
    }

    /// Observes whether the value is a number below zero.
    pub fn is_negative(&self, slot: Slot, path: &Path) -> bool {
        match self.variables.get(slot, path) {
            Some(Json::Number(number)) => {
                let is_negative = is_negative(number);
                self.observe(slot, path, Aspect::Negative(is_negative));
                is_negative
            }
            Some(_) | None => {
                self.presence(slot, path);
                false
            }
        }
    }

    /// Observes whether a number is above a limit.
    pub fn is_above(&self, slot: Slot, path: &Path, limit: u32) -> bool {
        match self.variables.get(slot, path) {
            Some(Json::Number(number)) => {
                let is_above = is_above(number, limit);
                self.observe(slot, path, Aspect::Above { limit, is_above });
                is_above
            }
            Some(_) | None => {
                self.presence(slot, path);
                false
            }
        }
    }

    /// Observes whether a text has more characters than a limit.
    pub fn is_longer(&self, slot: Slot, path: &Path, limit: u32) -> bool {
        let Some(value) = self.variables.get(slot, path) else {
            self.presence(slot, path);
            return false;
        };
        let is_longer = is_longer(value, limit);
        self.observe(slot, path, Aspect::Longer { limit, is_longer });
        is_longer
    }

    /// Observes a boolean or enum value as a whole.
    pub fn value(&self, slot: Slot, path: &Path) -> Option<&'v Json> {
        let value = self.variables.get(slot, path);
        let aspect = value.map_or(Aspect::Absent, |value| Aspect::Equal(value.clone()));
        self.observe(slot, path, aspect);
        value
    }

    /// Observes the keys of an input object, in the order given; `None` if it is no object.
    pub fn keys(&self, slot: Slot, path: &Path) -> Option<Vec<Box<str>>> {
        match self.variables.get(slot, path) {
            Some(Json::Object(object)) => {
                let keys: Vec<Box<str>> = object.keys().map(|key| key.as_str().into()).collect();
                self.observe(slot, path, Aspect::Keys(keys.clone()));
                Some(keys)
            }
            Some(_) | None => {
                self.presence(slot, path);
                None
            }
        }
    }

    /// Observes the keys of an input object, sorted, where their order is irrelevant; `None` if it
    /// is no object.
    pub fn key_set(&self, slot: Slot, path: &Path) -> Option<Vec<Box<str>>> {
        match self.variables.get(slot, path) {
            Some(Json::Object(object)) => {
                let keys = sorted_keys(object);
                self.observe(slot, path, Aspect::KeySet(keys.clone()));
                Some(keys)
            }
            Some(_) | None => {
                self.presence(slot, path);
                None
            }
        }
    }

    /// Observes the keys of an input object whose values are not null, sorted; `None` if it is no
    /// object. The number of all its keys does not steer.
    pub fn present_keys(&self, slot: Slot, path: &Path) -> Option<(Vec<Box<str>>, usize)> {
        match self.variables.get(slot, path) {
            Some(Json::Object(object)) => {
                let members = object.iter().filter(|(_, value)| **value != Json::Null);
                let mut keys: Vec<Box<str>> = members.map(|(key, _)| key.as_str().into()).collect();
                keys.sort_unstable();
                self.observe(slot, path, Aspect::PresentKeys(keys.clone()));
                Some((keys, object.len()))
            }
            Some(_) | None => {
                self.presence(slot, path);
                None
            }
        }
    }

    /// Whether the value is present and not null. That of an object is not observed: observations
    /// of its keys, which follow, hold for no other value.
    pub fn is_object_or_present(&self, slot: Slot, path: &Path) -> bool {
        matches!(self.variables.get(slot, path), Some(Json::Object(_)))
            || self.presence(slot, path) == Aspect::Present
    }

    /// Observes the common keys of all input objects of a list, sorted; `None` where they differ,
    /// where the list is empty, or where it is no list: then nothing is recorded.
    pub fn uniform_keys(&self, slot: Slot, path: &Path) -> Option<Vec<Box<str>>> {
        let Some(Json::Array(items)) = self.variables.get(slot, path) else { return None };
        let Some(Json::Object(first)) = items.first() else { return None };
        let keys = sorted_keys(first);
        let aspect = Aspect::UniformKeys(keys.clone());
        let observation = Observation { slot, path: path.clone(), aspect };
        if !observation.holds(self.variables) {
            return None;
        }
        self.observe(slot, path, observation.aspect);
        Some(keys)
    }

    /// Observes the length of a list; a single value counts as a list of one.
    pub fn length(&self, slot: Slot, path: &Path) -> Option<usize> {
        match self.variables.get(slot, path) {
            Some(Json::Array(items)) => {
                self.observe(slot, path, Aspect::Length(items.len()));
                Some(items.len())
            }
            Some(Json::Null) | None => {
                self.presence(slot, path);
                None
            }
            Some(_) => {
                self.observe(slot, path, Aspect::Single);
                Some(1)
            }
        }
    }

    /// Observes the steering parts of an opaque text; `None` if it is invalid.
    pub fn opaque(&self, slot: Slot, path: &Path, kind: OpaqueKind) -> Option<OpaqueShape> {
        let Some(value) = self.variables.get(slot, path) else {
            self.presence(slot, path);
            return None;
        };
        let shape = opaque_shape(value, kind);
        self.observe(slot, path, Aspect::Opaque(kind, shape.clone()));
        shape
    }

    /// The recorded observations.
    #[must_use]
    pub fn into_structure(self) -> Structure {
        Structure { observations: self.record.into_inner().observations }
    }

    fn observe(&self, slot: Slot, path: &Path, aspect: Aspect) {
        let mut record = self.record.borrow_mut();
        let Record { observations, hasher, newest, before } = &mut *record;
        let hash = hasher.hash_one((slot, path));
        let mut place = newest.get(&hash).copied();
        while let Some(known) = place {
            let observation = &observations[known];
            if observation.aspect == aspect && (observation.slot, &observation.path) == (slot, path)
            {
                return;
            }
            place = before[known];
        }
        before.push(newest.insert(hash, observations.len()));
        observations.push(Observation { slot, path: path.clone(), aspect });
    }
}

fn sorted_keys(object: &Map<ByteString, Json>) -> Vec<Box<str>> {
    let mut keys: Vec<Box<str>> = object.keys().map(|key| key.as_str().into()).collect();
    keys.sort_unstable();
    keys
}

fn is_zero(number: &serde_json_bytes::serde_json::Number) -> bool {
    number.as_f64() == Some(0.0)
}

fn is_negative(number: &serde_json_bytes::serde_json::Number) -> bool {
    number.as_f64().is_some_and(|number| number < 0.0)
}

/// True of a text with more characters. Other values have none.
fn is_longer(value: &Json, limit: u32) -> bool {
    match value {
        Json::String(text) => has_more_characters(text.as_str(), limit),
        _ => false,
    }
}

/// True if a text has more characters than a limit.
#[must_use]
pub fn has_more_characters(text: &str, limit: u32) -> bool {
    text.chars().nth(limit as usize).is_some()
}

fn is_above(number: &serde_json_bytes::serde_json::Number, limit: u32) -> bool {
    number.as_f64().is_some_and(|number| number > limit.into())
}

/// True if an object has exactly these keys, without duplicates.
fn has_keys(object: &Map<ByteString, Json>, keys: &[Box<str>]) -> bool {
    object.len() == keys.len() && keys.iter().all(|key| object.contains_key(&**key))
}

fn opaque_shape(value: &Json, kind: OpaqueKind) -> Option<OpaqueShape> {
    read_opaque(value.as_str()?, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(json: &str) -> Variables {
        Variables { values: vec![serde_json::from_str(json).unwrap()], ..Variables::default() }
    }

    /// The observations of lowering a filter: each clause's keys, each operand's presence.
    fn structure(json: &str) -> Structure {
        let variables = variables(json);
        let steering = Steering::new(&variables);
        let root = Path::default();
        for index in 0..steering.length(Slot(0), &root).unwrap_or(0) {
            let clause = root.index(index);
            for key in steering.keys(Slot(0), &clause).unwrap_or_default() {
                steering.presence(Slot(0), &clause.key(&key));
            }
        }
        steering.into_structure()
    }

    #[test]
    fn values_that_only_fill_leave_the_structure_as_it_is() {
        let structure = structure(r#"[{"a":1},{"b":null}]"#);
        assert!(structure.matches(&variables(r#"[{"a":"x"},{"b":null}]"#)));
        for other in [
            r#"[{"a":1}]"#,
            r#"[{"a":1},{"b":1}]"#,
            r#"[{"a":null},{"b":null}]"#,
            r#"[{"a":1},{"b":null,"a":1}]"#,
            r#"[{"a":1},null]"#,
            r#"{"a":1}"#,
            "null",
        ] {
            assert!(!structure.matches(&variables(other)), "{other}");
        }
    }

    #[test]
    fn an_explicit_null_is_a_value_where_only_the_keys_steer() {
        let root = Path::default();
        let patch = variables(r#"{"b":1,"a":null}"#);
        let steering = Steering::new(&patch);
        let keys = steering.key_set(Slot(0), &root).unwrap();
        assert_eq!(keys, [Box::from("a"), Box::from("b")]);
        assert!(steering.given(Slot(0), &root.key("a")));
        assert!(!steering.given(Slot(0), &root.key("c")));
        let structure = steering.into_structure();
        assert!(structure.matches(&variables(r#"{"a":2,"b":null}"#)));
        for other in [r#"{"a":1}"#, r#"{"a":1,"b":1,"c":1}"#, r#"{"a":1,"c":1}"#, "null", "[]"] {
            assert!(!structure.matches(&variables(other)), "{other}");
        }
    }

    #[test]
    fn null_members_are_as_absent_ones_where_only_the_present_keys_steer() {
        let root = Path::default();
        let object = variables(r#"{"b":1,"c":null,"a":2}"#);
        let steering = Steering::new(&object);
        let (keys, members) = steering.present_keys(Slot(0), &root).unwrap();
        assert_eq!((keys, members), (vec![Box::from("a"), Box::from("b")], 3));
        assert!(steering.is_object_or_present(Slot(0), &root));
        let structure = steering.into_structure();
        assert_eq!(structure.observations.len(), 1);
        for same in [r#"{"a":"x","b":2}"#, r#"{"d":null,"b":2,"a":1}"#] {
            assert!(structure.matches(&variables(same)), "{same}");
        }
        for other in [r#"{"a":1}"#, r#"{"a":1,"b":null}"#, r#"{"a":1,"b":1,"c":1}"#, "null", "[]"] {
            assert!(!structure.matches(&variables(other)), "{other}");
        }
    }

    #[test]
    fn numbers_with_the_same_sign_are_one_structure_where_only_the_sign_steers() {
        let root = Path::default();
        let check = |value: &str, expect: bool, same: &[&str], others: &[&str]| {
            let own = variables(value);
            let steering = Steering::new(&own);
            assert_eq!(steering.is_negative(Slot(0), &root), expect, "{value}");
            let structure = steering.into_structure();
            for same in same {
                assert!(structure.matches(&variables(same)), "{value}: {same}");
            }
            for other in others {
                assert!(!structure.matches(&variables(other)), "{value}: {other}");
            }
        };
        let (negative, others) = (["-7", "-1.5", "-9e99"], ["0", "3", "2.5", "9e99"]);
        check("-1", true, &negative, &[&others[..], &["null", r#""-1""#, "[-1]"]].concat());
        check("1", false, &others, &[&negative[..], &["null", r#""1""#, "[1]"]].concat());
        check("0", false, &others, &negative);
        check("null", false, &["null"], &["0", "1", "-1"]);
    }

    #[test]
    fn texts_on_the_same_side_of_a_limit_are_one_structure_where_their_length_steers() {
        let root = Path::default();
        let check = |value: &str, expect: bool, same: &[&str], others: &[&str]| {
            let own = variables(value);
            let steering = Steering::new(&own);
            assert_eq!(steering.is_longer(Slot(0), &root, 3), expect, "{value}");
            let structure = steering.into_structure();
            for same in same {
                assert!(structure.matches(&variables(same)), "{value}: {same}");
            }
            for other in others {
                assert!(!structure.matches(&variables(other)), "{value}: {other}");
            }
        };
        let (long, others) = ([r#""abcd""#, r#""öäüß""#], [r#""""#, r#""öäü""#, "12345"]);
        check(r#""abcde""#, true, &long, &[&others[..], &["null"]].concat());
        check(r#""abc""#, false, &others, &[&long[..], &["null"]].concat());
        check("null", false, &["null"], &[&long[..], &others].concat());
    }

    #[test]
    fn lists_of_objects_with_the_same_keys_are_one_structure_whatever_their_length() {
        let list = variables(r#"[{"b":1,"a":2},{"a":1,"b":null}]"#);
        let steering = Steering::new(&list);
        let keys = steering.uniform_keys(Slot(0), &Path::default()).unwrap();
        assert_eq!(keys, [Box::from("a"), Box::from("b")]);
        let structure = steering.into_structure();
        for same in [r#"[{"a":1,"b":1}]"#, "[]"] {
            assert!(structure.matches(&variables(same)), "{same}");
        }
        for other in [r#"[{"a":1}]"#, r#"[{"a":1,"b":2},{"a":1}]"#, r#"[null]"#, "null"] {
            assert!(!structure.matches(&variables(other)), "{other}");
        }
        let differing = variables(r#"[{"a":1},{"b":1}]"#);
        let steering = Steering::new(&differing);
        assert_eq!(steering.uniform_keys(Slot(0), &Path::default()), None);
        assert!(steering.into_structure().observations.is_empty());
    }

    #[test]
    fn what_is_looked_at_again_is_written_down_once() {
        let variables = variables("true");
        let steering = Steering::new(&variables);
        for _ in 0..3 {
            steering.value(Slot(0), &Path::default());
            steering.presence(Slot(0), &Path::default());
        }
        let aspects: Vec<_> =
            steering.into_structure().observations.into_iter().map(|seen| seen.aspect).collect();
        assert_eq!(aspects, [Aspect::Equal(Json::Bool(true)), Aspect::Present]);
    }

    /// A search through all earlier observations for each one would take minutes.
    #[test]
    fn a_body_full_of_clauses_is_looked_at_in_its_own_time() {
        let clauses = vec![r#"{"a":1}"#; 100_000].join(",");
        assert_eq!(structure(&format!("[{clauses}]")).observations.len(), 200_001);
    }
}
