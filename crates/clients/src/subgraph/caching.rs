//! How long a response may be kept: the headers `Cache-Control` and `Age`.
//! <https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2>

use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{AGE, CACHE_CONTROL};

/// The caching of a response that its headers allow to caches which several clients share
/// (<https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2>).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseCaching {
    /// True for `no-store` and `no-cache`: the response must not be kept, whatever its time is.
    pub is_forbidden: bool,
    /// True for `private`: the response is for the user of the request alone.
    pub is_private: bool,
    /// The time for which it stays fresh, if the response has one.
    pub fresh: Option<Duration>,
    /// True for the response to another request, which may have been sent before this one began.
    pub is_shared: bool,
}

impl ResponseCaching {
    /// Reads the headers. Where they contradict each other, the stricter one holds.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let mut caching = Self::default();
        let (mut own, mut shared) = (None, None);
        for value in headers.get_all(CACHE_CONTROL) {
            let Ok(value) = value.to_str() else {
                caching.is_forbidden = true;
                continue;
            };
            for directive in value.split(',') {
                let (name, argument) = directive.split_once('=').unwrap_or((directive, ""));
                let seconds = || seconds(argument.trim().trim_matches('"'));
                match name.trim().to_ascii_lowercase().as_str() {
                    "no-store" | "no-cache" => caching.is_forbidden = true,
                    "private" => caching.is_private = true,
                    "max-age" => own = least(own, seconds()),
                    "s-maxage" => shared = least(shared, seconds()),
                    _ => {}
                }
            }
        }
        let age = headers.get(AGE).and_then(|age| age.to_str().ok()).map_or(0, seconds);
        // `s-maxage` is for caches that users share, and a private response is in none.
        let fresh = if caching.is_private { own } else { shared.or(own) };
        caching.fresh = fresh.map(|seconds| Duration::from_secs(seconds.saturating_sub(age)));
        caching
    }
}

/// A number of seconds; 0 for a text that is none, which is stale at once.
fn seconds(text: &str) -> u64 {
    text.parse().unwrap_or(0)
}

fn least(one: Option<u64>, other: u64) -> Option<u64> {
    Some(one.map_or(other, |one| one.min(other)))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn headers_say_what_may_be_kept() {
        let check = |values: &[&str], age: Option<&str>, expected: (bool, bool, Option<u64>)| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CACHE_CONTROL, HeaderValue::from_str(value).unwrap());
            }
            if let Some(age) = age {
                headers.insert(AGE, HeaderValue::from_str(age).unwrap());
            }
            let ResponseCaching { is_forbidden, is_private, fresh, .. } =
                ResponseCaching::of(&headers);
            let found = (is_forbidden, is_private, fresh.map(|fresh| fresh.as_secs()));
            assert_eq!(found, expected, "{values:?} {age:?}");
        };
        check(&[], None, (false, false, None));
        check(&["max-age=60"], None, (false, false, Some(60)));
        check(&["public, Max-Age = 60"], None, (false, false, Some(60)));
        check(&["max-age=60"], Some("50"), (false, false, Some(10)));
        check(&["max-age=60"], Some("70"), (false, false, Some(0)));
        check(&["max-age=60, s-maxage=\"5\""], None, (false, false, Some(5)));
        check(&["max-age=60, s-maxage=5, private"], None, (false, true, Some(60)));
        check(&["max-age=60", "max-age=7"], None, (false, false, Some(7)));
        check(&["max-age=60, no-store"], None, (true, false, Some(60)));
        check(&["no-cache"], None, (true, false, None));
        check(&["max-age=-1"], None, (false, false, Some(0)));
        check(&["max-age"], None, (false, false, Some(0)));
    }
}
