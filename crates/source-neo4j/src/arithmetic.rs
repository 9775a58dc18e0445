//! Errors of values that cannot be computed, with the messages of Neo4j's GraphQL library.

/// A property that is not there has no value to compute with.
pub(super) const ABSENT: &str =
    "A property that a node does not have cannot be computed with: the result is NaN.";
pub(super) const DIVIDED_BY_ZERO: &str = "Division by zero is not supported.";
pub(super) const OVERFLOW: &str = "Overflow: a result is out of the range of its type.";

/// The message of such an error of a change. The server's own message may show other values of the
/// computation.
pub(super) fn message(received: &str) -> &'static str {
    let received = received.to_ascii_lowercase();
    if received.contains("overflow") {
        OVERFLOW
    } else if received.contains("by zero") {
        DIVIDED_BY_ZERO
    } else {
        "A value cannot be computed with, or is out of the range of its type."
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_words_tell_what_failed_and_nothing_else() {
        assert_eq!(message("long overflow: 9223372036854775807 + 1"), OVERFLOW);
        assert_eq!(message("/ by zero"), DIVIDED_BY_ZERO);
        let other = message("Cannot assign `a` of type Node");
        assert!(!other.contains('`') && other.contains("cannot be computed"), "{other}");
    }
}
