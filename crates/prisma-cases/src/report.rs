//! What the tests have shown.

use std::collections::BTreeMap;

/// How a test ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// All that it asserts holds.
    Equal,
    /// What was compared is equal, but something of the test was not compared.
    Partly(String),
    /// An error comes as expected, with another text.
    OtherError(String),
    Different(String),
    /// Nothing of it was compared, and why.
    NotCompared(String),
    /// It is not for this database, or Prisma does not run it.
    LeftOut(String),
}

impl Outcome {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Equal => "equal       ",
            Self::Partly(_) => "partly equal",
            Self::OtherError(_) => "other error ",
            Self::Different(_) => "DIFFERENT   ",
            Self::NotCompared(_) => "not compared",
            Self::LeftOut(_) => "left out    ",
        }
    }
}

/// The outcomes of all tests, by their files and names.
#[derive(Debug, Default)]
pub(crate) struct Report(pub(crate) Vec<(String, String, Outcome)>);

impl Report {
    pub(crate) fn has_failures(&self) -> bool {
        self.0.iter().any(|(_, _, outcome)| matches!(outcome, Outcome::Different(_)))
    }

    /// Prints the outcomes, those that are equal as one line a file, and counts.
    pub(crate) fn print(&self) {
        let mut equal: BTreeMap<&str, usize> = BTreeMap::new();
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        let mut counts = [0_usize; 6];
        for (path, name, outcome) in &self.0 {
            match outcome {
                Outcome::Equal => {
                    counts[0] += 1;
                    *equal.entry(path).or_default() += 1;
                }
                Outcome::Partly(reason) => {
                    counts[1] += 1;
                    println!("PARTLY EQUAL {path}: {name}: {reason}");
                }
                Outcome::Different(text) => {
                    counts[2] += 1;
                    println!("DIFFERENT {path}: {name}\n{text}\n");
                }
                Outcome::OtherError(text) => {
                    counts[5] += 1;
                    println!("OTHER ERROR {path}: {name}\n{text}\n");
                }
                Outcome::NotCompared(reason) => {
                    counts[3] += 1;
                    *reasons.entry(reason).or_default() += 1;
                    println!("NOT COMPARED {path}: {name}: {reason}");
                }
                Outcome::LeftOut(reason) => {
                    counts[4] += 1;
                    *reasons.entry(reason).or_default() += 1;
                }
            }
        }
        for (path, count) in equal {
            println!("EQUAL {path}: {count}");
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        println!("\nnot compared, or left out:");
        for (reason, count) in reasons {
            println!("{count:5} {reason}");
        }
        let [equal, partly, different, not_compared, left_out, other] = counts;
        println!(
            "\n{equal} equal, {partly} partly equal, {other} with another error, {different} different, \
             {not_compared} not compared, {left_out} left out"
        );
    }
}
