//! Templates of URLs, such as `https://example.com/users/{$args.id}?limit={$args.limit}`.
//! <https://www.apollographql.com/docs/graphos/connectors/requests/url>
//!
//! Expressions stand in the path and in the query, where their values are percent-encoded: they cannot
//! change the host, or end their segment or parameter. The URL of a source may begin with expressions of
//! the configuration, which is trusted.

use http::uri::{Authority, Scheme};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::location::SyntaxError;
use crate::mapping::{Inputs, Mapping};
use crate::template::{Part, Template};
use crate::version::Version;

/// A URL with expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlTemplate {
    /// Scheme and host; `None` if the URL is relative to that of a source, or begins with `base`.
    pub(crate) origin: Option<Origin>,
    /// The beginning of a URL whose scheme or host has expressions; else empty.
    pub(crate) base: Vec<Part>,
    /// Parts of the path between slashes, after the first slash. The last one is empty if a slash ends
    /// the path.
    pub(crate) segments: Vec<Pieces>,
    pub(crate) query: Vec<Parameter>,
}

/// Scheme and host.
pub(crate) type Origin = (Scheme, Authority);

/// A name of the query, and its value, if it has one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: Pieces,
    pub(crate) value: Option<Pieces>,
}

pub(crate) type Pieces = Vec<Piece>;

/// A part of a URL.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// A text, encoded.
    Text(Box<str>),
    Expression(Mapping),
}

/// The reason why a text is no template of a URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Syntax(Vec<SyntaxError>),
    #[error("its scheme is `{0}`: only `http` and `https` are supported")]
    Scheme(Box<str>),
    #[error(
        "an expression stands in its scheme or host, where it could lead to any server: write them \
             out, and override the URL of the source in the configuration"
    )]
    Host,
    #[error("its host is no host with an optional port")]
    Authority,
    #[error("it has a user or a password: send a header instead")]
    Credentials,
    #[error("it has a fragment (`#`), which is never sent: leave it out")]
    Fragment,
}

/// What is encoded in texts of a URL: what a URL may not have there. `%` stays: texts may be encoded.
const TEXT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// What is encoded in values: everything but unreserved characters.
/// <https://www.rfc-editor.org/rfc/rfc3986#section-2.3>
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Adds a value, encoded.
pub(crate) fn encode(value: &str, url: &mut String) {
    url.extend(utf8_percent_encode(value, VALUE));
}

impl UrlTemplate {
    /// Parses a URL. Line breaks and the spaces around them are left out.
    pub fn parse(text: &str, version: Version) -> Result<Self, UrlError> {
        let template = Template::parse(text, version).map_err(UrlError::Syntax)?;
        let (origin, parts) = origin(join_lines(template)?)?;
        Ok(Self::new(origin, Vec::new(), parts))
    }

    /// Parses the URL of a source, which may have expressions in its scheme and host, too.
    pub fn parse_base(text: &str, version: Version) -> Result<Self, UrlError> {
        let template = Template::parse(text, version).map_err(UrlError::Syntax)?;
        let parts = join_lines(template)?;
        match origin(parts.clone()) {
            Ok((Some(origin), parts)) => Ok(Self::new(Some(origin), Vec::new(), parts)),
            Ok((None, parts)) if !matches!(parts.first(), Some(Part::Expression(_))) => {
                Ok(Self::new(None, Vec::new(), parts))
            }
            Ok((None, _)) | Err(UrlError::Host) => {
                let (base, parts) = split_base(parts);
                Ok(Self::new(None, base, parts))
            }
            Err(error) => Err(error),
        }
    }

    /// The URL of a text without expressions, in which braces are characters as all others.
    pub(crate) fn of_text(text: &str) -> Result<Self, UrlError> {
        if text.contains('#') {
            return Err(UrlError::Fragment);
        }
        let (origin, parts) = origin(vec![Part::Text(text.trim().into())])?;
        Ok(Self::new(origin, Vec::new(), parts))
    }

    fn new(origin: Option<Origin>, base: Vec<Part>, parts: Vec<Part>) -> Self {
        let mut url = Self { origin, base, segments: Vec::new(), query: Vec::new() };
        url.fill_parts(parts);
        url
    }

    /// Whether it has a scheme and a host.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.origin.is_some() || !self.base.is_empty()
    }

    /// The host, without its port, of an absolute URL; `None` if expressions make it.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.origin.as_ref().map(|(_, authority)| authority.host())
    }

    /// Whether requests are encrypted; `None` for a relative URL, and if expressions say it.
    #[must_use]
    pub fn is_encrypted(&self) -> Option<bool> {
        self.origin.as_ref().map(|(scheme, _)| *scheme == Scheme::HTTPS)
    }

    /// The expressions of its scheme and host.
    pub(crate) fn base_expressions(&self) -> impl Iterator<Item = &Mapping> {
        self.base.iter().filter_map(|part| match part {
            Part::Expression(mapping) => Some(mapping),
            Part::Text(_) => None,
        })
    }

    /// The expressions in their order.
    pub fn expressions(&self) -> impl Iterator<Item = &Mapping> {
        let parameters = self.query.iter();
        let parameters =
            parameters.flat_map(|parameter| [Some(&parameter.name), parameter.value.as_ref()]);
        let pieces = self.segments.iter().map(Some).chain(parameters).flatten().flatten();
        let of_target = pieces.filter_map(|piece| match piece {
            Piece::Expression(mapping) => Some(mapping),
            Piece::Text(_) => None,
        });
        self.base_expressions().chain(of_target)
    }

    /// What its expressions need.
    #[must_use]
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        self.expressions().for_each(|mapping| inputs.add(&mapping.inputs()));
        inputs
    }

    /// Fills path and query from what follows the host.
    fn fill_parts(&mut self, parts: Vec<Part>) {
        let mut is_query = false;
        for part in parts {
            match part {
                Part::Expression(mapping) => self.last(is_query).push(Piece::Expression(mapping)),
                Part::Text(text) => {
                    let (path, query) = match text.split_once('?') {
                        Some((path, query)) if !is_query => (path, Some(query)),
                        _ if is_query => ("", Some(&*text)),
                        _ => (&*text, None),
                    };
                    self.add_path(path);
                    if let Some(query) = query {
                        if !is_query && !query.is_empty() {
                            self.query.push(Parameter { name: Vec::new(), value: None });
                        }
                        is_query = true;
                        self.add_query(query);
                    }
                }
            }
        }
        let is_empty =
            |parameter: &Parameter| parameter.name.is_empty() && parameter.value.is_none();
        self.query.retain(|parameter| !is_empty(parameter));
    }

    fn add_path(&mut self, text: &str) {
        let mut segments = text.split('/');
        if let Some(first) = segments.next()
            && !first.is_empty()
        {
            self.last(false).push(Piece::text(first));
        }
        for segment in segments {
            let pieces = if segment.is_empty() { Vec::new() } else { vec![Piece::text(segment)] };
            self.segments.push(pieces);
        }
    }

    fn add_query(&mut self, text: &str) {
        for (idx, parameter) in text.split('&').enumerate() {
            if idx > 0 {
                self.query.push(Parameter { name: Vec::new(), value: None });
            }
            let in_value = self.query.last().is_some_and(|parameter| parameter.value.is_some());
            let (name, value) = match parameter.split_once('=') {
                Some((name, value)) if !in_value => (name, Some(value)),
                _ => (parameter, None),
            };
            if !name.is_empty() {
                self.last(true).push(Piece::text(name));
            }
            if let Some(value) = value
                && let Some(parameter) = self.query.last_mut()
            {
                let pieces = if value.is_empty() { Vec::new() } else { vec![Piece::text(value)] };
                parameter.value = Some(pieces);
            }
        }
    }

    /// The segment or parameter that is not ended yet.
    fn last(&mut self, is_query: bool) -> &mut Pieces {
        if is_query {
            if self.query.is_empty() {
                self.query.push(Parameter { name: Vec::new(), value: None });
            }
            let idx = self.query.len() - 1;
            let parameter = &mut self.query[idx];
            return match &mut parameter.value {
                Some(value) => value,
                None => &mut parameter.name,
            };
        }
        if self.segments.is_empty() {
            self.segments.push(Vec::new());
        }
        let idx = self.segments.len() - 1;
        &mut self.segments[idx]
    }
}

impl Piece {
    fn text(text: &str) -> Self {
        Self::Text(utf8_percent_encode(text, TEXT).to_string().into())
    }
}

/// The parts without line breaks and the spaces around them.
fn join_lines(template: Template) -> Result<Vec<Part>, UrlError> {
    let count = template.parts.len();
    let mut parts = Vec::with_capacity(count);
    for (idx, part) in template.parts.into_iter().enumerate() {
        let Part::Text(text) = part else {
            parts.push(part);
            continue;
        };
        let mut text = &*text;
        if idx == 0 {
            text = text.trim_start();
        }
        if idx + 1 == count {
            text = text.trim_end();
        }
        let mut joined = String::with_capacity(text.len());
        for (line_idx, line) in text.split('\n').enumerate() {
            let line = if line_idx > 0 { line.trim_start() } else { line };
            let is_last = line_idx == text.matches('\n').count();
            joined.push_str(if is_last { line } else { line.trim_end() });
        }
        if joined.contains('#') {
            return Err(UrlError::Fragment);
        }
        if !joined.is_empty() {
            parts.push(Part::Text(joined.into()));
        }
    }
    Ok(parts)
}

/// Scheme and host, and the parts after them.
fn origin(mut parts: Vec<Part>) -> Result<(Option<Origin>, Vec<Part>), UrlError> {
    let count = parts.len();
    let text = match parts.first() {
        Some(Part::Text(text)) => text.clone(),
        // `{…}://` is no path.
        Some(Part::Expression(_)) => {
            let is_url = parts
                .iter()
                .skip(1)
                .any(|part| matches!(part, Part::Text(text) if text.starts_with("://")));
            return if is_url { Err(UrlError::Host) } else { Ok((None, parts)) };
        }
        None => return Ok((None, parts)),
    };
    let Some((scheme, rest)) = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return Ok((None, parts));
    };
    let scheme = match scheme {
        "http" => Scheme::HTTP,
        "https" => Scheme::HTTPS,
        other => return Err(UrlError::Scheme(other.into())),
    };
    let Some(rest) = rest.strip_prefix("//") else { return Err(UrlError::Authority) };
    let end = rest.find(['/', '?']);
    if end.is_none() && count > 1 {
        return Err(UrlError::Host);
    }
    let (authority, target) = rest.split_at(end.unwrap_or(rest.len()));
    if authority.contains('@') {
        return Err(UrlError::Credentials);
    }
    let authority: Authority = authority.parse().map_err(|_| UrlError::Authority)?;
    let has_port = authority.as_str().len() > authority.host().len();
    if authority.host().is_empty() || has_port && authority.port_u16().is_none() {
        return Err(UrlError::Authority);
    }
    parts[0] = Part::Text(target.into());
    Ok((Some((scheme, authority)), parts))
}

/// The parts up to the path or the query, and those after them.
fn split_base(parts: Vec<Part>) -> (Vec<Part>, Vec<Part>) {
    let mut base = Vec::new();
    let mut rest = Vec::new();
    let mut has_scheme = false;
    for part in parts {
        let Part::Text(text) = &part else {
            if rest.is_empty() {
                base.push(part)
            } else {
                rest.push(part)
            }
            continue;
        };
        if !rest.is_empty() {
            rest.push(part);
            continue;
        }
        let after_scheme = text.find("://").filter(|_| !has_scheme).map(|scheme| scheme + 3);
        has_scheme |= after_scheme.is_some();
        let from = after_scheme.unwrap_or(0);
        match text[from..].find(['/', '?']) {
            None => base.push(part),
            Some(end) => {
                let (before, after) = text.split_at(from + end);
                if !before.is_empty() {
                    base.push(Part::Text(before.into()));
                }
                rest.push(Part::Text(after.into()));
            }
        }
    }
    (base, rest)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}
