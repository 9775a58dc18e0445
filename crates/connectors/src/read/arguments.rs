//! Arguments of a directive by their types.

use serde_json::{Map, Value};

use super::Finding;
use crate::code::Code;
use crate::location::{Location, SyntaxError};
use crate::mapping::Mapping;
use crate::version::Version;

/// A directive that is being read.
#[derive(Debug)]
pub(super) struct Directive {
    pub(super) version: Version,
    /// As in messages: `@connect` on `Query.users`.
    pub(super) label: String,
    pub(super) place: Location,
    pub(super) findings: Vec<Finding>,
}

/// An object of arguments, and where it stands, such as `http`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments<'a> {
    members: &'a Map<String, Value>,
    within: &'static str,
}

impl<'a> Arguments<'a> {
    /// A member that is not null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// A member's name as in messages: `http.body`.
    pub(super) fn name(&self, name: &str) -> String {
        if self.within.is_empty() { name.to_owned() } else { format!("{}.{name}", self.within) }
    }
}

impl Directive {
    pub(super) fn error(&mut self, code: Code, message: impl std::fmt::Display) {
        let message = format!("{}: {message}", self.label);
        self.findings.push(Finding { code, message, place: self.place, is_error: true });
    }

    pub(super) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.is_error)
    }

    /// An object whose members are known in this version; `within` is its name, or empty for the
    /// arguments of the directive.
    pub(super) fn object<'a>(
        &mut self,
        value: &'a Value,
        within: &'static str,
        known: &[(&str, Version)],
    ) -> Option<Arguments<'a>> {
        let Some(members) = value.as_object() else {
            self.error(Code::GraphqlError, format_args!("`{within}` is no object"));
            return None;
        };
        let arguments = Arguments { members, within };
        for name in members.keys() {
            let written = arguments.name(name);
            match known.iter().find(|(known, _)| known == name) {
                None => {
                    let names: Vec<_> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
                    let names = names.join(", ");
                    let message = format!("there is no argument `{written}`: there are {names}");
                    self.error(Code::GraphqlError, message);
                }
                Some((_, since)) if self.version < *since => {
                    let message = format!(
                        "`{written}` needs connect/{since}, and the schema links connect/{}",
                        self.version
                    );
                    self.error(Code::GraphqlError, message);
                }
                Some(_) => {}
            }
        }
        Some(arguments)
    }

    pub(super) fn text<'a>(&mut self, arguments: Arguments<'a>, name: &str) -> Option<&'a str> {
        let value = arguments.get(name)?;
        if value.as_str().is_none() {
            let message = format!("`{}` is no string", arguments.name(name));
            self.error(Code::GraphqlError, message);
        }
        value.as_str()
    }

    pub(super) fn boolean(&mut self, arguments: Arguments<'_>, name: &str) -> Option<bool> {
        let value = arguments.get(name)?;
        if value.as_bool().is_none() {
            let message = format!("`{}` is neither true nor false", arguments.name(name));
            self.error(Code::GraphqlError, message);
        }
        value.as_bool()
    }

    /// The mapping of an argument; `code` is that of errors in it.
    pub(super) fn mapping(
        &mut self,
        arguments: Arguments<'_>,
        name: &str,
        code: Code,
    ) -> Option<Mapping> {
        let text = self.text(arguments, name)?;
        match Mapping::parse(text, self.version) {
            Ok(mapping) => Some(mapping),
            Err(errors) => {
                self.syntax_errors(&arguments.name(name), code, &errors);
                None
            }
        }
    }

    pub(super) fn syntax_errors(&mut self, name: &str, code: Code, errors: &[SyntaxError]) {
        for error in errors {
            self.error(code, format_args!("`{name}`, {error}"));
        }
    }
}
