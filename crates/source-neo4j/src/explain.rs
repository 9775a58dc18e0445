//! The database's own plans.

use std::rc::Rc;

use response::packed::Packed;
use source::SourceError;

use super::bind::Bound;
use super::pool::Pool;
use super::program::{Access, GraphProgram};
use super::wire::{Records, Scope, Transaction, WireError};

/// Keys of the plan in the metadata at the end of a statement.
const PLANS: [&[u8]; 2] = [b"profile", b"plan"];

/// The plan of each statement, with figures of those that only read if `analyze`: then they run.
pub(super) async fn explain(
    pool: &Rc<Pool>,
    program: &GraphProgram,
    bound: &Bound,
    analyze: bool,
) -> Result<Vec<String>, SourceError> {
    let mut plans = Vec::new();
    for transaction in &program.transactions {
        let mut connection = pool.acquire(transaction.access).await?;
        let word = match transaction.access {
            Access::Read if analyze => "PROFILE ",
            Access::Read | Access::Write => "EXPLAIN ",
        };
        for statement in &transaction.statements {
            let bookmarks = pool.cluster().bookmarks();
            let own = Transaction::new(transaction.access, &bookmarks);
            let mut results = Vec::new();
            let text = [word, &*statement.text].concat();
            let place = plans.len();
            let count = statement.parameters.len();
            let mut batch = connection.batch();
            batch.run(Scope::Alone(&own), &text, count, |pack| {
                bound.write(place, pack);
                Ok::<_, WireError>(())
            })?;
            batch.exchange(&mut results).await?;
            plans.push(results.first().map(plan).transpose()?.unwrap_or_default());
        }
    }
    Ok(plans)
}

/// The plan that came with the records.
fn plan(records: &Records) -> Result<String, WireError> {
    for name in PLANS {
        if let Some(Packed::Map(plan)) = records.metadata_of(name)? {
            return Ok(shown(Packed::Map(plan)));
        }
    }
    Ok(String::new())
}

/// The plan as the server shows it, or at least its first operator.
fn shown(plan: Packed<'_>) -> String {
    let text = |of: Packed<'_>, name: &[u8]| match of {
        Packed::Map(entries) => match entries.find(name) {
            Ok(Some(Packed::Text(text))) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        },
        _ => None,
    };
    let arguments = match plan {
        Packed::Map(entries) => entries.find(b"args").ok().flatten(),
        _ => None,
    };
    arguments
        .and_then(|arguments| text(arguments, b"string-representation"))
        .or_else(|| text(plan, b"operatorType"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use response::packed::begin;

    use super::super::wire::Pack;
    use super::*;

    #[test]
    fn a_plan_is_shown_as_the_server_shows_it() {
        let check = |has_text: bool, expect: &str| {
            let mut pack = Pack::new();
            pack.map(2);
            pack.text("operatorType");
            pack.text("ProduceResults@neo4j");
            pack.text("args");
            pack.map(1);
            pack.text(if has_text { "string-representation" } else { "Details" });
            pack.text("a table");
            assert_eq!(shown(begin(pack.as_bytes()).unwrap()), expect);
        };
        check(true, "a table");
        check(false, "ProduceResults@neo4j");
        assert_eq!(shown(Packed::Null), "");
    }
}
