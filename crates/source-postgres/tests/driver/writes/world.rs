//! A database with its catalog, requests from a few words, and answers as text.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::{
    Assignment, Call, Comparison, Direction, Filter, Form, From, Hop, HopDirection, Insert,
    InsertedRows, Isolation, Nulls, Operand, OrderKey, OrderTerm, Otherwise, OtherwiseKind, Output,
    OutputId, OutputKind, Page, Require, Rows, RowsId, State, Step, StepId, StepKind, Transaction,
    Update, Value, ValueRef, Write, WriteKind,
};
use relational::{ParameterSource, Strategy};
use response::{
    Failure, Fields, Item, Leaf, MemoryBudget, MemoryReservation, Node, NodeId, Shape, ShapeField,
    Sink,
};
use source::{
    Connections as _, ExecuteError, ExecuteParams, Observed, PlanFigures, PoolLimits, Session,
    Variables,
};
use source_postgres::{
    Extensions, PostgresConnections, PostgresOptions, PostgresPlan, PostgresSource,
};
use testkit::postgres::{Server, installations, shared};

pub(crate) const BLOG: &str = "
    create table person (id serial primary key, full_name text not null, mail text unique);
    create table post (
        id serial primary key,
        author_id int not null references person on delete cascade,
        headline text,
        score int default 7
    );
    insert into person (full_name, mail) values ('Ada', 'ada@x'), ('Ben', null);
    insert into post (author_id, headline) values (1, 'First'), (1, 'Second'), (2, 'Third');";

/// A database of a test's own.
pub(crate) struct World {
    server: &'static Server,
    pub(crate) database: String,
    pub(crate) catalog: Catalog,
    source: PostgresSource,
    connections: PostgresConnections,
}

/// The first PostgreSQL there is; a test that finds none says so and passes.
pub(crate) fn server() -> Option<&'static Server> {
    let Some(installation) = installations().into_iter().next() else {
        println!("not run: PostgreSQL is not installed");
        return None;
    };
    Some(shared(&installation).unwrap_or_else(|error| panic!("{installation}: {error}")))
}

/// A database that `sql` makes.
pub(crate) async fn world(sql: &str) -> Option<World> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let server = server()?;
    let database = format!("writes_{}", COUNTER.fetch_add(1, Ordering::Relaxed));
    server.create_database(&database).unwrap();
    server.execute(&database, sql).unwrap();
    World::open(server, database).await
}

impl World {
    async fn open(server: &'static Server, database: String) -> Option<Self> {
        let url = server.url(&database);
        Self::connect(server, database, url).await
    }

    async fn connect(server: &'static Server, database: String, url: String) -> Option<Self> {
        let options = PostgresOptions {
            namespaces: &["public".to_owned()],
            extensions: Extensions::LeftOut,
            ..PostgresOptions::default()
        };
        let (source, catalog) = PostgresSource::open(&url, &options).await.unwrap();
        let connections = source.connections(PoolLimits::unshared(2), &MemoryBudget::new(u64::MAX));
        Some(Self { server, database, catalog, source, connections })
    }

    /// The same database, over connections that see what was set for new ones.
    pub(crate) async fn again(self) -> Self {
        Self::open(self.server, self.database).await.unwrap()
    }

    pub(crate) fn execute(&self, sql: &str) {
        self.server.execute(&self.database, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The rows of a query as lines, values parted by commas.
    pub(crate) fn query(&self, sql: &str) -> String {
        let rows = self.server.query(&self.database, sql).unwrap();
        let text = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        let line =
            |row: Vec<Option<String>>| row.into_iter().map(text).collect::<Vec<_>>().join(",");
        rows.into_iter().map(line).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.port()
    }

    /// The same database, by way of another port.
    pub(crate) async fn by_way_of(self, port: u16) -> Self {
        let url = format!("postgres://postgres@127.0.0.1:{port}/{}", self.database);
        Self::connect(self.server, self.database, url).await.unwrap()
    }

    pub(crate) fn url(&self) -> String {
        self.server.url(&self.database)
    }

    pub(crate) fn entity(&self, name: &str) -> EntityId {
        self.catalog.find_entity(Some("public"), name).unwrap().id
    }

    /// By `entity.field`.
    pub(crate) fn field(&self, name: &str) -> FieldId {
        let (entity, field) = name.split_once('.').unwrap();
        self.catalog.find_field(self.entity(entity), field).unwrap().id
    }

    pub(crate) fn function(&self, name: &str) -> FunctionId {
        let mut functions = self.catalog.functions();
        functions.find(|function| &*function.name == name).unwrap().id
    }

    /// The hop from the field that refers, or to it.
    pub(crate) fn hop(&self, field: &str, direction: HopDirection) -> Hop {
        let field = self.field(field);
        let mut all = self.catalog.relationships();
        let found = all.find(|one| one.from_fields == [field]).unwrap();
        Hop { relationship: found.id, direction }
    }

    pub(crate) fn equal(&self, field: &str, operand: Operand) -> Filter {
        let place = ValueRef::Field { path: Vec::new(), field: self.field(field) };
        Filter::Compare { place, comparison: Comparison::Equal, operand }
    }

    /// The statements of a request, a line each.
    pub(crate) fn statements(&self, request: &ir::Request) -> String {
        let program = self.source.compile(&self.catalog, request).unwrap();
        let lines = program.current_levels().iter().filter(|level| level.has_statement());
        let lines: Vec<String> =
            lines.map(|level| format!("{}: {}\n", level.round, level.text)).collect();
        lines.concat()
    }

    /// The same for a source that has no types of rows and asks for each parent.
    pub(crate) fn nested_statements(&self, request: &ir::Request) -> String {
        let (flavor, strategy) = (sql::Flavor::SQLITE, Strategy::Nested);
        let program = relational::compile(&self.catalog, request, flavor, strategy).unwrap();
        let lines = program.levels.iter().map(|level| {
            let sources: Vec<String> =
                level.parameters.iter().map(|one| source_text(&one.source)).collect();
            format!("{:?}: {} -- {}\n", level.parents, level.text, sources.join(", "))
        });
        lines.collect()
    }

    /// The database's plans; with `analyze` as far as that may be.
    pub(crate) async fn explain(&self, request: &ir::Request, analyze: bool) -> Vec<String> {
        let program = self.source.compile(&self.catalog, request).unwrap();
        let nobody = Session::default();
        let figures = match analyze {
            true => PlanFigures::Measured,
            false => PlanFigures::Estimated,
        };
        let asked = self.connections.explain(&program, Variables::of(&[]), &nobody, figures);
        asked.await.unwrap()
    }

    /// The answer, with its errors in lines below.
    pub(crate) async fn run(&self, request: &ir::Request) -> String {
        match self.try_run(request).await {
            Ok(answer) => answer,
            Err(error) => format!("{error}"),
        }
    }

    pub(crate) async fn try_run(&self, request: &ir::Request) -> Result<String, ExecuteError> {
        let program = self.source.compile(&self.catalog, request).unwrap();
        let plan = Arc::new(PostgresPlan { program, shape: self.shape(request).into() });
        let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default());
        let nobody = Session::default();
        let asked = ExecuteParams {
            variables: Variables::of(&[]),
            session: &nobody,
            freshness: source::Freshness::Newest,
            echoes: &[],
            cost: 1,
            time_limit: None,
            recorders: None,
        };
        let observed = &mut Observed::default();
        let written = self.connections.answer(&plan, asked, sink, observed).await?;
        let mut text = String::from_utf8(written.data).unwrap();
        for error in written.errors {
            let path: Vec<String> =
                error.path.iter().map(|segment| format!("{segment:?}")).collect();
            let failure = match error.failure {
                Failure::Source(error) => format!("{:?}: {}", error.kind, error.message),
                other => format!("{other:?}"),
            };
            text.push_str(&format!("\n{}: {failure}", path.join(".")));
        }
        Ok(text)
    }

    /// An object for each root field, with all rows that it reads, every value as a text.
    fn shape(&self, request: &ir::Request) -> Shape {
        let mut shape = Shape::default();
        let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
        let mut roots: Vec<Vec<(&Rows, usize)>> = Vec::new();
        for (number, step) in steps.enumerate() {
            let root = step.root as usize;
            roots.resize_with(roots.len().max(root + 1), Vec::new);
            if let StepKind::Read(rows) = &step.kind {
                roots[root].push((rows, number));
            }
        }
        let mut fields = Vec::new();
        for (root, read) in roots.into_iter().enumerate() {
            let mut lists = Vec::new();
            for (rows, number) in read {
                let node = self.list(rows, &mut shape);
                lists.push(ShapeField::new(&format!("s{number}"), node, true));
            }
            let lists = shape.add_fields(lists);
            let node = shape.add(Node::Object(lists));
            fields.push(ShapeField::new(&format!("r{root}"), node, true));
        }
        shape.root = Some(shape.add_fields(fields));
        shape
    }

    fn list(&self, rows: &Rows, shape: &mut Shape) -> NodeId {
        let mut fields = Vec::new();
        for output in &rows.outputs {
            let (name, node) = match &output.kind {
                OutputKind::Field { field, .. } => {
                    let output = response::OutputId(output.id.0);
                    let name = self.catalog[*field].name.to_string();
                    (name, shape.add(Node::Leaf { output, leaf: Leaf::Text }))
                }
                OutputKind::Computed { .. } => {
                    let output = response::OutputId(output.id.0);
                    ("computed".to_owned(), shape.add(Node::Leaf { output, leaf: Leaf::Text }))
                }
                OutputKind::Present { .. } => {
                    let text = shape.add(Node::Literal(b"true".as_slice().into()));
                    let present = response::OutputId(output.id.0);
                    ("present".to_owned(), shape.add(Node::Present { present, node: text }))
                }
                OutputKind::Related { rows, .. } => {
                    (format!("rows{}", rows.id.0), self.list(rows, shape))
                }
                other => panic!("{other:?}"),
            };
            fields.push(ShapeField::new(&name, node, true));
        }
        let fields: Fields = shape.add_fields(fields);
        let node = shape.add(Node::Object(fields));
        let rows = response::RowsId(rows.id.0);
        shape.add(Node::List { rows, item: Item { node, nullable: true } })
    }
}

/// A request as it is built.
#[derive(Default)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    outputs: u32,
    rows: u32,
}

impl Steps {
    pub(crate) fn add(&mut self, root: u32, kind: StepKind) -> StepId {
        let id = StepId(u32::try_from(self.steps.len()).unwrap());
        self.steps.push(Step::new(id, root, kind));
        id
    }

    pub(crate) fn write(&mut self, root: u32, entity: EntityId, kind: WriteKind) -> StepId {
        self.add(
            root,
            StepKind::Write(Write { entity, kind, children: Vec::new(), check: Filter::all() }),
        )
    }

    /// Inserts a row of an entity, `entity.field` by `entity.field`.
    pub(crate) fn insert(
        &mut self,
        world: &World,
        root: u32,
        entity: &str,
        values: &[(&str, Operand)],
    ) -> StepId {
        let fields = values.iter().map(|(field, _)| world.field(&format!("{entity}.{field}")));
        let fields = fields.collect();
        let row = values.iter().map(|(_, operand)| operand.clone()).collect();
        let insert = Insert { fields, rows: InsertedRows::each(vec![row]) };
        self.write(root, world.entity(entity), WriteKind::Insert(insert))
    }

    /// Sets fields of the rows of an entity whose `id` it is.
    pub(crate) fn update(
        &mut self,
        world: &World,
        root: u32,
        (entity, id): (&str, i64),
        values: &[(&str, Operand)],
    ) -> StepId {
        let set = |(field, operand): &(&str, Operand)| {
            (world.field(&format!("{entity}.{field}")), Assignment::Set(operand.clone()))
        };
        let update = Update {
            filter: world.equal(&format!("{entity}.id"), integer(id)),
            assignments: values.iter().map(set).collect(),
            at_most: None,
        };
        self.write(root, world.entity(entity), WriteKind::Update(update))
    }

    pub(crate) fn delete(&mut self, world: &World, root: u32, entity: &str, id: i64) -> StepId {
        let filter = world.equal(&format!("{entity}.id"), integer(id));
        self.write(root, world.entity(entity), WriteKind::Delete { filter, at_most: None })
    }

    pub(crate) fn call(&mut self, root: u32, function: FunctionId, given: Vec<Operand>) -> StepId {
        let arguments = (0..).zip(given).collect();
        self.add(root, StepKind::Call(Call { function, of_row: None, arguments }))
    }

    /// What a step gave.
    pub(crate) fn returned(&mut self, root: u32, step: StepId, outputs: Vec<OutputKind>) {
        let rows = self.rows(From::Returned { step, state: State::After }, outputs);
        self.add(root, StepKind::Read(rows));
    }

    pub(crate) fn read(&mut self, root: u32, rows: Rows) {
        self.add(root, StepKind::Read(rows));
    }

    pub(crate) fn require(&mut self, root: u32, step: StepId, message: &str) {
        let rows = self.rows(From::Returned { step, state: State::After }, Vec::new());
        let otherwise = Otherwise::new(OtherwiseKind::Missing, message);
        let require = Require { rows, filter: Filter::all(), exists: true, otherwise };
        self.add(root, StepKind::Require(require));
    }

    pub(crate) fn rows(&mut self, from: From, outputs: Vec<OutputKind>) -> Rows {
        let id = RowsId(self.rows);
        self.rows += 1;
        let outputs = outputs
            .into_iter()
            .map(|kind| {
                let id = OutputId(self.outputs);
                self.outputs += 1;
                Output { id, kind }
            })
            .collect();
        Rows {
            id,
            from,
            filter: Filter::all(),
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs,
        }
    }

    /// Each root field in a transaction of its own.
    pub(crate) fn request(&self) -> ir::Request {
        let mut transactions: Vec<Transaction> = Vec::new();
        for step in &self.steps {
            match transactions.last_mut() {
                Some(last) if last.steps.iter().all(|other| other.root == step.root) => {
                    last.steps.push(step.clone());
                }
                _ => transactions.push(transaction(vec![step.clone()])),
            }
        }
        ir::Request {
            transactions,
            outputs: self.outputs,
            rows: self.rows,
            claimed_names: Vec::new(),
        }
    }

    /// All root fields in one transaction.
    pub(crate) fn together(&self) -> ir::Request {
        let transactions = vec![transaction(self.steps.clone())];
        ir::Request {
            transactions,
            outputs: self.outputs,
            rows: self.rows,
            claimed_names: Vec::new(),
        }
    }
}

fn source_text(source: &ParameterSource) -> String {
    match source {
        ParameterSource::Operand(Operand::Constant(Value::Text(text))) => format!("'{text}'"),
        ParameterSource::Operand(Operand::Constant(Value::Integer(value))) => value.to_string(),
        ParameterSource::Operand(other) => format!("{other:?}"),
        ParameterSource::Parent { column } => format!("column {column} above"),
        ParameterSource::Keys { level, column } => format!("keys {column} of {}", level.0),
        ParameterSource::Rows { level, column } => format!("column {column} of {}", level.0),
        ParameterSource::WholeRows { level, .. } => format!("rows of {}", level.0),
        ParameterSource::Result { level, row: _, column } => {
            format!("result {column} of {}", level.0)
        }
        ParameterSource::Results { level, column } => format!("results {column} of {}", level.0),
        ParameterSource::Objects(list) => format!("{} objects", list.each.len()),
        ParameterSource::Columns(columns) => format!("{} columns", columns.len()),
    }
}

fn transaction(steps: Vec<Step>) -> Transaction {
    Transaction { isolation: Isolation::ReadCommitted, steps }
}

pub(crate) fn integer(value: i64) -> Operand {
    Operand::Constant(Value::Integer(value))
}

pub(crate) fn text(value: &str) -> Operand {
    Operand::Constant(Value::Text(value.into()))
}

pub(crate) fn null() -> Operand {
    Operand::Constant(Value::Null)
}

/// A field of the row at the end of a path, as text.
pub(crate) fn along(path: &[Hop], field: FieldId) -> OutputKind {
    OutputKind::Field { path: path.to_vec(), field, form: Form::Text }
}

pub(crate) fn own(field: FieldId) -> OutputKind {
    along(&[], field)
}

pub(crate) fn related(rows: Rows) -> OutputKind {
    OutputKind::Related { path: Vec::new(), rows: Box::new(rows) }
}

pub(crate) fn ascending(field: FieldId) -> OrderTerm {
    OrderTerm {
        key: OrderKey::Value(ValueRef::Field { path: Vec::new(), field }),
        direction: Direction::Ascending,
        nulls: Nulls::Last,
    }
}
