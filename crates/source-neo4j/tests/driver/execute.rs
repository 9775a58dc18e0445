//! Programs of a graph on a real Neo4j: values both ways, rows, failures, and who leaves.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ir::{Counter, Operand};
use response::{
    ColumnRef, Failure, GraphLeaf, Item, Layout, Leaf, LevelId, MemoryBudget, MemoryReservation,
    Node, NodeId, OutputId, RowsId, Shape, ShapeField, Sink,
};
use source::{
    Connections as _, ExecuteParams, Observed, Plan, PlanFigures, PoolLimits, Session,
    SourceErrorKind, Timeouts, Variables,
};
use source_neo4j::program::{
    Access, GraphLevel, GraphParameter, GraphProgram, GraphStatement, GraphTransaction, LevelPage,
    LevelRows, ParameterType,
};
use source_neo4j::{Neo4jConnections, Neo4jSource};
use testkit::neo4j::Graph;

/// A plan in the making.
#[derive(Default)]
struct Draft {
    program: GraphProgram,
    shape: Shape,
    roots: Vec<ShapeField>,
}

/// What came of a plan: the data, and the path and the kind of each error.
type Answered = (String, Vec<(String, SourceErrorKind)>, Observed);

impl Draft {
    /// A statement in a transaction of its own, or in that of the ones before it.
    fn statement(
        &mut self,
        access: Access,
        text: &str,
        parameters: Vec<(ir::Value, ParameterType)>,
    ) -> u16 {
        let count = self.program.statements().count();
        let parameters = parameters
            .into_iter()
            .map(|(value, r#type)| GraphParameter { operand: Operand::Constant(value), r#type });
        let statement = GraphStatement {
            root: u32::try_from(count).unwrap(),
            text: text.into(),
            parameters: parameters.collect(),
            touched: None,
        };
        match self.program.transactions.last_mut() {
            Some(last) if access == Access::Read => last.statements.push(statement),
            _ => self
                .program
                .transactions
                .push(GraphTransaction { access, statements: vec![statement] }),
        }
        u16::try_from(count).unwrap()
    }

    fn level(&mut self, rows: LevelRows, width: u16, limit: Option<i64>) -> RowsId {
        let id = u32::try_from(self.program.levels.len()).unwrap();
        let look_ahead = limit.is_some();
        let limit = limit.map(|limit| Operand::Constant(ir::Value::Integer(limit)));
        let page = LevelPage { limit, offset: None, look_ahead };
        let counters = Box::new([Counter::RowsInserted, Counter::LinksCreated]);
        self.program.levels.push(GraphLevel { rows, width, page, counters });
        self.program.layout.rows.push(Some(LevelId(u16::try_from(id).unwrap())));
        RowsId(id)
    }

    fn output(&mut self, place: ColumnRef) -> OutputId {
        let Layout { outputs, .. } = &mut self.program.layout;
        outputs.push(place);
        OutputId(u32::try_from(outputs.len() - 1).unwrap())
    }

    /// An object of columns.
    fn object(&mut self, leaves: &[(&str, u16, Leaf)]) -> NodeId {
        let mut fields = Vec::new();
        for (name, column, leaf) in leaves {
            let output = self.output(ColumnRef::Column(*column));
            let node = self.shape.add(Node::Leaf { output, leaf: leaf.clone() });
            fields.push(ShapeField::new(name, node, true));
        }
        let fields = self.shape.add_fields(fields);
        self.shape.add(Node::Object(fields))
    }

    fn root(&mut self, name: &str, node: Node) {
        let node = self.shape.add(node);
        self.roots.push(ShapeField::new(name, node, true));
    }

    async fn ask(self, connections: &Neo4jConnections) -> Answered {
        self.ask_within(connections, None).await
    }

    async fn ask_within(
        mut self,
        connections: &Neo4jConnections,
        time_limit: Option<Duration>,
    ) -> Answered {
        self.shape.root = Some(self.shape.add_fields(std::mem::take(&mut self.roots)));
        let plan = Arc::new(Plan { program: self.program, shape: self.shape.into() });
        let session = Session::default();
        let asked = ExecuteParams {
            variables: Variables::of(&[]),
            session: &session,
            freshness: source::Freshness::Newest,
            echoes: &[],
            cost: 1,
            time_limit,
            recorders: None,
        };
        let sink = Sink::new(Vec::new(), 1 << 20, MemoryReservation::default());
        let mut observed = Observed::default();
        let written = connections.answer(&plan, asked, sink, &mut observed).await.unwrap();
        let errors = written.errors.iter().map(|error| {
            let path: Vec<String> = error.path.iter().map(|own| format!("{own:?}")).collect();
            let Failure::Source(error) = &error.failure else { panic!("{:?}", error.failure) };
            (path.join("."), error.kind)
        });
        (String::from_utf8(written.data).unwrap(), errors.collect(), observed)
    }
}

async fn connect(graph: &Graph, most: usize) -> Neo4jConnections {
    let url = graph.address("bolt");
    let (source, catalog) = Neo4jSource::open(&url, Timeouts::default()).await.unwrap();
    assert_eq!(catalog.entities().count(), 0);
    source.connections(PoolLimits::unshared(most), &MemoryBudget::new(1 << 30))
}

fn text(text: &str) -> ir::Value {
    ir::Value::Text(text.into())
}

fn list(items: Vec<ir::Value>) -> ir::Value {
    ir::Value::List(items)
}

#[tokio::test]
async fn values_come_back_as_they_were_sent() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    let point = |text: &str| ir::Value::Json(text.into());
    let texts = || ParameterType::List(Box::new(ParameterType::Text));
    let moments = || ParameterType::List(Box::new(ParameterType::DateTime));
    let own = Leaf::Graph;
    let list_of = |leaf: Leaf| Leaf::List(Box::new(leaf));
    let values = [
        (ir::Value::Boolean(true), ParameterType::Boolean, own(GraphLeaf::Boolean), "true"),
        (ir::Value::Integer(-7), ParameterType::Integer, own(GraphLeaf::Int), "-7"),
        (
            text("9223372036854775807"),
            ParameterType::Integer,
            own(GraphLeaf::BigInt),
            "\"9223372036854775807\"",
        ),
        (ir::Value::Number("0.1".into()), ParameterType::Float, own(GraphLeaf::Float), "0.1"),
        (text("é\"😀\\"), ParameterType::Text, own(GraphLeaf::String), r#""é\"😀\\""#),
        (text("2020-02-29"), ParameterType::Date, own(GraphLeaf::Date), "\"2020-02-29\""),
        (
            text("12:34:56.5"),
            ParameterType::LocalTime,
            own(GraphLeaf::LocalTime),
            "\"12:34:56.500000000\"",
        ),
        (text("12:34:56-05:30"), ParameterType::Time, own(GraphLeaf::Time), "\"12:34:56-05:30\""),
        (
            text("1969-12-31T23:59:59.000000001"),
            ParameterType::LocalDateTime,
            own(GraphLeaf::LocalDateTime),
            "\"1969-12-31T23:59:59.000000001\"",
        ),
        (
            text("2020-02-29T00:30:00.1239+01:00"),
            ParameterType::DateTime,
            own(GraphLeaf::DateTime),
            "\"2020-02-28T23:30:00.123Z\"",
        ),
        (
            text("-P1Y2DT3.5S"),
            ParameterType::Duration,
            own(GraphLeaf::Duration),
            "\"P-1Y-2DT-3.500000000S\"",
        ),
        (
            point(r#"{"longitude":12.5,"latitude":-1,"height":3}"#),
            ParameterType::GeographicPoint,
            Leaf::Point(Box::new([])),
            "{}",
        ),
        (list(vec![text("a"), text("")]), texts(), list_of(own(GraphLeaf::String)), r#"["a",""]"#),
        (
            list(vec![text("1970-01-01"), text("1970-01-01T00:00:00Z")]),
            moments(),
            list_of(own(GraphLeaf::DateTime)),
            r#"["1970-01-01T00:00:00.000Z","1970-01-01T00:00:00.000Z"]"#,
        ),
        (ir::Value::Null, ParameterType::Date, own(GraphLeaf::Date), "null"),
    ];
    let mut draft = Draft::default();
    let names: Vec<String> =
        (0..values.len()).map(|place| ["v", &place.to_string()].concat()).collect();
    let columns: Vec<String> =
        (0..values.len()).map(|place| ["$p", &place.to_string()].concat()).collect();
    let parameters = values.iter().map(|(value, r#type, ..)| (value.clone(), r#type.clone()));
    let statement = draft.statement(
        Access::Read,
        &["RETURN ", &columns.join(", ")].concat(),
        parameters.collect(),
    );
    let rows = draft.level(LevelRows::Records { statement }, 15, None);
    let leaves: Vec<(&str, u16, Leaf)> = names
        .iter()
        .zip(0..)
        .zip(&values)
        .map(|((name, column), (_, _, leaf, _))| (name.as_str(), column, leaf.clone()))
        .collect();
    let node = draft.object(&leaves);
    draft.root("all", Node::Single { rows, node });
    let (data, errors, _) = draft.ask(&connections).await;
    let members: Vec<String> = names
        .iter()
        .zip(&values)
        .map(|(name, (.., expect))| ["\"", name, "\":", expect].concat())
        .collect();
    assert_eq!(data, ["{\"all\":{", &members.join(","), "}}"].concat());
    assert_eq!(errors, []);
}

#[tokio::test]
async fn zones_by_name_are_moments_of_utc() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    let mut draft = Draft::default();
    let text = "RETURN datetime('2020-07-01T12:00:00[Europe/Berlin]')";
    let statement = draft.statement(Access::Read, text, Vec::new());
    let rows = draft.level(LevelRows::Records { statement }, 1, None);
    let node = draft.object(&[("at", 0, Leaf::Graph(GraphLeaf::DateTime))]);
    draft.root("one", Node::Single { rows, node });
    let (data, ..) = draft.ask(&connections).await;
    assert_eq!(data, r#"{"one":{"at":"2020-07-01T10:00:00.000Z"}}"#);
}

#[tokio::test]
async fn rows_within_rows_are_written_with_their_pages() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 2).await;
    let mut draft = Draft::default();
    let statement = draft.statement(
        Access::Read,
        "UNWIND range(1, 3) AS n RETURN n, [m IN range(1, n) | [m * 10]] AS c",
        Vec::new(),
    );
    let rows = draft.level(LevelRows::Records { statement }, 2, None);
    let below = draft.level(LevelRows::InRow { column: 1 }, 1, Some(2));
    let number = draft.output(ColumnRef::Column(0));
    let number = draft.shape.add(Node::Leaf { output: number, leaf: Leaf::Int });
    let inner = draft.object(&[("m", 0, Leaf::Int)]);
    let item = Item { node: inner, nullable: false };
    let list = draft.shape.add(Node::List { rows: below, item });
    let more = draft.shape.add(Node::HasMore { rows: below });
    let fields = draft.shape.add_fields([
        ShapeField::new("n", number, false),
        ShapeField::new("ms", list, false),
        ShapeField::new("more", more, false),
    ]);
    let node = draft.shape.add(Node::Object(fields));
    draft.root("rows", Node::List { rows, item: Item { node, nullable: false } });
    let statement = draft.statement(
        Access::Read,
        "CALL { RETURN [[41]] AS a } CALL { RETURN collect([1]) AS b } RETURN a, b",
        Vec::new(),
    );
    draft.level(LevelRows::InRecord { statement, column: 0 }, 1, None);
    let output = draft.output(ColumnRef::Level(LevelId(2)));
    draft.root("count", Node::Count { output });
    let (data, errors, observed) = draft.ask(&connections).await;
    assert_eq!(
        data,
        concat!(
            r#"{"rows":[{"n":1,"ms":[{"m":10}],"more":false},"#,
            r#"{"n":2,"ms":[{"m":10},{"m":20}],"more":false},"#,
            r#"{"n":3,"ms":[{"m":10},{"m":20}],"more":true}],"count":41}"#,
        )
    );
    assert_eq!((errors, observed.has_changed), (vec![], false));
}

#[tokio::test]
async fn a_root_field_that_fails_is_null_and_the_others_are_answered() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    let mut draft = Draft::default();
    for (name, text) in [("a", "RETURN 1"), ("b", "RETURN 'x' =~ '('"), ("c", "RETURN 3")] {
        let statement = draft.statement(Access::Read, text, Vec::new());
        let rows = draft.level(LevelRows::Records { statement }, 1, None);
        let node = draft.object(&[("v", 0, Leaf::Int)]);
        draft.root(name, Node::Single { rows, node });
    }
    let (data, errors, _) = draft.ask(&connections).await;
    assert_eq!(data, r#"{"a":{"v":1},"b":null,"c":{"v":3}}"#);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].1, SourceErrorKind::Input);
}

#[tokio::test]
async fn changes_are_counted_and_constraints_are_told() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph.run("CREATE CONSTRAINT unique_x FOR (n:X) REQUIRE n.id IS UNIQUE").unwrap();
    let connections = connect(&graph, 1).await;
    let create = || {
        let mut draft = Draft::default();
        let text = "CREATE (:X {id: $p0})-[:R]->(:Y)";
        let id = vec![(ir::Value::Integer(1), ParameterType::Integer)];
        let statement = draft.statement(Access::Write, text, id);
        let rows = draft.level(LevelRows::Summary { statement }, 2, None);
        let node = draft.object(&[("nodes", 0, Leaf::Int), ("links", 1, Leaf::Int)]);
        draft.root("info", Node::Single { rows, node });
        draft
    };
    let (data, errors, observed) = create().ask(&connections).await;
    assert_eq!(data, r#"{"info":{"nodes":2,"links":1}}"#);
    assert_eq!((errors, observed.has_changed), (vec![], true));
    let (data, errors, observed) = create().ask(&connections).await;
    assert_eq!(data, r#"{"info":null}"#);
    assert_eq!(errors[0].1, SourceErrorKind::UniqueViolation);
    assert!(!observed.has_changed);
    let counted = graph.run("MATCH (n) RETURN count(n)").unwrap();
    assert_eq!(counted[0][0], testkit::neo4j::Value::Integer(2));
}

#[tokio::test]
async fn what_nobody_waits_for_ends_and_its_connection_serves_again() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    let asks = |text: &str| {
        let mut draft = Draft::default();
        let statement = draft.statement(Access::Read, text, Vec::new());
        let rows = draft.level(LevelRows::Records { statement }, 1, None);
        let node = draft.object(&[("v", 0, Leaf::Int)]);
        draft.root("one", Node::Single { rows, node });
        draft
    };
    let long = asks("UNWIND range(1, 2000000000) AS n WITH n WHERE n % 7 = 8 RETURN count(n)");
    let left = tokio::time::timeout(Duration::from_millis(300), long.ask(&connections)).await;
    assert!(left.is_err());
    let started = Instant::now();
    let (data, ..) = asks("RETURN 5").ask(&connections).await;
    assert_eq!(data, r#"{"one":{"v":5}}"#);
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    let running = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH 'UNWIND' \
                   RETURN currentQuery";
    let deadline = Instant::now() + Duration::from_secs(5);
    while !graph.run(running).unwrap().is_empty() {
        assert!(Instant::now() < deadline, "it goes on for nobody");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn the_server_ends_what_takes_longer_than_it_is_waited_for() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    let asks = |access: Access, text: &str| {
        let mut draft = Draft::default();
        let statement = draft.statement(access, text, Vec::new());
        let rows = draft.level(LevelRows::Records { statement }, 1, None);
        let node = draft.object(&[("v", 0, Leaf::Int)]);
        draft.root("one", Node::Single { rows, node });
        draft
    };
    let long = "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y \
                WITH x WHERE x < 0 RETURN count(x)";
    let limit = Some(Duration::from_millis(200));
    for access in [Access::Read, Access::Write] {
        // Nobody here ends it: the test would wait for hours.
        let (data, errors, observed) = asks(access, long).ask_within(&connections, limit).await;
        assert_eq!(data, r#"{"one":null}"#);
        let kinds: Vec<SourceErrorKind> = errors.iter().map(|(_, kind)| *kind).collect();
        assert_eq!((kinds, observed.has_changed), (vec![SourceErrorKind::Timeout], false));
    }
    let (data, ..) = asks(Access::Read, "RETURN 5").ask_within(&connections, limit).await;
    assert_eq!(data, r#"{"one":{"v":5}}"#);
}

#[tokio::test]
async fn plans_are_the_servers_own() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    let mut draft = Draft::default();
    let id = vec![(ir::Value::Integer(1), ParameterType::Integer)];
    draft.statement(Access::Read, "MATCH (n:X {id: $p0}) RETURN n.id", id);
    let program = draft.program;
    for (figures, word) in
        [(PlanFigures::Estimated, "NodeByLabelScan"), (PlanFigures::Measured, "DB Hits")]
    {
        let variables = Variables::of(&[]);
        let session = Session::default();
        let plans = connections.explain(&program, variables, &session, figures).await.unwrap();
        assert_eq!(plans.len(), 1);
        assert!(plans[0].contains(word), "{}", plans[0]);
    }
    let (variables, nobody) = (Variables::of(&[]), Session::default());
    let hidden = connections.explain(&program, variables, &nobody, PlanFigures::Hidden);
    assert_eq!(hidden.await.unwrap(), Vec::<String>::new());
    connections.probe().await.unwrap();
}

#[tokio::test]
async fn numbers_of_nodes_and_relationships_are_kept_by_the_server() {
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    let connections = connect(&graph, 1).await;
    // The statements of `introspect::counts`.
    for text in [
        "MATCH ()-[:`R`]->() RETURN count(*) AS c0",
        "MATCH (:`A`) RETURN count(*) AS c0",
        "MATCH (:`A`)-[:`R`]->() RETURN count(*) AS c0",
        "MATCH ()-[:`R`]->(:`B`) RETURN count(*) AS c0",
    ] {
        let mut draft = Draft::default();
        draft.statement(Access::Read, text, Vec::new());
        let (variables, session) = (Variables::of(&[]), Session::default());
        let figures = PlanFigures::Estimated;
        let plans = connections.explain(&draft.program, variables, &session, figures).await;
        let plans = plans.unwrap();
        assert!(plans[0].contains("CountFromCountStore"), "{text}\n{}", plans[0]);
    }
}
