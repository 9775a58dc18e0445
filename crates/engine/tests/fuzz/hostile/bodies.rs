//! Bodies that are no requests, or only just.

use graphql::ErrorCode;

use super::{Expected, Hostile};
use crate::fuzz::target::Style;

pub(super) const ALL: &[Hostile] = &[
    Hostile {
        name: "invalid_utf8",
        style: Style::PostGraphile,
        body: || Vec::from(*b"{\"query\":\"{ nodeId } #\xff\"}"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "invalid_utf8_in_variables",
        style: Style::PostGraphile,
        body: || Vec::from(*b"{\"query\":\"{ nodeId }\",\"variables\":{\"v\":\"\xc3\x28\"}}"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_byte_order_mark",
        style: Style::PostGraphile,
        body: || Vec::from("\u{feff}{\"query\":\"{ nodeId }\"}"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_number_beyond_double_precision_in_variables",
        style: Style::PostGraphile,
        body: || Vec::from(*b"{\"query\":\"{ nodeId }\",\"variables\":{\"v\":1e400}}"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_lone_surrogate_in_variables",
        style: Style::PostGraphile,
        body: || Vec::from(*b"{\"query\":\"{ nodeId }\",\"variables\":{\"v\":\"\\ud800\"}}"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "the_same_key_twice",
        style: Style::PostGraphile,
        body: || Vec::from(*b"{\"query\":\"{ x }\",\"query\":\"{ nodeId }\"}"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_body_100000_levels_deep",
        style: Style::PostGraphile,
        body: || b"{\"query\":".repeat(100_000),
        expected: Expected::Refused(ErrorCode::JsonTooDeep),
    },
    Hostile {
        name: "an_operation_name_of_a_megabyte",
        style: Style::PostGraphile,
        body: || {
            let name = "n".repeat(1 << 20);
            ["{\"query\":\"{ nodeId }\",\"operationName\":\"", &name, "\"}"].concat().into_bytes()
        },
        expected: Expected::Refused(ErrorCode::OperationResolutionFailure),
    },
    Hostile {
        name: "nothing",
        style: Style::PostGraphile,
        body: Vec::new,
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_batch",
        style: Style::PostGraphile,
        body: || Vec::from(*b"[{\"query\":\"{ nodeId }\"}]"),
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "an_empty_document",
        style: Style::PostGraphile,
        body: || Vec::from(*b"{\"query\":\"\"}"),
        expected: Expected::Refused(ErrorCode::ParseFailed),
    },
];
