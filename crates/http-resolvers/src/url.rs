//! Templates of URLs, such as `https://example.com/users/$id?name=$name`.
//!
//! An input is a whole segment of the path or a whole value of the query, and is percent-encoded
//! there: it cannot change the host, or end its place.

use form_urlencoded::Serializer;
use http::uri::{Authority, PathAndQuery, Scheme, Uri};
use serde_json::Value;

use crate::inputs::Inputs;

/// A URL in which inputs stand.
#[derive(Clone, PartialEq)]
pub struct UrlTemplate {
    scheme: Scheme,
    authority: Authority,
    /// Parts between slashes, after the first slash. Texts are encoded.
    segments: Vec<Part>,
    /// Names and values, decoded.
    query: Vec<(Box<str>, Part)>,
}

/// A part of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Box<str>),
    Input(Box<str>),
}

/// The reason why there is no URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("it is no URL that begins with `http://` or `https://`")]
    Form,
    #[error("it has a user or a password: send a header instead")]
    Credentials,
    /// A segment of the path that would name another one.
    #[error("`{0}` would lead to another path")]
    Segment(Box<str>),
}

impl UrlTemplate {
    /// Reads a URL in which names after `$` are inputs.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        Self::read(text, Part::new)
    }

    /// Reads a URL without inputs: `$` is a character like others.
    pub fn fixed(text: &str) -> Result<Self, UrlError> {
        Self::read(text, |text| Part::Text(text.into()))
    }

    /// The URL of a resolver that sends no request.
    #[must_use]
    pub fn none() -> Self {
        let authority = Authority::from_static("localhost");
        Self { scheme: Scheme::HTTP, authority, segments: Vec::new(), query: Vec::new() }
    }

    fn read(text: &str, part: impl Fn(&str) -> Part) -> Result<Self, UrlError> {
        let text = text.split_once('#').map_or(text, |(before, _)| before);
        let (scheme, rest) = match text.split_once("://") {
            Some(("https", rest)) => (Scheme::HTTPS, rest),
            Some(("http", rest)) => (Scheme::HTTP, rest),
            Some(_) | None => return Err(UrlError::Form),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if authority.contains('@') {
            return Err(UrlError::Credentials);
        }
        let authority: Authority = authority.parse().map_err(|_| UrlError::Form)?;
        let has_port = authority.as_str().len() > authority.host().len();
        if authority.host().is_empty() || has_port && authority.port_u16().is_none() {
            return Err(UrlError::Form);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path.strip_prefix('/').unwrap_or(path);
        // What is neither a variable nor encoded has to be a part of a URL as it is.
        let _: PathAndQuery = format!("/{path}").parse().map_err(|_| UrlError::Form)?;
        let segments = path.split('/').map(&part).collect();
        let query = form_urlencoded::parse(query.as_bytes());
        let query = query.map(|(name, value)| (name.as_ref().into(), part(&value))).collect();
        Ok(Self { scheme, authority, segments, query })
    }

    /// The host, without its port; an address of version 6 is in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.authority.host()
    }

    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// Calls `visit` with the name of each input.
    pub fn visit_inputs<'t>(&'t self, visit: &mut impl FnMut(&'t str)) {
        let values = self.query.iter().map(|(_, value)| value);
        for part in self.segments.iter().chain(values) {
            if let Part::Input(name) = part {
                visit(name);
            }
        }
    }

    /// The URL with these inputs. In the query, a null is an empty text, and an absent input leaves
    /// its name out, too.
    pub fn fill(&self, inputs: &Inputs) -> Result<Uri, UrlError> {
        let mut target = String::new();
        for segment in &self.segments {
            target.push('/');
            match segment {
                Part::Text(text) => target.push_str(text),
                Part::Input(name) => {
                    let text = inputs.find(name).map(joined).unwrap_or_default();
                    if matches!(&*text, "." | "..") {
                        return Err(UrlError::Segment(text.into()));
                    }
                    encode_segment(&text, &mut target);
                }
            }
        }
        let query = self.query(inputs);
        if !query.is_empty() {
            let mut pairs = Serializer::new(String::new());
            pairs.extend_pairs(query);
            target.push('?');
            target.push_str(&pairs.finish());
        }
        let uri = Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(target);
        uri.build().map_err(|_| UrlError::Form)
    }

    /// Names and values of the query, sorted by name.
    fn query(&self, inputs: &Inputs) -> Vec<(String, String)> {
        let mut pairs = Vec::with_capacity(self.query.len());
        for (name, value) in &self.query {
            match value {
                Part::Text(text) => pairs.push((String::from(&**name), String::from(&**text))),
                Part::Input(input) => {
                    if let Some(value) = inputs.find(input) {
                        add_pairs(name, value, &mut pairs);
                    }
                }
            }
        }
        pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
        pairs
    }
}

impl std::fmt::Display for UrlTemplate {
    /// The URL without the texts of its query, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority)?;
        for segment in &self.segments {
            match segment {
                Part::Text(text) => write!(f, "/{text}")?,
                Part::Input(name) => write!(f, "/${name}")?,
            }
        }
        for (idx, (name, value)) in self.query.iter().enumerate() {
            let separator = if idx == 0 { '?' } else { '&' };
            match value {
                Part::Text(_) => write!(f, "{separator}{name}=…")?,
                Part::Input(input) => write!(f, "{separator}{name}=${input}")?,
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for UrlTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UrlTemplate({self})")
    }
}

impl Part {
    fn new(text: &str) -> Self {
        match text.strip_prefix('$') {
            Some(name) => Self::Input(name.into()),
            None => Self::Text(text.into()),
        }
    }
}

/// A value in a path; elements and members are joined by commas.
fn joined(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(joined).collect::<Vec<_>>().join(","),
        Value::Object(members) => {
            let mut pairs: Vec<_> =
                members.iter().map(|(key, value)| format!("{key},{}", joined(value))).collect();
            pairs.sort();
            pairs.join(",")
        }
    }
}

/// A value in a query: a pair for each element, and for each member of an object as `name[key]`.
fn add_pairs(name: &str, value: &Value, pairs: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_pairs(name, item, pairs)),
        Value::Object(members) => {
            for (key, value) in members {
                add_pairs(&format!("{name}[{key}]"), value, pairs);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            pairs.push((name.to_owned(), joined(value)));
        }
    }
}

/// Encodes all bytes that do not stand for themselves within a segment:
/// <https://www.rfc-editor.org/rfc/rfc3986#section-3.3>.
fn encode_segment(text: &str, output: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+=:@".contains(&byte) {
            output.push(char::from(byte));
        } else {
            output.push('%');
            output.push(char::from(DIGITS[usize::from(byte >> 4)]));
            output.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(template: &str, inputs: &Value, expected: &str) {
        let url = UrlTemplate::parse(template).unwrap();
        let filled = url.fill(&Inputs::of(inputs.clone()));
        assert_eq!(filled.unwrap().to_string(), expected, "{template}");
    }

    #[test]
    fn inputs_stay_in_their_places() {
        check("http://a.example", &json!({}), "http://a.example/");
        check(
            "https://a.example:8443/u/$id/p?n=$n&fixed=1%202#part",
            &json!({ "id": "x/../y?z#", "n": "a&b=c d\r\n" }),
            "https://a.example:8443/u/x%2F..%2Fy%3Fz%23/p?fixed=1+2&n=a%26b%3Dc+d%0D%0A",
        );
        check(
            "http://a.example/$id",
            &json!({ "id": "@evil.example:80" }),
            "http://a.example/@evil.example:80",
        );
        check("http://a.example/$id", &json!({ "id": "é" }), "http://a.example/%C3%A9");
        check(
            "http://a.example/$id/x",
            &json!({ "id": [1, true, "a"] }),
            "http://a.example/1%2Ctrue%2Ca/x",
        );
    }

    #[test]
    fn values_of_queries_are_texts_lists_and_objects() {
        check(
            "http://a.example?z=$z&list=$list&o=$o&none=$none&null=$null",
            &json!({ "z": 1.5, "list": ["a", "b"], "o": { "k": { "l": 1 } }, "null": null }),
            "http://a.example/?list=a&list=b&null=&o%5Bk%5D%5Bl%5D=1&z=1.5",
        );
    }

    #[test]
    fn no_input_leads_to_another_path() {
        let url = UrlTemplate::parse("http://a.example/users/$id").unwrap();
        for id in [".", ".."] {
            let filled = url.fill(&Inputs::of(json!({ "id": id })));
            assert_eq!(filled, Err(UrlError::Segment(id.into())));
        }
    }

    #[test]
    fn urls_name_a_server() {
        for text in
            ["", "/a", "ftp://a.example", "http://", "http://?a", "http://a b/", "http://a:x/"]
        {
            assert_eq!(UrlTemplate::parse(text), Err(UrlError::Form), "{text}");
        }
        assert_eq!(UrlTemplate::parse("http://u:p@a.example/"), Err(UrlError::Credentials));
        let url = UrlTemplate::parse("https://[::1]:80/a/$b?key=word&c=$d").unwrap();
        assert_eq!((url.host(), url.is_encrypted()), ("[::1]", true));
        assert_eq!(url.to_string(), "https://[::1]:80/a/$b?key=…&c=$d");
    }
}
