//! URLs of sources and connectors, and what is the same in both.

use super::arguments::{Arguments, Directive};
use crate::code::Code;
use crate::connector::Errors;
use crate::url::{UrlError, UrlTemplate};
use crate::version::Version;

/// A URL; `name` is its argument.
pub(super) fn url(
    directive: &mut Directive,
    http: Arguments<'_>,
    name: &str,
) -> Option<UrlTemplate> {
    let text = directive.text(http, name)?;
    let parsed = match name {
        "baseURL" => UrlTemplate::parse_base(text, directive.version),
        _ => UrlTemplate::parse(text, directive.version),
    };
    match parsed {
        Ok(url) => Some(url),
        Err(UrlError::Syntax(errors)) => {
            directive.syntax_errors(&http.name(name), Code::InvalidUrl, &errors);
            None
        }
        Err(error) => {
            let code = match error {
                UrlError::Scheme(_) => Code::InvalidUrlScheme,
                _ => Code::InvalidUrl,
            };
            directive.error(code, format_args!("the URL of `{}`: {error}", http.name(name)));
            None
        }
    }
}

/// `errors: {message, extensions}`
pub(super) fn errors(directive: &mut Directive, arguments: Arguments<'_>) -> Errors {
    const MEMBERS: &[(&str, Version)] =
        &[("message", Version::V0_2), ("extensions", Version::V0_2)];
    let Some(value) = arguments.get("errors") else { return Errors::default() };
    let Some(errors) = directive.object(value, "errors", MEMBERS) else { return Errors::default() };
    Errors {
        message: directive.mapping(errors, "message", Code::InvalidSelection),
        extensions: directive.mapping(errors, "extensions", Code::InvalidSelection),
    }
}
