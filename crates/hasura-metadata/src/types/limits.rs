//! Limits of operations.

use std::collections::BTreeMap;

use serde_json::Number;

use crate::json::Json;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Read, Reader};

object! {
    /// Limits of operations, for all roles and for single ones.
    #[derive(Default)]
    ApiLimits {
        optional batch_limit: CountLimit = "batch_limit",
        optional depth_limit: CountLimit = "depth_limit",
        omitted disabled: bool = "disabled" (false),
        optional node_limit: CountLimit = "node_limit",
        optional rate_limit: RateLimit = "rate_limit",
        /// Seconds.
        optional time_limit: TimeLimit = "time_limit",
    }
}

object! {
    /// A limit that is a whole number.
    CountLimit {
        required global: u64 = "global",
        always per_role: BTreeMap<String, u64> = "per_role" (BTreeMap::new()),
    }
}

object! {
    /// A limit in seconds.
    TimeLimit {
        required global: Number = "global",
        always per_role: BTreeMap<String, Number> = "per_role" (BTreeMap::new()),
    }
}

object! {
    /// A limit of requests in a minute.
    RateLimit {
        required global: RateLimitRule = "global",
        always per_role: BTreeMap<String, RateLimitRule> = "per_role" (BTreeMap::new()),
    }
}

object! {
    /// The most requests in a minute, and what they are counted by.
    RateLimitRule {
        required max_reqs_per_min: u64 = "max_reqs_per_min",
        /// Absent: the role.
        nullable unique_params: UniqueParameters = "unique_params",
    }
}

/// What requests are counted by.
#[derive(Clone, Debug, PartialEq)]
pub enum UniqueParameters {
    /// The address of the client.
    Ip,
    SessionVariables(Vec<String>),
}

impl Read for UniqueParameters {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(text) if text.eq_ignore_ascii_case("ip") => Some(Self::Ip),
            Value::List(_) => Vec::read(node, reader).map(Self::SessionVariables),
            _ => reader.expected(node, "\"IP\", or a list of session variables,"),
        }
    }
}

impl Write for UniqueParameters {
    fn write(&self) -> Json {
        match self {
            Self::Ip => Json::String("IP".to_owned()),
            Self::SessionVariables(names) => names.write(),
        }
    }
}
