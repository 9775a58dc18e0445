//! Errors of index searches: all failures of the index procedures have one code, and the message
//! distinguishes them.

use source::SourceErrorKind;

use super::wire::DatabaseError;

/// The code of a procedure that failed.
const FAILED: &str = "Neo.ClientError.Procedure.ProcedureCallFailed";

/// The kind and the message of a failed search; none of any other error.
pub(super) fn failure(error: &DatabaseError) -> Option<(SourceErrorKind, Box<str>)> {
    if error.code != FAILED {
        return None;
    }
    let said = error.message.strip_prefix("Failed to invoke procedure `db.index.")?;
    let (procedure, said) = said.split_once("`: Caused by: ")?;
    let (class, reason) = said.split_once(": ")?;
    let reason = reason.lines().next().unwrap_or_default();
    match (procedure, class) {
        // The server's own message, which can be searched for in its log.
        _ if reason.starts_with("There is no such ") => {
            Some((SourceErrorKind::NoIndex, reason.into()))
        }
        ("fulltext.queryNodes", class) if class.ends_with(".ParseException") => {
            let message = ["The phrase is no query: ", reason].concat();
            Some((SourceErrorKind::Input, message.into()))
        }
        ("vector.queryNodes", "java.lang.IllegalArgumentException") => {
            // The server repeats the sent value in a notation of its own.
            let reason = reason.split(" Provided: ").next().unwrap_or_default();
            Some((SourceErrorKind::Input, reason.into()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(message: &str) -> Option<(SourceErrorKind, Box<str>)> {
        let (code, message) = (FAILED.to_owned(), message.to_owned());
        failure(&DatabaseError { code, message, ..DatabaseError::default() })
    }

    #[test]
    fn an_index_that_is_not_there_is_no_fault_of_the_request() {
        for kind in ["fulltext", "vector"] {
            let reason = format!("There is no such {kind} schema index: titles");
            let message = format!(
                "Failed to invoke procedure `db.index.{kind}.queryNodes`: Caused by: \
                 java.lang.IllegalArgumentException: {reason}"
            );
            assert_eq!(mapped(&message), Some((SourceErrorKind::NoIndex, reason.into())));
        }
    }

    #[test]
    fn what_cannot_be_searched_for_is_told() {
        assert_eq!(
            mapped(
                "Failed to invoke procedure `db.index.fulltext.queryNodes`: Caused by: \
                 org.apache.lucene.queryparser.classic.ParseException: Encountered \"<EOF>\" at \
                 line 1, column 3.\nWas expecting one of:\n    <NOT> ..."
            ),
            Some((
                SourceErrorKind::Input,
                "The phrase is no query: Encountered \"<EOF>\" at line 1, column 3.".into()
            ))
        );
        assert_eq!(
            mapped(
                "Failed to invoke procedure `db.index.vector.queryNodes`: Caused by: \
                 java.lang.IllegalArgumentException: Vector must only contain finite values, and \
                 have positive and finite l2-norm. Provided: SequenceValueVectorCandidate[]"
            ),
            Some((
                SourceErrorKind::Input,
                "Vector must only contain finite values, and have positive and finite l2-norm."
                    .into()
            ))
        );
    }

    #[test]
    fn other_failures_stay_what_they_are() {
        for message in [
            "Failed to invoke procedure `db.index.fulltext.queryNodes`: Caused by: \
             java.io.IOException: disk",
            "Failed to invoke procedure `apoc.x`: Caused by: java.lang.IllegalArgumentException: y",
            "There is no such thing",
        ] {
            assert_eq!(mapped(message), None, "{message}");
        }
        let message = "Failed to invoke procedure `db.index.vector.queryNodes`: Caused by: \
                       java.lang.IllegalArgumentException: x";
        let (code, message) = ("Neo.DatabaseError.General.UnknownError".into(), message.into());
        assert_eq!(failure(&DatabaseError { code, message, ..DatabaseError::default() }), None);
    }
}
