//! Lists of hosts: those that requests may name, and those that requests may be sent to.

use std::fmt;
use std::str::FromStr;

/// An allowed host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedHost {
    Any,
    /// In lower case, without a port.
    Named(Box<str>),
    /// A domain with all hosts below it, with a leading dot.
    Below(Box<str>),
}

impl AllowedHost {
    /// Whether it matches this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Named(named) => named.eq_ignore_ascii_case(name),
            Self::Below(domain) => is_below(name, domain),
        }
    }
}

/// Whether a name is a domain, given with a leading dot, or is below it.
#[must_use]
pub fn is_below(name: &str, domain: &str) -> bool {
    let ends_so = |text: &str, end: &str| {
        let start = text.len().checked_sub(end.len());
        let rest = start.and_then(|start| text.get(start..));
        rest.is_some_and(|rest| rest.eq_ignore_ascii_case(end))
    };
    match domain.strip_prefix('.') {
        Some(own) => name.eq_ignore_ascii_case(own) || ends_so(name, domain),
        None => false,
    }
}

impl FromStr for AllowedHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "*" {
            return Ok(Self::Any);
        }
        let lower = text.to_ascii_lowercase();
        let name = lower.strip_prefix('.').unwrap_or(&lower);
        let is_label = |label: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            !label.is_empty() && label.chars().all(is_part)
        };
        if !name.split('.').all(is_label) {
            return Err(
                "a host is wanted, such as `api.example`, without a scheme, a port and a path, its \
                 other letters as `xn--…`; `.example` is a domain with all hosts below it, and `*` \
                 any host"
                    .into(),
            );
        }
        match lower.starts_with('.') {
            true => Ok(Self::Below(lower.into())),
            false => Ok(Self::Named(lower.into())),
        }
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Named(name) | Self::Below(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_domains_or_any() {
        for (text, host) in [
            ("api.example", "api.example"),
            (" API.Example ", "api.example"),
            (".example", ".example"),
            ("my_host-1", "my_host-1"),
            ("*", "*"),
        ] {
            assert_eq!(text.parse::<AllowedHost>().unwrap().to_string(), host);
        }
        for text in
            ["", ".", "a..b", "http://a", "a:80", "a/b", "*.a", "[::1]", "ä.example", "a b", "a."]
        {
            let error = text.parse::<AllowedHost>().unwrap_err();
            assert!(error.starts_with("a host is wanted"), "{text}: {error}");
        }
    }

    #[test]
    fn a_domain_has_itself_and_what_is_below_it() {
        let check = |text: &str, name: &str, expected: bool| {
            let host: AllowedHost = text.parse().unwrap();
            assert_eq!(host.contains(name), expected, "{text}: {name}");
        };
        check("api.example", "API.example", true);
        check("api.example", "b.api.example", false);
        check(".example", "example", true);
        check(".example", "b.api.EXAMPLE", true);
        check(".example", "badexample", false);
        check(".example", "example.evil", false);
        check(".example", "é", false);
        check("*", "anything", true);
    }
}
