//! Films with the people in them, as a graph, and requests of it.

use catalog::builder::NewField;
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, RelationshipId, Scalar,
    SearchId, SearchKind, Type,
};
use cypher::Flavor;
use expect_test::Expect;
use ir::{
    Comparison, Direction, Filter, Form, From, Hop, HopDirection, Isolation, Nulls, Operand,
    OrderKey, OrderTerm, Output, OutputId, OutputKind, Page, Request, Rows, RowsId, Slot, Step,
    StepId, StepKind, Transaction, ValueRef,
};
use source_neo4j::compile::{compile, compile_touched};
use source_neo4j::program::GraphProgram;

pub(crate) struct Movies {
    pub(crate) catalog: Catalog,
    pub(crate) movie: EntityId,
    pub(crate) series: EntityId,
    pub(crate) person: EntityId,
    pub(crate) acted_in: RelationshipId,
    pub(crate) appeared_in: RelationshipId,
    pub(crate) directed: RelationshipId,
    pub(crate) knows: RelationshipId,
    pub(crate) titles: SearchId,
    pub(crate) likeness: SearchId,
}

/// A request, and what is expected of it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) request: Request,
    pub(crate) expect: Expect,
}

impl Movies {
    pub(crate) fn new() -> Self {
        let mut builder = Builder::new(Capabilities::default());
        let mut entity = |name: &str, kind, labels: &[&str], fields: &[(&str, Type)]| {
            let id = builder.entity(None, name.into(), kind, None);
            builder.label(id, labels.iter().map(|label| (*label).into()).collect());
            for (name, r#type) in fields {
                builder.field(
                    id,
                    NewField {
                        name: (*name).into(),
                        r#type: r#type.clone(),
                        nullable: true,
                        has_default: false,
                        generated: None,
                        description: None,
                    },
                );
            }
            id
        };
        let list = |scalar| Type::List(Box::new(Type::Scalar(scalar)));
        let (text, integer) = (Type::Scalar(Scalar::Text), Type::Scalar(Scalar::Int32));
        let movie = [
            ("id", text.clone()),
            ("title", text.clone()),
            ("released", integer.clone()),
            ("rating", Type::Scalar(Scalar::Float64)),
            ("tags", list(Scalar::Text)),
            ("length", Type::Scalar(Scalar::Interval)),
            ("location", Type::Scalar(Scalar::GeographicPoint)),
            ("made", Type::Scalar(Scalar::TimestampWithZone)),
        ];
        let series = [("name", text.clone()), ("episodes", integer.clone())];
        let person = [("name", text.clone()), ("born", Type::Scalar(Scalar::Date))];
        let edge = [("role", text), ("screenTime", integer)];
        let movie = entity("Movie", EntityKind::Node, &["Movie"], &movie);
        let series = entity("Series", EntityKind::Node, &["Series", "Pro`duction"], &series);
        let person = entity("Person", EntityKind::Node, &["Person"], &person);
        let edge = Some(entity("ActedIn", EntityKind::Edge, &[], &edge));
        let found = [("score", Type::Scalar(Scalar::Float64))];
        let found = entity("Found", EntityKind::Edge, &[], &found);
        let mut relationship = |name: &str, from, to, edge, undirected| {
            builder.graph_relationship(name.into(), from, to, edge, undirected)
        };
        let acted_in = relationship("ACTED_IN", person, movie, edge, false);
        let appeared_in = relationship("ACTED_IN", person, series, edge, false);
        let directed = relationship("DIRECTED", person, movie, None, false);
        let knows = relationship("KNOWS", person, person, None, true);
        let score = builder.catalog().find_field(found, "score").unwrap().id;
        let titles = builder.search("the titles".into(), SearchKind::Text, movie, score);
        let likeness = SearchKind::Vector { most: 4 };
        let likeness = builder.search("likeness".into(), likeness, series, score);
        let catalog = builder.finish();
        Self {
            catalog,
            movie,
            series,
            person,
            acted_in,
            appeared_in,
            directed,
            knows,
            titles,
            likeness,
        }
    }

    /// A field as `Movie.title`.
    pub(crate) fn field(&self, name: &str) -> FieldId {
        let (entity, field) = name.split_once('.').unwrap();
        let entities = (0..5).map(EntityId::new);
        let found = |id: &EntityId| &*self.catalog[*id].name == entity;
        let entity = entities.into_iter().find(found).unwrap();
        self.catalog.find_field(entity, field).unwrap().id
    }

    /// A property of an actor's relationship to a film.
    pub(crate) fn edge(&self, name: &str) -> ValueRef {
        ValueRef::Edge(self.field(&format!("ActedIn.{name}")))
    }

    pub(crate) fn place(&self, name: &str) -> ValueRef {
        ValueRef::field(self.field(name))
    }

    pub(crate) fn output(&self, id: u32, name: &str) -> Output {
        let field = self.field(name);
        output(id, OutputKind::Field { path: Vec::new(), field, form: Form::Stored })
    }

    pub(crate) fn edge_output(&self, id: u32, name: &str) -> Output {
        let field = self.field(&format!("ActedIn.{name}"));
        output(id, OutputKind::Edge { field, form: Form::Stored })
    }

    pub(crate) fn compare(&self, name: &str, comparison: Comparison, slot: u16) -> Filter {
        Filter::Compare { place: self.place(name), comparison, operand: operand(slot) }
    }

    pub(crate) fn equal(&self, name: &str, slot: u16) -> Filter {
        self.compare(name, Comparison::Equal, slot)
    }

    pub(crate) fn actors(&self) -> Hop {
        backward(self.acted_in)
    }

    pub(crate) fn movies(&self) -> Hop {
        forward(self.acted_in)
    }

    /// What a request becomes.
    pub(crate) fn compile(&self, request: &Request, flavor: Flavor) -> GraphProgram {
        compile(&self.catalog, request, flavor).unwrap()
    }

    /// What a request becomes whose changes have events.
    pub(crate) fn compile_touched(&self, request: &Request, flavor: Flavor) -> GraphProgram {
        compile_touched(&self.catalog, request, flavor).unwrap()
    }

    /// What a request becomes, as text: its statements, where its levels and its outputs stand.
    pub(crate) fn check(&self, case: &Case) {
        let program = self.compile(&case.request, Flavor::NEWEST);
        let mut text = String::new();
        for transaction in &program.transactions {
            for statement in &transaction.statements {
                text.push_str(statement.text.strip_prefix("CYPHER 5 ").unwrap());
                text.push('\n');
                for (number, parameter) in statement.parameters.iter().enumerate() {
                    let (operand, r#type) = (&parameter.operand, &parameter.r#type);
                    text.push_str(&format!("p{number}: {} {:?}\n", value(operand), r#type));
                }
            }
        }
        for (number, level) in program.levels.iter().enumerate() {
            text.push_str(&format!("level {number}: {:?}, {} wide\n", level.rows, level.width));
        }
        for (number, level) in program.layout.rows.iter().enumerate() {
            if let Some(level) = level {
                text.push_str(&format!("rows {number}: level {}\n", level.0));
            }
        }
        let places =
            program.layout.outputs.iter().zip(0_u32..).filter_map(|(place, number)| match place {
                response::ColumnRef::Column(column) => Some(format!("#{number} column {column}")),
                response::ColumnRef::Level(level) => Some(format!("#{number} level {}", level.0)),
                response::ColumnRef::Unused => None,
            });
        text.push_str(&places.collect::<Vec<_>>().join(", "));
        text.push('\n');
        case.expect.assert_eq(&text);
    }
}

/// A variable as `$0`, its parts behind it; anything else as Rust prints it.
fn value(operand: &Operand) -> String {
    match operand {
        Operand::Variable { slot, path } if path.is_empty() => format!("${}", slot.0),
        Operand::Variable { slot, path } => format!("${} {path:?}", slot.0),
        Operand::List(list) => {
            format!("[{}]", list.iter().map(value).collect::<Vec<_>>().join(", "))
        }
        Operand::Object(members) => {
            let member =
                |(name, operand): &(Box<str>, Operand)| format!("{name}: {}", value(operand));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Operand::Constant(ir::Value::Integer(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

pub(crate) fn forward(relationship: RelationshipId) -> Hop {
    Hop { relationship, direction: HopDirection::Forward }
}

pub(crate) fn backward(relationship: RelationshipId) -> Hop {
    Hop { relationship, direction: HopDirection::Backward }
}

pub(crate) fn operand(slot: u16) -> Operand {
    Operand::Variable { slot: Slot(slot), path: Vec::new() }
}

pub(crate) fn output(id: u32, kind: OutputKind) -> Output {
    Output { id: OutputId(id), kind }
}

pub(crate) fn ascending(place: ValueRef) -> OrderTerm {
    let key = OrderKey::Value(place);
    OrderTerm { key, direction: Direction::Ascending, nulls: Nulls::Last }
}

pub(crate) fn descending(place: ValueRef) -> OrderTerm {
    let key = OrderKey::Value(place);
    OrderTerm { key, direction: Direction::Descending, nulls: Nulls::First }
}

pub(crate) fn page(limit: u16, offset: Option<u16>, look_ahead: bool) -> Page {
    Page::Offset { limit: Some(operand(limit)), offset: offset.map(operand), look_ahead }
}

/// All rows, in no order.
pub(crate) fn rows(id: u32, from: From, outputs: Vec<Output>) -> Rows {
    Rows {
        id: RowsId(id),
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

pub(crate) fn related(id: u32, rows: Rows) -> Output {
    output(id, OutputKind::Related { path: Vec::new(), rows: Box::new(rows) })
}

/// A request that reads, each set of rows a root field.
pub(crate) fn read(all: Vec<Rows>) -> Request {
    let steps = all.into_iter().map(StepKind::Read).collect();
    request(steps, Isolation::Snapshot)
}

/// A request of steps, each of its own root field if it reads.
pub(crate) fn request(steps: Vec<StepKind>, isolation: Isolation) -> Request {
    let is_read = isolation == Isolation::Snapshot;
    let step = |(kind, number)| {
        let root = if is_read { number } else { 0 };
        Step::new(StepId(number), root, kind)
    };
    let steps = steps.into_iter().zip(0_u32..).map(step).collect();
    let transactions = vec![Transaction { isolation, steps }];
    Request { transactions, outputs: 20, rows: 6, claimed_names: Vec::new() }
}
