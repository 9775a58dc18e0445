//! Authorization of subscriptions to notifications: a function of the database permits a topic, and
//! names the channel whose notification ends the subscription.

use catalog::{Catalog, FunctionId, FunctionResult};
use source::CompileError;
use sources::{FunctionName, Plan, Source};

use crate::enum_tables::shape;

/// The function with its compiled call.
#[derive(Debug)]
pub(crate) struct TopicAuthorization {
    pub(crate) plan: Plan,
}

impl TopicAuthorization {
    /// Compiles the call of the function that the source was opened with.
    pub(crate) fn new(
        source: &Source,
        catalog: &Catalog,
        name: &FunctionName,
    ) -> Result<Self, CompileError> {
        // Clients cannot call it, unless its schema is served, too: then it is there twice.
        let named = catalog.functions().filter(|function| {
            function.namespace.as_ref() == Some(&name.namespace) && function.name == name.name
        });
        let call = named.last().and_then(|function| match function.result {
            FunctionResult::Value(field) => Some(request(function.id, field)),
            _ => None,
        });
        let request = call.ok_or(CompileError::not_built("a function without a value"))?;
        Ok(Self { plan: source.compile(catalog, &request, shape(1))? })
    }
}

/// The call with the first variable as its argument. It is a change: the function may be volatile.
fn request(function: FunctionId, field: catalog::FieldId) -> ir::Request {
    let argument = ir::Operand::Variable { slot: ir::Slot(0), path: Vec::new() };
    let call = ir::Call { function, of_row: None, arguments: vec![(0, argument)] };
    let kind = ir::OutputKind::Field { path: Vec::new(), field, form: ir::Form::Stored };
    let outputs = vec![ir::Output { id: ir::OutputId(0), kind }];
    let from = ir::From::Returned { step: ir::StepId(0), state: ir::State::After };
    let rows = ir::Rows::unordered(ir::RowsId(0), from, ir::Filter::all(), outputs);
    let steps = [ir::StepKind::Call(call), ir::StepKind::Read(rows)];
    let steps =
        steps.into_iter().zip(0..).map(|(kind, number)| ir::Step::new(ir::StepId(number), 0, kind));
    let isolation = ir::Isolation::ReadCommitted;
    let transaction = ir::Transaction { isolation, steps: steps.collect() };
    ir::Request { transactions: vec![transaction], outputs: 1, rows: 1, claimed_names: Vec::new() }
}
