//! `headers` of sources and connectors.
//! <https://www.apollographql.com/docs/graphos/connectors/requests/headers>

use http::header::{HeaderName, HeaderValue};

use super::arguments::{Arguments, Directive};
use crate::code::Code;
use crate::connector::{Header, HeaderValueSource};
use crate::template::{Part, Template};
use crate::version::Version;

/// Headers that belong to the connection or to the body, and are never set by definitions:
/// <https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1>.
const RESERVED: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers whose values are those of this request, and not of the client's.
const NOT_FORWARDED: [&str; 3] = ["accept", "content-type", "host"];

const MEMBERS: &[(&str, Version)] =
    &[("name", Version::V0_1), ("from", Version::V0_1), ("value", Version::V0_1)];

pub(super) fn read(directive: &mut Directive, http: Arguments<'_>) -> Vec<Header> {
    let Some(list) = http.get("headers") else { return Vec::new() };
    // A list of one item may be written without brackets.
    let items = list.as_array().map_or(std::slice::from_ref(list), Vec::as_slice);
    let mut headers: Vec<Header> = Vec::with_capacity(items.len());
    for item in items {
        let Some(arguments) = directive.object(item, "http.headers", MEMBERS) else { continue };
        let Some(header) = header(directive, arguments) else { continue };
        if headers.iter().any(|known| known.name == header.name) {
            let message = format!("`http.headers` has the header `{}` twice", header.name);
            directive.error(Code::HttpHeaderNameCollision, message);
            continue;
        }
        headers.push(header);
    }
    headers
}

fn header(directive: &mut Directive, arguments: Arguments<'_>) -> Option<Header> {
    let Some(name) = directive.text(arguments, "name") else {
        directive.error(Code::InvalidHeader, "a header has no `name`");
        return None;
    };
    let name = header_name(directive, name)?;
    let from = directive.text(arguments, "from");
    let value = directive.text(arguments, "value");
    let value = match (from, value) {
        (Some(from), None) => {
            if NOT_FORWARDED.contains(&name.as_str()) {
                let message =
                    format!("the header `{name}` is that of this request: write a `value` for it");
                directive.error(Code::InvalidHeader, message);
                return None;
            }
            HeaderValueSource::From(header_name(directive, from)?)
        }
        (None, Some(value)) => HeaderValueSource::Value(template(directive, &name, value)?),
        (Some(_), Some(_)) | (None, None) => {
            let message = format!("the header `{name}` needs either `from` or `value`");
            directive.error(Code::InvalidHeader, message);
            return None;
        }
    };
    Some(Header { name, value })
}

fn header_name(directive: &mut Directive, text: &str) -> Option<HeaderName> {
    let Ok(name) = HeaderName::from_bytes(text.as_bytes()) else {
        directive.error(Code::InvalidHeader, format_args!("`{text}` is no name of a header"));
        return None;
    };
    if RESERVED.contains(&name.as_str()) {
        let message = format!("the header `{name}` belongs to the connection: it cannot be set");
        directive.error(Code::InvalidHeader, message);
        return None;
    }
    Some(name)
}

fn template(directive: &mut Directive, name: &HeaderName, text: &str) -> Option<Template> {
    let template = match Template::parse(text, directive.version) {
        Ok(template) => template,
        Err(errors) => {
            let name = format!("http.headers, {name}");
            directive.syntax_errors(&name, Code::InvalidHeader, &errors);
            return None;
        }
    };
    for part in &template.parts {
        if let Part::Text(text) = part
            && HeaderValue::from_str(text).is_err()
        {
            let message = format!(
                "the value of the header `{name}` has a line break or another control character"
            );
            directive.error(Code::InvalidHeader, message);
            return None;
        }
    }
    Some(template)
}
