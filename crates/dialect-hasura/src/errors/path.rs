//! Paths to selections and values, as Hasura writes them: `$.selectionSet.artist.args.where`.

use std::fmt::Write;

use graphql::problem::Step;

/// The text of a path.
pub(super) fn text(path: &[Step]) -> String {
    let mut text = String::from("$");
    for step in path {
        // Writing to a string cannot fail.
        let _ = match step {
            Step::SelectionSet => write!(text, ".selectionSet"),
            Step::Arguments => write!(text, ".args"),
            Step::Index(index) => write!(text, "[{index}]"),
            Step::Key(key) if is_identifier(key) => write!(text, ".{key}"),
            Step::Key(key) => {
                write!(text, "['{}']", key.replace('\\', "\\\\").replace('\'', "\\'"))
            }
        };
    }
    text
}

/// True for a key of a JSON path that needs no quotes.
fn is_identifier(key: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    key.bytes().next().is_some_and(is_letter)
        && key.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

/// The path of arguments that do not fit together: those of the nearest field.
pub(super) fn of_arguments(nearest: &[Step]) -> Vec<Step> {
    let mut path = nearest.to_vec();
    if matches!(nearest, [.., Step::SelectionSet, Step::Key(_)]) {
        path.push(Step::Arguments);
    }
    path
}

/// The path of the id of a row of any table: an argument of the nearest field.
pub(super) fn of_id(nearest: &[Step]) -> Vec<Step> {
    let mut path = of_arguments(nearest);
    path.push(Step::Key("id".into()));
    path
}

/// True for the root field that finds the row of any table by its id.
pub(super) fn is_node(nearest: &[Step]) -> bool {
    matches!(nearest, [Step::SelectionSet, Step::Key(field)] if &**field == "node")
}

/// The path of what the database refuses: of inserts their objects, of everything else the request.
/// `nearest` is the path to the root field.
pub(super) fn of_written(nearest: &[Step]) -> String {
    let [Step::SelectionSet, Step::Key(field), ..] = nearest else { return "$".into() };
    let Some(rest) = field.strip_prefix("insert") else { return "$".into() };
    let is_one = rest.ends_with("_one") || rest.ends_with("One");
    let argument = if is_one { "object" } else { "objects" };
    let steps =
        [Step::SelectionSet, Step::Key(field.clone()), Step::Arguments, Step::Key(argument.into())];
    text(&steps)
}
