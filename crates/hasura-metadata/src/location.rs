//! Locations in metadata: a file with line and column, and the path from the root.

use std::fmt;
use std::sync::Arc;

/// The location of a part of metadata.
///
/// YAML has lines and columns; the parser of JSON keeps none, so that a location there is a path.
/// Locations take no part in comparisons: two metadata are equal if they have the same content.
#[derive(Clone, Default)]
pub struct Location {
    pub mark: Mark,
    pub path: Path,
}

/// As displayed: each object has a place, and the steps of paths would hide the rest.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

impl PartialEq for Location {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Location {}

/// A position in a file.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// The path of the file in its folder, or the name that the caller gave the text.
    pub file: Arc<str>,
    /// From 1; 0 if it is unknown.
    pub line: u32,
    /// From 1, in characters; 0 if it is unknown.
    pub column: u32,
}

impl Mark {
    #[must_use]
    pub fn of_file(file: &Arc<str>) -> Self {
        Self { file: Arc::clone(file), line: 0, column: 0 }
    }
}

/// The path from the root, as in `sources[0].tables[3].select_permissions[0].role`.
#[derive(Clone, Debug, Default)]
pub struct Path(Option<Arc<Step>>);

#[derive(Debug)]
struct Step {
    parent: Path,
    segment: Segment,
}

/// One step of a path.
#[derive(Clone, Debug)]
pub enum Segment {
    /// A key of an object of metadata.
    Key(&'static str),
    /// A key that the user chose, such as a column.
    Name(Arc<str>),
    /// An index of a list, from 0.
    Index(usize),
}

impl Path {
    #[must_use]
    pub fn step(&self, segment: Segment) -> Self {
        Self(Some(Arc::new(Step { parent: self.clone(), segment })))
    }

    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(step) = &self.0 else { return Ok(()) };
        step.parent.fmt(f)?;
        let dot = if step.parent.is_root() { "" } else { "." };
        match &step.segment {
            Segment::Key(key) => write!(f, "{dot}{key}"),
            Segment::Name(name) if is_word(name) => write!(f, "{dot}{name}"),
            Segment::Name(name) => write!(f, "[{name:?}]"),
            Segment::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_$-".contains(letter))
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mark { file, line, column } = &self.mark;
        f.write_str(file)?;
        if *line > 0 {
            write!(f, ":{line}:{column}")?;
        }
        if !self.path.is_root() {
            write!(f, " ({})", self.path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_file_line_column_and_path() {
        let path = Path::default().step(Segment::Key("sources")).step(Segment::Index(0));
        let path = path.step(Segment::Key("column_config")).step(Segment::Name("a b".into()));
        let mark = Mark { file: "databases.yaml".into(), line: 3, column: 5 };
        let place = Location { mark, path: path.step(Segment::Name("x-hasura-id".into())) };
        assert_eq!(
            place.to_string(),
            r#"databases.yaml:3:5 (sources[0].column_config["a b"].x-hasura-id)"#
        );
        let place =
            Location { mark: Mark::of_file(&"metadata.json".into()), path: Path::default() };
        assert_eq!(place.to_string(), "metadata.json");
    }
}
