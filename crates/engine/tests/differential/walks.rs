//! Walks from page to page, in every order that a connection has: no row may be skipped, none may
//! come twice, and nulls have their place, whichever end the walk begins at.

use engine::Worker;
use libtest_mimic::Failed;
use serde_json::{Value as Json, json};

use testkit::cases::Family;

use crate::sources::Sources;

const DIALECT: &str = "postgraphile";

/// A connection, and pages of a size that leaves the last one short.
struct Walked {
    database: &'static str,
    connection: &'static str,
    orders: &'static str,
    size: usize,
}

const WALKED: [Walked; 5] = [
    walked("shop", "allInvoices", "InvoicesOrderBy", 37),
    walked("shop", "allCustomers", "CustomersOrderBy", 8),
    walked("shop", "allEmployees", "EmployeesOrderBy", 3),
    walked("kinds", "allKinds", "KindsOrderBy", 1),
    walked("kinds", "allStations", "StationsOrderBy", 2),
];

/// Orders by values that have parts.
const OF_POSTGRES: [Walked; 2] = [
    walked("structured", "allParts", "PartsOrderBy", 1),
    walked("postgres_types", "allSamples", "SamplesOrderBy", 2),
];

const fn walked(
    database: &'static str,
    connection: &'static str,
    orders: &'static str,
    size: usize,
) -> Walked {
    Walked { database, connection, orders, size }
}

#[derive(Clone, Copy, Debug)]
enum Direction {
    Forward,
    Backward,
}

pub(crate) fn compare_walks(sources: &Sources) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for source in sources.all().take(2) {
        let own = if source.family() == Family::Postgres { &OF_POSTGRES[..] } else { &[] };
        for walked in WALKED.iter().chain(own) {
            let worker = Worker::new(sources.engine(&source, walked.database, DIALECT)?);
            let walks = async {
                for order in orders(&worker, walked.orders).await? {
                    let Some(all) = all(&worker, walked.connection, &order).await? else {
                        continue;
                    };
                    assert!(all.len() > walked.size, "{} has one page", walked.connection);
                    for direction in [Direction::Forward, Direction::Backward] {
                        let found = walk(&worker, walked, &order, direction, all.len()).await?;
                        let what = format!("{} {order} {direction:?}", walked.connection);
                        assert_eq!(found, all, "{what} on {source}");
                    }
                }
                Ok::<_, Failed>(())
            };
            runtime.block_on(walks)?;
        }
    }
    Ok(())
}

async fn orders(worker: &Worker, name: &str) -> Result<Vec<String>, Failed> {
    let document = format!("{{ __type(name: \"{name}\") {{ enumValues {{ name }} }} }}");
    let data = data(worker, &document, &json!({})).await?;
    let values = data["__type"]["enumValues"].as_array().cloned().unwrap_or_default();
    assert!(values.len() > 1, "{name} has no orders");
    Ok(values.iter().filter_map(|value| value["name"].as_str()).map(str::to_owned).collect())
}

/// All rows; `None` if the database has no order of such values.
async fn all(worker: &Worker, connection: &str, order: &str) -> Result<Option<Vec<Json>>, Failed> {
    let document = format!("{{ {connection}(orderBy: {order}) {{ nodes {{ nodeId }} }} }}");
    let answer = crate::differential::answer(worker, &document, "{}").await?;
    if answer.contains("could not identify an ordering operator") {
        return Ok(None);
    }
    let data = data(worker, &document, &json!({})).await?;
    Ok(Some(data[connection]["nodes"].as_array().cloned().unwrap_or_default()))
}

/// The rows of all pages, in the order of the connection.
async fn walk(
    worker: &Worker,
    Walked { connection, size, .. }: &Walked,
    order: &str,
    direction: Direction,
    rows: usize,
) -> Result<Vec<Json>, Failed> {
    let (limit, from, more, end) = match direction {
        Direction::Forward => ("first", "after", "hasNextPage", "endCursor"),
        Direction::Backward => ("last", "before", "hasPreviousPage", "startCursor"),
    };
    let document = format!(
        "query ($cursor: Cursor) {{ {connection}({limit}: {size}, {from}: $cursor, orderBy: {order}) \
         {{ pageInfo {{ {more} {end} }} nodes {{ nodeId }} }} }}"
    );
    let mut found = Vec::new();
    let mut cursor = Json::Null;
    // A walk that never ends has too many rows.
    while found.len() <= rows {
        let data = data(worker, &document, &json!({ "cursor": cursor })).await?;
        let page = &data[connection];
        let nodes = page["nodes"].as_array().cloned().unwrap_or_default();
        match direction {
            Direction::Forward => found.extend(nodes),
            Direction::Backward => drop(found.splice(0..0, nodes)),
        }
        if page["pageInfo"][more] == json!(false) {
            break;
        }
        cursor = page["pageInfo"][end].clone();
    }
    Ok(found)
}

async fn data(worker: &Worker, document: &str, variables: &Json) -> Result<Json, Failed> {
    let answer = crate::differential::answer(worker, document, &variables.to_string()).await?;
    let mut answer: Json = serde_json::from_str(&answer)?;
    match answer.get("errors") {
        Some(errors) => Err(Failed::from(format!("{document}\n{variables}\n{errors}"))),
        None => Ok(answer["data"].take()),
    }
}
