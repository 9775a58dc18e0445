//! Sessions: settings and claims that a source receives before the statements of a request.

use std::fmt;
use std::sync::{Arc, LazyLock};

use ir::Claims;

/// The session of a request, as far as a source has to know.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Settings for the source; `None` without authentication.
    pub settings: Option<Arc<Settings>>,
    /// Claims of the session; `None` without authentication.
    pub claims: Option<Arc<Claims>>,
}

/// Settings that a source receives before the statements. Built once per token, not once per
/// request.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Names and values in the order in which they are set; a role is the setting `role`.
    pairs: Vec<(Box<str>, Box<str>)>,
    names: NameSet,
    /// The names and the values as PostgreSQL reads lists.
    lists: [Box<[u8]>; 2],
}

/// A sorted set of names of settings that a connection remembers: those with a dot, which keep a
/// value of their own once they were set. The bits distinguish most sets at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameSet {
    bits: u64,
    names: Arc<[Box<str>]>,
}

/// The empty set.
static NO_NAMES: LazyLock<NameSet> = LazyLock::new(NameSet::default);

impl Session {
    /// The names that a connection remembers.
    #[must_use]
    pub fn names(&self) -> &NameSet {
        self.settings.as_ref().map_or(&NO_NAMES, |settings| &settings.names)
    }
}

impl Settings {
    /// Settings in the order in which they are set.
    #[must_use]
    pub fn new(pairs: Vec<(Box<str>, Box<str>)>) -> Self {
        let dotted = pairs.iter().map(|(name, _)| &**name).filter(|name| name.contains('.'));
        let names = NameSet::new(dotted);
        let lists = write_lists(&pairs);
        Self { pairs, names, lists }
    }

    /// These settings and another one, which a connection may keep: whoever reads it takes an empty value
    /// for a missing one.
    #[must_use]
    pub fn with_transient(self, name: &str, value: &str) -> Self {
        let Self { mut pairs, names, .. } = self;
        pairs.push((name.into(), value.into()));
        let lists = write_lists(&pairs);
        Self { pairs, names, lists }
    }

    /// The bytes that they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let Self { pairs, names: NameSet { bits: _, names }, lists } = self;
        let own = size_of::<Self>() + pairs.capacity() * size_of::<(Box<str>, Box<str>)>();
        let pairs: usize = pairs.iter().map(|(name, value)| name.len() + value.len()).sum();
        let names: usize = names.iter().map(|name| size_of::<Box<str>>() + name.len()).sum();
        let lists: usize = lists.iter().map(|list| list.len()).sum();
        own + pairs + 2 * size_of::<usize>() + names + lists
    }

    /// Names and values in the order in which they are set.
    #[must_use]
    pub fn pairs(&self) -> &[(Box<str>, Box<str>)] {
        &self.pairs
    }

    /// The names that a connection remembers.
    #[must_use]
    pub fn names(&self) -> &NameSet {
        &self.names
    }

    /// The names and the values as PostgreSQL reads lists.
    pub fn lists(&self) -> [&[u8]; 2] {
        self.lists.each_ref().map(|list| &**list)
    }
}

/// Values are secrets: logs do not show them.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.pairs.iter().map(|(name, _)| name)).finish()
    }
}

impl NameSet {
    /// A set of these names.
    #[must_use]
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut names: Vec<Box<str>> = names.into_iter().map(Into::into).collect();
        names.sort_unstable();
        names.dedup();
        let bits = names.iter().fold(0, |bits, name| bits | bit(name));
        Self { bits, names: names.into() }
    }

    /// Whether all of them are among the others.
    #[must_use]
    pub fn is_subset(&self, of: &Self) -> bool {
        self.bits & !of.bits == 0
            && self.names.iter().all(|name| of.names.binary_search(name).is_ok())
    }

    /// All of both.
    #[must_use]
    pub fn union(&self, with: &Self) -> Self {
        match (self.is_subset(with), with.is_subset(self)) {
            (_, true) => self.clone(),
            (true, false) => with.clone(),
            (false, false) => Self::new(self.names.iter().chain(&*with.names).map(|name| &**name)),
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The bit of a name, of 64.
fn bit(name: &str) -> u64 {
    let sum = name
        .bytes()
        .fold(0_u64, |sum, byte| sum.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from(byte)));
    1 << (sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

/// Names and values as the texts of two lists.
fn write_lists(pairs: &[(Box<str>, Box<str>)]) -> [Box<[u8]>; 2] {
    let mut lists = [vec![b'{'], vec![b'{']];
    for (index, (name, value)) in pairs.iter().enumerate() {
        for (list, text) in lists.iter_mut().zip([name, value]) {
            if index > 0 {
                list.push(b',');
            }
            write_quoted(text.as_bytes(), list);
        }
    }
    lists.map(|mut list| {
        list.push(b'}');
        list.into_boxed_slice()
    })
}

/// Appends a text within quotes, as an element of an array literal of PostgreSQL.
pub fn write_quoted(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> NameSet {
        NameSet::new(names.iter().copied())
    }

    #[test]
    fn sets_hold_each_name_once_whatever_the_order() {
        assert_eq!(set(&["b", "a", "b"]), set(&["a", "b"]));
        assert_eq!(set(&["a"]).union(&set(&["b"])), set(&["a", "b"]));
        assert_eq!(set(&[]).union(&set(&["b"])), set(&["b"]));
        assert_eq!(set(&["a", "b"]).len(), 2);
    }

    #[test]
    fn a_subset_is_told_by_its_names_and_not_by_their_bits() {
        let many: Vec<String> = (0..200).map(|number| format!("jwt.claims.{number}")).collect();
        let all = NameSet::new(many.iter().map(String::as_str));
        assert!(set(&["jwt.claims.7"]).is_subset(&all));
        assert!(!set(&["jwt.claims.200"]).is_subset(&all));
        assert!(NameSet::default().is_subset(&set(&["a"])));
        assert!(!set(&["a"]).is_subset(&NameSet::default()));
    }

    #[test]
    fn only_names_with_a_dot_are_remembered() {
        let pair = |name: &str| (Box::from(name), Box::from("x"));
        let settings = Settings::new(vec![pair("role"), pair("jwt.claims.id")]);
        assert_eq!(*settings.names(), set(&["jwt.claims.id"]));
        assert_eq!(settings.pairs().len(), 2);
    }

    #[test]
    fn whatever_a_value_holds_it_is_one_element() {
        let pair = |name: &str, value: &str| (name.into(), value.into());
        let pairs = [pair("role", "a\"b\\c"), pair("x.y", "NULL,{}"), pair("x.z", "")];
        let [names, values] =
            write_lists(&pairs).map(|list| String::from_utf8(list.into()).unwrap());
        assert_eq!(names, r#"{"role","x.y","x.z"}"#);
        assert_eq!(values, r#"{"a\"b\\c","NULL,{}",""}"#);
        assert_eq!(write_lists(&[]).map(Vec::from), [b"{}".to_vec(), b"{}".to_vec()]);
    }
}
