//! Explanation of the access to one row: by which rule, and by which part of its condition.
//!
//! The row is read as the source shows it to its own user, with every part of the rules'
//! conditions as a value beside its columns: whether the part is true of the row is decided by the
//! source, as it is for requests.

use access::Roles;
use catalog::{Catalog, EntityId, FieldId, Scalar, Type};
use ir::{
    Claims, Comparison, Filter, Form, From, Operand, Output, OutputId, OutputKind, Page, Value,
    ValueRef,
};
use response::{MemoryBudget, MemoryReservation, Sink};
use serde_json_bytes::Value as Json;
use source::{ExecuteParams, Observed, PoolLimits, Session, Variables};
use sources::Source;

use super::super::resolve::find_entity;
use super::RoleGrants;
use super::print::print;
use super::truth::{Read, Weighed};
use crate::enum_tables::{member, shape};

/// The row to explain: its table, and columns that identify it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowName {
    pub entity: Box<str>,
    pub columns: Vec<(Box<str>, Json)>,
}

/// The reason why a row cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    #[error("there are no policies")]
    NoPolicies,
    #[error("{0}")]
    Name(Box<str>),
    #[error("the source has no such row, or its user may not see it")]
    Absent,
    #[error("the source has several such rows: name more columns")]
    Several,
    #[error("the row cannot be read: {0}")]
    Read(String),
}

/// Most bytes of the row's values.
const BYTES: u64 = 16 << 20;

/// Explains the permissions of a session with these claims on one row.
pub(crate) async fn explain(
    source: &Source,
    catalog: &Catalog,
    roles: &Roles,
    claims: Option<&Claims>,
    name: &RowName,
) -> Result<String, RowError> {
    let entity = find_entity(catalog, &name.entity).map_err(RowError::Name)?;
    let role = match RoleGrants::new(roles, claims) {
        Ok(role) => role,
        Err(refusal) => return Ok(format!("{refusal}\n")),
    };
    let (known, filter) = found_by(catalog, entity, name)?;
    let weighed = Weighed::new(entity, &role);
    let query = RowQuery { known, filter, weighed: &weighed };
    let read = query.read(source, catalog, entity, claims).await?;
    Ok(print(catalog, entity, name, &role, claims, &weighed, &read))
}

/// The condition that finds the row, and a field that is not null in it.
fn found_by(
    catalog: &Catalog,
    entity: EntityId,
    name: &RowName,
) -> Result<(FieldId, Filter), RowError> {
    let mut known = None;
    let mut filters = Vec::with_capacity(name.columns.len());
    for (column, value) in &name.columns {
        let Some(field) = catalog.find_field(entity, column) else {
            let entity = catalog.qualified_name(entity);
            return Err(RowError::Name(format!("`{entity}` has no column `{column}`").into()));
        };
        let place = ValueRef::field(field.id);
        filters.push(match constant(catalog.base_type(&field.r#type), value) {
            Some(Value::Null) => Filter::IsNull(place),
            Some(value) => {
                known.get_or_insert(field.id);
                let operand = Operand::Constant(value);
                Filter::Compare { place, comparison: Comparison::Equal, operand }
            }
            None => {
                let message = format!("`{column}` cannot be compared with a list or an object");
                return Err(RowError::Name(message.into()));
            }
        });
    }
    match known {
        Some(known) => Ok((known, Filter::and(filters))),
        None => Err(RowError::Name("a column with a value has to be named".into())),
    }
}

/// A value that is compared with a column. A text is parsed as a number for a numeric column.
fn constant(r#type: &Type, value: &Json) -> Option<Value> {
    let is_number = matches!(
        r#type,
        Type::Scalar(
            Scalar::Int16
                | Scalar::Int32
                | Scalar::Int64
                | Scalar::Float32
                | Scalar::Float64
                | Scalar::Decimal { .. }
        )
    );
    let number = |text: &str| match text.parse() {
        Ok(integer) => Value::Integer(integer),
        Err(_) => Value::Number(text.into()),
    };
    Some(match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(value) => number(&value.to_string()),
        Json::String(text) => match (text.as_str(), r#type) {
            (text, _) if is_number && text.parse::<f64>().is_ok() => number(text),
            ("true", Type::Scalar(Scalar::Boolean)) => Value::Boolean(true),
            ("false", Type::Scalar(Scalar::Boolean)) => Value::Boolean(false),
            (text, _) => Value::Text(text.into()),
        },
        Json::Array(_) | Json::Object(_) => return None,
    })
}

/// The query of the row.
struct RowQuery<'w> {
    known: FieldId,
    filter: Filter,
    weighed: &'w Weighed<'w>,
}

impl RowQuery<'_> {
    async fn read(
        &self,
        source: &Source,
        catalog: &Catalog,
        entity: EntityId,
        claims: Option<&Claims>,
    ) -> Result<Read, RowError> {
        let failed = |error: &dyn ToString| RowError::Read(error.to_string());
        let outputs = self.outputs();
        let (request, shape) = (self.request(entity, &outputs), shape(outputs.len()));
        let plan = source.compile(catalog, &request, shape).map_err(|error| failed(&error))?;
        let connections = source.connections(PoolLimits::unshared(1), &MemoryBudget::new(u64::MAX));
        let sink = Sink::new(Vec::new(), BYTES, MemoryReservation::default());
        // Without a session: the source's own user sees everything.
        let anonymous = Session::default();
        let variables = Variables { claims, ..Variables::of(&[]) };
        let params = ExecuteParams {
            variables,
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
            .map_err(|error| failed(&error))?;
        if let Some(error) = written.errors.into_iter().next() {
            return Err(match error.failure {
                response::Failure::Source(error) => failed(&error),
                _ => RowError::Read("a value of it cannot be shown as text".into()),
            });
        }
        let answer: serde_json::Value =
            serde_json::from_slice(&written.data).map_err(|error| failed(&error))?;
        let rows = answer.get("rows").and_then(|rows| rows.as_array());
        let text = |row: &serde_json::Value, number: usize| {
            row.get(member(number)).and_then(|value| value.as_str()).map(Into::into)
        };
        match rows.map(Vec::as_slice).unwrap_or_default() {
            [] => Err(RowError::Absent),
            [row] => {
                let cells = (0..outputs.len()).map(|number| text(row, number)).collect();
                Ok(self.weighed.read(cells))
            }
            _ => Err(RowError::Several),
        }
    }

    /// The columns that conditions look at, and of each part of a condition whether it is true and
    /// whether it is false: the known column has a value there, or null.
    fn outputs(&self) -> Vec<OutputKind> {
        let (path, form) = (Vec::new, Form::Text);
        let fields = self.weighed.fields().iter();
        let columns = fields.map(|field| OutputKind::Field { path: path(), field: *field, form });
        let passes = |filter| OutputKind::FieldIf { path: path(), field: self.known, form, filter };
        let tests = self.weighed.tests().iter().flat_map(|filter| {
            [passes(filter.clone()), passes(Filter::Not(Box::new(filter.clone())))]
        });
        columns.chain(tests).collect()
    }

    fn request(&self, entity: EntityId, kinds: &[OutputKind]) -> ir::Request {
        let output = |(kind, number): (&OutputKind, u32)| Output {
            id: OutputId(number),
            kind: kind.clone(),
        };
        let outputs: Vec<Output> = kinds.iter().zip(0..).map(output).collect();
        let count = u32::try_from(outputs.len()).unwrap_or(u32::MAX);
        // One more than there should be.
        let limit = Some(Operand::Constant(Value::Integer(2)));
        let rows = ir::Rows {
            id: ir::RowsId(0),
            from: From::Entity(entity),
            filter: self.filter.clone(),
            order: Vec::new(),
            page: Page::Offset { limit, offset: None, look_ahead: false },
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs,
        };
        let step = ir::Step::new(ir::StepId(0), 0, ir::StepKind::Read(rows));
        let transaction = ir::Transaction { isolation: ir::Isolation::Snapshot, steps: vec![step] };
        ir::Request {
            transactions: vec![transaction],
            outputs: count,
            rows: 1,
            claimed_names: Vec::new(),
        }
    }
}
