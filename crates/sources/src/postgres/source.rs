//! A PostgreSQL database, read from every thread.

use std::rc::Rc;

use catalog::{Catalog, FieldId};
use response::{Shape, Sink, Writer, Written};
use sql::Flavor;

use super::bind::{Bound, bind};
use super::cursor::Answer;
use super::execute::{PostgresProgram, Run, explain, run};
use super::introspect::{PhysicalTypes, introspect};
use super::pool::{Pool, PoolOptions};
use super::wire::{CancelToken, Config, connect_simple};
use crate::error::SourceError;
use crate::operand::Variables;
use crate::relational::compile::KeyTypes;
use crate::relational::{self, CompileError, Strategy};
use crate::source::{ExecuteError, OpenError};

/// A database whose catalog was read.
#[derive(Debug)]
pub struct PostgresSource {
    config: Config,
    types: PhysicalTypes,
}

/// The pool of one thread.
#[derive(Debug)]
pub struct PostgresConnections {
    pool: Rc<Pool>,
}

impl KeyTypes for PhysicalTypes {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.of(field).identity_is_text
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.of(field).array_oid != 0
    }
}

impl PostgresSource {
    /// Connects, and reads what the namespaces hold.
    pub async fn open(url: &str, namespaces: &[String]) -> Result<(Self, Catalog), OpenError> {
        let config = Config::from_url(url).map_err(OpenError::Postgres)?;
        let client = connect_simple(&config).await.map_err(OpenError::Postgres)?;
        let introspected =
            introspect(&client, namespaces).await.map_err(OpenError::PostgresCatalog)?;
        Ok((Self { config, types: introspected.types }, introspected.catalog))
    }

    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<PostgresProgram, CompileError> {
        let strategy = Strategy::Levels(&self.types);
        let program = relational::compile(catalog, request, Flavor::POSTGRES, strategy)?;
        Ok(PostgresProgram::new(program, &self.types))
    }

    #[must_use]
    pub fn connections(&self, most: usize) -> PostgresConnections {
        let options = PoolOptions { max_connections: most, ..PoolOptions::default() };
        PostgresConnections { pool: Pool::new(self.config.clone(), options) }
    }
}

impl PostgresConnections {
    /// Runs a plan and writes its answer. A root field that fails is null, and the others run
    /// once more without it.
    pub async fn execute(
        &self,
        shape: &Shape,
        program: &PostgresProgram,
        variables: Variables<'_>,
        sink: Sink,
    ) -> Result<Written<SourceError>, ExecuteError> {
        let (bound, mut failures) = bind(&program.program, variables);
        let rows = self.read(program, &bound, &mut failures).await?;
        let answer = Answer::new(&program.program, &bound, &rows);
        let mut writer = Writer::new(shape, &program.program.layout, sink);
        for (root, error) in failures {
            writer.fail_root(root as usize, error);
        }
        Ok(writer.write(&mut answer.top())?)
    }

    async fn read(
        &self,
        program: &PostgresProgram,
        bound: &Bound,
        failures: &mut Vec<(u32, SourceError)>,
    ) -> Result<Vec<super::wire::Rows>, SourceError> {
        let mut connection = self.pool.acquire().await?;
        let mut abandoned = Abandoned { token: Some(connection.cancel_token()) };
        loop {
            let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
            let ran = run(&mut connection, program, bound, &without).await;
            match ran.inspect_err(|_| abandoned.token = None)? {
                Run::Rows(rows) => {
                    abandoned.token = None;
                    return Ok(rows);
                }
                // Each round has one root field less, so this ends.
                Run::Failed { root, error } => failures.push((root, error)),
            }
        }
    }

    /// PostgreSQL's plan of each statement.
    pub async fn explain(
        &self,
        program: &PostgresProgram,
        variables: Variables<'_>,
        analyze: bool,
    ) -> Result<Vec<String>, SourceError> {
        let (bound, failures) = bind(&program.program, variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        let mut connection = self.pool.acquire().await?;
        explain(&mut connection, program, &bound, analyze).await
    }
}

/// Cancels the statement of a request that goes away before it is answered: PostgreSQL would
/// finish it for nobody.
struct Abandoned {
    token: Option<CancelToken>,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some(token) = self.token.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = token.cancel().await {
                    tracing::debug!(%error, "the statement of an abandoned request goes on");
                }
            });
        }
    }
}
