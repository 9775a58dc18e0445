//! Read-your-writes: the position of a client's last change, which a response names and later requests
//! carry, so that replicas answer these only after they have replayed the change.
//!
//! The position is a token in a header or in a cookie. It names a moment of the database's log and nothing
//! of the change itself, so that every server of the database understands it. Whoever changes it reads an
//! older state, or waits and then reads the primary, which any client may do anyway.

use engine::{ChangePosition, Freshness, Report};
use graphql::Parameters;
use graphql::operation::OperationKind;
use hyper::header::{COOKIE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};

use crate::options::PositionCarrier;

/// The header of a position, in requests and in responses.
const HEADER: HeaderName = HeaderName::from_static("thalweg-position");

/// The name of the cookie.
const COOKIE_NAME: &str = "thalweg-position";

/// The attributes of the cookie. A replica that lags for longer than this has long been left out: its
/// limit is shorter.
const COOKIE_ATTRIBUTES: &str = "; Path=/; Max-Age=600; HttpOnly; SameSite=Lax";

/// Settings of positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct PositionSettings {
    carrier: PositionCarrier,
    /// Whether there are replicas.
    has_replicas: bool,
}

impl PositionSettings {
    /// `None` if positions are neither read nor written.
    pub(super) fn new(replicas: usize, carrier: PositionCarrier) -> Option<Self> {
        let has_replicas = replicas > 0;
        (has_replicas || carrier != PositionCarrier::Off).then_some(Self { carrier, has_replicas })
    }

    /// How new the state must be that the queries of a request see.
    pub(super) fn freshness(self, headers: &HeaderMap) -> Freshness {
        if !self.has_replicas {
            return Freshness::Newest;
        }
        let in_headers = self.has_header().then(|| headers.get_all(HEADER).iter());
        let in_headers = in_headers.into_iter().flatten().map(HeaderValue::as_bytes);
        let in_cookies = self.has_cookie().then(|| headers.get_all(COOKIE).iter());
        let in_cookies = in_cookies.into_iter().flatten().flat_map(cookies);
        Freshness::after(in_headers.chain(in_cookies))
    }

    /// Adds the position behind the changes of a request to its response. A refused mutation, such as one
    /// that took too long, may have been committed.
    pub(super) fn add_changes(self, headers: &mut HeaderMap, report: &Report, is_refused: bool) {
        let is_mutation = report.operation == Some(OperationKind::Mutation);
        let unknown = (is_mutation && is_refused).then_some(ChangePosition::Unknown);
        if let Some(position) = report.observed.changed_at.or(unknown) {
            self.add(headers, position);
        }
    }

    /// Adds a position to a response.
    pub(super) fn add(self, headers: &mut HeaderMap, position: ChangePosition) {
        let token = position.to_string();
        if self.has_header()
            && let Ok(value) = HeaderValue::from_str(&token)
        {
            headers.insert(HEADER, value);
        }
        if self.has_cookie()
            && let Ok(value) = [COOKIE_NAME, "=", &token, COOKIE_ATTRIBUTES].concat().try_into()
        {
            headers.append(SET_COOKIE, value);
        }
    }

    fn has_header(self) -> bool {
        matches!(self.carrier, PositionCarrier::Header | PositionCarrier::Both)
    }

    fn has_cookie(self) -> bool {
        matches!(self.carrier, PositionCarrier::Cookie | PositionCarrier::Both)
    }
}

/// True for a request whose document may have a mutation: it has the word, or is known by its id only.
pub(super) fn may_write(parameters: &Parameters) -> bool {
    parameters.query.as_deref().is_none_or(|text| text.contains("mutation"))
}

/// The positions in a header of cookies.
fn cookies(header: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    let pairs = header.as_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    pairs.filter_map(|pair| pair.strip_prefix(COOKIE_NAME.as_bytes())?.strip_prefix(b"="))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "1-2-3";

    fn settings(carrier: PositionCarrier) -> PositionSettings {
        PositionSettings::new(1, carrier).unwrap()
    }

    fn check(carrier: PositionCarrier, headers: &[(HeaderName, &str)], expected: Freshness) {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        let headers = HeaderMap::from_iter(headers);
        assert_eq!(settings(carrier).freshness(&headers), expected, "{headers:?}");
    }

    #[test]
    fn a_position_is_read_where_it_is_written() {
        let after = Freshness::After(TOKEN.parse().unwrap());
        let header = (HEADER, TOKEN);
        let cookie = (COOKIE, "a=b; thalweg-position=1-2-3; thalweg-positions=x");
        let (in_header, in_cookie) = (std::slice::from_ref(&header), std::slice::from_ref(&cookie));
        check(PositionCarrier::Header, in_header, after);
        check(PositionCarrier::Header, in_cookie, Freshness::Any);
        check(PositionCarrier::Cookie, in_header, Freshness::Any);
        check(PositionCarrier::Cookie, in_cookie, after);
        check(PositionCarrier::Both, in_header, after);
        check(PositionCarrier::Both, in_cookie, after);
        check(PositionCarrier::Off, &[header, cookie], Freshness::Any);
    }

    #[test]
    fn a_position_that_cannot_be_read_is_the_newest() {
        check(PositionCarrier::Header, &[(HEADER, "soon")], Freshness::Newest);
        check(PositionCarrier::Cookie, &[(COOKIE, "thalweg-position=")], Freshness::Newest);
    }

    #[test]
    fn a_change_is_told_in_the_header_and_the_cookie() {
        let mut headers = HeaderMap::new();
        let position = ChangePosition::Known(TOKEN.parse().unwrap());
        settings(PositionCarrier::Both).add(&mut headers, position);
        assert_eq!(headers[HEADER], TOKEN);
        let cookie = "thalweg-position=1-2-3; Path=/; Max-Age=600; HttpOnly; SameSite=Lax";
        assert_eq!(headers[SET_COOKIE], cookie);
        let mut headers = HeaderMap::new();
        settings(PositionCarrier::Off).add(&mut headers, position);
        assert!(headers.is_empty());
    }

    #[test]
    fn a_mutation_without_an_answer_may_have_changed_something() {
        let told = |operation, is_refused| {
            let (mut headers, report) =
                (HeaderMap::new(), Report { operation, ..Report::default() });
            settings(PositionCarrier::Header).add_changes(&mut headers, &report, is_refused);
            headers.get(HEADER).cloned()
        };
        let unknown = Some(HeaderValue::from_static("unknown"));
        assert_eq!(told(Some(OperationKind::Mutation), true), unknown);
        assert_eq!(told(Some(OperationKind::Mutation), false), None);
        assert_eq!(told(Some(OperationKind::Query), true), None);
        assert_eq!(told(None, true), None);
    }
}
