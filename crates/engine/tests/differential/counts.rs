//! Counts by a condition, compared with what the database itself counts by hand-written SQL.

use engine::Worker;
use libtest_mimic::Failed;
use serde_json::{Value as Json, json};

use crate::sources::{Sources, TestSource};

const DIALECT: &str = "postgraphile";

/// A connection with a condition's field, and the table and column that they are.
struct Counted {
    database: &'static str,
    connection: &'static str,
    field: &'static str,
    table: &'static str,
    column: &'static str,
}

const COUNTED: [Counted; 12] = [
    counted("shop", "allInvoices", "billingCountry", "invoice", "billing_country"),
    counted("shop", "allInvoices", "billingState", "invoice", "billing_state"),
    counted("shop", "allInvoices", "total", "invoice", "total"),
    counted("shop", "allTracks", "genreId", "track", "genre_id"),
    counted("shop", "allTracks", "unitPrice", "track", "unit_price"),
    counted("shop", "allCustomers", "supportRepId", "customer", "support_rep_id"),
    counted("shop", "allEmployees", "hireDate", "employee", "hire_date"),
    counted("kinds", "allKinds", "truth", "kind", "truth"),
    counted("kinds", "allKinds", "big", "kind", "big"),
    counted("kinds", "allKinds", "moment", "kind", "moment"),
    counted("kinds", "allKinds", "label", "kind", "label"),
    counted("kinds", "allTransfers", "amount", "transfer", "amount"),
];

const fn counted(
    database: &'static str,
    connection: &'static str,
    field: &'static str,
    table: &'static str,
    column: &'static str,
) -> Counted {
    Counted { database, connection, field, table, column }
}

/// Every value of the columns is asked for, null among them.
pub(crate) fn compare_counts(sources: &Sources) -> Result<(), Failed> {
    let Some(oracle) = sources.all().nth(1) else { return Ok(()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for Counted { database, connection, field, table, column } in COUNTED {
        let sql = format!("SELECT to_json({column}), count(*) FROM {table} GROUP BY {column}");
        let expected = sources.query(&oracle, database, &sql)?;
        assert!(!expected.is_empty(), "{table} is empty");
        for source in [&TestSource::Sqlite, &oracle] {
            let worker = Worker::new(sources.engine(source, database, DIALECT)?);
            for row in &expected {
                let value = row[0].as_deref().map_or(Ok(Json::Null), serde_json::from_str)?;
                let count: usize = row[1].as_deref().unwrap_or_default().parse()?;
                let what = format!("{connection} {field} {value} on {source}");
                let value = operand(field, value);
                let answer = runtime.block_on(ask(&worker, connection, field, &value))?;
                let found = &answer["data"][connection];
                let nodes = found["nodes"].as_array().map(Vec::len);
                assert_eq!((&found["totalCount"], nodes), (&json!(count), Some(count)), "{what}");
            }
        }
    }
    Ok(())
}

/// Numbers beyond JavaScript's are strings in this dialect.
fn operand(field: &str, value: Json) -> Json {
    match (field, value) {
        ("big" | "total" | "unitPrice" | "amount", Json::Number(number)) => {
            Json::String(number.to_string())
        }
        (_, value) => value,
    }
}

async fn ask(worker: &Worker, connection: &str, field: &str, value: &Json) -> Result<Json, Failed> {
    let entity = match connection {
        "allInvoices" => "Invoice",
        "allTracks" => "Track",
        "allCustomers" => "Customer",
        "allEmployees" => "Employee",
        "allTransfers" => "Transfer",
        _ => "Kind",
    };
    let query = format!(
        "query ($c: {entity}Condition) {{ {connection}(condition: $c) {{ totalCount nodes {{ nodeId }} }} }}"
    );
    let variables = json!({ "c": { field: value } }).to_string();
    Ok(serde_json::from_str(&crate::differential::answer(worker, &query, &variables).await?)?)
}
