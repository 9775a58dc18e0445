//! Batches: one execution of a plan for several requests of a session that differ in variables.
//!
//! The statement of each level is evaluated for each row of a list of parameters
//! ([`sql::print_batch`]). Its rows are split by the member that they belong to, and each answer is
//! written as if its request had been executed by itself.
//!
//! The types of the parameters are those that PostgreSQL infers for the statement of one request, so
//! that values mean the same. They are read when the first batch is executed.

mod parts;

use std::sync::{Arc, LazyLock};

use relational::{Level, Parameter, ParameterKind, ParameterSource, Program};
use response::{Layout, Sink, Written};
use source::operand::{Variables, resolve};
use source::{ExecuteError, ExecuteParams, Observed, Session, SourceError, SourceErrorKind};
use sql::{Flavor, Identifier, TableName};

use self::parts::split;
use super::answer::Read;
use super::bind::Bound;
use super::database::PostgresConnections;
use super::execute::{PostgresPlan, PostgresProgram};
use super::read::Reading;
use super::settings;
use super::wire::{self, Rows, Statement};

/// The answers of the members of a batch, in their order.
pub type Answers = Vec<Result<Written<SourceError>, ExecuteError>>;

static PARAMETER_TYPES: LazyLock<Arc<Statement>> = LazyLock::new(|| {
    Arc::new(Statement::new(include_str!("batch/parameter_types.sql").trim_end(), []))
});

impl PostgresProgram {
    /// The reason for which the requests of this program are executed by themselves; `None` if
    /// batches of them can be executed.
    #[must_use]
    pub fn batch_obstacle(&self) -> Option<&'static str> {
        let levels = &self.program.levels;
        let parameters = || levels.iter().flat_map(|level| &level.parameters);
        if self.program.writes() {
            return Some("it changes rows");
        }
        if levels.iter().any(|level| level.calls) {
            return Some("it calls a function");
        }
        if !levels.iter().all(is_splittable) {
            return Some("a part with values of its own is found by the keys of rows");
        }
        if !parameters().any(|parameter| parameter.is_batched()) {
            return Some("it has no values in which subscriptions could differ");
        }
        let is_unknown = matches!(self.batch.get(), Some(None));
        (self.recompiler.is_none() || is_unknown)
            .then_some("the types of its parameters are not known")
    }

    /// The sizes of the pages of a request, which are equal in a batch; `None` if the request is
    /// executed by itself.
    #[must_use]
    pub fn page_sizes(&self, variables: Variables<'_>) -> Option<Box<[Option<u64>]>> {
        if self.batch_obstacle().is_some() {
            return None;
        }
        let parameters = self.program.levels.iter().flat_map(|level| &level.parameters);
        let sizes = parameters.filter_map(|parameter| match &parameter.source {
            ParameterSource::Operand(operand) if !parameter.is_batched() => {
                // An error is reported by the execution.
                Some(resolve(operand, variables).and_then(|value| value.rows("LIMIT")).ok())
            }
            _ => None,
        });
        sizes.collect()
    }

    /// Makes the form for batches, with the types of each level's parameters.
    fn batch_form(&self, types: &[Vec<TableName>]) -> Option<Box<Self>> {
        let recompiler = self.recompiler.as_ref()?;
        let members = recompiler.batch_members()?.levels;
        if members.len() != self.program.levels.len() {
            return None;
        }
        let levels = members.into_iter().zip(&self.program.levels).zip(types);
        let levels = levels.map(|((member, level), types)| batch_level(member, level, types));
        let levels = levels.collect::<Option<Vec<_>>>()?;
        let program = Program { levels, layout: Layout::default(), units: Vec::new() };
        Some(Box::new(Self::new(program, &recompiler.types)))
    }
}

/// The level of a batch; `member` has the text of its member, and `level` is that of one request.
fn batch_level(member: Level, level: &Level, types: &[TableName]) -> Option<Level> {
    if member.parameters != level.parameters || types.len() != level.parameters.len() {
        return None;
    }
    let places = (0..).map(sql::Parameter);
    let batched = level.parameters.iter().zip(types).zip(places);
    let batched = batched.filter(|((parameter, _), _)| parameter.is_batched());
    let batched: Vec<_> = batched.map(|((_, r#type), place)| (place, r#type.clone())).collect();
    let member = Level { bounded: None, ..member };
    if batched.is_empty() {
        return Some(member);
    }
    let parameters = member.parameters.iter().map(|parameter| match parameter.is_batched() {
        true => Parameter { kind: ParameterKind::TextList, ..parameter.clone() },
        false => parameter.clone(),
    });
    Some(Level {
        text: sql::print_batch(&member.text, &batched, &Flavor::POSTGRES).into(),
        columns: member.columns.checked_add(1)?,
        parameters: parameters.collect(),
        ..member
    })
}

impl PostgresConnections {
    /// Executes a plan for several requests of a session, whose sizes of pages are equal. After an
    /// error each of them has to be executed by itself.
    pub async fn answer_batch(
        &self,
        plan: &Arc<PostgresPlan>,
        session: &Session,
        members: Vec<(ExecuteParams<'_>, Sink)>,
    ) -> Result<Answers, SourceError> {
        let program = &plan.program;
        let mut bound = Vec::with_capacity(members.len());
        for (params, _) in &members {
            let (own, failures) = program.bind(params.variables);
            require_success(failures)?;
            bound.push(own);
        }
        let form = self.batch_form(program, session).await?;
        let batch = Bound::batch(&program.program.levels, &bound);
        let mut failures = Vec::new();
        let reading = Reading {
            pool: &self.pool,
            sharing: &self.sharing,
            program: form,
            bound: &batch,
            session,
            // Too much to delay short reads on a shared connection.
            cost: u64::MAX,
            most_bytes: usize::MAX,
            observed: &mut Observed::default(),
        };
        let rows = reading.rows(&mut failures).await?;
        require_success(failures)?;
        let parts = split(&rows, &program.program.levels, bound.len())?;
        // By level, then by member.
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        let mut answers = Vec::with_capacity(members.len());
        for ((params, sink), bound) in members.into_iter().zip(bound) {
            let rows = parts.iter_mut().map(|parts| parts.next().unwrap_or_default()).collect();
            let read = Read { bound, failures: Vec::new(), rows };
            let observed = &mut Observed::default();
            answers.push(read.write((plan, program), params.echoes, sink, observed).await);
        }
        Ok(answers)
    }

    /// The form of a program for batches.
    async fn batch_form<'p>(
        &self,
        program: &'p PostgresProgram,
        session: &Session,
    ) -> Result<&'p PostgresProgram, SourceError> {
        let made = match program.batch.get() {
            Some(made) => made,
            None => {
                let types = self.parameter_types(program, session).await?;
                program.batch.get_or_init(|| program.batch_form(&types))
            }
        };
        made.as_deref().ok_or_else(|| {
            SourceError::new(SourceErrorKind::Internal, "a program has no form for batches")
        })
    }

    /// The types that PostgreSQL infers for the parameters of each level; empty where statements
    /// have no names, as behind a pooler.
    async fn parameter_types(
        &self,
        program: &PostgresProgram,
        session: &Session,
    ) -> Result<Vec<Vec<TableName>>, SourceError> {
        let mut connection = self.pool.acquire_for(session.names()).await?;
        let mut pipeline = connection.pipeline();
        let form = program.product.settings_form();
        settings::begin(&mut pipeline, None, session.settings.as_deref(), form)?;
        for place in 0..program.program.levels.len() {
            let name = pipeline.prepare(program.plain_statement(place))?;
            let name = name
                .as_deref()
                .map_or(wire::Parameter::Null, |name| wire::Parameter::Text(name.as_bytes()));
            pipeline.execute(&PARAMETER_TYPES, [name])?;
        }
        let mut results = Vec::new();
        pipeline.sync_and_read(&mut results).await?;
        Ok(results.iter().map(type_names).collect())
    }
}

fn type_names(rows: &Rows) -> Vec<TableName> {
    let names = rows.iter().filter_map(|row| {
        let name = |column| Some(Identifier(str::from_utf8(row.value(column)?).ok()?.into()));
        Some(TableName { schema: Some(name(0)?), name: name(1)? })
    });
    names.collect()
}

/// Whether the rows of a level can be split by members: they have numbers, or they are found by the
/// keys of rows alone.
fn is_splittable(level: &Level) -> bool {
    // Programs that change nothing have no other sources.
    let is_operand =
        |parameter: &Parameter| matches!(parameter.source, ParameterSource::Operand(_));
    let has_keys = !level.parameters.iter().all(is_operand);
    !has_keys || level.link.is_some() && !level.parameters.iter().any(Parameter::is_batched)
}

fn require_success(failures: Vec<(u32, SourceError)>) -> Result<(), SourceError> {
    failures.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
}
