//! The outputs of one set of rows, deduplicated.

use catalog::{FieldId, FunctionId};
use ir::{Form, Hop, Output, OutputKind};
use rustc_hash::FxHashMap;

use super::Context;
use api::binding::ExternalArgument;

/// The outputs of each row.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    list: Vec<Output>,
    fields: FxHashMap<(Vec<Hop>, FieldId, Form), ir::OutputId>,
    present: FxHashMap<Vec<Hop>, ir::OutputId>,
    count: Option<ir::OutputId>,
    /// The output for the row's entity, of several.
    variant: Option<ir::OutputId>,
    /// The outputs of each of several entities, by index.
    pub(super) of_variants: Vec<Outputs>,
    /// Required values of the representations that find the rows; `None` if representations find no
    /// rows here.
    external: Option<Vec<ExternalInput>>,
}

/// A value of representations for an argument of a function.
#[derive(Clone, Debug)]
pub(super) struct ExternalInput {
    pub(super) function: FunctionId,
    pub(super) argument: ExternalArgument,
}

impl Outputs {
    /// Of rows that representations find.
    pub(super) fn of_represented() -> Self {
        Self { external: Some(Vec::new()), ..Self::default() }
    }

    /// The index of a representation's value for an argument; `None` if no representations find the
    /// rows.
    pub(super) fn external(
        &mut self,
        function: FunctionId,
        argument: &ExternalArgument,
    ) -> Option<u16> {
        let external = self.external.as_mut()?;
        let is_same =
            |own: &ExternalInput| own.function == function && own.argument.place == argument.place;
        let place = external.iter().position(is_same).unwrap_or_else(|| {
            external.push(ExternalInput { function, argument: argument.clone() });
            external.len() - 1
        });
        u16::try_from(place).ok()
    }

    /// Takes the required values of representations.
    pub(super) fn take_external(&mut self) -> Vec<ExternalInput> {
        self.external.take().unwrap_or_default()
    }

    pub(super) fn field(
        &mut self,
        context: &mut Context<'_>,
        path: &[Hop],
        field: FieldId,
        form: Form,
    ) -> response::OutputId {
        let id = match self.fields.get(&(path.to_vec(), field, form)) {
            Some(id) => *id,
            None => {
                let kind = OutputKind::Field { path: path.to_vec(), field, form };
                let id = self.push(context, kind);
                self.fields.insert((path.to_vec(), field, form), id);
                id
            }
        };
        response::OutputId(id.0)
    }

    /// The output that is null without a row at the end of the path.
    pub(super) fn present(
        &mut self,
        context: &mut Context<'_>,
        path: &[Hop],
    ) -> response::OutputId {
        let id = match self.present.get(path) {
            Some(id) => *id,
            None => {
                let id = self.push(context, OutputKind::Present { path: path.to_vec() });
                self.present.insert(path.to_vec(), id);
                id
            }
        };
        response::OutputId(id.0)
    }

    /// The output for the row's entity, of several.
    pub(super) fn variant(&mut self, context: &mut Context<'_>) -> response::OutputId {
        let id = match self.variant {
            Some(id) => id,
            None => {
                let id = self.push(context, OutputKind::Variant);
                self.variant = Some(id);
                id
            }
        };
        response::OutputId(id.0)
    }

    /// A value of a function. Two fields of the same function are two calls, since their arguments
    /// may differ.
    pub(super) fn computed(
        &mut self,
        context: &mut Context<'_>,
        kind: OutputKind,
    ) -> response::OutputId {
        response::OutputId(self.push(context, kind).0)
    }

    pub(super) fn count(&mut self, context: &mut Context<'_>) -> response::OutputId {
        let id = match self.count {
            Some(id) => id,
            None => {
                let id = self.push(context, OutputKind::Count);
                self.count = Some(id);
                id
            }
        };
        response::OutputId(id.0)
    }

    /// A field of the join row between this row and the outer row.
    pub(super) fn edge(
        &mut self,
        context: &mut Context<'_>,
        field: FieldId,
        form: Form,
    ) -> response::OutputId {
        let kind = OutputKind::Edge { field, form };
        let known = self.list.iter().find(|output| output.kind == kind);
        let id = match known {
            Some(output) => output.id,
            None => self.push(context, kind),
        };
        response::OutputId(id.0)
    }

    /// The position of the key that found the row.
    pub(super) fn ordinal(&mut self, context: &mut Context<'_>) -> response::OutputId {
        response::OutputId(self.push(context, OutputKind::Ordinal).0)
    }

    /// A counter of a step.
    pub(super) fn counter(
        &mut self,
        context: &mut Context<'_>,
        step: ir::StepId,
        counter: ir::Counter,
    ) -> response::OutputId {
        let kind = OutputKind::Counter { step, counter };
        let known = self.list.iter().find(|output| output.kind == kind);
        let id = match known {
            Some(output) => output.id,
            None => self.push(context, kind),
        };
        response::OutputId(id.0)
    }

    /// The value by which the rows are ordered.
    pub(super) fn order_value(
        &mut self,
        context: &mut Context<'_>,
        key: &ir::OrderKey,
    ) -> response::OutputId {
        let kind = OutputKind::OrderValue(key.clone());
        let known = self.list.iter().find(|output| output.kind == kind);
        let id = match known {
            Some(output) => output.id,
            None => self.push(context, kind),
        };
        response::OutputId(id.0)
    }

    /// An aggregate of all rows.
    pub(super) fn aggregate(
        &mut self,
        context: &mut Context<'_>,
        aggregate: ir::Aggregate,
    ) -> response::OutputId {
        response::OutputId(self.push(context, OutputKind::Aggregate(aggregate)).0)
    }

    /// All rows in groups.
    pub(super) fn groups(
        &mut self,
        context: &mut Context<'_>,
        groups: ir::Groups,
    ) -> response::OutputId {
        response::OutputId(self.push(context, OutputKind::Groups(groups)).0)
    }

    /// Related rows. Two fields of the same relation are two sets of rows, since their arguments
    /// may differ.
    pub(super) fn related(&mut self, context: &mut Context<'_>, path: &[Hop], rows: ir::Rows) {
        self.push(context, OutputKind::Related { path: path.to_vec(), rows: Box::new(rows) });
    }

    pub(super) fn into_list(self) -> Vec<Output> {
        self.list
    }

    fn push(&mut self, context: &mut Context<'_>, kind: OutputKind) -> ir::OutputId {
        let id = context.output_id();
        self.list.push(Output { id, kind });
        id
    }
}
