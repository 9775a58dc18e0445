//! Settings of a PostgreSQL session, from options and from headers of requests.

use engine::session::Pair;
use hyper::header::{HeaderMap, HeaderName};

use crate::options::AuthOptions;

/// The size limit of a header that becomes a setting.
const MOST_SETTING_BYTES: usize = 8 << 10;

/// Settings that are the same for all requests, and headers that become settings.
#[derive(Debug)]
pub(super) struct HeaderSettings {
    fixed: Box<[Pair]>,
    headers: Box<[(HeaderName, Box<str>)]>,
}

impl HeaderSettings {
    pub(super) fn new(options: &AuthOptions) -> Self {
        let headers = options.pg_setting_header.iter();
        Self {
            fixed: options.roles.pg_setting.iter().map(|setting| setting.0.clone()).collect(),
            headers: headers.map(|one| (one.header.clone(), one.name.clone())).collect(),
        }
    }

    /// The names of the headers.
    pub(super) fn names(&self) -> impl Iterator<Item = &HeaderName> {
        self.headers.iter().map(|(header, _)| header)
    }

    /// Returns true if a request has one of the headers.
    pub(super) fn are_in(&self, headers: &HeaderMap) -> bool {
        self.names().any(|header| headers.contains_key(header))
    }

    /// The fixed settings, and those of the headers.
    pub(super) fn read(&self, headers: &HeaderMap) -> Result<Vec<Pair>, HeaderName> {
        let own = self.of_headers(headers)?;
        Ok(self.fixed.iter().cloned().chain(own).collect())
    }

    /// The settings of the headers of a request. A missing header leaves its setting unset, which
    /// differs from empty. The error is a header that cannot be a setting.
    pub(super) fn of_headers(&self, headers: &HeaderMap) -> Result<Vec<Pair>, HeaderName> {
        let mut settings = Vec::new();
        for (header, name) in &self.headers {
            let mut given = headers.get_all(header).iter();
            match (given.next(), given.next()) {
                (None, _) => {}
                (Some(value), None) if value.len() <= MOST_SETTING_BYTES => {
                    let value =
                        std::str::from_utf8(value.as_bytes()).map_err(|_| header.clone())?;
                    if value.chars().any(char::is_control) {
                        return Err(header.clone());
                    }
                    settings.push((name.clone(), value.into()));
                }
                (Some(_), _) => return Err(header.clone()),
            }
        }
        Ok(settings)
    }
}
