//! Addresses with parameters: `artist/:id/albums`.

use percent_encoding::percent_decode_str;

/// An address below `/api/rest/`.
#[derive(Debug)]
pub(super) struct Template {
    text: Box<str>,
    segments: Vec<Segment>,
}

/// A part between two slashes.
#[derive(Debug, PartialEq, Eq)]
enum Segment {
    Text(Box<str>),
    /// A parameter, which any text is a value of.
    Parameter(Box<str>),
}

impl Template {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let mut segments: Vec<Segment> = Vec::new();
        for segment in text.trim_start_matches('/').split('/') {
            let segment = match segment.strip_prefix(':') {
                Some("") => return Err(unnamed(text)),
                Some(name) => Segment::Parameter(name.into()),
                None if segment.is_empty() => return Err(unnamed(text)),
                None => Segment::Text(segment.into()),
            };
            let is_repeated =
                matches!(&segment, Segment::Parameter(_)) && segments.contains(&segment);
            if is_repeated {
                return Err(format!("`{text}` has a parameter twice"));
            }
            segments.push(segment);
        }
        Ok(Self { text: text.into(), segments })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The values of the parameters, if the segments of a path fit.
    pub(super) fn matched(&self, path: &[String]) -> Option<Vec<(&str, String)>> {
        if path.len() != self.segments.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (segment, given) in self.segments.iter().zip(path) {
            match segment {
                Segment::Text(text) if **text == **given => {}
                Segment::Text(_) => return None,
                Segment::Parameter(name) => parameters.push((&**name, given.clone())),
            }
        }
        Some(parameters)
    }

    /// Whether both have the same segments, whatever their parameters are called. Addresses of which
    /// only some paths are equal are allowed: a request of such a path is refused.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let pairs = self.segments.iter().zip(&other.segments);
        self.segments.len() == other.segments.len()
            && pairs.into_iter().all(|pair| match pair {
                (Segment::Text(one), Segment::Text(other)) => one == other,
                (Segment::Parameter(_), Segment::Parameter(_)) => true,
                (Segment::Text(_), Segment::Parameter(_))
                | (Segment::Parameter(_), Segment::Text(_)) => false,
            })
    }
}

fn unnamed(text: &str) -> String {
    format!("Empty segments or unnamed variables are not allowed: {text}")
}

/// A segment of a path without its encoding; `None` if it is not UTF-8.
pub(super) fn decoded(segment: &str) -> Option<String> {
    percent_decode_str(segment).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}
