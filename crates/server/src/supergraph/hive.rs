//! Requests to Hive's CDN:
//! <https://the-guild.dev/graphql/hive/docs/schema-registry/high-availability-cdn>

use clients::GetError;
use hyper::header::HeaderName;
use hyper::{StatusCode, Uri};

use super::address::{Got, get};
use super::fetches::{FetchError, Reply, Tag};
use crate::options::HiveTarget;

const KEY: HeaderName = HeaderName::from_static("x-hive-cdn-key");

pub(super) async fn ask(
    target: &HiveTarget,
    endpoint: &Uri,
    known: Option<&Tag>,
) -> Result<Reply, FetchError> {
    match get(endpoint, &[(KEY, target.key.clone())], known).await? {
        Got::Reply(reply) => Ok(reply),
        Got::Error(answer) => Err(explain(answer.status)),
    }
}

fn explain(status: StatusCode) -> FetchError {
    let reason = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "Hive refuses the key: `HIVE_CDN_KEY`, or `--hive-key`, must be an access key of this \
             target's CDN"
        }
        StatusCode::NOT_FOUND => {
            "Hive has no supergraph there: the address is that of a target, without `/supergraph`, and \
             a version of it must be published and compose"
        }
        status => return GetError::Status(status).into(),
    };
    FetchError::Refused(format!("the server says {status}: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_remedies() {
        let check = |status: StatusCode, expected: &str| {
            let error = explain(status).to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(StatusCode::UNAUTHORIZED, "the server says 401 Unauthorized: Hive refuses the key");
        check(StatusCode::FORBIDDEN, "`HIVE_CDN_KEY`");
        check(StatusCode::NOT_FOUND, "must be published and compose");
        check(StatusCode::BAD_GATEWAY, "the server says 502 Bad Gateway");
    }
}
