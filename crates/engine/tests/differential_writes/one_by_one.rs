//! Bulk mutations beside single ones: a request of many rows must do what as many mutations of one
//! row do in one transaction.

use std::sync::Arc;

use engine::{Allowed, Worker};
use graphql::schema::{InputId, Schema};
use libtest_mimic::Failed;
use serde_json::Value as Json;

use super::{Compared, answer, difference, each_sequence, rows};
use crate::choices::Choices;
use crate::sources::{Sources, TestSource};
use crate::value::{self, Value};

const DIALECT: &str = "postgraphile simple-collections=only mutation-transactions=request \
                       bulk-mutations=100";

/// Of the blog: what one and what many of them are called.
const ENTITIES: [(&str, &str); 3] = [("tag", "tags"), ("person", "people"), ("post", "posts")];

pub(crate) fn compare_bulk(sources: &Sources) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let both: Vec<TestSource> = sources.all().take(2).collect();
    let schema = sources.engine(&TestSource::Sqlite, "blog", DIALECT)?.schema().clone();
    let mut compared = Compared::default();
    each_sequence(|choices| {
        let source = &both[choices.below(both.len())];
        let bulk = sources.open_copy(source, "blog", DIALECT, |_| ())?;
        let single = sources.open_copy(source, "blog", DIALECT, |_| ())?;
        let workers = [&bulk, &single].map(|copy| Worker::new(Arc::clone(&copy.engine)));
        runtime.block_on(check(&schema, &workers, choices, &mut compared))
    })?;
    compared.judge()
}

async fn check(
    schema: &Schema,
    [bulk, single]: &[Worker; 2],
    choices: &mut Choices<'_>,
    compared: &mut Compared,
) -> Result<(), String> {
    for _ in 0..4 {
        let (one, many) = choices.pick(&ENTITIES);
        let forms = match choices.below(3) {
            0 => creates(schema, one, many, choices)?,
            1 => changes(schema, bulk, one, many, choices).await?,
            _ => Some(deletes(schema, bulk, one, many, choices).await?),
        };
        let Some((at_once, one_by_one)) = forms else { continue };
        let said = [&*at_once, "\n", &one_by_one, "\n"].concat();
        let first = answer(bulk, &at_once, "{}", Allowed::All).await?;
        let second = answer(single, &one_by_one, "{}", Allowed::All).await?;
        compared.count(first["errors"].is_null());
        if first["errors"].is_null() != second["errors"].is_null() {
            return Err([&*said, &first.to_string(), "\n", &second.to_string()].concat());
        }
        let all = rows::all(schema);
        let first = answer(bulk, &all, "{}", Allowed::Queries).await?;
        let second = answer(single, &all, "{}", Allowed::Queries).await?;
        if first != second {
            return Err([&*said, "leave\n", &difference(&first, &second)].concat());
        }
    }
    Ok(())
}

/// Rows of any columns.
fn creates(
    schema: &Schema,
    one: &str,
    many: &str,
    choices: &mut Choices<'_>,
) -> Result<Option<(String, String)>, String> {
    let made = input(schema, &["Create", &capital(many), "Input"].concat(), many)?;
    let made: Vec<Value> = match value::value(schema, made, choices) {
        // It is refused.
        Value::List(made) if made.is_empty() => return Ok(None),
        Value::List(made) => made,
        made => vec![made],
    };
    let single: Vec<String> = made.iter().map(|row| [one, ": ", &row.literal()].concat()).collect();
    let at_once = [many, ": ", &Value::List(made).literal()].concat();
    let name = ["create", &capital(one)].concat();
    let many = ["create", &capital(many)].concat();
    Ok(Some((root(&many, &at_once), roots(&name, &single))))
}

/// One patch for all rows of a condition.
async fn changes(
    schema: &Schema,
    worker: &Worker,
    one: &str,
    many: &str,
    choices: &mut Choices<'_>,
) -> Result<Option<(String, String)>, String> {
    let condition = condition(schema, many, choices)?;
    let patch =
        input(schema, &["Update", &capital(one), "ByIdInput"].concat(), &[one, "Patch"].concat())?;
    // Bulk refuses a patch that says nothing.
    let patch = match value::value(schema, patch, choices) {
        Value::Object(entries) if entries.is_empty() => "{ id: 7 }".to_owned(),
        patch => patch.literal(),
    };
    let patch = [one, "Patch: ", &patch].concat();
    let keys = keys(worker, many, &condition).await?;
    // A value may be refused although it would be given to no row.
    if keys.is_empty() {
        return Ok(None);
    }
    let single: Vec<String> = keys.iter().map(|key| ["id: ", key, ", ", &patch].concat()).collect();
    let at_once = ["condition: ", &condition, ", atMost: 100, ", &patch].concat();
    let name = ["update", &capital(one), "ById"].concat();
    let many = ["update", &capital(many)].concat();
    Ok(Some((root(&many, &at_once), roots(&name, &single))))
}

async fn deletes(
    schema: &Schema,
    worker: &Worker,
    one: &str,
    many: &str,
    choices: &mut Choices<'_>,
) -> Result<(String, String), String> {
    let condition = condition(schema, many, choices)?;
    let keys = keys(worker, many, &condition).await?;
    let single: Vec<String> = keys.iter().map(|key| ["id: ", key].concat()).collect();
    let at_once = ["condition: ", &condition, ", atMost: 100"].concat();
    let name = ["delete", &capital(one), "ById"].concat();
    let many = ["delete", &capital(many)].concat();
    Ok((root(&many, &at_once), roots(&name, &single)))
}

/// One that is not empty: without any there would be no bound.
fn condition(schema: &Schema, many: &str, choices: &mut Choices<'_>) -> Result<String, String> {
    let condition = input(schema, &["Delete", &capital(many), "Input"].concat(), "condition")?;
    match value::value(schema, condition, choices) {
        Value::Object(entries) if !entries.is_empty() => Ok(Value::Object(entries).literal()),
        _ => Ok(["{ id: ", choices.pick(&["1", "2", "3"]), " }"].concat()),
    }
}

/// The keys of the rows that a condition finds.
async fn keys(worker: &Worker, many: &str, condition: &str) -> Result<Vec<String>, String> {
    let asked = ["{ all", &capital(many), "List(condition: ", condition, ") { id } }"].concat();
    let answer = answer(worker, &asked, "{}", Allowed::Queries).await?;
    let found = answer["data"][["all", &capital(many), "List"].concat()].as_array();
    Ok(found.into_iter().flatten().map(|row| Json::to_string(&row["id"])).collect())
}

fn input(schema: &Schema, r#type: &str, field: &str) -> Result<InputId, String> {
    let found = schema.find_type(r#type).and_then(|id| schema.find_input_field(id, field));
    found.ok_or_else(|| [r#type, ".", field, " is not there"].concat())
}

fn root(name: &str, input: &str) -> String {
    ["mutation { ", name, "(input: { ", input, " }) { clientMutationId } }"].concat()
}

/// A field for each, or none that changes anything.
fn roots(name: &str, inputs: &[String]) -> String {
    let mut text = "mutation { __typename ".to_owned();
    for (number, input) in inputs.iter().enumerate() {
        let number = number.to_string();
        text.extend(["f", &number, ": ", name, "(input: { ", input, " }) { clientMutationId } "]);
    }
    text.push('}');
    text
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
