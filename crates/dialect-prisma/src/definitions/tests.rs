mod fields;
mod relations;
mod types;

use expect_test::Expect;

use super::{DefinitionProblem, read};
use crate::model::Model;

#[track_caller]
fn accepted(text: &str) -> Model {
    read(text).unwrap_or_else(|problems| panic!("{}", lines(&problems)))
}

/// Compares all mistakes of a datamodel.
#[track_caller]
fn refused(text: &str, expected: &Expect) {
    match read(text) {
        Ok(model) => panic!("{model:#?}"),
        Err(problems) => expected.assert_eq(&lines(&problems)),
    }
}

fn lines(problems: &[DefinitionProblem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}
