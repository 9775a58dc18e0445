//! Calls of functions: their arguments, and the returned values and rows.

use catalog::FunctionId;
use graphql::CollectedField;
use graphql::operation::Location;
use graphql::schema::TypeId;
use ir::{Call, Filter, From, Hop, Operand, OutputKind, Rows, Value};
use response::Node;

use super::selection::misplaced;
use super::{Context, LowerError, Outputs};
use api::Transactions;
use api::binding::{
    ArgumentBinding, ArgumentRole, CallBinding, ComputedBinding, InputRole, OmittedArguments,
    RowsBinding, RowsForm, RowsFrom, VariantsId,
};

/// The error of a field whose required values are in no representation.
const UNTOLD: &str =
    "The field is computed of what representations tell: only `_entities` answers it.";

/// Forms of a field's row.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowForm {
    /// As an object.
    Object,
    /// As an object, or null where a function returned no row, or a field has none.
    Nullable,
    /// As the value of its only field.
    Value(catalog::FieldId),
    /// As an object of the type of its entity.
    Variants(VariantsId),
}

/// An argument of a function in the request, by its index.
#[derive(Debug)]
pub(super) struct GivenArgument {
    pub(super) place: u16,
    pub(super) operand: Operand,
}

impl<'a> Context<'a> {
    /// The form of a field's rows.
    pub(super) fn row_form(&self, binding: &RowsBinding) -> RowForm {
        match binding.from {
            RowsFrom::Entity
            | RowsFrom::Nearest
            | RowsFrom::Search(_)
            | RowsFrom::Changed
            | RowsFrom::Event(_)
            | RowsFrom::EventState(_)
            | RowsFrom::Nodes(_)
            | RowsFrom::Through { .. }
            | RowsFrom::Joining { .. } => RowForm::Object,
            // Rows that are the elements of a list.
            RowsFrom::Relation(_) => {
                let entity = self.api.find_entity(binding.entity);
                entity.and_then(|entity| entity.value).map_or(RowForm::Object, RowForm::Value)
            }
            RowsFrom::Variants { variants, .. }
            | RowsFrom::NearestVariants(variants)
            | RowsFrom::FunctionOfVariants { variants, .. } => RowForm::Variants(variants),
            RowsFrom::Value(_) => match self.api.find_entity(binding.entity) {
                Some(entity) if entity.hollow => RowForm::Object,
                Some(_) | None => RowForm::Nullable,
            },
            RowsFrom::Function { .. } | RowsFrom::Effect(_) => {
                match self.api.find_entity(binding.entity) {
                    Some(entity) => match entity.value {
                        Some(field) => RowForm::Value(field),
                        None if entity.hollow && binding.form == RowsForm::List => RowForm::Object,
                        None => RowForm::Nullable,
                    },
                    None => RowForm::Nullable,
                }
            }
        }
    }

    /// The node of a row, with the selections of `field`.
    pub(super) fn row_node(
        &mut self,
        form: RowForm,
        r#type: TypeId,
        field: &CollectedField<'a>,
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let sets = &field.selection_sets;
        Ok(match form {
            RowForm::Object => Node::Object(self.row_fields(r#type, sets, &[], outputs)?),
            RowForm::Variants(variants) => {
                self.by_variant(variants, outputs, |context, variant, outputs| {
                    let fields = context.row_fields(variant.r#type, sets, &[], outputs)?;
                    Ok(Node::Object(fields))
                })?
            }
            RowForm::Nullable => {
                let present = outputs.present(self, &[]);
                let fields = self.row_fields(r#type, sets, &[], outputs)?;
                Node::Joined { present, fields }
            }
            RowForm::Value(column) => {
                let api = self.api;
                let binding = api.find_column(column).ok_or_else(|| misplaced("value"))?;
                let leaf = self.leaf(&binding.value, r#type, field)?;
                Node::Leaf { output: outputs.field(self, &[], column, binding.form), leaf }
            }
        })
    }

    /// Adds the defaults of omitted arguments of a field's function.
    pub(super) fn add_defaults(
        &self,
        field: graphql::schema::FieldId,
        given: &mut Vec<GivenArgument>,
    ) {
        for id in &self.api.schema[field].arguments {
            let definition = &self.api.schema[*id];
            let (InputRole::Argument(ArgumentRole::Call(argument)), Some(default)) =
                (&self.api.input(*id).role, &definition.default)
            else {
                continue;
            };
            if !given.iter().any(|known| known.place == argument.place) {
                let value = self.default(definition.r#type.base, default);
                given.push(GivenArgument {
                    place: argument.place,
                    operand: Operand::Constant(value),
                });
            }
        }
    }

    /// The value of a function of the row at the end of a path.
    pub(super) fn computed(
        &mut self,
        binding: &ComputedBinding,
        r#type: TypeId,
        field: &CollectedField<'a>,
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let mut given = self.call_arguments(field)?;
        for argument in &binding.external {
            // The representation belongs to the row that it finds, not to rows that this one refers
            // to.
            let number = match path {
                [] => outputs.external(binding.function, argument),
                [_, ..] => None,
            };
            let Some(number) = number else { return Ok(Node::Refused(UNTOLD.into())) };
            given.push(GivenArgument { place: argument.place, operand: Operand::External(number) });
        }
        let of_row = binding.of_row.then(|| path.to_vec());
        let call = self.call(binding.function, of_row, given, field.location)?;
        let leaf = self.leaf(&binding.value, r#type, field)?;
        let output = outputs.computed(self, OutputKind::Computed { call, form: binding.form });
        Ok(Node::Leaf { output, leaf })
    }

    /// A call of a function of the row, with its defaults.
    pub(super) fn of_row(&self, function: FunctionId) -> Call {
        let claims = self.api.find_call(function).and_then(|call| call.claims);
        let arguments = claims.map(|place| (place, Operand::Claims)).into_iter().collect();
        Call { function, of_row: Some(Vec::new()), arguments }
    }

    /// The node of a field of the mutation type whose rows a function gives: the call, and a read of
    /// what it gave. The function runs once, whatever is read.
    pub(super) fn called_for_effect(
        &mut self,
        binding: &RowsBinding,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let before = self.steps.len();
        match self.rows(binding, field) {
            Ok(Some((node, rows))) => {
                self.add_read(rows);
                Ok(node)
            }
            Ok(None) => Err(misplaced("an opaque id of a function's rows")),
            Err(error) => {
                self.steps.truncate(before);
                match self.api.transactions {
                    Transactions::Each => self.failed(error),
                    Transactions::Request => Err(error),
                }
            }
        }
    }

    /// The value of a function without a row: the only output of a row that always exists.
    pub(super) fn called(
        &mut self,
        binding: &ComputedBinding,
        r#type: TypeId,
        field: &CollectedField<'a>,
    ) -> Result<(Node, Rows), LowerError> {
        let id = self.rows_id();
        let mut outputs = Outputs::default();
        let leaf: Node = self.computed(binding, r#type, field, &[], &mut outputs)?;
        let node = Node::Single { rows: response::RowsId(id.0), node: self.shape.add(leaf) };
        let rows = Rows {
            single: true,
            ..Rows::unordered(id, From::Once, Filter::all(), outputs.into_list())
        };
        Ok((node, rows))
    }

    /// A call with the arguments of the request. Omitted ones are left out where they have a
    /// default: the last ones, and those before them that can be skipped since later ones are given
    /// by name. Elsewhere they are null.
    pub(super) fn call(
        &self,
        function: FunctionId,
        of_row: Option<Vec<Hop>>,
        mut given: Vec<GivenArgument>,
        location: Location,
    ) -> Result<Call, LowerError> {
        let CallBinding { arguments, claims, omitted, row } =
            self.api.find_call(function).ok_or_else(|| misplaced("a call"))?;
        given.extend(claims.map(|place| GivenArgument { place, operand: Operand::Claims }));
        let row = row.filter(|_| of_row.is_some());
        if let Some(omitted) = omitted
            && let Some(message) = refusal(arguments, row, &given, omitted)
        {
            return Err(LowerError::refused(message, location));
        }
        let mut chosen = Vec::with_capacity(arguments.len());
        let mut may_skip = true;
        for argument in arguments.iter().rev() {
            if row == Some(argument.place) {
                continue;
            }
            let found = given.iter().position(|given| given.place == argument.place);
            let operand = found.map(|place| given.swap_remove(place).operand);
            let may_be_absent = argument.optional && may_skip;
            match operand {
                None if may_be_absent => continue,
                None => chosen.push((argument.place, Operand::Constant(Value::Null))),
                Some(operand) => {
                    may_skip &= !argument.optional || argument.named;
                    chosen.push((argument.place, operand));
                }
            }
        }
        chosen.reverse();
        Ok(Call { function, of_row, arguments: chosen })
    }
}

/// The error of omitted arguments beside the row, if they cannot be omitted.
fn refusal(
    arguments: &[ArgumentBinding],
    row: Option<u16>,
    given: &[GivenArgument],
    omitted: &OmittedArguments,
) -> Option<&'static str> {
    let is_given =
        |argument: &&ArgumentBinding| given.iter().any(|own| own.place == argument.place);
    let arguments = arguments.iter().filter(|argument| row != Some(argument.place));
    arguments.skip_while(is_given).find_map(|argument| match is_given(&argument) {
        true if !argument.named => Some(omitted.before_unnamed),
        false if !argument.optional => Some(omitted.required),
        true | false => None,
    })
}
