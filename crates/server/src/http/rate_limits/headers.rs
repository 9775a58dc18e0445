//! The headers `RateLimit` and `RateLimit-Policy` of responses.
//! <https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/>

use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};

use super::Counted;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Adds the state of each bucket, if there are some.
pub(in crate::http) fn add_rates(headers: &mut HeaderMap, counted: &[Counted]) {
    if counted.is_empty() {
        return;
    }
    let policies = counted
        .iter()
        .map(|one| format!("{};q={};w={}", quoted(&one.name), one.amount, seconds(one.window)));
    let limits = counted.iter().map(|one| {
        let reset = seconds(Duration::from_nanos(one.level.reset));
        format!("{};r={};t={reset}", quoted(&one.name), one.level.remaining)
    });
    for (name, values) in
        [(POLICY, policies.collect::<Vec<_>>()), (LIMIT, limits.collect::<Vec<_>>())]
    {
        if let Ok(value) = HeaderValue::from_str(&values.join(", ")) {
            headers.insert(name, value);
        }
    }
}

/// Whole seconds, rounded up: a client that waits for them does not come too early.
pub(in crate::http) fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A string of structured fields. <https://www.rfc-editor.org/rfc/rfc9651#name-strings>
fn quoted(text: &str) -> String {
    let plain = text.chars().map(|one| match one {
        ' '..='~' => one,
        _ => '?',
    });
    let escaped = plain.flat_map(|one| match one {
        '"' | '\\' => [Some('\\'), Some(one)],
        _ => [None, Some(one)],
    });
    let mut quoted = String::from('"');
    quoted.extend(escaped.flatten());
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::rate_limits::bucket::Level;

    #[test]
    fn each_rule_has_its_quota_and_what_is_left() {
        let counted = |name: &str, amount, reset| Counted {
            name: name.into(),
            amount,
            window: Duration::from_secs(60),
            level: Level { remaining: 7, reset },
        };
        let mut headers = HeaderMap::new();
        add_rates(&mut headers, &[]);
        assert!(headers.is_empty());
        add_rates(&mut headers, &[counted("address", 600, 1_500_000_000), counted("a\"b", 5, 0)]);
        assert_eq!(headers[&POLICY], r#""address";q=600;w=60, "a\"b";q=5;w=60"#);
        assert_eq!(headers[&LIMIT], r#""address";r=7;t=2, "a\"b";r=7;t=0"#);
    }
}
