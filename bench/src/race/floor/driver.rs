//! The floor in Neo4j by the driver that Rust programs use: what a server has that is written by
//! hand, without its GraphQL, its JSON and its HTTP.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use neo4rs::{BoltType, ConfigBuilder, Graph, Query};
use serde_json::Value as Json;

use super::bare::Measured;
use super::bolt::{Options, WARM_UP, cpu_seconds};
use crate::race::failure::RaceError;
use crate::race::floor::Variables;

/// The driver cannot measure.
#[derive(Debug, thiserror::Error)]
pub(super) enum DriverError {
    #[error(transparent)]
    Driver(#[from] neo4rs::Error),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Race(#[from] RaceError),
    #[error("a variable of this kind is not handed to the driver: {0}")]
    Variable(Json),
    #[error("a task of the loop has ended")]
    Task,
}

/// Runs a statement by a task for each connection, on as many threads as there are cores.
pub(super) fn measure(
    statement: &str,
    sets: &[Variables],
    options: &Options,
) -> Result<Measured, DriverError> {
    let queries: Result<Vec<Query>, DriverError> =
        sets.iter().map(|set| query(statement, set)).collect();
    let queries: Arc<[Query]> = queries?.into();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let connections = usize::try_from(options.connections).unwrap_or(usize::MAX);
    let graph = runtime.block_on(async {
        let config = ConfigBuilder::default()
            .uri(format!("bolt://127.0.0.1:{}", options.port))
            .user("neo4j")
            .password("neo4j")
            .max_connections(connections)
            .build()?;
        let graph = Graph::connect(config)?;
        run(&graph, &queries, connections, WARM_UP).await?;
        Ok::<_, DriverError>(graph)
    })?;
    let limit = Duration::from_secs(options.floor.seconds.into());
    Measured::of(
        || Ok(cpu_seconds()?),
        || runtime.block_on(run(&graph, &queries, connections, limit)),
    )
}

fn query(statement: &str, set: &Variables) -> Result<Query, DriverError> {
    let mut query = Query::new(statement.to_owned());
    for (name, value) in set {
        query = query.param::<BoltType>(name, to_bolt(value)?);
    }
    Ok(query)
}

fn to_bolt(value: &Json) -> Result<BoltType, DriverError> {
    match value {
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Ok(integer.into()),
            None => Err(DriverError::Variable(value.clone())),
        },
        Json::String(text) => Ok(text.as_str().into()),
        Json::Bool(value) => Ok((*value).into()),
        Json::Null | Json::Array(_) | Json::Object(_) => Err(DriverError::Variable(value.clone())),
    }
}

async fn run(
    graph: &Graph,
    queries: &Arc<[Query]>,
    connections: usize,
    limit: Duration,
) -> Result<Measured, DriverError> {
    let started = Instant::now();
    let tasks: Vec<_> = (0..connections)
        .map(|number| {
            // They do not all ask the same at the same time.
            let first = number * queries.len() / connections.max(1);
            let (graph, queries) = (graph.clone(), Arc::clone(queries));
            tokio::spawn(async move { ask(&graph, &queries, first, started + limit).await })
        })
        .collect();
    let mut all = Vec::new();
    for task in tasks {
        all.push(task.await.map_err(|_| DriverError::Task)??);
    }
    Ok(Measured::of_connections(started.elapsed().as_secs_f64(), all))
}

/// Asks one statement after the other; how long each took, in microseconds, and how many records
/// came.
async fn ask(
    graph: &Graph,
    queries: &[Query],
    first: usize,
    end: Instant,
) -> Result<(Vec<f64>, u64), DriverError> {
    let (mut latencies, mut rows) = (Vec::new(), 0);
    for query in queries.iter().cycle().skip(first) {
        let asked = Instant::now();
        if asked >= end {
            break;
        }
        let mut records = graph.execute(query.clone()).await?;
        while let Some(record) = records.next().await? {
            black_box(record);
            rows += 1;
        }
        latencies.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    Ok((latencies, rows))
}
