//! `@source`.

use std::sync::Arc;

use super::arguments::{Arguments, Directive};
use super::{Reader, headers, urls};
use crate::code::Code;
use crate::connector::{Http, Source};
use crate::definitions::Applied;
use crate::mapping::Mapping;
use crate::variables::Variable;
use crate::version::Version;

const ARGUMENTS: &[(&str, Version)] = &[
    ("name", Version::V0_1),
    ("http", Version::V0_1),
    ("errors", Version::V0_2),
    ("isSuccess", Version::V0_2),
];

const HTTP: &[(&str, Version)] = &[
    ("baseURL", Version::V0_1),
    ("headers", Version::V0_1),
    ("path", Version::V0_2),
    ("queryParams", Version::V0_2),
];

/// How many characters the name of a source has at most.
const MAX_NAME: usize = 63;

impl<'d> Reader<'d> {
    pub(super) fn sources(&mut self) {
        let definitions = self.definitions;
        let mut names: Vec<&str> = Vec::new();
        for applied in &definitions.sources {
            let name = applied.arguments.get("name").and_then(|name| name.as_str());
            let label = match name {
                Some(name) => format!("`{}(name: \"{name}\")`", definitions.source_name),
                None => format!("`{}`", definitions.source_name),
            };
            let (version, place) = (definitions.version, applied.place);
            let mut directive = Directive { version, label, place, findings: Vec::new() };
            if let Some(name) = name {
                if names.contains(&name) {
                    directive.error(Code::DuplicateSourceName, "another source has this name");
                }
                names.push(name);
            }
            let source = source(&mut directive, applied);
            if let Some(source) = &source {
                self.check_source(source, &mut directive);
            }
            let has_errors = directive.has_errors();
            self.reading.findings.extend(directive.findings);
            if let Some(source) = source
                && !has_errors
            {
                self.sources.push(Arc::new(source));
            }
        }
    }

    /// Whether some source has the name, be it valid or not.
    pub(super) fn has_source(&self, name: &str) -> bool {
        let mut names = self.definitions.sources.iter().map(|applied| &applied.arguments["name"]);
        names.any(|known| known.as_str() == Some(name))
    }
}

fn source(directive: &mut Directive, applied: &Applied) -> Option<Source> {
    let arguments = directive.object(&applied.arguments, "", ARGUMENTS)?;
    let name = name(directive, arguments);
    let is_success = directive.mapping(arguments, "isSuccess", Code::InvalidSelection);
    let errors = urls::errors(directive, arguments);
    let Some(value) = arguments.get("http") else {
        directive.error(Code::GraphqlError, "the argument `http` is missing");
        return None;
    };
    let http = directive.object(value, "http", HTTP)?;
    if http.get("baseURL").is_none() {
        directive.error(Code::GraphqlError, "`http.baseURL` is missing");
    }
    let url = urls::url(directive, http, "baseURL");
    if let Some(url) = &url {
        if !url.is_absolute() {
            let message = "`http.baseURL` is no URL with a scheme and a host, such as \
                           `https://example.com/api`";
            directive.error(Code::InvalidUrl, message);
        }
        let of_configuration = [Variable::Config, Variable::Env];
        let is_other = |expression: &Mapping| {
            let inputs = expression.inputs();
            inputs.variables.keys().any(|variable| !of_configuration.contains(variable))
        };
        if url.base_expressions().any(is_other) {
            let message = "the scheme and the host of `http.baseURL` have `$config` and `$env` only: \
                           anything else could lead to any server";
            directive.error(Code::InvalidUrl, message);
        }
    }
    let path = directive.mapping(http, "path", Code::InvalidUrl);
    let query_params = directive.mapping(http, "queryParams", Code::InvalidUrl);
    let headers = headers::read(directive, http);
    let http = Http { url: url?, path, query_params, headers };
    Some(Source { name: name?.into(), http, errors, is_success })
}

/// The name of a source.
fn name<'a>(directive: &mut Directive, arguments: Arguments<'a>) -> Option<&'a str> {
    let name = directive.text(arguments, "name");
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        directive.error(Code::EmptySourceName, "a source needs a `name`");
        return None;
    };
    let is_valid = name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if !is_valid {
        let message = format!(
            "the name of a source begins with a letter, has letters, digits, `_` and `-` only, and has at \
             most {MAX_NAME} characters"
        );
        directive.error(Code::InvalidSourceName, message);
        return None;
    }
    Some(name)
}
