//! Fields of `@cypher`: their types, arguments and rows.

use catalog::FieldId;
use graphql::definitions::Literal;
use graphql::value::Const;

use crate::model::{
    ApiVersion, FieldKind, Given, InputKind, InputValue, Model, ModelField, Placed,
    PlacedStatement, StatementField, Target,
};
use crate::shared::builder::Builder;
use crate::shared::draft::{Draft, DraftField, DraftInput, DraftKind};
use crate::shared::{values, variants};
use api::binding::{
    ArgumentRole, ComputedBinding, FieldBinding, InputBinding, InputRole, RowsBinding, RowsForm,
    RowsFrom,
};

/// Context of `@cypher` fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementFields<'m> {
    pub(crate) model: &'m Model,
    pub(crate) placed: &'m Placed,
    pub(crate) version: ApiVersion,
}

/// Statement with its ids in the catalog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementCall<'m> {
    pub(crate) statement: &'m StatementField,
    pub(crate) placed: PlacedStatement,
    /// Whether it runs for each node, and not for the root.
    pub(crate) of_row: bool,
}

impl StatementCall<'_> {
    /// The form of the rows that it returns.
    pub(crate) fn rows_form(&self) -> RowsForm {
        match self.statement.result.wrapping().is_list {
            true => RowsForm::List,
            false => RowsForm::First,
        }
    }
}

/// Adds the root fields of statements behind all others.
pub(crate) fn add_roots(build: &mut Builder<'_>) {
    let (model, placed) = (build.model, build.placed);
    for (root, fields, placed) in [
        ("Query", &model.queries, &placed.queries),
        ("Mutation", &model.mutations, &placed.mutations),
    ] {
        for (field, placed) in fields.iter().zip(placed) {
            if let FieldKind::Statement(statement) = &field.kind {
                let call = StatementCall { statement, placed: *placed, of_row: false };
                let drawn = statement_field(build, field, call);
                build.draft.add_field(root, drawn);
            }
        }
    }
}

/// The field that shows the result of a statement.
pub(crate) fn statement_field(
    build: &mut Builder<'_>,
    field: &ModelField,
    call: StatementCall<'_>,
) -> DraftField {
    let several = match &call.statement.result {
        Given::Several(target, _) => {
            let variants = variants::of_root(build, *target);
            let (function, form) = (call.placed.function, call.rows_form());
            variants.map(|variants| variants.returned(function, call.of_row, form))
        }
        Given::Value(_) | Given::Node(..) | Given::Object(..) => None,
    };
    StatementFields::of(build).field(field, call, several)
}

impl<'m> StatementFields<'m> {
    pub(crate) fn of(build: &Builder<'m>) -> Self {
        Self { model: build.model, placed: build.placed, version: build.version.api }
    }
}

impl StatementFields<'_> {
    /// The field that shows the result of a statement; `several` binds nodes of several types.
    fn field(
        self,
        field: &ModelField,
        call: StatementCall<'_>,
        several: Option<FieldBinding>,
    ) -> DraftField {
        let StatementCall { statement, placed, of_row } = call;
        let function = placed.function;
        let from = RowsFrom::Function { function, of_row };
        let binding = match &statement.result {
            Given::Value(property) if of_row => {
                let column = values::column(self.model, property, self.version);
                let (value, form, external) = (column.value, column.form, Vec::new());
                let computed = ComputedBinding { function, of_row, value, form, external };
                FieldBinding::Computed(Box::new(computed))
            }
            Given::Value(_) => {
                let (entity, form) = (placed.entity, call.rows_form());
                FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
            }
            given @ (Given::Node(..) | Given::Object(..)) => {
                self.rows(given, from, call.rows_form())
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
        let mut draft = DraftField::of(field, &self.written(&statement.result), binding);
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
        draft
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

    /// Rows of the nodes or objects in a map.
    pub(crate) fn value_rows(self, given: &Given, value: FieldId) -> FieldBinding {
        let form = match given.wrapping().is_list {
            true => RowsForm::List,
            false => RowsForm::Single,
        };
        self.rows(given, RowsFrom::Value(value), form)
    }

    /// Rows of nodes or objects.
    fn rows(self, given: &Given, from: RowsFrom, form: RowsForm) -> FieldBinding {
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

    /// A default of the type of an input: a list may have one element without brackets, and an object has the
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

/// The binding of a field whose rows have no entity.
fn unserved() -> FieldBinding {
    FieldBinding::Refused("This is not served yet.".into())
}
