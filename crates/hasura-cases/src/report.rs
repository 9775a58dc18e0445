//! What the cases have shown.

/// How a file of cases ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Equal,
    /// Both answers are errors, with other texts, codes or paths.
    OtherError(String),
    Different(String),
    /// It could not be compared, and why.
    NotCompared(String),
}

/// The outcomes of all files, by their paths.
#[derive(Debug, Default)]
pub(crate) struct Report(pub(crate) Vec<(String, Outcome)>);

impl Report {
    pub(crate) fn has_failures(&self) -> bool {
        self.0.iter().any(|(_, outcome)| matches!(outcome, Outcome::Different(_)))
    }

    /// Prints all outcomes but equal answers, and counts.
    pub(crate) fn print(&self) {
        let (mut equal, mut other, mut different, mut not_compared) = (0, 0, 0, 0);
        for (path, outcome) in &self.0 {
            match outcome {
                Outcome::Equal => equal += 1,
                Outcome::OtherError(text) => {
                    other += 1;
                    println!("OTHER ERROR {path}\n{text}\n");
                }
                Outcome::Different(text) => {
                    different += 1;
                    println!("DIFFERENT {path}\n{text}\n");
                }
                Outcome::NotCompared(reason) => {
                    not_compared += 1;
                    println!("NOT COMPARED {path}: {reason}");
                }
            }
        }
        println!(
            "\n{equal} equal, {other} with another error, {different} different, \
             {not_compared} not compared"
        );
    }
}
