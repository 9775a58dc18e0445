//! The HTTP request of a connector.
//! <https://www.apollographql.com/docs/graphos/connectors/requests>

use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::uri::{InvalidUri, Uri};
use serde_json::Value;

use crate::connector::{Connector, Header, HeaderValueSource, Http};
use crate::mapping::{Exceeded, Limits, Mapping, Outcome, Problem, scalar};
use crate::template::{FillError, Part, expand};
use crate::url::{Parameter, Piece, Pieces, UrlError, UrlTemplate, encode};
use crate::variables::Variables;

mod form;
#[cfg(test)]
mod tests;

/// A request to send.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpRequest {
    pub method: Method,
    pub uri: Uri,
    /// With `content-type`, if there is a body. Values are marked as sensitive.
    pub headers: HeaderMap,
    pub body: Option<Vec<u8>>,
    /// What was missing for it, or of another type than expected.
    pub problems: Vec<Problem>,
}

/// The reason why there is no request.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Fill(#[from] FillError),
    #[error("`path` makes {0}, and no list of scalars")]
    Path(&'static str),
    #[error("`queryParams` makes {0}, and no object")]
    Query(&'static str),
    #[error(
        "the query parameter `{0}` is an object, or a list in a list: only scalars and lists of \
             scalars have a text"
    )]
    Parameter(Box<str>),
    /// A segment of the path that would name another one.
    #[error("a value of the URL's path is `{0}`, which would lead to another path")]
    Segment(Box<str>),
    #[error("the value for the header `{0}` is no value of a header")]
    HeaderValue(HeaderName),
    #[error("a form is made of an object, and the body is none")]
    Form,
    #[error("the filled template is no URL: {0}")]
    Uri(#[from] InvalidUri),
    /// The URL of a source that expressions of the configuration make.
    #[error("the configuration makes no URL of the source's `baseURL`: {0}")]
    Base(UrlError),
    #[error("the configuration makes no URL of the source's `baseURL`: it has no scheme and host")]
    RelativeBase,
}

impl From<Exceeded> for RequestError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Fill(FillError::Exceeded(exceeded))
    }
}

impl Connector {
    /// The request with these values. `client` has the headers of the client, for those that are taken
    /// from it.
    pub fn request(
        &self,
        variables: &Variables<'_>,
        client: &HeaderMap,
        limits: &Limits,
    ) -> Result<HttpRequest, RequestError> {
        let mut filling = Filling { variables, limits, problems: Vec::new() };
        let source = self.source.as_deref().map(|source| &source.http);
        let uri = filling.uri(source, &self.http)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(source) = source {
            filling.add_headers(&source.headers, client, &mut headers)?;
        }
        filling.add_headers(&self.http.headers, client, &mut headers)?;
        let body = match &self.body {
            Some(mapping) => filling.body(mapping, &mut headers)?,
            None => None,
        };
        let method = self.method.clone();
        Ok(HttpRequest { method, uri, headers, body, problems: filling.problems })
    }
}

/// The values of a request, and its problems until now.
struct Filling<'f> {
    variables: &'f Variables<'f>,
    limits: &'f Limits,
    problems: Vec<Problem>,
}

impl Filling<'_> {
    fn build(&mut self, mapping: &Mapping) -> Result<Option<Value>, RequestError> {
        let Outcome { value, problems } = mapping.build(self.variables, self.limits)?;
        self.problems.extend(problems);
        Ok(value.filter(|value| !value.is_null()))
    }

    /// The URL: segments and parameters of the source's URL, of its `path` and `queryParams`, and then
    /// the same of the connector.
    fn uri(&mut self, source: Option<&Http>, http: &Http) -> Result<Uri, RequestError> {
        let mut path = Segments::default();
        let mut query = String::new();
        let mut origin = source.unwrap_or(http).url.origin.clone();
        for part in source.into_iter().chain([http]) {
            if !part.url.base.is_empty() {
                let base = self.base(&part.url.base)?;
                self.add_segments(&base.segments, &mut path)?;
                self.add_query(&base.query, &mut query)?;
                origin = base.origin;
            }
            self.add_segments(&part.url.segments, &mut path)?;
            if let Some(mapping) = &part.path {
                self.add_path(mapping, &mut path)?;
            }
            self.add_parameters(part, &mut query)?;
        }
        let mut url = String::new();
        if let Some((scheme, authority)) = &origin {
            url.push_str(scheme.as_str());
            url.push_str("://");
            url.push_str(authority.as_str());
        }
        path.write(&mut url);
        if !query.is_empty() {
            url.push('?');
            url.push_str(&query);
        }
        Ok(url.parse()?)
    }

    fn add_segments(
        &mut self,
        segments: &[Pieces],
        path: &mut Segments,
    ) -> Result<(), RequestError> {
        let mut added = Vec::with_capacity(segments.len());
        for segment in segments {
            let text = self.pieces(segment)?;
            if segment.iter().any(|piece| matches!(piece, Piece::Expression(_))) {
                check_segment(&text)?;
            }
            added.push(text);
        }
        // Only a slash that is written ends a path: an empty value is a segment.
        let ends_with_slash = segments.last().is_some_and(Vec::is_empty);
        path.add(added, ends_with_slash);
        Ok(())
    }

    fn add_path(&mut self, mapping: &Mapping, path: &mut Segments) -> Result<(), RequestError> {
        let items = match self.build(mapping)? {
            None => return Ok(()),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(RequestError::Path(kind(&other))),
        };
        let mut added = Vec::with_capacity(items.len());
        for item in &items {
            let text = scalar(item).ok_or(RequestError::Path("a list with other items"))?;
            check_segment(&text)?;
            let mut segment = String::new();
            encode(&text, &mut segment);
            added.push(segment);
        }
        path.add(added, false);
        Ok(())
    }

    /// The URL that expressions of the configuration make. Its text is trusted, and not encoded.
    fn base(&mut self, parts: &[Part]) -> Result<UrlTemplate, RequestError> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(part) => text.push_str(part),
                Part::Expression(mapping) => {
                    let value = self.text(mapping)?;
                    text.push_str(&value.unwrap_or_default());
                }
            }
        }
        let base = UrlTemplate::of_text(&text).map_err(RequestError::Base)?;
        if base.is_absolute() { Ok(base) } else { Err(RequestError::RelativeBase) }
    }

    fn add_query(
        &mut self,
        parameters: &[Parameter],
        query: &mut String,
    ) -> Result<(), RequestError> {
        for parameter in parameters {
            let name = self.pieces(&parameter.name)?;
            let value = match &parameter.value {
                Some(value) => Some(self.pieces(value)?),
                None => None,
            };
            separate(query);
            query.push_str(&name);
            if let Some(value) = value {
                query.push('=');
                query.push_str(&value);
            }
        }
        Ok(())
    }

    fn add_parameters(&mut self, http: &Http, query: &mut String) -> Result<(), RequestError> {
        self.add_query(&http.url.query, query)?;
        let Some(mapping) = &http.query_params else { return Ok(()) };
        let members = match self.build(mapping)? {
            None => return Ok(()),
            Some(Value::Object(members)) => members,
            Some(other) => return Err(RequestError::Query(kind(&other))),
        };
        for (name, value) in &members {
            let values = match value {
                Value::Array(items) => items.as_slice(),
                value => std::slice::from_ref(value),
            };
            for value in values.iter().filter(|value| !value.is_null()) {
                let text =
                    scalar(value).ok_or_else(|| RequestError::Parameter(name.as_str().into()))?;
                separate(query);
                encode(name, query);
                query.push('=');
                encode(&text, query);
            }
        }
        Ok(())
    }

    fn pieces(&mut self, pieces: &[Piece]) -> Result<String, RequestError> {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Expression(mapping) => {
                    let value = self.text(mapping)?;
                    encode(&value.unwrap_or_default(), &mut text);
                }
            }
        }
        Ok(text)
    }

    /// The text of an expression of the URL.
    fn text(&mut self, mapping: &Mapping) -> Result<Option<String>, RequestError> {
        let text = expand(mapping, self.variables, self.limits, "the URL", &mut self.problems)?;
        Ok(text)
    }

    /// Adds headers; they replace those of the same names.
    fn add_headers(
        &mut self,
        headers: &[Header],
        client: &HeaderMap,
        all: &mut HeaderMap,
    ) -> Result<(), RequestError> {
        for Header { name, value } in headers {
            match value {
                HeaderValueSource::From(from) => {
                    // Also if the client does not send it.
                    all.remove(name);
                    let mut values = client.get_all(from).iter().cloned();
                    if let Some(first) = values.next() {
                        all.insert(name, first);
                        values.for_each(|value| {
                            all.append(name, value);
                        });
                    }
                }
                HeaderValueSource::Value(template) => {
                    let text = template.fill(
                        self.variables,
                        self.limits,
                        "a header",
                        &mut self.problems,
                    )?;
                    if let Some(text) = text {
                        let value = HeaderValue::from_str(&text);
                        let mut value =
                            value.map_err(|_| RequestError::HeaderValue(name.clone()))?;
                        value.set_sensitive(true);
                        all.insert(name, value);
                    } else {
                        all.remove(name);
                    }
                }
            }
        }
        Ok(())
    }

    /// The body, as JSON or as a form.
    fn body(
        &mut self,
        mapping: &Mapping,
        headers: &mut HeaderMap,
    ) -> Result<Option<Vec<u8>>, RequestError> {
        let Outcome { value, problems } = mapping.build(self.variables, self.limits)?;
        self.problems.extend(problems);
        let Some(value) = value else { return Ok(None) };
        let is_form = headers
            .get(CONTENT_TYPE)
            .is_some_and(|value| value.as_bytes() == b"application/x-www-form-urlencoded");
        if is_form {
            return form::encode(&value).map(|form| Some(form.into_bytes()));
        }
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        Ok(Some(value.to_string().into_bytes()))
    }
}

/// The segments of a path.
#[derive(Debug, Default)]
struct Segments {
    segments: Vec<String>,
    /// Whether a slash ends the path, which is the one before the next segment.
    ends_with_slash: bool,
}

impl Segments {
    fn add(&mut self, segments: Vec<String>, ends_with_slash: bool) {
        if segments.is_empty() {
            return;
        }
        if self.ends_with_slash {
            self.segments.pop();
        }
        self.segments.extend(segments);
        self.ends_with_slash = ends_with_slash;
    }

    fn write(&self, url: &mut String) {
        for segment in &self.segments {
            url.push('/');
            url.push_str(segment);
        }
        if self.segments.is_empty() {
            url.push('/');
        }
    }
}

/// Begins a parameter.
fn separate(query: &mut String) {
    if !query.is_empty() {
        query.push('&');
    }
}

fn check_segment(text: &str) -> Result<(), RequestError> {
    if matches!(text, "." | "..") { Err(RequestError::Segment(text.into())) } else { Ok(()) }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
