//! Rows that an API is made from, such as those of enum tables: read once, before it is made, by
//! a request like any other.

use catalog::{Catalog, EntityId, FieldId, KnownRows};
use response::{
    Failure, Item, Leaf, MemoryBudget, MemoryReservation, Node, Shape, ShapeField, Sink,
};
use source::CompileError;
use source::{ExecuteError, ExecuteParams, Observed, PoolLimits, Session, Variables};
use sources::Source;

/// The most bytes that the rows of one entity may come to.
const BYTES: u64 = 16 << 20;

/// Errors of reading enum tables.
#[derive(Debug, thiserror::Error)]
pub enum EnumTablesError {
    #[error("cannot read the rows of {entity}, of which the API is made: {source}")]
    Execute { entity: String, source: ExecuteError },
    #[error("cannot read the rows of {entity}, of which the API is made: {message}")]
    Value { entity: String, message: String },
    #[error("cannot read the rows of {entity}, of which the API is made: {source}")]
    Compile { entity: String, source: CompileError },
}

/// Reads the rows of the entities and keeps them in the catalog.
pub(crate) async fn read(
    source: &Source,
    catalog: &mut Catalog,
    wanted: Vec<(EntityId, Vec<FieldId>)>,
) -> Result<(), EnumTablesError> {
    for (entity, fields) in wanted {
        let rows = read_entity(source, catalog, entity, &fields, BYTES).await?;
        catalog.set_known_rows(entity, KnownRows { fields, rows });
    }
    Ok(())
}

/// Reads all rows of an entity, as the texts of these fields.
pub(crate) async fn read_entity(
    source: &Source,
    catalog: &Catalog,
    entity: EntityId,
    fields: &[FieldId],
    bytes: u64,
) -> Result<Vec<Vec<Option<Box<str>>>>, EnumTablesError> {
    let name = || catalog.qualified_name(entity);
    let plan = source
        .compile(catalog, &request(entity, fields), shape(fields.len()))
        .map_err(|source| EnumTablesError::Compile { entity: name(), source })?;
    let connections = source.connections(PoolLimits::unshared(1), &MemoryBudget::new(u64::MAX));
    let sink = Sink::new(Vec::new(), bytes, MemoryReservation::default());
    let anonymous = Session::default();
    let params = ExecuteParams {
        variables: Variables::of(&[]),
        session: &anonymous,
        freshness: source::Freshness::Newest,
        echoes: &[],
        cost: 0,
        time_limit: None,
        recorders: None,
    };
    let written = connections
        .answer(&plan, params, sink, &mut Observed::default())
        .await
        .map_err(|source| EnumTablesError::Execute { entity: name(), source })?;
    let failed = written.errors.into_iter().next().map(|error| match error.failure {
        Failure::Leaf(error) => error.to_string(),
        Failure::Null => "there is no value".into(),
        Failure::TooDeep(message) | Failure::Refused(message) => message.into(),
        Failure::NotRead(_) => "it was not read".into(),
        Failure::Source(error) => String::from(&*error.message),
    });
    if let Some(message) = failed {
        return Err(EnumTablesError::Value { entity: name(), message });
    }
    let answer: serde_json::Value = serde_json::from_slice(&written.data)
        .map_err(|error| EnumTablesError::Value { entity: name(), message: error.to_string() })?;
    let rows = answer.get("rows").and_then(|rows| rows.as_array());
    let text = |row: &serde_json::Value, number: usize| {
        row.get(member(number)).and_then(|value| value.as_str()).map(Into::into)
    };
    let texts = |row| (0..fields.len()).map(|number| text(row, number)).collect();
    Ok(rows.map(|rows| rows.iter().map(texts).collect()).unwrap_or_default())
}

/// The response name of a text within its object.
pub(crate) fn member(number: usize) -> String {
    format!("v{number}")
}

/// All rows with these fields, in the order of the source.
fn request(entity: EntityId, fields: &[FieldId]) -> ir::Request {
    let outputs = fields.iter().zip(0..).map(|(field, number)| ir::Output {
        id: ir::OutputId(number),
        kind: ir::OutputKind::Field { path: Vec::new(), field: *field, form: ir::Form::Stored },
    });
    let rows = ir::Rows {
        id: ir::RowsId(0),
        from: ir::From::Entity(entity),
        filter: ir::Filter::and(Vec::new()),
        order: Vec::new(),
        page: ir::Page::All,
        distinct: Vec::new(),
        single: false,
        once: false,
        shown: true,
        outputs: outputs.collect(),
    };
    let outputs = u32::try_from(rows.outputs.len()).unwrap_or(u32::MAX);
    let step = ir::Step::new(ir::StepId(0), 0, ir::StepKind::Read(rows));
    let transaction = ir::Transaction { isolation: ir::Isolation::Snapshot, steps: vec![step] };
    ir::Request { transactions: vec![transaction], outputs, rows: 1, claimed_names: Vec::new() }
}

/// The shape of a list of objects with this number of texts, as `rows`.
pub(crate) fn shape(texts: usize) -> Shape {
    let mut shape = Shape::default();
    let mut members = Vec::with_capacity(texts);
    for (number, output) in (0..texts).zip(0..) {
        let output = response::OutputId(output);
        let leaf = shape.add(Node::Leaf { output, leaf: Leaf::Text });
        members.push(ShapeField::new(&member(number), leaf, true));
    }
    let members = shape.add_fields(members);
    let item = Item { node: shape.add(Node::Object(members)), nullable: false };
    let list = shape.add(Node::List { rows: response::RowsId(0), item });
    shape.root = Some(shape.add_fields([ShapeField::new("rows", list, false)]));
    shape
}
