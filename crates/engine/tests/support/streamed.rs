//! Answers that are sent while they are made are those that are made as a whole.

use std::future::poll_fn;

use engine::{Allowed, Delivery, Report, Session, Sizes, Worker};
use libtest_mimic::Failed;
use testkit::cases::without_error_ids;

/// Sends the same answer while it is made, in portions of so few rows where the source has portions,
/// and compares the bytes as they are shown.
pub(crate) async fn compare(
    worker: &mut Worker,
    request: &graphql::Request,
    session: &Session,
    rows: u32,
    whole: &str,
    shown: impl Fn(&str) -> String,
) -> Result<(), Failed> {
    worker.set_sizes(Sizes { whole: 0, rows });
    let mut report = Report::default();
    let (allowed, delivery) = (Allowed::Queries, Delivery::Streamed);
    let engine::Response { body, rest, .. } =
        worker.deliver_reported(request, session, allowed, delivery, &mut report).await;
    let (mut body, mut codes) = (Vec::from(body), Vec::new());
    if let Some(mut rest) = rest {
        while let Some(part) = poll_fn(|context| rest.poll_next(context, &mut codes)).await {
            let Ok(part) = part else {
                // An error that has to change what was sent; then there is one in the answer.
                return match whole.contains(r#""errors":["#) {
                    true => Ok(()),
                    false => Err(format!("portions of {rows} rows break off: {codes:?}").into()),
                };
            };
            body.extend(part.bytes);
        }
    }
    let streamed = shown(&String::from_utf8(body)?);
    if without_error_ids(&streamed) != without_error_ids(whole) {
        return Err(format!("in portions of {rows} rows it is\n{streamed}\nnot\n{whole}").into());
    }
    Ok(())
}
