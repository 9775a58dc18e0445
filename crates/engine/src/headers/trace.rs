//! Trace context of subgraph requests: <https://www.w3.org/TR/trace-context/>.

use http::header::HeaderValue;

/// A trace that this process exports. Span ids of subgraph requests are assigned before the spans
/// are exported, since they are sent with the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    pub id: u128,
    first_span: u64,
    pub is_sampled: bool,
}

impl Trace {
    /// `drawn` is a random number of the request.
    #[must_use]
    pub fn new(id: u128, drawn: u64, is_sampled: bool) -> Self {
        // First span id; never 0, which is not valid.
        Self { id, first_span: (drawn >> 1) + 1, is_sampled }
    }

    /// Returns the span id of a fetch by its index.
    #[must_use]
    pub fn span(self, number: u32) -> u64 {
        self.first_span.saturating_add(number.into())
    }

    /// Returns the span id of the request itself, which no fetch has.
    #[must_use]
    pub fn root(self) -> u64 {
        self.span(u32::MAX)
    }

    /// Returns the `traceparent` header of a fetch.
    pub(super) fn parent(self, number: u32) -> Option<HeaderValue> {
        let flags = u8::from(self.is_sampled);
        let text = format!("00-{:032x}-{:016x}-{flags:02x}", self.id, self.span(number));
        HeaderValue::try_from(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_is_a_span_of_its_own() {
        let spans = |drawn| [0, 1, u32::MAX].map(|number| Trace::new(1, drawn, true).span(number));
        assert_eq!(spans(0), [1, 2, 1 << 32]);
        assert_eq!(spans(u64::MAX), [1 << 63, (1 << 63) + 1, (1 << 63) + (1 << 32) - 1]);
    }

    #[test]
    fn the_header_has_the_form_of_the_standard() {
        let parent = |is_sampled| Trace::new(0xabc, 12, is_sampled).parent(2).unwrap();
        assert_eq!(parent(true), "00-00000000000000000000000000000abc-0000000000000009-01");
        assert_eq!(parent(false), "00-00000000000000000000000000000abc-0000000000000009-00");
    }
}
