//! Parameters in PackStream's form, and the bounds of pages.
//!
//! * `value`: one value in the type of its statement's parameter
//! * `moment`, `duration`: texts that mean dates, times and quantities of time
//! * `point`: objects that mean points

mod duration;
mod moment;
mod point;
mod value;

use ir::Operand;
use response::Bounds;
use source::SourceError;
use source::operand::{Resolved, Variables, resolve};

use super::program::{GraphLevel, GraphProgram, GraphStatement, LevelRows};
use super::wire::Pack;

/// The parameters of a request.
#[derive(Debug)]
pub(super) struct Bound {
    /// By the statements of all transactions, one after the other.
    statements: Vec<BoundStatement>,
    /// By level.
    pub(super) bounds: Vec<Bounds>,
}

/// The parameters of a statement.
#[derive(Debug, Default)]
struct BoundStatement {
    parameters: Pack,
    /// Rows are found by a list of keys, which is empty.
    is_without_keys: bool,
}

/// Binds all statements and levels. An error comes with its root field, whose statement is not to
/// be run.
pub(super) fn bind(
    program: &GraphProgram,
    variables: Variables<'_>,
) -> (Bound, Vec<(u32, SourceError)>) {
    let mut failures: Vec<(u32, SourceError)> = Vec::new();
    let mut fail = |root, error| {
        if !failures.iter().any(|(failed, _)| *failed == root) {
            failures.push((root, error));
        }
    };
    let mut statements = Vec::new();
    for statement in program.statements() {
        let mut bound = BoundStatement::default();
        if let Err(error) = bind_statement(statement, variables, &mut bound) {
            fail(statement.root, error);
        }
        statements.push(bound);
    }
    let mut root = 0;
    let bounds = program.levels.iter().map(|level| {
        // A level comes after the one whose rows contain it.
        root = root_of(program, level).unwrap_or(root);
        bounds(level, variables).unwrap_or_else(|error| {
            fail(root, error);
            Bounds::default()
        })
    });
    let bounds = bounds.collect();
    (Bound { statements, bounds }, failures)
}

impl Bound {
    /// Appends the parameters of a statement: names and values.
    pub(super) fn write(&self, statement: usize, out: &mut Pack) {
        if let Some(own) = self.statements.get(statement) {
            out.raw(own.parameters.as_bytes());
        }
    }

    /// Whether a statement finds nothing, so that it need not be sent.
    pub(super) fn is_without_keys(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|own| own.is_without_keys)
    }
}

fn bind_statement(
    statement: &GraphStatement,
    variables: Variables<'_>,
    bound: &mut BoundStatement,
) -> Result<(), SourceError> {
    let out = &mut bound.parameters;
    let mut name = String::new();
    for (place, parameter) in statement.parameters.iter().enumerate() {
        name.clear();
        name.push('p');
        name.push_str(itoa::Buffer::new().format(place));
        out.text(&name);
        match &parameter.operand {
            operand @ Operand::Representations(_) => {
                let keys = resolve(operand, variables)?;
                bound.is_without_keys |= matches!(&keys, Resolved::List(keys) if keys.is_empty());
                value::pack(&keys, &parameter.r#type, out)?;
            }
            operand => value::pack_operand(operand, &parameter.r#type, variables, out)?,
        }
    }
    Ok(())
}

fn root_of(program: &GraphProgram, level: &GraphLevel) -> Option<u32> {
    let statement = match level.rows {
        LevelRows::Records { statement }
        | LevelRows::InRecord { statement, .. }
        | LevelRows::Summary { statement } => statement,
        LevelRows::InRow { .. } => return None,
    };
    program.statements().nth(usize::from(statement)).map(|statement| statement.root)
}

fn bounds(level: &GraphLevel, variables: Variables<'_>) -> Result<Bounds, SourceError> {
    let limit = match &level.page.limit {
        Some(limit) => resolve(limit, variables)?.rows("LIMIT")?,
        None => None,
    };
    let offset = match &level.page.offset {
        Some(offset) => resolve(offset, variables)?.rows("OFFSET")?,
        None => None,
    };
    Ok(Bounds { limit, offset: offset.unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ir::{
        Representations, Represented, RepresentedKey, RepresentedPart, RepresentedValue, Slot,
        Value,
    };
    use serde_json_bytes::json;

    use super::super::program::{
        Access, GraphParameter, GraphTransaction, LevelPage, ParameterType,
    };
    use super::*;

    fn statement(root: u32, parameters: Vec<(Value, ParameterType)>) -> GraphStatement {
        let parameters = parameters
            .into_iter()
            .map(|(value, r#type)| GraphParameter { operand: Operand::Constant(value), r#type });
        let parameters = parameters.collect();
        GraphStatement { root, text: "RETURN 1".into(), parameters, touched: None }
    }

    fn level(rows: LevelRows, limit: Option<i64>) -> GraphLevel {
        let limit = limit.map(|limit| Operand::Constant(Value::Integer(limit)));
        let page = LevelPage { limit, offset: None, look_ahead: false };
        GraphLevel { rows, width: 1, page, counters: Box::default() }
    }

    fn program(statements: Vec<GraphStatement>, levels: Vec<GraphLevel>) -> GraphProgram {
        let transactions = vec![GraphTransaction { access: Access::Read, statements }];
        GraphProgram { transactions, levels, ..GraphProgram::default() }
    }

    #[test]
    fn parameters_are_named_by_their_places() {
        let parameters = vec![
            (Value::Integer(7), ParameterType::Integer),
            (Value::Text("a".into()), ParameterType::Text),
        ];
        let program = program(vec![statement(0, Vec::new()), statement(1, parameters)], Vec::new());
        let (bound, failures) = bind(&program, Variables::of(&[]));
        assert_eq!(failures, []);
        let mut out = Pack::new();
        bound.write(0, &mut out);
        assert_eq!(out.as_bytes(), b"");
        bound.write(1, &mut out);
        assert_eq!(out.as_bytes(), b"\x82p0\x07\x82p1\x81a");
    }

    #[test]
    fn a_limit_can_be_the_smaller_one_of_two() {
        let constant = |number| Box::new(Operand::Constant(Value::Integer(number)));
        let bound = |limit| {
            let limit = Operand::RowsBefore {
                row: constant(6),
                offset: None,
                limit: Some(constant(limit)),
            };
            let (operand, r#type) = (limit.clone(), ParameterType::Integer);
            let mut statement = statement(0, Vec::new());
            statement.parameters.push(GraphParameter { operand, r#type });
            let mut level = level(LevelRows::Records { statement: 0 }, None);
            level.page.limit = Some(limit);
            let (bound, failures) =
                bind(&program(vec![statement], vec![level]), Variables::of(&[]));
            let mut out = Pack::new();
            bound.write(0, &mut out);
            (out.as_bytes().to_vec(), bound.bounds[0].limit, failures.len())
        };
        assert_eq!(bound(4), (b"\x82p0\x04".to_vec(), Some(4), 0));
        assert_eq!(bound(9), (b"\x82p0\x05".to_vec(), Some(5), 0));
        assert_eq!(bound(-1).2, 1);
    }

    #[test]
    fn a_statement_by_keys_of_which_none_is_given_finds_nothing() {
        let key = RepresentedKey {
            kinds: vec![RepresentedValue::Text],
            paths: vec![vec![["id".into()].into()]],
            id: None,
        };
        let (typename, inputs) = ("Movie".into(), Vec::new());
        let of = Arc::new(Represented { typename, first: 0, keys: vec![key], inputs });
        let mut by_keys = statement(0, Vec::new());
        let list = Box::new(Operand::Variable { slot: Slot(0), path: Vec::new() });
        let part = RepresentedPart::Key(0);
        let operand = Operand::Representations(Representations { list, of, key: 0, part });
        let r#type = ParameterType::List(Box::new(ParameterType::Text));
        by_keys.parameters.push(GraphParameter { operand, r#type });
        let program = program(vec![by_keys, statement(0, Vec::new())], Vec::new());
        let check = |given, expect: &[u8], is_without| {
            let slots = [Some(given)];
            let (bound, failures) = bind(&program, Variables::of(&slots));
            let mut out = Pack::new();
            bound.write(0, &mut out);
            assert_eq!((failures, out.as_bytes()), (Vec::new(), expect));
            assert_eq!(bound.is_without_keys(0), is_without);
            assert!(!bound.is_without_keys(1));
        };
        check(json!([{ "__typename": "Movie", "id": 7 }]), b"\x82p0\x91\x817", false);
        check(json!([{ "__typename": "Person", "id": 7 }]), b"\x82p0\x90", true);
    }

    #[test]
    fn an_error_belongs_to_the_root_field_of_its_statement_or_level() {
        let bad = (Value::Text("x".into()), ParameterType::Integer);
        let statements = vec![statement(0, Vec::new()), statement(3, vec![bad])];
        let levels = vec![
            level(LevelRows::Records { statement: 0 }, Some(2)),
            level(LevelRows::InRow { column: 0 }, Some(-1)),
            level(LevelRows::InRecord { statement: 1, column: 0 }, Some(-1)),
        ];
        let (bound, failures) = bind(&program(statements, levels), Variables::of(&[]));
        let roots: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
        assert_eq!(roots, [3, 0]);
        assert_eq!(&*failures[1].1.message, "LIMIT must not be negative");
        assert_eq!(bound.bounds[0], Bounds { limit: Some(2), offset: 0 });
    }
}
