//! Fields that statements of the author give as the schema shows them, in either version: their types,
//! their arguments and their rows.

use graphql::definitions::Literal;
use graphql::value::Const;

use crate::model::{
    ApiVersion, Given, InputKind, InputValue, Model, ModelField, Placed, PlacedStatement,
    StatementField, Target,
};
use crate::shared::draft::{Draft, DraftField, DraftInput, DraftKind};
use crate::shared::values;
use api::binding::{
    ArgumentRole, ComputedBinding, FieldBinding, InputBinding, InputRole, RowsBinding, RowsForm,
    RowsFrom,
};

/// What such fields are drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated<'m> {
    pub(crate) model: &'m Model,
    pub(crate) placed: &'m Placed,
    pub(crate) version: ApiVersion,
}

/// A statement, and what became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'m> {
    pub(crate) statement: &'m StatementField,
    pub(crate) placed: PlacedStatement,
    /// Whether each node is asked, and not the root.
    pub(crate) of_row: bool,
}

impl Asked<'_> {
    /// How the rows come that it gives.
    pub(crate) fn rows_form(&self) -> RowsForm {
        match self.statement.result.wrapping().is_list {
            true => RowsForm::List,
            false => RowsForm::First,
        }
    }
}

impl Stated<'_> {
    /// The field that shows what a statement gives; `several` are nodes of several types.
    pub(crate) fn field(
        self,
        field: &ModelField,
        asked: Asked<'_>,
        several: Option<FieldBinding>,
    ) -> DraftField {
        let Asked { statement, placed, of_row } = asked;
        let function = placed.function;
        let from = RowsFrom::Function { function, of_row };
        let binding = match &statement.result {
            Given::Value(property) if of_row => {
                let column = values::column(self.model, property, self.version);
                let (value, form, external) = (column.value, column.form, Vec::new());
                FieldBinding::Computed(ComputedBinding { function, of_row, value, form, external })
            }
            Given::Value(_) => {
                let (entity, form) = (placed.entity, asked.rows_form());
                FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
            }
            given @ (Given::Node(..) | Given::Object(..)) => {
                self.rows(given, from, asked.rows_form())
            }
            Given::Several(..) => several.unwrap_or_else(unserved),
        };
        self.drawn(field, statement, of_row, binding)
    }

    /// A field with its type and its arguments.
    pub(crate) fn drawn(
        self,
        field: &ModelField,
        statement: &StatementField,
        of_row: bool,
        binding: FieldBinding,
    ) -> DraftField {
        let mut draft = DraftField::new(&field.name, &self.written(&statement.result), binding);
        draft.description.clone_from(&field.description);
        let arguments = statement.arguments.iter().zip(values::arguments(statement, of_row));
        draft.arguments.extend(arguments.map(|(argument, binding)| {
            let binding = InputBinding::lenient(ArgumentRole::Call(binding));
            let mut draft = self.input(argument, binding);
            // What is not given is null anyway, and version 3 does not say it.
            draft.default = draft
                .default
                .filter(|default| self.version == ApiVersion::V7 || *default != Const::Null);
            draft
        }));
        draft.deprecated(field.deprecated.as_ref())
    }

    /// Adds the types of objects that requests give.
    pub(crate) fn add_inputs(self, draft: &mut Draft) {
        for input in &self.model.inputs {
            let member = |field| self.input(field, InputBinding::lenient(InputRole::Member));
            let fields = input.fields.iter().map(member).collect();
            let kind = DraftKind::Input { fields, form: None };
            draft.add(&input.name, input.description.as_deref(), kind);
        }
    }

    /// Rows of nodes or objects.
    pub(crate) fn rows(self, given: &Given, from: RowsFrom, form: RowsForm) -> FieldBinding {
        let entity = match given {
            Given::Node(place, _) => self.placed.nodes.get(*place).map(|placed| placed.entity),
            Given::Object(place, _) => self.placed.objects.get(*place).map(|(entity, _)| *entity),
            Given::Value(_) | Given::Several(..) => None,
        };
        match entity {
            Some(entity) => {
                FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
            }
            None => unserved(),
        }
    }

    /// A type as it is written.
    pub(crate) fn written(self, given: &Given) -> String {
        let model = self.model;
        let name = match given {
            Given::Value(property) => values::type_name(model, &property.r#type),
            Given::Object(place, _) => model.objects.get(*place).map_or("", |known| &known.name),
            Given::Node(place, _) | Given::Several(Target::Node(place), _) => {
                model.nodes.get(*place).map_or("", |known| &known.name)
            }
            Given::Several(Target::Interface(place), _) => {
                model.interfaces.get(*place).map_or("", |known| &known.name)
            }
            Given::Several(Target::Union(place), _) => {
                model.unions.get(*place).map_or("", |known| &known.name)
            }
        };
        given.wrapping().around(name)
    }

    fn input(self, input: &InputValue, binding: InputBinding) -> DraftInput {
        let name = match &input.kind {
            InputKind::Value(r#type) => values::input_name(self.model, r#type),
            InputKind::Object(place) => {
                self.model.inputs.get(*place).map_or("", |known| &known.name)
            }
        };
        let mut draft = DraftInput::new(&input.name, &input.wrapping.around(name), binding);
        draft.description.clone_from(&input.description);
        draft.default = input.default.as_ref().map(|literal| self.default(input, literal));
        draft.deprecated(input.deprecated.as_ref())
    }

    /// A default of the type of an input: one of a list may be said alone, and an object has the
    /// defaults of its own members, in their order.
    fn default(self, input: &InputValue, literal: &Literal) -> Const {
        match literal {
            Literal::Null => Const::Null,
            Literal::List(items) if input.wrapping.is_list => Const::List(
                items.iter().map(|item| self.default_value(&input.kind, item)).collect(),
            ),
            one if input.wrapping.is_list => {
                Const::List(vec![self.default_value(&input.kind, one)])
            }
            one => self.default_value(&input.kind, one),
        }
    }

    /// Recursion ends, since no input has itself as a part.
    fn default_value(self, kind: &InputKind, literal: &Literal) -> Const {
        let (InputKind::Object(place), Literal::Object(given)) = (kind, literal) else {
            return literal.constant();
        };
        let fields = self.model.inputs.get(*place).map(|known| known.fields.as_slice());
        let members = fields.unwrap_or_default().iter().filter_map(|field| {
            let given = given.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value);
            let value = given.or(field.default.as_ref())?;
            Some(((&*field.name).into(), self.default(field, value)))
        });
        Const::Object(members.collect())
    }
}

/// What a field means whose rows have no entity.
fn unserved() -> FieldBinding {
    FieldBinding::Refused("This is not served yet.".into())
}
