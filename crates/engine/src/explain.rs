//! Explanation of a request, which is compiled but not run: the request tree, the statements, the
//! database's own plans.

use std::fmt::Write as _;
use std::sync::Arc;

use ::live::FollowedBy;
use dialects::Listened;
use graphql::operation::{Operation, OperationKind};
use graphql::value::Slot;
use graphql::variables::{Path, Variables as Values};
use graphql::{ErrorCode, GraphQLError, Request};
use ir::EventKind;
use relational::{Level, LevelKind, ParameterKind, ParameterSource, Parents};
use source::changes::Relay;
use source::{PlanFigures, Session, Variables};
use source_neo4j::program::{GraphProgram, GraphStatement};
use sources::Source;

use crate::answer_cache::CacheWish;
use crate::documents::Document;
use crate::operands::operands_of;
use crate::policies::{self, RowError, RowName};
use crate::prepare::Prepared;
use crate::report::{Report, Timed};
use crate::worker::{FurtherRequest, Worker, coerced};

/// The plan of a request, before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Estimated cost, in rows.
    pub cost: u64,
    /// The request tree as text, with those of further sources.
    pub request: String,
    /// The fetches of a gateway's plan.
    pub fetches: Vec<ExplainedFetch>,
    /// Statements of the source; of a gateway, those of the sources in its process.
    pub statements: Vec<ExplainedStatement>,
}

/// A request to a subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedFetch {
    pub subgraph: String,
    /// The order of requests: at once, or after which others.
    pub how: String,
    /// The round of requests to which it belongs, from 1.
    pub round: u16,
    /// The document.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedStatement {
    /// The kind and the name of the rows that it reads.
    pub name: String,
    /// The response name of the root field that it belongs to.
    pub root_field: Box<str>,
    /// The number of the gateway's fetch that it answers, from 1.
    pub fetch: Option<usize>,
    /// The way in which it finds the rows of its parents, and the reason.
    pub how: String,
    /// The round of statements to which it belongs, from 1.
    pub round: u16,
    pub text: String,
    /// The origin of each parameter.
    pub parameters: Vec<String>,
}

impl Worker {
    /// The request tree and the statements of a request.
    pub fn prepare(&self, request: &Request) -> Result<Explained, Vec<GraphQLError>> {
        self.prepare_reported(request, &mut Report::default())
    }

    /// Prepares a request and measures the stages.
    pub fn prepare_reported(
        &self,
        request: &Request,
        report: &mut Report,
    ) -> Result<Explained, Vec<GraphQLError>> {
        self.prepare_for(request, &Session::default(), report)
    }

    /// Prepares a request for a session.
    pub fn prepare_for(
        &self,
        request: &Request,
        session: &Session,
        report: &mut Report,
    ) -> Result<Explained, Vec<GraphQLError>> {
        if let Some(worker) = self.further_of(request, session) {
            return worker.prepare_for(request, session, report);
        }
        let planned = self.plan(request, session, report)?;
        let mut explained = self.show(&planned);
        let selected = (&planned.document.operation, &planned.variables);
        for (further, own) in self.explained_further(&planned.prepared, selected, session)? {
            let FurtherRequest { source, field, .. } = further;
            // Writing to a string cannot fail.
            let _ = write!(explained.request, "the source {source}, for {field}:\n{}", own.request);
            let root_field = Box::from(field);
            explained.statements.extend(own.statements.into_iter().map(|statement| {
                ExplainedStatement { root_field: Box::clone(&root_field), ..statement }
            }));
        }
        Ok(explained)
    }

    /// The policies that permit a request to a session, and those that refuse parts of it; nothing
    /// without policies.
    pub fn explain_policies(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Option<String>, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let (Some(rules), Some(roles)) = (&engine.access, engine.roles()) else { return Ok(None) };
        let document = Arc::clone(&engine.document(request, session, &mut false)?.document);
        let schema = engine.view(session)?.schema;
        let variables = coerced(schema, &document.operation, request)?;
        let name = request.operation_name.as_deref();
        let lowered = engine.lower(&document, name, &variables, session)?;
        let claims = session.claims.as_deref();
        let request = lowered.request;
        Ok(Some(policies::explain::explain(&engine.catalog, rules, roles, claims, request)))
    }

    /// The rules of type definitions that refuse parts of an operation, and the session's claims;
    /// nothing without such rules. Their conditions on rows are part of the request tree.
    pub fn explain_rules(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Option<String>, Vec<GraphQLError>> {
        let engine = &*self.engine;
        if engine.has_policies() {
            return Ok(None);
        }
        let Some(set) = engine.access_set(session)? else { return Ok(None) };
        let document = Arc::clone(&engine.document(request, session, &mut false)?.document);
        let schema = engine.view(session)?.schema;
        let variables = coerced(schema, &document.operation, request)?;
        let name = request.operation_name.as_deref();
        let mut lowered = engine.lower(&document, name, &variables, session)?;
        let mut text = String::from(match session.claims {
            Some(_) => "somebody who is known\n",
            None => "nobody who is known\n",
        });
        let authorized = access::authorize(&engine.catalog, &set, &mut lowered.request);
        for denial in authorized.refused.all {
            text.extend(["refused: ", &denial.message(&engine.catalog), "\n"]);
        }
        Ok(Some(text))
    }

    /// The permissions of a session on one row, and the part of each rule that refuses the rest.
    /// The row is read with the source's own user.
    pub async fn explain_row(&self, name: &RowName, session: &Session) -> Result<String, RowError> {
        let engine = &*self.engine;
        let Some(roles) = engine.roles() else { return Err(RowError::NoPolicies) };
        let claims = session.claims.as_deref();
        policies::explain::row::explain(&engine.source, &engine.catalog, roles, claims, name).await
    }

    fn plan(
        &self,
        request: &Request,
        session: &Session,
        report: &mut Report,
    ) -> Result<Planned, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let known = {
            let _timed = Timed::start(&mut report.stages.document);
            engine.document(request, session, &mut report.document_known)?
        };
        let document = Arc::clone(&known.document);
        report.operation = Some(document.operation.kind);
        let _timed = Timed::start(&mut report.stages.plan);
        let schema = engine.view(session)?.schema;
        let variables = coerced(schema, &document.operation, request)?;
        let name = request.operation_name.as_deref();
        let prepared = engine.plan(&known, name, &variables, session, &mut false)?;
        let is_query = document.operation.kind == OperationKind::Query;
        let in_parts = match document.defers && is_query {
            true => Some(engine.plan_in_parts(&known, name, &variables, session, &mut false)?),
            false => None,
        };
        let has_response_stream = engine.has_response_stream(&document, request);
        let wish = match &engine.cache {
            Some(cache) => {
                let (policy, operation) = (&cache.policy, &document.operation);
                let wish = policy.wish(&engine.api.schema, operation, &request.variables);
                wish.map_err(|error| vec![error])?
            }
            None => None,
        };
        let session = session.clone();
        Ok(Planned { document, prepared, in_parts, variables, session, has_response_stream, wish })
    }

    /// Estimated cost of a request of a session, in rows.
    pub(crate) fn cost(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<u64, Vec<GraphQLError>> {
        if let Some(worker) = self.further_of(request, session) {
            return worker.cost(request, session);
        }
        let planned = self.plan(request, session, &mut Report::default())?;
        Ok(self.planned_cost(&planned))
    }

    /// The estimated cost, with that of fields of further sources.
    fn planned_cost(&self, planned: &Planned) -> u64 {
        let Planned { document, prepared, variables, session, .. } = planned;
        let own = prepared.cost(variables, session);
        own.saturating_add(self.further_cost(prepared, (&document.operation, variables), session))
    }

    fn show(&self, planned: &Planned) -> Explained {
        let (mut request, mut statements) = (String::new(), Vec::new());
        for part in planned.parts() {
            let program = &part.plan;
            let levels = program.levels();
            let root_field = |root| program.shape().root_name(root).unwrap_or_default().into();
            let of_graph = program.graph().into_iter().flat_map(GraphProgram::statements);
            request.push_str(&ir::print(&part.request, &self.engine.catalog));
            statements.extend(
                levels
                    .iter()
                    .filter(|level| level.has_statement())
                    .map(|level| ExplainedStatement {
                        root_field: root_field(level.root),
                        ..statement(level, levels, planned)
                    })
                    .chain(of_graph.map(|statement| ExplainedStatement {
                        root_field: root_field(statement.root),
                        ..graph_statement(statement, planned)
                    })),
            );
            if let Some(resolved) = &part.resolved {
                resolved.print(&self.engine.api, &mut request);
            }
        }
        if let Some(deferred) = planned.in_parts.as_ref().and_then(|own| own.deferred.as_ref()) {
            deferred.print(&mut request);
        }
        if planned.document.defers && planned.in_parts.is_none() {
            request.push_str("deferred fragments: not sent later, since it is no query\n");
        }
        if planned.has_response_stream {
            let catalog = &self.engine.catalog;
            match planned.prepared.listened.as_deref() {
                Some(Listened::Changes { entity, kind, .. }) => {
                    let (name, change) = (&catalog[*entity].name, change(*kind));
                    let _ = writeln!(
                        request,
                        "executed for each node of {name} that a mutation of this server has {change}"
                    );
                }
                Some(Listened::RowChanges { entity, .. }) => {
                    let name = &catalog[*entity].name;
                    let _ = writeln!(
                        request,
                        "executed for each row of {name} that a mutation of this server has created, \
                         updated or deleted"
                    );
                }
                Some(Listened::Channel(_)) => {
                    request.push_str("executed for each notification of its channel\n");
                }
                Some(Listened::Rows(_)) | None => {
                    let dependencies = planned.prepared.dependencies(catalog, planned.variables());
                    if planned.prepared.listened.is_none() {
                        print_batches(planned.prepared.batch_obstacle(), &mut request);
                    }
                    let source = match &self.engine.source {
                        Source::Postgres(_) => FollowedBy::Database,
                        Source::Sqlite(_) | Source::Neo4j(_) => FollowedBy::Server,
                    };
                    request.push_str(&::live::print(&dependencies, catalog, source));
                }
            }
        }
        if let Some(wish) = planned.wish.filter(|_| !planned.has_response_stream) {
            self.print_cache(planned, wish, &mut request);
        }
        let cost = self.planned_cost(planned);
        Explained { cost, request, fetches: Vec::new(), statements }
    }

    /// Prints whether and how an answer is cached.
    fn print_cache(&self, planned: &Planned, wish: CacheWish, out: &mut String) {
        let catalog = &self.engine.catalog;
        let dependencies = planned.prepared.dependencies(catalog, planned.variables());
        let obstacle =
            planned.prepared.cache_obstacle(&planned.document, wish, dependencies.is_volatile);
        match obstacle {
            Some(obstacle) => {
                let _ = writeln!(out, "not cached: {}", obstacle.text());
            }
            None => {
                let _ = writeln!(out, "cached for {:?}", wish.ttl);
                out.push_str(&::live::print_cached(&dependencies, catalog));
            }
        }
    }

    /// The figures of plans that reveal no hidden rows to a session. A database estimates over all
    /// rows of a table, whatever row level security hides.
    pub fn figures_for(&self, session: &Session) -> Result<PlanFigures, Vec<GraphQLError>> {
        let access = self.engine.access_set(session)?;
        let mut permits_all = access.is_none_or(|set| set.permits_all());
        for further in &self.further {
            permits_all &= further.figures_for(session)? == PlanFigures::Estimated;
        }
        Ok(match permits_all && session.settings.is_none() {
            true => PlanFigures::Estimated,
            false => PlanFigures::Hidden,
        })
    }

    /// The database's own plan of each statement, with these figures.
    pub async fn plans(
        &self,
        request: &Request,
        session: &Session,
        figures: PlanFigures,
    ) -> Result<Vec<String>, Vec<GraphQLError>> {
        if let Some(worker) = self.further_of(request, session) {
            return Box::pin(worker.plans(request, session, figures)).await;
        }
        let planned = self.plan(request, session, &mut Report::default())?;
        if figures == PlanFigures::Measured
            && planned.document.operation.kind != OperationKind::Query
        {
            let message =
                "A mutation is explained without figures: for these it would have to run.";
            return Err(vec![GraphQLError::new(ErrorCode::NotSupported, message)]);
        }
        let variables = planned.variables();
        let mut plans = Vec::new();
        for part in planned.parts() {
            let of_part = self.connections.explain(&part.plan, variables, session, figures).await;
            plans.extend(of_part.map_err(|error| vec![self.engine.map_error(&error)])?);
        }
        let selected = (&planned.document.operation, &planned.variables);
        for further in self.further_requests(&planned.prepared, selected, session) {
            let of_further = further.worker.plans(&further.request, session, figures);
            plans.extend(Box::pin(of_further).await?);
        }
        Ok(plans)
    }

    /// The tables and columns that row level security and views read for a subscription, as the database
    /// has them now; nothing for other requests, and for sources without both.
    async fn explain_live_tables(
        &self,
        request: &Request,
        session: &Session,
    ) -> Result<Option<String>, Vec<GraphQLError>> {
        if let Some(worker) = self.further_of(request, session) {
            return Box::pin(worker.explain_live_tables(request, session)).await;
        }
        let planned = self.plan(request, session, &mut Report::default())?;
        let is_live = match planned.prepared.listened.as_deref() {
            None | Some(Listened::Rows(_)) => planned.has_response_stream,
            Some(Listened::Channel(_) | Listened::Changes { .. } | Listened::RowChanges { .. }) => {
                false
            }
        };
        if !is_live {
            return Ok(None);
        }
        let (engine, catalog) = (&*self.engine, &self.engine.catalog);
        let dependencies = planned.prepared.dependencies(catalog, planned.variables());
        // All of them: which stream there is depends on the tables that one could report.
        let tables = ::live::followed_tables(catalog);
        let coverage = engine.source.changes(Relay::None).dependencies(&tables).await;
        let coverage = coverage.map_err(|error| vec![engine.map_error(&error)])?;
        let text = coverage.map(|coverage| ::live::print_tables(&dependencies, catalog, &coverage));
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// The explanations of the requests to further sources, each with its request.
    fn explained_further(
        &self,
        prepared: &Prepared,
        selected: (&Operation, &Values),
        session: &Session,
    ) -> Result<Vec<(FurtherRequest<'_>, Explained)>, Vec<GraphQLError>> {
        let requests = self.further_requests(prepared, selected, session).into_iter();
        let explained = requests.map(|one| {
            let explained =
                one.worker.prepare_for(&one.request, session, &mut Report::default())?;
            Ok((one, explained))
        });
        explained.collect()
    }

    /// The request tree, the statements with their parameters, and the database's own plan,
    /// with figures if `analyze`, as text.
    pub async fn explain(
        &self,
        request: &Request,
        session: &Session,
        analyze: bool,
    ) -> Result<String, Vec<GraphQLError>> {
        let explained = self.prepare_for(request, session, &mut Report::default())?;
        let figures = match analyze {
            true => PlanFigures::Measured,
            false => PlanFigures::Estimated,
        };
        let plans = self.plans(request, session, figures).await?;
        let mut out = String::from("-- request\n");
        out.push_str(explained.request.trim_end());
        out.push('\n');
        if let Some(tables) = self.explain_live_tables(request, session).await? {
            out.push_str("\n-- row level security and views\n");
            out.push_str(&tables);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "\n-- cost\n{}, of {} that are allowed",
            explained.cost, self.engine.limits.cost.most
        );
        for (index, statement) in explained.statements.iter().enumerate() {
            let _ = write!(
                out,
                "\n-- statement {} ({}, round {}): {}\n{}\n",
                index + 1,
                statement.name,
                statement.round,
                statement.how,
                statement.text
            );
            for (number, parameter) in statement.parameters.iter().enumerate() {
                let _ = writeln!(out, "--   parameter {}: {parameter}", number + 1);
            }
            if let Some(plan) = plans.get(index) {
                out.push_str("-- plan\n");
                for line in plan.lines() {
                    let _ = writeln!(out, "--   {line}");
                }
            }
        }
        Ok(out)
    }
}

/// A request as far as it comes before it runs.
struct Planned {
    document: Arc<Document>,
    prepared: Arc<Prepared>,
    /// The plan for clients that accept several payloads, if a fragment has `@defer`.
    in_parts: Option<Arc<Prepared>>,
    variables: Values,
    session: Session,
    /// True for subscriptions and live queries.
    has_response_stream: bool,
    /// The wish for a cached answer.
    wish: Option<CacheWish>,
}

impl Planned {
    /// The parts of the operation, which are executed one after the other.
    fn parts(&self) -> impl Iterator<Item = &Arc<Prepared>> {
        std::iter::successors(Some(&self.prepared), |part| part.next.as_ref())
    }

    /// The values of its operands.
    fn variables(&self) -> Variables<'_> {
        let claims = self.session.claims.as_deref();
        Variables { claims, ..operands_of(&self.variables) }
    }
}

fn change(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Created => "created",
        EventKind::Updated => "updated",
        EventKind::Deleted => "deleted",
    }
}

/// Prints whether a live query is executed in batches.
fn print_batches(obstacle: Option<&str>, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match obstacle {
        None => writeln!(
            out,
            "executed together with subscriptions of this document that have other values"
        ),
        Some(obstacle) => writeln!(out, "executed by itself: {obstacle}"),
    };
}

fn statement(level: &Level, levels: &[Level], planned: &Planned) -> ExplainedStatement {
    let what = match level.kind {
        LevelKind::Rows(_) => "rows of",
        LevelKind::Count => "count of",
        LevelKind::Aggregate => "aggregates of",
        LevelKind::Groups => "groups of",
        LevelKind::Write(_) => "change of",
    };
    let how = match level.parents {
        Parents::Top => "a root field",
        Parents::Bound => "once for each parent, bound with its key",
        Parents::InlinedParentQuery => "parent query inlined: repeating it costs little",
        Parents::Implied => "once for all parents, whose keys its rows have themselves",
        Parents::Arrays => "once for all parents, by the keys that the round before read",
        Parents::Joined { .. } => "by the statement of its parents",
        Parents::Returned { .. } => "over the rows that the change gave",
    };
    let mut name = format!("{what} {}", level.name);
    let joined = |below: &&Level| !below.has_statement() && below.read_by() == level.id;
    if let Some(below) = levels.iter().find(joined) {
        name.push_str(" with those of ");
        name.push_str(&below.name);
    }
    let variables = planned.variables();
    let mut how = String::from(how);
    for (place, when) in level.when.iter().enumerate() {
        how.push_str(if place == 0 { ", if " } else { " and " });
        let rows = if when.is_there { "a row" } else { "no row" };
        how.push_str(&format!("statement {} gives {rows}", number(when.level, levels)));
    }
    ExplainedStatement {
        name,
        root_field: Box::default(),
        fetch: None,
        how,
        round: level.round + 1,
        text: level.bounded_text(level.bounding(variables)).into_owned(),
        parameters: level.parameters.iter().map(|one| parameter(one, levels, planned)).collect(),
    }
}

/// A statement of a graph, which reads all of its root field.
fn graph_statement(statement: &GraphStatement, planned: &Planned) -> ExplainedStatement {
    let parameters = statement.parameters.iter();
    ExplainedStatement {
        name: format!("root field {}", statement.root + 1),
        root_field: Box::default(),
        fetch: None,
        how: "by itself".into(),
        round: 1,
        text: (*statement.text).into(),
        parameters: parameters.map(|one| operand_text(&one.operand, planned)).collect(),
    }
}

/// The number of the statement that reads a level, from 1.
fn number(level: response::LevelId, levels: &[Level]) -> usize {
    let reader = levels.get(usize::from(level.0)).map_or(level, Level::read_by);
    levels.iter().filter(|one| one.has_statement() && one.id <= reader).count()
}

fn parameter(parameter: &relational::Parameter, levels: &[Level], planned: &Planned) -> String {
    let number = |level: &response::LevelId| number(*level, levels);
    let source = match &parameter.source {
        ParameterSource::Operand(operand) => operand_text(operand, planned),
        ParameterSource::Parent { column } => format!("column {column} of the parent's row"),
        ParameterSource::Keys { level, column } => {
            format!("the distinct values of column {column} in statement {}", number(level))
        }
        ParameterSource::Rows { level, column } => {
            format!("the values of column {column} in statement {}", number(level))
        }
        ParameterSource::WholeRows { level, .. } => {
            format!("the rows of statement {}", number(level))
        }
        ParameterSource::Results { level, column } => {
            format!("all values of column {column} in statement {}", number(level))
        }
        ParameterSource::Objects(list) => format!("the keys of {} objects", list.each.len()),
        ParameterSource::Columns(columns) => {
            let columns = columns.iter().map(|own| self::parameter(own, levels, planned));
            format!("rows of {}", columns.collect::<Vec<_>>().join("; "))
        }
        ParameterSource::Result { level, row: 0, column } => {
            format!("column {column} of the row of statement {}", number(level))
        }
        ParameterSource::Result { level, row, column } => {
            format!("column {column} of row {} of statement {}", row + 1, number(level))
        }
    };
    match parameter.kind {
        ParameterKind::Limit { look_ahead: true } => format!("{source}, and one more"),
        ParameterKind::Value { .. }
        | ParameterKind::List { .. }
        | ParameterKind::Key { .. }
        | ParameterKind::KeyArray { .. }
        | ParameterKind::KeyList { .. }
        | ParameterKind::KeyRows
        | ParameterKind::Pattern { .. }
        | ParameterKind::PatternPrefix { .. }
        | ParameterKind::Search(_)
        | ParameterKind::Candidates { .. }
        | ParameterKind::Geo(_)
        | ParameterKind::GeoBox(_)
        | ParameterKind::Vector
        | ParameterKind::VisitedVectors
        | ParameterKind::Float
        | ParameterKind::Text
        | ParameterKind::TextList
        | ParameterKind::Inferred
        | ParameterKind::InferredList
        | ParameterKind::Index
        | ParameterKind::Element { .. }
        | ParameterKind::JsonElements
        | ParameterKind::RangeElement { .. }
        | ParameterKind::Limit { look_ahead: false }
        | ParameterKind::RowArray { .. }
        | ParameterKind::Stored { .. }
        | ParameterKind::StoredArray { .. }
        | ParameterKind::Returned { .. }
        | ParameterKind::Argument { .. }
        | ParameterKind::ArgumentList { .. }
        | ParameterKind::Offset => source,
    }
}

fn operand_text(operand: &ir::Operand, planned: &Planned) -> String {
    match operand {
        ir::Operand::Constant(value) => match value {
            ir::Value::Null => "null".into(),
            ir::Value::Boolean(value) => value.to_string(),
            ir::Value::Integer(value) => value.to_string(),
            ir::Value::Number(text) | ir::Value::Json(text) => String::from(&**text),
            ir::Value::Text(text) => format!("{text:?}"),
            ir::Value::List(items) => format!("a list of {}", items.len()),
            ir::Value::Object(members) => format!("an object of {}", members.len()),
        },
        ir::Operand::Variable { slot, path } => {
            let slot = Slot(slot.0);
            let mut variables = planned.document.operation.variables.iter();
            let mut text = match variables.nth(usize::from(slot.0)) {
                Some(variable) => format!("${}", variable.name),
                // The one after them is the event of a subscription.
                None => "the event".to_owned(),
            };
            let mut within = Path::default();
            for item in path {
                match item {
                    ir::PathItem::Key(key) => {
                        text.push('.');
                        text.push_str(key);
                        within = within.key(key);
                    }
                    ir::PathItem::Index(index) => {
                        text.push_str(&format!("[{index}]"));
                        within = within.index(*index);
                    }
                }
            }
            match planned.variables.get(slot, &within) {
                Some(value) => format!("{text} = {value}"),
                None => text,
            }
        }
        ir::Operand::List(items) => format!("a list of {}", items.len()),
        ir::Operand::Object(members) => format!("an object of {}", members.len()),
        ir::Operand::Claim(name) => format!("the claim {name}"),
        ir::Operand::Claims => "all claims".into(),
        ir::Operand::Password { number, part: ir::PasswordPart::Hashes } => {
            format!("the matching hashes of password {number}")
        }
        ir::Operand::Password { number, .. } => format!("the hash of password {number}"),
        ir::Operand::Formed { operand, .. } => operand_text(operand, planned),
        _ => "a value made while the request runs".into(),
    }
}
