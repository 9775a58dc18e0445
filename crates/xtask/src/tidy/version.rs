//! Versions of packages, and requirements of them as Cargo writes them:
//! <https://doc.rust-lang.org/cargo/reference/specifying-dependencies.html>.

use std::cmp::Ordering;

/// A version; build metadata is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    numbers: [u64; 3],
    /// Of one before the release.
    before: Option<String>,
}

/// `>= 1.2.3, < 2` and the like: all of it must hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Requirement(Vec<(Operator, Version, usize)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Compatible,
    Patch,
}

impl Version {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        parse(text).map(|(version, _)| version)
    }
}

/// A version and how many of its numbers are there.
fn parse(text: &str) -> Option<(Version, usize)> {
    let text = text.trim().split('+').next()?;
    let (numbers, before) = match text.split_once('-') {
        Some((numbers, before)) => (numbers, Some(before.to_owned())),
        None => (text, None),
    };
    let mut found = [0; 3];
    let mut count = 0;
    for part in numbers.split('.').filter(|part| *part != "*") {
        *found.get_mut(count)? = part.parse().ok()?;
        count += 1;
    }
    Some((Version { numbers: found, before }, count))
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&self.before, &other.before) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(one), Some(other)) => compare_before(one, other),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Compares pre-releases part by part, numbers as such, and before texts.
fn compare_before(one: &str, other: &str) -> Ordering {
    let part = |text: &str| match text.parse::<u64>() {
        Ok(number) => (0, number, String::new()),
        Err(_) => (1, 0, text.to_owned()),
    };
    one.split('.').map(part).cmp(other.split('.').map(part))
}

impl Requirement {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let parts = text.split(',').map(|part| {
            let part = part.trim();
            let operators = [
                (">=", Operator::GreaterOrEqual),
                ("<=", Operator::LessOrEqual),
                (">", Operator::Greater),
                ("<", Operator::Less),
                ("=", Operator::Equal),
                ("^", Operator::Compatible),
                ("~", Operator::Patch),
            ];
            let found = operators
                .into_iter()
                .find_map(|(sign, operator)| part.strip_prefix(sign).map(|rest| (operator, rest)));
            let (operator, rest) = found.unwrap_or((Operator::Compatible, part));
            let (version, count) = parse(rest)?;
            Some((operator, version, count))
        });
        parts.collect::<Option<Vec<_>>>().map(Self)
    }

    pub(crate) fn contains(&self, version: &Version) -> bool {
        self.0.iter().all(|(operator, wanted, count)| match operator {
            Operator::Less => version < wanted,
            Operator::LessOrEqual => version <= wanted,
            Operator::Greater => version > wanted,
            Operator::GreaterOrEqual => version >= wanted,
            Operator::Equal => {
                version.numbers[..*count] == wanted.numbers[..*count]
                    && (*count < 3 || version.before == wanted.before)
            }
            Operator::Compatible => {
                // The first number that is not 0 stays, and all before it.
                let first = wanted.numbers.iter().position(|number| *number != 0).unwrap_or(2);
                let stays = (first + 1).min((*count).max(1));
                version >= wanted && version.numbers[..stays] == wanted.numbers[..stays]
            }
            Operator::Patch => {
                let stays = (*count).clamp(1, 2);
                version >= wanted && version.numbers[..stays] == wanted.numbers[..stays]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_hold_as_cargo_has_them() {
        for (requirement, version, expected) in [
            (">= 1.2.3", "1.2.3", true),
            (">= 1.2.3", "1.2.2", false),
            (">=0.22.4, <0.23.0", "0.22.9", true),
            (">=0.22.4, <0.23.0", "0.23.0", false),
            ("< 0.23", "0.22.9", true),
            ("< 0.23", "0.23.0", false),
            ("> 1.0", "1.0.1", true),
            ("<= 1.0.1", "1.0.1", true),
            ("= 1.0.1", "1.0.1", true),
            ("= 1.0.1", "1.0.2", false),
            ("^0.7.1", "0.7.9", true),
            ("^0.7.1", "0.8.0", false),
            ("^1.7.5", "1.9.0", true),
            ("^1.7.5", "2.0.0", false),
            ("1.2", "1.9.0", true),
            ("^0.0.3", "0.0.4", false),
            ("~1.2.3", "1.2.9", true),
            ("~1.2.3", "1.3.0", false),
            (">= 0.10.0-alpha.2", "0.10.0-alpha.10", true),
            (">= 0.10.0", "0.10.0-alpha.10", false),
            (">= 1.0.0", "1.0.0+build", true),
        ] {
            let requirement = Requirement::parse(requirement).unwrap();
            let version = Version::parse(version).unwrap();
            assert_eq!(requirement.contains(&version), expected, "{requirement:?} {version:?}");
        }
        assert_eq!(Requirement::parse("latest"), None);
    }
}
